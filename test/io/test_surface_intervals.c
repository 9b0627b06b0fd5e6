/* SPDX-License-Identifier: MIT */
/* All intervals of contact of random curved bodies, under motions of all kinds, against closed
 * forms (test/oracle/surface_dense.h) at instants: nothing is in contact outside of the
 * intervals, nothing is apart inside of those that are proved. And against the other queries:
 * the first contact, and the check at instants. */
#include "abut/query.h"
#include "abut/scene.h"
#include "oracle/surface_dense.h"
#include "support/intervals.h"
#include "support/test.h"

#include <time.h>

enum { MOST = 64, INSTANTS = 12 };

typedef struct tally {
    uint64_t asked, unsupported, proved, with_contact, proved_contact, first_proved, both_proved, unsure,
        judged;
} tally;

typedef struct asked {
    dense_body body[2];
    abut_scene *scene;
    abut_scene_object a, b;
    abut_contact_interval items[MOST];
    abut_intervals_result r;
    uint64_t seed;
} asked;

static const char *describe(const asked *q)
{
    static char text[200];
    snprintf(text, sizeof text, "seed %" PRIu64 ": %s (%s) against %s (%s)", q->seed, q->body[0].kind,
             q->body[0].path, q->body[1].kind, q->body[1].path);
    return text;
}

static void write_scene(const asked *q, char *out, size_t size)
{
    snprintf(out, size,
             "{\"abut\":1,\"objects\":[{\"name\":\"a\",\"shape\":%s,\"motion\":%s},{\"name\":\"b\",\"shape\":"
             "%s,\"motion\":%s}]}",
             q->body[0].shape, q->body[0].motion, q->body[1].shape, q->body[1].motion);
}

static void read_scene(asked *q)
{
    char text[5000];
    abut_error error;
    write_scene(q, text, sizeof text);
    const abut_status status = abut_scene_parse(text, strlen(text), "random", NULL, &q->scene, &error);
    TEST_CHECK(status == ABUT_OK, "%s: %s\n%s", describe(q), error.text, text);
    q->a = abut_scene_get_object(q->scene, 0);
    q->b = abut_scene_get_object(q->scene, 1);
}

static void judge_instant(const asked *q, double t, tally *n)
{
    if (!(t >= 0 && t <= 1))
        return;
    const int place = interval_around(q->items, q->r.count, t);
    const dense_verdict truth = dense_judge(q->body, t);
    ++n->judged;
    n->unsure += truth == DENSE_UNSURE;
    TEST_CHECK(!(place == 0 && truth == DENSE_MEET), "%s: no contact at %.17g (%a), but they meet",
               describe(q), t, t);
    const bool proved = q->r.proof >= ABUT_PROOF_INTERVAL;
    TEST_CHECK(!(proved && place == 1 && truth == DENSE_APART),
               "%s: contact at %.17g (%a), but they are apart", describe(q), t, t);
}

static void judge_check(const asked *q, double t)
{
    abut_check_result check;
    if (abut_check_at(q->a.shape, q->a.motion, q->b.shape, q->b.motion, t, NULL, NULL, &check) ||
        check.proof < ABUT_PROOF_INTERVAL)
        return;
    const int place = interval_around(q->items, q->r.count, t);
    const bool meets = check.verdict == ABUT_PENETRATING || check.verdict == ABUT_TOUCHING;
    TEST_CHECK(!(place == 0 && meets), "%s: no contact at %.17g, but the check says %s", describe(q), t,
               abut_verdict_name(check.verdict));
    TEST_CHECK(!(place == 1 && check.verdict == ABUT_SEPARATE && q->r.proof >= ABUT_PROOF_INTERVAL),
               "%s: contact at %.17g, but the check says separate", describe(q), t);
}

