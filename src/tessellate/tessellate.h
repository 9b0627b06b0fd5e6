/* SPDX-License-Identifier: MIT */
/* What the methods share: the triangles under construction. A method of one kind of shape is one
 * function with a row in the table of tessellate.c.
 *
 * Memory that runs out, and too many corners, are noted in `status`; additions then do nothing,
 * so that methods need to look only where they loop for long. */
#ifndef ABUT_TESSELLATE_TESSELLATE_H
#define ABUT_TESSELLATE_TESSELLATE_H

#include "abut/tessellate.h"
#include "base/memory.h"
#include "base/workspace.h"
#include "math/vec3.h"
#include "shape/shape.h"

typedef struct abut_tess {
    const abut_allocator *alloc;
    abut_tessellate_opts opts;
    double tolerance; /* of this shape, > 0 */
    bool solid;       /* true unless a method says otherwise */
    ABUT_ARRAY(abut_vec3) vertices, normals;
    ABUT_ARRAY(uint32_t) triangles;
    ABUT_ARRAY(uint32_t) edges;
    abut_workspace ws; /* for as long as the call lasts */
    abut_status status;
    abut_error *error;
} abut_tess;

typedef void (*abut_tess_fn)(abut_tess *t, const abut_shape *shape);

/* ---- build.c ---- */

uint32_t abut_tess_vertex(abut_tess *t, abut_vec3 p, abut_vec3 normal);
void abut_tess_triangle(abut_tess *t, uint32_t a, uint32_t b, uint32_t c);
/* Turned so that it faces the way the normals of its corners do. */
void abut_tess_facing(abut_tess *t, uint32_t a, uint32_t b, uint32_t c);
void abut_tess_edge(abut_tess *t, uint32_t a, uint32_t b);
void abut_tess_fail(abut_tess *t, abut_status status);
/* Triangles given by indices: shares normals between those that meet at less than the crease
 * angle, and adds the creases and rims as edges. */
void abut_tess_faces(abut_tess *t, const abut_vec3 *vertices, size_t vertex_count, const uint32_t *triangles,
                     size_t triangle_count);
/* The same where the unit normals of smooth vertices are known; those of others are zero, and
 * only between them are creases searched for. */
void abut_tess_faces_with(abut_tess *t, const abut_vec3 *vertices, const abut_vec3 *normals,
                          size_t vertex_count, const uint32_t *triangles, size_t triangle_count);
/* How many chords a circle of that radius needs, for the angle given. */
int abut_tess_chords(const abut_tess *t, double radius, double angle);

/* By the table of tessellate.c. */
void abut_tess_any(abut_tess *t, const abut_shape *shape);

/* ---- one function a kind of shape ---- */

void abut_tess_round(abut_tess *t, const abut_shape *shape); /* sphere, capsule, cylinder, cone, swept ones */
void abut_tess_ellipsoid(abut_tess *t, const abut_shape *shape);
void abut_tess_torus(abut_tess *t, const abut_shape *shape);
void abut_tess_box(abut_tess *t, const abut_shape *shape);
void abut_tess_halfspace(abut_tess *t, const abut_shape *shape);
void abut_tess_convex(abut_tess *t, const abut_shape *shape); /* any convex body, by its support points */
void abut_tess_mesh(abut_tess *t, const abut_shape *shape);
void abut_tess_polyhedron(abut_tess *t, const abut_shape *shape);
void abut_tess_heightfield(abut_tess *t, const abut_shape *shape);
void abut_tess_surface(abut_tess *t, const abut_shape *shape);  /* whatever has parametric faces */
void abut_tess_solid(abut_tess *t, const abut_shape *shape);    /* extrude, revolve, solid */
void abut_tess_implicit(abut_tess *t, const abut_shape *shape); /* implicit and csg */
void abut_tess_compound(abut_tess *t, const abut_shape *shape);

#endif
