/* SPDX-License-Identifier: MIT */
/* How far faces and edges known by fields reach where walls end them (abut_chart_rise): a ball cut off by a
 * plane and hollowed by another ball, whose boundary is sampled by formulas. */
#include "abut/shape.h"
#include "narrow/surface/surface_chart.h"
#include "support/test.h"

#include <math.h>

enum { SAMPLES = 4000 };

static const double side = 0.3, hollow = 0.6; /* x <= side, |p - (0, 0, 1)| >= hollow, |p| <= 1 */

static bool is_in(abut_vec3 p)
{
    const double rest = 1e-12, z = p.z - 1, square = p.x * p.x + p.y * p.y;
    return square + p.z * p.z <= 1 + rest && p.x <= side + rest && square + z * z >= hollow * hollow - rest;
}

static abut_vec3 direction(test_random *r)
{
    for (;;) {
        const abut_vec3 v = { test_uniform(r, -1, 1), test_uniform(r, -1, 1), test_uniform(r, -1, 1) };
        const double l = sqrt(v.x * v.x + v.y * v.y + v.z * v.z);
        if (l > 0.1 && l < 1)
            return (abut_vec3){ v.x / l, v.y / l, v.z / l };
    }
}

/* A point of one of the faces, or of the edge between the ball and the plane. */
static abut_vec3 sample(test_random *r)
{
    for (;;) {
        const abut_vec3 d = direction(r);
        const double rim = sqrt(1 - side * side), angle = test_uniform(r, -4, 4);
        const unsigned kind = test_below(r, 4);
        const abut_vec3 p = kind == 0   ? d
                            : kind == 1 ? (abut_vec3){ hollow * d.x, hollow * d.y, 1 + hollow * d.z }
                            : kind == 2 ? (abut_vec3){ side, test_uniform(r, -1, 1), test_uniform(r, -1, 1) }
                                        : (abut_vec3){ side, rim * cos(angle), rim * sin(angle) };
        if (is_in(p))
            return p;
    }
}

typedef struct tally {
    uint64_t walls, judged, saved;
} tally;

static bool is_of(const abut_placed_surface *s, const abut_surface_feature *f, abut_vec3 p)
{
    abut_field_jet jet;
    for (int i = 0; i < f->field_count; ++i)
        if (!abut_feature_field(&s->surface, f, i, ia3_point(p), ia_point(0), 0, s->scratch, &jet) ||
            fabs(ia_mid(jet.f)) > 1e-9)
            return false;
    return f->field_count > 0;
}

static void judge(const abut_placed_surface *s, const abut_surface_feature *f, abut_vec3 at, double half,
                  abut_vec3 way, const abut_vec3 *samples, tally *n)
{
    const double mid[3] = { at.x, at.y, at.z };
    abut_chart over, middle;
    abut_chart_walls walls;
    ia q[3], point[3];
    int axis = -1;
    for (int i = 0; i < 3; ++i) {
        q[i] = ia_make(mid[i] - half, mid[i] + half);
        point[i] = ia_point(mid[i]);
    }
    abut_chart_enclose(s, f, q, 1, &axis, &over);
    abut_chart_enclose(s, f, point, 1, &axis, &middle);
    abut_chart_find_walls(s, f, q, mid, &walls);
    const double rise = abut_chart_rise(&over, &middle, &walls, q, mid, ia3_point(way));
    const double plain = ia_hi(abut_chart_reach(&over, &middle, q, mid, ia3_point(way), false));
    n->walls += walls.count > 0;
    n->saved += rise < 0.9 * plain;
    for (int i = 0; i < SAMPLES; ++i) {
        const abut_vec3 d = { samples[i].x - at.x, samples[i].y - at.y, samples[i].z - at.z };
        if (fabs(d.x) > half || fabs(d.y) > half || fabs(d.z) > half || !is_of(s, f, samples[i]))
            continue;
        ++n->judged;
        const double reached = d.x * way.x + d.y * way.y + d.z * way.z;
        TEST_CHECK(reached <= rise + 1e-9, "feature of dimension %d, half %a, at %a %a %a: %g beyond",
                   f->dimension, half, at.x, at.y, at.z, reached - rise);
    }
}

static void reach_no_farther(void **state)
{
    (void)state;
    const abut_aabb box = { { -2, -2, -2 }, { 2, 2, 2 } };
    static const char *const fields[3] = { "x^2+y^2+z^2-1", "x-0.3", "0.6^2-x^2-y^2-(z-1)^2" };
    abut_shape *leaf[3], *body;
    abut_vec3 samples[SAMPLES];
    abut_workspace ws;
    abut_placed_surface s;
    tally n = { 0 };
    test_random r = test_seed(1);
    for (int i = 0; i < 3; ++i)
        assert_int_equal(abut_shape_create_implicit(fields[i], box, NULL, &leaf[i], NULL), ABUT_OK);
    assert_int_equal(abut_shape_create_csg(ABUT_CSG_INTERSECTION, leaf, 3, NULL, &body, NULL), ABUT_OK);
    for (int i = 0; i < SAMPLES; ++i)
        samples[i] = sample(&r);
    abut_workspace_open(&ws, NULL);
    const abut_workspace_mark mark = abut_workspace_begin(&ws);
    assert_int_equal(abut_placed_surface_make(body, 0, &ws, &s), ABUT_OK);
    const abut_rounding saved = abut_rounding_enter();
    for (uint64_t k = 0; k < test_count(400); ++k) {
        const abut_vec3 about = samples[test_below(&r, SAMPLES)], way = direction(&r);
        const double half = ldexp(1, -1 - (int)test_below(&r, 5)), off = 0.5 * half;
        const abut_vec3 at = { about.x + test_uniform(&r, -off, off), about.y + test_uniform(&r, -off, off),
                               about.z + test_uniform(&r, -off, off) };
        for (size_t i = 0; i < s.surface.feature_count; ++i)
            if (!s.surface.features[i].parametric)
                judge(&s, &s.surface.features[i], at, half, way, samples, &n);
    }
    abut_rounding_leave(saved);
    abut_workspace_end(&ws, mark);
    abut_workspace_close(&ws);
    abut_shape_release(body);
    for (int i = 0; i < 3; ++i)
        abut_shape_release(leaf[i]);
    print_message("%" PRIu64 " with walls, %" PRIu64 " bounds better by them, %" PRIu64 " points\n", n.walls,
                  n.saved, n.judged);
    assert_true(n.walls > 0 && n.saved > 0 && n.judged > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(reach_no_farther) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
