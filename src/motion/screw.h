/* SPDX-License-Identifier: MIT */
/* The path of the origin under the screw that joins two placements. */
#ifndef ABUT_MOTION_SCREW_H
#define ABUT_MOTION_SCREW_H

#include "motion/spin.h"

typedef struct abut_screw {
    abut_interval_vec3 offset; /* d: from the first origin to the last */
    /* its part along the axis, (n.d) n; times angle^2 where the spin is slow */
    abut_interval_vec3 along;
    abut_interval_vec3 across; /* n x d; times angle where the spin is slow */
} abut_screw;

/* Kernels. The spin must turn. Positions are relative to the first origin, for s in [0, 1]. */
void abut_screw_init(const abut_spin *spin, abut_vec3 from, abut_vec3 to, abut_screw *out);
void abut_screw_enclose(const abut_spin *spin, const abut_screw *screw, ia s, ia3 *out);
void abut_screw_enclose_rate(const abut_spin *spin, const abut_screw *screw, ia s, ia3 *out);

abut_vec3 abut_screw_at(const abut_spin *spin, const abut_screw *screw, double s);
abut_vec3 abut_screw_rate_at(const abut_spin *spin, const abut_screw *screw, double s);

#endif
