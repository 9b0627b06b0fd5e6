/* SPDX-License-Identifier: MIT */
/* Broad phases behind one interface. Each takes boxes and gives pairs; what it keeps from one call to
 * the next is its own. */
#include "world/broad/broad.h"

#include "base/options.h"
#include "base/parallel.h"
#include "world/broad/batch.h"
#include "world/broad/persist.h"

#include <string.h>

struct abut_broad {
    abut_allocator alloc;
    abut_broad_opts opts;
    abut_pair_list pairs;
    abut_batch batch;
    /* made when they are needed */
    abut_sweep *sweep;
    abut_fat_tree *tree;
    abut_hash_grid *grid;
    /* for the choice: the last boxes, where few of them move */
    abut_aabb *last;
    size_t last_count, last_capacity;
    bool has_pairs; /* of those, and sorted where that is wanted */
    int wait;       /* calls for which last boxes are not examined, since all were moving */
};

const char *abut_broad_method_name(abut_broad_method method)
{
    static const char *const names[ABUT_BROAD_COUNT] = { "auto", "batch", "sweep", "tree", "grid", "plane" };
    return method >= 0 && method < ABUT_BROAD_COUNT ? names[method] : "unknown";
}

void abut_broad_opts_init(abut_broad_opts *opts)
{
    if (opts)
        *opts = (abut_broad_opts){ .struct_size = sizeof *opts, .threads = 1 };
}

abut_status abut_broad_create(const abut_broad_opts *opts, const abut_allocator *alloc, abut_broad **out)
{
    abut_broad_opts known;
    if (!out)
        return ABUT_ERR_ARGUMENT;
    *out = NULL;
    abut_broad_opts_init(&known);
    if (!abut_options_read(&known, sizeof known, opts) || known.method < 0 ||
        known.method >= ABUT_BROAD_COUNT || known.threads < 0 || !(known.margin >= 0))
        return ABUT_ERR_ARGUMENT;
    const abut_allocator own = abut_base_allocator(alloc);
    abut_broad *broad = abut_base_alloc_zero(&own, 1, sizeof *broad);
    if (!broad)
        return ABUT_ERR_MEMORY;
    broad->alloc = broad->pairs.alloc = broad->batch.alloc = own;
    broad->opts = known;
    *out = broad;
    return ABUT_OK;
}

void abut_broad_destroy(abut_broad *broad)
{
    if (!broad)
        return;
    const abut_allocator alloc = broad->alloc;
    abut_pair_list_clear(&broad->pairs);
    abut_batch_clear(&broad->batch);
    abut_sweep_destroy(broad->sweep);
    abut_fat_tree_destroy(broad->tree);
    abut_hash_grid_destroy(broad->grid);
    abut_base_shrink(&alloc, broad->last, broad->last_capacity, sizeof *broad->last);
    abut_base_free(&alloc, broad, 1, sizeof *broad);
}

/* Which boxes are not where they were: how many, but no more than are of interest. */
static size_t count_moved(const abut_broad *broad, const abut_aabb *boxes, size_t count, size_t most)
{
    size_t moved = 0;
    for (size_t i = 0; i < count && moved <= most; ++i) {
        const abut_aabb *a = &broad->last[i], *b = &boxes[i];
        moved += !(a->lo.x == b->lo.x && a->lo.y == b->lo.y && a->lo.z == b->lo.z && a->hi.x == b->hi.x &&
                   a->hi.y == b->hi.y && a->hi.z == b->hi.z);
    }
    return moved;
}

/* Boxes that all are where they were have the same pairs. The tree pays where nearly all are, and not
 * so many that it leaves the cache; the batch method does not care. Measured: docs/benchmarks.md. */
