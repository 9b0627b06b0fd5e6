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

#include "math/vec3.h"
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
    int along;      /* of charts: the unknown to halve */
    int wall_count; /* of fields: walls that end the feature in the cell */
    uint32_t wall[ABUT_FEATURE_MAX_WALLS];
    bool space;      /* of fields: a box of space, of vertices too */
    bool two;        /* a face of a sheet: its normals may lead either way */
    bool asked;      /* whether its sample is inside the other body */
    int compared[2]; /* touching.c: with so many places; -1: it is near one of them */
    bool opened;     /* child[] are known; NULL: nothing there */
    struct abut_cover_cell *child[2];
} abut_cover_cell;

/* Of each body: the first cell and the block that cells are taken from. */
struct abut_cover_cache {
    abut_allocator alloc;
    abut_workspace ws;
    abut_workspace_mark mark;
    unsigned stamp;
    size_t count;
    abut_cover_seen seen;
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
    abut_aabb bounds;   /* in its own frame; of bodies that deform, then */
    double size, scale; /* its extent, its largest coordinate */
    abut_cover_cell *root;
    abut_cover_cell *block;
    size_t used;
    /* Of a large mesh: all triangles, in the order of a tree that is built as far as the search goes
     * (triangles.c); room for the parts that are made meanwhile. */
    uint32_t *order;
    size_t part_room;
} abut_cover_body;

/* What bodies are opened for: a search of their boundaries, or membership of points (abut_cover_side,
 * abut_cover_least_depth), which needs no cells of triangles. */
typedef enum abut_cover_use { ABUT_COVER_BOUNDARY, ABUT_COVER_INSIDE } abut_cover_use;

/* The two bodies of a pair in the frame of the first, and the slack. INFINITY: nothing can be said.
 * Rounding to nearest. Within: while neither moves further than `reach` in the frame of the other. */
abut_status abut_cover_open_within(const abut_pair *pair, double reach, abut_cover_use use,
                                   abut_workspace *ws, abut_cover_body body[2], double *slack);
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
/* A cell to project on near this one: all of its part, or parameters around it. Never to be halved. */
void abut_cover_widen(abut_cover_body *body, const abut_cover_cell *cell, abut_cover_cell *out);
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
 * (cross.c). reach, unless NULL: it does while that part moves no further. */
bool abut_cover_crosses(const abut_cover_body *curved, const abut_cover_cell *cell, abut_cover_body *other,
                        const abut_cover_cell *part, abut_vec3 near, double slack, double *reach,
                        abut_cover_crossing *found);

/* An edge whose ends are features of their own, against a face: is it across some normal of the face? */
bool abut_cover_may_cross(const abut_cover_body *body, const abut_cover_cell *edge, const abut_part *part,
                          const abut_cell *face);

/* Cells of charts (charts.c). fit: false where nothing is in the cell. */
bool abut_cover_fit_chart(const abut_cover_body *body, abut_cover_cell *cell);
bool abut_cover_project_chart(const abut_cover_body *body, abut_cover_cell *cell, abut_vec3 p, double slack,
                              abut_vec3 *out);
/* Cells of features (features.c). */
abut_status abut_cover_take_triangles(abut_cover_body *body, const abut_interval_vec3 *other,
                                      abut_workspace *ws);
abut_status abut_cover_enter_part(abut_cover_body *body, int32_t reference, double slack, abut_workspace *ws,
                                  abut_cover_cell **out);

/* Large meshes (triangles.c): the first cell; the children of a group of triangles. */
abut_status abut_cover_open_large(abut_cover_body *body, abut_workspace *ws);
abut_status abut_cover_begin_large(abut_cover_body *body, double slack, abut_workspace *ws);
abut_status abut_cover_expand_large(abut_cover_body *body, abut_cover_cell *cell, double slack,
                                    abut_workspace *ws);
