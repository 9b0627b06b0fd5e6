/* SPDX-License-Identifier: MIT */
/* Bodies that translate, by a cast from the doubles kept with their motions; see quick_first.h and
 * linear_cast.h.
 *
 * u = 2^-53. The origin of a body at the start of the query, from + (t - t0) rate, is off by 2 u
 * |from| (its sum) and by 16 u of the way since (the time since t0, the rate, or the fraction
 * that is meant by it, product and sum). */
#include "ccd/quick_first.h"
#include "ccd/ellipsoid/moving_ball.h"

#include "ccd/cast/linear_cast.h"
#include "narrow/distance/cylinders.h"

#include <stddef.h>

static const double u = 0x1p-53;

static const abut_mat3 identity = { { { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 } } };

typedef struct start {
    const abut_mat3 *r;
    abut_vec3 c, v;
    double turn, shift, drift;
} start;

static inline bool find_start(const abut_motion *motion, const abut_core *core, double lo, double hi,
                              start *out)
{
    const bool round = core->kind == ABUT_CORE_POINT;
    if (!motion) {
        *out = (start){ .r = &identity };
        return true;
    }
    const abut_motion_track *track = &motion->track;
    if (!track->straight || (track->turns && !round) || !(motion->t0 <= lo && hi <= motion->t1))
        return false;
    out->r = round ? &identity : &track->r;
    out->turn = round ? 0 : track->turn;
    out->c = track->from;
    out->v = track->rate;
    out->drift = track->rate_error;
    out->shift = 0;
    if (lo > motion->t0 && track->rate_size > 0) {
        const double since = lo - motion->t0;
        out->c = abut_madd(track->from, since, track->rate);
        out->shift = u * (2 * track->from_size + 16 * since * track->rate_size) + 0x1p-1060;
    }
    return true;
}

/* As abut_instant_pair. */
static inline void make_pair(const abut_core *a, const start *pa, const abut_core *b, const start *pb,
                             abut_linear_cast *cast)
{
    abut_convex_pair *out = &cast->pair;
    const abut_vec3 d = abut_sub(pb->c, pa->c);
    const double length = sqrt(abut_dot(d, d));
    const double(*ra)[3] = pa->r->m, (*rb)[3] = pb->r->m;
    out->a = a;
    out->b = b;
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j)
            out->r.m[i][j] = ra[0][i] * rb[0][j] + ra[1][i] * rb[1][j] + ra[2][i] * rb[2][j];
    out->t = abut_mul_t(pa->r, d);
    out->radii = a->radius + b->radius;
    cast->turns = pa->turn + pb->turn;
    out->error = pa->shift + pb->shift + pa->turn * length + cast->turns * b->size +
                 u * (20 * length + 12 * a->size + 36 * b->size + out->radii) + a->error + b->error;
    cast->v = abut_mul_t(pa->r, abut_sub(pb->v, pa->v));
}

/* Cylinders and cones: all that counts of a rotation is the axis, so that nothing need be
 * turned. d is off by u of itself, with room for what follows. */
static inline void make_cylinders(const abut_core *a, const start *pa, const abut_core *b, const start *pb,
                                  abut_linear_cast *cast, abut_vec3 axis[2])
{
    const double(*ra)[3] = pa->r->m, (*rb)[3] = pb->r->m;
    const abut_vec3 d = abut_sub(pb->c, pa->c);
    axis[0] = abut_v3(ra[0][2], ra[1][2], ra[2][2]);
    axis[1] = abut_v3(rb[0][2], rb[1][2], rb[2][2]);
    cast->pair.t = d;
    cast->pair.error = pa->shift + pb->shift + pa->turn * a->size + pb->turn * b->size +
                       2 * u * (fabs(d.x) + fabs(d.y) + fabs(d.z));
    cast->v = abut_sub(pb->v, pa->v);
    cast->turns = pa->turn + pb->turn;
}

static inline void answer(abut_first_result *out, abut_first_verdict verdict, uint32_t evaluations)
{
    out->verdict = verdict;
    out->proof = ABUT_PROOF_INTERVAL;
    out->stop = ABUT_STOP_DONE;
    out->time = (abut_interval){ 0, 0 };
    out->point_count = 0;
    out->counters = (abut_counters){ .iterations = 1, .evaluations = evaluations };
}

static inline bool find_range(const abut_motion *ma, const abut_motion *mb, const abut_interval *time,
                              double *lo, double *hi)
{
    *lo = time->lo;
    *hi = time->hi;
    if (isnan(*lo) && isnan(*hi)) {
        const double a0 = ma ? ma->t0 : -INFINITY, b0 = mb ? mb->t0 : -INFINITY;
        const double a1 = ma ? ma->t1 : INFINITY, b1 = mb ? mb->t1 : INFINITY;
        *lo = a0 > b0 ? a0 : b0;
        *hi = a1 < b1 ? a1 : b1;
    }
    return *lo < *hi && !isinf(*lo) && !isinf(*hi);
}

