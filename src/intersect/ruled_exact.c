/* SPDX-License-Identifier: MIT */
/* Planes, cylinders and cones against quadrics in exact arithmetic, where the interval method does
 * not decide: tangent surfaces, nodes and isolated points, vertices on the other surface, common
 * rulings, surfaces that coincide.
 *
 * The frame must have dyadic coordinates: any plane has two such directions (not of unit length),
 * a cylinder or cone has them where its axis is an axis of coordinates. The forms of ruled.h then
 * are exact, and so are the multiplicities of the roots of D and E.
 *
 *     a = b = c = 0   the surfaces have the ruled one in common
 *     a = b = 0       the rulings where c vanishes, through the common vertex
 *     a = 0           the vertex is on the other surface, and s0 : s1 = -c : b else
 *     D = 0           one double sheet: the surfaces touch along a curve
 *     otherwise       the graph of ruled_graph.c */
#include "intersect/exact.h"
#include "intersect/ruled.h"
#include "math/vec3.h"

#include <string.h>

typedef struct exact_section {
    bool cone, plane;
    int d1;
    abut_number x0[4], x1[3][4], m[4][4];
    abut_exact_form a, b, c, d, e;
} exact_section;

static void dot(const abut_number x[4], const abut_number y[4], abut_number *out)
{
    abut_exact_dot(x, y, out);
    abut_number last;
    abut_number_mul(&last, &x[3], &y[3]);
    abut_number_add(out, out, &last);
}

static bool exact_forms(exact_section *s)
{
    abut_number mx[4][4];
    abut_form_reset(&s->a, 0);
    abut_form_reset(&s->b, s->d1);
    abut_form_reset(&s->c, 2 * s->d1);
    for (int i = 0; i <= s->d1 + 1; ++i) {
        const abut_number *x = i == 0 ? s->x0 : s->x1[i - 1];
        for (int k = 0; k < 4; ++k)
            dot(s->m[k], x, &mx[i][k]);
        for (int j = 0; j <= i; ++j) {
            abut_number value;
            dot(j == 0 ? s->x0 : s->x1[j - 1], mx[i], &value);
            abut_number *to = i == 0 ? &s->a.c[0] : j == 0 ? &s->b.c[i - 1] : &s->c.c[i + j - 2];
            abut_form_add(to, &value, i == j ? 1 : 2);
        }
    }
    abut_form_reset(&s->d, 2 * s->d1);
    abut_form_add_product(&s->d, &s->b, &s->b, 1);
    abut_form_add_product(&s->d, &s->a, &s->c, -4);
    /* The last coordinates: w = s0 for planes and cones, (u0^2 + u1^2) s1 for cylinders. */
    abut_form_reset(&s->e, 2 * s->d1);
    if (s->cone || s->plane) {
        s->e = s->c;
    } else {
        for (int i = 0; i <= 4; i += 2)
            abut_form_add(&s->e.c[i], &s->a.c[0], i == 2 ? 2 : 1);
    }
    return !abut_form_is_bad(&s->d) && !abut_form_is_bad(&s->e) && !abut_form_is_bad(&s->c);
}

/* u0 -> p u0 - q u1, u1 -> q u0 + p u1 in X1 */
static void exact_turn(exact_section *s, int p, int q)
{
    for (int k = 0; k < 4; ++k) {
        abut_number f[3] = { s->x1[0][k], s->x1[1][k], s->x1[2][k] };
        for (int i = 0; i <= s->d1; ++i)
            abut_number_from(&s->x1[i][k], 0);
        if (s->d1 == 1) {
            abut_form_add(&s->x1[0][k], &f[0], p);
            abut_form_add(&s->x1[0][k], &f[1], q);
            abut_form_add(&s->x1[1][k], &f[1], p);
            abut_form_add(&s->x1[1][k], &f[0], -q);
        } else {
            const double from[3][3] = { { p * p, p * q, q * q },
                                        { -2.0 * p * q, p * p - q * q, 2.0 * p * q },
                                        { q * q, -p * q, p * p } };
            for (int i = 0; i < 3; ++i)
                for (int j = 0; j < 3; ++j)
                    abut_form_add(&s->x1[i][k], &f[j], from[i][j]);
        }
    }
}

