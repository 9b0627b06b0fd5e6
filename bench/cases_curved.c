/* SPDX-License-Identifier: MIT */
/* Curved surfaces in motion, on the bundled scenes. No peer does this; the rows are our methods
 * against each other, and against the figures of Snyder et al. 1993.
 *
 * "Figure 10": two bumpy bodies that meet in one point, by the interval linear equation, the
 * interval inverse, Krawczyk-Moore, bisection only, and bisection without the equations of
 * tangency, for several accuracies. `wrong`: the truth is not in the enclosure of the time (but
 * for the accuracy asked for, where a result is a tolerance's). */
#include "bench.h"

#include "abut/query.h"
#include "abut/scene.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CAPACITY = 4096 };

typedef struct curved {
    const char *scene;
    abut_newton_method newton;
    bool no_tangency, at_rest;
    double accuracy;
    uint64_t max_iterations;
    double truth; /* time of first contact, NaN: not judged here */
} curved;

/* From test/io/test_surface_scenes.c, where the referee finds it anew each time. */
#define BUMPY_TIME 0.83217161422544428

static const curved figure_10[] = {
    { "bumpy", ABUT_NEWTON_LINEAR, false, false, 0, 0, BUMPY_TIME },
    { "bumpy", ABUT_NEWTON_INVERSE, false, false, 0, 0, BUMPY_TIME },
    { "bumpy", ABUT_NEWTON_KRAWCZYK, false, false, 0, 0, BUMPY_TIME },
    { "bumpy", ABUT_NEWTON_NONE, false, false, 1e-3, 2000000, BUMPY_TIME },
    { "bumpy", ABUT_NEWTON_NONE, false, false, 1e-4, 2000000, BUMPY_TIME },
    { "bumpy", ABUT_NEWTON_NONE, false, false, 1e-5, 2000000, BUMPY_TIME },
    { "bumpy", ABUT_NEWTON_NONE, false, false, 1e-6, 2000000, BUMPY_TIME },
    { "bumpy", ABUT_NEWTON_NONE, true, false, 1e-3, 2000000, BUMPY_TIME },
    { "bumpy", ABUT_NEWTON_NONE, true, false, 1e-4, 2000000, BUMPY_TIME },
    { "bumpy", ABUT_NEWTON_NONE, true, false, 1e-5, 5000000, BUMPY_TIME },
    { "bumpy", ABUT_NEWTON_NONE, true, false, 1e-6, 5000000, BUMPY_TIME },
};

static const curved steps[] = {
    { "bumpy", ABUT_NEWTON_AUTO, false, false, 0, 0, BUMPY_TIME },
    { "tori", ABUT_NEWTON_AUTO, false, false, 0, 0, NAN },
    { "ring_and_cone", ABUT_NEWTON_AUTO, false, false, 0, 0, 23.0 / 24 },
    { "tube_and_cushion", ABUT_NEWTON_AUTO, false, false, 0, 0, NAN },
    { "checkerboard", ABUT_NEWTON_AUTO, false, false, 0, 0, 1 },
    { "fruit", ABUT_NEWTON_AUTO, false, false, 0, 0, NAN },
    { "spinning_bar", ABUT_NEWTON_AUTO, false, false, 0, 0, NAN },
    { "bumpy", ABUT_NEWTON_AUTO, false, true, 0, 0, NAN },
    { "tori", ABUT_NEWTON_AUTO, false, true, 0, 0, NAN },
};

typedef struct job {
    const curved *what;
    abut_scene *scene;
    abut_body *bodies;
    size_t count;
    abut_set_point *points;
    abut_workspace *ws;
    abut_set_result r;
    abut_check_result check;
} job;

static void *setup(const bench_case *c, bool quick, uint64_t *questions)
{
    const curved *what = c->param;
    if (quick && (what->max_iterations > 0 || strcmp(what->scene, "fruit") == 0 ||
                  strcmp(what->scene, "checkerboard") == 0))
        return NULL; /* a second and more */
    job *j = bench_alloc(1, sizeof *j);
    char path[512];
    j->what = what;
    snprintf(path, sizeof path, "%s/%s.json", BENCH_SCENES, j->what->scene);
    if (abut_scene_load(path, NULL, &j->scene, NULL) || abut_workspace_create(NULL, &j->ws)) {
        fprintf(stderr, "abut_bench: cannot read %s\n", path);
        free(j);
        return NULL;
    }
    j->count = abut_scene_object_count(j->scene);
    j->bodies = bench_alloc(j->count, sizeof *j->bodies);
    j->points = bench_alloc(CAPACITY, sizeof *j->points);
    for (size_t i = 0; i < j->count; ++i) {
        const abut_scene_object o = abut_scene_get_object(j->scene, i);
        j->bodies[i] = (abut_body){ o.shape, o.motion };
    }
    *questions = 1;
    return j;
}

