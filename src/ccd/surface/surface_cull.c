/* SPDX-License-Identifier: MIT */
/* Boxes through time, sort and sweep, bounding balls: see the header. All bounds are certified.
 *
 * The time of the balls is found by halving: from either end, a stretch in which the enclosure
 * of the distance of the centres stays above the sum of the radii is cut off. It ends where a
 * stretch of 1/256 of the range is left, since the solver behind it does the same as fast. */
#include "ccd/surface/surface_cull.h"

#include "base/sort.h"
#include "motion/motion.h"

enum { ball_depth = 8 };

abut_interval abut_cull_piece(abut_interval range, int i)
{
    const double step = (range.hi - range.lo) / ABUT_CULL_PIECES;
    const double lo = i == 0 ? range.lo : range.lo + i * step;
    const double hi = i == ABUT_CULL_PIECES - 1 ? range.hi : range.lo + (i + 1) * step;
    return (abut_interval){ lo, hi < range.hi ? hi : range.hi };
}

static ia_affine placed(const abut_motion *motion, ia t)
{
    ia_affine at = { ia33_identity(), { ia_point(0), ia_point(0), ia_point(0) } };
    if (motion && !abut_motion_placement_over(motion, t, &at))
        at.translation = (ia3){ ia_entire(), ia_entire(), ia_entire() };
    return at;
}

static ABUT_NOINLINE void boxes_kernel(const abut_motion *motion, const abut_interval_vec3 *local,
                                       size_t count, abut_interval range, abut_interval_vec3 *pieces)
{
    for (int i = 0; i < ABUT_CULL_PIECES; ++i) {
        const ia_affine at = placed(motion, ia_from(abut_cull_piece(range, i)));
        for (size_t j = 0; j < count; ++j)
            pieces[j * ABUT_CULL_PIECES + (size_t)i] = ia3_to(ia_affine_apply(&at, ia3_from(&local[j])));
    }
}

void abut_cull_boxes(const abut_motion *motion, const abut_interval_vec3 *local, size_t count,
                     abut_interval range, abut_interval_vec3 *pieces)
{
    const abut_rounding saved = abut_rounding_enter();
    boxes_kernel(motion, local, count, range, pieces);
    abut_rounding_leave(saved);
}

static ABUT_NOINLINE void ball_kernel(const abut_interval_vec3 *local, abut_vec3 *centre, double *radius)
{
    const ia3 box = ia3_from(local);
    *centre = (abut_vec3){ 0, 0, 0 };
    *radius = HUGE_VAL;
    if (!ia_is_finite(box.x) || !ia_is_finite(box.y) || !ia_is_finite(box.z))
        return;
    *centre = ia3_mid(box);
    *radius = ia_hi(ia_sqrt(ia3_sqr_norm(ia3_sub(box, ia3_point(*centre)))));
}

void abut_cull_prepare(abut_cull_body *body, abut_interval range)
{
    const abut_rounding saved = abut_rounding_enter();
    ball_kernel(&body->local, &body->centre, &body->radius);
    abut_rounding_leave(saved);
    abut_cull_boxes(body->motion, &body->local, 1, range, body->pieces);
    body->all = body->pieces[0];
    for (int i = 1; i < ABUT_CULL_PIECES; ++i) {
        const abut_interval_vec3 *const p = &body->pieces[i];
        body->all.x = (abut_interval){ fmin(body->all.x.lo, p->x.lo), fmax(body->all.x.hi, p->x.hi) };
        body->all.y = (abut_interval){ fmin(body->all.y.lo, p->y.lo), fmax(body->all.y.hi, p->y.hi) };
        body->all.z = (abut_interval){ fmin(body->all.z.lo, p->z.lo), fmax(body->all.z.hi, p->z.hi) };
    }
}

/* ---- balls ---- */

/* |M|^2 is at most the sum of the squares of its entries; a rotation has norm 1. */
static ia reach(const abut_cull_body *body, const ia_affine *at)
{
    if (!body->motion || abut_motion_is_rigid(body->motion))
        return ia_point(body->radius);
    ia sum = ia_point(0);
    for (int i = 0; i < 9; ++i)
        sum = ia_add(sum, ia_sqr(at->linear.m[i / 3][i % 3]));
    return ia_mul(ia_sqrt(sum), ia_point(body->radius));
}

static bool balls_may_meet(const abut_cull_body *a, const abut_cull_body *b, ia t)
{
    const ia_affine at_a = placed(a->motion, t), at_b = placed(b->motion, t);
    const ia3 between =
        ia3_sub(ia_affine_apply(&at_a, ia3_point(a->centre)), ia_affine_apply(&at_b, ia3_point(b->centre)));
    const ia sum = ia_add(reach(a, &at_a), reach(b, &at_b));
    return !(ia_lo(ia3_sqr_norm(between)) > ia_hi(ia_sqr(sum)));
}

