/* SPDX-License-Identifier: MIT */
/* Bodies that move against height fields, where the answer is known: slopes, walls, ridges,
 * level ground; bodies that start in it, on it or beside it; and one cell against the hull and
 * the half-space that it is. */
#include "ccd/test_advance_support.h"

static abut_shape *field_of(size_t columns, size_t rows, double dx, double dy, const double *heights)
{
    abut_shape *out;
    assert_int_equal(abut_shape_create_heightfield(columns, rows, dx, dy, heights, NULL, &out, NULL),
                     ABUT_OK);
    return out;
}

static abut_shape *ball_of(double radius)
{
    abut_shape *out;
    assert_int_equal(abut_shape_create_sphere(radius, NULL, &out), ABUT_OK);
    return out;
}

/* Both ways round; the second must mirror the first. */
static abut_first_result ask_twice(const abut_shape *field, const abut_motion *of_field,
                                   const abut_shape *mover, const abut_motion *of_body)
{
    const abut_first_result one = ask(field, of_field, mover, of_body),
                            two = ask(mover, of_body, field, of_field);
    assert_int_equal(one.verdict, two.verdict);
    assert_true(one.time.lo == two.time.lo && one.time.hi == two.time.hi);
    assert_int_equal(one.point_count, two.point_count);
    if (one.point_count > 0) {
        assert_true(one.points[0].normal.x == -two.points[0].normal.x &&
                    one.points[0].normal.z == -two.points[0].normal.z);
        assert_int_equal(one.points[0].features[0], two.points[0].features[1]);
    }
    return one;
}

static abut_first_result drop(const abut_shape *field, const abut_shape *mover, abut_vec3 at, abut_vec3 by)
{
    abut_motion *motion = steady(at, by, v3(0, 0, 0));
    const abut_first_result r = ask_twice(field, NULL, mover, motion);
    abut_motion_release(motion);
    return r;
}

static void check_time(const abut_first_result *r, long double t, double wide, const char *what)
{
    TEST_CHECK(r->verdict == ABUT_FIRST_CONTACT, "%s: verdict %d", what, (int)r->verdict);
    TEST_CHECK(r->time.lo <= t + 1e-17L && t - 1e-17L <= r->time.hi, "%s: %a … %a, true %La", what,
               r->time.lo, r->time.hi, t);
    TEST_CHECK(r->time.hi - r->time.lo <= wide, "%s: %g wide", what, r->time.hi - r->time.lo);
}

/* A plane of any slope, in one cell or in many. */
static void balls_meet_slopes_on_time(void **state)
{
    (void)state;
    const uint64_t count = test_count(2000);
    for (uint64_t seed = 0; seed < count; ++seed) {
        test_random r = test_seed(seed + 5000);
        const size_t n = seed % 2 ? 2 : 5;
        const double step = n == 2 ? 8 : 2; /* coordinates and heights are exact */
        const double sx = (double)((int)test_below(&r, 65) - 32) / 16,
                     sy = (double)((int)test_below(&r, 65) - 32) / 16;
        double heights[25];
        for (size_t k = 0; k < n * n; ++k)
            heights[k] = sx * ((double)(k % n) * step - 4) + sy * ((double)(k / n) * step - 4);
        abut_shape *field = field_of(n, n, step, step, heights), *ball = ball_of(test_uniform(&r, 0.01, 0.2));
        const double radius = abut_shape_bounds(ball).hi.x;
        const abut_vec3 from = v3(test_uniform(&r, -1, 1), test_uniform(&r, -1, 1), 6),
                        by = v3(test_uniform(&r, -0.5, 0.5), test_uniform(&r, -0.5, 0.5), -12);
        const abut_first_result first = drop(field, ball, from, by);
        const long double length = sqrtl(1 + (long double)sx * sx + (long double)sy * sy);
        const long double gap = from.z - (long double)sx * from.x - (long double)sy * from.y;
        const long double rate = by.z - (long double)sx * by.x - (long double)sy * by.y;
        char what[64];
        (void)snprintf(what, sizeof what, "seed %" PRIu64, seed);
        check_time(&first, (radius * length - gap) / rate, 1e-12, what);
        const abut_vec3 m = first.points[0].normal;
        TEST_CHECK(first.point_count > 0 && fabs(m.x * (double)length + sx) < 1e-6 &&
                       fabs(m.y * (double)length + sy) < 1e-6 && fabs(m.z * (double)length - 1) < 1e-6,
                   "seed %" PRIu64 ": normal %g %g %g on slopes %g %g", seed, m.x, m.y, m.z, sx, sy);
        abut_shape_release(field);
        abut_shape_release(ball);
    }
}

