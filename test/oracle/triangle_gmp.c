/* SPDX-License-Identifier: MIT */
#include "oracle/triangle_gmp.h"

#include <stdbool.h>

typedef struct qvec {
    mpq_t c[3];
} qvec;

static void vec_init(qvec *v)
{
    for (int i = 0; i < 3; ++i)
        mpq_init(v->c[i]);
}

static void vec_clear(qvec *v)
{
    for (int i = 0; i < 3; ++i)
        mpq_clear(v->c[i]);
}

static void vec_set(qvec *r, const qvec *a)
{
    for (int i = 0; i < 3; ++i)
        mpq_set(r->c[i], a->c[i]);
}

static void vec_sub(qvec *r, const qvec *a, const qvec *b)
{
    for (int i = 0; i < 3; ++i)
        mpq_sub(r->c[i], a->c[i], b->c[i]);
}

static void vec_dot(mpq_t r, const qvec *a, const qvec *b)
{
    mpq_t t, sum;
    mpq_init(t);
    mpq_init(sum);
    for (int i = 0; i < 3; ++i) {
        mpq_mul(t, a->c[i], b->c[i]);
        mpq_add(sum, sum, t);
    }
    mpq_set(r, sum);
    mpq_clear(t);
    mpq_clear(sum);
}

/* r is neither a nor b. */
static void vec_cross(qvec *r, const qvec *a, const qvec *b)
{
    mpq_t t;
    mpq_init(t);
    for (int i = 0; i < 3; ++i) {
        const int j = (i + 1) % 3, k = (i + 2) % 3;
        mpq_mul(r->c[i], a->c[j], b->c[k]);
        mpq_mul(t, a->c[k], b->c[j]);
        mpq_sub(r->c[i], r->c[i], t);
    }
    mpq_clear(t);
}

/* r = a + s d; r may be a. */
static void vec_madd(qvec *r, const qvec *a, const mpq_t s, const qvec *d)
{
    mpq_t t;
    mpq_init(t);
    for (int i = 0; i < 3; ++i) {
        mpq_mul(t, s, d->c[i]);
        mpq_add(r->c[i], a->c[i], t);
    }
    mpq_clear(t);
}

static bool vec_is_zero(const qvec *a)
{
    return mpq_sgn(a->c[0]) == 0 && mpq_sgn(a->c[1]) == 0 && mpq_sgn(a->c[2]) == 0;
}

/* x + 2 v x (v x x + w x) / |q|^2, v the vector part. out may be x. */
static void rotate(abut_quat q, const qvec *x, qvec *out)
{
    qvec v, y, z;
    mpq_t w, n, t;
    vec_init(&v);
    vec_init(&y);
    vec_init(&z);
    mpq_init(w);
    mpq_init(n);
    mpq_init(t);
    mpq_set_d(v.c[0], q.x);
    mpq_set_d(v.c[1], q.y);
    mpq_set_d(v.c[2], q.z);
    mpq_set_d(w, q.w);
    vec_dot(n, &v, &v);
    mpq_mul(t, w, w);
    mpq_add(n, n, t);
    vec_cross(&y, &v, x);
    vec_madd(&y, &y, w, x);
    vec_cross(&z, &v, &y);
    mpq_set_ui(t, 2, 1);
    mpq_div(t, t, n);
    vec_madd(out, x, t, &z);
    vec_clear(&v);
    vec_clear(&y);
    vec_clear(&z);
    mpq_clear(w);
    mpq_clear(n);
    mpq_clear(t);
}

static void vec_from(abut_vec3 p, qvec *out)
{
    mpq_set_d(out->c[0], p.x);
    mpq_set_d(out->c[1], p.y);
    mpq_set_d(out->c[2], p.z);
}

static void place(const abut_pose *pose, abut_vec3 p, qvec *out)
{
    qvec at;
    vec_init(&at);
    vec_from(p, out);
    rotate(pose->rotation, out, out);
    vec_from(pose->position, &at);
    for (int i = 0; i < 3; ++i)
        mpq_add(out->c[i], out->c[i], at.c[i]);
    vec_clear(&at);
}

enum { MAX_POINTS = 40 };

typedef struct polygon {
    int count;
    qvec p[MAX_POINTS];
} polygon;

static void polygon_init(polygon *g)
{
    g->count = 0;
    for (int i = 0; i < MAX_POINTS; ++i)
        vec_init(&g->p[i]);
}

static void polygon_clear(polygon *g)
{
    for (int i = 0; i < MAX_POINTS; ++i)
        vec_clear(&g->p[i]);
}