/* The first (last) cell in which they may meet; false where none is left. */
static bool cut(const abut_cull_body *a, const abut_cull_body *b, abut_interval *range, bool last, int depth)
{
    if (!balls_may_meet(a, b, ia_from(*range)))
        return false;
    const double mid = 0.5 * range->lo + 0.5 * range->hi;
    if (depth == 0 || !(range->lo < mid && mid < range->hi))
        return true;
    abut_interval first = { range->lo, mid }, second = { mid, range->hi };
    abut_interval *const nearer = last ? &second : &first, *const farther = last ? &first : &second;
    if (cut(a, b, nearer, last, depth - 1)) {
        if (last)
            range->hi = nearer->hi;
        else
            range->lo = nearer->lo;
        return true;
    }
    if (!cut(a, b, farther, last, depth - 1))
        return false;
    *range = *farther;
    return true;
}

static ABUT_NOINLINE void balls_kernel(const abut_cull_body *a, const abut_cull_body *b, abut_interval *range,
                                       bool *meet)
{
    abut_interval early = *range;
    *meet = cut(a, b, &early, false, ball_depth);
    if (!*meet)
        return;
    *range = early;
    *meet = cut(a, b, range, true, ball_depth);
    if (!*meet) /* cells differ a little: what one proves apart is enough */
        return;
    range->lo = early.lo > range->lo ? early.lo : range->lo;
}

bool abut_cull_time(const abut_cull_body *a, const abut_cull_body *b, abut_interval range, abut_interval *out)
{
    int first = ABUT_CULL_PIECES, last = -1;
    for (int i = 0; i < ABUT_CULL_PIECES; ++i)
        if (abut_boxes_meet(&a->pieces[i], &b->pieces[i])) {
            first = i < first ? i : first;
            last = i;
        }
    if (last < 0)
        return false;
    *out = (abut_interval){ abut_cull_piece(range, first).lo, abut_cull_piece(range, last).hi };
    if (isinf(a->radius) || isinf(b->radius))
        return true;
    bool meet;
    const abut_rounding saved = abut_rounding_enter();
    balls_kernel(a, b, out, &meet);
    abut_rounding_leave(saved);
    return meet;
}

/* ---- sort and sweep ---- */

typedef struct sweep_item {
    double lo;
    uint32_t body;
} sweep_item;

static bool item_before(void *ctx, const void *left, const void *right)
{
    const sweep_item *const x = left, *const y = right;
    (void)ctx;
    return x->lo != y->lo ? x->lo < y->lo : x->body < y->body;
}

static abut_interval axis_of(const abut_interval_vec3 *box, int axis)
{
    return axis == 0 ? box->x : axis == 1 ? box->y : box->z;
}

/* The axis along which the middles are spread most; those without a middle do not count. */
static int widest_axis(const abut_cull_body *bodies, size_t count)
{
    double best = -1;
    int axis = 0;
    for (int i = 0; i < 3; ++i) {
        double sum = 0, squares = 0, n = 0;
        for (size_t j = 0; j < count; ++j) {
            const abut_interval extent = axis_of(&bodies[j].all, i);
            const double mid = 0.5 * extent.lo + 0.5 * extent.hi;
            if (!isfinite(mid))
                continue;
            sum += mid;
            squares += mid * mid;
            n += 1;
        }
        const double spread = n > 0 ? squares - sum * sum / n : 0;
        if (spread > best) {
            best = spread;
            axis = i;
        }
    }
    return axis;
}

bool abut_cull_sweep(const abut_cull_body *bodies, size_t count, abut_workspace *ws, abut_cull_pair_fn found,
                     void *ctx)
{
    sweep_item *const items = abut_workspace_take(ws, count ? count : 1, sizeof *items);
    if (!items)
        return false;
    const int axis = widest_axis(bodies, count);
    for (size_t i = 0; i < count; ++i)
        items[i] = (sweep_item){ axis_of(&bodies[i].all, axis).lo, (uint32_t)i };
    abut_base_sort(items, count, sizeof *items, item_before, NULL);
    for (size_t i = 0; i < count; ++i) {
        const abut_cull_body *const each = &bodies[items[i].body];
        const double end = axis_of(&each->all, axis).hi;
        for (size_t j = i + 1; j < count && items[j].lo <= end; ++j) {
            const uint32_t a = items[i].body, b = items[j].body;
            if (abut_boxes_meet(&each->all, &bodies[b].all))
                found(ctx, a < b ? a : b, a < b ? b : a);
        }
    }
    return true;
}
