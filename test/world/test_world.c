/* SPDX-License-Identifier: MIT */
/* Worlds against a brute-force world: random sequences of changes, and after each commit every query
 * compared with all pairs asked one by one. */
#include "abut/abut.h"
#include "support/failing_allocator.h"

enum { MOST = 24, SHAPES = 4 };

/* The world as the test knows it: a list, and no more. */
typedef struct plain_body {
    bool there;
    abut_body_id id;
    abut_shape *shape;
    abut_pose pose;
    uint32_t group, layers, mask;
} plain_body;

typedef struct plain {
    plain_body bodies[MOST];
    signed char forced[MOST][MOST]; /* 1: included, -1: excluded */
    abut_shape *shapes[SHAPES];
} plain;

static void make_shapes(abut_shape **shapes)
{
    assert_int_equal(abut_shape_create_sphere(.5, NULL, &shapes[0]), ABUT_OK);
    assert_int_equal(abut_shape_create_box((abut_vec3){ .5, .5, .5 }, NULL, &shapes[1]), ABUT_OK);
    assert_int_equal(abut_shape_create_capsule(.25, 1, NULL, &shapes[2]), ABUT_OK);
    assert_int_equal(abut_shape_create_halfspace((abut_vec3){ 0, 0, 1 }, -2, NULL, &shapes[3]), ABUT_OK);
}

static void release_shapes(abut_shape **shapes)
{
    for (int i = 0; i < SHAPES; ++i)
        abut_shape_release(shapes[i]);
}

/* Often on a lattice, so that bodies touch exactly. */
static abut_pose random_pose(test_random *r)
{
    abut_pose p = { { test_uniform(r, -2, 2), test_uniform(r, -2, 2), test_uniform(r, -2, 2) },
                    { 1, 0, 0, 0 } };
    if (test_below(r, 2))
        p.position = (abut_vec3){ floor(p.position.x), floor(p.position.y), floor(p.position.z) };
    if (test_below(r, 3) == 0)
        p.rotation =
            (abut_quat){ test_uniform(r, -1, 1), test_uniform(r, -1, 1), test_uniform(r, -1, 1), .5 };
    if (test_below(r, 40) == 0)
        p.position.x = 1e15;
    return p;
}

static int pick(test_random *r, const plain *p, bool there)
{
    const int start = (int)test_below(r, MOST);
    for (int k = 0; k < MOST; ++k)
        if (p->bodies[(start + k) % MOST].there == there)
            return (start + k) % MOST;
    return -1;
}

static void forget(plain *p, int i)
{
    for (int k = 0; k < MOST; ++k)
        p->forced[i][k] = p->forced[k][i] = 0;
}

static void change(test_random *r, plain *p, abut_world *world)
{
    const unsigned what = test_below(r, 12);
    const int i = pick(r, p, what > 3), j = pick(r, p, true);
    if (i < 0)
        return;
    plain_body *b = &p->bodies[i];
    abut_world_body def;
    switch (what) {
    case 0:
    case 1:
    case 2:
    case 3:
        abut_world_body_init(&def);
        *b = (plain_body){ .there = true,
                           .shape = p->shapes[test_below(r, 20) ? test_below(r, SHAPES - 1) : 3],
                           .pose = random_pose(r),
                           .group = test_below(r, 3) ? 0 : 1 + test_below(r, 2),
                           .layers = test_below(r, 4) ? 1 : 2,
                           .mask = test_below(r, 4) ? UINT32_MAX : 1 };
        def.shape = b->shape;
        def.pose = b->pose;
        def.group = b->group;
        def.layers = b->layers;
        def.mask = b->mask;
        def.user = b;
        def.box = test_below(r, 4) ? ABUT_BOX_TIGHT : ABUT_BOX_CUBE;
        def.chain = test_below(r, 6) ? 0 : 1 + test_below(r, 3);
        assert_int_equal(abut_world_add(world, &def, &b->id), ABUT_OK);
        break;
    case 4: {
        const abut_body_id old = b->id;
        assert_int_equal(abut_world_remove(world, old), ABUT_OK);
        assert_int_equal(abut_world_remove(world, old), ABUT_ERR_ARGUMENT);
        assert_int_equal(abut_world_move(world, old, &b->pose), ABUT_ERR_ARGUMENT);
        b->there = false;
        forget(p, i);
        break;
    }
    case 5:
    case 6:
    case 7:
        b->pose = random_pose(r);
        assert_int_equal(abut_world_move(world, b->id, &b->pose), ABUT_OK);
        break;
    case 8:
        b->shape = p->shapes[test_below(r, SHAPES - 1)];
        assert_int_equal(abut_world_set_shape(world, b->id, b->shape), ABUT_OK);
        break;
    case 9:
        b->group = test_below(r, 3);
        b->layers = 1 + test_below(r, 3);
        b->mask = test_below(r, 2) ? UINT32_MAX : 1 + test_below(r, 3);
        assert_int_equal(abut_world_set_filter(world, b->id, b->group, b->layers, b->mask), ABUT_OK);
        break;
    default:
        if (j == i || j < 0)
            return;
        p->forced[i][j] = p->forced[j][i] = (signed char)(test_below(r, 3) - 1);
        assert_int_equal(p->forced[i][j] > 0   ? abut_world_include(world, b->id, p->bodies[j].id)
                         : p->forced[i][j] < 0 ? abut_world_exclude(world, b->id, p->bodies[j].id)
                                               : abut_world_reset_pair(world, b->id, p->bodies[j].id),
                         ABUT_OK);
        break;
    }
}

