/* SPDX-License-Identifier: MIT */
/* Patches of the bodies of the referee, and branch and bound over them. */
#include "oracle/patchwork_parts.h"

#include <stdlib.h>
#include <string.h>

/* ---- patches ---- */

/* A Bezier patch, or a piece of a profile (a line from r[0], z[0] to r[1], z[1]; an arc about r[0], z[0] of
 * radius r[1] from angle[0] to angle[1]) turned about the axis through x, y from turn[0] to turn[1], then
 * stretched along the axes. */
typedef struct patch {
    int leaf;
    bool turned, arc;
    int degree[2];
    double points[16][3];
    double r[2], z[2], angle[2], turn[2], x, y, stretch[3], rate;
} patch;

enum { PATCHES = 400 };

typedef struct patches {
    int count, leaf;
    patch list[PATCHES];
} patches;

static patch *add(patches *out)
{
    patch *p = &out->list[out->count < PATCHES - 1 ? out->count++ : PATCHES - 1];
    *p = (patch){ .leaf = out->leaf, .stretch = { 1, 1, 1 }, .turn = { 0, 2 * pi }, .rate = 1 };
    return p;
}

static void add_four(patches *out, const double *a, const double *b, const double *c, const double *d)
{
    patch *p = add(out);
    const double *list[4] = { a, b, c, d };
    p->degree[0] = p->degree[1] = 1;
    for (int i = 0; i < 4; ++i)
        memcpy(p->points[i], list[i], sizeof p->points[i]);
}

static patch *add_turned(patches *out, bool is_arc, double r0, double z0, double r1, double z1)
{
    patch *p = add(out);
    p->turned = true;
    p->arc = is_arc;
    p->r[0] = r0;
    p->z[0] = z0;
    p->r[1] = r1;
    p->z[1] = z1;
    return p;
}

static void add_profile(patches *out, const double *c, int count, bool turned, double height)
{
    double lo[2] = { INFINITY, INFINITY }, hi[2] = { -INFINITY, -INFINITY };
    for (int i = 0; i < count; ++i) {
        const double *p = c + 3 * (size_t)i, *q = c + 3 * (size_t)((i + 1) % count);
        const patchwork_arc a = p[2] != 0 ? patchwork_arc_of(p, q) : (patchwork_arc){ .x = p[0], .y = p[1] };
        for (int k = 0; k < 2; ++k) {
            lo[k] = min2(lo[k], min2(p[k], (k ? a.y : a.x) - a.radius));
            hi[k] = max2(hi[k], max2(p[k], (k ? a.y : a.x) + a.radius));
        }
        if (turned && p[2] != 0) {
            patch *t = add_turned(out, true, a.x, a.y, a.radius, 0);
            t->angle[0] = a.from;
            t->angle[1] = a.from + a.sweep;
        } else if (turned) {
            add_turned(out, false, p[0], p[1], q[0], q[1]);
        } else if (p[2] != 0) {
            patch *t = add_turned(out, false, a.radius, 0, a.radius, height);
            t->x = a.x;
            t->y = a.y;
            t->turn[0] = a.from;
            t->turn[1] = a.from + a.sweep;
        } else {
            const double v[4][3] = {
                { p[0], p[1], 0 }, { q[0], q[1], 0 }, { p[0], p[1], height }, { q[0], q[1], height }
            };
            add_four(out, v[0], v[1], v[2], v[3]);
        }
    }
    for (int top = 0; !turned && top < 2; ++top) {
        const double z = top ? height : 0;
        const double v[4][3] = {
            { lo[0], lo[1], z }, { hi[0], lo[1], z }, { lo[0], hi[1], z }, { hi[0], hi[1], z }
        };
        add_four(out, v[0], v[1], v[2], v[3]);
    }
}

