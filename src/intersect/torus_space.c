/* SPDX-License-Identifier: MIT */
/* Tori and natural quadrics or tori in configuration space.
 *
 * Source: K.-J. Kim, Torus and simple surface intersection based on a configuration space
 * approach, POSTECH 1998, as Schoemer, Reichel, Warken 2002 tell it. One surface is the envelope
 * of a ball of radius r whose centre runs along a circle or line, the path; the other is an
 * obstacle. Where the centre is within r of the obstacle the ball meets it; these segments of the
 * path end at roots of polynomials of degree 4. A segment that is not the whole circle gives one
 * loop, the whole circle two.
 *
 * Proof, in docs/notes/cad-intersections.md: with M the part of the obstacle inside of the swept
 * solid, the pairs (x in M, q on the path) with |x - q| <= r project to M and to the segments with
 * contractible fibres, so M is a disc for a segment and an annulus for a whole circle. It needs r
 * less than the obstacle's reach: radius of a cylinder, min(r, R - r) of a torus; for a cone, that
 * no ball touches the wall opposite of it. Simple roots exclude contact. */
#include "intersect/ruled.h"
#include "intersect/torus.h"
#include "interval/poly_certified.h"

#include <string.h>

/* at + cos x + sin y, with x and y perpendicular, |x|^2 = |y|^2 = square; or at + s x. */
typedef struct path {
    bool line;
    ia3 at, x, y;
    ia square;
} path;

/* 1, cos, sin, cos 2, sin 2 or 1, s, .. s^4 */
typedef struct poly {
    ia c[5];
} poly;

static void zero(poly *p)
{
    for (int i = 0; i < 5; ++i)
        p->c[i] = ia_point(0);
}

static void height_on(const path *p, ia3 n, ia3 from, poly *out)
{
    zero(out);
    out->c[0] = ia3_dot(n, ia3_sub(p->at, from));
    out->c[1] = ia3_dot(n, p->x);
    if (!p->line)
        out->c[2] = ia3_dot(n, p->y);
}

static void square_on(const path *p, ia3 from, poly *out)
{
    const ia3 d = ia3_sub(p->at, from);
    zero(out);
    out->c[0] = ia3_sqr_norm(d);
    out->c[1] = ia_scale(2, ia3_dot(d, p->x));
    if (p->line) {
        out->c[2] = p->square;
    } else {
        out->c[0] = ia_add(out->c[0], p->square);
        out->c[2] = ia_scale(2, ia3_dot(d, p->y));
    }
}

/* out += factor x y, of which only the first three coefficients are not 0. */
static void add_product(bool line, ia factor, const poly *x, const poly *y, poly *out)
{
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j) {
            const ia value = ia_mul(factor, ia_mul(x->c[i], y->c[j]));
            int at[2] = { i + j, 0 };
            double weight[2] = { 1, 0 };
            const int n = line ? 1 : abut_torus_products(i, j, at, weight);
            for (int k = 0; k < n; ++k)
                out->c[at[k]] = ia_add(out->c[at[k]], ia_scale(weight[k], value));
        }
}

static void add(poly *out, ia factor, const poly *x)
{
    for (int i = 0; i < 5; ++i)
        out->c[i] = ia_add(out->c[i], ia_mul(factor, x->c[i]));
}

/* The implicit function of a cylinder, cone or torus on a path; negative inside. `radius` replaces
 * that of the cylinder or the minor one of the torus. */
static void implicit_on(const abut_placed *s, ia radius, const path *p, poly *out)
{
    poly height, square;
    const ia one = ia_point(1);
    height_on(p, s->axis, s->point, &height);
    square_on(p, s->point, &square);
    zero(out);
    if (s->kind == ABUT_SOLID_TORUS) {
        const ia r2 = ia_scale(4, ia_sqr(s->radius));
        poly inner = square;
        inner.c[0] = ia_add(inner.c[0], ia_mul(ia_add(s->radius, radius), ia_sub(s->radius, radius)));
        add_product(p->line, one, &inner, &inner, out);
        add(out, ia_neg(r2), &square);
        add_product(p->line, r2, &height, &height, out);
        return;
    }
    const bool cone = s->kind == ABUT_SOLID_CONE;
    add_product(p->line, cone ? ia_neg(ia_add(one, ia_sqr(s->tangent))) : ia_point(-1), &height, &height,
                out);
    add(out, one, &square);
    if (!cone)
        out->c[0] = ia_sub(out->c[0], ia_sqr(radius));
}

