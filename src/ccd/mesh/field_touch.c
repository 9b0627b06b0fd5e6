/* SPDX-License-Identifier: MIT */
/* The normal of a contact with a height field, from that with one of its pieces. In doubles;
 * nothing is proved by it.
 *
 * Where the body meets an edge or a vertex of a piece, the walk may name any normal of that, one
 * into a wall between two columns, too. It is one of the field's when the triangles at the point
 * lie below its plane. Otherwise the body touches a face there, or is in a hollow, and stands on
 * the planes of the triangles: the one that it stands on best is taken. */
#include "ccd/mesh/field_piece.h"
#include "ccd/proof/moving.h"
#include "ccd/proof/moving_plane.h"

typedef struct spot {
    const abut_heightfield_data *field;
    abut_vec3 p; /* in the field's frame */
    double near;
} spot;

static size_t cell_near(const abut_heightfield_data *field, int axis, double x)
{
    const size_t cells = (axis == 0 ? field->columns : field->rows) - 1;
    const double at = floor((x - abut_field_grid(field, axis, 0)) / (axis == 0 ? field->dx : field->dy));
    return at > 0 ? at < (double)(cells - 1) ? (size_t)at : cells - 1 : 0;
}

/* Seen from above p is in the triangle, and it is no further than `near` from its plane. */
static bool is_at(const spot *s, const abut_vec3 t[3], abut_vec3 n)
{
    if (!(fabs(abut_dot(n, abut_sub(s->p, t[0]))) <= s->near))
        return false;
    for (int k = 0; k < 3; ++k) {
        const abut_vec3 a = t[k], b = t[(k + 1) % 3];
        const double ex = b.x - a.x, ey = b.y - a.y;
        if (ex * (s->p.y - a.y) - ey * (s->p.x - a.x) < -s->near * hypot(ex, ey))
            return false;
    }
    return true;
}

/* No corner of the triangle is above the plane through p. */
static bool is_below(const spot *s, const abut_vec3 t[3], abut_vec3 n)
{
    for (int k = 0; k < 3; ++k) {
        const abut_vec3 d = abut_sub(t[k], s->p);
        if (abut_dot(n, d) > 1e-7 * abut_length(d) + s->near)
            return false;
    }
    return true;
}

void abut_field_decide(const abut_moving *m, abut_moving_touch *touch)
{
    abut_affine ground = { .linear = { { { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 } } } }, body = ground;
    if (!touch->known || (m->motion_a && abut_motion_at(m->motion_a, touch->t, &ground)) ||
        (m->motion_b && abut_motion_at(m->motion_b, touch->t, &body)))
        return;
    const abut_heightfield_data *field = &m->a->u.heightfield;
    const abut_core *core = &m->b->core;
    const spot s = { field, abut_mul_t(&ground.linear, abut_sub(touch->point, ground.translation)),
                     1e-7 * fmin(field->dx, field->dy) };
    const abut_vec3 n = abut_mul_t(&ground.linear, touch->normal);
    const size_t i = cell_near(field, 0, s.p.x), j = cell_near(field, 1, s.p.y);
    abut_vec3 best = n;
    double most = -INFINITY;
    bool fits = true;
    for (size_t k = 0; k < 18; ++k) { /* both triangles of this cell and its neighbours */
        const size_t ci = i + k / 2 % 3 - 1, cj = j + k / 6 - 1; /* too large where there is none */
        abut_vec3 t[3];
        if (ci >= field->columns - 1 || cj >= field->rows - 1)
            continue;
        const abut_vec3 up = abut_field_triangle(field, ci, cj, (int)(k & 1), t);
        if (!is_at(&s, t, up))
            continue;
        fits = fits && is_below(&s, t, n);
        const abut_vec3 world = abut_mul(&ground.linear, up), own = abut_mul_t(&body.linear, world);
        uint32_t hint = 0;
        const abut_vec3 low = abut_moving_plane_support(core, abut_v3(-own.x, -own.y, -own.z), &hint);
        const double height =
            abut_dot(world, abut_sub(abut_affine_apply(&body, low), touch->point)) - core->radius;
        if (height > most) {
            most = height;
            best = up;
        }
    }
    if (fits)
        return;
    touch->normal = abut_mul(&ground.linear, best);
    touch->features[0] = ABUT_FEATURE_FACE;
}
