/* SPDX-License-Identifier: MIT */
/* Vertex-face and edge-edge contact against the referee in integers: verdict, enclosure of the
 * first time, all intervals, cut-off, and what is promised of points and normals. */
#include "abut/triangle.h"

#include "oracle/impact_gmp.h"
#include "support/failing_allocator.h"
#include "support/test.h"

#include <fenv.h>
#include <time.h>

typedef struct query {
    abut_vec3 start[4], end[4];
} query;

static double *coordinate(query *q, unsigned i)
{
    abut_vec3 *v = i < 12 ? &q->start[i / 3] : &q->end[(i - 12) / 3];
    return i % 3 == 0 ? &v->x : i % 3 == 1 ? &v->y : &v->z;
}

static abut_status ask(const query *q, bool edges, const abut_impact_opts *opts, abut_impact_result *r)
{
    return edges ? abut_edge_edge_contact(q->start, q->end, opts, r)
                 : abut_vertex_face_contact(q->start, q->end, opts, r);
}

static void print_query(const query *q, bool edges, uint64_t seed)
{
    query copy = *q;
    print_error("%s, seed %" PRIu64 ":\n", edges ? "edge-edge" : "vertex-face", seed);
    for (unsigned i = 0; i < 24; ++i)
        print_error("%a%s", *coordinate(&copy, i), i % 3 == 2 ? "\n" : ", ");
}

/* ---- cases ---- */

static double next_double(double x, unsigned up)
{
    return nextafter(x, up ? INFINITY : -INFINITY);
}

static void lattice(test_random *r, query *q, unsigned range)
{
    for (unsigned i = 0; i < 24; ++i)
        *coordinate(q, i) = (double)test_below(r, 2 * range + 1) - range;
}

static void make_case(test_random *r, query *q)
{
    lattice(r, q, 1 + test_below(r, 3));
    switch (test_below(r, 14)) {
    case 0: break;
    case 1: /* in a plane at all times */
        for (unsigned i = 2; i < 24; i += 3)
            *coordinate(q, i) = 1;
        break;
    case 2: /* on a line at all times */
        for (unsigned i = 0; i < 24; ++i)
            if (i % 3)
                *coordinate(q, i) = i % 3;
        break;
    case 3: /* in a plane that turns or shears: z = x y of another number, linear in the corner */
        for (unsigned i = 0; i < 24; i += 3)
            *coordinate(q, i + 2) = *coordinate(q, i) + 2 * *coordinate(q, i + 1);
        break;
    case 4: /* at rest, all or some */
        for (unsigned i = 0; i < 4; ++i)
            if (test_below(r, 3))
                q->end[i] = q->start[i];
        break;
    case 5: /* corners that coincide */
        q->start[3] = q->start[2];
        q->end[3] = q->end[2];
        break;
    case 6: /* a face on a line, parallel edges */
        q->start[3] = (abut_vec3){ q->start[2].x + q->start[1].x - q->start[0].x,
                                   q->start[2].y + q->start[1].y - q->start[0].y,
                                   q->start[2].z + q->start[1].z - q->start[0].z };
        q->end[3] =
            (abut_vec3){ q->end[2].x + q->end[1].x - q->end[0].x, q->end[2].y + q->end[1].y - q->end[0].y,
                         q->end[2].z + q->end[1].z - q->end[0].z };
        break;
    case 7: /* middle of two corners: degenerate faces */
        q->start[3] = (abut_vec3){ (q->start[1].x + q->start[2].x) / 2, (q->start[1].y + q->start[2].y) / 2,
                                   (q->start[1].z + q->start[2].z) / 2 };
        q->end[3] = (abut_vec3){ (q->end[1].x + q->end[2].x) / 2, (q->end[1].y + q->end[2].y) / 2,
                                 (q->end[1].z + q->end[2].z) / 2 };
        break;
    case 8: /* one translation for all but the first corner */
        for (unsigned i = 2; i < 4; ++i)
            q->end[i] = (abut_vec3){ q->start[i].x + q->end[1].x - q->start[1].x,
                                     q->start[i].y + q->end[1].y - q->start[1].y,
                                     q->start[i].z + q->end[1].z - q->start[1].z };
        break;
    case 9: /* any doubles */
        for (unsigned i = 0; i < 24; ++i)
            *coordinate(q, i) = test_uniform(r, -1, 1);
        if (test_below(r, 2)) /* that cannot miss so easily */
            for (unsigned i = 0; i < 12; ++i)
                *coordinate(q, i + 12) = -*coordinate(q, i);
        break;
    case 10: /* few bits */
        for (unsigned i = 0; i < 24; ++i)
            *coordinate(q, i) = (double)(test_below(r, 200)) / 16 - 6;
        break;
    case 11: /* sizes far apart */
        for (unsigned i = 0; i < 24; ++i)
            *coordinate(q, i) *= test_below(r, 4) ? 1 : test_log_uniform(r, -60, 60);
        break;
    case 12: /* the end is the start turned about an axis: all at one time */
        for (unsigned i = 0; i < 4; ++i)
            q->end[i] = (abut_vec3){ -q->start[i].x, -q->start[i].y, q->start[i].z };
        break;
    default: /* everything meets in one point at one time */
        for (unsigned i = 0; i < 12; ++i)
            *coordinate(q, i + 12) = -3 * *coordinate(q, i);
        break;
    }
    /* Scaled by powers of two, along an axis or all; then single coordinates moved by an ulp. */
    if (test_below(r, 4) == 0) {
        const double scale = ldexp(1, (int)test_below(r, 80) - 40);
        const unsigned axis = test_below(r, 4);
        for (unsigned i = 0; i < 24; ++i)
            if (axis == 3 || i % 3 == axis)
                *coordinate(q, i) *= scale;
    }
    if (test_below(r, 4) == 0)
        for (unsigned count = 1 + test_below(r, 3); count > 0; --count) {
            double *x = coordinate(q, test_below(r, 24));
            if (*x != 0)
                *x = next_double(*x, test_below(r, 2));
            else
                *x = ldexp(1, -(int)test_below(r, 70));
        }
}

