/* SPDX-License-Identifier: MIT */
/* The vertex of a hull that is furthest along a direction d: by looking at all, by climbing along edges, by a hierarchy; and a certified bound of
 * how far it is.
 *
 * Climbing goes to the neighbour with the largest slope d . (w - v) as long as that is positive. On a convex body it ends at the top, if slopes have
 * the right sign; so differences are taken first, which makes a slope wrong by a few u of its edge's length and not of the body's size.
 *
 * The hierarchy is a chain of hulls of ever smaller random samples of the vertices. The best of a sample of one in eight is beaten by seven vertices on average,
 * whatever the body and the direction; each step of a climb from there passes one of them at least, so that a level takes eight steps at the most on average,
 * and a search O(log n), for neighbours that are not too many.
 *
 * The bound. Let u = 2^-53. A slope is computed from differences, each right to u, by products and two sums: it is off by at most
 * 4.1 u (|d_x e_x| + |d_y e_y| + |d_z e_z|). Edges whose slope is below -8 u times that computed sum (and 2^-1060 for what underflows) go down for sure. From
 * any vertex a path of edges that do not go down leads to the top; so of all vertices that are reached from v without an edge that goes down for sure, one is a
 * top. Mostly that is v alone. The value d . w itself is off by 3.01 u |d| |w|, the last sum by u (|d| |w| + the added term). */
#include "math/vec3.h"
#include "shape/hull.h"

#if defined(__x86_64__)
#include <immintrin.h>
#define HAVE_WIDE 1
#else
#define HAVE_WIDE 0
#endif

/* Up to here all vertices are looked at. Beyond, the start is trusted for a few steps, before the hierarchy or a scan takes over. Measured with
 * the bench cases "support". */
static const uint32_t few = 48;
enum { STEPS = 4 };

/* ---- all of them ---- */

/* The first of the eight lanes whose value is the largest. Lane k has seen the vertices k, k + 8, k + 16, … */
static uint32_t best_lane(const double value[8], const double index[8])
{
    int best = 0;
    for (int k = 1; k < 8; ++k)
        best = value[k] > value[best] ? k : best;
    return (uint32_t)index[best];
}

#if HAVE_WIDE
__attribute__((target("avx2"))) static uint32_t scan_avx2(const abut_hull *hull, double x, double y, double z)
{
    const __m256d dx = _mm256_set1_pd(x), dy = _mm256_set1_pd(y), dz = _mm256_set1_pd(z);
    const __m256d step = _mm256_set1_pd(8);
    __m256d most[2], at[2], index[2] = { _mm256_set_pd(3, 2, 1, 0), _mm256_set_pd(7, 6, 5, 4) };
    for (int k = 0; k < 2; ++k) {
        most[k] = _mm256_set1_pd(-INFINITY);
        at[k] = index[k];
    }
    for (uint32_t i = 0; i < hull->padded_count; i += 8)
        for (int k = 0; k < 2; ++k) {
            const uint32_t j = i + 4 * (uint32_t)k;
            const __m256d value =
                _mm256_add_pd(_mm256_add_pd(_mm256_mul_pd(dx, _mm256_loadu_pd(hull->x + j)),
                                            _mm256_mul_pd(dy, _mm256_loadu_pd(hull->y + j))),
                              _mm256_mul_pd(dz, _mm256_loadu_pd(hull->z + j)));
            const __m256d more = _mm256_cmp_pd(value, most[k], _CMP_GT_OQ);
            most[k] =
                _mm256_max_pd(value, most[k]); /* not blended: each step would wait for the comparison */
            at[k] = _mm256_blendv_pd(at[k], index[k], more);
            index[k] = _mm256_add_pd(index[k], step);
        }
    /* best_lane, wide. */
    const __m256d best = _mm256_max_pd(most[1], most[0]);
    const __m256d half = _mm256_max_pd(best, _mm256_permute2f128_pd(best, best, 1));
    const __m256d top = _mm256_max_pd(half, _mm256_permute_pd(half, 5));
    double lanes[8];
    _mm256_storeu_pd(lanes, at[0]);
    _mm256_storeu_pd(lanes + 4, at[1]);
    const unsigned low = (unsigned)_mm256_movemask_pd(_mm256_cmp_pd(most[0], top, _CMP_EQ_OQ));
    const unsigned high = (unsigned)_mm256_movemask_pd(_mm256_cmp_pd(most[1], top, _CMP_EQ_OQ));
    return (uint32_t)lanes[__builtin_ctz(low | high << 4 | 128)];
}
#endif

