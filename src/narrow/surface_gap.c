/* SPDX-License-Identifier: MIT */
/* The gap between the boundaries of two surface bodies, by branch and bound over pairs of boxes of their features' unknowns, nearest first.
 *
 * A pair of boxes is dropped when
 *   - a field of a feature has no zero in its box, or none on the solid;
 *   - its lower bound exceeds the distance of two points already known. Bounds: the distance of the boxes around the points, and d . n over the pair for
 *     the direction n between the middles and for the normals, by mean values: near the nearest points J . n is as small as the box, so
 *     that this bound is off by the square of its size only, and few boxes crowd around the solution;
 *   - an equation of nearest points has no zero in it: d is across the tangents of both features. Ends of faces are edges and ends of edges are vertices,
 *     which have their own pairs;
 *   - it is proved that d is not 0 in it, and an equation of tangency has no zero in it (normals of faces are then along d), or Krawczyk's operator finds no
 *     solution of these. Where it proves that there is exactly one, that is enclosed to a few ulp and done with.
 * Surprise: surfaces that cross at an angle are nearest there, with d = 0, and not tangent. So long as d may be 0 in a pair, tangency must not drop it.
 * Middles of pairs, and what Newton's method on tangency leads to (its equations are regular at d = 0, too: bodies a little sunk in each other converge to the
 * deepest point), are tried for lying inside the other body, or for a crossing of faces: the proofs that bodies meet.
 *
 * Which unknown is halved: the one that contributes most to the width of d . n, as long as that raises the bound: along a curve of nearest points an unknown
 * contributes nothing, and is not halved for nothing. Where the bound has hardly risen, the one along which the box reaches farthest. */
#include "narrow/surface_gap.h"

#include <string.h>

enum { UNKNOWNS = ABUT_GAP_UNKNOWNS, POLISH_STEPS = 8, GRACE = 400, CROSSINGS = 64, SAMPLES = 6 };

typedef struct node {
    double lower;
    uint32_t feature[2];
    uint32_t order; /* of creation: among equals the newest comes first */
    int split;      /* the unknown to halve next */
    bool clear;     /* proved: d is not 0 in it */
    abut_interval q[UNKNOWNS];
} node;

typedef struct search {
    const abut_placed_surface *body[2];
    const abut_surface_gap_opts *opts;
    abut_workspace *ws;
    node *heap;
    size_t count, capacity;
    uint32_t made;
    double floor;  /* least lower bound of what is done with */
    double size;   /* of the coordinates */
    uint64_t idle; /* boxes since the upper bound reached rounding */
    bool memory;   /* is out */
    abut_surface_gap *out;
} search;

/* ---- equations ---- */

static void tangency_row(const abut_chart *p, const abut_chart *q, int k, bool p_first, ia *f, ia *row)
{
    *f = ia3_dot(p->n, q->t[k]);
    if (!row)
        return;
    ia *of_p = p_first ? row : row + q->unknowns, *of_q = p_first ? row + p->unknowns : row;
    for (int j = 0; j < p->unknowns; ++j)
        of_p[j] = ia3_dot(p->dn[j], q->t[k]);
    for (int j = 0; j < q->unknowns; ++j)
        of_q[j] = ia3_dot(p->n, q->dt[k][j]);
}

/* d . t[k] of a where `of_a`, otherwise of b; d from a to b. */
static void across_row(const abut_chart *a, const abut_chart *b, ia3 d, bool of_a, int k, ia *f, ia *row)
{
    const abut_chart *c = of_a ? a : b;
    *f = ia3_dot(d, c->t[k]);
    if (!row)
        return;
    for (int j = 0; j < a->unknowns; ++j)
        row[j] = ia_neg(ia3_dot(a->dp[j], c->t[k]));
    for (int j = 0; j < b->unknowns; ++j)
        row[a->unknowns + j] = ia3_dot(b->dp[j], c->t[k]);
    ia *own = of_a ? row : row + a->unknowns;
    for (int j = 0; j < c->unknowns; ++j)
        own[j] = ia_add(own[j], ia3_dot(d, c->dt[k][j]));
}

static int own_rows(const abut_chart *c, int at, int first, ia *f, ia (*jacobian)[UNKNOWNS])
{
    for (int i = 0; i < c->own; ++i) {
        f[at + i] = c->f[i];
        if (!jacobian)
            continue;
        for (int j = 0; j < UNKNOWNS; ++j)
            jacobian[at + i][j] = ia_point(0);
        jacobian[at + i][first] = c->df[i].x;
        jacobian[at + i][first + 1] = c->df[i].y;
        jacobian[at + i][first + 2] = c->df[i].z;
    }
    return at + c->own;
}

