/* SPDX-License-Identifier: MIT */
/* What may be wrong with a mesh.
 *
 * Everything is counted after welding what is at one place (connect.c). Collinearity is decided
 * exactly; a cheap bound passes the triangles that clearly have an area. Doubles are found by
 * hashing the three places in ascending order, and by sorting where the hash is unlucky. */
#include "abut/mesh.h"
#include "abut/predicates.h"
#include "base/sort.h"
#include "math/vec3.h"
#include "shape/arrays.h"
#include "shape/connect.h"

#include <string.h>

typedef struct places {
    uint32_t of[3]; /* ascending */
} places;

static places places_of(const abut_faceted_data *mesh, size_t face)
{
    uint32_t p = mesh->weld[mesh->corners[3 * face]], q = mesh->weld[mesh->corners[3 * face + 1]],
             r = mesh->weld[mesh->corners[3 * face + 2]], swap;
    if (p > q)
        swap = p, p = q, q = swap;
    if (q > r)
        swap = q, q = r, r = swap;
    if (p > q)
        swap = p, p = q, q = swap;
    return (places){ { p, q, r } };
}

static int compare_places(places a, places b)
{
    for (int k = 0; k < 3; ++k)
        if (a.of[k] != b.of[k])
            return a.of[k] < b.of[k] ? -1 : 1;
    return 0;
}

/* ---- doubles ---- */

static bool places_before(void *ctx, const void *a, const void *b)
{
    const uint32_t i = *(const uint32_t *)a, j = *(const uint32_t *)b;
    const int order = compare_places(places_of(ctx, i), places_of(ctx, j));
    return order ? order < 0 : i < j;
}

static bool doubles_by_sorting(abut_faceted_data *mesh, const abut_allocator *alloc, size_t *count)
{
    uint32_t *order = abut_base_alloc(alloc, mesh->face_count, sizeof *order);
    if (!order)
        return false;
    for (size_t i = 0; i < mesh->face_count; ++i)
        order[i] = (uint32_t)i;
    abut_base_sort(order, mesh->face_count, sizeof *order, places_before, mesh);
    *count = 0;
    for (size_t i = 1; i < mesh->face_count; ++i)
        *count += compare_places(places_of(mesh, order[i - 1]), places_of(mesh, order[i])) == 0;
    abut_base_free(alloc, order, mesh->face_count, sizeof *order);
    return true;
}

static uint64_t hash_places(places p)
{
    uint64_t h = ((uint64_t)p.of[0] << 32 | p.of[1]) * 0x9E3779B97F4A7C15u;
    h = ((h ^ h >> 32) + p.of[2]) * 0xBF58476D1CE4E5B9u;
    return (h ^ h >> 29) * 0x94D049BB133111EBu;
}

static bool count_doubles(abut_faceted_data *mesh, const abut_allocator *alloc, size_t *count)
{
    int bits = 4;
    while ((size_t)1 << bits < 2 * mesh->face_count)
        ++bits;
    const size_t slots = (size_t)1 << bits;
    uint32_t *table = abut_base_alloc(alloc, slots, sizeof *table);
    if (!table)
        return false;
    const uint32_t empty = UINT32_MAX;
    memset(table, 0xFF, slots * sizeof *table);
    *count = 0;
    size_t probes = 0;
    const size_t most_probes = 16 * mesh->face_count + 64;
    for (size_t i = 0; i < mesh->face_count && probes <= most_probes; ++i) {
        const places p = places_of(mesh, i);
        size_t slot = (size_t)(hash_places(p) >> (64 - bits));
        while (table[slot] != empty && compare_places(places_of(mesh, table[slot]), p) != 0 &&
               ++probes <= most_probes)
            slot = (slot + 1) & (slots - 1);
        if (table[slot] == empty)
            table[slot] = (uint32_t)i;
        else
            ++*count;
    }
    abut_base_free(alloc, table, slots, sizeof *table);
    return probes <= most_probes || doubles_by_sorting(mesh, alloc, count);
}

/* ---- edges, areas, vertices ---- */

static void count_edges(const abut_edge_uses *uses, abut_mesh_report *out)
{
    for (size_t v = 0; v < uses->vertex_count; ++v)
        for (size_t i = uses->starts[v], next; i < uses->starts[v + 1]; i = next) {
            const uint64_t *use = uses->items + i;
            next = i + 1;
            while (next < uses->starts[v + 1] && abut_use_to(uses->items[next]) == abut_use_to(use[0]))
                ++next;
            ++out->edges;
            out->open_edges += next - i == 1;
            out->crowded_edges += next - i > 2;
            out->flipped += next - i == 2 && abut_use_reversed(use[0]) == abut_use_reversed(use[1]);
        }
}

