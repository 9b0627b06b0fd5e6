/* SPDX-License-Identifier: MIT */
/* Qhull inside: its memory may run out anywhere, it may be wrong, threads may use it at once;
 * the hull is the same, and nothing is printed, leaked or ended. */
#include "clouds.h"
#include "shape/hull/hull_build.h"

#include <pthread.h>

/* Qhull takes its memory from this, which is meant to be replaced. Leaks are for the sanitizer
 * to find. */
__attribute__((visibility("default"))) void *qh_malloc(size_t size);
static uint64_t requests, fail_at = UINT64_MAX;

void *qh_malloc(size_t size)
{
    if (__atomic_fetch_add(&requests, 1, __ATOMIC_RELAXED) == fail_at)
        return NULL;
    return malloc(size);
}

static void fill(abut_vec3 *points, size_t count, cloud kind, uint64_t seed)
{
    test_random r = test_seed(seed);
    for (size_t i = 0; i < count; ++i)
        points[i] = draw(&r, kind, seed, i);
}

static void run_out(const abut_vec3 *points, size_t count, cloud kind)
{
    requests = 0;
    abut_hull *right = make(points, count);
    const uint64_t all = requests, step = 1 + all / 100;
    assert_true(all > 0 || right->dimension < 3 || kind == DUPLICATES);
    for (uint64_t n = 0; n < all; n += step) {
        requests = 0;
        fail_at = n;
        abut_hull *other = make(points, count);
        fail_at = UINT64_MAX;
        assert_int_equal(other->vertex_count, right->vertex_count);
        assert_memory_equal(other->point_of, right->point_of, right->vertex_count * sizeof(uint32_t));
        destroy(other);
    }
    destroy(right);
}

static void its_memory_may_run_out(void **state)
{
    (void)state;
    static abut_vec3 points[1500];
    for (int kind = 0; kind < CLOUDS; ++kind) {
        fill(points, 80, (cloud)kind, 3);
        run_out(points, 80, (cloud)kind);
    }
    fill(points, 1500, ON_SPHERE, 4);
    run_out(points, 1500, ON_SPHERE);
    fill(points, 1500, WOBBLY_CUBE, 4);
    run_out(points, 1500, WOBBLY_CUBE);
}

/* How many of the vertices it finds; only that it is worth while is checked. */
static void it_finds_most_vertices(void **state)
{
    (void)state;
    static abut_vec3 points[2000];
    static uint32_t found[2000];
    fill(points, 2000, ON_SPHERE, 5);
    abut_workspace ws;
    abut_workspace_open(&ws, NULL);
    static const uint32_t first[4] = { 0, 1, 2, 3 };
    const uint32_t count = abut_hull_propose(points, 2000, first, &ws, found);
    TEST_CHECK(count > 1900 && count <= 2000, "%u of 2000", count);
    abut_workspace_close(&ws);
}

static void *many_hulls(void *ctx)
{
    const uint64_t seed = *(const uint64_t *)ctx;
    abut_vec3 points[100];
    uint64_t sum = 0;
    for (uint64_t i = 0; i < 40; ++i) {
        fill(points, 100, (cloud)((seed + i) % CLOUDS), i);
        abut_hull *h = make(points, 100);
        sum += h->vertex_count + 7 * h->edge_count;
        destroy(h);
    }
    return (void *)(uintptr_t)sum;
}

static void threads_do_not_meet(void **state)
{
    (void)state;
    pthread_t threads[4];
    uint64_t seeds[4] = { 0, 1, 2, 3 };
    for (int i = 0; i < 4; ++i)
        assert_int_equal(pthread_create(&threads[i], NULL, many_hulls, &seeds[i]), 0);
    for (int i = 0; i < 4; ++i) {
        void *sum;
        assert_int_equal(pthread_join(threads[i], &sum), 0);
        assert_true(sum == many_hulls(&seeds[i]));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(its_memory_may_run_out),
        cmocka_unit_test(it_finds_most_vertices),
        cmocka_unit_test(threads_do_not_meet),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
