/* SPDX-License-Identifier: MIT */
/* When features can touch in a box of parameters and time, to third order in the size of the box.
 *
 * Along curves and regions of contact the Jacobian is singular, Newton steps leave the box as it
 * is, and the equations of contact alone bound the time to second order only: a curve of length 1
 * would take 10^5 boxes for a time to 10^-10. Here the gap phi along the normal is developed to
 * second order about the middle c of the box, for the first feature slid along the second,
 *     0 = phi(c) + D w + w^T M w / 2 + phi_t (t - t_c),
 * w the parameters of one, less those of c. M is the difference of the curvatures of both: it
 * vanishes along a curve of contact, but for its width, O(h), and so does what remains of D w +
 * w^T M w / 2 on the side that matters once the square of the other direction is completed.
 * docs/notes/contact-of-surfaces.md derives it. */
#include "ccd/surface/surface_problem.h"
#include "math/vec3.h"

typedef struct slide {
    int k;      /* parameters of one: 1 or 2 */
    ia w[2];    /* those of the box, less those of its middle */
    ia d[2];    /* D */
    ia m[2][2]; /* M */
    ia value;   /* phi(c), and what else is added */
    ia rate;    /* phi_t over the box */
    bool timed; /* and these are known: */
    ia rate_at; /* phi_t at the parameters of c, at all times of the box */
    ia turn[2]; /* dD/dt there */
} slide;

static ia half(ia a)
{
    return ia_scale(0.5, a);
}

/* d w + m w^2 / 2 for all w of the interval. */
static ia parabola(ia d, ia m, ia w)
{
    const ia plain = ia_mul(w, ia_add(d, half(ia_mul(m, w))));
    const ia apart = ia_add(ia_mul(d, w), half(ia_mul(m, ia_sqr(w))));
    ia best = ia_intersect(plain, apart);
    if (!ia_contains_zero(m)) {
        const ia at = ia_div(d, m);
        best = ia_intersect(best, half(ia_mul(m, ia_sub(ia_sqr(ia_add(w, at)), ia_sqr(at)))));
    }
    return best;
}

/* D w + w^T M w / 2. With a = M_11: a/2 (w_1 + (d_1 + m w_2) / a)^2 - d_1^2 / 2a, and a parabola
 * in w_2 is left. */
ia abut_paraboloid(int k, const ia d[2], const ia m[2][2], const ia w[2])
{
    if (k == 1)
        return parabola(d[0], m[0][0], w[0]);
    const ia across = ia_intersect(m[0][1], m[1][0]);
    ia best = ia_add(ia_add(parabola(d[0], m[0][0], w[0]), parabola(d[1], m[1][1], w[1])),
                     ia_mul(across, ia_mul(w[0], w[1])));
    for (int i = 0; i < 2; ++i) {
        const ia a = m[i][i];
        if (ia_contains_zero(a))
            continue;
        const ia slope = ia_div(across, a), at = ia_div(d[i], a);
        const ia square = ia_sqr(ia_add(ia_add(w[i], at), ia_mul(slope, w[!i])));
        const ia rest =
            parabola(ia_sub(d[!i], ia_mul(d[i], slope)), ia_sub(m[!i][!i], ia_mul(across, slope)), w[!i]);
        best = ia_intersect(best, ia_add(half(ia_mul(a, ia_sub(square, ia_sqr(at)))), rest));
    }
    return best;
}

/* The times at which the gap may vanish, its rate taken over the whole box. */
static ia times_over(const slide *s, ia t)
{
    if (ia_contains_zero(s->rate) || !ia_is_finite(s->rate))
        return t;
    const ia gap = ia_add(s->value, abut_paraboloid(s->k, s->d, s->m, s->w));
    return ia_sub(ia_point(ia_mid(t)), ia_div(gap, s->rate));
}

/* The same with the rate at c, where D varies in time instead: bodies that graze each other come
 * and go so slowly that the rate is about zero in every box that is not tiny. */
static ia times_along(const slide *s, ia t)
{
    const ia since = ia_sub(t, ia_point(ia_mid(t)));
    ia d[2];
    for (int i = 0; i < s->k; ++i)
        d[i] = ia_add(s->d[i], ia_mul(s->turn[i], since));
    const ia gap = ia_add(s->value, abut_paraboloid(s->k, d, s->m, s->w));
    if (!ia_is_finite(gap) || !ia_is_finite(s->rate_at))
        return t;
    if (!ia_contains_zero(s->rate_at))
        return ia_sub(ia_point(ia_mid(t)), ia_div(gap, s->rate_at));
    return ia_contains_zero(ia_add(gap, ia_mul(s->rate_at, since))) ? t : ia_empty();
}

static ia times(const slide *s, ia t)
{
    const ia over = times_over(s, t);
    return s->timed ? ia_intersect(over, times_along(s, t)) : over;
}

/* ---- one parametric, two implicit: phi is the field of two at the point of one ---- */