static uint32_t scan_plain(const abut_hull *hull, double x, double y, double z)
{
    double most[8], at[8];
    for (int k = 0; k < 8; ++k) {
        most[k] = -INFINITY;
        at[k] = k;
    }
    for (uint32_t i = 0; i < hull->padded_count; i += 8)
        for (uint32_t k = 0; k < 8; ++k) {
            const double value = x * hull->x[i + k] + y * hull->y[i + k] + z * hull->z[i + k];
            const bool more = value > most[k];
            most[k] = more ? value : most[k];
            at[k] = more ? (double)(i + k) : at[k];
        }
    return best_lane(most, at);
}

uint32_t abut_hull_scan_xyz(const abut_hull *hull, double x, double y, double z)
{
#if HAVE_WIDE
    if (__builtin_cpu_supports("avx2"))
        return scan_avx2(hull, x, y, z);
#endif
    return scan_plain(hull, x, y, z);
}

/* ---- climbing ---- */

/* From v, at most `steps` further; true when it has arrived. */
static inline bool climb(const abut_hull *hull, abut_vec3 d, uint32_t *v, uint32_t steps)
{
    const double *x = hull->x, *y = hull->y, *z = hull->z;
    uint32_t at = *v;
    for (uint32_t i = 0; i <= steps; ++i) {
        const double vx = x[at], vy = y[at], vz = z[at];
        const uint32_t *link = hull->links + hull->link_begin[at],
                       *end = hull->links + hull->link_begin[at + 1];
        double most = 0;
        uint32_t best = at;
        for (; link != end; ++link) {
            const uint32_t w = *link;
            const double slope = d.x * (x[w] - vx) + d.y * (y[w] - vy) + d.z * (z[w] - vz);
            best = slope > most ? w : best;
            most = slope > most ? slope : most;
        }
        if (best == at) {
            *v = at;
            return true;
        }
        at = best;
    }
    *v = at;
    return false;
}

uint32_t abut_hull_climb_xyz(const abut_hull *hull, double x, double y, double z, uint32_t start)
{
    const abut_vec3 d = { x, y, z };
    uint32_t v = start < hull->vertex_count ? start : start % hull->vertex_count;
    /* Rounding could send it in a circle. */
    return climb(hull, d, &v, hull->vertex_count) ? v : abut_hull_scan(hull, d);
}

/* ---- the hierarchy ---- */

uint32_t abut_hull_descend_xyz(const abut_hull *hull, double x, double y, double z)
{
    const abut_hull *level[ABUT_HULL_LEVELS];
    int depth = 0;
    for (; hull->coarser; hull = hull->coarser)
        level[depth++] = hull;
    uint32_t v = abut_hull_scan_xyz(hull, x, y, z);
    while (depth > 0) {
        v = hull->point_of[v];
        hull = level[--depth];
        v = abut_hull_climb_xyz(hull, x, y, z, v);
    }
    return v;
}

uint32_t abut_hull_support_xyz(const abut_hull *hull, double x, double y, double z, uint32_t start)
{
    const abut_vec3 d = { x, y, z };
    if (hull->vertex_count <= few)
        return abut_hull_scan(hull, d);
    uint32_t v = start < hull->vertex_count ? start : start % hull->vertex_count;
    if (hull->coarser)
        return climb(hull, d, &v, STEPS) ? v : abut_hull_descend(hull, d);
    return climb(hull, d, &v, STEPS) ? v : abut_hull_scan(hull, d);
}

