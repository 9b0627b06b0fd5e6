/* SPDX-License-Identifier: MIT */
/* Certified real roots: doubles with error bounds first, integers for what these leave open.
 *
 * Method: abut_poly_isolate (math/poly_isolate.h) decides all well separated roots, asking the
 * integers for the sign at a point now and then. An interval that it leaves open holds a
 * multiple root, or roots (real or not) too close for doubles. The square-free decomposition
 * (math/poly_factor.c) tells which: if there are no multiple roots, exact isolation
 * (math/poly_exact.h) decides; if there are, each factor, whose roots are simple and usually far
 * apart, is isolated by itself, doubles first again. A CLUSTER is left where the fixed budget of
 * integers is used up, and where distinct roots lie between the same two adjacent doubles, or
 * between the largest double and infinity, so that their enclosures could not be disjoint. */
#include "interval/poly_certified.h"

#include "math/nearest.h"
#include "math/poly_exact.h"

#include <math.h>
#include <string.h>

/* ---- results ---- */

static bool valid_region(int degree, double lo, double hi)
{
    return degree >= 0 && degree <= ABUT_POLYNOMIAL_MAX_DEGREE && lo <= hi && lo < INFINITY && hi > -INFINITY;
}

static abut_poly_item united(const abut_poly_item *a, const abut_poly_item *b)
{
    return (abut_poly_item){ a->a, b->b, false, a->multiplicity + b->multiplicity, a->sign_a, b->sign_b };
}

/* As many items as the polynomial can have roots, the closest joined first. Only undecided ones
 * can be too many. */
static int limit_count(abut_poly_item *items, int count, int degree)
{
    while (count > degree) {
        int best = -1;
        double gap = INFINITY;
        for (int i = 0; i + 1 < count; ++i)
            if ((!items[i].decided || !items[i + 1].decided) &&
                (best < 0 || items[i + 1].a - items[i].b < gap)) {
                gap = items[i + 1].a - items[i].b;
                best = i;
            }
        if (best < 0) { /* one undecided item too many for a polynomial without roots */
            best = 0;
            if (count == 1)
                return 0;
        }
        items[best] = united(&items[best], &items[best + 1]);
        memmove(&items[best + 1], &items[best + 2], (size_t)(count - best - 2) * sizeof *items);
        --count;
    }
    return count;
}

static int deliver(abut_poly_item *items, int count, int degree, double lo, double hi, abut_root *roots)
{
    count = limit_count(items, count, degree);
    for (int i = 0; i < count; ++i) {
        const abut_poly_item *item = &items[i];
        roots[i].x.lo = item->a < lo ? lo : item->a;
        roots[i].x.hi = item->b > hi ? hi : item->b;
        roots[i].multiplicity = item->multiplicity < degree ? item->multiplicity : degree;
        roots[i].kind = !item->decided            ? ABUT_ROOT_CLUSTER
                        : item->multiplicity == 1 ? ABUT_ROOT_SIMPLE
                                                  : ABUT_ROOT_MULTIPLE;
    }
    return count;
}

/* ---- the exact stage ---- */

typedef struct exact_stage {
    const double *terms; /* of the polynomial, without zeros at either end */
    int per_coefficient, degree;
    bool made;
    int largest; /* multiplicity; -1: not yet known, 0: cannot be found */
    abut_zpoly p;
    abut_zpoly factor[ABUT_POLY_TERMS];
    abut_zpoly_memory mem;
} exact_stage;

static void begin(exact_stage *stage, const double *terms, int per_coefficient, int degree)
{
    stage->terms = terms;
    stage->per_coefficient = per_coefficient;
    stage->degree = degree;
    stage->made = false;
    stage->largest = -1;
    stage->mem.used = 0;
    stage->mem.work_left = ABUT_ZPOLY_WORK;
}

/* Always succeeds: 33 coefficients of a full range of 2098 bits and their carries fit. */
static const abut_zpoly *integers(exact_stage *stage)
{
    if (!stage->made)
        stage->made = abut_zpoly_from_doubles(&stage->mem, stage->terms, stage->per_coefficient,
                                              stage->degree, &stage->p);
    return stage->made ? &stage->p : NULL;
}

static int sign_at(void *ctx, double y, int k)
{
    exact_stage *stage = ctx;
    const abut_zpoly *p = integers(stage);
    return p ? abut_zpoly_sign(&stage->mem, p, y, k) : ABUT_SIGN_UNKNOWN;
}

