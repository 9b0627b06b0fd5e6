/* SPDX-License-Identifier: MIT */
/* What stands behind an abut_surface: a row of functions for each kind of body, and the makers
 * of bodies. */
#ifndef ABUT_SURFACE_BODY_H
#define ABUT_SURFACE_BODY_H

#include "base/error.h"
#include "base/workspace.h"
#include "expr/public.h"
#include "surface/surface.h"

/* Functions of surface.h by the same names; those that a kind of body never has are NULL. */
typedef struct abut_surface_methods {
    bool (*jet)(const abut_surface *s, const abut_surface_feature *f, const ia *parameters, ia t, int order,
                ia *scratch, abut_jet *out);
    void (*normals)(const abut_surface *s, const abut_surface_feature *f, const ia *parameters, ia t,
                    ia *scratch, ia3 *out);
    bool (*field)(const abut_surface *s, const abut_surface_feature *f, int i, ia3 x, ia t, int order,
                  ia *scratch, abut_field_jet *out);
    abut_truth (*on)(const abut_surface *s, const abut_surface_feature *f, ia3 x, ia t, ia *scratch);
    abut_truth (*inside)(const abut_surface *s, ia3 x, ia t, ia *scratch);
    ia3 (*bounds)(const abut_surface *s, ia t, ia *scratch);
    abut_limit (*limit)(const abut_surface *s, const abut_surface_feature *f,
                        const abut_surface_feature *part, int i, ia3 x, ia t, ia *scratch);
    bool (*stays)(const abut_surface *s, const abut_passage *path, ia *scratch);
    /* NULL: every face is */
    bool (*needed)(const abut_surface *s, const abut_surface_feature *f, ia3 x, ia t, ia *scratch);
    /* NULL: they are not known */
    int (*walls)(const abut_surface *s, const abut_surface_feature *f, ia3 x, ia t, ia *scratch,
                 uint32_t out[ABUT_FEATURE_MAX_WALLS]);
    bool (*wall_field)(const abut_surface *s, uint32_t wall, ia3 x, ia t, int order, ia *scratch,
                       abut_field_jet *out);
    /* NULL: there are no seams */
    bool (*seams_avoid)(const abut_surface *s, ia3 x, ia t, int *budget, ia *scratch);
} abut_surface_methods;

/* Kernel. A field along a path: `first` at its middle, the jet over all of it, of order 1. */
static inline ia abut_passage_field(const abut_passage *path, ia first, const abut_field_jet *over)
{
    const ia slope = ia_add(ia3_dot(over->g, path->rate), over->t);
    return ia_intersect(over->f, ia_add(first, ia_mul(slope, ia_sub(path->t, path->middle_t))));
}

/* First member of every body. */
typedef struct abut_surface_body {
    const abut_surface_methods *methods;
} abut_surface_body;

/* The library's bodies; memory from the workspace. ABUT_ERR_MEMORY. */
abut_status abut_surface_sphere(double radius, abut_workspace *ws, abut_surface *out);
abut_status abut_surface_ellipsoid(abut_vec3 radii, abut_workspace *ws, abut_surface *out);
abut_status abut_surface_torus(double major, double minor, abut_workspace *ws, abut_surface *out);
abut_status abut_surface_cylinder(double radius, double height, abut_workspace *ws, abut_surface *out);
abut_status abut_surface_cone(double radius, double height, abut_workspace *ws, abut_surface *out);
abut_status abut_surface_capsule(double radius, double height, abut_workspace *ws, abut_surface *out);
abut_status abut_surface_box(abut_vec3 half, abut_workspace *ws, abut_surface *out);
abut_status abut_surface_halfspace(abut_vec3 normal, double offset, abut_workspace *ws, abut_surface *out);

/* Spines (spine.c): a circle around the z axis; a segment along it, a point where its half
 * length is 0. No solids: only jets and bounds, and of the circle fields. */
