/* SPDX-License-Identifier: MIT */
/* Referee for triangle meshes; see mesh_gmp.h. */
#include "oracle/mesh_gmp.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

typedef struct point {
    mpq_t c[3];
} point;

struct mesh_gmp {
    point *at;
    abut_vec3 *near; /* rounded, to leave out what is far away */
    uint32_t *triangles;
    size_t vertex_count, triangle_count;
};

static void point_init(point *p)
{
    for (int i = 0; i < 3; ++i)
        mpq_init(p->c[i]);
}

static void point_clear(point *p)
{
    for (int i = 0; i < 3; ++i)
        mpq_clear(p->c[i]);
}

static void point_set(point *p, const point *q)
{
    for (int i = 0; i < 3; ++i)
        mpq_set(p->c[i], q->c[i]);
}

static bool point_equal(const point *p, const point *q)
{
    return mpq_equal(p->c[0], q->c[0]) && mpq_equal(p->c[1], q->c[1]) && mpq_equal(p->c[2], q->c[2]);
}

static void sub3(point *r, const point *p, const point *q)
{
    for (int i = 0; i < 3; ++i)
        mpq_sub(r->c[i], p->c[i], q->c[i]);
}

static void dot3(mpq_t r, const point *p, const point *q)
{
    mpq_t t, sum;
    mpq_init(t);
    mpq_init(sum);
    for (int i = 0; i < 3; ++i) {
        mpq_mul(t, p->c[i], q->c[i]);
        mpq_add(sum, sum, t);
    }
    mpq_set(r, sum);
    mpq_clear(t);
    mpq_clear(sum);
}

static void cross3(point *r, const point *p, const point *q)
{
    point out;
    mpq_t s, t;
    point_init(&out);
    mpq_init(s);
    mpq_init(t);
    for (int i = 0; i < 3; ++i) {
        const int j = (i + 1) % 3, k = (i + 2) % 3;
        mpq_mul(s, p->c[j], q->c[k]);
        mpq_mul(t, p->c[k], q->c[j]);
        mpq_sub(out.c[i], s, t);
    }
    point_set(r, &out);
    mpq_clear(s);
    mpq_clear(t);
    point_clear(&out);
}

static bool is_zero(const point *p)
{
    return mpq_sgn(p->c[0]) == 0 && mpq_sgn(p->c[1]) == 0 && mpq_sgn(p->c[2]) == 0;
}

/* ---- placing ---- */

/* (w^2 - v.v) p + 2 (v.p) v + 2 w v x p, over q.q, plus the position. */
static void place(const abut_pose *pose, abut_vec3 v, point *out)
{
    point p, axis, turned, twice;
    mpq_t w, vv, ww, vp, f;
    point_init(&p);
    point_init(&axis);
    point_init(&turned);
    point_init(&twice);
    mpq_inits(w, vv, ww, vp, f, NULL);
    mpq_set_d(p.c[0], v.x);
    mpq_set_d(p.c[1], v.y);
    mpq_set_d(p.c[2], v.z);
    if (!pose)
        point_set(out, &p);
    else {
        mpq_set_d(w, pose->rotation.w);
        mpq_set_d(axis.c[0], pose->rotation.x);
        mpq_set_d(axis.c[1], pose->rotation.y);
        mpq_set_d(axis.c[2], pose->rotation.z);
        dot3(vv, &axis, &axis);
        dot3(vp, &axis, &p);
        mpq_mul(ww, w, w);
        cross3(&turned, &axis, &p);
        mpq_sub(f, ww, vv);
        mpq_add(ww, ww, vv);
        const double position[3] = { pose->position.x, pose->position.y, pose->position.z };
        for (int i = 0; i < 3; ++i) {
            mpq_mul(twice.c[i], vp, axis.c[i]);
            mpq_mul(turned.c[i], turned.c[i], w);
            mpq_add(twice.c[i], twice.c[i], turned.c[i]);
            mpq_add(twice.c[i], twice.c[i], twice.c[i]);
            mpq_mul(out->c[i], f, p.c[i]);
            mpq_add(out->c[i], out->c[i], twice.c[i]);
            mpq_div(out->c[i], out->c[i], ww);
            mpq_set_d(vv, position[i]);
            mpq_add(out->c[i], out->c[i], vv);
        }
    }
    mpq_clears(w, vv, ww, vp, f, NULL);
    point_clear(&p);
    point_clear(&axis);
    point_clear(&turned);
    point_clear(&twice);
}