int abut_surface_gap_equations(const abut_chart *a, const abut_chart *b, ia *f, ia (*jacobian)[UNKNOWNS])
{
    const ia3 d = ia3_sub(b->p, a->p);
    int n = own_rows(a, 0, 0, f, jacobian);
    n = own_rows(b, n, a->unknowns, f, jacobian);
    if (a->face || b->face) {
        const abut_chart *p = a->face ? a : b, *q = a->face ? b : a;
        for (int k = 0; k < q->tangents; ++k, ++n)
            tangency_row(p, q, k, p == a, &f[n], jacobian ? jacobian[n] : NULL);
        for (int k = 0; k < 2; ++k, ++n)
            across_row(a, b, d, p == a, k, &f[n], jacobian ? jacobian[n] : NULL);
        return n;
    }
    for (int k = 0; k < a->tangents; ++k, ++n)
        across_row(a, b, d, true, k, &f[n], jacobian ? jacobian[n] : NULL);
    for (int k = 0; k < b->tangents; ++k, ++n)
        across_row(a, b, d, false, k, &f[n], jacobian ? jacobian[n] : NULL);
    return n;
}

/* ---- the queue ---- */

static bool before(const node *a, const node *b)
{
    return a->lower < b->lower || (a->lower == b->lower && a->order > b->order);
}

static void push(search *s, const node *x)
{
    if (s->count == s->capacity) {
        const size_t capacity = s->capacity ? 2 * s->capacity : 256;
        node *grown = abut_workspace_take(s->ws, capacity, sizeof *grown);
        if (!grown) {
            s->memory = true;
            return;
        }
        if (s->count)
            memcpy(grown, s->heap, s->count * sizeof *grown);
        s->heap = grown;
        s->capacity = capacity;
    }
    size_t i = s->count++;
    for (; i > 0 && before(x, &s->heap[(i - 1) / 2]); i = (i - 1) / 2)
        s->heap[i] = s->heap[(i - 1) / 2];
    s->heap[i] = *x;
}

static void pop(search *s, node *out)
{
    *out = s->heap[0];
    const node last = s->heap[--s->count];
    size_t i = 0;
    for (;;) {
        size_t child = 2 * i + 1;
        if (child >= s->count)
            break;
        if (child + 1 < s->count && before(&s->heap[child + 1], &s->heap[child]))
            ++child;
        if (!before(&s->heap[child], &last))
            break;
        s->heap[i] = s->heap[child];
        i = child;
    }
    s->heap[i] = last;
}

/* ---- pairs of charts ---- */

typedef struct view {
    const abut_placed_surface *body[2];
    const abut_surface_feature *feature[2];
    int unknowns[2], total;
} view;

static view view_of(const search *s, const uint32_t feature[2])
{
    view v = { .body = { s->body[0], s->body[1] } };
    for (int i = 0; i < 2; ++i) {
        v.feature[i] = &s->body[i]->surface.features[feature[i]];
        v.unknowns[i] = abut_chart_unknowns(v.feature[i]);
    }
    v.total = v.unknowns[0] + v.unknowns[1];
    return v;
}

static void enclose_both(search *s, const view *v, const ia *q, int order, int axis[2], abut_chart chart[2])
{
    s->out->counters.evaluations += 2;
    for (int i = 0; i < 2; ++i)
        abut_chart_enclose(v->body[i], v->feature[i], q + (i ? v->unknowns[0] : 0), order, &axis[i],
                           &chart[i]);
}

static void points_of(const double *mid, int n, ia *q)
{
    for (int i = 0; i < n; ++i)
        q[i] = ia_point(mid[i]);
}

/* Back into the ranges of parameters; closed ones may be anywhere. */
static void clamp(const view *v, double *mid)
{
    for (int i = 0; i < 2; ++i)
        for (int j = 0; v->feature[i]->parametric && j < v->unknowns[i]; ++j) {
            const abut_interval r = v->feature[i]->range[j];
            double *x = &mid[(i ? v->unknowns[0] : 0) + j];
            if (v->feature[i]->wraps[j]) {
                const double period = r.hi - r.lo;
                if (*x < r.lo || *x > r.hi)
                    *x -= period * floor((*x - r.lo) / period);
            }
            *x = *x < r.lo ? r.lo : *x > r.hi ? r.hi : *x;
        }
}

/* ---- witnesses ---- */

static double double_dot(const double *a, const double *b)
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

