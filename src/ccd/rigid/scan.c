/* SPDX-License-Identifier: MIT */
/* A mesh (a) against a mesh, a height field, a half-space or a convex body (b) over time.
 *
 * Both bodies are hierarchies of boxes over convex pieces (part.h). They meet when two pieces do,
 * and are apart when all are. Pairs of nodes wait in a queue, the one first that may meet soonest;
 * each belongs to a cell of time, over which the relative motion is enclosed (cell.h), and
 * separating axes over time narrow down when the nodes may meet (window.h). Where the motion is
 * known too poorly for the size of the boxes the cell is halved, otherwise the larger node is
 * opened. Two pieces are left to the walk of convex bodies (leaf.c). For a first contact the search
 * ends when nothing in the queue may be earlier than what is proved; for all intervals, times that
 * are proved to be in contact are not examined again.
 *
 * A solid also meets what is inside of it. That can begin and end only when surfaces meet, so that
 * of each stretch in which these are apart one instant tells.
 *
 * The tests of boxes with fifteen axes over time are those of S. Redon, A. Kheddar, S. Coquillart,
 * "Fast continuous collision detection between rigid bodies", 2002, but with enclosures of second
 * order and windows of time. */
#include "ccd/rigid/scan.h"
#include "ccd/rigid/window.h"

#include "ccd/proof/exact_touch.h"

typedef abut_rigid_walker walker;

/* Tests of boxes that count as one iteration: an evaluation of the walk takes as long. */
enum { TESTS = 16 };

/* ---- the queue ---- */

static void push(walker *w, const abut_rigid_item *item)
{
    if (!abut_rigid_push(&w->queue, item))
        w->status = ABUT_ERR_MEMORY;
}

static void count_test(walker *w)
{
    if (++w->tests % TESTS == 0)
        ++w->m->counters->iterations;
}

/* What of [lo, hi] still matters; false: nothing. */
static bool clip(const walker *w, abut_rigid_item *item)
{
    if (w->m->wants_first) {
        item->hi = fmin(item->hi, abut_rigid_limit(w));
        return item->lo <= item->hi;
    }
    const abut_time_span *f = abut_spans_at(&w->firm, item->lo);
    if (f && f->lo <= item->lo && f->hi > item->lo)
        item->lo = f->hi;
    f = abut_spans_at(&w->firm, item->hi);
    if (f && f->lo < item->hi && f->hi >= item->hi)
        item->hi = f->lo;
    return item->lo < item->hi || (item->lo == item->hi && !f);
}

/* Tests two nodes over the part of their time that lies in the cell. */
static void offer(walker *w, abut_rigid_item item, const abut_part_box *a, const abut_part_box *b)
{
    const abut_motion_cell *cell = &w->cells.list.items[item.cell];
    item.lo = fmax(item.lo, cell->lo);
    item.hi = fmin(item.hi, cell->hi);
    if (!(item.lo <= item.hi))
        return;
    count_test(w);
    if (!(cell->turn < 0.5) && abut_window_balls(cell, &w->a, a, &w->b, b))
        return;
    if (abut_window_boxes(cell, w->cells.middle, a, b, &item.lo, &item.hi) && clip(w, &item))
        push(w, &item);
}

static void halve(walker *w, const abut_rigid_item *item, const abut_part_box *a, const abut_part_box *b)
{
    const uint32_t left = w->cells.list.items[item->cell].left;
    for (uint32_t k = 0; k < 2; ++k) {
        abut_rigid_item half = *item;
        half.cell = left + k;
        offer(w, half, a, b);
    }
}

static void open_node(walker *w, const abut_rigid_item *item, bool first, const abut_part_box *other)
{
    abut_part_node nodes[ABUT_PART_CHILDREN];
    const abut_rigid_part *part = first ? &w->a : &w->b;
    const int count = abut_part_children(part, first ? item->a : item->b, nodes);
    for (int i = 0; i < count && !w->status; ++i) {
        abut_rigid_item child = *item;
        abut_part_box box;
        *(first ? &child.a : &child.b) = nodes[i];
        ++child.depth;
        abut_part_box_of(part, nodes[i], &box);
        offer(w, child, first ? &box : other, first ? other : &box);
    }
}

