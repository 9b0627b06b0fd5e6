/* SPDX-License-Identifier: MIT */
/* Signed distances of the bodies of the referee, by formulas. */
#include "oracle/patchwork_parts.h"

/* ---- distances to segments, triangles, profiles ---- */

static double to_segment(const double *p, const double *a, const double *b, int n)
{
    double along = 0, square = 0, out = 0;
    for (int i = 0; i < n; ++i) {
        along += (p[i] - a[i]) * (b[i] - a[i]);
        square += (b[i] - a[i]) * (b[i] - a[i]);
    }
    const double s = square > 0 ? min2(max2(along / square, 0), 1) : 0;
    for (int i = 0; i < n; ++i) {
        const double d = p[i] - a[i] - s * (b[i] - a[i]);
        out += d * d;
    }
    return sqrt(out);
}

static double to_triangle(const double p[3], const double *a, const double *b, const double *c)
{
    double u[3], v[3], w[3];
    sub(b, a, u);
    sub(c, a, v);
    sub(p, a, w);
    const double n[3] = { u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0] };
    const double uu = dot(u, u), uv = dot(u, v), vv = dot(v, v), det = uu * vv - uv * uv;
    const double s = (dot(w, u) * vv - dot(w, v) * uv) / det, t = (dot(w, v) * uu - dot(w, u) * uv) / det;
    if (det > 0 && s >= 0 && t >= 0 && s + t <= 1)
        return fabs(dot(w, n)) / length(n);
    return min2(to_segment(p, a, b, 3), min2(to_segment(p, b, c, 3), to_segment(p, c, a, 3)));
}

patchwork_arc patchwork_arc_of(const double *p, const double *q)
{
    const double b = p[2], dx = q[0] - p[0], dy = q[1] - p[1];
    const double off = (1 - b * b) / (4 * b);
    patchwork_arc out = { .x = 0.5 * (p[0] + q[0]) - off * dy, .y = 0.5 * (p[1] + q[1]) + off * dx };
    out.radius = hypot(p[0] - out.x, p[1] - out.y);
    out.from = atan2(p[1] - out.y, p[0] - out.x);
    out.sweep = 4 * atan(b);
    return out;
}

static double to_arc(const double *x, const double *p, const double *q)
{
    const patchwork_arc a = patchwork_arc_of(p, q);
    double along = atan2(x[1] - a.y, x[0] - a.x) - a.from;
    if (a.sweep < 0)
        along = -along;
    along -= 2 * pi * floor(along / (2 * pi));
    const double ends = min2(hypot(x[0] - p[0], x[1] - p[1]), hypot(x[0] - q[0], x[1] - q[1]));
    return along <= fabs(a.sweep) ? fabs(hypot(x[0] - a.x, x[1] - a.y) - a.radius) : ends;
}

/* Signed; sides on the axis do not count where `turned`. */
static double profile_level(const double *c, int count, bool turned, const double x[2])
{
    double out = INFINITY;
    bool in = false;
    for (int i = 0; i < count; ++i) {
        const double *p = c + 3 * (size_t)i, *q = c + 3 * (size_t)((i + 1) % count);
        if (!(turned && p[0] == 0 && q[0] == 0))
            out = min2(out, p[2] != 0 ? to_arc(x, p, q) : to_segment(x, p, q, 2));
        if ((p[1] > x[1]) != (q[1] > x[1]) && x[0] < p[0] + (q[0] - p[0]) * (x[1] - p[1]) / (q[1] - p[1]))
            in = !in;
        if (p[2] != 0) { /* between the chord and the arc */
            const patchwork_arc a = patchwork_arc_of(p, q);
            const double side = (q[0] - p[0]) * (x[1] - p[1]) - (q[1] - p[1]) * (x[0] - p[0]);
            if (hypot(x[0] - a.x, x[1] - a.y) < a.radius && side * p[2] < 0)
                in = !in;
        }
    }
    return in ? -out : out;
}

/* ---- signed distances of leaves ---- */

