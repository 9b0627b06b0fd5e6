/* SPDX-License-Identifier: MIT */
/* Surface bodies at one instant: random pairs against sampling and Newton's method
 * (test/oracle/surface_referee.h), and cases known in closed form. */
#include "abut/query.h"
#include "oracle/surface_cases.h"
#include "support/test.h"

enum { GRID = 32 };

/* ---- random pairs ---- */

typedef struct tally {
    uint64_t separate, penetrating, undecided, wide;
} tally;

static void check_separate(const surface_case *c, uint64_t seed, const abut_check_result *r, tally *n)
{
    const double gap = (double)referee_gap(&c->body[0], &c->body[1], 0, GRID, NULL);
    TEST_CHECK(gap > -1e-12,
               "seed %" PRIu64 ": %s and %s are said to be apart, but a point of one is %g in the other",
               seed, c->kind[0], c->kind[1], -gap);
    const double truth = (double)referee_distance(&c->body[0], &c->body[1], GRID);
    /* The referee's distance is that of two points: no certified bound may exceed it. It may be
     * a little too large, where its derivatives by differences are too rough to come all the way
     * down a flat valley; the library's upper bound is that of two points as well. */
    TEST_CHECK(r->distance.lo <= truth * (1 + 1e-12) + 1e-15,
               "seed %" PRIu64 ": %s and %s: distance [%a, %a], but two points are at %a (%.17g)", seed,
               c->kind[0], c->kind[1], r->distance.lo, r->distance.hi, truth, truth);
    TEST_CHECK(truth < r->distance.hi * (1 + 1e-9) + 1e-9,
               "seed %" PRIu64 ": %s and %s: distance [%.17g, %.17g], the referee's is %.17g", seed,
               c->kind[0], c->kind[1], r->distance.lo, r->distance.hi, truth);
    assert_true(r->has_points && r->has_normal);
    const double d[3] = { r->point_b.x - r->point_a.x, r->point_b.y - r->point_a.y,
                          r->point_b.z - r->point_a.z };
    const double length = sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]);
    TEST_NEAR(length, r->distance.hi, 1e-12 * (1 + length), "seed %" PRIu64, seed);
    n->wide += !(r->distance.hi - r->distance.lo <= 1e-9 * r->distance.hi);
    ++n->separate;
}

static void judge(uint64_t seed, tally *n)
{
    surface_case c;
    abut_check_result r;
    surface_case_make(seed, false, &c);
    assert_int_equal(abut_check(c.shape[0], &c.pose[0], c.shape[1], &c.pose[1], NULL, NULL, &r), ABUT_OK);
    abut_check_result swapped;
    assert_int_equal(abut_check(c.shape[1], &c.pose[1], c.shape[0], &c.pose[0], NULL, NULL, &swapped),
                     ABUT_OK);
    TEST_CHECK(r.verdict == swapped.verdict || r.verdict == ABUT_UNDECIDED ||
                   swapped.verdict == ABUT_UNDECIDED,
               "seed %" PRIu64 ": %s and %s, the other way round %s", seed, c.kind[0], c.kind[1],
               abut_verdict_name(swapped.verdict));
    switch (r.verdict) {
    case ABUT_SEPARATE:
        check_separate(&c, seed, &r, n);
        TEST_CHECK(fmax(r.distance.lo, swapped.distance.lo) <= fmin(r.distance.hi, swapped.distance.hi),
                   "seed %" PRIu64 ": the other way round the distance is another", seed);
        break;
    case ABUT_PENETRATING: {
        const double gap = (double)referee_gap(&c.body[0], &c.body[1], 0, GRID, NULL);
        const double other = (double)referee_gap(&c.body[1], &c.body[0], 0, GRID, NULL);
        TEST_CHECK(gap < 1e-12 || other < 1e-12,
                   "seed %" PRIu64 ": %s and %s are said to penetrate, but the gap is %g", seed, c.kind[0],
                   c.kind[1], gap);
        ++n->penetrating;
        break;
    }
    default:
        print_message("seed %" PRIu64 ": %s and %s are left undecided\n", seed, c.kind[0], c.kind[1]);
        ++n->undecided;
    }
    surface_case_release(&c);
}

