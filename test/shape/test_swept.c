/* SPDX-License-Identifier: MIT */
/* Points, segments, triangles, swept shapes, and bodies given by a function. */
#include "math/vec3.h"
#include "shape/shape.h"
#include "support/failing_allocator.h"

static abut_error e;

static void check_bounds(const abut_shape *s, abut_vec3 lo, abut_vec3 hi)
{
    const abut_aabb b = abut_shape_bounds(s);
    if (b.lo.x != lo.x || b.lo.y != lo.y || b.lo.z != lo.z || b.hi.x != hi.x || b.hi.y != hi.y ||
        b.hi.z != hi.z)
        TEST_FAIL("bounds (%a, %a, %a) (%a, %a, %a)", b.lo.x, b.lo.y, b.lo.z, b.hi.x, b.hi.y, b.hi.z);
}

static void check_counts(const abut_shape *s, size_t vertices, size_t edges, size_t faces)
{
    const abut_shape_counts c = abut_shape_get_counts(s);
    if (c.vertices != vertices || c.edges != edges || c.faces != faces)
        TEST_FAIL("%zu vertices, %zu edges, %zu faces", c.vertices, c.edges, c.faces);
}

static void few_points(void **state)
{
    (void)state;
    abut_shape *s;
    assert_int_equal(abut_shape_create_point(abut_v3(1, 2, 3), 0.5, NULL, &s, &e), ABUT_OK);
    check_bounds(s, abut_v3(0.5, 1.5, 2.5), abut_v3(1.5, 2.5, 3.5));
    check_counts(s, 1, 0, 0);
    assert_int_equal(abut_shape_get_type(s), ABUT_SHAPE_CONVEX);
    assert_true(s->core.hull->dimension == 0 && s->core.radius == 0.5);
    abut_shape_release(s);
    assert_int_equal(abut_shape_create_segment(abut_v3(1, 0, 0), abut_v3(-1, 0, 2), 0, NULL, &s, &e),
                     ABUT_OK);
    check_bounds(s, abut_v3(-1, 0, 0), abut_v3(1, 0, 2));
    check_counts(s, 2, 1, 0);
    abut_shape_release(s);
    /* Degenerate ones are what they are: a point. */
    assert_int_equal(abut_shape_create_segment(abut_v3(1, 0, 0), abut_v3(1, 0, 0), 0, NULL, &s, &e), ABUT_OK);
    check_counts(s, 1, 0, 0);
    abut_shape_release(s);
    const abut_vec3 t[3] = { { 0, 0, 0 }, { 4, 0, 0 }, { 0, 0, 2 } },
                    flat[3] = { { 0, 0, 0 }, { 1, 1, 1 }, { 3, 3, 3 } };
    assert_int_equal(abut_shape_create_triangle(t, 1, NULL, &s, &e), ABUT_OK);
    check_bounds(s, abut_v3(-1, -1, -1), abut_v3(5, 1, 3));
    check_counts(s, 3, 3, 2);
    abut_shape_release(s);
    assert_int_equal(abut_shape_create_triangle(flat, 0, NULL, &s, &e), ABUT_OK);
    check_counts(s, 2, 1, 0);
    abut_shape_release(s);

    assert_int_equal(abut_shape_create_triangle(NULL, 0, NULL, &s, &e), ABUT_ERR_ARGUMENT);
    assert_null(s);
    assert_int_equal(abut_shape_create_triangle(t, 0, NULL, NULL, &e), ABUT_ERR_ARGUMENT);
    assert_int_equal(abut_shape_create_triangle(NULL, 0, NULL, NULL, NULL), ABUT_ERR_ARGUMENT);
    assert_int_equal(abut_shape_create_point(abut_v3(1, NAN, 3), 0, NULL, &s, &e), ABUT_ERR_ARGUMENT);
    assert_int_equal(e.index, 0);
    assert_int_equal(abut_shape_create_point(abut_v3(1, 0, 3), -1, NULL, &s, &e), ABUT_ERR_ARGUMENT);
    assert_int_equal(abut_shape_create_segment(abut_v3(1, 0, 0), abut_v3(INFINITY, 0, 2), 0, NULL, &s, &e),
                     ABUT_ERR_ARGUMENT);
    assert_int_equal(e.index, 1);
    assert_int_equal(abut_shape_create_point(abut_v3(1, 0, 3), NAN, NULL, &s, &e), ABUT_ERR_ARGUMENT);
}

