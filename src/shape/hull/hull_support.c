/* SPDX-License-Identifier: MIT */
/* The vertex of a hull that is furthest along a direction d: by examining all, by climbing along
 * edges, by a hierarchy; and a certified bound of how far it is.
 *
 * Examining all is fastest up to some hundreds: in floats, eight at a time, with doubles to choose
 * among those that come near the top (docs/notes/gjk.md).
 *
 * Climbing goes to the neighbour with the largest slope d . (w - v) as long as that is positive. On
 * a convex body it ends at the top, if slopes have the right sign; so differences are taken first,
 * which makes a slope wrong by a few u of its edge's length and not of the body's size.
 *
 * The hierarchy is a chain of hulls of ever smaller random samples of the vertices. The best of a
 * sample of one in eight is beaten by seven vertices on average, whatever the body and the
 * direction; each step of a climb from there passes one of them at least, so that a level takes
 * eight steps at the most on average, and a search O(log n), for neighbours that are not too many.
 *
 * The bound. Let u = 2^-53. A slope is computed from differences, each right to u, by products
 * and two sums: it is off by at most 4.1 u (|d_x e_x| + |d_y e_y| + |d_z e_z|). Edges whose
 * slope is below -8 u times that computed sum (and 2^-1060 for what underflows) go down for
 * sure. From any vertex a path of edges that do not go down leads to the top; so of all vertices
 * that are reached from v without an edge that goes down for sure, one is a top. Mostly that is
 * v alone. The value d . w itself is off by 3.01 u |d| |w|, the last sum by u (|d| |w| + the
 * added term). */
#include "math/vec3.h"
#include "shape/hull/hull_scan.h"

#define HAVE_WIDE ABUT_HULL_HAVE_SCAN

/* Where not all vertices are examined, the start is trusted for a few steps, before the
 * hierarchy or a scan takes over. Measured with the bench cases "support". */
enum { STEPS = 4 };

/* ---- all of them ---- */

/* The first of the eight lanes whose value is the largest. Lane k has seen the vertices k, k +
 * 8, k + 16, … */
static uint32_t best_lane(const double value[8], const double index[8])
{
    int best = 0;
    for (int k = 1; k < 8; ++k)
        best = value[k] > value[best] ? k : best;
    return (uint32_t)index[best];
}

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

/* ---- all of them, in floats ---- */

enum { BLOCK = ABUT_HULL_BLOCK, LINE = 64 };

static size_t float_count(uint32_t vertex_count)
{
    return 3 * (size_t)((vertex_count + BLOCK - 1) / BLOCK * BLOCK);
}

size_t abut_hull_scan_bytes(const abut_hull *hull)
{
#if HAVE_WIDE
    if (hull->vertex_count <= ABUT_HULL_FLOATS && __builtin_cpu_supports("avx2") &&
        __builtin_cpu_supports("fma"))
        return float_count(hull->vertex_count) * sizeof(float) +
               (size_t)hull->padded_count * 4 * sizeof(double) + LINE;
#endif
    (void)hull;
    return 0;
}

/* Vertex i of a block is where its bit comes out when four comparisons of eight are packed into
 * one mask: quarter i / 4 % 4, lane i / 16 * 4 + i % 4. All x of a block come first, then all y,
 * all z. Both kinds begin with a line of the cache, so that no vector is in two: with half of
 * them so a scan of 256 took a tenth longer. */
void abut_hull_set_floats(abut_hull *hull)
{
    int exponent = 0;
    (void)frexp(hull->size, &exponent);
    const size_t n = float_count(hull->vertex_count), off = (uintptr_t)hull->scan_block % LINE;
    char *at = (char *)hull->scan_block + (off ? LINE - off : 0);
    hull->floats = (float *)(void *)at;
    hull->rows = (double *)(void *)(at + n * sizeof(float));
    for (uint32_t i = 0; i < n / 3; ++i) {
        float *to = hull->floats + 3 * (i / BLOCK * BLOCK) + i / 4 % 4 * 8 + i / 16 % 2 * 4 + i % 4;
        const bool real = i < hull->vertex_count;
        to[0] = real ? (float)ldexp(hull->x[i], -exponent) : NAN;
        to[BLOCK] = real ? (float)ldexp(hull->y[i], -exponent) : NAN;
        to[2 * BLOCK] = real ? (float)ldexp(hull->z[i], -exponent) : NAN;
    }
    for (uint32_t i = 0; i < hull->padded_count; ++i) {
        double *row = hull->rows + 4 * (size_t)i;
        row[0] = hull->x[i];
        row[1] = hull->y[i];
        row[2] = hull->z[i];
        row[3] = 0;
    }
}

