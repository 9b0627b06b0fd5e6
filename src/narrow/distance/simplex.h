/* SPDX-License-Identifier: MIT */
/* The point of a simplex nearest to the origin, and the feature it lies in.
 *
 * The simplex is a point, segment or triangle whose nearest point is known to lie inside it, and
 * one point more that comes nearer. The new nearest point then lies in a feature with the new
 * point. A projection that falls inside a feature decides it; one that falls outside leaves only
 * the sub-features on whose outer side it lies, and each of them is tried and the nearest kept:
 * with obtuse angles the first that matches may be the wrong one. A tetrahedron without thickness
 * has no sides, so all its faces are tried, and a triangle without, both edges. All decisions are
 * relative; the smallest simplex works like the largest.
 *
 * The nearest point is computed as a direction that is perpendicular to the feature to a few
 * ulp, whatever the distance: the normal of a triangle, and for an edge e through a the product
 * (e x a) x e; a sum of weighted points would lose that by cancellation. It is this direction
 * that separates. Weights are computed apart, once, when they are wanted. */
#ifndef ABUT_NARROW_DISTANCE_SIMPLEX_H
#define ABUT_NARROW_DISTANCE_SIMPLEX_H

#include "math/vec3.h"

#define ABUT_SIMPLEX_INLINE static inline __attribute__((always_inline))

typedef struct abut_nearest_feature {
    abut_vec3 v;   /* nearest point; zero when the origin is inside */
    double square; /* of its length; infinite where nothing nearer was found */
    /* bit i: the feature has old point i beside the new one; 7: the origin is inside */
    unsigned kept;
} abut_nearest_feature;

ABUT_SIMPLEX_INLINE void abut_simplex_keep(abut_vec3 v, double square, unsigned kept,
                                           abut_nearest_feature *best)
{
    if (square < best->square)
        *best = (abut_nearest_feature){ v, square, kept };
}

/* ab = b - a. That b is nearest would be no news; whether it is, ab . b tells better than the
 * weight, which rounds to 1 when b is nearly below the origin: there the edge still turns v. */
ABUT_SIMPLEX_INLINE void abut_simplex_try_edge(abut_vec3 a, abut_vec3 b, abut_vec3 ab, unsigned kept,
                                               abut_nearest_feature *best)
{
    if (!(abut_dot(a, ab) < 0)) {
        abut_simplex_keep(a, abut_dot(a, a), 0, best);
    } else if (abut_dot(b, ab) > 0) {
        const abut_vec3 m = abut_cross(ab, a);
        const double inverse = 1 / abut_dot(ab, ab);
        abut_simplex_keep(abut_scale(inverse, abut_cross(m, ab)), inverse * abut_dot(m, m), kept, best);
    }
}

/* Squares of sines: under SLIM the normal of a triangle deserves better than the product of two
 * edges at hand, under FLAT any is rounding. */
#define ABUT_SIMPLEX_SLIM 0x1p-4
#define ABUT_SIMPLEX_FLAT (256 * 0x1p-106)

/* For a triangle with ab = b - a and ac = c - a that is slim at a: its normal ab x ac from its
 * two shortest edges; true where even that is of no use and its edges are to be tried instead. */
bool abut_simplex_is_needle(abut_vec3 a, abut_vec3 ab, abut_vec3 ac, abut_vec3 *n);

