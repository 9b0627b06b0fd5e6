/* SPDX-License-Identifier: MIT */
/* The minimiser where it might lose something, double something or never end: zeros on all cuts,
 * at corners of seams, many at once, nearly double, with fewer equations than unknowns or three
 * for one unknown, at one instant, over huge and tiny ranges, with enclosures that say nothing. */
#include "test_minimise_support.h"

static const double pi = 3.14159265358979323846;

typedef struct fixture {
    abut_workspace ws;
    abut_minimum m;
} fixture;

static void solve(fixture *f, const abut_problem *p, const abut_minimise_opts *o)
{
    abut_workspace_open(&f->ws, NULL);
    assert_int_equal(abut_minimise(p, 1, o, &f->ws, &f->m), ABUT_OK);
}

static void done(fixture *f)
{
    abut_workspace_close(&f->ws);
}

/* All equations x_i = a_i, bent; the zero is where every bisection cuts. */
static void write_bent(const synthetic *s, const dual *x, written *out)
{
    const int n = s->unknowns;
    for (int i = 0; i < n; ++i) {
        const dual y = dual_plus(x[i], -s->a[i]), z = dual_plus(x[(i + 1) % n], -s->a[(i + 1) % n]);
        out->f[i] = dual_add(dual_add(y, dual_times(dual_sqr(y), 0.3)), dual_times(z, n > 1 ? 0.4 : 0));
    }
    out->place = (ia3){ x[0].v, n > 1 ? x[1].v : ia_point(0), ia_point(0) };
}

static void zeros_on_cuts(void **state)
{
    (void)state;
    for (int n = 1; n <= 5; ++n)
        for (int order = 0; order < ABUT_ORDER_COUNT; ++order) {
            const synthetic s = {
                .write = write_bent, .unknowns = n, .equations = n, .a = { 0.5, 0.5, 0.5, 0.5, 0.5 }
            };
            const abut_problem p = synthetic_problem(&s, 0, 1);
            abut_minimise_opts o = default_opts();
            fixture f;
            o.order = (abut_queue_order)order;
            solve(&f, &p, &o);
            TEST_CHECK(f.m.solution_count == 1 && f.m.solutions[0].holds, "%d unknowns: %zu", n,
                       f.m.solution_count);
            assert_true(f.m.earliest <= 0.5 && f.m.latest >= 0.5 && f.m.latest - f.m.earliest < 1e-14);
            done(&f);
        }
}

static void write_torus_corner(const synthetic *s, const dual *x, written *out)
{
    const dual u = dual_plus(x[0], -s->a[0]), v = dual_plus(x[1], -s->a[1]);
    out->f[0] = dual_sin(u);
    out->f[1] = dual_add(dual_sin(v), dual_times(dual_sin(u), 0.5));
    out->f[2] = dual_plus(x[2], -0.5);
    out->positive[0] = ia_cos(u.v);
    out->positive[1] = ia_cos(v.v);
    out->positive_count = 2;
    out->place = (ia3){ ia_cos(x[0].v), ia_sin(x[0].v), ia_sin(x[1].v) };
}

static void corners_of_seams(void **state)
{
    (void)state;
    const double at[][2] = {
        { 0, 0 }, { 0, 1 }, { 2 * pi, 2 * pi }, { 1e-16, -1e-16 }, { 1e-13, 0 }, { 3, 0 }
    };
    for (size_t i = 0; i < sizeof at / sizeof at[0]; ++i)
        for (int order = 0; order < ABUT_ORDER_COUNT; ++order) {
            const synthetic s = {
                .write = write_torus_corner, .unknowns = 3, .equations = 3, .a = { at[i][0], at[i][1] }
            };
            abut_problem p = synthetic_problem(&s, 0, 1);
            abut_minimise_opts o = default_opts();
            fixture f;
            p.box[0] = p.box[1] = (abut_interval){ 0, 2 * pi };
            p.wraps[0] = p.wraps[1] = true;
            o.order = (abut_queue_order)order;
            solve(&f, &p, &o);
            TEST_CHECK(f.m.solution_count == 1 && f.m.solutions[0].holds, "(%a, %a): %zu", at[i][0], at[i][1],
                       f.m.solution_count);
            done(&f);
        }
}

static void write_waves(const synthetic *s, const dual *x, written *out)
{
    out->f[0] = dual_sin(dual_times(x[0], s->a[0]));
    out->f[1] = dual_plus(x[1], -0.5);
    out->place = (ia3){ x[0].v, ia_point(0), ia_point(0) };
}

