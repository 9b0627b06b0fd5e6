/* SPDX-License-Identifier: MIT */
/* Boolean combinations of plain solids, placed anywhere: points, rays, distances and verdicts against
 * signed functions of the same trees (oracle/solid_tree.h); the same bodies made in other ways; flush
 * faces. */
#include "oracle/solid_tree.h"
#include "support/failing_allocator.h"
#include "support/placed_solids.h"

enum { REACH = 4 };

static const abut_pose nowhere = { { 0, 0, 0 }, { 1, 0, 0, 0 } };

static solid_options options_of(uint64_t seed)
{
    return (solid_options){ .depth = seed % 8 == 0 ? 3 : 1 + (int)(seed % 2), .turned = seed % 4 >= 2 };
}

/* ---- points and boxes ---- */

static void points(void **state)
{
    (void)state;
    uint64_t in = 0, out = 0, open = 0, made = 0;
    const uint64_t count = test_count(400);
    for (uint64_t seed = 1; seed <= count; ++seed) {
        test_random r = test_seed(seed);
        const solid_options o = options_of(seed);
        abut_shape *shape;
        solid_tree *tree = solid_tree_random(&r, &o, &shape);
        if (shape) {
            ++made;
            const abut_aabb b = abut_shape_bounds(shape);
            for (int i = 0; i < 60; ++i) {
                const double p[3] = { test_uniform(&r, fmin(b.lo.x, 2) - 0.1, fmax(b.hi.x, -2) + 0.1),
                                      test_uniform(&r, fmin(b.lo.y, 2) - 0.1, fmax(b.hi.y, -2) + 0.1),
                                      test_uniform(&r, fmin(b.lo.z, 2) - 0.1, fmax(b.hi.z, -2) + 0.1) };
                const abut_vec3 at = { p[0], p[1], p[2] };
                const double s = solid_tree_value(tree, p);
                abut_piece piece;
                if (fabs(s) < 1e-12)
                    continue;
                assert_int_equal(abut_classify_point(shape, NULL, at, &piece), ABUT_OK);
                TEST_CHECK(piece.where != (s < 0 ? ABUT_WHERE_OUT : ABUT_WHERE_IN),
                           "seed %" PRIu64 ": (%a, %a, %a) is %s, value %g", seed, p[0], p[1], p[2],
                           abut_where_name(piece.where), s);
                in += piece.where == ABUT_WHERE_IN;
                out += piece.where == ABUT_WHERE_OUT;
                open += piece.where != ABUT_WHERE_IN && piece.where != ABUT_WHERE_OUT;
                TEST_CHECK(s > 0 || (b.lo.x <= p[0] && p[0] <= b.hi.x && b.lo.y <= p[1] && p[1] <= b.hi.y &&
                                     b.lo.z <= p[2] && p[2] <= b.hi.z),
                           "seed %" PRIu64 ": (%a, %a, %a) is outside the bounds", seed, p[0], p[1], p[2]);
            }
        }
        abut_shape_release(shape);
        solid_tree_destroy(tree);
    }
    print_message("%" PRIu64 " shapes: %" PRIu64 " in, %" PRIu64 " out, %" PRIu64 " open\n", made, in, out,
                  open);
    assert_true(open * 1000 <= in + out);
    assert_true(3 * made > 2 * count && in * 16 > out);
}

/* ---- rays ---- */

/* Changes of sign along a line; -1 where it comes close to the boundary without crossing it. */
static int crossings(const solid_tree *tree, const double o[3], const double d[3], double *out, int most)
{
    enum { STEPS = 3000 };
    int n = 0;
    double before = 1, earlier = 1;
    for (int i = 0; i <= STEPS; ++i) {
        double lo = -REACH + 2.0 * REACH * (i - 1) / STEPS, hi = -REACH + 2.0 * REACH * i / STEPS;
        const double p[3] = { o[0] + hi * d[0], o[1] + hi * d[1], o[2] + hi * d[2] };
        const double now = solid_tree_value(tree, p);
        if (i > 1 && fabs(before) <= fabs(earlier) && fabs(before) <= fabs(now) &&
            (earlier < 0) == (before < 0) && (before < 0) == (now < 0) && fabs(before) < 2.0 * REACH / STEPS)
            return -1;
        if (i > 0 && (before < 0) != (now < 0)) {
            for (int k = 0; k < 60; ++k) {
                const double mid = 0.5 * (lo + hi),
                             q[3] = { o[0] + mid * d[0], o[1] + mid * d[1], o[2] + mid * d[2] };
                if ((solid_tree_value(tree, q) < 0) == (before < 0))
                    lo = mid;
                else
                    hi = mid;
            }
            if (n == most)
                return -1;
            out[n++] = lo;
        }
        earlier = before;
        before = now;
    }
    return n;
}

