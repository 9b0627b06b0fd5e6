/* SPDX-License-Identifier: MIT */
/* Quaternions, matrices and poses. Referees: the 80-bit (or wider) long double formulas written
 * out, and exact cases. */
#include "math/vec3.h"
#include "support/test.h"

static const double ulp = 0x1p-52;

typedef struct long_mat3 {
    long double m[3][3];
} long_mat3;

/* Rodrigues, from an axis of any length. */
static long_mat3 rodrigues(abut_vec3 axis, long double angle)
{
    const long double scale = fmaxl(fabsl(axis.x), fmaxl(fabsl(axis.y), fabsl(axis.z)));
    long double n[3] = { axis.x / scale, axis.y / scale, axis.z / scale };
    const long double length = sqrtl(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
    for (int i = 0; i < 3; ++i)
        n[i] /= length;
    const long double c = cosl(angle), s = sinl(angle), h = sinl(angle / 2), v = 2 * h * h;
    return (long_mat3){ { { c + v * n[0] * n[0], v * n[0] * n[1] - s * n[2], v * n[0] * n[2] + s * n[1] },
                          { v * n[0] * n[1] + s * n[2], c + v * n[1] * n[1], v * n[1] * n[2] - s * n[0] },
                          { v * n[0] * n[2] - s * n[1], v * n[1] * n[2] + s * n[0], c + v * n[2] * n[2] } } };
}

static double matrix_error(const abut_mat3 *found, const long_mat3 *expected)
{
    long double worst = 0;
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j)
            worst = fmaxl(worst, fabsl((long double)found->m[i][j] - expected->m[i][j]));
    return (double)worst;
}

static abut_vec3 random_axis(test_random *r)
{
    abut_vec3 a = { test_uniform(r, -1, 1), test_uniform(r, -1, 1), test_uniform(r, -1, 1) };
    switch (test_below(r, 8)) {
    case 0: a.x = 0; break;
    case 1: a.x = a.y = 0; break;
    case 2: a.z *= 1e-200; break;
    case 3: a = abut_scale(1e-300, a); break;
    case 4: a = abut_scale(1e300, a); break;
    default: break;
    }
    return abut_max_norm(a) > 0 ? a : abut_v3(0, 0, 1);
}

static double random_angle(test_random *r)
{
    const double pi = acos(-1);
    switch (test_below(r, 6)) {
    case 0: return test_log_uniform(r, -1000, 0);
    case 1: return pi - fabs(test_log_uniform(r, -52, -2));
    case 2: return pi;
    case 3: return 0;
    default: return test_uniform(r, -pi, pi);
    }
}

/* Stated errors: 6 ulp (of 1) in matrix entries, 4 ulp relative in angles, 4 ulp in axes. */
static void axis_angle_and_matrix_agree_at_all_angles(void **state)
{
    (void)state;
    const double pi = acos(-1);
    for (uint64_t seed = 0; seed < test_count(200000); ++seed) {
        test_random r = test_seed(seed);
        const abut_vec3 axis = random_axis(&r);
        const double angle = random_angle(&r);
        const abut_quat q = abut_quat_from_axis_angle(axis, angle);
        const abut_mat3 m = abut_quat_to_mat3(q);
        const long_mat3 expected = rodrigues(axis, angle);
        TEST_CHECK(matrix_error(&m, &expected) <= 6 * ulp, "seed %" PRIu64 " angle %a: %g ulp", seed, angle,
                   matrix_error(&m, &expected) / ulp);

        /* Any multiple of q is the same rotation, and gives its angle and axis back. */
        const double factor = seed % 3 ? test_log_uniform(&r, -900, 900) : -1;
        const bool lost = fabs(factor) * fabs(sin(angle / 2)) < 1e-290 && fabs(factor) < 1e-3;
        abut_vec3 back;
        double radians;
        abut_quat_to_axis_angle((abut_quat){ factor * q.w, factor * q.x, factor * q.y, factor * q.z }, &back,
                                &radians);
        TEST_CHECK(radians >= 0 && radians <= pi, "seed %" PRIu64 ": %a", seed, radians);
        if (lost)
            continue;
        TEST_NEAR(radians, fabs(angle), 4 * ulp * fabs(angle), "seed %" PRIu64, seed);
        const abut_vec3 unit = abut_unit_or(axis, axis);
        /* At pi both directions are the same rotation. */
        const double side = angle == 0 ? 0 : abut_dot(back, unit) < 0 ? -1 : 1;
        if (angle != 0 && fabs(angle) < pi)
            TEST_CHECK(side == copysign(1, angle), "seed %" PRIu64 ": wrong side", seed);
        if (angle == 0)
            assert_true(back.x == 1 && back.y == 0 && back.z == 0);
        else
            TEST_CHECK(abut_max_norm(abut_sub(back, abut_scale(side, unit))) <= 4 * ulp, "seed %" PRIu64,
                       seed);

        const abut_quat again = abut_quat_from_mat3(&m);
        const abut_mat3 same = abut_quat_to_mat3(again);
        TEST_CHECK(matrix_error(&same, &expected) <= 10 * ulp, "seed %" PRIu64 ": %g ulp", seed,
                   matrix_error(&same, &expected) / ulp);
    }
}