static bool slide_mixed(const abut_contact_problem *p, const ia *x, const ia *c, const abut_system *s,
                        int thread, slide *out)
{
    abut_system at = { .defined = true }, along = { .defined = true };
    ia line[ABUT_PROBLEM_UNKNOWNS];
    if (p->feature_two->field_count != 1)
        return false;
    abut_contact_mixed(p, c, 0, thread, &at);
    if (!at.defined)
        return false;
    out->value = at.f[0];
    out->rate = s->jacobian[0][out->k];
    for (int i = 0; i < out->k; ++i) {
        out->d[i] = at.f[1 + i];
        for (int j = 0; j < out->k; ++j)
            out->m[i][j] = s->jacobian[1 + i][j];
    }
    for (int i = 0; i < out->k; ++i)
        line[i] = c[i];
    line[out->k] = x[out->k];
    abut_contact_mixed_all(p, line, thread, &along);
    out->timed = along.defined;
    out->rate_at = along.jacobian[0][out->k];
    for (int i = 0; i < out->k; ++i)
        out->turn[i] = along.jacobian[1 + i][out->k];
    return true;
}

/* ---- both parametric: phi is the difference of the points along the normal n of two at c ---- */

/* The parameters of two follow those of one by w_2 = A w_1 + r, A such that the points stay
 * together to first order. */
typedef struct follow {
    double a[2][2]; /* A */
    double p[2][3]; /* left inverse of the derivative of two at c */
    ia r[2];
} follow;

static bool find_follow(const ia3 *one, int k, const abut_jet *two, follow *out)
{
    const abut_vec3 u = ia3_mid(two->u), v = ia3_mid(two->v);
    const double uu = u.x * u.x + u.y * u.y + u.z * u.z, vv = v.x * v.x + v.y * v.y + v.z * v.z;
    const double uv = u.x * v.x + u.y * v.y + u.z * v.z, det = uu * vv - uv * uv;
    if (!(det > 1e-6 * uu * vv)) /* a pole, or nearly */
        return false;
    for (int i = 0; i < 3; ++i) {
        out->p[0][i] = (vv * abut_part3(u, i) - uv * abut_part3(v, i)) / det;
        out->p[1][i] = (uu * abut_part3(v, i) - uv * abut_part3(u, i)) / det;
    }
    for (int i = 0; i < 2; ++i)
        for (int j = 0; j < k; ++j) {
            const abut_vec3 d = ia3_mid(one[j]);
            out->a[i][j] = out->p[i][0] * d.x + out->p[i][1] * d.y + out->p[i][2] * d.z;
        }
    return true;
}

/* Encloses r = w_2 - A w_1 of all zeros: with J1, J2 the derivatives over the box, g the gap at
 * c and P J2 near the identity, r = P g + P (J1 - J2 A) w_1 + (1 - P J2) r + P g_t w_t. False:
 * there are none. */
static bool bound_follow(const abut_system *s, int k, ia3 g, const ia *w, ia w_time, follow *f)
{
    const int last = k + 2;
    for (int i = 0; i < 2; ++i) {
        f->r[i] = w[k + i];
        for (int j = 0; j < k; ++j)
            f->r[i] = ia_sub(f->r[i], ia_scale(f->a[i][j], w[j]));
    }
    for (int pass = 0; pass < 2; ++pass)
        for (int i = 0; i < 2; ++i) {
            ia sum = ia_point(0), identity[2] = { ia_point(i == 0), ia_point(i == 1) }, along[2], drift;
            along[0] = along[1] = drift = ia_point(0);
            for (int row = 0; row < 3; ++row) {
                const double p = f->p[i][row];
                const ia *const jacobian = s->jacobian[row]; /* J1, -J2, g_t */
                sum = ia_add(sum, ia_scale(p, ia3_part(g, row)));
                drift = ia_add(drift, ia_scale(p, jacobian[last]));
                for (int j = 0; j < 2; ++j)
                    identity[j] = ia_add(identity[j], ia_scale(p, jacobian[k + j]));
                for (int j = 0; j < k; ++j)
                    along[j] = ia_add(
                        along[j],
                        ia_scale(p, ia_add(jacobian[j], ia_add(ia_scale(f->a[0][j], jacobian[k]),
                                                               ia_scale(f->a[1][j], jacobian[k + 1])))));
            }
            for (int j = 0; j < k; ++j)
                sum = ia_add(sum, ia_mul(along[j], w[j]));
            for (int j = 0; j < 2; ++j)
                sum = ia_add(sum, ia_mul(identity[j], f->r[j]));
            f->r[i] = ia_intersect(f->r[i], ia_add(sum, ia_mul(drift, w_time)));
            if (ia_is_empty(f->r[i]))
                return false;
        }
    return true;
}

/* phi with w_2 = A w_1 + r: D = D_1 - D_2 A, M = K_1 - A^T K_2 A, and to the value comes - D_2 r
 * - r^T K_2 A w_1 - r^T K_2 r / 2. */
