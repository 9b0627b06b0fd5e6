/* SPDX-License-Identifier: MIT */
/* Bodies that slide on each other, or graze, with nothing but touching all the way: placed by
 * short fractions, so that exact predicates see it. When they meet and part is known. And what
 * touches, of cylinders and cones that land on a box. */
#include "abut/abut.h"
#include "math/vec3.h"
#include "support/test.h"

static double eighths(test_random *r, int from, int to)
{
    return (from + (int)test_below(r, (uint64_t)(to - from + 1))) / 8.0;
}

typedef enum slider { BOX, SPHERE, CYLINDER, CONE, HULL, SLIDERS } slider;

/* A body that stands on z = 0 of its own, and how far in x it touches a plane there. */
static abut_shape *make(test_random *r, slider what, double *below, double *reach)
{
    abut_shape *out = NULL;
    const double x = eighths(r, 1, 8), z = eighths(r, 1, 8);
    *below = z;
    *reach = x;
    switch (what) {
    case BOX: assert_int_equal(abut_shape_create_box(abut_v3(x, eighths(r, 1, 8), z), NULL, &out), 0); break;
    case SPHERE:
        assert_int_equal(abut_shape_create_sphere(z, NULL, &out), 0);
        *reach = 0;
        break;
    case CYLINDER: assert_int_equal(abut_shape_create_cylinder(x, 2 * z, NULL, &out), 0); break;
    case CONE: assert_int_equal(abut_shape_create_cone(x, 2 * z, NULL, &out), 0); break;
    default: {
        const abut_vec3 p[5] = { { -x, -1, -z }, { x, -1, -z }, { x, 1, -z }, { -x, 1, -z }, { 0, 0, 1 } };
        assert_int_equal(abut_shape_create_convex(p, 5, 0, NULL, &out, NULL), 0);
    }
    }
    return out;
}

static void slides_begin_and_end_where_they_do(void **state)
{
    (void)state;
    const uint64_t count = test_count(400);
    for (uint64_t seed = 0; seed < count; ++seed) {
        test_random r = test_seed(seed);
        double below, reach;
        const slider what = (slider)test_below(&r, SLIDERS);
        abut_shape *body = make(&r, what, &below, &reach), *table;
        const double half = eighths(&r, 2, 8), top = eighths(&r, 1, 8), y = eighths(&r, -1, 1);
        assert_int_equal(abut_shape_create_box(abut_v3(half, half, top), NULL, &table), 0);
        /* from x = -4 to 4 in a time of 1 */
        abut_pose start = { { -4, y, top + below }, { 1, 0, 0, 0 } };
        abut_motion *motion;
        const abut_placement from = abut_placement_from_pose(start);
        assert_int_equal(
            abut_motion_create_velocity(0, 1, &from, abut_v3(8, 0, 0), abut_v3(0, 0, 0), NULL, &motion, NULL),
            ABUT_OK);
        const double begins = (4 - half - reach) / 8, ends = (4 + half + reach) / 8;
        abut_first_result first;
        assert_int_equal(abut_first_contact(body, motion, table, NULL, NULL, NULL, &first), ABUT_OK);
        TEST_CHECK(first.verdict == ABUT_FIRST_CONTACT && first.time.lo <= begins &&
                       begins <= first.time.hi && first.time.hi - first.time.lo < 1e-6 &&
                       first.point_count > 0,
                   "seed %" PRIu64 ", %d: verdict %d, [%.17g, %.17g] for %.17g, %zu points", seed, (int)what,
                   (int)first.verdict, first.time.lo, first.time.hi, begins, first.point_count);
        for (size_t i = 0; i < first.point_count && i < ABUT_FIRST_CONTACTS; ++i) {
            const abut_vec3 p = first.points[i].point;
            TEST_CHECK(fabs(p.z - top) < 1e-6 && fabs(p.x + half) < 1e-6 && fabs(p.y) <= half + 1e-6,
                       "seed %" PRIu64 ", %d: touching at %g, %g, %g", seed, (int)what, p.x, p.y, p.z);
        }
        abut_contact_interval spans[4];
        abut_intervals_result all;
        assert_int_equal(abut_contact_intervals(table, NULL, body, motion, NULL, NULL, spans, 4, &all),
                         ABUT_OK);
        TEST_CHECK(all.count == 1 && spans[0].enter.lo <= begins && begins <= spans[0].enter.hi &&
                       spans[0].exit.lo <= ends && ends <= spans[0].exit.hi &&
                       spans[0].enter.hi - spans[0].enter.lo < 1e-6 &&
                       spans[0].exit.hi - spans[0].exit.lo < 1e-6,
                   "seed %" PRIu64 ", %d: %zu intervals, [%.17g, %.17g] to [%.17g, %.17g]", seed, (int)what,
                   all.count, spans[0].enter.lo, spans[0].enter.hi, spans[0].exit.lo, spans[0].exit.hi);
        abut_motion_release(motion);
        abut_shape_release(body);
        abut_shape_release(table);
    }
}