/* Nearest in the least-squares sense: no small turn of the answer fits the noisy matrix better. */
static void from_matrix_is_the_nearest_rotation(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < test_count(20000); ++seed) {
        test_random r = test_seed(seed);
        abut_mat3 m = abut_quat_to_mat3(abut_quat_from_axis_angle(random_axis(&r), random_angle(&r)));
        const double noise = 1e-6;
        for (int i = 0; i < 9; ++i)
            m.m[i / 3][i % 3] += test_uniform(&r, -noise, noise);
        const abut_mat3 best = abut_quat_to_mat3(abut_quat_from_mat3(&m));
        /* The gradient of |R - m|^2 over turns of R is the skew part of R^T m. */
        const abut_mat3 undo = abut_mat3_transpose(&best), left = abut_mat3_mul(&undo, &m);
        for (int i = 0; i < 3; ++i)
            for (int j = 0; j < i; ++j)
                TEST_NEAR(left.m[i][j] - left.m[j][i], 0, 20 * ulp + 4 * noise * noise, "seed %" PRIu64,
                          seed);
    }
}

static void slerp_turns_at_constant_speed_the_shorter_way(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < test_count(50000); ++seed) {
        test_random r = test_seed(seed);
        const abut_vec3 axis = random_axis(&r);
        double angle = random_angle(&r);
        if (fabs(angle) > 3.1415)
            angle = 3.1415; /* a tie otherwise; see the next test */
        const abut_quat a = abut_quat_from_axis_angle(random_axis(&r), random_angle(&r));
        abut_quat b = abut_quat_mul(abut_quat_from_axis_angle(axis, angle), a);
        if (seed & 1)
            b = (abut_quat){ -3 * b.w, -3 * b.x, -3 * b.y, -3 * b.z };
        const double s = seed % 5 == 0 ? (double)(seed % 2) : test_uniform(&r, 0, 1);
        const abut_mat3 found = abut_quat_to_mat3(abut_quat_slerp(a, b, s));
        const abut_mat3 expected =
            abut_quat_to_mat3(abut_quat_mul(abut_quat_from_axis_angle(axis, s * angle), a));
        for (int i = 0; i < 9; ++i)
            TEST_NEAR(found.m[i / 3][i % 3], expected.m[i / 3][i % 3], 20 * ulp, "seed %" PRIu64 " s %a",
                      seed, s);
    }
}

static void a_half_turn_goes_the_way_it_is_stated(void **state)
{
    (void)state;
    const abut_quat identity = abut_quat_identity();
    for (int sign = -1; sign <= 1; sign += 2) {
        const abut_quat q = abut_quat_slerp(identity, (abut_quat){ 0, 0, 0, sign }, 0.5);
        TEST_NEAR(q.w, sqrt(0.5), ulp, "sign %d", sign);
        TEST_NEAR(q.z, sign * sqrt(0.5), ulp, "sign %d", sign);
    }
}

