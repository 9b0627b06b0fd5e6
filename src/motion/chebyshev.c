/* SPDX-License-Identifier: MIT */
/* Position and quaternion as Chebyshev series over the time range.
 *
 * Method: at a point, Clenshaw's recurrence in plain doubles with a running error bound: a
 * rounding error made in step k acts exactly as if coefficient k had been changed by it, and
 * |T_k| <= 1, so the errors of the steps simply add up (interval arithmetic in the recurrence
 * would blow up exponentially). Over a long interval, each T_k is enclosed by its values at the
 * ends and the table of its extremes (interval/chebyshev.h); that gives plain enclosures of p'', p'
 * and p, and the slope form makes p' tight from p'' and p tight from p'. Over a short one, p'' is
 * its value in the middle and what a bound of p''' adds to that. The rotation is R(q) / |q|^2, its
 * derivative [w]x R with w = 2 q' q* / |q|^2; where the plain enclosure of q says too little, the
 * interval is halved. Sources: C. W. Clenshaw, MTAC 9 (1955); the error analysis is
 * in docs/notes/motion-enclosures.md. */
#include "interval/chebyshev.h"
#include "math/vec3.h"
#include "motion/create.h"
#include "motion/kernel.h"
#include "motion/leg.h"

/* halvings: until the quaternion has a direction; looser: more, where long intervals give loose
 * bounds. */
enum { max_coefficients = 64, max_halvings = 40, looser_halvings = 4 };

/* The series of the position, or of the quaternion, are evaluated side by side. */
enum { LANES = 4 };

/* One series: coefficients of p, p' and p'' by x. */
typedef struct series {
    size_t count;
    abut_interval *c[3];
    double third[4]; /* bounds of p''', see bound_third */
} series;

/* The middles of the coefficients of up to four series, those of each k together, by order of
 * the derivative; and the sum of what these are off by. */
typedef struct bundle {
    const series *of;
    size_t lanes, count; /* of series; of the coefficients of the longest */
    ia_pair *c[3];
    double radius[3][LANES];
    bool tiny;    /* some first coefficient is so small that half of it may be inexact */
    bool bounded; /* the bounds of p''' are far from overflow */
} bundle;

typedef struct motion_chebyshev {
    abut_motion base;
    bool rotates;
    series p[7]; /* x y z, then w x y z of the quaternion */
    bundle position, quaternion;
    size_t stored, middles;
    abut_interval *store;
    ia_pair *middle;
} motion_chebyshev;

static const motion_chebyshev *self(const abut_motion *motion)
{
    return (const motion_chebyshev *)motion;
}

/* ---- plain doubles ---- */

static double plain(const series *p, int order, double x)
{
    double b1 = 0, b2 = 0;
    if (p->count == 0)
        return 0;
    for (size_t k = p->count - 1; k > 0; --k) {
        const double b0 = box_mid(p->c[order][k]) + 2 * x * b1 - b2;
        b2 = b1;
        b1 = b0;
    }
    return 0.5 * box_mid(p->c[order][0]) + x * b1 - b2;
}

static double plain_x(const motion_chebyshev *m, double t)
{
    const double t0 = m->base.t0, t1 = m->base.t1;
    return t >= t1 ? 1 : fmin(1, 2 * ((t - t0) / (t1 - t0)) - 1);
}

static abut_quat plain_quat(const motion_chebyshev *m, int order, double x)
{
    return (abut_quat){ plain(&m->p[3], order, x), plain(&m->p[4], order, x), plain(&m->p[5], order, x),
                        plain(&m->p[6], order, x) };
}

static abut_vec3 plain_position(const motion_chebyshev *m, int order, double x)
{
    return abut_v3(plain(&m->p[0], order, x), plain(&m->p[1], order, x), plain(&m->p[2], order, x));
}

static abut_status at(const abut_motion *motion, double t, abut_affine *out)
{
    const motion_chebyshev *m = self(motion);
    const double x = plain_x(m, t);
    out->translation = plain_position(m, 0, x);
    out->linear = m->rotates ? abut_quat_to_mat3(plain_quat(m, 0, x)) : abut_mat3_identity();
    return ABUT_OK;
}

