/* SPDX-License-Identifier: MIT */
/* First contact of surface bodies that deform, by their expressions or by an affine motion, and
 * of poles. Referees are closed forms. */
#include "abut/query.h"
#include "support/test.h"

static const double turn = 6.283185307179586;

static abut_shape *parametric(const char *x, const char *y, const char *z, abut_interval u, abut_interval v,
                              bool wraps)
{
    abut_shape *shape = NULL;
    const abut_parametric_def def = {
        .x = x, .y = y, .z = z, .u = { u.lo, u.hi }, .v = { v.lo, v.hi }, .wrap_u = wraps
    };
    assert_int_equal(abut_shape_create_parametric(&def, NULL, &shape, NULL), ABUT_OK);
    return shape;
}

static abut_shape *ball(const char *x, const char *y, const char *z)
{
    return parametric(x, y, z, (abut_interval){ 0, turn }, (abut_interval){ -turn / 4, turn / 4 }, true);
}

static abut_shape *implicit(const char *f, double size)
{
    abut_shape *shape = NULL;
    const abut_aabb box = { { -size, -size, -size }, { size, size, size } };
    assert_int_equal(abut_shape_create_implicit(f, box, NULL, &shape, NULL), ABUT_OK);
    return shape;
}

static abut_first_result first(const abut_shape *a, const abut_motion *motion_a, const abut_shape *b,
                               const abut_motion *motion_b)
{
    abut_first_opts opts;
    abut_first_result out;
    abut_first_opts_init(&opts);
    opts.time = (abut_interval){ 0, 1 };
    assert_int_equal(abut_first_contact(a, motion_a, b, motion_b, &opts, NULL, &out), ABUT_OK);
    return out;
}

/* A sheet that bulges onto a flat one at rest meets it at 1/2, from above or from below; nothing
 * but the shape moves. */
static void normals_of_sheets_that_deform(void **state)
{
    (void)state;
    static const char *const ways[2] = { "1 - 2*t + (u^2 + v^2)/10", "2*t - 1 - (u^2 + v^2)/10" };
    const abut_interval wide = { -1, 1 }, narrow = { -0.5, 0.625 };
    abut_shape *const flat = parametric("u", "v", "0", wide, wide, false);
    for (int i = 0; i < 4; ++i) {
        const bool below = i & 1, swapped = i & 2;
        abut_shape *const bulge = parametric("u", "v", ways[below], narrow, narrow, false);
        const abut_first_result r = swapped ? first(bulge, NULL, flat, NULL) : first(flat, NULL, bulge, NULL);
        assert_int_equal(r.verdict, ABUT_FIRST_CONTACT);
        TEST_CHECK(r.time.lo <= 0.5 && 0.5 <= r.time.hi, "%d: [%a %a]", i, r.time.lo, r.time.hi);
        assert_int_equal(r.point_count, 1);
        TEST_NEAR(r.points[0].normal.z, below != swapped ? -1 : 1, 1e-9, "%d", i);
        abut_shape_release(bulge);
    }
    abut_shape_release(flat);
}

/* Who is inside whom is known however round they are about each other. */
static void one_about_the_other(void **state)
{
    (void)state;
    abut_shape *const grows = ball("(0.5+t)*cos(u)*cos(v)", "(0.5+t)*sin(u)*cos(v)", "(0.5+t)*sin(v)");
    abut_shape *const grows_too = implicit("x^2 + y^2 + z^2 - (0.5+t)^2", 1.625);
    abut_shape *const large = ball("3*cos(u)*cos(v)", "3*sin(u)*cos(v)", "3*sin(v)");
    abut_shape *const ring = implicit("(x^2 + y^2 + z^2 + 8)^2 - 36*(x^2 + y^2)", 4.125);
    TEST_CHECK(first(grows_too, NULL, large, NULL).verdict == ABUT_FIRST_OVERLAPPING, "a ball in a ball");
    TEST_CHECK(first(grows, NULL, ring, NULL).verdict == ABUT_FIRST_SEPARATE, "a ball in a ring");
    abut_shape_release(grows);
    abut_shape_release(grows_too);
    abut_shape_release(large);
    abut_shape_release(ring);
}

