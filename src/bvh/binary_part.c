/* SPDX-License-Identifier: MIT */
/* Parting triangles in two, top down: at the mean of the corners or the median of the centres along
 * the longest axis that parts them (S. Gottschalk, M. C. Lin, D. Manocha, OBBTree, 1996), or where
 * the sum of areas times numbers is least (J. D. MacDonald, K. S. Booth, Heuristics for ray tracing
 * using space subdivision, 1990), over bins (I. Wald, On fast construction of SAH-based bounding
 * volume hierarchies, 2007).
 *
 * Triangles that no axis parts are parted by number, so that leaves have one triangle. Where
 * many triangles crowd ever closer to a point, a tree by means or areas gets as deep as there
 * are triangles; a part that the remaining levels could not hold is avoided by parting in the
 * middle. */
#include "bvh/binary.h"

#include "math/vec3.h"

static abut_vec3 axis_of(const abut_mat3 *axes, int k)
{
    return abut_v3(axes->m[0][k], axes->m[1][k], axes->m[2][k]);
}

static void swap_triangles(abut_binary_build *build, size_t i, size_t j)
{
    for (size_t k = 0; k < 3; ++k) {
        const abut_vec3 corner = build->corners[3 * i + k];
        build->corners[3 * i + k] = build->corners[3 * j + k];
        build->corners[3 * j + k] = corner;
    }
    const uint32_t id = build->ids[i];
    build->ids[i] = build->ids[j];
    build->ids[j] = id;
    const double key = build->keys[i];
    build->keys[i] = build->keys[j];
    build->keys[j] = key;
}

/* Keys: three times the coordinates of the centres. Returns their sum, which is that of all
 * corners, and their range. */
static double set_keys(abut_binary_build *build, size_t lo, size_t hi, abut_vec3 axis, double *least,
                       double *most)
{
    double sum = 0;
    *least = INFINITY;
    *most = -INFINITY;
    for (size_t i = lo; i < hi; ++i) {
        const abut_vec3 *p = build->corners + 3 * i;
        const double key = abut_dot(axis, abut_add(p[0], abut_add(p[1], p[2])));
        build->keys[i] = key;
        sum += key;
        *least = key < *least ? key : *least;
        *most = key > *most ? key : *most;
    }
    return sum;
}

/* Those with keys up to `limit` first. */
static size_t part_at(abut_binary_build *build, size_t lo, size_t hi, double limit)
{
    while (lo < hi) {
        if (build->keys[lo] <= limit)
            ++lo;
        else
            swap_triangles(build, lo, --hi);
    }
    return lo;
}

/* The smaller keys before the middle (C. A. R. Hoare's selection); after too many rounds
 * whatever there is. */
static size_t part_in_middle(abut_binary_build *build, size_t lo, size_t hi)
{
    const size_t middle = lo + (hi - lo) / 2;
    for (int round = 0; round < 100 && lo + 1 < hi; ++round) {
        const double *k = build->keys, a = k[lo], b = k[lo + (hi - lo) / 2], c = k[hi - 1];
        const double pivot = a < b ? (b < c ? b : a < c ? c : a) : (a < c ? a : b < c ? c : b);
        size_t i = lo, j = hi - 1;
        for (;;) {
            while (build->keys[i] < pivot)
                ++i;
            while (build->keys[j] > pivot)
                --j;
            if (i >= j)
                break;
            swap_triangles(build, i++, j--);
        }
        /* Keys up to j are <= pivot, from i on >= it. */
        if (middle <= j)
            hi = j + 1;
        else if (middle >= i)
            lo = i;
        else
            break;
        if (hi - lo == 2 && build->keys[lo] > build->keys[lo + 1])
            swap_triangles(build, lo, lo + 1);
        if (hi - lo <= 2)
            break;
    }
    return middle;
}

static size_t part_by_mean(abut_binary_build *build, size_t lo, size_t hi, const abut_mat3 *axes)
{
    for (int k = 0; k < 3; ++k) {
        double least, most;
        const double mean = set_keys(build, lo, hi, axis_of(axes, k), &least, &most) / (double)(hi - lo);
        const size_t part = part_at(build, lo, hi, mean);
        if (part > lo && part < hi)
            return part;
    }
    return lo;
}

static size_t part_by_median(abut_binary_build *build, size_t lo, size_t hi, const abut_mat3 *axes)
{
    for (int k = 0; k < 3; ++k) {
        double least, most;
        (void)set_keys(build, lo, hi, axis_of(axes, k), &least, &most);
        if (least < most)
            return part_in_middle(build, lo, hi);
    }
    return lo;
}

/* ---- by area ---- */

enum { BINS = 16 };

typedef struct bin {
    double lo[3], hi[3];
    size_t count;
} bin;

static void bin_clear(bin *b)
{
    *b = (bin){ { INFINITY, INFINITY, INFINITY }, { -INFINITY, -INFINITY, -INFINITY }, 0 };
}

static void bin_add(bin *b, const bin *other)
{
    for (int k = 0; k < 3; ++k) {
        b->lo[k] = other->lo[k] < b->lo[k] ? other->lo[k] : b->lo[k];
        b->hi[k] = other->hi[k] > b->hi[k] ? other->hi[k] : b->hi[k];
    }
    b->count += other->count;
}

