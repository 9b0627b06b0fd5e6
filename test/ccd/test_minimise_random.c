/* SPDX-License-Identifier: MIT */
/* Random polynomial systems all of whose zeros are known: products of linear factors in rotated
 * unknowns, a random polynomial for the time, the equations mixed by a random regular matrix.
 * The referee computes the zeros and their times in long double; it knows how far its own
 * rounding goes. Every simultaneous zero must be reported once, nothing else, and the times must
 * be enclosed. */
#include "test_minimise_support.h"

enum { MOST_ROOTS = 3, MOST_ZEROS = 27, TERMS = 10 };

/* Unknowns x_0 .. x_{k-1}, t. y = turn x; prod_r (y_i - root[i][r]) = 0; t = g(y). */
typedef struct poly_system {
    int k, roots[3];
    double root[3][MOST_ROOTS], turn[3][3], mix[4][4];
    double g[TERMS];            /* 1, y0, y1, y2, y0 y1, y1 y2, y2 y0, y0^2, y1^2, y2^2 */
    double side[4];             /* the inequality side . (y, 1) >= 0 */
    double unit[4], measure[4]; /* powers of two by which unknowns and equations are scaled */
} poly_system;

static void write_poly(const synthetic *s, const dual *scaled, written *out)
{
    const poly_system *q = s->more;
    dual x[4], y[3], raw[4];
    for (int j = 0; j <= q->k; ++j)
        x[j] = dual_times(scaled[j], 1 / q->unit[j]);
    for (int i = 0; i < 3; ++i) {
        y[i] = dual_number(0);
        for (int j = 0; i < q->k && j < q->k; ++j)
            y[i] = dual_add(y[i], dual_times(x[j], q->turn[i][j]));
    }
    for (int i = 0; i < q->k; ++i) {
        raw[i] = dual_plus(y[i], -q->root[i][0]);
        for (int r = 1; r < q->roots[i]; ++r)
            raw[i] = dual_mul(raw[i], dual_plus(y[i], -q->root[i][r]));
    }
    dual g = dual_number(q->g[0]);
    for (int i = 0; i < 3; ++i) {
        g = dual_add(g, dual_times(y[i], q->g[1 + i]));
        g = dual_add(g, dual_times(dual_mul(y[i], y[(i + 1) % 3]), q->g[4 + i]));
        g = dual_add(g, dual_times(dual_sqr(y[i]), q->g[7 + i]));
    }
    raw[q->k] = dual_sub(x[q->k], g);
    for (int i = 0; i <= q->k; ++i) {
        out->f[i] = dual_number(0);
        for (int j = 0; j <= q->k; ++j)
            out->f[i] = dual_add(out->f[i], dual_times(raw[j], q->measure[i] * q->mix[i][j]));
    }
    out->positive[0] = ia_point(q->side[3]);
    for (int i = 0; i < 3; ++i)
        out->positive[0] = ia_add(out->positive[0], ia_scale(q->side[i], y[i].v));
    out->positive_count = 1;
    out->place = (ia3){ x[0].v, q->k > 1 ? x[1].v : ia_point(0), q->k > 2 ? x[2].v : ia_point(0) };
}

static void random_system(test_random *r, poly_system *q)
{
    *q = (poly_system){ .k = 1 + (int)test_below(r, 3) };
    const double angle = test_uniform(r, 0, 6.28), c = cos(angle), s = sin(angle);
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j)
            q->turn[i][j] = i == j;
    if (q->k > 1) {
        q->turn[0][0] = q->turn[1][1] = c;
        q->turn[0][1] = -s;
        q->turn[1][0] = s;
    }
    for (int i = 0; i < q->k; ++i) {
        q->roots[i] = 1 + (int)test_below(r, MOST_ROOTS);
        for (int k = 0; k < q->roots[i]; ++k)
            q->root[i][k] =
                (test_bits(r) & 3) ? test_uniform(r, -0.9, 0.9) : (double)test_below(r, 9) * 0.25 - 1;
    }
    for (int i = 0; i < TERMS; ++i)
        q->g[i] = test_uniform(r, -0.4, 0.4);
    q->g[0] += 0.5;
    for (int i = 0; i <= q->k; ++i)
        for (int j = 0; j <= q->k; ++j)
            q->mix[i][j] = (i == j) + test_uniform(r, -0.3, 0.3);
    for (int i = 0; i < 3; ++i)
        q->side[i] = i < q->k ? test_uniform(r, -1, 1) : 0;
    q->side[3] = test_uniform(r, -0.2, 1);
    const bool scaled = test_below(r, 2);
    for (int i = 0; i < 4; ++i) {
        q->unit[i] = scaled && i < q->k ? ldexp(1, (int)test_below(r, 61) - 30) : 1;
        q->measure[i] = scaled ? ldexp(1, (int)test_below(r, 101) - 50) : 1;
    }
}

