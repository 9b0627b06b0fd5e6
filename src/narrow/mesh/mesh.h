/* SPDX-License-Identifier: MIT */
/* What the files about meshes share: corners, where a point is, the relation of two
 * solids. Rounding is to nearest everywhere; nothing allocates but from the caller's workspace. */
#ifndef ABUT_NARROW_MESH_MESH_H
#define ABUT_NARROW_MESH_MESH_H

#include "abut/mesh.h"
#include "bvh/bvh.h"
#include "narrow/pair/pair.h"
#include "narrow/triangle/triangle.h"

static inline void abut_mesh_corners(const abut_faceted_data *mesh, uint32_t face, abut_vec3 out[3])
{
    const uint32_t *corner = mesh->corners + 3 * (size_t)face;
    out[0] = mesh->vertices[corner[0]];
    out[1] = mesh->vertices[corner[1]];
    out[2] = mesh->vertices[corner[2]];
}

/* The vertex that represents all at its place, in a solid. */
static inline uint32_t abut_mesh_welded(const abut_faceted_data *mesh, uint32_t vertex)
{
    return mesh->weld ? mesh->weld[vertex] : vertex;
}

/* No vertex is further from the origin of its frame, in any direction: a bound of the length. */
double abut_mesh_size(const abut_shape *mesh);

/* ---- where a point is (mesh_solid.c) ---- */

/* id: of the vertex (welded in a solid), the edge (of a solid: abut_edge_find; -1 in a surface,
 * which keeps no list of them), or the face (the smallest number of those that hold the point);
 * -1 for in and out. face: one that holds the point, and the corner or edge of it (edge k runs
 * from corner k to k + 1) that the point is on; -1 where there is none. */
typedef struct abut_mesh_spot {
    abut_where where;
    int64_t id;
    int64_t face;
    int part;
    int winding; /* how often the surface goes round the point, for in and out of a solid */
} abut_mesh_spot;

/* Which part of a triangle holds p, exactly: 0..2 its corners, 3..5 its edges, 6 its inside, -1
 * none. */
int abut_mesh_part_at(const abut_vec3 t[3], abut_vec3 p);
/* Of a point in the mesh's own frame, exactly as its doubles say: vertex before edge before
 * face, then in or out. A point is in a solid when the surface goes round it at least once,
 * counted with its sign; a surface has no inside. For finite p. */
void abut_mesh_where(const abut_shape *mesh, abut_vec3 p, abut_mesh_counters *counters, abut_mesh_spot *out);
/* As above where it is known already that p is not on the surface. */
int abut_mesh_winding(const abut_shape *mesh, abut_vec3 p, abut_mesh_counters *counters);

/* ---- two meshes ---- */

typedef struct abut_mesh_pair {
    const abut_shape *a, *b;
    const abut_place *at_a, *at_b; /* NULL: as the frame's poses say */
    const abut_faceted_data *mesh_a, *mesh_b;
    abut_triangle_frame frame;
    abut_mesh_counters counters;
} abut_mesh_pair;

void abut_mesh_pair_set(const abut_pair *pair, abut_mesh_pair *out);
/* From poses, sooner, and with an error that is a few times larger; false where that is not
 * worth it, or the poses are no poses. */
bool abut_mesh_pair_quick(const abut_shape *a, const abut_pose *pose_a, const abut_shape *b,
                          const abut_pose *pose_b, abut_mesh_pair *out);
/* The two the other way round. */
void abut_mesh_pair_turn(const abut_mesh_pair *pair, abut_mesh_pair *out);
abut_bvh_walk abut_mesh_pair_walk(abut_mesh_pair *pair);
/* How the triangles i of a and j of b meet. */
abut_meet abut_mesh_pair_meet(abut_mesh_pair *pair, uint32_t i, uint32_t j);

/* ---- the relation of solids (mesh_solid_pair.c) ---- */

/* What is known of a pair of which at least one is solid, and whose triangles do not cross, nor
 * lie on each other the same way round. `touches`: some triangles meet. PENETRATING, TOUCHING,
 * SEPARATE, or UNDECIDED where this cannot be decided. */
abut_status abut_mesh_solid_verdict(abut_mesh_pair *pair, bool touches, abut_workspace *ws,
                                    abut_verdict *verdict);
/* A plane that has both solids on its two sides, closed, proves that their insides do not meet.
 * Faces that lie on each other often have one. */
typedef struct abut_mesh_parting {
    /* vertices that may still be asked; so all planes together cost no more than a few examines
     * all vertices */
    size_t left;
    uint32_t a, b; /* those that refused the last plane are asked first */
} abut_mesh_parting;
abut_mesh_parting abut_mesh_parting_begin(const abut_mesh_pair *pair);
/* Does the plane of a face of a? */
bool abut_mesh_parted(const abut_mesh_pair *pair, uint32_t face, abut_mesh_parting *parting);
/* A vertex of one solid and what of the other holds it; the same for all pairs of triangles
 * there. */
typedef struct abut_mesh_contact_key {
    uint64_t feature; /* its number, above a bit that says of which solid the vertex is */
    uint32_t vertex;
    uint32_t kind; /* 1 vertex, 2 edge, 3 face; 0 an empty slot */
} abut_mesh_contact_key;
/* Those that have been decided (mesh_decided.c). */
typedef struct abut_mesh_decided {
    abut_workspace *ws;
    abut_mesh_contact_key *slots;
    size_t room, count; /* room: a power of two, or 0 */
} abut_mesh_decided;
bool abut_mesh_is_decided(const abut_mesh_decided *d, const abut_mesh_contact_key *key);
/* Without memory it is only asked again. */
void abut_mesh_decide(abut_mesh_decided *d, const abut_mesh_contact_key *key);
/* Whether the insides of two solids meet close to what a triangle i of a and j of b have in
 * common, where these touch or are in one plane: 1 yes, 0 no (as far as these two show it; all
 * that touch must be asked), -1 where it cannot be decided. `turned` is the pair the other way
 * round. What `decided` holds is not asked again. (mesh_solid_local.c) */
int abut_mesh_solid_local(abut_mesh_pair *pair, abut_mesh_pair *turned, abut_mesh_decided *decided,
                          uint32_t i, uint32_t j);
/* Do the normals of two triangles in one plane point the same way? 1, -1; 0 unknown. */
int abut_mesh_same_way(abut_mesh_pair *pair, uint32_t i, uint32_t j);

/* ---- depth (mesh_reach.c) ---- */

/* Least translation that parts two solids whose insides meet: an enclosure, and the direction in
 * which hi parts them (b leaves, in the world). `hints` are points near which they meet and
 * directions there from a to b, in a's frame. */
typedef struct abut_mesh_hint {
    abut_vec3 point, normal;
} abut_mesh_hint;
void abut_mesh_depth(abut_mesh_pair *pair, const abut_mesh_hint *hints, int count, abut_interval *depth,
                     abut_vec3 *normal);

/* mesh_normal.c: unit normal of a triangle, by its own corners; zero where it has none. */
abut_vec3 abut_mesh_triangle_normal(const abut_vec3 t[3]);
/* A sensible direction from a to b where two triangles meet, in a's frame; doubles only. Against
 * a face the normal of that face; where they cross, halfway between the normals of a and against
 * those of b; of a surface, which has no outside, the side on which the other is. *sure: a plane
 * that parts the two says so. */
abut_vec3 abut_mesh_contact_normal(const abut_mesh_pair *pair, uint32_t i, uint32_t j, bool *sure);

#endif
