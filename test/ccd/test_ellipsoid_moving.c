/* SPDX-License-Identifier: MIT */
/* Two ellipsoids under every kind of motion, deforming ones included: random ones, singular
 * placements, mirrored ones, extreme sizes, independent motions, and what must not change under
 * exchange, reversal and splitting. */
#include "ccd/test_ellipsoid_support.h"

static void make_random(uint64_t seed, pair *p)
{
    test_random r = test_seed(seed);
    const int kind_a = test_below(&r, 2) ? AFFINE : (int)test_below(&r, KINDS);
    const int kind_b = test_below(&r, 2) ? AFFINE : (int)test_below(&r, KINDS);
    const double size = test_uniform(&r, 0.5, 3);
    *p = (pair){ 0 };
    p->oa.radii = test_below(&r, 4)
                      ? v3(test_uniform(&r, 0.1, 1), test_uniform(&r, 0.1, 1), test_uniform(&r, 0.1, 1))
                      : v3(0.5, 0.5, 0.5);
    p->ob.radii = test_below(&r, 4)
                      ? v3(test_uniform(&r, 0.1, 1), test_uniform(&r, 0.1, 1), test_uniform(&r, 0.1, 1))
                      : v3(0.75, 0.75, 0.75);
    make_course(&r, kind_a, size, &p->ca);
    make_course(&r, kind_b, size, &p->cb);
    finish_pair(p);
}

static void test_random_motions(void **state)
{
    (void)state;
    const uint64_t count = test_count(300);
    tally all = { 0 };
    for (uint64_t seed = 1; seed <= count; ++seed) {
        pair p;
        make_random(seed, &p);
        answer found;
        if (ask_and_judge(&p, seed, &found, &all)) {
            judge_first(&p, seed, &found, ABUT_METHOD_AUTO);
            judge_first(&p, seed, &found, ABUT_METHOD_SHOOTING);
            judge_first(&p, seed, &found, ABUT_METHOD_SAMPLED);
        }
        free_pair(&p);
    }
    report("motions", &all);
    assert_true(all.doubtful <= 1 + all.cases / 100);
    assert_int_equal(all.wide, 0);
}

/* ---- bad input and extremes ---- */

static void test_singular(void **state)
{
    (void)state;
    abut_affine m[2] = { { .linear = { { { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 } } } },
                         { .linear = { { { -3, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 } } } } };
    abut_motion *flat, *mirrored;
    abut_shape *egg = make_shape(v3(1, 2, 3));
    assert_int_equal(abut_motion_create_affine(0, 1, m, 2, NULL, &flat, NULL), ABUT_OK);
    m[0].linear.m[0][0] = -1;
    m[0].translation.x = m[1].translation.x = 5;
    m[1].translation.x = 4;
    assert_int_equal(abut_motion_create_affine(0, 1, m, 2, NULL, &mirrored, NULL), ABUT_OK);
    abut_contact_interval in[4];
    abut_intervals_result found;
    assert_int_equal(abut_contact_intervals(egg, flat, egg, mirrored, NULL, NULL, in, 4, &found),
                     ABUT_ERR_VALUE);
    abut_first_result first;
    assert_int_equal(abut_first_contact(egg, flat, egg, mirrored, NULL, NULL, &first), ABUT_ERR_VALUE);
    /* Far apart, too; not where no pair needs it. */
    abut_motion *far;
    const abut_affine away = { .linear = { { { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 } } },
                               .translation = { 0, 0, 99 } };
    assert_int_equal(abut_motion_create_static_affine(&away, NULL, &far, NULL), ABUT_OK);
    assert_int_equal(abut_first_contact(egg, flat, egg, far, NULL, NULL, &first), ABUT_ERR_VALUE);
    const abut_body bodies[3] = { { egg, flat }, { egg, far }, { egg, mirrored } };
    const uint32_t others[] = { 1, 2 };
    abut_set_result set;
    assert_int_equal(abut_first_contact_set(bodies, 2, NULL, 0, NULL, NULL, NULL, 0, &set), ABUT_ERR_VALUE);
    assert_int_equal(abut_first_contact_set(bodies, 3, others, 1, NULL, NULL, NULL, 0, &set), ABUT_OK);
    assert_int_equal(set.verdict, ABUT_FIRST_SEPARATE);
    abut_motion_release(far);
    bool is;
    abut_interval at, range = { 0, 1 };
    assert_int_equal(abut_ellipsoid_find_singular(flat, &range, &is, &at), ABUT_OK);
    assert_true(is && at.lo <= 0.25 && at.hi >= 0.25 && at.hi - at.lo < 1e-12);
    range.hi = 0.2;
    assert_int_equal(abut_ellipsoid_find_singular(flat, &range, &is, &at), ABUT_OK);
    assert_false(is);
    assert_int_equal(abut_ellipsoid_find_singular(mirrored, &range, &is, &at), ABUT_OK);
    assert_false(is);
    /* Mirrored all the time: fine. It reaches x = 5 - t - 1 - 2 t; the other reaches 1. */
    assert_int_equal(abut_contact_intervals(egg, NULL, egg, mirrored, NULL, NULL, in, 4, &found), ABUT_OK);
    assert_int_equal(found.count, 1);
    assert_true(in[0].enter.lo <= 1 && in[0].enter.hi == 1 && in[0].enter.lo > 1 - 1e-6);
    abut_motion_release(flat);
    abut_motion_release(mirrored);
    abut_shape_release(egg);
}

