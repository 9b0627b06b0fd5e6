/* SPDX-License-Identifier: MIT */
/* A line through a convex body: where it enters and leaves. For rays and segments. */
#ifndef ABUT_NARROW_RAY_LINE_H
#define ABUT_NARROW_RAY_LINE_H

#include "abut/query.h"
#include "narrow/pair/gap.h"
#include "narrow/pair/place.h"
#include "shape/shape.h"

/* The points o + t d in the body's frame (of a sphere: turned as the world is), both as exact
 * sums where the placement is exact. Lengths are divided by 2^length_exponent, the direction by
 * 2^direction_exponent, so that t is to be multiplied by 2^(length_exponent -
 * direction_exponent). */
typedef struct abut_line {
    abut_terms o[3], d[3];
    int length_exponent, direction_exponent;
    bool unnamed; /* nobody asks for the numbers of faces, which take a search */
    /* The start was moved towards the body: `base` is to be added to all t, and `offset` is the new
     * start less the origin of the body, rounded, in the world's axes. */
    bool moved;
    dd base;
    abut_vec3 offset;
} abut_line;

typedef struct abut_line_end {
    double t; /* unscaled; the nearest double, or its neighbour; -+infinity for half-spaces */
    abut_feature feature;
    int64_t id;
    abut_vec3 outward; /* unit, in that frame; of the lowest face where several meet */
} abut_line_end;

typedef struct abut_line_hit {
    /* 0: misses; 1: touches at end[0]; 2: enters at end[0] and leaves at end[1]; -1: it starts
     * in the body, and its direction is so short that its square is 0 */
    int count;
    abut_line_end end[2];
    bool in_boundary; /* between its ends it runs in this feature of the boundary, not inside */
    abut_feature feature;
    int64_t id;
} abut_line_hit;

/* Line from a point along a direction, both in the world; `to` instead of a direction when it is
 * not NULL. */
void abut_line_make(const abut_shape *shape, const abut_place *place, abut_vec3 from, const abut_vec3 *to,
                    abut_vec3 direction, abut_line *out);
/* The same for a line that is asked for its meetings only: the start of one from far away is
 * moved. */
void abut_line_approach(const abut_shape *shape, const abut_place *place, abut_vec3 from, const abut_vec3 *to,
                        abut_vec3 direction, abut_line *out);
/* The parameter counted from where the line was said to start. */
static inline double abut_line_parameter(const abut_line *line, double t)
{
    return line->moved && isfinite(line->base.h) ? dd_add(line->base, (dd){ t, 0 }).h : line->base.h + t;
}
/* Parts of abut_line_make: how far the body reaches from its origin, the exponent for lengths up to
 * `largest`, and from the world's axes to the body's. */
double abut_line_size(const abut_shape *shape);
int abut_line_exponent(const abut_shape *shape, double largest);
void abut_line_turn(const abut_shape *shape, const abut_place *place, const abut_terms world[3],
                    abut_terms local[3]);
/* Every convex shape and half-spaces; false for all others. */
bool abut_line_through(const abut_shape *shape, const abut_line *line, abut_line_hit *out);
/* What it calls: cylinders, cones, ellipsoids. *out comes zeroed, with id = -1. */
void abut_line_through_quadric(const abut_shape *shape, const abut_line *line, abut_line_hit *out);
/* Hulls without a margin, flat ones too. */
void abut_line_through_hull(const abut_hull *hull, const abut_line *line, abut_line_hit *out);
/* Any core and its ball, by distances: t to about 1e-15 of the sizes over the sine of the angle
 * at which it crosses. */
void abut_line_through_swept(const abut_core *core, const abut_line *line, abut_line_hit *out);
/* A point within `slack` of p, which is divided by 2^exponent as the slack is: 1 where it is
 * proved outside the swept core, -1 inside, else ABUT_SIGN_UNKNOWN. */
int abut_line_point_side(const abut_core *core, int exponent, abut_vec3 p, double slack);
/* ellipsoid_line.c: a line, as in abut_line_make, through what the stand-in represents; normals
 * are in the world. */
void abut_ellipsoid_through(const abut_shape *image, const abut_place *place, abut_vec3 from,
                            const abut_vec3 *to, abut_vec3 direction, abut_line_hit *out);

#endif
