/* SPDX-License-Identifier: MIT */
/* Two surfaces: pairs of triangles that meet, verdicts, distances and contacts, against
 * rationals. */
#include "narrow/mesh_cases.h"
#include "oracle/mesh_gmp.h"

static const double sizes[] = { 1, 1, 1, 0x1p-100, 0x1p90, 1e-150, 1e150 };

typedef struct pair_case {
    mesh_case a, b;
    abut_pose pose_a, pose_b;
    abut_shape *shape_a, *shape_b;
    mesh_gmp *gmp_a, *gmp_b;
    mpq_t square; /* of the distance */
    double size;
    uint64_t seed;
} pair_case;

/* Volumes and builders change from case to case: the answers may not. */
static void case_set(pair_case *c, uint64_t seed)
{
    test_random r = test_seed(seed);
    const unsigned grid = test_below(&r, 4) == 0 ? 0 : 2 + 2 * test_below(&r, 3);
    c->seed = seed;
    c->size = sizes[test_below(&r, sizeof sizes / sizeof *sizes)];
    case_soup(&c->a, &r, 1 + test_below(&r, 7), grid, c->size);
    case_soup(&c->b, &r, 1 + test_below(&r, 7), grid, c->size);
    const int kind = (int)test_below(&r, 5);
    const double step = grid ? c->size / grid : c->size;
    c->pose_a = case_pose(&r, kind, step, c->size);
    c->pose_b = case_pose(&r, kind, step, c->size);
    if (test_below(&r, 4) == 0) { /* the same turn for both: only the places differ */
        c->pose_b.rotation = c->pose_a.rotation;
        if (test_below(&r, 2))
            c->b = c->a;
        if (test_below(&r, 2))
            c->pose_b.position = c->pose_a.position;
    }
    if (test_below(&r, 3) == 0) { /* further apart */
        c->pose_b.position.x += 3 * c->size;
        c->pose_b.position.y += test_uniform(&r, 0, 3) * c->size;
    }
    const abut_volume volume = (abut_volume)test_below(&r, ABUT_VOLUME_COUNT);
    const abut_builder builder = (abut_builder)test_below(&r, ABUT_BUILDER_COUNT);
    c->shape_a = case_shape(&c->a, false, volume, builder);
    c->shape_b = case_shape(&c->b, false, test_below(&r, 4) ? volume : ABUT_VOLUME_AUTO, builder);
    TEST_CHECK(c->shape_a && c->shape_b, "seed %" PRIu64, seed);
    c->gmp_a =
        mesh_gmp_create(c->a.vertices, c->a.vertex_count, c->a.triangles, c->a.triangle_count, &c->pose_a);
    c->gmp_b =
        mesh_gmp_create(c->b.vertices, c->b.vertex_count, c->b.triangles, c->b.triangle_count, &c->pose_b);
    mpq_init(c->square);
    mesh_gmp_distance(c->gmp_a, c->gmp_b, c->square);
}

static void case_clear(pair_case *c)
{
    abut_shape_release(c->shape_a);
    abut_shape_release(c->shape_b);
    mesh_gmp_destroy(c->gmp_a);
    mesh_gmp_destroy(c->gmp_b);
    mpq_clear(c->square);
}

typedef struct stream {
    size_t count;
} stream;

static bool count_contacts(void *ctx, const abut_triangle_contact *contacts, size_t count)
{
    stream *s = ctx;
    for (size_t i = 0; i < count; ++i)
        assert_true(contacts[i].meet != ABUT_MEET_NONE);
    s->count += count;
    return true;
}

static size_t check_list(pair_case *c)
{
    static abut_triangle_contact found[200];
    abut_contacts_result result;
    abut_contacts_opts opts;
    stream s = { 0 };
    abut_contacts_opts_init(&opts);
    opts.on_contacts = count_contacts;
    opts.on_contacts_ctx = &s;
    opts.descent = c->seed % 2 ? ABUT_DESCENT_BOTH : ABUT_DESCENT_LARGER;
    const size_t capacity = c->seed % 5 == 0 ? 7 : 200;
    assert_int_equal(
        abut_contacts(c->shape_a, &c->pose_a, c->shape_b, &c->pose_b, &opts, NULL, found, capacity, &result),
        ABUT_OK);
    size_t n = 0;
    for (size_t i = 0; i < c->a.triangle_count; ++i)
        for (size_t j = 0; j < c->b.triangle_count; ++j) {
            const int meet = mesh_gmp_meet(c->gmp_a, i, c->gmp_b, j);
            if (meet == 0)
                continue;
            if (n < capacity)
                TEST_CHECK(n < result.count && found[n].a == i && found[n].b == j &&
                               (int)found[n].meet == meet,
                           "seed %" PRIu64 ": pair %zu is %zu %zu kind %d, found %u %u kind %d of %zu",
                           c->seed, n, i, j, meet, found[n].a, found[n].b, (int)found[n].meet, result.count);
            ++n;
        }
    TEST_CHECK(n == result.count && s.count == n && result.unknown == 0,
               "seed %" PRIu64 ": %zu of %zu, streamed %zu", c->seed, result.count, n, s.count);
    assert_int_equal(result.verdict, n ? ABUT_TOUCHING : ABUT_SEPARATE);
    assert_int_equal(result.proof, ABUT_PROOF_EXACT);
    return n;
}

