/* SPDX-License-Identifier: MIT */
/* The workloads are the same bits on every machine (checksums), have the counts the
 * documentation states, and the referee agrees with second opinions that share no code with it.
 * Needs no peer and no abut. After a deliberate change of a workload, copy the printed numbers
 * here and say in docs/benchmarks.md that old figures no longer compare. */
#include "referee.h"
#include "workload.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static int failures;

static void expect(const char *what, uint64_t found, uint64_t wanted)
{
    if (found != wanted) {
        printf("%s: found 0x%016" PRIx64 " (%" PRIu64 "), expected 0x%016" PRIx64 " (%" PRIu64 ")\n", what,
               found, found, wanted, wanted);
        ++failures;
    }
}

static uint64_t sum_place(const bench_place *p, uint64_t hash)
{
    return bench_checksum(p->quaternion, 4, bench_checksum(p->position, 3, hash));
}

static uint64_t sum_body(const bench_body *b, uint64_t hash)
{
    hash = bench_checksum(b->size, 3, hash);
    return b->hull ? bench_checksum(b->hull->points[0], 3 * b->hull->point_count, hash) : hash;
}

static void pairs_at_rest(void)
{
    static const struct {
        uint64_t checksum, overlaps;
    } wanted[BENCH_CLASS_COUNT] = {
        [BENCH_CLASS_BOX] = { UINT64_C(0x71bdca3b03bd17cb), 2078 },
        [BENCH_CLASS_CAPSULE] = { UINT64_C(0xa1292742f62dbb6a), 2030 },
        [BENCH_CLASS_ELLIPSOID] = { UINT64_C(0x10ecc3ae471acd9c), 2039 },
        [BENCH_CLASS_HULL32] = { UINT64_C(0xe7cf82860efa7221), 2027 },
        [BENCH_CLASS_HULL256] = { UINT64_C(0x0783fb45ec2ec842), 1989 },
        [BENCH_CLASS_ELLIPSOID_ASP10] = { UINT64_C(0x9162d11b0d858904), 2130 },
        [BENCH_CLASS_SPHERE] = { UINT64_C(0x5689fb3f1f09de85), 2048 },
        [BENCH_CLASS_SPHERE_BOX] = { UINT64_C(0x63232a5cb2a20bca), 2048 },
        [BENCH_CLASS_SPHERE_CAPSULE] = { UINT64_C(0x8ee7c9a64d61b003), 2048 },
        [BENCH_CLASS_CYLINDER] = { UINT64_C(0x993688c35449a750), 2047 },
        [BENCH_CLASS_CONE] = { UINT64_C(0x1d6124fb0e3f3b8a), 2048 },
    };
    for (int c = 0; c < BENCH_CLASS_COUNT; ++c) {
        const bench_pairs *set = bench_pairs_get((bench_class)c);
        uint64_t hash = 0;
        for (size_t i = 0; i < set->count; ++i) {
            const bench_pair *p = &set->pairs[i];
            hash = sum_place(&p->place_b, sum_place(&p->place_a, sum_body(&p->b, sum_body(&p->a, hash))));
        }
        char name[64];
        snprintf(name, sizeof name, "W1 %s checksum", bench_class_name((bench_class)c));
        expect(name, hash, wanted[c].checksum);
        snprintf(name, sizeof name, "W1 %s overlaps", bench_class_name((bench_class)c));
        expect(name, set->overlap_count, wanted[c].overlaps);
    }
}

