/* SPDX-License-Identifier: MIT */
/* What two triangles that meet have in common, in plain doubles; see triangle.h.
 *
 * Across planes each triangle has an interval on the common line, between two points of its
 * boundary in the other's plane; of the four points the middle two are the ends. In one plane
 * one is cut by the edges of the other. Triangles that touch do so at corners, or where two
 * edges cross: there exact signs say which corners are in the other's plane, since a rounded
 * height that should be zero would cut an edge at any of its points. */
#include "abut/predicates.h"
#include "math/nearest.h"
#include "math/vec3.h"
#include "narrow/triangle/triangle_signs.h"

#include <float.h>

typedef struct points {
    int count;
    abut_vec3 p[15]; /* nine of a clipped triangle, six corners */
} points;

/* Both seen from corner 0 of a, times a power of two that keeps products in range. */
typedef struct figures {
    abut_vec3 a[3], b[3];
    abut_vec3 na, nb;
    double ha[3],
        /* of a's corners over the plane of b, of b's over that of a; not divided by lengths */
        hb[3];
    double near;         /* points so near are taken for the same, squared */
    bool flat_a, flat_b; /* without area */
} figures;

static double larger(double a, double b)
{
    return a > b ? a : b;
}

static double size_of(abut_vec3 v)
{
    return larger(fabs(v.x), larger(fabs(v.y), fabs(v.z)));
}

static double clamp(double s)
{
    return s > 0 ? s < 1 ? s : 1 : 0;
}

/* The two points that are furthest apart. */
static bool furthest(const points *of, abut_vec3 *from, abut_vec3 *to)
{
    double most = -1;
    for (int i = 0; i < of->count; ++i)
        for (int j = i; j < of->count; ++j) {
            const abut_vec3 d = abut_sub(of->p[j], of->p[i]);
            if (abut_dot(d, d) > most) {
                most = abut_dot(d, d);
                *from = of->p[i];
                *to = of->p[j];
            }
        }
    return most >= 0;
}

static abut_vec3 between(abut_vec3 p, double dp, abut_vec3 q, double dq)
{
    const double s = dp / (dp - dq);
    return s >= 0 && s <= 1 ? abut_madd(p, s, abut_sub(q, p)) : p;
}

/* Where the boundary of t passes the plane over which its corners have the heights h. */
static void crossings(const abut_vec3 t[3], const double h[3], points *out)
{
    out->count = 0;
    for (int i = 0; i < 3; ++i) {
        const int j = (i + 1) % 3;
        if (h[i] == 0)
            out->p[out->count++] = t[i];
        else if ((h[i] < 0 && h[j] > 0) || (h[i] > 0 && h[j] < 0))
            out->p[out->count++] = between(t[i], h[i], t[j], h[j]);
    }
}

/* The first and last of some points along a line. */
typedef struct extent {
    double low, high;
    abut_vec3 first, last;
} extent;

static extent extent_of(const points *of, abut_vec3 line)
{
    extent e = { HUGE_VAL, -HUGE_VAL, of->p[0], of->p[0] };
    for (int i = 0; i < of->count; ++i) {
        const double at = abut_dot(line, of->p[i]);
        if (at < e.low) {
            e.low = at;
            e.first = of->p[i];
        }
        if (at > e.high) {
            e.high = at;
            e.last = of->p[i];
        }
    }
    return e;
}

