/* SPDX-License-Identifier: MIT */
/* One thing against all bodies (points, rays, boxes, moving shapes), first contact and intervals of all,
 * events, manifolds and the schedule, each against all bodies or pairs asked one by one. */
#include "abut/abut.h"
#include "support/test.h"

enum { COUNT = 40 };

typedef struct scene {
    abut_shape *shapes[3];
    abut_world *world;
    abut_body_id ids[COUNT];
    abut_shape *shape[COUNT];
    abut_pose pose[COUNT];
    abut_motion *motion[COUNT];
} scene;

static abut_pose random_pose(test_random *r, double edge)
{
    return (abut_pose){ { test_uniform(r, 0, edge), test_uniform(r, 0, edge), test_uniform(r, 0, edge) },
                        { 1, test_uniform(r, -1, 1), test_uniform(r, -1, 1), test_uniform(r, -1, 1) } };
}

static void open_scene(scene *s, test_random *r, bool moves)
{
    *s = (scene){ .world = NULL };
    assert_int_equal(abut_shape_create_sphere(.5, NULL, &s->shapes[0]), ABUT_OK);
    assert_int_equal(abut_shape_create_box((abut_vec3){ .5, .3, .2 }, NULL, &s->shapes[1]), ABUT_OK);
    assert_int_equal(abut_shape_create_capsule(.2, .6, NULL, &s->shapes[2]), ABUT_OK);
    assert_int_equal(abut_world_create(NULL, NULL, &s->world), ABUT_OK);
    for (int i = 0; i < COUNT; ++i) {
        abut_world_body def;
        abut_world_body_init(&def);
        s->shape[i] = def.shape = s->shapes[i % 3];
        s->pose[i] = def.pose = random_pose(r, 6);
        if (moves && i % 4) {
            const abut_placement from = abut_placement_from_pose(s->pose[i]),
                                 to = abut_placement_from_pose(random_pose(r, 6));
            assert_int_equal(abut_motion_create_linear(0, 1, &from, &to, NULL, &s->motion[i], NULL), ABUT_OK);
            def.motion = s->motion[i];
        } else if (moves) {
            const abut_placement p = abut_placement_from_pose(s->pose[i]);
            assert_int_equal(abut_motion_create_static(&p, NULL, &s->motion[i], NULL), ABUT_OK);
        }
        assert_int_equal(abut_world_add(s->world, &def, &s->ids[i]), ABUT_OK);
    }
}

static void close_scene(scene *s)
{
    abut_world_destroy(s->world);
    for (int i = 0; i < COUNT; ++i)
        abut_motion_release(s->motion[i]);
    for (int i = 0; i < 3; ++i)
        abut_shape_release(s->shapes[i]);
}

static bool mark(void *ctx, abut_body_id a, abut_body_id b, abut_status status, const abut_check_result *r)
{
    (void)b;
    assert_int_equal(status, ABUT_OK);
    assert_int_not_equal(r->verdict, ABUT_SEPARATE);
    ((bool *)ctx)[a.index] = true;
    return true;
}

