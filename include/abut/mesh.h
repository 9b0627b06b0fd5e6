/* SPDX-License-Identifier: MIT */
/* Triangle meshes: how their hierarchies are made, what may be wrong with them, and the questions
 * that are theirs alone: which triangles meet, whether a mesh meets itself, how deep it reaches.
 * The relation of two shapes, how far apart they are, rays and points are asked as for every other shape
 * (abut/query.h).
 *
 * A mesh is a list of triangles that need not fit: cracks, T-joints, doubles, and triangles that
 * are only a segment or a point are all allowed, and count as what they are. Unless it is solid
 * it is a surface, has no inside, and what it meets it touches. Triangles meet when they have a
 * point in common, decided exactly: for poses always, for motions where their enclosure suffices. */
#ifndef ABUT_MESH_H
#define ABUT_MESH_H

#include "abut/query.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- hierarchies ----
 * No answer depends on the choice, only its cost. */

/* What bounds the triangles below a node. Directed counts of k-DOPs: 6 faces of a cube, 14 with
 * its corners, 18 with its edges, 26 with both. Swept spheres: of a point (sphere), a line
 * segment, a rectangle. */
#define ABUT_VOLUME_LIST(X) \
    X(SPHERE, "sphere")     \
    X(AABB, "aabb")         \
    X(OBB, "obb")           \
    X(KDOP6, "kdop6")       \
    X(KDOP14, "kdop14")     \
    X(KDOP18, "kdop18")     \
    X(KDOP26, "kdop26")     \
    X(LINE_SPHERE, "lss")   \
    X(RECTANGLE_SPHERE, "rss")

typedef enum abut_volume {
    ABUT_VOLUME_AUTO = 0, /* oriented boxes, many to a node: the fastest */
#define ABUT_VOLUME_ENUM(name, text) ABUT_VOLUME_##name,
    ABUT_VOLUME_LIST(ABUT_VOLUME_ENUM)
#undef ABUT_VOLUME_ENUM
        ABUT_VOLUME_COUNT
} abut_volume;

/* How the triangles are parted: top down at the mean or the median of their centres along the
 * longest axis of the volume (the second longest and the shortest where that parts nothing), or
 * by the surface-area heuristic; or bottom up, by joining what is near. AUTO: by area, and
 * ABUT_VOLUME_AUTO has its own. */
typedef enum abut_builder {
    ABUT_BUILDER_AUTO = 0,
    ABUT_BUILDER_MEAN,
    ABUT_BUILDER_MEDIAN,
    ABUT_BUILDER_SAH,
    ABUT_BUILDER_BOTTOM_UP,
    ABUT_BUILDER_COUNT
} abut_builder;

/* What the axes of an oriented box or swept sphere are taken from: the scatter of the vertices,
 * of the vertices of their hull, or of the area of their hull. */
typedef enum abut_covariance {
    ABUT_COVARIANCE_VERTICES = 0,
    ABUT_COVARIANCE_HULL,
    ABUT_COVARIANCE_HULL_AREA,
    ABUT_COVARIANCE_COUNT
} abut_covariance;

ABUT_API const char *abut_volume_name(abut_volume volume); /* "auto", "obb" */
ABUT_API const char *abut_builder_name(
    abut_builder builder); /* "auto", "mean", "median", "sah", "bottom-up" */

typedef struct abut_mesh_opts {
    size_t struct_size;
    /* closed (coincident vertices are welded first), with an inside; it should not cut itself,
     * which abut_self_contacts tells: if it does,
     *                    touching and penetrating may be mistaken for each other */
    bool solid;
    abut_volume volume;
    abut_builder builder;
    abut_covariance covariance;
} abut_mesh_opts;

ABUT_API void abut_mesh_opts_init(abut_mesh_opts *opts);
/* abut_shape_create_mesh with a choice; opts NULL: a surface, all automatic. */
ABUT_API abut_status abut_shape_create_mesh_with(const abut_vec3 *vertices, size_t vertex_count,
                                                 const uint32_t *triangles, size_t triangle_count,
                                                 const abut_mesh_opts *opts, const abut_allocator *alloc,
                                                 abut_shape **out, abut_error *error);
