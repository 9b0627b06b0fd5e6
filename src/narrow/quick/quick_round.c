/* SPDX-License-Identifier: MIT */
/* Whether cylinders and cones meet, in plain doubles with error bounds known beforehand
 * (docs/notes/closed-forms.md). Where its bounds do not decide, it answers nothing.
 *
 * Bodies of revolution need no frames: their supports along n follow from n and their axes.
 * First balls, the least around each and the largest inside. Then along the line of the centres
 * inside: the separation there, and where that line leaves each body; if the two stretches meet
 * the bodies do. Then the direction is turned away from the point of the difference that spoilt
 * it, as K. Chung and W. Wang do it (Quick collision detection of polytopes in virtual
 * environments, VRST 1996), but not quite as far as its mirror image, which parts more pairs,
 * and from the point between both stretches a few moves lead into both bodies. Both bodies go
 * side by side. */
#include "narrow/quick/quick.h"

#ifdef __SSE2__
#include <emmintrin.h>
#endif

static const double u = 0x1p-53;

enum { TURNS = 2, MOVES = 3 };

typedef double both __attribute__((vector_size(16)));
typedef long long mask __attribute__((vector_size(16)));

typedef struct both3 {
    both x, y, z;
} both3;

typedef struct bodies {
    abut_vec3 d; /* from a to b */
    both3 axis;
    both h, r, top;
    double limit, error;
} bodies;

/* What a direction, from a to b, meets: height and length across of a unit of it in the axes of
 * both. */
typedef struct along {
    both3 across;
    both height, across_length;
} along;

ABUT_ALWAYS_INLINE both dot(const both3 *a, const both3 *b)
{
    return a->x * b->x + a->y * b->y + a->z * b->z;
}

ABUT_ALWAYS_INLINE both choose(mask which, both a, both b)
{
    return (both)((which & (mask)a) | (~which & (mask)b));
}

ABUT_ALWAYS_INLINE both larger(both a, both b)
{
    return choose(a > b, a, b);
}

ABUT_ALWAYS_INLINE both roots(both x)
{
#ifdef __SSE2__
    return _mm_sqrt_pd(x);
#else
    return (both){ sqrt(x[0]), sqrt(x[1]) };
#endif
}

/* A direction for a, and its opposite for b. */
ABUT_ALWAYS_INLINE void evaluate(const bodies *o, abut_vec3 n, along *out)
{
    const both3 v = { { n.x, -n.x }, { n.y, -n.y }, { n.z, -n.z } };
    const both z = dot(&v, &o->axis);
    out->height = z;
    out->across = (both3){ v.x - z * o->axis.x, v.y - z * o->axis.y, v.z - z * o->axis.z };
    const both square = dot(&out->across, &out->across);
    out->across_length = roots(square);
}

/* The separation along n times |n|. */
ABUT_ALWAYS_INLINE double separation(const bodies *o, abut_vec3 n, const along *v)
{
    const both up = o->h * v->height,
               support = larger(up + o->top * v->across_length, o->r * v->across_length - up);
    return abut_dot(n, o->d) - (support[0] + support[1]);
}

/* Is it more than the limit? Height and length across are off by 13 u and 29 u of |n|, a support
 * by 36 u of |n| and the size, n . d by 4 u; D <= reach here: below 44 u of |n| and the reach. */
ABUT_ALWAYS_INLINE bool parts(const bodies *o, double separation, double square)
{
    const double more = o->limit + o->error;
    return separation > 0 && square > 0x1p-600 &&
           separation * separation > more * more * square * (1 + 0x1p-49);
}

/* The point of the difference that is least along n. */
ABUT_ALWAYS_INLINE abut_vec3 lowest(const bodies *o, const along *v)
{
    const both up = o->h * v->height;
    const mask above = up + o->top * v->across_length > o->r * v->across_length - up;
    const both tiny = { 0x1p-1000, 0x1p-1000 };
    const both height = choose(above, o->h, -o->h),
               s = choose(above, o->top, o->r) / larger(v->across_length, tiny);
    const both x = height * o->axis.x + s * v->across.x, y = height * o->axis.y + s * v->across.y,
               z = height * o->axis.z + s * v->across.z;
    return abut_v3(o->d.x + (x[1] - x[0]), o->d.y + (y[1] - y[0]), o->d.z + (z[1] - z[0]));
}

