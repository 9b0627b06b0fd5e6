/* SPDX-License-Identifier: MIT */
/* Hulls of points on an ellipsoid: making them, and the searches for their support points, by
 * size. "far": directions that have nothing to do with one another; "near": each turned by some
 * three degrees, the search starting where the last one ended, as a solver does it. Judged in
 * long double. */
#include "base/memory.h"
#include "bench.h"
#include "math/vec3.h"
#include "shape/hull/hull.h"

#include <stdlib.h>

enum { DIRECTIONS = 1000 };

typedef enum search { ANY_NEAR, ANY_FAR, SCAN, CLIMB_NEAR, CLIMB_FAR, HIERARCHY, BOUND, BUILD } search;

typedef struct job {
    uint32_t count;
    search what;
    abut_vec3 *points;
    abut_hull *hull;
    abut_vec3 directions[DIRECTIONS];
    long double top[DIRECTIONS];
    double found[DIRECTIONS];
} job;

typedef struct row {
    const char *name;
    uint32_t count;
    search what;
} row;

static const row rows[] = {
    { "support n=8", 8, ANY_FAR },
    { "support n=32", 32, ANY_FAR },
    { "support n=256 near", 256, ANY_NEAR },
    { "support n=256 far", 256, ANY_FAR },
    { "support n=4096 near", 4096, ANY_NEAR },
    { "support n=4096 far", 4096, ANY_FAR },
    { "support n=100000 near", 100000, ANY_NEAR },
    { "support n=100000 far", 100000, ANY_FAR },
    { "support scan n=32", 32, SCAN },
    { "support scan n=256", 256, SCAN },
    { "support scan n=4096", 4096, SCAN },
    { "support climb n=32 near", 32, CLIMB_NEAR },
    { "support climb n=256 near", 256, CLIMB_NEAR },
    { "support climb n=256 far", 256, CLIMB_FAR },
    { "support climb n=4096 far", 4096, CLIMB_FAR },
    { "support hierarchy n=4096", 4096, HIERARCHY },
    { "support hierarchy n=100000", 100000, HIERARCHY },
    { "support bound n=32", 32, BOUND },
    { "support bound n=256 near", 256, BOUND },
    { "support bound n=4096 near", 4096, BOUND },
    { "hull of 32 points", 32, BUILD },
    { "hull of 256 points", 256, BUILD },
    { "hull of 4096 points", 4096, BUILD },
};

static abut_vec3 direction(bench_random *r)
{
    for (;;) {
        const abut_vec3 v = { bench_uniform(r, -1, 1), bench_uniform(r, -1, 1), bench_uniform(r, -1, 1) };
        const double square = abut_dot(v, v);
        if (square > 0.01 && square <= 1)
            return abut_scale(1 / sqrt(square), v);
    }
}

static abut_hull *make(const abut_vec3 *points, uint32_t count)
{
    const abut_allocator alloc = abut_base_allocator(NULL);
    abut_status status;
    return abut_hull_create(points, count, &alloc, &status, NULL);
}

static void destroy(abut_hull *hull)
{
    const abut_allocator alloc = abut_base_allocator(NULL);
    abut_hull_destroy(hull, &alloc);
}

static void teardown(void *data)
{
    job *j = data;
    destroy(j->hull);
    free(j->points);
    free(j);
}

static void *setup(const bench_case *c, bool quick, uint64_t *questions)
{
    const row *w = c->param;
    if (quick && w->count > 10000)
        return NULL;
    bench_random r = { 90 };
    job *j = bench_alloc(1, sizeof *j);
    *j = (job){ .count = w->count, .what = w->what, .points = bench_alloc(w->count, sizeof *j->points) };
    for (uint32_t i = 0; i < w->count; ++i) {
        const abut_vec3 s = direction(&r);
        j->points[i] = abut_v3(s.x, 0.8 * s.y, 0.6 * s.z);
    }
    j->hull = make(j->points, w->count);
    const bool far = w->what == ANY_FAR || w->what == CLIMB_FAR || w->what == SCAN || w->what == HIERARCHY;
    for (int i = 0; i < DIRECTIONS; ++i) {
        const abut_vec3 s = direction(&r);
        abut_vec3 d = s;
        if (!far && i > 0)
            d = abut_unit_or(abut_madd(j->directions[i - 1], 0.05, s), s);
        j->directions[i] = d;
        j->top[i] = -INFINITY;
        for (uint32_t k = 0; k < w->count && w->what != BUILD; ++k) {
            const abut_vec3 p = j->points[k];
            const long double value =
                (long double)d.x * p.x + (long double)d.y * p.y + (long double)d.z * p.z;
            j->top[i] = value > j->top[i] ? value : j->top[i];
        }
    }
    *questions = w->what == BUILD ? 1 : DIRECTIONS;
    return j;
}

static double run(void *state, int variant)
{
    (void)variant;
    job *j = state;
    const abut_hull *h = j->hull;
    uint32_t at = 0;
    double sum = 0;
    if (j->what == BUILD) {
        abut_hull *made = make(j->points, j->count);
        sum = made ? made->vertex_count : 0;
        destroy(made);
        return sum;
    }
    for (int i = 0; i < DIRECTIONS; ++i) {
        const abut_vec3 d = j->directions[i];
        switch (j->what) {
        case SCAN: at = abut_hull_scan(h, d); break;
        case CLIMB_NEAR:
        case CLIMB_FAR: at = abut_hull_climb(h, d, at); break;
        case HIERARCHY: at = abut_hull_descend(h, d); break;
        default: at = abut_hull_support(h, d, at); break;
        }
        j->found[i] =
            j->what == BOUND ? abut_hull_support_bound(h, d, at) : abut_dot(d, abut_hull_vertex(h, at));
        sum += j->found[i];
    }
    return sum;
}

static uint64_t wrong(void *state, int variant)
{
    (void)variant;
    const job *j = state;
    uint64_t count = 0;
    for (int i = 0; i < DIRECTIONS && j->what != BUILD; ++i) {
        const long double off = j->found[i] - j->top[i];
        count += !(fabsl(off) <= 1e-15L) || (j->what == BOUND && off < 0);
    }
    return count;
}

void bench_register_hull(void);
void bench_register_hull(void)
{
    for (size_t i = 0; i < sizeof rows / sizeof *rows; ++i) {
        const bench_case c = { .family = "convex",
                               .name = rows[i].name,
                               .param = &rows[i],
                               .setup = setup,
                               .teardown = teardown,
                               .abut = { .run = run, .wrong = wrong } };
        bench_add(&c);
    }
}