mesh_gmp *mesh_gmp_create(const abut_vec3 *vertices, size_t vertex_count, const uint32_t *triangles,
                          size_t triangle_count, const abut_pose *pose)
{
    mesh_gmp *mesh = calloc(1, sizeof *mesh);
    mesh->at = calloc(vertex_count, sizeof *mesh->at);
    mesh->near = calloc(vertex_count, sizeof *mesh->near);
    mesh->triangles = calloc(3 * triangle_count, sizeof *mesh->triangles);
    memcpy(mesh->triangles, triangles, 3 * triangle_count * sizeof *triangles);
    mesh->vertex_count = vertex_count;
    mesh->triangle_count = triangle_count;
    for (size_t i = 0; i < vertex_count; ++i) {
        point_init(&mesh->at[i]);
        place(pose, vertices[i], &mesh->at[i]);
        mesh->near[i] = (abut_vec3){ mpq_get_d(mesh->at[i].c[0]), mpq_get_d(mesh->at[i].c[1]),
                                     mpq_get_d(mesh->at[i].c[2]) };
    }
    return mesh;
}

void mesh_gmp_destroy(mesh_gmp *mesh)
{
    for (size_t i = 0; i < mesh->vertex_count; ++i)
        point_clear(&mesh->at[i]);
    free(mesh->at);
    free(mesh->near);
    free(mesh->triangles);
    free(mesh);
}

static const point *corner(const mesh_gmp *mesh, size_t i, int k)
{
    return &mesh->at[mesh->triangles[3 * i + (size_t)k]];
}

static double part(abut_vec3 v, int i)
{
    return i == 0 ? v.x : i == 1 ? v.y : v.z;
}

/* Boxes of two triangles that are apart by more than any rounding. */
static bool far_apart(const mesh_gmp *a, size_t i, const mesh_gmp *b, size_t j)
{
    for (int axis = 0; axis < 3; ++axis) {
        double lo[2] = { INFINITY, INFINITY }, hi[2] = { -INFINITY, -INFINITY }, size = 0;
        for (int k = 0; k < 3; ++k) {
            const double p = part(a->near[a->triangles[3 * i + (size_t)k]], axis),
                         q = part(b->near[b->triangles[3 * j + (size_t)k]], axis);
            lo[0] = fmin(lo[0], p);
            hi[0] = fmax(hi[0], p);
            lo[1] = fmin(lo[1], q);
            hi[1] = fmax(hi[1], q);
            size = fmax(size, fmax(fabs(p), fabs(q)));
        }
        if (lo[0] - hi[1] > 1e-12 * size || lo[1] - hi[0] > 1e-12 * size)
            return true;
    }
    return false;
}

/* ---- common set of two triangles ---- */

enum { ROOM = 64 };

/* Corners in order of a convex set in a plane, maybe with repetitions. */
typedef struct region {
    point at[ROOM];
    int count;
} region;

static void region_init(region *r)
{
    for (int i = 0; i < ROOM; ++i)
        point_init(&r->at[i]);
    r->count = 0;
}

