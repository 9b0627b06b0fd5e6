/* SPDX-License-Identifier: MIT */
/* abut_distance with depth says what abut_check says, over zero and below, for every pair of
 * convex types; by hand: balls, cutoffs, bodies without a depth, and callers that know shorter
 * options. */
#include "abut/abut.h"
#include "math/vec3.h"
#include "oracle/convex_cases.h"

#include <stddef.h>

static abut_distance_result ask(const query *q, double cutoff, bool with_depth)
{
    abut_distance_opts opts;
    abut_distance_opts_init(&opts);
    opts.cutoff = cutoff;
    opts.with_depth = with_depth;
    abut_distance_result r;
    assert_int_equal(
        abut_distance(q->a->shape, &q->pair.pose_a, q->b->shape, &q->pair.pose_b, &opts, NULL, &r), ABUT_OK);
    return r;
}

static bool is_same(abut_vec3 a, abut_vec3 b)
{
    return a.x == b.x && a.y == b.y && a.z == b.z;
}

/* Points as far apart as it says, along the normal. */
static bool are_nearest(const abut_distance_result *r, double slack)
{
    const abut_vec3 d = abut_sub(r->point_b, r->point_a);
    return fabs(abut_length(d) - r->distance.hi) <= slack &&
           fabs(abut_dot(d, r->normal) - r->distance.lo) <= slack;
}

/* What is known of the gap from check. */
static abut_interval gap_of(const abut_check_result *c)
{
    switch (c->verdict) {
    case ABUT_SEPARATE: return c->distance;
    case ABUT_TOUCHING: return (abut_interval){ 0, 0 };
    case ABUT_PENETRATING:
        return c->has_depth ? (abut_interval){ -c->depth.hi, -c->depth.lo } : (abut_interval){ -INFINITY, 0 };
    default: return (abut_interval){ -c->depth.hi, c->distance.hi };
    }
}

static void compare(const query *q)
{
    abut_check_result c;
    assert_int_equal(abut_check(q->a->shape, &q->pair.pose_a, q->b->shape, &q->pair.pose_b, NULL, NULL, &c),
                     ABUT_OK);
    const abut_distance_result r = ask(q, INFINITY, true);
    const abut_interval gap = gap_of(&c);
    /* Two ways may lead to one answer (boxes have a quicker one for distances, lines of contact
     * are only searched for when contacts are): they agree, to rounding. */
    assert_true(r.verdict == c.verdict || r.verdict == ABUT_UNDECIDED || c.verdict == ABUT_UNDECIDED);
    if (r.verdict == c.verdict)
        assert_int_equal(r.has_points, c.has_points);
    const double slack = 1e-9 * (q->a->size + q->b->size);
    if (!(r.distance.lo <= gap.hi && gap.lo <= r.distance.hi && r.distance.lo <= r.distance.hi) ||
        (c.verdict == ABUT_PENETRATING && !(r.distance.hi <= 0)) ||
        (r.distance.hi - r.distance.lo > (gap.hi - gap.lo) + slack))
        fail_msg("%s - %s: signed [%a, %a], check [%a, %a]", type_names[q->a->type], type_names[q->b->type],
                 r.distance.lo, r.distance.hi, gap.lo, gap.hi);
    if (r.distance.lo == gap.lo && r.distance.hi == gap.hi && c.has_points) {
        const bool same =
            is_same(r.point_a, c.point_a) && is_same(r.point_b, c.point_b) && is_same(r.normal, c.normal);
        assert_true(same || (r.verdict == ABUT_SEPARATE && are_nearest(&r, slack)));
    }
    /* A cutoff well below what is proved stops; one above changes nothing. */
    const double below = r.distance.lo - 0.25 * fabs(r.distance.lo);
    if (isfinite(below) && r.distance.lo - below > slack) {
        const abut_distance_result cut = ask(q, below, true);
        if (cut.stop != ABUT_STOP_CUTOFF || !(cut.distance.lo > below && cut.distance.lo <= r.distance.hi))
            fail_msg("%s - %s: cutoff %a, signed [%a, %a], cut [%a, %a]", type_names[q->a->type],
                     type_names[q->b->type], below, r.distance.lo, r.distance.hi, cut.distance.lo,
                     cut.distance.hi);
    }
    const abut_distance_result kept = ask(q, 2 * fabs(r.distance.hi), true);
    assert_true(kept.verdict == r.verdict || kept.verdict == ABUT_UNDECIDED || r.verdict == ABUT_UNDECIDED);
    assert_int_not_equal(kept.stop, ABUT_STOP_CUTOFF);
    const abut_distance_result unsigned_one = ask(q, INFINITY, false);
    assert_true(unsigned_one.distance.lo >= 0);
}

