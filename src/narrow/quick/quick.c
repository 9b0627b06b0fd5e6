/* SPDX-License-Identifier: MIT */
/* The usual case of a ball against a ball, box, capsule or half-space, and of two capsules, at the
 * cost of its arithmetic: no placement is built, no rounding mode read or changed, nothing called.
 * What it answers is proved by error bounds known beforehand (docs/notes/sphere-pairs.md). Where
 * they do not decide, it answers nothing, and the methods with expansions and intervals do.
 *
 * Two kinds. Where the placement is exact (balls; no rotation) the gap is taken in pairs of
 * doubles, and must be so clear that the sign is proved and the two doubles around it are known:
 * one ulp. Under any other rotation plain doubles are enough: the gap is then only known to a few
 * ulp of the distance of the origins, as by intervals.
 *
 * Needs rounding to nearest, but not gradual underflow: everything that could underflow is far
 * below the error bounds. */
#include "narrow/quick/quick.h"
#include "narrow/pair/box_features.h"

#include "math/nearest.h"

#include <string.h>

#define ALWAYS_INLINE ABUT_ALWAYS_INLINE

static const double u = 0x1p-53;

typedef struct answer {
    abut_interval size; /* of the distance or the depth */
    bool apart;
    abut_proof proof;
    abut_vec3 outward, foot; /* as in abut_sphere_pair */
    abut_feature feature;
    int64_t id;
} answer;

/* What results are written from. */
typedef struct finding {
    abut_interval size;
    bool apart;
    abut_proof proof;
    abut_vec3 point_a, point_b, normal;
    abut_feature features[2];
    int64_t ids[2];
} finding;

typedef struct question {
    double radius;           /* of the ball */
    const abut_vec3 *centre; /* of the ball */
    const abut_vec3 *origin; /* of the other */
    const abut_quat *turn;   /* of the other */
    const abut_shape *other;
} question;

ALWAYS_INLINE double step_up(double x, int64_t steps)
{
    int64_t bits;
    memcpy(&bits, &x, sizeof bits);
    bits += steps;
    memcpy(&x, &bits, sizeof x);
    return x;
}

/* ---- exact placements ---- */

/* dd_two_sum and dd_fast_sum in scalars: compilers move pairs through memory. */
ALWAYS_INLINE double two_sum(double a, double b, double *low)
{
    const double sum = a + b, part = sum - a;
    *low = (a - (sum - part)) + (b - part);
    return sum;
}

ALWAYS_INLINE double fast_sum(double a, double b, double *low)
{
    const double sum = a + b;
    *low = b - (sum - a);
    return sum;
}

/* x^2 - p for p = x x rounded; the same with fused products, where the function that this is in
 * line with has them. */
ALWAYS_INLINE double square_error(double x, double p, bool fused)
{
    if (fused)
        return __builtin_fma(x, x, -p);
    const double c = 134217729.0 * x, h = c - (c - x), l = x - h;
    return l * l - ((p - h * h) - 2 * (h * l));
}

/* The gap is high + low up to the error: where that is larger than `clear` and its low part than
 * the error, high is the double nearest to it, and it lies strictly between high and a
 * neighbour. */
ALWAYS_INLINE bool set_between(double high, double low, double clear, double error, answer *out)
{
    const double sizes = fabs(high);
    if (!(sizes > clear && fabs(low) > error))
        return false;
    const bool more = (low > 0) == (high > 0);
    out->size = (abut_interval){ step_up(sizes, more - 1), step_up(sizes, more) };
    out->apart = high > 0;
    out->proof = ABUT_PROOF_EXACT;
    return true;
}

/* g = |a + b| - (s + t) for |b_i| <= u |a_i|, |t| <= u s, and 1 / |a| in double. S is the
 * square, q its root. low parts of S: |e_i| <= u a_i^2, 2 a_i b_i, two errors of sums: 5 u S
 * together, rounded with 18 u^2 S, b^2 left out: 20 u^2 S. root: S - r^2 is exact up to 9 u^2 S
 * more; over 2 r instead of r + q: 7 u^2 q; two roundings of 4 u q: 8 u^2 q. Altogether 30 u^2
 * q. difference: three sums of parts below 5 u (q + s): 11 u^2 (q + s). So the error is below
 * 2^-100 (q + s), and by `size` it may have more, by the parts that went into a and b: 2^-99
 * size in all. */
