/* SPDX-License-Identifier: MIT */
/* The tree over the features of a solid: median split of the longest axis, one part a leaf. */
#include "solid/feature.h"

#include <stdlib.h>
#include <string.h>

typedef struct leaf {
    abut_aabb box;
    double key;
    uint32_t part;
} leaf;

static abut_aabb part_box(const abut_part *part, double slack)
{
    abut_cell cell;
    abut_cell_root(part, 0, slack, &cell);
    double reach[3] = { 0, 0, 0 };
    for (int i = 0; i < 3; ++i) {
        reach[0] += cell.half[i] * fabs(cell.axis[i].x);
        reach[1] += cell.half[i] * fabs(cell.axis[i].y);
        reach[2] += cell.half[i] * fabs(cell.axis[i].z);
    }
    const abut_vec3 r = { reach[0], reach[1], reach[2] };
    return (abut_aabb){ abut_sub(cell.center, r), abut_add(cell.center, r) };
}

static abut_aabb join(abut_aabb a, abut_aabb b)
{
    return (abut_aabb){ { fmin(a.lo.x, b.lo.x), fmin(a.lo.y, b.lo.y), fmin(a.lo.z, b.lo.z) },
                        { fmax(a.hi.x, b.hi.x), fmax(a.hi.y, b.hi.y), fmax(a.hi.z, b.hi.z) } };
}

static int by_key(const void *a, const void *b)
{
    const leaf *p = a, *q = b;
    if (p->key != q->key)
        return p->key < q->key ? -1 : 1;
    return p->part < q->part ? -1 : p->part > q->part;
}

/* Builds nodes below leaves[0 .. count - 1] and returns the reference to them. The depth is the
 * logarithm of the count, since halves are equal. */
static int32_t build(abut_features *f, leaf *leaves, size_t count,
                     abut_aabb *box) // NOLINT(misc-no-recursion)
{
    if (count == 1) {
        *box = leaves[0].box;
        return ~(int32_t)leaves[0].part;
    }
    abut_aabb all = leaves[0].box;
    for (size_t i = 1; i < count; ++i)
        all = join(all, leaves[i].box);
    const abut_vec3 size = abut_sub(all.hi, all.lo);
    const int axis = size.x >= size.y && size.x >= size.z ? 0 : size.y >= size.z ? 1 : 2;
    for (size_t i = 0; i < count; ++i) {
        const abut_vec3 middle = abut_add(leaves[i].box.lo, leaves[i].box.hi);
        leaves[i].key = axis == 0 ? middle.x : axis == 1 ? middle.y : middle.z;
    }
    qsort(leaves, count, sizeof *leaves, by_key);
    const size_t half = count / 2;
    abut_feature_node node;
    abut_aabb lower, upper;
    node.child[0] = build(f, leaves, half, &lower);
    node.child[1] = build(f, leaves + half, count - half, &upper);
    node.box = *box = join(lower, upper);
    f->nodes[f->node_count] = node;
    return (int32_t)f->node_count++;
}

bool abut_features_build(abut_features *f, abut_workspace *keep)
{
    f->nodes = abut_workspace_take(keep, f->count, sizeof *f->nodes);
    leaf *leaves = abut_workspace_take(keep, f->count, sizeof *leaves);
    if (!f->nodes || !leaves)
        return false;
    for (size_t i = 0; i < f->count; ++i)
        leaves[i] = (leaf){ part_box(&f->parts[i], ABUT_CELL_SLACK * f->scale), 0, (uint32_t)i };
    abut_aabb box;
    f->node_count = 0;
    if (f->count > 0)
        (void)build(f, leaves, f->count, &box);
    return true;
}
