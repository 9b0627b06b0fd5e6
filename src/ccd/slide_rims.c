/* SPDX-License-Identifier: MIT */
/* Cylinders and cones that translate: Newton's method on the plane through which they meet; see slide.h.
 *
 * As in slide_ellipsoid.c the time of contact is the largest of f(n) / |v| over the planes n = p - v / |v|, p across v, but f has kinks, where a side or a slant lies on the plane: the steps are those
 * of narrow/rims.h. Caps and bases, where f has a peak, are tried first: they are met when the other body's nearest point comes down inside the disc.
 *
 * The two bodies are the two lanes of a vector: what is done with one is done with both at once.
 *
 * The overlap after it is proved by a point that is equally deep below all the faces that meet at the points of contact (abut_rims_find_common). */
#include "ccd/slide.h"

#include "math/nearest.h"
#include "narrow/rims.h"

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

static const double u = 0x1p-53;

enum { MOST_STEPS = 24, MOST_CUTS = 6, MOST_PROOFS = 5 };

/* A number of each body. */
typedef double both __attribute__((vector_size(16)));
typedef long long both_bits __attribute__((vector_size(16)));

static inline double sum(both a)
{
    return a[0] + a[1];
}

static inline both roots(both a)
{
#if defined(__SSE2__)
    return (both)_mm_sqrt_pd((__m128d)a);
#else
    return (both){ sqrt(a[0]), sqrt(a[1]) };
#endif
}

static inline both sizes_of(both a)
{
    const both_bits all = { INT64_MAX, INT64_MAX };
    return (both)((both_bits)a & all);
}

/* In a frame with z against the velocity; see narrow/rims.h. */
typedef struct climber {
    const abut_slide *c;
    abut_rims_body body[2];
    both ax, ay, az, apex, mean, h2; /* h2: 2 h */
    both xx, xy, xz, yy, yz,
        zz; /* what leaves of a vector the part across the axis: the identity minus the axis twice */
    abut_vec3 t;
    abut_vec3 e[3]; /* the frame's axes in a's */
    uint32_t looks;
} climber;

/* A plane: its normal, mostly with n.z = 1, and how both bodies lie on it. */
typedef struct plane {
    abut_vec3 n;
    double f;
    both px, py, pz; /* of n across the axes */
    both flat, per_flat, per_square, diff;
    double sigma[2]; /* where on the line between their ends; of a cap nothing */
    int cap;         /* the body that has a cap on the plane, -1: neither */
} plane;

static inline __attribute__((always_inline)) void look(climber *k, abut_vec3 n, plane *out)
{
    const both zero = { 0, 0 };
    const both px = n.x * k->xx + n.y * k->xy + n.z * k->xz, py = n.x * k->xy + n.y * k->yy + n.z * k->yz,
               pz = n.x * k->xz + n.y * k->yz + n.z * k->zz;
    const both along = n.x * k->ax + n.y * k->ay + n.z * k->az, square = px * px + py * py + pz * pz;
    /* The quotient does not wait for the root. */
    const both flat = roots(square), per_square = (both)((both_bits)(1 / square) & (square > zero));
    const both diff = k->h2 * along - k->apex * flat;
    ++k->looks;
    out->n = n;
    out->px = px;
    out->py = py;
    out->pz = pz;
    out->flat = flat;
    out->per_square = per_square;
    out->per_flat = flat * per_square;
    out->diff = diff;
    out->f = abut_dot(n, k->t) - sum(k->mean * flat + 0.5 * sizes_of(diff));
}

static inline abut_rims_view view_of(const plane *p, int i)
{
    return (abut_rims_view){ .flat = p->flat[i],
                             .per_flat = p->per_flat[i],
                             .diff = p->diff[i],
                             .u = abut_scale(p->per_flat[i], abut_v3(p->px[i], p->py[i], p->pz[i])) };
}

/* The point of body i, of b minus it from its centre. */
static inline abut_vec3 point_of(const climber *k, const plane *p, int i)
{
    const abut_rims_view view = view_of(p, i);
    return abut_rims_point(&k->body[i], &view, p->sigma[i]);
}

/* From the frame to a's. */
static inline abut_vec3 out_of(const climber *k, abut_vec3 p)
{
    return abut_madd(abut_madd(abut_scale(p.x, k->e[0]), p.y, k->e[1]), p.z, k->e[2]);
}

