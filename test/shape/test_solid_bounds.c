/* SPDX-License-Identifier: MIT */
/* Bounding volumes of CAD solids: against closed forms, against dense samples of random profiles (which
 * may not be left outside, and come as far as the bounds say), and between themselves. */
#include "abut/ellipsoid.h"
#include "abut/solid.h"
#include "abut/solid_bounds.h"
#include "oracle/cad_cases.h"

#define SAMPLES 400

/* Farthest point of a profile side: f is maximised over dense samples, then by golden section. */
typedef double (*side_fn)(const void *ctx, double x, double y);

static void side_point(const double *from, const double *to, double t, double *x, double *y)
{
    const double bulge = from[2], dx = to[0] - from[0], dy = to[1] - from[1];
    if (bulge == 0) {
        *x = from[0] + t * dx;
        *y = from[1] + t * dy;
        return;
    }
    const double k = (1 - bulge * bulge) / (4 * bulge);
    const double cx = 0.5 * (from[0] + to[0]) - dy * k, cy = 0.5 * (from[1] + to[1]) + dx * k;
    const double turn = 4 * atan(bulge) * t, px = from[0] - cx, py = from[1] - cy;
    *x = cx + px * cos(turn) - py * sin(turn);
    *y = cy + px * sin(turn) + py * cos(turn);
}

static double side_most(const double *from, const double *to, side_fn f, const void *ctx)
{
    double best = -HUGE_VAL, at = 0, x, y;
    for (int i = 0; i <= SAMPLES; ++i) {
        const double t = (double)i / SAMPLES;
        side_point(from, to, t, &x, &y);
        if (f(ctx, x, y) > best) {
            best = f(ctx, x, y);
            at = t;
        }
    }
    double lo = fmax(0, at - 1.0 / SAMPLES), hi = fmin(1, at + 1.0 / SAMPLES);
    for (int i = 0; i < 80; ++i) {
        const double a = lo + 0.381966 * (hi - lo), b = lo + 0.618034 * (hi - lo);
        side_point(from, to, a, &x, &y);
        const double fa = f(ctx, x, y);
        side_point(from, to, b, &x, &y);
        const double fb = f(ctx, x, y);
        best = fmax(best, fmax(fa, fb));
        if (fa < fb)
            lo = a;
        else
            hi = b;
    }
    return best;
}

static double most(const cad_body *body, side_fn f, const void *ctx)
{
    double best = -HUGE_VAL;
    for (int i = 0; i < body->loops[0].count; ++i)
        best = fmax(best, side_most(body->loops[0].corner[i],
                                    body->loops[0].corner[(i + 1) % body->loops[0].count], f, ctx));
    return best;
}

typedef struct point_query {
    double x, y, z, rho, height;
} point_query;

static double revolve_far(const void *ctx, double r, double z)
{
    const point_query *q = ctx;
    return hypot(r + q->rho, z - q->z);
}

static double revolve_along(const void *ctx, double r, double z)
{
    const point_query *q = ctx;
    return r * q->rho + z * q->z;
}

static double extrude_far(const void *ctx, double x, double y)
{
    const point_query *q = ctx;
    return hypot(hypot(x - q->x, y - q->y), fmax(fabs(q->z), fabs(q->height - q->z)));
}

static double extrude_along(const void *ctx, double x, double y)
{
    const point_query *q = ctx;
    return x * q->x + y * q->y + fmax(0, q->height * q->z);
}

/* Explicit copies of swept solids, whose spheres and tori are cut out by loops, have the same reach; so have
 * their bounds along the axes. */