static void random_pairs(void **state)
{
    (void)state;
    const uint64_t count = test_count(250);
    tally n = { 0 };
    for (uint64_t seed = 1; seed <= count; ++seed)
        judge(seed, &n);
    judge(289, &n); /* surfaces that cross at an angle all along: nowhere tangent */
    print_message("%" PRIu64 " separate (%" PRIu64 " wide), %" PRIu64 " penetrating, %" PRIu64 " undecided\n",
                  n.separate, n.wide, n.penetrating, n.undecided);
    if (count >= 200) {
        assert_true(n.separate > count / 5 && n.penetrating > count / 5);
        assert_true(n.undecided * 50 <= count);
        assert_true(n.wide * 50 <= count);
    }
}

/* The same pairs brought together along their normal, to 1e-3 ... 1e-9 of each other, or that
 * far into each other. */
static void close_pairs(void **state)
{
    (void)state;
    const uint64_t count = test_count(24);
    tally n = { 0 };
    for (uint64_t seed = 1; seed <= count; ++seed) {
        surface_case c;
        abut_check_result r;
        test_random random = test_seed(seed);
        surface_case_make(seed, true, &c);
        for (int i = 0; i < 8; ++i) { /* the nearest points change on the way */
            assert_int_equal(abut_check(c.shape[0], &c.pose[0], c.shape[1], &c.pose[1], NULL, NULL, &r),
                             ABUT_OK);
            TEST_CHECK(r.verdict == ABUT_SEPARATE, "seed %" PRIu64 ": %s", seed,
                       abut_verdict_name(r.verdict));
            const double near = pow(10, test_uniform(&random, -9, -3)),
                         sign = i == 7 && test_bits(&random) % 2 ? -1 : 1;
            const double way = r.distance.lo - sign * near;
            c.pose[1].position.x -= way * r.normal.x;
            c.pose[1].position.y -= way * r.normal.y;
            c.pose[1].position.z -= way * r.normal.z;
        }
        c.body[1].position[0] = c.pose[1].position.x;
        c.body[1].position[1] = c.pose[1].position.y;
        c.body[1].position[2] = c.pose[1].position.z;
        assert_int_equal(abut_check(c.shape[0], &c.pose[0], c.shape[1], &c.pose[1], NULL, NULL, &r), ABUT_OK);
        if (r.verdict == ABUT_SEPARATE) {
            check_separate(&c, seed, &r, &n);
        } else {
            const double gap = (double)referee_gap(&c.body[0], &c.body[1], 0, GRID, NULL);
            TEST_CHECK(r.verdict == ABUT_UNDECIDED ? fabs(gap) < 1e-12 : gap < 1e-12,
                       "seed %" PRIu64 ": %s, but the gap is %g", seed, abut_verdict_name(r.verdict), gap);
            ++*(r.verdict == ABUT_UNDECIDED ? &n.undecided : &n.penetrating);
        }
        surface_case_release(&c);
    }
    print_message("%" PRIu64 " separate, %" PRIu64 " penetrating, %" PRIu64 " undecided\n", n.separate,
                  n.penetrating, n.undecided);
    assert_true(n.undecided * 20 <= count);
}

/* ---- closed forms ---- */

static abut_pose at(double x, double y, double z)
{
    return (abut_pose){ .position = { x, y, z }, .rotation = { 1, 0, 0, 0 } };
}

static abut_check_result check(const abut_shape *a, abut_pose pa, const abut_shape *b, abut_pose pb)
{
    abut_check_result r;
    assert_int_equal(abut_check(a, &pa, b, &pb, NULL, NULL, &r), ABUT_OK);
    return r;
}

static abut_shape *implicit(const char *f, double half)
{
    abut_shape *shape;
    const abut_aabb box = { { -half, -half, -half }, { half, half, half } };
    abut_error error;
    TEST_CHECK(abut_shape_create_implicit(f, box, NULL, &shape, &error) == ABUT_OK, "%s", error.text);
    return shape;
}

static abut_shape *parametric(const char *x, const char *y, const char *z, double u0, double u1, double v0,
                              double v1, bool wrap_u, bool wrap_v)
{
    abut_shape *shape;
    abut_error error;
    const abut_parametric_def def = {
        .x = x, .y = y, .z = z, .u = { u0, u1 }, .v = { v0, v1 }, .wrap_u = wrap_u, .wrap_v = wrap_v
    };
    TEST_CHECK(abut_shape_create_parametric(&def, NULL, &shape, &error) == ABUT_OK, "%s", error.text);
    return shape;
}

#define TURN 6.283185307179586

