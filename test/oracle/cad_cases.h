/* SPDX-License-Identifier: MIT */
/* Random CAD solids, each both as a shape and as the referee's body (oracle/cad_pair.h), by the classes
 * of Schoemer, Reichel, Warken 2002: 1 quadrics with conic arcs, 2 natural quadrics and tori with lines
 * and circles, 3 quadrics with intersection curves and cubic splines. */
#ifndef ABUT_ORACLE_CAD_CASES_H
#define ABUT_ORACLE_CAD_CASES_H

#include "abut/math.h"
#include "abut/shape.h"
#include "oracle/cad_pair.h"
#include "support/test.h"

typedef enum cad_class { CAD_CLASS_1 = 1, CAD_CLASS_2, CAD_CLASS_3 } cad_class;

typedef struct cad_solid {
    abut_shape *shape;
    cad_body body;    /* placed at the origin */
    double tolerance; /* how far the shape may be off the body: that of its edges */
} cad_solid;

/* Of size about 1 to 2, origin inside or near. */
cad_solid cad_random_solid(cad_class kind, test_random *r);
/* One kind only. */
cad_solid cad_random_extrude(test_random *r);
cad_solid cad_random_revolve(test_random *r, bool ring);
/* A solid of revolution of corners with bulges; NULL shape where it is refused. */
cad_solid cad_make_revolve(const cad_loop *profile);
cad_solid cad_make_extrude(const cad_loop *loops, int count, double height);

/* The swept solid as an explicit one, read back by its getters; NULL where that is refused (tori with a
 * negative main radius). */
abut_shape *cad_explicit_copy(const cad_solid *swept);

/* The same place for both. */
void cad_place(cad_body *body, const abut_pose *pose);
abut_pose cad_random_pose(test_random *r, double reach);

#endif
