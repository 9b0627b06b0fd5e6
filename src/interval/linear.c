/* SPDX-License-Identifier: MIT */
/* Interval linear systems and the Krawczyk-Moore operator.
 *
 * LU: Gaussian elimination in interval arithmetic, each pivot being the entry of its column that is farthest from zero.
 * Iteration: row/column iteration on any number of rows and columns; Snyder, Woodbury, Fleischer, Currin, Barr, "Interval methods
 *   for multi-point collisions between time-dependent curved surfaces", SIGGRAPH 1993, Figure 8.
 * Krawczyk: K(X) = c - Y f(c) + (I - Y J(X)) (X - c) with Y close to the inverse of the middle of J; the same paper, section 4.1
 *   and Theorem 1.
 *
 * Surprise: Theorem 1 needs Y to be nonsingular. |I - Y J| < 1 already says so (Y J is then invertible for every J in J(X)), so
 * nothing has to be assumed about how Y was computed; it is a point matrix in plain doubles, and any error in it only makes
 * K wider. */
#include "interval/divide.h"
#include "interval/ia.h"

enum { DIM = ABUT_INTERVAL_MAX_DIM };

/* Empty entries mean that there is no such system. */
static bool read_entry(const abut_interval *a, ia *out)
{
    *out = ia_read(a);
    return !ia_is_empty(*out);
}

static bool read_entries(int count, const abut_interval *a, ia *out)
{
    for (int i = 0; i < count; ++i)
        if (!read_entry(&a[i], &out[i]))
            return false;
    return true;
}

static void write_entries(int count, const ia *a, abut_interval *out)
{
    for (int i = 0; i < count; ++i)
        out[i] = ia_write(a[i]);
}

static bool dimensions_ok(int rows, int columns)
{
    return rows >= 1 && rows <= DIM && columns >= 1 && columns <= DIM;
}

typedef struct lu_system {
    int n, sides;
    ia m[DIM][DIM], b[DIM][DIM]; /* m x = b for each of the `sides` columns of b; b becomes x */
} lu_system;

static void swap_rows(lu_system *s, int i, int j)
{
    for (int k = 0; k < DIM; ++k) {
        const ia m = s->m[i][k], b = s->b[i][k];
        s->m[i][k] = s->m[j][k];
        s->b[i][k] = s->b[j][k];
        s->m[j][k] = m;
        s->b[j][k] = b;
    }
}

/* false where a pivot holds zero. Elimination acts on b as it goes: L is never kept. */
static bool solve(lu_system *s)
{
    const int n = s->n;
    for (int k = 0; k < n; ++k) {
        int pivot = k;
        for (int i = k + 1; i < n; ++i)
            if (ia_mig(s->m[i][k]) > ia_mig(s->m[pivot][k]))
                pivot = i;
        if (ia_contains_zero(s->m[pivot][k]))
            return false;
        if (pivot != k)
            swap_rows(s, pivot, k);
        for (int i = k + 1; i < n; ++i) {
            const ia factor = ia_div(s->m[i][k], s->m[k][k]);
            for (int j = k + 1; j < n; ++j)
                s->m[i][j] = ia_sub(s->m[i][j], ia_mul(factor, s->m[k][j]));
            for (int j = 0; j < s->sides; ++j)
                s->b[i][j] = ia_sub(s->b[i][j], ia_mul(factor, s->b[k][j]));
        }
    }
    for (int k = n - 1; k >= 0; --k)
        for (int j = 0; j < s->sides; ++j) {
            ia rest = s->b[k][j];
            for (int i = k + 1; i < n; ++i)
                rest = ia_sub(rest, ia_mul(s->m[k][i], s->b[i][j]));
            s->b[k][j] = ia_div(rest, s->m[k][k]);
        }
    return true;
}

static ABUT_NOINLINE void inverse_kernel(int n, const abut_interval *m, abut_interval *inverse,
                                         abut_interval_linear_status *status)
{
    lu_system s = { .n = n, .sides = n };
    for (int i = 0; i < n; ++i)
        for (int j = 0; j < n; ++j) {
            if (!read_entry(&m[i * n + j], &s.m[i][j])) {
                *status = ABUT_LINEAR_NO_SOLUTION;
                return;
            }
            s.b[i][j] = ia_point(i == j);
        }
    *status = solve(&s) ? ABUT_LINEAR_BOUNDED : ABUT_LINEAR_SINGULAR;
    if (*status == ABUT_LINEAR_BOUNDED)
        for (int i = 0; i < n; ++i)
            write_entries(n, s.b[i], inverse + i * n);
}

