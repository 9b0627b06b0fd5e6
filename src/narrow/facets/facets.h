/* SPDX-License-Identifier: MIT */
/* Bodies of triangles as a curved surface sees them. Boxes are in the frame of the triangles. */
#ifndef ABUT_NARROW_FACETS_FACETS_H
#define ABUT_NARROW_FACETS_FACETS_H

#include "narrow/surface/surface_gap.h"
#include "surface/body.h"

/* Numbers of triangles, each once. */
typedef struct abut_facet_list {
    abut_workspace *ws;
    uint32_t *faces;
    size_t count, room;
    uint64_t *marks; /* a bit for each triangle of the body */
    bool memory;     /* is out */
} abut_facet_list;

void abut_facet_list_add(abut_facet_list *list, uint32_t face);

/* A corner: its number among all of the body, and where it is. */
typedef struct abut_facet_corner {
    uint32_t vertex;
    abut_interval_vec3 at;
} abut_facet_corner;

typedef struct abut_facets abut_facets;

typedef struct abut_facet_methods {
    /* Rounding to nearest. No triangle is nearer to the box than that. */
    double (*nearest)(const abut_facets *f, const abut_interval_vec3 *box);
    /* Rounding to nearest. Adds all triangles that may be within reach of the box. */
    void (*collect)(const abut_facets *f, const abut_interval_vec3 *box, double reach, abut_facet_list *out);
    /* Kernel. */
    void (*corners)(const abut_facets *f, uint32_t face, abut_facet_corner out[3]);
    /* Kernel. Whether the points of a box are in the material; NULL: there is none. */
    abut_truth (*inside)(const void *ctx, ia3 x);
    /* Of the vertex, of the edge between two, of the face, as in abut_contact; -1: none. */
    int64_t (*vertex_id)(const abut_facets *f, uint32_t vertex);
    int64_t (*edge_id)(const abut_facets *f, uint32_t from, uint32_t to);
    int64_t (*face_id)(const abut_facets *f, uint32_t face);
    /* The number of connected parts, and a triangle of part i. Without memory: false. */
    bool (*part_count)(const abut_facets *f, size_t *count);
    uint32_t (*part)(const abut_facets *f, size_t i);
} abut_facet_methods;

struct abut_facets {
    const abut_facet_methods *methods;
    const abut_shape *shape;
    abut_interval_vec3 bounds;
    size_t face_count;
    bool solid;
    double bottom;      /* of a height field: its walls are examined down to there */
    uint32_t top_count; /* of a height field: its triangles that are no walls */
};

/* facet_mesh.c */
void abut_facets_of_mesh(const abut_shape *mesh, abut_facets *out);
/* facet_field.c; `other` bounds the other body in the frame of the field. */
void abut_facets_of_field(const abut_shape *field, const abut_interval_vec3 *other, abut_facets *out);

/* A lower bound of the distance of two boxes. */
double abut_facet_box_distance(const abut_interval_vec3 *a, const abut_interval_vec3 *b);

/* facet_set.c: the triangles of a list with their edges and vertices, as a surface in their own
 * frame; memory from the workspace. ABUT_ERR_MEMORY. */
abut_status abut_facet_surface(const abut_facets *f, const abut_facet_list *list, abut_workspace *ws,
                               abut_placed_surface *out);

/* facet_cover.c: a part of the curved body, and a lower bound of its distance to the triangles. */
typedef struct abut_facet_cell {
    double lower, diameter;
    uint32_t feature;
    abut_interval q[3];
    abut_interval_vec3 box;
} abut_facet_cell;

typedef struct abut_facet_cover {
    abut_facet_cell *cells; /* a heap, the nearest first */
    size_t count, room;
    double least; /* half sizes of boxes that are worth halving */
    uint64_t made;
} abut_facet_cover;

/* The boundary of the curved body `s` (or its spine) in boxes; the nearest are small where it
 * matters. ABUT_ERR_MEMORY. */
abut_status abut_facet_cover_make(const abut_facets *f, const abut_placed_surface *s, abut_workspace *ws,
                                  abut_facet_cover *out);

#endif