/* The motion is known well enough for boxes of that size. */
static bool is_fine(const walker *w, const abut_rigid_item *item, const abut_part_box *a,
                    const abut_part_box *b)
{
    const abut_motion_cell *cell = &w->cells.list.items[item->cell];
    const double size = a->radius + (b->plane ? 0 : b->radius);
    const double turned = cell->turn * a->radius;
    return cell->last ||
           (turned <= 0.05 * size && abut_window_slack(cell, w->cells.middle, a) - turned <= 0.02 * size);
}

static void work(walker *w, abut_rigid_item *item)
{
    abut_part_box a, b;
    const bool leaf_a = abut_part_is_leaf(&w->a, item->a), leaf_b = abut_part_is_leaf(&w->b, item->b);
    abut_part_box_of(&w->a, item->a, &a);
    abut_part_box_of(&w->b, item->b, &b);
    if (!is_fine(w, item, &a, &b)) {
        if (abut_motion_cells_halve(&w->cells, item->cell)) {
            halve(w, item, &a, &b);
            return;
        }
        if (w->cells.failed) {
            w->status = ABUT_ERR_MEMORY;
            return;
        }
    }
    if (!leaf_a || !leaf_b) {
        open_node(w, item, !leaf_a && (leaf_b || a.radius >= b.radius),
                  leaf_a || (!leaf_b && b.radius > a.radius) ? &a : &b);
        return;
    }
    /* Narrowed, it may be for later. */
    const double lo = item->lo;
    count_test(w);
    if (item->depth < UINT32_MAX) {
        if (!abut_rigid_narrow(w, item) || !clip(w, item))
            return;
        item->depth = UINT32_MAX;
        if (item->lo > lo && w->queue.heap.count > 0 && w->queue.heap.items[0].lo < item->lo) {
            push(w, item);
            return;
        }
    }
    abut_rigid_leaf(w, item);
}

static bool goes_on(walker *w, double t)
{
    abut_moving *m = w->m;
    if (m->progress && w->tests % 256 == 0 &&
        !m->progress(m->progress_ctx, (t - m->range.lo) / (m->range.hi - m->range.lo)))
        m->cancelled = true;
    if (m->counters->iterations >= m->max_iterations)
        w->spent = true;
    return !w->spent && !w->status && !m->cancelled;
}

/* The search; where the budget ends `last_tried` says from when on nothing is known. */
static void search(walker *w)
{
    w->last_tried = INFINITY;
    while (w->queue.heap.count > 0 && !w->status && !w->m->cancelled) {
        abut_rigid_item item = abut_rigid_pop(&w->queue);
        const double lo = item.lo;
        if (!clip(w, &item)) {
            if (w->m->wants_first && lo > abut_rigid_limit(w))
                return;
            continue;
        }
        if (item.lo > lo) {
            push(w, &item);
            continue;
        }
        if (w->m->wants_first && w->deep)
            return;
        if (!goes_on(w, lo)) {
            w->last_tried = lo;
            return;
        }
        work(w, &item);
        if (w->spent) {
            w->last_tried = lo;
            return;
        }
    }
}

/* ---- from pieces to bodies ---- */

static void emit(walker *w, abut_run_cell cell, double lo, double hi)
{
    if (!w->wanted || (cell == ABUT_CELL_APART && !(lo < hi)))
        return;
    if (cell == ABUT_CELL_UNKNOWN && w->m->stop == ABUT_STOP_DONE)
        w->m->stop = ABUT_STOP_TOLERANCE;
    w->wanted = abut_runs_add(w->runs, cell, lo, hi, false);
}

static bool has_inside(const walker *w)
{
    return w->a.mesh->solid || (abut_part_is_mesh(&w->b) && w->b.mesh->solid);
}

/* Surfaces are apart in between; one body may be inside the other. Before a first contact it is not, unless
 * they touch at the start: a surface that is inside a solid touches it. */
static void emit_gap(walker *w, double lo, double hi)
{
    if (!(lo < hi))
        return;
    const double t = 0.5 * lo + 0.5 * hi;
    abut_run_cell cell = ABUT_CELL_APART;
    if ((!w->m->wants_first || w->touching) && has_inside(w)) {
        const abut_exact_touch touch = { w->m->a, w->m->b, w->m->motion_a, w->m->motion_b };
        const abut_verdict verdict = abut_exact_touch_at(&touch, t);
        cell = verdict == ABUT_SEPARATE    ? ABUT_CELL_APART
               : verdict == ABUT_UNDECIDED ? ABUT_CELL_UNKNOWN
               : verdict == ABUT_TOUCHING  ? ABUT_CELL_TOUCH
                                           : ABUT_CELL_DEEP;
    }
    emit(w, cell, lo, hi);
}