abut_interval_linear_status abut_interval_inverse(int n, const abut_interval *m, abut_interval *inverse)
{
    abut_interval_linear_status status = ABUT_LINEAR_SINGULAR;
    if (!dimensions_ok(n, n))
        return status;
    const abut_rounding saved = abut_rounding_enter();
    inverse_kernel(n, m, inverse, &status);
    abut_rounding_leave(saved);
    return status;
}

static ABUT_NOINLINE void solve_lu_kernel(int n, const abut_interval *m, const abut_interval *b,
                                          abut_interval *x, abut_interval_linear_status *status)
{
    lu_system s = { .n = n, .sides = 1 };
    bool ok = true;
    for (int i = 0; i < n; ++i)
        ok = ok && read_entries(n, m + i * n, s.m[i]) && read_entry(&b[i], &s.b[i][0]);
    *status = !ok ? ABUT_LINEAR_NO_SOLUTION : solve(&s) ? ABUT_LINEAR_BOUNDED : ABUT_LINEAR_SINGULAR;
    if (*status == ABUT_LINEAR_BOUNDED)
        for (int i = 0; i < n; ++i)
            write_entries(1, s.b[i], &x[i]);
}

abut_interval_linear_status abut_interval_solve_lu(int n, const abut_interval *m, const abut_interval *b,
                                                   abut_interval *x)
{
    abut_interval_linear_status status = ABUT_LINEAR_SINGULAR;
    if (!dimensions_ok(n, n))
        return status;
    const abut_rounding saved = abut_rounding_enter();
    solve_lu_kernel(n, m, b, x, &status);
    abut_rounding_leave(saved);
    return status;
}

static double widest(int count, const ia *x)
{
    double widest = 0;
    for (int i = 0; i < count; ++i) {
        const double width = ia_width(x[i]);
        if (width > widest)
            widest = width;
    }
    return widest;
}

/* One pass over all entries; false when a component became empty. */
static bool pass(int rows, int columns, ia m[DIM][DIM], const ia *b, ia *x)
{
    for (int i = 0; i < rows; ++i)
        for (int j = 0; j < columns; ++j) {
            /* An entry that holds zero bounds nothing by itself; even so a part of x may be cut off, but the figure leaves it. */
            if (ia_contains_zero(m[i][j]))
                continue;
            ia rest = b[i];
            for (int k = 0; k < columns; ++k)
                if (k != j)
                    rest = ia_sub(rest, ia_mul(m[i][k], x[k]));
            x[j] = ia_intersect(ia_div(rest, m[i][j]), x[j]);
            if (ia_is_empty(x[j]))
                return false;
        }
    return true;
}

static ABUT_NOINLINE void iterate_kernel(int rows, int columns, const abut_interval *m,
                                         const abut_interval *b, double improvement, int max_passes,
                                         abut_interval *x, abut_interval_linear_status *status)
{
    ia entries[DIM][DIM], side[DIM], box[DIM];
    bool ok = read_entries(rows, b, side) && read_entries(columns, x, box);
    for (int i = 0; i < rows; ++i)
        ok = ok && read_entries(columns, m + i * columns, entries[i]);
    /* A row of zeros that must give something else. */
    for (int i = 0; ok && i < rows; ++i) {
        ia left = ia_point(0);
        for (int j = 0; j < columns; ++j)
            left = ia_add(left, ia_mul(entries[i][j], box[j]));
        ok = !ia_is_empty(ia_intersect(left, side[i]));
    }
    for (int count = 0; ok && count < max_passes; ++count) {
        const double before = widest(columns, box);
        ok = pass(rows, columns, entries, side, box);
        if (!(widest(columns, box) < improvement * before))
            break;
    }
    *status = ok ? ABUT_LINEAR_BOUNDED : ABUT_LINEAR_NO_SOLUTION;
    if (ok)
        write_entries(columns, box, x);
}

abut_interval_linear_status abut_interval_solve_iterate(int rows, int columns, const abut_interval *m,
                                                        const abut_interval *b, double improvement,
                                                        int max_passes, abut_interval *x)
{
    abut_interval_linear_status status = ABUT_LINEAR_SINGULAR;
    if (!dimensions_ok(rows, columns))
        return status;
    const abut_rounding saved = abut_rounding_enter();
    iterate_kernel(rows, columns, m, b, improvement, max_passes, x, &status);
    abut_rounding_leave(saved);
    return status;
}

