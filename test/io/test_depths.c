/* SPDX-License-Identifier: MIT */
/* Depth, points and contacts of solids of every kind that penetrate, at rest and deforming, judged by dense
 * samples of both (oracle/forms.c): a translation by the upper end parts them, no sample is left inside; the
 * lower end is no more than the way out that samples show in any of many directions; points are on both
 * bodies. ABUT_TEST_SCALE sets the number of cases. */
#include "abut/query.h"
#include "abut/scene.h"
#include "oracle/forms.h"
#include "support/test.h"

#include <time.h>

enum { TEXT = 4096, SOLIDS = FORM_KINDS + FORM_CHANGING, DIRECTIONS = 24 };

static double (*points[2])[3];
static size_t counts[2];
static double spacing;

static double uniform(void *ctx, double lo, double hi)
{
    return test_uniform(ctx, lo, hi);
}

/* The lowest level of a sample of one in the other, where b is translated by `by`. */
static double level(const form f[2], double t, const double by[3])
{
    double least = INFINITY;
    for (int i = 0; i < 2; ++i)
        for (size_t k = 0; k < counts[i]; ++k) {
            double p[3];
            for (int j = 0; j < 3; ++j)
                p[j] = points[i][k][j] + (i ? by[j] : -by[j]);
            least = fmin(least, form_level(&f[1 - i], t, p));
        }
    return least;
}

static void sample(const form f[2], double t)
{
    double space[2];
    for (int i = 0; i < 2; ++i)
        counts[i] = form_sample(&f[i], t, points[i], &space[i]);
    spacing = space[0] + space[1];
}

/* The shortest of many translations that leaves no sample inside; a true one may be longer by the spacing. */
static double way_out(const form f[2], double t, test_random *r, const double first[3])
{
    double best = INFINITY;
    for (int i = 0; i < DIRECTIONS; ++i) {
        double d[3], length = 0;
        for (int j = 0; j < 3; ++j) {
            d[j] = i ? test_uniform(r, -1, 1) : first[j];
            length += d[j] * d[j];
        }
        double in = 0, out = fmin(best, 8);
        double by[3];
        for (int j = 0; j < 3; ++j)
            by[j] = d[j] / sqrt(length) * out;
        if (level(f, t, by) < 0)
            continue;
        for (int k = 0; k < 12; ++k) {
            const double mid = 0.5 * (in + out);
            for (int j = 0; j < 3; ++j)
                by[j] = d[j] / sqrt(length) * mid;
            if (level(f, t, by) < 0)
                in = mid;
            else
                out = mid;
        }
        best = out;
    }
    return best;
}

static const double at_once[3] = { 0, 0, 0 };

typedef struct tally {
    int met, no_depth, no_lower, loose, no_contact, no_points, no_feature, slow;
    double slowest;
} tally;

/* Of this thread, so that other work on the machine does not count. */
static double now(void)
{
    return (double)clock() / CLOCKS_PER_SEC;
}

static bool has_features(int kind)
{
    const char *name = form_name(kind);
    static const char *const named[] = { "mesh, solid", "polyhedron", "extrude",  "revolve", "solid",
                                         "box",         "convex",     "cylinder", "cone" };
    for (size_t i = 0; i < sizeof named / sizeof *named; ++i)
        if (strcmp(name, named[i]) == 0)
            return true;
    return false;
}

static void judge(const form f[2], const abut_scene_object o[2], double t, const char *name,
                  test_random *random, tally *all)
{
    abut_check_result r;
    const double start = now();
    assert_int_equal(abut_check_at(o[0].shape, o[0].motion, o[1].shape, o[1].motion, t, NULL, NULL, &r),
                     ABUT_OK);
    const double took = now() - start;
    ++all->met;
    all->slowest = fmax(all->slowest, took);
    all->slow += took > 0.1;
    const bool show = getenv("ABUT_TEST_SHOW") != NULL;
    TEST_CHECK(r.verdict != ABUT_SEPARATE, "%s: separate", name);
    if (r.verdict != ABUT_PENETRATING || !r.has_depth) {
        ++all->no_depth;
        if (show)
            print_message("%s: %s, no depth, %d contacts, %g s\n", name, abut_verdict_name(r.verdict),
                          r.contact_count, took);
        return;
    }
    const double n[3] = { r.normal.x, r.normal.y, r.normal.z };
    const double by[3] = { n[0] * r.depth.hi, n[1] * r.depth.hi, n[2] * r.depth.hi };
    TEST_CHECK(r.has_normal && fabs(n[0] * n[0] + n[1] * n[1] + n[2] * n[2] - 1) < 1e-9, "%s: normal", name);
    const double left = level(f, t, by);
    TEST_CHECK(left > -1e-6, "%s: depth [%.17g, %.17g], but %g inside after it", name, r.depth.lo, r.depth.hi,
               left);
    const double out = way_out(f, t, random, n);
    TEST_CHECK(r.depth.lo <= out + spacing, "%s: depth [%.17g, %.17g], but a way out of %.17g", name,
               r.depth.lo, r.depth.hi, out);
    all->no_lower += !(r.depth.lo > 0);
    all->loose += r.depth.hi > 1.2 * (out + 0.5 * spacing);
    const double pa[3] = { r.point_a.x, r.point_a.y, r.point_a.z },
                 pb[3] = { r.point_b.x, r.point_b.y, r.point_b.z };
    if (!r.has_points)
        ++all->no_points;
    else
        TEST_CHECK(form_level(&f[0], t, pa) < 1e-4 && form_level(&f[1], t, pb) < 1e-4,
                   "%s: points are %g and %g outside", name, form_level(&f[0], t, pa),
                   form_level(&f[1], t, pb));
    all->no_contact += r.contact_count == 0;
    bool named = true;
    for (int i = 0; i < 2 && r.contact_count > 0; ++i)
        named = named && (!has_features(f[i].kind) ||
                          (r.contacts[0].features[i] != ABUT_FEATURE_NONE && r.contacts[0].ids[i] >= 0));
    all->no_feature += !named;
    if (show && (took > 0.1 || !named || !(r.depth.lo > 0) || r.contact_count == 0 || !r.has_points ||
                 r.depth.hi > 1.2 * (out + 0.5 * spacing)))
        print_message(
            "%s: depth [%g, %g], samples %g, %d contacts, named %d (%d %d, %d %d), points %d, %g s\n", name,
            r.depth.lo, r.depth.hi, out, r.contact_count, named, r.contacts[0].features[0],
            (int)r.contacts[0].ids[0], r.contacts[0].features[1], (int)r.contacts[0].ids[1], r.has_points,
            took);
}

