/* SPDX-License-Identifier: MIT */
/* The face test of Schoemer, Reichel, Warken 2002 (algorithm 1) for two CAD solids. */
#ifndef ABUT_NARROW_BREP_FACETEST_H
#define ABUT_NARROW_BREP_FACETEST_H

#include "abut/intersect.h"
#include "narrow/brep/brep.h"

/* What is known of two faces, or of the boundaries. */
typedef enum abut_brep_meeting {
    ABUT_BREP_APART = 0, /* as far as the data, taken as it is, tells */
    ABUT_BREP_MEET,      /* a common point is proved */
    ABUT_BREP_DOUBTFUL   /* tangents, borders, surfaces that coincide */
} abut_brep_meeting;

typedef struct abut_brep_faces {
    abut_brep_meeting meeting;
    abut_face_step step; /* of the common point */
    uint32_t edge, face[2];
    abut_vec3 point; /* common frame, with MEET, and with DOUBTFUL the place of the doubt */
    double radius;   /* the common point is within that */
    bool inside;     /* a point inside both bodies is proved: */
    abut_vec3 witness;
    size_t pairs, edges; /* of faces that were tested; of edges and faces */
} abut_brep_faces;

/* All pairs of faces whose boxes meet, until a point inside both bodies is found; beside no more than
 * `attempts` common points. Both bodies are solids. */
abut_status abut_brep_faces_meet(const abut_pair *pair, abut_brep_body body[2], double slack, int attempts,
                                 abut_workspace *ws, abut_brep_faces *out);
/* One pair of faces; no point inside is looked for. */
abut_status abut_brep_two_faces(const abut_pair *pair, abut_brep_body body[2], double slack, uint32_t face_a,
                                uint32_t face_b, abut_workspace *ws, abut_brep_faces *out);

#endif