static bool agree(const abut_first_result *a, const abut_first_result *b)
{
    if (a->verdict == ABUT_FIRST_UNDECIDED || b->verdict == ABUT_FIRST_UNDECIDED)
        return true;
    return a->verdict == b->verdict &&
           (a->verdict == ABUT_FIRST_SEPARATE || (a->time.lo <= b->time.hi && b->time.lo <= a->time.hi));
}

/* One planar cell: the hull of its corners and of points far below; and, for bodies that stay
 * over its middle, the half-space. */
static void one_cell_is_a_hull(void **state)
{
    (void)state;
    const uint64_t count = test_count(1500);
    uint64_t undecided = 0;
    for (uint64_t seed = 0; seed < count; ++seed) {
        test_random r = test_seed(seed + 61000);
        const bool over = seed % 2; /* the half-space */
        const double step = over ? 64 : test_uniform(&r, 0.3, 2), sx = test_uniform(&r, -1, 1),
                     sy = test_uniform(&r, -1, 1);
        double heights[4];
        abut_vec3 points[8];
        for (size_t k = 0; k < 4; ++k) {
            const double x = (k % 2 ? 0.5 : -0.5) * step, y = (k / 2 ? 0.5 : -0.5) * step;
            heights[k] = k == 3 ? heights[1] + heights[2] - heights[0] : sx * x + sy * y;
            points[k] = v3(x, y, heights[k]);
            points[4 + k] = v3(x, y, -100);
        }
        abut_shape *field = field_of(2, 2, step, step, heights), *other;
        abut_motion *ground;
        body b;
        course of_body, of_field;
        if (over) {
            const abut_vec3 n = v3((heights[0] - heights[1]) / step, (heights[0] - heights[2]) / step, 1);
            assert_int_equal(
                abut_shape_create_halfspace(n, heights[0] + step / 2 * (-n.x - n.y), NULL, &other), ABUT_OK);
        } else
            assert_int_equal(abut_shape_create_convex(points, 8, 0, NULL, &other, NULL), ABUT_OK);
        make_body(&r, test_below(&r, 9), seed % 3 ? 0.5 : 0.1, &b);
        make_course(&r, test_below(&r, KINDS), 2, 5, &of_body);
        make_course(&r, seed % 4 == 0 ? test_below(&r, KINDS) : 0, 2, 5, &of_field);
        ground = seed % 3 == 0 ? NULL : of_field.motion;
        const abut_first_result one = ask_twice(field, ground, b.shape, of_body.motion),
                                two = ask(other, ground, b.shape, of_body.motion);
        TEST_CHECK(agree(&one, &two), "seed %" PRIu64 ": verdict %d at %a … %a, %d at %a … %a", seed,
                   (int)one.verdict, one.time.lo, one.time.hi, (int)two.verdict, two.time.lo, two.time.hi);
        undecided += one.verdict == ABUT_FIRST_UNDECIDED;
        abut_shape_release(field);
        abut_shape_release(other);
        abut_shape_release(b.shape);
        abut_motion_release(of_body.motion);
        abut_motion_release(of_field.motion);
    }
    print_message("%" PRIu64 " of %" PRIu64 " undecided\n", undecided, count);
    assert_true(undecided <= 1 + count / 200);
}

static const double zeros[36];

