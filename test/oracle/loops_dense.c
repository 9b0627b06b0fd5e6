/* SPDX-License-Identifier: MIT */
/* See loops_dense.h. Parameters are (p, q): p an angle, periodic; q an angle too (torus), or a
 * coordinate in [0, 1] that is stretched over a ray or a line. */
#include "oracle/loops_dense.h"

#include "oracle/real3.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define RIM  1e-5L /* unbounded coordinates end there, of [0, 1] */
#define TURN 6.283185307179586476925286766559

/* v + 2 u x (u x v + w v), for the unit quaternion (w, u) */
static vec rotate(abut_quat q, vec v, real sign)
{
    const real n = sqrtl((real)q.w * q.w + (real)q.x * q.x + (real)q.y * q.y + (real)q.z * q.z);
    const vec u = { sign * q.x / n, sign * q.y / n, sign * q.z / n };
    const vec t = add(cross(u, v), times(q.w / n, v));
    return add(v, times(2, cross(u, t)));
}

/* A surface in the world. */
typedef struct placed {
    const dense_surface *d;
    vec point, axis, u, v;
    real stretch;
} placed;

static placed place(const dense_surface *d)
{
    placed p = { .d = d };
    p.point = add(rotate(d->pose.rotation, vec_of(d->s.point), 1), vec_of(d->pose.position));
    if (d->s.kind != ABUT_SOLID_SPHERE && d->s.kind != ABUT_SOLID_QUADRIC)
        p.axis = unit(rotate(d->pose.rotation, vec_of(d->s.axis), 1));
    else
        p.axis = (vec){ 0.36, 0.48, 0.8 };
    const vec e = fabsl(p.axis.x) < 0.6 ? (vec){ 1, 0, 0 } : (vec){ 0, 1, 0 };
    p.u = unit(cross(p.axis, e));
    p.v = cross(p.axis, p.u);
    p.stretch = 1;
    return p;
}

/* In the frame of the body. */
static vec to_body(const placed *p, vec x)
{
    return rotate(p->d->pose.rotation, sub(x, vec_of(p->d->pose.position)), -1);
}

/* Zero on the surface, of cones on one nappe alone. */
static real implicit(const placed *p, vec x)
{
    const abut_solid_surface *s = &p->d->s;
    if (s->kind == ABUT_SOLID_QUADRIC) {
        const vec y = to_body(p, x);
        const real h[4] = { y.x, y.y, y.z, 1 };
        real sum = 0;
        for (int i = 0; i < 4; ++i)
            for (int j = 0; j < 4; ++j)
                sum += h[i] * s->matrix[i][j] * h[j];
        return sum;
    }
    const vec y = sub(x, p->point);
    const real z = dot(y, p->axis), across = sqrtl(fmaxl(0, dot(y, y) - z * z));
    switch (s->kind) {
    case ABUT_SOLID_PLANE: return z;
    case ABUT_SOLID_SPHERE: return sqrtl(dot(y, y)) - s->radius;
    case ABUT_SOLID_CYLINDER: return across - s->radius;
    case ABUT_SOLID_CONE: return across - s->tangent * z;
    default: return hypotl(across - s->radius, z) - s->minor;
    }
}

double dense_distance(const dense_surface *d, abut_vec3 at)
{
    const placed p = place(d);
    const vec x = vec_of(at);
    const real f = implicit(&p, x), h = 1e-6L * (1 + sqrtl(dot(x, x)));
    const real gx = implicit(&p, add(x, (vec){ h, 0, 0 })) - implicit(&p, sub(x, (vec){ h, 0, 0 }));
    const real gy = implicit(&p, add(x, (vec){ 0, h, 0 })) - implicit(&p, sub(x, (vec){ 0, h, 0 }));
    const real gz = implicit(&p, add(x, (vec){ 0, 0, h })) - implicit(&p, sub(x, (vec){ 0, 0, h }));
    const real g = sqrtl(gx * gx + gy * gy + gz * gz) / (2 * h);
    return (double)(fabsl(f) / fmaxl(g, 1e-30L));
}

