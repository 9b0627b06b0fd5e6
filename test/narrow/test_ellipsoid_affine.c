/* SPDX-License-Identifier: MIT */
/* Ellipsoids and balls under affine maps in every query at one instant, and posed ellipsoids that
 * touch exactly.
 *
 * Referees: the relation and distances to hundreds of bits (test/oracle/ellipsoid_pair.h); the
 * support of a half-space in long double; for partners of other types the same ellipsoid stated
 * by its semi-axes and a pose. */
#include "abut/abut.h"
#include "math/vec3.h"
#include "oracle/ellipsoid_pair.h"
#include "support/test.h"

static abut_affine random_map(test_random *g, double aspect, double size)
{
    const abut_pose pose = { { 0, 0, 0 },
                             { test_uniform(g, -1, 1), test_uniform(g, -1, 1), test_uniform(g, -1, 1),
                               test_uniform(g, -1, 1) } },
                    after = { { test_uniform(g, -0.8, 0.8), test_uniform(g, -0.8, 0.8),
                                test_uniform(g, -0.8, 0.8) },
                              { test_uniform(g, -1, 1), test_uniform(g, -1, 1), test_uniform(g, -1, 1),
                                test_uniform(g, -1, 1) } };
    abut_affine m = abut_affine_from_pose(pose);
    for (int i = 0; i < 3; ++i) {
        const double s = size * exp2(-test_uniform(g, 0, log2(aspect))) * (test_below(g, 2) ? 1 : -1);
        for (int j = 0; j < 3; ++j)
            m.linear.m[i][j] *= s;
    }
    const abut_affine turn = abut_affine_from_pose(after);
    return abut_affine_compose(&turn, &m);
}

static abut_motion *hold(const abut_affine *m)
{
    abut_motion *motion = NULL;
    assert_int_equal(abut_motion_create_static_affine(m, NULL, &motion, NULL), ABUT_OK);
    return motion;
}

static abut_shape *ellipsoid(abut_vec3 r)
{
    abut_shape *shape = NULL;
    assert_int_equal(abut_shape_create_ellipsoid(r, NULL, &shape), ABUT_OK);
    return shape;
}

static abut_shape *sphere(double r)
{
    abut_shape *shape = NULL;
    assert_int_equal(abut_shape_create_sphere(r, NULL, &shape), ABUT_OK);
    return shape;
}

/* Powers of two as radii: their products with the map are exact, so that the referee gets the
 * same body. */
static abut_vec3 exact_radii(test_random *g)
{
    return abut_v3(exp2((double)test_below(g, 3) - 1), exp2((double)test_below(g, 3) - 1),
                   exp2((double)test_below(g, 3) - 1));
}

static abut_affine with_radii(abut_affine m, abut_vec3 r)
{
    for (int i = 0; i < 3; ++i) {
        m.linear.m[i][0] *= r.x;
        m.linear.m[i][1] *= r.y;
        m.linear.m[i][2] *= r.z;
    }
    return m;
}

/* To the next double; from 0 by what one near 1 would. */
static void step(double *x, bool up)
{
    *x = *x == 0 ? (up ? 0x1p-53 : -0x1p-53) : nextafter(*x, up ? INFINITY : -INFINITY);
}

static const double aspects[] = { 1.5, 10, 1e3, 1e6 };

