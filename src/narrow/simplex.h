/* SPDX-License-Identifier: MIT */
/* The point of a simplex nearest to the origin, and the face it lies in.
 *
 * A projection that falls inside a feature settles it; one that falls outside leaves only the sub-features on whose outer side it lies,
 * and each of them is tried and the nearest kept: with obtuse angles the first that matches may be the wrong one. Simplices
 * without thickness have no sides, so all their faces are tried. All decisions are relative; the smallest simplex works like the largest.
 *
 * The nearest point is computed as a direction that is perpendicular to the feature to a few ulp, whatever the distance: the normal of a
 * triangle, and for an edge e through A the product (e x A) x e; a plain sum of weighted points would lose that by cancellation. It is
 * this direction that separates. Weights are computed apart, once, when they are wanted. */
#ifndef ABUT_NARROW_SIMPLEX_H
#define ABUT_NARROW_SIMPLEX_H

#include "math/vec3.h"

typedef struct abut_nearest_feature {
    abut_vec3 v;   /* nearest point */
    double square; /* of its length */
    int count;     /* 1 to 3; 4: the origin is inside, and v is zero */
    int index[4];  /* which of the points given span it */
} abut_nearest_feature;

static inline void abut_simplex_try_point(const abut_vec3 *p, int a, abut_nearest_feature *best)
{
    const double square = abut_dot(p[a], p[a]);
    if (square < best->square) {
        best->v = p[a];
        best->square = square;
        best->count = 1;
        best->index[0] = a;
    }
}

static inline void abut_simplex_try_edge(const abut_vec3 *p, int a, int b, abut_nearest_feature *best)
{
    const abut_vec3 e = abut_sub(p[b], p[a]);
    const double t = -abut_dot(p[a], e), length = abut_dot(e, e);
    if (!(t > 0)) {
        abut_simplex_try_point(p, a, best);
        return;
    }
    if (!(t < length)) {
        abut_simplex_try_point(p, b, best);
        return;
    }
    const abut_vec3 m = abut_cross(e, p[a]);
    const double inverse = 1 / length, square = abut_dot(m, m) * inverse;
    if (square < best->square) {
        best->v = abut_scale(inverse, abut_cross(m, e));
        best->square = square;
        best->count = 2;
        best->index[0] = a;
        best->index[1] = b;
    }
}

/* Below this, squared and relative to its edges, the normal of a triangle is rounding: sin of the angle under 16 u. */
#define ABUT_SIMPLEX_FLAT (256 * 0x1p-106)

/* n = ab x ac. */
static inline void abut_simplex_try_face(const abut_vec3 *p, int a, int b, int c, abut_vec3 n,
                                         abut_nearest_feature *best)
{
    const abut_vec3 ab = abut_sub(p[b], p[a]), ac = abut_sub(p[c], p[a]), bc = abut_sub(p[c], p[b]);
    const double nn = abut_dot(n, n);
    const bool flat = !(nn > ABUT_SIMPLEX_FLAT * (abut_dot(ab, ab) * abut_dot(ac, ac)));
    const bool inner_ab = abut_dot(n, abut_cross(p[a], ab)) > 0;
    const bool inner_bc = abut_dot(n, abut_cross(p[b], bc)) > 0;
    const bool inner_ca = abut_dot(n, abut_cross(ac, p[a])) > 0;
    if (inner_ab && inner_bc && inner_ca && !flat) {
        const double height = abut_dot(n, p[a]), inverse = 1 / nn, square = height * height * inverse;
        if (square < best->square) {
            best->v = abut_scale(height * inverse, n);
            best->square = square;
            best->count = 3;
            best->index[0] = a;
            best->index[1] = b;
            best->index[2] = c;
        }
        return;
    }
    if (flat || !inner_ab)
        abut_simplex_try_edge(p, a, b, best);
    if (flat || !inner_bc)
        abut_simplex_try_edge(p, b, c, best);
    if (flat || !inner_ca)
        abut_simplex_try_edge(p, a, c, best);
}

/* Nearest point of the tetrahedron 0 1 2 3. */
static inline void abut_simplex_try_solid(const abut_vec3 *p, abut_nearest_feature *best)
{
    const abut_vec3 ab = abut_sub(p[1], p[0]), ac = abut_sub(p[2], p[0]), ad = abut_sub(p[3], p[0]);
    const abut_vec3 abc = abut_cross(ab, ac), acd = abut_cross(ac, ad), adb = abut_cross(ad, ab);
    const abut_vec3 bcd = abut_cross(abut_sub(p[2], p[1]), abut_sub(p[3], p[1]));
    const double volume = abut_dot(ab, acd);
    const bool flat = !(volume * volume > ABUT_SIMPLEX_FLAT * abut_dot(ab, ab) * abut_dot(acd, acd));
    const double sign = volume > 0 ? 1 : -1;
    /* The normals point inwards where the volume is positive; bcd, as the sum of the others, outwards. */
    const bool out_abc = flat || !(sign * abut_dot(abc, p[0]) < 0);
    const bool out_acd = flat || !(sign * abut_dot(acd, p[0]) < 0);
    const bool out_adb = flat || !(sign * abut_dot(adb, p[0]) < 0);
    const bool out_bcd = flat || !(sign * abut_dot(bcd, p[1]) > 0);
    if (!(out_abc || out_acd || out_adb || out_bcd)) {
        *best = (abut_nearest_feature){ .count = 4, .index = { 0, 1, 2, 3 } };
        return;
    }
    if (out_abc)
        abut_simplex_try_face(p, 0, 1, 2, abc, best);
    if (out_acd)
        abut_simplex_try_face(p, 0, 2, 3, acd, best);
    if (out_adb)
        abut_simplex_try_face(p, 0, 3, 1, adb, best);
    if (out_bcd)
        abut_simplex_try_face(p, 1, 2, 3, bcd, best);
}

/* Of the hull of p[0] … p[count - 1], 1 <= count <= 4. Coordinates not beyond 2^150, nor differences below 2^-250. */
static inline abut_nearest_feature abut_simplex_nearest(const abut_vec3 *p, int count)
{
    abut_nearest_feature best = { .square = INFINITY };
    switch (count) {
    case 1: abut_simplex_try_point(p, 0, &best); break;
    case 2: abut_simplex_try_edge(p, 0, 1, &best); break;
    case 3:
        abut_simplex_try_face(p, 0, 1, 2, abut_cross(abut_sub(p[1], p[0]), abut_sub(p[2], p[0])), &best);
        break;
    default: abut_simplex_try_solid(p, &best); break;
    }
    return best;
}

/* Weights of the nearest point of the vertex, edge or triangle p, known to lie in its inside: not negative, with sum 1 to rounding. */
void abut_simplex_weights(const abut_vec3 *p, int count, double *weight);
/* Certified: the ball of this radius about the origin is inside the tetrahedron; negative where that is not proved. */
double abut_simplex_margin(const abut_vec3 *p);

#endif