static bool wanted(const plain *p, int i, int j)
{
    const plain_body *a = &p->bodies[i], *b = &p->bodies[j];
    if (p->forced[i][j])
        return p->forced[i][j] > 0;
    return (a->group == 0 || a->group != b->group) && (a->layers & b->mask) != 0 &&
           (b->layers & a->mask) != 0;
}

static int plain_of(const plain *p, abut_body_id id)
{
    for (int i = 0; i < MOST; ++i)
        if (p->bodies[i].there && p->bodies[i].id.index == id.index &&
            p->bodies[i].id.generation == id.generation)
            return i;
    return -1;
}

typedef struct listed {
    const plain *p;
    uint64_t seed;
    double within;
    bool seen[MOST][MOST];
    abut_body_id last[2];
    size_t count;
} listed;

static bool take(void *ctx, abut_body_id a, abut_body_id b, abut_status status, const abut_check_result *r)
{
    listed *l = ctx;
    const int i = plain_of(l->p, a), j = plain_of(l->p, b);
    assert_true(i >= 0 && j >= 0);
    assert_int_equal(status, ABUT_OK);
    TEST_CHECK(r->verdict != ABUT_SEPARATE || r->distance.lo <= l->within,
               "seed %" PRIu64 ": a separate pair", l->seed);
    TEST_CHECK(a.index < b.index && !l->seen[i][j], "seed %" PRIu64 ": order or twice", l->seed);
    TEST_CHECK(l->count == 0 || a.index > l->last[0].index ||
                   (a.index == l->last[0].index && b.index > l->last[1].index),
               "seed %" PRIu64 ": pairs do not ascend", l->seed);
    l->seen[i][j] = l->seen[j][i] = true;
    l->last[0] = a;
    l->last[1] = b;
    ++l->count;
    return true;
}

static void compare(const plain *p, const abut_world *world, uint64_t seed, double within, int threads)
{
    abut_world_query_opts opts;
    abut_world_result result;
    listed l = { .p = p, .seed = seed, .within = within };
    abut_world_query_opts_init(&opts);
    opts.within = within;
    opts.threads = threads;
    assert_int_equal(abut_world_meeting(world, &opts, take, &l, &result), ABUT_OK);
    assert_int_equal(result.found, l.count);
    abut_interval least = { INFINITY, INFINITY };
    bool any = false;
    for (int i = 0; i < MOST; ++i)
        for (int j = i + 1; j < MOST; ++j) {
            const plain_body *a = &p->bodies[i], *b = &p->bodies[j];
            if (!a->there || !b->there || !wanted(p, i, j)) {
                assert_false(l.seen[i][j]);
                continue;
            }
            abut_check_result r;
            assert_int_equal(abut_check(a->shape, &a->pose, b->shape, &b->pose, NULL, NULL, &r), ABUT_OK);
            /* what the pair's own method leaves open, boxes may prove */
            const bool near = r.verdict == ABUT_TOUCHING || r.verdict == ABUT_PENETRATING ||
                              (within > 0 && r.distance.hi <= within);
            const bool apart = r.verdict == ABUT_SEPARATE && (within == 0 || r.distance.lo > within);
            TEST_CHECK(l.seen[i][j] ? !apart : !near,
                       "seed %" PRIu64 ": pair %d %d (%s, [%.17g, %.17g], within %.17g) %s", seed, i, j,
                       abut_verdict_name(r.verdict), r.distance.lo, r.distance.hi, within,
                       near ? "is missing" : "is listed");
            least.lo = fmin(least.lo, r.distance.lo);
            least.hi = fmin(least.hi, r.distance.hi);
            any = true;
        }
    abut_world_nearest_result nearest;
    opts.within = 0;
    assert_int_equal(abut_world_nearest(world, &opts, &nearest), ABUT_OK);
    TEST_CHECK(nearest.has_pair == any, "seed %" PRIu64 ": nearest pair", seed);
    TEST_CHECK(!any || (nearest.distance.lo <= least.hi && least.lo <= nearest.distance.hi),
               "seed %" PRIu64 ": nearest at [%.17g, %.17g], not [%.17g, %.17g]", seed, nearest.distance.lo,
               nearest.distance.hi, least.lo, least.hi);
}

