/* SPDX-License-Identifier: MIT */
/* Batches: every verdict is that of abut_ellipsoid_relate, whichever unit computes it; random,
 * grazing, touching and extreme bodies. */
#include "abut/abut.h"
#include "math/vec3.h"
#include "narrow/ellipsoid/ellipsoid_set.h"
#include "support/places.h"

static abut_vec3 random_radii(test_random *g, double aspect)
{
    const double k = log2(aspect);
    return abut_v3(exp2(-test_uniform(g, 0, k)), exp2(-test_uniform(g, 0, k)), exp2(-test_uniform(g, 0, k)));
}

static abut_affine map_of(abut_vec3 r, const abut_pose *pose)
{
    abut_affine m = abut_affine_from_pose(*pose);
    for (int i = 0; i < 3; ++i) {
        m.linear.m[i][0] *= r.x;
        m.linear.m[i][1] *= r.y;
        m.linear.m[i][2] *= r.z;
    }
    return m;
}

static abut_verdict verdict_of(abut_ellipsoid_relation relation)
{
    return relation == ABUT_ELLIPSOIDS_SEPARATE   ? ABUT_SEPARATE
           : relation == ABUT_ELLIPSOIDS_TOUCHING ? ABUT_TOUCHING
                                                  : ABUT_PENETRATING;
}

enum { BODIES = 64, PAIRS = 500 };

static void judge(uint64_t seed, const abut_ellipsoid_set *set, const abut_affine *maps, int found[4],
                  uint64_t *exact)
{
    test_random g = test_seed(seed ^ 99);
    uint32_t pairs[2 * PAIRS];
    uint8_t plain[PAIRS], wide[PAIRS];
    abut_counters counters;
    const size_t count = PAIRS - test_below(&g, 5); /* not only whole fours */
    for (size_t i = 0; i < 2 * count; ++i)
        pairs[i] = test_below(&g, BODIES);
    abut_ellipsoid_force_plain = 1;
    assert_int_equal(abut_ellipsoid_set_test(set, pairs, count, plain, NULL), ABUT_OK);
    abut_ellipsoid_force_plain = 0;
    assert_int_equal(abut_ellipsoid_set_test(set, pairs, count, wide, &counters), ABUT_OK);
    *exact += counters.exact;
    for (size_t i = 0; i < count; ++i) {
        abut_ellipsoid_result r;
        assert_int_equal(abut_ellipsoid_relate(&maps[pairs[2 * i]], &maps[pairs[2 * i + 1]], &r), ABUT_OK);
        const abut_verdict wanted = verdict_of(r.relation);
        TEST_CHECK(plain[i] == wanted && wide[i] == wanted,
                   "seed %" PRIu64 " pair %u, %u: %d %d, expected %d", seed, pairs[2 * i], pairs[2 * i + 1],
                   plain[i], wide[i], wanted);
        ++found[wanted];
    }
}

static void test_random_sets(void **state)
{
    (void)state;
    static const double aspects[] = { 1, 3, 10, 1e3, 1e6 };
    for (int k = 0; k < 5; ++k) {
        int found[4] = { 0 };
        uint64_t exact = 0;
        for (uint64_t i = 0, n = test_count(60); i < n; ++i) {
            const uint64_t seed = 1000 * (uint64_t)k + i;
            test_random g = test_seed(seed);
            abut_ellipsoid_set *set = NULL;
            abut_affine maps[BODIES];
            assert_int_equal(abut_ellipsoid_set_create(BODIES, NULL, &set), ABUT_OK);
            for (size_t b = 0; b < BODIES; ++b) {
                const abut_vec3 r = random_radii(&g, aspects[k]);
                const abut_pose pose = { { test_uniform(&g, -1.3, 1.3), test_uniform(&g, -1.3, 1.3),
                                           test_uniform(&g, -1.3, 1.3) },
                                         random_quat(&g) };
                maps[b] = map_of(r, &pose);
                if (b % 2)
                    assert_int_equal(abut_ellipsoid_set_pose(set, b, r, &pose), ABUT_OK);
                else
                    assert_int_equal(abut_ellipsoid_set_map(set, b, &maps[b]), ABUT_OK);
            }
            judge(seed, set, maps, found, &exact);
            abut_ellipsoid_set_destroy(set);
        }
        print_message("aspect %g: separate %d, penetrating %d, touching %d, exact %" PRIu64 "\n", aspects[k],
                      found[ABUT_SEPARATE], found[ABUT_PENETRATING], found[ABUT_TOUCHING], exact);
    }
}

