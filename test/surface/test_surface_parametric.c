/* SPDX-License-Identifier: MIT */
/* Parametric surfaces by expressions: enclosures against formulas in MPFR; features found from
 * the domain; what cannot be a surface. */
#include "support/failing_allocator.h"
#include "surface/check.h"

#define TWO_PI 6.283185307179586
#define PI     3.141592653589793

static abut_shape *make(const abut_parametric_def *def)
{
    abut_shape *shape;
    abut_error error;
    const abut_status status = abut_shape_create_parametric(def, NULL, &shape, &error);
    TEST_CHECK(status == ABUT_OK, "%s", error.text);
    return shape;
}

/* ---- containment ---- */

/* r (cos u sin v, sin u sin v, cos v) with r = 1 + 0.1 sin(5 u) sin(v)^5 cos(t) */
static void bumpy(const void *ctx, const num *in, num *out)
{
    (void)ctx;
    num u = in[0], v = in[1], t = in[2], s = o_sin(v);
    num s5 = o_mul(s, o_sqr(o_sqr(s)));
    num r = o_add(o_num(1), o_mul(o_num(0.1), o_mul(o_sin(o_mul(o_num(5), u)), o_mul(s5, o_cos(t)))));
    out[0] = o_mul(r, o_mul(o_cos(u), s));
    out[1] = o_mul(r, o_mul(o_sin(u), s));
    out[2] = o_mul(r, o_cos(v));
}

static const abut_let bumpy_lets[] = { { "r", "1 + 0.1*sin(5*u)*sin(v)^5*cos(t)" } };
static const abut_parametric_def bumpy_def = { .x = "r*cos(u)*sin(v)",
                                               .y = "r*sin(u)*sin(v)",
                                               .z = "r*cos(v)",
                                               .u = { 0, TWO_PI },
                                               .v = { 0, PI },
                                               .wrap_u = true,
                                               .normal_in = true,
                                               .lets = bumpy_lets,
                                               .let_count = 1 };

/* A sheet: (u + v^2 t, v, sqrt(2 + u v) / (1 + v^2)) */
static void sheet(const void *ctx, const num *in, num *out)
{
    (void)ctx;
    num u = in[0], v = in[1], t = in[2];
    out[0] = o_add(u, o_mul(o_sqr(v), t));
    out[1] = o_add(v, o_num(0));
    out[2] = o_div(o_sqrt(o_add(o_num(2), o_mul(u, v))), o_add(o_num(1), o_sqr(v)));
}

static const abut_parametric_def sheet_def = {
    .x = "u + v^2*t", .y = "v", .z = "sqrt(2 + u*v)/(1 + v^2)", .u = { -1, 1 }, .v = { -1, 1.5 }
};

static void check_face(const abut_parametric_def *def, oracle_map_fn map, double sign)
{
    const abut_interval time = { -1, 2 };
    abut_shape *shape = make(def);
    asked a;
    ask(shape, &a);
    assert_true(a.surface.deforms);
    const uint64_t count = test_count(1500);
    for (uint64_t seed = 0; seed < count; ++seed) {
        check_jet(&a, 0, map, NULL, time, sign, seed);
        check_normal_slopes(&a, 0, time, seed);
    }
    forget(&a);
    abut_shape_release(shape);
}

static void jets_contain(void **state)
{
    (void)state;
    check_face(&bumpy_def, bumpy, -1);
    check_face(&sheet_def, sheet, 1);
}

typedef struct edge_of {
    oracle_map_fn map;
    int side;
    const abut_parametric_def *def;
} edge_of;

static void edge_point(const void *ctx, const num *in, num *out)
{
    const edge_of *e = ctx;
    const double *range = e->side < 2 ? e->def->u : e->def->v;
    num end = o_num(range[e->side & 1]);
    const num face[3] = { e->side < 2 ? end : in[0], e->side < 2 ? in[0] : end, in[2] };
    e->map(NULL, face, out);
}

static void edges_contain(void **state)
{
    (void)state;
    abut_shape *shape = make(&sheet_def);
    asked a;
    ask(shape, &a);
    const uint64_t count = test_count(300);
    for (uint64_t seed = 0; seed < count; ++seed)
        for (size_t i = 1; i < 5; ++i) {
            const edge_of e = { sheet, (int)a.surface.features[i].data, &sheet_def };
            check_jet(&a, i, edge_point, &e, (abut_interval){ -1, 2 }, 1, seed);
        }
    forget(&a);
    abut_shape_release(shape);
}