/* A ball in the hole of a ring is drawn out to three times its length along the axis; its waist
 * stays 1, the hole is 3/2 wide. */
static void a_stretch_through_a_hole(void **state)
{
    (void)state;
    const abut_affine matrices[2] = { { .linear = { { { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 } } } },
                                      { .linear = { { { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, 3 } } } } };
    abut_motion *stretch;
    abut_shape *torus, *sphere;
    assert_int_equal(abut_motion_create_affine(0, 1, matrices, 2, NULL, &stretch, NULL), ABUT_OK);
    assert_int_equal(abut_shape_create_torus(2, 0.5, NULL, &torus), ABUT_OK);
    assert_int_equal(abut_shape_create_sphere(1, NULL, &sphere), ABUT_OK);
    const abut_first_result r = first(sphere, stretch, torus, NULL);
    TEST_CHECK(r.verdict == ABUT_FIRST_SEPARATE, "%s", abut_first_verdict_name(r.verdict));
    TEST_CHECK(r.counters.iterations < 5000, "%llu", (unsigned long long)r.counters.iterations);
    abut_shape_release(torus);
    abut_shape_release(sphere);
    abut_motion_release(stretch);
}

/* One octant after the other, each with its pole: rows from the equator up. */
static abut_shape *ball_of_patches(void)
{
    const double s = 0.70710678118654757, corner[3][2] = { { 1, 0 }, { 1, 1 }, { 0, 1 } };
    /* radius, height, weight */
    const double rows[3][3] = { { 1, 0, 1 }, { 1, 1, s }, { 0, 1, 1 } };
    abut_vec3 points[8][9];
    double weights[8][9];
    abut_bezier_patch patches[8];
    for (int i = 0; i < 8; ++i) {
        const bool low = i >= 4;
        for (int k = 0; k < 9; ++k) {
            const int at = low ? 2 - k % 3 : k % 3;
            const double *const row = rows[k / 3];
            double x = corner[at][0], y = corner[at][1];
            for (int turns = i % 4; turns > 0; --turns) {
                const double before = x;
                x = -y;
                y = before;
            }
            points[i][k] = (abut_vec3){ row[0] * x, row[0] * y, low ? -row[1] : row[1] };
            weights[i][k] = row[2] * (at == 1 ? s : 1);
        }
        patches[i] =
            (abut_bezier_patch){ .degree_u = 2, .degree_v = 2, .points = points[i], .weights = weights[i] };
    }
    abut_shape *shape = NULL;
    assert_int_equal(abut_shape_create_bezier(patches, 8, NULL, &shape, NULL), ABUT_OK);
    return shape;
}

/* Two such balls meet with their poles, where the normals of the faces vanish and four edges of
 * each end. */
static void pole_on_pole(void **state)
{
    (void)state;
    abut_shape *const shape = ball_of_patches();
    const abut_placement from = { .position = { 0, 0, 5 } }, to = { .position = { 0, 0, 1 } };
    abut_motion *down;
    assert_int_equal(abut_motion_create_linear(0, 1, &from, &to, NULL, &down, NULL), ABUT_OK);
    for (int swapped = 0; swapped < 2; ++swapped) {
        const abut_first_result r =
            swapped ? first(shape, down, shape, NULL) : first(shape, NULL, shape, down);
        assert_int_equal(r.verdict, ABUT_FIRST_CONTACT);
        TEST_CHECK(r.time.lo <= 0.75 && 0.75 <= r.time.hi, "[%a %a]", r.time.lo, r.time.hi);
        for (size_t i = 0; i < r.point_count; ++i)
            TEST_NEAR(r.points[i].normal.z, swapped ? -1 : 1, 1e-6, "point %zu", i);
    }
    abut_shape_release(shape);
    abut_motion_release(down);
}

