/* SPDX-License-Identifier: MIT */
/* Two placed triangles: how they meet and how far apart they are, against rationals. */
#include "math/vec3.h"
#include "narrow/triangle/triangle.h"
#include "oracle/triangle_gmp.h"
#include "support/places.h"

typedef struct placed {
    abut_pose pose_a, pose_b;
    abut_vec3 a[3], b[3];
} placed;

static void print_case(const placed *c)
{
    const abut_pose *poses[2] = { &c->pose_a, &c->pose_b };
    const abut_vec3 *corners[2] = { c->a, c->b };
    for (int s = 0; s < 2; ++s) {
        const abut_pose *p = poses[s];
        print_error("%c: at %a %a %a, q %a %a %a %a\n", 'a' + s, p->position.x, p->position.y, p->position.z,
                    p->rotation.w, p->rotation.x, p->rotation.y, p->rotation.z);
        for (int i = 0; i < 3; ++i)
            print_error("   %a %a %a\n", corners[s][i].x, corners[s][i].y, corners[s][i].z);
    }
}

/* ---- cases ---- */

static const abut_pose still = { { 0, 0, 0 }, { 1, 0, 0, 0 } };

static abut_quat grid_quat(test_random *r, int n)
{
    abut_quat q;
    do
        q = (abut_quat){ random_integer(r, n), random_integer(r, n), random_integer(r, n),
                         random_integer(r, n) };
    while (q.w == 0 && q.x == 0 && q.y == 0 && q.z == 0);
    return q;
}

static abut_quat any_quat(test_random *r)
{
    return (abut_quat){ test_uniform(r, -1, 1), test_uniform(r, -1, 1), test_uniform(r, -1, 1),
                        test_uniform(r, -1, 1) };
}

static abut_vec3 mixed(test_random *r, const abut_vec3 *t)
{
    switch (test_below(r, 4)) {
    case 0: return t[test_below(r, 3)];
    case 1: return abut_scale(0.5, abut_add(t[test_below(r, 3)], t[test_below(r, 3)]));
    case 2: return abut_sub(abut_add(t[0], t[1]), t[2]);
    default: return abut_sub(abut_scale(2, t[test_below(r, 3)]), t[test_below(r, 3)]);
    }
}

static abut_vec3 line_point(test_random *r, const abut_vec3 t[3])
{
    return abut_madd(t[0], 0.5 * random_integer(r, 3), abut_sub(t[1], t[0]));
}

enum { KIND_COUNT = 14 };

