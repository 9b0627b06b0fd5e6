/* SPDX-License-Identifier: MIT */
/* max(|x|, |y|) - 1 is the greatest of x - 1, -x - 1, y - 1 and -y - 1.
 *
 * Sums and constant multiples of maxima and minima are maxima and minima of sums:
 *     max(a, b) + c = max(a + c, b + c),   -max(a, b) = min(-a, -b),   |a| = max(a, -a),
 * so an expression in which abs, min and max are only negated, added and multiplied by numbers is a
 * lattice polynomial of smooth parts. Of real numbers these are the same, nothing is rounded. Where the
 * kinks are anywhere else (in a product, a root, a sine) the expression stays whole. */
#include "expr/split.h"

#include "base/memory.h"
#include "expr/graph.h"

#include <string.h>

enum { MAX_DEPTH = 64 };

/* A program whose parts are nodes of the graph. */
typedef struct lattice {
    abut_split_step steps[ABUT_SPLIT_STEPS];
    size_t count;
} lattice;

typedef struct splitter {
    const abut_expr *f;
    abut_expr_graph graph; /* the nodes of f, by the same numbers, then those of the parts */
    uint8_t *kinked;
    abut_status status; /* ABUT_ERR_LIMIT: it stays whole */
} splitter;

static bool push(splitter *s, lattice *l, uint32_t op, uint32_t part)
{
    if (l->count == ABUT_SPLIT_STEPS)
        s->status = ABUT_ERR_LIMIT;
    else
        l->steps[l->count++] = (abut_split_step){ op, part };
    return !s->status;
}

static uint32_t add_node(splitter *s, abut_expr_op op, uint32_t a, uint32_t b, double value)
{
    uint32_t made = 0;
    const abut_status status = abut_expr_graph_add(&s->graph, op, a, b, value, &made);
    if (status && !s->status)
        s->status = status;
    return made;
}

static uint32_t negated_node(splitter *s, uint32_t a)
{
    const abut_expr_node node = s->graph.nodes[a];
    return node.op == ABUT_EXPR_NUMBER   ? add_node(s, ABUT_EXPR_NUMBER, 0, 0, -node.value)
           : node.op == ABUT_EXPR_NEGATE ? node.a
                                         : add_node(s, ABUT_EXPR_NEGATE, a, 0, 0);
}

static void negate(splitter *s, lattice *l)
{
    for (size_t i = 0; i < l->count && !s->status; ++i) {
        abut_split_step *step = &l->steps[i];
        if (step->op == ABUT_SPLIT_PART)
            step->part = negated_node(s, step->part);
        else
            step->op = step->op == ABUT_SPLIT_MAX ? ABUT_SPLIT_MIN : ABUT_SPLIT_MAX;
    }
}

/* Each part of one program becomes the other one, plus that part. */
static void add_up(splitter *s, const lattice *a, const lattice *b, lattice *out)
{
    out->count = 0;
    for (size_t i = 0; i < a->count && !s->status; ++i) {
        const abut_split_step outer = a->steps[i];
        if (outer.op != ABUT_SPLIT_PART) {
            push(s, out, outer.op, 0);
            continue;
        }
        for (size_t k = 0; k < b->count && !s->status; ++k) {
            const abut_split_step inner = b->steps[k];
            const bool part = inner.op == ABUT_SPLIT_PART;
            push(s, out, inner.op, part ? add_node(s, ABUT_EXPR_ADD, outer.part, inner.part, 0) : 0);
        }
    }
}

static void append(splitter *s, lattice *l, const lattice *other)
{
    for (size_t i = 0; i < other->count && !s->status; ++i)
        push(s, l, other->steps[i].op, other->steps[i].part);
}

/* Every part times a number, or divided by it. */
static void scale(splitter *s, abut_expr_op op, lattice *l, uint32_t number)
{
    for (size_t i = 0; i < l->count && !s->status; ++i)
        if (l->steps[i].op == ABUT_SPLIT_PART)
            l->steps[i].part = add_node(s, op, l->steps[i].part, number, 0);
}

/* 1, -1: a number of that sign; 0: none, or zero. */
static int sign_of(const splitter *s, uint32_t node)
{
    const abut_expr_node *n = &s->graph.nodes[node];
    if (n->op == ABUT_EXPR_NEGATE)
        return -sign_of(s, n->a);
    return n->op == ABUT_EXPR_PI ? 1 : n->op == ABUT_EXPR_NUMBER ? (n->value > 0) - (n->value < 0) : 0;
}

static void build(splitter *s, uint32_t node, int depth, lattice *out);

/* Of a product or quotient: that of something with kinks and a number. */
static void build_multiple(splitter *s, const abut_expr_node *n, int depth, lattice *out)
{
    const bool second = s->kinked[n->b] != 0;
    const uint32_t number = second ? n->a : n->b;
    const int sign = second && n->op == ABUT_EXPR_DIVIDE ? 0 : sign_of(s, number);
    if (sign == 0) {
        s->status = ABUT_ERR_LIMIT;
        return;
    }
    build(s, second ? n->b : n->a, depth, out);
    if (sign < 0)
        negate(s, out);
    scale(s, (abut_expr_op)n->op, out, sign < 0 ? negated_node(s, number) : number);
}