/* A cap's plane that is not the one they meet through: f, and the way it has to turn to be. */
typedef struct tip {
    double f;
    abut_vec3 n, way; /* both of unit length */
} tip;

/* The cap of body i that comes first: whether the other body meets it inside its rim. */
static inline bool try_cap(climber *k, int i, plane *out, tip *top)
{
    const abut_rims_body *b = &k->body[i];
    const double down = b->axis.z;
    top->f = -INFINITY;
    if (!(b->apex > 0 ? down < -0x1p-20 : fabs(down) > 0x1p-20))
        return false;
    const double scale = 1 / down;
    const int other = 1 - i;
    look(k, abut_v3(scale * b->axis.x, scale * b->axis.y, 1), out);
    if (!(out->flat[other] > 0x1p-20))
        return false;
    out->sigma[other] = copysign(1, out->diff[other]);
    out->sigma[i] = copysign(1, down);
    out->cap = i;
    const abut_vec3 there = abut_v3(k->t.x, k->t.y, k->t.z - out->f);
    const abut_vec3 p = abut_sub(there, point_of(k, out, other));
    const abut_vec3 across = abut_madd(p, -abut_dot(p, b->axis), b->axis);
    const double square = abut_dot(across, across);
    if (square <= b->r * b->r)
        return true;
    *top = (tip){ out->f, abut_scale(out->sigma[i], b->axis), abut_scale(1 / sqrt(square), across) };
    return false;
}

/* From a tip that is higher than *p, down to where f is smooth but still higher. */
static ABUT_MATH_NOINLINE void leave_tip(climber *k, const tip *top, plane *p)
{
    double angle = 0.5;
    for (int i = 0; i < 4; ++i, angle *= 0.125) {
        const abut_vec3 n = abut_madd(top->n, angle, top->way);
        plane next;
        if (!(n.z > 0x1p-4))
            continue;
        look(k, abut_v3(n.x / n.z, n.y / n.z, 1), &next);
        if (!(next.f > p->f))
            continue;
        *p = next;
        if (p->f > top->f)
            return;
    }
}

/* The model about p, as abut_rims_build has it; its kinks also as lanes. */
typedef struct model {
    abut_rims_model m;
    both ax, ay;
} model;

static inline __attribute__((always_inline)) void build(const climber *k, const plane *p,
                                                        const double sigma[2], model *out)
{
    /* The tangents of rims: along n's part across the axis and along the axis nothing, hence the identity minus both twice. */
    const both share = { sigma[0], sigma[1] }, bend = (k->mean - 0.5 * share * k->apex) * p->per_flat;
    const both qx = p->px * p->per_square, qy = p->py * p->per_square;
    const both ux = p->px * p->per_flat, uy = p->py * p->per_flat;
    out->ax = k->h2 * k->ax - k->apex * ux;
    out->ay = k->h2 * k->ay - k->apex * uy;
    for (int i = 0; i < 2; ++i) {
        out->m.a[i][0] = out->ax[i];
        out->m.a[i][1] = out->ay[i];
    }
    out->m.g[0] = k->t.x - sum(k->mean * ux);
    out->m.g[1] = k->t.y - sum(k->mean * uy);
    out->m.m[0] = sum(bend * (k->xx - qx * p->px));
    out->m.m[1] = sum(bend * (k->xy - qx * p->py));
    out->m.m[2] = sum(bend * (k->yy - qy * p->py));
}

/* Without branches, which would be guessed wrong half the time. */
static inline double clamp(double x)
{
    const double y = x < -1 ? -1 : x;
    return y > 1 ? 1 : y;
}

/* Where one of the two signs is wrong the other mostly stays: then the quadratic program has one unknown. */
static inline void leave_corner(both diag, double off, both p, both_bits wrong, double sigma[2])
{
    if (!(wrong[0] & wrong[1])) {
        const double d[2] = { diag[0], diag[1] }, e[2] = { p[0], p[1] };
        const int i = (int)(wrong[0] + 1), j = 1 - i;
        const double x = clamp((e[i] - off * sigma[j]) / d[i]);
        if (sigma[j] * (off * x + d[j] * sigma[j] - e[j]) <= 0) {
            sigma[i] = x;
            return;
        }
    }
    abut_rims_square(diag[0], off, diag[1], p[0], p[1], sigma);
}

