/* SPDX-License-Identifier: MIT */
/* Lists of triangles, and the surface body that they make with their edges and vertices. Numbers of
 * vertices are those of the whole body; in the surface they are numbered anew, in ascending order. */
#include "base/sort.h"
#include "narrow/facets/facets.h"

void abut_facet_list_add(abut_facet_list *list, uint32_t face)
{
    const uint64_t bit = UINT64_C(1) << (face & 63);
    if (list->memory || list->marks[face >> 6] & bit)
        return;
    uint32_t *grown = abut_workspace_grow(list->ws, list->faces, list->count, &list->room, sizeof face);
    list->memory = !grown;
    if (!grown)
        return;
    list->faces = grown;
    list->marks[face >> 6] |= bit;
    list->faces[list->count++] = face;
}

double abut_facet_box_distance(const abut_interval_vec3 *a, const abut_interval_vec3 *b)
{
    const double x = fmax(fmax(a->x.lo - b->x.hi, b->x.lo - a->x.hi), 0);
    const double y = fmax(fmax(a->y.lo - b->y.hi, b->y.lo - a->y.hi), 0);
    const double z = fmax(fmax(a->z.lo - b->z.hi, b->z.lo - a->z.hi), 0);
    /* Differences, squares, sums and the root are off by an ulp each. */
    return sqrt(x * x + y * y + z * z) * (1 - 0x1p-48);
}

static bool corner_before(void *ctx, const void *a, const void *b)
{
    (void)ctx;
    return ((const abut_facet_corner *)a)->vertex < ((const abut_facet_corner *)b)->vertex;
}

static bool number_before(void *ctx, const void *a, const void *b)
{
    (void)ctx;
    return *(const uint64_t *)a < *(const uint64_t *)b;
}

/* The new number of a vertex. */
static uint32_t find(const abut_facet_corner *corners, size_t count, uint32_t vertex)
{
    size_t lo = 0, hi = count;
    while (hi - lo > 1) {
        const size_t mid = lo + (hi - lo) / 2;
        if (corners[mid].vertex <= vertex)
            lo = mid;
        else
            hi = mid;
    }
    return (uint32_t)lo;
}

static ABUT_NOINLINE void fetch(const abut_facets *f, const abut_facet_list *list, abut_facet_corner *out)
{
    for (size_t i = 0; i < list->count; ++i)
        f->methods->corners(f, list->faces[i], out + 3 * i);
}

typedef struct parts {
    abut_facet_corner *sorted, *corners;
    abut_interval_vec3 *vertices;
    uint32_t *triangles, *edges, *points;
    int64_t *triangle_ids, *edge_ids, *point_ids;
    uint64_t *keys;
} parts;

static bool take(abut_workspace *ws, size_t triangles, parts *p)
{
    const size_t n = 3 * triangles + 1;
    p->corners = abut_workspace_take(ws, n, sizeof *p->corners);
    p->sorted = abut_workspace_take(ws, n, sizeof *p->sorted);
    p->vertices = abut_workspace_take(ws, n, sizeof *p->vertices);
    p->triangles = abut_workspace_take(ws, n, sizeof *p->triangles);
    p->edges = abut_workspace_take(ws, 2 * n, sizeof *p->edges);
    p->points = abut_workspace_take(ws, n, sizeof *p->points);
    p->keys = abut_workspace_take(ws, n, sizeof *p->keys);
    p->triangle_ids = abut_workspace_take(ws, n, sizeof *p->triangle_ids);
    p->edge_ids = abut_workspace_take(ws, n, sizeof *p->edge_ids);
    p->point_ids = abut_workspace_take(ws, n, sizeof *p->point_ids);
    return p->corners && p->sorted && p->vertices && p->triangles && p->edges && p->points && p->keys &&
           p->triangle_ids && p->edge_ids && p->point_ids;
}

static size_t number_vertices(const abut_facets *f, parts *p, size_t corner_count)
{
    size_t count = 0;
    memcpy(p->sorted, p->corners, corner_count * sizeof *p->sorted);
    abut_base_sort(p->sorted, corner_count, sizeof *p->sorted, corner_before, NULL);
    for (size_t i = 0; i < corner_count; ++i)
        if (i == 0 || p->sorted[i].vertex != p->sorted[count - 1].vertex)
            p->sorted[count++] = p->sorted[i];
    for (size_t i = 0; i < count; ++i) {
        p->vertices[i] = p->sorted[i].at;
        p->points[i] = (uint32_t)i;
        p->point_ids[i] = f->methods->vertex_id(f, p->sorted[i].vertex);
    }
    return count;
}

static size_t number_edges(const abut_facets *f, parts *p, size_t triangle_count)
{
    size_t count = 0;
    for (size_t i = 0; i < triangle_count; ++i)
        for (size_t k = 0; k < 3; ++k) {
            const uint64_t from = p->triangles[3 * i + k], to = p->triangles[3 * i + (k + 1) % 3];
            p->keys[3 * i + k] = from < to ? from << 32 | to : to << 32 | from;
        }
    abut_base_sort(p->keys, 3 * triangle_count, sizeof *p->keys, number_before, NULL);
    for (size_t i = 0; i < 3 * triangle_count; ++i) {
        const uint32_t from = (uint32_t)(p->keys[i] >> 32), to = (uint32_t)p->keys[i];
        if (from == to || (i > 0 && p->keys[i] == p->keys[i - 1]))
            continue;
        p->edges[2 * count] = from;
        p->edges[2 * count + 1] = to;
        p->edge_ids[count++] = f->methods->edge_id(f, p->sorted[from].vertex, p->sorted[to].vertex);
    }
    return count;
}

static ABUT_NOINLINE void set_bounds(abut_placed_surface *s)
{
    s->bounds = abut_surface_bounds(&s->surface, ia_point(0), NULL);
    s->place = (ia_affine){ ia33_identity(), { ia_point(0), ia_point(0), ia_point(0) } };
    s->covectors = ia33_identity();
}

abut_status abut_facet_surface(const abut_facets *f, const abut_facet_list *list, abut_workspace *ws,
                               abut_placed_surface *out)
{
    parts p;
    abut_surface_facets_def *def = abut_workspace_take(ws, 1, sizeof *def);
    if (!def || !take(ws, list->count, &p))
        return ABUT_ERR_MEMORY;
    abut_rounding saved = abut_rounding_enter();
    fetch(f, list, p.corners);
    abut_rounding_leave(saved);
    const size_t vertices = number_vertices(f, &p, 3 * list->count);
    for (size_t i = 0; i < 3 * list->count; ++i)
        p.triangles[i] = find(p.sorted, vertices, p.corners[i].vertex);
    for (size_t i = 0; i < list->count; ++i)
        p.triangle_ids[i] = f->methods->face_id(f, list->faces[i]);
    *def = (abut_surface_facets_def){ .vertices = p.vertices,
                                      .points = p.points,
                                      .edges = p.edges,
                                      .triangles = p.triangles,
                                      .point_count = vertices,
                                      .edge_count = number_edges(f, &p, list->count),
                                      .triangle_count = list->count,
                                      .point_ids = p.point_ids,
                                      .edge_ids = p.edge_ids,
                                      .triangle_ids = p.triangle_ids,
                                      .bounds = f->bounds,
                                      .inside = f->solid ? f->methods->inside : NULL,
                                      .ctx = f };
    *out = (abut_placed_surface){ .t = 0 };
    const abut_status status = abut_surface_facets(def, ws, &out->surface);
    if (status)
        return status;
    saved = abut_rounding_enter();
    set_bounds(out);
    abut_rounding_leave(saved);
    return ABUT_OK;
}
