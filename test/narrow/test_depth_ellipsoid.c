/* SPDX-License-Identifier: MIT */
/* Depths of two ellipsoids, where f(u) = |A u| + |B u| + t . u hardly curves at its least:
 * nearly round bodies about nearly one centre, and others. Every direction bounds the depth by
 * f(u), so that one with f(u) < depth.lo refutes an answer: a grid, and a descent from the best
 * of it, in long double search for one. */
#include "abut/query.h"
#include "oracle/convex_cases.h"

typedef long double real;

typedef struct problem {
    real a[3][3], b[3][3], t[3]; /* rows: axes times semi-axes, in the world */
} problem;

static void set_rows(abut_quat q, const double h[3], real out[3][3])
{
    const real w = q.w, x = q.x, y = q.y, z = q.z, n = w * w + x * x + y * y + z * z;
    const real m[3][3] = { { w * w + x * x - y * y - z * z, 2 * (x * y - w * z), 2 * (x * z + w * y) },
                           { 2 * (x * y + w * z), w * w - x * x + y * y - z * z, 2 * (y * z - w * x) },
                           { 2 * (x * z - w * y), 2 * (y * z + w * x), w * w - x * x - y * y + z * z } };
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j)
            out[i][j] = h[i] * m[j][i] / n;
}

static real norm(const real m[3][3], const real u[3])
{
    real sum = 0;
    for (int i = 0; i < 3; ++i) {
        const real x = m[i][0] * u[0] + m[i][1] * u[1] + m[i][2] * u[2];
        sum += x * x;
    }
    return sqrtl(sum);
}

/* Along u of any length. */
static real depth_along(const problem *p, const real u[3])
{
    const real length = sqrtl(u[0] * u[0] + u[1] * u[1] + u[2] * u[2]);
    return (norm(p->a, u) + norm(p->b, u) + p->t[0] * u[0] + p->t[1] * u[1] + p->t[2] * u[2]) / length;
}

static real least_depth(const problem *p)
{
    enum { STEPS = 24 };
    real best[3] = { 1, 0, 0 }, least = depth_along(p, best);
    for (int face = 0; face < 6; ++face)
        for (int i = 0; i <= STEPS; ++i)
            for (int j = 0; j <= STEPS; ++j) {
                real u[3];
                u[face % 3] = face < 3 ? 1 : -1;
                u[(face + 1) % 3] = 2 * (real)i / STEPS - 1;
                u[(face + 2) % 3] = 2 * (real)j / STEPS - 1;
                const real f = depth_along(p, u);
                if (f < least) {
                    least = f;
                    memcpy(best, u, sizeof best);
                }
            }
    for (real step = 0.08L; step > 1e-9L; step *= 0.7L)
        for (bool went = true; went;) {
            went = false;
            for (int k = 0; k < 26; ++k) {
                const int code = k < 13 ? k : k + 1; /* all 27 but the middle one */
                const real u[3] = { best[0] + step * (code % 3 - 1), best[1] + step * (code / 3 % 3 - 1),
                                    best[2] + step * (code / 9 - 1) };
                const real f = depth_along(p, u);
                if (f < least - 1e-19L) {
                    least = f;
                    memcpy(best, u, sizeof best);
                    went = true;
                }
            }
        }
    return least;
}

/* Semi-axes between lo and 1, centres up to `apart` apart. Returns how many depths are wider
 * than 1e-9. */
static uint64_t judge(uint64_t first_seed, uint64_t count, double lo, double apart, uint64_t *found)
{
    uint64_t wide = 0;
    for (uint64_t seed = first_seed; seed < first_seed + count; ++seed) {
        test_random r = test_seed(seed);
        double h[2][3];
        for (int i = 0; i < 6; ++i)
            h[i / 3][i % 3] = test_uniform(&r, lo, 1);
        const abut_pose at[2] = { { { 0, 0, 0 }, random_rotation(&r) },
                                  { { test_uniform(&r, -apart, apart), test_uniform(&r, -apart, apart),
                                      test_uniform(&r, -apart, apart) },
                                    random_rotation(&r) } };
        abut_shape *shape[2];
        for (int i = 0; i < 2; ++i)
            assert_int_equal(
                abut_shape_create_ellipsoid((abut_vec3){ h[i][0], h[i][1], h[i][2] }, NULL, &shape[i]),
                ABUT_OK);
        abut_check_result c;
        assert_int_equal(abut_check(shape[0], &at[0], shape[1], &at[1], NULL, NULL, &c), ABUT_OK);
        if (c.verdict == ABUT_PENETRATING) {
            problem p = { .t = { -at[1].position.x, -at[1].position.y, -at[1].position.z } };
            set_rows(at[0].rotation, h[0], p.a);
            set_rows(at[1].rotation, h[1], p.b);
            const real least = least_depth(&p);
            TEST_CHECK(c.has_depth && c.depth.lo <= least && c.depth.hi >= c.depth.lo,
                       "seed %" PRIu64 ": depth [%.17g, %.17g], but %.20Lg along a direction", seed,
                       c.depth.lo, c.depth.hi, least);
            TEST_CHECK(c.counters.evaluations <= 200, "seed %" PRIu64 ": %" PRIu64 " evaluations", seed,
                       c.counters.evaluations);
            wide += c.depth.hi - c.depth.lo > 1e-9 * c.depth.hi;
            *found += fabsl(c.depth.hi - least) < 1e-6L;
        }
        abut_shape_release(shape[0]);
        abut_shape_release(shape[1]);
    }
    return wide;
}

static void depths_are_least(void **state)
{
    (void)state;
    const uint64_t count = test_count(1200);
    uint64_t found = 0; /* by the search here as well */
    const uint64_t round = judge(52000000, count, 0.7, 0.7, &found),
                   near = judge(53000000, count, 0.5, 0.3, &found),
                   others = judge(54000000, count, 0.2, 0.7, &found);
    print_message("wider than 1e-9: %" PRIu64 ", %" PRIu64 ", %" PRIu64 " of %" PRIu64 " each\n", round, near,
                  others, count);
    assert_true(found > 5 * count / 2);
    assert_true(round + near + others <= 2 + count / 500);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(depths_are_least) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