static void add_two(const abut_jet *at, const abut_jet *over, ia3 n, const ia *w, const follow *f, slide *out)
{
    const ia d2[2] = { ia3_dot(n, at->u), ia3_dot(n, at->v) };
    const ia uv = ia3_dot(n, over->uv);
    const ia k2[2][2] = { { ia3_dot(n, over->uu), uv }, { uv, ia3_dot(n, over->vv) } };
    for (int i = 0; i < 2; ++i) {
        ia follows = ia_point(0);
        for (int j = 0; j < 2; ++j) {
            ia aw = half(f->r[j]);
            for (int l = 0; l < out->k; ++l)
                aw = ia_add(aw, ia_scale(f->a[j][l], w[l]));
            follows = ia_add(follows, ia_mul(k2[i][j], aw));
        }
        out->value = ia_sub(out->value, ia_mul(f->r[i], ia_add(d2[i], follows)));
    }
    for (int i = 0; i < out->k; ++i) {
        for (int j = 0; j < 2; ++j)
            out->d[i] = ia_sub(out->d[i], ia_scale(f->a[j][i], d2[j]));
        for (int j = 0; j < out->k; ++j)
            for (int l = 0; l < 2; ++l)
                for (int q = 0; q < 2; ++q)
                    out->m[i][j] = ia_sub(out->m[i][j], ia_scale(f->a[l][i], ia_scale(f->a[q][j], k2[l][q])));
    }
}

/* False: nothing is known; with *none there are no zeros. */
static bool slide_parametric(const abut_contact_problem *p, const ia *x, const ia *c, const abut_system *s,
                             int thread, slide *out, bool *none)
{
    const int k = out->k, last = k + 2;
    if (p->feature_two->dimension != 2)
        return false;
    const abut_relative r = *abut_contact_relative(p, x[last], false, thread);
    const abut_relative at = *abut_contact_relative(p, c[last], false, thread);
    const abut_known_jet one = *abut_contact_jet(p, 0, x, r.t, 2, thread);
    const abut_known_jet two = *abut_contact_jet(p, 1, x + k, r.t, 2, thread);
    const abut_known_jet one_at = *abut_contact_jet(p, 0, c, at.t, 1, thread);
    const abut_known_jet two_at = *abut_contact_jet(p, 1, c + k, at.t, 1, thread);
    if (!r.defined || !at.defined || !one.defined || !two.defined || !one_at.defined || !two_at.defined)
        return false;
    const ia3 g = ia3_sub(abut_relative_point(&at, one_at.jet.p).x, two_at.jet.p);
    const ia3 n = ia3_point(ia3_mid(two_at.jet.n));
    const ia3 by[2] = { abut_relative_direction(&at, one_at.jet.u),
                        abut_relative_direction(&at, one_at.jet.v) };
    const ia3 twice[3] = { abut_relative_direction(&r, one.jet.uu), abut_relative_direction(&r, one.jet.uv),
                           abut_relative_direction(&r, one.jet.vv) };
    ia w[ABUT_PROBLEM_UNKNOWNS];
    follow f;
    for (int i = 0; i <= last; ++i)
        w[i] = ia_sub(x[i], c[i]);
    if (!find_follow(by, k, &two_at.jet, &f))
        return false;
    *none = !bound_follow(s, k, g, w, w[last], &f);
    out->value = ia3_dot(n, g);
    out->rate = ia3_dot(n, (ia3){ s->jacobian[0][last], s->jacobian[1][last], s->jacobian[2][last] });
    for (int i = 0; i < k; ++i) {
        out->d[i] = ia3_dot(n, by[i]);
        for (int j = 0; j < k; ++j)
            out->m[i][j] = ia3_dot(n, twice[i + j]);
    }
    add_two(&two_at.jet, &two.jet, n, w, &f, out);
    return true;
}

ia abut_contact_times(const void *ctx, const ia *x, const abut_system *s, int thread)
{
    const abut_contact_problem *const p = ctx;
    const int unknowns = abut_contact_unknowns(p), k = p->feature_one->dimension;
    const ia t = x[unknowns - 1];
    slide out = { .k = k };
    ia c[ABUT_PROBLEM_UNKNOWNS];
    bool none = false;
    if (k == 0 || p->form == ABUT_FORM_IMPLICIT || p->stage->no_tangency)
        return t;
    for (int i = 0; i < unknowns; ++i)
        c[i] = ia_point(ia_mid(x[i]));
    for (int i = 0; i < k; ++i)
        out.w[i] = ia_sub(x[i], c[i]);
    const bool known = p->form == ABUT_FORM_MIXED ? slide_mixed(p, x, c, s, thread, &out)
                                                  : slide_parametric(p, x, c, s, thread, &out, &none);
    return none ? ia_empty() : known ? times(&out, t) : t;
}