static abut_status velocity_at(const abut_motion *motion, double t, abut_affine *out)
{
    const motion_chebyshev *m = self(motion);
    const double x = plain_x(m, t), per_time = 2 / (motion->t1 - motion->t0);
    *out = (abut_affine){ .translation = abut_scale(per_time, plain_position(m, 1, x)) };
    if (!m->rotates)
        return ABUT_OK;
    const abut_quat q = plain_quat(m, 0, x), dq = plain_quat(m, 1, x);
    const abut_quat turn = abut_quat_mul(dq, abut_quat_conjugate(q));
    const abut_mat3 r = abut_quat_to_mat3(q);
    const abut_vec3 w = abut_scale(2 * per_time / abut_quat_dot(q, q), abut_v3(turn.x, turn.y, turn.z));
    for (int j = 0; j < 3; ++j) {
        const abut_vec3 c = abut_cross(w, abut_v3(r.m[0][j], r.m[1][j], r.m[2][j]));
        out->linear.m[0][j] = c.x;
        out->linear.m[1][j] = c.y;
        out->linear.m[2][j] = c.z;
    }
    return ABUT_OK;
}

/* ---- kernels ---- */

/* The values at the doubles x[0] and x[1] in [-1, 1]. Each of the three operations of a step is off
 * by at most 2^-52 of its result in whatever rounding mode; 1.001 covers the rounding of the bound
 * itself, the last term results that are denormal. What is zero, or a constant, is exact. The
 * chains of operations do not depend on each other, so that a processor works on several at a
 * time. */
static void values(const bundle *p, int order, const double x[2], ia out[2][LANES])
{
    const ia_pair *c = p->c[order];
    const ia_pair zero = ia_pair_of(0), t[2] = { ia_pair_of(2 * x[0]), ia_pair_of(2 * x[1]) };
    ia_pair b1[4] = { zero, zero, zero, zero }, b2[4] = { zero, zero, zero, zero },
            errors[4] = { zero, zero, zero, zero };
    for (size_t k = p->count; k-- > 1;) {
        const ia_pair each[2] = { c[2 * k], c[2 * k + 1] };
/* Not a loop, so that all stays in registers. */
#define STEP(i)                                                                                      \
    {                                                                                                \
        const ia_pair product = t[(i) / 2] * b1[i], sum = each[(i) % 2] + product, b0 = sum - b2[i]; \
        errors[i] += (ia_pair_abs(product) + ia_pair_abs(sum)) + ia_pair_abs(b0);                    \
        b2[i] = b1[i];                                                                               \
        b1[i] = b0;                                                                                  \
    }
        STEP(0)
        STEP(1)
        STEP(2)
        STEP(3)
#undef STEP
    }
    for (int i = 0; i < 2 * LANES; ++i) {
        const int lane = i % LANES, half = i % 2;
        const double before = b2[i / 2][half], product = x[i / LANES] * b1[i / 2][half],
                     sum = (p->count ? 0.5 * c[lane / 2][half] : 0) + product, last = sum - before;
        const double inexact =
            fabs(product) + (product != 0 ? fabs(sum) : 0) + (before != 0 ? fabs(last) : 0);
        const double all = errors[i / 2][half] + inexact;
        const double bound = 1.001 * (0x1p-52 * all + p->radius[order][lane]) +
                             (all > 0 || p->tiny ? (double)p->count * 0x1p-1070 : 0);
        out[i / LANES][lane] = ia_add(ia_point(last), ia_make(-bound, bound));
    }
}

/* a + b = the result + *low up to 2^-52 of *low, in whatever rounding mode: Fast2Sum. */
static inline ia_pair sum_and_error(ia_pair a, ia_pair b, ia_pair *low)
{
    const ia_mask first = ia_pair_abs(a) >= ia_pair_abs(b);
    const ia_pair big = ia_pair_select(first, a, b), small = ia_pair_select(first, b, a), sum = big + small;
    *low = small - (sum - big);
    return sum;
}

