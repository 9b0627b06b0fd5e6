/* SPDX-License-Identifier: MIT */
/* Where bodies that translate meet first: each point is on both at that time, and so are those
 * of every method. Judged by the distance of the point as a body of its own, which has referees
 * elsewhere. */
#include "support/test.h"

#include <abut/abut.h>

enum { POINTS = 8 };

static abut_vec3 any_point(test_random *r, double size)
{
    return (abut_vec3){ test_uniform(r, -size, size), test_uniform(r, -size, size),
                        test_uniform(r, -size, size) };
}

/* Quarters, so that corners, edges and faces meet at once now and then. */
static abut_vec3 lattice_point(test_random *r, int size)
{
    const unsigned n = 8 * (unsigned)size + 1;
    return (abut_vec3){ 0.25 * test_below(r, n) - size, 0.25 * test_below(r, n) - size,
                        0.25 * test_below(r, n) - size };
}

static abut_shape *make_shape(test_random *r, bool lattice)
{
    abut_shape *shape = NULL;
    abut_status status;
    abut_vec3 p[POINTS];
    const unsigned kind = test_below(r, 9), count = kind < 3 ? 1 + kind : 4 + test_below(r, POINTS - 3);
    for (unsigned i = 0; i < POINTS; ++i)
        p[i] = lattice ? lattice_point(r, 2) : any_point(r, 1.5);
    const abut_vec3 half = { 0.25 + fabs(p[0].x), 0.25 + fabs(p[0].y), 0.25 + fabs(p[0].z) };
    switch (kind) {
    case 4: status = abut_shape_create_box(half, NULL, &shape); break;
    case 5: status = abut_shape_create_cylinder(half.x, half.y, NULL, &shape); break;
    case 6: status = abut_shape_create_cone(half.x, half.y, NULL, &shape); break;
    case 7: status = abut_shape_create_capsule(half.x, half.y, NULL, &shape); break;
    case 8: status = abut_shape_create_ellipsoid(half, NULL, &shape); break;
    default: status = abut_shape_create_convex(p, count, 0, NULL, &shape, NULL);
    }
    assert_int_equal(status, ABUT_OK);
    return shape;
}

static abut_motion *make_motion(test_random *r, bool lattice)
{
    abut_placement from = { .position = lattice ? lattice_point(r, 4) : any_point(r, 4) };
    if (!lattice)
        from.rotation = (abut_rotation){ .kind = ABUT_ROTATION_QUATERNION,
                                         .quaternion = { test_uniform(r, 0.1, 1), test_uniform(r, -1, 1),
                                                         test_uniform(r, -1, 1), test_uniform(r, -1, 1) } };
    abut_placement to = from;
    to.position = lattice ? lattice_point(r, 4) : any_point(r, 4);
    abut_motion *motion;
    assert_int_equal(abut_motion_create_linear(0, 1, &from, &to, NULL, &motion, NULL), ABUT_OK);
    return motion;
}

static double off(const abut_shape *shape, const abut_motion *motion, double t, abut_vec3 p)
{
    abut_shape *point;
    abut_check_result c;
    assert_int_equal(abut_shape_create_point((abut_vec3){ 0, 0, 0 }, 0, NULL, &point, NULL), ABUT_OK);
    const abut_placement at = { .position = p };
    abut_motion *still;
    assert_int_equal(abut_motion_create_static(&at, NULL, &still, NULL), ABUT_OK);
    assert_int_equal(abut_check_at(shape, motion, point, still, t, NULL, NULL, &c), ABUT_OK);
    abut_motion_release(still);
    abut_shape_release(point);
    return c.distance.lo;
}

