/* SPDX-License-Identifier: MIT */
/* Volume and area of explicit solids with faces on general quadrics, and of closed intersection edges: closed
 * forms of the cases' generator, and integrals over the plane. */
#include "abut/solid.h"
#include "math/vec3.h"
#include "oracle/cad_cases.h"

/* Class 1: affine images of bodies of revolution with rho^2 = q0 + q1 z + q2 z^2. */
static void test_quadrics(void **state)
{
    (void)state;
    const int count = (int)test_count(60);
    for (int i = 0; i < count; ++i) {
        test_random r = test_seed(8100u + (unsigned)i);
        cad_solid s = cad_random_solid(CAD_CLASS_1, &r);
        const cad_segment *g = &s.body.segment;
        const double(*m)[3] = (const double(*)[3])s.body.inverse;
        const double det = m[0][0] * (m[1][1] * m[2][2] - m[1][2] * m[2][1]) -
                           m[0][1] * (m[1][0] * m[2][2] - m[1][2] * m[2][0]) +
                           m[0][2] * (m[1][0] * m[2][1] - m[1][1] * m[2][0]);
        const double a = g->z0, b = g->z1;
        const double known =
            CAD_PI * (g->q0 * (b - a) + g->q1 * (b * b - a * a) / 2 + g->q2 * (b * b * b - a * a * a) / 3) /
            fabs(det);
        abut_solid_info info;
        assert_int_equal(abut_solid_get_info(s.shape, &info), ABUT_OK);
        TEST_CHECK(info.volume.lo <= known && known <= info.volume.hi &&
                       info.volume.hi - info.volume.lo <= 1e-4 * known,
                   "seed %d: volume %.17g to %.17g, known %.17g", i, info.volume.lo, info.volume.hi, known);
        TEST_CHECK(info.area.lo <= info.area.hi, "seed %d: area %g to %g", i, info.area.lo, info.area.hi);
        abut_shape_release(s.shape);
    }
}

static void test_whole_ellipsoid(void **state)
{
    (void)state;
    const abut_solid_surface surface = {
        .kind = ABUT_SOLID_QUADRIC,
        .matrix = { { 0.25, 0, 0, 0 }, { 0, 1, 0, 0 }, { 0, 0, 4, 0 }, { 0, 0, 0, -1 } }
    };
    const abut_solid_face face = { .surface = 0, .outward = 1 };
    const abut_solid_def def = { .surfaces = &surface, .surface_count = 1, .faces = &face, .face_count = 1 };
    abut_shape *shape;
    abut_solid_info info;
    assert_int_equal(abut_shape_create_solid(&def, NULL, &shape, NULL), ABUT_OK);
    assert_int_equal(abut_solid_get_info(shape, &info), ABUT_OK);
    const double known = 4 * CAD_PI / 3;
    TEST_CHECK(info.volume.lo <= known && known <= info.volume.hi && info.volume.hi - info.volume.lo < 1e-9,
               "%.17g to %.17g", info.volume.lo, info.volume.hi);
    /* 14.6 of radii 2, 1 and 0.5 */
    TEST_CHECK(info.area.lo < 14.6 && info.area.hi > 14.6, "%g to %g", info.area.lo, info.area.hi);
    abut_shape_release(shape);
}

/* A ball with a hole beside its centre, whose rims are whole intersection curves with one vertex each. */
static void test_drilled_ball(void **state)
{
    (void)state;
    for (int i = 0; i < 4; ++i) {
        const double off = 0.05 + 0.15 * i, radius = 0.3, x = off + radius, y = off - radius;
        const double z = sqrt(1 - x * x), w = sqrt(1 - y * y);
        const abut_solid_surface surfaces[2] = {
            { .kind = ABUT_SOLID_SPHERE, .radius = 1 },
            { .kind = ABUT_SOLID_CYLINDER, .point = { off, 0, 0 }, .axis = { 0, 0, 1 }, .radius = radius }
        };
        const abut_vec3 vertices[2] = { { x, 0, z }, { x, 0, -z } };
        const abut_solid_edge edges[2] = { { .kind = ABUT_SOLID_EDGE_INTERSECTION,
                                             .from = 0,
                                             .to = 0,
                                             .surfaces = { 0, 1 },
                                             .through = { y, 0, w } },
                                           { .kind = ABUT_SOLID_EDGE_INTERSECTION,
                                             .from = 1,
                                             .to = 1,
                                             .surfaces = { 0, 1 },
                                             .through = { y, 0, -w } } };
        const abut_solid_coedge uses[4] = { { 0, -1 }, { 1, -1 }, { 0, 1 }, { 1, 1 } };
        const abut_solid_loop loops[4] = {
            { &uses[0], 1 }, { &uses[1], 1 }, { &uses[2], 1 }, { &uses[3], 1 }
        };
        const abut_solid_face faces[2] = { { 0, 1, loops, 2 }, { 1, -1, loops + 2, 2 } };
        const abut_solid_def def = { surfaces, 2, vertices, 2, edges, 2, faces, 2, 0 };
        abut_shape *shape;
        abut_error error;
        abut_solid_info info;
        TEST_CHECK(abut_shape_create_solid(&def, NULL, &shape, &error) == ABUT_OK, "%s", error.text);
        assert_int_equal(abut_solid_get_info(shape, &info), ABUT_OK);
        double hole = 0;
        enum { TURNS = 400, RINGS = 400 };
        for (int t = 0; t < TURNS; ++t)
            for (int k = 0; k < RINGS; ++k) {
                const double angle = 2 * CAD_PI * (t + 0.5) / TURNS, rho = radius * (k + 0.5) / RINGS;
                const double u = off + rho * cos(angle), v = rho * sin(angle);
                hole += 2 * sqrt(1 - u * u - v * v) * rho * (radius / RINGS) * (2 * CAD_PI / TURNS);
            }
        const double known = 4 * CAD_PI / 3 - hole;
        TEST_CHECK(info.volume.lo <= known + 1e-6 && known - 1e-6 <= info.volume.hi &&
                       info.volume.hi - info.volume.lo < 1e-5,
                   "hole at %g: volume %.17g to %.17g, known %.17g", off, info.volume.lo, info.volume.hi,
                   known);
        abut_shape_release(shape);
        /* A closed curve needs a point besides its vertex. */
        abut_solid_edge same[2] = { edges[0], edges[1] };
        same[0].through = vertices[0];
        abut_solid_def bad = def;
        bad.edges = same;
        assert_int_not_equal(abut_shape_create_solid(&bad, NULL, &shape, &error), ABUT_OK);
        TEST_CHECK(strstr(error.text, "edge 0"), "%s", error.text);
    }
}