/* ---- the referee ---- */

typedef struct zero {
    long double x[4], time, side;
} zero;

typedef struct truth {
    zero zeros[MOST_ZEROS]; /* those that may be in the box and feasible */
    int count;
    /* something is too near to call: ends of the range, double roots, the border of the
     * inequality */
    bool close;
} truth;

static void add_zero(const poly_system *q, const long double *y, truth *out)
{
    zero z = { .side = q->side[3] };
    /* turn is orthogonal but for its rounding; invert its 2 x 2 block properly */
    const long double a = q->turn[0][0], b = q->turn[0][1], c = q->turn[1][0], d = q->turn[1][1];
    if (q->k > 1) {
        z.x[0] = (d * y[0] - b * y[1]) / (a * d - b * c);
        z.x[1] = (a * y[1] - c * y[0]) / (a * d - b * c);
        z.x[2] = y[2];
    } else {
        z.x[0] = y[0] / a;
    }
    z.time = q->g[0];
    for (int i = 0; i < 3; ++i) {
        z.time += y[i] * q->g[1 + i] + y[i] * y[(i + 1) % 3] * q->g[4 + i] + y[i] * y[i] * q->g[7 + i];
        z.side += q->side[i] * y[i];
    }
    z.x[q->k] = z.time;
    for (int j = 0; j <= q->k; ++j) {
        const long double lo = j == q->k ? 0 : -1, hi = 1;
        if (fabsl(z.x[j] - lo) < 1e-9L || fabsl(z.x[j] - hi) < 1e-9L)
            out->close = true;
        if (z.x[j] < lo || z.x[j] > hi)
            return;
    }
    if (fabsl(z.side) < 1e-9L)
        out->close = true;
    if (z.side >= 0)
        out->zeros[out->count++] = z;
}

static void find_truth(const poly_system *q, truth *out)
{
    *out = (truth){ .count = 0 };
    for (int i = 0; i < q->k; ++i)
        for (int a = 0; a < q->roots[i]; ++a)
            for (int b = 0; b < a; ++b)
                if (fabs(q->root[i][a] - q->root[i][b]) < 1e-3)
                    out->close = true;
    for (int a = 0; a < q->roots[0]; ++a)
        for (int b = 0; b < (q->k > 1 ? q->roots[1] : 1); ++b)
            for (int c = 0; c < (q->k > 2 ? q->roots[2] : 1); ++c) {
                const long double y[3] = { q->root[0][a], q->k > 1 ? q->root[1][b] : 0,
                                           q->k > 2 ? q->root[2][c] : 0 };
                add_zero(q, y, out);
            }
}

static long double first_time(const truth *t)
{
    long double first = HUGE_VALL;
    for (int i = 0; i < t->count; ++i)
        first = t->zeros[i].time < first ? t->zeros[i].time : first;
    return first;
}

/* ---- the comparison ---- */

static bool contains(const poly_system *q, const abut_solution *s, const zero *z)
{
    for (int j = 0; j <= q->k; ++j)
        if (!(s->x[j].lo / q->unit[j] - 1e-15L <= z->x[j] && z->x[j] <= s->x[j].hi / q->unit[j] + 1e-15L))
            return false;
    return true;
}