static void add_leaf(patches *out, const patchwork_leaf *l)
{
    const double *n = l->n;
    switch (l->type) {
    case PATCHWORK_BOX:
        for (int f = 0; f < 6; ++f) {
            double v[4][3];
            for (int i = 0; i < 4; ++i) {
                const int k = f / 2;
                v[i][k] = f & 1 ? n[k] : -n[k];
                v[i][(k + 1) % 3] = i & 1 ? n[(k + 1) % 3] : -n[(k + 1) % 3];
                v[i][(k + 2) % 3] = i & 2 ? n[(k + 2) % 3] : -n[(k + 2) % 3];
            }
            add_four(out, v[0], v[1], v[2], v[3]);
        }
        break;
    case PATCHWORK_ROUND: {
        patch *p = add_turned(out, true, 0, 0, 1, 0);
        p->angle[0] = -pi / 2;
        p->angle[1] = pi / 2;
        memcpy(p->stretch, n, sizeof p->stretch);
        p->rate = max2(n[0], max2(n[1], n[2]));
        break;
    }
    case PATCHWORK_CAPSULE:
        add_turned(out, false, n[0], -0.5 * n[1], n[0], 0.5 * n[1]);
        for (int i = 0; i < 2; ++i) {
            patch *p = add_turned(out, true, 0, i ? 0.5 * n[1] : -0.5 * n[1], n[0], 0);
            p->angle[0] = i ? 0 : -pi / 2;
            p->angle[1] = i ? pi / 2 : 0;
        }
        break;
    case PATCHWORK_TURNED: add_profile(out, n + 1, (int)n[0], true, 0); break;
    case PATCHWORK_DRAWN: add_profile(out, n + 2, (int)n[1], false, n[0]); break;
    case PATCHWORK_TORUS: {
        patch *p = add_turned(out, true, n[0], 0, n[1], 0);
        p->angle[0] = 0;
        p->angle[1] = 2 * pi;
        break;
    }
    case PATCHWORK_TRIANGLES: {
        const double *v = n + 2, *c = v + 3 * (size_t)n[0];
        for (int i = 0; i < (int)n[1]; ++i)
            add_four(out, v + 3 * (size_t)c[3 * i], v + 3 * (size_t)c[3 * i + 1],
                     v + 3 * (size_t)c[3 * i + 2], v + 3 * (size_t)c[3 * i + 2]);
        break;
    }
    case PATCHWORK_FIELD:
        for (int k = 0; k < patchwork_field_count(n); ++k) {
            double q[3][3];
            for (int i = 0; i < 3; ++i)
                patchwork_field_corner(n, k, i, q[i]);
            add_four(out, q[0], q[1], q[2], q[2]);
        }
        for (int k = 0; k < patchwork_wall_count(n); ++k) {
            double a[3], b[3];
            patchwork_wall(n, k, a, b);
            const double down = 40 * (n[2] + n[3]);
            const double c[3] = { a[0], a[1], a[2] - down }, d[3] = { b[0], b[1], b[2] - down };
            add_four(out, a, b, c, d);
        }
        break;
    case PATCHWORK_SHEET: {
        patch *p = add(out);
        p->degree[0] = (int)n[0];
        p->degree[1] = (int)n[1];
        memcpy(p->points, n + 2, sizeof(double[3]) * (size_t)(p->degree[0] + 1) * (size_t)(p->degree[1] + 1));
        break;
    }
    default: break; /* a half-space is never the one whose patches are taken */
    }
}

