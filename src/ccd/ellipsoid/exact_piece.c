/* SPDX-License-Identifier: MIT */
/* Balls on straight lines, exactly.
 *
 * Over a piece where both origins move on lines, w (c_a - c_b) = C + t B with exact vectors C, B
 * and an exact number w > 0 (the product of the durations that the motions were given by). The gap
 * of two balls has the sign of
 *     q(t) = |C + t B|^2 - (r_a + r_b)^2 w^2,
 * that of a ball over a plane the sign of h - r |n| w, h(t) = n . (C + t B) - offset w, which is
 * that of
 *     q(t) = h(t)^2 - r^2 |n|^2 w^2
 * while h > 0, and negative otherwise. Roots of q are isolated exactly: a double root is a graze,
 * whatever rounding would make of it.
 *
 * Surprise: no time is ever normalised to [0, 1], because (t - t0) / (t1 - t0) is not a double. */
#include "ccd/ellipsoid/moving_ball.h"

#include "interval/poly_certified.h"
#include "math/vec3.h"

/* w position = at + t rate, exact. */
typedef struct exact_line {
    abut_short at[3], rate[3], w;
} exact_line;

/* No product may lose bits below 2^-968 (math/expansion.h). The longest ones have eight factors
 * (r^2 |n|^2 w^2 with w a product of two durations), each a multiple of its smallest bit, which
 * is 2^-52 of its size: sizes down to 2^-68 are safe, 8 (68 + 52) < 968. */
static bool is_moderate(double x)
{
    return x == 0 || (fabs(x) >= 0x1p-68 && fabs(x) <= 0x1p60);
}

/* x / 2^exponent; *ok is cleared where that is not moderate. */
static double shrink(double x, int exponent, bool *ok)
{
    const double y = ldexp(x, -exponent);
    if (x != 0 && (y == 0 || !is_moderate(y)))
        *ok = false;
    return y;
}

static bool find_line(const abut_motion *motion, double t, double *until, int exponent, exact_line *out)
{
    abut_motion_line line = { .t0 = -INFINITY, .t1 = INFINITY };
    if (motion && !abut_motion_origin_line(motion, t, &line))
        return false;
    *until = fmin(*until, line.t1);
    const bool fixed = isinf(line.t0) || isinf(line.t1);
    const bool by_rate = fixed || line.by_rate;
    const abut_vec3 end = by_rate ? line.rate : line.to;
    bool ok = fixed || (is_moderate(line.t0) && is_moderate(line.t1));
    const double from[3] = { shrink(line.from.x, exponent, &ok), shrink(line.from.y, exponent, &ok),
                             shrink(line.from.z, exponent, &ok) };
    const double to[3] = { shrink(end.x, exponent, &ok), shrink(end.y, exponent, &ok),
                           shrink(end.z, exponent, &ok) };
    if (!ok)
        return false;
    out->w = by_rate ? abut_short_from(1) : abut_short_difference(line.t1, line.t0);
    const abut_short t0 = abut_short_from(fixed ? 0 : line.t0);
    for (int i = 0; i < 3; ++i) {
        const abut_short start = abut_short_from(from[i]);
        out->rate[i] = by_rate ? abut_short_from(to[i]) : abut_short_difference(to[i], from[i]);
        const abut_short moved = abut_short_mul(&t0, &out->rate[i]);
        const abut_short scaled = abut_short_mul(&start, &out->w);
        out->at[i] = abut_short_sub(&scaled, &moved);
    }
    return true;
}

static double largest_of(const abut_motion *motion, double t)
{
    abut_motion_line line = { .t0 = 0 };
    if (!motion || !abut_motion_origin_line(motion, t, &line))
        return 0;
    const double moves = isinf(line.t0) ? 0
                         : line.by_rate ? abut_max_norm(line.rate) * fmax(line.t1 - line.t0, 1)
                                        : abut_max_norm(line.to);
    return fmax(abut_max_norm(line.from), moves);
}

static bool is_same(const abut_short *a, const abut_short *b)
{
    if (a->count != b->count)
        return false;
    for (int i = 0; i < a->count; ++i)
        if (a->c[i] != b->c[i])
            return false;
    return true;
}

/* x y, added to *sum. */
static void accumulate(abut_short *sum, const abut_short *x, const abut_short *y)
{
    const abut_short product = abut_short_mul(x, y);
    *sum = abut_short_add(sum, &product);
}

