/* SPDX-License-Identifier: MIT */
/* How tight enclosures and bounds are, and that they agree with each other: widths go to zero
 * with the interval and come close to the true ranges (sampled values), travel bounds stay
 * within a factor of what sampled points do, and reversing time, splitting the range and moving
 * everything rigidly change nothing. */
#include "motion/cases.h"

static double entry_width(const abut_interval_affine *a, int e)
{
    const abut_interval b = case_box_entry(a, e);
    return b.hi - b.lo;
}

/* Sum of widths of the linear part and of the position, each in its unit. */
static void total_width(const abut_interval_affine *a, double sum[2])
{
    sum[0] = sum[1] = 0;
    for (int e = 0; e < 12; ++e)
        sum[e >= 9] += entry_width(a, e);
}

typedef abut_status (*value_fn)(const abut_motion *, double, abut_affine *);
typedef abut_status (*box_fn)(const abut_motion *, abut_interval, abut_interval_affine *);

/* The true ranges, from inside. */
static void sampled_width(const abut_motion *motion, abut_interval t, value_fn value, double sum[2])
{
    enum { samples = 64 };
    abut_affine lo, hi;
    for (int i = 0; i <= samples; ++i) {
        abut_affine at;
        assert_int_equal(value(motion, fmin(t.hi, t.lo + (t.hi - t.lo) * i / samples), &at), ABUT_OK);
        if (i == 0)
            lo = hi = at;
        for (int e = 0; e < 9; ++e) {
            double *l = &lo.linear.m[e / 3][e % 3], *h = &hi.linear.m[e / 3][e % 3];
            *l = fmin(*l, at.linear.m[e / 3][e % 3]);
            *h = fmax(*h, at.linear.m[e / 3][e % 3]);
        }
        lo.translation =
            (abut_vec3){ fmin(lo.translation.x, at.translation.x), fmin(lo.translation.y, at.translation.y),
                         fmin(lo.translation.z, at.translation.z) };
        hi.translation =
            (abut_vec3){ fmax(hi.translation.x, at.translation.x), fmax(hi.translation.y, at.translation.y),
                         fmax(hi.translation.z, at.translation.z) };
    }
    sum[0] = sum[1] = 0;
    for (int e = 0; e < 12; ++e)
        sum[e >= 9] += case_entry(&hi, e) - case_entry(&lo, e);
}

enum { lengths = 3 };
static const double length_of[lengths] = { 0x1p-12, 0x1p-5, 1 };

typedef struct ratios {
    double worst[lengths], sum[lengths];
    uint64_t count[lengths];
} ratios;

static void take(ratios *r, int k, double ratio)
{
    r->worst[k] = fmax(r->worst[k], ratio);
    r->sum[k] += ratio;
    ++r->count[k];
}

static void random_plain_motion(test_random *r, abut_motion_type type, oracle_motion *m)
{
    static oracle_motion links[oracle_max_links];
    const unsigned count = 2 + test_below(r, 3);
    case_motion(r, type == ABUT_MOTION_CHAIN ? ABUT_MOTION_LINEAR : type, m);
    m->t0 = 0;
    m->t1 = 1;
    m->from.position = case_vec(r, 10);
    m->to.position = case_vec(r, 10);
    m->linear = case_vec(r, 10);
    m->angular = case_vec(r, 5);
    for (size_t i = 0; i < m->key_count; ++i) {
        m->keys[i].t = (double)i / (double)(m->key_count - 1);
        m->keys[i].at.position = case_vec(r, 10);
    }
    for (size_t i = 0; i < m->matrix_count; ++i)
        m->matrices[i].translation = case_vec(r, 10);
    for (int i = 0; i < 3; ++i)
        case_series(r, m->series[i], &m->counts[i], 10);
    case_terms(r, m, 10);
    if (type != ABUT_MOTION_CHAIN)
        return;
    m->type = ABUT_MOTION_CHAIN;
    m->link_count = count;
    for (unsigned i = 0; i < count; ++i) {
        const abut_motion_type some[] = { ABUT_MOTION_LINEAR, ABUT_MOTION_VELOCITY, ABUT_MOTION_SCREW,
                                          ABUT_MOTION_NLERP };
        random_plain_motion(r, some[test_below(r, 4)], &links[i]);
        m->links[i] = &links[i];
    }
}

