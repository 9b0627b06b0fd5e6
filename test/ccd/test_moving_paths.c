/* SPDX-License-Identifier: MIT */
/* Balls on curved paths. Referee: dense sampling of the motions in plain doubles; where a sample
 * is clearly apart or clearly inside, the intervals of contact must say so. Then the rules for
 * the start of the range, what splitting, reversing and moving everything must not change,
 * budgets, cancelling, and arguments. */
#include "abut/query.h"
#include "support/bodies.h"
#include "support/failing_allocator.h"
#include "support/places.h"

/* Swings a link of length 2 about z, with the sphere at its end. */
static abut_motion *make_chain(test_random *r)
{
    abut_motion *links[2], *chain;
    const abut_placement at = { .position = random_vec3(r, 0.5) }, end = { .position = v3(2, 0, 0) };
    assert_int_equal(
        abut_motion_create_velocity(0, 1, &at, v3(0, 0, 0), random_vec3(r, 6), NULL, &links[0], NULL),
        ABUT_OK);
    assert_int_equal(abut_motion_create_static(&end, NULL, &links[1], NULL), ABUT_OK);
    assert_int_equal(abut_motion_create_chain(links, 2, NULL, &chain, NULL), ABUT_OK);
    abut_motion_release(links[0]);
    abut_motion_release(links[1]);
    return chain;
}

static abut_motion *make_motion(test_random *r)
{
    abut_motion *motion = NULL;
    const abut_placement from = turned_placement(r, 2), to = turned_placement(r, 2);
    switch (test_below(r, 6)) {
    case 0: assert_int_equal(abut_motion_create_screw(0, 1, &from, &to, NULL, &motion, NULL), ABUT_OK); break;
    case 1:
        assert_int_equal(abut_motion_create_linear(0, 1, &from, &to, NULL, &motion, NULL), ABUT_OK);
        break;
    case 2: {
        double c[3][5];
        for (int i = 0; i < 15; ++i)
            c[i / 5][i % 5] = test_uniform(r, -1, 1);
        const abut_series position[3] = { { c[0], 5 }, { c[1], 5 }, { c[2], 5 } },
                          rotation[4] = { { NULL, 0 } };
        assert_int_equal(abut_motion_create_chebyshev(0, 1, position, rotation, NULL, &motion, NULL),
                         ABUT_OK);
        break;
    }
    case 3: {
        abut_keyframe keys[5];
        for (int i = 0; i < 5; ++i)
            keys[i] = (abut_keyframe){ 0.25 * i, turned_placement(r, 2) };
        assert_int_equal(abut_motion_create_keyframes(keys, 5, NULL, &motion, NULL), ABUT_OK);
        break;
    }
    case 4: motion = make_chain(r); break;
    default: assert_int_equal(abut_motion_create_static(&from, NULL, &motion, NULL), ABUT_OK);
    }
    return motion;
}

/* Gap in doubles. */
static double gap_at(const abut_shape *a, const abut_motion *ma, const abut_shape *b, const abut_motion *mb,
                     double t, abut_vec3 normal, double offset)
{
    abut_affine pa, pb;
    assert_int_equal(abut_motion_at(ma, t, &pa), ABUT_OK);
    assert_int_equal(abut_motion_at(mb, t, &pb), ABUT_OK);
    const double d[3] = { pa.translation.x - pb.translation.x, pa.translation.y - pb.translation.y,
                          pa.translation.z - pb.translation.z };
    const double ra = abut_shape_bounds(a).hi.x;
    if (abut_shape_get_type(b) == ABUT_SHAPE_SPHERE)
        return hypot(hypot(d[0], d[1]), d[2]) - ra - abut_shape_bounds(b).hi.x;
    const double n[3] = { normal.x, normal.y, normal.z };
    double height = -offset;
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j)
            height += n[j] * pb.linear.m[i][j] * d[i];
    return height / hypot(hypot(n[0], n[1]), n[2]) - ra;
}

