/* SPDX-License-Identifier: MIT */
/* Operands of Boolean combinations that state a tolerance: verdicts against closed forms of the largest and
 * the smallest solid that they may be. */
#include "abut/motion.h"
#include "abut/query.h"
#include "abut/shape.h"
#include "abut/solid.h"
#include "support/placed_solids.h"

#include <math.h>

/* The signed distance of a cylinder about z, from z = -1/2 to 1/2. */
static double from_cylinder(abut_vec3 p, double radius, double half)
{
    const double across = hypot(p.x, p.y) - radius, along = fabs(p.z) - half;
    return across > 0 && along > 0 ? hypot(across, along) : fmax(across, along);
}

/* A cylinder that may be off by a tolerance, extruded or revolved, alone and as a hole in a box, against
 * balls: nothing is proved that holds of some such cylinders only; far enough from contact all is. */
static void stated_tolerances(void **state)
{
    (void)state;
    const double off = 0.03;
    static const abut_profile_vertex circle[] = { { -1, 0, 1 }, { 1, 0, 1 } };
    static const abut_profile_vertex half[] = {
        { 0, -0.5, 0 }, { 1, -0.5, 0 }, { 1, 0.5, 0 }, { 0, 0.5, 0 }
    };
    const abut_profile_loop disc = { circle, 2 }, turned = { half, 4 };
    uint64_t apart = 0, meet = 0, open = 0, needless = 0;
    const uint64_t count = test_count(32) < 8 ? 8 : test_count(32); /* some of each are asked for below */
    for (uint64_t seed = 0; seed < count; ++seed) {
        test_random r = test_seed(seed);
        const bool revolved = seed & 1, hole = seed & 2;
        abut_shape *solid, *ball;
        assert_int_equal(revolved ? abut_shape_create_revolve(&turned, off, NULL, &solid, NULL)
                                  : abut_shape_create_extrude(&disc, NULL, 0, 1, off, NULL, &solid, NULL),
                         ABUT_OK);
        abut_motion *at = moved(0, 0, revolved ? 0 : -0.5);
        abut_shape *body = hole ? combine(ABUT_CSG_DIFFERENCE, box_of(3, 3, 3), NULL, solid, at)
                                : combine(ABUT_CSG_UNION, solid, at, box_of(0.01, 0.01, 0.01), NULL);
        const double size = hole ? 1.5 : 2.5, radius = test_uniform(&r, 0.05, 0.3);
        const abut_pose pose = { { test_uniform(&r, -size, size), test_uniform(&r, -size, size),
                                   test_uniform(&r, -size, size) },
                                 { 1, 0, 0, 0 } };
        assert_int_equal(abut_shape_create_sphere(radius, NULL, &ball), ABUT_OK);
        abut_check_result c;
        assert_int_equal(abut_check(body, NULL, ball, &pose, NULL, NULL, &c), ABUT_OK);
        const double least = from_cylinder(pose.position, 1 + off, 0.5 + off),
                     most = from_cylinder(pose.position, 1 - off, 0.5 - off);
        /* How far apart they are with the one and the other; of solids whose corners are rounded less. */
        const double near = hole ? -most - radius : least - radius,
                     far = hole ? -least - radius : most - radius;
        TEST_CHECK(c.verdict != ABUT_SEPARATE || near > -off, "seed %" PRIu64 ": separate, but %g", seed,
                   near);
        TEST_CHECK(c.verdict != ABUT_PENETRATING || far < 0, "seed %" PRIu64 ": they meet, but %g", seed,
                   far);
        TEST_CHECK(c.verdict != ABUT_TOUCHING, "seed %" PRIu64 ": touching", seed);
        needless +=
            (c.verdict != ABUT_SEPARATE && near > 1e-3) || (c.verdict != ABUT_PENETRATING && far < -1e-3);
        apart += c.verdict == ABUT_SEPARATE;
        meet += c.verdict == ABUT_PENETRATING;
        open += c.verdict == ABUT_UNDECIDED;
        abut_shape_release(ball);
        abut_shape_release(body);
    }
    print_message("%" PRIu64 " apart, %" PRIu64 " meet, %" PRIu64 " open, of these %" PRIu64 " needlessly\n",
                  apart, meet, open, needless);
    assert_true(10 * needless <= apart + meet && apart > 0 && meet > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(stated_tolerances),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
