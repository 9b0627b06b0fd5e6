/* SPDX-License-Identifier: MIT */
/* Farthest distances, extents, and the smallest enclosing ball of CAD solids.
 *
 * The greatest distance d(c) of the solid from a point c is a convex function of c (Schoemer, Reichel,
 * Warken 2002, lemma 1). NLopt's Nelder-Mead and PRAXIS (Brent's method of principal axes, after Powell)
 * bring c near the minimum. What certifies the end is a core set (Badoiu, Clarkson 2003): points of the
 * solid that were farthest from some c. The smallest ball around those points is no larger than that
 * around the solid, and its centre is the next c; the farthest point from there joins the set, until d(c)
 * and the ball around the set agree. */
#include "abut/ellipsoid.h"
#include "abut/solid_bounds.h"
#include "math/nearest.h"
#include "shape/shape.h"
#include "solid/reach.h"

#include <math.h>

#define POINTS   256
#define ACCURACY 1e-12

#ifdef ABUT_HAVE_NLOPT
#include <nlopt.h>
#endif

typedef struct ball_problem {
    const abut_solid *solid;
    uint64_t evaluations;
} ball_problem;

static abut_reach farthest(ball_problem *p, abut_vec3 from, double accuracy)
{
    const abut_reach_query query = { .from = from };
    abut_reach reach;
    abut_solid_reach(p->solid, &query, accuracy, &reach);
    ++p->evaluations;
    return reach;
}

#ifdef ABUT_HAVE_NLOPT
/* The type is NLopt's. */
// NOLINTNEXTLINE(readability-non-const-parameter)
static double objective(unsigned n, const double *x, double *gradient, void *ctx)
{
    (void)n;
    (void)gradient;
    return farthest(ctx, abut_v3(x[0], x[1], x[2]), 1e-9).lo;
}

static abut_vec3 descend(ball_problem *problem, abut_vec3 start, double size)
{
    static const nlopt_algorithm methods[] = { NLOPT_LN_NELDERMEAD, NLOPT_LN_PRAXIS };
    double x[3] = { start.x, start.y, start.z };
    nlopt_srand(1); /* else PRAXIS starts from the clock, and the last digits differ from run to run */
    for (int i = 0; i < 2; ++i) {
        nlopt_opt opt = nlopt_create(methods[i], 3);
        if (!opt)
            break; /* memory is out: the core set alone gets there too, more slowly */
        double value;
        nlopt_set_min_objective(opt, objective, problem);
        nlopt_set_xtol_abs1(opt, 1e-6 * size);
        nlopt_set_maxeval(opt, 120);
        nlopt_set_initial_step1(opt, (i ? 1e-3 : 0.1) * size);
        double at[3] = { x[0], x[1], x[2] };
        const double before = objective(3, x, NULL, problem);
        if (nlopt_optimize(opt, at, &value) > 0 && value < before)
            for (int k = 0; k < 3; ++k)
                x[k] = at[k];
        nlopt_destroy(opt);
    }
    return abut_v3(x[0], x[1], x[2]);
}
#else
static abut_vec3 descend(ball_problem *problem, abut_vec3 start, double size)
{
    (void)problem;
    (void)size;
    return start;
}
#endif

