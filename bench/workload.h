/* SPDX-License-Identifier: MIT */
/* The workloads W1 to W9 that abut and its peers are raced on, made once for all cases.
 *
 * Everything is drawn from splitmix64 with a stated seed and computed by + - * / sqrt only
 * (directions and rotations by rejection, no sine), so that the inputs are the same bits on
 * every IEEE machine; test_workload.c holds their checksums. The figures quoted for other
 * programs on W1 to W9 were measured on inputs of the same description, not on the same bits;
 * the overlap counts of W1 are the same because the radius Rc was chosen so. */
#ifndef ABUT_BENCH_WORKLOAD_H
#define ABUT_BENCH_WORKLOAD_H

#include "bench.h"
#include "make_mesh.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- bodies ---- */

/* Points in convex position, with the triangles of their hull, counter-clockwise from outside. */
typedef struct bench_hull {
    size_t point_count, triangle_count;
    double (*points)[3];
    uint32_t (*triangles)[3];
} bench_hull;

typedef enum bench_body_type {
    BENCH_SPHERE,
    BENCH_BOX,
    BENCH_CAPSULE,
    BENCH_ELLIPSOID,
    BENCH_HULL,
    BENCH_CYLINDER,
    BENCH_CONE
} bench_body_type;

typedef struct bench_body {
    bench_body_type type;
    /* sphere: radius; box: half extents; capsule and cylinder: radius, half length (axis z);
     * cone: radius of the base, half height (apex up z); ellipsoid: semi-axes */
    double size[3];
    const bench_hull *hull;
} bench_body;

/* x -> rotation x + position; the matrix is that of the quaternion (w, x, y, z). */
typedef struct bench_place {
    double position[3];
    double quaternion[4];
    double rotation[3][3];
} bench_place;

/* ---- W1 to W4: pairs at rest ---- */

/* The number is part of the seed, 1000 + class. */
typedef enum bench_class {
    BENCH_CLASS_BOX,
    BENCH_CLASS_CAPSULE,
    BENCH_CLASS_ELLIPSOID,
    BENCH_CLASS_HULL32,
    BENCH_CLASS_HULL256,
    BENCH_CLASS_ELLIPSOID_ASP10, /* W4 */
    BENCH_CLASS_SPHERE,
    BENCH_CLASS_SPHERE_BOX,
    BENCH_CLASS_SPHERE_CAPSULE,
    BENCH_CLASS_CYLINDER,
    BENCH_CLASS_CONE,
    BENCH_CLASS_COUNT
} bench_class;

const char *bench_class_name(bench_class c);

typedef struct bench_pair {
    bench_body a, b;
    bench_place place_a, place_b;
} bench_pair;

#define BENCH_PAIRS 4096
#define BENCH_HULLS 64

typedef struct bench_pairs {
    bench_class which;
    size_t count;
    bench_pair *pairs;
    bench_hull *hulls; /* BENCH_HULLS of them, or NULL */
    /* The referee's answers, see referee.h. */
    bool *overlap;
    double *distance; /* 0 where they overlap */
    double *depth;    /* 0 where they are apart; NULL until bench_pairs_depth() */
    size_t overlap_count;
    /* of coherent pairs: question i is about the same two bodies as question i - period; else 0 */
    size_t period;
} bench_pairs;

/* Made and judged on first use, then kept until the program ends. */
const bench_pairs *bench_pairs_get(bench_class c);
/* The same with the depths, which take longer. */
const bench_pairs *bench_pairs_depth(bench_class c);

#define BENCH_FRAMES 64

/* The first BENCH_PAIRS / BENCH_FRAMES pairs of the class over BENCH_FRAMES frames, frame by
 * frame: b drifts by half a unit and both turn by half a radian in all. With depths. */
const bench_pairs *bench_pairs_coherent(bench_class c);

/* ---- W5: meshes ---- */

#define BENCH_MESH_POSES 100

