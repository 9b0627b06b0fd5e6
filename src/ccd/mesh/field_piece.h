/* SPDX-License-Identifier: MIT */
/* A height field as a union of convex bodies, and where a moving body is in its frame. */
#ifndef ABUT_CCD_MESH_FIELD_PIECE_H
#define ABUT_CCD_MESH_FIELD_PIECE_H

#include "ccd/proof/relative.h"
#include "shape/heightfield.h"

/* What is under one triangle, or under a rectangle of cells that are level, cut off below: a
 * prism of three or four sides. It refers to itself: not to be copied. */
typedef struct abut_field_piece {
    abut_shape shape; /* a convex one, in the frame of the field */
    abut_hull hull;
    double x[8], y[8], z[8];
    uint32_t point_of[8], link_begin[9], links[24], face_begin[7], face_corners[24];
    abut_vec3 face_normal[6];
} abut_field_piece;

/* A block of cells: [i0, i1] x [j0, j1] of the grid's vertices. */
typedef struct abut_field_block {
    int level;
    size_t i, j;
    size_t i0, i1, j0, j1;
    double lo, hi; /* heights */
} abut_field_block;

abut_field_block abut_field_block_at(const abut_heightfield_data *field, int level, size_t i, size_t j);
/* Coordinate of a vertex of the grid along an axis, rounded. */
double abut_field_grid(const abut_heightfield_data *field, int axis, size_t i);
/* Corners of a triangle of cell (i, j), counter-clockwise from above, and the unit normal of its
 * upper side: right to a few ulp, NaN where heights overflow. */
abut_vec3 abut_field_triangle(const abut_heightfield_data *field, size_t i, size_t j, int which,
                              abut_vec3 corner[3]);

/* which 0 or 1: under that triangle of the cell; 2: under all of a block, up to its greatest
 * height: the box around it, and itself where it is level. `bottom` is below the top. `within`:
 * only the top can be met, so that it does not matter that the corners are rounded. */
void abut_field_piece_make(const abut_heightfield_data *field, const abut_field_block *block, int which,
                           double bottom, bool within, abut_field_piece *out);

/* The body over time, in the frame of the field. */
typedef struct abut_field_view {
    const abut_heightfield_data *field;
    abut_relative_side body, ground;
    abut_interval_vec3 box; /* around the body, in its own frame */
} abut_field_view;

/* Certified: no point of the body is outside of it at any time of `time`. Not finite where
 * nothing is known. */
abut_interval_vec3 abut_field_reach(const abut_field_view *view, abut_interval time);
/* Certified: the point p of the body, or one that is no further than `slip` from it in each
 * coordinate, is inside the ground at all times of `time`. */
bool abut_field_holds(const abut_field_view *view, abut_vec3 p, double slip, abut_interval time);

/* field_touch.c: the normal at a place of contact, which so far is that of one piece. */
struct abut_moving;
struct abut_moving_touch;
void abut_field_decide(const struct abut_moving *m, struct abut_moving_touch *touch);

#endif
