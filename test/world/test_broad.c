/* SPDX-License-Identifier: MIT */
/* Broad phases against all pairs by brute force, on sets that are uniform, clustered, flush,
 * coincident, of many sizes, long, far apart, without end; any method, any number of threads; what
 * comes again after the boxes moved. */
#include "box_sets.h"
#include "support/failing_allocator.h"

static void check_pairs(const abut_aabb *boxes, size_t count, const abut_box_pair *pairs, size_t found,
                        const char *what, uint64_t seed)
{
    size_t at = 0;
    for (uint32_t i = 0; i < count; ++i)
        for (uint32_t j = i + 1; j < count; ++j) {
            const bool meet = boxes_have_common_point(&boxes[i], &boxes[j]);
            const bool listed = at < found && pairs[at].a == i && pairs[at].b == j;
            TEST_CHECK(meet == listed, "%s, seed %" PRIu64 ": pair %u %u %s", what, seed, i, j,
                       meet ? "is missing" : "does not meet");
            at += listed;
        }
    TEST_CHECK(at == found, "%s, seed %" PRIu64 ": %zu pairs listed, %zu meet", what, seed, found, at);
}

static abut_broad *make(abut_broad_method method, int threads, bool sorted)
{
    abut_broad_opts opts;
    abut_broad *broad;
    abut_broad_opts_init(&opts);
    opts.method = method;
    opts.threads = threads;
    opts.sorted = sorted;
    assert_int_equal(abut_broad_create(&opts, NULL, &broad), ABUT_OK);
    return broad;
}

static void shift(test_random *r, abut_aabb *boxes, size_t count, double by)
{
    for (size_t i = 0; i < count; ++i) {
        const double x = test_uniform(r, -by, by), y = test_uniform(r, -by, by);
        boxes[i].lo.x += x;
        boxes[i].hi.x += x;
        boxes[i].lo.y += y;
        boxes[i].hi.y += y;
    }
}

static void test_against_brute_force(void **state)
{
    (void)state;
    enum { MOST = 520, STEPS = 4 };
    static abut_aabb boxes[MOST];
    for (abut_broad_method method = ABUT_BROAD_AUTO; method < ABUT_BROAD_COUNT; ++method)
        for (uint64_t seed = 0; seed < test_count(3 * BOX_SETS); ++seed) {
            test_random r = test_seed(seed);
            const int kind = (int)(seed % BOX_SETS);
            size_t count = test_below(&r, 4) == 0 ? test_below(&r, 30) : 25 + test_below(&r, MOST - 25);
            abut_broad *broad = make(method, 1, true);
            box_set_make(kind, &r, count, boxes);
            for (int step = 0; step < STEPS; ++step) {
                const abut_box_pair *pairs;
                size_t found;
                /* as they are, unchanged, and with one box that moved */
                for (int again = 0; again < (step == 0 ? 3 : 1); ++again) {
                    assert_int_equal(abut_broad_update(broad, boxes, count, &pairs, &found), ABUT_OK);
                    check_pairs(boxes, count, pairs, found, box_set_names[kind], seed);
                    if (again == 1)
                        shift(&r, boxes, count < 1 ? 0 : 1, .3);
                }
                if (step == 1) { /* some go, some come */
                    count = count / 2 + test_below(&r, (unsigned)(MOST - count / 2));
                    box_set_make((int)test_below(&r, BOX_SETS), &r, count, boxes);
                } else {
                    shift(&r, boxes, count, step == 0 ? .05 : 2);
                    if (count)
                        boxes[test_below(&r, (unsigned)count)].lo.x = 1e9;
                }
            }
            abut_broad_destroy(broad);
        }
}

/* Large sets: threads, crowded cells and the tree that takes over; judged by a sweep along x. */
static int by_x(const void *a, const void *b)
{
    const abut_aabb *x = *(const abut_aabb *const *)a, *y = *(const abut_aabb *const *)b;
    return (x->lo.x > y->lo.x) - (x->lo.x < y->lo.x);
}

static uint64_t mix(uint64_t a, uint64_t b)
{
    test_random r = { (a < b ? a << 32 | b : b << 32 | a) };
    return test_bits(&r);
}

static void sweep(const abut_aabb *boxes, size_t count, size_t *pairs, uint64_t *sum)
{
    const abut_aabb **order = malloc(count * sizeof *order);
    size_t n = 0;
    assert_non_null(order);
    for (size_t i = 0; i < count; ++i)
        if (boxes[i].lo.x <= boxes[i].hi.x)
            order[n++] = &boxes[i];
    qsort(order, n, sizeof *order, by_x);
    *pairs = 0;
    *sum = 0;
    for (size_t i = 0; i < n; ++i)
        for (size_t j = i + 1; j < n && order[j]->lo.x <= order[i]->hi.x; ++j)
            if (boxes_have_common_point(order[i], order[j])) {
                ++*pairs;
                *sum += mix((uint64_t)(order[i] - boxes), (uint64_t)(order[j] - boxes));
            }
    free(order);
}

