/* SPDX-License-Identifier: MIT */
/* Parameters along a segment. With values g at the start and h at the end of the segment an affine function
 * is zero at g / (g - h). Two of them are compared by doubles with error bounds, and where these leave a doubt
 * by the sign of g1 h2 - g2 h1 in exact integers. */
#include "narrow/pair/big.h"
#include "narrow/polyhedron/segment.h"

#include <float.h>

static abut_vec3 vertex(const segment_walker *w, uint32_t v)
{
    return w->mesh->vertices[v];
}

/* det[b - a, c - a, x - a] of a plane; the area of a line's projection. Signs of the values are exact where
 * they matter: these steer. */
static double rough_value(const segment_walker *w, const segment_place *at, abut_vec3 x, double *error)
{
    const abut_vec3 a = vertex(w, at->v[0]), u = abut_sub(vertex(w, at->v[1]), a), d = abut_sub(x, a);
    const double reach = abut_max_norm(u) * abut_max_norm(d);
    if (at->kind == AT_LINE) {
        const int i = (at->axis + 1) % 3, j = (at->axis + 2) % 3;
        *error = 0x1p-48 * reach + 0x1p-50 * w->size * (abut_max_norm(u) + abut_max_norm(d));
        return abut_part3(u, i) * abut_part3(d, j) - abut_part3(u, j) * abut_part3(d, i);
    }
    const abut_vec3 v = abut_sub(vertex(w, at->v[2]), a);
    const double span = abut_max_norm(v);
    *error = 0x1p-46 * reach * span +
             0x1p-48 * w->size * (abut_max_norm(u) * span + abut_max_norm(d) * span + reach);
    return abut_dot(d, abut_cross(u, v));
}

static void exact_difference(double a, double b, abut_big *out)
{
    const abut_terms t = abut_terms_difference(a, b);
    abut_big_terms(&t, out);
}

static void exact_value(const segment_walker *w, const segment_place *at, abut_vec3 x, abut_big *out)
{
    abut_big u[3], v[3], d[3], minor;
    const abut_vec3 a = vertex(w, at->v[0]), b = vertex(w, at->v[1]);
    for (int k = 0; k < 3; ++k) {
        exact_difference(abut_part3(b, k), abut_part3(a, k), &u[k]);
        exact_difference(abut_part3(x, k), abut_part3(a, k), &d[k]);
    }
    abut_big_clear(out);
    if (at->kind == AT_LINE) {
        const int i = (at->axis + 1) % 3, j = (at->axis + 2) % 3;
        abut_big_add_product(&u[i], &d[j], 1, out);
        abut_big_add_product(&u[j], &d[i], -1, out);
        return;
    }
    const abut_vec3 c = vertex(w, at->v[2]);
    for (int k = 0; k < 3; ++k)
        exact_difference(abut_part3(c, k), abut_part3(a, k), &v[k]);
    for (int k = 0; k < 3; ++k) {
        const int i = (k + 1) % 3, j = (k + 2) % 3;
        abut_big_clear(&minor);
        abut_big_add_product(&u[i], &v[j], 1, &minor);
        abut_big_add_product(&u[j], &v[i], -1, &minor);
        abut_big_add_product(&d[k], &minor, 1, out);
    }
}

static void set_exactly(const segment_walker *w, segment_place *at)
{
    abut_big g, h;
    exact_value(w, at, w->p, &g);
    exact_value(w, at, w->q, &h);
    abut_big span = g;
    abut_big_add(&h, -1, &span);
    const bool known = abut_big_sign(&span) != 0;
    at->t = known ? abut_big_quotient(&g, &span).h : 0.5;
    at->error = known ? 0x1p-50 : DBL_MAX;
}

void segment_place_set(const segment_walker *w, segment_place *at)
{
    double e, f;
    const double g = rough_value(w, at, w->p, &e), h = rough_value(w, at, w->q, &f),
                 span = fabs(g - h) - e - f;
    at->t = g / (g - h);
    at->error = 2 * (e + f) / span + 0x1p-50;
    /* Near a triangle's plane, and where products leave the range of doubles. */
    if (!(span > 0x1p-960 && at->error < 0x1p-42))
        set_exactly(w, at);
}

/* Sign of t1 - t2. */
static int exact_compare(const segment_walker *w, const segment_place *a, const segment_place *b)
{
    abut_big g[2], h[2], sum;
    const segment_place *of[2] = { a, b };
    for (int i = 0; i < 2; ++i) {
        if (of[i]->kind == AT_START || of[i]->kind == AT_END) { /* t (g - h) = g with g - h = 1 */
            abut_big_double(of[i]->kind == AT_END, &g[i]);
            abut_big_double(of[i]->kind == AT_END ? 0 : -1, &h[i]);
            continue;
        }
        exact_value(w, of[i], w->p, &g[i]);
        exact_value(w, of[i], w->q, &h[i]);
        abut_big span = g[i];
        abut_big_add(&h[i], -1, &span);
        if (abut_big_sign(&span) < 0) {
            g[i].n = -g[i].n;
            h[i].n = -h[i].n;
        }
    }
    /* t1 - t2 = (g1 (g2 - h2) - g2 (g1 - h1)) / positive = (g2 h1 - g1 h2) / positive */
    abut_big_clear(&sum);
    abut_big_add_product(&g[1], &h[0], 1, &sum);
    abut_big_add_product(&g[0], &h[1], -1, &sum);
    return abut_big_sign(&sum);
}

/* The same function: most parameters that are equal are. */
static bool is_same(const segment_place *a, const segment_place *b)
{
    if (a->kind != b->kind || a->t != b->t)
        return false;
    switch (a->kind) {
    case AT_PLANE: return a->v[0] == b->v[0] && a->v[1] == b->v[1] && a->v[2] == b->v[2];
    case AT_LINE: return a->axis == b->axis && a->v[0] == b->v[0] && a->v[1] == b->v[1];
    default: return true;
    }
}

int segment_compare(const segment_walker *w, const segment_place *a, const segment_place *b)
{
    const double gap = a->t - b->t;
    if (fabs(gap) > a->error + b->error)
        return gap > 0 ? 1 : -1;
    return is_same(a, b) ? 0 : exact_compare(w, a, b);
}
