/* SPDX-License-Identifier: MIT */
/* Depths of bodies of revolution about one line, or nearly so, held against a search over one
 * angle in long double: the least ones are a ring, which was up to a third of the depth wide
 * once. */
#include "abut/abut.h"
#include "support/places.h"
#include "support/test.h"

enum kind { BALL, CAPSULE, CYLINDER, CONE, SPHEROID, EVEN, KINDS };

typedef struct body {
    enum kind kind;
    double r, h; /* across the line, and half along it */
    double ball; /* swept by */
    int axis;    /* of its own frame */
    bool down;   /* its axis points down the line */
    abut_shape *shape;
} body;

static void make(test_random *r, body *b)
{
    *b = (body){ .kind = (enum kind)test_below(r, KINDS),
                 .r = test_uniform(r, 0.2, 1.5),
                 .h = test_uniform(r, 0.2, 1.5),
                 .axis = 2,
                 .down = test_below(r, 2) != 0 };
    if (test_below(r, 4) == 0)
        b->h = b->r * (1 + test_uniform(r, -1, 1) * exp2(test_uniform(r, -40, 0)));
    if (test_below(r, 4) == 0) {
        /* small numbers, for depths that are the same along several ways */
        b->r = 0.5 * (1 + (double)test_below(r, 4));
        b->h = 0.5 * (1 + (double)test_below(r, 4));
    }
    abut_status status = ABUT_OK;
    switch (b->kind) {
    case BALL: status = abut_shape_create_sphere(b->r, NULL, &b->shape); break;
    case CAPSULE: status = abut_shape_create_capsule(b->r, 2 * b->h, NULL, &b->shape); break;
    case CYLINDER: status = abut_shape_create_cylinder(b->r, 2 * b->h, NULL, &b->shape); break;
    case CONE: status = abut_shape_create_cone(b->r, 2 * b->h, NULL, &b->shape); break;
    case EVEN: b->h = b->r; /* fall through */
    default: {
        b->axis = (int)test_below(r, 3);
        const double h[3] = { b->axis == 0 ? b->h : b->r, b->axis == 1 ? b->h : b->r,
                              b->axis == 2 ? b->h : b->r };
        status = abut_shape_create_ellipsoid((abut_vec3){ h[0], h[1], h[2] }, NULL, &b->shape);
    }
    }
    assert_int_equal(status, ABUT_OK);
    b->ball = b->kind == BALL || b->kind == CAPSULE ? b->r : 0;
    if (test_below(r, 6) == 0) {
        abut_shape *of = b->shape;
        const double margin = test_uniform(r, 0.01, 0.5);
        assert_int_equal(abut_shape_create_swept(of, margin, NULL, &b->shape, NULL), ABUT_OK);
        abut_shape_release(of);
        b->ball += margin;
    }
}

/* The support function, of a direction with these parts away from the line and along it. */
static long double support(const body *b, long double s, long double c)
{
    const long double r = b->r, h = b->h, z = b->down ? -c : c;
    switch (b->kind) {
    case BALL: return b->ball;
    case CAPSULE: return h * fabsl(z) + b->ball;
    case CYLINDER: return r * s + h * fabsl(z) + b->ball;
    case CONE: return fmaxl(h * z, r * s - h * z) + b->ball;
    default: return sqrtl(r * r * s * s + h * h * z * z) + b->ball;
    }
}

/* By how much b, z up the line, is to be moved at that angle from a. */
static long double depth_at(const body *a, const body *b, long double z, long double angle)
{
    const long double s = sinl(angle), c = cosl(angle);
    return support(a, s, -c) + support(b, s, c) + z * c;
}

static long double least_depth(const body *a, const body *b, long double z)
{
    enum { STEPS = 300 };
    const long double pi = 3.14159265358979323846264338327950288L, step = pi / STEPS;
    long double least = HUGE_VALL, values[STEPS + 1];
    for (int i = 0; i <= STEPS; ++i)
        values[i] = depth_at(a, b, z, i * step);
    for (int i = 0; i <= STEPS; ++i) {
        if ((i > 0 && values[i - 1] < values[i]) || (i < STEPS && values[i + 1] < values[i]))
            continue;
        long double lo = i > 0 ? (i - 1) * step : 0, hi = i < STEPS ? (i + 1) * step : pi;
        for (int j = 0; j < 110; ++j) { /* thirds */
            const long double p = lo + (hi - lo) / 3, q = hi - (hi - lo) / 3;
            if (depth_at(a, b, z, p) < depth_at(a, b, z, q))
                hi = q;
            else
                lo = p;
        }
        least = fminl(least, depth_at(a, b, z, (lo + hi) / 2));
    }
    return least;
}

