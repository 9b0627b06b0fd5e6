/* SPDX-License-Identifier: MIT */
/* The registry of the benchmark program: what a case is, who contends in it, how it is timed and
 * judged.
 *
 * A file bench/cases_NAME.c defines `void bench_register_NAME(void)`, which calls bench_add() for
 * each case it has; bench/CMakeLists.txt finds the file and calls that function. Nothing else has
 * to be edited.
 *
 * A case is one workload: `setup` makes its inputs once (not timed) and the referee's answers; then
 * abut and every peer answer all its questions in `run` (timed) and say in `wrong` (not timed) how
 * many of their answers the referee refutes. All contenders of a case run in the same process on
 * the same inputs.
 *
 * Timing: by the processor time of the process, so that other programs hardly count and no
 * contender can hide work in another thread. One untimed run warms up and is judged. A batch is as
 * many runs as take at least 2 ms; rounds of one batch for each contender, in an order that rotates
 * by one each round, repeat 15 times (fewer, but at least 3, when a round takes long), so that
 * drift of the machine hits all alike. The median over the rounds is reported, and the least as a
 * counter; both are divided by the number of questions. Work that is not part of the question
 * (building a peer's objects, reading files) belongs in `prepare`. --quick has 3 rounds of 0.2 ms
 * batches.
 *
 * Valid as C++17 too, since adapters to C++ peers include it. */
#ifndef ABUT_BENCH_H
#define ABUT_BENCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define BENCH_PEERS 16

/* Work counters, printed with every time: bench_count(counters, "iterations",
 * mean_per_question). */
typedef struct bench_counters bench_counters;
void bench_count(bench_counters *counters, const char *name, double value);

/* abut or a peer in one case. Only `name` and `run` are required; a contender whose `run` is
 * NULL is shown as not there yet (abut) or left out (a peer that is not installed). */
typedef struct bench_contender {
    const char *name; /* of a peer: library first, then what is called: "FCL distance LIBCCD" */
    /* handed to all functions below, so that one function can serve several contenders */
    int variant;
    /* Not timed. Makes the contender's own state from the case's data; without it the state is
     * the data itself. NULL returned: this contender cannot take part, it is left out. */
    void *(*prepare)(void *data, int variant);
    /* Timed. Answers all questions of the case once. The returned number must depend on all the
     * answers (a sum, a count), so that no compiler leaves the work out. */
    double (*run)(void *state, int variant);
    /* Not timed, called after a run: how many of its answers the referee refutes. NULL: nobody
     * judges. */
    uint64_t (*wrong)(void *state, int variant);
    /* Not timed, called after `wrong`. */
    void (*count)(void *state, int variant, bench_counters *counters);
    void (*finish)(void *state, int variant);
} bench_contender;

typedef struct bench_case {
    /* "interval", "convex", "mesh", "surface", "ellipsoid", "polynomial", "io", "broad", "ccd",
     * "ray", "triangle", "cad", "polyhedron" */
    const char *family;
    const char *name;  /* "W1 boolean box"; unique in its family */
    const void *param; /* for setup; must outlive the program's run */
    int number;        /* for setup, too */
    /* Inputs and the referee's answers; *questions: how many one run answers (times are divided
     * by it). NULL: the case cannot run. In quick mode make the inputs smaller if they take
     * long. */
    void *(*setup)(const struct bench_case *c, bool quick, uint64_t *questions);
    void (*teardown)(void *data);
    bench_contender abut; /* .name may be NULL: "abut" */
    bench_contender peers[BENCH_PEERS];
} bench_case;

/* Copies *c; the strings must outlive the program's run. */
void bench_add(const bench_case *c);

/* The folder of queries that --queries names; NULL: none. */
const char *bench_queries(void);
void bench_set_queries(const char *directory);

/* Named in the header of the output: "FCL", "0.7.0". A peer that the build did not find: version
 * NULL. */
void bench_peer(const char *name, const char *version);

/* Takes a number in a way the compiler cannot see through. run()'s result is consumed by the
 * program; use this for what cannot be returned. */
void bench_sink(double value);

/* malloc that ends the program with a message when there is no memory. */
void *bench_alloc(size_t count, size_t size);

/* Random numbers of all workloads: splitmix64, whose every state is a good seed. */
typedef struct bench_random {
    uint64_t state;
} bench_random;

static inline uint64_t bench_bits(bench_random *r)
{
    uint64_t z = (r->state += UINT64_C(0x9e3779b97f4a7c15));
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

/* Uniform in [lo, hi). */
static inline double bench_uniform(bench_random *r, double lo, double hi)
{
    return lo + (hi - lo) * ((double)(bench_bits(r) >> 11) * 0x1p-53);
}

#ifdef __cplusplus
}
#endif

#endif
