/* SPDX-License-Identifier: MIT */
/* Hostile scenes (test/oracle/hostile.h) through every query: nothing meets outside of the intervals
 * of contact or before the first contact, nothing that is proved to meet is apart, check, classify
 * and cast agree, and what first proves intervals prove.
 *
 * ABUT_TEST_FIRST_SEED: where to begin; ABUT_TEST_VERBOSE: what is not proved, and what takes long;
 * ABUT_TEST_PRINT: the scenes. */
#include "abut/query.h"
#include "abut/scene.h"
#include "oracle/hostile.h"
#include "support/intervals.h"
#include "support/test.h"

#include <time.h>

/* All that is wrong is reported, not only the first of it. */
#define COMPLAIN(condition, ...)        \
    do {                                \
        if (!(condition)) {             \
            ++wrong;                    \
            print_message("WRONG: ");   \
            print_message(__VA_ARGS__); \
            print_message("\n");        \
            return;                     \
        }                               \
    } while (0)

static int wrong;

enum { MOST = 256, INSTANTS = 10 };

/* Of the greater field: certain to meet; likely to be apart. */
static const double deep = -1e-6, far = 2e-2;

typedef struct tally {
    uint64_t scenes, refused, unsupported, undecided, first_proved, both_proved, contacts, judged, sure, slow;
} tally;

typedef struct asked {
    hostile_scene scene;
    char text[16000];
    abut_scene *loaded;
    abut_scene_object a, b;
    abut_contact_interval items[MOST];
    abut_intervals_result r;
    abut_first_result first;
    uint64_t seed;
} asked;

static const char *describe(const asked *q)
{
    static char text[200];
    snprintf(text, sizeof text, "seed %" PRIu64 ": %s against %s", q->seed, q->scene.body[0].kind,
             q->scene.body[1].kind);
    return text;
}

static void judge_first(const asked *q, double t, bool meet, bool apart)
{
    const abut_first_result *const f = &q->first;
    if (f->verdict == ABUT_FIRST_SEPARATE)
        COMPLAIN(!meet, "%s: separate, but they meet at %.17g", describe(q), t);
    else
        COMPLAIN(!(meet && t < f->time.lo), "%s: first contact from %.17g on, but they meet at %.17g",
                 describe(q), f->time.lo, t);
    if (f->verdict == ABUT_FIRST_OVERLAPPING && t == q->scene.t0)
        COMPLAIN(!apart, "%s: overlapping, but apart", describe(q));
}

static void judge_static(const asked *q, double t, bool meet, bool apart)
{
    abut_check_result c;
    const abut_status status =
        abut_check_at(q->a.shape, q->a.motion, q->b.shape, q->b.motion, t, NULL, NULL, &c);
    COMPLAIN(status == ABUT_OK || status == ABUT_ERR_UNSUPPORTED, "%s: check at %.17g: %s", describe(q), t,
             abut_status_text(status));
    if (status || c.proof < ABUT_PROOF_INTERVAL)
        return;
    COMPLAIN(!(meet && c.verdict == ABUT_SEPARATE), "%s: check separate at %.17g, but they meet", describe(q),
             t);
    COMPLAIN(!(apart && (c.verdict == ABUT_PENETRATING || c.verdict == ABUT_TOUCHING)),
             "%s: check %s at %.17g, but they are apart", describe(q), abut_verdict_name(c.verdict), t);
}

/* A place well inside or outside of a body is classified so, and a ray from it crosses the boundary
 * of a bounded body an odd or an even number of times. */