static abut_broad_method choose(abut_broad *broad, const abut_aabb *boxes, size_t count)
{
    enum { SMALL = 500, LARGE = 32768, SHARE = 128, WAIT = 7 };
    if (broad->wait > 0) {
        --broad->wait;
        broad->last_count = 0;
        return ABUT_BROAD_BATCH;
    }
    const bool known = broad->last_count == count && count > 0;
    const size_t moved = known ? count_moved(broad, boxes, count, count / SHARE) : count;
    if (known && moved == 0 && broad->has_pairs)
        return ABUT_BROAD_COUNT;
    broad->last_count = 0;
    if (known && moved > count / SHARE) { /* keeping boxes costs a tenth of finding their pairs */
        broad->wait = WAIT;
        return ABUT_BROAD_BATCH;
    }
    if (count > broad->last_capacity &&
        !abut_base_grow(&broad->alloc, (void **)&broad->last, &broad->last_capacity, broad->last_capacity,
                        count - broad->last_capacity, sizeof *broad->last))
        return ABUT_BROAD_BATCH;
    if (count)
        memcpy(broad->last, boxes, count * sizeof *boxes);
    broad->last_count = count;
    return count >= SMALL && count <= LARGE && moved <= count / SHARE ? ABUT_BROAD_TREE : ABUT_BROAD_BATCH;
}

static abut_status find_pairs(abut_broad *broad, abut_broad_method method, const abut_aabb *boxes,
                              size_t count)
{
    if (count >= UINT32_MAX)
        return ABUT_ERR_LIMIT;
    if (method == ABUT_BROAD_SWEEP) {
        if (!broad->sweep)
            broad->sweep = abut_sweep_create(&broad->alloc);
        return broad->sweep ? abut_sweep_update(broad->sweep, boxes, count, &broad->batch, &broad->pairs)
                            : ABUT_ERR_MEMORY;
    }
    if (method == ABUT_BROAD_TREE) {
        if (!broad->tree)
            broad->tree = abut_fat_tree_create(&broad->alloc);
        return broad->tree
                   ? abut_fat_tree_update(broad->tree, boxes, count, broad->opts.margin, &broad->pairs)
                   : ABUT_ERR_MEMORY;
    }
    if (method == ABUT_BROAD_GRID) {
        if (!broad->grid)
            broad->grid = abut_hash_grid_create(&broad->alloc);
        return broad->grid ? abut_hash_grid_update(broad->grid, boxes, count, &broad->pairs)
                           : ABUT_ERR_MEMORY;
    }
    if (method == ABUT_BROAD_PLANE)
        return abut_plane_pairs(boxes, count, &broad->pairs);
    return abut_batch_pairs(&broad->batch, boxes, count, abut_parallel_threads(broad->opts.threads),
                            &broad->pairs);
}

abut_status abut_broad_update(abut_broad *broad, const abut_aabb *boxes, size_t count,
                              const abut_box_pair **pairs, size_t *pair_count)
{
    if (!broad || (count > 0 && !boxes) || !pairs || !pair_count)
        return ABUT_ERR_ARGUMENT;
    *pairs = NULL;
    *pair_count = 0;
    const abut_broad_method method = broad->opts.method == ABUT_BROAD_AUTO && count < UINT32_MAX
                                         ? choose(broad, boxes, count)
                                         : broad->opts.method;
    if (method == ABUT_BROAD_COUNT) {
        *pairs = broad->pairs.items;
        *pair_count = broad->pairs.count;
        return ABUT_OK;
    }
    broad->has_pairs = false;
    broad->pairs.count = 0;
    broad->pairs.status = ABUT_OK;
    broad->pairs.limit = broad->opts.max_pairs ? broad->opts.max_pairs : ABUT_BROAD_MAX_PAIRS;
    broad->pairs.room =
        broad->pairs.capacity < broad->pairs.limit ? broad->pairs.capacity : broad->pairs.limit;
    abut_status status = find_pairs(broad, method, boxes, count);
    if (!status && broad->opts.sorted && !abut_pair_list_sort(&broad->pairs, count))
        status = ABUT_ERR_MEMORY;
    if (status) {
        /* what was in the way may be large */
        abut_pair_list_clear(&broad->pairs);
        return status;
    }
    broad->has_pairs = true;
    *pairs = broad->pairs.items;
    *pair_count = broad->pairs.count;
    return ABUT_OK;
}
