/* SPDX-License-Identifier: MIT */
/* Pairs of features of two triangles: each vertex with the face, each edge with each edge, as far
 * as this pair of triangles owns them, and whether the triangles cross at the start. */
#include "ccd/deform/deform.h"

#include "math/nearest.h"

#include <math.h>

void abut_deform_set_query(abut_deform_query *query, const abut_deform *const of[4], const uint32_t vertex[4],
                           bool edges)
{
    bool rational = true;
    query->q = (abut_impact_query){ .start = query->start, .end = query->end, .edges = edges };
    for (int i = 0; i < 4; ++i) {
        const abut_deform *m = of[i];
        query->start[i] = m->x[0][vertex[i]];
        query->end[i] = m->x[1][vertex[i]];
        for (int k = 0; k < 3; ++k)
            query->q.blur[k] = m->blur[k] > query->q.blur[k] ? m->blur[k] : query->q.blur[k];
        rational = rational && m->rational;
    }
    if (query->q.blur[0] + query->q.blur[1] + query->q.blur[2] == 0 || !rational)
        return;
    for (int i = 0; i < 4; ++i) {
        query->wide.body[i] = &of[i]->body;
        query->wide.p[i][0] = &of[i]->p[0][vertex[i]];
        query->wide.p[i][1] = &of[i]->p[1][vertex[i]];
    }
    query->q.wide = &query->wide;
}

/* Do the swept boxes of points p and q overlap on this axis? */
static inline bool boxes_meet(const abut_deform *a, const uint32_t *p, int pn, const abut_deform *b,
                              const uint32_t *q, int qn)
{
    double pl[3] = { INFINITY, INFINITY, INFINITY }, ph[3] = { -INFINITY, -INFINITY, -INFINITY },
           ql[3] = { INFINITY, INFINITY, INFINITY }, qh[3] = { -INFINITY, -INFINITY, -INFINITY };
    for (int w = 0; w < 2; ++w) {
        for (int i = 0; i < pn; ++i) {
            const abut_vec3 x = a->x[w][p[i]];
            const double c[3] = { x.x, x.y, x.z };
            for (int k = 0; k < 3; ++k) {
                pl[k] = c[k] < pl[k] ? c[k] : pl[k];
                ph[k] = c[k] > ph[k] ? c[k] : ph[k];
            }
        }
        for (int i = 0; i < qn; ++i) {
            const abut_vec3 x = b->x[w][q[i]];
            const double c[3] = { x.x, x.y, x.z };
            for (int k = 0; k < 3; ++k) {
                ql[k] = c[k] < ql[k] ? c[k] : ql[k];
                qh[k] = c[k] > qh[k] ? c[k] : qh[k];
            }
        }
    }
    for (int k = 0; k < 3; ++k) {
        const double slack = 1.5 * (a->blur[k] + b->blur[k]);
        if (pl[k] > qh[k] + slack || ql[k] > ph[k] + slack)
            return false;
    }
    return true;
}

static abut_vec3 between(abut_vec3 p, abut_vec3 q, double t, double most[3])
{
    most[0] = fmax(most[0], fabs(p.x) + fabs(q.x));
    most[1] = fmax(most[1], fabs(p.y) + fabs(q.y));
    most[2] = fmax(most[2], fabs(p.z) + fabs(q.z));
    return (abut_vec3){ (1 - t) * p.x + t * q.x, (1 - t) * p.y + t * q.y, (1 - t) * p.z + t * q.z };
}

/* All contacts of features that are only enclosed: one after another, each in what is left of the
 * time. What there may be right after one counts as its end. */