/* A group of what is in the box, in the frame of the body. */
void abut_cover_fit_group(const abut_cover_body *body, const abut_aabb *box, double slack, abut_cell *c);
/* A part for a triangle, edge or vertex, in front of whose array there is room. */
abut_part *abut_cover_add_part(abut_features *f, abut_cell_kind kind, abut_vec3 o, abut_vec3 z);

/* Of two height fields (fields.c), of which `map` takes one to the other: how far below the vertices of
 * either the search must see; whether all that counts is seen so; how far a plane parts them at least, 0
 * where none is found; `way`: about from the first to the second. */
double abut_cover_fields_reach(const abut_shape *a, const abut_shape *b, const abut_affine *map);
bool abut_cover_fields_seen(const abut_pair *pair, const abut_affine *map);
double abut_cover_fields_parted(const abut_cover_body body[2], abut_vec3 way, double slack);

/* p is in both bodies: the least translation that parts them is at least this, by balls about p, or about
 * a place nearby that it is moved to (deep.c). 0 where nothing is known. */
double abut_cover_least_depth(const abut_cover_body body[2], double slack, abut_vec3 *p);

/* p is a point of a sheet that is inside a solid by `depth`: one that is deeper, where there is one (deep.c). */
double abut_cover_deeper(const abut_cover_body body[2], double slack, double depth, abut_vec3 *p);

/* Flat parts against boxes of charts (flat.c). */
bool abut_cover_is_flat(const abut_cover_body *body, const abut_cover_cell *c);
double abut_cover_flat_bound(abut_cover_body *body, const abut_cover_cell *flat, const abut_cell *box,
                             double slack, double wanted);
/* Are they more than `need` apart all the time? */
bool abut_cover_flat_parts(abut_cover_body *body, const abut_cover_cell *flat, const abut_cell *box,
                           abut_vec3 way, double most, double off, double need);

/* Lower bound of the distance of two cells, up to `enough` (search.c). */
double abut_cover_bound(abut_cover_body body[2], const abut_cover_cell *p, const abut_cover_cell *q,
                        double slack, double enough);
/* May nearest points of bodies that are apart be in both cells, as far as normals tell? */
bool abut_cover_is_critical(abut_cover_body body[2], const abut_cover_cell *p, const abut_cover_cell *q,
                            double slack);
/* What of the body a cell is, with the number that answers give. */
void abut_cover_name_cell(const abut_cover_body *body, const abut_cover_cell *c, abut_feature *feature,
                          int64_t *id);
/* From the common frame. */
static inline abut_vec3 abut_cover_to_world(const abut_pair *pair, abut_vec3 p)
{
    const abut_affine *mid = &pair->at_a->mid;
    return pair->a->type == ABUT_SHAPE_SPHERE ? abut_add(p, mid->translation) : abut_affine_apply(mid, p);
}

typedef struct abut_cover_answer {
    double low, high; /* of the distance, before slack; high < 0: rounded bodies that meet */
    bool has_points;
    abut_vec3 point[2]; /* common frame */
    abut_feature feature[2];
    int64_t id[2];
    bool inside; /* proved: a common point, inside at least one of them: point[0] */
    bool of[2];  /* which of the bodies the common point is of, within slack */
    abut_cover_crossing crossing;
    double reach; /* sheets that cross still do while no point moves further */
    bool linked;  /* rounded bodies meet as points of both spines are near enough: */
    abut_vec3 link[2];
    bool spent;
    abut_counters counters;
} abut_cover_answer;

/* About how long evaluations of both bodies take, as abut_tape_work: budgets shrink by it. */
static inline size_t abut_cover_work(const abut_pair *pair)
{
    return 4 * ((pair->a->surface ? pair->a->surface->work : 0) +
                (pair->b->surface ? pair->b->surface->work : 0));
}

abut_status abut_cover_search(abut_cover_body body[2], double slack, const abut_brep_goal *goal,
                              abut_workspace *ws, abut_cover_answer *out);

#endif
