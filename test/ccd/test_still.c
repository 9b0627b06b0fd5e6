/* SPDX-License-Identifier: MIT */
/* Pairs that only have a static method, at rest: the queries over time say of the whole range
 * what abut_check says of an instant (which has referees of its own), and nothing of pairs that
 * move. */
#include "abut/query.h"
#include "support/bodies.h"
#include "support/test.h"

static abut_motion *still_at(double x, double y, double z)
{
    abut_motion *motion;
    const abut_placement at = { .position = { x, y, z } };
    assert_int_equal(abut_motion_create_static(&at, NULL, &motion, NULL), ABUT_OK);
    return motion;
}

/* Of a type that has no method here yet. */
typedef struct bodies {
    abut_shape *ball, *box, *capsule, *polyhedron;
} bodies;

static int make(void **state)
{
    static bodies s;
    assert_int_equal(abut_shape_create_sphere(1, NULL, &s.ball), ABUT_OK);
    assert_int_equal(abut_shape_create_box((abut_vec3){ 1, 1, 1 }, NULL, &s.box), ABUT_OK);
    assert_int_equal(abut_shape_create_capsule(1, 4, NULL, &s.capsule), ABUT_OK);
    s.polyhedron = test_polyhedron();
    *state = &s;
    return 0;
}

static int unmake(void **state)
{
    bodies *s = *state;
    abut_shape_release(s->ball);
    abut_shape_release(s->box);
    abut_shape_release(s->capsule);
    abut_shape_release(s->polyhedron);
    return 0;
}

static void known_cases(void **state)
{
    const bodies *s = *state;
    abut_motion *touch = still_at(0, 0, 2), *deep = still_at(0, 0, 1.5), *apart = still_at(0, 0, 2.5);
    abut_first_opts opts;
    abut_first_opts_init(&opts);
    opts.time = (abut_interval){ 3, 5 };
    abut_first_result r;
    assert_int_equal(abut_first_contact(s->ball, touch, s->box, NULL, &opts, NULL, &r), ABUT_OK);
    assert_int_equal(r.verdict, ABUT_FIRST_CONTACT);
    assert_int_equal(r.proof, ABUT_PROOF_EXACT);
    assert_true(r.time.lo == 3 && r.time.hi == 3 && r.point_count == 1);
    assert_true(r.points[0].point.z == 1 && r.points[0].normal.z == -1);
    assert_true(r.points[0].time.lo == 3 && r.points[0].features[1] == ABUT_FEATURE_FACE);
    assert_int_equal(abut_first_contact(s->box, NULL, s->ball, deep, &opts, NULL, &r), ABUT_OK);
    assert_int_equal(r.verdict, ABUT_FIRST_OVERLAPPING);
    assert_true(r.time.lo == 3 && r.time.hi == 3 && r.point_count == 1 && r.points[0].normal.z == 1);
    assert_int_equal(abut_first_contact(s->ball, apart, s->box, NULL, NULL, NULL, &r), ABUT_OK);
    assert_int_equal(r.verdict, ABUT_FIRST_SEPARATE);
    assert_int_equal(r.proof, ABUT_PROOF_EXACT);
    assert_int_equal(r.point_count, 0);

    abut_contact_interval all;
    abut_intervals_result found;
    assert_int_equal(abut_contact_intervals(s->ball, touch, s->box, NULL, &opts, NULL, &all, 1, &found),
                     ABUT_OK);
    assert_int_equal(found.count, 1);
    assert_int_equal(found.proof, ABUT_PROOF_EXACT);
    assert_true(all.enter.lo == 3 && all.enter.hi == 3 && all.exit.lo == 5 && all.exit.hi == 5);
    assert_int_equal(abut_contact_intervals(s->box, NULL, s->ball, apart, &opts, NULL, &all, 1, &found),
                     ABUT_OK);
    assert_int_equal(found.count, 0);
    assert_int_equal(found.proof, ABUT_PROOF_EXACT);

    /* Something is stretched. */
    abut_shape *field = test_field();
    abut_motion *moving, *stretched;
    const abut_placement from = { .position = { 0, 0, 4 } }, to = { .position = { 0, 0, 0 } };
    const abut_affine twice = { .linear = { { { 2, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 } } } };
    assert_int_equal(abut_motion_create_linear(0, 1, &from, &to, NULL, &moving, NULL), ABUT_OK);
    assert_int_equal(abut_motion_create_static_affine(&twice, NULL, &stretched, NULL), ABUT_OK);
    assert_int_equal(abut_first_contact(field, moving, field, stretched, NULL, NULL, &r),
                     ABUT_ERR_UNSUPPORTED);
    assert_int_equal(abut_first_contact(s->ball, apart, s->box, stretched, NULL, NULL, &r),
                     ABUT_ERR_UNSUPPORTED);
    assert_int_equal(abut_contact_intervals(field, stretched, field, moving, NULL, NULL, NULL, 0, &found),
                     ABUT_ERR_UNSUPPORTED);
    abut_shape_release(field);
    abut_motion_release(touch);
    abut_motion_release(deep);
    abut_motion_release(apart);
    abut_motion_release(moving);
    abut_motion_release(stretched);
}

