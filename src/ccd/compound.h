/* SPDX-License-Identifier: MIT */
/* Compounds over time, through their parts. */
#ifndef ABUT_CCD_COMPOUND_H
#define ABUT_CCD_COMPOUND_H

#include "ccd/pair_table.h"

/* One of the two bodies is a compound. */
abut_status abut_compound_first(const abut_ccd_query *query, abut_first_result *out);
abut_status abut_compound_intervals(const abut_ccd_query *query, abut_contact_interval *intervals,
                                    size_t capacity, abut_intervals_result *out);
/* abut_first_contact_set where some body is one; `ws` is not NULL. */
abut_status abut_compound_first_set(const abut_body *bodies, size_t body_count, const uint32_t *pairs,
                                    size_t pair_count, const abut_first_opts *opts, abut_workspace *ws,
                                    abut_set_point *points, size_t capacity, abut_set_result *out);

#endif