/* ---- the certificate ---- */

#if HAVE_WIDE
__attribute__((target("avx2"))) static double top_avx2(const abut_hull *hull, double x, double y, double z)
{
    const __m256d dx = _mm256_set1_pd(x), dy = _mm256_set1_pd(y), dz = _mm256_set1_pd(z);
    __m256d most[2] = { _mm256_set1_pd(-INFINITY), _mm256_set1_pd(-INFINITY) };
    for (uint32_t i = 0; i < hull->padded_count; i += 8)
        for (int k = 0; k < 2; ++k) {
            const uint32_t j = i + 4 * (uint32_t)k;
            const __m256d value =
                _mm256_add_pd(_mm256_add_pd(_mm256_mul_pd(dx, _mm256_loadu_pd(hull->x + j)),
                                            _mm256_mul_pd(dy, _mm256_loadu_pd(hull->y + j))),
                              _mm256_mul_pd(dz, _mm256_loadu_pd(hull->z + j)));
            most[k] = _mm256_max_pd(most[k], value);
        }
    const __m256d best = _mm256_max_pd(most[0], most[1]);
    const __m256d half = _mm256_max_pd(best, _mm256_permute2f128_pd(best, best, 1));
    return _mm256_cvtsd_f64(_mm256_max_pd(half, _mm256_permute_pd(half, 5)));
}
#endif

/* The largest computed d . w over all vertices. */
static double top_of_all(const abut_hull *hull, abut_vec3 d)
{
#if HAVE_WIDE
    if (__builtin_cpu_supports("avx2"))
        return top_avx2(hull, d.x, d.y, d.z);
#endif
    return abut_dot(d, abut_hull_vertex(hull, scan_plain(hull, d.x, d.y, d.z)));
}

/* The largest computed d . w over a set of vertices that has a top for sure, starting with v; false where that is not small, or where an edge from v goes up for
 * sure, so that it is worth while to climb first. */
static inline bool top_near(const abut_hull *hull, abut_vec3 d, uint32_t v, double *top)
{
    enum { MOST = 32 };
    uint32_t reached[MOST], count = 1;
    reached[0] = v;
    *top = -INFINITY;
    for (uint32_t i = 0; i < count; ++i) {
        const uint32_t at = reached[i];
        const abut_vec3 p = abut_hull_vertex(hull, at);
        const double value = abut_dot(d, p);
        *top = value > *top ? value : *top;
        for (uint32_t k = hull->link_begin[at]; k < hull->link_begin[at + 1]; ++k) {
            const uint32_t w = hull->links[k];
            const double x = d.x * (hull->x[w] - p.x), y = d.y * (hull->y[w] - p.y),
                         z = d.z * (hull->z[w] - p.z);
            const double slope = x + y + z, doubt = 0x1p-50 * (fabs(x) + fabs(y) + fabs(z)) + 0x1p-1060;
            if (slope <= -doubt)
                continue;
            if (slope > doubt && i == 0)
                return false;
            uint32_t j = 0;
            while (j < count && reached[j] != w)
                ++j;
            if (j < count)
                continue;
            if (count == MOST)
                return false;
            reached[count++] = w;
        }
    }
    return true;
}

double abut_hull_support_bound_xyz(const abut_hull *hull, double x, double y, double z, uint32_t start)
{
    const abut_vec3 d = { x, y, z };
    const uint32_t v = start < hull->vertex_count ? start : start % hull->vertex_count;
    double top;
    if (hull->vertex_count <= few ||
        (!top_near(hull, d, v, &top) && !top_near(hull, d, abut_hull_support_xyz(hull, x, y, z, v), &top)))
        top = top_of_all(hull, d);
    /* 5 u covers the 3.01 u of the value, the rounding of this sum, and those of the length. */
    return top + (5 * 0x1p-53 * sqrt(abut_dot(d, d)) * hull->size + 0x1p-1060);
}
