/* SPDX-License-Identifier: MIT */
/* What the sines and cosines of path.c (one angle) and turn_round_distance.c (two lanes) share: the
 * multiple of pi/2 in two parts, of which the first has 33 bits, and Taylor's coefficients behind
 * the first term, to 17th and 16th order. */
#ifndef ABUT_CCD_PROOF_SIN_COS_H
#define ABUT_CCD_PROOF_SIN_COS_H

#define ABUT_TWO_OVER_PI  0x1.45f306dc9c883p-1
#define ABUT_HALF_PI_HIGH 0x1.921fb544p+0
#define ABUT_HALF_PI_LOW  0x1.0b4611a626331p-34

/* static: with rounding modes heeded, quotients in an expression are computed when it is. */
static const double abut_sine_terms[] = { -1.0 / 6,
                                          1.0 / 120,
                                          -1.0 / 5040,
                                          1.0 / 362880,
                                          -1.0 / 39916800,
                                          1.0 / 6227020800.0,
                                          -1.0 / 1307674368000.0,
                                          1.0 / 355687428096000.0 };
static const double abut_cosine_terms[] = {
    -0.5,           1.0 / 24,          -1.0 / 720,           1.0 / 40320,
    -1.0 / 3628800, 1.0 / 479001600.0, -1.0 / 87178291200.0, 1.0 / 20922789888000.0
};

#endif
