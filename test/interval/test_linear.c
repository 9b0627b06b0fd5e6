/* SPDX-License-Identifier: MIT */
/* Interval linear systems and Krawczyk steps, both rounding strategies.
 *
 * Referee: exact rationals. Real systems are drawn from the interval system (corners and inside)
 * and solved by rational Gaussian elimination; each solution must lie in the box. For Krawczyk,
 * F = A (p(x_1), ..., p(x_n)) with products of linear factors, so that all roots of F are known
 * exactly and claims of "one" and "none" can be counted. */
#include "interval/check.h"

#include <gmp.h>

enum { DIM = ABUT_INTERVAL_MAX_DIM };

static mpq_t matrix[DIM][DIM + 1], solution[DIM], factor, term;

static int make_rationals(void **state)
{
    (void)state;
    for (int i = 0; i < DIM; ++i) {
        mpq_init(solution[i]);
        for (int j = 0; j <= DIM; ++j)
            mpq_init(matrix[i][j]);
    }
    mpq_inits(factor, term, NULL);
    return 0;
}

static int clear_rationals(void **state)
{
    (void)state;
    for (int i = 0; i < DIM; ++i) {
        mpq_clear(solution[i]);
        for (int j = 0; j <= DIM; ++j)
            mpq_clear(matrix[i][j]);
    }
    mpq_clears(factor, term, NULL);
    return 0;
}

/* Solves the n rows of `matrix`, right-hand side in column n; false where it is singular. */
static bool solve_exactly(int n)
{
    for (int k = 0; k < n; ++k) {
        int pivot = k;
        while (pivot < n && mpq_sgn(matrix[pivot][k]) == 0)
            ++pivot;
        if (pivot == n)
            return false;
        for (int j = 0; j <= n; ++j)
            mpq_swap(matrix[k][j], matrix[pivot][j]);
        for (int i = 0; i < n; ++i) {
            if (i == k || mpq_sgn(matrix[i][k]) == 0)
                continue;
            mpq_div(factor, matrix[i][k], matrix[k][k]);
            for (int j = k; j <= n; ++j) {
                mpq_mul(term, factor, matrix[k][j]);
                mpq_sub(matrix[i][j], matrix[i][j], term);
            }
        }
    }
    for (int k = 0; k < n; ++k)
        mpq_div(solution[k], matrix[k][n], matrix[k][k]);
    return true;
}

static bool holds(abut_interval a, const mpq_t x)
{
    if (a.lo > -INFINITY) {
        mpq_set_d(term, a.lo);
        if (mpq_cmp(term, x) > 0)
            return false;
    }
    if (a.hi < INFINITY) {
        mpq_set_d(term, a.hi);
        if (mpq_cmp(term, x) < 0)
            return false;
    }
    return a.lo <= a.hi;
}

static abut_interval around(test_random *r, double middle, double radius)
{
    return (abut_interval){ middle - radius * test_uniform(r, 0, 1),
                            middle + radius * test_uniform(r, 0, 1) };
}

static void random_system(test_random *r, int rows, int columns, abut_interval *m, abut_interval *b)
{
    const double radius = test_below(r, 4) ? exp2(test_uniform(r, -40, -2)) : 0;
    const double size = test_below(r, 8) ? 1 : exp2(test_uniform(r, -200, 200));
    for (int i = 0; i < rows * columns; ++i)
        m[i] = around(r, size * test_uniform(r, -3, 3), size * radius);
    for (int i = 0; i < rows; ++i) {
        b[i] = around(r, test_uniform(r, -3, 3), radius);
        m[i * columns + i % columns].lo += 2 * size;
        m[i * columns + i % columns].hi += 2 * size;
    }
}