static void test_points_rays_boxes(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < test_count(60); ++seed) {
        test_random r = test_seed(seed);
        scene s;
        open_scene(&s, &r, false);
        assert_int_equal(abut_world_commit(s.world, (abut_interval){ 0, 0 }), ABUT_OK);
        /* the k nearest */
        const abut_vec3 p = random_pose(&r, 8).position;
        abut_world_neighbour near[5];
        size_t count;
        assert_int_equal(abut_world_near_point(s.world, p, 5, near, &count), ABUT_OK);
        assert_int_equal(count, 5);
        abut_shape *point;
        assert_int_equal(abut_shape_create_point(p, 0, NULL, &point, NULL), ABUT_OK);
        int nearer = 0;
        for (int i = 0; i < COUNT; ++i) {
            abut_distance_result d;
            assert_int_equal(abut_distance(point, NULL, s.shape[i], &s.pose[i], NULL, NULL, &d), ABUT_OK);
            nearer += d.distance.hi < near[4].distance.lo;
            for (size_t k = 0; k < count; ++k)
                if (near[k].id.index == s.ids[i].index)
                    TEST_CHECK(near[k].distance.lo <= d.distance.hi && d.distance.lo <= near[k].distance.hi,
                               "seed %" PRIu64 ": neighbour %zu", seed, k);
        }
        TEST_CHECK(nearer <= 4, "seed %" PRIu64 ": %d bodies are nearer than the fifth", seed, nearer);
        abut_shape_release(point);
        /* rays */
        const abut_vec3 o = { -2, test_uniform(&r, 0, 6), test_uniform(&r, 0, 6) },
                        d = { 1, test_uniform(&r, -.5, .5), test_uniform(&r, -.5, .5) };
        abut_world_hit hits[200], first;
        size_t all, one;
        assert_int_equal(abut_world_cast_ray(s.world, o, d, INFINITY, false, hits, 200, &all), ABUT_OK);
        assert_int_equal(abut_world_cast_ray(s.world, o, d, INFINITY, true, &first, 1, &one), ABUT_OK);
        size_t expected = 0;
        double least = INFINITY;
        for (int i = 0; i < COUNT; ++i) {
            abut_ray_hit own[8];
            size_t n;
            assert_int_equal(abut_cast_ray(s.shape[i], &s.pose[i], o, d, own, 8, &n), ABUT_OK);
            expected += n;
            if (n)
                least = fmin(least, own[0].t);
        }
        TEST_CHECK(all == expected, "seed %" PRIu64 ": %zu hits, %zu expected", seed, all, expected);
        for (size_t i = 1; i < all; ++i)
            assert_true(hits[i - 1].hit.t <= hits[i].hit.t);
        assert_int_equal(one, expected > 0);
        assert_true(!one || first.hit.t == least);
        /* boxes */
        const abut_aabb box = { { 1, 1, 1 }, { test_uniform(&r, 2, 5), 3, test_uniform(&r, 2, 5) } };
        bool seen[COUNT] = { false };
        assert_int_equal(abut_world_in_box(s.world, &box, mark, seen), ABUT_OK);
        abut_vec3 corners[8];
        for (int i = 0; i < 8; ++i)
            corners[i] = (abut_vec3){ i & 1 ? box.hi.x : box.lo.x, i & 2 ? box.hi.y : box.lo.y,
                                      i & 4 ? box.hi.z : box.lo.z };
        abut_shape *hull;
        assert_int_equal(abut_shape_create_convex(corners, 8, 0, NULL, &hull, NULL), ABUT_OK);
        for (int i = 0; i < COUNT; ++i) {
            abut_overlap_result v;
            assert_int_equal(abut_overlap(hull, NULL, s.shape[i], &s.pose[i], NULL, NULL, &v), ABUT_OK);
            TEST_CHECK(v.verdict == ABUT_UNDECIDED || seen[s.ids[i].index] == (v.verdict != ABUT_SEPARATE),
                       "seed %" PRIu64 ": body %d in the box", seed, i);
        }
        abut_shape_release(hull);
        close_scene(&s);
    }
}

typedef struct impacts {
    const scene *s;
    double last;
    int count;
    bool seen[COUNT][COUNT];
    double at[COUNT][COUNT];
} impacts;

static bool take_impact(void *ctx, abut_body_id a, abut_body_id b, double earliest)
{
    impacts *i = ctx;
    assert_true(earliest >= i->last);
    i->last = earliest;
    i->seen[a.index][b.index] = true;
    i->at[a.index][b.index] = earliest;
    ++i->count;
    return true;
}

static bool take_intervals(void *ctx, abut_body_id a, abut_body_id b, abut_status status,
                           const abut_contact_interval *list, const abut_intervals_result *r)
{
    (void)list;
    assert_int_equal(status, ABUT_OK);
    ((size_t(*)[COUNT])ctx)[a.index][b.index] = r->count;
    return true;
}

