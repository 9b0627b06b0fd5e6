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

#if defined(__clang__)
#pragma clang attribute push(__attribute__((target("avx2,fma"))), apply_to = function)
#else
#pragma GCC push_options
#pragma GCC target("avx2,fma")
#endif
#define WIDE_AVX2 1
#include "bvh/wide_fit.h"
#include "bvh/wide_order.h"
#include "bvh/wide_walk.h"
#if defined(__clang__)
#pragma clang attribute pop
#else
#pragma GCC pop_options
#endif
const wide_functions abut_wide_avx2 = { order_items, fit_tree, walk_overlap, walk_nearest, walk_self };
#endif
