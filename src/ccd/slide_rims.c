/* SPDX-License-Identifier: MIT */
/* Cylinders and cones that translate: Newton's method on the plane through which they meet; see slide.h.
 *
 * As in slide_ellipsoid.c the time of contact is the largest of f(n) / |v| over the planes n = p - v / |v|, p across v, but f has kinks, where a side or a slant lies on the plane: the steps are those
 * of narrow/rims.h. Caps and bases, where f has a peak, are tried first: they are met when the other body's nearest point comes down inside the disc.
 *
 * The overlap after it is proved by a point that is equally deep below all the faces that meet at the points of contact. A face has the inward direction -n, an edge one that leads
 * away from both of its faces at unit speed, an apex its axis. Where a rim crosses a rim the point is shifted along both, so that it is below all four. */
#include "ccd/slide.h"

#include "narrow/rims.h"

static const double u = 0x1p-53;

enum { MOST_STEPS = 24, MOST_CUTS = 6, MOST_PROOFS = 5 };

typedef struct climber {
    const abut_slide *c;
    abut_rims_body body[2];
    abut_vec3 e[2], down; /* across v, and -v / |v| */
    uint32_t looks;
} climber;

/* A plane: its normal with n . v = -|v|, and how both bodies lie on it. */
typedef struct plane {
    abut_vec3 n;
    double f;
    abut_rims_view view[2];
    double sigma[2]; /* where on the line between their ends; of a cap nothing */
    int cap;         /* the body that has a cap on the plane, -1: neither */
} plane;

static inline void look(climber *k, abut_vec3 n, plane *out)
{
    out->n = n;
    ++k->looks;
    out->f = abut_dot(n, k->c->pair.t) - abut_rims_look(&k->body[0], n, &out->view[0]) -
             abut_rims_look(&k->body[1], n, &out->view[1]);
}

/* The point of body i, of b minus it from its centre. */
static inline abut_vec3 point_of(const climber *k, const plane *p, int i)
{
    return abut_rims_point(&k->body[i], &p->view[i], p->sigma[i]);
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
    const double down = abut_dot(b->axis, k->down);
    top->f = -INFINITY;
    if (!(b->apex > 0 ? down < -0x1p-20 : fabs(down) > 0x1p-20))
        return false;
    look(k, abut_scale(1 / down, b->axis), out);
    const int other = 1 - i;
    const abut_rims_view *v = &out->view[other];
    if (!(v->flat > 0x1p-20))
        return false;
    out->sigma[other] = v->diff < 0 ? -1 : 1;
    out->sigma[i] = down < 0 ? -1 : 1;
    out->cap = i;
    const abut_vec3 there = abut_madd(k->c->pair.t, out->f / k->c->speed, k->c->v);
    const abut_vec3 p = abut_sub(there, point_of(k, out, other));
    const abut_vec3 across = abut_madd(p, -abut_dot(p, b->axis), b->axis);
    const double square = abut_dot(across, across);
    if (square <= b->r * b->r)
        return true;
    *top = (tip){ out->f, abut_scale(out->sigma[i], b->axis), abut_scale(1 / sqrt(square), across) };
    return false;
}

/* From a tip that is higher than *p, down to where f is smooth but still higher. */
static inline void leave_tip(climber *k, const tip *top, plane *p)
{
    double angle = 0.5;
    for (int i = 0; i < 4; ++i, angle *= 0.125) {
        const abut_vec3 n = abut_madd(top->n, angle, top->way);
        const double down = abut_dot(n, k->down);
        plane next;
        if (!(down > 0x1p-4))
            continue;
        look(k, abut_scale(1 / down, n), &next);
        if (!(next.f > p->f))
            continue;
        *p = next;
        if (p->f > top->f)
            return;
    }
}

/* Moves to n + part d if that is higher. */
static inline bool try_step(climber *k, const abut_rims_step *s, double part, plane *p, plane *next)
{
    look(k, abut_madd(abut_madd(p->n, part * s->d[0], k->e[0]), part * s->d[1], k->e[1]), next);
    if (!(next->f > p->f))
        return false;
    p->n = next->n;
    p->f = next->f;
    p->view[0] = next->view[0];
    p->view[1] = next->view[1];
    return true;
}

/* The step did not rise: kinks of cones are bent, and are taken where the step met them; then shorter steps. */
static bool step_shorter(climber *k, const abut_rims_model *m, const abut_rims_step *step, double floor,
                         double part, plane *p, plane *next)
{
    abut_rims_step s = *step;
    const double kink[2] = { p->view[0].diff + (next->view[0].diff - s.diff[0]),
                             p->view[1].diff + (next->view[1].diff - s.diff[1]) };
    if (part == 1 && k->body[0].apex + k->body[1].apex > 0 && abut_rims_solve(m, floor, kink, &s) &&
        try_step(k, &s, 1, p, next))
        return true;
    for (int i = 0; i < MOST_CUTS; ++i)
        if (try_step(k, step, part *= 0.25, p, next))
            return true;
    return false;
}

