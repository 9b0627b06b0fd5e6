/* SPDX-License-Identifier: MIT */
#ifndef ABUT_CCD_PAIR_TABLE_H
#define ABUT_CCD_PAIR_TABLE_H

#include "ccd/proof/moving.h"

/* Walks through the range and emits the runs of contact, in order. */
typedef abut_status (*abut_moving_fn)(abut_moving *m, abut_run_fn emit, void *ctx);

/* The method for two types, with *swapped set when it wants them the other way round; NULL where
 * there is none. */
abut_moving_fn abut_ccd_find_pair(abut_shape_type a, abut_shape_type b, bool *swapped);

#endif
