/* SPDX-License-Identifier: MIT */
/* Affine maps that are polynomials in time, given by Bernstein coefficients.
 *
 * Method: de Casteljau in interval arithmetic. Over an interval of time the coefficients of the
 * polynomial restricted to it are found by cutting twice; their hull holds the range, is exact
 * at both ends, and is off by the square of the width only. Each step is a convex combination,
 * so errors add up (1.5 ulp a level) and never grow. */
#include "math/binomial.h"
#include "math/vec3.h"
#include "motion/create.h"
#include "motion/kernel.h"
#include "motion/leg.h"

enum { max_matrices = 16, max_halvings = 3 };

typedef struct motion_affine {
    abut_motion base;
    size_t count;
    abut_affine matrices[max_matrices];
} motion_affine;

static const motion_affine *self(const abut_motion *motion)
{
    return (const motion_affine *)motion;
}

static double entry(const abut_affine *a, int i)
{
    return i < 9     ? a->linear.m[i / 3][i % 3]
           : i == 9  ? a->translation.x
           : i == 10 ? a->translation.y
                     : a->translation.z;
}

static void set_entry(abut_affine *a, int i, double x)
{
    if (i < 9)
        a->linear.m[i / 3][i % 3] = x;
    else
        *(i == 9 ? &a->translation.x : i == 10 ? &a->translation.y : &a->translation.z) = x;
}

static double plain_casteljau(double *b, size_t count, double s)
{
    for (size_t level = count - 1; level > 0; --level)
        for (size_t i = 0; i < level; ++i)
            b[i] = (1 - s) * b[i] + s * b[i + 1];
    return b[0];
}

static double plain_fraction(const abut_motion *m, double t)
{
    return t >= m->t1 ? 1 : (t - m->t0) / (m->t1 - m->t0);
}

static abut_status at(const abut_motion *motion, double t, abut_affine *out)
{
    const motion_affine *m = self(motion);
    const double s = plain_fraction(motion, t);
    for (int e = 0; e < box_entries; ++e) {
        double b[max_matrices];
        for (size_t i = 0; i < m->count; ++i)
            b[i] = entry(&m->matrices[i], e);
        set_entry(out, e, plain_casteljau(b, m->count, s));
    }
    return ABUT_OK;
}

static abut_status velocity_at(const abut_motion *motion, double t, abut_affine *out)
{
    const motion_affine *m = self(motion);
    const double s = plain_fraction(motion, t), scale = (double)(m->count - 1) / (motion->t1 - motion->t0);
    for (int e = 0; e < box_entries; ++e) {
        double b[max_matrices];
        for (size_t i = 0; i + 1 < m->count; ++i)
            b[i] = entry(&m->matrices[i + 1], e) - entry(&m->matrices[i], e);
        set_entry(out, e, m->count > 1 ? scale * plain_casteljau(b, m->count - 1, s) : 0);
    }
    return ABUT_OK;
}

/* Cuts at s. b becomes the coefficients of the left part (keep_left) or of the right part. */
static void cut(ia *b, size_t count, ia s, bool keep_left)
{
    const ia r = ia_sub(ia_point(1), s);
    for (size_t level = 1; level < count; ++level) {
        if (keep_left)
            for (size_t i = count - 1; i >= level; --i)
                b[i] = ia_add(ia_mul(r, b[i - 1]), ia_mul(s, b[i]));
        else
            for (size_t i = 0; i + level < count; ++i)
                b[i] = ia_add(ia_mul(r, b[i]), ia_mul(s, b[i + 1]));
    }
}

/* The hull of the coefficients, halved while they reach much further than the ends, which only
 * long intervals need. */
static ia hull_of(ia *b, size_t count, int halvings)
{
    ia all = b[0];
    for (size_t i = 1; i < count; ++i)
        all = ia_hull(all, b[i]);
    if (halvings == 0 || ia_width(all) <= 1.25 * ia_width(ia_hull(b[0], b[count - 1])))
        return all;
    ia right[max_matrices];
    for (size_t i = 0; i < count; ++i)
        right[i] = b[i];
    cut(b, count, ia_point(0.5), true);
    cut(right, count, ia_point(0.5), false);
    return ia_hull(hull_of(b, count, halvings - 1), hull_of(right, count, halvings - 1));
}

/* One instant, as far as doubles tell. */
static bool is_instant(ia s)
{
    return ia_width(s) <= 0x1p-50 * ia_hi(s);
}

/* The basis functions there, which are the same for all entries; out[i] = choose(n, i) s^i (1 -
 * s)^(n - i). */
static void basis_at(size_t count, ia s, ia *out)
{
    const ia r = ia_sub(ia_point(1), s);
    const double *choose = abut_binomial[count - 1];
    ia power = ia_point(1);
    for (size_t i = 0; i < count; ++i, power = ia_mul(power, s))
        out[i] = ia_scale(choose[i], power);
    power = r;
    for (size_t i = count - 1; i-- > 0; power = ia_mul(power, r))
        out[i] = ia_mul(out[i], power);
}