/* Along the way from one centre inside to the other, a is left after 1 / g[0] of it, and b, from
 * its own end, after 1 / g[1]. */
ABUT_ALWAYS_INLINE both leave(const abut_core_round *a, const abut_core_round *b, const along *v)
{
    const both cosine = { a->cosine, b->cosine }, sine = { a->sine, b->sine },
               to_side = { a->to_side, b->to_side }, to_base = { a->to_base, b->to_base },
               to_top = { a->to_top, b->to_top };
    return larger((v->across_length * cosine + v->height * sine) * to_side,
                  larger(-v->height * to_base, v->height * to_top));
}

/* The point between, with shares of the way as these have, is as deep in either body as 1 - g[0]
 * g[1] / (g[0] + g[1]) of its ball. Errors: the way by 16 u of the reach, its height and length
 * across, at most twice the reach, as above: g is off by 110 u of the reach over the ball's
 * radius. */
ABUT_ALWAYS_INLINE bool meet(const abut_core_round *a, const abut_core_round *b, both g, double error)
{
    const double least = a->in_radius < b->in_radius ? a->in_radius : b->in_radius;
    const double sum = g[0] + g[1], rest = sum - g[0] * g[1];
    return rest * least > 8 * error * sum;
}

/* From that point to one of both bodies: it moves against the normals of the faces, side or cap,
 * that it is furthest outside of, as far as would be enough if these were planes, and a little
 * more. Inside both it is by cosine (p - r) + sine (z + h) and |z| - h, where p and z are off by
 * 29 u and 13 u of its distance from the centre, which is then no more than the size, and by 2 u
 * D for d: below 60 u of the reach, 128 is used. */
static bool meet_near(const bodies *o, const abut_core_round *a, const abut_core_round *b, abut_vec3 p)
{
    const both cosine = { a->cosine, b->cosine }, sine = { a->sine, b->sine },
               tiny = { 0x1p-1000, 0x1p-1000 };
    const double more = 0.02 * (a->in_radius < b->in_radius ? a->in_radius : b->in_radius);
    for (int i = 0;; ++i) {
        const both3 v = { { p.x, p.x - o->d.x }, { p.y, p.y - o->d.y }, { p.z, p.z - o->d.z } };
        const both z = dot(&v, &o->axis);
        const both3 q = { v.x - z * o->axis.x, v.y - z * o->axis.y, v.z - z * o->axis.z };
        const both flat = roots(dot(&q, &q)), side = cosine * (flat - o->r) + sine * (z + o->h),
                   cap = larger(z, -z) - o->h, outside = larger(side, cap);
        if (outside[0] < -2 * o->error && outside[1] < -2 * o->error)
            return true;
        if (i == MOVES)
            return false;
        const mask beside = side > cap;
        const both out = choose(beside, cosine / larger(flat, tiny), tiny),
                   up = choose(beside, sine, (both){ copysign(1, z[0]), copysign(1, z[1]) });
        const both nx = out * q.x + up * o->axis.x, ny = out * q.y + up * o->axis.y,
                   nz = out * q.z + up * o->axis.z;
        const double c = nx[0] * nx[1] + ny[0] * ny[1] + nz[0] * nz[1], det = 1 - c * c,
                     far_a = outside[0] + more, far_b = outside[1] + more;
        double by_a = (far_a - c * far_b) / det, by_b = (far_b - c * far_a) / det;
        if (!(by_b > 0 && det > 0x1p-10)) {
            by_b = 0;
            by_a = far_a;
        }
        if (!(by_a > 0)) {
            by_a = 0;
            by_b = far_b;
        }
        p = abut_v3(p.x - (by_a * nx[0] + by_b * nx[1]), p.y - (by_a * ny[0] + by_b * ny[1]),
                    p.z - (by_a * nz[0] + by_b * nz[1]));
    }
}

