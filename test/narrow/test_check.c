/* SPDX-License-Identifier: MIT */
/* What abut_check promises by hand-made cases: arguments, identities, features and their
 * numbers, degenerate normals, placements by motions whose angles are exact in degrees, rounding
 * modes. */
#include "abut/query.h"
#include "support/bodies.h"
#include "support/places.h"

#include <fenv.h>

static abut_pose at(double x, double y, double z)
{
    return (abut_pose){ { x, y, z }, { 1, 0, 0, 0 } };
}

typedef struct shapes {
    abut_shape *ball, *box, *capsule, *plane, *block;
} shapes;

static int make(void **state)
{
    static shapes s;
    assert_int_equal(abut_shape_create_sphere(1, NULL, &s.ball), ABUT_OK);
    assert_int_equal(abut_shape_create_box(v3(1, 2, 3), NULL, &s.box), ABUT_OK);
    assert_int_equal(abut_shape_create_capsule(1, 4, NULL, &s.capsule), ABUT_OK);
    assert_int_equal(abut_shape_create_halfspace(v3(0, 0, 2), 2, NULL, &s.plane), ABUT_OK);
    const abut_vec3 corners[4] = { { 0, 0, 0 }, { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 } };
    const uint32_t sizes[4] = { 3, 3, 3, 3 }, indices[12] = { 0, 2, 1, 0, 1, 3, 1, 2, 3, 0, 3, 2 };
    assert_int_equal(abut_shape_create_polyhedron(corners, 4, sizes, 4, indices, 12, NULL, &s.block, NULL),
                     ABUT_OK);
    *state = &s;
    return 0;
}

static int unmake(void **state)
{
    shapes *s = *state;
    abut_shape_release(s->ball);
    abut_shape_release(s->box);
    abut_shape_release(s->capsule);
    abut_shape_release(s->plane);
    abut_shape_release(s->block);
    return 0;
}

static abut_check_result check(const abut_shape *a, abut_pose pa, const abut_shape *b, abut_pose pb)
{
    abut_check_result r;
    assert_int_equal(abut_check(a, &pa, b, &pb, NULL, NULL, &r), ABUT_OK);
    return r;
}

static bool is(abut_vec3 v, double x, double y, double z)
{
    return v.x == x && v.y == y && v.z == z;
}

static bool is_point(abut_interval a, double x)
{
    return a.lo == x && a.hi == x;
}

static void bad_arguments(void **state)
{
    const shapes *s = *state;
    abut_check_result r;
    abut_pose bad[] = { at(NAN, 0, 0), at(0, INFINITY, 0), at(0, 0, 0), at(0, 0, 0), at(0, 0, 0) };
    bad[2].rotation = (abut_quat){ 0, 0, 0, 0 };
    bad[3].rotation = (abut_quat){ NAN, 0, 0, 0 };
    bad[4].rotation.z = INFINITY;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; ++i) {
        assert_int_equal(abut_check(s->ball, &bad[i], s->box, NULL, NULL, NULL, &r), ABUT_ERR_ARGUMENT);
        assert_int_equal(abut_check(s->ball, NULL, s->box, &bad[i], NULL, NULL, &r), ABUT_ERR_ARGUMENT);
        assert_int_equal(r.verdict, ABUT_UNDECIDED);
        assert_int_equal(r.proof, ABUT_PROOF_NONE);
    }
    assert_int_equal(abut_check(NULL, NULL, s->box, NULL, NULL, NULL, &r), ABUT_ERR_ARGUMENT);
    assert_int_equal(abut_check(s->ball, NULL, s->box, NULL, NULL, NULL, NULL), ABUT_ERR_ARGUMENT);
    abut_shape *field = test_field();
    assert_int_equal(abut_check(field, NULL, field, NULL, NULL, NULL, &r), ABUT_OK);
    abut_shape_release(field);
    abut_check_opts opts = { 0 };
    assert_int_equal(abut_check(s->ball, NULL, s->box, NULL, &opts, NULL, &r), ABUT_ERR_ARGUMENT);
    abut_check_opts_init(&opts);
    assert_int_equal(abut_check(s->ball, NULL, s->box, NULL, &opts, NULL, &r), ABUT_OK);
    abut_distance_opts cutoff;
    abut_distance_opts_init(&cutoff);
    cutoff.cutoff = 1;
    abut_distance_result d;
    const abut_pose far = at(9, 0, 0);
    assert_int_equal(abut_distance(s->ball, &far, s->ball, NULL, &cutoff, NULL, &d), ABUT_OK);
    assert_int_equal(d.stop, ABUT_STOP_CUTOFF);
    assert_true(is_point(d.distance, 7));
    cutoff.cutoff = NAN;
    assert_int_equal(abut_distance(s->ball, &far, s->ball, NULL, &cutoff, NULL, &d), ABUT_ERR_ARGUMENT);
}