static void second_opinions(void)
{
    uint64_t boxes = 0, capsules = 0;
    const bench_pairs *set = bench_pairs_get(BENCH_CLASS_BOX);
    for (size_t i = 0; i < set->count; ++i)
        boxes += bench_referee_boxes_overlap(&set->pairs[i]) != set->overlap[i];
    expect("boxes on which the separating axes disagree", boxes, 0);
    static const bench_class round[] = { BENCH_CLASS_CAPSULE, BENCH_CLASS_SPHERE,
                                         BENCH_CLASS_SPHERE_CAPSULE };
    for (size_t k = 0; k < sizeof round / sizeof round[0]; ++k) {
        set = bench_pairs_get(round[k]);
        for (size_t i = 0; i < set->count; ++i)
            capsules += !(fabs(bench_referee_capsule_distance(&set->pairs[i]) - set->distance[i]) < 1e-12);
    }
    expect("capsules and spheres on which the segments disagree", capsules, 0);

    /* Spheres again, now their depth: the sum of the radii less the distance of the centres. */
    uint64_t deep = 0;
    set = bench_pairs_depth(BENCH_CLASS_SPHERE);
    for (size_t i = 0; i < set->count; ++i) {
        const bench_pair *p = &set->pairs[i];
        const double x = p->place_b.position[0] - p->place_a.position[0];
        const double y = p->place_b.position[1] - p->place_a.position[1];
        const double z = p->place_b.position[2] - p->place_a.position[2];
        const double depth = p->a.size[0] + p->b.size[0] - sqrt(x * x + y * y + z * z);
        deep += !(fabs(fmax(depth, 0) - set->depth[i]) < 1e-9);
    }
    expect("spheres whose depth is not the closed form", deep, 0);
    /* Boxes: no direction may part them with less than the depth. */
    bench_random r = { 1 };
    uint64_t less = 0;
    set = bench_pairs_depth(BENCH_CLASS_BOX);
    for (size_t i = 0; i < set->count; ++i) {
        bench_pair p = set->pairs[i];
        for (int k = 0; k < 10 && set->overlap[i]; ++k) {
            double u[3];
            bench_direction(&r, u);
            for (int j = 0; j < 3; ++j)
                p.place_b.position[j] = set->pairs[i].place_b.position[j] + .999 * set->depth[i] * u[j];
            less += !bench_referee_boxes_overlap(&p);
        }
    }
    expect("boxes parted by less than their depth", less, 0);
}

static void sweeps(void)
{
    static const struct {
        bench_class c;
        bool turning;
        uint64_t checksum, hits;
    } wanted[] = { { BENCH_CLASS_BOX, false, UINT64_C(0x398911d9acc0ba08), 999 },
                   { BENCH_CLASS_BOX, true, UINT64_C(0x7d3b34be4f752073), 1008 },
                   { BENCH_CLASS_CAPSULE, true, UINT64_C(0xd12922c9ccae4949), 766 },
                   { BENCH_CLASS_HULL32, true, UINT64_C(0xb178740373599244), 836 },
                   { BENCH_CLASS_SPHERE, true, UINT64_C(0x9fa22a53ff7dc22f), 868 } };
    for (size_t k = 0; k < sizeof wanted / sizeof wanted[0]; ++k) {
        const bench_sweeps *set = bench_sweeps_get(wanted[k].c, wanted[k].turning);
        uint64_t hash = 0, late = 0;
        for (size_t i = 0; i < set->count; ++i) {
            const bench_sweep *s = &set->sweeps[i];
            hash = sum_place(&s->place_b, sum_place(&s->place_a, sum_body(&s->b, sum_body(&s->a, hash))));
            hash = bench_checksum(s->linear_b, 3, hash);
            hash = bench_checksum(s->angular_b, 3, bench_checksum(s->angular_a, 3, hash));
            /* Sampled: nothing meets before the first contact. */
            for (int j = 0; j < 16; ++j) {
                bench_place a, b;
                const double t = fmin(set->toc[i], 1) * (j + .5) / 16;
                bench_sweep_at(&s->place_a, s->linear_a, s->angular_a, t, &a);
                bench_sweep_at(&s->place_b, s->linear_b, s->angular_b, t, &b);
                late += bench_referee_distance(&s->a, &a, &s->b, &b) == 0;
            }
        }
        char name[64];
        snprintf(name, sizeof name, "W6 %s %d checksum", bench_class_name(wanted[k].c), wanted[k].turning);
        expect(name, hash, wanted[k].checksum);
        snprintf(name, sizeof name, "W6 %s %d hits", bench_class_name(wanted[k].c), wanted[k].turning);
        expect(name, set->hit_count, wanted[k].hits);
        expect("W6 first contacts that are late", late, 0);
    }
}

