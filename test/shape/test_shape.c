/* SPDX-License-Identifier: MIT */
/* Creators: what they accept, what they refuse and how they say so, bounds against brute force,
 * counts against Euler, references, and the loop in which every allocation fails once. */
#include "abut/shape.h"
#include "support/failing_allocator.h"
#include "support/places.h"

#define REFUSED(call)                                 \
    do {                                              \
        abut_shape *refused = (abut_shape *)&refused; \
        abut_shape **out = &refused;                  \
        assert_int_equal(call, ABUT_ERR_ARGUMENT);    \
        assert_null(refused);                         \
    } while (0)

static void sizes_must_be_positive_and_finite(void **state)
{
    (void)state;
    const double bad[] = { 0, -0.0, -1, NAN, INFINITY, -INFINITY };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; ++i) {
        const double x = bad[i];
        REFUSED(abut_shape_create_sphere(x, NULL, out));
        REFUSED(abut_shape_create_box(v3(x, 1, 1), NULL, out));
        REFUSED(abut_shape_create_box(v3(1, x, 1), NULL, out));
        REFUSED(abut_shape_create_box(v3(1, 1, x), NULL, out));
        REFUSED(abut_shape_create_capsule(x, 1, NULL, out));
        if (x != 0)
            REFUSED(abut_shape_create_capsule(1, x, NULL, out));
        /* half of it may not be a double */
        REFUSED(abut_shape_create_capsule(1, 0x1p-1022, NULL, out));
        REFUSED(abut_shape_create_cylinder(x, 1, NULL, out));
        REFUSED(abut_shape_create_cylinder(1, x, NULL, out));
        REFUSED(abut_shape_create_cone(x, 1, NULL, out));
        REFUSED(abut_shape_create_cone(1, x, NULL, out));
        REFUSED(abut_shape_create_ellipsoid(v3(1, x, 1), NULL, out));
        REFUSED(abut_shape_create_torus(2, x, NULL, out));
        REFUSED(abut_shape_create_torus(x, 1, NULL, out));
        if (!isfinite(x)) {
            REFUSED(abut_shape_create_halfspace(v3(x, 0, 1), 0, NULL, out));
            REFUSED(abut_shape_create_halfspace(v3(0, 0, 1), x, NULL, out));
        }
    }
    REFUSED(abut_shape_create_torus(1, 1, NULL, out));
    REFUSED(abut_shape_create_torus(1, 2, NULL, out));
    REFUSED(abut_shape_create_halfspace(v3(0, 0, 0), 1, NULL, out));
    assert_int_equal(abut_shape_create_sphere(1, NULL, NULL), ABUT_ERR_ARGUMENT);
    abut_shape *tiny;
    assert_int_equal(abut_shape_create_sphere(0x1p-1074, NULL, &tiny), ABUT_OK);
    abut_shape_release(tiny);
}

static void check_box(abut_shape *shape, abut_vec3 lo, abut_vec3 hi)
{
    const abut_aabb b = abut_shape_bounds(shape);
    assert_true(b.lo.x == lo.x && b.lo.y == lo.y && b.lo.z == lo.z && b.hi.x == hi.x && b.hi.y == hi.y &&
                b.hi.z == hi.z);
    abut_shape_release(shape);
}