static void make_triangles(test_random *r, unsigned kind, placed *c)
{
    for (int i = 0; i < 3; ++i) {
        c->a[i] = kind == 0 || kind >= 9 ? random_vec3(r, 1) : grid_point(r, 3);
        c->b[i] = kind == 0 || kind >= 9 ? random_vec3(r, 1) : grid_point(r, 3);
    }
    switch (kind) {
    case 2: /* corners in common, on edges, in the plane */
        for (int i = 0; i < 3; ++i)
            if (test_below(r, 3))
                c->b[i] = mixed(r, c->a);
        break;
    case 3: /* in one plane */
        for (int i = 0; i < 3; ++i)
            c->a[i].z = c->b[i].z = 1 + 0 * c->a[i].x;
        break;
    case 4: /* in one slanted plane */
        for (int i = 0; i < 3; ++i) {
            c->a[i].z = 2 * c->a[i].x - c->a[i].y;
            c->b[i].z = 2 * c->b[i].x - c->b[i].y;
        }
        break;
    case 5: /* on lines and at points */
        if (test_below(r, 4))
            c->a[2] = line_point(r, c->a);
        if (test_below(r, 4))
            c->b[2] = line_point(r, c->b);
        if (test_below(r, 3) == 0)
            c->a[1] = c->a[2] = c->a[0];
        if (test_below(r, 3) == 0)
            for (int i = 0; i < 3; ++i)
                c->b[i] = mixed(r, c->a);
        break;
    case 6: /* on one line */
        for (int i = 0; i < 3; ++i) {
            c->a[i] = abut_v3(c->a[i].x, 2 * c->a[i].x, -c->a[i].x);
            c->b[i] = abut_v3(c->b[i].x, 2 * c->b[i].x, test_below(r, 6) ? -c->b[i].x : c->b[i].z);
        }
        break;
    case 7: /* small grid: touching is usual */
        for (int i = 0; i < 3; ++i) {
            c->a[i] = grid_point(r, 1);
            c->b[i] = grid_point(r, 1);
        }
        break;
    case 8: /* one a little off a common plane or point */
        for (int i = 0; i < 3; ++i)
            c->b[i] = mixed(r, c->a);
        c->b[test_below(r, 3)].z += test_log_uniform(r, -60, 0);
        break;
    case 9: /* needles; half of them with a corner of the other over them */
        c->a[2] = abut_madd(c->a[0], test_uniform(r, -1, 2), abut_sub(c->a[1], c->a[0]));
        if (test_bits(r) & 1)
            c->a[2] = abut_madd(c->a[2], test_log_uniform(r, -40, -3), random_vec3(r, 1));
        if (test_bits(r) & 1) {
            c->b[2] = abut_madd(c->b[0], test_uniform(r, -1, 2), abut_sub(c->b[1], c->b[0]));
        } else {
            const abut_vec3 middle = abut_scale(1.0 / 3, abut_add(c->a[0], abut_add(c->a[1], c->a[2])));
            const abut_vec3 up = abut_unit_or(
                abut_cross(abut_sub(c->a[1], c->a[0]), abut_sub(c->a[2], c->a[0])), abut_v3(0, 0, 1));
            c->b[0] = abut_madd(middle, test_uniform(r, 0, 1), up);
            c->b[1] = abut_madd(abut_madd(c->b[0], 1, up), 0.5, c->b[1]);
            c->b[2] = abut_madd(abut_madd(c->b[0], 1, up), 0.5, c->b[2]);
        }
        break;
    case 10: /* tiny against huge, on or near its plane */
        for (int i = 1; i < 3; ++i)
            c->b[i] = abut_madd(c->b[0], exp2(-30), c->b[i]);
        for (int i = 0; i < 3; ++i)
            c->a[i] = abut_scale(1024, c->a[i]);
        break;
    case 11: /* near: a short way off a common point */
        for (int i = 0; i < 3; ++i)
            c->b[i] = abut_madd(c->a[test_below(r, 3)], test_log_uniform(r, -50, 0), c->b[i]);
        break;
    case 12: /* nearly parallel */
        for (int i = 0; i < 3; ++i)
            c->b[i] = abut_madd(mixed(r, c->a), test_log_uniform(r, -40, -5), c->b[i]);
        break;
    default: break;
    }
}

/* A quaternion times one of the 24 rotations of axes: exactly, for small integers. */
static abut_quat turned(test_random *r, abut_quat q)
{
    static const abut_quat turns[4] = { { 1, 0, 0, 0 }, { 1, 1, 0, 0 }, { 1, 1, 1, 1 }, { 0, 0, 1, -1 } };
    return abut_quat_mul(q, turns[test_below(r, 4)]);
}

/* |q|^2 times p turned back by q: exact for small integers. */
static abut_vec3 turned_back(abut_quat q, abut_vec3 p)
{
    const abut_quat t =
        abut_quat_mul(abut_quat_mul(abut_quat_conjugate(q), (abut_quat){ 0, p.x, p.y, p.z }), q);
    return abut_v3(t.x, t.y, t.z);
}

