/* SPDX-License-Identifier: MIT */
/* Rays against spheres, boxes, capsules, half-spaces, cylinders, cones and ellipsoids at the cost
 * of their arithmetic (quick_ray.h); line.c does what this leaves.
 *
 * Method: roots of the quadratic, quotients for planes, in plain doubles; then a proof after the
 * fact. Where the placement is exact, one Newton step with the residue in pairs of doubles makes
 * each root good to half an ulp, and Kantorovich's condition proves that there is one. An end so
 * found that lies inside its face by a margin is a point of the boundary, and two of them are all a
 * convex body has. A miss is proved by the discriminant, or by the body's sides being left before
 * its slab is entered. Under any other rotation, where hits are those of the rounded placement,
 * plain doubles do. Derivation: docs/notes/rays.md.
 *
 * Lengths are 2^-100 to 2^100 here, so that nothing overflows, and what underflows is far below
 * the margins. */
#include "narrow/ray/quick_ray.h"

#include "narrow/pair/exact.h"
#include "narrow/quick/quick.h"

/* Of what a sum is made of: far above its rounding errors, 8 u or so. */
static const double margin = 0x1p-46;

typedef struct ray {
    double o[3], ol[3], d[3]; /* in the shape's frame; ol: what was rounded off o */
    double reach;             /* |o| by the sum of coordinates */
    bool exact, upright, all;
    int axis[3];
    double sign[3]; /* of exact placements that are not upright */
    double m[3][3]; /* rotation, of others */
    abut_vec3 origin, direction;
    abut_ray_hit *hits;
    size_t capacity, count;
} ray;

ABUT_ALWAYS_INLINE double product_error(double a, double b, double p)
{
#if defined(__FMA__)
    return __builtin_fma(a, b, -p);
#else
    const double ca = 134217729.0 * a, ah = ca - (ca - a), al = a - ah;
    const double cb = 134217729.0 * b, bh = cb - (cb - b), bl = b - bh;
    return al * bl - (((p - ah * bh) - al * bh) - ah * bl);
#endif
}

ABUT_ALWAYS_INLINE double sum3(double x, double y, double z)
{
    return fabs(x) + fabs(y) + fabs(z);
}

ABUT_ALWAYS_INLINE bool usual(double length)
{
    return length >= 0x1p-100 && length <= 0x1p100;
}

/* ---- to the shape's frame and back ---- */

/* Axis i of the frame along an axis of the world: the rotation's entries are all 0 or n. */
static bool find_axes(ray *r, double m[3][3], double n)
{
    for (int i = 0; i < 3; ++i) {
        int count = 0;
        for (int j = 0; j < 3; ++j) {
            if (m[j][i] == 0)
                continue;
            if (fabs(m[j][i]) != n)
                return false;
            r->axis[i] = j;
            r->sign[i] = m[j][i] > 0 ? 1 : -1;
            ++count;
        }
        if (count != 1)
            return false;
    }
    return true;
}

ABUT_ALWAYS_INLINE bool place(ray *r, const abut_pose *pose, bool turns)
{
    abut_vec3 at = { 0, 0, 0 };
    r->exact = r->upright = true;
    double m[3][3], over = 1;
    if (pose) {
        const abut_quat q = pose->rotation;
        at = pose->position;
        if (!abut_quick_is_usable(q))
            return false;
        if (turns && !(q.x == 0 && q.y == 0 && q.z == 0)) {
            const double n = abut_quick_norm(q);
            if (!abut_quick_norm_is_usual(n))
                return false;
            abut_quick_matrix(q, m);
            r->upright = false;
            r->exact = !abut_quick_is_turned(q);
            if (r->exact && !find_axes(r, m, n))
                return false;
            over = 1 / n;
        }
    }
    const dd x = dd_two_sum(r->origin.x, -at.x), y = dd_two_sum(r->origin.y, -at.y),
             z = dd_two_sum(r->origin.z, -at.z);
    const double w[3] = { x.h, y.h, z.h }, wl[3] = { x.l, y.l, z.l };
    const double d[3] = { r->direction.x, r->direction.y, r->direction.z };
    if (r->upright) {
        for (int i = 0; i < 3; ++i) {
            r->o[i] = w[i];
            r->ol[i] = wl[i];
            r->d[i] = d[i];
        }
    } else if (r->exact) {
        for (int i = 0; i < 3; ++i) {
            r->o[i] = r->sign[i] * w[r->axis[i]];
            r->ol[i] = r->sign[i] * wl[r->axis[i]];
            r->d[i] = r->sign[i] * d[r->axis[i]];
        }
    } else {
        for (int i = 0; i < 3; ++i)
            for (int j = 0; j < 3; ++j)
                r->m[i][j] = m[i][j] * over;
        for (int i = 0; i < 3; ++i) {
            r->o[i] = r->m[0][i] * w[0] + r->m[1][i] * w[1] + r->m[2][i] * w[2];
            r->ol[i] = 0;
            r->d[i] = r->m[0][i] * d[0] + r->m[1][i] * d[1] + r->m[2][i] * d[2];
        }
    }
    r->reach = sum3(w[0], w[1], w[2]);
    return r->reach <= 0x1p100 && usual(sum3(d[0], d[1], d[2]));
}