/* New places for all vertices of a mesh, as many as it has; its hierarchy is refitted in linear
 * time. The one way in which a shape changes: the caller must hold the only reference
 * (ABUT_ERR_ARGUMENT otherwise) and ask nothing meanwhile. On an error (a vertex that is not
 * finite, a solid that is turned inside out) nothing has changed. */
ABUT_API abut_status abut_shape_update_mesh(abut_shape *mesh, const abut_vec3 *vertices, size_t vertex_count,
                                            abut_error *error);

typedef struct abut_hierarchy_info {
    abut_volume volume;
    abut_builder builder;
    size_t nodes, leaves, depth;
    size_t bytes;       /* of the hierarchy */
    size_t total_bytes; /* with the vertices, the triangles and all else that the shape keeps */
} abut_hierarchy_info;

/* Corners of a triangle in the frame of the mesh. ABUT_ERR_ARGUMENT for a shape that is no mesh,
 * and a number that is no triangle. */
ABUT_API abut_status abut_shape_get_triangle(const abut_shape *mesh, size_t triangle, abut_vec3 *corners);
/* ABUT_ERR_ARGUMENT for a shape that is no mesh. */
ABUT_API abut_status abut_shape_get_hierarchy(const abut_shape *mesh, abut_hierarchy_info *out);

/* ---- what may be wrong with a mesh ---- */

typedef struct abut_mesh_report {
    size_t vertices, triangles;
    size_t unused_vertices, duplicate_vertices; /* vertices at a place where one came before */
    size_t degenerate;                          /* triangles on a line or at a point */
    size_t duplicate; /* triangles with the three places of one before, whichever way round */
    /* after welding; with one triangle; with more than two */
    size_t edges, open_edges, crowded_edges;
    size_t flipped; /* edges that both of their two triangles run through the same way */
    /* The fewest triangles to turn round so that all neighbours over an edge of two agree; where
     * no turning helps (a surface with one side), one choice. */
    size_t flipped_faces;
    size_t components;   /* joined by common places */
    bool closed;         /* every edge has exactly two triangles */
    bool oriented;       /* and they run through it both ways */
    bool outward;        /* closed, oriented, and encloses a positive volume */
    double area, volume; /* rounded; volume 0 unless closed and oriented */
} abut_mesh_report;

/* Of any triangles. Those with fewer than three different places have no edges; one whose three
 * places are on a line has, and may close the gap of a T-joint. */
ABUT_API abut_status abut_mesh_inspect(const abut_vec3 *vertices, size_t vertex_count,
                                       const uint32_t *triangles, size_t triangle_count,
                                       const abut_allocator *alloc, abut_mesh_report *out, abut_error *error);
/* Of a mesh shape. */
ABUT_API abut_status abut_shape_inspect(const abut_shape *mesh, abut_mesh_report *out);

/* ---- which triangles meet ---- */

typedef enum abut_meet {
    ABUT_MEET_UNKNOWN = -1, /* too close to tell for an enclosed placement */
    ABUT_MEET_NONE = 0,
    /* they have points in common, but their insides do not cross: a corner, an edge, a common
     * line */
    ABUT_MEET_TOUCH,
    /* each has corners strictly on both sides of the other, and they meet along a segment */
    ABUT_MEET_CROSS,
    ABUT_MEET_COPLANAR /* in one plane, with an area in common */
} abut_meet;

/* "unknown", "none", "touch", "cross", "coplanar" */
ABUT_API const char *abut_meet_name(abut_meet meet);

typedef struct abut_triangle_contact {
    uint32_t a, b; /* numbers of the triangles */
    abut_meet meet;
    abut_vec3 from,
        /* ends of the common segment, in the world, rounded; equal where it is a point; of a
         * common area two of its furthest points */
        to;
} abut_triangle_contact;

typedef struct abut_mesh_counters {
    uint64_t volume_tests, triangle_tests;
    uint64_t exact;   /* triangle tests that needed exact arithmetic */
    uint64_t updates; /* of volumes that had to be placed anew for a test */
} abut_mesh_counters;

/* Which of two nodes is opened: the larger one, or both at once. */
typedef enum abut_descent { ABUT_DESCENT_LARGER = 0, ABUT_DESCENT_BOTH } abut_descent;

