/* SPDX-License-Identifier: MIT */
/* What two triangles that meet have in common, in plain doubles; see triangle.h.
 *
 * Across planes each triangle has an interval on the common line, between two points of its boundary in the other's plane; of the four points the middle two are the
 * ends. In one plane one is cut by the edges of the other. Where rounding leaves nothing, the nearest points stand for the answer. */
#include "math/nearest.h"
#include "math/vec3.h"
#include "narrow/triangle.h"

#include <float.h>

typedef struct points {
    int count;
    abut_vec3 p[9];
} points;

/* The two points that are furthest apart. */
static bool furthest(const points *of, abut_vec3 *from, abut_vec3 *to)
{
    if (of->count == 0)
        return false;
    double most = -1;
    for (int i = 0; i < of->count; ++i)
        for (int j = i; j < of->count; ++j) {
            const abut_vec3 d = abut_sub(of->p[j], of->p[i]);
            const double square = abut_dot(d, d);
            if (square > most) {
                most = square;
                *from = of->p[i];
                *to = of->p[j];
            }
        }
    return most >= 0;
}

static abut_vec3 between(abut_vec3 p, double dp, abut_vec3 q, double dq)
{
    const double s = dp / (dp - dq);
    return s >= 0 && s <= 1
               ? (abut_vec3){ p.x + s * (q.x - p.x), p.y + s * (q.y - p.y), p.z + s * (q.z - p.z) }
               : p;
}

/* Where the boundary of t passes the plane in which the heights d are zero. */
static void crossings(const abut_vec3 t[3], const double d[3], points *out)
{
    out->count = 0;
    for (int i = 0; i < 3; ++i) {
        const int j = (i + 1) % 3;
        if (d[i] == 0)
            out->p[out->count++] = t[i];
        else if ((d[i] < 0 && d[j] > 0) || (d[i] > 0 && d[j] < 0))
            out->p[out->count++] = between(t[i], d[i], t[j], d[j]);
    }
}

static bool cut_across(const abut_vec3 a[3], const abut_vec3 b[3], abut_vec3 na, abut_vec3 nb,
                       abut_vec3 *from, abut_vec3 *to)
{
    double da[3], db[3];
    const abut_vec3 line = abut_cross(na, nb);
    points of[2], middle = { 0 };
    for (int i = 0; i < 3; ++i) {
        db[i] = abut_dot(na, abut_sub(b[i], a[0]));
        da[i] = abut_dot(nb, abut_sub(a[i], b[0]));
    }
    crossings(a, da, &of[0]);
    crossings(b, db, &of[1]);
    if (of[0].count == 0 || of[1].count == 0 || !(abut_dot(line, line) > 0))
        return false;
    double low = -HUGE_VAL, high = HUGE_VAL;
    for (int k = 0; k < 2; ++k) { /* the larger of the lower ends, the smaller of the upper */
        int first = 0, last = 0;
        double lo = HUGE_VAL, hi = -HUGE_VAL;
        for (int i = 0; i < of[k].count; ++i) {
            const double at = abut_dot(line, abut_sub(of[k].p[i], a[0]));
            if (at < lo) {
                lo = at;
                first = i;
            }
            if (at > hi) {
                hi = at;
                last = i;
            }
        }
        if (lo > low || k == 0) {
            low = lo;
            middle.p[0] = of[k].p[first];
        }
        if (hi < high || k == 0) {
            high = hi;
            middle.p[1] = of[k].p[last];
        }
    }
    if (!(low <= high)) /* by rounding only: they meet */
        middle.p[0] = middle.p[1] = abut_scale(0.5, abut_add(middle.p[0], middle.p[1]));
    *from = middle.p[0];
    *to = middle.p[1];
    return true;
}