static abut_status find_stretches(const abut_deform_query *query, const abut_impact_opts *opts,
                                  abut_impact_result *out)
{
    abut_impact_opts first = *opts;
    size_t count = 0;
    double from = 0;
    first.intervals = NULL;
    first.interval_capacity = 0;
    for (;;) {
        abut_deform_query rest = *query;
        abut_impact_result r;
        double most[3] = { 0, 0, 0 };
        rest.q.start = rest.start;
        rest.q.end = rest.end;
        for (int i = 0; i < 4; ++i)
            rest.start[i] = between(query->start[i], query->end[i], from, most);
        for (int k = 0; k < 3 && from > 0; ++k)
            rest.q.blur[k] += 0x1p-50 * most[k];
        const abut_status status = abut_impact_run(&rest.q, &first, &r);
        if (status || count == 0)
            *out = r;
        if (status || r.verdict == ABUT_FIRST_SEPARATE)
            break;
        if (r.verdict == ABUT_FIRST_UNDECIDED) {
            out->verdict = r.verdict;
            out->time = (abut_interval){ from, 1 };
            break;
        }
        const double left = 1 - from;
        const abut_interval time = { fmax(from + left * r.time.lo - 0x1p-50, 0),
                                     fmin(from + left * r.time.hi + 0x1p-50, 1) };
        from = fmin(time.hi + 0x1p-30, 1);
        if (count < opts->interval_capacity)
            opts->intervals[count] = (abut_contact_interval){ time, { time.lo, from } };
        out->interval_count = ++count;
        if (from >= 1)
            break;
    }
    return ABUT_OK;
}

/* Corners of the query: two edges, or a vertex of `a` and a face of `b`. */
static bool test(abut_deform_ask *ask, const abut_deform *a, const uint32_t *p, int pn, const abut_deform *b,
                 const uint32_t *q, int qn, const abut_deform_contact *names, bool swapped)
{
    if (!boxes_meet(a, p, pn, b, q, qn))
        return true;
    abut_deform_query query;
    abut_impact_result r;
    const bool edges = pn == 2;
    const abut_deform *const of[4] = { a, edges ? a : b, b, b };
    const uint32_t vertex[4] = { p[0], edges ? p[1] : q[0], q[edges ? 0 : 1], q[edges ? 1 : 2] };
    abut_deform_set_query(&query, of, vertex, edges);
    ask->opts.t_max = ask->t_max;
    ++ask->counters->feature_tests;
    if (ask->stretches && !query.q.wide && query.q.blur[0] + query.q.blur[1] + query.q.blur[2] > 0)
        ask->status = find_stretches(&query, &ask->opts, &r);
    else
        ask->status = abut_impact_run(&query.q, &ask->opts, &r);
    if (ask->status)
        return false;
    ask->counters->exact += r.counters.exact;
    ask->inexact += r.proof == ABUT_PROOF_INTERVAL;
    if (r.verdict == ABUT_FIRST_SEPARATE)
        return true;
    if (r.verdict != ABUT_FIRST_CONTACT) {
        if (ask->undecided++ == 0)
            ask->undecided_time = r.time;
        ask->undecided_time.lo = fmin(ask->undecided_time.lo, r.time.lo);
        ask->undecided_time.hi = fmax(ask->undecided_time.hi, r.time.hi);
        return true;
    }
    abut_deform_contact contact = *names;
    contact.time = r.time;
    contact.point = r.point;
    contact.normal = swapped ? (abut_vec3){ -r.normal.x, -r.normal.y, -r.normal.z } : r.normal;
    contact.parameters[0] = r.parameters[0];
    contact.parameters[1] = r.parameters[1];
    if (ask->earliest && r.time.hi + ask->slack < ask->t_max)
        ask->t_max = r.time.hi + ask->slack;
    return ask->take(ask->ctx, &query.q, &contact, &r);
}

static bool has(const uint32_t *triangle, uint32_t vertex)
{
    return triangle[0] == vertex || triangle[1] == vertex || triangle[2] == vertex;
}

/* The vertices of ta that it owns against the face tb. */
static bool vertices_and_face(abut_deform_ask *ask, const abut_deform *a, uint32_t ta, const abut_deform *b,
                              uint32_t tb, bool swapped)
{
    const uint32_t *p = a->triangles + 3 * (size_t)ta, *q = b->triangles + 3 * (size_t)tb;
    const bool turn = swapped && !ask->self;
    for (int i = 0; i < 3; ++i) {
        if (!(a->owned[ta] >> i & 1) || (ask->self && has(q, p[i])))
            continue;
        const abut_deform_contact names = { .features = { turn ? ABUT_FEATURE_FACE : ABUT_FEATURE_VERTEX,
                                                          turn ? ABUT_FEATURE_VERTEX : ABUT_FEATURE_FACE },
                                            .ids = { turn ? tb : p[i], turn ? p[i] : tb } };
        if (!test(ask, a, &p[i], 1, b, q, 3, &names, turn))
            return false;
    }
    return true;
}