static bool is_sure_of(const walker *w, const abut_time_span *s)
{
    return s->certain && !(s->lo == w->m->range.lo && !w->touching);
}

/* What no pair of pieces proves. Between solids, next to where one is inside the other, or where
 * one pair of triangles parts when the next one meets, a point tells. */
static void emit_soft(walker *w, abut_run_cell soft, double lo, double hi)
{
    const bool held = !w->m->wants_first && has_inside(w) &&
                      hi - lo < 1e-6 * (w->m->range.hi - w->m->range.lo) && abut_rigid_holds(w, lo, hi);
    emit(w, held ? ABUT_CELL_DEEP : soft, lo, hi);
}

/* Contact may be in s, and surfaces are apart right before and after it. */
static void emit_span(walker *w, const abut_time_span *s)
{
    const abut_run_cell soft = is_sure_of(w, s) ? ABUT_CELL_CROSS : ABUT_CELL_UNKNOWN;
    double t = s->lo;
    bool any = false;
    for (const abut_time_span *f = abut_spans_at(&w->firm, s->lo); f && t <= s->hi; f = f + 1) {
        if (f == w->firm.list.items + w->firm.list.count || f->lo > s->hi)
            break;
        if (f->lo > t)
            emit_soft(w, any ? ABUT_CELL_UNKNOWN : soft, t, f->lo);
        emit(w, ABUT_CELL_TOUCH, fmax(f->lo, t), f->hi);
        t = f->hi;
        any = true;
    }
    if (t < s->hi || !any)
        emit_soft(w, any ? ABUT_CELL_UNKNOWN : soft, t, s->hi);
}

static void emit_parting(walker *w)
{
    const abut_time_span *s = abut_spans_at(&w->possible, w->m->range.lo);
    if (w->parted && !(s && s->lo <= w->m->range.lo))
        emit(w, ABUT_CELL_CROSS, w->m->range.lo, w->m->range.lo);
}

/* The first contact: what is possible before it, and no more. */
static void emit_first(walker *w)
{
    double t = w->m->range.lo;
    emit_parting(w);
    for (size_t i = 0; i < w->possible.list.count; ++i) {
        const abut_time_span *s = &w->possible.list.items[i];
        if (s->lo > w->until)
            break;
        emit_gap(w, t, s->lo);
        if (s->hi >= w->until) {
            emit(w, is_sure_of(w, s) ? ABUT_CELL_CROSS : ABUT_CELL_UNKNOWN, s->lo, w->until);
            break;
        }
        emit_span(w, s);
        t = s->hi;
    }
    emit(w, ABUT_CELL_TOUCH, w->until, w->until);
    if (w->wanted)
        abut_runs_cut(w->runs, w->until);
    w->wanted = false;
}

static void emit_all(walker *w, double end)
{
    double t = w->m->range.lo;
    emit_parting(w);
    for (size_t i = 0; i < w->possible.list.count; ++i) {
        const abut_time_span *s = &w->possible.list.items[i];
        if (s->lo >= end)
            break;
        emit_gap(w, t, s->lo);
        emit_span(w, s);
        t = s->hi;
    }
    emit_gap(w, t, fmin(end, w->m->range.hi));
}

static void conclude(walker *w)
{
    abut_moving *m = w->m;
    if (w->deep && m->wants_first) {
        emit(w, ABUT_CELL_DEEP, m->range.lo, m->range.lo);
        if (w->wanted)
            abut_runs_cut(w->runs, m->range.lo);
        w->wanted = false;
        return;
    }
    if (w->spent || w->last_tried < INFINITY) {
        m->stop = ABUT_STOP_BUDGET;
        const double from = fmax(w->last_tried, m->range.lo);
        emit_all(w, from);
        const size_t n = w->possible.list.count;
        double t = from;
        for (size_t i = 0; i < n; ++i)
            if (w->possible.list.items[i].lo < from)
                t = fmax(t, w->possible.list.items[i].hi);
        const double end = m->wants_first ? fmin(w->until, m->range.hi) : m->range.hi;
        if (t < end || from >= end)
            emit(w, ABUT_CELL_UNKNOWN, fmin(t, end), end);
        w->runs->doubt_inside = true;
        return;
    }
    if (w->until < INFINITY)
        emit_first(w);
    else
        emit_all(w, INFINITY);
}