static abut_shape *parametric_ball(void)
{
    return parametric("cos(u)*cos(v)", "sin(u)*cos(v)", "sin(v)", 0, TURN, -TURN / 4, TURN / 4, true, false);
}

static void is_apart(const abut_check_result *r, double distance)
{
    TEST_CHECK(r->verdict == ABUT_SEPARATE, "%s", abut_verdict_name(r->verdict));
    assert_int_equal(r->proof, ABUT_PROOF_INTERVAL);
    TEST_CHECK(r->distance.lo <= distance * (1 + 1e-15) && r->distance.hi >= distance * (1 - 1e-15),
               "[%.17g, %.17g] does not contain %.17g", r->distance.lo, r->distance.hi, distance);
    TEST_CHECK(r->distance.hi - r->distance.lo <= 1e-9 * distance, "[%.17g, %.17g] is wide", r->distance.lo,
               r->distance.hi);
}

/* Every pair of a ball in five forms with another. */
static void balls_of_all_kinds(void **state)
{
    (void)state;
    abut_shape *ball[4], *inner;
    assert_int_equal(abut_shape_create_sphere(1, NULL, &ball[0]), ABUT_OK);
    ball[1] = parametric_ball();
    ball[2] = implicit("x^2 + y^2 + z^2 - 1", 1.25);
    inner = implicit("x^2 + y^2 + z^2 - 0.25", 1);
    abut_shape *parts[2] = { ball[2], inner };
    assert_int_equal(abut_shape_create_csg(ABUT_CSG_UNION, parts, 2, NULL, &ball[3], NULL), ABUT_OK);
    for (int i = 0; i < 4; ++i)
        for (int j = i ? 0 : 1; j < 4; ++j) {
            abut_check_result r = check(ball[i], at(1, 2, 3), ball[j], at(3, 5, 9));
            is_apart(&r, 5);
            TEST_NEAR(r.normal.x, 2.0 / 7, 1e-7, "%d %d", i, j);
            r = check(ball[i], at(0, 0, 0), ball[j], at(1, 1, 1));
            assert_int_equal(r.verdict, ABUT_PENETRATING);
            r = check(ball[i], at(0, 0, 0), ball[j], at(1.1, 1.2, 1.1));
            assert_int_equal(r.verdict, ABUT_PENETRATING);
            /* 3-4-5: tangent but for the rounding of 1.2 and 1.6, which leaves 4.4e-17 between
             * them. */
            r = check(ball[i], at(0, 0, 0), ball[j], at(1.2, 0, 1.6));
            TEST_CHECK(r.verdict != ABUT_PENETRATING && r.distance.lo < 4.5e-17 && r.distance.hi < 1e-7,
                       "%d %d: %s, [%g, %g]", i, j, abut_verdict_name(r.verdict), r.distance.lo,
                       r.distance.hi);
            /* Tangent at a seam and at a pole. */
            r = check(ball[i], at(0, 0, 0), ball[j], at(2, 0, 0));
            TEST_CHECK(r.verdict != ABUT_PENETRATING && r.distance.lo == 0 && r.distance.hi < 1e-7,
                       "%d %d: %s, [%g, %g]", i, j, abut_verdict_name(r.verdict), r.distance.lo,
                       r.distance.hi);
            r = check(ball[i], at(0, 0, 0), ball[j], at(0, 0, 2));
            TEST_CHECK(r.verdict != ABUT_PENETRATING && r.distance.lo == 0 && r.distance.hi < 1e-7,
                       "%d %d: %s, [%g, %g]", i, j, abut_verdict_name(r.verdict), r.distance.lo,
                       r.distance.hi);
            /* A little more or less than tangent. */
            r = check(ball[i], at(0, 0, 0), ball[j], at(1.2, 0, 1.6 + 1e-6));
            TEST_CHECK(r.verdict == ABUT_SEPARATE, "%d %d: %s", i, j, abut_verdict_name(r.verdict));
            r = check(ball[i], at(0, 0, 0), ball[j], at(1.2, 0, 1.6 - 1e-6));
            TEST_CHECK(r.verdict == ABUT_PENETRATING, "%d %d: %s", i, j, abut_verdict_name(r.verdict));
        }
    for (int i = 0; i < 4; ++i)
        abut_shape_release(ball[i]);
    abut_shape_release(inner);
}

/* One body inside the other, without their surfaces meeting: in all forms, and in a hollow,
 * where it is free. */
