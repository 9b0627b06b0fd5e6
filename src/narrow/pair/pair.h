/* SPDX-License-Identifier: MIT */
/* What a pair method gets and gives. */
#ifndef ABUT_NARROW_PAIR_PAIR_H
#define ABUT_NARROW_PAIR_PAIR_H

#include "abut/query.h"
#include "narrow/pair/gap.h"
#include "narrow/pair/place.h"
#include "shape/shape.h"

/* How much of the answer is wanted. */
typedef enum abut_want { ABUT_WANT_ALL = 0, ABUT_WANT_DISTANCE, ABUT_WANT_VERDICT } abut_want;

typedef struct abut_ask {
    abut_want want;
    double cutoff;            /* DISTANCE: may stop once it is proved larger */
    double clearance;         /* VERDICT: on which side of this the gap is */
    double relative;          /* DISTANCE, ALL: searches may stop once hi <= (1 + relative) lo */
    double least;             /* of curved surfaces: proved to be apart by this; 0: unknown */
    int max_contacts;         /* ALL; 0: 4 */
    bool no_contacts;         /* ALL: they need not be found; DISTANCE: nor how deep */
    bool apart;               /* covers: the bodies are known to be apart; how far is wanted */
    double blur;              /* covers: the points of one body may be off by so much, in any direction */
    uint64_t max_iterations;  /* of searches for curved surfaces; 0: as usual */
    abut_check_method method; /* of CAD solids */
    abut_cache *cache;        /* or NULL */
    struct abut_cover_cache *cover; /* narrow/cover/pairs.h, or NULL; of this pair of shapes only */
} abut_ask;

typedef struct abut_pair {
    const abut_shape *a, *b;
    const abut_place *at_a, *at_b;
    /* NULL: all, with defaults. Methods may give more than is wanted, but for the clearance */
    const abut_ask *ask;
} abut_pair;

/* The same as the caller states it. Poses are not NULL, and need not be valid; ask is not NULL. */
typedef struct abut_posed_pair {
    const abut_shape *a, *b;
    const abut_pose *at_a, *at_b;
    const abut_ask *ask;
} abut_posed_pair;

/* Placements of both. A ball's rotation does not count, and is not enclosed. */
static inline abut_status abut_posed_place(const abut_posed_pair *pair, abut_place *at_a, abut_place *at_b)
{
    const abut_status status = abut_place_from_pose(pair->at_a, pair->a->type != ABUT_SHAPE_SPHERE, at_a);
    return status ? status : abut_place_from_pose(pair->at_b, pair->b->type != ABUT_SHAPE_SPHERE, at_b);
}

/* Two kinds of methods; a is of the type that stands first in the table (narrow/pair_table.c), and
 * *out comes zeroed, but for the contacts. Placed: from placements, the whole of it, exact
 * decisions included. Posed: from poses, sooner; false where it does not decide, then nothing in
 * *out counts. */
typedef abut_status (*abut_pair_fn)(const abut_pair *pair, abut_workspace *ws, abut_check_result *out);
typedef bool (*abut_posed_fn)(const abut_posed_pair *pair, abut_workspace *ws, abut_check_result *out,
                              abut_status *status);

/* Runs a method that takes memory from the workspace, with one of its own where ws is NULL, and gives back
 * what it took (scratch.c). */
abut_status abut_pair_with_scratch(abut_pair_fn method, const abut_pair *pair, abut_workspace *ws,
                                   abut_check_result *out);

abut_status abut_narrow_sphere_sphere(const abut_pair *pair, abut_workspace *ws, abut_check_result *out);
abut_status abut_narrow_sphere_box(const abut_pair *pair, abut_workspace *ws, abut_check_result *out);
abut_status abut_narrow_sphere_capsule(const abut_pair *pair, abut_workspace *ws, abut_check_result *out);
abut_status abut_narrow_sphere_halfspace(const abut_pair *pair, abut_workspace *ws, abut_check_result *out);

/* Boxes and capsules (closed.c). */
abut_status abut_narrow_closed(const abut_pair *pair, abut_workspace *ws, abut_check_result *out);
/* A cylinder or cone against a ball (sphere_round.c). */
abut_status abut_narrow_round(const abut_pair *pair, abut_workspace *ws, abut_check_result *out);
/* Any shape with a core against a half-space, and two half-spaces (plane.c). */
abut_status abut_narrow_plane(const abut_pair *pair, abut_workspace *ws, abut_check_result *out);
abut_status abut_narrow_halfspaces(const abut_pair *pair, abut_workspace *ws, abut_check_result *out);
/* A height field against a shape with a core. */
abut_status abut_narrow_heightfield(const abut_pair *pair, abut_workspace *ws, abut_check_result *out);
/* A height field against a half-space (heightfield_plane.c). */
abut_status abut_narrow_heightfield_plane(const abut_pair *pair, abut_workspace *ws, abut_check_result *out);
/* The same; *reaches: proved that the body, which may be flat, has points in the field's
 * interior. of_solid: the body is a face of a solid. */
