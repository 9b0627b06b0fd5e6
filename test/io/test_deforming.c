/* SPDX-License-Identifier: MIT */
/* Bodies that deform against bodies of every kind: check at instants, first contact and intervals, judged by
 * dense samples of both in space and time (oracle/forms.c). Nothing that is certified may contradict a
 * sample, and most must be answered. ABUT_TEST_SCALE sets the number of cases. */
#include "abut/query.h"
#include "abut/scene.h"
#include "oracle/forms.h"
#include "support/test.h"

enum { TEXT = 8192, INSTANTS = 24 };

static double (*points[2])[3];

typedef struct tally {
    int checks, checks_open, firsts, firsts_open, intervals, intervals_open;
} tally;

static double uniform(void *ctx, double lo, double hi)
{
    return test_uniform(ctx, lo, hi);
}

typedef struct seen {
    double inside; /* the lowest level of a sample of one in the other, where that is solid */
    double near;   /* the least distance of two samples; only where asked for */
    double spacing;
} seen;

static seen look(const form f[2], double t, bool distances)
{
    size_t count[2];
    double space[2];
    seen s = { 1, INFINITY, 0 };
    for (int i = 0; i < 2; ++i)
        count[i] = form_sample(&f[i], t, points[i], &space[i]);
    s.spacing = space[0] + space[1];
    for (int i = 0; i < 2; ++i)
        for (size_t k = 0; form_is_solid(&f[1 - i]) && k < count[i]; ++k)
            s.inside = fmin(s.inside, form_level(&f[1 - i], t, points[i][k]));
    for (size_t k = 0; distances && k < count[0]; ++k)
        for (size_t l = 0; l < count[1]; ++l) {
            const double *a = points[0][k], *b = points[1][l];
            const double x = a[0] - b[0], y = a[1] - b[1], z = a[2] - b[2];
            s.near = fmin(s.near, x * x + y * y + z * z);
        }
    s.near = sqrt(s.near);
    return s;
}

/* What a sample shows beyond rounding. */
static const double clear = 1e-7;

static bool shows_overlap(const form f[2], double t)
{
    return look(f, t, false).inside < -clear;
}

/* A contact that is proved leaves some sample of one inside the other, or two samples near each other. */
static bool shows_near(const form f[2], double t)
{
    if (look(f, t, false).inside <= clear)
        return true;
    const seen s = look(f, t, true);
    return s.near <= s.spacing;
}

typedef struct pair {
    form f[2];
    abut_scene *scene;
    abut_scene_object o[2];
    char name[128];
} pair;

static void make(pair *p, test_random *r, int a, int b, uint64_t seed)
{
    char shape[2][TEXT], motion[2][TEXT];
    char *text = malloc(4 * TEXT);
    form_random(&p->f[0], a, uniform, r);
    form_random(&p->f[1], b, uniform, r);
    double way[3], length = 0;
    for (int i = 0; i < 3; ++i) {
        way[i] = test_uniform(r, -1, 1);
        length += way[i] * way[i];
    }
    const double far = test_uniform(r, 2.5, 4) / sqrt(length), left = test_uniform(r, -1.5, 1);
    for (int i = 0; i < 3; ++i) {
        p->f[0].from[i] = far * way[i];
        p->f[0].to[i] = left * way[i];
    }
    if (b < FORM_KINDS) /* at rest, but for its turning */
        p->f[1].spin = test_below(r, 2) ? 0 : p->f[1].spin;
    for (int i = 0; i < 2; ++i) {
        form_shape(&p->f[i], shape[i], TEXT);
        form_motion(&p->f[i], motion[i], TEXT);
    }
    const int n =
        snprintf(text, 4 * TEXT,
                 "{\"abut\":1,\"objects\":[{\"name\":\"a\",\"shape\":%s,\"motion\":%s},{\"name\":\"b\","
                 "\"shape\":%s,\"motion\":%s}]}",
                 shape[0], motion[0], shape[1], motion[1]);
    abut_error error;
    const abut_status status = abut_scene_parse(text, (size_t)n, "pair", NULL, &p->scene, &error);
    TEST_CHECK(status == ABUT_OK, "%s: %s\n%s", error.path, error.text, text);
    p->o[0] = abut_scene_get_object(p->scene, 0);
    p->o[1] = abut_scene_get_object(p->scene, 1);
    (void)snprintf(p->name, sizeof p->name, "seed %" PRIu64 ", %s against %s", seed, form_name(a),
                   form_name(b));
    if (getenv("ABUT_TEST_SHOW"))
        print_message("%s\n%s\n", p->name, text);
    free(text);
}