/* Two under maps: verdicts, and that distance and depth are narrow and mean what they say. */
static void test_pairs(void **state)
{
    (void)state;
    int verdicts[4] = { 0 };
    for (int i = 0, n = (int)test_count(1200); i < n; ++i) {
        const uint64_t seed = 7000 + (uint64_t)i;
        test_random g = test_seed(seed);
        const abut_vec3 ra = exact_radii(&g), rb = exact_radii(&g);
        const abut_affine ma = random_map(&g, aspects[i % 4], 1), mb = random_map(&g, aspects[i % 4], 1);
        const abut_affine ka = with_radii(ma, ra), kb = with_radii(mb, rb);
        abut_shape *a = ellipsoid(ra), *b = ellipsoid(rb);
        abut_motion *pa = hold(&ma), *pb = hold(&mb);
        abut_check_result r;
        assert_int_equal(abut_check_at(a, pa, b, pb, 0, NULL, NULL, &r), ABUT_OK);
        const oracle_ellipsoids o = oracle_ellipsoid_relate(&ka, &kb, 400);
        const abut_verdict wanted = o.separate   ? ABUT_SEPARATE
                                    : o.touching ? ABUT_TOUCHING
                                                 : ABUT_PENETRATING;
        TEST_CHECK(r.verdict == wanted, "seed %" PRIu64 ": verdict %d, expected %d", seed, r.verdict, wanted);
        ++verdicts[r.verdict];
        if (r.verdict == ABUT_SEPARATE) {
            TEST_CHECK(r.distance.hi - r.distance.lo < 1e-13 * (1 + r.distance.hi),
                       "seed %" PRIu64 ": wide %g", seed, r.distance.hi - r.distance.lo);
            /* The nearest point of b is that far from a, and near b. */
            const double from_a = (double)oracle_ellipsoid_distance(&ka, r.point_b, 400);
            TEST_CHECK(fabs(from_a - r.distance.hi) < 1e-9 * (1 + from_a) &&
                           (double)oracle_ellipsoid_distance(&kb, r.point_b, 400) < 1e-12,
                       "seed %" PRIu64 ": witness %g, distance %g", seed, from_a, r.distance.hi);
            /* lo is no more than the distance of any points: move b's along the normal. */
            const long double back = oracle_ellipsoid_distance(&kb, r.point_a, 400);
            TEST_CHECK((double)back >= r.distance.lo - 1e-12, "seed %" PRIu64, seed);
        } else if (r.has_depth) {
            /* Moved by the depth and a bit they are apart, by less they are not. */
            for (int way = 0; way < 2; ++way) {
                const double far = way ? r.depth.hi * (1 + 1e-9) + 1e-13 : r.depth.lo * (1 - 1e-9) - 1e-13;
                abut_affine moved = kb;
                moved.translation = abut_madd(kb.translation, far, r.normal);
                if (far <= 0)
                    continue;
                const oracle_ellipsoids after = oracle_ellipsoid_relate(&ka, &moved, 400);
                TEST_CHECK(after.separate == (way == 1), "seed %" PRIu64 ": depth [%g, %g] way %d", seed,
                           r.depth.lo, r.depth.hi, way);
            }
        }
        abut_motion_release(pa);
        abut_motion_release(pb);
        abut_shape_release(a);
        abut_shape_release(b);
    }
    print_message("separate %d, penetrating %d, touching %d, undecided %d\n", verdicts[ABUT_SEPARATE],
                  verdicts[ABUT_PENETRATING], verdicts[ABUT_TOUCHING], verdicts[ABUT_UNDECIDED]);
    if (verdicts[ABUT_SEPARATE] > 300)
        assert_true(verdicts[ABUT_PENETRATING] > 0);
}