static void rays(void **state)
{
    (void)state;
    uint64_t judged = 0, found_all = 0;
    const uint64_t count = test_count(200);
    for (uint64_t seed = 1; seed <= count; ++seed) {
        test_random r = test_seed(seed);
        const solid_options o = options_of(seed);
        abut_shape *shape;
        solid_tree *tree = solid_tree_random(&r, &o, &shape);
        for (int i = 0; i < 6 && shape; ++i) {
            const double from[3] = { test_uniform(&r, -1, 1), test_uniform(&r, -1, 1),
                                     test_uniform(&r, -1, 1) };
            double d[3] = { test_uniform(&r, -1, 1), test_uniform(&r, -1, 1), test_uniform(&r, -1, 1) },
                   truth[16];
            const double size = sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]);
            for (int k = 0; k < 3; ++k)
                d[k] /= size;
            const int n = crossings(tree, from, d, truth, 16);
            if (n < 0)
                continue;
            abut_ray_hit hits[16];
            size_t found;
            const abut_status status = abut_cast_line(shape, NULL, (abut_vec3){ from[0], from[1], from[2] },
                                                      (abut_vec3){ d[0], d[1], d[2] }, hits, 16, &found);
            ++judged;
            if (status == ABUT_ERR_LIMIT)
                continue;
            assert_int_equal(status, ABUT_OK);
            ++found_all;
            TEST_CHECK((int)found == n, "seed %" PRIu64 " ray %d: %zu hits, true are %d", seed, i, found, n);
            for (int k = 0; k < n; ++k) {
                TEST_NEAR(hits[k].t, truth[k], 1e-8, "seed %" PRIu64 " ray %d hit %d", seed, i, k);
                const abut_vec3 normal = hits[k].normal;
                const double step = 1e-6,
                             at[3] = { hits[k].point.x + step * normal.x, hits[k].point.y + step * normal.y,
                                       hits[k].point.z + step * normal.z };
                TEST_CHECK(solid_tree_value(tree, at) > -1e-9,
                           "seed %" PRIu64 " ray %d hit %d: the normal leads in", seed, i, k);
            }
        }
        abut_shape_release(shape);
        solid_tree_destroy(tree);
    }
    print_message("%" PRIu64 " rays, %" PRIu64 " answered\n", judged, found_all);
    assert_true(judged > count && found_all * 100 >= judged * 99);
}

/* ---- distances from balls ---- */

