/* SPDX-License-Identifier: MIT */
/* k-DOPs: slabs along the directions from a cube's middle to its faces (6), corners (8) and edges
 * (12).
 *
 * Under a rotation a's directions are none of b's. A direction d of a, seen from b, is w1 d1 +
 * w2 d2 + w3 d3 with three directions of b and weights >= 0, so that d . x is at most w1 B1 + w2
 * B2 + w3 B3 for every x with d_i . x <= B_i: a bound of b's extent along d from three of b's
 * numbers, with weights found once a walk. Which three: the coordinates of d, without their
 * signs and in order, lie in one of the cones that the symmetries of the cube repeat, and there
 * the weights are differences of coordinates (sector_*). Normals are not of unit length, so that
 * fits only add and subtract. */
#include "bv/volume.h"
#include "math/vec3.h"

/* Faces, corners, edges, faces: each k-DOP's are a run of these. */
static const int8_t directions[][3] = {
    { 1, 0, 0 }, { 0, 1, 0 },  { 0, 0, 1 },                                            /* 6 */
    { 1, 1, 1 }, { 1, 1, -1 }, { 1, -1, 1 }, { 1, -1, -1 },                            /* 14 */
    { 1, 1, 0 }, { 1, -1, 0 }, { 1, 0, 1 },  { 1, 0, -1 },  { 0, 1, 1 }, { 0, 1, -1 }, /* 26 */
    { 1, 0, 0 }, { 0, 1, 0 },  { 0, 0, 1 }, /* with the edges before: 18 */
};

/* Lengths by the number of entries that are not zero, rounded up. */
static const double lengths[4] = { 0, 1, 0x1.6a09e667f3bcdp+0, 0x1.bb67ae8584cabp+0 };

static inline double length_of(const int8_t d[3])
{
    return lengths[(d[0] != 0) + (d[1] != 0) + (d[2] != 0)];
}

static inline double along(const int8_t d[3], abut_vec3 p)
{
    return d[0] * p.x + d[1] * p.y + d[2] * p.z;
}

static size_t run_of(unsigned k, const int8_t (**out)[3])
{
    *out = k == 18 ? directions + 7 : directions;
    return k / 2;
}

size_t abut_bv_kdop_directions(abut_volume volume, const int8_t (**out)[3])
{
    const abut_bv_kind *kind = abut_bv_kind_of(volume);
    return run_of(kind->floats, out);
}

static inline void fit(unsigned k, const abut_vec3 *points, const double *radii, size_t count, float *out)
{
    const int8_t(*d)[3];
    const size_t half = run_of(k, &d);
    for (size_t i = 0; i < half; ++i) {
        double lo = INFINITY, hi = -INFINITY;
        const double l = length_of(d[i]);
        for (size_t n = 0; n < count; ++n) {
            const double x = along(d[i], points[n]), r = radii ? l * radii[n] : 0;
            lo = x - r < lo ? x - r : lo;
            hi = x + r > hi ? x + r : hi;
        }
        out[i] = abut_bv_up(hi + ABUT_BV_SLACK);
        out[half + i] = abut_bv_up(ABUT_BV_SLACK - lo);
    }
}

static inline void merge(unsigned k, const float *a, const float *b, float *out)
{
    for (unsigned i = 0; i < k; ++i)
        out[i] = a[i] > b[i] ? a[i] : b[i];
}

/* The faces are the first directions of all but the 18-DOP, where they are the last. */
static inline unsigned first_face(unsigned k)
{
    return k == 18 ? 6 : 0;
}

static inline double size(unsigned k, const float *v)
{
    const float *hi = v + first_face(k), *lo = hi + k / 2;
    return (double)(hi[0] + lo[0]) + (double)(hi[1] + lo[1]) + (double)(hi[2] + lo[2]);
}

/* A cone of the sector x >= y >= z >= 0 that (x, y, z) lies in, and its weights. */
typedef struct cone {
    int8_t d[3][3];
    double weight[3];
} cone;

static cone sector_cone(unsigned k, double x, double y, double z)
{
    switch (k) {
    case 6: return (cone){ { { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 } }, { x, y, z } };
    case 14:
        return (cone){ { { 1, 0, 0 }, { 1, 1, 1 }, { 1, 1, -1 } }, { x - y, 0.5 * (y + z), 0.5 * (y - z) } };
    case 18:
        if (x >= y + z)
            return (cone){ { { 1, 0, 0 }, { 1, 1, 0 }, { 1, 0, 1 } }, { x - y - z, y, z } };
        return (cone){ { { 1, 1, 0 }, { 1, 0, 1 }, { 0, 1, 1 } },
                       { 0.5 * (x + y - z), 0.5 * (x + z - y), fmax(0.5 * (y + z - x), 0) } };
    default: return (cone){ { { 1, 0, 0 }, { 1, 1, 0 }, { 1, 1, 1 } }, { x - y, y - z, z } };
    }
}

/* Number of a directed direction: half + i for the opposite of direction i. */
static unsigned number_of(unsigned k, const int8_t d[3])
{
    const int8_t(*all)[3];
    const unsigned half = (unsigned)run_of(k, &all);
    for (unsigned i = 0; i < half; ++i) {
        if (all[i][0] == d[0] && all[i][1] == d[1] && all[i][2] == d[2])
            return i;
        if (all[i][0] == -d[0] && all[i][1] == -d[1] && all[i][2] == -d[2])
            return half + i;
    }
    return 0; /* not reached: cones are made of the k-DOP's own directions */
}