/* Against a ball and a half-space: enclosures hold the true distance. */
static void test_ball_and_plane(void **state)
{
    (void)state;
    for (int i = 0, n = (int)test_count(1500); i < n; ++i) {
        const uint64_t seed = 17000 + (uint64_t)i;
        test_random g = test_seed(seed);
        const double radius = exp2((double)test_below(&g, 3) - 1);
        const abut_affine m = random_map(&g, aspects[i % 4], 1);
        const abut_affine k = with_radii(m, abut_v3(radius, radius, radius));
        abut_shape *a = sphere(radius), *ball = sphere(0.25), *plane = NULL;
        abut_motion *pa = hold(&m);
        const abut_vec3 c = { test_uniform(&g, -4, 4), test_uniform(&g, -4, 4), test_uniform(&g, -4, 4) };
        const abut_affine at = { { { { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 } } }, c };
        abut_motion *pb = hold(&at);
        abut_check_result r;
        assert_int_equal(abut_check_at(a, pa, ball, pb, 0, NULL, NULL, &r), ABUT_OK);
        const long double gap = oracle_ellipsoid_distance(&k, c, 400) - 0.25L;
        if (gap > 0)
            TEST_CHECK(r.verdict == ABUT_SEPARATE && r.distance.lo <= gap && gap <= r.distance.hi &&
                           r.distance.hi - r.distance.lo < 1e-13,
                       "seed %" PRIu64 ": [%a, %a], expected %La", seed, r.distance.lo, r.distance.hi, gap);
        else
            TEST_CHECK(r.verdict == ABUT_PENETRATING, "seed %" PRIu64, seed);
        const abut_vec3 normal = { test_uniform(&g, -1, 1), test_uniform(&g, -1, 1),
                                   test_uniform(&g, -1, 1) };
        const double offset = test_uniform(&g, -2, 2);
        assert_int_equal(abut_shape_create_halfspace(normal, offset, NULL, &plane), ABUT_OK);
        assert_int_equal(abut_check_at(a, pa, plane, NULL, 0, NULL, NULL, &r), ABUT_OK);
        long double square = 0, length = 0, along = -(long double)offset;
        const double nn[3] = { normal.x, normal.y, normal.z },
                     tt[3] = { k.translation.x, k.translation.y, k.translation.z };
        for (int j = 0; j < 3; ++j) {
            long double sum = 0;
            for (int e = 0; e < 3; ++e)
                sum += (long double)k.linear.m[e][j] * nn[e];
            square += sum * sum;
            length += (long double)nn[j] * nn[j];
            along += (long double)nn[j] * tt[j];
        }
        const long double over = (along - sqrtl(square)) / sqrtl(length), slack = 1e-17L;
        if (over > 0)
            TEST_CHECK(r.verdict == ABUT_SEPARATE && r.distance.lo <= over + slack &&
                           over - slack <= r.distance.hi && r.distance.hi - r.distance.lo < 1e-13,
                       "seed %" PRIu64 ": [%a, %a], expected %La", seed, r.distance.lo, r.distance.hi, over);
        else
            TEST_CHECK(r.verdict == ABUT_PENETRATING && r.depth.lo <= -over + slack &&
                           -over - slack <= r.depth.hi,
                       "seed %" PRIu64 ": [%a, %a], expected %La", seed, r.depth.lo, r.depth.hi, -over);
        abut_motion_release(pa);
        abut_motion_release(pb);
        abut_shape_release(a);
        abut_shape_release(ball);
        abut_shape_release(plane);
    }
}

