/* SPDX-License-Identifier: MIT */
/* A line, a point and a height field. */
#ifndef ABUT_NARROW_HEIGHTFIELD_LINE_FIELD_H
#define ABUT_NARROW_HEIGHTFIELD_LINE_FIELD_H

#include "narrow/ray/line.h"

/* One meeting of the line with the boundary, and what comes after it until the next. */
typedef struct abut_field_hit {
    abut_line_end at;
    abut_where after;
    int64_t after_id;
} abut_field_hit;

/* Called for each, in order along the line. */
typedef void (*abut_field_sink)(void *ctx, const abut_field_hit *hit);

/* forward: meetings with t < 0 may be left out. Returns where the line comes from:
 * ABUT_WHERE_OUT but for vertical ones. */
abut_where abut_line_through_field(const abut_shape *shape, const abut_line *line, bool forward,
                                   abut_field_sink sink, void *ctx);
/* Where the start of the line is, exactly. */
void abut_line_field_point(const abut_shape *shape, const abut_line *line, abut_piece *out);
/* Where a point of a box in the field's frame is: -1 inside, 1 outside, ABUT_SIGN_UNKNOWN. */
int abut_line_field_side(const abut_shape *shape, const abut_interval box[3]);

#endif
