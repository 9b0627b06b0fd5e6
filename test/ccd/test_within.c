/* SPDX-License-Identifier: MIT */
/* Bodies that rest on a slab and stay, turn, slide, rise, sink or land, along the axes and in turned frames, where
 * nothing is exact: check, first and intervals agree with each other and with what was made, to 2^-30 of the size. */
#include "abut/query.h"
#include "abut/solid.h"
#include "support/test.h"

enum { UNDERS = 4, BODIES = 5, WAYS = 6 };

typedef enum move { REST, SPIN, SLIDE, RISE, SINK, LAND } move;

/* Its top is at z = 0. */
static abut_shape *make_under(int kind, double *z)
{
    static const abut_profile_vertex corners[] = { { -5, -5, 0 }, { 5, -5, 0 }, { 5, 5, 0 }, { -5, 5, 0 } };
    const abut_profile_loop loop = { corners, 4 };
    abut_shape *out = NULL;
    *z = kind == 3 ? 0 : -1;
    switch (kind) {
    case 0: assert_int_equal(abut_shape_create_box((abut_vec3){ 5, 5, 1 }, NULL, &out), ABUT_OK); break;
    case 1:
        assert_int_equal(abut_shape_create_extrude(&loop, NULL, 0, 1, 0, NULL, &out, NULL), ABUT_OK);
        break;
    case 2: assert_int_equal(abut_shape_create_cylinder(5, 2, NULL, &out), ABUT_OK); break;
    default: assert_int_equal(abut_shape_create_halfspace((abut_vec3){ 0, 0, 1 }, 0, NULL, &out), ABUT_OK);
    }
    return out;
}

/* It stands on its lowest point or face. */
static abut_shape *make_body(int kind, double *height)
{
    abut_shape *out = NULL;
    *height = kind == 2 ? 0.25 : 0.5;
    switch (kind) {
    case 0: assert_int_equal(abut_shape_create_cylinder(0.5, 1, NULL, &out), ABUT_OK); break;
    case 1: assert_int_equal(abut_shape_create_sphere(0.5, NULL, &out), ABUT_OK); break;
    case 2: assert_int_equal(abut_shape_create_torus(0.75, 0.25, NULL, &out), ABUT_OK); break;
    case 3: assert_int_equal(abut_shape_create_box((abut_vec3){ 0.5, 0.5, 0.5 }, NULL, &out), ABUT_OK); break;
    default: assert_int_equal(abut_shape_create_cone(0.5, 1, NULL, &out), ABUT_OK);
    }
    return out;
}

typedef struct frame {
    abut_quat turn;
    abut_vec3 at;
} frame;

static abut_vec3 turned(const frame *f, abut_vec3 v)
{
    const abut_quat q = f->turn;
    const abut_vec3 t = { 2 * (q.y * v.z - q.z * v.y), 2 * (q.z * v.x - q.x * v.z),
                          2 * (q.x * v.y - q.y * v.x) };
    return (abut_vec3){ v.x + q.w * t.x + q.y * t.z - q.z * t.y, v.y + q.w * t.y + q.z * t.x - q.x * t.z,
                        v.z + q.w * t.z + q.x * t.y - q.y * t.x };
}

static abut_placement placed(const frame *f, abut_vec3 p)
{
    const abut_vec3 q = turned(f, p);
    return abut_placement_from_pose((abut_pose){ { q.x + f->at.x, q.y + f->at.y, q.z + f->at.z }, f->turn });
}

static abut_motion *make_motion(const frame *f, move way, double height)
{
    static const double falls[WAYS] = { 0, 0, 0, 1, -0.125, -0.25 };
    const abut_placement from = placed(f, (abut_vec3){ 0.25, 0.125, height + (way == LAND ? 0.125 : 0) });
    const abut_vec3 linear = turned(f, (abut_vec3){ way == SLIDE, 0, falls[way] }),
                    angular = turned(f, (abut_vec3){ 0, 0, way == SPIN });
    abut_motion *out = NULL;
    assert_int_equal(way == REST
                         ? abut_motion_create_static(&from, NULL, &out, NULL)
                         : abut_motion_create_velocity(0, 1, &from, linear, angular, NULL, &out, NULL),
                     ABUT_OK);
    return out;
}

static bool meets(abut_verdict verdict)
{
    return verdict == ABUT_TOUCHING || verdict == ABUT_PENETRATING;
}