static void test_over_time(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < test_count(20); ++seed) {
        test_random r = test_seed(seed + 40);
        scene s;
        open_scene(&s, &r, true);
        assert_int_equal(abut_world_commit(s.world, (abut_interval){ 0, 1 }), ABUT_OK);
        abut_set_result first;
        abut_set_point points[64];
        assert_int_equal(abut_world_first(s.world, NULL, points, 64, &first, NULL), ABUT_OK);
        size_t counts[COUNT][COUNT] = { { 0 } };
        assert_int_equal(abut_world_intervals(s.world, NULL, take_intervals, counts, NULL), ABUT_OK);
        impacts schedule = { .s = &s };
        assert_int_equal(abut_world_schedule(s.world, NULL, take_impact, &schedule), ABUT_OK);
        double earliest = INFINITY;
        bool overlap = false;
        for (int i = 0; i < COUNT; ++i)
            for (int k = i + 1; k < COUNT; ++k) {
                abut_first_result one;
                abut_intervals_result list;
                assert_int_equal(
                    abut_first_contact(s.shape[i], s.motion[i], s.shape[k], s.motion[k], NULL, NULL, &one),
                    ABUT_OK);
                assert_int_equal(abut_contact_intervals(s.shape[i], s.motion[i], s.shape[k], s.motion[k],
                                                        NULL, NULL, NULL, 0, &list),
                                 ABUT_OK);
                TEST_CHECK(counts[i][k] == list.count, "seed %" PRIu64 ": pair %d %d: %zu intervals, not %zu",
                           seed, i, k, counts[i][k], list.count);
                overlap = overlap || one.verdict == ABUT_FIRST_OVERLAPPING;
                if (one.verdict == ABUT_FIRST_CONTACT)
                    earliest = fmin(earliest, one.time.hi);
                if (one.verdict == ABUT_FIRST_CONTACT || one.verdict == ABUT_FIRST_OVERLAPPING)
                    TEST_CHECK(schedule.seen[i][k] && schedule.at[i][k] <= one.time.hi,
                               "seed %" PRIu64 ": pair %d %d meets before the schedule says", seed, i, k);
            }
        if (first.verdict != ABUT_FIRST_UNDECIDED) {
            TEST_CHECK((first.verdict == ABUT_FIRST_OVERLAPPING) == overlap, "seed %" PRIu64 ": overlapping",
                       seed);
            TEST_CHECK(overlap || (first.verdict == ABUT_FIRST_CONTACT) == (earliest <= 1), "seed %" PRIu64,
                       seed);
            TEST_CHECK(overlap || first.verdict != ABUT_FIRST_CONTACT || first.time.lo <= earliest,
                       "seed %" PRIu64, seed);
        }
        close_scene(&s);
    }
}

static bool count_pair(void *ctx, abut_body_id a, abut_body_id b, abut_status status,
                       const abut_contact_interval *list, const abut_intervals_result *r)
{
    (void)a, (void)b;
    assert_int_equal(status, ABUT_OK);
    assert_true(r->count == 1 && list[0].enter.lo <= 1 && list[0].enter.hi >= 1);
    ++*(int *)ctx;
    return true;
}

/* A ball that grows where it is, and with that meets a compound at time 1: neither of them is at rest. */
static void test_growing(void **state)
{
    (void)state;
    const abut_aabb room = { { -9, -9, -9 }, { 9, 9, 9 } };
    abut_shape *shape[3];
    abut_world *world;
    abut_body_id id;
    abut_world_query_opts opts;
    impacts schedule = { .last = -1 };
    int count = 0;
    assert_int_equal(abut_shape_create_implicit("x^2 + y^2 + z^2 - (1 + t)^2", room, NULL, &shape[0], NULL),
                     ABUT_OK);
    assert_int_equal(abut_shape_create_sphere(1, NULL, &shape[1]), ABUT_OK);
    const abut_compound_part part = { shape[0], NULL };
    assert_int_equal(abut_shape_create_compound(&part, 1, NULL, &shape[2], NULL), ABUT_OK);
    for (int grows = 0; grows < 3; grows += 2) {
        assert_int_equal(abut_world_create(NULL, NULL, &world), ABUT_OK);
        for (int i = 0; i < 2; ++i) {
            abut_world_body def;
            abut_world_body_init(&def);
            def.shape = shape[i ? 1 : grows];
            def.pose.position.x = 3 * i;
            assert_int_equal(abut_world_add(world, &def, &id), ABUT_OK);
        }
        assert_int_equal(abut_world_commit(world, (abut_interval){ 0, 2 }), ABUT_OK);
        abut_world_query_opts_init(&opts);
        opts.moving = true;
        assert_int_equal(abut_world_intervals(world, &opts, count_pair, &count, NULL), ABUT_OK);
        schedule.last = -1;
        assert_int_equal(abut_world_schedule(world, NULL, take_impact, &schedule), ABUT_OK);
        assert_true(schedule.at[0][1] <= 1);
        abut_world_destroy(world);
    }
    assert_int_equal(count, 2);
    assert_int_equal(schedule.count, 2);
    for (int i = 0; i < 3; ++i)
        abut_shape_release(shape[i]);
}