static void paths_agree_with_sampling(void **state)
{
    (void)state;
    enum { MOST = 64, SAMPLES = 400 };
    uint64_t undecided = 0, found = 0, iterations = 0;
    const uint64_t count = test_count(4000);
    for (uint64_t seed = 0; seed < count; ++seed) {
        test_random r = test_seed(seed);
        abut_shape *a, *b;
        abut_motion *ma = make_motion(&r), *mb = make_motion(&r);
        const abut_vec3 normal = random_vec3(&r, 1);
        const double offset = test_uniform(&r, -1, 1);
        assert_int_equal(abut_shape_create_sphere(test_uniform(&r, 0.1, 1), NULL, &a), ABUT_OK);
        assert_int_equal(seed % 3 == 0 ? abut_shape_create_halfspace(normal, offset, NULL, &b)
                                       : abut_shape_create_sphere(test_uniform(&r, 0.1, 1), NULL, &b),
                         ABUT_OK);
        abut_contact_interval in[MOST];
        abut_intervals_result all;
        TEST_CHECK(abut_contact_intervals(a, ma, b, mb, NULL, NULL, in, MOST, &all) == ABUT_OK,
                   "seed %" PRIu64, seed);
        TEST_CHECK(all.count <= MOST, "seed %" PRIu64, seed);
        undecided += all.proof == ABUT_PROOF_TOLERANCE;
        iterations += all.counters.iterations;
        found += all.count > 0;
        for (size_t i = 0; i < all.count; ++i) {
            TEST_CHECK(in[i].enter.lo <= in[i].enter.hi && in[i].exit.lo <= in[i].exit.hi &&
                           in[i].enter.lo <= in[i].exit.hi && (i == 0 || in[i - 1].exit.hi <= in[i].enter.lo),
                       "seed %" PRIu64 " interval %zu", seed, i);
            if (all.proof != ABUT_PROOF_TOLERANCE)
                TEST_CHECK(in[i].enter.hi - in[i].enter.lo < 1e-7 && in[i].exit.hi - in[i].exit.lo < 1e-7,
                           "seed %" PRIu64 " interval %zu", seed, i);
        }
        for (int k = 0; k <= SAMPLES; ++k) {
            const double t = (double)k / SAMPLES, gap = gap_at(a, ma, b, mb, t, normal, offset);
            bool maybe = false, surely = false;
            for (size_t i = 0; i < all.count; ++i) {
                maybe = maybe || (in[i].enter.lo <= t && t <= in[i].exit.hi);
                surely = surely || (in[i].enter.hi < t && t < in[i].exit.lo);
            }
            TEST_CHECK(gap > -1e-12 || maybe, "seed %" PRIu64 ": misses the contact at %.17g, gap %g", seed,
                       t, gap);
            TEST_CHECK(gap < 1e-12 || !surely, "seed %" PRIu64 ": claims a contact at %.17g, gap %g", seed, t,
                       gap);
        }

        abut_first_result first;
        TEST_CHECK(abut_first_contact(a, ma, b, mb, NULL, NULL, &first) == ABUT_OK, "seed %" PRIu64, seed);
        if (all.proof != ABUT_PROOF_TOLERANCE) {
            const double start = gap_at(a, ma, b, mb, 0, normal, offset);
            const abut_first_verdict expected = all.count == 0 ? ABUT_FIRST_SEPARATE
                                                : start < 0    ? ABUT_FIRST_OVERLAPPING
                                                               : ABUT_FIRST_CONTACT;
            TEST_CHECK(first.verdict == expected, "seed %" PRIu64 ": %s, gap %g at the start", seed,
                       abut_first_verdict_name(first.verdict), start);
            if (expected == ABUT_FIRST_CONTACT) {
                TEST_CHECK(first.time.lo == in[0].enter.lo && first.time.hi == in[0].enter.hi,
                           "seed %" PRIu64, seed);
                TEST_NEAR(gap_at(a, ma, b, mb, first.time.lo, normal, offset), 0, 1e-7, "seed %" PRIu64,
                          seed);
            }
            /* Swapped. */
            abut_first_result other;
            TEST_CHECK(abut_first_contact(b, mb, a, ma, NULL, NULL, &other) == ABUT_OK &&
                           other.verdict == first.verdict,
                       "seed %" PRIu64, seed);
            if (expected == ABUT_FIRST_CONTACT)
                TEST_CHECK(fmax(other.time.lo, first.time.lo) <= fmin(other.time.hi, first.time.hi),
                           "seed %" PRIu64, seed);
        }
        abut_motion_release(ma);
        abut_motion_release(mb);
        abut_shape_release(a);
        abut_shape_release(b);
    }
    print_message("%" PRIu64 " pairs, %" PRIu64 " with contact, %" PRIu64
                  " undecided, %.1f iterations each\n",
                  count, found, undecided, (double)iterations / (double)count);
    TEST_CHECK(undecided * 100 <= count, "%" PRIu64 " undecided", undecided);
    TEST_CHECK(iterations <= 17 * count, "%" PRIu64 " iterations", iterations);
}