static ABUT_MATH_NOINLINE abut_status enclose(const abut_solid *solid, abut_aabb bounds, abut_solid_ball *out)
{
    ball_problem problem = { solid, 0 };
    abut_vec3 points[POINTS];
    size_t count = 0;
    const abut_vec3 middle = abut_scale(0.5, abut_add(bounds.lo, bounds.hi));
    const double size = 0.5 * abut_length(abut_sub(bounds.hi, bounds.lo));
    abut_vec3 center = descend(&problem, middle, size);
    /* Neighbours of the start see the other points that hold the ball. */
    for (int i = 0; i < 6; ++i) {
        abut_vec3 beside = center;
        double *const axis[3] = { &beside.x, &beside.y, &beside.z };
        *axis[i / 2] += (i % 2 ? 1e-3 : -1e-3) * size;
        points[count++] = farthest(&problem, beside, ACCURACY).point;
    }
    *out = (abut_solid_ball){ .radius = HUGE_VAL };
    while (count < POINTS) {
        const abut_reach reach = farthest(&problem, center, ACCURACY);
        /* The distance is computed in doubles. */
        const double radius = reach.hi * (1 + 1e-15);
        if (radius < out->radius) {
            out->radius = radius;
            out->center = center;
        }
        points[count++] = reach.point;
        double around;
        const abut_status status = abut_sphere_fit(points, count, &center, &around, NULL);
        if (status != ABUT_OK)
            return status;
        /* abut_sphere_fit is within 1e-12 of the smallest for points in general position; for points that are nearly
         * on one circle up to 1e-10 was seen. The points are on the solid within rounding. */
        out->least = fmax(out->least, around * (1 - 3e-10) - 4 * ABUT_CELL_SLACK * solid->features.scale);
        if (out->radius - out->least <= 4e-10 * out->radius)
            break;
    }
    out->evaluations = problem.evaluations;
    return ABUT_OK;
}

abut_status abut_solid_enclosing_ball(const abut_shape *shape, abut_solid_ball *out)
{
    if (!shape || !out)
        return ABUT_ERR_ARGUMENT;
    const abut_solid *solid = abut_shape_solid(shape);
    if (!solid)
        return ABUT_ERR_UNSUPPORTED;
    const abut_nearest_library saved = abut_nearest_enter_library();
    const abut_status status = enclose(solid, abut_shape_bounds(shape), out);
    abut_nearest_leave_library(saved);
    return status;
}

abut_status abut_solid_farthest(const abut_shape *shape, abut_vec3 from, abut_interval *distance,
                                abut_vec3 *point)
{
    if (!shape || !distance || !(isfinite(from.x) && isfinite(from.y) && isfinite(from.z)))
        return ABUT_ERR_ARGUMENT;
    const abut_solid *solid = abut_shape_solid(shape);
    if (!solid)
        return ABUT_ERR_UNSUPPORTED;
    const abut_nearest_library saved = abut_nearest_enter_library();
    ball_problem problem = { solid, 0 };
    const abut_reach reach = farthest(&problem, from, ACCURACY);
    abut_nearest_leave_library(saved);
    const double slack = 4 * ABUT_CELL_SLACK * solid->features.scale;
    *distance = (abut_interval){ fmax(0, reach.lo * (1 - 1e-15) - slack), reach.hi * (1 + 1e-15) };
    if (point)
        *point = reach.point;
    return ABUT_OK;
}

abut_status abut_solid_extent(const abut_shape *shape, abut_vec3 direction, abut_interval *least,
                              abut_interval *greatest)
{
    const double length = abut_length(direction);
    if (!shape || !least || !greatest || !(length > 0) || !isfinite(length))
        return ABUT_ERR_ARGUMENT;
    const abut_solid *solid = abut_shape_solid(shape);
    if (!solid)
        return ABUT_ERR_UNSUPPORTED;
    const abut_nearest_library saved = abut_nearest_enter_library();
    const double slack = 8 * ABUT_CELL_SLACK * solid->features.scale;
    for (int side = 0; side < 2; ++side) {
        const abut_reach_query query = { .along = true,
                                         .direction = abut_scale((side ? 1 : -1) / length, direction) };
        abut_reach reach;
        abut_solid_reach(solid, &query, ACCURACY, &reach);
        if (side)
            *greatest = (abut_interval){ reach.lo - slack, reach.hi + slack };
        else
            *least = (abut_interval){ -reach.hi - slack, -reach.lo + slack };
    }
    abut_nearest_leave_library(saved);
    return ABUT_OK;
}
