/* SPDX-License-Identifier: MIT */
/* abut on bodies at rest (abut_overlap, abut_distance, abut_check) and in motion
 * (abut_first_contact). Shapes and motions are made before the clock starts, one workspace is
 * kept, as a program that asks many questions would do. abut is judged more strictly than its
 * peers: the enclosure must hold the referee's value, too. */
#include "contender_abut.h"

#include <abut/abut.h>

#include <math.h>
#include <stdlib.h>

typedef struct abut_state {
    bench_answers answers; /* first: judge.c reads it */
    double *lo, *hi;       /* enclosures */
    bench_query query;
    size_t count, undecided;
    abut_shape **a, **b;
    abut_pose *pose_a, *pose_b;
    abut_motion **motion_a, **motion_b;
    abut_workspace *ws;
    abut_counters work;
    abut_cache *caches; /* of coherent pairs, else NULL */
} abut_state;

/* Hulls are shared, as the peers share their points. */
typedef struct hull_table {
    size_t count;
    const bench_hull *hull[2 * BENCH_HULLS];
    abut_shape *shape[2 * BENCH_HULLS];
} hull_table;

static abut_shape *make_hull(const bench_hull *hull, hull_table *table)
{
    for (size_t i = 0; i < table->count; ++i)
        if (table->hull[i] == hull)
            return abut_shape_retain(table->shape[i]);
    abut_shape *shape = NULL;
    abut_shape_create_convex((const abut_vec3 *)(const void *)hull->points, hull->point_count, 0, NULL,
                             &shape, NULL);
    if (shape && table->count < 2 * BENCH_HULLS) {
        table->hull[table->count] = hull;
        table->shape[table->count++] = shape;
    }
    return shape;
}

static abut_shape *make_shape(const bench_body *body, hull_table *table)
{
    abut_shape *shape = NULL;
    const double *s = body->size;
    switch (body->type) {
    case BENCH_SPHERE: abut_shape_create_sphere(s[0], NULL, &shape); break;
    case BENCH_BOX: abut_shape_create_box((abut_vec3){ s[0], s[1], s[2] }, NULL, &shape); break;
    case BENCH_CAPSULE: abut_shape_create_capsule(s[0], 2 * s[1], NULL, &shape); break;
    case BENCH_CYLINDER: abut_shape_create_cylinder(s[0], 2 * s[1], NULL, &shape); break;
    case BENCH_CONE: abut_shape_create_cone(s[0], 2 * s[1], NULL, &shape); break;
    case BENCH_ELLIPSOID: abut_shape_create_ellipsoid((abut_vec3){ s[0], s[1], s[2] }, NULL, &shape); break;
    case BENCH_HULL: shape = make_hull(body->hull, table); break;
    }
    return shape;
}

static abut_pose make_pose(const bench_place *place)
{
    const double *p = place->position, *q = place->quaternion;
    return (abut_pose){ { p[0], p[1], p[2] }, { q[0], q[1], q[2], q[3] } };
}

static abut_vec3 make_vec(const double v[3])
{
    return (abut_vec3){ v[0], v[1], v[2] };
}

static void finish(void *state, int variant)
{
    (void)variant;
    abut_state *s = state;
    for (size_t i = 0; i < s->count; ++i) {
        abut_shape_release(s->a[i]);
        abut_shape_release(s->b[i]);
        if (s->motion_a) {
            abut_motion_release(s->motion_a[i]);
            abut_motion_release(s->motion_b[i]);
        }
    }
    free(s->a);
    free(s->b);
    free(s->pose_a);
    free(s->pose_b);
    free(s->motion_a);
    free(s->motion_b);
    free(s->lo);
    free(s->hi);
    free(s->caches);
    abut_workspace_destroy(s->ws);
    bench_answers_clear(&s->answers);
    free(s);
}

static abut_state *make_state(const void *job, size_t count)
{
    abut_state *s = bench_alloc(1, sizeof *s);
    bench_answers_init(&s->answers, job, count);
    s->count = count;
    s->a = bench_alloc(count, sizeof(abut_shape *));
    s->b = bench_alloc(count, sizeof(abut_shape *));
    s->lo = bench_alloc(count, sizeof *s->lo);
    s->hi = bench_alloc(count, sizeof *s->hi);
    abut_workspace_create(NULL, &s->ws);
    return s;
}

/* The motion shapes and motions all exist, and the first question has a method. */
static bool all_made(const abut_state *s)
{
    bool made = true;
    for (size_t i = 0; i < s->count; ++i)
        made &= s->a[i] && s->b[i] && (!s->motion_a || (s->motion_a[i] && s->motion_b[i]));
    return made;
}

