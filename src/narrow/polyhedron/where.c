/* SPDX-License-Identifier: MIT */
/* A point and a polyhedron, through the index (brep/index.h).
 *
 * A leaf that no point has come to yet does not know what it is in: the exact method for solid meshes
 * tells, once, and the leaf keeps it. Every thread would write the same. Without memory for an index the
 * mesh method answers every time. */
#include "abut/polyhedron.h"
#include "brep/index.h"
#include "narrow/mesh/mesh_point.h"
#include "narrow/polyhedron/polyhedron.h"

static void by_triangles(const abut_shape *shape, abut_vec3 p, abut_piece *out)
{
    abut_mesh_counters counters = { 0 };
    abut_mesh_spot spot;
    abut_mesh_where(shape, p, &counters, &spot);
    out->where = spot.where;
    out->id = spot.id;
    abut_entity_of_piece(shape, out);
}

static bool is_outside(const abut_aabb *box, abut_vec3 p)
{
    return p.x < box->lo.x || p.x > box->hi.x || p.y < box->lo.y || p.y > box->hi.y || p.z < box->lo.z ||
           p.z > box->hi.z;
}

void abut_polyhedron_where(const abut_shape *shape, abut_vec3 p, abut_piece *out)
{
    out->where = ABUT_WHERE_OUT;
    out->id = -1;
    if (is_outside(&shape->bounds, p))
        return;
    const abut_index *index = abut_shape_index(shape);
    if (!index) {
        by_triangles(shape, p, out);
        return;
    }
    abut_index_spot spot;
    abut_index_find(index, shape->u.faceted.vertices, p, &spot);
    if (spot.leaf < 0) {
        out->where = spot.vertex ? ABUT_WHERE_VERTEX : ABUT_WHERE_EDGE;
        out->id = spot.entity;
        abut_entity_of_piece(shape, out);
        return;
    }
    unsigned where;
    if (abut_index_know(index, spot.leaf, &where, &out->id)) {
        out->where = (abut_where)where;
        return;
    }
    by_triangles(shape, p, out);
    abut_index_teach(index, spot.leaf, out->where, out->id);
}