/* ---- checks ---- */

static int64_t ulps(double lo, double hi)
{
    int64_t a, b;
    memcpy(&a, &lo, sizeof a);
    memcpy(&b, &hi, sizeof b);
    return b - a;
}

#define CHECK(condition)                                                     \
    do {                                                                     \
        if (!(condition)) {                                                  \
            print_query(q, edges, seed);                                     \
            print_error("time [%a, %a], verdict %s; ", r.time.lo, r.time.hi, \
                        abut_first_verdict_name(r.verdict));                 \
            TEST_FAIL("%s is false", #condition);                            \
        }                                                                    \
    } while (0)

static void check_promises(const query *q, bool edges, uint64_t seed, abut_impact_result r)
{
    const abut_vec3 n = r.normal, p = r.point;
    CHECK(r.proof == ABUT_PROOF_EXACT);
    CHECK(fabs(n.x * n.x + n.y * n.y + n.z * n.z - 1) < 1e-12);
    CHECK(isfinite(p.x) && isfinite(p.y) && isfinite(p.z));
    CHECK(r.parameters[0] >= 0 && r.parameters[0] <= 1 && r.parameters[1] >= 0 && r.parameters[1] <= 1);
    CHECK(edges || r.parameters[0] + r.parameters[1] <= 1 + 1e-15);
    CHECK(r.time.lo >= 0 && r.time.lo <= r.time.hi && r.time.hi <= 1 && ulps(r.time.lo, r.time.hi) <= 4);
}

/* The point on both features, for cases of about unit size: off by rounding over the sines of
 * angles, so a loose bound. */
static void check_point(const query *q, bool edges, uint64_t seed, abut_impact_result r)
{
    const double t = 0.5 * (r.time.lo + r.time.hi), u = r.parameters[0], v = r.parameters[1];
    const double weights[2][4] = { { 0, 1 - u - v, u, v }, { 0, 0, 1 - v, v } };
    for (unsigned k = 0; k < 3; ++k) {
        query copy = *q;
        double sum = 0, point = k == 0 ? r.point.x : k == 1 ? r.point.y : r.point.z;
        for (unsigned i = 0; i < 4; ++i)
            sum += weights[edges][i] *
                   ((1 - t) * *coordinate(&copy, 3 * i + k) + t * *coordinate(&copy, 12 + 3 * i + k));
        CHECK(fabs(sum - point) < 1e-5);
    }
}

static void check_intervals(const query *q, bool edges, uint64_t seed, const oracle_impact *o,
                            test_random *random)
{
    abut_contact_interval list[24];
    abut_impact_opts opts;
    abut_impact_result r;
    abut_impact_opts_init(&opts);
    opts.intervals = list;
    opts.interval_capacity = 24;
    CHECK(ask(q, edges, &opts, &r) == ABUT_OK);
    CHECK((r.verdict == ABUT_FIRST_CONTACT) == (r.interval_count > 0));
    CHECK(r.interval_count <= 24 && (!r.interval_count || list[0].enter.lo == r.time.lo));
    int events = 0;
    for (size_t i = 0; i < r.interval_count; ++i) {
        CHECK(list[i].enter.lo <= list[i].exit.lo && list[i].enter.hi <= list[i].exit.hi);
        CHECK(i == 0 || list[i - 1].exit.hi <= list[i].enter.lo);
        CHECK(oracle_impact_events(o, list[i].enter.lo, list[i].enter.hi) > 0);
        CHECK(oracle_impact_events(o, list[i].exit.lo, list[i].exit.hi) > 0);
        events += oracle_impact_events(o, list[i].enter.lo, list[i].exit.hi);
    }
    CHECK(events == oracle_impact_events(o, 0, 1));
    for (int k = 0; k < 8; ++k) {
        const double t = test_below(random, 3) ? test_uniform(random, 0, 1) : test_below(random, 13) / 12.0;
        bool in = false, doubt = false;
        for (size_t i = 0; i < r.interval_count; ++i) {
            in = in || (t >= list[i].enter.hi && t <= list[i].exit.lo);
            doubt = doubt || (t >= list[i].enter.lo && t <= list[i].enter.hi) ||
                    (t >= list[i].exit.lo && t <= list[i].exit.hi);
        }
        CHECK(doubt || in == oracle_impact_at(o, t));
    }
}

static void check_cutoff(const query *q, bool edges, uint64_t seed, const oracle_impact *o, double t_max)
{
    abut_impact_opts opts;
    abut_impact_result r;
    abut_impact_opts_init(&opts);
    opts.t_max = t_max;
    CHECK(ask(q, edges, &opts, &r) == ABUT_OK);
    /* The first contact is in [0, t_max], or not. */
    CHECK((r.verdict == ABUT_FIRST_CONTACT) == oracle_impact_first_in(o, 0, t_max));
    CHECK(r.verdict == ABUT_FIRST_CONTACT || r.stop == (t_max < 1 ? ABUT_STOP_CUTOFF : ABUT_STOP_DONE));
    CHECK(r.verdict == ABUT_FIRST_SEPARATE || oracle_impact_first_in(o, r.time.lo, r.time.hi));
}

static void judge(const query *q, bool edges, uint64_t seed, test_random *random, bool unit)
{
    abut_impact_result r;
    CHECK(ask(q, edges, NULL, &r) == ABUT_OK);
    oracle_impact *o = oracle_impact_create(q->start, q->end, edges);
    CHECK(r.verdict == (oracle_impact_contact(o) ? ABUT_FIRST_CONTACT : ABUT_FIRST_SEPARATE));
    CHECK(r.proof == ABUT_PROOF_EXACT && r.stop == ABUT_STOP_DONE);
    if (r.counters.exact)
        CHECK(r.coplanar == oracle_impact_coplanar(o));
    if (r.verdict == ABUT_FIRST_CONTACT) {
        CHECK(oracle_impact_first_in(o, r.time.lo, r.time.hi));
        check_promises(q, edges, seed, r);
        if (unit)
            check_point(q, edges, seed, r);
        if (test_below(random, 8) == 0) {
            check_cutoff(q, edges, seed, o, r.time.lo);
            check_cutoff(q, edges, seed, o, r.time.hi);
            if (r.time.lo > 0)
                check_cutoff(q, edges, seed, o, nextafter(r.time.lo, 0));
        }
    }
    if (test_below(random, 4) == 0) {
        check_intervals(q, edges, seed, o, random);
        check_cutoff(q, edges, seed, o, test_below(random, 5) / 4.0);
    }
    oracle_impact_destroy(o);
}

static void random_cases(void **state)
{
    (void)state;
    const uint64_t count = test_count(4000);
    for (uint64_t seed = 0; seed < count; ++seed) {
        test_random random = test_seed(seed);
        query q;
        make_case(&random, &q);
        judge(&q, false, seed, &random, false);
        judge(&q, true, seed, &random, false);
    }
}

/* Points and normals of plain lattices. */
static void lattice_points(void **state)
{
    (void)state;
    const uint64_t count = test_count(1000);
    for (uint64_t seed = 0; seed < count; ++seed) {
        test_random random = test_seed(seed + 7000000);
        query q;
        lattice(&random, &q, 1 + test_below(&random, 4));
        judge(&q, false, seed, &random, true);
        judge(&q, true, seed, &random, true);
    }
}

/* Sizes anywhere in the doubles. */
static void extreme_sizes(void **state)
{
    (void)state;
    const uint64_t count = test_count(60);
    for (uint64_t seed = 0; seed < count; ++seed) {
        test_random random = test_seed(seed + 9000000);
        query q;
        lattice(&random, &q, 1);
        const unsigned way = test_below(&random, 3);
        for (unsigned i = 0; i < 24; ++i) {
            double *x = coordinate(&q, i);
            if (way == 0)
                *x *= ldexp(1, -1074);
            else if (way == 1)
                *x *= DBL_MAX;
            else if (test_below(&random, 3) == 0)
                *x *= test_log_uniform(&random, -1070, 1020);
        }
        judge(&q, false, seed, &random, false);
        judge(&q, true, seed, &random, false);
    }
}

/* Roots of the cubic next to each other: two edges that nearly graze. */
static void near_grazes(void **state)
{
    (void)state;
    const uint64_t count = test_count(200);
    for (uint64_t seed = 0; seed < count; ++seed) {
        test_random random = test_seed(seed + 11000000);
        /* A vertex above a face that dips through z = 0 and comes back: z of the face is a
         * parabola from a shear and a turn. */
        query q = { { { 0, 0, 0 }, { -4, -4, 0 }, { 4, -4, 0 }, { 0, 4, 0 } },
                    { { 0, 0, 0 }, { -4, -4, 0 }, { 4, -4, 0 }, { 0, 4, 0 } } };
        const double tilt = ldexp(1 + test_below(&random, 7), -(int)test_below(&random, 8));
        q.start[0] = (abut_vec3){ -1, 0, tilt };
        q.end[0] = (abut_vec3){ 1, 0, tilt };
        for (unsigned i = 1; i < 4; ++i) {
            q.start[i].z = q.start[i].x * tilt;
            q.end[i].z = -q.end[i].x * tilt;
        }
        /* Height of the plane under the vertex at time t: (1 - 2 t) (2 t - 1) tilt, so they
         * graze at 1/2 after a shift by tilt. */
        q.start[0].z = q.end[0].z = 0;
        const double shift = test_below(&random, 2)
                                 ? 0
                                 : ldexp((double)test_below(&random, 5) - 2, -(int)test_below(&random, 200));
        q.start[0].z = q.end[0].z = shift;
        judge(&q, false, seed, &random, true);
        judge(&q, true, seed, &random, false);
    }
}

/* ---- single cases ---- */

static void known_contacts(void **state)
{
    (void)state;
    abut_impact_result r;
    /* A vertex falls through a face at rest. */
    query fall = { { { 0, 0, 1 }, { -1, -1, 0 }, { 1, -1, 0 }, { 0, 1, 0 } },
                   { { 0, 0, -3 }, { -1, -1, 0 }, { 1, -1, 0 }, { 0, 1, 0 } } };
    assert_int_equal(ask(&fall, false, NULL, &r), ABUT_OK);
    assert_int_equal(r.verdict, ABUT_FIRST_CONTACT);
    assert_true(r.time.lo <= 0.25 && r.time.hi >= 0.25);
    assert_true(r.point.z == 0 && r.normal.z == -1);
    TEST_NEAR(r.parameters[0], 0.25, 1e-15, "u");
    TEST_NEAR(r.parameters[1], 0.5, 1e-15, "v");
    /* It slides in the plane of the face and meets a side. */
    query slide = { { { 3, 0, 0 }, { -1, -1, 0 }, { 1, -1, 0 }, { 1, 1, 0 } },
                    { { -1, 0, 0 }, { -1, -1, 0 }, { 1, -1, 0 }, { 1, 1, 0 } } };
    assert_int_equal(ask(&slide, false, NULL, &r), ABUT_OK);
    assert_true(r.verdict == ABUT_FIRST_CONTACT && r.coplanar && r.time.lo == 0.5 && r.time.hi == 0.5);
    assert_true(r.normal.x == -1);
    /* Parallel edges. */
    query parallel = { { { 0, 0, 1 }, { 2, 0, 1 }, { 1, 0, 0 }, { 3, 0, 0 } },
                       { { 0, 0, -1 }, { 2, 0, -1 }, { 1, 0, 0 }, { 3, 0, 0 } } };
    assert_int_equal(ask(&parallel, true, NULL, &r), ABUT_OK);
    assert_true(r.verdict == ABUT_FIRST_CONTACT && r.time.lo == 0.5 && r.time.hi == 0.5);
    TEST_NEAR(r.point.x, 1.5, 1e-15, "the middle of the overlap");
    assert_true(r.normal.z == -1);
    /* Collinear edges that run into each other. */
    query collinear = { { { 0, 0, 0 }, { 1, 0, 0 }, { 2, 0, 0 }, { 3, 0, 0 } },
                        { { 3, 0, 0 }, { 4, 0, 0 }, { 2, 0, 0 }, { 3, 0, 0 } } };
    assert_int_equal(ask(&collinear, true, NULL, &r), ABUT_OK);
    assert_true(r.verdict == ABUT_FIRST_CONTACT && r.coplanar);
    assert_true(r.time.lo <= 1.0 / 3 && r.time.hi >= 1.0 / 3 && r.point.x > 1.99);
    /* Two points. */
    query points = { { { 0, 0, 0 }, { 0, 0, 0 }, { 2, 2, 2 }, { 2, 2, 2 } },
                     { { 2, 2, 2 }, { 2, 2, 2 }, { 0, 0, 0 }, { 0, 0, 0 } } };
    assert_int_equal(ask(&points, true, NULL, &r), ABUT_OK);
    assert_true(r.verdict == ABUT_FIRST_CONTACT && r.time.lo == 0.5 && r.time.hi == 0.5);
    TEST_NEAR(r.normal.x, sqrt(1.0 / 3), 1e-15, "along the way");
    /* At rest and in contact. */
    for (int i = 0; i < 4; ++i)
        fall.end[i] = fall.start[i];
    fall.start[0].z = fall.end[0].z = 0;
    assert_int_equal(ask(&fall, false, NULL, &r), ABUT_OK);
    assert_true(r.verdict == ABUT_FIRST_CONTACT && r.time.lo == 0 && r.time.hi == 0 && r.coplanar);
    /* A whole interval of contact. */
    abut_contact_interval list[2];
    abut_impact_opts opts;
    abut_impact_opts_init(&opts);
    opts.intervals = list;
    opts.interval_capacity = 2;
    slide.start[0].x = 3;
    slide.end[0].x = -5;
    assert_int_equal(ask(&slide, false, &opts, &r), ABUT_OK);
    assert_true(r.interval_count == 1 && list[0].enter.lo == 0.25 && list[0].exit.lo == 0.375);
}

static void wrong_input(void **state)
{
    (void)state;
    abut_impact_result r;
    abut_impact_opts opts;
    query q;
    memset(&q, 0, sizeof q);
    abut_impact_opts_init(NULL);
    abut_impact_opts_init(&opts);
    for (unsigned kind = 0; kind < 2; ++kind) {
        for (unsigned i = 0; i < 24; ++i)
            for (unsigned k = 0; k < 3; ++k) {
                *coordinate(&q, i) = k == 0 ? (double)NAN : k == 1 ? (double)INFINITY : -(double)INFINITY;
                r.verdict = ABUT_FIRST_CONTACT;
                assert_int_equal(ask(&q, kind, NULL, &r), ABUT_ERR_ARGUMENT);
                assert_true(r.verdict == ABUT_FIRST_UNDECIDED && r.proof == ABUT_PROOF_NONE);
                *coordinate(&q, i) = 0;
            }
        assert_int_equal(ask(&q, kind, &opts, NULL), ABUT_ERR_ARGUMENT);
        assert_int_equal(ask(&q, kind, NULL, &r), ABUT_OK);
        assert_int_equal(r.verdict, ABUT_FIRST_CONTACT);
    }
    assert_int_equal(abut_vertex_face_contact(NULL, q.end, NULL, &r), ABUT_ERR_ARGUMENT);
    assert_int_equal(abut_edge_edge_contact(q.start, NULL, NULL, &r), ABUT_ERR_ARGUMENT);
    opts.t_max = NAN;
    assert_int_equal(ask(&q, false, &opts, &r), ABUT_ERR_ARGUMENT);
    opts.t_max = 1.5;
    assert_int_equal(ask(&q, false, &opts, &r), ABUT_ERR_ARGUMENT);
    abut_impact_opts_init(&opts);
    opts.accuracy = -1;
    assert_int_equal(ask(&q, false, &opts, &r), ABUT_ERR_ARGUMENT);
    abut_impact_opts_init(&opts);
    opts.interval_capacity = 1;
    assert_int_equal(ask(&q, false, &opts, &r), ABUT_ERR_ARGUMENT);
    opts = (abut_impact_opts){ .t_max = 1 };
    assert_int_equal(ask(&q, false, &opts, &r), ABUT_ERR_ARGUMENT);
    assert_int_equal(abut_edge_edge_contact_batch(NULL, NULL, 0, NULL, NULL, NULL), ABUT_OK);
    assert_int_equal(abut_edge_edge_contact_batch(NULL, NULL, 1, NULL, &r, NULL), ABUT_ERR_ARGUMENT);
}

static void batches(void **state)
{
    (void)state;
    enum { COUNT = 300 };
    static abut_vec3 start[4 * COUNT], end[4 * COUNT];
    static abut_impact_result all[COUNT], early[COUNT];
    test_random random = test_seed(5);
    for (int i = 0; i < COUNT; ++i) {
        query q;
        make_case(&random, &q);
        memcpy(start + 4 * (size_t)i, q.start, sizeof q.start);
        memcpy(end + 4 * (size_t)i, q.end, sizeof q.end);
    }
    for (int edges = 0; edges < 2; ++edges) {
        abut_impact_stats stats = { 0 };
        abut_impact_opts opts;
        abut_impact_opts_init(&opts);
        opts.earliest = true;
        assert_int_equal(edges ? abut_edge_edge_contact_batch(start, end, COUNT, NULL, all, &stats)
                               : abut_vertex_face_contact_batch(start, end, COUNT, NULL, all, &stats),
                         ABUT_OK);
        assert_int_equal(stats.queries, COUNT);
        assert_int_equal(stats.boxes + stats.coplanarity + stats.roots + stats.exact, COUNT);
        assert_int_equal(edges ? abut_edge_edge_contact_batch(start, end, COUNT, &opts, early, NULL)
                               : abut_vertex_face_contact_batch(start, end, COUNT, &opts, early, NULL),
                         ABUT_OK);
        size_t contacts = 0;
        double first = 2, first_early = 2;
        for (int i = 0; i < COUNT; ++i) {
            abut_impact_result r;
            assert_int_equal(
                edges ? abut_edge_edge_contact(start + 4 * (size_t)i, end + 4 * (size_t)i, NULL, &r)
                      : abut_vertex_face_contact(start + 4 * (size_t)i, end + 4 * (size_t)i, NULL, &r),
                ABUT_OK);
            assert_true(r.verdict == all[i].verdict && r.time.lo == all[i].time.lo &&
                        r.time.hi == all[i].time.hi);
            contacts += r.verdict == ABUT_FIRST_CONTACT;
            if (r.verdict == ABUT_FIRST_CONTACT)
                first = fmin(first, r.time.hi);
            if (early[i].verdict == ABUT_FIRST_CONTACT) {
                assert_true(early[i].time.lo <= first_early);
                first_early = fmin(first_early, early[i].time.hi);
            }
        }
        assert_int_equal(contacts, stats.contacts);
        assert_true(first == first_early);
    }
}

/* Only what does not fit on the stack allocates. */
static void memory_fails(void **state)
{
    (void)state;
    query q = { { { 1, 1, 0 }, { -0x1p900, -1, 0 }, { 0x1p900, -3, 0 }, { 1, 0x1p900, 0x1p-900 } },
                { { 2, 2, 0 }, { -0x1p900, -1, 0 }, { 0x1p900, -3, 0 }, { 1, 0x1p900, -0x1p-900 } } };
    for (int edges = 0; edges < 2; ++edges) {
        abut_impact_result r;
        abut_status status = ABUT_OK;
        TEST_EVERY_ALLOCATION_FAILS(
            alloc,
            {
                abut_impact_opts opts;
                abut_impact_opts_init(&opts);
                opts.allocator = &alloc;
                status = ask(&q, edges, &opts, &r);
                assert_true((status == ABUT_OK) == (r.verdict != ABUT_FIRST_UNDECIDED));
                assert_true(test_n > 0 || status == ABUT_ERR_MEMORY);
            },
            status);
    }
}

/* Any rounding mode gives the same answers, and is left as it was. */
static void rounding_modes(void **state)
{
    (void)state;
    static const int modes[] = { FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO };
    for (uint64_t seed = 0; seed < 300; ++seed) {
        test_random random = test_seed(seed);
        query q;
        make_case(&random, &q);
        for (int edges = 0; edges < 2; ++edges) {
            abut_impact_result r, other;
            ask(&q, edges, NULL, &r);
            for (int m = 0; m < 3; ++m) {
                fesetround(modes[m]);
                ask(&q, edges, NULL, &other);
                const int after = fegetround();
                fesetround(FE_TONEAREST);
                assert_int_equal(after, modes[m]);
                assert_true(r.verdict == other.verdict && r.time.lo == other.time.lo &&
                            r.time.hi == other.time.hi);
            }
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(known_contacts), cmocka_unit_test(wrong_input),    cmocka_unit_test(batches),
        cmocka_unit_test(memory_fails),   cmocka_unit_test(rounding_modes), cmocka_unit_test(lattice_points),
        cmocka_unit_test(near_grazes),    cmocka_unit_test(random_cases),   cmocka_unit_test(extreme_sizes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