/* Means of what varies this much need many cases, however slow the build. */
static uint64_t at_least(uint64_t least, uint64_t full)
{
    const uint64_t count = test_count(full);
    return count < least ? least : count;
}

/* Ratio of the enclosure's width to the sampled one, by length of the interval. Ranges that
 * rounding could change are left out. */
static void measure(abut_motion_type type, value_fn value, box_fn box, ratios out[2])
{
    for (uint64_t seed = 0; seed < at_least(800, 800); ++seed) {
        test_random r = test_seed(seed * 16 + (uint64_t)type);
        oracle_motion m;
        random_plain_motion(&r, type, &m);
        abut_motion *motion = case_make(&m);
        for (int k = 0; k < lengths; ++k) {
            const double lo = length_of[k] < 1 ? test_uniform(&r, 0, 1 - length_of[k]) : 0;
            const abut_interval t = { lo, lo + length_of[k] };
            double found[2], sampled[2];
            abut_interval_affine b;
            assert_int_equal(box(motion, t, &b), ABUT_OK);
            total_width(&b, found);
            sampled_width(motion, t, value, sampled);
            for (int part = 0; part < 2; ++part) {
                TEST_CHECK(isfinite(found[part]), "seed %" PRIu64 " type %d", seed, (int)type);
                if (sampled[part] > 1e-7)
                    take(&out[part], k, found[part] / sampled[part]);
            }
        }
        abut_motion_release(motion);
    }
}

static void print_ratios(const char *what, abut_motion_type type, const ratios *r)
{
    if (!getenv("ABUT_TEST_REPORT"))
        return;
    print_message("%-9s %-10s", what, abut_motion_type_name(type));
    for (int k = 0; k < lengths; ++k)
        print_message("  %6.4f: %8.4f %8.4f", length_of[k], r->count[k] ? r->sum[k] / (double)r->count[k] : 0,
                      r->worst[k]);
    print_message("\n");
}

/* Allowed mean ratio for intervals of 2^-12, 2^-5 and the whole of the range; linear part and
 * position. */
static const struct {
    abut_motion_type type;
    double place[2][lengths], rate[2][lengths];
} stated[] = {
    { ABUT_MOTION_LINEAR,
      { { 1.001, 1.001, 1.1 }, { 1.001, 1.001, 1.001 } },
      { { 1.001, 1.01, 1.1 }, { 1, 1, 1 } } },
    { ABUT_MOTION_VELOCITY,
      { { 1.001, 1.001, 1.1 }, { 1.001, 1.001, 1.001 } },
      { { 1.001, 1.01, 1.1 }, { 1, 1, 1 } } },
    { ABUT_MOTION_SCREW,
      { { 1.001, 1.001, 1.1 }, { 1.001, 1.01, 1.2 } },
      { { 1.001, 1.01, 1.1 }, { 1.001, 1.01, 1.3 } } },
    { ABUT_MOTION_NLERP,
      { { 1.001, 1.001, 1.1 }, { 1.001, 1.001, 1.001 } },
      { { 1.3, 1.3, 1.3 }, { 1, 1, 1 } } },
    { ABUT_MOTION_CHEBYSHEV,
      { { 1.01, 1.05, 1.2 }, { 1.001, 1.05, 1.2 } },
      { { 1.5, 1.2, 1.6 }, { 1.01, 1.1, 1.4 } } },
    { ABUT_MOTION_AFFINE,
      { { 1.001, 1.01, 1.1 }, { 1.001, 1.01, 1.1 } },
      { { 1.001, 1.01, 1.1 }, { 1.001, 1.01, 1.1 } } },
    { ABUT_MOTION_KEYFRAMES,
      { { 1.001, 1.01, 1.1 }, { 1.001, 1.01, 1.05 } },
      { { 1.001, 1.01, 1.1 }, { 1.001, 1.001, 1.001 } } },
    { ABUT_MOTION_EXPRESSION,
      { { 1.001, 1.01, 1.3 }, { 1.001, 1.01, 1.2 } },
      { { 1.3, 1.3, 1.8 }, { 1.001, 1.01, 1.4 } } },
    { ABUT_MOTION_CHAIN, { { 1.001, 1.1, 2 }, { 1.001, 1.1, 2 } }, { { 5, 5, 3 }, { 8, 7, 3 } } },
};
enum { stated_count = sizeof stated / sizeof *stated };

