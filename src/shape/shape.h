/* SPDX-License-Identifier: MIT */
/* What a shape is inside: one tagged union, filled by its creator and never changed again. Other
 * modules read it. */
#ifndef ABUT_SHAPE_SHAPE_H
#define ABUT_SHAPE_SHAPE_H

#include "abut/shape.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/workspace.h"
#include "expr/inclusion.h"
#include "shape/core.h"

#include <stdatomic.h>

struct abut_expr;
struct abut_tape;
struct abut_surface;
struct abut_polyhedron;
struct abut_solid;

/* A point set as the user gave it, and its hull. */
typedef struct abut_convex_data {
    abut_vec3 *points;
    size_t point_count;
    double margin;
    abut_hull *hull;
} abut_convex_data;

/* Faces of a mesh by what joins them: two belong to one piece where a chain of faces that share
 * vertices (welded in a solid, by index otherwise) leads from one to the other. Every face has a
 * piece, degenerate ones too. */
typedef struct abut_mesh_pieces {
    size_t count;
    uint32_t *first;   /* count faces: the smallest number in each piece; ascending */
    uint32_t *of_face; /* the piece of each face */
} abut_mesh_pieces;

/* Meshes and polyhedra: faces here are triangles; of a polyhedron those of its faces, which
 * `polyhedron` leads back to. Vertices are kept as given, ids are those of the input. weld[i] is the
 * smallest index of a vertex at the same place as i; NULL for a surface, whose vertices are what
 * their indices say.
 *
 * Edges are numbered in the sorted order of their (welded) ends, the smaller first. In a solid
 * edge e joins edge_ends[2 e] < edge_ends[2 e + 1]; the face edge_faces[2 e] runs through it
 * that way and edge_faces[2 e + 1] the other way. Faces that welding leaves with fewer than
 * three corners have no edges; a triangle with three corners on a line has, and may close the
 * gap of a T-joint. */
typedef struct abut_faceted_data {
    abut_vec3 *vertices;
    size_t vertex_count;
    size_t face_count;
    uint32_t *corners;
    size_t corner_count;
    uint32_t *weld;
    size_t edge_count;                  /* of a solid; a surface's are counted when asked for */
    uint32_t *edge_ends, *edge_faces;   /* 2 * edge_count each; NULL for a surface */
    _Atomic(abut_mesh_pieces *) pieces; /* NULL until asked for: abut_shape_pieces */
    bool solid;
    struct abut_bvh *tree;              /* bvh/bvh.h; refers to vertices and corners */
    struct abut_polyhedron *polyhedron; /* brep/polyhedron.h; NULL for a mesh */
} abut_faceted_data;

typedef struct abut_heightfield_data {
    size_t columns, rows;
    double dx, dy;
    double *heights;
    struct abut_heightfield_pyramid *pyramid; /* shape/heightfield.h */
} abut_heightfield_data;

typedef struct abut_patch_data {
    int degree_u, degree_v;
    abut_vec3 *points;
    double *weights; /* NULL: all 1 */
} abut_patch_data;

/* A part of a compound (narrow/compound.c makes them). */
typedef struct abut_compound_member {
    abut_shape *shape;
    struct abut_motion *at; /* in the frame of the compound */
    double reach;           /* no point of it is further from the origin of its own frame */
} abut_compound_member;

/* Where an operand of a Boolean combination is (csg/csg.c encloses it). */
typedef struct abut_csg_place {
    abut_interval_affine at; /* from the frame of the operand to that of the combination */
    bool identity, rigid;
} abut_csg_place;

struct abut_shape {
    abut_shape_type type;
    /* what the convex solvers take it for; refers to what the shape holds. Beside the type: most
     * queries read no more */
    abut_core core;
    atomic_size_t references;
    abut_allocator alloc;
    abut_aabb bounds;
    struct abut_surface
        *surface; /* of parametric, bezier, implicit and csg shapes; with its memory in `keep` */
    abut_workspace keep;
    union {
        struct {
            double radius;
        } sphere;
        struct {
            abut_vec3 half;
        } box;
        struct {
            double radius, height;
        } round; /* capsule, cylinder, cone */
        struct {
            abut_vec3 radii;
        } ellipsoid;
        struct {
            double major, minor;
        } torus;
        struct {
            abut_vec3 normal; /* as given, not of unit length */
            double offset;
        } halfspace;
        abut_convex_data convex;
        abut_faceted_data faceted; /* mesh, polyhedron */
        abut_heightfield_data heightfield;
        struct {
            /* three values of u, v, t; NULL where the user supplies inclusion functions */
            struct abut_expr *position;
            struct abut_tape *tape;
            abut_inclusion inclusion; /* where there is no tape */
            double u[2], v[2];
            bool wrap_u, wrap_v, normal_in;
        } parametric;
        struct {
            abut_patch_data *patches;
            size_t patch_count;
        } bezier;
        struct {
            struct abut_expr *f; /* one value of x, y, z, t; NULL, as above */
            struct abut_tape *tape;
            abut_inclusion inclusion;
            bool inclusion_deforms;
            struct abut_split *split; /* f by smooth parts (expr/split.h); NULL: it is one */
        } implicit;
        struct {
            abut_csg_op op;
            abut_shape **of;
            abut_csg_place *at; /* of each operand; NULL: all where they are */
            size_t count;
            bool mixed; /* not of implicit shapes alone, where they are */
        } csg;
        struct {
            abut_compound_member *parts;
            size_t count;
            /* abut_motion_release, which is to the right of this module */
            void (*release)(struct abut_motion *motion);
        } compound;
        struct {
            abut_shape *of;
            double margin;
        } swept;
        abut_core_user support;
        struct abut_solid *solid; /* solid/solid.h, of extrude, revolve and solid; in `keep` */
    } u;
};

