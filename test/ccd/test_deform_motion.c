/* SPDX-License-Identifier: MIT */
/* Motions of vertices: first contact, intervals and checks of two meshes, against rationals at many
 * times; errors; memory. */
#include "abut/deform.h"

#include "ccd/test_deform.h"
#include "oracle/triangle_gmp.h"
#include "support/failing_allocator.h"

enum { TIMES = 64, KEYS = 3 };

/* One mesh of a case: keys on a lattice, or at rest, moved or turned. */
typedef struct body {
    brute_mesh m;
    size_t key_count; /* 0: rigid */
    bool carried;     /* keys, and moved as a rigid body besides */
    double t[KEYS];
    abut_vec3 keys[KEYS][BRUTE_VERTICES];
    abut_vec3 from, to; /* rigid, or the carrier */
    abut_quat turn;
    abut_shape *shape;
    abut_motion *motion;
} body;

static const abut_quat no_turn = { 1, 0, 0, 0 };

/* Three times the position of a vertex at a dyadic time, exactly: keys are at 0, 1/4, 1/2, 1. */
static double scaled(double p, double q, double t0, double t1, double t)
{
    const double s3 = (t - t0) * (3 / (t1 - t0)); /* 3/(t1-t0) is 3, 4, 6 or 12 */
    return 3 * p + (q - p) * s3;
}

static void corners_at(const body *b, const uint32_t *triangle, double t, abut_vec3 out[3])
{
    for (int i = 0; i < 3; ++i) {
        const uint32_t v = triangle[i];
        if (!b->key_count) {
            const abut_vec3 p = b->m.start[v];
            out[i] = (abut_vec3){ 3 * p.x, 3 * p.y, 3 * p.z };
            continue;
        }
        size_t k = 0;
        while (k + 2 < b->key_count && b->t[k + 1] <= t)
            ++k;
        const abut_vec3 p = b->keys[k][v], q = b->keys[k + 1][v];
        out[i] =
            (abut_vec3){ scaled(p.x, q.x, b->t[k], b->t[k + 1], t), scaled(p.y, q.y, b->t[k], b->t[k + 1], t),
                         scaled(p.z, q.z, b->t[k], b->t[k + 1], t) };
    }
}

static abut_pose pose_at(const body *b, double t)
{
    abut_pose pose = { { 0, 0, 0 }, no_turn };
    if (!b->key_count || b->carried) {
        pose.rotation = b->turn;
        pose.position = (abut_vec3){ 3 * (b->from.x + t * (b->to.x - b->from.x)),
                                     3 * (b->from.y + t * (b->to.y - b->from.y)),
                                     3 * (b->from.z + t * (b->to.z - b->from.z)) };
    }
    return pose;
}

/* 2: they cross, 1: they meet, 0: they do not. */
static int meet_at(const body *a, const body *b, double t)
{
    int all = 0;
    const abut_pose pa = pose_at(a, t), pb = pose_at(b, t);
    for (size_t i = 0; i < a->m.triangle_count; ++i)
        for (size_t k = 0; k < b->m.triangle_count; ++k) {
            abut_vec3 x[3], y[3];
            corners_at(a, a->m.triangles + 3 * i, t, x);
            corners_at(b, b->m.triangles + 3 * k, t, y);
            const abut_meet meet = oracle_triangle_meet(&pa, x, &pb, y);
            if (meet == ABUT_MEET_CROSS)
                return 2;
            all = meet != ABUT_MEET_NONE ? 1 : all;
        }
    return all;
}

static abut_vec3 lattice(test_random *r, int range)
{
    return (abut_vec3){ (double)test_below(r, 2 * (unsigned)range + 1) - range,
                        (double)test_below(r, 2 * (unsigned)range + 1) - range,
                        (double)test_below(r, 2 * (unsigned)range + 1) - range };
}

/* Kinds: one piece, keys, moved, turned, keys on a carrier so that all is rational, keys on any. */
enum { ONE_PIECE, MANY_KEYS, MOVED, TURNED, CARRIED, CARRIED_ANY };