static void examine(int under, int body, move way, const frame *f, bool exact)
{
    double z, height;
    abut_shape *a = make_under(under, &z), *b = make_body(body, &height);
    const abut_placement below = placed(f, (abut_vec3){ 0, 0, z });
    abut_motion *at, *by = make_motion(f, way, height);
    abut_check_result start, middle;
    abut_first_result first;
    abut_intervals_result all;
    abut_contact_interval list[4];
    assert_int_equal(abut_motion_create_static(&below, NULL, &at, NULL), ABUT_OK);
    assert_int_equal(abut_check_at(a, at, b, by, 0, NULL, NULL, &start), ABUT_OK);
    assert_int_equal(abut_check_at(a, at, b, by, 0.75, NULL, NULL, &middle), ABUT_OK);
    assert_int_equal(abut_first_contact(a, at, b, by, NULL, NULL, &first), ABUT_OK);
    assert_int_equal(abut_contact_intervals(a, at, b, by, NULL, NULL, list, 4, &all), ABUT_OK);
    const bool starts = way != LAND, ends = way != RISE;
    /* In a turned frame it may be proved that they are the last digit apart, or overlap by it. */
    const bool apart = start.verdict == ABUT_SEPARATE, deep = start.verdict == ABUT_PENETRATING;
    TEST_CHECK(starts ? start.verdict != ABUT_UNDECIDED && start.distance.lo <= 1e-14 &&
                            (!exact || start.verdict == ABUT_TOUCHING)
                      : apart,
               "%d on %d, way %d: check %d, %g", body, under, (int)way, (int)start.verdict,
               start.distance.hi);
    TEST_CHECK(start.proof != ABUT_PROOF_TOLERANCE || start.distance.hi <= 0x1p-30,
               "%d on %d, way %d: %g apart", body, under, (int)way, start.distance.hi);
    if (!ends)
        assert_int_equal(middle.verdict, ABUT_SEPARATE);
    if (apart && starts) { /* and what comes then follows the last digit */
        TEST_CHECK(first.verdict != ABUT_FIRST_OVERLAPPING, "%d on %d, way %d", body, under, (int)way);
    } else if (way == RISE) {
        TEST_CHECK(first.verdict == (deep ? ABUT_FIRST_OVERLAPPING : ABUT_FIRST_SEPARATE),
                   "%d on %d: check %d, %d, %g, first %d at %.17g to %.17g, stop %d", body, under,
                   (int)start.verdict, (int)start.proof, start.distance.hi, (int)first.verdict, first.time.lo,
                   first.time.hi, (int)first.stop);
    } else {
        const double begin = starts ? 0 : 0.5;
        TEST_CHECK(first.verdict == (deep ? ABUT_FIRST_OVERLAPPING : ABUT_FIRST_CONTACT) &&
                       first.time.lo <= begin + 1e-14 && first.time.hi >= begin - 1e-14 &&
                       first.time.hi <= begin + 1e-7,
                   "%d on %d, way %d: first %d at %.17g to %.17g", body, under, (int)way, (int)first.verdict,
                   first.time.lo, first.time.hi);
        TEST_CHECK(meets(middle.verdict) ||
                       (!exact && middle.verdict == ABUT_SEPARATE && middle.distance.lo < 1e-14),
                   "%d on %d, way %d: check %d", body, under, (int)way, (int)middle.verdict);
    }
    if (apart && starts)
        ;
    else if (way == RISE)
        TEST_CHECK(all.count == 1 && list[0].enter.hi == 0 && list[0].exit.hi < 1e-6, "%d on %d: %zu", body,
                   under, all.count);
    else
        TEST_CHECK(all.count == 1 && list[0].enter.hi <= (starts ? 1e-7 : 0.5 + 1e-7) &&
                       list[0].exit.lo >= 1 - 1e-9 &&
                       (all.proof != ABUT_PROOF_TOLERANCE || !deep || way == SLIDE || way == SPIN),
                   "%d on %d, way %d: %zu intervals, from %.17g to %.17g", body, under, (int)way, all.count,
                   list[0].enter.hi, list[0].exit.lo);
    abut_motion_release(at);
    abut_motion_release(by);
    abut_shape_release(a);
    abut_shape_release(b);
}

/* Of the pairs that take longer one body is enough. */
static void examine_all(const frame *f, bool exact)
{
    for (int under = 0; under < UNDERS; ++under)
        for (int body = 0; body < (under == 1 ? !exact : BODIES); ++body)
            for (int way = 0; way < WAYS; ++way)
                if (body != 2 || under == 0)
                    examine(under, body, (move)way, f, exact);
}

static void along_the_axes(void **state)
{
    (void)state;
    const frame f = { { 1, 0, 0, 0 }, { 0, 0, 0 } };
    examine_all(&f, true);
}

static void in_turned_frames(void **state)
{
    (void)state;
    test_random r = test_seed(1);
    for (uint64_t i = 0; i < 1; ++i) {
        frame f = { { test_uniform(&r, -1, 1), test_uniform(&r, -1, 1), test_uniform(&r, -1, 1),
                      test_uniform(&r, -1, 1) },
                    { test_uniform(&r, -3, 3), test_uniform(&r, -3, 3), test_uniform(&r, -3, 3) } };
        const double n =
            sqrt(f.turn.w * f.turn.w + f.turn.x * f.turn.x + f.turn.y * f.turn.y + f.turn.z * f.turn.z);
        f.turn = (abut_quat){ f.turn.w / n, f.turn.x / n, f.turn.y / n, f.turn.z / n };
        examine_all(&f, false);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(along_the_axes),
                                        cmocka_unit_test(in_turned_frames) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
