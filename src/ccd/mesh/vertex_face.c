/* SPDX-License-Identifier: MIT */
/* A moving vertex and a moving face: what is its own in the steps of impact.h. */
#include "ccd/mesh/impact.h"

static inline double least(double a, double b)
{
    return a < b ? a : b;
}

static inline double most(double a, double b)
{
    return a > b ? a : b;
}

bool abut_impact_apart_vertex_face(const abut_vec3 start[4], const abut_vec3 end[4])
{
    const double *s = &start[0].x, *e = &end[0].x;
    bool apart = false;
    for (int k = 0; k < 3; ++k) {
        const double lo = least(s[k], e[k]), hi = most(s[k], e[k]);
        const double face_lo =
            least(least(least(s[k + 3], s[k + 6]), least(s[k + 9], e[k + 3])), least(e[k + 6], e[k + 9]));
        const double face_hi =
            most(most(most(s[k + 3], s[k + 6]), most(s[k + 9], e[k + 3])), most(e[k + 6], e[k + 9]));
        apart |= (hi < face_lo) | (lo > face_hi);
    }
    return apart;
}

/* The vertex is the origin, and c12, c23, -c13 are twice the areas that it makes with the sides of the face, in one projection. Two of different signs mean outside, and if the face has no area in
 * this projection all must be zero; three of one sign mean inside. */
int abut_impact_inside_vertex_face(double c12, double c13, double c23, double error)
{
    const bool positive = (c12 > error) | (c23 > error) | (c13 < -error),
               negative = (c12 < -error) | (c23 < -error) | (c13 > error);
    if (positive && negative)
        return -1;
    return ((c12 > error) & (c23 > error) & (c13 < -error)) |
           ((c12 < -error) & (c23 < -error) & (c13 > error));
}
