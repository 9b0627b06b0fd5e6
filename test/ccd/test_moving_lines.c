/* SPDX-License-Identifier: MIT */
/* Balls on straight lines against the closed form in MPFR (oracle/moving_pair.h): random paths,
 * exact grazes made of dyadic numbers, the same one ulp off, starts in touch, paths that never
 * meet, pairs that move together, planes. */
#include "abut/query.h"
#include "oracle/moving_pair.h"
#include "support/places.h"

typedef struct pair_case {
    oracle_path a, b;
    double radius, other; /* other < 0: a plane */
    abut_vec3 normal;
    double offset;
    double lo, hi;
    bool b_rests;
} pair_case;

static pair_case make_case(uint64_t seed)
{
    test_random r = test_seed(seed);
    pair_case c = { .lo = 0, .hi = 1 };
    if (test_below(&r, 4) == 0) {
        c.lo = test_uniform(&r, -3, 0);
        c.hi = test_uniform(&r, 1, 4);
    }
    const unsigned style = test_below(&r, 7);
    c.radius = test_uniform(&r, 0.1, 1);
    c.other = test_uniform(&r, 0.1, 1);
    oracle_path *paths[2] = { &c.a, &c.b };
    for (int i = 0; i < 2; ++i) {
        oracle_path *p = paths[i];
        p->t0 = c.lo;
        p->t1 = c.hi;
        p->from = random_vec3(&r, 3);
        p->to = random_vec3(&r, 3);
        p->by_rate = test_below(&r, 4) == 0;
        p->rate = random_vec3(&r, 3);
        if (test_below(&r, 5) == 0) { /* a longer range than is asked for, and another one */
            p->t0 -= test_uniform(&r, 0, 1);
            p->t1 += test_uniform(&r, 0, 1);
        }
    }
    switch (style) {
    case 0: break;
    case 1:
    case 2: { /* a graze at distance s, along x */
        const double s = ldexp(1 + test_below(&r, 100), -5), k = 1 + test_below(&r, 5), q = small_integer(&r);
        c.radius = s / 2;
        c.other = s / 2;
        c.lo = 0;
        c.hi = 1;
        c.b = (oracle_path){ .t1 = 1, .from = v3(q, 1, 2), .to = v3(q, 1, 2) };
        c.a = (oracle_path){ .t1 = 1, .from = v3(q - k, 1 + s, 2), .to = v3(q + k, 1 + s, 2) };
        if (test_bits(&r) & 1) { /* both move */
            const double d = small_integer(&r);
            c.a.to.z += d;
            c.b.to.z += d;
        }
        if (test_bits(&r) & 1) {
            /* askew: (3, 4) / 5 is not a direction of doubles, but 3 and 4 are */
            c.a.from = v3(q - 3 * k + 4 * s, 1 - 4 * k - 3 * s, 2);
            c.a.to = v3(q + 3 * k + 4 * s, 1 + 4 * k - 3 * s, 2);
            c.radius = 5 * s / 2;
            c.other = 5 * s / 2;
        }
        if (style == 2) {
            double *part[] = { &c.a.from.y, &c.a.to.y, &c.radius, &c.other, &c.b.from.y };
            double *x = part[test_below(&r, 5)];
            *x = nextafter(*x, test_bits(&r) & 1 ? INFINITY : -INFINITY);
        }
        break;
    }
    case 3: { /* in touch at the start, or nearly */
        const double s = ldexp(1 + test_below(&r, 100), -5);
        c.radius = s / 2;
        c.other = s / 2;
        c.lo = 0;
        c.hi = 1;
        c.b = (oracle_path){ .t1 = 1 };
        c.a = (oracle_path){ .t1 = 1,
                             .from = v3(0, 0, s),
                             .to = v3(small_integer(&r), 0, s + small_integer(&r)) };
        if (test_below(&r, 3) == 0)
            c.a.from.z = nextafter(s, test_bits(&r) & 1 ? 0 : 9);
        break;
    }
    case 4: /* move together */
        c.b.by_rate = c.a.by_rate = false;
        c.b.t0 = c.a.t0;
        c.b.t1 = c.a.t1;
        c.a.from = v3(small_integer(&r), small_integer(&r), small_integer(&r));
        c.a.to = v3(small_integer(&r), small_integer(&r), small_integer(&r));
        const double q[3] = { small_integer(&r), small_integer(&r), small_integer(&r) };
        c.b.from = v3(c.a.from.x + q[0], c.a.from.y + q[1], c.a.from.z + q[2]);
        c.b.to = v3(c.a.to.x + q[0], c.a.to.y + q[1], c.a.to.z + q[2]);
        c.radius = 1;
        c.other = 1 + test_below(&r, 3);
        break;
    default: /* planes at rest */
        c.other = -1;
        c.normal = random_vec3(&r, 1);
        c.offset = test_uniform(&r, -1, 1);
        c.b_rests = true;
        c.b = (oracle_path){ .t1 = 1 };
        if (style == 6) { /* tidy: a touch at a dyadic time */
            c.normal = v3(3, 0, 4);
            c.offset = small_integer(&r);
            c.radius = 1 + test_below(&r, 2);
            c.a.from = v3(small_integer(&r), 1, small_integer(&r));
            c.a.to = v3(small_integer(&r), 1, small_integer(&r));
        }
    }
    return c;
}

