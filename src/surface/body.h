/* SPDX-License-Identifier: MIT */
/* What stands behind an abut_surface: a row of functions for each kind of body, and the makers of bodies. */
#ifndef ABUT_SURFACE_BODY_H
#define ABUT_SURFACE_BODY_H

#include "base/workspace.h"
#include "surface/surface.h"

/* Functions of surface.h by the same names; those that a kind of body never has are NULL. */
typedef struct abut_surface_methods {
    bool (*jet)(const abut_surface *s, const abut_surface_feature *f, const ia *parameters, ia t, int order,
                ia *scratch, abut_jet *out);
    void (*normals)(const abut_surface *s, const abut_surface_feature *f, const ia *parameters, ia t,
                    ia *scratch, ia3 *out);
    bool (*field)(const abut_surface *s, const abut_surface_feature *f, int i, ia3 x, ia t, int order,
                  ia *scratch, abut_field_jet *out);
    abut_truth (*on)(const abut_surface *s, const abut_surface_feature *f, ia3 x, ia t, ia *scratch);
    abut_truth (*inside)(const abut_surface *s, ia3 x, ia t, ia *scratch);
    ia3 (*bounds)(const abut_surface *s, ia t, ia *scratch);
} abut_surface_methods;

/* First member of every body. */
typedef struct abut_surface_body {
    const abut_surface_methods *methods;
} abut_surface_body;

/* The library's bodies; memory from the workspace. ABUT_ERR_MEMORY. */
abut_status abut_surface_sphere(double radius, abut_workspace *ws, abut_surface *out);
abut_status abut_surface_ellipsoid(abut_vec3 radii, abut_workspace *ws, abut_surface *out);
abut_status abut_surface_torus(double major, double minor, abut_workspace *ws, abut_surface *out);
abut_status abut_surface_cylinder(double radius, double height, abut_workspace *ws, abut_surface *out);
abut_status abut_surface_cone(double radius, double height, abut_workspace *ws, abut_surface *out);
abut_status abut_surface_capsule(double radius, double height, abut_workspace *ws, abut_surface *out);
abut_status abut_surface_box(abut_vec3 half, abut_workspace *ws, abut_surface *out);
abut_status abut_surface_halfspace(abut_vec3 normal, double offset, abut_workspace *ws, abut_surface *out);

#endif
