/* SPDX-License-Identifier: MIT */
/* Implicit solids and what is made of them: what csg.c evaluates and creases.c finds. */
#ifndef ABUT_SURFACE_CSG_H
#define ABUT_SURFACE_CSG_H

#include "surface/body.h"
#include "surface/leaves.h"

/* A side of a leaf that can bound the solid: sign +1 where the material is where the leaf is
 * negative, -1 where it is subtracted. */
typedef struct abut_csg_wall {
    uint32_t leaf;
    int sign;
} abut_csg_wall;

/* The walls that vanish on a feature: 1 for a face, 2 for a crease, 3 for a corner. */
typedef struct abut_csg_set {
    uint32_t wall[3];
    uint32_t count;
} abut_csg_set;

/* Walls on whose common zeros a part of a solid that deforms may appear or vanish (births.c). */
enum { ABUT_CSG_BIRTH_WALLS = 4 };

typedef struct abut_csg_birth {
    uint32_t wall[ABUT_CSG_BIRTH_WALLS];
    uint32_t count;
} abut_csg_birth;

/* {sign x <= offset} for the coordinate `axis`: a side of the box. */
enum { ABUT_CSG_SIDES = 6 };

typedef struct abut_csg_side {
    int axis;
    double sign, offset;
} abut_csg_side;

/* The tip of a cone that is on the solid, where no three fields vanish alone: a vertex of its own,
 * beside the face that contains it. */
typedef struct abut_csg_apex {
    abut_interval_vec3 at;
    uint32_t leaf;
    int sign; /* of its wall */
} abut_csg_apex;

typedef struct abut_csg_body {
    abut_surface_body base;
    abut_surface_csg_def def;
    ia3 bounds;
    size_t cut_count; /* the last leaves are sides of the box, as the last steps of the program */
    abut_csg_wall *walls;
    size_t wall_count;
    abut_csg_set *sets; /* one for each feature, by its `data` */
    size_t set_count;
    abut_csg_apex *apexes; /* features with `data` from set_count on */
    size_t apex_count;
    abut_csg_birth *births; /* of solids that deform */
    size_t birth_count;
    bool births_left_out; /* there are more than are listed */
    size_t map_scratch;   /* of the leaf that needs most */
} abut_csg_body;

/* What is known of a leaf. */
typedef enum abut_csg_state { ABUT_CSG_UNKNOWN = 0, ABUT_CSG_IN = 1, ABUT_CSG_OUT = 2 } abut_csg_state;

/* Which of eight worlds may be inside and outside: world w has leaf i of the set inside where
 * bit i of w is set. */
typedef struct abut_csg_worlds {
    uint8_t in, out;
} abut_csg_worlds;

/* The tree, with the leaves of `set` as the worlds say (count 0: none) and the others as `state`
 * says. */
abut_csg_worlds abut_csg_evaluate(const abut_csg_body *body, const uint32_t *set, uint32_t count,
                                  const uint8_t *state);
/* Whether common zeros of the walls of the set bound the solid by all of them. */
abut_truth abut_csg_bounds_by(const abut_csg_body *body, const abut_csg_set *set, const uint8_t *state);
/* Kernel. State of a leaf over a box. */
abut_csg_state abut_csg_examine(const abut_csg_body *body, uint32_t leaf, ia3 x, ia t, ia *scratch);

/* Kernel. The field of a wall, signed as the wall is. */
bool abut_csg_field(const abut_csg_body *body, uint32_t wall, ia3 x, ia t, int order, ia *scratch,
                    abut_field_jet *out);
/* Where a box lies to the bounds of the whole. */
abut_truth abut_csg_within(const abut_csg_body *body, ia3 x);
/* States of leaves live behind what the maps use of the scratch memory. */
uint8_t *abut_csg_states(const abut_csg_body *body, ia *scratch);

/* Fills births; walls are known. Memory for good from `ws`, for the search from `temporary`. */
abut_status abut_csg_find_births(abut_csg_body *body, abut_workspace *ws, abut_workspace *temporary);

/* Sides of the box that may cut the solid, in the time of its definition; at most ABUT_CSG_SIDES. */
abut_status abut_csg_find_cuts(const abut_csg_body *body, abut_csg_side *sides, size_t *count,
                               abut_workspace *temporary);
/* Adds the sides of the box that cut the solid as leaves; memory as below. */
abut_status abut_csg_cut(abut_csg_body *body, abut_workspace *ws, abut_workspace *temporary);
/* Fills walls, sets; memory for good from `ws`, for the search from `temporary`. */
abut_status abut_csg_find(abut_csg_body *body, abut_workspace *ws, abut_workspace *temporary);

/* ---- fields.c: fields of the plain solids, placed in the frame of a combination; negative inside ---- */

/* y = linear x + shift are the coordinates in the frame of the solid, r = sqrt(y0^2 + y1^2). */
typedef enum abut_field_kind {
    ABUT_FIELD_PLANE = 0, /* normal x + offset, in the frame of the combination */
    ABUT_FIELD_QUADRIC,   /* k0 y0^2 + k1 y1^2 + k2 y2^2 - c */
    ABUT_FIELD_CAPSULE,   /* the squared distance from the segment |y2| <= a of the axis, less c */
    ABUT_FIELD_CONE,      /* a r + b y2 - c: one nappe of a cone */
    ABUT_FIELD_RING,      /* (r - a)^2 + (y2 - b)^2 - c: a circle turned about the axis */
    ABUT_FIELD_MAP        /* any function of y and the time */
} abut_field_kind;

typedef struct abut_field {
    abut_field_kind kind;
    bool turned; /* linear is not the identity */
    ia33 linear;
    ia3 shift;
    ia3 normal; /* of a plane; of a quadric half its gradient at x = 0 */
    ia offset;
    ia k[3], a, b, c;
    ia h[6]; /* of a quadric: the constant second derivatives by x */
    /* a quadric that stands for others, too: what they may differ by in these coefficients */
    bool joined;
    ia dh[6], doffset;
    ia3 dnormal;
    abut_map map;
    /* What the terms of a plane's offset, or of a quadric's value at x = 0, amount to: their rounding
     * is a small part of that. */
    double scale;
} abut_field;

/* Kernels. Fields of solids placed by `at`, which leads from x to their frame. */
abut_field abut_field_plane(const ia_affine *at, ia3 normal, ia offset);
abut_field abut_field_quadric(const ia_affine *at, const ia k[3], ia c);
abut_field abut_field_round(abut_field_kind kind, const ia_affine *at, ia a, ia b, ia c);
abut_field abut_field_map(const ia_affine *at, abut_map map);

/* Kernel. 1: the same surface and side but for rounding, so that one field may stand for both; -1: the
 * same surface, the other side; 0: another, as far as is known. */
int abut_field_same(const abut_field *f, const abut_field *g);
/* Kernel. Widens f to enclose g, too (-g where sign < 0), which it is the same as. */
void abut_field_join(abut_field *f, const abut_field *g, int sign);

/* The field as a leaf; it must stay. */
abut_map abut_field_as_map(const abut_field *f);
/* Kernel. Whether this leaf is the nappe of a cone with material about its axis (sign 1), or outside of
 * that (-1), and its apex; 0: it is not, or not known. */
int abut_field_apex(const abut_map *leaf, ia3 *apex);
/* Kernel. The outward normals at the apex: ABUT_FEATURE_MAX_NORMALS sectors. */
void abut_field_apex_normals(const abut_map *leaf, int sign, ia3 *out);

#endif
