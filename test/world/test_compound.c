/* SPDX-License-Identifier: MIT */
/* Compounds: known answers, and random unions against the bodies they are equal to. A box cut into flush
 * pieces is the box, whatever is asked; a union of random parts has what its parts have. */
#include "abut/abut.h"
#include "support/failing_allocator.h"

static abut_motion *at(double x, double y, double z)
{
    const abut_placement p = { .position = { x, y, z } };
    abut_motion *m;
    assert_int_equal(abut_motion_create_static(&p, NULL, &m, NULL), ABUT_OK);
    return m;
}

/* A box of half edges h, cut at fractions of its length along x into `count` flush boxes whose numbers
 * are exact. */
static abut_shape *cut_box(abut_vec3 h, int count, const abut_allocator *alloc)
{
    abut_compound_part parts[8] = { 0 };
    const double half = h.x / count;
    abut_shape *out = NULL;
    for (int i = 0; i < count; ++i) {
        assert_int_equal(abut_shape_create_box((abut_vec3){ half, h.y, h.z }, NULL, &parts[i].shape),
                         ABUT_OK);
        parts[i].at = at(-h.x + (2 * i + 1) * half, 0, 0);
    }
    (void)abut_shape_create_compound(parts, (size_t)count, alloc, &out, NULL);
    for (int i = 0; i < count; ++i) {
        abut_shape_release(parts[i].shape);
        abut_motion_release(parts[i].at);
    }
    return out;
}

static abut_shape *other_body(test_random *r)
{
    abut_shape *out = NULL;
    const double x = test_uniform(r, .2, 1), y = test_uniform(r, .2, 1), z = test_uniform(r, .2, 1);
    switch (test_below(r, 4)) {
    case 0: assert_int_equal(abut_shape_create_sphere(x, NULL, &out), ABUT_OK); break;
    case 1: assert_int_equal(abut_shape_create_box((abut_vec3){ .5, .25, .125 }, NULL, &out), ABUT_OK); break;
    case 2: assert_int_equal(abut_shape_create_capsule(x, y, NULL, &out), ABUT_OK); break;
    default:
        assert_int_equal(abut_shape_create_ellipsoid((abut_vec3){ x, y, z }, NULL, &out), ABUT_OK);
        break;
    }
    return out;
}

/* Often on a lattice, so that it touches exactly. */
static abut_pose pose_near(test_random *r)
{
    abut_pose p = { { test_uniform(r, -4, 4), test_uniform(r, -3, 3), test_uniform(r, -3, 3) },
                    { 1, 0, 0, 0 } };
    if (test_below(r, 2))
        p.position =
            (abut_vec3){ rint(4 * p.position.x) / 4, rint(4 * p.position.y) / 4, rint(8 * p.position.z) / 8 };
    else if (test_below(r, 2))
        p.rotation =
            (abut_quat){ test_uniform(r, -1, 1), test_uniform(r, -1, 1), test_uniform(r, -1, 1), .3 };
    return p;
}

static abut_where where_at(const abut_piece *pieces, size_t count, double s)
{
    for (size_t i = 0; i < count; ++i)
        if (pieces[i].from < s && s < pieces[i].to)
            return pieces[i].where;
    return ABUT_WHERE_UNKNOWN;
}

/* The stretches of a segment in a box and in its pieces. */
static void compare_segments(const abut_shape *whole, const abut_shape *cut, const abut_pose *pose,
                             abut_vec3 from, abut_vec3 to, uint64_t seed)
{
    enum { MOST = 64 };
    abut_piece one[MOST], many[MOST];
    size_t count[2];
    assert_int_equal(abut_classify_segment(whole, pose, from, to, one, MOST, &count[0]), ABUT_OK);
    assert_int_equal(abut_classify_segment(cut, pose, from, to, many, MOST, &count[1]), ABUT_OK);
    TEST_CHECK(count[1] > 0 && count[1] <= MOST && many[0].from == 0 && many[count[1] - 1].to == 1,
               "seed %" PRIu64 ": %zu pieces", seed, count[1]);
    for (size_t i = 1; i < count[1]; ++i)
        TEST_CHECK(many[i].from == many[i - 1].to, "seed %" PRIu64 ": a gap before piece %zu", seed, i);
    for (int k = 1; k < 64; ++k) {
        const double s = k / 64. + 1e-7;
        const abut_where a = where_at(one, count[0], s), b = where_at(many, count[1], s);
        TEST_CHECK(a == b, "seed %" PRIu64 ": at %g the box is %s, its pieces are %s", seed, s,
                   abut_where_name(a), abut_where_name(b));
    }
}