/* The value at x, to about an ulp: what the operations of a step are off by is known but for 2^-52
 * of it, and counts as a coefficient, too. So the errors make another series, which is evaluated
 * along with the first, as `values` does. 2^-1000 covers products whose errors underflow. Source:
 * S. Graillat, Ph. Langlois, N. Louvet, Algorithms for accurate, validated and fast polynomial
 * evaluation, Japan J. Indust. Appl. Math. 26 (2009), for Horner's scheme. */
static void precise_value(const bundle *p, int order, double x, ia out[LANES])
{
    const ia_pair *c = p->c[order];
    const ia_pair zero = ia_pair_of(0);
    ia_pair b1[2] = { zero, zero }, b2[2] = { zero, zero }, d1[2] = { zero, zero }, d2[2] = { zero, zero },
            errors[2] = { zero, zero }, sizes[2] = { zero, zero };
    bool known = true;
    for (size_t k = p->count; k-- > 0;) {
        const ia_pair t = ia_pair_of(k > 0 ? 2 * x : x), weight = ia_pair_of(k > 0 ? 1 : 0.5);
        for (int i = 0; i < 2; ++i) {
            ia_pair low_sum, low_last;
            const ia_pair product = t * b1[i], low_product = ia_pair_mul_error(t, b1[i], product);
            const ia_pair sum = sum_and_error(weight * c[2 * k + (size_t)i], product, &low_sum);
            const ia_pair b0 = sum_and_error(sum, -b2[i], &low_last);
            const ia_pair lows = low_sum + low_last, low = low_product + lows;
            const ia_pair turned = t * d1[i], part = low + turned, d0 = part - d2[i];
            errors[i] +=
                ((ia_pair_abs(low_sum) + ia_pair_abs(low_last)) + (ia_pair_abs(lows) + ia_pair_abs(low))) +
                ((ia_pair_abs(turned) + ia_pair_abs(part)) + ia_pair_abs(d0));
            sizes[i] += ia_pair_abs(b1[i]);
            b2[i] = b1[i];
            b1[i] = b0;
            d2[i] = d1[i];
            d1[i] = d0;
        }
    }
    for (int lane = 0; lane < LANES; ++lane) {
        const int i = lane / 2, half = lane % 2;
        const double bound = 1.001 * (0x1p-52 * errors[i][half] + p->radius[order][lane]) +
                             (sizes[i][half] > 0 || p->tiny ? (double)p->count * 0x1p-1000 : 0);
        known = known && isfinite(b1[i][half]) && isfinite(d1[i][half]) && isfinite(bound);
        out[lane] = known
                        ? ia_add(ia_point(b1[i][half]), ia_add(ia_point(d1[i][half]), ia_make(-bound, bound)))
                        : ia_entire();
    }
    if (!known) {
        ia both[2][LANES];
        values(p, order, (const double[]){ x, x }, both);
        memcpy(out, both[0], sizeof both[0]);
    }
}

/* An upper bound of |p'''| over x. With w = 1 / sqrt(1 - x^2), |T_k'| <= k w; the equation of T_k,
 * (1 - x^2) T'' = x T' - k^2 T, and its derivative give |T''| <= k w^3 + k^2 w^2 and
 * |T'''| <= 3 k w^5 + 3 k^2 w^4 + k^3 w^3. Near the ends, T_k'''(1) = k^2 (k^2 - 1) (k^2 - 4) / 15
 * is less, which is the most anywhere. */
static double bound_third(const series *p, ia x)
{
    const double most = fmax(fabs(ia_lo(x)), fabs(ia_hi(x)));
    const ia rest = ia_mul(ia_sub(ia_point(1), ia_point(most)), ia_add(ia_point(1), ia_point(most)));
    if (!(ia_lo(rest) > 0x1p-40))
        return p->third[3];
    const ia ww = ia_div(ia_point(1), rest), w = ia_sqrt(ww), three = ia_point(3);
    ia sum = ia_mul(three, ia_mul(w, ia_point(p->third[0])));
    sum = ia_mul(w, ia_add(sum, ia_mul(three, ia_point(p->third[1]))));
    sum = ia_mul(ia_mul(ww, w), ia_add(sum, ia_point(p->third[2])));
    return fmin(ia_hi(sum), p->third[3]);
}

