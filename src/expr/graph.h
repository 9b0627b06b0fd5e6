/* SPDX-License-Identifier: MIT */
/* A graph being built: nodes are added once each, then the whole is finished into an abut_expr. */
#ifndef ABUT_EXPR_GRAPH_H
#define ABUT_EXPR_GRAPH_H

#include "expr/expr.h"

typedef struct abut_expr_graph {
    abut_allocator alloc;
    abut_expr_node *nodes;
    size_t node_count, node_capacity;
    uint32_t *table;   /* open addressing: index + 1 of a node, 0 where empty */
    size_t table_size; /* a power of two, at least twice node_count */
} abut_expr_graph;

void abut_expr_graph_open(abut_expr_graph *graph, const abut_allocator *alloc);
void abut_expr_graph_close(abut_expr_graph *graph);

/* The index of that node, an earlier one when it is there already. ABUT_ERR_LIMIT,
 * ABUT_ERR_MEMORY. */
abut_status abut_expr_graph_add(abut_expr_graph *graph, abut_expr_op op, uint32_t a, uint32_t b, double value,
                                uint32_t *out);

/* Drops what no root needs, gives out slots, and copies to *out, which has its own memory. */
abut_status abut_expr_graph_finish(const abut_expr_graph *graph, const uint32_t *roots, size_t root_count,
                                   size_t variable_count, abut_expr **out);

#endif
