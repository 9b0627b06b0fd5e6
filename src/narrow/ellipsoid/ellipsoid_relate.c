/* SPDX-License-Identifier: MIT */
/* The relation of two ellipsoids: doubles with error bounds where they decide, else the characteristic
 * polynomial in exact arithmetic (ellipsoid_exact.c).
 *
 * With squares P = L L^T, t from a's centre to b's and m > 0, let v = (Pa + m Pb)^-1 t. The point
 * Pa v from a's centre is where the likenesses of both bodies, weighted with m, touch; v is their
 * common normal there. So v is tried as a separating direction, and the point as a common one: |L^T
 * v| is all that either needs. m <- m ka / kb, where ka and kb are the sizes of the likenesses,
 * brings m to where they are equal, and for balls at once. One in the other: l Pb - Pa positive and
 * l t . (l Pb - Pa)^-1 t < 1 - l for one l prove it (the S-lemma), a direction in which a sticks
 * out refutes it. Derivations: docs/notes/ellipsoids-static.md. u = 2^-53.
 *
 * Surprise: the polynomial is not needed where doubles do, since a certificate is cheaper than
 * its coefficients, and does not suffer from their condition. */
#include "math/nearest.h"
#include "math/vec3.h"
#include "narrow/ellipsoid/ellipsoid_exact.h"
#include "narrow/ellipsoid/ellipsoid_set.h"
#include "narrow/ellipsoid/ellipsoid_sym.h"
#include "narrow/pair/exact.h"
#include "shape/shape.h"

static const double u = 0x1p-53;

/* Lengths of a are in units of 2^ea, of b in 2^eb, t in 2^et; wa = 2^(ea - et), wb = 2^(eb -
 * et). Mostly all are 1. */
typedef struct problem {
    abut_mat3 a, b;
    abut_vec3 t;
    sym3 pa, pb;
    double fa, fb;       /* squared Frobenius norms, to a few ulp */
    double det_a, det_b; /* off by 8 u f^3, for the norm f */
    double far;          /* |t|^2 */
    double reach;        /* |t|^2 + |wa La|^2 + |wb Lb|^2 */
    double wa, wb;
    int ea, eb, et;
} problem;

/* What is known for one m, which is that of the scaled bodies: v, |v|^2, La^T v and its length,
 * the same of b, v . t. The likenesses of the bodies have the sizes pa / wa and m pb / wb. */
typedef struct view {
    abut_vec3 v, ma, mb;
    double size, pa, pb, along;
} view;

const char *abut_ellipsoid_relation_name(abut_ellipsoid_relation relation)
{
    static const char *const names[] = { "unknown", "separate", "touching", "crossing",
                                         "a in b",  "b in a",   "equal" };
    return relation >= 0 && relation <= ABUT_ELLIPSOIDS_EQUAL ? names[relation] : "unknown";
}

static double largest(const abut_mat3 *m)
{
    double most = 0;
    for (int i = 0; i < 9; ++i)
        most = fmax(most, fabs(m->m[i / 3][i % 3]));
    return most;
}

static bool is_finite_map(const abut_affine *m)
{
    double sum = 0;
    for (int i = 0; i < 9; ++i)
        sum += 0 * m->linear.m[i / 3][i % 3];
    return sum + 0 * m->translation.x + 0 * m->translation.y + 0 * m->translation.z == 0;
}

/* Sizes (squared) for which no product of six lengths overflows, nor underflows to where it
 * counts. */
static bool is_usual(double square)
{
    return square >= 0x1p-240 && square <= 0x1p240;
}

/* A bound of |L^-1| <= |adj L| / |det L|, where |adj L| <= |L|^2 / sqrt 3, from the squared norm
 * of L. */
static double inverse_bound(double f, double det)
{
    const double square = det * det, cube = f * f * f;
    if (square > 0x1p-60 * cube) /* 8 u f^1.5 < 2^-19 |det| */
        return 0.59 * f / fabs(det);
    const double least = fabs(det) - 8 * u * sqrt(cube);
    return least > 0 ? 0.58 * f / least : INFINITY;
}

