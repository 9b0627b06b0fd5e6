/* SPDX-License-Identifier: MIT */
/* Building a graph in which equal subexpressions are one node (hash consing), and finishing it. */
#include "expr/graph.h"

#include "base/memory.h"

#include <string.h>

void abut_expr_graph_open(abut_expr_graph *graph, const abut_allocator *alloc)
{
    *graph = (abut_expr_graph){ .alloc = *alloc };
}

void abut_expr_graph_close(abut_expr_graph *graph)
{
    abut_base_shrink(&graph->alloc, graph->nodes, graph->node_capacity, sizeof *graph->nodes);
    if (graph->table)
        abut_base_free(&graph->alloc, graph->table, graph->table_size, sizeof *graph->table);
    *graph = (abut_expr_graph){ .alloc = graph->alloc };
}

static uint64_t bits_of(double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static size_t hash(const abut_expr_node *node)
{
    uint64_t h = bits_of(node->value) + 0x9e3779b97f4a7c15u * (node->op + 1u);
    h = (h ^ (h >> 31)) * 0xbf58476d1ce4e5b9u + node->a;
    h = (h ^ (h >> 29)) * 0x94d049bb133111ebu + node->b;
    h = (h ^ (h >> 32)) * 0x9e3779b97f4a7c15u;
    return (size_t)(h ^ (h >> 30));
}

/* The place of the node in the table: its own, or the empty one where it belongs. Bits are
 * compared, so 0 and -0 differ. */
static uint32_t *find(const abut_expr_graph *graph, const abut_expr_node *node)
{
    const size_t mask = graph->table_size - 1;
    size_t i = hash(node) & mask;
    for (;; i = (i + 1) & mask) {
        if (!graph->table[i])
            return &graph->table[i];
        const abut_expr_node *other = &graph->nodes[graph->table[i] - 1];
        if (other->op == node->op && other->a == node->a && other->b == node->b &&
            bits_of(other->value) == bits_of(node->value))
            return &graph->table[i];
    }
}

static bool grow_table(abut_expr_graph *graph)
{
    const size_t old_size = graph->table_size, new_size = old_size ? 2 * old_size : 64;
    uint32_t *const old = graph->table, *const grown =
                                            abut_base_alloc_zero(&graph->alloc, new_size, sizeof *grown);
    if (!grown)
        return false;
    graph->table = grown;
    graph->table_size = new_size;
    for (size_t i = 0; i < graph->node_count; ++i)
        *find(graph, &graph->nodes[i]) = (uint32_t)i + 1;
    if (old)
        abut_base_free(&graph->alloc, old, old_size, sizeof *old);
    return true;
}

abut_status abut_expr_graph_add(abut_expr_graph *graph, abut_expr_op op, uint32_t a, uint32_t b, double value,
                                uint32_t *out)
{
    if (2 * (graph->node_count + 1) > graph->table_size && !grow_table(graph))
        return ABUT_ERR_MEMORY;
    const abut_expr_node node = { .op = (uint16_t)op, .a = a, .b = b, .value = value };
    uint32_t *place = find(graph, &node);
    if (*place) {
        *out = *place - 1;
        return ABUT_OK;
    }
    if (graph->node_count == ABUT_EXPR_MAX_NODES)
        return ABUT_ERR_LIMIT;
    if (!abut_base_grow(&graph->alloc, (void **)&graph->nodes, &graph->node_capacity, graph->node_count, 1,
                        sizeof *graph->nodes))
        return ABUT_ERR_MEMORY;
    *out = (uint32_t)graph->node_count;
    graph->nodes[graph->node_count++] = node;
    *place = *out + 1;
    return ABUT_OK;
}

/* For each node the index of the last that needs it: node_count for roots, 0 (nobody: a user has
 * a higher index than 0) for dead ones. */
static size_t find_last_uses(const abut_expr_graph *graph, const uint32_t *roots, size_t root_count,
                             uint32_t *last)
{
    const size_t count = graph->node_count;
    memset(last, 0, count * sizeof *last);
    for (size_t i = 0; i < root_count; ++i)
        last[roots[i]] = (uint32_t)count;
    size_t alive = 0;
    for (size_t i = count; i-- > 0;) {
        if (!last[i])
            continue;
        ++alive;
        const abut_expr_node *node = &graph->nodes[i];
        const int operands = abut_expr_operand_count((abut_expr_op)node->op);
        if (operands > 0 && !last[node->a])
            last[node->a] = (uint32_t)i;
        if (operands > 1 && !last[node->b])
            last[node->b] = (uint32_t)i;
    }
    return alive;
}

/* Copies the nodes that are needed; last and moved are indexed by old numbers. False where too many
 * values would have to be kept at the same time, each from its node to the last that needs it: a plain
 * tree has no more than its depth, only shared values stay longer. */
static bool compact(const abut_expr_graph *graph, const uint32_t *last, uint32_t *moved, abut_expr *expr)
{
    size_t filled = 0, kept = 0;
    for (size_t i = 0; i < graph->node_count; ++i) {
        if (!last[i])
            continue;
        abut_expr_node node = graph->nodes[i];
        const int operands = abut_expr_operand_count((abut_expr_op)node.op);
        const bool a_ends = operands > 0 && last[node.a] == i;
        const bool b_ends = operands > 1 && last[node.b] == i && node.b != node.a;
        if (operands > 0)
            node.a = moved[node.a];
        if (operands > 1)
            node.b = moved[node.b];
        kept -= (size_t)a_ends + (size_t)b_ends;
        if (++kept > ABUT_EXPR_MAX_LIVE)
            return false;
        moved[i] = (uint32_t)filled;
        expr->nodes[filled++] = node;
    }
    return true;
}

abut_status abut_expr_graph_finish(const abut_expr_graph *graph, const uint32_t *roots, size_t root_count,
                                   size_t variable_count, abut_expr **out)
{
    const abut_allocator *alloc = &graph->alloc;
    const size_t count = graph->node_count;
    *out = NULL;
    uint32_t *last = abut_base_alloc(alloc, count, sizeof *last);
    uint32_t *moved = abut_base_alloc(alloc, count, sizeof *moved);
    abut_expr *expr = abut_base_alloc_zero(alloc, 1, sizeof *expr);
    abut_status status = ABUT_ERR_MEMORY;
    if (expr)
        expr->alloc = *alloc;
    if (last && moved && expr) {
        expr->variable_count = variable_count;
        expr->root_count = root_count;
        expr->node_count = find_last_uses(graph, roots, root_count, last);
        expr->nodes = abut_base_alloc(alloc, expr->node_count, sizeof *expr->nodes);
        expr->roots = abut_base_alloc(alloc, root_count, sizeof *expr->roots);
        if (expr->nodes && expr->roots)
            status = compact(graph, last, moved, expr) ? ABUT_OK : ABUT_ERR_LIMIT;
    }
    if (status == ABUT_OK) {
        for (size_t i = 0; i < root_count; ++i)
            expr->roots[i] = moved[roots[i]];
        *out = expr;
    } else {
        abut_expr_destroy(expr);
    }
    abut_base_free(alloc, last, count, sizeof *last);
    abut_base_free(alloc, moved, count, sizeof *moved);
    return status;
}