typedef struct factor_sign {
    abut_zpoly_memory *mem;
    const abut_zpoly *p;
} factor_sign;

static int factor_sign_at(void *ctx, double y, int k)
{
    const factor_sign *f = ctx;
    return abut_zpoly_sign(f->mem, f->p, y, k);
}

static void sort_items(abut_poly_item *items, int count)
{
    for (int i = 1; i < count; ++i)
        for (int j = i; j > 0 && (items[j].a < items[j - 1].a ||
                                  (items[j].a == items[j - 1].a && items[j].b < items[j - 1].b));
             --j) {
            const abut_poly_item t = items[j];
            items[j] = items[j - 1];
            items[j - 1] = t;
        }
}

/* Roots of factor k in the open item, appended; each has multiplicity k. */
static int solve_factor(exact_stage *stage, int k, const abut_poly_item *open, abut_poly_item *out, int count,
                        int capacity)
{
    const abut_zpoly *p = &stage->factor[k];
    if (p == &stage->factor[1] && stage->largest == 1)
        return abut_zpoly_isolate(&stage->mem, p, open->a, open->b, 1, out, count, capacity);
    abut_poly rounded;
    abut_zpoly_round(p, &rounded);
    factor_sign ctx = { &stage->mem, p };
    const abut_poly_isolate_opts opts = { .exact = factor_sign_at, .ctx = &ctx };
    abut_poly_item items[ABUT_POLY_MAX_ITEMS];
    const int found = abut_poly_isolate(&rounded, open->a, open->b, &opts, items);
    for (int i = 0; i < found; ++i) {
        if (!items[i].decided) {
            count = abut_zpoly_isolate(&stage->mem, p, items[i].a, items[i].b, k, out, count, capacity);
        } else if (count < capacity) {
            items[i].multiplicity = k;
            out[count++] = items[i];
        } else {
            out[count - 1] = united(&out[count - 1], &items[i]);
        }
    }
    return count;
}

/* Replaces the undecided items by what integers find in them. */
static ABUT_MATH_NOINLINE int resolve(exact_stage *stage, abut_poly_item *items, int count)
{
    abut_poly_item result[ABUT_POLY_MAX_ITEMS];
    int kept = 0;
    for (int i = 0; i < count; ++i) {
        const int left = count - i - 1, capacity = ABUT_POLY_MAX_ITEMS - left;
        if (!items[i].decided && isfinite(items[i].a) && isfinite(items[i].b) && capacity - kept >= 2) {
            const abut_zpoly *p = integers(stage);
            if (p && stage->largest < 0)
                stage->largest = abut_zpoly_factor(&stage->mem, p, stage->factor);
            if (stage->largest > 0) {
                const int start = kept;
                for (int k = 1; k <= stage->largest; ++k)
                    if (stage->factor[k].degree > 0)
                        kept = solve_factor(stage, k, &items[i], result, kept, capacity);
                sort_items(result + start, kept - start);
                continue;
            }
        }
        result[kept++] = items[i];
    }
    kept = abut_poly_join(result, kept);
    memcpy(items, result, (size_t)kept * sizeof *items);
    return kept;
}

/* p is what stage->terms say, rounded; both have non-zero first and last coefficients. `zeros`
 * roots at zero come on top. */
static int solve(exact_stage *stage, const abut_poly *p, int zeros, double lo, double hi, double width,
                 abut_root *roots)
{
    abut_poly_item items[ABUT_POLY_MAX_ITEMS + 1];
    const abut_poly_isolate_opts opts = { .width = width, .exact = sign_at, .ctx = stage };
    int count = p->degree > 0 ? abut_poly_isolate(p, lo, hi, &opts, items) : 0;
    bool open = false;
    for (int i = 0; i < count; ++i)
        open = open || !items[i].decided;
    if (open)
        count = resolve(stage, items, count);
    if (zeros > 0 && lo <= 0 && hi >= 0) {
        items[count++] = (abut_poly_item){ 0, 0, true, zeros, 0, 0 };
        sort_items(items, count);
        count = abut_poly_join(items, count);
    }
    return deliver(items, count, p->degree + zeros, lo, hi, roots);
}

