/* SPDX-License-Identifier: MIT */
/* Steps of deforming meshes (abut/deform.h) against all pairs of features in integers. */
#include "abut/deform.h"

#include "ccd/test_deform.h"
#include "oracle/triangle_gmp.h"
#include "support/failing_allocator.h"

static abut_deform *make(const brute_mesh *m, uint64_t seed)
{
    abut_deform *d = NULL;
    abut_error error;
    const abut_status status =
        abut_deform_create(m->start, m->vertex_count, m->triangles, m->triangle_count, NULL, &d, &error);
    TEST_CHECK(status == ABUT_OK, "seed %" PRIu64 ": %s", seed, error.text);
    assert_int_equal(abut_deform_update(d, m->start, m->end, m->vertex_count, &error), ABUT_OK);
    assert_int_equal(abut_deform_edge_count(d), m->edge_count);
    for (size_t i = 0; i < m->edge_count; ++i) {
        uint32_t ends[2];
        assert_int_equal(abut_deform_get_edge(d, i, ends), ABUT_OK);
        assert_memory_equal(ends, m->edges + 2 * i, sizeof ends);
    }
    return d;
}

static const brute_contact *find(const brute_list *list, const abut_deform_contact *c)
{
    for (size_t i = 0; i < list->count; ++i) {
        const brute_contact *b = &list->items[i];
        const bool edges = c->features[0] == ABUT_FEATURE_EDGE;
        if (b->edges == edges && b->ids[0] == c->ids[0] && b->ids[1] == c->ids[1] &&
            (edges || b->face_first == (c->features[0] == ABUT_FEATURE_FACE)))
            return b;
    }
    return NULL;
}

enum { ROOM = BRUTE_CONTACTS };
static abut_deform_contact contacts[ROOM];
static brute_list all;

static void compare(const brute_mesh *ma, const brute_mesh *mb, abut_deform *a, abut_deform *b,
                    bool no_curvature, uint64_t seed)
{
    abut_deform_opts opts;
    abut_deform_result r;
    abut_deform_opts_init(&opts);
    opts.no_curvature = no_curvature;
    assert_int_equal(abut_deform_contacts(a, b, &opts, contacts, ROOM, &r), ABUT_OK);
    TEST_CHECK(r.count == all.count, "seed %" PRIu64 ": %zu contacts, expected %zu", seed, r.count,
               all.count);
    for (size_t i = 0; i < r.count; ++i) {
        const brute_contact *known = find(&all, &contacts[i]);
        TEST_CHECK(known, "seed %" PRIu64 ": features %d %d, ids %u %u", seed, (int)contacts[i].features[0],
                   (int)contacts[i].features[1], contacts[i].ids[0], contacts[i].ids[1]);
        TEST_CHECK(oracle_impact_first_in(known->at, contacts[i].time.lo, contacts[i].time.hi),
                   "seed %" PRIu64 ": [%a, %a]", seed, contacts[i].time.lo, contacts[i].time.hi);
        for (size_t k = 0; k < i && i < 300; ++k)
            TEST_CHECK(contacts[i].ids[0] != contacts[k].ids[0] || contacts[i].ids[1] != contacts[k].ids[1] ||
                           contacts[i].features[0] != contacts[k].features[0],
                       "seed %" PRIu64 ": twice", seed);
    }
    if (ma != mb || no_curvature) { /* those with a common vertex count, too, in one mesh */
        const size_t crossings = brute_crossings(ma, mb);
        TEST_CHECK(ma == mb ? r.crossings >= crossings : r.crossings == crossings,
                   "seed %" PRIu64 ": %zu crossings, expected %zu", seed, r.crossings, crossings);
    }
    const size_t crossings = r.crossings;
    TEST_CHECK(r.verdict == (crossings   ? ABUT_FIRST_OVERLAPPING
                             : all.count ? ABUT_FIRST_CONTACT
                                         : ABUT_FIRST_SEPARATE),
               "seed %" PRIu64 ": verdict %d", seed, (int)r.verdict);
    assert_int_equal(r.proof, ABUT_PROOF_EXACT);
    if (all.count > 0)
        TEST_CHECK(brute_first_in(&all, r.time.lo, r.time.hi), "seed %" PRIu64 ": first [%a, %a]", seed,
                   r.time.lo, r.time.hi);
    abut_deform_result first;
    assert_int_equal(abut_deform_first(a, b, &opts, contacts, ROOM, &first), ABUT_OK);
    TEST_CHECK(first.verdict == r.verdict && first.crossings == crossings &&
                   (all.count == 0 || brute_first_in(&all, first.time.lo, first.time.hi)),
               "seed %" PRIu64 ": first is [%a, %a], and of all [%a, %a]", seed, first.time.lo, first.time.hi,
               r.time.lo, r.time.hi);
    assert_int_equal(abut_deform_meeting(a, b, &opts, NULL, 0, &r), ABUT_OK);
    const size_t meetings = brute_meetings(ma, mb);
    TEST_CHECK(r.count == meetings, "seed %" PRIu64 ": %zu meet, expected %zu", seed, r.count, meetings);
}

