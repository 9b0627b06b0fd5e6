/* SPDX-License-Identifier: MIT */
/* One pair of boxes of the search for the gap (surface_gap.c): the equations of nearest points,
 * bounds of the distance, and what drops a box. */
#include "narrow/surface/surface_search.h"

enum { UNKNOWNS = ABUT_GAP_UNKNOWNS };

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

/* ---- bounds ---- */

/* Lower bound of |d| by d . n, kept where it is the best, with how much each unknown contributes
 * to it in `terms`. */
static void project(const abut_gap_features *v, const abut_chart c[2], const abut_chart m[2], const ia *q,
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

double abut_gap_boxes(ia3 a, ia3 b)
{
    const ia3 d = ia3_sub(b, a);
    return ia_lo(ia_sqrt(ia3_sqr_norm(d)));
}

static ia3 direction_of(ia3 a)
{
    return ia3_point(ia3_mid(a));
}

bool abut_gap_possible(const abut_gap_search *s, const abut_gap_features *v, const ia *q,
                       const abut_chart c[2])
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

/* From the face of a solid its nearest neighbour outside is seen along the normal. (Where they
 * have a point in common, d is 0 and nothing is dropped.) */
static bool faces_away(const abut_gap_features *v, const abut_chart c[2])
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

/* How far a point where the field of a face is `value` is from the face at least, by the
 * steepest slope between the two boxes. */
static double climb(const abut_placed_surface *body, const abut_surface_feature *face, ia value, ia3 from,
                    ia3 to)
{
    const ia3 a = abut_placed_local(body, from), b = abut_placed_local(body, to);
    const ia3 between = { ia_hull(a.x, b.x), ia_hull(a.y, b.y), ia_hull(a.z, b.z) };
    abut_field_jet jet;
    if (!abut_feature_field(&body->surface, face, 0, between, ia_point(body->t), 1, body->scratch, &jet))
        return 0;
    const ia3 slope = body->moved ? ia33_mul3(&body->covectors, jet.g) : jet.g;
    const double most = ia_hi(ia_sqrt(ia3_sqr_norm(slope)));
    const double lower =
        most > 0 && most < HUGE_VAL ? ia_lo(ia_div(ia_point(ia_mig(value)), ia_point(most))) : 0;
    return lower > 0 ? lower : 0;
}

/* Whether no point of one feature in its box is on the other, whose field is given: by mean
 * values, again. It does not depend on the other's box. *lower, where it is asked for: how far
 * apart they are then. */
static bool is_clear(const abut_gap_features *v, const abut_chart c[2], const abut_chart m[2], const ia *q,
                     const double *mid, double *lower)
{
    bool clear = false;
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
        const ia value = ia_intersect(over.f, ia_add(at.f, change));
        if (ia_is_empty(value) || ia_contains_zero(value))
            continue;
        clear = true;
        if (lower)
            *lower = fmax(*lower, climb(body, face, value, c[i].p, c[1 - i].p));
    }
    return clear;
}

/* Whether a point that both features have can be in the box: in what the boxes around them share
 * the fields of both must vanish, on both solids. Fine boxes of one feature that is cut off by
 * others of its solid are distinguished from the other body by that, however wide the rest is. */
static bool may_share(const abut_gap_features *v, const abut_chart c[2])
{
    const ia3 x = ia3_intersect(c[0].p, c[1].p);
    if (ia3_is_empty(x))
        return false;
    for (int i = 0; i < 2; ++i) {
        const abut_placed_surface *body = v->body[i];
        const abut_surface_feature *f = v->feature[i];
        if (!body->surface.implicit || f->field_count == 0)
            continue;
        const ia3 own = abut_placed_local(body, x);
        for (int k = 0; k < f->field_count; ++k) {
            abut_field_jet jet;
            if (abut_feature_field(&body->surface, f, k, own, ia_point(body->t), 0, body->scratch, &jet) &&
                !ia_contains_zero(jet.f))
                return false;
        }
        if (abut_feature_on(&body->surface, f, own, ia_point(body->t), body->scratch) == ABUT_NOWHERE)
            return false;
    }
    return true;
}

/* How far the box reaches in space along each unknown. */
static void measure(const abut_gap_features *v, const abut_chart c[2], const ia *q, double *out)
{
    for (int i = 0; i < 2; ++i)
        for (int j = 0; j < v->unknowns[i]; ++j) {
            const int k = j + (i ? v->unknowns[0] : 0);
            const double reach = ia_hi(ia_sqrt(ia3_sqr_norm(c[i].dp[j]))), width = ia_width(q[k]);
            out[k] = reach < HUGE_VAL ? reach * width : width;
        }
}

bool abut_gap_bound(abut_gap_search *s, abut_gap_node *x)
{
    const abut_gap_features v = abut_gap_view(s, x->feature);
    ia q[UNKNOWNS];
    double mid[UNKNOWNS], terms[UNKNOWNS] = { 0 };
    const double before_it = x->lower;
    if (abut_gap_is_done(s, &v, x->q))
        return false;
    abut_chart c[2], m[2];
    int axis[2] = { -1, -1 };
    for (int i = 0; i < v.total; ++i) {
        q[i] = ia_from(x->q[i]);
        mid[i] = ia_mid(q[i]);
    }
    abut_gap_enclose(s, &v, q, 1, axis, c);
    if (!abut_gap_possible(s, &v, q, c))
        return false;
    const double apart = abut_gap_boxes(c[0].p, c[1].p);
    x->lower = fmax(x->lower, apart);
    if (x->lower > s->out->gap.hi)
        return false;
    for (int i = 0; i < v.total; ++i) /* what is not defined is halved by its width */
        terms[i] = ia_width(q[i]);
    if (c[0].defined && c[1].defined) {
        if (faces_away(&v, c) || !may_be_nearest(c))
            return false;
        ia p[UNKNOWNS];
        abut_gap_points(mid, v.total, p);
        abut_gap_enclose(s, &v, p, 1, axis, m);
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
        x->clear = x->clear || x->lower > 0;
        /* The search for isolated points does best by diving: small bounds would only disturb
         * its order. */
        if (s->flat)
            x->clear = is_clear(&v, c, m, q, mid, &x->lower) || x->clear || !may_share(&v, c);
        else if (!x->clear)
            x->clear = is_clear(&v, c, m, q, mid, NULL);
        x->crossing = (x->clear || s->flat) && !may_be_tangent(c);
        if (x->lower > s->out->gap.hi || (x->clear && x->crossing))
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
