/* SPDX-License-Identifier: MIT */
/* The penetration depth of any pair that has a method for distances (push_out.c). */
#ifndef ABUT_NARROW_PUSH_OUT_H
#define ABUT_NARROW_PUSH_OUT_H

#include "narrow/pair_table.h"

/* The pair is in the order of its row, and *out is what the row found: where it says that they penetrate
 * and not how deep, adds depth, points, normal and a contact. stated: of a and b, to name the features of
 * that contact; NULL where the shape stands for another one. */
abut_status abut_narrow_push_out(const abut_pair_row *row, const abut_pair *pair,
                                 const abut_stated *const stated[2], abut_workspace *ws,
                                 abut_check_result *out);
/* About how far a body reaches at an instant, in its frame (push_box.c). */
abut_status abut_narrow_push_box(const abut_shape *shape, const abut_place *at, abut_workspace *ws,
                                 abut_aabb *out);

#endif
