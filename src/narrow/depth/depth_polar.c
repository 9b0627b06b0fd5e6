/* SPDX-License-Identifier: MIT */
/* A cap about a direction in which two cylinders or cones are locally least deep in each other, by
 * exact differences.
 *
 * Let p be that direction, p_a and p_b the unit vectors along its parts across both axes, and w = f
 * p the point of K that both bodies' points there make. Then
 *     f(v) - f |v| >= r_a (|P_a v| - p_a . v) + r_b (|P_b v| - p_b . v) - f (|v| - p . v),
 * P being what is across an axis, with equality where v sees the same pieces. With v along (1 -
 * q^2) p + 2 q, q across p, and e_a, e_b unit along a x p and b x p, 1 + q^2 times that is
 *     4 r_a (e_a . q)^2 / H_a + 4 r_b (e_b . q)^2 / H_b - 2 f q^2,     H = A + (A^2 + 4 (e .
 *       q)^2)^1/2,  A = |P p| (1 - q^2) + 2 p_a . q.
 * H is no more than without - q^2, where it is convex: over a triangle it is largest at a
 * corner. So in each of eight triangles about p a form of q must not be negative between two
 * directions. Nothing is lost at p, and no large terms cancel, so that caps are wide where f is
 * small against the radii. Proof, kinks and rounding: docs/notes/depth.md. */
#include "narrow/depth/depth_disc.h"

#define GRID_AVX2 0
#include "narrow/depth/depth_grid_lanes.h"

enum { MOST_STEPS = 10, MOST_SHARES = 2 };

/* A body seen along p. In the plane across p, e_a is (1, 0) and a's axis is along (0, 1). */
typedef struct seen {
    double along, flat;  /* the parts of p along the axis and across it */
    double e[2], way[2]; /* across the axis; along it */
    double diff,
        /* as in rims.h; how far the point goes along `way` from end to end of the line that p
         * sees, 0 where that is a point */
        line;
    double share, r; /* of that line; the radius that bends */
    double rise;     /* of f for 1 along `way` either way */
} seen;

typedef struct view {
    seen body[2];
    double f, off; /* w . p; what w has across p */
} view;

static void see(const abut_cylinders_body *b, double kink, seen *s)
{
    const bool on = fabs(s->along - kink) < 0x1p-36;
    s->diff = 2 * b->h * s->along - b->apex * s->flat;
    s->line = on ? 2 * b->h * s->flat + b->apex * s->along : 0;
    s->share = on ? 0 : s->diff < 0 ? -1 : 1;
    s->r = b->mean - 0.5 * s->share * b->apex;
    s->rise = 0;
}

/* The share that takes the point by so much along the line. |diff| is at least |l . v| - apex
 * (|P v| - p . v), l the line's vector: a cone's rise is paid for with its bend, and half of it
 * is left. */
static void set_share(const abut_cylinders_body *b, double by, seen *s)
{
    if (!(s->line > 0))
        return;
    s->share = abut_cylinders_clamp(2 * by / s->line);
    const double both = (b->apex > 0 ? 0.5 : 1) * (1 - fabs(s->share));
    s->r = b->mean - 0.5 * (s->share + both) * b->apex;
    s->rise = both * s->line;
}