static void balls(void **state)
{
    (void)state;
    uint64_t judged = 0, undecided = 0, narrow = 0, separate = 0;
    const uint64_t count = test_count(150);
    for (uint64_t seed = 1; seed <= count; ++seed) {
        test_random r = test_seed(seed);
        const solid_options o = { .depth = 1 + (int)(seed % 2), .turned = seed % 4 >= 2 };
        abut_shape *shape, *ball;
        solid_tree *tree = solid_tree_random(&r, &o, &shape);
        const double radius = test_uniform(&r, 0.1, 0.5);
        assert_int_equal(abut_shape_create_sphere(radius, NULL, &ball), ABUT_OK);
        for (int i = 0; i < 2 && shape; ++i) {
            const double p[3] = { test_uniform(&r, -2.5, 2.5), test_uniform(&r, -2.5, 2.5),
                                  test_uniform(&r, -2.5, 2.5) };
            const abut_pose pose = { { p[0], p[1], p[2] }, { 1, 0, 0, 0 } };
            abut_check_result c;
            double lo, hi;
            solid_tree_distance(tree, p, REACH, &lo, &hi);
            if (hi == INFINITY) /* nothing of it was found */
                continue;
            const abut_status status = abut_check(shape, NULL, ball, &pose, NULL, NULL, &c);
            TEST_CHECK(status == ABUT_OK, "seed %" PRIu64 ": %s", seed, abut_status_name(status));
            ++judged;
            undecided += c.verdict == ABUT_UNDECIDED;
            if (c.verdict == ABUT_UNDECIDED)
                print_message("seed %" PRIu64 " undecided: [%g, %g]; true [%g, %g]\n", seed, c.distance.lo,
                              c.distance.hi, lo - radius, hi - radius);
            TEST_CHECK(c.distance.lo <= fmax(hi - radius, 0) + 1e-9 && c.distance.hi >= lo - radius - 1e-9,
                       "seed %" PRIu64 ": distance [%.17g, %.17g], true [%.17g, %.17g]", seed, c.distance.lo,
                       c.distance.hi, lo - radius, hi - radius);
            TEST_CHECK(c.verdict != ABUT_SEPARATE || hi > radius - 1e-9,
                       "seed %" PRIu64 ": separate, but a point is inside by %g", seed, radius - hi);
            TEST_CHECK(c.verdict == ABUT_SEPARATE || c.verdict == ABUT_UNDECIDED || lo < radius + 1e-9,
                       "seed %" PRIu64 ": %s, but apart by %g", seed, abut_verdict_name(c.verdict),
                       lo - radius);
            separate += c.verdict == ABUT_SEPARATE;
            if (c.verdict == ABUT_SEPARATE && c.distance.hi - c.distance.lo > 1e-6)
                print_message("seed %" PRIu64 ": [%g, %g]\n", seed, c.distance.lo, c.distance.hi);
            narrow += c.verdict == ABUT_SEPARATE && c.distance.hi - c.distance.lo < 1e-6;
        }
        abut_shape_release(ball);
        abut_shape_release(shape);
        solid_tree_destroy(tree);
    }
    print_message("%" PRIu64 " pairs, %" PRIu64 " undecided; %" PRIu64 " of %" PRIu64 " distances known\n",
                  judged, undecided, narrow, separate);
    assert_true(undecided * 50 <= judged && narrow * 25 >= separate * 24);
}

/* ---- two of them ---- */

static void two(void **state)
{
    (void)state;
    uint64_t judged = 0, undecided = 0, apart = 0, inside = 0;
    const uint64_t count = 12 + test_count(90);
    for (uint64_t seed = 1; seed <= count; ++seed) {
        test_random r = test_seed(seed);
        const solid_options o = { .depth = 1, .turned = true };
        abut_shape *shape[2];
        solid_tree *tree[2];
        abut_pose pose[2] = { nowhere, nowhere };
        solid_body body[2] = { { .radius = 0 }, { .radius = 0 } };
        for (int i = 0; i < 2; ++i) {
            tree[i] = solid_tree_random(&r, &o, &shape[i]);
            pose[i].position =
                (abut_vec3){ test_uniform(&r, -1, 1), test_uniform(&r, -1, 1), test_uniform(&r, -1, 1) };
            pose[i].rotation = (abut_quat){ test_uniform(&r, -1, 1), test_uniform(&r, -1, 1), 0.5, 0.3 };
            body[i].tree = tree[i];
            solid_body_place(&body[i], &pose[i]);
        }
        if (shape[0] && shape[1]) {
            abut_check_result c;
            const int meet = solid_bodies_meet(&body[0], &body[1], REACH, 1e-6);
            const abut_status status = abut_check(shape[0], &pose[0], shape[1], &pose[1], NULL, NULL, &c);
            TEST_CHECK(status == ABUT_OK, "seed %" PRIu64 ": %s", seed, abut_status_name(status));
            ++judged;
            undecided += c.verdict == ABUT_UNDECIDED;
            apart += meet < 0;
            inside += meet > 0;
            TEST_CHECK(c.verdict == ABUT_UNDECIDED || meet == 0 || (c.verdict == ABUT_SEPARATE) == (meet < 0),
                       "seed %" PRIu64 ": %s, but they %s", seed, abut_verdict_name(c.verdict),
                       meet < 0 ? "are apart" : "have a ball in common");
        }
        for (int i = 0; i < 2; ++i) {
            abut_shape_release(shape[i]);
            solid_tree_destroy(tree[i]);
        }
    }
    print_message("%" PRIu64 " pairs, %" PRIu64 " undecided, %" PRIu64 " apart, %" PRIu64 " inside\n", judged,
                  undecided, apart, inside);
    assert_true(undecided * 20 <= judged && apart > 0 && inside > 0);
}