/* Inside, at once; also far below, over no column, and from the side. */
static void bodies_may_start_in_the_ground(void **state)
{
    (void)state;
    const double hill[9] = { 0, 0, 0, 0, 1, 0, 0, 0, 0 };
    abut_shape *const fields[2] = { field_of(3, 3, 1, 1, zeros), field_of(3, 3, 1, 1, hill) };
    abut_shape *const bodies[2] = { ball_of(0.25), box_of(0.25, 0.125, 0.25) };
    for (int k = 0; k < 4; ++k) {
        abut_shape *const field = fields[k / 2], *const mover = bodies[k % 2];
        assert_int_equal(drop(field, mover, v3(0, 0, -0.125), v3(0, 0, 5)).verdict, ABUT_FIRST_OVERLAPPING);
        assert_int_equal(drop(field, mover, v3(0, 0, -5), v3(0, 0, 9)).verdict, ABUT_FIRST_OVERLAPPING);
        assert_int_equal(drop(field, mover, v3(1, 1, -300), v3(1, 0, 0)).verdict, ABUT_FIRST_OVERLAPPING);
        assert_int_equal(drop(field, mover, v3(1.5, 0, -3), v3(0, 3, 0)).verdict, ABUT_FIRST_SEPARATE);
        assert_int_equal(drop(field, mover, v3(1.5, 0, -3), v3(0, 3, 9)).verdict, ABUT_FIRST_SEPARATE);
        const abut_first_result wall = drop(field, mover, v3(2.25, 0.25, -3), v3(-4, 0, 0));
        check_time(&wall, 0.25L, 1e-12, "wall");
        assert_true(wall.points[0].normal.x > 1 - 1e-9);
        const abut_first_result through = drop(field, mover, v3(0, 0, -0.125), v3(0, 0, 5));
        assert_true(through.time.lo == 0 && through.time.hi == 0);
    }
    for (int k = 0; k < 2; ++k) {
        abut_shape_release(fields[k]);
        abut_shape_release(bodies[k]);
    }
}

/* Exactly on level ground, on grids whose lines are doubles and on others: down, up, along. */
static void bodies_may_rest_on_the_ground(void **state)
{
    (void)state;
    abut_shape *const bodies[3] = { ball_of(0.5), box_of(0.5, 0.25, 0.5), NULL };
    const double steps[2] = { 1, 0.7 };
    for (int k = 0; k < 4; ++k) {
        abut_shape *const field = field_of(6, 6, steps[k / 2], steps[k / 2], zeros), *const mover =
                                                                                         bodies[k % 2];
        const abut_first_result down = drop(field, mover, v3(0.25, 0, 0.5), v3(0, 0, -1));
        assert_int_equal(down.verdict, ABUT_FIRST_CONTACT);
        assert_true(down.time.lo == 0 && down.time.hi < 1e-13 && down.points[0].normal.z > 1 - 1e-9);
        assert_int_equal(drop(field, mover, v3(0.25, 0, 0.5), v3(0, 0, 1)).verdict, ABUT_FIRST_SEPARATE);
        assert_int_equal(drop(field, mover, v3(0.25, 0, 0.5), v3(1, 0, 1)).verdict, ABUT_FIRST_SEPARATE);
        const abut_first_result along = drop(field, mover, v3(0.25, 0, 0.5), v3(0.5, 0, 0));
        assert_int_equal(along.verdict, ABUT_FIRST_CONTACT);
        assert_true(along.time.lo == 0 && along.time.hi == 0);
        assert_int_equal(drop(field, mover, v3(0.25, 0, 0.5 + 1e-9), v3(0.5, 0.25, 0)).verdict,
                         ABUT_FIRST_SEPARATE);
        abut_shape_release(field);
    }
    abut_shape_release(bodies[0]);
    abut_shape_release(bodies[1]);
}