abut_status abut_surface_circle(double radius, abut_workspace *ws, abut_surface *out);
abut_status abut_surface_segment(double half, abut_workspace *ws, abut_surface *out);

/* A convex polytope: faces with their corners counter-clockwise from outside, edges with the two
 * faces beside them, faces around each vertex. All of it is kept. */
typedef struct abut_polytope_edge {
    uint32_t from, to, face[2];
    int64_t id;
} abut_polytope_edge;

typedef struct abut_surface_polytope_def {
    const double *x, *y, *z;
    uint32_t vertex_count;
    const uint32_t *point_of; /* the number of each vertex for the user */
    uint32_t face_count;
    const uint32_t *face_begin, *face_corners;
    uint32_t edge_count;
    const abut_polytope_edge *edges;
    const uint32_t *vertex_begin, *vertex_faces;
} abut_surface_polytope_def;

abut_status abut_surface_polytope(const abut_surface_polytope_def *def, abut_workspace *ws,
                                  abut_surface *out);

/* Triangles with their edges and vertices (facets.c), by numbers of `vertices`, which are enclosures.
 * All of it is kept. Ids are those of the features, NULL: none. inside: whether the points of a
 * box are in the material, where the triangles bound any; NULL: a sheet. It is called inside the
 * kernel. */
typedef struct abut_surface_facets_def {
    const abut_interval_vec3 *vertices;
    const uint32_t *points, *edges, *triangles; /* one, two, three vertices each */
    size_t point_count, edge_count, triangle_count;
    const int64_t *point_ids, *edge_ids, *triangle_ids;
    abut_interval_vec3 bounds; /* of the whole body, also of what is left out */
    abut_truth (*inside)(const void *ctx, ia3 x);
    const void *ctx;
} abut_surface_facets_def;

abut_status abut_surface_facets(const abut_surface_facets_def *def, abut_workspace *ws, abut_surface *out);

/* Functions with their derivatives in the layout of tape.h: a tape, or whatever answers like
 * one. */
typedef struct abut_map {
    bool (*enclose)(const void *ctx, const ia *box, int order, ia *scratch, ia *out);
    const void *ctx;
    size_t scratch; /* entries of ia that an evaluation of any order needs */
    size_t work;    /* of an evaluation, as abut_tape_work; 0: little, or not known */
} abut_map;

static inline bool abut_map_enclose_tape(const void *ctx, const ia *box, int order, ia *scratch, ia *out)
{
    return abut_tape_enclose((const abut_tape *)ctx, box, order, scratch, out);
}

static inline abut_map abut_map_of_tape(const abut_tape *tape)
{
    return (abut_map){ abut_map_enclose_tape, tape, abut_tape_scratch(tape, 2), abut_tape_work(tape) };
}

/* Values of a field are asked for their sign: by Bernstein coefficients where the natural
 * enclosure leaves it open. Pairs of quartic solids take a third of the iterations and six
 * tenths of the time so; other forms gain less than they cost. */
static inline bool abut_map_enclose_polynomial(const void *ctx, const ia *box, int order, ia *scratch,
                                               ia *out)
{
    const abut_tape *tape = (const abut_tape *)ctx;
    return order > 0 ? abut_tape_enclose(tape, box, order, scratch, out)
                     : abut_tape_enclose_tight(tape, box, 0, ABUT_TAPE_BERNSTEIN | ABUT_TAPE_UNTIL_SIGN,
                                               scratch, out);
}

static inline abut_map abut_map_of_field(const abut_tape *tape)
{
    if (!abut_tape_is_polynomial(tape, 0))
        return abut_map_of_tape(tape);
    const size_t natural = abut_tape_scratch(tape, 2), tight = abut_tape_scratch_tight(tape, 0);
    return (abut_map){ abut_map_enclose_polynomial, tape, natural > tight ? natural : tight,
                       abut_tape_work(tape) };
}

