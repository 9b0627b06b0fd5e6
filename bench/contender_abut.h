/* SPDX-License-Identifier: MIT */
/* abut as a contender, through its public interface. A combination that has no method yet takes
 * no part: its row fills itself in on the day the pair table gets one. */
#ifndef ABUT_BENCH_CONTENDER_ABUT_H
#define ABUT_BENCH_CONTENDER_ABUT_H

#include "bench.h"
#include "peers.h"

/* Coherent pairs are asked about with a cache for each, or as if they had never been met. */
typedef enum bench_abut_start { BENCH_ABUT_WARM, BENCH_ABUT_COLD } bench_abut_start;

bench_contender bench_abut_rest(bench_query query, bench_abut_start start);
bench_contender bench_abut_moving(void);
bench_contender bench_abut_mesh(bench_mesh_query query);
bench_contender bench_abut_sheet(void);
bench_contender bench_abut_sheet_step(void);

#endif