static void points_are_on_both(void **state)
{
    (void)state;
    static const abut_first_method methods[] = { ABUT_METHOD_AUTO, ABUT_METHOD_RAYCAST,
                                                 ABUT_METHOD_ADVANCEMENT };
    const uint64_t cases = test_count(12000);
    /* What is reported of a place is where the bodies are within rounding of each other: on round
     * ones that leaves the root of it, 1e-7. */
    static const double close = 3e-6;
    uint64_t contacts = 0;
    for (uint64_t seed = 0; seed < cases; ++seed) {
        test_random r = test_seed(seed);
        const bool lattice = test_below(&r, 2);
        abut_shape *const a = make_shape(&r, lattice), *const b = make_shape(&r, lattice);
        abut_motion *const by_a = make_motion(&r, lattice), *const by_b = make_motion(&r, lattice);
        for (int m = 0; m < 3; ++m) {
            abut_first_opts opts;
            abut_first_result out;
            abut_first_opts_init(&opts);
            opts.method = methods[m];
            assert_int_equal(abut_first_contact(a, by_a, b, by_b, &opts, NULL, &out), ABUT_OK);
            /* Bodies that slide along each other may be known to meet long before it is known
             * when. */
            if (out.verdict != ABUT_FIRST_CONTACT || out.time.hi - out.time.lo > 1e-9)
                continue;
            ++contacts;
            for (size_t i = 0; i < out.point_count && i < ABUT_FIRST_CONTACTS; ++i) {
                const double t = 0.5 * out.time.lo + 0.5 * out.time.hi;
                const double from_a = off(a, by_a, t, out.points[i].point),
                             from_b = off(b, by_b, t, out.points[i].point);
                TEST_CHECK(from_a < close && from_b < close,
                           "seed %" PRIu64 " method %d point %zu of %zu: %g and %g off", seed, m, i,
                           out.point_count, from_a, from_b);
            }
        }
        abut_motion_release(by_a);
        abut_motion_release(by_b);
        abut_shape_release(a);
        abut_shape_release(b);
    }
    assert_true(cases < 1000 || contacts > cases / 4);
}

/* What lands on the top of a cube touches its face, on a diagonal of it as anywhere else; only
 * beside the border it is an edge. */
static void diagonals_are_no_edges(void **state)
{
    (void)state;
    static const double at[][2] = { { 0, 0 }, { 0.5, 0.5 }, { -0.25, 0.25 }, { 0.3, 0.2 }, { 1, 0 } };
    const abut_vec3 tip[4] = { { 0, 0, 0 }, { 1, 0, 1 }, { -1, 1, 1 }, { -1, -1, 1 } };
    abut_vec3 corner[8];
    for (int i = 0; i < 8; ++i)
        corner[i] = (abut_vec3){ i & 1 ? 1 : -1, i & 2 ? 1 : -1, i & 4 ? 1 : -1 };
    abut_shape *cubes[2], *falling[3];
    assert_int_equal(abut_shape_create_box((abut_vec3){ 1, 1, 1 }, NULL, &cubes[0]), ABUT_OK);
    assert_int_equal(abut_shape_create_convex(corner, 8, 0, NULL, &cubes[1], NULL), ABUT_OK);
    assert_int_equal(abut_shape_create_capsule(0.5, 1, NULL, &falling[0]), ABUT_OK);
    assert_int_equal(abut_shape_create_point((abut_vec3){ 0, 0, 0 }, 0, NULL, &falling[1], NULL), ABUT_OK);
    assert_int_equal(abut_shape_create_convex(tip, 4, 0, NULL, &falling[2], NULL), ABUT_OK);
    for (int i = 0; i < 2 * 3 * 5 * 2; ++i) {
        const int cube = i % 2, body = i / 2 % 3, place = i / 6 % 5, spin = i / 30;
        if (spin && place == 4)
            continue;
        const abut_placement from = { .position = { at[place][0], at[place][1], 5 } };
        abut_motion *fall;
        assert_int_equal(abut_motion_create_velocity(0, 1, &from, (abut_vec3){ 0, 0, -5 },
                                                     (abut_vec3){ 0, 0, spin }, NULL, &fall, NULL),
                         ABUT_OK);
        for (int method = ABUT_METHOD_AUTO; method <= (spin ? ABUT_METHOD_ADVANCEMENT : ABUT_METHOD_BRENT);
             ++method) {
            abut_first_opts opts;
            abut_first_result out;
            abut_first_opts_init(&opts);
            opts.method = (abut_first_method)method;
            assert_int_equal(abut_first_contact(cubes[cube], NULL, falling[body], fall, &opts, NULL, &out),
                             ABUT_OK);
            TEST_CHECK(out.verdict == ABUT_FIRST_CONTACT && out.point_count == 1, "case %d method %d", i,
                       method);
            TEST_CHECK(out.points[0].features[0] == (place == 4 ? ABUT_FEATURE_EDGE : ABUT_FEATURE_FACE),
                       "case %d method %d: %s", i, method, abut_feature_name(out.points[0].features[0]));
        }
        abut_motion_release(fall);
    }
    for (int i = 0; i < 2; ++i)
        abut_shape_release(cubes[i]);
    for (int i = 0; i < 3; ++i)
        abut_shape_release(falling[i]);
}