/* ---- the first contact with a ball ---- */

static void moving(void **state)
{
    (void)state;
    uint64_t judged = 0, undecided = 0, contacts = 0, misses = 0;
    const uint64_t count = test_count(60);
    for (uint64_t seed = 1; seed <= count; ++seed) {
        test_random r = test_seed(seed);
        const solid_options o = { .depth = 1, .turned = seed % 2 };
        abut_shape *shape, *ball;
        abut_motion *turn, *path;
        abut_error error;
        solid_tree *tree = solid_tree_random(&r, &o, &shape);
        const double radius = test_uniform(&r, 0.1, 0.3);
        assert_int_equal(abut_shape_create_sphere(radius, NULL, &ball), ABUT_OK);
        /* The ball flies past, the body may turn about an axis. */
        const abut_vec3 from = { -3, test_uniform(&r, -0.8, 0.8), test_uniform(&r, -0.8, 0.8) };
        const abut_vec3 to = { 3, test_uniform(&r, -0.8, 0.8), test_uniform(&r, -0.8, 0.8) };
        const abut_placement a = { .position = from }, b = { .position = to }, still = { { 0, 0, 0 }, { 0 } };
        const double rate = seed % 4 >= 2 ? test_uniform(&r, -1, 1) : 0;
        assert_int_equal(abut_motion_create_linear(0, 1, &a, &b, NULL, &path, &error), ABUT_OK);
        assert_int_equal(abut_motion_create_velocity(0, 1, &still, (abut_vec3){ 0, 0, 0 },
                                                     (abut_vec3){ 0, 0, rate }, NULL, &turn, &error),
                         ABUT_OK);
        abut_first_result c;
        if (shape) {
            const abut_status status = abut_first_contact(shape, turn, ball, path, NULL, NULL, &c);
            TEST_CHECK(status == ABUT_OK, "seed %" PRIu64 ": %s", seed, abut_status_name(status));
            ++judged;
            undecided += c.verdict == ABUT_FIRST_UNDECIDED;
            contacts += c.verdict == ABUT_FIRST_CONTACT;
            misses += c.verdict == ABUT_FIRST_SEPARATE;
        }
        /* Instants up to the first contact: apart; at its end: together. */
        const bool touches = shape && c.verdict == ABUT_FIRST_CONTACT;
        for (int i = 0;
             i <= 12 && shape && c.verdict != ABUT_FIRST_UNDECIDED && c.verdict != ABUT_FIRST_OVERLAPPING;
             ++i) {
            const double t = touches ? (i == 12 ? c.time.hi : c.time.lo * i / 12) : i / 12.0;
            const double s = sin(rate * t), k = cos(rate * t);
            const double x = from.x + t * (to.x - from.x), y = from.y + t * (to.y - from.y),
                         z = from.z + t * (to.z - from.z);
            const double at[3] = { k * x + s * y, k * y - s * x, z };
            double lo, hi;
            solid_tree_distance(tree, at, REACH, &lo, &hi);
            if (touches && i == 12)
                TEST_CHECK(lo <= radius + 1e-6, "seed %" PRIu64 ": at contact they are apart by %g", seed,
                           lo - radius);
            else
                TEST_CHECK(hi >= radius - 1e-6, "seed %" PRIu64 ": at %g before contact, inside by %g", seed,
                           t, radius - hi);
        }
        abut_motion_release(path);
        abut_motion_release(turn);
        abut_shape_release(ball);
        abut_shape_release(shape);
        solid_tree_destroy(tree);
    }
    print_message("%" PRIu64 " pairs, %" PRIu64 " undecided, %" PRIu64 " contacts, %" PRIu64 " misses\n",
                  judged, undecided, contacts, misses);
    assert_true(undecided * 10 <= judged && contacts > 0);
}

/* ---- flush faces, and bodies made in other ways ---- */

