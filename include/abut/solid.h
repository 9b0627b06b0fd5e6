/* SPDX-License-Identifier: MIT */
/* Curved CAD solids: boundary representations whose faces lie on planes, quadrics and tori, and
 * whose edges are lines, circles, conics, surface intersections and cubic splines. Three creators:
 * a profile extruded along z, a profile turned about z, and an explicit description.
 *
 * Everything is checked at creation and copied. An error names the entity ("edge 3", "face 0") and
 * carries its number in `index`. Questions about solids are asked as for every other shape
 * (abut/query.h). The terms follow Schoemer, Reichel, Warken 2002 and docs/cad-solids.md. */
#ifndef ABUT_SOLID_H
#define ABUT_SOLID_H

#include "abut/shape.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- profiles ---- */

/* A corner of a profile. The side from it to the next is a segment, or with bulge = tan(angle / 4)
 * the circular arc of that angle between them, turning left when positive, as in DXF. */
typedef struct abut_profile_vertex {
    double x, y, bulge;
} abut_profile_vertex;

/* Closed implicitly. Two corners at least, and at least one arc where there are only two. */
typedef struct abut_profile_loop {
    const abut_profile_vertex *vertices;
    size_t count;
} abut_profile_loop;

/* The region inside outer (counter-clockwise) and outside of the holes (clockwise, inside outer and
 * outside of one another), from z = 0 to z = height. Side i of outer, then of the holes in order,
 * makes face i; the bottom and the top follow. tolerance: how far the data may be off themselves;
 * 0: 1e-9 of the size. Verdicts are given for every solid within a tolerance that is stated; without
 * one the profile is what it says. */
ABUT_API abut_status abut_shape_create_extrude(const abut_profile_loop *outer, const abut_profile_loop *holes,
                                               size_t hole_count, double height, double tolerance,
                                               const abut_allocator *alloc, abut_shape **out,
                                               abut_error *error);
/* The region inside the profile, a counter-clockwise loop in the half-plane (x = r >= 0, y = z),
 * turned all the way about the z axis. Sides on the axis make no face but keep their number. */
ABUT_API abut_status abut_shape_create_revolve(const abut_profile_loop *profile, double tolerance,
                                               const abut_allocator *alloc, abut_shape **out,
                                               abut_error *error);

/* ---- explicit solids ---- */

/* One list of what there is: enum name and the name in scene files. */
#define ABUT_SOLID_SURFACE_LIST(X) \
    X(PLANE, "plane")              \
    X(SPHERE, "sphere")            \
    X(CYLINDER, "cylinder")        \
    X(CONE, "cone")                \
    X(TORUS, "torus")              \
    X(QUADRIC, "quadric")

typedef enum abut_solid_surface_kind {
    ABUT_SOLID_NO_SURFACE = 0,
#define ABUT_SOLID_SURFACE_ENUM(name, text) ABUT_SOLID_##name,
    ABUT_SOLID_SURFACE_LIST(ABUT_SOLID_SURFACE_ENUM)
#undef ABUT_SOLID_SURFACE_ENUM
        ABUT_SOLID_SURFACE_COUNT
} abut_solid_surface_kind;

/* "plane"; "none" for a number that is no kind. */
ABUT_API const char *abut_solid_surface_name(abut_solid_surface_kind kind);

/* plane: point, axis (its normal). sphere: point (centre), radius. cylinder: point, axis, radius.
 * cone: point (apex), axis (along the nappe), tangent (of the half-angle). torus: point (centre),
 * axis, radius (major), minor; major > minor. quadric: matrix, symmetric, the points with
 * (x,1)' M (x,1) = 0. An axis need not be of unit length. The surface's own normal leads away from
 * centre, axis or main circle, along a plane's axis, or along the gradient of the quadric. */
typedef struct abut_solid_surface {
    abut_solid_surface_kind kind;
    abut_vec3 point, axis;
    double radius, minor, tangent;
    double matrix[4][4];
} abut_solid_surface;

#define ABUT_SOLID_EDGE_LIST(X)     \
    X(LINE, "line")                 \
    X(CIRCLE, "circle")             \
    X(CONIC, "conic")               \
    X(INTERSECTION, "intersection") \
    X(SPLINE, "spline")