static void make_body(test_random *r, body *b, int kind)
{
    static const double times[4][KEYS] = { { 0, 1, 0 }, { 0, .25, 1 }, { 0, .5, 1 }, { 0, .75, 1 } };
    deform_topology(r, &b->m, false);
    b->carried = kind >= CARRIED;
    const unsigned pick = kind == 0 ? 0 : test_below(r, 4);
    const int range = 1 + (int)test_below(r, 3);
    b->key_count = kind == MOVED || kind == TURNED ? 0 : pick == 0 ? 2 : 3;
    b->turn = no_turn;
    for (size_t k = 0; k < KEYS; ++k) {
        b->t[k] = times[pick][k];
        const bool stays = k > 0 && !test_below(r, 4), falls = k > 0 && test_below(r, 2);
        const abut_vec3 step = lattice(r, 2);
        for (size_t i = 0; i < b->m.vertex_count; ++i) {
            b->keys[k][i] = lattice(r, range);
            if (stays)
                b->keys[k][i] = b->keys[k - 1][i];
            else if (falls) /* moves as a whole */
                b->keys[k][i] = (abut_vec3){ b->keys[k - 1][i].x + step.x, b->keys[k - 1][i].y + step.y,
                                             b->keys[k - 1][i].z + step.z };
        }
    }
    memcpy(b->m.start, b->keys[0], sizeof b->m.start);
    memcpy(b->m.end, b->keys[1], sizeof b->m.end);
    brute_find_edges(&b->m);
    assert_int_equal(abut_shape_create_mesh(b->m.start, b->m.vertex_count, b->m.triangles,
                                            b->m.triangle_count, false, NULL, &b->shape, NULL),
                     ABUT_OK);
    if (b->key_count) {
        abut_vertex_key keys[KEYS];
        for (size_t k = 0; k < b->key_count; ++k)
            keys[k] = (abut_vertex_key){ b->t[k], b->keys[k], b->m.vertex_count };
        assert_int_equal(abut_motion_create_vertices(keys, b->key_count, NULL, &b->motion, NULL), ABUT_OK);
        if (!b->carried)
            return;
    }
    b->from = b->to = (abut_vec3){ 0, 0, 0 };
    if (test_below(r, 3)) {
        b->from = lattice(r, 2);
        b->to = test_below(r, 2) ? lattice(r, 2) : b->from;
        if (kind == CARRIED && b->key_count == 3)
            b->to = b->from;
    }
    abut_motion *deforming = b->carried ? b->motion : NULL;
    abut_placement from = { .position = b->from }, to = { .position = b->to };
    if (kind == TURNED || (kind == CARRIED_ANY && test_below(r, 2))) {
        const abut_quat turns[4] = { { 1, 1, 0, 0 }, { 1, 2, 0, 1 }, { 0, 0, 1, 0 }, { 3, -1, 2, 1 } };
        b->turn = turns[test_below(r, 4)];
        from.rotation = to.rotation =
            (abut_rotation){ .kind = ABUT_ROTATION_QUATERNION, .quaternion = b->turn };
    }
    if (memcmp(&b->from, &b->to, sizeof b->from) == 0)
        assert_int_equal(abut_motion_create_static(&from, NULL, &b->motion, NULL), ABUT_OK);
    else
        assert_int_equal(abut_motion_create_linear(0, 1, &from, &to, NULL, &b->motion, NULL), ABUT_OK);
    if (!deforming)
        return;
    abut_motion *const links[2] = { b->motion, deforming };
    assert_int_equal(abut_motion_create_chain(links, 2, NULL, &b->motion, NULL), ABUT_OK);
    abut_motion_release(links[0]);
    abut_motion_release(deforming);
}

static void drop_body(body *b)
{
    abut_shape_release(b->shape);
    abut_motion_release(b->motion);
}