static bool vec_same(const qvec *a, const qvec *b)
{
    return mpq_equal(a->c[0], b->c[0]) && mpq_equal(a->c[1], b->c[1]) && mpq_equal(a->c[2], b->c[2]);
}

static void push(polygon *g, const qvec *p)
{
    if (g->count > 0 && vec_same(&g->p[g->count - 1], p))
        return;
    vec_set(&g->p[g->count++], p);
}

/* Keeps what has n . (x - at) >= 0. */
static void keep(polygon *g, const qvec *n, const qvec *at)
{
    polygon next;
    polygon_init(&next);
    mpq_t dp, dq, s;
    mpq_init(dp);
    mpq_init(dq);
    mpq_init(s);
    qvec t;
    vec_init(&t);
    for (int i = 0; i < g->count; ++i) {
        const qvec *p = &g->p[i], *q = &g->p[(i + 1) % g->count];
        vec_sub(&t, p, at);
        vec_dot(dp, n, &t);
        vec_sub(&t, q, at);
        vec_dot(dq, n, &t);
        if (mpq_sgn(dp) >= 0)
            push(&next, p);
        if (mpq_sgn(dp) * mpq_sgn(dq) < 0) {
            mpq_sub(s, dp, dq);
            mpq_div(s, dp, s);
            vec_sub(&t, q, p);
            vec_madd(&t, p, s, &t);
            push(&next, &t);
        }
    }
    g->count = next.count;
    for (int i = 0; i < next.count; ++i)
        vec_set(&g->p[i], &next.p[i]);
    polygon_clear(&next);
    vec_clear(&t);
    mpq_clear(dp);
    mpq_clear(dq);
    mpq_clear(s);
}

static void keep_both(polygon *g, const qvec *n, const qvec *at)
{
    qvec m;
    vec_init(&m);
    for (int i = 0; i < 3; ++i)
        mpq_neg(m.c[i], n->c[i]);
    keep(g, n, at);
    keep(g, &m, at);
    vec_clear(&m);
}

/* Cuts g down to the convex hull of three points. */
static void keep_triangle(polygon *g, const qvec t[3])
{
    qvec e, f, n, m, zero;
    vec_init(&e);
    vec_init(&f);
    vec_init(&n);
    vec_init(&m);
    vec_init(&zero);
    vec_sub(&e, &t[1], &t[0]);
    vec_sub(&f, &t[2], &t[0]);
    vec_cross(&n, &e, &f);
    if (!vec_is_zero(&n)) {
        keep_both(g, &n, &t[0]);
        for (int k = 0; k < 3; ++k) {
            vec_sub(&e, &t[(k + 1) % 3], &t[k]);
            vec_cross(&m, &n, &e);
            keep(g, &m, &t[k]);
        }
    } else {
        /* The longest of the three differences is the segment; all three coordinates of it x (p
         * - start) are zero. */
        int from = 0, to = 0;
        mpq_t most, l;
        mpq_init(most);
        mpq_init(l);
        for (int k = 0; k < 3; ++k) {
            vec_sub(&e, &t[(k + 1) % 3], &t[k]);
            vec_dot(l, &e, &e);
            if (mpq_cmp(l, most) > 0) {
                mpq_set(most, l);
                from = k;
                to = (k + 1) % 3;
            }
        }
        vec_sub(&e, &t[to], &t[from]);
        for (int k = 0; k < 3; ++k) {
            vec_set(&f, &zero);
            mpq_set_ui(f.c[k], 1, 1);
            if (mpq_sgn(most) == 0) {
                keep_both(g, &f, &t[0]);
            } else {
                vec_cross(&m, &e, &f);
                keep_both(g, &m, &t[from]);
            }
        }
        keep(g, &e, &t[from]);
        vec_sub(&f, &zero, &e);
        keep(g, &f, &t[to]);
        mpq_clear(most);
        mpq_clear(l);
    }
    vec_clear(&e);
    vec_clear(&f);
    vec_clear(&n);
    vec_clear(&m);
    vec_clear(&zero);
}