/* A point of an implicit body close to its feature near x, proved to be in the body; x is moved there. */
static bool settle_implicit(const abut_placed_surface *s, const abut_surface_feature *f, double size,
                            double *x)
{
    abut_chart c;
    ia q[3];
    double out[3] = { 0, 0, 0 };
    for (int step = 0; step < 6; ++step) {
        int axis = -1;
        points_of(x, 3, q);
        abut_chart_enclose(s, f, q, 1, &axis, &c);
        out[0] = out[1] = out[2] = 0;
        for (int k = 0; k < c.own; ++k) {
            const double g[3] = { ia_mid(c.df[k].x), ia_mid(c.df[k].y), ia_mid(c.df[k].z) };
            const double square = double_dot(g, g), l = ia_mid(c.f[k]) / square;
            if (!(square > 0) || !(fabs(l) < HUGE_VAL))
                return false;
            for (int i = 0; i < 3; ++i) {
                x[i] -= l * g[i];
                out[i] += g[i] / sqrt(square);
            }
        }
    }
    for (double depth = 0; depth<0x1p-30 * size; depth = depth> 0 ? 4 * depth : 0x1p-53 * size) {
        const double y[3] = { x[0] - depth * out[0], x[1] - depth * out[1], x[2] - depth * out[2] };
        points_of(y, 3, q);
        if (abut_surface_inside(&s->surface, (ia3){ q[0], q[1], q[2] }, ia_point(s->t), s->scratch) ==
            ABUT_EVERYWHERE) {
            memcpy(x, y, sizeof y);
            return true;
        }
    }
    return false;
}

/* Whether a point that is in one body (or on its sheet) proves that they meet. */
static bool is_inside(const search *s, int other, ia3 p)
{
    return s->body[other]->surface.implicit && abut_placed_inside(s->body[other], p) == ABUT_EVERYWHERE;
}

/* Two points, one in each body, near the feature's points at `mid`: an upper bound of the gap, or the proof that they meet. */
static void try_points(search *s, const view *v, const double *mid)
{
    abut_chart c[2];
    double at[UNKNOWNS];
    ia q[UNKNOWNS];
    int axis[2] = { -1, -1 };
    bool have[2] = { true, true };
    memcpy(at, mid, (size_t)v->total * sizeof *at);
    clamp(v, at);
    for (int i = 0; i < 2; ++i)
        if (!v->feature[i]->parametric)
            have[i] = v->body[i]->surface.implicit &&
                      settle_implicit(v->body[i], v->feature[i], s->size, at + (i ? v->unknowns[0] : 0));
    points_of(at, v->total, q);
    enclose_both(s, v, q, 0, axis, c);
    for (int i = 0; i < 2; ++i) {
        have[i] = have[i] && (c[i].defined || !v->feature[i]->parametric);
        if (have[i] && is_inside(s, 1 - i, c[i].p))
            s->out->meets = true;
    }
    if (!have[0] || !have[1])
        return;
    const double upper = ia_hi(ia_sqrt(ia3_sqr_norm(ia3_sub(c[1].p, c[0].p))));
    if (!(upper < s->out->gap.hi))
        return;
    s->out->gap.hi = upper;
    s->out->has_points = true;
    s->out->point_a = ia3_mid(c[0].p);
    s->out->point_b = ia3_mid(c[1].p);
    s->out->features[0] = v->feature[0];
    s->out->features[1] = v->feature[1];
}

/* x = m^-1 b by elimination with pivots; false where it is singular. */
static bool solve_roughly(int n, double m[UNKNOWNS][UNKNOWNS], double *b)
{
    for (int k = 0; k < n; ++k) {
        int p = k;
        for (int i = k + 1; i < n; ++i)
            p = fabs(m[i][k]) > fabs(m[p][k]) ? i : p;
        if (!(fabs(m[p][k]) > 0))
            return false;
        for (int j = 0; j < n; ++j) {
            const double swap = m[k][j];
            m[k][j] = m[p][j];
            m[p][j] = swap;
        }
        const double swap = b[k];
        b[k] = b[p];
        b[p] = swap;
        for (int i = k + 1; i < n; ++i) {
            const double l = m[i][k] / m[k][k];
            for (int j = k; j < n; ++j)
                m[i][j] -= l * m[k][j];
            b[i] -= l * b[k];
        }
    }
    for (int i = n - 1; i >= 0; --i) {
        for (int j = i + 1; j < n; ++j)
            b[i] -= m[i][j] * b[j];
        b[i] /= m[i][i];
    }
    return true;
}