/* As a form of (u0 : u1): s = u1 / u0, or the angle twice that of u. */
static void form_of(const poly *p, bool line, ia form[5])
{
    static const double rows[5][5] = {
        { 1, 0, 2, 0, 1 }, { 1, 0, 0, 0, -1 }, { 0, 2, 0, 2, 0 }, { 1, 0, -6, 0, 1 }, { 0, 4, 0, -4, 0 }
    };
    if (line) {
        memcpy(form, p->c, sizeof p->c);
        return;
    }
    for (int k = 0; k < 5; ++k) {
        form[k] = ia_point(0);
        for (int i = 0; i < 5; ++i)
            if (rows[i][k] != 0)
                form[k] = ia_add(form[k], ia_scale(rows[i][k], p->c[i]));
    }
}

/* f(p u0 - q u1, q u0 + p u1) */
static void turn_form(const ia from[5], double p, double q, ia to[5])
{
    ia power[5] = { ia_point(1) }; /* (q u0 + p u1)^i, ascending in u1 */
    for (int k = 0; k < 5; ++k)
        to[k] = ia_point(0);
    for (int i = 0; i <= 4; ++i) {
        ia term[5];
        int degree = i;
        memcpy(term, power, sizeof term);
        for (int j = 0; j < 4 - i; ++j) { /* times p u0 - q u1 */
            term[++degree] = ia_point(0);
            for (int k = degree; k >= 0; --k)
                term[k] = ia_sub(ia_scale(p, term[k]), k > 0 ? ia_scale(q, term[k - 1]) : ia_point(0));
        }
        for (int k = 0; k < 5; ++k)
            to[k] = ia_add(to[k], ia_mul(from[i], term[k]));
        if (i == 4)
            break;
        power[i + 1] = ia_point(0);
        for (int k = i + 1; k >= 0; --k)
            power[k] = ia_add(ia_scale(q, power[k]), k > 0 ? ia_scale(p, power[k - 1]) : ia_point(0));
    }
}

enum { MOST_FORMS = 3, MOST_EVENTS = 24 };

/* Forms on one path, turned so that the cuts are clear of their roots. */
typedef struct scan {
    int forms, count;
    double p, q;
    ia form[MOST_FORMS][5];
    abut_ruled_event event[MOST_EVENTS]; /* of all forms, in order; sheet: which form */
} scan;

static bool isolate(scan *s)
{
    static const int turns[6][2] = { { 1, 0 }, { 4, 1 }, { 2, 1 }, { 4, 3 }, { 7, 2 }, { 8, 1 } };
    ia turned[MOST_FORMS][5];
    bool clear = false;
    for (int i = 0; i < 6 && !clear; ++i) {
        s->p = turns[i][0];
        s->q = turns[i][1];
        clear = true;
        for (int k = 0; k < s->forms && clear; ++k) {
            int sign[2];
            if (i == 0)
                memcpy(turned[k], s->form[k], sizeof turned[k]);
            else
                turn_form(s->form[k], s->p, s->q, turned[k]);
            abut_ruled_cuts(turned[k], 4, sign);
            clear = sign[0] != 0 && sign[1] != 0;
        }
    }
    if (!clear)
        return false;
    s->count = 0;
    for (int k = 0; k < s->forms; ++k) {
        const int n = abut_ruled_roots(turned[k], 4, &s->event[s->count]);
        if (n < 0)
            return false;
        for (int i = 0; i < n; ++i)
            s->event[s->count++].sheet = k;
    }
    for (int i = 1; i < s->count; ++i)
        for (int j = i; j > 0 && s->event[j].lo < s->event[j - 1].lo; --j) {
            const abut_ruled_event t = s->event[j];
            s->event[j] = s->event[j - 1];
            s->event[j - 1] = t;
        }
    return true;
}

/* The place of tau on the path; u as in the forms before the turn. */
static ia3 place(const path *p, const scan *s, double lo, double hi, ia u[2])
{
    const bool second = hi > 1;
    const ia t0 = second ? ia_make(2 - hi, 2 - lo) : ia_point(1), t1 = second ? ia_point(1) : ia_make(lo, hi);
    u[0] = ia_sub(ia_scale(s->p, t0), ia_scale(s->q, t1));
    u[1] = ia_add(ia_scale(s->q, t0), ia_scale(s->p, t1));
    if (p->line)
        return ia3_add(p->at, ia3_scale(ia_div(u[1], u[0]), p->x));
    const ia square = ia_add(ia_sqr(u[0]), ia_sqr(u[1]));
    const ia c = ia_div(ia_mul(ia_sub(u[0], u[1]), ia_add(u[0], u[1])), square);
    const ia sn = ia_div(ia_scale(2, ia_mul(u[0], u[1])), square);
    return ia3_add(p->at, ia3_add(ia3_scale(c, p->x), ia3_scale(sn, p->y)));
}

