/* SPDX-License-Identifier: MIT */
/* Proves that no direction is shallower, over rectangles of x and y, the parts of the direction
 * along both axes; depth_disc.h says what is proved about what.
 *
 * In x and y all of f but -tau z is a sum of a function of x and one of y, both concave between the
 * kinks, and z is below each plane that touches the sphere, which is linear. So over a rectangle
 *     f >= least of A(x0), A(x1) + least of B(y0), B(y1) - tau / p_z,
 * A and B with the plane's share: a few operations for any p, and a new line costs one root.
 * About the least direction p, where that does not do, S_a and S_b are below their tangents by
 * known squares, and z below the plane by the square of the distance: where the form of both is
 * positive, with what f rises on both sides of a kink, f >= f(p). Four cells are examined
 * together, the quarters of one that was not enough. Proofs and rounding: docs/notes/depth.md. */
#if defined(__AVX2__)
#define GRID_AVX2 1
#else
#define GRID_AVX2 0
#endif
#include "narrow/depth/depth_grid_work.h"

int abut_grid_force_plain;

abut_disc_end abut_grid_prove(const abut_disc *d, double *r, abut_vec3 u, double cap, uint32_t most,
                              abut_vec3 *at, uint32_t *evaluations)
{
#if defined(__x86_64__) && !GRID_AVX2
    if (!abut_grid_force_plain && __builtin_cpu_supports("avx2"))
        return abut_grid_prove_avx2(d, r, u, cap, most, at, evaluations);
#endif
    return prove(d, r, u, cap, most, at, evaluations);
}
