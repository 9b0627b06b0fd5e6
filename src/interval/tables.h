/* SPDX-License-Identifier: MIT */
/* Constants of the elementary functions, written by tools/interval_tables.py. Pairs are (nearest
 * double, nearest double of the rest), so that their sum is good to 2^-106 of the number. */
#ifndef ABUT_INTERVAL_TABLES_H
#define ABUT_INTERVAL_TABLES_H

#include <stdint.h>

/* pi/64 = one + two + three to 2^-127, where one and two have 33 bits. */
extern const double abut_interval_pi64_one, abut_interval_pi64_two, abut_interval_pi64_three;
extern const double abut_interval_pi64_inverse;
extern const double abut_interval_pi64_high, abut_interval_pi64_low;
extern const double abut_interval_half_pi_high, abut_interval_half_pi_low;
extern const double abut_interval_pi_high, abut_interval_pi_low;

/* ln(2)/64 = one + two to 2^-96, where one has 35 bits. */
extern const double abut_interval_ln2_64_one, abut_interval_ln2_64_two, abut_interval_ln2_64_inverse;
/* ln(2) = high + low, where high is a multiple of 2^-42. */
extern const double abut_interval_ln2_high, abut_interval_ln2_low;

/* sin(k pi/64) for k = 0 .. 159: the whole circle, and a quarter more so that cosines are 32
 * entries on. */
extern const double abut_interval_sin_table[160][2];
/* 2^(k/64) */
extern const double abut_interval_exp2_table[64][2];
/* For the cell of doubles whose bits start at 0x3fe6000000000000 + (i << 45): c, a number of 10
 * bits close to the inverse of the cell's middle (1 for the cells beside 1), and -ln(c) as a
 * multiple of 2^-42 and a rest. */
extern const double abut_interval_log_table[128][3];
/* atan(i/64) */
extern const double abut_interval_atan_table[65][2];
/* Where the Chebyshev polynomial T_n, n = 2 .. 63, is 1 or -1 between -1 and 1: cos(i pi/n) for
 * i = n - 1 .. 1, ascending; row n begins at (n - 1) (n - 2) / 2. */
extern const double abut_interval_chebyshev_extrema[1953];
/* 2/pi after the binary point, 32 bits a word. */
extern const uint32_t abut_interval_two_over_pi[42];

#endif
