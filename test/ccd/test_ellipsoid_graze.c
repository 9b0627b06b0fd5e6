/* SPDX-License-Identifier: MIT */
/* Two moving ellipsoids that nearly touch: grazes and short contacts by construction, close
 * passes, fast ones, contacts between neighbouring doubles. */
#include "ccd/test_ellipsoid_support.h"

/* The time near `guess` at which the gap is least, by golden sections. */
static double closest(const pair *p, double lo, double hi)
{
    const double golden = 0.3819660112501051;
    double x = lo + golden * (hi - lo), fx = gap_at(p, x);
    for (int i = 0; i < 60 && hi - lo > 1e-9; ++i) {
        const double y = x - lo > hi - x ? x - golden * (x - lo) : x + golden * (hi - x), fy = gap_at(p, y);
        if (fy < fx) {
            *(y < x ? &hi : &lo) = x;
            x = y;
            fx = fy;
        } else
            *(y < x ? &lo : &hi) = y;
    }
    return x;
}

/* Two affine motions of which b is moved until their closest approach is a touch, as far as
 * doubles allow, and then by `deeper`. */
static bool make_graze(uint64_t seed, int degree, double deeper, pair *p, double *at)
{
    test_random r = test_seed(seed);
    *p = (pair){ 0 };
    p->oa.radii = v3(test_uniform(&r, 0.2, 1), test_uniform(&r, 0.2, 1), test_uniform(&r, 0.2, 1));
    p->ob.radii = v3(test_uniform(&r, 0.2, 1), test_uniform(&r, 0.2, 1), test_uniform(&r, 0.2, 1));
    course *const of[2] = { &p->ca, &p->cb };
    for (int k = 0; k < 2; ++k) {
        oracle_motion *o = &of[k]->oracle;
        *o = (oracle_motion){
            .type = ABUT_MOTION_AFFINE, .t0 = 0, .t1 = 1, .matrix_count = (size_t)degree + 1
        };
        for (int i = 0; i <= degree; ++i)
            o->matrices[i] = random_affine(&r, 2, degree ? 0.4 : 0);
    }
    p->oa.motion = &p->ca.oracle;
    p->ob.motion = &p->cb.oracle;
    *at = 0.5;
    const abut_vec3 away = random_vec3(&r, 1);
    const double length = sqrt(away.x * away.x + away.y * away.y + away.z * away.z);
    double lo = 0, hi = 8;
    /* From far along `away` inwards, the first distance at which the least gap is zero. */
    oracle_motion *o = &p->cb.oracle;
    const oracle_motion start = *o;
    for (int i = 0; i < 70; ++i) {
        const double mid = 0.5 * (lo + hi), step = mid / length;
        for (int k = 0; k <= degree; ++k) {
            o->matrices[k].translation.x = start.matrices[k].translation.x + step * away.x;
            o->matrices[k].translation.y = start.matrices[k].translation.y + step * away.y;
            o->matrices[k].translation.z = start.matrices[k].translation.z + step * away.z;
        }
        if (!(mid > lo && mid < hi))
            break;
        double least = INFINITY, t = 0;
        const int samples = i < 6 ? 24 : 0;
        for (int k = 0; k <= samples && i < 6; ++k)
            if (gap_at(p, (double)k / 24) < least) {
                least = gap_at(p, (double)k / 24);
                t = (double)k / 24;
            }
        if (i >= 6)
            t = *at;
        const double reach = i < 6 ? 0.05 : i < 30 ? 0.01 : 1e-4;
        *at = closest(p, fmax(t - reach, 0), fmin(t + reach, 1));
        least = gap_at(p, *at);
        *(least > 0 ? &hi : &lo) = mid;
    }
    const double end = (hi - deeper) / length;
    for (int k = 0; k <= degree; ++k) {
        o->matrices[k].translation.x = start.matrices[k].translation.x + end * away.x;
        o->matrices[k].translation.y = start.matrices[k].translation.y + end * away.y;
        o->matrices[k].translation.z = start.matrices[k].translation.z + end * away.z;
    }
    make_affine(&p->ca);
    make_affine(&p->cb);
    finish_pair(p);
    return *at > 0.02 && *at < 0.98;
}

