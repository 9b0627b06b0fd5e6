/* SPDX-License-Identifier: MIT */
/* Contact of a parametric feature (one) with an implicit one (two): the fields of two vanish at
 * the point x(u, v, t) of one in its frame. Tangency: of two faces, the gradient g is
 * perpendicular to both derivatives of x; of a face and an implicit edge the edge's direction
 * g_a x g_b lies in the face; of an edge and a face, g is perpendicular to the edge. */
#include "ccd/surface/surface_problem.h"

typedef struct mixed {
    const abut_contact_problem *p;
    const abut_relative *r;
    abut_jet j;
    abut_moved m;
    ia3 u, v, uu, uv, vv, ut, vt; /* derivatives of x */
    ia3 t;
    abut_field_jet field[ABUT_FEATURE_MAX_FIELDS];
    int k, c;
    bool linear; /* one field, with a constant gradient: `slope` is that in the frame of one */
    ia3 slope;
} mixed;

static void add_holds(mixed *s, const ia *x, ia *const scratch[2], abut_system *out)
{
    const abut_contact_problem *const p = s->p;
    abut_incoming in = { .has_velocity = !p->two->surface->deforms, .velocity = s->t, .has_rates = true };
    if (p->one->surface->solid) {
        in.count_one = p->feature_one->normal_count;
        if (s->k == 2)
            in.normals_one[0] = s->j.n;
        else
            abut_feature_normals(p->one->surface, p->feature_one, x, s->r->t, scratch[0], in.normals_one);
        for (int i = 0; i < in.count_one; ++i)
            in.normals_one[i] = abut_relative_normal(s->r, in.normals_one[i]);
    }
    if (p->two->surface->solid) {
        in.count_two = s->c;
        for (int i = 0; i < s->c; ++i) {
            in.normals_two[i] = s->field[i].g;
            in.rates_two[i] = ia_add(ia3_dot(s->field[i].g, s->t), s->field[i].t);
        }
    }
    out->holds = abut_incoming_holds(&in, p->reversed);
    if (out->holds < 0)
        return;
    const abut_truth on = abut_feature_on(p->two->surface, p->feature_two, s->m.x, s->r->t, scratch[1]);
    const int common = abut_holds_and((int)on, abut_tracked_holds(p->stage, out->place, s->r->t));
    out->common = common > 0;
    out->holds = abut_holds_and(out->holds, common);
}

/* d/d(parameter or t) of the gradient of field i along the path of x. */
static ia3 gradient_by(const mixed *s, int i, ia3 direction)
{
    return abut_hessian_times(s->field[i].h, direction);
}

static ia3 gradient_rate(const mixed *s, int i)
{
    return ia3_add(gradient_by(s, i, s->t), s->field[i].gt);
}

/* g . d for d = Q e, e a direction of one. Long parts of e that the plane of a linear field hardly
 * cuts cancel in the frame of one, but not once they are spread over the axes of two. */
static ia along(const mixed *s, ia3 d, ia3 e)
{
    const ia plain = ia3_dot(s->field[0].g, d);
    return s->linear ? ia_intersect(plain, ia3_dot(s->slope, e)) : plain;
}

static bool is_point3(ia3 a)
{
    return ia_width(a.x) == 0 && ia_width(a.y) == 0 && ia_width(a.z) == 0;
}

/* The same for the value: by the mean value theorem from the middle of `points`, those of one for
 * which the gradient was enclosed. */
static void find_slope(mixed *s, ia3 points, ia *scratch, abut_system *out)
{
    const ia3 g = s->field[0].g;
    s->linear = s->c == 1 && s->r->turns && is_point3(g);
    if (!s->linear)
        return;
    const ia33 back = ia33_transpose(&s->r->q);
    s->slope = ia33_mul3(&back, g);
    const ia3 middle = ia3_point(ia3_mid(points));
    abut_field_jet at;
    if (abut_feature_field(s->p->two->surface, s->p->feature_two, 0, abut_relative_point(s->r, middle).x,
                           s->r->t, 0, scratch, &at))
        out->f[0] = ia_intersect(out->f[0], ia_add(at.f, ia3_dot(s->slope, ia3_sub(s->j.p, middle))));
}

