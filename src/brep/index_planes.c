/* SPDX-License-Identifier: MIT */
/* Building the index: planes of triangles, chosen among a few candidates by how much they cut and how evenly
 * they part (phase of faces). */
#include "brep/index_build.h"

#include <float.h>

/* Is an edge of a triangle in the plane only a diagonal of a face that is planar there? */
static bool is_seam(const abut_index_builder *b, uint32_t edge, const piece_cutter *plane)
{
    if (b->def->edge_of[edge] <= INT32_MAX)
        return false;
    for (int side = 0; side < 2; ++side)
        for (int k = 0; k < 3; ++k)
            if (abut_index_sign_at(
                    b, plane,
                    b->triangles[3 * (size_t)b->def->edge_triangles[2 * edge + (size_t)side] + (size_t)k]))
                return false;
    return true;
}

static void push_edge(abut_index_builder *b, const piece *of, int k, const piece_cutter *plane)
{
    const uint32_t edge = b->triangle_edges[3 * (size_t)of->id + (size_t)k];
    if (of->edges_gone >> k & 1 || b->edge_stamp[edge] == b->stamp || is_seam(b, edge, plane))
        return;
    const uint32_t *ends = b->def->edge_ends + 2 * (size_t)edge;
    piece p = abut_index_on_edge(b, of, ends[0], ends[1]);
    if (p.count == 0)
        return;
    const bool turned = b->triangles[3 * (size_t)of->id + (size_t)k] != ends[0];
    const unsigned first = of->vertices_gone >> k & 1, second = of->vertices_gone >> (k + 1) % 3 & 1;
    p.kind = PIECE_EDGE;
    p.id = edge;
    p.vertices_gone = (uint8_t)(turned ? second | first << 1 : first | second << 1);
    b->edge_stamp[edge] = b->stamp;
    b->vertex_stamp[ends[0]] = b->vertex_stamp[ends[1]] = b->stamp;
    (void)abut_index_push(b, &p);
}

static void push_vertex(abut_index_builder *b, const piece *of, int k)
{
    const uint32_t vertex = b->triangles[3 * (size_t)of->id + (size_t)k];
    if (of->vertices_gone >> k & 1 || b->vertex_stamp[vertex] == b->stamp)
        return;
    piece p = abut_index_on_edge(b, of, vertex, vertex);
    p.kind = PIECE_POINT;
    p.id = vertex;
    if (p.count > 0)
        b->vertex_stamp[vertex] = b->stamp;
    (void)abut_index_push(b, &p);
}

/* What triangles have in a plane: edges and cuts first, then vertices that none of them ends at. */
void abut_index_take_plane(abut_index_builder *b, size_t begin, size_t end, const piece_cutter *c,
                           const uint8_t *sides)
{
    ++b->stamp;
    for (int pass = 0; pass < 2; ++pass)
        for (size_t i = begin; i < end && !b->failed; ++i) {
            if (!(sides[i - begin] & IS_ON))
                continue;
            const piece p = b->pieces.items[i];
            const uint32_t *t = b->triangles + 3 * (size_t)p.id;
            int s[3];
            for (int k = 0; k < 3; ++k)
                s[k] = abut_index_sign_at(b, c, t[k]);
            for (int k = 0; k < 3; ++k) {
                if (pass == 0 && s[k] == 0 && s[(k + 1) % 3] == 0)
                    push_edge(b, &p, k, c);
                if (pass == 1 && s[k] == 0 && (s[(k + 1) % 3] || s[(k + 2) % 3]))
                    push_vertex(b, &p, k);
            }
            const bool crosses = (s[0] > 0 || s[1] > 0 || s[2] > 0) && (s[0] < 0 || s[1] < 0 || s[2] < 0);
            if (pass == 0 && crosses) {
                piece cut = p;
                cut.kind = PIECE_CUT;
                abut_index_thin(b, c, &cut);
                (void)abut_index_push(b, &cut);
            }
        }
}

int32_t abut_index_build_space(abut_index_builder *b, size_t begin, int depth)
{
    const size_t end = b->pieces.count;
    if (b->failed || begin == end)
        return abut_index_add_leaf(b, 0);
    if (depth > ABUT_INDEX_DEEPEST)
        return abut_index_add_leaf(b, ABUT_INDEX_OPEN);
    size_t best = begin;
    double least = DBL_MAX;
    const size_t step = (end - begin + ABUT_INDEX_CANDIDATES - 1) / ABUT_INDEX_CANDIDATES;
    for (size_t i = begin; i < end; i += step) {
        const piece_cutter c = abut_index_plane_of(b, b->pieces.items[i].id);
        const double s = abut_index_score(b, begin, end, &c);
        if (s < least) {
            least = s;
            best = i;
        }
    }
    const piece_cutter c = abut_index_plane_of(b, b->pieces.items[best].id);
    uint8_t *sides = abut_index_find_sides(b, begin, end, &c, best);
    if (b->failed)
        return ~0;
    abut_index_node node = c.test;
    ++b->index->face_nodes;
    abut_index_take_plane(b, begin, end, &c, sides);
    node.on = b->failed ? ~0 : abut_index_build_plane(b, end, &c, depth + 1);
    b->pieces.count = end;
    const int32_t at = abut_index_add_node(b, &node);
    for (int sign = 1; sign >= -1 && !b->failed; sign -= 2) {
        abut_index_take_side(b, begin, end, &c, sides, sign);
        const int32_t child = abut_index_build_space(b, end, depth + 1);
        if (!b->failed)
            *(sign > 0 ? &b->index->nodes[at].above : &b->index->nodes[at].below) = child;
        b->pieces.count = end;
    }
    abut_base_free(&b->alloc, sides, end - begin, 1);
    return at;
}