ALWAYS_INLINE bool clear_gap(const double a[3], const double b[3], double s, double t, double size,
                             bool fused, double *inverse, answer *out)
{
    const double p0 = a[0] * a[0], p1 = a[1] * a[1], p2 = a[2] * a[2];
    const double e0 = square_error(a[0], p0, fused) + 2 * (a[0] * b[0]);
    const double e1 = square_error(a[1], p1, fused) + 2 * (a[1] * b[1]);
    const double e2 = square_error(a[2], p2, fused) + 2 * (a[2] * b[2]);
    double l0, l1, gap_low, low_part;
    const double sum = two_sum(two_sum(p0, p1, &l0), p2, &l1);
    const double low = ((e0 + e1) + e2) + (l0 + l1);
    const double root = sqrt(sum), over = 1 / root, square = root * root;
    const double residue = ((sum - square) - square_error(root, square, fused)) + low;
    const double gap = two_sum(root, -s, &gap_low);
    const double high = fast_sum(gap, gap_low + (residue * (0.5 * over) - t), &low_part);
    *inverse = over;
    return sum >= 0x1p-800 && sum <= 0x1p800 && size <= 0x1p500 &&
           set_between(high, low_part, 0x1p-44 * size, 0x1p-99 * size, out);
}

ALWAYS_INLINE bool balls_by(const question *q, bool fused, answer *out)
{
    const double r = q->other->u.sphere.radius;
    double a[3], b[3], low, inverse;
    a[0] = two_sum(q->centre->x, -q->origin->x, &b[0]);
    a[1] = two_sum(q->centre->y, -q->origin->y, &b[1]);
    a[2] = two_sum(q->centre->z, -q->origin->z, &b[2]);
    const double radii = two_sum(q->radius, r, &low);
    const double size = fabs(a[0]) + fabs(a[1]) + fabs(a[2]) + radii;
    if (!clear_gap(a, b, radii, low, size, fused, &inverse, out))
        return false;
    out->outward = abut_scale(inverse, abut_v3(a[0], a[1], a[2]));
    out->foot = abut_madd(*q->origin, r, out->outward);
    out->feature = ABUT_FEATURE_FACE;
    out->id = 0;
    return true;
}

static ABUT_MATH_NOINLINE bool balls_plain(const question *q, answer *out)
{
    return balls_by(q, false, out);
}

#if defined(__x86_64__)
/* The errors of four squares take one operation each in place of ten. */
static ABUT_MATH_NOINLINE __attribute__((target("avx2,fma"))) bool balls_fused(const question *q, answer *out)
{
    return balls_by(q, true, out);
}

ALWAYS_INLINE bool balls(const question *q, answer *out)
{
    return __builtin_cpu_supports("fma") ? balls_fused(q, out) : balls_plain(q, out);
}
#else
ALWAYS_INLINE bool balls(const question *q, answer *out)
{
    return balls_plain(q, out);
}
#endif

/* |c - o| - half as a pair, exact but for u^2 of the sizes; *above tells the side. */
ALWAYS_INLINE double beyond(double c, double o, double half, bool *above, double *low)
{
    double xl, yl;
    const double x = two_sum(c, -o, &xl);
    *above = x >= 0;
    const double y = two_sum(fabs(x), -half, &yl);
    return two_sum(y, yl + (*above ? xl : -xl), low);
}