static void features_of_boxes(void **state)
{
    const shapes *s = *state;
    abut_check_result r = check(s->ball, at(1.5, 0, 0), s->box, at(0, 0, 0));
    assert_int_equal(r.verdict, ABUT_PENETRATING);
    assert_true(is_point(r.depth, 0.5) && is(r.normal, -1, 0, 0) && is(r.point_a, 0.5, 0, 0) &&
                is(r.point_b, 1, 0, 0));
    assert_int_equal(r.contact_count, 1);
    assert_int_equal(r.contacts[0].features[0], ABUT_FEATURE_FACE);
    assert_int_equal(r.contacts[0].features[1], ABUT_FEATURE_FACE);
    assert_int_equal(r.contacts[0].ids[1], 1);
    /* On the edge along z at x = -1, y = 2, from outside, and the vertex 3 of x, y > 0. */
    r = check(s->ball, at(-1.5, 2.5, 0), s->box, at(0, 0, 0));
    assert_int_equal(r.contacts[0].features[1], ABUT_FEATURE_EDGE);
    assert_int_equal(r.contacts[0].ids[1], 4 * 2 + 2);
    r = check(s->ball, at(1.5, 2.5, -3.5), s->box, at(0, 0, 0));
    assert_int_equal(r.contacts[0].features[1], ABUT_FEATURE_VERTEX);
    assert_int_equal(r.contacts[0].ids[1], 3);
    /* From within: through the nearest face, 0.75 and the radius. */
    r = check(s->ball, at(0.25, 0, 0), s->box, at(0, 0, 0));
    assert_true(is_point(r.depth, 1.75) && is(r.normal, -1, 0, 0) && is(r.point_b, 1, 0, 0));
    /* A quarter turn about z, stated by a quaternion that is not of unit length: now y is the
     * narrow side. */
    abut_pose turned = at(0, 0, 0);
    turned.rotation = (abut_quat){ 0.3, 0, 0, 0.3 };
    r = check(s->ball, at(0, 2, 0), s->box, turned);
    assert_int_equal(r.verdict, ABUT_TOUCHING);
    assert_int_equal(r.proof, ABUT_PROOF_EXACT);
    assert_int_equal(r.contacts[0].ids[1], 1);
    assert_true(is(r.contacts[0].point, 0, 1, 0) && is(r.contacts[0].normal, 0, -1, 0));
    r = check(s->box, turned, s->ball, at(0, 2, 0));
    assert_true(is(r.contacts[0].normal, 0, 1, 0) && r.contacts[0].ids[0] == 1 && r.contacts[0].ids[1] == 0);
}

static void degenerate_directions_have_a_normal(void **state)
{
    const shapes *s = *state;
    abut_check_result r = check(s->ball, at(3, 4, 5), s->ball, at(3, 4, 5));
    assert_int_equal(r.verdict, ABUT_PENETRATING);
    assert_true(is_point(r.depth, 2) && is(r.normal, -1, 0, 0));
    assert_true(is(r.point_a, 2, 4, 5) && is(r.point_b, 4, 4, 5));
    r = check(s->ball, at(0, 0, 1.5), s->capsule, at(0, 0, 0));
    assert_true(is_point(r.depth, 2) && is(r.normal, -1, 0, 0) && is(r.point_b, 1, 0, 1.5));
    r = check(s->ball, at(0, 0, 4), s->capsule, at(0, 0, 0));
    assert_int_equal(r.verdict, ABUT_TOUCHING);
    assert_int_equal(r.contacts[0].ids[1], 2);
    r = check(s->ball, at(0, 0, -4), s->capsule, at(0, 0, 0));
    assert_int_equal(r.contacts[0].ids[1], 1);
    r = check(s->ball, at(2, 0, -2), s->capsule, at(0, 0, 0));
    assert_int_equal(r.contacts[0].ids[1], 0);
    /* 2 z <= 2: the ball that rests on z = 1. */
    r = check(s->ball, at(7, 8, 2), s->plane, at(0, 0, 0));
    assert_int_equal(r.verdict, ABUT_TOUCHING);
    assert_true(is(r.contacts[0].point, 7, 8, 1) && is(r.normal, 0, 0, -1));
    r = check(s->ball, at(7, 8, -9), s->plane, at(0, 0, 0));
    assert_true(is_point(r.depth, 11));
}

