/* SPDX-License-Identifier: MIT */
/* Hulls of any points: three numbers each, a number being one byte on a small grid, or a special
 * one, or any bits. By exact signs no point may be outside a face, and the surface must be
 * closed; the certified support bound must not be below any point. */
#include "../src/shape/hull/hull.h" /* internal: the harness links the static library */
#include "abut/predicates.h"
#include "abut/shape.h"
#include "base/memory.h"
#include "fuzz.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum { MOST = 60 };

static double next_number(const uint8_t **at, const uint8_t *end)
{
    static const double special[] = { 0x1p-52, -0x1p-52, 1 + 0x1p-52, 1e-8,   1e150,    -1e150,   1e-150,
                                      1e-300,  -1e300,   DBL_MIN,     5e-324, 0x1p1000, -0x1p900, 1.0 / 3 };
    if (*at >= end)
        return 0;
    const uint8_t tag = *(*at)++;
    if (tag < 224)
        return (double)((int)tag % 32 - 16) / 16 + (tag >= 192 ? 0x1p-52 * (tag % 4) : 0);
    if (tag < 248)
        return special[(tag - 224) % 14];
    uint64_t bits = 0;
    for (int i = 0; i < 8 && *at < end; ++i)
        bits = bits << 8 | *(*at)++;
    double value;
    memcpy(&value, &bits, sizeof value);
    return isfinite(value) && fabs(value) < 0x1p1020 ? value : 1;
}

static abut_vec3 corner(const abut_hull *h, uint32_t i)
{
    return abut_hull_vertex(h, h->face_corners[i]);
}

static void check_faces(const abut_hull *h, const abut_vec3 *points, size_t count)
{
    for (uint32_t f = 0; f < h->face_count; ++f) {
        const uint32_t begin = h->face_begin[f], end = h->face_begin[f + 1];
        FUZZ_REQUIRE(end - begin >= 3);
        const abut_vec3 a = corner(h, begin), b = corner(h, begin + 1), c = corner(h, begin + 2);
        FUZZ_REQUIRE(!abut_collinear(a, b, c));
        for (uint32_t i = begin + 3; i < end; ++i)
            FUZZ_REQUIRE(abut_coplanar(a, b, c, corner(h, i)));
        for (size_t i = 0; i < count; ++i)
            FUZZ_REQUIRE(abut_orient3d(a, b, c, points[i]) >= 0);
    }
}

static void check_support(const abut_hull *h, const abut_vec3 *points, size_t count)
{
    for (int k = 0; k < 14; ++k) {
        const abut_vec3 d = { k < 6 ? (k == 0) - (k == 1) : (k & 1 ? 1 : -1),
                              k < 6 ? (k == 2) - (k == 3) : (k & 2 ? 0.5 : -1),
                              k < 6 ? (k == 4) - (k == 5) : (k & 4 ? 1 : -0.25) };
        const long double bound = abut_hull_support_bound(h, d, (uint32_t)k);
        for (size_t i = 0; i < count; ++i)
            FUZZ_REQUIRE((long double)d.x * points[i].x + (long double)d.y * points[i].y +
                             (long double)d.z * points[i].z <=
                         bound);
        FUZZ_REQUIRE(abut_hull_climb(h, d, 0) < h->vertex_count && abut_hull_scan(h, d) < h->vertex_count);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    abut_vec3 points[MOST];
    size_t count = 0;
    for (const uint8_t *at = data, *end = data + size; (at < end || count == 0) && count < MOST; ++count) {
        points[count].x = next_number(&at, end);
        points[count].y = next_number(&at, end);
        points[count].z = next_number(&at, end);
    }
    const abut_allocator alloc = abut_base_allocator(NULL);
    abut_status status;
    abut_hull *h = abut_hull_create(points, count, &alloc, &status, NULL);
    FUZZ_REQUIRE(h && status == ABUT_OK && h->dimension >= 0 && h->dimension <= 3);
    FUZZ_REQUIRE(h->vertex_count >= (uint32_t)h->dimension + 1 && h->vertex_count <= count);
    for (uint32_t i = 0; i < h->vertex_count; ++i) {
        const abut_vec3 p = points[h->point_of[i]];
        FUZZ_REQUIRE(h->x[i] == p.x && h->y[i] == p.y && h->z[i] == p.z);
    }
    if (h->dimension == 3) {
        FUZZ_REQUIRE(h->vertex_count + h->face_count == h->edge_count + 2);
        check_faces(h, points, count);
    }
    check_support(h, points, count);
    abut_hull_destroy(h, &alloc);
    return 0;
}
