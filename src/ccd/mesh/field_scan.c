/* SPDX-License-Identifier: MIT */
/* A height field (a) and a convex body (b) over time.
 *
 * The field is the union of convex pieces, the columns under its triangles and under rectangles of
 * cells that are level. So the body meets the field when it meets a piece, meets its inside when it
 * meets that of a piece, and is apart from it when it is from all of them: what the walk of convex
 * pairs (advance.c) proves of each piece over a stretch of time gives, as a union, what is proved
 * of the field. Columns have no bottom; cut off below all that the body reaches in that stretch
 * they meet it at the same times.
 *
 * The range is cut into stretches so short that the box of the body over them reaches few
 * pieces. What one piece decides (times in contact, and all after the first contact where that
 * is wanted) is left out for the next. Blocks of many cells are first taken for the boxes around
 * them. Pieces that the body leaves just when it enters the next (a point that crosses the wall
 * between two columns) leave an instant of which neither proves anything: there a point of the
 * body is shown to lie below the surface, whatever the pieces are (abut_field_holds). */
#include "ccd/mesh/field_piece.h"
#include "ccd/proof/moving.h"
#include "ccd/proof/moving_plane.h"
#include "narrow/distance/convex.h"

#include <float.h>

static const double u = 0x1p-53;

/* Pieces in a stretch that is not cut further; in a block that is not examined as a whole; how
 * many are counted; cuts; stretches of contact in one that are kept apart. */
enum { FEW = 12, CROWD = 32, MANY = 4096, CUTS = 24, SPANS = 48 };

typedef struct span {
    double lo, hi;
    bool certain; /* there is contact somewhere in it */
} span;

/* Disjoint, ascending. */
typedef struct spans {
    int count;
    span at[SPANS];
} spans;

typedef struct walker {
    abut_moving *m;
    abut_runs *runs;
    abut_field_view view;
    bool flat, wanted, spent, begun;
    int sign; /* of the gap at the begin of the range, where the body is near the field then */
    abut_status status;
    /* of the stretch */
    abut_interval time, open;      /* what of it is not decided by `firm` or `until` yet; */
    abut_interval_vec3 box, start; /* the body over that, and where it begins */
    double low;                    /* no point of it is lower in all of the stretch */
    double from;                   /* where the walk of the present piece begins */
    spans possible, firm;          /* there may be contact; there is all the time */
    bool deep, touching,
        /* at its begin: inside is met; proved to touch; touched, which does not count, as they
         * part */
        parted;
    double until; /* first contact proved so far: nothing after it counts */
    abut_moving_touch touch;
    bool shares;      /* where `deep`: a point of both is known, */
    abut_vec3 shared; /* this one, in the world */
} walker;

/* ---- spans ---- */

static void remove_span(spans *s, int i)
{
    --s->count;
    memmove(&s->at[i], &s->at[i + 1], (size_t)(s->count - i) * sizeof s->at[0]);
}

static span joined(span a, span b)
{
    return (span){ fmin(a.lo, b.lo), fmax(a.hi, b.hi), a.certain || b.certain };
}

/* Where there is no room, `loose` ones take in what lies between the closest two. Others are not
 * kept. */
static void add_span(spans *s, span add, bool loose)
{
    int i = 0;
    while (i < s->count && s->at[i].hi < add.lo)
        ++i;
    while (i < s->count && s->at[i].lo <= add.hi) {
        add = joined(add, s->at[i]);
        remove_span(s, i);
    }
    if (s->count == SPANS) {
        if (!loose)
            return;
        int best = 0;
        for (int k = 1; k + 1 < s->count; ++k)
            if (s->at[k + 1].lo - s->at[k].hi < s->at[best + 1].lo - s->at[best].hi)
                best = k;
        s->at[best] = joined(s->at[best], s->at[best + 1]);
        remove_span(s, best + 1);
        add_span(s, add, loose);
        return;
    }
    memmove(&s->at[i + 1], &s->at[i], (size_t)(s->count - i) * sizeof s->at[0]);
    s->at[i] = add;
    ++s->count;
}

