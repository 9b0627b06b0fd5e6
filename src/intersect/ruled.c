/* SPDX-License-Identifier: MIT */
/* Intersections of a ruled quadric with a quadric: the forms of ruled.h, and planes, cylinders and
 * cones as ruled surfaces.
 *
 * Levin 1976 takes a quadric of the pencil whose quadratic part is singular. A plane, cylinder or
 * cone is such a quadric and is known without a root to compute, up to the rounding of its frame:
 *
 *     cylinder  X0 = (axis, 0), X1 = circle of rulings; a is constant, w = (0, u0^2 + u1^2)
 *     cone      X0 = (apex, 1), X1 = directions of the rulings; w = (1, 0)
 *     plane     X0 = a point off the curve, X1 = directions in the plane: a pencil of lines; w = (1, 0)
 *
 * The rotations of the projective line below keep roots away from the cut between its charts. */
#include "intersect/ruled.h"
#include "interval/poly_certified.h"

#include <string.h>

static void multiply(const ia *x, int nx, const ia *y, int ny, ia *out)
{
    for (int i = 0; i <= nx + ny; ++i)
        out[i] = ia_point(0);
    for (int i = 0; i <= nx; ++i)
        for (int j = 0; j <= ny; ++j)
            out[i + j] = ia_add(out[i + j], ia_mul(x[i], y[j]));
}

/* f(u) of degree 2 after the turn. */
static void turn_square(ia *f0, ia *f1, ia *f2, double p, double q)
{
    const ia x = *f0, y = *f1, z = *f2;
    *f0 = ia_add(ia_add(ia_scale(p * p, x), ia_scale(p * q, y)), ia_scale(q * q, z));
    *f1 = ia_add(ia_scale(2 * p * q, ia_sub(z, x)), ia_scale(p * p - q * q, y));
    *f2 = ia_add(ia_sub(ia_scale(q * q, x), ia_scale(p * q, y)), ia_scale(p * p, z));
}

/* Kernel. Another basis of the projective line: u0 -> p u0 - q u1, u1 -> q u0 + p u1. */
static void turn_axes(abut_ruled *r, int p, int q)
{
    r->p = p;
    r->q = q;
    if (r->torus) {
        turn_square(&r->a[0], &r->a[1], &r->a[2], p, q);
        turn_square(&r->b[0], &r->b[1], &r->b[2], p, q);
        turn_square(&r->c[0], &r->c[1], &r->c[2], p, q);
        return;
    }
    for (int k = 0; k < 4; ++k)
        for (int side = 0; side < 2; ++side) {
            ia(*x)[4] = side ? r->x1 : r->x0;
            const int degree = side ? r->d1 : r->d0;
            if (degree == 1) {
                const ia f0 = x[0][k], f1 = x[1][k];
                x[0][k] = ia_add(ia_scale(p, f0), ia_scale(q, f1));
                x[1][k] = ia_sub(ia_scale(p, f1), ia_scale(q, f0));
            } else if (degree == 2) {
                turn_square(&x[0][k], &x[1][k], &x[2][k], p, q);
            }
        }
}

static ia dot(const ia x[4], const ia y[4])
{
    return ia_add(ia_add(ia_mul(x[0], y[0]), ia_mul(x[1], y[1])),
                  ia_add(ia_mul(x[2], y[2]), ia_mul(x[3], y[3])));
}

static void torus_forms(abut_ruled *r)
{
    ia product[5];
    multiply(r->b, 2, r->b, 2, r->d);
    multiply(r->a, 2, r->c, 2, product);
    for (int i = 0; i < 5; ++i) {
        r->d[i] = ia_sub(r->d[i], ia_scale(4, product[i]));
        r->e[i] = ia_point(i & 1 ? 0 : i == 2 ? 2 : 1); /* (u0^2 + u1^2)^2 */
    }
}

