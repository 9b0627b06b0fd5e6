/* SPDX-License-Identifier: MIT */
/* The object of a deforming mesh: memory, checks, positions of a step. */
#include "ccd/deform/deform.h"

#include "base/error.h"
#include "base/memory.h"

#include <math.h>
#include <string.h>

static const abut_impact_body plain_body = { .weight = { { { 1, 0 }, { 0, 0 } }, { { 0, 0 }, { 1, 0 } } },
                                             .divisor = { 1, 0 } };

static void free_block(const abut_deform *m, void *memory, size_t count, size_t size)
{
    if (memory)
        abut_base_free(&m->alloc, memory, count, size);
}

void abut_deform_destroy(abut_deform *m)
{
    if (!m)
        return;
    const abut_allocator alloc = m->alloc;
    const size_t v = m->vertex_count, t = m->triangle_count;
    free_block(m, m->triangles, 3 * t, sizeof *m->triangles);
    free_block(m, m->edges, 2 * m->edge_count, sizeof *m->edges);
    free_block(m, m->sides, 3 * t, sizeof *m->sides);
    free_block(m, m->vertex_owner, v, sizeof *m->vertex_owner);
    free_block(m, m->edge_owner, m->edge_count, sizeof *m->edge_owner);
    free_block(m, m->owned, t, sizeof *m->owned);
    free_block(m, m->nodes, m->node_count, sizeof *m->nodes);
    free_block(m, m->regions, m->node_count, sizeof *m->regions);
    if (m->contours)
        abut_base_shrink(&m->alloc, m->contours, m->contour_count, sizeof *m->contours);
    free_block(m, m->neighbours, m->neighbour_count, sizeof *m->neighbours);
    free_block(m, m->room[0], v, sizeof *m->room[0]);
    free_block(m, m->room[1], v, sizeof *m->room[1]);
    free_block(m, m->marks, v, sizeof *m->marks);
    free_block(m, m->flat, 8 * m->chain_room, sizeof *m->flat);
    free_block(m, m->chain, m->chain_room, sizeof *m->chain);
    abut_base_free(&alloc, m, 1, sizeof *m);
}

static bool is_finite(const abut_vec3 *p)
{
    return isfinite(p->x) && isfinite(p->y) && isfinite(p->z);
}

static abut_status check_vertices(const abut_vec3 *x, size_t count, const char *when, abut_error *error)
{
    for (size_t i = 0; i < count; ++i)
        if (!is_finite(&x[i]))
            return abut_base_fail(error, ABUT_ERR_ARGUMENT, (int64_t)i, "vertex %zu%s is not finite", i,
                                  when);
    return ABUT_OK;
}

static abut_status check_triangles(const uint32_t *triangles, size_t triangle_count, size_t vertex_count,
                                   abut_error *error)
{
    for (size_t i = 0; i < 3 * triangle_count; ++i)
        if (triangles[i] >= vertex_count)
            return abut_base_fail(error, ABUT_ERR_ARGUMENT, (int64_t)(i / 3),
                                  "triangle %zu has vertex %lu, but there are only %zu", i / 3,
                                  (unsigned long)triangles[i], vertex_count);
    return ABUT_OK;
}

static abut_status allocate(abut_deform *m, abut_error *error)
{
    const size_t v = m->vertex_count, t = m->triangle_count;
    m->triangles = abut_base_alloc(&m->alloc, 3 * t, sizeof *m->triangles);
    m->sides = abut_base_alloc(&m->alloc, 3 * t, sizeof *m->sides);
    m->vertex_owner = abut_base_alloc(&m->alloc, v, sizeof *m->vertex_owner);
    m->owned = abut_base_alloc(&m->alloc, t, sizeof *m->owned);
    m->room[0] = abut_base_alloc(&m->alloc, v, sizeof *m->room[0]);
    m->room[1] = abut_base_alloc(&m->alloc, v, sizeof *m->room[1]);
    m->marks = abut_base_alloc_zero(&m->alloc, v, sizeof *m->marks);
    return m->triangles && m->sides && m->vertex_owner && m->owned && m->room[0] && m->room[1] && m->marks
               ? ABUT_OK
               : abut_base_fail_memory(error);
}

