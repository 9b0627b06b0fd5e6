/* SPDX-License-Identifier: MIT */
/* Values, velocities and enclosures of random motions of every type against the MPFR referee. */
#include "motion/cases.h"

static const double ulp = 0x1p-52;

/* Worst errors seen, in ulp of the largest value of their kind; printed by ABUT_TEST_REPORT=1. */
typedef struct worst {
    double value, velocity, width, velocity_width;
} worst;

static void raise(double *most, double x)
{
    if (x > *most)
        *most = x;
}

#define CASE "seed %" PRIu64 " %s entry %d t [%a, %a]"

static void check_point(const oracle_motion *m, const abut_motion *motion, double t, const case_scale *scale,
                        uint64_t seed, worst *w)
{
    abut_affine at, rate;
    abut_interval_affine place, velocity;
    const abut_interval when = { t, t };
    assert_int_equal(abut_motion_at(motion, t, &at), ABUT_OK);
    assert_int_equal(abut_motion_velocity_at(motion, t, &rate), ABUT_OK);
    assert_int_equal(abut_motion_enclose(motion, when, &place), ABUT_OK);
    assert_int_equal(abut_motion_enclose_velocity(motion, when, &velocity), ABUT_OK);
    const char *name = abut_motion_type_name(m->type);
    const oracle_place p = oracle_motion_at(m, t);
    for (int e = 0; e < 12; ++e) {
        const abut_interval box = case_box_entry(&place, e);
        const double size = e < 9 ? scale->linear : scale->position;
        TEST_CHECK(case_holds(box, p.v[e], size), CASE ": [%a, %a] misses %.25g", seed, name, e, t, t, box.lo,
                   box.hi, mpfr_get_d(p.v[e], MPFR_RNDN));
        raise(&w->value, case_error(case_entry(&at, e), p.v[e]) / (ulp * size));
        raise(&w->width, (box.hi - box.lo) / (ulp * size));
    }
    /* At an inner key the velocity has two sides, and the box holds both; the value is that of
     * the side that begins. */
    bool key = false;
    for (size_t i = 1; m->type == ABUT_MOTION_KEYFRAMES && i + 1 < m->key_count; ++i)
        key = key || m->keys[i].t == t;
    for (int side = 0; side <= (key ? 1 : 0); ++side) {
        const oracle_place v = oracle_motion_velocity(m, t, side ? nextafter(t, -HUGE_VAL) : t);
        for (int e = 0; e < 12; ++e) {
            const abut_interval box = case_box_entry(&velocity, e);
            const double size = e < 9 ? scale->linear_rate : scale->rate;
            TEST_CHECK(case_holds(box, v.v[e], size), CASE ": [%a, %a] misses velocity %.25g", seed, name, e,
                       t, t, box.lo, box.hi, mpfr_get_d(v.v[e], MPFR_RNDN));
            if (side == 0)
                raise(&w->velocity, case_error(case_entry(&rate, e), v.v[e]) / (ulp * size));
            if (!key)
                raise(&w->velocity_width, (box.hi - box.lo) / (ulp * size));
        }
    }
}

