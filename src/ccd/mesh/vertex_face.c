/* SPDX-License-Identifier: MIT */
/* A moving vertex and a moving face: what is its own in the steps of impact.h. */
#include "ccd/mesh/impact.h"

/* The vertex is the origin, and c12, c23, -c13 are twice the areas that it makes with the sides
 * of the face, in one projection. Two of different signs mean outside, and if the face has no
 * area in this projection all must be zero; three of one sign mean inside. */
int abut_impact_inside_vertex_face(double c12, double c13, double c23, double error)
{
    const bool positive = (c12 > error) | (c23 > error) | (c13 < -error),
               negative = (c12 < -error) | (c23 < -error) | (c13 > error);
    if (positive && negative)
        return -1;
    return ((c12 > error) & (c23 > error) & (c13 < -error)) |
           ((c12 < -error) & (c23 < -error) & (c13 > error));
}