/* Keeps what has n . (x - o) >= 0 (or <= 0). */
static void clip(region *r, const point *n, const point *o, int sense)
{
    static region kept;
    static mpq_t s[ROOM];
    static bool ready;
    if (!ready) {
        region_init(&kept);
        for (int i = 0; i < ROOM; ++i)
            mpq_init(s[i]);
        ready = true;
    }
    point d;
    mpq_t f;
    point_init(&d);
    mpq_init(f);
    for (int i = 0; i < r->count; ++i) {
        sub3(&d, &r->at[i], o);
        dot3(s[i], n, &d);
        if (sense < 0)
            mpq_neg(s[i], s[i]);
    }
    kept.count = 0;
    for (int i = 0; i < r->count; ++i) {
        const int j = (i + 1) % r->count;
        if (mpq_sgn(s[i]) >= 0)
            point_set(&kept.at[kept.count++], &r->at[i]);
        if (mpq_sgn(s[i]) * mpq_sgn(s[j]) < 0) {
            mpq_sub(f, s[i], s[j]);
            mpq_div(f, s[i], f);
            sub3(&d, &r->at[j], &r->at[i]);
            for (int c = 0; c < 3; ++c) {
                mpq_mul(d.c[c], d.c[c], f);
                mpq_add(kept.at[kept.count].c[c], r->at[i].c[c], d.c[c]);
            }
            ++kept.count;
        }
    }
    r->count = 0;
    for (int i = 0; i < kept.count; ++i)
        if (r->count == 0 || !point_equal(&kept.at[i], &r->at[r->count - 1]))
            point_set(&r->at[r->count++], &kept.at[i]);
    while (r->count > 1 && point_equal(&r->at[0], &r->at[r->count - 1]))
        --r->count;
    point_clear(&d);
    mpq_clear(f);
}

/* By the triangle t: its plane and the planes through its edges, upright on it; a segment by
 * planes that hold it and its ends. */
static void clip_by(region *r, const point *const t[3])
{
    point u, v, n, m;
    point_init(&u);
    point_init(&v);
    point_init(&n);
    point_init(&m);
    sub3(&u, t[1], t[0]);
    sub3(&v, t[2], t[0]);
    cross3(&n, &u, &v);
    if (!is_zero(&n)) {
        clip(r, &n, t[0], 1);
        clip(r, &n, t[0], -1);
        for (int k = 0; k < 3; ++k) {
            sub3(&u, t[(k + 1) % 3], t[k]);
            cross3(&m, &n, &u);
            clip(r, &m, t[k], 1);
        }
    } else {
        /* the two corners that are furthest apart */
        int best = 0;
        mpq_t most, length;
        mpq_inits(most, length, NULL);
        for (int k = 0; k < 3; ++k) {
            sub3(&u, t[(k + 1) % 3], t[k]);
            dot3(length, &u, &u);
            if (k == 0 || mpq_cmp(length, most) > 0) {
                mpq_set(most, length);
                best = k;
            }
        }
        mpq_clears(most, length, NULL);
        const point *from = t[best], *to = t[(best + 1) % 3];
        sub3(&u, to, from);
        for (int axis = 0; axis < 3; ++axis) {
            /* components of (x - from) x u; x = from where u is zero */
            for (int c = 0; c < 3; ++c)
                mpq_set_si(v.c[c], c == axis, 1);
            if (is_zero(&u))
                point_set(&m, &v);
            else
                cross3(&m, &u, &v);
            clip(r, &m, from, 1);
            clip(r, &m, from, -1);
        }
        if (!is_zero(&u)) {
            clip(r, &u, from, 1);
            clip(r, &u, to, -1);
        }
    }
    point_clear(&u);
    point_clear(&v);
    point_clear(&n);
    point_clear(&m);
}

/* 0 a point, 1 a segment, 2 an area. */
static int dimension(const region *r)
{
    point u, v, n;
    int found = 0;
    point_init(&u);
    point_init(&v);
    point_init(&n);
    for (int i = 1; i < r->count; ++i)
        for (int j = i; j < r->count; ++j) {
            sub3(&u, &r->at[i], &r->at[0]);
            sub3(&v, &r->at[j], &r->at[0]);
            cross3(&n, &u, &v);
            const int d = !is_zero(&n) ? 2 : !is_zero(&u) || !is_zero(&v);
            found = d > found ? d : found;
        }
    point_clear(&u);
    point_clear(&v);
    point_clear(&n);
    return found;
}

