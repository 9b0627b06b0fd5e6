/* SPDX-License-Identifier: MIT */
/* Surfaces that nearly touch: pairs with a gap from 1e-1 to 1e-15 of their size, in any
 * orientation. On each side of contact the number of components is known, and all that is complete
 * must have it. */
#include "oracle/loops_dense.h"
#include "support/test.h"

typedef struct near_pair {
    abut_solid_surface a, b;
} near_pair;

static abut_solid_surface plane(double d)
{
    return (abut_solid_surface){ .kind = ABUT_SOLID_PLANE, .point = { d, 0, 0 }, .axis = { 1, 0, 0 } };
}

static abut_solid_surface sphere(double x, double z, double radius)
{
    return (abut_solid_surface){ .kind = ABUT_SOLID_SPHERE, .point = { x, 0, z }, .radius = radius };
}

/* along: 0 x, 2 z */
static abut_solid_surface cylinder(double x, double y, double z, int along, double radius)
{
    return (abut_solid_surface){ .kind = ABUT_SOLID_CYLINDER,
                                 .point = { x, y, z },
                                 .axis = { along == 0, along == 1, along == 2 },
                                 .radius = radius };
}

static abut_solid_surface cone(double z, double tangent)
{
    return (abut_solid_surface){
        .kind = ABUT_SOLID_CONE, .point = { 0, 0, z }, .axis = { 0, 0, 1 }, .tangent = tangent
    };
}

static abut_solid_surface torus(double x, double z)
{
    return (abut_solid_surface){
        .kind = ABUT_SOLID_TORUS, .point = { x, 0, z }, .axis = { 0, 0, 1 }, .radius = 3, .minor = 1
    };
}

/* x^2 / 4 + y^2 + w z^2 = 1, moved along x */
static abut_solid_surface ellipsoid(double x, double w)
{
    abut_solid_surface s = { .kind = ABUT_SOLID_QUADRIC };
    s.matrix[0][0] = 0.25;
    s.matrix[1][1] = 1;
    s.matrix[2][2] = w;
    s.matrix[0][3] = s.matrix[3][0] = -0.25 * x;
    s.matrix[3][3] = 0.25 * x * x - 1;
    return s;
}

enum { FAMILIES = 22 };

/* The pair number i at the gap e, and the numbers of components for e < 0 and e > 0. */
static near_pair family(int i, double e, int counts[2])
{
    static const int known[FAMILIES][2] = { { 1, 0 }, { 0, 1 }, { 2, 1 }, { 0, 2 }, { 2, 2 }, { 2, 1 },
                                            { 1, 0 }, { 1, 0 }, { 2, 1 }, { 1, 0 }, { 1, 0 }, { 0, 2 },
                                            { 0, 2 }, { 0, 2 }, { 4, 2 }, { 0, 2 }, { 2, 0 }, { 1, 0 },
                                            { 1, 0 }, { 1, 0 }, { 1, 0 }, { 1, 1 } };
    counts[0] = known[i][0];
    counts[1] = known[i][1];
    switch (i) {
    case 0: return (near_pair){ sphere(0, 0, 1), sphere(3 + e, 0, 2) };
    case 1: return (near_pair){ sphere(0, 0, 1), sphere(1 + e, 0, 2) };
    case 2: return (near_pair){ sphere(0, 0, 2), cylinder(1 + e, 0, 0, 2, 1) };
    case 3: return (near_pair){ sphere(0, 0, 1 + e), cylinder(0, 0, 3, 2, 1) };
    case 4: return (near_pair){ cylinder(0, 0, 0, 2, 1), cylinder(0, 0, 0, 0, 1 + e) };
    case 5: return (near_pair){ cylinder(0, 0.5 + e, 0, 2, 0.5), cylinder(0, 0, 0, 0, 1) };
    case 6: return (near_pair){ cylinder(0, 1.5 + e, 0, 2, 0.5), cylinder(0, 0, 0, 0, 1) };
    case 7: return (near_pair){ plane(1 + e), sphere(0, 0, 1) };
    case 8: return (near_pair){ plane(2 + e), torus(0, 0) };
    case 9: return (near_pair){ plane(4 + e), torus(0, 0) };
    case 10: return (near_pair){ sphere(5 + e, 0, 1), torus(0, 0) };
    case 11: return (near_pair){ sphere(0, 0, 2 + e), torus(0, 0) };
    case 12: return (near_pair){ sphere(3, 0, 1 + e), torus(0, 0) };
    case 13: return (near_pair){ cylinder(0, 0, 3, 2, 2 + e), torus(0, 0) };
    case 14: return (near_pair){ cylinder(0, 0, 0.5 + e, 0, 0.5), torus(0, 0) };
    case 15: return (near_pair){ cone(0, 0.75), sphere(0, 5, 3 + e) };
    case 16: return (near_pair){ torus(0, 0), torus(0, 2 + e) };
    case 17: return (near_pair){ torus(0, 0), torus(8 + e, 0) };
    case 18: return (near_pair){ sphere(0, 0, 1), ellipsoid(3 + e, 0.5) };
    case 19: return (near_pair){ ellipsoid(0, 2), ellipsoid(4 + e, 0.5) };
    case 20: return (near_pair){ ellipsoid(0, 0.5), torus(6 + e, 0) };
    default: return (near_pair){ cone(0, 1), plane(e) };
    }
}

