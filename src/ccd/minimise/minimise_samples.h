/* SPDX-License-Identifier: MIT */
/* The paper's singular solution set as points in space: regions all of whose place is near one
 * of them need no sample of their own. */
#ifndef ABUT_CCD_MINIMISE_MINIMISE_SAMPLES_H
#define ABUT_CCD_MINIMISE_MINIMISE_SAMPLES_H

#include "base/workspace.h"
#include "interval/ia3.h"

typedef struct abut_sample {
    abut_vec3 at;
    uint32_t group, found; /* the accepted region it represents */
    uint32_t next;         /* in its chain: number plus 1, 0 at the end */
} abut_sample;

typedef struct abut_samples {
    abut_workspace *ws;
    double separation;
    abut_sample *list;
    size_t count, capacity;
    uint32_t *chains;   /* by cells of a grid, as wide as the separation */
    size_t chain_count; /* a power of two */
} abut_samples;

/* Kernels. False: memory is out. */
bool abut_samples_add(abut_samples *s, const ia3 *place, uint32_t group, uint32_t found);
/* After entries of the list were taken out. */
void abut_samples_rebuild(abut_samples *s);
/* Whether all of the place is nearer than the separation to one sample of the group. */
bool abut_samples_near(const abut_samples *s, const ia3 *place, uint32_t group);
/* The same for the sample with that number. */
bool abut_samples_near_one(const abut_samples *s, size_t number, const ia3 *place, uint32_t group);
/* Whether no other sample of its group is so near that both can be on one curve: regions near
 * one are not near the other then. */
bool abut_samples_alone(const abut_samples *s, size_t number);

#endif