/* Of many bodies, most lie in no near cache: all that is read of one at once. */
static inline void fetch(const abut_shape *shape, const abut_motion *motion)
{
    const char *s = (const char *)&shape->core;
    __builtin_prefetch(s);
    __builtin_prefetch(s + sizeof shape->core - 1);
    if (motion) {
        const char *const m = (const char *)&motion->type;
        __builtin_prefetch(m);
        __builtin_prefetch(m + 64);
        __builtin_prefetch(m + 128);
        __builtin_prefetch((const char *)(&motion->track + 1) - 1);
    }
}

/* The vertices of a small hull, as they are examined: cast_hulls.c. */
static inline void fetch_vertices(const abut_core *core)
{
    if (core->kind != ABUT_CORE_HULL || !core->hull->floats)
        return;
    const char *const f = (const char *)core->hull->floats;
    for (size_t i = 0; i < 3 * ABUT_HULL_BLOCK * sizeof(float); i += 64)
        __builtin_prefetch(f + i);
}

static inline double along_axis(const abut_mat3 *r, abut_vec3 n)
{
    return r->m[0][2] * n.x + r->m[1][2] * n.y + r->m[2][2] * n.z;
}

bool abut_quick_first(const abut_shape *a, const abut_motion *motion_a, const abut_shape *b,
                      const abut_motion *motion_b, const abut_interval *time, abut_first_result *out)
{
    const abut_core *ca = &a->core, *cb = &b->core;
    start pa, pb;
    abut_linear_cast cast;
    fetch(a, motion_a);
    fetch(b, motion_b);
    cast.pair.a = ca;
    cast.pair.b = cb;
    cast.pair.radii = ca->radius + cb->radius;
    const bool rims = abut_cylinders_knows(&cast.pair) && !(cast.pair.radii > 0);
    /* What users' functions answer is examined in the end: they go the other way. */
    if (ca->kind == ABUT_CORE_NONE || cb->kind == ABUT_CORE_NONE || ca->kind == ABUT_CORE_USER ||
        cb->kind == ABUT_CORE_USER || !(rims || abut_linear_cast_is_fast(&cast.pair)) ||
        !find_range(motion_a, motion_b, time, &cast.lo, &cast.hi) ||
        !find_start(motion_a, ca, cast.lo, cast.hi, &pa) || !find_start(motion_b, cb, cast.lo, cast.hi, &pb))
        return false;
    if (ca->kind == ABUT_CORE_POINT && cb->kind == ABUT_CORE_POINT)
        return a->type == ABUT_SHAPE_SPHERE && b->type == ABUT_SHAPE_SPHERE &&
               abut_moving_quick_balls(a, motion_a, b, motion_b, cast.lo, cast.hi, out);
    abut_linear_cast_hit hit;
    abut_linear_cast_end end;
    if (rims) {
        abut_vec3 axis[2];
        make_cylinders(ca, &pa, cb, &pb, &cast, axis);
        if (!abut_linear_cast_begin(&cast, pa.drift + pb.drift, 0))
            return false;
        end = abut_linear_cast_cylinders(&cast, axis, &hit);
    } else {
        fetch_vertices(ca);
        fetch_vertices(cb);
        make_pair(ca, &pa, cb, &pb, &cast);
        if (!abut_linear_cast_begin(&cast, pa.drift + pb.drift, pa.turn))
            return false;
        end = abut_linear_cast_run(&cast, &hit);
    }
    if (end == ABUT_SLIDE_UNSURE || (end == ABUT_SLIDE_HIT && hit.several))
        return false;
    if (end == ABUT_SLIDE_MISS) {
        answer(out, ABUT_FIRST_SEPARATE, hit.evaluations);
        return true;
    }
    answer(out, ABUT_FIRST_CONTACT, hit.evaluations);
    out->time = hit.time;
    out->point_count = 1;
    /* field by field: a compound literal is cleared as a whole first, which takes long */
    abut_first_point *p = &out->points[0];
    p->time = hit.time;
    p->point = abut_madd(abut_add(rims ? hit.x : abut_mul(pa.r, hit.x), pa.c), hit.s, pa.v);
    p->normal = rims ? hit.n : abut_mul(pa.r, hit.n);
    p->kind = ABUT_CONTACT_ISOLATED;
    p->unique = false;
    p->features[0] = hit.features[0];
    p->features[1] = hit.features[1];
    if (!rims && (ca->kind == ABUT_CORE_CYLINDER || ca->kind == ABUT_CORE_CONE))
        p->features[0] = abut_linear_cast_feature(ca, along_axis(pa.r, p->normal), hit.features[0]);
    if (!rims && (cb->kind == ABUT_CORE_CYLINDER || cb->kind == ABUT_CORE_CONE))
        p->features[1] = abut_linear_cast_feature(cb, -along_axis(pb.r, p->normal), hit.features[1]);
    p->normals[0] = p->normals[1] = abut_v3(0, 0, 0);
    p->parameters[0][0] = p->parameters[0][1] = p->parameters[1][0] = p->parameters[1][1] = 0;
    p->has_ids = false;
    p->ids[0] = p->ids[1] = 0;
    return true;
}
