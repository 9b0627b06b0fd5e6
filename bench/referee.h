/* SPDX-License-Identifier: MIT */
/* Judges the answers of abut and its peers; shares no code with either. */
#ifndef ABUT_BENCH_REFEREE_H
#define ABUT_BENCH_REFEREE_H

#include "workload.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Distance of two convex bodies, 0 exactly when they overlap. Certified: an answer > 0 comes
 * with a separating plane whose gap is within 1e-12 (relative; 1e-9 where it closes in slowly)
 * of the distance of two points of the bodies; 0 comes with a tetrahedron of points of the
 * difference body around the origin. Ends the program when neither is reached. */
double bench_referee_distance(const bench_body *a, const bench_place *place_a, const bench_body *b,
                              const bench_place *place_b);
/* Least translation that parts two overlapping bodies, between certified bounds that differ by
 * less than 1e-6. */
double bench_referee_depth(const bench_body *a, const bench_place *place_a, const bench_body *b,
                           const bench_place *place_b);
/* Distance, or minus the depth, by the referee of the tests (oracle/convex_pair.h): a certified
 * lower bound that is attained to about 1e-15 of the sizes. n: nearly the normal, or NULL. */
double bench_referee_gap(const bench_pair *pair, const double *n);
/* Places b so that it touches a along n (unit), then moves it on by shift along n. */
void bench_referee_touch(bench_pair *pair, const double n[3], double shift);
/* First time at which they are within 1e-7 of each other, 2 when they never are. Certified not
 * to be late. */
double bench_referee_first_contact(const bench_sweep *sweep);

/* Second opinions for the tests: separating axes for boxes, segments for capsules and spheres. */
bool bench_referee_boxes_overlap(const bench_pair *pair);
double bench_referee_capsule_distance(const bench_pair *pair);

double bench_referee_triangle_distance(const double a[3][3], const double b[3][3]);

/* Two meshes: how many pairs of triangles meet, and how far apart they are (0 when they meet). */
typedef struct bench_tree bench_tree;
bench_tree *bench_tree_create(const bench_mesh *mesh);
void bench_tree_destroy(bench_tree *tree);
uint64_t bench_referee_mesh_pairs(const bench_tree *a, const bench_tree *b, const bench_place poses[2]);
double bench_referee_mesh_distance(const bench_tree *a, const bench_tree *b, const bench_place poses[2]);
/* Pairs of triangles of one mesh that have no vertex in common and meet. */
uint64_t bench_referee_mesh_self(const bench_tree *tree);

/* Does the vertex meet the triangle, or do the edges meet, at some time in [0, 1]? */
bool bench_referee_elements_meet(const bench_element *element, bool edges);

#ifdef __cplusplus
}
#endif

#endif
