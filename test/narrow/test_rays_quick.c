/* SPDX-License-Identifier: MIT */
/* The quick way for rays against the one by exact signs: it must say the same wherever it
 * answers, and answer nearly always. The exact way itself is judged by MPFR in test_rays.c and
 * test_rays_convex.c. */
#include "support/test.h"

#include "math/vec3.h"
#include "narrow/ray/line.h"
#include "narrow/ray/quick_ray.h"

#include <inttypes.h>

enum { SPHERE, BOX, CAPSULE, CYLINDER, CONE, ELLIPSOID, HALFSPACE, KINDS };
enum { UPRIGHT, QUARTERS, TURNED, PLACES };

static abut_vec3 random_in(test_random *r, double size)
{
    return abut_v3(test_uniform(r, -size, size), test_uniform(r, -size, size), test_uniform(r, -size, size));
}

static abut_shape *make(test_random *r, int kind, bool tidy)
{
    double s[3];
    for (int i = 0; i < 3; ++i)
        s[i] = tidy ? (double)(1 + test_below(r, 4)) / 2
                    : test_uniform(r, 0.2, 2) * (test_below(r, 8) == 0 ? 100 : 1);
    abut_shape *shape = NULL;
    const abut_vec3 v = { s[0], s[1], s[2] };
    switch (kind) {
    case SPHERE: abut_shape_create_sphere(s[0], NULL, &shape); break;
    case BOX: abut_shape_create_box(v, NULL, &shape); break;
    case CAPSULE: abut_shape_create_capsule(s[0], s[1], NULL, &shape); break;
    case CYLINDER: abut_shape_create_cylinder(s[0], s[1], NULL, &shape); break;
    case CONE: abut_shape_create_cone(s[0], s[1], NULL, &shape); break;
    case ELLIPSOID: abut_shape_create_ellipsoid(v, NULL, &shape); break;
    default: {
        const abut_vec3 n = tidy ? abut_v3(1, 2, 2) : random_in(r, 1);
        abut_shape_create_halfspace(n, s[0], NULL, &shape);
        break;
    }
    }
    assert_non_null(shape);
    return shape;
}

static abut_quat turn(test_random *r, int place)
{
    if (place == UPRIGHT)
        return (abut_quat){ 1, 0, 0, 0 };
    if (place == TURNED)
        return (abut_quat){ test_uniform(r, -1, 1), test_uniform(r, -1, 1), test_uniform(r, -1, 1),
                            test_uniform(r, -1, 1) };
    const double s = test_uniform(r, 0.3, 2), sign = test_bits(r) & 1 ? 1 : -1;
    switch (test_below(r, 4)) {
    case 0: return (abut_quat){ s, sign * s, 0, 0 };
    case 1: return (abut_quat){ 0, s, 0, sign * s };
    case 2: return (abut_quat){ s, s, sign * s, -s };
    default: return (abut_quat){ 0, 0, s, 0 };
    }
}

static size_t by_signs(const abut_shape *shape, const abut_pose *pose, abut_vec3 o, abut_vec3 d, bool all,
                       abut_ray_hit hits[2])
{
    abut_place place;
    abut_line line;
    abut_line_hit hit;
    assert_int_equal(abut_place_from_pose(pose, shape->type != ABUT_SHAPE_SPHERE, &place), ABUT_OK);
    abut_line_make(shape, &place, o, NULL, d, &line);
    assert_true(abut_line_through(shape, &line, &hit));
    size_t count = 0;
    for (int i = 0; i < hit.count; ++i)
        if ((all || hit.end[i].t >= 0) && !isinf(hit.end[i].t)) {
            hits[count].t = hit.end[i].t;
            hits[count++].normal = abut_place_turn(&place, hit.end[i].outward);
        }
    return count;
}