/* Newton's method in doubles from `mid`; where it leads is left there. Only steers. */
static void polish(search *s, const view *v, double *mid)
{
    abut_chart c[2];
    ia q[UNKNOWNS], f[UNKNOWNS], jacobian[UNKNOWNS][UNKNOWNS];
    int axis[2] = { -1, -1 };
    for (int step = 0; step < POLISH_STEPS; ++step) {
        points_of(mid, v->total, q);
        axis[0] = axis[1] = -1;
        enclose_both(s, v, q, 2, axis, c);
        if (!c[0].defined || !c[1].defined)
            return;
        (void)abut_surface_gap_equations(&c[0], &c[1], f, jacobian);
        double m[UNKNOWNS][UNKNOWNS], x[UNKNOWNS], change = 0;
        for (int i = 0; i < v->total; ++i) {
            x[i] = ia_mid(f[i]);
            for (int j = 0; j < v->total; ++j)
                m[i][j] = ia_mid(jacobian[i][j]);
        }
        if (!solve_roughly(v->total, m, x))
            return;
        double next[UNKNOWNS];
        for (int i = 0; i < v->total; ++i) {
            if (!(fabs(x[i]) < HUGE_VAL))
                return;
            next[i] = mid[i] - x[i];
        }
        clamp(v, next);
        for (int i = 0; i < v->total; ++i) {
            change = fmax(change, fabs(next[i] - mid[i]) / (1 + fabs(mid[i])));
            mid[i] = next[i];
        }
        if (change < 0x1p-50)
            return;
    }
}

/* Faces that have no inside to try points in: a crossing near `mid`, also a step away from a point of tangency, where the curve of crossing goes round. */
static void try_crossing(search *s, const view *v, const double *mid)
{
    if (s->body[0]->surface.implicit || s->body[1]->surface.implicit || !v->feature[0]->parametric ||
        !v->feature[1]->parametric || v->feature[0]->dimension != 2 || v->feature[1]->dimension != 2)
        return;
    for (int i = 0; i < 7 && !s->out->meets; ++i) {
        double start[UNKNOWNS];
        memcpy(start, mid, 4 * sizeof *start);
        if (i > 0)
            start[i & 1] += ldexp(v->feature[0]->range[i & 1].hi - v->feature[0]->range[i & 1].lo, -4 * i);
        s->out->meets = abut_surface_crosses(v->body[0], v->feature[0], v->body[1], v->feature[1], start);
    }
}

/* ---- one box ---- */

static double middle_of(ia x)
{
    return ia_mid(x);
}

/* Lower bound of |d| by d . n, kept where it is the best, with how much each unknown contributes to it in `terms`. */
static void project(const view *v, const abut_chart c[2], const abut_chart m[2], const ia *q,
                    const double *mid, ia3 n, double *best, double *terms)
{
    const ia length = ia_sqrt(ia3_sqr_norm(n));
    if (!(ia_lo(length) > 0) || !(ia_hi(length) < HUGE_VAL))
        return;
    ia value = ia3_dot(ia3_sub(m[1].p, m[0].p), n);
    for (int i = 0; i < 2; ++i) {
        const int first = i ? v->unknowns[0] : 0;
        const ia reach = abut_chart_reach(&c[i], &m[i], q + first, mid + first, n, v->feature[i]->parametric);
        value = i ? ia_add(value, reach) : ia_sub(value, reach);
    }
    const double bound = ia_lo(ia_div(value, length));
    if (!(bound > *best))
        return;
    *best = bound;
    for (int i = 0; i < 2; ++i)
        for (int j = 0; j < v->unknowns[i]; ++j) {
            const int k = j + (i ? v->unknowns[0] : 0);
            terms[k] = ia_mag(ia3_dot(c[i].dp[j], n)) * ia_width(q[k]);
        }
}

/* Distance of two boxes around points. */
static double box_distance(ia3 a, ia3 b)
{
    const ia3 d = ia3_sub(b, a);
    return ia_lo(ia_sqrt(ia3_sqr_norm(d)));
}

static ia3 direction_of(ia3 a)
{
    return ia3_point(ia3_mid(a));
}

static bool is_possible(const search *s, const view *v, const ia *q, const abut_chart c[2])
{
    for (int i = 0; i < 2; ++i) {
        if (v->feature[i]->parametric)
            continue;
        for (int k = 0; k < c[i].own; ++k)
            if (!ia_contains_zero(c[i].f[k]))
                return false;
        const ia *x = q + (i ? v->unknowns[0] : 0);
        if (abut_feature_on(&v->body[i]->surface, v->feature[i], (ia3){ x[0], x[1], x[2] },
                            ia_point(s->body[i]->t), s->body[i]->scratch) == ABUT_NOWHERE)
            return false;
    }
    return true;
}

/* From the face of a solid its nearest neighbour outside is seen along the normal. (Where they have a point in common, d is 0 and nothing is dropped.) */
static bool faces_away(const view *v, const abut_chart c[2])
{
    const ia3 d = ia3_sub(c[1].p, c[0].p);
    return (c[0].face && v->body[0]->surface.solid && ia_is_negative(ia3_dot(d, c[0].n))) ||
           (c[1].face && v->body[1]->surface.solid && ia_is_positive(ia3_dot(d, c[1].n)));
}

/* d is across both features in nearest points, also where it is 0. */
static bool may_be_nearest(const abut_chart c[2])
{
    const ia3 d = ia3_sub(c[1].p, c[0].p);
    for (int i = 0; i < 2; ++i)
        for (int k = 0; k < c[i].tangents; ++k)
            if (!ia_contains_zero(ia3_dot(d, c[i].t[k])))
                return false;
    return true;
}