ALWAYS_INLINE bool box_upright(const question *q, answer *out)
{
    const abut_vec3 half = q->other->u.box.half;
    bool above[3];
    double v[3], l[3];
    v[0] = beyond(q->centre->x, q->origin->x, half.x, &above[0], &l[0]);
    v[1] = beyond(q->centre->y, q->origin->y, half.y, &above[1], &l[1]);
    v[2] = beyond(q->centre->z, q->origin->z, half.z, &above[2], &l[2]);
    const double size = fabs(q->centre->x) + fabs(q->centre->y) + fabs(q->centre->z) + fabs(q->origin->x) +
                        fabs(q->origin->y) + fabs(q->origin->z) + half.x + half.y + half.z + q->radius;
    double a[3], b[3];
    int axes = 0;
    for (int i = 0; i < 3; ++i) {
        if (!(fabs(v[i]) > 0x1p-90 * size))
            return false; /* perhaps in the plane of a face */
        const bool outside = v[i] > 0;
        axes |= outside << i;
        a[i] = outside ? v[i] : 0;
        b[i] = outside ? l[i] : 0;
    }
    double inverse;
    if (!axes || !clear_gap(a, b, q->radius, 0, size, false, &inverse, out))
        return false;
    out->outward =
        abut_v3(above[0] ? a[0] * inverse : -a[0] * inverse, above[1] ? a[1] * inverse : -a[1] * inverse,
                above[2] ? a[2] * inverse : -a[2] * inverse);
    const double c[3] = { q->centre->x, q->centre->y, q->centre->z },
                 o[3] = { q->origin->x, q->origin->y, q->origin->z }, h[3] = { half.x, half.y, half.z };
    double f[3];
    for (int i = 0; i < 3; ++i)
        f[i] = !(axes >> i & 1) ? c[i] : above[i] ? o[i] + h[i] : o[i] - h[i];
    out->foot = abut_v3(f[0], f[1], f[2]);
    out->feature = abut_box_feature(axes, above, &out->id);
    return true;
}

ALWAYS_INLINE bool capsule_upright(const question *q, answer *out)
{
    const double half = 0.5 * q->other->u.round.height, r = q->other->u.round.radius;
    bool above;
    double a[3], b[3], low, inverse;
    a[0] = two_sum(q->centre->x, -q->origin->x, &b[0]);
    a[1] = two_sum(q->centre->y, -q->origin->y, &b[1]);
    const double z = beyond(q->centre->z, q->origin->z, half, &above, &b[2]);
    const double radii = two_sum(q->radius, r, &low);
    const double size = fabs(a[0]) + fabs(a[1]) + fabs(q->centre->z) + fabs(q->origin->z) + half + radii;
    if (!(fabs(z) > 0x1p-90 * size))
        return false;
    const bool cap = z > 0;
    a[2] = cap ? z : 0;
    b[2] = cap ? b[2] : 0;
    if (!clear_gap(a, b, radii, low, size, false, &inverse, out))
        return false;
    out->outward = abut_v3(a[0] * inverse, a[1] * inverse, above ? a[2] * inverse : -a[2] * inverse);
    const double at = !cap ? q->centre->z : above ? q->origin->z + half : q->origin->z - half;
    out->foot = abut_madd(abut_v3(q->origin->x, q->origin->y, at), r, out->outward);
    out->feature = ABUT_FEATURE_FACE;
    out->id = !cap ? 0 : above ? 2 : 1;
    return true;
}

/* gap.c's first step for planes, with its error bound: 48 u^2 of the size, which is divided by
 * |n| here. */
static ABUT_MATH_NOINLINE bool plane_upright(const question *q, answer *out)
{
    const abut_vec3 normal = q->other->u.halfspace.normal;
    const double n[3] = { normal.x, normal.y, normal.z }, offset = q->other->u.halfspace.offset;
    const double c[3] = { q->centre->x, q->centre->y, q->centre->z },
                 o[3] = { q->origin->x, q->origin->y, q->origin->z };
    dd height = { -offset, 0 }, square = { 0, 0 };
    double size = fabs(offset);
    for (int i = 0; i < 3; ++i) {
        height = dd_add(height, dd_mul((dd){ n[i], 0 }, dd_two_sum(c[i], -o[i])));
        square = dd_add(square, dd_two_product(n[i], n[i]));
        size += fabs(n[i]) * (fabs(c[i]) + fabs(o[i]));
    }
    const dd length = dd_sqrt(square), distance = dd_div(height, length);
    const dd gap = dd_sub(distance, (dd){ q->radius, 0 });
    size = size / length.h + q->radius;
    if (!(square.h >= 0x1p-200 && square.h <= 0x1p200 && size >= 0x1p-300 && size <= 0x1p500) ||
        !set_between(gap.h, gap.l, 0x1p-44 * size, 0x1p-98 * size, out))
        return false;
    out->outward = abut_scale(1 / length.h, normal);
    out->foot = abut_madd(*q->centre, -distance.h, out->outward);
    out->feature = ABUT_FEATURE_FACE;
    out->id = 0;
    return true;
}

/* ---- any rotation ---- */