/* Scaled along its own axes it is an ellipsoid shape with a pose: all partners must agree. */
static void test_partners(void **state)
{
    (void)state;
    abut_shape *partner[8];
    size_t count = 0;
    const abut_vec3 corners[4] = { { 0, 0, 0 }, { 1, 0, 0.25 }, { 0, 1, 0.5 }, { 0.25, 0.5, 1 } };
    const uint32_t faces[12] = { 0, 2, 1, 0, 1, 3, 1, 2, 3, 0, 3, 2 };
    const double heights[9] = { 0, 0.5, 0.25, -0.5, 0.75, 0, 0.25, 0, -0.25 };
    assert_int_equal(abut_shape_create_box(abut_v3(0.5, 0.75, 0.25), NULL, &partner[count++]), ABUT_OK);
    assert_int_equal(abut_shape_create_capsule(0.25, 1, NULL, &partner[count++]), ABUT_OK);
    assert_int_equal(abut_shape_create_cylinder(0.5, 1, NULL, &partner[count++]), ABUT_OK);
    assert_int_equal(abut_shape_create_cone(0.5, 1, NULL, &partner[count++]), ABUT_OK);
    assert_int_equal(abut_shape_create_convex(corners, 4, 0, NULL, &partner[count++], NULL), ABUT_OK);
    assert_int_equal(abut_shape_create_mesh(corners, 4, faces, 4, true, NULL, &partner[count++], NULL),
                     ABUT_OK);
    assert_int_equal(abut_shape_create_heightfield(3, 3, 1, 1, heights, NULL, &partner[count++], NULL),
                     ABUT_OK);
    for (int i = 0, n = (int)test_count(400); i < n; ++i) {
        const uint64_t seed = 27000 + (uint64_t)i;
        test_random g = test_seed(seed);
        const abut_pose pose = { { test_uniform(&g, -1.5, 1.5), test_uniform(&g, -1.5, 1.5),
                                   test_uniform(&g, -1.5, 2) },
                                 { test_uniform(&g, -1, 1), test_uniform(&g, -1, 1), test_uniform(&g, -1, 1),
                                   test_uniform(&g, -1, 1) } };
        const abut_vec3 r = exact_radii(&g), s = { 0.25, -0.75, 1.5 };
        const abut_affine m = with_radii(abut_affine_from_pose(pose), s);
        abut_shape *a = ellipsoid(r), *same = ellipsoid(abut_v3(r.x * s.x, -r.y * s.y, r.z * s.z));
        abut_motion *pa = hold(&m);
        for (size_t k = 0; k < count; ++k) {
            abut_check_result found, wanted;
            assert_int_equal(abut_check_at(a, pa, partner[k], NULL, 0, NULL, NULL, &found), ABUT_OK);
            assert_int_equal(abut_check(same, &pose, partner[k], NULL, NULL, NULL, &wanted), ABUT_OK);
            const double slack = 1e-14;
            TEST_CHECK(found.verdict == wanted.verdict, "seed %" PRIu64 ", partner %zu: %d, %d", seed, k,
                       found.verdict, wanted.verdict);
            TEST_CHECK(found.distance.lo <= wanted.distance.hi + slack &&
                           wanted.distance.lo <= found.distance.hi + slack &&
                           found.distance.hi - found.distance.lo <=
                               4 * (wanted.distance.hi - wanted.distance.lo) + 1e-13,
                       "seed %" PRIu64 ", partner %zu: [%a, %a], [%a, %a]", seed, k, found.distance.lo,
                       found.distance.hi, wanted.distance.lo, wanted.distance.hi);
            TEST_CHECK(found.has_depth == wanted.has_depth && found.depth.lo <= wanted.depth.hi + slack &&
                           wanted.depth.lo <= found.depth.hi + slack,
                       "seed %" PRIu64 ", partner %zu: depth [%g, %g], [%g, %g]", seed, k, found.depth.lo,
                       found.depth.hi, wanted.depth.lo, wanted.depth.hi);
        }
        abut_motion_release(pa);
        abut_shape_release(a);
        abut_shape_release(same);
    }
    for (size_t k = 0; k < count; ++k)
        abut_shape_release(partner[k]);
}