/* Where d is not 0, normals of faces are along it, and tangents across the other's normal. */
static bool may_be_tangent(const abut_chart c[2])
{
    ia f[UNKNOWNS];
    const int own = c[0].own + c[1].own, n = abut_surface_gap_equations(&c[0], &c[1], f, NULL);
    for (int i = own; i < n; ++i)
        if (!ia_contains_zero(f[i]))
            return false;
    return true;
}

/* Whether no point of one feature in its box is on the other, whose field is given: by mean values, again. It does not depend on the other's box. */
static bool is_clear(const view *v, const abut_chart c[2], const abut_chart m[2], const ia *q,
                     const double *mid)
{
    for (int i = 0; i < 2; ++i) {
        const abut_placed_surface *body = v->body[1 - i];
        const abut_surface_feature *face = v->feature[1 - i];
        const int first = i ? v->unknowns[0] : 0;
        abut_field_jet over, at;
        if (face->dimension != 2 || face->field_count != 1 ||
            !abut_feature_field(&body->surface, face, 0, abut_placed_local(body, c[i].p), ia_point(body->t),
                                1, body->scratch, &over) ||
            !abut_feature_field(&body->surface, face, 0, abut_placed_local(body, m[i].p), ia_point(body->t),
                                0, body->scratch, &at))
            continue;
        const ia3 slope = body->moved ? ia33_mul3(&body->covectors, over.g) : over.g;
        const ia change =
            abut_chart_reach(&c[i], &m[i], q + first, mid + first, slope, v->feature[i]->parametric);
        if (!ia_contains_zero(over.f) || !ia_contains_zero(ia_add(at.f, change)))
            return true;
    }
    return false;
}

/* How far the box reaches in space along each unknown. */
static void measure(const view *v, const abut_chart c[2], const ia *q, double *out)
{
    for (int i = 0; i < 2; ++i)
        for (int j = 0; j < v->unknowns[i]; ++j) {
            const int k = j + (i ? v->unknowns[0] : 0);
            const double reach = ia_hi(ia_sqrt(ia3_sqr_norm(c[i].dp[j]))), width = ia_width(q[k]);
            out[k] = reach < HUGE_VAL ? reach * width : width;
        }
}

/* Bounds and equations. False: nothing in it. */
static bool evaluate(search *s, node *x)
{
    const view v = view_of(s, x->feature);
    ia q[UNKNOWNS];
    double mid[UNKNOWNS], terms[UNKNOWNS] = { 0 };
    const double before_it = x->lower;
    abut_chart c[2], m[2];
    int axis[2] = { -1, -1 };
    for (int i = 0; i < v.total; ++i) {
        q[i] = ia_from(x->q[i]);
        mid[i] = middle_of(q[i]);
    }
    enclose_both(s, &v, q, 1, axis, c);
    if (!is_possible(s, &v, q, c))
        return false;
    const double apart = box_distance(c[0].p, c[1].p);
    x->lower = fmax(x->lower, apart);
    if (x->lower > s->out->gap.hi)
        return false;
    for (int i = 0; i < v.total; ++i) /* what is not defined is halved by its width */
        terms[i] = ia_width(q[i]);
    if (c[0].defined && c[1].defined) {
        if (faces_away(&v, c) || !may_be_nearest(c))
            return false;
        ia p[UNKNOWNS];
        points_of(mid, v.total, p);
        enclose_both(s, &v, p, 1, axis, m);
        const ia3 d = direction_of(ia3_sub(m[1].p, m[0].p));
        double best = -HUGE_VAL;
        project(&v, c, m, q, mid, d, &best, terms);
        for (int i = 0; i < 2; ++i)
            if (m[i].face) {
                ia3 across = direction_of(m[i].n);
                if (ia_mid(ia3_dot(across, d)) < 0)
                    across = ia3_neg(across);
                project(&v, c, m, q, mid, across, &best, terms);
            }
        x->lower = fmax(x->lower, best);
        x->clear = x->clear || x->lower > 0 || is_clear(&v, c, m, q, mid);
        if (x->lower > s->out->gap.hi || (x->clear && !may_be_tangent(c)))
            return false;
    }
    if (!(x->lower - before_it > 0.125 * (s->out->gap.hi - before_it)))
        measure(&v, c, q, terms);
    x->split = 0;
    for (int i = 1; i < v.total; ++i)
        if (terms[i] > terms[x->split])
            x->split = i;
    return true;
}

