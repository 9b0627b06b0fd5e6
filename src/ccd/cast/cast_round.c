/* SPDX-License-Identifier: MIT */
/* Simple cores with balls that translate, by Newton's method on the distance of the cores; see
 * linear_cast.h.
 *
 * The distance of two convex bodies is a convex function of s when they translate, so that from
 * the left Newton's method comes nearer in every step and never passes the root; each step is to
 * where the plane across the line between the nearest points meets the bodies. Doubles find s
 * and the last plane; that plane proves the bodies apart until shortly before s, and the nearest
 * points prove the overlap shortly after. */
#include "ccd/cast/linear_cast.h"

static const double u = 0x1p-53;

enum { MOST_STEPS = 48, POINT = ABUT_CORE_POINT, SEGMENT = ABUT_CORE_SEGMENT, BOX = ABUT_CORE_BOX };

/* Nearest points of the cores in the frame of the task, of b as if it stood at the start. */
typedef struct nearest {
    abut_vec3 x, y; /* of a in its frame; of b in its own */
    abut_vec3 d;    /* from a to b, in the frame of the task */
} nearest;

bool abut_linear_cast_is_round(const abut_convex_pair *pair)
{
    const int a = pair->a->kind, b = pair->b->kind;
    return pair->radii > 0 && ((a == POINT && b >= POINT && b <= BOX) ||
                               (b == POINT && a >= POINT && a <= BOX) || (a == SEGMENT && b == SEGMENT));
}

static inline double clamp(double x, double h)
{
    return x < -h ? -h : x > h ? h : x;
}

static inline abut_vec3 nearest_in(const abut_core *core, abut_vec3 p)
{
    switch ((int)core->kind) {
    case BOX: return abut_v3(clamp(p.x, core->h[0]), clamp(p.y, core->h[1]), clamp(p.z, core->h[2]));
    case SEGMENT: return abut_v3(0, 0, clamp(p.z, core->h[2]));
    default: return abut_v3(0, 0, 0);
    }
}

/* Points a + alpha e_z and t + beta e: beta for the lines, then each cut off to its segment (C.
 * Ericson, Real-Time Collision Detection, 5.1.9). */
static inline void nearest_of_segments(double ha, double hb, abut_vec3 e, abut_vec3 t, double inverse,
                                       nearest *out)
{
    const double along = abut_dot(t, e);
    double beta = clamp((e.z * t.z - along) * inverse, hb);
    const double free = t.z + beta * e.z, alpha = clamp(free, ha);
    if (alpha != free)
        beta = clamp(alpha * e.z - along, hb);
    const double last = clamp(t.z + beta * e.z, ha);
    out->x = abut_v3(0, 0, last);
    out->y = abut_v3(0, 0, beta);
    out->d = abut_sub(abut_madd(t, beta, e), out->x);
}

typedef struct task {
    const abut_core *a, *b;
    bool b_has_frame; /* a is a point: everything in b's frame */
    abut_vec3 t, v;   /* of b in a's frame, or minus that in b's */
    abut_vec3 e;      /* direction of b's segment */
    double inverse;
    bool level; /* the segments may touch all along */
} task;

static inline __attribute__((always_inline)) void evaluate(const task *k, double s, nearest *out)
{
    const abut_vec3 t = abut_madd(k->t, s, k->v);
    if (k->inverse > 0) {
        nearest_of_segments(k->a->h[2], k->b->h[2], k->e, t, k->inverse, out);
    } else if (k->b_has_frame) {
        out->x = abut_v3(0, 0, 0);
        out->y = nearest_in(k->b, t);
        out->d = abut_sub(out->y, t);
    } else {
        out->x = nearest_in(k->a, t);
        out->y = abut_v3(0, 0, 0);
        out->d = abut_sub(t, out->x);
    }
}

/* Balls and rounded bodies have one face; a box as many as coordinates lie on its boundary. */
static abut_feature feature_of(const abut_core *core, abut_vec3 p)
{
    if (core->kind != ABUT_CORE_BOX || core->radius > 0)
        return ABUT_FEATURE_FACE;
    const int fixed = (fabs(p.x) >= core->h[0]) + (fabs(p.y) >= core->h[1]) + (fabs(p.z) >= core->h[2]);
    return fixed == 3 ? ABUT_FEATURE_VERTEX : fixed == 2 ? ABUT_FEATURE_EDGE : ABUT_FEATURE_FACE;
}