/* Coordinates below 2^-60 leave exact arithmetic; then intervals answer, and may be undecided. */
static bool is_tame(const pair_case *c)
{
    const double parts[] = { c->a.from.x, c->a.from.y, c->a.from.z, c->a.to.x, c->a.to.y, c->a.to.z,
                             c->b.from.x, c->b.from.y, c->b.from.z, c->b.to.x, c->b.to.y, c->b.to.z };
    for (size_t i = 0; i < sizeof parts / sizeof *parts; ++i)
        if (parts[i] != 0 && fabs(parts[i]) < 0x1p-60)
            return false;
    return true;
}

static abut_motion *make_motion(const oracle_path *p)
{
    abut_motion *motion = NULL;
    const abut_placement from = { .position = p->from }, to = { .position = p->to };
    const abut_status status =
        p->by_rate
            ? abut_motion_create_velocity(p->t0, p->t1, &from, p->rate, v3(0, 0, 0), NULL, &motion, NULL)
            : abut_motion_create_linear(p->t0, p->t1, &from, &to, NULL, &motion, NULL);
    assert_int_equal(status, ABUT_OK);
    return motion;
}

static bool contains(abut_interval e, mpfr_t x)
{
    return mpfr_cmp_d(x, e.lo) >= 0 && mpfr_cmp_d(x, e.hi) <= 0;
}

static double ulps(abut_interval a)
{
    if (a.lo == a.hi)
        return 0;
    const double at = fmax(fabs(a.lo), fabs(a.hi));
    return (a.hi - a.lo) / (nextafter(at, INFINITY) - at);
}

