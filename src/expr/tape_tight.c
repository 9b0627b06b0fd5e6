/* SPDX-License-Identifier: MIT */
/* Enclosures tighter than the natural ones.
 *
 * Mean value: f(X) is in f(m) + sum g_i(X) (X_i - m_i), m the middle; off the true range by the
 * square of the box's size, where the natural extension is off by its size. The same for
 * derivatives from second ones. Holds across kinks, where the derivatives are those of both
 * sides. Monotone: in a variable by which the derivative has one sign, the extremes are at its
 * ends (R. E. Moore 1966). */
#include "expr/tape_program.h"

static ia meet(ia a, ia b)
{
    const ia both = ia_intersect(a, b);
    return ia_is_empty(both) ? a : both;
}

/* Scratch: that of the natural evaluations, then results of a further evaluation at most as
 * large as order 1, then coefficients. */
static size_t natural_scratch(const abut_tape *tape, int order)
{
    return abut_tape_scratch(tape, order < 1 ? 1 : order);
}

size_t abut_tape_scratch_tight(const abut_tape *tape, int order)
{
    size_t coefficients = 0;
    for (size_t r = 0; r < tape->root_count; ++r)
        coefficients = tape->polys[r].count > coefficients ? tape->polys[r].count : coefficients;
    const size_t further = 2 * tape->root_count * abut_tape_stride(tape->variable_count, 1);
    return natural_scratch(tape, order) + (further > coefficients ? further : coefficients);
}

/* f + sum of g[i] offset[i] */
static ia linear_form(ia f, const ia *g, const ia *offset, size_t n)
{
    for (size_t i = 0; i < n; ++i)
        f = ia_add(f, ia_mul(g[i], offset[i]));
    return f;
}

/* Where row i of the symmetric second derivatives has its entry j. */
static size_t pair_at(size_t n, size_t i, size_t j)
{
    const size_t a = i < j ? i : j, b = i < j ? j : i;
    return a * n - a * (a + 1) / 2 + b;
}

/* `at`: the results of order `order` - 1 at the middle; out: those of `order` over the box,
 * which are tightened. */
static void by_mean_value(const abut_tape *tape, int order, const ia *at, const ia *offset, ia *out)
{
    const size_t n = tape->variable_count, stride = abut_tape_stride(n, order),
                 at_stride = abut_tape_stride(n, order - 1);
    for (size_t r = 0; r < tape->root_count; ++r) {
        ia *f = out + r * stride;
        const ia *m = at + r * at_stride;
        for (size_t i = 0; order > 1 && i < n; ++i) {
            ia row[ABUT_TAPE_MAX_VARIABLES];
            for (size_t j = 0; j < n; ++j)
                row[j] = f[1 + n + pair_at(n, i, j)];
            f[1 + i] = meet(f[1 + i], linear_form(m[1 + i], row, offset, n));
        }
        f[0] = meet(f[0], linear_form(m[0], f + 1, offset, n));
    }
}

/* The box where a root with those derivatives is least (`sign` 1), or greatest (-1): variables
 * with one sign at an end. True: some are. */
static bool extreme_box(const ia *box, const ia *g, size_t n, int sign, ia *out)
{
    bool some = false;
    for (size_t i = 0; i < n; ++i) {
        const bool rises = ia_is_nonnegative(g[i]), falls = ia_is_nonpositive(g[i]);
        out[i] = box[i];
        if (rises && falls) /* does not matter */
            out[i] = ia_point(ia_lo(box[i]));
        else if (rises || falls)
            out[i] = ia_point((rises ? sign : -sign) > 0 ? ia_lo(box[i]) : ia_hi(box[i]));
        some = some || (rises != falls && !ia_is_point(box[i]));
    }
    return some;
}

/* Roots that take their extremes at the same place are evaluated together: the last place asked
 * about is kept. */
