/* SPDX-License-Identifier: MIT */
/* Convex bodies over time: what must not change under exchange, splitting and the choice of a
 * method, and known cases. */
#include "ccd/test_advance_support.h"

static bool is_round(const abut_shape *shape)
{
    const abut_shape_type type = abut_shape_get_type(shape);
    return type == ABUT_SHAPE_SPHERE || type == ABUT_SHAPE_ELLIPSOID;
}

static void methods_agree(void **state)
{
    (void)state;
    const uint64_t count = test_count(3000);
    uint64_t hits = 0, undecided = 0;
    for (uint64_t seed = 0; seed < count; ++seed) {
        test_random r = test_seed(seed + 1000000);
        body a, b;
        course ca, cb;
        make_body(&r, test_below(&r, 9), 1, &a);
        make_body(&r, test_below(&r, 9), 1, &b);
        make_course(&r, seed % 3 == 0 ? 0 : 7, 3, 0, &ca);
        make_course(&r, 7, 3, 0, &cb);
        abut_first_result all[ABUT_METHOD_COUNT];
        for (int k = 0; k < ABUT_METHOD_COUNT; ++k) {
            abut_first_opts opts;
            abut_first_opts_init(&opts);
            opts.method = (abut_first_method)k;
            const bool knows = k < ABUT_METHOD_SHOOTING || (is_round(a.shape) && is_round(b.shape));
            const abut_status status =
                abut_first_contact(a.shape, ca.motion, b.shape, cb.motion, &opts, NULL, &all[k]);
            if (!knows) {
                TEST_CHECK(status == ABUT_ERR_UNSUPPORTED, "seed %" PRIu64 " method %d", seed, k);
                continue;
            }
            TEST_CHECK(status == ABUT_OK, "seed %" PRIu64 " method %d", seed, k);
            undecided += all[k].verdict == ABUT_FIRST_UNDECIDED;
            if (all[k].verdict == ABUT_FIRST_UNDECIDED || all[0].verdict == ABUT_FIRST_UNDECIDED)
                continue;
            TEST_CHECK(all[k].verdict == all[0].verdict && all[k].time.lo <= all[0].time.hi &&
                           all[0].time.lo <= all[k].time.hi,
                       "seed %" PRIu64 " method %d: verdict %d at %a … %a, not %d at %a … %a", seed, k,
                       (int)all[k].verdict, all[k].time.lo, all[k].time.hi, (int)all[0].verdict,
                       all[0].time.lo, all[0].time.hi);
            TEST_CHECK(all[k].time.hi - all[k].time.lo < 1e-10, "seed %" PRIu64 " method %d: %a … %a", seed,
                       k, all[k].time.lo, all[k].time.hi);
        }
        hits += all[0].verdict == ABUT_FIRST_CONTACT;
        /* The swept bodies meet just when there is a contact. */
        if (ca.oracle.type == ABUT_MOTION_VELOCITY) {
            const abut_vec3 v =
                v3(ca.oracle.linear.x - cb.oracle.linear.x, ca.oracle.linear.y - cb.oracle.linear.y,
                   ca.oracle.linear.z - cb.oracle.linear.z);
            const abut_pose pa = abut_placement_to_pose(&ca.oracle.from),
                            pb = abut_placement_to_pose(&cb.oracle.from);
            for (int form = 0; form < 2; ++form) {
                abut_sweep_opts opts;
                abut_overlap_result sweep;
                abut_sweep_opts_init(&opts);
                opts.form = (abut_sweep_form)form;
                assert_int_equal(abut_sweep_overlap(a.shape, &pa, b.shape, &pb, v, &opts, NULL, &sweep),
                                 ABUT_OK);
                undecided += sweep.verdict == ABUT_UNDECIDED;
                if (sweep.verdict != ABUT_UNDECIDED && all[0].verdict != ABUT_FIRST_UNDECIDED)
                    TEST_CHECK((sweep.verdict == ABUT_SEPARATE) == (all[0].verdict == ABUT_FIRST_SEPARATE),
                               "seed %" PRIu64 " form %d: %d, but first contact %d", seed, form,
                               (int)sweep.verdict, (int)all[0].verdict);
            }
        }
        abut_shape_release(a.shape);
        abut_shape_release(b.shape);
        abut_motion_release(ca.motion);
        abut_motion_release(cb.motion);
    }
    print_message("%" PRIu64 " translations, %" PRIu64 " hits, %" PRIu64 " undecided\n", count, hits,
                  undecided);
}

