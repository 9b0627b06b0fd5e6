/* SPDX-License-Identifier: MIT */
/* Bodies of triangles, rounded and flat hulls against curved surfaces, at rest and over time.
 *
 * The referee is the unit ball: as `sphere` it goes through the methods for convex bodies and
 * meshes, written as an implicit or a parametric surface through those for curved ones, which
 * share no code with them. Answers about the same body must not contradict each other. Of tori the
 * signed distance of points is known in closed form, and the other body is sampled. */
#include "support/test.h"

#include "abut/abut.h"

enum { BODIES = 7 };

static abut_shape *body(int kind)
{
    static const abut_vec3 v[8] = { { -1, -0.75, -0.5 }, { 1, -0.75, -0.5 }, { 1, 0.75, -0.5 },
                                    { -1, 0.75, -0.5 },  { -1, -0.75, 0.5 }, { 1, -0.75, 0.5 },
                                    { 1, 0.75, 0.5 },    { -1, 0.75, 0.5 } };
    static const uint32_t t[36] = { 0, 2, 1, 0, 3, 2, 4, 5, 6, 4, 6, 7, 0, 1, 5, 0, 5, 4,
                                    1, 2, 6, 1, 6, 5, 2, 3, 7, 2, 7, 6, 3, 0, 4, 3, 4, 7 };
    static const double heights[12] = { 0, 0.5, 0.25, 0, 0.125, 0.75, 0.5, 0.25, 0, 0.25, 0.5, 0.125 };
    abut_shape *out = NULL, *inner = NULL;
    abut_error error;
    switch (kind) {
    case 0: (void)abut_shape_create_mesh(v, 8, t, 12, false, NULL, &out, &error); break;
    case 1: (void)abut_shape_create_mesh(v, 8, t, 12, true, NULL, &out, &error); break;
    case 2: (void)abut_shape_create_heightfield(4, 3, 1, 0.75, heights, NULL, &out, &error); break;
    case 3: (void)abut_shape_create_convex(v, 8, 0.125, NULL, &out, &error); break;
    case 4: (void)abut_shape_create_convex(v, 3, 0, NULL, &out, &error); break;
    case 5:
        (void)abut_shape_create_cylinder(0.5, 1.5, NULL, &inner);
        (void)abut_shape_create_swept(inner, 0.25, NULL, &out, &error);
        abut_shape_release(inner);
        break;
    default: (void)abut_shape_create_convex(v + 3, 4, 0, NULL, &out, &error);
    }
    assert_non_null(out);
    return out;
}

static abut_shape *ball(int form)
{
    const abut_aabb box = { { -1.5, -1.5, -1.5 }, { 1.5, 1.5, 1.5 } };
    const abut_parametric_def def = { .x = "cos(u) * cos(v)",
                                      .y = "sin(u) * cos(v)",
                                      .z = "sin(v)",
                                      .u = { -3.1415926535897932, 3.1415926535897932 },
                                      .v = { -1.5707963267948966, 1.5707963267948966 },
                                      .wrap_u = true };
    abut_shape *out = NULL;
    abut_error error;
    if (form == 0)
        (void)abut_shape_create_sphere(1, NULL, &out);
    else if (form == 1)
        (void)abut_shape_create_implicit("x^2 + y^2 + z^2 - 1", box, NULL, &out, &error);
    else
        (void)abut_shape_create_parametric(&def, NULL, &out, &error);
    assert_non_null(out);
    return out;
}

static abut_pose any_pose(test_random *r, double reach)
{
    abut_pose p = {
        { test_uniform(r, -reach, reach), test_uniform(r, -reach, reach), test_uniform(r, -reach, reach) },
        { test_uniform(r, -1, 1), test_uniform(r, -1, 1), test_uniform(r, -1, 1), test_uniform(r, -1, 1) }
    };
    const double n = sqrt(p.rotation.w * p.rotation.w + p.rotation.x * p.rotation.x +
                          p.rotation.y * p.rotation.y + p.rotation.z * p.rotation.z);
    p.rotation.w /= n;
    p.rotation.x /= n;
    p.rotation.y /= n;
    p.rotation.z /= n;
    return p;
}

static bool meets(abut_verdict v)
{
    return v == ABUT_TOUCHING || v == ABUT_PENETRATING;
}

