/* SPDX-License-Identifier: MIT */
/* Contacts of polyhedra at the time of first contact, by entity. */
#ifndef ABUT_CCD_FIRST_ENTITIES_H
#define ABUT_CCD_FIRST_ENTITIES_H

#include "abut/query.h"

/* Where polyhedra, or one and a solid mesh, touch exactly at t: all contacts. False, and none kept, where they
 * do not, or memory is out. */
bool abut_first_entities(const abut_shape *a, const abut_motion *motion_a, const abut_shape *b,
                         const abut_motion *motion_b, double t,
                         void (*keep)(void *ctx, const abut_contact *contact), void *ctx);

#endif
