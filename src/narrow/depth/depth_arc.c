/* SPDX-License-Identifier: MIT */
/* Arcs of equally deep directions, for depth_cells.c: a point of one body on the axis that the
 * other is turned about.
 *
 * Where a corner, an apex or a point of a rim is on the axis of a cylinder, a cone or a spheroid,
 * all directions at one angle to that axis are as deep, as far round as the point is the one that
 * counts: a whole arc is least, and a polygon that loses the third order of its size would have to
 * be cut into thousands. With q the point and S the solid, both as parts of K, K holds q + S, so
 * that
 *     f(v) >= W . v + H(s, c),   W = q + the middle of S,
 * H the support function of S about its middle, which depends on s = |v across the axis| and c = v
 * along it alone. Over a cell that is the least over its latitudes of a function of one angle, less
 * what W is off the axis: nothing is lost by the length of the arc.
 *
 * The proofs are in docs/notes/depth.md. */
#include "narrow/depth/depth.h"
#include "narrow/distance/curved_piece.h"

enum { MOST_PIECES = 64, NEWTON = 4 };

/* Of the largest: semi-axes that differ by less are as good as equal, and the lesser counts. */
static const double even = 0x1p-36;
/* Of the sizes: what is further off the axis than this is left to others. */
static const double near = 0x1p-5;

typedef struct ray {
    double s, c; /* unit: away from the axis and along it, or two directions across it */
} ray;

static inline double dot(ray a, ray b)
{
    return a.s * b.s + a.c * b.c;
}

static inline double cross(ray a, ray b)
{
    return a.s * b.c - a.c * b.s;
}

bool abut_depth_set_solid(const abut_core *core, const abut_vec3 axis[3], double sign, abut_depth_solid *out)
{
    const double *h = core->h;
    const bool cone = core->kind == ABUT_CORE_CONE;
    int along = 2;
    *out = (abut_depth_solid){ .kind = core->kind, .size = core->size };
    if (cone || core->kind == ABUT_CORE_CYLINDER) {
        out->rho[0] = cone ? 0 : h[0];
        out->rho[1] = h[0];
        out->z[0] = h[2];
        out->z[1] = -h[2];
    } else if (core->kind == ABUT_CORE_ELLIPSOID) {
        double least = INFINITY;
        for (int i = 0; i < 3; ++i) {
            const double apart = fabs(h[(i + 1) % 3] - h[(i + 2) % 3]);
            if (apart < least) {
                least = apart;
                along = i;
            }
        }
        const double p = h[(along + 1) % 3], q = h[(along + 2) % 3];
        if (!(least <= even * p))
            return false;
        out->rho[0] = out->rho[1] = p < q ? p : q;
        out->z[0] = h[along];
    } else
        return false;
    out->axis = abut_scale(sign, axis[along]);
    return fabs(abut_dot(out->axis, out->axis) - 1) < 0x1p-48;
}

void abut_depth_set_touch(abut_vec3 at, const double h[3], const abut_vec3 axis[3], abut_vec3 v,
                          abut_depth_touch *out)
{
    double x[3], square = 0;
    for (int j = 0; j < 3; ++j) {
        x[j] = h[j] * abut_dot(axis[j], v);
        square += x[j] * x[j];
    }
    *out = (abut_depth_touch){ .w = at, .axis = axis[2] };
    const double l = sqrt(square);
    if (!(l > 0x1p-20 * h[0])) /* along its axis a disc has its middle, too */
        return;
    for (int j = 0; j < 3; ++j) {
        out->p = abut_madd(out->p, x[j] / l, axis[j]);
        out->w = abut_madd(out->w, h[j] * x[j] / l, axis[j]);
    }
    out->r = h[2] > 0 ? 0 : h[0];
}

/* ---- a cell as the axis sees it ---- */