static void check_interval(const oracle_motion *m, const abut_motion *motion, test_random *r,
                           const case_scale *scale, uint64_t seed)
{
    double a = case_time(r, m), b = case_time(r, m);
    if (test_below(r, 2))
        b = fmin(m->t1, a + (m->t1 - m->t0) * exp2(test_uniform(r, -40, 0)));
    if (a > b) {
        const double c = a;
        a = b;
        b = c;
    }
    abut_interval_affine place, velocity;
    assert_int_equal(abut_motion_enclose(motion, (abut_interval){ a, b }, &place), ABUT_OK);
    assert_int_equal(abut_motion_enclose_velocity(motion, (abut_interval){ a, b }, &velocity), ABUT_OK);
    for (int i = 0; i < 5; ++i) {
        const double t = i == 0 ? a : i == 1 ? b : fmin(b, test_uniform(r, a, b));
        const char *name = abut_motion_type_name(m->type);
        const oracle_place p = oracle_motion_at(m, t);
        for (int e = 0; e < 12; ++e) {
            const abut_interval box = case_box_entry(&place, e);
            const double size = e < 9 ? scale->linear : scale->position;
            TEST_CHECK(case_holds(box, p.v[e], size), CASE ": [%a, %a] misses %.25g at %a", seed, name, e, a,
                       b, box.lo, box.hi, mpfr_get_d(p.v[e], MPFR_RNDN), t);
        }
        /* At an end that is a key the side inside counts. */
        const oracle_place v = oracle_motion_velocity(m, t, i == 1 && a < b ? nextafter(t, a) : t);
        for (int e = 0; e < 12; ++e) {
            const abut_interval box = case_box_entry(&velocity, e);
            const double size = e < 9 ? scale->linear_rate : scale->rate;
            TEST_CHECK(case_holds(box, v.v[e], size), CASE ": [%a, %a] misses velocity %.25g at %a", seed,
                       name, e, a, b, box.lo, box.hi, mpfr_get_d(v.v[e], MPFR_RNDN), t);
        }
    }
}

static void report(const char *name, const worst *w)
{
    if (getenv("ABUT_TEST_REPORT"))
        print_message("%-10s ulp: value %.1f, velocity %.1f, width %.1f, velocity width %.1f\n", name,
                      w->value, w->velocity, w->width, w->velocity_width);
}

/* Stated errors, in ulp of the largest entry of the linear part, of the position and of their
 * velocities (see case_size). */
static const struct {
    abut_motion_type type;
    worst allowed;
} limits[] = {
    { ABUT_MOTION_STATIC, { 2, 0, 3, 0 } },
    { ABUT_MOTION_LINEAR, { 6, 6, 40, 40 } },
    { ABUT_MOTION_VELOCITY, { 4, 4, 16, 16 } },
    { ABUT_MOTION_SCREW, { 6, 6, 40, 40 } },
    { ABUT_MOTION_NLERP, { 6, 6, 80, 80 } },
    { ABUT_MOTION_CHEBYSHEV, { 16, 64, 25, 110 } }, /* degree up to 19 */
    { ABUT_MOTION_AFFINE, { 16, 16, 80, 80 } },     /* degree up to 15 */
    { ABUT_MOTION_KEYFRAMES, { 6, 6, 40, 40 } },
    { ABUT_MOTION_EXPRESSION, { 2, 2, 8, 16 } },
};

static void within(const char *name, const worst *found, const worst *allowed)
{
    report(name, found);
    TEST_CHECK(found->value <= allowed->value && found->velocity <= allowed->velocity, "%s: %g and %g ulp",
               name, found->value, found->velocity);
    TEST_CHECK(found->width <= allowed->width && found->velocity_width <= allowed->velocity_width,
               "%s: widths %g and %g ulp", name, found->width, found->velocity_width);
}

static void check_motion(const oracle_motion *m, test_random *r, uint64_t seed, worst *w)
{
    abut_motion *motion = case_make(m);
    const case_scale scale = case_size(m);
    for (int i = 0; i < 3; ++i)
        check_point(m, motion, case_time(r, m), &scale, seed, w);
    check_interval(m, motion, r, &scale, seed);
    abut_motion_release(motion);
}

static void every_type_agrees_with_the_referee(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof limits / sizeof *limits; ++i) {
        worst w = { 0 };
        for (uint64_t seed = 0; seed < test_count(150); ++seed) {
            test_random r = test_seed(seed * 16 + (uint64_t)limits[i].type);
            oracle_motion m;
            case_motion(&r, limits[i].type, &m);
            check_motion(&m, &r, seed, &w);
        }
        within(abut_motion_type_name(limits[i].type), &w, &limits[i].allowed);
    }
}

