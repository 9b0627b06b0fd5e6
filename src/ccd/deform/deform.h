/* SPDX-License-Identifier: MIT */
/* Inside a deforming mesh (abut/deform.h): topology, the hierarchy of regions, positions, and the
 * walks that hand over pairs of triangles. */
#ifndef ABUT_CCD_DEFORM_DEFORM_H
#define ABUT_CCD_DEFORM_DEFORM_H

#include "abut/deform.h"
#include "ccd/mesh/impact.h"

enum {
    ABUT_DEFORM_DIRECTIONS = 26, /* faces, edges and corners of a cube, both ways */
    ABUT_DEFORM_NO_EDGE = 0x7fffffff
};

#define ABUT_DEFORM_NONE 0xffffffffu

/* A region of the hierarchy. Children are side by side and after their parents. */
typedef struct abut_deform_node {
    double lo[3], hi[3]; /* of all that its triangles sweep */
    /* Bit i: direction i has a positive dot product with the normals of all triangles, at all times
     * of the step. */
    uint32_t mask;
    uint32_t child; /* the first child and, in the lowest two bits, how many; or a triangle and 0 */
} abut_deform_node;

/* What never changes of a region. Its triangles are consecutive in leaf order. */
typedef struct abut_deform_region {
    uint32_t first_leaf, leaf_end;
    uint32_t contour, contour_end;     /* in abut_deform.contours */
    uint32_t neighbour, neighbour_end; /* in abut_deform.neighbours: regions across an edge */
    uint32_t level;                    /* at which it was made; 0: a triangle */
} abut_deform_region;

struct abut_deform {
    abut_allocator alloc;
    size_t vertex_count, triangle_count, edge_count, node_count, contour_count, neighbour_count;
    uint32_t *triangles;    /* 3 a triangle */
    uint32_t *edges;        /* 2 an edge, the smaller first */
    uint32_t *sides;        /* 3 a triangle: 2 edge + (runs from the larger end to the smaller) */
    uint32_t *vertex_owner; /* the one triangle that represents a vertex in walks */
    uint32_t *edge_owner;
    uint8_t *owned; /* of a triangle: bits 0 to 2 its corners, 3 to 5 its sides */
    abut_deform_node *nodes;
    abut_deform_region *regions;
    /* 2 edge + direction, ascending: the oriented boundary of each region, edges that it has both
     * ways left out */
    uint32_t *contours;
    uint32_t *neighbours;

    abut_vec3 *room[2];
    const abut_vec3 *x[2]; /* at the start and at the end, the same array at rest; may be rounded */
    bool has_masks;        /* the masks are those of the step */
    bool moves;            /* start and end differ */
    double blur[3];        /* zeros: x is exact */
    bool rational;         /* body and p say what x is exactly */
    abut_impact_body body;
    const abut_vec3 *p[2];

    /* scratch of contour tests */
    uint32_t *marks; /* by vertex */
    uint32_t mark;
    double *flat; /* by contour edge */
    uint32_t *chain;
    size_t chain_room;
};

static inline uint32_t abut_deform_child_count(const abut_deform_node *node)
{
    return node->child & 3;
}

static inline uint32_t abut_deform_first_child(const abut_deform_node *node)
{
    return node->child >> 2;
}

/* Ends of a directed edge. */
static inline uint32_t abut_deform_tail(const abut_deform *m, uint32_t side)
{
    return m->edges[2 * (side >> 1) + (side & 1)];
}

static inline uint32_t abut_deform_head(const abut_deform *m, uint32_t side)
{
    return m->edges[2 * (side >> 1) + !(side & 1)];
}

/* topology.c: edges, sides, owners. */
abut_status abut_deform_find_edges(abut_deform *m, abut_error *error);
/* region.c: nodes, regions, contours, neighbours, by merging. */
abut_status abut_deform_merge(abut_deform *m, const abut_vec3 *vertices, abut_error *error);

/* fit.c: boxes, and masks where `masks`, from x. */
void abut_deform_fit(abut_deform *m, bool masks);
/* Directions 0 to 25; entries are -1, 0, 1; direction i + 13 is the opposite of i. */
extern const int8_t abut_deform_direction[ABUT_DEFORM_DIRECTIONS][3];

/* contour.c: is the union of one or two regions, whose triangles have a common direction, proved
 * free of contacts between features without a common vertex, at all times of the step? */
bool abut_deform_is_flat(abut_deform *m, uint32_t a, uint32_t b, uint32_t mask);

/* walk.c. Pairs of triangles that may meet during the step (be within `reach` of each other), each
 * once. False ends the walk. */
typedef bool (*abut_deform_pair_fn)(void *ctx, uint32_t a, uint32_t b);
typedef struct abut_deform_walk {
    abut_deform *a, *b; /* the same: self */
    double reach;
    bool curvature;
    abut_deform_pair_fn leaf;
    void *ctx;
    abut_deform_counters *counters;
    bool ended;
} abut_deform_walk;
void abut_deform_run_walk(abut_deform_walk *walk);

/* feature.c */
typedef struct abut_deform_ask {
    abut_deform *a, *b;
    bool self;
    bool features; /* search for contacts of features */
    bool start;    /* and for triangles that cross at the start */
    /* with `features`: times up to here; falls to the best time where `earliest` */
    double t_max;
    bool earliest;
    double slack; /* by which others may be later than the best time */
    /* all stretches of contact of a pair instead of the first contact: opts.intervals is set */
    bool stretches;
    abut_impact_opts opts;
    abut_deform_counters *counters;
    /* Receives each contact with the query that found it; result->intervals are in opts.intervals.
     * False ends. Not for NULL. */
    bool (*take)(void *ctx, const abut_impact_query *query, const abut_deform_contact *contact,
                 const abut_impact_result *result);
    bool (*take_crossing)(void *ctx, uint32_t a, uint32_t b, abut_meet meet);
    void *ctx;
    size_t undecided; /* queries that stayed so */
    size_t inexact;   /* answers with proof INTERVAL */
    abut_interval undecided_time;
    abut_status status;
} abut_deform_ask;
/* Runs through all pairs of triangles; in rounding to nearest. */
abut_status abut_deform_run_ask(abut_deform_ask *ask, bool curvature);

