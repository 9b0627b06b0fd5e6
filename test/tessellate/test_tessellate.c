/* SPDX-License-Identifier: MIT */
/* Triangles for pictures, judged by closed forms: volumes, points on surfaces, and that solids come out
 * closed and turned outward. */
#include "abut/tessellate.h"

#include "abut/motion.h"
#include "abut/solid.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "support/failing_allocator.h"
#include "support/test.h"

static const double pi = 3.14159265358979323846;

static abut_vec3 corner(const abut_tessellation *t, size_t triangle, int k)
{
    return t->vertices[t->triangles[3 * triangle + (size_t)k]];
}

/* Sum of the tetrahedra over the triangles: the volume of what they enclose. */
static double volume_of(const abut_tessellation *t)
{
    double sum = 0;
    for (size_t i = 0; i < t->triangle_count; ++i) {
        const abut_vec3 a = corner(t, i, 0), b = corner(t, i, 1), c = corner(t, i, 2);
        sum += a.x * (b.y * c.z - b.z * c.y) + a.y * (b.z * c.x - b.x * c.z) + a.z * (b.x * c.y - b.y * c.x);
    }
    return sum / 6;
}

/* Of a closed surface the areas of all triangles, as vectors, add up to nothing. */
static double open_area(const abut_tessellation *t, double *area)
{
    double s[3] = { 0, 0, 0 };
    *area = 0;
    for (size_t i = 0; i < t->triangle_count; ++i) {
        const abut_vec3 a = corner(t, i, 0), b = corner(t, i, 1), c = corner(t, i, 2);
        const double ux = b.x - a.x, uy = b.y - a.y, uz = b.z - a.z, vx = c.x - a.x, vy = c.y - a.y,
                     vz = c.z - a.z;
        const double n[3] = { uy * vz - uz * vy, uz * vx - ux * vz, ux * vy - uy * vx };
        for (int k = 0; k < 3; ++k)
            s[k] += 0.5 * n[k];
        *area += 0.5 * sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
    }
    return sqrt(s[0] * s[0] + s[1] * s[1] + s[2] * s[2]);
}

static void check_sane(const char *what, const abut_tessellation *t)
{
    for (size_t i = 0; i < 3 * t->triangle_count; ++i)
        TEST_CHECK(t->triangles[i] < t->vertex_count, "%s: corner %zu", what, i);
    for (size_t i = 0; i < 2 * t->edge_count; ++i)
        TEST_CHECK(t->edges[i] < t->vertex_count, "%s: end %zu", what, i);
    for (size_t i = 0; i < 3 * t->triangle_count; ++i) {
        const abut_vec3 n = t->normals[t->triangles[i]];
        TEST_CHECK(fabs(n.x * n.x + n.y * n.y + n.z * n.z - 1) < 1e-9, "%s: normal of corner %zu", what, i);
    }
}

/* A shape whose volume is known, to a relative error; 0 volume: not asked. Takes the shape. */
static abut_tessellation make(const char *what, abut_shape *shape, double tolerance)
{
    abut_tessellate_opts opts;
    abut_tessellation t;
    abut_error error;
    abut_tessellate_opts_init(&opts);
    opts.tolerance = tolerance;
    const abut_status status = abut_shape_tessellate(shape, &opts, NULL, &t, &error);
    TEST_CHECK(status == ABUT_OK, "%s: %s", what, error.text);
    check_sane(what, &t);
    abut_shape_release(shape);
    return t;
}

static void solid(const char *what, abut_shape *shape, double volume, double relative)
{
    abut_tessellation t = make(what, shape, 0);
    double area;
    const double open = open_area(&t, &area), got = volume_of(&t);
    TEST_CHECK(t.solid, "%s: no solid", what);
    TEST_CHECK(open <= 1e-9 * area, "%s: open by %g of %g", what, open, area);
    TEST_CHECK(fabs(got - volume) <= relative * volume, "%s: volume %.17g, not %.17g", what, got, volume);
    abut_tessellation_clear(&t);
    TEST_CHECK(t.vertices == NULL && t.vertex_count == 0, "%s: cleared", what);
}

static abut_shape *made;

static abut_shape *take(abut_status status)
{
    TEST_CHECK(status == ABUT_OK, "a shape could not be made: %s", abut_status_name(status));
    return made;
}

