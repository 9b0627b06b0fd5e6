/* SPDX-License-Identifier: MIT */
/* Cylinders and cones: the usual way to their nearest points, Newton's method of cylinders.h with as
 * little arithmetic as it takes. Whatever is unusual (a step that does not rise, a direction near
 * an axis) ends it, and curved_cylinders.c goes on from where it is. It steers only.
 *
 * The plane of a step has the basis e_0 = z_a x n / |..|, e_1 = n x e_0, z_a the axis of a. In
 * it n shows through five products only, with both axes, t, z_a x z_b and t x z_a; directions
 * need not be unit, since length and lengths across are roots that are taken side by side. What
 * is maximised is concave, so that a step is the best one as soon as its shares and the kinks it
 * ends on agree: it is tried on the kinks of the last step first. Steps along one kink follow
 * its circle, those onto both go to where the circles meet, so that s is never lost at first
 * order: then shares and direction are off by the square of a step, and the bounds by its fourth
 * power, which is when to stop. See docs/notes/curved-pairs.md. */
#include "narrow/distance/cylinders.h"
#include "narrow/pair/rotation.h"

#ifdef __SSE2__
#include <emmintrin.h>
#endif

enum { MOST_STEPS = 8 };

/* Of both bodies, or of two products. */
typedef double both __attribute__((vector_size(16)));

typedef struct both3 {
    both x, y, z;
} both3;

/* What does not depend on n. */
typedef struct scene {
    const abut_cylinders_body *body;
    both tall, mean, apex; /* tall: twice h */
    both3 axes, moments;   /* moments: z_b x z_a and t x z_a */
    abut_vec3 t;
    both heights; /* z_a . z_b and z_a . t */
} scene;

/* Along n, for |n| = 1. */
typedef struct instant {
    both along, flat, per_flat, diff;
    both across, up; /* z_b and t in the basis: along e_0, along e_1 */
    double per_length, along_t, s;
} instant;

ABUT_ALWAYS_INLINE both twice(double x)
{
    return (both){ x, x };
}

ABUT_ALWAYS_INLINE both dots(const both3 *a, abut_vec3 n)
{
    return a->x * twice(n.x) + a->y * twice(n.y) + a->z * twice(n.z);
}

ABUT_ALWAYS_INLINE both roots(both x)
{
#ifdef __SSE2__
    return _mm_sqrt_pd(x);
#else
    return (both){ sqrt(x[0]), sqrt(x[1]) };
#endif
}

ABUT_ALWAYS_INLINE both3 pair_of(abut_vec3 a, abut_vec3 b)
{
    return (both3){ { a.x, b.x }, { a.y, b.y }, { a.z, b.z } };
}

ABUT_ALWAYS_INLINE void begin(const abut_cylinders_body body[2], abut_vec3 t, scene *k)
{
    const abut_cylinders_body *a = &body[0], *b = &body[1];
    k->body = body;
    k->tall = (both){ 2 * a->h, 2 * b->h };
    k->mean = (both){ a->mean, b->mean };
    k->apex = (both){ a->apex, b->apex };
    k->axes = pair_of(a->axis, b->axis);
    k->moments = pair_of(abut_cross(b->axis, a->axis), abut_cross(t, a->axis));
    k->t = t;
    k->heights = (both){ abut_dot(a->axis, b->axis), abut_dot(a->axis, t) };
}

ABUT_ALWAYS_INLINE bool evaluate(const scene *k, abut_vec3 n, instant *v)
{
    const double square = abut_dot(n, n), length = sqrt(square), per = 1 / length;
    const both z = dots(&k->axes, n), rest = twice(square) - z * z;
    if (!(rest[0] > 0x1p-20 * square && rest[1] > 0x1p-20 * square))
        return false;
    const both flat = roots(rest), per_flat = twice(1) / flat;
    v->per_length = per;
    v->along_t = per * abut_dot(n, k->t);
    v->along = z * twice(per);
    v->flat = flat * twice(per);
    v->per_flat = per_flat * twice(length);
    v->diff = k->tall * v->along - k->apex * v->flat;
    const both mean = k->mean * v->flat;
    v->s = (v->along_t - (mean[0] + mean[1])) - 0.5 * (fabs(v->diff[0]) + fabs(v->diff[1]));
    v->across = dots(&k->moments, n) * twice(per_flat[0]);
    const both along = { v->along[1], v->along_t };
    v->up = (k->heights - twice(v->along[0]) * along) * twice(v->per_flat[0]);
    return true;
}