typedef struct turned {
    double m[3][3]; /* n R, local to world */
    double over;    /* 1 / n */
    double p[3];    /* the ball's centre in the other's frame */
    double error;   /* of p, as a vector */
} turned;

/* p = R^T (c - o) with R = m / n. Relative to |c - o| = D, in units of u and as lengths of
 * vectors: rounding c - o, 1; the entries of m are off by 3 u n on the diagonal and 2 u n beside
 * it, sqrt(3 9 + 6 4) < 7.15; the dot products by 3 |m|^T |d|, and | |R| | <= sqrt(3), 5.2; 1 /
 * n and the product with it, 5. That is 18.4; 20 leaves room for the second order and the
 * rounding of D. */
ALWAYS_INLINE bool turn_back(const question *q, turned *out)
{
    const double n = abut_quick_norm(*q->turn), over = 1 / n;
    const abut_vec3 d = abut_sub(*q->centre, *q->origin);
    const double square = abut_dot(d, d);
    if (!(abut_quick_norm_is_usual(n) && square >= 0x1p-600 && square <= 0x1p600))
        return false;
    double(*m)[3] = out->m;
    abut_quick_matrix(*q->turn, m);
    for (int j = 0; j < 3; ++j)
        out->p[j] = (m[0][j] * d.x + m[1][j] * d.y + m[2][j] * d.z) * over;
    out->over = over;
    out->error = 20 * u * sqrt(square);
    return true;
}

ALWAYS_INLINE abut_vec3 turn_out(const turned *t, double scale, double x, double y, double z)
{
    const double s = scale * t->over;
    return abut_v3((t->m[0][0] * x + t->m[0][1] * y + t->m[0][2] * z) * s,
                   (t->m[1][0] * x + t->m[1][1] * y + t->m[1][2] * z) * s,
                   (t->m[2][0] * x + t->m[2][1] * y + t->m[2][2] * z) * s);
}

/* The gap is `distance` - `radii`, where the signed distance, which no error of p changes by
 * more than that error, is computed with a relative error of 4 u at most (u for each |p| - h,
 * their squares, sums and root: 3.5 u); u of the radii and of the gap, and u of the gap for the
 * bounds. */
ALWAYS_INLINE bool wide_gap(const turned *t, double distance, double radii, answer *out)
{
    const double gap = distance - radii, sizes = fabs(gap);
    const double error = t->error + u * (4 * fabs(distance) + (radii + 3 * sizes));
    if (!(sizes > error && sizes <= 0x1p1000))
        return false;
    out->size = (abut_interval){ sizes - error, sizes + error };
    out->apart = gap > 0;
    out->proof = ABUT_PROOF_INTERVAL;
    return true;
}

ALWAYS_INLINE bool box_turned(const question *q, answer *out)
{
    turned t;
    if (!turn_back(q, &t))
        return false;
    const abut_vec3 half = q->other->u.box.half;
    const double h[3] = { half.x, half.y, half.z };
    double v[3], n[3], square = 0;
    for (int i = 0; i < 3; ++i) {
        v[i] = fabs(t.p[i]) - h[i];
        n[i] = 0.5 * (v[i] + fabs(v[i])); /* max(v, 0) without a branch */
        square += n[i] * n[i];
    }
    int nearest = 0;
    double distance, scale;
    if (square > 0x1p-900) {
        distance = sqrt(square);
        scale = 1 / distance;
    } else {
        nearest = v[1] > v[0];
        distance = nearest ? v[1] : v[0];
        if (v[2] > distance) {
            nearest = 2;
            distance = v[2];
        }
        if (distance > 0)
            return false;
        for (int i = 0; i < 3; ++i)
            n[i] = i == nearest; /* they are all 0 */
        scale = 1;
    }
    if (!wide_gap(&t, distance, q->radius, out))
        return false;
    out->outward =
        turn_out(&t, scale, copysign(n[0], t.p[0]), copysign(n[1], t.p[1]), copysign(n[2], t.p[2]));
    out->foot = abut_madd(*q->centre, -distance, out->outward);
    if (!out->apart) {
        const bool positive[3] = { t.p[0] >= 0, t.p[1] >= 0, t.p[2] >= 0 };
        const int axes = (v[0] > 0) | (v[1] > 0) << 1 | (v[2] > 0) << 2;
        out->feature = abut_box_feature(axes ? axes : 1 << nearest, positive, &out->id);
    }
    return true;
}

