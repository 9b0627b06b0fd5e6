/* SPDX-License-Identifier: MIT */
/* Lower bounds of the distance of two cells. Any direction u separates by what the boxes' extents
 * leave of the way between their centres along u, so a good direction is searched for in doubles and
 * the bound is right for whatever it is: nearest points of the boxes by alternating projections, the
 * axes of flat boxes, and the skeletons.
 *
 * Skeletons: points of a cylinder are at its radius from the axis, of a sphere from the centre. With
 * d the distance of two skeletons, faces are at least d - r - s apart; and if D is the largest
 * distance of the other cell's points from the axis (or centre), at least r - D: a body inside a
 * bore. Both are exact where the faces are parallel, where boxes would have to be divided for ever. */
#include "math/vec3.h"
#include "narrow/brep/brep.h"

static double clamp01(double x)
{
    return x < 0 ? 0 : x > 1 ? 1 : x;
}

/* Distance of the segments p0 p1 and q0 q1 (Ericson 2005, 5.1.9): an upper estimate in doubles whose
 * direction then gives the bound. */
static void nearest_on_segments(abut_vec3 p0, abut_vec3 p1, abut_vec3 q0, abut_vec3 q1, abut_vec3 *x,
                                abut_vec3 *y)
{
    const abut_vec3 d = abut_sub(p1, p0), e = abut_sub(q1, q0), r = abut_sub(p0, q0);
    const double a = abut_dot(d, d), b = abut_dot(e, e), f = abut_dot(e, r), c = abut_dot(d, r),
                 g = abut_dot(d, e);
    double s = 0, t = 0;
    if (a > 0 && b > 0) {
        const double det = a * b - g * g;
        s = det > 0 ? clamp01((g * f - c * b) / det) : 0;
        t = (g * s + f) / b;
        if (t < 0 || t > 1) {
            t = clamp01(t);
            s = clamp01((g * t - c) / a);
        }
    } else if (a > 0)
        s = clamp01(-c / a);
    else if (b > 0)
        t = clamp01(f / b);
    *x = abut_madd(p0, s, d);
    *y = abut_madd(q0, t, e);
}

static double top_of_segment(const abut_cell *c, abut_vec3 u)
{
    return abut_larger(abut_dot(c->s0, u), abut_dot(c->s1, u));
}

/* Along u (not of unit length): the gap of p's skeleton and q's. */
static double skeleton_gap(const abut_cell *p, const abut_cell *q, abut_vec3 u)
{
    const double n = sqrt(abut_dot(u, u));
    if (!(n > 0))
        return -INFINITY;
    const double low = abut_smaller(abut_dot(q->s0, u), abut_dot(q->s1, u)), top = top_of_segment(p, u);
    return (low - top) / n - p->offset - q->offset;
}

/* Largest distance of q's points from the line through p's skeleton (or from its point), from
 * above. */
static double reach(const abut_part *pp, const abut_cell *p, const abut_part *pq, const abut_cell *q)
{
    const bool line = p->kind == ABUT_CELL_CYLINDER;
    const abut_vec3 z = line ? pp->z : abut_v3(0, 0, 0);
    double most;
    if (!line) {
        /* from a point: the farthest corner of the box */
        const abut_vec3 c = abut_sub(q->center, p->s0);
        double square = 0;
        for (int i = 0; i < 3; ++i) {
            const double x = fabs(abut_dot(c, q->axis[i])) + q->half[i];
            square += x * x;
        }
        most = sqrt(square);
    } else {
        abut_vec3 r = abut_sub(q->center, p->s0);
        r = abut_madd(r, -abut_dot(r, z), z);
        /* Across the axis: as r is, unless rounding is all there is of it. */
        abut_vec3 e = abut_unit_or(r, z);
        e = abut_madd(e, -abut_dot(e, z), z);
        if (!(abut_dot(e, e) > 0.5))
            e = abut_cross(z, q->axis[fabs(abut_dot(z, q->axis[0])) > 0.7]);
        e = abut_unit_or(e, z);
        const abut_vec3 f = abut_cross(z, e);
        const double x = fabs(abut_dot(r, e)) + abut_cell_extent(q, e),
                     y = fabs(abut_dot(r, f)) + abut_cell_extent(q, f);
        most = sqrt(x * x + y * y);
    }
    if (q->has_skeleton || q->kind == ABUT_CELL_ARC) {
        double far = 0;
        for (int i = 0; i < 2; ++i) {
            const abut_vec3 s = q->kind == ABUT_CELL_ARC ? pq->o : i ? q->s1 : q->s0;
            abut_vec3 r = abut_sub(s, p->s0);
            r = abut_madd(r, -abut_dot(r, z), z);
            far = abut_larger(far, sqrt(abut_dot(r, r)));
        }
        most = abut_smaller(most, far + (q->kind == ABUT_CELL_ARC ? pq->radius + pq->major : q->offset));
    }
    return most;
}

