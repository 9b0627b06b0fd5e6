/* SPDX-License-Identifier: MIT */
/* Real roots of polynomials on the whole line: certified, as narrow as doubles allow, against
 * CGAL's algebraic kernel; certified to 1e-9; and abut's two uncertified solvers. Random real
 * roots in [-2, 2] at least 0.05 apart and complex pairs at least 0.05 off the line, so that the
 * number of real roots is known whatever the rounding of the coefficients; "double roots" are
 * exact products of (x - integer)^2. */
#include "abut/polynomial.h"
#include "number_case.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* c times x^2 + b x + d, or x + d. */
static void multiply(double *c, int *degree, int by, double b, double d)
{
    for (int i = *degree + by; i >= 0; --i) {
        double sum = i <= *degree ? d * c[i] : 0;
        if (by == 2 && i >= 1 && i - 1 <= *degree)
            sum += b * c[i - 1];
        if (i >= by)
            sum += c[i - by];
        c[i] = sum;
    }
    *degree += by;
}

static void make_separated(polynomial_job *job, int index, bench_random *r)
{
    double root[POLYNOMIAL_MAX_DEGREE];
    double *c = job->c[index];
    int degree = 0, count = 0;
    c[0] = 1;
    while (degree < job->degree) {
        if (degree + 2 <= job->degree && bench_bits(r) & 1) {
            const double x = bench_uniform(r, -2, 2), y = bench_uniform(r, 0.05, 2);
            multiply(c, &degree, 2, -2 * x, x * x + y * y);
            continue;
        }
        const double x = bench_uniform(r, -2, 2);
        bool apart = true;
        for (int i = 0; i < count; ++i)
            apart = apart && fabs(root[i] - x) >= 0.05;
        if (apart) {
            root[count++] = x;
            multiply(c, &degree, 1, 0, -x);
        }
    }
    job->roots[index] = count;
}

/* (x - i)^2 ..., distinct integers, and one more simple root where the degree is odd. */
static void make_double(polynomial_job *job, int index, bench_random *r)
{
    double *c = job->c[index];
    int degree = 0, count = 0;
    bool used[16] = { false };
    c[0] = 1;
    while (degree < job->degree) {
        const unsigned k = (unsigned)(bench_bits(r) % 16);
        if (used[k])
            continue;
        used[k] = true;
        const double x = (double)k - 8;
        ++count;
        multiply(c, &degree, 1, 0, -x);
        if (degree < job->degree)
            multiply(c, &degree, 1, 0, -x);
    }
    job->roots[index] = count;
}

static void *setup(const bench_case *c, bool quick, uint64_t *questions)
{
    (void)quick;
    polynomial_job *job = bench_alloc(1, sizeof *job);
    bench_random r = { (uint64_t)c->number };
    job->degree = c->number % 100;
    job->multiple = c->number >= 100;
    for (int i = 0; i < POLYNOMIALS; ++i)
        (job->multiple ? make_double : make_separated)(job, i, &r);
    *questions = POLYNOMIALS;
    return job;
}

typedef enum solver { CERTIFIED, CERTIFIED_LOOSE, CLOSED, BERNSTEIN } solver;

typedef struct solver_state {
    const polynomial_job *job;
    int found[POLYNOMIALS];
    uint64_t roots, clusters;
} solver_state;

static void *prepare(void *data, int variant)
{
    (void)variant;
    solver_state *s = bench_alloc(1, sizeof *s);
    s->job = data;
    return s;
}

static double run(void *state, int variant)
{
    solver_state *s = state;
    const int degree = s->job->degree;
    double sum = 0;
    s->roots = s->clusters = 0;
    for (int i = 0; i < POLYNOMIALS; ++i) {
        const double *c = s->job->c[i];
        int n;
        if (variant <= CERTIFIED_LOOSE) {
            abut_root roots[POLYNOMIAL_MAX_DEGREE];
            n = abut_polynomial_roots_certified(c, degree, -INFINITY, INFINITY,
                                                variant == CERTIFIED ? 0 : 1e-9, roots);
            for (int k = 0; k < n; ++k) {
                sum += roots[k].x.lo;
                s->clusters += roots[k].kind == ABUT_ROOT_CLUSTER;
            }
        } else {
            double roots[POLYNOMIAL_MAX_DEGREE];
            n = variant == CLOSED ? abut_polynomial_roots_closed(c, degree, roots)
                                  : abut_polynomial_roots_bernstein(c, degree, -INFINITY, INFINITY, roots);
            for (int k = 0; k < n; ++k)
                sum += roots[k];
        }
        s->found[i] = n;
        s->roots += (uint64_t)n;
    }
    return sum;
}

static uint64_t wrong(void *state, int variant)
{
    (void)variant;
    const solver_state *s = state;
    uint64_t count = s->clusters;
    for (int i = 0; i < POLYNOMIALS; ++i)
        count += s->found[i] != s->job->roots[i];
    return count;
}

static void count_roots(void *state, int variant, bench_counters *counters)
{
    (void)variant;
    const solver_state *s = state;
    bench_count(counters, "roots", (double)s->roots / POLYNOMIALS);
}

static void finish(void *state, int variant)
{
    (void)variant;
    free(state);
}

void bench_register_polynomial(void);
void bench_register_polynomial(void)
{
    static const struct {
        const char *name;
        int number;
    } cases[] = { { "degree 2", 2 },   { "degree 3", 3 },         { "degree 4", 4 },        { "degree 6", 6 },
                  { "degree 12", 12 }, { "double roots 4", 104 }, { "double roots 9", 109 } };
    static const char *const solvers[] = { "", ", to 1e-9", ", closed form, unproved",
                                           ", Bernstein, unproved" };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i)
        for (int variant = CERTIFIED; variant <= BERNSTEIN; ++variant) {
            if (variant == CLOSED && cases[i].number % 100 > 4)
                continue;
            char *name = bench_alloc(1, 64);
            snprintf(name, 64, "%s%s", cases[i].name, solvers[variant]);
            bench_case c = { .family = "polynomial",
                             .name = name,
                             .number = cases[i].number,
                             .setup = setup,
                             .teardown = free,
                             .abut = { .variant = variant,
                                       .prepare = prepare,
                                       .run = run,
                                       .wrong = wrong,
                                       .count = count_roots,
                                       .finish = finish } };
#ifdef BENCH_HAVE_CGAL
            if (variant == CERTIFIED)
                bench_cgal_polynomials(c.peers);
#endif
            bench_add(&c);
        }
}
