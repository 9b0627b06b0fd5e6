/* SPDX-License-Identifier: MIT */
/* One Bezier patch, polynomial or rational, with the nets of its derivatives: enclosures over
 * boxes of u and v. */
#ifndef ABUT_SURFACE_PATCH_H
#define ABUT_SURFACE_PATCH_H

#include "surface/leaves.h"

/* A control point in homogeneous coordinates: x w, y w, z w, w (polynomial patches: w = 1). */
typedef struct abut_patch_point {
    ia_pair xy, zw;
} abut_patch_point;

/* A net of (m + 1) (n + 1) control points, u fastest; m or n < 0: the function is zero. */
typedef struct abut_patch_net {
    int m, n;
    const abut_patch_point *points;
    double error[4]; /* of every coordinate of every point */
    double size[4];  /* the largest absolute value of each coordinate */
} abut_patch_net;

typedef enum abut_patch_part {
    ABUT_PATCH_P = 0,
    ABUT_PATCH_U,
    ABUT_PATCH_V,
    ABUT_PATCH_UU,
    ABUT_PATCH_UV,
    ABUT_PATCH_VV,
    ABUT_PATCH_PARTS
} abut_patch_part;

typedef struct abut_patch {
    abut_patch_net net[ABUT_PATCH_PARTS];
    bool rational;
    const abut_vec3 *points; /* as given */
    const double *weights;
} abut_patch;

/* Entries of ia that evaluation needs. */
static inline size_t abut_patch_scratch(int m, int n)
{
    return 4 * (size_t)(m + 1) * (size_t)(n + 1);
}

/* In rounding to nearest. ABUT_ERR_MEMORY, ABUT_ERR_VALUE. */
abut_status abut_patch_make(const abut_patch_def *def, abut_workspace *ws, abut_patch *out);

/* Kernel. p, u, v and second derivatives, not the normals. False where weights may vanish:
 * outside [0, 1] only. */
bool abut_patch_jet(const abut_patch *patch, const ia box[2], int order, ia *scratch, abut_jet *out);

#endif