/* g . d = 0 with d = x_u or x_v. */
static void add_flat(const mixed *s, int by, int order, int row, abut_system *out)
{
    const ia3 d = by ? s->v : s->u, g = s->field[0].g;
    out->f[row] = along(s, d, by ? s->j.v : s->j.u);
    if (order < 1)
        return;
    const ia3 hd = gradient_by(s, 0, d);
    ia *const jacobian = out->jacobian[row];
    jacobian[0] = ia_add(along(s, by ? s->uv : s->uu, by ? s->j.uv : s->j.uu), ia3_dot(hd, s->u));
    if (s->k > 1)
        jacobian[1] = ia_add(along(s, by ? s->vv : s->uv, by ? s->j.vv : s->j.uv), ia3_dot(hd, s->v));
    jacobian[s->k] = ia_add(ia3_dot(g, by ? s->vt : s->ut), ia3_dot(gradient_rate(s, 0), d));
}

/* The normal of the face of one in the frame of two, and its derivatives by u, v and t. */
typedef struct face_normal {
    ia3 n, by_u, by_v, by_t;
} face_normal;

/* Where lengths stay lengths it turns with the face: the normals of the library's own faces do not
 * vanish at poles, where x_u x x_v does. */
static face_normal normal_of(const mixed *s, int order)
{
    const abut_relative *const r = s->r;
    face_normal f = { .n = ia3_cross(s->u, s->v) };
    if (r->rigid)
        f.n = abut_relative_direction(r, s->j.n);
    if (order < 1)
        return f;
    if (r->rigid) {
        f.by_u = abut_relative_direction(r, s->j.nu);
        f.by_v = abut_relative_direction(r, s->j.nv);
        f.by_t = abut_relative_direction_rate(r, s->j.n, s->j.nt);
    } else {
        f.by_u = ia3_add(ia3_cross(s->uu, s->v), ia3_cross(s->u, s->uv));
        f.by_v = ia3_add(ia3_cross(s->uv, s->v), ia3_cross(s->u, s->vv));
        f.by_t = ia3_add(ia3_cross(s->ut, s->v), ia3_cross(s->u, s->vt));
    }
    return f;
}

/* (g_a x g_b) . n = 0: the edge of two lies in the face of one. */
static void add_edge_in_face(const mixed *s, int order, int row, abut_system *out)
{
    const ia3 a = s->field[0].g, b = s->field[1].g, edge = ia3_cross(a, b);
    const face_normal face = normal_of(s, order);
    out->f[row] = ia3_dot(edge, face.n);
    if (order < 1)
        return;
    const ia3 by_u = ia3_add(ia3_cross(gradient_by(s, 0, s->u), b), ia3_cross(a, gradient_by(s, 1, s->u)));
    const ia3 by_v = ia3_add(ia3_cross(gradient_by(s, 0, s->v), b), ia3_cross(a, gradient_by(s, 1, s->v)));
    const ia3 by_t = ia3_add(ia3_cross(gradient_rate(s, 0), b), ia3_cross(a, gradient_rate(s, 1)));
    ia *const jacobian = out->jacobian[row];
    jacobian[0] = ia_add(ia3_dot(by_u, face.n), ia3_dot(edge, face.by_u));
    jacobian[1] = ia_add(ia3_dot(by_v, face.n), ia3_dot(edge, face.by_v));
    jacobian[2] = ia_add(ia3_dot(by_t, face.n), ia3_dot(edge, face.by_t));
}

/* Derivatives of x in the frame of two, as far as the equations need them. */
static void move_jet(mixed *s, int order)
{
    const abut_relative *const r = s->r;
    const abut_jet *const j = &s->j;
    if (s->k > 0) {
        s->u = abut_relative_direction(r, j->u);
        if (order > 0) {
            s->uu = abut_relative_direction(r, j->uu);
            s->ut = abut_relative_direction_rate(r, j->u, j->ut);
        }
    }
    if (s->k > 1) {
        s->v = abut_relative_direction(r, j->v);
        if (order > 0) {
            s->uv = abut_relative_direction(r, j->uv);
            s->vv = abut_relative_direction(r, j->vv);
            s->vt = abut_relative_direction_rate(r, j->v, j->vt);
        }
    }
}

