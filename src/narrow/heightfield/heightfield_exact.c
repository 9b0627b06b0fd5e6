/* SPDX-License-Identifier: MIT */
/* What the solvers leave open between a height field and a body that nearly touch, or that are
 * flush with walls between columns.
 *
 * Exactly: a body with an interior touches the field where it touches a column and its interior
 * meets none of theirs. For if it met the interior of the field it would meet it in an open set,
 * and the walls between columns are too thin to fill one. So each undecided column is asked for its
 * own sign, by the predicates for convex pairs; the corners of the field must be doubles for that.
 * On level ground under all of a body the height of its lowest point will do, however it is turned
 * about the vertical.
 *
 * Overlap: a place of the body around which a ball, as large as all that is not known, is in the
 * union of the columns, though it may be in none of them. A body is the closure of its interior,
 * so that this meets the field's; a body without one has a point inside. */
#include "narrow/heightfield/heightfield_site.h"

static const double u = 0x1p-53;

/* ---- columns ---- */

/* The corners as doubles of the field's frame; false where they are rounded. */
static bool exact_corner(const abut_heightfield_data *f, size_t i, size_t j, abut_vec3 *out)
{
    const double x = 2 * (double)i - (double)(f->columns - 1), y = 2 * (double)j - (double)(f->rows - 1);
    const dd px = dd_two_product(x, 0.5 * f->dx), py = dd_two_product(y, 0.5 * f->dy);
    *out = abut_v3(px.h, py.h, abut_heightfield_height(f, i, j));
    return px.l == 0 && py.l == 0;
}

int abut_field_column_sign(const abut_field_site *s, size_t i, size_t j, int which,
                           const abut_convex_answer *answer)
{
    const abut_heightfield_data *f = s->field;
    abut_vec3 top[3];
    if (s->exponent != 0 || !exact_corner(f, i, j, &top[0]) ||
        !exact_corner(f, i + 1, which ? j + 1 : j, &top[1]) ||
        !exact_corner(f, which ? i : i + 1, j + 1, &top[2]))
        return ABUT_SIGN_UNKNOWN;
    abut_field_prism p;
    abut_field_prism_set(top, abut_field_bottom(s, top, s->origin.z), &p);
    abut_convex_pair pair = s->base;
    pair.a = &p.core;
    return abut_convex_exact_sign(s->asked, &pair, answer);
}

/* ---- bodies that rest on level ground ---- */

/* How far the core reaches below its origin along -z of the field, exactly; false where that is
 * not a double. `axis` of the body, with its sign, is the field's z. */
static bool reach_below(const abut_core *core, int axis, double sign, double *out)
{
    switch (core->kind) {
    case ABUT_CORE_POINT: *out = 0; return true;
    case ABUT_CORE_SEGMENT: *out = axis == 2 ? core->h[2] : 0; return true;
    case ABUT_CORE_BOX:
    case ABUT_CORE_CYLINDER:
    case ABUT_CORE_CONE:
    case ABUT_CORE_ELLIPSOID: *out = core->h[axis]; return true;
    case ABUT_CORE_HULL: {
        const double *x = axis == 0 ? core->hull->x : axis == 1 ? core->hull->y : core->hull->z;
        double most = -INFINITY;
        for (uint32_t k = 0; k < core->hull->vertex_count; ++k)
            most = fmax(most, -sign * x[k]);
        *out = most;
        return true;
    }
    default: return false;
    }
}

int abut_field_rests(const abut_field_site *s, bool *level)
{
    const abut_place *pa = s->asked->at_a, *pb = s->asked->at_b;
    const abut_shape *body = s->asked->b;
    size_t from[2], to[2];
    double below;
    *level = false;
    if (s->exponent != 0 || !pa->points || !pa->axes || !pb->points ||
        !abut_field_ground_under(s, from, to) ||
        (body->type == ABUT_SHAPE_SWEPT && body->u.swept.of->core.radius > 0))
        return ABUT_SIGN_UNKNOWN;
    const abut_range ground = abut_heightfield_range_over(s->field, from, to);
    const double r = s->base.radii, x0 = abut_field_grid(s, 0, 0) - s->origin.x,
                 y0 = abut_field_grid(s, 1, 0) - s->origin.y;
    const double x1 = abut_field_grid(s, 0, s->field->columns - 1) - s->origin.x,
                 y1 = abut_field_grid(s, 1, s->field->rows - 1) - s->origin.y;
    const bool within = s->lo[0] - r > x0 && s->hi[0] + r < x1 && s->lo[1] - r > y0 && s->hi[1] + r < y1;
    const int world = pa->axis[2];
    double sign_b;
    const int axis =
        abut_place_local_axis(pb, world, &sign_b); /* how it is turned about that does not count */
    if (axis < 0 || !reach_below(&body->core, axis, pa->sign[2] * sign_b, &below))
        return ABUT_SIGN_UNKNOWN;
    const abut_vec3 ta = pa->mid.translation, tb = pb->mid.translation;
    const double a = world == 0   ? ta.x
                     : world == 1 ? ta.y
                                  : ta.z,
                 b = world == 0   ? tb.x
                     : world == 1 ? tb.y
                                  : tb.z;
    abut_exact lowest;
    abut_exact_clear(&lowest);
    abut_exact_add_double(&lowest, pa->sign[2] * b);
    abut_exact_add_double(&lowest, -pa->sign[2] * a);
    abut_exact_add_double(&lowest, -below);
    abut_exact_add_double(&lowest, -body->core.radius);
    abut_exact_add_double(&lowest, -ground.hi);
    *level = within && ground.lo == ground.hi;
    const int sign = abut_exact_sign(&lowest);
    return sign > 0 && !within ? ABUT_SIGN_UNKNOWN : sign;
}

