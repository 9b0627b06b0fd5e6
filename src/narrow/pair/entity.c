/* SPDX-License-Identifier: MIT */
/* From triangles to the entities of a polyhedron.
 *
 * The methods for solid meshes serve polyhedra through the triangles of their faces, and name triangles
 * and edges of the triangulation. A triangle belongs to one face; an edge is one of the solid, or a
 * diagonal, whose points are points of the face that it cuts. */
#include "brep/polyhedron.h"
#include "narrow/pair/pair.h"

void abut_entity_of(const abut_shape *shape, abut_feature *feature, int64_t *id)
{
    if (shape->type != ABUT_SHAPE_POLYHEDRON || *id < 0)
        return;
    const abut_polyhedron *solid = shape->u.faceted.polyhedron;
    if (*feature == ABUT_FEATURE_FACE)
        *id = solid->triangle_face[*id];
    else if (*feature == ABUT_FEATURE_EDGE) {
        const uint32_t edge = solid->edge_of[*id];
        const bool diagonal = edge > INT32_MAX;
        *id = diagonal ? ~edge : edge;
        *feature = diagonal ? ABUT_FEATURE_FACE : ABUT_FEATURE_EDGE;
    }
}

void abut_entity_of_piece(const abut_shape *shape, abut_piece *piece)
{
    if (piece->where != ABUT_WHERE_EDGE && piece->where != ABUT_WHERE_FACE)
        return;
    abut_feature feature = piece->where == ABUT_WHERE_EDGE ? ABUT_FEATURE_EDGE : ABUT_FEATURE_FACE;
    abut_entity_of(shape, &feature, &piece->id);
    piece->where = feature == ABUT_FEATURE_EDGE ? ABUT_WHERE_EDGE : ABUT_WHERE_FACE;
}

void abut_entity_of_contacts(const abut_shape *a, const abut_shape *b, abut_check_result *out)
{
    if (a->type != ABUT_SHAPE_POLYHEDRON && b->type != ABUT_SHAPE_POLYHEDRON)
        return;
    for (int i = 0; i < out->contact_count; ++i) {
        abut_entity_of(a, &out->contacts[i].features[0], &out->contacts[i].ids[0]);
        abut_entity_of(b, &out->contacts[i].features[1], &out->contacts[i].ids[1]);
    }
}
