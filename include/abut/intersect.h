/* SPDX-License-Identifier: MIT */
/* Intersections of the curves and surfaces that CAD solids are made of (abut/solid.h), each with its
 * proof: the algebraic predicates of Schoemer, Reichel, Warken 2002.
 *
 * Inputs are taken as they are, to the last bit: a line runs through its two ends, a circle is where
 * its centre, axis and first end put it. docs/cad-solids.md says which polynomial decides which pair,
 * docs/notes/cad-intersections.md derives them. */
#ifndef ABUT_INTERSECT_H
#define ABUT_INTERSECT_H

#include "abut/query.h"
#include "abut/solid.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- a curve and a surface ---- */

/* An edge apart from a solid: its from and to number `vertices`, those of an intersection number
 * `surfaces`. The points are
 * line          a + t (b - a), t in [0, 1], with a and b its ends
 * circle        c + x cos t + y sin t, x = a - c, y = axis / |axis| cross x, t in [0, 2 pi]; a == b is the whole
 * conic         (a (1-t)^2 + 2 w t (1-t) control + b t^2) / ((1-t)^2 + 2 w t (1-t) + t^2), t in [0, 1]
 * spline        cubic Bezier curves, t in [0, 1] on each
 * intersection  all common points of both surfaces; `from`, `to` and `through` are not read */
typedef struct abut_curve {
    abut_solid_edge edge;
    const abut_vec3 *vertices;
    const abut_solid_surface *surfaces;
} abut_curve;

typedef enum abut_hit_kind {
    ABUT_HIT_UNDECIDED = 0, /* between 0 and `multiplicity` common points, counted so */
    ABUT_HIT_TRANSVERSAL,   /* proved: exactly one common point, a simple root */
    ABUT_HIT_TANGENT        /* proved: exactly one common point, a root of `multiplicity` >= 2 */
} abut_hit_kind;

/* "undecided", "transversal", "tangent". */
ABUT_API const char *abut_hit_kind_name(abut_hit_kind kind);

typedef enum abut_hit_place {
    ABUT_HIT_INSIDE = 0, /* proved: between the ends */
    ABUT_HIT_START,      /* proved: the first end */
    ABUT_HIT_END,        /* proved: the last end; of a whole circle START */
    ABUT_HIT_NEAR_END,   /* inside, at an end or beyond it: not decided */
    ABUT_HIT_ON_CURVE    /* of an intersection, whose ends are not read */
} abut_hit_place;

typedef struct abut_curve_hit {
    abut_hit_kind kind;
    abut_hit_place place;
    int multiplicity;
    uint32_t piece;          /* of a spline: the number of the cubic; else 0 */
    abut_interval parameter; /* t as above; of an intersection empty */
    abut_interval_vec3 point;
} abut_curve_hit;

typedef struct abut_curve_hits {
    /* Proved: all of the curve, or of one cubic of a spline, lies in the surface. Such a piece has no hits. */
    bool contained;
    /* Every hit is TRANSVERSAL or TANGENT, with a certain place, and `contained` is certain. */
    bool decided;
    abut_proof proof; /* EXACT where integers decided; else INTERVAL */
    int degree;       /* of the polynomial whose roots they are */
    size_t count;     /* may exceed the capacity given */
} abut_curve_hits;

/* Every common point of the curve and the surface (of a cone its nappe) is in one of the hits. They
 * ascend by piece and parameter, those of an intersection by x + y / 2 + z / 4. Doubles with error
 * bounds come first; what they leave open is decided by integers, where the inputs have few enough bits
 * (some 2000 in the coefficients) and a circle's axis has a length that is a double. Tangents to an
 * intersection are decided where they are at points of few bits, and where no surface is a torus.
 * ABUT_ERR_VALUE: data that is no curve or surface. */
ABUT_API abut_status abut_intersect_curve(const abut_curve *curve, const abut_solid_surface *surface,
                                          abut_curve_hit *hits, size_t capacity, abut_curve_hits *out);

/* ---- faces of solids ---- */

/* Is p, a point of the face's surface in the shape's own frame (an extrude, revolve or solid), in the face?
 * ABUT_WHERE_FACE: in it; OUT; UNKNOWN: on its border, or nearer to it than rounding and the solid's tolerance. */
ABUT_API abut_status abut_point_in_face(const abut_shape *shape, size_t face, abut_vec3 p, abut_where *out);

typedef enum abut_face_step {
    ABUT_FACE_STEP_NONE = 0,
    ABUT_FACE_STEP_EDGE_A, /* an edge of the first face on the second */
    ABUT_FACE_STEP_EDGE_B,
    ABUT_FACE_STEP_LOOP /* a component of the intersection of the surfaces, in both faces */
} abut_face_step;

/* touching: the faces have a common point within `radius` of `point`; separate: they have none; undecided: they
 * touch, share a border, or lie on one surface, as far as can be told. proof: INTERVAL for the data as it is, with
 * edges traced within the tolerance TOLERANCE; TOLERANCE of separate. */
typedef struct abut_face_result {
    abut_verdict verdict;
    abut_proof proof;
    abut_face_step step;
    int64_t edge; /* of the step; else -1 */
    abut_vec3 point;
    double radius;
} abut_face_result;

/* Do a face of one solid and a face of another have a point in common (FACETEST)? In world space. ABUT_ERR_UNSUPPORTED
 * for other shapes, ABUT_ERR_ARGUMENT where there is no such face. For whole solids see ABUT_CHECK_FACETEST. */
ABUT_API abut_status abut_face_test(const abut_shape *a, size_t face_a, const abut_pose *pose_a,
                                    const abut_shape *b, size_t face_b, const abut_pose *pose_b,
                                    abut_workspace *ws, abut_face_result *out);

#ifdef __cplusplus
}
#endif

#endif