/* A sector of a ring between two half-planes through its axis. Each of its two circles is two edges, whose
 * vertices may be on the inner equator, where the angle around the tube jumps: rounding puts ends on either side. */
static void test_sector_of_ring(void **state)
{
    (void)state;
    const int count = (int)test_count(200);
    for (int i = 0; i < count; ++i) {
        test_random r = test_seed(8300u + (unsigned)i);
        const double R = test_uniform(&r, 1, 2), tube = test_uniform(&r, 0.2, 0.7),
                     turn = test_uniform(&r, 0.4, 2.8);
        const double angle = i % 2 ? CAD_PI : test_uniform(&r, 0, CAD_PI);
        const abut_vec3 tilt =
            abut_v3(test_uniform(&r, -1, 1), test_uniform(&r, -1, 1), test_uniform(&r, 0.1, 1));
        const abut_mat3 frame = abut_quat_to_mat3(abut_quat_from_axis_angle(tilt, test_uniform(&r, 0, 6)));
        const abut_vec3 z = abut_mul(&frame, abut_v3(0, 0, 1));
        abut_vec3 vertices[4], normal[2];
        abut_solid_edge edges[4];
        for (int k = 0; k < 4; ++k) {
            const double a = k / 2 * turn, t = angle + k % 2 * CAD_PI;
            const abut_vec3 out = abut_mul(&frame, abut_v3(cos(a), sin(a), 0));
            normal[k / 2] = abut_mul(&frame, abut_v3(-sin(a), cos(a), 0));
            vertices[k] = abut_madd(abut_scale(R + tube * cos(t), out), tube * sin(t), z);
            edges[k] = (abut_solid_edge){ .kind = ABUT_SOLID_EDGE_CIRCLE,
                                          .from = (uint32_t)k,
                                          .to = (uint32_t)(k ^ 1),
                                          .center = abut_scale(R, out),
                                          .axis = normal[k / 2] };
        }
        const abut_solid_surface surfaces[3] = {
            { .kind = ABUT_SOLID_TORUS, .axis = z, .radius = R, .minor = tube },
            { .kind = ABUT_SOLID_PLANE, .axis = normal[0] },
            { .kind = ABUT_SOLID_PLANE, .axis = normal[1] }
        };
        const abut_solid_coedge uses[8] = { { 0, 1 },  { 1, 1 },  { 3, -1 }, { 2, -1 },
                                            { 1, -1 }, { 0, -1 }, { 2, 1 },  { 3, 1 } };
        const abut_solid_loop loops[4] = { { uses, 2 }, { uses + 2, 2 }, { uses + 4, 2 }, { uses + 6, 2 } };
        const abut_solid_face faces[3] = { { 0, 1, loops, 2 },
                                           { 1, -1, loops + 2, 1 },
                                           { 2, 1, loops + 3, 1 } };
        const abut_solid_def def = { surfaces, 3, vertices, 4, edges, 4, faces, 3, 0 };
        abut_shape *shape = NULL;
        abut_error error;
        abut_solid_info info;
        TEST_CHECK(abut_shape_create_solid(&def, NULL, &shape, &error) == ABUT_OK, "seed %d: %s", i,
                   error.text);
        assert_int_equal(abut_solid_get_info(shape, &info), ABUT_OK);
        const double volume = turn * R * CAD_PI * tube * tube;
        const double area = turn * R * 2 * CAD_PI * tube + 2 * CAD_PI * tube * tube;
        TEST_CHECK(info.volume.lo <= volume && volume <= info.volume.hi &&
                       info.volume.hi - info.volume.lo < 1e-5,
                   "seed %d: volume %.17g to %.17g, known %.17g", i, info.volume.lo, info.volume.hi, volume);
        TEST_CHECK(info.area.lo <= area && area <= info.area.hi && info.area.hi - info.area.lo < 1e-5,
                   "seed %d: area %.17g to %.17g, known %.17g", i, info.area.lo, info.area.hi, area);
        abut_shape_release(shape);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_quadrics),
        cmocka_unit_test(test_whole_ellipsoid),
        cmocka_unit_test(test_drilled_ball),
        cmocka_unit_test(test_sector_of_ring),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