static void many_at_once(void **state)
{
    (void)state;
    const synthetic s = { .write = write_waves, .unknowns = 2, .equations = 2, .a = { 300 } };
    abut_problem p = synthetic_problem(&s, 0, 1);
    abut_minimise_opts o = default_opts();
    fixture f;
    p.box[0] = (abut_interval){ 0.001, 1 };
    solve(&f, &p, &o);
    assert_int_equal(f.m.solution_count, 95); /* k pi / 300 for 1 <= k <= 95 */
    for (size_t i = 0; i < f.m.solution_count; ++i) {
        const double zero = (double)(i + 1) * pi / 300;
        TEST_NEAR(abut_interval_mid(f.m.solutions[i].x[0]), zero, 1e-14, "zero %zu", i);
        assert_true(f.m.solutions[i].holds);
    }
    done(&f);
}

/* (x - a)(x - a - b) = 0: two zeros, b apart. */
static void write_twins(const synthetic *s, const dual *x, written *out)
{
    const dual y = dual_plus(x[0], -s->a[0]);
    out->f[0] = dual_mul(y, dual_plus(y, -s->a[1]));
    out->f[1] = dual_sub(dual_plus(x[1], -0.5), y);
    out->place = (ia3){ x[0].v, ia_point(0), ia_point(0) };
}

static void nearly_double(void **state)
{
    (void)state;
    const double apart[] = { 1e-2, 1e-4, 1e-5, 1e-7, 1e-9, 1e-12, 0 };
    for (size_t i = 0; i < sizeof apart / sizeof apart[0]; ++i) {
        const synthetic s = { .write = write_twins, .unknowns = 2, .equations = 2, .a = { 0.3, apart[i] } };
        const abut_problem p = synthetic_problem(&s, 0, 1);
        abut_minimise_opts o = default_opts();
        fixture f;
        solve(&f, &p, &o);
        TEST_CHECK(f.m.stop == ABUT_STOP_DONE && f.m.earliest <= 0.5 && f.m.earliest > 0.5 - 4e-6, "%g: %a",
                   apart[i], f.m.earliest);
        if (apart[i] > 1e-6) /* the second is later */
            TEST_CHECK(f.m.solution_count == 1 && f.m.solutions[0].holds && f.m.latest >= 0.5, "%g",
                       apart[i]);
        else
            TEST_CHECK(f.m.solution_count >= 1 && f.m.solution_count <= 3, "%g: %zu", apart[i],
                       f.m.solution_count);
        done(&f);
    }
}

/* t = a + x^2 + y^2 alone: a surface of solutions, whose earliest point is sought. */
static void write_basin(const synthetic *s, const dual *x, written *out)
{
    out->f[0] = dual_sub(dual_plus(x[2], -s->a[0]), dual_add(dual_sqr(x[0]), dual_sqr(x[1])));
    out->place = (ia3){ x[0].v, x[1].v, ia_point(0) };
}

static void fewer_equations(void **state)
{
    (void)state;
    const synthetic s = { .write = write_basin, .unknowns = 3, .equations = 1, .a = { 0.3 } };
    abut_problem p = synthetic_problem(&s, -1, 1.1);
    abut_minimise_opts o = default_opts();
    fixture f;
    p.box[2] = (abut_interval){ 0, 1 };
    o.accuracy = o.duration = 1e-3;
    solve(&f, &p, &o);
    assert_true(f.m.stop == ABUT_STOP_DONE && f.m.solution_count >= 1 && f.m.latest == HUGE_VAL);
    TEST_CHECK(f.m.earliest <= 0.3 && f.m.earliest > 0.3 - 4e-3, "%g", f.m.earliest);
    done(&f);
}

/* A vertex meets a vertex: three equations for the time alone. */
static void write_vertices(const synthetic *s, const dual *x, written *out)
{
    out->f[0] = dual_plus(x[0], -0.5);
    out->f[1] = dual_plus(dual_sqr(x[0]), -0.25);
    out->f[2] = dual_plus(dual_times(x[0], -2), 1 + s->a[0]);
    out->place = (ia3){ x[0].v, ia_point(0), ia_point(0) };
}

static void vertices(void **state)
{
    (void)state;
    const double miss[] = { 0, 1e-3, 1e-9, 1e-14 };
    for (int i = 0; i < 4; ++i) {
        const synthetic s = { .write = write_vertices, .unknowns = 1, .equations = 3, .a = { miss[i] } };
        const abut_problem p = synthetic_problem(&s, 0, 1);
        const abut_minimise_opts o = default_opts();
        fixture f;
        solve(&f, &p, &o);
        TEST_CHECK(f.m.solution_count == (miss[i] == 0), "%g: %zu", miss[i], f.m.solution_count);
        assert_true(miss[i] == 0
                        ? f.m.earliest <= 0.5 && f.m.earliest > 0.5 - 1e-15 && !f.m.solutions[0].unique
                        : f.m.earliest == HUGE_VAL);
        done(&f);
    }
}

