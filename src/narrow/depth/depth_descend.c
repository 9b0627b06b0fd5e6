/* SPDX-License-Identifier: MIT */
/* The descent to a direction in which two cylinders or cones are locally least deep in each other:
 * Newton's method with the model of cylinders.h, in the plane across the direction p.
 *
 * In that plane e_a, unit along a x p, is (1, 0), and the part of a's axis is along (0, 1): slopes
 * and bends are a few products. The kinks of both support functions are part of the model. */
#include "narrow/depth/depth_disc.h"

enum { MOST_STEPS = 10, MOST_SHARES = 2 };

/* p, and both bodies seen along it; e: that of b. */
typedef struct place {
    double x, w, z, f, e[2];
    double along[2], flat[2], per[2], diff[2];
} place;

static bool evaluate(const abut_disc *d, double x, double w, double z, place *p)
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

/* cylinders.h, with n = -v: the slope without the kinks, those of both kinks, the bends. */
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
    return evaluate(d, l * v[0], l * v[1], l * v[2], next);
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

bool abut_disc_descend(const abut_disc *d, double error, abut_vec3 *u, double sigma[2], uint32_t *evaluations)
{
    place both[2], *p = &both[0], *next = &both[1];
    bool found = false;
    if (!evaluate(d, abut_dot(*u, d->e[0]), abut_dot(*u, d->e[1]), abut_dot(*u, d->e[2]), p))
        return false;
    abut_cylinders_step s = { .sigma = { p->diff[0] < 0 ? -1 : 1, p->diff[1] < 0 ? -1 : 1 } };
    for (int i = 0; i < MOST_STEPS; ++i) {
        if (!solve(d, p, error, &s))
            break;
        found = !(s.gain > 0x1p-4 * error);
        if (found)
            break;
        const double size = s.d[0] * s.d[0] + s.d[1] * s.d[1], part = size > 1 ? 1 / sqrt(size) : 1;
        ++*evaluations;
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