static void check_intervals(const body *a, const body *b, const int meets[TIMES + 1], bool exact,
                            const abut_contact_interval *x, const abut_intervals_result *r, uint64_t seed)
{
    if (exact)
        TEST_CHECK(r->proof == ABUT_PROOF_EXACT && r->stop == ABUT_STOP_DONE, "seed %" PRIu64, seed);
    (void)a;
    (void)b;
    for (size_t i = 0; i < r->count; ++i) {
        TEST_CHECK(x[i].enter.lo <= x[i].enter.hi && x[i].exit.lo <= x[i].exit.hi &&
                       x[i].enter.lo <= x[i].exit.lo && (i == 0 || x[i - 1].exit.hi < x[i].enter.lo),
                   "seed %" PRIu64 ": interval %zu", seed, i);
        if (exact)
            TEST_CHECK(x[i].enter.hi - x[i].enter.lo < 1e-14 && x[i].exit.hi - x[i].exit.lo < 1e-14,
                       "seed %" PRIu64 ": wide", seed);
    }
    for (int k = 0; k <= TIMES; ++k) {
        const double t = (double)k / TIMES;
        bool sure = false, possible = false;
        for (size_t i = 0; i < r->count; ++i) {
            sure = sure || (r->proof != ABUT_PROOF_TOLERANCE && x[i].enter.hi <= t && t <= x[i].exit.lo);
            possible = possible || (x[i].enter.lo <= t && t <= x[i].exit.hi);
        }
        TEST_CHECK(!sure || meets[k], "seed %" PRIu64 ": claimed contact at %g", seed, t);
        TEST_CHECK(possible || !meets[k], "seed %" PRIu64 ": missed contact at %g", seed, t);
        if (exact && sure != possible) /* only next to an end that is no double */
            TEST_CHECK(fabs(t * 3 - rint(t * 3)) > 0 || k % 1 == 0, "seed %" PRIu64, seed);
    }
}

static void check_first(const body *a, const body *b, const int meets[TIMES + 1], bool exact,
                        const abut_contact_interval *x, size_t count, uint64_t seed)
{
    abut_first_result first;
    assert_int_equal(abut_first_contact(a->shape, a->motion, b->shape, b->motion, NULL, NULL, &first),
                     ABUT_OK);
    if (!exact && first.verdict == ABUT_FIRST_UNDECIDED)
        return;
    if (meets[0] == 2) {
        TEST_CHECK(first.verdict == ABUT_FIRST_OVERLAPPING, "seed %" PRIu64 ": verdict %d", seed,
                   (int)first.verdict);
        return;
    }
    TEST_CHECK(first.verdict != ABUT_FIRST_OVERLAPPING, "seed %" PRIu64 ": overlapping", seed);
    if (!exact) { /* earliest and latest it may be */
        if (first.verdict == ABUT_FIRST_CONTACT)
            for (int k = 1; k <= TIMES && (double)k / TIMES < first.time.lo; ++k)
                TEST_CHECK(!meets[k], "seed %" PRIu64 ": late", seed);
        return;
    }
    size_t i = 0;
    if (count > 0 && x[0].exit.hi == 0) /* a touch at the start that parts */
        ++i;
    if (i == count) {
        TEST_CHECK(first.verdict == ABUT_FIRST_SEPARATE, "seed %" PRIu64 ": verdict %d", seed,
                   (int)first.verdict);
        return;
    }
    TEST_CHECK(first.verdict == ABUT_FIRST_CONTACT && first.proof == ABUT_PROOF_EXACT,
               "seed %" PRIu64 ": verdict %d", seed, (int)first.verdict);
    TEST_CHECK(first.time.lo <= x[i].enter.hi && first.time.hi >= x[i].enter.lo,
               "seed %" PRIu64 ": [%a, %a], but contact begins at [%a, %a]", seed, first.time.lo,
               first.time.hi, x[i].enter.lo, x[i].enter.hi);
    assert_true(first.point_count > 0 && first.points[0].has_ids);
}

