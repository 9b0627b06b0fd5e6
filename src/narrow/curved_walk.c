/* SPDX-License-Identifier: MIT */
/* Cylinders and cones: the usual way to their nearest points, Newton's method of rims.h with as little arithmetic as it takes. Whatever is unusual (a step that does not rise, a direction near an axis)
 * ends it, and curved_rims.c goes on from where it stands. It steers only.
 *
 * The plane of a step has the basis e_0 = z_a x n / |..|, e_1 = n x e_0, z_a the axis of a. In it n shows through five products only, with both axes, t, z_a x z_b and t x z_a; directions need not be unit, since
 * length and lengths across are roots that are taken side by side. Steps along one kink follow its circle, those onto both go to where the circles meet, so that s is never lost at first order: then shares and direction are off by the square of a step, and the bounds by
 * its fourth power, which is when to stop. See docs/notes/curved-pairs.md. */
#include "narrow/rims.h"

enum { MOST_STEPS = 8 };

/* What does not depend on n. */
typedef struct scene {
    const abut_rims_body *body;
    abut_vec3 t, across, moment; /* z_a x z_b, t x z_a */
    double cosine, height;       /* z_a . z_b, t . z_a */
} scene;

/* Along n, for |n| = 1. */
typedef struct sight {
    double per_length, along[2], flat[2], per_flat[2], diff[2], along_t, s;
    double z[2]; /* z_b in the basis */
    double t[2];
} sight;

static inline __attribute__((always_inline)) bool look(const scene *k, abut_vec3 n, sight *out)
{
    const abut_rims_body *a = &k->body[0], *b = &k->body[1];
    const double square = abut_dot(n, n), za = abut_dot(n, a->axis), zb = abut_dot(n, b->axis);
    const double fa = square - za * za, fb = square - zb * zb;
    if (!(fa > 0x1p-20 * square && fb > 0x1p-20 * square))
        return false;
    const double length = sqrt(square), ra = sqrt(fa), rb = sqrt(fb), per = 1 / length;
    const double pa = 1 / ra, pb = 1 / rb;
    const double nt = per * abut_dot(n, k->t);
    out->per_length = per;
    out->along_t = nt;
    out->along[0] = per * za;
    out->along[1] = per * zb;
    out->flat[0] = per * ra;
    out->flat[1] = per * rb;
    out->per_flat[0] = length * pa;
    out->per_flat[1] = length * pb;
    out->diff[0] = per * (2 * a->h * za - a->apex * ra);
    out->diff[1] = per * (2 * b->h * zb - b->apex * rb);
    out->s = (nt - (a->mean * out->flat[0] + 0.5 * fabs(out->diff[0]))) -
             (b->mean * out->flat[1] + 0.5 * fabs(out->diff[1]));
    out->z[0] = -abut_dot(n, k->across) * pa;
    out->z[1] = (k->cosine - out->along[0] * out->along[1]) * out->per_flat[0];
    out->t[0] = abut_dot(n, k->moment) * pa;
    out->t[1] = (k->height - out->along[0] * nt) * out->per_flat[0];
    return true;
}

/* As abut_rims_build, in the basis above, where z_a is (0, flat_a) and its rim's tangent (1, 0). */
static inline __attribute__((always_inline)) void build(const scene *k, const sight *v, const double sigma[2],
                                                        abut_rims_model *m)
{
    const abut_rims_body *a = &k->body[0], *b = &k->body[1];
    const double ua = -v->along[0], ub = -v->along[1] * v->per_flat[1];
    const double bend_a = (a->mean - 0.5 * sigma[0] * a->apex) * v->per_flat[0],
                 bend_b = (b->mean - 0.5 * sigma[1] * b->apex) * v->per_flat[1];
    const double t0 = v->z[1] * v->per_flat[1], t1 = -v->z[0] * v->per_flat[1];
    const double kink = 2 * b->h - b->apex * ub;
    m->g[0] = v->t[0] - b->mean * ub * v->z[0];
    m->g[1] = v->t[1] - a->mean * ua - b->mean * ub * v->z[1];
    m->a[0][0] = 0;
    m->a[0][1] = 2 * a->h * v->flat[0] - a->apex * ua;
    m->a[1][0] = kink * v->z[0];
    m->a[1][1] = kink * v->z[1];
    m->bend[0] = bend_a + bend_b * t0 * t0;
    m->bend[1] = bend_b * t0 * t1;
    m->bend[2] = bend_b * t1 * t1;
    m->area = bend_a * bend_b * t1 * t1;
}