static abut_shape *cylinder_of(double radius, double height)
{
    abut_shape *out;
    assert_int_equal(abut_shape_create_cylinder(radius, height, NULL, &out), ABUT_OK);
    return out;
}

static abut_where where_is(const abut_shape *shape, double x, double y, double z)
{
    abut_piece piece;
    assert_int_equal(abut_classify_point(shape, NULL, (abut_vec3){ x, y, z }, &piece), ABUT_OK);
    return piece.where;
}

static double gap_to_ball(abut_shape *shape, double x, double y, double z, double radius,
                          abut_verdict verdict)
{
    abut_shape *ball;
    abut_check_result c;
    const abut_pose pose = { { x, y, z }, { 1, 0, 0, 0 } };
    assert_int_equal(abut_shape_create_sphere(radius, NULL, &ball), ABUT_OK);
    assert_int_equal(abut_check(shape, NULL, ball, &pose, NULL, NULL, &c), ABUT_OK);
    abut_shape_release(ball);
    TEST_CHECK(c.verdict == verdict, "(%g, %g, %g): %s", x, y, z, abut_verdict_name(c.verdict));
    TEST_NEAR(c.distance.hi, c.distance.lo, 1e-9, "(%g, %g, %g)", x, y, z);
    return c.distance.lo;
}

static void flush_faces(void **state)
{
    (void)state;
    /* A hole as deep as the plate, in sizes that are no doubles: no skin is left at either end. */
    abut_shape *plate = combine(ABUT_CSG_DIFFERENCE, box_of(1, 1, 0.1), moved(0, 0, 0.3),
                                cylinder_of(0.5, 0.2), moved(0.1, 0, 0.3));
    TEST_NEAR(gap_to_ball(plate, 0.1, 0, 0.3, 0.25, ABUT_SEPARATE), 0.25, 1e-9, "in the hole");
    abut_ray_hit hits[8];
    size_t count;
    assert_int_equal(
        abut_cast_line(plate, NULL, (abut_vec3){ 0.3, 0.1, -1 }, (abut_vec3){ 0, 0, 1 }, hits, 8, &count),
        ABUT_OK);
    assert_int_equal(count, 0);
    assert_int_equal(where_is(plate, 0.2, 0, 0.3), ABUT_WHERE_OUT);
    assert_int_equal(where_is(plate, 0.2, 0, 0.4), ABUT_WHERE_OUT);
    abut_shape_release(plate);
    /* Boxes side by side: no wall between them. */
    abut_shape *bar =
        combine(ABUT_CSG_UNION, box_of(0.1, 1, 1), moved(0.3, 0, 0), box_of(0.2, 1, 1), moved(0.6, 0, 0));
    assert_int_equal(
        abut_cast_line(bar, NULL, (abut_vec3){ -1, 0.1, 0.2 }, (abut_vec3){ 1, 0, 0 }, hits, 8, &count),
        ABUT_OK);
    assert_int_equal(count, 2);
    TEST_NEAR(hits[0].t, 1.2, 1e-12, "in");
    TEST_NEAR(hits[1].t, 1.8, 1e-12, "out");
    assert_int_equal(where_is(bar, 0.4, 0, 0), ABUT_WHERE_IN);
    abut_shape_release(bar);
    /* Shafts end to end are one. */
    abut_shape *shaft =
        combine(ABUT_CSG_UNION, cylinder_of(0.5, 2), moved(0, 0, 1), cylinder_of(0.5, 1), moved(0, 0, -0.5));
    assert_int_equal(where_is(shaft, 0.25, 0, 0), ABUT_WHERE_IN);
    TEST_NEAR(gap_to_ball(shaft, 2, 0, 0, 0.5, ABUT_SEPARATE), 1, 1e-9, "beside the joint");
    abut_shape_release(shaft);
    /* A body less itself is nothing: no ball meets it. */
    abut_shape *none = combine(ABUT_CSG_DIFFERENCE, box_of(1, 1, 1), NULL, box_of(1, 1, 1), NULL);
    abut_shape *ball;
    abut_check_result c;
    assert_int_equal(abut_shape_create_sphere(1, NULL, &ball), ABUT_OK);
    assert_int_equal(abut_check(none, NULL, ball, NULL, NULL, NULL, &c), ABUT_OK);
    assert_int_equal(c.verdict, ABUT_SEPARATE);
    abut_shape_release(ball);
    abut_shape_release(none);
    /* Corners of the result that no operand has. */
    abut_shape *corner = combine(ABUT_CSG_DIFFERENCE, box_of(1, 1, 1), NULL, box_of(1, 1, 1), moved(1, 1, 1));
    TEST_NEAR(gap_to_ball(corner, 0.5, 0.5, 0.5, 0.25, ABUT_SEPARATE), 0.25, 1e-9,
              "in the corner that is cut off");
    abut_shape_release(corner);
}

