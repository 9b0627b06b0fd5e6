/* SPDX-License-Identifier: MIT */
/* Two doubles at a time: a quantity at the start and at the end. One instruction each where
 * there is SSE2, which every x86-64 has. */
#ifndef ABUT_CCD_MESH_LANES_H
#define ABUT_CCD_MESH_LANES_H

#include "abut/math.h"

#if defined(__SSE2__)
#include <emmintrin.h>

typedef __m128d abut_lanes;

static inline abut_lanes abut_lanes_set(double start, double end)
{
    return _mm_set_pd(end, start);
}
static inline abut_lanes abut_lanes_load(const double *start, const double *end)
{
    return _mm_loadh_pd(_mm_load_sd(start), end);
}
/* Two that are next to each other. */
static inline abut_lanes abut_lanes_pair(const double *x)
{
    return _mm_loadu_pd(x);
}
static inline double abut_lanes_start(abut_lanes x)
{
    return _mm_cvtsd_f64(x);
}
static inline double abut_lanes_end(abut_lanes x)
{
    return _mm_cvtsd_f64(_mm_unpackhi_pd(x, x));
}
static inline abut_lanes abut_lanes_swap(abut_lanes x)
{
    return _mm_shuffle_pd(x, x, 1);
}
/* The second of x and the first of y. */
static inline abut_lanes abut_lanes_between(abut_lanes x, abut_lanes y)
{
    return _mm_shuffle_pd(x, y, 1);
}
static inline abut_lanes abut_lanes_add(abut_lanes x, abut_lanes y)
{
    return _mm_add_pd(x, y);
}
static inline abut_lanes abut_lanes_sub(abut_lanes x, abut_lanes y)
{
    return _mm_sub_pd(x, y);
}
static inline abut_lanes abut_lanes_mul(abut_lanes x, abut_lanes y)
{
    return _mm_mul_pd(x, y);
}
static inline abut_lanes abut_lanes_min(abut_lanes x, abut_lanes y)
{
    return _mm_min_pd(x, y);
}
static inline abut_lanes abut_lanes_max(abut_lanes x, abut_lanes y)
{
    return _mm_max_pd(x, y);
}
static inline abut_lanes abut_lanes_abs(abut_lanes x)
{
    return _mm_andnot_pd(_mm_set1_pd(-0.0), x);
}
/* Both less. */
static inline bool abut_lanes_less(abut_lanes x, abut_lanes y)
{
    return _mm_movemask_pd(_mm_cmplt_pd(x, y)) == 3;
}
/* Bit 0: the first is less; bit 1: the second. */
static inline unsigned abut_lanes_below(abut_lanes x, abut_lanes y)
{
    return (unsigned)_mm_movemask_pd(_mm_cmplt_pd(x, y));
}

#else

typedef struct abut_lanes {
    double v[2];
} abut_lanes;

static inline abut_lanes abut_lanes_set(double start, double end)
{
    return (abut_lanes){ { start, end } };
}
static inline abut_lanes abut_lanes_load(const double *start, const double *end)
{
    return (abut_lanes){ { *start, *end } };
}
static inline abut_lanes abut_lanes_pair(const double *x)
{
    return (abut_lanes){ { x[0], x[1] } };
}
static inline double abut_lanes_start(abut_lanes x)
{
    return x.v[0];
}
static inline double abut_lanes_end(abut_lanes x)
{
    return x.v[1];
}
static inline abut_lanes abut_lanes_swap(abut_lanes x)
{
    return (abut_lanes){ { x.v[1], x.v[0] } };
}
static inline abut_lanes abut_lanes_between(abut_lanes x, abut_lanes y)
{
    return (abut_lanes){ { x.v[1], y.v[0] } };
}
static inline abut_lanes abut_lanes_add(abut_lanes x, abut_lanes y)
{
    return (abut_lanes){ { x.v[0] + y.v[0], x.v[1] + y.v[1] } };
}
static inline abut_lanes abut_lanes_sub(abut_lanes x, abut_lanes y)
{
    return (abut_lanes){ { x.v[0] - y.v[0], x.v[1] - y.v[1] } };
}
static inline abut_lanes abut_lanes_mul(abut_lanes x, abut_lanes y)
{
    return (abut_lanes){ { x.v[0] * y.v[0], x.v[1] * y.v[1] } };
}
static inline abut_lanes abut_lanes_min(abut_lanes x, abut_lanes y)
{
    return (abut_lanes){ { x.v[0] < y.v[0] ? x.v[0] : y.v[0], x.v[1] < y.v[1] ? x.v[1] : y.v[1] } };
}
static inline abut_lanes abut_lanes_max(abut_lanes x, abut_lanes y)
{
    return (abut_lanes){ { x.v[0] > y.v[0] ? x.v[0] : y.v[0], x.v[1] > y.v[1] ? x.v[1] : y.v[1] } };
}
static inline abut_lanes abut_lanes_abs(abut_lanes x)
{
    return (abut_lanes){ { x.v[0] < 0 ? -x.v[0] : x.v[0], x.v[1] < 0 ? -x.v[1] : x.v[1] } };
}
static inline bool abut_lanes_less(abut_lanes x, abut_lanes y)
{
    return x.v[0] < y.v[0] && x.v[1] < y.v[1];
}
static inline unsigned abut_lanes_below(abut_lanes x, abut_lanes y)
{
    return (unsigned)(x.v[0] < y.v[0]) | (unsigned)(x.v[1] < y.v[1]) << 1;
}

#endif

/* The corners: [corner][axis]. */
typedef struct abut_impact_corners {
    abut_lanes v[4][3];
} abut_impact_corners;

static inline void abut_impact_load(const abut_vec3 start[4], const abut_vec3 end[4], abut_impact_corners *c)
{
    for (int i = 0; i < 4; ++i) {
        c->v[i][0] = abut_lanes_load(&start[i].x, &end[i].x);
        c->v[i][1] = abut_lanes_load(&start[i].y, &end[i].y);
        c->v[i][2] = abut_lanes_load(&start[i].z, &end[i].z);
    }
}

#endif