/* Of a point outside an ellipsoid, by bisection for the parameter of the foot (Eberly). */
static double round_level(const double r[3], const double p[3])
{
    const double x[3] = { fabs(p[0]), fabs(p[1]), fabs(p[2]) };
    const double least = min2(r[0], min2(r[1], r[2]));
    const double k =
        sqrt(x[0] * x[0] / (r[0] * r[0]) + x[1] * x[1] / (r[1] * r[1]) + x[2] * x[2] / (r[2] * r[2]));
    if (r[0] == r[1] && r[1] == r[2])
        return length(p) - r[0];
    if (k <= 1)
        return (k - 1) * least;
    double lo = 0, hi = length(x) * max2(r[0], max2(r[1], r[2]));
    for (int i = 0; i < 90; ++i) {
        const double t = 0.5 * (lo + hi);
        double sum = 0;
        for (int j = 0; j < 3; ++j) {
            const double e = r[j] * x[j] / (r[j] * r[j] + t);
            sum += e * e;
        }
        if (sum > 1)
            lo = t;
        else
            hi = t;
    }
    double out = 0;
    for (int j = 0; j < 3; ++j) {
        const double d = x[j] * lo / (r[j] * r[j] + lo);
        out += d * d;
    }
    return sqrt(out);
}

static double box_level(const double *half, const double p[3], int n)
{
    double out = 0, most = -INFINITY;
    for (int i = 0; i < n; ++i) {
        const double d = fabs(p[i]) - half[i];
        out += d > 0 ? d * d : 0;
        most = max2(most, d);
    }
    return most > 0 ? sqrt(out) : most;
}

static double triangles_level(const double *n, bool solid, const double p[3])
{
    const int vertices = (int)n[0], count = (int)n[1];
    const double *v = n + 2, *c = v + 3 * (size_t)vertices;
    double out = INFINITY, angle = 0;
    for (int i = 0; i < count; ++i) {
        const double *q[3];
        double d[3][3];
        for (int k = 0; k < 3; ++k) {
            q[k] = v + 3 * (size_t)c[3 * i + k];
            sub(q[k], p, d[k]);
        }
        out = min2(out, to_triangle(p, q[0], q[1], q[2]));
        const double a = length(d[0]), b = length(d[1]), e = length(d[2]);
        const double det = d[0][0] * (d[1][1] * d[2][2] - d[1][2] * d[2][1]) +
                           d[0][1] * (d[1][2] * d[2][0] - d[1][0] * d[2][2]) +
                           d[0][2] * (d[1][0] * d[2][1] - d[1][1] * d[2][0]);
        angle += 2 * atan2(det, a * b * e + dot(d[0], d[1]) * e + dot(d[1], d[2]) * a + dot(d[2], d[0]) * b);
    }
    return solid && angle > 2 * pi ? -out : out;
}

static void field_vertex(const double *n, int i, int j, double out[3])
{
    out[0] = (i - 0.5 * (n[0] - 1)) * n[2];
    out[1] = (j - 0.5 * (n[1] - 1)) * n[3];
    out[2] = n[4 + j * (int)n[0] + i];
}

/* Corner k of triangle number: split from the first to the opposite corner. */
void patchwork_field_corner(const double *n, int number, int k, double out[3])
{
    const int cell = number / 2, i = cell % ((int)n[0] - 1), j = cell / ((int)n[0] - 1);
    static const int at[2][3][2] = { { { 0, 0 }, { 1, 0 }, { 1, 1 } }, { { 0, 0 }, { 1, 1 }, { 0, 1 } } };
    field_vertex(n, i + at[number & 1][k][0], j + at[number & 1][k][1], out);
}

int patchwork_field_count(const double *n)
{
    return 2 * ((int)n[0] - 1) * ((int)n[1] - 1);
}

/* A vertical strip below the segment from a to b. */
static double to_strip(const double p[3], const double a[3], const double b[3])
{
    const double dx = b[0] - a[0], dy = b[1] - a[1];
    const double s = ((p[0] - a[0]) * dx + (p[1] - a[1]) * dy) / (dx * dx + dy * dy);
    const double at = min2(max2(s, 0), 1);
    if (p[2] <= a[2] + at * (b[2] - a[2]))
        return hypot(p[0] - a[0] - at * dx, p[1] - a[1] - at * dy);
    return to_segment(p, a, b, 3);
}

int patchwork_wall_count(const double *n)
{
    return 2 * ((int)n[0] - 1) + 2 * ((int)n[1] - 1);
}

void patchwork_wall(const double *n, int k, double a[3], double b[3])
{
    const int c = (int)n[0], r = (int)n[1];
    if (k < 2 * (c - 1)) {
        const int j = k < c - 1 ? 0 : r - 1, i = k % (c - 1);
        field_vertex(n, i, j, a);
        field_vertex(n, i + 1, j, b);
    } else {
        const int m = k - 2 * (c - 1), i = m < r - 1 ? 0 : c - 1, j = m % (r - 1);
        field_vertex(n, i, j, a);
        field_vertex(n, i, j + 1, b);
    }
}