static abut_motion *straight(abut_vec3 from, abut_vec3 to)
{
    abut_motion *motion;
    const abut_placement f = { .position = from }, t = { .position = to };
    assert_int_equal(abut_motion_create_linear(0, 1, &f, &t, NULL, &motion, NULL), ABUT_OK);
    return motion;
}

static abut_first_result first_of(const abut_shape *a, abut_motion *ma, const abut_shape *b,
                                  const abut_first_opts *opts)
{
    abut_first_result result;
    assert_int_equal(abut_first_contact(a, ma, b, NULL, opts, NULL, &result), ABUT_OK);
    abut_motion_release(ma);
    return result;
}

static void the_start_follows_its_rules(void **state)
{
    (void)state;
    abut_shape *ball;
    assert_int_equal(abut_shape_create_sphere(1, NULL, &ball), ABUT_OK);
    abut_first_result r = first_of(ball, straight(v3(2, 0, 0), v3(1, 0, 0)), ball, NULL);
    assert_int_equal(r.verdict, ABUT_FIRST_CONTACT); /* closes in */
    assert_true(r.time.lo == 0 && r.time.hi == 0 && r.points[0].unique);
    assert_true(r.points[0].point.x == 1 && r.points[0].normal.x == -1);
    r = first_of(ball, straight(v3(2, 0, 0), v3(3, 0, 0)), ball, NULL);
    assert_int_equal(r.verdict, ABUT_FIRST_SEPARATE); /* parts */
    assert_int_equal(r.proof, ABUT_PROOF_EXACT);
    r = first_of(ball, straight(v3(2, 0, 0), v3(2, 1, 0)), ball, NULL);
    assert_int_equal(r.verdict, ABUT_FIRST_SEPARATE); /* parts, at first along the tangent */
    r = first_of(ball, straight(v3(2, 0, 0), v3(2, 0, 0)), ball, NULL);
    assert_int_equal(r.verdict, ABUT_FIRST_CONTACT); /* stays */
    assert_true(r.time.lo == 0 && r.time.hi == 0);
    r = first_of(ball, straight(v3(1, 0, 0), v3(5, 0, 0)), ball, NULL);
    assert_int_equal(r.verdict, ABUT_FIRST_OVERLAPPING);
    assert_true(r.time.lo == 0 && r.time.hi == 0 && r.point_count == 1);
    r = first_of(ball, straight(v3(-4, 2, 0), v3(4, 2, 0)), ball, NULL);
    assert_int_equal(r.verdict, ABUT_FIRST_CONTACT); /* grazes half way */
    assert_true(r.time.lo == 0.5 && r.time.hi == 0.5);
    r = first_of(ball, straight(v3(-4, nextafter(2, 3), 0), v3(4, nextafter(2, 3), 0)), ball, NULL);
    assert_int_equal(r.verdict, ABUT_FIRST_SEPARATE);
    r = first_of(ball, straight(v3(6, 0, 0), v3(2, 0, 0)), ball, NULL);
    assert_int_equal(r.verdict, ABUT_FIRST_CONTACT); /* at the very end */
    assert_true(r.time.lo == 1 && r.time.hi == 1);
    abut_first_opts opts;
    abut_first_opts_init(&opts);
    opts.time = (abut_interval){ 0.5, 0.75 };
    r = first_of(ball, straight(v3(6, 0, 0), v3(-6, 0, 0)), ball, &opts);
    assert_int_equal(r.verdict, ABUT_FIRST_OVERLAPPING);
    abut_shape_release(ball);
}