static void widths_are_close_to_the_true_ranges(void **state)
{
    (void)state;
    for (size_t i = 0; i < stated_count; ++i) {
        ratios place[2] = { { { 0 }, { 0 }, { 0 } } }, rate[2] = { { { 0 }, { 0 }, { 0 } } };
        measure(stated[i].type, abut_motion_at, abut_motion_enclose, place);
        measure(stated[i].type, abut_motion_velocity_at, abut_motion_enclose_velocity, rate);
        print_ratios("linear", stated[i].type, &place[0]);
        print_ratios("position", stated[i].type, &place[1]);
        print_ratios("d linear", stated[i].type, &rate[0]);
        print_ratios("d pos", stated[i].type, &rate[1]);
        for (int part = 0; part < 2; ++part)
            for (int k = 0; k < lengths; ++k) {
                const ratios *p = &place[part], *v = &rate[part];
                TEST_CHECK(p->sum[k] <= stated[i].place[part][k] * (double)p->count[k],
                           "%s, part %d, length %g: %g", abut_motion_type_name(stated[i].type), part,
                           length_of[k], p->sum[k] / (double)p->count[k]);
                TEST_CHECK(v->sum[k] <= stated[i].rate[part][k] * (double)v->count[k],
                           "velocity of %s, part %d, length %g: %g", abut_motion_type_name(stated[i].type),
                           part, length_of[k], v->sum[k] / (double)v->count[k]);
            }
    }
}

static bool has_key(const oracle_motion *m, double lo, double hi)
{
    for (size_t i = 0; m->type == ABUT_MOTION_KEYFRAMES && i < m->key_count; ++i)
        if (lo <= m->keys[i].t && m->keys[i].t <= hi)
            return true;
    return false;
}

/* Types that halve long intervals themselves: theirs over a part may be looser than over the
 * whole, until parts are short. */
static bool halves_inside(abut_motion_type type)
{
    return type == ABUT_MOTION_CHEBYSHEV || type == ABUT_MOTION_AFFINE || type == ABUT_MOTION_CHAIN;
}

/* An eighth of the interval has an eighth of the width (less than a quarter is asked), down to
 * rounding. */
static void widths_shrink_linearly(void **state)
{
    (void)state;
    for (size_t i = 0; i < stated_count; ++i)
        for (uint64_t seed = 0; seed < test_count(200); ++seed) {
            test_random r = test_seed(seed * 16 + (uint64_t)stated[i].type);
            oracle_motion m;
            random_plain_motion(&r, stated[i].type, &m);
            abut_motion *motion = case_make(&m);
            const double middle = test_uniform(&r, 0.1, 0.9);
            double width[40][2][2];
            for (int k = 5; k < 40; ++k) {
                const abut_interval t = { middle, middle + exp2(-k) };
                abut_interval_affine box[2];
                assert_int_equal(abut_motion_enclose(motion, t, &box[0]), ABUT_OK);
                assert_int_equal(abut_motion_enclose_velocity(motion, t, &box[1]), ABUT_OK);
                for (int order = 0; order < 2; ++order) {
                    total_width(&box[order], width[k][order]);
                    for (int part = 0; part < 2; ++part) {
                        const double now = width[k][order][part],
                                     before = k < 8 ? HUGE_VAL : width[k - 3][order][part];
                        /* while a key is inside, the width is that of a corner */
                        if (k >= (halves_inside(stated[i].type) ? 16 : 10) &&
                            !has_key(&m, middle, middle + exp2(3 - k)))
                            TEST_CHECK(now <= 0.25 * before + 1e-10,
                                       "%s seed %" PRIu64 " order %d part %d 2^-%d: %g after %g",
                                       abut_motion_type_name(stated[i].type), seed, order, part, k, now,
                                       before);
                    }
                }
            }
            abut_motion_release(motion);
        }
}

