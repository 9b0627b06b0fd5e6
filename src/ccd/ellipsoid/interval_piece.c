/* SPDX-License-Identifier: MIT */
/* Balls on any path, by intervals.
 *
 * f(t) is |c_a - c_b|^2 - (r_a + r_b)^2, or n . R^T (c_a - c_b) - offset - r |n| for a
 * half-space turned by R. Time is split from left to right; on each cell f and f' are enclosed.
 * A cell is decided when f keeps its sign, or when f' does and the ends tell; a change of sign
 * is then narrowed by Newton's method with intervals. A cell in which f differs from zero by no
 * more than the rounding error of one evaluation is unknown: splitting it would not help. */
#include "ccd/ellipsoid/moving_ball.h"
#include "ccd/proof/cells.h"

#include "interval/ia3.h"

enum { CELLS = 4 * ABUT_CELLS_BURST + 4 };

typedef struct state {
    abut_moving *m;
    abut_runs *runs;
    double lo, hi;
    int first, last; /* signs at lo and hi, as far as they are known otherwise */
    int count;
    struct {
        abut_run_cell cell;
        double lo, hi;
    } cells[CELLS];
} state;

static void place_over(const abut_motion *motion, ia t, ia_affine *at, ia_affine *velocity)
{
    if (motion) {
        (void)abut_motion_placement_over(motion, t, at);
        if (velocity)
            (void)abut_motion_velocity_over(motion, t, velocity);
        return;
    }
    const ia zero = ia_point(0);
    *at = (ia_affine){ .translation = { zero, zero, zero } };
    for (int i = 0; i < 9; ++i)
        at->linear.m[i / 3][i % 3] = ia_point(i % 4 == 0);
    if (velocity) {
        *velocity = (ia_affine){ .translation = { zero, zero, zero } };
        for (int i = 0; i < 9; ++i)
            velocity->linear.m[i / 3][i % 3] = zero;
    }
}

static ia dot(ia3 a, ia3 b)
{
    return ia_add(ia_add(ia_mul(a.x, b.x), ia_mul(a.y, b.y)), ia_mul(a.z, b.z));
}

/* Row j of the transpose times d, for all j: R^T d. */
static ia3 turn_back(const ia33 *r, ia3 d)
{
    ia p[3];
    for (int j = 0; j < 3; ++j)
        p[j] = ia_add(ia_add(ia_mul(r->m[0][j], d.x), ia_mul(r->m[1][j], d.y)), ia_mul(r->m[2][j], d.z));
    return (ia3){ p[0], p[1], p[2] };
}

/* f over t, and f' where slope is not NULL. */
static ia evaluate(const abut_moving *m, ia t, ia *slope)
{
    ia_affine a, b, va, vb;
    place_over(m->motion_a, t, &a, slope ? &va : NULL);
    place_over(m->motion_b, t, &b, slope ? &vb : NULL);
    ++m->counters->evaluations;
    const ia3 d = ia3_sub(a.translation, b.translation);
    const ia r = ia_point(m->a->u.sphere.radius);
    if (m->b->type == ABUT_SHAPE_SPHERE) {
        const ia s = ia_add(r, ia_point(m->b->u.sphere.radius));
        if (slope)
            *slope = ia_scale(2, dot(d, ia3_sub(va.translation, vb.translation)));
        return ia_sub(ia_add(ia_add(ia_sqr(d.x), ia_sqr(d.y)), ia_sqr(d.z)), ia_sqr(s));
    }
    const abut_vec3 normal = m->b->u.halfspace.normal;
    const ia3 n = { ia_point(normal.x), ia_point(normal.y), ia_point(normal.z) };
    const ia length = ia_sqrt(ia_add(ia_add(ia_sqr(n.x), ia_sqr(n.y)), ia_sqr(n.z)));
    if (slope)
        *slope = ia_add(dot(n, turn_back(&vb.linear, d)),
                        dot(n, turn_back(&b.linear, ia3_sub(va.translation, vb.translation))));
    const ia height = ia_sub(dot(n, turn_back(&b.linear, d)), ia_point(m->b->u.halfspace.offset));
    return ia_sub(height, ia_mul(r, length));
}

static void add(state *s, abut_run_cell cell, double lo, double hi)
{
    s->cells[s->count].cell = cell;
    s->cells[s->count].lo = lo;
    s->cells[s->count++].hi = hi;
}

/* Sign of f at t, from better knowledge at the ends of the piece. */
static int sign_at(const state *s, double t)
{
    if (t == s->lo && s->first != ABUT_SIGN_UNKNOWN)
        return s->first;
    if (t == s->hi && s->last != ABUT_SIGN_UNKNOWN)
        return s->last;
    const ia f = evaluate(s->m, ia_point(t), NULL);
    return ia_sign(f) != 0 ? ia_sign(f) : ABUT_SIGN_UNKNOWN;
}

/* Narrows a cell that holds all roots of [lo, hi], where f' has the sign of `slope` throughout.
 * Plain doubles only choose the points. */