/* Only for t != 0 of a proved sign. */
ABUT_ALWAYS_INLINE void emit(ray *r, double t, double x, double y, double z)
{
    if (!r->all && t < 0)
        return;
    if (r->count < r->capacity) {
        abut_vec3 n = { x, y, z };
        if (!r->upright) {
            const double v[3] = { x, y, z };
            double w[3];
            for (int i = 0; i < 3; ++i) {
                if (r->exact)
                    w[r->axis[i]] = r->sign[i] * v[i];
                else
                    w[i] = r->m[i][0] * x + r->m[i][1] * y + r->m[i][2] * z;
            }
            n = abut_v3(w[0], w[1], w[2]);
        }
        r->hits[r->count] = (abut_ray_hit){ .t = t,
                                            .point = abut_madd(r->origin, t, r->direction),
                                            .normal = abut_add(n, abut_v3(0, 0, 0)) }; /* no -0 */
    }
    ++r->count;
}

/* ---- quadratics ---- */

/* f(t) = sum of s_i v_i^2 - k^2 over i < n, v_i = a_i + t b_i in pairs of doubles, s = 1 but for
 * the last, `sigma`. n and sigma are constants where this is used. */
typedef struct quadric {
    double a[3], al[3], b[3], bl[3], k;
} quadric;

typedef struct roots {
    double a, b, c;
    double positive, negative; /* the discriminant is their difference */
    double moments, size;      /* sums of the moments, and of what they are made of */
    double t[2];               /* when it is positive; in order when a > 0 */
} roots;

ABUT_ALWAYS_INLINE roots solve(const quadric *q, int n, double sigma)
{
    roots r = { .c = -q->k * q->k };
    double asum = 0, bsum = 0;
    for (int i = 0; i < n; ++i) {
        const double s = i == 2 ? sigma : 1;
        r.a += s * (q->b[i] * q->b[i]);
        r.b += s * (q->a[i] * q->b[i]);
        r.c += s * (q->a[i] * q->a[i]);
        asum += fabs(q->a[i]);
        bsum += fabs(q->b[i]);
    }
    r.size = asum * bsum;
    r.positive = r.a * (q->k * q->k);
    for (int i = 0; i < n; ++i)
        for (int j = i + 1; j < n; ++j) {
            const double moment = q->a[i] * q->b[j] - q->a[j] * q->b[i];
            r.moments += fabs(moment);
            if (j == 2 && sigma < 0)
                r.positive += moment * moment;
            else
                r.negative += moment * moment;
        }
    const double root = sqrt(r.positive > r.negative ? r.positive - r.negative : 0);
    const double w = r.b > 0 ? -(r.b + root) : root - r.b;
    const double first = w / r.a, second = r.c / w;
    r.t[0] = r.b > 0 ? first : second;
    r.t[1] = r.b > 0 ? second : first;
    return r;
}

/* The discriminant is negative whatever was rounded: a moment is off by less than 8 u of its two
 * products, all of them together by e. */
ABUT_ALWAYS_INLINE bool misses(const roots *r)
{
    const double e = 0x1p-50 * r->size;
    return r->negative - r->positive >
           0x1p-47 * (r->negative + r->positive) + 2.5 * e * r->moments + 2 * e * e;
}