static void check_at_times(const body *a, const body *b, const int meets[TIMES + 1], bool exact,
                           uint64_t seed)
{
    for (int k = 0; k <= TIMES; k += 8) {
        abut_check_result r;
        const double t = (double)k / TIMES;
        assert_int_equal(abut_check_at(a->shape, a->motion, b->shape, b->motion, t, NULL, NULL, &r), ABUT_OK);
        if (!exact && r.verdict == ABUT_UNDECIDED)
            continue;
        TEST_CHECK(r.verdict == (meets[k] ? ABUT_TOUCHING : ABUT_SEPARATE),
                   "seed %" PRIu64 ", t = %g: verdict %d", seed, t, (int)r.verdict);
        TEST_CHECK(meets[k] ? r.distance.hi == 0 : r.distance.lo > 0, "seed %" PRIu64 ", t = %g", seed, t);
        mpq_t least, d2;
        mpq_init(least);
        mpq_init(d2);
        const abut_pose pa = pose_at(a, t), pb = pose_at(b, t);
        for (size_t i = 0; i < a->m.triangle_count * b->m.triangle_count && !meets[k]; ++i) {
            abut_vec3 x[3], y[3];
            corners_at(a, a->m.triangles + 3 * (i / b->m.triangle_count), t, x);
            corners_at(b, b->m.triangles + 3 * (i % b->m.triangle_count), t, y);
            oracle_triangle_distance2(&pa, x, &pb, y, d2);
            if (i == 0 || mpq_cmp(d2, least) < 0)
                mpq_set(least, d2);
        }
        if (!meets[k]) /* three times as large there */
            TEST_CHECK(oracle_compare_square(3 * r.distance.lo * (1 - 1e-15), least) <= 0 &&
                           oracle_compare_square(3 * r.distance.hi * (1 + 1e-15), least) >= 0,
                       "seed %" PRIu64 ", t = %g: [%a, %a]", seed, t, r.distance.lo, r.distance.hi);
        mpq_clear(least);
        mpq_clear(d2);
    }
}

static void run_case(uint64_t seed, int kind)
{
    static body a, b;
    static abut_contact_interval x[400];
    test_random r = test_seed(seed);
    abut_intervals_result result;
    int meets[TIMES + 1];
    const bool exact = kind != TURNED && kind != CARRIED_ANY;
    make_body(&r, &a, kind < 2 ? kind : 1);
    make_body(&r, &b, kind);
    const bool swap = test_below(&r, 2);
    const body *p = swap ? &b : &a, *q = swap ? &a : &b;
    for (int k = 0; k <= TIMES; ++k)
        meets[k] = meet_at(p, q, (double)k / TIMES);
    assert_int_equal(
        abut_contact_intervals(p->shape, p->motion, q->shape, q->motion, NULL, NULL, x, 400, &result),
        ABUT_OK);
    assert_true(result.count <= 400);
    check_intervals(p, q, meets, exact, x, &result, seed);
    check_first(p, q, meets, exact, x, result.count, seed);
    check_at_times(p, q, meets, exact, seed);
    drop_body(&a);
    drop_body(&b);
}

static void run_kind(int kind, uint64_t full)
{
    const uint64_t cases = test_count(full);
    for (uint64_t i = 0; i < cases; ++i)
        run_case((uint64_t)(kind + 1) * 10000000 + i, kind);
}

static void test_one_piece(void **state)
{
    (void)state;
    run_kind(0, 12);
}

static void test_many_keys(void **state)
{
    (void)state;
    run_kind(1, 12);
}

static void test_moved(void **state)
{
    (void)state;
    run_kind(2, 12);
}

static void test_turned(void **state)
{
    (void)state;
    run_kind(3, 10);
}

static void test_carried(void **state)
{
    (void)state;
    run_kind(CARRIED, 10);
    run_kind(CARRIED_ANY, 10);
}

/* Only the last link of a chain may move vertices, and rigid motions carry it; frames, and where the
 * vertices are. */
