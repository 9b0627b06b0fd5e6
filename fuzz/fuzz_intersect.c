/* SPDX-License-Identifier: MIT */
/* Curves and surfaces: bytes make a curve, two surfaces that it may be the intersection of, and a third one. Answers
 * must be in order and without NaN, and say of themselves what is true of them; whether they are true is for the
 * tests to judge. Numbers as in fuzz_query.c: small multiples of 1/16, those that break code, any bits. */
#include "abut/abut.h"
#include "fuzz.h"
#include "source.h"

#include <float.h>
#include <math.h>

static double next_number(source *s)
{
    static const double special[] = { 0.0,    -0.0,    1,      -1,      0.5,      1e-8,      -1e8, 1e-300,
                                      -1e300, DBL_MIN, 5e-324, DBL_MAX, INFINITY, -INFINITY, NAN,  1e40 };
    const uint8_t tag = next_byte(s);
    if (tag < 200)
        return (double)(int8_t)next_byte(s) / 16;
    if (tag < 240)
        return special[(tag - 200) % 16];
    return next_bits(s);
}

static abut_solid_surface next_surface(source *s)
{
    abut_solid_surface out = { .kind =
                                   (abut_solid_surface_kind)(next_byte(s) % (ABUT_SOLID_SURFACE_COUNT + 1)) };
    if (out.kind == ABUT_SOLID_QUADRIC) {
        for (int i = 0; i < 4; ++i)
            for (int j = 0; j <= i; ++j)
                out.matrix[i][j] = out.matrix[j][i] = next_number(s);
        return out;
    }
    out.point = next_vector(s);
    out.axis = next_vector(s);
    out.radius = next_number(s);
    out.minor = next_number(s);
    out.tangent = next_number(s);
    return out;
}

static void require_interval(abut_interval x)
{
    FUZZ_REQUIRE(x.lo <= x.hi);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    enum { MOST = 64 };
    source s = { data, data + size, false };
    abut_vec3 v[2], points[7];
    abut_solid_surface surfaces[3];
    abut_curve curve = { .vertices = v, .surfaces = surfaces };
    abut_solid_edge *e = &curve.edge;
    e->kind = (abut_solid_edge_kind)(next_byte(&s) % (ABUT_SOLID_EDGE_COUNT + 1));
    e->to = next_byte(&s) & 1;
    e->surfaces[1] = 1;
    v[0] = next_vector(&s);
    v[1] = next_vector(&s);
    e->center = next_vector(&s);
    e->axis = next_vector(&s);
    e->control = e->center;
    e->weight = next_number(&s);
    for (int i = 0; i < 7; ++i)
        points[i] = e->kind == ABUT_SOLID_EDGE_SPLINE ? next_vector(&s) : v[0];
    e->points = points;
    e->point_count = next_byte(&s) % 8;
    for (int i = 0; i < 3; ++i)
        surfaces[i] = next_surface(&s);
    abut_curve_hit hits[MOST];
    abut_curve_hits found;
    const abut_status status = abut_intersect_curve(&curve, &surfaces[2], hits, MOST, &found);
    FUZZ_REQUIRE(status == ABUT_OK || status == ABUT_ERR_VALUE);
    if (status) {
        FUZZ_REQUIRE(found.count == 0 && !found.decided && !found.contained);
        return 0;
    }
    FUZZ_REQUIRE(found.count <= MOST && found.degree >= 0 && found.degree <= 64);
    bool decided = true;
    for (size_t i = 0; i < found.count; ++i) {
        const abut_curve_hit *h = &hits[i];
        require_interval(h->point.x);
        require_interval(h->point.y);
        require_interval(h->point.z);
        decided = decided && h->kind != ABUT_HIT_UNDECIDED && h->place != ABUT_HIT_NEAR_END;
        FUZZ_REQUIRE(h->multiplicity >= 1 && h->multiplicity <= 64);
        FUZZ_REQUIRE(h->kind != ABUT_HIT_TRANSVERSAL || h->multiplicity == 1);
        FUZZ_REQUIRE(h->kind != ABUT_HIT_TANGENT || h->multiplicity >= 2);
        FUZZ_REQUIRE((h->place == ABUT_HIT_ON_CURVE) == (e->kind == ABUT_SOLID_EDGE_INTERSECTION));
        if (e->kind == ABUT_SOLID_EDGE_INTERSECTION)
            continue;
        require_interval(h->parameter);
        FUZZ_REQUIRE(i == 0 || hits[i - 1].piece < h->piece || hits[i - 1].parameter.lo <= h->parameter.lo);
    }
    FUZZ_REQUIRE(!found.decided || decided);
    /* The same again, where there is no room. */
    abut_curve_hits again;
    FUZZ_REQUIRE(abut_intersect_curve(&curve, &surfaces[2], NULL, 0, &again) == ABUT_OK);
    FUZZ_REQUIRE(again.count == found.count && again.decided == found.decided);
    return 0;
}
