/* SPDX-License-Identifier: MIT */
/* Edges of a mesh or polyhedron, and the proof that a solid one is closed and turned outward.
 *
 * Method: vertices at exactly the same place are welded by sorting; all face edges are sorted by their ends; a solid has each
 * edge exactly twice, once in each direction. That makes it a closed oriented surface (possibly several), and the sign of the
 * enclosed volume says whether it is turned outward. Only numbers that are equal are welded: there is no tolerance to choose.
 * What this does not prove: that the surface does not cut itself.
 *
 * Surprise: faces that welding collapses to fewer than three corners (slivers of exported meshes) enclose nothing and take part in
 * nothing; they would otherwise count as two extra uses of an edge. */
#include "base/sort.h"
#include "math/vec3.h"
#include "shape/shape.h"

#include <inttypes.h>

/* An edge as one face uses it; `from` < `to` after ordering. */
typedef struct edge_use {
    uint32_t from, to;
    uint32_t face;
    bool reversed;
} edge_use;

static bool place_before(void *ctx, const void *a, const void *b)
{
    const abut_vec3 *vertices = ctx;
    const uint32_t i = *(const uint32_t *)a, j = *(const uint32_t *)b;
    const abut_vec3 p = vertices[i], q = vertices[j];
    if (p.x != q.x)
        return p.x < q.x;
    if (p.y != q.y)
        return p.y < q.y;
    if (p.z != q.z)
        return p.z < q.z;
    return i < j;
}

static bool same_place(abut_vec3 p, abut_vec3 q)
{
    return p.x == q.x && p.y == q.y && p.z == q.z;
}

static bool edge_before(void *ctx, const void *a, const void *b)
{
    (void)ctx;
    const edge_use *p = a, *q = b;
    if (p->from != q->from)
        return p->from < q->from;
    if (p->to != q->to)
        return p->to < q->to;
    if (p->face != q->face)
        return p->face < q->face;
    return p->reversed < q->reversed;
}

static bool weld(abut_faceted_data *mesh, const abut_allocator *alloc)
{
    mesh->weld = abut_base_alloc(alloc, mesh->vertex_count, sizeof *mesh->weld);
    uint32_t *order = abut_base_alloc(alloc, mesh->vertex_count, sizeof *order);
    if (mesh->weld && order) {
        for (size_t i = 0; i < mesh->vertex_count; ++i)
            order[i] = (uint32_t)i;
        abut_base_sort(order, mesh->vertex_count, sizeof *order, place_before, mesh->vertices);
        uint32_t first = order[0];
        for (size_t i = 0; i < mesh->vertex_count; ++i) {
            if (!same_place(mesh->vertices[order[i]], mesh->vertices[first]))
                first = order[i];
            mesh->weld[order[i]] = first;
        }
    }
    abut_base_free(alloc, order, mesh->vertex_count, sizeof *order);
    return mesh->weld && order;
}

static uint32_t corner(const abut_faceted_data *mesh, size_t position)
{
    const uint32_t vertex = mesh->corners[position];
    return mesh->weld ? mesh->weld[vertex] : vertex;
}

static bool is_collapsed(const abut_faceted_data *mesh, size_t begin, size_t end)
{
    const uint32_t first = corner(mesh, begin);
    uint32_t second = first;
    for (size_t i = begin + 1; i < end; ++i) {
        const uint32_t c = corner(mesh, i);
        if (c == first || c == second)
            continue;
        if (second != first)
            return false;
        second = c;
    }
    return true;
}

static size_t list_edges(const abut_faceted_data *mesh, edge_use *edges)
{
    size_t count = 0;
    for (size_t face = 0; face < mesh->face_count; ++face) {
        const size_t begin = abut_face_begin(mesh, face), end = abut_face_end(mesh, face);
        if (is_collapsed(mesh, begin, end))
            continue;
        for (size_t i = begin; i < end; ++i) {
            const uint32_t p = corner(mesh, i), q = corner(mesh, i + 1 < end ? i + 1 : begin);
            if (p != q)
                edges[count++] = (edge_use){ p < q ? p : q, p < q ? q : p, (uint32_t)face, p > q };
        }
    }
    abut_base_sort(edges, count, sizeof *edges, edge_before, NULL);
    return count;
}

