/* SPDX-License-Identifier: MIT */
/* Distance of two triangles in long double, by all their features: the referee of hierarchies.
 * Degenerate triangles are welcome. */
#ifndef ABUT_ORACLE_TRIANGLE_BRUTE_H
#define ABUT_ORACLE_TRIANGLE_BRUTE_H

#include <math.h>
#include <stdbool.h>

typedef struct brute_point {
    long double x[3];
} brute_point;

static inline brute_point brute_at(brute_point p, long double s, brute_point d)
{
    return (brute_point){ { p.x[0] + s * d.x[0], p.x[1] + s * d.x[1], p.x[2] + s * d.x[2] } };
}

static inline brute_point brute_minus(brute_point p, brute_point q)
{
    return brute_at(p, -1, q);
}

static inline long double brute_dot(brute_point p, brute_point q)
{
    return p.x[0] * q.x[0] + p.x[1] * q.x[1] + p.x[2] * q.x[2];
}

static inline brute_point brute_cross(brute_point p, brute_point q)
{
    return (brute_point){ { p.x[1] * q.x[2] - p.x[2] * q.x[1], p.x[2] * q.x[0] - p.x[0] * q.x[2],
                            p.x[0] * q.x[1] - p.x[1] * q.x[0] } };
}

static inline long double brute_length(brute_point p)
{
    return sqrtl(brute_dot(p, p));
}

static inline long double brute_clamp(long double s)
{
    return s < 0 ? 0 : s > 1 ? 1 : s;
}

static inline long double brute_point_segment(brute_point p, brute_point a, brute_point b)
{
    const brute_point e = brute_minus(b, a);
    const long double square = brute_dot(e, e);
    const long double s = square > 0 ? brute_clamp(brute_dot(brute_minus(p, a), e) / square) : 0;
    return brute_length(brute_minus(p, brute_at(a, s, e)));
}

/* The ends against the other segment, and the crossing of the lines where it is inside both. */
static inline long double brute_segments(const brute_point p[2], const brute_point q[2])
{
    long double best =
        fminl(fminl(brute_point_segment(p[0], q[0], q[1]), brute_point_segment(p[1], q[0], q[1])),
              fminl(brute_point_segment(q[0], p[0], p[1]), brute_point_segment(q[1], p[0], p[1])));
    const brute_point d = brute_minus(p[1], p[0]), e = brute_minus(q[1], q[0]), r = brute_minus(q[0], p[0]);
    const brute_point n = brute_cross(d, e);
    const long double square = brute_dot(n, n);
    if (square > 0) {
        const long double s = brute_dot(brute_cross(r, e), n) / square,
                          t = brute_dot(brute_cross(r, d), n) / square;
        if (s >= 0 && s <= 1 && t >= 0 && t <= 1)
            best = fminl(best, brute_length(brute_minus(brute_at(p[0], s, d), brute_at(q[0], t, e))));
    }
    return best;
}

/* Does p lie over the triangle, seen along its normal? */
static inline bool brute_over(brute_point p, const brute_point t[3], brute_point n)
{
    for (int k = 0; k < 3; ++k)
        if (brute_dot(brute_cross(brute_minus(t[(k + 1) % 3], t[k]), brute_minus(p, t[k])), n) < 0)
            return false;
    return true;
}

/* Corners of p over the face of q, and edges of p through it. */
static inline long double brute_against_face(const brute_point p[3], const brute_point q[3])
{
    const brute_point n = brute_cross(brute_minus(q[1], q[0]), brute_minus(q[2], q[0]));
    const long double length = brute_length(n);
    long double best = INFINITY;
    if (!(length > 0))
        return best;
    for (int k = 0; k < 3; ++k) {
        const brute_point a = p[k], b = p[(k + 1) % 3];
        const long double ha = brute_dot(brute_minus(a, q[0]), n), hb = brute_dot(brute_minus(b, q[0]), n);
        if (brute_over(a, q, n))
            best = fminl(best, fabsl(ha) / length);
        if ((ha < 0 && hb > 0) || (ha > 0 && hb < 0))
            if (brute_over(brute_at(a, ha / (ha - hb), brute_minus(b, a)), q, n))
                best = 0;
    }
    return best;
}

static inline long double brute_triangles(const brute_point p[3], const brute_point q[3])
{
    long double best = fminl(brute_against_face(p, q), brute_against_face(q, p));
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j) {
            const brute_point a[2] = { p[i], p[(i + 1) % 3] }, b[2] = { q[j], q[(j + 1) % 3] };
            best = fminl(best, brute_segments(a, b));
        }
    return best;
}

#endif