static ABUT_MATH_NOINLINE int certified(const double *c, int degree, double lo, double hi, double width,
                                        abut_root *roots)
{
    int zeros = 0, top = degree;
    while (top >= 0 && c[top] == 0)
        --top;
    if (top < 0)
        return -1;
    while (c[zeros] == 0)
        ++zeros;
    exact_stage stage;
    abut_poly p;
    p.degree = top - zeros;
    p.has_low = p.has_error = false;
    memcpy(p.c, c + zeros, (size_t)(p.degree + 1) * sizeof *c);
    begin(&stage, c + zeros, 1, p.degree);
    return solve(&stage, &p, zeros, lo, hi, width, roots);
}

int abut_polynomial_roots_certified(const double *c, int degree, double lo, double hi, double width,
                                    abut_root *roots)
{
    if (!c || !roots || !valid_region(degree, lo, hi))
        return -1;
    for (int i = 0; i <= degree; ++i)
        if (!isfinite(c[i]))
            return -1;
    const abut_nearest saved = abut_nearest_enter();
    const int count = certified(c, degree, lo, hi, width, roots);
    abut_nearest_leave(saved);
    return count;
}

/* ---- exact sums ---- */

static ABUT_MATH_NOINLINE int from_expansion(const double *terms, int per_coefficient, int degree, double lo,
                                             double hi, double width, abut_root *roots)
{
    exact_stage stage;
    begin(&stage, terms, per_coefficient, degree);
    const abut_zpoly *z = integers(&stage);
    if (!z || z->degree < 0)
        return -1;
    int zeros = 0;
    while (z->size[zeros] == 0)
        ++zeros;
    stage.p.degree -= zeros;
    stage.p.limbs += (ptrdiff_t)zeros * stage.p.stride;
    memmove(stage.p.size, stage.p.size + zeros, (size_t)(stage.p.degree + 1) * sizeof stage.p.size[0]);
    abut_poly p;
    abut_zpoly_round(&stage.p, &p);
    return solve(&stage, &p, zeros, lo, hi, width, roots);
}

int abut_poly_roots_expansion(const double *terms, int per_coefficient, int degree, double lo, double hi,
                              double width, abut_root *roots)
{
    if (!valid_region(degree, lo, hi) || per_coefficient < 1 || per_coefficient > ABUT_POLY_MAX_COMPONENTS)
        return -1;
    for (int i = 0; i < (degree + 1) * per_coefficient; ++i)
        if (!isfinite(terms[i]))
            return -1;
    const abut_nearest saved = abut_nearest_enter();
    const int count = from_expansion(terms, per_coefficient, degree, lo, hi, width, roots);
    abut_nearest_leave(saved);
    return count;
}

/* ---- intervals ---- */

static ABUT_MATH_NOINLINE int from_intervals(const abut_interval *c, int degree, double lo, double hi,
                                             double width, abut_root *roots)
{
    abut_poly p = { .degree = degree, .has_error = true };
    bool zero_possible = true;
    for (int i = 0; i <= degree; ++i) {
        const double middle = 0.5 * c[i].lo + 0.5 * c[i].hi;
        const double above = c[i].hi - middle, below = middle - c[i].lo;
        p.c[i] = middle;
        p.error[i] = above > below ? above : below;
        if (p.error[i] >
            0) /* the subtraction rounded by at most half a unit, exactly where the result is denormal */
            p.error[i] = p.error[i] * (1 + 0x1p-51);
        if (!isfinite(p.error[i]))
            return -1;
        zero_possible = zero_possible && c[i].lo <= 0 && c[i].hi >= 0;
    }
    if (zero_possible)
        return -1;
    abut_poly_item items[ABUT_POLY_MAX_ITEMS];
    const abut_poly_isolate_opts opts = { .width = width };
    return deliver(items, abut_poly_isolate(&p, lo, hi, &opts, items), degree, lo, hi, roots);
}

int abut_poly_roots_interval(const abut_interval *c, int degree, double lo, double hi, double width,
                             abut_root *roots)
{
    if (!valid_region(degree, lo, hi) || !isfinite(lo) || !isfinite(hi))
        return -1;
    for (int i = 0; i <= degree; ++i)
        if (!(c[i].lo <= c[i].hi) || isinf(c[i].lo) || isinf(c[i].hi))
            return -1;
    const abut_nearest saved = abut_nearest_enter();
    const int count = from_intervals(c, degree, lo, hi, width, roots);
    abut_nearest_leave(saved);
    return count;
}
