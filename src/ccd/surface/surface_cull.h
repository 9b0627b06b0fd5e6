/* SPDX-License-Identifier: MIT */
/* What cannot meet: boxes through time, sort and sweep over many bodies, and the time in which
 * bounding balls are near enough (Snyder et al. 1993, sections 6 and 7). */
#ifndef ABUT_CCD_SURFACE_SURFACE_CULL_H
#define ABUT_CCD_SURFACE_SURFACE_CULL_H

#include "abut/query.h"
#include "base/workspace.h"

/* Stretches of time, of equal length, each with a box of its own. */
enum { ABUT_CULL_PIECES = 16 };

typedef struct abut_cull_body {
    const abut_motion *motion; /* NULL: identity */
    abut_interval_vec3 local;  /* contains the body in its own frame, all the time */
    abut_vec3 centre;          /* of the ball around it, in its own frame */
    double radius;             /* infinite where it has none */
    abut_interval_vec3 all;    /* contains it in the world, all the time */
    abut_interval_vec3 pieces[ABUT_CULL_PIECES];
} abut_cull_body;

/* Piece i of the range; together they are all of it. */
abut_interval abut_cull_piece(abut_interval range, int i);

/* Fills ball and boxes from motion and local. */
void abut_cull_prepare(abut_cull_body *body, abut_interval range);

/* Boxes of things that move with one motion: ABUT_CULL_PIECES of the range for each, one thing
 * after the other. Kernel-free: enters the rounding mode itself. */
void abut_cull_boxes(const abut_motion *motion, const abut_interval_vec3 *local, size_t count,
                     abut_interval range, abut_interval_vec3 *pieces);

static inline bool abut_boxes_meet(const abut_interval_vec3 *a, const abut_interval_vec3 *b)
{
    return a->x.lo <= b->x.hi && b->x.lo <= a->x.hi && a->y.lo <= b->y.hi && b->y.lo <= a->y.hi &&
           a->z.lo <= b->z.hi && b->z.lo <= a->z.hi;
}

/* The stretch of the range outside which the two are proved apart, by boxes and then by balls;
 * false: all of it. */
bool abut_cull_time(const abut_cull_body *a, const abut_cull_body *b, abut_interval range,
                    abut_interval *out);

/* Calls `found` for every pair whose boxes over all the time meet, a < b, in no particular
 * order. False when memory is out. */
typedef void (*abut_cull_pair_fn)(void *ctx, uint32_t a, uint32_t b);
bool abut_cull_sweep(const abut_cull_body *bodies, size_t count, abut_workspace *ws, abut_cull_pair_fn found,
                     void *ctx);

#endif