static abut_shape *implicit(const char *f)
{
    const abut_aabb box = { { -3, -3, -3 }, { 3, 3, 3 } };
    return take(abut_shape_create_implicit(f, box, NULL, &made, NULL));
}

static abut_shape *parametric(const char *x, const char *y, const char *z, double u1, double v0, double v1,
                              bool wrap_v)
{
    const abut_parametric_def def = {
        .x = x, .y = y, .z = z, .u = { 0, u1 }, .v = { v0, v1 }, .wrap_u = true, .wrap_v = wrap_v
    };
    return take(abut_shape_create_parametric(&def, NULL, &made, NULL));
}

static const abut_vec3 cube[8] = { { -1, -1, -1 }, { 1, -1, -1 }, { -1, 1, -1 }, { 1, 1, -1 },
                                   { -1, -1, 1 },  { 1, -1, 1 },  { -1, 1, 1 },  { 1, 1, 1 } };

/* A box and, turned and moved off it, a torus. */
static abut_shape *compound(void)
{
    abut_compound_part parts[2] = { { 0 } };
    const abut_placement pose = abut_placement_from_pose((abut_pose){ { 0, 0, 5 }, { 0.6, 0.8, 0, 0 } });
    TEST_CHECK(abut_shape_create_box((abut_vec3){ 1, 2, 3 }, NULL, &parts[0].shape) == ABUT_OK, "box");
    TEST_CHECK(abut_shape_create_torus(3, 1, NULL, &parts[1].shape) == ABUT_OK, "torus");
    TEST_CHECK(abut_motion_create_static(&pose, NULL, &parts[1].at, NULL) == ABUT_OK, "pose");
    abut_shape *const whole = take(abut_shape_create_compound(parts, 2, NULL, &made, NULL));
    abut_shape_release(parts[0].shape);
    abut_shape_release(parts[1].shape);
    abut_motion_release(parts[1].at);
    return whole;
}

static void test_volumes(void **state)
{
    (void)state;
    solid("compound", compound(), 48 + 6 * pi * pi, 0.02);
    solid("sphere", take(abut_shape_create_sphere(2, NULL, &made)), 4.0 / 3 * pi * 8, 0.02);
    solid("box", take(abut_shape_create_box((abut_vec3){ 1, 2, 3 }, NULL, &made)), 48, 1e-14);
    solid("capsule", take(abut_shape_create_capsule(1, 3, NULL, &made)), 4.0 / 3 * pi + 3 * pi, 0.02);
    solid("capsule of no height", take(abut_shape_create_capsule(1, 0, NULL, &made)), 4.0 / 3 * pi, 0.02);
    solid("cylinder", take(abut_shape_create_cylinder(2, 3, NULL, &made)), 12 * pi, 0.02);
    solid("cone", take(abut_shape_create_cone(3, 4, NULL, &made)), 12 * pi, 0.02);
    solid("ellipsoid", take(abut_shape_create_ellipsoid((abut_vec3){ 1, 2, 3 }, NULL, &made)), 8 * pi, 0.02);
    solid("torus", take(abut_shape_create_torus(2, 0.5, NULL, &made)), 2 * pi * pi * 2 * 0.25, 0.02);
    solid("hull", take(abut_shape_create_convex(cube, 8, 0, NULL, &made, NULL)), 8, 1e-14);
    solid("rounded hull", take(abut_shape_create_convex(cube, 8, 0.5, NULL, &made, NULL)),
          8 + 24 * 0.5 + 3 * 2 * pi * 0.25 + 4.0 / 3 * pi * 0.125, 0.01);
    abut_shape *box = NULL, *tall = NULL;
    assert_int_equal(abut_shape_create_box((abut_vec3){ 1, 1, 1 }, NULL, &box), ABUT_OK);
    solid("rounded box", take(abut_shape_create_swept(box, 0.5, NULL, &made, NULL)),
          8 + 24 * 0.5 + 3 * 2 * pi * 0.25 + 4.0 / 3 * pi * 0.125, 0.01);
    abut_shape_release(box);
    assert_int_equal(abut_shape_create_cylinder(1, 2, NULL, &tall), ABUT_OK);
    /* Steiner: V + S r + M r^2 + 4/3 pi r^3, M = pi (h + pi R) */
    solid("rounded cylinder", take(abut_shape_create_swept(tall, 0.5, NULL, &made, NULL)),
          2 * pi + 6 * pi * 0.5 + pi * (2 + pi) * 0.25 + 4.0 / 3 * pi * 0.125, 0.02);
    abut_shape_release(tall);
}

