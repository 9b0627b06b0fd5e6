/* SPDX-License-Identifier: MIT */
/* Cylinders and cones that translate: Newton's method on the plane through which they meet; see slide.h.
 *
 * As in slide_ellipsoid.c the time of contact is the largest of f(n) / |v| over the planes n = p - v / |v|, p across v, but f has kinks, where a side or a slant lies on the plane: the steps are those
 * of narrow/rims.h. Caps and bases, where f has a peak, are tried first: they are met when the other body's nearest point comes down inside the disc.
 *
 * The overlap after it is proved by a point that is equally deep below all the faces that meet at the points of contact (abut_rims_find_common). */
#include "ccd/slide.h"

#include "math/nearest.h"
#include "narrow/rims.h"

static const double u = 0x1p-53;

enum { MOST_STEPS = 24, MOST_CUTS = 6, MOST_PROOFS = 5 };

/* In a frame with z against the velocity. */
typedef struct climber {
    const abut_slide *c;
    abut_rims_body body[2];
    abut_vec3 t;
    abut_vec3 e[3]; /* the frame's axes in a's */
    uint32_t looks;
} climber;

/* A plane: its normal with n.z = 1, and how both bodies lie on it. */
typedef struct plane {
    abut_vec3 n;
    double f;
    abut_rims_view view[2];
    double sigma[2]; /* where on the line between their ends; of a cap nothing */
    int cap;         /* the body that has a cap on the plane, -1: neither */
} plane;

static inline __attribute__((always_inline)) void look(climber *k, double x, double y, plane *out)
{
    out->n = abut_v3(x, y, 1);
    ++k->looks;
    out->f = (x * k->t.x + y * k->t.y + k->t.z) - abut_rims_look(&k->body[0], out->n, &out->view[0]) -
             abut_rims_look(&k->body[1], out->n, &out->view[1]);
}