static bool look_along(const abut_disc *d, abut_vec3 u, view *k)
{
    const double x = abut_dot(u, d->e[0]), w = abut_dot(u, d->e[1]), z = abut_dot(u, d->e[2]), c = d->c,
                 s = d->s, n = c * w - s * x;
    seen *a = &k->body[0], *b = &k->body[1];
    *a = (seen){ .along = x, .flat = sqrt(w * w + z * z), .e = { 1, 0 }, .way = { 0, 1 } };
    *b = (seen){ .along = c * x + s * w, .flat = sqrt(n * n + z * z) };
    if (!(a->flat > 0x1p-10 && b->flat > 0x1p-10))
        return false;
    const double per_a = 1 / a->flat, per = per_a / b->flat;
    b->e[0] = b->way[1] = (c * z * z + w * n) * per;
    b->e[1] = s * z * per;
    b->way[0] = -b->e[1];
    see(&d->body[0], d->kink[0], a);
    see(&d->body[1], d->kink[1], b);
    /* What w has across p, t and both points, with no share of lines yet; those that there are
     * take it away. */
    const double ma = a->share * d->body[0].h * a->flat - a->r * a->along,
                 mb = b->share * d->body[1].h * b->flat - b->r * b->along;
    double o0 = -(d->tau * w + d->t2 * z) * per_a + mb * b->way[0],
           o1 = d->t1 * a->flat - x * (d->t2 * w - d->tau * z) * per_a + ma + mb * b->way[1];
    if (a->line > 0 && b->line > 0) {
        const double by = o0 / b->e[1];
        set_share(&d->body[1], by, b);
        set_share(&d->body[0], -o1 - by * b->way[1], a);
    } else {
        set_share(&d->body[0], -o1, a);
        set_share(&d->body[1], -(o0 * b->way[0] + o1 * b->way[1]), b);
    }
    o0 += 0.5 * b->share * b->line * b->way[0];
    o1 += 0.5 * (a->share * a->line + b->share * b->line * b->way[1]);
    k->off = sqrt(o0 * o0 + o1 * o1) + 0x1p-48 * d->size;
    k->f = d->t1 * x + d->t2 * w - d->tau * z + d->body[0].mean * a->flat + d->body[1].mean * b->flat +
           0.5 * (a->share * a->diff + b->share * b->diff);
    return k->f > 0;
}

/* H of four corners, in these directions at that |q|. */
WIDE lanes height_of(const seen *s, lanes e, lanes way, double reach)
{
    const lanes a = s->flat - 2 * reach * s->along * way, b = 2 * reach * e;
    return a + v_sqrt(a * a + b * b);
}

/* Of each corner the next one. */
WIDE lanes next_of(lanes h, lanes after)
{
    return (lanes){ h[1], h[2], h[3], after[0] };
}

/* Half of the form, over a sector of each lane: of its first direction, of both, of its second. */
typedef struct sectors {
    lanes ii, ij, jj;
} sectors;

WIDE void add_body(const seen *s, double reach, lanes x, lanes y, lanes nx, lanes ny, sectors form[2])
{
    const lanes e = s->e[0] * x + s->e[1] * y, ne = s->e[0] * nx + s->e[1] * ny,
                way = s->way[0] * x + s->way[1] * y, nway = s->way[0] * nx + s->way[1] * ny;
    const lanes h = height_of(s, e, way, reach), back = height_of(s, e, -way, reach);
    const double rise = 0.5 * s->rise / reach;
    for (int j = 0; j < 2; ++j) {
        const lanes most = j ? v_max(back, next_of(back, h)) : v_max(h, next_of(h, back)),
                    bend = 2 * s->r / v_max(most, v_all(2 * s->flat)), less = 0x1p-40 * (bend + rise);
        form[j].ii += bend * (e * e) + rise * (way * way) - less;
        form[j].ij += bend * (e * ne) + rise * (way * nway);
        form[j].jj += bend * (ne * ne) + rise * (nway * nway) - less;
    }
}

/* Whether f >= k->f as far as |q| = size, but for what `spare` pays for. */
static bool is_fine(const view *k, double spare, double size)
{
    const double h = 0x1.6a09e667f3bcdp-1, f = k->f + spare,
                 reach = size * 0x1.151bp+0; /* more than 1 / cos(pi / 8) */
    const lanes x = { 1, h, 0, -h }, y = { 0, h, 1, h }, nx = { h, 0, -h, -1 }, ny = { h, 1, h, 0 };
    sectors form[2] = { { v_all(-f), v_all(-h * f), v_all(-f) }, { v_all(-f), v_all(-h * f), v_all(-f) } };
    for (int i = 0; i < 2; ++i)
        add_body(&k->body[i], reach, x, y, nx, ny, form);
    unsigned fine = 15;
    for (int j = 0; j < 2; ++j) {
        const lanes ii = form[j].ii, ij = form[j].ij, jj = form[j].jj;
        fine &= v_bits((ii > 0) & (jj > 0) & ((ij >= 0) | (ij * ij <= 0.9999 * (ii * jj))));
    }
    return fine == 15;
}