static void test_faceted(void **state)
{
    (void)state;
    /* A step: an L, two high; its faces of six corners are not convex. */
    const abut_vec3 step[12] = {
        { 0, 0, 0 }, { 2, 0, 0 }, { 2, 1, 0 }, { 1, 1, 0 }, { 1, 2, 0 }, { 0, 2, 0 },
        { 0, 0, 2 }, { 2, 0, 2 }, { 2, 1, 2 }, { 1, 1, 2 }, { 1, 2, 2 }, { 0, 2, 2 }
    };
    const uint32_t sizes[8] = { 6, 6, 4, 4, 4, 4, 4, 4 };
    const uint32_t faces[36] = { 5, 4, 3, 2, 1, 0, 6, 7, 8,  9, 10, 11, 0,  1,  7, 6, 1, 2,
                                 8, 7, 2, 3, 9, 8, 3, 4, 10, 9, 4,  5,  11, 10, 5, 0, 6, 11 };
    solid("step", take(abut_shape_create_polyhedron(step, 12, sizes, 8, faces, 36, NULL, &made, NULL)), 6,
          1e-14);
    const uint32_t triangles[12] = { 0, 2, 1, 0, 1, 4, 0, 4, 2, 1, 2, 4 };
    solid("tetrahedron", take(abut_shape_create_mesh(cube, 8, triangles, 4, true, NULL, &made, NULL)),
          8.0 / 6, 1e-14);
    abut_tessellation t =
        make("sheet", take(abut_shape_create_mesh(cube, 8, triangles, 3, false, NULL, &made, NULL)), 0);
    assert_false(t.solid);
    assert_int_equal(t.triangle_count, 3);
    assert_true(t.edge_count >= 3);
    abut_tessellation_clear(&t);
    const double heights[6] = { 0, 1, 0, 0, 2, 0 };
    t = make("field", take(abut_shape_create_heightfield(3, 2, 1, 2, heights, NULL, &made, NULL)), 0);
    assert_true(t.triangle_count >= 4 + 2 * 6);
    double top = -1;
    for (size_t i = 0; i < t.vertex_count; ++i)
        top = fmax(top, t.vertices[i].z);
    assert_true(top == 2);
    abut_tessellation_clear(&t);
    /* flat bodies */
    t = make("segment", take(abut_shape_create_segment(cube[0], cube[7], 0, NULL, &made, NULL)), 0);
    assert_true(t.triangle_count == 0 && t.edge_count == 1);
    abut_tessellation_clear(&t);
    t = make("triangle", take(abut_shape_create_triangle(cube, 0, NULL, &made, NULL)), 0);
    assert_true(t.triangle_count == 1 && !t.solid);
    abut_tessellation_clear(&t);
    t = make("plane", take(abut_shape_create_halfspace((abut_vec3){ 0, 0, 2 }, 1, NULL, &made)), 0);
    for (size_t i = 0; i < t.vertex_count; ++i)
        assert_true(fabs(t.vertices[i].z - 0.5) < 1e-15);
    abut_tessellation_clear(&t);
}

/* Vertices of a mesh that deforms come from outside. */
static void test_vertices(void **state)
{
    (void)state;
    const uint32_t triangles[6] = { 0, 1, 2, 1, 3, 2 };
    abut_vec3 moved[4];
    abut_shape *mesh = take(abut_shape_create_mesh(cube, 4, triangles, 2, false, NULL, &made, NULL));
    for (int i = 0; i < 4; ++i)
        moved[i] = (abut_vec3){ cube[i].x, cube[i].y, 5 };
    abut_tessellate_opts opts;
    abut_tessellation t;
    abut_tessellate_opts_init(&opts);
    opts.vertices = moved;
    opts.vertex_count = 3;
    assert_int_equal(abut_shape_tessellate(mesh, &opts, NULL, &t, NULL), ABUT_ERR_ARGUMENT);
    opts.vertex_count = 4;
    assert_int_equal(abut_shape_tessellate(mesh, &opts, NULL, &t, NULL), ABUT_OK);
    for (size_t i = 0; i < t.vertex_count; ++i)
        assert_true(t.vertices[i].z == 5);
    assert_int_equal(t.vertex_count, 4); /* flat: all corners are shared */
    assert_int_equal(t.edge_count, 4);   /* and the diagonal is no crease */
    abut_tessellation_clear(&t);
    abut_shape_release(mesh);
}