/* The point of body i, of b minus it from its centre. */
static inline abut_vec3 point_of(const climber *k, const plane *p, int i)
{
    return abut_rims_point(&k->body[i], &p->view[i], p->sigma[i]);
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
    /* Of the body itself no more is needed than where the cap is. */
    const double scale = 1 / down;
    out->view[i] = (abut_rims_view){ .flat = 0 };
    const int other = 1 - i;
    abut_rims_view *v = &out->view[other];
    ++k->looks;
    out->n = abut_v3(scale * b->axis.x, scale * b->axis.y, 1);
    out->f = (out->n.x * k->t.x + out->n.y * k->t.y + k->t.z) - b->h * fabs(scale) -
             abut_rims_look(&k->body[other], out->n, v);
    if (!(v->flat > 0x1p-20))
        return false;
    out->sigma[other] = v->diff < 0 ? -1 : 1;
    out->sigma[i] = down < 0 ? -1 : 1;
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
static void leave_tip(climber *k, const tip *top, plane *p)
{
    double angle = 0.5;
    for (int i = 0; i < 4; ++i, angle *= 0.125) {
        const abut_vec3 n = abut_madd(top->n, angle, top->way);
        plane next;
        if (!(n.z > 0x1p-4))
            continue;
        look(k, n.x / n.z, n.y / n.z, &next);
        if (!(next.f > p->f))
            continue;
        *p = next;
        if (p->f > top->f)
            return;
    }
}

/* The step did not rise: kinks of cones are bent, and are taken where the step met them; then shorter steps. */
static ABUT_MATH_NOINLINE bool step_shorter(climber *k, const abut_rims_model *m, const double solid[3],
                                            const abut_rims_step *step, double part, const plane *p,
                                            plane *next)
{
    abut_rims_step s = *step;
    const double kink[2] = { p->view[0].diff + (next->view[0].diff - s.diff[0]),
                             p->view[1].diff + (next->view[1].diff - s.diff[1]) };
    if (part == 1 && k->body[0].apex + k->body[1].apex > 0 && abut_rims_solve(m, solid, kink, &s)) {
        look(k, p->n.x + s.d[0], p->n.y + s.d[1], next);
        if (next->f > p->f)
            return true;
    }
    for (int i = 0; i < MOST_CUTS; ++i) {
        part *= 0.25;
        look(k, p->n.x + part * step->d[0], p->n.y + part * step->d[1], next);
        if (next->f > p->f)
            return true;
    }
    return false;
}

/* Climbs from at[0]; returns where it ends, in one of the two planes, NULL where it gets stuck. Stops once f is above `most`. */
static inline plane *climb(climber *k, double most, plane at[2])
{
    const double error = k->c->error;
    const double settled = 0x1p-16 * error * (k->body[0].r + k->body[0].h + k->body[1].r + k->body[1].h);
    plane *p = &at[0], *next = &at[1];
    abut_rims_step s = { .sigma = { p->view[0].diff < 0 ? -1 : 1, p->view[1].diff < 0 ? -1 : 1 } };
    double blunt = 0x1p-6;
    for (int i = 0; i < MOST_STEPS && !(p->f > most); ++i) {
        const double kink[2] = { p->view[0].diff, p->view[1].diff };
        abut_rims_model m;
        abut_rims_build(k->body, p->view, k->t, NULL, 0, s.sigma, &m);
        const double floor = blunt * (m.m[0] + m.m[2]) + 0x1p-20 * (k->body[0].r + k->body[1].r);
        const double solid[3] = { m.m[0] + floor, m.m[1], m.m[2] + floor };
        if (!abut_rims_solve(&m, solid, kink, &s))
            return NULL;
        p->sigma[0] = s.sigma[0];
        p->sigma[1] = s.sigma[1];
        const double square = abut_dot(p->n, p->n), size = s.d[0] * s.d[0] + s.d[1] * s.d[1];
        if (!(s.gain * s.gain > 0x1p-4 * error * error * square) || !(s.gain > 0))
            return p;
        const double part = size > 4 * square ? 2 * sqrt(square / size) : 1;
        look(k, p->n.x + part * s.d[0], p->n.y + part * s.d[1], next);
        if (next->f > p->f) {
            if (s.gain * s.gain < settled) { /* what is left is of the order of its square */
                next->sigma[0] = s.sigma[0];
                next->sigma[1] = s.sigma[1];
                return next;
            }
            blunt *= 0x1p-6;
        } else if (!step_shorter(k, &m, solid, &s, part, p, next))
            return s.gain * s.gain < 256 * error * error * square ? p : NULL;
        plane *swap = p;
        p = next;
        next = swap;
    }
    return p->f > most ? p : NULL;
}

/* ---- proofs ---- */

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
    abut_rims_find_common(k->body, p->view, p->sigma, p->cap, n, &where);
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
            out->several = abut_slide_is_several(c, out);
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
    k->e[2] = abut_scale(-1 / c->speed, c->v);
    const abut_vec3 z = k->e[2];
    const abut_vec3 side = fabs(z.x) > 0.6 ? abut_v3(-z.y, z.x, 0) : abut_v3(0, -z.z, z.y);
    k->e[0] = abut_scale(1 / sqrt(abut_dot(side, side)), side);
    k->e[1] = abut_cross(z, k->e[0]);
    abut_rims_begin(&c->pair, body);
    for (int i = 0; i < 2; ++i) {
        const abut_vec3 axis = body[i].axis;
        k->body[i] = body[i];
        k->body[i].axis = abut_v3(abut_dot(axis, k->e[0]), abut_dot(axis, k->e[1]), abut_dot(axis, k->e[2]));
    }
    const abut_vec3 t = c->pair.t;
    k->t = abut_v3(abut_dot(t, k->e[0]), abut_dot(t, k->e[1]), abut_dot(t, k->e[2]));
}

abut_slide_end abut_slide_rims(abut_slide *c, abut_slide_hit *out)
{
    climber k;
    plane at[2], *p = &at[0];
    tip top[2];
    begin(&k, c);
    if (!try_cap(&k, 0, p, &top[0]) && !try_cap(&k, 1, p, &top[1])) {
        const tip *higher = &top[top[1].f > top[0].f];
        /* The line of centres when balls of about the same size would meet. */
        const double size = 0.55 * (k.body[0].r + k.body[0].h + k.body[1].r + k.body[1].h);
        const double square = size * size, left = square - (k.t.x * k.t.x + k.t.y * k.t.y);
        const double scale = 1 / sqrt(left > 0.1 * square ? left : 0.1 * square);
        look(&k, scale * k.t.x, scale * k.t.y, p);
        if (higher->f > p->f)
            leave_tip(&k, higher, p);
        at[0].cap = at[1].cap = -1;
        const double most = c->most * (1 + 4 * u) * c->speed;
        p = climb(&k, most + 16 * c->error * (1 + fabs(p->n.x) + fabs(p->n.y)), at);
    }
    out->evaluations += k.looks;
    return p ? finish(&k, p, out) : ABUT_SLIDE_UNSURE;
}