/* A ball of this radius runs along the path of `solid` past `obstacle`. */
typedef struct space {
    abut_meeting *m;
    const abut_placed *solid, *obstacle;
    path path;
    ia ball, secant; /* secant: 1 / cos of the cone's half-angle */
} space;

/* Where q is in the frame of the obstacle: the unit vector across its axis, and both coordinates. */
static bool meridian(const abut_placed *s, ia3 q, ia3 *across, ia *distance, ia *height)
{
    const ia3 y = ia3_sub(q, s->point);
    *height = ia3_dot(s->axis, y);
    const ia3 w = ia3_sub(y, ia3_scale(*height, s->axis));
    *distance = ia_sqrt(ia3_sqr_norm(w));
    if (!ia_is_positive(*distance))
        return false;
    *across = (ia3){ ia_div(w.x, *distance), ia_div(w.y, *distance), ia_div(w.z, *distance) };
    return true;
}

/* Whether the ball about q meets the obstacle: 1, -1, or 0 where that is not decided. */
static int meets(const space *s, ia3 q)
{
    ia3 across;
    ia d, h;
    const abut_placed *o = s->obstacle;
    if (!meridian(o, q, &across, &d, &h))
        return 0;
    ia gap;
    if (o->kind == ABUT_SOLID_CYLINDER) {
        gap = ia_abs(ia_sub(d, o->radius));
    } else if (o->kind == ABUT_SOLID_TORUS) {
        gap = ia_abs(ia_sub(ia_sqrt(ia_add(ia_sqr(ia_sub(d, o->radius)), ia_sqr(h))), o->minor));
    } else {
        const int foot = ia_sign(ia_add(ia_mul(d, o->tangent), h));
        if (foot == 0)
            return 0;
        gap = foot > 0 ? ia_div(ia_abs(ia_sub(d, ia_mul(h, o->tangent))), s->secant)
                       : ia_sqrt(ia_add(ia_sqr(d), ia_sqr(h)));
    }
    return -ia_sign(ia_sub(gap, s->ball));
}

/* On cones: whether the root of a form is where that form tells the distance; -1: not decided. */
static int counts(const space *s, int form, ia3 q)
{
    const abut_placed *o = s->obstacle;
    if (o->kind != ABUT_SOLID_CONE)
        return 1;
    const ia3 y = ia3_sub(q, o->point);
    const ia h = ia3_dot(o->axis, y), square = ia3_sqr_norm(y);
    if (form == 2) { /* nearest to the apex */
        const ia across = ia_sqrt(ia_sub(square, ia_sqr(h)));
        if (ia_is_empty(across))
            return -1;
        const int foot = ia_sign(ia_add(ia_mul(across, o->tangent), h));
        return foot == 0 ? -1 : foot < 0;
    }
    const ia offset = ia_mul(s->ball, s->secant), rise = ia_mul(h, o->tangent);
    const ia across = form == 0 ? ia_add(rise, offset) : ia_sub(rise, offset);
    const int side = ia_sign(across), foot = ia_sign(ia_add(ia_mul(across, o->tangent), h));
    if (side < 0 || foot < 0)
        return 0;
    return side == 0 || foot == 0 ? -1 : 1;
}

