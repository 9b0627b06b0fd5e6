/* SPDX-License-Identifier: MIT */
/* Cylinders and cones as support functions: the step of Newton's method that knows their edges.
 *
 * For a direction n let `along` be its part along the axis and `flat` the length of the rest. The
 * support function of both is
 *     S = mean + |diff| / 2:    cylinder  mean = r flat,      diff = 2 h along                 (of
 *       two equal rims)
 *                               cone      mean = r flat / 2,  diff = 2 h along - r flat        (of
 *                                 apex and rim).
 * diff = 0 is where the side or the slant lies on the plane. So what is to be maximised, n . t -
 * S_a - S_b, is smooth but for two kinks whose places are known: about n, over n + T d, it is to
 * second order
 *     G . d - d . M d / 2 - |alpha + A . d| / 2 - |beta + B . d| / 2.
 * |x| is the largest of sigma x for sigma between -1 and 1, so that the maximum is d = M^-1 (G -
 * (sigma_a A + sigma_b B) / 2) with the two sigma from a quadratic program in a square. M has the
 * curvature r / flat along the tangent of the rim, for cones times (1 - sigma) / 2: the rim's share
 * of the line between rim and apex.
 *
 * b is seen as minus its points from its centre: its direction is n too. Everything in a's
 * frame; all of it steers only. */
#ifndef ABUT_NARROW_DISTANCE_CYLINDERS_H
#define ABUT_NARROW_DISTANCE_CYLINDERS_H

#include "narrow/distance/convex.h"

typedef struct abut_cylinders_body {
    abut_vec3 axis; /* unit; of b: minus its own */
    double r, h;
    double mean, apex; /* r and 0 for cylinders, r / 2 and r for cones */
} abut_cylinders_body;

/* A body seen along n, not nearly along its axis. */
typedef struct abut_cylinders_view {
    double flat, per_flat, diff, support; /* per_flat: 1 / flat */
    abut_vec3 u;                          /* unit, across the axis */
} abut_cylinders_view;

static inline bool abut_cylinders_knows(const abut_convex_pair *pair)
{
    const int a = pair->a->kind, b = pair->b->kind;
    return (a == ABUT_CORE_CYLINDER || a == ABUT_CORE_CONE) &&
           (b == ABUT_CORE_CYLINDER || b == ABUT_CORE_CONE);
}

static inline void abut_cylinders_begin(const abut_convex_pair *pair, abut_cylinders_body body[2])
{
    const double(*m)[3] = pair->r.m;
    const abut_vec3 axis[2] = { { 0, 0, 1 }, { -m[0][2], -m[1][2], -m[2][2] } };
    for (int i = 0; i < 2; ++i) {
        const abut_core *core = i ? pair->b : pair->a;
        const bool cone = core->kind == ABUT_CORE_CONE;
        body[i] = (abut_cylinders_body){ axis[i], core->h[0], core->h[2],
                                         cone ? 0.5 * core->h[0] : core->h[0], cone ? core->h[0] : 0 };
    }
}

static inline __attribute__((always_inline)) double abut_cylinders_evaluate(const abut_cylinders_body *b,
                                                                            abut_vec3 n,
                                                                            abut_cylinders_view *out)
{
    const double along = abut_dot(n, b->axis);
    const abut_vec3 p = abut_madd(n, -along, b->axis);
    const double square = abut_dot(p, p);
    out->flat = sqrt(square);
    out->per_flat = square > 0 ? 1 / out->flat : 0;
    out->u = abut_scale(out->per_flat, p);
    out->diff = 2 * b->h * along - b->apex * out->flat;
    out->support = b->mean * out->flat + 0.5 * fabs(out->diff);
    return out->support;
}

/* The point with the share sigma: 1 and -1 for the two ends of the line, of cones 1 for the
 * apex. */
static inline abut_vec3 abut_cylinders_point(const abut_cylinders_body *b, const abut_cylinders_view *v,
                                             double sigma)
{
    return abut_madd(abut_scale(b->mean - 0.5 * sigma * b->apex, v->u), sigma * b->h, b->axis);
}

typedef struct abut_cylinders_step {
    double d[2], sigma[2];
    double diff[2]; /* what it makes of those of the bodies */
    double gain;    /* promised */
} abut_cylinders_step;

static inline double abut_cylinders_clamp(double x)
{
    return x < -1 ? -1 : x > 1 ? 1 : x;
}

/* The least of (aa x^2 + 2 ab x y + bb y^2) / 2 - p x - q y over the square; x, y on entry a
 * guess of its corner. */