static inline void fill(problem *p)
{
    p->pa = abut_sym3_square(&p->a);
    p->pb = abut_sym3_square(&p->b);
    p->fa = p->pa.xx + p->pa.yy + p->pa.zz;
    p->fb = p->pb.xx + p->pb.yy + p->pb.zz;
    p->det_a = abut_sym3_determinant9(&p->a);
    p->det_b = abut_sym3_determinant9(&p->b);
    p->far = abut_dot(p->t, p->t);
    p->reach = p->far + p->wa * p->wa * p->fa + p->wb * p->wb * p->fb;
}

static void scale(abut_mat3 *m, int e)
{
    for (int i = 0; i < 9; ++i)
        m->m[i / 3][i % 3] = ldexp(m->m[i / 3][i % 3], -e);
}

/* Each in its own unit. What underflows in this is below 2^-1000 of the largest entry. */
static void set_scaled(const abut_affine *a, const abut_affine *b, problem *p)
{
    p->a = a->linear;
    p->b = b->linear;
    (void)frexp(largest(&p->a), &p->ea);
    (void)frexp(largest(&p->b), &p->eb);
    scale(&p->a, p->ea);
    scale(&p->b, p->eb);
    /* The difference may overflow, its half does not. */
    p->t = abut_sub(abut_scale(0.5, b->translation), abut_scale(0.5, a->translation));
    (void)frexp(abut_max_norm(p->t), &p->et);
    p->t = abut_v3(ldexp(p->t.x, -p->et), ldexp(p->t.y, -p->et), ldexp(p->t.z, -p->et));
    p->et += 1;
    p->wa = ldexp(1, p->ea - p->et);
    p->wb = ldexp(1, p->eb - p->et);
    fill(p);
}

static inline void set_plain(const abut_affine *a, const abut_affine *b, problem *p)
{
    p->a = a->linear;
    p->b = b->linear;
    p->t = abut_sub(b->translation, a->translation);
    p->wa = p->wb = 1;
    p->ea = p->eb = p->et = 0;
    fill(p);
}

static inline view view_at(const problem *p, double m)
{
    const sym3 g = abut_sym3_mix(&p->pa, m, &p->pb), adj = abut_sym3_adjugate(&g);
    const double inverse = 1 / abut_sym3_determinant(&g, &adj);
    view w;
    w.v = abut_scale(inverse, abut_sym3_apply(&adj, p->t));
    w.ma = abut_mul_t(&p->a, w.v);
    w.mb = abut_mul_t(&p->b, w.v);
    w.size = abut_dot(w.v, w.v);
    w.pa = sqrt(abut_dot(w.ma, w.ma));
    w.pb = sqrt(abut_dot(w.mb, w.mb));
    w.along = abut_dot(w.v, p->t);
    return w;
}

/* Errors of v . t - |La^T v| - |Lb^T v|: 4 u |v| |t| for the product and t itself, 3 u f |v| for
 * L^T v, 3 u for its length, and the sums: below 12 u of |v| (|t| + fa + fb), which is at most
 * sqrt 3 times the root below. */
static double slack(const problem *p, double square)
{
    return 24 * u * sqrt(square * p->reach + 0x1p-1000 * square);
}

static inline bool parts(const problem *p, const view *w)
{
    const double gap = w->along - p->wa * w->pa - p->wb * w->pb;
    return gap > 0 && gap > slack(p, w->size);
}

/* z = cb - m Pb v is in b when kb < 1; from a's centre it is Pa v + r for the rest r = t - Pa v
 * - m Pb v, and in a when ka + |La^-1 r| < 1. The rest is off by 16 u of |t| + |v| (fa^2 + m
 * fb^2), ka by 8 u fa |v| and kb alike. All may be off by `room` more. *x: from a's centre to z,
 * in units of t; not Pa v, which is as good a point of a, but may be outside a b that is smaller
 * than the rest. */