/* A few bits of x: numbers stay short. */
static double coarse(double x)
{
    int e;
    const double m = frexp(x, &e);
    return isfinite(x) ? ldexp(nearbyint(16 * m), e - 4) : 0;
}

static bool exact_frame(const abut_meeting *m, int ruled, const abut_exact_surface *placed, int attempt,
                        exact_section *s)
{
    const abut_solid_surface *surface = m->surface[ruled];
    memset(s->x0, 0, sizeof s->x0);
    memset(s->x1, 0, sizeof s->x1);
    s->plane = surface->kind == ABUT_SOLID_PLANE;
    s->cone = surface->kind == ABUT_SOLID_CONE;
    s->d1 = s->plane ? 1 : 2;
    if (s->plane) {
        /* The normal's largest coordinate with each of the others spans the plane. */
        const abut_number *n = placed->axis;
        const abut_vec3 mid = ia3_mid(m->placed[ruled].axis);
        const double size[3] = { fabs(mid.x), fabs(mid.y), fabs(mid.z) };
        const int k = size[0] >= size[1] && size[0] >= size[2] ? 0 : size[1] >= size[2] ? 1 : 2;
        for (int i = 0; i < 2; ++i) {
            const int other = (k + 1 + i) % 3;
            s->x1[i][other] = n[k];
            abut_form_add(&s->x1[i][k], &n[other], -1);
        }
        /* From the given point to somewhere near the other surface, and off the curve. */
        const abut_placed *o = &m->placed[1 - ruled], *own = &m->placed[ruled];
        const abut_vec3 to = o->kind == ABUT_SOLID_QUADRIC ? (abut_vec3){ 0, 0, 0 } : ia3_mid(o->point);
        const abut_vec3 from = ia3_mid(own->point);
        const double away[3] = { to.x - from.x, to.y - from.y, to.z - from.z };
        const abut_vec3 axis = surface->axis;
        const double length = fmax(fmax(fabs(axis.x), fabs(axis.y)), fabs(axis.z));
        const double step = (1 + fabs(surface->kind == ABUT_SOLID_PLANE ? ia_mag(o->radius) : 0)) / length;
        for (int i = 0; i < 3; ++i)
            s->x0[i] = placed->point[i];
        for (int i = 0; i < 2; ++i) {
            const double shift = coarse(away[(k + 1 + i) % 3] / length + attempt * (i ? 1.25 : 0.75) * step);
            for (int j = 0; j < 3; ++j)
                abut_form_add(&s->x0[j], &s->x1[i][j], shift);
        }
        abut_number_from(&s->x0[3], 1);
        return true;
    }
    int k = -1;
    for (int i = 0; i < 3; ++i) {
        if (abut_number_sign(&placed->axis[i]) == 0)
            continue;
        if (k >= 0)
            return false;
        k = i;
    }
    if (k < 0)
        return false;
    const int sign = abut_number_sign(&placed->axis[k]), i = (k + 1) % 3, j = (k + 2) % 3;
    abut_number size, axis;
    abut_number_from(&size, s->cone ? surface->tangent : surface->radius);
    abut_number_from(&axis, sign);
    if (s->cone) {
        memcpy(s->x0, placed->point, 3 * sizeof *s->x0);
        abut_number_from(&s->x0[3], 1);
        s->x1[0][k] = s->x1[2][k] = axis;
    } else {
        s->x0[k] = axis;
        for (int t = 0; t < 3; ++t)
            s->x1[0][t] = s->x1[2][t] = placed->point[t];
        abut_number_from(&s->x1[0][3], 1);
        abut_number_from(&s->x1[2][3], 1);
    }
    abut_form_add(&s->x1[0][i], &size, 1);
    abut_form_add(&s->x1[2][i], &size, -1);
    abut_form_add(&s->x1[1][j], &size, 2);
    return true;
}