/* Past a ridge, and down along a wall: by 1e-9 too far away, too close, and exactly. */
static void grazes_are_told_from_misses(void **state)
{
    (void)state;
    double ridge[25];
    for (size_t k = 0; k < 25; ++k)
        ridge[k] = k % 5 == 2;
    abut_shape *const field = field_of(5, 5, 1, 1, ridge), *const ball = ball_of(0.5);
    for (int turned = 0; turned < 2; ++turned) {
        const double by = 1e-9;
        const abut_vec3 way = turned ? v3(2, 0.5, 0) : v3(2, 0, 0);
        assert_int_equal(drop(field, ball, v3(-1, 0.1, 1.5 + by), way).verdict, ABUT_FIRST_SEPARATE);
        const abut_first_result hit = drop(field, ball, v3(-1, 0.1, 1.5 - by), way);
        check_time(&hit, (1 - sqrtl(0.25L - (0.5L - (long double)by) * (0.5L - (long double)by))) / 2, 1e-9,
                   "ridge");
        const abut_first_result touch = drop(field, ball, v3(-1, 0.1, 1.5), way);
        assert_int_not_equal(touch.verdict, ABUT_FIRST_OVERLAPPING);
        if (touch.verdict != ABUT_FIRST_SEPARATE)
            assert_true(touch.time.lo <= 0.5 && touch.time.hi >= 0.5 - 1e-6);
        assert_int_not_equal(touch.verdict, ABUT_FIRST_SEPARATE);
    }
    for (int k = -1; k < 2; k += 2) {
        const abut_first_result beside = drop(field, ball, v3(2.5 + k * 1e-9, 0.3, 2), v3(0, 0, -40));
        assert_int_equal(beside.verdict, k < 0 ? ABUT_FIRST_CONTACT : ABUT_FIRST_SEPARATE);
    }
    abut_shape_release(field);
    abut_shape_release(ball);
}

/* Bodies without inside that cross the walls between columns: one stretch, and no doubt inside
 * it. */
static void walls_between_columns_are_not_seen(void **state)
{
    (void)state;
    const uint64_t count = test_count(400);
    for (uint64_t seed = 0; seed < count; ++seed) {
        test_random r = test_seed(seed + 7100);
        double heights[36];
        for (size_t k = 0; k < 36; ++k)
            heights[k] = seed % 2 ? test_uniform(&r, -0.1, 0.1) : 0.0625 * test_below(&r, 4);
        abut_shape *const field = field_of(6, 6, 0.5, seed % 4 < 2 ? 0.5 : 0.3, heights);
        const abut_vec3 points[3] = { v3(0, 0, 0), v3(0.125, 0, 0), v3(0, 0.125, 0) };
        abut_shape *mover;
        assert_int_equal(abut_shape_create_convex(points, 1 + seed % 3, 0, NULL, &mover, NULL), ABUT_OK);
        /* Through the plane z = -0.5, along lines of the grid and across them. */
        const bool neat = seed % 5 == 0;
        abut_motion *motion =
            steady(neat ? v3(-1, -0.5, -0.5) : v3(-2.5, test_uniform(&r, -0.5, 0.5), -0.5),
                   neat ? v3(1.5, 0.5, 0) : v3(5, test_uniform(&r, -0.1, 0.1), 0), v3(0, 0, 0));
        abut_contact_interval in[8];
        abut_intervals_result all;
        assert_int_equal(abut_contact_intervals(field, NULL, mover, motion, NULL, NULL, in, 8, &all),
                         ABUT_OK);
        TEST_CHECK(all.count == 1 && all.proof != ABUT_PROOF_TOLERANCE,
                   "seed %" PRIu64 ": %zu stretches, proof %d", seed, all.count, (int)all.proof);
        abut_motion_release(motion);
        abut_shape_release(mover);
        abut_shape_release(field);
    }
}

/* The tip of a cone or the corner of a box on a vertex of the grid: the normal is that of the
 * ground. */