static void bounds_of_primitives(void **state)
{
    (void)state;
    abut_shape *s;
    assert_int_equal(abut_shape_create_sphere(2, NULL, &s), ABUT_OK);
    assert_string_equal(abut_shape_type_name(abut_shape_get_type(s)), "sphere");
    check_box(s, v3(-2, -2, -2), v3(2, 2, 2));
    assert_int_equal(abut_shape_create_capsule(1, 3, NULL, &s), ABUT_OK);
    check_box(s, v3(-1, -1, -2.5), v3(1, 1, 2.5));
    assert_int_equal(abut_shape_create_capsule(1, 0, NULL, &s), ABUT_OK);
    check_box(s, v3(-1, -1, -1), v3(1, 1, 1));
    assert_int_equal(abut_shape_create_cone(1, 3, NULL, &s), ABUT_OK);
    check_box(s, v3(-1, -1, -1.5), v3(1, 1, 1.5));
    assert_int_equal(abut_shape_create_torus(2, 0.5, NULL, &s), ABUT_OK);
    check_box(s, v3(-2.5, -2.5, -0.5), v3(2.5, 2.5, 0.5));
    assert_int_equal(abut_shape_create_ellipsoid(v3(1, 2, 3), NULL, &s), ABUT_OK);
    check_box(s, v3(-1, -2, -3), v3(1, 2, 3));
    /* Sums that are no doubles are rounded outward: 1 + 2^-60 is more than 1. */
    assert_int_equal(abut_shape_create_torus(1, 0x1p-60, NULL, &s), ABUT_OK);
    assert_true(abut_shape_bounds(s).hi.x > 1 && abut_shape_bounds(s).lo.x < -1);
    abut_shape_release(s);
    assert_int_equal(abut_shape_create_halfspace(v3(0, 0, 1), 0, NULL, &s), ABUT_OK);
    check_box(s, v3(-INFINITY, -INFINITY, -INFINITY), v3(INFINITY, INFINITY, INFINITY));
    const abut_vec3 points[3] = { { 1, 2, 3 }, { -1, 0, 5 }, { 0, -4, 0 } };
    assert_int_equal(abut_shape_create_convex(points, 3, 0.5, NULL, &s, NULL), ABUT_OK);
    check_box(s, v3(-1.5, -4.5, -0.5), v3(1.5, 2.5, 5.5));
    assert_string_equal(abut_shape_type_name((abut_shape_type)99), "none");
    assert_int_equal(abut_shape_get_type(NULL), ABUT_SHAPE_NONE);
    abut_shape_release(NULL);
}

static const abut_vec3 corners[8] = { { -1, -1, -1 }, { 1, -1, -1 }, { -1, 1, -1 }, { 1, 1, -1 },
                                      { -1, -1, 1 },  { 1, -1, 1 },  { -1, 1, 1 },  { 1, 1, 1 } };
static const uint32_t quads[24] = { 0, 4, 6, 2, 1, 3, 7, 5, 0, 1, 5, 4, 2, 6, 7, 3, 0, 2, 3, 1, 4, 5, 7, 6 };
static const uint32_t fours[6] = { 4, 4, 4, 4, 4, 4 };

static void cube_triangles(uint32_t out[36])
{
    for (int f = 0; f < 6; ++f) {
        const uint32_t *q = quads + 4 * f;
        const uint32_t two[6] = { q[0], q[1], q[2], q[0], q[2], q[3] };
        memcpy(out + 6 * f, two, sizeof two);
    }
}

static abut_status make_mesh(const abut_vec3 *v, size_t vn, const uint32_t *t, size_t tn, bool solid,
                             abut_error *e)
{
    abut_shape *shape = NULL;
    const abut_status status = abut_shape_create_mesh(v, vn, t, tn, solid, NULL, &shape, e);
    assert_true((status == ABUT_OK) == (shape != NULL));
    abut_shape_release(shape);
    return status;
}

