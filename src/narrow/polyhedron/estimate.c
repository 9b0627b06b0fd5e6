/* SPDX-License-Identifier: MIT */
/* When two solids met between a placement in which they are apart and one in which they penetrate: the
 * estimate of Vanecek's section 3, for callers who step.
 *
 * Every vertex of one that is inside the other at the later time is pulled back along the line, in the
 * other's frame, to where it was at the earlier time; the length of that line which is inside tells when it
 * came in, if it moved evenly. The least of these times is the estimate. Where the solids still penetrate
 * then, because edges meet, the interval before it is halved, with placements between the two. */
#include "math/nearest.h"
#include "narrow/mesh/mesh_point.h"
#include "narrow/polyhedron/touch.h"

typedef struct first_inside {
    bool seen;
    double length; /* of the part from the start that is inside, over the whole */
} first_inside;

static void take_piece(void *ctx, const abut_piece *p)
{
    first_inside *f = ctx;
    if (!f->seen)
        f->length = p->where == ABUT_WHERE_IN ? p->to : 0;
    f->seen = true;
}

typedef struct stage {
    const abut_shape *shape[2];
    const abut_pose *before[2], *after[2];
    abut_interval time;
    const abut_allocator *alloc;
} stage;

/* A point of one solid in the frame of the other. */
static abut_vec3 seen_from(const abut_pose *own, const abut_pose *other, abut_vec3 p)
{
    const abut_mat3 r = abut_quat_to_mat3(abut_quat_normalize(own->rotation)),
                    s = abut_quat_to_mat3(abut_quat_normalize(other->rotation));
    const abut_vec3 world = abut_add(abut_mul(&r, p), own->position);
    return abut_mul_t(&s, abut_sub(world, other->position));
}

/* The earliest time at which a vertex came in; false when memory is out. */
static bool pull_back(const stage *s, int side, abut_touch_estimate_result *out)
{
    const abut_faceted_data *mesh = &s->shape[side]->u.faceted;
    const abut_shape *other = s->shape[!side];
    abut_mesh_counters counters = { 0 };
    for (uint32_t v = 0; v < mesh->vertex_count; ++v) {
        if (mesh->weld[v] != v)
            continue;
        const abut_vec3 now = seen_from(s->after[side], s->after[!side], mesh->vertices[v]);
        abut_mesh_spot spot;
        abut_mesh_where(other, now, &counters, &spot);
        if (spot.where != ABUT_WHERE_IN)
            continue;
        ++out->vertices_inside;
        const abut_vec3 then = seen_from(s->before[side], s->before[!side], mesh->vertices[v]);
        first_inside f = { .seen = false };
        if (!abut_polyhedron_segment(other, now, then, s->alloc, take_piece, &f))
            return false;
        const double at = s->time.hi - f.length * (s->time.hi - s->time.lo);
        if (at < out->time) {
            out->time = at;
            out->by_vertex = true;
            out->vertex = v;
            out->side = side;
        }
    }
    return true;
}

static abut_pose between(const abut_pose *p, const abut_pose *q, double s)
{
    abut_quat to = q->rotation;
    if (abut_quat_dot(p->rotation, to) < 0)
        to = (abut_quat){ -to.w, -to.x, -to.y, -to.z };
    const abut_quat r = { (1 - s) * p->rotation.w + s * to.w, (1 - s) * p->rotation.x + s * to.x,
                          (1 - s) * p->rotation.y + s * to.y, (1 - s) * p->rotation.z + s * to.z };
    return (abut_pose){ abut_add(abut_scale(1 - s, p->position), abut_scale(s, q->position)), r };
}

static abut_status verdict_at(const stage *s, double t, abut_workspace *ws, abut_verdict *out)
{
    const double part = (t - s->time.lo) / (s->time.hi - s->time.lo);
    abut_place place[2];
    for (int i = 0; i < 2; ++i) {
        const abut_pose pose = between(s->before[i], s->after[i], part);
        const abut_status status = abut_place_from_pose(&pose, true, &place[i]);
        if (status)
            return status;
    }
    const abut_ask ask = { .want = ABUT_WANT_VERDICT };
    const abut_pair pair = { s->shape[0], s->shape[1], &place[0], &place[1], &ask };
    abut_check_result check = { .verdict = ABUT_UNDECIDED };
    const abut_status status = abut_narrow_meshes(&pair, ws, &check);
    *out = check.verdict;
    return status;
}

enum { HALVINGS = 40 };

static ABUT_MATH_NOINLINE abut_status estimate(const stage *s, abut_workspace *ws,
                                               abut_touch_estimate_result *out)
{
    if (!pull_back(s, 0, out) || !pull_back(s, 1, out))
        return ABUT_ERR_MEMORY;
    abut_verdict verdict;
    abut_status status = verdict_at(s, out->time, ws, &verdict);
    double lo = s->time.lo, hi = out->time;
    for (int i = 0; i < HALVINGS && !status && verdict == ABUT_PENETRATING; ++i) {
        const double mid = 0.5 * lo + 0.5 * hi;
        abut_verdict there;
        status = verdict_at(s, mid, ws, &there);
        if (there == ABUT_PENETRATING)
            hi = mid;
        else
            lo = mid;
        out->time = hi;
        out->by_vertex = false;
    }
    return status;
}

static bool is_solid(const abut_shape *shape)
{
    return abut_shape_has_triangles(shape->type) && shape->u.faceted.solid;
}

abut_status abut_touch_estimate(const abut_shape *a, const abut_pose before_after_a[2], const abut_shape *b,
                                const abut_pose before_after_b[2], abut_interval time, abut_workspace *ws,
                                abut_touch_estimate_result *out)
{
    static const abut_pose still[2] = { { { 0, 0, 0 }, { 1, 0, 0, 0 } }, { { 0, 0, 0 }, { 1, 0, 0, 0 } } };
    if (!a || !b || !out || !(time.lo < time.hi) || !isfinite(time.lo) || !isfinite(time.hi))
        return ABUT_ERR_ARGUMENT;
    *out = (abut_touch_estimate_result){ .time = time.hi };
    if (!is_solid(a) || !is_solid(b))
        return ABUT_ERR_UNSUPPORTED;
    const abut_pose *at_a = before_after_a ? before_after_a : still,
                    *at_b = before_after_b ? before_after_b : still;
    const stage s = { .shape = { a, b },
                      .before = { &at_a[0], &at_b[0] },
                      .after = { &at_a[1], &at_b[1] },
                      .time = time,
                      .alloc = ws ? &ws->alloc : NULL };
    const abut_nearest saved = abut_nearest_enter();
    const abut_status status = estimate(&s, ws, out);
    abut_nearest_leave(saved);
    return status;
}
