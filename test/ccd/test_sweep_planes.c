/* SPDX-License-Identifier: MIT */
/* Straight sweeps against half-spaces, either of them moving, and of two half-spaces: judged by
 * the heights of the corners above the plane at both ends of the way, in long doubles; and on a
 * lattice, where all is exact, touches are to be found. */
#include "abut/query.h"
#include "support/test.h"

#include <math.h>

static abut_shape *plane_of(abut_vec3 n, double offset)
{
    abut_shape *shape;
    assert_int_equal(abut_shape_create_halfspace(n, offset, NULL, &shape), ABUT_OK);
    return shape;
}

static abut_vec3 any(test_random *r, double size)
{
    return (abut_vec3){ test_uniform(r, -size, size), test_uniform(r, -size, size),
                        test_uniform(r, -size, size) };
}

static long double along(abut_vec3 n, const long double p[3])
{
    return n.x * p[0] + n.y * p[1] + n.z * p[2];
}

/* q p q* / |q|^2 + t */
static void place(const abut_pose *pose, abut_vec3 p, long double out[3])
{
    const long double w = pose->rotation.w, x = pose->rotation.x, y = pose->rotation.y, z = pose->rotation.z;
    const long double s = 2 / (w * w + x * x + y * y + z * z);
    out[0] =
        p.x + s * (-(y * y + z * z) * p.x + (x * y - w * z) * p.y + (x * z + w * y) * p.z) + pose->position.x;
    out[1] =
        p.y + s * ((x * y + w * z) * p.x - (x * x + z * z) * p.y + (y * z - w * x) * p.z) + pose->position.y;
    out[2] =
        p.z + s * ((x * z - w * y) * p.x + (y * z + w * x) * p.y - (x * x + y * y) * p.z) + pose->position.z;
}

static void bodies_and_planes(void **state)
{
    (void)state;
    int clear[2] = { 0, 0 };
    for (uint64_t seed = 0; seed < test_count(20000); ++seed) {
        test_random r = test_seed(seed);
        abut_vec3 corner[5];
        for (int i = 0; i < 5; ++i)
            corner[i] = any(&r, 1);
        const bool lattice = seed % 4 == 0;
        abut_pose pose = { any(&r, 3), { 1, 0, 0, 0 } };
        abut_vec3 by = any(&r, 3), n = any(&r, 1);
        double offset = test_uniform(&r, -1, 1), margin = seed % 3 ? 0 : 0.25;
        if (lattice) { /* quarters: every sum is exact, and the plane is across an axis */
            for (int i = 0; i < 5; ++i)
                corner[i] = (abut_vec3){ rint(4 * corner[i].x) / 4, rint(4 * corner[i].y) / 4,
                                         rint(4 * corner[i].z) / 4 };
            pose.position =
                (abut_vec3){ rint(pose.position.x), rint(pose.position.y), rint(pose.position.z) };
            by = (abut_vec3){ rint(by.x), rint(by.y), rint(by.z) };
            n = (abut_vec3){ 0, 0, seed % 8 ? 1 : -1 };
            offset = rint(4 * offset) / 4;
        } else {
            pose.rotation =
                (abut_quat){ test_uniform(&r, -1, 1), test_uniform(&r, -1, 1), test_uniform(&r, -1, 1), 0.5 };
            if (seed % 5 == 1) { /* a sum that is rounded, and by much */
                pose.position = (abut_vec3){ 1e5 * pose.position.x, 0, 1e-3 };
                by.x = -pose.position.x * (1 - 0x1p-40) + by.x;
            }
        }
        abut_shape *body, *space = plane_of(n, offset);
        assert_int_equal(abut_shape_create_convex(corner, 5, margin, NULL, &body, NULL), ABUT_OK);
        long double least = INFINITY;
        const long double length =
            sqrtl((long double)n.x * n.x + (long double)n.y * n.y + (long double)n.z * n.z);
        for (int i = 0; i < 10; ++i) {
            long double p[3];
            place(&pose, corner[i / 2], p);
            p[0] += i % 2 ? by.x : 0;
            p[1] += i % 2 ? by.y : 0;
            p[2] += i % 2 ? by.z : 0;
            const long double height = (along(n, p) - offset) / length - margin;
            least = height < least ? height : least;
        }
        for (int i = 0; i < 4; ++i) {
            abut_sweep_opts opts;
            abut_overlap_result out;
            abut_sweep_opts_init(&opts);
            opts.form = i % 2 ? ABUT_SWEEP_DOUBLED : ABUT_SWEEP_SWITCHED;
            const abut_vec3 back = { -by.x, -by.y, -by.z };
            assert_int_equal(i < 2 ? abut_sweep_overlap(body, &pose, space, NULL, by, &opts, NULL, &out)
                                   : abut_sweep_overlap(space, NULL, body, &pose, back, &opts, NULL, &out),
                             ABUT_OK);
            const long double slack = 1e-10L;
            TEST_CHECK(out.verdict != ABUT_SEPARATE || least > (lattice ? 0 : -1e-12L),
                       "seed %" PRIu64 " way %d: separate, but %Lg", seed, i, least);
            TEST_CHECK(out.verdict < ABUT_TOUCHING || least <= (lattice ? 0 : 1e-12L),
                       "seed %" PRIu64 " way %d: they meet, but %Lg", seed, i, least);
            TEST_CHECK(fabsl(least) < slack || out.verdict != ABUT_UNDECIDED,
                       "seed %" PRIu64 " way %d: undecided at %Lg", seed, i, least);
            TEST_CHECK(!lattice || least != 0 ||
                           (out.verdict == ABUT_TOUCHING && out.proof == ABUT_PROOF_EXACT),
                       "seed %" PRIu64 " way %d: a touch is %s", seed, i, abut_verdict_name(out.verdict));
        }
        ++clear[least > 0];
        abut_shape_release(body);
        abut_shape_release(space);
    }
    TEST_CHECK(clear[0] > 5 && clear[1] > 5, "%d meet, %d do not", clear[0], clear[1]);
}

static void two_half_spaces(void **state)
{
    (void)state;
    abut_shape *below = plane_of((abut_vec3){ 0, 0, 2 }, 0), *above = plane_of((abut_vec3){ 0, 0, -1 }, -3);
    abut_shape *tilted = plane_of((abut_vec3){ 0, 1, -1 }, -3);
    static const struct {
        double down;
        abut_verdict verdict;
    } ways[] = { { 2, ABUT_SEPARATE }, { -7, ABUT_SEPARATE }, { 3, ABUT_TOUCHING }, { 4, ABUT_PENETRATING } };
    for (size_t i = 0; i < sizeof ways / sizeof *ways; ++i) {
        abut_overlap_result out;
        const abut_vec3 by = { 1, 5, -ways[i].down };
        assert_int_equal(abut_sweep_overlap(above, NULL, below, NULL, by, NULL, NULL, &out), ABUT_OK);
        assert_int_equal(out.verdict, ways[i].verdict);
        assert_int_equal(out.proof, ABUT_PROOF_EXACT);
    }
    abut_overlap_result out;
    assert_int_equal(abut_sweep_overlap(tilted, NULL, below, NULL, (abut_vec3){ 0, 0, 9 }, NULL, NULL, &out),
                     ABUT_OK);
    assert_int_equal(out.verdict, ABUT_PENETRATING);
    abut_shape_release(below);
    abut_shape_release(above);
    abut_shape_release(tilted);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bodies_and_planes),
        cmocka_unit_test(two_half_spaces),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
