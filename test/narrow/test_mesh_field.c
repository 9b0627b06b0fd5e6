/* SPDX-License-Identifier: MIT */
/* Meshes against height fields: every triangle on its own, as a convex shape (which has its own
 * referee), and a tetrahedron over a field whose height is known everywhere. */
#include "support/test.h"

#include <abut/abut.h>

enum { SIDE = 9, MOST = 40 };

static abut_shape *make_field(test_random *r, double rough, double heights[SIDE * SIDE])
{
    abut_shape *field;
    for (int i = 0; i < SIDE * SIDE; ++i)
        heights[i] = rough * test_uniform(r, -1, 1);
    assert_int_equal(abut_shape_create_heightfield(SIDE, SIDE, 0.5, 0.5, heights, NULL, &field, NULL),
                     ABUT_OK);
    return field;
}

/* A tetrahedron, or a soup. */
static size_t make_mesh(test_random *r, bool solid, abut_vec3 v[MOST], uint32_t t[3 * MOST],
                        abut_shape **mesh)
{
    static const uint32_t faces[12] = { 0, 2, 1, 0, 1, 3, 1, 2, 3, 2, 0, 3 };
    static const abut_vec3 corners[4] = { { 0, 0, 0 }, { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 } };
    size_t vertices = 4, triangles = 4;
    if (solid) {
        memcpy(v, corners, sizeof corners);
        memcpy(t, faces, sizeof faces);
    } else {
        vertices = 3 + test_below(r, 20);
        triangles = 1 + test_below(r, 20);
        for (size_t i = 0; i < vertices; ++i)
            v[i] = (abut_vec3){ test_uniform(r, -1, 1), test_uniform(r, -1, 1), test_uniform(r, -1, 1) };
        for (size_t i = 0; i < 3 * triangles; ++i)
            t[i] = test_below(r, (unsigned)vertices);
    }
    assert_int_equal(abut_shape_create_mesh(v, vertices, t, triangles, solid, NULL, mesh, NULL), ABUT_OK);
    return triangles;
}

static abut_quat any_turn(test_random *r)
{
    return (abut_quat){ test_uniform(r, -1, 1), test_uniform(r, -1, 1), test_uniform(r, -1, 1),
                        test_uniform(r, -1, 1) };
}

