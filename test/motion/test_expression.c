/* SPDX-License-Identifier: MIT */
/* Expressions built by hand and inclusion functions of one's own, against the text that says the
 * same: all results agree to the last bit. */
#include "abut/expression.h"
#include "shape/shape.h"
#include "support/failing_allocator.h"
#include "surface/surface.h"

static const double third = 1.0 / 3;

/* (2 + cos(v)) cos(u), (2 + cos(v)) sin(u), sin(v) + t/3 */
static void build_torus(abut_graph *g, abut_node out[3])
{
    const abut_node u = abut_graph_variable(g, 0), v = abut_graph_variable(g, 1),
                    t = abut_graph_variable(g, 2);
    const abut_node r = abut_graph_add(g, abut_graph_number(g, 2), abut_graph_cos(g, v));
    out[0] = abut_graph_multiply(g, r, abut_graph_cos(g, u));
    out[1] = abut_graph_multiply(g, r, abut_graph_sin(g, u));
    out[2] = abut_graph_add(g, abut_graph_sin(g, v), abut_graph_multiply(g, t, abut_graph_number(g, third)));
}

static const abut_domain whole = { { -3.1, 3.1 }, { -3, 3 }, false, false, false };

static abut_status graph_torus(const abut_allocator *alloc, abut_shape **out, abut_error *error)
{
    abut_graph *g;
    abut_node position[3];
    abut_status status = abut_graph_create(3, alloc, &g);
    *out = NULL;
    if (status)
        return status;
    build_torus(g, position);
    status = abut_shape_create_parametric_graph(g, position, &whole, alloc, out, error);
    abut_graph_destroy(g);
    return status;
}

static abut_shape *text_torus(void)
{
    char z[80];
    snprintf(z, sizeof z, "sin(v) + t*%.17g", third);
    const abut_parametric_def def = { "(2 + cos(v))*cos(u)",
                                      "(2 + cos(v))*sin(u)",
                                      z,
                                      { -3.1, 3.1 },
                                      { -3, 3 },
                                      false,
                                      false,
                                      false,
                                      NULL,
                                      0 };
    abut_shape *shape;
    abut_error error;
    TEST_CHECK(abut_shape_create_parametric(&def, NULL, &shape, &error) == ABUT_OK, "%s", error.text);
    return shape;
}

/* Its inclusion functions by hand, for order 0 and 1; second derivatives are not wanted by this
 * test. */
static bool torus_inclusion(void *ctx, const abut_interval *box, int order, abut_interval *out)
{
    const size_t stride = abut_tape_stride(3, order);
    const abut_interval cu = abut_interval_cos(box[0]), su = abut_interval_sin(box[0]);
    const abut_interval cv = abut_interval_cos(box[1]), sv = abut_interval_sin(box[1]);
    const abut_interval r = abut_interval_add(abut_interval_point(2), cv), zero = abut_interval_point(0);
    ++*(int *)ctx;
    out[0] = abut_interval_mul(r, cu);
    out[stride] = abut_interval_mul(r, su);
    out[2 * stride] = abut_interval_add(sv, abut_interval_mul(abut_interval_point(third), box[2]));
    if (order > 0) {
        out[1] = abut_interval_neg(out[stride]);
        out[2] = abut_interval_neg(abut_interval_mul(sv, cu));
        out[3] = zero;
        out[stride + 1] = out[0];
        out[stride + 2] = abut_interval_neg(abut_interval_mul(sv, su));
        out[stride + 3] = zero;
        out[2 * stride + 1] = zero;
        out[2 * stride + 2] = cv;
        out[2 * stride + 3] = abut_interval_point(third);
    }
    /* nothing known */
    for (size_t i = 4; i < stride; ++i)
        out[i] = out[stride + i] = out[2 * stride + i] = (abut_interval){ NAN, NAN };
    return true;
}

/* ---- comparing ---- */

typedef struct jet_bits {
    abut_interval v[4][3]; /* p, u, v, t */
} jet_bits;

