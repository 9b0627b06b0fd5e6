/* SPDX-License-Identifier: MIT */
/* Two ellipsoids that touch, or miss, or overlap by next to nothing, exactly when the time that
 * is asked about ends or begins. One comes along the x axis, and perhaps grows, as a polynomial
 * of time with coefficients that are doubles; the other waits where the gap is zero at that
 * time, or a few ulp beside. The referee has the sign of the gap in rational numbers. */
#include "abut/abut.h"
#include "support/test.h"

#include <gmp.h>

enum { MOST = 5, LINEAR = 5, VELOCITY, KINDS };

typedef struct coming {
    int kind, degree;        /* kind below LINEAR: affine of that degree */
    double x[MOST], s[MOST]; /* place and growth, Bernstein coefficients */
    double t0, t1, rate;
    abut_interval time;
    double radius, other, at;
} coming;

/* choose(n, i) p^i (1 - p)^(n - i) b_i, summed. */
static void bernstein(int n, const double *b, const mpq_t p, mpq_t out)
{
    mpq_t row[MOST], r, x;
    mpq_inits(r, x, NULL);
    mpq_set_si(r, 1, 1);
    mpq_sub(r, r, p);
    for (int i = 0; i <= n; ++i) {
        mpq_init(row[i]);
        mpq_set_d(row[i], b[i]);
    }
    for (int level = n; level > 0; --level)
        for (int i = 0; i < level; ++i) {
            mpq_mul(row[i], row[i], r);
            mpq_mul(x, row[i + 1], p);
            mpq_add(row[i], row[i], x);
        }
    mpq_set(out, row[0]);
    for (int i = 0; i <= n; ++i)
        mpq_clear(row[i]);
    mpq_clears(r, x, NULL);
}

static void add_double(mpq_t sum, double x, int sign)
{
    mpq_t y;
    mpq_init(y);
    mpq_set_d(y, x);
    (sign > 0 ? mpq_add : mpq_sub)(sum, sum, y);
    mpq_clear(y);
}

/* How far it reaches along x at t, the other's radius included. */
static void reach_at(const coming *c, double t, mpq_t out)
{
    mpq_t p, q, grown;
    mpq_inits(p, q, grown, NULL);
    add_double(p, t, 1);
    add_double(p, c->t0, -1);
    if (c->kind == VELOCITY) {
        mpq_set_d(q, c->rate);
        mpq_mul(out, p, q);
        add_double(out, c->x[0], 1);
        add_double(out, c->radius, 1);
    } else {
        add_double(q, c->t1, 1);
        add_double(q, c->t0, -1);
        mpq_div(p, p, q);
        bernstein(c->degree, c->x, p, out);
        bernstein(c->degree, c->s, p, grown);
        mpq_set_d(q, c->radius);
        mpq_mul(grown, grown, q);
        mpq_add(out, out, grown);
    }
    add_double(out, c->other, 1);
    mpq_clears(p, q, grown, NULL);
}

static int gap_sign(const coming *c, double t)
{
    mpq_t x;
    mpq_init(x);
    reach_at(c, t, x);
    mpq_neg(x, x);
    add_double(x, c->at, 1);
    const int sign = mpq_sgn(x);
    mpq_clear(x);
    return sign;
}

static double tidy(test_random *r, double lo, double hi)
{
    return floor(test_uniform(r, lo, hi) * 16) / 16;
}

/* Comes nearer all the time where `closing`, else goes away. */
static coming draw(test_random *r, bool closing)
{
    const bool round = test_bits(r) % 2; /* numbers of few digits, so that many touch exactly */
    coming c = { .kind = 1 + (int)(test_bits(r) % (KINDS - 1)),
                 .radius = tidy(r, 0.5, 2),
                 .other = tidy(r, 0.5, 2) };
    c.degree = c.kind < LINEAR ? c.kind : 1;
    c.t0 = round ? tidy(r, -2, 2) : test_uniform(r, -2, 2);
    c.t1 = c.t0 + (round ? ldexp(1, (int)(test_bits(r) % 4) - 1) : test_uniform(r, 0.1, 3));
    double x = -8, s = 1;
    for (int i = 0; i <= c.degree; ++i) {
        x += round ? tidy(r, 0.25, 2) : test_uniform(r, 0.1, 2);
        s += c.kind >= LINEAR ? 0 : round ? tidy(r, 0, 0.25) : test_uniform(r, 0, 0.2);
        const int k = closing ? i : c.degree - i;
        c.x[k] = x;
        c.s[k] = s;
    }
    c.rate = (closing ? 1 : -1) * (round ? tidy(r, 0.25, 4) : test_uniform(r, 0.1, 4));
    const double part = round ? 0.25 * (1 + (double)(test_bits(r) % 4)) : test_uniform(r, 0.3, 1);
    const double inner = c.t0 + part * (c.t1 - c.t0);
    c.time = closing
                 ? (abut_interval){ c.t0, inner < c.t1 ? inner : c.t1 }
                 : (abut_interval){ c.t1 - part * (c.t1 - c.t0) > c.t0 ? c.t1 - part * (c.t1 - c.t0) : c.t0,
                                    c.t1 };
    mpq_t gap;
    mpq_init(gap);
    reach_at(&c, closing ? c.time.hi : c.time.lo, gap);
    c.at = mpq_get_d(gap);
    mpq_clear(gap);
    const int beside = (int)(test_bits(r) % 5) - 2;
    for (int i = 0; i < abs(beside); ++i)
        c.at = nextafter(c.at, beside < 0 ? -HUGE_VAL : HUGE_VAL);
    return c;
}

