/* SPDX-License-Identifier: MIT */
/* Points and segments of small whole coordinates against a cube mesh, through vertices, edges and
 * the diagonals of its sides: never undecided. Judged by cutting the segment along the six planes,
 * in whole numbers. */
#include "abut/query.h"

#include "support/test.h"

#include <inttypes.h>

enum { SIDE = 4 };

/* Does a + t (b - a), 0 <= t <= 1, meet [0, SIDE]^3? t as quotients of whole numbers, compared by
 * products. */
static bool meets(const int a[3], const int b[3])
{
    long from = 0, from_under = 1, to = 1, to_under = 1;
    for (int k = 0; k < 3; ++k) {
        const long d = b[k] - a[k];
        if (d == 0) {
            if (a[k] < 0 || a[k] > SIDE)
                return false;
            continue;
        }
        const long under = d < 0 ? -d : d, in = d < 0 ? a[k] - SIDE : -a[k], out = d < 0 ? a[k] : SIDE - a[k];
        if (in * from_under > from * under) {
            from = in;
            from_under = under;
        }
        if (out * to_under < to * under) {
            to = out;
            to_under = under;
        }
    }
    return from * to_under <= to * from_under;
}

static void segments_meet_a_cube(void **state)
{
    (void)state;
    abut_vec3 corners[8];
    static const uint32_t sides[36] = { 0, 2, 3, 0, 3, 1, 4, 5, 7, 4, 7, 6, 0, 1, 5, 0, 5, 4,
                                        2, 6, 7, 2, 7, 3, 0, 4, 6, 0, 6, 2, 1, 3, 7, 1, 7, 5 };
    for (int k = 0; k < 8; ++k)
        corners[k] = (abut_vec3){ k & 1 ? SIDE : 0, k & 2 ? SIDE : 0, k & 4 ? SIDE : 0 };
    abut_shape *cube = NULL;
    assert_int_equal(abut_shape_create_mesh(corners, 8, sides, 12, true, NULL, &cube, NULL), ABUT_OK);
    for (uint64_t seed = 0; seed < test_count(4000); ++seed) {
        test_random r = test_seed(seed);
        int a[3], b[3];
        for (int k = 0; k < 3; ++k) {
            a[k] = (int)test_below(&r, 13) - 4;
            b[k] = seed % 7 == 0 ? a[k] : seed % 3 == 0 ? SIDE - a[k] : (int)test_below(&r, 13) - 4;
        }
        const abut_vec3 ends[2] = { { a[0], a[1], a[2] }, { b[0], b[1], b[2] } };
        /* The same place by the pose, turned by a quarter about z where the seed says so: (x, y) is
         * (y', -x'). */
        const bool turned = seed % 2;
        abut_pose pose = { .position = { 0, 0, 0 }, .rotation = { .w = 1, .z = turned ? 1 : 0 } };
        abut_vec3 own[2];
        for (int k = 0; k < 2; ++k)
            own[k] = turned ? (abut_vec3){ ends[k].y, -ends[k].x, ends[k].z } : ends[k];
        abut_shape *needle = NULL;
        abut_check_result found;
        assert_int_equal(abut_shape_create_convex(own, 2, 0, NULL, &needle, NULL), ABUT_OK);
        assert_int_equal(abut_check(cube, NULL, needle, &pose, NULL, NULL, &found), ABUT_OK);
        TEST_CHECK(found.verdict == (meets(a, b) ? ABUT_TOUCHING : ABUT_SEPARATE),
                   "seed %" PRIu64 ": (%d, %d, %d) to (%d, %d, %d): %s", seed, a[0], a[1], a[2], b[0], b[1],
                   b[2], abut_verdict_name(found.verdict));
        abut_shape_release(needle);
    }
    abut_shape_release(cube);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(segments_meet_a_cube) };
    return cmocka_run_group_tests_name("mesh_flat", tests, NULL, NULL);
}