/* x is so short that each T_k bends once at most: the middle tells more than the ranges. Steers
 * only. */
static bool is_short(ia x, size_t count)
{
    const double lo = ia_lo(x), hi = ia_hi(x), n = (double)count;
    const double rest = fmin(1 - lo * lo, 1 - hi * hi);
    return (hi - lo) * (hi - lo) * n * n <= fmax(rest, 1 / (n * n));
}

/* p and p' over x. `g` may be NULL. False where halving the interval promises much tighter bounds
 * of p', as its values at the ends are closer together than these; that steers only. */
static bool ranges_of(const bundle *p, ia x, ia g[LANES], ia slope[LANES])
{
    const double lo = ia_lo(x), hi = ia_hi(x), middle = ia_mid(x);
    const ia w = ia_sub(ia_point(hi), ia_point(lo)), off = ia_sub(x, ia_point(middle)),
             from_lo = ia_make(0, ia_hi(w));
    const bool by_middle = p->bounded && is_short(x, p->count);
    double found = 0, least = 0;
    const double ends[2] = { lo, hi }, centre[2] = { middle, middle };
    ia at_ends[2][LANES], second[2][LANES], ranges[max_coefficients];
    if (hi - lo < 0x1p-40) {
        /* The errors of the values at the ends would show. */
        precise_value(p, 1, lo, at_ends[0]);
        precise_value(p, 1, hi, at_ends[1]);
    } else
        values(p, 1, ends, at_ends);
    if (by_middle)
        values(p, 2, centre, second);
    else
        abut_chebyshev_ranges(x, p->count, ranges);
    for (size_t i = 0; i < p->lanes; ++i) {
        const series *each = &p->of[i];
        const ia from = at_ends[0][i], to = at_ends[1][i];
        ia bend;
        if (by_middle) {
            const double third = bound_third(each, x);
            bend = ia_add(second[0][i], ia_mul(off, ia_make(-third, third)));
            slope[i] = box_meet(ia_add(from, ia_mul(from_lo, bend)), box_slope_range(from, to, bend, w));
        } else {
            bend = abut_chebyshev_sum(each->c[2], each->count, ranges);
            slope[i] = box_meet(abut_chebyshev_sum(each->c[1], each->count, ranges),
                                box_slope_range(from, to, bend, w));
        }
        found += ia_width(slope[i]);
        least += ia_width(ia_hull(from, to));
    }
    if (g) {
        precise_value(p, 0, lo, at_ends[0]);
        precise_value(p, 0, hi, at_ends[1]);
        for (size_t i = 0; i < p->lanes; ++i) {
            const ia from = at_ends[0][i], to = at_ends[1][i];
            const ia other = by_middle ? ia_add(from, ia_mul(from_lo, slope[i]))
                                       : abut_chebyshev_sum(p->of[i].c[0], p->of[i].count, ranges);
            g[i] = box_meet(other, box_slope_range(from, to, slope[i], w));
        }
    }
    return !(found > 1.25 * least);
}

static ia norm_sq(const ia4 *q)
{
    return ia_add(ia_add(ia_sqr(q->w), ia_sqr(q->x)), ia_add(ia_sqr(q->y), ia_sqr(q->z)));
}

static ia4 to_quat(const ia q[LANES])
{
    return (ia4){ q[0], q[1], q[2], q[3] };
}

/* The quaternion and its derivative over x; true where they are loose. */
static bool quat_over(const motion_chebyshev *m, ia x, ia4 *q, ia4 *dq)
{
    ia at[LANES], rate[LANES];
    const bool tight = ranges_of(&m->quaternion, x, at, rate);
    *q = to_quat(at);
    *dq = to_quat(rate);
    return !tight;
}

