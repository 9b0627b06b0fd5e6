/* SPDX-License-Identifier: MIT */
/* The public interval functions: each reads its arguments as abut/interval.h says, enters the
 * rounding mode, runs a kernel that the compiler cannot see through, and restores the caller's
 * floating-point state exactly. Even comparisons run inside, because a caller who treats
 * denormals as zero would otherwise get wrong answers from them. */
#include "interval/chebyshev.h"
#include "interval/divide.h"
#include "interval/ia.h"

#define UNARY(name, function)                                                           \
    static ABUT_NOINLINE void name##_kernel(const abut_interval *a, abut_interval *out) \
    {                                                                                   \
        const ia x = ia_read(a);                                                        \
        *out = ia_write(ia_is_empty(x) ? x : function(x));                              \
    }                                                                                   \
    abut_interval abut_interval_##name(abut_interval a)                                 \
    {                                                                                   \
        abut_interval out;                                                              \
        const abut_rounding saved = abut_rounding_enter();                              \
        name##_kernel(&a, &out);                                                        \
        abut_rounding_leave(saved);                                                     \
        return out;                                                                     \
    }

#define BINARY(name, function)                                                              \
    static ABUT_NOINLINE void name##_kernel(const abut_interval *a, const abut_interval *b, \
                                            abut_interval *out)                             \
    {                                                                                       \
        const ia x = ia_read(a), y = ia_read(b);                                            \
        *out = ia_write(ia_is_empty(x) || ia_is_empty(y) ? ia_empty() : function(x, y));    \
    }                                                                                       \
    abut_interval abut_interval_##name(abut_interval a, abut_interval b)                    \
    {                                                                                       \
        abut_interval out;                                                                  \
        const abut_rounding saved = abut_rounding_enter();                                  \
        name##_kernel(&a, &b, &out);                                                        \
        abut_rounding_leave(saved);                                                         \
        return out;                                                                         \
    }

BINARY(add, ia_add)
BINARY(sub, ia_sub)
BINARY(mul, ia_mul)
BINARY(div, ia_div)
BINARY(pow, ia_pow)
BINARY(min, ia_min)
BINARY(max, ia_max)
BINARY(intersect, ia_intersect)
UNARY(neg, ia_neg)
UNARY(sqr, ia_sqr)
UNARY(sqrt, ia_sqrt)
UNARY(exp, ia_exp)
UNARY(log, ia_log)
UNARY(sin, ia_sin)
UNARY(cos, ia_cos)
UNARY(tan, ia_tan)
UNARY(asin, ia_asin)
UNARY(acos, ia_acos)
UNARY(atan, ia_atan)
UNARY(abs, ia_abs)

static ABUT_NOINLINE void hull_kernel(const abut_interval *a, const abut_interval *b, abut_interval *out)
{
    *out = ia_write(ia_hull(ia_read(a), ia_read(b)));
}

/* The one operation for which empty is neutral. */
abut_interval abut_interval_hull(abut_interval a, abut_interval b)
{
    abut_interval out;
    const abut_rounding saved = abut_rounding_enter();
    hull_kernel(&a, &b, &out);
    abut_rounding_leave(saved);
    return out;
}

static ABUT_NOINLINE void pown_kernel(const abut_interval *a, int n, abut_interval *out)
{
    const ia x = ia_read(a);
    *out = ia_write(ia_is_empty(x) ? x : ia_pown(x, n));
}

abut_interval abut_interval_pown(abut_interval a, int n)
{
    abut_interval out;
    const abut_rounding saved = abut_rounding_enter();
    pown_kernel(&a, n, &out);
    abut_rounding_leave(saved);
    return out;
}

static ABUT_NOINLINE void div_split_kernel(const abut_interval *a, const abut_interval *b,
                                           abut_interval out[2], int *count)
{
    const ia x = ia_read(a), y = ia_read(b);
    ia parts[2];
    *count = ia_is_empty(x) || ia_is_empty(y) ? 0 : ia_div_split(x, y, parts);
    for (int i = 0; i < *count; ++i)
        out[i] = ia_write(parts[i]);
}

int abut_interval_div_split(abut_interval a, abut_interval b, abut_interval out[2])
{
    int count;
    if (!out)
        return 0;
    const abut_rounding saved = abut_rounding_enter();
    div_split_kernel(&a, &b, out, &count);
    abut_rounding_leave(saved);
    return count;
}

static ABUT_NOINLINE void point_kernel(const double *x, abut_interval *out)
{
    const abut_interval a = { *x, *x };
    *out = ia_write(ia_read(&a));
}

abut_interval abut_interval_point(double x)
{
    abut_interval out;
    const abut_rounding saved = abut_rounding_enter();
    point_kernel(&x, &out);
    abut_rounding_leave(saved);
    return out;
}

