/* SPDX-License-Identifier: MIT */
/* A guess of the first contact of two ellipsoids, or an ellipsoid and a ball, that turn. */
#ifndef ABUT_CCD_ADVANCE_IMPACT_NEWTON_H
#define ABUT_CCD_ADVANCE_IMPACT_NEWTON_H

#include "ccd/proof/instant.h"

typedef struct abut_impact_guess_hit {
    double t;
    abut_vec3 n;           /* world, unit, from a to b */
    abut_vec3 point;       /* of contact, world */
    double closing, error; /* speed of the gap there, and how well it is known */
    /* how many errors deep they must be in each other for a common point to be proved */
    double proved;
} abut_impact_guess_hit;

/* A contact between lo and hi, of closed-form paths: often the first after lo. False where none
 * is found. Steers. */
bool abut_impact_guess(const abut_scene_pair *pair, double lo, double hi, abut_impact_guess_hit *out);

#endif
