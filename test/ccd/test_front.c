/* SPDX-License-Identifier: MIT */
/* Moving planes (ccd/front.h) and whole turns (ccd/whirl.h) as bounds: never above what MPFR and
 * long double find at later and earlier times, along the same direction. */
#include "ccd/advance/full_turn.h"
#include "ccd/test_advance_support.h"

/* The piece of both motions that holds at t. */
static bool begin_pair(const trial *c, double t, abut_scene_pair *out)
{
    const bool above = abut_shape_get_type(c->b.shape) == ABUT_SHAPE_HALFSPACE;
    double lo = 0, hi = 1;
    for (double at = 0; at < 1 && at <= t;) {
        lo = at;
        hi = fmin(abut_motion_next_break(c->ca.motion, at), abut_motion_next_break(c->cb.motion, at));
        at = hi;
    }
    *out = (abut_scene_pair){ .shape_a = c->a.shape, .shape_b = c->b.shape, .a = &c->a.shape->core };
    out->b = above ? NULL : &c->b.shape->core;
    abut_path_begin(c->ca.motion, lo, hi, abut_instant_symmetry(out->a), &out->path_a);
    abut_path_begin(c->cb.motion, lo, hi, abut_instant_symmetry(out->b), &out->path_b);
    return t > lo && t < hi;
}

/* The gap along n at t; n is not used over a half-space. */
static long double gap_along(const trial *c, double t, abut_vec3 n)
{
    const oracle_convex pair = { &c->a.oracle, &c->b.oracle, pose_at(&c->ca.oracle, t),
                                 pose_at(&c->cb.oracle, t) };
    if (c->b.oracle.core == ORACLE_CORE_HALFSPACE)
        return oracle_convex_gap(&pair, NULL, 0, ORACLE_QUICK, -INFINITY, INFINITY).lo;
    long double error;
    const double length = sqrt(n.x * n.x + n.y * n.y + n.z * n.z);
    return length * oracle_convex_separation(&pair, v3(n.x / length, n.y / length, n.z / length), &error);
}

static abut_vec3 random_unit(test_random *r)
{
    const abut_vec3 d = random_vec3(r, 1);
    const double length = sqrt(d.x * d.x + d.y * d.y + d.z * d.z);
    return v3(d.x / length, d.y / length, d.z / length);
}

static void make_trial(test_random *r, bool above, double turn, trial *c)
{
    make_body(r, test_below(r, 9), 1, &c->a);
    if (above) {
        const abut_vec3 normal = test_below(r, 2) ? v3(0, 0, 1) : random_vec3(r, 1);
        const double offset = test_uniform(r, -1, 1);
        assert_int_equal(abut_shape_create_halfspace(normal, offset, NULL, &c->b.shape), ABUT_OK);
        c->b.oracle = (oracle_body){ .core = ORACLE_CORE_HALFSPACE, .h = normal, .offset = offset };
    } else
        make_body(r, test_below(r, 9), 1, &c->b);
    make_course(r, test_below(r, KINDS), 3, turn, &c->ca);
    make_course(r, test_below(r, KINDS), 3, turn, &c->cb);
    c->tolerance = 1e-12 * (1 + turn);
}