static inline void abut_cylinders_square(double aa, double ab, double bb, double p, double q, double s[2])
{
    if (s[0] * (aa * s[0] + ab * s[1] - p) <= 0 && s[1] * (ab * s[0] + bb * s[1] - q) <= 0)
        return;
    const double det = aa * bb - ab * ab;
    if (det > 0x1p-40 * aa * bb) {
        s[0] = (bb * p - ab * q) / det;
        s[1] = (aa * q - ab * p) / det;
        if (fabs(s[0]) <= 1 && fabs(s[1]) <= 1)
            return;
    }
    s[0] = abut_cylinders_clamp(s[0]);
    s[1] = abut_cylinders_clamp(s[1]);
    const double per_a = aa > 0 ? 1 / aa : 0, per_b = bb > 0 ? 1 / bb : 0;
    for (int i = 0; i < 4; ++i) {
        const double x = s[0], y = s[1];
        s[0] = abut_cylinders_clamp((p - ab * y) * per_a);
        s[1] = abut_cylinders_clamp((q - ab * s[0]) * per_b);
        if (s[0] == x && s[1] == y)
            return;
    }
    /* Kinks that are nearly parallel: the best of the edges. */
    double least = INFINITY;
    for (int i = 0; i < 4; ++i) {
        const double end = i & 1 ? -1 : 1, x = i < 2 ? end : abut_cylinders_clamp((p - ab * end) * per_a),
                     y = i < 2 ? abut_cylinders_clamp((q - ab * end) * per_b) : end;
        const double value = 0.5 * (aa * x * x + 2 * ab * x * y + bb * y * y) - p * x - q * y;
        if (value < least) {
            least = value;
            s[0] = x;
            s[1] = y;
        }
    }
}

/* The model about n, in the plane of e. */
typedef struct abut_cylinders_model {
    double g[2], m[3], det; /* m: 11, 12, 22; its determinant, without cancellation */
    double a[2][2];         /* gradients of diff */
    double bend[3], area;   /* the same as m and det without the shift */
} abut_cylinders_model;

static inline void abut_cylinders_shift(abut_cylinders_model *m, double shift)
{
    m->m[0] = m->bend[0] + shift;
    m->m[1] = m->bend[1];
    m->m[2] = m->bend[2] + shift;
    m->det = m->area + shift * (m->bend[0] + m->bend[2] + shift);
}

/* e: the plane, NULL for that of x and y. Its shift is still to be set. */
static inline __attribute__((always_inline)) void abut_cylinders_build(const abut_cylinders_body body[2],
                                                                       const abut_cylinders_view view[2],
                                                                       abut_vec3 t, const abut_vec3 *e,
                                                                       const double sigma[2],
                                                                       abut_cylinders_model *out)
{
    double g0 = e ? abut_dot(t, e[0]) : t.x, g1 = e ? abut_dot(t, e[1]) : t.y, m0 = 0, m1 = 0, m2 = 0;
    double rim[2][3]; /* its tangent and bend */
    for (int i = 0; i < 2; ++i) {
        const abut_cylinders_body *b = &body[i];
        const abut_cylinders_view *v = &view[i];
        const abut_vec3 tau = abut_cross(b->axis, v->u);
        const double u0 = e ? abut_dot(v->u, e[0]) : v->u.x, u1 = e ? abut_dot(v->u, e[1]) : v->u.y;
        const double t0 = e ? abut_dot(tau, e[0]) : tau.x, t1 = e ? abut_dot(tau, e[1]) : tau.y;
        const double z0 = e ? abut_dot(b->axis, e[0]) : b->axis.x,
                     z1 = e ? abut_dot(b->axis, e[1]) : b->axis.y;
        out->a[i][0] = 2 * b->h * z0 - b->apex * u0;
        out->a[i][1] = 2 * b->h * z1 - b->apex * u1;
        g0 -= b->mean * u0;
        g1 -= b->mean * u1;
        const double bend = (b->mean - 0.5 * sigma[i] * b->apex) * v->per_flat;
        m0 += bend * t0 * t0;
        m1 += bend * t0 * t1;
        m2 += bend * t1 * t1;
        rim[i][0] = t0;
        rim[i][1] = t1;
        rim[i][2] = bend;
    }
    const double across = rim[0][0] * rim[1][1] - rim[0][1] * rim[1][0];
    out->g[0] = g0;
    out->g[1] = g1;
    out->bend[0] = m0;
    out->bend[1] = m1;
    out->bend[2] = m2;
    out->area = rim[0][2] * rim[1][2] * across * across;
}

/* On the kink of body i: the step stays on its line. False where there is no such line, or
 * nothing bends along it. */
