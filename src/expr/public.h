/* SPDX-License-Identifier: MIT */
/* Behind include/abut/expression.h: graphs that users build, and inclusion functions that they
 * supply. */
#ifndef ABUT_EXPR_PUBLIC_H
#define ABUT_EXPR_PUBLIC_H

#include "base/error.h"
#include "expr/graph.h"
#include "expr/inclusion.h"
#include "expr/tape.h"
#include "math/nearest.h"

struct abut_graph {
    abut_expr_graph nodes;
    size_t variable_count;
    abut_status status;
};

/* The expressions at those nodes, with memory of their own. */
abut_status abut_graph_finish(const abut_graph *graph, const abut_node *roots, size_t root_count,
                              size_t variable_count, const abut_allocator *alloc, abut_expr **out,
                              abut_error *error);

/* Kernel. Like abut_tape_enclose, from the user's function, which runs in rounding to nearest. */
bool abut_inclusion_enclose(const abut_inclusion *f, const ia *box, int order, ia *out);

#endif