/* Integer maps: points exactly on it, and a double beside. */
static void test_points_and_rays(void **state)
{
    (void)state;
    for (int i = 0, n = (int)test_count(2000); i < n; ++i) {
        const uint64_t seed = 37000 + (uint64_t)i;
        test_random g = test_seed(seed);
        abut_affine m;
        abut_vec3 y = { 1, 2, 2 }; /* of length 3 */
        if (test_below(&g, 2))
            y = abut_v3(-6, 2, 3);
        const double radius = sqrt(abut_dot(y, y));
        do
            for (int e = 0; e < 9; ++e)
                m.linear.m[e / 3][e % 3] = (double)test_below(&g, 19) - 9;
        while (abut_mat3_det(&m.linear) == 0);
        m.translation = abut_v3(test_below(&g, 100), test_below(&g, 100), test_below(&g, 100));
        const abut_affine k = with_radii(m, abut_v3(radius, radius, radius));
        abut_shape *a = sphere(radius);
        abut_motion *pa = hold(&m);
        abut_vec3 p = abut_affine_apply(&m, y);
        abut_piece piece;
        assert_int_equal(abut_classify_point_at(a, pa, 0, p, &piece), ABUT_OK);
        TEST_CHECK(piece.where == ABUT_WHERE_FACE, "seed %" PRIu64 ": %d", seed, piece.where);
        step(&p.x, test_below(&g, 2));
        assert_int_equal(abut_classify_point_at(a, pa, 0, p, &piece), ABUT_OK);
        const int side = oracle_ellipsoid_side(&k, p, 400);
        TEST_CHECK(piece.where == (side > 0   ? ABUT_WHERE_OUT
                                   : side < 0 ? ABUT_WHERE_IN
                                              : ABUT_WHERE_FACE),
                   "seed %" PRIu64 ": %d, side %d", seed, piece.where, side);
        /* A ray from the centre leaves at parameter 1. */
        abut_ray_hit hits[2];
        size_t count = 0;
        const abut_vec3 d = abut_mul(&m.linear, y);
        assert_int_equal(abut_cast_ray_at(a, pa, 0, m.translation, d, hits, 2, &count), ABUT_OK);
        TEST_CHECK(count == 1 && fabs(hits[0].t - 1) < 1e-14, "seed %" PRIu64 ": %zu hits, t - 1 = %g", seed,
                   count, count ? hits[0].t - 1 : 0);
        abut_motion_release(pa);
        abut_shape_release(a);
    }
}

/* Posed bodies with rational rotations that touch at the end of an axis. */
static void test_posed_touching(void **state)
{
    (void)state;
    int found[4] = { 0 };
    for (int i = 0, n = (int)test_count(600); i < n; ++i) {
        const uint64_t seed = 47000 + (uint64_t)i;
        test_random g = test_seed(seed);
        abut_quat q;
        do
            q = (abut_quat){ (double)test_below(&g, 9) - 4, (double)test_below(&g, 9) - 4,
                             (double)test_below(&g, 9) - 4, (double)test_below(&g, 9) - 4 };
        while (abut_quat_dot(q, q) == 0);
        const double norm = abut_quat_dot(q, q);
        /* Radii along the first axis that add up to a multiple of |q|^2: the centre is then an
         * integer. */
        const double ra = 1 + test_below(&g, (unsigned)norm + 3), far = norm * ceil((ra + 1) / norm),
                     rb = far - ra;
        const abut_quat spin = { 1 + test_below(&g, 5), (double)test_below(&g, 9) - 4, 0, 0 };
        oracle_posed a = { { ra, 1 + test_below(&g, 9), 0.5 + test_below(&g, 9) }, { { 3, -5, 7 }, q } };
        oracle_posed b = { { rb, 2 + test_below(&g, 9), 0.25 + test_below(&g, 9) },
                           { { 0, 0, 0 }, abut_quat_mul(q, spin) } };
        const double s = far / norm;
        b.pose.position = abut_v3(3 + s * (q.w * q.w + q.x * q.x - q.y * q.y - q.z * q.z),
                                  -5 + s * 2 * (q.x * q.y + q.w * q.z), 7 + s * 2 * (q.x * q.z - q.w * q.y));
        const bool round = test_below(&g, 4) == 0;
        if (round)
            b.radii = abut_v3(rb, rb, rb);
        abut_shape *sa = ellipsoid(a.radii), *sb = round ? sphere(rb) : ellipsoid(b.radii);
        for (int k = 0; k < 3; ++k) {
            abut_check_result r;
            abut_overlap_result overlap;
            if (k)
                step(&b.pose.position.x, k == 1);
            const oracle_ellipsoids o = oracle_ellipsoid_relate_posed(&a, &b, 640);
            const abut_verdict wanted = o.separate   ? ABUT_SEPARATE
                                        : o.touching ? ABUT_TOUCHING
                                                     : ABUT_PENETRATING;
            TEST_CHECK(k || wanted == ABUT_TOUCHING, "seed %" PRIu64, seed);
            assert_int_equal(abut_check(sa, &a.pose, sb, &b.pose, NULL, NULL, &r), ABUT_OK);
            assert_int_equal(abut_overlap(sa, &a.pose, sb, &b.pose, NULL, NULL, &overlap), ABUT_OK);
            TEST_CHECK(r.verdict == wanted && overlap.verdict == wanted,
                       "seed %" PRIu64 " step %d: %d, %d, expected %d", seed, k, r.verdict, overlap.verdict,
                       wanted);
            ++found[wanted];
        }
        abut_shape_release(sa);
        abut_shape_release(sb);
    }
    if (found[ABUT_TOUCHING] > 300) /* few cases say nothing about coverage */
        assert_true(found[ABUT_SEPARATE] > 0 && found[ABUT_PENETRATING] > 0);
}

