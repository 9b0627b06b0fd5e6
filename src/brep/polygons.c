/* SPDX-License-Identifier: MIT */
/* From polygons to topology: which sides are the same edge, and which only lead to a hole.
 *
 * Every side of every loop is a half-edge. They are counted into one bucket for each smaller end and
 * sorted there by the other, which numbers the edges. A pair of half-edges of one face that run along
 * the same edge both ways is a bridge to a hole (or a spur): a pseudo-edge, which is taken out by
 * joining the loop's ends on both sides of it. What is wrong with the others the topology finds. */
#include "base/sort.h"
#include "brep/polyhedron.h"

#include <string.h>

typedef struct half_edge {
    uint32_t from, to;
    uint32_t face;
    uint32_t next; /* in its loop */
    uint32_t mate; /* of a bridge: the other half; else NONE */
    uint32_t use;
} half_edge;

typedef struct builder {
    const abut_polygons *in;
    abut_workspace *ws;
    half_edge *halves;
    uint32_t count;
    uint32_t *starts, *items; /* half-edges by their smaller end */
    uint32_t *edge_ends;
    size_t edge_count;
} builder;

static uint32_t smaller(const half_edge *h)
{
    return h->from < h->to ? h->from : h->to;
}

static uint32_t greater(const half_edge *h)
{
    return h->from < h->to ? h->to : h->from;
}

/* Sides of no length, after welding, are left out. */
static void list_sides(builder *b)
{
    const abut_polygons *in = b->in;
    const uint32_t *corners = in->corners;
    size_t loop = 0;
    for (size_t face = 0; face < in->face_count; ++face) {
        const size_t end = loop + (in->face_loop_count ? in->face_loop_count[face] : 1);
        for (; loop < end; corners += in->loop_sizes[loop++]) {
            const uint32_t size = in->loop_sizes[loop], first = b->count;
            for (uint32_t i = 0; i < size; ++i) {
                const uint32_t from = in->weld[corners[i]], to = in->weld[corners[i + 1 < size ? i + 1 : 0]];
                if (from == to)
                    continue;
                b->halves[b->count] =
                    (half_edge){ from, to, (uint32_t)face, b->count + 1, ABUT_BREP_NONE, 0 };
                ++b->count;
            }
            if (b->count > first)
                b->halves[b->count - 1].next = first;
        }
    }
}

static bool use_before(void *ctx, const void *a, const void *b)
{
    const builder *of = ctx;
    const uint32_t i = *(const uint32_t *)a, j = *(const uint32_t *)b;
    const uint32_t p = greater(&of->halves[i]), q = greater(&of->halves[j]);
    return p != q ? p < q : i < j;
}

/* A vertex has six sides on average, of which half lead to greater ones. */
static void sort_bucket(builder *b, uint32_t *items, size_t count)
{
    if (count > 32) {
        abut_base_sort(items, count, sizeof *items, use_before, b);
        return;
    }
    for (size_t i = 1; i < count; ++i) {
        const uint32_t item = items[i], key = greater(&b->halves[item]);
        size_t k = i;
        for (; k > 0 && greater(&b->halves[items[k - 1]]) > key; --k)
            items[k] = items[k - 1];
        items[k] = item;
    }
}

static void sort_sides(builder *b)
{
    const size_t count = b->in->vertex_count;
    for (uint32_t h = 0; h < b->count; ++h)
        ++b->starts[smaller(&b->halves[h]) + 1];
    for (size_t v = 0; v < count; ++v)
        b->starts[v + 1] += b->starts[v];
    for (uint32_t h = 0; h < b->count; ++h)
        b->items[b->starts[smaller(&b->halves[h])]++] = h;
    memmove(b->starts + 1, b->starts, count * sizeof *b->starts);
    b->starts[0] = 0;
    for (size_t v = 0; v < count; ++v)
        sort_bucket(b, b->items + b->starts[v], b->starts[v + 1] - b->starts[v]);
}

static void number_edges(builder *b)
{
    for (size_t v = 0; v < b->in->vertex_count; ++v)
        for (uint32_t i = b->starts[v], end = b->starts[v + 1]; i < end;) {
            half_edge *first = &b->halves[b->items[i]];
            const uint32_t to = greater(first);
            uint32_t last = i + 1;
            while (last < end && greater(&b->halves[b->items[last]]) == to)
                ++last;
            half_edge *second = &b->halves[b->items[last - 1]];
            if (last - i == 2 && first->face == second->face && first->from == second->to) {
                first->mate = b->items[i + 1];
                second->mate = b->items[i];
                i = last;
                continue;
            }
            b->edge_ends[2 * b->edge_count] = (uint32_t)v;
            b->edge_ends[2 * b->edge_count + 1] = to;
            for (; i < last; ++i)
                b->halves[b->items[i]].use =
                    abut_brep_use((uint32_t)b->edge_count, b->halves[b->items[i]].from != v);
            ++b->edge_count;
        }
}

/* Every loop of k halves has at most k loops in it. */
static void trace_loops(const builder *b, abut_brep_def *out, uint32_t *face_loops, uint32_t *sizes,
                        uint32_t *uses)
{
    const uint32_t done = ABUT_BREP_NONE;
    for (uint32_t h = 0; h < b->count; ++h) {
        if (b->halves[h].mate != ABUT_BREP_NONE || b->halves[h].next == done)
            continue;
        uint32_t size = 0;
        for (uint32_t at = h;;) {
            half_edge *half = &b->halves[at];
            uint32_t next = half->next;
            if (next == done)
                break;
            while (b->halves[next].mate != ABUT_BREP_NONE)
                next = b->halves[b->halves[next].mate].next;
            uses[out->use_count + size++] = half->use;
            half->next = done;
            at = next;
        }
        sizes[out->loop_count++] = size;
        out->use_count += size;
        ++face_loops[b->halves[h].face];
    }
}

bool abut_polygons_connect(const abut_polygons *polygons, abut_workspace *ws, abut_brep_def *out)
{
    const size_t corners = polygons->corner_count;
    builder b = { .in = polygons, .ws = ws };
    b.halves = abut_workspace_take(ws, corners, sizeof *b.halves);
    b.starts = abut_workspace_take(ws, polygons->vertex_count + 1, sizeof *b.starts);
    b.items = abut_workspace_take(ws, corners, sizeof *b.items);
    b.edge_ends = abut_workspace_take(ws, corners, 2 * sizeof *b.edge_ends);
    uint32_t *face_loops = abut_workspace_take(ws, polygons->face_count, sizeof *face_loops);
    uint32_t *sizes = abut_workspace_take(ws, corners, sizeof *sizes);
    uint32_t *uses = abut_workspace_take(ws, corners, sizeof *uses);
    if (!b.halves || !b.starts || !b.items || !b.edge_ends || !face_loops || !sizes || !uses)
        return false;
    memset(b.starts, 0, (polygons->vertex_count + 1) * sizeof *b.starts);
    memset(face_loops, 0, polygons->face_count * sizeof *face_loops);
    list_sides(&b);
    sort_sides(&b);
    number_edges(&b);
    *out = (abut_brep_def){ .vertex_count = polygons->vertex_count,
                            .edge_count = b.edge_count,
                            .face_count = polygons->face_count,
                            .edge_ends = b.edge_ends,
                            .face_loop_count = face_loops,
                            .loop_sizes = sizes,
                            .uses = uses };
    trace_loops(&b, out, face_loops, sizes, uses);
    return true;
}
