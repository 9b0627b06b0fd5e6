/* SPDX-License-Identifier: MIT */
/* Oriented boxes. */
#include "bv/relative.h"

abut_bv_box abut_bv_box_of(const abut_aabb *bounds);
abut_bv_box abut_bv_box_of(const abut_aabb *bounds)
{
    const abut_vec3 lo = bounds->lo, hi = bounds->hi;
    return (abut_bv_box){ { 0.5 * lo.x + 0.5 * hi.x, 0.5 * lo.y + 0.5 * hi.y, 0.5 * lo.z + 0.5 * hi.z },
                          { 0.5 * hi.x - 0.5 * lo.x, 0.5 * hi.y - 0.5 * lo.y, 0.5 * hi.z - 0.5 * lo.z },
                          { { { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 } } } };
}