/* Boxes that leave a closed parameter at one end come in at the other; the expressions need not
 * go on there. */
static void boxes_are_folded(void **state)
{
    (void)state;
    /* u from 0 to 1, closed smoothly by u^2 (1 - u)^2, which is not periodic. */
    const abut_parametric_def def = { .x = "u^2*(1-u)^2*16 - 1/2",
                                      .y = "u^2*(1-u)^2*(2*u-1)*16",
                                      .z = "v",
                                      .u = { 0, 1 },
                                      .v = { 0, 1 },
                                      .wrap_u = true };
    abut_shape *shape = make(&def);
    asked a;
    ask(shape, &a);
    assert_true(a.surface.features[0].wraps[0]);
    for (uint64_t seed = 0; seed < 500; ++seed) {
        test_random r = test_seed(seed);
        const double from = test_uniform(&r, -0.1, 1.05), to = from + test_uniform(&r, 0, 0.05);
        kernel_job j = { .surface = &a.surface,
                         .feature = a.surface.features,
                         .box = { { from, to }, { 0.25, 0.5 } },
                         .order = 1,
                         .scratch = a.scratch };
        run(kernel_jet, &j);
        double u = test_uniform(&r, from, to);
        u -= floor(u);
        const double s = u * (1 - u);
        assert_true(ia_lo(j.jet.p.x) <= 16 * s * s - 0.5 + 1e-14 &&
                    ia_hi(j.jet.p.x) >= 16 * s * s - 0.5 - 1e-14);
        const double y = 16 * s * s * (2 * u - 1);
        assert_true(ia_lo(j.jet.p.y) <= y + 1e-14 && ia_hi(j.jet.p.y) >= y - 1e-14);
        const double du = 32 * s * (1 - 2 * u);
        assert_true(ia_lo(j.jet.u.x) <= du + 1e-13 && ia_hi(j.jet.u.x) >= du - 1e-13);
        assert_true(ia_width(j.jet.p.x) < 0.5);
    }
    forget(&a);
    abut_shape_release(shape);
}

/* ---- features ---- */

typedef struct feature_case {
    const char *name;
    abut_parametric_def def;
    bool solid;
    size_t faces, edges, vertices;
    int smooth;  /* vertices that are */
    int normals; /* of the first edge, or 0 */
} feature_case;

#define RING "(2 + cos(v))"
static const feature_case cases[] = {
    { "sphere",
      { .x = "cos(u)*cos(v)",
        .y = "sin(u)*cos(v)",
        .z = "sin(v)",
        .u = { 0, TWO_PI },
        .v = { -PI / 2, PI / 2 },
        .wrap_u = true },
      true,
      1,
      0,
      2,
      2,
      0 },
    { "tilted sphere",
      { .x = "0.6*cos(u)*cos(v) - 0.8*sin(v)",
        .y = "sin(u)*cos(v) + 3",
        .z = "0.8*cos(u)*cos(v) + 0.6*sin(v)",
        .u = { 0, TWO_PI },
        .v = { -PI / 2, PI / 2 },
        .wrap_u = true },
      true,
      1,
      0,
      2,
      2,
      0 },
    { "growing sphere",
      { .x = "(1 + t)*cos(u)*cos(v)",
        .y = "(1 + t)*sin(u)*cos(v)",
        .z = "(1 + t)*sin(v)",
        .u = { 0, TWO_PI },
        .v = { -PI / 2, PI / 2 },
        .wrap_u = true },
      true,
      1,
      0,
      2,
      2,
      0 },
    { "torus",
      { .x = RING "*cos(u)",
        .y = RING "*sin(u)",
        .z = "sin(v)",
        .u = { 0, TWO_PI },
        .v = { 0, TWO_PI },
        .wrap_u = true,
        .wrap_v = true },
      true,
      1,
      0,
      0,
      0,
      0 },
    { "torus, one seam unstated",
      { .x = RING "*cos(u)",
        .y = RING "*sin(u)",
        .z = "sin(v)",
        .u = { 0, TWO_PI },
        .v = { 0, TWO_PI },
        .wrap_u = true },
      true,
      1,
      1,
      0,
      0,
      2 },
    { "torus, both seams unstated",
      { .x = RING "*cos(u)", .y = RING "*sin(u)", .z = "sin(v)", .u = { 0, TWO_PI }, .v = { 0, TWO_PI } },
      true,
      1,
      2,
      1,
      0,
      2 },
    { "tube",
      { .x = "cos(u)", .y = "sin(u)", .z = "v", .u = { 0, TWO_PI }, .v = { 0, 1 }, .wrap_u = true },
      false,
      1,
      2,
      0,
      0,
      1 },
    { "sheet", { .x = "u", .y = "v", .z = "u*v", .u = { 0, 1 }, .v = { 0, 1 } }, false, 1, 4, 4, 0, 1 },
    { "waving sheet",
      { .x = "u", .y = "v", .z = "sin(u*v + t)", .u = { 0, 1 }, .v = { 0, 1 } },
      false,
      1,
      4,
      4,
      0,
      1 },
    { "hat",
      { .x = "(1-v)*cos(u)",
        .y = "(1-v)*sin(u)",
        .z = "v",
        .u = { 0, TWO_PI },
        .v = { 0, 1 },
        .wrap_u = true },
      false,
      1,
      1,
      1,
      0,
      1 },
    { "spindle",
      { .x = "sin(v)*cos(u)",
        .y = "sin(v)*sin(u)",
        .z = "v",
        .u = { 0, TWO_PI },
        .v = { 0, PI },
        .wrap_u = true },
      true,
      1,
      0,
      2,
      0,
      0 },
    { "kinked tube",
      { .x = "u*(1-u)", .y = "u*(1-u)*(2*u-1)", .z = "v", .u = { 0, 1 }, .v = { 0, 1 }, .wrap_u = true },
      false,
      1,
      3,
      2,
      0,
      2 },
    { "slice of an orange",
      { .x = "cos(u)*cos(v)", .y = "sin(u)*cos(v)", .z = "sin(v)", .u = { 0, 1 }, .v = { -PI / 2, PI / 2 } },
      false,
      1,
      2,
      2,
      0,
      1 },
};