static void by_monotony(const abut_tape *tape, const ia *box, const ia *gradients, size_t gradient_stride,
                        ia *scratch, ia *values, ia *out, size_t stride)
{
    const size_t n = tape->variable_count;
    for (int sign = 1; sign >= -1; sign -= 2) {
        ia place[ABUT_TAPE_MAX_VARIABLES], last[ABUT_TAPE_MAX_VARIABLES];
        bool kept = false;
        for (size_t r = 0; r < tape->root_count; ++r) {
            if (!extreme_box(box, gradients + r * gradient_stride + 1, n, sign, place))
                continue;
            if (!kept || memcmp(place, last, n * sizeof *place) != 0)
                (void)abut_tape_enclose(tape, place, 0, scratch, values);
            kept = true;
            memcpy(last, place, n * sizeof *place);
            const ia found = values[r], *f = &out[r * stride];
            const ia side = sign > 0 ? ia_make(ia_lo(found), HUGE_VAL) : ia_make(-HUGE_VAL, ia_hi(found));
            out[r * stride] = meet(*f, side);
        }
    }
}

static void by_bernstein(const abut_tape *tape, const ia *box, ia *work, ia *out, size_t stride)
{
    for (size_t r = 0; r < tape->root_count; ++r)
        if (tape->polys[r].coefficients)
            out[r * stride] = meet(out[r * stride], abut_tape_poly_range(&tape->polys[r], box, work));
}

static bool is_enough(const abut_tape *tape, int forms, const ia *out, size_t stride)
{
    for (size_t r = 0; forms & ABUT_TAPE_UNTIL_SIGN && r < tape->root_count; ++r)
        if (ia_contains_zero(out[r * stride]))
            return false;
    return (forms & ABUT_TAPE_UNTIL_SIGN) != 0;
}

bool abut_tape_enclose_tight(const abut_tape *tape, const ia *box, int order, int forms, ia *scratch, ia *out)
{
    const size_t n = tape->variable_count, stride = abut_tape_stride(n, order),
                 first = abut_tape_stride(n, 1);
    ia *const further = scratch + natural_scratch(tape, order), *const more =
                                                                    further + tape->root_count * first;
    bool finite = true, thick = false;
    const bool defined = abut_tape_enclose(tape, box, order, scratch, out);
    ia middle[ABUT_TAPE_MAX_VARIABLES], offset[ABUT_TAPE_MAX_VARIABLES];
    for (size_t i = 0; i < n; ++i) {
        finite = finite && ia_is_finite(box[i]);
        thick = thick || !ia_is_point(box[i]);
        middle[i] = ia_point(ia_mid(box[i]));
        offset[i] = ia_sub(box[i], middle[i]);
    }
    if (!defined || !finite || !thick || is_enough(tape, forms, out, stride))
        return defined;
    const ia *gradients = out;
    size_t gradient_stride = stride;
    bool slopes = true;
    if (order == 0 && forms & (ABUT_TAPE_MEAN_VALUE | ABUT_TAPE_MONOTONE)) {
        slopes = abut_tape_enclose(tape, box, 1, scratch, further);
        gradients = further;
        gradient_stride = first;
    }
    if (forms & ABUT_TAPE_MEAN_VALUE && slopes) {
        (void)abut_tape_enclose(tape, middle, order > 1 ? 1 : 0, scratch, more);
        if (order > 0)
            by_mean_value(tape, order, more, offset, out);
        else
            for (size_t r = 0; r < tape->root_count; ++r)
                out[r] = meet(out[r], linear_form(more[r], further + r * first + 1, offset, n));
    }
    if (is_enough(tape, forms, out, stride))
        return true;
    if (forms & ABUT_TAPE_MONOTONE && slopes)
        by_monotony(tape, box, gradients, gradient_stride, scratch, more, out, stride);
    if (forms & ABUT_TAPE_BERNSTEIN && !is_enough(tape, forms, out, stride))
        by_bernstein(tape, box, further, out, stride);
    return true;
}
