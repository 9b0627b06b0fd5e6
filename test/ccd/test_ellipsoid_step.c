/* SPDX-License-Identifier: MIT */
/* A step of two characters: the boxers, frame by frame, and bodies drawn at random, against two
 * solvers of single pairs and against dense samples in long double. */
#include "../../examples/boxers.h"
#include "abut/ellipsoid.h"
#include "oracle/ellipsoid_factor.h"
#include "support/failing_allocator.h"
#include "support/places.h"

extern int abut_step_force_plain; /* ccd/step_filter.h */

/* ---- judging a step ---- */

typedef struct bodies {
    abut_shape *shape[64];
    abut_motion *motion[64];
} bodies;

static void make_bodies(const abut_moving_ellipsoid *e, size_t count, bodies *out)
{
    for (size_t i = 0; i < count; ++i) {
        const abut_placement from = abut_placement_from_pose(e[i].from),
                             to = abut_placement_from_pose(e[i].to);
        assert_int_equal(abut_shape_create_ellipsoid(e[i].radii, NULL, &out->shape[i]), ABUT_OK);
        assert_int_equal(abut_motion_create_nlerp(0, 1, &from, &to, NULL, &out->motion[i], NULL), ABUT_OK);
    }
}

static void free_bodies(bodies *of, size_t count)
{
    for (size_t i = 0; i < count; ++i) {
        abut_shape_release(of->shape[i]);
        abut_motion_release(of->motion[i]);
    }
}

enum { SAMPLES = 24 };

/* Never apart where the step says so, never together before the first contact. `hair`: how sure
 * the referee is of the factor. */
static void judge_by_samples(const abut_moving_ellipsoid *a, const abut_moving_ellipsoid *b,
                             const abut_step_contact *c, long double hair, uint64_t seed)
{
    const double until = !c ? 1 : c->verdict == ABUT_FIRST_OVERLAPPING ? 0 : c->time.lo;
    for (int i = 0; i <= SAMPLES && until > 0; ++i) {
        const double t = until * i / SAMPLES;
        const long double f = ref_contact(a, b, t);
        /* A touch at the start from which they part is none. */
        TEST_CHECK(f > 1 - hair, "seed %" PRIu64 ": they meet at %a, factor %.20Lg, before %a", seed, t, f,
                   until);
    }
    if (c && c->verdict != ABUT_FIRST_UNDECIDED) {
        const long double f = ref_contact(a, b, c->time.hi);
        TEST_CHECK(f < 1 + hair, "seed %" PRIu64 ": apart at %a, factor %.20Lg", seed, c->time.hi, f);
        TEST_CHECK(c->verdict != ABUT_FIRST_OVERLAPPING || c->time.hi == 0, "seed %" PRIu64 ": begins at %a",
                   seed, c->time.hi);
    }
}

/* The same pair by the solver of convex bodies, and by the zeros of the characteristic
 * polynomial. */
static void judge_by_methods(const bodies *a, size_t i, const bodies *b, size_t j, const abut_step_contact *c,
                             abut_workspace *ws, uint64_t seed)
{
    static const abut_first_method methods[2] = { ABUT_METHOD_ADVANCEMENT, ABUT_METHOD_SHOOTING };
    for (int k = 0; k < 2; ++k) {
        abut_first_opts opts;
        abut_first_opts_init(&opts);
        opts.method = methods[k];
        abut_first_result r;
        const char *name = abut_first_method_name(methods[k]);
        assert_int_equal(
            abut_first_contact(a->shape[i], a->motion[i], b->shape[j], b->motion[j], &opts, ws, &r), ABUT_OK);
        if (r.verdict == ABUT_FIRST_UNDECIDED || (c && c->verdict == ABUT_FIRST_UNDECIDED))
            continue;
        const abut_first_verdict found = c ? c->verdict : ABUT_FIRST_SEPARATE;
        TEST_CHECK(r.verdict == found, "seed %" PRIu64 ", pair %zu %zu: %s, by %s %s at [%a, %a]", seed, i, j,
                   abut_first_verdict_name(found), name, abut_first_verdict_name(r.verdict), r.time.lo,
                   r.time.hi);
        if (c)
            TEST_CHECK(c->time.lo <= r.time.hi && r.time.lo <= c->time.hi,
                       "seed %" PRIu64 ", pair %zu %zu: at [%a, %a], by %s at [%a, %a]", seed, i, j,
                       c->time.lo, c->time.hi, name, r.time.lo, r.time.hi);
    }
}