/* 30 degrees: the sine is a half, but the rotation is no longer exact; the verdict is still
 * right where it is given. */
static void placements_by_motions(void **state)
{
    const shapes *s = *state;
    abut_motion *turned, *moved;
    const abut_placement degrees = { .rotation = { ABUT_ROTATION_DEGREES, .axis = { 0, 0, 1 },
                                                   .angle = 90 } };
    assert_int_equal(abut_motion_create_static(&degrees, NULL, &turned, NULL), ABUT_OK);
    const abut_placement from = { .position = { 0, 4, 0 } }, to = { .position = { 0, 0, 0 } };
    assert_int_equal(abut_motion_create_linear(0, 1, &from, &to, NULL, &moved, NULL), ABUT_OK);
    abut_check_result r;
    assert_int_equal(abut_check_at(s->ball, moved, s->box, turned, 0.25, NULL, NULL, &r), ABUT_OK);
    assert_int_equal(r.verdict, ABUT_SEPARATE);
    assert_true(r.distance.lo <= 1 && 1 <= r.distance.hi && r.distance.hi - r.distance.lo < 1e-14);
    assert_int_equal(abut_check_at(s->ball, moved, s->box, turned, 0.75, NULL, NULL, &r), ABUT_OK);
    assert_int_equal(r.verdict, ABUT_PENETRATING);
    /* Touching at t = 1/2: exact if the motions give points, undecided with a narrow enclosure
     * if not, never wrong. */
    assert_int_equal(abut_check_at(s->ball, moved, s->box, turned, 0.5, NULL, NULL, &r), ABUT_OK);
    assert_true(r.verdict == ABUT_TOUCHING ||
                (r.verdict == ABUT_UNDECIDED && r.distance.hi < 1e-14 && r.depth.hi < 1e-14));
    abut_motion_release(turned);
    abut_motion_release(moved);
}

static double off(abut_vec3 a, abut_vec3 b)
{
    return fabs(a.x - b.x) + fabs(a.y - b.y) + fabs(a.z - b.z);
}

/* Poses that are not near contact take a short way, motions never do: the same bodies both ways. */
static void poses_and_motions_agree(void **state)
{
    const shapes *s = *state;
    test_random random = test_seed(7);
    unsigned features = 0;
    for (uint64_t i = 0, count = test_count(20000); i < count; ++i) {
        const abut_shape *others[] = { s->ball, s->box, s->capsule };
        const abut_shape *other = others[test_below(&random, 3)];
        double v[10];
        for (int k = 0; k < 10; ++k)
            v[k] = test_uniform(&random, -3, 3);
        abut_pose a = at(v[0], v[1], v[2]);
        abut_pose b = { { 0.1 * v[3], 0.1 * v[4], 0.1 * v[5] }, { v[6], v[7], v[8], v[9] } };
        if (test_below(&random, 3) == 0)
            b.rotation = (abut_quat){ 1, 0, 0, 0 };
        else if (test_below(&random, 4) == 0) { /* by a vertex of the box, turned by little */
            b.rotation = (abut_quat){ 1, 1e-6 * v[7], 1e-6 * v[8], 1e-6 * v[9] };
            a = at(b.position.x + 1.2 + 0.1 * v[0] / 3, b.position.y - 2.2, b.position.z + 3.2);
        }
        const bool swapped = test_below(&random, 2);
        const abut_placement place_a = { .position = a.position },
                             place_b = { .position = b.position,
                                         .rotation = { ABUT_ROTATION_QUATERNION, .quaternion = b.rotation } };
        abut_motion *motion_a, *motion_b;
        assert_int_equal(abut_motion_create_static(&place_a, NULL, &motion_a, NULL), ABUT_OK);
        assert_int_equal(abut_motion_create_static(&place_b, NULL, &motion_b, NULL), ABUT_OK);
        abut_check_result r, m;
        memset(&r, 0x5a, sizeof r); /* what is not written shows */
        if (swapped) {
            assert_int_equal(abut_check(other, &b, s->ball, &a, NULL, NULL, &r), ABUT_OK);
            assert_int_equal(abut_check_at(other, motion_b, s->ball, motion_a, 0, NULL, NULL, &m), ABUT_OK);
        } else {
            assert_int_equal(abut_check(s->ball, &a, other, &b, NULL, NULL, &r), ABUT_OK);
            assert_int_equal(abut_check_at(s->ball, motion_a, other, motion_b, 0, NULL, NULL, &m), ABUT_OK);
        }
        assert_int_equal(r.verdict, m.verdict);
        assert_int_equal(r.proof, m.proof);
        assert_int_equal(r.stop, m.stop);
        assert_true(r.has_depth == m.has_depth && r.has_points && r.has_normal);
        assert_true(r.distance.lo <= m.distance.hi && m.distance.lo <= r.distance.hi);
        assert_true(r.depth.lo <= m.depth.hi && m.depth.lo <= r.depth.hi);
        assert_int_equal(r.contact_count, m.contact_count);
        assert_true(r.counters.evaluations == 1 && r.counters.iterations == 0 && r.counters.exact == 0);
        const double tiny = 1e-11; /* a normal is as good as what it is the direction of is long */
        assert_true(off(r.normal, m.normal) < tiny && off(r.point_a, m.point_a) < tiny &&
                    off(r.point_b, m.point_b) < tiny);
        for (int k = 0; k < r.contact_count; ++k) {
            const abut_contact *x = &r.contacts[k], *y = &m.contacts[k];
            assert_true(off(x->point, y->point) < tiny && off(x->normal, y->normal) < tiny);
            assert_true(x->features[0] == y->features[0] && x->features[1] == y->features[1]);
            assert_true(x->ids[0] == y->ids[0] && x->ids[1] == y->ids[1]);
            features |= 1u << x->features[swapped ? 0 : 1];
        }
        abut_motion_release(motion_a);
        abut_motion_release(motion_b);
    }
    assert_int_equal(features, 1 << ABUT_FEATURE_VERTEX | 1 << ABUT_FEATURE_EDGE | 1 << ABUT_FEATURE_FACE);
}