static inline bool abut_cylinders_on_kink(const abut_cylinders_model *k, const double kink[2], int i,
                                          abut_cylinders_step *s)
{
    const double *a = k->a[i], *b = k->a[1 - i], so = 0.5 * s->sigma[1 - i];
    const double square = a[0] * a[0] + a[1] * a[1], back = -kink[i] / square;
    const double g0 = k->g[0] - so * b[0], g1 = k->g[1] - so * b[1];
    const double d0 = back * a[0], d1 = back * a[1];
    const double r0 = g0 - (k->m[0] * d0 + k->m[1] * d1), r1 = g1 - (k->m[1] * d0 + k->m[2] * d1);
    const double bend = a[1] * a[1] * k->m[0] - 2 * a[0] * a[1] * k->m[1] + a[0] * a[0] * k->m[2];
    if (!(square > 0 && bend > 0))
        return false;
    const double along = (a[0] * r1 - a[1] * r0) / bend;
    s->d[0] = d0 - along * a[1];
    s->d[1] = d1 + along * a[0];
    const double q0 = g0 - (k->m[0] * s->d[0] + k->m[1] * s->d[1]),
                 q1 = g1 - (k->m[1] * s->d[0] + k->m[2] * s->d[1]);
    s->sigma[i] = abut_cylinders_clamp(2 * (a[0] * q0 + a[1] * q1) / square);
    return true;
}

/* On both kinks. */
static inline bool abut_cylinders_on_kinks(const abut_cylinders_model *k, const double kink[2],
                                           abut_cylinders_step *s)
{
    const double *a = k->a[0], *b = k->a[1], det = a[0] * b[1] - a[1] * b[0];
    if (!(det * det > 0))
        return false;
    const double inverse = 1 / det;
    s->d[0] = inverse * (a[1] * kink[1] - b[1] * kink[0]);
    s->d[1] = inverse * (b[0] * kink[0] - a[0] * kink[1]);
    const double q0 = k->g[0] - (k->m[0] * s->d[0] + k->m[1] * s->d[1]),
                 q1 = k->g[1] - (k->m[1] * s->d[0] + k->m[2] * s->d[1]);
    s->sigma[0] = abut_cylinders_clamp(2 * inverse * (q0 * b[1] - q1 * b[0]));
    s->sigma[1] = abut_cylinders_clamp(2 * inverse * (a[0] * q1 - a[1] * q0));
    return true;
}

/* M^-1 (G - (sigma_a A + sigma_b B) / 2), the difference first: it is small where G is not, and
 * M nearly singular. */
static inline __attribute__((always_inline)) void abut_cylinders_top(const abut_cylinders_model *k,
                                                                     const double inverse[3],
                                                                     const double kink[2],
                                                                     abut_cylinders_step *s)
{
    const double *a = k->a[0], *b = k->a[1], sa = 0.5 * s->sigma[0], sb = 0.5 * s->sigma[1];
    const double g0 = k->g[0] - (sa * a[0] + sb * b[0]), g1 = k->g[1] - (sa * a[1] + sb * b[1]);
    s->d[0] = inverse[0] * g0 + inverse[1] * g1;
    s->d[1] = inverse[1] * g0 + inverse[2] * g1;
    s->diff[0] = kink[0] + a[0] * s->d[0] + a[1] * s->d[1];
    s->diff[1] = kink[1] + b[0] * s->d[0] + b[1] * s->d[1];
}

static inline double abut_cylinders_gain(const abut_cylinders_model *k, const double kink[2],
                                         const abut_cylinders_step *s)
{
    const double *m = k->m, d0 = s->d[0], d1 = s->d[1];
    return (k->g[0] * d0 + k->g[1] * d1) - 0.5 * (m[0] * d0 * d0 + 2 * m[1] * d0 * d1 + m[2] * d1 * d1) +
           0.5 * ((fabs(kink[0]) - fabs(s->diff[0])) + (fabs(kink[1]) - fabs(s->diff[1])));
}

/* Where the step to the top of the pieces that n is on crosses a kink: the quadratic program
 * says which kinks it ends on; then, since M may be nearly singular without them, it is found on
 * these. */
