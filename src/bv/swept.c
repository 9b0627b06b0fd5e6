/* SPDX-License-Identifier: MIT */
/* Line segments and rectangles swept by a ball (E. Larsen, S. Gottschalk, M. C. Lin, D. Manocha,
 * Fast proximity queries with swept sphere volumes, 1999).
 *
 * A segment is a rectangle without a second side. Every direction n gives a lower bound of the
 * distance of two rectangles, the gap of their projections on n, and every pair of points an
 * upper one; so directions may be guessed in plain doubles. The true distance is the gap along
 * the normal of one (a corner meets a face), along a product of edges (edges cross), or along
 * the line of nearest points with one at a corner, which projecting to and fro between the two
 * finds, fast just where the others do not apply. */
#include "bv/volume.h"
#include "math/vec3.h"

/* Half sides, and the reciprocals of their squared lengths (0 for none). */
typedef struct core {
    abut_vec3 centre, side[2];
    double inverse[2], radius;
} core;

static double inverse_square(abut_vec3 side)
{
    const double square = abut_dot(side, side);
    return square > 0x1p-900 ? 1 / square : 0;
}

static double clamp(double x)
{
    return x < -1 ? -1 : x > 1 ? 1 : x;
}

/* Point of the rectangle nearest to p. */
static abut_vec3 nearest(const core *c, abut_vec3 p)
{
    const abut_vec3 d = abut_sub(p, c->centre);
    const double u = clamp(abut_dot(d, c->side[0]) * c->inverse[0]);
    const double v = clamp(abut_dot(d, c->side[1]) * c->inverse[1]);
    return abut_madd(abut_madd(c->centre, u, c->side[0]), v, c->side[1]);
}

/* Of the projections on n, times |n|. */
static double gap(const core *a, const core *b, abut_vec3 n)
{
    return fabs(abut_dot(n, abut_sub(b->centre, a->centre))) -
           (fabs(abut_dot(n, a->side[0])) + fabs(abut_dot(n, a->side[1])) + fabs(abut_dot(n, b->side[0])) +
            fabs(abut_dot(n, b->side[1])));
}

/* What is known of the distance of two rectangles; squares, so that roots are rare. */
typedef struct bracket {
    double lower, upper;
} bracket;

static void try_direction(const core *a, const core *b, abut_vec3 n, bracket *known)
{
    const double g = gap(a, b, n), square = abut_dot(n, n);
    if (g > 0 && g * g > known->lower * square)
        known->lower = g * g / square;
}

/* Until the lower bound exceeds `limit` (square of a length), the upper one does not, or both
 * are close. */
static bool decided(const bracket *known, double limit)
{
    return known->lower > limit || known->upper <= limit || known->lower >= 0.999 * known->upper;
}

static void try_normals(const core *a, const core *b, bracket *known)
{
    try_direction(a, b, abut_cross(a->side[0], a->side[1]), known);
    try_direction(a, b, abut_cross(b->side[0], b->side[1]), known);
}

static void try_edges(const core *a, const core *b, bracket *known)
{
    for (int i = 0; i < 4; ++i)
        try_direction(a, b, abut_cross(a->side[i & 1], b->side[i >> 1]), known);
}

/* Rounds of projections; twice as many saw three more of 18000 pairs apart. */
enum { EDGES_AFTER = 3, ROUNDS = 6 };

static bracket distance(const core *a, const core *b, double limit)
{
    bracket known = { 0, INFINITY };
    abut_vec3 x = a->centre;
    for (int round = 1; round <= ROUNDS && !decided(&known, limit); ++round) {
        const abut_vec3 y = nearest(b, x);
        x = nearest(a, y);
        const abut_vec3 n = abut_sub(y, x);
        const double square = abut_dot(n, n);
        known.upper = square < known.upper ? square : known.upper;
        try_direction(a, b, n, &known);
        if (round == 1 && !decided(&known, limit))
            try_normals(a, b, &known);
        if (round == EDGES_AFTER && !decided(&known, limit))
            try_edges(a, b, &known);
    }
    return known;
}