/* Known well enough to divide by its square. */
static bool has_direction(const ia4 *q)
{
    const ia n = norm_sq(q);
    return ia_lo(n) > 0 && 16 * ia_lo(n) >= ia_hi(n);
}

static void matrix_at(const motion_chebyshev *m, double x, ia33 *out)
{
    ia at_x[LANES];
    precise_value(&m->quaternion, 0, x, at_x);
    const ia4 q = to_quat(at_x);
    abut_motion_quat_matrix(&q, out);
}

/* Rotation, its derivative by x, and a bound of the angle for one unit of x. */
typedef struct turning {
    ia33 r, rate;
    double speed;
} turning;

static void turning_piece(ia x, const motion_chebyshev *m, const ia4 *q, const ia4 *dq, turning *out)
{
    abut_motion_quat_matrix(q, &out->r);
    const ia3 v = { q->x, q->y, q->z }, dv = { dq->x, dq->y, dq->z };
    const ia3 turn = ia3_sub(ia3_sub(ia3_scale(q->w, dv), ia3_scale(dq->w, v)), ia3_cross(dv, v));
    const ia n = norm_sq(q);
    const ia3 w = { ia_div(ia_scale(2, turn.x), n), ia_div(ia_scale(2, turn.y), n),
                    ia_div(ia_scale(2, turn.z), n) };
    out->rate = box_cross33(w, &out->r);
    out->speed = ia_hi(ia_sqrt(ia3_sqr_norm(w)));
    if (ia_is_point(x))
        return;
    ia33 lo, hi;
    matrix_at(m, ia_lo(x), &lo);
    matrix_at(m, ia_hi(x), &hi);
    const ia width = ia_sub(ia_point(ia_hi(x)), ia_point(ia_lo(x)));
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j)
            out->r.m[i][j] =
                box_meet(out->r.m[i][j], box_slope_range(lo.m[i][j], hi.m[i][j], out->rate.m[i][j], width));
    out->rate = box_cross33(w, &out->r);
}

static void turning_over(const motion_chebyshev *m, ia x, int halvings, turning *out)
{
    ia4 q, dq;
    const bool more = quat_over(m, x, &q, &dq) && halvings > max_halvings - looser_halvings;
    const double middle = ia_mid(x);
    if ((has_direction(&q) && !more) || halvings == 0 || middle <= ia_lo(x) || middle >= ia_hi(x)) {
        turning_piece(x, m, &q, &dq, out);
        return;
    }
    turning right;
    turning_over(m, ia_make(ia_lo(x), middle), halvings - 1, out);
    turning_over(m, ia_make(middle, ia_hi(x)), halvings - 1, &right);
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j) {
            out->r.m[i][j] = ia_hull(out->r.m[i][j], right.r.m[i][j]);
            out->rate.m[i][j] = ia_hull(out->rate.m[i][j], right.rate.m[i][j]);
        }
    out->speed = fmax(out->speed, right.speed);
}

/* true, or *where is near a place where the quaternion cannot be distinguished from zero. */
static bool proves_direction(const motion_chebyshev *m, ia x, int halvings, double *where)
{
    ia4 q, dq;
    quat_over(m, x, &q, &dq);
    if (has_direction(&q))
        return true;
    *where = ia_mid(x);
    if (halvings == 0 || *where <= ia_lo(x) || *where >= ia_hi(x))
        return false;
    const double middle = *where;
    return proves_direction(m, ia_make(ia_lo(x), middle), halvings - 1, where) &&
           proves_direction(m, ia_make(middle, ia_hi(x)), halvings - 1, where);
}

static ia argument(const abut_motion *motion, ia t)
{
    return ia_sub(ia_scale(2, abut_motion_fraction(motion->t0, motion->t1, t)), ia_point(1));
}