static void test_cut_box(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < test_count(1500); ++seed) {
        test_random r = test_seed(seed);
        const int pieces = 1 << test_below(&r, 4);
        const abut_vec3 h = { 2, 1, .5 };
        abut_shape *whole, *cut = cut_box(h, pieces, NULL), *body = other_body(&r);
        assert_int_equal(abut_shape_create_box(h, NULL, &whole), ABUT_OK);
        const abut_pose pose = pose_near(&r);
        abut_check_result one, many;
        const bool swap = test_below(&r, 2);
        assert_int_equal(abut_check(swap ? body : whole, swap ? &pose : NULL, swap ? whole : body,
                                    swap ? NULL : &pose, NULL, NULL, &one),
                         ABUT_OK);
        assert_int_equal(abut_check(swap ? body : cut, swap ? &pose : NULL, swap ? cut : body,
                                    swap ? NULL : &pose, NULL, NULL, &many),
                         ABUT_OK);
        TEST_CHECK(one.verdict == many.verdict || one.verdict == ABUT_UNDECIDED ||
                       many.verdict == ABUT_UNDECIDED,
                   "seed %" PRIu64 ": the box is %s, its pieces are %s", seed, abut_verdict_name(one.verdict),
                   abut_verdict_name(many.verdict));
        TEST_CHECK(one.distance.lo <= many.distance.hi && many.distance.lo <= one.distance.hi,
                   "seed %" PRIu64 ": distance [%.17g, %.17g] and [%.17g, %.17g]", seed, one.distance.lo,
                   one.distance.hi, many.distance.lo, many.distance.hi);
        if (one.has_depth && many.verdict == ABUT_PENETRATING)
            TEST_CHECK(many.has_depth && many.depth.lo <= one.depth.hi && one.depth.lo <= many.depth.hi,
                       "seed %" PRIu64 ": depth [%.17g, %.17g] and [%.17g, %.17g]", seed, one.depth.lo,
                       one.depth.hi, many.depth.lo, many.depth.hi);
        for (int i = 0; i < many.contact_count; ++i) {
            const int32_t part = many.contacts[i].parts[swap];
            TEST_CHECK(part >= 0 && part < pieces, "seed %" PRIu64 ": part %d", seed, (int)part);
        }
        abut_overlap_result overlap;
        assert_int_equal(abut_overlap(cut, NULL, body, &pose, NULL, NULL, &overlap), ABUT_OK);
        TEST_CHECK(overlap.verdict == many.verdict, "seed %" PRIu64 ": overlap says %s", seed,
                   abut_verdict_name(overlap.verdict));
        abut_distance_result distance;
        assert_int_equal(abut_distance(cut, NULL, body, &pose, NULL, NULL, &distance), ABUT_OK);
        TEST_CHECK(distance.distance.lo <= one.distance.hi && one.distance.lo <= distance.distance.hi,
                   "seed %" PRIu64 ": abut_distance", seed);
        /* rays and points */
        const abut_vec3 o = { test_uniform(&r, -3, 3), test_uniform(&r, -2, 2), 3 },
                        d = { test_uniform(&r, -1, 1), test_uniform(&r, -.5, .5), -1 };
        abut_ray_hit hits[2][8];
        size_t count[2];
        assert_int_equal(abut_cast_ray(whole, &pose, o, d, hits[0], 8, &count[0]), ABUT_OK);
        assert_int_equal(abut_cast_ray(cut, &pose, o, d, hits[1], 8, &count[1]), ABUT_OK);
        TEST_CHECK(count[0] == count[1], "seed %" PRIu64 ": %zu hits of the box, %zu of its pieces", seed,
                   count[0], count[1]);
        for (size_t i = 0; i < count[0]; ++i)
            TEST_NEAR(hits[1][i].t, hits[0][i].t, 1e-12 * (1 + fabs(hits[0][i].t)), "seed %" PRIu64, seed);
        abut_piece where[2];
        const abut_vec3 p = { test_uniform(&r, -3, 3), test_uniform(&r, -2, 2), test_uniform(&r, -1, 1) };
        assert_int_equal(abut_classify_point(whole, NULL, p, &where[0]), ABUT_OK);
        assert_int_equal(abut_classify_point(cut, NULL, p, &where[1]), ABUT_OK);
        assert_int_equal(where[0].where, where[1].where);
        compare_segments(whole, cut, &pose, p, o, seed);
        abut_shape_release(whole);
        abut_shape_release(cut);
        abut_shape_release(body);
    }
}

