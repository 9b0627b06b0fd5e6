/* SPDX-License-Identifier: MIT */
/* The distance of cylinders and cones, at the cost of its arithmetic: plain doubles, with error
 * bounds known beforehand. Where its bounds do not decide, it answers nothing, and convex.c does.
 *
 * Bodies of revolution need no frames: everything is in the axes of the world, from a's origin, b
 * seen as minus its points (cylinders.h). The line of centres, or the direction of the last time, evaluations
 * at a cap, or curved_walk.c goes to the nearest points from there. Both only steer: the direction
 * gives a lower bound, the points it belongs to give an upper one, and they have to agree.
 *
 * Errors, u = 2^-53, D = |t|, sizes s: t is off by u D, axes by 10 u. Along unit n: heights by
 * 13 u, parts across by 25 u, made at right angles to the axis once more by 30 u, their lengths
 * by 33 u; a support, of h and r, by 13 h + 33 r and its roundings, below 40 u s; n . t by 4 u
 * D; the sums, and the quotient by |n|, by 5 u (D + s). Points are off their bodies by 10 u h
 * and 20 u r, w = t - x - y, with its roundings, by 3 u D + 36 u s. So 16 u D + 56 u s is more
 * than either. */
#include "narrow/distance/cylinders.h"
#include "narrow/quick/quick.h"

static const double u = 0x1p-53;

typedef double both __attribute__((vector_size(16)));

typedef struct rims {
    abut_cylinders_body body[2];
    abut_vec3 t;
    double error;
} rims;

/* A body along n, from its axis: unit across it, and what that says. */
typedef struct side {
    abut_vec3 across;
    double along, flat;
} side;

ABUT_ALWAYS_INLINE abut_vec3 off_axis(const abut_cylinders_body *b, abut_vec3 p)
{
    return abut_madd(p, -abut_dot(p, b->axis), b->axis);
}

ABUT_ALWAYS_INLINE side evaluate(const abut_cylinders_body *b, abut_vec3 n)
{
    const double along = abut_dot(n, b->axis);
    const abut_vec3 p = off_axis(b, abut_madd(n, -along, b->axis));
    const double flat = sqrt(abut_dot(p, p));
    return (side){ abut_scale(flat > 0 ? 1 / flat : 0, p), along, flat };
}

ABUT_ALWAYS_INLINE double support(const abut_cylinders_body *b, const side *v)
{
    return b->mean * v->flat + 0.5 * fabs(2 * b->h * v->along - b->apex * v->flat);
}

ABUT_ALWAYS_INLINE abut_vec3 point_of(const abut_cylinders_body *b, const side *v, double sigma)
{
    return abut_madd(abut_scale(b->mean - 0.5 * sigma * b->apex, v->across), sigma * b->h, b->axis);
}

typedef struct ends {
    abut_vec3 n; /* unit */
    abut_vec3 p[2];
    double lo, hi;
} ends;

/* Do both bounds agree? s: the separation along n, of the length 1 / per. */
ABUT_ALWAYS_INLINE bool close(const rims *k, abut_vec3 n, double s, double per, ends *e)
{
    const abut_vec3 w = abut_sub(abut_sub(k->t, e->p[0]), e->p[1]);
    e->n = abut_scale(per, n);
    e->lo = s * per - k->error;
    e->hi = sqrt(abut_dot(w, w)) * (1 + 0x1p-50) + k->error;
    return e->lo > 0 && e->hi - e->lo <= 3 * k->error + 0x1p-46 * e->hi;
}

ABUT_ALWAYS_INLINE bool bound(const rims *k, abut_vec3 n, const double sigma[2], ends *e)
{
    const side a = evaluate(&k->body[0], n), b = evaluate(&k->body[1], n);
    const double s = abut_dot(n, k->t) - (support(&k->body[0], &a) + support(&k->body[1], &b));
    e->p[0] = point_of(&k->body[0], &a, sigma[0]);
    e->p[1] = point_of(&k->body[1], &b, sigma[1]);
    return close(k, n, s, 1 / sqrt(abut_dot(n, n)), e);
}