static void one_inside_the_other(void **state)
{
    (void)state;
    abut_shape *large[3], *small[3], *hollow, *two;
    large[0] = implicit("x^2 + y^2 + z^2 - 9", 4);
    large[1] = parametric("3*cos(u)*cos(v)", "3*sin(u)*cos(v)", "3*sin(v)", 0, TURN, -TURN / 4, TURN / 4,
                          true, false);
    assert_int_equal(abut_shape_create_torus(3, 2.5, NULL, &large[2]), ABUT_OK);
    small[0] = implicit("x^2 + 2*y^2 + z^4 - 0.5", 2);
    small[1] = parametric("0.5*cos(u)*cos(v)", "0.25*sin(u)*cos(v)", "0.5*sin(v)", 0, TURN, -TURN / 4,
                          TURN / 4, true, false);
    assert_int_equal(abut_shape_create_torus(0.5, 0.125, NULL, &small[2]), ABUT_OK);
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j) {
            const double x = i == 2 ? 3 : 0.5;
            abut_check_result r = check(large[i], at(0, 0, 0), small[j], at(x, 0.1, 0.2));
            TEST_CHECK(r.verdict == ABUT_PENETRATING, "%d %d: %s", i, j, abut_verdict_name(r.verdict));
            r = check(small[j], at(x, 0.1, 0.2), large[i], at(0, 0, 0));
            TEST_CHECK(r.verdict == ABUT_PENETRATING, "%d %d: %s", i, j, abut_verdict_name(r.verdict));
        }
    /* A shell: in its wall, and in its hollow. */
    abut_shape *shell[2] = { large[0], implicit("x^2 + y^2 + z^2 - 4", 4) };
    assert_int_equal(abut_shape_create_csg(ABUT_CSG_DIFFERENCE, shell, 2, NULL, &hollow, NULL), ABUT_OK);
    /* Two balls in one implicit body, of which only one is inside. */
    two = implicit("((x - 2)^2 + y^2 + z^2 - 0.25)*((x + 2)^2 + y^2 + z^2 - 0.25)", 3);
    for (int j = 1; j < 3; ++j) {
        abut_check_result r = check(hollow, at(0, 0, 0), small[j], at(0.25, 0.1, 0));
        TEST_CHECK(r.verdict == ABUT_SEPARATE, "%d: %s", j, abut_verdict_name(r.verdict));
        r = check(large[1], at(-4, 0, 0), two, at(-4.25, 0, 0));
        TEST_CHECK(r.verdict == ABUT_PENETRATING, "%s", abut_verdict_name(r.verdict));
        r = check(large[1], at(-4.5, 0, 0), two, at(1.5, 0, 0));
        TEST_CHECK(r.verdict == ABUT_SEPARATE, "%s", abut_verdict_name(r.verdict));
        r = check(large[1], at(0, 0, 0), two, at(3.5, 0, 0));
        TEST_CHECK(r.verdict == ABUT_PENETRATING, "%s", abut_verdict_name(r.verdict));
    }
    abut_check_result r = check(hollow, at(0, 0, 0), small[1], at(2.4, 0, 0));
    assert_int_equal(r.verdict, ABUT_PENETRATING);
    for (int i = 0; i < 3; ++i) {
        abut_shape_release(large[i]);
        abut_shape_release(small[i]);
    }
    abut_shape_release(shell[1]);
    abut_shape_release(hollow);
    abut_shape_release(two);
}

