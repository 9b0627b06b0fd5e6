/* SPDX-License-Identifier: MIT */
/* include/abut/expression.h: graphs built by hand. */
#include "expr/public.h"

#include "base/memory.h"

#include <math.h>

abut_status abut_graph_create(size_t variable_count, const abut_allocator *alloc, abut_graph **out)
{
    if (!out)
        return ABUT_ERR_ARGUMENT;
    *out = NULL;
    if (variable_count > ABUT_TAPE_MAX_VARIABLES)
        return ABUT_ERR_ARGUMENT;
    const abut_allocator memory = abut_base_allocator(alloc);
    abut_graph *graph = abut_base_alloc_zero(&memory, 1, sizeof *graph);
    if (!graph)
        return ABUT_ERR_MEMORY;
    abut_expr_graph_open(&graph->nodes, &memory);
    graph->variable_count = variable_count;
    *out = graph;
    return ABUT_OK;
}

void abut_graph_destroy(abut_graph *graph)
{
    if (!graph)
        return;
    const abut_allocator memory = graph->nodes.alloc;
    abut_expr_graph_close(&graph->nodes);
    abut_base_free(&memory, graph, 1, sizeof *graph);
}

abut_status abut_graph_status(const abut_graph *graph)
{
    return graph ? graph->status : ABUT_ERR_ARGUMENT;
}

static abut_node fail(abut_graph *graph, abut_status status)
{
    if (graph && graph->status == ABUT_OK)
        graph->status = status;
    return (abut_node){ 0 };
}

static abut_node add(abut_graph *graph, abut_expr_op op, uint32_t a, uint32_t b, double value)
{
    abut_node made;
    if (!graph || graph->status != ABUT_OK)
        return (abut_node){ 0 };
    const abut_status status = abut_expr_graph_add(&graph->nodes, op, a, b, value, &made.index);
    return status ? fail(graph, status) : made;
}

static bool is_node(const abut_graph *graph, abut_node a)
{
    return graph && a.index < graph->nodes.node_count;
}

abut_node abut_graph_number(abut_graph *graph, double x)
{
    return isfinite(x) ? add(graph, ABUT_EXPR_NUMBER, 0, 0, x) : fail(graph, ABUT_ERR_ARGUMENT);
}

abut_node abut_graph_pi(abut_graph *graph)
{
    return add(graph, ABUT_EXPR_PI, 0, 0, 0);
}

abut_node abut_graph_variable(abut_graph *graph, size_t which)
{
    if (!graph || which >= graph->variable_count)
        return fail(graph, ABUT_ERR_ARGUMENT);
    return add(graph, ABUT_EXPR_VARIABLE, (uint32_t)which, 0, 0);
}

/* The sign of a number belongs to it, as in text. */
abut_node abut_graph_negate(abut_graph *graph, abut_node a)
{
    if (!is_node(graph, a))
        return fail(graph, ABUT_ERR_ARGUMENT);
    const abut_expr_node *node = &graph->nodes.nodes[a.index];
    if (node->op == ABUT_EXPR_NUMBER)
        return add(graph, ABUT_EXPR_NUMBER, 0, 0, -node->value);
    return add(graph, ABUT_EXPR_NEGATE, a.index, 0, 0);
}

#define ONE(name, op)                                                        \
    abut_node abut_graph_##name(abut_graph *graph, abut_node a)              \
    {                                                                        \
        return is_node(graph, a) ? add(graph, ABUT_EXPR_##op, a.index, 0, 0) \
                                 : fail(graph, ABUT_ERR_ARGUMENT);           \
    }
#define TWO(name, op)                                                                                   \
    abut_node abut_graph_##name(abut_graph *graph, abut_node a, abut_node b)                            \
    {                                                                                                   \
        return is_node(graph, a) && is_node(graph, b) ? add(graph, ABUT_EXPR_##op, a.index, b.index, 0) \
                                                      : fail(graph, ABUT_ERR_ARGUMENT);                 \
    }
TWO(add, ADD)
TWO(subtract, SUBTRACT)
TWO(multiply, MULTIPLY)
TWO(divide, DIVIDE)
TWO(power, POWER)
TWO(min, MIN)
TWO(max, MAX)
ONE(sqrt, SQRT)
ONE(exp, EXP)
ONE(log, LOG)
ONE(sin, SIN)
ONE(cos, COS)
ONE(tan, TAN)
ONE(asin, ASIN)
ONE(acos, ACOS)
ONE(atan, ATAN)
ONE(abs, ABS)

abut_status abut_graph_finish(const abut_graph *graph, const abut_node *roots, size_t root_count,
                              size_t variable_count, const abut_allocator *alloc, abut_expr **out,
                              abut_error *error)
{
    enum { MAX_ROOTS = 8 };
    uint32_t nodes[MAX_ROOTS];
    *out = NULL;
    if (!graph || !roots || root_count > MAX_ROOTS)
        return abut_base_fail(error, ABUT_ERR_ARGUMENT, -1, "there is no graph, or no node");
    if (graph->status)
        return abut_base_fail(error, graph->status, -1, "the graph is in error: %s",
                              abut_status_text(graph->status));
    if (graph->variable_count != variable_count)
        return abut_base_fail(error, ABUT_ERR_ARGUMENT, -1, "the graph has %zu variables; it must have %zu",
                              graph->variable_count, variable_count);
    for (size_t i = 0; i < root_count; ++i) {
        if (!is_node(graph, roots[i]))
            return abut_base_fail(error, ABUT_ERR_ARGUMENT, (int64_t)i,
                                  "expression %zu is no node of the graph", i);
        nodes[i] = roots[i].index;
    }
    /* The copy lives with what is made of it. */
    abut_expr_graph source = graph->nodes;
    source.alloc = abut_base_allocator(alloc);
    const abut_status status = abut_expr_graph_finish(&source, nodes, root_count, variable_count, out);
    if (status == ABUT_ERR_LIMIT)
        return abut_base_fail(error, status, -1, "the expressions need more than %d values at the same time",
                              ABUT_EXPR_MAX_LIVE);
    return status ? abut_base_fail_memory(error) : ABUT_OK;
}

bool abut_inclusion_enclose(const abut_inclusion *f, const ia *box, int order, ia *out)
{
    enum { MAX_RESULTS = 3 * 15 };
    abut_interval in[ABUT_TAPE_MAX_VARIABLES], found[MAX_RESULTS];
    const size_t count = f->roots * abut_tape_stride(f->variables, order);
    for (size_t i = 0; i < f->variables; ++i)
        in[i] = ia_to(box[i]);
    for (size_t i = 0; i < count; ++i)
        found[i] = (abut_interval){ -HUGE_VAL, HUGE_VAL };
    const abut_nearest saved = abut_nearest_enter();
    bool defined = f->fn(f->ctx, in, order, found);
    abut_nearest_leave(saved);
    for (size_t i = 0; i < count; ++i) {
        out[i] = ia_read(&found[i]);
        if (ia_is_empty(out[i])) {
            out[i] = ia_entire();
            defined = false;
        }
    }
    return defined;
}