static void test_sequences(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < test_count(100000); ++seed) {
        test_random r = test_seed(seed);
        plain p = { .forced = { { 0 } } };
        abut_world_opts opts;
        abut_world *world;
        make_shapes(p.shapes);
        abut_world_opts_init(&opts);
        opts.broad = (abut_broad_method)test_below(&r, ABUT_BROAD_COUNT);
        assert_int_equal(abut_world_create(&opts, NULL, &world), ABUT_OK);
        const unsigned steps = 1 + test_below(&r, 5);
        for (unsigned step = 0; step < steps; ++step) {
            const unsigned changes = step == 0 ? 20 : 1 + test_below(&r, 6);
            for (unsigned c = 0; c < changes; ++c)
                change(&r, &p, world);
            size_t count = 0;
            for (int i = 0; i < MOST; ++i)
                count += p.bodies[i].there;
            assert_int_equal(abut_world_body_count(world), count);
            assert_int_equal(abut_world_commit(world, (abut_interval){ 0, 0 }), ABUT_OK);
            compare(&p, world, seed, test_below(&r, 2) ? 0 : test_uniform(&r, 0, 1), 1 + (int)(seed % 2));
        }
        abut_world_destroy(world);
        release_shapes(p.shapes);
    }
}

/* ---- ids, arguments, errors ---- */

static void test_errors(void **state)
{
    (void)state;
    abut_shape *shapes[SHAPES];
    abut_world *world;
    abut_world_body def, got;
    abut_body_id a, b, none = { 0, 0 };
    abut_aabb box;
    make_shapes(shapes);
    assert_int_equal(abut_world_create(NULL, NULL, &world), ABUT_OK);
    abut_world_body_init(&def);
    assert_int_equal(abut_world_add(world, &def, &a), ABUT_ERR_ARGUMENT); /* no shape */
    def.shape = shapes[0];
    def.user = &def;
    assert_int_equal(abut_world_add(world, &def, &a), ABUT_OK);
    assert_int_equal(abut_world_get(world, a, &got), ABUT_OK);
    assert_ptr_equal(got.user, &def);
    def.pose.position.y = NAN;
    assert_int_equal(abut_world_add(world, &def, &b), ABUT_ERR_ARGUMENT);
    assert_int_equal(b.generation, 0);
    assert_int_equal(abut_world_move(world, a, &def.pose), ABUT_ERR_ARGUMENT);
    assert_int_equal(abut_world_body_count(world), 1);
    /* not committed yet */
    assert_int_equal(abut_world_meeting(world, NULL, NULL, NULL, NULL), ABUT_ERR_ARGUMENT);
    assert_int_equal(abut_world_bounds(world, a, &box), ABUT_ERR_ARGUMENT);
    assert_int_equal(abut_world_commit(world, (abut_interval){ 1, 0 }), ABUT_ERR_ARGUMENT);
    assert_int_equal(abut_world_commit(world, (abut_interval){ 0, NAN }), ABUT_ERR_ARGUMENT);
    assert_int_equal(abut_world_commit(world, (abut_interval){ 0, 0 }), ABUT_OK);
    assert_int_equal(abut_world_bounds(world, a, &box), ABUT_OK);
    assert_true(box.hi.x == .5);
    assert_int_equal(abut_world_meeting(world, NULL, NULL, NULL, NULL), ABUT_OK);
    /* stale ids, double removal, an index used again */
    assert_int_equal(abut_world_exclude(world, a, a), ABUT_ERR_ARGUMENT);
    assert_int_equal(abut_world_exclude(world, a, none), ABUT_ERR_ARGUMENT);
    assert_int_equal(abut_world_remove(world, a), ABUT_OK);
    assert_int_equal(abut_world_remove(world, a), ABUT_ERR_ARGUMENT);
    def.pose.position.y = 1e15;
    assert_int_equal(abut_world_add(world, &def, &b), ABUT_OK);
    assert_int_equal(b.index, a.index);
    assert_int_not_equal(b.generation, a.generation);
    assert_int_equal(abut_world_get(world, a, &got), ABUT_ERR_ARGUMENT);
    assert_false(abut_world_has(world, a));
    assert_true(abut_world_has(world, b));
    /* a motion that does not cover the time */
    const abut_placement at = { 0 };
    abut_motion *motion;
    assert_int_equal(abut_motion_create_linear(0, 1, &at, &at, NULL, &motion, NULL), ABUT_OK);
    assert_int_equal(abut_world_set_motion(world, b, motion), ABUT_OK);
    assert_int_equal(abut_world_commit(world, (abut_interval){ 0, 2 }), ABUT_ERR_ARGUMENT);
    assert_int_equal(abut_world_commit(world, (abut_interval){ 0, 1 }), ABUT_OK);
    abut_set_result first;
    assert_int_equal(abut_world_first(world, NULL, NULL, 0, &first, NULL), ABUT_OK);
    assert_int_equal(first.verdict, ABUT_FIRST_SEPARATE);
    abut_motion_release(motion);
    abut_world_destroy(world);
    abut_world_destroy(NULL);
    release_shapes(shapes);
}

