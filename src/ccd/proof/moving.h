/* SPDX-License-Identifier: MIT */
/* A pair over time: the question that all solvers get. They report cells of time to
 * abut_runs_add, from left to right. */
#ifndef ABUT_CCD_PROOF_MOVING_H
#define ABUT_CCD_PROOF_MOVING_H

#include "ccd/proof/runs.h"
#include "motion/motion.h"
#include "narrow/pair/pair.h"

/* Where they touch first, as a solver saw it on its way. */
typedef struct abut_moving_touch {
    bool known;
    double t;
    abut_vec3 point, normal; /* in the world; from a to b */
    abut_feature features[2];
} abut_moving_touch;

typedef struct abut_moving {
    const abut_shape *a, *b;
    const abut_motion *motion_a, *motion_b; /* NULL: at rest at the origin */
    abut_interval range;
    double accuracy;
    abut_first_method method;
    uint64_t max_iterations;
    abut_progress_fn progress;
    void *progress_ctx;
    abut_counters *counters;
    abut_stop stop; /* set when it is not DONE */
    bool cancelled;
    bool inexact;     /* some of it was done by intervals */
    bool wants_first; /* the first contact is wanted, not all intervals */
    bool first_only;  /* nothing is wanted after the begin of the first contact */
    /* bodies without interior that cross (their difference holds the origin inside) count as
     * penetrating: triangles of meshes */
    bool crossing_is_deep;
    double simultaneity; /* meshes: contacts this much later are listed, too */
    abut_moving_touch touch;
    struct abut_rigid_contacts *contacts; /* meshes: where they touch; or NULL */
    abut_workspace *ws;                   /* meshes: whose allocator is taken; or NULL */
} abut_moving;

/* Exact or interval sign of the gap at an instant, from the static method; ABUT_SIGN_UNKNOWN
 * where it is undecided. */
int abut_moving_sign_at(const abut_moving *m, double t);

/* still.c: in one step, for two bodies at rest, of any types that have a static method. */
abut_status abut_still_scan(abut_moving *m, abut_run_fn emit, void *ctx);

/* advance.c: any two bodies with cores, or one over a half-space (b). */
abut_status abut_advance_scan(abut_moving *m, abut_run_fn emit, void *ctx);
/* field_scan.c: a height field (a) and a body with a core (b). */
abut_status abut_field_scan(abut_moving *m, abut_run_fn emit, void *ctx);
/* rigid/scan.c: a mesh (a) and a mesh, a height field, a half-space or a body with a core (b). */
abut_status abut_rigid_scan(abut_moving *m, abut_run_fn emit, void *ctx);
/* moving_ball.c: a ball against a ball or a half-space. */
abut_status abut_moving_scan(abut_moving *m, abut_run_fn emit, void *ctx);
/* ellipsoid_scan.c: two ellipsoids or spheres, under motions that need not be rigid. */
abut_status abut_ellipsoids_scan(abut_moving *m, abut_run_fn emit, void *ctx);
/* static_scan.c: any two bodies with a static method, under rigid motions. */
abut_status abut_static_scan(abut_moving *m, abut_run_fn emit, void *ctx);
/* Rigid, and with enclosures over the whole range. */
abut_status abut_moving_check(const abut_moving *m);

#endif