static abut_motion *make_motion(const coming *c)
{
    abut_motion *motion = NULL;
    const abut_placement from = { .position = { c->x[0], 0, 0 },
                                  .rotation = { .kind = ABUT_ROTATION_QUATERNION,
                                                .quaternion = { 1, 0, 0, 0 } } };
    abut_placement to = from;
    abut_affine m[MOST];
    to.position.x = c->x[1];
    for (int i = 0; i <= c->degree; ++i)
        m[i] = (abut_affine){ { { { c->s[i], 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 } } }, { c->x[i], 0, 0 } };
    const abut_status status =
        c->kind == LINEAR ? abut_motion_create_linear(c->t0, c->t1, &from, &to, NULL, &motion, NULL)
        : c->kind == VELOCITY
            ? abut_motion_create_velocity(c->t0, c->t1, &from, (abut_vec3){ c->rate, 0, 0 },
                                          (abut_vec3){ 0, 0, 0 }, NULL, &motion, NULL)
            : abut_motion_create_affine(c->t0, c->t1, m, (size_t)c->degree + 1, NULL, &motion, NULL);
    assert_int_equal(status, ABUT_OK);
    return motion;
}

static int seen[2][3];

static void judge(const coming *c, bool closing, abut_first_method method, uint64_t seed)
{
    abut_shape *a, *b;
    const abut_placement wait = { .position = { c->at, 0, 0 },
                                  .rotation = { .kind = ABUT_ROTATION_QUATERNION,
                                                .quaternion = { 1, 0, 0, 0 } } };
    abut_motion *move = make_motion(c), *stay;
    assert_int_equal(abut_shape_create_ellipsoid((abut_vec3){ c->radius, 1, 1.5 }, NULL, &a), ABUT_OK);
    assert_int_equal(abut_shape_create_ellipsoid((abut_vec3){ c->other, 1.25, 0.75 }, NULL, &b), ABUT_OK);
    assert_int_equal(abut_motion_create_static(&wait, NULL, &stay, NULL), ABUT_OK);
    abut_first_opts opts;
    abut_first_opts_init(&opts);
    opts.method = method;
    opts.time = c->time;
    abut_first_result r;
    abut_contact_interval of[2];
    abut_intervals_result all;
    assert_int_equal(abut_first_contact(a, move, b, stay, &opts, NULL, &r), ABUT_OK);
    opts.method = ABUT_METHOD_AUTO;
    assert_int_equal(abut_contact_intervals(a, move, b, stay, &opts, NULL, of, 2, &all), ABUT_OK);
    const double end = closing ? c->time.hi : c->time.lo;
    const int sign = gap_sign(c, end);
    ++seen[!closing][sign + 1];
    const abut_first_verdict expected = sign > 0 || (sign == 0 && !closing) ? ABUT_FIRST_SEPARATE
                                        : closing                           ? ABUT_FIRST_CONTACT
                                                                            : ABUT_FIRST_OVERLAPPING;
    TEST_CHECK(r.verdict == expected, "seed %" PRIu64 ", kind %d: %s, the gap has the sign %d at %a", seed,
               c->kind, abut_first_verdict_name(r.verdict), sign, end);
    if (expected == ABUT_FIRST_CONTACT) {
        TEST_CHECK(r.time.hi <= end && end - r.time.lo <= 1e-12, "seed %" PRIu64 ": at [%a, %a]", seed,
                   r.time.lo, r.time.hi);
        TEST_CHECK(sign != 0 || r.time.hi == end, "seed %" PRIu64 ": they touch at %a, not at [%a, %a]", seed,
                   end, r.time.lo, r.time.hi);
        TEST_CHECK(r.point_count == 1 && fabs(r.points[0].point.x - (c->at - c->other)) < 1e-12,
                   "seed %" PRIu64 ": at x = %a", seed, r.points[0].point.x);
    }
    TEST_CHECK(all.count == (sign <= 0) && all.proof != ABUT_PROOF_TOLERANCE,
               "seed %" PRIu64 ", kind %d: %zu intervals, the gap has the sign %d at %a", seed, c->kind,
               all.count, sign, end);
    if (all.count == 1)
        TEST_CHECK(closing ? of[0].exit.lo == end && of[0].exit.hi == end
                           : of[0].enter.lo == end && of[0].enter.hi == end,
                   "seed %" PRIu64 ": [%a, %a] to [%a, %a]", seed, of[0].enter.lo, of[0].enter.hi,
                   of[0].exit.lo, of[0].exit.hi);
    abut_shape_release(a);
    abut_shape_release(b);
    abut_motion_release(move);
    abut_motion_release(stay);
}

