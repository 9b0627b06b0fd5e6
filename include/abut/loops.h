/* SPDX-License-Identifier: MIT */
/* One point on each connected component of the intersection of two surfaces, with proof: task 4 of
 * Schoemer, Reichel, Warken 2002. docs/cad-solids.md tells the methods, docs/notes/cad-
 * intersections.md derives them. */
#ifndef ABUT_LOOPS_H
#define ABUT_LOOPS_H

#include "abut/query.h"
#include "abut/solid.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum abut_loop_kind {
    ABUT_LOOP_UNKNOWN = 0,   /* nothing is known but that the point is on both surfaces */
    ABUT_LOOP_CLOSED,        /* a smooth closed curve */
    ABUT_LOOP_OPEN,          /* a smooth curve that goes to infinity at both ends */
    ABUT_LOOP_SINGULAR,      /* bounded, with points at which branches meet or turn back */
    ABUT_LOOP_SINGULAR_OPEN, /* unbounded, with such points */
    ABUT_LOOP_POINT          /* an isolated point */
} abut_loop_kind;

ABUT_API const char *abut_loop_kind_name(abut_loop_kind kind);

/* Within `radius` of `point` there is a point of this component. */
typedef struct abut_loop {
    abut_loop_kind kind;
    abut_vec3 point;
    double radius;
} abut_loop;

typedef enum abut_loops_status {
    ABUT_LOOPS_UNPROVED = 0, /* the points are right, but components may be missing */
    ABUT_LOOPS_COMPLETE,     /* proved: each component has one of the points */
    ABUT_LOOPS_COINCIDENT    /* proved: the surfaces have a two-dimensional part in common */
} abut_loops_status;

ABUT_API const char *abut_loops_status_name(abut_loops_status status);

#define ABUT_LOOPS_MAX 16

typedef struct abut_loops {
    abut_loops_status status;
    /* Proved: no two points are on the same component. With COMPLETE, `count` is their number. */
    bool distinct;
    abut_proof proof; /* EXACT where integers decided; INTERVAL; TOLERANCE where UNPROVED */
    size_t count;
    abut_loop loops[ABUT_LOOPS_MAX];
} abut_loops;

/* Of the whole surfaces, placed in the world; of cones one nappe. A pose may be NULL: at rest at
 * the origin. Surfaces are taken as they are, to the last bit. ABUT_ERR_ARGUMENT for what is no
 * surface. */
ABUT_API abut_status abut_surface_loops(const abut_solid_surface *a, const abut_pose *pose_a,
                                        const abut_solid_surface *b, const abut_pose *pose_b,
                                        abut_loops *out);

#ifdef __cplusplus
}
#endif

#endif