/* ---- one piece ---- */

static bool at_begin(const walker *w)
{
    return w->time.lo == w->m->range.lo;
}

static bool take_run(void *ctx, const abut_run *run)
{
    walker *w = ctx;
    const bool open = run->begins_open && w->from == w->time.lo;
    const bool begins = open && run->certain && !run->unknown_start;
    const bool parts = w->m->wants_first && at_begin(w) && open && run->touch_only;
    w->deep = w->deep || (open && run->deep_start);
    w->touching = w->touching || begins;
    w->parted = w->parted || parts;
    if (parts)
        return true;
    if (w->m->first_only && run->certain) {
        add_span(&w->possible, (span){ run->enter.lo, run->enter.hi, true }, true);
        w->until = fmin(w->until, run->enter.hi);
        return false;
    }
    add_span(&w->possible, (span){ run->enter.lo, run->exit.hi, run->certain }, true);
    if (run->whole && run->enter.hi <= run->exit.lo)
        add_span(&w->firm, (span){ run->enter.hi, run->exit.lo, true }, false);
    return true;
}

/* Where the walk saw no single point: what the static solvers say of the piece. */
static void examine_touch(const abut_moving *piece, double t, abut_moving_touch *out)
{
    abut_place at_a, at_b;
    abut_check_result check = { .verdict = ABUT_UNDECIDED };
    if (abut_place_from_motion(piece->motion_a, t, &at_a) ||
        abut_place_from_motion(piece->motion_b, t, &at_b))
        return;
    const abut_pair pair = { piece->a, piece->b, &at_a, &at_b, NULL };
    if (abut_narrow_run_pair(&pair, NULL, &check) || !check.has_points || !check.has_normal)
        return;
    *out = (abut_moving_touch){ .known = true,
                                .t = t,
                                .point = abut_scale(0.5, abut_add(check.point_a, check.point_b)),
                                .normal = check.normal,
                                .features = { ABUT_FEATURE_FACE, ABUT_FEATURE_FACE } };
    if (check.contact_count > 0)
        memcpy(out->features, check.contacts[0].features, sizeof out->features);
}

/* A point of the body and of a piece that overlap at t. */
static void find_shared(walker *w, const abut_moving *piece, double t)
{
    abut_place at_a, at_b;
    abut_convex_scratch scratch;
    abut_convex_pair convex;
    uint32_t supports = 0;
    int exponent;
    if (abut_place_from_motion(piece->motion_a, t, &at_a) ||
        abut_place_from_motion(piece->motion_b, t, &at_b))
        return;
    const abut_pair pair = { piece->a, piece->b, &at_a, &at_b, NULL };
    abut_convex_pair_from_places(&pair, &scratch, &exponent, &convex);
    const abut_vec3 p = abut_convex_crossing(&convex, convex.t, &supports);
    w->m->counters->evaluations += supports;
    w->shares = exponent == 0 && abut_is_finite3(p);
    w->shared = abut_affine_apply(&convex.frame, p);
}

/* The field is known to be met then: no piece can add to that. */
static void close_in(walker *w)
{
    abut_interval open = { w->open.lo, fmin(w->open.hi, w->until) };
    for (int i = 0; i < w->firm.count; ++i) {
        const span *f = &w->firm.at[i];
        if (f->lo <= open.lo && f->hi > open.lo)
            open.lo = f->hi;
        if (f->hi >= open.hi && f->lo < open.hi)
            open.hi = f->lo;
    }
    if (open.lo == w->open.lo && open.hi == w->open.hi)
        return;
    w->open = open;
    if (open.lo < open.hi)
        w->box = abut_field_reach(&w->view, open);
}

static bool is_decided(const walker *w)
{
    return w->spent || w->status || !(w->open.lo < w->open.hi);
}