/* Half the area of the box, with sides made longer by `pad`, times the number of triangles.
 * Without it all on a line would cost nothing. */
static double bin_cost(const bin *b, double pad)
{
    const double x = b->hi[0] - b->lo[0] + pad, y = b->hi[1] - b->lo[1] + pad, z = b->hi[2] - b->lo[2] + pad;
    return (x * y + y * z + z * x) * (double)b->count;
}

/* Along the axes. */
static void triangle_bin(const abut_mat3 *axes, const abut_vec3 p[3], bin *out, double key[3])
{
    double x[3][3];
    for (int c = 0; c < 3; ++c) {
        const abut_vec3 turned = abut_mul_t(axes, p[c]);
        x[c][0] = turned.x, x[c][1] = turned.y, x[c][2] = turned.z;
    }
    out->count = 1;
    for (int k = 0; k < 3; ++k) {
        key[k] = x[0][k] + x[1][k] + x[2][k];
        const double small = x[0][k] < x[1][k] ? x[0][k] : x[1][k],
                     large = x[0][k] < x[1][k] ? x[1][k] : x[0][k];
        out->lo[k] = x[2][k] < small ? x[2][k] : small;
        out->hi[k] = x[2][k] > large ? x[2][k] : large;
    }
}

static int bin_number(double key, double least, double scale)
{
    const double x = (key - least) * scale;
    return x > 0 ? (x < BINS - 1 ? (int)x : BINS - 1) : 0;
}

/* The bin after which the cost is least along one axis; -1 for none better than `*best`. */
static int best_cut(const bin bins[BINS], double pad, double *best)
{
    double behind[BINS];
    bin sum;
    bin_clear(&sum);
    for (int i = BINS - 1; i > 0; --i) {
        bin_add(&sum, &bins[i]);
        behind[i] = sum.count > 0 ? bin_cost(&sum, pad) : INFINITY;
    }
    int found = -1;
    bin_clear(&sum);
    for (int i = 0; i < BINS - 1; ++i) {
        bin_add(&sum, &bins[i]);
        const double cost = sum.count > 0 ? bin_cost(&sum, pad) + behind[i + 1] : INFINITY;
        if (cost < *best)
            *best = cost, found = i;
    }
    return found;
}

static size_t part_by_area(abut_binary_build *build, size_t lo, size_t hi, const abut_mat3 *axes)
{
    bin bins[3][BINS], one;
    double key[3], least[3] = { INFINITY, INFINITY, INFINITY }, most[3] = { -INFINITY, -INFINITY, -INFINITY };
    for (size_t i = lo; i < hi; ++i) {
        triangle_bin(axes, build->corners + 3 * i, &one, key);
        for (int k = 0; k < 3; ++k) {
            least[k] = key[k] < least[k] ? key[k] : least[k];
            most[k] = key[k] > most[k] ? key[k] : most[k];
        }
    }
    double scale[3], pad = 0;
    for (int k = 0; k < 3; ++k) {
        pad = fmax(pad, 1e-3 * (most[k] - least[k]));
        scale[k] = most[k] > least[k] ? BINS / (most[k] - least[k]) : 0;
        if (!isfinite(scale[k]))
            scale[k] = 0;
        for (int i = 0; i < BINS; ++i)
            bin_clear(&bins[k][i]);
    }
    for (size_t i = lo; i < hi; ++i) {
        triangle_bin(axes, build->corners + 3 * i, &one, key);
        for (int k = 0; k < 3; ++k)
            bin_add(&bins[k][bin_number(key[k], least[k], scale[k])], &one);
    }
    double best = INFINITY;
    int axis = -1, cut = -1;
    for (int k = 0; k < 3; ++k) {
        const int found = scale[k] > 0 ? best_cut(bins[k], pad, &best) : -1;
        if (found >= 0)
            axis = k, cut = found;
    }
    if (axis < 0)
        return lo;
    for (size_t i = lo; i < hi; ++i) {
        triangle_bin(axes, build->corners + 3 * i, &one, key);
        build->keys[i] = bin_number(key[axis], least[axis], scale[axis]);
    }
    return part_at(build, lo, hi, cut);
}

/* ---- which ---- */

size_t abut_binary_part(abut_binary_build *build, abut_builder builder, size_t lo, size_t hi,
                        const abut_mat3 *axes, unsigned levels_left)
{
    size_t part = lo;
    switch (builder) {
    case ABUT_BUILDER_MEAN: part = part_by_mean(build, lo, hi, axes); break;
    case ABUT_BUILDER_MEDIAN: part = part_by_median(build, lo, hi, axes); break;
    default: part = part_by_area(build, lo, hi, axes); break;
    }
    const size_t larger = part - lo > hi - part ? part - lo : hi - part;
    const bool fits = levels_left >= 31 || larger <= (size_t)1 << levels_left;
    if (part > lo && part < hi && fits)
        return part;
    part = part_by_median(build, lo, hi, axes);
    return part > lo ? part : lo + (hi - lo) / 2;
}
