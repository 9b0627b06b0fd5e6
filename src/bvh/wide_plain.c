/* SPDX-License-Identifier: MIT */
/* Wide trees: orders, fits and walks in plain C. */

#define WIDE_AVX2 0
#include "bvh/wide_fit.h"
#include "bvh/wide_order.h"
#include "bvh/wide_walk.h"

const wide_functions abut_wide_plain = { order_items, fit_tree, walk_overlap, walk_nearest, walk_self };