/* The range over s of the polynomial with coefficients b, which are overwritten. */
static ia range_over(ia *b, size_t count, ia s)
{
    const ia one = ia_point(1), lo = ia_point(ia_lo(s)), hi = ia_point(ia_hi(s));
    if (is_instant(s)) {
        cut(b, count, s, false); /* b[0] is the value */
        return b[0];
    }
    /* Cut the longer side first, so that the second cut divides by more than a half. */
    if (ia_hi(s) >= 0.5) {
        cut(b, count, hi, true);
        if (ia_lo(s) > 0)
            cut(b, count, box_meet(ia_div(lo, hi), ia_make(0, 1)), false);
    } else {
        cut(b, count, lo, false);
        cut(b, count, box_meet(ia_div(ia_sub(hi, lo), ia_sub(one, lo)), ia_make(0, 1)), true);
    }
    return hull_of(b, count, max_halvings);
}

static void enclose(const abut_motion *motion, ia t, ia_affine *out)
{
    const motion_affine *m = self(motion);
    const ia s = abut_motion_fraction(motion->t0, motion->t1, t);
    const bool instant = is_instant(s);
    ia b[max_matrices];
    if (instant)
        basis_at(m->count, s, b);
    for (int e = 0; e < box_entries; ++e) {
        if (instant) {
            ia sum = ia_scale(entry(&m->matrices[0], e), b[0]);
            for (size_t i = 1; i < m->count; ++i)
                sum = ia_add(sum, ia_scale(entry(&m->matrices[i], e), b[i]));
            *box_entry(out, e) = sum;
            continue;
        }
        for (size_t i = 0; i < m->count; ++i)
            b[i] = ia_point(entry(&m->matrices[i], e));
        *box_entry(out, e) = range_over(b, m->count, s);
    }
}

static void enclose_velocity(const abut_motion *motion, ia t, ia_affine *out)
{
    const motion_affine *m = self(motion);
    const ia s = abut_motion_fraction(motion->t0, motion->t1, t);
    const ia duration = ia_sub(ia_point(motion->t1), ia_point(motion->t0));
    const ia scale = ia_div(ia_point((double)(m->count - 1)), duration);
    for (int e = 0; e < box_entries; ++e) {
        ia b[max_matrices];
        for (size_t i = 0; i + 1 < m->count; ++i)
            b[i] = ia_sub(ia_point(entry(&m->matrices[i + 1], e)), ia_point(entry(&m->matrices[i], e)));
        *box_entry(out, e) = m->count > 1 ? ia_mul(scale, range_over(b, m->count - 1, s)) : ia_point(0);
    }
}

static bool line(const abut_motion *motion, double t, abut_motion_line *out)
{
    (void)t;
    const motion_affine *m = self(motion);
    if (m->count > 2)
        return false;
    const abut_vec3 from = m->matrices[0].translation, to = m->matrices[m->count - 1].translation;
    *out = (abut_motion_line){
        motion->t0, motion->t1, from, to, abut_scale(1 / (motion->t1 - motion->t0), abut_sub(to, from)), false
    };
    return true;
}

static void destroy(abut_motion *motion)
{
    abut_motion_free(motion, sizeof(motion_affine));
}

static const abut_motion_ops ops = { .at = at,
                                     .velocity_at = velocity_at,
                                     .enclose = enclose,
                                     .enclose_velocity = enclose_velocity,
                                     .line = line,
                                     .destroy = destroy };

const abut_affine *abut_motion_affine_matrices(const abut_motion *motion, size_t *count)
{
    if (motion->ops != &ops)
        return NULL;
    *count = self(motion)->count;
    return self(motion)->matrices;
}

abut_status abut_motion_create_affine(double t0, double t1, const abut_affine *matrices, size_t matrix_count,
                                      const abut_allocator *alloc, abut_motion **out, abut_error *error)
{
    abut_base_clear(error);
    if (!out)
        return abut_base_fail(error, ABUT_ERR_ARGUMENT, -1,
                              "there is nowhere to put the motion: out is NULL");
    *out = NULL;
    const abut_status status = abut_motion_check_range(t0, t1, -1, error);
    if (status != ABUT_OK)
        return status;
    if (!matrices || matrix_count == 0)
        return abut_base_fail(error, ABUT_ERR_ARGUMENT, -1,
                              "an affine motion needs 1 to %d matrices, got none", max_matrices);
    if (matrix_count > max_matrices)
        return abut_base_fail(error, ABUT_ERR_LIMIT, max_matrices,
                              "an affine motion may have 1 to %d matrices, got %zu", max_matrices,
                              matrix_count);
    for (size_t i = 0; i < matrix_count; ++i)
        for (int e = 0; e < box_entries; ++e) {
            const double x = entry(&matrices[i], e), before = entry(&matrices[i ? i - 1 : 0], e);
            if (!isfinite(x))
                return abut_base_fail(error, ABUT_ERR_ARGUMENT, (int64_t)i,
                                      "all twelve numbers of matrix %zu must be finite", i);
            if (!isfinite(max_matrices * (x - before)) || !isfinite(max_matrices * (x - before) / (t1 - t0)))
                return abut_base_fail(error, ABUT_ERR_ARGUMENT, (int64_t)i,
                                      "matrix %zu is too far from the one before: the velocity overflows", i);
        }
    motion_affine *m = abut_motion_new(alloc, sizeof *m, ABUT_MOTION_AFFINE, &ops);
    if (!m)
        return abut_base_fail_memory(error);
    m->base.rigid = false;
    m->base.t0 = t0;
    m->base.t1 = t1;
    m->count = matrix_count;
    for (size_t i = 0; i < matrix_count; ++i)
        m->matrices[i] = matrices[i];
    *out = &m->base;
    return ABUT_OK;
}