static void make_poses(test_random *r, unsigned kind, placed *c)
{
    c->pose_a = c->pose_b = still;
    switch (kind) {
    case 0: break;
    case 1: /* the same general pose */
        c->pose_a = c->pose_b = (abut_pose){ random_vec3(r, 1), any_quat(r) };
        break;
    case 2: /* axes to axes and the same turn before: what touches goes on doing so */
        c->pose_a.rotation = grid_quat(r, 4);
        c->pose_b.rotation = turned(r, c->pose_a.rotation);
        c->pose_a.position = c->pose_b.position = grid_point(r, 5);
        break;
    case 3: /* integers throughout */
        c->pose_a = (abut_pose){ grid_point(r, 2), grid_quat(r, 1) };
        c->pose_b = (abut_pose){ grid_point(r, 2), grid_quat(r, 1) };
        break;
    case 4: /* anything */
        c->pose_a = (abut_pose){ random_vec3(r, 0.5), any_quat(r) };
        c->pose_b = (abut_pose){ random_vec3(r, 0.5), any_quat(r) };
        break;
    case 5: /* far away */
        c->pose_a = (abut_pose){ random_vec3(r, 1e9), any_quat(r) };
        c->pose_b = (abut_pose){ abut_add(c->pose_a.position, grid_point(r, 1)), any_quat(r) };
        break;
    case 6: /* translations that are not doubles in the other's frame */
        c->pose_a.position = random_vec3(r, 1);
        c->pose_b.position = abut_add(c->pose_a.position, grid_point(r, 1));
        c->pose_a.rotation = c->pose_b.rotation = grid_quat(r, 3);
        break;
    case 8: /* integers turned by a rotation of integers, and b turned back: what touches goes on doing so */
        c->pose_b.rotation = grid_quat(r, 3);
        for (int i = 0; i < 3; ++i) {
            c->a[i] = abut_scale(abut_quat_dot(c->pose_b.rotation, c->pose_b.rotation), c->a[i]);
            c->b[i] = turned_back(c->pose_b.rotation, c->b[i]);
        }
        break;
    default: /* quaternions of odd lengths and parts */
        c->pose_a.rotation = any_quat(r);
        c->pose_a.rotation.w *= 0x1p400;
        c->pose_a.rotation.x *= 0x1p-300;
        c->pose_b.rotation = c->pose_a.rotation;
        c->pose_b.rotation.y *= test_below(r, 2) ? 1 : 0x1p-1000;
        break;
    }
}

enum { POSES_COUNT = 9 };

static void make_case(uint64_t seed, unsigned kind, unsigned poses, placed *c)
{
    test_random r = test_seed(seed);
    make_triangles(&r, kind, c);
    make_poses(&r, poses, c);
    if (kind == 13) { /* sizes out of the range of squares */
        const double scale = exp2(test_bits(&r) & 1 ? 500 : -500);
        for (int i = 0; i < 3; ++i) {
            c->a[i] = abut_scale(scale, c->a[i]);
            c->b[i] = test_below(&r, 3) ? abut_scale(scale, c->b[i]) : mixed(&r, c->a);
        }
        c->pose_a.position = abut_scale(scale, c->pose_a.position);
        c->pose_b.position = abut_scale(scale, c->pose_b.position);
    }
}

/* Long rationals take their time. */
static uint64_t cases(uint64_t n, unsigned kind, unsigned poses)
{
    return poses == 7 ? n / 50 + 1 : kind == 13 ? n / 4 + 1 : n;
}

static double reach_of(const abut_vec3 t[3])
{
    return fmax(abut_length(t[0]), fmax(abut_length(t[1]), abut_length(t[2]))) * (1 + 0x1p-50);
}

static void make_frame(const abut_pose *a, const abut_pose *b, const abut_vec3 t[3], abut_triangle_frame *out)
{
    abut_place at_a, at_b;
    assert_int_equal(abut_place_from_pose(a, true, &at_a), ABUT_OK);
    assert_int_equal(abut_place_from_pose(b, true, &at_b), ABUT_OK);
    const abut_pair pair = { .at_a = &at_a, .at_b = &at_b };
    abut_triangle_frame_set(&pair, reach_of(t), out);
}

static void check_meet(uint64_t seed, unsigned kind, unsigned poses, uint64_t count[5], uint64_t *exact)
{
    placed c;
    make_case(seed, kind, poses, &c);
    abut_triangle_frame ab, ba;
    make_frame(&c.pose_a, &c.pose_b, c.b, &ab);
    make_frame(&c.pose_b, &c.pose_a, c.a, &ba);
    const abut_meet expected = oracle_triangle_meet(&c.pose_a, c.a, &c.pose_b, c.b);
    const abut_meet found = abut_triangle_meet(&ab, c.a, c.b, exact);
    const abut_meet back = abut_triangle_meet(&ba, c.b, c.a, exact);
    if (found != expected || back != expected) {
        print_case(&c);
        TEST_FAIL("seed %" PRIu64 " kind %u poses %u: %d, swapped %d, expected %d", seed, kind, poses, found,
                  back, expected);
    }
    ++count[expected + 1];
}

