/* SPDX-License-Identifier: MIT */
/* Bodies whose nearest points are curves and regions: coaxial, concentric and parallel ones,
 * under any placement that both have, so that the distance is known by construction; the work
 * that a budget allows; bodies that their box cuts, against the formula itself. */
#include "abut/query.h"
#include "math/vec3.h"
#include "narrow/surface/surface_gap.h"
#include "support/test.h"

typedef struct pair {
    abut_shape *a, *b;
    const char *name;
} pair;

static abut_shape *implicit(const char *f, double reach)
{
    abut_shape *shape = NULL;
    abut_error error = { 0 };
    const abut_aabb bounds = { { -reach, -reach, -reach }, { reach, reach, reach } };
    TEST_CHECK(abut_shape_create_implicit(f, bounds, NULL, &shape, &error) == ABUT_OK, "%s", error.text);
    return shape;
}

static abut_shape *combine(abut_csg_op op, abut_shape **of, size_t count)
{
    abut_shape *shape = NULL;
    abut_error error = { 0 };
    TEST_CHECK(abut_shape_create_csg(op, of, count, NULL, &shape, &error) == ABUT_OK, "%s", error.text);
    for (size_t i = 0; i < count; ++i)
        abut_shape_release(of[i]);
    return shape;
}

/* x^2 + y^2 - r^2, and with z if `ball`. */
static abut_shape *round_field(double radius, bool ball)
{
    char f[128];
    snprintf(f, sizeof f, "x^2+y^2%s-%.17g^2", ball ? "+z^2" : "", radius);
    return implicit(f, 8);
}

static abut_shape *slab(double half)
{
    char f[64], g[64];
    snprintf(f, sizeof f, "z-%.17g", half);
    snprintf(g, sizeof g, "-z-%.17g", half);
    abut_shape *of[2] = { implicit(f, 8), implicit(g, 8) };
    return combine(ABUT_CSG_INTERSECTION, of, 2);
}

static abut_shape *plate_with_hole(double radius, double half)
{
    abut_shape *disc[2] = { round_field(6, false), slab(half) };
    abut_shape *of[2] = { combine(ABUT_CSG_INTERSECTION, disc, 2), round_field(radius, false) };
    return combine(ABUT_CSG_DIFFERENCE, of, 2);
}

enum { KINDS = 7 };

/* Radius r inside or outside something that is `gap` away all around. */
static pair make(int kind, double r, double gap, double half)
{
    pair p = { NULL, NULL, NULL };
    switch (kind) {
    case 0:
        p.name = "bolt in a hole";
        p.a = plate_with_hole(r + gap, 0.6 * half);
        assert_int_equal(abut_shape_create_cylinder(r, 2 * half, NULL, &p.b), ABUT_OK);
        break;
    case 1: {
        abut_shape *of[2] = { round_field(6, true), round_field(r + gap, true) };
        p.name = "ball in a hollow";
        p.a = combine(ABUT_CSG_DIFFERENCE, of, 2);
        assert_int_equal(abut_shape_create_sphere(r, NULL, &p.b), ABUT_OK);
        break;
    }
    case 2:
        p.name = "capsule in a hole";
        p.a = plate_with_hole(r + gap, 0.7 * half);
        assert_int_equal(abut_shape_create_capsule(r, 2 * half, NULL, &p.b), ABUT_OK);
        break;
    case 3:
        p.name = "ring around an ellipsoid";
        assert_int_equal(abut_shape_create_torus(r + gap + 0.25, 0.25, NULL, &p.a), ABUT_OK);
        assert_int_equal(abut_shape_create_ellipsoid((abut_vec3){ r, r, half }, NULL, &p.b), ABUT_OK);
        break;
    case 4:
        p.name = "ring around a field";
        assert_int_equal(abut_shape_create_torus(r + gap + 0.25, 0.25, NULL, &p.a), ABUT_OK);
        p.b = round_field(r, true);
        break;
    case 5: {
        abut_shape *of[2] = { round_field(r, false), slab(half) };
        p.name = "combination in a hole";
        p.a = plate_with_hole(r + gap, 0.7 * half);
        p.b = combine(ABUT_CSG_INTERSECTION, of, 2);
        break;
    }
    default:
        p.name = "linked tori";
        assert_int_equal(abut_shape_create_torus(r + gap, 0.5 * r, NULL, &p.a), ABUT_OK);
        assert_int_equal(abut_shape_create_torus(r + gap, 0.5 * r, NULL, &p.b), ABUT_OK);
    }
    return p;
}