static void features_come_from_the_domain(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        const feature_case *c = &cases[i];
        abut_shape *shape = make(&c->def);
        asked a;
        ask(shape, &a);
        print_message("%s\n", c->name);
        expect_counts(&a.surface, c->faces, c->edges, c->vertices);
        TEST_CHECK(a.surface.solid == c->solid, "%s: solid", c->name);
        int smooth = 0;
        for (size_t k = 0; k < a.surface.feature_count; ++k)
            smooth += a.surface.features[k].kind == ABUT_FEATURE_VERTEX && a.surface.features[k].smooth;
        assert_int_equal(smooth, c->smooth);
        if (c->normals)
            assert_int_equal(a.surface.features[1].normal_count, c->normals);
        forget(&a);
        abut_shape_release(shape);
    }
}

/* The normals of the hat's tip point outward all around, though the cross product vanishes
 * there; one of a smooth pole is the pole's. */
static void poles_have_normals(void **state)
{
    (void)state;
    abut_shape *shape = make(&cases[9].def);
    asked a;
    ask(shape, &a);
    kernel_job j = {
        .surface = &a.surface, .feature = &a.surface.features[2], .order = 1, .scratch = a.scratch
    };
    assert_int_equal(j.feature->normal_count, 8);
    run(kernel_normals, &j);
    for (int i = 0; i < 8; ++i) {
        const double u = (i + 0.5) * TWO_PI / 8;
        const double along = cos(u) * ia_mid(j.normals[i].x) + sin(u) * ia_mid(j.normals[i].y);
        assert_true(along > 0 && ia_lo(j.normals[i].z) > 0);
        TEST_NEAR(along / ia_mid(j.normals[i].z), 1, 0.3, "sector %d", i);
    }
    run(kernel_jet, &j);
    TEST_NEAR(ia_mid(j.jet.p.z), 1, 1e-15, "tip");
    assert_true(ia_width(j.jet.p.x) < 1e-15 && ia_contains_zero(j.jet.p.x));
    forget(&a);
    abut_shape_release(shape);
    shape = make(&cases[0].def);
    ask(shape, &a);
    j = (kernel_job){
        .surface = &a.surface, .feature = &a.surface.features[2], .order = 1, .scratch = a.scratch
    };
    run(kernel_normals, &j);
    for (int i = 0; i < 8; ++i)
        assert_true(ia_lo(j.normals[i].z) > 0 && ia_mag(j.normals[i].x) < 1e-15);
    forget(&a);
    abut_shape_release(shape);
}

