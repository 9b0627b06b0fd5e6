/* SPDX-License-Identifier: MIT */
/* Meshes under motions of vertices at one instant. A mesh shape is made for the instant, and the
 * ordinary methods answer for it. Where its positions had to be rounded, what they say holds as far as
 * it is clear of the rounding; whether two meshes meet is then decided by exact signs on the true
 * positions, and of a mesh and another body by covers that are as much larger (narrow/cover). */
#include "ccd/deform/deform.h"

#include "base/sort.h"
#include "base/workspace.h"
#include "interval/ia.h"
#include "math/nearest.h"
#include "narrow/cover/pairs.h"
#include "narrow/ellipsoid/ellipsoid_place.h"
#include "shape/shape.h"

#include <math.h>
#include <string.h>

typedef struct instant {
    abut_deform_scene scene; /* of the one mesh, "self" */
    abut_shape *shape;
    double blur; /* no vertex is further off */
} instant;

static void close_instant(instant *i)
{
    abut_shape_release(i->shape);
    abut_deform_close(&i->scene);
}

/* A mesh that deforms, as it is at time t. */
static abut_status open_instant(instant *i, const abut_shape *mesh, const abut_motion *motion, double t)
{
    const abut_interval now = { t, t };
    *i = (instant){ .blur = 0 };
    abut_status status = abut_deform_open(&i->scene, mesh, motion, NULL, NULL, now, false);
    if (!status)
        status = abut_deform_place(&i->scene, now);
    if (status)
        return status;
    const abut_deform *m = i->scene.a.mesh;
    for (int k = 0; k < 3; ++k)
        i->blur += m->blur[k];
    return abut_shape_create_mesh(m->x[0], m->vertex_count, m->triangles, m->triangle_count, false, NULL,
                                  &i->shape, NULL);
}

abut_status abut_deform_image(const abut_motion *motion, const abut_shape *mesh, double t, abut_shape **out,
                              double *off)
{
    instant now;
    const abut_status status = open_instant(&now, mesh, motion, t);
    *out = status ? NULL : abut_shape_retain(now.shape);
    *off = now.blur * (1 + 0x1p-50);
    close_instant(&now);
    return status;
}

/* ---- do they meet? ---- */

typedef struct meeting {
    const abut_deform *a, *b;
    bool found, unknown;
    abut_deform_counters counters;
    abut_status status;
} meeting;

static bool examine(void *ctx, uint32_t ta, uint32_t tb)
{
    meeting *w = ctx;
    abut_meet meet;
    w->status = abut_deform_meet_at(w->a, w->b, ta, tb, 0, &w->counters, &meet);
    w->found = meet == ABUT_MEET_CROSS || meet == ABUT_MEET_TOUCH;
    w->unknown = w->unknown || meet == ABUT_MEET_UNKNOWN;
    return !w->status && !w->found;
}

static ABUT_MATH_NOINLINE void run_walk(abut_deform_walk *walk)
{
    abut_deform_run_walk(walk);
}

static abut_status find_meeting(const abut_shape *a, const abut_motion *motion_a, const abut_shape *b,
                                const abut_motion *motion_b, double t, abut_verdict *out, bool *exact)
{
    abut_deform_scene s;
    const abut_interval now = { t, t };
    *out = ABUT_UNDECIDED;
    abut_status status = abut_deform_open(&s, a, motion_a, b, motion_b, now, false);
    if (!status)
        status = abut_deform_place(&s, now);
    if (!status) {
        meeting w = { .a = s.a.mesh, .b = s.b.mesh };
        abut_deform_walk walk = {
            .a = s.a.mesh, .b = s.b.mesh, .leaf = examine, .ctx = &w, .counters = &w.counters
        };
        const abut_nearest saved = abut_nearest_enter();
        run_walk(&walk);
        abut_nearest_leave(saved);
        status = w.status;
        *out = w.found ? ABUT_TOUCHING : w.unknown ? ABUT_UNDECIDED : ABUT_SEPARATE;
        *exact = s.a.mesh->rational && s.b.mesh->rational;
    }
    abut_deform_close(&s);
    return status == ABUT_ERR_UNSUPPORTED ? ABUT_OK : status;
}

/* ---- the check ---- */

static ABUT_NOINLINE abut_interval widen_kernel(const abut_interval *x, double by)
{
    const ia r = ia_add(ia_from(*x), ia_make(-by, by));
    return (abut_interval){ fmax(ia_lo(r), 0), ia_hi(r) };
}

static abut_interval widen(abut_interval x, double by)
{
    const abut_rounding saved = abut_rounding_enter();
    const abut_interval r = widen_kernel(&x, by);
    abut_rounding_leave(saved);
    return r;
}