/* Kernel. Fills the forms from x0, x1, m; of tori d and e from a, b, c. */
static void set_forms(abut_ruled *r)
{
    if (r->torus) {
        torus_forms(r);
        return;
    }
    ia mx[5][4];
    const int n0 = r->d0 + 1, n = n0 + r->d1 + 1;
    const ia *v[5];
    for (int i = 0; i < n; ++i) {
        v[i] = i < n0 ? r->x0[i] : r->x1[i - n0];
        for (int k = 0; k < 4; ++k)
            mx[i][k] = dot(r->m[k], v[i]);
    }
    for (int i = 0; i < 5; ++i)
        r->a[i] = r->b[i] = r->c[i] = ia_point(0);
    for (int i = 0; i < n; ++i)
        for (int j = i; j < n; ++j) {
            const ia value = i == j ? dot(v[i], mx[i]) : ia_scale(2, dot(v[i], mx[j]));
            ia *form = j < n0 ? &r->a[i + j] : i < n0 ? &r->b[i + j - n0] : &r->c[i + j - 2 * n0];
            *form = ia_add(*form, value);
        }
    ia w0[2], w1[3], square[5], product[5], other[5];
    for (int i = 0; i <= r->d0; ++i)
        w0[i] = r->x0[i][3];
    for (int i = 0; i <= r->d1; ++i)
        w1[i] = r->x1[i][3];
    const int degree = 2 * (r->d0 + r->d1);
    multiply(r->b, r->d0 + r->d1, r->b, r->d0 + r->d1, r->d);
    multiply(r->a, 2 * r->d0, r->c, 2 * r->d1, product);
    for (int i = 0; i <= degree; ++i)
        r->d[i] = ia_sub(r->d[i], ia_scale(4, product[i]));
    multiply(w1, r->d1, w1, r->d1, square);
    multiply(r->a, 2 * r->d0, square, 2 * r->d1, r->e);
    multiply(w1, r->d1, w0, r->d0, square);
    multiply(r->b, r->d0 + r->d1, square, r->d0 + r->d1, other);
    for (int i = 0; i <= degree; ++i)
        r->e[i] = ia_sub(r->e[i], other[i]);
    multiply(w0, r->d0, w0, r->d0, square);
    multiply(r->c, 2 * r->d1, square, 2 * r->d0, other);
    for (int i = 0; i <= degree; ++i)
        r->e[i] = ia_add(r->e[i], other[i]);
}

void abut_ruled_cuts(const ia *f, int degree, int sign[2])
{
    ia even = ia_point(0), odd = ia_point(0);
    for (int i = 0; i <= degree; ++i)
        if (i & 1)
            odd = ia_add(odd, f[i]);
        else
            even = ia_add(even, f[i]);
    sign[0] = ia_sign(ia_sub(even, odd));
    sign[1] = ia_sign(ia_add(even, odd));
}

int abut_ruled_roots(const ia *f, int degree, abut_ruled_event *out)
{
    int count = 0;
    for (int chart = 0; chart < 2; ++chart) {
        abut_interval c[5];
        for (int i = 0; i <= degree; ++i) {
            const abut_interval value = { ia_lo(f[i]), ia_hi(f[i]) };
            if (chart == 0)
                c[i] = value;
            else
                c[degree - i] = (degree - i) & 1 ? (abut_interval){ -value.hi, -value.lo } : value;
        }
        abut_root roots[ABUT_POLYNOMIAL_MAX_DEGREE];
        const int n = abut_poly_roots_interval(c, degree, -1, 1, 1e-9, roots);
        if (n < 0)
            return -1;
        for (int i = 0; i < n; ++i) {
            if (roots[i].kind != ABUT_ROOT_SIMPLE)
                return -1;
            double lo = roots[i].x.lo, hi = roots[i].x.hi;
            if (chart == 1) {
                lo = fmax(1, ia_down(2 + lo));
                hi = fmin(3, ia_up(2 + hi));
            }
            out[count++] = (abut_ruled_event){ lo, hi, 1, 0 };
        }
    }
    return count;
}

/* No kernel. The events by intervals; false where roots are not separated. */
static bool isolate_events(const abut_ruled *r, abut_ruled_events *events)
{
    const int degree = 2 * (r->d0 + r->d1);
    events->d_count = abut_ruled_roots(r->d, degree, events->d);
    if (events->d_count < 0)
        return false;
    events->e_count = 0;
    if (events->d_count == 0 && events->sign < 0)
        return true;
    events->e_count = abut_ruled_roots(r->e, degree, events->e);
    return events->e_count >= 0;
}