/* Corners strictly on both sides? */
static bool straddles(const point *const t[3], const point *const plane[3])
{
    point u, v, n;
    mpq_t s;
    bool above = false, below = false;
    point_init(&u);
    point_init(&v);
    point_init(&n);
    mpq_init(s);
    sub3(&u, plane[1], plane[0]);
    sub3(&v, plane[2], plane[0]);
    cross3(&n, &u, &v);
    for (int k = 0; k < 3; ++k) {
        sub3(&u, t[k], plane[0]);
        dot3(s, &n, &u);
        above = above || mpq_sgn(s) > 0;
        below = below || mpq_sgn(s) < 0;
    }
    point_clear(&u);
    point_clear(&v);
    point_clear(&n);
    mpq_clear(s);
    return above && below;
}

static region *common(const point *const a[3], const point *const b[3])
{
    static region r;
    static bool ready;
    if (!ready)
        region_init(&r);
    ready = true;
    r.count = 3;
    for (int k = 0; k < 3; ++k)
        point_set(&r.at[k], a[k]);
    clip_by(&r, b);
    return &r;
}

static int kind(const region *r, const point *const a[3], const point *const b[3])
{
    if (r->count == 0)
        return 0;
    const int d = dimension(r);
    if (d == 2)
        return 3;
    return d == 1 && straddles(a, b) && straddles(b, a) ? 2 : 1;
}

int mesh_gmp_meet(const mesh_gmp *a, size_t i, const mesh_gmp *b, size_t j)
{
    if (far_apart(a, i, b, j))
        return 0;
    const point *p[3] = { corner(a, i, 0), corner(a, i, 1), corner(a, i, 2) },
                *q[3] = { corner(b, j, 0), corner(b, j, 1), corner(b, j, 2) };
    return kind(common(p, q), p, q);
}

/* x on the segment from p to q (which may be one point). */
static bool on_segment(const point *x, const point *p, const point *q)
{
    point u, v, n;
    mpq_t s, t;
    point_init(&u);
    point_init(&v);
    point_init(&n);
    mpq_inits(s, t, NULL);
    sub3(&u, q, p);
    sub3(&v, x, p);
    cross3(&n, &u, &v);
    dot3(s, &u, &v);
    dot3(t, &u, &u);
    const bool on = is_zero(&u) ? is_zero(&v) : is_zero(&n) && mpq_sgn(s) >= 0 && mpq_cmp(s, t) <= 0;
    point_clear(&u);
    point_clear(&v);
    point_clear(&n);
    mpq_clears(s, t, NULL);
    return on;
}

int mesh_gmp_self(const mesh_gmp *mesh, size_t i, size_t j)
{
    if (far_apart(mesh, i, mesh, j))
        return 0;
    const point *p[3] = { corner(mesh, i, 0), corner(mesh, i, 1), corner(mesh, i, 2) },
                *q[3] = { corner(mesh, j, 0), corner(mesh, j, 1), corner(mesh, j, 2) };
    const point *shared[3];
    int count = 0;
    for (int k = 0; k < 3; ++k) {
        bool found = false, known = false;
        for (int m = 0; m < 3; ++m)
            found = found || point_equal(p[k], q[m]);
        for (int m = 0; m < count; ++m)
            known = known || point_equal(p[k], shared[m]);
        if (found && !known)
            shared[count++] = p[k];
    }
    const region *r = common(p, q);
    const int all = kind(r, p, q);
    if (count == 0 || all == 0 || all == 3)
        return all;
    if (count == 3)
        return 0;
    for (int k = 0; k < r->count; ++k)
        if (!on_segment(&r->at[k], shared[0], shared[count - 1]))
            return all;
    return 0;
}

/* ---- distance ---- */

/* out = the smaller of it and |d|^2 */
static void take_less(mpq_t out, const point *d, bool *any)
{
    mpq_t s;
    mpq_init(s);
    dot3(s, d, d);
    if (!*any || mpq_cmp(s, out) < 0)
        mpq_set(out, s);
    *any = true;
    mpq_clear(s);
}

