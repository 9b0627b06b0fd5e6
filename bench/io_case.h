/* SPDX-License-Identifier: MIT */
/* What the cases of mesh files share with the adapters: a file on disk, and the triangles that
 * were written to it. Valid as C++17. */
#ifndef ABUT_BENCH_IO_CASE_H
#define ABUT_BENCH_IO_CASE_H

#include "bench.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct bench_file {
    char name[256];
    size_t bytes;
    size_t vertex_count, face_count;
    double *vertices;  /* 3 each, as written */
    uint32_t *corners; /* 3 a face */
} bench_file;

/* How many of a face's 9 coordinates are not those written. */
static inline uint64_t bench_file_differs(const bench_file *file, size_t face, int corner, double x, double y,
                                          double z)
{
    const double *truth = file->vertices + 3 * (size_t)file->corners[3 * face + (size_t)corner];
    return (uint64_t)(truth[0] != x) + (uint64_t)(truth[1] != y) + (uint64_t)(truth[2] != z);
}

/* Contenders that read a file into memory of their own; how many were filled in. */
int bench_assimp_files(bench_contender *contenders, int room);
int bench_cgal_files(bench_contender *contenders, int room);

#ifdef __cplusplus
}
#endif

#endif
