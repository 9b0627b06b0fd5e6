/* SPDX-License-Identifier: MIT */
/* A body as a hierarchy of boxes with convex pieces at its leaves: a mesh (triangles), a height
 * field (columns under its triangles), a convex body or a half-space (one piece).
 *
 * Nodes are numbers. Boxes are in the frame of the body and contain what is below the node;
 * rounding is covered by their sizes. Rounding to nearest. */
#ifndef ABUT_CCD_RIGID_PART_H
#define ABUT_CCD_RIGID_PART_H

#include "bvh/binary.h"
#include "bvh/wide.h"
#include "ccd/mesh/field_piece.h"
#include "narrow/mesh/mesh_convex.h"

typedef uint64_t abut_part_node;

/* Nodes above this bit are triangles of a mesh, their numbers below it. */
#define ABUT_PART_TRIANGLE ((abut_part_node)1 << 40)

enum { ABUT_PART_CHILDREN = 8 };

typedef enum abut_part_kind {
    ABUT_PART_WIDE,
    ABUT_PART_BINARY,
    ABUT_PART_FIELD,
    ABUT_PART_BODY,
    ABUT_PART_PLANE
} abut_part_kind;

typedef struct abut_rigid_part {
    abut_part_kind kind;
    const abut_shape *shape;
    const abut_faceted_data *mesh;
    const abut_wide *wide;
    const abut_binary *binary;
    const abut_heightfield_data *field;
    double unit;   /* wide trees: length of one unit */
    double bottom; /* height fields: below all that the other body reaches */
    /* the origin where that is inside the bounds, as bodies spin about it; else their middle */
    abut_vec3 middle;
    double reach; /* no point is further from the middle; infinite where that was not asked for */
} abut_rigid_part;

/* A box; a half-space is normal . x <= offset, normal of unit length but for rounding. */
typedef struct abut_part_box {
    abut_vec3 centre;
    abut_vec3 axis[3];
    double half[3];
    double radius; /* of a ball about the centre that holds the box */
    bool plane;
    double offset; /* axis[0] is the normal then */
} abut_part_box;

/* False where the shape has no such hierarchy. */
bool abut_part_set(const abut_shape *shape, abut_rigid_part *out);
abut_part_node abut_part_root(const abut_rigid_part *part);
/* How many; 0 for a leaf. */
int abut_part_children(const abut_rigid_part *part, abut_part_node node,
                       abut_part_node out[ABUT_PART_CHILDREN]);
void abut_part_box_of(const abut_rigid_part *part, abut_part_node node, abut_part_box *out);

/* Sets `reach`, from the boxes a few levels down. */
void abut_part_find_reach(abut_rigid_part *part);

static inline bool abut_part_is_mesh(const abut_rigid_part *part)
{
    return part->kind <= ABUT_PART_BINARY;
}

/* Whether a node is a leaf. */
static inline bool abut_part_is_leaf(const abut_rigid_part *part, abut_part_node node)
{
    switch (part->kind) {
    case ABUT_PART_WIDE:
    case ABUT_PART_BINARY: return node >= ABUT_PART_TRIANGLE;
    case ABUT_PART_FIELD: return (node >> 56 & 3) != 3;
    default: return true;
    }
}

static inline uint32_t abut_part_face(abut_part_node node)
{
    return (uint32_t)(node & (ABUT_PART_TRIANGLE - 1));
}

/* The convex piece of a leaf as a shape. It may refer to itself: not to be copied. */
typedef struct abut_part_piece {
    const abut_shape *shape;
    bool flat; /* a triangle */
    union {
        struct {
            abut_shape shape;
            abut_mesh_hull hull;
        } triangle;
        abut_field_piece column;
    } own;
} abut_part_piece;

void abut_part_piece_of(const abut_rigid_part *part, abut_part_node leaf, abut_part_piece *out);

#endif
