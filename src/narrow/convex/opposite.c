/* SPDX-License-Identifier: MIT */
/* Witnesses of a depth: points of both cores that face each other along its normal.
 *
 * Solvers know the normal n, and points furthest along it. Where one body offers a face or a
 * line there, its point may be any of that, and not the one opposite the other's. But the depth
 * is where n is the direction from the origin to the nearest point of the border of K, the
 * difference of the cores: with b moved along n until the cores are apart, the nearest points
 * are the same two. So they are asked of the solvers of distances, which tell points of the
 * bodies whatever n is. */
#include "narrow/distance/convex.h"

/* Is there clearly only one point of it that is furthest along n, or against it, for an n that
 * may be off by 1e-4? */
static bool has_one_point(const abut_core *core, abut_vec3 n)
{
    const double *h = core->h, least = 1e-3, z = fabs(n.z), side = sqrt(n.x * n.x + n.y * n.y);
    switch (core->kind) {
    case ABUT_CORE_POINT:
    case ABUT_CORE_ELLIPSOID: return true;
    case ABUT_CORE_SEGMENT: return z > least;
    case ABUT_CORE_BOX: return fabs(n.x) > least && fabs(n.y) > least && z > least;
    case ABUT_CORE_CYLINDER: return z > least && side > least;
    case ABUT_CORE_CONE: return side > least && fabs(side * h[0] - z * 2 * h[2]) > least * core->size;
    default: return false;
    }
}

static abut_vec3 in_b(const abut_convex_pair *pair, abut_vec3 p)
{
    return abut_mul_t(&pair->r, abut_sub(p, pair->t));
}

/* A line on a side that lies over a cap may have its ends beyond it. */
static bool is_beside(const abut_core *core, abut_vec3 p)
{
    return (core->kind == ABUT_CORE_CYLINDER || core->kind == ABUT_CORE_CONE) &&
           abut_core_excess(core, p) > 1e-7 * core->size;
}

static double scale_of(const abut_convex_pair *pair)
{
    return pair->a->size + pair->b->size + pair->radii;
}

bool abut_convex_is_opposite(const abut_convex_pair *pair, const abut_convex_answer *answer)
{
    const double close = 1e-7 * scale_of(pair);
    const abut_vec3 n = answer->normal, v = abut_sub(answer->y, answer->x);
    const double along = abut_dot(v, n);
    const abut_vec3 across = abut_madd(v, -along, n);
    return fabs(along - answer->lo) <= close && abut_dot(across, across) <= close * close &&
           !is_beside(pair->a, answer->x) && !is_beside(pair->b, in_b(pair, answer->y));
}

/* Users' bodies tell no such thing: what is near their middle is the better guess. */
static double off_by(const abut_core *core, abut_vec3 p)
{
    return core->kind == ABUT_CORE_USER ? abut_length(p) : abut_core_excess(core, p);
}

/* x and what is opposite, if that is better than what there is. */
static void offer(const abut_convex_pair *pair, abut_vec3 x, double gap, double *least,
                  abut_convex_answer *answer)
{
    const abut_vec3 y = abut_madd(x, gap, answer->normal);
    /* The point opposite the only one is in both, also where that cannot be decided. */
    const abut_vec3 n = answer->normal;
    const bool trust_a = pair->a->kind == ABUT_CORE_USER && has_one_point(pair->b, abut_mul_t(&pair->r, n)),
               trust_b = pair->b->kind == ABUT_CORE_USER && has_one_point(pair->a, n);
    const double off = fmax(trust_a ? 0 : off_by(pair->a, x), trust_b ? 0 : off_by(pair->b, in_b(pair, y)));
    if (!(off < *least))
        return;
    *least = off;
    answer->x = x;
    answer->y = y;
}

/* By how much the points there are miss being opposite each other. */
static double miss(const abut_convex_answer *answer, double gap)
{
    const abut_vec3 v = abut_madd(abut_sub(answer->y, answer->x), -gap, answer->normal);
    return abut_length(v);
}

/* The points there are, which are the bodies' own, miss being opposite by no more than the
 * bounds say. Cores that are apart: |v| <= hi and n . v >= lo, so that |v - lo n|^2 <= hi^2 -
 * lo^2; cores that overlap: the points of the polytope on the ray along n are between -hi and
 * -lo apart. */
static bool is_as_known(const abut_convex_pair *pair, const abut_convex_answer *answer, double missed)
{
    const double lo = answer->lo, hi = answer->hi, close = 1e-7 * scale_of(pair);
    return isfinite(lo) && isfinite(hi) && missed * missed <= fabs((hi - lo) * (hi + lo)) + close * close;
}

/* Where no supports are left to ask for, and the points there are are not as near to being
 * opposite as the bounds say: opposite what a offers, what b does, or in the middle of the
 * region of contact; or those points, if they are nearly opposite, and more nearly so than any
 * of these is near both bodies. */
static void guess(const abut_convex_pair *pair, const abut_convex_point *p, double gap,
                  abut_convex_answer *answer)
{
    const abut_vec3 n = answer->normal, x = answer->x, y = answer->y;
    const double missed = miss(answer, gap);
    if (is_as_known(pair, answer, missed))
        return;
    double least = missed < 1e-4 * scale_of(pair) ? missed : INFINITY;
    answer->x = p->x;
    answer->y = p->y;
    abut_contact spread[ABUT_CHECK_CONTACTS];
    const int count = abut_convex_manifold(pair, answer, ABUT_CHECK_CONTACTS, spread);
    abut_vec3 middle = { 0, 0, 0 };
    for (int i = 0; i < count; ++i)
        middle = abut_madd(middle, 1.0 / count, spread[i].point);
    answer->x = x;
    answer->y = y;
    offer(pair, p->x, gap, &least, answer);
    offer(pair, abut_madd(p->y, -gap, n), gap, &least, answer);
    offer(pair, abut_madd(middle, 0.5 * (pair->b->radius - pair->a->radius - gap), n), gap, &least, answer);
}

void abut_convex_set_opposite(const abut_convex_pair *pair, abut_convex_answer *answer)
{
    const abut_vec3 n = answer->normal;
    if (!(fabs(abut_dot(n, n) - 1) < 1e-6))
        return;
    const double apart = 0.25 * (pair->a->size + pair->b->size);
    abut_convex_point p = { .a = 0 };
    abut_convex_support(pair, n, &p);
    const double gap = abut_dot(n, p.w), shift = apart - gap;
    if (++answer->supports + ABUT_SHARE_GJK > ABUT_SHARE_ALL) {
        guess(pair, &p, gap, answer);
        return;
    }
    abut_convex_pair moved = *pair;
    moved.t = abut_madd(pair->t, shift, n);
    moved.error += 0x1p-51 * fabs(shift);
    abut_convex_answer found;
    abut_simplex simplex = { .count = 0 };
    (void)abut_gjk_distance(&moved, INFINITY, &n, &simplex, &found);
    answer->supports += found.supports;
    if (!(found.lo > 0.5 * apart)) { /* n is not what it should be */
        guess(pair, &p, gap, answer);
        return;
    }
    answer->x = found.x;
    answer->y = abut_madd(found.y, -shift, n);
    /* Exactly opposite, where that takes them no further off than rounding does. */
    const abut_vec3 v = abut_sub(answer->y, answer->x), across = abut_madd(v, -abut_dot(v, n), n);
    if (abut_dot(across, across) <= 1e-20 * scale_of(pair) * scale_of(pair)) {
        answer->x = abut_madd(answer->x, 0.5, across);
        answer->y = abut_madd(answer->y, -0.5, across);
    }
}