/* Aspect 1e6 in radii and in maps; centres up to 1e9 apart; one body 1e6 times the other. */
static void test_extremes(void **state)
{
    (void)state;
    const uint64_t count = test_count(60);
    tally all = { 0 };
    for (uint64_t seed = 1; seed <= count; ++seed) {
        test_random r = test_seed(seed + 5000);
        pair p = { 0 };
        const int kind = (int)(seed % 3);
        const double thin = kind == 0 ? 1e-6 : 0.5, far = kind == 1 ? 1e9 : 3, tiny = kind == 2 ? 1e-6 : 1;
        p.oa.radii = v3(1, thin * test_uniform(&r, 1, 2), test_uniform(&r, 0.2, 1));
        p.ob.radii = v3(tiny * test_uniform(&r, 0.2, 1), tiny * 0.7, tiny * test_uniform(&r, 0.2, 1));
        make_course(&r, NLERP, 1, &p.ca);
        p.cb.oracle = (oracle_motion){
            .type = ABUT_MOTION_AFFINE, .t0 = 0, .t1 = 1, .matrix_count = 2 + test_below(&r, 2)
        };
        for (size_t i = 0; i < p.cb.oracle.matrix_count; ++i)
            p.cb.oracle.matrices[i] = random_affine(&r, i ? far : 0.5, 0.3);
        make_affine(&p.cb);
        finish_pair(&p);
        answer found;
        (void)ask_and_judge(&p, seed, &found, &all);
        free_pair(&p);
    }
    report("extremes", &all);
    assert_true(all.doubtful <= 1 + all.cases / 20);
    assert_int_equal(all.wide, 0);
}

/* Discs and needles of aspect 1e4 and 1e6 against each other, under all kinds of motions. F has
 * its greatest value next to an end of u there, at 1e-8 and less. */
static void test_thin(void **state)
{
    (void)state;
    const uint64_t count = test_count(40);
    tally all = { 0 };
    for (uint64_t seed = 1; seed <= count; ++seed) {
        test_random r = test_seed(seed + 7000);
        pair p = { 0 };
        const double thin = seed % 2 ? 1e-4 : 1e-6;
        abut_vec3 *const radii[2] = { &p.oa.radii, &p.ob.radii };
        for (int k = 0; k < 2; ++k) {
            double h[3];
            for (int i = 0; i < 3; ++i)
                h[i] = pow(thin, test_uniform(&r, 0, 1));
            h[test_below(&r, 3)] = thin;
            h[test_below(&r, 3)] = 1;
            *radii[k] = v3(h[0], h[1], h[2]);
        }
        const int kind_a = test_below(&r, 2) ? AFFINE : (int)test_below(&r, KINDS);
        const int kind_b = test_below(&r, 2) ? AFFINE : (int)test_below(&r, KINDS);
        make_course(&r, kind_a, 1, &p.ca);
        make_course(&r, kind_b, 1, &p.cb);
        finish_pair(&p);
        answer found;
        if (ask_and_judge(&p, seed, &found, &all)) {
            abut_first_result first;
            assert_int_equal(abut_first_contact(p.a, p.ca.motion, p.b, p.cb.motion, NULL, NULL, &first),
                             ABUT_OK);
            TEST_CHECK(first.verdict != ABUT_FIRST_CONTACT || first.time.hi - first.time.lo <= 1e-12,
                       "seed %" PRIu64 ": first contact %g wide", seed, first.time.hi - first.time.lo);
        }
        free_pair(&p);
    }
    report("thin", &all);
    assert_true(all.doubtful <= 1 + all.cases / 10);
    assert_int_equal(all.wide, 0);
}

/* ---- what must not change ---- */