static void lines_agree_with_the_closed_form(void **state)
{
    (void)state;
    oracle_contact truth;
    mpfr_inits2(300, truth.enter, truth.exit, (mpfr_ptr)0);
    uint64_t contacts = 0, grazes = 0, starts = 0, wild = 0, undecided = 0, edges = 0;
    double widest = 0;
    const uint64_t count = test_count(100000);
    for (uint64_t seed = 0; seed < count; ++seed) {
        const pair_case c = make_case(seed);
        abut_shape *a, *b;
        assert_int_equal(abut_shape_create_sphere(c.radius, NULL, &a), ABUT_OK);
        assert_int_equal(c.other < 0 ? abut_shape_create_halfspace(c.normal, c.offset, NULL, &b)
                                     : abut_shape_create_sphere(c.other, NULL, &b),
                         ABUT_OK);
        abut_motion *ma = make_motion(&c.a), *mb = c.b_rests ? NULL : make_motion(&c.b);
        oracle_moving_contact(&c.a, c.radius, &c.b, c.other, c.normal, c.offset, c.lo, c.hi, &truth);

        abut_first_opts opts;
        abut_first_opts_init(&opts);
        opts.time = (abut_interval){ c.lo, c.hi };
        abut_first_result first, swapped;
        TEST_CHECK(abut_first_contact(a, ma, b, mb, &opts, NULL, &first) == ABUT_OK, "seed %" PRIu64, seed);
        TEST_CHECK(abut_first_contact(b, mb, a, ma, &opts, NULL, &swapped) == ABUT_OK, "seed %" PRIu64, seed);
        if (!is_tame(&c)) {
            ++wild;
            undecided += first.verdict == ABUT_FIRST_UNDECIDED;
        }
        if (first.verdict == ABUT_FIRST_UNDECIDED && !is_tame(&c)) {
            TEST_CHECK(truth.count == 0 || (mpfr_cmp_d(truth.enter, first.time.lo) >= 0), "seed %" PRIu64,
                       seed);
            goto next;
        }
        TEST_CHECK(!is_tame(&c) || first.proof == ABUT_PROOF_EXACT, "seed %" PRIu64 ": %s", seed,
                   abut_proof_name(first.proof));
        /* A touch at the start from which they part is none. */
        abut_first_verdict expected = truth.count == 0  ? ABUT_FIRST_SEPARATE
                                      : truth.start < 0 ? ABUT_FIRST_OVERLAPPING
                                                        : ABUT_FIRST_CONTACT;
        if (truth.start == 0 && truth.count == 1)
            expected = ABUT_FIRST_SEPARATE;
        TEST_CHECK(first.verdict == expected,
                   "seed %" PRIu64 ": %s, not %s (count %d, start %d, at [%a, %a])", seed,
                   abut_first_verdict_name(first.verdict), abut_first_verdict_name(expected), truth.count,
                   truth.start, first.time.lo, first.time.hi);
        TEST_CHECK(swapped.verdict == first.verdict && swapped.time.lo == first.time.lo &&
                       swapped.time.hi == first.time.hi,
                   "seed %" PRIu64, seed);
        if (expected == ABUT_FIRST_CONTACT) {
            ++contacts;
            grazes += truth.graze;
            starts += truth.start == 0;
            TEST_CHECK(contains(first.time, truth.enter), "seed %" PRIu64 ": [%a, %a] lacks %a", seed,
                       first.time.lo, first.time.hi, mpfr_get_d(truth.enter, MPFR_RNDN));
            TEST_CHECK(!is_tame(&c) || ulps(first.time) <= 4, "seed %" PRIu64 ": [%a, %a]", seed,
                       first.time.lo, first.time.hi);
            widest = fmax(widest, is_tame(&c) ? ulps(first.time) : 0);
            TEST_CHECK(first.point_count == 1 && first.points[0].unique, "seed %" PRIu64, seed);
            const abut_vec3 n = first.points[0].normal, m = swapped.points[0].normal;
            TEST_NEAR(n.x * n.x + n.y * n.y + n.z * n.z, 1, 1e-14, "seed %" PRIu64, seed);
            TEST_NEAR(hypot(hypot(n.x + m.x, n.y + m.y), n.z + m.z), 0, 1e-14, "seed %" PRIu64, seed);
        }

        if (!is_tame(&c))
            goto next;
        abut_contact_interval found[4];
        abut_intervals_result all;
        TEST_CHECK(abut_contact_intervals(a, ma, b, mb, &opts, NULL, found, 4, &all) == ABUT_OK,
                   "seed %" PRIu64, seed);
        TEST_CHECK(all.proof == ABUT_PROOF_EXACT && all.stop == ABUT_STOP_DONE, "seed %" PRIu64, seed);
        TEST_CHECK(all.count == (truth.count > 0), "seed %" PRIu64 ": %zu intervals, not %d", seed, all.count,
                   truth.count > 0);
        if (all.count == 1) {
            TEST_CHECK(contains(found[0].enter, truth.enter) && contains(found[0].exit, truth.exit),
                       "seed %" PRIu64 ": [%a, %a] to [%a, %a]", seed, found[0].enter.lo, found[0].enter.hi,
                       found[0].exit.lo, found[0].exit.hi);
            TEST_CHECK(ulps(found[0].enter) <= 4 && ulps(found[0].exit) <= 4, "seed %" PRIu64, seed);
            if (mpfr_cmp_d(truth.enter, c.lo) == 0)
                TEST_CHECK(found[0].enter.lo == c.lo && found[0].enter.hi == c.lo, "seed %" PRIu64, seed);
            if (mpfr_cmp_d(truth.exit, c.hi) == 0)
                TEST_CHECK(found[0].exit.lo == c.hi && found[0].exit.hi == c.hi, "seed %" PRIu64, seed);
        }

        /* Splitting the time: the first half, and when that is free, the second. */
        const double mid = 0.5 * c.lo + 0.5 * c.hi;
        abut_first_result half;
        opts.time.hi = mid;
        TEST_CHECK(abut_first_contact(a, ma, b, mb, &opts, NULL, &half) == ABUT_OK, "seed %" PRIu64, seed);
        if (half.verdict == ABUT_FIRST_SEPARATE) {
            opts.time = (abut_interval){ mid, c.hi };
            TEST_CHECK(abut_first_contact(a, ma, b, mb, &opts, NULL, &half) == ABUT_OK, "seed %" PRIu64,
                       seed);
        }
        TEST_CHECK(half.verdict == first.verdict, "seed %" PRIu64 ": split %s, whole %s", seed,
                   abut_first_verdict_name(half.verdict), abut_first_verdict_name(first.verdict));
        if (first.verdict == ABUT_FIRST_CONTACT)
            TEST_CHECK(contains(half.time, truth.enter), "seed %" PRIu64, seed);

        /* Ranges that end or begin with a double next to the contact. */
        const double before = first.time.lo, after = first.time.hi;
        if (first.verdict == ABUT_FIRST_CONTACT && !truth.graze && c.lo < before && before < after &&
            after < c.hi && mpfr_cmp_d(truth.enter, before) > 0 && mpfr_cmp_d(truth.enter, after) < 0 &&
            mpfr_cmp_d(truth.exit, after) > 0) {
            const struct {
                abut_interval time;
                abut_first_verdict verdict;
            } parts[] = { { { c.lo, before }, ABUT_FIRST_SEPARATE },
                          { { c.lo, after }, ABUT_FIRST_CONTACT },
                          { { before, c.hi }, ABUT_FIRST_CONTACT },
                          { { before, after }, ABUT_FIRST_CONTACT },
                          { { after, c.hi }, ABUT_FIRST_OVERLAPPING } };
            for (size_t i = 0; i < sizeof parts / sizeof *parts; ++i) {
                opts.time = parts[i].time;
                TEST_CHECK(abut_first_contact(a, ma, b, mb, &opts, NULL, &half) == ABUT_OK, "seed %" PRIu64,
                           seed);
                TEST_CHECK(half.verdict == parts[i].verdict, "seed %" PRIu64 ": part %zu %s", seed, i,
                           abut_first_verdict_name(half.verdict));
            }
            ++edges;
        }
    next:
        abut_motion_release(ma);
        abut_motion_release(mb);
        abut_shape_release(a);
        abut_shape_release(b);
    }
    print_message("%" PRIu64 " pairs, %" PRIu64 " contacts, %" PRIu64 " of them grazes, %" PRIu64
                  " at the start; widest %g ulp; %" PRIu64 " with tiny parts, %" PRIu64
                  " of those undecided; %" PRIu64 " contacts next to ends\n",
                  count, contacts, grazes, starts, widest, wild, undecided, edges);
    assert_true(edges > 0);
    mpfr_clears(truth.enter, truth.exit, (mpfr_ptr)0);
}