/* d = x - p - f u */
static void offset(point *d, const point *x, const point *p, const mpq_t f, const point *u)
{
    mpq_t t;
    mpq_init(t);
    for (int c = 0; c < 3; ++c) {
        mpq_mul(t, f, u->c[c]);
        mpq_sub(d->c[c], x->c[c], p->c[c]);
        mpq_sub(d->c[c], d->c[c], t);
    }
    mpq_clear(t);
}

static void clamp(mpq_t f)
{
    if (mpq_sgn(f) < 0)
        mpq_set_si(f, 0, 1);
    if (mpq_cmp_si(f, 1, 1) > 0)
        mpq_set_si(f, 1, 1);
}

static void point_segment(mpq_t out, const point *x, const point *p, const point *q, bool *any)
{
    point u, v, d;
    mpq_t uu, uv;
    point_init(&u);
    point_init(&v);
    point_init(&d);
    mpq_inits(uu, uv, NULL);
    sub3(&u, q, p);
    sub3(&v, x, p);
    dot3(uu, &u, &u);
    dot3(uv, &u, &v);
    if (mpq_sgn(uu) > 0)
        mpq_div(uv, uv, uu);
    clamp(uv);
    offset(&d, x, p, uv, &u);
    take_less(out, &d, any);
    point_clear(&u);
    point_clear(&v);
    point_clear(&d);
    mpq_clears(uu, uv, NULL);
}

/* Only where the foot of x on the plane is inside. */
static void point_triangle(mpq_t out, const point *x, const point *const t[3], bool *any)
{
    point u, v, n, m, d;
    mpq_t nn, s;
    bool inside = true;
    point_init(&u);
    point_init(&v);
    point_init(&n);
    point_init(&m);
    point_init(&d);
    mpq_inits(nn, s, NULL);
    sub3(&u, t[1], t[0]);
    sub3(&v, t[2], t[0]);
    cross3(&n, &u, &v);
    dot3(nn, &n, &n);
    inside = mpq_sgn(nn) > 0;
    for (int k = 0; k < 3 && inside; ++k) {
        sub3(&u, t[(k + 1) % 3], t[k]);
        cross3(&m, &n, &u);
        sub3(&d, x, t[k]);
        dot3(s, &m, &d);
        inside = mpq_sgn(s) >= 0;
    }
    if (inside) {
        sub3(&d, x, t[0]);
        dot3(s, &n, &d);
        mpq_div(s, s, nn);
        for (int c = 0; c < 3; ++c)
            mpq_mul(d.c[c], n.c[c], s);
        take_less(out, &d, any);
    }
    point_clear(&u);
    point_clear(&v);
    point_clear(&n);
    point_clear(&m);
    point_clear(&d);
    mpq_clears(nn, s, NULL);
}

/* Only where both nearest points are inside: the ends are others' business. */
static void segment_segment(mpq_t out, const point *p, const point *q, const point *r, const point *t,
                            bool *any)
{
    point u, v, w, n, d;
    mpq_t nn, s, f;
    point_init(&u);
    point_init(&v);
    point_init(&w);
    point_init(&n);
    point_init(&d);
    mpq_inits(nn, s, f, NULL);
    sub3(&u, q, p);
    sub3(&v, t, r);
    sub3(&w, r, p);
    cross3(&n, &u, &v);
    dot3(nn, &n, &n);
    if (mpq_sgn(nn) > 0) {
        cross3(&d, &w, &v);
        dot3(s, &d, &n);
        mpq_div(s, s, nn);
        cross3(&d, &w, &u);
        dot3(f, &d, &n);
        mpq_div(f, f, nn);
        if (mpq_sgn(s) >= 0 && mpq_cmp_si(s, 1, 1) <= 0 && mpq_sgn(f) >= 0 && mpq_cmp_si(f, 1, 1) <= 0) {
            dot3(s, &w, &n);
            mpq_div(s, s, nn);
            for (int c = 0; c < 3; ++c)
                mpq_mul(d.c[c], n.c[c], s);
            take_less(out, &d, any);
        }
    }
    point_clear(&u);
    point_clear(&v);
    point_clear(&w);
    point_clear(&n);
    point_clear(&d);
    mpq_clears(nn, s, f, NULL);
}