static void check_distance(pair_case *c, bool meets, abut_interval found, abut_verdict verdict,
                           const char *what)
{
    TEST_CHECK(verdict == (meets ? ABUT_TOUCHING : ABUT_SEPARATE), "%s, seed %" PRIu64 ": verdict %d", what,
               c->seed, (int)verdict);
    TEST_CHECK(mesh_gmp_compare(found.lo, c->square) <= 0 && mesh_gmp_compare(found.hi, c->square) >= 0,
               "%s, seed %" PRIu64 ": [%a, %a] misses %.17g", what, c->seed, found.lo, found.hi,
               sqrt(mpq_get_d(c->square)));
    if (found.hi < INFINITY)
        TEST_CHECK(found.hi - found.lo <= 0x1p-40 * c->size || found.lo == 0,
                   "%s, seed %" PRIu64 ": [%a, %a] is wide", what, c->seed, found.lo, found.hi);
}

static void check_queries(pair_case *c, bool meets)
{
    abut_overlap_result overlap;
    abut_check_result check;
    abut_distance_result distance;
    assert_int_equal(abut_overlap(c->shape_a, &c->pose_a, c->shape_b, &c->pose_b, NULL, NULL, &overlap),
                     ABUT_OK);
    TEST_CHECK(overlap.verdict == (meets ? ABUT_TOUCHING : ABUT_SEPARATE), "seed %" PRIu64, c->seed);
    assert_int_equal(overlap.proof, ABUT_PROOF_EXACT);
    assert_int_equal(abut_check(c->shape_a, &c->pose_a, c->shape_b, &c->pose_b, NULL, NULL, &check), ABUT_OK);
    check_distance(c, meets, check.distance, check.verdict, "check");
    assert_true(meets ? check.contact_count > 0 : check.contact_count == 0);
    for (int k = 0; k < check.contact_count; ++k) {
        const abut_contact *p = &check.contacts[k];
        TEST_CHECK(mesh_gmp_meet(c->gmp_a, (size_t)p->ids[0], c->gmp_b, (size_t)p->ids[1]) != 0,
                   "seed %" PRIu64, c->seed);
        TEST_NEAR(p->normal.x * p->normal.x + p->normal.y * p->normal.y + p->normal.z * p->normal.z, 1, 1e-9,
                  "seed %" PRIu64, c->seed);
    }
    assert_int_equal(abut_distance(c->shape_a, &c->pose_a, c->shape_b, &c->pose_b, NULL, NULL, &distance),
                     ABUT_OK);
    check_distance(c, meets, distance.distance, distance.verdict, "distance");
    if (meets)
        return;
    /* Further than half of it, nearer than twice it; about it within a factor; not within a
     * tenth of it. */
    const double d = distance.distance.hi;
    abut_overlap_opts clear;
    abut_overlap_opts_init(&clear);
    clear.clearance = 0.5 * d;
    assert_int_equal(abut_overlap(c->shape_a, &c->pose_a, c->shape_b, &c->pose_b, &clear, NULL, &overlap),
                     ABUT_OK);
    /* Where the distance was enclosed above half of it, so must this be reported: doubt is for gaps
     * within rounding of the sizes. */
    const bool clear_gap = distance.distance.lo > clear.clearance;
    TEST_CHECK(clear_gap || d <= 0x1p-44 * c->size, "seed %" PRIu64, c->seed);
    TEST_CHECK(overlap.verdict == ABUT_SEPARATE || (!clear_gap && overlap.verdict == ABUT_UNDECIDED),
               "seed %" PRIu64, c->seed);
    if (!clear_gap)
        return;
    clear.clearance = 2 * d;
    assert_int_equal(abut_overlap(c->shape_a, &c->pose_a, c->shape_b, &c->pose_b, &clear, NULL, &overlap),
                     ABUT_OK);
    TEST_CHECK(overlap.verdict == ABUT_PENETRATING, "seed %" PRIu64, c->seed);
    abut_distance_opts about;
    abut_distance_opts_init(&about);
    about.relative = 0.25;
    assert_int_equal(abut_distance(c->shape_a, &c->pose_a, c->shape_b, &c->pose_b, &about, NULL, &distance),
                     ABUT_OK);
    TEST_CHECK(mesh_gmp_compare(distance.distance.lo, c->square) <= 0 &&
                   mesh_gmp_compare(distance.distance.hi, c->square) >= 0,
               "relative, seed %" PRIu64, c->seed);
    TEST_CHECK(distance.distance.hi <= 1.25 * (1 + 1e-12) * distance.distance.lo, "relative, seed %" PRIu64,
               c->seed);
    abut_check_opts opts;
    abut_check_opts_init(&opts);
    opts.relative = 0.25;
    abut_check_result wide;
    assert_int_equal(abut_check(c->shape_a, &c->pose_a, c->shape_b, &c->pose_b, &opts, NULL, &wide), ABUT_OK);
    TEST_CHECK(mesh_gmp_compare(wide.distance.lo, c->square) <= 0 &&
                   mesh_gmp_compare(wide.distance.hi, c->square) >= 0 &&
                   wide.distance.hi <= 1.25 * (1 + 1e-12) * wide.distance.lo,
               "relative check, seed %" PRIu64, c->seed);
    about.relative = 0;
    about.cutoff = 0.1 * d;
    assert_int_equal(abut_distance(c->shape_a, &c->pose_a, c->shape_b, &c->pose_b, &about, NULL, &distance),
                     ABUT_OK);
    TEST_CHECK(distance.verdict == ABUT_SEPARATE && distance.stop == ABUT_STOP_CUTOFF &&
                   distance.distance.lo >= 0.1 * d && distance.distance.lo <= d * (1 + 1e-12),
               "cutoff, seed %" PRIu64 ": [%a, %a], %d", c->seed, distance.distance.lo, distance.distance.hi,
               (int)distance.stop);
}

