/* SPDX-License-Identifier: MIT */
/* The first contact of meshes under motions of vertices, piece by piece.
 *
 * Contact begins where features meet: two triangles that have a point in common, but no vertex on a
 * face and no edges that meet, pass through each other, and do so a little earlier and later too. So the
 * first contact is that of two features, unless triangles cross at the start. At the start a touch counts
 * if it lasts, or if triangles cross right after it: the next time at which features meet ends a
 * stretch without change, and one time in it tells. */
#include "ccd/deform/deform.h"

#include "base/memory.h"
#include "base/options.h"
#include "base/sort.h"
#include "narrow/triangle/triangle.h"

#include <math.h>

enum { STRETCHES = 16, CROSSINGS = 8 };

typedef struct search {
    abut_deform_scene scene;
    abut_deform_ask ask;
    const abut_first_opts *opts;
    abut_interval range;
    abut_deform_counters counters;
    ABUT_ARRAY(abut_first_point) points;
    bool found; /* a contact; `time` is the earliest */
    abut_interval time;
    /* at the start of the first piece */
    bool stays;         /* a touch lasts, or becomes a crossing */
    abut_interval next; /* time of the next contact after it, in the piece; lo > 1: none */
    size_t crossing_count;
    bool crosses; /* the first of them do; otherwise they are segments that pass through triangles */
    uint32_t crossings[CROSSINGS][2];
    abut_contact_interval stretches[STRETCHES];
    bool no_memory;
} search;

/* ---- contacts ---- */

static bool keep(search *s, const abut_deform_contact *c, const abut_impact_result *r, abut_interval time)
{
    const abut_first_point point = { .time = time,
                                     .point = c->point,
                                     .normal = c->normal,
                                     .kind = r->coplanar ? ABUT_CONTACT_SAMPLED : ABUT_CONTACT_ISOLATED,
                                     .unique = !r->coplanar,
                                     .features = { c->features[0], c->features[1] },
                                     .has_ids = true,
                                     .ids = { c->ids[0], c->ids[1] } };
    if (s->found && time.lo > s->time.hi + s->opts->simultaneity)
        return true;
    if (!s->found)
        s->time = time;
    s->found = true;
    s->time.lo = fmin(s->time.lo, time.lo);
    s->time.hi = fmin(s->time.hi, time.hi);
    s->no_memory = !ABUT_ARRAY_PUSH(&s->scene.alloc, &s->points, point);
    return !s->no_memory;
}

static bool take(void *ctx, const abut_impact_query *query, const abut_deform_contact *c,
                 const abut_impact_result *r)
{
    (void)query;
    search *s = ctx;
    return keep(s, c, r, abut_deform_time(&s->scene, r->time));
}

/* How long a contact at the start lasts, and what comes next. */
static bool take_stretches(void *ctx, const abut_impact_query *query, const abut_deform_contact *c,
                           const abut_impact_result *r)
{
    (void)query;
    search *s = ctx;
    (void)c;
    for (size_t i = 0; i < r->interval_count && i < STRETCHES; ++i) {
        const abut_contact_interval *x = &s->stretches[i];
        if (x->enter.hi <= 0) {
            s->stays = s->stays || x->exit.hi > 0;
        } else if (x->enter.lo < s->next.lo) {
            s->next = x->enter;
        }
    }
    return true;
}

static bool take_late(void *ctx, const abut_impact_query *query, const abut_deform_contact *c,
                      const abut_impact_result *r)
{
    search *s = ctx;
    for (size_t i = 0; i < r->interval_count && i < STRETCHES; ++i) {
        const abut_contact_interval *x = &s->stretches[i];
        if (x->enter.hi <= 0)
            continue;
        abut_deform_contact then = *c; /* which tells where the first contact is */
        abut_impact_result at = *r;
        at.time = x->enter;
        abut_impact_place(query, &at);
        then.point = at.point;
        then.normal = c->features[0] == ABUT_FEATURE_FACE
                          ? (abut_vec3){ -at.normal.x, -at.normal.y, -at.normal.z }
                          : at.normal;
        return keep(s, &then, r, abut_deform_time(&s->scene, x->enter));
    }
    return true;
}

