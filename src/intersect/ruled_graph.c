/* SPDX-License-Identifier: MIT */
/* From the roots of D and E to the components of the curve (ruled.h).
 *
 * Each sheet over an arc with D > 0 is one segment, cut at points at infinity. Segments join where
 * D vanishes, and at the cut of the projective line, where the sheets change places if b has odd
 * degree (u and -u are the same ruling, and the sign of s1 X1 relative to s0 X0 depends on which).
 * The classes of joined segments are the components. A root of D of multiplicity above one is a
 * singular point of the curve: a node or an isolated point if it is even, a cusp if it is odd. */
#include "intersect/ruled.h"
#include "intersect/torus.h"

#define MOST_SEGMENTS 40

typedef struct segment {
    double lo, hi;
    int sheet, parent;
    bool cut, singular;
} segment;

typedef struct graph {
    const abut_ruled *r;
    segment s[MOST_SEGMENTS];
    int count;
} graph;

static int root_of(graph *g, int i)
{
    while (g->s[i].parent != i)
        i = g->s[i].parent = g->s[g->s[i].parent].parent;
    return i;
}

static void join(graph *g, int i, int j)
{
    if (i >= 0 && j >= 0)
        g->s[root_of(g, i)].parent = root_of(g, j);
}

/* u of an enclosure of tau, which is within one chart. */
static void rulings(double lo, double hi, ia u[2])
{
    if (hi <= 1) {
        u[0] = ia_point(1);
        u[1] = ia_make(lo, hi);
    } else {
        u[0] = ia_make(2 - hi, 2 - lo);
        u[1] = ia_point(1);
    }
}

/* The form with these coefficients at u: Horner in the coordinate that is not 1. */
static ia form_at(const ia *f, int degree, const ia u[2], bool second)
{
    ia value = second ? f[0] : f[degree];
    for (int i = 1; i <= degree; ++i)
        value = second ? ia_add(ia_mul(value, u[0]), f[i]) : ia_add(ia_mul(value, u[1]), f[degree - i]);
    return value;
}

typedef struct ruling {
    const abut_ruled *r;
    ia x0[4], x1[4], a, b, c, u[2];
} ruling;

static void ruling_at(const abut_ruled *r, double lo, double hi, ruling *out)
{
    ia u[2];
    const bool second = hi > 1;
    rulings(lo, hi, u);
    out->r = r;
    out->u[0] = ia_sub(ia_scale(r->p, u[0]), ia_scale(r->q, u[1]));
    out->u[1] = ia_add(ia_scale(r->q, u[0]), ia_scale(r->p, u[1]));
    for (int k = 0; k < 4 && !r->torus; ++k) {
        ia f[3];
        for (int i = 0; i <= r->d0; ++i)
            f[i] = r->x0[i][k];
        out->x0[k] = form_at(f, r->d0, u, second);
        for (int i = 0; i <= r->d1; ++i)
            f[i] = r->x1[i][k];
        out->x1[k] = form_at(f, r->d1, u, second);
    }
    out->a = form_at(r->a, 2 * r->d0, u, second);
    out->b = form_at(r->b, r->d0 + r->d1, u, second);
    out->c = form_at(r->c, 2 * r->d1, u, second);
}

/* cos and sin of twice the angle of a direction. */
static bool twice(ia x, ia y, ia *c, ia *s)
{
    const ia square = ia_add(ia_sqr(x), ia_sqr(y));
    if (!ia_is_positive(square))
        return false;
    *c = ia_div(ia_mul(ia_sub(x, y), ia_add(x, y)), square);
    *s = ia_div(ia_scale(2, ia_mul(x, y)), square);
    return true;
}

/* The point with these s on the ruling; empty where it may be at infinity. */
static ia3 point_at(const ruling *at, ia s0, ia s1)
{
    ia x[4];
    if (at->r->torus) {
        if (!twice(s0, s1, &x[0], &x[1]) || !twice(at->u[0], at->u[1], &x[2], &x[3]))
            return (ia3){ ia_empty(), ia_empty(), ia_empty() };
        return abut_torus_point(at->r->torus, x[0], x[1], x[2], x[3]);
    }
    for (int k = 0; k < 4; ++k)
        x[k] = ia_add(ia_mul(s0, at->x0[k]), ia_mul(s1, at->x1[k]));
    if (ia_contains_zero(x[3]))
        return (ia3){ ia_empty(), ia_empty(), ia_empty() };
    return (ia3){ ia_div(x[0], x[3]), ia_div(x[1], x[3]), ia_div(x[2], x[3]) };
}

