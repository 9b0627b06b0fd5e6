/* SPDX-License-Identifier: MIT */
/* Bodies with a formula each: by how much a point is outside. */
#ifndef ABUT_TEST_FORMULAS_H
#define ABUT_TEST_FORMULAS_H

#include "support/test.h"

#include "abut/shape.h"

enum { SPHERE, BOX, CAPSULE, CYLINDER, CONE, ELLIPSOID, HALFSPACE, TORUS, FORMULAS };

/* h: half edges; radius and height; semi-axes; the offset of a half-space below z; by how much a
 * torus is wider than its tube, and the radius of the tube. */
static inline abut_shape *formula_shape(int kind, const double h[3])
{
    abut_shape *shape = NULL;
    abut_status status = ABUT_ERR_ARGUMENT;
    switch (kind) {
    case SPHERE: status = abut_shape_create_sphere(h[0], NULL, &shape); break;
    case BOX: status = abut_shape_create_box((abut_vec3){ h[0], h[1], h[2] }, NULL, &shape); break;
    case CAPSULE: status = abut_shape_create_capsule(h[0], h[1], NULL, &shape); break;
    case CYLINDER: status = abut_shape_create_cylinder(h[0], h[1], NULL, &shape); break;
    case CONE: status = abut_shape_create_cone(h[0], h[1], NULL, &shape); break;
    case ELLIPSOID:
        status = abut_shape_create_ellipsoid((abut_vec3){ h[0], h[1], h[2] }, NULL, &shape);
        break;
    case HALFSPACE: status = abut_shape_create_halfspace((abut_vec3){ 0, 0, 1 }, h[0], NULL, &shape); break;
    default: status = abut_shape_create_torus(h[0] + h[1], h[1], NULL, &shape);
    }
    assert_int_equal(status, ABUT_OK);
    return shape;
}

/* Of a point in the body's own coordinates; for ellipsoids in parts of their size. */
static inline double formula_excess(int kind, const double h[3], const double p[3])
{
    const double side = hypot(p[0], p[1]);
    switch (kind) {
    case SPHERE: return hypot(side, p[2]) - h[0];
    case BOX: return fmax(fabs(p[0]) - h[0], fmax(fabs(p[1]) - h[1], fabs(p[2]) - h[2]));
    case CAPSULE: return hypot(side, fmax(0, fabs(p[2]) - h[1] / 2)) - h[0];
    case CYLINDER: return fmax(side - h[0], fabs(p[2]) - h[1] / 2);
    case CONE: return fmax(-h[1] / 2 - p[2], side - h[0] * (0.5 - p[2] / h[1]));
    case ELLIPSOID: return hypot(hypot(p[0] / h[0], p[1] / h[1]), p[2] / h[2]) - 1;
    case HALFSPACE: return p[2] - h[0];
    default: return hypot(side - h[0] - h[1], p[2]) - h[1];
    }
}

/* The same of a point of the world, for a body at `position`, turned by r. */
static inline double placed_excess(int kind, const double h[3], const double r[3][3], abut_vec3 position,
                                   abut_vec3 point)
{
    const double d[3] = { point.x - position.x, point.y - position.y, point.z - position.z };
    double p[3];
    for (int j = 0; j < 3; ++j)
        p[j] = r[0][j] * d[0] + r[1][j] * d[1] + r[2][j] * d[2];
    return formula_excess(kind, h, p);
}

/* The matrix of a quaternion of length 1. */
static inline void formula_matrix(const double q[4], double r[3][3])
{
    const double w = q[0], x = q[1], y = q[2], z = q[3];
    const double m[3][3] = { { 1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y) },
                             { 2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x) },
                             { 2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y) } };
    memcpy(r, m, sizeof m);
}

/* A rotation at random: its quaternion, of length 1 but for rounding, and its matrix. */
static inline void formula_rotation(test_random *random, double q[4], double r[3][3])
{
    double length = 0;
    for (int i = 0; i < 4; ++i) {
        q[i] = test_uniform(random, -1, 1);
        length += q[i] * q[i];
    }
    for (int i = 0; i < 4; ++i)
        q[i] /= sqrt(length);
    formula_matrix(q, r);
}

#endif