static void judge_place(const asked *q, double t, const double p[3])
{
    for (int i = 0; i < 2; ++i) {
        const abut_scene_object *const o = i ? &q->b : &q->a;
        abut_piece piece;
        if (q->scene.body[i].sheet)
            continue;
        const double field = hostile_field(&q->scene, i, p, t);
        const abut_vec3 at = { p[0], p[1], p[2] };
        const abut_status status = abut_classify_point_at(o->shape, o->motion, t, at, &piece);
        if (status || piece.where == ABUT_WHERE_UNKNOWN || !(fabs(field) > 1e-6))
            continue;
        const bool in = field < 0;
        COMPLAIN(piece.where == (in ? ABUT_WHERE_IN : ABUT_WHERE_OUT),
                 "%s: (%.17g, %.17g, %.17g) at %.17g is %s of %d, but its field is %g", describe(q), p[0],
                 p[1], p[2], t, abut_where_name(piece.where), i, field);
    }
}

static void judge_instant(const asked *q, double t, tally *n, bool check)
{
    double p[3] = { 0, 0, 0 };
    if (!(t >= q->scene.t0 && t <= q->scene.t0 + q->scene.length))
        return;
    const int place = interval_around(q->items, q->r.count, t);
    double depth = hostile_depth(&q->scene, t, false, p);
    if (place == 1 && depth > deep)
        depth = hostile_depth(&q->scene, t, true, p);
    const bool meet = depth<deep, apart = depth> far;
    ++n->judged;
    n->sure += meet || apart;
    COMPLAIN(!(place == 0 && meet), "%s: no contact at %.17g, but they meet by %g at (%.17g, %.17g, %.17g)",
             describe(q), t, depth, p[0], p[1], p[2]);
    COMPLAIN(!(place == 1 && apart && q->r.proof >= ABUT_PROOF_INTERVAL),
             "%s: contact at %.17g, but they are apart by %g", describe(q), t, depth);
    judge_first(q, t, meet, apart && place == 1);
    if (check) {
        judge_static(q, t, meet, apart && place == 1);
        if (depth < HUGE_VAL)
            judge_place(q, t, p);
    }
}

static void judge_agreement(const asked *q)
{
    const abut_first_result *const f = &q->first;
    const bool any = q->r.count > 0;
    if (f->verdict == ABUT_FIRST_UNDECIDED || f->proof < ABUT_PROOF_INTERVAL)
        return;
    if (f->verdict == ABUT_FIRST_SEPARATE)
        COMPLAIN(!any || q->items[0].exit.hi == q->scene.t0 || q->r.proof < ABUT_PROOF_INTERVAL,
                 "%s: separate, but an interval from %.17g", describe(q), q->items[0].enter.lo);
    else
        COMPLAIN(any && q->items[0].enter.lo <= f->time.hi &&
                     (f->time.lo <= q->items[0].enter.hi || q->items[0].exit.hi == q->scene.t0),
                 "%s: first contact in [%.17g, %.17g], but %zu intervals, from [%.17g, %.17g] on",
                 describe(q), f->time.lo, f->time.hi, q->r.count, any ? q->items[0].enter.lo : 0,
                 any ? q->items[0].enter.hi : 0);
}

static double seconds(clock_t from)
{
    return (double)(clock() - from) / CLOCKS_PER_SEC;
}

