/* SPDX-License-Identifier: MIT */
/* The minimiser on systems whose solutions are known in closed form: isolated zeros, several at
 * once, zeros at the ends of ranges and across seams, curves and regions of solutions, none at
 * all, singular and overdetermined systems, inequalities; then bad input, budgets, cancellation,
 * and memory that runs out. */
#include "test_minimise_support.h"

static const double pi = 3.14159265358979323846;

/* ---- running ---- */

typedef struct fixture {
    abut_workspace ws;
    abut_minimum m;
} fixture;

static void solve(fixture *f, const abut_problem *p, size_t count, const abut_minimise_opts *o)
{
    abut_workspace_open(&f->ws, NULL);
    assert_int_equal(abut_minimise(p, count, o, &f->ws, &f->m), ABUT_OK);
}

static void done(fixture *f)
{
    abut_workspace_close(&f->ws);
}

static const abut_interval *time_of(const abut_problem *p, const abut_solution *s)
{
    return &s->x[p[s->problem].unknowns - 1];
}

/* All orders and Newton methods in turn: the truth does not depend on them. */
typedef struct variant {
    abut_minimise_opts opts;
    int number;
} variant;

static bool next_variant(variant *v)
{
    if (++v->number >= ABUT_ORDER_COUNT * ABUT_NEWTON_COUNT)
        return false;
    v->opts.order = (abut_queue_order)(v->number % ABUT_ORDER_COUNT);
    v->opts.newton = (abut_newton_method)(v->number / ABUT_ORDER_COUNT);
    return true;
}

static variant variants(void)
{
    return (variant){ default_opts(), -1 };
}

static bool proves(const variant *v)
{
    return v->opts.newton != ABUT_NEWTON_NONE;
}

#define CHECK_V(v, condition) \
    TEST_CHECK(condition, "order %d newton %d", (int)(v)->opts.order, (int)(v)->opts.newton)

/* ---- isolated zeros ---- */

/* x_i (1 + 0.3 x_{i+1}) = 0 about a_i, t = a_t - sum of squares: one zero only. */
static void write_bowl(const synthetic *s, const dual *x, written *out)
{
    const int n = s->unknowns - 1;
    dual y[DUALS], sum = dual_plus(x[n], -s->a[n]);
    for (int i = 0; i < n; ++i)
        y[i] = dual_plus(x[i], -s->a[i]);
    for (int i = 0; i < n; ++i) {
        out->f[i] = dual_mul(y[i], dual_plus(dual_times(y[(i + 1) % n], 0.3), 1));
        sum = dual_add(sum, dual_sqr(y[i]));
    }
    out->f[n] = sum;
    out->place = (ia3){ n > 0 ? x[0].v : ia_point(0), n > 1 ? x[1].v : ia_point(0), ia_point(0) };
}

static void isolated(void **state)
{
    (void)state;
    for (int n = 1; n <= 5; ++n) {
        synthetic s = { .write = write_bowl, .unknowns = n, .equations = n };
        for (int j = 0; j < n; ++j)
            s.a[j] = 0.3 + 0.07 * j;
        const abut_problem p = synthetic_problem(&s, 0, 1);
        for (variant v = variants(); next_variant(&v);) {
            fixture f;
            if (!proves(&v) && n > 3)
                continue;
            solve(&f, &p, 1, &v.opts);
            CHECK_V(&v, f.m.stop == ABUT_STOP_DONE && f.m.solution_count == 1);
            CHECK_V(&v, f.m.earliest <= s.a[n - 1]);
            TEST_NEAR(f.m.earliest, s.a[n - 1], proves(&v) ? 1e-15 : 3e-6, "n %d", n);
            CHECK_V(&v, f.m.solutions[0].unique == proves(&v) && f.m.solutions[0].holds == proves(&v));
            CHECK_V(&v, proves(&v) ? f.m.latest >= s.a[n - 1] && f.m.latest < s.a[n - 1] + 1e-15
                                   : f.m.latest == HUGE_VAL);
            for (int j = 0; j < n; ++j)
                CHECK_V(&v, abut_interval_contains(f.m.solutions[0].x[j], s.a[j]));
            done(&f);
        }
    }
}