/* An inverse in plain doubles, by Gauss-Jordan; false where it does not exist or is not finite. Steers only. */
static bool invert_roughly(int n, double a[DIM][DIM], double out[DIM][DIM])
{
    for (int i = 0; i < n; ++i)
        for (int j = 0; j < n; ++j)
            out[i][j] = i == j;
    for (int k = 0; k < n; ++k) {
        int pivot = k;
        for (int i = k + 1; i < n; ++i)
            if (fabs(a[i][k]) > fabs(a[pivot][k]))
                pivot = i;
        const double size = a[pivot][k];
        if (!(fabs(size) > 0))
            return false;
        for (int j = 0; j < n; ++j) {
            const double left = a[pivot][j] / size, right = out[pivot][j] / size;
            a[pivot][j] = a[k][j];
            out[pivot][j] = out[k][j];
            a[k][j] = left;
            out[k][j] = right;
        }
        for (int i = 0; i < n; ++i) {
            const double factor = a[i][k];
            for (int j = 0; i != k && j < n; ++j) {
                a[i][j] -= factor * a[k][j];
                out[i][j] -= factor * out[k][j];
            }
        }
    }
    for (int i = 0; i < n; ++i)
        for (int j = 0; j < n; ++j)
            if (!(fabs(out[i][j]) < HUGE_VAL))
                return false;
    return true;
}

typedef struct newton {
    ia x[DIM], f[DIM], j[DIM][DIM];
    double c[DIM];
} newton;

/* K(X) in `k`, and whether |I - Y J| < 1 in the row-sum norm; false where there is no Y. */
static bool krawczyk(int n, const newton *s, ia *k, bool *contracts)
{
    double middle[DIM][DIM], y[DIM][DIM];
    for (int i = 0; i < n; ++i)
        for (int j = 0; j < n; ++j) {
            if (!ia_is_finite(s->j[i][j]))
                return false;
            middle[i][j] = ia_mid(s->j[i][j]);
        }
    if (!invert_roughly(n, middle, y))
        return false;
    *contracts = true;
    for (int i = 0; i < n; ++i) {
        ia sum = ia_point(s->c[i]), norm = ia_point(0);
        for (int j = 0; j < n; ++j)
            sum = ia_sub(sum, ia_scale(y[i][j], s->f[j]));
        for (int j = 0; j < n; ++j) {
            ia rest = ia_point(i == j);
            for (int l = 0; l < n; ++l)
                rest = ia_sub(rest, ia_scale(y[i][l], s->j[l][j]));
            norm = ia_add(norm, ia_abs(rest));
            sum = ia_add(sum, ia_mul(rest, ia_sub(s->x[j], ia_point(s->c[j]))));
        }
        *contracts = *contracts && ia_hi(norm) < 1;
        k[i] = sum;
    }
    return true;
}

static ABUT_NOINLINE void krawczyk_kernel(int n, const abut_interval *x, const double *mid,
                                          const abut_interval *f_at_mid, const abut_interval *jacobian,
                                          abut_interval *next, abut_krawczyk_status *status)
{
    newton s;
    ia k[DIM], narrowed[DIM];
    bool contracts, inside = true, ok = read_entries(n, x, s.x), known = read_entries(n, f_at_mid, s.f);
    *status = ABUT_KRAWCZYK_UNKNOWN;
    if (!ok) {
        *status = ABUT_KRAWCZYK_NONE; /* there is nothing in x */
        return;
    }
    for (int i = 0; i < n; ++i) {
        known = known && read_entries(n, jacobian + i * n, s.j[i]);
        s.c[i] = mid[i];
        /* The mean value theorem needs the centre in the box. */
        known = known && ia_contains(s.x[i], mid[i]) && fabs(mid[i]) < HUGE_VAL;
        narrowed[i] = s.x[i];
    }
    if (known && krawczyk(n, &s, k, &contracts)) {
        for (int i = 0; i < n; ++i) {
            inside = inside && ia_subset(k[i], s.x[i]) && ia_is_finite(s.x[i]);
            narrowed[i] = ia_intersect(k[i], s.x[i]);
            if (ia_is_empty(narrowed[i])) {
                *status = ABUT_KRAWCZYK_NONE;
                return;
            }
        }
        if (inside && contracts)
            *status = ABUT_KRAWCZYK_UNIQUE;
    }
    write_entries(n, narrowed, next);
}

abut_krawczyk_status abut_interval_krawczyk(int n, const abut_interval *x, const double *mid,
                                            const abut_interval *f_at_mid, const abut_interval *jacobian,
                                            abut_interval *next)
{
    abut_krawczyk_status status = ABUT_KRAWCZYK_UNKNOWN;
    if (!dimensions_ok(n, n))
        return status;
    const abut_rounding saved = abut_rounding_enter();
    krawczyk_kernel(n, x, mid, f_at_mid, jacobian, next, &status);
    abut_rounding_leave(saved);
    return status;
}