static abut_step_contact contacts[4096], contacts_plain[4096];

/* Runs a step as it is and without vectors, and returns the number of contacts. */
static size_t run_step(const abut_moving_ellipsoid *a, size_t a_count, const abut_moving_ellipsoid *b,
                       size_t b_count, abut_workspace *ws, abut_step_counters *counters)
{
    size_t count, again;
    abut_step_counters plain;
    assert_int_equal(abut_ellipsoid_step(a, a_count, b, b_count, ws, contacts, 4096, &count, counters),
                     ABUT_OK);
    memset(contacts_plain, 0, count * sizeof *contacts_plain);
    abut_step_force_plain = 1;
    assert_int_equal(abut_ellipsoid_step(a, a_count, b, b_count, ws, contacts_plain, 4096, &again, &plain),
                     ABUT_OK);
    abut_step_force_plain = 0;
    assert_int_equal(count, again);
    assert_memory_equal(counters, &plain, sizeof plain);
    for (size_t i = 0; i < count; ++i) {
        const abut_step_contact *x = contacts + i, *y = contacts_plain + i;
        assert_true(x->a == y->a && x->b == y->b && x->verdict == y->verdict);
        assert_memory_equal(&x->time, &y->time, sizeof x->time);
        assert_memory_equal(&x->point, &y->point, sizeof x->point);
        assert_memory_equal(&x->normal, &y->normal, sizeof x->normal);
        assert_true(i == 0 || x[-1].a < x->a || (x[-1].a == x->a && x[-1].b < x->b));
    }
    assert_int_equal(counters->pairs, a_count * b_count);
    assert_int_equal(counters->pairs, counters->sphere_culled + counters->plane_culled + counters->exact);
    assert_int_equal(counters->contacts, count);
    return count;
}

static const abut_step_contact *find(size_t count, size_t a, size_t b)
{
    for (size_t i = 0; i < count; ++i)
        if (contacts[i].a == a && contacts[i].b == b)
            return contacts + i;
    return NULL;
}

/* ---- tests ---- */