static bool cut_across(const figures *g, abut_vec3 *from, abut_vec3 *to)
{
    points of_a, of_b;
    crossings(g->a, g->ha, &of_a);
    crossings(g->b, g->hb, &of_b);
    const abut_vec3 line = abut_cross(g->na, g->nb);
    if (of_a.count == 0 || of_b.count == 0 || !(abut_dot(line, line) > 0))
        return false;
    const extent a = extent_of(&of_a, line), b = extent_of(&of_b, line);
    *from = a.low > b.low ? a.first : b.first;
    *to = a.high < b.high ? a.last : b.last;
    if (larger(a.low, b.low) > -larger(-a.high, -b.high)) /* by rounding only: they meet */
        *from = *to = abut_scale(0.5, abut_add(*from, *to));
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

static void clip_in_plane(const figures *g, points *polygon)
{
    const bool by_b = g->flat_a || (!g->flat_b && abut_dot(g->nb, g->nb) >= abut_dot(g->na, g->na));
    polygon->count = 3;
    for (int i = 0; i < 3; ++i)
        polygon->p[i] = by_b ? g->a[i] : g->b[i];
    clip(by_b ? g->b : g->a, by_b ? g->nb : g->na, polygon);
}

/* Nearest points of edge i of a and edge k of b; the square of their distance. */
static double edge_edge(const figures *g, int i, int k, abut_vec3 *at)
{
    const abut_vec3 u = abut_sub(g->a[(i + 1) % 3], g->a[i]), w = abut_sub(g->b[(k + 1) % 3], g->b[k]),
                    r = abut_sub(g->b[k], g->a[i]), n = abut_cross(u, w);
    const double nn = abut_dot(n, n);
    if (!(nn > 0))
        return HUGE_VAL;
    const double s = abut_dot(abut_cross(r, w), n) / nn, t = abut_dot(abut_cross(r, u), n) / nn;
    const abut_vec3 x = abut_madd(g->a[i], clamp(s), u), y = abut_madd(g->b[k], clamp(t), w),
                    d = abut_sub(y, x);
    *at = abut_scale(0.5, abut_add(x, y));
    return abut_dot(d, d);
}

/* Adds the corners of each that are on the other, nearly; the nearest one, and the square of how
 * far it is off. */
static double add_corners(const figures *g, points *found, abut_vec3 *nearest)
{
    double least = HUGE_VAL;
    for (int k = 0; k < 6; ++k) {
        const abut_vec3 p = k < 3 ? g->a[k] : g->b[k - 3];
        abut_feature feature;
        int which;
        const abut_vec3 d = abut_sub(abut_triangle_closest(k < 3 ? g->b : g->a, p, &feature, &which), p);
        if (abut_dot(d, d) <= g->near)
            found->p[found->count++] = p;
        if (abut_dot(d, d) < least) {
            least = abut_dot(d, d);
            *nearest = p;
        }
    }
    return least;
}

/* Corners of one that are on the other, with what is found already; if there is nothing, where
 * corners and edges come nearest to each other. */
static void cut_at_corners(const figures *g, points *found, abut_vec3 *from, abut_vec3 *to)
{
    abut_vec3 nearest = g->a[0];
    double least = add_corners(g, found, &nearest);
    if (furthest(found, from, to))
        return;
    for (int i = 0; i < 9; ++i) {
        abut_vec3 at = nearest;
        const double square = edge_edge(g, i / 3, i % 3, &at);
        if (square < least) {
            least = square;
            nearest = at;
        }
    }
    *from = *to = nearest;
}

/* Heights with their true signs. */
static ABUT_MATH_NOINLINE void correct(const abut_triangle_frame *frame, const abut_vec3 a[3],
                                       const abut_vec3 b[3], figures *g)
{
    abut_triangle_signs s;
    abut_triangle_signs_set(frame, a, b, &s);
    for (int i = 0; i < 6; ++i) {
        double *h = i < 3 ? &g->ha[i] : &g->hb[i - 3];
        const int side = i < 3 ? abut_triangle_volume(&s, 3, 4, 5, i) : abut_triangle_volume(&s, 0, 1, 2, i);
        if (side == 0)
            *h = 0;
        else if (side != ABUT_TRIANGLE_UNKNOWN && !(side * *h > 0))
            *h = side * DBL_MIN;
    }
    g->flat_a = abut_collinear(a[0], a[1], a[2]);
    g->flat_b = abut_collinear(b[0], b[1], b[2]);
}

static bool all_zero(const double h[3])
{
    return h[0] == 0 && h[1] == 0 && h[2] == 0;
}

static void cut_touching(const figures *g, abut_vec3 *from, abut_vec3 *to)
{
    points found = { 0 };
    if (!g->flat_a && !g->flat_b && !all_zero(g->ha)) {
        if (cut_across(g, from, to))
            return;
    } else if (g->flat_a != g->flat_b) { /* a segment through the plane of a triangle, or in it */
        const double *h = g->flat_a ? g->ha : g->hb;
        if (all_zero(h)) {
            clip_in_plane(g, &found);
        } else {
            crossings(g->flat_a ? g->a : g->b, h, &found);
            if (furthest(&found, from, to))
                return;
        }
    }
    cut_at_corners(g, &found, from, to);
}

static bool set_up(const abut_triangle_frame *frame, const abut_vec3 a[3], const abut_vec3 b[3], figures *g,
                   double *scale)
{
    double size = 0;
    for (int i = 0; i < 3; ++i) {
        g->a[i] = abut_sub(a[i], a[0]);
        g->b[i] = abut_sub(abut_add(abut_mul(&frame->b_in_a.r, b[i]), frame->b_in_a.t), a[0]);
        size = larger(size, larger(size_of(g->a[i]), size_of(g->b[i])));
    }
    if (!(size > 0 && size <= DBL_MAX))
        return false;
    *scale = 1;
    if (!(size > 0x1p-100 && size < 0x1p100)) {
        int exponent;
        (void)frexp(size, &exponent);
        *scale = ldexp(1, exponent < -1000 ? 1000 : exponent > 1000 ? -1000 : -exponent);
        for (int i = 0; i < 3; ++i) {
            g->a[i] = abut_scale(*scale, g->a[i]);
            g->b[i] = abut_scale(*scale, g->b[i]);
        }
        size *= *scale;
    }
    const double off = 0x1p-45 * size + 16 * frame->b_in_a.error * *scale, most = 0x1p-20 * size;
    const double blur = off < most ? off : most;
    g->near = blur * blur;
    g->na = abut_cross(g->a[1], g->a[2]);
    g->nb = abut_cross(abut_sub(g->b[1], g->b[0]), abut_sub(g->b[2], g->b[0]));
    g->flat_a = g->flat_b = false;
    for (int i = 0; i < 3; ++i) {
        g->ha[i] = abut_dot(g->nb, abut_sub(g->a[i], g->b[0]));
        g->hb[i] = abut_dot(g->na, g->b[i]);
    }
    return true;
}

void abut_triangle_cut(const abut_triangle_frame *frame, const abut_vec3 a[3], const abut_vec3 b[3],
                       abut_meet meet, abut_vec3 *from, abut_vec3 *to)
{
    figures g;
    double scale;
    *from = *to = a[0];
    if (!set_up(frame, a, b, &g, &scale))
        return;
    abut_vec3 p, q;
    points found = { 0 };
    if (meet == ABUT_MEET_TOUCH) {
        correct(frame, a, b, &g);
        cut_touching(&g, &p, &q);
    } else if (meet != ABUT_MEET_CROSS || !cut_across(&g, &p, &q)) {
        clip_in_plane(&g, &found);
        if (!furthest(&found, &p, &q))
            cut_at_corners(&g, &found, &p, &q);
    }
    if (!abut_is_finite3(p) || !abut_is_finite3(q))
        return;
    *from = abut_madd(a[0], 1 / scale, p);
    *to = abut_madd(a[0], 1 / scale, q);
}