static void hulls_are_counted(void **state)
{
    (void)state;
    abut_vec3 p[20];
    for (int i = 0; i < 20; ++i)
        p[i] = i < 8 ? abut_v3(i & 1, (i >> 1) & 1, (i >> 2) & 1) : abut_v3(0.05 * i, 0.5, 1);
    abut_shape *s;
    assert_int_equal(abut_shape_create_convex(p, 20, 0, NULL, &s, &e), ABUT_OK);
    check_counts(s, 8, 12, 6);
    abut_shape_release(s);
}

static void swept_shapes(void **state)
{
    (void)state;
    abut_shape *box, *once, *twice, *s;
    assert_int_equal(abut_shape_create_box(abut_v3(1, 2, 3), NULL, &box), ABUT_OK);
    assert_int_equal(abut_shape_create_swept(box, 0.25, NULL, &once, &e), ABUT_OK);
    assert_int_equal(abut_shape_create_swept(once, 0.5, NULL, &twice, &e), ABUT_OK);
    abut_shape_release(box);
    abut_shape_release(once);
    check_bounds(twice, abut_v3(-1.75, -2.75, -3.75), abut_v3(1.75, 2.75, 3.75));
    assert_true(twice->core.kind == ABUT_CORE_BOX && twice->core.radius == 0.75 && twice->core.h[2] == 3);
    assert_string_equal(abut_shape_type_name(abut_shape_get_type(twice)), "swept");
    check_counts(twice, 0, 0, 0);

    /* Sums are rounded up, never down. */
    assert_int_equal(abut_shape_create_swept(twice, 0x1p-70, NULL, &s, &e), ABUT_OK);
    assert_true(s->core.radius == nextafter(0.75, 1) && s->bounds.hi.x == nextafter(1.75, 2));
    abut_shape_release(s);
    /* However often: the chain does not get long. */
    for (int i = 0; i < 200000; ++i) {
        assert_int_equal(abut_shape_create_swept(twice, 0x1p-30, NULL, &s, &e), ABUT_OK);
        abut_shape_release(twice);
        twice = s;
    }
    assert_true(twice->core.radius == 0.75 + 200000 * 0x1p-30);
    abut_shape_release(twice);

    abut_shape *plane, *ball;
    assert_int_equal(abut_shape_create_halfspace(abut_v3(0, 0, 1), 0, NULL, &plane), ABUT_OK);
    assert_int_equal(abut_shape_create_swept(plane, 1, NULL, &s, &e), ABUT_ERR_ARGUMENT);
    assert_null(s);
    abut_shape_release(plane);
    assert_int_equal(abut_shape_create_swept(NULL, 1, NULL, &s, &e), ABUT_ERR_ARGUMENT);
    assert_int_equal(abut_shape_create_sphere(1, NULL, &ball), ABUT_OK);
    static const double bad[] = { -1, NAN, INFINITY, 1.7e308 };
    for (int i = 0; i < 4; ++i)
        assert_int_equal(abut_shape_create_swept(ball, bad[i], NULL, &s, &e), ABUT_ERR_ARGUMENT);
    assert_int_equal(abut_shape_create_swept(ball, 1, NULL, NULL, &e), ABUT_ERR_ARGUMENT);
    assert_int_equal(abut_shape_create_swept(ball, 0, NULL, &s, &e), ABUT_OK);
    assert_true(s->core.radius == 1);
    abut_shape_release(ball);
    abut_shape_release(s);
}

