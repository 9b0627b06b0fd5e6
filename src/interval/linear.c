/* SPDX-License-Identifier: MIT */
/* Interval linear systems and the Krawczyk-Moore operator.
 *
 * LU: Gaussian elimination in interval arithmetic, each pivot being the entry of its column that is
 * farthest from zero. Iteration: row/column iteration on any number of rows and columns; Snyder,
 * Woodbury, Fleischer, Currin, Barr, "Interval methods for multi-point collisions between
 * time-dependent curved surfaces", SIGGRAPH 1993, Figure 8. Krawczyk: K(X) = c - Y f(c) + (I - Y
 * J(X)) (X - c) with Y close to the inverse of the middle of J; the same paper, section 4.1 and
 * Theorem 1.
 *
 * Surprise: Theorem 1 needs Y to be nonsingular. |I - Y J| < 1 already says so (Y J is then
 * invertible for every J in J(X)), so nothing has to be assumed about how Y was computed; it is
 * a point matrix in plain doubles, and any error in it only makes K wider. */
#include "interval/linear.h"

#include "interval/divide.h"

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

static void swap_rows(int count, ia *a, ia *b)
{
    for (int k = 0; k < count; ++k) {
        const ia kept = a[k];
        a[k] = b[k];
        b[k] = kept;
    }
}

/* Elimination acts on b as it goes: L is never kept. */
bool abut_linear_eliminate(int n, ia *m, int stride, int sides, ia *b)
{
    for (int k = 0; k < n; ++k) {
        ia *const row = m + k * stride;
        int pivot = k;
        for (int i = k + 1; i < n; ++i)
            if (ia_mig(m[i * stride + k]) > ia_mig(m[pivot * stride + k]))
                pivot = i;
        if (ia_contains_zero(m[pivot * stride + k]))
            return false;
        if (pivot != k) {
            swap_rows(n, m + pivot * stride, row);
            swap_rows(sides, b + pivot * sides, b + k * sides);
        }
        for (int i = k + 1; i < n; ++i) {
            ia *const below = m + i * stride;
            const ia factor = ia_div(below[k], row[k]);
            for (int j = k + 1; j < n; ++j)
                below[j] = ia_sub(below[j], ia_mul(factor, row[j]));
            for (int j = 0; j < sides; ++j)
                b[i * sides + j] = ia_sub(b[i * sides + j], ia_mul(factor, b[k * sides + j]));
        }
    }
    for (int k = n - 1; k >= 0; --k)
        for (int j = 0; j < sides; ++j) {
            ia rest = b[k * sides + j];
            for (int i = k + 1; i < n; ++i)
                rest = ia_sub(rest, ia_mul(m[k * stride + i], b[i * sides + j]));
            b[k * sides + j] = ia_div(rest, m[k * stride + k]);
        }
    return true;
}

static ABUT_NOINLINE void inverse_kernel(int n, const abut_interval *m, abut_interval *inverse,
                                         abut_interval_linear_status *status)
{
    ia entries[DIM * DIM], result[DIM * DIM];
    if (!read_entries(n * n, m, entries)) {
        *status = ABUT_LINEAR_NO_SOLUTION;
        return;
    }
    for (int i = 0; i < n; ++i)
        for (int j = 0; j < n; ++j)
            result[i * n + j] = ia_point(i == j);
    *status = abut_linear_eliminate(n, entries, n, n, result) ? ABUT_LINEAR_BOUNDED : ABUT_LINEAR_SINGULAR;
    if (*status == ABUT_LINEAR_BOUNDED)
        write_entries(n * n, result, inverse);
}

abut_interval_linear_status abut_interval_inverse(int n, const abut_interval *m, abut_interval *inverse)
{
    abut_interval_linear_status status = ABUT_LINEAR_SINGULAR;
    if (!dimensions_ok(n, n) || !m || !inverse)
        return status;
    const abut_rounding saved = abut_rounding_enter();
    inverse_kernel(n, m, inverse, &status);
    abut_rounding_leave(saved);
    return status;
}

static ABUT_NOINLINE void solve_lu_kernel(int n, const abut_interval *m, const abut_interval *b,
                                          abut_interval *x, abut_interval_linear_status *status)
{
    ia entries[DIM * DIM], result[DIM];
    *status = ABUT_LINEAR_NO_SOLUTION;
    if (read_entries(n * n, m, entries) && read_entries(n, b, result))
        *status =
            abut_linear_eliminate(n, entries, n, 1, result) ? ABUT_LINEAR_BOUNDED : ABUT_LINEAR_SINGULAR;
    if (*status == ABUT_LINEAR_BOUNDED)
        write_entries(n, result, x);
}

