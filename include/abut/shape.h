/* SPDX-License-Identifier: MIT */
/* Shapes: geometry in its own frame, immutable once made, shared freely between threads. Axes
 * run along z, bodies are centred at the origin, solids are closed sets. Every creator checks
 * its arguments and either gives a shape with one reference or an error and NULL. Sizes are
 * positive and finite, heights at least 2^-1021, so that half of one is a double. `error` may be
 * NULL. */
#ifndef ABUT_SHAPE_H
#define ABUT_SHAPE_H

#include "abut/motion.h"

#ifdef __cplusplus
extern "C" {
#endif

/* One list of what there is: enum name and the name in scene files. */
#define ABUT_SHAPE_LIST(X)        \
    X(SPHERE, "sphere")           \
    X(BOX, "box")                 \
    X(CAPSULE, "capsule")         \
    X(CYLINDER, "cylinder")       \
    X(CONE, "cone")               \
    X(ELLIPSOID, "ellipsoid")     \
    X(TORUS, "torus")             \
    X(HALFSPACE, "halfspace")     \
    X(CONVEX, "convex")           \
    X(MESH, "mesh")               \
    X(POLYHEDRON, "polyhedron")   \
    X(HEIGHTFIELD, "heightfield") \
    X(PARAMETRIC, "parametric")   \
    X(BEZIER, "bezier")           \
    X(IMPLICIT, "implicit")       \
    X(CSG, "csg")                 \
    X(EXTRUDE, "extrude")         \
    X(REVOLVE, "revolve")         \
    X(SOLID, "solid")             \
    X(COMPOUND, "compound")       \
    X(SWEPT, "swept")             \
    X(SUPPORT, "support")

typedef enum abut_shape_type {
    ABUT_SHAPE_NONE = 0,
#define ABUT_SHAPE_ENUM(name, text) ABUT_SHAPE_##name,
    ABUT_SHAPE_LIST(ABUT_SHAPE_ENUM)
#undef ABUT_SHAPE_ENUM
        ABUT_SHAPE_TYPE_COUNT
} abut_shape_type;

typedef struct abut_shape abut_shape;

ABUT_API abut_status abut_shape_create_sphere(double radius, const abut_allocator *alloc, abut_shape **out);
ABUT_API abut_status abut_shape_create_box(abut_vec3 half, const abut_allocator *alloc, abut_shape **out);
/* height is that of the cylindrical part and may be 0. */
ABUT_API abut_status abut_shape_create_capsule(double radius, double height, const abut_allocator *alloc,
                                               abut_shape **out);
ABUT_API abut_status abut_shape_create_cylinder(double radius, double height, const abut_allocator *alloc,
                                                abut_shape **out);
/* Base at z = -height/2, apex at +height/2. */
ABUT_API abut_status abut_shape_create_cone(double radius, double height, const abut_allocator *alloc,
                                            abut_shape **out);
ABUT_API abut_status abut_shape_create_ellipsoid(abut_vec3 radii, const abut_allocator *alloc,
                                                 abut_shape **out);
/* Solid; major > minor. */
ABUT_API abut_status abut_shape_create_torus(double major, double minor, const abut_allocator *alloc,
                                             abut_shape **out);
/* The points with normal . x <= offset; the normal is not zero and need not be of unit length. */
ABUT_API abut_status abut_shape_create_halfspace(abut_vec3 normal, double offset, const abut_allocator *alloc,
                                                 abut_shape **out);
/* Convex hull of the points, swept by a ball of radius margin >= 0. At least one point; flat
 * sets are allowed, and have no interior unless margin > 0: what they touch they never
 * penetrate. */
ABUT_API abut_status abut_shape_create_convex(const abut_vec3 *points, size_t point_count, double margin,
                                              const abut_allocator *alloc, abut_shape **out,
                                              abut_error *error);

/* Convex shapes of one, two and three points, swept by a ball of radius margin >= 0. */
ABUT_API abut_status abut_shape_create_point(abut_vec3 point, double margin, const abut_allocator *alloc,
                                             abut_shape **out, abut_error *error);
ABUT_API abut_status abut_shape_create_segment(abut_vec3 from, abut_vec3 to, double margin,
                                               const abut_allocator *alloc, abut_shape **out,
                                               abut_error *error);
ABUT_API abut_status abut_shape_create_triangle(const abut_vec3 corners[3], double margin,
                                                const abut_allocator *alloc, abut_shape **out,
                                                abut_error *error);
/* All points within margin >= 0 of a sphere, box, capsule, cylinder, cone, ellipsoid, convex,
 * support or swept shape, which gains a reference. */
ABUT_API abut_status abut_shape_create_swept(abut_shape *of, double margin, const abut_allocator *alloc,
                                             abut_shape **out, abut_error *error);

/* A convex body known by its support points: writes to *point a point of the body that is
 * furthest along the direction (any length but 0), up to `error`: no point of the body is
 * further along it than that by more than error times the length of the direction, and the point
 * is within `error` of the body. May be called by many threads at once; must not change its
 * answers. */
typedef void (*abut_support_fn)(void *ctx, const abut_vec3 *direction, abut_vec3 *point);

typedef struct abut_support_def {
    abut_support_fn support;
    void *ctx;
    double error;  /* >= 0, a length */
    double radius; /* no point of the body is further than this from the origin of its frame; > 0 */
} abut_support_def;

/* The callback is tried in a fixed set of directions: answers that are not finite, beyond the
 * radius, or that no convex body can give are an argument error. What it answers later is
 * trusted within its stated error, but for points that are not finite or beyond the radius: a
 * query that meets one, and every later one about the shape, is an argument error. So is a query
 * at one instant whose two bounds contradict each other. */
ABUT_API abut_status abut_shape_create_support(const abut_support_def *def, const abut_allocator *alloc,
                                               abut_shape **out, abut_error *error);

/* Triangles: three vertex indices each; any will do, also those that are a segment or a point.
 * solid: the mesh is closed (coincident vertices are welded first), consistently oriented and
 * turned outward, and has an inside; otherwise it is a surface. More in abut/mesh.h. */
ABUT_API abut_status abut_shape_create_mesh(const abut_vec3 *vertices, size_t vertex_count,
                                            const uint32_t *triangles, size_t triangle_count, bool solid,
                                            const abut_allocator *alloc, abut_shape **out, abut_error *error);
/* Faces: face i has face_sizes[i] >= 3 consecutive entries of `indices`. A closed solid with
 * planar faces, which may be concave. */
ABUT_API abut_status abut_shape_create_polyhedron(const abut_vec3 *vertices, size_t vertex_count,
                                                  const uint32_t *face_sizes, size_t face_count,
                                                  const uint32_t *indices, size_t index_count,
                                                  const abut_allocator *alloc, abut_shape **out,
                                                  abut_error *error);
/* heights: columns * rows values, x fastest, at least 2 x 2; spacings of at least 2^-505 (1e-152),
 * widths and heights of at most 2^505 (1e152); the grid is centred at x = y = 0; each cell is split
 * from its first corner to its opposite one; solid below. */
ABUT_API abut_status abut_shape_create_heightfield(size_t columns, size_t rows, double dx, double dy,
                                                   const double *heights, const abut_allocator *alloc,
                                                   abut_shape **out, abut_error *error);

typedef struct abut_let {
    const char *name, *expression;
} abut_let;

/* Expressions in u, v, t and the names defined before them. */
typedef struct abut_parametric_def {
    const char *x, *y, *z;
    double u[2], v[2];
    bool wrap_u, wrap_v;
    bool normal_in; /* false: d/du x d/dv leaves the material */
    const abut_let *lets;
    size_t let_count;
} abut_parametric_def;

ABUT_API abut_status abut_shape_create_parametric(const abut_parametric_def *def, const abut_allocator *alloc,
                                                  abut_shape **out, abut_error *error);

/* (degree_u + 1) * (degree_v + 1) points, u fastest; weights NULL (all 1) or as many positive
 * numbers. */
typedef struct abut_bezier_patch {
    int degree_u, degree_v;
    const abut_vec3 *points;
    const double *weights;
} abut_bezier_patch;

/* Patches whose sides have equal control points and weights, in the same or the opposite order,
 * meet there; patches that enclose a body and are consistently oriented are a solid, others a
 * sheet with two sides. Shells that touch along edges are distinguished, each is turned outward,
 * those inside others are cavities. ABUT_ERR_VALUE: neither solid nor sheet, as
 * docs/scene-format.md says. */
ABUT_API abut_status abut_shape_create_bezier(const abut_bezier_patch *patches, size_t patch_count,
                                              const abut_allocator *alloc, abut_shape **out,
                                              abut_error *error);

/* A surface of count_u * count_v control points, u fastest, at least degree + 1 each way; count
 * + degree + 1 ascending knots each way. The surface runs from knots[degree] to knots[count];
 * between them no knot comes more than `degree` times. */
typedef struct abut_nurbs_surface {
    int degree_u, degree_v;
    size_t count_u, count_v;
    const double *knots_u, *knots_v;
    const abut_vec3 *points;
    const double *weights; /* NULL (all 1), or positive */
} abut_nurbs_surface;

/* A bezier shape of the patches that the knots divide the surfaces into, in order, u fastest.
 * Their control points are rounded: by at most 4 (degree_u + degree_v) ulp of the largest
 * coordinate (times weight) that goes into them. Patches of one surface meet exactly. */
ABUT_API abut_status abut_shape_create_nurbs(const abut_nurbs_surface *surfaces, size_t count,
                                             const abut_allocator *alloc, abut_shape **out,
                                             abut_error *error);
/* f(x, y, z, t) < 0 inside, searched for within bounds only. */
ABUT_API abut_status abut_shape_create_implicit(const char *f, abut_aabb bounds, const abut_allocator *alloc,
                                                abut_shape **out, abut_error *error);

typedef enum abut_csg_op { ABUT_CSG_UNION = 1, ABUT_CSG_INTERSECTION, ABUT_CSG_DIFFERENCE } abut_csg_op;

/* Operands: sphere, box, capsule, cylinder, cone, ellipsoid, torus, halfspace, convex (with volume, without
 * a margin), extrude, revolve, implicit and csg shapes, at least one (two for a difference: the first less
 * all others); each gains a reference. The result must be bounded. Surfaces of operands that are the same
 * but for rounding are one surface of the result; what is left is the closure of its interior there. */
ABUT_API abut_status abut_shape_create_csg(abut_csg_op op, abut_shape *const *of, size_t count,
                                           const abut_allocator *alloc, abut_shape **out, abut_error *error);

/* An operand and where it is in the frame of the result: a static motion, which may be an affine map
 * that is not singular (NULL: the identity). Needed only during the call. */
typedef struct abut_csg_operand {
    abut_shape *shape;
    const abut_motion *at;
} abut_csg_operand;

/* ABUT_ERR_VALUE: an unbounded result, or a singular placement. ABUT_ERR_UNSUPPORTED: an extrude or revolve
 * whose profile is too intricate. */
ABUT_API abut_status abut_shape_create_csg_placed(abut_csg_op op, const abut_csg_operand *of, size_t count,
                                                  const abut_allocator *alloc, abut_shape **out,
                                                  abut_error *error);

/* The shape under an affine map that is not singular, as a shape of its own, for maps that are not rigid.
 * Boxes, hulls without margin, meshes, Bezier surfaces and half-spaces: of the mapped vertices, control
 * points and normals, rounded to doubles (a box becomes a hull). Parametric shapes by expressions: the map is
 * appended to them. Sphere, ellipsoid, capsule, cylinder, cone, torus, implicit, csg, extrude, revolve: a csg
 * shape of one operand, which is kept. ABUT_ERR_UNSUPPORTED for others; ABUT_ERR_ARGUMENT: a singular map. */
ABUT_API abut_status abut_shape_create_transformed(abut_shape *of, const abut_affine *at,
                                                   const abut_allocator *alloc, abut_shape **out,
                                                   abut_error *error);

/* A part of a compound and where it is in the compound's frame: a static, rigid motion (NULL: the
 * identity). */
typedef struct abut_compound_part {
    abut_shape *shape;
    abut_motion *at;
} abut_compound_part;

/* The closed union of rigidly joined solids, which gain a reference, as do their placements. Parts may
 * overlap, touch or be apart. Any solid can be one: not surfaces (a mesh that is not solid), nor other
 * compounds. Pair queries, first contact and intervals, rays and points serve compounds wherever they
 * serve their parts; contacts carry the numbers of the parts. Depths are enclosures that may be wide. */
ABUT_API abut_status abut_shape_create_compound(const abut_compound_part *parts, size_t count,
                                                const abut_allocator *alloc, abut_shape **out,
                                                abut_error *error);

/* Thread-safe counts; release(NULL) does nothing, the last release destroys. */
ABUT_API abut_shape *abut_shape_retain(abut_shape *shape);
ABUT_API void abut_shape_release(abut_shape *shape);

ABUT_API abut_shape_type abut_shape_get_type(const abut_shape *shape);
/* "sphere"; "none" for a number that is no type. */
ABUT_API const char *abut_shape_type_name(abut_shape_type type);
/* A box that contains the shape in its own frame (all zero for NULL); infinite for halfspaces (and
 * downwards for height fields), and for parametric shapes that change with time or whose material
 * is outside. */
ABUT_API abut_aabb abut_shape_bounds(const abut_shape *shape);
/* Whether its form depends on the time (t in its expressions): such a body changes even where it is
 * at rest. false for NULL. */
ABUT_API bool abut_shape_deforms(const abut_shape *shape);
/* ABUT_OK where the expressions of the shape are defined on all of their ranges (those of u and
 * v, or the bounds) throughout that time, and for shapes without any; ABUT_ERR_VALUE where they
 * are not, with the expression and the earliest place in the error, and where a closed
 * parametric surface turns inside out or it cannot be proved which side of it is inside. Queries
 * of curved surfaces over such times answer ABUT_ERR_VALUE. */
ABUT_API abut_status abut_shape_defined_over(const abut_shape *shape, abut_interval time, abut_error *error);
/* Counts of what the shape is made of; zeros where it has none. The edges of a mesh that is a
 * surface are searched for at each call (0 when memory is out). */
typedef struct abut_shape_counts {
    size_t vertices, edges, faces, patches, operands;
} abut_shape_counts;
ABUT_API abut_shape_counts abut_shape_get_counts(const abut_shape *shape);

#ifdef __cplusplus
}
#endif

#endif
