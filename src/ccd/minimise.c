/* SPDX-License-Identifier: MIT */
/* The queue of regions. */
#include "ccd/minimise.h"

abut_status abut_minimise(const abut_problem *problems, size_t problem_count, const abut_minimise_opts *opts,
                          abut_workspace *ws, abut_minimum *out)
{
    (void)problems;
    (void)problem_count;
    (void)opts;
    (void)ws;
    *out = (abut_minimum){ .stop = ABUT_STOP_DONE };
    return ABUT_ERR_UNSUPPORTED;
}