static bool fields_at(mixed *s, int order, ia *scratch)
{
    bool defined = true;
    /* cppcheck-suppress ctuuninitvar ; filled member by member */
    for (int i = 0; i < s->c; ++i)
        defined = abut_feature_field(s->p->two->surface, s->p->feature_two, i, s->m.x, s->r->t, order,
                                     scratch, &s->field[i]) &&
                  defined;
    return defined;
}

static void add_tangency(const mixed *s, int order, int equations, abut_system *out)
{
    if (s->k == 2 && s->c == 2 && equations > 2)
        add_edge_in_face(s, order, 2, out);
    else if (s->c == 1)
        for (int row = 1; row < equations; ++row)
            add_flat(s, row - 1, order, row, out);
}

static void enclose(const abut_contact_problem *p, const ia *x, int order, bool all, int thread,
                    abut_system *out)
{
    mixed s;
    s.p = p;
    s.k = p->feature_one->dimension;
    s.c = p->feature_two->field_count;
    const int unknowns = s.k + 1, equations = abut_contact_equations(p);
    ia *const *const scratch = p->stage->threads[thread].scratch;
    s.r = abut_contact_relative(p, x[s.k], false, thread);
    const ia t = s.r->t;
    const bool point = abut_box_is_point(x, unknowns);
    const int jets = order > 0 ? 2 : 1, first = point ? jets : 0;
    bool defined = abut_feature_jet(p->one->surface, p->feature_one, x, t, first, scratch[0], &s.j);
    const ia3 points = s.j.p;
    s.m = abut_relative_point(s.r, points);
    defined = fields_at(&s, first, scratch[1]) && defined;
    for (int i = 0; i < s.c; ++i)
        out->f[i] = s.field[i].f;
    out->place = s.m.world;
    out->spread = abut_widest_side(s.m.x);
    out->holds = 0;
    out->defined = defined && s.r->defined;
    const bool possible = abut_system_may_vanish(out, s.c);
    if (!possible && !point && !all) {
        abut_system_fill(out, s.c, equations, unknowns, order);
        return;
    }
    s.r = abut_contact_relative(p, x[s.k], possible || order > 0, thread);
    out->defined = out->defined && (!s.r->rates || s.r->rates_known);
    if (!point) {
        defined = abut_feature_jet(p->one->surface, p->feature_one, x, t, jets, scratch[0], &s.j);
        defined = fields_at(&s, jets, scratch[1]) && defined;
        out->defined = out->defined && defined;
    }
    s.linear = false;
    if (out->defined)
        find_slope(&s, points, scratch[1], out);
    move_jet(&s, order);
    if (possible || order > 0)
        s.t = abut_relative_velocity(s.r, &s.m, s.j.p, s.j.t);
    if (order > 0)
        for (int i = 0; i < s.c; ++i) {
            if (s.k > 0)
                out->jacobian[i][0] = i == 0 ? along(&s, s.u, s.j.u) : ia3_dot(s.field[i].g, s.u);
            if (s.k > 1)
                out->jacobian[i][1] = i == 0 ? along(&s, s.v, s.j.v) : ia3_dot(s.field[i].g, s.v);
            out->jacobian[i][s.k] = ia_add(ia3_dot(s.field[i].g, s.t), s.field[i].t);
        }
    add_tangency(&s, order, equations, out);
    if (possible && abut_system_may_vanish(out, equations))
        add_holds(&s, x, scratch, out);
}

void abut_contact_mixed(const abut_contact_problem *p, const ia *x, int order, int thread, abut_system *out)
{
    enclose(p, x, order, false, thread, out);
}

void abut_contact_mixed_all(const abut_contact_problem *p, const ia *x, int thread, abut_system *out)
{
    enclose(p, x, 1, true, thread, out);
}