/* The latitudes of a cell: the most and the least cosine. An arc of a great circle between p and
 * q, at an angle of alpha, rises above both only where it rises from either, and to max /
 * cos(alpha / 2) at most, since its top is within alpha / 2 of one of them. */
static void find_latitudes(const abut_vec3 *corner, int count, abut_vec3 axis, ray g[2])
{
    bool pole[2] = { true, true };
    double most[2] = { -1, -1 };
    for (int j = 0; j < count; ++j) {
        const abut_vec3 p = corner[j], q = corner[j + 1 == count ? 0 : j + 1], n = abut_cross(p, q),
                        sum = abut_add(p, q);
        const double side = abut_dot(n, axis), slack = 0x1p-40, half = 0.5 * sqrt(abut_dot(sum, sum)),
                     between = abut_dot(p, q);
        for (int i = 0; i < 2; ++i) {
            const double sense = i ? -1 : 1, at = sense * abut_dot(p, axis), to = sense * abut_dot(q, axis);
            double top = at > to ? at : to;
            if (at - between * to > -slack && to - between * at > -slack && top > 0)
                top /= half;
            most[i] = top > most[i] ? top : most[i];
            pole[i] = pole[i] && sense * side >= -slack;
        }
    }
    for (int i = 0; i < 2; ++i) {
        /* A cosine is off by less than 2^-47: corners and axis are unit to that. */
        const double c = pole[i] || !(most[i] + 0x1p-46 < 1) ? 1 : most[i] + 0x1p-46;
        g[i] = (ray){ sqrt((1 - c) * (1 + c)), i ? -c : c };
    }
}

/* The most that W is against v, of v's part across the axis: over all longitudes |W|, over those
 * of a cell that spans less than a right angle the most at its ends, unless -W is between them.
 * x and y span the plane across the axis. */
static double find_against(const abut_vec3 *corner, int count, abut_vec3 x, abut_vec3 y, ray w)
{
    const double whole = sqrt(dot(w, w)) * (1 + 0x1p-50), slack = 0x1p-44;
    ray e[2] = { { 0, 0 }, { 0, 0 } };
    for (int pass = 0; pass < 2; ++pass)
        for (int j = 0; j < count; ++j) {
            ray p = { abut_dot(corner[j], x), abut_dot(corner[j], y) };
            const double l = sqrt(dot(p, p));
            if (!(l > 0x1p-50)) /* the axis is a corner: no longitude of its own */
                continue;
            if (!(l > 0x1p-30))
                return whole;
            p = (ray){ p.s / l, p.c / l };
            if (pass == 0) {
                if (e[0].s == 0 && e[0].c == 0)
                    e[0] = e[1] = p;
                e[0] = cross(e[0], p) < 0 ? p : e[0];
                e[1] = cross(e[1], p) > 0 ? p : e[1];
            } else if (!(cross(e[0], p) >= -slack && cross(p, e[1]) >= -slack && dot(e[0], p) > 0 &&
                         dot(e[1], p) > 0))
                return whole;
        }
    if (!(dot(e[0], e[1]) > 0x1p-10) ||
        (cross(w, e[0]) >= -slack * whole && cross(e[1], w) >= -slack * whole && dot(w, e[0]) < 0))
        return whole;
    const double first = -dot(w, e[0]), last = -dot(w, e[1]);
    return (first > last ? first : last) + slack * whole;
}

/* What a rim adds to its point p, r (e . v)^2 / (|P v| + p . v), P v being what v has across the
 * rim's axis and e across that and p, as a multiple of c^2 where e is along the solid's axis: (x
 * + y)^2 >= (1 - n) x^2 - y^2 / n. *lost: what is to be taken off. The divisor is convex and of
 * degree one, so that it is at most the largest at a corner over the least length of a mean of
 * corners. */