/* The query about four corners, by meshes and vertices. */
typedef struct abut_deform_query {
    abut_impact_query q;
    abut_vec3 start[4], end[4];
    abut_impact_wide wide;
} abut_deform_query;
void abut_deform_set_query(abut_deform_query *query, const abut_deform *const of[4], const uint32_t vertex[4],
                           bool edges);

/* static.c: at one time of the step. The relation of two triangles: MEET_NONE, TOUCH (any contact that is
 * no crossing), CROSS, or UNKNOWN. Triangles of one mesh with a common vertex: contacts of features
 * without a common vertex. */
abut_status abut_deform_meet_at(const abut_deform *a, const abut_deform *b, uint32_t ta, uint32_t tb,
                                double t, abut_deform_counters *counters, abut_meet *out);
/* The same where only this counts: CROSS; TOUCH where one of them is a segment that passes through
 * the inside of the other; UNKNOWN, or NONE. All of these last for a while. */
abut_status abut_deform_cross_at(const abut_deform *a, const abut_deform *b, uint32_t ta, uint32_t tb,
                                 double t, abut_meet *out);

/* object.c: an object for positions that are set by hand. */
abut_status abut_deform_new(const abut_vec3 *vertices, size_t vertex_count, const uint32_t *triangles,
                            size_t triangle_count, const abut_allocator *alloc, abut_deform **out,
                            abut_error *error);

/* ---- motions of vertices ---- */

/* vertices.c: the keys of such a motion. */
typedef struct abut_vertices_motion abut_vertices_motion;
const abut_vertices_motion *abut_vertices_of(const abut_motion *motion); /* NULL: another kind */
size_t abut_vertices_count(const abut_vertices_motion *motion);
/* What moves all of it, by a chain whose last link it is; NULL: nothing. */
const abut_motion *abut_vertices_carrier(const abut_vertices_motion *motion);
/* The same without a carrier; NULL for other motions. */
const abut_motion *abut_vertices_bare(const abut_motion *motion);
/* The keys around [lo, hi], which has none inside. */
void abut_vertices_keys(const abut_vertices_motion *motion, double lo, double hi, double times[2],
                        const abut_vec3 *positions[2]);

/* sides.c: a mesh and its motion, piece by piece of the time. */
typedef struct abut_deform_side {
    abut_deform *mesh;
    const abut_motion *motion;
    const abut_vec3 *vertices; /* of the shape */
    abut_vec3 *turned;         /* of a body that is turned */
    abut_vec3 *other;          /* at the second key, turned; or zeros, of one that moves by a rate */
} abut_deform_side;

typedef struct abut_deform_scene {
    abut_deform_side a, b; /* b has no mesh of its own: self */
    bool self;
    abut_interval piece; /* of time, that is now set */
    abut_allocator alloc;
} abut_deform_scene;

/* ABUT_ERR_UNSUPPORTED for what is no mesh, or solid unless `solids`, which are then taken for their
 * surfaces; close it in any case. b NULL: self. */
abut_status abut_deform_open(abut_deform_scene *s, const abut_shape *a, const abut_motion *motion_a,
                             const abut_shape *b, const abut_motion *motion_b, abut_interval range,
                             bool solids);
void abut_deform_close(abut_deform_scene *s);
/* The next key of either motion after t, at most hi. */
double abut_deform_next(const abut_deform_scene *s, double t, double hi);
/* Both meshes over a piece without keys inside; lo == hi: at rest at that instant. */
abut_status abut_deform_place(abut_deform_scene *s, abut_interval piece);
abut_deform *abut_deform_other(const abut_deform_scene *s); /* b's mesh, or a's for self */
/* From [0, 1] to the piece, enclosed; its ends are exact. */
abut_interval abut_deform_time(const abut_deform_scene *s, abut_interval unit);
/* Is there a pair of triangles that cross at this time of the unit? 1, 0, or -1: not known. */
abut_status abut_deform_crossing_at(abut_deform_scene *s, double t, int *out);

/* first_contact.c, intervals.c, check.c */
bool abut_deform_wanted(const abut_motion *motion_a, const abut_motion *motion_b);
abut_status abut_deform_first_contact(const abut_shape *a, const abut_motion *motion_a, const abut_shape *b,
                                      const abut_motion *motion_b, const abut_first_opts *opts,
                                      abut_interval range, bool solids, abut_first_result *out);
abut_status abut_deform_intervals(const abut_shape *a, const abut_motion *motion_a, const abut_shape *b,
                                  const abut_motion *motion_b, const abut_first_opts *opts,
                                  abut_interval range, bool solids, abut_contact_interval *intervals,
                                  size_t capacity, abut_intervals_result *out);
/* The mesh as it is at t. */
abut_status abut_deform_image(const abut_motion *motion, const abut_shape *mesh, double t, abut_shape **out,
                              double *off);
abut_status abut_deform_check_at(const abut_shape *a, const abut_motion *motion_a, const abut_shape *b,
                                 const abut_motion *motion_b, double t, const abut_check_opts *opts,
                                 abut_workspace *ws, abut_check_result *out);

#endif