/* The nearest point of the obstacle, and a path on it from there that leaves the solid. */
static bool leave(const space *s, ia3 q, path *out)
{
    ia3 across;
    ia d, h;
    const abut_placed *o = s->obstacle;
    if (!meridian(o, q, &across, &d, &h))
        return false;
    out->line = o->kind != ABUT_SOLID_TORUS;
    out->square = ia_point(1);
    if (o->kind == ABUT_SOLID_CYLINDER) {
        out->x = o->axis;
        out->at = ia3_add(o->point, ia3_add(ia3_scale(h, o->axis), ia3_scale(o->radius, across)));
        return true;
    }
    if (o->kind == ABUT_SOLID_CONE) {
        const ia foot = ia_div(ia_add(ia_mul(d, o->tangent), h), s->secant);
        out->x = ia3_scale(ia_div(ia_point(1), s->secant), ia3_add(o->axis, ia3_scale(o->tangent, across)));
        out->at = ia_is_positive(foot) ? ia3_add(o->point, ia3_scale(foot, out->x)) : o->point;
        return ia_sign(foot) != 0;
    }
    const ia off = ia_sub(d, o->radius), length = ia_sqrt(ia_add(ia_sqr(off), ia_sqr(h)));
    if (!ia_is_positive(length))
        return false;
    const ia c = ia_div(ia_mul(off, o->minor), length), sn = ia_div(ia_mul(h, o->minor), length);
    out->at = ia3_add(o->point, ia3_scale(o->radius, across));
    out->x = ia3_add(ia3_scale(c, across), ia3_scale(sn, o->axis));
    out->y = ia3_sub(ia3_scale(c, o->axis), ia3_scale(sn, across));
    out->square = ia_sqr(o->minor);
    return true;
}

static bool first_root(const ia c[5], bool mirror, double lo, double hi, double *from, double *to,
                       bool *found)
{
    abut_interval f[5];
    abut_root roots[ABUT_POLYNOMIAL_MAX_DEGREE];
    for (int i = 0; i < 5; ++i) {
        const int k = mirror ? 4 - i : i;
        const ia value = mirror && (i & 1) ? ia_neg(c[k]) : c[k];
        f[i] = (abut_interval){ ia_lo(value), ia_hi(value) };
    }
    const int n = abut_poly_roots_interval(f, 4, lo, hi, 0, roots);
    if (n < 0 || (n > 0 && roots[0].kind != ABUT_ROOT_SIMPLE))
        return false;
    *found = n > 0;
    if (n > 0) {
        *from = roots[0].x.lo;
        *to = roots[0].x.hi;
    }
    return true;
}

/* The first point of the path outside of the solid, which the path begins in. */
static bool first_exit(const space *s, const path *p, ia3 *out)
{
    poly f;
    ia form[5], u[2];
    implicit_on(s->solid, s->ball, p, &f);
    form_of(&f, p->line, form);
    if (!ia_is_negative(form[0]))
        return false;
    double lo, hi;
    bool found = false;
    scan plain = { .p = 1, .q = 0 };
    if (p->line) {
        const double far = 2.5 * (ia_hi(s->solid->radius) + ia_hi(s->solid->minor));
        if (!first_root(form, false, 0, far, &lo, &hi, &found) || !found)
            return false;
        *out = ia3_add(p->at, ia3_scale(ia_make(lo, hi), p->x));
        return true;
    }
    /* A quarter, half and quarter of the circle. */
    if (!first_root(form, false, 0, 1, &lo, &hi, &found))
        return false;
    if (!found) {
        if (!first_root(form, true, -1, 1, &lo, &hi, &found))
            return false;
        if (found) {
            lo = fmax(1, ia_down(2 + lo));
            hi = fmin(3, ia_up(2 + hi));
            if (!(hi > 1))
                return false;
        }
    }
    if (!found && (!first_root(form, false, -1, 0, &lo, &hi, &found) || !found))
        return false;
    *out = place(p, &plain, lo, hi, u);
    return true;
}

/* Both points of a cross section of the torus on the obstacle: one on each loop if there are two
 * only. */
static bool two_points(const space *s, double tau, const scan *around)
{
    ia u[2];
    const ia3 q = place(&s->path, around, tau, tau, u);
    const ia3 radial = ia3_sub(q, s->solid->point);
    const ia ratio = ia_div(s->ball, s->solid->radius);
    const path section = { false, q, ia3_scale(ratio, radial), ia3_scale(s->ball, s->solid->axis),
                           ia_sqr(s->ball) };
    poly f;
    scan roots = { .forms = 1 };
    implicit_on(s->obstacle, s->obstacle->kind == ABUT_SOLID_TORUS ? s->obstacle->minor : s->obstacle->radius,
                &section, &f);
    form_of(&f, false, roots.form[0]);
    if (!isolate(&roots))
        return false;
    ia3 at[2];
    int n = 0;
    for (int i = 0; i < roots.count; ++i) {
        const ia3 p = place(&section, &roots, roots.event[i].lo, roots.event[i].hi, u);
        const int on = abut_meeting_nappes(s->m, p);
        if (on < 0 || (on > 0 && n == 2))
            return false;
        if (on > 0)
            at[n++] = p;
    }
    return n == 2 && abut_meeting_add(s->m, ABUT_LOOP_CLOSED, at[0]) &&
           abut_meeting_add(s->m, ABUT_LOOP_CLOSED, at[1]);
}