static void two_motions_that_touch_between_keys(void **state)
{
    (void)state;
    /* Comes down to the touch at a key, and goes up again. */
    abut_shape *ball;
    assert_int_equal(abut_shape_create_sphere(1, NULL, &ball), ABUT_OK);
    const abut_keyframe keys[3] = { { 0, { .position = v3(0, 0, 5) } },
                                    { 0.3, { .position = v3(0, 0, 2) } },
                                    { 1, { .position = v3(0, 0, 5) } } };
    abut_motion *motion;
    assert_int_equal(abut_motion_create_keyframes(keys, 3, NULL, &motion, NULL), ABUT_OK);
    abut_contact_interval in[4];
    abut_intervals_result all;
    assert_int_equal(abut_contact_intervals(ball, motion, ball, NULL, NULL, NULL, in, 4, &all), ABUT_OK);
    assert_int_equal(all.count, 1);
    assert_int_equal(all.proof, ABUT_PROOF_EXACT);
    assert_true(in[0].enter.lo == 0.3 && in[0].exit.hi == 0.3);
    abut_motion_release(motion);
    abut_shape_release(ball);
}

/* Reversed motion, and both moved by the same exact translation: the same times. */
static void reversing_and_moving_agree(void **state)
{
    (void)state;
    const uint64_t count = test_count(10000);
    for (uint64_t seed = 0; seed < count; ++seed) {
        test_random r = test_seed(seed);
        abut_shape *a, *b;
        assert_int_equal(abut_shape_create_sphere(0.25 * (1 + test_below(&r, 8)), NULL, &a), ABUT_OK);
        assert_int_equal(abut_shape_create_sphere(0.25 * (1 + test_below(&r, 8)), NULL, &b), ABUT_OK);
        abut_vec3 p[4];
        for (int i = 0; i < 4; ++i)
            p[i] = v3((double)test_below(&r, 17) - 8, (double)test_below(&r, 17) - 8,
                      (double)test_below(&r, 5) - 2);
        const abut_vec3 d = v3(1024, -3, 0.5);
        abut_motion *there[2], *back[2], *moved[2];
        for (int i = 0; i < 2; ++i) {
            const abut_vec3 f = p[2 * i], t = p[2 * i + 1];
            there[i] = straight(f, t);
            back[i] = straight(t, f);
            moved[i] = straight(v3(f.x + d.x, f.y + d.y, f.z + d.z), v3(t.x + d.x, t.y + d.y, t.z + d.z));
        }
        abut_contact_interval x[2], y[2], z[2];
        abut_intervals_result rx, ry, rz;
        assert_int_equal(abut_contact_intervals(a, there[0], b, there[1], NULL, NULL, x, 2, &rx), ABUT_OK);
        assert_int_equal(abut_contact_intervals(a, back[0], b, back[1], NULL, NULL, y, 2, &ry), ABUT_OK);
        assert_int_equal(abut_contact_intervals(a, moved[0], b, moved[1], NULL, NULL, z, 2, &rz), ABUT_OK);
        TEST_CHECK(rx.count == ry.count && rx.count == rz.count, "seed %" PRIu64, seed);
        if (rx.count) {
            TEST_NEAR(x[0].enter.lo, 1 - y[0].exit.hi, 4 * DBL_EPSILON, "seed %" PRIu64, seed);
            TEST_NEAR(x[0].exit.hi, 1 - y[0].enter.lo, 4 * DBL_EPSILON, "seed %" PRIu64, seed);
            TEST_CHECK(fmax(x[0].enter.lo, z[0].enter.lo) <= fmin(x[0].enter.hi, z[0].enter.hi),
                       "seed %" PRIu64, seed);
        }
        for (int i = 0; i < 2; ++i) {
            abut_motion_release(there[i]);
            abut_motion_release(back[i]);
            abut_motion_release(moved[i]);
        }
        abut_shape_release(a);
        abut_shape_release(b);
    }
}

/* A ball swings round on an arm of length 2 and passes another at a distance that is `more` than
 * touching. A true graze on a curve cannot be proved; it must cost little and be enclosed. 1e-9
 * more or less must be reported. */