/* Random poses, many of them brought to where the bodies graze each other: the quick verdicts. */
static void test_posed_grazing(void **state)
{
    (void)state;
    int found[4] = { 0 };
    for (int i = 0, n = (int)test_count(2500); i < n; ++i) {
        const uint64_t seed = 57000 + (uint64_t)i;
        test_random g = test_seed(seed);
        const double k = log2(aspects[i % 4]);
        oracle_posed a, b;
        for (int e = 0; e < 2; ++e)
            *(e ? &b : &a) = (oracle_posed){ { exp2(-test_uniform(&g, 0, k)), exp2(-test_uniform(&g, 0, k)),
                                               exp2(-test_uniform(&g, 0, k)) },
                                             { { test_uniform(&g, -1, 1), test_uniform(&g, -1, 1),
                                                 test_uniform(&g, -1, 1) },
                                               { test_uniform(&g, -1, 1), test_uniform(&g, -1, 1),
                                                 test_uniform(&g, -1, 1), test_uniform(&g, -1, 1) } } };
        abut_shape *sa = ellipsoid(a.radii), *sb = ellipsoid(b.radii);
        abut_distance_result near;
        abut_check_result r;
        /* Twice: where they are, and b moved by nearly the gap. */
        for (int step = 0; step < 2; ++step) {
            if (step) {
                assert_int_equal(abut_distance(sa, &a.pose, sb, &b.pose, NULL, NULL, &near), ABUT_OK);
                assert_int_equal(abut_check(sa, &a.pose, sb, &b.pose, NULL, NULL, &r), ABUT_OK);
                const double gap = r.verdict == ABUT_SEPARATE ? near.distance.lo
                                   : r.has_depth              ? -r.depth.lo
                                                              : 0;
                const double by = gap * (1 + test_log_uniform(&g, -53, -20));
                b.pose.position = abut_madd(b.pose.position, -by, r.normal);
            }
            abut_overlap_result overlap;
            assert_int_equal(abut_overlap(sa, &a.pose, sb, &b.pose, NULL, NULL, &overlap), ABUT_OK);
            const oracle_ellipsoids o = oracle_ellipsoid_relate_posed(&a, &b, 400);
            const abut_verdict wanted = o.separate   ? ABUT_SEPARATE
                                        : o.touching ? ABUT_TOUCHING
                                                     : ABUT_PENETRATING;
            TEST_CHECK(overlap.verdict == wanted, "seed %" PRIu64 " step %d: %d, expected %d (%g)", seed,
                       step, overlap.verdict, wanted, o.apart);
            ++found[wanted];
        }
        abut_shape_release(sa);
        abut_shape_release(sb);
    }
    print_message("separate %d, penetrating %d\n", found[ABUT_SEPARATE], found[ABUT_PENETRATING]);
}

/* Maps whose image is exactly a ball (integer quaternions as matrices: turned, and |q|^2 times
 * as large) or stands along the axes: against a box, a half-space, a ball and a capsule that it
 * touches in a face, or beside. All numbers are small multiples of a sixteenth, so that the gap
 * along x is exact in doubles. */