/* A torus against every shape of the library that has a surface. */
static void torus_and_primitives(void **state)
{
    (void)state;
    abut_shape *torus, *b;
    assert_int_equal(abut_shape_create_torus(2, 0.5, NULL, &torus), ABUT_OK);
    assert_int_equal(abut_shape_create_box((abut_vec3){ 1, 1, 1 }, NULL, &b), ABUT_OK);
    abut_check_result r = check(torus, at(0, 0, 0), b, at(4, 0, 0));
    is_apart(&r, 0.5);
    r = check(torus, at(0, 0, 0), b, at(0, 0, 0));
    is_apart(&r, 1.5 - sqrt(2));
    r = check(torus, at(0, 0, 0), b, at(2, 2, 0));
    assert_int_equal(r.verdict, ABUT_PENETRATING);
    abut_shape_release(b);
    assert_int_equal(abut_shape_create_cylinder(1, 2, NULL, &b), ABUT_OK);
    r = check(torus, at(0, 0, 0), b, at(5, 0, 0));
    is_apart(&r, 1.5);
    r = check(torus, at(0, 0, 0), b, at(2, 0, 2.5));
    is_apart(&r, 1);
    abut_shape_release(b);
    assert_int_equal(abut_shape_create_cone(1, 2, NULL, &b), ABUT_OK);
    r = check(torus, at(0, 0, 0), b, at(2, 0, -2.5));
    is_apart(&r, 1); /* the apex below the ring */
    abut_shape_release(b);
    assert_int_equal(abut_shape_create_capsule(0.5, 2, NULL, &b), ABUT_OK);
    r = check(torus, at(0, 0, 0), b, at(4, 0, 0));
    is_apart(&r, 1);
    r = check(torus, at(0, 0, 0), b, at(0.25, 0, 0));
    is_apart(&r, 0.75);
    abut_shape_release(b);
    assert_int_equal(abut_shape_create_ellipsoid((abut_vec3){ 1, 0.5, 0.25 }, NULL, &b), ABUT_OK);
    r = check(torus, at(0, 0, 0), b, at(5, 0, 0));
    is_apart(&r, 1.5);
    abut_shape_release(b);
    assert_int_equal(abut_shape_create_halfspace((abut_vec3){ 0, 0, 2 }, -4, NULL, &b), ABUT_OK);
    r = check(torus, at(0, 0, 0), b, at(0, 0, 0));
    is_apart(&r, 1.5);
    r = check(torus, at(0, 0, 0), b, at(0, 0, 2));
    assert_int_equal(r.verdict, ABUT_PENETRATING);
    r = check(torus, at(0, 0, 0), b, at(0, 0, 20));
    assert_int_equal(r.verdict, ABUT_PENETRATING);
    abut_shape_release(b);
    abut_shape_release(torus);
}

/* Sheets have no inside: what meets them touches. */
static void sheets(void **state)
{
    (void)state;
    abut_shape *sheet = parametric("u", "v", "0.25*u*v", -2, 2, -2, 2, false, false), *torus,
               *ball = parametric_ball();
    assert_int_equal(abut_shape_create_torus(1, 0.25, NULL, &torus), ABUT_OK);
    abut_check_result r = check(sheet, at(0, 0, 0), torus, at(0, 0, 0));
    assert_int_equal(r.verdict, ABUT_TOUCHING);
    r = check(sheet, at(0, 0, 0), ball, at(0, 0, 0.5));
    TEST_CHECK(r.verdict == ABUT_TOUCHING, "%s", abut_verdict_name(r.verdict));
    r = check(sheet, at(0, 0, 0), ball, at(0, 0, 3));
    is_apart(&r, 2);
    r = check(sheet, at(0, 0, 0), sheet, at(0, 0, 0.5));
    TEST_CHECK(r.verdict == ABUT_SEPARATE, "%s", abut_verdict_name(r.verdict));
    r = check(sheet, at(0, 0, 0), sheet, at(0.5, 0.25, 0));
    TEST_CHECK(r.verdict == ABUT_TOUCHING, "%s", abut_verdict_name(r.verdict));
    /* Beyond its rim: nearest at an edge, nearest at a corner. */
    r = check(ball, at(5, 0, 0), sheet, at(0, 0, 0));
    TEST_CHECK(r.verdict == ABUT_SEPARATE && r.distance.hi < 2 + 1e-12, "%s", abut_verdict_name(r.verdict));
    r = check(ball, at(5, 6, 1), sheet, at(0, 0, 0));
    is_apart(&r, 4);
    abut_shape_release(sheet);
    abut_shape_release(torus);
    abut_shape_release(ball);
}

/* Deforming bodies are what they are at the time that is asked about. */
static void at_a_time(void **state)
{
    (void)state;
    abut_shape *grows = implicit("x^2 + y^2 + z^2 - (1 + t)^2", 4), *torus;
    abut_motion *motion;
    assert_int_equal(abut_shape_create_torus(2, 0.5, NULL, &torus), ABUT_OK);
    const abut_placement from = { .position = { 6, 0, 0 } };
    assert_int_equal(abut_motion_create_velocity(0, 4, &from, (abut_vec3){ -0.5, 0, 0 },
                                                 (abut_vec3){ 0, 0, 0 }, NULL, &motion, NULL),
                     ABUT_OK);
    abut_check_result r;
    assert_int_equal(abut_check_at(torus, NULL, grows, motion, 0.5, NULL, NULL, &r), ABUT_OK);
    is_apart(&r, 6 - 0.25 - 2.5 - 1.5);
    assert_int_equal(abut_check_at(torus, NULL, grows, motion, 2, NULL, NULL, &r), ABUT_OK);
    assert_int_equal(r.verdict, ABUT_PENETRATING);
    abut_motion_release(motion);
    abut_shape_release(grows);
    abut_shape_release(torus);
}