static void test_copies(void **state)
{
    (void)state;
    const int count = (int)test_count(200);
    int copies = 0;
    for (int i = 0; i < count; ++i) {
        test_random r = test_seed(7500u + (unsigned)i);
        cad_solid s = i % 2 ? cad_random_revolve(&r, i % 3 == 0) : cad_random_extrude(&r);
        abut_shape *copy = cad_explicit_copy(&s);
        if (!copy) {
            abut_shape_release(s.shape);
            continue;
        }
        ++copies;
        const double room = 4e-8 * s.body.reach;
        for (int k = 0; k < 4; ++k) {
            const bool axis = k == 3;
            const abut_vec3 p = axis ? (abut_vec3){ 0, 0, i % 4 < 2 ? 1 : -1 }
                                     : (abut_vec3){ test_uniform(&r, -3, 3), test_uniform(&r, -3, 3),
                                                    test_uniform(&r, -3, 3) };
            abut_interval far[2], least[2], greatest[2];
            abut_shape *shape[2] = { s.shape, copy };
            for (int n = 0; n < 2; ++n) {
                assert_int_equal(abut_solid_farthest(shape[n], p, &far[n], NULL), ABUT_OK);
                assert_int_equal(abut_solid_extent(shape[n], p, &least[n], &greatest[n]), ABUT_OK);
            }
            TEST_CHECK(fabs(far[0].hi - far[1].hi) <= room && far[1].hi - far[1].lo <= room,
                       "seed %d: farthest %.17g to %.17g, of the copy %.17g to %.17g", i, far[0].lo,
                       far[0].hi, far[1].lo, far[1].hi);
            TEST_CHECK(fabs(greatest[0].hi - greatest[1].hi) <= room &&
                           greatest[1].hi - greatest[1].lo <= room,
                       "seed %d: greatest %.17g to %.17g, of the copy %.17g to %.17g", i, greatest[0].lo,
                       greatest[0].hi, greatest[1].lo, greatest[1].hi);
            TEST_CHECK(fabs(least[0].lo - least[1].lo) <= room && least[1].hi - least[1].lo <= room,
                       "seed %d: least %.17g to %.17g, of the copy %.17g to %.17g", i, least[0].lo,
                       least[0].hi, least[1].lo, least[1].hi);
        }
        abut_interval x;
        abut_interval ends;
        assert_int_equal(abut_solid_extent(s.shape, (abut_vec3){ 1, 0, 0 }, &ends, &x), ABUT_OK);
        const abut_aabb b = abut_shape_bounds(copy);
        TEST_CHECK(b.lo.x <= ends.hi && b.lo.x >= ends.lo - room && b.hi.x >= x.lo && b.hi.x <= x.hi + room,
                   "seed %d: bounds %.17g to %.17g, the solid reaches from %.17g to %.17g", i, b.lo.x, b.hi.x,
                   ends.lo, x.hi);
        abut_shape_release(copy);
        abut_shape_release(s.shape);
    }
    TEST_CHECK(copies > count / 4, "%d copies", copies);
}

static void test_reach(void **state)
{
    (void)state;
    const int count = (int)test_count(400);
    for (int i = 0; i < count; ++i) {
        test_random r = test_seed(7000u + (unsigned)i);
        const bool revolve = i % 2;
        cad_solid s = revolve ? cad_random_revolve(&r, i % 3 == 0) : cad_random_extrude(&r);
        const point_query q = { .x = test_uniform(&r, -3, 3),
                                .y = test_uniform(&r, -3, 3),
                                .z = test_uniform(&r, -3, 3) };
        point_query at = q;
        at.rho = hypot(q.x, q.y);
        at.height = s.body.height;
        abut_interval far, least, greatest;
        abut_vec3 point;
        const abut_vec3 p = { q.x, q.y, q.z };
        assert_int_equal(abut_solid_farthest(s.shape, p, &far, &point), ABUT_OK);
        const double true_far = most(&s.body, revolve ? revolve_far : extrude_far, &at);
        TEST_CHECK(far.lo <= true_far + 1e-12 && true_far <= far.hi + 1e-12,
                   "seed %d: farthest %.17g to %.17g, true %.17g", i, far.lo, far.hi, true_far);
        TEST_CHECK(far.hi - far.lo <= 1e-9, "seed %d: %g wide", i, far.hi - far.lo);
        const double seen[3] = { point.x, point.y, point.z };
        TEST_CHECK(fabs(cad_value(&s.body, seen)) <= 1e-9, "seed %d: the point is %g off", i,
                   cad_value(&s.body, seen));
        assert_int_equal(abut_solid_extent(s.shape, p, &least, &greatest), ABUT_OK);
        const double length = sqrt(q.x * q.x + q.y * q.y + q.z * q.z);
        const double up = most(&s.body, revolve ? revolve_along : extrude_along, &at) / length;
        at.x = -at.x;
        at.y = -at.y;
        at.z = -at.z;
        const double down = -most(&s.body, revolve ? revolve_along : extrude_along, &at) / length;
        TEST_CHECK(greatest.lo <= up + 1e-12 && up <= greatest.hi + 1e-12 &&
                       greatest.hi - greatest.lo <= 1e-9,
                   "seed %d: greatest %.17g to %.17g, true %.17g", i, greatest.lo, greatest.hi, up);
        TEST_CHECK(least.lo <= down + 1e-12 && down <= least.hi + 1e-12 && least.hi - least.lo <= 1e-9,
                   "seed %d: least %.17g to %.17g, true %.17g", i, least.lo, least.hi, down);
        abut_shape_release(s.shape);
    }
}

