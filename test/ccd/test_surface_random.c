/* SPDX-License-Identifier: MIT */
/* First contact of random smooth bodies against dense sampling and Newton's method
 * (test/oracle/surface_referee.h): no contact is missed or invented, the enclosures of the time
 * contain the referee's, isolated contacts are narrow, and the points are where the referee has
 * them. */
#include "abut/query.h"
#include "oracle/surface_cases.h"
#include "support/test.h"

enum { GRID = 24 };

/* What the referee may be off by: its equations are solved to some 1e-16 in time, its
 * derivatives by differences to 1e-10. */
static const double time_error = 1e-13, place_error = 1e-6;

typedef struct tally {
    uint64_t contacts, separate, unsure, undecided;
} tally;

static const char *describe(const surface_case *c, uint64_t seed)
{
    static char text[160];
    snprintf(text, sizeof text, "seed %" PRIu64 ": %s against %s", seed, c->kind[0], c->kind[1]);
    return text;
}

static void judge_contact(const surface_case *c, uint64_t seed, const referee_contact *truth,
                          const abut_first_result *r)
{
    const double t = (double)truth->time;
    const char *what = describe(c, seed);
    TEST_CHECK(r->verdict == ABUT_FIRST_CONTACT || r->verdict == ABUT_FIRST_UNDECIDED,
               "%s: %s, but they touch at %a (%.17g)", what, abut_first_verdict_name(r->verdict), t, t);
    TEST_CHECK(r->time.lo <= t + time_error && t - time_error <= r->time.hi,
               "%s: time [%a, %a], the referee's is %a (%.17g)", what, r->time.lo, r->time.hi, t, t);
    if (r->verdict != ABUT_FIRST_CONTACT || truth->rivals > 0)
        return;
    TEST_CHECK(r->time.hi - r->time.lo <= 1e-9, "%s: the time is %g wide", what, r->time.hi - r->time.lo);
    TEST_CHECK(r->point_count >= 1, "%s: no point", what);
    const double p[3] = { r->points[0].point.x, r->points[0].point.y, r->points[0].point.z };
    for (int i = 0; i < 3; ++i)
        TEST_CHECK(fabs(p[i] - (double)truth->point[i]) < place_error,
                   "%s: coordinate %d of the point is %.17g, the referee's %.17g", what, i, p[i],
                   (double)truth->point[i]);
}

static void judge(uint64_t seed, tally *n)
{
    surface_case c;
    referee_contact truth;
    abut_first_result r;
    surface_case_make(seed, true, &c);
    const abut_status status =
        abut_first_contact(c.shape[0], c.motion[0], c.shape[1], c.motion[1], NULL, NULL, &r);
    TEST_CHECK(status == ABUT_OK, "%s: %s", describe(&c, seed), abut_status_text(status));
    referee_first_contact(&c.body[0], &c.body[1], 1, GRID, &truth);
    n->undecided += r.verdict == ABUT_FIRST_UNDECIDED;
    switch (truth.verdict) {
    case REFEREE_CONTACT:
        ++n->contacts;
        judge_contact(&c, seed, &truth, &r);
        break;
    case REFEREE_SEPARATE:
        ++n->separate;
        TEST_CHECK(r.verdict == ABUT_FIRST_SEPARATE || r.verdict == ABUT_FIRST_UNDECIDED,
                   "%s: %s at %.17g, but the least gap is %Lg", describe(&c, seed),
                   abut_first_verdict_name(r.verdict), r.time.lo, truth.least);
        break;
    default: ++n->unsure;
    }
    surface_case_release(&c);
}

static void random_bodies(void **state)
{
    (void)state;
    const uint64_t count = test_count(150);
    tally n = { 0 };
    for (uint64_t seed = 1; seed <= count; ++seed)
        judge(seed, &n);
    print_message("%" PRIu64 " contacts, %" PRIu64 " separate, %" PRIu64 " the referee leaves open, %" PRIu64
                  " undecided\n",
                  n.contacts, n.separate, n.unsure, n.undecided);
    if (count >= 100) {
        assert_true(n.contacts > count / 3 && n.separate > count / 20);
        assert_true(n.unsure * 50 <= count);
        assert_true(n.undecided * 50 <= count);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(random_bodies) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