static inline bool meets(const problem *p, double m, const view *w, double room, abut_vec3 *x)
{
    *x = abut_sub(p->t, abut_scale(m, abut_mul(&p->b, w->mb)));
    const abut_vec3 r = abut_sub(*x, abut_mul(&p->a, w->ma));
    const double both = p->fa + m * p->fb;
    const double rest =
        sqrt(abut_dot(r, r)) + 24 * u * sqrt(p->far + w->size * both * both) + 0x1p-960 + room;
    const double ka = w->pa + 8 * u * sqrt(p->fa * w->size) + rest * inverse_bound(p->fa, p->det_a);
    double kb = m * (w->pb + 8 * u * sqrt(p->fb * w->size));
    if (room > 0)
        kb += room * inverse_bound(p->fb, p->det_b);
    return ka < (1 - 0x1p-48) * p->wa && kb < (1 - 0x1p-48) * p->wb;
}

/* ---- one in the other ---- */

/* Some direction n in which a reaches further than b: 1 for a, 2 for b, both or none. Errors as
 * in slack(). */
static int sticks_out(const problem *p, double along, double pa, double pb, double square)
{
    const double error = slack(p, square), ra = p->wa * pa, rb = p->wb * pb, shift = fabs(along);
    return (ra + shift - rb > error) | (rb + shift - ra > error) << 1;
}

static int sticks_out_along(const problem *p, abut_vec3 n)
{
    const abut_vec3 ma = abut_mul_t(&p->a, n), mb = abut_mul_t(&p->b, n);
    return sticks_out(p, abut_dot(n, p->t), sqrt(abut_dot(ma, ma)), sqrt(abut_dot(mb, mb)), abut_dot(n, n));
}

/* Along the axes of the world: squared, since 2^-40 is more than what is lost. */
static int sticks_out_boxes(const problem *p)
{
    const double a[3] = { p->pa.xx, p->pa.yy, p->pa.zz }, b[3] = { p->pb.xx, p->pb.yy, p->pb.zz },
                 t[3] = { fabs(p->t.x), fabs(p->t.y), fabs(p->t.z) };
    int out = 0;
    for (int i = 0; i < 3; ++i) {
        const double ra = p->wa * sqrt(a[i]), rb = p->wb * sqrt(b[i]), error = slack(p, 1);
        out |= (ra + t[i] - rb > error) | (rb + t[i] - ra > error) << 1;
    }
    return out;
}

/* Is a strictly in b, by the S-lemma at l: K = l Pb - Pa > 0 and l t . adj(K) t < (1 - l) det K,
 * in the unit of b's length? 1: proved, -1: l is too small, 0: neither. Entries of K are off by
 * 5 u s for s = l |Lb|^2 + |La|^2, minors of two by 24 u s^2, the determinant by 120 u s^3,
 * adj(K) by as much as the minors, all with room. *n: where a may stick out. */
static int is_in_at(const sym3 *pa, double fa, const sym3 *pb, double fb, abut_vec3 t, double l,
                    double *slope, abut_vec3 *n)
{
    const sym3 k = abut_sym3_mix_minus(l, pb, pa), adj = abut_sym3_adjugate(&k);
    const double s = l * fb + fa, det = abut_sym3_determinant(&k, &adj), tt = abut_dot(t, t);
    const double e1 = 8 * u * s, e2 = 32 * u * s * s, e3 = 160 * u * s * s * s;
    *n = abut_sym3_apply(&adj, t);
    if (!(k.xx > e1 && adj.zz > e2 && det > e3))
        return -1;
    const double form = abut_dot(t, *n);
    /* The slope of 1 - l - l t K^-1 t: -1 - t K^-1 t + l (K^-1 t) . Pb K^-1 t. */
    const abut_vec3 w = abut_scale(1 / det, *n);
    *slope = -1 - form / det + l * abut_dot(w, abut_sym3_apply(pb, w));
    /* t is off by 3 u of itself. */
    return l * (form + (4 * e2 + 24 * u * s * s) * tt) * (1 + 0x1p-48) < (1 - l) * (det - e3) * (1 - 0x1p-48);
}

/* 1: proved that the small one is in the large one, -1: proved that it is not, 0: not known. t
 * is from the large one's centre to the small one's or back. */