/* Rates and centres that are doubles, asked without options: the quick answers. Balls that come
 * from 2^30 radii away, pass by a few parts in 2^40 nearer or further than they touch, differ in
 * size by 2^40, are tiny or huge, rest, meet at the ends of the range or at times that are
 * doubles. */
static pair_case make_quick_case(uint64_t seed)
{
    test_random r = test_seed(seed);
    pair_case c = { .lo = test_below(&r, 3) ? 0 : test_uniform(&r, -2, 2) };
    c.hi = c.lo + (test_below(&r, 2) ? 1 : test_uniform(&r, 0.5, 2));
    const double unit = test_below(&r, 3) ? 1 : exp2(test_uniform(&r, -58, 150));
    const double way = test_below(&r, 3) ? 2 : exp2(test_uniform(&r, 0, 30));
    c.radius = unit * test_uniform(&r, 0.1, 1);
    c.other = unit * test_uniform(&r, 0.1, 1) * (test_below(&r, 4) ? 1 : exp2(-(double)test_below(&r, 40)));
    const double radii = c.radius + c.other, length = c.hi - c.lo;
    const abut_vec3 u = random_vec3(&r, 1), any = random_vec3(&r, 1);
    const double along = u.x * any.x + u.y * any.y + u.z * any.z, square = u.x * u.x + u.y * u.y + u.z * u.z;
    const abut_vec3 w =
        v3(any.x - along / square * u.x, any.y - along / square * u.y, any.z - along / square * u.z);
    const double size = hypot(hypot(w.x, w.y), w.z);
    /* How far the line passes from the centre, and where on it they begin. */
    double off = radii * test_uniform(&r, 0, 1.2);
    if (test_below(&r, 3) == 0)
        off = radii * (1 + test_uniform(&r, -1, 1) * exp2(-(double)test_below(&r, 50)));
    const double from = -way * unit * test_uniform(&r, 0.1, 2), k = off / size;
    const double speed = way * unit * test_uniform(&r, 0.5, 4) / length;
    const bool exact = test_below(&r, 8) == 0; /* head on, from doubles to doubles */
    const abut_vec3 place = test_below(&r, 2) ? v3(0, 0, 0) : random_vec3(&r, 10 * unit);
    const abut_vec3 drift = test_below(&r, 2) ? v3(0, 0, 0) : random_vec3(&r, 3 * unit);
    c.a = (oracle_path){ .t0 = c.lo, .t1 = c.hi, .from = place, .rate = drift, .by_rate = true };
    c.b = (oracle_path){ .t0 = c.lo, .t1 = c.hi, .by_rate = true };
    c.b.from =
        v3(place.x + from * u.x + k * w.x, place.y + from * u.y + k * w.y, place.z + from * u.z + k * w.z);
    c.b.rate = v3(drift.x + speed * u.x, drift.y + speed * u.y, drift.z + speed * u.z);
    if (exact) {
        const double s = ldexp(1, (int)test_below(&r, 20) - 10);
        c.a = (oracle_path){ .t0 = c.lo, .t1 = c.hi, .by_rate = true };
        c.radius = c.other = 0.5 * s;
        c.b.from = v3(s * (1 + (double)test_below(&r, 64) / 16), 0, 0);
        c.b.rate = v3(-s * (1 + (double)test_below(&r, 8)), test_below(&r, 2) ? 0 : s * 0x1p-20, 0);
    }
    return c;
}