static void test_exact_images(void **state)
{
    (void)state;
    const uint64_t count = test_count(4000);
    int touching = 0;
    for (uint64_t seed = 1; seed <= count; ++seed) {
        test_random g = test_seed(seed);
        const double r = (1 + test_below(&g, 32)) / 16.0, place = test_below(&g, 64) / 16.0 - 2;
        abut_affine m = { .translation = { place, test_below(&g, 9) - 4.0, 0.25 } };
        abut_vec3 radii = { r, r, r };
        double reach;
        if (test_below(&g, 2)) {
            const double w = test_below(&g, 5) - 2.0, x = test_below(&g, 5) - 2.0,
                         y = test_below(&g, 5) - 2.0, z = test_below(&g, 3) + 1.0,
                         mirror = test_below(&g, 2) ? -1 : 1;
            const double rows[9] = { w * w + x * x - y * y - z * z, 2 * (x * y - w * z),
                                     2 * (x * z + w * y),           2 * (x * y + w * z),
                                     w * w - x * x + y * y - z * z, 2 * (y * z - w * x),
                                     2 * (x * z - w * y),           2 * (y * z + w * x),
                                     w * w - x * x - y * y + z * z };
            for (int i = 0; i < 9; ++i)
                m.linear.m[i / 3][i % 3] = rows[i] * (i % 3 == 0 ? mirror : 1);
            reach = r * (w * w + x * x + y * y + z * z);
        } else { /* columns go to the axes k, k + 1, k + 2, each scaled */
            const int k = (int)test_below(&g, 3);
            radii = abut_v3(r, (1 + test_below(&g, 32)) / 16.0, (1 + test_below(&g, 32)) / 16.0);
            const double scales[3] = { 0.5, -3, 1.25 };
            for (int j = 0; j < 3; ++j)
                m.linear.m[(j + k) % 3][j] = scales[j];
            const int along = (3 - k) % 3;
            reach = fabs(scales[along]) * (along == 0 ? radii.x : along == 1 ? radii.y : radii.z);
        }
        const double edge = place + reach,
                     beside = ((int)test_below(&g, 3) - 1) * exp2(-(double)test_below(&g, 30) - 8);
        abut_shape *a = radii.x == radii.y && radii.y == radii.z && test_below(&g, 2) ? sphere(r)
                                                                                      : ellipsoid(radii),
                   *b = NULL;
        abut_vec3 at = { edge + beside, m.translation.y, m.translation.z };
        switch (test_below(&g, 4)) {
        case 0:
            assert_int_equal(abut_shape_create_box(abut_v3(1, 64, 64), NULL, &b), ABUT_OK);
            at.x += 1;
            break;
        case 1: assert_int_equal(abut_shape_create_halfspace(abut_v3(-1, 0, 0), 0, NULL, &b), ABUT_OK); break;
        case 2:
            b = sphere(2);
            at.x += 2;
            break;
        default: assert_int_equal(abut_shape_create_capsule(0.5, 4, NULL, &b), ABUT_OK); at.x += 0.5;
        }
        const abut_placement there = { at,
                                       { .kind = ABUT_ROTATION_QUATERNION, .quaternion = { 1, 0, 0, 0 } } };
        abut_motion *held = hold(&m), *stay = NULL;
        assert_int_equal(abut_motion_create_static(&there, NULL, &stay, NULL), ABUT_OK);
        abut_check_result out;
        assert_int_equal(abut_check_at(a, held, b, stay, 0, NULL, NULL, &out), ABUT_OK);
        const abut_verdict expected = beside > 0   ? ABUT_SEPARATE
                                      : beside < 0 ? ABUT_PENETRATING
                                                   : ABUT_TOUCHING;
        TEST_CHECK(out.verdict == expected, "seed %" PRIu64 ": %s, beside by %a", seed,
                   abut_verdict_name(out.verdict), beside);
        if (expected == ABUT_SEPARATE)
            TEST_CHECK(out.distance.lo <= beside && beside <= out.distance.hi,
                       "seed %" PRIu64 ": [%a, %a], not %a", seed, out.distance.lo, out.distance.hi, beside);
        touching += expected == ABUT_TOUCHING;
        /* A ray along x leaves it at the same place. */
        abut_ray_hit hit[2];
        size_t hits = 0;
        assert_int_equal(abut_cast_ray_at(a, held, 0, m.translation, abut_v3(1, 0, 0), hit, 2, &hits),
                         ABUT_OK);
        TEST_CHECK(hits == 1 && hit[0].t == reach, "seed %" PRIu64 ": %zu hits, at %a, not at %a", seed, hits,
                   hit[0].t, reach);
        abut_shape_release(a);
        abut_shape_release(b);
        abut_motion_release(held);
        abut_motion_release(stay);
    }
    print_message("%d of %" PRIu64 " touch\n", touching, count);
}