static int is_in(const problem *p, bool a_in_b)
{
    /* In the unit of b's lengths, when that is the large one. */
    const double ratio = a_in_b ? p->wa / p->wb : p->wb / p->wa, shift = 1 / (a_in_b ? p->wb : p->wa);
    const sym3 *large = a_in_b ? &p->pb : &p->pa;
    const double f = a_in_b ? p->fb : p->fa, g = (a_in_b ? p->fa : p->fb) * ratio * ratio;
    const sym3 small = abut_sym3_scale(ratio * ratio, a_in_b ? &p->pa : &p->pb);
    const abut_vec3 t = abut_scale(shift, p->t);
    double low = 0, high = INFINITY, l = 0.5;
    if (!(isfinite(shift) && ratio > 0x1p-300 && ratio < 0x1p300))
        return 0;
    for (int step = 0; step < 30; ++step) {
        double slope = 0;
        abut_vec3 n;
        const int found = is_in_at(&small, g, large, f, t, l, &slope, &n);
        if (found > 0)
            return 1;
        if (sticks_out_along(p, abut_unit_or(n, abut_v3(1, 0, 0))) & (a_in_b ? 1 : 2))
            return -1;
        *(found < 0 || slope > 0 ? &low : &high) = l;
        l = high < INFINITY ? 0.5 * (low + high) : 2 * low;
    }
    return 0;
}

/* Interiors meet. UNKNOWN where doubles do not tell. */
static abut_ellipsoid_relation nesting(const problem *p, const view *w)
{
    int out = sticks_out(p, w->along, w->pa, w->pb, w->size);
    if (out != 3)
        out |= sticks_out_boxes(p);
    if (out != 3)
        out |= sticks_out_along(p, p->t);
    const int a_in = out & 1 ? -1 : is_in(p, true);
    if (a_in > 0)
        return ABUT_ELLIPSOIDS_A_IN_B;
    const int b_in = out & 2 ? -1 : is_in(p, false);
    if (b_in > 0)
        return ABUT_ELLIPSOIDS_B_IN_A;
    return a_in < 0 && b_in < 0 ? ABUT_ELLIPSOIDS_CROSSING : ABUT_ELLIPSOIDS_UNKNOWN;
}

/* ---- the whole ---- */

/* At least the length. */
static double spread(abut_vec3 a)
{
    return fabs(a.x) + fabs(a.y) + fabs(a.z);
}

/* normal . x <= offset for a: between the two, with the roundings of the offset on both sides
 * when it is to be certain. */
static bool set_plane(const problem *p, const view *w, const abut_affine *a, const abut_affine *b,
                      bool certain, abut_ellipsoid_result *out)
{
    const double over = 1 / sqrt(w->size);
    const abut_vec3 n = abut_scale(over, w->v);
    double ra = w->pa * over, rb = w->pb * over, fa = sqrt(p->fa), fb = sqrt(p->fb);
    if (p->et != 0) {
        ra = ldexp(ra, p->ea);
        rb = ldexp(rb, p->eb);
        fa = ldexp(fa, p->ea);
        fb = ldexp(fb, p->eb);
    }
    const double low = abut_dot(n, a->translation) + ra, high = abut_dot(n, b->translation) - rb,
                 offset = 0.5 * low + 0.5 * high;
    /* Each end: 4 u of the product's parts; 3 u f and 8 u for the length, which is of v and not
     * of n; the sum. */
    const double error_a = 16 * u * (spread(a->translation) + fa) + 0x1p-1060,
                 error_b = 16 * u * (spread(b->translation) + fb) + 0x1p-1060;
    if (!isfinite(offset) || !(fabs(abut_dot(n, n) - 1) < 0x1p-40))
        return false;
    if (certain && !(low + error_a < offset && offset < high - error_b))
        return false;
    out->normal = n;
    out->offset = offset + 0.0;
    return true;
}

/* a's centre + x, with x in units of 2^et. */
static abut_vec3 place_point(const problem *p, const abut_affine *a, abut_vec3 x)
{
    if (p->et == 0)
        return abut_add(a->translation, x);
    return abut_add(a->translation, abut_v3(ldexp(x.x, p->et), ldexp(x.y, p->et), ldexp(x.z, p->et)));
}