/* `p` may be NULL. */
static void position_over(const motion_chebyshev *m, ia x, int halvings, ia3 *p, ia3 *rate)
{
    ia over[LANES], slope[LANES];
    const bool tight = ranges_of(&m->position, x, p ? over : NULL, slope);
    const double middle = ia_mid(x);
    if (tight || halvings == 0 || middle <= ia_lo(x) || middle >= ia_hi(x)) {
        if (p)
            *p = (ia3){ over[0], over[1], over[2] };
        *rate = (ia3){ slope[0], slope[1], slope[2] };
        return;
    }
    ia3 right, right_rate;
    position_over(m, ia_make(ia_lo(x), middle), halvings - 1, p, rate);
    position_over(m, ia_make(middle, ia_hi(x)), halvings - 1, p ? &right : NULL, &right_rate);
    if (p)
        *p = ia3_hull(*p, right);
    *rate = ia3_hull(*rate, right_rate);
}

static void identity(ia33 *out, double diagonal)
{
    for (int i = 0; i < 9; ++i)
        out->m[i / 3][i % 3] = ia_point(i % 4 ? 0 : diagonal);
}

static void enclose(const abut_motion *motion, ia t, ia_affine *out)
{
    const motion_chebyshev *m = self(motion);
    const ia x = argument(motion, t);
    ia3 rate;
    turning turn;
    if (ia_is_point(x)) {
        ia at_x[LANES];
        precise_value(&m->position, 0, ia_lo(x), at_x);
        out->translation = (ia3){ at_x[0], at_x[1], at_x[2] };
        if (m->rotates)
            matrix_at(m, ia_lo(x), &out->linear);
        else
            identity(&out->linear, 1);
        return;
    }
    position_over(m, x, looser_halvings, &out->translation, &rate);
    if (m->rotates) {
        turning_over(m, x, max_halvings, &turn);
        out->linear = turn.r;
    } else {
        identity(&out->linear, 1);
    }
}

static void enclose_velocity(const abut_motion *motion, ia t, ia_affine *out)
{
    const motion_chebyshev *m = self(motion);
    const ia x = argument(motion, t);
    turning turn;
    position_over(m, x, looser_halvings, NULL, &out->translation);
    identity(&out->linear, 0);
    if (m->rotates) {
        turning_over(m, x, max_halvings, &turn);
        out->linear = turn.rate;
    }
    const ia half = ia_scale(0.5, ia_sub(ia_point(motion->t1), ia_point(motion->t0)));
    for (int i = 0; i < box_entries; ++i)
        *box_entry(out, i) = ia_div(*box_entry(out, i), half);
}

static double angular_speed(const abut_motion *motion, ia t)
{
    turning turn;
    if (!self(motion)->rotates)
        return 0;
    turning_over(self(motion), argument(motion, t), max_halvings, &turn);
    const ia half = ia_scale(0.5, ia_sub(ia_point(motion->t1), ia_point(motion->t0)));
    return ia_hi(ia_div(ia_make(0, turn.speed), half));
}

static void destroy(abut_motion *motion)
{
    motion_chebyshev *m = (motion_chebyshev *)motion;
    abut_base_free(&motion->alloc, m->store, m->stored, sizeof *m->store);
    abut_base_free(&motion->alloc, m->middle, m->middles, sizeof *m->middle);
    abut_motion_free(motion, sizeof *m);
}

static const abut_motion_ops ops = { .at = at,
                                     .velocity_at = velocity_at,
                                     .enclose = enclose,
                                     .enclose_velocity = enclose_velocity,
                                     .angular_speed = angular_speed,
                                     .destroy = destroy };

/* c'[k-1] = c'[k+1] + 2 k c[k], the first coefficient counting half in both. */
static void derive(const abut_interval *c, size_t count, abut_interval *out)
{
    const abut_interval zero = { 0, 0 };
    for (size_t k = count; k-- > 0;) {
        const ia above = k + 2 < count ? ia_from(out[k + 2]) : ia_point(0);
        const ia next = ia_from(k + 1 < count ? c[k + 1] : zero);
        out[k] = ia_to(ia_add(above, ia_scale(2 * (double)(k + 1), next)));
    }
}