static void signed_distance_is_what_check_says(void **state)
{
    (void)state;
    test_random r = test_seed(41000000);
    const uint64_t rounds = test_count(20);
    uint64_t seen[4] = { 0 };
    for (uint64_t round = 0; round < rounds; ++round) {
        fill_pool(&r);
        for (int i = 0; i < 400; ++i) {
            query q;
            draw_query(&r, &q);
            compare(&q);
            abut_check_result c;
            assert_int_equal(
                abut_check(q.a->shape, &q.pair.pose_a, q.b->shape, &q.pair.pose_b, NULL, NULL, &c), ABUT_OK);
            ++seen[c.verdict];
        }
        empty_pool();
    }
    assert_true(seen[ABUT_SEPARATE] > 40 * rounds && seen[ABUT_PENETRATING] > 40 * rounds &&
                seen[ABUT_TOUCHING] > 0);
}

static void balls_by_hand(void **state)
{
    (void)state;
    abut_shape *ball;
    assert_int_equal(abut_shape_create_sphere(1, NULL, &ball), ABUT_OK);
    const abut_pose here = { { 0, 0, 0 }, { 1, 0, 0, 0 } }, there = { { 1.5, 0, 0 }, { 1, 0, 0, 0 } };
    abut_distance_opts opts;
    abut_distance_opts_init(&opts);
    assert_false(opts.with_depth);
    abut_distance_result r;
    assert_int_equal(abut_distance(ball, &here, ball, &there, &opts, NULL, &r), ABUT_OK);
    assert_true(r.verdict == ABUT_PENETRATING && r.distance.lo == 0 && r.distance.hi == 0);
    opts.with_depth = true;
    assert_int_equal(abut_distance(ball, &here, ball, &there, &opts, NULL, &r), ABUT_OK);
    assert_true(r.distance.lo == -0.5 && r.distance.hi == -0.5);
    assert_true(r.point_a.x == 1 && r.point_b.x == 0.5 && r.normal.x == 1);
    /* "Nearer than -1?" No: they are only half a unit deep. */
    opts.cutoff = -1;
    assert_int_equal(abut_distance(ball, &here, ball, &there, &opts, NULL, &r), ABUT_OK);
    assert_int_equal(r.stop, ABUT_STOP_CUTOFF);
    /* Options from before there was a depth end before it. */
    opts = (abut_distance_opts){ .struct_size = offsetof(abut_distance_opts, with_depth),
                                 .cutoff = INFINITY,
                                 .with_depth = true };
    assert_int_equal(abut_distance(ball, &here, ball, &there, &opts, NULL, &r), ABUT_OK);
    assert_true(r.distance.lo == 0);
    abut_shape_release(ball);
}

/* Of a mesh and a convex body the depth is known from above: the length of a translation that parts them.
 * Here the nearest face is the slanted one or one at the planes of coordinates, and those are 1 away. */
static void depths_of_meshes_are_bounded(void **state)
{
    (void)state;
    const abut_vec3 corners[4] = { { 0, 0, 0 }, { 4, 0, 0 }, { 0, 4, 0 }, { 0, 0, 4 } };
    const uint32_t faces[12] = { 0, 2, 1, 0, 1, 3, 1, 2, 3, 0, 3, 2 };
    abut_shape *solid, *ball;
    abut_mesh_opts mesh;
    abut_mesh_opts_init(&mesh);
    mesh.solid = true;
    assert_int_equal(abut_shape_create_mesh_with(corners, 4, faces, 4, &mesh, NULL, &solid, NULL), ABUT_OK);
    assert_int_equal(abut_shape_create_sphere(0.5, NULL, &ball), ABUT_OK);
    const abut_pose inside = { { 0.5, 0.5, 0.5 }, { 1, 0, 0, 0 } }, apart = { { -2, 1, 1 }, { 1, 0, 0, 0 } };
    abut_distance_opts opts;
    abut_distance_opts_init(&opts);
    opts.with_depth = true;
    abut_distance_result r;
    assert_int_equal(abut_distance(solid, NULL, ball, &inside, &opts, NULL, &r), ABUT_OK);
    assert_int_equal(r.verdict, ABUT_PENETRATING);
    assert_true(r.distance.lo <= -1 && r.distance.lo > -1.01 && r.distance.hi >= -1 && r.distance.hi <= 0);
    assert_int_equal(abut_distance(solid, NULL, ball, &apart, &opts, NULL, &r), ABUT_OK);
    assert_true(r.verdict == ABUT_SEPARATE && r.distance.lo <= 1.5 && r.distance.hi >= 1.5);
    abut_shape_release(solid);
    abut_shape_release(ball);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(signed_distance_is_what_check_says),
                                        cmocka_unit_test(balls_by_hand),
                                        cmocka_unit_test(depths_of_meshes_are_bounded) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