/* Hundreds of bodies that cross each other's paths: slabs of time, against the earliest of all pairs. */
static void test_slabs(void **state)
{
    (void)state;
    enum { MANY = 160 };
    for (uint64_t seed = 0; seed < test_count(4); ++seed) {
        test_random r = test_seed(seed + 800);
        abut_shape *ball;
        abut_world *world;
        abut_motion *motions[MANY];
        abut_world_opts opts;
        abut_world_opts_init(&opts);
        opts.relative = false; /* relative velocities leave too few pairs for slabs */
        assert_int_equal(abut_shape_create_sphere(.02, NULL, &ball), ABUT_OK);
        assert_int_equal(abut_world_create(&opts, NULL, &world), ABUT_OK);
        for (int i = 0; i < MANY; ++i) {
            abut_world_body def;
            abut_body_id id;
            abut_placement from = abut_placement_from_pose(random_pose(&r, 6)),
                           to = abut_placement_from_pose(random_pose(&r, 6));
            from.rotation = to.rotation = (abut_rotation){ 0 };
            abut_world_body_init(&def);
            assert_int_equal(abut_motion_create_linear(0, 1, &from, &to, NULL, &motions[i], NULL), ABUT_OK);
            def.shape = ball;
            def.motion = motions[i];
            assert_int_equal(abut_world_add(world, &def, &id), ABUT_OK);
        }
        assert_int_equal(abut_world_commit(world, (abut_interval){ 0, 1 }), ABUT_OK);
        assert_true(abut_world_pair_count(world) > 8 * MANY + 1024);
        abut_set_result first;
        assert_int_equal(abut_world_first(world, NULL, NULL, 0, &first, NULL), ABUT_OK);
        double earliest = INFINITY;
        for (int i = 0; i < MANY; ++i)
            for (int k = i + 1; k < MANY; ++k) {
                abut_first_result one;
                assert_int_equal(abut_first_contact(ball, motions[i], ball, motions[k], NULL, NULL, &one),
                                 ABUT_OK);
                if (one.verdict == ABUT_FIRST_CONTACT || one.verdict == ABUT_FIRST_OVERLAPPING)
                    earliest = fmin(earliest, one.time.hi);
            }
        TEST_CHECK(earliest <= 1 ? first.time.lo <= earliest && first.time.hi >= earliest - 1e-9
                                 : first.verdict == ABUT_FIRST_SEPARATE,
                   "seed %" PRIu64 ": first at [%.17g, %.17g], not %.17g", seed, first.time.lo, first.time.hi,
                   earliest);
        for (int i = 0; i < MANY; ++i)
            abut_motion_release(motions[i]);
        abut_world_destroy(world);
        abut_shape_release(ball);
    }
}

/* Bit by bit, but for the padding. */
static bool same_points(const abut_set_point *p, const abut_set_point *q, size_t count)
{
    for (size_t i = 0; i < count; ++i)
        if (p[i].a != q[i].a || p[i].b != q[i].b || p[i].verdict != q[i].verdict ||
            memcmp(&p[i].at.time, &q[i].at.time, sizeof p[i].at.time) != 0 ||
            memcmp(&p[i].at.point, &q[i].at.point, sizeof p[i].at.point) != 0 ||
            memcmp(&p[i].at.normal, &q[i].at.normal, sizeof p[i].at.normal) != 0 ||
            p[i].at.kind != q[i].at.kind || p[i].at.unique != q[i].at.unique ||
            p[i].at.features[0] != q[i].at.features[0] || p[i].at.features[1] != q[i].at.features[1])
            return false;
    return true;
}

