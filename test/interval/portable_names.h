/* SPDX-License-Identifier: MIT */
/* Forced in front of the room's sources when they are compiled a second time with
 * ABUT_INTERVAL_PORTABLE, so that both rounding strategies live in one program.
 * test/interval/variants.h lists what tests use of them. */
#ifndef ABUT_TEST_PORTABLE_NAMES_H
#define ABUT_TEST_PORTABLE_NAMES_H

#define abut_interval_neg              portable_interval_neg
#define abut_interval_sqr              portable_interval_sqr
#define abut_interval_sqrt             portable_interval_sqrt
#define abut_interval_exp              portable_interval_exp
#define abut_interval_log              portable_interval_log
#define abut_interval_sin              portable_interval_sin
#define abut_interval_cos              portable_interval_cos
#define abut_interval_tan              portable_interval_tan
#define abut_interval_asin             portable_interval_asin
#define abut_interval_acos             portable_interval_acos
#define abut_interval_atan             portable_interval_atan
#define abut_interval_abs              portable_interval_abs
#define abut_interval_add              portable_interval_add
#define abut_interval_sub              portable_interval_sub
#define abut_interval_mul              portable_interval_mul
#define abut_interval_div              portable_interval_div
#define abut_interval_pow              portable_interval_pow
#define abut_interval_min              portable_interval_min
#define abut_interval_max              portable_interval_max
#define abut_interval_intersect        portable_interval_intersect
#define abut_interval_hull             portable_interval_hull
#define abut_interval_point            portable_interval_point
#define abut_interval_empty            portable_interval_empty
#define abut_interval_entire           portable_interval_entire
#define abut_interval_is_empty         portable_interval_is_empty
#define abut_interval_contains         portable_interval_contains
#define abut_interval_subset           portable_interval_subset
#define abut_interval_div_split        portable_interval_div_split
#define abut_interval_pown             portable_interval_pown
#define abut_interval_mid              portable_interval_mid
#define abut_interval_width            portable_interval_width
#define abut_interval_bisect           portable_interval_bisect
#define abut_interval_inverse          portable_interval_inverse
#define abut_interval_chebyshev        portable_interval_chebyshev
#define abut_interval_chebyshev_derive portable_interval_chebyshev_derive
#define abut_chebyshev_ranges          portable_chebyshev_ranges
#define abut_chebyshev_enclose         portable_chebyshev_enclose
#define abut_linear_iterate            portable_linear_iterate
#define abut_linear_eliminate          portable_linear_eliminate
#define abut_linear_invert_roughly     portable_linear_invert_roughly
#define abut_interval_solve_lu         portable_interval_solve_lu
#define abut_interval_solve_iterate    portable_interval_solve_iterate
#define abut_interval_krawczyk         portable_interval_krawczyk
#define ia_div_by_zero                 portable_ia_div_by_zero
#define ia_div_split                   portable_ia_div_split
#define ia_sin                         portable_ia_sin
#define ia_cos                         portable_ia_cos
#define ia_sin_cos                     portable_ia_sin_cos
#define ia_tan                         portable_ia_tan
#define ia_asin                        portable_ia_asin
#define ia_acos                        portable_ia_acos
#define ia_atan                        portable_ia_atan
#define ia_atan2                       portable_ia_atan2
#define ia_exp                         portable_ia_exp
#define ia_log                         portable_ia_log
#define ia_pown                        portable_ia_pown
#define ia_pow                         portable_ia_pow

#endif