static ABUT_NOINLINE bool jet_kernel(const abut_surface *s, const abut_surface_feature *f,
                                     const abut_interval *at, ia *scratch, jet_bits *out)
{
    const ia parameters[2] = { ia_from(at[0]), ia_from(at[1]) };
    abut_jet jet;
    const bool defined = abut_feature_jet(s, f, parameters, ia_from(at[2]), 1, scratch, &jet);
    const ia3 parts[4] = { jet.p, jet.u, jet.v, jet.t };
    for (int i = 0; i < 4; ++i) {
        out->v[i][0] = ia_write(parts[i].x);
        out->v[i][1] = ia_write(parts[i].y);
        out->v[i][2] = ia_write(parts[i].z);
    }
    return defined;
}

static void same_surface(const abut_shape *a, const abut_shape *b)
{
    const abut_surface *s[2] = { a->surface, b->surface };
    assert_true(s[0]->feature_count == s[1]->feature_count && s[0]->deforms == s[1]->deforms);
    for (uint64_t seed = 0; seed < test_count(200); ++seed) {
        test_random r = test_seed(seed);
        abut_interval at[3];
        for (int i = 0; i < 3; ++i) {
            const double lo = test_uniform(&r, -2, 2);
            at[i] = (abut_interval){ lo, lo + (test_below(&r, 3) ? test_uniform(&r, 0, 1) : 0) };
        }
        jet_bits found[2];
        for (int k = 0; k < 2; ++k) {
            const abut_surface_feature *face = NULL;
            for (size_t i = 0; i < s[k]->feature_count && !face; ++i)
                if (s[k]->features[i].dimension == 2)
                    face = &s[k]->features[i];
            assert_non_null(face);
            ia *scratch = aligned_alloc(16, 16 * (s[k]->scratch + 1));
            assert_non_null(scratch);
            const abut_rounding saved = abut_rounding_enter();
            const bool defined = jet_kernel(s[k], face, at, scratch, &found[k]);
            abut_rounding_leave(saved);
            assert_true(defined);
            free(scratch);
        }
        assert_memory_equal(&found[0], &found[1], sizeof found[0]);
    }
}

static void parametric_surfaces_agree(void **state)
{
    (void)state;
    abut_shape *text = text_torus(), *graph, *own;
    abut_error error;
    int calls = 0;
    TEST_CHECK(graph_torus(NULL, &graph, &error) == ABUT_OK, "%s", error.text);
    TEST_CHECK(abut_shape_create_parametric_inclusion(torus_inclusion, &calls, true, &whole, NULL, &own,
                                                      &error) == ABUT_OK,
               "%s", error.text);
    assert_true(calls > 0);
    same_surface(text, graph);
    same_surface(text, own);
    abut_shape_release(text);
    abut_shape_release(graph);
    abut_shape_release(own);
}

static bool ball_inclusion(void *ctx, const abut_interval *box, int order, abut_interval *out)
{
    abut_interval f = abut_interval_point(-1);
    (void)ctx;
    for (size_t i = 0; i < abut_tape_stride(4, order); ++i)
        out[i] = abut_interval_point(0);
    for (int i = 0; i < 3; ++i) {
        static const int diagonal[3] = { 5, 9, 12 };
        f = abut_interval_add(f, abut_interval_sqr(box[i]));
        if (order > 0)
            out[1 + i] = abut_interval_add(box[i], box[i]);
        if (order > 1)
            out[diagonal[i]] = abut_interval_point(2);
    }
    out[0] = f;
    return true;
}