static void as_the_check_says(void **state)
{
    const bodies *s = *state;
    test_random r = test_seed(1);
    static const abut_first_verdict expected[] = { [ABUT_UNDECIDED] = ABUT_FIRST_UNDECIDED,
                                                   [ABUT_SEPARATE] = ABUT_FIRST_SEPARATE,
                                                   [ABUT_TOUCHING] = ABUT_FIRST_CONTACT,
                                                   [ABUT_PENETRATING] = ABUT_FIRST_OVERLAPPING };
    size_t seen[4] = { 0 };
    const uint64_t count = test_count(4000);
    for (uint64_t i = 0; i < count; ++i) {
        const abut_shape *other = test_below(&r, 2) ? s->box : s->capsule;
        /* Turned by 90 degrees exactly, by 45 not: balls on what was a face are then undecided. */
        const abut_placement turned = { .rotation = { ABUT_ROTATION_DEGREES, .axis = { 0, 0, 1 },
                                                      .angle = 45.0 * test_below(&r, 4) } };
        abut_motion *b, *a = still_at((double)test_below(&r, 5) - 2, (double)test_below(&r, 5) - 2,
                                      (double)test_below(&r, 9) - 4);
        assert_int_equal(abut_motion_create_static(&turned, NULL, &b, NULL), ABUT_OK);
        abut_check_result check;
        abut_first_result first;
        abut_intervals_result found;
        abut_contact_interval all;
        assert_int_equal(abut_check_at(s->ball, a, other, b, 0, NULL, NULL, &check), ABUT_OK);
        assert_int_equal(abut_first_contact(s->ball, a, other, b, NULL, NULL, &first), ABUT_OK);
        assert_int_equal(abut_contact_intervals(other, b, s->ball, a, NULL, NULL, &all, 1, &found), ABUT_OK);
        ++seen[check.verdict];
        assert_int_equal(first.verdict, expected[check.verdict]);
        assert_int_equal(first.proof, check.proof);
        assert_int_equal(found.count, check.verdict != ABUT_SEPARATE);
        if (check.verdict == ABUT_UNDECIDED) {
            assert_true(first.time.lo == 0 && first.time.hi == 1 && found.proof == ABUT_PROOF_TOLERANCE);
            assert_int_equal(first.stop, ABUT_STOP_TOLERANCE);
            assert_int_equal(found.stop, ABUT_STOP_TOLERANCE);
        } else {
            assert_int_equal(found.proof, check.proof);
        }
        if (check.contact_count > 0) {
            assert_int_equal(first.point_count, 1);
            assert_true(first.points[0].point.x == check.contacts[0].point.x &&
                        first.points[0].point.z == check.contacts[0].point.z);
            assert_int_equal(first.points[0].features[1], check.contacts[0].features[1]);
        }
        abut_motion_release(a);
        abut_motion_release(b);
    }
    printf("%llu at rest: %zu undecided, %zu separate, %zu touching, %zu penetrating\n",
           (unsigned long long)count, seen[0], seen[1], seen[2], seen[3]);
    assert_true(seen[0] && seen[1] && seen[2] && seen[3]);
}

/* Balls that an affine placement makes ellipsoids, against each other and against other bodies. */
static void affine_placements(void **state)
{
    const bodies *s = *state;
    const abut_affine egg = { { { { 2, 0, 0 }, { 0, 1, 0.5 }, { 0, 0, 1 } } }, { 0, 0, 0 } };
    abut_motion *a;
    assert_int_equal(abut_motion_create_static_affine(&egg, NULL, &a, NULL), ABUT_OK);
    for (int k = 0; k < 9; ++k) {
        const abut_shape *other = k < 3 ? s->ball : k < 6 ? s->box : s->capsule;
        abut_motion *b = still_at(k % 3 == 0 ? 2.5 : k % 3 == 1 ? 3 : 3.5, 0, 0);
        abut_check_result check;
        abut_first_result first;
        abut_contact_interval all[2];
        abut_intervals_result found;
        assert_int_equal(abut_check_at(s->ball, a, other, b, 0, NULL, NULL, &check), ABUT_OK);
        assert_int_equal(abut_first_contact(other, b, s->ball, a, NULL, NULL, &first), ABUT_OK);
        assert_int_equal(abut_contact_intervals(s->ball, a, other, b, NULL, NULL, all, 2, &found), ABUT_OK);
        assert_int_equal(first.verdict, check.verdict == ABUT_SEPARATE    ? ABUT_FIRST_SEPARATE
                                        : check.verdict == ABUT_TOUCHING  ? ABUT_FIRST_CONTACT
                                        : check.verdict == ABUT_UNDECIDED ? ABUT_FIRST_UNDECIDED
                                                                          : ABUT_FIRST_OVERLAPPING);
        assert_int_equal(check.verdict, k % 3 == 0   ? ABUT_PENETRATING
                                        : k % 3 == 2 ? ABUT_SEPARATE
                                        : k == 1     ? ABUT_TOUCHING
                                                     : (int)check.verdict);
        assert_int_equal(found.count, check.verdict != ABUT_SEPARATE);
        if (check.verdict == ABUT_TOUCHING || check.verdict == ABUT_PENETRATING) {
            assert_true(all[0].enter.hi == 0 && all[0].exit.lo == 1);
            assert_true(first.point_count >= 1 && first.time.hi == 0);
        }
        abut_motion_release(b);
    }
    abut_motion_release(a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(known_cases),
        cmocka_unit_test(as_the_check_says),
        cmocka_unit_test(affine_placements),
    };
    return cmocka_run_group_tests(tests, make, unmake);
}
