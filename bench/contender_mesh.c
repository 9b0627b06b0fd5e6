/* SPDX-License-Identifier: MIT */
/* abut on meshes, through its public interface. Shapes are made before the clock starts, one
 * workspace is kept. */
#include "contender_abut.h"

#include <abut/abut.h>

#include <math.h>
#include <stdlib.h>

typedef struct mesh_state {
    bench_answers answers;
    abut_shape *shape[2];
    abut_pose poses[BENCH_MESH_POSES][2];
    abut_workspace *ws;
    abut_mesh_counters work;
    abut_counters pair_work;
    size_t undecided;
} mesh_state;

static abut_shape *make(const bench_mesh *mesh)
{
    abut_shape *shape = NULL;
    abut_shape_create_mesh((const abut_vec3 *)(const void *)mesh->vertices, mesh->vertex_count,
                           mesh->triangles[0], mesh->triangle_count, false, NULL, &shape, NULL);
    return shape;
}

static abut_pose pose_of(const bench_place *place)
{
    const double *p = place->position, *q = place->quaternion;
    return (abut_pose){ { p[0], p[1], p[2] }, { q[0], q[1], q[2], q[3] } };
}

static void finish(void *state, int variant)
{
    (void)variant;
    mesh_state *s = state;
    abut_shape_release(s->shape[0]);
    abut_shape_release(s->shape[1]);
    abut_workspace_destroy(s->ws);
    bench_answers_clear(&s->answers);
    free(s);
}

static double run(void *state, int variant)
{
    (void)variant;
    mesh_state *s = state;
    const bench_mesh_case *job = s->answers.job;
    s->work = (abut_mesh_counters){ 0 };
    s->pair_work = (abut_counters){ 0 };
    s->undecided = 0;
    abut_contacts_opts numbers;
    abut_contacts_opts_init(&numbers);
    numbers.no_segments = true;
    for (size_t i = 0; i < job->count; ++i) {
        const abut_pose *at = s->poses[i];
        double *found = &s->answers.value[i];
        if (job->query == BENCH_MESH_BUILD) {
            abut_shape *shape = make(job->scene->mesh[0]);
            *found = shape != NULL;
            abut_shape_release(shape);
        } else if (job->query == BENCH_MESH_PAIRS) {
            abut_contacts_result result = { 0 };
            abut_contacts(s->shape[0], &at[0], s->shape[1], &at[1], &numbers, s->ws, NULL, 0, &result);
            *found = (double)result.count;
            s->undecided += result.unknown;
            s->work.volume_tests += result.counters.volume_tests;
            s->work.triangle_tests += result.counters.triangle_tests;
            s->work.exact += result.counters.exact;
        } else if (job->query == BENCH_MESH_DISTANCE) {
            abut_distance_result result = { 0 };
            abut_distance(s->shape[0], &at[0], s->shape[1], &at[1], NULL, s->ws, &result);
            *found = result.distance.hi;
            s->undecided += result.verdict == ABUT_UNDECIDED ||
                            !(result.distance.lo <= job->distance[job->index[i]] * (1 + 1e-12));
            s->pair_work.iterations += result.counters.iterations;
            s->pair_work.evaluations += result.counters.evaluations;
        } else {
            abut_overlap_result result = { 0 };
            abut_overlap(s->shape[0], &at[0], s->shape[1], &at[1], NULL, s->ws, &result);
            *found = result.verdict == ABUT_TOUCHING || result.verdict == ABUT_PENETRATING;
            s->undecided += result.verdict == ABUT_UNDECIDED;
            s->pair_work.iterations += result.counters.iterations;
            s->pair_work.evaluations += result.counters.evaluations;
        }
    }
    return bench_answers_sum(&s->answers, job->count);
}

static void *prepare(void *data, int variant)
{
    (void)variant;
    const bench_mesh_case *job = data;
    const bench_scene *scene = job->scene;
    mesh_state *s = bench_alloc(1, sizeof *s);
    *s = (mesh_state){ 0 };
    bench_answers_init(&s->answers, job, job->count);
    abut_workspace_create(NULL, &s->ws);
    s->shape[0] = make(scene->mesh[0]);
    s->shape[1] = scene->mesh[1] == scene->mesh[0] ? abut_shape_retain(s->shape[0]) : make(scene->mesh[1]);
    for (size_t i = 0; i < job->count; ++i)
        for (int k = 0; k < 2; ++k)
            s->poses[i][k] = pose_of(&scene->poses[job->index[i]][k]);
    return s;
}

static uint64_t wrong(void *state, int variant)
{
    const mesh_state *s = state;
    return s->undecided + bench_mesh_wrong(state, variant);
}

static void count(void *state, int variant, bench_counters *counters)
{
    (void)variant;
    const mesh_state *s = state;
    const bench_mesh_case *job = s->answers.job;
    const double n = (double)job->count;
    if (job->query == BENCH_MESH_BUILD) {
        abut_hierarchy_info info;
        if (abut_shape_get_hierarchy(s->shape[0], &info) == ABUT_OK)
            bench_count(counters, "bytes/triangle",
                        (double)info.total_bytes / (double)job->scene->mesh[0]->triangle_count);
    } else if (job->query == BENCH_MESH_PAIRS) {
        bench_count(counters, "volume tests", (double)s->work.volume_tests / n);
        bench_count(counters, "triangle tests", (double)s->work.triangle_tests / n);
        bench_count(counters, "exact", (double)s->work.exact / n);
    } else {
        bench_count(counters, "volume tests", (double)s->pair_work.iterations / n);
        bench_count(counters, "triangle tests", (double)s->pair_work.evaluations / n);
    }
}

