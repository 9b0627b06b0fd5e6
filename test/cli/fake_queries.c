/* SPDX-License-Identifier: MIT */
/* Answers on demand: linked into a copy of the command in place of the library's queries (by the
 * linker's --wrap), so that combinations of verdicts are tested that no scene gives today,
 * undecided ones above all. Call number i gets entry i of the environment's ABUT_FAKE, entries
 * separated by semicolons:
 *     VERDICT LO HI PROOF STOP COUNT
 * VERDICT and PROOF are the enums' numbers, STOP too, COUNT that of points or intervals; the
 * word "unsupported" or "memory" alone makes the call fail so. The last entry serves all later
 * calls. With ABUT_FAKE_SLOW in the environment each call lasts 0.4 s, and reports its progress. */
#define _POSIX_C_SOURCE 200809L
#include "abut/abut.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

typedef struct fake {
    abut_status status;
    int verdict, proof, stop;
    unsigned count;
    double lo, hi;
} fake;

static fake next_fake(void)
{
    static unsigned calls;
    const char *entry = getenv("ABUT_FAKE");
    fake f = { .status = ABUT_ERR_ARGUMENT };
    if (!entry)
        return f;
    for (unsigned i = 0; i < calls && strchr(entry, ';'); ++i)
        entry = strchr(entry, ';') + 1;
    ++calls;
    if (strncmp(entry, "unsupported", 11) == 0)
        f.status = ABUT_ERR_UNSUPPORTED;
    else if (strncmp(entry, "memory", 6) == 0)
        f.status = ABUT_ERR_MEMORY;
    else if (sscanf(entry, "%d %lf %lf %d %d %u", &f.verdict, &f.lo, &f.hi, &f.proof, &f.stop, &f.count) == 6)
        f.status = ABUT_OK;
    return f;
}

static void take_time(abut_progress_fn progress, void *ctx)
{
    if (!getenv("ABUT_FAKE_SLOW"))
        return;
    for (int i = 0; i < 4; ++i) {
        nanosleep(&(struct timespec){ .tv_nsec = 100000000 }, NULL);
        if (progress)
            progress(ctx, 0.25 * i);
    }
}

/* The names that --wrap gives begin with two underscores, and nothing declares them. */
abut_status __wrap_abut_check_at(const abut_shape *a, const abut_motion *motion_a, const abut_shape *b,
                                 const abut_motion *motion_b, double t, const abut_check_opts *opts,
                                 abut_workspace *ws, abut_check_result *out);
abut_status __wrap_abut_first_contact(const abut_shape *a, const abut_motion *motion_a, const abut_shape *b,
                                      const abut_motion *motion_b, const abut_first_opts *opts,
                                      abut_workspace *ws, abut_first_result *out);
abut_status __wrap_abut_contact_intervals(const abut_shape *a, const abut_motion *motion_a,
                                          const abut_shape *b, const abut_motion *motion_b,
                                          const abut_first_opts *opts, abut_workspace *ws,
                                          abut_contact_interval *intervals, size_t capacity,
                                          abut_intervals_result *out);

abut_status __wrap_abut_check_at(const abut_shape *a, const abut_motion *motion_a, const abut_shape *b,
                                 const abut_motion *motion_b, double t, const abut_check_opts *opts,
                                 abut_workspace *ws, abut_check_result *out)
{
    (void)a, (void)motion_a, (void)b, (void)motion_b, (void)t, (void)ws;
    const fake f = next_fake();
    take_time(opts->progress, opts->progress_ctx);
    *out = (abut_check_result){ .verdict = (abut_verdict)f.verdict,
                                .proof = (abut_proof)f.proof,
                                .stop = (abut_stop)f.stop,
                                .distance = { f.lo, f.hi } };
    return f.status;
}

abut_status __wrap_abut_first_contact(const abut_shape *a, const abut_motion *motion_a, const abut_shape *b,
                                      const abut_motion *motion_b, const abut_first_opts *opts,
                                      abut_workspace *ws, abut_first_result *out)
{
    (void)a, (void)motion_a, (void)b, (void)motion_b, (void)ws;
    const fake f = next_fake();
    take_time(opts->progress, opts->progress_ctx);
    *out = (abut_first_result){ .verdict = (abut_first_verdict)f.verdict,
                                .proof = (abut_proof)f.proof,
                                .stop = (abut_stop)f.stop,
                                .time = { f.lo, f.hi },
                                .point_count = f.count,
                                .counters = { .iterations = 10 } };
    for (unsigned i = 0; i < f.count; ++i) {
        const abut_first_point point = { .time = { f.lo, f.hi },
                                         .point = { i, 0, 0 },
                                         .normal = { 0, 0, 1 },
                                         .kind = ABUT_CONTACT_SAMPLED,
                                         .features = { ABUT_FEATURE_FACE, ABUT_FEATURE_EDGE } };
        if (i < ABUT_FIRST_CONTACTS)
            out->points[i] = point;
        if (f.count > ABUT_FIRST_CONTACTS && opts->on_point)
            opts->on_point(opts->on_point_ctx, &point);
    }
    return f.status;
}

abut_status __wrap_abut_contact_intervals(const abut_shape *a, const abut_motion *motion_a,
                                          const abut_shape *b, const abut_motion *motion_b,
                                          const abut_first_opts *opts, abut_workspace *ws,
                                          abut_contact_interval *intervals, size_t capacity,
                                          abut_intervals_result *out)
{
    (void)a, (void)motion_a, (void)b, (void)motion_b, (void)opts, (void)ws;
    static fake f;
    static bool again;
    /* The caller asks again when its buffer was too small: the same question. */
    if (!again)
        f = next_fake();
    *out =
        (abut_intervals_result){ .proof = (abut_proof)f.proof, .stop = (abut_stop)f.stop, .count = f.count };
    for (unsigned i = 0; i < f.count && i < capacity; ++i)
        intervals[i] = (abut_contact_interval){ { i, i }, { i + 0.5, i + 0.5 } };
    again = f.status == ABUT_OK && f.count > capacity;
    return f.status;
}