/* Arcs: an extrude as an operand, against the same profile as a CAD solid of its own. */
static void profiles(void **state)
{
    (void)state;
    /* A keyhole, a rounded rectangle, a bracket with a notch, a full circle of two arcs, a quarter disc. */
    static const abut_profile_vertex keyhole[] = {
        { -0.25, -1.5, 0 }, { 0.25, -1.5, 0 }, { 0.25, -0.4, 2.3 }, { -0.25, -0.4, 0 }
    };
    static const abut_profile_vertex rounded[] = { { -1, -0.5, 0.41421356237309503 },
                                                   { -0.75, -0.75, 0 },
                                                   { 0.75, -0.75, 0.41421356237309503 },
                                                   { 1, -0.5, 0 },
                                                   { 1, 0.75, 0 },
                                                   { -1, 0.75, 0 } };
    static const abut_profile_vertex notch[] = { { -1, -1, 0 },    { 1, -1, 0 },     { 1, 0.5, 0 },
                                                 { 0.5, 0.5, -1 }, { -0.5, 0.5, 0 }, { -1, 0.5, 0 } };
    static const abut_profile_vertex circle[] = { { -1, 0, 1 }, { 1, 0, 1 } };
    static const abut_profile_vertex quarter[] = { { 0, 0, 0 }, { 1, 0, 0.41421356237309503 }, { 0, 1, 0 } };
    static const abut_profile_vertex wave[] = { { -1, -1, 0 },      { 1, -1, 0 },       { 1, 0, 0.5 },
                                                { 0.4, 0.2, -0.7 }, { -0.4, 0.2, 0.4 }, { -1, 0.3, 0 } };
    static const abut_profile_vertex crescent[] = { { 0, -1, 1 }, { 0, 1, -0.5 } };
    static const struct {
        const abut_profile_vertex *v;
        size_t n;
    } all[] = { { keyhole, 4 }, { rounded, 6 }, { notch, 6 },   { circle, 2 },
                { quarter, 3 }, { wave, 6 },    { crescent, 2 } };
    for (size_t i = 0; i < sizeof all / sizeof *all; ++i) {
        const abut_profile_loop loop = { all[i].v, all[i].n };
        abut_shape *solid, *csg;
        abut_error error;
        TEST_CHECK(abut_shape_create_extrude(&loop, NULL, 0, 1, 0, NULL, &solid, &error) == ABUT_OK,
                   "%zu: %s", i, error.text);
        TEST_CHECK(abut_shape_create_csg(ABUT_CSG_UNION, &solid, 1, NULL, &csg, &error) == ABUT_OK, "%zu: %s",
                   i, error.text);
        test_random r = test_seed(i + 1);
        for (uint64_t k = 0; k < test_count(400); ++k) {
            const abut_vec3 p = { test_uniform(&r, -1.6, 1.6), test_uniform(&r, -1.6, 1.6),
                                  test_uniform(&r, -0.1, 1.1) };
            abut_piece a, b;
            assert_int_equal(abut_classify_point(solid, NULL, p, &a), ABUT_OK);
            assert_int_equal(abut_classify_point(csg, NULL, p, &b), ABUT_OK);
            TEST_CHECK(a.where == b.where, "profile %zu: (%g, %g, %g) is %s, by csg %s", i, p.x, p.y, p.z,
                       abut_where_name(a.where), abut_where_name(b.where));
            if (k % 20)
                continue;
            abut_shape *ball;
            const abut_pose pose = { { 2 * p.x, 2 * p.y, 2 * p.z }, { 1, 0, 0, 0 } };
            abut_check_result x, y;
            assert_int_equal(abut_shape_create_sphere(0.25, NULL, &ball), ABUT_OK);
            assert_int_equal(abut_check(solid, NULL, ball, &pose, NULL, NULL, &x), ABUT_OK);
            assert_int_equal(abut_check(csg, NULL, ball, &pose, NULL, NULL, &y), ABUT_OK);
            abut_shape_release(ball);
            if (x.verdict == ABUT_UNDECIDED || y.verdict == ABUT_UNDECIDED)
                continue;
            TEST_CHECK(x.verdict == y.verdict, "profile %zu at (%a, %a, %a): %s, by csg %s", i,
                       pose.position.x, pose.position.y, pose.position.z, abut_verdict_name(x.verdict),
                       abut_verdict_name(y.verdict));
            TEST_CHECK(x.distance.lo <= y.distance.hi + 1e-8 && y.distance.lo <= x.distance.hi + 1e-8,
                       "profile %zu: [%g, %g], by csg [%g, %g]", i, x.distance.lo, x.distance.hi,
                       y.distance.lo, y.distance.hi);
        }
        abut_shape_release(csg);
        abut_shape_release(solid);
    }
}