static void test_chains(void **state)
{
    (void)state;
    const abut_vec3 p[3] = { { 0, 0, 0 }, { 1, 0, 0 }, { 0, 1, 0 } },
                    q[3] = { { 0, 0, 1 }, { 1, 0, 1 }, { 0, 1, 1 } };
    const abut_vertex_key keys[2] = { { 0, p, 3 }, { 1, q, 3 } };
    const abut_placement at = { .position = { 4, 5, 6 } };
    abut_motion *moves, *stays, *on, *twice, *none = NULL;
    abut_error error;
    abut_vec3 now[3];
    assert_int_equal(abut_motion_create_vertices(keys, 2, NULL, &moves, NULL), ABUT_OK);
    assert_int_equal(abut_motion_create_static(&at, NULL, &stays, NULL), ABUT_OK);
    abut_motion *const right[2] = { stays, moves }, *const wrong[2] = { moves, stays };
    assert_int_equal(abut_motion_create_chain(wrong, 2, NULL, &none, &error), ABUT_ERR_ARGUMENT);
    assert_null(none);
    assert_int_equal(error.index, 0);
    assert_int_equal(abut_motion_create_chain(right, 2, NULL, &on, NULL), ABUT_OK);
    assert_int_equal(abut_motion_get_type(on), ABUT_MOTION_VERTICES);
    abut_motion *const again[2] = { stays, on };
    assert_int_equal(abut_motion_create_chain(again, 2, NULL, &twice, NULL), ABUT_OK);
    assert_int_equal(abut_motion_vertices_at(twice, 0.5, now, 3), ABUT_OK);
    assert_true(now[1].x == 9 && now[1].y == 10 && now[1].z == 12.5);
    abut_status status;
    TEST_EVERY_ALLOCATION_FAILS(
        alloc,
        {
            abut_motion *motion;
            status = abut_motion_create_chain(again, 2, &alloc, &motion, NULL);
            if (status == ABUT_OK)
                abut_motion_release(motion);
        },
        status);
    abut_motion_release(moves);
    abut_motion_release(stays);
    abut_motion_release(on);
    abut_motion_release(twice);
}

/* ---- one mesh ---- */

static brute_list all;

static void test_self_first(void **state)
{
    (void)state;
    const uint64_t cases = test_count(16);
    static brute_mesh m;
    for (uint64_t seed = 70000000; seed < 70000000 + cases; ++seed) {
        test_random r = test_seed(seed);
        deform_make(&r, &m, true);
        brute_contacts(&m, &m, &all);
        abut_shape *shape;
        abut_motion *motion;
        const abut_vertex_key keys[2] = { { 0, m.start, m.vertex_count }, { 1, m.end, m.vertex_count } };
        assert_int_equal(abut_shape_create_mesh(m.start, m.vertex_count, m.triangles, m.triangle_count, false,
                                                NULL, &shape, NULL),
                         ABUT_OK);
        assert_int_equal(abut_motion_create_vertices(keys, 2, NULL, &motion, NULL), ABUT_OK);
        abut_first_result first;
        assert_int_equal(abut_self_first_contact(shape, motion, NULL, NULL, &first), ABUT_OK);
        bool at_start = false, later = false;
        for (size_t i = 0; i < all.count; ++i) {
            at_start = at_start || oracle_impact_at(all.items[i].at, 0);
            later = later || !oracle_impact_at(all.items[i].at, 0);
        }
        if (brute_crossings(&m, &m) > 0)
            TEST_CHECK(first.verdict == ABUT_FIRST_OVERLAPPING, "seed %" PRIu64, seed);
        else if (first.verdict == ABUT_FIRST_CONTACT && first.time.lo > 0)
            TEST_CHECK(at_start || brute_first_in(&all, first.time.lo, first.time.hi), "seed %" PRIu64, seed);
        else if (first.verdict == ABUT_FIRST_CONTACT)
            TEST_CHECK(at_start || brute_meetings(&m, &m) > 0, "seed %" PRIu64, seed);
        else if (first.verdict == ABUT_FIRST_SEPARATE)
            TEST_CHECK(!later, "seed %" PRIu64 ": missed", seed);
        else
            TEST_CHECK(first.verdict == ABUT_FIRST_OVERLAPPING, "seed %" PRIu64, seed);
        abut_shape_release(shape);
        abut_motion_release(motion);
        brute_clear(&all);
    }
}

/* ---- known cases ---- */

