/* SPDX-License-Identifier: MIT */
/* Closed and nearly closed parts of the curved solvers: the point of a body nearest to a given one,
 * and the best direction near the axis of a rim.
 *
 * Along n = axis + p the support function of a rim is r |p| and its height. It bends as fast as
 * p is short, so that Newton's method, which sees the bend only where it is, is of use
 * within a part of |p|. Here it stays as it is, and only the rest is replaced by a quadratic: q
 * . p - p . N p / 2 - r |p| has its top where (N + r / |p|) p = q, one equation for |p|. */
#include "narrow/distance/cylinders.h"
#include "narrow/distance/refine.h"

static double clamp_share(double x)
{
    return x < 0 ? 0 : x > 1 ? 1 : x;
}

bool abut_curved_nearest(const abut_core *core, abut_vec3 q, abut_vec3 *p)
{
    const double *h = core->h;
    const double flat = sqrt(q.x * q.x + q.y * q.y);
    switch (core->kind) {
    case ABUT_CORE_POINT: *p = abut_v3(0, 0, 0); return true;
    case ABUT_CORE_SEGMENT: *p = abut_v3(0, 0, q.z > h[2] ? h[2] : q.z < -h[2] ? -h[2] : q.z); return true;
    case ABUT_CORE_BOX:
        *p = abut_v3(q.x > h[0]    ? h[0]
                     : q.x < -h[0] ? -h[0]
                                   : q.x,
                     q.y > h[1]    ? h[1]
                     : q.y < -h[1] ? -h[1]
                                   : q.y,
                     q.z > h[2]    ? h[2]
                     : q.z < -h[2] ? -h[2]
                                   : q.z);
        return true;
    case ABUT_CORE_CYLINDER: {
        const double s = flat > h[0] ? h[0] / flat : 1;
        *p = abut_v3(s * q.x, s * q.y, q.z > h[2] ? h[2] : q.z < -h[2] ? -h[2] : q.z);
        return true;
    }
    case ABUT_CORE_CONE: {
        const double r = h[0], tall = 2 * h[2], up = q.z + h[2];
        double rho = flat, z = up;
        if (up <= 0) {
            rho = flat < r ? flat : r;
            z = 0;
        } else if ((flat - r) * tall + up * r > 0) {
            const double t = clamp_share((up * tall - (flat - r) * r) / (r * r + tall * tall));
            rho = r * (1 - t);
            z = tall * t;
        }
        const double s = flat > 0 ? rho / flat : 0;
        *p = abut_v3(s * q.x, s * q.y, z - h[2]);
        return true;
    }
    default: return false;
    }
}

/* (N + r / |p|) p = q, and the equation for |p| is nearly linear when turned over. */
abut_vec3 abut_cylinders_about_axis(abut_vec3 q, double soft, double bend, abut_vec3 along, double r)
{
    const double square = abut_dot(q, q), q1 = abut_dot(q, along), rest = square - q1 * q1,
                 q2 = rest > 0 ? sqrt(rest) : 0, hard = soft + bend;
    double size = 0;
    for (int i = 0; i < 6 && size < 1; ++i) {
        const double d1 = 1 / (hard * size + r), d2 = 1 / (soft * size + r), p1 = q1 * d1, p2 = q2 * d2;
        const double n = sqrt(p1 * p1 + p2 * p2),
                     down = (hard * d1 * p1 * p1 + soft * d2 * p2 * p2) / (n * n * n);
        if (!(n > 1))
            break;
        size += (1 - 1 / n) / down;
    }
    size = size < 1 ? size : 1;
    return abut_madd(abut_scale(size / (soft * size + r), abut_madd(q, -q1, along)),
                     size * q1 / (hard * size + r), along);
}

/* c - n x - r x / |p| = 0, by Newton's method from the nearer end, where the curve is steeper. */
double abut_cylinders_on_line(double c, double n, double r, double from)
{
    const double size = fabs(c);
    double x = 0, low = 0, high = size > r ? (size - r) / n + from : size / n;
    high = high < 1 ? high : 1;
    for (int i = 0; i < 24 && high - low > 0x1p-40 * high; ++i) {
        const double far = sqrt(from * from + x * x), g = size - n * x - (far > 0 ? r * x / far : r);
        *(g > 0 ? &low : &high) = x;
        const double next = x + g / (n + (far > 0 ? r * from * from / (far * far * far) : 0));
        x = next > low && next < high ? next : 0.5 * (low + high);
    }
    return copysign(x, c);
}

abut_vec3 abut_curved_about_axis(const abut_core *core, abut_vec3 d, abut_vec3 q, const double bend[3],
                                 double s)
{
    const double z = fabs(d.z), r = core->h[0];
    const abut_vec3 here = abut_v3(d.x / z, d.y / z, 0);
    const double far = sqrt(here.x * here.x + here.y * here.y), rim = far > 0 ? r / far : 0;
    const double w0 = q.x - rim * here.x, w1 = q.y - rim * here.y, least = 0x1p-7 * sqrt(w0 * w0 + w1 * w1);
    const double mean = 0.5 * z * (bend[0] + bend[2]), half = 0.5 * z * (bend[0] - bend[2]),
                 off = z * bend[1];
    const double spread = sqrt(half * half + off * off), shift = s > least ? s : least;
    const double low = mean > spread ? mean - spread : 0;
    /* The eigenvector of the larger one, from the better conditioned row. */
    abut_vec3 along = half > 0 ? abut_v3(half + spread, off, 0) : abut_v3(off, spread - half, 0);
    along = abut_unit_or(along, abut_v3(1, 0, 0));
    const abut_vec3 g = abut_v3(q.x + z * (bend[0] * here.x + bend[1] * here.y) + shift * here.x,
                                q.y + z * (bend[1] * here.x + bend[2] * here.y) + shift * here.y, 0);
    const abut_vec3 p = abut_cylinders_about_axis(g, low + shift, 2 * spread, along, r);
    return abut_unit_or(abut_v3(p.x, p.y, copysign(1, d.z)), d);
}