/* The first contact does not depend on the number of threads: not a bit of it. */
static void test_threads(void **state)
{
    (void)state;
    enum { MANY = 60, ROOM = 64 };
    for (uint64_t seed = 0; seed < test_count(40); ++seed) {
        test_random r = test_seed(seed + 1900);
        abut_shape *box, *ball;
        abut_world *world;
        assert_int_equal(abut_shape_create_sphere(.2, NULL, &ball), ABUT_OK);
        assert_int_equal(abut_shape_create_box((abut_vec3){ .25, .25, .25 }, NULL, &box), ABUT_OK);
        assert_int_equal(abut_world_create(NULL, NULL, &world), ABUT_OK);
        for (int i = 0; i < MANY; ++i) {
            abut_world_body def;
            abut_body_id id;
            const abut_placement from = abut_placement_from_pose(random_pose(&r, 6)),
                                 to = abut_placement_from_pose(random_pose(&r, 6));
            abut_motion *motion;
            abut_world_body_init(&def);
            assert_int_equal(abut_motion_create_linear(0, 1, &from, &to, NULL, &motion, NULL), ABUT_OK);
            def.shape = i % 3 ? ball : box;
            def.motion = motion;
            assert_int_equal(abut_world_add(world, &def, &id), ABUT_OK);
            abut_motion_release(motion);
        }
        assert_int_equal(abut_world_commit(world, (abut_interval){ 0, 1 }), ABUT_OK);
        static abut_set_point points[3][ROOM];
        abut_set_result out[3];
        memset(points, 0, sizeof points);
        memset(out, 0, sizeof out);
        for (int k = 0; k < 3; ++k) {
            abut_first_opts first;
            abut_world_query_opts opts;
            abut_first_opts_init(&first);
            first.simultaneity = seed % 2 ? .01 : 0;
            abut_world_query_opts_init(&opts);
            opts.first = &first;
            opts.threads = 1 + 2 * k;
            assert_int_equal(abut_world_first(world, &opts, points[k], ROOM, &out[k], NULL), ABUT_OK);
            TEST_CHECK(
                out[k].verdict == out[0].verdict && out[k].proof == out[0].proof &&
                    out[k].time.lo == out[0].time.lo && out[k].time.hi == out[0].time.hi &&
                    out[k].point_count == out[0].point_count &&
                    out[k].counters.iterations == out[0].counters.iterations &&
                    same_points(points[k], points[0], out[0].point_count < ROOM ? out[0].point_count : ROOM),
                "seed %" PRIu64 ": another answer with %d threads", seed, opts.threads);
        }
        abut_world_destroy(world);
        abut_shape_release(ball);
        abut_shape_release(box);
    }
}

/* ---- chains, and relative velocities ---- */

enum { ARMS = 12, LINKS = 9 };

/* Arms of links one after the other; `chained`: each is a chain. */
static abut_world *make_arms(uint64_t seed, bool chained, abut_broad_method method, abut_shape *link)
{
    test_random r = test_seed(seed + 9100);
    abut_world_opts opts;
    abut_world *world;
    abut_world_opts_init(&opts);
    opts.broad = method;
    assert_int_equal(abut_world_create(&opts, NULL, &world), ABUT_OK);
    for (int arm = 0; arm < ARMS; ++arm) {
        abut_pose at = random_pose(&r, 8);
        const int links = 1 + (int)test_below(&r, LINKS);
        for (int k = 0; k < links; ++k) {
            abut_world_body def;
            abut_body_id id;
            abut_world_body_init(&def);
            def.shape = link;
            def.pose = at;
            def.chain = chained && arm % 4 ? 1 + (uint32_t)arm / 2 : 0; /* some of two arms, some alone */
            def.group = arm % 3 == 0 ? 7 : 0;
            assert_int_equal(abut_world_add(world, &def, &id), ABUT_OK);
            at.position.x += test_uniform(&r, -.6, 1);
            at.position.y += test_uniform(&r, -.6, .6);
            at.position.z = test_below(&r, 3) ? at.position.z : floor(at.position.z);
        }
        if (arm == 5)
            assert_int_equal(abut_world_remove(world, abut_world_id_at(world, 3)), ABUT_OK);
    }
    return world;
}