/* q = h^2 - k^2 for h = h0 + t h1; or the sum of the squares of three such h. */
static void add_square(const abut_short *h0, const abut_short *h1, abut_short q[3])
{
    const abut_short two = abut_short_from(2), twice = abut_short_mul(&two, h0);
    accumulate(&q[0], h0, h0);
    accumulate(&q[1], &twice, h1);
    accumulate(&q[2], h1, h1);
}

static bool is_turned_exactly(const abut_moving *m, double lo, double hi, abut_place *place)
{
    static const abut_pose still = { { 0, 0, 0 }, { 1, 0, 0, 0 } };
    if (!m->motion_b)
        return abut_place_from_pose(&still, true, place) == ABUT_OK;
    /* Constant and a signed permutation over the whole piece when the enclosure over it is. */
    if (abut_place_from_motion(m->motion_b, lo, place) != ABUT_OK || !place->axes)
        return false;
    abut_interval_affine over;
    if (abut_motion_enclose(m->motion_b, (abut_interval){ lo, hi }, &over) != ABUT_OK)
        return false;
    for (int i = 0; i < 9; ++i) {
        const abut_interval e = over.linear.m[i / 3][i % 3];
        if (e.lo != e.hi)
            return false;
    }
    return true;
}

bool abut_moving_exact_piece(const abut_moving *m, double t, double *until, abut_exact_piece *out)
{
    if (!is_moderate(t) || !is_moderate(*until))
        return false;
    const bool plane = m->b->type == ABUT_SHAPE_HALFSPACE;
    const double radius = m->a->u.sphere.radius, other = plane ? 0 : m->b->u.sphere.radius;
    double largest = fmax(fmax(largest_of(m->motion_a, t), largest_of(m->motion_b, t)), fmax(radius, other));
    double n[3] = { 0 }, offset = 0;
    if (plane) {
        abut_place place;
        if (!is_turned_exactly(m, t, *until, &place))
            return false;
        const abut_vec3 normal = m->b->u.halfspace.normal;
        const double local[3] = { normal.x, normal.y, normal.z };
        int e;
        (void)frexp(abut_max_norm(normal), &e);
        bool fits = true;
        for (int i = 0; i < 3; ++i)
            n[place.axis[i]] = place.sign[i] * shrink(local[i], e, &fits);
        offset = ldexp(m->b->u.halfspace.offset, -e);
        if (!fits || !isfinite(offset) || (offset == 0) != (m->b->u.halfspace.offset == 0))
            return false;
        largest = fmax(largest, fabs(offset));
    }
    int exponent;
    (void)frexp(largest, &exponent);
    bool ok = true;
    const double r = shrink(radius, exponent, &ok), s = shrink(other, exponent, &ok);
    offset = shrink(offset, exponent, &ok);
    exact_line a, b;
    if (!ok || !find_line(m->motion_a, t, until, exponent, &a) ||
        !find_line(m->motion_b, t, until, exponent, &b))
        return false;

    /* Common denominator: one of them when they are equal, else the product. */
    abut_short w = a.w;
    if (!is_same(&a.w, &b.w)) {
        w = abut_short_mul(&a.w, &b.w);
        for (int i = 0; i < 3; ++i) {
            a.at[i] = abut_short_mul(&a.at[i], &b.w);
            a.rate[i] = abut_short_mul(&a.rate[i], &b.w);
            b.at[i] = abut_short_mul(&b.at[i], &a.w);
            b.rate[i] = abut_short_mul(&b.rate[i], &a.w);
        }
    }
    *out = (abut_exact_piece){ .has_height = plane };
    abut_short level_sq; /* what is subtracted from the square: (r + s)^2 w^2 or r^2 |n|^2 w^2 */
    const abut_short r_exact = abut_short_from(r), s_exact = abut_short_from(s);
    const abut_short sum = abut_short_add(&r_exact, &s_exact), level = abut_short_mul(&sum, &w);
    level_sq = abut_short_mul(&level, &level);
    abut_short normal_sq = { .count = 0 };
    for (int i = 0; i < 3; ++i) {
        const abut_short at = abut_short_sub(&a.at[i], &b.at[i]),
                         rate = abut_short_sub(&a.rate[i], &b.rate[i]);
        if (plane) {
            const abut_short ni = abut_short_from(n[i]);
            accumulate(&out->height[0], &ni, &at);
            accumulate(&out->height[1], &ni, &rate);
            accumulate(&normal_sq, &ni, &ni);
        } else
            add_square(&at, &rate, out->q);
    }
    if (plane) {
        const abut_short o = abut_short_from(offset), shift = abut_short_mul(&o, &w);
        out->height[0] = abut_short_sub(&out->height[0], &shift);
        add_square(&out->height[0], &out->height[1], out->q);
        level_sq = abut_short_mul(&level_sq, &normal_sq);
    }
    out->q[0] = abut_short_sub(&out->q[0], &level_sq);
    return out->q[0].count >= 0 && out->q[1].count >= 0 && out->q[2].count >= 0;
}

