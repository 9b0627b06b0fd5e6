/* SPDX-License-Identifier: MIT */
/* One point on each component of the intersection of two surfaces: what the methods share. Kernels
 * run between abut_rounding_enter and abut_rounding_leave; coordinates are relative to an origin
 * near both surfaces. */
#ifndef ABUT_INTERSECT_LOOPS_H
#define ABUT_INTERSECT_LOOPS_H

#include "abut/loops.h"
#include "interval/ia3.h"

/* A surface as it stands in the world, enclosed. */
typedef struct abut_placed {
    abut_solid_surface_kind kind;
    ia3 point, axis; /* the axis of unit length */
    ia radius, minor, tangent;
    ia matrix[4][4]; /* of quadrics: (x,1)' M (x,1) = 0; spheres, cylinders, cones too */
    ia form[4];      /* of planes: form . (x,1) = 0 */
} abut_placed;

/* Kernel. Two unit vectors that are perpendicular to the unit vector `axis` and to each other. */
void abut_frame_across(ia3 axis, ia3 *u, ia3 *v);

/* A pair at work. */
typedef struct abut_meeting {
    const abut_solid_surface *surface[2];
    const abut_pose *pose[2];
    abut_vec3 origin;
    abut_placed placed[2];
    abut_loops *out;
} abut_meeting;

/* Kernel. Appends the component through a point of the box `at`, relative to the origin; false
 * where there is no room or the box is unbounded. */
bool abut_meeting_add(abut_meeting *m, abut_loop_kind kind, ia3 at);
/* Kernel. 1 where the box is on the nappes of those surfaces that are cones, 0 where it is not;
 * -1: not decided. */
int abut_meeting_nappes(const abut_meeting *m, ia3 at);

/* The methods. Each fills m->out and tells whether it is decided; otherwise what is in there are
 * points of the intersection, and another method may be tried. */

/* Planes with planes, spheres with spheres (loops_plain.c). */
bool abut_loops_planes(abut_meeting *m);
bool abut_loops_spheres(abut_meeting *m);
/* A plane exactly along the axis of a cylinder; false where it is not known to be. */
bool abut_loops_plane_along(abut_meeting *m, int plane);
/* A torus and a surface exactly about its axis, which is one of coordinates; two quadrics that are
 * exactly the same surface. False where they are not known to be. */
bool abut_loops_torus_coaxial(abut_meeting *m, int torus);
bool abut_loops_bend(abut_meeting *m, int torus);
bool abut_loops_same_quadric(abut_meeting *m);
/* ruled.c: surface `ruled` is a plane, cylinder or cone, the other any but a plane or torus. */
bool abut_loops_ruled(abut_meeting *m, int ruled);
/* ruled_exact.c: the same in exact arithmetic, where the frame is exact. */
bool abut_loops_ruled_exact(abut_meeting *m, int ruled);
/* torus_space.c: a torus and a cylinder, cone or torus in configuration space; and a plane or
 * sphere. */
bool abut_loops_torus_space(abut_meeting *m, int torus);
bool abut_loops_torus_sheet(abut_meeting *m, int torus);
/* torus.c: a torus about an axis of coordinates and a plane or sphere, in exact arithmetic. */
bool abut_loops_sheet_exact(abut_meeting *m, int torus);
/* torus_grid.c: a torus and anything, by cells of its two angles. */
bool abut_loops_torus_grid(abut_meeting *m, int torus);
/* bilinear.c: two quadrics by a ruled member of their pencil. */
bool abut_loops_bilinear(abut_meeting *m);

#endif