/* Kernel. */
static ABUT_NOINLINE void enclose(const exact_section *s, abut_ruled *r)
{
    r->torus = NULL;
    r->p = 1;
    r->q = 0;
    r->d0 = 0;
    r->d1 = s->d1;
    for (int k = 0; k < 4; ++k) {
        r->x0[0][k] = abut_exact_enclose(&s->x0[k]);
        for (int i = 0; i <= s->d1; ++i)
            r->x1[i][k] = abut_exact_enclose(&s->x1[i][k]);
    }
    r->a[0] = abut_exact_enclose(&s->a.c[0]);
    for (int i = 0; i <= s->d1; ++i)
        r->b[i] = abut_exact_enclose(&s->b.c[i]);
    for (int i = 0; i <= 2 * s->d1; ++i) {
        r->c[i] = abut_exact_enclose(&s->c.c[i]);
        r->d[i] = abut_exact_enclose(&s->d.c[i]);
        r->e[i] = abut_exact_enclose(&s->e.c[i]);
    }
}

static ABUT_NOINLINE bool graph_kernel(const abut_ruled *r, abut_ruled_events *events, abut_meeting *m)
{
    return abut_ruled_graph(r, events, m);
}

static ABUT_NOINLINE bool add_kernel(abut_meeting *m, abut_loop_kind kind, const ia3 *at)
{
    const int on = abut_meeting_nappes(m, *at);
    return on == 0 || (on > 0 && abut_meeting_add(m, kind, *at));
}

static ABUT_NOINLINE void apex_kernel(abut_meeting *m, const abut_ruled *r, abut_loop_kind kind)
{
    abut_meeting_add(m, kind, (ia3){ r->x0[0][0], r->x0[0][1], r->x0[0][2] });
}

/* Kernel. The point with s1 = 1 (cylinder: s0 = 0; cone: apex + X1) or s0 : s1 = -c : b on a
 * ruling. */
static ABUT_NOINLINE ia3 vertex_point(const abut_ruled *r, double lo, double hi, bool single)
{
    const bool second = hi > 1;
    const ia u0 = second ? ia_make(2 - hi, 2 - lo) : ia_point(1), u1 = second ? ia_point(1) : ia_make(lo, hi);
    const ia q[3] = { ia_sqr(u0), ia_mul(u0, u1), ia_sqr(u1) };
    ia x[4], b = ia_point(0), c = ia_point(0);
    for (int i = 0; i < 3; ++i)
        b = ia_add(b, ia_mul(r->b[i], q[i]));
    for (int i = 0; i < 5; ++i)
        c = ia_add(c, ia_mul(r->c[i], i < 2 ? ia_mul(q[0], q[i]) : ia_mul(q[i - 2], q[2])));
    const ia s0 = single ? ia_neg(c) : r->x0[0][3], s1 = single ? b : ia_point(1);
    for (int k = 0; k < 4; ++k) {
        ia sum = ia_mul(s0, r->x0[0][k]);
        for (int i = 0; i < 3; ++i)
            sum = ia_add(sum, ia_mul(s1, ia_mul(r->x1[i][k], q[i])));
        x[k] = sum;
    }
    if (ia_contains_zero(x[3]))
        return (ia3){ ia_empty(), ia_empty(), ia_empty() };
    return (ia3){ ia_div(x[0], x[3]), ia_div(x[1], x[3]), ia_div(x[2], x[3]) };
}

static ABUT_NOINLINE void add_point_kernel(abut_meeting *m, const ia3 *at, abut_loop_kind kind)
{
    abut_meeting_add(m, kind, *at);
}

static bool add_vertex_point(abut_meeting *m, const abut_ruled *r, double lo, double hi, bool single,
                             abut_loop_kind kind)
{
    const abut_rounding saved = abut_rounding_enter();
    const ia3 p = vertex_point(r, lo, hi, single);
    const bool done = !ia3_is_empty(p) && add_kernel(m, kind, &p);
    abut_rounding_leave(saved);
    return done;
}

