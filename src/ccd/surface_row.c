/* SPDX-License-Identifier: MIT */
/* Curved surfaces as rows of the table of pairs over time. */
#include "ccd/pair_table.h"
#include "ccd/surface/surface_scene.h"

abut_status abut_ccd_surface_first(const abut_ccd_row *row, const abut_ccd_query *query,
                                   abut_first_result *out)
{
    (void)row;
    if (!abut_surface_opts_ok(query->opts))
        return ABUT_ERR_ARGUMENT;
    return abut_surface_first(query->a, query->motion_a, query->b, query->motion_b, query->opts, query->range,
                              query->ws, out);
}

abut_status abut_ccd_surface_intervals(const abut_ccd_row *row, const abut_ccd_query *query,
                                       abut_contact_interval *intervals, size_t capacity,
                                       abut_intervals_result *out)
{
    (void)row;
    if (!abut_surface_opts_ok(query->opts))
        return ABUT_ERR_ARGUMENT;
    return abut_surface_intervals(query->a, query->motion_a, query->b, query->motion_b, query->opts,
                                  query->range, query->ws, intervals, capacity, out);
}