/* Takes the frame's axis to the line, which is z, up or down, with any turn about it. */
static abut_quat stand(const body *b, double turn)
{
    static const double half = 0.70710678118654752440;
    const abut_quat to_z = b->axis == 0   ? (abut_quat){ half, 0, -half, 0 }
                           : b->axis == 1 ? (abut_quat){ half, half, 0, 0 }
                                          : (abut_quat){ 1, 0, 0, 0 },
                    over = b->down ? (abut_quat){ 0, 1, 0, 0 } : (abut_quat){ 1, 0, 0, 0 },
                    about = { cos(turn), 0, 0, sin(turn) };
    return quat_product(about, quat_product(over, to_z));
}

static void ask(uint64_t seed, double off)
{
    test_random r = test_seed(seed + 91000000);
    body a, b;
    make(&r, &a);
    make(&r, &b);
    const double room = 0.9 * (double)(support(&a, 0, 1) + support(&b, 0, 1));
    double z = test_uniform(&r, -room, room);
    if (test_below(&r, 4) == 0)
        z = 0;
    if (test_below(&r, 4) == 0)
        z = 0.5 * ((double)test_below(&r, 5) - 2);
    const bool exact = test_below(&r, 3) == 0;
    const abut_quat all = exact ? (abut_quat){ 1, 0, 0, 0 } : random_quat(&r);
    const abut_vec3 way = abut_pose_apply((abut_pose){ { 0, 0, 0 }, all }, v3(0, 0, 1));
    const abut_quat tilt = { 1, off * test_uniform(&r, -0.1, 0.1), off * test_uniform(&r, -0.1, 0.1), 0 };
    const abut_vec3 beside = random_vec3(&r, 0.1 * off);
    const abut_pose at_a = { { 0, 0, 0 }, quat_product(all, stand(&a, exact ? 0 : test_uniform(&r, 0, 3))) },
                    at_b = { { z * way.x + beside.x, z * way.y + beside.y, z * way.z + beside.z },
                             quat_product(quat_product(tilt, all),
                                          stand(&b, exact ? 0 : test_uniform(&r, 0, 3))) };
    const long double truth = least_depth(&a, &b, z);
    abut_check_result c;
    assert_int_equal(abut_check(a.shape, &at_a, b.shape, &at_b, NULL, NULL, &c), ABUT_OK);
    if (truth > 1e-6L) {
        const double size = a.r + a.h + b.r + b.h, slack = 1e-14 * size + off * size;
        TEST_CHECK(c.verdict == ABUT_PENETRATING && c.has_depth, "seed %" PRIu64 ": %s", seed,
                   abut_verdict_name(c.verdict));
        TEST_CHECK(c.depth.lo <= truth + slack && truth - slack <= c.depth.hi,
                   "seed %" PRIu64 ": [%.17g, %.17g], truth %.20Lg, kinds %d %d", seed, c.depth.lo,
                   c.depth.hi, truth, a.kind, b.kind);
        TEST_CHECK(c.depth.hi - c.depth.lo <= 1e-9 * c.depth.hi + 1e-12 * size + 2 * slack,
                   "seed %" PRIu64 ": [%.17g, %.17g] is %g wide, kinds %d %d", seed, c.depth.lo, c.depth.hi,
                   c.depth.hi - c.depth.lo, a.kind, b.kind);
        TEST_CHECK(c.counters.evaluations <= 200, "seed %" PRIu64 ": %" PRIu64, seed, c.counters.evaluations);
    }
    abut_shape_release(a.shape);
    abut_shape_release(b.shape);
}

static void rings_about_one_line(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < test_count(2000); ++seed)
        ask(seed, 0);
}

static void rings_about_nearly_one_line(void **state)
{
    (void)state;
    static const double offs[] = { 1e-15, 1e-12, 1e-9, 1e-7, 1e-6, 1e-5 };
    for (uint64_t seed = 0; seed < test_count(2000); ++seed)
        ask(seed + 1000000, offs[seed % 6]);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(rings_about_one_line),
                                        cmocka_unit_test(rings_about_nearly_one_line) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