static void test_ends(void **state)
{
    (void)state;
    static const abut_first_method methods[] = { ABUT_METHOD_AUTO, ABUT_METHOD_SHOOTING,
                                                 ABUT_METHOD_SAMPLED };
    const uint64_t count = (uint64_t)test_count(6000);
    for (uint64_t seed = 1; seed <= count; ++seed) {
        test_random r = test_seed(seed);
        const bool closing = test_bits(&r) % 4 != 0;
        const coming c = draw(&r, closing);
        judge(&c, closing, methods[seed % 3], seed);
    }
    print_message("ends of the time: %d overlap, %d touch, %d miss; its begin: %d, %d, %d\n", seen[0][0],
                  seen[0][1], seen[0][2], seen[1][0], seen[1][1], seen[1][2]);
    assert_true(count < 1000 ||
                (seen[0][1] > 0 && seen[1][1] > 0)); /* few cases say nothing about coverage */
}

/* They touch at the start, and one slides off at a right angle to the normal: they part at once,
 * so that there is no contact, and none may be reported. As it slides in, there is one. */
static void test_slides_off(void **state)
{
    (void)state;
    static const abut_vec3 radii[] = { { 1, 1, 1 }, { 1, 2, 0.5 }, { 1, 0.25, 4 } };
    static const abut_vec3 linear[] = { { 0, 1, 0 }, { 0, -0.5, 2 }, { 0.25, 1, 0 }, { -0.25, 1, 0 } };
    for (size_t i = 0; i < 3; ++i)
        for (size_t j = 0; j < 4; ++j) {
            abut_shape *shape = NULL;
            abut_motion *motion = NULL;
            abut_first_result found;
            const abut_placement start = { .position = { 2, 0, 0 } };
            assert_int_equal(abut_shape_create_ellipsoid(radii[i], NULL, &shape), ABUT_OK);
            assert_int_equal(abut_motion_create_velocity(0, 1, &start, linear[j], (abut_vec3){ 0, 0, 0 },
                                                         NULL, &motion, NULL),
                             ABUT_OK);
            assert_int_equal(abut_first_contact(shape, motion, shape, NULL, NULL, NULL, &found), ABUT_OK);
            if (linear[j].x < 0) {
                assert_int_equal(found.verdict, ABUT_FIRST_CONTACT);
                assert_true(found.time.lo == 0 && found.time.hi == 0);
            } else
                TEST_CHECK(found.verdict == ABUT_FIRST_SEPARATE ||
                               (found.verdict == ABUT_FIRST_UNDECIDED && linear[j].x == 0 &&
                                found.time.lo == 0 && found.time.hi <= 1e-12),
                           "radii %zu, velocity %zu: verdict %d, time %g to %g", i, j, (int)found.verdict,
                           found.time.lo, found.time.hi);
            abut_motion_release(motion);
            abut_shape_release(shape);
        }
}

/* The same of balls, asked about times that no arithmetic can tell from 0. */
static void test_next_to_no_time(void **state)
{
    (void)state;
    static const double ends[] = { 0x1p-1074, 0x1p-1022, 0x1p-600, 0x1p-300, 0x1p-70, 0x1p-50 };
    for (size_t i = 0; i < sizeof ends / sizeof *ends; ++i) {
        abut_shape *ball = NULL;
        abut_motion *motion = NULL;
        abut_first_result found;
        abut_first_opts opts;
        abut_first_opts_init(&opts);
        opts.time = (abut_interval){ 0, ends[i] };
        const abut_placement start = { .position = { 2, 0, 0 } };
        assert_int_equal(abut_shape_create_sphere(1, NULL, &ball), ABUT_OK);
        assert_int_equal(abut_motion_create_velocity(0, 1, &start, (abut_vec3){ 0, 1, 0 },
                                                     (abut_vec3){ 0, 0, 0 }, NULL, &motion, NULL),
                         ABUT_OK);
        assert_int_equal(abut_first_contact(ball, motion, ball, NULL, &opts, NULL, &found), ABUT_OK);
        TEST_CHECK(found.verdict == ABUT_FIRST_SEPARATE || found.verdict == ABUT_FIRST_UNDECIDED,
                   "end %g: verdict %d, time %g to %g", ends[i], (int)found.verdict, found.time.lo,
                   found.time.hi);
        abut_motion_release(motion);
        abut_shape_release(ball);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(test_ends), cmocka_unit_test(test_slides_off),
                                        cmocka_unit_test(test_next_to_no_time) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
