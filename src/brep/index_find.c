/* SPDX-License-Identifier: MIT */
/* Points through the index of a polyhedron; see index.h. */
#include "abut/predicates.h"
#include "brep/index.h"
#include "math/vec3.h"

static int compare(double a, double b)
{
    return (a > b) - (a < b);
}

static inline double largest(abut_vec3 v)
{
    const double x = fabs(v.x), y = fabs(v.y), z = fabs(v.z), m = x > y ? x : y;
    return m > z ? m : z;
}

/* In doubles where these decide. Three terms of a coordinate of the normal and one of d, each of at most 2 U V D:
 * with differences and products off by 2^-53 of themselves the sum is off by less than 48 2^-53 U V D. What
 * underflows is less than the constant, and what overflows leaves no finite bound. */
static inline int plane_side(abut_vec3 a, abut_vec3 b, abut_vec3 c, abut_vec3 p)
{
    const abut_vec3 u = abut_sub(b, a), v = abut_sub(c, a), d = abut_sub(p, a);
    const double value = abut_dot(abut_cross(u, v), d), reach = largest(d),
                 error = 0x1p-46 * largest(u) * largest(v) * reach + 0x1p-1000 * (1 + reach);
    if (value > error)
        return 1;
    if (value < -error)
        return -1;
    return -abut_orient3d(a, b, c, p);
}

int abut_index_side(const abut_index_node *node, const abut_vec3 *vertices, abut_vec3 p)
{
    const uint32_t *v = node->u.vertices;
    switch (node->kind) {
    case ABUT_INDEX_AXIS: return compare(abut_part3(p, node->axis), node->u.at);
    case ABUT_INDEX_PLACE: return compare(abut_part3(p, node->axis), abut_part3(vertices[v[0]], node->axis));
    case ABUT_INDEX_LINE: {
        const int i = (node->axis + 1) % 3, j = (node->axis + 2) % 3;
        const double a[2] = { abut_part3(vertices[v[0]], i), abut_part3(vertices[v[0]], j) },
                     b[2] = { abut_part3(vertices[v[1]], i), abut_part3(vertices[v[1]], j) },
                     c[2] = { abut_part3(p, i), abut_part3(p, j) };
        return abut_orient2d(a, b, c);
    }
    default: return plane_side(vertices[v[0]], vertices[v[1]], vertices[v[2]], p);
    }
}

void abut_index_teach(const abut_index *index, int64_t leaf, unsigned where, int64_t id)
{
    _Atomic uint64_t *label = &index->leaves[leaf].label;
    if (atomic_load_explicit(label, memory_order_relaxed) == 0)
        atomic_store_explicit(label, ABUT_INDEX_KNOWN | (uint64_t)where << 2 | (uint64_t)(id + 1) << 6,
                              memory_order_relaxed);
}

static inline int32_t last_or(double at, int32_t n)
{
    return at < n ? (int32_t)at : n - 1;
}

static inline int32_t enter(const abut_index_grid *grid, int32_t root, abut_vec3 p)
{
    if (!grid->cells)
        return root;
    const int32_t x = last_or((p.x - grid->lo.x) * grid->scale.x, grid->n[0]),
                  y = last_or((p.y - grid->lo.y) * grid->scale.y, grid->n[1]),
                  z = last_or((p.z - grid->lo.z) * grid->scale.z, grid->n[2]);
    return grid->cells[((size_t)z * (size_t)grid->n[1] + (size_t)y) * (size_t)grid->n[0] + (size_t)x];
}

void abut_index_find(const abut_index *index, const abut_vec3 *vertices, abut_vec3 p, abut_index_spot *out)
{
    int32_t at = enter(&index->grid, index->root, p);
    *out = (abut_index_spot){ .leaf = -1 };
    while (at >= 0) {
        const abut_index_node *node = &index->nodes[at];
        const int side = abut_index_side(node, vertices, p);
        if (side != 0 || !node->run) {
            at = side > 0 ? node->above : side < 0 ? node->below : node->on;
            continue;
        }
        const abut_index_run *run = &index->runs[node->on];
        const double x = abut_part3(p, run->axis), from = abut_part3(vertices[run->u], run->axis),
                     to = abut_part3(vertices[run->v], run->axis);
        if (x >= from && x <= to) {
            out->vertex = x == from || x == to;
            out->entity = x == from ? run->u : x == to ? run->v : run->edge;
            return;
        }
        at = x < from ? run->before : run->after;
    }
    out->leaf = ~at;
}
