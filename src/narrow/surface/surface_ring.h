/* SPDX-License-Identifier: MIT */
/* A torus against the bodies that a point is at a distance from in closed form; see
 * surface_ring.c. */
#ifndef ABUT_NARROW_SURFACE_SURFACE_RING_H
#define ABUT_NARROW_SURFACE_SURFACE_RING_H

#include "narrow/pair/pair.h"

typedef struct abut_ring_answer {
    /* signed: the distance of the spines less the radii. Negative: the interiors meet; 0: they
     * touch */
    abut_interval gap;
    abut_vec3 spine; /* where the torus' spine is nearest, in the frame of b */
    abut_vec3 foot;  /* what it is nearest to: of b, or of b's spine */
    double swell;    /* radius of what is around b's spine */
    abut_stop stop;
    abut_counters counters;
} abut_ring_answer;

/* Whether this is for the pair: a is a torus, b a sphere, half-space, torus, box, capsule,
 * cylinder or cone. */
bool abut_ring_takes(const abut_shape *a, const abut_shape *b);
/* Rounding to nearest; enters the kernel itself. max_iterations 0: as usual. */
void abut_ring_solve(const abut_shape *a, const abut_place *at_a, const abut_shape *b, const abut_place *at_b,
                     uint64_t max_iterations, abut_ring_answer *out);

#endif