static void meet(void **state)
{
    (void)state;
    const uint64_t n = test_count(120);
    uint64_t count[5] = { 0 }, exact = 0;
    for (unsigned kind = 0; kind < KIND_COUNT; ++kind)
        for (unsigned poses = 0; poses < POSES_COUNT; ++poses)
            for (uint64_t i = 0; i < cases(n, kind, poses); ++i)
                check_meet(1000000 * (uint64_t)(kind * POSES_COUNT + poses) + i, kind, poses, count, &exact);
    print_message("none %" PRIu64 ", touch %" PRIu64 ", cross %" PRIu64 ", coplanar %" PRIu64
                  ", exact %" PRIu64 "\n",
                  count[1], count[2], count[3], count[4], exact);
}

/* Placements that are only enclosed: what is reported is true, and of triangles in general position
 * nearly all is reported. */
static void check_enclosed(uint64_t seed, unsigned kind, unsigned poses, double width, double shift,
                           uint64_t *unknown)
{
    placed c;
    make_case(seed, kind, poses, &c);
    abut_place at[2];
    const abut_pose *pose[2] = { &c.pose_a, &c.pose_b };
    for (int s = 0; s < 2; ++s) {
        assert_int_equal(abut_place_from_pose(pose[s], true, &at[s]), ABUT_OK);
        at[s].stated = false;
        for (int i = 0; i < 9; ++i) {
            abut_interval *e = &at[s].enclosure.linear.m[i / 3][i % 3];
            e->lo -= width;
            e->hi += width / 3;
            /* the truth is off the middle */
            at[s].mid.linear.m[i / 3][i % 3] -= (double)(i % 4) / 4 * width;
        }
        at[s].enclosure.translation.x.lo -= shift;
        at[s].mid.translation.x -= s ? 0 : shift / 2;
    }
    const abut_pair pair = { .at_a = &at[0], .at_b = &at[1] };
    abut_triangle_frame f;
    abut_triangle_frame_set(&pair, reach_of(c.b), &f);
    assert_false(f.exact);
    uint64_t exact = 0;
    const abut_meet expected = oracle_triangle_meet(&c.pose_a, c.a, &c.pose_b, c.b);
    const abut_meet found = abut_triangle_meet(&f, c.a, c.b, &exact);
    mpq_t d2;
    mpq_init(d2);
    oracle_triangle_distance2(&c.pose_a, c.a, &c.pose_b, c.b, d2);
    abut_triangle_gap gap;
    abut_triangle_distance(&f, c.a, c.b, HUGE_VAL, &gap);
    const bool holds =
        oracle_compare_square(gap.distance.lo, d2) <= 0 && oracle_compare_square(gap.distance.hi, d2) >= 0;
    mpq_clear(d2);
    if ((found != expected && found != ABUT_MEET_UNKNOWN) || !holds) {
        print_case(&c);
        TEST_FAIL("enclosed, seed %" PRIu64 " kind %u poses %u: %d, expected %d, [%a, %a]", seed, kind, poses,
                  found, expected, gap.distance.lo, gap.distance.hi);
    }
    *unknown += found == ABUT_MEET_UNKNOWN;
}

static void enclosed(void **state)
{
    (void)state;
    const uint64_t n = test_count(16);
    for (unsigned kind = 0; kind < KIND_COUNT - 1; ++kind)
        for (unsigned poses = 0; poses < 7; ++poses) {
            uint64_t unknown = 0;
            for (uint64_t i = 0; i < n; ++i)
                check_enclosed(9000000 + 1000000 * (kind * POSES_COUNT + poses) + i, kind, poses,
                               i % 4 == 1 ? 1e-12 : 0, i % 4 == 3 ? 1e-12 : 0, &unknown);
            if (kind == 0 && poses != 5)
                assert_true(unknown == 0);
        }
}