bool dense_prefers(const dense_surface *a, const dense_surface *b)
{
    if (a->s.kind == ABUT_SOLID_CONE || b->s.kind == ABUT_SOLID_CONE)
        return b->s.kind != ABUT_SOLID_CONE;
    return a->s.kind != ABUT_SOLID_PLANE && b->s.kind == ABUT_SOLID_PLANE;
}

static int sheets_of(const dense_surface *d)
{
    return d->form == DENSE_TWO_SHEETS ? 2 : 1;
}

/* How q runs: 0 an angle, 1 a ray from a tip, 2 a line, 3 from pole to pole. */
static int span_of(const dense_surface *d)
{
    switch (d->s.kind) {
    case ABUT_SOLID_TORUS: return 0;
    case ABUT_SOLID_PLANE:
    case ABUT_SOLID_CONE: return 1;
    case ABUT_SOLID_CYLINDER: return 2;
    case ABUT_SOLID_SPHERE: return 3;
    default:
        return d->form == DENSE_ELLIPSOID ? 3 : d->form == DENSE_ONE_SHEET || d->form == DENSE_SADDLE ? 2 : 1;
    }
}

/* [0, 1] to a ray or a line, dense near the middle. */
static real stretch(int span, real q)
{
    if (span == 1)
        return q / (1 - q);
    const real s = 2 * q - 1;
    return s / (1 - s * s);
}

static real shrink(int span, real x)
{
    if (span == 1)
        return x / (1 + x);
    return x == 0 ? 0.5L : 0.5L * ((sqrtl(1 + 4 * x * x) - 1) / (2 * x) + 1);
}

static vec point_at(const placed *p, int sheet, real a, real q)
{
    const dense_surface *d = p->d;
    const int span = span_of(d);
    const real c = cosl(a), s = sinl(a), x = span == 1 || span == 2 ? p->stretch * stretch(span, q) : q;
    const vec around = add(times(c, p->u), times(s, p->v));
    switch (d->s.kind) {
    case ABUT_SOLID_PLANE: return add(p->point, times(x, around));
    case ABUT_SOLID_SPHERE: {
        const real t = q * TURN / 2;
        return add(p->point, times(d->s.radius, add(times(sinl(t), around), times(-cosl(t), p->axis))));
    }
    case ABUT_SOLID_CYLINDER: return add(add(p->point, times(d->s.radius, around)), times(x, p->axis));
    case ABUT_SOLID_CONE: return add(p->point, times(x, add(p->axis, times(d->s.tangent, around))));
    case ABUT_SOLID_TORUS:
        return add(p->point, add(times(d->s.radius + d->s.minor * cosl(q * TURN), around),
                                 times(d->s.minor * sinl(q * TURN), p->axis)));
    default: break;
    }
    vec n = { x * c, x * s, 0 };
    switch (d->form) {
    case DENSE_ELLIPSOID:
        n = (vec){ sinl(q * TURN / 2) * c, sinl(q * TURN / 2) * s, -cosl(q * TURN / 2) };
        break;
    case DENSE_ONE_SHEET: n = (vec){ sqrtl(1 + x * x) * c, sqrtl(1 + x * x) * s, x }; break;
    case DENSE_TWO_SHEETS: n.z = (sheet ? -1 : 1) * sqrtl(1 + x * x); break;
    case DENSE_PARABOLOID: n.z = x * x; break;
    default: { /* along both families of lines: z = u v */
        const real u = stretch(2, RIM + a / TURN * (1 - 2 * RIM));
        n = (vec){ (u + x) / 2, (u - x) / 2, u * x };
        break;
    }
    }
    const real h[4] = { n.x, n.y, n.z, 1 };
    real y[3] = { 0, 0, 0 };
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 4; ++j)
            y[i] += d->map[i][j] * h[j];
    return add(rotate(d->pose.rotation, (vec){ y[0], y[1], y[2] }, 1), vec_of(d->pose.position));
}