static void judge_front(const trial *c, uint64_t seed, test_random *r)
{
    abut_scene_pair pair;
    abut_stance at_a, at_b;
    abut_moving_plane f;
    const double t = test_uniform(r, 0, 1), sense = test_below(r, 2) ? 1 : -1;
    if (!begin_pair(c, t, &pair))
        return;
    const double room = sense > 0 ? pair.path_a.hi - t : t - pair.path_a.lo;
    const double reach = room * exp2(test_uniform(r, -12, 0));
    const abut_vec3 n = random_unit(r),
                    dn = random_vec3(r, test_below(r, 2) ? exp2(test_uniform(r, -6, 4)) : 0);
    TEST_CHECK(abut_path_place(&pair.path_a, t, &at_a) && abut_path_place(&pair.path_b, t, &at_b) &&
                   abut_path_rates(&pair.path_a, t, sense * reach, &at_a) &&
                   abut_path_rates(&pair.path_b, t, sense * reach, &at_b),
               "seed %" PRIu64, seed);
    if (pair.b)
        abut_moving_plane_between(pair.a, &at_a, pair.b, &at_b, n, dn, sense, &f);
    else
        abut_moving_plane_above(pair.a, &at_a, pair.shape_b, &at_b, sense, reach, &f);
    for (int k = 0; k < 6; ++k) {
        const double s = fmin(reach, f.reach) * (k == 0 ? 0 : exp2(k - 5)), when = t + sense * s;
        if (!(when >= 0 && when <= 1))
            continue;
        const double bound = abut_moving_plane_at(&f, s);
        const double turn = f.turns ? sense * s : 0;
        const abut_vec3 then = { n.x + turn * dn.x, n.y + turn * dn.y, n.z + turn * dn.z };
        const long double gap = gap_along(c, when, then);
        TEST_CHECK(bound <= gap + c->tolerance, "seed %" PRIu64 ": %a says %a, but the gap is %La", seed, s,
                   bound, gap);
        if (k == 0)
            TEST_CHECK(bound >= gap - c->tolerance, "seed %" PRIu64 ": %a at once, but the gap is %La", seed,
                       bound, gap);
    }
}

static void fronts_are_below_the_gap(void **state)
{
    (void)state;
    oracle_set_precision(120);
    const uint64_t count = test_count(6000);
    for (uint64_t seed = 0; seed < count; ++seed) {
        test_random r = test_seed(seed + 91000000);
        trial c;
        make_trial(&r, seed % 2 == 0, seed % 5 == 0 ? 40 : 3, &c);
        judge_front(&c, seed, &r);
        free_trial(&c);
    }
    oracle_free();
}

/* For as long as it says the gap along the direction is positive, at whatever angle. */
static void whole_turns_are_clear(void **state)
{
    (void)state;
    enum { SAMPLES = 40 };
    oracle_set_precision(160);
    const uint64_t count = test_count(2000);
    uint64_t proved = 0;
    for (uint64_t seed = 0; seed < count; ++seed) {
        test_random r = test_seed(seed + 92000000);
        trial c;
        const bool above = seed % 2 == 0;
        make_trial(&r, above, 3, &c);
        abut_motion_release(c.ca.motion);
        abut_motion_release(c.cb.motion);
        make_course(&r, 2, 3, exp2(test_uniform(&r, 2, 12)), &c.ca);
        make_course(&r, above ? (test_below(&r, 2) ? 0 : 7) : 2, 3, exp2(test_uniform(&r, 2, 12)), &c.cb);
        c.tolerance = 1e-9; /* some thousand radians in doubles that are rounded */
        abut_scene_pair pair;
        abut_instant at;
        abut_counters counters = { 0 };
        const double t = test_uniform(&r, 0, 1), room = test_below(&r, 2) ? 1 - t : -t;
        if (begin_pair(&c, t, &pair) && abut_instant_make(&pair, t, NULL, false, &counters, &at) &&
            at.sign == 1 && abut_path_rates(&pair.path_a, t, room, &at.at_a) &&
            abut_path_rates(&pair.path_b, t, room, &at.at_b)) {
            const double s = abut_full_turn_clear(&pair, &at, at.n, room, &counters);
            TEST_CHECK(s >= 0 && s <= fabs(room), "seed %" PRIu64, seed);
            proved += s > 0;
            for (int k = 0; k <= SAMPLES && s > 0; ++k) {
                const double when = t + (room < 0 ? -s : s) * k / SAMPLES;
                const long double gap = gap_along(&c, fmin(fmax(when, 0), 1), at.n);
                TEST_CHECK(gap > -c.tolerance, "seed %" PRIu64 ": gap %Lg at %a, clear for %a from %a", seed,
                           gap, when, s, t);
            }
        }
        free_trial(&c);
    }
    oracle_free();
    print_message("%" PRIu64 " of %" PRIu64 " are clear for some time, whatever their angles\n", proved,
                  count);
    assert_true(proved > count / 8);
}