/* Largest |x^2 + y^2 + z^2 - 1| / 2 of the vertices: about their distance from the unit sphere; and of the
 * triangles' middles. */
static void on_sphere(const char *what, abut_shape *shape, double off_vertices, double off_middles,
                      double tolerance)
{
    abut_tessellation t = make(what, shape, tolerance);
    double worst = 0, worst_middle = 0, area;
    for (size_t i = 0; i < t.triangle_count; ++i) {
        abut_vec3 m = { 0, 0, 0 };
        for (int k = 0; k < 3; ++k) {
            const abut_vec3 p = corner(&t, i, k), n = t.normals[t.triangles[3 * i + (size_t)k]];
            worst = fmax(worst, fabs(sqrt(p.x * p.x + p.y * p.y + p.z * p.z) - 1));
            m = (abut_vec3){ m.x + p.x / 3, m.y + p.y / 3, m.z + p.z / 3 };
            TEST_CHECK(n.x * p.x + n.y * p.y + n.z * p.z > 0.95, "%s: a normal leads in or off", what);
        }
        worst_middle = fmax(worst_middle, fabs(sqrt(m.x * m.x + m.y * m.y + m.z * m.z) - 1));
    }
    TEST_CHECK(worst <= off_vertices && worst_middle <= off_middles, "%s: off by %g and %g", what, worst,
               worst_middle);
    TEST_CHECK(open_area(&t, &area) < 1e-3 * area, "%s: open", what);
    TEST_CHECK(fabs(volume_of(&t) - 4.0 / 3 * pi) < 0.03 * 4.0 / 3 * pi, "%s: volume %g", what,
               volume_of(&t));
    abut_tessellation_clear(&t);
}

static void support_ball(void *ctx, const abut_vec3 *d, abut_vec3 *p)
{
    (void)ctx;
    const double s = 1 / sqrt(d->x * d->x + d->y * d->y + d->z * d->z);
    *p = (abut_vec3){ s * d->x, s * d->y, s * d->z };
}

static void test_spheres(void **state)
{
    (void)state;
    const abut_support_def def = { support_ball, NULL, 1e-15, 1.001 };
    on_sphere("sphere", take(abut_shape_create_sphere(1, NULL, &made)), 1e-14, 0.011, 0.005);
    on_sphere("fine sphere", take(abut_shape_create_sphere(1, NULL, &made)), 1e-14, 0.0003, 0.0001);
    on_sphere("parametric",
              parametric("cos(u)*cos(v)", "sin(u)*cos(v)", "sin(v)", 2 * pi, -pi / 2, pi / 2, false), 1e-9,
              0.011, 0.005);
    on_sphere("implicit", implicit("x^2+y^2+z^2-1"), 0.005, 0.01, 0.005);
    on_sphere("support", take(abut_shape_create_support(&def, NULL, &made, NULL)), 1e-14, 0.011, 0.005);
}