static void normals_are_those_of_the_ground(void **state)
{
    (void)state;
    double ramp[25];
    for (size_t k = 0; k < 25; ++k)
        ramp[k] = 0.5 * (double)(k % 5);
    for (int k = 0; k < 6; ++k) {
        abut_shape *const field = field_of(5, 5, 1, 1, k % 2 ? ramp : zeros);
        const double height = k % 2 ? 1 : 0;
        const abut_vec3 points[5] = { v3(0, 0, 0), v3(1, 1, 2), v3(1, -1, 2), v3(-1, 0, 2), v3(0, 0, 3) };
        abut_shape *mover;
        if (k < 2)
            assert_int_equal(abut_shape_create_convex(points, 5, 0, NULL, &mover, NULL), ABUT_OK);
        else if (k < 4)
            assert_int_equal(abut_shape_create_cone(1, 2, NULL, &mover), ABUT_OK);
        else
            mover = ball_of(0.5);
        abut_motion *motion;
        const double above = k < 2   ? 0
                             : k < 4 ? 1
                             : k % 2 ? 0.5 * sqrt(1.25)
                                     : 0.5; /* origin over the lowest place */
        const abut_placement from = { .position = v3(0, 0, height + above + 1),
                                      .rotation = { ABUT_ROTATION_DEGREES, .axis = v3(1, 0, 0),
                                                    .angle = k >= 2 && k < 4 ? 180 : 0 } };
        assert_int_equal(
            abut_motion_create_velocity(0, 1, &from, v3(0, 0, -2), v3(0, 0, 0), NULL, &motion, NULL),
            ABUT_OK);
        const abut_first_result r = ask_twice(field, NULL, mover, motion);
        const double slope = k % 2 ? 0.5 : 0, length = sqrt(1 + slope * slope);
        TEST_CHECK(r.verdict == ABUT_FIRST_CONTACT && fabs(r.time.lo - 0.5) < 1e-9,
                   "case %d: verdict %d at %g", k, (int)r.verdict, r.time.lo);
        const abut_vec3 n = r.points[0].normal;
        TEST_CHECK(fabs(n.x + slope / length) < 1e-6 && fabs(n.y) < 1e-6 && fabs(n.z - 1 / length) < 1e-6,
                   "case %d: normal %g %g %g", k, n.x, n.y, n.z);
        abut_motion_release(motion);
        abut_shape_release(mover);
        abut_shape_release(field);
    }
}

/* A box that comes down level on many small cells meets the highest vertex under it. */
static void many_cells_are_searched(void **state)
{
    (void)state;
    enum { N = 129 };
    double *heights = calloc((size_t)N * N, sizeof *heights);
    assert_non_null(heights);
    for (uint64_t seed = 0; seed < 6; ++seed) {
        test_random r = test_seed(seed + 300);
        const double step = 0x1p-7;
        double most = -INFINITY;
        for (size_t k = 0; k < (size_t)N * N; ++k) {
            heights[k] = test_uniform(&r, -0.01, 0.01);
            const size_t i = k % N, j = k / N; /* the box covers 0.25 about the middle */
            if (i >= 32 && i <= 96 && j >= 48 && j <= 80)
                most = fmax(most, heights[k]);
        }
        abut_shape *field = field_of(N, N, step, step, heights), *box = box_of(0.25, 0.125, 0.125);
        const abut_first_result first = drop(field, box, v3(0, 0, 1), v3(0, 0, -1));
        check_time(&first, 1 - 0.125L - (long double)most, 1e-12, "many cells");
        abut_motion *slide = steady(v3(-0.24, -0.24, 0.2), v3(0.48, 0.48, -0.05), v3(0, 0, 3));
        const abut_first_result apart = ask(field, NULL, box, slide);
        assert_int_equal(apart.verdict, ABUT_FIRST_SEPARATE);
        print_message("%" PRIu64 " and %" PRIu64 " steps\n", first.counters.iterations,
                      apart.counters.iterations);
        abut_motion_release(slide);
        abut_shape_release(field);
        abut_shape_release(box);
    }
    free(heights);
}

