/* SPDX-License-Identifier: MIT */
/* Every pair of kinds of shapes, apart, near, penetrating and moving, against a sampling referee
 * (oracle/cloud.h) and against each other: `check` at instants, `first` and `intervals` of one motion
 * must not contradict. ABUT_CELLS_TIMES=1 prints how long each pair takes, ABUT_CELLS_OPEN=1
 * what is left open, ABUT_CELLS_FROM=n leaves out n motions (long runs in slices), ABUT_CELLS_ONLY="box - mesh"
 * all but one pair. */
#include "abut/query.h"
#include "abut/scene.h"
#include "oracle/cloud.h"
#include "support/test.h"

#include <time.h>

enum { TEXT = 1 << 14, INSTANTS = 9, INTERVALS = 16 };

static abut_scene *scene;
static double seconds[CLOUD_KINDS][CLOUD_KINDS][3];
static int asked[CLOUD_KINDS][CLOUD_KINDS], open_checks, all_checks, judged, decided_first, all_first;
static int proved_intervals;

static double now(void)
{
    return (double)clock() / CLOCKS_PER_SEC; /* of this process: other work on the machine does not count */
}

static int open_scene(void **state)
{
    (void)state;
    char *text = malloc(TEXT);
    size_t n = (size_t)snprintf(text, TEXT, "{\"abut\":1,\"objects\":[");
    for (int i = 0; i < CLOUD_KINDS; ++i)
        n += (size_t)snprintf(text + n, TEXT - n, "%s{\"name\":\"k%d\",\"shape\":%s}", i ? "," : "", i,
                              cloud_kinds[i].shape);
    n += (size_t)snprintf(text + n, TEXT - n, "]}");
    abut_error error;
    const abut_status status = abut_scene_parse(text, n, "kinds", NULL, &scene, &error);
    TEST_CHECK(status == ABUT_OK, "%s: %s", error.path, error.text);
    free(text);
    cloud_open();
    return 0;
}

static int close_scene(void **state)
{
    (void)state;
    abut_scene_destroy(scene);
    cloud_close();
    return 0;
}

static const abut_shape *shape_of(int kind)
{
    return abut_scene_get_object(scene, (size_t)kind).shape;
}

static abut_quat random_turn(test_random *r)
{
    abut_quat q;
    double n;
    do {
        q = (abut_quat){ test_uniform(r, -1, 1), test_uniform(r, -1, 1), test_uniform(r, -1, 1),
                         test_uniform(r, -1, 1) };
        n = sqrt(q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z);
    } while (n < 0.1 || n > 1);
    return (abut_quat){ q.w / n, q.x / n, q.y / n, q.z / n };
}

static cloud_place place_of(const abut_affine *at)
{
    cloud_place p;
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j)
            p.r[i][j] = at->linear.m[i][j];
    p.t[0] = at->translation.x;
    p.t[1] = at->translation.y;
    p.t[2] = at->translation.z;
    return p;
}

typedef struct cell {
    int a, b;
    uint64_t seed;
    const abut_shape *shape_a, *shape_b;
    abut_motion *motion;
    cloud_place at_a;
} cell;

#define NAMES(C) \
    "%s against %s, seed %" PRIu64 ": ", cloud_kinds[(C)->a].name, cloud_kinds[(C)->b].name, (C)->seed