/* The cap of body i: where the other's first point is over it. */
static bool try_cap(const rims *k, int i, double sense, ends *e)
{
    const abut_cylinders_body *b = &k->body[i], *c = &k->body[1 - i];
    const abut_vec3 n = abut_scale(sense, b->axis);
    const side v = evaluate(c, n);
    if (!(v.flat > 0x1p-6))
        return false;
    const abut_vec3 p = point_of(c, &v, 2 * c->h * v.along - c->apex * v.flat < 0 ? -1 : 1);
    const abut_vec3 over = off_axis(b, off_axis(b, abut_sub(k->t, p)));
    if (!(abut_dot(over, over) <= b->r * b->r * (1 - 0x1p-40)))
        return false;
    const side own = evaluate(b, n);
    e->p[1 - i] = p;
    e->p[i] = abut_madd(over, sense * b->h, b->axis);
    return close(k, n, abut_dot(n, k->t) - (support(b, &own) + support(c, &v)), 1 / sqrt(abut_dot(n, n)), e);
}

ABUT_ALWAYS_INLINE abut_cylinders_body body_of(const abut_core *core, abut_vec3 axis)
{
    const double r = core->h[0];
    return core->kind == ABUT_CORE_CONE ? (abut_cylinders_body){ axis, r, core->h[2], 0.5 * r, r }
                                        : (abut_cylinders_body){ axis, r, core->h[2], r, 0 };
}

ABUT_ALWAYS_INLINE bool place(const abut_core *a, const abut_pose *at_a, const abut_core *b,
                              const abut_pose *at_b, rims *k)
{
    const abut_quat p = at_a->rotation, q = at_b->rotation;
    const both w = { p.w, q.w }, x = { p.x, q.x }, y = { p.y, q.y }, z = { p.z, q.z };
    const both ww = w * w, xx = x * x, yy = y * y, zz = z * z, norm = (ww + xx) + (yy + zz);
    const abut_vec3 t = abut_sub(at_b->position, at_a->position);
    const double square = abut_dot(t, t), sizes = a->size + b->size;
    if (!(abut_quick_norm_is_usual(norm[0]) && abut_quick_norm_is_usual(norm[1]) && square <= 0x1p280 &&
          sizes >= 0x1p-140 && sizes <= 0x1p140))
        return false;
    const both one = { 1, -1 }, over = one / norm, twice = over + over;
    const both ex = (x * z + w * y) * twice, ey = (y * z - w * x) * twice,
               ez = ((ww + zz) - (xx + yy)) * over;
    k->t = t;
    k->body[0] = body_of(a, abut_v3(ex[0], ey[0], ez[0]));
    k->body[1] = body_of(b, abut_v3(ex[1], ey[1], ez[1]));
    k->error = u * (16 * sqrt(square) + 56 * sizes + 4 * (a->radius + b->radius));
    return true;
}

/* By q, times |q|^2, and back. */
static abut_vec3 turned(abut_quat q, abut_vec3 v, bool back)
{
    double m[3][3];
    abut_quick_matrix(q, m);
    return back ? abut_v3(m[0][0] * v.x + m[1][0] * v.y + m[2][0] * v.z,
                          m[0][1] * v.x + m[1][1] * v.y + m[2][1] * v.z,
                          m[0][2] * v.x + m[1][2] * v.y + m[2][2] * v.z)
                : abut_v3(m[0][0] * v.x + m[0][1] * v.y + m[0][2] * v.z,
                          m[1][0] * v.x + m[1][1] * v.y + m[1][2] * v.z,
                          m[2][0] * v.x + m[2][1] * v.y + m[2][2] * v.z);
}