/* Kernel. Turns a copy until D and E are clear of 0 at the cuts. */
static ABUT_NOINLINE bool prepare(const abut_ruled *r, abut_ruled *out, int *sign)
{
    static const int turns[6][2] = { { 1, 0 }, { 4, 1 }, { 2, 1 }, { 4, 3 }, { 7, 2 }, { 8, 1 } };
    for (int i = 0; i < 6; ++i) {
        *out = *r;
        out->p = 1;
        out->q = 0;
        if (i > 0)
            turn_axes(out, turns[i][0], turns[i][1]);
        set_forms(out);
        int d[2], e[2];
        abut_ruled_cuts(out->d, 2 * (r->d0 + r->d1), d);
        abut_ruled_cuts(out->e, 2 * (r->d0 + r->d1), e);
        *sign = d[0];
        if (d[0] != 0 && d[1] != 0 && e[0] != 0 && e[1] != 0)
            return true;
    }
    return false;
}

static ABUT_NOINLINE bool finish(const abut_ruled *r, abut_ruled_events *events, abut_meeting *m)
{
    return abut_ruled_graph(r, events, m);
}

bool abut_ruled_solve(abut_ruled *r, abut_meeting *m)
{
    abut_ruled turned;
    abut_ruled_events events = { 0 };
    abut_rounding saved = abut_rounding_enter();
    const bool clear = prepare(r, &turned, &events.sign);
    abut_rounding_leave(saved);
    if (!clear || !isolate_events(&turned, &events))
        return false;
    m->out->count = 0;
    saved = abut_rounding_enter();
    const bool done = finish(&turned, &events, m);
    abut_rounding_leave(saved);
    return done;
}

static void set(ia x[4], ia3 a, double w)
{
    x[0] = a.x;
    x[1] = a.y;
    x[2] = a.z;
    x[3] = ia_point(w);
}

/* Kernel. `attempt`: for planes, which point of the plane the pencil of lines passes. */
static ABUT_NOINLINE void section_of(const abut_placed *p, const abut_placed *other, int attempt,
                                     abut_ruled *r)
{
    memcpy(r->m, other->matrix, sizeof r->m);
    ia3 u, v;
    abut_frame_across(p->axis, &u, &v);
    r->d0 = 0;
    /* A point near the other surface; quadrics have no place of their own but are near the origin. */
    const ia3 near = other->kind == ABUT_SOLID_QUADRIC ? ia3_point((abut_vec3){ 0, 0, 0 }) : other->point;
    if (p->kind == ABUT_SOLID_PLANE) {
        const ia3 d = ia3_sub(near, p->point);
        ia3 at = p->point;
        at = ia3_add(at, ia3_scale(ia_point(ia_mid(ia3_dot(d, u))), u));
        at = ia3_add(at, ia3_scale(ia_point(ia_mid(ia3_dot(d, v))), v));
        const double size = 1 + ia_mag(other->radius);
        if (attempt > 0)
            at = ia3_add(at, ia3_scale(ia_point(attempt * 2.3 * size), attempt & 1 ? u : v));
        r->d1 = 1;
        set(r->x0[0], at, 1);
        set(r->x1[0], u, 0);
        set(r->x1[1], v, 0);
        return;
    }
    r->d1 = 2;
    const bool cone = p->kind == ABUT_SOLID_CONE;
    const ia size = cone ? p->tangent : p->radius;
    u = ia3_scale(size, u);
    v = ia3_scale(size, v);
    ia3 center = p->axis;
    if (!cone) {
        const double s = ia_mid(ia3_dot(p->axis, ia3_sub(near, p->point)));
        center = ia3_add(p->point, ia3_scale(ia_point(s), p->axis));
    }
    set(r->x0[0], cone ? p->point : p->axis, cone);
    set(r->x1[0], ia3_add(center, u), !cone);
    set(r->x1[1], ia3_scale(ia_point(2), v), 0);
    set(r->x1[2], ia3_sub(center, u), !cone);
}

static ABUT_NOINLINE void section_kernel(const abut_meeting *m, int ruled, int attempt, abut_ruled *r)
{
    section_of(&m->placed[ruled], &m->placed[1 - ruled], attempt, r);
}

bool abut_loops_ruled(abut_meeting *m, int ruled)
{
    const int attempts = m->placed[ruled].kind == ABUT_SOLID_PLANE ? 3 : 1;
    for (int i = 0; i < attempts; ++i) {
        abut_ruled r = { 0 };
        const abut_rounding saved = abut_rounding_enter();
        section_kernel(m, ruled, i, &r);
        abut_rounding_leave(saved);
        if (abut_ruled_solve(&r, m))
            return true;
    }
    return false;
}
