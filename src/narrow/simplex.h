/* SPDX-License-Identifier: MIT */
/* The point of a simplex nearest to the origin, and the feature it lies in.
 *
 * A projection that falls inside a feature settles it; one that falls outside leaves only the sub-features on whose outer side it lies,
 * and each of them is tried and the nearest kept: with obtuse angles the first that matches may be the wrong one. Simplices
 * without thickness have no sides, so all their faces are tried. All decisions are relative; the smallest simplex works like the largest.
 *
 * The nearest point is computed as a direction that is perpendicular to the feature to a few ulp, whatever the distance: the normal of a
 * triangle, and for an edge e through A the product (e x A) x e; a plain sum of weighted points would lose that by cancellation. It is
 * this direction that separates. Weights are computed apart, once, when they are wanted.
 *
 * In GJK the simplex is the last feature with one point more, and that comes nearer: then the nearest point is in none of the old
 * features, and they are left out (abut_simplex_grow). */
#ifndef ABUT_NARROW_SIMPLEX_H
#define ABUT_NARROW_SIMPLEX_H

#include "math/vec3.h"

typedef struct abut_nearest_feature {
    abut_vec3 v;   /* nearest point */
    double square; /* of its length */
    int count;     /* 1 to 3; 4: the origin is inside, and v is zero */
    int index[4];  /* which of the points given span it */
} abut_nearest_feature;

static inline void abut_simplex_try_point(const abut_vec3 *a, int ia, abut_nearest_feature *best)
{
    const double square = abut_dot(*a, *a);
    if (square < best->square) {
        best->v = *a;
        best->square = square;
        best->count = 1;
        best->index[0] = ia;
    }
}

/* e = b - a */
static inline void abut_simplex_try_edge(const abut_vec3 *a, const abut_vec3 *b, abut_vec3 e, int ia, int ib,
                                         abut_nearest_feature *best)
{
    const double t = -abut_dot(*a, e), length = abut_dot(e, e);
    if (!(t > 0)) {
        abut_simplex_try_point(a, ia, best);
        return;
    }
    if (!(t < length)) {
        abut_simplex_try_point(b, ib, best);
        return;
    }
    const abut_vec3 m = abut_cross(e, *a);
    const double inverse = 1 / length, square = abut_dot(m, m) * inverse;
    if (square < best->square) {
        best->v = abut_scale(inverse, abut_cross(m, e));
        best->square = square;
        best->count = 2;
        best->index[0] = ia;
        best->index[1] = ib;
    }
}

/* Below this, squared and relative to its edges, the normal of a triangle is rounding: sin of the angle under 16 u. */
#define ABUT_SIMPLEX_FLAT (256 * 0x1p-106)

/* ab = b - a, ac = c - a, n = ab x ac. `old`: nothing nearer is known to lie in bc. */
static inline void abut_simplex_try_face(const abut_vec3 *a, const abut_vec3 *b, const abut_vec3 *c,
                                         abut_vec3 ab, abut_vec3 ac, abut_vec3 n, int ia, int ib, int ic,
                                         bool old, abut_nearest_feature *best)
{
    const abut_vec3 bc = abut_sub(*c, *b);
    const double nn = abut_dot(n, n);
    const bool flat = !(nn > ABUT_SIMPLEX_FLAT * (abut_dot(ab, ab) * abut_dot(ac, ac)));
    const bool inner_ab = abut_dot(n, abut_cross(*a, ab)) > 0;
    const bool inner_ac = abut_dot(n, abut_cross(ac, *a)) > 0;
    const bool inner_bc = abut_dot(n, abut_cross(*b, bc)) > 0;
    if (inner_ab && inner_ac && !flat) {
        if (inner_bc) {
            const double height = abut_dot(n, *a), inverse = 1 / nn, square = height * height * inverse;
            if (square < best->square) {
                best->v = abut_scale(height * inverse, n);
                best->square = square;
                best->count = 3;
                best->index[0] = ia;
                best->index[1] = ib;
                best->index[2] = ic;
            }
        } else if (!old) {
            abut_simplex_try_edge(b, c, bc, ib, ic, best);
        }
        return;
    }
    if (flat || !inner_ab)
        abut_simplex_try_edge(a, b, ab, ia, ib, best);
    if (flat || !inner_ac)
        abut_simplex_try_edge(a, c, ac, ia, ic, best);
    if (!old && (flat || !inner_bc))
        abut_simplex_try_edge(b, c, bc, ib, ic, best);
}

