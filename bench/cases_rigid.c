/* SPDX-License-Identifier: MIT */
/* Rigid meshes in motion: two tori that turn, and a box that is cast against a torus.
 *
 * The referee counts the pairs of triangles that meet at many times, and halves the time between
 * the last that is free and the first that is not. An answer is wrong when it is later than that by
 * more than 1e-3, or when nothing meets soon after it. */
#include "peers.h"
#include "referee.h"

#include <abut/abut.h>

#include <math.h>
#include <stdlib.h>

enum { RIGID_TORI, RIGID_BOX_20K, RIGID_BOX_200K };
enum { SAMPLES = 128 };

static const bench_mesh *torus_of(bool large)
{
    static bench_mesh small_torus, large_torus;
    bench_mesh *mesh = large ? &large_torus : &small_torus;
    if (!mesh->vertices)
        bench_torus(mesh, large ? 500 : 200, large ? 200 : 50);
    return mesh;
}

static const bench_mesh *box_mesh(const double half[3])
{
    static double vertices[8][3];
    static uint32_t triangles[12][3] = { { 0, 1, 3 }, { 0, 3, 2 }, { 4, 6, 7 }, { 4, 7, 5 },
                                         { 0, 4, 5 }, { 0, 5, 1 }, { 2, 3, 7 }, { 2, 7, 6 },
                                         { 0, 2, 6 }, { 0, 6, 4 }, { 1, 5, 7 }, { 1, 7, 3 } };
    static bench_mesh mesh = { 8, 12, vertices, triangles };
    for (int i = 0; i < 8; ++i)
        for (int k = 0; k < 3; ++k)
            vertices[i][k] = i & (4 >> k) ? half[k] : -half[k];
    return &mesh;
}

static bool meets(const bench_rigid_case *job, const bench_tree *a, const bench_tree *b, size_t i, double t)
{
    bench_place at[2];
    for (int k = 0; k < 2; ++k)
        bench_sweep_at(&job->place[i][k], job->linear[i][k], job->angular[i][k], t, &at[k]);
    return bench_referee_mesh_pairs(a, b, at) > 0;
}

static void judge(bench_rigid_case *job)
{
    bench_tree *a = bench_tree_create(job->mesh[0]), *b = bench_tree_create(job->mesh[1]);
    for (size_t i = 0; i < job->count; ++i) {
        double lo = 0, hi = 2;
        for (int k = 0; k <= SAMPLES && hi > 1; ++k) {
            const double t = (double)k / SAMPLES;
            if (meets(job, a, b, i, t))
                hi = t;
            else
                lo = t;
        }
        while (hi <= 1 && hi - lo > 1e-5) {
            const double mid = (lo + hi) / 2;
            *(meets(job, a, b, i, mid) ? &hi : &lo) = mid;
        }
        job->truth[i] = hi;
    }
    bench_tree_destroy(a);
    bench_tree_destroy(b);
}

/* Towards each other from two to three diameters apart, past the middle by up to half of one. */
static void draw(bench_rigid_case *job, uint64_t seed)
{
    bench_random r = { seed };
    for (size_t i = 0; i < job->count; ++i) {
        double u[3];
        for (int k = 0; k < 2; ++k)
            bench_rotation(&r, &job->place[i][k]);
        bench_direction(&r, u);
        const double far = bench_uniform(&r, 2, 3);
        for (int k = 0; k < 3; ++k) {
            job->place[i][0].position[k] = far * u[k];
            job->linear[i][0][k] = bench_uniform(&r, -0.7, 0.7) - far * u[k];
            for (int body = 0; body < 2; ++body)
                job->angular[i][body][k] = job->cast ? 0 : bench_uniform(&r, -2, 2);
        }
    }
}

static void *setup(const bench_case *c, bool quick, uint64_t *questions)
{
    bench_rigid_case *job = bench_alloc(1, sizeof *job);
    *job = (bench_rigid_case){ .cast = c->number != RIGID_TORI, .half = { 0.1, 0.15, 0.075 } };
    job->mesh[1] = torus_of(c->number == RIGID_BOX_200K);
    job->mesh[0] = job->cast ? box_mesh(job->half) : job->mesh[1];
    job->count = quick ? 4 : job->cast ? BENCH_RIGID_SWEEPS : 12;
    draw(job, 6100 + (uint64_t)c->number / 2);
    judge(job);
    *questions = job->count;
    return job;
}

uint64_t bench_rigid_wrong(void *state, int variant)
{
    (void)variant;
    const bench_answers *answers = state;
    const bench_rigid_case *job = answers->job;
    uint64_t wrong = 0;
    for (size_t i = 0; i < job->count; ++i) {
        const double found = answers->value[i], truth = job->truth[i];
        wrong += !(found <= truth + 1e-3) || (found < truth - 1.0 / SAMPLES);
    }
    return wrong;
}