/* f and half its slope at t in plain doubles; returns the sum that margins are a part of. */
ABUT_ALWAYS_INLINE double value(const quadric *q, int n, double sigma, double t, double *f, double *slope)
{
    double sum = q->k;
    *f = -q->k * q->k;
    *slope = 0;
    for (int i = 0; i < n; ++i) {
        const double s = i == 2 ? sigma : 1, v = q->a[i] + t * q->b[i];
        *f += s * (v * v);
        *slope += s * (v * q->b[i]);
        sum += fabs(q->a[i]) + fabs(t * q->b[i]);
    }
    return sum;
}

/* Both roots in one: arithmetic on two lanes costs what it does on one. */
typedef double pair __attribute__((vector_size(16)));
typedef long long pair_mask __attribute__((vector_size(16)));

ABUT_ALWAYS_INLINE pair pair_of(double x)
{
    return (pair){ x, x };
}

ABUT_ALWAYS_INLINE pair pair_abs(pair x)
{
    const pair_mask sign = { INT64_MAX, INT64_MAX };
    return (pair)((pair_mask)x & sign);
}

ABUT_ALWAYS_INLINE pair pair_product_error(pair a, pair b, pair p)
{
#if defined(__FMA__)
    return (pair){ __builtin_fma(a[0], b[0], -p[0]), __builtin_fma(a[1], b[1], -p[1]) };
#else
    const pair ca = 134217729.0 * a, ah = ca - (ca - a), al = a - ah;
    const pair cb = 134217729.0 * b, bh = cb - (cb - b), bl = b - bh;
    return al * bl - (((p - ah * bh) - al * bh) - ah * bl);
#endif
}

/* What a + b = s left out. */
ABUT_ALWAYS_INLINE pair pair_sum_error(pair a, pair b, pair s)
{
    const pair bb = s - a;
    return (a - (s - bb)) + (b - bb);
}

typedef struct ends {
    pair t, v[3]; /* v: there */
    bool proved[2];
} ends;

/* Makes roots good to half an ulp, and proves them to be where the line enters (the first) and
 * leaves (the second). Errors, with S the sum of sizes: f by 2^-98 S^2; half the slope by 2^-50
 * W for W = sum of the sizes times b_i; the step neglects |a| step^2 / |slope|. Each may be
 * 2^-58 of t. Where the placement is rounded, o and d are off by 8 u of themselves and f by
 * 2^-49 S^2, which the exact way rounds otherwise. Both have the same roots where that is far
 * less than f is below 0 between them, slope^2 / |a|, and the same signs of t where the root
 * moves by far less than t, 2^-50 S^2 / |slope|. */
ABUT_ALWAYS_INLINE ends polish(const quadric *q, int n, double sigma, double a, bool exact, pair t)
{
    ends out;
    const double kk = q->k * q->k;
    pair high = pair_of(-kk), low = pair_of(exact ? -product_error(q->k, q->k, kk) : 0), slope = pair_of(0),
         sizes = pair_of(q->k), w = pair_of(0);
    for (int i = 0; i < n; ++i) {
        const double s = i == 2 ? sigma : 1;
        const pair qa = pair_of(q->a[i]), b = pair_of(q->b[i]), p = t * b, size = fabs(q->a[i]) + pair_abs(p);
        pair v = qa + p;
        if (exact) {
            const pair rest =
                pair_sum_error(qa, p, v) + ((pair_product_error(t, b, p) + t * q->bl[i]) + q->al[i]);
            const pair square = s * (v * v), total = high + square;
            low +=
                pair_sum_error(high, square, total) + s * (pair_product_error(v, v, v * v) + 2 * (v * rest));
            high = total;
            v += rest;
        } else
            high += s * (v * v);
        out.v[i] = v;
        slope += s * (v * b);
        sizes += size;
        w += size * fabs(q->b[i]);
    }
    const pair steep = slope * (pair){ -1, 1 };
    const pair step = -0.5 * (high + low) / slope, moved = pair_abs(step), far = pair_abs(t);
    pair_mask good = (steep > 0x1p-30 * w) & (moved <= 0x1p-20 * far) & (moved * fabs(a) <= 0.25 * steep);
    if (exact)
        good &= (moved * moved * fabs(a) <= 0x1p-58 * far * steep) & (moved * w <= 0x1p-8 * far * steep) &
                (sizes * sizes <= 0x1p40 * far * steep);
    else
        good &= (sizes * sizes * fabs(a) <= 0x1p46 * steep * steep) & (sizes * sizes <= 0x1p46 * far * steep);
    out.t = t + step;
    for (int i = 0; i < n; ++i)
        out.v[i] += step * q->b[i];
    out.proved[0] = good[0];
    out.proved[1] = good[1];
    return out;
}