static abut_pose random_pose(test_random *random)
{
    abut_pose p = { .position = { test_uniform(random, -2, 2), test_uniform(random, -2, 2),
                                  test_uniform(random, -2, 2) } };
    p.rotation = (abut_quat){ test_uniform(random, -1, 1), test_uniform(random, -1, 1),
                              test_uniform(random, -1, 1), 1.5 };
    return p;
}

/* Apart by construction, to what the sums round: 1e-14. */
static void families(void **state)
{
    (void)state;
    test_random random = test_seed(71);
    int wide = 0;
    const int count = (int)test_count(70);
    for (int i = 0; i < count; ++i) {
        const int kind = i % KINDS;
        const double r = test_uniform(&random, 0.5, 3), half = test_uniform(&random, 0.5, 2);
        const double gap = pow(10, test_uniform(&random, kind == 6 ? -1 : -4, -0.5));
        pair p = make(kind, r, gap, half);
        abut_pose a = { .rotation = { 1, 0, 0, 0 } }, b = a;
        if (i & 1)
            a = b = random_pose(&random);
        if (kind == 6) { /* each spine through the centre of the other */
            a = b = (abut_pose){ .rotation = { 1, 0, 0, 0 } };
            b.position.x = r + gap;
            b.rotation = (abut_quat){ 1, 1, 0, 0 };
        }
        abut_check_result result;
        assert_int_equal(abut_check(p.a, &a, p.b, &b, NULL, NULL, &result), ABUT_OK);
        TEST_CHECK(result.verdict == ABUT_SEPARATE && result.proof == ABUT_PROOF_INTERVAL,
                   "%d %s: %s, gap %a", i, p.name, abut_verdict_name(result.verdict), gap);
        TEST_CHECK(result.distance.lo <= gap + 1e-14 && result.distance.hi >= gap - 1e-14,
                   "%d %s: [%.17g, %.17g] is not %.17g", i, p.name, result.distance.lo, result.distance.hi,
                   gap);
        TEST_CHECK(result.distance.hi - result.distance.lo <= 1e-4 * gap, "%d %s: [%.17g, %.17g]", i, p.name,
                   result.distance.lo, result.distance.hi);
        wide += result.distance.hi - result.distance.lo > 1e-9 * gap;
        abut_shape_release(p.a);
        abut_shape_release(p.b);
    }
    print_message("%d of %d wider than 1e-9\n", wide, count);
    /* A share of all kinds, which short runs do not see. */
    TEST_CHECK(count < 5 * KINDS || 4 * wide <= count, "%d of %d are wide", wide, count);
}

/* A little too large: never apart. */
static void sunk_families(void **state)
{
    (void)state;
    test_random random = test_seed(72);
    for (int i = 0; i < (int)test_count(30); ++i) {
        const double r = test_uniform(&random, 0.5, 3), gap = -pow(10, test_uniform(&random, -6, -1));
        pair p = make(i % (KINDS - 1), r, gap, test_uniform(&random, 0.5, 2));
        const abut_pose at = random_pose(&random);
        abut_check_result result;
        assert_int_equal(abut_check(p.a, &at, p.b, &at, NULL, NULL, &result), ABUT_OK);
        TEST_CHECK(result.verdict != ABUT_SEPARATE && result.distance.lo == 0, "%d %s: %s, gap %a", i, p.name,
                   abut_verdict_name(result.verdict), gap);
        abut_shape_release(p.a);
        abut_shape_release(p.b);
    }
}