static void test_pairs(void **state)
{
    (void)state;
    const uint64_t cases = test_count(60);
    static brute_mesh a, b;
    for (uint64_t seed = 0; seed < cases; ++seed) {
        test_random r = test_seed(seed);
        deform_make(&r, &a, false);
        deform_make(&r, &b, false);
        brute_contacts(&a, &b, &all);
        abut_deform *da = make(&a, seed), *db = make(&b, seed);
        compare(&a, &b, da, db, false, seed);
        abut_deform_destroy(da);
        abut_deform_destroy(db);
        brute_clear(&all);
    }
}

static void test_self(void **state)
{
    (void)state;
    const uint64_t cases = test_count(20);
    static brute_mesh a;
    for (uint64_t seed = 1000000; seed < 1000000 + cases; ++seed) {
        test_random r = test_seed(seed);
        deform_make(&r, &a, true);
        brute_contacts(&a, &a, &all);
        abut_deform *d = make(&a, seed);
        compare(&a, &a, d, NULL, false, seed);
        compare(&a, &a, d, d, true, seed);
        abut_deform_destroy(d);
        brute_clear(&all);
    }
}

/* A sheet that is bent smoothly, so that the curvature criterion has something to say: rolled up,
 * bent into a cone, waved, turned and moved as a whole. */
static void bend(test_random *r, const brute_mesh *rest, const double by[6], abut_vec3 *out)
{
    for (size_t i = 0; i < rest->vertex_count; ++i) {
        const double x = rest->start[i].x, y = rest->start[i].y, angle = by[0] * x;
        /* A ribbon around an axis: a cylinder where by[1] is 0, a cone otherwise. */
        const double radius = (by[0] != 0 ? 1 / by[0] : 0) + by[1] * y;
        abut_vec3 p = { x, y, by[2] * sin(by[3] * x) * cos(by[4] * y) };
        if (by[0] != 0)
            p = (abut_vec3){ radius * sin(angle), y * (1 - fabs(by[1])), -radius * cos(angle) + by[5] * x };
        out[i] = (abut_vec3){ p.x + test_uniform(r, -.01, .01), p.y + test_uniform(r, -.01, .01),
                              p.z + test_uniform(r, -.01, .01) };
    }
}