/* Whatever is reported is right; how much is not decided is counted. */
static void test_grazes(void **state)
{
    (void)state;
    const uint64_t count = test_count(6);
    tally all = { 0 };
    for (uint64_t seed = 1; seed <= count; ++seed)
        for (int kind = 0; kind < 3; ++kind) {
            static const double deeper[] = { 0, 1e-13, 1e-11 };
            pair p;
            double at;
            const bool inside = make_graze(seed, 1 + (int)(seed % 4), deeper[kind], &p, &at);
            const answer found = ask(&p, NULL);
            if (found.status == ABUT_ERR_VALUE)
                ++all.singular;
            else {
                ++all.cases;
                judge(&p, seed, &found, (abut_interval){ 0, 1 }, 40, &all);
                if (inside && gap_at(&p, at) < 0) { /* not missed, however short */
                    bool held = false;
                    for (size_t i = 0; i < found.result.count; ++i)
                        held = held || (found.of[i].enter.lo <= at && at <= found.of[i].exit.hi);
                    TEST_CHECK(held, "seed %" PRIu64 " kind %d: contact at %a missed", seed, kind, at);
                }
            }
            free_pair(&p);
        }
    print_message("%" PRIu64 " grazes: %" PRIu64 " intervals, %" PRIu64 " undecided, %" PRIu64
                  " ends wider than 1e-12, widest %g, %" PRIu64 " steps\n",
                  all.cases, all.intervals, all.doubtful, all.wide, all.widest, all.steps);
    assert_true(all.doubtful <= 1 + all.cases / 20);
}

/* Side by side along x, radii 1 and 0.5, b passing along y at a distance of 1.5 (1 + k ulp): a
 * touch at exactly one instant, a miss, or a contact of 1e-7 and less. */
static void test_passing(void **state)
{
    (void)state;
    const double speeds[] = { 4, 256, 4096 };
    double touch = 0;
    for (int k = -6; k <= 6; ++k)
        for (size_t i = 0; i < 3; ++i)
            for (int degree = 1; degree <= 3; ++degree) {
                pair p = { 0 };
                tally all = { 0 };
                p.oa.radii = v3(1, 0.5, 0.75);
                p.ob.radii = v3(0.5, 0.25, 1);
                p.ca.oracle = (oracle_motion){ .type = ABUT_MOTION_STATIC };
                assert_int_equal(abut_motion_create_static(&p.ca.oracle.from, NULL, &p.ca.motion, NULL),
                                 ABUT_OK);
                p.cb.oracle = (oracle_motion){
                    .type = ABUT_MOTION_AFFINE, .t0 = 0, .t1 = 1, .matrix_count = (size_t)degree + 1
                };
                const double x = 1.5 + k * 0x1p-52;
                for (int j = 0; j <= degree; ++j) {
                    abut_affine *m = &p.cb.oracle.matrices[j];
                    *m = (abut_affine){ .linear = { { { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 } } } };
                    m->translation = v3(x, speeds[i] * ((double)j / degree - 0.5), 0);
                }
                make_affine(&p.cb);
                finish_pair(&p);
                const answer found = ask(&p, NULL);
                judge(&p, (uint64_t)(k + 6), &found, (abut_interval){ 0, 1 }, 16, &all);
                if (k != 0) {
                    TEST_CHECK(all.doubtful == 0 && found.result.count == (k < 0),
                               "k %d speed %g degree %d: %zu", k, speeds[i], degree, found.result.count);
                    assert_int_equal(all.wide, 0);
                } else { /* proved to touch at 0.5, and apart but for a few ulp next to it */
                    /* Thirds of speeds are rounded: of degree 3 the instant is not a double, and
                     * only possible. */
                    TEST_CHECK(found.result.count == 1 &&
                                   (degree == 3 || (all.doubtful == 0 && found.of[0].enter.hi == 0.5 &&
                                                    found.of[0].exit.lo == 0.5)),
                               "speed %g degree %d: %zu", speeds[i], degree, found.result.count);
                    touch = fmax(touch, found.of[0].exit.hi - found.of[0].enter.lo);
                }
                free_pair(&p);
            }
    print_message("the longest touch that is one instant: %g\n", touch);
    assert_true(touch < 1e-12);
}

/* Fast ones, whose first contact is known far better than doubles can state it: x = from - (from
 * + to) t reaches 2. */
