/* SPDX-License-Identifier: MIT */
/* Crossings of a line with planes, quadrics and tori, by interval arithmetic.
 *
 * In the part's frame a quadric is  sum w_i x_i^2 + l z + k = 0, which along the line is a quadratic in t
 * with enclosed coefficients: the sign of its discriminant is decided or the crossing is doubtful. A torus
 * gives a quartic; its real roots are found by bisection of the range where the line is in the torus's
 * ball, with the mean-value form, and narrowed by the interval Newton method (Moore, Kearfott, Cloud 2009,
 * chapter 8). */
#include "solid/crossing.h"
#include "interval/ia.h"

#define MOST_STEPS 400

typedef struct line {
    const abut_part *part;
    abut_vec3 at, along;
    double far;
    abut_interval *t;
    int count;
} line;

static ia dot(abut_vec3 a, const ia b[3])
{
    return ia_add(ia_add(ia_scale(a.x, b[0]), ia_scale(a.y, b[1])), ia_scale(a.z, b[2]));
}

/* The quadric  sum w_i x_i^2 + l z + k = 0. */
typedef struct quadric {
    ia w[3], l, k;
    bool nappe; /* only where z > 0 */
} quadric;

static ia square(double x)
{
    return ia_sqr(ia_point(x));
}

static ia inverse_square(double x)
{
    return ia_div(ia_point(1), square(x));
}

static bool quadric_of(const abut_part *p, quadric *q)
{
    const ia one = ia_point(1), zero = ia_point(0);
    *q = (quadric){ { zero, zero, zero }, zero, zero, false };
    switch (p->kind) {
    case ABUT_CELL_PLANE: q->l = one; return true;
    case ABUT_CELL_CYLINDER:
        q->w[0] = q->w[1] = one;
        q->k = ia_neg(square(p->radius));
        return true;
    case ABUT_CELL_CONE:
        q->w[0] = q->w[1] = square(p->rise);
        q->w[2] = ia_neg(square(p->slope));
        q->nappe = true;
        return true;
    case ABUT_CELL_TORUS:
        q->w[0] = q->w[1] = q->w[2] = one;
        q->k = ia_neg(square(p->radius));
        return p->major == 0;
    case ABUT_CELL_ELLIPSOID:
        q->w[0] = inverse_square(p->radii.x);
        q->w[1] = inverse_square(p->radii.y);
        q->w[2] = inverse_square(p->radii.z);
        q->k = ia_point(-1);
        return true;
    case ABUT_CELL_RING:
        q->w[0] = inverse_square(p->radii.x);
        q->w[1] = inverse_square(p->radii.y);
        q->w[2] = ia_point(-p->slope);
        q->k = ia_point(-p->major);
        q->nappe = p->major == 0;
        return true;
    case ABUT_CELL_GRAPH:
        q->w[0] = ia_point(-p->radii.x);
        q->w[1] = ia_point(-p->radii.y);
        if (p->rise > 0) {
            q->w[2] = one;
            q->k = ia_neg(square(p->radii.z));
            q->nappe = true;
        } else
            q->l = one;
        return true;
    default: return false;
    }
}

/* False where the side of the apex is not decided. */
static bool add(line *l, const ia p[3], const ia d[3], bool nappe, ia t)
{
    if (ia_lo(t) > l->far || ia_hi(t) < -l->far)
        return true;
    if (nappe) {
        const ia z = ia_add(p[2], ia_mul(t, d[2]));
        if (ia_is_negative(z))
            return true;
        if (!ia_is_positive(z))
            return false;
    }
    l->t[l->count++] = ia_to(t);
    return true;
}

