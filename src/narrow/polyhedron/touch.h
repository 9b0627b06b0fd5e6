/* SPDX-License-Identifier: MIT */
/* What the files about contacts of two solids share; everything in the frame of a, in doubles. */
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
    double near;  /* what touches */
    double merge; /* what is one cluster */
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
abut_vec3 touch_entity_normal(const touch *t, int side, abut_feature feature, uint32_t id);
/* Direction of an edge (of the solid's own numbering), not of unit length. */
abut_vec3 touch_edge_direction(const touch *t, int side, uint32_t edge);
/* Ends of an edge of the solid, and the triangles on its two sides. */
void touch_edge_ends(const touch *t, int side, uint32_t edge, uint32_t ends[2]);
void touch_edge_triangles(const touch *t, int side, uint32_t edge, uint32_t triangles[2]);
uint32_t touch_face_of(const touch *t, int side, uint32_t triangle);

/* touch_normal.c: the tangent plane of a contact, from a to b. */
abut_vec3 touch_normal(const touch *t, const touch_contact *c);
/* touch_cluster.c: gives each contact its cluster; best[k] is the contact that stands for cluster k. */
bool touch_cluster(touch *t, uint32_t *best, size_t *count);
/* touch_regions.c */
bool touch_regions(touch *t, const abut_touch_lists *lists, abut_touch_result *out);

#endif