static ia newton(const state *s, ia cell, ia slope)
{
    for (int i = 0; i < 60; ++i) {
        const double width = ia_hi(cell) - ia_lo(cell);
        if (!(width > s->m->accuracy) || width <= 0)
            break;
        const double mid = ia_mid(cell);
        const ia step = ia_div(evaluate(s->m, ia_point(mid), NULL), slope);
        const ia next = ia_intersect(ia_sub(ia_point(mid), step), cell);
        if (ia_is_empty(next))
            return next; /* no root at all */
        const double narrowed = ia_hi(next) - ia_lo(next);
        cell = next;
        if (narrowed > 0.9 * width)
            break;
        ia better;
        (void)evaluate(s->m, cell, &better);
        better = ia_intersect(better, slope);
        if (!ia_is_empty(better) && !ia_contains_zero(better))
            slope = better;
    }
    return cell;
}

/* A cell on which f is strictly monotone. False: nothing could be said, split it. */
static bool decide_monotone(state *s, ia t, ia slope)
{
    const double lo = ia_lo(t), hi = ia_hi(t);
    const int first = sign_at(s, lo), last = sign_at(s, hi), rising = ia_sign(slope);
    /* Moving away from zero, or not reaching it. */
    if (first == rising || last == -rising) {
        add(s,
            rising == first ? (rising > 0 ? ABUT_CELL_APART : ABUT_CELL_DEEP)
                            : (rising > 0 ? ABUT_CELL_DEEP : ABUT_CELL_APART),
            lo, hi);
        return true;
    }
    const abut_run_cell before = rising > 0 ? ABUT_CELL_DEEP : ABUT_CELL_APART;
    const abut_run_cell after = rising > 0 ? ABUT_CELL_APART : ABUT_CELL_DEEP;
    if (first == 0) {
        add(s, ABUT_CELL_TOUCH, lo, lo);
        add(s, after, lo, hi);
        return true;
    }
    if (last == 0) {
        add(s, before, lo, hi);
        add(s, ABUT_CELL_TOUCH, hi, hi);
        return true;
    }
    const bool crosses = first == -rising && last == rising;
    const ia root = newton(s, t, slope);
    if (ia_is_empty(root)) {
        /* an end is closer to zero than rounding lets see, but on this side of it */
        if (first == ABUT_SIGN_UNKNOWN && last == ABUT_SIGN_UNKNOWN)
            return false;
        add(s, first == ABUT_SIGN_UNKNOWN ? after : before, lo, hi);
        return true;
    }
    /* What is proved at an end counts even when the root's enclosure reaches it: the cell is
     * then that instant. */
    const double from = ia_lo(root), to = ia_hi(root);
    if (from > lo || first == -rising)
        add(s, before, lo, from);
    add(s, crosses ? ABUT_CELL_CROSS : ABUT_CELL_UNKNOWN, from, to);
    if (!crosses)
        s->m->stop = s->m->stop == ABUT_STOP_DONE ? ABUT_STOP_TOLERANCE : s->m->stop;
    if (to < hi || last == rising)
        add(s, after, to, hi);
    return true;
}

/* One cell; false: split it. */
static bool decide(void *ctx, double lo, double hi)
{
    state *s = ctx;
    const ia t = ia_make(lo, hi);
    const double mid = ia_mid(t);
    ia slope;
    ia f = evaluate(s->m, t, &slope);
    const ia centre = evaluate(s->m, ia_point(mid), NULL);
    const ia mean = ia_add(centre, ia_mul(slope, ia_sub(t, ia_point(mid))));
    f = ia_intersect(f, mean);
    if (ia_is_positive(f) || ia_is_negative(f)) {
        add(s, ia_is_positive(f) ? ABUT_CELL_APART : ABUT_CELL_DEEP, lo, hi);
        return true;
    }
    if (!ia_contains_zero(slope))
        return decide_monotone(s, t, slope);
    const double noise = ia_hi(centre) - ia_lo(centre);
    const double width = hi - lo, least = fmax(4 * (ia_up(fabs(mid)) - fabs(mid)), s->m->accuracy);
    if (width > least && !(ia_hi(f) - ia_lo(f) <= 4 * noise && ia_contains_zero(centre)))
        return false;
    add(s, ABUT_CELL_UNKNOWN, lo, hi);
    if (s->m->stop == ABUT_STOP_DONE)
        s->m->stop = ABUT_STOP_TOLERANCE;
    return true;
}

static void give_up(void *ctx, double lo, double hi)
{
    add(ctx, ABUT_CELL_UNKNOWN, lo, hi);
}

static bool hand_on(void *ctx)
{
    state *s = ctx;
    for (int i = 0; i < s->count; ++i)
        if (!abut_runs_add(s->runs, s->cells[i].cell, s->cells[i].lo, s->cells[i].hi, false))
            return false;
    s->count = 0;
    return true;
}

bool abut_moving_solve_interval(abut_moving *m, double lo, double hi, abut_runs *runs)
{
    state s;
    s.m = m;
    s.runs = runs;
    s.lo = lo;
    s.hi = hi;
    s.first = abut_moving_sign_at(m, lo);
    s.last = abut_moving_sign_at(m, hi);
    s.count = 0;
    const abut_cells cells = { m, &s, decide, give_up, hand_on };
    return abut_cells_walk(&cells, lo, hi);
}