/* A zeroed shape of that type with one reference, or NULL when memory is out. */
abut_shape *abut_shape_new(abut_shape_type type, const abut_allocator *alloc);

/* a + b and a * b rounded up: exact where the result is representable. For bounds, in rounding
 * to nearest; factors are >= 0. */
double abut_shape_add_up(double a, double b);
double abut_shape_mul_up(double a, double b);

/* Of a solid mesh or polyhedron whose vertices and faces are filled: welds the vertices, finds
 * the edges, and proves it closed, consistently oriented and turned outward. */
abut_status abut_shape_connect(abut_faceted_data *mesh, const abut_aabb *bounds, const abut_allocator *alloc,
                               abut_error *error);

/* Is it made of triangles: a mesh, or the triangulated faces of a polyhedron? */
static inline bool abut_shape_has_triangles(abut_shape_type type)
{
    return type == ABUT_SHAPE_MESH || type == ABUT_SHAPE_POLYHEDRON;
}

/* The index of a polyhedron, made at the first call and kept; NULL when memory is out. From any thread.
 * (shape/polyhedron.c) */
struct abut_index;
const struct abut_index *abut_shape_index(const abut_shape *shape);

/* The pieces of a mesh or polyhedron, found at the first call and kept; NULL when memory is out.
 * From any thread. */
const abut_mesh_pieces *abut_shape_pieces(const abut_shape *shape);
void abut_shape_pieces_destroy(abut_mesh_pieces *pieces, size_t face_count, const abut_allocator *alloc);

/* Number of the edge of a solid between two vertices (welded, in either order), -1 where there
 * is none. */
static inline int64_t abut_edge_find(const abut_faceted_data *mesh, uint32_t p, uint32_t q)
{
    const uint32_t from = p < q ? p : q, to = p < q ? q : p;
    size_t lo = 0, hi = mesh->edge_count;
    while (lo < hi) {
        const size_t mid = lo + (hi - lo) / 2;
        const uint32_t *ends = mesh->edge_ends + 2 * mid;
        if (ends[0] < from || (ends[0] == from && ends[1] < to))
            lo = mid + 1;
        else
            hi = mid;
    }
    const uint32_t *ends = mesh->edge_ends + 2 * lo;
    return lo < mesh->edge_count && ends[0] == from && ends[1] == to ? (int64_t)lo : -1;
}

/* The surface of a body, for the solvers of contact (surface/surface.h); memory from the
 * workspace where the shape does not keep it. Shapes that are made of other things than
 * surfaces: ABUT_ERR_UNSUPPORTED. */
abut_status abut_shape_surface(const abut_shape *shape, abut_workspace *ws, struct abut_surface *out);
/* The same for a stretch of time: sides of the box of a solid that deforms are faces where they cut
 * it then. */
abut_status abut_shape_surface_over(const abut_shape *shape, abut_interval time, abut_workspace *ws,
                                    struct abut_surface *out);

/* A parametric shape of three finished expressions in u, v, t, which it takes over, whatever happens. */
abut_status abut_shape_make_parametric(struct abut_expr *position, const abut_domain *domain,
                                       const abut_allocator *alloc, abut_shape **out, abut_error *error);

/* The solid of an extrude, revolve or solid; NULL of others. */
const struct abut_solid *abut_shape_solid(const abut_shape *shape);

/* The same of the spine of a body, which is all that is within *swell of the spine (and inside it,
 * where that is a solid); of bodies without one their surface, and 0. */
abut_status abut_shape_spine(const abut_shape *shape, abut_workspace *ws, struct abut_surface *out,
                             double *swell);

/* Range of the corners of a face. */
static inline size_t abut_face_begin(const abut_faceted_data *mesh, size_t face)
{
    (void)mesh;
    return 3 * face;
}

static inline size_t abut_face_end(const abut_faceted_data *mesh, size_t face)
{
    (void)mesh;
    return 3 * face + 3;
}

#endif
