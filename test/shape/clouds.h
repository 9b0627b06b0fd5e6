/* SPDX-License-Identifier: MIT */
/* Point sets that are hard on hulls: on spheres, grids, planes and lines, nearly so, in
 * clusters, doubled. */
#ifndef ABUT_TEST_CLOUDS_H
#define ABUT_TEST_CLOUDS_H

#include "base/memory.h"
#include "shape/hull/hull.h"
#include "support/places.h"

typedef enum cloud {
    IN_BALL,
    ON_SPHERE,
    GRID,
    ON_CUBE,
    FLAT,
    LINE,
    NEARLY_FLAT,
    NEARLY_LINE,
    WOBBLY_CUBE,
    CLUSTERS,
    DUPLICATES,
    FLAT_GRID,
    PRISM,
    CLOUDS
} cloud;

static inline abut_vec3 on_sphere(test_random *r)
{
    for (;;) {
        const abut_vec3 p = v3(test_uniform(r, -1, 1), test_uniform(r, -1, 1), test_uniform(r, -1, 1));
        const double s = p.x * p.x + p.y * p.y + p.z * p.z;
        if (s > 0.01 && s < 1)
            return v3(p.x / sqrt(s), p.y / sqrt(s), p.z / sqrt(s));
    }
}

static inline double small(test_random *r, unsigned n)
{
    return (double)test_below(r, n) / (n - 1);
}

static inline abut_vec3 draw(test_random *r, cloud kind, uint64_t seed, size_t i)
{
    const double u = test_uniform(r, -1, 1), v = test_uniform(r, -1, 1), tiny = 0x1p-53 * test_below(r, 4);
    switch (kind) {
    case IN_BALL: return v3(u, v, test_uniform(r, -1, 1));
    case ON_SPHERE: return on_sphere(r);
    case GRID: return v3(small(r, 3), small(r, 4), small(r, 5));
    case ON_CUBE: {
        double p[3] = { u, v, test_uniform(r, -1, 1) };
        p[test_below(r, 3)] = test_below(r, 2) ? 1 : -1;
        return v3(p[0], p[1], p[2]);
    }
    case FLAT:
        return v3(0x1p-20 * floor(0x1p20 * u), 0x1p-20 * floor(0x1p20 * v),
                  0.25 * (floor(0x1p20 * u) - 3 * floor(0x1p20 * v)));
    case LINE: return v3(floor(100 * u), 3 * floor(100 * u), -7 * floor(100 * u) + 0.5);
    case NEARLY_FLAT: return v3(u, v, 1 + 2 * tiny + (seed % 2 ? u : 0));
    case NEARLY_LINE: return v3(u, 3 * u, 0.1 * u + tiny);
    case WOBBLY_CUBE: return v3(test_below(r, 2) + 2 * tiny, small(r, 3) - tiny, small(r, 3) + tiny);
    case CLUSTERS: {
        const abut_vec3 s = on_sphere(r);
        const double near = i % 2 ? 1e-9 : 1e-14;
        return v3((double)(i % 3) + near * s.x, (double)(i % 5) + near * s.y, (double)(i % 2) + near * s.z);
    }
    case DUPLICATES: {
        test_random again = test_seed(seed * 1000 + test_below(r, 9));
        return on_sphere(&again);
    }
    case FLAT_GRID: {
        const double a = test_below(r, 5), b = test_below(r, 4);
        return seed % 3 == 0 ? v3(a, b, 3) : seed % 3 == 1 ? v3(b, -1, a) : v3(a, a, b);
    }
    default: return v3(cos((double)(i / 2)), sin((double)(i / 2)), i % 2 ? 1 : -1);
    }
}

static inline abut_hull *make(const abut_vec3 *points, size_t count)
{
    abut_status status = ABUT_ERR_LIMIT;
    const abut_allocator alloc = abut_base_allocator(NULL);
    abut_hull *h = abut_hull_create(points, count, &alloc, &status, NULL);
    assert_int_equal(status, ABUT_OK);
    assert_non_null(h);
    return h;
}

static inline void destroy(abut_hull *h)
{
    const abut_allocator alloc = abut_base_allocator(NULL);
    abut_hull_destroy(h, &alloc);
}

#endif