static void the_callers_rounding_mode_does_not_matter(void **state)
{
    const shapes *s = *state;
    const int modes[] = { FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO };
    const abut_pose p = { { 1.1, 2.3, 0.7 }, { 0.9, 0.1, -0.3, 0.2 } };
    abut_check_result expected, r;
    assert_int_equal(abut_check(s->ball, NULL, s->box, &p, NULL, NULL, &expected), ABUT_OK);
    for (int i = 0; i < 3; ++i) {
        fesetround(modes[i]);
        assert_int_equal(abut_check(s->ball, NULL, s->box, &p, NULL, NULL, &r), ABUT_OK);
        const int mode = fegetround();
        fesetround(FE_TONEAREST);
        assert_int_equal(mode, modes[i]);
        assert_true(r.verdict == expected.verdict && r.depth.lo == expected.depth.lo &&
                    r.depth.hi == expected.depth.hi && r.normal.x == expected.normal.x &&
                    r.point_a.y == expected.point_a.y);
    }
}

/* All ways that are quick have to be taken in every mode, also in those in which they would go
 * wrong. */
static void quick_ways_are_taken_in_every_mode(void **state)
{
    (void)state;
    enum { KINDS = 7 };
    const int modes[] = { FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO };
    abut_shape *shape[KINDS];
    abut_vec3 points[12];
    test_random r = test_seed(31);
    for (int i = 0; i < 12; ++i)
        points[i] = random_vec3(&r, 1);
    assert_int_equal(abut_shape_create_sphere(0.7, NULL, &shape[0]), ABUT_OK);
    assert_int_equal(abut_shape_create_box(v3(0.4, 0.7, 1.1), NULL, &shape[1]), ABUT_OK);
    assert_int_equal(abut_shape_create_capsule(0.3, 1.3, NULL, &shape[2]), ABUT_OK);
    assert_int_equal(abut_shape_create_cylinder(0.6, 1.3, NULL, &shape[3]), ABUT_OK);
    assert_int_equal(abut_shape_create_cone(0.8, 1.1, NULL, &shape[4]), ABUT_OK);
    assert_int_equal(abut_shape_create_ellipsoid(v3(0.4, 0.9, 0.7), NULL, &shape[5]), ABUT_OK);
    assert_int_equal(abut_shape_create_convex(points, 12, 0, NULL, &shape[6], NULL), ABUT_OK);
    for (uint64_t seed = 0; seed < test_count(2000); ++seed) {
        const abut_shape *a = shape[test_below(&r, KINDS)], *b = shape[test_below(&r, KINDS)];
        const abut_pose p = { random_vec3(&r, 1), random_quat(&r) },
                        q = { random_vec3(&r, 1), random_quat(&r) };
        abut_distance_opts opts;
        abut_distance_result d, in_mode_d;
        abut_overlap_result o, in_mode_o;
        abut_distance_opts_init(&opts);
        opts.with_depth = seed % 2;
        assert_int_equal(abut_distance(a, &p, b, &q, &opts, NULL, &d), ABUT_OK);
        assert_int_equal(abut_overlap(a, &p, b, &q, NULL, NULL, &o), ABUT_OK);
        fesetround(modes[seed % 3]);
        const abut_status by_distance = abut_distance(a, &p, b, &q, &opts, NULL, &in_mode_d),
                          by_overlap = abut_overlap(a, &p, b, &q, NULL, NULL, &in_mode_o);
        const int mode = fegetround();
        fesetround(FE_TONEAREST);
        assert_true(mode == modes[seed % 3] && by_distance == ABUT_OK && by_overlap == ABUT_OK);
        TEST_CHECK(d.verdict == in_mode_d.verdict && d.distance.lo == in_mode_d.distance.lo &&
                       d.distance.hi == in_mode_d.distance.hi && d.normal.x == in_mode_d.normal.x &&
                       (!d.has_points || d.point_a.y == in_mode_d.point_a.y) &&
                       o.verdict == in_mode_o.verdict &&
                       o.counters.evaluations == in_mode_o.counters.evaluations,
                   "seed %" PRIu64 ", types %d and %d", seed, (int)abut_shape_get_type(a),
                   (int)abut_shape_get_type(b));
    }
    for (int i = 0; i < KINDS; ++i)
        abut_shape_release(shape[i]);
}

