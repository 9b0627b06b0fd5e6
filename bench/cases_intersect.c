/* SPDX-License-Identifier: MIT */
/* Curves on surfaces: 64 random ones of each pair of kinds, all common points with proof. No peer: numerical kernels
 * give points without one. Judged in the tests (test/intersect). */
#include "abut/intersect.h"
#include "bench.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { COUNT = 64 };

typedef struct samples {
    abut_vec3 vertices[COUNT][2], points[COUNT][4];
    abut_solid_surface surface[COUNT], pair[COUNT][2];
    abut_curve curve[COUNT];
    double hits, undecided;
} samples;

static abut_vec3 random_vector(bench_random *r, double reach)
{
    const double x = bench_uniform(r, -reach, reach), y = bench_uniform(r, -reach, reach),
                 z = bench_uniform(r, -reach, reach);
    return (abut_vec3){ x, y, z };
}

static abut_solid_surface random_surface(bench_random *r, abut_solid_surface_kind kind)
{
    abut_solid_surface s = { .kind = kind, .point = random_vector(r, 0.5), .axis = random_vector(r, 1) };
    s.radius = bench_uniform(r, 0.8, 1.4);
    s.minor = bench_uniform(r, 0.2, 0.6);
    s.tangent = bench_uniform(r, 0.3, 1.5);
    for (int i = 0; i < 4; ++i)
        for (int j = 0; j <= i; ++j)
            s.matrix[i][j] = s.matrix[j][i] = bench_uniform(r, -1, 1);
    return s;
}

static void *setup(const bench_case *c, bool quick, uint64_t *questions)
{
    (void)quick;
    samples *s = bench_alloc(1, sizeof *s);
    memset(s, 0, sizeof *s);
    bench_random r = { 77000 + (uint64_t)c->number };
    const abut_solid_edge_kind kind = (abut_solid_edge_kind)(c->number / 8);
    for (int i = 0; i < COUNT; ++i) {
        abut_solid_edge *e = &s->curve[i].edge;
        s->surface[i] = random_surface(&r, (abut_solid_surface_kind)(c->number % 8));
        s->pair[i][0] = random_surface(&r, ABUT_SOLID_SPHERE);
        s->pair[i][1] = random_surface(&r, ABUT_SOLID_CYLINDER);
        s->vertices[i][0] = random_vector(&r, 2);
        s->vertices[i][1] = random_vector(&r, 2);
        s->curve[i].vertices = s->vertices[i];
        s->curve[i].surfaces = s->pair[i];
        *e = (abut_solid_edge){ .kind = kind, .to = 1, .weight = 0.7 };
        e->surfaces[1] = 1;
        e->control = random_vector(&r, 2);
        e->center = random_vector(&r, 1);
        e->axis = random_vector(&r, 1);
        for (int k = 0; k < 4; ++k)
            s->points[i][k] = random_vector(&r, 2);
        e->points = s->points[i];
        e->point_count = 4;
        if (kind == ABUT_SOLID_EDGE_CIRCLE)
            e->to = 0;
    }
    *questions = COUNT;
    return s;
}

static double run(void *state, int variant)
{
    (void)variant;
    samples *s = state;
    s->hits = s->undecided = 0;
    for (int i = 0; i < COUNT; ++i) {
        abut_curve_hit hits[32];
        abut_curve_hits found;
        if (abut_intersect_curve(&s->curve[i], &s->surface[i], hits, 32, &found) != ABUT_OK)
            return NAN;
        s->hits += (double)found.count;
        s->undecided += !found.decided;
    }
    return s->hits;
}

static void count(void *state, int variant, bench_counters *counters)
{
    (void)variant;
    const samples *s = state;
    bench_count(counters, "hits", s->hits / COUNT);
    bench_count(counters, "undecided", s->undecided);
}

void bench_register_intersect(void);
void bench_register_intersect(void)
{
    for (int edge = ABUT_SOLID_EDGE_LINE; edge < ABUT_SOLID_EDGE_COUNT; ++edge)
        for (int surface = ABUT_SOLID_PLANE; surface < ABUT_SOLID_SURFACE_COUNT; ++surface) {
            char name[64];
            snprintf(name, sizeof name, "curve: %s on %s", abut_solid_edge_name((abut_solid_edge_kind)edge),
                     abut_solid_surface_name((abut_solid_surface_kind)surface));
            char *kept = bench_alloc(strlen(name) + 1, 1);
            strcpy(kept, name);
            const bench_case c = { .family = "cad",
                                   .name = kept,
                                   .number = 8 * edge + surface,
                                   .setup = setup,
                                   .teardown = free,
                                   .abut = { .run = run, .count = count } };
            bench_add(&c);
        }
}