static inline bool abut_map_enclose_inclusion(const void *ctx, const ia *box, int order, ia *scratch, ia *out)
{
    (void)scratch;
    return abut_inclusion_enclose((const abut_inclusion *)ctx, box, order, out);
}

static inline abut_map abut_map_of_inclusion(const abut_inclusion *f)
{
    return (abut_map){ abut_map_enclose_inclusion, f, 0, 0 };
}

/* Three functions of u, v, t. */
typedef struct abut_surface_parametric_def {
    abut_map map;
    abut_interval range[2];
    bool wraps[2]; /* the user's word */
    bool normal_in, deforms;
} abut_surface_parametric_def;

/* Finds the features from the domain. ABUT_ERR_VALUE: not defined somewhere, or sides that
 * should wrap are apart. Memory from the workspace; the map must stay. */
abut_status abut_surface_parametric(const abut_surface_parametric_def *def, abut_workspace *ws,
                                    abut_surface *out, abut_error *error);

/* Solids by fields, negative inside, of x, y, z, t. How they are combined is written in Polish
 * order behind the operands; a single leaf is a program too. */
typedef enum abut_csg_step {
    ABUT_CSG_STEP_LEAF = 0,
    ABUT_CSG_STEP_NOT,
    ABUT_CSG_STEP_AND,
    ABUT_CSG_STEP_OR
} abut_csg_step;

typedef struct abut_csg_token {
    uint32_t step;
    uint32_t leaf;
} abut_csg_token;

enum { ABUT_CSG_MAX_NESTING = 256, ABUT_CSG_MAX_TOKENS = 1 << 16, ABUT_CSG_MAX_LEAVES = 4096 };

typedef struct abut_surface_csg_def {
    const abut_map *leaves; /* kept by the surface, as the tokens are */
    size_t leaf_count;
    const abut_csg_token *tokens;
    size_t token_count;
    /* nothing outside it counts; sides that cut the solid become faces (cut.c) */
    abut_aabb bounds;
    bool uncut; /* no side does: the fields alone keep the solid inside */
    bool deforms;
    /* of one that deforms: it is asked about in that time only. Not timed: no side is a face */
    bool timed;
    abut_interval time;
} abut_surface_csg_def;

/* Finds faces, creases and corners. ABUT_ERR_LIMIT: too many of them. */
abut_status abut_surface_csg(const abut_surface_csg_def *def, abut_workspace *ws, abut_surface *out,
                             abut_error *error);

/* A solid that deforms, made without a time, for a time: in the workspace where sides of the box
 * cut it then, otherwise as it was made. */
abut_status abut_surface_csg_over(const abut_surface *made, abut_interval time, abut_workspace *ws,
                                  abut_surface *out);

/* Makes a box around a solid that does not deform tighter where a limited search proves parts of it
 * empty; [inf, -inf] where all of it is. */
abut_status abut_surface_csg_shrink(const abut_surface *s, abut_aabb *box, abut_workspace *temporary);

/* What decides at a point, by the fields in doubles: the one that ends the solid there, signed so that
 * it is negative inside, its gradient, and what tells it from others. Fields are no distances, so that where
 * several decide any of them may. Kernel; scratch as for all functions of the surface and 16 more. */
typedef struct abut_csg_decision {
    double value;
    abut_vec3 gradient;
    const void *leaf;
} abut_csg_decision;

bool abut_surface_csg_decide(const abut_surface *s, abut_vec3 x, double t, ia *scratch,
                             abut_csg_decision *out);

/* Bezier patches as the user gave them. */
typedef struct abut_patch_def {
    int degree_u, degree_v;
    const abut_vec3 *points; /* u fastest */
    const double *weights;   /* NULL: all 1 */
} abut_patch_def;

/* Finds edges and vertices where patches meet. ABUT_ERR_VALUE: coordinates so large that
 * differences overflow. */
abut_status abut_surface_patches(const abut_patch_def *patches, size_t count, abut_workspace *ws,
                                 abut_surface *out, abut_error *error);

#endif