/* ---- travel ---- */

static abut_vec3 apply(const abut_affine *a, abut_vec3 p)
{
    const double *m = &a->linear.m[0][0];
    return (abut_vec3){ m[0] * p.x + m[1] * p.y + m[2] * p.z + a->translation.x,
                        m[3] * p.x + m[4] * p.y + m[5] * p.z + a->translation.y,
                        m[6] * p.x + m[7] * p.y + m[8] * p.z + a->translation.z };
}

static double length(abut_vec3 a)
{
    return sqrt(a.x * a.x + a.y * a.y + a.z * a.z);
}

static void travel_is_bounded_and_not_by_much(void **state)
{
    (void)state;
    enum { times = 17, points = 26 };
    double worst_travel = 0, worst_speed = 0, sum = 0, count = 0;
    for (size_t type = 0; type < stated_count; ++type)
        for (uint64_t seed = 0; seed < at_least(60, 300); ++seed) {
            test_random r = test_seed(seed * 16 + (uint64_t)stated[type].type);
            oracle_motion m;
            random_plain_motion(&r, stated[type].type, &m);
            abut_motion *motion = case_make(&m);
            const double radius = test_below(&r, 5) ? exp2(test_uniform(&r, -5, 5)) : 0;
            const double span = exp2(test_uniform(&r, -10, 0)), lo = test_uniform(&r, 0, 1 - span);
            const abut_interval t = { lo, fmin(1, lo + span) };
            double travel, speed;
            assert_int_equal(abut_motion_travel_bound(motion, t, radius, &travel, &speed), ABUT_OK);
            double far = 0, fast = 0;
            for (int p = 0; p < points; ++p) {
                abut_vec3 x = case_vec(&r, 1), at[times];
                const double size = length(x);
                x = (abut_vec3){ radius * x.x / size, radius * x.y / size, radius * x.z / size };
                for (int i = 0; i < times; ++i) {
                    abut_affine place, velocity;
                    const double now = fmin(t.hi, t.lo + (t.hi - t.lo) * i / (times - 1));
                    assert_int_equal(abut_motion_at(motion, now, &place), ABUT_OK);
                    assert_int_equal(abut_motion_velocity_at(motion, now, &velocity), ABUT_OK);
                    at[i] = apply(&place, x);
                    /* at the last time a key may end the interval: the velocity from inside
                     * counts */
                    if (i < times - 1 || m.type != ABUT_MOTION_KEYFRAMES)
                        fast = fmax(fast, length(apply(&velocity, x)));
                    for (int j = 0; j < i; ++j)
                        far = fmax(far, length((abut_vec3){ at[i].x - at[j].x, at[i].y - at[j].y,
                                                            at[i].z - at[j].z }));
                }
            }
            TEST_CHECK(travel >= far * (1 - 1e-12) - 1e-13, "%s seed %" PRIu64 ": bound %g, seen %g",
                       abut_motion_type_name(m.type), seed, travel, far);
            TEST_CHECK(speed >= fast * (1 - 1e-12) - 1e-12, "%s seed %" PRIu64 ": bound %g, seen %g",
                       abut_motion_type_name(m.type), seed, speed, fast);
            if (far > 1e-9) {
                worst_travel = fmax(worst_travel, travel / far);
                worst_speed = fmax(worst_speed, speed / fast);
                sum += travel / far;
                ++count;
                TEST_CHECK(travel <= 3 * far, "%s seed %" PRIu64 ": bound %g, seen %g",
                           abut_motion_type_name(m.type), seed, travel, far);
                TEST_CHECK(speed <= 4 * fast, "%s seed %" PRIu64 ": bound %g, seen %g",
                           abut_motion_type_name(m.type), seed, speed, fast);
            }
            abut_motion_release(motion);
        }
    if (getenv("ABUT_TEST_REPORT"))
        print_message("travel bound / seen: mean %.3f worst %.3f; speed worst %.3f\n", sum / count,
                      worst_travel, worst_speed);
    TEST_CHECK(sum <= 1.1 * count, "mean ratio %g", sum / count);
}

