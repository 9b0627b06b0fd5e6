/* SPDX-License-Identifier: MIT */
/* Small meshes at random that deform: sheets, strips, fans, closed bodies, loose triangles; on a
 * lattice, so that much of what happens is degenerate, or not. */
#ifndef ABUT_TEST_CCD_DEFORM_H
#define ABUT_TEST_CCD_DEFORM_H

#include "oracle/deform_brute.h"
#include "support/test.h"

static inline void deform_add_triangle(brute_mesh *m, uint32_t a, uint32_t b, uint32_t c)
{
    uint32_t *t = m->triangles + 3 * m->triangle_count++;
    t[0] = a;
    t[1] = b;
    t[2] = c;
}

/* A sheet of (columns - 1) x (rows - 1) cells; vertices at unit distances. */
static inline void deform_sheet(brute_mesh *m, uint32_t columns, uint32_t rows)
{
    m->triangle_count = 0;
    m->vertex_count = (size_t)columns * rows;
    for (uint32_t j = 0; j < rows; ++j)
        for (uint32_t i = 0; i < columns; ++i)
            m->start[j * columns + i] = (abut_vec3){ i, j, 0 };
    for (uint32_t j = 0; j + 1 < rows; ++j)
        for (uint32_t i = 0; i + 1 < columns; ++i) {
            const uint32_t v = j * columns + i;
            deform_add_triangle(m, v, v + 1, v + columns + 1);
            deform_add_triangle(m, v, v + columns + 1, v + columns);
        }
}

static inline void deform_topology(test_random *r, brute_mesh *m, bool larger)
{
    m->triangle_count = 0;
    memset(m->start, 0, sizeof m->start);
    switch (test_below(r, 6)) {
    case 0: { /* loose triangles */
        const uint32_t n = 1 + test_below(r, larger ? 8 : 4);
        m->vertex_count = 3 * (size_t)n;
        for (uint32_t i = 0; i < n; ++i)
            deform_add_triangle(m, 3 * i, 3 * i + 1, 3 * i + 2);
        break;
    }
    case 1: { /* any triangles over few vertices, some with corners twice */
        const uint32_t n = 1 + test_below(r, larger ? 10 : 5);
        m->vertex_count = 4 + test_below(r, 5);
        for (uint32_t i = 0; i < n; ++i) {
            const uint32_t v = (uint32_t)m->vertex_count;
            deform_add_triangle(m, test_below(r, v), test_below(r, v), test_below(r, v));
        }
        break;
    }
    case 2: { /* a fan, open or closed */
        const uint32_t n = 3 + test_below(r, larger ? 8 : 4), closed = test_below(r, 2);
        m->vertex_count = n + 1;
        for (uint32_t i = 0; i + !closed < n; ++i)
            deform_add_triangle(m, 0, 1 + i, 1 + (i + 1) % n);
        break;
    }
    case 3: { /* a closed body */
        static const uint32_t of[24] = { 0, 2, 4, 2, 1, 4, 1, 3, 4, 3, 0, 4,
                                         2, 0, 5, 1, 2, 5, 3, 1, 5, 0, 3, 5 };
        m->vertex_count = 6;
        for (int i = 0; i < 8; ++i)
            deform_add_triangle(m, of[3 * i], of[3 * i + 1], of[3 * i + 2]);
        break;
    }
    default: deform_sheet(m, 2 + test_below(r, larger ? 5 : 3), 2 + test_below(r, larger ? 4 : 2));
    }
}

static inline double deform_number(test_random *r, unsigned kind, int range)
{
    const double lattice = (double)test_below(r, 2 * (unsigned)range + 1) - range;
    return kind == 0   ? lattice
           : kind == 1 ? test_uniform(r, -range, range)
                       : lattice + test_uniform(r, -.2, .2);
}

/* Positions of the vertices of a mesh whose start is its shape at rest. */
static inline void deform_positions(test_random *r, brute_mesh *m)
{
    const unsigned kind = test_below(r, 3), how = test_below(r, 8);
    const int range = 1 + (int)test_below(r, 3);
    const bool sheet = m->vertex_count >= 4 && test_below(r, 2);
    for (size_t i = 0; i < m->vertex_count; ++i) {
        const abut_vec3 rest = m->start[i];
        abut_vec3 *p[2] = { &m->start[i], &m->end[i] };
        for (int w = 0; w < 2; ++w) {
            *p[w] = (abut_vec3){ deform_number(r, kind, range), deform_number(r, kind, range),
                                 deform_number(r, kind, range) };
            if (sheet) { /* mostly a sheet, rumpled */
                p[w]->x = rest.x + (test_below(r, 4) ? 0 : p[w]->x);
                p[w]->y = rest.y + (test_below(r, 4) ? 0 : p[w]->y);
            }
        }
        if (how == 0)
            m->end[i] = m->start[i]; /* at rest */
        if (how == 1)
            m->start[i].z = m->end[i].z = 0;          /* in a plane */
        if (how == 2 && i > 0 && !test_below(r, 4)) { /* identical vertices */
            m->start[i] = m->start[i - 1];
            m->end[i] = m->end[i - 1];
        }
        if (how == 3 && i >= 2 && !test_below(r, 3)) { /* collapsed triangles */
            m->start[i] = (abut_vec3){ 2 * m->start[i - 1].x - m->start[i - 2].x,
                                       2 * m->start[i - 1].y - m->start[i - 2].y,
                                       2 * m->start[i - 1].z - m->start[i - 2].z };
            m->end[i] = m->end[i - 1];
        }
        if (how == 4) /* a flat fold */
            m->end[i].z = 0;
    }
    if (how == 5 || how == 6) { /* huge and tiny */
        const double by = how == 5 ? 0x1p300 : 0x1p-300;
        for (size_t i = 0; i < m->vertex_count; ++i)
            for (int w = 0; w < 2; ++w) {
                abut_vec3 *p = w ? &m->end[i] : &m->start[i];
                p->x *= by;
                p->y *= by;
                p->z *= by;
            }
    }
}

static inline void deform_make(test_random *r, brute_mesh *m, bool larger)
{
    deform_topology(r, m, larger);
    deform_positions(r, m);
    brute_find_edges(m);
}

#endif