static void add_counters(abut_state *s, const abut_counters *c)
{
    s->work.iterations += c->iterations;
    s->work.evaluations += c->evaluations;
    s->work.exact += c->exact;
}

/* ---- at rest ---- */

static double run_rest(void *state, int variant)
{
    (void)variant;
    abut_state *s = state;
    s->undecided = 0;
    s->work = (abut_counters){ 0 };
    const bench_rest *job = s->answers.job;
    abut_overlap_opts overlap;
    abut_distance_opts distance;
    abut_check_opts check;
    abut_overlap_opts_init(&overlap);
    abut_distance_opts_init(&distance);
    abut_check_opts_init(&check);
    distance.with_depth = s->query == BENCH_DEPTH;
    check.max_contacts = 8;
    for (size_t i = 0; i < s->count; ++i) {
        abut_interval found = { NAN, NAN };
        if (s->caches)
            overlap.cache = distance.cache = check.cache = &s->caches[job->index[i] % job->set->period];
        if (s->query == BENCH_DISTANCE || s->query == BENCH_DEPTH) {
            abut_distance_result r;
            if (abut_distance(s->a[i], &s->pose_a[i], s->b[i], &s->pose_b[i], &distance, s->ws, &r) ==
                ABUT_OK) {
                found = distance.with_depth ? (abut_interval){ -r.distance.hi, -r.distance.lo } : r.distance;
                s->undecided += r.verdict == ABUT_UNDECIDED;
                add_counters(s, &r.counters);
            }
        } else if (s->query == BENCH_BOOLEAN) {
            abut_overlap_result r;
            if (abut_overlap(s->a[i], &s->pose_a[i], s->b[i], &s->pose_b[i],
                             job->set->period ? &overlap : NULL, s->ws, &r) == ABUT_OK) {
                const bool meet = r.verdict == ABUT_PENETRATING || r.verdict == ABUT_TOUCHING;
                if (r.verdict != ABUT_UNDECIDED)
                    found = (abut_interval){ meet, meet };
                s->undecided += r.verdict == ABUT_UNDECIDED;
                add_counters(s, &r.counters);
            }
        } else {
            abut_check_result r;
            if (abut_check(s->a[i], &s->pose_a[i], s->b[i], &s->pose_b[i], &check, s->ws, &r) == ABUT_OK) {
                if (r.has_depth)
                    found = r.depth;
                s->undecided += r.verdict == ABUT_UNDECIDED;
                add_counters(s, &r.counters);
            }
        }
        s->lo[i] = found.lo;
        s->hi[i] = found.hi;
        s->answers.value[i] = found.lo + (found.hi - found.lo) / 2;
    }
    return bench_answers_sum(&s->answers, s->count);
}

/* The referee is good to 1e-9 of a distance and to 1e-6 of a depth. */
static uint64_t wrong_rest(void *state, int variant)
{
    const abut_state *s = state;
    const bench_rest *job = s->answers.job;
    uint64_t outside = 0;
    for (size_t i = 0; i < s->count && s->query != BENCH_BOOLEAN; ++i) {
        const bool deep = s->query >= BENCH_DEPTH;
        const double truth = deep ? job->set->depth[job->index[i]] : job->set->distance[job->index[i]];
        const double slack = deep ? 1e-6 : 1e-9 * truth + 1e-14;
        outside += !(s->lo[i] <= truth + slack && truth - slack <= s->hi[i]);
    }
    const uint64_t off = bench_rest_wrong(state, variant);
    return off > outside ? off : outside;
}

static void *prepare_rest(void *data, int variant)
{
    const bench_rest *job = data;
    abut_state *s = make_state(job, job->count);
    s->query = job->query;
    if (job->set->period && variant == BENCH_ABUT_WARM)
        s->caches = bench_alloc(job->set->period, sizeof *s->caches);
    s->pose_a = bench_alloc(s->count, sizeof *s->pose_a);
    s->pose_b = bench_alloc(s->count, sizeof *s->pose_b);
    hull_table hulls = { .count = 0 };
    for (size_t i = 0; i < s->count; ++i) {
        const bench_pair *p = &job->set->pairs[job->index[i]];
        s->a[i] = make_shape(&p->a, &hulls);
        s->b[i] = make_shape(&p->b, &hulls);
        s->pose_a[i] = make_pose(&p->place_a);
        s->pose_b[i] = make_pose(&p->place_b);
    }
    abut_check_result r;
    if (all_made(s) && abut_check(s->a[0], &s->pose_a[0], s->b[0], &s->pose_b[0], NULL, s->ws, &r) == ABUT_OK)
        return s;
    finish(s, variant);
    return NULL;
}