static void every_convex_shape_can_be_swept(void **state)
{
    (void)state;
    abut_shape *of[7], *s;
    const abut_vec3 p[2] = { { 0, 0, 0 }, { 1, 1, 1 } };
    assert_int_equal(abut_shape_create_sphere(1, NULL, &of[0]), ABUT_OK);
    assert_int_equal(abut_shape_create_box(abut_v3(1, 1, 1), NULL, &of[1]), ABUT_OK);
    assert_int_equal(abut_shape_create_capsule(1, 2, NULL, &of[2]), ABUT_OK);
    assert_int_equal(abut_shape_create_cylinder(1, 2, NULL, &of[3]), ABUT_OK);
    assert_int_equal(abut_shape_create_cone(1, 2, NULL, &of[4]), ABUT_OK);
    assert_int_equal(abut_shape_create_ellipsoid(abut_v3(1, 2, 3), NULL, &of[5]), ABUT_OK);
    assert_int_equal(abut_shape_create_convex(p, 2, 0.125, NULL, &of[6], &e), ABUT_OK);
    for (int i = 0; i < 7; ++i) {
        assert_int_equal(abut_shape_create_swept(of[i], 0.5, NULL, &s, &e), ABUT_OK);
        assert_true(s->core.kind == of[i]->core.kind && s->core.radius == of[i]->core.radius + 0.5);
        abut_shape_release(of[i]);
        uint32_t hint = 0;
        assert_true(abut_is_finite3(abut_core_support(&s->core, abut_v3(1, 2, 3), &hint)));
        abut_shape_release(s);
    }
}

/* ---- functions, good and bad ---- */

typedef struct body {
    int kind;
    double size;
    int calls;
} body;

enum { BALL, BOX, FLAT, NOT_A_NUMBER, TOO_FAR, INSIDE_OUT, SHELL_WITH_HOLE, WOBBLY, SILENT, ORIGIN, ROUGH };

static void answer(void *ctx, const abut_vec3 *d, abut_vec3 *p)
{
    body *b = (body *)ctx;
    const double r = b->size;
    const abut_vec3 n = abut_unit_or(*d, *d);
    ++b->calls;
    switch (b->kind) {
    case BALL: *p = abut_scale(r, n); break;
    case BOX: *p = abut_v3(copysign(r, d->x), copysign(0.5 * r, d->y), copysign(0.25 * r, d->z)); break;
    case FLAT: *p = abut_v3(copysign(r, d->x), copysign(0.5 * r, d->y), 0); break;
    case NOT_A_NUMBER: *p = d->z < 0 && d->x < 0 ? abut_v3(0, NAN, 0) : abut_scale(r, n); break;
    case TOO_FAR: *p = abut_scale(d->y > 0.8 ? 1.01 * r : r, n); break;
    case INSIDE_OUT: *p = abut_scale(-r, n); break;
    case SHELL_WITH_HOLE: *p = abut_scale(d->x > 0 && d->y > 0 && d->z > 0 ? 0.3 * r : r, n); break;
    case WOBBLY: *p = abut_scale(r * (1 - 1e-6 * b->calls), n); break;
    case ORIGIN: *p = abut_v3(0, 0, 0); break;
    case ROUGH: /* a box whose corners are off, each its own way */
        *p = abut_v3(copysign(0.5 * r, d->x), copysign(0.5 * r + 1e-3 * n.x, d->y), copysign(0.25 * r, d->z));
        break;
    default: break;
    }
}

