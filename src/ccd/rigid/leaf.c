/* SPDX-License-Identifier: MIT */
/* Two convex pieces, one of them a triangle, over a stretch of time: by the walk of convex
 * bodies (advance.c). What it proves joins what is known of the whole. */
#include "ccd/rigid/scan.h"
#include "ccd/rigid/window.h"

#include "ccd/proof/crossing.h"

typedef struct leaf_run {
    abut_rigid_walker *w;
    const abut_rigid_item *item;
    abut_moving *own;
    bool noted;
} leaf_run;

double abut_rigid_limit(const abut_rigid_walker *w)
{
    const abut_moving *m = w->m;
    return w->until + m->simultaneity;
}

bool abut_rigid_narrow(abut_rigid_walker *w, abut_rigid_item *item)
{
    const abut_motion_cell *cell = &w->cells.list.items[item->cell];
    abut_vec3 a[3], b[3];
    abut_mesh_corners(w->a.mesh, abut_part_face(item->a), a);
    if (abut_part_is_mesh(&w->b)) {
        abut_mesh_corners(w->b.mesh, abut_part_face(item->b), b);
        return abut_window_triangles(cell, w->cells.middle, a, b, &item->lo, &item->hi);
    }
    if (w->b.kind == ABUT_PART_BODY)
        return abut_window_core(cell, w->cells.middle, a, &w->b.shape->core, &item->lo, &item->hi);
    return true;
}

static void add(abut_rigid_walker *w, abut_spans *spans, double lo, double hi, bool certain)
{
    if (!abut_spans_add(spans, (abut_time_span){ lo, hi, certain }))
        w->status = ABUT_ERR_MEMORY;
}

/* For the points of contact, which are found when the time is known. */
static void note(leaf_run *l, abut_interval time, bool certain)
{
    abut_rigid_contacts *list = l->w->m->contacts;
    if (!list || l->noted)
        return;
    const abut_rigid_contact found = { .a = l->item->a, .b = l->item->b, .time = time, .certain = certain };
    l->noted = true;
    if (!ABUT_ARRAY_PUSH(&list->alloc, &list->list, found))
        l->w->status = ABUT_ERR_MEMORY;
}

static bool take_run(void *ctx, const abut_run *run)
{
    leaf_run *l = ctx;
    abut_rigid_walker *w = l->w;
    const abut_moving *m = w->m;
    const bool open = run->begins_open && l->own->range.lo == m->range.lo;
    bool certain = run->certain && !run->may_part;
    w->deep = w->deep || (open && run->deep_start);
    w->touching = w->touching || (open && run->certain && !run->unknown_start);
    if (m->wants_first && open && run->touch_only) {
        w->parted = true;
        return true;
    }
    abut_interval enter = run->enter, leave = run->exit;
    if (!certain && !open && run->exit.hi - run->enter.lo < 1e-6 * (m->range.hi - m->range.lo)) {
        /* Flat pieces that pass through each other in an instant. */
        const abut_exact_touch touch = { l->own->a, l->own->b, l->own->motion_a, l->own->motion_b };
        const abut_interval time = { run->enter.lo, run->exit.hi };
        abut_crossing found;
        if (abut_crossing_knows(&touch) && abut_crossing_find(&touch, time, m->range, &found)) {
            certain = true;
            enter = leave = found.time;
            l->own->touch = (abut_moving_touch){
                true, found.time.lo, found.point, found.normal, { found.features[0], found.features[1] }
            };
        }
    }
    note(l, enter, certain);
    if (m->wants_first && certain) {
        add(w, &w->possible, enter.lo, enter.hi, true);
        w->until = fmin(w->until, enter.hi);
        return false;
    }
    add(w, &w->possible, enter.lo, fmax(enter.hi, leave.hi), certain);
    if (run->whole && certain && enter.hi <= leave.lo)
        add(w, &w->firm, enter.hi, leave.lo, true);
    return true;
}

void abut_rigid_leaf(abut_rigid_walker *w, const abut_rigid_item *item)
{
    abut_moving *m = w->m;
    abut_part_piece piece_a, piece_b;
    abut_part_piece_of(&w->a, item->a, &piece_a);
    abut_part_piece_of(&w->b, item->b, &piece_b);
    abut_moving own = *m;
    own.a = piece_a.shape;
    own.b = piece_b.shape;
    own.range = (abut_interval){ item->lo, item->hi };
    own.method = ABUT_METHOD_AUTO;
    own.wants_first = m->wants_first && item->lo == m->range.lo;
    own.first_only = m->wants_first;
    own.crossing_is_deep = true;
    own.progress = NULL;
    own.stop = ABUT_STOP_DONE;
    own.touch = (abut_moving_touch){ .known = false };
    own.contacts = NULL;
    leaf_run l = { w, item, &own, false };
    const size_t before = m->contacts ? m->contacts->list.count : 0;
    if (!(own.range.lo < own.range.hi)) {
        /* one instant, at an end of a window: too short for a walk */
        add(w, &w->possible, item->lo, item->hi, false);
        return;
    }
    const abut_status status = abut_advance_scan(&own, take_run, &l);
    if (status)
        w->status = status;
    if (own.stop == ABUT_STOP_BUDGET)
        w->spent = true;
    if (m->stop == ABUT_STOP_DONE)
        m->stop = own.stop;
    if (m->contacts && m->contacts->list.count > before)
        m->contacts->list.items[m->contacts->list.count - 1].touch = own.touch;
}