static bool overlap(abut_interval a, abut_interval b)
{
    return a.lo <= b.hi && b.lo <= a.hi;
}

static abut_interval reversed(abut_interval a)
{
    return (abut_interval){ (1 - a.hi) - 0x1p-52, (1 - a.lo) + 0x1p-52 };
}

static void test_symmetry(void **state)
{
    (void)state;
    const uint64_t count = test_count(100);
    for (uint64_t seed = 1; seed <= count; ++seed) {
        pair p, q, back = { 0 };
        make_random(seed, &p);
        const answer found = ask(&p, NULL);
        q = p;
        q.a = p.b;
        q.b = p.a;
        q.ca = p.cb;
        q.cb = p.ca;
        const answer swapped = ask(&q, NULL);
        TEST_CHECK(swapped.status == found.status, "seed %" PRIu64, seed);
        if (found.status == ABUT_OK && found.result.proof >= ABUT_PROOF_INTERVAL) {
            TEST_CHECK(swapped.result.count == found.result.count, "seed %" PRIu64, seed);
            for (size_t i = 0; i < found.result.count; ++i)
                TEST_CHECK(overlap(found.of[i].enter, swapped.of[i].enter) &&
                               overlap(found.of[i].exit, swapped.of[i].exit),
                           "seed %" PRIu64, seed);
            /* Split at 0.375: contacts there are cut, all else stays. */
            const abut_interval first = { 0, 0.375 }, rest = { 0.375, 1 };
            const answer left = ask(&p, &first), right = ask(&p, &rest);
            size_t cut = 0;
            for (size_t i = 0; i < found.result.count; ++i)
                cut += found.of[i].enter.hi < 0.375 && found.of[i].exit.lo > 0.375;
            TEST_CHECK(left.result.count + right.result.count == found.result.count + cut, "seed %" PRIu64,
                       seed);
            for (size_t i = 0; i < left.result.count; ++i)
                TEST_CHECK(overlap(left.of[i].enter, found.of[i].enter), "seed %" PRIu64, seed);
            for (size_t i = 0; i < right.result.count; ++i)
                TEST_CHECK(
                    overlap(right.of[i].exit, found.of[i + found.result.count - right.result.count].exit),
                    "seed %" PRIu64, seed);
        }
        if (found.status == ABUT_OK && p.ca.oracle.type == ABUT_MOTION_AFFINE &&
            p.cb.oracle.type == ABUT_MOTION_AFFINE) {
            back.oa = p.oa;
            back.ob = p.ob;
            back.ca.oracle = p.ca.oracle;
            back.cb.oracle = p.cb.oracle;
            for (size_t i = 0; i < p.ca.oracle.matrix_count; ++i)
                back.ca.oracle.matrices[i] = p.ca.oracle.matrices[p.ca.oracle.matrix_count - 1 - i];
            for (size_t i = 0; i < p.cb.oracle.matrix_count; ++i)
                back.cb.oracle.matrices[i] = p.cb.oracle.matrices[p.cb.oracle.matrix_count - 1 - i];
            make_affine(&back.ca);
            make_affine(&back.cb);
            finish_pair(&back);
            const answer turned = ask(&back, NULL);
            const size_t n = found.result.count;
            TEST_CHECK(turned.result.count == n, "seed %" PRIu64, seed);
            for (size_t i = 0; i < n; ++i)
                TEST_CHECK(overlap(reversed(turned.of[n - 1 - i].exit), found.of[i].enter) &&
                               overlap(reversed(turned.of[n - 1 - i].enter), found.of[i].exit),
                           "seed %" PRIu64, seed);
            free_pair(&back);
        }
        free_pair(&p);
    }
}

/* ---- independent motions ---- */

static void judge_cover(const pair *p, uint64_t seed, const abut_cover_interval *of, size_t count,
                        bool exchanged, test_random *r)
{
    enum { TIMES = 4, OTHERS = 24 };
    for (int i = 0; i < TIMES; ++i) {
        const double s = test_uniform(r, 0, 1);
        bool apart = false, deep = false;
        for (int k = 0; k <= OTHERS; ++k) {
            const double t = (double)k / OTHERS;
            const double gap = exchanged ? oracle_ellipsoids_gap(&p->oa, t, &p->ob, s)
                                         : oracle_ellipsoids_gap(&p->oa, s, &p->ob, t);
            apart = apart || gap > 0;
            deep = deep || gap < 0;
        }
        for (size_t k = 0; k < count; ++k) {
            if (!(s >= of[k].from.hi && s <= of[k].to.lo))
                continue;
            TEST_CHECK(of[k].cover != ABUT_COVER_SEPARATE || !deep,
                       "seed %" PRIu64 " at %a: reported separate", seed, s);
            TEST_CHECK(of[k].cover != ABUT_COVER_PENETRATING || !apart,
                       "seed %" PRIu64 " at %a: reported deep", seed, s);
            TEST_CHECK(of[k].cover != ABUT_COVER_TOUCHING || apart || deep, "seed %" PRIu64, seed);
        }
    }
}