/* More work, no worse an answer; a budget that is spent leaves an enclosure. */
static void budget(void **state)
{
    (void)state;
    static const uint64_t most[4] = { 5, 100, 1200, 0 };
    for (int kind = 0; kind < KINDS - 1; ++kind) {
        pair p = make(kind, 2, 0.125, 1);
        const abut_pose at = { .rotation = { 1, 0, 0, 0 } };
        for (int i = 0; i < 4; ++i) {
            abut_check_opts opts;
            abut_check_result result;
            abut_check_opts_init(&opts);
            opts.max_iterations = most[i];
            assert_int_equal(abut_check(p.a, &at, p.b, &at, &opts, NULL, &result), ABUT_OK);
            TEST_CHECK(result.verdict == ABUT_SEPARATE || result.verdict == ABUT_UNDECIDED, "%s", p.name);
            TEST_CHECK(result.distance.lo <= 0.125 && result.distance.hi >= 0.125, "%s", p.name);
            TEST_CHECK(most[i] == 0 || result.counters.iterations <= most[i] + 80, "%s: %llu of %llu", p.name,
                       (unsigned long long)result.counters.iterations, (unsigned long long)most[i]);
            TEST_CHECK(result.verdict != ABUT_UNDECIDED || result.stop == ABUT_STOP_BUDGET, "%s", p.name);
        }
        abut_shape_release(p.a);
        abut_shape_release(p.b);
    }
}

/* What of x^2 + y^2 + z^2 <= 1 is in the box, for points, segments and a distance. */
static void box_that_cuts(void **state)
{
    (void)state;
    test_random random = test_seed(73);
    for (int i = 0; i < (int)test_count(20); ++i) {
        const abut_aabb box = { { test_uniform(&random, -1.5, -0.2), test_uniform(&random, -1.5, -0.2), -2 },
                                { test_uniform(&random, 0.2, 1.5), 2, test_uniform(&random, 0.2, 1.5) } };
        abut_shape *body = NULL, *ball = NULL;
        assert_int_equal(abut_shape_create_implicit("x^2+y^2+z^2-1", box, NULL, &body, NULL), ABUT_OK);
        assert_int_equal(abut_shape_create_sphere(0.125, NULL, &ball), ABUT_OK);
        for (int k = 0; k < 40; ++k) {
            const abut_vec3 x = { test_uniform(&random, -1.5, 1.5), test_uniform(&random, -1.5, 1.5),
                                  test_uniform(&random, -1.5, 1.5) };
            const bool inside = x.x * x.x + x.y * x.y + x.z * x.z < 1 && x.x > box.lo.x && x.x < box.hi.x &&
                                x.y > box.lo.y && x.y < box.hi.y && x.z > box.lo.z && x.z < box.hi.z;
            const abut_where where = inside ? ABUT_WHERE_IN : ABUT_WHERE_OUT;
            const abut_vec3 next = abut_add(x, abut_v3(0x1p-40, 0, 0));
            abut_piece piece[4];
            size_t count;
            assert_int_equal(abut_classify_point(body, NULL, x, piece), ABUT_OK);
            TEST_CHECK(piece[0].where == where, "%a %a %a", x.x, x.y, x.z);
            assert_int_equal(abut_classify_segment(body, NULL, x, next, piece, 4, &count), ABUT_OK);
            TEST_CHECK(count == 1 && piece[0].where == where, "%a %a %a: %s", x.x, x.y, x.z,
                       abut_where_name(piece[0].where));
        }
        /* Above the box's top, where that cuts: the distance of the planes. */
        const abut_pose at = { .position = { 0, 0, 2 }, .rotation = { 1, 0, 0, 0 } };
        abut_check_result result;
        assert_int_equal(abut_check(body, NULL, ball, &at, NULL, NULL, &result), ABUT_OK);
        const double truth = 2 - 0.125 - fmin(1, box.hi.z);
        TEST_CHECK(result.verdict == ABUT_SEPARATE && fabs(result.distance.lo - truth) < 1e-9 &&
                       fabs(result.distance.hi - truth) < 1e-9,
                   "[%.17g, %.17g] is not %.17g", result.distance.lo, result.distance.hi, truth);
        abut_shape_release(body);
        abut_shape_release(ball);
    }
}

/* The bound for curves of nearest points everywhere, also where there are none. */
static abut_surface_gap find_flat(const abut_shape *a, const abut_shape *b)
{
    abut_workspace ws;
    abut_placed_surface bodies[2];
    abut_surface_gap gap;
    const abut_surface_gap_opts opts = { .cutoff = INFINITY, .max_boxes = 3000, .flat = true };
    abut_workspace_open(&ws, NULL);
    const abut_workspace_mark mark = abut_workspace_begin(&ws);
    assert_int_equal(abut_placed_surface_make(a, 0, &ws, &bodies[0]), ABUT_OK);
    assert_int_equal(abut_placed_surface_make(b, 0, &ws, &bodies[1]), ABUT_OK);
    assert_int_equal(abut_surface_find_gap(&bodies[0], &bodies[1], &opts, &ws, &gap), ABUT_OK);
    abut_workspace_end(&ws, mark);
    abut_workspace_close(&ws);
    return gap;
}