static bool is_point(const abut_part *part, const abut_cell *c)
{
    return c->kind == ABUT_CELL_POINT || (c->kind == ABUT_CELL_TORUS && part->major == 0);
}

/* From p, whose points are at its offset from one point, to q, whose nearest point to that one is known in
 * closed form: exact where that is outside of p's ball. */
static double point_bound(const abut_cell *p, const abut_part *pq, const abut_cell *q)
{
    double wide = 0;
    abut_cell flat;
    switch (q->kind) {
    case ABUT_CELL_ARC: wide = pq->major; break;
    case ABUT_CELL_TRIANGLE:
        if (q->bulge > 0)
            return -INFINITY;
        if (q->bulge < 0) {
            /* The cell is inside of the triangle of its corners. */
            flat = *q;
            flat.bulge = 0;
            q = &flat;
        }
        break;
    case ABUT_CELL_POINT:
    case ABUT_CELL_SEGMENT:
    case ABUT_CELL_PLANE:
    case ABUT_CELL_CYLINDER:
    case ABUT_CELL_CONE:
    case ABUT_CELL_TORUS: break;
    default: return -INFINITY;
    }
    return abut_length(abut_sub(abut_cell_project(pq, q, p->s0), p->s0)) - wide - p->offset;
}

/* Distance of a point from the main circle of a torus. */
static double from_circle(const abut_part *torus, abut_vec3 p)
{
    const abut_vec3 d = abut_sub(p, torus->o);
    const double x = abut_dot(d, torus->x), y = abut_dot(d, torus->y), z = abut_dot(d, torus->z);
    const double q = sqrt(x * x + y * y) - torus->major;
    return sqrt(q * q + z * z);
}

static double torus_bound(const abut_part *torus, const abut_cell *q)
{
    /* Exact from a point; from a segment less what it is long. */
    const abut_vec3 mid = abut_scale(0.5, abut_add(q->s0, q->s1)), d = abut_sub(q->s1, q->s0);
    const double away = from_circle(torus, mid), half = 0.5 * sqrt(abut_dot(d, d)) + q->offset;
    return abut_larger(away - half - torus->radius, torus->radius - away - half);
}

/* From a point (or short segment) to a circle. */
static double circle_bound(const abut_part *arc, const abut_cell *q)
{
    const abut_vec3 mid = abut_scale(0.5, abut_add(q->s0, q->s1)), d = abut_sub(q->s1, q->s0);
    const abut_vec3 e = abut_sub(mid, arc->o);
    const double x = abut_dot(e, arc->x), y = abut_dot(e, arc->y), z = abut_dot(e, arc->z);
    const double w = sqrt(x * x + y * y) - arc->radius;
    return sqrt(w * w + z * z) - arc->major - 0.5 * sqrt(abut_dot(d, d)) - q->offset;
}

/* Distance of two boxes from below: from p to the box around q along p's axes, and the other way round. The
 * cosines of their axes serve both. */
