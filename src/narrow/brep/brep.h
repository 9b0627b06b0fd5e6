/* SPDX-License-Identifier: MIT */
/* Certified branch and bound over the boundaries of two solids: what its files share.
 *
 * Everything happens in the frame of the first body (the common frame), in rounding to nearest, with
 * plain doubles; `slack` bounds all that rounding, the enclosure of the placements and the
 * tolerances of explicit solids can change about the place of a point (docs/notes/cad-solids.md). */
#ifndef ABUT_NARROW_BREP_BREP_H
#define ABUT_NARROW_BREP_BREP_H

#include "narrow/pair/pair.h"
#include "solid/solid.h"

/* Lengths of which products of four neither overflow nor vanish: of others nothing can be computed in plain
 * doubles. */
static inline bool abut_brep_can_measure(double length)
{
    return length == 0 || (length > 1e-60 && length < 1e60);
}

/* A body of the search. */
typedef struct abut_brep_body {
    const abut_shape *shape;
    const abut_solid *solid; /* NULL: a body of another kind, with features of its own */
    const abut_features *features;
    abut_features own;
    bool moved;       /* `map` is not the identity */
    abut_affine map;  /* from its frame to the common one */
    abut_part *parts; /* placed parts, filled when first used */
    bool *placed;
    double size; /* its largest extent */
} abut_brep_body;

/* Has the shape features: is it a solid or made into one by abut_brep_convert? */
bool abut_brep_is_body(const abut_shape *shape);
/* Gives other bodies features. `reach` is a ball, in the body's frame, that holds all that counts of
 * the other body: half-spaces are cut to it. */
abut_status abut_brep_convert(const abut_shape *shape, abut_vec3 centre, double reach, abut_workspace *ws,
                              abut_features *out);

/* Where the points within `slack` of p (in the body's frame) are: -1 all inside, 1 all outside, 0
 * undecided. */
int abut_brep_side(const abut_shape *shape, abut_vec3 p, double slack);

/* Is a box in the body's frame, with all that is within `slack` of it, proved to be inside a swept solid? For boxes
 * that are long beside a wall, where the ball around them is not. */
bool abut_brep_holds_box(const abut_shape *shape, abut_vec3 mid, abut_vec3 half, double slack);

/* How far p, in the body's frame, is from the boundary at least, where it is inside; not positive where
 * it is not. Up to rounding. `most`: more is not asked for. */
double abut_brep_depth(const abut_shape *shape, abut_vec3 p, double most);

/* Does p, a point of the part's surface in the common frame, belong to the face? Good but within
 * rounding of its border. */
bool abut_brep_on_face(const abut_brep_body *body, const abut_part *placed, abut_vec3 p);
/* State of a cell of a trimmed face, and its sample; false where no point of it is in the face. */
bool abut_brep_trim(const abut_brep_body *body, const abut_part *placed, double slack, abut_cell *cell);

/* Lower bound of the distance of two cells; may stop once it reaches `enough`. */
double abut_brep_bound(const abut_cell *p, const abut_cell *q, double enough);
/* The same for cells of faces and edges, by what they are part of. */
double abut_brep_bound_parts(const abut_part *pp, const abut_cell *p, const abut_part *pq, const abut_cell *q,
                             double enough);
/* The same along the direction from x to y: the better, the nearer these points of p and q are to each other. */
double abut_brep_bound_toward(const abut_part *pp, const abut_cell *p, const abut_part *pq,
                              const abut_cell *q, abut_vec3 x, abut_vec3 y, double slack);
/* By meridians, of faces and edges of revolution about nearly the same axis (ring.c). */
double abut_brep_ring_bound(const abut_part *pp, const abut_cell *p, const abut_part *pq, const abut_cell *q);
/* The same for a round face or edge and a planar cell nearly across its axis. */
double abut_brep_ring_plane_bound(const abut_part *pp, const abut_cell *p, const abut_part *pq,
                                  const abut_cell *q);
/* Points of q's whole surface or curve where two nearly coaxial parts may be nearest: how many. */
int abut_brep_ring_seeds(const abut_part *pp, const abut_cell *p, const abut_part *pq, const abut_cell *q,
                         abut_vec3 seeds[2]);
/* Of two faces on ring tori, whatever their cells (tori.c); takes up to milliseconds. -infinity for others. */
double abut_brep_tori_bound(const abut_part *pp, const abut_part *pq);
/* Moves a pair of points of two parts that are near to each other to where they are nearest (Newton); false where
 * they are left as they were. */
bool abut_brep_polish(const abut_part *pp, const abut_part *pq, abut_vec3 at[2]);
/* Can outward normals of the two cells be opposite to each other? */
bool abut_brep_may_oppose(const abut_part *pp, const abut_cell *p, const abut_part *pq, const abut_cell *q);
/* Can the nearest points of two bodies that are apart be in these cells, as far as normals tell? */
bool abut_brep_is_critical(const abut_part *pp, const abut_cell *p, const abut_part *pq, const abut_cell *q);

typedef struct abut_brep_goal {
    double rounding;  /* the part of slack by which cells are widened */
    double clearance; /* verdicts only: is the distance more than this? */
    bool verdict_only;
    bool apart;       /* covers: the bodies are known to be apart */
    double tolerance; /* of the distance */
    double relative;  /* the same, as a part of the distance */
    double cutoff;    /* nothing is asked once the distance exceeds this */
    uint64_t budget;
    /* Asked once, when the boundaries are found to meet as far as the search can tell: is the contact
     * proved, so that nothing more is to be known? May be NULL. */
    bool (*prove)(void *ctx);
    void *ctx;
} abut_brep_goal;

typedef struct abut_brep_answer {
    double low, high; /* of the distance of the boundaries, before slack */
    bool has_points;
    abut_vec3 point[2]; /* common frame */
    uint32_t part[2];
    bool inside; /* a common inner point is proved: in point[0] */
    bool spent;
    bool proved; /* by goal->prove */
    abut_counters counters;
} abut_brep_answer;

/* A point of the boundary of the body, on a trimmed face, in its own frame. */
bool abut_brep_boundary_point(const abut_brep_body *body, const abut_part *part, abut_vec3 *out);

/* A part of the body in the common frame. */
static inline const abut_part *abut_brep_part(abut_brep_body *b, uint32_t number)
{
    if (!b->moved)
        return &b->features->parts[number];
    if (!b->placed[number]) {
        abut_part_place(&b->features->parts[number], &b->map, &b->parts[number]);
        b->placed[number] = true;
    }
    return &b->parts[number];
}

/* body[0] is in the common frame. */
abut_status abut_brep_search(abut_brep_body body[2], double slack, const abut_brep_goal *goal,
                             abut_workspace *ws, abut_brep_answer *out);

/* Both bodies of a pair, the first in the common frame. *slack is infinite where nothing can be computed. */
abut_status abut_brep_bodies(const abut_pair *pair, abut_workspace *ws, abut_brep_body body[2], double *slack,
                             double *rounding);

#endif