/* x^3 = x, t = 1/2 + a x^2: zeros at -1, 0 and 1. */
static void write_three(const synthetic *s, const dual *x, written *out)
{
    out->f[0] = dual_sub(dual_mul(dual_sqr(x[0]), x[0]), x[0]);
    out->f[1] = dual_sub(dual_plus(x[1], -0.5), dual_times(dual_sqr(x[0]), s->a[0]));
    out->place = (ia3){ x[0].v, ia_point(0), ia_point(0) };
    out->positive[0] = ia_sub(x[0].v, ia_point(s->a[1]));
    out->positive_count = 1;
}

static void simultaneous(void **state)
{
    (void)state;
    const struct {
        double a, from, epsilon;
        size_t count;
        double time;
    } cases[] = {
        { 0, -3, 0, 3, 0.5 },          { 0.25, -3, 0, 1, 0.5 },       { 0.25, -3, 0.2499, 1, 0.5 },
        { 0.25, -3, 0.25001, 3, 0.5 }, { -0.25, -3, 0, 2, 0.25 },     { -0.25, 0.5, 0, 1, 0.25 },
        { 0.25, 0.5, 0, 1, 0.75 },     { -0.25, -0.5, 0.3, 2, 0.25 }, { 0.25, 1.5, 0, 0, HUGE_VAL },
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        const synthetic s = {
            .write = write_three, .unknowns = 2, .equations = 2, .a = { cases[i].a, cases[i].from }
        };
        abut_problem p = synthetic_problem(&s, 0, 1);
        p.box[0] = (abut_interval){ -2, 2.1 };
        for (variant v = variants(); next_variant(&v);) {
            fixture f;
            v.opts.simultaneity = cases[i].epsilon;
            solve(&f, &p, 1, &v.opts);
            TEST_CHECK(f.m.solution_count == cases[i].count, "case %zu order %d newton %d: %zu", i,
                       (int)v.opts.order, (int)v.opts.newton, f.m.solution_count);
            CHECK_V(&v, f.m.earliest <= cases[i].time);
            if (proves(&v))
                CHECK_V(&v, cases[i].count == 0
                                ? f.m.earliest == HUGE_VAL && f.m.latest == HUGE_VAL
                                : f.m.latest >= cases[i].time && f.m.latest - f.m.earliest < 1e-14);
            for (size_t k = 0; k < f.m.solution_count; ++k) {
                const abut_solution *found = &f.m.solutions[k];
                CHECK_V(&v, found->unique == proves(&v));
                CHECK_V(&v, k == 0 || found->x[0].lo > f.m.solutions[k - 1].x[0].hi);
                CHECK_V(&v, time_of(&p, found)->lo <= cases[i].time + cases[i].epsilon);
            }
            done(&f);
        }
    }
}

/* ---- ends of ranges and seams ---- */

static void write_line(const synthetic *s, const dual *x, written *out)
{
    out->f[0] = dual_sub(dual_times(x[0], s->a[0]), dual_number(s->a[1]));
    out->f[1] = dual_plus(x[1], -s->a[2]);
    out->place = (ia3){ x[0].v, ia_point(0), ia_point(0) };
}

static void ends_of_ranges(void **state)
{
    (void)state;
    /* 3 x = a: zeros at a / 3, which is no double, near the ends 0 and 1 of the range; and t at
     * its ends */
    const struct {
        double a, t;
        bool there;
    } cases[] = {
        { 0, 0.5, true },         { 3, 0.5, true },      { 1, 0, true },
        { 1, 1, true },           { 0, 0, true },        { 3, 1, true },
        { -0x1p-40, 0.5, false }, { 3.001, 0.5, false }, { 3 + 0x1p-45, 0.5, false },
        { 1, -1e-9, false },      { 1, 1.0001, false },
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        const synthetic s = {
            .write = write_line, .unknowns = 2, .equations = 2, .a = { 3, cases[i].a, cases[i].t }
        };
        const abut_problem p = synthetic_problem(&s, 0, 1);
        for (variant v = variants(); next_variant(&v);) {
            fixture f;
            solve(&f, &p, 1, &v.opts);
            if (proves(&v) || cases[i].there)
                TEST_CHECK(f.m.solution_count == (size_t)cases[i].there, "case %zu order %d newton %d: %zu",
                           i, (int)v.opts.order, (int)v.opts.newton, f.m.solution_count);
            if (cases[i].there &&
                proves(&v)) { /* sure to be in the range, or the range ends within rounding */
                const abut_solution *found = &f.m.solutions[0];
                CHECK_V(&v, found->unique && found->x[0].hi - found->x[0].lo < 1e-15);
                CHECK_V(&v, found->holds == (abut_interval_subset(found->x[0], p.box[0]) &&
                                             abut_interval_subset(found->x[1], p.box[1])));
                CHECK_V(&v, f.m.earliest <= cases[i].t && f.m.latest >= cases[i].t);
            }
            done(&f);
        }
    }
}