/* Has t an area, and are there points of `of` strictly on both sides of it? */
static bool is_straddled(const qvec t[3], const qvec of[3])
{
    qvec e, f, n;
    mpq_t d;
    vec_init(&e);
    vec_init(&f);
    vec_init(&n);
    mpq_init(d);
    vec_sub(&e, &t[1], &t[0]);
    vec_sub(&f, &t[2], &t[0]);
    vec_cross(&n, &e, &f);
    bool above = false, below = false;
    for (int k = 0; k < 3; ++k) {
        vec_sub(&e, &of[k], &t[0]);
        vec_dot(d, &n, &e);
        above = above || mpq_sgn(d) > 0;
        below = below || mpq_sgn(d) < 0;
    }
    vec_clear(&e);
    vec_clear(&f);
    vec_clear(&n);
    mpq_clear(d);
    return above && below;
}

static bool has_area(const polygon *g)
{
    bool found = false;
    qvec e, f, n;
    vec_init(&e);
    vec_init(&f);
    vec_init(&n);
    for (int i = 1; i + 1 < g->count && !found; ++i) {
        vec_sub(&e, &g->p[i], &g->p[0]);
        vec_sub(&f, &g->p[i + 1], &g->p[0]);
        vec_cross(&n, &e, &f);
        found = !vec_is_zero(&n);
    }
    vec_clear(&e);
    vec_clear(&f);
    vec_clear(&n);
    return found;
}

static bool has_length(const polygon *g)
{
    for (int i = 1; i < g->count; ++i)
        if (!vec_same(&g->p[0], &g->p[i]))
            return true;
    return false;
}

abut_meet oracle_triangle_meet(const abut_pose *pose_a, const abut_vec3 a[3], const abut_pose *pose_b,
                               const abut_vec3 b[3])
{
    qvec x[3], y[3];
    polygon g;
    polygon_init(&g);
    for (int k = 0; k < 3; ++k) {
        vec_init(&x[k]);
        vec_init(&y[k]);
        place(pose_a, a[k], &x[k]);
        place(pose_b, b[k], &y[k]);
        push(&g, &x[k]);
    }
    keep_triangle(&g, y);
    abut_meet meet = ABUT_MEET_NONE;
    if (g.count > 0) {
        meet = ABUT_MEET_TOUCH;
        if (has_area(&g))
            meet = ABUT_MEET_COPLANAR;
        else if (has_length(&g) && is_straddled(x, y) && is_straddled(y, x))
            meet = ABUT_MEET_CROSS;
    }
    polygon_clear(&g);
    for (int k = 0; k < 3; ++k) {
        vec_clear(&x[k]);
        vec_clear(&y[k]);
    }
    return meet;
}

static void consider(const qvec *p, const qvec *q, mpq_t least, bool *any)
{
    qvec d;
    mpq_t l;
    vec_init(&d);
    mpq_init(l);
    vec_sub(&d, p, q);
    vec_dot(l, &d, &d);
    if (!*any || mpq_cmp(l, least) < 0)
        mpq_set(least, l);
    *any = true;
    vec_clear(&d);
    mpq_clear(l);
}

static bool in_unit(const mpq_t s)
{
    return mpq_sgn(s) >= 0 && mpq_cmp_ui(s, 1, 1) <= 0;
}

/* Point p against edge q r, where its foot is on the edge. */
static void point_edge(const qvec *p, const qvec *q, const qvec *r, mpq_t least, bool *any)
{
    qvec e, d;
    mpq_t s, l;
    vec_init(&e);
    vec_init(&d);
    mpq_init(s);
    mpq_init(l);
    vec_sub(&e, r, q);
    vec_sub(&d, p, q);
    vec_dot(l, &e, &e);
    if (mpq_sgn(l) > 0) {
        vec_dot(s, &d, &e);
        mpq_div(s, s, l);
        if (in_unit(s)) {
            vec_madd(&d, q, s, &e);
            consider(p, &d, least, any);
        }
    }
    vec_clear(&e);
    vec_clear(&d);
    mpq_clear(s);
    mpq_clear(l);
}

/* p + s e + t f, where r = q - p, minimises |r - s e - t f| (with f the other way for edges):
 * both s and t by Cramer's rule. */
static bool solve(const qvec *e, const qvec *f, const qvec *r, mpq_t s, mpq_t t)
{
    mpq_t ee, ef, ff, re, rf, det, h;
    mpq_inits(ee, ef, ff, re, rf, det, h, NULL);
    vec_dot(ee, e, e);
    vec_dot(ef, e, f);
    vec_dot(ff, f, f);
    vec_dot(re, r, e);
    vec_dot(rf, r, f);
    mpq_mul(det, ee, ff);
    mpq_mul(h, ef, ef);
    mpq_sub(det, det, h);
    const bool regular = mpq_sgn(det) != 0;
    if (regular) {
        mpq_mul(s, re, ff);
        mpq_mul(h, rf, ef);
        mpq_sub(s, s, h);
        mpq_div(s, s, det);
        mpq_mul(t, rf, ee);
        mpq_mul(h, re, ef);
        mpq_sub(t, t, h);
        mpq_div(t, t, det);
    }
    mpq_clears(ee, ef, ff, re, rf, det, h, NULL);
    return regular;
}

