/* SPDX-License-Identifier: MIT */
/* Meshes made by rule, the same bits on every IEEE machine: + - * / sqrt and sines of rational
 * turns only. */
#ifndef ABUT_BENCH_MAKE_MESH_H
#define ABUT_BENCH_MAKE_MESH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct bench_mesh {
    size_t vertex_count, triangle_count;
    double (*vertices)[3];
    uint32_t (*triangles)[3];
} bench_mesh;

/* Cosine and sine of k/n of a turn. */
void bench_turn(size_t k, size_t n, double *cosine, double *sine);

void bench_mesh_clear(bench_mesh *mesh);

/* Torus with R = 1 and r = 0.4 about z, 2 * rings * sides triangles; closed, turned outward. */
void bench_torus(bench_mesh *mesh, size_t rings, size_t sides);
/* The same with r waving by 0.05 along and across, seven and nine times. */
void bench_wrinkled_torus(bench_mesh *mesh, size_t rings, size_t sides);
/* Unit sphere: each face of an icosahedron in frequency^2 triangles, 20 frequency^2 in all;
 * closed, turned outward. */
void bench_sphere(bench_mesh *mesh, size_t frequency);
/* Land over [-4, 4]^2 with 2 n^2 triangles: waves, dimples, a spike in every 16th place, and a
 * stalagmite of height 3 in the middle. */
void bench_land(bench_mesh *mesh, size_t n);
/* Pipes along x, y and z through a cube of side 2, `count` by `count` in each direction, each of
 * `sides` sides and `pieces` lengths: long thin triangles. */
void bench_pipes(bench_mesh *mesh, size_t count, size_t sides, size_t pieces);
/* Body of revolution about z with four fins, about 2 * rings * sides triangles: a torpedo of
 * length 2. */
void bench_torpedo(bench_mesh *mesh, size_t rings, size_t sides);
/* The tube that it lies in: inner and outer wall, 4 * rings * sides triangles and two rims. */
void bench_cradle(bench_mesh *mesh, size_t rings, size_t sides);
/* A sheet of n by n squares over [0, 1]^2; bench_wave_sheet puts its vertices where they are in
 * frame k: a wave runs through it, and it rolls up. */
void bench_sheet(bench_mesh *mesh, size_t n);
void bench_wave_sheet(const bench_mesh *sheet, size_t n, size_t frame, double (*vertices)[3]);

#ifdef __cplusplus
}
#endif

#endif
