/* SPDX-License-Identifier: MIT */
/* Bodies bounded by one parametric surface over a rectangle: what parametric.c evaluates and
 * domain.c finds out. */
#ifndef ABUT_SURFACE_PARAMETRIC_H
#define ABUT_SURFACE_PARAMETRIC_H

#include "surface/leaves.h"

/* Sides of the rectangle: 2 parameter + (upper end); side ^ 1 is the one opposite. */
enum { ABUT_SIDES = 4, ABUT_SIDE_PIECES = 64 };

typedef enum abut_side_kind {
    ABUT_SIDE_OPEN = 0,
    ABUT_SIDE_SMOOTH, /* goes on smoothly at the opposite side */
    /* the same curve as the opposite side, with a crease, or without anyone's word that there is
     * none */
    ABUT_SIDE_SEAM,
    ABUT_SIDE_COLLAPSED /* one point */
} abut_side_kind;

typedef struct abut_parametric_body {
    abut_surface_body base;
    abut_surface_parametric_def def;
    abut_side_kind side[ABUT_SIDES];
    /* of a collapsed side: in how many its enclosure is as small as it was found to be */
    int pieces[ABUT_SIDES];
    ia3 bounds;  /* of a body that does not deform */
    double size; /* extent, for tolerances */
    abut_surface_feature features[1 + 2 * ABUT_SIDES];
    size_t feature_count;
} abut_parametric_body;

/* data of a feature: a side of an edge or collapsed vertex; of a corner the side of u, the side
 * of v and CORNER. */
enum { ABUT_PARAMETRIC_CORNER = 16 };

static inline const abut_parametric_body *abut_parametric_of(const abut_surface *s)
{
    return (const abut_parametric_body *)s->body;
}

/* Kernel. The face over any box; not folded. */
bool abut_parametric_jet(const abut_parametric_body *body, const ia parameters[2], ia t, int order,
                         ia *scratch, abut_jet *out);
/* Kernel. The end of the range of a parameter that a side represents, and box [w of the pieces]
 * along it. */
ia abut_parametric_piece(const abut_parametric_body *body, int side, int piece, int pieces);
void abut_parametric_place(const abut_parametric_body *body, int side, ia along, ia box[2]);
/* Kernel. Normals at a collapsed side: the derivative of n away from it, which n has the
 * direction of nearby. */
ia3 abut_parametric_pole_normal(const abut_parametric_body *body, int side, ia along, ia t, ia *scratch);

/* Not a kernel. Of a closed surface: 1 where the normals lead out of the bounded side, -1 where
 * into it, 0 where that is not proved, 2 where parts differ. */
abut_orientation abut_parametric_orient(const abut_surface *s, abut_interval time, ia *scratch);

/* Kernel. Kinds of sides, features, bounds. */
typedef struct abut_domain_trouble {
    bool undefined, apart; /* at u, v; sides of that parameter */
    double u, v;
    int parameter;
} abut_domain_trouble;
bool abut_domain_study(abut_parametric_body *body, ia *scratch, abut_domain_trouble *trouble);

#endif
