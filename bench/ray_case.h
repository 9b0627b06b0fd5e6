/* SPDX-License-Identifier: MIT */
/* What the cases of rays share with their peers. */
#ifndef ABUT_BENCH_RAY_CASE_H
#define ABUT_BENCH_RAY_CASE_H

#include "peers.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { BENCH_RAYS = 1024, BENCH_FIELD_SIDE = 1024 };

/* Rays of unit direction against one body, turned and moved; or a height field of 1024 by 1024
 * vertices at spacing 1, upright. The answer is t of the first hit, infinite when there is none. */
typedef struct bench_ray_job {
    bool field;
    bench_body body;
    bench_hull hull;
    bench_place place;
    double *heights; /* row by row, x fastest */
    double reach;    /* no hit is further */
    double origin[BENCH_RAYS][3], direction[BENCH_RAYS][3];
    double truth[BENCH_RAYS];
} bench_ray_job;

/* The `wrong` of all contenders. */
uint64_t bench_ray_wrong(void *state, int variant);

/* NULL: height field */
typedef int bench_ray_peers(const bench_body *body, bench_contender *out, int room);
bench_ray_peers bench_ode_rays, bench_bullet_rays, bench_embree_rays;

#ifdef __cplusplus
}
#endif

#endif
