/* SPDX-License-Identifier: MIT */
/* libccd 2.1: GJK and MPR intersection (W1), EPA and MPR penetration (W3); it has no distance
 * query. Supports are plain callbacks, hulls are scanned from end to end, as its users write
 * them. */
#include "peers.h"

#include <ccd/ccd.h>
#include <ccd/quat.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { GJK, MPR, GJK_PENETRATION, MPR_PENETRATION };

typedef struct object {
    bench_body body;
    ccd_vec3_t position;
    ccd_quat_t rotation, inverse;
} object;

typedef struct ccd_state {
    bench_answers answers;
    object *objects; /* two a question */
    ccd_t settings;
} ccd_state;

static uint64_t support_calls;

static void local_support(const bench_body *body, const ccd_vec3_t *d, ccd_vec3_t *out)
{
    const double *s = body->size;
    switch (body->type) {
    case BENCH_SPHERE:
        ccdVec3Copy(out, d);
        ccdVec3Scale(out, s[0] / sqrt(ccdVec3Len2(d)));
        break;
    case BENCH_BOX:
        ccdVec3Set(out, ccdVec3X(d) < 0 ? -s[0] : s[0], ccdVec3Y(d) < 0 ? -s[1] : s[1],
                   ccdVec3Z(d) < 0 ? -s[2] : s[2]);
        break;
    case BENCH_CAPSULE:
        ccdVec3Copy(out, d);
        ccdVec3Scale(out, s[0] / sqrt(ccdVec3Len2(d)));
        out->v[2] += ccdVec3Z(d) < 0 ? -s[1] : s[1];
        break;
    case BENCH_ELLIPSOID: {
        const double x = s[0] * d->v[0], y = s[1] * d->v[1], z = s[2] * d->v[2];
        const double k = 1 / sqrt(x * x + y * y + z * z);
        ccdVec3Set(out, s[0] * x * k, s[1] * y * k, s[2] * z * k);
        break;
    }
    case BENCH_CYLINDER:
    case BENCH_CONE: {
        const double flat = sqrt(d->v[0] * d->v[0] + d->v[1] * d->v[1]), k = flat > 0 ? s[0] / flat : 0;
        if (body->type == BENCH_CONE && 2 * s[1] * d->v[2] > s[0] * flat)
            ccdVec3Set(out, 0, 0, s[1]);
        else
            ccdVec3Set(out, k * d->v[0], k * d->v[1],
                       body->type == BENCH_CYLINDER && d->v[2] > 0 ? s[1] : -s[1]);
        break;
    }
    case BENCH_HULL: {
        double best = -HUGE_VAL;
        size_t found = 0;
        for (size_t i = 0; i < body->hull->point_count; ++i) {
            const double *p = body->hull->points[i];
            const double along = p[0] * d->v[0] + p[1] * d->v[1] + p[2] * d->v[2];
            if (along > best) {
                best = along;
                found = i;
            }
        }
        memcpy(out->v, body->hull->points[found], sizeof out->v);
        break;
    }
    }
}

static void support(const void *which, const ccd_vec3_t *direction, ccd_vec3_t *out)
{
    const object *o = which;
    ccd_vec3_t local;
    ccdVec3Copy(&local, direction);
    ccdQuatRotVec(&local, &o->inverse);
    local_support(&o->body, &local, out);
    ccdQuatRotVec(out, &o->rotation);
    ccdVec3Add(out, &o->position);
}

static void counting_support(const void *which, const ccd_vec3_t *direction, ccd_vec3_t *out)
{
    ++support_calls;
    support(which, direction, out);
}

static void centre(const void *which, ccd_vec3_t *out)
{
    ccdVec3Copy(out, &((const object *)which)->position);
}

static void place_object(object *o, const bench_body *body, const bench_place *place)
{
    const double *q = place->quaternion;
    o->body = *body;
    ccdVec3Set(&o->position, place->position[0], place->position[1], place->position[2]);
    ccdQuatSet(&o->rotation, q[1], q[2], q[3], q[0]);
    ccdQuatInvert2(&o->inverse, &o->rotation);
}

static void *prepare(void *data, int variant)
{
    const bench_rest *job = data;
    ccd_state *s = bench_alloc(1, sizeof *s);
    bench_answers_init(&s->answers, job, job->count);
    s->objects = bench_alloc(2 * job->count, sizeof *s->objects);
    for (size_t i = 0; i < job->count; ++i) {
        const bench_pair *p = &job->set->pairs[job->index[i]];
        place_object(&s->objects[2 * i], &p->a, &p->place_a);
        place_object(&s->objects[2 * i + 1], &p->b, &p->place_b);
    }
    CCD_INIT(&s->settings);
    s->settings.support1 = s->settings.support2 = support;
    s->settings.center1 = s->settings.center2 = centre;
    s->settings.max_iterations = 500;
    if (variant == GJK_PENETRATION)
        s->settings.epa_tolerance = 1e-8; /* its default of 1e-4 is wrong more often */
    return s;
}

static double run(void *state, int variant)
{
    ccd_state *s = state;
    const bench_rest *job = s->answers.job;
    for (size_t i = 0; i < job->count; ++i) {
        const object *a = &s->objects[2 * i], *b = a + 1;
        ccd_real_t depth = 0;
        ccd_vec3_t direction, position;
        double found = 0;
        switch (variant) {
        case GJK: found = ccdGJKIntersect(a, b, &s->settings); break;
        case MPR: found = ccdMPRIntersect(a, b, &s->settings); break;
        case GJK_PENETRATION:
            found = ccdGJKPenetration(a, b, &s->settings, &depth, &direction, &position) == 0 ? depth : NAN;
            break;
        case MPR_PENETRATION:
            found = ccdMPRPenetration(a, b, &s->settings, &depth, &direction, &position) == 0 ? depth : NAN;
            break;
        }
        s->answers.value[i] = found;
    }
    return bench_answers_sum(&s->answers, job->count);
}

static void count(void *state, int variant, bench_counters *out)
{
    ccd_state *s = state;
    support_calls = 0;
    s->settings.support1 = s->settings.support2 = counting_support;
    run(state, variant);
    s->settings.support1 = s->settings.support2 = support;
    bench_count(out, "supports", (double)support_calls / (double)((const bench_rest *)s->answers.job)->count);
}

static void finish(void *state, int variant)
{
    (void)variant;
    ccd_state *s = state;
    bench_answers_clear(&s->answers);
    free(s->objects);
    free(s);
}

static bench_contender contender(const char *name, int variant)
{
    return (bench_contender){ name, variant, prepare, run, bench_rest_wrong, count, finish };
}

int bench_ccd_rest(bench_query query, bench_class c, bench_contender *out, int room)
{
    (void)c;
    if (query == BENCH_DISTANCE || query == BENCH_CONTACTS || room < 2)
        return 0;
    if (query == BENCH_BOOLEAN) {
        out[0] = contender("libccd ccdGJKIntersect", GJK);
        out[1] = contender("libccd ccdMPRIntersect", MPR);
    } else {
        out[0] = contender("libccd ccdGJKPenetration 1e-8", GJK_PENETRATION);
        out[1] = contender("libccd ccdMPRPenetration", MPR_PENETRATION);
    }
    return 2;
}