/* Points to try at the middle of a box that stays: at once where they promise a better bound, now and then where the bodies may meet. */
static void probe(search *s, const node *x)
{
    const view v = view_of(s, x->feature);
    double mid[UNKNOWNS];
    for (int i = 0; i < v.total; ++i)
        mid[i] = middle_of(ia_from(x->q[i]));
    const double before_it = s->out->gap.hi;
    try_points(s, &v, mid);
    if (s->out->meets)
        return;
    const bool now_and_then = (x->order & 15) == 0;
    if (!(s->out->gap.hi < before_it) && !(x->lower == 0 && now_and_then))
        return;
    polish(s, &v, mid);
    try_points(s, &v, mid);
    if (!s->out->meets && x->lower == 0)
        try_crossing(s, &v, mid);
}

/* The same for the nearest box, whether or not its middle promises anything: unknowns that its bound does not depend on are not halved, so that its middle
 * may be far from what is nearest in it. */
static void look_closer(search *s, const node *x)
{
    const view v = view_of(s, x->feature);
    double mid[UNKNOWNS];
    for (int i = 0; i < v.total; ++i)
        mid[i] = middle_of(ia_from(x->q[i]));
    if (!x->clear)
        try_crossing(s, &v, mid);
    if (s->out->meets)
        return;
    polish(s, &v, mid);
    try_points(s, &v, mid);
}

/* Kernel of a Krawczyk step over q; f at its middle. */
static abut_krawczyk_status contract(search *s, const view *v, const ia *q, abut_interval *next)
{
    abut_chart c[2], m[2];
    ia p[UNKNOWNS], f[UNKNOWNS], jacobian[UNKNOWNS][UNKNOWNS];
    abut_interval box[UNKNOWNS], values[UNKNOWNS], slopes[UNKNOWNS * UNKNOWNS];
    double mid[UNKNOWNS];
    int axis[2] = { -1, -1 };
    for (int i = 0; i < v->total; ++i) {
        mid[i] = middle_of(q[i]);
        box[i] = next[i] = ia_to(q[i]);
    }
    enclose_both(s, v, q, 2, axis, c);
    if (!c[0].defined || !c[1].defined)
        return ABUT_KRAWCZYK_UNKNOWN;
    const int n = abut_surface_gap_equations(&c[0], &c[1], f, jacobian);
    points_of(mid, v->total, p);
    enclose_both(s, v, p, 1, axis, m);
    (void)abut_surface_gap_equations(&m[0], &m[1], f, NULL);
    for (int i = 0; i < n; ++i) {
        values[i] = ia_to(f[i]);
        for (int j = 0; j < n; ++j)
            slopes[i * n + j] = ia_to(jacobian[i][j]);
    }
    return abut_interval_krawczyk(n, box, mid, values, slopes, next);
}

static double total_width(const abut_interval *q, int n)
{
    double sum = 0;
    for (int i = 0; i < n; ++i)
        sum += q[i].hi - q[i].lo;
    return sum;
}

/* A solution proved unique, enclosed in `root`: bounds there, and done. */
static void finish_root(search *s, const view *v, const node *x, abut_interval *root)
{
    ia q[UNKNOWNS];
    abut_chart c[2];
    int axis[2] = { -1, -1 };
    for (int step = 0; step < 50; ++step) {
        abut_interval next[UNKNOWNS];
        for (int i = 0; i < v->total; ++i)
            q[i] = ia_from(root[i]);
        const double width = total_width(root, v->total);
        if (contract(s, v, q, next) == ABUT_KRAWCZYK_NONE)
            return;
        memcpy(root, next, (size_t)v->total * sizeof *root);
        if (!(total_width(root, v->total) < 0.9375 * width))
            break;
    }
    double mid[UNKNOWNS];
    for (int i = 0; i < v->total; ++i) {
        /* The box was widened: what is not in it belongs to another, or is beyond the feature's end. */
        const ia narrowed = ia_intersect(ia_from(root[i]), ia_from(x->q[i]));
        if (ia_is_empty(narrowed))
            return;
        q[i] = ia_from(root[i]);
        mid[i] = middle_of(narrowed);
    }
    enclose_both(s, v, q, 1, axis, c);
    if (!is_possible(s, v, q, c))
        return;
    s->floor = fmin(s->floor, fmax(x->lower, box_distance(c[0].p, c[1].p)));
    try_points(s, v, mid);
    if (!s->out->meets && s->floor == 0)
        try_crossing(s, v, mid);
}

/* A box a little wider, so that solutions on its sides are inside. Parameters of expressions stay in their range: beyond it they are folded back, and at
 * a seam that is closed but for rounding there is no mean value theorem. */
static void widen(const view *v, const abut_interval *box, ia *q)
{
    for (int i = 0; i < v->total; ++i) {
        const int body = i >= v->unknowns[0];
        const abut_surface_feature *f = v->feature[body];
        const double margin = 0.0625 * (box[i].hi - box[i].lo);
        q[i] = ia_make(box[i].lo - margin, box[i].hi + margin);
        if (f->parametric && !v->body[body]->surface.implicit)
            q[i] = ia_intersect(q[i], ia_from(f->range[i - (body ? v->unknowns[0] : 0)]));
    }
}