static abut_status build(abut_deform *m, const abut_vec3 *vertices, const uint32_t *triangles,
                         abut_error *error)
{
    abut_status status = allocate(m, error);
    if (status)
        return status;
    memcpy(m->triangles, triangles, 3 * m->triangle_count * sizeof *triangles);
    status = abut_deform_find_edges(m, error);
    if (!status)
        status = abut_deform_merge(m, vertices, error);
    if (status)
        return status;
    m->flat = abut_base_alloc(&m->alloc, 8 * m->chain_room, sizeof *m->flat);
    m->chain = abut_base_alloc(&m->alloc, m->chain_room, sizeof *m->chain);
    return m->flat && m->chain ? ABUT_OK : abut_base_fail_memory(error);
}

abut_status abut_deform_new(const abut_vec3 *vertices, size_t vertex_count, const uint32_t *triangles,
                            size_t triangle_count, const abut_allocator *alloc, abut_deform **out,
                            abut_error *error)
{
    const abut_allocator keep = abut_base_allocator(alloc);
    abut_deform *m = abut_base_alloc_zero(&keep, 1, sizeof *m);
    *out = NULL;
    if (!m)
        return abut_base_fail_memory(error);
    m->alloc = keep;
    m->vertex_count = vertex_count;
    m->triangle_count = triangle_count;
    const abut_status status = build(m, vertices, triangles, error);
    if (status) {
        abut_deform_destroy(m);
        return status;
    }
    *out = m;
    return ABUT_OK;
}

abut_status abut_deform_create(const abut_vec3 *vertices, size_t vertex_count, const uint32_t *triangles,
                               size_t triangle_count, const abut_allocator *alloc, abut_deform **out,
                               abut_error *error)
{
    abut_base_clear(error);
    if (!out)
        return abut_base_fail(error, ABUT_ERR_ARGUMENT, -1, "there is nowhere to put the mesh: out is NULL");
    *out = NULL;
    if (!vertices || !triangles || vertex_count == 0 || triangle_count == 0)
        return abut_base_fail(error, ABUT_ERR_ARGUMENT, -1,
                              "a mesh needs vertices and at least one triangle");
    if (triangle_count > 0x0fffffff || vertex_count > 0x7fffffff)
        return abut_base_fail(error, ABUT_ERR_LIMIT, 0x0fffffff, "a mesh may have 2^28 - 1 triangles");
    abut_status status = check_vertices(vertices, vertex_count, "", error);
    if (!status)
        status = check_triangles(triangles, triangle_count, vertex_count, error);
    if (!status)
        status = abut_deform_new(vertices, vertex_count, triangles, triangle_count, alloc, out, error);
    return status ? status : abut_deform_update(*out, vertices, NULL, vertex_count, error);
}

abut_status abut_deform_update(abut_deform *m, const abut_vec3 *start, const abut_vec3 *end,
                               size_t vertex_count, abut_error *error)
{
    abut_base_clear(error);
    if (!m || !start)
        return abut_base_fail(error, ABUT_ERR_ARGUMENT, -1, "a mesh and its positions are needed");
    if (vertex_count != m->vertex_count)
        return abut_base_fail(error, ABUT_ERR_ARGUMENT, -1, "the mesh has %zu vertices, not %zu",
                              m->vertex_count, vertex_count);
    abut_status status = check_vertices(start, vertex_count, " at the start", error);
    if (!status && end)
        status = check_vertices(end, vertex_count, " at the end", error);
    if (status)
        return status;
    memcpy(m->room[0], start, vertex_count * sizeof *start);
    if (end)
        memcpy(m->room[1], end, vertex_count * sizeof *end);
    m->x[0] = m->room[0];
    m->x[1] = end ? m->room[1] : m->room[0];
    m->moves = end != NULL;
    m->blur[0] = m->blur[1] = m->blur[2] = 0;
    m->rational = true;
    m->body = plain_body;
    m->p[0] = m->x[0];
    m->p[1] = m->x[1];
    abut_deform_fit(m, true);
    return ABUT_OK;
}

size_t abut_deform_edge_count(const abut_deform *m)
{
    return m ? m->edge_count : 0;
}

abut_status abut_deform_get_edge(const abut_deform *m, size_t edge, uint32_t ends[2])
{
    if (!m || !ends || edge >= m->edge_count)
        return ABUT_ERR_ARGUMENT;
    ends[0] = m->edges[2 * edge];
    ends[1] = m->edges[2 * edge + 1];
    return ABUT_OK;
}