/* Coincident boxes: every pair meets, and there is a limit instead of a machine without memory. */
static void test_coincident(void **state)
{
    (void)state;
    enum { COUNT = 20000 };
    abut_shape *shapes[SHAPES];
    abut_world_opts opts;
    abut_world *world;
    abut_world_body def;
    abut_body_id id;
    make_shapes(shapes);
    abut_world_opts_init(&opts);
    opts.max_pairs = 100000;
    assert_int_equal(abut_world_create(&opts, NULL, &world), ABUT_OK);
    abut_world_body_init(&def);
    def.shape = shapes[1];
    assert_int_equal(abut_world_add(world, &def, &id), ABUT_OK);
    assert_int_equal(abut_world_commit(world, (abut_interval){ 0, 0 }), ABUT_OK);
    for (int i = 1; i < COUNT; ++i)
        assert_int_equal(abut_world_add(world, &def, &id), ABUT_OK);
    assert_int_equal(abut_world_commit(world, (abut_interval){ 0, 0 }), ABUT_ERR_LIMIT);
    assert_int_equal(abut_world_meeting(world, NULL, NULL, NULL, NULL), ABUT_ERR_ARGUMENT);
    /* groups do not help the boxes, moving them does */
    for (uint32_t i = 0; i < COUNT; ++i) {
        def.pose.position.x = 2.0 * i;
        assert_int_equal(abut_world_move(world, abut_world_id_at(world, i), &def.pose), ABUT_OK);
    }
    assert_int_equal(abut_world_commit(world, (abut_interval){ 0, 0 }), ABUT_OK);
    assert_int_equal(abut_world_pair_count(world), 0);
    abut_world_destroy(world);
    release_shapes(shapes);
}