/* What that may be off by, in the same units: the sum, and x, which is 3 u for the product with
 * Lb, 1 for that with m, 1 for t, 2 for their difference, each of no more than the reach. */
static double point_room(const problem *p, const abut_affine *a)
{
    const double size = spread(a->translation);
    return 4 * u * ((p->et ? ldexp(size, -p->et) : size) + 2 * sqrt(p->reach));
}

enum { MOST_STEPS = 40 };

/* The next m: by the ratio, kept within what is known. `low` has ka > kb. */
static double next_mix(const problem *p, double m, const view *w, double *low, double *high)
{
    const double ka = w->pa * p->wb, kb = m * w->pb * p->wa;
    *(ka > kb ? low : high) = m;
    double next = m * (ka / kb);
    if (!(next > *low && next < *high))
        next = *high<INFINITY && * low> 0 ? sqrt(*low) * sqrt(*high) : m;
    return next;
}

/* Where to begin: at the ratio of the sizes, for balls; as good for bodies of like sizes is 1. */
static double first_mix(const problem *p)
{
    if (p->et == 0 && p->fa < 16 * p->fb && p->fb < 16 * p->fa)
        return 1;
    return sqrt(p->fa / p->fb) * (p->wb / p->wa);
}

/* SEPARATE or CROSSING, which here says that interiors meet, or UNKNOWN. *decided: the point
 * stays in both when it is added to the centre of a, `at`, and rounded; not asked for where that
 * is NULL. */
static inline __attribute__((always_inline)) abut_ellipsoid_relation compare(const problem *p,
                                                                             const abut_affine *at, double *m,
                                                                             view *w, abut_vec3 *x,
                                                                             bool *decided)
{
    double low = 0, high = INFINITY;
    *m = first_mix(p);
    *decided = false;
    for (int step = 0;; ++step) {
        *w = view_at(p, *m);
        if (parts(p, w))
            return ABUT_ELLIPSOIDS_SEPARATE;
        if (w->pa < p->wa && *m * w->pb < p->wb) {
            *decided = at && meets(p, *m, w, point_room(p, at), x);
            if (*decided || meets(p, *m, w, 0, x))
                return ABUT_ELLIPSOIDS_CROSSING;
        }
        const double next = next_mix(p, *m, w, &low, &high);
        if (!(fabs(next - *m) > 4 * u * *m) || step == MOST_STEPS)
            break;
        *m = next;
    }
    *x = abut_mul(&p->a, w->ma);
    return ABUT_ELLIPSOIDS_UNKNOWN;
}

/* A point that is in both even when it is rounded, by going on to where both likenesses are
 * equally small. */
static bool decide_point(const problem *p, const abut_affine *at, double m, view w, abut_vec3 *x)
{
    const double room = point_room(p, at);
    double low = 0, high = INFINITY;
    abut_vec3 better;
    for (int step = 0; step < 12; ++step) {
        m = next_mix(p, m, &w, &low, &high);
        w = view_at(p, m);
        if (meets(p, m, &w, room, &better)) {
            *x = better;
            return true;
        }
    }
    return false;
}

/* 2^-e (n . c + sign |L^T n|) */
static dd support_at(const abut_affine *map, abut_vec3 normal, double sign, int e)
{
    const double n[3] = { normal.x, normal.y, normal.z };
    const double c[3] = { map->translation.x, map->translation.y, map->translation.z };
    dd square = { 0, 0 }, at = { 0, 0 };
    for (int j = 0; j < 3; ++j) {
        dd reach = { 0, 0 };
        for (int i = 0; i < 3; ++i)
            reach = dd_add(reach, dd_two_product(ldexp(map->linear.m[i][j], -e), n[i]));
        square = dd_add(square, dd_sqr(reach));
        at = dd_add(at, dd_two_product(ldexp(c[j], -e), n[j]));
    }
    const dd length = square.h > 0 ? dd_sqrt(square) : square;
    return sign > 0 ? dd_add(at, length) : dd_sub(at, length);
}