/* In the frame of the leaf: the middle of a cell, and how far from it the cell reaches at most. */
static double middle(const patch *p, const double c[4], double out[3])
{
    const double u = 0.5 * (c[0] + c[1]), v = 0.5 * (c[2] + c[3]), du = 0.5 * (c[1] - c[0]),
                 dv = 0.5 * (c[3] - c[2]);
    if (p->turned) {
        const double a = p->turn[0] + u * (p->turn[1] - p->turn[0]),
                     w = p->angle[0] + v * (p->angle[1] - p->angle[0]);
        const double r = p->arc ? p->r[0] + p->r[1] * cos(w) : p->r[0] + v * (p->r[1] - p->r[0]);
        const double z = p->arc ? p->z[0] + p->r[1] * sin(w) : p->z[0] + v * (p->z[1] - p->z[0]);
        out[0] = (p->x + r * cos(a)) * p->stretch[0];
        out[1] = (p->y + r * sin(a)) * p->stretch[1];
        out[2] = z * p->stretch[2];
        const double along = p->arc ? fabs(p->r[1] * (p->angle[1] - p->angle[0]))
                                    : hypot(p->r[1] - p->r[0], p->z[1] - p->z[0]);
        return p->rate * (dv * along + du * (fabs(r) + dv * along) * fabs(p->turn[1] - p->turn[0]));
    }
    const int m = p->degree[0], n = p->degree[1];
    double row[4][3], over_u = 0, over_v = 0;
    for (int j = 0; j <= n; ++j) {
        double at[4][3];
        memcpy(at, p->points[j * (m + 1)], sizeof(double[3]) * (size_t)(m + 1));
        for (int k = m; k > 0; --k)
            for (int i = 0; i < k; ++i)
                for (int d = 0; d < 3; ++d)
                    at[i][d] += u * (at[i + 1][d] - at[i][d]);
        memcpy(row[j], at[0], sizeof row[j]);
        for (int i = 0; i <= m; ++i) {
            double d[3];
            if (i < m) {
                sub(p->points[j * (m + 1) + i + 1], p->points[j * (m + 1) + i], d);
                over_u = max2(over_u, m * length(d));
            }
            if (j < n) {
                sub(p->points[(j + 1) * (m + 1) + i], p->points[j * (m + 1) + i], d);
                over_v = max2(over_v, n * length(d));
            }
        }
    }
    for (int k = n; k > 0; --k)
        for (int j = 0; j < k; ++j)
            for (int d = 0; d < 3; ++d)
                row[j][d] += v * (row[j + 1][d] - row[j][d]);
    memcpy(out, row[0], sizeof row[0]);
    return over_u * du + over_v * dv;
}

static bool halves_u(const patch *p, const double c[4])
{
    double x[3];
    double u[4] = { c[0], c[1], 0.5 * (c[2] + c[3]), 0.5 * (c[2] + c[3]) },
           v[4] = { 0.5 * (c[0] + c[1]), 0.5 * (c[0] + c[1]), c[2], c[3] };
    return middle(p, u, x) >= middle(p, v, x);
}

/* ---- branch and bound ---- */

typedef struct cell {
    double c[4];
    int patch;
    double low;
} cell;

static double stretch_of(const patchwork_place *at)
{
    double square = 0;
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j)
            square += at->m[i][j] * at->m[i][j];
    return at->rigid ? 1 : sqrt(square);
}

static void apply(const patchwork_place *at, const double x[3], double out[3])
{
    for (int i = 0; i < 3; ++i)
        out[i] = dot(at->m[i], x) + at->t[i];
}

static void out_of_leaf(const patchwork_leaf *l, const double x[3], double out[3])
{
    for (int i = 0; i < 3; ++i)
        out[i] = dot(l->turn[i], x) + l->at[i];
}

typedef double (*level_fn)(const void *ctx, const double x[3]);

