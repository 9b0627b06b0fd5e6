/* SPDX-License-Identifier: MIT */
/* A hashed grid (Teschner et al., "Optimized spatial hashing", 2003): every box is entered in all cells
 * that it covers, cells are places of a hash table, and boxes of one cell are compared. Cells are as
 * large as twice the mean box, from the boxes of the last time they were chosen. A pair that shares
 * several cells counts in the one that holds the larger of their least corners. Boxes that cover more
 * than 64 cells are compared with all.
 *
 * What is kept are the table and the size of the cells. */
#include "world/broad/persist.h"

#include "world/broad/aabb.h"

#include <string.h>

enum { MOST_CELLS = 64 };

typedef struct grid_entry {
    int32_t cell[3];
    uint32_t box, next; /* next entry of the same place of the table, plus 1 */
} grid_entry;

struct abut_hash_grid {
    abut_allocator alloc;
    double size;
    size_t chosen; /* for so many boxes */
    uint32_t *table;
    size_t table_size; /* a power of two */
    ABUT_ARRAY(grid_entry) entries;
    ABUT_ARRAY(uint32_t) large;
};

abut_hash_grid *abut_hash_grid_create(const abut_allocator *alloc)
{
    abut_hash_grid *g = abut_base_alloc_zero(alloc, 1, sizeof *g);
    if (g)
        g->alloc = *alloc;
    return g;
}

void abut_hash_grid_destroy(abut_hash_grid *g)
{
    if (!g)
        return;
    const abut_allocator alloc = g->alloc;
    abut_base_shrink(&alloc, g->table, g->table_size, sizeof *g->table);
    ABUT_ARRAY_FREE(&alloc, &g->entries);
    ABUT_ARRAY_FREE(&alloc, &g->large);
    abut_base_free(&alloc, g, 1, sizeof *g);
}

static void choose_size(abut_hash_grid *g, const abut_aabb *boxes, size_t count)
{
    double sum = 0;
    size_t n = 0;
    for (size_t i = 0; i < count; ++i) {
        const double x = abut_max2(boxes[i].hi.x - boxes[i].lo.x,
                                   abut_max2(boxes[i].hi.y - boxes[i].lo.y, boxes[i].hi.z - boxes[i].lo.z));
        if (x >= 0 && x < 0x1p100) {
            sum += x;
            ++n;
        }
    }
    g->size = n && sum > 0 ? 2 * sum / (double)n : 1;
    g->chosen = count;
}

static bool make_table(abut_hash_grid *g, size_t count)
{
    size_t wanted = 64;
    while (wanted < 2 * count)
        wanted *= 2;
    if (wanted > g->table_size) {
        abut_base_shrink(&g->alloc, g->table, g->table_size, sizeof *g->table);
        g->table_size = 0;
        g->table = abut_base_alloc(&g->alloc, wanted, sizeof *g->table);
        if (!g->table)
            return false;
        g->table_size = wanted;
    }
    memset(g->table, 0, g->table_size * sizeof *g->table);
    g->entries.count = g->large.count = 0;
    return true;
}

/* Monotone in x, so that boxes that meet share a cell; false beyond what an int can number. */
static bool cell_of(const abut_hash_grid *g, double x, int32_t *out)
{
    const double c = floor(x / g->size);
    if (!(fabs(c) < 0x1p30))
        return false;
    *out = (int32_t)c;
    return true;
}

static bool cells_of(const abut_hash_grid *g, abut_vec3 p, int32_t out[3])
{
    return cell_of(g, p.x, &out[0]) && cell_of(g, p.y, &out[1]) && cell_of(g, p.z, &out[2]);
}

static size_t place_of(const abut_hash_grid *g, const int32_t cell[3])
{
    const uint32_t h =
        (uint32_t)cell[0] * 73856093u ^ (uint32_t)cell[1] * 19349663u ^ (uint32_t)cell[2] * 83492791u;
    return (h ^ h >> 15) & (g->table_size - 1);
}

typedef struct grid_run {
    abut_hash_grid *g;
    const abut_aabb *boxes;
    abut_pair_list *out;
} grid_run;

