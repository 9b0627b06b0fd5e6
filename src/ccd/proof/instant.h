/* SPDX-License-Identifier: MIT */
/* The relation of two moving bodies at one instant of a smooth piece, as the advancing solver needs
 * it. */
#ifndef ABUT_CCD_PROOF_INSTANT_H
#define ABUT_CCD_PROOF_INSTANT_H

#include "ccd/proof/moving.h"
#include "ccd/proof/moving_plane.h"
#include "narrow/distance/convex.h"

typedef struct abut_scene_pair {
    const abut_shape *shape_a, *shape_b;
    const abut_core *a, *b; /* b NULL: a half-space */
    abut_path path_a, path_b;
    bool flat;       /* there is no interior to meet */
    bool translates; /* neither body turns */
} abut_scene_pair;

typedef struct abut_instant {
    double t;
    int sign;      /* of the gap: 1, -1, 0 (exactly touching) or ABUT_SIGN_UNKNOWN */
    double gap;    /* steers */
    double margin; /* sign -1: certified, they overlap by at least this in every direction */
    abut_vec3 n;   /* world, from a to b: the best separating direction */
    bool has_witness;
    abut_vec3 point; /* between the witnesses, world */
    abut_feature features[2];
    bool has_middle;
    abut_vec3 middle; /* of the witnesses, world, whether they are those of a contact; steers */
    /* Edges of the feature of K that is nearest, in a's frame, with their parts from a (in its
     * frame) and from b (in its own): they say how the best direction turns. */
    int edges;
    abut_vec3 edge[2], part_a[2], part_b[2];
    /* how n turned since the last look, zero where that is not known; steers */
    abut_vec3 swing;
    abut_vec3 dn; /* how n turns, once a proof was extended; steers */
    /* how far a proof is likely to hold, 0 where that is not known; steers */
    double step;
    abut_stance at_a, at_b; /* places, and rates once a proof was extended */
} abut_instant;

/* False where a place is not known. `hint`: a direction to begin with, or NULL. `deep`: the
 * margin is wanted as large as can be. */
bool abut_instant_make(const abut_scene_pair *pair, double t, const abut_vec3 *hint, bool deep,
                       abut_counters *counters, abut_instant *out);
/* How far from t, towards t + room (room of either sign), balls around the bodies are proved
 * apart: a length of time, no more than |room|; 0 where they are not. Two cores. */
double abut_instant_balls(const abut_scene_pair *pair, double t, double room);
/* How far from there, towards t + room (room of either sign), the bodies are proved apart (sign
 * 1): a length of time. closing: how fast the gap shrinks, error: how well it is known; both
 * steer. */
double abut_instant_clear(const abut_scene_pair *pair, abut_instant *at, double room, double *closing,
                          double *error);
/* They touch exactly, and along n nothing overlaps: how far the plane proves that they part at
 * once. 0: it does not. */
double abut_instant_parting(const abut_scene_pair *pair, abut_instant *at, double room);
/* Turns n into the axis of the world next to it, where along that the gap of two bodies that
 * are placed exactly is not negative, by exact arithmetic; false where that is not so. Over a
 * half-space n stays. */
bool abut_instant_exact_axis(const abut_scene_pair *pair, const abut_place *at_a, const abut_place *at_b,
                             abut_instant *at);
/* The same for an overlap (sign -1). */
double abut_instant_cover(const abut_scene_pair *pair, abut_instant *at, double room);

/* Turns about which axes change nothing; NULL: a half-space. */
abut_symmetry abut_instant_symmetry(const abut_core *core);
/* The pair of the static solvers from the places of an instant; false where sizes are extreme. */
bool abut_instant_pair(const abut_scene_pair *pair, const abut_instant *at, abut_convex_pair *out);
/* Of the contact: from the points of a simplex, by their hints. */
abut_feature abut_instant_feature(const abut_core *core, const uint32_t *ids, int count);

#endif