/* root: an enclosure of the square root of D. */
static ia3 sheet_point(const ruling *at, int sheet, ia root)
{
    if (sheet * ia_mid(at->b) < 0) /* no cancellation in -b + sheet root */
        return point_at(at, sheet > 0 ? ia_sub(root, at->b) : ia_neg(ia_add(root, at->b)),
                        ia_scale(2, at->a));
    return point_at(at, ia_scale(2, at->c), sheet > 0 ? ia_neg(ia_add(root, at->b)) : ia_sub(root, at->b));
}

static int sheet_of(const ruling *at, ia s0, ia s1)
{
    const int first = ia_sign(s1) * ia_sign(ia_add(ia_mul(ia_scale(2, at->a), s0), ia_mul(at->b, s1)));
    const int second = -ia_sign(s0) * ia_sign(ia_add(ia_mul(ia_scale(2, at->c), s1), ia_mul(at->b, s0)));
    return first != 0 ? first : second;
}

static bool apart(const abut_ruled_event *x, const abut_ruled_event *y)
{
    return x->hi < y->lo || y->hi < x->lo;
}

/* The sheets on which the curve is at infinity. */
static bool place_ends(const abut_ruled *r, abut_ruled_events *events)
{
    for (int i = 0; i < events->e_count; ++i) {
        abut_ruled_event *e = &events->e[i];
        for (int j = 0; j < events->d_count; ++j)
            if (!apart(e, &events->d[j]))
                return false;
        if (events->double_sheet) {
            e->sheet = 1;
            continue;
        }
        ruling at;
        ruling_at(r, e->lo, e->hi, &at);
        e->sheet = sheet_of(&at, ia_neg(at.x1[3]), at.x0[3]);
        if (e->sheet == 0)
            return false;
    }
    return true;
}

static int add_segment(graph *g, double lo, double hi, int sheet, bool cut)
{
    if (g->count == MOST_SEGMENTS)
        return -1;
    g->s[g->count] = (segment){ lo, hi, sheet, g->count, cut, false };
    return g->count++;
}

/* The segments of a sheet over an arc: the first and the last. */
static bool cut_arc(graph *g, const abut_ruled_events *events, double lo, double hi, int sheet, int ends[2])
{
    double from = lo;
    bool cut = false;
    ends[0] = -1;
    for (int i = 0; i <= events->e_count; ++i) {
        const bool last = i == events->e_count;
        const abut_ruled_event *e = &events->e[last ? 0 : i];
        if (!last && (e->sheet != sheet || e->lo < lo || e->hi > hi))
            continue;
        const int s = add_segment(g, from, last ? hi : e->lo, sheet, cut || !last);
        if (s < 0)
            return false;
        if (ends[0] < 0)
            ends[0] = s;
        ends[1] = s;
        if (!last) {
            from = e->hi;
            cut = true;
        }
    }
    return true;
}

static bool add_isolated(const abut_ruled *r, const abut_ruled_event *e, abut_meeting *m)
{
    ruling at;
    ruling_at(r, e->lo, e->hi, &at);
    const ia3 p = ia_mig(at.a) > ia_mig(at.c) ? point_at(&at, ia_neg(at.b), ia_scale(2, at.a))
                                              : point_at(&at, ia_scale(2, at.c), ia_neg(at.b));
    const int on = ia3_is_empty(p) ? -1 : abut_meeting_nappes(m, p);
    return on == 0 || (on > 0 && abut_meeting_add(m, ABUT_LOOP_POINT, p));
}

/* Whether a whole ruling may be in the intersection there. */
static bool may_hold_ruling(const abut_ruled *r, const abut_ruled_event *e)
{
    ruling at;
    ruling_at(r, e->lo, e->hi, &at);
    return ia_contains_zero(at.a) && ia_contains_zero(at.b) && ia_contains_zero(at.c);
}

