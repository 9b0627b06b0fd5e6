/* SPDX-License-Identifier: MIT */
/* Components of the intersection of two surfaces, one row for each pair of kinds: random surfaces
 * of sizes about 1 near each other. Judged by the dense referee of the tests
 * (test/oracle/loops_dense.c): a complete answer with the wrong number of components is wrong;
 * `unproved` and the components are counted. */
#include "bench.h"

#include "abut/loops.h"
#include "oracle/loops_dense.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PAIRS = 64, KINDS = ABUT_SOLID_SURFACE_COUNT };

typedef struct job {
    dense_surface a[PAIRS], b[PAIRS];
    abut_loops out[PAIRS];
} job;

static abut_vec3 vector(bench_random *r, double size)
{
    const double x = bench_uniform(r, -size, size), y = bench_uniform(r, -size, size);
    return (abut_vec3){ x, y, bench_uniform(r, -size, size) };
}

static void make(bench_random *r, int kind, dense_surface *d)
{
    memset(d, 0, sizeof *d);
    d->pose.position = vector(r, 1);
    const abut_vec3 q = vector(r, 1);
    d->pose.rotation = (abut_quat){ bench_uniform(r, -1, 1), q.x, q.y, q.z };
    d->s.kind = (abut_solid_surface_kind)kind;
    d->s.point = vector(r, 0.5);
    d->s.axis = vector(r, 1);
    d->s.radius = bench_uniform(r, 0.3, 1.5);
    d->s.minor = d->s.radius * bench_uniform(r, 0.1, 0.9);
    d->s.tangent = bench_uniform(r, 0.2, 1.5);
    if (kind != ABUT_SOLID_QUADRIC)
        return;
    d->form = (dense_form)(1 + bench_bits(r) % (DENSE_FORMS - 1));
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j)
            d->map[i][j] = (i == j ? bench_uniform(r, 0.5, 1.3) : 0) + bench_uniform(r, -0.2, 0.2);
        d->map[i][3] = bench_uniform(r, -0.5, 0.5);
    }
    dense_make_quadric(d);
}

static void *setup(const bench_case *c, bool quick, uint64_t *questions)
{
    (void)quick;
    job *j = bench_alloc(1, sizeof *j);
    bench_random r = { (uint64_t)c->number };
    for (int i = 0; i < PAIRS; ++i) {
        make(&r, c->number / KINDS, &j->a[i]);
        make(&r, c->number % KINDS, &j->b[i]);
    }
    *questions = PAIRS;
    return j;
}

static double run(void *state, int variant)
{
    (void)variant;
    job *j = state;
    double sum = 0;
    for (int i = 0; i < PAIRS; ++i) {
        abut_surface_loops(&j->a[i].s, &j->a[i].pose, &j->b[i].s, &j->b[i].pose, &j->out[i]);
        sum += (double)j->out[i].count;
    }
    return sum;
}

static uint64_t wrong(void *state, int variant)
{
    (void)variant;
    const job *j = state;
    uint64_t count = 0;
    for (int i = 0; i < PAIRS; ++i) {
        const abut_loops *out = &j->out[i];
        if (out->status != ABUT_LOOPS_COMPLETE)
            continue;
        const bool turn = dense_prefers(&j->b[i], &j->a[i]);
        dense_result r;
        dense_components(turn ? &j->b[i] : &j->a[i], turn ? &j->a[i] : &j->b[i], 60, out->loops, out->count,
                         &r);
        count += r.known && (out->distinct ? (int)out->count != r.count : (int)out->count < r.count);
    }
    return count;
}

static void count(void *state, int variant, bench_counters *counters)
{
    (void)variant;
    const job *j = state;
    double unproved = 0, components = 0;
    for (int i = 0; i < PAIRS; ++i) {
        unproved += j->out[i].status == ABUT_LOOPS_UNPROVED;
        components += (double)j->out[i].count;
    }
    bench_count(counters, "unproved", unproved / PAIRS);
    bench_count(counters, "components", components / PAIRS);
}

void bench_register_loops(void);
void bench_register_loops(void)
{
    static char names[KINDS * KINDS][48];
    for (int a = 1; a < KINDS; ++a)
        for (int b = a; b < KINDS; ++b) {
            char *name = names[a * KINDS + b];
            snprintf(name, sizeof names[0], "loops %s %s",
                     abut_solid_surface_name((abut_solid_surface_kind)a),
                     abut_solid_surface_name((abut_solid_surface_kind)b));
            const bench_case c = { .family = "cad",
                                   .name = name,
                                   .number = a * KINDS + b,
                                   .setup = setup,
                                   .teardown = free,
                                   .abut = { .run = run, .wrong = wrong, .count = count } };
            bench_add(&c);
        }
}