/* Solves map n = y. */
static vec to_normal_form(const dense_surface *d, vec y)
{
    real m[3][4];
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j)
            m[i][j] = d->map[i][j];
        m[i][3] = (i == 0 ? y.x : i == 1 ? y.y : y.z) - d->map[i][3];
    }
    for (int k = 0; k < 3; ++k) {
        int best = k;
        for (int i = k + 1; i < 3; ++i)
            if (fabsl(m[i][k]) > fabsl(m[best][k]))
                best = i;
        for (int j = 0; j < 4; ++j) {
            const real t = m[k][j];
            m[k][j] = m[best][j];
            m[best][j] = t;
        }
        for (int i = 0; i < 3; ++i) {
            if (i == k)
                continue;
            const real f = m[i][k] / m[k][k];
            for (int j = k; j < 4; ++j)
                m[i][j] -= f * m[k][j];
        }
    }
    return (vec){ m[0][3] / m[0][0], m[1][3] / m[1][1], m[2][3] / m[2][2] };
}

/* The parameters of a point near the surface. */
static void parameters(const placed *p, vec x, int *sheet, real *a, real *q)
{
    const dense_surface *d = p->d;
    const int span = span_of(d);
    *sheet = 0;
    vec n;
    if (d->s.kind == ABUT_SOLID_QUADRIC) {
        n = to_normal_form(d, to_body(p, x));
    } else {
        const vec y = sub(x, p->point);
        n = (vec){ dot(y, p->u), dot(y, p->v), dot(y, p->axis) };
    }
    *a = atan2l(n.y, n.x);
    if (*a < 0)
        *a += TURN;
    const real across = hypotl(n.x, n.y);
    real t;
    switch (d->s.kind) {
    case ABUT_SOLID_TORUS:
        *q = atan2l(n.z, across - d->s.radius) / TURN;
        if (*q < 0)
            *q += 1;
        return;
    case ABUT_SOLID_PLANE: t = across; break;
    case ABUT_SOLID_CYLINDER:
    case ABUT_SOLID_CONE: t = n.z; break;
    case ABUT_SOLID_SPHERE: *q = atan2l(across, -n.z) / (TURN / 2); return;
    default:
        if (d->form == DENSE_ELLIPSOID) {
            *q = atan2l(across, -n.z) / (TURN / 2);
            return;
        }
        t = d->form == DENSE_ONE_SHEET ? n.z : across;
        if (d->form == DENSE_SADDLE) {
            t = n.x - n.y;
            *a = (shrink(2, n.x + n.y) - RIM) / (1 - 2 * RIM) * TURN;
        }
        *sheet = d->form == DENSE_TWO_SHEETS && n.z < 0;
        break;
    }
    *q = shrink(span, t / p->stretch);
}

void dense_make_quadric(dense_surface *d)
{
    static const double forms[DENSE_FORMS][5] = { /* squares, z, constant */
                                                  { 0 },
                                                  { 1, 1, 1, 0, -1 },
                                                  { 1, 1, -1, 0, -1 },
                                                  { -1, -1, 1, 0, -1 },
                                                  { 1, 1, 0, -1, 0 },
                                                  { 1, -1, 0, -1, 0 }
    };
    const double *f = forms[d->form];
    real inverse[4][4] = { { 0 } };
    dense_surface plain = *d;
    const vec origin = to_normal_form(&plain, (vec){ 0, 0, 0 });
    for (int j = 0; j < 3; ++j) {
        const vec c = sub(to_normal_form(&plain, (vec){ j == 0, j == 1, j == 2 }), origin);
        inverse[0][j] = c.x;
        inverse[1][j] = c.y;
        inverse[2][j] = c.z;
    }
    inverse[0][3] = origin.x;
    inverse[1][3] = origin.y;
    inverse[2][3] = origin.z;
    inverse[3][3] = 1;
    real n[4][4] = { { 0 } };
    for (int i = 0; i < 3; ++i)
        n[i][i] = f[i];
    n[2][3] = n[3][2] = f[3] / 2;
    n[3][3] = f[4];
    d->s.kind = ABUT_SOLID_QUADRIC;
    for (int i = 0; i < 4; ++i)
        for (int j = i; j < 4; ++j) {
            real sum = 0;
            for (int k = 0; k < 4; ++k)
                for (int l = 0; l < 4; ++l)
                    sum += inverse[k][i] * n[k][l] * inverse[l][j];
            d->s.matrix[i][j] = d->s.matrix[j][i] = (double)sum;
        }
}

/* ---- the grid ---- */

