/* SPDX-License-Identifier: MIT */
/* The referee for meshes and their moving elements.
 *
 * Triangles: long double signs of volumes; in general position, as the workloads are, two
 * triangles meet exactly when an edge of one crosses the other. Meshes: the plainest tree of
 * boxes, halved at the median; it only chooses which pairs of triangles are examined, and its
 * boxes are widened by 1e-9 against rounding. Elements (W9): the four points are coplanar at
 * roots of a cubic; between its critical points it is monotone and bisected in long double; at
 * each root the point must lie in the triangle, or the edges must cross. */
#include "real3.h"
#include "referee.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static real volume(const double a[3], const double b[3], const double c[3], const double d[3])
{
    real u[3], v[3], w[3];
    for (int i = 0; i < 3; ++i) {
        u[i] = (real)b[i] - a[i];
        v[i] = (real)c[i] - a[i];
        w[i] = (real)d[i] - a[i];
    }
    return w[0] * (u[1] * v[2] - u[2] * v[1]) + w[1] * (u[2] * v[0] - u[0] * v[2]) +
           w[2] * (u[0] * v[1] - u[1] * v[0]);
}

static bool edge_crosses(const double p[3], const double q[3], const double t[3][3])
{
    const bool p_above = volume(t[0], t[1], t[2], p) > 0, q_above = volume(t[0], t[1], t[2], q) > 0;
    if (p_above == q_above)
        return false;
    const bool first = volume(p, q, t[0], t[1]) > 0;
    return first == (volume(p, q, t[1], t[2]) > 0) && first == (volume(p, q, t[2], t[0]) > 0);
}

/* Long double signs of volumes; for triangles in general position. */
static bool triangles_meet(const double a[3][3], const double b[3][3])
{
    for (int i = 0; i < 3; ++i)
        if (edge_crosses(a[i], a[(i + 1) % 3], b) || edge_crosses(b[i], b[(i + 1) % 3], a))
            return true;
    return false;
}

