/* SPDX-License-Identifier: MIT */
/* A solid close to a point of its surface: the wedge between the two faces of an edge, the cone
 * over the faces round a vertex; see mesh_cone.c. */
#ifndef ABUT_NARROW_MESH_MESH_CONE_H
#define ABUT_NARROW_MESH_MESH_CONE_H

#include "narrow/mesh/mesh.h"

enum { ABUT_MESH_UNTOLD = -1 };
enum { ABUT_MESH_LINK = 96 }; /* faces round a vertex */

static inline bool abut_mesh_same(abut_vec3 p, abut_vec3 q)
{
    return p.x == q.x && p.y == q.y && p.z == q.z;
}

/* The two faces at an edge of a mesh, seen along it: the solid lies counter-clockwise from
 * `start` to `end`, third corners of the face that runs against the edge and of the one that
 * runs with it. */
typedef struct abut_mesh_wedge {
    abut_vec3 from, to, start, end;
    int turn; /* 1: less than half a turn, 0: half, -1: more */
} abut_mesh_wedge;

/* Faces round a vertex: v, p, q counter-clockwise. */
typedef struct abut_mesh_link {
    const abut_faceted_data *mesh;
    abut_vec3 v;
    abut_vec3 p[ABUT_MESH_LINK], q[ABUT_MESH_LINK];
    int count;
    bool fails;
} abut_mesh_link;

/* At the edge from corner k of a face, in the direction of that face. */
bool abut_mesh_wedge_at(const abut_faceted_data *mesh, uint32_t face, int k, abut_mesh_wedge *out);
void abut_mesh_wedge_reverse(abut_mesh_wedge *w);
/* Whether b's point p, seen from the edge of a, is strictly between the faces. 1, 0, or -1. */
int abut_mesh_in_wedge(const abut_mesh_pair *pair, const abut_mesh_wedge *w, abut_vec3 p);
void abut_mesh_link_set(const abut_faceted_data *mesh, abut_vec3 v, abut_mesh_counters *counters,
                        abut_mesh_link *out);
/* A point off the plane of v, x, y. */
bool abut_mesh_off_plane(abut_vec3 v, abut_vec3 x, abut_vec3 y, abut_vec3 *out);
/* Is the direction from the vertex of a to b's point d strictly inside the solid? Where it is
 * not on the surface, moving it by next to nothing changes nothing. */
int abut_mesh_in_cone(const abut_mesh_pair *pair, const abut_mesh_link *l, abut_vec3 d);
/* One ray of each loop of faces round the vertex. */
int abut_mesh_loop_rays(const abut_mesh_link *l, abut_vec3 rays[ABUT_MESH_LINK]);

#endif