static abut_status build(const abut_allocator *alloc, abut_shape **shapes)
{
    abut_world *world;
    abut_world_body def;
    abut_body_id ids[30];
    abut_status status = abut_world_create(NULL, alloc, &world);
    if (status)
        return status;
    abut_world_body_init(&def);
    for (int i = 0; i < 30 && !status; ++i) {
        def.shape = shapes[i % 2];
        def.pose.position.x = i * .75;
        status = abut_world_add(world, &def, &ids[i]);
    }
    if (!status)
        status = abut_world_exclude(world, ids[0], ids[1]);
    if (!status) {
        status = abut_world_commit(world, (abut_interval){ 0, 0 });
        if (status) { /* nothing is lost: once there is memory, it works */
            assert_int_equal(abut_world_body_count(world), 30);
            if (abut_world_commit(world, (abut_interval){ 0, 0 }) == ABUT_OK)
                assert_int_equal(abut_world_pair_count(world), 28);
        }
    }
    abut_world_query_opts opts;
    abut_world_result result;
    abut_world_nearest_result nearest;
    abut_world_query_opts_init(&opts);
    opts.threads = 1;
    if (!status)
        status = abut_world_meeting(world, &opts, NULL, NULL, &result);
    opts.within = .1;
    if (!status)
        status = abut_world_meeting(world, &opts, NULL, NULL, &result);
    if (!status)
        status = abut_world_nearest(world, &opts, &nearest);
    if (!status) {
        abut_set_result first;
        status = abut_world_commit(world, (abut_interval){ 0, 1 });
        if (!status)
            status = abut_world_first(world, &opts, NULL, 0, &first, NULL);
        if (!status)
            status = abut_world_intervals(world, &opts, NULL, NULL, &result);
    }
    abut_world_destroy(world);
    return status;
}

static void test_memory(void **state)
{
    (void)state;
    abut_shape *shapes[SHAPES];
    abut_status status;
    make_shapes(shapes);
    TEST_EVERY_ALLOCATION_FAILS(
        alloc, { status = build(&alloc, shapes); }, status);
    release_shapes(shapes);
}

/* A commit without memory changes nothing: what was asked before is answered as before where there
 * were no changes, and changes are there for the next commit. */
static void commit_without(plain *p, abut_world *world, test_failing *f, abut_interval time, uint64_t seed,
                           bool changed)
{
    for (uint64_t n = 0;; ++n) {
        f->requests = 0;
        f->fail_at = n;
        const abut_status status = abut_world_commit(world, time);
        const bool reached = f->requests > n;
        f->fail_at = UINT64_MAX;
        if (!status) { /* some of what is refused it can do without */
            changed = false;
            if (reached)
                continue;
            return;
        }
        assert_int_equal(status, ABUT_ERR_MEMORY);
        abut_world_result result;
        if (changed)
            assert_int_equal(abut_world_meeting(world, NULL, NULL, NULL, &result), ABUT_ERR_ARGUMENT);
        else
            compare(p, world, seed, 0, 1);
        for (int i = 0; i < MOST; ++i) {
            abut_world_body got;
            if (!p->bodies[i].there)
                continue;
            assert_int_equal(abut_world_get(world, p->bodies[i].id, &got), ABUT_OK);
            assert_ptr_equal(got.shape, p->bodies[i].shape);
            assert_memory_equal(&got.pose, &p->bodies[i].pose, sizeof got.pose);
        }
    }
}

static void test_commit_memory(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 5 + test_count(20); ++seed) {
        test_random r = test_seed(seed + 600);
        test_failing f = { .fail_at = UINT64_MAX };
        const abut_allocator alloc = { test_failing_reallocate, test_failing_release, &f };
        plain p = { .forced = { { 0 } } };
        abut_world_opts opts;
        abut_world *world;
        make_shapes(p.shapes);
        abut_world_opts_init(&opts);
        opts.broad = (abut_broad_method)(seed % ABUT_BROAD_COUNT);
        assert_int_equal(abut_world_create(&opts, &alloc, &world), ABUT_OK);
        for (int c = 0; c < 60; ++c)
            change(&r, &p, world);
        commit_without(&p, world, &f, (abut_interval){ 0, 0 }, seed, true);
        commit_without(&p, world, &f, (abut_interval){ 0, 1 }, seed, false);
        for (int c = 0; c < 10; ++c)
            change(&r, &p, world);
        abut_world_body def;
        abut_body_id id;
        abut_world_body_init(&def);
        def.shape = p.shapes[0];
        assert_int_equal(abut_world_add(world, &def, &id), ABUT_OK);
        assert_int_equal(abut_world_remove(world, id), ABUT_OK);
        commit_without(&p, world, &f, (abut_interval){ 0, 2 }, seed, true);
        compare(&p, world, seed, 0, 1);
        abut_world_destroy(world);
        assert_int_equal(f.outstanding_bytes, 0);
        release_shapes(p.shapes);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(test_sequences), cmocka_unit_test(test_errors),
                                        cmocka_unit_test(test_coincident), cmocka_unit_test(test_memory),
                                        cmocka_unit_test(test_commit_memory) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
