/* SPDX-License-Identifier: MIT */
/* Contact of two parametric features: x1(u1, v1, t) - p2(u2, v2) = 0 in the frame of two, with x1
 * the point of one there; of two faces the derivatives of x1 are perpendicular to the normal of
 * two; of an edge (one) and a face that of the edge is. Vertices and pairs of edges need no
 * tangency.
 *
 * Where a normal or a tangent vanishes (poles) the tangency is trivially true, and contact alone
 * decides: nothing is lost there, nothing proved unique. */
#include "ccd/surface/surface_problem.h"

static void add_holds(const abut_contact_problem *p, const abut_relative *r, const abut_moved *m,
                      const abut_jet *j1, const abut_jet *j2, const ia *x1, const ia *x2,
                      ia *const scratch[2], abut_system *out)
{
    const abut_surface_feature *const f1 = p->feature_one, *const f2 = p->feature_two;
    abut_incoming in = { .has_velocity = true };
    in.velocity = ia3_sub(abut_relative_velocity(r, m, j1->p, j1->t), j2->t);
    if (p->one->surface->solid) {
        in.count_one = f1->normal_count;
        if (f1->dimension == 2)
            in.normals_one[0] = j1->n;
        else
            abut_feature_normals(p->one->surface, f1, x1, r->t, scratch[0], in.normals_one);
        for (int i = 0; i < in.count_one; ++i)
            in.normals_one[i] = abut_relative_normal(r, in.normals_one[i]);
    }
    if (p->two->surface->solid) {
        in.count_two = f2->normal_count;
        if (f2->dimension == 2)
            in.normals_two[0] = j2->n;
        else
            abut_feature_normals(p->two->surface, f2, x2, r->t, scratch[1], in.normals_two);
    }
    out->holds = abut_incoming_holds(&in, p->reversed);
}

/* Row of the equation  d . n2 = 0,  d being x1's derivative by its parameter number `by`. */
static void add_tangency(const abut_contact_problem *p, const abut_relative *r, const abut_jet *j1,
                         const abut_jet *j2, int by, int order, int row, abut_system *out)
{
    const int k1 = p->feature_one->dimension;
    const ia3 own = by ? j1->v : j1->u;
    const ia3 d = abut_relative_direction(r, own);
    out->f[row] = ia3_dot(d, j2->n);
    if (order < 1)
        return;
    ia *const jacobian = out->jacobian[row];
    jacobian[0] = ia3_dot(abut_relative_direction(r, by ? j1->uv : j1->uu), j2->n);
    if (k1 > 1)
        jacobian[1] = ia3_dot(abut_relative_direction(r, by ? j1->vv : j1->uv), j2->n);
    jacobian[k1] = ia3_dot(d, j2->nu);
    jacobian[k1 + 1] = ia3_dot(d, j2->nv);
    const ia3 rate = abut_relative_direction_rate(r, own, by ? j1->vt : j1->ut);
    jacobian[k1 + 2] = ia_add(ia3_dot(rate, j2->n), ia3_dot(d, j2->nt));
}

static void set_column(abut_system *out, int column, ia3 v)
{
    out->jacobian[0][column] = v.x;
    out->jacobian[1][column] = v.y;
    out->jacobian[2][column] = v.z;
}

void abut_contact_parametric(const abut_contact_problem *p, const ia *x, int order, int thread,
                             abut_system *out)
{
    const abut_surface_feature *const f1 = p->feature_one, *const f2 = p->feature_two;
    const int k1 = f1->dimension, k2 = f2->dimension, unknowns = k1 + k2 + 1;
    const int equations = abut_contact_equations(p);
    ia *const *const scratch = p->stage->threads[thread].scratch;
    const abut_relative *r = abut_contact_relative(p, x[unknowns - 1], false, thread);
    const ia t = r->t;
    const bool point = abut_box_is_point(x, unknowns);
    const int jets = order > 0 ? 2 : 1;
    const abut_known_jet *one = abut_contact_jet(p, 0, x, t, point ? jets : 0, thread);
    const abut_known_jet *two = abut_contact_jet(p, 1, x + k1, t, point ? jets : 0, thread);
    const abut_moved m = abut_relative_point(r, one->jet.p);
    const ia3 gap = ia3_sub(m.x, two->jet.p);
    out->f[0] = gap.x;
    out->f[1] = gap.y;
    out->f[2] = gap.z;
    out->place = m.world;
    out->spread = fmax(abut_widest_side(m.x), abut_widest_side(two->jet.p));
    out->holds = 0;
    out->defined = one->defined && two->defined && r->defined;
    const bool possible = abut_system_may_vanish(out, 3);
    if (!possible && !point) {
        abut_system_fill(out, 3, equations, unknowns, order);
        return;
    }
    r = abut_contact_relative(p, x[unknowns - 1], possible || order > 0, thread);
    out->defined = out->defined && (!r->rates || r->rates_known);
    if (!point) {
        one = abut_contact_jet(p, 0, x, t, jets, thread);
        two = abut_contact_jet(p, 1, x + k1, t, jets, thread);
        out->defined = out->defined && one->defined && two->defined;
    }
    const abut_jet *const j1 = &one->jet, *const j2 = &two->jet;
    if (order > 0) {
        if (k1 > 0)
            set_column(out, 0, abut_relative_direction(r, j1->u));
        if (k1 > 1)
            set_column(out, 1, abut_relative_direction(r, j1->v));
        if (k2 > 0)
            set_column(out, k1, ia3_neg(j2->u));
        if (k2 > 1)
            set_column(out, k1 + 1, ia3_neg(j2->v));
        set_column(out, k1 + k2, ia3_sub(abut_relative_velocity(r, &m, j1->p, j1->t), j2->t));
    }
    for (int row = 3; row < equations; ++row)
        add_tangency(p, r, j1, j2, row - 3, order, row, out);
    if (possible && abut_system_may_vanish(out, equations)) {
        add_holds(p, r, &m, j1, j2, x, x + k1, scratch, out);
        const int tracked = abut_tracked_holds(p->stage, out->place, t);
        out->common = tracked > 0;
        out->holds = abut_holds_and(out->holds, tracked);
    }
}