/* Whether no ball about the main circle touches the wall of the cone opposite of it. */
static bool wall_is_clear(const space *s, double lo, double hi, int depth)
{
    const ia angle = ia_mul(ia_scale(2, ia_pi()), ia_make(lo, hi));
    ia c, sn;
    ia_sin_cos(angle, &sn, &c);
    const ia3 q = ia3_add(s->path.at, ia3_add(ia3_scale(c, s->path.x), ia3_scale(sn, s->path.y)));
    const abut_placed *o = s->obstacle;
    const ia3 y = ia3_sub(q, o->point);
    const ia h = ia3_dot(o->axis, y), d = ia_sqrt(ia3_sqr_norm(ia3_sub(y, ia3_scale(h, o->axis))));
    if (ia_is_positive(ia_sub(ia_add(d, ia_mul(h, o->tangent)), ia_mul(s->ball, s->secant))) ||
        ia_is_negative(ia_sub(h, ia_mul(d, o->tangent))))
        return true;
    const double mid = 0.5 * (lo + hi);
    return depth > 0 && wall_is_clear(s, lo, mid, depth - 1) && wall_is_clear(s, mid, hi, depth - 1);
}

static void forms_of(const space *s, scan *out)
{
    const abut_placed *o = s->obstacle;
    poly f;
    if (o->kind != ABUT_SOLID_CONE) {
        const ia own = o->kind == ABUT_SOLID_TORUS ? o->minor : o->radius;
        out->forms = 2;
        for (int k = 0; k < 2; ++k) {
            implicit_on(o, k == 0 ? ia_add(own, s->ball) : ia_sub(own, s->ball), &s->path, &f);
            form_of(&f, s->path.line, out->form[k]);
        }
        return;
    }
    /* distance^2 - (h t +- r / cos)^2, and the distance from the apex */
    poly height, square;
    height_on(&s->path, o->axis, o->point, &height);
    square_on(&s->path, o->point, &square);
    out->forms = 3;
    for (int k = 0; k < 2; ++k) {
        poly bound;
        const ia offset = ia_mul(s->ball, s->secant);
        zero(&bound);
        add(&bound, o->tangent, &height);
        bound.c[0] = k == 0 ? ia_add(bound.c[0], offset) : ia_sub(bound.c[0], offset);
        f = square;
        add_product(false, ia_point(-1), &height, &height, &f);
        add_product(false, ia_point(-1), &bound, &bound, &f);
        form_of(&f, false, out->form[k]);
    }
    square.c[0] = ia_sub(square.c[0], ia_sqr(s->ball));
    form_of(&square, false, out->form[2]);
}

static bool run(const space *s)
{
    scan around = { 0 };
    forms_of(s, &around);
    if (!isolate(&around))
        return false;
    ia u[2];
    int n = 0;
    for (int i = 0; i < around.count; ++i) {
        const abut_ruled_event *e = &around.event[i];
        const int kept =
            around.count == 0 ? 0 : counts(s, e->sheet, place(&s->path, &around, e->lo, e->hi, u));
        if (kept < 0)
            return false;
        if (kept > 0)
            around.event[n++] = *e;
    }
    s->m->out->count = 0;
    if (n == 0) {
        const int inside = meets(s, place(&s->path, &around, 0.25, 0.25, u));
        if (inside <= 0)
            return inside < 0;
        for (int k = 0; k < 8; ++k)
            if (two_points(s, -0.875 + 0.5 * k, &around))
                return true;
        return false;
    }
    for (int i = 0; i < n; ++i) {
        const double lo = around.event[i].hi,
                     hi = i + 1 < n ? around.event[i + 1].lo : around.event[0].lo + 4;
        if (i + 1 < n && !(lo < hi))
            return false;
        double mid = 0.5 * (lo + hi);
        if (mid > 3)
            mid -= 4;
        const ia3 q = place(&s->path, &around, mid, mid, u);
        /* A line's point at infinity is far from the obstacle. */
        const int inside = s->path.line && ia_contains_zero(u[0]) ? -1 : meets(s, q);
        if (inside == 0)
            return false;
        if (inside < 0)
            continue;
        path out;
        ia3 at;
        if (!leave(s, q, &out) || !first_exit(s, &out, &at) || !abut_meeting_add(s->m, ABUT_LOOP_CLOSED, at))
            return false;
    }
    return true;
}

