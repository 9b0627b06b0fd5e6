/* SPDX-License-Identifier: MIT */
/* The order of triangles in a wide tree: all of them once, each group parted from its neighbour,
 * and the same with the vector unit and without. */
#include "support/test.h"

#include "bvh/wide.h"

enum { MOST = 40000 };

static wide_item given[MOST], ordered[MOST], other[MOST], scratch[MOST];

typedef enum kind { EVEN, STEPS, LINE, POINT, CROWDED, TINY, TWO_SIZES, KINDS } kind;

static float coordinate(test_random *r, kind k, int axis)
{
    switch (k) {
    case STEPS: return (float)test_below(r, 9) - 4;
    case LINE: return axis == 1 ? (float)test_uniform(r, -3, 3) : 0.25F;
    case POINT: return axis == 0 ? -0.0F : 1;
    case CROWDED: return (float)test_log_uniform(r, -140, 1.5);
    case TINY: return (float)test_uniform(r, -0x1p-130, 0x1p-130);
    case TWO_SIZES: return (float)(test_below(r, 8) ? 1 + test_uniform(r, 0, 1e-5) : test_uniform(r, -3, 3));
    default: return (float)test_uniform(r, -3, 3);
    }
}

static size_t fill(test_random *r, size_t count)
{
    const kind k = (kind)test_below(r, KINDS);
    for (size_t i = 0; i < count; ++i) {
        given[i].id = (uint32_t)i;
        for (int axis = 0; axis < 3; ++axis)
            given[i].at[axis] = coordinate(r, k, axis);
    }
    /* In order or nearly so, as triangles of files often are. */
    if (test_below(r, 2))
        for (size_t i = 0; i < count; ++i)
            given[i].at[2] = (float)(i / 5) / (float)count;
    return count;
}

static void all_are_there(const wide_item *items, size_t count, uint64_t seed)
{
    static bool seen[MOST];
    memset(seen, 0, sizeof seen);
    for (size_t i = 0; i < count; ++i) {
        const uint32_t id = items[i].id;
        TEST_CHECK(id < count && !seen[id], "seed %" PRIu64 ": triangle %u at place %zu", seed, id, i);
        seen[id] = true;
        TEST_CHECK(memcmp(&items[i], &given[id], sizeof *items) == 0, "seed %" PRIu64 ": triangle %u", seed,
                   id);
    }
}

/* Along one of the axes nothing before `left` is above what comes from there on; up to 64 that
 * is so to a thousandth of their range, or 2^-100 of the tree. */
static bool is_parted(const wide_item *items, size_t count, size_t left)
{
    bool parted = false;
    for (int axis = 0; axis < 3; ++axis) {
        double low = INFINITY, high = -INFINITY, most = -INFINITY, least = INFINITY;
        for (size_t i = 0; i < count; ++i) {
            const double x = (double)items[i].at[axis];
            low = fmin(low, x);
            high = fmax(high, x);
            if (i < left)
                most = fmax(most, x);
            else
                least = fmin(least, x);
        }
        parted = parted || most <= least + (count <= 64 ? (high - low) / 1000 + 0x1p-100 : 0);
    }
    return parted;
}

/* The groups of a range of places, which begins where a group of any size does: halves of the
 * groups that are the largest of those smaller than it. */
static void groups_are_parted(const wide_item *items, size_t count, uint64_t seed)
{
    if (count <= 8)
        return;
    size_t group = 8;
    while (8 * group < count)
        group *= 8;
    const size_t left = ((count + group - 1) / group + 1) / 2 * group;
    TEST_CHECK(is_parted(items, count, left), "seed %" PRIu64 ": %zu and %zu", seed, left, count - left);
    groups_are_parted(items, left, seed);
    groups_are_parted(items + left, count - left, seed);
}

static void orders_are_good(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < test_count(1500); ++seed) {
        test_random r = test_seed(seed);
        const unsigned most = seed % 100 == 0 ? MOST : seed % 4 == 0 ? 6000 : 300;
        const size_t count = fill(&r, 1 + test_below(&r, most));
        memcpy(ordered, given, count * sizeof *given);
        memcpy(other, given, count * sizeof *given);
        abut_wide_plain.order(ordered, scratch, count);
        abut_wide_functions()->order(other, scratch, count);
        all_are_there(ordered, count, seed);
        groups_are_parted(ordered, count, seed);
        TEST_CHECK(memcmp(ordered, other, count * sizeof *other) == 0, "seed %" PRIu64 ": the units differ",
                   seed);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(orders_are_good) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