ALWAYS_INLINE bool capsule_turned(const question *q, answer *out)
{
    turned t;
    if (!turn_back(q, &t))
        return false;
    const double half = 0.5 * q->other->u.round.height, r = q->other->u.round.radius;
    const double over = fabs(t.p[2]) - half, up = over > 0 ? over : 0;
    const double square = t.p[0] * t.p[0] + t.p[1] * t.p[1] + up * up;
    if (!(square > 0x1p-900))
        return false;
    const double distance = sqrt(square);
    if (!wide_gap(&t, distance, q->radius + r, out))
        return false;
    out->outward = turn_out(&t, 1 / distance, t.p[0], t.p[1], copysign(up, t.p[2]));
    out->foot = abut_madd(*q->centre, r - distance, out->outward);
    out->feature = ABUT_FEATURE_FACE;
    out->id = !(over > 0) ? 0 : t.p[2] > 0 ? 2 : 1;
    return true;
}

/* To the error of p come 3 u D of the dot product, which is at most |n| D, and for the distance
 * 5.5 u: one for the difference, 3.5 for 1 / |n|, one for the product. */
static ABUT_MATH_NOINLINE bool plane_turned(const question *q, answer *out)
{
    turned t;
    if (!turn_back(q, &t))
        return false;
    const abut_vec3 normal = q->other->u.halfspace.normal;
    const double square = abut_dot(normal, normal);
    if (!(square >= 0x1p-200 && square <= 0x1p200))
        return false;
    const double scale = 1 / sqrt(square);
    const double distance =
        (abut_dot(normal, abut_v3(t.p[0], t.p[1], t.p[2])) - q->other->u.halfspace.offset) * scale;
    t.error = 1.2 * t.error + 4 * u * fabs(distance);
    if (!wide_gap(&t, distance, q->radius, out))
        return false;
    out->outward = turn_out(&t, scale, normal.x, normal.y, normal.z);
    out->foot = abut_madd(*q->centre, -distance, out->outward);
    out->feature = ABUT_FEATURE_FACE;
    out->id = 0;
    return true;
}

/* From the ball's view to that of the pair. */
ALWAYS_INLINE void set_finding(const answer *found, const abut_pose *at, double radius, finding *out)
{
    const abut_vec3 zero = { 0, 0, 0 };
    out->size = found->size;
    out->apart = found->apart;
    out->proof = found->proof;
    out->point_a = abut_madd(at->position, -radius, found->outward);
    out->point_b = found->foot;
    out->normal = abut_sub(zero, found->outward); /* 0 - 0 is 0: users read no -0 */
    out->features[0] = ABUT_FEATURE_FACE;
    out->features[1] = found->feature;
    out->ids[0] = 0;
    out->ids[1] = found->id;
}

ALWAYS_INLINE bool are_usable(const abut_pose *at, const abut_pose *place)
{
    return abut_quick_is_usable(at->rotation) && abut_quick_is_usable(place->rotation);
}

ALWAYS_INLINE bool is_upright(abut_quat q)
{
    return q.x == 0 && q.y == 0 && q.z == 0;
}

/* A ball (a) against another shape. They look along no stretch: `stretches` is for capsules. */
#define BALL_AND(NAME, UPRIGHT, TURNED)                                                            \
    ALWAYS_INLINE bool NAME(const abut_shape *a, const abut_pose *pa, const abut_shape *b,         \
                            const abut_pose *pb, bool stretches, finding *out)                     \
    {                                                                                              \
        (void)stretches;                                                                           \
        const question q = { a->u.sphere.radius, &pa->position, &pb->position, &pb->rotation, b }; \
        answer found;                                                                              \
        if (!are_usable(pa, pb))                                                                   \
            return false;                                                                          \
        const bool known = is_upright(pb->rotation)                                                \
                               ? UPRIGHT(&q, &found)                                               \
                               : abut_quick_is_turned(pb->rotation) && TURNED(&q, &found);         \
        if (!known)                                                                                \
            return false;                                                                          \
        set_finding(&found, pa, q.radius, out);                                                    \
        return true;                                                                               \
    }