static void test_fast(void **state)
{
    (void)state;
    const uint64_t count = test_count(4000);
    abut_shape *ball;
    assert_int_equal(abut_shape_create_sphere(1, NULL, &ball), ABUT_OK);
    for (uint64_t seed = 0; seed < count; ++seed) {
        test_random r = test_seed(seed + 7700000);
        const double from = floor(test_uniform(&r, 8, 1 << 20)), to = floor(test_uniform(&r, 8, 1 << 20));
        const abut_affine way[2] = { { { { { -1, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 } } }, { from, 0, 0 } },
                                     { { { { -1, 0, 0 }, { 0, 1, 0 }, { 0, 0.25, 1 } } }, { -to, 0, 0 } } };
        abut_motion *motion;
        assert_int_equal(abut_motion_create_affine(0, 1, way, 2, NULL, &motion, NULL), ABUT_OK);
        for (int k = ABUT_METHOD_SHOOTING; k <= ABUT_METHOD_SAMPLED; ++k) {
            abut_first_opts opts;
            abut_first_result f;
            abut_first_opts_init(&opts);
            opts.method = (abut_first_method)k;
            assert_int_equal(abut_first_contact(ball, motion, ball, NULL, &opts, NULL, &f), ABUT_OK);
            assert_int_equal(f.verdict, ABUT_FIRST_CONTACT);
            double past[2];
            for (int i = 0; i < 2;
                 ++i) { /* x - 2: the product exactly, and what is left of it exactly, too */
                const double t = i ? f.time.hi : f.time.lo, product = (from + to) * t;
                past[i] = (from - 2 - product) - fma(from + to, t, -product);
            }
            TEST_CHECK(past[0] >= 0 && past[1] <= 0, "seed %" PRIu64 ": %a to %a of it", seed, past[0],
                       past[1]);
        }
        abut_motion_release(motion);
    }
    abut_shape_release(ball);
}

/* They touch between two doubles, by a referee of 113 bits, and part 6e-9 later; the enclosure
 * once began at the later one. */
static void test_between_doubles(void **state)
{
    (void)state;
    static const abut_affine way[5] = {
        { { { { 0x1.b01c2eff34f24p-1, 0x1.58209e089b184p-1, -0x1.0d43562c79249p-1 },
              { -0x1.8c8609f15c9eap-3, 0x1.57cdc8c8e1f16p-1, 0x1.58e370d042bbcp-1 },
              { 0x1.f1b12ccd724dap-1, -0x1.e5d8877761f02p-3, 0x1.439417c67cf48p-1 } } },
          { 0x1.291765a3ddff6p+0, -0x1.c09cdbf1e1eap-4, 0x1.ab89ccee4f1d4p+0 } },
        { { { { 0x1.6096cd32f5efep-1, 0x1.44d70ede8d8b8p-1, -0x1.2e0ebc1b3cf29p-1 },
              { -0x1.165b910b64655p-1, 0x1.18d816881946p-1, 0x1.3b06ee926cb3fp-1 },
              { 0x1.00a5f9744a902p+0, -0x1.e3bc2950ee92cp-3, 0x1.8f8c452bdc892p-1 } } },
          { -0x1.a9ad388f0eb2p+0, -0x1.a4e348d741ac4p-1, 0x1.bdd35af0bd714p-1 } },
        { { { { 0x1.50d6338e3abc1p-1, 0x1.9e47cbba3d318p-1, -0x1.2f2773e154c89p-1 },
              { -0x1.8467d8b405dfap-2, 0x1.4c5e8e2ad2958p-1, 0x1.2ca8883c8c8ccp-1 },
              { 0x1.ca3eda42a5a16p-1, -0x1.bf26c009015p-5, 0x1.9fbdf8f336954p-1 } } },
          { 0x1.00c5657932394p-1, 0x1.59c897e2a920cp+0, -0x1.fe81040256adp+0 } },
        { { { { 0x1.8181bc041b599p-1, 0x1.e3369818f76p-1, -0x1.4fd55b27cbacfp-2 },
              { -0x1.7d76e11ecd3f9p-2, 0x1.518f7c0f714b4p-2, 0x1.042dab4a45adbp-1 },
              { 0x1.5d6f63348c9f6p-1, -0x1.3311591eb3cap-6, 0x1.00ec171a67034p-1 } } },
          { -0x1.3b58e116bd01ap+0, 0x1.0cb400ca1a2aep+1, -0x1.2b729022fb2d4p+0 } },
        { { { { 0x1.b5a4b13d37fa5p-1, 0x1.cc7a3f2f0d642p-1, -0x1.a0ed09bfd4884p-2 },
              { -0x1.b9963ce015668p-2, 0x1.b8821a7065b65p-2, 0x1.245da128eb92ep-1 },
              { 0x1.58dfb3b89c18ep-1, -0x1.f94cccf108334p-4, 0x1.6c15d23436fcap-1 } } },
          { -0x1.34b262d91506cp-1, -0x1.25e3be38d1a9ep-1, 0x1.119a7d0065e4ep+0 } }
    };
    static const abut_affine place = {
        { { { 0x1.6a39e8cc48d48p-1, -0x1.7b5a5fed3361fp-2, -0x1.fded7f4d940e1p-3 },
            { 0x1.8ac5d51ffd41p-2, 0x1.2b793197fe189p-3, 0x1.9533dd353f987p-1 },
            { -0x1.29abe96a4fb9cp-2, -0x1.b4ff9bd86224ep-1, -0x1.f77e885f9e3fp-6 } } },
        { -0x1.027e259b38c34p+0, 0x1.0de4e5dadabdp-2, -0x1.d5a4222ff0562p-1 }
    };
    const abut_vec3 radii_a = { 0x1.ce78b460c5a7p-2, 0x1.63d0eca3a75a1p+0, 0x1.8e9b8d6fcfd5fp-3 };
    const abut_vec3 radii_b = { 0x1.b0cae50bce098p-5, 0x1.80501eb0be8fep-4, 0x1.3be7f81ccc4a9p-2 };
    abut_shape *a, *b;
    abut_motion *ma, *mb;
    abut_first_result f;
    assert_int_equal(abut_shape_create_ellipsoid(radii_a, NULL, &a), ABUT_OK);
    assert_int_equal(abut_shape_create_ellipsoid(radii_b, NULL, &b), ABUT_OK);
    assert_int_equal(abut_motion_create_affine(0, 1, way, 5, NULL, &ma, NULL), ABUT_OK);
    assert_int_equal(abut_motion_create_static_affine(&place, NULL, &mb, NULL), ABUT_OK);
    assert_int_equal(abut_first_contact(a, ma, b, mb, NULL, NULL, &f), ABUT_OK);
    assert_int_equal(f.verdict, ABUT_FIRST_CONTACT);
    assert_true(f.time.lo <= 0.50258302656140952 && f.time.hi >= 0.50258302656140963);
    abut_motion_release(ma);
    abut_motion_release(mb);
    abut_shape_release(a);
    abut_shape_release(b);
}

