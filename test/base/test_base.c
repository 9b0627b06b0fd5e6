/* SPDX-License-Identifier: MIT */
/* Referees: the C library's qsort, and counting. */
#include "base/error.h"
#include "base/heap.h"
#include "base/memory.h"
#include "base/sort.h"
#include "base/workspace.h"
#include "support/failing_allocator.h"

static void every_status_has_its_own_name_and_text(void **state)
{
    (void)state;
    const abut_status all[] = {
#define CODE(name, code, text) name,
        ABUT_STATUS_LIST(CODE)
#undef CODE
    };
    const size_t count = sizeof all / sizeof *all;
    for (size_t i = 0; i < count; ++i)
        for (size_t j = 0; j < i; ++j) {
            assert_string_not_equal(abut_status_name(all[i]), abut_status_name(all[j]));
            assert_string_not_equal(abut_status_text(all[i]), abut_status_text(all[j]));
        }
    assert_string_equal(abut_status_name((abut_status)12345), "ABUT_ERR_UNKNOWN");
    assert_string_equal(abut_version(), ABUT_VERSION_STRING);
}

static void errors_are_filled_cut_and_optional(void **state)
{
    (void)state;
    abut_error error;
    memset(&error, 0x7f, sizeof error);
    assert_int_equal(abut_base_fail(&error, ABUT_ERR_VALUE, 7, "vertex %d is bad", 7), ABUT_ERR_VALUE);
    assert_string_equal(error.text, "vertex 7 is bad");
    assert_int_equal(error.index, 7);
    assert_int_equal(error.line, 0);
    assert_string_equal(error.file, "");
    char longer[1000];
    memset(longer, 'x', sizeof longer - 1);
    longer[sizeof longer - 1] = 0;
    abut_base_fail(&error, ABUT_ERR_VALUE, -1, "%s", longer);
    assert_int_equal(strlen(error.text), sizeof error.text - 1);
    assert_int_equal(abut_base_fail(NULL, ABUT_ERR_MEMORY, -1, "nobody listens"), ABUT_ERR_MEMORY);
}

static void arrays_grow_and_survive_failure(void **state)
{
    (void)state;
    const abut_allocator alloc = abut_base_allocator(NULL);
    ABUT_ARRAY(int) numbers = { 0 };
    for (int i = 0; i < 1000; ++i)
        assert_true(ABUT_ARRAY_PUSH(&alloc, &numbers, i));
    for (int i = 0; i < 1000; ++i)
        assert_int_equal(numbers.items[i], i);
    assert_false(ABUT_ARRAY_RESERVE(&alloc, &numbers, SIZE_MAX / 2));
    assert_int_equal(numbers.count, 1000);
    assert_int_equal(numbers.items[999], 999);
    ABUT_ARRAY_FREE(&alloc, &numbers);
    assert_null(numbers.items);
    assert_null(abut_base_alloc(&alloc, SIZE_MAX / 2, 16));
}

static abut_status fill_workspace(const abut_allocator *alloc)
{
    abut_workspace *ws;
    abut_status status = abut_workspace_create(alloc, &ws);
    if (status != ABUT_OK)
        return status;
    for (int round = 0; round < 3 && status == ABUT_OK; ++round) {
        const abut_workspace_mark mark = abut_workspace_begin(ws);
        unsigned char *pieces[40];
        int taken = 0;
        for (; taken < 40; ++taken) {
            pieces[taken] = abut_workspace_take(ws, (size_t)(taken * taken * 17), 1);
            if (!pieces[taken])
                break;
            assert_int_equal((uintptr_t)pieces[taken] % 32, 0);
            memset(pieces[taken], taken, (size_t)(taken * taken * 17));
        }
        if (taken < 40)
            status = ABUT_ERR_MEMORY;
        for (int i = 1; i < taken; ++i) {
            assert_int_equal(pieces[i][0], i);
            assert_int_equal(pieces[i][i * i * 17 - 1], i);
        }
        abut_workspace_end(ws, mark);
    }
    abut_workspace_destroy(ws);
    return status;
}

