/* SPDX-License-Identifier: MIT */
/* The numbers of a line over a height field (line_grid.h): plain doubles where their error bound
 * tells the sign, exact dyadic numbers otherwise. */
#include "narrow/heightfield/line_grid.h"

#include "math/vec3.h"

/* ---- coordinates ---- */

static abut_vec3 from_origin(const abut_grid *g, abut_grid_corner c)
{
    return abut_v3(abut_grid_coordinate(g, 0, c.i) - g->o[0], abut_grid_coordinate(g, 1, c.j) - g->o[1],
                   g->scale * abut_heightfield_height(g->field, c.i, c.j) - g->o[2]);
}

/* The coordinate of a grid line less o: place times step, exact. */
abut_terms abut_grid_terms(const abut_grid *g, int axis, size_t i)
{
    const dd p = dd_two_product(abut_grid_place(g, axis, i), g->half[axis]);
    abut_terms t = g->line->o[axis];
    abut_terms_negate(&t);
    abut_terms_push(&t, p.h);
    abut_terms_push(&t, p.l);
    return t;
}

static void exact_corner(const abut_grid *g, abut_grid_corner c, abut_big out[3])
{
    const abut_terms x = abut_grid_terms(g, 0, c.i), y = abut_grid_terms(g, 1, c.j);
    abut_terms z = g->line->o[2];
    abut_terms_negate(&z);
    abut_terms_push(&z, g->scale * abut_heightfield_height(g->field, c.i, c.j));
    abut_big_terms(&x, &out[0]);
    abut_big_terms(&y, &out[1]);
    abut_big_terms(&z, &out[2]);
}

static void exact_direction(const abut_grid *g, abut_big out[3])
{
    for (int k = 0; k < 3; ++k)
        abut_big_terms(&g->line->d[k], &out[k]);
}

static dd quotient(const abut_terms *over, const abut_terms *under)
{
    const dd o = abut_terms_value(over), u = abut_terms_value(under);
    if (fabs(o.h) > 0x1p-40 * abut_terms_size(over) && fabs(u.h) > 0x1p-40 * abut_terms_size(under))
        return dd_div(o, u);
    abut_big n, m;
    abut_big_terms(over, &n);
    abut_big_terms(under, &m);
    return abut_big_quotient(&n, &m);
}

double abut_grid_unscale(const abut_grid *g, dd t)
{
    return ldexp(t.h, g->line->length_exponent - g->line->direction_exponent);
}

/* Where the line crosses a grid line. */
double abut_grid_parameter(const abut_grid *g, int axis, size_t i)
{
    const abut_terms over = abut_grid_terms(g, axis, i);
    return abut_grid_unscale(g, quotient(&over, &g->line->d[axis]));
}

/* ---- exact signs ---- */

/* Seen from above: is the corner to the left (+1) of the line, on it or to the right? */
int abut_grid_side(const abut_grid *g, abut_grid_corner c)
{
    const double x = abut_grid_coordinate(g, 0, c.i) - g->o[0], y = abut_grid_coordinate(g, 1, c.j) - g->o[1];
    const double a = g->d[0] * y, b = g->d[1] * x, value = a - b;
    const double error = g->slip * (fabs(g->d[0]) + fabs(g->d[1])) + 0x1p-50 * (fabs(a) + fabs(b)) + 0x1p-900;
    if (fabs(value) > error)
        return value > 0 ? 1 : -1;
    const abut_terms tx = abut_grid_terms(g, 0, c.i), ty = abut_grid_terms(g, 1, c.j);
    abut_big X, Y, dx, dy, sum;
    abut_big_terms(&tx, &X);
    abut_big_terms(&ty, &Y);
    abut_big_terms(&g->line->d[0], &dx);
    abut_big_terms(&g->line->d[1], &dy);
    abut_big_clear(&sum);
    abut_big_add_product(&dx, &Y, 1, &sum);
    abut_big_add_product(&dy, &X, -1, &sum);
    return abut_big_sign(&sum);
}

static int exact_turn(const abut_grid *g, abut_grid_corner p, abut_grid_corner q)
{
    abut_big P[3], Q[3], d[3], minor, det;
    exact_corner(g, p, P);
    exact_corner(g, q, Q);
    exact_direction(g, d);
    abut_big_clear(&det);
    for (int i = 0; i < 3; ++i) {
        const int j = (i + 1) % 3, k = (i + 2) % 3;
        abut_big_clear(&minor);
        abut_big_add_product(&P[j], &Q[k], 1, &minor);
        abut_big_add_product(&P[k], &Q[j], -1, &minor);
        abut_big_add_product(&d[i], &minor, 1, &det);
    }
    return abut_big_sign(&det);
}

/* Is the line above (+1), on or below the edge that it crosses, as seen from above? With the
 * vertical gap g at the crossing, det[d, p - o, q - o] = g (d x (q - p))_z, whose last factor
 * has the sign of sigma(q) - sigma(p). */
int abut_grid_above(const abut_grid *g, abut_grid_corner p, abut_grid_corner q, int side_p, int side_q)
{
    const abut_vec3 P = from_origin(g, p), Q = from_origin(g, q);
    const abut_vec3 d = { g->d[0], g->d[1], g->d[2] };
    const double det = abut_dot(d, abut_cross(P, Q)), sp = abut_max_norm(P), sq = abut_max_norm(Q);
    const double error = 8 * (g->slip * (sp + sq + g->slip) + 0x1p-50 * sp * sq) + 0x1p-900;
    const int sign = fabs(det) > error ? (det > 0 ? 1 : -1) : exact_turn(g, p, q);
    return side_q > side_p ? sign : -sign;
}