static double field_level(const double *n, const double p[3])
{
    double out = INFINITY;
    bool in = false;
    for (int k = 0; k < patchwork_field_count(n); ++k) {
        double q[3][3];
        for (int i = 0; i < 3; ++i)
            patchwork_field_corner(n, k, i, q[i]);
        out = min2(out, to_triangle(p, q[0], q[1], q[2]));
        double u[3], v[3], w[3];
        sub(q[1], q[0], u);
        sub(q[2], q[0], v);
        sub(p, q[0], w);
        const double det = u[0] * v[1] - u[1] * v[0];
        const double s = (w[0] * v[1] - w[1] * v[0]) / det, t = (u[0] * w[1] - u[1] * w[0]) / det;
        if (s >= 0 && t >= 0 && s + t <= 1 && w[2] < s * u[2] + t * v[2])
            in = true;
    }
    for (int k = 0; k < patchwork_wall_count(n); ++k) {
        double a[3], b[3];
        patchwork_wall(n, k, a, b);
        out = min2(out, to_strip(p, a, b));
    }
    return in ? -out : out;
}

static double leaf_level(const patchwork_leaf *l, bool solid, const double x[3])
{
    const double *n = l->n;
    double p[3], d[3];
    sub(x, l->at, d);
    for (int i = 0; i < 3; ++i)
        p[i] = l->turn[0][i] * d[0] + l->turn[1][i] * d[1] + l->turn[2][i] * d[2];
    const double r = hypot(p[0], p[1]);
    switch (l->type) {
    case PATCHWORK_BOX: return box_level(n, p, 3);
    case PATCHWORK_ROUND: return round_level(n, p);
    case PATCHWORK_CAPSULE: return hypot(r, max2(0, fabs(p[2]) - 0.5 * n[1])) - n[0];
    case PATCHWORK_TURNED: {
        const double q[2] = { r, p[2] };
        return profile_level(n + 1, (int)n[0], true, q);
    }
    case PATCHWORK_DRAWN: {
        const double flat = profile_level(n + 2, (int)n[1], false, p),
                     up = fabs(p[2] - 0.5 * n[0]) - 0.5 * n[0];
        return flat > 0 && up > 0 ? hypot(flat, up) : max2(flat, up);
    }
    case PATCHWORK_TORUS: return hypot(r - n[0], p[2]) - n[1];
    case PATCHWORK_HALF: return dot(n, p) - n[3];
    case PATCHWORK_TRIANGLES: return triangles_level(n, solid, p);
    case PATCHWORK_FIELD: return field_level(n, p);
    default: return 0; /* of these sheets nothing is known but their points */
    }
}

double patchwork_level(const patchwork *b, const double x[3])
{
    double out = leaf_level(&b->leaf[0], b->solid, x);
    for (int i = 1; i < b->count; ++i) {
        const double other = leaf_level(&b->leaf[i], b->solid, x);
        out = b->op == PATCHWORK_UNION    ? min2(out, other)
              : b->op == PATCHWORK_COMMON ? max2(out, other)
                                          : max2(out, -other);
    }
    return out - b->margin;
}

/* Of rigid placements only the sign is right elsewhere. */
double patchwork_level_at(const patchwork *b, const patchwork_place *at, const double x[3])
{
    double d[3], p[3];
    sub(x, at->t, d);
    const double(*m)[3] = at->m;
    if (at->rigid) {
        for (int i = 0; i < 3; ++i)
            p[i] = m[0][i] * d[0] + m[1][i] * d[1] + m[2][i] * d[2];
        return patchwork_level(b, p);
    }
    const double det = m[0][0] * (m[1][1] * m[2][2] - m[1][2] * m[2][1]) -
                       m[0][1] * (m[1][0] * m[2][2] - m[1][2] * m[2][0]) +
                       m[0][2] * (m[1][0] * m[2][1] - m[1][1] * m[2][0]);
    for (int i = 0; i < 3; ++i) { /* Cramer's rule */
        double c[3][3];
        for (int r = 0; r < 3; ++r)
            for (int k = 0; k < 3; ++k)
                c[r][k] = k == i ? d[r] : m[r][k];
        p[i] = (c[0][0] * (c[1][1] * c[2][2] - c[1][2] * c[2][1]) -
                c[0][1] * (c[1][0] * c[2][2] - c[1][2] * c[2][0]) +
                c[0][2] * (c[1][0] * c[2][1] - c[1][1] * c[2][0])) /
               det;
    }
    return patchwork_level(b, p);
}