BALL_AND(ball_box, box_upright, box_turned)
BALL_AND(ball_capsule, capsule_upright, capsule_turned)
BALL_AND(ball_halfspace, plane_upright, plane_turned)

ALWAYS_INLINE bool two_balls(const abut_shape *a, const abut_pose *pa, const abut_shape *b,
                             const abut_pose *pb, bool stretches, finding *out)
{
    (void)stretches;
    const question q = { a->u.sphere.radius, &pa->position, &pb->position, &pb->rotation, b };
    answer found;
    if (!are_usable(pa, pb) || !balls(&q, &found))
        return false;
    set_finding(&found, pa, q.radius, out);
    return true;
}

/* ---- two capsules ---- */

ALWAYS_INLINE double clamp(double x, double h)
{
    const double low = x > -h ? x : -h;
    return low < h ? low : h;
}

/* 0 the side, 1 the cap below, 2 the cap above. */
ALWAYS_INLINE int64_t capsule_face(double at, double half)
{
    const double close = half - 1e-9 * half;
    return at >= close ? 2 : at <= -close ? 1 : 0;
}

/* In the world's axes: cores s x, |s| <= h_a, and d + t y, |t| <= h_b, for the unit axes x and y,
 * off by 10 u each (abut_quick_axis). Nearest points as in capsule_capsule.c, whatever they are, w
 * their difference and n = w / |w|. The distance of the cores is at most |w| and at least n.d - h_a
 * |n.x| - h_b |n.y|. Errors, in units u, h = h_a + h_b, D = |d|: w is off by 2 D + 12 h by d, x, y
 * and the products and sums, by |w| for the last one, and its length by 2.5 |w|, where |w| <= D +
 * h: 5.5 D + 15.5 h. Below: 4 D + 14 h for the three products, 2 (D + h) for the sums, 5.5 (D + h)
 * since n is as much off unit length (1 / |w| from the square does not wait for the root): 11.5 D +
 * 21.5 h. Taking off the radii r, and the bounds themselves: 2 (D + h) + 3 r. What underflows is
 * far below, as h + r >= 2^-140 and |w| >= 2^-300.
 *
 * Left to the others: parallel ones, where contact is a stretch; those that cross, which have no
 * w of their own; exact placements. */
ALWAYS_INLINE bool capsules(const abut_shape *a, const abut_pose *pa, const abut_shape *b,
                            const abut_pose *pb, bool stretches, finding *out)
{
    const double ha = a->core.h[2], hb = b->core.h[2], ra = a->core.radius, rb = b->core.radius;
    const double na = abut_quick_norm(pa->rotation), nb = abut_quick_norm(pb->rotation);
    const abut_vec3 d = abut_sub(pb->position, pa->position);
    const double far = abut_dot(d, d), h = ha + hb, radii = ra + rb;
    if (!(abut_quick_norm_is_usual(na) && abut_quick_norm_is_usual(nb) && far <= 0x1p280 &&
          h + radii >= 0x1p-140 && h + radii <= 0x1p140) ||
        !(abut_quick_is_turned(pa->rotation) || abut_quick_is_turned(pb->rotation)))
        return false;
    const abut_vec3 x = abut_quick_axis(pa->rotation, 1 / na), y = abut_quick_axis(pb->rotation, 1 / nb);
    const double c = abut_dot(x, y), xd = abut_dot(x, d), yd = abut_dot(y, d), det = 1 - c * c;
    const double first = clamp((xd - c * yd) / det, ha), t = clamp(c * first - yd, hb),
                 s = clamp(c * t + xd, ha);
    const abut_vec3 w =
        abut_v3((d.x + t * y.x) - s * x.x, (d.y + t * y.y) - s * x.y, (d.z + t * y.z) - s * x.z);
    const double square = abut_dot(w, w), length = sqrt(square), inverse = length * (1 / square);
    const double error = u * (16 * sqrt(far) + 28 * h + 6 * radii);
    const abut_vec3 n = abut_scale(inverse, w), zero = { 0, 0, 0 };
    const double least = abut_dot(n, d) - ha * fabs(abut_dot(n, x)) - hb * fabs(abut_dot(n, y));
    const double lo = (least - radii) - error, hi = (length - radii) + error;
    /* sin < 0.05 makes a stretch (manifold.c). Rounding turns n by u (D + h) / |w|, and so loses
     * up to that times h: more than a few errors is for those who find better points. */
    if (!(det > 0x1p-20 && square >= 0x1p-600 && length > 0x1p-20 * (h + length) && hi - lo <= 8 * error) ||
        !(lo > 0 || (hi < 0 && (!stretches || det > 0.0026))))
        return false;
    out->apart = lo > 0;
    out->size = lo > 0 ? (abut_interval){ lo, hi } : (abut_interval){ -hi, -lo };
    out->proof = ABUT_PROOF_INTERVAL;
    out->normal = abut_add(zero, n);
    out->point_a = abut_madd(abut_madd(pa->position, s, x), ra, n);
    out->point_b = abut_madd(abut_madd(pb->position, t, y), -rb, n);
    out->features[0] = out->features[1] = ABUT_FEATURE_FACE;
    out->ids[0] = capsule_face(s, ha);
    out->ids[1] = capsule_face(t, hb);
    return true;
}

