/* SPDX-License-Identifier: MIT */
#include "oracle/deform_brute.h"

#include "oracle/triangle_gmp.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static int by_ends(const void *x, const void *y)
{
    const uint32_t *p = x, *q = y;
    if (p[0] != q[0])
        return p[0] < q[0] ? -1 : 1;
    return p[1] < q[1] ? -1 : p[1] > q[1];
}

void brute_find_edges(brute_mesh *m)
{
    size_t count = 0, kept = 0;
    for (size_t i = 0; i < 3 * m->triangle_count; ++i) {
        const uint32_t p = m->triangles[i], q = m->triangles[i % 3 == 2 ? i - 2 : i + 1];
        if (p == q)
            continue;
        m->edges[2 * count] = p < q ? p : q;
        m->edges[2 * count + 1] = p < q ? q : p;
        ++count;
    }
    qsort(m->edges, count, 2 * sizeof m->edges[0], by_ends);
    for (size_t i = 0; i < count; ++i)
        if (i == 0 || by_ends(&m->edges[2 * i], &m->edges[2 * kept - 2]) != 0) {
            m->edges[2 * kept] = m->edges[2 * i];
            m->edges[2 * kept + 1] = m->edges[2 * i + 1];
            ++kept;
        }
    m->edge_count = kept;
}

static double at(const abut_vec3 *p, int k)
{
    return k == 0 ? p->x : k == 1 ? p->y : p->z;
}

/* Corners [0, split) against the others. */
static bool boxes_meet(const abut_vec3 s[4], const abut_vec3 e[4], int split)
{
    for (int k = 0; k < 3; ++k) {
        double lo[2] = { INFINITY, INFINITY }, hi[2] = { -INFINITY, -INFINITY };
        for (int i = 0; i < 8; ++i) {
            const double x = at(i < 4 ? &s[i] : &e[i - 4], k);
            const int of = i % 4 >= split;
            lo[of] = x < lo[of] ? x : lo[of];
            hi[of] = x > hi[of] ? x : hi[of];
        }
        if (lo[0] > hi[1] || lo[1] > hi[0])
            return false;
    }
    return true;
}

static void try_pair(const brute_mesh *const of[4], const uint32_t v[4], bool edges, bool face_first,
                     uint32_t i, uint32_t k, brute_list *out)
{
    abut_vec3 s[4], e[4];
    for (int j = 0; j < 4; ++j) {
        s[j] = of[j]->start[v[j]];
        e[j] = of[j]->end[v[j]];
    }
    if (!boxes_meet(s, e, edges ? 2 : 1))
        return;
    oracle_impact *o = oracle_impact_create(s, e, edges);
    if (!oracle_impact_contact(o) || out->count == BRUTE_CONTACTS) {
        oracle_impact_destroy(o);
        return;
    }
    out->items[out->count++] = (brute_contact){ edges, face_first, { i, k }, o };
}

static bool is_corner(const uint32_t *t, uint32_t v)
{
    return t[0] == v || t[1] == v || t[2] == v;
}

static bool is_used(const brute_mesh *m, uint32_t v)
{
    for (size_t i = 0; i < m->triangle_count; ++i)
        if (is_corner(m->triangles + 3 * i, v))
            return true;
    return false;
}

static void vertices_faces(const brute_mesh *a, const brute_mesh *b, bool face_first, brute_list *out)
{
    for (uint32_t v = 0; v < a->vertex_count; ++v)
        for (uint32_t f = 0; f < b->triangle_count; ++f) {
            const uint32_t *t = b->triangles + 3 * (size_t)f;
            if (!is_used(a, v) || (a == b && is_corner(t, v)))
                continue;
            const brute_mesh *const of[4] = { a, b, b, b };
            const uint32_t corners[4] = { v, t[0], t[1], t[2] };
            try_pair(of, corners, false, face_first, face_first ? f : v, face_first ? v : f, out);
        }
}

void brute_contacts(const brute_mesh *a, const brute_mesh *b, brute_list *out)
{
    out->count = 0;
    vertices_faces(a, b, false, out);
    if (a != b)
        vertices_faces(b, a, true, out);
    for (uint32_t e = 0; e < a->edge_count; ++e)
        for (uint32_t f = a == b ? e + 1 : 0; f < b->edge_count; ++f) {
            const uint32_t *p = a->edges + 2 * (size_t)e, *q = b->edges + 2 * (size_t)f;
            if (a == b && (p[0] == q[0] || p[0] == q[1] || p[1] == q[0] || p[1] == q[1]))
                continue;
            const brute_mesh *const of[4] = { a, a, b, b };
            const uint32_t corners[4] = { p[0], p[1], q[0], q[1] };
            try_pair(of, corners, true, false, e, f, out);
        }
}

void brute_clear(brute_list *list)
{
    for (size_t i = 0; i < list->count; ++i)
        oracle_impact_destroy(list->items[i].at);
    list->count = 0;
}

bool brute_first_in(const brute_list *list, double lo, double hi)
{
    bool found = false;
    for (size_t i = 0; i < list->count; ++i) {
        if (lo > 0 && oracle_impact_events(list->items[i].at, 0, lo) > 0 &&
            !oracle_impact_first_in(list->items[i].at, lo, hi))
            return false; /* one of them is earlier */
        found = found || oracle_impact_first_in(list->items[i].at, lo, hi);
    }
    return found;
}

static size_t count_pairs(const brute_mesh *a, const brute_mesh *b, bool all)
{
    size_t count = 0;
    for (size_t i = 0; i < a->triangle_count; ++i)
        for (size_t k = a == b ? i + 1 : 0; k < b->triangle_count; ++k) {
            const uint32_t *p = a->triangles + 3 * i, *q = b->triangles + 3 * k;
            if (a == b && (is_corner(p, q[0]) || is_corner(p, q[1]) || is_corner(p, q[2])))
                continue;
            const abut_vec3 x[3] = { a->start[p[0]], a->start[p[1]], a->start[p[2]] },
                            y[3] = { b->start[q[0]], b->start[q[1]], b->start[q[2]] };
            const abut_pose still = { { 0, 0, 0 }, { 1, 0, 0, 0 } };
            const abut_meet meet = oracle_triangle_meet(&still, x, &still, y);
            count += all ? meet != ABUT_MEET_NONE : meet == ABUT_MEET_CROSS;
        }
    return count;
}

size_t brute_crossings(const brute_mesh *a, const brute_mesh *b)
{
    return count_pairs(a, b, false);
}

size_t brute_meetings(const brute_mesh *a, const brute_mesh *b)
{
    return count_pairs(a, b, true);
}