static void build_two(splitter *s, const abut_expr_node *n, int depth, lattice *out)
{
    lattice a, b;
    build(s, n->a, depth, &a);
    if (n->op == ABUT_EXPR_ABS)
        b = a;
    else
        build(s, n->b, depth, &b);
    if (s->status)
        return;
    if (n->op == ABUT_EXPR_ABS || n->op == ABUT_EXPR_SUBTRACT)
        negate(s, &b);
    if (n->op == ABUT_EXPR_ADD || n->op == ABUT_EXPR_SUBTRACT) {
        add_up(s, &a, &b, out);
        return;
    }
    *out = a;
    append(s, out, &b);
    push(s, out, n->op == ABUT_EXPR_MIN ? ABUT_SPLIT_MIN : ABUT_SPLIT_MAX, 0);
}

static void build(splitter *s, uint32_t node, int depth, lattice *out)
{
    const abut_expr_node n = s->graph.nodes[node];
    out->count = 0;
    if (s->status)
        return;
    if (!s->kinked[node]) {
        push(s, out, ABUT_SPLIT_PART, node);
        return;
    }
    if (depth == MAX_DEPTH) {
        s->status = ABUT_ERR_LIMIT;
        return;
    }
    switch (n.op) {
    case ABUT_EXPR_NEGATE:
        build(s, n.a, depth + 1, out);
        negate(s, out);
        break;
    case ABUT_EXPR_MULTIPLY:
    case ABUT_EXPR_DIVIDE: build_multiple(s, &n, depth + 1, out); break;
    case ABUT_EXPR_ADD:
    case ABUT_EXPR_SUBTRACT:
    case ABUT_EXPR_ABS:
    case ABUT_EXPR_MIN:
    case ABUT_EXPR_MAX: build_two(s, &n, depth + 1, out); break;
    default: s->status = ABUT_ERR_LIMIT;
    }
}

/* Copies the nodes of f, and marks those with kinks in them. */
static void open_nodes(splitter *s)
{
    for (size_t i = 0; i < s->f->node_count && !s->status; ++i) {
        const abut_expr_node *n = &s->f->nodes[i];
        const int operands = abut_expr_operand_count((abut_expr_op)n->op);
        const uint32_t made = add_node(s, (abut_expr_op)n->op, n->a, n->b, n->value);
        if (made != i && !s->status)
            s->status = ABUT_ERR_LIMIT; /* nodes of an expression differ */
        s->kinked[i] = n->op == ABUT_EXPR_ABS || n->op == ABUT_EXPR_MIN || n->op == ABUT_EXPR_MAX ||
                       (operands > 0 && s->kinked[n->a]) || (operands > 1 && s->kinked[n->b]);
    }
}

static void finish_part(splitter *s, uint32_t node, abut_split *out)
{
    if (out->part_count == ABUT_SPLIT_PARTS) {
        s->status = ABUT_ERR_LIMIT;
        return;
    }
    const size_t k = out->part_count++;
    s->status = abut_expr_graph_finish(&s->graph, &node, 1, s->f->variable_count, &out->parts[k]);
    if (!s->status)
        s->status = abut_tape_compile(out->parts[k], &s->f->alloc, &out->tapes[k]);
}

/* The parts as expressions of their own; equal ones are one. */
static void finish(splitter *s, const lattice *l, size_t most_nodes, abut_split *out)
{
    uint32_t node_of[ABUT_SPLIT_PARTS];
    size_t nodes = 0;
    for (size_t i = 0; i < l->count && !s->status; ++i) {
        abut_split_step step = l->steps[i];
        if (step.op == ABUT_SPLIT_PART) {
            uint32_t k = 0;
            while (k < out->part_count && node_of[k] != step.part)
                ++k;
            if (k == out->part_count) {
                finish_part(s, step.part, out);
                if (s->status)
                    return;
                node_of[k] = step.part;
                nodes += out->parts[k]->node_count;
                if (nodes > most_nodes)
                    s->status = ABUT_ERR_LIMIT;
            }
            step.part = k;
        }
        out->steps[out->step_count++] = step;
    }
}

void abut_split_release(abut_split *s)
{
    for (size_t i = 0; i < s->part_count; ++i) {
        abut_expr_destroy(s->parts[i]);
        abut_tape_destroy(s->tapes[i]);
    }
    s->part_count = s->step_count = 0;
}

abut_status abut_expr_split(const abut_expr *f, size_t most_nodes, abut_split *out)
{
    splitter s = { .f = f };
    lattice l;
    memset(out, 0, sizeof *out);
    if (f->node_count > most_nodes)
        return ABUT_OK;
    s.kinked = abut_base_alloc_zero(&f->alloc, f->node_count, sizeof *s.kinked);
    if (!s.kinked)
        return ABUT_ERR_MEMORY;
    abut_expr_graph_open(&s.graph, &f->alloc);
    open_nodes(&s);
    if (!s.status && s.kinked[f->roots[0]]) {
        build(&s, f->roots[0], 0, &l);
        if (!s.status)
            finish(&s, &l, most_nodes, out);
    }
    if (s.status)
        abut_split_release(out);
    abut_expr_graph_close(&s.graph);
    abut_base_free(&f->alloc, s.kinked, f->node_count, sizeof *s.kinked);
    return s.status == ABUT_ERR_MEMORY ? ABUT_ERR_MEMORY : ABUT_OK;
}
