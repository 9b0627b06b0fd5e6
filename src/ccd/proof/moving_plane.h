/* SPDX-License-Identifier: MIT */
/* A plane that moves with two bodies and bounds their gap from below over a stretch of time; see
 * docs/notes/advancement.md.
 *
 * s time units after the plane was made (before, when it goes back) the gap of the bodies is at
 * least
 *     F(s) = k0 + k1 s - h_a(a0 + s a1) - h_b(b0 + s b1) - (bend + twist s) s^2 / 2 - (e0 + e1 s),
 *       0 <= s <= reach,
 * h the support functions of the cores. F is concave: positive at 0 and at s means positive
 * between. */
#ifndef ABUT_CCD_PROOF_MOVING_PLANE_H
#define ABUT_CCD_PROOF_MOVING_PLANE_H

#include "ccd/proof/path.h"
#include "shape/core.h"
#include "shape/shape.h"

typedef struct abut_moving_plane {
    const abut_core *a, *b; /* b NULL: a half-space */
    abut_vec3 a0, a1, b0, b1;
    double k0, k1, e0, e1, bend, twist, reach;
    double slope; /* of F at 0, once a step was taken: steers */
    bool turns;
    uint32_t hint_a, hint_b;
} abut_moving_plane;

/* Certified upper bound, but for core->error |d| and 4 u size |d|, of d . x over the core. */
double abut_core_reach(const abut_core *core, abut_vec3 d, uint32_t *hint);

/* abut_core_support for cores of any size: squares of directions times semi-axes of extreme size
 * under- or overflow. */
abut_vec3 abut_moving_plane_support_scaled(const abut_core *core, abut_vec3 d, uint32_t *hint);

static inline abut_vec3 abut_moving_plane_support(const abut_core *core, abut_vec3 d, uint32_t *hint)
{
    if (__builtin_expect(core->size > 0x1p-140 && core->size < 0x1p140, 1))
        return abut_core_support(core, d, hint);
    return abut_moving_plane_support_scaled(core, d, hint);
}

/* The plane whose direction is n (unit to a few ulp, from a to b, in the world) and turns at the
 * rate dn, if a body does. sense: 1, or -1 to look back. The stances have places and rates. */
void abut_moving_plane_between(const abut_core *a, const abut_stance *at_a, const abut_core *b,
                               const abut_stance *at_b, abut_vec3 n, abut_vec3 dn, double sense,
                               abut_moving_plane *out);
/* Over a half-space: its only direction. Holds as far as `reach`, as the rates must; at times
 * less far. */
void abut_moving_plane_above(const abut_core *a, const abut_stance *at_a, const abut_shape *halfspace,
                             const abut_stance *at_b, double sense, double reach, abut_moving_plane *out);

/* Certified lower bound of the gap s later; no wider in s than `reach`. */
double abut_moving_plane_at(abut_moving_plane *f, double s);
/* t + s, or a little nearer to t, so that it is no further from t than |s|. Where t + s is close
 * to 0 its ulps are finer than those of s, and the factor leaves the room that a few of them
 * would not. */
double abut_moving_plane_end(double t, double s);
/* The largest s up to `most` with F > 0 on [0, s], nearly; 0 where that is not proved. */
double abut_moving_plane_step(abut_moving_plane *f, double most);

#endif