static void implicit_solids_agree(void **state)
{
    (void)state;
    const abut_aabb bounds = { { -2, -2, -2 }, { 2, 2, 2 } };
    abut_shape *text, *graph, *own, *both;
    abut_graph *g;
    abut_error error;
    assert_int_equal(abut_graph_create(4, NULL, &g), ABUT_OK);
    /* nodes come in the order of the text */
    abut_node f = abut_graph_negate(g, abut_graph_number(g, 1));
    for (size_t i = 0; i < 3; ++i) {
        const abut_node x = abut_graph_variable(g, i), two = abut_graph_number(g, 2);
        f = abut_graph_add(g, f, abut_graph_power(g, x, two));
    }
    TEST_CHECK(abut_shape_create_implicit("-1 + x^2 + y^2 + z^2", bounds, NULL, &text, &error) == ABUT_OK,
               "%s", error.text);
    TEST_CHECK(abut_shape_create_implicit_graph(g, f, bounds, NULL, &graph, &error) == ABUT_OK, "%s",
               error.text);
    abut_graph_destroy(g);
    assert_int_equal(text->u.implicit.f->node_count, graph->u.implicit.f->node_count);
    for (size_t i = 0; i < text->u.implicit.f->node_count; ++i) {
        const abut_expr_node *a = &text->u.implicit.f->nodes[i], *b = &graph->u.implicit.f->nodes[i];
        assert_true(a->op == b->op && a->a == b->a && a->b == b->b && a->value == b->value);
    }
    TEST_CHECK(abut_shape_create_implicit_inclusion(ball_inclusion, NULL, false, bounds, NULL, &own,
                                                    &error) == ABUT_OK,
               "%s", error.text);
    assert_true(own->surface->feature_count == text->surface->feature_count && !own->surface->deforms);
    TEST_CHECK(abut_shape_create_csg(ABUT_CSG_UNION, (abut_shape *[2]){ text, own }, 2, NULL, &both,
                                     &error) == ABUT_OK,
               "%s", error.text);
    abut_shape_release(text);
    abut_shape_release(graph);
    abut_shape_release(own);
    abut_shape_release(both);
}

/* ---- motions and mistakes ---- */

static void motions_agree(void **state)
{
    (void)state;
    const char *const path[3] = { "2*cos(pi*t)", "-t^3", "min(t, 0.5) - -1" };
    abut_graph *g;
    abut_motion *text, *graph;
    abut_error error;
    assert_int_equal(abut_graph_create(1, NULL, &g), ABUT_OK);
    const abut_node t = abut_graph_variable(g, 0), turn = abut_graph_multiply(g, abut_graph_pi(g), t);
    const abut_node position[3] = {
        abut_graph_multiply(g, abut_graph_number(g, 2), abut_graph_cos(g, turn)),
        abut_graph_negate(g, abut_graph_power(g, t, abut_graph_number(g, 3))),
        abut_graph_subtract(g, abut_graph_min(g, t, abut_graph_number(g, 0.5)),
                            abut_graph_negate(g, abut_graph_number(g, 1))),
    };
    const abut_vec3 axis = { 1, 2, 3 };
    TEST_CHECK(abut_motion_create_expression(0, 2, path, axis, "pi*t", NULL, &text, &error) == ABUT_OK, "%s",
               error.text);
    TEST_CHECK(abut_motion_create_expression_graph(0, 2, g, position, axis, &turn, NULL, &graph, &error) ==
                   ABUT_OK,
               "%s", error.text);
    abut_graph_destroy(g);
    for (uint64_t seed = 0; seed < test_count(200); ++seed) {
        test_random r = test_seed(seed);
        const double lo = test_uniform(&r, 0, 2), hi = test_uniform(&r, lo, 2);
        abut_interval_affine a[2], b[2];
        abut_affine p[2], q[2];
        const abut_motion *m[2] = { text, graph };
        for (int k = 0; k < 2; ++k) {
            assert_int_equal(abut_motion_enclose(m[k], (abut_interval){ lo, hi }, &a[k]), ABUT_OK);
            assert_int_equal(abut_motion_enclose_velocity(m[k], (abut_interval){ lo, hi }, &b[k]), ABUT_OK);
            assert_int_equal(abut_motion_at(m[k], lo, &p[k]), ABUT_OK);
            assert_int_equal(abut_motion_velocity_at(m[k], lo, &q[k]), ABUT_OK);
        }
        assert_memory_equal(&a[0], &a[1], sizeof a[0]);
        assert_memory_equal(&b[0], &b[1], sizeof b[0]);
        assert_memory_equal(&p[0], &p[1], sizeof p[0]);
        assert_memory_equal(&q[0], &q[1], sizeof q[0]);
    }
    abut_motion_release(text);
    abut_motion_release(graph);
}

