/* SPDX-License-Identifier: MIT */
/* Wide trees against all pairs in long double: nothing that counts is left out, nothing comes
 * twice, the nearest is the nearest. With the vector unit and without. */
#include "support/places.h"

#include "bvh/wide.h"

/* ---- distances in long double ---- */

typedef struct point {
    long double x, y, z;
} point;

static point sub(point a, point b)
{
    return (point){ a.x - b.x, a.y - b.y, a.z - b.z };
}

static point along(point a, long double s, point d)
{
    return (point){ a.x + s * d.x, a.y + s * d.y, a.z + s * d.z };
}

static long double dot(point a, point b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

static point cross(point a, point b)
{
    return (point){ a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x };
}

static long double clamp(long double s)
{
    return s < 0 ? 0 : (s > 1 ? 1 : s);
}

/* Of a point and a segment, squared. */
static long double point_segment(point p, point a, point b)
{
    const point d = sub(b, a), w = sub(p, a);
    const long double dd = dot(d, d);
    const point r = sub(w, along((point){ 0 }, dd > 0 ? clamp(dot(w, d) / dd) : 0, d));
    return dot(r, r);
}

/* Of two segments, squared: at an end of one of them, or between the nearest points of the
 * lines. */
static long double segments(point a, point b, point c, point d)
{
    long double best = fminl(fminl(point_segment(a, c, d), point_segment(b, c, d)),
                             fminl(point_segment(c, a, b), point_segment(d, a, b)));
    const point u = sub(b, a), v = sub(d, c), w = sub(a, c);
    const long double uu = dot(u, u), uv = dot(u, v), vv = dot(v, v), den = uu * vv - uv * uv;
    if (den > 0) {
        const long double s = (uv * dot(v, w) - vv * dot(u, w)) / den,
                          t = (uu * dot(v, w) - uv * dot(u, w)) / den;
        if (s >= 0 && s <= 1 && t >= 0 && t <= 1) {
            const point r = sub(along(a, s, u), along(c, t, v));
            best = fminl(best, dot(r, r));
        }
    }
    return best;
}

/* Squared distance of p and the point of t that q, in its plane with normal n, is nearly;
 * infinite where that is outside. The point is made of weights that are not negative, so that it
 * is in t however thin t is: what comes out is never less than the distance of p from t. */
static long double to_inside(const point t[3], point n, point q, point p)
{
    long double weight[3], sum = 0;
    for (int i = 0; i < 3; ++i) {
        weight[i] = dot(cross(n, sub(t[(i + 2) % 3], t[(i + 1) % 3])), sub(q, t[(i + 1) % 3]));
        if (weight[i] < 0)
            return INFINITY;
        sum += weight[i];
    }
    if (!(sum > 0))
        return INFINITY;
    point at = { 0 };
    for (int i = 0; i < 3; ++i)
        at = along(at, weight[i] / sum, t[i]);
    return dot(sub(p, at), sub(p, at));
}

/* Corners of s above t, sides of s through t; squared. */
static long double one_way(const point s[3], const point t[3])
{
    const point n = cross(sub(t[1], t[0]), sub(t[2], t[0]));
    const long double nn = dot(n, n);
    long double best = INFINITY;
    if (!(nn > 0))
        return best;
    for (int i = 0; i < 3; ++i) {
        const point from = s[i], to = s[(i + 1) % 3];
        const long double x = dot(n, sub(from, t[0])), y = dot(n, sub(to, t[0]));
        best = fminl(best, to_inside(t, n, along(from, -x / nn, n), from));
        if ((x < 0) != (y < 0)) {
            const point at = along(from, x / (x - y), sub(to, from));
            best = fminl(best, to_inside(t, n, at, at));
        }
    }
    return best;
}

static long double triangles_distance(const point s[3], const point t[3])
{
    long double best = fminl(one_way(s, t), one_way(t, s));
    for (int i = 0; i < 3; ++i)
        for (int k = 0; k < 3; ++k)
            best = fminl(best, segments(s[i], s[(i + 1) % 3], t[k], t[(k + 1) % 3]));
    return sqrtl(best);
}

/* ---- meshes ---- */

enum { MOST = 1300 };

typedef struct mesh {
    abut_vec3 vertices[3 * MOST];
    uint32_t triangles[3 * MOST];
    abut_bvh_def def;
    abut_bvh *tree;
} mesh;

static abut_vec3 moved(abut_vec3 a, abut_vec3 by)
{
    return (abut_vec3){ a.x + by.x, a.y + by.y, a.z + by.z };
}

/* A sheet with common corners, bent. */
static void make_sheet(mesh *m, test_random *r, size_t n)
{
    const uint32_t wide = (uint32_t)sqrt((double)n / 2) + 1;
    const double bend = test_uniform(r, 0, 3);
    uint32_t count = 0;
    for (uint32_t i = 0; i < (wide + 1) * (wide + 1); ++i) {
        const double x = (double)(i % (wide + 1)) / wide - .5, y = (double)(i / (wide + 1)) / wide - .5;
        m->vertices[i % (3 * MOST)] = (abut_vec3){ sin(bend * x), y, cos(bend * x) * .7 + .1 * sin(9 * y) };
    }
    for (uint32_t i = 0; i < wide; ++i)
        for (uint32_t k = 0; k < wide; ++k) {
            const uint32_t a = i * (wide + 1) + k, b = a + wide + 1;
            const uint32_t two[6] = { a, a + 1, b, a + 1, b + 1, b };
            for (int t = 0; t < 2 && count < n; ++t, ++count)
                memcpy(m->triangles + 3 * count, two + 3 * t, sizeof two / 2);
        }
    m->def.vertex_count = (size_t)(wide + 1) * (wide + 1);
    m->def.triangle_count = count;
}

/* Loose triangles of one kind: small or large, spread over many sizes, slivers, segments,
 * points, all the same, all on a line, all in a plane, far from the origin, in two heaps. */
static void make_soup(mesh *m, test_random *r, size_t n, unsigned kind)
{
    const abut_vec3 far = random_vec3(r, kind == 8 ? 1e6 : 0), line = random_vec3(r, 1);
    for (size_t i = 0; i < n; ++i) {
        abut_vec3 *v = m->vertices + 3 * i;
        const abut_vec3 at = random_vec3(r, kind == 4 ? 0 : 1);
        double size = .1;
        if (kind == 1)
            size = 1;
        if (kind == 2)
            size = fabs(test_log_uniform(r, -40, 0));
        for (int c = 0; c < 3; ++c)
            v[c] = moved(moved(at, random_vec3(r, size)), far);
        if (kind == 3)
            v[2] = (abut_vec3){ .5 * v[0].x + .5 * v[1].x, .5 * v[0].y + .5 * v[1].y,
                                .5 * v[0].z + .5 * v[1].z };
        if (kind == 3 && i % 3 == 0)
            v[1] = v[2] = v[0];
        if (kind == 4 && i)
            memcpy(v, m->vertices, 3 * sizeof *v);
        for (int c = 0; c < 3; ++c) {
            if (kind == 5) {
                const double s = v[c].x;
                v[c] = (abut_vec3){ s * line.x, s * line.y, s * line.z };
            }
            if (kind == 6)
                v[c].z = 0.25;
            if (kind == 7) {
                const double small = i % 2 ? 1e-9 : 1e9;
                v[c] = (abut_vec3){ v[c].x * small, v[c].y * small, v[c].z * small };
            }
        }
        for (int c = 0; c < 3; ++c)
            m->triangles[3 * i + (size_t)c] = (uint32_t)(3 * i) + (uint32_t)c;
    }
    m->def.vertex_count = 3 * n;
    m->def.triangle_count = n;
}

enum { KINDS = 10 };

static void make_mesh(mesh *m, test_random *r, double scale)
{
    static const unsigned most[] = { 1, 8, 9, 30, 64, 65, 100, 200, 600, MOST / 2 };
    const size_t n = 1 + test_below(r, most[test_below(r, sizeof most / sizeof most[0])]);
    const unsigned kind = test_below(r, KINDS);
    m->def = (abut_bvh_def){ m->vertices, m->triangles, 0, 0, ABUT_VOLUME_AUTO, 0, 0 };
    if (kind == 9)
        make_sheet(m, r, n);
    else
        make_soup(m, r, n, kind);
    for (size_t i = 0; i < m->def.vertex_count; ++i) {
        m->vertices[i].x *= scale;
        m->vertices[i].y *= scale;
        m->vertices[i].z *= scale;
    }
    m->tree = abut_bvh_create(&m->def, NULL);
    assert_non_null(m->tree);
}

static abut_mat3 random_rotation(test_random *r)
{
    if (test_below(r, 4) == 0)
        return (abut_mat3){ { { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 } } };
    double q[4], s = 0;
    for (int i = 0; i < 4; ++i) {
        q[i] = test_uniform(r, -1, 1);
        s += q[i] * q[i];
    }
    const double w = q[0], x = q[1], y = q[2], z = q[3], k = 2 / s;
    return (abut_mat3){ { { 1 - k * (y * y + z * z), k * (x * y - w * z), k * (x * z + w * y) },
                          { k * (x * y + w * z), 1 - k * (x * x + z * z), k * (y * z - w * x) },
                          { k * (x * z - w * y), k * (y * z + w * x), 1 - k * (x * x + y * y) } } };
}

/* ---- the truth about a pair of meshes ---- */

typedef struct truth {
    point (*a)[3], (*b)[3];
    size_t count_a, count_b;
    long double *distance; /* count_a x count_b; INFINITY where certainly beyond `care` */
    uint8_t *seen;
    long double least, rounding; /* what distances may be too large by */
    bool found_twice;
} truth;

static point seen_from(const abut_bv_relative *rel, abut_vec3 p)
{
    point q = { p.x, p.y, p.z };
    if (rel) {
        const double(*m)[3] = rel->r.m;
        q = (point){ m[0][0] * q.x + m[0][1] * q.y + m[0][2] * q.z + rel->t.x,
                     m[1][0] * q.x + m[1][1] * q.y + m[1][2] * q.z + rel->t.y,
                     m[2][0] * q.x + m[2][1] * q.y + m[2][2] * q.z + rel->t.z };
    }
    return q;
}

static point (*corners(const mesh *m, const abut_bv_relative *rel))[3]
{
    point(*out)[3] = malloc(m->def.triangle_count * sizeof *out);
    for (size_t i = 0; i < m->def.triangle_count; ++i)
        for (int c = 0; c < 3; ++c)
            out[i][c] = seen_from(rel, m->vertices[m->triangles[3 * i + (size_t)c]]);
    return out;
}

static long double ball(const point t[3])
{
    return sqrtl(fmaxl(dot(sub(t[1], t[0]), sub(t[1], t[0])), dot(sub(t[2], t[0]), sub(t[2], t[0]))));
}

/* 2^-60 of the largest coordinate: 16 ulp. */
static long double rounding_of(point (*a)[3], size_t count)
{
    long double most = 0;
    for (size_t i = 0; i < count; ++i)
        for (int c = 0; c < 3; ++c)
            most = fmaxl(most, fabsl(a[i][c].x) + fabsl(a[i][c].y) + fabsl(a[i][c].z));
    return 0x1p-60L * most;
}

/* All distances up to `care`, or with care = INFINITY those that may be the least. */
static void find_truth(truth *t, point (*a)[3], size_t count_a, point (*b)[3], size_t count_b,
                       long double care)
{
    *t = (truth){ a,
                  b,
                  count_a,
                  count_b,
                  malloc(count_a * count_b * sizeof *t->distance),
                  calloc(count_a * count_b, 1),
                  INFINITY,
                  0,
                  false };
    t->rounding = rounding_of(a, count_a) + rounding_of(b, count_b);
    for (size_t i = 0; i < count_a; ++i)
        for (size_t j = 0; j < count_b; ++j) {
            long double *d = &t->distance[i * count_b + j];
            const point w = sub(a[i][0], b[j][0]);
            const long double low = sqrtl(dot(w, w)) - (ball(a[i]) + ball(b[j])) * 1.0001L;
            *d = INFINITY;
            if (low <= (isinf(care) ? t->least : care + t->rounding))
                *d = triangles_distance(a[i], b[j]);
            t->least = fminl(t->least, *d);
        }
}

static void forget(truth *t)
{
    if (t->b != t->a)
        free(t->b);
    free(t->a);
    free(t->distance);
    free(t->seen);
}

static bool note_pairs(void *ctx, const abut_bvh_pair *pairs, size_t count)
{
    truth *t = ctx;
    assert_true(count >= 1 && count <= ABUT_BVH_BATCH);
    for (size_t i = 0; i < count; ++i) {
        assert_true(pairs[i].a < t->count_a && pairs[i].b < t->count_b);
        t->found_twice |= t->seen[pairs[i].a * t->count_b + pairs[i].b]++ > 0;
    }
    return true;
}

static void check_overlap(const truth *t, double reach, bool self, uint64_t seed)
{
    TEST_CHECK(!t->found_twice, "seed %" PRIu64, seed);
    for (size_t i = 0; i < t->count_a; ++i)
        for (size_t j = self ? i + 1 : 0; j < t->count_b; ++j) {
            const size_t k = i * t->count_b + j;
            TEST_CHECK(t->seen[k] || t->distance[k] > (long double)reach + t->rounding,
                       "seed %" PRIu64 ": pair %zu %zu, distance %La, reach %a", seed, i, j, t->distance[k],
                       reach);
        }
}

/* What the callback knows: distances in long double, rounded up. */
static double note_near(void *ctx, const abut_bvh_pair *pairs, size_t count, double bound)
{
    truth *t = ctx;
    for (size_t i = 0; i < count; ++i) {
        const size_t k = pairs[i].a * t->count_b + pairs[i].b;
        t->found_twice |= t->seen[k]++ > 0;
        const long double d = triangles_distance(t->a[pairs[i].a], t->b[pairs[i].b]);
        if (d < (long double)bound)
            bound = fmin(bound, nextafter((double)d, INFINITY));
    }
    return bound;
}

static void check_nearest(const truth *t, double given, double returned, uint64_t seed)
{
    TEST_CHECK(!t->found_twice, "seed %" PRIu64, seed);
    long double best = INFINITY, left = INFINITY;
    for (size_t k = 0; k < t->count_a * t->count_b; ++k) {
        if (t->seen[k])
            best = fminl(best, t->distance[k]);
        else
            left = fminl(left, t->distance[k]);
    }
    TEST_CHECK(best <= t->least || t->least > (long double)given, "seed %" PRIu64 ": %La, least %La", seed,
               best, t->least);
    TEST_CHECK((long double)returned <= left, "seed %" PRIu64 ": left out at %La, returned %a", seed, left,
               returned);
}

/* ---- tests ---- */

/* The size of what is asked about: distances of the order of the meshes, of triangles, nothing. */
static double random_reach(test_random *r, double scale)
{
    switch (test_below(r, 4)) {
    case 0: return 0;
    case 1: return scale * test_uniform(r, 0, .3);
    case 2: return scale * fabs(test_log_uniform(r, -60, 0));
    default: return 0;
    }
}

/* Both walks, against all pairs. */
static void ask_pair(const mesh *a, const mesh *b, const abut_bv_relative *rel, double reach, double given,
                     uint64_t seed)
{
    abut_mesh_counters counters = { 0 };
    const abut_bvh_walk walk = {
        { .tree = a->tree }, { .tree = b->tree }, rel, ABUT_DESCENT_LARGER, NULL, &counters
    };
    truth known;
    find_truth(&known, corners(a, NULL), a->def.triangle_count, corners(b, rel), b->def.triangle_count,
               reach);
    assert_int_equal(abut_bvh_overlap(&walk, reach, note_pairs, &known), ABUT_OK);
    check_overlap(&known, reach, false, seed);
    forget(&known);
    find_truth(&known, corners(a, NULL), a->def.triangle_count, corners(b, rel), b->def.triangle_count,
               INFINITY);
    const double returned = abut_bvh_nearest(&walk, given, note_near, &known);
    check_nearest(&known, given, returned, seed);
    forget(&known);
}

static void pair_case(uint64_t seed, mesh *a, mesh *b)
{
    test_random r = test_seed(seed);
    const double scale = test_below(&r, 3) ? 1 : fabs(test_log_uniform(&r, -490, 490));
    const double ratio = test_below(&r, 4) ? 1 : fabs(test_log_uniform(&r, -80, 0));
    make_mesh(a, &r, scale);
    make_mesh(b, &r, scale * ratio);
    static const double away[] = { 1, 1, 1, 1, 0, 30, 1e5, 1e9 };
    const abut_vec3 t = random_vec3(&r, scale * away[test_below(&r, 8)]);
    const abut_bv_relative rel = { random_rotation(&r), t, 0 };
    const double reach = random_reach(&r, scale);
    ask_pair(a, b, &rel, reach, test_below(&r, 2) ? INFINITY : scale * test_uniform(&r, 0, 2), seed);
}

/* Some point of some triangle: a corner, or one inside. */
static abut_vec3 point_of(const mesh *m, test_random *r)
{
    const uint32_t *t = m->triangles + 3 * (size_t)test_below(r, (unsigned)m->def.triangle_count);
    const abut_vec3 p = m->vertices[t[0]], q = m->vertices[t[1]], s = m->vertices[t[2]];
    const double u = test_below(r, 3) ? test_uniform(r, 0, 1) : 0, v = u > 0 ? test_uniform(r, 0, 1 - u) : 0;
    return (abut_vec3){ p.x + u * (q.x - p.x) + v * (s.x - p.x), p.y + u * (q.y - p.y) + v * (s.y - p.y),
                        p.z + u * (q.z - p.z) + v * (s.z - p.z) };
}

/* A mesh no larger than the triangles of another, on or near one of them: there leaves are taken
 * apart. */
static void small_case(uint64_t seed, mesh *a, mesh *b)
{
    test_random r = test_seed(seed);
    const double scale = test_below(&r, 3) ? 1 : fabs(test_log_uniform(&r, -450, 450));
    const double ratio = fabs(test_log_uniform(&r, test_below(&r, 4) ? -12 : -60, 0));
    const bool small_a = test_below(&r, 2);
    make_mesh(a, &r, small_a ? scale * ratio : scale);
    make_mesh(b, &r, small_a ? scale : scale * ratio);
    const abut_mat3 turn = random_rotation(&r);
    const abut_vec3 x = point_of(a, &r), y = point_of(b, &r);
    static const double away[] = { 0, 0, 1e-3, .3, 1, 10, 100, 300 };
    const abut_vec3 by = random_vec3(&r, scale * ratio * away[test_below(&r, 8)]);
    const point at = seen_from(&(abut_bv_relative){ turn, { 0, 0, 0 }, 0 }, y);
    const abut_bv_relative rel = {
        turn, { x.x - (double)at.x + by.x, x.y - (double)at.y + by.y, x.z - (double)at.z + by.z }, 0
    };
    const double size = test_below(&r, 2) ? scale : scale * ratio, reach = random_reach(&r, size);
    ask_pair(a, b, &rel, reach, test_below(&r, 2) ? INFINITY : size * test_uniform(&r, 0, 2), seed);
}

/* The vertices go elsewhere: all, a little, to another scale, onto one point. */
static void move_vertices(mesh *m, test_random *r)
{
    const unsigned how = test_below(r, 4);
    const double scale = how == 2 ? fabs(test_log_uniform(r, -300, 300)) : 1;
    const abut_vec3 by = random_vec3(r, 5);
    for (size_t i = 0; i < m->def.vertex_count; ++i) {
        const abut_vec3 v = m->vertices[i], noise = random_vec3(r, how == 1 ? 1 : .01);
        m->vertices[i] = how == 3
                             ? by
                             : (abut_vec3){ scale * (v.x + noise.x + by.x), scale * (v.y + noise.y + by.y),
                                            scale * (v.z + noise.z + by.z) };
    }
    abut_bvh_refit(m->tree, m->vertices);
}

static void self_case(uint64_t seed, mesh *m)
{
    test_random r = test_seed(seed);
    const double scale = test_below(&r, 3) ? 1 : fabs(test_log_uniform(&r, -490, 490));
    make_mesh(m, &r, scale);
    const unsigned rounds = 1 + test_below(&r, 3);
    for (unsigned i = 0; i < rounds; ++i) {
        if (i)
            move_vertices(m, &r);
        const double reach = i ? 0 : random_reach(&r, scale);
        abut_mesh_counters counters = { 0 };
        truth known;
        point(*at)[3] = corners(m, NULL);
        find_truth(&known, at, m->def.triangle_count, at, m->def.triangle_count, reach);
        abut_bvh_self(m->tree, reach, &counters, note_pairs, &known);
        check_overlap(&known, reach, true, seed);
        for (size_t x = 0; x < known.count_a; ++x)
            for (size_t y = 0; y <= x; ++y)
                TEST_CHECK(!known.seen[x * known.count_b + y], "seed %" PRIu64, seed);
        forget(&known);
    }
}

/* Distance of a triangle from a box: zero where a corner is inside, else that of one of twelve
 * triangles. */
static void box_truth(truth *t, const mesh *m, const abut_bv_box *box, const abut_bv_relative *rel)
{
    point(*a)[3] = corners(m, NULL);
    point at[8], side[12][3];
    const double(*x)[3] = box->axes.m;
    for (int i = 0; i < 8; ++i) {
        const long double h[3] = { i & 1 ? box->half.x : -box->half.x, i & 2 ? box->half.y : -box->half.y,
                                   i & 4 ? box->half.z : -box->half.z };
        const point p = { box->centre.x + x[0][0] * h[0] + x[0][1] * h[1] + x[0][2] * h[2],
                          box->centre.y + x[1][0] * h[0] + x[1][1] * h[1] + x[1][2] * h[2],
                          box->centre.z + x[2][0] * h[0] + x[2][1] * h[1] + x[2][2] * h[2] };
        const double(*r)[3] = rel->r.m;
        at[i] = (point){ r[0][0] * p.x + r[0][1] * p.y + r[0][2] * p.z + rel->t.x,
                         r[1][0] * p.x + r[1][1] * p.y + r[1][2] * p.z + rel->t.y,
                         r[2][0] * p.x + r[2][1] * p.y + r[2][2] * p.z + rel->t.z };
    }
    static const uint8_t faces[6][4] = { { 0, 2, 6, 4 }, { 1, 3, 7, 5 }, { 0, 1, 5, 4 },
                                         { 2, 3, 7, 6 }, { 0, 1, 3, 2 }, { 4, 5, 7, 6 } };
    for (int f = 0; f < 6; ++f)
        for (int k = 0; k < 2; ++k)
            for (int c = 0; c < 3; ++c)
                side[2 * f + k][c] = at[faces[f][c == 0 ? 0 : k + c]];
    const size_t n = m->def.triangle_count;
    *t = (truth){ a, NULL, n, 1, malloc(n * sizeof *t->distance), calloc(n, 1), INFINITY, 0, false };
    t->rounding = rounding_of(a, n) + rounding_of(side, 12);
    for (size_t i = 0; i < n; ++i) {
        long double best = INFINITY;
        for (int s = 0; s < 12; ++s)
            best = fminl(best, triangles_distance(a[i], side[s]));
        bool in = true;
        for (int k = 0; k < 3; ++k) {
            const point edge = sub(at[1 << k], at[0]), w = sub(a[i][0], at[0]);
            in &= dot(edge, edge) > 0 && dot(w, edge) >= 0 && dot(w, edge) <= dot(edge, edge);
        }
        t->distance[i] = in ? 0 : best;
        t->least = fminl(t->least, t->distance[i]);
    }
}

static double note_near_box(void *ctx, const abut_bvh_pair *pairs, size_t count, double bound)
{
    truth *t = ctx;
    for (size_t i = 0; i < count; ++i) {
        t->found_twice |= t->seen[pairs[i].a]++ > 0 || pairs[i].b != 0;
        if (t->distance[pairs[i].a] < (long double)bound)
            bound = fmin(bound, nextafter((double)t->distance[pairs[i].a], INFINITY));
    }
    return bound;
}

static void box_case(uint64_t seed, mesh *m)
{
    test_random r = test_seed(seed);
    const double scale = test_below(&r, 3) ? 1 : fabs(test_log_uniform(&r, -490, 490));
    make_mesh(m, &r, scale);
    abut_bv_box box = { random_vec3(&r, scale), { 0, 0, 0 }, random_rotation(&r) };
    const double size = scale * (test_below(&r, 3) ? .3 : fabs(test_log_uniform(&r, -60, 5)));
    const unsigned flat = test_below(&r, 4);
    if (flat < 3)
        box.half.x = size * test_uniform(&r, 0, 1);
    if (flat < 2)
        box.half.y = size * test_uniform(&r, 0, 1);
    if (flat < 1)
        box.half.z = size * test_uniform(&r, 0, 1);
    const abut_bv_relative rel = { random_rotation(&r), random_vec3(&r, scale), 0 };
    abut_mesh_counters counters = { 0 };
    const abut_bvh_walk walk = { { .tree = m->tree }, { .box = box }, &rel,
                                 ABUT_DESCENT_LARGER, NULL,           &counters };
    const double reach = random_reach(&r, scale);
    truth known;
    box_truth(&known, m, &box, &rel);
    assert_int_equal(abut_bvh_overlap(&walk, reach, note_pairs, &known), ABUT_OK);
    check_overlap(&known, reach, false, seed);
    memset(known.seen, 0, known.count_a);
    const double given = test_below(&r, 2) ? INFINITY : scale * test_uniform(&r, 0, 2);
    const double returned = abut_bvh_nearest(&walk, given, note_near_box, &known);
    check_nearest(&known, given, returned, seed);
    forget(&known);
}

/* From far, where a float could not tell one triangle from the next, few pairs are asked. */
static void far_case(mesh *a, mesh *b, double distance, uint64_t seed)
{
    test_random r = test_seed(seed);
    const abut_bv_relative rel = { random_rotation(&r), { distance, distance / 3, 0 }, 0 };
    abut_mesh_counters counters = { 0 };
    const abut_bvh_walk walk = {
        { .tree = a->tree }, { .tree = b->tree }, &rel, ABUT_DESCENT_LARGER, NULL, &counters
    };
    truth known;
    find_truth(&known, corners(a, NULL), a->def.triangle_count, corners(b, &rel), b->def.triangle_count,
               INFINITY);
    const double returned = abut_bvh_nearest(&walk, INFINITY, note_near, &known);
    check_nearest(&known, INFINITY, returned, seed);
    size_t asked = 0;
    for (size_t k = 0; k < known.count_a * known.count_b; ++k)
        asked += known.seen[k];
    TEST_CHECK(asked < known.count_a * known.count_b / 20, "distance %g: %zu pairs", distance, asked);
    forget(&known);
}

static mesh mesh_a, mesh_b;

static void far_is_cheap(void **state)
{
    (void)state;
    test_random r = test_seed(7);
    mesh *const both[2] = { &mesh_a, &mesh_b };
    for (int i = 0; i < 2; ++i) {
        both[i]->def = (abut_bvh_def){ both[i]->vertices, both[i]->triangles, 0, 0, ABUT_VOLUME_AUTO, 0, 0 };
        make_soup(both[i], &r, 300, 0);
        both[i]->tree = abut_bvh_create(&both[i]->def, NULL);
    }
    for (int i = 0; i < 6; ++i) {
        abut_wide_force_plain = i % 2;
        far_case(&mesh_a, &mesh_b, pow(100, i), (uint64_t)i);
    }
    abut_bvh_destroy(mesh_a.tree);
    abut_bvh_destroy(mesh_b.tree);
}

static void pairs_are_complete(void **state)
{
    (void)state;
    for (uint64_t i = 0; i < test_count(80); ++i) {
        abut_wide_force_plain = i % 4 == 3;
        pair_case(i, &mesh_a, &mesh_b);
        abut_bvh_destroy(mesh_a.tree);
        abut_bvh_destroy(mesh_b.tree);
    }
}

static void small_ones_are_complete(void **state)
{
    (void)state;
    for (uint64_t i = 0; i < test_count(120); ++i) {
        abut_wide_force_plain = i % 4 == 3;
        small_case(i, &mesh_a, &mesh_b);
        abut_bvh_destroy(mesh_a.tree);
        abut_bvh_destroy(mesh_b.tree);
    }
}

static void self_is_complete(void **state)
{
    (void)state;
    for (uint64_t i = 0; i < test_count(40); ++i) {
        abut_wide_force_plain = i % 4 == 3;
        self_case(i, &mesh_a);
        abut_bvh_destroy(mesh_a.tree);
    }
}

static void boxes_are_complete(void **state)
{
    (void)state;
    for (uint64_t i = 0; i < test_count(300); ++i) {
        abut_wide_force_plain = i % 4 == 3;
        box_case(i, &mesh_a);
        abut_bvh_destroy(mesh_a.tree);
    }
}

static bool stop_at_once(void *ctx, const abut_bvh_pair *pairs, size_t count)
{
    (void)pairs;
    *(size_t *)ctx += count;
    return false;
}

static double stop_near(void *ctx, const abut_bvh_pair *pairs, size_t count, double bound)
{
    (void)pairs;
    (void)bound;
    *(size_t *)ctx += count;
    return -1;
}

/* Walks end when told to; the tree of very many equal triangles is as deep as any other. */
static void stops_and_depth(void **state)
{
    (void)state;
    const size_t n = test_count(200000);
    uint32_t *triangles = calloc(n, 3 * sizeof *triangles);
    const abut_vec3 vertices[3] = { { 1, 2, 3 }, { 2, 2, 3 }, { 1, 3, 3 } };
    for (size_t i = 0; i < 3 * n; ++i)
        triangles[i] = (uint32_t)(i % 3);
    const abut_bvh_def def = { vertices, triangles, 3, n, ABUT_VOLUME_AUTO, 0, 0 };
    abut_bvh *tree = abut_bvh_create(&def, NULL);
    assert_non_null(tree);
    abut_hierarchy_info info;
    abut_bvh_get_info(tree, &info);
    assert_true(info.depth <= ABUT_BVH_DEPTH && info.leaves == (n + 7) / 8 && info.bytes / n < 512);
    const abut_bv_relative rel = { { { { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 } } }, { 0, 0, 0 }, 0 };
    abut_mesh_counters counters = { 0 };
    const abut_bvh_walk walk = { { .tree = tree }, { .tree = tree }, &rel, ABUT_DESCENT_LARGER, NULL,
                                 &counters };
    size_t got = 0;
    assert_int_equal(abut_bvh_overlap(&walk, 0, stop_at_once, &got), ABUT_OK);
    assert_true(got >= 1 && got <= ABUT_BVH_BATCH);
    got = 0;
    (void)abut_bvh_nearest(&walk, INFINITY, stop_near, &got);
    assert_true(got >= 1 && got <= ABUT_BVH_BATCH);
    got = 0;
    abut_bvh_self(tree, 0, &counters, stop_at_once, &got);
    assert_true(got >= 1 && got <= ABUT_BVH_BATCH);
    abut_bvh_destroy(tree);
    free(triangles);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pairs_are_complete), cmocka_unit_test(small_ones_are_complete),
        cmocka_unit_test(self_is_complete),   cmocka_unit_test(boxes_are_complete),
        cmocka_unit_test(far_is_cheap),       cmocka_unit_test(stops_and_depth),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
