/* SPDX-License-Identifier: MIT */
/* Bodies that deform, appear, split, merge and vanish, as C functions of place and time, and
 * whether two of them meet at a time: the least value over space of the greater of both
 * functions, by a grid and descent from its best points. Shares nothing with the library. */
#ifndef TEST_ORACLE_BIRTH_REFEREE_H
#define TEST_ORACLE_BIRTH_REFEREE_H

#include <stdbool.h>

typedef enum birth_leaf_kind {
    BIRTH_BALL,    /* |x - c|^2 - s(t) */
    BIRTH_CASSINI, /* |x - c|^2 |x - d|^2 - s(t) */
    BIRTH_RING,    /* (|x - c|^2 + d0^2 - s(t))^2 - 4 d0^2 ((x - cx)^2 + (y - cy)^2) */
    BIRTH_PLANE,   /* c . x - s(t) */
    BIRTH_META,    /* s(t) - 1/(1 + 4 |x - c|^2) - 1/(1 + 4 |x - d|^2) */
    BIRTH_LEAVES
} birth_leaf_kind;

typedef struct birth_leaf {
    birth_leaf_kind kind;
    double c[3], d[3];
    double s[3]; /* s(t) = s0 + s1 t + s2 t^2 */
} birth_leaf;

typedef enum birth_tree {
    BIRTH_SINGLE,
    BIRTH_UNION,          /* of all leaves */
    BIRTH_INTERSECTION,   /* of all leaves */
    BIRTH_DIFFERENCE,     /* 0 less the others */
    BIRTH_JOINED_LESS,    /* (0 or 1) less 2 */
    BIRTH_LESS_CUT,       /* (0 less 1) and 2 */
    BIRTH_LESS_DIFFERENCE /* 0 less (1 less 2) */
} birth_tree;

/* At rest in their own frames; size: radii, halves of lengths. */
typedef enum birth_solid {
    BIRTH_FIELDS, /* the leaves */
    BIRTH_SPHERE,
    BIRTH_BOX,
    BIRTH_HALFSPACE, /* z <= size[0] */
    BIRTH_TORUS,     /* major, minor */
    BIRTH_ELLIPSOID,
    BIRTH_CAPSULE,    /* radius, height of the segment; along z */
    BIRTH_OCTAHEDRON, /* |x|/a + |y|/b + |z|/c <= 1 */
    BIRTH_SOLIDS
} birth_solid;

typedef struct birth_body {
    birth_solid solid;
    double size[3];
    birth_tree tree;
    int leaf_count;
    birth_leaf leaves[4];
    /* x = scale(t) R(t) p + position + t velocity; R turns about the axis (of length 1) by rate
     * t; scale(t) = 1 + growth t along each axis of the world. */
    double position[3], velocity[3], axis[3], rate, growth[3];
} birth_body;

/* Not positive in the body. */
double birth_value(const birth_body *b, const double x[3], double t);
/* The least found of max(a, b) over the box [-reach, reach]^3 of a's own frame; `grid` points a
 * side, descent from the best `starts`. */
double birth_least(const birth_body *a, const birth_body *b, double reach, double t, int grid, int starts);
/* The same over space and time in [from, to]; *at: when. */
double birth_least_ever(const birth_body *a, const birth_body *b, double reach, double from, double to,
                        int instants, int grid, double *at);

#endif