/* The walk of one piece, or of the box around a block (which 2). */
static void walk_piece(walker *w, const abut_field_block *block, int which, bool first_only, abut_run_fn take,
                       void *ctx, abut_field_piece *piece, abut_moving *own)
{
    abut_moving *m = w->m;
    const abut_heightfield_data *field = w->view.field;
    const double x0 = abut_field_grid(field, 0, block->i0), x1 = abut_field_grid(field, 0, block->i1),
                 y0 = abut_field_grid(field, 1, block->j0), y1 = abut_field_grid(field, 1, block->j1);
    const double off = 4 * u * (fmax(fabs(x0), fabs(x1)) + fmax(fabs(y0), fabs(y1)));
    const bool within = which == 2 && w->box.x.lo > x0 + off && w->box.x.hi < x1 - off &&
                        w->box.y.lo > y0 + off && w->box.y.hi < y1 - off;
    const double bottom = fmin(block->lo, w->low) - (field->dx + field->dy);
    abut_field_piece_make(field, block, which, bottom, within, piece);
    *own = *m;
    own->a = &piece->shape;
    own->range = w->open;
    own->first_only = first_only;
    own->wants_first = m->wants_first && w->open.lo == m->range.lo;
    own->progress = NULL;
    own->stop = ABUT_STOP_DONE;
    own->touch = (abut_moving_touch){ .known = false };
    w->from = w->open.lo;
    if (m->counters->iterations++ >= m->max_iterations) {
        w->spent = true;
        return;
    }
    const abut_status status = abut_advance_scan(own, take, ctx);
    if (status)
        w->status = status;
    if (own->stop == ABUT_STOP_BUDGET)
        w->spent = true;
}

static void scan_piece(walker *w, const abut_field_block *block, int which)
{
    abut_field_piece piece;
    abut_moving own;
    const double before = w->until;
    const bool deep = w->deep;
    walk_piece(w, block, which, w->m->first_only, take_run, w, &piece, &own);
    if (w->deep && !deep && at_begin(w))
        find_shared(w, &own, w->time.lo);
    if (own.stop != ABUT_STOP_DONE && w->m->stop == ABUT_STOP_DONE)
        w->m->stop = own.stop;
    if (w->until < before) {
        if (!own.touch.known)
            examine_touch(&own, w->until, &own.touch);
        w->touch = own.touch;
    }
    close_in(w);
}

static bool take_begin(void *ctx, const abut_run *run)
{
    *(double *)ctx = run->enter.lo;
    return false;
}

/* When the body may first meet what is in the block; infinite where it does not. */
static double reach_time(walker *w, const abut_field_block *block)
{
    abut_field_piece piece;
    abut_moving own;
    double t = INFINITY;
    walk_piece(w, block, 2, true, take_begin, &t, &piece, &own);
    return t;
}

/* ---- blocks ---- */

static double outside(abut_interval a, double from, double to)
{
    return a.lo > to ? a.lo - to : from > a.hi ? from - a.hi : 0;
}

/* The square of how far the box is from the block; `slack` counts it in. */
static double away(const abut_heightfield_data *field, const abut_field_block *block,
                   const abut_interval_vec3 *box)
{
    const double x0 = abut_field_grid(field, 0, block->i0), x1 = abut_field_grid(field, 0, block->i1),
                 y0 = abut_field_grid(field, 1, block->j0), y1 = abut_field_grid(field, 1, block->j1);
    const double off = 4 * u * (fmax(fabs(x0), fabs(x1)) + fmax(fabs(y0), fabs(y1)));
    const double x = outside(box->x, x0 - off, x1 + off), y = outside(box->y, y0 - off, y1 + off),
                 z = outside(box->z, -INFINITY, block->hi);
    /* Finite, since infinite represents what is never met. */
    return x > 0 || y > 0 || z > 0 ? fmin(fmax(x * x + y * y + z * z, 0x1p-1074), DBL_MAX) : 0;
}

static bool is_level(const abut_field_block *block)
{
    return block->lo == block->hi;
}

static size_t children(const abut_heightfield_data *field, const abut_field_block *block,
                       abut_field_block out[4])
{
    size_t count = 0;
    for (size_t k = 0; k < 4; ++k) {
        const size_t i = 2 * block->i + (k & 1), j = 2 * block->j + (k >> 1);
        if (i < abut_heightfield_blocks(field->columns - 1, block->level - 1) &&
            j < abut_heightfield_blocks(field->rows - 1, block->level - 1))
            out[count++] = abut_field_block_at(field, block->level - 1, i, j);
    }
    return count;
}