static void bodies_by_function(void **state)
{
    (void)state;
    static const double sizes[] = { 1, 1e-150, 1e150, 1e-300, 1e300 };
    for (int i = 0; i < 5; ++i) {
        const double r = sizes[i];
        for (int kind = BALL; kind <= ORIGIN; ++kind) {
            body b = { kind, r, 0 };
            const abut_support_def def = { answer, &b, kind == BALL ? 1e-3 * r : 0, 1.2 * r };
            const bool tight = kind == TOO_FAR;
            const abut_support_def near = { answer, &b, 0, r };
            abut_shape *s;
            const abut_status status = abut_shape_create_support(tight ? &near : &def, NULL, &s, &e);
            const bool good = kind == BALL || kind == BOX || kind == FLAT || kind == SILENT || kind == ORIGIN;
            TEST_CHECK(status == (good ? ABUT_OK : ABUT_ERR_ARGUMENT), "kind %d size %g: %d %s", kind, r,
                       (int)status, e.text);
            assert_true((s != NULL) == good && b.calls <= 42);
            if (!good) {
                assert_true(e.index >= 0 && strstr(e.text, "(") != NULL);
                continue;
            }
            if (kind == BOX)
                check_bounds(s, abut_v3(-r, -0.5 * r, -0.25 * r), abut_v3(r, 0.5 * r, 0.25 * r));
            if (kind == BALL)
                assert_true(s->bounds.hi.x >= 1.001 * r && s->bounds.hi.x <= 1.0011 * r &&
                            s->core.error >= 1e-3 * r);
            if (kind == FLAT)
                assert_true(s->bounds.hi.z == 0 && s->bounds.lo.z == 0);
            abut_shape_release(s);
        }
    }
    /* A stated error makes a body of it. */
    body b = { ROUGH, 1, 0 };
    abut_support_def def = { answer, &b, 0, 1 };
    abut_shape *s;
    assert_int_equal(abut_shape_create_support(&def, NULL, &s, &e), ABUT_ERR_ARGUMENT);
    def.error = 0.002;
    assert_int_equal(abut_shape_create_support(&def, NULL, &s, &e), ABUT_OK);
    abut_shape_release(s);
    static const double bad_error[] = { -1, NAN, INFINITY }, bad_radius[] = { 0, -1, NAN, INFINITY };
    for (int i = 0; i < 3; ++i) {
        def.error = bad_error[i];
        assert_int_equal(abut_shape_create_support(&def, NULL, &s, &e), ABUT_ERR_ARGUMENT);
    }
    def.error = 0.002;
    for (int i = 0; i < 4; ++i) {
        def.radius = bad_radius[i];
        assert_int_equal(abut_shape_create_support(&def, NULL, &s, &e), ABUT_ERR_ARGUMENT);
    }
    def.radius = 1;
    def.support = NULL;
    assert_int_equal(abut_shape_create_support(&def, NULL, &s, &e), ABUT_ERR_ARGUMENT);
    assert_int_equal(abut_shape_create_support(NULL, NULL, &s, &e), ABUT_ERR_ARGUMENT);
    assert_int_equal(abut_shape_create_support(&def, NULL, NULL, &e), ABUT_ERR_ARGUMENT);
}

static void memory_may_run_out(void **state)
{
    (void)state;
    abut_status status;
    abut_shape *s, *box;
    body b = { BALL, 1, 0 };
    const abut_support_def def = { answer, &b, 1e-9, 1 };
    const abut_vec3 t[3] = { { 0, 0, 0 }, { 4, 0, 0 }, { 0, 0, 2 } };
#define LOOP(call)                                           \
    TEST_EVERY_ALLOCATION_FAILS(                             \
        alloc,                                               \
        {                                                    \
            status = call;                                   \
            assert_true((status == ABUT_OK) == (s != NULL)); \
            abut_shape_release(s);                           \
        },                                                   \
        status)
    assert_int_equal(abut_shape_create_box(abut_v3(1, 2, 3), NULL, &box), ABUT_OK);
    LOOP(abut_shape_create_point(t[0], 0, &alloc, &s, &e));
    LOOP(abut_shape_create_segment(t[0], t[1], 0, &alloc, &s, &e));
    LOOP(abut_shape_create_triangle(t, 0, &alloc, &s, &e));
    LOOP(abut_shape_create_swept(box, 1, &alloc, &s, &e));
    LOOP(abut_shape_create_support(&def, &alloc, &s, &e));
    assert_true(atomic_load(&box->references) == 1);
    abut_shape_release(box);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(few_points),         cmocka_unit_test(hulls_are_counted),
        cmocka_unit_test(swept_shapes),       cmocka_unit_test(every_convex_shape_can_be_swept),
        cmocka_unit_test(bodies_by_function), cmocka_unit_test(memory_may_run_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
