/* SPDX-License-Identifier: MIT */
/* A small enclosing box of a CAD solid (Schoemer, Reichel, Warken 2002, section 4.2): the product of the
 * three extents as a function of the Z-Y-X Euler angles, minimised by NLopt's Nelder-Mead and PRAXIS from
 * several starts. The function is not convex, so the result is the best local minimum found. Starts: the
 * axes of the frame, those of the parts of the solid, and a few turns of fixed angles. */
#include "abut/solid_bounds.h"
#include "math/nearest.h"
#include "shape/shape.h"
#include "solid/reach.h"

#include <math.h>

#ifdef ABUT_HAVE_NLOPT
#include <nlopt.h>
#endif

#define STARTS   12
#define ACCURACY 1e-12

typedef struct box_problem {
    const abut_solid *solid;
    uint64_t evaluations;
} box_problem;

typedef struct box_axes {
    abut_vec3 axis[3];
} box_axes;

static box_axes axes_of(const double angle[3])
{
    const double ca = cos(angle[0]), sa = sin(angle[0]), cb = cos(angle[1]), sb = sin(angle[1]),
                 cc = cos(angle[2]), sc = sin(angle[2]);
    return (box_axes){ { { ca * cb, sa * cb, -sb },
                         { ca * sb * sc - sa * cc, sa * sb * sc + ca * cc, cb * sc },
                         { ca * sb * cc + sa * sc, sa * sb * cc - ca * sc, cb * cc } } };
}

/* The inverse of axes_of, for a right-handed frame whose first two axes these are. */
static void angles_of(abut_vec3 x, abut_vec3 y, double angle[3])
{
    const abut_vec3 z = abut_cross(x, y);
    angle[0] = atan2(x.y, x.x);
    angle[1] = atan2(-x.z, sqrt(x.x * x.x + x.y * x.y));
    angle[2] = atan2(y.z, z.z);
}

static double extents(box_problem *p, const box_axes *axes, double accuracy, double lo[3], double hi[3])
{
    double volume = 1;
    ++p->evaluations;
    for (int i = 0; i < 3; ++i) {
        abut_reach up, down;
        const abut_reach_query above = { .along = true, .direction = axes->axis[i] };
        const abut_reach_query below = { .along = true, .direction = abut_scale(-1, axes->axis[i]) };
        abut_solid_reach(p->solid, &above, accuracy, &up);
        abut_solid_reach(p->solid, &below, accuracy, &down);
        lo[i] = -down.hi;
        hi[i] = up.hi;
        volume *= hi[i] - lo[i];
    }
    return volume;
}

static double volume_at(box_problem *p, const double angle[3])
{
    double lo[3], hi[3];
    const box_axes axes = axes_of(angle);
    return extents(p, &axes, 1e-7, lo, hi);
}

#ifdef ABUT_HAVE_NLOPT
/* The type is NLopt's. */
// NOLINTNEXTLINE(readability-non-const-parameter)
static double objective(unsigned n, const double *x, double *gradient, void *ctx)
{
    (void)n;
    (void)gradient;
    return volume_at(ctx, x);
}

static double descend(box_problem *problem, double angle[3])
{
    static const nlopt_algorithm methods[] = { NLOPT_LN_NELDERMEAD, NLOPT_LN_PRAXIS };
    double best = volume_at(problem, angle);
    nlopt_srand(1); /* else PRAXIS starts from the clock, and the last digits differ from run to run */
    for (int i = 0; i < 2; ++i) {
        nlopt_opt opt = nlopt_create(methods[i], 3);
        if (!opt)
            break;
        double at[3] = { angle[0], angle[1], angle[2] }, value;
        nlopt_set_min_objective(opt, objective, problem);
        nlopt_set_xtol_abs1(opt, 1e-7);
        nlopt_set_maxeval(opt, i ? 80 : 150);
        nlopt_set_initial_step1(opt, i ? 1e-3 : 0.2);
        if (nlopt_optimize(opt, at, &value) > 0 && value < best) {
            best = value;
            for (int k = 0; k < 3; ++k)
                angle[k] = at[k];
        }
        nlopt_destroy(opt);
    }
    return best;
}
#else
static double descend(box_problem *problem, double angle[3])
{
    return volume_at(problem, angle);
}
#endif

static int starts_of(const abut_solid *solid, double starts[STARTS][3])
{
    static const double turns[][3] = { { 0, 0, 0 }, { 0.785, 0, 0 }, { 0.4, 0.6, 0.2 }, { 1.1, -0.5, 0.7 } };
    int count = 0;
    for (; count < 4; ++count)
        for (int k = 0; k < 3; ++k)
            starts[count][k] = turns[count][k];
    /* Frames of parts, each direction once. */
    abut_vec3 seen[STARTS];
    for (size_t i = 0; i < solid->features.count && count < STARTS; ++i) {
        const abut_part *part = &solid->features.parts[i];
        if (part->kind == ABUT_CELL_POINT || part->kind == ABUT_CELL_CUBIC || part->kind == ABUT_CELL_ELLIPSE)
            continue;
        bool known = false;
        for (int k = 4; k < count; ++k)
            known = known || fabs(abut_dot(seen[k], part->z)) > 0.9999;
        if (known)
            continue;
        seen[count] = part->z;
        angles_of(part->z, part->x, starts[count++]);
    }
    return count;
}

static ABUT_MATH_NOINLINE void enclose(const abut_solid *solid, abut_solid_obb *out)
{
    box_problem problem = { solid, 0 };
    double starts[STARTS][3], best = HUGE_VAL, chosen[3] = { 0, 0, 0 };
    *out = (abut_solid_obb){ .starts = starts_of(solid, starts) };
    for (int i = 0; i < out->starts; ++i) {
        const double volume = descend(&problem, starts[i]);
        if (!(volume < best))
            continue;
        best = volume;
        ++out->minima;
        for (int k = 0; k < 3; ++k)
            chosen[k] = starts[i][k];
    }
    double lo[3], hi[3], half[3];
    const box_axes axes = axes_of(chosen);
    extents(&problem, &axes, ACCURACY, lo, hi);
    for (int i = 0; i < 3; ++i) {
        out->axis[i] = axes.axis[i];
        out->center = abut_madd(out->center, 0.5 * (lo[i] + hi[i]), axes.axis[i]);
        /* The axes are orthonormal up to some ulp, and so is the centre. */
        half[i] = 0.5 * (hi[i] - lo[i]) + 1e-14 * solid->features.scale;
    }
    out->half = abut_v3(half[0], half[1], half[2]);
    out->volume = 8 * half[0] * half[1] * half[2];
    out->evaluations = problem.evaluations;
}

abut_status abut_solid_enclosing_box(const abut_shape *shape, abut_solid_obb *out)
{
    if (!shape || !out)
        return ABUT_ERR_ARGUMENT;
    const abut_solid *solid = abut_shape_solid(shape);
    if (!solid)
        return ABUT_ERR_UNSUPPORTED;
    const abut_nearest_library saved = abut_nearest_enter_library();
    enclose(solid, out);
    abut_nearest_leave_library(saved);
    return ABUT_OK;
}