/* Along a graze the walk of convex bodies spends its budget; the first contact is found all the
 * same, and as soon. */
static void test_graze_after_walk(void **state)
{
    (void)state;
    static const double x[] = { 0.1, 3 };
    const abut_placement from = { .position = { 0, 0, 0 } };
    const abut_placement to = { .rotation = {
                                    .kind = ABUT_ROTATION_DEGREES, .axis = { 0, 0, 1 }, .angle = 90 } };
    abut_shape *a, *b;
    abut_motion *turns;
    assert_int_equal(abut_shape_create_ellipsoid((abut_vec3){ 1, 1, 0.5 }, NULL, &a), ABUT_OK);
    assert_int_equal(abut_shape_create_ellipsoid((abut_vec3){ 1, 0.5, 0.75 }, NULL, &b), ABUT_OK);
    assert_int_equal(abut_motion_create_screw(0, 1, &from, &to, NULL, &turns, NULL), ABUT_OK);
    for (int k = 0; k < 8; ++k) {
        const double deep = (k & 1 ? -1 : 1) * pow(10, -8 - (k >> 1)), z = 2 * (1.25 - deep);
        const abut_series position[3] = { { x, 2 }, { NULL, 0 }, { &z, 1 } }, none[4] = { { NULL, 0 } };
        abut_motion *passes;
        abut_first_result r;
        assert_int_equal(abut_motion_create_chebyshev(0, 1, position, none, NULL, &passes, NULL), ABUT_OK);
        assert_int_equal(abut_first_contact(a, turns, b, passes, NULL, NULL, &r), ABUT_OK);
        TEST_CHECK(r.verdict == (deep > 0 ? ABUT_FIRST_CONTACT : ABUT_FIRST_SEPARATE) &&
                       r.counters.iterations < 2000,
                   "by %g: %d after %" PRIu64, deep, (int)r.verdict, r.counters.iterations);
        abut_motion_release(passes);
    }
    abut_motion_release(turns);
    abut_shape_release(a);
    abut_shape_release(b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_grazes),           cmocka_unit_test(test_passing),
        cmocka_unit_test(test_graze_after_walk), cmocka_unit_test(test_fast),
        cmocka_unit_test(test_between_doubles),
    };
    oracle_ellipsoids_begin();
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    oracle_ellipsoids_end();
    return failed;
}