void mesh_gmp_distance(const mesh_gmp *a, const mesh_gmp *b, mpq_t out)
{
    bool any = false;
    for (size_t i = 0; i < a->triangle_count; ++i)
        for (size_t j = 0; j < b->triangle_count; ++j) {
            const point *p[3] = { corner(a, i, 0), corner(a, i, 1), corner(a, i, 2) },
                        *q[3] = { corner(b, j, 0), corner(b, j, 1), corner(b, j, 2) };
            if (mesh_gmp_meet(a, i, b, j) != 0) {
                mpq_set_si(out, 0, 1);
                return;
            }
            for (int k = 0; k < 3; ++k) {
                point_triangle(out, p[k], q, &any);
                point_triangle(out, q[k], p, &any);
                for (int m = 0; m < 3; ++m) {
                    point_segment(out, p[k], q[m], q[(m + 1) % 3], &any);
                    point_segment(out, q[k], p[m], p[(m + 1) % 3], &any);
                    segment_segment(out, p[k], p[(k + 1) % 3], q[m], q[(m + 1) % 3], &any);
                }
            }
        }
}

int mesh_gmp_compare(double d, const mpq_t square)
{
    if (isinf(d))
        return 1;
    mpq_t t;
    mpq_init(t);
    mpq_set_d(t, d);
    mpq_mul(t, t, t);
    const int order = mpq_cmp(t, square);
    mpq_clear(t);
    return (order > 0) - (order < 0);
}

/* ---- winding ---- */

/* A ray from x along d: +1 out through the triangle, -1 in, 0 past, 2 through a border or in the
 * plane. */
static int pierce(const point *const t[3], const point *x, const point *d)
{
    point u, v, n, w, y;
    mpq_t nd, s;
    int result = 0;
    point_init(&u);
    point_init(&v);
    point_init(&n);
    point_init(&w);
    point_init(&y);
    mpq_inits(nd, s, NULL);
    sub3(&u, t[1], t[0]);
    sub3(&v, t[2], t[0]);
    cross3(&n, &u, &v);
    if (!is_zero(&n)) {
        dot3(nd, &n, d);
        sub3(&w, t[0], x);
        dot3(s, &n, &w);
        if (mpq_sgn(nd) == 0)
            result = mpq_sgn(s) == 0 ? 2 : 0;
        else {
            mpq_div(s, s, nd);
            if (mpq_sgn(s) > 0) {
                for (int c = 0; c < 3; ++c) {
                    mpq_mul(y.c[c], d->c[c], s);
                    mpq_add(y.c[c], y.c[c], x->c[c]);
                }
                result = mpq_sgn(nd);
                for (int k = 0; k < 3; ++k) {
                    sub3(&u, t[(k + 1) % 3], t[k]);
                    cross3(&v, &n, &u);
                    sub3(&w, &y, t[k]);
                    dot3(s, &v, &w);
                    if (mpq_sgn(s) < 0) {
                        result = 0;
                        break;
                    }
                    if (mpq_sgn(s) == 0)
                        result = 2;
                }
            }
        }
    }
    point_clear(&u);
    point_clear(&v);
    point_clear(&n);
    point_clear(&w);
    point_clear(&y);
    mpq_clears(nd, s, NULL);
    return result;
}