/* Other shapes, and maps that are singular. */
static void test_bad(void **state)
{
    (void)state;
    abut_shape *box = NULL, *a = sphere(1);
    assert_int_equal(abut_shape_create_box(abut_v3(1, 1, 1), NULL, &box), ABUT_OK);
    const abut_affine skew = { { { { 1, 0.5, 0 }, { 0, 2, 0 }, { 0, 0, 1 } } }, { 5, 0, 0 } };
    const abut_affine flat = { { { { 1, 2, 3 }, { 4, 5, 6 }, { 7, 8, 9 } } }, { 0, 0, 0 } };
    abut_motion *pa = hold(&skew), *pf = hold(&flat), *closing = NULL;
    abut_check_result r;
    abut_piece piece;
    assert_int_equal(abut_check_at(box, pa, a, NULL, 0, NULL, NULL, &r), ABUT_ERR_UNSUPPORTED);
    assert_int_equal(abut_check_at(a, pa, box, NULL, 0, NULL, NULL, &r), ABUT_OK);
    assert_int_equal(r.verdict, ABUT_SEPARATE);
    assert_int_equal(abut_check_at(a, pf, box, NULL, 0, NULL, NULL, &r), ABUT_ERR_VALUE);
    assert_int_equal(abut_classify_point_at(a, pf, 0, abut_v3(0, 0, 0), &piece), ABUT_ERR_VALUE);
    /* From one side out to the other: at 1/2 it has no volume. */
    const abut_affine ends[2] = { { { { { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 } } }, { 0, 0, 3 } },
                                  { { { { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, -1 } } }, { 0, 0, 3 } } };
    assert_int_equal(abut_motion_create_affine(0, 1, ends, 2, NULL, &closing, NULL), ABUT_OK);
    assert_int_equal(abut_check_at(a, closing, box, NULL, 0.5, NULL, NULL, &r), ABUT_ERR_VALUE);
    assert_int_equal(abut_check_at(a, closing, box, NULL, 0.25, NULL, NULL, &r), ABUT_OK);
    /* Reaches from 2.5 to 3.5, the box to 1. */
    TEST_CHECK(r.distance.lo <= 1.5 && 1.5 <= r.distance.hi && r.distance.hi - r.distance.lo < 1e-13, "%a %a",
               r.distance.lo, r.distance.hi);
    abut_motion_release(pa);
    abut_motion_release(pf);
    abut_motion_release(closing);
    abut_shape_release(a);
    abut_shape_release(box);
}

static int free_all(void **state)
{
    (void)state;
    oracle_ellipsoid_free();
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_pairs),          cmocka_unit_test(test_ball_and_plane),
        cmocka_unit_test(test_partners),       cmocka_unit_test(test_points_and_rays),
        cmocka_unit_test(test_posed_touching), cmocka_unit_test(test_posed_grazing),
        cmocka_unit_test(test_exact_images),   cmocka_unit_test(test_bad),
    };
    return cmocka_run_group_tests(tests, NULL, free_all);
}
