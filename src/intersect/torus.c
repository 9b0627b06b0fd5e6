/* SPDX-License-Identifier: MIT */
/* Implicit functions of surfaces on a torus.
 *
 * A coordinate of a point of the torus has degree (1, 1) in its angles, the square of its distance
 * from any point, too, because |x - centre|^2 = R^2 + r^2 + 2 R r cos psi. So planes and spheres
 * give degree (1, 1), other quadrics (2, 2), and so do tori: (|y|^2 + R^2 - r^2)^2 - 4 R^2 (|y|^2
 * - (a.y)^2). */
#include "intersect/torus.h"
#include "intersect/exact.h"

void abut_torus_of(const abut_placed *p, abut_torus *out)
{
    out->center = p->point;
    out->axis = p->axis;
    out->major = p->radius;
    out->minor = p->minor;
    abut_frame_across(p->axis, &out->u, &out->v);
}

ia3 abut_torus_point(const abut_torus *t, ia cos_phi, ia sin_phi, ia cos_psi, ia sin_psi)
{
    const ia3 around = ia3_add(ia3_scale(cos_phi, t->u), ia3_scale(sin_phi, t->v));
    const ia across = ia_add(t->major, ia_mul(t->minor, cos_psi));
    return ia3_add(t->center,
                   ia3_add(ia3_scale(across, around), ia3_scale(ia_mul(t->minor, sin_psi), t->axis)));
}

void abut_torus_height(const abut_torus *t, ia3 normal, ia offset, abut_torus_linear *out)
{
    const ia x = ia3_dot(normal, t->u), y = ia3_dot(normal, t->v), z = ia3_dot(normal, t->axis),
             zero = ia_point(0);
    *out = (abut_torus_linear){ { { ia_add(ia3_dot(normal, t->center), offset), zero, ia_mul(t->minor, z) },
                                  { ia_mul(t->major, x), ia_mul(t->minor, x), zero },
                                  { ia_mul(t->major, y), ia_mul(t->minor, y), zero } } };
}

void abut_torus_square(const abut_torus *t, ia3 center, abut_torus_linear *out)
{
    /* |x - m|^2 + 2 (x - m).d + |d|^2 with m the torus's centre, d = m - center */
    const ia3 d = ia3_sub(t->center, center);
    abut_torus_height(t, ia3_scale(ia_point(2), d), ia_scale(-2, ia3_dot(d, t->center)), out);
    const ia fixed = ia_add(ia_add(ia_sqr(t->major), ia_sqr(t->minor)), ia3_sqr_norm(d));
    out->g[0][0] = ia_add(out->g[0][0], fixed);
    out->g[0][1] = ia_add(out->g[0][1], ia_scale(2, ia_mul(t->major, t->minor)));
}

/* Halves where there are two terms or it is sin cos. */
int abut_torus_products(int i, int k, int at[2], double weight[2])
{
    if (i > k) {
        const int t = i;
        i = k;
        k = t;
    }
    if (i == 0) {
        at[0] = k;
        weight[0] = 1;
        return 1;
    }
    weight[0] = 0.5;
    if (i != k) {
        at[0] = 4;
        return 1;
    }
    at[0] = 0;
    at[1] = 3;
    weight[1] = i == 1 ? 0.5 : -0.5;
    return 2;
}

/* Kernel. f += factor g h. */
static void add_product(abut_torus_function *f, ia factor, const abut_torus_linear *g,
                        const abut_torus_linear *h)
{
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j) {
            const ia x = ia_mul(factor, g->g[i][j]);
            if (ia_is_point(x) && ia_lo(x) == 0)
                continue;
            for (int k = 0; k < 3; ++k)
                for (int l = 0; l < 3; ++l) {
                    const ia value = ia_mul(x, h->g[k][l]);
                    int a[2], b[2];
                    double wa[2], wb[2];
                    const int na = abut_torus_products(i, k, a, wa), nb = abut_torus_products(j, l, b, wb);
                    for (int s = 0; s < na; ++s)
                        for (int t = 0; t < nb; ++t)
                            f->f[a[s]][b[t]] = ia_add(f->f[a[s]][b[t]], ia_scale(wa[s] * wb[t], value));
                }
        }
}

static void add_linear(abut_torus_function *f, ia factor, const abut_torus_linear *g)
{
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j)
            f->f[i][j] = ia_add(f->f[i][j], ia_mul(factor, g->g[i][j]));
}