/* ---- known cases ---- */

/* A touch at the start counts when they close in or stay, not when they part. */
static void touching_at_the_start(void **state)
{
    (void)state;
    static const struct {
        abut_vec3 linear, angular;
        abut_first_verdict verdict;
    } cases[] = { { { 3, 0, 0 }, { 0, 0, 0 }, ABUT_FIRST_SEPARATE },
                  { { 1, 1, 0 }, { 0, 0, 0 }, ABUT_FIRST_SEPARATE },
                  { { -1, 0, 0 }, { 0, 0, 0 }, ABUT_FIRST_CONTACT },
                  { { -1, 1, 0 }, { 0, 0, 0 }, ABUT_FIRST_CONTACT },
                  { { 0, 3, 0 }, { 0, 0, 0 }, ABUT_FIRST_CONTACT },
                  { { 0, 0.5, 0 }, { 0, 0, 0 }, ABUT_FIRST_CONTACT },
                  { { 0, 0, 0 }, { 0, 0, 1 }, ABUT_FIRST_CONTACT },
                  { { 4, 0, 0 }, { 0, 0, 1 }, ABUT_FIRST_SEPARATE },
                  { { -0.5, 0, 0 }, { 1, 0, 0 }, ABUT_FIRST_CONTACT } };
    abut_shape *a = box_of(1, 1, 1), *b = box_of(0.5, 1, 1), *floor;
    assert_int_equal(abut_shape_create_halfspace(v3(1, 0, 0), 1, NULL, &floor), ABUT_OK);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        abut_motion *mb = steady(v3(1.5, 0, 0), cases[i].linear, cases[i].angular);
        const abut_first_result r = ask(a, NULL, b, mb), mirrored = ask(b, mb, a, NULL);
        TEST_CHECK(r.verdict == cases[i].verdict && mirrored.verdict == r.verdict, "case %zu: %d", i,
                   (int)r.verdict);
        if (r.verdict == ABUT_FIRST_CONTACT)
            TEST_CHECK(r.time.lo == 0 && r.time.hi < 1e-8, "case %zu: %a … %a", i, r.time.lo, r.time.hi);
        /* Over a half-space whatever turns or slides stays. */
        const abut_first_result above = ask(b, mb, floor, NULL);
        const bool parts = cases[i].linear.x > 0;
        TEST_CHECK(above.verdict == ABUT_FIRST_UNDECIDED ||
                       above.verdict == (parts ? ABUT_FIRST_SEPARATE : ABUT_FIRST_CONTACT),
                   "case %zu over a half-space: %d", i, (int)above.verdict);
        abut_motion_release(mb);
    }
    abut_shape_release(a);
    abut_shape_release(b);
    abut_shape_release(floor);
}

/* Bodies that stand on a half-space, slide over it, and turn about its normal: the touch lasts,
 * or ends at once where they rise. */