static void test_over_time(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < test_count(300); ++seed) {
        test_random r = test_seed(seed + 5);
        const int pieces = 1 << test_below(&r, 3);
        const abut_vec3 h = { 2, 1, .5 };
        abut_shape *whole, *cut = cut_box(h, pieces, NULL), *body = other_body(&r);
        assert_int_equal(abut_shape_create_box(h, NULL, &whole), ABUT_OK);
        abut_placement from = abut_placement_from_pose(pose_near(&r)),
                       to = abut_placement_from_pose(pose_near(&r));
        if (test_below(&r, 2))
            to.rotation = from.rotation;
        abut_motion *motion;
        assert_int_equal(abut_motion_create_linear(0, 1, &from, &to, NULL, &motion, NULL), ABUT_OK);
        abut_first_result one, many;
        assert_int_equal(abut_first_contact(whole, NULL, body, motion, NULL, NULL, &one), ABUT_OK);
        assert_int_equal(abut_first_contact(cut, NULL, body, motion, NULL, NULL, &many), ABUT_OK);
        const bool open = one.verdict == ABUT_FIRST_UNDECIDED || many.verdict == ABUT_FIRST_UNDECIDED;
        TEST_CHECK(open || one.verdict == many.verdict, "seed %" PRIu64 ": the box %s, its pieces %s", seed,
                   abut_first_verdict_name(one.verdict), abut_first_verdict_name(many.verdict));
        TEST_CHECK(open || one.verdict == ABUT_FIRST_SEPARATE ||
                       (one.time.lo <= many.time.hi && many.time.lo <= one.time.hi),
                   "seed %" PRIu64 ": first contact at [%.17g, %.17g], of the pieces at [%.17g, %.17g]", seed,
                   one.time.lo, one.time.hi, many.time.lo, many.time.hi);
        abut_contact_interval list[2][32];
        abut_intervals_result result[2];
        assert_int_equal(
            abut_contact_intervals(whole, NULL, body, motion, NULL, NULL, list[0], 32, &result[0]), ABUT_OK);
        assert_int_equal(abut_contact_intervals(cut, NULL, body, motion, NULL, NULL, list[1], 32, &result[1]),
                         ABUT_OK);
        /* a graze may be one interval or none within tolerance; otherwise they agree */
        const bool proved = result[0].proof > ABUT_PROOF_TOLERANCE && result[1].proof > ABUT_PROOF_TOLERANCE;
        TEST_CHECK(!proved || result[0].count == result[1].count,
                   "seed %" PRIu64 ": %zu intervals of the box, %zu of its pieces", seed, result[0].count,
                   result[1].count);
        for (size_t i = 0; proved && i < result[0].count && i < 32; ++i)
            TEST_CHECK(
                list[0][i].enter.lo <= list[1][i].enter.hi && list[1][i].enter.lo <= list[0][i].enter.hi &&
                    list[0][i].exit.lo <= list[1][i].exit.hi && list[1][i].exit.lo <= list[0][i].exit.hi,
                "seed %" PRIu64 ": interval %zu", seed, i);
        abut_motion_release(motion);
        abut_shape_release(whole);
        abut_shape_release(cut);
        abut_shape_release(body);
    }
}

