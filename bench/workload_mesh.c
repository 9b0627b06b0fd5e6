/* SPDX-License-Identifier: MIT */
/* W5 (tori), W7 (many moving boxes), W8 (CAD pairs, in words) and W9 (vertex-face and edge-edge). */
#include "referee.h"
#include "workload.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- W5 ---- */

/* Cosine and sine of k/n of a turn. The octant is found in whole numbers and the series runs for an argument
 * of at most pi/4, in + and * only: the same bits on every machine. Ten terms leave less than (pi/4)^20/20! <
 * 1e-20. */
static void turn(size_t k, size_t n, double *cosine, double *sine)
{
    const double pi = 0x1.921fb54442d18p+1;
    const size_t eighths = 8 * (k % n);
    const size_t quarter = (eighths + n) / (2 * n); /* nearest quarter of a turn */
    const double x = ((double)eighths - (double)(2 * n * quarter)) / (double)n * (pi / 4);
    double c = 1, s = 1, term_c = 1, term_s = 1;
    for (int i = 1; i <= 10; ++i) {
        term_c *= -x * x / ((2 * i - 1) * (2 * i));
        term_s *= -x * x / ((2 * i) * (2 * i + 1));
        c += term_c;
        s += term_s;
    }
    s *= x;
    switch (quarter % 4) {
    case 0: *cosine = c, *sine = s; break;
    case 1: *cosine = -s, *sine = c; break;
    case 2: *cosine = -c, *sine = -s; break;
    default: *cosine = s, *sine = -c; break;
    }
}

void bench_torus(bench_mesh *mesh, size_t rings, size_t sides)
{
    mesh->vertex_count = rings * sides;
    mesh->triangle_count = 2 * rings * sides;
    mesh->vertices = bench_alloc(mesh->vertex_count, sizeof *mesh->vertices);
    mesh->triangles = bench_alloc(mesh->triangle_count, sizeof *mesh->triangles);
    for (size_t i = 0; i < rings; ++i)
        for (size_t k = 0; k < sides; ++k) {
            double cu, su, cv, sv;
            turn(i, rings, &cu, &su);
            turn(k, sides, &cv, &sv);
            double *v = mesh->vertices[i * sides + k];
            v[0] = (1 + .4 * cv) * cu;
            v[1] = (1 + .4 * cv) * su;
            v[2] = .4 * sv;
            const uint32_t a = (uint32_t)(i * sides + k), b = (uint32_t)((i + 1) % rings * sides + k);
            const uint32_t c = (uint32_t)((i + 1) % rings * sides + (k + 1) % sides);
            const uint32_t d = (uint32_t)(i * sides + (k + 1) % sides);
            const uint32_t two[2][3] = { { a, b, c }, { a, c, d } };
            memcpy(mesh->triangles[2 * (i * sides + k)], two, sizeof two);
        }
}

void bench_mesh_clear(bench_mesh *mesh)
{
    free(mesh->vertices);
    free(mesh->triangles);
    *mesh = (bench_mesh){ 0 };
}

void bench_torus_poses(bench_place (*poses)[2])
{
    bench_random r = { 5005 };
    for (size_t i = 0; i < BENCH_TORUS_POSES; ++i) {
        double u[3];
        bench_rotation(&r, &poses[i][0]);
        bench_rotation(&r, &poses[i][1]);
        bench_direction(&r, u);
        const double distance = bench_uniform(&r, 1.2, 2.6);
        for (int k = 0; k < 3; ++k)
            poses[i][1].position[k] = distance * u[k];
    }
}

/* ---- W7 ---- */

typedef struct span {
    double lo;
    size_t box;
} span;

static int by_lo(const void *a, const void *b)
{
    const double x = ((const span *)a)->lo, y = ((const span *)b)->lo;
    return (x > y) - (x < y);
}

/* Sorts along x and looks at every pair that overlaps there. */
static uint64_t count_overlaps(const double (*lo)[3], const double (*hi)[3], size_t count)
{
    span *order = bench_alloc(count, sizeof *order);
    for (size_t i = 0; i < count; ++i)
        order[i] = (span){ lo[i][0], i };
    qsort(order, count, sizeof *order, by_lo);
    uint64_t pairs = 0;
    for (size_t i = 0; i < count; ++i) {
        const double *la = lo[order[i].box], *ha = hi[order[i].box];
        for (size_t k = i + 1; k < count && order[k].lo <= ha[0]; ++k) {
            const double *lb = lo[order[k].box], *hb = hi[order[k].box];
            pairs += la[1] <= hb[1] && lb[1] <= ha[1] && la[2] <= hb[2] && lb[2] <= ha[2];
        }
    }
    free(order);
    return pairs;
}

