/* SPDX-License-Identifier: MIT */
/* What is defined from here to avx2_end.h may use AVX2 and FMA, and is chosen at run time.
 * Everything else is to be included before. No guard: a file may have several such stretches. */
#if defined(__clang__)
#pragma clang attribute push(__attribute__((target("avx2,fma"))), apply_to = function)
#else
#pragma GCC push_options
#pragma GCC target("avx2,fma")
#endif