void abut_torus_function_of(const abut_torus *t, const abut_placed *other, abut_torus_function *out)
{
    const ia one = ia_point(1);
    for (int i = 0; i < 5; ++i)
        for (int j = 0; j < 5; ++j)
            out->f[i][j] = ia_point(0);
    abut_torus_linear square, height;
    if (other->kind == ABUT_SOLID_QUADRIC) {
        /* x'Px + 2 p'x + k: the rows of P as heights times the coordinates. */
        static const double unit[3][3] = { { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 } };
        for (int i = 0; i < 3; ++i) {
            abut_torus_linear row, coordinate;
            const ia3 p = { other->matrix[i][0], other->matrix[i][1], other->matrix[i][2] };
            abut_torus_height(t, p, ia_scale(2, other->matrix[i][3]), &row);
            abut_torus_height(t, ia3_point((abut_vec3){ unit[i][0], unit[i][1], unit[i][2] }), ia_point(0),
                              &coordinate);
            add_product(out, one, &row, &coordinate);
        }
        out->f[0][0] = ia_add(out->f[0][0], other->matrix[3][3]);
        return;
    }
    if (other->kind != ABUT_SOLID_SPHERE)
        abut_torus_height(t, other->axis, ia_neg(ia3_dot(other->axis, other->point)), &height);
    if (other->kind == ABUT_SOLID_PLANE) {
        add_linear(out, one, &height);
        return;
    }
    abut_torus_square(t, other->point, &square);
    switch (other->kind) {
    case ABUT_SOLID_TORUS: {
        const ia r2 = ia_scale(4, ia_sqr(other->radius));
        abut_torus_linear inner = square;
        inner.g[0][0] = ia_add(
            inner.g[0][0], ia_mul(ia_add(other->radius, other->minor), ia_sub(other->radius, other->minor)));
        add_product(out, one, &inner, &inner);
        add_linear(out, ia_neg(r2), &square);
        add_product(out, r2, &height, &height);
        return;
    }
    case ABUT_SOLID_CONE:
        add_linear(out, one, &square);
        add_product(out, ia_neg(ia_add(one, ia_sqr(other->tangent))), &height, &height);
        return;
    case ABUT_SOLID_CYLINDER: add_product(out, ia_point(-1), &height, &height); break;
    default: break;
    }
    add_linear(out, one, &square);
    out->f[0][0] = ia_sub(out->f[0][0], ia_sqr(other->radius));
}

/* ---- exactly ----
 *
 * A torus and a plane or sphere in exact arithmetic, where the interval method does not decide:
 * contact, figures of eight, Villarceau circles. The torus's axis is one of coordinates, so that
 *
 *     x = centre + (R + r cos psi) (cos phi e + sin phi f) + r sin psi g
 *
 * has dyadic e, f, g, and the forms a, b, c of torus_space.c are exact. */

static ABUT_NOINLINE bool graph_kernel(const abut_ruled *r, abut_ruled_events *events, abut_meeting *m)
{
    return abut_ruled_graph(r, events, m);
}

typedef struct sheet_section {
    abut_exact_form a, b, c, d;
} sheet_section;

/* p.(x - centre) on the torus: g[i][j] as in torus.h. */
static void exact_height(abut_number axes[3][3], const abut_number p[3], const abut_number *major,
                         const abut_number *minor, abut_number g[3][3])
{
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j)
            abut_number_from(&g[i][j], 0);
    abut_number x;
    for (int i = 0; i < 2; ++i) {
        abut_exact_dot(p, axes[i], &x);
        abut_number_mul(&g[i + 1][0], &x, major);
        abut_number_mul(&g[i + 1][1], &x, minor);
    }
    abut_exact_dot(p, axes[2], &x);
    abut_number_mul(&g[0][2], &x, minor);
}

/* The forms a, b, c of torus_space.c from f = sum g[i][j] (1, cos, sin)(phi) (1, cos, sin)(psi). */
static void sheet_forms(abut_number g[3][3], sheet_section *s)
{
    abut_exact_form *const forms[3] = { &s->a, &s->b, &s->c };
    for (int k = 0; k < 3; ++k) {
        abut_number row[3];
        abut_form_reset(forms[k], 2);
        for (int j = 0; j < 3; ++j) {
            abut_number_from(&row[j], 0);
            abut_form_add(&row[j], &g[k == 1 ? 2 : 0][j], k == 1 ? 2 : 1);
            if (k != 1)
                abut_form_add(&row[j], &g[1][j], k == 0 ? 1 : -1);
        }
        abut_number_add(&forms[k]->c[0], &row[0], &row[1]);
        abut_form_add(&forms[k]->c[1], &row[2], 2);
        abut_number_sub(&forms[k]->c[2], &row[0], &row[1]);
    }
    abut_form_reset(&s->d, 4);
    abut_form_add_product(&s->d, &s->b, &s->b, 1);
    abut_form_add_product(&s->d, &s->a, &s->c, -4);
}

static void turn_form(abut_exact_form *f, int p, int q)
{
    const double from[3][3] = { { p * p, p * q, q * q },
                                { -2.0 * p * q, p * p - q * q, 2.0 * p * q },
                                { q * q, -p * q, p * p } };
    const abut_number old[3] = { f->c[0], f->c[1], f->c[2] };
    for (int i = 0; i < 3; ++i) {
        abut_number_from(&f->c[i], 0);
        for (int j = 0; j < 3; ++j)
            abut_form_add(&f->c[i], &old[j], from[i][j]);
    }
}

