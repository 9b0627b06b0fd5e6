/* SPDX-License-Identifier: MIT */
/* Any path, from expressions in t. Evaluated in plain doubles only: there are no enclosures and no velocities yet. */
#include "expr/expr.h"
#include "math/vec3.h"
#include "motion/create.h"
#include "motion/leg.h"

typedef struct motion_expression {
    abut_motion base;
    abut_expr *expr; /* three coordinates, then the angle if there is one */
    abut_vec3 axis;
} motion_expression;

static abut_status at(const abut_motion *motion, double t, abut_affine *out)
{
    const motion_expression *m = (const motion_expression *)motion;
    double v[4] = { 0 };
    abut_expr_evaluate(m->expr, &t, v);
    if (!isfinite(v[0]) || !isfinite(v[1]) || !isfinite(v[2]) || !isfinite(v[3]))
        return ABUT_ERR_VALUE;
    out->translation = abut_v3(v[0], v[1], v[2]);
    out->linear = abut_quat_to_mat3(abut_quat_from_axis_angle(m->axis, v[3]));
    return ABUT_OK;
}

static void destroy(abut_motion *motion)
{
    abut_expr_destroy(((motion_expression *)motion)->expr);
    abut_motion_free(motion, sizeof(motion_expression));
}

static const abut_motion_ops ops = { .at = at, .destroy = destroy };

abut_status abut_motion_create_expression(double t0, double t1, const char *const position[3], abut_vec3 axis,
                                          const char *radians, const abut_allocator *alloc, abut_motion **out,
                                          abut_error *error)
{
    static const char *const variables[] = { "t" };
    abut_base_clear(error);
    if (!out)
        return abut_base_fail(error, ABUT_ERR_ARGUMENT, -1,
                              "there is nowhere to put the motion: out is NULL");
    *out = NULL;
    abut_status status = abut_motion_check_range(t0, t1, -1, error);
    if (status != ABUT_OK)
        return status;
    if (!position || !position[0] || !position[1] || !position[2])
        return abut_base_fail(error, ABUT_ERR_ARGUMENT, -1, "a position needs three expressions");
    if (radians && (!abut_is_finite3(axis) || abut_max_norm(axis) == 0))
        return abut_base_fail(error, ABUT_ERR_ARGUMENT, -1, "the rotation axis must be finite and not zero");
    motion_expression *m = abut_motion_new(alloc, sizeof *m, ABUT_MOTION_EXPRESSION, &ops);
    if (!m)
        return abut_base_fail_memory(error);
    const abut_expr_source texts[4] = { { "position[0]", position[0] },
                                        { "position[1]", position[1] },
                                        { "position[2]", position[2] },
                                        { "rotation.radians", radians } };
    status = abut_expr_parse(texts, radians ? 4 : 3, variables, 1, NULL, 0, &m->base.alloc, &m->expr, error);
    if (status != ABUT_OK) {
        abut_motion_free(&m->base, sizeof *m);
        return status;
    }
    m->base.t0 = t0;
    m->base.t1 = t1;
    m->axis = axis;
    *out = &m->base;
    return ABUT_OK;
}
