/* SPDX-License-Identifier: MIT */
/* A line, a point and a triangle mesh. */
#ifndef ABUT_NARROW_MESH_LINE_MESH_H
#define ABUT_NARROW_MESH_LINE_MESH_H

#include "narrow/heightfield/line_field.h"

/* As for height fields: called for each meeting of the line with the mesh, in order along it.
 * Points that the line and the mesh have in common are one meeting each, whatever triangles hold
 * them; a run, where the line stays in the mesh, is two, at its ends, whatever triangles it
 * passes. forward: meetings with t < 0 may be left out. *before is set first: where the line is
 * before the first that is reported. */
void abut_line_through_mesh(const abut_shape *shape, const abut_line *line, bool forward, abut_where *before,
                            abut_field_sink sink, void *ctx);
/* Where the start of the line is, exactly. Whatever its direction, the answer is the same; the
 * work is not. */
void abut_line_mesh_point(const abut_shape *shape, const abut_line *line, abut_piece *out);

#endif