/* See bound_third. */
static void sum_thirds(series *p)
{
    ia sum[4] = { ia_point(0), ia_point(0), ia_point(0), ia_point(0) };
    for (size_t k = 1; k < p->count; ++k) {
        /* All are integers below 2^53. */
        const double n = (double)k, nn = n * n, at_end = k > 2 ? nn * (nn - 1) * (nn - 4) : 0;
        const ia size = ia_point(ia_mag(ia_from(p->c[0][k])));
        const ia factor[4] = { ia_point(n), ia_point(nn), ia_point(n * nn),
                               ia_div(ia_point(at_end), ia_point(15)) };
        for (int i = 0; i < 4; ++i)
            sum[i] = ia_add(sum[i], ia_mul(size, factor[i]));
    }
    for (int i = 0; i < 4; ++i)
        p->third[i] = ia_hi(sum[i]);
}

/* After the coefficients of the derivatives. */
static void fill_bundle(bundle *out)
{
    out->tiny = false;
    out->bounded = true;
    for (size_t lane = 0; lane < out->lanes; ++lane)
        for (int i = 0; i < 4; ++i)
            out->bounded = out->bounded && out->of[lane].third[i] < 1e300;
    for (int order = 0; order < 3; ++order)
        for (size_t lane = 0; lane < LANES; ++lane) {
            const size_t count = lane < out->lanes ? out->of[lane].count : 0;
            ia width = ia_point(0);
            for (size_t k = 0; k < out->count; ++k) {
                const abut_interval all = k < count ? out->of[lane].c[order][k] : (abut_interval){ 0, 0 };
                const double middle = all.lo == all.hi ? all.lo : box_mid(all);
                out->c[order][LANES / 2 * k + lane / 2][lane % 2] = middle;
                width = ia_add(width, ia_make(0, ia_mag(ia_sub(ia_from(all), ia_point(middle)))));
            }
            out->radius[order][lane] = ia_hi(width);
            const double first = count > 0 ? ia_mag(ia_from(out->of[lane].c[order][0])) : 0;
            out->tiny = out->tiny || (first > 0 && first < 0x1p-1000);
        }
}

typedef struct prepare_task {
    motion_chebyshev *motion;
    bool finite, proved;
    double where;
} prepare_task;

static ABUT_NOINLINE void prepare(prepare_task *task)
{
    motion_chebyshev *m = task->motion;
    task->finite = task->proved = true;
    for (int i = 0; i < 7; ++i) {
        series *p = &m->p[i];
        derive(p->c[0], p->count, p->c[1]);
        derive(p->c[1], p->count, p->c[2]);
        for (int order = 0; order < 3; ++order) {
            ia sum = ia_point(0);
            for (size_t k = 0; k < p->count; ++k)
                sum = ia_add(sum, ia_make(0, ia_mag(ia_from(p->c[order][k]))));
            task->finite = task->finite && ia_hi(sum) < 1e300;
        }
        sum_thirds(p);
    }
    fill_bundle(&m->position);
    fill_bundle(&m->quaternion);
    if (task->finite && m->rotates)
        task->proved = proves_direction(m, ia_make(-1, 1), max_halvings, &task->where);
}

static abut_status check_series(const abut_series *s, const char *what, int coordinate, abut_error *error)
{
    if (s->count > max_coefficients)
        return abut_base_fail(error, ABUT_ERR_LIMIT, (int64_t)s->count - 1,
                              "%s series %d has %zu coefficients; at most %d are allowed", what, coordinate,
                              s->count, max_coefficients);
    for (size_t k = 0; k < s->count; ++k)
        if (!s->c || !isfinite(s->c[k]))
            return abut_base_fail(error, ABUT_ERR_ARGUMENT, (int64_t)k,
                                  "coefficient %zu of %s series %d must be finite", k, what, coordinate);
    return ABUT_OK;
}