abut_interval abut_interval_empty(void)
{
    return (abut_interval){ HUGE_VAL, -HUGE_VAL };
}

abut_interval abut_interval_entire(void)
{
    return (abut_interval){ -HUGE_VAL, HUGE_VAL };
}

static ABUT_NOINLINE void is_empty_kernel(const abut_interval *a, bool *out)
{
    *out = ia_is_empty(ia_read(a));
}

bool abut_interval_is_empty(abut_interval a)
{
    bool out;
    const abut_rounding saved = abut_rounding_enter();
    is_empty_kernel(&a, &out);
    abut_rounding_leave(saved);
    return out;
}

static ABUT_NOINLINE void contains_kernel(const abut_interval *a, const double *x, bool *out)
{
    *out = fabs(*x) < HUGE_VAL && ia_contains(ia_read(a), *x);
}

bool abut_interval_contains(abut_interval a, double x)
{
    bool out;
    const abut_rounding saved = abut_rounding_enter();
    contains_kernel(&a, &x, &out);
    abut_rounding_leave(saved);
    return out;
}

static ABUT_NOINLINE void subset_kernel(const abut_interval *a, const abut_interval *b, bool *out)
{
    *out = ia_subset(ia_read(a), ia_read(b));
}

bool abut_interval_subset(abut_interval a, abut_interval of_b)
{
    bool out;
    const abut_rounding saved = abut_rounding_enter();
    subset_kernel(&a, &of_b, &out);
    abut_rounding_leave(saved);
    return out;
}

static ABUT_NOINLINE void mid_kernel(const abut_interval *a, double *out)
{
    const ia x = ia_read(a);
    *out = ia_is_empty(x) ? (double)NAN : ia_mid(x);
}

double abut_interval_mid(abut_interval a)
{
    double out;
    const abut_rounding saved = abut_rounding_enter();
    mid_kernel(&a, &out);
    abut_rounding_leave(saved);
    return out;
}

static ABUT_NOINLINE void width_kernel(const abut_interval *a, double *out)
{
    *out = ia_width(ia_read(a));
}

double abut_interval_width(abut_interval a)
{
    double out;
    const abut_rounding saved = abut_rounding_enter();
    width_kernel(&a, &out);
    abut_rounding_leave(saved);
    return out;
}

static ABUT_NOINLINE void bisect_kernel(const abut_interval *a, abut_interval *left, abut_interval *right)
{
    const ia x = ia_read(a);
    const bool empty = ia_is_empty(x);
    const double mid = empty ? 0 : ia_mid(x);
    *left = ia_write(empty ? x : ia_make(ia_lo(x), mid));
    *right = ia_write(empty ? x : ia_make(mid, ia_hi(x)));
}

void abut_interval_bisect(abut_interval a, abut_interval *left, abut_interval *right)
{
    abut_interval unwanted;
    const abut_rounding saved = abut_rounding_enter();
    bisect_kernel(&a, left ? left : &unwanted, right ? right : &unwanted);
    abut_rounding_leave(saved);
}

/* ---- Chebyshev series ---- */

static ABUT_NOINLINE void chebyshev_kernel(const abut_interval *c, size_t count, const abut_interval *a,
                                           abut_interval *out)
{
    const ia x = ia_intersect(ia_read(a), ia_make(-1, 1));
    bool known = true;
    for (size_t i = 0; i < count; ++i)
        known = known && c[i].lo <= c[i].hi;
    *out = ia_write(ia_is_empty(x) ? x : known ? abut_chebyshev_enclose(c, count, x) : ia_entire());
}

abut_interval abut_interval_chebyshev(const abut_interval *c, size_t count, abut_interval x)
{
    abut_interval out;
    if (!c && count > 0)
        return abut_interval_entire();
    const abut_rounding saved = abut_rounding_enter();
    chebyshev_kernel(c, count, &x, &out);
    abut_rounding_leave(saved);
    return out;
}

/* c'[k] = c'[k + 2] + 2 (k + 1) c[k + 1], the first coefficient counting half in both. */
static ABUT_NOINLINE void derive_kernel(const abut_interval *c, size_t count, abut_interval *out)
{
    for (size_t k = count; k-- > 0;) {
        const ia above = k + 2 < count ? ia_read(&out[k + 2]) : ia_point(0);
        const ia next = k + 1 < count ? ia_read(&c[k + 1]) : ia_point(0);
        out[k] = ia_write(ia_add(above, ia_scale(2 * (double)(k + 1), next)));
    }
}

void abut_interval_chebyshev_derive(const abut_interval *c, size_t count, abut_interval *out)
{
    if (!c || !out)
        return;
    const abut_rounding saved = abut_rounding_enter();
    derive_kernel(c, count, out);
    abut_rounding_leave(saved);
}