static void write_angle(const synthetic *s, const dual *x, written *out)
{
    const dual turned = dual_plus(x[0], -s->a[0]);
    out->f[0] = dual_sin(turned);
    out->f[1] = dual_plus(x[1], -0.25);
    out->positive[0] = ia_cos(turned.v);
    out->positive_count = 1;
    out->place = (ia3){ ia_cos(x[0].v), ia_sin(x[0].v), ia_point(0) };
}

/* One contact wherever the seam is. */
static void seams(void **state)
{
    (void)state;
    const double at[] = { 0, 2 * pi, 1e-17, -1e-12, 1e-9, 1, pi, 0.1, -0.1, 6.2 };
    for (size_t i = 0; i < sizeof at / sizeof at[0]; ++i) {
        const synthetic s = { .write = write_angle, .unknowns = 2, .equations = 2, .a = { at[i] } };
        abut_problem p = synthetic_problem(&s, 0, 1);
        p.box[0] = (abut_interval){ 0, 2 * pi };
        p.wraps[0] = true;
        for (variant v = variants(); next_variant(&v);) {
            fixture f;
            solve(&f, &p, 1, &v.opts);
            TEST_CHECK(f.m.solution_count == 1, "zero at %a, order %d newton %d: %zu", at[i],
                       (int)v.opts.order, (int)v.opts.newton, f.m.solution_count);
            CHECK_V(&v, f.m.solutions[0].holds == proves(&v) && f.m.earliest <= 0.25);
            CHECK_V(&v, f.m.solutions[0].x[0].lo > -1e-9 && f.m.solutions[0].x[0].hi < 2 * pi + 1e-9);
            done(&f);
        }
    }
}

/* ---- curves and regions ---- */

/* A bowl that is deepest along the unit circle meets a falling plane: (r^2 - 1)^2 = a - t, with
 * the gradient zero. */
static void write_ring(const synthetic *s, const dual *x, written *out)
{
    const dual r = dual_plus(dual_add(dual_sqr(x[0]), dual_sqr(x[1])), -1);
    out->f[0] = dual_sub(dual_sqr(r), dual_sub(dual_number(s->a[0]), x[2]));
    out->f[1] = dual_mul(x[0], r);
    out->f[2] = dual_mul(x[1], r);
    out->place = (ia3){ x[0].v, x[1].v, ia_point(s->a[1]) };
    out->positive[0] = ia_sub(ia_add(ia_sqr(x[0].v), ia_sqr(x[1].v)), ia_point(0.25));
    out->positive_count = 1;
}

static double distance2(const abut_solution *a, double x, double y)
{
    const double dx = abut_interval_mid(a->place.x) - x, dy = abut_interval_mid(a->place.y) - y;
    return dx * dx + dy * dy;
}

/* Every point (x, y) has a sample nearer than delta (and the size of a sample). */
static void check_covered(const abut_minimum *m, double x, double y, double delta)
{
    double nearest = HUGE_VAL;
    for (size_t i = 0; i < m->solution_count; ++i)
        nearest = fmin(nearest, distance2(&m->solutions[i], x, y));
    TEST_CHECK(sqrt(nearest) <= delta, "(%g, %g): nearest sample at %g of %zu", x, y, sqrt(nearest),
               m->solution_count);
}

static void check_apart(const abut_minimum *m, double least)
{
    for (size_t i = 0; i < m->solution_count; ++i)
        for (size_t k = 0; k < i; ++k) {
            const double d = distance2(&m->solutions[i], abut_interval_mid(m->solutions[k].place.x),
                                       abut_interval_mid(m->solutions[k].place.y));
            TEST_CHECK(d >= least * least, "samples %zu and %zu at %g", k, i, sqrt(d));
        }
}