abut_status abut_motion_create_chebyshev(double t0, double t1, const abut_series position[3],
                                         const abut_series quaternion[4], const abut_allocator *alloc,
                                         abut_motion **out, abut_error *error)
{
    abut_base_clear(error);
    if (!out)
        return abut_base_fail(error, ABUT_ERR_ARGUMENT, -1,
                              "there is nowhere to put the motion: out is NULL");
    *out = NULL;
    abut_status status = abut_motion_check_range(t0, t1, -1, error);
    const abut_series *lists[7] = { NULL };
    size_t total = 0, longest[2] = { 0, 0 };
    bool rotates = false;
    double largest = 0;
    for (int i = 0; i < 7 && status == ABUT_OK; ++i) {
        lists[i] = i < 3 ? (position ? &position[i] : NULL) : (quaternion ? &quaternion[i - 3] : NULL);
        if (!lists[i])
            continue;
        status = check_series(lists[i], i < 3 ? "position" : "quaternion", i < 3 ? i : i - 3, error);
        if (status != ABUT_OK)
            break;
        total += lists[i]->count;
        size_t *most = &longest[i < 3 ? 0 : 1];
        *most = lists[i]->count > *most ? lists[i]->count : *most;
        for (size_t k = 0; i >= 3 && k < lists[i]->count; ++k)
            largest = fmax(largest, fabs(lists[i]->c[k]));
        rotates = rotates || (i >= 3 && lists[i]->count > 0);
    }
    if (status != ABUT_OK)
        return status;
    if (rotates && !(largest >= 1e-120 && largest <= 1e120))
        return abut_base_fail(error, ABUT_ERR_ARGUMENT, -1,
                              "the largest quaternion coefficient must lie between 1e-120 and 1e120, got %g",
                              largest);

    motion_chebyshev *m = abut_motion_new(alloc, sizeof *m, ABUT_MOTION_CHEBYSHEV, &ops);
    if (!m)
        return abut_base_fail_memory(error);
    m->stored = 3 * total;
    m->middles = 3 * LANES / 2 * (longest[0] + longest[1]);
    m->store = abut_base_alloc(&m->base.alloc, m->stored, sizeof *m->store);
    m->middle = abut_base_alloc(&m->base.alloc, m->middles, sizeof *m->middle);
    if (!m->store || !m->middle) {
        destroy(&m->base);
        return abut_base_fail_memory(error);
    }
    m->base.t0 = t0;
    m->base.t1 = t1;
    m->rotates = rotates;
    abut_interval *next = m->store;
    for (int i = 0; i < 7; ++i) {
        series *p = &m->p[i];
        p->count = lists[i] ? lists[i]->count : 0;
        for (int order = 0; order < 3; ++order, next += p->count)
            p->c[order] = next;
        for (size_t k = 0; k < p->count; ++k)
            p->c[0][k] = (abut_interval){ lists[i]->c[k], lists[i]->c[k] };
    }
    m->position = (bundle){ .of = &m->p[0], .lanes = 3, .count = longest[0] };
    m->quaternion = (bundle){ .of = &m->p[3], .lanes = 4, .count = longest[1] };
    ia_pair *middle = m->middle;
    for (int order = 0; order < 3; ++order) {
        m->position.c[order] = middle;
        m->quaternion.c[order] = middle + LANES / 2 * longest[0];
        middle += LANES / 2 * (longest[0] + longest[1]);
    }
    prepare_task task = { .motion = m };
    const abut_rounding saved = abut_rounding_enter();
    prepare(&task);
    abut_rounding_leave(saved);
    if (!task.finite || !isfinite(1e3 / (t1 - t0)))
        status =
            abut_base_fail(error, ABUT_ERR_ARGUMENT, -1,
                           "the series are too large or the time range too short: the velocity overflows");
    else if (!task.proved)
        status =
            abut_base_fail(error, ABUT_ERR_ARGUMENT, -1,
                           "the quaternion comes too close to zero near time %.9g to have a direction there",
                           t0 + (task.where + 1) / 2 * (t1 - t0));
    if (status != ABUT_OK) {
        destroy(&m->base);
        return status;
    }
    *out = &m->base;
    return ABUT_OK;
}