static double find_bend(const abut_depth_touch *t, const abut_vec3 *corner, int count, abut_vec3 axis,
                        double *lost)
{
    static const double n = 0x1p-10;
    const abut_vec3 e = abut_cross(t->axis, t->p);
    const double along = abut_dot(e, axis);
    const abut_vec3 off = abut_madd(e, -along, axis);
    abut_vec3 middle = abut_v3(0, 0, 0);
    double most = 0, length = 1;
    *lost = 0;
    if (!(t->r > 0 && abut_dot(off, off) < 0x1p-40))
        return 0;
    for (int j = 0; j < count; ++j)
        middle = abut_add(middle, corner[j]);
    middle = abut_scale(1 / sqrt(abut_dot(middle, middle)), middle);
    for (int j = 0; j < count; ++j) {
        const double x = abut_dot(corner[j], t->p), y = abut_dot(corner[j], e), far = sqrt(x * x + y * y) + x,
                     at = abut_dot(corner[j], middle);
        most = far > most ? far : most;
        length = at < length ? at : length;
    }
    const double divisor = (length > 0.5 && most < 2 * length ? most / length : 2) + 0x1p-40,
                 bend = t->r / divisor * (1 - 0x1p-40);
    *lost = bend * abut_dot(off, off) / n;
    return bend * along * along * (1 - n);
}

/* ---- one angle ---- */

/* F = ((a s)^2 + (b c)^2)^1/2 + w . (s, c) + bend c^2. */
typedef struct outline {
    double a, b, bend;
    ray w;
} outline;

typedef struct jet {
    double value, slope, round; /* round: F'' + F */
} jet;

/* With respect to the angle from the axis on. */
static jet jet_at(const outline *f, ray m)
{
    const double a = f->a, b = f->b, l = sqrt(a * a * m.s * m.s + b * b * m.c * m.c);
    jet j = { dot(f->w, m) + f->bend * m.c * m.c, f->w.s * m.c - f->w.c * m.s - 2 * f->bend * m.s * m.c,
              f->bend * (2 - 3 * m.c * m.c) };
    if (l > 0) {
        const double part = a * b / l;
        j.value += l;
        j.slope += (a * a - b * b) * m.s * m.c / l;
        j.round += part * part / l;
    }
    return j;
}

/* With F'' + F >= round from g[0] on to g[1], F >= round + (F - round) cos + F' sin of the angle
 * from any m in between. */
static bool is_deep_from(const outline *f, const ray g[2], ray m, double round, double least)
{
    const jet j = jet_at(f, m);
    const double value = j.value - round;
    const ray p = { value * m.s + j.slope * m.c, value * m.c - j.slope * m.s };
    const double first = dot(p, g[0]), last = dot(p, g[1]);
    /* Angles grow from g[0] to g[1], which cross counts as negative: is -p between them? */
    const bool within = cross(g[0], p) >= 0 && cross(p, g[1]) >= 0;
    const double lowest = within ? -sqrt(dot(p, p)) : first < last ? first : last;
    return lowest + round >= least;
}

/* The bottom of F near m, as far as doubles find it between g[0] and g[1]. */
static ray find_bottom(const outline *f, const ray g[2], ray m)
{
    for (int i = 0; i < NEWTON; ++i) {
        const jet j = jet_at(f, m);
        const double step = -j.slope / (j.round - j.value);
        if (!(j.round > j.value))
            break;
        const ray to = { m.s + step * m.c, m.c - step * m.s };
        const double over = 1 / sqrt(dot(to, to));
        m = (ray){ over * to.s, over * to.c };
        if (cross(g[0], m) > 0)
            m = g[0];
        if (cross(m, g[1]) > 0)
            m = g[1];
    }
    return m;
}

