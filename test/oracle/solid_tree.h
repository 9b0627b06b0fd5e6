/* SPDX-License-Identifier: MIT */
/* Boolean combinations of placed plain solids, for judging csg shapes: a tree of signed functions whose
 * values change by no more than the way that is gone, negative inside. Membership is their sign; distances
 * and common points come from a search by boxes. No code of the library but its creators, which
 * solid_tree_random calls for the same tree. */
#ifndef ABUT_ORACLE_SOLID_TREE_H
#define ABUT_ORACLE_SOLID_TREE_H

#include "abut/abut.h"
#include "support/test.h"

typedef enum solid_kind {
    SOLID_SPHERE = 0,
    SOLID_BOX,
    SOLID_CYLINDER,
    SOLID_CAPSULE,
    SOLID_CONE,
    SOLID_TORUS,
    SOLID_ELLIPSOID,
    SOLID_HALFSPACE,
    SOLID_EXTRUDE,
    SOLID_REVOLVE,
    SOLID_KINDS,
    SOLID_UNION,
    SOLID_INTERSECTION,
    SOLID_DIFFERENCE
} solid_kind;

enum { SOLID_MOST_CHILDREN = 4, SOLID_MOST_CORNERS = 12 };

typedef struct solid_tree {
    solid_kind kind;
    double a, b, c; /* sizes, as the creators take them */
    abut_vec3 normal;
    double corners[SOLID_MOST_CORNERS][2]; /* of a profile without arcs */
    int count;                             /* of corners or children */
    double hole[3];                        /* of an extrude: centre and radius; radius 0: none */
    /* x -> r x + at, from the frame of the node to that of the one above; lipschitz: how much shorter a way
     * may become */
    double r[3][3], at[3], shrink;
    struct solid_tree *of[SOLID_MOST_CHILDREN];
} solid_tree;

typedef struct solid_options {
    int depth;
    bool turned;   /* rotations of any kind; otherwise quarter turns, and places on a lattice: flush faces */
    int from_kind; /* kinds from here on only */
} solid_options;

/* A random tree and the csg shape of it; NULL shape where the library refuses the result as unbounded. */
solid_tree *solid_tree_random(test_random *random, const solid_options *options, abut_shape **shape);
void solid_tree_destroy(solid_tree *tree);

/* Negative inside, positive outside, 1-Lipschitz; its size is a lower bound of the distance to the boundary. */
double solid_tree_value(const solid_tree *t, const double above[3]);

typedef struct solid_body {
    const solid_tree *tree; /* NULL: a ball */
    double radius;
    double r[3][3], at[3]; /* where it is */
} solid_body;

void solid_body_place(solid_body *body, const abut_pose *pose);

/* Bounds of the distance of the solid in its own frame from a point, within `reach` of the origin; hi is
 * INFINITY where no point of it was found. */
void solid_tree_distance(const solid_tree *tree, const double from[3], double reach, double *lo, double *hi);
/* 1: a ball of that radius or more is in both; -1: they are apart, proved; 0: not found out. */
int solid_bodies_meet(const solid_body *a, const solid_body *b, double reach, double radius);

#endif
