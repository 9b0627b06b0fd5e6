/* SPDX-License-Identifier: MIT */
/* Meshes that deform: cloth, soft tissue, sheet metal. Each vertex moves on a straight line at
 * constant speed, over a step (abut_deform, for solvers) or from key to key (motions of vertices,
 * abut_motion_create_vertices in abut/motion.h, with the queries of abut/query.h).
 *
 * Contacts are those of features: a vertex with a face, an edge with an edge (abut/triangle.h), in
 * exact arithmetic on the given doubles; closed sets, times in [0, 1] of the step. Each pair of
 * features is reported once. A mesh with itself: features without a common vertex. Topology never
 * changes: vertices are what their indices say, and triangles may be degenerate.
 *
 * Self-contact uses the curvature criterion (P. Volino, N. Magnenat-Thalmann, 1994): a region
 * whose triangles all face one direction, with a contour that does not cross itself seen along
 * it, does not meet itself. The contour is tested, so nothing is missed. docs/deforming.md. */
#ifndef ABUT_DEFORM_H
#define ABUT_DEFORM_H

#include "abut/mesh.h"
#include "abut/triangle.h"

#ifdef __cplusplus
extern "C" {
#endif

/* One mesh: topology, edges, hierarchy, and the positions of one step. Not for several threads at
 * a time, queries included: they use its scratch memory. */
typedef struct abut_deform abut_deform;

/* The vertices are the step's positions until the first update, at rest; they also shape the
 * hierarchy, so the mesh should not be folded up here. At least one triangle. */
ABUT_API abut_status abut_deform_create(const abut_vec3 *vertices, size_t vertex_count,
                                        const uint32_t *triangles, size_t triangle_count,
                                        const abut_allocator *alloc, abut_deform **out, abut_error *error);
ABUT_API void abut_deform_destroy(abut_deform *mesh);

/* Positions at the start and at the end of a step; end NULL: at rest. Copied, and the hierarchy is
 * refitted: linear time, nothing is allocated. On an error (another number of vertices, one that
 * is not finite, which error->index names) nothing has changed. */
ABUT_API abut_status abut_deform_update(abut_deform *mesh, const abut_vec3 *start, const abut_vec3 *end,
                                        size_t vertex_count, abut_error *error);

/* Edges are numbered in the order of their ends, the smaller first. */
ABUT_API size_t abut_deform_edge_count(const abut_deform *mesh);
/* ABUT_ERR_ARGUMENT for a number that is no edge. */
ABUT_API abut_status abut_deform_get_edge(const abut_deform *mesh, size_t edge, uint32_t ends[2]);

typedef struct abut_deform_contact {
    /* Of first contact of these two features in the step. */
    abut_interval time;
    abut_vec3 point;
    /* Unit, from a to b as they were before. */
    abut_vec3 normal;
    /* VERTEX and FACE, FACE and VERTEX, or EDGE and EDGE; of one mesh with itself a vertex comes
     * before its face, and the smaller edge first. */
    abut_feature features[2];
    /* Numbers of vertices, triangles or edges. */
    uint32_t ids[2];
    /* Weights at the second and third corner of the face; or along the edges. */
    double parameters[2];
} abut_deform_contact;

/* Receives contacts in no order; false ends the query (ABUT_STOP_CANCELLED). */
typedef bool (*abut_deform_contact_fn)(void *ctx, const abut_deform_contact *contact);

typedef struct abut_deform_opts {
    size_t struct_size;
    /* In [0, 1]: contacts after this time are not searched for. Default 1. */
    double t_max;
    abut_deform_contact_fn on_contact;
    void *on_contact_ctx;
    /* Leave out whether triangles cross at the start: saves a little. Default false. */
    bool no_start;
    /* Leave out the curvature criterion: to see what it saves. Default false. */
    bool no_curvature;
} abut_deform_opts;

/* Work done. */
typedef struct abut_deform_counters {
    /* Pairs of bounding volumes that were compared. */
    uint64_t volume_tests;
    /* Curvature: regions or pairs of them that were tried, those among them that were proved
     * free of self-contact, and the pairs of triangles that these hold. */
    uint64_t curvature_tests, curvature_skips, skipped_pairs;
    /* Pairs of triangles that were examined. */
    uint64_t triangle_pairs;
    /* Vertex-face and edge-edge queries, and those that needed exact arithmetic. */
    uint64_t feature_tests, exact;
} abut_deform_counters;

typedef struct abut_deform_result {
    /* CONTACT, SEPARATE, or OVERLAPPING where triangles cross at the start; contacts are found
     * all the same. */
    abut_first_verdict verdict;
    abut_proof proof;
    abut_stop stop;
    /* Of the earliest contact. */
    abut_interval time;
    /* Contacts; may exceed the capacity given. */
    size_t count;
    /* Pairs of triangles that cross at the start. */
    size_t crossings;
    abut_deform_counters counters;
} abut_deform_result;

ABUT_API void abut_deform_opts_init(abut_deform_opts *opts);

/* All contacts of a step between two meshes, or of one with itself: b NULL or a. Writes the first
 * `capacity` of them that it finds. A contact that lasts is reported once, with its first time. */
ABUT_API abut_status abut_deform_contacts(abut_deform *a, abut_deform *b, const abut_deform_opts *opts,
                                          abut_deform_contact *contacts, size_t capacity,
                                          abut_deform_result *out);
/* The earliest contact only, in out->time, and the contacts that may be it (those whose enclosures
 * of the time overlap its). Contact at the start counts, as in abut/triangle.h. The best time so
 * far is passed down. */
ABUT_API abut_status abut_deform_first(abut_deform *a, abut_deform *b, const abut_deform_opts *opts,
                                       abut_deform_contact *contacts, size_t capacity,
                                       abut_deform_result *out);

typedef struct abut_deform_near_pair {
    /* Enclosed; [0, 0] only where they are proved to meet. */
    abut_interval distance;
    /* Nearest points, rounded. */
    abut_vec3 point_a, point_b;
    abut_feature features[2];
    uint32_t ids[2];
} abut_deform_near_pair;

typedef struct abut_deform_near_result {
    /* Pairs closer than the distance asked for; may exceed the capacity. */
    size_t count;
    /* Of these, pairs whose enclosure also holds the distance itself: too close to tell. */
    size_t unknown;
    abut_deform_counters counters;
} abut_deform_near_result;

/* All pairs of features (vertex-face, edge-edge) that are closer than `distance` > 0 at the start
 * of the step. b NULL or a: of one mesh, features without a common vertex. */
ABUT_API abut_status abut_deform_near(abut_deform *a, abut_deform *b, double distance,
                                      abut_deform_near_pair *pairs, size_t capacity,
                                      abut_deform_near_result *out);

/* Pairs of triangles that meet at the start of the step: of one mesh (b NULL or a) those without
 * a common vertex. `contacts` as far as there is room, without from and to; numbers ascend in
 * no order. A quick form of abut_self_contacts and abut_contacts for meshes that deform. */
ABUT_API abut_status abut_deform_meeting(abut_deform *a, abut_deform *b, const abut_deform_opts *opts,
                                         abut_triangle_contact *contacts, size_t capacity,
                                         abut_deform_result *out);

/* ---- meshes under motions of vertices (abut_motion_create_vertices) ---- */

/* First contact of a mesh with itself while it moves: as abut_first_contact, with a = b. */
ABUT_API abut_status abut_self_first_contact(const abut_shape *mesh, const abut_motion *motion,
                                             const abut_first_opts *opts, abut_workspace *ws,
                                             abut_first_result *out);
/* Pairs of triangles that meet at time t, as abut_self_contacts. */
ABUT_API abut_status abut_self_contacts_at(const abut_shape *mesh, const abut_motion *motion, double t,
                                           const abut_contacts_opts *opts, abut_workspace *ws,
                                           abut_triangle_contact *contacts, size_t capacity,
                                           abut_contacts_result *out);
/* Where the vertices of a motion of vertices are at time t, rounded. ABUT_ERR_ARGUMENT where it is
 * another kind of motion, or has another number of them. */
ABUT_API abut_status abut_motion_vertices_at(const abut_motion *motion, double t, abut_vec3 *vertices,
                                             size_t vertex_count);

#ifdef __cplusplus
}
#endif

#endif
