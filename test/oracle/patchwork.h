/* SPDX-License-Identifier: MIT */
/* Referee for two bodies of any kinds: each is a formula for the signed distance and a list of patches of its
 * boundary, in doubles. The distance of two bodies is enclosed by branch and bound over the patches of the
 * one and the formula of the other; common points are found by descent. Nothing here is certified, but
 * nothing here is shared with what is judged. */
#ifndef ORACLE_PATCHWORK_H
#define ORACLE_PATCHWORK_H

#include <stdbool.h>
#include <stddef.h>

enum { PATCHWORK_KINDS = 22, PATCHWORK_LEAVES = 4, PATCHWORK_NUMBERS = 112 };

typedef enum patchwork_type {
    PATCHWORK_BOX = 0,
    PATCHWORK_ROUND,     /* an ellipsoid, numbers: its radii */
    PATCHWORK_CAPSULE,   /* radius, height */
    PATCHWORK_TURNED,    /* a profile about the z axis: count, then x, y, bulge of each corner */
    PATCHWORK_DRAWN,     /* a profile from z = 0 on: height, count, corners */
    PATCHWORK_TORUS,     /* major, minor */
    PATCHWORK_HALF,      /* normal (unit), offset */
    PATCHWORK_TRIANGLES, /* count of vertices, of triangles, vertices, corners */
    PATCHWORK_FIELD,     /* columns, rows, dx, dy, heights */
    PATCHWORK_SHEET      /* degrees m, n, then (m + 1) (n + 1) points of a Bezier patch */
} patchwork_type;

typedef struct patchwork_leaf {
    patchwork_type type;
    double n[PATCHWORK_NUMBERS];
    double turn[3][3], at[3]; /* in the frame of the body */
} patchwork_leaf;

/* What of it the body is: the first leaf, all of them, their common part, or the first less the others. */
typedef enum patchwork_op { PATCHWORK_UNION = 0, PATCHWORK_COMMON, PATCHWORK_LESS } patchwork_op;

typedef struct patchwork {
    int kind;
    bool solid, endless;
    double margin; /* all that is within this of it belongs to the body */
    double size;   /* about */
    patchwork_op op;
    int count;
    patchwork_leaf leaf[PATCHWORK_LEAVES];
} patchwork;

typedef struct patchwork_place {
    double m[3][3], t[3]; /* m x + t */
    bool rigid;
} patchwork_place;

typedef struct patchwork_range {
    double lo, hi;  /* of the distance; lo is 0 where no more is known, hi INFINITY */
    double near[3]; /* of the first body, or near it */
} patchwork_range;

const char *patchwork_name(int kind);
/* A random body of a kind, of about that size, and its shape as text of a scene file. */
void patchwork_random(int kind, double size, double (*uniform)(void *ctx, double lo, double hi), void *ctx,
                      patchwork *out, char *shape, size_t room);
/* Signed: negative inside; of sheets the distance. No point of the body or of what is outside of it is nearer
 * than that; in the frame of the body. */
double patchwork_level(const patchwork *b, const double x[3]);
double patchwork_level_at(const patchwork *b, const patchwork_place *at, const double x[3]);
/* Whether boundaries and formulas tell distances of the two; cells: the work. */
patchwork_range patchwork_distance(const patchwork *a, const patchwork_place *at_a, const patchwork *b,
                                   const patchwork_place *at_b, double fine, size_t cells);
/* How far a ball in both reaches, at most found; 0: no common point was found. Of a sheet: how far a point of it
 * is inside the other one. */
double patchwork_common(const patchwork *a, const patchwork_place *at_a, const patchwork *b,
                        const patchwork_place *at_b, double where[3]);

#endif