/* ---- shapes under affine maps, mirror images among them ---- */

static abut_shape *closed_shape(int kind)
{
    static const abut_vec3 corners[4] = { { 0, 0, 0 }, { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 } };
    static const uint32_t faces[12] = { 0, 2, 1, 0, 1, 3, 1, 2, 3, 0, 3, 2 };
    static const abut_profile_vertex profile[] = { { -1, -1, 0 }, { 1, -1, 0 }, { 0, 1, 0 } };
    const abut_profile_loop loop = { profile, 3 };
    const abut_parametric_def ball = { .x = "cos(u)*cos(v)",
                                       .y = "sin(u)*cos(v)",
                                       .z = "sin(v)",
                                       .u = { 0, 6.283185307179586 },
                                       .v = { -1.5707963267948966, 1.5707963267948966 },
                                       .wrap_u = true };
    const abut_aabb bounds = { { -1, -1, -1 }, { 1, 1, 1 } };
    abut_shape *out = NULL;
    abut_error error;
    switch (kind) {
    case 0: return box_of(0.5, 0.75, 1);
    case 1: return cylinder_of(0.75, 1);
    case 2: assert_int_equal(abut_shape_create_cone(1, 1.5, NULL, &out), ABUT_OK); break;
    case 3: assert_int_equal(abut_shape_create_torus(0.75, 0.25, NULL, &out), ABUT_OK); break;
    case 4: assert_int_equal(abut_shape_create_capsule(0.5, 1, NULL, &out), ABUT_OK); break;
    case 5:
        assert_int_equal(abut_shape_create_halfspace((abut_vec3){ 1, 2, 0.5 }, 0.25, NULL, &out), ABUT_OK);
        break;
    case 6: assert_int_equal(abut_shape_create_convex(corners, 4, 0, NULL, &out, &error), ABUT_OK); break;
    case 7:
        assert_int_equal(abut_shape_create_mesh(corners, 4, faces, 4, true, NULL, &out, &error), ABUT_OK);
        break;
    case 8: assert_int_equal(abut_shape_create_parametric(&ball, NULL, &out, &error), ABUT_OK); break;
    case 9:
        assert_int_equal(abut_shape_create_implicit("x*x + y^2*2 + z*x - 0.25", bounds, NULL, &out, &error),
                         ABUT_OK);
        break;
    case 10:
        assert_int_equal(abut_shape_create_extrude(&loop, NULL, 0, 0.75, 0, NULL, &out, &error), ABUT_OK);
        break;
    default: return combine(ABUT_CSG_DIFFERENCE, box_of(1, 1, 0.5), NULL, cylinder_of(0.5, 1), NULL);
    }
    return out;
}