static void check_at(const pair *p, double t, tally *all)
{
    abut_check_result c;
    const abut_status status =
        abut_check_at(p->o[0].shape, p->o[0].motion, p->o[1].shape, p->o[1].motion, t, NULL, NULL, &c);
    TEST_CHECK(status == ABUT_OK, "%s: %s", p->name, abut_status_text(status));
    const seen s = look(p->f, t, true);
    ++all->checks;
    all->checks_open += c.verdict == ABUT_UNDECIDED;
    TEST_CHECK(c.distance.lo <= s.near * (1 + 1e-9) + 1e-9, "%s at %.17g: distance %.17g to %.17g, but %.17g",
               p->name, t, c.distance.lo, c.distance.hi, s.near);
    if (c.verdict == ABUT_SEPARATE) {
        TEST_CHECK(s.inside >= -clear, "%s at %.17g: separate, but %g inside", p->name, t, s.inside);
        TEST_CHECK(c.distance.hi >= s.near - s.spacing - 1e-9,
                   "%s at %.17g: distance %.17g at most, but %.17g less %.17g", p->name, t, c.distance.hi,
                   s.near, s.spacing);
    } else if (c.verdict != ABUT_UNDECIDED && c.proof != ABUT_PROOF_TOLERANCE) {
        TEST_CHECK(s.inside <= clear || s.near <= s.spacing, "%s at %.17g: %s, but %g apart", p->name, t,
                   abut_verdict_name(c.verdict), s.near);
    }
}

static void check_first(const pair *p, const abut_first_opts *opts, tally *all)
{
    abut_first_result r;
    const abut_status status =
        abut_first_contact(p->o[0].shape, p->o[0].motion, p->o[1].shape, p->o[1].motion, opts, NULL, &r);
    TEST_CHECK(status == ABUT_OK, "%s: %s", p->name, abut_status_text(status));
    ++all->firsts;
    all->firsts_open += r.verdict == ABUT_FIRST_UNDECIDED;
    const double until = r.verdict == ABUT_FIRST_SEPARATE ? 1 : r.time.lo;
    for (int i = 0; i <= INSTANTS && r.verdict != ABUT_FIRST_OVERLAPPING; ++i) {
        const double t = (double)i / INSTANTS;
        if (i < INSTANTS ? t < until - 1e-9 : r.verdict == ABUT_FIRST_SEPARATE)
            TEST_CHECK(!shows_overlap(p->f, t), "%s: %s at %.17g, but they overlap at %.17g", p->name,
                       abut_first_verdict_name(r.verdict), r.time.lo, t);
    }
    const bool shown =
        r.verdict == ABUT_FIRST_SEPARATE || !(r.time.lo > 1e-6) || !shows_overlap(p->f, r.time.lo - 1e-6);
    TEST_CHECK(shown, "%s: first contact at %.17g, but they overlap before", p->name, r.time.lo);
    if (r.verdict == ABUT_FIRST_CONTACT && r.time.hi - r.time.lo < 1e-3)
        TEST_CHECK(shows_near(p->f, r.time.hi), "%s: contact at %.17g to %.17g, but they are apart", p->name,
                   r.time.lo, r.time.hi);
    if (r.verdict == ABUT_FIRST_OVERLAPPING)
        TEST_CHECK(shows_near(p->f, 0), "%s: overlapping, but they are apart", p->name);
}