/* The caps that n examines, within an angle of that cosine squared, but those `tried`. */
ABUT_ALWAYS_INLINE bool find_cap(const rims *k, abut_vec3 n, double near, unsigned *tried, ends *e,
                                 uint32_t *evaluations)
{
    const double square = abut_dot(n, n);
    for (int i = 0; i < 2; ++i) {
        const double along = abut_dot(n, k->body[i].axis);
        const unsigned mark = 1u << (2 * i + (along < 0));
        if (along * along > near * square && !(k->body[i].apex > 0 && along > 0) && !(*tried & mark)) {
            *tried |= mark;
            ++*evaluations;
            if (try_cap(k, i, along < 0 ? -1 : 1, e))
                return true;
        }
    }
    return false;
}

static bool find_ends(const rims *k, abut_vec3 n, ends *e, uint32_t *evaluations)
{
    unsigned tried = 0;
    double sigma[2];
    if (find_cap(k, n, 0.72, &tried, e, evaluations))
        return true;
    return abut_cylinders_walk(k->body, k->t, k->error, &n, sigma, evaluations)
               ? bound(k, n, sigma, e)
               : find_cap(k, n, 0.72, &tried, e, evaluations);
}

static bool find_apart(const abut_shape *a, const abut_pose *pose_a, const abut_shape *b,
                       const abut_pose *pose_b, const abut_distance_opts *opts, abut_distance_result *out)
{
    rims k;
    ends e;
    abut_cache *cache = opts->cache;
    if (!place(&a->core, pose_a, &b->core, pose_b, &k))
        return false;
    abut_vec3 n = k.t;
    if (cache) {
        const abut_vec3 last = abut_v3(cache->axis[0], cache->axis[1], cache->axis[2]);
        const double square = abut_dot(last, last);
        if (square > 0.5 && square < 2)
            n = turned(pose_a->rotation, last, false);
    }
    uint32_t evaluations = 1;
    const double radii = a->core.radius + b->core.radius, inner = a->core.inner + b->core.inner;
    if (!(abut_dot(k.t, k.t) > inner * inner && find_ends(&k, n, &e, &evaluations)))
        return false;
    const double lo = e.lo - radii - 4 * u * (radii + e.lo), hi = e.hi - radii + 4 * u * (radii + e.hi);
    if (!(lo > 0))
        return false;
    if (cache) {
        const abut_vec3 own = turned(pose_a->rotation, e.n, true);
        const double per = 1 / abut_quick_norm(pose_a->rotation);
        cache->axis[0] = per * own.x;
        cache->axis[1] = per * own.y;
        cache->axis[2] = per * own.z;
        cache->count = 0;
    }
    out->verdict = ABUT_SEPARATE;
    out->proof = ABUT_PROOF_INTERVAL;
    out->stop = lo > opts->cutoff ? ABUT_STOP_CUTOFF : ABUT_STOP_DONE;
    out->distance = (abut_interval){ lo, hi };
    out->normal = abut_add(e.n, abut_v3(0, 0, 0)); /* no -0 */
    /* Balls are met on the line between the points of the cores: the normal may be off by the
     * root of rounding. */
    const abut_vec3 w =
        radii > 0 ? abut_unit_or(abut_sub(abut_sub(k.t, e.p[0]), e.p[1]), e.n) : abut_v3(0, 0, 0);
    out->point_a = abut_add(pose_a->position, abut_madd(e.p[0], a->core.radius, w));
    out->point_b = abut_sub(pose_b->position, abut_madd(e.p[1], b->core.radius, w));
    out->has_points = true;
    out->counters = (abut_counters){ .iterations = evaluations, .evaluations = evaluations };
    return true;
}

bool abut_quick_distance_cylinders(const abut_shape *a, const abut_pose *pose_a, const abut_shape *b,
                                   const abut_pose *pose_b, const abut_distance_opts *opts,
                                   abut_distance_result *out)
{
    const bool close = abut_quick_is_likely_to_meet(&a->core, pose_a, &b->core, pose_b);
    if (opts->with_depth && close)
        return false;
    return find_apart(a, pose_a, b, pose_b, opts, out) ||
           abut_quick_distance_meeting(a, pose_a, b, pose_b, abut_quick_overlap_round, opts, out);
}