/* Faces in trees: twice the number of the parent, and a bit that is set where face and parent
 * run contrary to each other. */
typedef uint32_t parent;

static parent find_root(parent *of, uint32_t face)
{
    parent link = 2 * face;
    while (of[link >> 1] >> 1 != link >> 1) {
        const parent up = of[link >> 1], above = of[up >> 1] ^ (up & 1);
        of[link >> 1] = above; /* half of the way for the next one */
        link = above ^ (link & 1);
    }
    return link;
}

/* Neighbours join, contrary to each other or not; of each tree those that are fewer would be
 * turned. */
static bool count_flipped_faces(const abut_edge_uses *uses, size_t faces, const abut_allocator *alloc,
                                size_t *count)
{
    parent *of = abut_base_alloc(alloc, faces, sizeof *of);
    uint32_t *contrary = abut_base_alloc_zero(alloc, faces, sizeof *contrary),
             *all = abut_base_alloc_zero(alloc, faces, sizeof *all);
    const bool ok = of && contrary && all;
    for (uint32_t face = 0; ok && face < faces; ++face)
        of[face] = 2 * face;
    for (size_t v = 0; ok && v < uses->vertex_count; ++v)
        for (size_t i = uses->starts[v], next; i < uses->starts[v + 1]; i = next) {
            const uint64_t *use = uses->items + i;
            next = i + 1;
            while (next < uses->starts[v + 1] && abut_use_to(uses->items[next]) == abut_use_to(use[0]))
                ++next;
            if (next - i != 2)
                continue;
            const parent a = find_root(of, abut_use_face(use[0])), b = find_root(of, abut_use_face(use[1]));
            const bool same = abut_use_reversed(use[0]) == abut_use_reversed(use[1]);
            if (a >> 1 != b >> 1)
                of[a >> 1] = b ^ (a & 1) ^ (parent)same;
        }
    for (uint32_t face = 0; ok && face < faces; ++face) {
        const parent root = find_root(of, face);
        ++all[root >> 1];
        contrary[root >> 1] += root & 1;
    }
    for (size_t root = 0; ok && root < faces; ++root)
        *count += contrary[root] < all[root] - contrary[root] ? contrary[root] : all[root] - contrary[root];
    abut_base_free(alloc, of, faces, sizeof *of);
    abut_base_free(alloc, contrary, faces, sizeof *contrary);
    abut_base_free(alloc, all, faces, sizeof *all);
    return ok;
}

/* The coordinates of the cross product are off by at most 8 ulp of the products of the 1-norms:
 * where it is larger than that there is an area. */
static bool is_degenerate(const abut_vec3 p[3])
{
    const abut_vec3 u = abut_sub(p[1], p[0]), v = abut_sub(p[2], p[0]);
    const double area = abut_max_norm(abut_cross(u, v));
    const double size = (fabs(u.x) + fabs(u.y) + fabs(u.z)) * (fabs(v.x) + fabs(v.y) + fabs(v.z));
    if (area > 0x1p-49 * size && size > 0x1p-900 && size < 0x1p900)
        return false;
    return abut_collinear(p[0], p[1], p[2]);
}

/* Half the length of the cross product, which may be smaller or larger than doubles on the way. */
static double area_of(const abut_vec3 p[3], double scale)
{
    const abut_vec3 u = { p[1].x * scale - p[0].x * scale, p[1].y * scale - p[0].y * scale,
                          p[1].z * scale - p[0].z * scale };
    const abut_vec3 v = { p[2].x * scale - p[0].x * scale, p[2].y * scale - p[0].y * scale,
                          p[2].z * scale - p[0].z * scale };
    const abut_vec3 n = abut_cross(u, v);
    return 0.5 * sqrt(abut_dot(n, n));
}

static void measure_faces(const abut_faceted_data *mesh, const abut_aabb *box, abut_mesh_report *out)
{
    const double size =
        abut_max_norm(abut_v3(0.5 * box->hi.x - 0.5 * box->lo.x, 0.5 * box->hi.y - 0.5 * box->lo.y,
                              0.5 * box->hi.z - 0.5 * box->lo.z));
    const int exponent = size > 0 ? -ilogb(size) : 0;
    const double scale = scalbn(1, exponent > 1000 ? 1000 : exponent);
    double area = 0;
    for (size_t face = 0; face < mesh->face_count; ++face) {
        const uint32_t *c = mesh->corners + 3 * face;
        const abut_vec3 p[3] = { mesh->vertices[c[0]], mesh->vertices[c[1]], mesh->vertices[c[2]] };
        out->degenerate += is_degenerate(p);
        area += area_of(p, scale);
    }
    out->area = area / scale / scale;
}

