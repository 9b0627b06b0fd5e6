/* SPDX-License-Identifier: MIT */
/* Large bodies on large fields, and meshes that lie on their like: the answers, and the work that
 * they take, which must not grow with the number of columns or pairs that touch. */
#include "abut/mesh.h"
#include "abut/query.h"

#include "support/test.h"

#include <math.h>
#include <stdlib.h>

static abut_vec3 v3(double x, double y, double z)
{
    return (abut_vec3){ x, y, z };
}

typedef enum ground { LEVEL, STUDDED, STAIRS } ground;

static abut_shape *make_field(size_t n, ground kind)
{
    double *heights = malloc(n * n * sizeof *heights);
    assert_non_null(heights);
    for (size_t k = 0; k < n * n; ++k)
        heights[k] = kind == LEVEL     ? 0
                     : kind == STUDDED ? -(double)((k % n + k / n) % 2)
                                       : (double)(k % n / 4);
    abut_shape *field = NULL;
    assert_int_equal(abut_shape_create_heightfield(n, n, 1, 1, heights, NULL, &field, NULL), ABUT_OK);
    free(heights);
    return field;
}

/* A slab over most of the field, `up` above its highest places. */
static abut_check_result lay(const abut_shape *field, size_t n, double up)
{
    abut_shape *slab = NULL;
    abut_check_result r;
    abut_pose pose = { .position = { 0, 0, 0.5 + up }, .rotation = { .w = 1 } };
    assert_int_equal(
        abut_shape_create_box(v3(0.5 * (double)n - 1.25, 0.5 * (double)n - 1.5, 0.5), NULL, &slab), ABUT_OK);
    assert_int_equal(abut_check(field, NULL, slab, &pose, NULL, NULL, &r), ABUT_OK);
    abut_shape_release(slab);
    return r;
}

static void slabs_rest_on_fields(void **state)
{
    (void)state;
    static const size_t sizes[2] = { 40, 400 };
    for (int k = 0; k < 2; ++k)
        for (ground kind = LEVEL; kind <= STUDDED; ++kind) {
            abut_shape *field = make_field(sizes[k], kind);
            const abut_check_result on = lay(field, sizes[k], 0), above = lay(field, sizes[k], 0x1p-20),
                                    in = lay(field, sizes[k], -0x1p-20);
            TEST_CHECK(on.verdict == ABUT_TOUCHING && on.proof == ABUT_PROOF_EXACT && on.contact_count > 0,
                       "%zu, kind %d: %d", sizes[k], (int)kind, (int)on.verdict);
            TEST_CHECK(on.counters.iterations < 100, "%zu, kind %d: %d columns", sizes[k], (int)kind,
                       (int)on.counters.iterations);
            TEST_CHECK(above.verdict == ABUT_SEPARATE && above.distance.lo <= 0x1p-20 &&
                           above.distance.hi >= 0x1p-20,
                       "above: %d", (int)above.verdict);
            TEST_CHECK(in.verdict == ABUT_PENETRATING, "in: %d", (int)in.verdict);
            abut_shape_release(field);
        }
}

/* An ellipsoid that sinks into stairs and turns on its way. Its first contact and the begin of its
 * only interval are the same. */
static void bodies_sink_into_stairs(void **state)
{
    (void)state;
    abut_shape *field = make_field(200, STAIRS), *egg = NULL;
    abut_motion *motion = NULL;
    const abut_placement from = { .position = { 0, 0, 1200 } }, to = {
        .position = { 10, 0, -1200 },
        .rotation = { .kind = ABUT_ROTATION_DEGREES, .axis = { 1, 0, 0 }, .angle = 30 }
    };
    assert_int_equal(abut_shape_create_ellipsoid(v3(150, 10, 3), NULL, &egg), ABUT_OK);
    assert_int_equal(abut_motion_create_linear(0, 1, &from, &to, NULL, &motion, NULL), ABUT_OK);
    abut_first_result first;
    abut_intervals_result all;
    abut_contact_interval list[4];
    assert_int_equal(abut_first_contact(field, NULL, egg, motion, NULL, NULL, &first), ABUT_OK);
    assert_int_equal(abut_contact_intervals(field, NULL, egg, motion, NULL, NULL, list, 4, &all), ABUT_OK);
    TEST_CHECK(all.count == 1 && all.proof == ABUT_PROOF_INTERVAL, "%zu intervals, proof %d", all.count,
               (int)all.proof);
    TEST_CHECK(list[0].enter.lo <= first.time.hi && first.time.lo <= list[0].enter.hi &&
                   list[0].enter.hi - list[0].enter.lo < 1e-9 && list[0].exit.lo == 1,
               "[%a, %a], first [%a, %a]", list[0].enter.lo, list[0].enter.hi, first.time.lo, first.time.hi);
    TEST_CHECK(all.counters.iterations < 5000, "%d iterations", (int)all.counters.iterations);
    abut_motion_release(motion);
    abut_shape_release(egg);
    abut_shape_release(field);
}

/* Every triangle lies on every other one: n^2 pairs meet. */
static void soups_lie_on_their_like(void **state)
{
    (void)state;
    uint64_t work[2] = { 0, 0 };
    for (int k = 0; k < 2; ++k) {
        const size_t n = k == 0 ? 1000 : 2000;
        const abut_vec3 corners[3] = { { 0, 0, 0 }, { 1, 0, 0 }, { 0, 1, 0 } };
        uint32_t *triangles = malloc(3 * n * sizeof *triangles);
        assert_non_null(triangles);
        for (size_t i = 0; i < 3 * n; ++i)
            triangles[i] = (uint32_t)(i % 3);
        abut_shape *soup = NULL;
        abut_check_result r;
        assert_int_equal(abut_shape_create_mesh(corners, 3, triangles, n, false, NULL, &soup, NULL), ABUT_OK);
        assert_int_equal(abut_check(soup, NULL, soup, NULL, NULL, NULL, &r), ABUT_OK);
        assert_true(r.verdict == ABUT_TOUCHING && r.proof == ABUT_PROOF_EXACT && r.contact_count == 3);
        for (int c = 0; c < 3; ++c) /* the corners */
            assert_true(r.contacts[c].point.z == 0 && r.contacts[c].point.x + r.contacts[c].point.y <= 1);
        work[k] = r.counters.evaluations;
        abut_shape_release(soup);
        free(triangles);
    }
    TEST_CHECK(work[1] < 3 * work[0], "%d and %d triangle tests", (int)work[0], (int)work[1]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(slabs_rest_on_fields),
        cmocka_unit_test(bodies_sink_into_stairs),
        cmocka_unit_test(soups_lie_on_their_like),
    };
    return cmocka_run_group_tests_name("fields_work", tests, NULL, NULL);
}