typedef struct pair_log {
    uint32_t a[4096], b[4096];
    int count;
} pair_log;

static bool log_event(void *ctx, abut_pair_event event, abut_body_id a, abut_body_id b)
{
    pair_log *log = ctx;
    (void)event;
    assert_true(log->count < 4096);
    log->a[log->count] = a.index;
    log->b[log->count++] = b.index;
    return true;
}

static void test_chains(void **state)
{
    (void)state;
    abut_shape *link;
    static pair_log alone, together;
    size_t pairs = 0;
    assert_int_equal(abut_shape_create_box((abut_vec3){ .5, .25, .25 }, NULL, &link), ABUT_OK);
    for (uint64_t seed = 0; seed < test_count(400); ++seed) {
        const abut_broad_method method = (abut_broad_method)(seed % ABUT_BROAD_COUNT);
        abut_world *one = make_arms(seed, false, method, link), *two = make_arms(seed, true, method, link);
        for (int step = 0; step < 3; ++step) {
            test_random r = test_seed(seed + (uint64_t)step);
            assert_int_equal(abut_world_commit(one, (abut_interval){ 0, 0 }), ABUT_OK);
            assert_int_equal(abut_world_commit(two, (abut_interval){ 0, 0 }), ABUT_OK);
            alone.count = together.count = 0;
            assert_int_equal(abut_world_events(one, log_event, &alone), ABUT_OK);
            assert_int_equal(abut_world_events(two, log_event, &together), ABUT_OK);
            TEST_CHECK(alone.count == together.count && memcmp(alone.a, together.a, 4 * alone.count) == 0 &&
                           memcmp(alone.b, together.b, 4 * alone.count) == 0,
                       "seed %" PRIu64 ", step %d: %d pairs, of chains %d", seed, step, alone.count,
                       together.count);
            pairs += abut_world_pair_count(two);
            for (int k = 0; k < 5; ++k) {
                const uint32_t i = test_below(&r, abut_world_index_end(one));
                const abut_pose to = random_pose(&r, 8);
                (void)abut_world_move(one, abut_world_id_at(one, i), &to);
                (void)abut_world_move(two, abut_world_id_at(two, i), &to);
            }
        }
        abut_world_destroy(one);
        abut_world_destroy(two);
    }
    assert_true(pairs > 0);
    abut_shape_release(link);
}