static void agree(void **state)
{
    (void)state;
    uint64_t answered[KINDS][PLACES] = { { 0 } }, asked[KINDS][PLACES] = { { 0 } };
    double worst = 0, worst_turned = 0;
    /* Seeds at the end: round ellipsoids, turned, that are grazed or left at the start, within
     * rounding. */
    static const uint64_t more[] = { 650725, 1374118, 1848736, 1931375, 3354748 };
    const uint64_t count = test_count(400000), extra = sizeof more / sizeof *more;
    for (uint64_t i = 0; i < count + extra; ++i) {
        const uint64_t seed = i < count ? i : more[i - count];
        test_random r = test_seed(seed);
        const int kind = (int)test_below(&r, KINDS), at = (int)test_below(&r, PLACES);
        const bool tidy = test_below(&r, 4) == 0;
        abut_shape *shape = make(&r, kind, tidy);
        const abut_pose pose = { tidy ? abut_v3(1, 2, 0) : random_in(&r, 3), turn(&r, at) };
        const double far = test_below(&r, 4) == 0 ? 300 : test_below(&r, 3) == 0 ? 0.3 : 5;
        const abut_vec3 o = tidy ? abut_v3((double)test_below(&r, 7) - 3, (double)test_below(&r, 7) - 3,
                                           (double)test_below(&r, 7) - 3)
                                 : abut_add(pose.position, random_in(&r, far));
        const abut_vec3 to = abut_add(pose.position, random_in(&r, 1.5));
        abut_vec3 d = tidy ? abut_v3((double)test_below(&r, 3) - 1, (double)test_below(&r, 3) - 1, 1)
                           : abut_scale(test_uniform(&r, 0.1, 10), abut_sub(to, o));
        const bool all = test_bits(&r) & 1;
        abut_ray_hit quick[2], exact[2];
        size_t found = 0;
        const abut_ray_query query = { o, d, all, quick, 2 };
        asked[kind][at] += !tidy;
        if (abut_narrow_quick_ray(shape, &pose, &query, &found)) {
            answered[kind][at] += !tidy;
            const size_t expected = by_signs(shape, &pose, o, d, all, exact);
            TEST_CHECK(found == expected, "seed %" PRIu64 " kind %d place %d: %zu hits, not %zu", seed, kind,
                       at, found, expected);
            for (size_t k = 0; k < found && k < expected; ++k) {
                const double t = exact[k].t, off = fabs(quick[k].t - t);
                const abut_vec3 gap = abut_sub(quick[k].normal, exact[k].normal);
                if (at != TURNED || kind == SPHERE) {
                    const double ulps = off / (nextafter(fabs(t), INFINITY) - fabs(t));
                    worst = fmax(worst, ulps);
                    TEST_CHECK(ulps <= 1, "seed %" PRIu64 " kind %d place %d: t %a, not %a", seed, kind, at,
                               quick[k].t, t);
                } else {
                    /* the exact way's placement is rounded, too: by the distance over the slope */
                    const double slope = fabs(abut_dot(exact[k].normal, d));
                    const double own =
                        kind == HALFSPACE ? shape->u.halfspace.offset / abut_length(shape->u.halfspace.normal)
                                          : abut_length(shape->bounds.hi);
                    const double size =
                        abut_length(abut_sub(o, pose.position)) + fabs(t) * abut_length(d) + own;
                    const double units = off * slope / (0x1p-53 * size);
                    worst_turned = fmax(worst_turned, units);
                    TEST_CHECK(units <= 8, "seed %" PRIu64 " kind %d: t %a, not %a, %g", seed, kind,
                               quick[k].t, t, units);
                }
                TEST_CHECK(abut_length(gap) < 1e-10, "seed %" PRIu64 " kind %d place %d: normal off by %g",
                           seed, kind, at, abut_length(gap));
            }
        }
        abut_shape_release(shape);
    }
    print_message("%" PRIu64 " rays, worst %g ulp, turned %g u of the sizes\n", count, worst, worst_turned);
    for (int k = 0; k < KINDS; ++k)
        for (int p = 0; p < PLACES; ++p)
            TEST_CHECK((double)answered[k][p] >= 0.97 * (double)asked[k][p],
                       "kind %d place %d: only %" PRIu64 " of %" PRIu64 " answered", k, p, answered[k][p],
                       asked[k][p]);
}

/* What it must leave: touches, starts on the boundary, lines in faces, numbers it has no bounds
 * for. */
static void leaves(void **state)
{
    (void)state;
    abut_shape *ball, *box, *cylinder;
    assert_int_equal(abut_shape_create_sphere(5, NULL, &ball), ABUT_OK);
    assert_int_equal(abut_shape_create_box(abut_v3(1, 1, 1), NULL, &box), ABUT_OK);
    assert_int_equal(abut_shape_create_cylinder(1, 2, NULL, &cylinder), ABUT_OK);
    const struct {
        const abut_shape *shape;
        abut_vec3 o, d;
    } cases[] = {
        { ball, { 7, 1, 0 }, { -4, 3, 0 } },     { ball, { 3, 4, 0 }, { 1, 0, 0 } },
        { ball, { 1e200, 0, 0 }, { -1, 0, 0 } }, { ball, { 10, 0, 0 }, { -1e-200, 0, 0 } },
        { ball, { 10, 0, 0 }, { NAN, 0, 0 } },   { box, { -3, 1, 0 }, { 1, 0, 0 } },
        { box, { -3, -3, 0 }, { 1, 1, 0 } },     { box, { -1, 0, 0 }, { 1, 0, 0 } },
        { box, { -3, -1, 0 }, { 1, 1, 0 } },     { cylinder, { 1, 0, -3 }, { 0, 0, 1 } },
        { cylinder, { -3, 0, 1 }, { 1, 0, 0 } }, { cylinder, { -3, 0, -1 }, { 1, 0, 1 } },
        { cylinder, { -3, 1, 0 }, { 1, 0, 0 } }, { cylinder, { -2, 0, 0 }, { 1, 0, 1 } },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        abut_ray_hit hits[2];
        size_t count = 7;
        const abut_ray_query query = { cases[i].o, cases[i].d, true, hits, 2 };
        TEST_CHECK(!abut_narrow_quick_ray(cases[i].shape, NULL, &query, &count) && count == 7, "case %zu", i);
    }
    abut_shape_release(ball);
    abut_shape_release(box);
    abut_shape_release(cylinder);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(agree), cmocka_unit_test(leaves) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
