/* SPDX-License-Identifier: MIT */
/* Bodies that several tests need. */
#ifndef ABUT_TEST_BODIES_H
#define ABUT_TEST_BODIES_H

#include "support/test.h"

#include "abut/shape.h"

/* The corner of a cube. */
static inline abut_shape *test_polyhedron(void)
{
    static const abut_vec3 corners[4] = { { 0, 0, 0 }, { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 } };
    static const uint32_t sizes[4] = { 3, 3, 3, 3 }, of[12] = { 0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3 };
    abut_shape *shape;
    assert_int_equal(abut_shape_create_polyhedron(corners, 4, sizes, 4, of, 12, NULL, &shape, NULL), ABUT_OK);
    return shape;
}

/* A height field of two triangles. */
static inline abut_shape *test_field(void)
{
    static const double heights[4] = { 0, 0.5, 0.25, 0 };
    abut_shape *shape;
    assert_int_equal(abut_shape_create_heightfield(2, 2, 1, 1, heights, NULL, &shape, NULL), ABUT_OK);
    return shape;
}

#endif