/* An L of two boxes: its inner corner holds a ball that neither part touches first alone. */
static void test_known(void **state)
{
    (void)state;
    abut_compound_part parts[2];
    abut_shape *l, *ball;
    assert_int_equal(abut_shape_create_box((abut_vec3){ 2, 1, .5 }, NULL, &parts[0].shape), ABUT_OK);
    assert_int_equal(abut_shape_create_box((abut_vec3){ .5, 1, 2 }, NULL, &parts[1].shape), ABUT_OK);
    parts[0].at = NULL;
    parts[1].at = at(-1.5, 0, 2.5);
    assert_int_equal(abut_shape_create_compound(parts, 2, NULL, &l, NULL), ABUT_OK);
    assert_int_equal(abut_shape_get_type(l), ABUT_SHAPE_COMPOUND);
    assert_int_equal(abut_shape_get_counts(l).operands, 2);
    const abut_aabb box = abut_shape_bounds(l);
    assert_true(box.lo.x == -2 && box.hi.x == 2 && box.lo.z == -.5 && box.hi.z == 4.5);
    assert_int_equal(abut_shape_create_sphere(.5, NULL, &ball), ABUT_OK);
    const abut_pose corner = { { -.5, 0, 1 }, { 1, 0, 0, 0 } };
    abut_check_result r;
    assert_int_equal(abut_check(l, NULL, ball, &corner, NULL, NULL, &r), ABUT_OK);
    assert_int_equal(r.verdict, ABUT_TOUCHING);
    assert_int_equal(r.proof, ABUT_PROOF_EXACT);
    assert_int_equal(r.contact_count, 2);
    assert_true(r.contacts[0].parts[0] == 0 && r.contacts[1].parts[0] == 1);
    /* it falls into the corner: both contacts at once */
    const abut_placement from = { .position = { 2.5, 0, 4 } }, to = { .position = { -1.5, 0, 0 } };
    abut_motion *motion;
    abut_first_result first;
    assert_int_equal(abut_motion_create_linear(0, 1, &from, &to, NULL, &motion, NULL), ABUT_OK);
    assert_int_equal(abut_first_contact(l, NULL, ball, motion, NULL, NULL, &first), ABUT_OK);
    assert_int_equal(first.verdict, ABUT_FIRST_CONTACT);
    assert_true(first.time.lo <= .75 && first.time.hi >= .75 && first.time.hi - first.time.lo < 1e-9);
    assert_int_equal(first.point_count, 2);
    assert_int_not_equal(first.points[0].parts[0], first.points[1].parts[0]);
    /* in a set, with the numbers of the bodies */
    const abut_body bodies[3] = { { ball, motion }, { l, NULL }, { ball, NULL } };
    abut_set_point points[8];
    abut_set_result set;
    const uint32_t pair[2] = { 0, 1 };
    assert_int_equal(abut_first_contact_set(bodies, 3, pair, 1, NULL, NULL, points, 8, &set), ABUT_OK);
    assert_int_equal(set.verdict, ABUT_FIRST_CONTACT);
    assert_int_equal(set.point_count, 2);
    assert_true(points[0].a == 0 && points[0].b == 1);
    abut_motion_release(motion);
    abut_shape_release(ball);
    /* what cannot be a part */
    abut_error error;
    abut_shape *out, *surface;
    const abut_vec3 corners[3] = { { 0, 0, 0 }, { 1, 0, 0 }, { 0, 1, 0 } };
    const uint32_t triangle[3] = { 0, 1, 2 };
    assert_int_equal(abut_shape_create_mesh(corners, 3, triangle, 1, false, NULL, &surface, NULL), ABUT_OK);
    const abut_compound_part nested = { l, NULL }, sheet = { surface, NULL }, none = { NULL, NULL };
    assert_int_equal(abut_shape_create_compound(&nested, 1, NULL, &out, &error), ABUT_ERR_ARGUMENT);
    assert_int_equal(error.index, 0);
    assert_int_equal(abut_shape_create_compound(&sheet, 1, NULL, &out, &error), ABUT_ERR_ARGUMENT);
    assert_int_equal(abut_shape_create_compound(&none, 1, NULL, &out, &error), ABUT_ERR_ARGUMENT);
    assert_int_equal(abut_shape_create_compound(parts, 0, NULL, &out, &error), ABUT_ERR_ARGUMENT);
    assert_null(out);
    abut_shape_release(surface);
    abut_shape_release(l);
    for (int i = 0; i < 2; ++i) {
        abut_shape_release(parts[i].shape);
        abut_motion_release(parts[i].at);
    }
}