static void set_sum(unsigned k, const double d[3], abut_bv_sum *out)
{
    int order[3] = { 0, 1, 2 };
    for (int i = 0; i < 2; ++i)
        for (int j = 0; j < 2 - i; ++j)
            if (fabs(d[order[j]]) < fabs(d[order[j + 1]])) {
                const int kept = order[j];
                order[j] = order[j + 1];
                order[j + 1] = kept;
            }
    const cone c = sector_cone(k, fabs(d[order[0]]), fabs(d[order[1]]), fabs(d[order[2]]));
    for (int n = 0; n < 3; ++n) {
        int8_t turned[3];
        for (int i = 0; i < 3; ++i)
            turned[order[i]] = (int8_t)(d[order[i]] < 0 ? -c.d[n][i] : c.d[n][i]);
        const unsigned which = number_of(k, turned);
        out->which[n] = (uint8_t)which;
        out->against[n] = (uint8_t)(which < k / 2 ? which + k / 2 : which - k / 2);
        out->weight[n] = c.weight[n];
    }
}

static inline void start(unsigned k, abut_bv_pair *pair)
{
    const int8_t(*all)[3];
    const size_t half = run_of(k, &all);
    for (size_t i = 0; i < half; ++i) {
        const abut_vec3 d = abut_mul_t(&pair->r, abut_v3(all[i][0], all[i][1], all[i][2]));
        set_sum(k, (const double[3]){ d.x, d.y, d.z }, &pair->sums[i]);
        for (int n = 0; n < 3; ++n)
            pair->sums[i].weight[n] *= pair->scale_b;
        pair->sums[i].offset = along(all[i], pair->t);
    }
}

static inline void place(unsigned k, const abut_bv_pair *pair, const float *b, abut_bv_placed *out)
{
    const unsigned half = k / 2;
    for (unsigned i = 0; i < half; ++i) {
        const abut_bv_sum *s = &pair->sums[i];
        out->bounds[i] = s->weight[0] * b[s->which[0]] + s->weight[1] * b[s->which[1]] +
                         s->weight[2] * b[s->which[2]] + s->offset;
        out->bounds[half + i] = s->weight[0] * b[s->against[0]] + s->weight[1] * b[s->against[1]] +
                                s->weight[2] * b[s->against[2]] - s->offset;
    }
}

/* Along direction i. */
static inline double gap(unsigned half, unsigned i, double scale, const float *a, const abut_bv_placed *b)
{
    const double above = -(scale * a[i] + b->bounds[half + i]);
    const double below = -(scale * a[half + i] + b->bounds[i]);
    return above > below ? above : below;
}

static inline bool apart(unsigned k, const abut_bv_pair *pair, const float *a, const abut_bv_placed *b,
                         double reach)
{
    const int8_t(*all)[3];
    const unsigned half = (unsigned)run_of(k, &all);
    const double limit = pair->margin + reach;
    for (unsigned i = 0; i < half; ++i)
        if (gap(half, i, pair->scale_a, a, b) > limit * length_of(all[i]))
            return true;
    return false;
}

static inline double lower(unsigned k, const abut_bv_pair *pair, const float *a, const abut_bv_placed *b)
{
    const int8_t(*all)[3];
    const unsigned half = (unsigned)run_of(k, &all), face = first_face(k);
    double best = 0, square = 0;
    for (unsigned i = 0; i < half; ++i) {
        const double g = gap(half, i, pair->scale_a, a, b) / length_of(all[i]) - pair->margin;
        best = g > best ? g : best;
        if (i - face < 3 && g > 0)
            square += g * g;
    }
    const double faces = sqrt(square) * (1 - 0x1p-50);
    return faces > best ? faces : best;
}

/* The functions for one k, which is then a constant in them. */
#define KDOP(K)                                                                                            \
    static void fit_##K(const abut_vec3 *points, const double *radii, size_t count, const abut_mat3 *axes, \
                        float *out)                                                                        \
    {                                                                                                      \
        (void)axes;                                                                                        \
        fit(K, points, radii, count, out);                                                                 \
    }                                                                                                      \
    static void merge_##K(const float *a, const float *b, float *out)                                      \
    {                                                                                                      \
        merge(K, a, b, out);                                                                               \
    }                                                                                                      \
    static double size_##K(const float *v)                                                                 \
    {                                                                                                      \
        return size(K, v);                                                                                 \
    }                                                                                                      \
    static void start_##K(abut_bv_pair *pair)                                                              \
    {                                                                                                      \
        start(K, pair);                                                                                    \
    }                                                                                                      \
    static void place_##K(const abut_bv_pair *pair, const float *b, abut_bv_placed *out)                   \
    {                                                                                                      \
        place(K, pair, b, out);                                                                            \
    }                                                                                                      \
    static bool apart_##K(const abut_bv_pair *pair, const float *a, const abut_bv_placed *b, double reach) \
    {                                                                                                      \
        return apart(K, pair, a, b, reach);                                                                \
    }                                                                                                      \
    static double lower_##K(const abut_bv_pair *pair, const float *a, const abut_bv_placed *b)             \
    {                                                                                                      \
        return lower(K, pair, a, b);                                                                       \
    }                                                                                                      \
    const abut_bv_kind abut_bv_kdop##K = { .volume = ABUT_VOLUME_KDOP##K,                                  \
                                           .floats = K,                                                    \
                                           .fit = fit_##K,                                                 \
                                           .merge = merge_##K,                                             \
                                           .size = size_##K,                                               \
                                           .start = start_##K,                                             \
                                           .place = place_##K,                                             \
                                           .apart = apart_##K,                                             \
                                           .lower = lower_##K };

KDOP(6)
KDOP(14)
KDOP(18)
KDOP(26)