static abut_first_result swing(double more, abut_intervals_result *all)
{
    abut_motion *links[2], *chain;
    const abut_placement at = { .rotation = { ABUT_ROTATION_RADIANS, .axis = { 0, 0, 1 }, .angle = -1 } };
    const abut_placement arm = { .position = v3(2, 0, 0) };
    assert_int_equal(abut_motion_create_velocity(0, 2, &at, v3(0, 0, 0), v3(0, 0, 1), NULL, &links[0], NULL),
                     ABUT_OK);
    assert_int_equal(abut_motion_create_static(&arm, NULL, &links[1], NULL), ABUT_OK);
    assert_int_equal(abut_motion_create_chain(links, 2, NULL, &chain, NULL), ABUT_OK);
    abut_shape *ball, *other;
    assert_int_equal(abut_shape_create_sphere(1, NULL, &ball), ABUT_OK);
    assert_int_equal(abut_shape_create_sphere(1 - more, NULL, &other), ABUT_OK);
    abut_motion *still;
    const abut_placement there = { .position = v3(4, 0, 0) };
    assert_int_equal(abut_motion_create_static(&there, NULL, &still, NULL), ABUT_OK);
    abut_first_result first;
    abut_contact_interval in[8];
    assert_int_equal(abut_first_contact(ball, chain, other, still, NULL, NULL, &first), ABUT_OK);
    assert_int_equal(abut_contact_intervals(ball, chain, other, still, NULL, NULL, in, 8, all), ABUT_OK);
    abut_motion_release(links[0]);
    abut_motion_release(links[1]);
    abut_motion_release(chain);
    abut_motion_release(still);
    abut_shape_release(ball);
    abut_shape_release(other);
    return first;
}

static void grazes_on_curves_are_enclosed(void **state)
{
    (void)state;
    abut_intervals_result all;
    abut_first_result r = swing(0, &all);
    assert_int_equal(r.verdict, ABUT_FIRST_UNDECIDED);
    assert_int_equal(r.stop, ABUT_STOP_TOLERANCE);
    assert_true(r.time.lo <= 1 && 1 <= r.time.hi && r.time.hi - r.time.lo < 1e-6);
    TEST_CHECK(r.counters.iterations < 300, "%" PRIu64 " iterations", r.counters.iterations);
    assert_true(all.count == 1 && all.proof == ABUT_PROOF_TOLERANCE && all.stop == ABUT_STOP_TOLERANCE);
    r = swing(1e-9, &all);
    assert_int_equal(r.verdict, ABUT_FIRST_SEPARATE);
    assert_true(r.proof == ABUT_PROOF_INTERVAL && all.count == 0 && all.proof == ABUT_PROOF_INTERVAL);
    r = swing(-1e-9, &all);
    assert_int_equal(r.verdict, ABUT_FIRST_CONTACT);
    assert_true(r.points[0].unique && r.time.hi - r.time.lo < 1e-9 && all.count == 1 &&
                all.proof == ABUT_PROOF_INTERVAL);
}

static bool never(void *ctx, double fraction)
{
    (void)fraction;
    ++*(int *)ctx;
    return false;
}

