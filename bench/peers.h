/* SPDX-License-Identifier: MIT */
/* What the cases of bodies at rest, sweeps, meshes and boxes ask of the adapters peer_*.c and
 * peer_*.cpp.
 *
 * An adapter has, for each kind of workload it can take part in, one function that fills in
 * contenders and returns how many. Every state that an adapter's `prepare` returns begins with a
 * bench_answers, into which `run` writes one number for each question; judging is then the same
 * for all and done here (judge.c). */
#ifndef ABUT_BENCH_PEERS_H
#define ABUT_BENCH_PEERS_H

#include "bench.h"
#include "workload.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum bench_query {
    BENCH_BOOLEAN,  /* W1: answer 1 or 0 on all pairs */
    BENCH_DISTANCE, /* W2: answer the distance, on the pairs that are apart */
    BENCH_DEPTH,    /* W3: answer the depth, on the pairs that overlap; NaN: says they do not */
    BENCH_CONTACTS, /* W3: the same, and find up to eight points of contact */
    BENCH_QUERIES   /* how many */
} bench_query;

/* The data of a case at rest. */
typedef struct bench_rest {
    bench_query query;
    const bench_pairs *set;
    size_t count;
    size_t *index; /* of the pairs asked about */
} bench_rest;

/* The data of a case of sweeps: the answer is the time of first contact, 2 when there is none. */
typedef struct bench_moving {
    const bench_sweeps *set;
    bool turning;
    size_t count;
} bench_moving;

typedef enum bench_mesh_query {
    BENCH_MESH_BOOLEAN,
    BENCH_MESH_PAIRS,    /* how many pairs of triangles meet */
    BENCH_MESH_DISTANCE, /* on the poses that are apart */
    BENCH_MESH_BUILD     /* of the bounding volumes of the first mesh; the answer does not matter */
} bench_mesh_query;

typedef struct bench_mesh_case {
    bench_mesh_query query;
    const bench_scene *scene;
    double meeting[BENCH_MESH_POSES];  /* the referee's pairs of triangles */
    double distance[BENCH_MESH_POSES]; /* and distances, 0 where they meet */
    size_t count;
    size_t index[BENCH_MESH_POSES]; /* of the poses asked about */
} bench_mesh_case;

#define BENCH_SHEET_FRAMES 32

/* A sheet that deforms: new places for all vertices, then: which triangles meet that are not
 * neighbours? */
typedef struct bench_sheet_case {
    bench_mesh mesh;
    size_t count;
    double (*vertices[BENCH_SHEET_FRAMES])[3];
    double meeting[BENCH_SHEET_FRAMES];
} bench_sheet_case;

#define BENCH_RIGID_SWEEPS 64

/* Rigid meshes in motion over the time [0, 1]: a mesh (or a box that does not turn) against a
 * mesh. The answer is the time of first contact, 2 where there is none. */
typedef struct bench_rigid_case {
    const bench_mesh *mesh[2]; /* mesh[0] of a box is the box as triangles */
    bool cast;                 /* mesh[0] is a box with these half sizes, and only translates */
    double half[3];
    size_t count;
    bench_place place[BENCH_RIGID_SWEEPS][2]; /* at the start */
    double linear[BENCH_RIGID_SWEEPS][2][3], angular[BENCH_RIGID_SWEEPS][2][3];
    double truth[BENCH_RIGID_SWEEPS];
} bench_rigid_case;

typedef struct bench_answers {
    const void *job; /* one of the above */
    double *value;
    double work; /* contenders that count their work add it up here during a run */
} bench_answers;

void bench_answers_init(bench_answers *answers, const void *job, size_t count);
void bench_answers_clear(bench_answers *answers);
/* Judges: the `wrong` of contenders at rest, sweeping, on meshes and in W9. */
uint64_t bench_rest_wrong(void *state, int variant);
uint64_t bench_moving_wrong(void *state, int variant);
uint64_t bench_mesh_wrong(void *state, int variant);
uint64_t bench_sheet_wrong(void *state, int variant);
uint64_t bench_elements_wrong(void *state, int variant);
uint64_t bench_boxes_wrong(void *state, int variant);
uint64_t bench_rigid_wrong(void *state, int variant);

/* Adds up the answers: what a run returns. */
double bench_answers_sum(const bench_answers *answers, size_t count);

/* Each fills in contenders (at most `room` of them) for the case and returns how many. */
typedef int bench_rest_peers(bench_query query, bench_class c, bench_contender *out, int room);
typedef int bench_moving_peers(bench_class c, bool turning, bench_contender *out, int room);
typedef int bench_mesh_peers(bench_mesh_query query, bench_contender *out, int room);
typedef int bench_sheet_peers(bench_contender *out, int room);
typedef int bench_boxes_peers(bench_contender *out, int room);
typedef int bench_rigid_peers(bool cast, bench_contender *out, int room);
typedef int bench_elements_peers(bool edges, bench_contender *out, int room);

bench_rest_peers bench_ccd_rest, bench_fcl_rest, bench_bullet_rest, bench_ode_rest;
bench_moving_peers bench_fcl_moving, bench_bullet_moving;
bench_mesh_peers bench_fcl_mesh, bench_cgal_mesh, bench_bullet_mesh, bench_ode_mesh, bench_embree_mesh;
bench_sheet_peers bench_fcl_sheet, bench_bullet_sheet;
bench_boxes_peers bench_fcl_boxes, bench_bullet_boxes, bench_embree_boxes, bench_cgal_boxes;
bench_rigid_peers bench_fcl_rigid, bench_bullet_rigid;
bench_elements_peers bench_fcl_elements;
/* abut on the same. */
bench_contender bench_abut_elements(void);

/* The double-precision build of Bullet, in a library of its own because both builds have the
 * same names. NULL: not there. */
typedef struct bench_bullet_table {
    bench_rest_peers *rest;
    bench_moving_peers *moving;
} bench_bullet_table;
const bench_bullet_table *bench_bullet_double(void);

#ifdef __cplusplus
}
#endif

#endif
