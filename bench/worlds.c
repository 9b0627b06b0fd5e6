/* SPDX-License-Identifier: MIT */
/* Tables about worlds and broad phases, for docs/benchmarks.md: every method by count, density and
 * motion (what the rule of `auto` rests on), the cost of a step from 1,000 to 1,000,000 bodies at
 * constant density, and two threads against one. Times are processor time where one thread works, so
 * that others on the machine disturb little: of methods the mean of many steps, since those that keep
 * something have cheap and dear ones, of worlds the least of several. */
#define _POSIX_C_SOURCE 200809L
#include "bench.h"
#include "program.h"

#include <abut/abut.h>

#include <math.h>
#include <stdlib.h>
#include <time.h>

typedef enum motion { REST, FEW, COHERENT, RANDOM, MOTIONS } motion;

static const char *const motion_names[MOTIONS] = { "at rest", "1 in 50 moves", "coherent", "random" };

/* Boxes of half extents U[.25,.75] in a cube where one meets `density` others on average. */
typedef struct crowd {
    size_t count;
    double side;
    abut_vec3 *centre, *half, *velocity;
    abut_aabb *boxes;
    uint64_t state;
} crowd;

static double uniform(crowd *c, double lo, double hi)
{
    c->state = c->state * 6364136223846793005u + 1442695040888963407u;
    return lo + (hi - lo) * (double)(c->state >> 11) * 0x1p-53;
}

static abut_vec3 anywhere(crowd *c, double lo, double hi)
{
    return (abut_vec3){ uniform(c, lo, hi), uniform(c, lo, hi), uniform(c, lo, hi) };
}

static void set_box(crowd *c, size_t i)
{
    const abut_vec3 p = c->centre[i], h = c->half[i];
    c->boxes[i] = (abut_aabb){ { p.x - h.x, p.y - h.y, p.z - h.z }, { p.x + h.x, p.y + h.y, p.z + h.z } };
}

static crowd make_crowd(size_t count, double density)
{
    crowd c = { .count = count, .state = 7 };
    /* two boxes meet where their centres are within the sum of the halves: 2^3 on average */
    c.side = cbrt(8 * (double)count / density);
    c.centre = bench_alloc(count, sizeof *c.centre);
    c.half = bench_alloc(count, sizeof *c.half);
    c.velocity = bench_alloc(count, sizeof *c.velocity);
    c.boxes = bench_alloc(count, sizeof *c.boxes);
    for (size_t i = 0; i < count; ++i) {
        c.centre[i] = anywhere(&c, 0, c.side);
        c.half[i] = anywhere(&c, .25, .75);
        c.velocity[i] = anywhere(&c, -.05, .05);
        set_box(&c, i);
    }
    return c;
}

static void clear_crowd(crowd *c)
{
    free(c->centre);
    free(c->half);
    free(c->velocity);
    free(c->boxes);
}

static void step_crowd(crowd *c, motion how)
{
    for (size_t i = 0; how != REST && i < c->count; ++i) {
        const abut_vec3 v = c->velocity[i];
        if (how == FEW && i % 50)
            continue;
        if (how == RANDOM)
            c->centre[i] = anywhere(c, 0, c->side);
        else
            c->centre[i] = (abut_vec3){ c->centre[i].x + v.x, c->centre[i].y + v.y, c->centre[i].z + v.z };
        set_box(c, i);
    }
}

