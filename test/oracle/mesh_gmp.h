/* SPDX-License-Identifier: MIT */
/* Referee for triangle meshes: rational numbers, every pair. Placed vertices are exact (a
 * rotation q / |q| is rational in q); two triangles are cut as convex sets, one by the planes of
 * the other; a winding number comes from a ray along a generic rational direction; solids made
 * of tetrahedra are compared cell by cell. Slow, and of another method than what it judges. */
#ifndef ABUT_TEST_MESH_GMP_H
#define ABUT_TEST_MESH_GMP_H

#include "abut/math.h"

#include <gmp.h>
#include <stddef.h>

typedef struct mesh_gmp mesh_gmp;

/* pose NULL: identity. */
mesh_gmp *mesh_gmp_create(const abut_vec3 *vertices, size_t vertex_count, const uint32_t *triangles,
                          size_t triangle_count, const abut_pose *pose);
void mesh_gmp_destroy(mesh_gmp *mesh);

/* 0 none, 1 touch, 2 cross, 3 an area in one plane: as abut_meet. */
int mesh_gmp_meet(const mesh_gmp *a, size_t i, const mesh_gmp *b, size_t j);
/* The same of two triangles of one mesh, 0 where they have no more in common than the corner or
 * edge that they share by place. */
int mesh_gmp_self(const mesh_gmp *mesh, size_t i, size_t j);
/* Least squared distance of the surfaces; out is initialised. */
void mesh_gmp_distance(const mesh_gmp *a, const mesh_gmp *b, mpq_t out);
/* -1, 0, 1: d against the square root of `square`. */
int mesh_gmp_compare(double d, const mpq_t square);

enum { MESH_GMP_ON = 1000 };
/* How often the surface goes round a point of the world, or MESH_GMP_ON. */
int mesh_gmp_winding(const mesh_gmp *mesh, abut_vec3 p);

/* ---- solids of tetrahedra, in integers ---- */

typedef struct mesh_cell {
    int64_t at[4][3];
} mesh_cell;

/* 0: no point in common, 1: the borders only, 2: the insides meet. */
int mesh_cells_meet(const mesh_cell *a, size_t a_count, const mesh_cell *b, size_t b_count);

#endif
