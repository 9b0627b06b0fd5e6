/* SPDX-License-Identifier: MIT */
/* What the files about meshes in this room share: corners, where a point stands, how two solids stand. Rounding is to nearest everywhere;
 * nothing allocates but from the caller's workspace. */
#ifndef ABUT_NARROW_MESH_H
#define ABUT_NARROW_MESH_H

#include "abut/mesh.h"
#include "bvh/bvh.h"
#include "narrow/pair.h"
#include "narrow/triangle.h"

static inline void abut_mesh_corners(const abut_faceted_data *mesh, uint32_t face, abut_vec3 out[3])
{
    const uint32_t *corner = mesh->corners + 3 * (size_t)face;
    out[0] = mesh->vertices[corner[0]];
    out[1] = mesh->vertices[corner[1]];
    out[2] = mesh->vertices[corner[2]];
}

/* The vertex that stands for all at its place, in a solid. */
static inline uint32_t abut_mesh_welded(const abut_faceted_data *mesh, uint32_t vertex)
{
    return mesh->weld ? mesh->weld[vertex] : vertex;
}

/* No vertex is further from the origin of its frame, in any direction: a bound of the length. */
double abut_mesh_size(const abut_shape *mesh);

/* ---- where a point stands (mesh_solid.c) ---- */

/* id: of the vertex (welded in a solid), the edge (of a solid: abut_edge_find; -1 in a surface, which keeps no list of them), or the face (the
 * smallest number of those that hold the point); -1 for in and out. face: one that holds the point, and the corner or edge of it (edge k runs from corner
 * k to k + 1) that the point is on; -1 where there is none. */
typedef struct abut_mesh_spot {
    abut_where where;
    int64_t id;
    int64_t face;
    int part;
    int winding; /* how often the surface goes round the point, for in and out of a solid */
} abut_mesh_spot;

/* Of a point in the mesh's own frame, exactly as its doubles say: vertex before edge before face, then in or out. A point is in a solid
 * when the surface goes round it at least once, counted with its sign; a surface has no inside. For finite p. */
void abut_mesh_where(const abut_shape *mesh, abut_vec3 p, abut_mesh_counters *counters, abut_mesh_spot *out);
/* As above where it is known already that p is not on the surface. */
int abut_mesh_winding(const abut_shape *mesh, abut_vec3 p, abut_mesh_counters *counters);

#endif