static void solid_meshes_are_closed_and_turned_outward(void **state)
{
    (void)state;
    abut_error e;
    uint32_t t[36], bad[36];
    cube_triangles(t);
    abut_shape *cube;
    assert_int_equal(abut_shape_create_mesh(corners, 8, t, 12, true, NULL, &cube, &e), ABUT_OK);
    const abut_shape_counts n = abut_shape_get_counts(cube);
    assert_int_equal(n.vertices, 8);
    assert_int_equal(n.edges, 18);
    assert_int_equal(n.faces, 12);
    abut_shape_release(cube);

    /* Three vertices a triangle, as in .stl files. */
    abut_vec3 soup[36];
    uint32_t own[36];
    for (uint32_t i = 0; i < 36; ++i) {
        soup[i] = corners[t[i]];
        own[i] = i;
    }
    soup[3].x = soup[3].x == 0 ? -0.0 : soup[3].x;
    assert_int_equal(make_mesh(soup, 36, own, 12, true, &e), ABUT_OK);
    assert_int_equal(make_mesh(soup, 36, own, 12, false, &e), ABUT_OK);

    /* A hole. */
    assert_int_equal(make_mesh(corners, 8, t, 11, true, &e), ABUT_ERR_ARGUMENT);
    assert_non_null(strstr(e.text, "not closed"));
    assert_int_equal(make_mesh(corners, 8, t, 11, false, &e), ABUT_OK);
    /* One triangle turned. */
    memcpy(bad, t, sizeof t);
    bad[6] = t[7];
    bad[7] = t[6];
    assert_int_equal(make_mesh(corners, 8, bad, 12, true, &e), ABUT_ERR_ARGUMENT);
    assert_non_null(strstr(e.text, "same way"));
    /* All turned. */
    for (int i = 0; i < 12; ++i) {
        bad[3 * i] = t[3 * i];
        bad[3 * i + 1] = t[3 * i + 2];
        bad[3 * i + 2] = t[3 * i + 1];
    }
    assert_int_equal(make_mesh(corners, 8, bad, 12, true, &e), ABUT_ERR_ARGUMENT);
    assert_non_null(strstr(e.text, "inward"));
    /* A vertex a little off, so that two edges no longer match. */
    soup[7].x = nextafter(soup[7].x, 9);
    assert_int_equal(make_mesh(soup, 36, own, 12, true, &e), ABUT_ERR_ARGUMENT);
    /* Two cubes share an edge: four faces there. */
    abut_vec3 two[16];
    uint32_t both[72];
    for (uint32_t i = 0; i < 8; ++i) {
        two[i] = corners[i];
        two[8 + i] = v3(corners[i].x + 2, corners[i].y + 2, corners[i].z);
    }
    for (uint32_t i = 0; i < 36; ++i) {
        both[i] = t[i];
        both[36 + i] = t[i] + 8;
    }
    assert_int_equal(make_mesh(two, 16, both, 24, true, &e), ABUT_ERR_ARGUMENT);
    assert_non_null(strstr(e.text, "4 faces"));
    /* Two triangles back to back. */
    const uint32_t flat[6] = { 0, 1, 2, 0, 2, 1 };
    assert_int_equal(make_mesh(corners, 8, flat, 2, true, &e), ABUT_ERR_ARGUMENT);
    assert_non_null(strstr(e.text, "no volume"));

    /* Far from the origin and huge: nothing overflows, nothing cancels to the wrong sign. */
    abut_vec3 far[8];
    const double sizes[] = { 1e-150, 1, 1e150, 1e300 };
    for (size_t k = 0; k < 4; ++k) {
        for (int i = 0; i < 8; ++i)
            far[i] = v3(sizes[k] * (corners[i].x + 1000), sizes[k] * corners[i].y, sizes[k] * corners[i].z);
        assert_int_equal(make_mesh(far, 8, t, 12, true, &e), ABUT_OK);
    }
}