static void poses_form_a_group(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < test_count(20000); ++seed) {
        test_random r = test_seed(seed);
        abut_pose p[3];
        for (int i = 0; i < 3; ++i) {
            const abut_quat q = abut_quat_from_axis_angle(random_axis(&r), random_angle(&r));
            const double f = test_log_uniform(&r, -10, 10);
            p[i] = (abut_pose){ { test_uniform(&r, -9, 9), test_uniform(&r, -9, 9), test_uniform(&r, -9, 9) },
                                { f * q.w, f * q.x, f * q.y, f * q.z } };
        }
        const abut_vec3 x = { test_uniform(&r, -9, 9), test_uniform(&r, -9, 9), test_uniform(&r, -9, 9) };
        const abut_vec3 one = abut_pose_apply(abut_pose_compose(abut_pose_compose(p[0], p[1]), p[2]), x);
        const abut_vec3 two = abut_pose_apply(p[0], abut_pose_apply(p[1], abut_pose_apply(p[2], x)));
        assert_true(abut_max_norm(abut_sub(one, two)) <= 64 * 40 * ulp);
        const abut_vec3 home = abut_pose_apply(abut_pose_inverse(p[0]), abut_pose_apply(p[0], x));
        assert_true(abut_max_norm(abut_sub(home, x)) <= 16 * 30 * ulp);
        const abut_affine m = abut_affine_from_pose(p[0]);
        const abut_vec3 same = abut_affine_apply(&m, x), direct = abut_pose_apply(p[0], x);
        assert_memory_equal(&same, &direct, sizeof same);
    }
    const abut_vec3 x = { 1, 2, 3 }, y = abut_pose_apply(abut_pose_identity(), x);
    assert_memory_equal(&x, &y, sizeof x);
}

static void what_is_no_rotation_is_the_identity(void **state)
{
    (void)state;
    const abut_quat bad[] = {
        { 0, 0, 0, 0 }, { NAN, 0, 0, 1 }, { INFINITY, 0, 0, 0 }, { 1, 0, -INFINITY, 0 }
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; ++i) {
        const abut_quat q = abut_quat_normalize(bad[i]);
        assert_true(q.w == 1 && q.x == 0 && q.y == 0 && q.z == 0);
        const abut_mat3 m = abut_quat_to_mat3(bad[i]), one = abut_mat3_identity();
        assert_memory_equal(&m, &one, sizeof m);
        abut_vec3 axis;
        double angle;
        abut_quat_to_axis_angle(bad[i], &axis, &angle);
        assert_true(angle == 0 && axis.x == 1 && axis.y == 0 && axis.z == 0);
    }
    const abut_quat none = abut_quat_from_axis_angle(abut_v3(0, 0, 0), 1);
    assert_true(none.w == 1);
    /* The smallest and the largest doubles are good quaternions. */
    const double sizes[] = { 0x1p-1074, DBL_MIN, DBL_MAX };
    for (size_t i = 0; i < 3; ++i) {
        const abut_quat q = abut_quat_normalize((abut_quat){ sizes[i], 0, 0, sizes[i] });
        TEST_NEAR(q.w, sqrt(0.5), ulp, "size %a", sizes[i]);
        TEST_NEAR(q.z, sqrt(0.5), ulp, "size %a", sizes[i]);
        abut_vec3 axis;
        double angle;
        abut_quat_to_axis_angle((abut_quat){ sizes[i], 0, 0, sizes[i] }, &axis, &angle);
        TEST_NEAR(angle, acos(-1) / 2, 2 * ulp, "size %a", sizes[i]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(axis_angle_and_matrix_agree_at_all_angles),
        cmocka_unit_test(from_matrix_is_the_nearest_rotation),
        cmocka_unit_test(slerp_turns_at_constant_speed_the_shorter_way),
        cmocka_unit_test(a_half_turn_goes_the_way_it_is_stated),
        cmocka_unit_test(poses_form_a_group),
        cmocka_unit_test(what_is_no_rotation_is_the_identity),
    };
    return cmocka_run_group_tests_name("rotation", tests, NULL, NULL);
}