/* a t^2 + 2 b t + c = 0. */
static int cross_quadric(line *l, const quadric *q, const ia p[3], const ia d[3])
{
    ia a = ia_point(0), b = ia_scale(0.5, ia_mul(q->l, d[2])), c = ia_add(ia_mul(q->l, p[2]), q->k);
    for (int i = 0; i < 3; ++i) {
        a = ia_add(a, ia_mul(q->w[i], ia_sqr(d[i])));
        b = ia_add(b, ia_mul(q->w[i], ia_mul(p[i], d[i])));
        c = ia_add(c, ia_mul(q->w[i], ia_sqr(p[i])));
    }
    const bool linear = ia_lo(a) == 0 && ia_hi(a) == 0;
    if (linear) {
        if (ia_contains_zero(b))
            return -1;
        return add(l, p, d, q->nappe, ia_div(ia_scale(-0.5, c), b)) ? l->count : -1;
    }
    const ia det = ia_sub(ia_sqr(b), ia_mul(a, c));
    if (ia_is_negative(det))
        return 0;
    if (!ia_is_positive(det))
        return -1;
    const ia root = ia_sqrt(det);
    ia x, y;
    if (ia_contains_zero(b)) {
        if (ia_contains_zero(a))
            return -1;
        x = ia_div(ia_neg(ia_add(b, root)), a);
        y = ia_div(ia_sub(root, b), a);
    } else {
        const ia w = ia_is_positive(b) ? ia_add(b, root) : ia_sub(b, root);
        y = ia_div(ia_neg(c), w);
        /* Where a is within rounding of 0 the other crossing is very far away, or doubtful. */
        if (ia_contains_zero(a)) {
            if (!(ia_mig(w) > 2 * l->far * ia_mag(a)))
                return -1;
            return add(l, p, d, q->nappe, y) ? l->count : -1;
        }
        x = ia_div(ia_neg(w), a);
    }
    return add(l, p, d, q->nappe, x) && add(l, p, d, q->nappe, y) ? l->count : -1;
}

static ia value_at(const ia c[5], ia t)
{
    ia sum = c[4];
    for (int i = 3; i >= 0; --i)
        sum = ia_add(ia_mul(sum, t), c[i]);
    return sum;
}

static ia slope_at(const ia c[5], ia t)
{
    ia sum = ia_scale(4, c[4]);
    for (int i = 3; i >= 1; --i)
        sum = ia_add(ia_mul(sum, t), ia_scale(i, c[i]));
    return sum;
}

/* The one crossing in t, where the slope has one sign: 1 found, 0 there is none, -1 doubtful. */
static int narrow(const ia c[5], ia *t)
{
    const int low = ia_sign(value_at(c, ia_point(ia_lo(*t)))),
              high = ia_sign(value_at(c, ia_point(ia_hi(*t))));
    if (low == 0 || high == 0)
        return -1;
    if (low == high)
        return 0;
    for (int i = 0; i < 60; ++i) {
        const double mid = ia_mid(*t), before = ia_width(*t);
        const ia m = ia_point(mid);
        const ia next = ia_intersect(ia_sub(m, ia_div(value_at(c, m), slope_at(c, *t))), *t);
        if (ia_is_empty(next))
            return -1;
        *t = next;
        if (!(ia_width(next) < 0.9 * before))
            break;
    }
    return 1;
}

