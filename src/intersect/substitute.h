/* SPDX-License-Identifier: MIT */
/* Curves put into the equations of surfaces: univariate polynomials, their coefficients enclosed or exact.
 * Derivations: docs/notes/cad-intersections.md. */
#ifndef ABUT_INTERSECT_SUBSTITUTE_H
#define ABUT_INTERSECT_SUBSTITUTE_H

#include "abut/solid.h"
#include "interval/ia3.h"

/* A spline of degree 3 on a torus of degree 4. */
enum { ABUT_SUBSTITUTE_DEGREE = 12, ABUT_SUBSTITUTE_TERMS = 64 };

/* A surface and a piece of a curve whose data are enclosed; points where they are what the user gave. */
typedef struct abut_enclosed_surface {
    abut_solid_surface_kind kind;
    abut_interval_vec3 point, axis;
    abut_interval radius, minor, tangent;
    abut_interval matrix[4][4];
} abut_enclosed_surface;

/* line: p[0] + t (p[1] - p[0]). circle: about p[0] from p[1], counter-clockwise about p[2]; t = tan(angle / 2), and
 * with `turned` of the angle less half a turn. conic: p[0], p[1] of that weight, p[2]. spline: one cubic. */
typedef struct abut_enclosed_curve {
    abut_solid_edge_kind kind;
    bool turned;
    abut_interval_vec3 p[4];
    abut_interval weight;
} abut_enclosed_curve;

typedef struct abut_substituted {
    int degree; /* as it follows from the kinds */
    abut_interval c[ABUT_SUBSTITUTE_DEGREE + 1];
    /* Numerators and the denominator (positive where the curve is) of the point. */
    int curve_degree;
    abut_interval point[3][4], weight[4];
    /* Of a cone: the height above the apex, times a positive number. */
    abut_interval height[4];
} abut_substituted;

/* Coefficient i is the sum of the terms[i][...], as for abut_poly_roots_expansion; all are scaled by one power
 * of two. */
typedef struct abut_substituted_exact {
    int degree;
    double terms[ABUT_SUBSTITUTE_DEGREE + 1][ABUT_SUBSTITUTE_TERMS];
    /* Of a cone; degree -1 of other surfaces, and where it is 0 all along. */
    int height_degree;
    double height[4][ABUT_SUBSTITUTE_TERMS];
} abut_substituted_exact;

void abut_substitute(const abut_enclosed_curve *curve, const abut_enclosed_surface *surface,
                     abut_substituted *out);
/* False where an input is no point, a circle's axis has a length that is no double, or numbers get too long. */
bool abut_substitute_exact(const abut_enclosed_curve *curve, const abut_enclosed_surface *surface,
                           abut_substituted_exact *out);
/* Sign of the exact polynomial at a double: -1, 0, 1; 2 where it is not known. */
int abut_substituted_sign(const abut_substituted_exact *p, double t);
/* Of a line and a cone: does the line pass the apex? */
bool abut_substituted_apex(const abut_substituted_exact *p);
/* Is p exactly on the surface (a cone's nappe)? -1 where it is not known. */
int abut_on_surface_exact(const abut_enclosed_surface *surface, abut_vec3 p);

/* Is q exactly on the circle, whose first end is exactly in its plane? */
bool abut_on_circle_exact(const abut_enclosed_curve *circle, abut_vec3 q);

/* The point at t; the nearer the curve's weight is to 0 there, the wider. */
abut_interval_vec3 abut_substituted_point(const abut_substituted *s, abut_interval t);

void abut_enclosed_surface_from(abut_enclosed_surface *out, const abut_solid_surface *s);

#endif