/* Balls of patches, and one of a single face with poles, that cross at the start: edges of one
 * run through faces of the other. */
static void crossing_at_the_start(void **state)
{
    (void)state;
    abut_shape *const patches = ball_of_patches(), *const whole =
                                                       ball("cos(u)*cos(v)", "sin(u)*cos(v)", "sin(v)");
    for (size_t seed = 0; seed < test_count(40); ++seed) {
        test_random r = test_seed(seed + 700);
        const double z = test_uniform(&r, -1, 1), angle = test_uniform(&r, 0, turn),
                     far = test_uniform(&r, 0.3, 1.8);
        const double flat = sqrt(1 - z * z);
        const abut_placement from = { .position = { far * flat * cos(angle), far * flat * sin(angle),
                                                    far * z } };
        const abut_placement to = { .position = { -2 * far * flat * cos(angle), -far * flat * sin(angle),
                                                  -far * z } };
        abut_motion *motion;
        assert_int_equal(abut_motion_create_linear(0, 1, &from, &to, NULL, &motion, NULL), ABUT_OK);
        const abut_shape *const others[2] = { patches, whole };
        for (int i = 0; i < 3; ++i) {
            const abut_first_result found = first(i == 2 ? whole : patches, NULL, others[i == 1], motion);
            TEST_CHECK(found.verdict == ABUT_FIRST_OVERLAPPING, "seed %zu, %d: %s at [%a %a]", seed, i,
                       abut_first_verdict_name(found.verdict), found.time.lo, found.time.hi);
        }
        abut_motion_release(motion);
    }
    abut_shape_release(patches);
    abut_shape_release(whole);
}

/* A ball of radius 1/2 drawn out to 1 along z, at rest, and another of 1/2: which start apart,
 * crossing or one in the other is a matter of z. */
static void stretched_at_the_start(void **state)
{
    (void)state;
    static const struct {
        double z;
        abut_first_verdict verdict;
    } cases[] = { { 0.1, ABUT_FIRST_OVERLAPPING },
                  { 1.2, ABUT_FIRST_OVERLAPPING },
                  { -1.4, ABUT_FIRST_OVERLAPPING },
                  { 1.75, ABUT_FIRST_CONTACT } };
    const abut_affine longer = { .linear = { { { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, 2 } } } };
    const abut_affine matrices[2] = { longer, longer };
    abut_shape *const shapes[2] = { ball("cos(u)*cos(v)/2", "sin(u)*cos(v)/2", "sin(v)/2"),
                                    implicit("x^2 + y^2 + z^2 - 0.25", 0.625) };
    abut_motion *stretch, *down;
    assert_int_equal(abut_motion_create_affine(0, 1, matrices, 2, NULL, &stretch, NULL), ABUT_OK);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i)
        for (int j = 0; j < 4; ++j) {
            const abut_placement from = { .position = { 0.03125, 0, cases[i].z } },
                                 to = { .position = { 0.03125, 0, 0.25 } };
            assert_int_equal(abut_motion_create_linear(0, 1, &from, &to, NULL, &down, NULL), ABUT_OK);
            const abut_first_result r = first(shapes[j & 1], stretch, shapes[j >> 1], down);
            TEST_CHECK(r.verdict == cases[i].verdict, "case %zu, %d: %s", i, j,
                       abut_first_verdict_name(r.verdict));
            abut_motion_release(down);
        }
    for (int i = 0; i < 2; ++i)
        abut_shape_release(shapes[i]);
    abut_motion_release(stretch);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(normals_of_sheets_that_deform), cmocka_unit_test(one_about_the_other),
        cmocka_unit_test(a_stretch_through_a_hole),      cmocka_unit_test(pole_on_pole),
        cmocka_unit_test(crossing_at_the_start),         cmocka_unit_test(stretched_at_the_start),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