static void bounds_are_tight(void **state)
{
    (void)state;
    abut_shape *shape = make(&cases[3].def);
    const abut_aabb box = abut_shape_bounds(shape);
    TEST_NEAR(box.hi.x, 3, 0.01, "torus");
    TEST_NEAR(box.lo.z, -1, 0.01, "torus");
    assert_true(box.hi.x >= 3 && box.lo.x <= -3 && box.lo.z <= -1 && box.hi.z >= 1 && box.lo.y <= -3);
    abut_shape_release(shape);
    shape = make(&cases[8].def);
    assert_true(abut_shape_bounds(shape).hi.x == INFINITY);
    asked a;
    ask(shape, &a);
    kernel_job j = { .surface = &a.surface, .t = { 0.25, 0.25 }, .scratch = a.scratch };
    run(kernel_bounds, &j);
    assert_true(ia_lo(j.jet.p.x) == 0 && ia_hi(j.jet.p.x) == 1 && ia_contains(j.jet.p.z, sin(0.25)));
    assert_true(ia_hi(j.jet.p.z) < 0.98);
    forget(&a);
    abut_shape_release(shape);
}

/* Over a box of width h the enclosure of a point exceeds the range by O(h^2) where mean-value
 * forms are used, and never by more than O(h). */
static void widths_fall(void **state)
{
    (void)state;
    abut_shape *shape = make(&bumpy_def);
    asked a;
    ask(shape, &a);
    kernel_job j = { .surface = &a.surface, .feature = a.surface.features, .order = 2, .scratch = a.scratch };
    double last = HUGE_VAL;
    for (int k = 2; k < 40; k += 4) {
        const double h = exp2(-k);
        j.box[0] = (abut_interval){ 1, 1 + h };
        j.box[1] = (abut_interval){ 0.5, 0.5 + h };
        j.t = (abut_interval){ 0.25, 0.25 };
        run(kernel_jet, &j);
        const double w = ia_width(j.jet.p.x);
        assert_true(w < 8 * h && w < last);
        last = w;
    }
    j.box[0] = j.box[1] = (abut_interval){ 1.25, 1.25 };
    run(kernel_jet, &j);
    assert_true(ia_width(j.jet.p.x) < 0x1p-49 && ia_width(j.jet.uu.x) < 0x1p-43);
    forget(&a);
    abut_shape_release(shape);
}

static void bad_surfaces_are_refused(void **state)
{
    (void)state;
    static const struct {
        abut_parametric_def def;
        abut_status status;
        const char *says;
    } bad[] = {
        { { .x = "log(u)", .y = "v", .z = "0", .u = { -1, 1 }, .v = { 0, 1 } },
          ABUT_ERR_VALUE,
          "not defined" },
        { { .x = "u", .y = "sqrt(v - 2)", .z = "0", .u = { -1, 1 }, .v = { 0, 1 } },
          ABUT_ERR_VALUE,
          "not defined" },
        { { .x = "u", .y = "v", .z = "0", .u = { 0, 1 }, .v = { 0, 1 }, .wrap_v = true },
          ABUT_ERR_VALUE,
          "wrap" },
        { { .x = "u", .y = "v", .z = "0", .u = { 0, NAN }, .v = { 0, 1 } }, ABUT_ERR_ARGUMENT, "range" },
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; ++i) {
        abut_shape *shape = (abut_shape *)&shape;
        abut_error error;
        const abut_status status = abut_shape_create_parametric(&bad[i].def, NULL, &shape, &error);
        TEST_CHECK(status == bad[i].status && !shape, "case %zu: %d %s", i, (int)status, error.text);
        TEST_CHECK(strstr(error.text, bad[i].says), "case %zu says: %s", i, error.text);
    }
}

static void memory_may_run_out_anywhere(void **state)
{
    (void)state;
    abut_status status = ABUT_OK;
    TEST_EVERY_ALLOCATION_FAILS(
        alloc,
        {
            abut_shape *shape;
            status = abut_shape_create_parametric(&bumpy_def, &alloc, &shape, NULL);
            abut_shape_release(shape);
        },
        status)
    assert_int_equal(status, ABUT_OK);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(jets_contain),
        cmocka_unit_test(edges_contain),
        cmocka_unit_test(boxes_are_folded),
        cmocka_unit_test(features_come_from_the_domain),
        cmocka_unit_test(poles_have_normals),
        cmocka_unit_test(bounds_are_tight),
        cmocka_unit_test(widths_fall),
        cmocka_unit_test(bad_surfaces_are_refused),
        cmocka_unit_test(memory_may_run_out_anywhere),
    };
    return cmocka_run_group_tests(tests, oracle_set_up, oracle_tear_down);
}