static void transformed(void **state)
{
    (void)state;
    enum { KINDS = 12 };
    const uint64_t count = KINDS * (1 + test_count(10));
    for (uint64_t seed = 0; seed < count; ++seed) {
        test_random r = test_seed(seed + 1);
        abut_affine at = { .translation = { test_uniform(&r, -1, 1), test_uniform(&r, -1, 1),
                                            test_uniform(&r, -1, 1) } };
        for (int i = 0; i < 9; ++i)
            at.linear.m[i / 3][i % 3] = (i % 4 == 0) + test_uniform(&r, -0.4, 0.4);
        if (seed / KINDS % 2) /* a mirror image */
            for (int i = 0; i < 3; ++i)
                at.linear.m[i][1] = -at.linear.m[i][1];
        abut_shape *shape = closed_shape((int)(seed % KINDS)), *image;
        abut_error error;
        TEST_CHECK(abut_shape_create_transformed(shape, &at, NULL, &image, &error) == ABUT_OK, "kind %d: %s",
                   (int)(seed % KINDS), error.text);
        int open = 0;
        for (int k = 0; k < 40; ++k) {
            const abut_vec3 p = { test_uniform(&r, -1.1, 1.1), test_uniform(&r, -1.1, 1.1),
                                  test_uniform(&r, -1.1, 1.1) };
            double(*const m)[3] = at.linear.m;
            const abut_vec3 q = { m[0][0] * p.x + m[0][1] * p.y + m[0][2] * p.z + at.translation.x,
                                  m[1][0] * p.x + m[1][1] * p.y + m[1][2] * p.z + at.translation.y,
                                  m[2][0] * p.x + m[2][1] * p.y + m[2][2] * p.z + at.translation.z };
            const abut_where here = where_is(shape, p.x, p.y, p.z), there = where_is(image, q.x, q.y, q.z);
            open += here == ABUT_WHERE_UNKNOWN || there == ABUT_WHERE_UNKNOWN;
            TEST_CHECK(here == there || here == ABUT_WHERE_UNKNOWN || there == ABUT_WHERE_UNKNOWN,
                       "seed %" PRIu64 " kind %d: %s, its image %s", seed, (int)(seed % KINDS),
                       abut_where_name(here), abut_where_name(there));
        }
        assert_true(open <= 2);
        abut_shape_release(image);
        abut_shape_release(shape);
    }
    const abut_affine flat = { .linear = { { { 1, 0, 0 }, { 0, 1, 0 }, { 1, 1, 0 } } } };
    abut_shape *box = box_of(1, 1, 1), *none;
    assert_int_equal(abut_shape_create_transformed(box, &flat, NULL, &none, NULL), ABUT_ERR_ARGUMENT);
    assert_null(none);
    abut_shape_release(box);
}

static void memory_may_run_out_anywhere(void **state)
{
    (void)state;
    static const abut_profile_vertex profile[] = { { 0.5, -0.5, 0 }, { 1, -0.5, 0.5 }, { 1, 0.5, 0 } };
    const abut_profile_loop loop = { profile, 3 };
    const abut_affine at = { .linear = { { { 1, 0.5, 0 }, { 0, 1, 0 }, { 0, 0, -2 } } } };
    abut_shape *ring, *out, *all[3] = { box_of(1, 1, 1), cylinder_of(0.5, 3), closed_shape(8) };
    abut_status status;
    abut_error error;
    assert_int_equal(abut_shape_create_revolve(&loop, 0, NULL, &ring, &error), ABUT_OK);
    abut_motion *place = moved(0.25, 0, 0);
    const abut_csg_operand of[3] = { { all[0], NULL }, { all[1], place }, { ring, place } };
    TEST_EVERY_ALLOCATION_FAILS(
        alloc,
        {
            status = abut_shape_create_csg_placed(ABUT_CSG_DIFFERENCE, of, 3, &alloc, &out, &error);
            abut_shape_release(out);
        },
        status);
    for (int i = 0; i < 3; ++i)
        TEST_EVERY_ALLOCATION_FAILS(
            alloc,
            {
                status = abut_shape_create_transformed(all[i], &at, &alloc, &out, &error);
                abut_shape_release(out);
            },
            status);
    abut_motion_release(place);
    abut_shape_release(ring);
    for (int i = 0; i < 3; ++i)
        abut_shape_release(all[i]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(points),
        cmocka_unit_test(rays),
        cmocka_unit_test(balls),
        cmocka_unit_test(two),
        cmocka_unit_test(moving),
        cmocka_unit_test(flush_faces),
        cmocka_unit_test(profiles),
        cmocka_unit_test(transformed),
        cmocka_unit_test(memory_may_run_out_anywhere),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