/* ---- triangles ---- */

/* Height over a triangle's plane times dx dy is N(p) = dx dy (p_z - z_0) - a dy (p_x - x_0) - b
 * dx (p_y - y_0), with the rises a and b along its two grid edges. Here for a vector p, as a
 * linear form (origin: what to take off first) of o or d. */
typedef struct rises {
    double a[2], b[2];   /* exact differences */
    abut_grid_corner at; /* (x_0, y_0) */
} rises;

static rises rises_of(const abut_grid *g, abut_grid_triangle t)
{
    const size_t i = t.cell.i, j = t.cell.j;
    const double h00 = g->scale * abut_heightfield_height(g->field, i, j);
    const double h10 = g->scale * abut_heightfield_height(g->field, i + 1, j);
    const double h01 = g->scale * abut_heightfield_height(g->field, i, j + 1);
    const double h11 = g->scale * abut_heightfield_height(g->field, i + 1, j + 1);
    rises r = { .at = t.cell };
    r.a[0] = t.which ? h11 : h10;
    r.a[1] = t.which ? -h01 : -h00;
    r.b[0] = t.which ? h01 : h11;
    r.b[1] = t.which ? -h00 : -h10;
    return r;
}

void abut_grid_exact_form(const abut_grid *g, abut_grid_triangle t, abut_big *of_o, abut_big *of_d)
{
    const rises r = rises_of(g, t);
    abut_big p[3], d[3], dx, dy, a, b, x;
    const abut_terms ta = { 2, { r.a[0], r.a[1] } }, tb = { 2, { r.b[0], r.b[1] } };
    abut_big_double(2 * g->half[0], &dx);
    abut_big_double(2 * g->half[1], &dy);
    abut_big_terms(&ta, &a);
    abut_big_terms(&tb, &b);
    exact_corner(g, r.at, p); /* v - o: N(o) = -form(v - o) */
    exact_direction(g, d);
    for (int k = 0; k < 2; ++k) {
        abut_big *out = k ? of_d : of_o;
        const abut_big *v = k ? d : p;
        const int sign = k ? 1 : -1;
        abut_big_clear(out);
        abut_big_mul(&dx, &dy, &x);
        abut_big_add_product(&x, &v[2], sign, out);
        abut_big_mul(&a, &dy, &x);
        abut_big_add_product(&x, &v[0], -sign, out);
        abut_big_mul(&b, &dx, &x);
        abut_big_add_product(&x, &v[1], -sign, out);
    }
}

double abut_grid_plane_parameter(const abut_grid *g, abut_grid_triangle t)
{
    const rises r = rises_of(g, t);
    const dd dx = { 2 * g->half[0], 0 }, dy = { 2 * g->half[1], 0 };
    const abut_terms X = abut_grid_terms(g, 0, r.at.i), Y = abut_grid_terms(g, 1, r.at.j);
    abut_terms Z = g->line->o[2];
    abut_terms_negate(&Z);
    abut_terms_push(&Z, g->scale * abut_heightfield_height(g->field, r.at.i, r.at.j));
    const dd k[3] = { dd_mul(dd_two_sum(r.a[0], r.a[1]), dy), dd_mul(dd_two_sum(r.b[0], r.b[1]), dx),
                      dd_mul(dx, dy) };
    const dd p[3] = { dd_mul(k[0], abut_terms_value(&X)), dd_mul(k[1], abut_terms_value(&Y)),
                      dd_mul(k[2], abut_terms_value(&Z)) };
    const dd d[3] = { dd_mul(k[0], abut_terms_value(&g->line->d[0])),
                      dd_mul(k[1], abut_terms_value(&g->line->d[1])),
                      dd_mul(k[2], abut_terms_value(&g->line->d[2])) };
    const dd over = dd_sub(dd_sub(p[2], p[0]), p[1]), under = dd_sub(dd_sub(d[2], d[0]), d[1]);
    /* The differences themselves may have cancelled: their own sizes count. */
    const double size = fabs(k[0].h) * abut_terms_size(&X) + fabs(k[1].h) * abut_terms_size(&Y) +
                        fabs(k[2].h) * abut_terms_size(&Z);
    const double fall = fabs(d[0].h) + fabs(d[1].h) + fabs(d[2].h);
    if (fabs(over.h) > 0x1p-40 * size && fabs(under.h) > 0x1p-40 * fall && size > 0x1p-800 && fall > 0x1p-800)
        return abut_grid_unscale(g, dd_div(over, under));
    abut_big n, m;
    abut_grid_exact_form(g, t, &n, &m);
    return abut_grid_unscale(g, dd_neg(abut_big_quotient(&n, &m)));
}

abut_vec3 abut_grid_normal(const abut_grid *g, abut_grid_triangle t)
{
    const rises r = rises_of(g, t);
    const double dx = 2 * g->half[0], dy = 2 * g->half[1];
    return abut_unit_or(abut_v3(-(r.a[0] + r.a[1]) / dx, -(r.b[0] + r.b[1]) / dy, 1), abut_v3(0, 0, 1));
}
