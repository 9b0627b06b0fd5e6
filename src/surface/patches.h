/* SPDX-License-Identifier: MIT */
/* Bodies made of Bezier patches: what patches.c evaluates and seams.c finds. */
#ifndef ABUT_SURFACE_PATCHES_H
#define ABUT_SURFACE_PATCHES_H

#include "surface/image.h"
#include "surface/patch.h"

/* A side of a patch: 2 parameter + (upper end), as of parametric surfaces. */
typedef struct abut_patch_side {
    uint32_t patch;
    uint8_t side;
    bool reversed; /* runs against the first side of its edge */
} abut_patch_side;

typedef struct abut_patch_edge {
    abut_patch_side side[2];
    int count;
} abut_patch_edge;

/* A place at a vertex: a corner of a patch ((u upper) + 2 (v upper)), or a side that is one point. */
typedef struct abut_patch_place {
    uint32_t patch;
    uint8_t corner; /* or the side */
    bool pole;
} abut_patch_place;

typedef struct abut_patch_vertex {
    abut_vec3 point;
    uint32_t first, count; /* in places */
} abut_patch_vertex;

typedef struct abut_patches_body {
    abut_surface_body base;
    abut_patch *patches;
    size_t patch_count;
    abut_patch_edge *edges;
    size_t edge_count;
    abut_patch_vertex *vertices;
    size_t vertex_count;
    abut_patch_place *places;
    size_t place_count;
    bool turned; /* normals are v x u */
    bool closed; /* every side is a pole or meets one other, consistently oriented */
    double size;
    ia3 bounds;
} abut_patches_body;

static inline const abut_patches_body *abut_patches_of(const abut_surface *s)
{
    return (const abut_patches_body *)s->body;
}

/* Fills edges, vertices, places, closed. */
abut_status abut_patches_join(abut_patches_body *body, abut_workspace *ws, abut_workspace *temporary);

#endif
