/* SPDX-License-Identifier: MIT */
/* Overlaps by two balls; see common_ball.h, docs/notes/advancement.md. */
#include "ccd/proof/common_ball.h"

static const double u = 0x1p-53;

enum { STEPS = 32 };

/* How far p is below the planes of all faces, each seen from its nearest corner: what a normal is
 * off by counts by the distance of that only, which the far end of a long hull would spoil. The
 * differences are right to u of themselves, the normals to about 1e-14 (as its creator's tests
 * tell). */
static double depth_in_hull(const abut_core *core, abut_vec3 p)
{
    const abut_hull *hull = core->hull;
    if (hull->dimension < 3 || hull->face_count < 4)
        return -INFINITY;
    double least = INFINITY;
    for (uint32_t i = 0; i < hull->face_count; ++i) {
        double nearest = INFINITY;
        abut_vec3 to = { 0, 0, 0 };
        for (uint32_t k = hull->face_begin[i]; k < hull->face_begin[i + 1]; ++k) {
            const abut_vec3 d = abut_sub(abut_core_vertex(core, hull->face_corners[k]), p);
            const double square = abut_dot(d, d);
            if (square < nearest) {
                nearest = square;
                to = d;
            }
        }
        const double depth = abut_dot(hull->face_normal[i], to) - 1e-13 * sqrt(nearest) - 0x1p-500;
        if (!(depth >= least))
            least = depth;
    }
    return least;
}

/* What the excess is rounded by, in units of 32 u. Lengths of a core enter by differences only,
 * which are right to u of themselves: but for the radius of a cone, and the least semi-axis that
 * the excess of an ellipsoid is a part of. So the length of a long body does not count. */
static double rounding_scale(const abut_core *core)
{
    const double *h = core->h;
    switch (core->kind) {
    case ABUT_CORE_CONE: return h[0];
    case ABUT_CORE_ELLIPSOID: return fmin(h[0], fmin(h[1], h[2]));
    default: return 0;
    }
}

/* Certified: a ball of this radius about p lies in the body; none where it is not positive. The
 * excess changes by 1 per unit at most, and is not positive inside only; outside of points,
 * segments, boxes, cylinders and cones it is the distance. */
static double radius_at(const abut_core *core, abut_vec3 p)
{
    const bool is_hull = core->kind == ABUT_CORE_HULL;
    const double inside = is_hull ? depth_in_hull(core, p) : -abut_core_excess(core, p);
    if ((is_hull || core->kind == ABUT_CORE_ELLIPSOID) && !(inside > 0))
        return inside;
    return core->radius + inside -
           32 * u * (core->radius + fabs(inside) + abut_length(p) + rounding_scale(core));
}

/* ---- a point deep in both: steers ---- */

typedef struct depths {
    const abut_core *core[2];
    const abut_stance *at[2];
} depths;

static double depth_in(const depths *d, int k, abut_vec3 p)
{
    return radius_at(d->core[k], abut_mul_t(&d->at[k]->r, abut_sub(p, d->at[k]->c)));
}

/* The lesser of the depths in both bodies, which is concave, and in which it is. */
static double least_depth(const depths *d, abut_vec3 p, int *in)
{
    const double a = depth_in(d, 0, p), b = depth_in(d, 1, p);
    *in = b < a;
    return b < a ? b : a;
}

static abut_vec3 slope_of(const depths *d, int k, abut_vec3 p, double value, double h)
{
    return abut_scale(1 / h, abut_v3(depth_in(d, k, abut_v3(p.x + h, p.y, p.z)) - value,
                                     depth_in(d, k, abut_v3(p.x, p.y + h, p.z)) - value,
                                     depth_in(d, k, abut_v3(p.x, p.y, p.z + h)) - value));
}

/* Subgradient steps towards a level above the best so far, and above 0; a level that is not come closer to is
 * too high. A ball in both bodies is no larger than half the depth of their overlap. */