static void tori(void)
{
    bench_mesh mesh;
    bench_place poses[BENCH_MESH_POSES][2];
    bench_torus(&mesh, 100, 100);
    bench_torus_poses(poses);
    uint64_t hash = bench_checksum(mesh.vertices[0], 3 * mesh.vertex_count, 0);
    bench_tree *tree = bench_tree_create(&mesh);
    uint64_t meeting = 0, pairs = 0;
    double apart = 0;
    for (size_t i = 0; i < BENCH_MESH_POSES; ++i) {
        hash = sum_place(&poses[i][1], sum_place(&poses[i][0], hash));
        const uint64_t found = bench_referee_mesh_pairs(tree, tree, poses[i]);
        pairs += found;
        meeting += found > 0;
        if (!found)
            apart += bench_referee_mesh_distance(tree, tree, poses[i]);
    }
    expect("W5 checksum", hash, UINT64_C(0x9dacafb206355c2d));
    expect("W5 poses that meet", meeting, 68);
    expect("W5 pairs of triangles", pairs, 33214);
    expect("W5 sum of distances, 1e-6", (uint64_t)(apart * 1e6), 9045585);
    bench_tree_destroy(tree);

    /* A coarse torus, all pairs of triangles without the tree. */
    bench_mesh_clear(&mesh);
    bench_torus(&mesh, 24, 12);
    tree = bench_tree_create(&mesh);
    for (size_t p = 0; p < 4; ++p) {
        uint64_t brute = 0;
        double nearest = HUGE_VAL;
        for (size_t i = 0; i < mesh.triangle_count; ++i)
            for (size_t k = 0; k < mesh.triangle_count; ++k) {
                double t[2][3][3];
                for (int v = 0; v < 3; ++v)
                    for (int j = 0; j < 3; ++j) {
                        const double *a = mesh.vertices[mesh.triangles[i][v]],
                                     *b = mesh.vertices[mesh.triangles[k][v]];
                        const double *ra = poses[p][0].rotation[j], *rb = poses[p][1].rotation[j];
                        t[0][v][j] = ra[0] * a[0] + ra[1] * a[1] + ra[2] * a[2] + poses[p][0].position[j];
                        t[1][v][j] = rb[0] * b[0] + rb[1] * b[1] + rb[2] * b[2] + poses[p][1].position[j];
                    }
                const double d =
                    bench_referee_triangle_distance((const double(*)[3])t[0], (const double(*)[3])t[1]);
                brute += d == 0;
                nearest = fmin(nearest, d);
            }
        expect("pairs of a coarse torus", bench_referee_mesh_pairs(tree, tree, poses[p]), brute);
        if (!brute && fabs(bench_referee_mesh_distance(tree, tree, poses[p]) - nearest) > 1e-12) {
            printf("distance of a coarse torus is off\n");
            ++failures;
        }
    }
    bench_tree_destroy(tree);
    bench_mesh_clear(&mesh);
}

static void boxes(void)
{
    bench_boxes set = { 0 };
    bench_boxes_make(&set, 1000, 1, true);
    uint64_t brute = 0, hash = bench_checksum(set.lo[0], 3 * set.count * BENCH_STEPS, 0);
    for (size_t step = 0; step < BENCH_STEPS; ++step)
        for (size_t i = 0; i < set.count; ++i)
            for (size_t k = 0; k < i; ++k) {
                bool meet = true;
                for (int j = 0; j < 3; ++j)
                    meet &= set.lo[step * set.count + i][j] <= set.hi[step * set.count + k][j] &&
                            set.lo[step * set.count + k][j] <= set.hi[step * set.count + i][j];
                brute += meet;
            }
    expect("W7 checksum", hash, UINT64_C(0x90fe781460af28c2));
    expect("W7 pairs", set.pairs, brute);
    bench_boxes_clear(&set);
}

static void elements(void)
{
    static const uint64_t wanted[2][2] = { { UINT64_C(0xc37bb3df41768bb6), 1069 },
                                           { UINT64_C(0x10c2b9967ed0e9a8), 3081 } };
    for (int edges = 0; edges < 2; ++edges) {
        bench_elements set = { 0 };
        bench_elements_make(&set, edges != 0, 2, 20000);
        expect(edges ? "W9 EE checksum" : "W9 VF checksum",
               bench_checksum(set.elements[0].from[0], 24 * set.count, 0), wanted[edges][0]);
        expect(edges ? "W9 EE hits" : "W9 VF hits", set.hit_count, wanted[edges][1]);
        /* Halfway: a motion that is mirrored in time meets if and only if the motion does. */
        uint64_t unequal = 0;
        for (size_t i = 0; i < set.count; ++i) {
            bench_element back;
            for (int v = 0; v < 4; ++v)
                for (int k = 0; k < 3; ++k) {
                    back.from[v][k] = set.elements[i].to[v][k];
                    back.to[v][k] = set.elements[i].from[v][k];
                }
            unequal += bench_referee_elements_meet(&back, edges != 0) != set.hit[i];
        }
        expect("W9 elements that meet in one direction of time only", unequal, 0);
        bench_elements_clear(&set);
    }
}

int main(void)
{
    pairs_at_rest();
    second_opinions();
    sweeps();
    tori();
    boxes();
    elements();
    if (failures)
        printf("%d failures\n", failures);
    return failures != 0;
}