/* Overlap with a clearance, distance with a cutoff: the same answers with less work. */
static void overlap_and_distance(void **state)
{
    (void)state;
    abut_shape *torus, *ball = parametric_ball();
    assert_int_equal(abut_shape_create_torus(2, 0.5, NULL, &torus), ABUT_OK);
    const abut_pose far = at(4, 0.25, 0.5), near = at(3, 0, 0);
    abut_overlap_opts opts;
    abut_overlap_result o;
    abut_overlap_opts_init(&opts);
    assert_int_equal(abut_overlap(torus, NULL, ball, &far, &opts, NULL, &o), ABUT_OK);
    assert_int_equal(o.verdict, ABUT_SEPARATE);
    opts.clearance = 1;
    assert_int_equal(abut_overlap(torus, NULL, ball, &far, &opts, NULL, &o), ABUT_OK);
    assert_int_equal(o.verdict, ABUT_PENETRATING);
    assert_int_equal(abut_overlap(torus, NULL, ball, &near, NULL, NULL, &o), ABUT_OK);
    assert_int_equal(o.verdict, ABUT_PENETRATING);
    abut_distance_opts cut;
    abut_distance_result d;
    abut_distance_opts_init(&cut);
    assert_int_equal(abut_distance(torus, NULL, ball, &far, &cut, NULL, &d), ABUT_OK);
    const double ring = hypot(hypot(4, 0.25) - 2, 0.5) - 1.5;
    assert_true(d.distance.lo <= ring * (1 + 1e-15) && d.distance.hi >= ring * (1 - 1e-15));
    assert_true(d.distance.hi - d.distance.lo < 1e-9 * ring);
    cut.cutoff = 0.1;
    assert_int_equal(abut_distance(torus, NULL, ball, &far, &cut, NULL, &d), ABUT_OK);
    assert_int_equal(d.stop, ABUT_STOP_CUTOFF);
    assert_true(d.distance.lo > 0.1 && d.distance.lo <= ring);
    abut_shape_release(torus);
    abut_shape_release(ball);
}

/* Bodies of 16 balls that deform each have 696 features, which make half a million pairs before a box is
 * halved: these count, too. */
static void many_features(void **state)
{
    (void)state;
    enum { BALLS = 16 };
    const abut_aabb room = { { -2, -2, -2 }, { 2, 2, 2 } };
    abut_shape *ball[BALLS], *heap;
    for (int i = 0; i < BALLS; ++i) {
        char f[96];
        (void)snprintf(f, sizeof f, "(x - %d/8)^2 + y^2 + z^2 - 1/4 - t", i - 8);
        assert_int_equal(abut_shape_create_implicit(f, room, NULL, &ball[i], NULL), ABUT_OK);
    }
    assert_int_equal(abut_shape_create_csg(ABUT_CSG_UNION, ball, BALLS, NULL, &heap, NULL), ABUT_OK);
    const abut_pose away = { { 0, 0, 3 }, { 1, 0, 0, 0 } };
    abut_check_opts opts;
    abut_check_result r;
    abut_check_opts_init(&opts);
    opts.max_iterations = 200;
    assert_int_equal(abut_check(heap, NULL, heap, &away, &opts, NULL, &r), ABUT_OK);
    TEST_CHECK(r.counters.evaluations < 200000, "%" PRIu64 " evaluations", r.counters.evaluations);
    assert_true(r.distance.lo <= 2 && r.distance.hi >= 2);
    abut_shape_release(heap);
    for (int i = 0; i < BALLS; ++i)
        abut_shape_release(ball[i]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(many_features),
        cmocka_unit_test(balls_of_all_kinds),
        cmocka_unit_test(one_inside_the_other),
        cmocka_unit_test(torus_and_primitives),
        cmocka_unit_test(sheets),
        cmocka_unit_test(at_a_time),
        cmocka_unit_test(overlap_and_distance),
        cmocka_unit_test(random_pairs),
        cmocka_unit_test(close_pairs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