/* The least level on the body (a solid: on it and in it), by its patches. */
static patchwork_range least_level(const patchwork *a, const patchwork_place *at, level_fn level,
                                   const void *ctx, double fine, size_t room)
{
    patchwork_range out = { -INFINITY, INFINITY, { 0, 0, 0 } };
    patches *all = calloc(1, sizeof *all);
    cell *now = malloc(room * sizeof *now), *next = malloc(room * sizeof *next);
    size_t count = 0;
    const double stretch = stretch_of(at);
    for (all->leaf = 0; all->leaf < a->count; ++all->leaf)
        add_leaf(all, &a->leaf[all->leaf]);
    for (int i = 0; i < all->count; ++i)
        now[count++] = (cell){ { 0, 1, 0, 1 }, i, -INFINITY };
    double left = INFINITY; /* the least bound of what is no more examined */
    for (int depth = 0; depth < 60 && count > 0; ++depth) {
        size_t kept = 0;
        double widest = 0;
        for (size_t i = 0; i < count; ++i) {
            const patch *p = &all->list[now[i].patch];
            double y[3], x[3], w[3];
            const double r = middle(p, now[i].c, y) * (1 + 1e-9);
            out_of_leaf(&a->leaf[p->leaf], y, x);
            const double own = a->solid && a->count + (a->leaf[0].type == PATCHWORK_DRAWN) > 1
                                   ? patchwork_level(a, x) + a->margin
                                   : 0;
            if (own > r + 1e-9 * a->size)
                continue;
            apply(at, x, w);
            const double d = level(ctx, w);
            if (d < out.hi && own <= 1e-9 * a->size) {
                out.hi = d;
                memcpy(out.near, w, sizeof w);
            }
            now[i].low = d - stretch * r;
            widest = max2(widest, stretch * r);
            now[kept++] = now[i];
        }
        size_t more = 0;
        bool full = false;
        for (size_t i = 0; i < kept; ++i) {
            if (now[i].low > out.hi - fine || widest < 0.5 * fine || full || more + 2 > room) {
                left = min2(left, now[i].low);
                full = full || more + 2 > room;
                continue;
            }
            const bool u = halves_u(&all->list[now[i].patch], now[i].c);
            next[more] = next[more + 1] = now[i];
            const double mid = 0.5 * (now[i].c[u ? 0 : 2] + now[i].c[u ? 1 : 3]);
            next[more].c[u ? 1 : 3] = mid;
            next[more + 1].c[u ? 0 : 2] = mid;
            more += 2;
        }
        cell *swap = now;
        now = next;
        next = swap;
        count = more;
    }
    for (size_t i = 0; i < count; ++i)
        left = min2(left, now[i].low);
    out.lo = left;
    free(all);
    free(now);
    free(next);
    return out;
}

typedef struct target {
    const patchwork *b;
    const patchwork_place *at;
} target;

static double target_level(const void *ctx, const double x[3])
{
    const target *t = ctx;
    return patchwork_level_at(t->b, t->at, x);
}

static double point_level(const void *ctx, const double x[3])
{
    double d[3];
    sub(x, ctx, d);
    return length(d);
}

static bool has_level(const patchwork *b, const patchwork_place *at)
{
    return b->leaf[0].type != PATCHWORK_SHEET && at->rigid;
}

static bool has_patches(const patchwork *b)
{
    return b->leaf[0].type != PATCHWORK_HALF;
}

/* Formulas of common parts and differences are bounds from below only. */
static bool is_exact(const patchwork *b)
{
    return b->count == 1 || b->op == PATCHWORK_UNION;
}

/* Two sheets without formulas: pairs of cells. */
static patchwork_range of_sheets(const patchwork *a, const patchwork_place *at_a, const patchwork *b,
                                 const patchwork_place *at_b, double fine, size_t room);