#define CELL_CHECK(C, condition, ...)                 \
    do {                                              \
        if (!(condition)) {                           \
            print_error(NAMES(C));                    \
            print_error("%s is false: ", #condition); \
            TEST_FAIL(__VA_ARGS__);                   \
        }                                             \
    } while (0)

static bool is_proved(const abut_check_result *r)
{
    return r->proof == ABUT_PROOF_INTERVAL || r->proof == ABUT_PROOF_EXACT;
}

/* 1 apart, -1 meeting, 0 not proved. */
static int sign_of(const abut_check_result *r)
{
    return !is_proved(r) ? 0 : r->verdict == ABUT_SEPARATE ? 1 : r->verdict == ABUT_UNDECIDED ? 0 : -1;
}

static int check_at(const cell *c, double t)
{
    abut_check_result r;
    abut_affine at;
    const double start = now();
    const abut_status status = abut_check_at(c->shape_a, NULL, c->shape_b, c->motion, t, NULL, NULL, &r);
    seconds[c->a][c->b][0] += now() - start;
    CELL_CHECK(c, status == ABUT_OK, "check: %s", abut_status_text(status));
    assert_int_equal(abut_motion_at(c->motion, t, &at), ABUT_OK);
    const cloud_place place = place_of(&at);
    const cloud_judgement truth = cloud_judge(c->a, &c->at_a, c->b, &place);
    ++all_checks;
    judged += truth.meets || truth.apart;
    const int sign = sign_of(&r);
    if (sign == 0) {
        ++open_checks;
        if (getenv("ABUT_CELLS_OPEN"))
            print_message("open: %s against %s, seed %" PRIu64 " t %.17g\n", cloud_kinds[c->a].name,
                          cloud_kinds[c->b].name, c->seed, t);
    }
    CELL_CHECK(c, !(sign > 0 && truth.meets), "t = %.17g: said to be apart", t);
    CELL_CHECK(c, !(sign < 0 && truth.apart), "t = %.17g: said to meet, and are %g apart", t, truth.at_least);
    CELL_CHECK(c, r.distance.lo <= truth.at_most, "t = %.17g: distance [%.17g, %.17g], points %.17g apart", t,
               r.distance.lo, r.distance.hi, truth.at_most);
    CELL_CHECK(c, r.distance.hi >= truth.at_least, "t = %.17g: distance [%.17g, %.17g], truly at least %.17g",
               t, r.distance.lo, r.distance.hi, truth.at_least);
    return sign;
}

/* How two bodies on their way stand: at instants, the first contact, all intervals. */
static void move(const cell *c)
{
    abut_first_result first;
    abut_intervals_result all;
    abut_contact_interval list[INTERVALS];
    int sign[INSTANTS];
    for (int i = 0; i < INSTANTS; ++i)
        sign[i] = check_at(c, i / (double)(INSTANTS - 1));
    double start = now();
    abut_status status = abut_first_contact(c->shape_a, NULL, c->shape_b, c->motion, NULL, NULL, &first);
    seconds[c->a][c->b][1] += now() - start;
    CELL_CHECK(c, status == ABUT_OK, "first: %s", abut_status_text(status));
    start = now();
    status =
        abut_contact_intervals(c->shape_a, NULL, c->shape_b, c->motion, NULL, NULL, list, INTERVALS, &all);
    seconds[c->a][c->b][2] += now() - start;
    ++asked[c->a][c->b];
    CELL_CHECK(c, status == ABUT_OK, "intervals: %s", abut_status_text(status));
    ++all_first;
    decided_first += first.verdict != ABUT_FIRST_UNDECIDED;
    proved_intervals += all.proof == ABUT_PROOF_INTERVAL || all.proof == ABUT_PROOF_EXACT;
    if (getenv("ABUT_CELLS_OPEN") && all.proof == ABUT_PROOF_TOLERANCE)
        for (size_t k = 0; k < all.count && k < INTERVALS; ++k)
            print_message("doubtful: %s against %s, seed %" PRIu64 ": [%.9g, %.9g] to [%.9g, %.9g]\n",
                          cloud_kinds[c->a].name, cloud_kinds[c->b].name, c->seed, list[k].enter.lo,
                          list[k].enter.hi, list[k].exit.lo, list[k].exit.hi);
    const bool certain = first.proof == ABUT_PROOF_INTERVAL || first.proof == ABUT_PROOF_EXACT;
    const bool sure = all.proof == ABUT_PROOF_INTERVAL || all.proof == ABUT_PROOF_EXACT;
    for (int i = 0; i < INSTANTS; ++i) {
        const double t = i / (double)(INSTANTS - 1);
        if (sign[i] < 0) {
            CELL_CHECK(c, first.verdict != ABUT_FIRST_SEPARATE, "t = %g: meeting, first says separate", t);
            CELL_CHECK(c, first.verdict != ABUT_FIRST_CONTACT || first.time.lo <= t || i == 0,
                       "t = %g: meeting, first says %.17g", t, first.time.lo);
        }
        if (sign[i] > 0) {
            CELL_CHECK(c, first.verdict != ABUT_FIRST_OVERLAPPING || i > 0, "apart at the start");
            CELL_CHECK(c,
                       first.verdict != ABUT_FIRST_CONTACT || !certain || first.time.hi != first.time.lo ||
                           first.time.lo != t,
                       "t = %g: apart, first contact then", t);
        }
        bool may = false, must = false;
        for (size_t k = 0; k < all.count && k < INTERVALS; ++k) {
            may = may || (list[k].enter.lo <= t && t <= list[k].exit.hi);
            must = must || (list[k].enter.hi <= t && t <= list[k].exit.lo);
        }
        CELL_CHECK(c, !(sign[i] < 0 && !may && all.count <= INTERVALS), "t = %g: meeting, but in no interval",
                   t);
        CELL_CHECK(c, !(sign[i] > 0 && must && sure), "t = %g: apart, but in an interval", t);
    }
    if (first.verdict == ABUT_FIRST_SEPARATE)
        CELL_CHECK(c, !(sure && all.count > 0 && list[0].enter.hi < list[0].exit.lo),
                   "first says separate, intervals from %.17g on", list[0].enter.lo);
    if (certain && sure && first.verdict == ABUT_FIRST_CONTACT && first.time.lo > 0) {
        CELL_CHECK(c, all.count > 0, "first contact at %.17g, no intervals", first.time.lo);
        CELL_CHECK(c, list[0].enter.lo <= first.time.hi, "first contact until %.17g, intervals from %.17g on",
                   first.time.hi, list[0].enter.lo);
        CELL_CHECK(c, list[0].enter.hi >= first.time.lo || list[0].enter.hi == 0,
                   "first contact from %.17g on, intervals until %.17g", first.time.lo, list[0].enter.hi);
    }
}

static void examine(int a, int b, uint64_t seed, bool over_time)
{
    test_random r = test_seed(seed * 1000 + (uint64_t)(a * CLOUD_KINDS + b));
    cell c = { .a = a, .b = b, .seed = seed, .shape_a = shape_of(a), .shape_b = shape_of(b) };
    const abut_affine identity = { { { { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 } } }, { 0, 0, 0 } };
    c.at_a = place_of(&identity);
    const unsigned kind = test_below(&r, 4);
    const double away = kind == 0 ? 4 : 3;
    abut_pose from = { { test_uniform(&r, -away, away), test_uniform(&r, -away, away),
                         test_uniform(&r, -away, away) },
                       random_turn(&r) };
    abut_pose to = { { test_uniform(&r, -2, 2), test_uniform(&r, -2, 2), test_uniform(&r, -2, 2) },
                     random_turn(&r) };
    if (kind == 1)
        to.rotation = from.rotation;
    if (kind == 2) {
        to.rotation = from.rotation = (abut_quat){ 1, 0, 0, 0 };
        from.position.z = 3;
    }
    const abut_placement start = abut_placement_from_pose(from), end = abut_placement_from_pose(to);
    assert_int_equal(abut_motion_create_linear(0, 1, &start, &end, NULL, &c.motion, NULL), ABUT_OK);
    if (over_time)
        move(&c);
    else
        (void)check_at(&c, test_uniform(&r, 0, 1));
    abut_motion_release(c.motion);
}

static void every_cell_agrees_with_itself_and_the_referee(void **state)
{
    (void)state;
    const char *only = getenv("ABUT_CELLS_ONLY");
    const char *slice = getenv("ABUT_CELLS_FROM");
    memset(seconds, 0, sizeof seconds); /* of what moves */
    const int count = (int)test_count(60);
    for (int i = slice ? atoi(slice) : 0; i < count; ++i) {
        /* A random one each time: all of them, and each in both orders, in a long run. */
        const int n = (int)((unsigned)i * 101u % (unsigned)(CLOUD_KINDS * CLOUD_KINDS));
        const int a = n / CLOUD_KINDS, b = n % CLOUD_KINDS;
        char name[64];
        (void)snprintf(name, sizeof name, "%s - %s", cloud_kinds[a].name, cloud_kinds[b].name);
        if (only &&
            !(strstr(only, " - ") ? strcmp(only, name) == 0
                                  : strstr(only, cloud_kinds[a].name) || strstr(only, cloud_kinds[b].name)))
            continue;
        examine(a, b, (uint64_t)(i / (CLOUD_KINDS * CLOUD_KINDS)) + 1, true);
    }
    print_message("%d motions, %d instants (%d judged by the referee), %d open; first decided %d of %d; "
                  "intervals proved %d\n",
                  all_first, all_checks, judged, open_checks, decided_first, all_first, proved_intervals);
    if (getenv("ABUT_CELLS_TIMES"))
        for (int a = 0; a < CLOUD_KINDS; ++a)
            for (int b = 0; b < CLOUD_KINDS; ++b)
                if (asked[a][b])
                    print_message("%s - %s: check %.2f ms, first %.1f ms, intervals %.1f ms\n",
                                  cloud_kinds[a].name, cloud_kinds[b].name,
                                  1e3 * seconds[a][b][0] / asked[a][b] / INSTANTS,
                                  1e3 * seconds[a][b][1] / asked[a][b], 1e3 * seconds[a][b][2] / asked[a][b]);
    TEST_CHECK(judged > all_checks / 2, "the referee judged %d of %d", judged, all_checks);
    TEST_CHECK(10 * proved_intervals >= 9 * all_first, "%d of %d lists of intervals are certified",
               proved_intervals, all_first);
    TEST_CHECK(open_checks < all_checks / 20, "%d of %d instants are open", open_checks, all_checks);
}

/* All cells at one instant, of which a small run takes each once. */
static void every_cell_at_an_instant(void **state)
{
    (void)state;
    if (getenv("ABUT_CELLS_FROM"))
        skip();
    const int cells = CLOUD_KINDS * (CLOUD_KINDS + 1) / 2, count = (int)test_count((uint64_t)(4 * cells));
    for (int i = 0, n = 0; n < count; ++i)
        for (int a = 0; a < CLOUD_KINDS && n < count; ++a)
            for (int b = 0; b <= a && n < count; ++b, ++n)
                examine(i & 1 ? b : a, i & 1 ? a : b, (uint64_t)(500 + i), false);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(every_cell_at_an_instant),
                                        cmocka_unit_test(every_cell_agrees_with_itself_and_the_referee) };
    return cmocka_run_group_tests(tests, open_scene, close_scene);
}
