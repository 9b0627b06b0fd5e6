/* SPDX-License-Identifier: MIT */
/* Two triangles of one mesh. */
#ifndef ABUT_NARROW_MESH_MESH_SELF_H
#define ABUT_NARROW_MESH_MESH_SELF_H

#include "narrow/triangle/triangle.h"

/* The usual pairs: corners in common by number, and nothing else. False says nothing. */
bool abut_mesh_self_neighbours(const abut_vec3 a[3], const abut_vec3 b[3], const uint32_t ia[3],
                               const uint32_t ib[3]);
/* How they meet other than as neighbours do: NONE where all they have in common is a corner or
 * an edge that both have. The frame is the identity. */
abut_meet abut_mesh_self_meet(const abut_triangle_frame *frame, const abut_vec3 a[3], const abut_vec3 b[3],
                              uint64_t *exact);

#endif