static void curve(void **state)
{
    (void)state;
    const double deltas[] = { 0.5, 0.1, 0.03 }, epsilons[] = { 0, 1e-3 };
    for (int k = 0; k < 6; ++k) {
        const double delta = deltas[k % 3];
        const synthetic s = { .write = write_ring, .unknowns = 3, .equations = 3, .a = { 0.7 } };
        abut_problem p = synthetic_problem(&s, -1.5, 1.6);
        p.box[2] = (abut_interval){ 0, 1 };
        abut_minimise_opts o = default_opts();
        fixture f;
        o.simultaneity = epsilons[k / 3];
        o.separation = delta;
        o.accuracy = o.duration = 1e-4;
        solve(&f, &p, 1, &o);
        assert_int_equal(f.m.stop, ABUT_STOP_DONE);
        TEST_CHECK(f.m.earliest <= 0.7 && f.m.earliest > 0.7 - o.simultaneity - 4 * o.accuracy, "%.17g",
                   f.m.earliest);
        for (size_t i = 0; i < f.m.solution_count; ++i) {
            const abut_solution *found = &f.m.solutions[i];
            const double r = hypot(abut_interval_mid(found->place.x), abut_interval_mid(found->place.y));
            TEST_NEAR(r, 1, 0.02, "a sample off the circle"); /* (r^2 - 1)^2 < accuracy */
            assert_true(!found->unique && !found->holds);
            assert_true(time_of(&p, found)->lo <= 0.7 + o.simultaneity + 2 * o.accuracy);
        }
        for (int i = 0; i < 1000; ++i)
            check_covered(&f.m, cos(i), sin(i), delta + 1e-3);
        check_apart(&f.m, 0.5 * delta);
        TEST_CHECK((double)f.m.solution_count < 2 * pi / (0.5 * delta) + 2, "%zu samples",
                   f.m.solution_count);
        done(&f);
    }
}

/* Squares that lie on each other: x1 = x2, y1 = y2, t = a, and nothing from tangency. */
static void write_squares(const synthetic *s, const dual *x, written *out)
{
    out->f[0] = dual_sub(x[0], x[2]);
    out->f[1] = dual_sub(x[1], x[3]);
    out->f[2] = dual_plus(x[4], -s->a[0]);
    out->f[3] = out->f[4] = dual_number(0);
    out->place = (ia3){ x[0].v, x[1].v, ia_point(0) };
}

static void region(void **state)
{
    (void)state;
    const synthetic s = { .write = write_squares, .unknowns = 5, .equations = 5, .a = { 0.4 } };
    const abut_problem p = synthetic_problem(&s, 0, 1);
    for (int order = 0; order < ABUT_ORDER_COUNT; ++order) {
        abut_minimise_opts o = default_opts();
        fixture f;
        o.order = (abut_queue_order)order;
        o.accuracy = o.duration = 1e-4;
        o.simultaneity = 1e-3;
        solve(&f, &p, 1, &o);
        assert_int_equal(f.m.stop, ABUT_STOP_DONE);
        assert_true(f.m.earliest <= 0.4 && f.m.earliest > 0.4 - 2e-3 && f.m.latest == HUGE_VAL);
        for (int i = 0; i < 2500; ++i)
            check_covered(&f.m, i % 50 / 49.0, i / 50 / 49.0, 0.1 + 1e-3);
        check_apart(&f.m, 0.05);
        done(&f);
    }
}

/* A curve and a point in one queue. */
static void curve_and_point(void **state)
{
    (void)state;
    const double times[] = { 0.3, 0.7, 0.7005, 0.9 };
    const synthetic ring = { .write = write_ring, .unknowns = 3, .equations = 3, .a = { 0.7, 5 } };
    for (int k = 0; k < 4; ++k) {
        const synthetic point = {
            .write = write_bowl, .unknowns = 3, .equations = 3, .a = { 1, 0, times[k] }
        };
        abut_problem p[2] = { synthetic_problem(&ring, -1.5, 1.6), synthetic_problem(&point, -1.5, 1.6) };
        abut_minimise_opts o = default_opts();
        fixture f;
        size_t unique = 0;
        o.simultaneity = 1e-3;
        o.accuracy = o.duration = 1e-4;
        p[0].box[2] = p[1].box[2] = (abut_interval){ 0, 1 };
        solve(&f, p, 2, &o);
        for (size_t i = 0; i < f.m.solution_count; ++i) {
            unique += f.m.solutions[i].unique;
            assert_true(f.m.solutions[i].unique == (f.m.solutions[i].problem == 1));
        }
        TEST_CHECK(unique == (k < 3), "case %d", k);
        TEST_CHECK(k == 0 ? f.m.solution_count == 1 : f.m.solution_count > 30, "case %d: %zu", k,
                   f.m.solution_count);
        TEST_CHECK(k == 3 ? f.m.latest == HUGE_VAL : fabs(f.m.latest - times[k]) < 1e-14, "case %d", k);
        assert_true(f.m.earliest <= fmin(0.7, times[k]));
        done(&f);
    }
}

