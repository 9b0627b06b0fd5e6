/* SPDX-License-Identifier: MIT */
/* Rigid meshes over time: what the search, its leaves and the points of contact share. */
#ifndef ABUT_CCD_RIGID_SCAN_H
#define ABUT_CCD_RIGID_SCAN_H

#include "ccd/proof/moving.h"
#include "ccd/rigid/cell.h"
#include "ccd/rigid/part.h"
#include "ccd/rigid/queue.h"
#include "ccd/rigid/spans.h"

/* Two pieces that touch, or may, at the first contact. */
typedef struct abut_rigid_contact {
    abut_part_node a, b;
    abut_interval time;
    bool certain;
    abut_moving_touch touch;
} abut_rigid_contact;

/* Filled by abut_rigid_scan where the caller asks for them. */
typedef struct abut_rigid_contacts {
    abut_allocator alloc;
    abut_rigid_part a, b;
    ABUT_ARRAY(abut_rigid_contact) list;
} abut_rigid_contacts;

typedef struct abut_rigid_walker {
    abut_moving *m;
    abut_runs *runs;
    abut_rigid_part a, b;
    abut_motion_cells cells;
    abut_rigid_queue queue;
    abut_spans possible, firm; /* there may be contact; there is all the time */
    bool wanted, spent;
    abut_status status;
    /* at the begin of the range: insides meet; proved to touch; touched by pieces that part */
    bool deep, touching, parted;
    double until;      /* first contact proved so far: nothing after it counts */
    uint64_t tests;    /* of boxes */
    double last_tried; /* where the budget ended: nothing is known from there on */
} abut_rigid_walker;

/* leaf.c: two pieces over [item->lo, item->hi]. */
void abut_rigid_leaf(abut_rigid_walker *w, const abut_rigid_item *item);
/* Narrows the time of two pieces by separating axes; false where they are apart. */
bool abut_rigid_narrow(abut_rigid_walker *w, abut_rigid_item *item);
/* hold.c: a point of one solid is inside the other at all times of [lo, hi], which is short. */
bool abut_rigid_holds(const abut_rigid_walker *w, double lo, double hi);
/* How much later than `until` still counts, for contacts that are listed. */
double abut_rigid_limit(const abut_rigid_walker *w);

#endif
