/* SPDX-License-Identifier: MIT */
/* Position and quaternion as Chebyshev series over the time range.
 *
 * Method: at a point, Clenshaw's recurrence in plain doubles with a running error bound: a
 * rounding error made in step k acts exactly as if coefficient k had been changed by it, and
 * |T_k| <= 1, so the errors of the steps simply add up (interval arithmetic in the recurrence
 * would blow up exponentially). Over an interval, each T_k is enclosed by its values at the ends
 * and the table of its extremes (interval/chebyshev.h); that gives plain enclosures of p'', p'
 * and p, and the slope form makes p' tight from p'' and p tight from p'. The rotation is R(q) /
 * |q|^2, its derivative [w]x R with w = 2 q' q* / |q|^2; where the plain enclosure of q says too
 * little, the interval is halved. Sources: C. W. Clenshaw, MTAC 9 (1955); the error analysis is
 * in docs/notes/motion-enclosures.md. */
#include "interval/chebyshev.h"
#include "math/vec3.h"
#include "motion/create.h"
#include "motion/kernel.h"
#include "motion/leg.h"

/* halvings: until the quaternion has a direction; looser: more, where long intervals give loose
 * bounds. */
enum { max_coefficients = 64, max_halvings = 40, looser_halvings = 4 };

/* One series: coefficients of p, p' and p'' by x. */
typedef struct series {
    size_t count;
    abut_interval *c[3];
} series;

typedef struct motion_chebyshev {
    abut_motion base;
    bool rotates;
    series p[7]; /* x y z, then w x y z of the quaternion */
    size_t longest;
    size_t stored;
    abut_interval *store;
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

/* The value at the double x in [-1, 1]. Each of the three operations of a step is off by at most
 * 2^-52 of its result in whatever rounding mode; 1.001 covers the rounding of the bound itself,
 * the last term results that are denormal. */
static ia value(const series *p, int order, double x)
{
    const abut_interval *c = p->c[order];
    double b1 = 0, b2 = 0, errors = 0, radius = 0;
    if (p->count == 0)
        return ia_point(0);
    for (size_t k = p->count - 1; k > 0; --k) {
        const double product = 2 * x * b1, sum = box_mid(c[k]) + product, b0 = sum - b2;
        errors += fabs(product) + fabs(sum) + fabs(b0);
        radius += c[k].hi - c[k].lo;
        b2 = b1;
        b1 = b0;
    }
    const double product = x * b1, sum = 0.5 * box_mid(c[0]) + product, last = sum - b2;
    errors += fabs(product) + fabs(sum) + fabs(last);
    radius += c[0].hi - c[0].lo;
    const double bound = 1.001 * (0x1p-52 * errors + radius) + (double)p->count * 0x1p-1070;
    return ia_add(ia_point(last), ia_make(-bound, bound));
}

/* p and p' over x. Adds to `found` the width of the enclosure of p', and to `least` the part of
 * it that its ends attain. */
static void range_of(const series *p, ia x, const ia *ranges, ia *g, ia *slope, double *found, double *least)
{
    const double lo = ia_lo(x), hi = ia_hi(x);
    const ia w = ia_sub(ia_point(hi), ia_point(lo)), bend = abut_chebyshev_sum(p->c[2], p->count, ranges);
    const ia from = value(p, 1, lo), to = value(p, 1, hi);
    *slope = box_meet(abut_chebyshev_sum(p->c[1], p->count, ranges), box_slope_range(from, to, bend, w));
    *g = box_meet(abut_chebyshev_sum(p->c[0], p->count, ranges),
                  box_slope_range(value(p, 0, lo), value(p, 0, hi), *slope, w));
    *found += ia_width(*slope);
    *least += ia_width(ia_hull(from, to));
}

static ia norm_sq(const ia4 *q)
{
    return ia_add(ia_add(ia_sqr(q->w), ia_sqr(q->x)), ia_add(ia_sqr(q->y), ia_sqr(q->z)));
}

/* Whether halving the interval promises much tighter bounds. Steers only. */
static bool loose(double found, double least)
{
    return found > 1.25 * least;
}

/* The quaternion and its derivative over x; true where they are loose. */
static bool quat_over(const motion_chebyshev *m, ia x, ia4 *q, ia4 *dq)
{
    ia ranges[max_coefficients];
    double found = 0, least = 0;
    abut_chebyshev_ranges(x, m->longest, ranges);
    range_of(&m->p[3], x, ranges, &q->w, &dq->w, &found, &least);
    range_of(&m->p[4], x, ranges, &q->x, &dq->x, &found, &least);
    range_of(&m->p[5], x, ranges, &q->y, &dq->y, &found, &least);
    range_of(&m->p[6], x, ranges, &q->z, &dq->z, &found, &least);
    return loose(found, least);
}

/* Known well enough to divide by its square. */
static bool has_direction(const ia4 *q)
{
    const ia n = norm_sq(q);
    return ia_lo(n) > 0 && 16 * ia_lo(n) >= ia_hi(n);
}

static void matrix_at(const motion_chebyshev *m, double x, ia33 *out)
{
    const ia4 q = { value(&m->p[3], 0, x), value(&m->p[4], 0, x), value(&m->p[5], 0, x),
                    value(&m->p[6], 0, x) };
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

/* true, or *where is near a place where the quaternion cannot be told from zero. */
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

static void position_over(const motion_chebyshev *m, ia x, int halvings, ia3 *p, ia3 *rate)
{
    ia ranges[max_coefficients];
    double found = 0, least = 0;
    abut_chebyshev_ranges(x, m->longest, ranges);
    range_of(&m->p[0], x, ranges, &p->x, &rate->x, &found, &least);
    range_of(&m->p[1], x, ranges, &p->y, &rate->y, &found, &least);
    range_of(&m->p[2], x, ranges, &p->z, &rate->z, &found, &least);
    const double middle = ia_mid(x);
    if (!loose(found, least) || halvings == 0 || middle <= ia_lo(x) || middle >= ia_hi(x))
        return;
    ia3 right, right_rate;
    position_over(m, ia_make(ia_lo(x), middle), halvings - 1, p, rate);
    position_over(m, ia_make(middle, ia_hi(x)), halvings - 1, &right, &right_rate);
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
    ia3 p;
    turning turn;
    position_over(m, x, looser_halvings, &p, &out->translation);
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
    }
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
    size_t total = 0, longest = 0;
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
        longest = lists[i]->count > longest ? lists[i]->count : longest;
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
    m->store = abut_base_alloc(&m->base.alloc, m->stored, sizeof *m->store);
    if (!m->store) {
        abut_motion_free(&m->base, sizeof *m);
        return abut_base_fail_memory(error);
    }
    m->base.t0 = t0;
    m->base.t1 = t1;
    m->rotates = rotates;
    m->longest = longest;
    abut_interval *next = m->store;
    for (int i = 0; i < 7; ++i) {
        series *p = &m->p[i];
        p->count = lists[i] ? lists[i]->count : 0;
        for (int order = 0; order < 3; ++order, next += p->count)
            p->c[order] = next;
        for (size_t k = 0; k < p->count; ++k)
            p->c[0][k] = (abut_interval){ lists[i]->c[k], lists[i]->c[k] };
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