/* Climbs from *p; false where it gets stuck. Stops once f is above `most`. */
static bool climb(climber *k, double most, plane *p)
{
    const double error = k->c->error;
    abut_rims_step s = { .sigma = { p->view[0].diff < 0 ? -1 : 1, p->view[1].diff < 0 ? -1 : 1 } };
    double blunt = 0x1p-6;
    for (int i = 0; i < MOST_STEPS && !(p->f > most); ++i) {
        const double kink[2] = { p->view[0].diff, p->view[1].diff };
        abut_rims_model m;
        abut_rims_build(k->body, p->view, k->c->pair.t, k->e, 0, s.sigma, &m);
        const double floor = blunt * (m.m[0] + m.m[2]) + 0x1p-20 * (k->body[0].r + k->body[1].r);
        if (!abut_rims_solve(&m, floor, kink, &s))
            return false;
        p->sigma[0] = s.sigma[0];
        p->sigma[1] = s.sigma[1];
        const double square = abut_dot(p->n, p->n), size = s.d[0] * s.d[0] + s.d[1] * s.d[1];
        if (!(s.gain * s.gain > 0x1p-4 * error * error * square) || !(s.gain > 0))
            return true;
        const double part = size > 4 * square ? 2 * sqrt(square / size) : 1;
        plane next;
        if (try_step(k, &s, part, p, &next))
            blunt *= 0x1p-6;
        else if (!step_shorter(k, &m, &s, floor, part, p, &next))
            return s.gain * s.gain < 256 * error * error * square;
    }
    return p->f > most;
}

/* ---- proofs ---- */

/* The way in from body i's point of contact: away from all faces there by at least 1 for 1. */
typedef struct corner {
    abut_vec3 in, tangent;
    bool face, rim; /* n is the only normal; an edge along the tangent */
} corner;

static void find_corner(const climber *k, const plane *p, abut_vec3 n, int i, corner *out)
{
    const abut_rims_body *b = &k->body[i];
    const abut_rims_view *v = &p->view[i];
    const double sign = i ? -1 : 1; /* b is seen from behind */
    const double slant = sqrt(4 * b->h * b->h + b->apex * b->apex);
    out->face = p->cap == i || fabs(p->sigma[i]) < 1;
    out->rim = !out->face && !(b->apex > 0 && p->sigma[i] > 0);
    if (out->face) {
        out->in = abut_scale(-sign, n);
        return;
    }
    if (!out->rim) { /* an apex */
        out->in = abut_scale(-sign * slant / b->apex, b->axis);
        return;
    }
    /* The normals of cap and side: +-axis, and u or (2 h u + r axis) / slant. */
    const abut_vec3 side =
        b->apex > 0 ? abut_scale(1 / slant, abut_madd(abut_scale(2 * b->h, v->u), b->r, b->axis)) : v->u;
    const abut_vec3 sum = abut_madd(side, p->sigma[i], b->axis);
    out->in = abut_scale(-sign / (1 - b->apex / slant), sum);
    out->tangent = abut_cross(b->axis, v->u);
}

/* Where to look for a point of both, and how deep they must be in each other for it to be 1 deep in each. */
typedef struct common {
    corner at[2];
    abut_vec3 across; /* the product of the tangents of rims that cross */
    bool crossing;
    double needed;
} common;

static void find_common(const climber *k, const plane *p, abut_vec3 n, common *out)
{
    find_corner(k, p, n, 0, &out->at[0]);
    find_corner(k, p, n, 1, &out->at[1]);
    out->needed = abut_dot(n, abut_sub(out->at[1].in, out->at[0].in));
    out->crossing = false;
    if (out->at[0].rim && out->at[1].rim) {
        out->across = abut_cross(out->at[0].tangent, out->at[1].tangent);
        out->crossing = abut_dot(out->across, out->across) > 0x1p-20;
    }
}

/* x of a, y of b. */
static abut_vec3 place_common(const common *c, abut_vec3 n, abut_vec3 x, abut_vec3 y)
{
    const corner *a = &c->at[0], *b = &c->at[1];
    const abut_vec3 w = abut_sub(y, x);
    const double deep = -abut_dot(w, n) / c->needed;
    if (a->face && !b->face)
        return abut_madd(y, deep, b->in);
    if (!c->crossing)
        return b->face && !a->face ? abut_madd(x, deep, a->in) : abut_madd(x, 0.5, w);
    const abut_vec3 left = abut_madd(w, -deep, abut_sub(a->in, b->in));
    const double along = abut_dot(abut_cross(left, b->tangent), c->across) / abut_dot(c->across, c->across);
    return abut_madd(abut_madd(x, deep, a->in), along, a->tangent);
}