/* A csg cube with a corner cut out keeps its edges: all vertices on creases are on two planes. */
static void test_csg(void **state)
{
    (void)state;
    const char *const planes[6] = { "x-1", "-x-1", "y-1", "-y-1", "z-1", "-z-1" };
    abut_shape *of[6];
    for (int i = 0; i < 6; ++i)
        of[i] = implicit(planes[i]);
    abut_shape *block = take(abut_shape_create_csg(ABUT_CSG_INTERSECTION, of, 6, NULL, &made, NULL));
    abut_shape *ball = implicit("(x-1)^2+(y-1)^2+(z-1)^2-1");
    abut_shape *both[2] = { block, ball };
    abut_shape *cut = take(abut_shape_create_csg(ABUT_CSG_DIFFERENCE, both, 2, NULL, &made, NULL));
    abut_tessellation t = make("csg", cut, 0);
    double area;
    TEST_CHECK(open_area(&t, &area) < 1e-9 * area, "open");
    TEST_CHECK(fabs(volume_of(&t) - (8 - pi / 6)) < 0.02, "volume %g", volume_of(&t));
    double corner_distance = 9;
    for (size_t i = 0; i < t.vertex_count; ++i) {
        const abut_vec3 p = t.vertices[i];
        corner_distance = fmin(corner_distance, fmax(fabs(p.x + 1), fmax(fabs(p.y + 1), fabs(p.z + 1))));
    }
    TEST_CHECK(corner_distance < 1e-6, "the corner is %g off", corner_distance);
    assert_true(t.edge_count > 100);
    abut_tessellation_clear(&t);
    for (int i = 0; i < 6; ++i)
        abut_shape_release(of[i]);
    abut_shape_release(block);
    abut_shape_release(ball);
    /* What the bounds cut off has faces there. */
    solid("cut by the bounds", implicit("x+y+z-100"), 216, 1e-9);
}

/* A surface that deforms keeps its triangles over a span. */
static void test_span(void **state)
{
    (void)state;
    const abut_parametric_def def = { .x = "u", .y = "v", .z = "t*sin(6*u)", .u = { 0, 1 }, .v = { 0, 1 } };
    abut_shape *wave = take(abut_shape_create_parametric(&def, NULL, &made, NULL));
    abut_tessellate_opts opts;
    abut_tessellation t[2];
    abut_tessellate_opts_init(&opts);
    opts.span = (abut_interval){ 0, 1 };
    opts.tolerance = 0.003;
    for (int i = 0; i < 2; ++i) {
        opts.time = i;
        assert_int_equal(abut_shape_tessellate(wave, &opts, NULL, &t[i], NULL), ABUT_OK);
    }
    assert_int_equal(t[0].vertex_count, t[1].vertex_count);
    assert_int_equal(t[0].triangle_count, t[1].triangle_count);
    assert_false(t[0].solid);
    double most = 0;
    for (size_t i = 0; i < t[1].vertex_count; ++i) {
        assert_true(t[0].vertices[i].z == 0 && t[0].vertices[i].x == t[1].vertices[i].x);
        most = fmax(most, fabs(t[1].vertices[i].z - sin(6 * t[1].vertices[i].x)));
    }
    assert_true(most < 1e-12);
    for (int i = 0; i < 2; ++i)
        abut_tessellation_clear(&t[i]);
    abut_shape_release(wave);
}

static void test_bezier(void **state)
{
    (void)state;
    const abut_vec3 net[4] = { { 0, 0, 0 }, { 1, 0, 0 }, { 0, 1, 0 }, { 1, 1, 1 } };
    const abut_bezier_patch patch = { 1, 1, net, NULL };
    abut_tessellation t = make("bezier", take(abut_shape_create_bezier(&patch, 1, NULL, &made, NULL)), 0.001);
    for (size_t i = 0; i < t.vertex_count; ++i)
        assert_true(fabs(t.vertices[i].z - t.vertices[i].x * t.vertices[i].y) < 1e-12);
    assert_true(t.triangle_count >= 8 && t.edge_count >= 8);
    abut_tessellation_clear(&t);
}