/* What relative velocities dismiss has no contact; bodies in formation are dismissed. */
static void test_relative(void **state)
{
    (void)state;
    enum { FEW = 8 };
    size_t dismissed = 0, kept = 0;
    for (uint64_t seed = 0; seed < test_count(300); ++seed) {
        test_random r = test_seed(seed + 9900);
        abut_shape *box;
        abut_motion *motions[FEW];
        abut_world *world;
        static pair_log left;
        assert_int_equal(abut_shape_create_box((abut_vec3){ .3, .5, .4 }, NULL, &box), ABUT_OK);
        assert_int_equal(abut_world_create(NULL, NULL, &world), ABUT_OK);
        const abut_vec3 common = { test_uniform(&r, -5, 5), test_uniform(&r, -5, 5),
                                   test_uniform(&r, -5, 5) };
        for (int i = 0; i < FEW; ++i) {
            const abut_placement from = abut_placement_from_pose(random_pose(&r, 4));
            const abut_vec3 turn = { test_below(&r, 2) ? 0 : test_uniform(&r, -2, 2), 0,
                                     test_uniform(&r, -1, 1) };
            const abut_vec3 rate = { common.x + test_uniform(&r, -.5, .5), common.y, common.z };
            abut_world_body def;
            abut_body_id id;
            assert_int_equal(abut_motion_create_velocity(0, 1, &from,
                                                         test_below(&r, 4) ? rate : (abut_vec3){ 0, 0, 0 },
                                                         turn, NULL, &motions[i], NULL),
                             ABUT_OK);
            abut_world_body_init(&def);
            def.shape = box;
            def.motion = motions[i];
            assert_int_equal(abut_world_add(world, &def, &id), ABUT_OK);
        }
        assert_int_equal(abut_world_commit(world, (abut_interval){ 0, 1 }), ABUT_OK);
        left.count = 0;
        assert_int_equal(abut_world_events(world, log_event, &left), ABUT_OK);
        for (uint32_t i = 0; i < FEW; ++i)
            for (uint32_t k = i + 1; k < FEW; ++k) {
                bool listed = false;
                for (int p = 0; p < left.count; ++p)
                    listed = listed || (left.a[p] == i && left.b[p] == k);
                kept += listed;
                if (listed)
                    continue;
                abut_aabb p, q;
                assert_int_equal(abut_world_bounds(world, abut_world_id_at(world, i), &p), ABUT_OK);
                assert_int_equal(abut_world_bounds(world, abut_world_id_at(world, k), &q), ABUT_OK);
                dismissed += p.lo.x <= q.hi.x && q.lo.x <= p.hi.x && p.lo.y <= q.hi.y && q.lo.y <= p.hi.y &&
                             p.lo.z <= q.hi.z && q.lo.z <= p.hi.z;
                abut_first_result one;
                assert_int_equal(abut_first_contact(box, motions[i], box, motions[k], NULL, NULL, &one),
                                 ABUT_OK);
                TEST_CHECK(one.verdict == ABUT_FIRST_SEPARATE, "seed %" PRIu64 ": pair %u %u meets", seed, i,
                           k);
            }
        for (int i = 0; i < FEW; ++i)
            abut_motion_release(motions[i]);
        abut_world_destroy(world);
        abut_shape_release(box);
    }
    assert_true(dismissed > kept / 10);
}

typedef struct events {
    int begin, persist, end;
    uint64_t last_id;
    int contacts;
    double separation;
} events;

static bool take_event(void *ctx, abut_pair_event event, abut_body_id a, abut_body_id b)
{
    events *e = ctx;
    (void)a;
    (void)b;
    e->begin += event == ABUT_PAIR_BEGIN;
    e->persist += event == ABUT_PAIR_PERSIST;
    e->end += event == ABUT_PAIR_END;
    return true;
}

static bool take_contacts(void *ctx, abut_body_id a, abut_body_id b, const abut_check_result *check,
                          const abut_world_contact *contacts, int count)
{
    events *e = ctx;
    (void)a;
    (void)b;
    (void)check;
    e->contacts += count;
    if (count) {
        e->last_id = contacts[0].id;
        e->separation = contacts[0].separation;
    }
    return true;
}

