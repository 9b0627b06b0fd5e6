/* SPDX-License-Identifier: MIT */
/* The face that a convex core turns towards a direction: what of it touches a plane across that
 * direction. In doubles; nothing is proved by it. */
#ifndef ABUT_CCD_FIRST_FACE_H
#define ABUT_CCD_FIRST_FACE_H

#include "abut/query.h"
#include "shape/core.h"

/* Polygons of more corners are thinned out. */
enum { ABUT_FACE_CORNERS = 128 };

/* A face is in the plane as a whole where none of it is further from it than this times the size
 * of its body; the same as in linear_cast.c. */
#define ABUT_FACE_LEVEL 0x1p-30

typedef enum abut_face_kind {
    ABUT_FACE_POINT,
    ABUT_FACE_SEGMENT,
    ABUT_FACE_POLYGON,
    ABUT_FACE_DISC,
    ABUT_FACE_PLANE /* all of it */
} abut_face_kind;

typedef struct abut_face {
    abut_face_kind kind;
    /* 1, 2, corners of a polygon in order, 1 for the centre of a disc */
    int count;
    abut_vec3 p[ABUT_FACE_CORNERS]; /* on the core, without its ball */
    double radius;                  /* of a disc */
    abut_feature inside, border;    /* border: sides of a polygon, the rim of a disc */
    abut_feature ends[2];           /* of a segment; ends[0]: corners of a polygon */
} abut_face;

/* d: outward, unit, in the core's frame. Points of the core that are lower than its highest by
 * no more than `level` count as being on the plane. */
void abut_face_of(const abut_core *core, abut_vec3 d, double level, abut_face *out);
/* The direction next to d, by 1e-6 at most, that is exactly across a face, side or edge that
 * nearly faces d; d where there is none. */
abut_vec3 abut_face_snap(const abut_core *core, abut_vec3 d);

#endif