/* Samples of one pair of bodies do not thin out those of another. */
static void groups(void **state)
{
    (void)state;
    const synthetic ring = { .write = write_ring, .unknowns = 3, .equations = 3, .a = { 0.7 } };
    size_t counts[2] = { 0, 0 };
    for (uint32_t group = 0; group < 2; ++group) {
        abut_problem p[2] = { synthetic_problem(&ring, -1.5, 1.6), synthetic_problem(&ring, -1.5, 1.6) };
        abut_minimise_opts o = default_opts();
        fixture f;
        o.simultaneity = 1e-3;
        o.accuracy = o.duration = 1e-4;
        p[0].box[2] = p[1].box[2] = (abut_interval){ 0, 1 };
        p[1].group = group;
        solve(&f, p, 2, &o);
        counts[group] = f.m.solution_count;
        done(&f);
    }
    TEST_CHECK(10 * counts[1] > 17 * counts[0], "%zu %zu", counts[0], counts[1]);
}

/* ---- none, singular, overdetermined ---- */

static void write_circle(const synthetic *s, const dual *x, written *out)
{
    out->f[0] = dual_plus(dual_add(dual_sqr(x[0]), dual_sqr(x[1])), s->a[0]);
    out->f[1] = dual_sub(x[0], x[1]);
    out->place = (ia3){ x[0].v, x[1].v, ia_point(0) };
}

static void nothing(void **state)
{
    (void)state;
    const synthetic s = { .write = write_circle, .unknowns = 2, .equations = 2, .a = { 1e-3 } };
    const abut_problem p = synthetic_problem(&s, -1, 1);
    for (variant v = variants(); next_variant(&v);) {
        fixture f;
        solve(&f, &p, 1, &v.opts);
        CHECK_V(&v, f.m.solution_count == 0 && f.m.earliest == HUGE_VAL && f.m.latest == HUGE_VAL);
        CHECK_V(&v, f.m.stop == ABUT_STOP_DONE);
        done(&f);
    }
    fixture f;
    const abut_minimise_opts o = default_opts();
    solve(&f, NULL, 0, &o);
    assert_true(f.m.solution_count == 0 && f.m.earliest == HUGE_VAL);
    done(&f);
}

/* A double zero: x^2 + y^2 = 0, x = y. Found, not proved, and one sample is enough. */
static void singular(void **state)
{
    (void)state;
    const synthetic s = { .write = write_circle, .unknowns = 2, .equations = 2, .a = { 0 } };
    const abut_problem p = synthetic_problem(&s, -1, 1.1);
    for (variant v = variants(); next_variant(&v);) {
        fixture f;
        solve(&f, &p, 1, &v.opts);
        TEST_CHECK(f.m.solution_count == 1, "order %d newton %d: %zu", (int)v.opts.order, (int)v.opts.newton,
                   f.m.solution_count);
        CHECK_V(&v, !f.m.solutions[0].unique && f.m.latest == HUGE_VAL && f.m.earliest <= 0);
        CHECK_V(&v, f.m.earliest > -1e-5 && f.m.stop == ABUT_STOP_DONE);
        done(&f);
    }
}

/* A point on a moving curve: x = t, y = x^2, and y = 1/4 + a: three equations, two unknowns; the
 * third follows from the others with a = 0. */
static void write_vertex(const synthetic *s, const dual *x, written *out)
{
    out->f[0] = dual_sub(x[0], x[1]);
    out->f[1] = dual_plus(dual_sqr(x[0]), -0.25);
    out->f[2] = dual_plus(dual_mul(x[0], x[1]), -0.25 - s->a[0]);
    out->place = (ia3){ x[0].v, x[1].v, ia_point(0) };
    out->sufficient = (unsigned)s->a[1];
}