static void faulty_lists_name_the_element(void **state)
{
    (void)state;
    abut_error e;
    uint32_t t[36];
    cube_triangles(t);
    abut_vec3 v[8];
    memcpy(v, corners, sizeof v);
    v[5].y = NAN;
    assert_int_equal(make_mesh(v, 8, t, 12, false, &e), ABUT_ERR_ARGUMENT);
    assert_int_equal(e.index, 5);
    t[10] = 8;
    assert_int_equal(make_mesh(corners, 8, t, 12, false, &e), ABUT_ERR_ARGUMENT);
    assert_int_equal(e.index, 3);
    t[10] = t[9]; /* a segment: allowed in a surface, but the cube is open then */
    assert_int_equal(make_mesh(corners, 8, t, 12, false, &e), ABUT_OK);
    assert_int_equal(make_mesh(corners, 8, t, 12, true, &e), ABUT_ERR_ARGUMENT);
    assert_int_equal(make_mesh(NULL, 8, t, 12, false, &e), ABUT_ERR_ARGUMENT);
    assert_int_equal(make_mesh(corners, 8, t, 0, false, &e), ABUT_ERR_ARGUMENT);
    abut_shape *s;
    assert_int_equal(abut_shape_create_convex(v, 8, 0, NULL, &s, &e), ABUT_ERR_ARGUMENT);
    assert_int_equal(e.index, 5);
    assert_int_equal(abut_shape_create_convex(corners, 8, -1, NULL, &s, &e), ABUT_ERR_ARGUMENT);
    assert_int_equal(abut_shape_create_convex(corners, 0, 0, NULL, &s, &e), ABUT_ERR_ARGUMENT);
    double h[6] = { 0, 1, 2, 3, INFINITY, 5 };
    assert_int_equal(abut_shape_create_heightfield(3, 2, 1, 1, h, NULL, &s, &e), ABUT_ERR_ARGUMENT);
    assert_int_equal(e.index, 4);
    assert_int_equal(abut_shape_create_heightfield(1, 6, 1, 1, h, NULL, &s, &e), ABUT_ERR_ARGUMENT);
    assert_int_equal(abut_shape_create_heightfield(2, 2, 0, 1, h, NULL, &s, &e), ABUT_ERR_ARGUMENT);
    assert_int_equal(abut_shape_create_heightfield(SIZE_MAX / 2, 4, 1, 1, h, NULL, &s, &e), ABUT_ERR_LIMIT);
}

static void polyhedra_and_height_fields(void **state)
{
    (void)state;
    abut_error e;
    abut_shape *s;
    assert_int_equal(abut_shape_create_polyhedron(corners, 8, fours, 6, quads, 24, NULL, &s, &e), ABUT_OK);
    const abut_shape_counts n = abut_shape_get_counts(s);
    assert_true(n.vertices == 8 && n.edges == 12 && n.faces == 6);
    check_box(s, v3(-1, -1, -1), v3(1, 1, 1));
    /* A corner off its plane: by 1e-7 of the size it is, by 1e-5 it is not. */
    abut_vec3 v[8];
    memcpy(v, corners, sizeof v);
    v[7] = v3(1, 1, 1 + 1e-7);
    assert_int_equal(abut_shape_create_polyhedron(v, 8, fours, 6, quads, 24, NULL, &s, &e), ABUT_OK);
    abut_shape_release(s);
    v[7] = v3(1, 1, 1 + 1e-4);
    assert_int_equal(abut_shape_create_polyhedron(v, 8, fours, 6, quads, 24, NULL, &s, &e),
                     ABUT_ERR_ARGUMENT);
    assert_non_null(strstr(e.text, "not planar"));
    assert_null(s);
    const uint32_t sizes[6] = { 4, 4, 4, 4, 4, 5 };
    assert_int_equal(abut_shape_create_polyhedron(corners, 8, sizes, 6, quads, 24, NULL, &s, &e),
                     ABUT_ERR_ARGUMENT);
    assert_int_equal(e.index, 5);
    const uint32_t less[6] = { 4, 4, 4, 4, 4, 3 };
    assert_int_equal(abut_shape_create_polyhedron(corners, 8, less, 6, quads, 24, NULL, &s, &e),
                     ABUT_ERR_ARGUMENT);
    const uint32_t two[6] = { 4, 4, 4, 4, 4, 2 };
    assert_int_equal(abut_shape_create_polyhedron(corners, 8, two, 6, quads, 22, NULL, &s, &e),
                     ABUT_ERR_ARGUMENT);
    assert_int_equal(e.index, 5);
    const double h[6] = { 0, 1, 2, 3, -4, 5 };
    assert_int_equal(abut_shape_create_heightfield(3, 2, 2, 0.5, h, NULL, &s, &e), ABUT_OK);
    const abut_shape_counts g = abut_shape_get_counts(s);
    assert_true(g.vertices == 6 && g.faces == 4 && g.edges == 9); /* V - E + F = 1 */
    check_box(s, v3(-2, -0.25, -INFINITY), v3(2, 0.25, 5));
}