/* Kernel. The point s0 : s1 = -b : a. */
static ABUT_NOINLINE bool sheet_kernel(abut_meeting *m, const abut_ruled *r, double tau, abut_loop_kind kind)
{
    const bool second = tau > 1;
    const ia u0 = second ? ia_sub(ia_point(2), ia_point(tau)) : ia_point(1), u1 = ia_point(second ? 1 : tau);
    const ia q[3] = { r->d1 == 1 ? u0 : ia_sqr(u0), r->d1 == 1 ? u1 : ia_mul(u0, u1), ia_sqr(u1) };
    ia b = ia_point(0), x[4];
    for (int i = 0; i <= r->d1; ++i)
        b = ia_add(b, ia_mul(r->b[i], q[i]));
    for (int k = 0; k < 4; ++k) {
        x[k] = ia_mul(ia_neg(b), r->x0[0][k]);
        for (int i = 0; i <= r->d1; ++i)
            x[k] = ia_add(x[k], ia_mul(ia_mul(r->a[0], r->x1[i][k]), q[i]));
    }
    if (ia_contains_zero(x[3]))
        return false;
    const ia3 p = { ia_div(x[0], x[3]), ia_div(x[1], x[3]), ia_div(x[2], x[3]) };
    const int on = abut_meeting_nappes(m, p);
    return on == 0 || (on > 0 && abut_meeting_add(m, kind, p));
}

static bool add_sheet_point(abut_meeting *m, const abut_ruled *r, double tau, abut_loop_kind kind)
{
    const abut_rounding saved = abut_rounding_enter();
    const bool done = sheet_kernel(m, r, tau, kind);
    abut_rounding_leave(saved);
    return done;
}

static void add_apex(abut_meeting *m, const abut_ruled *r, abut_loop_kind kind)
{
    const abut_rounding saved = abut_rounding_enter();
    apex_kernel(m, r, kind);
    abut_rounding_leave(saved);
}

/* a = b = 0, c not. */
static bool common_vertex(const exact_section *s, const abut_ruled *r, abut_meeting *m)
{
    abut_ruled_event roots[8];
    const int n = abut_form_roots(&s->c, roots);
    if (n < 0)
        return false;
    if (!s->cone) {
        for (int i = 0; i < n; ++i)
            if (!add_vertex_point(m, r, roots[i].lo, roots[i].hi, false, ABUT_LOOP_OPEN))
                return false;
        return true;
    }
    /* Half-lines that begin at the common apex, if the other cone has them on its nappe, too. */
    bool half = false;
    for (int i = 0; i < n; ++i) {
        const size_t before = m->out->count;
        if (!add_vertex_point(m, r, roots[i].lo, roots[i].hi, false, ABUT_LOOP_UNKNOWN))
            return false;
        half = half || m->out->count > before;
        m->out->count = before;
    }
    add_apex(m, r, half ? ABUT_LOOP_SINGULAR_OPEN : ABUT_LOOP_POINT);
    return true;
}

static bool apart(const abut_ruled_event *x, const abut_ruled_event *y)
{
    return x->hi < y->lo || y->hi < x->lo;
}

/* The middle of the arc of the projective line, from -1 to 3, between root i and the next one; of all of it
 * where there are none. */
static double between_roots(const abut_ruled_event *root, int n, int i)
{
    const double lo = n > 0 ? root[i].hi : -1;
    const double hi = n == 0 ? 3 : i + 1 < n ? root[i + 1].lo : root[0].lo + 4;
    const double mid = 0.5 * (lo + hi);
    return mid > 3 ? mid - 4 : mid;
}

/* a = 0, b not: one point s0 : s1 = -c : b on each ruling apart from the vertex. A cylinder's is
 * at infinity. */
