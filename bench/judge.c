/* SPDX-License-Identifier: MIT */
/* Compares answers with the referee's. What counts as wrong: W1 boolean    the other answer W2
 * distance   off by more than 0.1 % and 1e-5 (a float at coordinates of 5 is good to 1e-6) W3 depth
 * off by more than 1 % and 1e-3, or "they do not overlap" W5            boolean: the other answer;
 * pairs: another number; distance: as W2 W6            a miss, a hit later than the first contact
 * by more than 1e-3, or one at a time at which the
 *                 bodies are more than 1e-2 apart (conservative advancement stops early on purpose; they
 *                 close in by up to 8 a unit of time, so that this is about 1e-3 of time, too)
 * W7            the number of pairs over all steps is another one (counts as one) W9
 * the other answer */
#include "peers.h"
#include "referee.h"

#include <math.h>
#include <stdlib.h>

void bench_answers_init(bench_answers *answers, const void *job, size_t count)
{
    answers->job = job;
    answers->value = bench_alloc(count, sizeof *answers->value);
    answers->work = 0;
}

void bench_answers_clear(bench_answers *answers)
{
    free(answers->value);
    answers->value = NULL;
}

double bench_answers_sum(const bench_answers *answers, size_t count)
{
    double sum = 0;
    for (size_t i = 0; i < count; ++i)
        sum += answers->value[i];
    return sum;
}

static bool distance_is_wrong(double found, double truth)
{
    return !(fabs(found - truth) <= 1e-3 * truth + 1e-5);
}

uint64_t bench_rest_wrong(void *state, int variant)
{
    (void)variant;
    const bench_answers *answers = state;
    const bench_rest *job = answers->job;
    uint64_t wrong = 0;
    for (size_t i = 0; i < job->count; ++i) {
        const size_t p = job->index[i];
        const double found = answers->value[i];
        switch (job->query) {
        case BENCH_BOOLEAN: wrong += isnan(found) || (found != 0) != job->set->overlap[p]; break;
        case BENCH_DISTANCE: wrong += distance_is_wrong(found, job->set->distance[p]); break;
        default: /* depths */
            wrong += !(fabs(found - job->set->depth[p]) <= .01 * job->set->depth[p] + 1e-3);
            break;
        }
    }
    return wrong;
}

static double distance_at(const bench_sweep *s, double t)
{
    bench_place a, b;
    bench_sweep_at(&s->place_a, s->linear_a, s->angular_a, t, &a);
    bench_sweep_at(&s->place_b, s->linear_b, s->angular_b, t, &b);
    return bench_referee_distance(&s->a, &a, &s->b, &b);
}

uint64_t bench_moving_wrong(void *state, int variant)
{
    (void)variant;
    const bench_answers *answers = state;
    const bench_moving *job = answers->job;
    uint64_t wrong = 0;
    for (size_t i = 0; i < job->count; ++i) {
        const double found = answers->value[i], truth = job->set->toc[i];
        if (found >= 0 && found <= 1)
            wrong += found > truth + 1e-3 || distance_at(&job->set->sweeps[i], found) > 1e-2;
        else
            wrong += truth <= 1 || !(found > 1);
    }
    return wrong;
}

uint64_t bench_mesh_wrong(void *state, int variant)
{
    (void)variant;
    const bench_answers *answers = state;
    const bench_mesh_case *job = answers->job;
    uint64_t wrong = 0;
    for (size_t i = 0; i < job->count; ++i) {
        const size_t p = job->index[i];
        const double found = answers->value[i];
        switch (job->query) {
        case BENCH_MESH_BOOLEAN: wrong += (found != 0) != (job->meeting[p] > 0); break;
        case BENCH_MESH_PAIRS: wrong += found != job->meeting[p]; break;
        case BENCH_MESH_DISTANCE: wrong += distance_is_wrong(found, job->distance[p]); break;
        case BENCH_MESH_BUILD: break;
        }
    }
    return wrong;
}

uint64_t bench_sheet_wrong(void *state, int variant)
{
    (void)variant;
    const bench_answers *answers = state;
    const bench_sheet_case *job = answers->job;
    uint64_t wrong = 0;
    for (size_t i = 0; i < job->count; ++i)
        wrong += answers->value[i] != job->meeting[i];
    return wrong;
}

uint64_t bench_elements_wrong(void *state, int variant)
{
    (void)variant;
    const bench_answers *answers = state;
    const bench_elements *job = answers->job;
    uint64_t wrong = 0;
    for (size_t i = 0; i < job->count; ++i)
        wrong += (answers->value[i] != 0) != job->hit[i];
    return wrong;
}

uint64_t bench_boxes_wrong(void *state, int variant)
{
    (void)variant;
    const bench_answers *answers = state;
    const bench_boxes *job = answers->job;
    return answers->value[0] != (double)job->pairs;
}
