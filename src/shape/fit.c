/* SPDX-License-Identifier: MIT */
/* Ellipsoids and balls around points and meshes. */
#include "abut/ellipsoid.h"
#include "shape/shape.h"

abut_status abut_ellipsoid_fit(const abut_vec3 *points, size_t count, double tolerance,
                               const abut_allocator *alloc, abut_affine *out, abut_error *error)
{
    (void)points;
    (void)count;
    (void)tolerance;
    (void)alloc;
    (void)out;
    return abut_base_fail(error, ABUT_ERR_UNSUPPORTED, -1, "not yet");
}

abut_status abut_sphere_fit(const abut_vec3 *points, size_t count, abut_vec3 *centre, double *radius,
                            abut_error *error)
{
    (void)points;
    (void)count;
    (void)centre;
    (void)radius;
    return abut_base_fail(error, ABUT_ERR_UNSUPPORTED, -1, "not yet");
}

abut_status abut_ellipsoid_cover_mesh(const abut_shape *mesh, size_t count, bool balls,
                                      const abut_allocator *alloc, abut_affine *out, size_t *out_count,
                                      abut_error *error)
{
    (void)mesh;
    (void)count;
    (void)balls;
    (void)alloc;
    (void)out;
    (void)out_count;
    return abut_base_fail(error, ABUT_ERR_UNSUPPORTED, -1, "not yet");
}