static void run_pair(int a, int b, uint64_t seed, tally *all)
{
    test_random r = test_seed(seed);
    form f[2];
    char name[128], shape[2][TEXT], motion[2][TEXT];
    (void)snprintf(name, sizeof name, "seed %" PRIu64 ", %s against %s", seed, form_name(a), form_name(b));
    const double t = test_uniform(&r, 0, 1);
    bool deep = false;
    for (int tries = 0; tries < 40 && !deep; ++tries) {
        form_random(&f[0], a, uniform, &r);
        form_random(&f[1], b, uniform, &r);
        for (int i = 0; i < 3; ++i)
            f[1].from[i] = f[1].to[i] = test_uniform(&r, -1.2, 1.2);
        sample(f, t);
        deep = counts[0] > 0 && counts[1] > 0 && level(f, t, at_once) < -0.03;
    }
    if (!deep)
        return;
    char *text = malloc(4 * TEXT + 512);
    for (int i = 0; i < 2; ++i) {
        form_shape(&f[i], shape[i], TEXT);
        form_motion(&f[i], motion[i], TEXT);
    }
    const int n =
        snprintf(text, 4 * TEXT + 512,
                 "{\"abut\":1,\"objects\":[{\"name\":\"a\",\"shape\":%s,\"motion\":%s},{\"name\":\"b\","
                 "\"shape\":%s,\"motion\":%s}]}",
                 shape[0], motion[0], shape[1], motion[1]);
    abut_scene *scene;
    abut_error error;
    TEST_CHECK(abut_scene_parse(text, (size_t)n, "pair", NULL, &scene, &error) == ABUT_OK, "%s: %s",
               error.path, error.text);
    const abut_scene_object o[2] = { abut_scene_get_object(scene, 0), abut_scene_get_object(scene, 1) };
    judge(f, o, t, name, &r, all);
    abut_scene_destroy(scene);
    free(text);
}

static void test_depths(void **state)
{
    (void)state;
    tally all = { 0 };
    int list[SOLIDS], n = 0;
    for (int k = 0; k < SOLIDS; ++k) {
        const form f = { .kind = k };
        if (form_is_solid(&f))
            list[n++] = k;
    }
    for (int i = 0; i < 2; ++i)
        points[i] = malloc(FORM_POINTS * sizeof *points[i]);
    const char *only = getenv("ABUT_TEST_SEED");
    const int pairs = n * (n + 1) / 2;
    const uint64_t from = only ? strtoull(only, NULL, 10) : 0,
                   count = only ? 1 : test_count((uint64_t)pairs * 2);
    for (uint64_t i = from; i < from + count; ++i) {
        int k = (int)(i * 101 % (uint64_t)pairs), a = 0; /* spread over all of them */
        while (k > a)
            k -= ++a;
        const char *u = form_name(list[a]), *v = form_name(list[k]);
        const bool endless = (strcmp(u, "halfspace") == 0 || strcmp(u, "heightfield") == 0) &&
                             (strcmp(v, "halfspace") == 0 || strcmp(v, "heightfield") == 0);
        if (!endless) /* no translation need part those */
            run_pair(list[a], list[k], i, &all);
    }
    print_message(
        "%d penetrate: %d without depth, %d with lower end 0, %d loose, %d without points, %d without "
        "contact, %d without features; %d above 100 ms, %.3f s at most\n",
        all.met, all.no_depth, all.no_lower, all.loose, all.no_points, all.no_contact, all.no_feature,
        all.slow, all.slowest);
    if (!only) {
        TEST_CHECK(all.no_depth == 0 && all.no_contact == 0, "%d without depth, %d without contact",
                   all.no_depth, all.no_contact);
        TEST_CHECK(all.no_lower * 20 <= all.met, "%d of %d with lower end 0", all.no_lower, all.met);
        TEST_CHECK(all.no_feature * 20 <= all.met, "%d of %d without features", all.no_feature, all.met);
        TEST_CHECK(all.no_points * 20 <= all.met, "%d of %d without points", all.no_points, all.met);
        TEST_CHECK(all.loose * 10 <= all.met, "%d of %d loose", all.loose, all.met);
    }
    for (int i = 0; i < 2; ++i)
        free(points[i]);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(test_depths) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
