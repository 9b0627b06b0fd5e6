/* SPDX-License-Identifier: MIT */
/* Lines and points of torus, parametric, bezier, implicit and csg shapes, for ray.c and
 * classify.c; see line_body.c. */
#ifndef ABUT_NARROW_SURFACE_LINE_BODY_H
#define ABUT_NARROW_SURFACE_LINE_BODY_H

#include "narrow/heightfield/line_field.h"

static inline bool abut_is_surface_body(abut_shape_type type)
{
    return type == ABUT_SHAPE_TORUS || type == ABUT_SHAPE_PARAMETRIC || type == ABUT_SHAPE_BEZIER ||
           type == ABUT_SHAPE_IMPLICIT || type == ABUT_SHAPE_CSG;
}

/* All hits of the whole line, ascending, before the first of which it is in *before; at most
 * `capacity` are written, *count says how many there are. `to` as in abut_line_make. `before` may be
 * NULL: `after` is not found out then. */
abut_status abut_line_through_body(const abut_shape *shape, const abut_place *place, abut_vec3 from,
                                   const abut_vec3 *to, abut_vec3 direction, const abut_line *line,
                                   abut_where *before, abut_field_hit *hits, size_t capacity, size_t *count);
/* Where a point of the world is. */
abut_status abut_body_classify(const abut_shape *shape, const abut_place *place, abut_vec3 point,
                               abut_piece *out);

#endif