/* Where the last walk through two hierarchies ended, as a start for the next: saves work when
 * little has moved. Belongs to one pair of meshes at a time; a walk for another pair begins
 * anew. Only binary hierarchies (all but AUTO) use it. */
typedef struct abut_front abut_front;
ABUT_API abut_status abut_front_create(const abut_allocator *alloc, abut_front **out);
ABUT_API void abut_front_destroy(abut_front *front);

/* Receives contacts, several at a time, in no order; false stops the query
 * (ABUT_STOP_CANCELLED). */
typedef bool (*abut_triangle_contact_fn)(void *ctx, const abut_triangle_contact *contacts, size_t count);

typedef struct abut_contacts_opts {
    size_t struct_size;
    abut_triangle_contact_fn on_contacts;
    void *on_contacts_ctx;
    bool any;         /* stop at the first contact */
    bool no_segments; /* leave from and to at zero: the numbers are wanted only */
    abut_descent descent;
    abut_front *front;
} abut_contacts_opts;

typedef struct abut_contacts_result {
    /* of the surfaces: separate, touching, or undecided; a solid's inside does not count here */
    abut_verdict verdict;
    abut_proof proof;
    abut_stop stop;
    size_t count; /* of pairs that meet; may exceed the capacity given */
    /* of pairs that could not be decided (enclosed placements only); listed too, as
     * ABUT_MEET_UNKNOWN */
    size_t unknown;
    abut_mesh_counters counters;
} abut_contacts_result;

ABUT_API void abut_contacts_opts_init(abut_contacts_opts *opts);
/* All pairs of triangles of two meshes that meet. Writes the first `capacity` of them in the
 * order of a, then b, whatever the hierarchies. */
ABUT_API abut_status abut_contacts(const abut_shape *a, const abut_pose *pose_a, const abut_shape *b,
                                   const abut_pose *pose_b, const abut_contacts_opts *opts,
                                   abut_workspace *ws, abut_triangle_contact *contacts, size_t capacity,
                                   abut_contacts_result *out);
ABUT_API abut_status abut_contacts_at(const abut_shape *a, const abut_motion *motion_a, const abut_shape *b,
                                      const abut_motion *motion_b, double t, const abut_contacts_opts *opts,
                                      abut_workspace *ws, abut_triangle_contact *contacts, size_t capacity,
                                      abut_contacts_result *out);
/* All pairs a < b of triangles of one mesh that meet other than as neighbours do: two that share
 * a corner or an edge (by index or by place) count when they have more than that in common. */
ABUT_API abut_status abut_self_contacts(const abut_shape *mesh, const abut_contacts_opts *opts,
                                        abut_workspace *ws, abut_triangle_contact *contacts, size_t capacity,
                                        abut_contacts_result *out);

/* ---- nearest point, depth ---- */

typedef struct abut_closest_result {
    abut_interval distance; /* to the surface, also from inside */
    abut_vec3 point;        /* of the surface, in the world, rounded */
    abut_feature feature;   /* of the mesh that it lies on */
    int64_t id;
    abut_where where; /* of the point asked about: in, out or on a solid; out or on a surface */
} abut_closest_result;

/* Point of a mesh nearest to a point. `within`: look no further (infinite: anywhere);
 * distance.lo > within and no feature where there is none. */
ABUT_API abut_status abut_closest_point(const abut_shape *mesh, const abut_pose *pose, abut_vec3 point,
                                        double within, abut_closest_result *out);

/* How deep two solid meshes reach into each other, as most engines want it: the vertex of either
 * that lies inside the other and is furthest from its surface. An estimate: 0 where only edges
 * cross, and not the least translation that parts them, which abut_check encloses as `depth`. */
typedef struct abut_reach_result {
    double depth; /* rounded; 0 where no vertex is inside */
    /* the vertex, and the point of the other surface nearest to it */
    abut_vec3 inside, outside;
    abut_vec3 normal;              /* unit, the direction in which b leaves a */
    size_t vertices_a, vertices_b; /* how many vertices of each are inside the other */
    abut_mesh_counters counters;
} abut_reach_result;

ABUT_API abut_status abut_mesh_reach(const abut_shape *a, const abut_pose *pose_a, const abut_shape *b,
                                     const abut_pose *pose_b, abut_workspace *ws, abut_reach_result *out);

#ifdef __cplusplus
}
#endif

#endif