/* The ground turns about its own axis, or rises with the body. */
static void moving_grounds_carry_their_cells(void **state)
{
    (void)state;
    double ridge[25];
    for (size_t k = 0; k < 25; ++k)
        ridge[k] = k == 12;
    abut_shape *field = field_of(5, 5, 1, 1, ridge), *ball = ball_of(0.5);
    abut_motion *spin = steady(v3(3, 4, 5), v3(1, 0, 0), v3(0, 0, 50)),
                *fall = steady(v3(3, 4, 8), v3(1, 0, -4), v3(9, 0, 0));
    const abut_first_result first = ask_twice(field, spin, ball, fall);
    check_time(&first, 0.375L, 1e-11, "spin");
    abut_motion *up = steady(v3(0, 0, 0), v3(100, 0, 100), v3(0, 0, 0)),
                *with = steady(v3(0.3, 0, 1.6), v3(100, 0, 100), v3(0, 0, 0));
    assert_int_equal(ask_twice(field, up, ball, with).verdict, ABUT_FIRST_SEPARATE);
    abut_motion_release(spin);
    abut_motion_release(fall);
    abut_motion_release(up);
    abut_motion_release(with);
    abut_shape_release(field);
    abut_shape_release(ball);
}

static void sizes_may_be_extreme(void **state)
{
    (void)state;
    static const double sizes[] = { 0x1p-480, 0x1p-300, 0x1p-100, 0x1p100, 0x1p300, 0x1p480 };
    for (size_t k = 0; k < sizeof sizes / sizeof *sizes; ++k) {
        const double s = sizes[k];
        double hill[9] = { 0, 0, 0, 0, s, 0, 0, 0, 0 };
        abut_shape *field = field_of(3, 3, s, s, hill), *ball = ball_of(0.5 * s),
                   *box = box_of(0.5 * s, 0.5 * s, 0.5 * s);
        const abut_first_result one = drop(field, ball, v3(0, 0, 4 * s), v3(0, 0, -5 * s)),
                                two = drop(field, box, v3(0, 0, 4 * s), v3(0, 0, -5 * s));
        check_time(&one, 0.5L, 1e-11, "extreme ball");
        check_time(&two, 0.5L, 1e-11, "extreme box");
        abut_shape_release(field);
        abut_shape_release(ball);
        abut_shape_release(box);
    }
}

static void support_of_ball(void *ctx, const abut_vec3 *d, abut_vec3 *out)
{
    const double length = sqrt(d->x * d->x + d->y * d->y + d->z * d->z), r = *(const double *)ctx;
    *out = v3(r * d->x / length, r * d->y / length, r * d->z / length);
}

/* Bodies that only their support function or their core is known of; the same ball each time. */
static void balls_in_disguise_meet_at_the_same_time(void **state)
{
    (void)state;
    const double hills[9] = { 0, 0.25, 0.5, -0.25, 0.375, 0.125, 0, -0.5, 0.25 };
    double radius = 0.5;
    const abut_support_def def = { support_of_ball, &radius, 1e-14, 0.5 };
    const abut_vec3 origin = { 0, 0, 0 };
    abut_shape *const field = field_of(3, 3, 1, 1, hills), *dot, *balls[5];
    balls[0] = ball_of(0.5);
    assert_int_equal(abut_shape_create_support(&def, NULL, &balls[1], NULL), ABUT_OK);
    assert_int_equal(abut_shape_create_ellipsoid(v3(0.5, 0.5, 0.5), NULL, &balls[2]), ABUT_OK);
    assert_int_equal(abut_shape_create_convex(&origin, 1, 0, NULL, &dot, NULL), ABUT_OK);
    assert_int_equal(abut_shape_create_swept(dot, 0.5, NULL, &balls[3], NULL), ABUT_OK);
    assert_int_equal(abut_shape_create_convex(&origin, 1, 0.5, NULL, &balls[4], NULL), ABUT_OK);
    for (int way = 0; way < 40; ++way) {
        test_random r = test_seed((uint64_t)way);
        abut_motion *fall = steady(v3(test_uniform(&r, -0.5, 0.5), test_uniform(&r, -0.5, 0.5), 2),
                                   v3(test_uniform(&r, -0.5, 0.5), test_uniform(&r, -0.5, 0.5), -4),
                                   way % 2 ? v3(3, 2, 1) : v3(0, 0, 0));
        const abut_first_result first = ask_twice(field, NULL, balls[0], fall);
        assert_int_equal(first.verdict, ABUT_FIRST_CONTACT);
        for (int k = 1; k < 5; ++k) {
            const abut_first_result same = ask_twice(field, NULL, balls[k], fall);
            TEST_CHECK(agree(&first, &same) && same.time.hi - same.time.lo < 1e-9,
                       "way %d, ball %d: verdict %d, %a … %a, expected %a … %a", way, k, (int)same.verdict,
                       same.time.lo, same.time.hi, first.time.lo, first.time.hi);
        }
        abut_motion_release(fall);
    }
    for (int k = 0; k < 5; ++k)
        abut_shape_release(balls[k]);
    abut_shape_release(dot);
    abut_shape_release(field);
}