static void test_soups(void **state)
{
    (void)state;
    static pair_case c;
    size_t meeting = 0;
    const uint64_t count = test_count(300);
    for (uint64_t seed = 0; seed < count; ++seed) {
        case_set(&c, seed);
        const bool meets = check_list(&c) > 0;
        meeting += meets;
        check_queries(&c, meets);
        case_clear(&c);
    }
    if (count > 100)
        assert_true(meeting > count / 10 && meeting < count - count / 10);
}

/* Thousands of triangles in one place: every pair is as near as any other, and the query ends
 * all the same. */
static void heaps_of_doubles(void **state)
{
    (void)state;
    enum { HEAP = 3000 };
    const abut_vec3 v[3] = { { 0, 0, 0 }, { 1, 0, 0 }, { 0, 1, 0 } };
    static uint32_t triangles[3 * HEAP];
    for (uint32_t i = 0; i < 3 * HEAP; ++i)
        triangles[i] = i % 3;
    abut_shape *heap;
    assert_int_equal(abut_shape_create_mesh(v, 3, triangles, HEAP, false, NULL, &heap, NULL), ABUT_OK);
    const abut_pose away = { { .25, .25, .75 }, { 1, .1, .2, 0 } };
    abut_distance_result r;
    assert_int_equal(abut_distance(heap, NULL, heap, &away, NULL, NULL, &r), ABUT_OK);
    assert_int_equal(r.verdict, ABUT_SEPARATE);
    assert_int_equal(r.stop, ABUT_STOP_BUDGET);
    abut_shape *one;
    abut_distance_result exact;
    assert_int_equal(abut_shape_create_mesh(v, 3, triangles, 1, false, NULL, &one, NULL), ABUT_OK);
    assert_int_equal(abut_distance(one, NULL, one, &away, NULL, NULL, &exact), ABUT_OK);
    assert_true(r.distance.lo <= exact.distance.lo && r.distance.hi >= exact.distance.lo);
    TEST_CHECK(r.distance.lo > .8 * r.distance.hi, "[%g, %g]", r.distance.lo, r.distance.hi);
    abut_shape_release(heap);
    abut_shape_release(one);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(heaps_of_doubles), cmocka_unit_test(test_soups) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
