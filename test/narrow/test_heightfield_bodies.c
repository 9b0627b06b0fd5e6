/* SPDX-License-Identifier: MIT */
/* Height fields against convex bodies: all columns of the field as convex shapes (whose solvers
 * have referees of their own), balls by the definition of distance, and bodies that stand on
 * level ground. */
#include "test_heightfield_support.h"

static abut_shape *random_body(test_random *r)
{
    abut_shape *shape = NULL, *inner;
    const double a = test_uniform(r, 0.1, 1), b = test_uniform(r, 0.1, 1), c = test_uniform(r, 0.1, 1);
    abut_status status = ABUT_OK;
    switch (test_below(r, 9)) {
    case 0: status = abut_shape_create_sphere(a, NULL, &shape); break;
    case 1: status = abut_shape_create_box(v3(a, b, c), NULL, &shape); break;
    case 2: status = abut_shape_create_capsule(a, b, NULL, &shape); break;
    case 3: status = abut_shape_create_cylinder(a, b, NULL, &shape); break;
    case 4: status = abut_shape_create_cone(a, b, NULL, &shape); break;
    case 5: status = abut_shape_create_ellipsoid(v3(a, b, c), NULL, &shape); break;
    case 6:
        assert_int_equal(abut_shape_create_box(v3(a, b, c), NULL, &inner), ABUT_OK);
        status = abut_shape_create_swept(inner, 0.2, NULL, &shape, NULL);
        abut_shape_release(inner);
        break;
    default: {
        abut_vec3 points[8];
        for (int i = 0; i < 8; ++i)
            points[i] = v3(test_uniform(r, -a, a), test_uniform(r, -b, b), test_uniform(r, -c, c));
        status = abut_shape_create_convex(points, 8, 0, NULL, &shape, NULL);
    }
    }
    assert_int_equal(status, ABUT_OK);
    return shape;
}

static abut_pose random_pose(test_random *r, const field *f)
{
    const double x = 0.7 * f->dx * (double)f->columns, y = 0.7 * f->dy * (double)f->rows;
    abut_pose pose = { { test_uniform(r, -x, x), test_uniform(r, -y, y), test_uniform(r, -2, 4) },
                       { test_uniform(r, -1, 1), test_uniform(r, -1, 1), test_uniform(r, -1, 1),
                         test_uniform(r, 0.1, 1) } };
    if (test_below(r, 4) == 0)
        pose.rotation = (abut_quat){ 1, 0, 0, 0 };
    return pose;
}

/* The column under one triangle as a convex body, to a depth that no body here reaches. */
static abut_shape *column_of(const field *f, size_t i, size_t j, int which)
{
    const abut_vec3 top[3] = { vertex_of(f, i, j),
                               which ? vertex_of(f, i + 1, j + 1) : vertex_of(f, i + 1, j),
                               which ? vertex_of(f, i, j + 1) : vertex_of(f, i + 1, j + 1) };
    abut_vec3 points[6];
    for (int k = 0; k < 6; ++k)
        points[k] = k < 3 ? top[k] : v3(top[k - 3].x, top[k - 3].y, -30);
    abut_shape *shape;
    assert_int_equal(abut_shape_create_convex(points, 6, 0, NULL, &shape, NULL), ABUT_OK);
    return shape;
}

