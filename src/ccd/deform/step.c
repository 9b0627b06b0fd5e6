/* SPDX-License-Identifier: MIT */
/* The queries of a step: all contacts, the first one, what is near, what meets. */
#include "ccd/deform/deform.h"

#include "base/options.h"
#include "math/nearest.h"
#include "narrow/triangle/triangle.h"

#include <math.h>

void abut_deform_opts_init(abut_deform_opts *opts)
{
    if (opts)
        *opts = (abut_deform_opts){ .struct_size = sizeof *opts, .t_max = 1 };
}

static bool read_options(abut_deform_opts *known, const abut_deform_opts *given)
{
    abut_deform_opts_init(known);
    return abut_options_read(known, sizeof *known, given) && known->t_max >= 0 && known->t_max <= 1;
}

typedef struct gathering {
    const abut_deform_opts *opts;
    bool earliest, cancelled;
    abut_deform_contact *items;
    size_t capacity, stored;
    abut_deform_result *out;
} gathering;

/* Contacts that are later than the earliest for certain do not count. */
static void drop_late(gathering *g)
{
    size_t kept = 0;
    for (size_t i = 0; i < g->stored; ++i)
        if (g->items[i].time.lo <= g->out->time.hi)
            g->items[kept++] = g->items[i];
    g->stored = kept;
}

static bool take(void *ctx, const abut_impact_query *query, const abut_deform_contact *contact,
                 const abut_impact_result *result)
{
    (void)query;
    gathering *g = ctx;
    abut_deform_result *out = g->out;
    (void)result;
    if (g->earliest && out->count > 0 && contact->time.lo > out->time.hi)
        return true;
    if (out->count++ == 0)
        out->time = contact->time;
    out->time.lo = fmin(out->time.lo, contact->time.lo);
    out->time.hi = fmin(out->time.hi, contact->time.hi);
    if (g->earliest && g->stored == g->capacity)
        drop_late(g);
    if (g->stored < g->capacity)
        g->items[g->stored++] = *contact;
    if (g->opts->on_contact && !g->opts->on_contact(g->opts->on_contact_ctx, contact)) {
        g->cancelled = true;
        return false;
    }
    return true;
}

static bool take_crossing(void *ctx, uint32_t a, uint32_t b, abut_meet meet)
{
    gathering *g = ctx;
    (void)a;
    (void)b;
    g->out->crossings += meet == ABUT_MEET_CROSS;
    return true;
}

static abut_status find(abut_deform *a, abut_deform *b, const abut_deform_opts *opts, bool earliest,
                        abut_deform_contact *contacts, size_t capacity, abut_deform_result *out)
{
    abut_deform_opts known;
    if (!out)
        return ABUT_ERR_ARGUMENT;
    *out = (abut_deform_result){ .verdict = ABUT_FIRST_UNDECIDED };
    if (!a || (capacity > 0 && !contacts) || !read_options(&known, opts))
        return ABUT_ERR_ARGUMENT;
    gathering g = {
        .opts = &known, .earliest = earliest, .items = contacts, .capacity = capacity, .out = out
    };
    abut_deform_ask ask = { .a = a,
                            .b = b ? b : a,
                            .features = true,
                            .start = !known.no_start,
                            .t_max = known.t_max,
                            .earliest = earliest,
                            .counters = &out->counters,
                            .take = take,
                            .take_crossing = take_crossing,
                            .ctx = &g };
    abut_impact_opts_init(&ask.opts);
    ask.opts.allocator = &a->alloc;
    const abut_status status = abut_deform_run_ask(&ask, !known.no_curvature);
    if (status) {
        *out = (abut_deform_result){ .verdict = ABUT_FIRST_UNDECIDED };
        return status;
    }
    if (earliest) {
        drop_late(&g);
        if (out->count > g.stored && g.stored < capacity)
            out->count = g.stored;
    }
    out->verdict = out->crossings ? ABUT_FIRST_OVERLAPPING
                   : out->count   ? ABUT_FIRST_CONTACT
                                  : ABUT_FIRST_SEPARATE;
    out->proof = ABUT_PROOF_EXACT;
    out->stop = g.cancelled ? ABUT_STOP_CANCELLED : known.t_max < 1 ? ABUT_STOP_CUTOFF : ABUT_STOP_DONE;
    if (ask.undecided || (g.cancelled && !out->count && !out->crossings)) {
        out->verdict = ABUT_FIRST_UNDECIDED;
        out->proof = ABUT_PROOF_NONE;
    }
    return ABUT_OK;
}