static void point_face(const qvec *p, const qvec t[3], mpq_t least, bool *any)
{
    qvec e, f, r;
    mpq_t u, v, w;
    vec_init(&e);
    vec_init(&f);
    vec_init(&r);
    mpq_inits(u, v, w, NULL);
    vec_sub(&e, &t[1], &t[0]);
    vec_sub(&f, &t[2], &t[0]);
    vec_sub(&r, p, &t[0]);
    if (solve(&e, &f, &r, u, v)) {
        mpq_add(w, u, v);
        if (mpq_sgn(u) >= 0 && mpq_sgn(v) >= 0 && mpq_cmp_ui(w, 1, 1) <= 0) {
            vec_madd(&r, &t[0], u, &e);
            vec_madd(&r, &r, v, &f);
            consider(p, &r, least, any);
        }
    }
    vec_clear(&e);
    vec_clear(&f);
    vec_clear(&r);
    mpq_clears(u, v, w, NULL);
}

static void edge_edge(const qvec *p, const qvec *p2, const qvec *q, const qvec *q2, mpq_t least, bool *any)
{
    qvec e, f, r, zero;
    mpq_t s, t;
    vec_init(&e);
    vec_init(&f);
    vec_init(&r);
    vec_init(&zero);
    mpq_inits(s, t, NULL);
    vec_sub(&e, p2, p);
    vec_sub(&f, q, q2); /* backward */
    vec_sub(&r, q, p);
    if (solve(&e, &f, &r, s, t) && in_unit(s) && in_unit(t)) {
        vec_madd(&e, p, s, &e);
        vec_sub(&f, &zero, &f);
        vec_madd(&f, q, t, &f);
        consider(&e, &f, least, any);
    }
    vec_clear(&e);
    vec_clear(&f);
    vec_clear(&r);
    vec_clear(&zero);
    mpq_clears(s, t, NULL);
}

void oracle_triangle_distance2(const abut_pose *pose_a, const abut_vec3 a[3], const abut_pose *pose_b,
                               const abut_vec3 b[3], mpq_t out)
{
    mpq_set_ui(out, 0, 1);
    if (oracle_triangle_meet(pose_a, a, pose_b, b) != ABUT_MEET_NONE)
        return;
    qvec x[3], y[3];
    for (int k = 0; k < 3; ++k) {
        vec_init(&x[k]);
        vec_init(&y[k]);
        place(pose_a, a[k], &x[k]);
        place(pose_b, b[k], &y[k]);
    }
    bool any = false;
    for (int i = 0; i < 3; ++i) {
        point_face(&x[i], y, out, &any);
        point_face(&y[i], x, out, &any);
        for (int k = 0; k < 3; ++k) {
            consider(&x[i], &y[k], out, &any);
            point_edge(&x[i], &y[k], &y[(k + 1) % 3], out, &any);
            point_edge(&y[i], &x[k], &x[(k + 1) % 3], out, &any);
            edge_edge(&x[i], &x[(i + 1) % 3], &y[k], &y[(k + 1) % 3], out, &any);
        }
    }
    for (int k = 0; k < 3; ++k) {
        vec_clear(&x[k]);
        vec_clear(&y[k]);
    }
}

void oracle_triangle_relative(const abut_pose *pose_a, const abut_pose *pose_b, abut_vec3 p, mpq_t out[3])
{
    qvec x, origin;
    vec_init(&x);
    vec_init(&origin);
    place(pose_b, p, &x);
    vec_from(pose_a->position, &origin);
    vec_sub(&x, &x, &origin);
    const abut_quat q = pose_a->rotation, back = { q.w, -q.x, -q.y, -q.z };
    rotate(back, &x, &x);
    for (int i = 0; i < 3; ++i)
        mpq_set(out[i], x.c[i]);
    vec_clear(&x);
    vec_clear(&origin);
}

int oracle_compare_square(double x, const mpq_t d2)
{
    mpq_t q;
    mpq_init(q);
    mpq_set_d(q, x);
    mpq_mul(q, q, q);
    const int order = mpq_cmp(q, d2);
    mpq_clear(q);
    return (order > 0) - (order < 0);
}