/* Angles down to 2^-1000; the referee needs three times as many bits. */
static void tiny_angles_agree_with_the_referee(void **state)
{
    (void)state;
    oracle_set_precision(3500);
    case_least = -1000;
    const abut_motion_type types[] = { ABUT_MOTION_STATIC, ABUT_MOTION_LINEAR, ABUT_MOTION_VELOCITY,
                                       ABUT_MOTION_SCREW, ABUT_MOTION_NLERP };
    worst w = { 0 };
    for (uint64_t seed = 0; seed < test_count(30); ++seed) {
        test_random r = test_seed(seed);
        oracle_motion m;
        case_motion(&r, types[seed % 5], &m);
        m.from.rotation = (abut_rotation){ .kind = ABUT_ROTATION_IDENTITY };
        m.to.rotation = (abut_rotation){ .kind = seed & 8 ? ABUT_ROTATION_RADIANS : ABUT_ROTATION_DEGREES,
                                         .axis = case_vec(&r, 1),
                                         .angle = test_log_uniform(&r, -1000, -4) };
        if (types[seed % 5] == ABUT_MOTION_STATIC)
            m.from = m.to;
        check_motion(&m, &r, seed, &w);
    }
    within("tiny", &w, &(worst){ 4, 4, 24, 24 });
    oracle_set_precision(500);
    case_least = -60;
}

/* Series of 64 coefficients that hardly decay, over intervals of all lengths: among the long ones and
 * the short ones, which are enclosed by different means, and near the ends, where they are steep. */
static void long_series_agree_with_the_referee(void **state)
{
    (void)state;
    worst w = { 0 };
    for (uint64_t seed = 0; seed < test_count(20); ++seed) {
        test_random r = test_seed(seed);
        oracle_motion m = { .type = ABUT_MOTION_CHEBYSHEV, .t0 = 0, .t1 = 1 };
        for (int i = 0; i < 7; ++i) {
            m.counts[i] = oracle_max_series - (seed & 1 ? test_below(&r, oracle_max_series - 1) : 0);
            for (size_t k = 0; k < m.counts[i]; ++k)
                m.series[i][k] = test_uniform(&r, -1, 1) * (i < 3 ? 1 : 1.0 / 64);
        }
        m.series[3][0] = 6;
        abut_motion *motion = case_make(&m);
        const case_scale scale = case_size(&m);
        for (int i = 0; i < 3; ++i)
            check_point(&m, motion, case_time(&r, &m), &scale, seed, &w);
        for (int i = 0; i < 12; ++i)
            check_interval(&m, motion, &r, &scale, seed);
        abut_motion_release(motion);
    }
    within("long", &w, &(worst){ 160, 160, 900, 700 });
}

/* Ten links. Affine links may cancel each other, so that widths are stated for rigid ones. */
static void chains_agree_with_the_referee(void **state)
{
    (void)state;
    static oracle_motion links[oracle_max_links];
    worst rigid = { 0 }, any = { 0 };
    for (uint64_t seed = 0; seed < test_count(30); ++seed) {
        test_random r = test_seed(seed);
        oracle_motion m = { .type = ABUT_MOTION_CHAIN, .t0 = 0, .t1 = 1, .link_count = oracle_max_links };
        if (seed % 4 == 0)
            m.link_count = 1 + test_below(&r, oracle_max_links);
        for (size_t i = 0; i < m.link_count; ++i) {
            const abut_motion_type type = case_types[test_below(&r, case_type_count)];
            do {
                case_motion(&r, seed & 1 && type == ABUT_MOTION_AFFINE ? ABUT_MOTION_SCREW : type, &links[i]);
            } while (links[i].t0 != 0 || links[i].t1 != 1 || (seed & 1 && links[i].has_matrix));
            m.links[i] = &links[i];
        }
        check_motion(&m, &r, seed, seed & 1 ? &rigid : &any);
    }
    within("chain", &rigid, &(worst){ 4, 4, 150, 150 });
}

static int set_up(void **state)
{
    (void)state;
    oracle_set_precision(500);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    oracle_free();
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_type_agrees_with_the_referee),
        cmocka_unit_test(tiny_angles_agree_with_the_referee),
        cmocka_unit_test(long_series_agree_with_the_referee),
        cmocka_unit_test(chains_agree_with_the_referee),
    };
    return cmocka_run_group_tests_name("motion", tests, set_up, tear_down);
}