static void test_balls(void **state)
{
    (void)state;
    const struct {
        cad_loop loop;
        bool revolve;
        double height, radius;
    } known[] = {
        { { 4, { { 0, -1, 0 }, { 3, -1, 0 }, { 3, 7, 0 }, { 0, 7, 0 } } }, true, 0, 5 }, /* cylinder */
        { { 2, { { 0, -2, 1 }, { 0, 2, 0 } } }, true, 0, 2 },                            /* sphere */
        { { 2, { { 1.5, 0, 1 }, { 2.5, 0, 1 } } }, true, 0, 2.5 },                       /* torus */
        { { 3, { { 0, 0, 0 }, { 3, 0, 0 }, { 0, 1, 0 } } }, true, 0, 3 },                /* flat cone */
        { { 3, { { 0, 0, 0 }, { 1, 0, 0 }, { 0, 2, 0 } } }, true, 0, 1.25 },             /* steep cone */
        { { 4, { { -1, -2, 0 }, { 1, -2, 0 }, { 1, 2, 0 }, { -1, 2, 0 } } }, false, 4, 3 },
    };
    for (size_t i = 0; i < sizeof known / sizeof *known; ++i) {
        cad_solid s = known[i].revolve ? cad_make_revolve(&known[i].loop)
                                       : cad_make_extrude(&known[i].loop, 1, known[i].height);
        abut_solid_ball ball;
        assert_non_null(s.shape);
        assert_int_equal(abut_solid_enclosing_ball(s.shape, &ball), ABUT_OK);
        TEST_CHECK(ball.least <= known[i].radius && known[i].radius <= ball.radius,
                   "ball %zu: %.17g to %.17g", i, ball.least, ball.radius);
        TEST_CHECK(ball.radius - ball.least <= 1e-9 * ball.radius, "ball %zu: %.17g to %.17g", i, ball.least,
                   ball.radius);
        abut_shape_release(s.shape);
    }
    double evaluations = 0;
    const int count = (int)test_count(60);
    for (int i = 0; i < count; ++i) {
        test_random r = test_seed(7500u + (unsigned)i);
        cad_solid s = i % 2 ? cad_random_revolve(&r, i % 3 == 0) : cad_random_extrude(&r);
        abut_solid_ball ball;
        assert_int_equal(abut_solid_enclosing_ball(s.shape, &ball), ABUT_OK);
        TEST_CHECK(ball.radius - ball.least <= 1e-9 * ball.radius && ball.radius >= ball.least,
                   "seed %d: %.17g to %.17g", i, ball.least, ball.radius);
        abut_interval far;
        assert_int_equal(abut_solid_farthest(s.shape, ball.center, &far, NULL), ABUT_OK);
        TEST_CHECK(far.lo <= ball.radius, "seed %d: a point is outside", i);
        evaluations += (double)ball.evaluations / count;
        abut_shape_release(s.shape);
    }
    print_message("%.0f farthest distances a ball\n", evaluations);
}

/* Explicit solids on general quadrics and with intersection curves, too; no point of the body is outside. */
static void test_balls_of_classes(void **state)
{
    (void)state;
    const int count = (int)test_count(12);
    for (int i = 0; i < 3 * count; ++i) {
        test_random r = test_seed(7900u + (unsigned)i);
        cad_solid s = cad_random_solid((cad_class)(1 + i % 3), &r);
        abut_solid_ball ball;
        abut_solid_info info;
        assert_int_equal(abut_solid_enclosing_ball(s.shape, &ball), ABUT_OK);
        assert_int_equal(abut_solid_get_info(s.shape, &info), ABUT_OK);
        TEST_CHECK(ball.radius - ball.least <= 1e-9 * ball.radius + 2 * info.tolerance,
                   "seed %d: %.17g to %.17g", i, ball.least, ball.radius);
        const abut_aabb b = abut_shape_bounds(s.shape);
        for (int k = 0; k < 2000; ++k) {
            const double p[3] = { test_uniform(&r, -2.5, 2.5), test_uniform(&r, -2.5, 2.5),
                                  test_uniform(&r, -2.5, 2.5) };
            if (cad_value(&s.body, p) > 0)
                continue;
            const double away =
                hypot(hypot(p[0] - ball.center.x, p[1] - ball.center.y), p[2] - ball.center.z);
            TEST_CHECK(away <= ball.radius, "seed %d: a point is outside of the ball", i);
            TEST_CHECK(p[0] >= b.lo.x && p[0] <= b.hi.x && p[1] >= b.lo.y && p[1] <= b.hi.y &&
                           p[2] >= b.lo.z && p[2] <= b.hi.z,
                       "seed %d: (%a, %a, %a) is outside of the bounds", i, p[0], p[1], p[2]);
        }
        abut_shape_release(s.shape);
    }
}