static void test_boxers(void **state)
{
    (void)state;
    abut_workspace *ws;
    assert_int_equal(abut_workspace_create(NULL, &ws), ABUT_OK);
    abut_step_counters all = { 0 };
    /* four frames apart and more */
    const int stride = (int)(BOXERS_FRAMES / test_count(BOXERS_FRAMES / 4));
    int frames = 0;
    for (int frame = 0; frame<BOXERS_FRAMES; frame += stride> 4 ? stride : 4, ++frames) {
        abut_moving_ellipsoid a[BOXERS_PARTS], b[BOXERS_PARTS];
        boxers_move(0, frame, a);
        boxers_move(1, frame, b);
        abut_step_counters counters;
        const size_t count = run_step(a, BOXERS_PARTS, b, BOXERS_PARTS, ws, &counters);
        all.pairs += counters.pairs;
        all.sphere_culled += counters.sphere_culled;
        all.plane_culled += counters.plane_culled;
        all.exact += counters.exact;
        all.contacts += counters.contacts;
        bodies sa, sb;
        make_bodies(a, BOXERS_PARTS, &sa);
        make_bodies(b, BOXERS_PARTS, &sb);
        for (size_t i = 0; i < BOXERS_PARTS; ++i)
            for (size_t j = 0; j < BOXERS_PARTS; ++j) {
                const abut_step_contact *c = find(count, i, j);
                assert_true(!c || c->verdict != ABUT_FIRST_UNDECIDED);
                /* All pairs now and then; near ones in all frames. */
                const long double f = ref_contact(&a[i], &b[j], 0);
                if (c || f < 3 || frames % 25 == 0)
                    judge_by_samples(&a[i], &b[j], c, 1e-15L, (uint64_t)frame);
                if (c || f < 2 || frames % 100 == 0)
                    judge_by_methods(&sa, i, &sb, j, c, ws, (uint64_t)frame);
                if (c && c->verdict == ABUT_FIRST_CONTACT)
                    TEST_CHECK(c->time.hi - c->time.lo < 1e-9, "frame %d, pair %zu %zu: at [%a, %a]", frame,
                               i, j, c->time.lo, c->time.hi);
            }
        free_bodies(&sa, BOXERS_PARTS);
        free_bodies(&sb, BOXERS_PARTS);
    }
    /* Filters that let all through, or motions without contacts, would prove nothing. */
    const double pairs = (double)all.pairs;
    assert_true((double)all.sphere_culled > 0.93 * pairs && (double)all.sphere_culled < 0.99 * pairs);
    assert_true((double)all.plane_culled > 0.5 * (double)(all.pairs - all.sphere_culled));
    assert_true((double)all.exact < 0.03 * pairs && (double)all.contacts > 0.003 * pairs);
    abut_workspace_destroy(ws);
}

static abut_moving_ellipsoid random_body(test_random *r, double room, double aspect, double turn)
{
    abut_moving_ellipsoid e;
    double *radii = &e.radii.x;
    for (int i = 0; i < 3; ++i)
        radii[i] = fabs(test_log_uniform(r, -aspect, 0));
    e.from = (abut_pose){ random_vec3(r, room), random_quat(r) };
    const abut_vec3 step = random_vec3(r, test_below(r, 2) ? 1 : 0.1);
    e.to.position =
        (abut_vec3){ e.from.position.x + step.x, e.from.position.y + step.y, e.from.position.z + step.z };
    const abut_quat q = random_quat(r), p = e.from.rotation;
    e.to.rotation = (abut_quat){ p.w + turn * q.w, p.x + turn * q.x, p.y + turn * q.y, p.z + turn * q.z };
    if (test_below(r, 8) == 0)
        e.to = e.from; /* at rest */
    return e;
}

static void test_random_bodies(void **state)
{
    (void)state;
    abut_workspace *ws;
    assert_int_equal(abut_workspace_create(NULL, &ws), ABUT_OK);
    uint64_t met = 0, culled = 0;
    for (uint64_t seed = 0; seed < test_count(150); ++seed) {
        test_random r = test_seed(seed);
        const double aspect = seed % 3 == 0 ? 2 : seed % 3 == 1 ? 5 : 10;
        const double turn = seed % 2 ? 0.1 : 2;
        enum { COUNT_A = 5, COUNT_B = 7 };
        abut_moving_ellipsoid a[COUNT_A], b[COUNT_B];
        for (int i = 0; i < COUNT_A; ++i)
            a[i] = random_body(&r, 1.5, aspect, turn);
        for (int i = 0; i < COUNT_B; ++i)
            b[i] = random_body(&r, 1.5, aspect, turn);
        abut_step_counters counters;
        const size_t count = run_step(a, COUNT_A, b, COUNT_B, ws, &counters);
        met += count;
        culled += counters.plane_culled;
        bodies sa, sb;
        make_bodies(a, COUNT_A, &sa);
        make_bodies(b, COUNT_B, &sb);
        for (size_t i = 0; i < COUNT_A; ++i)
            for (size_t j = 0; j < COUNT_B; ++j) {
                const abut_step_contact *c = find(count, i, j);
                judge_by_samples(&a[i], &b[j], c, 1e-11L, seed);
                if (seed % 4 == 0)
                    judge_by_methods(&sa, i, &sb, j, c, ws, seed);
            }
        free_bodies(&sa, COUNT_A);
        free_bodies(&sb, COUNT_B);
    }
    assert_true(met > 0 && culled > 0);
    abut_workspace_destroy(ws);
}