patchwork_range patchwork_distance(const patchwork *a, const patchwork_place *at_a, const patchwork *b,
                                   const patchwork_place *at_b, double fine, size_t cells)
{
    patchwork_range out = { 0, INFINITY, { 0, 0, 0 } };
    const bool by_b = has_level(b, at_b) && has_patches(a), by_a = has_level(a, at_a) && has_patches(b);
    if (!by_a && !by_b)
        return has_patches(a) && has_patches(b) && !a->solid && !b->solid
                   ? of_sheets(a, at_a, b, at_b, fine, cells)
                   : out;
    const bool use_b = by_b && (!by_a || is_exact(b));
    const target t = { use_b ? b : a, use_b ? at_b : at_a };
    const patchwork *own = use_b ? a : b;
    const patchwork_place *at = use_b ? at_a : at_b;
    out = least_level(own, at, target_level, &t, fine, cells);
    if (!is_exact(t.b) && out.hi > 0) /* how far the point found is from the body */
        out.hi = has_patches(t.b) ? least_level(t.b, t.at, point_level, out.near, fine, cells).hi : INFINITY;
    /* The margin of the one whose patches were taken; of placements that stretch there is none. */
    out.lo = max2(0, out.lo - own->margin);
    out.hi = max2(0, out.hi - own->margin);
    /* What is inside the one whose patches were taken is not near them. */
    double inside[3] = { 0, 0, 0 };
    if (own->solid && out.lo > 0 && has_patches(t.b)) {
        patches *all = calloc(1, sizeof *all);
        const double whole[4] = { 0.2, 0.3, 0.4, 0.45 };
        for (int i = 0; i < t.b->count; ++i) {
            all->leaf = i;
            add_leaf(all, &t.b->leaf[i]);
        }
        for (int i = 0; i < all->count; ++i) {
            double y[3], x[3];
            (void)middle(&all->list[i], whole, y);
            out_of_leaf(&t.b->leaf[all->list[i].leaf], y, x);
            if (patchwork_level(t.b, x) > 1e-9 * t.b->size && t.b->solid)
                continue;
            apply(t.at, x, inside);
            if (patchwork_level_at(own, at, inside) < 0)
                out = (patchwork_range){ 0, 0, { inside[0], inside[1], inside[2] } };
        }
        free(all);
        /* of a combination perhaps none of those is a point of it */
        const patchwork_range some = least_level(t.b, t.at, point_level, out.near, 1e-2 * t.b->size, 2000);
        if (some.hi < INFINITY && patchwork_level_at(own, at, some.near) < 0)
            out = (patchwork_range){ 0, 0, { some.near[0], some.near[1], some.near[2] } };
    } else if (own->solid && out.lo > 0) { /* a half-space is in nothing */
        out.lo = own->endless ? 0 : out.lo;
    }
    return out;
}

typedef struct couple {
    cell p, q;
} couple;

static double couple_at(const patches *const all[2], const patchwork *const body[2],
                        const patchwork_place *const at[2], const couple *c, double *radius)
{
    double w[2][3];
    *radius = 0;
    for (int i = 0; i < 2; ++i) {
        const cell *own = i ? &c->q : &c->p;
        double y[3], x[3];
        *radius += stretch_of(at[i]) * middle(&all[i]->list[own->patch], own->c, y) * (1 + 1e-9);
        out_of_leaf(&body[i]->leaf[all[i]->list[own->patch].leaf], y, x);
        apply(at[i], x, w[i]);
    }
    return point_level(w[0], w[1]);
}