/* True: the box is done with. It may be narrowed, and is then looked at anew. */
static bool newton(search *s, node *x)
{
    bool narrower = false;
    const view v = view_of(s, x->feature);
    if (v.total == 0 || !x->clear)
        return false;
    for (int step = 0; step < 3; ++step) {
        ia q[UNKNOWNS];
        abut_interval next[UNKNOWNS];
        widen(&v, x->q, q);
        const abut_krawczyk_status status = contract(s, &v, q, next);
        if (status == ABUT_KRAWCZYK_NONE)
            return true;
        if (status == ABUT_KRAWCZYK_UNIQUE) {
            finish_root(s, &v, x, next);
            return true;
        }
        const double width = total_width(x->q, v.total);
        for (int i = 0; i < v.total; ++i) {
            const ia narrowed = ia_intersect(ia_from(next[i]), ia_from(x->q[i]));
            if (ia_is_empty(narrowed))
                return true;
            x->q[i] = ia_to(narrowed);
        }
        narrower = narrower || total_width(x->q, v.total) < width;
        if (!(total_width(x->q, v.total) < 0.75 * width))
            break;
    }
    return narrower && !evaluate(s, x);
}

/* ---- the search ---- */

static void add(search *s, node *x)
{
    x->order = s->made++;
    if (!evaluate(s, x))
        return;
    push(s, x);
    probe(s, x);
}

/* Boxes of implicit features that have no end, as of half-spaces, are cut to where a nearest point can be. */
static void cut(search *s, int i, ia *q)
{
    const abut_placed_surface *self = s->body[i], *other = s->body[1 - i];
    if (ia_is_finite(q[0]) && ia_is_finite(q[1]) && ia_is_finite(q[2]))
        return;
    const ia3 there = other->moved ? ia_affine_apply(&other->place, other->bounds) : other->bounds;
    const ia3 here = abut_placed_local(self, there);
    const ia near[3] = { here.x, here.y, here.z };
    const double reach = 2 * s->size;
    for (int k = 0; k < 3; ++k)
        q[k] = ia_intersect(q[k], ia_add(near[k], ia_make(-reach, reach)));
}

static void start(search *s)
{
    const abut_surface *a = &s->body[0]->surface, *b = &s->body[1]->surface;
    for (size_t i = 0; i < a->feature_count && !s->out->meets; ++i)
        for (size_t j = 0; j < b->feature_count && !s->out->meets && !s->memory; ++j) {
            node x = { .feature = { (uint32_t)i, (uint32_t)j } };
            const view v = view_of(s, x.feature);
            ia q[UNKNOWNS];
            bool empty = false;
            abut_chart_range(s->body[0], v.feature[0], q);
            abut_chart_range(s->body[1], v.feature[1], q + v.unknowns[0]);
            if (!v.feature[0]->parametric)
                cut(s, 0, q);
            if (!v.feature[1]->parametric)
                cut(s, 1, q + v.unknowns[0]);
            for (int k = 0; k < v.total; ++k) {
                empty = empty || ia_is_empty(q[k]);
                x.q[k] = ia_to(q[k]);
            }
            if (!empty)
                add(s, &x);
        }
}

static bool split(search *s, const node *x)
{
    const int k = x->split;
    const double lo = x->q[k].lo, hi = x->q[k].hi, mid = 0.5 * lo + 0.5 * hi;
    if (!(lo < mid && mid < hi) || view_of(s, x->feature).total == 0)
        return false;
    for (int i = 0; i < 2; ++i) {
        node child = *x;
        if (i)
            child.q[k].lo = mid;
        else
            child.q[k].hi = mid;
        add(s, &child);
    }
    return true;
}

/* Whether what is known suffices, given that nothing left is nearer than `lower`. */
static bool is_enough(search *s, double lower)
{
    abut_surface_gap *out = s->out;
    if (lower > s->opts->cutoff) {
        out->stop = ABUT_STOP_CUTOFF;
        return true;
    }
    if (out->gap.hi < s->opts->near) {
        out->stop = ABUT_STOP_CUTOFF;
        return true;
    }
    if (lower >= out->gap.hi * (1 - 0x1p-38)) {
        out->stop = ABUT_STOP_TOLERANCE;
        return true;
    }
    if (out->counters.iterations >= s->opts->max_boxes) {
        out->stop = ABUT_STOP_BUDGET;
        return true;
    }
    /* Within rounding of each other: more boxes prove no more, but for a while. */
    if (out->gap.hi < 0x1p-46 * s->size && ++s->idle > GRACE) {
        out->stop = ABUT_STOP_TOLERANCE;
        return true;
    }
    return false;
}