/* Of a pair that has no method here yet. */
static void budgets_and_arguments(void **state)
{
    (void)state;
    abut_shape *ball;
    assert_int_equal(abut_shape_create_sphere(1, NULL, &ball), ABUT_OK);
    test_random r = test_seed(7);
    abut_motion *curve = make_chain(&r);
    abut_first_opts opts;
    abut_first_result result;
    abut_first_opts_init(&opts);
    opts.max_iterations = 1;
    assert_int_equal(abut_first_contact(ball, curve, ball, NULL, &opts, NULL, &result), ABUT_OK);
    if (result.verdict == ABUT_FIRST_UNDECIDED)
        assert_int_equal(result.stop, ABUT_STOP_BUDGET);
    abut_contact_interval in[2];
    abut_intervals_result all;
    assert_int_equal(abut_contact_intervals(ball, curve, ball, NULL, &opts, NULL, in, 2, &all), ABUT_OK);
    assert_int_equal(all.stop, ABUT_STOP_BUDGET);
    assert_int_equal(all.proof, ABUT_PROOF_TOLERANCE);
    int calls = 0;
    abut_first_opts_init(&opts);
    opts.progress = never;
    opts.progress_ctx = &calls;
    assert_int_equal(abut_contact_intervals(ball, curve, ball, NULL, &opts, NULL, in, 2, &all),
                     ABUT_ERR_CANCELLED);
    assert_int_equal(calls, 1);
    abut_first_opts_init(&opts);
    abut_shape *field = test_field();
    abut_motion *stretched;
    const abut_affine twice = { .linear = { { { 2, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 } } } };
    assert_int_equal(abut_motion_create_static_affine(&twice, NULL, &stretched, NULL), ABUT_OK);
    assert_int_equal(abut_first_contact(field, curve, field, stretched, &opts, NULL, &result),
                     ABUT_ERR_UNSUPPORTED);
    abut_motion_release(stretched);
    abut_shape_release(field);
    opts.time = (abut_interval){ 0, 2 };
    assert_int_equal(abut_first_contact(ball, curve, ball, NULL, &opts, NULL, &result), ABUT_ERR_ARGUMENT);
    opts.time = (abut_interval){ 1, 0 };
    assert_int_equal(abut_first_contact(ball, curve, ball, NULL, &opts, NULL, &result), ABUT_ERR_ARGUMENT);
    abut_first_opts_init(&opts);
    opts.accuracy = -1;
    assert_int_equal(abut_first_contact(ball, curve, ball, NULL, &opts, NULL, &result), ABUT_ERR_ARGUMENT);
    opts.struct_size = 0;
    assert_int_equal(abut_first_contact(ball, curve, ball, NULL, &opts, NULL, &result), ABUT_ERR_ARGUMENT);
    assert_int_equal(abut_first_contact(NULL, curve, ball, NULL, NULL, NULL, &result), ABUT_ERR_ARGUMENT);
    abut_affine stretch = { .linear = { { { 2, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 } } } };
    abut_motion *affine;
    assert_int_equal(abut_motion_create_static_affine(&stretch, NULL, &affine, NULL), ABUT_OK);
    assert_int_equal(abut_first_contact(ball, curve, ball, affine, NULL, NULL, &result), ABUT_OK);
    abut_check_result check;
    assert_int_equal(abut_check_at(ball, affine, ball, curve, 0.5, NULL, NULL, &check), ABUT_OK);
    assert_int_equal(abut_check_at(ball, NULL, ball, curve, 2, NULL, NULL, &check), ABUT_ERR_ARGUMENT);
    assert_int_equal(abut_check_at(ball, NULL, ball, curve, 0.5, NULL, NULL, &check), ABUT_OK);
    abut_motion_release(affine);
    abut_motion_release(curve);
    abut_shape_release(ball);
}

/* Queries ask for no memory at all. */
static void queries_do_not_allocate(void **state)
{
    (void)state;
    test_failing counter = { .fail_at = UINT64_MAX };
    const abut_allocator alloc = { test_failing_reallocate, test_failing_release, &counter };
    abut_workspace *ws;
    assert_int_equal(abut_workspace_create(&alloc, &ws), ABUT_OK);
    abut_shape *ball;
    assert_int_equal(abut_shape_create_sphere(1, &alloc, &ball), ABUT_OK);
    test_random r = test_seed(3);
    abut_motion *curve = make_chain(&r);
    const uint64_t before = counter.requests;
    abut_first_result first;
    abut_check_result check;
    for (int i = 0; i < 10; ++i) {
        assert_int_equal(abut_first_contact(ball, curve, ball, NULL, NULL, ws, &first), ABUT_OK);
        assert_int_equal(abut_check_at(ball, curve, ball, NULL, 0.1 * i, NULL, ws, &check), ABUT_OK);
    }
    assert_int_equal(counter.requests, before);
    abut_motion_release(curve);
    abut_shape_release(ball);
    abut_workspace_destroy(ws);
    assert_int_equal(counter.outstanding_bytes, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(paths_agree_with_sampling),
        cmocka_unit_test(the_start_follows_its_rules),
        cmocka_unit_test(two_motions_that_touch_between_keys),
        cmocka_unit_test(reversing_and_moving_agree),
        cmocka_unit_test(grazes_on_curves_are_enclosed),
        cmocka_unit_test(budgets_and_arguments),
        cmocka_unit_test(queries_do_not_allocate),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
