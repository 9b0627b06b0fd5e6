/* SPDX-License-Identifier: MIT */
/* Referee for motions: textbook formulas in MPFR numbers of a few hundred bits, sharing no code
 * with src/motion. Rotations are quaternions throughout, screws turn about their axis in space,
 * series are summed term by term, and velocities are central differences of placements, which
 * are good to 250 bits at 500. */
#ifndef ABUT_ORACLE_MOTION_MPFR_H
#define ABUT_ORACLE_MOTION_MPFR_H

#include "abut/motion.h"

#include <mpfr.h>

enum { oracle_max_keys = 12, oracle_max_series = 64, oracle_max_matrices = 16, oracle_max_links = 10 };

/* A motion as its creator was reported. */
typedef struct oracle_motion {
    abut_motion_type type;
    double t0, t1;
    abut_placement from, to; /* static: from */
    abut_vec3 linear, angular;
    bool has_matrix; /* static: matrices[0] in place of from */
    abut_affine matrices[oracle_max_matrices];
    size_t matrix_count;
    double series[7][oracle_max_series];
    size_t counts[7];
    abut_keyframe keys[oracle_max_keys];
    size_t key_count;
    /* expression: a + b t + c sin(w t) + d t^2 / (2 + cos(e t)) for x, y, z and the angle about
     * `angular` */
    double terms[4][6];
    const struct oracle_motion *links[oracle_max_links];
    size_t link_count;
} oracle_motion;

/* Bits of all numbers from now on; 500 is enough unless angles are tiny. Also sets up, so call
 * it first. */
void oracle_set_precision(long bits);
void oracle_free(void);

/* The twelve entries of the linear part, row by row, and the translation. Valid until the next
 * call. At a key, and across keys for the differences, the segment is the one that holds `side`. */
typedef struct oracle_place {
    mpfr_srcptr v[12];
} oracle_place;

oracle_place oracle_motion_at(const oracle_motion *m, double t);
oracle_place oracle_motion_velocity(const oracle_motion *m, double t, double side);

#endif
