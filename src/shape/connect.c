/* SPDX-License-Identifier: MIT */
/* Edges of a mesh or polyhedron, and the proof that a solid one is closed and consistently oriented
 * (volume.c: and turned outward).
 *
 * Method: vertices at exactly the same place are welded through a hash table; the uses of edges by
 * faces are counted into one bucket for each smaller end and sorted there by the other; a solid has
 * each edge exactly twice, once in each direction. That makes it a closed oriented surface,
 * possibly several. Only numbers that are equal are welded: there is no tolerance to choose. What
 * this does not prove: that the surface does not cut itself.
 *
 * Surprise: faces that welding collapses to fewer than three corners (slivers of exported
 * meshes) enclose nothing and take part in nothing; they would otherwise count as two extra uses
 * of an edge. */
#include "shape/connect.h"
#include "base/sort.h"

#include <inttypes.h>
#include <string.h>

/* ---- welding ---- */

static bool place_before(void *ctx, const void *a, const void *b)
{
    const abut_vec3 *vertices = *(const abut_vec3 **)ctx;
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

static bool weld_by_sorting(const abut_vec3 *vertices, size_t count, uint32_t *weld,
                            const abut_allocator *alloc)
{
    uint32_t *order = abut_base_alloc(alloc, count, sizeof *order);
    if (!order)
        return false;
    for (size_t i = 0; i < count; ++i)
        order[i] = (uint32_t)i;
    abut_base_sort(order, count, sizeof *order, place_before, &vertices);
    uint32_t first = order[0];
    for (size_t i = 0; i < count; ++i) {
        if (!same_place(vertices[order[i]], vertices[first]))
            first = order[i];
        weld[order[i]] = first;
    }
    abut_base_free(alloc, order, count, sizeof *order);
    return true;
}

static uint64_t bits_of(double x)
{
    const double positive_zero = x + 0.0; /* -0 + 0 is 0 when rounding to nearest or up */
    uint64_t bits;
    memcpy(&bits, &positive_zero, sizeof bits);
    return bits == (uint64_t)1 << 63 ? 0 : bits;
}

/* Multiplications by odd numbers mix upwards, so the high bits are the good ones. */
static uint64_t hash_place(abut_vec3 p)
{
    uint64_t h = bits_of(p.x) * 0x9E3779B97F4A7C15u;
    h = ((h ^ h >> 32) + bits_of(p.y)) * 0xBF58476D1CE4E5B9u;
    h = ((h ^ h >> 32) + bits_of(p.z)) * 0x94D049BB133111EBu;
    return (h ^ h >> 29) * 0x9E3779B97F4A7C15u;
}

/* The table is at most half full, so that a search examines about two slots. Vertices that were
 * made to collide (or are unlucky) are sorted instead: the work is bounded for every input. */
bool abut_weld_vertices(const abut_vec3 *vertices, size_t count, uint32_t *weld, const abut_allocator *alloc)
{
    int bits = 4;
    while (bits < 33 && (size_t)1 << bits < 2 * count)
        ++bits;
    const size_t slots = (size_t)1 << bits;
    uint32_t *table = abut_base_alloc(alloc, slots, sizeof *table);
    if (!table)
        return false;
    const uint32_t empty = UINT32_MAX; /* no vertex has this number */
    memset(table, 0xFF, slots * sizeof *table);
    size_t probes = 0;
    const size_t most_probes = 16 * count + 64;
    for (size_t i = 0; i < count && probes <= most_probes; ++i) {
        size_t slot = (size_t)(hash_place(vertices[i]) >> (64 - bits));
        while (table[slot] != empty && !same_place(vertices[table[slot]], vertices[i]) &&
               ++probes <= most_probes)
            slot = (slot + 1) & (slots - 1);
        if (table[slot] == empty)
            table[slot] = (uint32_t)i;
        weld[i] = table[slot];
    }
    abut_base_free(alloc, table, slots, sizeof *table);
    return probes <= most_probes || weld_by_sorting(vertices, count, weld, alloc);
}

/* ---- uses of edges ---- */

static uint32_t corner(const abut_faceted_data *mesh, size_t position)
{
    const uint32_t vertex = mesh->corners[position];
    return mesh->weld ? mesh->weld[vertex] : vertex;
}

/* Both passes below see the same uses in the same order. With items NULL the uses are counted in
 * starts[smaller end + 1]; otherwise they are put where starts[smaller end] says, which moves
 * on. */
static inline void take_use(uint32_t *starts, uint64_t *items, uint32_t p, uint32_t q, size_t face)
{
    const uint32_t from = p < q ? p : q, to = p < q ? q : p;
    if (items)
        items[starts[from]++] = (uint64_t)to << 32 | (uint64_t)face << 1 | (p > q);
    else
        ++starts[from + 1];
}

static inline void list_uses(const abut_faceted_data *mesh, uint32_t *starts, uint64_t *items)
{
    for (size_t face = 0; face < mesh->face_count; ++face) {
        const uint32_t p = corner(mesh, 3 * face), q = corner(mesh, 3 * face + 1),
                       r = corner(mesh, 3 * face + 2);
        if (p == q || q == r || r == p)
            continue;
        take_use(starts, items, p, q, face);
        take_use(starts, items, q, r, face);
        take_use(starts, items, r, p, face);
    }
}

static bool use_before(void *ctx, const void *a, const void *b)
{
    (void)ctx;
    return *(const uint64_t *)a < *(const uint64_t *)b;
}

/* A vertex has six edges on average, of which half lead to greater ones. */
static void sort_bucket(uint64_t *items, size_t count)
{
    if (count > 32) {
        abut_base_sort(items, count, sizeof *items, use_before, NULL);
        return;
    }
    for (size_t i = 1; i < count; ++i) {
        const uint64_t item = items[i];
        size_t j = i;
        for (; j > 0 && items[j - 1] > item; --j)
            items[j] = items[j - 1];
        items[j] = item;
    }
}

bool abut_edge_uses_find(const abut_faceted_data *mesh, const abut_allocator *alloc, abut_edge_uses *out)
{
    *out = (abut_edge_uses){ .vertex_count = mesh->vertex_count, .corner_count = mesh->corner_count };
    out->starts = abut_base_alloc_zero(alloc, mesh->vertex_count + 1, sizeof *out->starts);
    out->items = abut_base_alloc(alloc, mesh->corner_count, sizeof *out->items);
    if (!out->starts || !out->items) {
        abut_edge_uses_release(out, alloc);
        return false;
    }
    uint32_t *starts = out->starts;
    list_uses(mesh, starts, NULL);
    for (size_t v = 0; v < mesh->vertex_count; ++v)
        starts[v + 1] += starts[v];
    list_uses(mesh, starts, out->items);
    /* Each start has moved on to the next one. */
    memmove(starts + 1, starts, mesh->vertex_count * sizeof *starts);
    starts[0] = 0;
    for (size_t v = 0; v < mesh->vertex_count; ++v)
        sort_bucket(out->items + starts[v], starts[v + 1] - starts[v]);
    return true;
}

void abut_edge_uses_release(abut_edge_uses *uses, const abut_allocator *alloc)
{
    abut_base_free(alloc, uses->starts, uses->vertex_count + 1, sizeof *uses->starts);
    abut_base_free(alloc, uses->items, uses->corner_count, sizeof *uses->items);
    *uses = (abut_edge_uses){ 0 };
}

size_t abut_count_edges(const abut_faceted_data *mesh, const abut_allocator *alloc)
{
    abut_edge_uses uses;
    if (!abut_edge_uses_find(mesh, alloc, &uses))
        return 0;
    size_t count = 0;
    for (size_t v = 0; v < mesh->vertex_count; ++v)
        for (size_t i = uses.starts[v]; i < uses.starts[v + 1]; ++i)
            count += i == uses.starts[v] || abut_use_to(uses.items[i]) != abut_use_to(uses.items[i - 1]);
    abut_edge_uses_release(&uses, alloc);
    return count;
}

/* ---- solids ---- */

/* Uses of one edge by a solid: exactly two, one each way. */
static abut_status fail_edge(uint32_t from, const uint64_t *use, size_t count, abut_error *error)
{
    const uint32_t to = abut_use_to(use[0]), first = abut_use_face(use[0]);
    if (count == 1)
        return abut_base_fail(error, ABUT_ERR_ARGUMENT, first,
                              "not closed: the edge from vertex %" PRIu32 " to %" PRIu32 " of face %" PRIu32
                              " has no face on its other side",
                              from, to, first);
    const uint32_t second = abut_use_face(use[1]);
    if (count > 2)
        return abut_base_fail(error, ABUT_ERR_ARGUMENT, abut_use_face(use[2]),
                              "the edge from vertex %" PRIu32 " to %" PRIu32 " belongs to %zu faces (%" PRIu32
                              ", %" PRIu32 ", %" PRIu32 "); in a solid each edge has two",
                              from, to, count, first, second, abut_use_face(use[2]));
    return abut_base_fail(error, ABUT_ERR_ARGUMENT, second,
                          "faces %" PRIu32 " and %" PRIu32 " run the same way along the edge from vertex "
                          "%" PRIu32 " to %" PRIu32 "; one of them must be turned round",
                          first, second, from, to);
}

/* Fills edge_ends and edge_faces, which have room for half as many edges as there are uses. */
static abut_status pair_uses(abut_faceted_data *mesh, const abut_edge_uses *uses, abut_error *error)
{
    size_t edge = 0;
    for (size_t v = 0; v < mesh->vertex_count; ++v)
        for (size_t i = uses->starts[v], end = uses->starts[v + 1]; i < end; i += 2, ++edge) {
            const uint64_t *use = uses->items + i;
            const uint32_t to = abut_use_to(use[0]);
            size_t count = 1;
            while (i + count < end && abut_use_to(use[count]) == to)
                ++count;
            if (count != 2 || abut_use_reversed(use[0]) == abut_use_reversed(use[1]))
                return fail_edge((uint32_t)v, use, count, error);
            const int forward = abut_use_reversed(use[0]);
            mesh->edge_ends[2 * edge] = (uint32_t)v;
            mesh->edge_ends[2 * edge + 1] = to;
            mesh->edge_faces[2 * edge] = abut_use_face(use[forward]);
            mesh->edge_faces[2 * edge + 1] = abut_use_face(use[!forward]);
        }
    return ABUT_OK;
}

static abut_status find_edges(abut_faceted_data *mesh, const abut_allocator *alloc, abut_error *error)
{
    abut_edge_uses uses;
    if (!abut_edge_uses_find(mesh, alloc, &uses))
        return abut_base_fail_memory(error);
    mesh->edge_count = uses.starts[mesh->vertex_count] / 2;
    mesh->edge_ends = abut_base_alloc(alloc, mesh->edge_count, 2 * sizeof *mesh->edge_ends);
    mesh->edge_faces = abut_base_alloc(alloc, mesh->edge_count, 2 * sizeof *mesh->edge_faces);
    const abut_status status =
        mesh->edge_ends && mesh->edge_faces ? pair_uses(mesh, &uses, error) : abut_base_fail_memory(error);
    abut_edge_uses_release(&uses, alloc);
    return status;
}

abut_status abut_shape_connect(abut_faceted_data *mesh, const abut_aabb *bounds, const abut_allocator *alloc,
                               abut_error *error)
{
    mesh->weld = abut_base_alloc(alloc, mesh->vertex_count, sizeof *mesh->weld);
    if (!mesh->weld || !abut_weld_vertices(mesh->vertices, mesh->vertex_count, mesh->weld, alloc))
        return abut_base_fail_memory(error);
    const abut_status status = find_edges(mesh, alloc, error);
    return status ? status : abut_check_outward(mesh, mesh->vertices, bounds, error);
}