static void lines_are_quick_without_options(void **state)
{
    (void)state;
    oracle_contact truth;
    mpfr_inits2(600, truth.enter, truth.exit, (mpfr_ptr)0);
    uint64_t contacts = 0, wide = 0, undecided = 0;
    const uint64_t count = test_count(30000);
    for (uint64_t seed = 0; seed < count; ++seed) {
        const pair_case c = make_quick_case(seed);
        abut_shape *a, *b;
        assert_int_equal(abut_shape_create_sphere(c.radius, NULL, &a), ABUT_OK);
        assert_int_equal(abut_shape_create_sphere(c.other, NULL, &b), ABUT_OK);
        abut_motion *ma = make_motion(&c.a), *mb = make_motion(&c.b);
        oracle_moving_contact(&c.a, c.radius, &c.b, c.other, c.normal, c.offset, c.lo, c.hi, &truth);
        abut_first_result first, swapped;
        TEST_CHECK(abut_first_contact(a, ma, b, mb, NULL, NULL, &first) == ABUT_OK, "seed %" PRIu64, seed);
        TEST_CHECK(abut_first_contact(b, mb, a, ma, NULL, NULL, &swapped) == ABUT_OK, "seed %" PRIu64, seed);
        abut_first_verdict expected = truth.count == 0  ? ABUT_FIRST_SEPARATE
                                      : truth.start < 0 ? ABUT_FIRST_OVERLAPPING
                                                        : ABUT_FIRST_CONTACT;
        if (truth.start == 0 && truth.count == 1)
            expected = ABUT_FIRST_SEPARATE;
        if (first.verdict == ABUT_FIRST_UNDECIDED) {
            /* numbers that leave exact arithmetic, near a graze */
            ++undecided;
            TEST_CHECK(truth.count == 0 || mpfr_cmp_d(truth.enter, first.time.lo) >= 0, "seed %" PRIu64,
                       seed);
            goto next;
        }
        TEST_CHECK(first.verdict == expected && swapped.verdict == expected,
                   "seed %" PRIu64 ": %s and %s, not %s", seed, abut_first_verdict_name(first.verdict),
                   abut_first_verdict_name(swapped.verdict), abut_first_verdict_name(expected));
        if (expected == ABUT_FIRST_CONTACT) {
            ++contacts;
            TEST_CHECK(contains(first.time, truth.enter) && contains(swapped.time, truth.enter),
                       "seed %" PRIu64 ": [%a, %a] lacks %a", seed, first.time.lo, first.time.hi,
                       mpfr_get_d(truth.enter, MPFR_RNDN));
            wide += first.proof != ABUT_PROOF_EXACT;
            TEST_CHECK(first.proof != ABUT_PROOF_EXACT || ulps(first.time) <= 4, "seed %" PRIu64 ": [%a, %a]",
                       seed, first.time.lo, first.time.hi);
            const abut_first_point *p = &first.points[0];
            const abut_vec3 n = p->normal, m = swapped.points[0].normal;
            TEST_CHECK(first.point_count == 1 && p->unique, "seed %" PRIu64, seed);
            TEST_NEAR(n.x * n.x + n.y * n.y + n.z * n.z, 1, 1e-14, "seed %" PRIu64, seed);
            TEST_NEAR(hypot(hypot(n.x + m.x, n.y + m.y), n.z + m.z), 0, 1e-6, "seed %" PRIu64, seed);
            /* The point lies on the ball of a, as far as doubles of that size say so. */
            const double s = 0.5 * first.time.lo + 0.5 * first.time.hi - c.lo;
            const abut_vec3 d =
                v3(p->point.x - (c.a.from.x + s * c.a.rate.x), p->point.y - (c.a.from.y + s * c.a.rate.y),
                   p->point.z - (c.a.from.z + s * c.a.rate.z));
            const double sizes = fabs(c.a.from.x) + fabs(c.a.from.y) + fabs(c.a.from.z) + fabs(c.b.from.x) +
                                 fabs(c.b.from.y) + fabs(c.b.from.z) + c.radius + c.other;
            TEST_NEAR(hypot(hypot(d.x, d.y), d.z), c.radius, 1e-14 * sizes, "seed %" PRIu64, seed);
        }
    next:
        abut_motion_release(ma);
        abut_motion_release(mb);
        abut_shape_release(a);
        abut_shape_release(b);
    }
    print_message("%" PRIu64 " pairs, %" PRIu64 " contacts, %" PRIu64 " by intervals, %" PRIu64
                  " undecided\n",
                  count, contacts, wide, undecided);
    assert_true(contacts > count / 4 && wide < count / 50 && undecided < count / 50);
    mpfr_clears(truth.enter, truth.exit, (mpfr_ptr)0);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(lines_agree_with_the_closed_form),
                                        cmocka_unit_test(lines_are_quick_without_options) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