/* f > 0 from t0 to t1. */
ABUT_ALWAYS_INLINE bool is_outside_between(const quadric *q, int n, double sigma, double a, double t0,
                                           double t1)
{
    double f0, f1, slope0, slope1, bsum = 0, asum = 0;
    const double s0 = value(q, n, sigma, t0, &f0, &slope0), s1 = value(q, n, sigma, t1, &f1, &slope1);
    for (int i = 0; i < n; ++i) {
        bsum += fabs(q->b[i]);
        asum += q->b[i] * q->b[i];
    }
    const bool same = (slope0 > 0) == (slope1 > 0) && fabs(slope0) > margin * (s0 * bsum) &&
                      fabs(slope1) > margin * (s1 * bsum);
    return f0 > margin * (s0 * s0) && f1 > margin * (s1 * s1) && (same || a < -margin * asum);
}

/* ---- slabs ---- */

/* (plane - o) / d, or nothing where that is 0 or extreme; one rounding more than exact when
 * `exact`. */
ABUT_ALWAYS_INLINE double cut(const ray *r, int i, double plane)
{
    return (dd_two_sum(plane, -r->o[i]).h - r->ol[i]) / r->d[i];
}

ABUT_ALWAYS_INLINE bool polish_cut(const ray *r, int i, double plane, double *t)
{
    const dd n = dd_two_sum(plane, -r->o[i]);
    const double d = r->d[i];
    if (!(fabs(d) >= 0x1p-200) || !(fabs(n.h) > margin * (fabs(plane) + fabs(r->o[i]))))
        return false;
    const double q = n.h / d, p = q * d;
    *t = r->exact ? q + (((n.h - p) - product_error(q, d, p)) + (n.l - r->ol[i])) / d : q;
    return true;
}

/* Is o + t d between the planes -h and h: 1 yes, -1 no, 0 undecided. */
ABUT_ALWAYS_INLINE int within(const ray *r, int i, double t, double h)
{
    const double p = t * r->d[i], z = fabs(r->o[i] + p), slack = margin * (fabs(r->o[i]) + fabs(p) + h);
    return z < h - slack ? 1 : z > h + slack ? -1 : 0;
}

static bool through_box(ray *r, const double h[3])
{
    double in = -INFINITY, out = INFINITY, in_error = 0, out_error = 0;
    int in_axis = -1, out_axis = -1;
    for (int i = 0; i < 3; ++i) {
        if (r->d[i] == 0) {
            const int side = within(r, i, 0, h[i]);
            if (side <= 0)
                return side < 0;
            continue;
        }
        const double over = 1 / r->d[i], size = fabs(over) * (fabs(r->o[i]) + h[i]) * 0x1p-50;
        const double t0 = (-h[i] - r->o[i]) * over, t1 = (h[i] - r->o[i]) * over;
        const double lo = over > 0 ? t0 : t1, hi = over > 0 ? t1 : t0;
        if (lo > in) {
            in = lo;
            in_axis = i;
            in_error = size;
        }
        if (hi < out) {
            out = hi;
            out_axis = i;
            out_error = size;
        }
    }
    if (in_axis < 0 || out_axis < 0)
        return false;
    if (!(in < out))
        return in - out > in_error + out_error;
    const int axes[2] = { in_axis, out_axis };
    for (int end = 0; end < 2; ++end) {
        const int i = axes[end], j = (i + 1) % 3, k = (i + 2) % 3;
        const double side = (r->d[i] > 0) == (end == 1) ? 1 : -1;
        double t;
        if (!polish_cut(r, i, side * h[i], &t) || within(r, j, t, h[j]) <= 0 || within(r, k, t, h[k]) <= 0)
            return false;
        emit(r, t, i == 0 ? side : 0, i == 1 ? side : 0, i == 2 ? side : 0);
    }
    return true;
}

/* ---- the shapes ---- */

ABUT_ALWAYS_INLINE quadric plain(const ray *r, double k)
{
    quadric q;
    q.k = k;
    for (int i = 0; i < 3; ++i) {
        q.a[i] = r->o[i];
        q.al[i] = r->ol[i];
        q.b[i] = r->d[i];
        q.bl[i] = 0;
    }
    return q;
}

