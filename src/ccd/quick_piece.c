/* SPDX-License-Identifier: MIT */
/* Two balls on straight lines, where it is clear whether and when they meet: exact_piece.c in pairs of doubles, with error bounds known
 * beforehand. In any doubt (near a graze, a contact near an end of the piece, a time that may be a double) it answers nothing, and the
 * exact coefficients are made.
 *
 * With D and V the differences of the centres and velocities at the piece's begin, R the sum of the radii, the gap has the sign of
 *     q(s) = a s^2 + 2 b s + c,   a = |V|^2, b = D . V, c = |D|^2 - R^2,   s the time since then.
 * P and W are the sums of the sizes of all that went into D and R, and into V; u = 2^-53. Errors (narrow/exact.h): V 20 u^2 W (a
 * quotient 16, a sum 3), D 30 u^2 P, so a 64 u^2 W^2, b 64 u^2 P W, c 96 u^2 P^2, and b^2 - a c less than 2^9 u^2 P^2 W^2. */
#include "ccd/moving.h"
#include "math/vec3.h"

typedef struct path {
    dd at[3], rate[3];
    double sizes, speeds; /* of what they were made of */
} path;

static bool find_path(const abut_motion *motion, double t, path *out)
{
    abut_motion_line line = { .t0 = -INFINITY, .t1 = INFINITY };
    if (motion && !abut_motion_origin_line(motion, t, &line))
        return false;
    const double from[3] = { line.from.x, line.from.y, line.from.z };
    const bool fixed = isinf(line.t0) || isinf(line.t1);
    const double to[3] = { line.to.x, line.to.y, line.to.z };
    const double rate[3] = { line.rate.x, line.rate.y, line.rate.z };
    const dd since = fixed ? (dd){ 0, 0 } : dd_two_sum(t, -line.t0),
             lasts = fixed ? (dd){ 1, 0 } : dd_two_sum(line.t1, -line.t0);
    out->sizes = out->speeds = 0;
    for (int i = 0; i < 3; ++i) {
        out->at[i] = (dd){ from[i], 0 };
        out->sizes += fabs(from[i]);
        out->rate[i] = (dd){ 0, 0 };
        if (fixed)
            continue;
        out->rate[i] = line.by_rate ? (dd){ rate[i], 0 } : dd_div(dd_two_sum(to[i], -from[i]), lasts);
        out->speeds += fabs(out->rate[i].h);
        if (since.h == 0)
            continue;
        const dd moved = dd_mul(since, out->rate[i]);
        out->at[i] = dd_add(out->at[i], moved);
        out->sizes += fabs(moved.h);
    }
    return true;
}

static dd dot(const dd a[3], const dd b[3])
{
    return dd_add(dd_add(dd_mul(a[0], b[0]), dd_mul(a[1], b[1])), dd_mul(a[2], b[2]));
}

/* The time `from` + s, for s off by `error`, between two adjacent doubles; false where that is not sure. */
static bool enclose_time(double from, dd s, double error, abut_interval *out)
{
    const dd t = dd_add((dd){ from, 0 }, s);
    const double e = error + 0x1p-103 * (fabs(from) + fabs(s.h));
    if (!(fabs(t.l) > e))
        return false;
    *out = t.l > 0 ? (abut_interval){ t.h, nextafter(t.h, INFINITY) }
                   : (abut_interval){ nextafter(t.h, -INFINITY), t.h };
    return true;
}

/* -1 before [lo, hi], 1 after it, 0 inside, 2 where that is not clear. */
static int place_of(abut_interval t, double lo, double hi)
{
    return t.hi < lo ? -1 : t.lo > hi ? 1 : t.lo > lo && t.hi < hi ? 0 : 2;
}

bool abut_moving_quick_piece(abut_moving *m, double lo, double hi, abut_runs *runs, bool *wanted)
{
    path x, y;
    if (m->b->type != ABUT_SHAPE_SPHERE || !find_path(m->motion_a, lo, &x) || !find_path(m->motion_b, lo, &y))
        return false;
    const dd radii = dd_two_sum(m->a->u.sphere.radius, m->b->u.sphere.radius);
    const double P = x.sizes + y.sizes + radii.h, W = x.speeds + y.speeds;
    if (!(P >= 0x1p-200 && P <= 0x1p200 && W >= 0x1p-200 && W <= 0x1p200))
        return false;
    dd d[3], v[3];
    for (int i = 0; i < 3; ++i) {
        d[i] = dd_sub(x.at[i], y.at[i]);
        v[i] = dd_sub(x.rate[i], y.rate[i]);
    }
    const dd a = dot(v, v), b = dot(d, v), c = dd_sub(dot(d, d), dd_sqr(radii));
    const dd disc = dd_sub(dd_sqr(b), dd_mul(a, c));
    const double scale = (P * W) * (P * W);
    if (disc.h < -0x1p-90 * scale) { /* no root at all: apart, for a >= 0 and a c > b^2 */
        ++m->counters->iterations;
        ++m->counters->evaluations;
        *wanted = abut_runs_add(runs, ABUT_CELL_APART, lo, hi, true);
        return true;
    }
    if (!(disc.h > 0x1p-30 * scale && a.h > 0x1p-20 * (W * W)))
        return false;
    /* The discriminant is known to 2^-67, its root to 2^-68, and so is f = |b| + root, which is not smaller and has b's 2^6 u^2 P W <
     * 2^-85 of it besides; a to 2^-80. So f / a is known to 2^-66, and c / f up to what c is off by as well. */
    const bool closing = b.h < 0;
    const dd f = dd_add(closing ? dd_neg(b) : b, dd_sqrt(disc));
    const dd far = dd_div(f, a), near = dd_div(c, f);
    const double error_far = 0x1p-66 * fabs(far.h);
    const double error_near = 0x1p-66 * fabs(near.h) + 0x1p-98 * (P * P) / f.h;
    abut_interval root[2];
    if (!enclose_time(lo, closing ? near : dd_neg(far), closing ? error_near : error_far, &root[0]) ||
        !enclose_time(lo, closing ? far : dd_neg(near), closing ? error_far : error_near, &root[1]) ||
        !(root[0].hi < root[1].lo))
        return false;
    const int first = place_of(root[0], lo, hi), last = place_of(root[1], lo, hi);
    if (first == 2 || last == 2)
        return false;
    ++m->counters->iterations;
    ++m->counters->evaluations;
    double at = lo;
    *wanted = true;
    for (int i = 0; i < 2; ++i) {
        if ((i == 0 ? first : last) != 0)
            continue;
        *wanted = *wanted &&
                  abut_runs_add(runs, i == 0 ? ABUT_CELL_APART : ABUT_CELL_DEEP, at, root[i].lo, true) &&
                  abut_runs_add(runs, ABUT_CELL_CROSS, root[i].lo, root[i].hi, true);
        at = root[i].hi;
    }
    const bool deep = first <= 0 && last > 0;
    *wanted = *wanted && abut_runs_add(runs, deep ? ABUT_CELL_DEEP : ABUT_CELL_APART, at, hi, true);
    return true;
}