int mesh_gmp_winding(const mesh_gmp *mesh, abut_vec3 p)
{
    point x, d;
    int winding = 0;
    point_init(&x);
    point_init(&d);
    mpq_set_d(x.c[0], p.x);
    mpq_set_d(x.c[1], p.y);
    mpq_set_d(x.c[2], p.z);
    const point *self[3] = { &x, &x, &x };
    for (size_t i = 0; i < mesh->triangle_count; ++i) {
        const point *t[3] = { corner(mesh, i, 0), corner(mesh, i, 1), corner(mesh, i, 2) };
        if (common(self, t)->count > 0) {
            winding = MESH_GMP_ON;
            break;
        }
    }
    for (int attempt = 0; winding != MESH_GMP_ON; ++attempt) {
        bool clear = true;
        mpq_set_si(d.c[0], 997 + 13 * attempt, 1009);
        mpq_set_si(d.c[1], 211 + 101 * attempt, 883);
        mpq_set_si(d.c[2], -317 + 57 * attempt, 701);
        winding = 0;
        for (size_t i = 0; i < mesh->triangle_count && clear; ++i) {
            const point *t[3] = { corner(mesh, i, 0), corner(mesh, i, 1), corner(mesh, i, 2) };
            const int hit = pierce(t, &x, &d);
            clear = hit != 2;
            winding += clear ? hit : 0;
        }
        if (clear)
            break;
    }
    point_clear(&x);
    point_clear(&d);
    return winding;
}

/* ---- cells ---- */

static void cross_i(const int64_t u[3], const int64_t v[3], int64_t out[3])
{
    out[0] = u[1] * v[2] - u[2] * v[1];
    out[1] = u[2] * v[0] - u[0] * v[2];
    out[2] = u[0] * v[1] - u[1] * v[0];
}

static void sub_i(const int64_t u[3], const int64_t v[3], int64_t out[3])
{
    for (int i = 0; i < 3; ++i)
        out[i] = u[i] - v[i];
}

/* 0 apart along the axis, 1 with ends that meet, 2 overlapping; an axis of zero says nothing. */
static int along(const mesh_cell *a, const mesh_cell *b, const int64_t n[3])
{
    __extension__ typedef __int128 wide;
    wide lo[2], hi[2];
    if (n[0] == 0 && n[1] == 0 && n[2] == 0)
        return 2;
    for (int k = 0; k < 8; ++k) {
        const int64_t *p = k < 4 ? a->at[k] : b->at[k - 4];
        const wide s = (wide)n[0] * p[0] + (wide)n[1] * p[1] + (wide)n[2] * p[2];
        const int m = k / 4;
        lo[m] = k % 4 == 0 || s < lo[m] ? s : lo[m];
        hi[m] = k % 4 == 0 || s > hi[m] ? s : hi[m];
    }
    if (hi[0] < lo[1] || hi[1] < lo[0])
        return 0;
    return hi[0] == lo[1] || hi[1] == lo[0] ? 1 : 2;
}

/* Axes of the difference of two tetrahedra: normals of faces, products of edges. */
static int cell_meets(const mesh_cell *a, const mesh_cell *b)
{
    static const int edge[6][2] = { { 0, 1 }, { 0, 2 }, { 0, 3 }, { 1, 2 }, { 1, 3 }, { 2, 3 } };
    int64_t ea[6][3], eb[6][3], n[3];
    int least = 2;
    for (int k = 0; k < 6; ++k) {
        sub_i(a->at[edge[k][1]], a->at[edge[k][0]], ea[k]);
        sub_i(b->at[edge[k][1]], b->at[edge[k][0]], eb[k]);
    }
    for (int i = 0; i < 12; ++i)
        for (int j = 0; j < 12; ++j) {
            cross_i(i < 6 ? ea[i] : eb[i - 6], j < 6 ? ea[j] : eb[j - 6], n);
            const int s = along(a, b, n);
            least = s < least ? s : least;
            if (least == 0)
                return 0;
        }
    return least;
}

int mesh_cells_meet(const mesh_cell *a, size_t a_count, const mesh_cell *b, size_t b_count)
{
    int most = 0;
    for (size_t i = 0; i < a_count && most < 2; ++i)
        for (size_t j = 0; j < b_count && most < 2; ++j) {
            const int s = cell_meets(&a[i], &b[j]);
            most = s > most ? s : most;
        }
    return most;
}
