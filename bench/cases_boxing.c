/* SPDX-License-Identifier: MIT */
/* A frame of two boxers made of 24 ellipsoids each: 576 pairs. "step": all filters, motions made
 * from the poses of the frame. "pair by pair": the public query for each pair, shapes and
 * motions at hand: what the filters save. Judged at samples of time in long double. */
#include "../examples/boxers.h"
#include "abut/abut.h"
#include "bench.h"
#include "oracle/ellipsoid_factor.h"

#include <stdlib.h>
#include <string.h>

enum { PAIRS = BOXERS_PARTS * BOXERS_PARTS, SAMPLES = 8 };

typedef struct frame {
    abut_moving_ellipsoid parts[2][BOXERS_PARTS];
    abut_shape *shapes[2][BOXERS_PARTS];
    abut_motion *motions[2][BOXERS_PARTS];
    abut_step_contact contacts[PAIRS];
    size_t count;
} frame;

typedef struct job {
    frame *frames;
    int count;
    bool one_by_one;
    abut_workspace *ws;
    abut_step_counters all;
} job;

static void teardown(void *data)
{
    job *j = data;
    for (int i = 0; i < j->count; ++i)
        for (int who = 0; who < 2; ++who)
            for (int k = 0; k < BOXERS_PARTS; ++k) {
                abut_shape_release(j->frames[i].shapes[who][k]);
                abut_motion_release(j->frames[i].motions[who][k]);
            }
    abut_workspace_destroy(j->ws);
    free(j->frames);
    free(j);
}

static void make_frame(int number, frame *f)
{
    for (int who = 0; who < 2; ++who) {
        boxers_move(who, number, f->parts[who]);
        for (int k = 0; k < BOXERS_PARTS; ++k) {
            const abut_moving_ellipsoid *e = &f->parts[who][k];
            const abut_placement from = abut_placement_from_pose(e->from),
                                 to = abut_placement_from_pose(e->to);
            if (abut_shape_create_ellipsoid(e->radii, NULL, &f->shapes[who][k]) ||
                abut_motion_create_nlerp(0, 1, &from, &to, NULL, &f->motions[who][k], NULL))
                abort();
        }
    }
}

static void *setup(const bench_case *c, bool quick, uint64_t *questions)
{
    job *j = bench_alloc(1, sizeof *j);
    const int stride = quick ? 100 : c->number ? 20 : 1; /* pair by pair takes its time */
    *j = (job){ .count = BOXERS_FRAMES / stride, .one_by_one = c->number };
    j->frames = bench_alloc((size_t)j->count, sizeof *j->frames);
    if (abut_workspace_create(NULL, &j->ws))
        abort();
    for (int i = 0; i < j->count; ++i)
        make_frame(i * stride, j->frames + i);
    *questions = (uint64_t)j->count;
    return j;
}

static void run_pairs(frame *f, abut_workspace *ws)
{
    f->count = 0;
    for (uint32_t a = 0; a < BOXERS_PARTS; ++a)
        for (uint32_t b = 0; b < BOXERS_PARTS; ++b) {
            abut_first_result r;
            if (abut_first_contact(f->shapes[0][a], f->motions[0][a], f->shapes[1][b], f->motions[1][b], NULL,
                                   ws, &r))
                abort();
            if (r.verdict != ABUT_FIRST_SEPARATE)
                f->contacts[f->count++] =
                    (abut_step_contact){ .a = a, .b = b, .verdict = r.verdict, .time = r.time };
        }
}

static double run(void *state, int variant)
{
    (void)variant;
    job *j = state;
    double sum = 0;
    j->all = (abut_step_counters){ 0 };
    for (int i = 0; i < j->count; ++i) {
        frame *f = j->frames + i;
        abut_step_counters c = { .pairs = PAIRS, .exact = PAIRS };
        if (j->one_by_one)
            run_pairs(f, j->ws);
        else if (abut_ellipsoid_step(f->parts[0], BOXERS_PARTS, f->parts[1], BOXERS_PARTS, j->ws, f->contacts,
                                     PAIRS, &f->count, &c))
            abort();
        j->all.pairs += c.pairs;
        j->all.sphere_culled += c.sphere_culled;
        j->all.plane_culled += c.plane_culled;
        j->all.exact += c.exact;
        j->all.contacts += f->count;
        for (size_t k = 0; k < f->count; ++k)
            sum += f->contacts[k].time.lo;
    }
    return sum + (double)j->all.contacts;
}

/* Before the first contact, or at all, the two must be apart; at its end they must not. */
static uint64_t wrong(void *state, int variant)
{
    (void)variant;
    const job *j = state;
    const long double hair = 1e-14L;
    uint64_t bad = 0;
    for (int i = 0; i < j->count; i += 5) {
        const frame *f = j->frames + i;
        const abut_step_contact *next = f->contacts, *end = next + f->count;
        for (uint32_t a = 0; a < BOXERS_PARTS; ++a)
            for (uint32_t b = 0; b < BOXERS_PARTS; ++b) {
                const abut_step_contact *c = next < end && next->a == a && next->b == b ? next++ : NULL;
                const abut_moving_ellipsoid *x = &f->parts[0][a], *y = &f->parts[1][b];
                const double until = !c ? 1 : c->verdict == ABUT_FIRST_OVERLAPPING ? 0 : c->time.lo;
                bool right =
                    !c || (c->verdict != ABUT_FIRST_UNDECIDED && ref_contact(x, y, c->time.hi) < 1 + hair);
                const long double first = ref_contact(x, y, 0);
                const int samples = first > 16 ? 1 : SAMPLES;
                for (int k = 0; k <= samples && until > 0 && right; ++k)
                    right = ref_contact(x, y, (long double)until * k / samples) > 1 - hair;
                bad += !right;
            }
    }
    return bad;
}

static void count(void *state, int variant, bench_counters *counters)
{
    (void)variant;
    const job *j = state;
    const double frames = (double)j->count;
    bench_count(counters, "pairs", (double)j->all.pairs / frames);
    bench_count(counters, "balls apart", (double)j->all.sphere_culled / frames);
    bench_count(counters, "planes", (double)j->all.plane_culled / frames);
    bench_count(counters, "exact", (double)j->all.exact / frames);
    bench_count(counters, "contacts", (double)j->all.contacts / frames);
}

void bench_register_boxing(void);
void bench_register_boxing(void)
{
    static const char *const names[2] = { "frame, step", "frame, pair by pair" };
    for (int i = 0; i < 2; ++i)
        bench_add(&(bench_case){ .family = "boxing",
                                 .name = names[i],
                                 .number = i,
                                 .setup = setup,
                                 .teardown = teardown,
                                 .abut = { .run = run, .wrong = wrong, .count = count } });
}