static abut_moving_ellipsoid slider(double rx, double x0, double x1)
{
    const abut_quat none = { 1, 0, 0, 0 };
    return (
        abut_moving_ellipsoid){ { rx, 0.5 * rx, 0.25 * rx }, { { x0, 0, 0 }, none }, { { x1, 0, 0 }, none } };
}

/* Times that are known, from sizes whose squares underflow to sizes whose fourth powers
 * overflow. */
static void test_sizes(void **state)
{
    (void)state;
    for (int power = -300; power <= 150; power += 50) {
        const double s = pow(10, power);
        const abut_moving_ellipsoid a = slider(s, 0, 0);
        const abut_moving_ellipsoid near = slider(s, 3 * s, s), far = slider(s, 4 * s, 2.5 * s),
                                    inside = slider(0.5 * s, 0.1 * s, 9 * s);
        const abut_moving_ellipsoid b[3] = { near, far, inside };
        abut_step_counters counters;
        size_t count;
        const abut_status status = abut_ellipsoid_step(&a, 1, b, 3, NULL, contacts, 16, &count, &counters);
        assert_int_equal(status, ABUT_OK);
        TEST_CHECK(count == 2, "size 1e%d: %zu contacts", power, count);
        TEST_CHECK(contacts[0].b == 0 && contacts[0].verdict == ABUT_FIRST_CONTACT &&
                       contacts[0].time.lo <= 0.5 && contacts[0].time.hi >= 0.5 - 0x1p-50 &&
                       contacts[0].time.lo > 0.5 - 1e-9,
                   "size 1e%d: verdict %d at [%a, %a]", power, contacts[0].verdict, contacts[0].time.lo,
                   contacts[0].time.hi);
        TEST_CHECK(contacts[1].b == 2 && contacts[1].verdict == ABUT_FIRST_OVERLAPPING,
                   "size 1e%d: verdict %d", power, contacts[1].verdict);
    }
}

/* Balls and ellipsoids that pass each other at a hair's breadth: neither lost nor made up. */
static void test_grazing(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < test_count(400); ++seed) {
        test_random r = test_seed(seed);
        const double gap = test_log_uniform(&r, -52, -20), turn = test_uniform(&r, -0.4, 0.4);
        const abut_quat none = { 1, 0, 0, 0 }, about_z = { 1, 0, 0, turn };
        /* Both turn about z only and have round sections across it, so that their reach along z
         * does not change. */
        const abut_moving_ellipsoid a = { { 0.7, 0.7, 0.5 },
                                          { { -2, 0.1, 0 }, none },
                                          { { 2, -0.2, 0 }, about_z } };
        const abut_moving_ellipsoid b = { { 0.3, 0.3, 0.25 },
                                          { { 2, 0.1, 0.75 + gap }, about_z },
                                          { { -2, -0.2, 0.75 + gap }, none } };
        size_t count;
        abut_step_counters counters;
        assert_int_equal(abut_ellipsoid_step(&a, 1, &b, 1, NULL, contacts, 1, &count, &counters), ABUT_OK);
        const bool meet = 0.75 + gap <= 0.75;
        TEST_CHECK(meet ? count == 1 : (count == 0 || contacts[0].verdict == ABUT_FIRST_UNDECIDED),
                   "seed %" PRIu64 ": gap %a, %zu contacts, verdict %d", seed, gap, count,
                   contacts[0].verdict);
    }
}