static void test_bent(void **state)
{
    (void)state;
    const uint64_t cases = test_count(8);
    static brute_mesh rest, a;
    uint64_t skips = 0, tests = 0, plain = 0;
    for (uint64_t seed = 2000000; seed < 2000000 + cases; ++seed) {
        test_random r = test_seed(seed);
        const bool ribbon = test_below(&r, 2);
        deform_sheet(&rest, ribbon ? 10 + test_below(&r, 12) : 5 + test_below(&r, 4),
                     ribbon ? 2 + test_below(&r, 2) : 5 + test_below(&r, 4));
        a = rest;
        double by[6] = { test_below(&r, 2) ? test_uniform(&r, .2, .8) : 0,
                         test_uniform(&r, -.6, .6),
                         test_uniform(&r, 0, 1),
                         test_uniform(&r, 0, 2),
                         test_uniform(&r, 0, 2),
                         test_below(&r, 2) ? test_uniform(&r, -.1, .1) : 0 };
        bend(&r, &rest, by, a.start);
        for (int i = 0; i < 6; ++i)
            by[i] += by[i] != 0 ? test_uniform(&r, -.2, .2) : 0;
        bend(&r, &rest, by, a.end);
        const abut_vec3 shift = { test_uniform(&r, -9, 9), test_uniform(&r, -9, 9), test_uniform(&r, -9, 9) };
        for (size_t i = 0; i < a.vertex_count; ++i)
            a.end[i] = (abut_vec3){ a.end[i].x + shift.x, a.end[i].y + shift.y, a.end[i].z + shift.z };
        if (!test_below(&r, 3))
            memcpy(a.end, a.start, sizeof a.end);
        brute_find_edges(&a);
        brute_contacts(&a, &a, &all);
        /* The hierarchy is made from the sheet at rest, or from the bent one. */
        abut_deform *d = NULL;
        assert_int_equal(abut_deform_create(test_below(&r, 2) ? rest.start : a.start, a.vertex_count,
                                            a.triangles, a.triangle_count, NULL, &d, NULL),
                         ABUT_OK);
        assert_int_equal(abut_deform_update(d, a.start, a.end, a.vertex_count, NULL), ABUT_OK);
        compare(&a, &a, d, NULL, false, seed);
        abut_deform_opts opts;
        abut_deform_result result;
        abut_deform_opts_init(&opts);
        assert_int_equal(abut_deform_contacts(d, NULL, NULL, NULL, 0, &result), ABUT_OK);
        skips += result.counters.curvature_skips;
        tests += result.counters.feature_tests;
        opts.no_curvature = true;
        assert_int_equal(abut_deform_contacts(d, NULL, &opts, NULL, 0, &result), ABUT_OK);
        plain += result.counters.feature_tests;
        abut_deform_destroy(d);
        brute_clear(&all);
    }
    assert_true(cases < 8 || skips > cases);
    assert_true(cases < 8 || tests < plain);
}

/* A ribbon of one row of cells, bent into a cone that is nearly flat: all normals are within a
 * small angle of the axis, and yet its ends run through each other. */
static void test_cone(void **state)
{
    (void)state;
    static brute_mesh m;
    for (int cells = 8; cells <= 24; cells += 8)
        for (int overlap = -2; overlap <= 3; ++overlap) {
            deform_sheet(&m, (uint32_t)cells + 1, 2);
            for (int j = 0; j < 2; ++j)
                for (int i = 0; i <= cells; ++i) {
                    const double angle = 2 * 3.14159265358979 * (1 + overlap / 16.0) * i / cells;
                    const double radius = 4 + j, slope = 0.3;
                    m.start[j * (cells + 1) + i] =
                        (abut_vec3){ radius * cos(angle), radius * sin(angle), slope * radius + 0.001 * i };
                }
            /* The second ring runs inside the first where the ribbon overlaps. */
            memcpy(m.end, m.start, sizeof m.end);
            for (int i = 0; i <= cells; ++i)
                m.end[i].z += 0.002 * i - 0.03;
            brute_find_edges(&m);
            brute_contacts(&m, &m, &all);
            abut_deform *d = make(&m, 0);
            compare(&m, &m, d, NULL, false, (uint64_t)(cells * 100 + overlap));
            abut_deform_destroy(d);
            brute_clear(&all);
        }
}

/* ---- proximity ---- */