static bool cores_apart(const abut_bv_pair *pair, const core *a, const core *b, double reach)
{
    const double limit = a->radius + b->radius + pair->margin + reach;
    return distance(a, b, limit * limit).lower > limit * limit;
}

static double cores_lower(const abut_bv_pair *pair, const core *a, const core *b)
{
    return sqrt(distance(a, b, 0).lower) - (a->radius + b->radius + pair->margin);
}

/* Of b as it was placed: the sides are columns of `axes`. */
static inline core core_placed(const abut_bv_placed *b)
{
    return (core){ b->centre,
                   { { b->axes.m[0][0], b->axes.m[1][0], b->axes.m[2][0] },
                     { b->axes.m[0][1], b->axes.m[1][1], b->axes.m[2][1] } },
                   { b->half[1], b->half[2] },
                   b->half[0] };
}

static void place_core(const abut_bv_pair *pair, const core *c, abut_bv_placed *out)
{
    out->centre = abut_add(pair->t, abut_mul(&pair->r, c->centre));
    for (int k = 0; k < 2; ++k) {
        const abut_vec3 side = abut_mul(&pair->r, c->side[k]);
        out->axes.m[0][k] = side.x, out->axes.m[1][k] = side.y, out->axes.m[2][k] = side.z;
        out->half[1 + k] = c->inverse[k];
    }
    out->half[0] = c->radius;
}

/* ---- segments ---- */

static core core_of_line(const float *v, double s)
{
    const double h = 0.5 * s;
    core c = { abut_v3(h * ((double)v[0] + v[3]), h * ((double)v[1] + v[4]), h * ((double)v[2] + v[5])),
               { abut_v3(h * ((double)v[3] - v[0]), h * ((double)v[4] - v[1]), h * ((double)v[5] - v[2])),
                 abut_v3(0, 0, 0) },
               { 0, 0 },
               s * v[6] };
    c.inverse[0] = inverse_square(c.side[0]);
    return c;
}

/* The radius that the rectangle needs. */
static double radius_for(const core *c, const abut_vec3 *points, const double *radii, size_t count)
{
    double most = 0;
    for (size_t i = 0; i < count; ++i) {
        const abut_vec3 d = abut_sub(points[i], nearest(c, points[i]));
        const double r = sqrt(abut_dot(d, d)) + (radii ? radii[i] : 0);
        most = r > most ? r : most;
    }
    return most;
}

typedef struct range {
    double lo, hi;
} range;

static void widen(range *r, double lo, double hi)
{
    r->lo = lo < r->lo ? lo : r->lo;
    r->hi = hi > r->hi ? hi : r->hi;
}

static const range EMPTY = { INFINITY, -INFINITY };

static double middle(range r)
{
    return 0.5 * r.lo + 0.5 * r.hi;
}

/* The range whose ends a ball covers from within may be empty: then a point. */
static range ordered(range r)
{
    return r.lo <= r.hi ? r : (range){ middle(r), middle(r) };
}

/* How far from p, in the direction of a line, the centre of a ball may be that covers p: what is
 * left of its radius. */
static double spare(double radius, double square)
{
    const double left = radius > 0 ? radius * radius - square : 0;
    return left > 0 ? sqrt(left) : 0;
}