static void smooth_shapes(void **state)
{
    (void)state;
    abut_error e;
    abut_shape *s, *a, *b, *both;
    const abut_let lets[1] = { { "r", "2 + cos(v)" } };
    abut_parametric_def torus = { .x = "r*cos(u)",
                                  .y = "r*sin(u)",
                                  .z = "sin(v)",
                                  .u = { 0, 6.3 },
                                  .v = { 0, 6.3 },
                                  .lets = lets,
                                  .let_count = 1 };
    assert_int_equal(abut_shape_create_parametric(&torus, NULL, &s, &e), ABUT_OK);
    assert_int_equal(abut_shape_get_counts(s).patches, 1);
    abut_shape_release(s);
    torus.z = "sin(w)";
    assert_int_equal(abut_shape_create_parametric(&torus, NULL, &s, &e), ABUT_ERR_SYNTAX);
    assert_string_equal(e.path, "z");
    torus.z = "sin(v)";
    torus.u[1] = 0;
    assert_int_equal(abut_shape_create_parametric(&torus, NULL, &s, &e), ABUT_ERR_ARGUMENT);
    assert_int_equal(abut_shape_create_parametric(NULL, NULL, &s, &e), ABUT_ERR_ARGUMENT);

    const abut_aabb unit = { { -1, -1, -1 }, { 1, 1, 1 } }, other = { { 0, 0, 0 }, { 3, 3, 3 } };
    assert_int_equal(abut_shape_create_implicit("x^2 + y^2 + z^2 - 1", unit, NULL, &a, &e), ABUT_OK);
    assert_int_equal(abut_shape_create_implicit("x - t", other, NULL, &b, &e), ABUT_OK);
    assert_false(abut_shape_deforms(a) || abut_shape_deforms(NULL));
    assert_true(abut_shape_deforms(b));
    assert_int_equal(abut_shape_create_implicit("x +", unit, NULL, &s, &e), ABUT_ERR_SYNTAX);
    const abut_aabb empty = { { 1, 0, 0 }, { 0, 1, 1 } };
    assert_int_equal(abut_shape_create_implicit("x", empty, NULL, &s, &e), ABUT_ERR_ARGUMENT);
    abut_shape *of[2] = { a, b };
    assert_int_equal(abut_shape_create_csg(ABUT_CSG_UNION, of, 2, NULL, &both, &e), ABUT_OK);
    check_box(both, v3(-1, -1, -1), v3(3, 3, 3));
    assert_int_equal(abut_shape_create_csg(ABUT_CSG_INTERSECTION, of, 2, NULL, &both, &e), ABUT_OK);
    assert_int_equal(abut_shape_get_counts(both).operands, 2);
    assert_true(abut_shape_deforms(both));
    check_box(both, v3(0, 0, 0), v3(1, 1, 1));
    assert_int_equal(abut_shape_create_csg(ABUT_CSG_DIFFERENCE, of, 2, NULL, &both, &e), ABUT_OK);
    /* Operands live as long as what is made of them. */
    abut_shape_release(a);
    abut_shape_release(b);
    check_box(both, v3(-1, -1, -1), v3(1, 1, 1));
    abut_shape *ball, *half, *dot;
    assert_int_equal(abut_shape_create_sphere(1, NULL, &ball), ABUT_OK);
    assert_int_equal(abut_shape_create_csg(ABUT_CSG_UNION, &ball, 1, NULL, &both, &e), ABUT_OK);
    check_box(both, v3(-1, -1, -1), v3(1, 1, 1));
    assert_int_equal(abut_shape_create_point(v3(0, 0, 0), 0, NULL, &dot, &e), ABUT_OK);
    assert_int_equal(abut_shape_create_csg(ABUT_CSG_UNION, &dot, 1, NULL, &both, &e), ABUT_ERR_ARGUMENT);
    assert_int_equal(e.index, 0);
    abut_shape_release(dot);
    assert_int_equal(abut_shape_create_halfspace(v3(0, 0, 2), 1, NULL, &half), ABUT_OK);
    abut_shape *const cut[2] = { ball, half };
    assert_int_equal(abut_shape_create_csg(ABUT_CSG_UNION, cut, 2, NULL, &both, &e), ABUT_ERR_VALUE);
    assert_int_equal(abut_shape_create_csg(ABUT_CSG_INTERSECTION, cut, 2, NULL, &both, &e), ABUT_OK);
    check_box(both, v3(-1, -1, -1), v3(1, 1, 0.5));
    abut_shape_release(half);
    assert_int_equal(abut_shape_create_csg(ABUT_CSG_DIFFERENCE, of, 1, NULL, &both, &e), ABUT_ERR_ARGUMENT);
    assert_int_equal(abut_shape_create_csg((abut_csg_op)7, of, 1, NULL, &both, &e), ABUT_ERR_ARGUMENT);
    abut_shape_release(ball);

    const abut_vec3 points[4] = { { 0, 0, 0 }, { 1, 0, 0 }, { 0, 1, 0 }, { 1, 1, 2 } };
    double weights[4] = { 1, 1, 2, 1 };
    const abut_bezier_patch patches[2] = { { 1, 1, points, weights }, { 3, 0, points, NULL } };
    assert_int_equal(abut_shape_create_bezier(patches, 1, NULL, &s, &e), ABUT_OK);
    check_box(s, v3(0, 0, 0), v3(1, 1, 2));
    assert_int_equal(abut_shape_create_bezier(patches, 2, NULL, &s, &e), ABUT_ERR_ARGUMENT);
    assert_int_equal(e.index, 1);
    weights[2] = 0;
    assert_int_equal(abut_shape_create_bezier(patches, 1, NULL, &s, &e), ABUT_ERR_ARGUMENT);
    assert_int_equal(e.index, 2);
}