static void overdetermined(void **state)
{
    (void)state;
    for (int k = 0; k < 4; ++k) {
        const double misses[] = { 0, 1e-3, 1e-9, 0 };
        const synthetic s = {
            .write = write_vertex, .unknowns = 2, .equations = 3, .a = { misses[k], k == 3 ? 3 : 0 }
        };
        const abut_problem p = synthetic_problem(&s, 0, 1);
        for (variant v = variants(); next_variant(&v);) {
            fixture f;
            if (!proves(&v) && misses[k] > 0 && misses[k] < 1e-6)
                continue; /* within the accuracy: it may count */
            solve(&f, &p, 1, &v.opts);
            TEST_CHECK(f.m.solution_count == (misses[k] == 0), "case %d order %d newton %d: %zu", k,
                       (int)v.opts.order, (int)v.opts.newton, f.m.solution_count);
            if (misses[k] == 0) {
                const bool proved = k == 3 && proves(&v);
                CHECK_V(&v, f.m.solutions[0].unique == proved && f.m.solutions[0].holds == proved);
                CHECK_V(&v, f.m.earliest <= 0.5 && (proved ? f.m.latest >= 0.5 : f.m.latest == HUGE_VAL));
                CHECK_V(&v, !proves(&v) || f.m.earliest > 0.5 - 1e-14);
            } else {
                CHECK_V(&v, f.m.earliest == HUGE_VAL);
            }
            done(&f);
        }
    }
}

/* Two moving balls as fields, tangent by the cross product of their gradients: five equations,
 * four unknowns. */
static void write_balls(const synthetic *s, const dual *x, written *out)
{
    const dual cx = dual_plus(dual_times(x[3], -2), 3);
    const dual g1[3] = { x[0], x[1], x[2] };
    const dual g2[3] = { dual_sub(x[0], cx), dual_plus(x[1], -s->a[0]), x[2] };
    out->f[0] = dual_plus(dual_add(dual_add(dual_sqr(g1[0]), dual_sqr(g1[1])), dual_sqr(g1[2])), -1);
    out->f[1] = dual_plus(dual_add(dual_add(dual_sqr(g2[0]), dual_sqr(g2[1])), dual_sqr(g2[2])), -0.25);
    for (int i = 0; i < 3; ++i) {
        const int j = (i + 1) % 3, k = (i + 2) % 3;
        out->f[2 + i] = dual_sub(dual_mul(g1[j], g2[k]), dual_mul(g1[k], g2[j]));
    }
    /* g1 x g2 = c is orthogonal to g1: where component i of g1 is not zero, c_i follows from the
     * others */
    for (int i = 0; i < 3 && !out->sufficient; ++i)
        if (!ia_contains_zero(g1[i].v))
            out->sufficient = 0x1f & ~(4u << i);
    out->positive[0] =
        ia_neg(ia_add(ia_add(ia_mul(g1[0].v, g2[0].v), ia_mul(g1[1].v, g2[1].v)), ia_mul(g1[2].v, g2[2].v)));
    out->positive_count = 1;
    out->place = (ia3){ x[0].v, x[1].v, x[2].v };
}

static void cross_product(void **state)
{
    (void)state;
    const double offset = 0.6;
    const synthetic s = { .write = write_balls, .unknowns = 4, .equations = 5, .a = { offset } };
    abut_problem p = synthetic_problem(&s, -1.1, 1.2);
    p.box[3] = (abut_interval){ 0, 1 };
    /* distance 1.5: (3 - 2 t)^2 + 0.36 = 2.25 */
    const double time = (3 - sqrt(2.25 - offset * offset)) / 2;
    for (variant v = variants(); next_variant(&v);) {
        fixture f;
        if (!proves(&v))
            continue;
        solve(&f, &p, 1, &v.opts);
        CHECK_V(&v, f.m.solution_count == 1 && f.m.solutions[0].unique && f.m.solutions[0].holds);
        CHECK_V(&v, f.m.earliest <= time + 1e-15 && f.m.latest >= time - 1e-15 &&
                        f.m.latest - f.m.earliest < 1e-14);
        done(&f);
    }
}

