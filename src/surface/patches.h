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

/* A place at a vertex: a corner of a patch ((u upper) + 2 (v upper)), or a side that is one
 * point. */
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
    bool *turned;    /* of each patch: normals are v x u */
    uint32_t *shell; /* of each patch, where the body is closed */
    size_t shell_count;
    bool closed; /* every side is a pole or meets one other, consistently oriented */
    double size;
    ia3 bounds;
} abut_patches_body;

static inline const abut_patches_body *abut_patches_of(const abut_surface *s)
{
    return (const abut_patches_body *)s->body;
}

/* Why patches are neither a solid nor a sheet. */
typedef enum abut_seam_trouble_kind {
    ABUT_SEAM_FINE = 0,
    ABUT_SEAM_CROWDED,  /* which sides along a curve belong together is open */
    ABUT_SEAM_UNLIKE,   /* a closed shell whose patches are not all turned alike */
    ABUT_SEAM_MIXED,    /* closed shells beside a patch that is in none */
    ABUT_SEAM_FLAT,     /* a shell that encloses no volume, as far as is proved */
    ABUT_SEAM_CROSSING, /* a shell that crosses itself or another */
    ABUT_SEAM_TWICE,    /* a shell inside another, turned the same way */
    ABUT_SEAM_MANY      /* too many shells */
} abut_seam_trouble_kind;

typedef struct abut_seam_trouble {
    abut_seam_trouble_kind kind;
    uint32_t patch;
} abut_seam_trouble;

/* Fills edges, vertices, places, shells, closed. */
abut_status abut_patches_join(abut_patches_body *body, abut_workspace *ws, abut_workspace *temporary,
                              abut_seam_trouble *trouble);

/* Of closed patches fills `turned` so that normals lead out of the material (shells.c).
 * ABUT_ERR_MEMORY. */
abut_status abut_patches_orient(abut_patches_body *body, ia *scratch, abut_workspace *temporary,
                                abut_seam_trouble *trouble);

#endif