/* ab = b - a, ac = c - a, n = ab x ac. `open`: the projection is known not to fall beyond bc. */
ABUT_SIMPLEX_INLINE void abut_simplex_try_face(abut_vec3 a, abut_vec3 b, abut_vec3 c, abut_vec3 ab,
                                               abut_vec3 ac, abut_vec3 n, unsigned kept_b, unsigned kept_c,
                                               bool open, abut_nearest_feature *best)
{
    double nn = abut_dot(n, n);
    bool flat = false;
    if (!(nn > ABUT_SIMPLEX_SLIM * (abut_dot(ab, ab) * abut_dot(ac, ac)))) {
        flat = abut_simplex_is_needle(a, ab, ac, &n);
        nn = abut_dot(n, n);
    }
    const bool beyond_ab = !(abut_dot(n, abut_cross(a, ab)) > 0);
    const bool beyond_ac = !(abut_dot(n, abut_cross(ac, a)) > 0);
    if (!(beyond_ab | beyond_ac | flat)) {
        if (open || abut_dot(n, abut_cross(b, abut_sub(c, b))) > 0) {
            const double height = abut_dot(n, a), inverse = 1 / nn;
            abut_simplex_keep(abut_scale(height * inverse, n), height * height * inverse, kept_b | kept_c,
                              best);
        }
        return;
    }
    if (beyond_ab | flat)
        abut_simplex_try_edge(a, b, ab, kept_b, best);
    if (beyond_ac | flat)
        abut_simplex_try_edge(a, c, ac, kept_c, best);
}

ABUT_SIMPLEX_INLINE void abut_simplex_try_solid(const abut_vec3 *p, abut_vec3 a, abut_nearest_feature *best)
{
    const abut_vec3 ab = abut_sub(p[0], a), ac = abut_sub(p[1], a), ad = abut_sub(p[2], a);
    const abut_vec3 abc = abut_cross(ab, ac), acd = abut_cross(ac, ad), adb = abut_cross(ad, ab);
    const double volume = abut_dot(ab, acd);
    const bool flat = !(volume * volume > ABUT_SIMPLEX_FLAT * (abut_dot(ab, ab) * abut_dot(acd, acd)));
    /* The normals point inwards where the volume is positive. */
    const abut_vec3 o = abut_scale(copysign(1, volume), a);
    const bool out_abc = flat | !(abut_dot(abc, o) < 0);
    const bool out_acd = flat | !(abut_dot(acd, o) < 0);
    const bool out_adb = flat | !(abut_dot(adb, o) < 0);
    if (!(out_abc | out_acd | out_adb)) {
        *best = (abut_nearest_feature){ { 0, 0, 0 }, 0, 7 };
        return;
    }
    if (out_abc)
        abut_simplex_try_face(a, p[0], p[1], ab, ac, abc, 1, 2, false, best);
    if (out_acd)
        abut_simplex_try_face(a, p[1], p[2], ac, ad, acd, 2, 4, false, best);
    if (out_adb)
        abut_simplex_try_face(a, p[2], p[0], ad, ab, adb, 4, 1, false, best);
}

/* Old points p[0] … p[count - 1], 0 <= count <= 3, and the new point a. Coordinates not beyond
 * 2^150, nor differences below 2^-250. */
ABUT_SIMPLEX_INLINE void abut_simplex_grow(const abut_vec3 *p, int count, abut_vec3 a,
                                           abut_nearest_feature *best)
{
    *best = (abut_nearest_feature){ { 0, 0, 0 }, INFINITY, 0 };
    switch (count) {
    case 0: abut_simplex_keep(a, abut_dot(a, a), 0, best); break;
    case 1: abut_simplex_try_edge(a, p[0], abut_sub(p[0], a), 1, best); break;
    case 2: {
        const abut_vec3 ab = abut_sub(p[0], a), ac = abut_sub(p[1], a);
        abut_simplex_try_face(a, p[0], p[1], ab, ac, abut_cross(ab, ac), 1, 2, true, best);
        break;
    }
    default: abut_simplex_try_solid(p, a, best); break;
    }
}

/* Of any 1 to 4 points: the feature in bits 0 … count - 1 of `kept`. */
abut_nearest_feature abut_simplex_nearest(const abut_vec3 *p, int count);
/* Weights of the nearest point of the vertex, edge or triangle p, known to lie in its inside:
 * not negative, with sum 1 to rounding. */
void abut_simplex_weights(const abut_vec3 *p, int count, double *weight);
/* Certified: the ball of this radius about the origin is inside the tetrahedron; negative where
 * that is not proved. */
double abut_simplex_margin(const abut_vec3 *p);
/* Certified and quick: whether that radius is more than `least`; may be false although it is. */
bool abut_simplex_holds(const abut_vec3 *p, double least);

#endif
