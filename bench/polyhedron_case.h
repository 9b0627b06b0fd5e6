/* SPDX-License-Identifier: MIT */
/* What the cases of polyhedra share with their peers. */
#ifndef ABUT_BENCH_POLYHEDRON_CASE_H
#define ABUT_BENCH_POLYHEDRON_CASE_H

#include "make_mesh.h"
#include "peers.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum bench_polyhedron_query {
    BENCH_POLYHEDRON_POINT,   /* 1 in, 0 out */
    BENCH_POLYHEDRON_SEGMENT, /* how often the segment passes the boundary */
    BENCH_POLYHEDRON_PAIR     /* 1 they meet, 0 they do not; two copies */
} bench_polyhedron_query;

/* A sphere or torus of n by n exactly planar faces. */
typedef struct bench_polyhedron_job {
    bench_polyhedron_query query;
    size_t n;
    bench_mesh mesh; /* as triangles */
    size_t face_count, index_count;
    uint32_t *sizes, *indices; /* as faces */
    size_t count;
    double (*from)[3], (*to)[3]; /* points; ends of segments */
    bench_place (*places)[2];    /* of the two copies */
    double *truth;
} bench_polyhedron_job;

/* The `wrong` of all contenders. */
uint64_t bench_polyhedron_wrong(void *state, int variant);

typedef int bench_polyhedron_peers(bench_polyhedron_query query, bench_contender *out, int room);
bench_polyhedron_peers bench_cgal_polyhedra, bench_fcl_polyhedra;

#ifdef __cplusplus
}
#endif

#endif
