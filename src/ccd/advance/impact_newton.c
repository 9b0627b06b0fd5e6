/* SPDX-License-Identifier: MIT */
/* When and along which normal two ellipsoids that move and turn will meet: Newton's method in time
 * and direction at once; see impact_newton.h.
 *
 * With the support functions |D R^T n| of both, x and y their points furthest along n from their
 * centres, and w = c - x - y (less the radii along n), contact is w = 0, three equations for t and
 * n. To first order
 *     w + g dt - (H_a + H_b) dn = 0,   g = c' - x' - y' at rest n,
 * H the second derivatives of the support functions, which vanish along n: so dt = - n . w / n .
 * g, and dn across n. |w| is added to H: while the bodies are apart that leads to the nearest
 * points, and it vanishes with the rest. Doubles only: the answer steers. */
#include "ccd/advance/impact_newton.h"

static const double u = 0x1p-53;

enum { MOST_STEPS = 16 };

/* One body seen along n. */
typedef struct side {
    abut_vec3 x, rate; /* furthest point from the centre, and how it moves while n rests, world */
    double h[3];       /* second derivatives across n: 11, 12, 22 */
} side;

static abut_vec3 times(const double h[3], abut_vec3 a)
{
    return abut_v3(h[0] * a.x, h[1] * a.y, h[2] * a.z);
}

/* x = A n / |D R^T n|, A = R D^2 R^T; its rate R' R^T x - H R' R^T n, H = (A - x x^T) / |D R^T
 * n|. */
static inline __attribute__((always_inline)) void see(const abut_core *core, const abut_stance *at,
                                                      abut_vec3 n, const abut_vec3 e[2], side *out)
{
    *out = (side){ .h = { 0, 0, 0 } };
    if (core->kind != ABUT_CORE_ELLIPSOID)
        return;
    const abut_vec3 own = abut_mul_t(&at->r, n), f = times(core->h, own);
    const double inverse = 1 / sqrt(abut_dot(f, f));
    const abut_vec3 unit = abut_scale(inverse, f), x = times(core->h, unit);
    out->x = abut_mul(&at->r, x);
    const abut_vec3 f0 = times(core->h, abut_mul_t(&at->r, e[0])),
                    f1 = times(core->h, abut_mul_t(&at->r, e[1]));
    const double x0 = abut_dot(f0, unit), x1 = abut_dot(f1, unit);
    out->h[0] = inverse * (abut_dot(f0, f0) - x0 * x0);
    out->h[1] = inverse * (abut_dot(f0, f1) - x0 * x1);
    out->h[2] = inverse * (abut_dot(f1, f1) - x1 * x1);
    const abut_vec3 turned = times(core->h, abut_mul_t(&at->r, abut_mul(&at->dr, own)));
    const abut_vec3 bent = times(core->h, abut_madd(turned, -abut_dot(turned, unit), unit));
    out->rate = abut_sub(abut_mul(&at->dr, x), abut_scale(inverse, abut_mul(&at->r, bent)));
}

static bool place(const abut_path *path, double t, abut_stance *out)
{
    return abut_path_place(path, t, out) && abut_path_rates(path, t, 0, out);
}

static double size_of(const abut_core *core)
{
    return core->size + core->radius;
}

/* A point d below the surface at x, along its normal n, scales with 1 - d / (n . x): the least
 * half-axis times d / (n . x) below it in every direction. */
static double shallow(const abut_core *core, abut_vec3 x, abut_vec3 n)
{
    return core->kind == ABUT_CORE_ELLIPSOID ? abut_dot(x, n) / fmin(core->h[0], fmin(core->h[1], core->h[2]))
                                             : 1;
}

bool abut_impact_guess(const abut_scene_pair *pair, double lo, double hi, abut_impact_guess_hit *out)
{
    const double radii = pair->a->radius + pair->b->radius, sizes = size_of(pair->a) + size_of(pair->b);
    abut_stance at_a, at_b;
    double t = lo;
    abut_vec3 n = { 0, 0, 0 };
    for (int step = 0; step < MOST_STEPS; ++step) {
        if (!place(&pair->path_a, t, &at_a) || !place(&pair->path_b, t, &at_b))
            return false;
        const abut_vec3 d = abut_sub(at_b.c, at_a.c);
        if (step == 0) {
            const double far = abut_dot(d, d);
            if (!(far > 0x1p-400) || !(far < 0x1p400))
                return false;
            n = abut_scale(1 / sqrt(far), d);
        }
        const abut_vec3 across = fabs(n.x) > 0.6 ? abut_v3(-n.y, n.x, 0) : abut_v3(0, -n.z, n.y);
        abut_vec3 e[2];
        e[0] = abut_scale(1 / sqrt(abut_dot(across, across)), across);
        e[1] = abut_cross(n, e[0]);
        side a, b;
        see(pair->a, &at_a, n, e, &a);
        see(pair->b, &at_b, n, e, &b);
        const abut_vec3 w = abut_sub(abut_sub(d, a.x), b.x);
        const abut_vec3 g = abut_sub(abut_sub(abut_sub(at_b.v, at_a.v), a.rate), b.rate);
        const double gap = abut_dot(n, w) - radii, closing = -abut_dot(n, g);
        if (!(closing > 0x1p-20 * (at_a.speed + at_b.speed) * sizes))
            return false;
        const double error = at_a.shift + at_b.shift + sizes * (at_a.turn + at_b.turn + 16 * u) +
                             16 * u * sqrt(abut_dot(d, d));
        const double w0 = abut_dot(w, e[0]), w1 = abut_dot(w, e[1]), aside = w0 * w0 + w1 * w1;
        if (fabs(gap) < 2 * error && aside < 0x1p-50 * sizes * sizes) {
            out->t = t;
            out->n = n;
            out->point = abut_madd(abut_add(at_a.c, a.x), pair->a->radius, n);
            out->proved = shallow(pair->a, a.x, n) + shallow(pair->b, b.x, n);
            out->closing = closing;
            out->error = error;
            return true;
        }
        double dt = gap / closing;
        if (dt > hi - t) {
            if (t >= hi)
                return false;
            dt = hi - t;
        } else if (dt < lo - t) {
            dt = lo - t;
        }
        const double far = sqrt(gap * gap + aside) + radii;
        const double h0 = a.h[0] + b.h[0] + far, h1 = a.h[1] + b.h[1], h2 = a.h[2] + b.h[2] + far;
        const double r0 = w0 + dt * abut_dot(g, e[0]), r1 = w1 + dt * abut_dot(g, e[1]);
        const double inverse = 1 / (h0 * h2 - h1 * h1);
        double d0 = inverse * (h2 * r0 - h1 * r1), d1 = inverse * (h0 * r1 - h1 * r0);
        const double square = d0 * d0 + d1 * d1;
        if (!(square <= 1)) {
            if (!(square < 0x1p100))
                return false;
            d0 /= sqrt(square);
            d1 /= sqrt(square);
        }
        const abut_vec3 next = abut_madd(abut_madd(n, d0, e[0]), d1, e[1]);
        n = abut_scale(1 / sqrt(abut_dot(next, next)), next);
        t += dt;
    }
    return false;
}