static bool take_crossing(void *ctx, uint32_t a, uint32_t b, abut_meet meet)
{
    search *s = ctx;
    const bool proper = meet == ABUT_MEET_CROSS;
    if (s->crosses && !proper)
        return true;
    if (proper && !s->crosses)
        s->crossing_count = 0;
    s->crosses = proper;
    if (s->crossing_count < CROSSINGS) {
        s->crossings[s->crossing_count][0] = a;
        s->crossings[s->crossing_count][1] = b;
    }
    ++s->crossing_count;
    return true;
}

/* ---- pieces ---- */

static void begin_ask(search *s, bool first)
{
    const double length = s->scene.piece.hi - s->scene.piece.lo;
    s->ask = (abut_deform_ask){ .a = s->scene.a.mesh,
                                .b = abut_deform_other(&s->scene),
                                .features = true,
                                .start = first,
                                .t_max = 1,
                                .earliest = true,
                                .slack = s->opts->simultaneity / length,
                                .counters = &s->counters,
                                .take = take,
                                .take_crossing = take_crossing,
                                .ctx = s };
    abut_impact_opts_init(&s->ask.opts);
}

static abut_status run_ask(search *s)
{
    const abut_status status = abut_deform_run_ask(&s->ask, true);
    return status ? status : s->no_memory ? ABUT_ERR_MEMORY : ABUT_OK;
}

/* Does the touch at the start count? If not, the contacts after it are searched for. */
static abut_status decide_start(search *s)
{
    s->next = (abut_interval){ 2, 2 };
    begin_ask(s, false);
    s->ask.earliest = false;
    s->ask.stretches = true;
    s->ask.opts.intervals = s->stretches;
    s->ask.opts.interval_capacity = STRETCHES;
    s->ask.take = take_stretches;
    abut_status status = run_ask(s);
    if (status || s->stays || s->ask.undecided)
        return status;
    int crossing = 0;
    const double gap = s->next.lo < 1 ? s->next.lo : 1;
    status = abut_deform_crossing_at(&s->scene, 0.5 * gap, &crossing);
    if (status || crossing > 0) {
        s->stays = true;
        return status;
    }
    if (crossing < 0) {
        s->ask.undecided = 1;
        return ABUT_OK;
    }
    s->points.count = 0;
    s->found = false;
    s->ask.take = take_late;
    return run_ask(s);
}

static bool point_before(void *ctx, const void *x, const void *y)
{
    const abut_first_point *p = x, *q = y;
    (void)ctx;
    if (p->time.lo != q->time.lo)
        return p->time.lo < q->time.lo;
    for (int i = 0; i < 2; ++i) {
        if (p->features[i] != q->features[i])
            return p->features[i] < q->features[i];
        if (p->ids[i] != q->ids[i])
            return p->ids[i] < q->ids[i];
    }
    return false;
}

static void hand_out(search *s, abut_first_result *out)
{
    size_t kept = 0;
    for (size_t i = 0; i < s->points.count; ++i)
        if (s->points.items[i].time.lo <= s->time.hi + s->opts->simultaneity)
            s->points.items[kept++] = s->points.items[i];
    s->points.count = kept;
    abut_base_sort(s->points.items, kept, sizeof *s->points.items, point_before, NULL);
    out->point_count = kept;
    for (size_t i = 0; i < kept && i < ABUT_FIRST_CONTACTS; ++i)
        out->points[i] = s->points.items[i];
    for (size_t i = 0; i < kept && s->opts->on_point; ++i)
        s->opts->on_point(s->opts->on_point_ctx, &s->points.items[i]);
}

static abut_vec3 middle_of(abut_vec3 p, abut_vec3 q)
{
    return (abut_vec3){ 0.5 * p.x + 0.5 * q.x, 0.5 * p.y + 0.5 * q.y, 0.5 * p.z + 0.5 * q.z };
}