/* ---- agreement ---- */

static double distance(const abut_affine *a, const abut_affine *b, double position)
{
    double most = 0;
    for (int e = 0; e < 12; ++e)
        most = fmax(most, fabs(case_entry(a, e) - case_entry(b, e)) / (e < 9 ? 1 : position));
    return most;
}

static void reversed_time_is_the_same_path(void **state)
{
    (void)state;
    const abut_motion_type types[] = { ABUT_MOTION_LINEAR, ABUT_MOTION_SCREW, ABUT_MOTION_NLERP };
    for (uint64_t seed = 0; seed < test_count(3000); ++seed) {
        test_random r = test_seed(seed);
        oracle_motion m, back;
        random_plain_motion(&r, types[seed % 3], &m);
        back = m;
        back.from = m.to;
        back.to = m.from;
        abut_motion *one = case_make(&m), *two = case_make(&back);
        const double t = (double)test_below(&r, 1025) / 1024;
        abut_affine a, b;
        assert_int_equal(abut_motion_at(one, t, &a), ABUT_OK);
        assert_int_equal(abut_motion_at(two, 1 - t, &b), ABUT_OK);
        TEST_NEAR(distance(&a, &b, 20), 0, 64 * 0x1p-52, "seed %" PRIu64 " t %a", seed, t);
        abut_motion_release(one);
        abut_motion_release(two);
    }
}

/* An enclosure over a part lies within that over the whole, up to rounding and the second order. */
static void parts_lie_within_the_whole(void **state)
{
    (void)state;
    for (size_t i = 0; i < stated_count; ++i)
        for (uint64_t seed = 0; seed < test_count(300); ++seed) {
            test_random r = test_seed(seed * 16 + (uint64_t)stated[i].type);
            oracle_motion m;
            random_plain_motion(&r, stated[i].type, &m);
            abut_motion *motion = case_make(&m);
            const double span = exp2(test_uniform(&r, -12, -2)), lo = test_uniform(&r, 0, 1 - span);
            const double cut = test_uniform(&r, lo, lo + span);
            const abut_interval whole = { lo, lo + span }, parts[2] = { { lo, cut }, { cut, lo + span } };
            abut_interval_affine all, part;
            assert_int_equal(abut_motion_enclose(motion, whole, &all), ABUT_OK);
            for (int k = 0; k < 2; ++k) {
                assert_int_equal(abut_motion_enclose(motion, parts[k], &part), ABUT_OK);
                for (int e = 0; e < 12; ++e) {
                    const abut_interval a = case_box_entry(&all, e), b = case_box_entry(&part, e);
                    const double slack = 0.05 * (a.hi - a.lo) + 1e-12;
                    TEST_CHECK(halves_inside(stated[i].type) ||
                                   (b.lo >= a.lo - slack && b.hi <= a.hi + slack),
                               "%s seed %" PRIu64 " entry %d: [%a, %a] not in [%a, %a]",
                               abut_motion_type_name(stated[i].type), seed, e, b.lo, b.hi, a.lo, a.hi);
                    TEST_CHECK(b.lo <= a.hi && b.hi >= a.lo, "%s seed %" PRIu64 " entry %d: apart",
                               abut_motion_type_name(stated[i].type), seed, e);
                }
            }
            abut_motion_release(motion);
        }
}