static patchwork_range of_sheets(const patchwork *a, const patchwork_place *at_a, const patchwork *b,
                                 const patchwork_place *at_b, double fine, size_t room)
{
    patchwork_range out = { 0, INFINITY, { 0, 0, 0 } };
    const patchwork *const body[2] = { a, b };
    const patchwork_place *const at[2] = { at_a, at_b };
    patches *all[2];
    for (int i = 0; i < 2; ++i) {
        all[i] = calloc(1, sizeof *all[i]);
        for (; all[i]->leaf < body[i]->count; ++all[i]->leaf)
            add_leaf(all[i], &body[i]->leaf[all[i]->leaf]);
    }
    couple *now = malloc(room * sizeof *now), *next = malloc(room * sizeof *next);
    size_t count = 0;
    double left = INFINITY;
    for (int i = 0; i < all[0]->count; ++i)
        for (int j = 0; j < all[1]->count && count < room; ++j)
            now[count++] = (couple){ { { 0, 1, 0, 1 }, i, 0 }, { { 0, 1, 0, 1 }, j, 0 } };
    for (int depth = 0; depth < 80 && count > 0; ++depth) {
        size_t more = 0;
        for (size_t i = 0; i < count; ++i) {
            double r;
            const double d = couple_at((const patches *const *)all, body, at, &now[i], &r);
            out.hi = min2(out.hi, d);
            now[i].p.low = d - r;
        }
        for (size_t i = 0; i < count; ++i) {
            if (now[i].p.low > out.hi - fine || more + 2 > room) {
                left = min2(left, now[i].p.low);
                continue;
            }
            double x[3];
            const bool first = stretch_of(at_a) * middle(&all[0]->list[now[i].p.patch], now[i].p.c, x) >=
                               stretch_of(at_b) * middle(&all[1]->list[now[i].q.patch], now[i].q.c, x);
            const cell *c = first ? &now[i].p : &now[i].q;
            const bool u = halves_u(&all[!first]->list[c->patch], c->c);
            const double mid = 0.5 * (c->c[u ? 0 : 2] + c->c[u ? 1 : 3]);
            next[more] = next[more + 1] = now[i];
            (first ? &next[more].p : &next[more].q)->c[u ? 1 : 3] = mid;
            (first ? &next[more + 1].p : &next[more + 1].q)->c[u ? 0 : 2] = mid;
            more += 2;
        }
        couple *swap = now;
        now = next;
        next = swap;
        count = more;
    }
    for (size_t i = 0; i < count; ++i)
        left = min2(left, now[i].p.low);
    out.lo = max2(0, left);
    for (int i = 0; i < 2; ++i)
        free(all[i]);
    free(now);
    free(next);
    return out;
}

/* ---- common points ---- */

typedef struct both {
    target t[2];
    double reach; /* bodies without an end count to there */
} both;

static double both_level(const void *ctx, const double x[3])
{
    const both *b = ctx;
    return max2(target_level(&b->t[0], x), target_level(&b->t[1], x));
}

double patchwork_common(const patchwork *a, const patchwork_place *at_a, const patchwork *b,
                        const patchwork_place *at_b, double where[3])
{
    const both two = { { { a, at_a }, { b, at_b } }, 0 };
    const target t[2] = { two.t[0], two.t[1] };
    double best = INFINITY;
    for (int i = 0; i < 2; ++i) {
        const target *own = &t[i], *other = &t[1 - i];
        if (!other->b->solid || !has_patches(own->b))
            continue;
        /* of a sheet with a thickness, that of its middle */
        const patchwork_range r =
            least_level(own->b, own->at, target_level, other, 1e-3 * own->b->size, 6000);
        if (!own->b->solid) {
            memcpy(where, r.near, sizeof r.near);
            return max2(0, -r.hi);
        }
        const double d = both_level(&two, r.near);
        if (d < best) {
            best = d;
            memcpy(where, r.near, sizeof r.near);
        }
    }
    if (!a->solid || !b->solid || !(best < INFINITY))
        return 0;
    const double size = min2(a->size, b->size);
    double x[3] = { where[0], where[1], where[2] };
    unsigned random = 12345;
    for (double step = 0.25 * size; step > 1e-5 * size;) {
        bool moved = false;
        for (int i = 0; i < 20; ++i) {
            double y[3];
            for (int k = 0; k < 3; ++k) {
                random = random * 1664525u + 1013904223u;
                const double off =
                    i < 6 ? (i / 2 == k) * (i & 1 ? -1 : 1) : (double)(random >> 8) / (1 << 23) - 1;
                y[k] = x[k] + step * off;
            }
            const double d = both_level(&two, y);
            if (d < best) {
                best = d;
                memcpy(x, y, sizeof y);
                moved = true;
            }
        }
        if (!moved)
            step *= 0.5;
    }
    memcpy(where, x, sizeof x);
    return max2(0, -best);
}
