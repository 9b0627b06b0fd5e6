/* SPDX-License-Identifier: MIT */
/* Contacts that last: points that both bodies have in common over a stretch of time; see
 * static_hold.c. */
#ifndef ABUT_CCD_ADVANCE_STATIC_HOLD_H
#define ABUT_CCD_ADVANCE_STATIC_HOLD_H

#include "ccd/proof/moving.h"
#include "ccd/proof/relative.h"
#include "narrow/facets/facets.h"

/* A body that may hold points: by fields, or by the triangles around it. */
typedef struct abut_static_body {
    const abut_shape *shape;
    abut_surface surface;
    abut_facets facets;
    ia *scratch;
    bool solid;
    bool by_facets; /* `facets` is set, and tells what is inside */
    bool by_solid;  /* a CAD solid does */
    abut_side side;
} abut_static_body;

typedef struct abut_static_hold {
    const abut_moving *m;
    abut_workspace ws;
    abut_static_body body[2];
    bool deep; /* set by abut_static_holds: the contact is one of two solids */
    int count; /* points that have served, each of one body, in its frame */
    abut_vec3 points[8];
    int of[8];
    /* Points of a and b that were nearest at instants of separation, each in the frame of its body:
     * contacts begin and end near such. */
    int near_count;
    abut_vec3 near[8][2];
} abut_static_hold;

abut_status abut_static_hold_open(const abut_moving *m, abut_static_hold *out);
void abut_static_hold_close(abut_static_hold *hold);
/* Two nearest points, in the world at time t. */
void abut_static_hold_note(abut_static_hold *hold, double t, abut_vec3 point_a, abut_vec3 point_b);
/* Whether the bodies are proved to meet all that time. */
bool abut_static_holds(abut_static_hold *hold, abut_interval time);
/* Whether the shape changes by itself. */
bool abut_static_deforms(const abut_shape *shape);

#endif