static void test_near(void **state)
{
    (void)state;
    const uint64_t cases = test_count(60);
    static brute_mesh a, b;
    static abut_deform_near_pair pairs[40000];
    for (uint64_t seed = 3000000; seed < 3000000 + cases; ++seed) {
        test_random r = test_seed(seed);
        deform_make(&r, &a, false);
        deform_make(&r, &b, false);
        const bool self = test_below(&r, 2);
        const double d = test_uniform(&r, .1, 1.5);
        memcpy(a.end, a.start, sizeof a.end);
        memcpy(b.end, b.start, sizeof b.end);
        const brute_mesh *other = self ? &a : &b;
        abut_deform *da = make(&a, seed), *db = make(&b, seed);
        abut_deform_near_result found;
        assert_int_equal(abut_deform_near(da, self ? da : db, d, pairs, 40000, &found), ABUT_OK);
        size_t sure = 0, possible = 0;
        mpq_t d2;
        mpq_init(d2);
        const abut_pose still = { { 0, 0, 0 }, { 1, 0, 0, 0 } };
        for (int kind = 0; kind < (self ? 2 : 3); ++kind) {
            const brute_mesh *p = kind == 2 ? &b : &a, *q = kind == 2 ? &a : other;
            const size_t pn = kind == 1 ? p->edge_count : p->vertex_count,
                         qn = kind == 1 ? q->edge_count : q->triangle_count;
            for (size_t i = 0; i < pn; ++i)
                for (size_t k = self && kind == 1 ? i + 1 : 0; k < qn; ++k) {
                    const uint32_t v = (uint32_t)i;
                    const uint32_t vi[3] = { kind == 1 ? p->edges[2 * i] : v,
                                             kind == 1 ? p->edges[2 * i + 1] : v,
                                             kind == 1 ? p->edges[2 * i + 1] : v };
                    const uint32_t *t = q->triangles + 3 * k, *e = q->edges + 2 * k;
                    const uint32_t vk[3] = { kind == 1 ? e[0] : t[0], kind == 1 ? e[1] : t[1],
                                             kind == 1 ? e[1] : t[2] };
                    bool skip = kind != 1;
                    for (size_t j = 0; kind != 1 && j < 3 * p->triangle_count; ++j)
                        skip = skip && p->triangles[j] != v;
                    for (int j = 0; self && j < 9; ++j)
                        skip = skip || vi[j / 3] == vk[j % 3];
                    if (skip)
                        continue;
                    const abut_vec3 x[3] = { p->start[vi[0]], p->start[vi[1]], p->start[vi[2]] },
                                    y[3] = { q->start[vk[0]], q->start[vk[1]], q->start[vk[2]] };
                    oracle_triangle_distance2(&still, x, &still, y, d2);
                    sure += oracle_compare_square(d * (1 - 1e-12), d2) > 0;
                    possible += oracle_compare_square(d * (1 + 1e-12), d2) > 0;
                    const abut_feature fa = kind == 1   ? ABUT_FEATURE_EDGE
                                            : kind == 2 ? ABUT_FEATURE_FACE
                                                        : ABUT_FEATURE_VERTEX;
                    const uint32_t ia = (uint32_t)(kind == 2 ? k : i), ib = (uint32_t)(kind == 2 ? i : k);
                    for (size_t n = 0; n < found.count; ++n)
                        if (pairs[n].features[0] == fa && pairs[n].ids[0] == ia && pairs[n].ids[1] == ib)
                            TEST_CHECK(oracle_compare_square(pairs[n].distance.lo, d2) <= 0 &&
                                           oracle_compare_square(pairs[n].distance.hi, d2) >= 0,
                                       "seed %" PRIu64, seed);
                }
        }
        mpq_clear(d2);
        /* Squares of huge distances overflow. */
        size_t open = 0;
        for (size_t i = 0; i < a.vertex_count + b.vertex_count; ++i) {
            const abut_vec3 x = i < a.vertex_count ? a.start[i] : b.start[i - a.vertex_count];
            open = fmax(fabs(x.x), fmax(fabs(x.y), fabs(x.z))) > 1e80 ? found.unknown : open;
        }
        TEST_CHECK(found.count >= sure && found.count <= possible + open,
                   "seed %" PRIu64 ": %zu, expected %zu to %zu", seed, found.count, sure, possible);
        abut_deform_destroy(da);
        abut_deform_destroy(db);
    }
}