static void solutions_lie_in_the_boxes(void **state)
{
    (void)state;
    const uint64_t count = test_count(1500);
    uint64_t bounded = 0;
    for (uint64_t seed = 0; seed < count; ++seed) {
        test_random r = test_seed(seed);
        const int n = 1 + (int)test_below(&r, 6);
        abut_interval m[DIM * DIM], b[DIM], x[VARIANT_COUNT][DIM], inverse[VARIANT_COUNT][DIM * DIM];
        abut_interval_linear_status status[VARIANT_COUNT], inverse_status[VARIANT_COUNT];
        random_system(&r, n, n, m, b);
        for (int v = 0; v < VARIANT_COUNT; ++v) {
            status[v] = variants[v].solve_lu(n, m, b, x[v]);
            inverse_status[v] = variants[v].inverse(n, m, inverse[v]);
            assert_true(status[v] != ABUT_LINEAR_NO_SOLUTION);
            assert_int_equal(status[v], inverse_status[v]);
        }
        bounded += status[0] == ABUT_LINEAR_BOUNDED;
        for (int draw = 0; draw < 4; ++draw) {
            for (int side = -1; side < n; ++side) {
                /* the system, then the columns of the inverse */
                test_random again = test_seed(seed * 31 + (uint64_t)draw);
                for (int i = 0; i < n; ++i) {
                    for (int j = 0; j < n; ++j)
                        mpq_set_d(matrix[i][j], check_member(&again, m[i * n + j]));
                    if (side < 0)
                        mpq_set_d(matrix[i][n], check_member(&again, b[i]));
                    else
                        mpq_set_si(matrix[i][n], i == side, 1);
                }
                const bool regular = solve_exactly(n);
                for (int v = 0; v < VARIANT_COUNT; ++v) {
                    if (status[v] != ABUT_LINEAR_BOUNDED)
                        continue;
                    TEST_CHECK(regular, "%s: a singular matrix was inverted, seed %" PRIu64,
                               variants[v].strategy, seed);
                    for (int i = 0; i < n; ++i)
                        TEST_CHECK(holds(side < 0 ? x[v][i] : inverse[v][i * n + side], solution[i]),
                                   "%s: component %d (column %d) of a solution is outside, seed %" PRIu64
                                   " draw %d",
                                   variants[v].strategy, i, side, seed, draw);
                }
            }
        }
    }
    /* Most of these systems can be solved: "always singular" must not pass. */
    TEST_CHECK(bounded * 10 > count * 6, "%" PRIu64 " of %" PRIu64, bounded, count);
}

/* M x = b with x in the start box and b computed from it: no start box may lose x, whatever the
 * shape of M. */
static void iteration_keeps_solutions(void **state)
{
    (void)state;
    const uint64_t count = test_count(20000);
    uint64_t narrowed = 0;
    for (uint64_t seed = 0; seed < count; ++seed) {
        test_random r = test_seed(seed);
        const int rows = 1 + (int)test_below(&r, 6), columns = 1 + (int)test_below(&r, 6);
        abut_interval m[DIM * DIM], b[DIM], start[DIM];
        double point[DIM];
        random_system(&r, rows, columns, m, b);
        for (int j = 0; j < columns; ++j) {
            start[j] = around(&r, test_uniform(&r, -2, 2), test_uniform(&r, 0, 4));
            if (test_below(&r, 30) == 0)
                start[j].hi = INFINITY;
            point[j] = start[j].hi < INFINITY ? check_member(&r, start[j]) : start[j].lo + 1;
        }
        for (int i = 0; i < rows; ++i) {
            mpq_set_si(factor, 0, 1);
            for (int j = 0; j < columns; ++j) {
                mpq_set_d(term, check_member(&r, m[i * columns + j]));
                mpq_set_d(matrix[0][0], point[j]);
                mpq_mul(term, term, matrix[0][0]);
                mpq_add(factor, factor, term);
            }
            const double near = mpq_get_d(factor); /* truncated: the true value is within an ulp */
            b[i] = (abut_interval){ check_step(near, -1), check_step(near, 1) };
        }
        for (int v = 0; v < VARIANT_COUNT; ++v) {
            abut_interval x[DIM];
            memcpy(x, start, sizeof x);
            const abut_interval_linear_status status =
                variants[v].solve_iterate(rows, columns, m, b, 0.9, 20, x);
            TEST_CHECK(status == ABUT_LINEAR_BOUNDED, "%s: status %d, seed %" PRIu64, variants[v].strategy,
                       (int)status, seed);
            for (int j = 0; j < columns; ++j) {
                TEST_CHECK(x[j].lo <= point[j] && point[j] <= x[j].hi && x[j].lo >= start[j].lo &&
                               x[j].hi <= start[j].hi,
                           "%s: component %d, seed %" PRIu64, variants[v].strategy, j, seed);
                narrowed += v == 0 && x[j].hi - x[j].lo < 0.5 * (start[j].hi - start[j].lo);
            }
        }
    }
    TEST_CHECK(narrowed > count / 2, "only %" PRIu64 " components were narrowed", narrowed);
}