static void test_memory(void **state)
{
    (void)state;
    abut_status status;
    abut_shape *ball;
    assert_int_equal(abut_shape_create_sphere(.5, NULL, &ball), ABUT_OK);
    TEST_EVERY_ALLOCATION_FAILS(
        alloc,
        {
            abut_shape *cut = cut_box((abut_vec3){ 2, 1, .5 }, 4, &alloc);
            abut_workspace *ws = NULL;
            status = cut ? abut_workspace_create(&alloc, &ws) : ABUT_ERR_MEMORY;
            abut_check_result r;
            abut_first_result first;
            abut_intervals_result intervals;
            if (!status)
                status = abut_check(cut, NULL, ball, NULL, NULL, ws, &r);
            if (!status)
                status = abut_first_contact(cut, NULL, ball, NULL, NULL, ws, &first);
            if (!status)
                status = abut_contact_intervals(cut, NULL, ball, NULL, NULL, ws, NULL, 0, &intervals);
            abut_workspace_destroy(ws);
            abut_shape_release(cut);
        },
        status);
    abut_shape_release(ball);
}

/* ---- depth ---- */

enum { PARTS = 4 };

typedef struct boxes {
    double lo[PARTS][3], hi[PARTS][3];
    int count;
} boxes;

static abut_shape *random_boxes(test_random *r, boxes *out)
{
    abut_compound_part parts[PARTS] = { 0 };
    abut_shape *shape;
    out->count = 1 + (int)test_below(r, PARTS);
    for (int i = 0; i < out->count; ++i) {
        double half[3], centre[3];
        for (int k = 0; k < 3; ++k) {
            half[k] = (1 + (double)test_below(r, 8)) / 8;
            centre[k] = ((double)test_below(r, 25) - 12) / 8;
            out->lo[i][k] = centre[k] - half[k];
            out->hi[i][k] = centre[k] + half[k];
        }
        assert_int_equal(
            abut_shape_create_box((abut_vec3){ half[0], half[1], half[2] }, NULL, &parts[i].shape), ABUT_OK);
        parts[i].at = at(centre[0], centre[1], centre[2]);
    }
    assert_int_equal(abut_shape_create_compound(parts, (size_t)out->count, NULL, &shape, NULL), ABUT_OK);
    for (int i = 0; i < out->count; ++i) {
        abut_shape_release(parts[i].shape);
        abut_motion_release(parts[i].at);
    }
    return shape;
}

/* Translations of b that leave it in a are a union of open boxes, one for each two parts. The nearest
 * of all others has in each coordinate 0 or a side of one of them: exactly, since these are small
 * multiples of 1/8. */
