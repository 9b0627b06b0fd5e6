/* SPDX-License-Identifier: MIT */
#include "base/workspace.h"

#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

enum { ALIGNMENT = 32, FIRST_BLOCK = 16 * 1024, FIRST_LIST = 64 };

struct abut_workspace_block {
    abut_workspace_block *below;
    size_t size;         /* of the payload */
    unsigned char *data; /* aligned start of the payload */
};

static size_t block_bytes(size_t payload)
{
    return sizeof(abut_workspace_block) + payload + ALIGNMENT;
}

static abut_workspace_block *block_create(const abut_allocator *alloc, size_t payload)
{
    abut_workspace_block *block = abut_base_alloc(alloc, block_bytes(payload), 1);
    if (!block)
        return NULL;
    block->below = NULL;
    block->size = payload;
    const uintptr_t after = (uintptr_t)(block + 1);
    block->data = (unsigned char *)(block + 1) + (ALIGNMENT - after % ALIGNMENT) % ALIGNMENT;
    return block;
}

static void block_destroy(const abut_allocator *alloc, abut_workspace_block *block)
{
    abut_base_free(alloc, block, block_bytes(block->size), 1);
}

void abut_workspace_open(abut_workspace *ws, const abut_allocator *alloc)
{
    *ws = (abut_workspace){ .alloc = abut_base_allocator(alloc) };
}

void abut_workspace_close(abut_workspace *ws)
{
    while (ws->top) {
        abut_workspace_block *below = ws->top->below;
        block_destroy(&ws->alloc, ws->top);
        ws->top = below;
    }
}

abut_status abut_workspace_create(const abut_allocator *alloc, abut_workspace **out)
{
    if (!out)
        return ABUT_ERR_ARGUMENT;
    const abut_allocator a = abut_base_allocator(alloc);
    *out = abut_base_alloc(&a, 1, sizeof **out);
    if (!*out)
        return ABUT_ERR_MEMORY;
    abut_workspace_open(*out, &a);
    return ABUT_OK;
}

void abut_workspace_destroy(abut_workspace *ws)
{
    if (!ws)
        return;
    const abut_allocator a = ws->alloc;
    abut_workspace_close(ws);
    abut_base_free(&a, ws, 1, sizeof *ws);
}

abut_workspace_mark abut_workspace_begin(abut_workspace *ws)
{
    ++ws->depth;
    return (abut_workspace_mark){ ws->top, ws->used };
}

void abut_workspace_end(abut_workspace *ws, abut_workspace_mark mark)
{
    size_t total = 0;
    for (const abut_workspace_block *b = ws->top; b; b = b->below)
        total += b->size;
    const bool chained = ws->top && ws->top->below;
    --ws->depth;
    if (ws->depth == 0 && chained) {
        abut_workspace_close(ws);
        ws->top = block_create(&ws->alloc, total); /* NULL is fine: the next take tries again */
        ws->used = 0;
        return;
    }
    while (ws->top != mark.block && ws->top && ws->top->below) {
        abut_workspace_block *below = ws->top->below;
        block_destroy(&ws->alloc, ws->top);
        ws->top = below;
    }
    ws->used = ws->top == mark.block ? mark.used : 0;
}

void *abut_workspace_take(abut_workspace *ws, size_t count, size_t size)
{
    if (size && count > SIZE_MAX / 4 / size)
        return NULL;
    const size_t bytes = (count * size + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    if (!ws->top || bytes > ws->top->size - ws->used) {
        const size_t doubled = ws->top ? 2 * ws->top->size : FIRST_BLOCK;
        abut_workspace_block *block = block_create(&ws->alloc, bytes > doubled ? bytes : doubled);
        if (!block)
            return NULL;
        block->below = ws->top;
        ws->top = block;
        ws->used = 0;
    }
    void *memory = ws->top->data + ws->used;
    ws->used += bytes;
    return memory;
}

void *abut_workspace_grow(abut_workspace *ws, void *items, size_t count, size_t *capacity, size_t size)
{
    if (count < *capacity)
        return items;
    const size_t wanted = *capacity ? 2 * *capacity : FIRST_LIST;
    void *grown = abut_workspace_take(ws, wanted, size);
    if (!grown)
        return NULL;
    if (count)
        memcpy(grown, items, count * size);
    *capacity = wanted;
    return grown;
}