static bool count_vertices(const abut_faceted_data *mesh, const abut_allocator *alloc, abut_mesh_report *out)
{
    unsigned char *used = abut_base_alloc_zero(alloc, mesh->vertex_count, 1);
    if (!used)
        return false;
    for (size_t i = 0; i < mesh->corner_count; ++i)
        used[mesh->corners[i]] = 1;
    for (size_t v = 0; v < mesh->vertex_count; ++v) {
        out->unused_vertices += !used[v];
        out->duplicate_vertices += mesh->weld[v] != v;
    }
    abut_base_free(alloc, used, mesh->vertex_count, 1);
    return true;
}

/* The arrays of `mesh` are borrowed, but for weld. */
static bool inspect(abut_faceted_data *mesh, const abut_aabb *box, const abut_allocator *alloc,
                    abut_mesh_report *out)
{
    abut_edge_uses uses;
    size_t pieces;
    *out = (abut_mesh_report){ .vertices = mesh->vertex_count, .triangles = mesh->face_count };
    if (!abut_weld_vertices(mesh->vertices, mesh->vertex_count, mesh->weld, alloc) ||
        !count_vertices(mesh, alloc, out) || !count_doubles(mesh, alloc, &out->duplicate) ||
        !abut_count_pieces(mesh, alloc, &pieces) || !abut_edge_uses_find(mesh, alloc, &uses))
        return false;
    out->components = pieces;
    count_edges(&uses, out);
    const bool turned =
        out->flipped == 0 || count_flipped_faces(&uses, mesh->face_count, alloc, &out->flipped_faces);
    abut_edge_uses_release(&uses, alloc);
    if (!turned)
        return false;
    measure_faces(mesh, box, out);
    out->closed = out->edges > 0 && out->open_edges == 0 && out->crowded_edges == 0;
    out->oriented = out->closed && out->flipped == 0;
    if (out->oriented)
        out->outward = abut_volume_sign(mesh, mesh->vertices, box, &out->volume) > 0;
    return true;
}

abut_status abut_mesh_inspect(const abut_vec3 *vertices, size_t vertex_count, const uint32_t *triangles,
                              size_t triangle_count, const abut_allocator *alloc, abut_mesh_report *out,
                              abut_error *error)
{
    abut_base_clear(error);
    if (!out)
        return abut_base_fail(error, ABUT_ERR_ARGUMENT, -1, "nowhere to put the report");
    *out = (abut_mesh_report){ .vertices = vertex_count, .triangles = triangle_count };
    if ((!vertices && vertex_count) || (!triangles && triangle_count))
        return abut_base_fail(error, ABUT_ERR_ARGUMENT, -1, "vertices or triangles are missing");
    if (vertex_count == 0 && triangle_count == 0)
        return ABUT_OK;
    abut_aabb box = { { 0, 0, 0 }, { 0, 0, 0 } };
    abut_status status = ABUT_OK;
    if (vertex_count)
        status = abut_check_points(vertices, vertex_count, "vertex", &box, error);
    if (!status && triangle_count)
        status = abut_check_triangles(triangles, triangle_count, vertex_count, error);
    if (status)
        return status;
    const abut_allocator own = abut_base_allocator(alloc);
    abut_faceted_data mesh = { .vertex_count = vertex_count,
                               .corner_count = 3 * triangle_count,
                               .face_count = triangle_count };
    /* A view of what is the caller's; nothing here writes to it. */
    memcpy(&mesh.vertices, &vertices, sizeof mesh.vertices);
    memcpy(&mesh.corners, &triangles, sizeof mesh.corners);
    mesh.weld = abut_base_alloc(&own, vertex_count, sizeof *mesh.weld);
    const bool ok = mesh.weld && inspect(&mesh, &box, &own, out);
    abut_base_free(&own, mesh.weld, vertex_count, sizeof *mesh.weld);
    return ok ? ABUT_OK : abut_base_fail_memory(error);
}

abut_status abut_shape_inspect(const abut_shape *shape, abut_mesh_report *out)
{
    if (!shape || !out || shape->type != ABUT_SHAPE_MESH)
        return ABUT_ERR_ARGUMENT;
    const abut_faceted_data *mesh = &shape->u.faceted;
    return abut_mesh_inspect(mesh->vertices, mesh->vertex_count, mesh->corners, mesh->face_count,
                             &shape->alloc, out, NULL);
}