/* The two ends on one convex quadric of full dimension. */
ABUT_ALWAYS_INLINE bool both_ends(ray *r, const quadric *q, const double scale[3])
{
    const roots at = solve(q, 3, 1);
    if (!(at.positive > at.negative))
        return misses(&at);
    const ends found = polish(q, 3, 1, at.a, r->exact, (pair){ at.t[0], at.t[1] });
    const pair x = found.v[0] * scale[0], y = found.v[1] * scale[1], z = found.v[2] * scale[2];
    const pair square = x * x + y * y + z * z, over = 1 / (pair){ sqrt(square[0]), sqrt(square[1]) };
    for (int end = 0; end < 2; ++end)
        emit(r, found.t[end], x[end] * over[end], y[end] * over[end], z[end] * over[end]);
    return found.proved[0] && found.proved[1];
}

static bool through_sphere(ray *r, double radius)
{
    static const double one[3] = { 1, 1, 1 };
    const quadric q = plain(r, radius);
    return both_ends(r, &q, one);
}

static bool through_ellipsoid(ray *r, const double radii[3])
{
    quadric q;
    q.k = 1;
    double over[3];
    for (int i = 0; i < 3; ++i) {
        over[i] = 1 / radii[i];
        q.a[i] = r->o[i] * over[i];
        q.b[i] = r->d[i] * over[i];
        q.al[i] = q.bl[i] = 0;
        if (r->exact) { /* what is left of o and d after the quotients times the radius */
            const double p = q.a[i] * radii[i], s = q.b[i] * radii[i];
            q.al[i] = (((r->o[i] - p) - product_error(q.a[i], radii[i], p)) + r->ol[i]) * over[i];
            q.bl[i] = ((r->d[i] - s) - product_error(q.b[i], radii[i], s)) * over[i];
        }
    }
    return both_ends(r, &q, over);
}

/* Where the line is in the unbounded cylinder about the axis; along the axis everywhere or
 * nowhere. False: nowhere as far as is known, *missed where that is proved. */
ABUT_ALWAYS_INLINE bool enters_side(const quadric *q, double radius, roots *at, bool *missed)
{
    *at = solve(q, 2, 1);
    if (at->a != 0) {
        if (at->positive > at->negative)
            return true;
        *missed = misses(at);
        return false;
    }
    const double slack = margin * (q->a[0] * q->a[0] + q->a[1] * q->a[1] + radius * radius);
    *missed = at->c > slack;
    at->t[0] = -INFINITY;
    at->t[1] = INFINITY;
    return at->c < -slack;
}

static bool through_cylinder(ray *r, double radius, double h)
{
    const quadric q = plain(r, radius);
    bool missed;
    double z[2] = { -INFINITY, INFINITY };
    const double up = r->d[2] > 0 ? 1 : -1;
    if (r->d[2] != 0) {
        z[0] = cut(r, 2, -up * h);
        z[1] = cut(r, 2, up * h);
    } else if (within(r, 2, 0, h) <= 0)
        return within(r, 2, 0, h) < 0;
    roots at;
    if (!enters_side(&q, radius, &at, &missed))
        return missed;
    const bool flat[2] = { z[0] > at.t[0], z[1] < at.t[1] };
    if (!((flat[0] ? z[0] : at.t[0]) < (flat[1] ? z[1] : at.t[1])))
        return fabs(z[0]) <= 0x1p200 && fabs(z[1]) <= 0x1p200 &&
               is_outside_between(&q, 2, 1, at.a, z[0], z[1]);
    const ends found = polish(&q, 2, 1, at.a, r->exact, (pair){ at.t[0], at.t[1] });
    const double over = 1 / radius;
    for (int end = 0; end < 2; ++end) {
        const double side = end ? up : -up;
        double t = found.t[end], f, slope;
        if (flat[end]) {
            if (!polish_cut(r, 2, side * h, &t))
                return false;
            const double size = value(&q, 2, 1, t, &f, &slope);
            if (!(f < -margin * (size * size)))
                return false;
            emit(r, t, 0, 0, side);
        } else {
            if (!found.proved[end] || within(r, 2, t, h) <= 0)
                return false;
            emit(r, t, found.v[0][end] * over, found.v[1][end] * over, 0);
        }
    }
    return true;
}