/* Half a turn apart: once the placements are rounded, the tie may break the other way. */
static bool near_tie(const abut_placement *a, const abut_placement *b)
{
    const abut_quat p = abut_placement_to_pose(a).rotation, q = abut_placement_to_pose(b).rotation;
    return fabs(p.w * q.w + p.x * q.x + p.y * q.y + p.z * q.z) < 1e-10;
}

/* Hanging a motion on a fixed placement is the motion between moved placements. */
static void moving_everything_rigidly_agrees(void **state)
{
    (void)state;
    const abut_motion_type types[] = { ABUT_MOTION_LINEAR, ABUT_MOTION_SCREW, ABUT_MOTION_NLERP,
                                       ABUT_MOTION_KEYFRAMES };
    for (uint64_t seed = 0; seed < test_count(3000); ++seed) {
        test_random r = test_seed(seed);
        oracle_motion m, moved;
        random_plain_motion(&r, types[seed % 4], &m);
        moved = m;
        const abut_placement base = case_placement(&r, 10);
        const abut_pose pose = abut_placement_to_pose(&base);
        bool tie = m.type == ABUT_MOTION_KEYFRAMES ? false : near_tie(&m.from, &m.to);
        for (size_t k = 1; m.type == ABUT_MOTION_KEYFRAMES && k < m.key_count; ++k)
            tie = tie || near_tie(&m.keys[k - 1].at, &m.keys[k].at);
        if (tie)
            continue;
        moved.from = abut_placement_from_pose(abut_pose_compose(pose, abut_placement_to_pose(&m.from)));
        moved.to = abut_placement_from_pose(abut_pose_compose(pose, abut_placement_to_pose(&m.to)));
        for (size_t k = 0; k < m.key_count; ++k)
            moved.keys[k].at =
                abut_placement_from_pose(abut_pose_compose(pose, abut_placement_to_pose(&m.keys[k].at)));
        abut_motion *link[2], *chain, *direct = case_make(&moved);
        assert_int_equal(abut_motion_create_static(&base, NULL, &link[0], NULL), ABUT_OK);
        link[1] = case_make(&m);
        assert_int_equal(abut_motion_create_chain(link, 2, NULL, &chain, NULL), ABUT_OK);
        const double t = test_uniform(&r, 0, 1);
        abut_affine a, b;
        assert_int_equal(abut_motion_at(chain, t, &a), ABUT_OK);
        assert_int_equal(abut_motion_at(direct, t, &b), ABUT_OK);
        TEST_NEAR(distance(&a, &b, 40), 0, 1e-13, "seed %" PRIu64, seed);
        assert_int_equal(abut_motion_velocity_at(chain, t, &a), ABUT_OK);
        assert_int_equal(abut_motion_velocity_at(direct, t, &b), ABUT_OK);
        TEST_NEAR(distance(&a, &b, 400), 0, 1e-12, "seed %" PRIu64 " velocity", seed);
        abut_motion_release(link[0]);
        abut_motion_release(link[1]);
        abut_motion_release(chain);
        abut_motion_release(direct);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(widths_are_close_to_the_true_ranges),
        cmocka_unit_test(widths_shrink_linearly),
        cmocka_unit_test(travel_is_bounded_and_not_by_much),
        cmocka_unit_test(reversed_time_is_the_same_path),
        cmocka_unit_test(parts_lie_within_the_whole),
        cmocka_unit_test(moving_everything_rigidly_agrees),
    };
    return cmocka_run_group_tests_name("motion_tight", tests, NULL, NULL);
}