static void mistakes_stick(void **state)
{
    (void)state;
    abut_graph *g;
    abut_shape *shape;
    abut_motion *motion;
    abut_error error;
    const abut_node far = { 1000 };
    const abut_vec3 axis = { 0, 0, 1 };
    assert_int_equal(abut_graph_create(9, NULL, &g), ABUT_ERR_ARGUMENT);
    assert_int_equal(abut_graph_create(1, NULL, NULL), ABUT_ERR_ARGUMENT);
    assert_int_equal(abut_graph_status(NULL), ABUT_ERR_ARGUMENT);
    abut_graph_destroy(NULL);
    abut_graph_sin(NULL, far);
    for (int mistake = 0; mistake < 6; ++mistake) {
        assert_int_equal(abut_graph_create(1, NULL, &g), ABUT_OK);
        const abut_node t = abut_graph_variable(g, 0);
        switch (mistake) {
        case 0: abut_graph_number(g, INFINITY); break;
        case 1: abut_graph_number(g, NAN); break;
        case 2: abut_graph_variable(g, 1); break;
        case 3: abut_graph_add(g, t, far); break;
        case 4: abut_graph_negate(g, far); break;
        default: abut_graph_sin(g, far); break;
        }
        assert_int_equal(abut_graph_status(g), ABUT_ERR_ARGUMENT);
        assert_int_equal(abut_graph_sin(g, t).index, 0);
        const abut_node path[3] = { t, t, t };
        assert_int_equal(
            abut_motion_create_expression_graph(0, 1, g, path, axis, NULL, NULL, &motion, &error),
            ABUT_ERR_ARGUMENT);
        assert_null(motion);
        abut_graph_destroy(g);
    }
    /* The wrong number of variables, roots that are no nodes, no graph, no domain. */
    assert_int_equal(abut_graph_create(1, NULL, &g), ABUT_OK);
    const abut_node t = abut_graph_variable(g, 0), path[3] = { t, t, t }, lost[3] = { t, far, t };
    assert_int_equal(abut_shape_create_parametric_graph(g, path, &whole, NULL, &shape, &error),
                     ABUT_ERR_ARGUMENT);
    assert_non_null(strstr(error.text, "variables"));
    assert_int_equal(
        abut_shape_create_implicit_graph(g, t, (abut_aabb){ { 0, 0, 0 }, { 1, 1, 1 } }, NULL, &shape, &error),
        ABUT_ERR_ARGUMENT);
    assert_int_equal(abut_motion_create_expression_graph(0, 1, g, lost, axis, NULL, NULL, &motion, &error),
                     ABUT_ERR_ARGUMENT);
    assert_int_equal(error.index, 1);
    assert_int_equal(abut_motion_create_expression_graph(0, 1, NULL, path, axis, NULL, NULL, &motion, &error),
                     ABUT_ERR_ARGUMENT);
    assert_int_equal(
        abut_motion_create_expression_graph(0, 1, g, path, (abut_vec3){ 0, 0, 0 }, &t, NULL, &motion, &error),
        ABUT_ERR_ARGUMENT);
    assert_int_equal(abut_motion_create_expression_graph(1, 1, g, path, axis, NULL, NULL, &motion, &error),
                     ABUT_ERR_ARGUMENT);
    assert_int_equal(abut_shape_create_parametric_graph(g, path, NULL, NULL, &shape, &error),
                     ABUT_ERR_ARGUMENT);
    assert_int_equal(abut_shape_create_parametric_inclusion(NULL, NULL, false, &whole, NULL, &shape, &error),
                     ABUT_ERR_ARGUMENT);
    abut_graph_destroy(g);
}

static void memory_runs_out(void **state)
{
    (void)state;
    abut_status status = ABUT_OK;
    TEST_EVERY_ALLOCATION_FAILS(
        alloc,
        {
            abut_shape *shape;
            abut_error error;
            status = graph_torus(&alloc, &shape, &error);
            TEST_CHECK((status == ABUT_OK) == (shape != NULL), "status %d", (int)status);
            abut_shape_release(shape);
        },
        status);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(parametric_surfaces_agree),
        cmocka_unit_test(implicit_solids_agree),
        cmocka_unit_test(motions_agree),
        cmocka_unit_test(mistakes_stick),
        cmocka_unit_test(memory_runs_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