/* False where the segments are so nearly parallel that the nearest points are anywhere. */
static bool begin(const abut_linear_cast *c, task *k)
{
    k->a = c->pair.a;
    k->b = c->pair.b;
    k->b_has_frame = k->a->kind == ABUT_CORE_POINT;
    k->t = c->pair.t;
    k->v = c->v;
    k->inverse = 0;
    k->level = false;
    if (k->b_has_frame) {
        k->t = abut_mul_t(&c->pair.r, c->pair.t);
        k->v = abut_mul_t(&c->pair.r, c->v);
        k->t = abut_v3(-k->t.x, -k->t.y, -k->t.z);
        k->v = abut_v3(-k->v.x, -k->v.y, -k->v.z);
    } else if (k->b->kind == ABUT_CORE_SEGMENT) {
        k->e = abut_v3(c->pair.r.m[0][2], c->pair.r.m[1][2], c->pair.r.m[2][2]);
        const double square = k->e.x * k->e.x + k->e.y * k->e.y;
        k->inverse = 1 / square;
        k->level = square < 0x1p-30;
        return square > 0x1p-100;
    }
    return true;
}

static abut_vec3 to_a(const abut_linear_cast *c, const task *k, abut_vec3 n)
{
    return k->b_has_frame ? abut_mul(&c->pair.r, n) : n;
}

/* Proved: an overlap at s. */
static bool overlaps(const abut_linear_cast *c, const nearest *at, double s)
{
    const abut_vec3 y = abut_add(abut_mul(&c->pair.r, at->y), abut_madd(c->pair.t, s, c->v));
    const abut_vec3 d = abut_sub(y, at->x);
    return sqrt(abut_dot(d, d)) * (1 + 8 * u) + (c->error + s * c->slip) < c->pair.radii * (1 - 2 * u);
}

static abut_linear_cast_end finish(const abut_linear_cast *c, const task *k, nearest *near, abut_vec3 n,
                                   double s, abut_linear_cast_hit *out)
{
    abut_linear_cast_line plane;
    out->n = to_a(c, k, n);
    abut_linear_cast_plane(c, &out->n, 0, 0, &plane);
    const double most = c->most * (1 + 4 * u), clear = abut_linear_cast_clear(&plane, most);
    if (clear >= most)
        return ABUT_SLIDE_MISS;
    if (!(clear > 0) || !abut_linear_cast_time_before(c->lo, clear, &out->time.lo))
        return ABUT_SLIDE_UNSURE;
    for (int i = 0; i < 3; ++i) {
        const double next = s + (i + 2) * (c->error + s * c->slip) / -plane.slope;
        out->time.hi = c->lo + next;
        if (!(out->time.hi < c->hi))
            return ABUT_SLIDE_UNSURE;
        const double since = out->time.hi - c->lo; /* off by u of itself, which `slip` has */
        evaluate(k, since, near);
        if (overlaps(c, near, since)) {
            out->s = clear;
            out->several = k->level;
            out->x = abut_madd(near->x, k->a->radius, out->n);
            out->features[0] = feature_of(k->a, near->x);
            out->features[1] = feature_of(k->b, near->y);
            return ABUT_SLIDE_HIT;
        }
        s = next;
    }
    return ABUT_SLIDE_UNSURE;
}

/* They come no nearer than along n at s: one plane until then, another one from there on. */
static abut_linear_cast_end part(const abut_linear_cast *c, const task *k, abut_vec3 last, abut_vec3 n,
                                 double s)
{
    const double most = c->most * (1 + 4 * u);
    abut_linear_cast_line plane;
    double clear = 0;
    if (s > 0) {
        const abut_vec3 m = to_a(c, k, last);
        abut_linear_cast_plane(c, &m, 0, 0, &plane);
        clear = abut_linear_cast_clear(&plane, most);
        if (!(clear > 0))
            return ABUT_SLIDE_UNSURE;
    }
    const abut_vec3 m = to_a(c, k, n);
    abut_linear_cast_plane(c, &m, 0, 0, &plane);
    return abut_linear_cast_is_clear(&plane, clear) && abut_linear_cast_is_clear(&plane, most)
               ? ABUT_SLIDE_MISS
               : ABUT_SLIDE_UNSURE;
}

abut_linear_cast_end abut_linear_cast_round(abut_linear_cast *c, abut_linear_cast_hit *out)
{
    task k;
    out->evaluations = 0;
    if (!begin(c, &k))
        return ABUT_SLIDE_UNSURE;
    const double sense = k.b_has_frame ? -1 : 1; /* the velocity of b */
    double s = 0;
    abut_vec3 last = { 0, 0, 0 };
    nearest near;
    for (int i = 0; i < MOST_STEPS; ++i) {
        evaluate(&k, s, &near);
        ++out->evaluations;
        const double length = sqrt(abut_dot(near.d, near.d)), gap = length - c->pair.radii;
        if (!(gap > 4 * c->error))
            return s > 0 ? finish(c, &k, &near, last, s, out) : ABUT_SLIDE_UNSURE;
        const abut_vec3 n = abut_scale(1 / length, near.d);
        const double rate = sense * abut_dot(n, k.v);
        if (!(rate < 0))
            return part(c, &k, last, n, s);
        const double next = s + gap / -rate;
        last = n;
        if (!(next > s) || next > c->most)
            return finish(c, &k, &near, last, next, out);
        s = next;
    }
    return ABUT_SLIDE_UNSURE;
}