static double dot(const double a[3], const double b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static double clamp01(double x)
{
    return x < 0 ? 0 : x > 1 ? 1 : x;
}

/* Squared distance of the segments pq and rs: ends against segments, and the lines where they
 * are nearest inside. */
static double segments(const double p[3], const double q[3], const double r[3], const double s[3])
{
    double d[3], e[3], w[3], best = HUGE_VAL;
    for (int i = 0; i < 3; ++i) {
        d[i] = q[i] - p[i];
        e[i] = s[i] - r[i];
        w[i] = p[i] - r[i];
    }
    const double dd = dot(d, d), ee = dot(e, e), de = dot(d, e), dw = dot(d, w), ew = dot(e, w);
    const double denominator = dd * ee - de * de;
    const double inner = denominator > 0 ? clamp01((de * ew - ee * dw) / denominator) : 0;
    const double candidates[5][2] = { { inner, clamp01((de * inner + ew) / ee) },
                                      { 0, clamp01(ew / ee) },
                                      { 1, clamp01((ew + de) / ee) },
                                      { clamp01(-dw / dd), 0 },
                                      { clamp01((de - dw) / dd), 1 } };
    for (int c = 0; c < 5; ++c) {
        double square = 0;
        for (int i = 0; i < 3; ++i) {
            const double x = w[i] + candidates[c][0] * d[i] - candidates[c][1] * e[i];
            square += x * x;
        }
        best = fmin(best, square);
    }
    return best;
}

/* Squared distance to the triangle's plane where the foot is inside it; otherwise an edge is
 * nearer. */
static double point_above(const double p[3], const double t[3][3])
{
    double e[3], f[3], w[3], n[3];
    for (int i = 0; i < 3; ++i) {
        e[i] = t[1][i] - t[0][i];
        f[i] = t[2][i] - t[0][i];
        w[i] = p[i] - t[0][i];
    }
    const double ee = dot(e, e), ff = dot(f, f), ef = dot(e, f), we = dot(w, e), wf = dot(w, f);
    const double area = ee * ff - ef * ef, s = (we * ff - wf * ef) / area, u = (wf * ee - we * ef) / area;
    if (!(s >= 0 && u >= 0 && s + u <= 1))
        return HUGE_VAL;
    for (int i = 0; i < 3; ++i)
        n[i] = w[i] - s * e[i] - u * f[i];
    return dot(n, n);
}

double bench_referee_triangle_distance(const double a[3][3], const double b[3][3])
{
    if (triangles_meet(a, b))
        return 0;
    double best = HUGE_VAL;
    for (int i = 0; i < 3; ++i) {
        best = fmin(best, fmin(point_above(a[i], b), point_above(b[i], a)));
        for (int k = 0; k < 3; ++k)
            best = fmin(best, segments(a[i], a[(i + 1) % 3], b[k], b[(k + 1) % 3]));
    }
    return sqrt(best);
}

/* ---- trees ---- */

#define LEAF 4

typedef struct node {
    double lo[3], hi[3];
    uint32_t first, count; /* of triangles; count 0: children at first and first + 1 */
} node;

struct bench_tree {
    const bench_mesh *mesh;
    uint32_t *order;
    node *nodes;
    uint32_t node_count;
};

static const bench_mesh *sorted_mesh; /* qsort has no context */
static int sorted_axis;

static double centre(uint32_t triangle, int axis)
{
    const uint32_t *t = sorted_mesh->triangles[triangle];
    return sorted_mesh->vertices[t[0]][axis] + sorted_mesh->vertices[t[1]][axis] +
           sorted_mesh->vertices[t[2]][axis];
}

static int by_centre(const void *a, const void *b)
{
    const double x = centre(*(const uint32_t *)a, sorted_axis), y = centre(*(const uint32_t *)b, sorted_axis);
    return (x > y) - (x < y);
}

static void build(bench_tree *tree, uint32_t index, uint32_t first, uint32_t count)
{
    node *n = &tree->nodes[index];
    for (int k = 0; k < 3; ++k) {
        n->lo[k] = HUGE_VAL;
        n->hi[k] = -HUGE_VAL;
    }
    for (uint32_t i = first; i < first + count; ++i)
        for (int v = 0; v < 3; ++v)
            for (int k = 0; k < 3; ++k) {
                const double x = tree->mesh->vertices[tree->mesh->triangles[tree->order[i]][v]][k];
                n->lo[k] = fmin(n->lo[k], x - 1e-9);
                n->hi[k] = fmax(n->hi[k], x + 1e-9);
            }
    n->first = first;
    n->count = count;
    if (count <= LEAF)
        return;
    sorted_axis = 0;
    for (int k = 1; k < 3; ++k)
        if (n->hi[k] - n->lo[k] > n->hi[sorted_axis] - n->lo[sorted_axis])
            sorted_axis = k;
    qsort(tree->order + first, count, sizeof *tree->order, by_centre);
    const uint32_t child = tree->node_count;
    tree->node_count += 2;
    n->first = child;
    n->count = 0;
    build(tree, child, first, count / 2);
    build(tree, child + 1, first + count / 2, count - count / 2);
}

bench_tree *bench_tree_create(const bench_mesh *mesh)
{
    bench_tree *tree = bench_alloc(1, sizeof *tree);
    tree->mesh = sorted_mesh = mesh;
    tree->order = bench_alloc(mesh->triangle_count, sizeof *tree->order);
    tree->nodes = bench_alloc(2 * mesh->triangle_count, sizeof *tree->nodes);
    for (uint32_t i = 0; i < mesh->triangle_count; ++i)
        tree->order[i] = i;
    tree->node_count = 1;
    build(tree, 0, 0, (uint32_t)mesh->triangle_count);
    return tree;
}

void bench_tree_destroy(bench_tree *tree)
{
    free(tree->order);
    free(tree->nodes);
    free(tree);
}

typedef struct walk {
    const bench_tree *a, *b;
    double turn[3][3], shift[3]; /* of the second mesh in the frame of the first */
    const bench_place *poses;
    uint64_t meeting;
    double nearest;
    bool distance, self;
} walk;

static void load(const bench_tree *tree, uint32_t slot, const bench_place *place, double out[3][3])
{
    for (int v = 0; v < 3; ++v) {
        const double *p = tree->mesh->vertices[tree->mesh->triangles[tree->order[slot]][v]];
        for (int k = 0; k < 3; ++k)
            out[v][k] = dot(place->rotation[k], p) + place->position[k];
    }
}

/* Distance of the boxes of a and of b turned into a's frame; 0 when they overlap. */
static double box_gap(const walk *w, const node *a, const node *b)
{
    double square = 0;
    for (int i = 0; i < 3; ++i) {
        double middle = w->shift[i], half = 1e-9;
        for (int k = 0; k < 3; ++k) {
            middle += w->turn[i][k] * (b->lo[k] + b->hi[k]) / 2;
            half += fabs(w->turn[i][k]) * (b->hi[k] - b->lo[k]) / 2;
        }
        const double gap = fmax(fmax(a->lo[i] - (middle + half), middle - half - a->hi[i]), 0);
        square += gap * gap;
    }
    return sqrt(square);
}

/* The first of a pair that comes twice, without a vertex in common. */
static bool is_strange(const walk *w, uint32_t i, uint32_t k)
{
    const uint32_t a = w->a->order[i], b = w->b->order[k];
    const uint32_t *s = w->a->mesh->triangles[a], *t = w->b->mesh->triangles[b];
    bool strange = a < b;
    for (int v = 0; v < 9; ++v)
        strange &= s[v / 3] != t[v % 3];
    return strange;
}

static void leaves(walk *w, const node *a, const node *b)
{
    for (uint32_t i = 0; i < a->count; ++i)
        for (uint32_t k = 0; k < b->count; ++k) {
            double s[3][3], t[3][3];
            if (w->self && !is_strange(w, a->first + i, b->first + k))
                continue;
            load(w->a, a->first + i, &w->poses[0], s);
            load(w->b, b->first + k, &w->poses[1], t);
            if (w->distance)
                w->nearest = fmin(w->nearest, bench_referee_triangle_distance((const double(*)[3])s,
                                                                              (const double(*)[3])t));
            else
                w->meeting += triangles_meet((const double(*)[3])s, (const double(*)[3])t);
        }
}

static double widest(const node *n)
{
    return fmax(n->hi[0] - n->lo[0], fmax(n->hi[1] - n->lo[1], n->hi[2] - n->lo[2]));
}

static void descend(walk *w, uint32_t ia, uint32_t ib)
{
    const node *a = &w->a->nodes[ia], *b = &w->b->nodes[ib];
    const double gap = box_gap(w, a, b);
    if (w->distance ? gap >= w->nearest : gap > 0)
        return;
    if (a->count && b->count) {
        leaves(w, a, b);
    } else if (b->count || (!a->count && widest(a) >= widest(b))) {
        const bool second = box_gap(w, &w->a->nodes[a->first + 1], b) < box_gap(w, &w->a->nodes[a->first], b);
        descend(w, a->first + second, ib);
        descend(w, a->first + !second, ib);
    } else {
        const bool second = box_gap(w, a, &w->b->nodes[b->first + 1]) < box_gap(w, a, &w->b->nodes[b->first]);
        descend(w, ia, b->first + second);
        descend(w, ia, b->first + !second);
    }
}

static walk start_walk(const bench_tree *a, const bench_tree *b, const bench_place poses[2], bool distance)
{
    walk w = { .a = a, .b = b, .poses = poses, .nearest = HUGE_VAL, .distance = distance };
    for (int i = 0; i < 3; ++i)
        for (int k = 0; k < 3; ++k) {
            for (int j = 0; j < 3; ++j)
                w.turn[i][k] += poses[0].rotation[j][i] * poses[1].rotation[j][k];
            w.shift[i] += poses[0].rotation[k][i] * (poses[1].position[k] - poses[0].position[k]);
        }
    return w;
}

uint64_t bench_referee_mesh_pairs(const bench_tree *a, const bench_tree *b, const bench_place poses[2])
{
    walk w = start_walk(a, b, poses, false);
    descend(&w, 0, 0);
    return w.meeting;
}

double bench_referee_mesh_distance(const bench_tree *a, const bench_tree *b, const bench_place poses[2])
{
    walk w = start_walk(a, b, poses, true);
    descend(&w, 0, 0);
    return w.nearest;
}

uint64_t bench_referee_mesh_self(const bench_tree *tree)
{
    const double none[4] = { 1, 0, 0, 0 };
    bench_place poses[2] = { { { 0 }, { 0 }, { { 0 } } }, { { 0 }, { 0 }, { { 0 } } } };
    bench_place_set_quaternion(&poses[0], none);
    bench_place_set_quaternion(&poses[1], none);
    walk w = start_walk(tree, tree, poses, false);
    w.self = true;
    descend(&w, 0, 0);
    return w.meeting;
}

/* ---- W9 ---- */

static vec at(const bench_element *e, int vertex, real t)
{
    vec v;
    for (int k = 0; k < 3; ++k)
        v.x[k] = e->from[vertex][k] + t * ((real)e->to[vertex][k] - e->from[vertex][k]);
    return v;
}

/* Volume spanned by the four points at time t; a cubic in t. */
static real coplanarity(const bench_element *e, real t)
{
    const vec o = at(e, 0, t);
    return vec_dot(vec_sub(at(e, 1, t), o), vec_cross(vec_sub(at(e, 2, t), o), vec_sub(at(e, 3, t), o)));
}

static bool touch_at(const bench_element *e, bool edges, real t)
{
    const vec p = at(e, 0, t), q = at(e, 1, t), r = at(e, 2, t), s = at(e, 3, t);
    if (edges) { /* segments pq and rs, in one plane: solve p + a (q - p) = r + b (s - r) */
        const vec d = vec_sub(q, p), f = vec_sub(s, r), w = vec_sub(r, p), n = vec_cross(d, f);
        const real nn = vec_dot(n, n), a = vec_dot(vec_cross(w, f), n) / nn,
                   b = vec_dot(vec_cross(w, d), n) / nn;
        return a >= 0 && a <= 1 && b >= 0 && b <= 1;
    }
    const vec d = vec_sub(r, q), f = vec_sub(s, q), w = vec_sub(p, q), n = vec_cross(d, f);
    const real nn = vec_dot(n, n), a = vec_dot(vec_cross(w, f), n) / nn, b = vec_dot(vec_cross(d, w), n) / nn;
    return a >= 0 && b >= 0 && a + b <= 1;
}

bool bench_referee_elements_meet(const bench_element *e, bool edges)
{
    /* c0 + c1 t + c2 t^2 + c3 t^3 through four values, exact up to rounding. */
    const real f0 = coplanarity(e, 0), f1 = coplanarity(e, 1), fm = coplanarity(e, -1),
               f2 = coplanarity(e, 2);
    const real c2 = (f1 + fm) / 2 - f0, c3 = (f2 - f0 - 4 * c2 - (f1 - fm)) / 6, c1 = (f1 - fm) / 2 - c3;
    real cuts[4] = { 0, 1, 1, 1 };
    int count = 1;
    const real a = 3 * c3, b = c2, discriminant = b * b - a * c1; /* of a t^2 + 2 b t + c1 */
    if (discriminant > 0) {
        const real k = -(b + (b < 0 ? -sqrtl(discriminant) : sqrtl(discriminant)));
        const real roots[2] = { a != 0 ? k / a : -1, k != 0 ? c1 / k : -1 };
        const real first = fminl(roots[0], roots[1]), second = fmaxl(roots[0], roots[1]);
        if (first > 0 && first < 1)
            cuts[count++] = first;
        if (second > 0 && second < 1)
            cuts[count++] = second;
    }
    cuts[count] = 1;
    for (int i = 0; i < count; ++i) {
        real lo = cuts[i], hi = cuts[i + 1];
        const bool rising = coplanarity(e, lo) < 0;
        if (rising == (coplanarity(e, hi) < 0))
            continue;
        for (int step = 0; step < 70; ++step) {
            const real mid = (lo + hi) / 2;
            if ((coplanarity(e, mid) < 0) == rising)
                lo = mid;
            else
                hi = mid;
        }
        if (touch_at(e, edges, lo))
            return true;
    }
    return false;
}