/* ---- abut ---- */

typedef struct rigid_state {
    bench_answers answers;
    abut_shape *shape[2];
    abut_motion *motion[BENCH_RIGID_SWEEPS][2];
    abut_workspace *ws;
    uint64_t undecided, iterations;
} rigid_state;

static abut_shape *make_mesh(const bench_mesh *mesh)
{
    abut_shape *shape = NULL;
    abut_shape_create_mesh((const abut_vec3 *)(const void *)mesh->vertices, mesh->vertex_count,
                           mesh->triangles[0], mesh->triangle_count, true, NULL, &shape, NULL);
    return shape;
}

static void *prepare(void *data, int variant)
{
    (void)variant;
    const bench_rigid_case *job = data;
    rigid_state *s = bench_alloc(1, sizeof *s);
    *s = (rigid_state){ 0 };
    bench_answers_init(&s->answers, job, job->count);
    abut_workspace_create(NULL, &s->ws);
    if (job->cast)
        abut_shape_create_box((abut_vec3){ job->half[0], job->half[1], job->half[2] }, NULL, &s->shape[0]);
    else
        s->shape[0] = make_mesh(job->mesh[0]);
    s->shape[1] = job->mesh[0] == job->mesh[1] ? abut_shape_retain(s->shape[0]) : make_mesh(job->mesh[1]);
    for (size_t i = 0; i < job->count; ++i)
        for (int k = 0; k < 2; ++k) {
            const double *p = job->place[i][k].position, *q = job->place[i][k].quaternion,
                         *v = job->linear[i][k], *w = job->angular[i][k];
            const abut_pose pose = { { p[0], p[1], p[2] }, { q[0], q[1], q[2], q[3] } };
            const abut_placement at = abut_placement_from_pose(pose);
            abut_motion_create_velocity(0, 1, &at, (abut_vec3){ v[0], v[1], v[2] },
                                        (abut_vec3){ w[0], w[1], w[2] }, NULL, &s->motion[i][k], NULL);
        }
    return s;
}

static double run(void *state, int variant)
{
    (void)variant;
    rigid_state *s = state;
    const bench_rigid_case *job = s->answers.job;
    s->undecided = s->iterations = 0;
    for (size_t i = 0; i < job->count; ++i) {
        abut_first_result r;
        double found = NAN;
        if (abut_first_contact(s->shape[0], s->motion[i][0], s->shape[1], s->motion[i][1], NULL, s->ws, &r) ==
            ABUT_OK) {
            found = r.verdict == ABUT_FIRST_SEPARATE ? 2 : r.time.hi;
            s->undecided += r.verdict == ABUT_FIRST_UNDECIDED;
            s->iterations += r.counters.iterations;
        }
        s->answers.value[i] = found;
    }
    return bench_answers_sum(&s->answers, job->count);
}

static uint64_t wrong(void *state, int variant)
{
    const rigid_state *s = state;
    return s->undecided + bench_rigid_wrong(state, variant);
}

static void count(void *state, int variant, bench_counters *counters)
{
    (void)variant;
    const rigid_state *s = state;
    const bench_rigid_case *job = s->answers.job;
    bench_count(counters, "iterations", (double)s->iterations / (double)job->count);
}

static void finish(void *state, int variant)
{
    (void)variant;
    rigid_state *s = state;
    const bench_rigid_case *job = s->answers.job;
    for (size_t i = 0; i < job->count; ++i)
        for (int k = 0; k < 2; ++k)
            abut_motion_release(s->motion[i][k]);
    abut_shape_release(s->shape[0]);
    abut_shape_release(s->shape[1]);
    abut_workspace_destroy(s->ws);
    bench_answers_clear(&s->answers);
    free(s);
}

void bench_register_rigid(void);
void bench_register_rigid(void)
{
    static const char *const names[] = { "first contact torus2x20k turning", "box cast torus20k",
                                         "box cast torus200k" };
    for (int i = 0; i < 3; ++i) {
        bench_case c = { .family = "ccd", .name = names[i], .number = i, .setup = setup, .teardown = free };
        c.abut = (bench_contender){ .name = "abut_first_contact",
                                    .prepare = prepare,
                                    .run = run,
                                    .wrong = wrong,
                                    .count = count,
                                    .finish = finish };
        int used = 0;
#ifdef BENCH_HAVE_FCL
        used += bench_fcl_rigid(i != RIGID_TORI, c.peers + used, BENCH_PEERS - used);
#endif
#ifdef BENCH_HAVE_BULLET
        used += bench_bullet_rigid(i != RIGID_TORI, c.peers + used, BENCH_PEERS - used);
#endif
        (void)used;
        bench_add(&c);
    }
}