static bool positive(ia x)
{
    return ia_is_positive(x);
}

/* Kernel. The torus's ball along its main circle. */
static ABUT_NOINLINE bool along_circle(abut_meeting *m, int torus)
{
    const abut_placed *t = &m->placed[torus], *o = &m->placed[1 - torus];
    space s = { .m = m, .solid = t, .obstacle = o, .ball = t->minor };
    abut_torus frame;
    abut_torus_of(t, &frame);
    s.path = (path){ false, t->point, ia3_scale(t->radius, frame.u), ia3_scale(t->radius, frame.v),
                     ia_sqr(t->radius) };
    s.secant = ia_sqrt(ia_add(ia_point(1), ia_sqr(o->tangent)));
    switch (o->kind) {
    case ABUT_SOLID_CYLINDER:
        if (!positive(ia_sub(o->radius, t->minor)))
            return false;
        break;
    case ABUT_SOLID_TORUS:
        if (!positive(ia_sub(o->minor, t->minor)) || !positive(ia_sub(ia_sub(o->radius, o->minor), t->minor)))
            return false;
        break;
    case ABUT_SOLID_CONE:
        for (int k = 0; k < 8; ++k)
            if (!wall_is_clear(&s, k / 8.0, (k + 1) / 8.0, 4))
                return false;
        break;
    default: return false;
    }
    return run(&s);
}

/* Kernel. The cylinder's ball along its axis, past the torus. */
static ABUT_NOINLINE bool along_axis(abut_meeting *m, int torus)
{
    const abut_placed *t = &m->placed[torus], *c = &m->placed[1 - torus];
    if (c->kind != ABUT_SOLID_CYLINDER || !positive(ia_sub(t->minor, c->radius)) ||
        !positive(ia_sub(ia_sub(t->radius, t->minor), c->radius)))
        return false;
    space s = { .m = m, .solid = c, .obstacle = t, .ball = c->radius };
    /* From near the torus. */
    const double shift = ia_mid(ia3_dot(c->axis, ia3_sub(t->point, c->point)));
    s.path =
        (path){ true, ia3_add(c->point, ia3_scale(ia_point(shift), c->axis)), c->axis, c->axis, ia_point(1) };
    return run(&s);
}

bool abut_loops_torus_space(abut_meeting *m, int torus)
{
    const abut_rounding saved = abut_rounding_enter();
    const bool done = along_circle(m, torus) || along_axis(m, torus);
    abut_rounding_leave(saved);
    return done;
}

/* Kernel. f = g0 + g1 cos phi + g2 sin phi is (g0 + g1) s0^2 + 2 g2 s0 s1 + (g0 - g1) s1^2. */
static ABUT_NOINLINE void sheet_of(const abut_meeting *m, int torus, abut_torus *t, abut_ruled *r)
{
    const abut_placed *o = &m->placed[1 - torus];
    abut_torus_linear g;
    abut_torus_of(&m->placed[torus], t);
    if (o->kind == ABUT_SOLID_PLANE) {
        abut_torus_height(t, o->axis, o->form[3], &g);
    } else {
        abut_torus_square(t, o->point, &g);
        g.g[0][0] = ia_sub(g.g[0][0], ia_sqr(o->radius));
    }
    ia a[3], b[3], c[3];
    for (int j = 0; j < 3; ++j) {
        a[j] = ia_add(g.g[0][j], g.g[1][j]);
        b[j] = ia_scale(2, g.g[2][j]);
        c[j] = ia_sub(g.g[0][j], g.g[1][j]);
    }
    ia *const forms[3] = { r->a, r->b, r->c };
    const ia *const values[3] = { a, b, c };
    for (int k = 0; k < 3; ++k) {
        forms[k][0] = ia_add(values[k][0], values[k][1]);
        forms[k][1] = ia_scale(2, values[k][2]);
        forms[k][2] = ia_sub(values[k][0], values[k][1]);
    }
    r->torus = t;
    r->d0 = r->d1 = 1;
}

bool abut_loops_torus_sheet(abut_meeting *m, int torus)
{
    abut_torus t;
    abut_ruled r = { 0 };
    const abut_rounding saved = abut_rounding_enter();
    sheet_of(m, torus, &t, &r);
    abut_rounding_leave(saved);
    return abut_ruled_solve(&r, m);
}