static double seconds(clockid_t clock)
{
    struct timespec t;
    clock_gettime(clock, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* ---- methods ---- */

static double time_method(abut_broad_method method, size_t count, double density, motion how)
{
    enum { WARM = 3, STEPS = 24 };
    crowd c = make_crowd(count, density);
    abut_broad_opts opts;
    abut_broad *broad;
    abut_broad_opts_init(&opts);
    opts.method = method;
    double sum = 0;
    int steps = 0;
    if (abut_broad_create(&opts, NULL, &broad))
        return NAN;
    for (int step = 0; step < WARM + STEPS && sum < 1; ++step) {
        const abut_box_pair *pairs;
        size_t found;
        step_crowd(&c, how);
        const double start = seconds(CLOCK_PROCESS_CPUTIME_ID);
        if (abut_broad_update(broad, c.boxes, count, &pairs, &found))
            sum = NAN;
        const double took = seconds(CLOCK_PROCESS_CPUTIME_ID) - start;
        if (step >= WARM || took > 1) { /* where a step takes seconds, few will do */
            sum += took;
            ++steps;
        }
    }
    abut_broad_destroy(broad);
    clear_crowd(&c);
    return sum / steps;
}

static void print_methods(FILE *out)
{
    static const size_t counts[] = { 1000, 10000, 100000 };
    static const double densities[] = { .1, 1 };
    fprintf(out,
            "\n### Broad phases by count, density and motion\n\nMicroseconds a step, one thread; the mean "
            "of 24 steps.\n\n| boxes | others met | motion |");
    for (int m = 1; m <= ABUT_BROAD_COUNT; ++m)
        fprintf(out, " %s |", abut_broad_method_name((abut_broad_method)(m % ABUT_BROAD_COUNT)));
    fprintf(out, "\n|---|---|---|---|---|---|---|---|---|\n");
    for (size_t n = 0; n < sizeof counts / sizeof *counts; ++n)
        for (size_t d = 0; d < sizeof densities / sizeof *densities; ++d)
            for (motion how = REST; how < MOTIONS; ++how) {
                fprintf(out, "| %zu | %g | %s |", counts[n], densities[d], motion_names[how]);
                for (int m = 1; m <= ABUT_BROAD_COUNT; ++m)
                    fprintf(out, " %.0f |",
                            1e6 * time_method((abut_broad_method)(m % ABUT_BROAD_COUNT), counts[n],
                                              densities[d], how));
                fprintf(out, "\n");
                fflush(out);
            }
}

/* ---- worlds ---- */

typedef struct times {
    double commit, meeting;
    size_t pairs;
} times;

/* Where a call began: the processor times of this thread and of all. */
typedef struct start {
    double own, all;
} start;

static start begin(void)
{
    return (start){ seconds(CLOCK_THREAD_CPUTIME_ID), seconds(CLOCK_PROCESS_CPUTIME_ID) };
}

/* What a call takes where every thread has a processor: the larger share, of this thread or of the
 * other. (The wall's clock says nothing on a machine that others use.) */
static double took(start from)
{
    const double own = seconds(CLOCK_THREAD_CPUTIME_ID) - from.own,
                 all = seconds(CLOCK_PROCESS_CPUTIME_ID) - from.all;
    return fmax(own, all - own);
}

/* The least times of a step in which all bodies move, and all meeting pairs are asked for. */
static times time_world(size_t count, motion how, int threads)
{
    enum { WARM = 1, STEPS = 5 };
    times t = { INFINITY, INFINITY, 0 };
    crowd c = make_crowd(count, .1);
    abut_world_opts opts;
    abut_world_query_opts query;
    abut_world *world;
    abut_shape *shape;
    abut_world_opts_init(&opts);
    abut_world_query_opts_init(&query);
    opts.threads = query.threads = threads;
    abut_body_id *ids = bench_alloc(count, sizeof *ids);
    bool ok = !abut_world_create(&opts, NULL, &world) &&
              !abut_shape_create_box((abut_vec3){ .5, .4, .6 }, NULL, &shape);
    abut_world_body body;
    abut_world_body_init(&body);
    for (size_t i = 0; ok && i < count; ++i) {
        body.shape = shape;
        body.pose.position = c.centre[i];
        ok = !abut_world_add(world, &body, &ids[i]);
    }
    for (int step = 0; ok && step < WARM + STEPS; ++step) {
        abut_world_result found;
        step_crowd(&c, how);
        for (size_t i = 0; ok && i < count; ++i) {
            const abut_pose at = { c.centre[i], { 1, .001 * (step + 1), 0, 0 } };
            ok = !abut_world_move(world, ids[i], &at);
        }
        const start first = begin();
        ok = ok && !abut_world_commit(world, (abut_interval){ 0, 0 });
        const double commit = took(first);
        const start second = begin();
        ok = ok && !abut_world_meeting(world, &query, NULL, NULL, &found);
        if (step >= WARM) {
            t.commit = fmin(t.commit, commit);
            t.meeting = fmin(t.meeting, took(second));
        }
        t.pairs = found.candidates;
    }
    if (!ok)
        t.commit = t.meeting = NAN;
    abut_world_destroy(world);
    abut_shape_release(shape);
    free(ids);
    clear_crowd(&c);
    return t;
}

static void print_scaling(FILE *out)
{
    fprintf(out,
            "### A step of a world from 1,000 to 1,000,000 boxes at constant density\n\nEvery body moves and "
            "turns; then commit and all meeting pairs, one thread, least of five steps, processor "
            "time.\n\n| bodies | motion | commit, ms | ns a body | meeting, ms | ns a pair |\n"
            "|---|---|---|---|---|---|\n");
    for (motion how = COHERENT; how < MOTIONS; ++how)
        for (size_t n = 1000; n <= 1000000; n *= 10) {
            const times t = time_world(n, how, 1);
            fprintf(out, "| %zu | %s | %.3g | %.0f | %.3g | %.0f |\n", n, motion_names[how], 1e3 * t.commit,
                    1e9 * t.commit / (double)n, 1e3 * t.meeting, 1e9 * t.meeting / (double)t.pairs);
            fflush(out);
        }
}

static void print_threads(FILE *out)
{
    fprintf(out, "\n### Two threads\n\nThe same step; with two threads the processor time of the one that "
                 "takes longer, least of five.\n\n"
                 "| bodies | one, ms | two, ms | commit | meeting |\n|---|---|---|---|---|\n");
    for (size_t n = 10000; n <= 1000000; n *= 10) {
        const times one = time_world(n, COHERENT, 1), two = time_world(n, COHERENT, 2);
        fprintf(out, "| %zu | %.3g | %.3g | %.2f× | %.2f× |\n", n, 1e3 * (one.commit + one.meeting),
                1e3 * (two.commit + two.meeting), one.commit / two.commit, one.meeting / two.meeting);
        fflush(out);
    }
}

void bench_print_worlds(FILE *out)
{
    print_scaling(out);
    print_threads(out);
    print_methods(out);
}
