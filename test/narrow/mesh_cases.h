/* SPDX-License-Identifier: MIT */
/* Small meshes for the tests of mesh pairs: soups on a coarse grid, where everything touches
 * everything, and poses that keep it so. */
#ifndef ABUT_TEST_MESH_CASES_H
#define ABUT_TEST_MESH_CASES_H

#include "abut/mesh.h"
#include "support/test.h"

enum { CASE_VERTICES = 1200, CASE_TRIANGLES = 400 };

typedef struct mesh_case {
    abut_vec3 vertices[CASE_VERTICES];
    uint32_t triangles[3 * CASE_TRIANGLES];
    size_t vertex_count, triangle_count;
} mesh_case;

static inline void case_add(mesh_case *m, abut_vec3 a, abut_vec3 b, abut_vec3 c)
{
    for (uint32_t k = 0; k < 3; ++k)
        m->triangles[3 * m->triangle_count + k] = (uint32_t)m->vertex_count + k;
    m->vertices[m->vertex_count++] = a;
    m->vertices[m->vertex_count++] = b;
    m->vertices[m->vertex_count++] = c;
    ++m->triangle_count;
}

/* A point of a grid of `n` steps a side, or anywhere. */
static inline abut_vec3 case_point(test_random *r, unsigned n, double size)
{
    if (n == 0)
        return (abut_vec3){ test_uniform(r, -size, size), test_uniform(r, -size, size),
                            test_uniform(r, -size, size) };
    const double step = size / n;
    return (abut_vec3){ step * test_below(r, n + 1), step * test_below(r, n + 1),
                        step * test_below(r, n + 1) };
}

/* Triangles that share vertices by index now and then; on a grid many are degenerate, doubled,
 * or in one plane. */
static inline void case_soup(mesh_case *m, test_random *r, size_t triangles, unsigned n, double size)
{
    m->vertex_count = 3 + triangles;
    m->triangle_count = triangles;
    for (size_t i = 0; i < m->vertex_count; ++i)
        m->vertices[i] = case_point(r, n, size);
    for (size_t i = 0; i < 3 * triangles; ++i)
        m->triangles[i] = test_below(r, (unsigned)m->vertex_count);
}

static inline abut_shape *case_shape(const mesh_case *m, bool solid, abut_volume volume, abut_builder builder)
{
    abut_mesh_opts opts;
    abut_shape *shape = NULL;
    abut_error error;
    abut_mesh_opts_init(&opts);
    opts.solid = solid;
    opts.volume = volume;
    opts.builder = builder;
    if (abut_shape_create_mesh_with(m->vertices, m->vertex_count, m->triangles, m->triangle_count, &opts,
                                    NULL, &shape, &error))
        return NULL;
    return shape;
}

/* 0: identity; 1: by steps of the grid; 2: a quarter turn and steps; 3: a rational turn of small
 * integers, steps; 4: anything. */
static inline abut_pose case_pose(test_random *r, int kind, double step, double size)
{
    static const abut_quat quarter[6] = { { 1, 1, 0, 0 }, { 1, 0, 1, 0 },  { 0, 0, 0, 1 },
                                          { 1, 1, 1, 1 }, { 1, -1, 0, 0 }, { 0, 1, 1, 0 } };
    static const abut_quat small[6] = { { 1, 2, 2, 0 }, { 2, 1, 0, 0 }, { 3, 1, 1, 1 },
                                        { 1, 0, 3, 1 }, { 0, 1, 2, 2 }, { 2, 0, 0, -1 } };
    abut_pose pose = { { 0, 0, 0 }, { 1, 0, 0, 0 } };
    if (kind == 0)
        return pose;
    if (kind == 4) {
        pose.rotation = (abut_quat){ test_uniform(r, -1, 1), test_uniform(r, -1, 1), test_uniform(r, -1, 1),
                                     test_uniform(r, -1, 1) };
        pose.position = case_point(r, 0, size);
        return pose;
    }
    pose.position = (abut_vec3){ step * ((int)test_below(r, 7) - 3), step * ((int)test_below(r, 7) - 3),
                                 step * ((int)test_below(r, 7) - 3) };
    if (kind == 2)
        pose.rotation = quarter[test_below(r, 6)];
    if (kind == 3)
        pose.rotation = small[test_below(r, 6)];
    return pose;
}

#endif