/* What the step s->d makes of the kinks, and what it promises. */
static inline double set_gain(const model *k, both kink, abut_rims_step *s)
{
    const double *m = k->m.m, *g = k->m.g, d0 = s->d[0], d1 = s->d[1];
    const both diff = kink + k->ax * d0 + k->ay * d1;
    s->diff[0] = diff[0];
    s->diff[1] = diff[1];
    s->gain = (g[0] * d0 + g[1] * d1) - 0.5 * (d0 * (m[0] * d0 + 2 * m[1] * d1) + m[2] * d1 * d1) +
              0.5 * sum(sizes_of(kink) - sizes_of(diff));
    return s->gain;
}

/* The best step, as abut_rims_solve finds it, with M + floor in place of M. */
static inline __attribute__((always_inline)) bool solve(const model *k, double floor, both kink,
                                                        abut_rims_step *s)
{
    const both_bits minus = { INT64_MIN, INT64_MIN };
    const both one = { 1, 1 }, zero = { 0, 0 }, ax = k->ax, ay = k->ay;
    const double *m = k->m.m, *g = k->m.g, m0 = m[0] + floor, m1 = m[1], m2 = m[2] + floor;
    const double det = m0 * m2 - m1 * m1;
    if (!(det > 0))
        return false;
    /* All times det, but for its quotient at the end. */
    const double ga = m2 * g[0] - m1 * g[1], gb = m0 * g[1] - m1 * g[0], inverse = 1 / det;
    const both bx = m2 * ax - m1 * ay, by = m0 * ay - m1 * ax, diag = 0.5 * (ax * bx + ay * by);
    const double off = 0.5 * (ax[0] * bx[1] + ay[0] * by[1]);
    const both p = det * kink + ax * ga + ay * gb;
    both sigma = (both)(((both_bits)kink & minus) | (both_bits)one);
    const both other = { sigma[1], sigma[0] };
    const both_bits wrong = sigma * (diag * sigma + off * other - p) > zero;
    s->sigma[0] = sigma[0];
    s->sigma[1] = sigma[1];
    bool placed = false;
    if (wrong[0] | wrong[1]) {
        const double edges[2] = { kink[0], kink[1] };
        leave_corner(diag, off, p, wrong, s->sigma);
        sigma = (both){ s->sigma[0], s->sigma[1] };
        const bool on_a = fabs(s->sigma[0]) < 1, on_b = fabs(s->sigma[1]) < 1;
        placed = (on_a || on_b) && (on_a && on_b ? abut_rims_on_kinks(&k->m, edges, s)
                                                 : abut_rims_on_kink(&k->m, edges, on_b, s));
    }
    if (!placed || !(set_gain(k, kink, s) > 0)) { /* a kink may lead too far where little bends along it */
        s->d[0] = inverse * (ga - 0.5 * sum(sigma * bx));
        s->d[1] = inverse * (gb - 0.5 * sum(sigma * by));
        s->sigma[0] = sigma[0];
        s->sigma[1] = sigma[1];
        set_gain(k, kink, s);
    }
    return true;
}

static inline abut_vec3 moved(const plane *p, double part, const double d[2])
{
    return abut_v3(p->n.x + part * d[0], p->n.y + part * d[1], 1);
}

/* The step did not rise: kinks of cones are bent, and are taken where the step met them; then shorter steps. */
static ABUT_MATH_NOINLINE bool step_shorter(climber *k, const model *m, double floor,
                                            const abut_rims_step *step, double part, const plane *p,
                                            plane *next)
{
    abut_rims_step s = *step;
    const both kink = p->diff + (next->diff - (both){ s.diff[0], s.diff[1] });
    if (part == 1 && k->body[0].apex + k->body[1].apex > 0 && solve(m, floor, kink, &s)) {
        look(k, moved(p, 1, s.d), next);
        if (next->f > p->f)
            return true;
    }
    for (int i = 0; i < MOST_CUTS; ++i) {
        part *= 0.25;
        look(k, moved(p, part, step->d), next);
        if (next->f > p->f)
            return true;
    }
    return false;
}

/* ---- misses ---- */

/* Proved: apart over the whole stretch, by this plane. */
static bool misses(const climber *k, const plane *p)
{
    const double most = k->c->most * (1 + 4 * u);
    const abut_vec3 n = out_of(k, abut_scale(1 / sqrt(abut_dot(p->n, p->n)), p->n));
    abut_slide_line line;
    abut_slide_plane(k->c, &n, 0, 0, &line);
    return abut_slide_clear(&line, most) >= most;
}

