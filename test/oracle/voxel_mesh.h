/* SPDX-License-Identifier: MIT */
/* Meshes with small integers for coordinates, of which everything can be reported in 64-bit
 * integers: solids made of unit cubes, and soups of any triangles. With what they have in common
 * with lines, exactly, triangle by triangle. */
#ifndef ABUT_ORACLE_VOXEL_MESH_H
#define ABUT_ORACLE_VOXEL_MESH_H

#include "abut/abut.h"
#include "support/test.h"

enum { VOXEL_SIDE = 3, VOXEL_VERTICES = 64, VOXEL_TRIANGLES = 400 };

typedef struct voxel_int3 {
    int64_t x, y, z;
} voxel_int3;

typedef struct voxel_mesh {
    bool cube[VOXEL_SIDE][VOXEL_SIDE][VOXEL_SIDE]; /* of a solid */
    bool solid;
    voxel_int3 vertices[VOXEL_VERTICES];
    uint32_t triangles[3 * VOXEL_TRIANGLES];
    size_t vertex_count, triangle_count;
} voxel_mesh;

/* A quotient with a positive denominator. */
typedef struct voxel_number {
    int64_t over, under;
} voxel_number;

typedef struct voxel_run {
    voxel_number from, to;
} voxel_run;

void voxel_mesh_solid(test_random *r, voxel_mesh *out);
void voxel_mesh_soup(test_random *r, voxel_mesh *out);
/* 1 inside, 0 outside a solid; for points (over under) whose coordinates are not integers all at
 * once, -1 on its surface. */
int voxel_mesh_where(const voxel_mesh *mesh, const voxel_number p[3]);
int voxel_compare(voxel_number a, voxel_number b);
/* What the line o + t d has in common with triangle i; false: nothing. o is given times `unit`,
 * an integer. */
bool voxel_cut(const voxel_mesh *mesh, size_t i, voxel_int3 o, int64_t unit, voxel_int3 d, voxel_run *out);
/* Of all triangles, joined and in order. */
size_t voxel_cuts(const voxel_mesh *mesh, voxel_int3 o, int64_t unit, voxel_int3 d, voxel_run *out);

/* The shape, lengths times 2^exponent; NULL where a solid's edges are crowded. */
abut_shape *voxel_mesh_shape(const voxel_mesh *mesh, int exponent);

#endif