static void hopeless_systems(void **state)
{
    (void)state;
    for (const variant *v = variants; v < variants + VARIANT_COUNT; ++v) {
        const abut_interval one = { 1, 1 }, zero = { 0, 0 }, empty = { 1, 0 };
        abut_interval x[4] = { { 5, 6 }, { 5, 6 }, { 5, 6 }, { 5, 6 } };
        const abut_interval singular[4] = { one, one, one, one }, b[2] = { one, zero };
        assert_int_equal(v->solve_lu(2, singular, b, x), ABUT_LINEAR_SINGULAR);
        assert_int_equal(v->inverse(2, singular, x), ABUT_LINEAR_SINGULAR);
        assert_true(x[0].lo == 5 && x[3].hi == 6); /* untouched */
        /* x + y = 1 and x + y = 0 at once; and a row of zeros that should give 1 */
        abut_interval box[2] = { { -4, 4 }, { -4, 4 } };
        assert_int_equal(v->solve_iterate(2, 2, singular, b, 0.5, 1000, box),
                         ABUT_LINEAR_BOUNDED); /* it cannot see it */
        const abut_interval nothing[2] = { zero, zero };
        assert_int_equal(v->solve_iterate(1, 2, nothing, b, 0.9, 10, box), ABUT_LINEAR_NO_SOLUTION);
        /* 3 equations, 2 unknowns: x = 1, y = 2, x + y = 4 */
        const abut_interval m[6] = { one, zero, zero, one, one, one };
        const abut_interval sides[3] = { one, { 2, 2 }, { 4, 4 } }, fits[3] = { one, { 2, 2 }, { 3, 3 } };
        abut_interval wide[2] = { { -10, 10 }, { -10, 10 } };
        assert_int_equal(v->solve_iterate(3, 2, m, fits, 0.9, 10, wide), ABUT_LINEAR_BOUNDED);
        assert_true(wide[0].lo == 1 && wide[0].hi == 1 && wide[1].lo == 2 && wide[1].hi == 2);
        wide[0] = wide[1] = (abut_interval){ -10, 10 };
        assert_int_equal(v->solve_iterate(3, 2, m, sides, 0.9, 10, wide), ABUT_LINEAR_NO_SOLUTION);
        /* 1 equation, 2 unknowns */
        wide[0] = (abut_interval){ 0, 10 };
        wide[1] = (abut_interval){ 0, 10 };
        assert_int_equal(v->solve_iterate(1, 2, singular, b, 0.9, 10, wide), ABUT_LINEAR_BOUNDED);
        assert_true(wide[0].hi == 1 && wide[1].hi == 1);
        /* empty input, sizes out of range */
        const abut_interval holes[4] = { one, zero, zero, empty };
        assert_int_equal(v->solve_lu(2, holes, b, x), ABUT_LINEAR_NO_SOLUTION);
        assert_int_equal(v->inverse(2, holes, x), ABUT_LINEAR_NO_SOLUTION);
        assert_int_equal(v->solve_lu(0, holes, b, x), ABUT_LINEAR_SINGULAR);
        assert_int_equal(v->inverse(DIM + 1, holes, x), ABUT_LINEAR_SINGULAR);
        wide[0] = empty;
        assert_int_equal(v->solve_iterate(1, 2, singular, b, 0.9, 10, wide), ABUT_LINEAR_NO_SOLUTION);
        /* NaN is nothing known: the pivot 1 is used, and what is left holds zero */
        const abut_interval unknown[4] = { { NAN, NAN }, one, one, { NAN, 1 } };
        assert_int_equal(v->solve_lu(2, unknown, b, x), ABUT_LINEAR_SINGULAR);
    }
}