static inline void abut_simplex_try_solid(const abut_vec3 *a, const abut_vec3 *b, const abut_vec3 *c,
                                          const abut_vec3 *d, int ia, int ib, int ic, int id, bool old,
                                          abut_nearest_feature *best)
{
    const abut_vec3 ab = abut_sub(*b, *a), ac = abut_sub(*c, *a), ad = abut_sub(*d, *a);
    const abut_vec3 abc = abut_cross(ab, ac), acd = abut_cross(ac, ad), adb = abut_cross(ad, ab);
    const double volume = abut_dot(ab, acd);
    const bool flat = !(volume * volume > ABUT_SIMPLEX_FLAT * (abut_dot(ab, ab) * abut_dot(acd, acd)));
    const double sign = volume > 0 ? 1 : -1;
    /* The normals point inwards where the volume is positive; bcd, which is their sum, outwards. */
    const bool out_abc = flat || !(sign * abut_dot(abc, *a) < 0);
    const bool out_acd = flat || !(sign * abut_dot(acd, *a) < 0);
    const bool out_adb = flat || !(sign * abut_dot(adb, *a) < 0);
    abut_vec3 bc, bd, bcd;
    bool out_bcd = false;
    if (!old) {
        bc = abut_sub(*c, *b);
        bd = abut_sub(*d, *b);
        bcd = abut_cross(bc, bd);
        out_bcd = flat || !(sign * abut_dot(bcd, *b) > 0);
    }
    if (!(out_abc || out_acd || out_adb || out_bcd)) {
        *best = (abut_nearest_feature){ .count = 4, .index = { ia, ib, ic, id } };
        return;
    }
    if (out_abc)
        abut_simplex_try_face(a, b, c, ab, ac, abc, ia, ib, ic, old, best);
    if (out_acd)
        abut_simplex_try_face(a, c, d, ac, ad, acd, ia, ic, id, old, best);
    if (out_adb)
        abut_simplex_try_face(a, d, b, ad, ab, adb, ia, id, ib, old, best);
    if (!old && out_bcd)
        abut_simplex_try_face(b, c, d, bc, bd, bcd, ib, ic, id, false, best);
}

static inline void abut_simplex_try(const abut_vec3 *const p[], int count, bool old,
                                    abut_nearest_feature *best)
{
    best->v = abut_v3(0, 0, 0);
    best->square = INFINITY;
    best->count = 0;
    switch (count) {
    case 1: abut_simplex_try_point(p[0], 0, best); break;
    case 2: abut_simplex_try_edge(p[0], p[1], abut_sub(*p[1], *p[0]), 0, 1, best); break;
    case 3: {
        const abut_vec3 ab = abut_sub(*p[1], *p[0]), ac = abut_sub(*p[2], *p[0]);
        abut_simplex_try_face(p[0], p[1], p[2], ab, ac, abut_cross(ab, ac), 0, 1, 2, old, best);
        break;
    }
    default: abut_simplex_try_solid(p[0], p[1], p[2], p[3], 0, 1, 2, 3, old, best); break;
    }
}

/* Of the hull of p[0] … p[count - 1], 1 <= count <= 4. Coordinates not beyond 2^150, nor differences below 2^-250. */
static inline abut_nearest_feature abut_simplex_nearest(const abut_vec3 *p, int count)
{
    const abut_vec3 *const each[4] = { &p[0], &p[1], &p[2], &p[3] };
    abut_nearest_feature best;
    abut_simplex_try(each, count, false, &best);
    return best;
}

/* The same where p[1] … p[count - 1] had their nearest point inside and p[0] is known to come nearer; count 0 where rounding has it otherwise. */
static inline void abut_simplex_grow(const abut_vec3 *const p[], int count, abut_nearest_feature *best)
{
    abut_simplex_try(p, count, true, best);
}

/* Weights of the nearest point of the vertex, edge or triangle p, known to lie in its inside: not negative, with sum 1 to rounding. */
void abut_simplex_weights(const abut_vec3 *p, int count, double *weight);
/* Certified: the ball of this radius about the origin is inside the tetrahedron; negative where that is not proved. */
double abut_simplex_margin(const abut_vec3 *p);
/* Certified and quick: whether that radius is more than `least`; may be false although it is. */
bool abut_simplex_holds(const abut_vec3 *a, const abut_vec3 *b, const abut_vec3 *c, const abut_vec3 *d,
                        double least);

#endif