/* Pieces that the box reaches, up to `most`. */
static size_t count_pieces(const abut_heightfield_data *field, const abut_field_block *block,
                           const abut_interval_vec3 *box, size_t most)
{
    if (away(field, block, box) > 0)
        return 0;
    if (is_level(block))
        return 1;
    if (block->level == 0)
        return 2;
    abut_field_block next[4];
    const size_t n = children(field, block, next);
    size_t count = 0;
    for (size_t k = 0; k < n && count < most; ++k)
        count += count_pieces(field, &next[k], box, most - count);
    return count;
}

/* Those that the body comes to first are first, as far as that is cheap to tell. The depth is
 * that of the pyramid. */
static void scan_block(walker *w, const abut_field_block *block)
{
    const abut_heightfield_data *field = w->view.field;
    if (is_decided(w) || away(field, block, &w->box) > 0)
        return;
    if (is_level(block)) {
        scan_piece(w, block, 2);
        return;
    }
    if (block->level == 0) {
        for (int which = 0; which < 2 && !is_decided(w); ++which)
            scan_piece(w, block, which);
        return;
    }
    abut_field_block next[4];
    double key[4];
    const size_t n = children(field, block, next);
    const bool crowd = count_pieces(field, block, &w->box, CROWD + 1) > CROWD;
    for (size_t k = 0; k < n; ++k) {
        const abut_field_block moved = next[k];
        const double d = away(field, &moved, &w->box) > 0 ? INFINITY
                         : crowd                          ? reach_time(w, &moved)
                                                          : away(field, &moved, &w->start);
        size_t at = k;
        for (; at > 0 && key[at - 1] > d; --at) {
            key[at] = key[at - 1];
            next[at] = next[at - 1];
        }
        key[at] = d;
        next[at] = moved;
    }
    for (size_t k = 0; k < n && key[k] < INFINITY; ++k)
        if (!crowd || key[k] <= w->open.hi)
            scan_block(w, &next[k]);
}

/* ---- from pieces to the field ---- */

static void emit(walker *w, abut_run_cell cell, double lo, double hi)
{
    if (!w->wanted || (cell == ABUT_CELL_APART && !(lo < hi)))
        return;
    if (cell == ABUT_CELL_UNKNOWN && w->m->stop == ABUT_STOP_DONE)
        w->m->stop = ABUT_STOP_TOLERANCE;
    w->wanted = abut_runs_add(w->runs, cell, lo, hi, false);
}

static abut_run_cell contact_cell(const walker *w, double lo)
{
    return w->deep && lo == w->time.lo ? ABUT_CELL_DEEP : ABUT_CELL_TOUCH;
}

/* A point of the body, in its own frame, that is in the ground all the time: one furthest along an
 * axis of the ground in the middle of it, or the mean of those. */
static bool find_inside(const walker *w, double lo, double hi, abut_vec3 *out)
{
    const abut_core *core = &w->m->b->core;
    const double t = 0.5 * lo + 0.5 * hi;
    const double slip = core->error + 16 * u * core->size;
    const double reach =
        core->radius * (1 - 0x1p-40); /* the axes below are of unit length but for rounding */
    const abut_interval time = { lo, hi };
    abut_affine ground = { .linear = { { { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 } } } }, body = ground;
    if ((w->m->motion_a && abut_motion_at(w->m->motion_a, t, &ground)) ||
        (w->m->motion_b && abut_motion_at(w->m->motion_b, t, &body)))
        return false;
    abut_vec3 sum = { 0, 0, 0 };
    for (int k = 5; k >= 0; --k) { /* down first */
        const double way = k & 1 ? -1 : 1;
        const abut_vec3 axis = { ground.linear.m[0][k / 2], ground.linear.m[1][k / 2],
                                 ground.linear.m[2][k / 2] };
        uint32_t hint = 0;
        const abut_vec3 own = abut_scale(way, abut_mul_t(&body.linear, axis));
        *out = abut_madd(abut_moving_plane_support(core, own, &hint), reach, own);
        if (abut_field_holds(&w->view, *out, slip, time))
            return true;
        sum = abut_add(sum, abut_scale(1.0 / 6, *out));
    }
    *out = sum;
    return abut_field_holds(&w->view, sum, slip, time);
}