static void test_random_pairs(void **state)
{
    (void)state;
    const unsigned count = (unsigned)test_count(3000);
    unsigned verdicts[4] = { 0 };
    for (unsigned seed = 0; seed < count; ++seed) {
        test_random r = test_seed(seed);
        double heights[SIDE * SIDE];
        abut_vec3 v[MOST];
        uint32_t t[3 * MOST];
        abut_shape *mesh, *field = make_field(&r, test_uniform(&r, 0, 1), heights);
        const bool solid = test_below(&r, 2);
        const size_t triangles = make_mesh(&r, solid, v, t, &mesh);
        const abut_pose pm = { { test_uniform(&r, -3, 3), test_uniform(&r, -3, 3), test_uniform(&r, -2, 4) },
                               any_turn(&r) };
        const abut_pose pf = { { test_uniform(&r, -1, 1), 0, 0 },
                               test_below(&r, 2) ? any_turn(&r) : (abut_quat){ 1, 0, 0, 0 } };
        double lo = INFINITY, hi = INFINITY;
        bool meets = false, doubt = false;
        for (size_t i = 0; i < triangles; ++i) {
            const abut_vec3 c[3] = { v[t[3 * i]], v[t[3 * i + 1]], v[t[3 * i + 2]] };
            abut_shape *one;
            abut_check_result o;
            assert_int_equal(abut_shape_create_triangle(c, 0, NULL, &one, NULL), ABUT_OK);
            assert_int_equal(abut_check(field, &pf, one, &pm, NULL, NULL, &o), ABUT_OK);
            meets |= o.verdict == ABUT_TOUCHING;
            doubt |= o.verdict == ABUT_UNDECIDED;
            lo = fmin(lo, o.distance.lo);
            hi = fmin(hi, o.distance.hi);
            abut_shape_release(one);
        }
        abut_check_result c;
        abut_distance_result d;
        abut_overlap_result o;
        assert_int_equal(abut_check(mesh, &pm, field, &pf, NULL, NULL, &c), ABUT_OK);
        assert_int_equal(abut_distance(field, &pf, mesh, &pm, NULL, NULL, &d), ABUT_OK);
        assert_int_equal(abut_overlap(mesh, &pm, field, &pf, NULL, NULL, &o), ABUT_OK);
        ++verdicts[c.verdict];
        const abut_verdict expected = !meets ? ABUT_SEPARATE : solid ? ABUT_PENETRATING : ABUT_TOUCHING;
        if (!doubt)
            TEST_CHECK(c.verdict == expected && d.verdict == expected && o.verdict == expected,
                       "seed %u: %s, %s, %s; it is %s", seed, abut_verdict_name(c.verdict),
                       abut_verdict_name(d.verdict), abut_verdict_name(o.verdict),
                       abut_verdict_name(expected));
        if (c.verdict == ABUT_SEPARATE) {
            TEST_CHECK(c.distance.lo <= hi && c.distance.hi >= lo && d.distance.lo <= hi &&
                           d.distance.hi >= lo,
                       "seed %u: [%a, %a], [%a, %a]; it is [%a, %a]", seed, c.distance.lo, c.distance.hi,
                       d.distance.lo, d.distance.hi, lo, hi);
            TEST_CHECK(c.has_points && c.distance.hi - c.distance.lo < 1e-12, "seed %u", seed);
            abut_overlap_opts oo;
            abut_overlap_opts_init(&oo);
            oo.clearance = 0.99 * c.distance.lo;
            assert_int_equal(abut_overlap(mesh, &pm, field, &pf, &oo, NULL, &o), ABUT_OK);
            TEST_CHECK(o.verdict == ABUT_SEPARATE, "seed %u: %s", seed, abut_verdict_name(o.verdict));
            oo.clearance = 1.01 * c.distance.hi;
            assert_int_equal(abut_overlap(mesh, &pm, field, &pf, &oo, NULL, &o), ABUT_OK);
            TEST_CHECK(o.verdict == ABUT_PENETRATING, "seed %u: %s", seed, abut_verdict_name(o.verdict));
            abut_distance_opts od;
            abut_distance_opts_init(&od);
            od.cutoff = 0.5 * c.distance.lo;
            assert_int_equal(abut_distance(mesh, &pm, field, &pf, &od, NULL, &d), ABUT_OK);
            TEST_CHECK(d.verdict == ABUT_SEPARATE && d.distance.lo > od.cutoff && d.distance.lo <= hi,
                       "seed %u: cutoff %a, reported [%a, %a]", seed, od.cutoff, d.distance.lo,
                       d.distance.hi);
            abut_distance_opts_init(&od);
            abut_check_opts oc;
            abut_check_opts_init(&oc);
            od.relative = oc.relative = 0.5;
            assert_int_equal(abut_distance(mesh, &pm, field, &pf, &od, NULL, &d), ABUT_OK);
            abut_check_result about;
            assert_int_equal(abut_check(field, &pf, mesh, &pm, &oc, NULL, &about), ABUT_OK);
            const abut_interval reported[2] = { d.distance, about.distance };
            for (int k = 0; k < 2; ++k)
                TEST_CHECK(about.verdict == ABUT_SEPARATE && reported[k].lo <= hi && reported[k].hi >= lo &&
                               reported[k].hi <= 1.5 * (1 + 1e-9) * reported[k].lo + 1e-9,
                           "seed %u: relative, reported [%a, %a]", seed, reported[k].lo, reported[k].hi);
        }
        abut_shape_release(mesh);
        abut_shape_release(field);
    }
    print_message("%u separate, %u touching, %u penetrating, %u undecided\n", verdicts[ABUT_SEPARATE],
                  verdicts[ABUT_TOUCHING], verdicts[ABUT_PENETRATING], verdicts[ABUT_UNDECIDED]);
}

/* Level ground at height 0: the tetrahedron stands on it, above it, in it, deep below it. */
static void test_level(void **state)
{
    (void)state;
    double heights[SIDE * SIDE] = { 0 };
    abut_shape *field, *mesh;
    abut_vec3 v[MOST];
    uint32_t t[3 * MOST];
    test_random r = test_seed(1);
    assert_int_equal(abut_shape_create_heightfield(SIDE, SIDE, 0.5, 0.5, heights, NULL, &field, NULL),
                     ABUT_OK);
    (void)make_mesh(&r, true, v, t, &mesh);
    static const struct {
        double z;
        abut_verdict verdict;
    } cases[] = { { 0, ABUT_TOUCHING },       { 0x1p-40, ABUT_SEPARATE }, { -0x1p-20, ABUT_PENETRATING },
                  { -0.5, ABUT_PENETRATING }, { -50, ABUT_PENETRATING },  { 7, ABUT_SEPARATE } };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        const abut_pose pose = { { 0.125, -0.25, cases[i].z }, { 1, 0, 0, 0 } };
        abut_check_result c;
        assert_int_equal(abut_check(mesh, &pose, field, NULL, NULL, NULL, &c), ABUT_OK);
        TEST_CHECK(c.verdict == cases[i].verdict, "z = %g: %s", cases[i].z, abut_verdict_name(c.verdict));
        if (c.verdict == ABUT_SEPARATE)
            TEST_CHECK(c.distance.lo <= cases[i].z && c.distance.hi >= cases[i].z, "[%a, %a]", c.distance.lo,
                       c.distance.hi);
        if (c.verdict != ABUT_SEPARATE && cases[i].z > -1) {
            TEST_CHECK(c.contact_count > 0, "z = %g", cases[i].z);
            TEST_CHECK(c.normal.z < -0.99, "z = %g: normal %g", cases[i].z, c.normal.z);
        }
    }
    abut_shape_release(mesh);
    abut_shape_release(field);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(test_random_pairs), cmocka_unit_test(test_level) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