static void test_boxes(void **state)
{
    (void)state;
    /* A brick turned by an angle that no start has. */
    const double c = cos(0.3), s = sin(0.3);
    cad_loop turned = { 4, { { 0 } } };
    const double corners[4][2] = { { -2, -1 }, { 2, -1 }, { 2, 1 }, { -2, 1 } };
    for (int i = 0; i < 4; ++i) {
        turned.corner[i][0] = c * corners[i][0] - s * corners[i][1];
        turned.corner[i][1] = s * corners[i][0] + c * corners[i][1];
    }
    cad_solid brick = cad_make_extrude(&turned, 1, 3);
    abut_solid_obb box;
    assert_non_null(brick.shape);
    assert_int_equal(abut_solid_enclosing_box(brick.shape, &box), ABUT_OK);
    TEST_NEAR(box.volume, 24, 1e-6, "volume");
    TEST_CHECK(box.volume >= 24 * (1 - 1e-12), "volume %.17g", box.volume);
    abut_shape_release(brick.shape);
    const int count = (int)test_count(8);
    for (int i = 0; i < count; ++i) {
        test_random r = test_seed(7800u + (unsigned)i);
        cad_solid a = i % 2 ? cad_random_revolve(&r, i % 3 == 0) : cad_random_extrude(&r);
        assert_int_equal(abut_solid_enclosing_box(a.shape, &box), ABUT_OK);
        const abut_aabb bounds = abut_shape_bounds(a.shape);
        const double plain =
            (bounds.hi.x - bounds.lo.x) * (bounds.hi.y - bounds.lo.y) * (bounds.hi.z - bounds.lo.z);
        TEST_CHECK(box.volume <= plain * (1 + 1e-6), "seed %d: %g, the axis-aligned box has %g", i,
                   box.volume, plain);
        const double half[3] = { box.half.x, box.half.y, box.half.z };
        for (int k = 0; k < 3; ++k) {
            abut_interval least, greatest;
            const abut_vec3 d = box.axis[k];
            const double middle = d.x * box.center.x + d.y * box.center.y + d.z * box.center.z;
            assert_int_equal(abut_solid_extent(a.shape, d, &least, &greatest), ABUT_OK);
            TEST_CHECK(middle - half[k] <= least.hi && greatest.lo <= middle + half[k],
                       "seed %d: axis %d is too short", i, k);
        }
        abut_shape_release(a.shape);
    }
}

/* The optimiser draws random numbers: from a fixed seed, so that answers can be compared. */
static void test_same_every_time(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 4; ++seed) {
        test_random r = test_seed(7900 + seed);
        cad_solid a = seed % 2 ? cad_random_revolve(&r, false) : cad_random_extrude(&r);
        abut_solid_ball ball, first_ball;
        abut_solid_obb box, first_box;
        for (int i = 0; i < 3; ++i) {
            assert_int_equal(abut_solid_enclosing_ball(a.shape, &ball), ABUT_OK);
            assert_int_equal(abut_solid_enclosing_box(a.shape, &box), ABUT_OK);
            if (i == 0) {
                first_ball = ball;
                first_box = box;
            }
            TEST_CHECK(ball.radius == first_ball.radius && ball.evaluations == first_ball.evaluations,
                       "seed %" PRIu64 ": %a, then %a", seed, first_ball.radius, ball.radius);
            TEST_CHECK(box.volume == first_box.volume && box.evaluations == first_box.evaluations,
                       "seed %" PRIu64 ": %a, then %a", seed, first_box.volume, box.volume);
        }
        abut_shape_release(a.shape);
    }
}

static void test_arguments(void **state)
{
    (void)state;
    abut_shape *ball;
    abut_solid_ball around;
    abut_solid_obb box;
    abut_interval x, y;
    assert_int_equal(abut_shape_create_sphere(1, NULL, &ball), ABUT_OK);
    assert_int_equal(abut_solid_enclosing_ball(ball, &around), ABUT_ERR_UNSUPPORTED);
    assert_int_equal(abut_solid_enclosing_box(ball, &box), ABUT_ERR_UNSUPPORTED);
    assert_int_equal(abut_solid_farthest(ball, (abut_vec3){ 0, 0, 0 }, &x, NULL), ABUT_ERR_UNSUPPORTED);
    assert_int_equal(abut_solid_extent(ball, (abut_vec3){ 0, 0, 0 }, &x, &y), ABUT_ERR_ARGUMENT);
    assert_int_equal(abut_solid_extent(NULL, (abut_vec3){ 0, 0, 1 }, &x, &y), ABUT_ERR_ARGUMENT);
    assert_int_equal(abut_solid_farthest(ball, (abut_vec3){ NAN, 0, 0 }, &x, NULL), ABUT_ERR_ARGUMENT);
    assert_int_equal(abut_solid_enclosing_ball(NULL, &around), ABUT_ERR_ARGUMENT);
    assert_int_equal(abut_solid_enclosing_box(ball, NULL), ABUT_ERR_ARGUMENT);
    abut_shape_release(ball);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_reach),     cmocka_unit_test(test_copies),
        cmocka_unit_test(test_balls),     cmocka_unit_test(test_balls_of_classes),
        cmocka_unit_test(test_boxes),     cmocka_unit_test(test_same_every_time),
        cmocka_unit_test(test_arguments),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
