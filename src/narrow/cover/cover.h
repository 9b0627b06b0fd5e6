/* SPDX-License-Identifier: MIT */
/* Any two bodies by covers of their boundaries: what the files of this module share.
 *
 * A body covers its boundary with cells, each in an oriented box that is thin to second order across
 * the surface, and halves them on demand; it says whether a point is inside; and it finds points of
 * itself near a place. Nothing else is asked of it, so that one search (search.c) serves all pairs.
 *
 * Everything happens in the frame of the first body (the common frame). Boxes of features and the
 * bounds between boxes are plain doubles; `slack` bounds all that rounding, the placements and
 * the tolerances of explicit solids can change about the place of a point, as in narrow/brep. */
#ifndef ABUT_NARROW_COVER_COVER_H
#define ABUT_NARROW_COVER_COVER_H

#include "narrow/brep/brep.h"
#include "narrow/cover/pairs.h"
#include "narrow/facets/facets.h"

/* A box and a normal in the frame of a body. */
typedef struct abut_cover_box {
    abut_vec3 center, axis[3], normal;
    double half[3], radius;
} abut_cover_box;

typedef struct abut_cover_cell {
    abut_cell at;       /* its box and normals; of features, all of it */
    abut_cover_box own; /* of charts: in the frame of the body */
    unsigned stamp;     /* of charts: the search for which it was placed */
    abut_interval q[3];
    double start[3]; /* of charts: where the last projection ended */
    uint32_t feature;
    int along;   /* of charts: the unknown to halve */
    bool two;    /* a face of a sheet: its normals may lead either way */
    bool asked;  /* whether its sample is inside the other body */
    bool opened; /* child[] are known; NULL: nothing there */
    struct abut_cover_cell *child[2];
} abut_cover_cell;

/* Of each body: the first cell and the block that cells are taken from. */
struct abut_cover_cache {
    abut_allocator alloc;
    abut_workspace ws;
    abut_workspace_mark mark;
    unsigned stamp;
    size_t count;
    struct {
        const abut_shape *shape;
        abut_cover_cell *root, *block;
        size_t used;
    } slots[2];
};

typedef struct abut_cover_body {
    const abut_shape *shape;
    bool solid;
    bool empty;   /* nothing of it is there */
    bool charts;  /* its cells are boxes of parameters or of space; otherwise of features */
    bool faceted; /* `facets` is set */
    bool rounded; /* `surface` is a spine, and the body all that is within `swell` of it */
    double swell;
    abut_brep_body parts;        /* features, also of triangles */
    abut_facets facets;          /* all triangles */
    abut_placed_surface surface; /* charts, in the common frame */
    abut_placed_surface here;    /* the same in the body's own frame, for its cells */
    double own_slack, slack;     /* of boxes of charts: in their own frame; all of it */
    unsigned stamp;
    abut_cover_cache *cache; /* or NULL */
    int slot;
    abut_affine map; /* from its frame to the common one, in doubles */
    bool moved;
    double size, scale; /* its extent, its largest coordinate */
    abut_cover_cell *root;
    abut_cover_cell *block;
    size_t used;
} abut_cover_body;

/* Can the shape be one? */
bool abut_cover_takes(const abut_shape *shape);

/* The two bodies of a pair in the frame of the first, and the slack. INFINITY: nothing can be said.
 * Rounding to nearest. */
abut_status abut_cover_open(const abut_pair *pair, abut_workspace *ws, abut_cover_body body[2],
                            double *slack);

/* Makes the first cell, at root, or none (`empty`); the children of a cell. ABUT_ERR_MEMORY. */
abut_status abut_cover_begin(abut_cover_body *body, double slack, abut_workspace *ws);
abut_status abut_cover_expand(abut_cover_body *body, abut_cover_cell *cell, double slack, abut_workspace *ws);
/* After the search: keeps the cells where there is a cache. */
void abut_cover_end(abut_cover_body *body);
/* Makes `at` of a cell what it is in this search. */
void abut_cover_place(const abut_cover_body *body, abut_cover_cell *cell);
/* Is it worth halving? */
bool abut_cover_splits(const abut_cover_cell *cell, double slack);
abut_cover_cell *abut_cover_new(abut_cover_body *body, abut_workspace *ws);

/* A point of the body (of the spine, of rounded ones) near p and about in the cell; false: none was
 * found. */
bool abut_cover_project(abut_cover_body *body, abut_cover_cell *cell, abut_vec3 p, double slack,
                        abut_vec3 *out);
/* The placed part of a cell of features. */
const abut_part *abut_cover_part(abut_cover_body *body, const abut_cover_cell *cell);

/* Where the points within `slack` of p are: -1 all inside, 1 all outside, 0 undecided. Sheets have no
 * inside. Of rounded bodies: of the spine. */
int abut_cover_side(const abut_cover_body *body, abut_vec3 p, double slack);

/* Boundaries are at least `apart` from each other: is a part of own inside other? 1 one is, 0 none is,
 * -1 not known; ABUT_ERR_MEMORY in *status. */
int abut_cover_contains(const abut_cover_body *other, const abut_cover_body *own, double slack, double apart,
                        abut_workspace *ws, abut_status *status);

/* Proved that the feature of a cell of charts crosses a segment or a triangle; `near`: about where
 * (cross.c). */
bool abut_cover_crosses(const abut_cover_body *curved, const abut_cover_cell *cell, const abut_part *part,
                        abut_vec3 near, double slack);

/* Cells of charts (charts.c). fit: false where nothing is in the cell. */
bool abut_cover_fit_chart(const abut_cover_body *body, abut_cover_cell *cell);
bool abut_cover_project_chart(const abut_cover_body *body, abut_cover_cell *cell, abut_vec3 p, double slack,
                              abut_vec3 *out);
/* Cells of features (features.c). */
abut_status abut_cover_take_triangles(abut_cover_body *body, const abut_interval_vec3 *other,
                                      abut_workspace *ws);
abut_status abut_cover_enter_part(abut_cover_body *body, int32_t reference, double slack, abut_workspace *ws,
                                  abut_cover_cell **out);

/* Of two height fields (fields.c): do they stand along one axis? How far a plane parts them at least, 0
 * where none is found; `way`: about from the first to the second. */
bool abut_cover_fields_stand(const abut_pair *pair);
double abut_cover_fields_parted(const abut_cover_body body[2], abut_vec3 way, double slack);

/* p is in both bodies: the least translation that parts them is at least this, by balls about p, or about
 * a place nearby that it is moved to (deep.c). 0 where nothing is known. */
double abut_cover_least_depth(const abut_cover_body body[2], double slack, abut_vec3 *p);

typedef struct abut_cover_answer {
    double low, high; /* of the distance, before slack; high < 0: rounded bodies that meet */
    bool has_points;
    abut_vec3 point[2]; /* common frame */
    abut_feature feature[2];
    int64_t id[2];
    bool inside; /* proved: a common point, inside at least one of them: point[0] */
    bool spent;
    abut_counters counters;
} abut_cover_answer;

abut_status abut_cover_search(abut_cover_body body[2], double slack, const abut_brep_goal *goal,
                              abut_workspace *ws, abut_cover_answer *out);

#endif