int abut_field_level_ground(const abut_field_site *s)
{
    bool level;
    const int sign = abut_field_rests(s, &level);
    return sign > 0 || level ? sign : ABUT_SIGN_UNKNOWN;
}

/* ---- places inside ---- */

/* Certified: the ball around p is in the interior of the field. */
static bool holds_ball(const abut_field_site *s, abut_vec3 p, double radius)
{
    size_t from[2], to[2];
    for (int k = 0; k < 2; ++k) {
        const size_t cells = (k == 0 ? s->field->columns : s->field->rows) - 1;
        const double step = s->scale * (k == 0 ? s->field->dx : s->field->dy);
        const double x = (k == 0 ? p.x + s->origin.x : p.y + s->origin.y) - abut_field_grid(s, k, 0);
        if (!(x > radius && x < step * (double)cells - radius && radius < 0.25 * step))
            return false;
        const double lo = floor((x - radius) / step), hi = floor((x + radius) / step);
        from[k] = lo > 0 ? (size_t)lo : 0;
        to[k] = hi < (double)(cells - 1) ? (size_t)hi : cells - 1;
    }
    for (size_t j = from[1]; j <= to[1]; ++j)
        for (size_t i = from[0]; i <= to[0]; ++i)
            for (int which = 0; which < 2; ++which) {
                abut_vec3 t[3];
                abut_field_corners(s, i, j, which, t);
                bool over = true;
                for (int k = 0; k < 3; ++k) {
                    const abut_vec3 e = abut_sub(t[(k + 1) % 3], t[k]), d = abut_sub(p, t[k]);
                    over &= e.x * d.y - e.y * d.x >= -2 * radius * (fabs(e.x) + fabs(e.y));
                }
                if (over && !(abut_dot(abut_field_upward(t), abut_sub(p, t[0])) < -2 * radius))
                    return false;
            }
    return true;
}

bool abut_field_find_inside(abut_field_site *s)
{
    const abut_core *core = s->base.b;
    const abut_range z = s->field->pyramid->whole;
    /* Places of the core are off by the error of the pair, and corners by a few u of what they
     * are made of; with room for the arithmetic above. */
    const double size = core->size + abut_max_norm(s->origin) + s->scale * fmax(fabs(z.lo), fabs(z.hi)) +
                        fabs(abut_field_grid(s, 0, 0)) + fabs(abut_field_grid(s, 1, 0));
    const double radius = 2 * (s->base.error + core->error) + 64 * u * size;
    /* The ends of the body, their middle, the middle of the places where it is near to columns,
     * and what is between both. */
    abut_vec3 places[9] = { [6] = { 0, 0, 0 } };
    uint32_t hint = 0;
    for (int k = 0; k < 6; ++k) {
        const double sign = k % 2 ? -1 : 1;
        const double *up = s->base.r.m[k / 2];
        places[k] = abut_mul(
            &s->base.r, abut_core_support(core, abut_v3(sign * up[0], sign * up[1], sign * up[2]), &hint));
        places[6] = abut_madd(places[6], 1.0 / 6, places[k]);
    }
    places[7] = s->doubts > 0 ? abut_scale(1.0 / s->doubts, s->doubtful) : places[6];
    places[8] = abut_scale(0.5, abut_add(places[6], places[7]));
    for (int k = 8; k >= 0 && !s->is_inside; --k) {
        s->inside = places[k];
        s->is_inside = abut_is_finite3(places[k]) && holds_ball(s, places[k], radius);
    }
    return s->is_inside;
}