/* The nearest of a few points of each face in its box. */
static void sample_nearest(const search *s, const view *v, const node *x, double *mid)
{
    abut_vec3 p[2][SAMPLES * SAMPLES];
    double at[2][SAMPLES * SAMPLES][2], best = HUGE_VAL;
    for (int i = 0; i < 2; ++i)
        for (int k = 0; k < SAMPLES * SAMPLES; ++k) {
            abut_chart c;
            int axis = -1;
            ia q[2];
            for (int j = 0; j < 2; ++j) {
                const abut_interval r = x->q[2 * i + j];
                at[i][k][j] = r.lo + (r.hi - r.lo) * ((j ? k / SAMPLES : k % SAMPLES) + 0.5) / SAMPLES;
                q[j] = ia_point(at[i][k][j]);
            }
            abut_chart_enclose(s->body[i], v->feature[i], q, 0, &axis, &c);
            p[i][k] = ia3_mid(c.p);
        }
    for (int k = 0; k < SAMPLES * SAMPLES; ++k)
        for (int l = 0; l < SAMPLES * SAMPLES; ++l) {
            const abut_vec3 d = { p[1][l].x - p[0][k].x, p[1][l].y - p[0][k].y, p[1][l].z - p[0][k].z };
            const double square = d.x * d.x + d.y * d.y + d.z * d.z;
            if (square < best) {
                best = square;
                memcpy(mid, at[0][k], sizeof at[0][k]);
                memcpy(mid + 2, at[1][l], sizeof at[1][l]);
            }
        }
}

static bool is_face(const abut_surface_feature *f)
{
    return f->parametric && f->dimension == 2;
}

/* Bodies whose edges run through the other's faces are as near as that at once, and the search dives there: faces that wait may be seen to cross. */
static void cross_waiting(search *s)
{
    int tries = CROSSINGS;
    for (size_t i = 0; i < s->count && tries > 0 && !s->out->meets; ++i) {
        const node *const x = &s->heap[i];
        const view v = view_of(s, x->feature);
        double mid[UNKNOWNS];
        if (x->clear || s->body[0]->surface.implicit || s->body[1]->surface.implicit ||
            !is_face(v.feature[0]) || !is_face(v.feature[1]))
            continue;
        for (int k = 0; k < v.total; ++k)
            mid[k] = middle_of(ia_from(x->q[k]));
        try_crossing(s, &v, mid);
        if (!s->out->meets) {
            sample_nearest(s, &v, x, mid);
            try_crossing(s, &v, mid);
        }
        --tries;
    }
}

static ABUT_NOINLINE void run(search *s)
{
    abut_surface_gap *out = s->out;
    start(s);
    double lower = INFINITY;
    while (!out->meets && !s->memory) {
        lower = s->count ? fmin(s->floor, s->heap[0].lower) : s->floor;
        if (!s->count || is_enough(s, lower))
            break;
        node x;
        pop(s, &x);
        if ((++out->counters.iterations & 7) == 0)
            look_closer(s, &x);
        if (x.lower > out->gap.hi || newton(s, &x))
            continue;
        if (!split(s, &x))
            s->floor = fmin(s->floor, x.lower);
    }
    if (!out->meets && !(lower > 0))
        cross_waiting(s);
    /* Bounds above the least distance known were dropped: that distance bounds too. */
    out->gap.lo = fmin(lower, out->gap.hi);
}

static double size_of(const abut_placed_surface *s)
{
    const abut_interval_vec3 b = ia3_to(s->bounds), t = ia3_to(s->place.translation);
    const double ends[12] = { b.x.lo, b.x.hi, b.y.lo, b.y.hi, b.z.lo, b.z.hi,
                              t.x.lo, t.x.hi, t.y.lo, t.y.hi, t.z.lo, t.z.hi };
    double size = 0;
    for (int i = 0; i < 12; ++i)
        if (fabs(ends[i]) < HUGE_VAL)
            size = fmax(size, fabs(ends[i]));
    return size;
}

abut_status abut_surface_find_gap(const abut_placed_surface *a, const abut_placed_surface *b,
                                  const abut_surface_gap_opts *opts, abut_workspace *ws,
                                  abut_surface_gap *out)
{
    *out = (abut_surface_gap){ .gap = { 0, INFINITY }, .stop = ABUT_STOP_DONE };
    search s = { .body = { a, b }, .opts = opts, .ws = ws, .floor = INFINITY, .out = out };
    s.size = fmax(size_of(a), size_of(b));
    const abut_rounding saved = abut_rounding_enter();
    run(&s);
    abut_rounding_leave(saved);
    return s.memory ? ABUT_ERR_MEMORY : ABUT_OK;
}