/* Against every column, one by one. */
static void bodies_agree_with_all_columns(void **state)
{
    (void)state;
    uint64_t verdicts[4] = { 0 };
    const uint64_t count = test_count(1500);
    for (uint64_t seed = 0; seed < count; ++seed) {
        test_random r = test_seed(seed);
        field f = random_field(&r, false);
        abut_shape *shape = make(&f), *body = random_body(&r);
        const abut_pose at = random_pose(&r, &f);
        abut_check_result found, mirrored;
        assert_int_equal(abut_check(shape, NULL, body, &at, NULL, NULL, &found), ABUT_OK);
        assert_int_equal(abut_check(body, &at, shape, NULL, NULL, NULL, &mirrored), ABUT_OK);
        ++verdicts[found.verdict];
        double lo = INFINITY, hi = INFINITY;
        bool meets = false, unclear = false;
        for (size_t j = 0; j + 1 < f.rows; ++j)
            for (size_t i = 0; i + 1 < f.columns; ++i)
                for (int which = 0; which < 2; ++which) {
                    abut_shape *column = column_of(&f, i, j, which);
                    abut_check_result one;
                    assert_int_equal(abut_check(column, NULL, body, &at, NULL, NULL, &one), ABUT_OK);
                    meets |= one.verdict == ABUT_PENETRATING;
                    unclear |= one.verdict == ABUT_UNDECIDED || one.verdict == ABUT_TOUCHING;
                    if (one.verdict == ABUT_SEPARATE) {
                        lo = fmin(lo, one.distance.lo);
                        hi = fmin(hi, one.distance.hi);
                    }
                    abut_shape_release(column);
                }
        TEST_CHECK(found.verdict == mirrored.verdict && found.distance.lo == mirrored.distance.lo,
                   "seed %" PRIu64, seed);
        if (meets)
            TEST_CHECK(found.verdict == ABUT_PENETRATING, "seed %" PRIu64 ": %s, but a column is met", seed,
                       abut_verdict_name(found.verdict));
        else if (!unclear) {
            TEST_CHECK(found.verdict == ABUT_SEPARATE,
                       "seed %" PRIu64 ": %s, but all columns are apart by %g", seed,
                       abut_verdict_name(found.verdict), lo);
            TEST_CHECK(found.distance.lo <= hi && found.distance.hi >= lo,
                       "seed %" PRIu64 ": [%.17g, %.17g], brute [%.17g, %.17g]", seed, found.distance.lo,
                       found.distance.hi, lo, hi);
            TEST_CHECK(found.distance.hi - found.distance.lo < 1e-11, "seed %" PRIu64 " width %g", seed,
                       found.distance.hi - found.distance.lo);
            const abut_vec3 d = v3(found.point_b.x - found.point_a.x, found.point_b.y - found.point_a.y,
                                   found.point_b.z - found.point_a.z);
            TEST_NEAR(sqrt(d.x * d.x + d.y * d.y + d.z * d.z), lo, 1e-9, "seed %" PRIu64, seed);
            TEST_NEAR(d.x * found.normal.x + d.y * found.normal.y + d.z * found.normal.z, lo, 1e-7,
                      "seed %" PRIu64, seed);
        }
        TEST_CHECK(!found.has_normal ||
                       fabs(found.normal.x * found.normal.x + found.normal.y * found.normal.y +
                            found.normal.z * found.normal.z - 1) < 1e-9,
                   "seed %" PRIu64, seed);
        for (int k = 0; k < found.contact_count; ++k) /* never from a wall inside */
            TEST_CHECK(found.contacts[k].normal.z > 0, "seed %" PRIu64, seed);
        abut_shape_release(shape);
        abut_shape_release(body);
    }
    print_message("undecided %" PRIu64 ", separate %" PRIu64 ", touching %" PRIu64 ", penetrating %" PRIu64
                  "\n",
                  verdicts[0], verdicts[1], verdicts[2], verdicts[3]);
    TEST_CHECK(verdicts[0] * 100 <= count, "%" PRIu64 " undecided", verdicts[0]);
}

/* Distance of a point to the region under the surface, in long double: straight from the
 * definition. */
static long double wall_distance(abut_vec3 a, abut_vec3 b, abut_vec3 p)
{
    const long double ex = (long double)b.x - a.x, ey = (long double)b.y - a.y, ez = (long double)b.z - a.z;
    const long double px = (long double)p.x - a.x, py = (long double)p.y - a.y;
    long double best = INFINITY;
    /* Below the edge at parameter s the wall is full: min over s of horizontal^2 + max(0, z -
     * edge(s))^2, convex in s. */
    long double lo = 0, hi = 1;
    for (int k = 0; k < 200; ++k) {
        const long double s[2] = { lo + (hi - lo) / 3, hi - (hi - lo) / 3 };
        long double value[2];
        for (int i = 0; i < 2; ++i) {
            const long double x = px - s[i] * ex, y = py - s[i] * ey, z = (long double)p.z - a.z - s[i] * ez;
            value[i] = x * x + y * y + (z > 0 ? z * z : 0);
            best = value[i] < best ? value[i] : best;
        }
        if (value[0] < value[1])
            hi = s[1];
        else
            lo = s[0];
    }
    return sqrtl(best);
}

