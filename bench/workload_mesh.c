/* SPDX-License-Identifier: MIT */
/* W5 (poses of meshes), W7 (many moving boxes), W8 (CAD pairs, in words) and W9 (vertex-face and
 * edge-edge). */
#include "referee.h"
#include "workload.h"

#include <math.h>
#include <stdlib.h>

/* ---- W5 ---- */

void bench_torus_poses(bench_place (*poses)[2])
{
    bench_random r = { 5005 };
    for (size_t i = 0; i < BENCH_MESH_POSES; ++i) {
        double u[3];
        bench_rotation(&r, &poses[i][0]);
        bench_rotation(&r, &poses[i][1]);
        bench_direction(&r, u);
        const double distance = bench_uniform(&r, 1.2, 2.6);
        for (int k = 0; k < 3; ++k)
            poses[i][1].position[k] = distance * u[k];
    }
}

static void scale(bench_mesh *mesh, double by)
{
    for (size_t i = 0; i < mesh->vertex_count; ++i)
        for (int k = 0; k < 3; ++k)
            mesh->vertices[i][k] *= by;
}

/* The second body: turned at random, or only by a little, its position uniform in a box. */
static void scatter(bench_scene *scene, uint64_t seed, double tilt, const double lo[3], const double hi[3])
{
    bench_random r = { seed };
    for (size_t i = 0; i < scene->pose_count; ++i) {
        const double none[4] = { 1, 0, 0, 0 };
        bench_place *a = &scene->poses[i][0], *b = &scene->poses[i][1];
        *a = (bench_place){ 0 };
        bench_place_set_quaternion(a, none);
        if (tilt > 0) {
            double q[4] = { 1 };
            for (int k = 1; k < 4; ++k)
                q[k] = bench_uniform(&r, -tilt, tilt);
            const double length = sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
            for (int k = 0; k < 4; ++k)
                q[k] /= length;
            *b = (bench_place){ 0 };
            bench_place_set_quaternion(b, q);
        } else {
            bench_rotation(&r, b);
        }
        for (int k = 0; k < 3; ++k)
            b->position[k] = bench_uniform(&r, lo[k], hi[k]);
    }
}

static void make_scene(bench_scene_name name, bench_scene *scene, bench_mesh mesh[2])
{
    const uint64_t seed = 5005 + (uint64_t)name;
    scene->mesh[0] = &mesh[0];
    scene->mesh[1] = &mesh[1];
    scene->pose_count = BENCH_MESH_POSES;
    switch (name) {
    case BENCH_SCENE_TORI_20K:
    case BENCH_SCENE_TORI_200K:
    case BENCH_SCENE_TORI_1M: {
        const size_t size[3][2] = { { 100, 100 }, { 400, 250 }, { 1000, 500 } };
        bench_torus(&mesh[0], size[name][0], size[name][1]);
        scene->mesh[1] = &mesh[0];
        bench_torus_poses(scene->poses);
        if (name == BENCH_SCENE_TORI_1M)
            scene->pose_count = 20;
        break;
    }
    case BENCH_SCENE_TERRAIN:
        bench_land(&mesh[0], 316);
        bench_wrinkled_torus(&mesh[1], 40, 25);
        scale(&mesh[1], .25);
        scatter(scene, seed, 0, (const double[3]){ -3.5, -3.5, -.2 }, (const double[3]){ 3.5, 3.5, 1 });
        break;
    case BENCH_SCENE_PIPES:
        bench_pipes(&mesh[0], 6, 24, 28);
        bench_pipes(&mesh[1], 6, 24, 28);
        scale(&mesh[1], 1 / 15.);
        scatter(scene, seed, 0, (const double[3]){ -.9, -.9, -.9 }, (const double[3]){ .9, .9, .9 });
        break;
    case BENCH_SCENE_TORUS:
        bench_land(&mesh[0], 221);
        bench_wrinkled_torus(&mesh[1], 100, 100);
        scatter(scene, seed, .3, (const double[3]){ -.4, -.4, .4 }, (const double[3]){ .4, .4, 2 });
        break;
    default:
        bench_torpedo(&mesh[1], 85, 28);
        bench_cradle(&mesh[0], 106, 105);
        scatter(scene, seed, .01, (const double[3]){ -.02, -.02, -.3 }, (const double[3]){ .02, .02, .3 });
    }
}

const bench_scene *bench_scene_get(bench_scene_name name)
{
    static bench_scene scenes[BENCH_SCENE_COUNT];
    static bench_mesh meshes[BENCH_SCENE_COUNT][2];
    if (!scenes[name].mesh[0])
        make_scene(name, &scenes[name], meshes[name]);
    return &scenes[name];
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

/* Sorts along x and examines every pair that overlaps there, in strips along y as wide as two boxes
 * (a pair counts in the strip of its larger lower end), so that a million boxes take seconds. */
static uint64_t count_strip(const double (*lo)[3], const double (*hi)[3], const span *order, size_t count,
                            double from, double to)
{
    uint64_t pairs = 0;
    for (size_t i = 0; i < count; ++i) {
        const double *la = lo[order[i].box], *ha = hi[order[i].box];
        for (size_t k = i + 1; k < count && order[k].lo <= ha[0]; ++k) {
            const double *lb = lo[order[k].box], *hb = hi[order[k].box];
            const double y = la[1] > lb[1] ? la[1] : lb[1];
            pairs +=
                y >= from && y < to && la[1] <= hb[1] && lb[1] <= ha[1] && la[2] <= hb[2] && lb[2] <= ha[2];
        }
    }
    return pairs;
}

static uint64_t count_overlaps(const double (*lo)[3], const double (*hi)[3], size_t count)
{
    enum { WIDTH = 3 };
    span *order = bench_alloc(count, sizeof *order), *strip = bench_alloc(count, sizeof *strip);
    double least = HUGE_VAL, most = -HUGE_VAL;
    for (size_t i = 0; i < count; ++i) {
        order[i] = (span){ lo[i][0], i };
        least = lo[i][1] < least ? lo[i][1] : least;
        most = lo[i][1] > most ? lo[i][1] : most;
    }
    qsort(order, count, sizeof *order, by_lo);
    uint64_t pairs = 0;
    /* boxes of the strip and of the one before: both partners of a pair of the strip are in it */
    for (double from = least; from <= most; from += WIDTH) {
        size_t n = 0;
        for (size_t i = 0; i < count; ++i)
            if (lo[order[i].box][1] < from + WIDTH && hi[order[i].box][1] >= from)
                strip[n++] = order[i];
        pairs += count_strip(lo, hi, strip, n, from, from + WIDTH);
    }
    free(order);
    free(strip);
    return pairs;
}

/* A box meets those whose centre is within the sum of the half extents, 1 on average, on each
 * axis: in a cube of side L that is 8 N / L^3 boxes, so L = (8 N / density)^(1/3). Boxes turn
 * back at the walls, or are anywhere at each step where the motion is not coherent. The numbers are
 * floats, so that peers that keep floats see the same boxes. */
void bench_boxes_make(bench_boxes *boxes, size_t count, double density, bool coherent)
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
                centre[k] = coherent ? centre[k] + .05 * v[k] : bench_uniform(&r, 0, side);
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