/* Where the gap is about as small as an offset is rounded: the offset from pairs of doubles, for
 * normals some ulp shorter and longer, whose offsets are rounded otherwise; exact arithmetic
 * proves it. */
static bool set_plane_finely(const view *w, const abut_affine *a, const abut_affine *b,
                             abut_ellipsoid_result *out)
{
    enum { TRIES = 65 };
    const double over = 1 / sqrt(w->size);
    int e;
    (void)frexp(fmax(largest(&a->linear), largest(&b->linear)), &e);
    for (int k = 0; k < TRIES; ++k) {
        const double longer = 1 + (k % 2 ? (k + 1) / 2 : -k / 2) * 0x1p-52;
        const abut_vec3 n = abut_scale(over * longer, w->v);
        if (!(fabs(abut_dot(n, n) - 1) < 0x1p-40))
            return false;
        const dd sum = dd_add(support_at(a, n, 1, e), support_at(b, n, -1, e));
        const double offset = ldexp(0.5 * sum.h, e);
        if (!isfinite(offset))
            return false;
        if (abut_ellipsoid_exact_plane(a, n, offset) < 0 && abut_ellipsoid_exact_plane(b, n, offset) > 0) {
            out->normal = n;
            out->offset = offset + 0.0;
            return true;
        }
    }
    return false;
}

/* A plane that is proved to part them, going on to where the gap is widest; false where none was
 * found that doubles can state. */
static bool part(const problem *p, const abut_affine *a, const abut_affine *b, double m, view w,
                 abut_ellipsoid_result *out)
{
    double low = 0, high = INFINITY;
    for (int step = 0; step < 12; ++step) {
        m = next_mix(p, m, &w, &low, &high);
        w = view_at(p, m);
        if (set_plane(p, &w, a, b, true, out))
            return true;
    }
    return set_plane_finely(&w, a, b, out);
}

static bool is_singular(const abut_affine *map, double f, double det)
{
    return !(det * det > 0x1p-99 * f * f * f) && abut_ellipsoid_exact_determinant(&map->linear) == 0;
}

/* False where one of them is zero, or not finite. (Usual sizes are finite, and so are centres
 * that differ by one.) */
static inline bool set_problem(const abut_affine *a, const abut_affine *b, problem *p)
{
    set_plain(a, b, p);
    if (is_usual(p->fa) && is_usual(p->fb) && (p->far == 0 || is_usual(p->far)))
        return true;
    if (!is_finite_map(a) || !is_finite_map(b) || largest(&a->linear) == 0 || largest(&b->linear) == 0)
        return false;
    set_scaled(a, b, p);
    return true;
}

static abut_ellipsoid_exact_relation relate_exactly(const abut_affine *a, const abut_affine *b, bool nested)
{
    const abut_ellipsoid_given ga = { .radii = { 1, 1, 1 }, .map = *a },
                               gb = { .radii = { 1, 1, 1 }, .map = *b };
    return abut_ellipsoid_exact(&ga, &gb, nested);
}

bool abut_ellipsoid_is_singular(const abut_affine *map)
{
    const sym3 p = abut_sym3_square(&map->linear);
    const double f = p.xx + p.yy + p.zz;
    if (!is_usual(f))
        return abut_ellipsoid_exact_determinant(&map->linear) == 0;
    return is_singular(map, f, abut_sym3_determinant9(&map->linear));
}

abut_verdict abut_ellipsoid_decide(const abut_affine *a, const abut_affine *b, bool *exact)
{
    problem p;
    double m;
    view w;
    abut_vec3 x;
    bool decided;
    abut_ellipsoid_relation relation =
        set_problem(a, b, &p) ? compare(&p, NULL, &m, &w, &x, &decided) : ABUT_ELLIPSOIDS_UNKNOWN;
    *exact = relation == ABUT_ELLIPSOIDS_UNKNOWN;
    if (*exact)
        relation = relate_exactly(a, b, false).relation;
    return relation == ABUT_ELLIPSOIDS_UNKNOWN    ? ABUT_UNDECIDED
           : relation == ABUT_ELLIPSOIDS_SEPARATE ? ABUT_SEPARATE
           : relation == ABUT_ELLIPSOIDS_TOUCHING ? ABUT_TOUCHING
                                                  : ABUT_PENETRATING;
}