static bool single_sheet(const exact_section *s, const abut_ruled *r, abut_meeting *m)
{
    abut_ruled_event root[16];
    bool at_vertex[16];
    const int nb = abut_form_roots(&s->b, root), nc = nb < 0 ? -1 : abut_form_roots(&s->c, root + nb);
    if (nc < 0)
        return false;
    int n = nb + nc;
    for (int i = 0; i < n; ++i)
        at_vertex[i] = i < nb;
    for (int i = 0; i < nb; ++i)
        for (int j = nb; j < n; ++j)
            if (!apart(&root[i], &root[j]))
                return false; /* a whole ruling, perhaps */
    if (!s->cone) {
        n = nb;
    } else {
        for (int i = 1; i < n; ++i)
            for (int j = i; j > 0 && root[j].lo < root[j - 1].lo; --j) {
                const abut_ruled_event t = root[j];
                const bool v = at_vertex[j];
                root[j] = root[j - 1];
                at_vertex[j] = at_vertex[j - 1];
                root[j - 1] = t;
                at_vertex[j - 1] = v;
            }
    }
    /* Arcs between roots; on a cone those with b c < 0 are on the nappe. */
    bool reaches_apex = false;
    for (int i = 0; i < n || (i == 0 && n == 0); ++i) {
        const double mid = between_roots(root, n, i);
        const bool from_apex = n > 0 && s->cone && (at_vertex[i] || at_vertex[(i + 1) % n]);
        const size_t before = m->out->count;
        if (!add_vertex_point(m, r, mid, mid, true, n == 0 ? ABUT_LOOP_CLOSED : ABUT_LOOP_OPEN))
            return false;
        if (from_apex && m->out->count > before) {
            reaches_apex = true;
            m->out->count = before;
        }
    }
    if (s->cone) /* more than one arc may reach it; whether any goes to infinity is not asked */
        add_apex(m, r, reaches_apex ? ABUT_LOOP_UNKNOWN : ABUT_LOOP_POINT);
    return true;
}

/* c = 0, a and b not, on a cone or plane: s0 = 0 is at infinity, and one point s0 : s1 = -b : a is
 * on each ruling. */
static bool sheet_at_infinity(const exact_section *s, const abut_ruled *r, abut_meeting *m)
{
    abut_ruled_event root[8];
    const int n = abut_form_roots(&s->b, root);
    if (n < 0)
        return false;
    for (int i = 0; i < n || (i == 0 && n == 0); ++i) {
        const double mid = between_roots(root, n, i);
        if (!add_sheet_point(m, r, mid, n == 0 ? ABUT_LOOP_CLOSED : ABUT_LOOP_OPEN))
            return false;
    }
    return true;
}

/* apex: that of the other cone is on the ruled surface */
static bool solve(const exact_section *s, bool apex, abut_meeting *m)
{
    const abut_solid_surface *const *both = m->surface;
    abut_ruled r;
    const bool a = abut_form_is_zero(&s->a), b = abut_form_is_zero(&s->b), c = abut_form_is_zero(&s->c);
    const abut_rounding saved = abut_rounding_enter();
    enclose(s, &r);
    abut_rounding_leave(saved);
    m->out->count = 0;
    if (a && b && c) {
        if (both[0]->kind == ABUT_SOLID_CONE && both[1]->kind == ABUT_SOLID_CONE &&
            abut_dot(ia3_mid(m->placed[0].axis), ia3_mid(m->placed[1].axis)) < 0)
            add_apex(m, &r, ABUT_LOOP_POINT); /* the axes are parallel: opposite nappes */
        else
            m->out->status = ABUT_LOOPS_COINCIDENT;
        return true;
    }
    if (a && s->plane)
        return false; /* the pencil's centre is on the curve: another one */
    if (a && b)
        return common_vertex(s, &r, m);
    if (apex)
        return false;
    if (a)
        return single_sheet(s, &r, m);
    if (c && !b && (s->cone || s->plane))
        return sheet_at_infinity(s, &r, m);
    abut_ruled_events events = { 0 };
    events.double_sheet = abut_form_is_zero(&s->d);
    int sign[2];
    abut_form_cuts(&s->d, sign);
    events.sign = sign[0];
    if (!events.double_sheet)
        events.d_count = abut_form_roots(&s->d, events.d);
    if (events.d_count < 0)
        return false;
    if (events.double_sheet || events.sign > 0 || events.d_count > 0)
        events.e_count = abut_form_roots(&s->e, events.e);
    if (events.e_count < 0)
        return false;
    const abut_rounding again = abut_rounding_enter();
    const bool done = graph_kernel(&r, &events, m);
    abut_rounding_leave(again);
    return done;
}

