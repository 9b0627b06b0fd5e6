/* SPDX-License-Identifier: MIT */
/* The workspace: a stack of memory that queries take from and give back all at once.
 *
 * A query begins with abut_workspace_begin and ends with abut_workspace_end, even when it fails;
 * in between it takes what it needs and never frees. Memory grows by chained blocks; when the
 * outermost query ends, a chain is replaced by one block as large as all of them, so that the
 * next query of that size allocates nothing. Queries may nest. */
#ifndef ABUT_BASE_WORKSPACE_H
#define ABUT_BASE_WORKSPACE_H

#include "abut/base.h"

typedef struct abut_workspace_block abut_workspace_block;

struct abut_workspace {
    abut_allocator alloc;
    abut_workspace_block *top; /* newest block; older ones hang below */
    size_t used;               /* bytes taken from the newest block */
    int depth;                 /* of nested queries */
};

typedef struct abut_workspace_mark {
    abut_workspace_block *block;
    size_t used;
} abut_workspace_mark;

/* A workspace on the caller's stack, for a query that was given none. */
void abut_workspace_open(abut_workspace *ws, const abut_allocator *alloc);
void abut_workspace_close(abut_workspace *ws);

abut_workspace_mark abut_workspace_begin(abut_workspace *ws);
void abut_workspace_end(abut_workspace *ws, abut_workspace_mark mark);

/* count * size bytes aligned to 32, not cleared; NULL when memory is out. Valid until the
 * matching end. */
void *abut_workspace_take(abut_workspace *ws, size_t count, size_t size);

/* Room for one more item in a list of `count` items that was grown here before (NULL, with a capacity
 * of 0, at first): the list, or a copy of twice the size. NULL (nothing changed) when memory is out. */
void *abut_workspace_grow(abut_workspace *ws, void *items, size_t count, size_t *capacity, size_t size);

#endif
