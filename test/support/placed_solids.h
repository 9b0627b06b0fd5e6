/* SPDX-License-Identifier: MIT */
/* Placed solids and Boolean combinations of two of them. */
#ifndef ABUT_TEST_PLACED_SOLIDS_H
#define ABUT_TEST_PLACED_SOLIDS_H

#include "abut/motion.h"
#include "abut/shape.h"
#include "support/test.h"

static inline abut_shape *box_of(double x, double y, double z)
{
    abut_shape *out;
    assert_int_equal(abut_shape_create_box((abut_vec3){ x, y, z }, NULL, &out), ABUT_OK);
    return out;
}

static inline abut_motion *moved(double x, double y, double z)
{
    const abut_placement at = { .position = { x, y, z } };
    abut_motion *out;
    assert_int_equal(abut_motion_create_static(&at, NULL, &out, NULL), ABUT_OK);
    return out;
}

/* Takes its shapes and places over. */
static inline abut_shape *combine(abut_csg_op op, abut_shape *a, abut_motion *at_a, abut_shape *b,
                                  abut_motion *at_b)
{
    const abut_csg_operand of[2] = { { a, at_a }, { b, at_b } };
    abut_shape *out;
    abut_error error;
    TEST_CHECK(abut_shape_create_csg_placed(op, of, 2, NULL, &out, &error) == ABUT_OK, "%s", error.text);
    abut_shape_release(a);
    abut_shape_release(b);
    abut_motion_release(at_a);
    abut_motion_release(at_b);
    return out;
}

#endif