/* Where c has one sign: F'' + F is least at an end then. A value below `least` ends it. */
static bool is_deep_between(const outline *f, ray from, ray to, double size, double least)
{
    ray stack[MOST_PIECES][2] = { { from, to } };
    int count = 1;
    for (int pieces = 0; count > 0; ++pieces) {
        const ray g[2] = { stack[count - 1][0], stack[count - 1][1] },
                  sum = { g[0].s + g[1].s, g[0].c + g[1].c };
        const double over = 1 / sqrt(dot(sum, sum));
        const ray middle = { over * sum.s, over * sum.c };
        double round = 0;
        --count;
        if (f->a > 0) {
            const double part = f->a * f->b;
            double most = 0;
            for (int i = 0; i < 2; ++i) {
                const double square = f->a * f->a * g[i].s * g[i].s + f->b * f->b * g[i].c * g[i].c;
                most = square > most ? square : most;
            }
            round = part * part / (most * sqrt(most)) * (1 - 0x1p-45);
        }
        const double c = fabs(g[0].c) > fabs(g[1].c) ? g[0].c : g[1].c;
        round += f->bend * (2 - 3 * c * c);
        round = round < 4 * size ? round : 4 * size; /* more only costs digits */
        const double wanted = least + 0x1p-47 * (size + fabs(round));
        const ray bottom = find_bottom(f, g, middle);
        if (is_deep_from(f, g, middle, round, wanted) || is_deep_from(f, g, bottom, round, wanted))
            continue;
        if (pieces + count + 2 > MOST_PIECES || jet_at(f, bottom).value < wanted ||
            jet_at(f, g[0]).value < wanted || jet_at(f, g[1]).value < wanted)
            return false;
        stack[count][0] = g[0];
        stack[count][1] = stack[count + 1][0] = middle;
        stack[count + 1][1] = g[1];
        count += 2;
    }
    return true;
}

/* Up to a latitude at which the outline changes, and on from it. */
static bool is_deep_along(const outline *f, ray from, ray to, double size, double least)
{
    static const ray equator = { 1, 0 };
    if (from.c > 0 && to.c < 0)
        return is_deep_between(f, from, equator, size, least) && is_deep_between(f, equator, to, size, least);
    return is_deep_between(f, from, to, size, least);
}

bool abut_depth_is_deep_about(const abut_depth_solid *k, const abut_depth_touch *t, const abut_vec3 *corner,
                              int count, double least)
{
    abut_vec3 axis = k->axis, x[2];
    const double square = abut_dot(t->w, t->w);
    const bool round = k->kind == ABUT_CORE_ELLIPSOID;
    if (abut_depth_is_ball(k) && square > 0)
        axis = abut_scale(1 / sqrt(square), t->w); /* of a ball, any */
    const double along = abut_dot(t->w, axis);
    const abut_vec3 off = abut_madd(t->w, -along, axis);
    if (!(abut_dot(off, off) <= near * near * k->size * k->size))
        return false;
    abut_tangent_basis(axis, x);
    ray g[2];
    double lost;
    find_latitudes(corner, count, axis, g);
    const ray beside = { abut_dot(off, x[0]), abut_dot(off, x[1]) };
    const double against = find_against(corner, count, x[0], x[1], beside),
                 bend = find_bend(t, corner, count, axis, &lost), size = k->size + sqrt(square) + t->r;
    if (round) {
        const outline f = { k->rho[0], k->z[0], bend, { -against, along } };
        return is_deep_along(&f, g[0], g[1], size, least + lost);
    }
    /* Beyond the kink the other circle counts; either is below the solid's support function
     * everywhere. */
    const double s = 2 * k->z[0], c = k->rho[1] - k->rho[0], over = 1 / sqrt(s * s + c * c);
    const ray kink = { over * s, over * c };
    for (int i = 0; i < 2; ++i) {
        const outline f = { 0, 0, bend, { k->rho[i] - against, k->z[i] + along } };
        if (i ? !(kink.c > g[1].c) : !(g[0].c > kink.c))
            continue;
        const ray from = i && g[0].c > kink.c ? kink : g[0], to = !i && kink.c > g[1].c ? kink : g[1];
        if (!is_deep_along(&f, from, to, size, least + lost))
            return false;
    }
    return true;
}