static long double column_distance(const abut_vec3 t[3], abut_vec3 p)
{
    const abut_vec3 e = v3(t[1].x - t[0].x, t[1].y - t[0].y, t[1].z - t[0].z),
                    g = v3(t[2].x - t[0].x, t[2].y - t[0].y, t[2].z - t[0].z);
    const long double nx = (long double)e.y * g.z - (long double)e.z * g.y,
                      ny = (long double)e.z * g.x - (long double)e.x * g.z,
                      nz = (long double)e.x * g.y - (long double)e.y * g.x;
    const long double n = sqrtl(nx * nx + ny * ny + nz * nz);
    const long double height = (nx * ((long double)p.x - t[0].x) + ny * ((long double)p.y - t[0].y) +
                                nz * ((long double)p.z - t[0].z)) /
                               n;
    bool over = true, over_foot = true;
    const long double fx = p.x - height * nx / n, fy = p.y - height * ny / n;
    long double best = INFINITY;
    for (int k = 0; k < 3; ++k) {
        const abut_vec3 a = t[k], b = t[(k + 1) % 3];
        over &= ((long double)b.x - a.x) * ((long double)p.y - a.y) -
                    ((long double)b.y - a.y) * ((long double)p.x - a.x) >=
                0;
        over_foot &= ((long double)b.x - a.x) * (fy - a.y) - ((long double)b.y - a.y) * (fx - a.x) >= 0;
        best = fminl(best, wall_distance(a, b, p));
    }
    if (over && height <= 0)
        return 0;
    return over_foot && height > 0 ? fminl(best, height) : best;
}

static void spheres_agree_with_the_definition(void **state)
{
    (void)state;
    const uint64_t count = test_count(1500);
    for (uint64_t seed = 0; seed < count; ++seed) {
        test_random r = test_seed(seed);
        const field f = random_field(&r, test_bits(&r) & 1);
        abut_shape *shape = make(&f), *ball;
        const double radius = test_uniform(&r, 0.01, 1);
        assert_int_equal(abut_shape_create_sphere(radius, NULL, &ball), ABUT_OK);
        const abut_pose at = random_pose(&r, &f);
        long double distance = INFINITY;
        for (size_t j = 0; j + 1 < f.rows; ++j)
            for (size_t i = 0; i + 1 < f.columns; ++i)
                for (int which = 0; which < 2; ++which) {
                    const abut_vec3 t[3] = { vertex_of(&f, i, j),
                                             which ? vertex_of(&f, i + 1, j + 1) : vertex_of(&f, i + 1, j),
                                             which ? vertex_of(&f, i, j + 1) : vertex_of(&f, i + 1, j + 1) };
                    distance = fminl(distance, column_distance(t, at.position));
                }
        abut_check_result found;
        assert_int_equal(abut_check(shape, NULL, ball, &at, NULL, NULL, &found), ABUT_OK);
        const long double gap = distance - radius;
        if (fabsl(gap) > 1e-9L)
            TEST_CHECK(found.verdict == (gap > 0 ? ABUT_SEPARATE : ABUT_PENETRATING),
                       "seed %" PRIu64 ": %s, gap %Lg", seed, abut_verdict_name(found.verdict), gap);
        if (found.verdict == ABUT_SEPARATE)
            TEST_CHECK(found.distance.lo - 1e-9 <= gap && gap <= found.distance.hi + 1e-9,
                       "seed %" PRIu64 ": gap %Lg, [%g, %g]", seed, gap, found.distance.lo,
                       found.distance.hi);
        abut_shape_release(shape);
        abut_shape_release(ball);
    }
}