static abut_shape *ball_at(abut_vec3 p, double radius)
{
    char f[256];
    snprintf(f, sizeof f, "(x-(%.17g))^2+(y-(%.17g))^2+(z-(%.17g))^2-%.17g^2", p.x, p.y, p.z, radius);
    return implicit(f, 8);
}

/* A ball against the lower half of one: its flat face, its rim, or below, in closed form. */
static void half_balls(void **state)
{
    (void)state;
    test_random random = test_seed(74);
    for (int i = 0; i < (int)test_count(150); ++i) {
        const abut_vec3 p = { test_uniform(&random, -2.5, 2.5), test_uniform(&random, -2.5, 2.5),
                              test_uniform(&random, -2.5, 2.5) };
        const double radius = 0.125, rho = hypot(p.x, p.y), far = abut_length(p);
        const double truth = (p.z <= 0 ? far - 1 : rho <= 1 ? p.z : hypot(rho - 1, p.z)) - radius;
        if (!(truth > 0.01))
            continue;
        abut_shape *of[2] = { round_field(1, true), implicit("z", 8) };
        abut_shape *half = combine(ABUT_CSG_INTERSECTION, of, 2), *ball = ball_at(p, radius);
        const abut_surface_gap gap = i & 1 ? find_flat(half, ball) : find_flat(ball, half);
        TEST_CHECK(!gap.meets && gap.gap.lo <= truth + 1e-14 && gap.gap.hi >= truth - 1e-14,
                   "%d: [%.17g, %.17g] is not %.17g", i, gap.gap.lo, gap.gap.hi, truth);
        abut_shape_release(half);
        abut_shape_release(ball);
    }
}

/* Points of two ellipsoids are no nearer than the bound. */
static void ellipsoids(void **state)
{
    (void)state;
    enum { SIDE = 24 };
    test_random random = test_seed(75);
    for (int i = 0; i < (int)test_count(60); ++i) {
        double c[2][3], r[2][3];
        abut_shape *bodies[2];
        double least = HUGE_VAL;
        for (int b = 0; b < 2; ++b) {
            char f[512];
            for (int k = 0; k < 3; ++k) {
                c[b][k] = b * test_uniform(&random, -2.5, 2.5);
                r[b][k] = test_uniform(&random, 0.25, 1.25);
            }
            snprintf(f, sizeof f, "((x-(%.17g))/%.17g)^2+((y-(%.17g))/%.17g)^2+((z-(%.17g))/%.17g)^2-1",
                     c[b][0], r[b][0], c[b][1], r[b][1], c[b][2], r[b][2]);
            bodies[b] = implicit(f, 8);
        }
        const abut_surface_gap gap = find_flat(bodies[0], bodies[1]);
        for (int m = 0; m < SIDE * SIDE; ++m)
            for (int n = 0; n < SIDE * SIDE; ++n) {
                const int at[2] = { m, n };
                double x[2][3], square = 0;
                for (int b = 0; b < 2; ++b) {
                    const double u = 6.283185307179586 * (at[b] % SIDE) / SIDE,
                                 z = (at[b] / SIDE + 0.5) * 2 / SIDE - 1, s = sqrt(1 - z * z);
                    x[b][0] = c[b][0] + r[b][0] * s * cos(u);
                    x[b][1] = c[b][1] + r[b][1] * s * sin(u);
                    x[b][2] = c[b][2] + r[b][2] * z;
                }
                for (int k = 0; k < 3; ++k)
                    square += (x[0][k] - x[1][k]) * (x[0][k] - x[1][k]);
                least = fmin(least, sqrt(square));
            }
        TEST_CHECK(gap.meets || gap.gap.lo <= least + 1e-14, "%d: [%.17g, %.17g], sampled %.17g", i,
                   gap.gap.lo, gap.gap.hi, least);
        abut_shape_release(bodies[0]);
        abut_shape_release(bodies[1]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(families),      cmocka_unit_test(sunk_families), cmocka_unit_test(budget),
        cmocka_unit_test(box_that_cuts), cmocka_unit_test(half_balls),    cmocka_unit_test(ellipsoids),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