/* Rotates the data themselves: rounding moves the surfaces by some 1e-15. */
static abut_solid_surface rotated(const abut_solid_surface *s, const abut_mat3 *r, abut_vec3 shift)
{
    abut_solid_surface out = *s;
    double *const vectors[2] = { &out.point.x, &out.axis.x };
    const double *const from[2] = { &s->point.x, &s->axis.x };
    for (int k = 0; k < 2; ++k)
        for (int i = 0; i < 3; ++i)
            vectors[k][i] = r->m[i][0] * from[k][0] + r->m[i][1] * from[k][1] + r->m[i][2] * from[k][2] +
                            (k == 0 ? (&shift.x)[i] : 0);
    if (s->kind != ABUT_SOLID_QUADRIC)
        return out;
    long double t[4][4] = { { 0 } }, half[4][4] = { { 0 } };
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j)
            t[i][j] = r->m[j][i];
        for (int j = 0; j < 3; ++j)
            t[i][3] -= (long double)r->m[j][i] * (&shift.x)[j];
    }
    t[3][3] = 1;
    for (int i = 0; i < 4; ++i)
        for (int j = 0; j < 4; ++j)
            for (int k = 0; k < 4; ++k)
                half[i][j] += s->matrix[i][k] * t[k][j];
    for (int i = 0; i < 4; ++i)
        for (int j = i; j < 4; ++j) {
            long double sum = 0;
            for (int k = 0; k < 4; ++k)
                sum += t[k][i] * half[k][j];
            out.matrix[i][j] = out.matrix[j][i] = (double)sum;
        }
    return out;
}

static void test_gaps(void **state)
{
    (void)state;
    const uint64_t count = test_count(40);
    uint64_t complete[16] = { 0 }, all[16] = { 0 };
    for (int f = 0; f < FAMILIES; ++f)
        for (int k = 1; k <= 15; ++k) {
            uint64_t known = 0, asked = 0;
            for (uint64_t seed = 0; seed < count; ++seed) {
                test_random r = test_seed(seed * 1024 + (uint64_t)(f * 16 + k));
                const double e = (seed & 1 ? 1 : -1) * test_uniform(&r, 0.3, 1) * pow(10, -k);
                int counts[2];
                const near_pair p = family(f, e, counts);
                const abut_quat q = { test_uniform(&r, -1, 1), test_uniform(&r, -1, 1),
                                      test_uniform(&r, -1, 1), test_uniform(&r, -1, 1) };
                const abut_mat3 turn = abut_quat_to_mat3(q);
                const abut_vec3 shift = { test_uniform(&r, -3, 3), test_uniform(&r, -3, 3),
                                          test_uniform(&r, -3, 3) };
                const abut_solid_surface a = rotated(&p.a, &turn, shift), b = rotated(&p.b, &turn, shift);
                const bool swap = seed & 2;
                abut_loops out;
                assert_int_equal(abut_surface_loops(swap ? &b : &a, NULL, swap ? &a : &b, NULL, &out),
                                 ABUT_OK);
                ++asked;
                known += out.status == ABUT_LOOPS_COMPLETE;
                const dense_surface da = { .s = a, .pose = abut_pose_identity() };
                const dense_surface db = { .s = b, .pose = abut_pose_identity() };
                for (size_t i = 0; i < out.count; ++i) {
                    const abut_loop *l = &out.loops[i];
                    const double allowed = 2 * l->radius + 1e-13;
                    TEST_CHECK(dense_distance(&da, l->point) <= allowed &&
                                   dense_distance(&db, l->point) <= allowed,
                               "family %d, e %a, seed %" PRIu64 ": off by %g and %g", f, e, seed,
                               dense_distance(&da, l->point), dense_distance(&db, l->point));
                }
                if (out.status != ABUT_LOOPS_COMPLETE)
                    continue;
                TEST_CHECK(out.distinct, "family %d", f);
                /* Below the rounding of the data either side may be the true one, or contact. */
                const int want = counts[e > 0];
                const bool right = (int)out.count == want ||
                                   (k >= 14 && ((int)out.count == counts[e < 0] || out.count == 1));
                TEST_CHECK(right, "family %d, e %a, seed %" PRIu64 ": %zu components, expected %d", f, e,
                           seed, out.count, want);
            }
            complete[k] += known;
            all[k] += asked;
            /* What is far from contact is not left undecided. */
            TEST_CHECK(k > 2 || known == asked, "family %d: %" PRIu64 " of %" PRIu64 " complete at 1e-%d", f,
                       known, asked, k);
        }
    for (int k = 1; k <= 15; ++k)
        print_message("gap 1e-%d: %" PRIu64 " of %" PRIu64 " complete\n", k, complete[k], all[k]);
    TEST_CHECK(10 * complete[9] >= 7 * all[9], "%" PRIu64 " of %" PRIu64, complete[9], all[9]);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(test_gaps) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