static abut_vec3 normal_of(const abut_vec3 t[3])
{
    const abut_vec3 u = { t[1].x - t[0].x, t[1].y - t[0].y, t[1].z - t[0].z },
                    v = { t[2].x - t[0].x, t[2].y - t[0].y, t[2].z - t[0].z };
    const double size =
        fmax(fmax(fabs(u.x), fabs(u.y)), fmax(fabs(u.z), fmax(fabs(v.x), fmax(fabs(v.y), fabs(v.z)))));
    const double ux = u.x / size, uy = u.y / size, uz = u.z / size, vx = v.x / size, vy = v.y / size,
                 vz = v.z / size;
    const abut_vec3 n = { uy * vz - uz * vy, uz * vx - ux * vz, ux * vy - uy * vx };
    const double length = sqrt(n.x * n.x + n.y * n.y + n.z * n.z);
    return length > 0 ? (abut_vec3){ n.x / length, n.y / length, n.z / length } : (abut_vec3){ 1, 0, 0 };
}

/* Where triangles cross at the start, rounded; segments through triangles alike. */
static void hand_out_crossings(search *s, abut_first_result *out)
{
    const abut_deform *a = s->scene.a.mesh, *b = abut_deform_other(&s->scene);
    abut_triangle_frame frame;
    double size = 0;
    for (int k = 0; k < 3; ++k)
        size += fmax(fabs(b->nodes[0].lo[k]), fabs(b->nodes[0].hi[k]));
    abut_triangle_frame_identity(1.125 * size, &frame);
    s->points.count = 0;
    s->time = (abut_interval){ s->range.lo, s->range.lo };
    for (size_t i = 0; i < s->crossing_count && i < CROSSINGS && !s->no_memory; ++i) {
        const uint32_t ta = s->crossings[i][0], tb = s->crossings[i][1];
        abut_vec3 x[3], y[3], from, to;
        for (int k = 0; k < 3; ++k) {
            x[k] = a->x[0][a->triangles[3 * (size_t)ta + (size_t)k]];
            y[k] = b->x[0][b->triangles[3 * (size_t)tb + (size_t)k]];
        }
        abut_triangle_cut(&frame, x, y, s->crosses ? ABUT_MEET_CROSS : ABUT_MEET_TOUCH, &from, &to);
        const abut_first_point point = { .time = s->time,
                                         .point = middle_of(from, to),
                                         .normal = normal_of(x),
                                         .kind = ABUT_CONTACT_SAMPLED,
                                         .features = { ABUT_FEATURE_FACE, ABUT_FEATURE_FACE },
                                         .has_ids = true,
                                         .ids = { s->scene.self && tb < ta ? tb : ta,
                                                  s->scene.self && tb < ta ? ta : tb } };
        s->no_memory = !ABUT_ARRAY_PUSH(&s->scene.alloc, &s->points, point);
    }
    hand_out(s, out);
}

static abut_status report_progress(const search *s, double t)
{
    if (!s->opts->progress)
        return ABUT_OK;
    const double f = (t - s->range.lo) / (s->range.hi - s->range.lo);
    return s->opts->progress(s->opts->progress_ctx, f) ? ABUT_OK : ABUT_ERR_CANCELLED;
}