typedef struct separable {
    int n, degree;
    double roots[4][4]; /* of each unknown's polynomial: small dyadic numbers */
    double a[4][4];
} separable;

static abut_interval factor_product(const variant *v, const separable *s, int i, int without, abut_interval x)
{
    abut_interval p = { 1, 1 };
    for (int k = 0; k < s->degree; ++k)
        if (k != without)
            p = v->mul(p, v->sub(x, v->point(s->roots[i][k])));
    return p;
}

static void krawczyk_claims_are_true(void **state)
{
    (void)state;
    const uint64_t count = test_count(30000);
    uint64_t unique = 0, none = 0;
    for (uint64_t seed = 0; seed < count; ++seed) {
        test_random r = test_seed(seed);
        separable s = { .n = 1 + (int)test_below(&r, 3), .degree = 1 + (int)test_below(&r, 3) };
        double mid[4];
        abut_interval x[4];
        uint64_t inside = 1;
        for (int i = 0; i < s.n; ++i) {
            for (int k = 0; k < s.degree; ++k)
                s.roots[i][k] = ((int)test_below(&r, 65) - 32) / 8.0;
            for (int j = 0; j < s.n; ++j)
                s.a[i][j] = (int)test_below(&r, 9) - 4 + (i == j ? 6 : 0);
            const double near =
                test_below(&r, 3) ? s.roots[i][test_below(&r, (unsigned)s.degree)] : test_uniform(&r, -4, 4);
            const double radius = exp2(test_uniform(&r, -12, 1));
            x[i] = around(&r, near, radius);
            if (test_below(&r, 8) == 0)
                x[i].lo = near; /* a root on the border */
            mid[i] = test_below(&r, 4) ? 0.5 * (x[i].lo + x[i].hi) : check_member(&r, x[i]);
            uint64_t here = 0;
            for (int k = 0; k < s.degree; ++k) {
                bool seen = false;
                for (int l = 0; l < k; ++l)
                    seen = seen || s.roots[i][l] == s.roots[i][k];
                here += !seen && x[i].lo <= s.roots[i][k] && s.roots[i][k] <= x[i].hi;
            }
            inside *= here;
        }
        for (const variant *v = variants; v < variants + VARIANT_COUNT; ++v) {
            abut_interval f[4], jacobian[16], next[4];
            for (int i = 0; i < s.n; ++i) {
                f[i] = (abut_interval){ 0, 0 };
                for (int j = 0; j < s.n; ++j) {
                    const abut_interval at = factor_product(v, &s, j, -1, v->point(mid[j]));
                    f[i] = v->add(f[i], v->mul(v->point(s.a[i][j]), at));
                    abut_interval slope = { 0, 0 };
                    for (int k = 0; k < s.degree; ++k)
                        slope = v->add(slope, factor_product(v, &s, j, k, x[j]));
                    jacobian[i * s.n + j] = v->mul(v->point(s.a[i][j]), slope);
                }
            }
            const abut_krawczyk_status status = v->krawczyk(s.n, x, mid, f, jacobian, next);
            unique += status == ABUT_KRAWCZYK_UNIQUE;
            none += status == ABUT_KRAWCZYK_NONE;
            /* A = a is diagonally dominant enough to be regular in almost all draws; where it is
             * not, F has more roots, and the counts below say nothing. */
            for (int i = 0; i < s.n; ++i) {
                for (int j = 0; j < s.n; ++j)
                    mpq_set_d(matrix[i][j], s.a[i][j]);
                mpq_set_si(matrix[i][s.n], 1, 1);
            }
            if (!solve_exactly(s.n))
                continue;
            if (status == ABUT_KRAWCZYK_UNIQUE)
                TEST_CHECK(inside == 1, "%s: one root claimed, %" PRIu64 " there, seed %" PRIu64, v->strategy,
                           inside, seed);
            if (status == ABUT_KRAWCZYK_NONE)
                TEST_CHECK(inside == 0, "%s: no root claimed, %" PRIu64 " there, seed %" PRIu64, v->strategy,
                           inside, seed);
            for (int i = 0; status != ABUT_KRAWCZYK_NONE && inside > 0 && i < s.n; ++i)
                for (int k = 0; k < s.degree; ++k)
                    if (x[i].lo <= s.roots[i][k] && s.roots[i][k] <= x[i].hi)
                        TEST_CHECK(next[i].lo <= s.roots[i][k] && s.roots[i][k] <= next[i].hi,
                                   "%s: root %a lost, seed %" PRIu64, v->strategy, s.roots[i][k], seed);
        }
    }
    TEST_CHECK(unique * 5 > count && none * 10 > count,
               "unique %" PRIu64 " none %" PRIu64 " of %" PRIu64 " pairs", unique, none, count);
}