/* sqrt(t - 1/4) over the whole range: undefined at first. */
static void enclose_root(const void *ctx, const ia *x, int order, int thread, abut_system *out)
{
    const ia under = ia_sub(x[0], ia_point(0.25)), root = ia_sqrt(under);
    (void)ctx;
    (void)thread;
    out->defined = ia_lo(under) > 0;
    out->holds = 1;
    out->f[0] = ia_is_empty(root) ? ia_point(1) : ia_sub(root, ia_point(0.5));
    if (order > 0)
        out->jacobian[0][0] = out->defined ? ia_div(ia_point(0.5), root) : ia_entire();
    out->place = (ia3){ x[0], ia_point(0), ia_point(0) };
}

static void partly_undefined(void **state)
{
    (void)state;
    const abut_problem p = { .unknowns = 1, .equations = 1, .box = { { 0, 1 } }, .enclose = enclose_root };
    for (variant v = variants(); next_variant(&v);) {
        fixture f;
        solve(&f, &p, 1, &v.opts);
        CHECK_V(&v, f.m.solution_count == 1 && f.m.solutions[0].unique == proves(&v));
        CHECK_V(&v, f.m.earliest <= 0.5 && f.m.earliest > 0.5 - (proves(&v) ? 1e-15 : 3e-6));
        done(&f);
    }
}

/* ---- stops and failures ---- */

static void bad_input(void **state)
{
    (void)state;
    const synthetic s = { .write = write_bowl, .unknowns = 3, .equations = 3, .a = { 0.5, 0.5, 0.5 } };
    abut_workspace ws;
    abut_minimum m;
    abut_workspace_open(&ws, NULL);
    for (int k = 0; k < 12; ++k) {
        abut_problem p = synthetic_problem(&s, 0, 1);
        abut_minimise_opts o = default_opts();
        switch (k) {
        case 0: p.unknowns = 0; break;
        case 1: p.unknowns = 6; break;
        case 2: p.equations = 7; break;
        case 3: p.box[1].lo = NAN; break;
        case 4: p.box[1].hi = HUGE_VAL; break;
        case 5: p.box[2] = (abut_interval){ 1, 0 }; break;
        case 6: o.separation = 0; break;
        case 7: o.accuracy = NAN; break;
        case 8: o.simultaneity = -1; break;
        case 9: o.threads = 0; break;
        case 10: o.newton = (abut_newton_method)9; break;
        default: p.enclose = NULL;
        }
        TEST_CHECK(abut_minimise(&p, 1, &o, &ws, &m) == ABUT_ERR_ARGUMENT, "case %d", k);
        assert_true(m.earliest == -HUGE_VAL && m.solution_count == 0);
    }
    abut_workspace_close(&ws);
}

/* Whatever the budget, what is said is true: no solution before `earliest`. */
static void budget(void **state)
{
    (void)state;
    const synthetic s = { .write = write_ring, .unknowns = 3, .equations = 3, .a = { 0.7 } };
    abut_problem p = synthetic_problem(&s, -1.5, 1.6);
    p.box[2] = (abut_interval){ 0, 1 };
    for (variant v = variants(); next_variant(&v);) {
        double before = -1;
        for (uint64_t budget = 0; budget < 3000; budget = 2 * budget + 1) {
            fixture f;
            v.opts.max_iterations = budget;
            v.opts.accuracy = v.opts.duration = 1e-4;
            v.opts.simultaneity = 1e-3;
            solve(&f, &p, 1, &v.opts);
            CHECK_V(&v, f.m.counters.iterations <= budget && f.m.earliest <= 0.7 && f.m.earliest >= 0);
            CHECK_V(&v, f.m.stop == ABUT_STOP_DONE || f.m.counters.iterations == budget);
            CHECK_V(&v, f.m.latest == HUGE_VAL);
            if (v.opts.order == ABUT_ORDER_LOWER)
                CHECK_V(&v, f.m.earliest >= before);
            before = f.m.earliest;
            done(&f);
        }
    }
}

