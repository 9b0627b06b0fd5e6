/* SPDX-License-Identifier: MIT */
/* Referee for pairs of CAD solids: implicit descriptions and branch and bound over space. Shares no
 * code with the library and knows nothing of faces and edges.
 *
 * A body is the set where its value is <= 0. Every value is 1-Lipschitz and has the right sign, so a
 * box of half diagonal r about c contains no common point when max(a(c), b(c)) > r. Of extrudes and
 * revolves the value is the exact signed distance, computed from that of the profile in its plane;
 * of other bodies only a lower bound in size. Plain doubles: what it says holds up to some 1e-12 of
 * the coordinates, and it is asked about margins far above that. */
#ifndef ABUT_ORACLE_CAD_PAIR_H
#define ABUT_ORACLE_CAD_PAIR_H

#include <stdbool.h>
#include <stddef.h>

#define CAD_PI    3.14159265358979323846
#define CAD_SIDES 16
#define CAD_LOOPS 6
#define CAD_PARTS 8

/* Corners and bulges, closed implicitly, as in scene files. */
typedef struct cad_loop {
    int count;
    double corner[CAD_SIDES][3];
} cad_loop;

typedef enum cad_kind {
    CAD_EXTRUDE, /* loops[0] less the others, 0 <= z <= height */
    CAD_REVOLVE, /* loops[0] about z */
    CAD_SHEAR,   /* affine image of { rho <= profile radius at z, z0 <= z <= z1 } */
    CAD_CSG      /* where all parts are <= 0 */
} cad_kind;

/* rho^2 <= q0 + q1 z + q2 z^2 within z0 <= z <= z1: ball, cone, cylinder, paraboloid, hyperboloid. */
typedef struct cad_segment {
    double q0, q1, q2, z0, z1;
    double slope; /* at least |d rho / d z| of the boundary, infinite ones excepted (then balls) */
    bool ball;    /* q = 1 - z^2 */
} cad_segment;

typedef enum cad_part_kind { CAD_BALL, CAD_TUBE, CAD_HALFSPACE } cad_part_kind;

/* sense 1: inside of it, -1: outside. */
typedef struct cad_part {
    cad_part_kind kind;
    int sense;
    double point[3], axis[3]; /* unit axis */
    double radius;
} cad_part;

typedef struct cad_body {
    cad_kind kind;
    int loop_count;
    cad_loop loops[CAD_LOOPS];
    double height;
    cad_segment segment;
    double inverse[3][3], shift[3]; /* of CAD_SHEAR: segment coordinates = inverse (p - shift) */
    double gain;                    /* largest singular value of inverse */
    int part_count;
    cad_part parts[CAD_PARTS];
    /* World from body. */
    double rotation[3][3], translation[3];
    double reach; /* radius of a ball about the body's origin that contains it */
} cad_body;

/* At a point of the world. */
double cad_value(const cad_body *body, const double p[3]);
bool cad_exact(const cad_body *body);

typedef enum cad_verdict { CAD_UNKNOWN, CAD_SEPARATE, CAD_PENETRATING } cad_verdict;

typedef struct cad_answer {
    cad_verdict verdict;
    /* Penetrating: a common point and how deep inside both it is, at least. */
    double point[3], depth;
    /* Separate: no common point even when both grow by this much together. */
    double margin;
    /* Of exact bodies that are apart, where asked for: the distance lies in here. */
    double distance_lo, distance_hi;
    size_t boxes;
} cad_answer;

/* At most `budget` boxes each for the verdict and the distance. */
void cad_judge(const cad_body *a, const cad_body *b, bool distance, size_t budget, cad_answer *out);

#endif
