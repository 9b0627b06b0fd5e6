/* SPDX-License-Identifier: MIT */
/* The rows "..., portable" of cases_interval.c: abut's kernels compiled a second time, with the
 * rounding strategy that needs no rounding modes, under other names. */
#ifndef ABUT_INTERVAL_PORTABLE
#define ABUT_INTERVAL_PORTABLE
#endif
#define ia_div_by_zero bench_portable_div_by_zero
#define ia_div_split   bench_portable_div_split
#define ia_sin         bench_portable_sin
#define ia_cos         bench_portable_cos
#define ia_sin_cos     bench_portable_sin_cos
#define ia_tan         bench_portable_tan
#define ia_asin        bench_portable_asin
#define ia_acos        bench_portable_acos
#define ia_atan        bench_portable_atan
#define ia_atan2       bench_portable_atan2
#define ia_exp         bench_portable_exp
#define ia_log         bench_portable_log
#define ia_pown        bench_portable_pown
#define ia_pow         bench_portable_pow

#include "interval_loops.h"

#include "interval/divide.c"
#include "interval/explog.c"
#include "interval/trig.c"

#undef TINY
#define bound_tiny bound_tiny_arc
#include "interval/arc.c"

void bench_register_interval_portable(void);
void bench_register_interval_portable(void)
{
    interval_add_cases(", portable", &kernel_contender);
}