bench_contender bench_abut_mesh(bench_mesh_query query)
{
    return (bench_contender){ .prepare = prepare,
                              .run = run,
                              .wrong = query == BENCH_MESH_BUILD ? NULL : wrong,
                              .count = count,
                              .finish = finish };
}

/* ---- a sheet that deforms ---- */

typedef struct sheet_state {
    bench_answers answers;
    abut_shape *shape;
    abut_workspace *ws;
    abut_mesh_counters work;
    size_t undecided;
} sheet_state;

static void *prepare_sheet(void *data, int variant)
{
    (void)variant;
    const bench_sheet_case *job = data;
    sheet_state *s = bench_alloc(1, sizeof *s);
    *s = (sheet_state){ 0 };
    bench_answers_init(&s->answers, job, job->count);
    abut_workspace_create(NULL, &s->ws);
    s->shape = make(&job->mesh);
    return s;
}

static double run_sheet(void *state, int variant)
{
    (void)variant;
    sheet_state *s = state;
    const bench_sheet_case *job = s->answers.job;
    abut_contacts_opts numbers;
    abut_contacts_opts_init(&numbers);
    numbers.no_segments = true;
    s->work = (abut_mesh_counters){ 0 };
    for (size_t f = 0; f < job->count; ++f) {
        abut_contacts_result result = { 0 };
        abut_shape_update_mesh(s->shape, (const abut_vec3 *)(const void *)job->vertices[f],
                               job->mesh.vertex_count, NULL);
        abut_self_contacts(s->shape, &numbers, s->ws, NULL, 0, &result);
        s->answers.value[f] = (double)result.count;
        s->work.volume_tests += result.counters.volume_tests;
        s->work.triangle_tests += result.counters.triangle_tests;
    }
    return bench_answers_sum(&s->answers, job->count);
}

static void count_sheet(void *state, int variant, bench_counters *counters)
{
    (void)variant;
    const sheet_state *s = state;
    const bench_sheet_case *job = s->answers.job;
    bench_count(counters, "volume tests", (double)s->work.volume_tests / (double)job->count);
    bench_count(counters, "triangle tests", (double)s->work.triangle_tests / (double)job->count);
}

static void finish_sheet(void *state, int variant)
{
    (void)variant;
    sheet_state *s = state;
    abut_shape_release(s->shape);
    abut_workspace_destroy(s->ws);
    bench_answers_clear(&s->answers);
    free(s);
}

bench_contender bench_abut_sheet(void)
{
    return (bench_contender){ .prepare = prepare_sheet,
                              .run = run_sheet,
                              .wrong = bench_sheet_wrong,
                              .count = count_sheet,
                              .finish = finish_sheet };
}

/* ---- the same sheet as a deforming mesh: the curvature criterion ---- */

typedef struct step_state {
    bench_answers answers;
    abut_deform *mesh;
    abut_deform_counters work;
} step_state;

static void *prepare_step(void *data, int variant)
{
    (void)variant;
    const bench_sheet_case *job = data;
    step_state *s = bench_alloc(1, sizeof *s);
    *s = (step_state){ 0 };
    bench_answers_init(&s->answers, job, job->count);
    abut_deform_create((const abut_vec3 *)(const void *)job->vertices[0], job->mesh.vertex_count,
                       job->mesh.triangles[0], job->mesh.triangle_count, NULL, &s->mesh, NULL);
    return s;
}

static double run_step(void *state, int variant)
{
    (void)variant;
    step_state *s = state;
    const bench_sheet_case *job = s->answers.job;
    s->work = (abut_deform_counters){ 0 };
    for (size_t f = 0; f < job->count; ++f) {
        abut_deform_result result = { 0 };
        abut_deform_update(s->mesh, (const abut_vec3 *)(const void *)job->vertices[f], NULL,
                           job->mesh.vertex_count, NULL);
        abut_deform_meeting(s->mesh, NULL, NULL, NULL, 0, &result);
        s->answers.value[f] = (double)result.count;
        s->work.volume_tests += result.counters.volume_tests;
        s->work.curvature_skips += result.counters.curvature_skips;
        s->work.triangle_pairs += result.counters.triangle_pairs;
    }
    return bench_answers_sum(&s->answers, job->count);
}

static void count_step(void *state, int variant, bench_counters *counters)
{
    (void)variant;
    const step_state *s = state;
    const bench_sheet_case *job = s->answers.job;
    bench_count(counters, "volume tests", (double)s->work.volume_tests / (double)job->count);
    bench_count(counters, "regions skipped", (double)s->work.curvature_skips / (double)job->count);
    bench_count(counters, "triangle tests", (double)s->work.triangle_pairs / (double)job->count);
}

static void finish_step(void *state, int variant)
{
    (void)variant;
    step_state *s = state;
    abut_deform_destroy(s->mesh);
    bench_answers_clear(&s->answers);
    free(s);
}

bench_contender bench_abut_sheet_step(void)
{
    return (bench_contender){ .prepare = prepare_step,
                              .run = run_step,
                              .wrong = bench_sheet_wrong,
                              .count = count_step,
                              .finish = finish_step };
}