/* Profiles with arcs and holes; faces that are cut out are good to the cells of their grid. */
static void test_solids(void **state)
{
    (void)state;
    const abut_profile_vertex square[4] = { { 0, 0, 0 }, { 4, 0, 0 }, { 4, 4, 0 }, { 0, 4, 0 } };
    const abut_profile_vertex hole[2] = { { 1, 2, -1 }, { 3, 2, -1 } }; /* a circle of radius 1, clockwise */
    const abut_profile_loop outer = { square, 4 }, inner = { hole, 2 };
    abut_tessellation t =
        make("plate", take(abut_shape_create_extrude(&outer, &inner, 1, 2, 0, NULL, &made, NULL)), 0.001);
    TEST_CHECK(fabs(volume_of(&t) - 2 * (16 - pi)) < 0.01 * 25, "plate: volume %g", volume_of(&t));
    assert_true(t.solid && t.edge_count > 20);
    abut_tessellation_clear(&t);
    const abut_profile_vertex bead[2] = { { 2, 0, 1 }, { 4, 0, 1 } }; /* a circle of radius 1 about (3, 0) */
    const abut_profile_loop ring = { bead, 2 };
    t = make("ring", take(abut_shape_create_revolve(&ring, 0, NULL, &made, NULL)), 0.001);
    TEST_CHECK(fabs(volume_of(&t) - 6 * pi * pi) < 0.005 * 6 * pi * pi, "ring: volume %g", volume_of(&t));
    abut_tessellation_clear(&t);
    const abut_profile_vertex tapered[4] = { { 0, 0, 0 }, { 2, 0, 0 }, { 1, 3, 0 }, { 0, 3, 0 } };
    const abut_profile_loop frustum = { tapered, 4 };
    t = make("frustum", take(abut_shape_create_revolve(&frustum, 0, NULL, &made, NULL)), 0.001);
    TEST_CHECK(fabs(volume_of(&t) - 7 * pi) < 0.005 * 7 * pi, "frustum: volume %g", volume_of(&t));
    abut_tessellation_clear(&t);
}

static void test_arguments(void **state)
{
    (void)state;
    abut_tessellate_opts opts;
    abut_tessellation t;
    abut_error error;
    abut_shape *ball = take(abut_shape_create_sphere(1, NULL, &made));
    abut_tessellate_opts_init(NULL);
    abut_tessellation_clear(NULL);
    assert_int_equal(abut_shape_tessellate(NULL, NULL, NULL, &t, &error), ABUT_ERR_ARGUMENT);
    assert_int_equal(abut_shape_tessellate(ball, NULL, NULL, NULL, &error), ABUT_ERR_ARGUMENT);
    abut_tessellate_opts_init(&opts);
    opts.tolerance = -1;
    assert_int_equal(abut_shape_tessellate(ball, &opts, NULL, &t, &error), ABUT_ERR_ARGUMENT);
    assert_non_null(strstr(error.text, "tolerance"));
    abut_tessellate_opts_init(&opts);
    opts.window.hi.x = INFINITY;
    assert_int_equal(abut_shape_tessellate(ball, &opts, NULL, &t, &error), ABUT_ERR_ARGUMENT);
    abut_tessellate_opts_init(&opts);
    opts.time = NAN;
    assert_int_equal(abut_shape_tessellate(ball, &opts, NULL, &t, &error), ABUT_ERR_ARGUMENT);
    abut_shape_release(ball);
}

static void out_of_memory(const char *what, abut_shape *shape)
{
    abut_status status;
    abut_tessellate_opts opts;
    abut_tessellate_opts_init(&opts);
    opts.tolerance = 0.1;
    TEST_EVERY_ALLOCATION_FAILS(
        alloc,
        {
            abut_tessellation t;
            status = abut_shape_tessellate(shape, &opts, &alloc, &t, NULL);
            TEST_CHECK(status == ABUT_OK || t.vertices == NULL, "%s: not cleared", what);
            abut_tessellation_clear(&t);
        },
        status);
    abut_shape_release(shape);
}

static void test_memory(void **state)
{
    (void)state;
    const uint32_t triangles[12] = { 0, 2, 1, 0, 1, 4, 0, 4, 2, 1, 2, 4 };
    out_of_memory("sphere", take(abut_shape_create_sphere(1, NULL, &made)));
    out_of_memory("rounded hull", take(abut_shape_create_convex(cube, 8, 0.5, NULL, &made, NULL)));
    out_of_memory("mesh", take(abut_shape_create_mesh(cube, 8, triangles, 4, true, NULL, &made, NULL)));
    out_of_memory("parametric", parametric("cos(u)", "sin(u)", "v", 2 * pi, 0, 1, false));
    out_of_memory("implicit", implicit("x^2+y^2+z^2-1"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_volumes), cmocka_unit_test(test_faceted), cmocka_unit_test(test_vertices),
        cmocka_unit_test(test_spheres), cmocka_unit_test(test_csg),     cmocka_unit_test(test_span),
        cmocka_unit_test(test_bezier),  cmocka_unit_test(test_solids),  cmocka_unit_test(test_arguments),
        cmocka_unit_test(test_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