/* Climbs from at[0]; returns where it ends, in one of the two planes, NULL where it gets stuck. Stops once f is above `most`. */
static inline plane *climb(climber *k, double most, plane at[2])
{
    const double error = k->c->error;
    const double settled = 0x1p-16 * error * (k->body[0].r + k->body[0].h + k->body[1].r + k->body[1].h);
    plane *p = &at[0], *next = &at[1];
    abut_rims_step s = { .sigma = { copysign(1, p->diff[0]), copysign(1, p->diff[1]) } };
    double blunt = 0x1p-6;
    for (int i = 0; i < MOST_STEPS && !(p->f > most); ++i) {
        model m;
        build(k, p, s.sigma, &m);
        const double floor = blunt * (m.m.m[0] + m.m.m[2]) + 0x1p-20 * (k->body[0].r + k->body[1].r);
        if (!solve(&m, floor, p->diff, &s))
            return NULL;
        p->sigma[0] = s.sigma[0];
        p->sigma[1] = s.sigma[1];
        const double square = abut_dot(p->n, p->n), size = s.d[0] * s.d[0] + s.d[1] * s.d[1];
        if (!(s.gain * s.gain > 0x1p-4 * error * error * square) || !(s.gain > 0))
            return p;
        if (size > 4 * square) { /* far out; to the end of it, which parts them all the way? */
            look(k, abut_v3(s.d[0], s.d[1], 0), next);
            if (next->f > 0 && misses(k, next))
                return next;
        }
        const double part = size > 4 * square ? 2 * sqrt(square / size) : 1;
        look(k, moved(p, part, s.d), next);
        if (next->f > p->f) {
            if (s.gain * s.gain < settled) { /* what is left is of the order of its square */
                next->sigma[0] = s.sigma[0];
                next->sigma[1] = s.sigma[1];
                return next;
            }
            blunt *= 0x1p-6;
        } else if (!step_shorter(k, &m, floor, &s, part, p, next))
            return s.gain * s.gain < 256 * error * error * square ? p : NULL;
        plane *swap = p;
        p = next;
        next = swap;
    }
    return p->f > most ? p : NULL;
}

/* ---- proofs ---- */

/* For sure: one of the bodies has no more than a point of its rim, or its apex, on the plane; twice the level of slide.c. */
static bool has_point(const climber *k, const plane *p)
{
    const double length = fabs(p->n.x) + fabs(p->n.y) + 1;
    for (int i = 0; i < 2; ++i) {
        const abut_rims_body *b = &k->body[i];
        const double level = 0x1p-28 * (b->r + 2 * b->h) * length;
        if (i != p->cap && fabs(p->diff[i]) > level && b->r * p->flat[i] > level)
            return true;
    }
    return false;
}

static abut_slide_end finish(const climber *k, const plane *p, abut_slide_hit *out)
{
    const abut_slide *c = k->c;
    const double most = c->most * (1 + 4 * u);
    abut_slide_line line;
    const abut_vec3 n = abut_scale(1 / sqrt(abut_dot(p->n, p->n)), p->n);
    out->n = out_of(k, n);
    abut_slide_plane(c, &out->n, 0, 0, &line);
    const double clear = abut_slide_clear(&line, most);
    if (clear >= most)
        return ABUT_SLIDE_MISS;
    if (!(clear > 0) || !(line.slope < 0) || !abut_slide_time_before(c->lo, clear, &out->time.lo))
        return ABUT_SLIDE_UNSURE;
    abut_rims_common where;
    const abut_rims_view view[2] = { view_of(p, 0), view_of(p, 1) };
    abut_rims_find_common(k->body, view, p->sigma, p->cap, n, &where);
    abut_vec3 x = point_of(k, p, 0), y = abut_sub(k->t, point_of(k, p, 1));
    if (p->cap == 0)
        x = abut_v3(y.x, y.y, y.z - clear * c->speed);
    else if (p->cap == 1)
        y = abut_v3(x.x, x.y, x.z + clear * c->speed);
    /* Of the gap at `clear` no more is left than twice its error. */
    const double margin = c->error + 16 * u * (c->pair.a->size + c->pair.b->size);
    double deep = 2 * c->error + 1.125 * where.needed * margin;
    for (int i = 0; i < MOST_PROOFS; ++i, deep *= 3) {
        const double s = clear + (deep + clear * c->slip * (2 + where.needed)) / -line.slope;
        out->time.hi = c->lo + s;
        if (!(out->time.hi < c->hi))
            return ABUT_SLIDE_UNSURE;
        const double since = out->time.hi - c->lo; /* off by u of itself, which `slip` has */
        const abut_vec3 there = abut_v3(y.x, y.y, y.z - since * c->speed);
        abut_convex_pair then = c->pair;
        then.t = abut_madd(c->pair.t, since, c->v);
        then.error = c->error + since * c->slip;
        if (abut_convex_common_point(&then, out_of(k, abut_rims_place_common(&where, n, x, there)))) {
            out->s = clear;
            out->x = out_of(k, x);
            out->features[0] = out->features[1] = ABUT_FEATURE_FACE;
            out->several = !has_point(k, p) && abut_slide_is_several(c, out);
            return ABUT_SLIDE_HIT;
        }
    }
    return ABUT_SLIDE_UNSURE;
}