static void count(void *state, int variant, bench_counters *out)
{
    (void)variant;
    const abut_state *s = state;
    const double n = (double)s->count;
    double widest = 0;
    for (size_t i = 0; i < s->count; ++i)
        widest = fmax(widest, s->hi[i] - s->lo[i]);
    bench_count(out, "iterations", (double)s->work.iterations / n);
    bench_count(out, "evaluations", (double)s->work.evaluations / n);
    bench_count(out, "exact", (double)s->work.exact / n);
    bench_count(out, "undecided", (double)s->undecided);
    bench_count(out, "widest", widest);
}

bench_contender bench_abut_rest(bench_query query, bench_abut_start start)
{
    static const char *const names[][4] = {
        { "abut_overlap", "abut_distance", "abut_distance with_depth", "abut_check" },
        { "abut_overlap without a cache", "abut_distance without a cache",
          "abut_distance with_depth without a cache", "abut_check without a cache" }
    };
    return (bench_contender){ .name = names[start][query],
                              .variant = (int)start,
                              .prepare = prepare_rest,
                              .run = run_rest,
                              .wrong = wrong_rest,
                              .count = count,
                              .finish = finish };
}

/* ---- in motion ---- */

static double run_moving(void *state, int variant)
{
    (void)variant;
    abut_state *s = state;
    s->undecided = 0;
    s->work = (abut_counters){ 0 };
    for (size_t i = 0; i < s->count; ++i) {
        abut_first_result r;
        s->lo[i] = s->hi[i] = NAN;
        if (abut_first_contact(s->a[i], s->motion_a[i], s->b[i], s->motion_b[i], NULL, s->ws, &r) ==
            ABUT_OK) {
            const bool hit = r.verdict == ABUT_FIRST_CONTACT || r.verdict == ABUT_FIRST_OVERLAPPING;
            s->undecided += r.verdict == ABUT_FIRST_UNDECIDED;
            s->lo[i] = hit ? r.time.lo : 2;
            s->hi[i] = hit ? r.time.hi : 2;
            add_counters(s, &r.counters);
        }
        s->answers.value[i] = s->lo[i] + (s->hi[i] - s->lo[i]) / 2;
    }
    return bench_answers_sum(&s->answers, s->count);
}

/* The referee stops at a gap of 1e-7; the slowest closing speed here is about 1 a unit of time,
 * grazing passes less. */
static uint64_t wrong_moving(void *state, int variant)
{
    const abut_state *s = state;
    const bench_moving *job = s->answers.job;
    uint64_t outside = 0;
    for (size_t i = 0; i < s->count; ++i) {
        const double truth = job->set->toc[i];
        outside += !(s->lo[i] <= truth + 1e-3 && truth - 1e-9 <= s->hi[i]);
    }
    const uint64_t off = bench_moving_wrong(state, variant);
    return off > outside ? off : outside;
}

static abut_motion *make_motion(const bench_place *place, const double linear[3], const double angular[3])
{
    abut_motion *motion = NULL;
    const abut_placement at = abut_placement_from_pose(make_pose(place));
    abut_motion_create_velocity(0, 1, &at, make_vec(linear), make_vec(angular), NULL, &motion, NULL);
    return motion;
}

static void *prepare_moving(void *data, int variant)
{
    const bench_moving *job = data;
    abut_state *s = make_state(job, job->count);
    s->motion_a = bench_alloc(s->count, sizeof(abut_motion *));
    s->motion_b = bench_alloc(s->count, sizeof(abut_motion *));
    hull_table hulls = { .count = 0 };
    for (size_t i = 0; i < s->count; ++i) {
        const bench_sweep *w = &job->set->sweeps[i];
        s->a[i] = make_shape(&w->a, &hulls);
        s->b[i] = make_shape(&w->b, &hulls);
        s->motion_a[i] = make_motion(&w->place_a, w->linear_a, w->angular_a);
        s->motion_b[i] = make_motion(&w->place_b, w->linear_b, w->angular_b);
    }
    abut_first_result r;
    if (all_made(s) &&
        abut_first_contact(s->a[0], s->motion_a[0], s->b[0], s->motion_b[0], NULL, s->ws, &r) == ABUT_OK)
        return s;
    finish(s, variant);
    return NULL;
}

bench_contender bench_abut_moving(void)
{
    return (bench_contender){ .name = "abut_first_contact",
                              .prepare = prepare_moving,
                              .run = run_moving,
                              .wrong = wrong_moving,
                              .count = count,
                              .finish = finish };
}