static double box_bound(const abut_cell *p, const abut_cell *q, abut_vec3 d)
{
    double along[3] = { 0, 0, 0 }, square = 0, other = 0;
    for (int i = 0; i < 3; ++i) {
        const abut_vec3 u = p->axis[i];
        double reach = p->half[i];
        for (int k = 0; k < 3; ++k) {
            const double c = fabs(abut_dot(u, q->axis[k]));
            reach += c * q->half[k];
            along[k] += c * p->half[i];
        }
        const double gap = fabs(abut_dot(d, u)) - reach;
        square += gap > 0 ? gap * gap : 0;
    }
    for (int k = 0; k < 3; ++k) {
        const double gap = fabs(abut_dot(d, q->axis[k])) - q->half[k] - along[k];
        other += gap > 0 ? gap * gap : 0;
    }
    return sqrt(square > other ? square : other);
}

double abut_brep_bound(const abut_cell *p, const abut_cell *q, double enough)
{
    const abut_vec3 d = abut_sub(q->center, p->center);
    double low = sqrt(abut_dot(d, d)) - p->radius - q->radius;
    if (low >= enough)
        return low;
    low = abut_larger(low, box_bound(p, q, d));
    /* Boxes that overlap in both frames, and those of groups, are left to what is below them. */
    if (low >= enough || low <= 0 || p->kind == ABUT_CELL_GROUP || q->kind == ABUT_CELL_GROUP)
        return low;
    abut_vec3 y = q->center, x = abut_cell_nearest(p, y);
    double last = INFINITY;
    for (int i = 0; i < 3; ++i) {
        y = abut_cell_nearest(q, x);
        const abut_vec3 u = abut_sub(y, x);
        const double n = sqrt(abut_dot(u, u));
        if (!(n > 0))
            break;
        const double gap = (abut_dot(d, u) - abut_cell_extent(p, u) - abut_cell_extent(q, u)) / n;
        low = abut_larger(low, gap);
        if (low >= enough || gap > 0.9 * n || n > 0.99 * last || n < enough)
            break;
        last = n;
        x = abut_cell_nearest(p, y);
    }
    return low;
}

/* The gap of the cells along u, from p to q, by their support. */
static double support_gap(const abut_part *pp, const abut_cell *p, const abut_part *pq, const abut_cell *q,
                          abut_vec3 u, double slack)
{
    return -abut_cell_support(pq, q, abut_scale(-1, u), slack) - abut_cell_support(pp, p, u, slack);
}

double abut_brep_bound_toward(const abut_part *pp, const abut_cell *p, const abut_part *pq,
                              const abut_cell *q, abut_vec3 x, abut_vec3 y, double slack)
{
    const abut_vec3 d = abut_sub(y, x);
    const double n = sqrt(abut_dot(d, d));
    return n > 0 ? support_gap(pp, p, pq, q, abut_scale(1 / n, d), slack) : -INFINITY;
}

double abut_brep_bound_parts(const abut_part *pp, const abut_cell *p, const abut_part *pq, const abut_cell *q,
                             double enough)
{
    double low = -INFINITY;
    if (is_point(pp, p))
        low = abut_larger(low, point_bound(p, pq, q));
    if (is_point(pq, q))
        low = abut_larger(low, point_bound(q, pp, p));
    if (low >= enough)
        return low;
    if (p->has_skeleton && q->has_skeleton && (p->offset > 0 || q->offset > 0)) {
        abut_vec3 s, t;
        nearest_on_segments(p->s0, p->s1, q->s0, q->s1, &s, &t);
        low = abut_larger(low, skeleton_gap(p, q, abut_sub(t, s)));
    }
    if (p->has_skeleton && p->offset > 0 && low < enough)
        low = abut_larger(low, p->offset - reach(pp, p, pq, q));
    if (q->has_skeleton && q->offset > 0 && low < enough)
        low = abut_larger(low, q->offset - reach(pq, q, pp, p));
    if (low >= enough)
        return low;
    low = abut_larger(low, abut_brep_ring_bound(pp, p, pq, q));
    if (low < enough)
        low = abut_larger(low, abut_brep_ring_bound(pq, q, pp, p));
    if (low < enough && q->kind == ABUT_CELL_TRIANGLE)
        low = abut_larger(low, abut_brep_ring_plane_bound(pp, p, pq, q));
    if (low < enough && p->kind == ABUT_CELL_TRIANGLE)
        low = abut_larger(low, abut_brep_ring_plane_bound(pq, q, pp, p));
    if (p->kind == ABUT_CELL_TORUS && pp->major > 0 && q->has_skeleton)
        low = abut_larger(low, torus_bound(pp, q));
    if (q->kind == ABUT_CELL_TORUS && pq->major > 0 && p->has_skeleton)
        low = abut_larger(low, torus_bound(pq, p));
    if (p->kind == ABUT_CELL_ARC && q->has_skeleton)
        low = abut_larger(low, circle_bound(pp, q));
    if (q->kind == ABUT_CELL_ARC && p->has_skeleton)
        low = abut_larger(low, circle_bound(pq, p));
    return low;
}