typedef struct grid {
    placed a, b;
    int na, nq, sheets, span;
    int open;    /* 1 where the first parameter is no angle but a line */
    real *f;     /* values at nodes, sheet by sheet */
    int *parent; /* of edges: first along a, then along q */
    int edges;
    bool doubtful;
} grid;

static int node(const grid *g, int sheet, int i, int j)
{
    return (sheet * (g->nq + 1) + j) * g->na + (i % g->na);
}

static int edge(const grid *g, int sheet, int i, int j, bool along_q)
{
    return node(g, sheet, i, j) + (along_q ? g->edges / 2 : 0);
}

static int find(grid *g, int i)
{
    while (g->parent[i] != i)
        i = g->parent[i] = g->parent[g->parent[i]];
    return i;
}

static real node_q(const grid *g, int j)
{
    /* Not quite to infinity. */
    const real q = (real)j / g->nq, rim = RIM;
    if (g->span == 1)
        return q * (1 - rim);
    return g->span == 2 ? rim + q * (1 - 2 * rim) : q;
}

static real value(const grid *g, int sheet, real a, real q)
{
    return implicit(&g->b, point_at(&g->a, sheet, a, q));
}

/* A dip towards zero between nodes: zooms in. 1: crosses zero, 0: does not, -1: too close to tell. */
static int dip(const grid *g, int sheet, real a, real q, real da, real dq, real size)
{
    const real first = value(g, sheet, a, q), sign = first > 0 ? 1 : -1;
    real best = fabsl(first);
    for (int zoom = 0; zoom < 24; ++zoom) {
        real ba = a, bq = q;
        for (int i = -4; i <= 4; ++i)
            for (int j = -4; j <= 4; ++j) {
                real x = q + j * dq / 4;
                if (g->span == 0)
                    x -= floorl(x);
                else if (x < 0 || x > node_q(g, g->nq))
                    continue;
                const real v = sign * value(g, sheet, a + i * da / 4, x);
                if (v < best) {
                    best = v;
                    ba = a + i * da / 4;
                    bq = x;
                }
            }
        if (best < -1e-12L * size)
            return 1;
        a = ba;
        q = bq;
        da /= 2;
        dq /= 2;
    }
    return fabsl(best) < 1e-8L * size ? -1 : best < 0 ? 1 : 0;
}

static int dips(grid *g, int *small)
{
    *small = 0;
    const bool loop = g->span == 0;
    for (int s = 0; s < g->sheets; ++s)
        for (int j = loop ? 0 : 1; j < g->nq; ++j)
            for (int i = g->open; i < g->na - g->open; ++i) {
                const real f = g->f[node(g, s, i, j)];
                bool least = true;
                for (int k = 0; k < 9 && least; ++k) {
                    const int jj = loop ? (j + k / 3 - 1 + g->nq) % g->nq : j + k / 3 - 1;
                    const real other = g->f[node(g, s, i + k % 3 - 1 + g->na, jj)];
                    least = f * other > 0 && fabsl(f) <= fabsl(other);
                }
                if (!least)
                    continue;
                const int found = dip(g, s, TURN * i / g->na, node_q(g, j), TURN / g->na, 1.0L / g->nq, 1);
                if (found < 0)
                    return -1;
                if (found > 0)
                    ++*small;
            }
    return 0;
}

static void march(grid *g)
{
    const bool loop = g->span == 0;
    for (int s = 0; s < g->sheets; ++s)
        for (int j = 0; j < g->nq; ++j)
            for (int i = 0; i < g->na - g->open; ++i) {
                const int up = loop ? (j + 1) % g->nq : j + 1;
                const bool v00 = g->f[node(g, s, i, j)] > 0, v10 = g->f[node(g, s, i + 1, j)] > 0;
                const bool v01 = g->f[node(g, s, i, up)] > 0, v11 = g->f[node(g, s, i + 1, up)] > 0;
                int crossed[4], n = 0;
                if (v00 != v10)
                    crossed[n++] = edge(g, s, i, j, false);
                if (v01 != v11)
                    crossed[n++] = edge(g, s, i, up, false);
                if (v00 != v01)
                    crossed[n++] = edge(g, s, i, j, true);
                if (v10 != v11)
                    crossed[n++] = edge(g, s, i + 1, j, true);
                if (n == 4)
                    g->doubtful = true;
                for (int k = 0; k < n; ++k) {
                    if (g->parent[crossed[k]] < 0)
                        g->parent[crossed[k]] = crossed[k];
                    if (k > 0 && n == 2)
                        g->parent[find(g, crossed[1])] = find(g, crossed[0]);
                }
            }
}

