/* SPDX-License-Identifier: MIT */
/* W8: pairs of CAD solids in many poses, for the cases and for the adapter of Open CASCADE. */
#ifndef ABUT_BENCH_CAD_CASE_H
#define ABUT_BENCH_CAD_CASE_H

#include "bench.h"

#ifdef __cplusplus
extern "C" {
#endif

#define BENCH_CAD_POSES 30

typedef enum bench_cad_kind {
    BENCH_CAD_BOLT,    /* shank r 0.95 from z = -6 to 0, head r 1.6 to z = 1 */
    BENCH_CAD_PLATE,   /* 10 x 10 x 2 on z = 0 with a hole r 1 in the middle */
    BENCH_CAD_PLATE_4, /* with four holes r 1 at (+-2.5, +-2.5) */
    BENCH_CAD_CONE,    /* r 1 at z = -1, apex at z = 1 */
    BENCH_CAD_SPHERE,  /* r 1 */
    BENCH_CAD_ROUNDED, /* cylinder r 1 h 2, edges rounded by 0.2 */
    BENCH_CAD_TORUS    /* R 1.5 r 0.4 */
} bench_cad_kind;

/* Position, unit quaternion w x y z. */
typedef struct bench_cad_pose {
    double position[3], quaternion[4];
} bench_cad_pose;

/* One contender's answers; `distance` NaN where it was not asked. */
typedef struct bench_cad_answers {
    bool meet[BENCH_CAD_POSES], decided[BENCH_CAD_POSES];
    double distance_lo[BENCH_CAD_POSES], distance_hi[BENCH_CAD_POSES];
} bench_cad_answers;

typedef struct bench_cad {
    bench_cad_kind a, b;
    int count;
    bench_cad_pose pose_a[BENCH_CAD_POSES]; /* b stands at the origin */
    bool distance;                          /* asked for; else only whether they meet */
    /* The referee's: 0 not known, 1 apart, 2 meeting; and its bounds of the distance. */
    int truth[BENCH_CAD_POSES];
    double lo[BENCH_CAD_POSES], hi[BENCH_CAD_POSES];
} bench_cad;

/* How many of the answers the referee refutes. */
uint64_t bench_cad_wrong(const bench_cad *cad, const bench_cad_answers *answers);

/* Open CASCADE: variant 0 BRepExtrema_DistShapeShape, 1 BRepAlgoAPI_Section, 2 BRepAlgoAPI_Common with the
 * volume. */
void *bench_occt_prepare(void *data, int variant);
double bench_occt_run(void *state, int variant);
uint64_t bench_occt_wrong(void *state, int variant);
void bench_occt_finish(void *state, int variant);

#ifdef __cplusplus
}
#endif

#endif