static void fit_line(const abut_vec3 *points, const double *radii, size_t count, const abut_mat3 *axes,
                     float *out)
{
    range y = EMPTY, z = EMPTY;
    for (size_t i = 0; i < count; ++i) {
        const abut_vec3 p = abut_mul_t(axes, points[i]);
        const double r = radii ? radii[i] : 0;
        widen(&y, p.y - r, p.y + r);
        widen(&z, p.z - r, p.z + r);
    }
    const double cy = middle(y), cz = middle(z);
    double radius = 0;
    for (size_t i = 0; i < count; ++i) {
        const abut_vec3 p = abut_mul_t(axes, points[i]);
        radius =
            fmax(radius, sqrt((p.y - cy) * (p.y - cy) + (p.z - cz) * (p.z - cz)) + (radii ? radii[i] : 0));
    }
    range x = EMPTY;
    for (size_t i = 0; i < count; ++i) {
        const abut_vec3 p = abut_mul_t(axes, points[i]);
        const double s =
            spare(radius - (radii ? radii[i] : 0), (p.y - cy) * (p.y - cy) + (p.z - cz) * (p.z - cz));
        widen(&x, p.x + s, p.x - s);
    }
    x = ordered(x);
    const abut_vec3 from = abut_mul(axes, abut_v3(x.lo, cy, cz)), to = abut_mul(axes, abut_v3(x.hi, cy, cz));
    out[0] = abut_bv_round(from.x), out[1] = abut_bv_round(from.y), out[2] = abut_bv_round(from.z);
    out[3] = abut_bv_round(to.x), out[4] = abut_bv_round(to.y), out[5] = abut_bv_round(to.z), out[6] = 0;
    const core c = core_of_line(out, 1);
    out[6] = abut_bv_up(radius_for(&c, points, radii, count) + ABUT_BV_SLACK);
}

static size_t corners_line(const float *v, abut_vec3 *out, double *radius)
{
    out[0] = abut_v3(v[0], v[1], v[2]);
    out[1] = abut_v3(v[3], v[4], v[5]);
    *radius = v[6];
    return 2;
}

static double size_line(const float *v)
{
    return fabs((double)v[3] - v[0]) + fabs((double)v[4] - v[1]) + fabs((double)v[5] - v[2]) +
           2 * (double)v[6];
}

static void place_line(const abut_bv_pair *pair, const float *b, abut_bv_placed *out)
{
    const core c = core_of_line(b, pair->scale_b);
    place_core(pair, &c, out);
}

static bool apart_line(const abut_bv_pair *pair, const float *a, const abut_bv_placed *b, double reach)
{
    const core ca = core_of_line(a, pair->scale_a), cb = core_placed(b);
    return cores_apart(pair, &ca, &cb, reach);
}

static double lower_line(const abut_bv_pair *pair, const float *a, const abut_bv_placed *b)
{
    const core ca = core_of_line(a, pair->scale_a), cb = core_placed(b);
    return cores_lower(pair, &ca, &cb);
}

const abut_bv_kind abut_bv_lss = { .volume = ABUT_VOLUME_LINE_SPHERE,
                                   .floats = 7,
                                   .oriented = true,
                                   .fit = fit_line,
                                   .corners = corners_line,
                                   .size = size_line,
                                   .place = place_line,
                                   .apart = apart_line,
                                   .lower = lower_line };

/* ---- rectangles ---- */

static core core_of_rectangle(const float *v, double s)
{
    const abut_mat3 q = abut_bv_rotation(v);
    const double hx = s * v[7], hy = s * v[8];
    core c = { abut_v3(s * v[4], s * v[5], s * v[6]),
               { abut_v3(hx * q.m[0][0], hx * q.m[1][0], hx * q.m[2][0]),
                 abut_v3(hy * q.m[0][1], hy * q.m[1][1], hy * q.m[2][1]) },
               { 0, 0 },
               s * v[9] };
    c.inverse[0] = inverse_square(c.side[0]);
    c.inverse[1] = inverse_square(c.side[1]);
    return c;
}

/* Writes the rectangle of these ranges with the radius it needs, and returns the volume of the
 * whole. */