/* The model of cylinders.h in that basis: tangents of the rims are (1, 0) and t, slopes of diff are
 * `slope` times (0, 1) and (-t[1], t[0]). */
typedef struct plane {
    double g[2], t[2], slope[2], bend[2], kink[2], shift;
} plane;

ABUT_ALWAYS_INLINE void build(const scene *k, const instant *v, const double sigma[2], plane *m)
{
    const both half = { 0.5 * sigma[0], 0.5 * sigma[1] }, bend = (k->mean - half * k->apex) * v->per_flat,
               slope = k->tall * v->flat + k->apex * v->along, lean = k->mean * v->along;
    const double t0 = v->up[0] * v->per_flat[1], t1 = -v->across[0] * v->per_flat[1];
    m->t[0] = t0;
    m->t[1] = t1;
    m->g[0] = v->across[1] - lean[1] * t1;
    m->g[1] = v->up[1] + lean[0] + lean[1] * t0;
    for (int i = 0; i < 2; ++i) {
        m->slope[i] = slope[i];
        m->bend[i] = bend[i];
        m->kink[i] = v->diff[i];
    }
    /* The points are w apart, which is s and the slope with the last shares. */
    const double half_a = 0.5 * sigma[0] * slope[0], half_b = 0.5 * sigma[1] * slope[1];
    const double w0 = m->g[0] + half_b * t1, w1 = m->g[1] - half_a - half_b * t0;
    const double far = 0.01 * (v->s * v->s + w0 * w0 + w1 * w1);
    m->shift = v->s > 0 && v->s * v->s > far ? v->s : sqrt(far);
}

/* To the top of the pieces that n is on. Bits of the kinks that are crossed. */
ABUT_ALWAYS_INLINE unsigned step_to_top(const plane *m, abut_cylinders_step *s)
{
    const double t0 = m->t[0], t1 = m->t[1], ba = m->bend[0], bb = m->bend[1], round = bb * t1 * t1;
    const double one = 1 / (ba * round + m->shift * (ba + bb + m->shift));
    s->sigma[0] = copysign(1, m->kink[0]);
    s->sigma[1] = copysign(1, m->kink[1]);
    const double half = 0.5 * s->sigma[1] * m->slope[1], g0 = m->g[0] + half * t1,
                 g1 = m->g[1] - 0.5 * s->sigma[0] * m->slope[0] - half * t0;
    s->d[0] = one * ((round + m->shift) * g0 - bb * t0 * t1 * g1);
    s->d[1] = one * ((ba + bb * t0 * t0 + m->shift) * g1 - bb * t0 * t1 * g0);
    s->diff[0] = m->kink[0] + m->slope[0] * s->d[1];
    s->diff[1] = m->kink[1] + m->slope[1] * (t0 * s->d[1] - t1 * s->d[0]);
    return (unsigned)!(s->sigma[0] * s->diff[0] >= 0) | (unsigned)!(s->sigma[1] * s->diff[1] >= 0) << 1;
}

/* Along the kink of body i, with its rim's tangent for the first direction of a basis. Whether
 * that is the top: the share is one, and the other body's kink is not crossed. */
ABUT_ALWAYS_INLINE bool step_on_one(const plane *m, int i, abut_cylinders_step *s)
{
    const int j = 1 - i;
    const double t0 = m->t[0], t1 = i ? -m->t[1] : m->t[1], other = copysign(1, m->kink[j]),
                 half = 0.5 * other * m->slope[j], bend = m->bend[j];
    const double g0 = (i ? t0 * m->g[0] - t1 * m->g[1] : m->g[0]) + half * t1,
                 g1 = (i ? t1 * m->g[0] + t0 * m->g[1] : m->g[1]) - half * t0;
    const double per = 1 / m->slope[i], back = -m->kink[i] * per, cross = bend * t0 * t1;
    const double along = (g0 - cross * back) / (m->bend[i] + bend * t0 * t0 + m->shift);
    const double share = 2 * per * (g1 - cross * along - (bend * t1 * t1 + m->shift) * back);
    const double diff = m->kink[j] + m->slope[j] * (t0 * back - t1 * along);
    s->sigma[i] = share;
    s->sigma[j] = other;
    s->diff[i] = 0;
    s->diff[j] = diff;
    s->d[0] = i ? t0 * along + t1 * back : along;
    s->d[1] = i ? t0 * back - t1 * along : back;
    return fabs(share) < 1 && other * diff >= 0;
}

