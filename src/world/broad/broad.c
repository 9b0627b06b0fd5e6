/* SPDX-License-Identifier: MIT */
/* Broad phases behind one interface. Each takes boxes and gives pairs; what it keeps from one call to
 * the next is its own. */
#include "world/broad/broad.h"

#include "base/options.h"
#include "world/broad/batch.h"
#include "world/broad/parallel.h"

struct abut_broad {
    abut_allocator alloc;
    abut_broad_opts opts;
    abut_pair_list pairs;
    abut_batch batch;
};

const char *abut_broad_method_name(abut_broad_method method)
{
    static const char *const names[ABUT_BROAD_COUNT] = { "auto", "batch" };
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
        known.method >= ABUT_BROAD_COUNT || known.threads < 0)
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
    abut_base_free(&alloc, broad, 1, sizeof *broad);
}

static abut_status find_pairs(abut_broad *broad, const abut_aabb *boxes, size_t count)
{
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
    broad->pairs.count = 0;
    broad->pairs.status = ABUT_OK;
    broad->pairs.limit = broad->opts.max_pairs ? broad->opts.max_pairs : ABUT_BROAD_MAX_PAIRS;
    broad->pairs.room =
        broad->pairs.capacity < broad->pairs.limit ? broad->pairs.capacity : broad->pairs.limit;
    abut_status status = find_pairs(broad, boxes, count);
    if (!status && broad->opts.sorted && !abut_pair_list_sort(&broad->pairs, count))
        status = ABUT_ERR_MEMORY;
    if (status) {
        /* what was in the way may be large */
        abut_pair_list_clear(&broad->pairs);
        return status;
    }
    *pairs = broad->pairs.items;
    *pair_count = broad->pairs.count;
    return ABUT_OK;
}