/* Balls on a grid under one integer map: many touch. And some that are tiny or huge. */
static void test_touching_sets(void **state)
{
    (void)state;
    int found[4] = { 0 };
    uint64_t exact = 0;
    for (uint64_t i = 0, n = test_count(40); i < n; ++i) {
        test_random g = test_seed(90000 + i);
        abut_ellipsoid_set *set = NULL;
        abut_affine maps[BODIES], m;
        do
            for (int e = 0; e < 9; ++e)
                m.linear.m[e / 3][e % 3] = (double)test_below(&g, 11) - 5;
        while (abut_mat3_det(&m.linear) == 0);
        assert_int_equal(abut_ellipsoid_set_create(BODIES, NULL, &set), ABUT_OK);
        for (size_t b = 0; b < BODIES; ++b) {
            const double r = 1 + test_below(&g, 2);
            const abut_vec3 c = { 2.0 * test_below(&g, 3), 2.0 * test_below(&g, 3), 2.0 * test_below(&g, 3) };
            const double s = b % 16 == 15 ? 0x1p-300 : b % 16 == 14 ? 0x1p200 : 1;
            for (int e = 0; e < 9; ++e)
                maps[b].linear.m[e / 3][e % 3] = s * r * m.linear.m[e / 3][e % 3];
            maps[b].translation = abut_mul(&m.linear, c);
            assert_int_equal(abut_ellipsoid_set_map(set, b, &maps[b]), ABUT_OK);
        }
        judge(90000 + i, set, maps, found, &exact);
        abut_ellipsoid_set_destroy(set);
    }
    print_message("grid: separate %d, penetrating %d, touching %d, exact %" PRIu64 "\n", found[ABUT_SEPARATE],
                  found[ABUT_PENETRATING], found[ABUT_TOUCHING], exact);
    if (found[ABUT_SEPARATE] > 5000)
        assert_true(found[ABUT_TOUCHING] > 0);
}

static void test_bad_sets(void **state)
{
    (void)state;
    abut_ellipsoid_set *set = NULL;
    const abut_pose pose = { { 0, 0, 0 }, { 1, 0, 0, 0 } }, none = { { 0, 0, 0 }, { 0, 0, 0, 0 } },
                    far = { { NAN, 0, 0 }, { 1, 0, 0, 0 } };
    const abut_vec3 bad[] = { { 0, 1, 1 }, { 1, -1, 1 }, { 1, 1, NAN }, { INFINITY, 1, 1 } };
    assert_int_equal(abut_ellipsoid_set_create(2, NULL, NULL), ABUT_ERR_ARGUMENT);
    assert_int_equal(abut_ellipsoid_set_create(2, NULL, &set), ABUT_OK);
    for (size_t i = 0; i < 4; ++i)
        assert_int_equal(abut_ellipsoid_set_pose(set, 0, bad[i], &pose), ABUT_ERR_ARGUMENT);
    assert_int_equal(abut_ellipsoid_set_pose(set, 0, abut_v3(1, 1, 1), &none), ABUT_ERR_ARGUMENT);
    assert_int_equal(abut_ellipsoid_set_pose(set, 0, abut_v3(1, 1, 1), &far), ABUT_ERR_ARGUMENT);
    assert_int_equal(abut_ellipsoid_set_pose(set, 2, abut_v3(1, 1, 1), &pose), ABUT_ERR_ARGUMENT);
    const abut_affine flat = { { { { 1, 2, 3 }, { 4, 5, 6 }, { 7, 8, 9 } } }, { 0, 0, 0 } };
    assert_int_equal(abut_ellipsoid_set_map(set, 0, &flat), ABUT_ERR_ARGUMENT);
    uint32_t pairs[2] = { 0, 1 };
    uint8_t verdict;
    assert_int_equal(abut_ellipsoid_set_test(set, pairs, 1, &verdict, NULL), ABUT_OK);
    assert_int_equal(verdict, ABUT_PENETRATING); /* both are the unit ball still */
    pairs[1] = 2;
    assert_int_equal(abut_ellipsoid_set_test(set, pairs, 1, &verdict, NULL), ABUT_ERR_ARGUMENT);
    assert_int_equal(abut_ellipsoid_set_test(set, NULL, 0, NULL, NULL), ABUT_OK);
    abut_ellipsoid_set_destroy(set);
    abut_ellipsoid_set_destroy(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(test_random_sets),
                                        cmocka_unit_test(test_touching_sets),
                                        cmocka_unit_test(test_bad_sets) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