static bool is_pierced(const walker *w, double lo, double hi)
{
    abut_vec3 ignored;
    return find_inside(w, lo, hi, &ignored);
}

static bool is_sure_of(const walker *w, const span *s)
{
    return s->certain && !(s->lo == w->m->range.lo && !w->touching);
}

/* Contact may be in s, and there is none right before and after it. What is open between two
 * proofs, or next to the ends of the stretch, may be the wall between two columns. */
static void emit_span(walker *w, const span *s)
{
    const abut_run_cell soft = is_sure_of(w, s) ? ABUT_CELL_CROSS : ABUT_CELL_UNKNOWN;
    double t = s->lo;
    bool any = false;
    for (int i = 0; i <= w->firm.count; ++i) {
        const bool last = i == w->firm.count;
        const span f = last ? (span){ s->hi, s->hi, false } : w->firm.at[i];
        if (f.hi < s->lo || f.lo > s->hi)
            continue;
        const bool inner = (any && !last) || t == w->time.lo || f.lo == w->time.hi;
        if (f.lo > t || (last && !any))
            emit(w,
                 inner && is_pierced(w, t, f.lo) ? contact_cell(w, t)
                 : any                           ? ABUT_CELL_UNKNOWN
                                                 : soft,
                 t, f.lo);
        if (!last)
            emit(w, contact_cell(w, f.lo), f.lo, f.hi);
        t = f.hi;
        any = true;
    }
}

/* Touched only at the begin, as far as is known. */
static void emit_parting(walker *w)
{
    if (w->parted && (w->possible.count == 0 || w->possible.at[0].lo > w->time.lo))
        emit(w, ABUT_CELL_CROSS, w->time.lo, w->time.lo);
}

/* They overlap at the begin: a point of both, and the normal of the static check. */
static void tell_overlap(walker *w)
{
    const double t = w->time.lo;
    abut_affine body = { .linear = { { { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 } } } }, ground = body;
    abut_check_result check;
    abut_vec3 own;
    if ((w->m->motion_b && abut_motion_at(w->m->motion_b, t, &body)) ||
        (w->m->motion_a && abut_motion_at(w->m->motion_a, t, &ground)))
        return;
    if (find_inside(w, t, t, &own)) {
        w->shares = true;
        w->shared = abut_affine_apply(&body, own);
    }
    if (!w->shares)
        return;
    abut_vec3 up = { ground.linear.m[0][2], ground.linear.m[1][2], ground.linear.m[2][2] };
    if (!abut_check_at(w->m->a, w->m->motion_a, w->m->b, w->m->motion_b, t, NULL, NULL, &check) &&
        check.has_normal)
        up = check.normal;
    w->m->touch = (abut_moving_touch){ true, t, w->shared, up, { ABUT_FEATURE_FACE, ABUT_FEATURE_FACE } };
}

/* The first contact: what is possible before it, and no more. */
static void emit_first(walker *w)
{
    double t = w->time.lo;
    if (!w->deep) {
        abut_field_decide(w->m, &w->touch);
        w->m->touch = w->touch;
    } else if (at_begin(w))
        tell_overlap(w);
    emit_parting(w);
    for (int i = 0; i < w->possible.count && !w->deep; ++i) {
        const span *s = &w->possible.at[i];
        emit(w, ABUT_CELL_APART, t, s->lo);
        if (s->hi >= w->until || s->lo >= w->until) {
            emit(w, is_sure_of(w, s) ? ABUT_CELL_CROSS : ABUT_CELL_UNKNOWN, s->lo, w->until);
            break;
        }
        emit_span(w, s);
        t = s->hi;
    }
    emit(w, contact_cell(w, w->until), w->until, w->until);
    if (w->wanted)
        abut_runs_cut(w->runs, w->until);
    w->wanted = false;
}