static void test_arguments(void **state)
{
    (void)state;
    const abut_moving_ellipsoid good = slider(1, 0, 1);
    size_t count = 7;
    abut_step_counters counters;
    assert_int_equal(abut_ellipsoid_step(&good, 1, &good, 1, NULL, NULL, 0, &count, NULL), ABUT_OK);
    assert_int_equal(count, 1);
    assert_int_equal(abut_ellipsoid_step(NULL, 0, &good, 1, NULL, NULL, 0, &count, &counters), ABUT_OK);
    assert_true(count == 0 && counters.pairs == 0);
    assert_int_equal(abut_ellipsoid_step(&good, 1, NULL, 0, NULL, NULL, 0, &count, &counters), ABUT_OK);
    assert_int_equal(abut_ellipsoid_step(NULL, 1, &good, 1, NULL, NULL, 0, &count, NULL), ABUT_ERR_ARGUMENT);
    assert_int_equal(abut_ellipsoid_step(&good, 1, &good, 1, NULL, NULL, 1, &count, NULL), ABUT_ERR_ARGUMENT);
    assert_int_equal(abut_ellipsoid_step(&good, 1, &good, 1, NULL, NULL, 0, NULL, NULL), ABUT_ERR_ARGUMENT);
    const double wrong[] = { 0, -1, NAN, INFINITY };
    for (size_t k = 0; k < 17; ++k)
        for (size_t w = 0; w < 4; ++w) {
            abut_moving_ellipsoid bad = good;
            double *fields = &bad.radii.x;
            if (k >= 3 && w < 2) /* any place and turn is good */
                continue;
            fields[k] = wrong[w];
            assert_int_equal(abut_ellipsoid_step(&good, 1, &bad, 1, NULL, NULL, 0, &count, NULL),
                             ABUT_ERR_ARGUMENT);
            assert_int_equal(abut_ellipsoid_step(&bad, 1, &good, 1, NULL, NULL, 0, &count, NULL),
                             ABUT_ERR_ARGUMENT);
        }
    abut_moving_ellipsoid still = good;
    still.to.rotation = (abut_quat){ 0, 0, 0, 0 };
    assert_int_equal(abut_ellipsoid_step(&good, 1, &still, 1, NULL, NULL, 0, &count, NULL),
                     ABUT_ERR_ARGUMENT);
}

/* ---- memory ---- */

static void test_memory(void **state)
{
    (void)state;
    abut_moving_ellipsoid a[BOXERS_PARTS], b[BOXERS_PARTS];
    boxers_move(0, 20, a);
    boxers_move(1, 20, b);
    size_t count;
    abut_status status = ABUT_OK;
    TEST_EVERY_ALLOCATION_FAILS(
        alloc,
        {
            abut_workspace *ws;
            status = abut_workspace_create(&alloc, &ws);
            if (!status) {
                status =
                    abut_ellipsoid_step(a, BOXERS_PARTS, b, BOXERS_PARTS, ws, contacts, 4096, &count, NULL);
                if (status)
                    assert_int_equal(count, 0);
                abut_workspace_destroy(ws);
            }
        },
        status);
    assert_int_equal(status, ABUT_OK);
    /* A warm workspace needs no more. */
    test_failing counter = { .fail_at = UINT64_MAX };
    const abut_allocator alloc = { test_failing_reallocate, test_failing_release, &counter };
    abut_workspace *ws;
    uint64_t requests = 0;
    assert_int_equal(abut_workspace_create(&alloc, &ws), ABUT_OK);
    for (int k = 0; k < 4; ++k) {
        requests = counter.requests;
        assert_int_equal(
            abut_ellipsoid_step(a, BOXERS_PARTS, b, BOXERS_PARTS, ws, contacts, 4096, &count, NULL), ABUT_OK);
    }
    assert_int_equal(counter.requests, requests);
    abut_workspace_destroy(ws);
    assert_int_equal(counter.outstanding_bytes, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_boxers),  cmocka_unit_test(test_random_bodies), cmocka_unit_test(test_sizes),
        cmocka_unit_test(test_grazing), cmocka_unit_test(test_arguments),     cmocka_unit_test(test_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