static abut_vec3 go_deeper(const depths *d, abut_vec3 p, double margin)
{
    int in;
    double value = least_depth(d, p, &in), best = value, rise = 0.5 * margin;
    abut_vec3 deepest = p;
    for (int i = 0, since = 0; i < STEPS; ++i) {
        const abut_vec3 g = slope_of(d, in, p, value, 0x1p-10 * margin);
        const double square = abut_dot(g, g);
        if (!(square > 0x1p-20) || !isfinite(square))
            break;
        p = abut_madd(p, (fmax(best, 0) + rise - value) / square, g);
        value = least_depth(d, p, &in);
        since = value > best + 0.125 * rise ? 0 : since + 1;
        if (value > best) {
            best = value;
            deepest = p;
        }
        if (since == 3) {
            rise *= 0.5;
            since = 0;
        }
    }
    return deepest;
}

/* ---- the proof ---- */

/* Bounds how fast the centres move relative to each other at the instant, but for what the rates
 * are off by over the reach. */
static double speed_of(const abut_common_ball *ball, const abut_instant *at)
{
    const abut_stance *a = &at->at_a, *b = &at->at_b;
    const double far_a = abut_length(ball->a), far_b = abut_length(ball->b);
    const abut_vec3 va = abut_add(a->v, abut_mul(&a->dr, ball->a)),
                    vb = abut_add(b->v, abut_mul(&b->dr, ball->b));
    return (abut_length(abut_sub(vb, va)) + a->shift_rate + b->shift_rate + far_a * a->turn_rate +
            far_b * b->turn_rate) *
               (1 + 32 * u) +
           32 * u * (abut_length(a->v) + abut_length(b->v) + far_a * a->speed + far_b * b->speed);
}

static double overlap_of(const abut_scene_pair *pair, const abut_instant *at, const abut_common_ball *ball)
{
    const abut_stance *a = &at->at_a, *b = &at->at_b;
    const double radius_a = radius_at(pair->a, ball->a), radius_b = radius_at(pair->b, ball->b);
    if (!(radius_a > 0) || !(radius_b > 0))
        return 0;
    const double far_a = abut_length(ball->a), far_b = abut_length(ball->b);
    const abut_vec3 x = abut_add(a->c, abut_mul(&a->r, ball->a)),
                    y = abut_add(b->c, abut_mul(&b->r, ball->b));
    /* Of the errors twice as much: those of a body that turns about its own axis are others at
     * other times. */
    const double error = 2 * (a->shift + b->shift + far_a * a->turn + far_b * b->turn) +
                         32 * u * (abut_length(a->c) + abut_length(b->c) + far_a + far_b);
    return (radius_a + radius_b) * (1 - 8 * u) - (abut_length(abut_sub(y, x)) + error) * (1 + 8 * u);
}

static void place(const abut_instant *at, abut_vec3 p, abut_common_ball *out)
{
    out->a = abut_mul_t(&at->at_a.r, abut_sub(p, at->at_a.c));
    out->b = abut_mul_t(&at->at_b.r, abut_sub(p, at->at_b.c));
}

bool abut_common_ball_find(const abut_scene_pair *pair, const abut_instant *at, double speed,
                           abut_common_ball *out)
{
    if (!at->has_middle || !(at->margin > 0) || pair->flat || pair->a->kind == ABUT_CORE_USER ||
        pair->b->kind == ABUT_CORE_USER)
        return false;
    place(at, at->middle, out);
    if (!(4 * speed_of(out, at) < speed))
        return false;
    const depths d = { { pair->a, pair->b }, { &at->at_a, &at->at_b } };
    place(at, go_deeper(&d, at->middle, at->margin), out);
    out->overlap = overlap_of(pair, at, out);
    return out->overlap > 0;
}

/* Within s the centres come apart by no more than s speed + s^2 bend / 2. */
double abut_common_ball_lasts(const abut_common_ball *ball, const abut_instant *at, double reach)
{
    const double far_a = abut_length(ball->a), far_b = abut_length(ball->b), speed = speed_of(ball, at);
    const double bend = (at->at_a.bend * far_a + at->at_b.bend * far_b) * (1 + 16 * u);
    const double sum = speed + sqrt(speed * speed + 2 * bend * ball->overlap);
    const double s = sum > 0 ? 2 * ball->overlap / sum * (1 - 32 * u) : reach;
    return !isfinite(sum) ? 0 : s < reach ? s : reach;
}