static void judge_first(const asked *q, tally *n)
{
    abut_first_result f;
    const abut_status status =
        abut_first_contact(q->a.shape, q->a.motion, q->b.shape, q->b.motion, NULL, NULL, &f);
    TEST_CHECK(status == ABUT_OK, "%s: first: %s", describe(q), abut_status_text(status));
    const bool proved = f.proof >= ABUT_PROOF_INTERVAL && f.verdict != ABUT_FIRST_UNDECIDED;
    /* A body by fields that deforms might appear in another, and nobody knows of it yet. */
    const bool counts =
        proved && strcmp(q->body[0].kind, "pulsing") != 0 && strcmp(q->body[1].kind, "pulsing") != 0;
    n->first_proved += counts;
    n->both_proved += counts && q->r.proof >= ABUT_PROOF_INTERVAL;
    if (getenv("ABUT_TEST_VERBOSE") && counts && q->r.proof < ABUT_PROOF_INTERVAL)
        print_message("%s: only the first contact is proved\n", describe(q));
    if (!proved)
        return;
    const bool any = q->r.count > 0;
    if (f.verdict == ABUT_FIRST_SEPARATE)
        TEST_CHECK(!any || q->items[0].exit.hi == 0, "%s: separate, but an interval from %.17g", describe(q),
                   q->items[0].enter.lo);
    else
        TEST_CHECK(any && q->items[0].enter.lo <= f.time.hi && f.time.lo <= q->items[0].enter.hi,
                   "%s: first contact in [%.17g, %.17g], but %zu intervals, from [%.17g, %.17g] on",
                   describe(q), f.time.lo, f.time.hi, q->r.count, any ? q->items[0].enter.lo : 0,
                   any ? q->items[0].enter.hi : 0);
}

static void judge_shape(const asked *q)
{
    double last = -1;
    for (size_t i = 0; i < q->r.count; ++i) {
        const abut_contact_interval *const x = &q->items[i];
        TEST_CHECK(x->enter.lo <= x->enter.hi && x->exit.lo <= x->exit.hi && x->enter.lo <= x->exit.hi &&
                       x->enter.lo > last,
                   "%s: interval %zu [%.17g, %.17g] to [%.17g, %.17g]", describe(q), i, x->enter.lo,
                   x->enter.hi, x->exit.lo, x->exit.hi);
        last = x->exit.hi;
        if (q->r.proof >= ABUT_PROOF_INTERVAL)
            TEST_CHECK(x->enter.hi - x->enter.lo <= 1e-9 && x->exit.hi - x->exit.lo <= 1e-9,
                       "%s: interval %zu has wide ends", describe(q), i);
    }
}

static void judge(uint64_t seed, tally *n, double *spent)
{
    static asked q;
    memset(&q, 0, sizeof q);
    q.seed = seed;
    dense_make(seed, q.body);
    read_scene(&q);
    test_random r = test_seed(seed + 1000000);
    const clock_t from = clock();
    const abut_status status =
        abut_contact_intervals(q.a.shape, q.a.motion, q.b.shape, q.b.motion, NULL, NULL, q.items, MOST, &q.r);
    *spent = (double)(clock() - from) / CLOCKS_PER_SEC;
    if (status == ABUT_ERR_UNSUPPORTED) {
        ++n->unsupported;
    } else {
        TEST_CHECK(status == ABUT_OK, "%s: %s", describe(&q), abut_status_text(status));
        ++n->asked;
        const bool proved = q.r.proof >= ABUT_PROOF_INTERVAL;
        n->proved += proved;
        n->with_contact += q.r.count > 0;
        n->proved_contact += proved && q.r.count > 0;
        judge_shape(&q);
        judge_first(&q, n);
        for (int i = 0; i < INSTANTS; ++i)
            judge_instant(&q, test_uniform(&r, 0, 1), n);
        for (size_t i = 0; i < q.r.count; ++i)
            for (double d = 1e-2; d > 1e-6; d /= 8) {
                judge_instant(&q, q.items[i].enter.lo - d, n);
                judge_instant(&q, q.items[i].enter.hi + d, n);
                judge_instant(&q, q.items[i].exit.lo - d, n);
                judge_instant(&q, q.items[i].exit.hi + d, n);
            }
        for (int i = 0; i < 2; ++i)
            judge_check(&q, test_uniform(&r, 0, 1));
        if (getenv("ABUT_TEST_VERBOSE") && (!proved || *spent > 0.1))
            print_message("%s: %s, %zu intervals, %.1f ms\n", describe(&q), abut_proof_name(q.r.proof),
                          q.r.count, 1e3 * *spent);
    }
    abut_scene_destroy(q.scene);
}