abut_verdict abut_quick_overlap_round(const abut_shape *shape_a, const abut_pose *at_a,
                                      const abut_shape *shape_b, const abut_pose *at_b, double clearance,
                                      abut_cache *cache)
{
    (void)cache;
    const abut_core *a = &shape_a->core, *b = &shape_b->core;
    const abut_quat p = at_a->rotation, q = at_b->rotation;
    const both w = { p.w, q.w }, x = { p.x, q.x }, y = { p.y, q.y }, z = { p.z, q.z };
    const both ww = w * w, xx = x * x, yy = y * y, zz = z * z, norm = (ww + xx) + (yy + zz);
    const abut_vec3 d = abut_sub(at_b->position, at_a->position);
    const double square = abut_dot(d, d), limit = a->radius + b->radius + clearance,
                 reach = a->size + b->size + limit, inner = a->inner + b->inner + limit;
    if (!(abut_quick_norm_is_usual(norm[0]) && abut_quick_norm_is_usual(norm[1]) && square <= 0x1p280 &&
          reach >= 0x1p-140 && reach <= 0x1p140))
        return ABUT_UNDECIDED;
    if (square > reach * reach * (1 + 0x1p-48))
        return ABUT_SEPARATE;
    if (square < inner * inner * (1 - 0x1p-48))
        return ABUT_PENETRATING;
    const both one = { 1, 1 }, over = one / norm, twice = over + over;
    const bodies o = { d,
                       { (x * z + w * y) * twice, (y * z - w * x) * twice, ((ww + zz) - (xx + yy)) * over },
                       { a->h[2], b->h[2] },
                       { a->h[0], b->h[0] },
                       { a->round.top, b->round.top },
                       limit,
                       64 * u * reach };
    const both3 *e = &o.axis;
    /* Centres on the axes: off by 3 u D and 13 u of the sizes. */
    const abut_core_round *ra = &a->round, *rb = &b->round;
    const abut_vec3 out = abut_v3(d.x + (rb->out_at * e->x[1] - ra->out_at * e->x[0]),
                                  d.y + (rb->out_at * e->y[1] - ra->out_at * e->y[0]),
                                  d.z + (rb->out_at * e->z[1] - ra->out_at * e->z[0]));
    const abut_vec3 in = abut_v3(d.x + (rb->in_at * e->x[1] - ra->in_at * e->x[0]),
                                 d.y + (rb->in_at * e->y[1] - ra->in_at * e->y[0]),
                                 d.z + (rb->in_at * e->z[1] - ra->in_at * e->z[0]));
    const double around = ra->out_radius + rb->out_radius + limit + o.error,
                 inside = ra->in_radius + rb->in_radius + limit - o.error;
    if (abut_dot(out, out) > around * around * (1 + 0x1p-48))
        return ABUT_SEPARATE;
    if (inside > 0 && abut_dot(in, in) < inside * inside * (1 - 0x1p-48))
        return ABUT_PENETRATING;
    abut_vec3 n = in;
    both g = one;
    for (int turn = 0;; ++turn) {
        along v;
        evaluate(&o, n, &v);
        const double apart = separation(&o, n, &v);
        if (parts(&o, apart, abut_dot(n, n)))
            return ABUT_SEPARATE;
        if (turn == 0) {
            g = leave(ra, rb, &v);
            if (meet(ra, rb, g, o.error))
                return ABUT_PENETRATING;
        } else if (turn == 1) {
            const double share = g[1] / (g[0] + g[1]);
            if (meet_near(&o, ra, rb,
                          abut_v3(ra->in_at * e->x[0] + share * in.x, ra->in_at * e->y[0] + share * in.y,
                                  ra->in_at * e->z[0] + share * in.z)))
                return ABUT_PENETRATING;
        }
        if (turn == TURNS)
            return ABUT_UNDECIDED;
        const abut_vec3 low = lowest(&o, &v);
        n = abut_madd(n, -1.4 * apart / abut_dot(low, low), low);
    }
}