bool abut_disc_cap(const abut_disc *d, abut_vec3 u, double *cosine, double *radius)
{
    static const double sizes[] = { 0.5, 0.225, 0.1 };
    view k;
    if (!look_along(d, u, &k))
        return false;
    const double down = 0x1p-35 * k.f, spare = k.off * k.off / down;
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; ++i)
        if (is_fine(&k, spare, sizes[i])) {
            const double square = sizes[i] * sizes[i];
            *cosine = (1 - square) / (1 + square) + 0x1p-40;
            *radius = k.f - down;
            return true;
        }
    return false;
}

/* ---- going down ---- */

/* p, and both bodies seen along it, e and way as above. */
typedef struct place {
    double x, w, z, f, e[2];
    double along[2], flat[2], per[2], diff[2];
} place;

static bool look_here(const abut_disc *d, double x, double w, double z, place *p)
{
    const abut_cylinders_body *a = &d->body[0], *b = &d->body[1];
    const double c = d->c, s = d->s, y = c * x + s * w, n = c * w - s * x;
    const double fa = sqrt(w * w + z * z), fb = sqrt(n * n + z * z);
    if (!(fa > 0x1p-6 && fb > 0x1p-6))
        return false;
    const double per = 1 / (fa * fb), da = 2 * a->h * x - a->apex * fa, db = 2 * b->h * y - b->apex * fb;
    const double f =
        d->t1 * x + d->t2 * w - d->tau * z + a->mean * fa + b->mean * fb + 0.5 * (fabs(da) + fabs(db));
    *p = (place){ x,
                  w,
                  z,
                  f,
                  { (c * z * z + w * n) * per, s * z * per },
                  { x, y },
                  { fa, fb },
                  { per * fb, per * fa },
                  { da, db } };
    return true;
}

/* rims.h, with n = -v: the slope without the kinks, those of both kinks, the bends. */
static void build(const abut_disc *d, const place *p, const double sigma[2], abut_cylinders_model *m)
{
    const abut_cylinders_body *a = &d->body[0], *b = &d->body[1];
    const double ma = a->mean * p->x, mb = b->mean * p->along[1], e0 = p->e[0], e1 = p->e[1];
    m->g[0] = (d->tau * p->w + d->t2 * p->z) * p->per[0] - mb * e1;
    m->g[1] = p->x * (d->t2 * p->w - d->tau * p->z) * p->per[0] - d->t1 * p->flat[0] + ma + mb * e0;
    const double la = 2 * a->h * p->flat[0] + a->apex * p->x,
                 lb = 2 * b->h * p->flat[1] + b->apex * p->along[1];
    m->a[0][0] = 0;
    m->a[0][1] = la;
    m->a[1][0] = -lb * e1;
    m->a[1][1] = lb * e0;
    const double ra = (a->mean - 0.5 * sigma[0] * a->apex) * p->per[0],
                 rb = (b->mean - 0.5 * sigma[1] * b->apex) * p->per[1];
    m->bend[0] = ra + rb * e0 * e0;
    m->bend[1] = rb * e0 * e1;
    m->bend[2] = rb * e1 * e1;
    m->area = ra * rb * e1 * e1;
}