#if HAVE_WIDE
/* Values in floats leave those vertices that may be the top, mostly one; doubles choose among
 * them, so that the result is that of doubles alone. */
__attribute__((target("avx2,fma"))) static uint32_t scan_floats(const abut_hull *hull, double x, double y,
                                                                double z, double size)
{
    const abut_scan_along along = abut_scan_begin(x, y, z, size);
    return abut_scan_hull(hull, &along, x, y, z);
}
#endif

uint32_t abut_hull_scan_xyz(const abut_hull *hull, double x, double y, double z)
{
#if HAVE_WIDE
    const double size = fabs(x) + fabs(y) + fabs(z);
    if (hull->floats && size > 0x1p-60 && size < 0x1p60)
        return scan_floats(hull, x, y, z, size);
#endif
    return scan_plain(hull, x, y, z);
}

#if HAVE_WIDE
/* Both searches in one call, so that neither waits for the other. */
__attribute__((target("avx2,fma"))) uint64_t abut_hull_scan_blocks(const abut_hull *a, double ax, double ay,
                                                                   double az, const abut_hull *b, double bx,
                                                                   double by, double bz)
{
    const double size_a = fabs(ax) + fabs(ay) + fabs(az), size_b = fabs(bx) + fabs(by) + fabs(bz);
    if (!((size_a > 0x1p-60) & (size_a < 0x1p60) & (size_b > 0x1p-60) & (size_b < 0x1p60)))
        return scan_plain(a, ax, ay, az) | (uint64_t)scan_plain(b, bx, by, bz) << 32;
    const abut_scan_along along_a = abut_scan_begin(ax, ay, az, size_a),
                          along_b = abut_scan_begin(bx, by, bz, size_b);
    const uint32_t seen_a = abut_scan_block(a, &along_a), seen_b = abut_scan_block(b, &along_b);
    if (((seen_a & (seen_a - 1)) | (seen_b & (seen_b - 1))) == 0)
        return (uint32_t)__builtin_ctz(seen_a) | (uint64_t)(uint32_t)__builtin_ctz(seen_b) << 32;
    return abut_scan_decide(a, ax, ay, az, seen_a) | (uint64_t)abut_scan_decide(b, bx, by, bz, seen_b) << 32;
}
#else
uint64_t abut_hull_scan_blocks(const abut_hull *a, double ax, double ay, double az, const abut_hull *b,
                               double bx, double by, double bz)
{
    return scan_plain(a, ax, ay, az) | (uint64_t)scan_plain(b, bx, by, bz) << 32;
}
#endif

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
    if (abut_hull_is_scanned(hull))
        return abut_hull_scan(hull, d);
    uint32_t v = start < hull->vertex_count ? start : start % hull->vertex_count;
    if (hull->coarser)
        return climb(hull, d, &v, STEPS) ? v : abut_hull_descend(hull, d);
    return climb(hull, d, &v, STEPS) ? v : abut_hull_scan(hull, d);
}

/* ---- the certificate ---- */

/* The largest computed d . w over a set of vertices that has a top for sure, starting with v;
 * false where that is not small, or where an edge from v goes up for sure, so that it is worth
 * while to climb first. */
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
            const double slope = x + y + z, slack = 0x1p-50 * (fabs(x) + fabs(y) + fabs(z)) + 0x1p-1060;
            if (slope <= -slack)
                continue;
            if (slope > slack && i == 0)
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

/* 5 u covers the 3.01 u of the value, the rounding of this sum, and those of the length. */
static double above(const abut_hull *hull, abut_vec3 d, double top)
{
    return top + (5 * 0x1p-53 * sqrt(abut_dot(d, d)) * hull->size + 0x1p-1060);
}

double abut_hull_support_bound_xyz(const abut_hull *hull, double x, double y, double z, uint32_t start)
{
    const abut_vec3 d = { x, y, z };
    const uint32_t v = start < hull->vertex_count ? start : start % hull->vertex_count;
    double top;
    if (abut_hull_is_scanned(hull) ||
        (!top_near(hull, d, v, &top) && !top_near(hull, d, abut_hull_support_xyz(hull, x, y, z, v), &top)))
        top = abut_dot(d, abut_hull_vertex(hull, abut_hull_scan(hull, d)));
    return above(hull, d, top);
}

double abut_hull_found_bound_xyz(const abut_hull *hull, double x, double y, double z, uint32_t found)
{
    const abut_vec3 d = { x, y, z };
    if (!abut_hull_is_scanned(hull))
        return abut_hull_support_bound_xyz(hull, x, y, z, found);
    return above(hull, d, abut_dot(d, abut_hull_vertex(hull, found)));
}
