/* SPDX-License-Identifier: MIT */
/* Boolean combinations of shapes as fields and a program that combines them. csg.c makes both from a
 * tree of shapes, csg_solid.c from one plain solid, csg_profile.c from a profile. None is a kernel. */
#ifndef ABUT_SHAPE_CSG_H
#define ABUT_SHAPE_CSG_H

#include "base/memory.h"
#include "shape/shape.h"
#include "surface/csg.h"

/* From the frame of an operand to that of the whole, and back. */
typedef struct abut_csg_frame {
    abut_interval_affine forward, back;
    bool identity, rigid;
} abut_csg_frame;

/* What to make a field of: see abut_field. */
typedef struct abut_field_request {
    abut_field_kind kind;
    abut_interval_vec3 normal;
    abut_interval offset, k[3], a, b, c;
    abut_vec3 center; /* of a quadric */
    const abut_map *map;
} abut_field_request;

/* A formula of an implicit shape where it is (NULL: the user's function), or a field of its own in `keep`. */
typedef struct abut_csg_leaf {
    const struct abut_expr *formula;
    abut_map map; /* unless there is a field */
    abut_field *field;
    uint32_t loose;             /* of which solid with a stated tolerance the field is; 0: it is exact */
    abut_field_request request; /* what the field is made of, where it is loose */
} abut_csg_leaf;

typedef struct abut_csg_build {
    ABUT_ARRAY(abut_csg_token) tokens;
    ABUT_ARRAY(abut_csg_leaf) leaves;
    const abut_allocator *alloc;
    abut_workspace *keep;
    bool mixed, deforms;
    /* How far surfaces that are emitted may be off, and the number of the solid that states it; 0: none. */
    double slack;
    uint32_t loose, loose_count;
    abut_status status;
} abut_csg_build;

/* Makes the surface of an implicit or csg shape at shape->surface, in shape->keep. */
abut_status abut_shape_keep_csg(abut_shape *shape, abut_error *error);

/* A plain solid by its fields, as a csg shape of its own. ABUT_ERR_UNSUPPORTED: no formula was found, or a
 * tolerance is stated: fields are thick by it, and other methods know it better. */
abut_status abut_csg_from_solid(const abut_shape *solid, abut_shape **out);

void abut_csg_emit(abut_csg_build *b, abut_csg_step step, uint32_t leaf);

static inline abut_interval abut_csg_exactly(double x)
{
    return (abut_interval){ x, x };
}

/* Emits the solid {field <= 0}, or what is outside it. */
void abut_csg_emit_field(abut_csg_build *b, const abut_csg_frame *at, const abut_field_request *request,
                         bool outside);
/* {normal x <= offset}; the normal is along one axis where `axis` >= 0: sign times it. */
void abut_csg_emit_side(abut_csg_build *b, const abut_csg_frame *at, int axis, double sign, double offset);
/* sum of k x^2 <= c, about the origin. */
void abut_csg_emit_quadric(abut_csg_build *b, const abut_csg_frame *at, const abut_interval k[3],
                           abut_interval c);

/* csg_solid.c. Whether a shape can be an operand; what it is made of where not. */
bool abut_csg_takes(const abut_shape *shape, const char **why);
/* Emits a shape that is neither implicit nor csg. */
void abut_csg_emit_solid(abut_csg_build *b, const abut_csg_frame *at, const abut_shape *shape);
/* A box around the shape there; infinite where it is. */
abut_aabb abut_csg_box_of(const abut_shape *shape, const abut_csg_frame *at);

/* csg_profile.c, of extrude and revolve. ABUT_ERR_UNSUPPORTED: no formula was found. */
void abut_csg_emit_profile(abut_csg_build *b, const abut_csg_frame *at, const struct abut_solid *solid);

#endif
