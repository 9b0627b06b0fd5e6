/* SPDX-License-Identifier: MIT */
/* Pairs of convex bodies for tests: every type, at every size and in every placement that is
 * known to be hard, each as a shape of abut's and as a body of the referee's. */
#ifndef ABUT_ORACLE_CONVEX_CASES_H
#define ABUT_ORACLE_CONVEX_CASES_H

#include "abut/shape.h"
#include "oracle/convex_pair.h"
#include "support/test.h"

enum type {
    SPHERE,
    BOX,
    CAPSULE,
    CYLINDER,
    CONE,
    ELLIPSOID,
    HULL,
    ROUNDED, /* a hull with a margin */
    FLAT,    /* the hull of points in a plane */
    TRIANGLE,
    SEGMENT,
    POINT,
    SWEPT,
    HALFSPACE,
    TYPES
};

extern const char *const type_names[TYPES];

/* How the sizes are drawn. */
enum sizes { ORDINARY, DYADIC, THIN, TINY, SCALED, SIZES };

#define POINTS 40

typedef struct item {
    enum type type;
    oracle_body body;
    abut_vec3 points[POINTS];
    abut_shape *shape;
    double size; /* about that of the body */
} item;

typedef struct query {
    const item *a, *b;
    oracle_convex pair;
    bool random; /* of the kind of which hardly any may stay undecided */
} query;

void make_item(test_random *r, enum type type, enum sizes sizes, double unit, item *out);

/* Shapes are dear to make, so that each round of pairs shares a pool of them. */
void fill_pool(test_random *r);
void empty_pool(void);
/* Types, sizes and placement at random, from the pool. */
void draw_query(test_random *r, query *q);

abut_quat random_rotation(test_random *r);
abut_vec3 random_direction(test_random *r);
/* An axis of a frame, to either side. */
void world_axis(test_random *r, abut_quat q, long double out[3]);
/* Where b is when the support points along n touch and it has moved on by shift along n. */
abut_vec3 touching_place(const query *q, const long double n[3], long double shift);

#endif