/* On the kink of body i, by the step's part along it. */
static abut_vec3 step_around(const scene *k, int i, abut_vec3 n, const sight *v, const double d[2])
{
    const abut_rims_body *b = &k->body[i];
    const double along = i ? (d[0] * v->z[1] - d[1] * v->z[0]) * v->per_flat[1] : d[0];
    const double q = 0.5 * along * v->per_flat[i], per = v->per_length * v->per_flat[i];
    const abut_vec3 tau = abut_scale(per, abut_cross(b->axis, n)),
                    u = abut_madd(abut_scale(per, n), -v->along[i] * v->per_flat[i], b->axis);
    return abut_madd(abut_madd(abut_scale(2 * b->h * (1 - q * q), u), 4 * b->h * q, tau),
                     b->apex * (1 + q * q), b->axis);
}

/* Where both kinks meet: n . z = apex / slant for both axes. False where they do not, or hardly cross. */
static bool step_to_both(const scene *k, abut_vec3 *n)
{
    const abut_rims_body *a = &k->body[0], *b = &k->body[1];
    const double det = 1 - k->cosine * k->cosine;
    const double sa = a->apex / sqrt(4 * a->h * a->h + a->apex * a->apex),
                 sb = b->apex / sqrt(4 * b->h * b->h + b->apex * b->apex);
    const double x = sa - k->cosine * sb, y = sb - k->cosine * sa;
    const double rest = det - (x * sa + y * sb); /* the square of det times what is left along the product */
    if (!(rest > 0x1p-20 && det > 0x1p-20))
        return false;
    const double side = copysign(sqrt(rest), abut_dot(*n, k->across));
    *n = abut_madd(abut_madd(abut_scale(x, a->axis), y, b->axis), side, k->across);
    return true;
}

/* The step from v, and its shares in place of those that were thought. How far those of cones moved, on which M depends; -1 where there is no step. */
static inline __attribute__((always_inline)) double solve(const scene *k, const sight *v, double sigma[2],
                                                          abut_rims_model *m, abut_rims_step *s)
{
    const abut_rims_body *a = &k->body[0], *b = &k->body[1];
    build(k, v, sigma, m);
    const double w0 = m->g[0] - 0.5 * (sigma[0] * m->a[0][0] + sigma[1] * m->a[1][0]),
                 w1 = m->g[1] - 0.5 * (sigma[0] * m->a[0][1] + sigma[1] * m->a[1][1]);
    const double far = 0.01 * (v->s * v->s + w0 * w0 + w1 * w1),
                 shift = v->s > 0 && v->s * v->s > far ? v->s : sqrt(far);
    abut_rims_shift(m, shift);
    if (!abut_rims_solve(m, m->m, m->det, v->diff, s))
        return -1;
    const double moved =
        (a->apex > 0 ? fabs(s->sigma[0] - sigma[0]) : 0) + (b->apex > 0 ? fabs(s->sigma[1] - sigma[1]) : 0);
    sigma[0] = s->sigma[0];
    sigma[1] = s->sigma[1];
    return moved;
}

/* The slope of what is looked at, at v, along the way from n to n + d, d at right angles to n: `height` that of the way in the axes, `out` its part along u. */
static double slope_along(const scene *k, const sight *v, double rise, const double height[2],
                          const double out[2])
{
    for (int i = 0; i < 2; ++i) {
        const abut_rims_body *b = &k->body[i];
        const double diff = b->h * height[i] - 0.5 * b->apex * out[i];
        rise -= b->mean * out[i] + (v->diff[i] < 0 ? -diff : diff);
    }
    return rise;
}