/* Each eigenvalue of m raised to `least`; returns the determinant. */
static double make_solid(const double m[3], double least, double out[3])
{
    const double mean = 0.5 * (m[0] + m[2]), half = 0.5 * (m[0] - m[2]),
                 spread = sqrt(half * half + m[1] * m[1]);
    const double low = mean - spread > least ? mean - spread : least,
                 high = mean + spread > low ? mean + spread : low;
    const double ratio = spread > 0 ? 0.5 * (high - low) / spread : 0;
    out[0] = 0.5 * (high + low) + ratio * half;
    out[1] = ratio * m[1];
    out[2] = 0.5 * (high + low) - ratio * half;
    return high * low;
}

/* Onto the kink of body i, about its axis: that of a cone is no great circle, and a step along
 * its tangent leaves it. */
static void put_on_kink(const abut_disc *d, int i, double v[3])
{
    const double c = i ? d->c : 1, s = i ? d->s : 0, y = d->kink[i], n = c * v[1] - s * v[0],
                 part = sqrt((1 - y * y) / (n * n + v[2] * v[2]));
    v[0] = c * y - s * part * n;
    v[1] = s * y + c * part * n;
    v[2] *= part;
}

/* From p by that part of the step. */
static bool move(const abut_disc *d, const place *p, const abut_cylinders_step *s, double part, place *next)
{
    const double q0 = part * s->d[0], q1 = part * s->d[1], per = p->per[0];
    double v[3] = { p->x + q1 * p->flat[0], p->w - (q0 * p->z + q1 * p->x * p->w) * per,
                    p->z + (q0 * p->w - q1 * p->x * p->z) * per };
    const bool on_a = fabs(s->sigma[0]) < 1, on_b = fabs(s->sigma[1]) < 1;
    double l = 1;
    if (part == 1 && on_a != on_b && d->body[on_b].apex > 0)
        put_on_kink(d, on_b, v);
    else
        l = 1 / sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
    return look_here(d, l * v[0], l * v[1], l * v[2], next);
}

/* The best step from p, s->sigma: the shares of the last one. A cone bends by its rim's share of
 * the line that the step ends on, so that a step which finds another share is found again with
 * that. */
static bool solve(const abut_disc *d, const place *p, double error, abut_cylinders_step *s)
{
    for (int i = 0;; ++i) {
        const double sigma[2] = { s->sigma[0], s->sigma[1] };
        double solid[3];
        abut_cylinders_model m;
        build(d, p, sigma, &m);
        abut_cylinders_shift(&m, -p->f);
        const double det = make_solid(m.m, 0.002 * p->f + error, solid);
        if (!abut_cylinders_solve(&m, solid, det, p->diff, s))
            return false;
        const double a = d->body[0].apex > 0 ? fabs(s->sigma[0] - sigma[0]) : 0,
                     b = d->body[1].apex > 0 ? fabs(s->sigma[1] - sigma[1]) : 0;
        if (i == MOST_SHARES || !(a > 0.1 || b > 0.1))
            return true;
    }
}

bool abut_disc_descend(const abut_disc *d, double error, abut_vec3 *u, double sigma[2], uint32_t *looks)
{
    place both[2], *p = &both[0], *next = &both[1];
    bool found = false;
    if (!look_here(d, abut_dot(*u, d->e[0]), abut_dot(*u, d->e[1]), abut_dot(*u, d->e[2]), p))
        return false;
    abut_cylinders_step s = { .sigma = { p->diff[0] < 0 ? -1 : 1, p->diff[1] < 0 ? -1 : 1 } };
    for (int i = 0; i < MOST_STEPS; ++i) {
        if (!solve(d, p, error, &s))
            break;
        found = !(s.gain > 0x1p-4 * error);
        if (found)
            break;
        const double size = s.d[0] * s.d[0] + s.d[1] * s.d[1], part = size > 1 ? 1 / sqrt(size) : 1;
        ++*looks;
        if (!move(d, p, &s, part, next) || !(next->f < p->f))
            break;
        place *swap = p;
        p = next;
        next = swap;
    }
    *u = abut_disc_direction(d, p->x, p->w, p->z);
    sigma[0] = s.sigma[0];
    sigma[1] = s.sigma[1];
    return found;
}