/* ---- errors and memory ---- */

static void test_errors(void **state)
{
    (void)state;
    const abut_vec3 x[3] = { { 0, 0, 0 }, { 1, 0, 0 }, { 0, 1, 0 } }, bad[3] = { { 0, 0, 0 }, { 1, NAN, 0 } };
    const uint32_t t[3] = { 0, 1, 2 }, wrong[3] = { 0, 1, 3 };
    abut_deform *d = NULL;
    abut_error error;
    assert_int_equal(abut_deform_create(bad, 3, t, 1, NULL, &d, &error), ABUT_ERR_ARGUMENT);
    assert_int_equal(error.index, 1);
    assert_null(d);
    assert_int_equal(abut_deform_create(x, 3, wrong, 1, NULL, &d, &error), ABUT_ERR_ARGUMENT);
    assert_int_equal(abut_deform_create(x, 3, t, 0, NULL, &d, &error), ABUT_ERR_ARGUMENT);
    assert_int_equal(abut_deform_create(x, 3, t, 1, NULL, NULL, &error), ABUT_ERR_ARGUMENT);
    assert_int_equal(abut_deform_create(x, 3, t, 1, NULL, &d, &error), ABUT_OK);
    assert_int_equal(abut_deform_update(d, x, bad, 3, &error), ABUT_ERR_ARGUMENT);
    assert_int_equal(error.index, 1);
    assert_int_equal(abut_deform_update(d, x, NULL, 2, &error), ABUT_ERR_ARGUMENT);
    abut_deform_result r;
    abut_deform_near_result n;
    assert_int_equal(abut_deform_contacts(NULL, d, NULL, NULL, 0, &r), ABUT_ERR_ARGUMENT);
    assert_int_equal(abut_deform_contacts(d, NULL, NULL, NULL, 1, &r), ABUT_ERR_ARGUMENT);
    assert_int_equal(abut_deform_near(d, NULL, 0, NULL, 0, &n), ABUT_ERR_ARGUMENT);
    assert_int_equal(abut_deform_near(d, NULL, NAN, NULL, 0, &n), ABUT_ERR_ARGUMENT);
    abut_deform_destroy(d);
    abut_deform_destroy(NULL);
}

static void test_memory(void **state)
{
    (void)state;
    static brute_mesh m;
    test_random r = test_seed(7);
    deform_sheet(&m, 5, 5);
    deform_positions(&r, &m);
    abut_status status;
    TEST_EVERY_ALLOCATION_FAILS(
        alloc,
        {
            abut_deform *d;
            status =
                abut_deform_create(m.start, m.vertex_count, m.triangles, m.triangle_count, &alloc, &d, NULL);
            if (status == ABUT_OK) {
                const uint64_t before = test_f.requests;
                abut_deform_result result;
                assert_int_equal(abut_deform_update(d, m.start, m.end, m.vertex_count, NULL), ABUT_OK);
                assert_int_equal(abut_deform_contacts(d, NULL, NULL, NULL, 0, &result), ABUT_OK);
                assert_int_equal(test_f.requests, before); /* nothing is allocated in steady state */
                abut_deform_destroy(d);
            }
        },
        status);
}

int main(int argc, char **argv)
{
    if (argc > 1)
        cmocka_set_test_filter(argv[1]);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_pairs),  cmocka_unit_test(test_self), cmocka_unit_test(test_bent),
        cmocka_unit_test(test_cone),   cmocka_unit_test(test_near), cmocka_unit_test(test_errors),
        cmocka_unit_test(test_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