static int sign_at(const abut_short *c, int degree, double t)
{
    const abut_short x = abut_short_from(t);
    abut_short value = c[degree];
    for (int i = degree - 1; i >= 0; --i) {
        value = abut_short_mul(&value, &x);
        value = abut_short_add(&value, &c[i]);
    }
    return value.count < 0 ? ABUT_SIGN_UNKNOWN : abut_short_sign(&value);
}

static int piece_sign(const abut_exact_piece *p, double t)
{
    if (p->has_height && sign_at(p->height, 1, t) <= 0)
        return -1;
    return sign_at(p->q, 2, t);
}

/* Sign just after t, where q is zero at t: of the first derivative that is not zero. */
static int sign_after(const abut_exact_piece *p, double t)
{
    const abut_short two = abut_short_from(2);
    abut_short slope[2] = { p->q[1], abut_short_mul(&two, &p->q[2]) };
    const int sign = sign_at(slope, 1, t);
    return sign != 0 ? sign : abut_short_sign(&p->q[2]);
}

static abut_run_cell side_cell(int sign)
{
    return sign > 0 ? ABUT_CELL_APART : sign < 0 ? ABUT_CELL_DEEP : ABUT_CELL_TOUCH;
}

bool abut_moving_solve_exact(abut_moving *m, const abut_exact_piece *p, double lo, double hi, abut_runs *runs)
{
    double terms[3 * ABUT_SHORT_MAX] = { 0 };
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < p->q[i].count; ++j)
            terms[i * ABUT_SHORT_MAX + j] = p->q[i].c[j];
    abut_root roots[2];
    const int count = abut_poly_roots_expansion(terms, ABUT_SHORT_MAX, 2, lo, hi, m->accuracy, roots);
    ++m->counters->iterations;
    ++m->counters->evaluations;
    ++m->counters->exact;
    const int first = piece_sign(p, lo), last = piece_sign(p, hi);
    if (count < 0) /* the same all along */
        return abut_runs_add(runs, side_cell(first), lo, hi, true);
    int sign = first;
    double at = lo;
    if (first == 0) {
        if (!abut_runs_add(runs, ABUT_CELL_TOUCH, lo, lo, true))
            return false;
        sign = sign_after(p, lo);
    }
    for (int i = 0; i < count; ++i) {
        const abut_root *root = &roots[i];
        if ((first == 0 && root->x.lo <= lo) || (last == 0 && root->x.hi >= hi))
            continue; /* the ends are known exactly */
        if (p->has_height && piece_sign(p, root->x.lo) < 0 && piece_sign(p, root->x.hi) < 0)
            continue; /* where the ball is as far below the plane */
        const bool cluster = root->kind == ABUT_ROOT_CLUSTER;
        const abut_run_cell cell = cluster ? ABUT_CELL_UNKNOWN
                                   : root->kind == ABUT_ROOT_SIMPLE
                                       ? ABUT_CELL_CROSS
                                       : (sign > 0 ? ABUT_CELL_GRAZE : ABUT_CELL_DEEP);
        if (!abut_runs_add(runs, side_cell(sign), at, root->x.lo, true) ||
            !abut_runs_add(runs, cell, root->x.lo, root->x.hi, !cluster))
            return false;
        if (cluster)
            m->stop = ABUT_STOP_TOLERANCE;
        sign = cluster ? piece_sign(p, root->x.hi) : root->kind == ABUT_ROOT_SIMPLE ? -sign : sign;
        at = root->x.hi;
    }
    if (!abut_runs_add(runs, side_cell(sign), at, hi, true))
        return false;
    return last != 0 || abut_runs_add(runs, ABUT_CELL_TOUCH, hi, hi, true);
}