/* A step from `last` to *at, seen as v, that did not rise. Over n + d, not normalised, what is looked at is concave: it is below its tangents at both ends, and where they meet is where to look next. */
__attribute__((noinline)) static bool step_shorter(const scene *k, const sight *last, const sight *v,
                                                   abut_vec3 n, abut_vec3 *at)
{
    const double cosine = v->per_length * abut_dot(n, *at), length = 1 / cosine;
    double height[2], here[2], there[2];
    if (!(cosine > 0x1p-4))
        return false;
    for (int i = 0; i < 2; ++i) {
        height[i] = length * v->along[i] - last->along[i];
        here[i] = -last->along[i] * height[i] * last->per_flat[i];
        there[i] = length * v->flat[i] - (cosine - v->along[i] * last->along[i]) * v->per_flat[i];
    }
    const double rise = length * v->along_t - last->along_t, from = slope_along(k, last, rise, height, here),
                 to = slope_along(k, v, rise, height, there);
    const double meet = (length * v->s - to - last->s) / (from - to), part = !(meet > 0.02) ? 0.25
                                                                             : meet < 0.7   ? meet
                                                                                            : 0.7;
    *at = abut_madd(abut_scale(1 - part, n), part * length * v->per_length, *at);
    return true;
}

/* The step as it is, on one kink, or on both. */
static inline __attribute__((always_inline)) abut_vec3 step(const scene *k, abut_vec3 at, const sight *v,
                                                            const abut_rims_step *s)
{
    const bool on_a = fabs(s->sigma[0]) < 1, on_b = fabs(s->sigma[1]) < 1;
    abut_vec3 to = at;
    if (on_a && on_b && step_to_both(k, &to))
        return to;
    if (on_a != on_b && k->body[on_b].apex > 0)
        return step_around(k, on_b, at, v, s->d);
    const double c0 = s->d[0] * v->per_length * v->per_flat[0], c1 = s->d[1] * v->per_flat[0];
    const abut_vec3 za = k->body[0].axis, e0 = abut_cross(za, at);
    return abut_madd(abut_madd(abut_scale(v->per_length * (1 - c1 * v->along[0]), at), c0, e0), c1, za);
}

bool abut_rims_walk(const abut_rims_body body[2], abut_vec3 t, double error, abut_vec3 *n, double sigma[2],
                    uint32_t *looks)
{
    const abut_vec3 za = body[0].axis;
    const scene k = {
        body, t, abut_cross(za, body[1].axis), abut_cross(t, za), abut_dot(za, body[1].axis), abut_dot(t, za)
    };
    const double size = body[0].r + body[1].r;
    abut_rims_step s;
    sight view[2] = { { .s = -INFINITY }, { .s = -INFINITY } };
    sight *last = &view[0], *v = &view[1];
    abut_vec3 at = *n;
    for (int i = 0; i < MOST_STEPS; ++i) {
        abut_rims_model m;
        if (!look(&k, at, v))
            return false;
        ++*looks;
        if (!(v->s > last->s)) {
            if (!step_shorter(&k, last, v, *n, &at))
                return false;
            continue;
        }
        *n = abut_scale(v->per_length, at);
        if (i == 0) {
            sigma[0] = v->diff[0] < 0 ? -1 : 1;
            sigma[1] = v->diff[1] < 0 ? -1 : 1;
        }
        double moved = solve(&k, v, sigma, &m, &s);
        if (moved > 0.05)
            moved = solve(&k, v, sigma, &m, &s);
        if (!(moved >= 0))
            return false;
        if (v->s <= 0 && !(s.gain > 0x1p-4 * -v->s + 0.25 * error))
            return false;
        const bool on_a = fabs(sigma[0]) < 1, on_b = fabs(sigma[1]) < 1;
        /* The slope that is left is M d: its square over 2 s is what the points are further apart than s. */
        const double d0 = s.d[0], d1 = s.d[1], square = d0 * d0 + d1 * d1;
        const double r0 = m.m[0] * d0 + m.m[1] * d1, r1 = m.m[1] * d0 + m.m[2] * d1;
        if (v->s > 0 && r0 * r0 + r1 * r1 <= v->s * error &&
            (on_a ? fabs(v->diff[0]) : 0) + (on_b ? fabs(v->diff[1]) : 0) <= error)
            return true;
        at = step(&k, at, v, &s);
        const double round = v->per_flat[0] > v->per_flat[1] ? v->per_flat[0] : v->per_flat[1],
                     turn = round * round * square, off = size * (turn + moved * sqrt(square));
        if (round > 16 && turn > 1) /* as near to an axis as that the rim's bend is of no use */
            return false;
        if (v->s > 0 && !(on_a && on_b) && off * off <= v->s * error) {
            *n = at;
            return true;
        }
        sight *swap = v;
        v = last;
        last = swap;
    }
    return false;
}