/* Told early or late, that they are further than a bound is true, and is reported whenever it is
 * clear. */
static void early(void **state)
{
    (void)state;
    const uint64_t n = test_count(2000);
    for (uint64_t i = 0; i < n; ++i) {
        placed c;
        make_case(i, 0, 4, &c);
        abut_triangle_frame f;
        make_frame(&c.pose_a, &c.pose_b, c.b, &f);
        abut_triangle_gap all, gap;
        abut_triangle_distance(&f, c.a, c.b, HUGE_VAL, &all);
        const double bound = all.distance.hi * (i % 2 ? 0.75 : 1.25);
        const bool within = abut_triangle_distance(&f, c.a, c.b, bound, &gap);
        TEST_CHECK(within == (bound >= all.distance.lo) && gap.distance.lo <= all.distance.hi &&
                       (within || gap.distance.lo > bound),
                   "seed %" PRIu64 " bound %a", i, bound);
        if (all.distance.lo > 0)
            TEST_CHECK(abut_triangle_separation(&f, c.a, c.b) > 0.99 * all.distance.lo, "seed %" PRIu64, i);
    }
}

static double sizes_of(const placed *c, const abut_triangle_frame *f)
{
    return reach_of(c->a) + f->reach + abut_length(f->b_in_a.t);
}

static void check_distance(uint64_t seed, unsigned kind, unsigned poses, double *widest)
{
    placed c;
    make_case(seed, kind, poses, &c);
    abut_triangle_frame f;
    make_frame(&c.pose_a, &c.pose_b, c.b, &f);
    mpq_t d2;
    mpq_init(d2);
    oracle_triangle_distance2(&c.pose_a, c.a, &c.pose_b, c.b, d2);
    abut_triangle_gap gap;
    const bool within = abut_triangle_distance(&f, c.a, c.b, HUGE_VAL, &gap);
    const bool low = gap.distance.lo >= 0 && oracle_compare_square(gap.distance.lo, d2) <= 0;
    const bool high = gap.distance.hi == HUGE_VAL || oracle_compare_square(gap.distance.hi, d2) >= 0;
    if (!within || !low || !high || !abut_is_finite3(gap.x) || !abut_is_finite3(gap.y)) {
        print_case(&c);
        TEST_FAIL("seed %" PRIu64 " kind %u poses %u: [%a, %a], squared %g", seed, kind, poses,
                  gap.distance.lo, gap.distance.hi, mpq_get_d(d2));
    }
    mpq_clear(d2);
    const double width = (gap.distance.hi - gap.distance.lo) / sizes_of(&c, &f) * 0x1p53;
    if (width > widest[kind])
        widest[kind] = width;
}

static void distance(void **state)
{
    (void)state;
    const uint64_t n = test_count(40);
    double widest[KIND_COUNT] = { 0 };
    for (unsigned kind = 0; kind < KIND_COUNT; ++kind)
        for (unsigned poses = 0; poses < POSES_COUNT; ++poses)
            for (uint64_t i = 0; i < cases(n, kind, poses); ++i)
                check_distance(5000000 + 1000000 * (uint64_t)(kind * POSES_COUNT + poses) + i, kind, poses,
                               widest);
    for (unsigned kind = 0; kind < KIND_COUNT; ++kind)
        print_message("kind %u: widest %.3g u of the sizes\n", kind, widest[kind]);
    /* Nearly parallel slivers a short way apart (11, 12) are enclosed, but not that tightly. */
    for (unsigned kind = 0; kind < KIND_COUNT; ++kind)
        assert_true(widest[kind] < 100 || kind == 11 || kind == 12);
}