abut_interval_linear_status abut_interval_solve_lu(int n, const abut_interval *m, const abut_interval *b,
                                                   abut_interval *x)
{
    abut_interval_linear_status status = ABUT_LINEAR_SINGULAR;
    if (!dimensions_ok(n, n) || !m || !b || !x)
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

/* One equation for each of its unknowns in turn; false when a component became empty. The sum of
 * what stands left of an entry has the narrowed components, the sum to its right is made
 * beforehand. */
static bool solve_row(int columns, const ia *m, ia b, ia *x)
{
    ia right[DIM + 1], left = ia_point(0);
    right[columns] = ia_point(0);
    for (int j = columns - 1; j >= 0; --j)
        right[j] = ia_add(right[j + 1], ia_mul(m[j], x[j]));
    if (ia_is_empty(ia_intersect(right[0], b)))
        return false; /* this also catches a row of zeros that must give something else */
    for (int j = 0; j < columns; ++j) {
        /* An entry that holds zero bounds nothing by itself; even so a part of x may be cut off,
         * but the figure leaves it. */
        if (!ia_contains_zero(m[j])) {
            x[j] = ia_intersect(ia_div(ia_sub(b, ia_add(left, right[j + 1])), m[j]), x[j]);
            if (ia_is_empty(x[j]))
                return false;
        }
        left = ia_add(left, ia_mul(m[j], x[j]));
    }
    return true;
}

bool abut_linear_iterate(int rows, int columns, const ia *m, int stride, const ia *b, double improvement,
                         int max_passes, ia *x)
{
    for (int count = 0; count < max_passes; ++count) {
        const double before = widest(columns, x);
        for (int i = 0; i < rows; ++i)
            if (!solve_row(columns, m + i * stride, b[i], x))
                return false;
        if (!(widest(columns, x) < improvement * before))
            break;
    }
    return true;
}

static ABUT_NOINLINE void iterate_kernel(int rows, int columns, const abut_interval *m,
                                         const abut_interval *b, double improvement, int max_passes,
                                         abut_interval *x, abut_interval_linear_status *status)
{
    ia entries[DIM * DIM], side[DIM], box[DIM];
    const bool ok = read_entries(rows, b, side) && read_entries(columns, x, box) &&
                    read_entries(rows * columns, m, entries) &&
                    abut_linear_iterate(rows, columns, entries, columns, side, improvement, max_passes, box);
    *status = ok ? ABUT_LINEAR_BOUNDED : ABUT_LINEAR_NO_SOLUTION;
    if (ok)
        write_entries(columns, box, x);
}

abut_interval_linear_status abut_interval_solve_iterate(int rows, int columns, const abut_interval *m,
                                                        const abut_interval *b, double improvement,
                                                        int max_passes, abut_interval *x)
{
    abut_interval_linear_status status = ABUT_LINEAR_SINGULAR;
    if (!dimensions_ok(rows, columns) || !m || !b || !x)
        return status;
    const abut_rounding saved = abut_rounding_enter();
    iterate_kernel(rows, columns, m, b, improvement, max_passes, x, &status);
    abut_rounding_leave(saved);
    return status;
}

/* Gauss-Jordan on the rows that the pivots choose; the other rows are only eliminated from. */
bool abut_linear_invert_roughly(int rows, int n, double *a, int *chosen, double *out)
{
    /* row i: what of the rows chosen so far stands in the present row i */
    double record[DIM * DIM];
    int order[DIM];
    for (int i = 0; i < rows; ++i) {
        order[i] = i;
        for (int j = 0; j < n; ++j)
            record[i * n + j] = 0;
    }
    for (int k = 0; k < n; ++k) {
        int pivot = k;
        for (int i = k + 1; i < rows; ++i)
            if (fabs(a[i * n + k]) > fabs(a[pivot * n + k]))
                pivot = i;
        const double size = a[pivot * n + k];
        if (!(fabs(size) > 0))
            return false;
        const int kept = order[pivot];
        order[pivot] = order[k];
        order[k] = kept;
        record[pivot * n + k] = 1;
        for (int j = 0; j < n; ++j) {
            const double left = a[pivot * n + j] / size, right = record[pivot * n + j] / size;
            a[pivot * n + j] = a[k * n + j];
            record[pivot * n + j] = record[k * n + j];
            a[k * n + j] = left;
            record[k * n + j] = right;
        }
        for (int i = 0; i < rows; ++i) {
            const double factor = a[i * n + k];
            for (int j = 0; i != k && j < n; ++j) {
                a[i * n + j] -= factor * a[k * n + j];
                record[i * n + j] -= factor * record[k * n + j];
            }
        }
    }
    for (int i = 0; i < n; ++i)
        chosen[i] = order[i];
    for (int i = 0; i < n * n; ++i) {
        if (!(fabs(record[i]) < HUGE_VAL))
            return false;
        out[i] = record[i];
    }
    return true;
}

typedef struct newton {
    ia x[DIM], f[DIM], j[DIM][DIM];
    double c[DIM];
} newton;

/* K(X) in `k`, and whether |I - Y J| < 1 in the row-sum norm; false where there is no Y. */
static bool krawczyk(int n, const newton *s, ia *k, bool *contracts)
{
    double middle[DIM * DIM], y[DIM * DIM];
    int row[DIM];
    for (int i = 0; i < n; ++i)
        for (int j = 0; j < n; ++j) {
            if (!ia_is_finite(s->j[i][j]))
                return false;
            middle[i * n + j] = ia_mid(s->j[i][j]);
        }
    if (!abut_linear_invert_roughly(n, n, middle, row, y))
        return false;
    *contracts = true;
    for (int i = 0; i < n; ++i) {
        ia sum = ia_point(s->c[i]), norm = ia_point(0);
        for (int j = 0; j < n; ++j)
            sum = ia_sub(sum, ia_scale(y[i * n + j], s->f[row[j]]));
        for (int j = 0; j < n; ++j) {
            ia rest = ia_point(i == j);
            for (int l = 0; l < n; ++l)
                rest = ia_sub(rest, ia_scale(y[i * n + l], s->j[row[l]][j]));
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
    if (!dimensions_ok(n, n) || !x || !mid || !f_at_mid || !jacobian || !next)
        return status;
    const abut_rounding saved = abut_rounding_enter();
    krawczyk_kernel(n, x, mid, f_at_mid, jacobian, next, &status);
    abut_rounding_leave(saved);
    return status;
}
