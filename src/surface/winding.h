/* SPDX-License-Identifier: MIT */
/* How often a closed surface winds about a point, with proof; see winding.c. */
#ifndef ABUT_SURFACE_WINDING_H
#define ABUT_SURFACE_WINDING_H

#include "surface/surface.h"

/* Kernel. Points of a piece of surface over a box of u and v, less the point asked about. False:
 * not defined all over the box. */
typedef bool (*abut_winding_fn)(const void *ctx, uint32_t piece, const ia box[2], ia *scratch, ia3 *out);

/* A surface of pieces whose sides fit together. */
typedef struct abut_winding_map {
    abut_winding_fn enclose;
    const void *ctx;
    const uint32_t *pieces; /* NULL: piece 0 only */
    size_t piece_count;
    abut_interval range[2]; /* of u and v, the same for all pieces */
    double slack;           /* how far sides that should be the same curve may be apart */
} abut_winding_map;

/* Kernel. The number of turns: 1 inside where u x v leads outward, -1 inside where it leads
 * inward, 0 outside. Along each of a few directions until one tells, each with at most `each`
 * boxes; those used are taken off `cells`. False: not proved. */
bool abut_winding_find(const abut_winding_map *map, ia *scratch, uint64_t each, uint64_t *cells, int *turns);

#endif
