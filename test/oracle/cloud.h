/* SPDX-License-Identifier: MIT */
/* A sampling referee for one small body of every kind of shape. It shares no code with the library: each
 * body has a function here that is 1-Lipschitz and positive exactly outside of it, and points that
 * cover it.
 *
 * Let every point of A be within r of some sample g. Where the function of B exceeds r at all samples,
 * the bodies are apart, by its least value less r. A sample that is truly in A and at which the
 * function of B is not positive is a common point. What is neither is not judged.
 *
 * Sheets are bilinear patches: a branch and bound of its own, over the spheres around their corners, bounds the
 * distance of two of them to 1e-3 from both sides, and that of one and a body with a function from below. */
#ifndef ABUT_TEST_ORACLE_CLOUD_H
#define ABUT_TEST_ORACLE_CLOUD_H

#include <stdbool.h>
#include <stddef.h>

enum { CLOUD_KINDS = 22 };

typedef struct cloud_kind {
    const char *name, *shape; /* the shape as a scene file has it */
    bool solid, bounded;
    double (*outside)(const double p[3]);           /* NULL: by samples only */
    void (*sheet)(double u, double v, double p[3]); /* of [0, 1] x [0, 1]; NULL: by `outside` */
} cloud_kind;

extern const cloud_kind cloud_kinds[CLOUD_KINDS];

/* World from body: rotation by rows, then translation. */
typedef struct cloud_place {
    double r[3][3], t[3];
} cloud_place;

typedef struct cloud_judgement {
    bool meets;               /* a common point is known */
    bool apart;               /* proved */
    double at_least, at_most; /* the distance, 0 and infinity where nothing is known */
} cloud_judgement;

/* Builds the samples of all kinds; frees them. */
void cloud_open(void);
void cloud_close(void);
cloud_judgement cloud_judge(int a, const cloud_place *at_a, int b, const cloud_place *at_b);

#endif