static void test_start(void **state)
{
    (void)state;
    /* A triangle that rests on another, moves away, or moves through it. */
    const abut_vec3 floor[3] = { { -4, -4, 0 }, { 4, -4, 0 }, { 0, 4, 0 } };
    const abut_vec3 start[3] = { { 0, 0, 0 }, { 1, 0, 1 }, { 0, 1, 1 } };
    const uint32_t t[3] = { 0, 1, 2 };
    static const struct {
        double dz;
        abut_first_verdict verdict;
    } cases[] = { { 1, ABUT_FIRST_SEPARATE }, { 0, ABUT_FIRST_CONTACT }, { -.5, ABUT_FIRST_CONTACT } };
    abut_shape *a, *b;
    assert_int_equal(abut_shape_create_mesh(floor, 3, t, 1, false, NULL, &a, NULL), ABUT_OK);
    assert_int_equal(abut_shape_create_mesh(start, 3, t, 1, false, NULL, &b, NULL), ABUT_OK);
    for (int i = 0; i < 3; ++i) {
        abut_vec3 end[3];
        for (int k = 0; k < 3; ++k)
            end[k] = (abut_vec3){ start[k].x, start[k].y, start[k].z + cases[i].dz };
        const abut_vertex_key keys[2] = { { 0, start, 3 }, { 1, end, 3 } };
        abut_motion *motion;
        abut_first_result r;
        assert_int_equal(abut_motion_create_vertices(keys, 2, NULL, &motion, NULL), ABUT_OK);
        assert_int_equal(abut_first_contact(a, NULL, b, motion, NULL, NULL, &r), ABUT_OK);
        assert_int_equal(r.verdict, cases[i].verdict);
        if (r.verdict == ABUT_FIRST_CONTACT)
            assert_true(r.time.lo == 0 && r.time.hi == 0);
        abut_motion_release(motion);
    }
    abut_shape_release(a);
    abut_shape_release(b);
}

static void test_errors(void **state)
{
    (void)state;
    const abut_vec3 x[3] = { { 0, 0, 0 }, { 1, 0, 0 }, { 0, 1, 0 } },
                    bad[3] = { { 0, 0, 0 }, { 0, INFINITY, 0 } };
    const uint32_t t[3] = { 0, 1, 2 };
    abut_motion *motion;
    abut_error error;
    abut_vertex_key keys[3] = { { 0, x, 3 }, { 1, x, 3 }, { 2, x, 3 } };
    assert_int_equal(abut_motion_create_vertices(keys, 1, NULL, &motion, &error), ABUT_ERR_ARGUMENT);
    keys[1].t = 0;
    assert_int_equal(abut_motion_create_vertices(keys, 3, NULL, &motion, &error), ABUT_ERR_ARGUMENT);
    assert_non_null(strstr(error.text, "key 1"));
    keys[1].t = 1;
    keys[2].vertex_count = 2;
    assert_int_equal(abut_motion_create_vertices(keys, 3, NULL, &motion, &error), ABUT_ERR_ARGUMENT);
    assert_non_null(strstr(error.text, "key 2"));
    keys[2] = (abut_vertex_key){ 2, bad, 3 };
    assert_int_equal(abut_motion_create_vertices(keys, 3, NULL, &motion, &error), ABUT_ERR_ARGUMENT);
    assert_non_null(strstr(error.text, "vertex 1 of key 2"));
    assert_null(motion);
    assert_int_equal(abut_motion_create_vertices(keys, 2, NULL, &motion, &error), ABUT_OK);
    assert_string_equal(abut_motion_type_name(abut_motion_get_type(motion)), "vertices");

    abut_shape *mesh, *other, *ball;
    abut_first_result r;
    abut_check_result c;
    abut_affine at;
    const abut_vec3 four[4] = { { 0, 0, 1 }, { 1, 0, 1 }, { 0, 1, 1 }, { 1, 1, 1 } };
    assert_int_equal(abut_shape_create_mesh(x, 3, t, 1, false, NULL, &mesh, NULL), ABUT_OK);
    assert_int_equal(abut_shape_create_mesh(four, 4, t, 1, false, NULL, &other, NULL), ABUT_OK);
    assert_int_equal(abut_shape_create_sphere(1, NULL, &ball), ABUT_OK);
    /* another number of vertices; outside its time */
    assert_int_equal(abut_first_contact(other, motion, mesh, NULL, NULL, NULL, &r), ABUT_ERR_ARGUMENT);
    assert_int_equal(abut_first_contact(mesh, motion, ball, NULL, NULL, NULL, &r), ABUT_OK);
    assert_true(r.verdict == ABUT_FIRST_CONTACT || r.verdict == ABUT_FIRST_OVERLAPPING);
    assert_int_equal(abut_check_at(mesh, motion, other, NULL, 1.5, NULL, NULL, &c), ABUT_ERR_ARGUMENT);
    assert_int_equal(abut_check_at(mesh, motion, ball, NULL, 0.5, NULL, NULL, &c), ABUT_OK);
    assert_int_equal(abut_motion_at(motion, 0.5, &at), ABUT_ERR_UNSUPPORTED);
    abut_vec3 there[3];
    assert_int_equal(abut_motion_vertices_at(motion, 0.5, there, 3), ABUT_OK);
    assert_int_equal(abut_motion_vertices_at(motion, 0.5, there, 2), ABUT_ERR_ARGUMENT);
    abut_motion *spin;
    assert_int_equal(abut_motion_create_velocity(0, 1, &(abut_placement){ .position = { 0, 0, 0 } },
                                                 (abut_vec3){ 0, 0, 0 }, (abut_vec3){ 0, 0, 1 }, NULL, &spin,
                                                 NULL),
                     ABUT_OK);
    assert_int_equal(abut_first_contact(mesh, motion, other, spin, NULL, NULL, &r), ABUT_OK);
    assert_int_equal(r.verdict, ABUT_FIRST_SEPARATE);
    abut_motion_release(spin);
    abut_motion_release(motion);
    abut_shape_release(mesh);
    abut_shape_release(other);
    abut_shape_release(ball);
}

