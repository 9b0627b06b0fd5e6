/* SPDX-License-Identifier: MIT */
/* Edges of a mesh by sorting the sides of its triangles, and owners: each vertex and each edge has
 * one triangle that represents it. A walk hands over pairs of triangles; a pair of features is
 * tested when their owners come by (or the owner of the vertex and the face itself), so that each
 * is tested once (S. Curtis, R. Tamstorf, D. Manocha, Fast collision detection for deformable models
 * using representative-triangles, I3D 2008). */
#include "ccd/deform/deform.h"

#include "base/error.h"
#include "base/memory.h"

#include <string.h>

/* By bytes, least first. */
static void sort_keys(uint64_t *keys, uint64_t *spare, size_t count)
{
    uint64_t differs = 0;
    for (size_t i = 1; i < count; ++i)
        differs |= keys[i] ^ keys[0];
    uint64_t *from = keys, *to = spare;
    for (int shift = 0; shift < 64; shift += 8) {
        size_t starts[257] = { 0 };
        if ((differs >> shift & 0xff) == 0)
            continue;
        for (size_t i = 0; i < count; ++i)
            ++starts[(from[i] >> shift & 0xff) + 1];
        for (int i = 1; i < 256; ++i)
            starts[i] += starts[i - 1];
        for (size_t i = 0; i < count; ++i)
            to[starts[from[i] >> shift & 0xff]++] = from[i];
        uint64_t *swap = from;
        from = to;
        to = swap;
    }
    if (from != keys)
        memcpy(keys, from, count * sizeof *keys);
}

static uint64_t key_of(uint32_t p, uint32_t q)
{
    return p < q ? (uint64_t)p << 32 | q : (uint64_t)q << 32 | p;
}

static size_t find_key(const uint64_t *keys, size_t count, uint64_t key)
{
    size_t lo = 0, hi = count;
    while (lo < hi) {
        const size_t mid = lo + (hi - lo) / 2;
        if (keys[mid] < key)
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo;
}

static void set_owners(abut_deform *m)
{
    memset(m->vertex_owner, 0xff, m->vertex_count * sizeof *m->vertex_owner);
    memset(m->edge_owner, 0xff, (m->edge_count ? m->edge_count : 1) * sizeof *m->edge_owner);
    memset(m->owned, 0, m->triangle_count);
    for (size_t i = 0; i < 3 * m->triangle_count; ++i) {
        const uint32_t t = (uint32_t)(i / 3), v = m->triangles[i], e = m->sides[i] >> 1;
        if (m->vertex_owner[v] == ABUT_DEFORM_NONE) {
            m->vertex_owner[v] = t;
            m->owned[t] |= (uint8_t)(1u << (i % 3));
        }
        if (e != ABUT_DEFORM_NO_EDGE && m->edge_owner[e] == ABUT_DEFORM_NONE) {
            m->edge_owner[e] = t;
            m->owned[t] |= (uint8_t)(8u << (i % 3));
        }
    }
}

abut_status abut_deform_find_edges(abut_deform *m, abut_error *error)
{
    const size_t sides = 3 * m->triangle_count;
    uint64_t *keys = abut_base_alloc(&m->alloc, sides, sizeof *keys);
    uint64_t *spare = abut_base_alloc(&m->alloc, sides, sizeof *spare);
    abut_status status = keys && spare ? ABUT_OK : abut_base_fail_memory(error);
    if (!status) {
        size_t count = 0, unique = 0;
        for (size_t i = 0; i < sides; ++i) {
            const uint32_t p = m->triangles[i], q = m->triangles[i % 3 == 2 ? i - 2 : i + 1];
            if (p != q)
                keys[count++] = key_of(p, q);
        }
        sort_keys(keys, spare, count);
        for (size_t i = 0; i < count; ++i)
            if (i == 0 || keys[i] != keys[unique - 1])
                keys[unique++] = keys[i];
        m->edges = abut_base_alloc(&m->alloc, 2 * unique, sizeof *m->edges);
        m->edge_owner = abut_base_alloc(&m->alloc, unique, sizeof *m->edge_owner);
        m->edge_count = unique;
        if (!m->edges || !m->edge_owner) {
            status = abut_base_fail_memory(error);
        } else {
            for (size_t i = 0; i < unique; ++i) {
                m->edges[2 * i] = (uint32_t)(keys[i] >> 32);
                m->edges[2 * i + 1] = (uint32_t)keys[i];
            }
            for (size_t i = 0; i < sides; ++i) {
                const uint32_t p = m->triangles[i], q = m->triangles[i % 3 == 2 ? i - 2 : i + 1];
                m->sides[i] = p == q ? 2u * ABUT_DEFORM_NO_EDGE
                                     : 2 * (uint32_t)find_key(keys, unique, key_of(p, q)) + (p > q);
            }
            set_owners(m);
        }
    }
    if (keys)
        abut_base_free(&m->alloc, keys, sides, sizeof *keys);
    if (spare)
        abut_base_free(&m->alloc, spare, sides, sizeof *spare);
    return status;
}