abut_status abut_deform_contacts(abut_deform *a, abut_deform *b, const abut_deform_opts *opts,
                                 abut_deform_contact *contacts, size_t capacity, abut_deform_result *out)
{
    return find(a, b, opts, false, contacts, capacity, out);
}

abut_status abut_deform_first(abut_deform *a, abut_deform *b, const abut_deform_opts *opts,
                              abut_deform_contact *contacts, size_t capacity, abut_deform_result *out)
{
    return find(a, b, opts, true, contacts, capacity, out);
}

/* ---- triangles that meet at the start ---- */

/* No point of b is further from the origin. */
static abut_triangle_frame frame_of(const abut_deform *b)
{
    abut_triangle_frame frame;
    double size = 0;
    for (int k = 0; k < 3; ++k)
        size += fmax(fabs(b->nodes[0].lo[k]), fabs(b->nodes[0].hi[k]));
    abut_triangle_frame_identity(1.125 * size, &frame);
    return frame;
}

typedef struct meeting {
    abut_deform *a, *b;
    abut_triangle_frame frame;
    abut_triangle_contact *items;
    size_t capacity, unknown;
    abut_deform_result *out;
    abut_status status;
} meeting;

static bool share_vertex(const uint32_t *p, const uint32_t *q)
{
    for (int i = 0; i < 9; ++i)
        if (p[i / 3] == q[i % 3])
            return true;
    return false;
}

static bool take_meeting(void *ctx, uint32_t ta, uint32_t tb)
{
    meeting *w = ctx;
    const abut_deform *a = w->a, *b = w->b;
    const uint32_t *p = a->triangles + 3 * (size_t)ta, *q = b->triangles + 3 * (size_t)tb;
    if (a == b && share_vertex(p, q))
        return true;
    abut_meet meet;
    if (a->blur[0] + a->blur[1] + a->blur[2] + b->blur[0] + b->blur[1] + b->blur[2] == 0) {
        abut_vec3 x[3], y[3];
        for (int i = 0; i < 3; ++i) {
            x[i] = a->x[0][p[i]];
            y[i] = b->x[0][q[i]];
        }
        meet = abut_triangle_meet(&w->frame, x, y, &w->out->counters.exact);
    } else {
        w->status = abut_deform_meet_at(a, b, ta, tb, 0, &w->out->counters, &meet);
        if (w->status)
            return false;
    }
    if (meet == ABUT_MEET_NONE)
        return true;
    w->unknown += meet == ABUT_MEET_UNKNOWN;
    w->out->crossings += meet == ABUT_MEET_CROSS;
    if (w->out->count < w->capacity)
        w->items[w->out->count] = (abut_triangle_contact){ .a = a == b && tb < ta ? tb : ta,
                                                           .b = a == b && tb < ta ? ta : tb,
                                                           .meet = meet };
    ++w->out->count;
    return true;
}

static ABUT_MATH_NOINLINE void walk_meeting(abut_deform_walk *walk)
{
    abut_deform_run_walk(walk);
}

abut_status abut_deform_meeting(abut_deform *a, abut_deform *b, const abut_deform_opts *opts,
                                abut_triangle_contact *contacts, size_t capacity, abut_deform_result *out)
{
    abut_deform_opts known;
    if (!out)
        return ABUT_ERR_ARGUMENT;
    *out = (abut_deform_result){ .verdict = ABUT_FIRST_UNDECIDED };
    if (!a || (capacity > 0 && !contacts) || !read_options(&known, opts))
        return ABUT_ERR_ARGUMENT;
    meeting w = { .a = a,
                  .b = b ? b : a,
                  .frame = frame_of(b ? b : a),
                  .items = contacts,
                  .capacity = capacity,
                  .out = out };
    abut_deform_walk walk = { .a = w.a,
                              .b = w.b,
                              .curvature = !known.no_curvature,
                              .leaf = take_meeting,
                              .ctx = &w,
                              .counters = &out->counters };
    const abut_nearest saved = abut_nearest_enter();
    walk_meeting(&walk);
    abut_nearest_leave(saved);
    if (w.status) {
        *out = (abut_deform_result){ .verdict = ABUT_FIRST_UNDECIDED };
        return w.status;
    }
    out->verdict = out->crossings ? ABUT_FIRST_OVERLAPPING
                   : out->count   ? ABUT_FIRST_CONTACT
                                  : ABUT_FIRST_SEPARATE;
    out->proof = ABUT_PROOF_EXACT;
    if (w.unknown) {
        out->proof = ABUT_PROOF_NONE;
        out->verdict = out->count > w.unknown ? ABUT_FIRST_CONTACT : ABUT_FIRST_UNDECIDED;
    }
    return ABUT_OK;
}

/* ---- proximity ---- */

