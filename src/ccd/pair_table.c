/* SPDX-License-Identifier: MIT */
/* The one table of continuous pair methods: which pairs have one, with the type that stands first. */
#include "ccd/pair_table.h"

static const abut_moving_fn table[ABUT_SHAPE_TYPE_COUNT][ABUT_SHAPE_TYPE_COUNT] = {
    [ABUT_SHAPE_SPHERE] = {
        [ABUT_SHAPE_SPHERE] = abut_moving_scan,
        [ABUT_SHAPE_HALFSPACE] = abut_moving_scan,
    },
};

abut_moving_fn abut_ccd_find_pair(abut_shape_type a, abut_shape_type b, bool *swapped)
{
    *swapped = !table[a][b];
    return *swapped ? table[b][a] : table[a][b];
}