static void standing_on_the_ground(void **state)
{
    (void)state;
    static const abut_vec3 corners[4] = { { -1, -1, -1 }, { 1, -1, -1 }, { 0, 1, -1 }, { 0, 0, 1 } };
    static const double rise[3] = { 0, -0.25, 0.25 };
    abut_shape *bodies[6], *ground;
    assert_int_equal(abut_shape_create_box(v3(2, 1, 1), NULL, &bodies[0]), ABUT_OK);
    assert_int_equal(abut_shape_create_cylinder(1, 2, NULL, &bodies[1]), ABUT_OK);
    assert_int_equal(abut_shape_create_cone(1, 2, NULL, &bodies[2]), ABUT_OK);
    assert_int_equal(abut_shape_create_convex(corners, 4, 0, NULL, &bodies[3], NULL), ABUT_OK);
    assert_int_equal(abut_shape_create_ellipsoid(v3(2, 1.5, 1), NULL, &bodies[4]), ABUT_OK);
    assert_int_equal(abut_shape_create_capsule(0.5, 1, NULL, &bodies[5]), ABUT_OK);
    assert_int_equal(abut_shape_create_halfspace(v3(0, 0, 2), 1, NULL, &ground), ABUT_OK);
    for (int i = 0; i < 6 * 3 * 2 * 2; ++i) {
        const int k = i % 6, up = i / 6 % 3;
        const bool spins = i / 18 % 2, exchanged = i / 36;
        abut_motion *motion;
        abut_first_result r;
        const abut_placement at = {
            .position = v3(0.3, 0.1, 1.5),
            .rotation = { .kind = ABUT_ROTATION_DEGREES, .axis = v3(0, 0, 1), .angle = spins ? 37 : 0 }
        };
        assert_int_equal(abut_motion_create_velocity(0, 1, &at, v3(1, 0.5, rise[up]), v3(0, 0, spins ? 2 : 0),
                                                     NULL, &motion, NULL),
                         ABUT_OK);
        assert_int_equal(exchanged ? abut_first_contact(ground, NULL, bodies[k], motion, NULL, NULL, &r)
                                   : abut_first_contact(bodies[k], motion, ground, NULL, NULL, NULL, &r),
                         ABUT_OK);
        TEST_CHECK(r.verdict == (up == 2 ? ABUT_FIRST_SEPARATE : ABUT_FIRST_CONTACT), "case %d: verdict %d",
                   i, (int)r.verdict);
        TEST_CHECK(up == 2 || (r.time.lo == 0 && r.time.hi == 0), "case %d: [%a, %a]", i, r.time.lo,
                   r.time.hi);
        abut_motion_release(motion);
    }
    /* Falling by 1 until the middle of the time, by every method. */
    for (int i = 0; i < 6 * (ABUT_METHOD_BRENT + 1); ++i) {
        const abut_placement at = { .position = v3(0.3, 0.1, 2.5) };
        abut_motion *motion;
        abut_first_result r;
        abut_first_opts opts;
        abut_first_opts_init(&opts);
        opts.method = (abut_first_method)(i / 6);
        assert_int_equal(
            abut_motion_create_velocity(0, 1, &at, v3(1, 0.5, -2), v3(0, 0, 0), NULL, &motion, NULL),
            ABUT_OK);
        assert_int_equal(abut_first_contact(bodies[i % 6], motion, ground, NULL, &opts, NULL, &r), ABUT_OK);
        TEST_CHECK(r.verdict == ABUT_FIRST_CONTACT && r.time.lo <= 0.5 && r.time.hi >= 0.5 &&
                       r.time.hi - r.time.lo < 1e-12,
                   "body %d, method %d: verdict %d in [%a, %a]", i % 6, i / 6, (int)r.verdict, r.time.lo,
                   r.time.hi);
        abut_motion_release(motion);
    }
    for (int k = 0; k < 6; ++k)
        abut_shape_release(bodies[k]);
    abut_shape_release(ground);
}

/* Thin things and fast ones: nothing is jumped over. */
static void nothing_is_jumped_over(void **state)
{
    (void)state;
    abut_shape *sheet = box_of(5, 5, 1e-7), *bead, *bar = box_of(2, 0.01, 0.01), *plate = box_of(1, 1e-4, 1);
    assert_int_equal(abut_shape_create_ellipsoid(v3(1e-6, 2e-6, 1e-6), NULL, &bead), ABUT_OK);
    abut_motion *shot = steady(v3(0.3, 0.2, 1000), v3(0, 0, -2000), v3(10, 20, 30));
    abut_first_result r = ask(bead, shot, sheet, NULL);
    assert_int_equal(r.verdict, ABUT_FIRST_CONTACT);
    TEST_CHECK(r.time.lo > 0.4999999 && r.time.hi < 0.5 && r.time.hi - r.time.lo < 1e-12, "%a … %a",
               r.time.lo, r.time.hi);
    abut_motion_release(shot);
    /* The bar spins in the plane of x and y, a whole turn in 1/5; the plate stands across the y
     * axis at 1.5, and is met when the bar comes round. */
    abut_motion *spin = steady(v3(0, 0, 0), v3(0, 0, 0), v3(0, 0, 10 * 3.14159265358979)),
                *stand = steady(v3(0, 1.5, 0), v3(0, 0, 0), v3(0, 0, 0));
    r = ask(bar, spin, plate, stand);
    assert_int_equal(r.verdict, ABUT_FIRST_CONTACT);
    /* corner (2, 0.01): the angle at which it is at height 1.5 - 1e-4 */
    const double angle = asin((1.5 - 1e-4) / hypot(2, 0.01)) - atan2(0.01, 2),
                 t = angle / (10 * 3.14159265358979);
    const double x = hypot(2, 0.01) * cos(angle + atan2(0.01, 2));
    if (x <= 1)
        TEST_NEAR(r.time.lo, t, 1e-9, "spinning bar");
    else
        TEST_CHECK(r.time.lo > t && r.time.lo < 0.05, "%a", r.time.lo);
    abut_motion_release(spin);
    abut_motion_release(stand);
    abut_shape_release(sheet);
    abut_shape_release(bead);
    abut_shape_release(bar);
    abut_shape_release(plate);
}