/* To where both kinks cross. */
ABUT_ALWAYS_INLINE bool step_on_both(const plane *m, abut_cylinders_step *s)
{
    const double t0 = m->t[0], t1 = m->t[1], ba = m->bend[0], bb = m->bend[1];
    const double per_a = 1 / m->slope[0], per_b = 1 / (m->slope[1] * t1), d1 = -m->kink[0] * per_a,
                 d0 = m->kink[1] * per_b + d1 * t0 / t1;
    const double r0 = m->g[0] - (ba + bb * t0 * t0 + m->shift) * d0 - bb * t0 * t1 * d1,
                 r1 = m->g[1] - bb * t0 * t1 * d0 - (bb * t1 * t1 + m->shift) * d1;
    s->sigma[1] = -2 * r0 * per_b;
    s->sigma[0] = per_a * (2 * r1 - s->sigma[1] * m->slope[1] * t0);
    s->diff[0] = s->diff[1] = 0;
    s->d[0] = d0;
    s->d[1] = d1;
    return fabs(s->sigma[0]) < 1 && fabs(s->sigma[1]) < 1;
}

static void set_model(const plane *m, abut_cylinders_model *out)
{
    const double t0 = m->t[0], t1 = m->t[1], ba = m->bend[0], bb = m->bend[1];
    *out = (abut_cylinders_model){ .g = { m->g[0], m->g[1] },
                                   .a = { { 0, m->slope[0] }, { -m->slope[1] * t1, m->slope[1] * t0 } },
                                   .bend = { ba + bb * t0 * t0, bb * t0 * t1, bb * t1 * t1 },
                                   .area = ba * bb * t1 * t1 };
    abut_cylinders_shift(out, m->shift);
}

/* Where none of the above is the top. */
__attribute__((noinline)) static bool step_anyhow(const plane *m, abut_cylinders_step *s)
{
    abut_cylinders_model model;
    set_model(m, &model);
    return abut_cylinders_solve(&model, model.m, model.det, m->kink, s);
}

static double gain_of(const plane *m, const abut_cylinders_step *s)
{
    abut_cylinders_model model;
    set_model(m, &model);
    return abut_cylinders_gain(&model, m->kink, s);
}

/* On the kink of body i, by the step's part along it. */
static abut_vec3 step_around(const scene *k, int i, abut_vec3 n, const instant *v, const double d[2])
{
    const abut_cylinders_body *b = &k->body[i];
    const double along = i ? (d[0] * v->up[0] - d[1] * v->across[0]) * v->per_flat[1] : d[0];
    const double q = 0.5 * along * v->per_flat[i], per = v->per_length * v->per_flat[i];
    const abut_vec3 tau = abut_scale(per, abut_cross(b->axis, n)),
                    u = abut_madd(abut_scale(per, n), -v->along[i] * v->per_flat[i], b->axis);
    return abut_madd(abut_madd(abut_scale(2 * b->h * (1 - q * q), u), 4 * b->h * q, tau),
                     b->apex * (1 + q * q), b->axis);
}

/* Where both kinks meet: n . z = apex / slant for both axes. False where they do not, or hardly
 * cross. */
static bool step_to_both(const scene *k, abut_vec3 *n)
{
    const abut_cylinders_body *a = &k->body[0], *b = &k->body[1];
    const double cosine = k->heights[0], det = 1 - cosine * cosine;
    const abut_vec3 across = abut_v3(k->moments.x[0], k->moments.y[0], k->moments.z[0]);
    const double sa = a->apex / sqrt(4 * a->h * a->h + a->apex * a->apex),
                 sb = b->apex / sqrt(4 * b->h * b->h + b->apex * b->apex);
    const double x = sa - cosine * sb, y = sb - cosine * sa;
    /* the square of det times what is left along the product */
    const double rest = det - (x * sa + y * sb);
    if (!(rest > 0x1p-20 && det > 0x1p-20))
        return false;
    const double side = copysign(sqrt(rest), abut_dot(*n, across));
    *n = abut_madd(abut_madd(abut_scale(x, a->axis), y, b->axis), side, across);
    return true;
}