static void balls_at_rest_agree(void **state)
{
    (void)state;
    uint64_t undecided = 0, asked = 0;
    for (int kind = 0; kind < BODIES; ++kind) {
        abut_shape *a = body(kind), *forms[3] = { ball(0), ball(1), ball(2) };
        for (uint64_t seed = 0; seed < test_count(60); ++seed) {
            test_random r = test_seed(1000 * (uint64_t)kind + seed);
            const abut_pose pa = any_pose(&r, 1), pb = any_pose(&r, 1.75);
            abut_check_result truth, found;
            assert_int_equal(abut_check(a, &pa, forms[0], &pb, NULL, NULL, &truth), ABUT_OK);
            for (int form = 1; form < 3; ++form) {
                assert_int_equal(abut_check(a, &pa, forms[form], &pb, NULL, NULL, &found), ABUT_OK);
                ++asked;
                undecided += found.verdict == ABUT_UNDECIDED;
                if (found.verdict == ABUT_UNDECIDED || truth.verdict == ABUT_UNDECIDED)
                    continue;
                TEST_CHECK(meets(found.verdict) == meets(truth.verdict),
                           "body %d form %d seed %d: %d, truth %d", kind, form, (int)seed, found.verdict,
                           truth.verdict);
                /* The parametric ball ends a few ulp beside the real one. */
                TEST_CHECK(found.distance.lo <= truth.distance.hi + 1e-14 &&
                               found.distance.hi >= truth.distance.lo - 1e-14,
                           "body %d form %d seed %d: [%a, %a], truth [%a, %a]", kind, form, (int)seed,
                           found.distance.lo, found.distance.hi, truth.distance.lo, truth.distance.hi);
                TEST_CHECK(found.distance.hi - found.distance.lo <= 1e-6, "body %d form %d seed %d: width %g",
                           kind, form, (int)seed, found.distance.hi - found.distance.lo);
            }
        }
        for (int form = 0; form < 3; ++form)
            abut_shape_release(forms[form]);
        abut_shape_release(a);
    }
    TEST_CHECK(50 * undecided <= asked, "%d of %d undecided", (int)undecided, (int)asked);
}

/* ---- tori ---- */

static double torus_distance(abut_vec3 p, double major, double minor)
{
    const double rho = sqrt(p.x * p.x + p.y * p.y) - major;
    return sqrt(rho * rho + p.z * p.z) - minor;
}

static abut_vec3 turn(abut_quat q, abut_vec3 v)
{
    const abut_vec3 t = { 2 * (q.y * v.z - q.z * v.y), 2 * (q.z * v.x - q.x * v.z),
                          2 * (q.x * v.y - q.y * v.x) };
    return (abut_vec3){ v.x + q.w * t.x + q.y * t.z - q.z * t.y, v.y + q.w * t.y + q.z * t.x - q.x * t.z,
                        v.z + q.w * t.z + q.x * t.y - q.y * t.x };
}

/* From the world into the frame of a pose. */
static abut_vec3 local(const abut_pose *p, abut_vec3 v)
{
    const abut_quat back = { p->rotation.w, -p->rotation.x, -p->rotation.y, -p->rotation.z };
    return turn(back, (abut_vec3){ v.x - p->position.x, v.y - p->position.y, v.z - p->position.z });
}

static void meshes_against_tori(void **state)
{
    (void)state;
    enum { N = 24 };
    static const abut_vec3 corners[3] = { { -1, -1, 0.25 }, { 1.25, -0.5, 0 }, { 0, 1.5, -0.25 } };
    static const uint32_t t[3] = { 0, 1, 2 };
    const double major = 1, minor = 0.25, spacing = 3.0 / N;
    abut_shape *mesh, *torus;
    abut_error error;
    assert_int_equal(abut_shape_create_mesh(corners, 3, t, 1, false, NULL, &mesh, &error), ABUT_OK);
    assert_int_equal(abut_shape_create_torus(major, minor, NULL, &torus), ABUT_OK);
    for (uint64_t seed = 0; seed < test_count(200); ++seed) {
        test_random r = test_seed(7000 + seed);
        const abut_pose pa = any_pose(&r, 0.5), pb = any_pose(&r, 1.5);
        abut_check_result found;
        double least = INFINITY;
        assert_int_equal(abut_check(mesh, &pa, torus, &pb, NULL, NULL, &found), ABUT_OK);
        for (int i = 0; i <= N; ++i)
            for (int j = 0; j <= N - i; ++j) {
                const double u = (double)i / N, v = (double)j / N, w = 1 - u - v;
                const abut_vec3 p = { w * corners[0].x + u * corners[1].x + v * corners[2].x,
                                      w * corners[0].y + u * corners[1].y + v * corners[2].y,
                                      w * corners[0].z + u * corners[1].z + v * corners[2].z };
                const abut_vec3 world = turn(pa.rotation, p);
                const abut_vec3 at = { world.x + pa.position.x, world.y + pa.position.y,
                                       world.z + pa.position.z };
                least = fmin(least, torus_distance(local(&pb, at), major, minor));
            }
        if (found.verdict == ABUT_SEPARATE)
            TEST_CHECK(found.distance.lo <= least + 1e-12 && found.distance.hi >= least - spacing,
                       "seed %d: [%a, %a], sampled %a", (int)seed, found.distance.lo, found.distance.hi,
                       least);
        else if (found.verdict != ABUT_UNDECIDED)
            TEST_CHECK(least < spacing, "seed %d: verdict %d, sampled %a", (int)seed, found.verdict, least);
    }
    abut_shape_release(mesh);
    abut_shape_release(torus);
}