static double brute_depth(const boxes *a, const boxes *b)
{
    double lo[PARTS * PARTS][3], hi[PARTS * PARTS][3], side[3][2 * PARTS * PARTS + 1], best = INFINITY;
    int n = 0;
    for (int i = 0; i < a->count; ++i)
        for (int j = 0; j < b->count; ++j, ++n)
            for (int k = 0; k < 3; ++k) {
                lo[n][k] = side[k][2 * n] = a->lo[i][k] - b->hi[j][k];
                hi[n][k] = side[k][2 * n + 1] = a->hi[i][k] - b->lo[j][k];
            }
    for (int k = 0; k < 3; ++k)
        side[k][2 * n] = 0;
    for (int x = 0; x <= 2 * n; ++x)
        for (int y = 0; y <= 2 * n; ++y)
            for (int z = 0; z <= 2 * n; ++z) {
                const double p[3] = { side[0][x], side[1][y], side[2][z] };
                const double square = p[0] * p[0] + p[1] * p[1] + p[2] * p[2];
                bool in = square >= best;
                for (int m = 0; m < n && !in; ++m)
                    in = lo[m][0] < p[0] && p[0] < hi[m][0] && lo[m][1] < p[1] && p[1] < hi[m][1] &&
                         lo[m][2] < p[2] && p[2] < hi[m][2];
                if (!in)
                    best = square;
            }
    return sqrt(best);
}

static void test_depth(void **state)
{
    (void)state;
    size_t sharp = 0, all = 0;
    for (uint64_t seed = 0; seed < test_count(1000); ++seed) {
        test_random r = test_seed(seed + 40000);
        boxes p, q;
        abut_shape *a = random_boxes(&r, &p), *b = random_boxes(&r, &q);
        abut_check_result check;
        assert_int_equal(abut_check(a, NULL, b, NULL, NULL, NULL, &check), ABUT_OK);
        const double depth = brute_depth(&p, &q);
        TEST_CHECK((check.verdict == ABUT_PENETRATING) == (depth > 0) || check.verdict == ABUT_UNDECIDED,
                   "seed %" PRIu64 ": %s, depth %g", seed, abut_verdict_name(check.verdict), depth);
        if (check.verdict == ABUT_PENETRATING) {
            TEST_CHECK(check.has_depth && check.has_normal && check.depth.lo <= depth * (1 + 1e-15) &&
                           depth <= check.depth.hi * (1 + 1e-15),
                       "seed %" PRIu64 ": %.17g is not in [%.17g, %.17g]", seed, depth, check.depth.lo,
                       check.depth.hi);
            /* the push parts them; it may end between two parts that touch, where rounding decides */
            const double s = check.depth.hi;
            const abut_pose away = { { s * check.normal.x, s * check.normal.y, s * check.normal.z },
                                     { 1, 0, 0, 0 } };
            abut_check_result after;
            assert_int_equal(abut_check(a, NULL, b, &away, NULL, NULL, &after), ABUT_OK);
            TEST_CHECK(after.verdict != ABUT_PENETRATING || after.depth.lo < 1e-12,
                       "seed %" PRIu64 ": still in after %g", seed, s);
            abut_distance_opts opts;
            abut_distance_result distance;
            abut_distance_opts_init(&opts);
            opts.with_depth = true;
            assert_int_equal(abut_distance(a, NULL, b, NULL, &opts, NULL, &distance), ABUT_OK);
            TEST_CHECK(distance.distance.lo <= -depth * (1 - 1e-15) &&
                           -depth * (1 + 1e-15) <= distance.distance.hi,
                       "seed %" PRIu64 ": signed distance", seed);
            ++all;
            sharp += check.depth.hi <= depth * (1 + 1e-9);
        }
        abut_shape_release(a);
        abut_shape_release(b);
    }
    print_message("%zu of %zu upper bounds are the depth\n", sharp, all);
    assert_true(all == 0 || sharp > all / 4);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(test_depth), cmocka_unit_test(test_cut_box),
                                        cmocka_unit_test(test_over_time), cmocka_unit_test(test_known),
                                        cmocka_unit_test(test_memory) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