/* Iterations of a problem count as its cost; the last may go beyond what is left. */
static void cost(void **state)
{
    (void)state;
    const synthetic s = { .write = write_ring, .unknowns = 3, .equations = 3, .a = { 0.7 } };
    abut_problem p = synthetic_problem(&s, -1.5, 1.6);
    p.box[2] = (abut_interval){ 0, 1 };
    for (variant v = variants(); next_variant(&v);)
        for (uint64_t each = 1; each < 1000; each *= 7) {
            fixture f;
            p.cost = each;
            v.opts.max_iterations = 500;
            v.opts.accuracy = v.opts.duration = 1e-4;
            v.opts.simultaneity = 1e-3;
            solve(&f, &p, 1, &v.opts);
            const uint64_t most = (500 + each - 1) / each;
            CHECK_V(&v, f.m.counters.iterations <= most && f.m.earliest <= 0.7 && f.m.earliest >= 0);
            CHECK_V(&v, f.m.stop == ABUT_STOP_DONE || f.m.counters.iterations == most);
            done(&f);
        }
}

typedef struct reports {
    int count, stop_at;
    double last;
} reports;

static bool on_progress(void *ctx, double fraction)
{
    reports *r = ctx;
    assert_true(fraction == -1 || (fraction >= 0 && fraction <= 1));
    volatile double third = 1; /* the caller's rounding mode */
    third /= 3;
    assert_true(third == 0x1.5555555555555p-2);
    r->last = fraction;
    return ++r->count != r->stop_at;
}

static void progress_and_cancel(void **state)
{
    (void)state;
    const synthetic s = { .write = write_squares, .unknowns = 5, .equations = 5, .a = { 0.4 } };
    const abut_problem p = synthetic_problem(&s, 0, 1);
    reports r = { 0, 0, 0 };
    abut_minimise_opts o = default_opts();
    fixture f;
    o.accuracy = o.duration = 1e-4;
    o.progress = on_progress;
    o.progress_ctx = &r;
    solve(&f, &p, 1, &o);
    assert_true(r.count > 3);
    done(&f);
    r = (reports){ 0, 3, 0 };
    abut_workspace_open(&f.ws, NULL);
    assert_int_equal(abut_minimise(&p, 1, &o, &f.ws, &f.m), ABUT_ERR_CANCELLED);
    assert_int_equal(f.m.stop, ABUT_STOP_CANCELLED);
    assert_true(r.count == 3 && f.m.earliest <= 0.4);
    done(&f);
}

typedef struct short_memory {
    int left;
} short_memory;

static void *short_alloc(void *ctx, void *memory, size_t old_size, size_t new_size)
{
    short_memory *s = ctx;
    (void)old_size;
    return s->left-- > 0 ? realloc(memory, new_size) : NULL;
}

static void short_free(void *ctx, void *memory, size_t size)
{
    (void)ctx;
    (void)size;
    free(memory);
}

static void memory_runs_out(void **state)
{
    (void)state;
    const synthetic s = { .write = write_squares, .unknowns = 5, .equations = 5, .a = { 0.4 } };
    const abut_problem p = synthetic_problem(&s, 0, 1);
    abut_minimise_opts o = default_opts();
    o.accuracy = o.duration = 1e-3;
    for (int allowed = 0;; ++allowed) {
        short_memory memory = { allowed };
        const abut_allocator alloc = { .reallocate = short_alloc, .release = short_free, .ctx = &memory };
        abut_workspace ws;
        abut_minimum m;
        abut_workspace_open(&ws, &alloc);
        const abut_status status = abut_minimise(&p, 1, &o, &ws, &m);
        abut_workspace_close(&ws);
        if (status == ABUT_OK) {
            assert_true(allowed > 2);
            break;
        }
        assert_int_equal(status, ABUT_ERR_MEMORY);
        assert_true(m.earliest == -HUGE_VAL && m.solution_count == 0);
        assert_true(allowed < 100);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(isolated),
        cmocka_unit_test(simultaneous),
        cmocka_unit_test(ends_of_ranges),
        cmocka_unit_test(seams),
        cmocka_unit_test(curve),
        cmocka_unit_test(region),
        cmocka_unit_test(curve_and_point),
        cmocka_unit_test(groups),
        cmocka_unit_test(nothing),
        cmocka_unit_test(singular),
        cmocka_unit_test(overdetermined),
        cmocka_unit_test(cross_product),
        cmocka_unit_test(partly_undefined),
        cmocka_unit_test(bad_input),
        cmocka_unit_test(budget),
        cmocka_unit_test(cost),
        cmocka_unit_test(progress_and_cancel),
        cmocka_unit_test(memory_runs_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
