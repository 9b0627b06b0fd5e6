/* SPDX-License-Identifier: MIT */
/* Bodies that overlap at the start: the point that is reported is in both. Judged by the formula of
 * each body at its own coordinates. */
#include "abut/query.h"
#include "support/formulas.h"

typedef struct body {
    int kind;
    double h[3];
    double at[3];
    double r[3][3]; /* linear part of its place */
    abut_shape *shape;
    abut_motion *motion;
} body;

/* Turning, or for `affine` stretching. */
static void make_body(test_random *random, bool affine, body *b)
{
    double q[4], size = test_below(random, 2) ? 1 : 0.05;
    b->kind = affine ? (test_below(random, 2) ? ELLIPSOID : SPHERE) : (int)test_below(random, ELLIPSOID + 1);
    for (int i = 0; i < 3; ++i) {
        b->h[i] = size * test_uniform(random, 0.2, 2);
        b->at[i] = test_uniform(random, -1, 1);
    }
    formula_rotation(random, q, b->r);
    b->shape = formula_shape(b->kind, b->h);
    if (affine) {
        abut_affine m[2];
        for (int i = 0; i < 3; ++i)
            for (int j = 0; j < 3; ++j)
                b->r[i][j] *= 1 + 0.5 * j;
        memcpy(m[0].linear.m, b->r, sizeof b->r);
        m[0].translation = (abut_vec3){ b->at[0], b->at[1], b->at[2] };
        m[1] = m[0];
        m[1].translation.x += 9;
        m[1].linear.m[0][0] += 0.001;
        assert_int_equal(abut_motion_create_affine(0, 1, m, 2, NULL, &b->motion, NULL), ABUT_OK);
        return;
    }
    const abut_placement from = { .position = { b->at[0], b->at[1], b->at[2] },
                                  .rotation = { .kind = ABUT_ROTATION_QUATERNION,
                                                .quaternion = { q[0], q[1], q[2], q[3] } } };
    const abut_vec3 v = { test_uniform(random, -1, 1), 0, 1 }, spin = { 0, test_uniform(random, -1, 1), 1 };
    assert_int_equal(abut_motion_create_velocity(0, 1, &from, v, spin, NULL, &b->motion, NULL), ABUT_OK);
}

/* By how much p is outside; for ellipsoids in parts of their size. */
static double excess(const body *b, abut_vec3 point)
{
    const double d[3] = { point.x - b->at[0], point.y - b->at[1], point.z - b->at[2] };
    double p[3] = { 0 };
    for (int j = 0; j < 3; ++j) { /* columns are orthogonal */
        double square = 0;
        for (int i = 0; i < 3; ++i) {
            p[j] += b->r[i][j] * d[i];
            square += b->r[i][j] * b->r[i][j];
        }
        p[j] /= square;
    }
    return formula_excess(b->kind, b->h, p);
}

static int judge(uint64_t seed, const body *a, const body *b)
{
    abut_first_result r;
    assert_int_equal(abut_first_contact(a->shape, a->motion, b->shape, b->motion, NULL, NULL, &r), ABUT_OK);
    if (r.verdict != ABUT_FIRST_OVERLAPPING)
        return 0;
    TEST_CHECK(r.point_count > 0, "seed %llu: no point of kinds %d, %d", (unsigned long long)seed, a->kind,
               b->kind);
    for (size_t i = 0; i < r.point_count; ++i) {
        const abut_vec3 p = r.points[i].point, n = r.points[i].normal;
        TEST_CHECK(excess(a, p) < 1e-9 && excess(b, p) < 1e-9,
                   "seed %llu: (%a, %a, %a) is %g, %g beside kinds %d, %d", (unsigned long long)seed, p.x,
                   p.y, p.z, excess(a, p), excess(b, p), a->kind, b->kind);
        TEST_CHECK(fabs(n.x * n.x + n.y * n.y + n.z * n.z - 1) < 1e-12, "seed %llu: normal",
                   (unsigned long long)seed);
    }
    return 1;
}

static void points_are_in_both(void **state)
{
    (void)state;
    const uint64_t count = test_count(4000);
    uint64_t judged = 0;
    for (uint64_t seed = 1; seed <= count; ++seed) {
        test_random random = test_seed(seed);
        const bool affine = test_below(&random, 5) == 0;
        body a = { 0 }, b = { 0 };
        make_body(&random, affine, &a);
        make_body(&random, affine, &b);
        if (test_below(&random, 8) == 0 && !affine) { /* about the same centre */
            abut_motion_release(a.motion);
            a.motion = b.motion;
            abut_motion_retain(b.motion);
            memcpy(a.at, b.at, sizeof a.at);
            memcpy(a.r, b.r, sizeof a.r);
        }
        judged += (uint64_t)judge(seed, &a, &b);
        abut_shape_release(a.shape);
        abut_shape_release(b.shape);
        abut_motion_release(a.motion);
        abut_motion_release(b.motion);
    }
    assert_true(judged > count / 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(points_are_in_both) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
