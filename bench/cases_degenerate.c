/* SPDX-License-Identifier: MIT */
/* Degenerate vertex-face and edge-edge queries: corners that stay in one plane, parallel edges, all
 * corners through one point. In integers, with an answer that is known by how they are made, and then
 * moved by an integer matrix, which is exact and changes no answer. These are the queries that need
 * exact arithmetic: the counter `worst` is the longest of them in microseconds. */
#include "peers.h"

#include <math.h>
#include <stdlib.h>

enum { VF_PLANE, EE_PLANE, EE_PARALLEL, VF_POINT, KINDS };
enum { QUERIES = 20000 };

static double whole(bench_random *r, int range)
{
    return floor(bench_uniform(r, -range, range + 1));
}

/* A vertex that is inside the face halfway, in the plane z = 0. */
static void vertex_in_plane(bench_random *r, bench_element *e)
{
    for (int k = 0; k < 2; ++k) {
        double middle = 0;
        for (int i = 1; i < 4; ++i) {
            e->from[i][k] = 8 * whole(r, 4);
            e->to[i][k] = 8 * whole(r, 4);
            middle += (i == 3 ? 0.5 : 0.25) * 0.5 * (e->from[i][k] + e->to[i][k]);
        }
        e->from[0][k] = whole(r, 40);
        e->to[0][k] = 2 * middle - e->from[0][k];
    }
}

/* Two edges in the plane z = 0 that cross in their middles halfway. */
static void edges_in_plane(bench_random *r, bench_element *e)
{
    for (int k = 0; k < 2; ++k) {
        double middle[2] = { 0, 0 };
        for (int i = 0; i < 4; ++i) {
            e->from[i][k] = 4 * whole(r, 6);
            e->to[i][k] = 4 * whole(r, 6);
            middle[i / 2] += 0.25 * (e->from[i][k] + e->to[i][k]);
        }
        for (int i = 2; i < 4; ++i)
            e->to[i][k] += 2 * (middle[0] - middle[1]);
    }
}

/* Parallel at all times, on one line halfway, with a common point. */
static void parallel_edges(bench_random *r, bench_element *e)
{
    const double d[3] = { whole(r, 3), whole(r, 3), whole(r, 3) };
    for (int k = 0; k < 3; ++k)
        for (int i = 0; i < 4; i += 2) {
            e->from[i][k] = 2 * whole(r, 8);
            e->to[i][k] = i ? e->from[0][k] + e->to[0][k] - e->from[2][k] + 2 * d[k] : 2 * whole(r, 8);
            e->from[i + 1][k] = e->from[i][k] + 4 * d[k];
            e->to[i + 1][k] = e->to[i][k] + 4 * d[k];
        }
}

static void through_point(bench_random *r, bench_element *e)
{
    for (int i = 0; i < 4; ++i)
        for (int k = 0; k < 3; ++k) {
            e->from[i][k] = whole(r, 1000);
            e->to[i][k] = -e->from[i][k];
        }
}

/* Misses: the second feature is moved out of the first one's plane. */
static void part(bench_element *e, bool edges)
{
    for (int i = edges ? 2 : 1; i < 4; ++i) {
        e->from[i][2] += 1;
        e->to[i][2] += 1;
    }
}

static void shear(bench_element *e)
{
    static const double by[3][3] = { { 1, 2, -1 }, { 0, 1, 3 }, { 2, -1, 1 } };
    for (int i = 0; i < 8; ++i) {
        double *p = i < 4 ? e->from[i] : e->to[i - 4], q[3];
        for (int k = 0; k < 3; ++k)
            q[k] = by[k][0] * p[0] + by[k][1] * p[1] + by[k][2] * p[2];
        for (int k = 0; k < 3; ++k)
            p[k] = q[k];
    }
}

static void *setup(const bench_case *c, bool quick, uint64_t *questions)
{
    bench_random r = { 9100 + (uint64_t)c->number };
    bench_elements *out = bench_alloc(1, sizeof *out);
    *out = (bench_elements){ .edges = c->number == EE_PLANE || c->number == EE_PARALLEL,
                             .count = quick ? QUERIES / 20 : QUERIES };
    out->elements = bench_alloc(out->count, sizeof *out->elements);
    out->hit = bench_alloc(out->count, sizeof *out->hit);
    for (size_t i = 0; i < out->count; ++i) {
        bench_element *e = &out->elements[i];
        *e = (bench_element){ 0 };
        switch (c->number) {
        case VF_PLANE: vertex_in_plane(&r, e); break;
        case EE_PLANE: edges_in_plane(&r, e); break;
        case EE_PARALLEL: parallel_edges(&r, e); break;
        default: through_point(&r, e);
        }
        out->hit[i] = i % 4 != 0 || c->number >= EE_PARALLEL;
        if (!out->hit[i])
            part(e, out->edges);
        shear(e);
        out->hit_count += out->hit[i];
    }
    *questions = out->count;
    return out;
}

static void teardown(void *data)
{
    bench_elements_clear(data);
    free(data);
}

void bench_register_degenerate(void);
void bench_register_degenerate(void)
{
    static const char *const names[KINDS] = { "degenerate VF in a plane", "degenerate EE in a plane",
                                              "degenerate EE parallel", "degenerate VF through a point" };
    for (int i = 0; i < KINDS; ++i) {
        bench_case c = {
            .family = "triangle", .name = names[i], .number = i, .setup = setup, .teardown = teardown
        };
        c.abut = bench_abut_elements();
#ifdef BENCH_HAVE_FCL
        bench_fcl_elements(i == EE_PLANE || i == EE_PARALLEL, c.peers, BENCH_PEERS);
#endif
        bench_add(&c);
    }
}
