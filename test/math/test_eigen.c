/* SPDX-License-Identifier: MIT */
/* Symmetric 3x3 eigenvalues. Referee: in long double, A v = lambda v and V^T V = 1 to a few ulp
 * of the largest entry, which by Weyl's theorem bounds the error of each eigenvalue by as much;
 * and matrices whose eigenvalues are known. */
#include "math/vec3.h"
#include "support/test.h"

static const double ulp = 0x1p-52;

static void check(const abut_mat3 *a, uint64_t seed)
{
    abut_vec3 values;
    abut_mat3 v;
    abut_mat3 upper = *a;
    upper.m[1][0] = upper.m[2][0] = upper.m[2][1] = NAN; /* must not be read */
    abut_mat3_symmetric_eigen(&upper, &values, &v);
    const double lambda[3] = { values.x, values.y, values.z };
    double size = 0;
    for (int i = 0; i < 9; ++i)
        size = fmax(size, fabs(a->m[i / 3][i % 3]));
    TEST_CHECK(lambda[0] <= lambda[1] && lambda[1] <= lambda[2], "seed %" PRIu64, seed);
    for (int j = 0; j < 3; ++j)
        for (int i = 0; i < 3; ++i) {
            long double residual = -(long double)lambda[j] * v.m[i][j], product = i == j ? -1 : 0;
            for (int k = 0; k < 3; ++k) {
                residual += (long double)a->m[i < k ? i : k][i < k ? k : i] * v.m[k][j];
                product += (long double)v.m[k][i] * v.m[k][j];
            }
            /* Measured worst over 1e6: 6.6 and 8.4 ulp. The smallest number is granted once for
             * underflow. */
            TEST_CHECK(fabsl(residual) <= 16 * ulp * size + 0x1p-1073, "seed %" PRIu64 ": residual %g of %g",
                       seed, (double)residual, size);
            TEST_CHECK(fabsl(product) <= 12 * ulp, "seed %" PRIu64 ": not orthonormal by %g", seed,
                       (double)product);
        }
    TEST_NEAR(abut_mat3_det(&v), 1, 20 * ulp, "seed %" PRIu64, seed);
}

static void random_and_degenerate_matrices(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < test_count(200000); ++seed) {
        test_random r = test_seed(seed);
        abut_mat3 a = { { { 0 } } };
        const unsigned kind = test_below(&r, 7);
        for (int i = 0; i < 3; ++i)
            for (int j = i; j < 3; ++j)
                a.m[i][j] = kind == 0   ? test_log_uniform(&r, -300, 300)
                            : kind == 1 ? test_log_uniform(&r, -60, 0)
                            : kind == 2 ? (double)test_below(&r, 3) - 1
                                        : test_uniform(&r, -1, 1);
        if (kind >= 4) { /* V diag V^T with chosen eigenvalues, repeated, missing or nearly so */
            const abut_mat3 v = abut_quat_to_mat3(abut_quat_from_axis_angle(
                abut_v3(test_uniform(&r, -1, 1), test_uniform(&r, -1, 1), 1), test_uniform(&r, -3, 3)));
            const double near = kind == 5 ? test_log_uniform(&r, -60, -20) : 0;
            const double d[3] = { kind == 6 ? 0 : 1, 1 + near,
                                  test_below(&r, 2) ? test_uniform(&r, -2, 2) : 1 };
            for (int i = 0; i < 3; ++i)
                for (int j = i; j < 3; ++j) {
                    a.m[i][j] = 0;
                    for (int k = 0; k < 3; ++k)
                        a.m[i][j] += v.m[i][k] * d[k] * v.m[j][k];
                }
        }
        const double scale = seed % 4 ? 1 : test_log_uniform(&r, -1000, 600);
        for (int i = 0; i < 9; ++i)
            a.m[i / 3][i % 3] *= scale;
        bool finite = true;
        for (int i = 0; i < 9; ++i)
            finite = finite && isfinite(a.m[i / 3][i % 3]);
        if (finite)
            check(&a, seed);
    }
}

static void known_matrices(void **state)
{
    (void)state;
    const struct {
        double xx, xy, xz, yy, yz, zz, low, middle, high;
    } known[] = {
        { 0, 0, 0, 0, 0, 0, 0, 0, 0 },
        { 3, 0, 0, 1, 0, 2, 1, 2, 3 },
        { 1, 1, 1, 1, 1, 1, 0, 0, 3 },
        { 2, 1, 0, 2, 0, 5, 1, 3, 5 },
        { 0, 1, 0, 0, 0, 0, -1, 0, 1 },
        { 0x1p-1074, 0, 0, 0, 0, 0, 0, 0, 0x1p-1074 },
        { 0, 0x1p1023, 0, 0, 0, 0, -0x1p1023, 0, 0x1p1023 },
        { 1, 0x1p-600, 0, -1, 0, 0, -1, 0, 1 },
    };
    for (size_t i = 0; i < sizeof known / sizeof *known; ++i) {
        const abut_mat3 a = { { { known[i].xx, known[i].xy, known[i].xz },
                                { known[i].xy, known[i].yy, known[i].yz },
                                { known[i].xz, known[i].yz, known[i].zz } } };
        check(&a, i);
        abut_vec3 values;
        abut_mat3 vectors;
        abut_mat3_symmetric_eigen(&a, &values, &vectors);
        const double tolerance = 8 * ulp * known[i].high;
        TEST_NEAR(values.x, known[i].low, tolerance, "case %zu", i);
        TEST_NEAR(values.y, known[i].middle, tolerance, "case %zu", i);
        TEST_NEAR(values.z, known[i].high, tolerance, "case %zu", i);
    }
}

static void what_is_not_finite_gives_nan(void **state)
{
    (void)state;
    const abut_mat3 a = { { { 1, 0, INFINITY }, { 0, 1, 0 }, { 0, 0, 1 } } };
    abut_vec3 values;
    abut_mat3 vectors;
    abut_mat3_symmetric_eigen(&a, &values, &vectors);
    assert_true(isnan(values.x) && isnan(values.y) && isnan(values.z));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_and_degenerate_matrices),
        cmocka_unit_test(known_matrices),
        cmocka_unit_test(what_is_not_finite_gives_nan),
    };
    return cmocka_run_group_tests_name("eigen", tests, NULL, NULL);
}
