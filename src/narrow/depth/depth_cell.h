/* SPDX-License-Identifier: MIT */
/* Bodies, pieces and cells of depth_cells.c, and the bound over one cell (depth_quadratic.c). */
#ifndef ABUT_NARROW_DEPTH_DEPTH_CELL_H
#define ABUT_NARROW_DEPTH_DEPTH_CELL_H

#include "narrow/depth/depth.h"

enum { ABUT_DEPTH_CORNERS = 16 };

/* A core as part of K: b, or minus a. */
typedef struct abut_depth_body {
    const abut_core *core;
    double sign;
    abut_vec3 axis[3]; /* of its frame */
    abut_vec3 at;      /* its origin */
    double size;
    bool turned; /* about an axis */
    abut_depth_solid solid;
} abut_depth_body;

/* The piece of a body that counts: the corner, or the middle of the rim, from the origin of K; h
 * scales the body's axes to M. */
typedef struct abut_depth_piece {
    abut_vec3 at;
    double h[3];
} abut_depth_piece;

typedef struct abut_depth_cell {
    int count;
    abut_vec3 corner[ABUT_DEPTH_CORNERS]; /* unit, counter-clockwise from outside */
    abut_depth_piece of[2];
} abut_depth_cell;

static inline abut_vec3 abut_depth_unit(abut_vec3 v)
{
    return abut_scale(1 / sqrt(abut_dot(v, v)), v);
}

/* |M v|. */
static inline double abut_depth_length(const abut_depth_body *b, const abut_depth_piece *p, abut_vec3 v)
{
    const double x = p->h[0] * abut_dot(b->axis[0], v), y = p->h[1] * abut_dot(b->axis[1], v),
                 z = p->h[2] * abut_dot(b->axis[2], v);
    return sqrt(x * x + y * y + z * z);
}

/* By how much the pieces of both bodies may reach less than `least` in the cell, negative where
 * they may: g(v) - least |v| at least, where |v| >= 1; *worst: where. m: unit, and sees all
 * corners. */
double abut_depth_below(const abut_depth_body b[2], const abut_depth_cell *c, double least, abut_vec3 m,
                        abut_vec3 *worst);

#endif