static inline __attribute__((always_inline)) void abut_cylinders_cross_kinks(const abut_cylinders_model *k,
                                                                             const double inverse[3],
                                                                             const double kink[2],
                                                                             abut_cylinders_step *s)
{
    const double *a = k->a[0], *b = k->a[1];
    const double a0 = inverse[0] * a[0] + inverse[1] * a[1], a1 = inverse[1] * a[0] + inverse[2] * a[1];
    const double b0 = inverse[0] * b[0] + inverse[1] * b[1], b1 = inverse[1] * b[0] + inverse[2] * b[1];
    const double aa = 0.5 * (a[0] * a0 + a[1] * a1), ab = 0.5 * (a[0] * b0 + a[1] * b1),
                 bb = 0.5 * (b[0] * b0 + b[1] * b1);
    abut_cylinders_square(aa, ab, bb, s->diff[0] + aa * s->sigma[0] + ab * s->sigma[1],
                          s->diff[1] + ab * s->sigma[0] + bb * s->sigma[1], s->sigma);
    const bool on_a = fabs(s->sigma[0]) < 1, on_b = fabs(s->sigma[1]) < 1;
    const double sigma[2] = { s->sigma[0], s->sigma[1] };
    if ((on_a || on_b) &&
        (on_a && on_b ? abut_cylinders_on_kinks(k, kink, s) : abut_cylinders_on_kink(k, kink, on_b, s))) {
        s->diff[0] = kink[0] + a[0] * s->d[0] + a[1] * s->d[1];
        s->diff[1] = kink[1] + b[0] * s->d[0] + b[1] * s->d[1];
        if (!(on_a && on_b) || abut_cylinders_gain(k, kink, s) >= 0)
            return;
        s->sigma[0] = sigma[0]; /* kinks that are nearly parallel cross far away */
        s->sigma[1] = sigma[1];
    }
    abut_cylinders_top(k, inverse, kink, s);
}

/* The best step; kink: alpha and beta, m: M, or more where that is not positive, with its
 * determinant. False where M is not positive. */
static inline __attribute__((always_inline)) bool abut_cylinders_solve(const abut_cylinders_model *k,
                                                                       const double m[3], double det,
                                                                       const double kink[2],
                                                                       abut_cylinders_step *s)
{
    if (!(det > 0))
        return false;
    const double one = 1 / det, inverse[3] = { one * m[2], -one * m[1], one * m[0] };
    s->sigma[0] = kink[0] < 0 ? -1 : 1;
    s->sigma[1] = kink[1] < 0 ? -1 : 1;
    abut_cylinders_top(k, inverse, kink, s);
    if (!(s->sigma[0] * s->diff[0] >= 0 && s->sigma[1] * s->diff[1] >= 0))
        abut_cylinders_cross_kinks(k, inverse, kink, s);
    s->gain = abut_cylinders_gain(k, kink, s);
    return true;
}

/* The way in from a point of contact: away from all faces there by at least 1 for 1. */
typedef struct abut_cylinders_corner {
    abut_vec3 in, tangent;
    bool face, rim; /* n is the only normal; an edge along the tangent */
} abut_cylinders_corner;

/* Where to search for a point of both bodies, and how deep they must be in each other for it to be
 * 1 deep in each. */
typedef struct abut_cylinders_common {
    abut_cylinders_corner at[2];
    abut_vec3 across; /* the product of the tangents of rims that cross */
    bool crossing;
    double needed;
} abut_cylinders_common;

/* curved_contact.c: for bodies that touch on the plane of unit n. cap: the body whose cap is on
 * it, or -1. */
void abut_cylinders_find_common(const abut_cylinders_body body[2], const abut_cylinders_view view[2],
                                const double sigma[2], int cap, abut_vec3 n, abut_cylinders_common *out);
/* A point that is as deep in both as can be, for x of a and y of b, the points of contact, y
 * beyond x against n. */
abut_vec3 abut_cylinders_place_common(const abut_cylinders_common *c, abut_vec3 n, abut_vec3 x, abut_vec3 y);

/* curved_axis.c: for a rim of radius r near its axis, n = axis + p: the top of q . p - p . N p /
 * 2 - r |p|, N = soft + bend along the unit vector `along`; at most 1 long. */
abut_vec3 abut_cylinders_about_axis(abut_vec3 q, double soft, double bend, abut_vec3 along, double r);

/* The same where p is on a line that is `from` away from the axis: how far along it from the
 * foot. c, n: q and N along it. */
double abut_cylinders_on_line(double c, double n, double r, double from);

/* curved_walk.c: from *n, of any length, to where the bodies, apart, are nearest: *n, the shares
 * there, true. Otherwise *n is the best direction found. Of any length both times. Adds to
 * *evaluations. Steers. */
bool abut_cylinders_walk(const abut_cylinders_body body[2], abut_vec3 t, double error, abut_vec3 *n,
                         double sigma[2], uint32_t *evaluations);

/* curved_contact.c: how the direction of the nearest points turns: its rate where it is n, while
 * b moves at v and turns at `spin`, all in a's frame. Steers. */
abut_vec3 abut_cylinders_turning(const abut_convex_pair *pair, abut_vec3 n, abut_vec3 v, abut_vec3 spin);

#endif