static void compare(uint64_t seed, const poly_system *q, const truth *t, const abut_minimum *m,
                    double epsilon)
{
    const long double first = first_time(t);
    if (t->count == 0) {
        TEST_CHECK(m->solution_count == 0 && m->earliest == HUGE_VAL, "seed %" PRIu64 ": %zu, %a", seed,
                   m->solution_count, m->earliest);
        return;
    }
    /* Roots as near as 1e-3 make slopes of 1e-6, through which rounding shows 1e6 times as
     * large. */
    TEST_CHECK(m->earliest <= first + 1e-15L && m->latest >= first - 1e-15L && m->latest - m->earliest < 1e-9,
               "seed %" PRIu64 ": [%a, %a], first %La", seed, m->earliest, m->latest, first);
    size_t expected = 0, possible = 0;
    for (int i = 0; i < t->count; ++i) {
        int times = 0;
        for (size_t k = 0; k < m->solution_count; ++k)
            times += contains(q, &m->solutions[k], &t->zeros[i]);
        const bool due = t->zeros[i].time <= first + epsilon - 1e-12L;
        possible += t->zeros[i].time <= first + epsilon + 1e-12L;
        expected += due;
        TEST_CHECK(times <= 1 && (!due || times == 1), "seed %" PRIu64 ": zero %d reported %d times", seed, i,
                   times);
    }
    TEST_CHECK(m->solution_count >= expected && m->solution_count <= possible,
               "seed %" PRIu64 ": %zu solutions, expected %zu", seed, m->solution_count, expected);
    for (size_t k = 0; k < m->solution_count; ++k)
        TEST_CHECK(m->solutions[k].unique && m->solutions[k].holds, "seed %" PRIu64 ": solution %zu", seed,
                   k);
}

static void one_case(uint64_t seed)
{
    test_random r = test_seed(seed);
    poly_system q;
    truth t;
    random_system(&r, &q);
    find_truth(&q, &t);
    const synthetic s = { .write = write_poly, .unknowns = q.k + 1, .equations = q.k + 1, .more = &q };
    abut_problem p = synthetic_problem(&s, -1, 1);
    for (int j = 0; j < q.k; ++j)
        p.box[j] = (abut_interval){ -q.unit[j], q.unit[j] };
    p.box[q.k] = (abut_interval){ 0, 1 };
    abut_minimise_opts o = default_opts();
    o.accuracy = o.duration = 1e-7;
    o.separation = 1e-3;
    o.order = (abut_queue_order)test_below(&r, ABUT_ORDER_COUNT);
    o.newton = (abut_newton_method)(test_below(&r, 2) ? ABUT_NEWTON_AUTO : test_below(&r, ABUT_NEWTON_NONE));
    if (o.newton == ABUT_NEWTON_INVERSE) /* weak on mixed equations */
        o.max_iterations = 3000;
    o.simultaneity = test_below(&r, 2) ? 0 : test_uniform(&r, 0, 0.3);
    abut_workspace ws;
    abut_minimum m;
    abut_workspace_open(&ws, NULL);
    assert_int_equal(abut_minimise(&p, 1, &o, &ws, &m), ABUT_OK);
    const long double first = first_time(&t);
    if (!t.close && (m.stop == ABUT_STOP_DONE || o.newton != ABUT_NEWTON_INVERSE)) {
        TEST_CHECK(m.stop == ABUT_STOP_DONE, "seed %" PRIu64 ": stop %d", seed, (int)m.stop);
        compare(seed, &q, &t, &m, o.simultaneity);
    } else { /* what is proved must be true even so */
        TEST_CHECK(m.earliest <= first + 1e-15L, "seed %" PRIu64 ": %a after %La", seed, m.earliest, first);
        for (size_t k = 0; k < m.solution_count; ++k) {
            bool known = !m.solutions[k].holds;
            for (int i = 0; i < t.count; ++i)
                known = known || contains(&q, &m.solutions[k], &t.zeros[i]);
            TEST_CHECK(known, "seed %" PRIu64 ": solution %zu is none", seed, k);
        }
    }
    abut_workspace_close(&ws);
}

static void random_systems(void **state)
{
    (void)state;
    const uint64_t count = test_count(4000);
    for (uint64_t seed = 0; seed < count; ++seed)
        one_case(seed);
}

int main(int argc, char **argv)
{
    if (argc > 1) {
        one_case(strtoull(argv[1], NULL, 0));
        return 0;
    }
    const struct CMUnitTest tests[] = { cmocka_unit_test(random_systems) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