static bool refuse(void *ctx, double done)
{
    (void)ctx;
    (void)done;
    return false;
}

static void limits_are_told(void **state)
{
    (void)state;
    const double hill[9] = { 0, 0.5, 0, 0.25, 1, 0, 0, 0.5, 0 };
    abut_shape *field = field_of(3, 3, 1, 1, hill), *ball = ball_of(0.5);
    abut_motion *fall = steady(v3(0.1, 0.1, 4), v3(0, 0, -4), v3(1, 2, 3));
    abut_first_opts opts;
    abut_first_result first;
    abut_intervals_result all;
    abut_first_opts_init(&opts);
    opts.max_iterations = 4;
    assert_int_equal(abut_first_contact(field, NULL, ball, fall, &opts, NULL, &first), ABUT_OK);
    assert_int_equal(first.verdict, ABUT_FIRST_UNDECIDED);
    assert_int_equal(first.stop, ABUT_STOP_BUDGET);
    assert_int_equal(abut_contact_intervals(field, NULL, ball, fall, &opts, NULL, NULL, 0, &all), ABUT_OK);
    assert_int_equal(all.proof, ABUT_PROOF_TOLERANCE);
    assert_int_equal(all.stop, ABUT_STOP_BUDGET);
    abut_first_opts_init(&opts);
    opts.progress = refuse;
    assert_int_equal(abut_first_contact(field, NULL, ball, fall, &opts, NULL, &first), ABUT_ERR_CANCELLED);
    static const abut_first_method methods[] = { ABUT_METHOD_ADVANCEMENT, ABUT_METHOD_RAYCAST,
                                                 ABUT_METHOD_HALVING, ABUT_METHOD_BRENT };
    const abut_first_result usual = ask(field, NULL, ball, fall);
    for (size_t k = 0; k < 4; ++k) {
        abut_first_opts_init(&opts);
        opts.method = methods[k];
        assert_int_equal(abut_first_contact(field, NULL, ball, fall, &opts, NULL, &first), ABUT_OK);
        assert_int_equal(first.verdict, ABUT_FIRST_CONTACT);
        assert_true(first.time.lo <= usual.time.hi && usual.time.lo <= first.time.hi);
    }
    opts.method = ABUT_METHOD_SHOOTING;
    assert_int_equal(abut_first_contact(field, NULL, ball, fall, &opts, NULL, &first), ABUT_ERR_UNSUPPORTED);
    abut_shape_release(field);
    abut_shape_release(ball);
    abut_motion_release(fall);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(balls_meet_slopes_on_time),
        cmocka_unit_test(one_cell_is_a_hull),
        cmocka_unit_test(bodies_may_start_in_the_ground),
        cmocka_unit_test(bodies_may_rest_on_the_ground),
        cmocka_unit_test(grazes_are_told_from_misses),
        cmocka_unit_test(walls_between_columns_are_not_seen),
        cmocka_unit_test(normals_are_those_of_the_ground),
        cmocka_unit_test(many_cells_are_searched),
        cmocka_unit_test(moving_grounds_carry_their_cells),
        cmocka_unit_test(sizes_may_be_extreme),
        cmocka_unit_test(balls_in_disguise_meet_at_the_same_time),
        cmocka_unit_test(limits_are_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
