/* SPDX-License-Identifier: MIT */
/* Sheets that run through other bodies, or end in them: the point that is reported is on the sheet
 * and in the other, the normal is the sheet's. The sheet is a graph over a square, z = (x^2 p +
 * y^2 q) / 2 + x y s, as a Bezier patch; the other bodies have formulas. */
#include "abut/query.h"
#include "support/formulas.h"

enum { SHEET = FORMULAS, KINDS };

typedef struct body {
    int kind;
    double h[3]; /* sizes; p, q, s of a sheet */
    abut_pose pose;
    double r[3][3];
    abut_shape *shape;
} body;

/* The control points of a graph over [-1, 1]^2: x, y at -1, 0, 1, heights by the blossom of z. */
static abut_shape *make_sheet(const double h[3])
{
    abut_vec3 points[9];
    static const double ends[3][2] = { { -1, -1 }, { -1, 1 }, { 1, 1 } };
    for (int j = 0; j < 3; ++j)
        for (int i = 0; i < 3; ++i) {
            const double xx = ends[i][0] * ends[i][1], yy = ends[j][0] * ends[j][1];
            const double x = 0.5 * (ends[i][0] + ends[i][1]), y = 0.5 * (ends[j][0] + ends[j][1]);
            points[3 * j + i] = (abut_vec3){ x, y, 0.5 * (xx * h[0] + yy * h[1]) + x * y * h[2] };
        }
    const abut_bezier_patch patch = { .degree_u = 2, .degree_v = 2, .points = points };
    abut_shape *shape;
    assert_int_equal(abut_shape_create_bezier(&patch, 1, NULL, &shape, NULL), ABUT_OK);
    return shape;
}

static void make_body(test_random *random, int kind, body *b)
{
    double q[4];
    b->kind = kind;
    for (int i = 0; i < 3; ++i)
        b->h[i] = kind == SHEET ? test_uniform(random, -0.5, 0.5) : test_uniform(random, 0.2, 1.2);
    formula_rotation(random, q, b->r);
    b->pose = (abut_pose){ { test_uniform(random, -1, 1), test_uniform(random, -1, 1),
                             test_uniform(random, -1, 1) },
                           { q[0], q[1], q[2], q[3] } };
    b->shape = kind == SHEET ? make_sheet(b->h) : formula_shape(kind, b->h);
}

static void to_local(const body *b, abut_vec3 v, bool is_point, double p[3])
{
    const abut_vec3 o = is_point ? b->pose.position : (abut_vec3){ 0, 0, 0 };
    const double d[3] = { v.x - o.x, v.y - o.y, v.z - o.z };
    for (int j = 0; j < 3; ++j)
        p[j] = b->r[0][j] * d[0] + b->r[1][j] * d[1] + b->r[2][j] * d[2];
}

/* By how much a point is off the sheet, outside the solid. */
static double excess(const body *b, abut_vec3 point)
{
    double p[3];
    to_local(b, point, true, p);
    const double *h = b->h;
    if (b->kind != SHEET)
        return formula_excess(b->kind, h, p);
    return fmax(fabs(p[2] - 0.5 * (h[0] * p[0] * p[0] + h[1] * p[1] * p[1]) - h[2] * p[0] * p[1]),
                fmax(fabs(p[0]), fabs(p[1])) - 1);
}

/* 1 - |cos| of the angle between a direction and the normal of the sheet at the point. */
static double off_normal(const body *sheet, abut_vec3 point, abut_vec3 n)
{
    double p[3], d[3];
    to_local(sheet, point, true, p);
    to_local(sheet, n, false, d);
    const double *h = sheet->h, a = -(h[0] * p[0] + h[2] * p[1]), b = -(h[1] * p[1] + h[2] * p[0]);
    return 1 - fabs(a * d[0] + b * d[1] + d[2]) / sqrt(a * a + b * b + 1);
}

static void sheets_meet_in_points_of_both(void **state)
{
    (void)state;
    const uint64_t count = test_count(400);
    uint64_t touching = 0;
    for (uint64_t seed = 1; seed <= count; ++seed) {
        test_random random = test_seed(seed);
        const unsigned long long s = seed;
        body a, b;
        make_body(&random, SHEET, &a);
        make_body(&random, (int)(seed % KINDS), &b);
        if (test_below(&random, 2)) {
            const body swap = a;
            a = b;
            b = swap;
        }
        abut_check_result r;
        assert_int_equal(abut_check(a.shape, &a.pose, b.shape, &b.pose, NULL, NULL, &r), ABUT_OK);
        if (r.verdict == ABUT_TOUCHING) {
            ++touching;
            const abut_vec3 p = r.point_a, q = r.point_b;
            TEST_CHECK(r.has_points && r.has_normal && r.contact_count == 1, "seed %llu: kinds %d, %d", s,
                       a.kind, b.kind);
            TEST_CHECK(p.x == q.x && p.y == q.y && p.z == q.z, "seed %llu: two points", s);
            TEST_CHECK(excess(&a, p) < 1e-9 && excess(&b, p) < 1e-9, "seed %llu: %g, %g off kinds %d, %d", s,
                       excess(&a, p), excess(&b, p), a.kind, b.kind);
            const bool first = r.contacts[0].features[0] == ABUT_FEATURE_FACE;
            if (first || r.contacts[0].features[1] == ABUT_FEATURE_FACE)
                TEST_CHECK(off_normal(first ? &a : &b, p, r.normal) < 1e-9, "seed %llu: the normal", s);
        }
        abut_shape_release(a.shape);
        abut_shape_release(b.shape);
    }
    assert_true(touching > count / 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(sheets_meet_in_points_of_both) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
