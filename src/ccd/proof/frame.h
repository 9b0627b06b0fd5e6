/* SPDX-License-Identifier: MIT */
/* Bodies that hang on the same parent meet when they do in its frame, however it moves. There less of their placements
 * has to be enclosed, or nothing: parts of a machine that touch do so exactly. See frame.c. */
#ifndef ABUT_CCD_PROOF_FRAME_H
#define ABUT_CCD_PROOF_FRAME_H

#include "abut/query.h"
#include "motion/motion.h"

typedef struct abut_frame {
    abut_motion_split split;
    abut_first_opts opts; /* of the query in the frame */
    abut_first_point_fn on_point;
    void *on_point_ctx;
} abut_frame;

/* opts: complete, with the time of the query. False: there is no such frame, or no memory; nothing is to be
 * cleared then, else split is. f must stay where it is. */
bool abut_frame_enter(const abut_motion *a, const abut_motion *b, const abut_first_opts *opts,
                      const abut_allocator *alloc, abut_frame *f);
/* To the world. */
void abut_frame_leave(const abut_frame *f, abut_first_point *point);

#endif