static bool edges_and_edges(abut_deform_ask *ask, uint32_t ta, uint32_t tb)
{
    const abut_deform *a = ask->a, *b = ask->b;
    for (int i = 0; i < 3; ++i) {
        if (!(a->owned[ta] >> (3 + i) & 1))
            continue;
        const uint32_t e = a->sides[3 * (size_t)ta + (size_t)i] >> 1, *p = a->edges + 2 * (size_t)e;
        for (int k = 0; k < 3; ++k) {
            if (!(b->owned[tb] >> (3 + k) & 1))
                continue;
            const uint32_t f = b->sides[3 * (size_t)tb + (size_t)k] >> 1, *q = b->edges + 2 * (size_t)f;
            if (ask->self && (p[0] == q[0] || p[0] == q[1] || p[1] == q[0] || p[1] == q[1]))
                continue;
            const bool turn = ask->self && f < e;
            const abut_deform_contact names = { .features = { ABUT_FEATURE_EDGE, ABUT_FEATURE_EDGE },
                                                .ids = { turn ? f : e, turn ? e : f } };
            if (!(turn ? test(ask, b, q, 2, a, p, 2, &names, false)
                       : test(ask, a, p, 2, b, q, 2, &names, false)))
                return false;
        }
    }
    return true;
}

static bool boxes_meet_at_start(const abut_deform *a, const uint32_t *p, const abut_deform *b,
                                const uint32_t *q)
{
    const double *x[3], *y[3];
    for (int i = 0; i < 3; ++i) {
        x[i] = &a->x[0][p[i]].x;
        y[i] = &b->x[0][q[i]].x;
    }
    for (int k = 0; k < 3; ++k) {
        double xl = x[0][k], xh = xl, yl = y[0][k], yh = yl;
        for (int i = 1; i < 3; ++i) {
            xl = x[i][k] < xl ? x[i][k] : xl;
            xh = x[i][k] > xh ? x[i][k] : xh;
            yl = y[i][k] < yl ? y[i][k] : yl;
            yh = y[i][k] > yh ? y[i][k] : yh;
        }
        const double slack = 1.5 * (a->blur[k] + b->blur[k]);
        if (xl > yh + slack || yl > xh + slack)
            return false;
    }
    return true;
}

static bool take_pair(void *ctx, uint32_t ta, uint32_t tb)
{
    abut_deform_ask *ask = ctx;
    const abut_deform *a = ask->a, *b = ask->b;
    if (ask->start &&
        boxes_meet_at_start(a, a->triangles + 3 * (size_t)ta, b, b->triangles + 3 * (size_t)tb)) {
        abut_meet meet;
        ask->status = abut_deform_cross_at(a, b, ta, tb, 0, &meet);
        if (ask->status)
            return false;
        if ((meet == ABUT_MEET_CROSS || meet == ABUT_MEET_TOUCH) &&
            !ask->take_crossing(ask->ctx, ta, tb, meet))
            return false;
        if (meet == ABUT_MEET_UNKNOWN) {
            if (ask->undecided++ == 0)
                ask->undecided_time = (abut_interval){ 0, 0 };
            ask->undecided_time.lo = 0;
        }
    }
    return !ask->features || (vertices_and_face(ask, a, ta, b, tb, false) &&
                              vertices_and_face(ask, b, tb, a, ta, true) && edges_and_edges(ask, ta, tb));
}

static ABUT_MATH_NOINLINE void run(abut_deform_ask *ask, bool curvature)
{
    abut_deform_walk walk = { .a = ask->a,
                              .b = ask->b,
                              .curvature = curvature,
                              .leaf = take_pair,
                              .ctx = ask,
                              .counters = ask->counters };
    abut_deform_run_walk(&walk);
}

abut_status abut_deform_run_ask(abut_deform_ask *ask, bool curvature)
{
    ask->self = ask->a == ask->b;
    ask->status = ABUT_OK;
    ask->undecided = ask->inexact = 0;
    const abut_nearest saved = abut_nearest_enter();
    run(ask, curvature);
    abut_nearest_leave(saved);
    return ask->status;
}
