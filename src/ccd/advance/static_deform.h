/* SPDX-License-Identifier: MIT */
/* Bodies that change their form, for the general method over time: where they are at an instant, how far
 * their boundaries move, and stretches of time over which two of them are apart; see static_deform.c. */
#ifndef ABUT_CCD_ADVANCE_STATIC_DEFORM_H
#define ABUT_CCD_ADVANCE_STATIC_DEFORM_H

#include "ccd/proof/moving.h"

/* Two bodies at one instant, as the static methods take them. */
typedef struct abut_static_instant {
    const abut_shape *body[2];
    abut_place at[2];
    abut_shape image[2]; /* what stands for a body under a map that is not rigid */
    abut_shape *mesh[2]; /* a mesh whose vertices move, as it is then; owned */
    bool stand_in;       /* one of `image` is in use */
    double off;          /* how far vertices of the meshes may be off */
} abut_static_instant;

/* Close it in any case. */
abut_status abut_static_instant_open(const abut_moving *m, double t, abut_static_instant *out);
void abut_static_instant_close(abut_static_instant *s);
/* By the static method of the pair, in the order of m. Distances and depths are less certain by `off`. */
abut_status abut_static_instant_ask(const abut_static_instant *s, const abut_ask *ask, abut_workspace *ws,
                                    abut_check_result *out);
/* The same of a mesh whose vertices move, where `off` counts: by covers, which tell how deep a point of it
 * is in the other body, or by exact signs of the true positions. */
abut_status abut_static_instant_meet(const abut_moving *m, const abut_static_instant *s, double t,
                                     const abut_ask *ask, abut_workspace *ws, abut_check_result *out);

/* How a body changes over the range of a query. */
typedef struct abut_static_change {
    bool any;         /* it does: by itself, or its motion is not rigid */
    bool itself;      /* its shape depends on the time */
    bool known;       /* false: on which side its material is changes, or is not known at all times */
    double own;       /* no point of it is further from the origin of its frame; INFINITY: it has no end */
    double reach;     /* of the place of that origin in the world (of moving vertices: the world's) */
    abut_aabb bounds; /* in its own frame */
} abut_static_change;

abut_status abut_static_change_find(const abut_shape *shape, const abut_motion *motion, abut_interval range,
                                    abut_workspace *ws, abut_static_change *out);
/* Rigid motions, affine ones, and motions of vertices, with enclosures over the whole range. */
abut_status abut_static_motions_check(const abut_moving *m);

/* Whether the bodies, one of which deforms by itself, are proved to stay apart over `span`, of which t is
 * one end, when nothing of one moves further than `travel` in the frame of the other but by deforming. They
 * are apart at t. */
bool abut_static_apart_over(const abut_moving *m, double t, abut_interval span, double travel,
                            uint64_t max_iterations, abut_workspace *ws, abut_counters *spent);

#endif