/* Swapped bodies, and a range that is split. */
static void exchange_and_splitting_agree(void **state)
{
    (void)state;
    const uint64_t count = test_count(2000);
    for (uint64_t seed = 0; seed < count; ++seed) {
        test_random r = test_seed(seed + 3000000);
        body a, b;
        course ca, cb;
        make_body(&r, test_below(&r, 9), 1, &a);
        make_body(&r, test_below(&r, 9), 1, &b);
        make_course(&r, test_below(&r, KINDS), 3, 3, &ca);
        make_course(&r, test_below(&r, KINDS), 3, 3, &cb);
        const abut_first_result x = ask(a.shape, ca.motion, b.shape, cb.motion),
                                y = ask(b.shape, cb.motion, a.shape, ca.motion);
        const bool decided = x.verdict != ABUT_FIRST_UNDECIDED && y.verdict != ABUT_FIRST_UNDECIDED;
        if (decided)
            TEST_CHECK(x.verdict == y.verdict && x.time.lo <= y.time.hi && y.time.lo <= x.time.hi,
                       "seed %" PRIu64 " swapped", seed);
        if (x.verdict == ABUT_FIRST_CONTACT && x.time.lo > 0) {
            abut_first_opts opts;
            abut_first_result part;
            abut_first_opts_init(&opts);
            opts.time = (abut_interval){ 0, x.time.lo };
            assert_int_equal(abut_first_contact(a.shape, ca.motion, b.shape, cb.motion, &opts, NULL, &part),
                             ABUT_OK);
            TEST_CHECK(part.verdict == ABUT_FIRST_SEPARATE || part.time.hi >= x.time.lo,
                       "seed %" PRIu64 ": contact before the first", seed);
            opts.time = (abut_interval){ 0.5 * x.time.lo, 1 };
            assert_int_equal(abut_first_contact(a.shape, ca.motion, b.shape, cb.motion, &opts, NULL, &part),
                             ABUT_OK);
            TEST_CHECK(part.verdict == ABUT_FIRST_UNDECIDED ||
                           (part.verdict == ABUT_FIRST_CONTACT && part.time.lo <= x.time.hi &&
                            x.time.lo <= part.time.hi),
                       "seed %" PRIu64 ": from the half on %d at %a, not %a", seed, (int)part.verdict,
                       part.time.lo, x.time.lo);
        }
        abut_shape_release(a.shape);
        abut_shape_release(b.shape);
        abut_motion_release(ca.motion);
        abut_motion_release(cb.motion);
    }
}