static void judge(uint64_t seed, tally *n)
{
    static asked q;
    const bool verbose = getenv("ABUT_TEST_VERBOSE") != NULL;
    abut_error error;
    memset(&q, 0, sizeof q);
    q.seed = seed;
    hostile_make(seed, &q.scene);
    hostile_write(&q.scene, q.text, sizeof q.text);
    ++n->scenes;
    if (getenv("ABUT_TEST_PRINT"))
        fputs(q.text, stderr);
    if (abut_scene_parse(q.text, strlen(q.text), "hostile", NULL, &q.loaded, &error)) {
        ++n->refused;
        if (verbose)
            print_message("%s: %s\n", describe(&q), error.text);
        return;
    }
    q.a = abut_scene_get_object(q.loaded, 0);
    q.b = abut_scene_get_object(q.loaded, 1);
    abut_first_opts opts;
    abut_first_opts_init(&opts);
    opts.time = (abut_interval){ q.scene.t0, q.scene.t0 + q.scene.length };
    clock_t from = clock();
    abut_status status =
        abut_first_contact(q.a.shape, q.a.motion, q.b.shape, q.b.motion, &opts, NULL, &q.first);
    const double first_took = seconds(from);
    if (status == ABUT_ERR_UNSUPPORTED || status == ABUT_ERR_VALUE) {
        ++*(status == ABUT_ERR_VALUE ? &n->refused : &n->unsupported);
        if (verbose)
            print_message("%s: %s\n", describe(&q), abut_status_text(status));
        abut_scene_destroy(q.loaded);
        return;
    }
    COMPLAIN(status == ABUT_OK, "%s: first: %s", describe(&q), abut_status_text(status));
    from = clock();
    status = abut_contact_intervals(q.a.shape, q.a.motion, q.b.shape, q.b.motion, &opts, NULL, q.items, MOST,
                                    &q.r);
    const double took = seconds(from);
    COMPLAIN(status == ABUT_OK, "%s: intervals: %s", describe(&q), abut_status_text(status));
    const bool first_proved = q.first.verdict != ABUT_FIRST_UNDECIDED && q.first.proof >= ABUT_PROOF_INTERVAL;
    const bool proved = q.r.proof >= ABUT_PROOF_INTERVAL;
    n->undecided += q.first.verdict == ABUT_FIRST_UNDECIDED;
    n->first_proved += first_proved;
    n->both_proved += first_proved && proved;
    n->contacts += q.r.count > 0;
    n->slow += took > 1 || first_took > 1;
    if (verbose &&
        (first_proved != proved || q.first.verdict == ABUT_FIRST_UNDECIDED || took > 0.5 || first_took > 0.5))
        print_message("%s: first %s, %s, %.2f s; intervals %zu, %s, %.2f s\n", describe(&q),
                      abut_first_verdict_name(q.first.verdict), abut_proof_name(q.first.proof), first_took,
                      q.r.count, abut_proof_name(q.r.proof), took);
    COMPLAIN(q.r.count <= MOST, "%s: %zu intervals", describe(&q), q.r.count);
    judge_agreement(&q);
    test_random r = test_seed(seed + 1000000);
    judge_instant(&q, q.scene.t0, n, true);
    for (int i = 0; i < INSTANTS; ++i)
        judge_instant(&q, test_uniform(&r, q.scene.t0, q.scene.t0 + q.scene.length), n, i < 3);
    for (size_t i = 0; i < q.r.count && i < 8; ++i)
        for (double d = 1e-2 * q.scene.length; d > 1e-5 * q.scene.length; d /= 16) {
            judge_instant(&q, q.items[i].enter.lo - d, n, false);
            judge_instant(&q, q.items[i].enter.hi + d, n, false);
            judge_instant(&q, q.items[i].exit.lo - d, n, false);
            judge_instant(&q, q.items[i].exit.hi + d, n, false);
        }
    abut_scene_destroy(q.loaded);
}

static void hostile_scenes(void **state)
{
    (void)state;
    tally n = { 0 };
    const uint64_t count = test_count(40);
    const char *const text = getenv("ABUT_TEST_FIRST_SEED");
    const uint64_t first = text ? strtoull(text, NULL, 10) : 1;
    for (uint64_t i = 0; i < count; ++i)
        judge(first + i, &n);
    print_message("%" PRIu64 " scenes (%" PRIu64 " refused, %" PRIu64 " not supported), %" PRIu64
                  " with contact; first proved %" PRIu64 ", undecided %" PRIu64 ", intervals too %" PRIu64
                  "; %" PRIu64 " of %" PRIu64 " instants sure; %" PRIu64 " take more than a second\n",
                  n.scenes, n.refused, n.unsupported, n.contacts, n.first_proved, n.undecided, n.both_proved,
                  n.sure, n.judged, n.slow);
    assert_int_equal(wrong, 0);
    if (count >= 40) {
        assert_true(n.contacts * 4 > n.scenes);
        assert_true(n.both_proved * 100 >= n.first_proved * 95);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(hostile_scenes) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