static void drop_contacts(abut_check_result *out)
{
    out->contact_count = 0;
    out->has_depth = false;
    out->depth = (abut_interval){ 0, 0 };
}

/* ---- a mesh and another body ---- */

static abut_status place(const abut_shape *shape, const abut_motion *motion, const instant *now, double t,
                         abut_shape *image, abut_place *at, const abut_shape **body)
{
    if (!now->shape)
        return abut_place_of(shape, motion, t, image, at, body);
    *body = now->shape;
    return abut_place_from_pose(NULL, true, at);
}

static ABUT_MATH_NOINLINE abut_status find_by_cover(const abut_shape *a, const abut_motion *motion_a,
                                                    const abut_shape *b, const abut_motion *motion_b,
                                                    const instant now[2], double t, abut_workspace *ws,
                                                    abut_check_result *out)
{
    abut_shape image[2];
    abut_place at[2];
    const abut_shape *body[2];
    const abut_ask ask = { .cutoff = INFINITY, .blur = now[0].blur + now[1].blur };
    abut_status status = place(a, motion_a, &now[0], t, &image[0], &at[0], &body[0]);
    if (!status)
        status = place(b, motion_b, &now[1], t, &image[1], &at[1], &body[1]);
    if (status || !abut_cover_takes(body[0]) || !abut_cover_takes(body[1]))
        return status;
    const abut_pair pair = { body[0], body[1], &at[0], &at[1], &ask };
    abut_check_result found = { .verdict = ABUT_UNDECIDED };
    status = abut_narrow_cover(&pair, ws, &found);
    if (!status && found.verdict != ABUT_UNDECIDED)
        *out = found;
    return status;
}

/* The answer is that of rounded positions, each within its `blur` of the true one. */
static abut_status correct(const abut_shape *a, const abut_motion *motion_a, const abut_shape *b,
                           const abut_motion *motion_b, double t, const instant now[2], abut_workspace *ws,
                           abut_check_result *out)
{
    const double blur = now[0].blur + now[1].blur;
    const abut_interval distance =
        out->verdict == ABUT_SEPARATE ? out->distance : (abut_interval){ 0, out->distance.hi };
    abut_verdict verdict = ABUT_UNDECIDED;
    bool exact = false;
    if (out->proof > ABUT_PROOF_INTERVAL)
        out->proof = ABUT_PROOF_INTERVAL;
    if (out->verdict == ABUT_SEPARATE && distance.lo > blur) {
        out->distance = widen(distance, blur);
        return ABUT_OK;
    }
    if (out->verdict == ABUT_PENETRATING && out->has_depth && out->depth.lo > blur) {
        out->depth = widen(out->depth, blur);
        return ABUT_OK;
    }
    const abut_status status = find_meeting(a, motion_a, b, motion_b, t, &verdict, &exact);
    if (status)
        return status;
    if (verdict == ABUT_UNDECIDED) {
        abut_check_result found = { .verdict = ABUT_UNDECIDED };
        const abut_nearest saved = abut_nearest_enter();
        const abut_status covered = find_by_cover(a, motion_a, b, motion_b, now, t, ws, &found);
        abut_nearest_leave(saved);
        if (covered)
            return covered;
        if (found.verdict != ABUT_UNDECIDED) {
            *out = found;
            return ABUT_OK;
        }
    }
    if (verdict == ABUT_TOUCHING) {
        out->distance = (abut_interval){ 0, 0 };
        out->has_depth = false;
    } else if (verdict == ABUT_SEPARATE) {
        const abut_interval near = widen(distance, blur);
        out->distance = (abut_interval){ fmax(near.lo, 0x1p-1074), near.hi };
        drop_contacts(out);
    } else {
        out->distance = widen(distance, blur);
        drop_contacts(out);
    }
    out->verdict = verdict;
    out->proof = verdict == ABUT_UNDECIDED ? ABUT_PROOF_NONE : exact ? ABUT_PROOF_EXACT : ABUT_PROOF_INTERVAL;
    out->stop = verdict == ABUT_UNDECIDED ? ABUT_STOP_TOLERANCE : ABUT_STOP_DONE;
    return ABUT_OK;
}

abut_status abut_deform_check_at(const abut_shape *a, const abut_motion *motion_a, const abut_shape *b,
                                 const abut_motion *motion_b, double t, const abut_check_opts *opts,
                                 abut_workspace *ws, abut_check_result *out)
{
    instant now[2] = { { .blur = 0 }, { .blur = 0 } };
    const bool deforms_a = abut_vertices_of(motion_a), deforms_b = abut_vertices_of(motion_b);
    abut_status status = deforms_a ? open_instant(&now[0], a, motion_a, t) : ABUT_OK;
    if (!status && deforms_b)
        status = open_instant(&now[1], b, motion_b, t);
    if (!status)
        status = abut_check_at(deforms_a ? now[0].shape : a, deforms_a ? NULL : motion_a,
                               deforms_b ? now[1].shape : b, deforms_b ? NULL : motion_b, t, opts, ws, out);
    if (!status && now[0].blur + now[1].blur > 0)
        status = correct(a, motion_a, b, motion_b, t, now, ws, out);
    close_instant(&now[0]);
    close_instant(&now[1]);
    if (status)
        *out = (abut_check_result){ .verdict = ABUT_UNDECIDED };
    return status;
}

