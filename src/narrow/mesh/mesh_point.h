/* SPDX-License-Identifier: MIT */
/* A point and a triangle mesh. */
#ifndef ABUT_NARROW_MESH_MESH_POINT_H
#define ABUT_NARROW_MESH_MESH_POINT_H

#include "narrow/mesh/mesh.h"

/* Where all points within `slack` of p are, in the mesh's frame: in, out, or unknown where the
 * surface may be among them. Not for what is on it. */
abut_where abut_mesh_where_near(const abut_shape *mesh, abut_vec3 p, double slack);
/* Of a point in the world: exact where the placement is. Everything but from, to and point. */
abut_piece abut_mesh_classify(const abut_shape *mesh, const abut_place *place, abut_vec3 point);

/* The point in the mesh's frame where that is exact, and doubles hold it. */
bool abut_mesh_exact_local(const abut_place *place, abut_vec3 point, abut_vec3 *out);
/* The point in the mesh's frame, rounded; it is truly within *error of that. */
abut_vec3 abut_mesh_to_local(const abut_place *place, abut_vec3 point, double *error);

#endif
