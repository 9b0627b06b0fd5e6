/* SPDX-License-Identifier: MIT */
/* The one table of continuous pair methods: which pairs have one, with the type that stands
 * first. */
#include "ccd/pair_table.h"

/* What the general solver takes: shapes with a core. */
#define CONVEX_ROW                                                                       \
    [ABUT_SHAPE_BOX] = abut_advance_scan, [ABUT_SHAPE_CAPSULE] = abut_advance_scan,      \
    [ABUT_SHAPE_CYLINDER] = abut_advance_scan, [ABUT_SHAPE_CONE] = abut_advance_scan,    \
    [ABUT_SHAPE_ELLIPSOID] = abut_advance_scan, [ABUT_SHAPE_CONVEX] = abut_advance_scan, \
    [ABUT_SHAPE_SWEPT] = abut_advance_scan, [ABUT_SHAPE_SUPPORT] = abut_advance_scan

#define CONVEX_ALL CONVEX_ROW, [ABUT_SHAPE_HALFSPACE] = abut_advance_scan

static const abut_moving_fn table[ABUT_SHAPE_TYPE_COUNT][ABUT_SHAPE_TYPE_COUNT] = {
    [ABUT_SHAPE_SPHERE] = {
        [ABUT_SHAPE_SPHERE] = abut_moving_scan,
        [ABUT_SHAPE_HALFSPACE] = abut_moving_scan,
        CONVEX_ROW,
    },
    [ABUT_SHAPE_BOX] = { CONVEX_ALL },
    [ABUT_SHAPE_CAPSULE] = { CONVEX_ALL },
    [ABUT_SHAPE_CYLINDER] = { CONVEX_ALL },
    [ABUT_SHAPE_CONE] = { CONVEX_ALL },
    [ABUT_SHAPE_ELLIPSOID] = { CONVEX_ALL },
    [ABUT_SHAPE_CONVEX] = { CONVEX_ALL },
    [ABUT_SHAPE_HEIGHTFIELD] = {
        [ABUT_SHAPE_SPHERE] = abut_field_scan, [ABUT_SHAPE_BOX] = abut_field_scan,
        [ABUT_SHAPE_CAPSULE] = abut_field_scan, [ABUT_SHAPE_CYLINDER] = abut_field_scan,
        [ABUT_SHAPE_CONE] = abut_field_scan, [ABUT_SHAPE_ELLIPSOID] = abut_field_scan,
        [ABUT_SHAPE_CONVEX] = abut_field_scan, [ABUT_SHAPE_SWEPT] = abut_field_scan,
        [ABUT_SHAPE_SUPPORT] = abut_field_scan,
    },
    [ABUT_SHAPE_SWEPT] = { CONVEX_ALL },
    [ABUT_SHAPE_SUPPORT] = { CONVEX_ALL },
};

abut_moving_fn abut_ccd_find_pair(abut_shape_type a, abut_shape_type b, bool *swapped)
{
    *swapped = !table[a][b];
    return *swapped ? table[b][a] : table[a][b];
}
