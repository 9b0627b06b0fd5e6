/* SPDX-License-Identifier: MIT */
/* Expressions without text: a graph is built node by node and then used for surfaces and motions,
 * with the same results, bit for bit, as the text of the same operations. And surfaces whose
 * inclusion functions the caller supplies himself.
 *
 *     abut_graph *g;
 *     abut_graph_create(1, NULL, &g);                        // one variable: t
 *     abut_node t = abut_graph_variable(g, 0);
 *     abut_node x = abut_graph_multiply(g, abut_graph_number(g, 2), abut_graph_cos(g, t));
 *
 * Errors stick: after the first one every node is a dummy, and whatever is made from the graph
 * answers that error. */
#ifndef ABUT_EXPRESSION_H
#define ABUT_EXPRESSION_H

#include "abut/interval.h"
#include "abut/motion.h"
#include "abut/shape.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct abut_graph abut_graph;

/* A node of the graph it was made by, good as long as that. Equal operations on equal nodes give
 * the same node. */
typedef struct abut_node {
    uint32_t index;
} abut_node;

ABUT_API abut_status abut_graph_create(size_t variable_count, const abut_allocator *alloc, abut_graph **out);
ABUT_API void abut_graph_destroy(abut_graph *graph);
/* The first error: ABUT_ERR_ARGUMENT (a number that is not finite, no such variable or node),
 * ABUT_ERR_LIMIT (too many nodes), ABUT_ERR_MEMORY. */
ABUT_API abut_status abut_graph_status(const abut_graph *graph);

/* Exactly that double. */
ABUT_API abut_node abut_graph_number(abut_graph *graph, double x);
/* The real number. */
ABUT_API abut_node abut_graph_pi(abut_graph *graph);
ABUT_API abut_node abut_graph_variable(abut_graph *graph, size_t which);
ABUT_API abut_node abut_graph_negate(abut_graph *graph, abut_node a);
ABUT_API abut_node abut_graph_add(abut_graph *graph, abut_node a, abut_node b);
ABUT_API abut_node abut_graph_subtract(abut_graph *graph, abut_node a, abut_node b);
ABUT_API abut_node abut_graph_multiply(abut_graph *graph, abut_node a, abut_node b);
ABUT_API abut_node abut_graph_divide(abut_graph *graph, abut_node a, abut_node b);
ABUT_API abut_node abut_graph_power(abut_graph *graph, abut_node a, abut_node b);
ABUT_API abut_node abut_graph_sqrt(abut_graph *graph, abut_node a);
ABUT_API abut_node abut_graph_exp(abut_graph *graph, abut_node a);
ABUT_API abut_node abut_graph_log(abut_graph *graph, abut_node a);
ABUT_API abut_node abut_graph_sin(abut_graph *graph, abut_node a);
ABUT_API abut_node abut_graph_cos(abut_graph *graph, abut_node a);
ABUT_API abut_node abut_graph_tan(abut_graph *graph, abut_node a);
ABUT_API abut_node abut_graph_asin(abut_graph *graph, abut_node a);
ABUT_API abut_node abut_graph_acos(abut_graph *graph, abut_node a);
ABUT_API abut_node abut_graph_atan(abut_graph *graph, abut_node a);
ABUT_API abut_node abut_graph_abs(abut_graph *graph, abut_node a);
ABUT_API abut_node abut_graph_min(abut_graph *graph, abut_node a, abut_node b);
ABUT_API abut_node abut_graph_max(abut_graph *graph, abut_node a, abut_node b);

/* A parameter domain, as in abut_parametric_def. */
typedef struct abut_domain {
    double u[2], v[2];
    bool wrap_u, wrap_v;
    bool normal_in;
} abut_domain;

/* The graph has the variables u, v, t; it is copied. */
ABUT_API abut_status abut_shape_create_parametric_graph(const abut_graph *graph, const abut_node position[3],
                                                        const abut_domain *domain,
                                                        const abut_allocator *alloc, abut_shape **out,
                                                        abut_error *error);
/* The graph has the variables x, y, z, t. */
ABUT_API abut_status abut_shape_create_implicit_graph(const abut_graph *graph, abut_node f, abut_aabb bounds,
                                                      const abut_allocator *alloc, abut_shape **out,
                                                      abut_error *error);
/* The graph has the variable t. radians NULL: no rotation. */
ABUT_API abut_status abut_motion_create_expression_graph(double t0, double t1, const abut_graph *graph,
                                                         const abut_node position[3], abut_vec3 axis,
                                                         const abut_node *radians,
                                                         const abut_allocator *alloc, abut_motion **out,
                                                         abut_error *error);

/* Inclusion functions of one's own. `box` has n intervals, one for each variable (u, v, t or x, y,
 * z, t). For each of the functions (x, y, z of a parametric surface; f of an implicit one), one
 * after the other, out gets enclosures over all of the box of
 *     order 0: the value
 *     order 1: the value, then the derivatives by variable 0 .. n - 1
 *     order 2: the same, then the second derivatives by variables i <= j: 00 01 .. 0(n-1) 11 12 ...
 * and the answer is whether everything is defined and differentiable that often all over the box.
 * Where it is not, values are enclosed where they exist. Where a derivative jumps it is enclosed by
 * both sides, and the next one by everything.
 *
 * What it says is taken as proved. It may be called by many threads at once, runs in rounding to
 * nearest, and must give the same answer to the same question; over a point it should be a few
 * ulp wide. */
typedef bool (*abut_inclusion_fn)(void *ctx, const abut_interval *box, int order, abut_interval *out);

/* depends_on_time false: the last variable never matters. */
ABUT_API abut_status abut_shape_create_parametric_inclusion(abut_inclusion_fn position, void *ctx,
                                                            bool depends_on_time, const abut_domain *domain,
                                                            const abut_allocator *alloc, abut_shape **out,
                                                            abut_error *error);
ABUT_API abut_status abut_shape_create_implicit_inclusion(abut_inclusion_fn f, void *ctx,
                                                          bool depends_on_time, abut_aabb bounds,
                                                          const abut_allocator *alloc, abut_shape **out,
                                                          abut_error *error);

#ifdef __cplusplus
}
#endif

#endif
