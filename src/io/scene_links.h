/* SPDX-License-Identifier: MIT */
/* Which objects of a scene are pairs by default: all but a parent with its child, those of one group,
 * and those that the scene excludes. Pairs are counted and found without a list of them: scenes may
 * have 10^5 objects. */
#ifndef ABUT_IO_SCENE_LINKS_H
#define ABUT_IO_SCENE_LINKS_H

#include "base/memory.h"

#define ABUT_IO_NONE SIZE_MAX

typedef struct abut_io_links {
    abut_allocator alloc;
    size_t count; /* of objects; 0: nothing is left out */
    size_t *group;
    size_t group_count;
    size_t *member_begin, *members; /* objects of each group, ascending */
    /* parent, children and excluded partners of each object that are in no group with it */
    size_t *other_begin, *others;
    size_t other_count;
    size_t *row_begin; /* pairs (i, j) with i < j, those of each i together */
} abut_io_links;

/* parent: ABUT_IO_NONE where there is none; group: NULL where there is none; excluded: two objects a
 * pair, none twice. False when memory is out; abut_io_links_clear is to be called all the same. */
bool abut_io_links_make(const abut_allocator *alloc, size_t count, const size_t *parent,
                        const char *const *group, const size_t *excluded, size_t excluded_count,
                        abut_io_links *out);
void abut_io_links_clear(abut_io_links *links);
size_t abut_io_links_pair_count(const abut_io_links *links);
/* In the order (0,1) (0,2) ... (1,2) ...; index is less than the count. */
void abut_io_links_get_pair(const abut_io_links *links, size_t index, size_t *a, size_t *b);

#endif
