/* SPDX-License-Identifier: MIT */
/* First contact of curved surfaces, two or many. */
#include "abut/query.h"

abut_status abut_first_contact_set(const abut_body *bodies, size_t body_count, const uint32_t *pairs,
                                   size_t pair_count, const abut_first_opts *opts, abut_workspace *ws,
                                   abut_set_point *points, size_t capacity, abut_set_result *out)
{
    (void)bodies;
    (void)body_count;
    (void)pairs;
    (void)pair_count;
    (void)opts;
    (void)ws;
    (void)points;
    (void)capacity;
    (void)out;
    return ABUT_ERR_UNSUPPORTED;
}