static void test_large(void **state)
{
    (void)state;
    enum { COUNT = 18000 };
    static const int kinds[] = { UNIFORM, CLUSTERED, FLUSH, SIZES, NEEDLES, FAR_APART, STRANGE, PLATES };
    abut_aabb *boxes = malloc(COUNT * sizeof *boxes);
    assert_non_null(boxes);
    /* all kinds at full size only: the referee is quadratic where boxes are long */
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds && k < 2 + test_count(6); ++k) {
        test_random r = test_seed(k + 900);
        size_t expected, found[2];
        uint64_t sum;
        box_set_make(kinds[k], &r, COUNT, boxes);
        sweep(boxes, COUNT, &expected, &sum);
        /* the batch method alone has threads */
        for (abut_broad_method method = ABUT_BROAD_AUTO; method <= ABUT_BROAD_BATCH; ++method) {
            const abut_box_pair *pairs[2];
            abut_broad *broad[2];
            for (int i = 0; i < 2; ++i) {
                broad[i] = make(method, i ? 3 : 1, false);
                assert_int_equal(abut_broad_update(broad[i], boxes, COUNT, &pairs[i], &found[i]), ABUT_OK);
            }
            uint64_t own = 0;
            for (size_t i = 0; i < found[0]; ++i)
                own += mix(pairs[0][i].a, pairs[0][i].b);
            TEST_CHECK(found[0] == expected && own == sum, "%s by %s: %zu pairs, %zu expected",
                       box_set_names[kinds[k]], abut_broad_method_name(method), found[0], expected);
            TEST_CHECK(found[1] == found[0] &&
                           (found[0] == 0 || memcmp(pairs[0], pairs[1], found[0] * sizeof **pairs) == 0),
                       "%s by %s: another order on three threads", box_set_names[kinds[k]],
                       abut_broad_method_name(method));
            abut_broad_destroy(broad[0]);
            abut_broad_destroy(broad[1]);
        }
    }
    free(boxes);
}

/* As many pairs as there can be: an error in place of a machine without memory. */
static void test_limit(void **state)
{
    (void)state;
    enum { COUNT = 20000 };
    abut_aabb *boxes = malloc(COUNT * sizeof *boxes);
    assert_non_null(boxes);
    for (size_t i = 0; i < COUNT; ++i)
        boxes[i] = box_about(1, 2, 3, 1, 1, 1);
    for (abut_broad_method method = ABUT_BROAD_AUTO; method < ABUT_BROAD_COUNT; ++method) {
        abut_broad_opts opts;
        abut_broad *broad;
        const abut_box_pair *pairs;
        size_t found = 1;
        abut_broad_opts_init(&opts);
        opts.method = method;
        opts.max_pairs = 500000;
        assert_int_equal(abut_broad_create(&opts, NULL, &broad), ABUT_OK);
        assert_int_equal(abut_broad_update(broad, boxes, COUNT, &pairs, &found), ABUT_ERR_LIMIT);
        assert_int_equal(found, 0);
        /* exactly as many as allowed are no error */
        assert_int_equal(abut_broad_update(broad, boxes, 1000, &pairs, &found), ABUT_OK);
        assert_int_equal(found, 499500);
        abut_broad_destroy(broad);
    }
    free(boxes);
}

static void test_arguments(void **state)
{
    (void)state;
    abut_broad_opts opts;
    abut_broad *broad;
    const abut_box_pair *pairs;
    size_t found;
    const abut_aabb box = { { 0, 0, 0 }, { 1, 1, 1 } };
    abut_broad_opts_init(&opts);
    opts.method = ABUT_BROAD_COUNT;
    assert_int_equal(abut_broad_create(&opts, NULL, &broad), ABUT_ERR_ARGUMENT);
    assert_null(broad);
    assert_int_equal(abut_broad_create(NULL, NULL, NULL), ABUT_ERR_ARGUMENT);
    assert_int_equal(abut_broad_create(NULL, NULL, &broad), ABUT_OK);
    assert_int_equal(abut_broad_update(NULL, &box, 1, &pairs, &found), ABUT_ERR_ARGUMENT);
    assert_int_equal(abut_broad_update(broad, NULL, 1, &pairs, &found), ABUT_ERR_ARGUMENT);
    assert_int_equal(abut_broad_update(broad, NULL, 0, &pairs, &found), ABUT_OK);
    assert_int_equal(found, 0);
    abut_broad_destroy(broad);
    abut_broad_destroy(NULL);
    assert_string_equal(abut_broad_method_name(ABUT_BROAD_AUTO), "auto");
    assert_string_equal(abut_broad_method_name((abut_broad_method)99), "unknown");
}

static void test_memory(void **state)
{
    (void)state;
    enum { COUNT = 300 };
    static abut_aabb boxes[COUNT];
    for (abut_broad_method method = ABUT_BROAD_AUTO; method < ABUT_BROAD_COUNT; ++method)
        for (int kind = 0; kind < 2; ++kind) {
            test_random r = test_seed(5);
            box_set_make(kind ? COINCIDENT : UNIFORM, &r, COUNT, boxes);
            abut_status status;
            TEST_EVERY_ALLOCATION_FAILS(
                alloc,
                {
                    abut_broad_opts opts;
                    abut_broad *broad;
                    abut_broad_opts_init(&opts);
                    opts.method = method;
                    opts.sorted = true;
                    status = abut_broad_create(&opts, &alloc, &broad);
                    if (status == ABUT_OK) {
                        const abut_box_pair *pairs;
                        size_t found;
                        status = abut_broad_update(broad, boxes, COUNT, &pairs, &found);
                        /* the next one starts anew, and is right */
                        if (abut_broad_update(broad, boxes, COUNT, &pairs, &found) == ABUT_OK)
                            check_pairs(boxes, COUNT, pairs, found, "after memory was out", 5);
                        abut_broad_destroy(broad);
                    }
                },
                status);
        }
}

int main(int argc, char **argv)
{
    if (argc > 1)
        cmocka_set_test_filter(argv[1]);
    const struct CMUnitTest tests[] = { cmocka_unit_test(test_against_brute_force),
                                        cmocka_unit_test(test_large), cmocka_unit_test(test_limit),
                                        cmocka_unit_test(test_arguments), cmocka_unit_test(test_memory) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
