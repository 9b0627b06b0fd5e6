/* SPDX-License-Identifier: MIT */
/* Between the files of the benchmark program itself; cases include bench.h only. */
#ifndef ABUT_BENCH_PROGRAM_H
#define ABUT_BENCH_PROGRAM_H

#include "bench.h"

#include <stdio.h>

#define BENCH_COUNTERS 8

struct bench_counters {
    size_t count;
    struct {
        char name[32];
        double value;
    } items[BENCH_COUNTERS];
};

/* What one contender did in one case. */
typedef struct bench_time {
    bool present;
    double median_ns, least_ns; /* a question */
    bool judged;
    uint64_t wrong;
    bench_counters counters;
} bench_time;

typedef struct bench_row {
    const bench_case *c;
    bool ran;
    uint64_t questions;
    bench_time abut;
    bench_time peers[BENCH_PEERS];
    /* index of the fastest peer that is not refuted, -1 when there is none: its ratio counts */
    int counts;
} bench_row;

size_t bench_case_count(void);
const bench_case *bench_case_at(size_t index);
void bench_print_machine(FILE *out);

/* Runs one case. */
void bench_measure(const bench_case *c, bool quick, bench_row *row);

void bench_print_row(FILE *out, const bench_row *row, bool first_of_family);
/* For docs/benchmarks.md. */
void bench_print_markdown(FILE *out, const bench_row *rows, size_t count);
void bench_print_json(FILE *out, const bench_row *rows, size_t count);
/* The errors of abut and its peers on pairs with known answers, as two tables for
 * docs/benchmarks.md. */
void bench_print_errors(FILE *out);
/* The tables of volumes.c. */
void bench_print_volumes(FILE *out);
/* The tables of worlds.c. */
void bench_print_worlds(FILE *out);
/* One picture a family, DIRECTORY/FAMILY.svg; false with a message on stderr when gnuplot is
 * missing or fails. */
bool bench_plot(const char *directory, const bench_row *rows, size_t count);

/* Generated from the files bench/cases_*.c that exist. */
void bench_register_all(void);

#endif