/* The best step: the one whose shares and kinks agree, first on those kinks that it ended on
 * before. */
ABUT_ALWAYS_INLINE bool solve(const plane *m, const double sigma[2], abut_cylinders_step *s)
{
    unsigned on = (unsigned)(fabs(sigma[0]) < 1) | (unsigned)(fabs(sigma[1]) < 1) << 1;
    for (int i = 0; i < 2; ++i) {
        if (on == 0)
            on = step_to_top(m, s);
        if (on == 0 || (on == 3 ? step_on_both(m, s) : step_on_one(m, on == 2, s)))
            return true;
        on = 0;
    }
    return step_anyhow(m, s);
}

/* The slope of what is examined, at v, along the way from n to n + d, d at right angles to n:
 * `height` that of the way in the axes, `out` its part along u. */
static double slope_along(const scene *k, const instant *v, double rise, const double height[2],
                          const double out[2])
{
    for (int i = 0; i < 2; ++i) {
        const abut_cylinders_body *b = &k->body[i];
        const double diff = b->h * height[i] - 0.5 * b->apex * out[i];
        rise -= b->mean * out[i] + (v->diff[i] < 0 ? -diff : diff);
    }
    return rise;
}

/* A step from `last` to *at, seen as v, that did not rise. Over n + d, not normalised, what is
 * examined is concave: it is below its tangents at both ends, and where they meet is where to
 * look next. */
__attribute__((noinline)) static bool step_shorter(const scene *k, const instant *last, const instant *v,
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
ABUT_ALWAYS_INLINE abut_vec3 step(const scene *k, abut_vec3 at, const instant *v,
                                  const abut_cylinders_step *s)
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

bool abut_cylinders_walk(const abut_cylinders_body body[2], abut_vec3 t, double error, abut_vec3 *n,
                         double sigma[2], uint32_t *evaluations)
{
    const double size = body[0].r + body[1].r;
    scene k;
    instant v, last = { .s = -INFINITY };
    abut_vec3 at = *n;
    begin(body, t, &k);
    for (int i = 0; i < MOST_STEPS; ++i) {
        plane m;
        abut_cylinders_step s;
        if (!evaluate(&k, at, &v))
            return false;
        ++*evaluations;
        if (!(v.s > last.s)) {
            if (!step_shorter(&k, &last, &v, *n, &at))
                return false;
            continue;
        }
        *n = abut_scale(v.per_length, at);
        if (i == 0)
            for (int j = 0; j < 2; ++j) /* where a side is nearly on the plane it may well stay there */
                sigma[j] = fabs(v.diff[j]) > 0x1p-4 * k.tall[j] ? copysign(1, v.diff[j]) : 0;
        double moved = 1;
        for (int again = 0; again < 2 && moved > 0.05; ++again) {
            build(&k, &v, sigma, &m);
            if (!solve(&m, sigma, &s))
                return false;
            moved = (k.apex[0] > 0 ? fabs(s.sigma[0] - sigma[0]) : 0) +
                    (k.apex[1] > 0 ? fabs(s.sigma[1] - sigma[1]) : 0);
            sigma[0] = s.sigma[0];
            sigma[1] = s.sigma[1];
        }
        if (!(v.s > 0) && !(gain_of(&m, &s) > 0x1p-4 * -v.s + 0.25 * error))
            return false;
        const bool on_both = fabs(sigma[0]) < 1 && fabs(sigma[1]) < 1;
        const double square = s.d[0] * s.d[0] + s.d[1] * s.d[1];
        /* Both kinks and where they cross are met exactly, and with them the shares. */
        if (on_both && v.s > 0 && fabs(v.diff[0]) + fabs(v.diff[1]) <= error &&
            size * size * square <= v.s * error)
            return true;
        at = step(&k, at, &v, &s);
        const double round = v.per_flat[0] > v.per_flat[1] ? v.per_flat[0] : v.per_flat[1],
                     turn = round * round * square;
        if (round > 16 && turn > 1) /* as near to an axis as that the rim's bend is of no use */
            return false;
        const double off = size * (moved > 0 ? turn + moved * sqrt(square) : turn);
        if (v.s > 0 && !on_both && off * off <= v.s * error) {
            *n = at;
            return true;
        }
        last = v;
    }
    return false;
}
