/* SPDX-License-Identifier: MIT */
/* Curved surfaces as rows of the table of pairs over time. */
#include "ccd/pair_table.h"
#include "ccd/surface/surface_scene.h"
#include "shape/hull/hull.h"

/* Point sets with a margin, and flat ones, have spines, not surfaces. */
static bool has_surface(const abut_shape *s)
{
    return s->type != ABUT_SHAPE_CONVEX || (s->u.convex.margin == 0 && s->u.convex.hull->dimension == 3);
}

abut_status abut_ccd_surface_first(const abut_ccd_row *row, const abut_ccd_query *query,
                                   abut_first_result *out)
{
    (void)row;
    if (!has_surface(query->a) || !has_surface(query->b))
        return abut_first_by_scan(&abut_ccd_general, query, out);
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
    if (!has_surface(query->a) || !has_surface(query->b))
        return abut_intervals_by_scan(&abut_ccd_general, query, intervals, capacity, out);
    if (!abut_surface_opts_ok(query->opts))
        return ABUT_ERR_ARGUMENT;
    return abut_surface_intervals(query->a, query->motion_a, query->b, query->motion_b, query->opts,
                                  query->range, query->ws, intervals, capacity, out);
}