/* What of the polygon is on the inner side of the edges of t, whose normal is n. */
static void clip(const abut_vec3 t[3], abut_vec3 n, points *polygon)
{
    for (int k = 0; k < 3; ++k) {
        const abut_vec3 inward = abut_cross(n, abut_sub(t[(k + 1) % 3], t[k]));
        points left = { 0 };
        for (int i = 0; i < polygon->count; ++i) {
            const abut_vec3 p = polygon->p[i], q = polygon->p[(i + 1) % polygon->count];
            const double dp = abut_dot(inward, abut_sub(p, t[k])), dq = abut_dot(inward, abut_sub(q, t[k]));
            if (dp >= 0 && left.count < 9)
                left.p[left.count++] = p;
            if (((dp < 0 && dq > 0) || (dp > 0 && dq < 0)) && left.count < 9)
                left.p[left.count++] = between(p, dp, q, dq);
        }
        *polygon = left;
    }
}

static bool cut_in_plane(const abut_vec3 a[3], const abut_vec3 b[3], abut_vec3 na, abut_vec3 nb,
                         abut_vec3 *from, abut_vec3 *to)
{
    const bool by_b = abut_dot(nb, nb) >= abut_dot(na, na);
    points polygon = { 3, { { 0, 0, 0 } } };
    for (int i = 0; i < 3; ++i)
        polygon.p[i] = by_b ? a[i] : b[i];
    const abut_vec3 n = by_b ? nb : na;
    if (!(abut_dot(n, n) > 0))
        return false;
    clip(by_b ? b : a, n, &polygon);
    return furthest(&polygon, from, to);
}

/* Corners of one that are on the other, for figures without area and what rounding leaves. */
static void cut_by_corners(const abut_vec3 a[3], const abut_vec3 b[3], abut_vec3 *from, abut_vec3 *to)
{
    points found = { 0 };
    double least = HUGE_VAL;
    abut_vec3 nearest = a[0];
    for (int k = 0; k < 6; ++k) {
        const abut_vec3 *t = k < 3 ? b : a, p = k < 3 ? a[k] : b[k - 3];
        abut_feature feature;
        int which;
        const abut_vec3 q = abut_triangle_closest(t, p, &feature, &which), d = abut_sub(q, p);
        const double off = abut_dot(d, d), size = abut_dot(p, p);
        if (off < least) {
            least = off;
            nearest = p;
        }
        if (off <= 0x1p-90 * size)
            found.p[found.count++] = p;
    }
    if (!furthest(&found, from, to))
        *from = *to = nearest;
}

void abut_triangle_cut(const abut_triangle_frame *frame, const abut_vec3 a[3], const abut_vec3 b[3],
                       abut_meet meet, abut_vec3 *from, abut_vec3 *to)
{
    const abut_vec3 origin = a[0];
    abut_vec3 x[3], y[3];
    double size = 0;
    for (int i = 0; i < 3; ++i) {
        x[i] = abut_sub(a[i], origin);
        y[i] = abut_sub(abut_add(abut_mul(&frame->b_in_a.r, b[i]), frame->b_in_a.t), origin);
        size = fmax(size, fmax(abut_max_norm(x[i]), abut_max_norm(y[i])));
    }
    *from = *to = origin;
    if (!(size > 0 && size <= DBL_MAX))
        return;
    int exponent;
    (void)frexp(size, &exponent);
    const double scale = ldexp(1, exponent < -1000 ? 1000 : -exponent);
    for (int i = 0; i < 3; ++i) {
        x[i] = abut_scale(scale, x[i]);
        y[i] = abut_scale(scale, y[i]);
    }
    const abut_vec3 na = abut_cross(abut_sub(x[1], x[0]), abut_sub(x[2], x[0])),
                    nb = abut_cross(abut_sub(y[1], y[0]), abut_sub(y[2], y[0]));
    abut_vec3 p, q;
    bool found =
        meet == ABUT_MEET_COPLANAR ? cut_in_plane(x, y, na, nb, &p, &q) : cut_across(x, y, na, nb, &p, &q);
    if (!found && meet != ABUT_MEET_COPLANAR)
        found = cut_in_plane(x, y, na, nb, &p, &q);
    if (!found)
        cut_by_corners(x, y, &p, &q);
    if (!abut_is_finite3(p) || !abut_is_finite3(q))
        return;
    *from = abut_madd(origin, 1 / scale, p);
    *to = abut_madd(origin, 1 / scale, q);
}