/* Kernel. The torus with the axes that the exact forms have. */
static ABUT_NOINLINE void enclose_sheet(const abut_meeting *m, int torus, abut_number axes[3][3],
                                        const sheet_section *s, abut_torus *t, abut_ruled *r)
{
    abut_torus_of(&m->placed[torus], t);
    ia3 *const to[3] = { &t->u, &t->v, &t->axis };
    for (int i = 0; i < 3; ++i)
        *to[i] = (ia3){ abut_exact_enclose(&axes[i][0]), abut_exact_enclose(&axes[i][1]),
                        abut_exact_enclose(&axes[i][2]) };
    for (int i = 0; i < 3; ++i) {
        r->a[i] = abut_exact_enclose(&s->a.c[i]);
        r->b[i] = abut_exact_enclose(&s->b.c[i]);
        r->c[i] = abut_exact_enclose(&s->c.c[i]);
    }
    for (int i = 0; i < 5; ++i)
        r->d[i] = abut_exact_enclose(&s->d.c[i]);
    r->torus = t;
    r->d0 = r->d1 = 1;
}

static bool without_roots(const abut_exact_form *f)
{
    abut_ruled_event roots[8];
    return !abut_form_is_zero(f) && abut_form_clear(f) && abut_form_roots(f, roots) == 0;
}

bool abut_loops_sheet_exact(abut_meeting *m, int torus)
{
    static const int turns[6][2] = { { 1, 0 }, { 2, 1 }, { 3, 1 }, { 3, 2 }, { 4, 1 }, { 4, 3 } };
    abut_exact_surface placed[2];
    for (int i = 0; i < 2; ++i)
        abut_exact_place(m->surface[i], m->pose[i], m->origin, &placed[i]);
    const abut_exact_surface *own = &placed[torus], *other = &placed[1 - torus];
    const abut_solid_surface *t = m->surface[torus], *o = m->surface[1 - torus];
    if (!own->known || !other->known)
        return false;
    const int k = abut_exact_axis(own);
    if (k < 0)
        return false;
    abut_number axes[3][3], away[3], g[3][3], major, minor, x;
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j)
            abut_number_from(&axes[i][j], j == (k + 1 + i) % 3);
        abut_number_sub(&away[i], &own->point[i], &other->point[i]);
    }
    abut_number_from(&major, t->radius);
    abut_number_from(&minor, t->minor);
    if (o->kind == ABUT_SOLID_PLANE) {
        exact_height(axes, other->axis, &major, &minor, g);
        abut_exact_dot(other->axis, away, &g[0][0]);
    } else { /* |away|^2 + R^2 + r^2 - s^2 + 2 R r cos psi + 2 away.(x - centre) */
        abut_number twice[3];
        for (int i = 0; i < 3; ++i)
            abut_number_add(&twice[i], &away[i], &away[i]);
        exact_height(axes, twice, &major, &minor, g);
        abut_exact_dot(away, away, &g[0][0]);
        const double squares[3] = { t->radius, t->minor, o->radius };
        for (int i = 0; i < 3; ++i) {
            abut_number_from(&x, squares[i]);
            abut_number_mul(&x, &x, &x);
            abut_form_add(&g[0][0], &x, i < 2 ? 1 : -1);
        }
        abut_number_mul(&x, &major, &minor);
        abut_form_add(&g[0][1], &x, 2);
    }
    for (int i = 0; i < 6; ++i) {
        sheet_section s;
        sheet_forms(g, &s);
        if (i > 0) {
            turn_form(&s.a, turns[i][0], turns[i][1]);
            turn_form(&s.b, turns[i][0], turns[i][1]);
            turn_form(&s.c, turns[i][0], turns[i][1]);
            abut_form_reset(&s.d, 4);
            abut_form_add_product(&s.d, &s.b, &s.b, 1);
            abut_form_add_product(&s.d, &s.a, &s.c, -4);
        }
        if (abut_form_is_bad(&s.d))
            return false;
        if (!abut_form_clear(&s.d))
            continue;
        abut_torus frame;
        abut_ruled r = { .p = turns[i][0], .q = turns[i][1] };
        abut_ruled_events events = { 0 };
        int sign[2];
        abut_form_cuts(&s.d, sign);
        events.sign = sign[0];
        events.double_sheet = abut_form_is_zero(&s.d);
        if (events.double_sheet && !without_roots(&s.a) && !without_roots(&s.c))
            return false; /* a whole circle psi = constant, perhaps */
        events.d_count = events.double_sheet ? 0 : abut_form_roots(&s.d, events.d);
        if (events.d_count < 0)
            return false;
        const abut_rounding saved = abut_rounding_enter();
        enclose_sheet(m, torus, axes, &s, &frame, &r);
        m->out->count = 0;
        const bool done = graph_kernel(&r, &events, m);
        abut_rounding_leave(saved);
        return done;
    }
    return false;
}