/* Beyond the side the capsule is the ball at that end: missed, when the plane through the line
 * that faces its centre has the other centre on the same side. */
ABUT_ALWAYS_INLINE bool misses_beyond(const ray *r, const roots *ball, double z, double side)
{
    const double back = ball->b / ball->a * r->d[2];
    return misses(ball) && side * (z - back) > margin * (fabs(z) + fabs(back));
}

static bool through_capsule(ray *r, double radius, double h)
{
    const quadric q = plain(r, radius);
    bool missed;
    roots at;
    if (!enters_side(&q, radius, &at, &missed))
        return missed;
    const ends found = polish(&q, 2, 1, at.a, r->exact, (pair){ at.t[0], at.t[1] });
    const double over = 1 / radius;
    for (int end = 0; end < 2; ++end) {
        double t = found.t[end];
        const double z = at.a == 0 ? (end ? r->d[2] : -r->d[2]) * INFINITY : r->o[2] + t * r->d[2];
        if (fabs(z) <= h) {
            if (!found.proved[end] || within(r, 2, t, h) <= 0)
                return false;
            emit(r, t, found.v[0][end] * over, found.v[1][end] * over, 0);
            continue;
        }
        const double side = z > 0 ? 1 : -1;
        quadric ball = q;
        const dd centre = dd_two_sum(r->o[2], -side * h);
        ball.a[2] = centre.h;
        ball.al[2] = centre.l + r->ol[2];
        const roots on = solve(&ball, 3, 1);
        if (!(on.positive > on.negative))
            return misses_beyond(r, &on, centre.h, side);
        const ends cap = polish(&ball, 3, 1, on.a, r->exact, (pair){ on.t[0], on.t[1] });
        t = cap.t[end];
        const double up = cap.v[2][end];
        if (!cap.proved[end] || !(side * up > margin * (fabs(r->o[2]) + fabs(t * r->d[2]) + h)))
            return false;
        emit(r, t, cap.v[0][end] * over, cap.v[1][end] * over, up * over);
    }
    return true;
}

/* x^2 + y^2 = (k (h - z))^2 with k = radius / height, h = height / 2. */
static bool through_cone(ray *r, double radius, double height)
{
    const double h = 0.5 * height, k = radius / height, p = k * height;
    const double kl = ((radius - p) - product_error(k, height, p)) / height;
    quadric q = plain(r, 0);
    const dd down = dd_two_sum(h, -r->o[2]);
    const double down_low = down.l - r->ol[2], d = r->d[2];
    q.a[2] = k * down.h;
    q.b[2] = -k * d;
    q.al[2] = product_error(k, down.h, q.a[2]) + (k * down_low + kl * down.h);
    q.bl[2] = product_error(-k, d, q.b[2]) - kl * d;
    roots at = solve(&q, 3, -1);
    if (!(at.positive > at.negative))
        return misses(&at);
    if (!(fabs(at.a) > 0x1p-40 * (q.b[0] * q.b[0] + q.b[1] * q.b[1] + q.b[2] * q.b[2])))
        return false;
    int count = 0;
    double t[3];
    bool base[3] = { false, false, false };
    for (int i = 0; i < 2; ++i) {
        const double w = down.h - at.t[i] * d;
        if (w > 0 && w < height)
            t[count++] = at.t[i];
    }
    const double bottom = cut(r, 2, -h), top = cut(r, 2, h);
    if (d != 0) {
        const double x = q.a[0] + bottom * q.b[0], y = q.a[1] + bottom * q.b[1];
        if (x * x + y * y < radius * radius) {
            base[count] = true;
            t[count++] = bottom;
        }
    } else if (within(r, 2, 0, h) <= 0)
        return within(r, 2, 0, h) < 0;
    if (count == 0)
        return fabs(bottom) <= 0x1p200 && fabs(top) <= 0x1p200 &&
               is_outside_between(&q, 3, -1, at.a, bottom, top);
    if (count != 2)
        return false;
    const int first = t[0] > t[1];
    const ends found = polish(&q, 3, -1, at.a, r->exact, (pair){ t[first], t[!first] });
    for (int end = 0; end < 2; ++end) {
        double on = found.t[end];
        if (base[first ^ end]) {
            if (!polish_cut(r, 2, -h, &on))
                return false;
            const double x = q.a[0] + on * q.b[0], y = q.a[1] + on * q.b[1];
            const double size = fabs(q.a[0]) + fabs(on * q.b[0]) + fabs(q.a[1]) + fabs(on * q.b[1]) + radius;
            if (!(x * x + y * y < radius * radius - margin * (size * size)))
                return false;
            emit(r, on, 0, 0, -1);
        } else {
            if (!found.proved[end] || within(r, 2, on, h) <= 0)
                return false;
            const double x = found.v[0][end], y = found.v[1][end], z = k * found.v[2][end];
            const double over = 1 / sqrt(x * x + y * y + z * z);
            emit(r, on, x * over, y * over, z * over);
        }
    }
    return true;
}