/* abut_overlap and abut_distance must not contradict abut_check, which the columns have judged. */
static void clearances_and_cutoffs(void **state)
{
    (void)state;
    uint64_t stopped = 0;
    const uint64_t count = test_count(1500);
    for (uint64_t seed = 0; seed < count; ++seed) {
        test_random r = test_seed(seed);
        const field f = random_field(&r, false);
        abut_shape *shape = make(&f), *body = random_body(&r);
        const abut_pose at = random_pose(&r, &f);
        abut_check_result full;
        assert_int_equal(abut_check(shape, NULL, body, &at, NULL, NULL, &full), ABUT_OK);
        const double lo = full.distance.lo, hi = full.distance.hi;
        for (int k = 0; k < 4; ++k) {
            const double limit = k == 0   ? 0
                                 : k == 1 ? 0.5 * lo
                                 : k == 2 ? 2 * hi + 0.1
                                          : test_uniform(&r, 0, 2);
            abut_overlap_opts near;
            abut_overlap_opts_init(&near);
            near.clearance = limit;
            abut_overlap_result o, mirrored;
            assert_int_equal(abut_overlap(shape, NULL, body, &at, &near, NULL, &o), ABUT_OK);
            assert_int_equal(abut_overlap(body, &at, shape, NULL, &near, NULL, &mirrored), ABUT_OK);
            const abut_verdict expected = full.verdict == ABUT_PENETRATING || hi < limit ? ABUT_PENETRATING
                                          : full.verdict == ABUT_SEPARATE && lo > limit  ? ABUT_SEPARATE
                                                                                         : ABUT_UNDECIDED;
            TEST_CHECK(expected == ABUT_UNDECIDED || (o.verdict == expected && mirrored.verdict == expected),
                       "seed %" PRIu64 ": %s at clearance %a, distance [%a, %a]", seed,
                       abut_verdict_name(o.verdict), limit, lo, hi);
            abut_distance_opts far;
            abut_distance_opts_init(&far);
            far.cutoff = limit;
            abut_distance_result d;
            assert_int_equal(abut_distance(shape, NULL, body, &at, &far, NULL, &d), ABUT_OK);
            TEST_CHECK(d.verdict == full.verdict, "seed %" PRIu64 ": %s at cutoff %a, distance [%a, %a]",
                       seed, abut_verdict_name(d.verdict), limit, lo, hi);
            TEST_CHECK(d.distance.lo <= hi && d.distance.hi >= lo,
                       "seed %" PRIu64 ": [%a, %a] at cutoff %a, distance [%a, %a]", seed, d.distance.lo,
                       d.distance.hi, limit, lo, hi);
            stopped += d.stop == ABUT_STOP_CUTOFF;
            if (d.stop == ABUT_STOP_CUTOFF)
                TEST_CHECK(d.distance.lo > limit, "seed %" PRIu64 ": stopped at %a, cutoff %a", seed,
                           d.distance.lo, limit);
            else
                TEST_CHECK(d.distance.hi - d.distance.lo <= 1e-11, "seed %" PRIu64 ": width %g", seed,
                           d.distance.hi - d.distance.lo);
        }
        abut_shape_release(shape);
        abut_shape_release(body);
    }
    print_message("%" PRIu64 " stopped at the cutoff\n", stopped);
}

static void standing_on_level_ground(void **state)
{
    (void)state;
    field f = { .columns = 6, .rows = 5, .dx = 1, .dy = 0.7 };
    for (int i = 0; i < 30; ++i)
        f.heights[i] = 0.1;
    abut_shape *shape = make(&f), *body[4];
    assert_int_equal(abut_shape_create_box(v3(0.5, 0.6, 0.25), NULL, &body[0]), ABUT_OK);
    assert_int_equal(abut_shape_create_sphere(0.25, NULL, &body[1]), ABUT_OK);
    assert_int_equal(abut_shape_create_cylinder(0.3, 0.5, NULL, &body[2]), ABUT_OK);
    assert_int_equal(abut_shape_create_capsule(0.125, 0.25, NULL, &body[3]), ABUT_OK);
    for (int k = 0; k < 4; ++k)
        for (int step = -1; step <= 1; ++step) {
            /* 0.1 + 0.25 is rounded: the ground is put at z = -0.1 instead, by the pose of the
             * field. */
            const abut_pose ground = { { 0, 0, -0.1 }, { 1, 0, 0, 0 } };
            const abut_pose at = { { 0.1, 0.2, step == 0 ? 0.25 : nextafter(0.25, step > 0 ? 1 : 0) },
                                   { 1, 0, 0, 0 } };
            abut_check_result r;
            assert_int_equal(abut_check(shape, &ground, body[k], &at, NULL, NULL, &r), ABUT_OK);
            assert_int_equal(r.verdict, step < 0    ? ABUT_PENETRATING
                                        : step == 0 ? ABUT_TOUCHING
                                                    : ABUT_SEPARATE);
            assert_int_equal(r.proof, ABUT_PROOF_EXACT);
            if (step == 0) {
                assert_true(r.contact_count >= (k == 0 ? 4 : 1));
                assert_true(r.has_normal && r.normal.z > 0.999999);
            }
        }
    for (int k = 0; k < 4; ++k)
        abut_shape_release(body[k]);
    abut_shape_release(shape);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bodies_agree_with_all_columns),
        cmocka_unit_test(spheres_agree_with_the_definition),
        cmocka_unit_test(clearances_and_cutoffs),
        cmocka_unit_test(standing_on_level_ground),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