static void test_steps(void **state)
{
    (void)state;
    abut_shape *box;
    abut_world *world;
    abut_world_body def;
    abut_body_id a, b;
    events e = { 0 };
    abut_world_result result;
    assert_int_equal(abut_shape_create_box((abut_vec3){ .5, .5, .5 }, NULL, &box), ABUT_OK);
    assert_int_equal(abut_world_create(NULL, NULL, &world), ABUT_OK);
    abut_world_body_init(&def);
    def.shape = box;
    assert_int_equal(abut_world_add(world, &def, &a), ABUT_OK);
    def.pose.position.z = .875;
    assert_int_equal(abut_world_add(world, &def, &b), ABUT_OK);
    assert_int_equal(abut_world_commit(world, (abut_interval){ 0, 0 }), ABUT_OK);
    assert_int_equal(abut_world_events(world, take_event, &e), ABUT_OK);
    assert_true(e.begin == 1 && e.persist == 0 && e.end == 0);
    assert_int_equal(abut_world_contacts(world, NULL, take_contacts, &e, &result), ABUT_OK);
    assert_true(result.found == 1 && e.contacts >= 1);
    TEST_NEAR(e.separation, -.125, 1e-12, "depth");
    const uint64_t id = e.last_id;
    def.pose.position.z = .9375;
    assert_int_equal(abut_world_move(world, b, &def.pose), ABUT_OK);
    assert_int_equal(abut_world_commit(world, (abut_interval){ 0, 0 }), ABUT_OK);
    e = (events){ 0 };
    assert_int_equal(abut_world_events(world, take_event, &e), ABUT_OK);
    assert_true(e.begin == 0 && e.persist == 1 && e.end == 0);
    assert_int_equal(abut_world_contacts(world, NULL, take_contacts, &e, &result), ABUT_OK);
    assert_true(e.last_id == id && id != 0);
    /* the same index, another body: the pair ends, another begins */
    assert_int_equal(abut_world_remove(world, b), ABUT_OK);
    assert_int_equal(abut_world_add(world, &def, &b), ABUT_OK);
    assert_int_equal(abut_world_commit(world, (abut_interval){ 0, 0 }), ABUT_OK);
    e = (events){ 0 };
    assert_int_equal(abut_world_events(world, take_event, &e), ABUT_OK);
    assert_true(e.begin == 1 && e.persist == 0 && e.end == 1);
    /* near, within a margin */
    def.pose.position.z = 1.25;
    assert_int_equal(abut_world_move(world, b, &def.pose), ABUT_OK);
    assert_int_equal(abut_world_commit(world, (abut_interval){ 0, 0 }), ABUT_OK);
    abut_world_query_opts opts;
    abut_world_query_opts_init(&opts);
    opts.within = .5;
    e = (events){ 0 };
    assert_int_equal(abut_world_contacts(world, &opts, take_contacts, &e, &result), ABUT_OK);
    assert_int_equal(result.found, 1);
    TEST_NEAR(e.separation, .25, 1e-12, "separation");
    /* a moving ball */
    abut_shape *ball;
    abut_motion *motion;
    const abut_placement from = { .position = { 0, 0, 6 } }, to = { .position = { 0, 0, 2 } };
    abut_set_result first;
    abut_set_point point;
    assert_int_equal(abut_shape_create_sphere(.25, NULL, &ball), ABUT_OK);
    assert_int_equal(abut_motion_create_linear(0, 1, &from, &to, NULL, &motion, NULL), ABUT_OK);
    assert_int_equal(abut_world_cast_shape(world, ball, motion, NULL, &point, 1, &first), ABUT_OK);
    assert_int_equal(first.verdict, ABUT_FIRST_CONTACT);
    assert_true(first.time.lo <= 1 && first.time.hi >= .999 && point.b == b.index);
    abut_motion_release(motion);
    abut_shape_release(ball);
    abut_world_destroy(world);
    abut_shape_release(box);
}

static void test_bound(void **state)
{
    (void)state;
    assert_true(abut_impact_bound(0, 1, 1) == 0);
    assert_true(isinf(abut_impact_bound(1, 0, 0)));
    for (uint64_t seed = 0; seed < test_count(10000); ++seed) {
        test_random r = test_seed(seed);
        const double d = exp2(test_uniform(&r, -30, 30)),
                     v = test_below(&r, 4) ? exp2(test_uniform(&r, -30, 30)) : 0,
                     a = test_below(&r, 4) ? exp2(test_uniform(&r, -30, 30)) : (v > 0 ? 0 : 1);
        const double t = abut_impact_bound(d, v, a);
        /* after that time they have closed in by no more than d, and after a little more by more */
        const long double closed = (long double)v * t + 0.5L * a * (long double)t * t;
        TEST_CHECK(closed <= d && closed >= (1 - 1e-12L) * d, "seed %" PRIu64 ": %.20Lg of %.17g", seed,
                   closed, d);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(test_points_rays_boxes),
                                        cmocka_unit_test(test_over_time),
                                        cmocka_unit_test(test_growing),
                                        cmocka_unit_test(test_slabs),
                                        cmocka_unit_test(test_threads),
                                        cmocka_unit_test(test_chains),
                                        cmocka_unit_test(test_relative),
                                        cmocka_unit_test(test_steps),
                                        cmocka_unit_test(test_bound) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