/* The range of the time is one instant: two circles that cross, touch or miss. */
static void write_circles(const synthetic *s, const dual *x, written *out)
{
    const dual one = dual_sub(dual_number(s->a[0]), x[2]);
    out->f[0] = dual_plus(dual_add(dual_sqr(x[0]), dual_sqr(x[1])), -1);
    out->f[1] = dual_plus(dual_add(dual_sqr(dual_sub(x[0], one)), dual_sqr(x[1])), -1);
    out->place = (ia3){ x[0].v, x[1].v, ia_point(0) };
}

static void one_instant(void **state)
{
    (void)state;
    const struct {
        double apart;
        size_t least, most;
    } cases[] = { { 1, 2, 2 }, { 2, 1, 2 }, { 2.001, 0, 0 }, { 2.5, 0, 0 } };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        const synthetic s = {
            .write = write_circles, .unknowns = 3, .equations = 2, .a = { cases[i].apart + 0.25 }
        };
        abut_problem p = synthetic_problem(&s, -1.5, 1.6);
        const abut_minimise_opts o = default_opts();
        fixture f;
        p.box[2] = (abut_interval){ 0.25, 0.25 };
        solve(&f, &p, &o);
        TEST_CHECK(f.m.stop == ABUT_STOP_DONE && f.m.solution_count >= cases[i].least &&
                       f.m.solution_count <= cases[i].most,
                   "%g apart: %zu", cases[i].apart, f.m.solution_count);
        assert_true(f.m.earliest == (cases[i].most ? 0.25 : HUGE_VAL));
        done(&f);
    }
}

/* Ranges and functions of any size: the same zero in the middle. */
static void write_scaled(const synthetic *s, const dual *x, written *out)
{
    const dual y = dual_plus(dual_times(x[0], 1 / s->a[0]), -0.3), t = dual_plus(x[1], -0.5);
    out->f[0] = dual_times(dual_add(y, dual_sqr(y)), s->a[1]);
    out->f[1] = dual_times(dual_sub(t, y), s->a[2]);
    out->place = (ia3){ ia_add(y.v, ia_point(0)), ia_point(0), ia_point(0) };
}

static void any_size(void **state)
{
    (void)state;
    const double sizes[] = { 1e-140, 1e-20, 1, 1e20, 1e140 };
    for (int k = 0; k < 125; ++k) {
        const synthetic s = { .write = write_scaled,
                              .unknowns = 2,
                              .equations = 2,
                              .a = { sizes[k % 5], sizes[k / 5 % 5], sizes[k / 25] } };
        abut_problem p = synthetic_problem(&s, 0, 1);
        const abut_minimise_opts o = default_opts();
        fixture f;
        p.box[0] = (abut_interval){ 0, s.a[0] };
        solve(&f, &p, &o);
        TEST_CHECK(f.m.solution_count == 1 && f.m.earliest <= 0.5 && f.m.earliest > 0.5 - 4e-6,
                   "%g %g %g: %zu, %a", s.a[0], s.a[1], s.a[2], f.m.solution_count, f.m.earliest);
        TEST_CHECK(f.m.solutions[0].holds && f.m.latest >= 0.5, "%g %g %g", s.a[0], s.a[1], s.a[2]);
        done(&f);
    }
}

/* An enclosure that never says anything: everything may be a solution, and that is said after a
 * while, sampled. */
static void enclose_nothing(const void *ctx, const ia *x, int order, int thread, abut_system *out)
{
    (void)ctx;
    (void)thread;
    out->f[0] = out->f[1] = ia_entire();
    for (int i = 0; order > 0 && i < 4; ++i)
        out->jacobian[i / 2][i % 2] = ia_entire();
    out->place = (ia3){ x[0], ia_point(0), ia_point(0) };
    out->defined = order < 1;
}

static void no_information(void **state)
{
    (void)state;
    const abut_problem p = {
        .unknowns = 2, .equations = 2, .box = { { 0, 1 }, { 0, 1 } }, .enclose = enclose_nothing
    };
    for (int newton = 0; newton < ABUT_NEWTON_COUNT; ++newton) {
        abut_minimise_opts o = default_opts();
        fixture f;
        o.newton = (abut_newton_method)newton;
        o.accuracy = o.duration = 1e-3;
        solve(&f, &p, &o);
        assert_true(f.m.stop == ABUT_STOP_DONE && f.m.earliest == 0 && f.m.latest == HUGE_VAL);
        TEST_CHECK(f.m.solution_count >= 5 && f.m.solution_count < 25, "%zu", f.m.solution_count);
        done(&f);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(zeros_on_cuts), cmocka_unit_test(corners_of_seams), cmocka_unit_test(many_at_once),
        cmocka_unit_test(nearly_double), cmocka_unit_test(fewer_equations),  cmocka_unit_test(vertices),
        cmocka_unit_test(one_instant),   cmocka_unit_test(any_size),         cmocka_unit_test(no_information),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