/* A side and a slant, or two of a kind, that cross touch in one point. */
static bool lines_cross(const climber *k, const plane *p)
{
    abut_vec3 line[2];
    for (int i = 0; i < 2; ++i) {
        if (p->cap == i || !(fabs(p->sigma[i]) < 1))
            return false;
        const abut_rims_body *b = &k->body[i];
        line[i] = abut_madd(abut_scale(2 * b->h, b->axis), -b->apex, p->view[i].u);
    }
    const abut_vec3 across = abut_cross(line[0], line[1]);
    return abut_dot(across, across) > 0x1p-40 * (abut_dot(line[0], line[0]) * abut_dot(line[1], line[1]));
}

static abut_slide_end finish(const climber *k, const plane *p, abut_slide_hit *out)
{
    const abut_slide *c = k->c;
    const double most = c->most * (1 + 4 * u);
    abut_slide_line line;
    out->n = abut_scale(1 / sqrt(abut_dot(p->n, p->n)), p->n);
    abut_slide_plane(c, &out->n, 0, 0, &line);
    const double clear = abut_slide_clear(&line, most);
    if (clear >= most)
        return ABUT_SLIDE_MISS;
    if (!(clear > 0) || !(line.slope < 0) || !abut_slide_time_before(c->lo, clear, &out->time.lo))
        return ABUT_SLIDE_UNSURE;
    common where;
    find_common(k, p, out->n, &where);
    out->x = point_of(k, p, 0);
    abut_vec3 y = abut_sub(c->pair.t, point_of(k, p, 1));
    if (p->cap == 0)
        out->x = abut_madd(y, clear, c->v);
    else if (p->cap == 1)
        y = abut_madd(out->x, -clear, c->v);
    /* Of the gap at `clear` no more is left than twice its error. */
    const double margin = c->error + 16 * u * (c->pair.a->size + c->pair.b->size);
    double deep = 2 * c->error + 1.125 * where.needed * margin;
    for (int i = 0; i < MOST_PROOFS; ++i, deep *= 3) {
        const double s = clear + (deep + clear * c->slip * (2 + where.needed)) / -line.slope;
        out->time.hi = c->lo + s;
        if (!(out->time.hi < c->hi))
            return ABUT_SLIDE_UNSURE;
        const double since = out->time.hi - c->lo; /* off by u of itself, which `slip` has */
        const abut_vec3 there = abut_madd(y, since, c->v);
        abut_convex_pair then = c->pair;
        then.t = abut_madd(c->pair.t, since, c->v);
        then.error = c->error + since * c->slip;
        if (abut_convex_common_point(&then, place_common(&where, out->n, out->x, there))) {
            out->s = clear;
            out->features[0] = out->features[1] = ABUT_FEATURE_FACE;
            out->several = !lines_cross(k, p) && abut_slide_is_several(c, out);
            return ABUT_SLIDE_HIT;
        }
    }
    return ABUT_SLIDE_UNSURE;
}

abut_slide_end abut_slide_rims(abut_slide *c, abut_slide_hit *out)
{
    climber k = { .c = c };
    plane p;
    abut_rims_begin(&c->pair, k.body);
    k.down = abut_scale(-1 / c->speed, c->v);
    const abut_vec3 z = k.down;
    const abut_vec3 side = fabs(z.x) > 0.6 ? abut_v3(-z.y, z.x, 0) : abut_v3(0, -z.z, z.y);
    k.e[0] = abut_scale(1 / sqrt(abut_dot(side, side)), side);
    k.e[1] = abut_cross(z, k.e[0]);
    tip top[2];
    bool settled = try_cap(&k, 0, &p, &top[0]) || try_cap(&k, 1, &p, &top[1]);
    if (!settled) {
        const double along = abut_dot(c->pair.t, k.down), scale = along > 0x1p-4 * c->far ? 1 / along : 0;
        const double p0 = scale * abut_dot(c->pair.t, k.e[0]), p1 = scale * abut_dot(c->pair.t, k.e[1]);
        look(&k, abut_madd(abut_madd(k.down, p0, k.e[0]), p1, k.e[1]), &p);
        const tip *higher = &top[top[1].f > top[0].f];
        if (higher->f > p.f)
            leave_tip(&k, higher, &p);
        p.cap = -1;
        const double most = c->most * (1 + 4 * u) * c->speed;
        settled = climb(&k, most + 16 * c->error * sqrt(abut_dot(p.n, p.n)), &p);
    }
    out->evaluations += k.looks;
    return settled ? finish(&k, &p, out) : ABUT_SLIDE_UNSURE;
}
