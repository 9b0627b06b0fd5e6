/* SPDX-License-Identifier: MIT */
/* Points of both bodies.
 *
 * In both interiors: the cheapest proof that they overlap, however little. A ball around the point,
 * large enough for all that is not known about the placement, must lie in each core.
 *
 * Rounding: the local coordinates are off by what pair->error covers; the tests below by at most 8
 * u of the size, a face of a hull by 64 u (its normal is right to about 1e-14, of which its
 * creator's tests tell).
 *
 * For users to examine, also where one has no interior: nothing about it is certified. */
#include "narrow/distance/convex.h"

static const double u = 0x1p-53;

static bool hull_holds(const abut_core *core, abut_vec3 p, double margin)
{
    const abut_hull *hull = core->hull;
    if (hull->dimension < 3 || hull->face_count < 4)
        return false;
    const double needed = margin + 1e-13 * core->size;
    for (uint32_t i = 0; i < hull->face_count; ++i) {
        const abut_vec3 corner = abut_core_vertex(core, hull->face_corners[hull->face_begin[i]]);
        if (!(abut_dot(hull->face_normal[i], abut_sub(corner, p)) > needed))
            return false;
    }
    return true;
}

/* Certified: the ball around p with that radius lies in the core. */
static bool holds(const abut_core *core, abut_vec3 p, double radius)
{
    const double *h = core->h, margin = radius + 16 * u * core->size;
    switch (core->kind) {
    case ABUT_CORE_BOX:
        return fabs(p.x) + margin < h[0] && fabs(p.y) + margin < h[1] && fabs(p.z) + margin < h[2];
    case ABUT_CORE_CYLINDER: return fabs(p.z) + margin < h[2] && sqrt(p.x * p.x + p.y * p.y) + margin < h[0];
    case ABUT_CORE_CONE: {
        const double slant = sqrt(h[0] * h[0] + 4 * h[2] * h[2]);
        const double inside = h[0] * (h[2] - p.z) - 2 * h[2] * sqrt(p.x * p.x + p.y * p.y);
        return p.z - margin > -h[2] && inside > slant * margin;
    }
    case ABUT_CORE_ELLIPSOID: {
        /* |D^-1 (p + v)| <= |D^-1 p| + |v| / (the smallest semi-axis) */
        const double x = p.x / h[0], y = p.y / h[1], z = p.z / h[2];
        double least = h[0] < h[1] ? h[0] : h[1];
        least = h[2] < least ? h[2] : least;
        return sqrt(x * x + y * y + z * z) * (1 + 8 * u) + margin / least < 1;
    }
    case ABUT_CORE_HULL: return hull_holds(core, p, margin);
    default: return false;
    }
}

bool abut_convex_common_point(const abut_convex_pair *pair, abut_vec3 p)
{
    return holds(pair->a, p, pair->error) &&
           holds(pair->b, abut_mul_t(&pair->r, abut_sub(p, pair->t)), pair->error);
}

/* ---- for users ---- */

/* May a search be begun, that takes so many? */
static bool has_supports(uint32_t spent, uint32_t share)
{
    return spent + share <= ABUT_SHARE_ALL;
}

/* As far as doubles tell: p, in the core's frame, is in the swept core. Where nobody can tell
 * any more, it is taken for that. */
static bool nearly_holds(const abut_core *core, abut_vec3 p, uint32_t *supports)
{
    const double close = 1e-11 * (core->size + core->radius);
    if (core->kind <= ABUT_CORE_CONE || (core->radius == 0 && core->kind == ABUT_CORE_ELLIPSOID))
        return abut_core_excess(core, p) <= core->radius + close;
    if (!has_supports(*supports, ABUT_SHARE_GJK))
        return true;
    abut_convex_answer answer;
    const abut_gjk_end end = abut_gjk_point(core, p, &answer);
    *supports += answer.supports;
    return end == ABUT_GJK_MEETING || answer.lo <= core->radius + close;
}

/* From a tetrahedron in K that holds the origin: the weights of its corners are volumes. */
static abut_vec3 weighed(const abut_simplex *simplex)
{
    double weight[4], sum = 0;
    for (int i = 0; i < 4; ++i) {
        const abut_vec3 p = simplex->p[(i + 1) & 3].w, q = simplex->p[(i + 2) & 3].w,
                        r = simplex->p[(i + 3) & 3].w;
        weight[i] = fabs(abut_dot(p, abut_cross(q, r)));
        sum += weight[i];
    }
    abut_vec3 x = { 0, 0, 0 };
    for (int i = 0; i < 4; ++i)
        x = abut_madd(x, sum > 0 ? weight[i] / sum : 0.25, simplex->p[i].x);
    return x;
}

/* By how much p is outside either body, where that is easily decided. */
static double outside_either(const abut_convex_pair *pair, abut_vec3 p)
{
    const abut_core *core[2] = { pair->a, pair->b };
    const abut_vec3 at[2] = { p, abut_mul_t(&pair->r, abut_sub(p, pair->t)) };
    double most = 0;
    for (int k = 0; k < 2; ++k)
        if (core[k]->kind <= ABUT_CORE_ELLIPSOID)
            most = fmax(most, abut_core_excess(core[k], at[k]) - core[k]->radius);
    return most;
}

static abut_vec3 find_crossing(const abut_convex_pair *pair, uint32_t *supports)
{
    abut_simplex simplex = { .count = 0 };
    abut_convex_answer answer;
    (void)abut_gjk_distance_within(pair, NULL, ABUT_SHARE_ALL - *supports, &simplex, &answer);
    *supports += answer.supports;
    if (simplex.count == 4) /* the origin is in it, proved or not */
        return weighed(&simplex);
    /* The cores are apart, at most by the radii: between their nearest points, in the middle of
     * what both balls hold. */
    const abut_vec3 way = abut_sub(answer.y, answer.x);
    const double d = abut_length(way);
    if (!(d > 0))
        return answer.x;
    return abut_madd(answer.x, 0.5 * (fmax(0, d - pair->b->radius) + fmin(pair->a->radius, d)) / d, way);
}

abut_vec3 abut_convex_crossing(const abut_convex_pair *pair, abut_vec3 guess, uint32_t *supports)
{
    const bool finite = abut_is_finite3(guess);
    if (finite && nearly_holds(pair->a, guess, supports) &&
        nearly_holds(pair->b, abut_mul_t(&pair->r, abut_sub(guess, pair->t)), supports))
        return guess;
    if (!has_supports(*supports, ABUT_SHARE_GJK / 4)) /* which mostly do */
        return guess;
    const abut_vec3 found = find_crossing(pair, supports);
    const double off = outside_either(pair, found),
                 close = 1e-9 * (pair->a->size + pair->b->size + pair->radii);
    return finite && off > close && outside_either(pair, guess) < off ? guess : found;
}
