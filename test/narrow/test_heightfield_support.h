/* SPDX-License-Identifier: MIT */
/* Small height fields at random. */
#ifndef ABUT_TEST_HEIGHTFIELD_SUPPORT_H
#define ABUT_TEST_HEIGHTFIELD_SUPPORT_H

#include "abut/query.h"
#include "support/places.h"

enum { SIDE = 9 };

typedef struct field {
    size_t columns, rows;
    double dx, dy, heights[SIDE * SIDE];
} field;

static inline abut_shape *make(const field *f)
{
    abut_shape *shape;
    assert_int_equal(
        abut_shape_create_heightfield(f->columns, f->rows, f->dx, f->dy, f->heights, NULL, &shape, NULL),
        ABUT_OK);
    return shape;
}

static inline field random_field(test_random *r, bool tidy)
{
    static const double steps[4] = { 1, 2, 0.5, 0.3 };
    field f = { .columns = 2 + test_below(r, SIDE - 1), .rows = 2 + test_below(r, SIDE - 1) };
    f.dx = tidy ? steps[test_below(r, 3)] : steps[test_below(r, 4)];
    f.dy = tidy ? steps[test_below(r, 3)] : test_uniform(r, 0.2, 2);
    const unsigned kind = test_below(r, 4);
    for (size_t i = 0; i < f.columns * f.rows; ++i)
        f.heights[i] = kind == 0 ? (double)(i % f.columns) /* a plane: long runs */
                       : tidy    ? (double)test_below(r, 4) - 1
                                 : test_uniform(r, -2, 2);
    return f;
}

static inline abut_vec3 vertex_of(const field *f, size_t i, size_t j)
{
    return v3(((double)i - 0.5 * (double)(f->columns - 1)) * f->dx,
              ((double)j - 0.5 * (double)(f->rows - 1)) * f->dy, f->heights[j * f->columns + i]);
}

#endif
