/* SPDX-License-Identifier: MIT */
/* Convex sets in a plane, what two of them have in common, and points spread over that. In
 * doubles: where samples are is a matter of taste, not of proof. */
#ifndef ABUT_CCD_FIRST_SPREAD_H
#define ABUT_CCD_FIRST_SPREAD_H

#include "ccd/first_face.h"

typedef struct abut_flat {
    double x, y;
} abut_flat;

/* A face in the coordinates of its plane; polygons counter-clockwise. */
typedef struct abut_flat_face {
    abut_face_kind kind;
    int count;
    abut_flat p[ABUT_FACE_CORNERS];
    double radius;
} abut_flat_face;

/* The points with x cos + y sin <= offset. */
typedef struct abut_flat_line {
    double x, y, offset;
} abut_flat_line;

typedef struct abut_flat_disc {
    abut_flat at;
    double radius;
} abut_flat_disc;

/* A part of the border: straight, or an arc of a disc, counter-clockwise. */
typedef struct abut_flat_piece {
    abut_flat from, to;
    int disc; /* -1: straight */
    double angle, sweep;
} abut_flat_piece;

enum { ABUT_REGION_LINES = 2 * ABUT_FACE_CORNERS, ABUT_REGION_PIECES = 2 * ABUT_FACE_CORNERS + 16 };

typedef struct abut_contact_region {
    int dimension;      /* -1: nothing, 0: a point, 1: a segment, 2: more */
    abut_flat from, to; /* of a segment; a point is `from` */
    double tolerance;
    int line_count, disc_count, piece_count;
    abut_flat_line lines[ABUT_REGION_LINES];
    abut_flat_disc discs[2];
    abut_flat_piece pieces[ABUT_REGION_PIECES];
} abut_contact_region;

/* `tolerance`: sets that are apart by no more have points in common. What is smaller than
 * `close` is a point, what is narrower a segment. Not two planes. */
void abut_region_meet(const abut_flat_face *a, const abut_flat_face *b, double tolerance, double close,
                      abut_contact_region *out);
/* As far as `close`. */
bool abut_flat_holds(const abut_flat_face *face, abut_flat p, double close);
/* The least rectangle along the axes around a region that is not empty. */
void abut_region_bounds(const abut_contact_region *region, abut_flat *lo, abut_flat *hi);

enum { ABUT_SPREAD_MOST = 2048 };

/* Samples, no two nearer to each other than 15/16 of `separation`, but for corners. Kept by
 * cells of that width. */
typedef struct abut_spread {
    double separation, apart, step;
    abut_flat origin;
    int columns, rows;
    int count;
    abut_flat p[ABUT_SPREAD_MOST];
    uint8_t dimension[ABUT_SPREAD_MOST]; /* of the region that each is of */
    uint16_t next[ABUT_SPREAD_MOST];     /* in its cell: number plus 1, 0 at the end */
    uint16_t first[ABUT_SPREAD_MOST];
} abut_spread;

/* Over regions within these bounds. Where the samples would be more than there is room for, the
 * separation grows. */
void abut_spread_begin(abut_spread *s, abut_flat lo, abut_flat hi, double separation);
/* Until each point of the region is within `separation` of a sample. `alone`: it is all there
 * is, so that its corners and ends are samples however near they are; they come first. */
void abut_spread_add(abut_spread *s, const abut_contact_region *region, bool alone, double close);
/* Only those corners or ends of the region that are some of the face as well, however near they
 * are. */
void abut_spread_add_corners(abut_spread *s, const abut_contact_region *region, const abut_flat_face *face,
                             double close);

#endif