/* Steps from times below 0 to times near it, whose ulps are finer than those of the step, go on. */
static void times_below_zero(void **state)
{
    (void)state;
    const uint64_t count = test_count(400);
    abut_shape *egg, *a = box_of(1, 0.5, 0.75);
    assert_int_equal(abut_shape_create_ellipsoid(v3(1, 0.5, 0.75), NULL, &egg), ABUT_OK);
    for (uint64_t seed = 0; seed < count; ++seed) {
        test_random r = test_seed(seed + 3500000);
        const double begin = test_uniform(&r, -6, -1), end = test_uniform(&r, 1, 7);
        const bool meets = seed % 4 == 0;
        const abut_placement at = { .position = { 0, 0, meets ? 4 : test_uniform(&r, 3, 4) } };
        abut_motion *mb;
        abut_first_opts opts;
        abut_first_result f;
        assert_int_equal(abut_motion_create_velocity(begin, end, &at,
                                                     v3(0, 0, (meets ? -4 : 0.25) / (end - begin)),
                                                     random_vec3(&r, 2), NULL, &mb, NULL),
                         ABUT_OK);
        abut_first_opts_init(&opts);
        opts.method = ABUT_METHOD_ADVANCEMENT;
        const abut_shape *shape = seed & 1 ? egg : a;
        assert_int_equal(abut_first_contact(shape, NULL, seed & 2 ? egg : a, mb, &opts, NULL, &f), ABUT_OK);
        TEST_CHECK(
            f.verdict == (meets ? ABUT_FIRST_CONTACT : ABUT_FIRST_SEPARATE) && f.counters.iterations < 1000,
            "seed %" PRIu64 ": %d after %" PRIu64 " iterations", seed, (int)f.verdict, f.counters.iterations);
        abut_motion_release(mb);
    }
    abut_shape_release(a);
    abut_shape_release(egg);
}

/* ---- backtracking ---- */

typedef struct sine {
    double sign_only, calls;
} sine;

static double sine_gap(void *ctx, double t)
{
    sine *s = ctx;
    ++s->calls;
    const double gap = cos(t) - 0.25;
    return s->sign_only > 0 ? (gap > 0 ? 1 : -1) : gap;
}

static double no_gap(void *ctx, double t)
{
    (void)ctx;
    return t > 0.5 ? (double)NAN : 1;
}

static void backtracking_narrows(void **state)
{
    (void)state;
    const double root = acos(0.25);
    abut_backtrack_result r;
    for (int k = 0; k < 2; ++k) {
        sine s = { .sign_only = k };
        assert_int_equal(abut_backtrack(sine_gap, &s, (abut_interval){ 0, 3 }, NULL, &r), ABUT_OK);
        assert_int_equal(r.verdict, ABUT_FIRST_CONTACT);
        assert_int_equal(r.proof, ABUT_PROOF_TOLERANCE);
        TEST_CHECK(r.last_free <= root + 1e-15 && root - 1e-15 <= r.first_colliding &&
                       r.first_colliding - r.last_free < 1e-15,
                   "%a … %a", r.last_free, r.first_colliding);
        assert_true((double)r.counters.evaluations == s.calls && s.calls < 250);
        assert_int_equal(abut_backtrack(sine_gap, &s, (abut_interval){ 2, 3 }, NULL, &r), ABUT_OK);
        assert_int_equal(r.verdict, ABUT_FIRST_OVERLAPPING);
        assert_int_equal(abut_backtrack(sine_gap, &s, (abut_interval){ 0, 1 }, NULL, &r), ABUT_OK);
        assert_int_equal(r.verdict, ABUT_FIRST_SEPARATE);
    }
    assert_int_equal(abut_backtrack(no_gap, NULL, (abut_interval){ 0, 1 }, NULL, &r), ABUT_ERR_VALUE);
    assert_int_equal(abut_backtrack(NULL, NULL, (abut_interval){ 0, 1 }, NULL, &r), ABUT_ERR_ARGUMENT);
    assert_int_equal(abut_backtrack(no_gap, NULL, (abut_interval){ 1, 0 }, NULL, &r), ABUT_ERR_ARGUMENT);
}