static void test_memory(void **state)
{
    (void)state;
    const abut_vec3 x[3] = { { 0, 0, 0 }, { 1, 0, 0 }, { 0, 1, 0 } };
    const abut_vertex_key keys[2] = { { 0, x, 3 }, { 1, x, 3 } };
    abut_status status;
    TEST_EVERY_ALLOCATION_FAILS(
        alloc,
        {
            abut_motion *motion;
            status = abut_motion_create_vertices(keys, 2, &alloc, &motion, NULL);
            if (status == ABUT_OK)
                abut_motion_release(motion);
        },
        status);
}

/* The general method of bodies that deform: a field in t and a mesh, over time and at an instant. */
static void test_memory_of_queries(void **state)
{
    (void)state;
    const abut_vec3 x[3] = { { -1, -1, 1.25 }, { 1, -1, 1.25 }, { 0, 1, 1.25 } };
    const uint32_t t[3] = { 0, 1, 2 };
    const abut_aabb bounds = { { -2, -2, -2 }, { 2, 2, 2 } };
    abut_first_opts opts;
    abut_first_opts_init(&opts);
    opts.max_iterations = 4;
    opts.time = (abut_interval){ 0, 1 };
    abut_status status;
    TEST_EVERY_ALLOCATION_FAILS(
        alloc,
        {
            abut_shape *mesh = NULL;
            abut_shape *blob = NULL;
            abut_first_result r;
            abut_check_result c;
            status = abut_shape_create_mesh(x, 3, t, 1, false, &alloc, &mesh, NULL);
            if (status == ABUT_OK)
                status = abut_shape_create_implicit("x^2+y^2+z^2-1-t", bounds, &alloc, &blob, NULL);
            if (status == ABUT_OK)
                status = abut_first_contact(mesh, NULL, blob, NULL, &opts, NULL, &r);
            if (status == ABUT_OK)
                status = abut_check_at(mesh, NULL, blob, NULL, 0.75, NULL, NULL, &c);
            abut_shape_release(mesh);
            abut_shape_release(blob);
        },
        status);
}

int main(int argc, char **argv)
{
    if (argc > 1)
        cmocka_set_test_filter(argv[1]);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_one_piece),
        cmocka_unit_test(test_many_keys),
        cmocka_unit_test(test_moved),
        cmocka_unit_test(test_turned),
        cmocka_unit_test(test_carried),
        cmocka_unit_test(test_chains),
        cmocka_unit_test(test_self_first),
        cmocka_unit_test(test_start),
        cmocka_unit_test(test_errors),
        cmocka_unit_test(test_memory),
        cmocka_unit_test(test_memory_of_queries),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
