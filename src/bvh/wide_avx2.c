/* SPDX-License-Identifier: MIT */
/* Wide trees: orders, fits and walks for AVX2. Chosen at run time (wide.c). */
#if defined(__x86_64__)
/* What the file is made of comes first: only what is defined here may need the unit. */
#include "base/memory.h"
#include "bvh/wide.h"
#include <float.h>
#include <immintrin.h>
#include <math.h>
#include <string.h>

#include "base/avx2_begin.h"

#define WIDE_AVX2 1
#include "bvh/wide_fit.h"
#include "bvh/wide_order.h"
#include "bvh/wide_walk.h"

#include "base/avx2_end.h"

const wide_functions abut_wide_avx2 = { order_items, fit_tree, walk_overlap, walk_nearest, walk_self };
#endif