/* An ellipsoid that falls on a floor touches it in a point of the floor, however small it is. */
static void points_of_extreme_sizes(void **state)
{
    (void)state;
    abut_shape *floor;
    assert_int_equal(abut_shape_create_halfspace((abut_vec3){ 0, 0, 1 }, 0, NULL, &floor), ABUT_OK);
    for (int exponent = -280; exponent <= 140; exponent += 20) {
        const double size = pow(10, exponent);
        abut_placement from = { .position = { 0, 0, 4 * size },
                                .rotation = { .kind = ABUT_ROTATION_QUATERNION,
                                              .quaternion = { 0.8, 0.6, 0, 0 } } };
        abut_placement to = from;
        to.position = (abut_vec3){ size, 0, -4 * size };
        abut_shape *body;
        abut_motion *fall;
        abut_first_result out;
        assert_int_equal(abut_shape_create_ellipsoid((abut_vec3){ size, 2 * size, 0.5 * size }, NULL, &body),
                         ABUT_OK);
        assert_int_equal(abut_motion_create_linear(0, 1, &from, &to, NULL, &fall, NULL), ABUT_OK);
        for (int way = 0; way < 2; ++way) {
            abut_first_opts opts;
            abut_first_opts_init(&opts);
            opts.method = way ? ABUT_METHOD_ADVANCEMENT : ABUT_METHOD_AUTO;
            assert_int_equal(abut_first_contact(body, fall, floor, NULL, &opts, NULL, &out), ABUT_OK);
            TEST_CHECK(out.verdict == ABUT_FIRST_CONTACT, "size %g: no contact", size);
            /* The highest and lowest point of h = (1, 2, 1/2) turned about x: y = (h_y^2 -
             * h_z^2) sin cos / height. */
            const double sine = 0.96, cosine = 0.28;
            const double height = sqrt(4 * sine * sine + 0.25 * cosine * cosine);
            const double t = (4 - height) / 8, y = -(4 - 0.25) * sine * cosine / height;
            TEST_NEAR(out.time.lo, t, 1e-12, "size %g: time", size);
            for (size_t i = 0; i < out.point_count; ++i) {
                const abut_vec3 p = out.points[i].point;
                TEST_NEAR(p.x / size, t, 1e-10, "size %g: x", size);
                TEST_NEAR(p.y / size, y, 1e-10, "size %g: y", size);
                TEST_NEAR(p.z / size, 0, 1e-10, "size %g: z", size);
            }
        }
        abut_motion_release(fall);
        abut_shape_release(body);
    }
    abut_shape_release(floor);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(points_are_on_both),
                                        cmocka_unit_test(diagonals_are_no_edges),
                                        cmocka_unit_test(points_of_extreme_sizes) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
