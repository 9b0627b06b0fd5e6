/* SPDX-License-Identifier: MIT */
/* Normals of entities, and the tangent plane of a contact by the cases of Vanecek's section 4.
 *
 * With a face it is the face's. Two edges that cross: their cross product. In the other cases the paper
 * takes a plane that holds the edge, if there is one, and the sum of two unit vectors v1 + v2, one from each
 * solid. A vector perpendicular to v1 + v2 in the plane of v1 and v2 is v1 - v2, since both are of unit
 * length; so the normal is the difference of the outward vectors, less its part along the edge. */
#include "narrow/polyhedron/touch.h"

uint32_t touch_face_of(const touch *t, int side, uint32_t triangle)
{
    const abut_polyhedron *solid = t->mesh[side]->polyhedron;
    return solid ? solid->triangle_face[triangle] : triangle;
}

abut_vec3 touch_face_normal(const touch *t, int side, uint32_t triangle)
{
    abut_vec3 p[3];
    touch_triangle(t, side, triangle, p);
    return abut_mesh_triangle_normal(p);
}

void touch_edge_ends(const touch *t, int side, uint32_t edge, uint32_t ends[2])
{
    const abut_polyhedron *solid = t->mesh[side]->polyhedron;
    ends[0] = solid ? solid->topology->edges[edge].from : t->mesh[side]->edge_ends[2 * (size_t)edge];
    ends[1] = solid ? solid->topology->edges[edge].to : t->mesh[side]->edge_ends[2 * (size_t)edge + 1];
}

void touch_edge_triangles(const touch *t, int side, uint32_t edge, uint32_t triangles[2])
{
    const abut_faceted_data *mesh = t->mesh[side];
    uint32_t ends[2];
    touch_edge_ends(t, side, edge, ends);
    const int64_t found = abut_edge_find(mesh, ends[0], ends[1]);
    for (int k = 0; k < 2; ++k)
        triangles[k] = found < 0 ? 0 : mesh->edge_faces[2 * found + k];
}

/* Direction of an edge (of the solid's own numbering), not of unit length. */
static abut_vec3 edge_direction(const touch *t, int side, uint32_t edge)
{
    uint32_t ends[2];
    touch_edge_ends(t, side, edge, ends);
    return abut_sub(touch_vertex(t, side, ends[1]), touch_vertex(t, side, ends[0]));
}

/* A triangle of a face. */
static uint32_t triangle_of(const touch *t, int side, uint32_t face)
{
    const abut_polyhedron *solid = t->mesh[side]->polyhedron;
    return solid ? solid->face_starts[face] : face;
}

/* Faces at a vertex, each once: of a mesh through its edges, which takes a search over all of them. */
static abut_vec3 vertex_normal(const touch *t, int side, uint32_t vertex)
{
    const abut_faceted_data *mesh = t->mesh[side];
    const abut_polyhedron *solid = mesh->polyhedron;
    abut_vec3 sum = { 0, 0, 0 };
    if (solid) {
        const abut_brep *brep = solid->topology;
        for (uint32_t i = brep->vertex_starts[vertex]; i < brep->vertex_starts[vertex + 1]; ++i)
            sum = abut_add(
                sum, touch_face_normal(
                         t, side, triangle_of(t, side, abut_brep_face_of(brep, brep->vertex_coedges[i]))));
        return abut_unit_or(sum, sum);
    }
    for (uint32_t f = 0; f < mesh->face_count; ++f)
        for (size_t k = 0; k < 3; ++k)
            if (mesh->weld[mesh->corners[3 * (size_t)f + k]] == vertex)
                sum = abut_add(sum, touch_face_normal(t, side, f));
    return abut_unit_or(sum, sum);
}

static abut_vec3 entity_normal(const touch *t, int side, abut_feature feature, uint32_t id)
{
    if (feature == ABUT_FEATURE_FACE)
        return touch_face_normal(t, side, triangle_of(t, side, id));
    if (feature == ABUT_FEATURE_VERTEX)
        return vertex_normal(t, side, id);
    uint32_t triangles[2];
    touch_edge_triangles(t, side, id, triangles);
    const abut_vec3 sum =
        abut_add(touch_face_normal(t, side, triangles[0]), touch_face_normal(t, side, triangles[1]));
    return abut_unit_or(sum, sum);
}

abut_vec3 touch_normal(const touch *t, const touch_contact *c)
{
    const abut_vec3 zero = { 0, 0, 0 };
    if (c->features[1] == ABUT_FEATURE_FACE)
        return abut_sub(zero, entity_normal(t, 1, ABUT_FEATURE_FACE, c->ids[1]));
    if (c->features[0] == ABUT_FEATURE_FACE)
        return entity_normal(t, 0, ABUT_FEATURE_FACE, c->ids[0]);
    const abut_vec3 out_a = entity_normal(t, 0, c->features[0], c->ids[0]),
                    out_b = entity_normal(t, 1, c->features[1], c->ids[1]);
    abut_vec3 n = abut_sub(out_a, out_b);
    const bool edges = c->features[0] == ABUT_FEATURE_EDGE && c->features[1] == ABUT_FEATURE_EDGE;
    if (edges && !c->along) {
        const abut_vec3 u = edge_direction(t, 0, c->ids[0]), v = edge_direction(t, 1, c->ids[1]);
        const abut_vec3 cross = abut_unit_or(abut_cross(u, v), n);
        return abut_dot(cross, n) < 0 ? abut_sub(zero, cross) : cross;
    }
    for (int side = 0; side < 2; ++side)
        if (c->features[side] == ABUT_FEATURE_EDGE) {
            const abut_vec3 u = abut_unit_or(edge_direction(t, side, c->ids[side]), zero);
            n = abut_madd(n, -abut_dot(n, u), u);
        }
    return abut_unit_or(n, abut_unit_or(out_a, abut_v3(1, 0, 0)));
}