static void begin(climber *k, const abut_slide *c)
{
    abut_rims_body body[2];
    k->c = c;
    k->looks = 0;
    /* A frame without a root: T. Duff and others, Building an Orthonormal Basis, Revisited, 2017. */
    const abut_vec3 z = abut_scale(-1 / c->speed, c->v);
    const double sign = copysign(1, z.z), a = -1 / (sign + z.z), b = z.x * z.y * a;
    k->e[0] = abut_v3(1 + sign * z.x * z.x * a, sign * b, -sign * z.x);
    k->e[1] = abut_v3(b, sign + z.y * z.y * a, -z.y);
    k->e[2] = z;
    abut_rims_begin(&c->pair, body);
    for (int i = 0; i < 2; ++i) {
        const abut_vec3 axis = body[i].axis;
        k->body[i] = body[i];
        k->body[i].axis = abut_v3(abut_dot(axis, k->e[0]), abut_dot(axis, k->e[1]), abut_dot(axis, k->e[2]));
    }
    k->ax = (both){ k->body[0].axis.x, k->body[1].axis.x };
    k->ay = (both){ k->body[0].axis.y, k->body[1].axis.y };
    k->az = (both){ k->body[0].axis.z, k->body[1].axis.z };
    k->xx = 1 - k->ax * k->ax;
    k->xy = -k->ax * k->ay;
    k->xz = -k->ax * k->az;
    k->yy = 1 - k->ay * k->ay;
    k->yz = -k->ay * k->az;
    k->zz = 1 - k->az * k->az;
    k->apex = (both){ k->body[0].apex, k->body[1].apex };
    k->mean = (both){ k->body[0].mean, k->body[1].mean };
    k->h2 = (both){ 2 * k->body[0].h, 2 * k->body[1].h };
    const abut_vec3 t = c->pair.t;
    k->t = abut_v3(abut_dot(t, k->e[0]), abut_dot(t, k->e[1]), abut_dot(t, k->e[2]));
}

abut_slide_end abut_slide_rims(abut_slide *c, abut_slide_hit *out)
{
    climber k;
    plane at[2], *p = &at[0];
    tip top[2];
    begin(&k, c);
    /* The line of centres when balls of about the same size would meet; beyond them, whether the plane across it parts the bodies all the way. */
    const double size = 0.55 * (k.body[0].r + k.body[0].h + k.body[1].r + k.body[1].h), square = size * size;
    const double past = k.t.x * k.t.x + k.t.y * k.t.y;
    if (past > 0.5 * square) {
        look(&k, abut_v3(k.t.x, k.t.y, 0), p);
        if (p->f > 0 && misses(&k, p)) {
            out->evaluations += k.looks;
            return ABUT_SLIDE_MISS;
        }
    }
    if (!try_cap(&k, 0, p, &top[0]) && !try_cap(&k, 1, p, &top[1])) {
        const tip *higher = &top[top[1].f > top[0].f];
        const double left = square - past;
        const double scale = 1 / sqrt(left > 0.1 * square ? left : 0.1 * square);
        look(&k, abut_v3(scale * k.t.x, scale * k.t.y, 1), p);
        if (higher->f > p->f)
            leave_tip(&k, higher, p);
        at[0].cap = at[1].cap = -1;
        const double most = c->most * (1 + 4 * u) * c->speed;
        p = climb(&k, most + 16 * c->error * (1 + fabs(p->n.x) + fabs(p->n.y)), at);
    }
    out->evaluations += k.looks;
    return p ? finish(&k, p, out) : ABUT_SLIDE_UNSURE;
}