static int by_size(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void random_pairs(void **state)
{
    (void)state;
    const uint64_t count = test_count(20);
    double *const spent = calloc(count, sizeof *spent);
    tally n = { 0 };
    assert_non_null(spent);
    const char *const text = getenv("ABUT_TEST_FIRST_SEED");
    const uint64_t first = text ? strtoull(text, NULL, 10) : 1;
    for (uint64_t i = 0; i < count; ++i)
        judge(first + i, &n, &spent[i]);
    qsort(spent, count, sizeof *spent, by_size);
    print_message("%" PRIu64 " pairs (%" PRIu64 " not supported), %" PRIu64 " proved; %" PRIu64
                  " with contact, %" PRIu64 " of them proved; first proved %" PRIu64 ", both %" PRIu64
                  "; median %.2f ms, 99 of 100 within %.1f ms; "
                  "%" PRIu64 " of %" PRIu64 " instants unsure\n",
                  n.asked, n.unsupported, n.proved, n.with_contact, n.proved_contact, n.first_proved,
                  n.both_proved, 1e3 * spent[count / 2], 1e3 * spent[count * 99 / 100], n.unsure, n.judged);
    if (count >= 20) {
        assert_true(n.with_contact * 2 > n.asked);
        assert_true(n.both_proved * 10 >= n.first_proved * 9);
    }
    if (count >= 400)
        assert_true(n.both_proved * 1000 >= n.first_proved * 990);
    free(spent);
}

/* Edges of sheets in solids and through each other, creases of csg bodies, poles, long slides:
 * all of it is proved. */
static void hard_pairs(void **state)
{
    (void)state;
    static const uint64_t seeds[] = { 99, 303, 436, 463, 534, 590, 642, 823, 2053, 2059, 2146, 2708 };
    tally n = { 0 };
    double spent;
    const size_t count = sizeof seeds / sizeof *seeds;
    for (size_t i = 0; i < count; ++i)
        judge(seeds[i], &n, &spent);
    assert_int_equal(n.proved, count);
}

/* ---- fast bodies ---- */

/* A ball that deforms from place to place along the x axis, which is at sin(rate t), against
 * something on that axis. */
typedef struct fast_case {
    const char *other;
    double centre, reach; /* they meet where the ball is no farther than that from there */
    double rate;
} fast_case;

static double fast_gap(const fast_case *c, double t)
{
    return fabs(4 * sin(c->rate * t) - c->centre) - c->reach;
}

static void judge_fast(const fast_case *c)
{
    enum { ROOM = 1 << 16, STEPS = 64 };
    static abut_contact_interval items[ROOM];
    char text[1000];
    abut_scene *scene;
    abut_error error;
    snprintf(text, sizeof text,
             "{\"abut\":1,\"objects\":[{\"name\":\"a\",\"shape\":{\"type\":\"implicit\",\"f\":\"(x-4*sin("
             "%.17g*t))^2+y^2+z^2-0.01\",\"bounds\":[[-5,-1,-1],[5,1,1]]}},{\"name\":\"b\",\"shape\":%s}]}",
             c->rate, c->other);
    TEST_CHECK(abut_scene_parse(text, strlen(text), "fast", NULL, &scene, &error) == ABUT_OK, "%s",
               error.text);
    const abut_scene_object a = abut_scene_get_object(scene, 0), b = abut_scene_get_object(scene, 1);
    abut_intervals_result r;
    const clock_t from = clock();
    const abut_status status =
        abut_contact_intervals(a.shape, a.motion, b.shape, b.motion, NULL, NULL, items, ROOM, &r);
    const double spent = (double)(clock() - from) / CLOCKS_PER_SEC;
    assert_int_equal(status, ABUT_OK);
    assert_true(r.count <= ROOM);
    /* Contacts, by sampling far below the time that one takes. */
    const size_t steps = (size_t)(STEPS * c->rate);
    size_t contacts = 0, at = 0;
    bool met = false;
    for (size_t i = 0; i <= steps; ++i) {
        const double t = (double)i / (double)steps, gap = fast_gap(c, t);
        contacts += gap < 0 && !met;
        met = gap < 0;
        while (at < r.count && items[at].exit.hi < t)
            ++at;
        const bool possible = at < r.count && items[at].enter.lo <= t;
        const bool claimed = at < r.count && items[at].enter.hi <= t && t <= items[at].exit.lo;
        TEST_CHECK(!(gap < -1e-6 && !possible), "%s at %g: they meet at %.17g", c->other, c->rate, t);
        TEST_CHECK(!(gap > 1e-6 && claimed), "%s at %g: they are apart at %.17g", c->other, c->rate, t);
    }
    if (r.proof >= ABUT_PROOF_INTERVAL)
        assert_int_equal(r.count, contacts);
    else
        assert_int_equal(r.stop, ABUT_STOP_BUDGET);
    if (c->rate < 2000)
        assert_int_equal(r.proof, ABUT_PROOF_INTERVAL);
    TEST_CHECK(spent < 3 || test_is_sanitized(), "%s at %g: %.2f s", c->other, c->rate, spent);
    print_message("%s at %g: %zu of %zu, %.0f ms\n", c->other, c->rate, r.count, contacts, 1e3 * spent);
    abut_scene_destroy(scene);
}

/* Split properly, or undecided when the budget is spent: never run together. */
static void fast_bodies(void **state)
{
    (void)state;
    static const char *const sphere = "{\"type\":\"sphere\",\"radius\":1}";
    static const char *const box = "{\"type\":\"box\",\"half\":[0.5,0.5,0.5]}";
    static const char *const bead =
        "{\"type\":\"implicit\",\"f\":\"(x-3)^2+y^2+z^2-0.0025\",\"bounds\":[[2,-1,"
        "-1],[4,1,1]]}";
    const fast_case cases[] = { { sphere, 0, 1.1, 300 },
                                { box, 0, 0.6, 300 },
                                { bead, 3, 0.15, 100 },
                                { sphere, 0, 1.1, 20000 },
                                { bead, 3, 0.15, 5000 } };
    /* the fastest are for the rates of certificates, not for the sanitizers */
    const size_t count = test_is_sanitized() ? 3 : sizeof cases / sizeof *cases;
    for (size_t i = 0; i < count; ++i)
        judge_fast(&cases[i]);
}

/* Evaluations of long expressions are paid for: what a small budget buys of them is not much. */
static void long_expressions(void **state)
{
    (void)state;
    enum { LETS = 400, MOST_EVALUATIONS = 1000 };
    static char text[100000];
    size_t used =
        (size_t)snprintf(text, sizeof text,
                         "{\"abut\":1,\"objects\":[{\"name\":\"a\",\"shape\":{\"type\":\"parametric\","
                         "\"u\":[-1,1],\"v\":[-1,1],\"let\":{\"a0\":\"u\"");
    for (int i = 0; i < LETS; ++i)
        used += (size_t)snprintf(text + used, sizeof text - used,
                                 ",\"a%d\":\"0.5*sin(0.5*sin(a%d+0.5*v)+0.25*u+0.5*v)+0.25*u\"", i + 1, i);
    snprintf(text + used, sizeof text - used,
             "},\"x\":\"u\",\"y\":\"v\",\"z\":\"0.3*a%d\"}},{\"name\":\"b\",\"shape\":{\"type\":\"sphere\","
             "\"radius\":0.5},\"motion\":{\"type\":\"linear\",\"from\":{\"position\":[0,0,4]},\"to\":{"
             "\"position\":[0.1,0.2,-4]}}}]}",
             LETS);
    abut_scene *scene;
    abut_error error;
    TEST_CHECK(abut_scene_parse(text, strlen(text), "long", NULL, &scene, &error) == ABUT_OK, "%s",
               error.text);
    const abut_scene_object a = abut_scene_get_object(scene, 0), b = abut_scene_get_object(scene, 1);
    abut_first_opts opts;
    abut_first_opts_init(&opts);
    opts.max_iterations = 5000;
    abut_contact_interval items[MOST];
    abut_intervals_result r;
    assert_int_equal(
        abut_contact_intervals(a.shape, a.motion, b.shape, b.motion, &opts, NULL, items, MOST, &r), ABUT_OK);
    print_message("%" PRIu64 " evaluations, %s\n", r.counters.evaluations, abut_stop_name(r.stop));
    TEST_CHECK(r.counters.evaluations < MOST_EVALUATIONS, "%" PRIu64 " evaluations", r.counters.evaluations);
    abut_scene_destroy(scene);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(random_pairs), cmocka_unit_test(hard_pairs),
                                        cmocka_unit_test(long_expressions), cmocka_unit_test(fast_bodies) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