static void emit_all(walker *w)
{
    double t = w->time.lo;
    emit_parting(w);
    for (int i = 0; i < w->possible.count; ++i) {
        const span *s = &w->possible.at[i];
        emit(w, ABUT_CELL_APART, t, s->lo);
        emit_span(w, s);
        t = s->hi;
    }
    emit(w, ABUT_CELL_APART, t, w->time.hi);
}

/* The body is inside a piece at the begin of the range: searched for where another is proved to be
 * touched then, after which no piece was scanned. */
static bool is_deep_in(walker *w, const abut_field_block *block)
{
    const abut_heightfield_data *field = w->view.field;
    const int last = is_level(block) ? 2 : 1;
    if (w->spent || away(field, block, &w->start) > 0)
        return false;
    if (block->level > 0 && last < 2) {
        abut_field_block next[4];
        const size_t n = children(field, block, next);
        for (size_t k = 0; k < n; ++k)
            if (is_deep_in(w, &next[k]))
                return true;
        return false;
    }
    for (int which = last == 2 ? 2 : 0; which <= last; ++which) {
        abut_field_piece piece;
        abut_moving own = *w->m;
        w->spent = w->m->counters->iterations++ >= w->m->max_iterations;
        abut_field_piece_make(field, block, which, fmin(block->lo, w->low) - (field->dx + field->dy), false,
                              &piece);
        own.a = &piece.shape;
        if (abut_moving_sign_at(&own, w->time.lo) == -1) {
            find_shared(w, &own, w->time.lo);
            return true;
        }
    }
    return false;
}

/* The whole field at the begin of the range, where pieces leave it open. */
static void examine_begin(walker *w, const abut_field_block *whole)
{
    const double t = w->time.lo;
    if (w->deep || w->possible.count == 0 || w->possible.at[0].lo > t)
        return;
    w->touching = w->touching || w->sign == 0;
    const bool inside =
        w->m->wants_first && !w->flat && (w->touching || w->sign == -1) && is_deep_in(w, whole);
    if (!inside && w->sign != -1 && !is_pierced(w, t, t))
        return;
    w->deep = !w->flat;
    w->touching = true;
    if (w->m->first_only)
        w->until = t;
    add_span(&w->firm, (span){ t, t, true }, false);
}

/* ---- stretches of time ---- */

/* All intervals are wanted, and a point of the body stays below the surface for all of a stretch:
 * no piece need be examined. One piece tells when the body meets it, leaves it and grazes it,
 * which costs much and adds nothing where others are met. */
static bool is_held(walker *w, double lo, double hi)
{
    if (w->m->wants_first || w->m->first_only || !is_pierced(w, lo, hi))
        return false;
    emit(w, w->flat ? ABUT_CELL_TOUCH : ABUT_CELL_DEEP, lo, hi);
    w->begun = true;
    return true;
}

/* Contact begins, ends, or goes on from point to point in a stretch: short ones tell more. */
static bool may_hold_part(const walker *w, double lo, double hi)
{
    return !w->m->wants_first && !w->m->first_only && hi - lo > 0x1p-12 * (w->m->range.hi - w->m->range.lo) &&
           (is_pierced(w, lo, lo) || is_pierced(w, hi, hi));
}