/* Uses of one edge by a solid: exactly two, one each way. */
static abut_status check_edge(const edge_use *use, size_t count, abut_error *error)
{
    if (count == 1)
        return abut_base_fail(error, ABUT_ERR_ARGUMENT, use->face,
                              "not closed: the edge from vertex %" PRIu32 " to %" PRIu32 " of face %" PRIu32
                              " has no face on its other side",
                              use->from, use->to, use->face);
    if (count > 2)
        return abut_base_fail(error, ABUT_ERR_ARGUMENT, use[2].face,
                              "the edge from vertex %" PRIu32 " to %" PRIu32 " belongs to %zu faces (%" PRIu32
                              ", %" PRIu32 ", %" PRIu32 "); in a solid each edge has two",
                              use->from, use->to, count, use[0].face, use[1].face, use[2].face);
    if (use[0].reversed == use[1].reversed)
        return abut_base_fail(error, ABUT_ERR_ARGUMENT, use[1].face,
                              "faces %" PRIu32 " and %" PRIu32 " run the same way along the edge from vertex "
                              "%" PRIu32 " to %" PRIu32 "; one of them must be turned round",
                              use[0].face, use[1].face, use->from, use->to);
    return ABUT_OK;
}

/* Volume by the divergence theorem, in units of the box, from the box's centre so that few digits cancel. Each determinant has at
 * most 14 roundings of terms whose sizes sum to `size`, and the sum adds one a face: both are covered with room to spare. */
static abut_status check_outward(const abut_faceted_data *mesh, const abut_aabb *bounds, abut_error *error)
{
    const abut_vec3 centre = { 0.5 * bounds->lo.x + 0.5 * bounds->hi.x,
                               0.5 * bounds->lo.y + 0.5 * bounds->hi.y,
                               0.5 * bounds->lo.z + 0.5 * bounds->hi.z };
    const double scale =
        fmax(0.5 * bounds->hi.x - 0.5 * bounds->lo.x,
             fmax(0.5 * bounds->hi.y - 0.5 * bounds->lo.y, 0.5 * bounds->hi.z - 0.5 * bounds->lo.z));
    double volume = 0, size = 0, total = 0;
    for (size_t face = 0; face < mesh->face_count; ++face) {
        const size_t begin = abut_face_begin(mesh, face), end = abut_face_end(mesh, face);
        abut_vec3 p[3] = { { 0 } };
        for (size_t i = begin; i < end; ++i) {
            const abut_vec3 v = abut_sub(mesh->vertices[mesh->corners[i]], centre);
            p[i == begin ? 0 : 2] = abut_v3(v.x / scale, v.y / scale, v.z / scale);
            if (i >= begin + 2) {
                const double part = abut_dot(p[0], abut_cross(p[1], p[2]));
                volume += part;
                total += fabs(part);
                size += abut_length(p[0]) * abut_length(p[1]) * abut_length(p[2]);
            }
            p[1] = p[2];
        }
    }
    const double doubt = 0x1p-53 * (32 * size + 2 * (double)mesh->corner_count * total);
    if (volume > doubt)
        return ABUT_OK;
    if (volume < -doubt)
        return abut_base_fail(
            error, ABUT_ERR_ARGUMENT, -1,
            "the faces are turned inward: reverse the order of the corners of every face, so "
            "that they run counter-clockwise seen from outside");
    return abut_base_fail(error, ABUT_ERR_ARGUMENT, -1, "the faces enclose no volume");
}

abut_status abut_shape_connect(abut_faceted_data *mesh, const abut_aabb *bounds, const abut_allocator *alloc,
                               abut_error *error)
{
    if (mesh->solid && !weld(mesh, alloc))
        return abut_base_fail_memory(error);
    edge_use *edges = abut_base_alloc(alloc, mesh->corner_count, sizeof *edges);
    if (!edges)
        return abut_base_fail_memory(error);
    const size_t count = list_edges(mesh, edges);
    abut_status status = ABUT_OK;
    mesh->edge_count = 0;
    for (size_t i = 0, next; !status && i < count; i = next) {
        for (next = i + 1;
             next < count && edges[next].from == edges[i].from && edges[next].to == edges[i].to;)
            ++next;
        ++mesh->edge_count;
        if (mesh->solid)
            status = check_edge(edges + i, next - i, error);
    }
    abut_base_free(alloc, edges, mesh->corner_count, sizeof *edges);
    if (!status && mesh->solid)
        status = check_outward(mesh, bounds, error);
    return status;
}
