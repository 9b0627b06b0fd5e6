/* SPDX-License-Identifier: MIT */
/* Contact of two implicit features: their fields vanish at a point x in the frame of one, where the
 * fields of two are those of its own frame at y = B (A x + d). Gradients of two are brought to the
 * frame of one, G = Q^T g.
 *
 * Tangency: of two faces g x G = 0, three equations of which two are independent: where
 * component k of g (or of G) is not zero, the two other components of the product imply the one
 * numbered k, and with the fields they are as many as the unknowns. Of an edge (one) and a face
 * the determinant of the three gradients. No parameters, so no poles; vertices and pairs of
 * edges need no tangency. */
#include "ccd/surface/surface_problem.h"

typedef struct fields {
    const abut_contact_problem *p;
    const abut_relative *r;
    abut_moved y;
    ia3 y_t;
    int c1, c2;
    abut_field_jet one[ABUT_FEATURE_MAX_FIELDS], two[ABUT_FEATURE_MAX_FIELDS];
    ia3 g2[ABUT_FEATURE_MAX_FIELDS]; /* in the frame of one */
    ia3 g2_t[ABUT_FEATURE_MAX_FIELDS];
    ia33 h2[ABUT_FEATURE_MAX_FIELDS]; /* rows: derivatives of g2 by x, y, z */
} fields;

static bool enclose_fields(fields *s, ia3 x, int order, ia *const scratch[2])
{
    bool defined = true;
    /* cppcheck-suppress ctuuninitvar ; filled member by member */
    for (int i = 0; i < s->c1; ++i)
        defined = abut_feature_field(s->p->one->surface, s->p->feature_one, i, x, s->r->t, order, scratch[0],
                                     &s->one[i]) &&
                  defined;
    for (int i = 0; i < s->c2; ++i)
        defined = abut_feature_field(s->p->two->surface, s->p->feature_two, i, s->y.x, s->r->t, order,
                                     scratch[1], &s->two[i]) &&
                  defined;
    return defined;
}

static ia3 turn_back(const abut_relative *r, const ia33 *m, ia3 v)
{
    if (!r->turns)
        return v;
    const ia33 t = ia33_transpose(m);
    return ia33_mul3(&t, v);
}

static ia3 column(const ia33 *m, int j)
{
    return (ia3){ m->m[0][j], m->m[1][j], m->m[2][j] };
}

static ia3 hessian_column(const ia h[6], int k)
{
    static const int at[3][3] = { { 0, 1, 2 }, { 1, 3, 4 }, { 2, 4, 5 } };
    return (ia3){ h[at[0][k]], h[at[1][k]], h[at[2][k]] };
}

/* G = Q^T g, its derivative by x_k, Q^T H (Q e_k), and by t, Q'^T g + Q^T (H y_t + g_t). */
static void bring_gradients(fields *s, int order)
{
    const abut_relative *const r = s->r;
    for (int i = 0; i < s->c2; ++i) {
        const abut_field_jet *const f = &s->two[i];
        s->g2[i] = turn_back(r, &r->q, f->g);
        if (order < 1)
            continue;
        for (int k = 0; k < 3; ++k) {
            const ia3 moved = r->turns ? abut_hessian_times(f->h, column(&r->q, k)) : hessian_column(f->h, k);
            const ia3 row = turn_back(r, &r->q, moved);
            s->h2[i].m[k][0] = row.x;
            s->h2[i].m[k][1] = row.y;
            s->h2[i].m[k][2] = row.z;
        }
        s->g2_t[i] = turn_back(r, &r->q, ia3_add(abut_hessian_times(f->h, s->y_t), f->gt));
        if (r->turns)
            s->g2_t[i] = ia3_add(s->g2_t[i], turn_back(r, &r->q_rate, f->g));
    }
}

/* Derivative of the gradient of one's field i (two's field j) by unknown k. */
static ia3 one_by(const fields *s, int i, int k)
{
    return k < 3 ? hessian_column(s->one[i].h, k) : s->one[i].gt;
}

static ia3 two_by(const fields *s, int j, int k)
{
    return k < 3 ? ia33_row(&s->h2[j], k) : s->g2_t[j];
}

/* Both fields and two components of the product; see above. */
static unsigned sufficient_rows(ia3 a, ia3 b)
{
    const double sizes[3] = { fmax(ia_mig(a.x), ia_mig(b.x)), fmax(ia_mig(a.y), ia_mig(b.y)),
                              fmax(ia_mig(a.z), ia_mig(b.z)) };
    int largest = sizes[1] > sizes[0] ? 1 : 0;
    if (sizes[2] > sizes[largest])
        largest = 2;
    return sizes[largest] > 0 ? 31U & ~(4U << largest) : 0;
}

static void add_cross(const fields *s, int order, abut_system *out)
{
    const ia3 a = s->one[0].g, b = s->g2[0], c = ia3_cross(a, b);
    out->f[2] = c.x;
    out->f[3] = c.y;
    out->f[4] = c.z;
    out->sufficient = sufficient_rows(a, b);
    if (order < 1)
        return;
    for (int k = 0; k < 4; ++k) {
        const ia3 d = ia3_add(ia3_cross(one_by(s, 0, k), b), ia3_cross(a, two_by(s, 0, k)));
        out->jacobian[2][k] = d.x;
        out->jacobian[3][k] = d.y;
        out->jacobian[4][k] = d.z;
    }
}