static void krawczyk_edges(void **state)
{
    (void)state;
    for (const variant *v = variants; v < variants + VARIANT_COUNT; ++v) {
        const abut_interval x = { 1, 2 }, slope = { 2, 4 }, f = { 0.25, 0.25 };
        abut_interval next;
        double mid = 1.5;
        /* x^2 - 2 */
        assert_int_equal(v->krawczyk(1, &x, &mid, &f, &slope, &next), ABUT_KRAWCZYK_UNIQUE);
        assert_true(next.lo <= sqrt(2) && next.hi >= sqrt(2) && next.hi - next.lo < 1);
        mid = 3; /* outside: the mean value form does not hold */
        assert_int_equal(v->krawczyk(1, &x, &mid, &f, &slope, &next), ABUT_KRAWCZYK_UNKNOWN);
        assert_true(next.lo == 1 && next.hi == 2);
        mid = NAN;
        assert_int_equal(v->krawczyk(1, &x, &mid, &f, &slope, &next), ABUT_KRAWCZYK_UNKNOWN);
        mid = 1.5;
        const abut_interval flat = { 0, 0 }, both = { -1, 1 }, all = { -INFINITY, INFINITY },
                            empty = { 2, 1 };
        assert_int_equal(v->krawczyk(1, &x, &mid, &f, &flat, &next), ABUT_KRAWCZYK_UNKNOWN);
        assert_int_equal(v->krawczyk(1, &x, &mid, &f, &both, &next), ABUT_KRAWCZYK_UNKNOWN);
        assert_int_equal(v->krawczyk(1, &x, &mid, &f, &all, &next), ABUT_KRAWCZYK_UNKNOWN);
        assert_int_equal(v->krawczyk(1, &x, &mid, &all, &slope, &next), ABUT_KRAWCZYK_UNKNOWN);
        assert_int_equal(v->krawczyk(1, &empty, &mid, &f, &slope, &next), ABUT_KRAWCZYK_NONE);
        assert_int_equal(v->krawczyk(9, &x, &mid, &f, &slope, &next), ABUT_KRAWCZYK_UNKNOWN);
        /* a point box: x = 1.5 is no root, and is one */
        const abut_interval point = { 1.5, 1.5 }, zero = { 0, 0 };
        assert_int_equal(v->krawczyk(1, &point, &mid, &f, &slope, &next), ABUT_KRAWCZYK_NONE);
        assert_int_equal(v->krawczyk(1, &point, &mid, &zero, &slope, &next), ABUT_KRAWCZYK_UNIQUE);
        /* K is inside, but nothing contracts: slopes from -1 to 3 */
        const abut_interval loose = { -1, 3 };
        assert_int_equal(v->krawczyk(1, &point, &mid, &zero, &loose, &next), ABUT_KRAWCZYK_UNKNOWN);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(solutions_lie_in_the_boxes),
        cmocka_unit_test(iteration_keeps_solutions),
        cmocka_unit_test(hopeless_systems),
        cmocka_unit_test(krawczyk_claims_are_true),
        cmocka_unit_test(krawczyk_edges),
    };
    return cmocka_run_group_tests(tests, make_rationals, clear_rationals);
}