/* Field by field: shorter than clearing the whole. */
static inline void clear(abut_ellipsoid_result *out)
{
    const abut_vec3 zero = { 0, 0, 0 };
    out->relation = ABUT_ELLIPSOIDS_UNKNOWN;
    out->inner_touch = out->has_plane = out->has_point = false;
    out->proof = ABUT_PROOF_NONE;
    out->normal = out->point = zero;
    out->offset = 0;
    out->counters = (abut_counters){ 0 };
}

static ABUT_MATH_NOINLINE abut_status relate(const abut_affine *a, const abut_affine *b,
                                             abut_ellipsoid_result *out)
{
    problem p;
    clear(out);
    if (!set_problem(a, b, &p) || is_singular(a, p.fa, p.det_a) || is_singular(b, p.fb, p.det_b))
        return ABUT_ERR_ARGUMENT;
    double m;
    view w;
    abut_vec3 x = { 0, 0, 0 };
    bool decided;
    abut_ellipsoid_relation relation = compare(&p, a, &m, &w, &x, &decided);
    if (relation == ABUT_ELLIPSOIDS_CROSSING)
        relation = nesting(&p, &w);
    out->relation = relation;
    out->proof = ABUT_PROOF_INTERVAL;
    if (relation == ABUT_ELLIPSOIDS_UNKNOWN) {
        const abut_ellipsoid_exact_relation exact = relate_exactly(a, b, true);
        out->relation = exact.relation;
        out->inner_touch = exact.inner_touch;
        out->proof = exact.relation == ABUT_ELLIPSOIDS_UNKNOWN ? ABUT_PROOF_NONE : ABUT_PROOF_EXACT;
        out->counters.exact = 1;
    }
    if (out->relation == ABUT_ELLIPSOIDS_SEPARATE)
        out->has_plane = set_plane(&p, &w, a, b, true, out) || part(&p, a, b, m, w, out);
    if (out->relation == ABUT_ELLIPSOIDS_TOUCHING)
        out->has_plane = set_plane(&p, &w, a, b, false, out);
    if (out->relation >= ABUT_ELLIPSOIDS_TOUCHING) {
        const bool proved =
            out->relation == ABUT_ELLIPSOIDS_TOUCHING || decided || decide_point(&p, a, m, w, &x);
        out->point = place_point(&p, a, x);
        out->has_point = proved && abut_is_finite3(out->point);
    }
    return ABUT_OK;
}

abut_status abut_ellipsoid_relate(const abut_affine *a, const abut_affine *b, abut_ellipsoid_result *out)
{
    if (!a || !b || !out)
        return ABUT_ERR_ARGUMENT;
    if (abut_nearest_is_set())
        return relate(a, b, out);
    const abut_nearest saved = abut_nearest_enter();
    const abut_status status = relate(a, b, out);
    abut_nearest_leave(saved);
    return status;
}

abut_status abut_ellipsoid_from_shape(const abut_shape *shape, const abut_motion *motion, double t,
                                      abut_affine *out)
{
    if (!shape || !out || !isfinite(t))
        return ABUT_ERR_ARGUMENT;
    abut_vec3 r;
    if (shape->type == ABUT_SHAPE_SPHERE)
        r = abut_v3(shape->u.sphere.radius, shape->u.sphere.radius, shape->u.sphere.radius);
    else if (shape->type == ABUT_SHAPE_ELLIPSOID)
        r = abut_v3(shape->core.h[0], shape->core.h[1], shape->core.h[2]);
    else
        return ABUT_ERR_UNSUPPORTED;
    *out = abut_affine_identity();
    if (motion) {
        const abut_status status = abut_motion_at(motion, t, out);
        if (status)
            return status;
    }
    for (int i = 0; i < 3; ++i) {
        out->linear.m[i][0] *= r.x;
        out->linear.m[i][1] *= r.y;
        out->linear.m[i][2] *= r.z;
    }
    return ABUT_OK;
}
