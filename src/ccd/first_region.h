/* SPDX-License-Identifier: MIT */
/* A contact along a line or face: the plane that both bodies touch, and samples in it as
 * contacts. */
#ifndef ABUT_CCD_FIRST_REGION_H
#define ABUT_CCD_FIRST_REGION_H

#include "ccd/first.h"
#include "ccd/first_spread.h"

/* The plane, in the frame of one of the bodies. */
typedef struct abut_contact_plane {
    abut_vec3 normal; /* unit */
    abut_vec3 at, x, y;
} abut_contact_plane;

/* Axes along the longest side that one of the faces has. `at` is put at this height along the
 * normal. */
void abut_contact_plane_set(abut_vec3 normal, abut_vec3 at, double height, const abut_face *a,
                            const abut_face *b, abut_contact_plane *out);
void abut_contact_plane_flatten(const abut_contact_plane *plane, const abut_face *face, abut_flat_face *out);
static inline abut_vec3 abut_contact_plane_point(const abut_contact_plane *plane, abut_flat p)
{
    return abut_madd(abut_madd(plane->at, p.x, plane->x), p.y, plane->y);
}

/* What of a face is at a point of it. */
abut_feature abut_flat_feature(const abut_face *face, const abut_flat_face *flat, abut_flat p, double close);
/* The spacing asked for, or a twentieth of the smaller body, as for surfaces. */
double abut_first_separation(const abut_first_state *s);

/* first_field.c: the same as abut_first_add_region where one body is a height field. */
bool abut_first_add_field_region(abut_first_state *s, double t, const abut_first_point *like);

#endif