/* The component with a crossed edge next to a point of the parameters. */
static int component_near(grid *g, int sheet, real a, real q)
{
    const real span = node_q(g, g->nq) - node_q(g, 0);
    const int i0 = (int)floorl(a / TURN * g->na), j0 = (int)floorl((q - node_q(g, 0)) / span * g->nq);
    for (int reach = 0; reach <= 2; ++reach)
        for (int j = j0 - reach; j <= j0 + reach + 1; ++j)
            for (int i = i0 - reach; i <= i0 + reach + 1; ++i) {
                int jj = j;
                if (g->span == 0)
                    jj = (j + 4 * g->nq) % g->nq;
                else if (j < 0 || j > g->nq)
                    continue;
                for (int k = 0; k < 2; ++k) {
                    if (k && jj == g->nq)
                        continue;
                    const int e = edge(g, sheet, i + 4 * g->na, jj, k);
                    if (g->parent[e] >= 0)
                        return find(g, e);
                }
            }
    return -1;
}

static void run(const dense_surface *a, const dense_surface *b, int n, const abut_loop *points, size_t count,
                dense_result *out)
{
    grid g = { .a = place(a),
               .b = place(b),
               .na = n,
               .nq = n,
               .sheets = sheets_of(a),
               .span = span_of(a),
               .open = a->form == DENSE_SADDLE };
    memset(out, 0, sizeof *out);
    const int nodes = g.sheets * (g.nq + 1) * g.na;
    g.edges = 2 * nodes;
    g.f = malloc((size_t)nodes * sizeof *g.f);
    g.parent = malloc((size_t)g.edges * sizeof *g.parent);
    if (!g.f || !g.parent)
        abort();
    for (int i = 0; i < g.edges; ++i)
        g.parent[i] = -1;
    for (int s = 0; s < g.sheets; ++s)
        for (int j = 0; j <= g.nq; ++j)
            for (int i = 0; i < g.na; ++i)
                g.f[node(&g, s, i, j)] = value(&g, s, TURN * i / g.na, node_q(&g, j));
    march(&g);
    int small = 0;
    const int told = dips(&g, &small);
    out->known = told == 0 && !g.doubtful;
    int names[DENSE_MOST], named = 0;
    for (int i = 0; i < g.edges && out->known; ++i)
        if (g.parent[i] == i) {
            if (named == DENSE_MOST)
                out->known = false;
            else
                names[named++] = i;
        }
    out->count = named + small;
    for (size_t k = 0; k < count && out->known; ++k) {
        int sheet;
        real pa, pq;
        parameters(&g.a, vec_of(points[k].point), &sheet, &pa, &pq);
        const int c = component_near(&g, sheet, pa, pq);
        out->of_point[k] = -1;
        for (int i = 0; i < named; ++i)
            if (c >= 0 && names[i] == c)
                out->of_point[k] = i;
    }
    free(g.f);
    free(g.parent);
}

void dense_components(const dense_surface *a, const dense_surface *b, int n, const abut_loop *points,
                      size_t count, dense_result *out)
{
    /* Two grids must agree, and the parameters of the other surface. Beyond its last cell but one
     * the grid does not tell branches apart. */
    dense_result coarse;
    memset(out, 0, sizeof *out);
    const placed p = place(a);
    for (size_t i = 0; i < count; ++i) {
        const vec away = sub(vec_of(points[i].point),
                             a->s.kind == ABUT_SOLID_QUADRIC ? vec_of(a->pose.position) : p.point);
        if (sqrtl(dot(away, away)) > n / 4.0L)
            return;
    }
    run(a, b, n, points, count, &coarse);
    if (!coarse.known) {
        *out = coarse;
        return;
    }
    run(b, a, n + n / 3, points, count, out);
    if (!out->known || out->count != coarse.count) {
        out->known = false;
        return;
    }
    run(a, b, n + n / 3, points, count, out);
    out->known = out->known && out->count == coarse.count;
}