/* Does this cell hold the larger of the least corners of the two? */
static bool is_own_cell(const grid_run *run, const abut_aabb *a, const abut_aabb *b, const int32_t cell[3])
{
    const abut_vec3 corner = { abut_max2(a->lo.x, b->lo.x), abut_max2(a->lo.y, b->lo.y),
                               abut_max2(a->lo.z, b->lo.z) };
    int32_t own[3];
    return cells_of(run->g, corner, own) && own[0] == cell[0] && own[1] == cell[1] && own[2] == cell[2];
}

static bool enter_cell(const grid_run *run, uint32_t box, const int32_t cell[3])
{
    abut_hash_grid *g = run->g;
    uint32_t *place = &g->table[place_of(g, cell)];
    const abut_aabb *own = &run->boxes[box];
    for (uint32_t i = *place; i; i = g->entries.items[i - 1].next) {
        const grid_entry *e = &g->entries.items[i - 1];
        const abut_aabb *other = &run->boxes[e->box];
        if (e->cell[0] == cell[0] && e->cell[1] == cell[1] && e->cell[2] == cell[2] &&
            abut_aabb_meet(own, other) && is_own_cell(run, own, other, cell) &&
            !abut_pair_list_add(run->out, box, e->box))
            return false;
    }
    const grid_entry added = { { cell[0], cell[1], cell[2] }, box, *place };
    if (!ABUT_ARRAY_PUSH(&g->alloc, &g->entries, added)) {
        run->out->status = ABUT_ERR_MEMORY;
        return false;
    }
    *place = (uint32_t)g->entries.count;
    return true;
}

static bool enter_box(const grid_run *run, uint32_t box)
{
    const abut_aabb *b = &run->boxes[box];
    int32_t lo[3], hi[3], cell[3];
    const bool small =
        cells_of(run->g, b->lo, lo) && cells_of(run->g, b->hi, hi) &&
        ((double)hi[0] - lo[0] + 1) * ((double)hi[1] - lo[1] + 1) * ((double)hi[2] - lo[2] + 1) <= MOST_CELLS;
    if (!small) {
        if (ABUT_ARRAY_PUSH(&run->g->alloc, &run->g->large, box))
            return true;
        run->out->status = ABUT_ERR_MEMORY;
        return false;
    }
    for (cell[2] = lo[2]; cell[2] <= hi[2]; ++cell[2])
        for (cell[1] = lo[1]; cell[1] <= hi[1]; ++cell[1])
            for (cell[0] = lo[0]; cell[0] <= hi[0]; ++cell[0])
                if (!enter_cell(run, box, cell))
                    return false;
    return true;
}

/* Large ones with all others, and with those of them that come later. */
static bool join_large(const grid_run *run, size_t count)
{
    const abut_hash_grid *g = run->g;
    for (size_t i = 0; i < g->large.count; ++i) {
        const uint32_t own = g->large.items[i];
        size_t next = 0;
        for (uint32_t k = 0; k < count; ++k) {
            const bool is_large = next < g->large.count && g->large.items[next] == k;
            next += is_large;
            if (k == own || (is_large && k < own) || abut_aabb_is_empty(&run->boxes[k]))
                continue;
            if (abut_aabb_meet(&run->boxes[own], &run->boxes[k]) && !abut_pair_list_add(run->out, own, k))
                return false;
        }
    }
    return true;
}

abut_status abut_hash_grid_update(abut_hash_grid *g, const abut_aabb *boxes, size_t count,
                                  abut_pair_list *out)
{
    if (count >= UINT32_MAX / 2)
        return ABUT_ERR_LIMIT;
    if (g->size == 0 || count > 2 * g->chosen || 2 * count < g->chosen || 8 * g->large.count > g->chosen + 8)
        choose_size(g, boxes, count);
    if (!make_table(g, count))
        return ABUT_ERR_MEMORY;
    const grid_run run = { g, boxes, out };
    for (uint32_t i = 0; i < count; ++i)
        if (!abut_aabb_is_empty(&boxes[i]) && !enter_box(&run, i))
            return out->status;
    return join_large(&run, count) ? ABUT_OK : out->status;
}