/* Turned by the angle about a unit axis through its origin. */
static abut_pose turned(abut_pose p, abut_vec3 axis, double angle)
{
    const double c = cos(0.5 * angle), s = sin(0.5 * angle);
    const abut_quat q = p.rotation, e = { c, s * axis.x, s * axis.y, s * axis.z };
    p.rotation = (abut_quat){ e.w * q.w - e.x * q.x - e.y * q.y - e.z * q.z,
                              e.w * q.x + e.x * q.w + e.y * q.z - e.z * q.y,
                              e.w * q.y - e.x * q.z + e.y * q.w + e.z * q.x,
                              e.w * q.z + e.x * q.y - e.y * q.x + e.z * q.w };
    return p;
}

/* A body that turns in place above a plane that it cuts by a little at some angle: never clear,
 * however short the cut is. A plane that far away from it: clear for ever. */
static void no_angle_is_overlooked(void **state)
{
    (void)state;
    enum { SAMPLES = 720 };
    const uint64_t count = test_count(400);
    uint64_t seen = 0;
    for (uint64_t seed = 0; seed < count; ++seed) {
        test_random r = test_seed(seed + 93000000);
        trial c;
        make_body(&r, 1 + test_below(&r, 8), 1, &c.a);
        const abut_vec3 normal = random_unit(&r), axis = random_unit(&r);
        const abut_pose start = { random_vec3(&r, 1),
                                  { test_uniform(&r, -1, 1), test_uniform(&r, -1, 1), test_uniform(&r, -1, 1),
                                    test_uniform(&r, -1, 1) } };
        c.b.oracle = (oracle_body){ .core = ORACLE_CORE_HALFSPACE, .h = normal };
        long double least = INFINITY;
        for (int k = 0; k < SAMPLES; ++k) {
            const oracle_convex pair = { &c.a.oracle,
                                         &c.b.oracle,
                                         turned(start, axis, 6.283185307179586 * k / SAMPLES),
                                         { { 0, 0, 0 }, { 1, 0, 0, 0 } } };
            least = fminl(least, oracle_convex_gap(&pair, NULL, 0, ORACLE_QUICK, -INFINITY, INFINITY).lo);
        }
        /* The samples miss the least gap by (pi / 720)^2 / 2 of the size, 1.7e-5, at most. */
        const double depth = (seed % 2 ? 1 : -1) * exp2(test_uniform(&r, -13, -5));
        assert_int_equal(abut_shape_create_halfspace(normal, (double)least + depth, NULL, &c.b.shape),
                         ABUT_OK);
        const abut_placement from = abut_placement_from_pose(start);
        assert_int_equal(abut_motion_create_velocity(0, 1, &from, v3(0, 0, 0),
                                                     v3(50 * axis.x, 50 * axis.y, 50 * axis.z), NULL,
                                                     &c.ca.motion, NULL),
                         ABUT_OK);
        c.cb.motion = NULL;
        abut_scene_pair pair = { .shape_a = c.a.shape, .shape_b = c.b.shape, .a = &c.a.shape->core };
        abut_path_begin(c.ca.motion, 0, 1, ABUT_SYMMETRY_NONE, &pair.path_a);
        abut_path_begin(NULL, 0, 1, ABUT_SYMMETRY_NONE, &pair.path_b);
        abut_counters counters = { 0 };
        for (int k = 0; k < 8; ++k) {
            abut_instant at;
            TEST_CHECK(abut_instant_make(&pair, k / 16.0, NULL, false, &counters, &at) &&
                           abut_path_rates(&pair.path_a, at.t, 0.5, &at.at_a) &&
                           abut_path_rates(&pair.path_b, at.t, 0.5, &at.at_b),
                       "seed %" PRIu64, seed);
            const double s = abut_full_turn_clear(&pair, &at, at.n, 0.5, &counters);
            TEST_CHECK(s == (depth > 0 ? 0 : 0.5), "seed %" PRIu64 ": clear for %a, depth %a", seed, s,
                       depth);
            seen += depth > 0 && at.sign == 1;
        }
        free_trial(&c);
    }
    assert_true(seen > count); /* mostly apart when it is asked */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fronts_are_below_the_gap),
        cmocka_unit_test(whole_turns_are_clear),
        cmocka_unit_test(no_angle_is_overlooked),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