/* ---- over time ---- */

static void moving_balls_agree(void **state)
{
    (void)state;
    int decided = 0, asked = 0;
    for (int kind = 0; kind < BODIES; ++kind) {
        abut_shape *a = body(kind), *forms[2] = { ball(0), ball(2) };
        for (uint64_t seed = 0; seed < test_count(3); ++seed) {
            test_random r = test_seed(90000 + 100 * (uint64_t)kind + seed);
            abut_placement from = abut_placement_from_pose(any_pose(&r, 0.5)),
                           to = abut_placement_from_pose(any_pose(&r, 0.5));
            abut_first_result truth, found;
            abut_motion *motion;
            abut_error error;
            from.position.z += 3;
            to.position.z -= 2.5;
            to.position.x += test_uniform(&r, -2.5, 2.5);
            assert_int_equal(abut_motion_create_linear(0, 1, &from, &to, NULL, &motion, &error), ABUT_OK);
            assert_int_equal(abut_first_contact(a, NULL, forms[0], motion, NULL, NULL, &truth), ABUT_OK);
            assert_int_equal(abut_first_contact(a, NULL, forms[1], motion, NULL, NULL, &found), ABUT_OK);
            ++asked;
            decided += found.verdict != ABUT_FIRST_UNDECIDED;
            if (truth.verdict != ABUT_FIRST_UNDECIDED && found.verdict != ABUT_FIRST_UNDECIDED) {
                TEST_CHECK(found.verdict == truth.verdict, "body %d seed %d: %d, truth %d", kind, (int)seed,
                           found.verdict, truth.verdict);
                TEST_CHECK(truth.verdict != ABUT_FIRST_CONTACT || (found.time.lo <= truth.time.hi + 1e-13 &&
                                                                   found.time.hi >= truth.time.lo - 1e-13),
                           "body %d seed %d: [%a, %a], truth [%a, %a]", kind, (int)seed, found.time.lo,
                           found.time.hi, truth.time.lo, truth.time.hi);
                TEST_CHECK(truth.verdict != ABUT_FIRST_CONTACT || found.time.hi - found.time.lo < 1e-3,
                           "body %d seed %d: wide", kind, (int)seed);
            }
            abut_motion_release(motion);
        }
        abut_shape_release(a);
        abut_shape_release(forms[0]);
        abut_shape_release(forms[1]);
    }
    TEST_CHECK(4 * decided >= 3 * asked, "%d of %d decided", decided, asked);
}

static void tori_through_meshes(void **state)
{
    (void)state;
    abut_shape *a = body(1), *torus;
    const abut_pose high = { { 0, 0, 2.5 }, { 1, 0, 0, 0 } }, low = { { 0, 0, -2.5 }, { 1, 0, 0, 0 } };
    const abut_placement from = abut_placement_from_pose(high), to = abut_placement_from_pose(low);
    abut_motion *motion;
    abut_error error;
    abut_first_result first;
    abut_contact_interval intervals[4];
    abut_intervals_result all;
    assert_int_equal(abut_shape_create_torus(0.5, 0.25, NULL, &torus), ABUT_OK);
    assert_int_equal(abut_motion_create_linear(0, 1, &from, &to, NULL, &motion, &error), ABUT_OK);
    assert_int_equal(abut_first_contact(a, NULL, torus, motion, NULL, NULL, &first), ABUT_OK);
    /* The torus lies flat: its lowest circle meets the top, z = 1/2, at z = 3/4, after 1.75 of 5. */
    assert_int_equal(first.verdict, ABUT_FIRST_CONTACT);
    TEST_CHECK(first.time.lo <= 0.35 && first.time.hi >= 0.35 && first.time.hi - first.time.lo < 1e-6,
               "[%a, %a]", first.time.lo, first.time.hi);
    assert_int_equal(abut_contact_intervals(a, NULL, torus, motion, NULL, NULL, intervals, 4, &all), ABUT_OK);
    assert_int_equal((int)all.count, 1);
    TEST_CHECK(intervals[0].enter.lo <= 0.35 && intervals[0].enter.hi >= 0.35, "enter");
    TEST_CHECK(intervals[0].exit.lo <= 0.65 && intervals[0].exit.hi >= 0.65, "exit [%a, %a]",
               intervals[0].exit.lo, intervals[0].exit.hi);
    abut_motion_release(motion);
    abut_shape_release(torus);
    abut_shape_release(a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(balls_at_rest_agree),
        cmocka_unit_test(meshes_against_tori),
        cmocka_unit_test(moving_balls_agree),
        cmocka_unit_test(tori_through_meshes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
