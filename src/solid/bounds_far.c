/* SPDX-License-Identifier: MIT */
/* The point of a solid farthest from a point or along a direction (Schoemer, Reichel, Warken 2002,
 * section 4), enclosed.
 *
 * On planes, cylinders and cones there is no local maximum in the inside of a face: the boundary has
 * one that is as far, so that only edges, apexes, spheres, tori and other quadrics are searched: points,
 * segments, arcs and patches of spheres and tori by closed forms, cubics by the Bernstein form of the square
 * of the distance, all others by branch and bound over their cells, whose oriented boxes get thin with the
 * square of their width and which count only where a normal may be along the direction.
 *
 * A sphere, and the sheet of a torus, has one local maximum (docs/notes/cad-solids.md). Where a face trimmed
 * by loops holds it, it counts; where it is outside of the face by a margin, the greatest value is at an edge,
 * or at the maximum of a face beyond a smooth edge. Cells of other quadrics that are outside of the loops are
 * left out. The tree over the features leaves out what is nearer than the best point found. */
#include "math/vec3.h"
#include "solid/curve.h"
#include "solid/reach.h"
#include "solid/trim.h"

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

/* The point of a cubic that is farthest along a direction: an end, or a zero of the derivative. */
static abut_vec3 cubic_along(const abut_part *part, abut_vec3 direction)
{
    const abut_vec3 *p = part->points;
    double d[3], t[4] = { 0, 1, 0, 0 }, most = -HUGE_VAL;
    int count = 2;
    for (int i = 0; i < 3; ++i)
        d[i] = abut_dot(direction, abut_sub(p[i + 1], p[i]));
    /* (d0 - 2 d1 + d2) t^2 + 2 (d1 - d0) t + d0 */
    const double a = d[0] - 2 * d[1] + d[2], b = d[1] - d[0], det = b * b - a * d[0];
    if (det >= 0) {
        const double w = -(b + copysign(sqrt(det), b));
        if (a != 0)
            t[count++] = w / a;
        if (w != 0)
            t[count++] = d[0] / w;
    }
    abut_vec3 best = p[0];
    for (int i = 0; i < count; ++i) {
        const double s = fmin(1, fmax(0, t[i])), r = 1 - s;
        const abut_vec3 at = abut_add(abut_madd(abut_scale(r * r * r, p[0]), 3 * r * r * s, p[1]),
                                      abut_madd(abut_scale(3 * r * s * s, p[2]), s * s * s, p[3]));
        if (abut_dot(direction, at) > most) {
            most = abut_dot(direction, at);
            best = at;
        }
    }
    return best;
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
    case ABUT_CELL_ELLIPSE:
        if (!q->along)
            return false;
        clamp_direction(&part->a, &x, &y);
        *out = abut_madd(abut_madd(part->o, x, part->x), y, part->y);
        return true;
    case ABUT_CELL_CUBIC:
        if (!q->along)
            return false;
        *out = cubic_along(part, q->direction);
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

/* On a ruled surface the distance is a convex function along the rulings, so that none of its points is a
 * maximum; but a tip may be one. */
static bool has_inner_maximum(const abut_part *part)
{
    const abut_vec3 r = part->radii;
    switch (part->kind) {
    case ABUT_CELL_PLANE:
    case ABUT_CELL_TRIANGLE:
    case ABUT_CELL_CYLINDER: return false;
    case ABUT_CELL_CONE: return part->v0 <= 0; /* the apex */
    case ABUT_CELL_RING: return part->major == 0 && part->v0 <= 0;
    case ABUT_CELL_GRAPH: return part->rise > 0 ? r.x > 0 && r.y > 0 : r.x * r.y > 0;
    default: return true;
    }
}

/* May a normal of the cell be along the direction (from the point) to one of its points? Else no maximum is in
 * it. */
static bool may_be_critical(const abut_reach_query *q, const abut_cell *cell)
{
    if (cell->wide)
        return true;
    double cosine = 1, sine = 0;
    abut_vec3 u = q->direction;
    if (!q->along) {
        const abut_vec3 d = abut_sub(cell->center, q->from);
        const double n = abut_length(d);
        sine = cell->radius / n;
        if (!(sine < 1))
            return true;
        cosine = sqrt((1 - sine) * (1 + sine));
        u = abut_scale(1 / n, d);
    }
    const double c = cell->cone_cos * cosine - cell->cone_sin * sine,
                 s = cell->cone_sin * cosine + cell->cone_cos * sine;
    return s < 0 || fabs(abut_dot(cell->normal, u)) >= c - 1e-6;
}

static void consider(const abut_reach_query *q, abut_vec3 p, abut_reach *out)
{
    const double value = value_of(q, p);
    if (value > out->lo) {
        out->lo = value;
        out->point = p;
    }
}

/* Points of the edges of a face that are near to p. */
static void consider_edges(const abut_solid *solid, uint32_t face, const abut_reach_query *q, abut_vec3 p,
                           abut_reach *out)
{
    const abut_solid_face *f = &solid->def.faces[face];
    for (size_t k = 0; k < f->loop_count; ++k)
        for (size_t i = 0; i < f->loops[k].count; ++i) {
            const uint32_t edge = f->loops[k].coedges[i].edge;
            for (size_t j = solid->piece_starts[edge]; j < solid->piece_starts[edge + 1]; ++j)
                consider(q, abut_cell_project(&solid->pieces[j], &solid->piece_cells[j], p), out);
        }
}

/* A point of the surface of a face that is as far as any near it. */
static void consider_maximum(const abut_solid *solid, const abut_part *part, const abut_reach_query *q,
                             abut_vec3 best, abut_reach *out)
{
    const double scale = solid->features.scale, slack = ABUT_CELL_SLACK * scale;
    const double value = value_of(q, best);
    if (value + slack <= out->lo)
        return;
    const int in = abut_trim_contains(solid, part->entity, best);
    if (in == 0 && abut_trim_clearance(solid, part->entity, best) > 1e-6 * scale)
        return;
    if (in > 0)
        consider(q, best, out);
    else
        consider_edges(solid, part->entity, q, best, out);
    out->hi = fmax(out->hi, value + slack);
}

/* The ends of the sheet of a torus that crosses its axis: no edges are there. */
static void consider_tips(const abut_solid *solid, const abut_part *part, const abut_reach_query *q,
                          abut_reach *out)
{
    if (part->major == 0 || part->b.cos_half <= -1)
        return;
    const double high = part->radius * part->b.sin_half;
    consider_maximum(solid, part, q, abut_madd(part->o, high, part->z), out);
    consider_maximum(solid, part, q, abut_madd(part->o, -high, part->z), out);
}

/* Points of a circle that are tried where all of it is as far, within rounding. */
enum { AROUND = 32 };

/* A face trimmed by loops on a sphere or torus. False for the centre of a sphere, from which all of it is as
 * far. */
static bool search_round(const abut_solid *solid, const abut_part *part, const abut_reach_query *q,
                         abut_reach *out)
{
    const abut_vec3 away = q->along ? q->direction : abut_sub(part->o, q->from);
    const double x = abut_dot(away, part->x), y = abut_dot(away, part->y);
    const double across = sqrt(x * x + y * y), total = abut_length(away);
    const double unit = q->along ? 1 : solid->features.scale, least = 1e-6 * unit;
    abut_vec3 best;
    if ((part->major == 0 && total <= 1e-12 * unit) || !closed_form(q, part, &best))
        return false;
    consider_tips(solid, part, q, out);
    consider_maximum(solid, part, q, best, out);
    if (part->major == 0 || across > least)
        return true;
    const abut_vec3 d = abut_sub(best, part->o), up = abut_scale(abut_dot(d, part->z), part->z);
    const double rho = abut_length(abut_sub(d, up));
    for (int i = 0; i < AROUND; ++i) {
        const double angle = 6.28318530717958648 * i / AROUND;
        const abut_vec3 m = abut_add(abut_scale(cos(angle), part->x), abut_scale(sin(angle), part->y));
        consider_maximum(solid, part, q, abut_madd(abut_add(part->o, up), rho, m), out);
    }
    return true;
}

/* Is the cell of a face that is trimmed by loops outside of them? Its sample counts where it is in the face. */
static bool is_outside(const abut_solid *solid, const abut_part *part, const abut_cell *cell, double slack,
                       const abut_reach_query *q, abut_reach *out)
{
    const int in = abut_trim_contains(solid, part->entity, cell->sample);
    if (in > 0)
        consider(q, cell->sample, out);
    return in == 0 && abut_trim_clearance(solid, part->entity, cell->center) > cell->radius + slack;
}

/* The square of the distance of a point from a cubic, between two of its parameters, in Bernstein form. */
typedef struct square_piece {
    double b[7], from, to;
} square_piece;

static double greatest_of(const square_piece *p)
{
    double most = p->b[0];
    for (int i = 1; i < 7; ++i)
        most = fmax(most, p->b[i]);
    return sqrt(fmax(0, most));
}

static void halve(const square_piece *p, square_piece halves[2])
{
    double b[7];
    for (int i = 0; i < 7; ++i)
        b[i] = p->b[i];
    for (int i = 0; i < 7; ++i) {
        halves[0].b[i] = b[0];
        halves[1].b[6 - i] = b[6 - i];
        for (int k = 0; k < 6 - i; ++k)
            b[k] = 0.5 * (b[k] + b[k + 1]);
    }
    halves[0].from = p->from;
    halves[0].to = halves[1].from = 0.5 * (p->from + p->to);
    halves[1].to = p->to;
}

/* A cubic farthest from a point: the coefficients are no less than the square of the distance, and differ from it
 * by what it bends, which is nothing where the curve runs about the point. */
static void search_cubic(const abut_part *part, const abut_reach_query *q, double goal, double slack,
                         abut_reach *out)
{
    static const double choose[4] = { 1, 3, 3, 1 }, over[7] = { 1, 6, 15, 20, 15, 6, 1 };
    square_piece stack[64];
    stack[0] = (square_piece){ .from = 0, .to = 1 };
    for (int i = 0; i < 4; ++i)
        for (int k = 0; k < 4; ++k)
            stack[0].b[i + k] +=
                choose[i] * choose[k] / over[i + k] *
                abut_dot(abut_sub(part->points[i], q->from), abut_sub(part->points[k], q->from));
    abut_vec3 tangent;
    consider(q, part->points[0], out);
    consider(q, part->points[3], out);
    for (int depth = 1, spent = 0; depth > 0; ++spent) {
        const square_piece p = stack[--depth];
        const double upper = greatest_of(&p) + slack + part->radius;
        ++out->cells;
        if (upper <= out->lo + goal || upper <= out->hi)
            continue;
        consider(q, abut_piece_at(part, 0.5 * (p.from + p.to), &tangent), out);
        if (upper <= out->lo + goal + 2 * part->radius || p.to - p.from < 1e-9 || spent > BUDGET ||
            depth + 2 > 64) {
            out->hi = fmax(out->hi, upper);
            continue;
        }
        square_piece halves[2];
        halve(&p, halves);
        const int first = greatest_of(&halves[0]) > greatest_of(&halves[1]);
        stack[depth++] = halves[first];
        stack[depth++] = halves[1 - first];
    }
}

static void search(const abut_solid *solid, uint32_t number, const abut_reach_query *q, double goal,
                   abut_reach *out)
{
    const abut_features *features = &solid->features;
    abut_part own = features->parts[number];
    const abut_part *part = &own;
    const double slack = ABUT_CELL_SLACK * features->scale;
    const bool trimmed = part->trim == ABUT_TRIM_LOOPS;
    if (trimmed && part->kind == ABUT_CELL_TORUS && search_round(solid, part, q, out))
        return;
    if (trimmed && solid->spans) {
        own.a = solid->spans[part->entity].a;
        own.b = solid->spans[part->entity].b;
    }
    if (part->kind == ABUT_CELL_CUBIC && !q->along) {
        search_cubic(part, q, goal, slack, out);
        return;
    }
    if (part->kind == ABUT_CELL_RING) {
        consider_maximum(solid, part, q, part->o, out);
        return;
    }
    abut_cell stack[STACK];
    int depth = 0;
    uint64_t spent = 0;
    abut_vec3 best = part->o; /* of a cone: its rims are edges, the apex is a point of its own */
    if (part->kind == ABUT_CELL_CONE || closed_form(q, part, &best)) {
        if (part->trim == ABUT_TRIM_NONE)
            consider(q, best, out);
        const double tube = part->kind == ABUT_CELL_CUBIC ? part->radius : 0;
        out->hi = fmax(out->hi, value_of(q, best) + slack + tube);
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
        if (part->face && !may_be_critical(q, &cell))
            continue;
        if (trimmed && is_outside(solid, part, &cell, slack, q, out))
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

static double upper_of_box(const abut_reach_query *q, const abut_aabb *b)
{
    const abut_vec3 mid = abut_scale(0.5, abut_add(b->lo, b->hi)),
                    half = abut_scale(0.5, abut_sub(b->hi, b->lo));
    const abut_cell cell = { .center = mid,
                             .axis = { { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 } },
                             .half = { half.x, half.y, half.z } };
    return upper_of(q, &cell);
}

/* Through the tree, the better child first; trimmed faces are left to a second pass, when the edges have given
 * a bound. */
static void descend(const abut_solid *solid, const abut_reach_query *q, double goal, bool trimmed,
                    abut_reach *out)
{
    const abut_features *f = &solid->features;
    int32_t stack[2 * STACK];
    int depth = 0;
    stack[depth++] = f->node_count ? (int32_t)f->node_count - 1 : ~0;
    while (depth > 0) {
        const int32_t at = stack[--depth];
        if (at < 0) {
            const abut_part *part = &f->parts[~at];
            if (has_inner_maximum(part) && (part->trim == ABUT_TRIM_LOOPS) == trimmed)
                search(solid, (uint32_t)~at, q, goal, out);
            continue;
        }
        const abut_feature_node *node = &f->nodes[at];
        ++out->cells;
        if (upper_of_box(q, &node->box) <= out->lo)
            continue;
        double upper[2];
        for (int i = 0; i < 2; ++i)
            upper[i] = node->child[i] < 0 ? HUGE_VAL : upper_of_box(q, &f->nodes[node->child[i]].box);
        const int first = upper[0] > upper[1];
        stack[depth++] = node->child[first];
        stack[depth++] = node->child[1 - first];
    }
}

void abut_solid_reach(const abut_solid *solid, const abut_reach_query *q, double accuracy, abut_reach *out)
{
    const double scale = solid->features.scale, goal = accuracy * scale;
    *out = (abut_reach){ .lo = -HUGE_VAL, .hi = -HUGE_VAL };
    descend(solid, q, goal, false, out);
    descend(solid, q, goal, true, out);
    /* Cells were dropped within the goal of the best point so far, which is at most the final one. */
    out->hi = fmax(out->hi, out->lo + goal) + 4 * ABUT_CELL_SLACK * scale;
}