typedef enum abut_solid_edge_kind {
    ABUT_SOLID_NO_EDGE = 0,
#define ABUT_SOLID_EDGE_ENUM(name, text) ABUT_SOLID_EDGE_##name,
    ABUT_SOLID_EDGE_LIST(ABUT_SOLID_EDGE_ENUM)
#undef ABUT_SOLID_EDGE_ENUM
        ABUT_SOLID_EDGE_COUNT
} abut_solid_edge_kind;

ABUT_API const char *abut_solid_edge_name(abut_solid_edge_kind kind);

/* From vertex `from` to vertex `to`. circle: center, axis; counter-clockwise about the axis, the
 * whole circle where from == to. conic: the rational quadratic Bezier curve of its ends, control
 * and weight > 0 (of the middle point). intersection: the piece of the common curve of two surfaces
 * that passes `through`; the whole of a closed curve where from == to, along the cross product of the
 * normals of its surfaces, the first by the second (`through` is another point of it then). spline: a
 * chain of cubic Bezier curves, 3 n + 1 points, the first and last of which are the ends. */
typedef struct abut_solid_edge {
    abut_solid_edge_kind kind;
    uint32_t from, to;
    abut_vec3 center, axis, control, through;
    double weight;
    uint32_t surfaces[2];
    const abut_vec3 *points;
    size_t point_count;
} abut_solid_edge;

/* sense: 1 along the edge, -1 against it. */
typedef struct abut_solid_coedge {
    uint32_t edge;
    int sense;
} abut_solid_coedge;

/* Closed; the face is on its left, seen from outside of the material. */
typedef struct abut_solid_loop {
    const abut_solid_coedge *coedges;
    size_t count;
} abut_solid_loop;

/* outward: 1 where the surface's own normal leaves the material, -1 where it enters it. No loops: a
 * whole sphere, ellipsoid or torus. */
typedef struct abut_solid_face {
    uint32_t surface;
    int outward;
    const abut_solid_loop *loops;
    size_t loop_count;
} abut_solid_face;

/* A closed, orientable 2-manifold; several shells are allowed, those inside others are cavities.
 * tolerance: how far a vertex may be off its edges and faces, and an edge off its faces; 0: 1e-9 of
 * the size. Verdicts are given for every solid within that tolerance. */
typedef struct abut_solid_def {
    const abut_solid_surface *surfaces;
    size_t surface_count;
    const abut_vec3 *vertices;
    size_t vertex_count;
    const abut_solid_edge *edges;
    size_t edge_count;
    const abut_solid_face *faces;
    size_t face_count;
    double tolerance;
} abut_solid_def;

ABUT_API abut_status abut_shape_create_solid(const abut_solid_def *def, const abut_allocator *alloc,
                                             abut_shape **out, abut_error *error);

/* ---- what a solid is made of ---- */

typedef struct abut_solid_info {
    size_t vertices, edges, faces, shells;
    size_t faces_by_kind[ABUT_SOLID_SURFACE_COUNT];
    size_t edges_by_kind[ABUT_SOLID_EDGE_COUNT];
    double tolerance;
    abut_interval volume, area; /* enclosures */
    /* What searches work on: faces, edges and tips that can be nearest to something, and the tree over them. */
    size_t features, nodes, height;
} abut_solid_info;

/* Of an extrude, revolve or solid; ABUT_ERR_UNSUPPORTED for others. */
ABUT_API abut_status abut_solid_get_info(const abut_shape *shape, abut_solid_info *out);

/* Entities by number, as used in contacts and classifications. The arrays that they point to belong
 * to the shape. Edges and vertices of an extrude: those of the bottom, those of the top, then the
 * vertical ones, each in the order of the sides; of a revolve in the order of the corners. */
ABUT_API abut_status abut_solid_get_vertex(const abut_shape *shape, size_t index, abut_vec3 *out);
ABUT_API abut_status abut_solid_get_edge(const abut_shape *shape, size_t index, abut_solid_edge *out);
ABUT_API abut_status abut_solid_get_face(const abut_shape *shape, size_t index, abut_solid_face *out,
                                         abut_solid_surface *surface);

#ifdef __cplusplus
}
#endif

#endif
