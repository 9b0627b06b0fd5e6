/* SPDX-License-Identifier: MIT */
/* Orientation of four points: random ones, where the filter decides; points on a small grid, a
 * quarter of them coplanar; and points of a common plane with coordinates of 30 bits, where
 * exact arithmetic has to decide. The referee computes with integers of 128 bits. */
#include "abut/predicates.h"
#include "number_case.h"

#include <math.h>
#include <stdlib.h>

__extension__ typedef __int128 wide;

typedef enum kind { RANDOM, GRID, COPLANAR, KINDS } kind;

/* All coordinates are multiples of 2^-20 below 2^14 in size: differences have 36 bits, the
 * determinant fits. */
static double snapped(double x)
{
    return floor(x * 0x1p20) * 0x1p-20;
}

static int referee(const double *p)
{
    wide m[9];
    for (int i = 0; i < 9; ++i)
        m[i] = (wide)((p[i] - p[9 + i % 3]) * 0x1p20);
    const wide det = m[0] * (m[4] * m[8] - m[5] * m[7]) + m[1] * (m[5] * m[6] - m[3] * m[8]) +
                     m[2] * (m[3] * m[7] - m[4] * m[6]);
    return (det > 0) - (det < 0);
}

static void *setup(const bench_case *c, bool quick, uint64_t *questions)
{
    (void)quick;
    orientation_job *job = bench_alloc(1, sizeof *job);
    bench_random r = { (uint64_t)c->number + 40 };
    for (int i = 0; i < ORIENTATIONS; ++i) {
        double *p = job->p[i];
        const double u = floor(bench_uniform(&r, -16, 16)) / 16, v = floor(bench_uniform(&r, -16, 16)) / 16;
        for (int k = 0; k < 12; ++k)
            p[k] = c->number == GRID ? (double)(bench_bits(&r) % 5) : snapped(bench_uniform(&r, -1000, 1000));
        for (int k = 0; k < 4 && c->number == COPLANAR; ++k) { /* z = u x + v y, exactly */
            p[3 * k] = floor(p[3 * k] * 0x1p16) * 0x1p-16;
            p[3 * k + 1] = floor(p[3 * k + 1] * 0x1p16) * 0x1p-16;
            p[3 * k + 2] = u * p[3 * k] + v * p[3 * k + 1];
        }
        job->sign[i] = referee(p);
    }
    *questions = ORIENTATIONS;
    return job;
}

typedef struct orient_state {
    const orientation_job *job;
    int found[ORIENTATIONS];
} orient_state;

static void *prepare(void *data, int variant)
{
    (void)variant;
    orient_state *s = bench_alloc(1, sizeof *s);
    s->job = data;
    return s;
}

static double run(void *state, int variant)
{
    (void)variant;
    orient_state *s = state;
    int sum = 0;
    for (int i = 0; i < ORIENTATIONS; ++i) {
        const double *p = s->job->p[i];
        const abut_vec3 a = { p[0], p[1], p[2] }, b = { p[3], p[4], p[5] }, c = { p[6], p[7], p[8] },
                        d = { p[9], p[10], p[11] };
        sum += s->found[i] = abut_orient3d(a, b, c, d);
    }
    return sum;
}

static uint64_t wrong(void *state, int variant)
{
    (void)variant;
    const orient_state *s = state;
    uint64_t count = 0;
    for (int i = 0; i < ORIENTATIONS; ++i)
        count += s->found[i] != s->job->sign[i];
    return count;
}

static void finish(void *state, int variant)
{
    (void)variant;
    free(state);
}

void bench_register_predicate(void);
void bench_register_predicate(void)
{
    static const char *const names[KINDS] = { "orient3d random", "orient3d grid", "orient3d coplanar" };
    for (int i = 0; i < KINDS; ++i) {
        bench_case c = { .family = "predicate",
                         .name = names[i],
                         .number = i,
                         .setup = setup,
                         .teardown = free,
                         .abut = { .prepare = prepare, .run = run, .wrong = wrong, .finish = finish } };
#ifdef BENCH_HAVE_CGAL
        bench_cgal_orientations(c.peers);
#endif
        bench_add(&c);
    }
}