typedef enum bench_scene_name {
    BENCH_SCENE_TORI_20K, /* W5 */
    BENCH_SCENE_TORI_200K,
    BENCH_SCENE_TORI_1M,
    BENCH_SCENE_TERRAIN, /* a body of 2 000 triangles over land of 199 712 */
    /* of the size of the course's: a copy 15 times smaller among 108 pipes, 145 152 triangles
     * each */
    BENCH_SCENE_PIPES,
    BENCH_SCENE_TORUS,   /* a wrinkled torus of 20 000 about the stalagmite of a land of 97 682 */
    BENCH_SCENE_TORPEDO, /* 4 768 in a cradle of 44 940, nearly parallel walls */
    BENCH_SCENE_COUNT
} bench_scene_name;

typedef struct bench_scene {
    const bench_mesh *mesh[2]; /* may be one and the same */
    size_t pose_count;
    bench_place poses[BENCH_MESH_POSES][2];
} bench_scene;

/* Made on first use, then kept until the program ends. Seed 5005 + name. */
const bench_scene *bench_scene_get(bench_scene_name name);
/* Poses of two tori, seed 5005: random rotations, the first at the origin, centres U[1.2, 2.6]
 * apart. */
void bench_torus_poses(bench_place (*poses)[2]);

/* ---- W6: sweeps ---- */

#define BENCH_SWEEPS 1024

/* Both bodies over the time [0, 1]: position p + t v, rotation by the angle t |w| about w (world
 * axes) after `place`. */
typedef struct bench_sweep {
    bench_body a, b;
    bench_place place_a, place_b; /* at t = 0 */
    double linear_a[3], linear_b[3];
    double angular_a[3], angular_b[3];
} bench_sweep;

typedef struct bench_sweeps {
    bench_class which;
    size_t count;
    bench_sweep *sweeps;
    bench_hull *hulls;
    /* The referee's answers: first contact, or 2 when there is none. */
    double *toc;
    size_t hit_count;
} bench_sweeps;

/* B crosses from +4u to -4u plus a jitter; `turning`: both rotate by up to 2 radians. */
const bench_sweeps *bench_sweeps_get(bench_class c, bool turning);
/* Where the bodies are at time t. */
void bench_sweep_at(const bench_place *place, const double linear[3], const double angular[3], double t,
                    bench_place *out);

/* ---- W7: many boxes ---- */

#define BENCH_STEPS 20

typedef struct bench_boxes {
    size_t count;
    double (*half)[3];
    double (*lo)[3], (*hi)[3]; /* count * BENCH_STEPS boxes, step by step */
    uint64_t pairs;            /* overlapping pairs summed over the steps, by the referee */
} bench_boxes;

void bench_boxes_make(bench_boxes *boxes, size_t count, double density, bool coherent);
void bench_boxes_clear(bench_boxes *boxes);

/* ---- W8: CAD pairs ---- */

/* Described, not built: abut has no curved solids yet and no peer here speaks BRep (see
 * bench/README.md). */
typedef struct bench_cad_pair {
    const char *name, *a, *b, *poses;
} bench_cad_pair;

extern const bench_cad_pair bench_cad_pairs[];
extern const size_t bench_cad_pair_count;

/* ---- W9: vertex against face and edge against edge, each vertex moving linearly ---- */

#define BENCH_ELEMENTS 100000

/* VF: vertex, then the triangle; EE: first edge, second edge. */
typedef struct bench_element {
    double from[4][3], to[4][3];
} bench_element;

typedef struct bench_elements {
    bool edges;
    size_t count;
    bench_element *elements;
    bool *hit; /* by the referee */
    size_t hit_count;
} bench_elements;

/* Coordinates U[-1,1], displacements amplitude * U[-1,1]; seed 9009 (VF) or 9010 (EE). */
void bench_elements_make(bench_elements *elements, bool edges, double amplitude, size_t count);
void bench_elements_clear(bench_elements *elements);

/* ---- shared ---- */

/* FNV-1a over the bits of the numbers: what test_workload.c asserts. */
uint64_t bench_checksum(const double *numbers, size_t count, uint64_t seed);
/* Uniform on the unit sphere, and a uniform rotation with a position of 0. */
void bench_direction(bench_random *r, double out[3]);
void bench_rotation(bench_random *r, bench_place *out);
void bench_place_set_quaternion(bench_place *place, const double q[4]);

#ifdef __cplusplus
}
#endif

#endif