/* ---- setting up ---- */

/* Below all that the mesh reaches in the frame of the field. */
static bool find_bottom(walker *w)
{
    const abut_aabb *box = &w->m->a->bounds;
    const abut_field_view view = {
        w->b.field,
        w->cells.a,
        w->cells.b,
        { { box->lo.x, box->hi.x }, { box->lo.y, box->hi.y }, { box->lo.z, box->hi.z } }
    };
    const abut_interval_vec3 all = abut_field_reach(&view, w->m->range);
    const abut_heightfield_data *field = w->b.field;
    w->b.bottom = fmin(all.z.lo, field->pyramid->whole.lo) - (field->dx + field->dy);
    return isfinite(w->b.bottom);
}

/* Their relation when the range begins, if they may meet then. */
static void examine_begin(walker *w)
{
    const abut_moving *m = w->m;
    if (w->queue.heap.count == 0 || w->queue.heap.items[0].lo > m->range.lo)
        return;
    const abut_exact_touch touch = { m->a, m->b, m->motion_a, m->motion_b };
    switch (abut_exact_touch_at(&touch, m->range.lo)) {
    case ABUT_PENETRATING: w->deep = true; break;
    case ABUT_TOUCHING: w->touching = true; break;
    default: break;
    }
}

static abut_status begin(walker *w)
{
    abut_moving *m = w->m;
    abut_status status = abut_moving_check(m);
    if (status)
        return status;
    if (!abut_part_set(m->a, &w->a) || !abut_part_set(m->b, &w->b) || !abut_part_is_mesh(&w->a))
        return ABUT_ERR_UNSUPPORTED;
    const abut_allocator alloc = m->ws ? m->ws->alloc : abut_base_allocator(NULL);
    w->queue.alloc = w->possible.alloc = w->firm.alloc = alloc;
    status = abut_motion_cells_begin(m->motion_a, m->motion_b, m->range, w->a.middle, w->b.middle, &alloc,
                                     &w->cells);
    if (status)
        return status;
    if (w->b.kind == ABUT_PART_FIELD && !find_bottom(w))
        return ABUT_ERR_UNSUPPORTED;
    if (m->contacts) {
        m->contacts->alloc = alloc;
        m->contacts->a = w->a;
        m->contacts->b = w->b;
    }
    if (!(w->cells.list.items[0].turn < 0.5)) {
        abut_part_find_reach(&w->a);
        abut_part_find_reach(&w->b);
    }
    abut_part_box a, b;
    const abut_rigid_item root = { m->range.lo,           m->range.hi, abut_part_root(&w->a),
                                   abut_part_root(&w->b), 0,           0 };
    abut_part_box_of(&w->a, root.a, &a);
    abut_part_box_of(&w->b, root.b, &b);
    offer(w, root, &a, &b);
    return w->status;
}

abut_status abut_rigid_scan(abut_moving *m, abut_run_fn emit_run, void *ctx)
{
    abut_runs runs;
    walker w = { .m = m, .runs = &runs, .wanted = true, .until = INFINITY };
    m->inexact = true;
    abut_runs_begin(&runs, m->range, m->accuracy, emit_run, ctx);
    w.status = begin(&w);
    if (!w.status) {
        if (m->wants_first)
            examine_begin(&w);
        if (!w.deep)
            search(&w);
    }
    if (!w.status && !m->cancelled) {
        conclude(&w);
        abut_runs_end(&runs);
    }
    abut_motion_cells_end(&w.cells);
    ABUT_ARRAY_FREE(&w.queue.alloc, &w.queue.heap);
    ABUT_ARRAY_FREE(&w.possible.alloc, &w.possible.list);
    ABUT_ARRAY_FREE(&w.firm.alloc, &w.firm.list);
    return w.status ? w.status : m->cancelled ? ABUT_ERR_CANCELLED : ABUT_OK;
}