static void arguments_and_budgets(void **state)
{
    (void)state;
    abut_shape *a = box_of(1, 1, 1), *torus;
    assert_int_equal(abut_shape_create_torus(2, 1, NULL, &torus), ABUT_OK);
    abut_motion *turning = steady(v3(4, 0, 0), v3(-3, 0, 0), v3(0, 0, 1));
    abut_first_opts opts;
    abut_first_result r;
    for (int k = ABUT_METHOD_RAYCAST; k < ABUT_METHOD_COUNT; ++k) {
        abut_first_opts_init(&opts);
        opts.method = (abut_first_method)k;
        assert_int_equal(abut_first_contact(a, NULL, a, turning, &opts, NULL, &r), ABUT_ERR_UNSUPPORTED);
    }
    opts.method = ABUT_METHOD_COUNT;
    assert_int_equal(abut_first_contact(a, NULL, a, turning, &opts, NULL, &r), ABUT_ERR_ARGUMENT);
    abut_first_opts_init(&opts);
    opts.max_iterations = 2;
    assert_int_equal(abut_first_contact(a, NULL, a, turning, &opts, NULL, &r), ABUT_OK);
    assert_int_equal(r.verdict, ABUT_FIRST_UNDECIDED);
    assert_int_equal(r.stop, ABUT_STOP_BUDGET);
    abut_overlap_result sweep;
    assert_int_equal(abut_sweep_overlap(a, NULL, torus, NULL, v3(1, 0, 0), NULL, NULL, &sweep),
                     ABUT_ERR_UNSUPPORTED);
    assert_int_equal(abut_sweep_overlap(a, NULL, a, NULL, v3(NAN, 0, 0), NULL, NULL, &sweep),
                     ABUT_ERR_ARGUMENT);
    assert_int_equal(abut_sweep_overlap(a, NULL, a, NULL, v3(0, 0, 0), NULL, NULL, &sweep), ABUT_OK);
    assert_int_equal(sweep.verdict, ABUT_PENETRATING);
    abut_motion_release(turning);
    abut_shape_release(a);
    abut_shape_release(torus);
}

/* Boxes that land face to face on one another, straight or turning about the line of fall: all
 * corners of the common part, once each. Tipped over, one. */
static void faces_meet_in_all_their_corners(void **state)
{
    (void)state;
    static const abut_vec3 spins[] = { { 0, 0, 0 }, { 0, 0, 1 }, { 0.25, 0, 0 } };
    abut_shape *a = box_of(1, 1, 1), *b = box_of(0.25, 0.25, 1), *floor;
    assert_int_equal(abut_shape_create_halfspace(v3(0, 0, 1), 1, NULL, &floor), ABUT_OK);
    for (size_t i = 0; i < sizeof spins / sizeof *spins; ++i) {
        abut_motion *mb = steady(v3(0.125, 0.25, 4), v3(0, 0, -4), spins[i]);
        const bool tips = spins[i].x != 0;
        for (int k = 0; k < 2; ++k) {
            abut_first_opts opts;
            abut_first_result r;
            abut_first_opts_init(&opts);
            opts.separation = 4; /* corners only */
            assert_int_equal(abut_first_contact(k ? floor : a, NULL, b, mb, &opts, NULL, &r), ABUT_OK);
            /* About the middle of b its corners are 0.25 sqrt(2) away; tipped, the edge that
             * lands is 0.25 to the side */
            TEST_CHECK(r.verdict == ABUT_FIRST_CONTACT && r.point_count == (tips ? 2 : 4),
                       "spin %zu: %zu points", i, r.point_count);
            for (size_t j = 0; j < r.point_count && j < ABUT_FIRST_CONTACTS; ++j) {
                const abut_first_point *p = &r.points[j];
                const double x = p->point.x - 0.125, y = p->point.y - 0.25;
                TEST_CHECK(fabs(p->point.z - 1) < 1e-11 && fabs(p->normal.z - 1) < 1e-11 &&
                               p->kind == ABUT_CONTACT_SAMPLED && !p->unique &&
                               (tips || fabs(x * x + y * y - 0.125) < 1e-7),
                           "spin %zu: point %zu at %a %a %a", i, j, p->point.x, p->point.y, p->point.z);
                for (size_t l = 0; l < j; ++l) {
                    const double dx = p->point.x - r.points[l].point.x, dy = p->point.y - r.points[l].point.y;
                    TEST_CHECK(dx * dx + dy * dy > 0.01, "spin %zu: points %zu and %zu are one", i, l, j);
                }
            }
        }
        abut_motion_release(mb);
    }
    abut_shape_release(a);
    abut_shape_release(b);
    abut_shape_release(floor);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(faces_meet_in_all_their_corners),
        cmocka_unit_test(methods_agree),
        cmocka_unit_test(touching_at_the_start),
        cmocka_unit_test(standing_on_the_ground),
        cmocka_unit_test(nothing_is_jumped_over),
        cmocka_unit_test(exchange_and_splitting_agree),
        cmocka_unit_test(times_below_zero),
        cmocka_unit_test(backtracking_narrows),
        cmocka_unit_test(arguments_and_budgets),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
