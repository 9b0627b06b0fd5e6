/* SPDX-License-Identifier: MIT */
/* A polytope that grows inside K = { y - x } around the origin: triangles over points of K, a
 * closed surface at all times.
 *
 * What is proved about it needs neither convexity nor good triangles. The surface winds around
 * the origin (`around`), so that every ray from there meets a face; and a face lies beyond its
 * plane, n . x >= d for each of its points, whatever n is, because d is taken as the least n . v
 * of its corners. docs/notes/depth.md has the argument. */
#ifndef ABUT_NARROW_DEPTH_POLYTOPE_H
#define ABUT_NARROW_DEPTH_POLYTOPE_H

#include "narrow/depth/depth.h"

/* A closed surface of v points has 2 v - 4 triangles; some spare ones, should rounding leave it
 * otherwise. */
enum { ABUT_POLYTOPE_VERTICES = 176, ABUT_POLYTOPE_FACES = 2 * ABUT_POLYTOPE_VERTICES /* a multiple of 8 */ };

#define ABUT_POLYTOPE_UNKNOWN UINT32_MAX

typedef struct abut_polytope_face {
    uint16_t v[3];
    uint16_t across[3]; /* beyond the edge from v[i] to v[i + 1]: face * 4 + its edge */
} abut_polytope_face;

/* The planes of the faces are in arrays of their own: each growth examines all of them. */
typedef struct abut_polytope {
    uint32_t vertex_count, face_count;
    uint32_t growths;
    uint32_t least; /* the face with the least key, where that is known */
    bool around;    /* proved: the surface winds around the origin */
    /* rounding of n . v and of d, and how far off a plane still counts as in it */
    double slack;
    abut_depth_cap cap;              /* what is proved already; radius infinity: nothing */
    double key[ABUT_POLYTOPE_FACES]; /* d, or infinity where the face needs no more work */
    /* unit to rounding */
    double nx[ABUT_POLYTOPE_FACES], ny[ABUT_POLYTOPE_FACES], nz[ABUT_POLYTOPE_FACES];
    double d[ABUT_POLYTOPE_FACES]; /* least n . v, computed; infinity: no face */
    abut_polytope_face face[ABUT_POLYTOPE_FACES];
    /* one place more for a point that may become one */
    abut_convex_point vertex[ABUT_POLYTOPE_VERTICES + 1];
    double w[ABUT_POLYTOPE_VERTICES][4];  /* their w, and 0 */
    uint16_t fan[ABUT_POLYTOPE_VERTICES]; /* scratch of a growth: the new face that starts here */
} abut_polytope;

static inline abut_vec3 abut_polytope_normal(const abut_polytope *p, uint32_t face)
{
    return abut_v3(p->nx[face], p->ny[face], p->nz[face]);
}

/* Where the next vertex goes: to be written before abut_polytope_grow. */
static inline abut_convex_point *abut_polytope_next(abut_polytope *p)
{
    return &p->vertex[p->vertex_count];
}

/* Sets what is proved in other ways, and the keys anew: infinity where d >= cap->radius, or
 * where no direction outside the cap can be nearer than that through this face. NULL: nothing. */
void abut_polytope_set_cap(abut_polytope *p, const abut_depth_cap *cap);
/* From four points in any order; they need not hold the origin. */
void abut_polytope_begin(abut_polytope *p, double slack, const abut_convex_point corner[4]);
/* From six points: the first, four in a ring counter-clockwise seen from there, and the last
 * opposite. False where they are not the corners of a convex octahedron with the first and the
 * last across from each other: then there is nothing. */
bool abut_polytope_begin_octahedron(abut_polytope *p, double slack, const abut_convex_point corner[6]);
/* This face needs no more work. */
void abut_polytope_set_aside(abut_polytope *p, uint32_t face);
/* The face with the least key. */
uint32_t abut_polytope_least(const abut_polytope *p);
/* Replaces the face `from` and all that see the point at abut_polytope_next by a fan to it.
 * False, and nothing changed, where that would not leave a surface, or there is no room. */
bool abut_polytope_grow(abut_polytope *p, uint32_t from);
/* Tries to prove that the surface winds around the origin. */
bool abut_polytope_prove(abut_polytope *p);
/* Weights >= 0, sum 1, of the point of a face nearest to the origin. */
void abut_polytope_nearest(const abut_polytope *p, uint32_t face, double weight[3]);
/* The face that the ray along u from the origin leaves through, with the weights of the point
 * there; ABUT_POLYTOPE_UNKNOWN where rounding hides it. */
uint32_t abut_polytope_pierced(const abut_polytope *p, abut_vec3 u, double weight[3]);

#endif