/* A plane through the apex of a cone: the apex alone, or half-lines from it. */
static void plane_through_apex(abut_meeting *m, const abut_exact_surface *plane,
                               const abut_exact_surface *cone, double tangent)
{
    /* Half-lines where |n.a|^2 (1 + t^2) <= t^2 |n|^2 |a|^2. */
    abut_number na, nn, aa, t, one;
    abut_exact_dot(plane->axis, cone->axis, &na);
    abut_exact_dot(plane->axis, plane->axis, &nn);
    abut_exact_dot(cone->axis, cone->axis, &aa);
    abut_number_from(&t, tangent);
    abut_number_mul(&t, &t, &t);
    abut_number_from(&one, 1);
    abut_number_add(&one, &one, &t);
    abut_number_mul(&na, &na, &na);
    abut_number_mul(&na, &na, &one);
    abut_number_mul(&nn, &nn, &aa);
    abut_number_mul(&nn, &nn, &t);
    abut_number_sub(&na, &na, &nn);
    const int sign = abut_number_sign(&na);
    const abut_rounding saved = abut_rounding_enter();
    m->out->count = 0;
    add_point_kernel(m, &m->placed[m->surface[0]->kind != ABUT_SOLID_CONE].point,
                     sign == 2  ? ABUT_LOOP_UNKNOWN
                     : sign > 0 ? ABUT_LOOP_POINT
                                : ABUT_LOOP_SINGULAR_OPEN);
    abut_rounding_leave(saved);
}

/* Whether the apex of the cone is on the surface: 1, 0, or 2 where numbers are too long. */
static int apex_on(const abut_meeting *m, int surface, const abut_exact_surface placed[2])
{
    const abut_number *apex = placed[1 - surface].point;
    abut_number value;
    if (m->surface[surface]->kind == ABUT_SOLID_PLANE) {
        abut_number away[3];
        for (int i = 0; i < 3; ++i)
            abut_number_sub(&away[i], &apex[i], &placed[surface].point[i]);
        abut_exact_dot(placed[surface].axis, away, &value);
    } else {
        abut_number matrix[4][4], x[4] = { apex[0], apex[1], apex[2] }, mx[4];
        abut_number_from(&x[3], 1);
        if (!abut_exact_matrix(m->surface[surface], m->pose[surface], m->origin, &placed[surface], matrix))
            return 2;
        for (int i = 0; i < 4; ++i)
            dot(matrix[i], x, &mx[i]);
        dot(x, mx, &value);
    }
    const int sign = abut_number_sign(&value);
    return sign == 2 ? 2 : sign == 0;
}

bool abut_loops_ruled_exact(abut_meeting *m, int ruled)
{
    static const int turns[6][2] = { { 1, 0 }, { 2, 1 }, { 3, 1 }, { 3, 2 }, { 4, 1 }, { 4, 3 } };
    abut_exact_surface placed[2];
    for (int i = 0; i < 2; ++i) {
        abut_exact_place(m->surface[i], m->pose[i], m->origin, &placed[i]);
        if (!placed[i].known)
            return false;
    }
    const abut_solid_surface *other = m->surface[1 - ruled];
    exact_section first;
    if (!abut_exact_matrix(other, m->pose[1 - ruled], m->origin, &placed[1 - ruled], first.m))
        return false;
    int apex = 0;
    if (other->kind == ABUT_SOLID_CONE) {
        apex = apex_on(m, ruled, placed);
        if (apex == 2)
            return false;
        if (apex && m->surface[ruled]->kind == ABUT_SOLID_PLANE) {
            plane_through_apex(m, &placed[ruled], &placed[1 - ruled], other->tangent);
            return true;
        }
    }
    const int attempts = m->surface[ruled]->kind == ABUT_SOLID_PLANE ? 4 : 1;
    for (int attempt = 0; attempt < attempts; ++attempt) {
        if (!exact_frame(m, ruled, &placed[ruled], attempt, &first))
            return false;
        for (int i = 0; i < 6; ++i) {
            exact_section s = first;
            if (i > 0)
                exact_turn(&s, turns[i][0], turns[i][1]);
            if (!exact_forms(&s))
                return false;
            if (!abut_form_clear(&s.d) || !abut_form_clear(&s.e) || !abut_form_clear(&s.c) ||
                !abut_form_clear(&s.b))
                continue;
            if (solve(&s, apex, m))
                return true;
            break;
        }
    }
    return false;
}
