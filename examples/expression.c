/* SPDX-License-Identifier: MIT */
/* Surfaces and motions that are functions of the caller's own making.
 *
 * A bowl z = (x^2 + y^2)/2, built as a graph without text; a ball of radius 1/4, by an inclusion
 * function of our own; it falls along z = 2 - t^2, a motion built as a graph. The bowl's radius
 * of curvature is 1 at its bottom, so the ball touches it there first, when its centre is at z =
 * 1/4: at t = sqrt(7)/2. */
#include <abut/abut.h>
#include <math.h>
#include <stdio.h>

/* x^2 + y^2 + z^2 - 1/16 with its derivatives, in the order that abut/expression.h states. */
static bool ball(void *ctx, const abut_interval *box, int order, abut_interval *out)
{
    static const int second[3] = { 5, 9, 12 }; /* xx, yy, zz */
    const int count = order == 0 ? 1 : order == 1 ? 5 : 15;
    (void)ctx;
    for (int i = 0; i < count; ++i)
        out[i] = abut_interval_point(0);
    out[0] = abut_interval_point(-0.0625);
    for (int i = 0; i < 3; ++i) {
        out[0] = abut_interval_add(out[0], abut_interval_sqr(box[i]));
        if (order > 0)
            out[1 + i] = abut_interval_add(box[i], box[i]);
        if (order > 1)
            out[second[i]] = abut_interval_point(2);
    }
    return true;
}

static abut_status make_bowl(abut_shape **out, abut_error *error)
{
    const abut_domain domain = { .u = { -1, 1 }, .v = { -1, 1 } };
    abut_graph *g = NULL;
    abut_status status = abut_graph_create(3, NULL, &g);
    if (status)
        return status;
    const abut_node u = abut_graph_variable(g, 0), v = abut_graph_variable(g, 1),
                    two = abut_graph_number(g, 2);
    const abut_node sum = abut_graph_add(g, abut_graph_power(g, u, two), abut_graph_power(g, v, two));
    const abut_node position[3] = { u, v, abut_graph_divide(g, sum, two) };
    status = abut_shape_create_parametric_graph(g, position, &domain, NULL, out, error);
    abut_graph_destroy(g);
    return status;
}

static abut_status make_fall(abut_motion **out, abut_error *error)
{
    const abut_vec3 no_axis = { 0, 0, 1 };
    abut_graph *g = NULL;
    abut_status status = abut_graph_create(1, NULL, &g);
    if (status)
        return status;
    const abut_node t = abut_graph_variable(g, 0), zero = abut_graph_number(g, 0),
                    two = abut_graph_number(g, 2);
    const abut_node position[3] = { zero, zero, abut_graph_subtract(g, two, abut_graph_power(g, t, two)) };
    status = abut_motion_create_expression_graph(0, 2, g, position, no_axis, NULL, NULL, out, error);
    abut_graph_destroy(g);
    return status;
}

int main(void)
{
    const abut_aabb bounds = { { -0.5, -0.5, -0.5 }, { 0.5, 0.5, 0.5 } };
    const abut_placement here = { .position = { 0, 0, 0 } };
    abut_shape *bowl = NULL, *round = NULL;
    abut_motion *still = NULL, *fall = NULL;
    abut_first_result first;
    abut_error error = { 0 };
    if (make_bowl(&bowl, &error) || make_fall(&fall, &error) ||
        abut_shape_create_implicit_inclusion(ball, NULL, false, bounds, NULL, &round, &error) ||
        abut_motion_create_static(&here, NULL, &still, &error)) {
        fprintf(stderr, "cannot set up: %s\n", error.text);
        return 1;
    }
    const abut_status status = abut_first_contact(bowl, still, round, fall, NULL, NULL, &first);
    if (status) {
        fprintf(stderr, "%s\n", abut_status_text(status));
        return 1;
    }
    printf("%s at [%.17g, %.17g], %zu points, the first (%.6f, %.6f, %.6f)\n",
           abut_first_verdict_name(first.verdict), first.time.lo, first.time.hi, first.point_count,
           first.points[0].point.x, first.points[0].point.y, first.points[0].point.z);
    abut_motion_release(fall);
    abut_motion_release(still);
    abut_shape_release(round);
    abut_shape_release(bowl);
    const double truth = sqrt(7) / 2;
    return first.verdict == ABUT_FIRST_CONTACT && first.time.lo <= truth + 1e-15 &&
                   first.time.hi >= truth - 1e-15 && first.time.hi - first.time.lo < 1e-6
               ? 0
               : 1;
}