ABUT_ALWAYS_INLINE dd product(double a, double b)
{
    const double p = a * b;
    return (dd){ p, product_error(a, b, p) };
}

static bool through_halfspace(ray *r, abut_vec3 normal, double offset)
{
    const double n[3] = { normal.x, normal.y, normal.z };
    if (!usual(sum3(n[0], n[1], n[2])) || !(fabs(offset) <= 0x1p200))
        return false;
    dd height = { offset, 0 }, rise = { 0, 0 };
    double height_size = fabs(offset), rise_size = 0;
    for (int i = 0; i < 3; ++i) {
        const dd p = product(-n[i], r->o[i]), q = product(n[i], r->d[i]);
        height = dd_add(height, (dd){ p.h, p.l - n[i] * r->ol[i] });
        rise = dd_add(rise, q);
        height_size += fabs(p.h);
        rise_size += fabs(q.h);
    }
    if (!(fabs(height.h) > 0x1p-36 * height_size && fabs(rise.h) > 0x1p-36 * rise_size &&
          rise_size > 0x1p-300 && height_size > 0x1p-300))
        return false;
    const double q = height.h / rise.h, p = q * rise.h;
    const double rest = ((height.h - p) - product_error(q, rise.h, p)) + (height.l - q * rise.l);
    const double over = 1 / sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
    emit(r, q + rest / rise.h, n[0] * over, n[1] * over, n[2] * over);
    return true;
}

bool abut_narrow_quick_ray(const abut_shape *shape, const abut_pose *pose, const abut_ray_query *query,
                           size_t *count)
{
    ray r;
    r.all = query->all;
    r.origin = query->origin;
    r.direction = query->direction;
    r.hits = query->hits;
    r.capacity = query->capacity;
    r.count = 0;
    if (!place(&r, pose, shape->type != ABUT_SHAPE_SPHERE))
        return false;
    bool known = false;
    switch (shape->type) {
    case ABUT_SHAPE_SPHERE:
        known = usual(shape->u.sphere.radius) && through_sphere(&r, shape->u.sphere.radius);
        break;
    case ABUT_SHAPE_BOX: {
        const abut_vec3 half = shape->u.box.half;
        const double h[3] = { half.x, half.y, half.z };
        known = usual(h[0]) && usual(h[1]) && usual(h[2]) && through_box(&r, h);
        break;
    }
    case ABUT_SHAPE_HALFSPACE:
        known = through_halfspace(&r, shape->u.halfspace.normal, shape->u.halfspace.offset);
        break;
    case ABUT_SHAPE_ELLIPSOID: {
        const abut_vec3 e = shape->u.ellipsoid.radii;
        const double radii[3] = { e.x, e.y, e.z };
        known = usual(e.x) && usual(e.y) && usual(e.z) && e.x <= 0x1p30 * e.y && e.y <= 0x1p30 * e.z &&
                e.z <= 0x1p30 * e.x && through_ellipsoid(&r, radii);
        break;
    }
    case ABUT_SHAPE_CAPSULE:
    case ABUT_SHAPE_CYLINDER:
    case ABUT_SHAPE_CONE: {
        const double radius = shape->u.round.radius, height = shape->u.round.height;
        if (!usual(radius) || !usual(height))
            break;
        known = shape->type == ABUT_SHAPE_CAPSULE    ? through_capsule(&r, radius, 0.5 * height)
                : shape->type == ABUT_SHAPE_CYLINDER ? through_cylinder(&r, radius, 0.5 * height)
                                                     : through_cone(&r, radius, height);
        break;
    }
    default: break;
    }
    if (known)
        *count = r.count;
    return known;
}