/* Cosines are compared with this much room: more than rounding, and than what counts as smooth. */
static const double room = 1e-6;

/* Is the angle of n and u (unit vectors) certainly more than the sum of the half-angles? Their sum is less
 * than half a turn where the sum of their cosines is positive; the sine of the sum does not tell, which is 0
 * for two half turns, too. */
static bool beyond(abut_vec3 n, abut_vec3 u, double cos_a, double sin_a, double cos_b, double sin_b)
{
    return cos_a + cos_b > 0 && abut_dot(n, u) < cos_a * cos_b - sin_a * sin_b - room;
}

/* Normals of a cylinder or cone make one angle with its axis, all around: can they be opposite to those
 * of q? */
static bool can_oppose(const abut_part *pp, const abut_cell *q)
{
    if (pp->kind != ABUT_CELL_CYLINDER && pp->kind != ABUT_CELL_CONE)
        return true;
    const double wanted = pp->kind == ABUT_CELL_CONE ? pp->sense * pp->slope : 0;
    /* q's normals are within its cone: their part along the axis is cos(f) to cos(f +- angle). */
    const double c = abut_dot(q->normal, pp->z), s = sqrt(abut_larger(0, (1 - c) * (1 + c)));
    const double high = c >= q->cone_cos ? 1 : c * q->cone_cos + s * q->cone_sin;
    const double low = -c >= q->cone_cos ? -1 : c * q->cone_cos - s * q->cone_sin;
    return wanted >= low - room && wanted <= high + room;
}

bool abut_brep_may_oppose(const abut_part *pp, const abut_cell *p, const abut_part *pq, const abut_cell *q)
{
    const bool face_p = p->kind >= ABUT_CELL_PLANE && !p->wide,
               face_q = q->kind >= ABUT_CELL_PLANE && !q->wide;
    if (face_p && face_q &&
        beyond(p->normal, abut_scale(-1, q->normal), p->cone_cos, p->cone_sin, q->cone_cos, q->cone_sin))
        return false;
    return (!face_q || can_oppose(pp, q)) && (!face_p || can_oppose(pq, p));
}

bool abut_brep_is_critical(const abut_part *pp, const abut_cell *p, const abut_part *pq, const abut_cell *q)
{
    const bool face_p = p->kind >= ABUT_CELL_PLANE && !p->wide,
               face_q = q->kind >= ABUT_CELL_PLANE && !q->wide;
    if (!face_p && !face_q)
        return true;
    if (!abut_brep_may_oppose(pp, p, pq, q))
        return false;
    const abut_vec3 d = abut_sub(q->center, p->center);
    const double n = sqrt(abut_dot(d, d)), sine = (p->radius + q->radius) / n;
    if (!(sine < 1))
        return true;
    const double cosine = sqrt((1 - sine) * (1 + sine));
    const abut_vec3 u = abut_scale(1 / n, d);
    if (face_p && beyond(p->normal, u, p->cone_cos, p->cone_sin, cosine, sine))
        return false;
    return !(face_q && beyond(q->normal, abut_scale(-1, u), q->cone_cos, q->cone_sin, cosine, sine));
}
