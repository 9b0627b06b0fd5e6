/* SPDX-License-Identifier: MIT */
/* The point of a solid farthest from a point or along a direction (Schoemer, Reichel, Warken 2002,
 * section 4), enclosed.
 *
 * On planes, cylinders and cones there is no local maximum in the inside of a face: the boundary has
 * one that is as far, so that only edges, apexes, spheres, tori and other quadrics are searched: points,
 * segments, arcs and patches of spheres and tori by closed forms, all others by branch and bound over
 * their cells, whose oriented boxes get thin with the square of their width.
 *
 * A face trimmed by loops is searched as its whole range: the upper bound holds all the same, the
 * lower bound comes from its edges alone. */
#include "solid/reach.h"

#include <math.h>

#define STACK  256
#define BUDGET 4000

static double value_of(const abut_reach_query *q, abut_vec3 p)
{
    return q->along ? abut_dot(q->direction, p) : abut_length(abut_sub(p, q->from));
}

/* Greatest value over the cell's box. */
static double upper_of(const abut_reach_query *q, const abut_cell *cell)
{
    if (q->along) {
        double sum = abut_dot(q->direction, cell->center);
        for (int i = 0; i < 3; ++i)
            sum += fabs(abut_dot(q->direction, cell->axis[i])) * cell->half[i];
        return sum;
    }
    const abut_vec3 d = abut_sub(cell->center, q->from);
    double square = 0;
    for (int i = 0; i < 3; ++i) {
        const double far = fabs(abut_dot(d, cell->axis[i])) + cell->half[i];
        square += far * far;
    }
    return sqrt(square);
}

/* The unit vector within the range nearest to (x, y). */
static void clamp_direction(const abut_arc_range *r, double *x, double *y)
{
    const double n = sqrt(*x * *x + *y * *y);
    if (!(n > 0)) {
        *x = r->c;
        *y = r->s;
        return;
    }
    *x /= n;
    *y /= n;
    if (r->cos_half <= -1 || *x * r->c + *y * r->s >= r->cos_half)
        return;
    const double side = r->c * *y - r->s * *x >= 0 ? r->sin_half : -r->sin_half;
    *x = r->c * r->cos_half - r->s * side;
    *y = r->s * r->cos_half + r->c * side;
}

/* Where the maximum is known in closed form: points, segments, arcs, and patches of tori and spheres,
 * whose two angles part: the best direction around the axis does not depend on that of the section
 * circle, whose distance from the axis is never negative. */
static bool closed_form(const abut_reach_query *q, const abut_part *part, abut_vec3 *out)
{
    /* Towards the far side. */
    const abut_vec3 away = q->along ? q->direction : abut_sub(part->o, q->from);
    double x = abut_dot(away, part->x), y = abut_dot(away, part->y);
    const double z = abut_dot(away, part->z);
    switch (part->kind) {
    case ABUT_CELL_POINT: *out = part->o; return true;
    case ABUT_CELL_SEGMENT: {
        const abut_vec3 s0 = abut_madd(part->o, part->v0, part->z),
                        s1 = abut_madd(part->o, part->v1, part->z);
        *out = value_of(q, s0) > value_of(q, s1) ? s0 : s1;
        return true;
    }
    case ABUT_CELL_ARC:
        clamp_direction(&part->a, &x, &y);
        *out = abut_madd(abut_madd(part->o, part->radius * x, part->x), part->radius * y, part->y);
        return true;
    case ABUT_CELL_TORUS: {
        const double fx = x, fy = y;
        clamp_direction(&part->a, &x, &y);
        /* In the half-plane of that direction, from the section circle's centre for a distance. */
        double c = fx * x + fy * y + (q->along ? 0 : part->major), h = z;
        clamp_direction(&part->b, &c, &h);
        const double rho = part->major + part->radius * c;
        *out = abut_madd(abut_madd(abut_madd(part->o, rho * x, part->x), rho * y, part->y), part->radius * h,
                         part->z);
        return true;
    }
    default: return false;
    }
}

static bool has_inner_maximum(const abut_part *part)
{
    switch (part->kind) {
    case ABUT_CELL_PLANE:
    case ABUT_CELL_TRIANGLE:
    case ABUT_CELL_CYLINDER: return false;
    case ABUT_CELL_CONE: return part->v0 <= 0; /* the apex */
    default: return true;
    }
}

static void consider(const abut_reach_query *q, abut_vec3 p, abut_reach *out)
{
    const double value = value_of(q, p);
    if (value > out->lo) {
        out->lo = value;
        out->point = p;
    }
}

static void search(const abut_features *features, uint32_t number, const abut_reach_query *q, double goal,
                   abut_reach *out)
{
    const abut_part *part = &features->parts[number];
    const double slack = ABUT_CELL_SLACK * features->scale;
    abut_cell stack[STACK];
    int depth = 0;
    uint64_t spent = 0;
    abut_vec3 best = part->o; /* of a cone: its rims are edges, the apex is a point of its own */
    if (part->kind == ABUT_CELL_CONE || closed_form(q, part, &best)) {
        if (part->trim == ABUT_TRIM_NONE)
            consider(q, best, out);
        out->hi = fmax(out->hi, value_of(q, best) + slack);
        return;
    }
    abut_cell_root(part, number, slack, &stack[depth++]);
    while (depth > 0) {
        const abut_cell cell = stack[--depth];
        ++out->cells;
        const double upper = upper_of(q, &cell);
        if (part->trim == ABUT_TRIM_NONE)
            consider(q, cell.sample, out);
        if (upper <= out->lo + goal || upper <= out->hi)
            continue;
        if (++spent > BUDGET || depth + 2 > STACK) {
            out->hi = fmax(out->hi, upper);
            continue;
        }
        abut_cell halves[2];
        abut_cell_split(part, &cell, halves);
        double bound[2];
        for (int i = 0; i < 2; ++i) {
            abut_cell_fit(part, slack, &halves[i]);
            bound[i] = upper_of(q, &halves[i]);
        }
        /* A cell that no longer shrinks is as good as it gets. */
        if (fmax(bound[0], bound[1]) >= upper && cell.radius <= 4 * slack) {
            out->hi = fmax(out->hi, upper);
            continue;
        }
        const int first = bound[0] > bound[1]; /* the better one is taken first: pushed last */
        stack[depth++] = halves[first];
        stack[depth++] = halves[1 - first];
    }
}

void abut_features_reach(const abut_features *features, const abut_reach_query *q, double accuracy,
                         abut_reach *out)
{
    const double goal = accuracy * features->scale;
    *out = (abut_reach){ .lo = -HUGE_VAL, .hi = -HUGE_VAL };
    for (uint32_t i = 0; i < features->count; ++i)
        if (has_inner_maximum(&features->parts[i]))
            search(features, i, q, goal, out);
    /* Cells were dropped within the goal of the best point so far, which is at most the final one. */
    out->hi = fmax(out->hi, out->lo + goal) + 4 * ABUT_CELL_SLACK * features->scale;
}