/* Bodies that overlap when they start, by less than is proved there, and slide apart or on: no
 * contact that begins. */
static void overlaps_in_doubt_are_no_contacts(void **state)
{
    (void)state;
    abut_shape *box, *cone;
    assert_int_equal(abut_shape_create_box(abut_v3(1, 1, 1), NULL, &box), ABUT_OK);
    assert_int_equal(abut_shape_create_cone(1, 2, NULL, &cone), ABUT_OK);
    for (int e = -52; e <= -40; ++e) {
        const abut_pose from = { { 2 - ldexp(1, e), 0, 0.5 }, { 1, 0, 0, 0 } },
                        to = { { 2, 0.5, 0.5 }, { 1, 0, 0, 0 } };
        const abut_placement begin = abut_placement_from_pose(from), end = abut_placement_from_pose(to);
        abut_motion *motion;
        assert_int_equal(abut_motion_create_linear(0, 1, &begin, &end, NULL, &motion, NULL), ABUT_OK);
        abut_first_result first;
        assert_int_equal(abut_first_contact(box, NULL, cone, motion, NULL, NULL, &first), ABUT_OK);
        TEST_CHECK(first.verdict == ABUT_FIRST_OVERLAPPING || first.verdict == ABUT_FIRST_UNDECIDED,
                   "2^%d deep: verdict %d", e, (int)first.verdict);
        abut_motion_release(motion);
    }
    abut_shape_release(box);
    abut_shape_release(cone);
}

typedef struct landing {
    bool cone;
    abut_quat turn;
    abut_vec3 spin;
    abut_feature feature;
} landing;

static void cylinders_and_cones_name_what_touches(void **state)
{
    (void)state;
    static const landing cases[] = {
        { true, { 0, 1, 0, 0 }, { 0, 0, 0 }, ABUT_FEATURE_VERTEX },     /* on its head */
        { true, { 0, 1, 0.125, 0 }, { 0, 0, 0 }, ABUT_FEATURE_VERTEX }, /* a little tilted */
        { true, { 0, 1, 0, 0 }, { 0, 0.25, 0 }, ABUT_FEATURE_VERTEX },  /* turning */
        { true, { 4, 1, 0, 0 }, { 0, 0, 0 }, ABUT_FEATURE_EDGE },       /* on the rim of its base */
        { false, { 4, 1, 0, 0 }, { 0, 0, 0 }, ABUT_FEATURE_EDGE },
        { false, { 4, 1, 1, 0 }, { 0.25, 0.125, 0 }, ABUT_FEATURE_EDGE },
        { false, { 1, 3, 0, 0 }, { 0, 0, 0.5 }, ABUT_FEATURE_EDGE },
    };
    abut_shape *floors[2];
    assert_int_equal(abut_shape_create_box(abut_v3(4, 4, 1), NULL, &floors[0]), ABUT_OK);
    assert_int_equal(abut_shape_create_cylinder(4, 2, NULL, &floors[1]), ABUT_OK);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i)
        for (int how = 0; how < 4; ++how) {
            const landing *c = &cases[i];
            const int swapped = how & 1;
            const abut_shape *const floor = floors[how >> 1];
            abut_shape *body;
            assert_int_equal(c->cone ? abut_shape_create_cone(0.5, 2, NULL, &body)
                                     : abut_shape_create_cylinder(0.5, 2, NULL, &body),
                             ABUT_OK);
            const abut_pose above = { { 0, 0, 5 }, c->turn };
            const abut_placement start = abut_placement_from_pose(above);
            abut_motion *fall;
            assert_int_equal(
                abut_motion_create_velocity(0, 1, &start, abut_v3(0, 0, -4), c->spin, NULL, &fall, NULL),
                ABUT_OK);
            abut_first_result first;
            assert_int_equal(swapped ? abut_first_contact(floor, NULL, body, fall, NULL, NULL, &first)
                                     : abut_first_contact(body, fall, floor, NULL, NULL, NULL, &first),
                             ABUT_OK);
            TEST_CHECK(first.verdict == ABUT_FIRST_CONTACT && first.point_count == 1 &&
                           first.points[0].features[swapped] == c->feature &&
                           first.points[0].features[1 - swapped] == ABUT_FEATURE_FACE,
                       "case %zu, %d: %zu points, %s on %s", i, how, first.point_count,
                       abut_feature_name(first.points[0].features[swapped]),
                       abut_feature_name(first.points[0].features[1 - swapped]));
            abut_motion_release(fall);
            abut_shape_release(body);
        }
    abut_shape_release(floors[0]);
    abut_shape_release(floors[1]);
}

