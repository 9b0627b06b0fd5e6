/* SPDX-License-Identifier: MIT */
/* Height fields: where their vertices are, and the least and greatest height over blocks of cells,
 * so that queries skip what they cannot meet.
 *
 * Vertex (i, j) is at x = (2 i - columns + 1) dx / 2, y = (2 j - rows + 1) dy / 2, exactly:
 * products that are not doubles in general. Cell (i, j) has the corners (i, j) to (i + 1, j + 1)
 * and is cut from the first to the last: triangle 0 is on the side of (i + 1, j), triangle 1 on
 * that of (i, j + 1). A block of level k is 2^k by 2^k cells; level 0 is a cell, at the last
 * level there is one block. */
#ifndef ABUT_SHAPE_HEIGHTFIELD_H
#define ABUT_SHAPE_HEIGHTFIELD_H

#include "shape/shape.h"

typedef struct abut_range {
    double lo, hi;
} abut_range;

enum { ABUT_HEIGHTFIELD_LEVELS = 33 };

/* Spacings are no less, widths and heights no more: squares of lengths neither under- nor
 * overflow. */
#define ABUT_FIELD_LEAST 0x1p-505
#define ABUT_FIELD_MOST  0x1p505

typedef struct abut_heightfield_pyramid {
    int levels;                            /* above level 0 */
    size_t begin[ABUT_HEIGHTFIELD_LEVELS]; /* of level k in ranges, k from 1 */
    size_t count;
    abut_range whole;
    abut_range ranges[];
} abut_heightfield_pyramid;

/* For a field whose heights are set; false when memory is out. */
bool abut_heightfield_build(abut_heightfield_data *field, const abut_allocator *alloc);
void abut_heightfield_destroy(abut_heightfield_data *field, const abut_allocator *alloc);

/* Blocks of a level along an axis of that many cells. */
static inline size_t abut_heightfield_blocks(size_t cells, int level)
{
    return ((cells - 1) >> level) + 1;
}

static inline double abut_heightfield_height(const abut_heightfield_data *field, size_t i, size_t j)
{
    return field->heights[j * field->columns + i];
}

/* Heights over the cells from[0] .. to[0], from[1] .. to[1], by as few blocks as that takes. */
abut_range abut_heightfield_range_over(const abut_heightfield_data *field, const size_t from[2],
                                       const size_t to[2]);
/* Heights over a block. */
abut_range abut_heightfield_range(const abut_heightfield_data *field, int level, size_t i, size_t j);

#endif