static void workspace_survives_every_failing_allocation(void **state)
{
    (void)state;
    abut_status status = ABUT_OK;
    TEST_EVERY_ALLOCATION_FAILS(
        alloc, { status = fill_workspace(&alloc); }, status)
    assert_int_equal(status, ABUT_OK);
}

static void workspace_stops_allocating(void **state)
{
    (void)state;
    test_failing counter = { .fail_at = UINT64_MAX };
    const abut_allocator alloc = { test_failing_reallocate, test_failing_release, &counter };
    abut_workspace *ws;
    assert_int_equal(abut_workspace_create(&alloc, &ws), ABUT_OK);
    uint64_t after_first = 0;
    for (int round = 0; round < 10; ++round) {
        const abut_workspace_mark outer = abut_workspace_begin(ws);
        assert_non_null(abut_workspace_take(ws, 1000, 100));
        const abut_workspace_mark inner = abut_workspace_begin(ws);
        assert_non_null(abut_workspace_take(ws, 1000, 200));
        abut_workspace_end(ws, inner);
        assert_non_null(abut_workspace_take(ws, 1000, 200));
        abut_workspace_end(ws, outer);
        if (round == 0)
            after_first = counter.requests;
    }
    assert_int_equal(counter.requests, after_first);
    abut_workspace_destroy(ws);
    assert_int_equal(counter.outstanding_bytes, 0);
}

static int compare_doubles(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

typedef struct keyed {
    int key;
    uint32_t order;
} keyed;

static bool keyed_before(const keyed *a, const keyed *b)
{
    return a->key != b->key ? a->key < b->key : a->order < b->order;
}

ABUT_HEAP(heap, keyed, keyed_before)

/* The least of a list that is searched from end to end comes out each time; the list is in a workspace. */
static void heap_agrees_with_a_search(void **state)
{
    (void)state;
    abut_workspace ws;
    abut_workspace_open(&ws, NULL);
    const abut_workspace_mark mark = abut_workspace_begin(&ws);
    keyed list[200], *heap = NULL;
    size_t count = 0, listed = 0, room = 0;
    test_random r = test_seed(3);
    for (uint32_t i = 0; i < 5000; ++i) {
        if (listed < 200 && (listed == 0 || test_below(&r, 5) < 3)) {
            const keyed x = { (int)test_below(&r, 30), i };
            heap = abut_workspace_grow(&ws, heap, count, &room, sizeof x);
            assert_non_null(heap);
            heap_push(heap, &count, &x);
            list[listed++] = x;
            continue;
        }
        size_t least = 0;
        for (size_t k = 1; k < listed; ++k)
            least = keyed_before(&list[k], &list[least]) ? k : least;
        const keyed found = heap_pop(heap, &count);
        TEST_CHECK(found.order == list[least].order, "step %u", (unsigned)i);
        list[least] = list[--listed];
        assert_int_equal(count, listed);
    }
    assert_true(room >= 128);
    abut_workspace_end(&ws, mark);
    abut_workspace_close(&ws);
}

static void sort_agrees_with_qsort(void **state)
{
    (void)state;
    static double ours[2000], theirs[2000];
    for (uint64_t seed = 0; seed < test_count(3000); ++seed) {
        test_random r = test_seed(seed);
        const size_t count = test_below(&r, seed % 10 ? 40 : 2000);
        const unsigned values = 1 + test_below(&r, 3000); /* few values: many ties */
        for (size_t i = 0; i < count; ++i)
            ours[i] = theirs[i] = test_below(&r, values);
        abut_base_sort_doubles(ours, count);
        qsort(theirs, count, sizeof *theirs, compare_doubles);
        TEST_CHECK(memcmp(ours, theirs, count * sizeof *ours) == 0, "seed %" PRIu64, seed);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_status_has_its_own_name_and_text),
        cmocka_unit_test(errors_are_filled_cut_and_optional),
        cmocka_unit_test(arrays_grow_and_survive_failure),
        cmocka_unit_test(workspace_survives_every_failing_allocation),
        cmocka_unit_test(workspace_stops_allocating),
        cmocka_unit_test(sort_agrees_with_qsort),
        cmocka_unit_test(heap_agrees_with_a_search),
    };
    return cmocka_run_group_tests_name("base", tests, NULL, NULL);
}