static void teardown(void *data)
{
    job *j = data;
    abut_workspace_destroy(j->ws);
    abut_scene_destroy(j->scene);
    free(j->bodies);
    free(j->points);
    free(j);
}

static double run_first(job *j)
{
    const abut_scene_query query = abut_scene_get_query(j->scene);
    abut_first_opts opts;
    abut_first_opts_init(&opts);
    opts.time = abut_scene_time(j->scene);
    opts.simultaneity = isnan(query.simultaneity) ? 0 : query.simultaneity;
    opts.separation = isnan(query.separation) ? 0 : query.separation;
    const abut_surface_solver by = { .newton = j->what->newton, .no_tangency = j->what->no_tangency };
    opts.surface_solver = &by;
    opts.accuracy = j->what->accuracy;
    opts.max_iterations = j->what->max_iterations;
    if (abut_first_contact_set(j->bodies, j->count, NULL, 0, &opts, j->ws, j->points, CAPACITY, &j->r))
        j->r = (abut_set_result){ 0 };
    return j->r.time.lo;
}

static double run(void *state, int variant)
{
    (void)variant;
    job *j = state;
    if (!j->what->at_rest)
        return run_first(j);
    if (abut_check_at(j->bodies[0].shape, j->bodies[0].motion, j->bodies[1].shape, j->bodies[1].motion, 0,
                      NULL, j->ws, &j->check))
        return NAN;
    return j->check.distance.lo;
}

static uint64_t wrong(void *state, int variant)
{
    (void)variant;
    const job *j = state;
    const double truth = j->what->truth;
    if (j->what->at_rest)
        return j->check.verdict != ABUT_SEPARATE;
    /* Bisection ends with a region that is small enough, not with a proof: only the lower end is
     * one. Bodies close in at 1.75. */
    const double slack = 1e-15 + (j->r.proof == ABUT_PROOF_TOLERANCE ? j->what->accuracy : 0);
    return !isnan(truth) && !(j->r.time.lo <= truth + 1e-15 && truth - slack <= j->r.time.hi);
}

static void count(void *state, int variant, bench_counters *counters)
{
    (void)variant;
    const job *j = state;
    if (j->what->at_rest) {
        bench_count(counters, "iterations", (double)j->check.counters.iterations);
        bench_count(counters, "evaluations", (double)j->check.counters.evaluations);
        return;
    }
    bench_count(counters, "iterations", (double)j->r.counters.iterations);
    bench_count(counters, "evaluations", (double)j->r.counters.evaluations);
    bench_count(counters, "points", (double)j->r.point_count);
    bench_count(counters, "width", j->r.time.hi - j->r.time.lo);
    if (j->r.pairs > 1)
        bench_count(counters, "culled", (double)j->r.culled);
}

static void add(const curved *what, const char *prefix)
{
    static const char *const methods[ABUT_NEWTON_COUNT] = { "auto", "linear equation", "inverse",
                                                            "Krawczyk-Moore", "bisection" };
    char name[128];
    size_t n = (size_t)snprintf(name, sizeof name, "%s %s", prefix, what->scene);
    if (what->newton != ABUT_NEWTON_AUTO)
        n += (size_t)snprintf(name + n, sizeof name - n, ", %s", methods[what->newton]);
    if (what->no_tangency)
        n += (size_t)snprintf(name + n, sizeof name - n, " without tangency");
    if (what->accuracy > 0)
        snprintf(name + n, sizeof name - n, ", %g", what->accuracy);
    char *kept = bench_alloc(strlen(name) + 1, 1);
    strcpy(kept, name);
    const bench_case c = { .family = "curved",
                           .name = kept,
                           .param = what,
                           .setup = setup,
                           .teardown = teardown,
                           .abut = { .run = run, .wrong = wrong, .count = count } };
    bench_add(&c);
}

void bench_register_curved(void);
void bench_register_curved(void)
{
    for (size_t i = 0; i < sizeof figure_10 / sizeof *figure_10; ++i)
        add(&figure_10[i], "Figure 10");
    for (size_t i = 0; i < sizeof steps / sizeof *steps; ++i)
        add(&steps[i], steps[i].at_rest ? "distance" : "first contact");
}