static bool build(graph *g, const abut_ruled *r, const abut_ruled_events *events, abut_meeting *m)
{
    const int sheets = events->double_sheet ? 1 : 2;
    int sign = events->double_sheet ? 1 : events->sign, first[2] = { -1, -1 }, before[2] = { -1, -1 };
    double lo = -1;
    for (int i = 0; i <= events->d_count; ++i) {
        const bool last = i == events->d_count;
        const abut_ruled_event *d = &events->d[last ? 0 : i];
        int left[2] = { -1, -1 };
        for (int k = 0; k < sheets && sign > 0; ++k) {
            int ends[2] = { -1, -1 };
            if (!cut_arc(g, events, lo, last ? 3 : d->lo, 1 - 2 * k, ends))
                return false;
            join(g, before[k], ends[0]);
            if (i == 0)
                first[k] = ends[0];
            left[k] = ends[1];
        }
        if (last) {
            const bool swap = sheets == 2 && ((r->d0 + r->d1) & 1);
            for (int k = 0; k < 2; ++k)
                join(g, left[k], first[swap ? 1 - k : k]);
            break;
        }
        const int after = d->multiplicity & 1 ? -sign : sign;
        if (d->multiplicity > 1 && may_hold_ruling(r, d))
            return false;
        if (sign < 0 && after < 0) {
            if (!add_isolated(r, d, m))
                return false;
        } else { /* the point where D vanishes, as a segment of its own that joins the sheets */
            const int joint = add_segment(g, d->hi, d->hi, 1, false);
            if (joint < 0)
                return false;
            g->s[joint].singular = d->multiplicity > 1;
            join(g, left[0], joint);
            join(g, left[1], joint);
            before[0] = before[1] = joint;
        }
        sign = after;
        lo = d->hi;
    }
    return true;
}

/* One point of each class, in the middle of its longest segment. */
static bool report(graph *g, const abut_ruled_events *events, abut_meeting *m)
{
    bool all = true;
    for (int i = 0; i < g->count; ++i) {
        if (root_of(g, i) != i)
            continue;
        bool cut = false, singular = false;
        int longest = i;
        for (int j = 0; j < g->count; ++j) {
            if (root_of(g, j) != i)
                continue;
            cut = cut || g->s[j].cut;
            singular = singular || g->s[j].singular;
            if (g->s[j].hi - g->s[j].lo > g->s[longest].hi - g->s[longest].lo)
                longest = j;
        }
        const segment *s = &g->s[longest];
        ia3 p = { ia_empty(), ia_empty(), ia_empty() };
        /* Away from the middle where that happens to be a bad place. */
        static const double places[3] = { 0.5, 0.375, 0.625 };
        for (int k = 0; k < 3 && ia3_is_empty(p); ++k) {
            const double tau = s->lo + places[k] * (s->hi - s->lo);
            ruling at;
            ruling_at(g->r, tau, tau, &at);
            ia square = ia_sub(ia_sqr(at.b), ia_scale(4, ia_mul(at.a, at.c)));
            if (events->double_sheet)
                square = ia_point(0);
            if (events->double_sheet || ia_is_positive(square))
                p = sheet_point(&at, s->sheet, ia_sqrt(square));
        }
        const int on = ia3_is_empty(p) ? -1 : abut_meeting_nappes(m, p);
        if (on == 0)
            continue;
        const abut_loop_kind kind = singular ? (cut ? ABUT_LOOP_SINGULAR_OPEN : ABUT_LOOP_SINGULAR)
                                    : cut    ? ABUT_LOOP_OPEN
                                             : ABUT_LOOP_CLOSED;
        if (on < 0 || !abut_meeting_add(m, kind, p))
            all = false;
    }
    return all;
}

bool abut_ruled_graph(const abut_ruled *r, abut_ruled_events *events, abut_meeting *m)
{
    graph g = { .r = r };
    return place_ends(r, events) && build(&g, r, events, m) && report(&g, events, m);
}