/* A box meets those whose centre is within the sum of the half extents, 1 on average, on each axis: in a cube
 * of side L that is 8 N / L^3 boxes, so L = (8 N / density)^(1/3). Boxes turn back at the walls. The numbers
 * are floats, so that peers that keep floats see the same boxes. */
void bench_boxes_make(bench_boxes *boxes, size_t count, double density)
{
    bench_random r = { 7007 };
    const double side = (double)(float)cbrt(8 * (double)count / density);
    boxes->count = count;
    boxes->pairs = 0;
    boxes->half = bench_alloc(count, sizeof *boxes->half);
    boxes->lo = bench_alloc(count * BENCH_STEPS, sizeof *boxes->lo);
    boxes->hi = bench_alloc(count * BENCH_STEPS, sizeof *boxes->hi);
    for (size_t i = 0; i < count; ++i) {
        double centre[3], v[3];
        bench_direction(&r, v);
        for (int k = 0; k < 3; ++k) {
            boxes->half[i][k] = bench_uniform(&r, .25, .75);
            centre[k] = bench_uniform(&r, 0, side);
        }
        for (size_t step = 0; step < BENCH_STEPS; ++step)
            for (int k = 0; k < 3; ++k) {
                centre[k] += .05 * v[k];
                if (centre[k] < 0 || centre[k] > side)
                    v[k] = -v[k];
                boxes->lo[step * count + i][k] = (float)(centre[k] - boxes->half[i][k]);
                boxes->hi[step * count + i][k] = (float)(centre[k] + boxes->half[i][k]);
            }
    }
    for (size_t step = 0; step < BENCH_STEPS; ++step)
        boxes->pairs += count_overlaps((const double(*)[3])(boxes->lo + step * count),
                                       (const double(*)[3])(boxes->hi + step * count), count);
}

void bench_boxes_clear(bench_boxes *boxes)
{
    free(boxes->half);
    free(boxes->lo);
    free(boxes->hi);
    *boxes = (bench_boxes){ 0 };
}

/* ---- W8 ---- */

const bench_cad_pair bench_cad_pairs[] = {
    { "bolt in hole", "bolt: cylinder r 0.95 h 6 under a head r 1.6 h 1", "plate 10 x 10 x 2 with a hole r 1",
      "30 poses along the hole's axis, clearance 0.05, tilt up to 1e-3" },
    { "bolt vs plate-4-holes", "bolt as above", "plate 10 x 10 x 2 with four holes r 1 at (+-2.5, +-2.5)",
      "30 random poses near the plate" },
    { "cone vs sphere", "cone r 1 h 2", "sphere r 1", "30 poses, centres U[0.5, 3] apart" },
    { "filleted-cylinder vs torus", "cylinder r 1 h 2, edges rounded by 0.2", "torus R 1.5 r 0.4",
      "30 poses, centres U[0.5, 4] apart" },
};
const size_t bench_cad_pair_count = sizeof bench_cad_pairs / sizeof bench_cad_pairs[0];

/* ---- W9 ---- */

void bench_elements_make(bench_elements *elements, bool edges, double amplitude, size_t count)
{
    bench_random r = { edges ? 9010 : 9009 };
    elements->edges = edges;
    elements->count = count;
    elements->hit_count = 0;
    elements->elements = bench_alloc(count, sizeof *elements->elements);
    elements->hit = bench_alloc(count, sizeof *elements->hit);
    for (size_t i = 0; i < count; ++i) {
        bench_element *e = &elements->elements[i];
        for (int v = 0; v < 4; ++v)
            for (int k = 0; k < 3; ++k) {
                e->from[v][k] = bench_uniform(&r, -1, 1);
                e->to[v][k] = e->from[v][k] + amplitude * bench_uniform(&r, -1, 1);
            }
        elements->hit[i] = bench_referee_elements_meet(e, edges);
        elements->hit_count += elements->hit[i];
    }
}

void bench_elements_clear(bench_elements *elements)
{
    free(elements->elements);
    free(elements->hit);
    *elements = (bench_elements){ 0 };
}