/* (|x|^2 + R^2 - r^2)^2 = 4 R^2 (x^2 + y^2), about the point of the line nearest to the centre. */
static int cross_torus(line *l, const ia start[3], const ia d[3])
{
    const abut_part *part = l->part;
    const double middle =
        -ia_mid(ia_add(ia_add(ia_mul(start[0], d[0]), ia_mul(start[1], d[1])), ia_mul(start[2], d[2])));
    ia p[3], pp = ia_point(0), pd = ia_point(0), dd = ia_point(0);
    for (int i = 0; i < 3; ++i) {
        p[i] = ia_add(start[i], ia_scale(middle, d[i]));
        pp = ia_add(pp, ia_sqr(p[i]));
        pd = ia_add(pd, ia_mul(p[i], d[i]));
        dd = ia_add(dd, ia_sqr(d[i]));
    }
    const double reach = 1.01 * (fabs(part->major) + part->radius);
    if (ia_lo(pp) > reach * reach)
        return 0;
    const ia r2 = square(part->major), four = ia_scale(4, r2);
    const ia k = ia_add(pp, ia_sub(r2, square(part->radius)));
    const ia u = ia_add(ia_sqr(p[0]), ia_sqr(p[1])), w = ia_add(ia_sqr(d[0]), ia_sqr(d[1]));
    const ia v = ia_add(ia_mul(p[0], d[0]), ia_mul(p[1], d[1]));
    const ia c[5] = { ia_sub(ia_sqr(k), ia_mul(four, u)),
                      ia_sub(ia_scale(4, ia_mul(k, pd)), ia_scale(2, ia_mul(four, v))),
                      ia_sub(ia_add(ia_scale(2, ia_mul(k, dd)), ia_scale(4, ia_sqr(pd))), ia_mul(four, w)),
                      ia_scale(4, ia_mul(dd, pd)), ia_sqr(dd) };
    ia stack[64];
    int depth = 0;
    stack[depth++] = ia_make(-1.01 * reach, 1.01 * reach);
    for (int steps = 0; depth > 0; ++steps) {
        const ia x = stack[--depth];
        const double mid = ia_mid(x);
        const ia slope = slope_at(c, x);
        const ia value = ia_add(value_at(c, ia_point(mid)), ia_mul(slope, ia_sub(x, ia_point(mid))));
        if (!ia_contains_zero(value))
            continue;
        if (!ia_contains_zero(slope)) {
            ia t = x;
            const int found = narrow(c, &t);
            if (found < 0 || (found && l->count == 4))
                return -1;
            /* Where the circle crosses the axis there are two sheets: on that of the part
             * |x|^2 + R^2 - r^2 = 2 R q, on the other one -2 R q. */
            if (found && fabs(part->major) < part->radius) {
                const ia side = ia_add(k, ia_mul(t, ia_add(ia_scale(2, pd), ia_mul(t, dd))));
                if (ia_sign(side) == 0)
                    return -1;
                if ((ia_sign(side) > 0) != (part->major > 0))
                    continue;
            }
            t = ia_add(t, ia_point(middle));
            if (found && !(fabs(ia_mid(t)) > l->far))
                l->t[l->count++] = ia_to(t);
            continue;
        }
        if (steps > MOST_STEPS || depth + 2 > 64 || ia_width(x) < 1e-9 * reach)
            return -1;
        stack[depth++] = ia_make(mid, ia_hi(x));
        stack[depth++] = ia_make(ia_lo(x), mid);
    }
    return l->count;
}

static ABUT_NOINLINE void cross(line *l, int *out)
{
    const abut_part *part = l->part;
    const ia e[3] = { ia_sub(ia_point(l->at.x), ia_point(part->o.x)),
                      ia_sub(ia_point(l->at.y), ia_point(part->o.y)),
                      ia_sub(ia_point(l->at.z), ia_point(part->o.z)) };
    const ia way[3] = { ia_point(l->along.x), ia_point(l->along.y), ia_point(l->along.z) };
    const ia p[3] = { dot(part->x, e), dot(part->y, e), dot(part->z, e) };
    const ia d[3] = { dot(part->x, way), dot(part->y, way), dot(part->z, way) };
    quadric q;
    if (quadric_of(part, &q))
        *out = cross_quadric(l, &q, p, d);
    else
        *out = part->kind == ABUT_CELL_TORUS ? cross_torus(l, p, d) : -1;
}

int abut_crossings(const abut_part *part, abut_vec3 at, abut_vec3 along, double far, abut_interval t[4])
{
    line l = { part, at, along, far, t, 0 };
    int count = -1;
    const abut_rounding saved = abut_rounding_enter();
    cross(&l, &count);
    abut_rounding_leave(saved);
    return count;
}