static void memory_may_run_out_anywhere(void **state)
{
    (void)state;
    abut_status status;
    abut_shape *s;
    uint32_t t[36];
    cube_triangles(t);
    const double heights[4] = { 0, 1, 2, 3 }, weights[4] = { 1, 1, 1, 1 };
    const abut_bezier_patch patch = { 1, 1, corners, weights };
    const abut_let let = { "a", "u + v" };
    const abut_parametric_def def = {
        .x = "a", .y = "v", .z = "u", .u = { 0, 1 }, .v = { 0, 1 }, .lets = &let, .let_count = 1
    };
    const abut_aabb unit = { { -1, -1, -1 }, { 1, 1, 1 } };
#define LOOP(call)                                           \
    TEST_EVERY_ALLOCATION_FAILS(                             \
        alloc,                                               \
        {                                                    \
            status = call;                                   \
            assert_true((status == ABUT_OK) == (s != NULL)); \
            abut_shape_release(s);                           \
        },                                                   \
        status)
    LOOP(abut_shape_create_sphere(1, &alloc, &s));
    LOOP(abut_shape_create_convex(corners, 8, 0, &alloc, &s, NULL));
    LOOP(abut_shape_create_mesh(corners, 8, t, 12, true, &alloc, &s, NULL));
    LOOP(abut_shape_create_polyhedron(corners, 8, fours, 6, quads, 24, &alloc, &s, NULL));
    LOOP(abut_shape_create_heightfield(2, 2, 1, 1, heights, &alloc, &s, NULL));
    LOOP(abut_shape_create_bezier(&patch, 1, &alloc, &s, NULL));
    LOOP(abut_shape_create_parametric(&def, &alloc, &s, NULL));
    LOOP(abut_shape_create_implicit("x*y + sin(z)", unit, &alloc, &s, NULL));
    abut_shape *f;
    assert_int_equal(abut_shape_create_implicit("x", unit, NULL, &f, NULL), ABUT_OK);
    LOOP(abut_shape_create_csg(ABUT_CSG_UNION, &f, 1, &alloc, &s, NULL));
    abut_shape_release(f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sizes_must_be_positive_and_finite),
        cmocka_unit_test(bounds_of_primitives),
        cmocka_unit_test(solid_meshes_are_closed_and_turned_outward),
        cmocka_unit_test(faulty_lists_name_the_element),
        cmocka_unit_test(polyhedra_and_height_fields),
        cmocka_unit_test(smooth_shapes),
        cmocka_unit_test(memory_may_run_out_anywhere),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
