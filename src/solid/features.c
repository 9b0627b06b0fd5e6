/* SPDX-License-Identifier: MIT */
/* The tree over the features of a solid, one part a leaf: at each node the cut across one of the axes that
 * makes the sum of the areas of the boxes, times the numbers of parts in them, least (Goldsmith and
 * Salmon 1987). */
#include "math/vec3.h"
#include "solid/feature.h"

#include <stdlib.h>

enum { MANY = 512 };

typedef struct leaf {
    abut_aabb box;
    double key, upper; /* place along the axis; area of the boxes from this one on */
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

static double area(const abut_aabb *b)
{
    const abut_vec3 d = abut_sub(b->hi, b->lo);
    return d.x * d.y + d.y * d.z + d.z * d.x;
}

static void sort_along(leaf *leaves, size_t count, int axis)
{
    for (size_t i = 0; i < count; ++i) {
        const abut_vec3 middle = abut_add(leaves[i].box.lo, leaves[i].box.hi);
        leaves[i].key = axis == 0 ? middle.x : axis == 1 ? middle.y : middle.z;
    }
    qsort(leaves, count, sizeof *leaves, by_key);
}

/* Leaves whose middles are below the mean along the longest side come first. Of many leaves, where sorting
 * along each axis at each level would take longer than a search saves by it. */
static size_t cut_at_mean(leaf *leaves, size_t count)
{
    abut_aabb middles = { { INFINITY, INFINITY, INFINITY }, { -INFINITY, -INFINITY, -INFINITY } };
    abut_vec3 sum = { 0, 0, 0 };
    for (size_t i = 0; i < count; ++i) {
        const abut_vec3 middle = abut_add(leaves[i].box.lo, leaves[i].box.hi);
        middles = join(middles, (abut_aabb){ middle, middle });
        sum = abut_add(sum, middle);
    }
    const abut_vec3 size = abut_sub(middles.hi, middles.lo);
    const int axis = size.x >= size.y && size.x >= size.z ? 0 : size.y >= size.z ? 1 : 2;
    const double mean = abut_part3(sum, axis) / (double)count;
    size_t left = 0;
    for (size_t i = 0; i < count; ++i)
        if (abut_part3(abut_add(leaves[i].box.lo, leaves[i].box.hi), axis) < mean) {
            const leaf swapped = leaves[i];
            leaves[i] = leaves[left];
            leaves[left++] = swapped;
        }
    return left == 0 || left == count ? count / 2 : left;
}

/* How many of the leaves, which are left sorted, go to the first child. */
static size_t cut(leaf *leaves, size_t count)
{
    if (count == 2)
        return 1;
    if (count > MANY)
        return cut_at_mean(leaves, count);
    int best_axis = 0;
    size_t best = count / 2;
    double least = INFINITY;
    for (int axis = 0; axis < 3; ++axis) {
        sort_along(leaves, count, axis);
        abut_aabb box = leaves[count - 1].box;
        for (size_t i = count - 1; i > 0; --i) {
            box = join(box, leaves[i].box);
            leaves[i].upper = area(&box);
        }
        box = leaves[0].box;
        for (size_t i = 1; i < count; ++i) {
            box = join(box, leaves[i - 1].box);
            const double cost = area(&box) * (double)i + leaves[i].upper * (double)(count - i);
            if (cost < least) {
                least = cost;
                best = i;
                best_axis = axis;
            }
        }
    }
    if (best_axis != 2)
        sort_along(leaves, count, best_axis);
    return best;
}

/* Builds nodes below leaves[0 .. count - 1] and returns the reference to them. Where `depth`
 * is used up cuts go through the middle, so that the tree is no deeper than about twice its logarithm. */
static int32_t build(abut_features *f, leaf *leaves, size_t count, int depth,
                     abut_aabb *box) // NOLINT(misc-no-recursion)
{
    if (count == 1) {
        *box = leaves[0].box;
        return ~(int32_t)leaves[0].part;
    }
    size_t half = cut(leaves, count);
    if (depth <= 0)
        half = count / 2;
    abut_feature_node node;
    abut_aabb lower, upper;
    node.child[0] = build(f, leaves, half, depth - 1, &lower);
    node.child[1] = build(f, leaves + half, count - half, depth - 1, &upper);
    node.box = *box = join(lower, upper);
    node.count = (uint32_t)count;
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
        leaves[i] = (leaf){ .box = part_box(&f->parts[i], ABUT_CELL_SLACK * f->scale), .part = (uint32_t)i };
    abut_aabb box;
    int deepest = 8;
    for (size_t n = f->count; n > 1; n /= 2)
        ++deepest;
    f->node_count = 0;
    if (f->count > 0)
        (void)build(f, leaves, f->count, deepest, &box);
    return true;
}