abut_status abut_heightfield_reach(const abut_pair *pair, bool of_solid, bool *reaches,
                                   abut_check_result *out);
/* Two triangle meshes (mesh_pair.c). */
abut_status abut_narrow_meshes(const abut_pair *pair, abut_workspace *ws, abut_check_result *out);
/* A polyhedron against another or a mesh: as above, with contacts by entity where solids touch
 * (polyhedron/touch.c). */
abut_status abut_narrow_polyhedra(const abut_pair *pair, abut_workspace *ws, abut_check_result *out);
/* A mesh against a shape with a core, a half-space, a height field (mesh_convex.c, mesh_plane.c,
 * mesh_field.c). */
abut_status abut_narrow_mesh_convex(const abut_pair *pair, abut_workspace *ws, abut_check_result *out);
abut_status abut_narrow_mesh_plane(const abut_pair *pair, abut_workspace *ws, abut_check_result *out);
abut_status abut_narrow_mesh_field(const abut_pair *pair, abut_workspace *ws,
                                   abut_check_result *out); /* the field is a */
/* Torus, parametric, bezier, implicit, csg, against whatever has a surface (surface_pair.c). */
abut_status abut_narrow_surfaces(const abut_pair *pair, abut_workspace *ws, abut_check_result *out);
/* A mesh or a height field (a) against a curved surface (b). */
abut_status abut_narrow_facets(const abut_pair *pair, abut_workspace *ws, abut_check_result *out);
/* All pairs of shapes with a core (convex.c). */
abut_status abut_narrow_convex(const abut_pair *pair, abut_workspace *ws, abut_check_result *out);

/* posed.c: cores; of two shapes with a closed form; only whether they meet. */
bool abut_posed_convex(const abut_posed_pair *pair, abut_workspace *ws, abut_check_result *out,
                       abut_status *status);
bool abut_posed_closed(const abut_posed_pair *pair, abut_workspace *ws, abut_check_result *out,
                       abut_status *status);
bool abut_posed_overlap(const abut_posed_pair *pair, abut_workspace *ws, abut_check_result *out,
                        abut_status *status);
/* plane.c: a core (a) and a half-space; only whether they meet. */
bool abut_posed_plane(const abut_posed_pair *pair, abut_workspace *ws, abut_check_result *out,
                      abut_status *status);
bool abut_posed_plane_overlap(const abut_posed_pair *pair, abut_workspace *ws, abut_check_result *out,
                              abut_status *status);
/* mesh_pair.c: only whether they meet. */
bool abut_posed_meshes(const abut_posed_pair *pair, abut_workspace *ws, abut_check_result *out,
                       abut_status *status);

/* From a feature of the triangles of a shape to the entity of the polyhedron that it belongs to; others
 * stay as they are. id: of a triangle, an edge of the triangulation, a vertex; -1 stays. (entity.c) */
void abut_entity_of(const abut_shape *shape, abut_feature *feature, int64_t *id);
/* The same of a point's place, and of all contacts of a result. */
void abut_entity_of_piece(const abut_shape *shape, abut_piece *piece);
void abut_entity_of_contacts(const abut_shape *a, const abut_shape *b, abut_check_result *out);

/* Whether there is a row for two types. */
bool abut_narrow_has_pair(abut_shape_type a, abut_shape_type b);
/* Runs the method for the pair and mirrors the result where the method wanted it swapped. */
abut_status abut_narrow_run_pair(const abut_pair *pair, abut_workspace *ws, abut_check_result *out);
/* The result for the two shapes the other way round. */
void abut_narrow_mirror(abut_check_result *r);

/* ---- shared by the methods for a sphere (a) against something else (b) ---- */

typedef struct abut_sphere_pair {
    double radius;     /* of a */
    abut_vec3 centre;  /* of a, in the world */
    abut_vec3 foot;    /* nearest point of b's surface, in the world */
    abut_vec3 outward; /* unit, from b to a */
    abut_feature feature;
    int64_t id; /* of b */
} abut_sphere_pair;

/* Whether everything that counts is known exactly, so that the gap can be: translations, and b's
 * rotation unless it is a sphere. */
bool abut_sphere_pair_is_exact(const abut_pair *pair);
/* Centre of a in b's axes as exact sums, after division by 2^exponent. Only for exact pairs. */
void abut_sphere_pair_offset(const abut_pair *pair, int exponent, bool *lossy, abut_terms out[3]);
/* Sign of an interval gap. */
abut_gap abut_gap_from_interval(abut_interval value);
/* Largest coordinate of either translation. */
double abut_sphere_pair_size(const abut_pair *pair);
/* Enclosure of the same in b's frame, times `scale` (a power of two), for all other pairs. Call
 * inside a rounding block. */
struct ia3;
void abut_sphere_pair_enclose(const abut_pair *pair, double scale, struct ia3 *out);
/* Verdict, distance, depth, points, normal, contact from the gap, which is given in units of
 * 2^exponent. */
void abut_sphere_pair_finish(const abut_sphere_pair *s, abut_gap gap, int exponent, abut_proof proof,
                             abut_check_result *out);

#endif