/* ---- one mesh ---- */

typedef struct self_list {
    const abut_deform *m;
    const abut_contacts_opts *opts;
    abut_triangle_contact *items;
    size_t capacity;
    abut_contacts_result *out;
    abut_deform_counters counters;
    abut_status status;
} self_list;

static bool take_pair(void *ctx, uint32_t p, uint32_t q)
{
    self_list *w = ctx;
    abut_meet meet;
    const uint32_t ta = p < q ? p : q, tb = p < q ? q : p;
    w->status = abut_deform_meet_at(w->m, w->m, ta, tb, 0, &w->counters, &meet);
    if (w->status)
        return false;
    if (meet == ABUT_MEET_NONE)
        return true;
    const abut_triangle_contact contact = { .a = ta, .b = tb, .meet = meet };
    const size_t all = w->out->count + w->out->unknown;
    if (all < w->capacity)
        w->items[all] = contact;
    if (meet == ABUT_MEET_UNKNOWN)
        ++w->out->unknown;
    else
        ++w->out->count;
    if (w->opts->on_contacts && !w->opts->on_contacts(w->opts->on_contacts_ctx, &contact, 1)) {
        w->out->stop = ABUT_STOP_CANCELLED;
        return false;
    }
    return !(w->opts->any && meet != ABUT_MEET_UNKNOWN);
}

static bool pair_before(void *ctx, const void *x, const void *y)
{
    const abut_triangle_contact *p = x, *q = y;
    (void)ctx;
    return p->a != q->a ? p->a < q->a : p->b < q->b;
}

/* Positions that are no doubles: by the signs of the true ones. */
static abut_status list_rounded(abut_deform *m, const abut_contacts_opts *opts, abut_triangle_contact *items,
                                size_t capacity, abut_contacts_result *out)
{
    self_list w = { .m = m, .opts = opts, .items = items, .capacity = capacity, .out = out };
    abut_deform_walk walk = { .a = m, .b = m, .leaf = take_pair, .ctx = &w, .counters = &w.counters };
    *out = (abut_contacts_result){ .stop = ABUT_STOP_DONE };
    const abut_nearest saved = abut_nearest_enter();
    run_walk(&walk);
    abut_nearest_leave(saved);
    const size_t stored = out->count + out->unknown < capacity ? out->count + out->unknown : capacity;
    abut_base_sort(items, stored, sizeof *items, pair_before, NULL);
    out->verdict = out->count ? ABUT_TOUCHING : out->unknown ? ABUT_UNDECIDED : ABUT_SEPARATE;
    out->proof = out->verdict == ABUT_UNDECIDED ? ABUT_PROOF_NONE : ABUT_PROOF_EXACT;
    out->counters = (abut_mesh_counters){ .volume_tests = w.counters.volume_tests,
                                          .triangle_tests = w.counters.triangle_pairs,
                                          .exact = w.counters.exact };
    return w.status;
}

abut_status abut_self_contacts_at(const abut_shape *mesh, const abut_motion *motion, double t,
                                  const abut_contacts_opts *opts, abut_workspace *ws,
                                  abut_triangle_contact *contacts, size_t capacity, abut_contacts_result *out)
{
    if (!out)
        return ABUT_ERR_ARGUMENT;
    *out = (abut_contacts_result){ .stop = ABUT_STOP_DONE };
    if (!mesh || !isfinite(t) || (capacity > 0 && !contacts))
        return ABUT_ERR_ARGUMENT;
    if (!abut_vertices_of(motion))
        return abut_self_contacts(mesh, opts, ws, contacts, capacity, out);
    abut_contacts_opts known;
    abut_contacts_opts_init(&known);
    if (opts)
        memcpy(&known, opts, opts->struct_size < sizeof known ? opts->struct_size : sizeof known);
    instant now;
    abut_status status = open_instant(&now, mesh, abut_vertices_bare(motion), t);
    if (!status && now.blur > 0)
        status = list_rounded(now.scene.a.mesh, &known, contacts, capacity, out);
    else if (!status)
        status = abut_self_contacts(now.shape, opts, ws, contacts, capacity, out);
    close_instant(&now);
    if (status)
        *out = (abut_contacts_result){ .stop = ABUT_STOP_DONE };
    return status;
}
