/* SPDX-License-Identifier: MIT */
/* The readers of shapes that have a file of their own; the table of all is in scene_shape.c.
 * Each takes an object whose "type" has been read. */
#ifndef ABUT_IO_SCENE_SHAPE_H
#define ABUT_IO_SCENE_SHAPE_H

#include "io/scene_reader.h"

/* scene_faceted.c */
/* The mesh that "file" names; `faces`: there must be some. */
/* A name relative to the folder of the scene file, in the reader's workspace; NULL: memory is out. */
char *abut_io_resolve(abut_io_reader *r, const char *file);
bool abut_io_load_mesh(abut_io_reader *r, json_t *o, bool faces, abut_mesh_data *out);
bool abut_io_read_convex(abut_io_reader *r, json_t *o, abut_shape **out);
bool abut_io_read_mesh(abut_io_reader *r, json_t *o, abut_shape **out);
bool abut_io_read_polyhedron(abut_io_reader *r, json_t *o, abut_shape **out);
bool abut_io_read_heightfield(abut_io_reader *r, json_t *o, abut_shape **out);

/* scene_vertices.c: the motion, which needs the mesh of its object (r->moved). */
bool abut_io_read_vertices(abut_io_reader *r, json_t *o, abut_motion **out);

/* scene_surface.c */
bool abut_io_read_parametric(abut_io_reader *r, json_t *o, abut_shape **out);
bool abut_io_read_bezier(abut_io_reader *r, json_t *o, abut_shape **out);
bool abut_io_read_implicit(abut_io_reader *r, json_t *o, abut_shape **out);
bool abut_io_read_csg(abut_io_reader *r, json_t *o, abut_shape **out);

/* scene_solid.c */
bool abut_io_read_extrude(abut_io_reader *r, json_t *o, abut_shape **out);
bool abut_io_read_revolve(abut_io_reader *r, json_t *o, abut_shape **out);
bool abut_io_read_solid(abut_io_reader *r, json_t *o, abut_shape **out);

#endif
