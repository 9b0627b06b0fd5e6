/* SPDX-License-Identifier: MIT */
/* Two height fields. What is below them has no end; the search (search.c) sees walls that end below what
 * it is told of the other field.
 *
 * Where both stand along one axis of the world, what is further down than the lowest vertex of the other
 * is no nearer. Where one leans, take points a - s p and b - u q, s, u > 0 below the surfaces, with up
 * directions p and q at the angle w: |s p - u q| >= sin(w) max(s, u), so that they are further apart than
 * sin(w) max(s, u) - R, where R bounds |a - b|, hence also the distance of the fields. So what is more
 * than 2 R / sin(w) below the surface is not nearest, and holds no point in common.
 *
 * Where the angle is too small for that, they are apart where a plane parts them: all of the first is on
 * its side of the plane across w if its vertices are and w . p > 0, and all of the second if its vertices
 * are and w . q < 0. */
#include "math/vec3.h"
#include "narrow/cover/cover.h"
#include "shape/heightfield.h"

static bool is_zero(abut_interval x)
{
    return x.lo == 0 && x.hi == 0;
}

static bool fields_stand(const abut_pair *pair)
{
    const abut_place *a = pair->at_a, *b = pair->at_b;
    const abut_interval_mat3 *m = &a->enclosure.linear, *n = &b->enclosure.linear;
    return (a->axis[2] >= 0 && a->axis[2] == b->axis[2]) ||
           (is_zero(m->m[0][2]) && is_zero(m->m[1][2]) && is_zero(n->m[0][2]) && is_zero(n->m[1][2]));
}

/* Around the origin and all vertices. */
static double radius_of(const abut_shape *field)
{
    const abut_range z = field->u.heightfield.pyramid->whole;
    const abut_aabb b = field->bounds;
    return abut_length(abut_v3(fmax(fabs(b.lo.x), fabs(b.hi.x)), fmax(fabs(b.lo.y), fabs(b.hi.y)),
                               fmax(fabs(z.lo), fabs(z.hi))));
}

/* Of a sine that doubles know to many digits. */
static double sine(const abut_affine *map)
{
    const double s = hypot(map->linear.m[0][2], map->linear.m[1][2]);
    return s > 1e-6 ? s : 0;
}

double abut_cover_fields_reach(const abut_shape *a, const abut_shape *b, const abut_affine *map)
{
    const double s = sine(map);
    const double far = abut_length(map->translation) + radius_of(a) + radius_of(b);
    return s > 0 ? 4 * far / s : 0; /* twice what is needed, for rounding */
}

bool abut_cover_fields_seen(const abut_pair *pair, const abut_affine *map)
{
    return sine(map) > 0 || fields_stand(pair);
}

/* The largest coordinate of the vertices along w, in the common frame. */
static double furthest(const abut_cover_body *body, abut_vec3 w)
{
    const abut_heightfield_data *h = &body->shape->u.heightfield;
    double most = -INFINITY;
    for (size_t j = 0; j < h->rows; ++j)
        for (size_t i = 0; i < h->columns; ++i) {
            const abut_vec3 p = { 0.5 * (2 * (double)i - (double)h->columns + 1) * h->dx,
                                  0.5 * (2 * (double)j - (double)h->rows + 1) * h->dy,
                                  abut_heightfield_height(h, i, j) };
            most = fmax(most, abut_dot(w, body->moved ? abut_affine_apply(&body->map, p) : p));
        }
    return most;
}

static abut_vec3 up_of(const abut_cover_body *body)
{
    return body->moved ? abut_v3(body->map.linear.m[0][2], body->map.linear.m[1][2], body->map.linear.m[2][2])
                       : abut_v3(0, 0, 1);
}

double abut_cover_fields_parted(const abut_cover_body body[2], abut_vec3 way, double slack)
{
    /* Directions of a unit's length are known as well as that. */
    const double sure = 1e-9;
    const abut_vec3 p = up_of(&body[0]), q = up_of(&body[1]), none = { 0, 0, 0 };
    const abut_vec3 tried[4] = { abut_unit_or(way, p), p, abut_scale(-1, q),
                                 abut_unit_or(abut_sub(p, q), p) };
    double best = 0;
    for (int i = 0; i < 4; ++i) {
        const abut_vec3 w = tried[i];
        if (abut_dot(w, p) > sure && abut_dot(w, q) < -sure)
            best = fmax(best, -furthest(&body[1], abut_sub(none, w)) - furthest(&body[0], w) - 4 * slack);
    }
    return best;
}
