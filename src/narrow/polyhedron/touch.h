/* SPDX-License-Identifier: MIT */
/* What the files about contacts of two solids share; positions are doubles in the frame of a. */
#ifndef ABUT_NARROW_POLYHEDRON_TOUCH_H
#define ABUT_NARROW_POLYHEDRON_TOUCH_H

#include "abut/polyhedron.h"
#include "base/memory.h"
#include "brep/polyhedron.h"
#include "math/vec3.h"
#include "narrow/polyhedron/polyhedron.h"

typedef struct touch_contact {
    abut_feature features[2];
    uint32_t ids[2]; /* faces and edges of the triangulation are led back already */
    abut_vec3 point;
    bool along; /* two edges on one line */
    uint32_t cluster;
} touch_contact;

typedef struct touch_pair {
    uint32_t a, b; /* triangles */
} touch_pair;

typedef struct touch {
    abut_mesh_pair *pair;
    const abut_faceted_data *mesh[2];
    const abut_shape *shape[2];
    abut_allocator alloc;
    /* what touches; where `exact`, only how far pairs of triangles are searched for */
    double near;
    bool exact;   /* exact signs decide, and no distance */
    double merge; /* what is one cluster */
    double slack; /* error of distances */
    ABUT_ARRAY(touch_contact) found;
    ABUT_ARRAY(touch_pair) pairs; /* of triangles that come within `near` */
    /* contacts by entities: open addressing, numbers + 1 */
    uint32_t *table;
    size_t table_room;
    bool failed;
} touch;

/* Vertex of a solid in the frame of a. */
static inline abut_vec3 touch_vertex(const touch *t, int side, uint32_t vertex)
{
    const abut_vec3 p = t->mesh[side]->vertices[vertex];
    const abut_bv_relative *at = &t->pair->frame.b_in_a;
    return side == 0 ? p : abut_add(abut_mul(&at->r, p), at->t);
}

static inline void touch_triangle(const touch *t, int side, uint32_t triangle, abut_vec3 out[3])
{
    for (int k = 0; k < 3; ++k)
        out[k] = touch_vertex(t, side, t->mesh[side]->corners[3 * (size_t)triangle + (size_t)k]);
}

/* Unit normals: of a triangle's face; sums over the faces at an edge or vertex, of unit length or zero. */
abut_vec3 touch_face_normal(const touch *t, int side, uint32_t triangle);
/* Ends of an edge of the solid, and the triangles on its two sides. */
void touch_edge_ends(const touch *t, int side, uint32_t edge, uint32_t ends[2]);
void touch_edge_triangles(const touch *t, int side, uint32_t edge, uint32_t triangles[2]);
uint32_t touch_face_of(const touch *t, int side, uint32_t triangle);

/* ---- touch.c ---- */

void touch_record(touch *t, const touch_contact *c);
touch_contact touch_contact_of(int side, abut_feature own, uint32_t id, abut_feature other, uint32_t other_id,
                               abut_vec3 point);
/* The solid's edge of side k of a triangle; false for a diagonal. */
bool touch_edge_of(const touch *t, int side, uint32_t triangle, int k, uint32_t *edge);
/* Of two segments that cross: the middle of their nearest points; on one line: of what they share. */
abut_vec3 touch_crossing(const abut_vec3 p[2], const abut_vec3 q[2]);
abut_vec3 touch_middle(const abut_vec3 p[2], const abut_vec3 q[2]);

/* ---- touch_exact.c: for placements that are known exactly ---- */

typedef enum touch_meeting { TOUCH_APART, TOUCH_CROSSING, TOUCH_ALONG } touch_meeting;

/* Records what triangles i of a and j of b touch with. */
void touch_look_exactly(touch *t, uint32_t i, uint32_t j);
/* As above, of crossings with diagonals of faces that are not planar; they count as the face. */
void touch_look_at_diagonals(touch *t, uint32_t i, uint32_t j);
/* Are both triangles in one plane, with opposite normals? */
bool touch_is_flush(const touch *t, uint32_t i, uint32_t j);
/* Is side k of a triangle of `side` in the plane of a triangle of the other? */
bool touch_is_edge_in_plane(const touch *t, int side, uint32_t own, int k, uint32_t other);

/* touch_normal.c: the tangent plane of a contact, from a to b. */
abut_vec3 touch_normal(const touch *t, const touch_contact *c);
/* touch_cluster.c: gives each contact its cluster; best[k] is the contact that stands for cluster k. Such a
 * contact may be added to those found. */
bool touch_cluster(touch *t, uint32_t *best, size_t *count);
/* touch_regions.c */
bool touch_regions(touch *t, const abut_touch_lists *lists, abut_touch_result *out);

#endif