/* b's corners are where the frame says, within its error, and the error is small. */
static void frame_error(void **state)
{
    (void)state;
    const uint64_t n = test_count(1500);
    double worst = 0;
    mpq_t at[3], off;
    mpq_init(off);
    for (int i = 0; i < 3; ++i)
        mpq_init(at[i]);
    for (unsigned poses = 0; poses < POSES_COUNT; ++poses)
        for (uint64_t seed = 0; seed < (poses == 7 ? n / 20 + 1 : n); ++seed) {
            placed c;
            make_case(seed, seed % 4 == 0 ? 13 : 0, poses, &c);
            abut_triangle_frame f;
            make_frame(&c.pose_a, &c.pose_b, c.b, &f);
            const double sizes = f.reach + abut_max_norm(f.b_in_a.t);
            TEST_CHECK(f.exact && f.b_in_a.error <= 0x1.6p-51 * sizes, "seed %" PRIu64 " poses %u: error %a",
                       seed, poses, f.b_in_a.error);
            for (int k = 0; k < 3; ++k) {
                const abut_vec3 p = abut_add(abut_mul(&f.b_in_a.r, c.b[k]), f.b_in_a.t);
                const double found[3] = { p.x, p.y, p.z };
                oracle_triangle_relative(&c.pose_a, &c.pose_b, c.b[k], at);
                for (int axis = 0; axis < 3; ++axis) {
                    mpq_set_d(off, found[axis]);
                    mpq_sub(off, off, at[axis]);
                    const double error = fabs(mpq_get_d(off));
                    TEST_CHECK(error <= f.b_in_a.error, "seed %" PRIu64 " poses %u: off by %a, stated %a",
                               seed, poses, error, f.b_in_a.error);
                    worst = f.plain ? worst : fmax(worst, error / sizes * 0x1p53);
                }
            }
        }
    print_message("worst error %.3g u of the sizes\n", worst);
    mpq_clear(off);
    for (int i = 0; i < 3; ++i)
        mpq_clear(at[i]);
}

/* Which placements are known by a pose. */
static void check_stated(const abut_rotation *rotation, bool expected)
{
    const abut_placement at = { { 1, 2, 3 }, *rotation };
    abut_motion *motion;
    assert_int_equal(abut_motion_create_static(&at, NULL, &motion, NULL), ABUT_OK);
    abut_place place;
    assert_int_equal(abut_place_from_motion(motion, 0.5, &place), ABUT_OK);
    assert_int_equal(place.stated, expected);
    if (expected) {
        const abut_mat3 r = abut_quat_to_mat3(place.pose.rotation);
        for (int i = 0; i < 9; ++i)
            TEST_NEAR(r.m[i / 3][i % 3], place.mid.linear.m[i / 3][i % 3], 1e-15, "entry %d", i);
        assert_true(place.pose.position.x == 1 && place.pose.position.y == 2 && place.pose.position.z == 3);
    }
    abut_motion_release(motion);
}

static void stated(void **state)
{
    (void)state;
    check_stated(&(abut_rotation){ .kind = ABUT_ROTATION_IDENTITY }, true);
    check_stated(&(abut_rotation){ .kind = ABUT_ROTATION_QUATERNION, .quaternion = { 1, 0.3, -2, 7 } }, true);
    for (int turn = -4; turn <= 4; ++turn)
        for (int axis = 0; axis < 3; ++axis)
            check_stated(&(abut_rotation){ .kind = ABUT_ROTATION_DEGREES,
                                           .axis = { axis == 0, axis == 1, axis == 2 },
                                           .angle = 90.0 * turn },
                         true);
    check_stated(&(abut_rotation){ .kind = ABUT_ROTATION_DEGREES, .axis = { 1, 1, 1 }, .angle = 120 }, true);
    check_stated(&(abut_rotation){ .kind = ABUT_ROTATION_DEGREES, .axis = { 1, 0, 0 }, .angle = 37 }, false);
    check_stated(&(abut_rotation){ .kind = ABUT_ROTATION_RADIANS, .axis = { 1, 0, 0 }, .angle = 1 }, false);
    abut_place place;
    assert_int_equal(abut_place_from_pose(NULL, true, &place), ABUT_OK);
    assert_true(place.stated && place.pose.rotation.w == 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(meet),     cmocka_unit_test(distance),
                                        cmocka_unit_test(enclosed), cmocka_unit_test(early),
                                        cmocka_unit_test(stated),   cmocka_unit_test(frame_error) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