static void add_determinant(const fields *s, int order, abut_system *out)
{
    const ia3 a = s->one[0].g, b = s->one[1].g, edge = ia3_cross(a, b);
    out->f[3] = ia3_dot(edge, s->g2[0]);
    if (order < 1)
        return;
    for (int k = 0; k < 4; ++k) {
        const ia3 turned = ia3_add(ia3_cross(one_by(s, 0, k), b), ia3_cross(a, one_by(s, 1, k)));
        out->jacobian[3][k] = ia_add(ia3_dot(turned, s->g2[0]), ia3_dot(edge, two_by(s, 0, k)));
    }
}

/* Speeds of the surfaces along their normals, -F_t / |grad F|, must not part them: F1_t |G2| +
 * F2_t |g1| <= 0, with the fields at a point that rests in the frame of one. */
static ia closing_speed(const fields *s)
{
    const ia rate_two = ia_add(ia3_dot(s->two[0].g, s->y_t), s->two[0].t);
    return ia_add(ia_mul(s->one[0].t, ia_sqrt(ia3_sqr_norm(s->g2[0]))),
                  ia_mul(rate_two, ia_sqrt(ia3_sqr_norm(s->one[0].g))));
}

static void add_holds(const fields *s, ia3 x, ia *const scratch[2], abut_system *out)
{
    const abut_contact_problem *const p = s->p;
    const bool deforms = p->one->surface->deforms || p->two->surface->deforms;
    abut_incoming in = { .has_velocity = !deforms, .velocity = s->y_t };
    if (p->one->surface->solid) {
        in.count_one = s->c1;
        for (int i = 0; i < s->c1; ++i)
            in.normals_one[i] = abut_relative_normal(s->r, s->one[i].g);
    }
    if (p->two->surface->solid) {
        in.count_two = s->c2;
        for (int i = 0; i < s->c2; ++i)
            in.normals_two[i] = s->two[i].g;
    }
    if (deforms && s->c1 == 1 && s->c2 == 1 && p->one->rigid && p->two->rigid) {
        in.has_rates = true;
        in.rates_two[0] = closing_speed(s);
    }
    out->holds = abut_incoming_holds(&in, p->reversed);
    if (out->holds < 0)
        return;
    int common = (int)abut_feature_on(p->one->surface, p->feature_one, x, s->r->t, scratch[0]);
    if (common >= 0)
        common = abut_holds_and(
            common, (int)abut_feature_on(p->two->surface, p->feature_two, s->y.x, s->r->t, scratch[1]));
    if (common >= 0)
        common = abut_holds_and(common, abut_tracked_holds(p->stage, out->place, s->r->t));
    out->common = common > 0;
    out->holds = abut_holds_and(out->holds, common);
}

void abut_contact_implicit(const abut_contact_problem *p, const ia *x, int order, int thread,
                           abut_system *out)
{
    fields s;
    s.p = p;
    s.c1 = p->feature_one->field_count;
    s.c2 = p->feature_two->field_count;
    const int equations = abut_contact_equations(p), contact = s.c1 + s.c2;
    const ia3 at = { x[0], x[1], x[2] };
    ia *const *const scratch = p->stage->threads[thread].scratch;
    s.r = abut_contact_relative(p, x[3], false, thread);
    s.y = abut_relative_point(s.r, at);
    const bool point = abut_box_is_point(x, 4);
    const int jets = order > 0 ? 2 : 1;
    const bool defined = enclose_fields(&s, at, point ? jets : 0, scratch);
    for (int i = 0; i < contact; ++i)
        out->f[i] = i < s.c1 ? s.one[i].f : s.two[i - s.c1].f;
    out->place = s.y.world;
    out->spread = fmax(abut_widest_side(at), abut_widest_side(s.y.x));
    out->holds = 0;
    out->defined = defined && s.r->defined;
    const bool possible = abut_system_may_vanish(out, contact);
    if (!possible && !point) {
        abut_system_fill(out, contact, equations, 4, order);
        return;
    }
    s.r = abut_contact_relative(p, x[3], possible || order > 0, thread);
    out->defined = out->defined && (!s.r->rates || s.r->rates_known);
    if (!point && !enclose_fields(&s, at, jets, scratch))
        out->defined = false;
    if (possible || order > 0)
        s.y_t = abut_relative_velocity(s.r, &s.y, at, abut_relative_zero());
    bring_gradients(&s, order);
    if (order > 0)
        for (int i = 0; i < contact; ++i) {
            const ia3 g = i < s.c1 ? s.one[i].g : s.g2[i - s.c1];
            out->jacobian[i][0] = g.x;
            out->jacobian[i][1] = g.y;
            out->jacobian[i][2] = g.z;
            out->jacobian[i][3] =
                i < s.c1 ? s.one[i].t : ia_add(ia3_dot(s.two[i - s.c1].g, s.y_t), s.two[i - s.c1].t);
        }
    if (equations == 5 && contact == 2)
        add_cross(&s, order, out);
    else if (equations == 4 && contact == 3)
        add_determinant(&s, order, out);
    if (possible && abut_system_may_vanish(out, equations))
        add_holds(&s, at, scratch, out);
}