static abut_status run(search *s, abut_first_result *out)
{
    double t = s->range.lo;
    bool inexact = false;
    out->verdict = ABUT_FIRST_SEPARATE;
    for (bool first = true; t < s->range.hi; first = false) {
        const double next = abut_deform_next(&s->scene, t, s->range.hi);
        abut_status status = report_progress(s, t);
        if (!status)
            status = abut_deform_place(&s->scene, (abut_interval){ t, next });
        if (status)
            return status;
        begin_ask(s, first);
        status = run_ask(s);
        if (status)
            return status;
        inexact = inexact || s->ask.inexact;
        size_t undecided = s->ask.undecided;
        abut_interval doubt = s->ask.undecided_time;
        if (first && s->crossing_count) {
            out->verdict = s->crosses ? ABUT_FIRST_OVERLAPPING : ABUT_FIRST_CONTACT;
            out->proof = inexact ? ABUT_PROOF_INTERVAL : ABUT_PROOF_EXACT;
            out->time = (abut_interval){ t, t };
            hand_out_crossings(s, out);
            return s->no_memory ? ABUT_ERR_MEMORY : ABUT_OK;
        }
        if (first && !undecided && s->found && s->time.hi <= t) {
            status = decide_start(s);
            if (status)
                return status;
            undecided = s->ask.undecided;
            doubt = (abut_interval){ 0, 0 };
        }
        if (undecided) {
            const abut_interval when = abut_deform_time(&s->scene, doubt);
            /* A contact that is proved to be before all that is open is the answer. */
            if (!s->found || when.lo <= s->time.hi) {
                out->verdict = ABUT_FIRST_UNDECIDED;
                out->proof = ABUT_PROOF_NONE;
                out->stop = ABUT_STOP_TOLERANCE;
                out->time = (abut_interval){ s->found ? fmin(when.lo, s->time.lo) : when.lo, next };
                return ABUT_OK;
            }
        }
        if (s->found && !(s->time.hi + s->opts->simultaneity >= next))
            break;
        t = next;
    }
    out->proof = inexact ? ABUT_PROOF_INTERVAL : ABUT_PROOF_EXACT;
    if (s->found) {
        out->verdict = ABUT_FIRST_CONTACT;
        out->time = s->time;
        hand_out(s, out);
    }
    return ABUT_OK;
}

static abut_status find_first(const abut_shape *a, const abut_motion *motion_a, const abut_shape *b,
                              const abut_motion *motion_b, const abut_first_opts *opts, abut_interval range,
                              bool solids, abut_first_result *out)
{
    search s = { .opts = opts, .range = range };
    if (opts->method != ABUT_METHOD_AUTO)
        return ABUT_ERR_UNSUPPORTED;
    abut_status status = abut_deform_open(&s.scene, a, motion_a, b, motion_b, range, solids);
    if (!status)
        status = run(&s, out);
    out->counters = (abut_counters){ .iterations = s.counters.triangle_pairs,
                                     .evaluations = s.counters.feature_tests,
                                     .exact = s.counters.exact };
    ABUT_ARRAY_FREE(&s.scene.alloc, &s.points);
    abut_deform_close(&s.scene);
    return status;
}

abut_status abut_deform_first_contact(const abut_shape *a, const abut_motion *motion_a, const abut_shape *b,
                                      const abut_motion *motion_b, const abut_first_opts *opts,
                                      abut_interval range, bool solids, abut_first_result *out)
{
    return find_first(a, motion_a, b, motion_b, opts, range, solids, out);
}

abut_status abut_self_first_contact(const abut_shape *mesh, const abut_motion *motion,
                                    const abut_first_opts *opts, abut_workspace *ws, abut_first_result *out)
{
    abut_first_opts known;
    (void)ws;
    abut_first_opts_init(&known);
    if (!out)
        return ABUT_ERR_ARGUMENT;
    *out = (abut_first_result){ .verdict = ABUT_FIRST_UNDECIDED };
    if (!mesh || !abut_options_read(&known, sizeof known, opts))
        return ABUT_ERR_ARGUMENT;
    abut_interval range = known.time;
    if (isnan(range.lo) && isnan(range.hi)) {
        range = motion ? abut_motion_get_range(motion) : (abut_interval){ 0, 1 };
        if (isinf(range.lo) || isinf(range.hi))
            range = (abut_interval){ 0, 1 };
    }
    if (!(range.lo < range.hi) || isinf(range.lo) || isinf(range.hi) || !(known.simultaneity >= 0))
        return ABUT_ERR_ARGUMENT;
    /* A mesh that moves as a whole is at rest for itself; points are then in its own frame. */
    const abut_status status =
        find_first(mesh, abut_vertices_bare(motion), NULL, NULL, &known, range, false, out);
    if (status)
        *out = (abut_first_result){ .verdict = ABUT_FIRST_UNDECIDED };
    return status;
}