static void check_intervals(const pair *p, const abut_first_opts *opts, tally *all)
{
    enum { MOST = 64 };
    abut_contact_interval list[MOST];
    abut_intervals_result r;
    const abut_status status = abut_contact_intervals(p->o[0].shape, p->o[0].motion, p->o[1].shape,
                                                      p->o[1].motion, opts, NULL, list, MOST, &r);
    TEST_CHECK(status == ABUT_OK, "%s: %s", p->name, abut_status_text(status));
    ++all->intervals;
    bool open = r.count > MOST;
    for (size_t k = 0; k < r.count && k < MOST; ++k)
        open = open || list[k].enter.hi - list[k].enter.lo > 1e-3 || list[k].exit.hi - list[k].exit.lo > 1e-3;
    all->intervals_open += open;
    for (int i = 0; i <= INSTANTS && r.count <= MOST; ++i) {
        const double t = (double)i / INSTANTS;
        bool possible = false, certain = false;
        for (size_t k = 0; k < r.count; ++k) {
            possible = possible || (t >= list[k].enter.lo - 1e-9 && t <= list[k].exit.hi + 1e-9);
            certain = certain || (t > list[k].enter.hi + 1e-9 && t < list[k].exit.lo - 1e-9);
        }
        if (!possible)
            TEST_CHECK(!shows_overlap(p->f, t), "%s: apart at %.17g, but they overlap", p->name, t);
        else if (certain && r.proof != ABUT_PROOF_TOLERANCE)
            TEST_CHECK(shows_near(p->f, t), "%s: in contact at %.17g, but they are apart", p->name, t);
    }
}

static void run_pair(int a, int b, uint64_t seed, tally *all)
{
    test_random r = test_seed(seed);
    pair p;
    make(&p, &r, a, b, seed);
    abut_first_opts opts;
    abut_first_opts_init(&opts);
    opts.max_iterations = 400;
    opts.accuracy = 1e-6;
    for (int i = 0; i < 3; ++i)
        check_at(&p, test_uniform(&r, 0, 1), all);
    check_first(&p, &opts, all);
    check_intervals(&p, &opts, all);
    abut_scene_destroy(p.scene);
}

static void test_deforming_pairs(void **state)
{
    (void)state;
    tally all = { 0 };
    for (int i = 0; i < 2; ++i)
        points[i] = malloc(FORM_POINTS * sizeof *points[i]);
    const char *only = getenv("ABUT_TEST_SEED");
    const uint64_t from = only ? strtoull(only, NULL, 10) : 0,
                   count = only ? 1 : test_count(FORM_CHANGING * (FORM_KINDS + FORM_CHANGING) * 2);
    for (uint64_t i = from; i < from + count; ++i) {
        /* 29 has no factor in common with the number of pairs: a part of them is spread over all */
        const int k = (int)(i * 29 % (FORM_CHANGING * (FORM_KINDS + FORM_CHANGING)));
        run_pair(FORM_KINDS + k % FORM_CHANGING, k / FORM_CHANGING, i, &all);
    }
    print_message(
        "%d checks, %d undecided; %d first contacts, %d undecided; %d intervals, %d wider than 1e-3\n",
        all.checks, all.checks_open, all.firsts, all.firsts_open, all.intervals, all.intervals_open);
    if (!only) {
        TEST_CHECK(all.checks_open * 20 <= all.checks, "%d of %d undecided", all.checks_open, all.checks);
        TEST_CHECK(all.firsts_open * 5 <= all.firsts, "%d of %d undecided", all.firsts_open, all.firsts);
    }
    for (int i = 0; i < 2; ++i)
        free(points[i]);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(test_deforming_pairs) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