/* ---- the whole ---- */

ALWAYS_INLINE void set_check(const finding *f, abut_check_result *out)
{
    const abut_interval none = { 0, 0 };
    out->proof = f->proof;
    out->stop = ABUT_STOP_DONE;
    out->has_points = out->has_normal = true;
    out->point_a = f->point_a;
    out->point_b = f->point_b;
    out->normal = f->normal;
    out->counters = (abut_counters){ .evaluations = 1 };
    if (f->apart) {
        out->verdict = ABUT_SEPARATE;
        out->has_depth = false;
        out->distance = f->size;
        out->depth = none;
        out->contact_count = 0;
        return;
    }
    out->verdict = ABUT_PENETRATING;
    out->has_depth = true;
    out->distance = none;
    out->depth = f->size;
    out->contact_count = 1;
    out->contacts[0] = (abut_contact){
        .point = { 0.5 * f->point_a.x + 0.5 * f->point_b.x, 0.5 * f->point_a.y + 0.5 * f->point_b.y,
                   0.5 * f->point_a.z + 0.5 * f->point_b.z },
        .normal = f->normal,
        .features = { f->features[0], f->features[1] },
        .ids = { f->ids[0], f->ids[1] },
    };
}

ALWAYS_INLINE void set_distance(const finding *f, const abut_distance_opts *opts, abut_distance_result *out)
{
    const bool with_depth = opts->with_depth;
    const abut_interval met = { with_depth ? -f->size.hi : 0, with_depth ? -f->size.lo : 0 };
    out->verdict = f->apart ? ABUT_SEPARATE : ABUT_PENETRATING;
    out->proof = f->proof;
    out->distance = f->apart ? f->size : met;
    out->stop = out->distance.lo > opts->cutoff ? ABUT_STOP_CUTOFF : ABUT_STOP_DONE;
    out->has_points = true;
    out->point_a = f->point_a;
    out->point_b = f->point_b;
    out->normal = f->normal;
    out->counters = (abut_counters){ .evaluations = 1 };
}

/* The two filters of a pair of shapes, from the function that finds how they are placed. */
#define FILTERS(PAIR, FIND)                                                                            \
    bool abut_quick_check_##PAIR(const abut_shape *a, const abut_pose *pose_a, const abut_shape *b,    \
                                 const abut_pose *pose_b, int max_contacts, abut_check_result *out)    \
    {                                                                                                  \
        finding f;                                                                                     \
        if (!FIND(a, pose_a, b, pose_b, max_contacts != 1, &f))                                        \
            return false;                                                                              \
        set_check(&f, out);                                                                            \
        return true;                                                                                   \
    }                                                                                                  \
    bool abut_quick_distance_##PAIR(const abut_shape *a, const abut_pose *pose_a, const abut_shape *b, \
                                    const abut_pose *pose_b, const abut_distance_opts *opts,           \
                                    abut_distance_result *out)                                         \
    {                                                                                                  \
        finding f;                                                                                     \
        if (!FIND(a, pose_a, b, pose_b, false, &f))                                                    \
            return false;                                                                              \
        set_distance(&f, opts, out);                                                                   \
        return true;                                                                                   \
    }

FILTERS(balls, two_balls)
FILTERS(ball_box, ball_box)
FILTERS(ball_capsule, ball_capsule)
FILTERS(ball_halfspace, ball_halfspace)
FILTERS(capsules, capsules)