typedef struct nearness {
    const abut_deform *a, *b;
    bool self;
    abut_triangle_frame frame;
    double distance;
    abut_deform_near_pair *items;
    size_t capacity;
    abut_deform_near_result *out;
} nearness;

/* Vertices and edges as degenerate triangles. */
static void measure(nearness *w, const abut_vec3 p[3], const abut_vec3 q[3], abut_feature fa, uint32_t ia,
                    abut_feature fb, uint32_t ib, bool turn)
{
    abut_triangle_gap gap;
    ++w->out->counters.feature_tests;
    if (!abut_triangle_distance(&w->frame, p, q, w->distance, &gap) || gap.distance.lo >= w->distance)
        return;
    if (gap.distance.lo <= 0 &&
        abut_triangle_meet(&w->frame, p, q, &w->out->counters.exact) != ABUT_MEET_NONE)
        gap.distance = (abut_interval){ 0, 0 };
    w->out->unknown += gap.distance.hi >= w->distance;
    if (w->out->count < w->capacity)
        w->items[w->out->count] = (abut_deform_near_pair){ .distance = gap.distance,
                                                           .point_a = turn ? gap.y : gap.x,
                                                           .point_b = turn ? gap.x : gap.y,
                                                           .features = { turn ? fb : fa, turn ? fa : fb },
                                                           .ids = { turn ? ib : ia, turn ? ia : ib } };
    ++w->out->count;
}

static void near_vertices(nearness *w, const abut_deform *a, uint32_t ta, const abut_deform *b, uint32_t tb,
                          bool turn)
{
    const uint32_t *p = a->triangles + 3 * (size_t)ta, *q = b->triangles + 3 * (size_t)tb;
    const abut_vec3 face[3] = { b->x[0][q[0]], b->x[0][q[1]], b->x[0][q[2]] };
    for (int i = 0; i < 3; ++i) {
        if (!(a->owned[ta] >> i & 1) || (w->self && (p[i] == q[0] || p[i] == q[1] || p[i] == q[2])))
            continue;
        const abut_vec3 x = a->x[0][p[i]], vertex[3] = { x, x, x };
        measure(w, vertex, face, ABUT_FEATURE_VERTEX, p[i], ABUT_FEATURE_FACE, tb, turn && !w->self);
    }
}

static bool take_near(void *ctx, uint32_t ta, uint32_t tb)
{
    nearness *w = ctx;
    const abut_deform *a = w->a, *b = w->b;
    near_vertices(w, a, ta, b, tb, false);
    near_vertices(w, b, tb, a, ta, true);
    for (int i = 0; i < 9; ++i) {
        if (!(a->owned[ta] >> (3 + i / 3) & 1) || !(b->owned[tb] >> (3 + i % 3) & 1))
            continue;
        const uint32_t e = a->sides[3 * (size_t)ta + (size_t)(i / 3)] >> 1,
                       f = b->sides[3 * (size_t)tb + (size_t)(i % 3)] >> 1;
        const uint32_t *p = a->edges + 2 * (size_t)e, *q = b->edges + 2 * (size_t)f;
        if (w->self && (p[0] == q[0] || p[0] == q[1] || p[1] == q[0] || p[1] == q[1]))
            continue;
        const abut_vec3 x[3] = { a->x[0][p[0]], a->x[0][p[1]], a->x[0][p[1]] },
                        y[3] = { b->x[0][q[0]], b->x[0][q[1]], b->x[0][q[1]] };
        measure(w, x, y, ABUT_FEATURE_EDGE, e, ABUT_FEATURE_EDGE, f, w->self && f < e);
    }
    return true;
}

abut_status abut_deform_near(abut_deform *a, abut_deform *b, double distance, abut_deform_near_pair *pairs,
                             size_t capacity, abut_deform_near_result *out)
{
    if (!out)
        return ABUT_ERR_ARGUMENT;
    *out = (abut_deform_near_result){ 0 };
    if (!a || (capacity > 0 && !pairs) || !(distance > 0))
        return ABUT_ERR_ARGUMENT;
    nearness w = { .a = a,
                   .b = b ? b : a,
                   .self = !b || b == a,
                   .frame = frame_of(b ? b : a),
                   .distance = distance,
                   .items = pairs,
                   .capacity = capacity,
                   .out = out };
    /* The sums with reach are rounded: a little more is within reach. */
    abut_deform_walk walk = {
        .a = a, .b = b ? b : a, .reach = distance, .leaf = take_near, .ctx = &w, .counters = &out->counters
    };
    const abut_nearest saved = abut_nearest_enter();
    walk_meeting(&walk);
    abut_nearest_leave(saved);
    return ABUT_OK;
}
