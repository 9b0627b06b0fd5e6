/* SPDX-License-Identifier: MIT */
/* Finding out what a patch of F(u, t) says; shared by the subdivision (ellipsoid_patch.c) and
 * the shooting (ellipsoid_shoot.c). */
#ifndef ABUT_CCD_ELLIPSOID_ELLIPSOID_PATCH_H
#define ABUT_CCD_ELLIPSOID_ELLIPSOID_PATCH_H

#include "ccd/ellipsoid/ellipsoid_scan.h"

typedef struct abut_patch_walk {
    abut_moving *m;
    const abut_ellipsoids *e;
    abut_runs *runs;
    double lo, hi, width;
    double inexact; /* what a fraction of time may be off by */
} abut_patch_walk;

typedef enum abut_patch_outcome {
    ABUT_PATCH_APART,
    ABUT_PATCH_DEEP,
    ABUT_PATCH_RISING, /* the greatest value of F rises: one change at most */
    ABUT_PATCH_FALLING,
    ABUT_PATCH_SPLIT, /* nothing yet */
    ABUT_PATCH_LOST   /* nothing at this precision */
} abut_patch_outcome;

void abut_patch_begin(abut_patch_walk *w, abut_moving *m, const abut_ellipsoids *e, double lo, double hi,
                      abut_runs *runs);
/* cap: the part of u in which F may not be negative, as fractions of the patch's. */
abut_patch_outcome abut_patch_decide(const abut_patch_walk *w, const abut_form_patch *p, double cap[2]);
/* Cells over a patch that rises or falls; false when no more are wanted. */
bool abut_patch_decide_change(abut_patch_walk *w, const abut_form_patch *p, bool rises);
/* Cells over a patch by subdivision. */
bool abut_patch_solve(abut_patch_walk *w, const abut_form_patch *patch);
/* The same by shooting, for the first contact only. */
bool abut_patch_shoot(abut_patch_walk *w, const abut_form_patch *patch);
/* The polynomial of u at the fraction s of the patch, in doubles. */
void abut_patch_row(const abut_form_patch *p, double s, double q[6]);
/* What F may change by over the rounding of times. */
double abut_patch_shift_error(const abut_patch_walk *w, const abut_form_patch *p);

static inline double abut_patch_time(const abut_patch_walk *w, double s)
{
    return s <= 0 ? w->lo : s >= 1 ? w->hi : fmin(w->lo + s * w->width, w->hi);
}

/* Whether, after a cell that ends at t, the first contact is known and nothing else is wanted:
 * the run ends there. */
static inline bool abut_patch_is_enough(const abut_patch_walk *w, abut_run_cell cell, double t)
{
    if (!w->m->first_only || cell != ABUT_CELL_DEEP || !w->runs->open || !w->runs->run.certain)
        return false;
    abut_runs_cut(w->runs, t);
    return true;
}

/* Basis functions of degree 4. */
static inline void abut_patch_basis(double u, double b[5])
{
    const double v = 1 - u, uu = u * u, vv = v * v;
    b[0] = vv * vv;
    b[1] = 4 * u * v * vv;
    b[2] = 6 * uu * vv;
    b[3] = 4 * uu * u * v;
    b[4] = uu * uu;
}

static inline double abut_patch_along(const double c[6], const double b[5])
{
    return c[0] * b[0] + c[1] * b[1] + c[2] * b[2] + c[3] * b[3] + c[4] * b[4];
}

#endif
