/* SPDX-License-Identifier: MIT */
/* Implicit solids and what is made of them: what csg.c evaluates and creases.c finds. */
#ifndef ABUT_SURFACE_CSG_H
#define ABUT_SURFACE_CSG_H

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

typedef struct abut_csg_body {
    abut_surface_body base;
    abut_surface_csg_def def;
    ia3 bounds;
    size_t cut_count; /* the last leaves are sides of the box, as the last steps of the program */
    abut_csg_wall *walls;
    size_t wall_count;
    abut_csg_set *sets; /* one for each feature, by its `data` */
    size_t set_count;
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

#endif