/* At an extreme point of s the gap is zero within the box, and just beyond its ends of s all of
 * t has one sign on one side. */
static void judge_extreme(const pair *p, uint64_t seed, const abut_extreme_point *at)
{
    const double s = 0.5 * (at->s.lo + at->s.hi), t = 0.5 * (at->t.lo + at->t.hi);
    const double gap = oracle_ellipsoids_gap(&p->oa, s, &p->ob, t);
    TEST_CHECK(fabs(gap) < 1e-4, "seed %" PRIu64 " s %a t %a: gap %g", seed, s, t, gap);
    TEST_CHECK(at->u.lo >= 0 && at->u.lo <= at->u.hi && at->u.hi <= 1, "seed %" PRIu64, seed);
}

static void test_independent(void **state)
{
    (void)state;
    const uint64_t count = test_count(8);
    uint64_t extremes = 0, unique = 0, unknown = 0, cases = 0;
    for (uint64_t seed = 1; seed <= count; ++seed) {
        test_random r = test_seed(seed + 900);
        pair p = { 0 };
        abut_cover_interval s[MOST], t[MOST];
        abut_extreme_point es[MOST], et[MOST];
        abut_independent_result found;
        p.oa.radii = v3(test_uniform(&r, 0.3, 1), test_uniform(&r, 0.3, 1), test_uniform(&r, 0.3, 1));
        p.ob.radii = v3(test_uniform(&r, 0.3, 1), test_uniform(&r, 0.3, 1), test_uniform(&r, 0.3, 1));
        make_course(&r, test_below(&r, 3) ? AFFINE : (int)test_below(&r, KEYFRAMES), 2, &p.ca);
        make_course(&r, test_below(&r, 3) ? AFFINE : (int)test_below(&r, KEYFRAMES), 2, &p.cb);
        finish_pair(&p);
        abut_independent_opts opts;
        abut_independent_opts_init(&opts);
        opts.s = opts.t = (abut_interval){ 0, 1 };
        opts.accuracy = 1e-6;
        opts.max_iterations = 40000;
        const abut_status status = abut_independent_contact(p.a, p.ca.motion, p.b, p.cb.motion, &opts, NULL,
                                                            s, MOST, t, MOST, es, MOST, et, MOST, &found);
        TEST_CHECK(status == ABUT_OK || status == ABUT_ERR_VALUE, "seed %" PRIu64 " status %d", seed, status);
        if (status == ABUT_OK) {
            ++cases;
            assert_true(found.s_count > 0 && found.s_count <= MOST && found.t_count > 0 &&
                        found.t_count <= MOST);
            assert_true(s[0].from.lo == 0 && s[found.s_count - 1].to.hi == 1);
            for (size_t i = 0; i + 1 < found.s_count; ++i)
                assert_true(s[i].to.lo == s[i + 1].from.lo && s[i].to.hi == s[i + 1].from.hi);
            judge_cover(&p, seed, s, found.s_count, false, &r);
            judge_cover(&p, seed, t, found.t_count, true, &r);
            for (size_t i = 0; i < found.s_extremes; ++i, ++extremes) {
                judge_extreme(&p, seed, &es[i]);
                unique += es[i].unique;
            }
            for (size_t i = 0; i < found.t_extremes; ++i, ++extremes) {
                judge_extreme(&p, seed, &et[i]);
                unique += et[i].unique;
            }
            unknown += found.proof < ABUT_PROOF_INTERVAL;
        }
        free_pair(&p);
    }
    print_message("%" PRIu64 " independent: %" PRIu64 " extreme points, %" PRIu64 " proved unique; %" PRIu64
                  " undecided\n",
                  cases, extremes, unique, unknown);
    assert_true(unknown <= 1 + cases / 2); /* few cases say nothing */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_random_motions), cmocka_unit_test(test_singular),
        cmocka_unit_test(test_extremes),       cmocka_unit_test(test_thin),
        cmocka_unit_test(test_symmetry),       cmocka_unit_test(test_independent),
    };
    oracle_ellipsoids_begin();
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    oracle_ellipsoids_end();
    return failed;
}