/* Segments, triangles and squares that land flat touch with all of their corners, and with what
 * is between these. */
static void flat_bodies_land_with_all_corners(void **state)
{
    (void)state;
    static const abut_vec3 corners[4] = {
        { 0.5, 0, 0 }, { -0.25, 0.25, 0 }, { -0.25, -0.5, 0 }, { 0.25, -0.5, 0 }
    };
    abut_shape *ground[4];
    assert_int_equal(abut_shape_create_box(abut_v3(1, 1, 1), NULL, &ground[0]), ABUT_OK);
    assert_int_equal(abut_shape_create_cylinder(1, 2, NULL, &ground[1]), ABUT_OK);
    assert_int_equal(abut_shape_create_swept(ground[0], 0.25, NULL, &ground[2], NULL), ABUT_OK);
    assert_int_equal(abut_shape_create_halfspace(abut_v3(0, 0, 1), 1, NULL, &ground[3]), ABUT_OK);
    for (size_t count = 2; count <= 4; ++count)
        for (int g = 0; g < 4; ++g)
            for (int tilted = 0; tilted < 2; ++tilted) {
                const double top = g == 2 ? 1.25 : 1;
                abut_shape *flat;
                abut_motion *fall;
                assert_int_equal(abut_shape_create_convex(corners, count, 0, NULL, &flat, NULL), ABUT_OK);
                const abut_pose above = { { 0.125, 0, top + 2 },
                                          { tilted ? 0.8 : 1, 0, 0, tilted ? 0.6 : 0 } };
                const abut_placement start = abut_placement_from_pose(above);
                assert_int_equal(abut_motion_create_velocity(0, 1, &start, abut_v3(0, 0, -4),
                                                             abut_v3(0, 0, 0), NULL, &fall, NULL),
                                 ABUT_OK);
                abut_first_opts opts;
                abut_first_result first;
                abut_first_opts_init(&opts);
                opts.separation = 4; /* corners only */
                assert_int_equal(abut_first_contact(flat, fall, ground[g], NULL, &opts, NULL, &first),
                                 ABUT_OK);
                TEST_CHECK(first.verdict == ABUT_FIRST_CONTACT && first.time.lo <= 0.5 &&
                               0.5 <= first.time.hi && first.point_count == count &&
                               first.points[0].kind == ABUT_CONTACT_SAMPLED,
                           "%zu corners on %d, %d: verdict %d, [%.17g, %.17g], %zu points", count, g, tilted,
                           (int)first.verdict, first.time.lo, first.time.hi, first.point_count);
                for (size_t i = 0; i < first.point_count; ++i)
                    assert_true(fabs(first.points[i].point.z - top) < 1e-9);
                abut_pose there = above;
                there.position.z = top;
                abut_check_result check;
                assert_int_equal(abut_check(flat, &there, ground[g], NULL, NULL, NULL, &check), ABUT_OK);
                TEST_CHECK(check.verdict == ABUT_TOUCHING && check.contact_count == (int)count,
                           "%zu corners on %d, %d: %s, %d contacts", count, g, tilted,
                           abut_verdict_name(check.verdict), check.contact_count);
                abut_motion_release(fall);
                abut_shape_release(flat);
            }
    for (int g = 0; g < 4; ++g)
        abut_shape_release(ground[g]);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(slides_begin_and_end_where_they_do),
                                        cmocka_unit_test(overlaps_in_doubt_are_no_contacts),
                                        cmocka_unit_test(cylinders_and_cones_name_what_touches),
                                        cmocka_unit_test(flat_bodies_land_with_all_corners) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