/* False: cut it. */
static bool scan_stretch(walker *w, double lo, double hi, bool can_cut)
{
    const abut_heightfield_data *field = w->view.field;
    const abut_field_block whole = abut_field_block_at(field, field->pyramid->levels, 0, 0);
    const double middle = 0.5 * lo + 0.5 * hi;
    w->time = (abut_interval){ lo, hi };
    if (is_held(w, lo, hi))
        return true;
    if (can_cut && middle > lo && middle < hi && may_hold_part(w, lo, hi))
        return false;
    w->box = abut_field_reach(&w->view, w->time);
    const bool finite =
        isfinite(w->box.x.hi - w->box.x.lo + w->box.y.hi - w->box.y.lo + w->box.z.hi - w->box.z.lo);
    const size_t count = count_pieces(field, &whole, &w->box, MANY);
    if (count > FEW && can_cut && middle > lo && middle < hi) {
        const abut_interval_vec3 then = abut_field_reach(&w->view, (abut_interval){ middle, middle });
        const size_t least = count_pieces(field, &whole, &then, MANY);
        if (count > least + least / 2)
            return false;
    }
    w->start = abut_field_reach(&w->view, (abut_interval){ lo, lo });
    if (!w->begun && count_pieces(field, &whole, &w->start, 1) > 0)
        w->sign = abut_moving_sign_at(w->m, lo);
    w->begun = true;
    /* so short that it may be over level ground only, whose exact height the pieces tell then */
    if (can_cut && at_begin(w) && w->sign == 0 && hi - lo > 0x1p-10 * (w->m->range.hi - lo))
        return false;
    if (!finite) {
        emit(w, ABUT_CELL_UNKNOWN, lo, hi);
        return true;
    }
    if (count == 0) {
        emit(w, ABUT_CELL_APART, lo, hi);
        return true;
    }
    w->possible.count = w->firm.count = 0;
    w->deep = w->touching = w->parted = w->shares = false;
    w->until = INFINITY;
    w->open = w->time;
    w->low = w->box.z.lo;
    scan_block(w, &whole);
    if (at_begin(w) && !w->spent && !w->status)
        examine_begin(w, &whole);
    if (w->spent || w->status)
        return true;
    if (w->until < INFINITY)
        emit_first(w);
    else
        emit_all(w);
    return true;
}

static bool goes_on(walker *w, double t)
{
    abut_moving *m = w->m;
    if (m->progress && !m->progress(m->progress_ctx, (t - m->range.lo) / (m->range.hi - m->range.lo)))
        m->cancelled = true;
    w->spent = w->spent || m->counters->iterations >= m->max_iterations;
    return w->wanted && !w->spent && !w->status && !m->cancelled;
}

static void walk(walker *w)
{
    double ends[CUTS + 1];
    int depth = 0;
    double t = w->m->range.lo;
    ends[0] = w->m->range.hi;
    while (depth >= 0 && goes_on(w, t)) {
        ++w->m->counters->iterations;
        if (!scan_stretch(w, t, ends[depth], depth < CUTS)) {
            ends[depth + 1] = 0.5 * t + 0.5 * ends[depth];
            ++depth;
            continue;
        }
        if (w->spent)
            break;
        t = ends[depth--];
    }
    if (w->spent) {
        w->m->stop = ABUT_STOP_BUDGET;
        emit(w, ABUT_CELL_UNKNOWN, t, w->m->range.hi);
        w->runs->doubt_inside = true; /* there may be more than the end of a contact in it */
    }
}

static abut_status begin(abut_moving *m, walker *w)
{
    const abut_core *core = &m->b->core;
    abut_status status = abut_moving_check(m);
    if (!status)
        status = abut_side_make(NULL, m->motion_b, m->range, &w->view.body);
    if (!status)
        status = abut_side_make(NULL, m->motion_a, m->range, &w->view.ground);
    w->view.field = &m->a->u.heightfield;
    w->flat = abut_core_is_flat(core);
    const abut_aabb *box = &m->b->bounds;
    w->view.box =
        (abut_interval_vec3){ { box->lo.x, box->hi.x }, { box->lo.y, box->hi.y }, { box->lo.z, box->hi.z } };
    return status;
}

abut_status abut_field_scan(abut_moving *m, abut_run_fn emit_run, void *ctx)
{
    abut_runs runs;
    walker w = { .m = m, .runs = &runs, .wanted = true, .sign = ABUT_SIGN_UNKNOWN };
    const abut_status status = begin(m, &w);
    if (status)
        return status;
    abut_runs_begin(&runs, m->range, m->accuracy, emit_run, ctx);
    m->inexact = true;
    walk(&w);
    if (w.status || m->cancelled)
        return w.status ? w.status : ABUT_ERR_CANCELLED;
    abut_runs_end(&runs);
    return ABUT_OK;
}
