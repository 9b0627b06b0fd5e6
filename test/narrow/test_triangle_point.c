/* SPDX-License-Identifier: MIT */
/* The point of a triangle that is nearest to another one, and what two triangles have in common. */
#include "abut/predicates.h"
#include "math/vec3.h"
#include "narrow/triangle/triangle.h"
#include "oracle/triangle_gmp.h"
#include "support/places.h"

static const abut_pose still = { { 0, 0, 0 }, { 1, 0, 0, 0 } };

/* ---- points ---- */

static void closest(void **state)
{
    (void)state;
    const uint64_t n = test_count(3000);
    mpq_t d2;
    mpq_init(d2);
    for (uint64_t seed = 0; seed < n; ++seed) {
        test_random r = test_seed(3000000 + seed);
        const bool on_grid = test_bits(&r) & 1;
        abut_vec3 t[3], q[3];
        for (int i = 0; i < 3; ++i)
            t[i] = on_grid ? grid_point(&r, 2) : random_vec3(&r, 2);
        q[0] = q[1] = q[2] = on_grid ? grid_point(&r, 3) : random_vec3(&r, 3);
        oracle_triangle_distance2(&still, t, &still, q, d2);
        abut_feature feature = ABUT_FEATURE_NONE;
        int which = -1;
        const abut_vec3 at = abut_triangle_closest(t, q[0], &feature, &which);
        TEST_NEAR(abut_length(abut_sub(q[0], at)), sqrt(mpq_get_d(d2)), 1e-13, "seed %" PRIu64, seed);
        if (feature == ABUT_FEATURE_VERTEX)
            TEST_CHECK(abut_length(abut_sub(at, t[which])) == 0, "seed %" PRIu64, seed);
    }
    mpq_clear(d2);
}

/* ---- what two have in common ---- */

static double off(const abut_vec3 t[3], abut_vec3 p)
{
    abut_feature feature;
    int which;
    return abut_length(abut_sub(abut_triangle_closest(t, p, &feature, &which), p));
}

/* A rotation of integers q; a and b times |q|^2, and b turned back: all integers. */
static void turn(test_random *r, abut_triangle_frame *f, abut_vec3 a[3], abut_vec3 b[3], abut_vec3 own[3])
{
    const abut_quat q = { 1 + random_integer(r, 1), random_integer(r, 2), random_integer(r, 2), 2 };
    const double n = abut_quat_dot(q, q);
    for (int i = 0; i < 3; ++i) {
        const abut_quat p = { 0, b[i].x, b[i].y, b[i].z };
        const abut_quat t = abut_quat_mul(abut_quat_mul(abut_quat_conjugate(q), p), q);
        own[i] = abut_v3(t.x, t.y, t.z);
        a[i] = abut_scale(n, a[i]);
        b[i] = abut_scale(n, b[i]);
    }
    const abut_pose pose = { { 0, 0, 0 }, q };
    abut_place at_a, at_b;
    assert_int_equal(abut_place_from_pose(NULL, true, &at_a), ABUT_OK);
    assert_int_equal(abut_place_from_pose(&pose, true, &at_b), ABUT_OK);
    const abut_pair pair = { .at_a = &at_a, .at_b = &at_b };
    abut_triangle_frame_set(&pair, 100, f);
}

static void check_cut(uint64_t seed, uint64_t count[4])
{
    test_random r = test_seed(4000000 + seed);
    const unsigned kind = test_below(&r, 4);
    abut_triangle_frame f;
    abut_triangle_frame_identity(8, &f);
    abut_vec3 a[3], b[3], own[3];
    for (int i = 0; i < 3; ++i) {
        a[i] = kind ? grid_point(&r, 2) : random_vec3(&r, 1);
        b[i] = kind ? grid_point(&r, 2) : random_vec3(&r, 1);
        if (kind == 1)
            a[i].z = b[i].z = 0;
    }
    if (kind == 3) {
        a[2] = abut_scale(0.5, abut_add(a[0], a[1]));
        b[2] = b[test_below(&r, 3)];
    }
    if (kind == 2) /* turned, so that heights that are zero are not so in doubles; b is what a sees */
        turn(&r, &f, a, b, own);
    else
        for (int i = 0; i < 3; ++i)
            own[i] = b[i];
    uint64_t exact = 0;
    const abut_meet meet = abut_triangle_meet(&f, a, own, &exact);
    ++count[meet];
    if (meet == ABUT_MEET_NONE)
        return;
    abut_vec3 from, to;
    abut_triangle_cut(&f, a, own, meet, &from, &to);
    const double worst = fmax(fmax(off(a, from), off(b, from)), fmax(off(a, to), off(b, to)));
    TEST_CHECK(worst < 1e-12, "seed %" PRIu64 " kind %u meet %d: off by %g", seed, kind, meet, worst);
    /* No corner that both have is further from either end than the ends are apart, and beyond a
     * common segment there is nothing. */
    const double length = abut_length(abut_sub(to, from));
    for (int k = 0; k < 6; ++k) {
        const abut_vec3 p = k < 3 ? a[k] : b[k - 3];
        if (off(a, p) < 1e-13 && off(b, p) < 1e-13)
            TEST_CHECK(abut_length(abut_sub(p, from)) <= length + 1e-12 &&
                           abut_length(abut_sub(p, to)) <= length + 1e-12,
                       "seed %" PRIu64 " kind %u: corner %d is further", seed, kind, k);
    }
    if (length > 1e-6) {
        const abut_vec3 beyond = abut_madd(to, 1e-3, abut_sub(to, from));
        TEST_CHECK(fmax(off(a, beyond), off(b, beyond)) > 1e-10 * length,
                   "seed %" PRIu64 " kind %u meet %d: goes on", seed, kind, meet);
    }
}

static void cut(void **state)
{
    (void)state;
    const uint64_t n = test_count(100000);
    uint64_t count[4] = { 0 };
    for (uint64_t seed = 0; seed < n; ++seed)
        check_cut(seed, count);
    print_message("touch %" PRIu64 ", cross %" PRIu64 ", coplanar %" PRIu64 "\n", count[1], count[2],
                  count[3]);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(closest), cmocka_unit_test(cut) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
