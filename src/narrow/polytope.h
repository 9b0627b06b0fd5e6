/* SPDX-License-Identifier: MIT */
/* A polytope that grows inside K = { y - x } around the origin: triangles over points of K, a closed surface at all times.
 *
 * What is proved about it needs neither convexity nor good triangles. The surface winds around the origin (`around`), so that every ray from
 * there meets a face; and a face lies beyond its plane, n . x >= d for each of its points, whatever n is, because d is taken as the least
 * n . v of its corners. docs/notes/depth.md has the argument. */
#ifndef ABUT_NARROW_POLYTOPE_H
#define ABUT_NARROW_POLYTOPE_H

#include "narrow/depth.h"

/* A closed surface of v points has 2 v - 4 triangles; some spare ones, should rounding leave it otherwise. */
enum { ABUT_POLYTOPE_VERTICES = 176, ABUT_POLYTOPE_FACES = 2 * ABUT_POLYTOPE_VERTICES };

typedef struct abut_polytope_face {
    abut_vec3 n; /* unit to rounding, outward */
    double d;    /* least n . v, computed */
    uint16_t v[3];
    uint16_t across[3]; /* beyond the edge from v[i] to v[i + 1]: face * 4 + its edge */
    uint16_t seen;      /* growth that last saw it */
} abut_polytope_face;

typedef struct abut_polytope {
    uint32_t vertex_count, face_count;
    uint16_t growths;
    bool around;        /* proved: the surface winds around the origin */
    double slack;       /* rounding of n . v and of d, and how far off a plane still counts as in it */
    abut_depth_cap cap; /* what is proved already; radius infinity: nothing */
    double key[ABUT_POLYTOPE_FACES]; /* d, or infinity where the face needs no more work */
    abut_polytope_face face[ABUT_POLYTOPE_FACES];
    abut_convex_point vertex[ABUT_POLYTOPE_VERTICES];
    uint16_t fan[ABUT_POLYTOPE_VERTICES]; /* scratch of a growth: the new face that starts here */
} abut_polytope;

/* Sets what is proved in other ways, and the keys anew: infinity where d >= cap->radius, or where no direction outside the cap can be nearer
 * than that through this face. NULL: nothing. */
void abut_polytope_set_cap(abut_polytope *p, const abut_depth_cap *cap);
/* From four points in any order; they need not hold the origin. */
void abut_polytope_begin(abut_polytope *p, double slack, const abut_convex_point corner[4]);
/* Replaces the faces that see `point`, beginning with `from`, by a fan to it. False, and nothing changed, where that would not leave a
 * surface, or there is no room. */
bool abut_polytope_grow(abut_polytope *p, uint32_t from, const abut_convex_point *point);
/* Tries to prove that the surface winds around the origin. */
bool abut_polytope_prove(abut_polytope *p);
/* Weights >= 0, sum 1, of the point of a face nearest to the origin. */
void abut_polytope_nearest(const abut_polytope *p, const abut_polytope_face *face, double weight[3]);

#endif
