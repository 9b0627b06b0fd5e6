/* SPDX-License-Identifier: MIT */
/* The pieces of a mesh: which faces hang together by common vertices.
 *
 * Method: sets of vertices, each a tree that points to its smallest member, joined along the
 * faces; searches halve the way (Tarjan and van Leeuwen, 1984). Most queries never need the
 * pieces, so they are found at the first request; where two threads ask at once both find the
 * same, and one keeps its own. */
#include "shape/connect.h"

#include <string.h>

static uint32_t root_of(uint32_t *parent, uint32_t v)
{
    while (parent[v] != v) {
        parent[v] = parent[parent[v]];
        v = parent[v];
    }
    return v;
}

static void join_faces(const abut_faceted_data *mesh, uint32_t *parent)
{
    for (size_t v = 0; v < mesh->vertex_count; ++v)
        parent[v] = mesh->weld ? mesh->weld[v] : (uint32_t)v;
    for (size_t face = 0; face < mesh->face_count; ++face) {
        const size_t begin = abut_face_begin(mesh, face), end = abut_face_end(mesh, face);
        uint32_t to = root_of(parent, mesh->corners[begin]);
        for (size_t i = begin + 1; i < end; ++i) {
            const uint32_t other = root_of(parent, mesh->corners[i]);
            if (other == to)
                continue;
            const uint32_t smaller = other < to ? other : to;
            parent[other < to ? to : other] = smaller;
            to = smaller;
        }
    }
}

/* Numbers the trees in the order in which faces come to them. */
static bool number_pieces(const abut_faceted_data *mesh, uint32_t *parent, uint32_t *number,
                          const abut_allocator *alloc, abut_mesh_pieces *out)
{
    for (size_t v = 0; v < mesh->vertex_count; ++v)
        number[v] = UINT32_MAX;
    for (size_t face = 0; face < mesh->face_count; ++face) {
        const uint32_t root = root_of(parent, mesh->corners[abut_face_begin(mesh, face)]);
        if (number[root] == UINT32_MAX)
            number[root] = (uint32_t)out->count++;
        out->of_face[face] = number[root];
    }
    out->first = abut_base_alloc(alloc, out->count, sizeof *out->first);
    if (!out->first)
        return false;
    size_t seen = 0;
    for (size_t face = 0; face < mesh->face_count; ++face)
        if (out->of_face[face] == seen)
            out->first[seen++] = (uint32_t)face;
    return true;
}

void abut_shape_pieces_destroy(abut_mesh_pieces *pieces, size_t face_count, const abut_allocator *alloc)
{
    if (!pieces)
        return;
    abut_base_free(alloc, pieces->first, pieces->count, sizeof *pieces->first);
    abut_base_free(alloc, pieces->of_face, face_count, sizeof *pieces->of_face);
    abut_base_free(alloc, pieces, 1, sizeof *pieces);
}

static abut_mesh_pieces *find_pieces(const abut_faceted_data *mesh, const abut_allocator *alloc)
{
    abut_mesh_pieces *pieces = abut_base_alloc_zero(alloc, 1, sizeof *pieces);
    if (!pieces)
        return NULL;
    uint32_t *parent = abut_base_alloc(alloc, mesh->vertex_count, sizeof *parent);
    uint32_t *number = abut_base_alloc(alloc, mesh->vertex_count, sizeof *number);
    pieces->of_face = abut_base_alloc(alloc, mesh->face_count, sizeof *pieces->of_face);
    bool ok = parent && number && pieces->of_face;
    if (ok) {
        join_faces(mesh, parent);
        ok = number_pieces(mesh, parent, number, alloc, pieces);
    }
    abut_base_free(alloc, parent, mesh->vertex_count, sizeof *parent);
    abut_base_free(alloc, number, mesh->vertex_count, sizeof *number);
    if (ok)
        return pieces;
    abut_shape_pieces_destroy(pieces, mesh->face_count, alloc);
    return NULL;
}

bool abut_count_pieces(const abut_faceted_data *mesh, const abut_allocator *alloc, size_t *count)
{
    abut_mesh_pieces *pieces = find_pieces(mesh, alloc);
    if (!pieces)
        return false;
    *count = pieces->count;
    abut_shape_pieces_destroy(pieces, mesh->face_count, alloc);
    return true;
}

const abut_mesh_pieces *abut_shape_pieces(const abut_shape *shape)
{
    /* Shapes are made by abut_shape_new, so the object is not const, and only this field ever
     * changes. */
    const abut_faceted_data *seen = &shape->u.faceted;
    abut_faceted_data *mesh;
    memcpy(&mesh, &seen, sizeof mesh);
    abut_mesh_pieces *kept = atomic_load_explicit(&mesh->pieces, memory_order_acquire);
    if (kept)
        return kept;
    abut_mesh_pieces *found = find_pieces(mesh, &shape->alloc);
    if (!found)
        return NULL;
    if (atomic_compare_exchange_strong(&mesh->pieces, &kept, found))
        return found;
    abut_shape_pieces_destroy(found, mesh->face_count, &shape->alloc);
    return kept;
}