static double set_rectangle(range x, range y, double cz, const abut_mat3 *q, const abut_vec3 *points,
                            const double *radii, size_t count, float *out)
{
    const abut_vec3 centre = abut_mul(q, abut_v3(middle(x), middle(y), cz));
    out[4] = abut_bv_round(centre.x), out[5] = abut_bv_round(centre.y), out[6] = abut_bv_round(centre.z);
    out[7] = abut_bv_round((0.5 * (x.hi - x.lo))), out[8] = abut_bv_round((0.5 * (y.hi - y.lo))), out[9] = 0;
    const core c = core_of_rectangle(out, 1);
    out[9] = abut_bv_up(radius_for(&c, points, radii, count) + ABUT_BV_SLACK);
    const double a = 2 * (double)out[7], b = 2 * (double)out[8], r = out[9], pi = 3.14159;
    return 2 * r * a * b + pi * r * r * (a + b) + 4 * pi / 3 * r * r * r;
}

/* Two tries: the whole extent, with the least radius; and the extent less what balls of that
 * radius cover from within, which then need more at corners. */
static void fit_rectangle(const abut_vec3 *points, const double *radii, size_t count, const abut_mat3 *axes,
                          float *out)
{
    abut_bv_quaternion(axes, out);
    const abut_mat3 q = abut_bv_rotation(out);
    range x = EMPTY, y = EMPTY, z = EMPTY;
    for (size_t i = 0; i < count; ++i) {
        const abut_vec3 p = abut_mul_t(&q, points[i]);
        const double r = radii ? radii[i] : 0;
        widen(&x, p.x, p.x);
        widen(&y, p.y, p.y);
        widen(&z, p.z - r, p.z + r);
    }
    const double cz = middle(z), radius = 0.5 * (z.hi - z.lo);
    range inner_x = EMPTY, inner_y = EMPTY;
    for (size_t i = 0; i < count; ++i) {
        const abut_vec3 p = abut_mul_t(&q, points[i]);
        const double s = spare(radius - (radii ? radii[i] : 0), (p.z - cz) * (p.z - cz));
        widen(&inner_x, p.x + s, p.x - s);
        widen(&inner_y, p.y + s, p.y - s);
    }
    float other[10];
    for (int k = 0; k < 4; ++k)
        other[k] = out[k];
    const double whole = set_rectangle(x, y, cz, &q, points, radii, count, out);
    const double inner =
        set_rectangle(ordered(inner_x), ordered(inner_y), cz, &q, points, radii, count, other);
    if (inner < whole)
        for (int k = 0; k < 10; ++k)
            out[k] = other[k];
}

static size_t corners_rectangle(const float *v, abut_vec3 *out, double *radius)
{
    const core c = core_of_rectangle(v, 1);
    for (int i = 0; i < 4; ++i)
        out[i] = abut_madd(abut_madd(c.centre, i & 1 ? 1 : -1, c.side[0]), i & 2 ? 1 : -1, c.side[1]);
    *radius = c.radius;
    return 4;
}

static double size_rectangle(const float *v)
{
    return (double)v[7] + v[8] + v[9];
}

static void place_rectangle(const abut_bv_pair *pair, const float *b, abut_bv_placed *out)
{
    const core c = core_of_rectangle(b, pair->scale_b);
    place_core(pair, &c, out);
}

static bool apart_rectangle(const abut_bv_pair *pair, const float *a, const abut_bv_placed *b, double reach)
{
    const core ca = core_of_rectangle(a, pair->scale_a), cb = core_placed(b);
    return cores_apart(pair, &ca, &cb, reach);
}

static double lower_rectangle(const abut_bv_pair *pair, const float *a, const abut_bv_placed *b)
{
    const core ca = core_of_rectangle(a, pair->scale_a), cb = core_placed(b);
    return cores_lower(pair, &ca, &cb);
}

const abut_bv_kind abut_bv_rss = { .volume = ABUT_VOLUME_RECTANGLE_SPHERE,
                                   .floats = 10,
                                   .oriented = true,
                                   .fit = fit_rectangle,
                                   .corners = corners_rectangle,
                                   .size = size_rectangle,
                                   .place = place_rectangle,
                                   .apart = apart_rectangle,
                                   .lower = lower_rectangle };