/* Quaternions and sizes that leave the usual road: whether bodies meet is known all the same. */
static void overlap_knows_what_check_knows(void **state)
{
    (void)state;
    const double lengths[] = { 1, 1e-100, 1e100 }, sizes[] = { 1, 0x1p-400, 0x1p400 };
    for (int i = 0; i < 9; ++i) {
        const double q = lengths[i / 3], size = sizes[i % 3];
        abut_shape *cylinder, *cone, *segment;
        assert_int_equal(abut_shape_create_cylinder(size, 2 * size, NULL, &cylinder), ABUT_OK);
        assert_int_equal(abut_shape_create_cone(size, 2 * size, NULL, &cone), ABUT_OK);
        assert_int_equal(abut_shape_create_segment(v3(0, 0, -size), v3(0, 0, size), 0, NULL, &segment, NULL),
                         ABUT_OK);
        for (int k = 0; k < 3; ++k) {
            const abut_pose p = { { (k == 2 ? 2.5 : 0.5) * size, 0, 0 }, { q, 0.1 * q, 0, 0 } };
            abut_check_result r;
            abut_overlap_result o;
            assert_int_equal(abut_check(cylinder, NULL, k ? cone : segment, &p, NULL, NULL, &r), ABUT_OK);
            assert_int_equal(abut_overlap(cylinder, NULL, k ? cone : segment, &p, NULL, NULL, &o), ABUT_OK);
            assert_int_equal(r.verdict, k == 0 ? ABUT_TOUCHING : k == 1 ? ABUT_PENETRATING : ABUT_SEPARATE);
            assert_int_equal(o.verdict, r.verdict);
        }
        abut_shape_release(cylinder);
        abut_shape_release(cone);
        abut_shape_release(segment);
    }
}

static void names(void **state)
{
    (void)state;
    assert_string_equal(abut_verdict_name(ABUT_PENETRATING), "penetrating");
    assert_string_equal(abut_proof_name(ABUT_PROOF_EXACT), "exact");
    assert_string_equal(abut_stop_name(ABUT_STOP_CANCELLED), "cancelled");
    assert_string_equal(abut_feature_name(ABUT_FEATURE_FACE), "face");
    assert_string_equal(abut_first_verdict_name(ABUT_FIRST_OVERLAPPING), "overlapping");
    assert_string_equal(abut_where_name(ABUT_WHERE_EDGE), "edge");
    assert_string_equal(abut_where_name((abut_where)77), "unknown");
    assert_string_equal(abut_verdict_name((abut_verdict)-1), "unknown");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bad_arguments),
        cmocka_unit_test(features_of_boxes),
        cmocka_unit_test(degenerate_directions_have_a_normal),
        cmocka_unit_test(placements_by_motions),
        cmocka_unit_test(poses_and_motions_agree),
        cmocka_unit_test(the_callers_rounding_mode_does_not_matter),
        cmocka_unit_test(quick_ways_are_taken_in_every_mode),
        cmocka_unit_test(overlap_knows_what_check_knows),
        cmocka_unit_test(names),
    };
    return cmocka_run_group_tests(tests, make, unmake);
}
