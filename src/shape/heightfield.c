/* SPDX-License-Identifier: MIT */
/* The pyramid of least and greatest heights; see heightfield.h. */
#include "shape/heightfield.h"

#include <math.h>

static size_t bytes_of(size_t count)
{
    return sizeof(abut_heightfield_pyramid) + count * sizeof(abut_range);
}

static abut_range join(abut_range a, abut_range b)
{
    return (abut_range){ a.lo < b.lo ? a.lo : b.lo, a.hi > b.hi ? a.hi : b.hi };
}

abut_range abut_heightfield_range(const abut_heightfield_data *field, int level, size_t i, size_t j)
{
    if (level > 0 && level < ABUT_HEIGHTFIELD_LEVELS) {
        const size_t begin = field->pyramid->begin[level];
        return field->pyramid->ranges[begin + j * abut_heightfield_blocks(field->columns - 1, level) + i];
    }
    const double *h = field->heights + j * field->columns + i;
    const double a = h[0], b = h[1], c = h[field->columns], d = h[field->columns + 1];
    const abut_range ab = { a < b ? a : b, a < b ? b : a }, cd = { c < d ? c : d, c < d ? d : c };
    return join(ab, cd);
}

abut_range abut_heightfield_range_over(const abut_heightfield_data *field, const size_t from[2],
                                       const size_t to[2])
{
    struct {
        int level;
        size_t i, j;
    } stack[4 * ABUT_HEIGHTFIELD_LEVELS + 1];
    int depth = 0;
    abut_range range = { INFINITY, -INFINITY };
    stack[depth].level = field->pyramid->levels;
    stack[depth].i = stack[depth].j = 0;
    ++depth;
    while (depth > 0) {
        --depth;
        const int level = stack[depth].level;
        const size_t i = stack[depth].i, j = stack[depth].j;
        const size_t i0 = i << level, i1 = ((i + 1) << level) - 1, j0 = j << level,
                     j1 = ((j + 1) << level) - 1;
        if (i0 > to[0] || i1 < from[0] || j0 > to[1] || j1 < from[1])
            continue;
        if (level == 0 || (i0 >= from[0] && i1 <= to[0] && j0 >= from[1] && j1 <= to[1])) {
            range = join(range, abut_heightfield_range(field, level, i, j));
            continue;
        }
        for (size_t k = 0; k < 4; ++k) {
            const size_t x = 2 * i + (k & 1), y = 2 * j + (k >> 1);
            if (x >= abut_heightfield_blocks(field->columns - 1, level - 1) ||
                y >= abut_heightfield_blocks(field->rows - 1, level - 1))
                continue;
            stack[depth].level = level - 1;
            stack[depth].i = x;
            stack[depth].j = y;
            ++depth;
        }
    }
    return range;
}

bool abut_heightfield_build(abut_heightfield_data *field, const abut_allocator *alloc)
{
    const size_t across = field->columns - 1, along = field->rows - 1;
    size_t count = 0, begin[ABUT_HEIGHTFIELD_LEVELS] = { 0 };
    int levels = 0;
    while (levels + 1 < ABUT_HEIGHTFIELD_LEVELS && /* more cells than that fit in no memory */
           (abut_heightfield_blocks(across, levels) > 1 || abut_heightfield_blocks(along, levels) > 1)) {
        ++levels;
        begin[levels] = count;
        count += abut_heightfield_blocks(across, levels) * abut_heightfield_blocks(along, levels);
    }
    abut_heightfield_pyramid *pyramid = abut_base_alloc(alloc, 1, bytes_of(count));
    if (!pyramid)
        return false;
    pyramid->levels = levels;
    pyramid->count = count;
    for (int k = 0; k < ABUT_HEIGHTFIELD_LEVELS; ++k)
        pyramid->begin[k] = begin[k];
    field->pyramid = pyramid;
    for (int k = 1; k <= levels; ++k) {
        const size_t nx = abut_heightfield_blocks(across, k), ny = abut_heightfield_blocks(along, k);
        const size_t bx = abut_heightfield_blocks(across, k - 1), by = abut_heightfield_blocks(along, k - 1);
        for (size_t j = 0; j < ny; ++j)
            for (size_t i = 0; i < nx; ++i) {
                abut_range r = abut_heightfield_range(field, k - 1, 2 * i, 2 * j);
                if (2 * i + 1 < bx)
                    r = join(r, abut_heightfield_range(field, k - 1, 2 * i + 1, 2 * j));
                if (2 * j + 1 < by)
                    r = join(r, abut_heightfield_range(field, k - 1, 2 * i, 2 * j + 1));
                if (2 * i + 1 < bx && 2 * j + 1 < by)
                    r = join(r, abut_heightfield_range(field, k - 1, 2 * i + 1, 2 * j + 1));
                pyramid->ranges[begin[k] + j * nx + i] = r;
            }
    }
    pyramid->whole = abut_heightfield_range(field, levels, 0, 0);
    return true;
}

void abut_heightfield_destroy(abut_heightfield_data *field, const abut_allocator *alloc)
{
    if (field->pyramid)
        abut_base_free(alloc, field->pyramid, 1, bytes_of(field->pyramid->count));
    abut_base_free(alloc, field->heights, field->columns * field->rows, sizeof(double));
}
