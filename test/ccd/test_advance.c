/* SPDX-License-Identifier: MIT */
/* Convex bodies on every kind of rigid path, judged by sampling: placements by MPFR, gaps by certified bounds in long double; neither shares code with
 * the library. A sample that is clearly apart or clearly overlapping must agree with the answers: no contact missed, none late, none invented. Samples
 * stand close before and after the reported time as well. Then what must not change under exchange, reversal and splitting, and known cases. */
#include "abut/query.h"
#include "oracle/convex_pair.h"
#include "oracle/motion_mpfr.h"
#include "support/test.h"

enum { MOST_POINTS = 40, LINKS = 3 };

static abut_vec3 v3(double x, double y, double z)
{
    return (abut_vec3){ x, y, z };
}

static abut_vec3 random_vec3(test_random *r, double size)
{
    return v3(test_uniform(r, -size, size), test_uniform(r, -size, size), test_uniform(r, -size, size));
}

static abut_placement random_placement(test_random *r, double size)
{
    abut_placement p = { .position = random_vec3(r, size) };
    switch (test_below(r, 4)) {
    case 0: break;
    case 1:
        p.rotation.kind = ABUT_ROTATION_DEGREES;
        p.rotation.axis = v3(test_below(r, 2), 0, 1);
        p.rotation.angle = 30 * (double)test_below(r, 12);
        break;
    case 2:
        p.rotation.kind = ABUT_ROTATION_QUATERNION;
        p.rotation.quaternion = (abut_quat){ test_uniform(r, -1, 1), test_uniform(r, -1, 1),
                                             test_uniform(r, -1, 1), test_uniform(r, -1, 1) };
        break;
    default:
        p.rotation.kind = ABUT_ROTATION_RADIANS;
        p.rotation.axis = random_vec3(r, 1);
        p.rotation.angle = test_uniform(r, -3, 3);
    }
    return p;
}

/* ---- bodies ---- */

typedef struct body {
    abut_shape *shape;
    oracle_body oracle;
    abut_vec3 points[MOST_POINTS];
} body;

static void make_body(test_random *r, unsigned kind, double size, body *out)
{
    oracle_body *o = &out->oracle;
    *o = (oracle_body){ .core = ORACLE_CORE_POINTS, .points = out->points };
    const double x = size * test_uniform(r, 0.1, 1), y = size * test_uniform(r, 0.1, 1),
                 z = size * test_uniform(r, 0.1, 1);
    abut_status status = ABUT_OK;
    o->h = v3(x, y, z);
    switch (kind) {
    case 0:
        status = abut_shape_create_sphere(x, NULL, &out->shape);
        out->points[0] = v3(0, 0, 0);
        o->count = 1;
        o->radius = x;
        break;
    case 1:
        status = abut_shape_create_box(v3(x, y, z), NULL, &out->shape);
        o->core = ORACLE_CORE_BOX;
        break;
    case 2:
        status = abut_shape_create_capsule(x, 2 * z, NULL, &out->shape);
        out->points[0] = v3(0, 0, -z);
        out->points[1] = v3(0, 0, z);
        o->count = 2;
        o->radius = x;
        break;
    case 3:
        status = abut_shape_create_cylinder(x, 2 * z, NULL, &out->shape);
        o->core = ORACLE_CORE_CYLINDER;
        break;
    case 4:
        status = abut_shape_create_cone(x, 2 * z, NULL, &out->shape);
        o->core = ORACLE_CORE_CONE;
        break;
    case 5:
        status = abut_shape_create_ellipsoid(v3(x, y, z), NULL, &out->shape);
        o->core = ORACLE_CORE_ELLIPSOID;
        break;
    case 6:
    case 7: {
        const size_t least = kind == 6 ? 4 : 3;
        o->count = kind == 6 ? least + test_below(r, MOST_POINTS - 4) : 3;
        for (size_t i = 0; i < o->count; ++i)
            out->points[i] = random_vec3(r, size);
        o->flat = kind == 7;
        status = abut_shape_create_convex(out->points, o->count, 0, NULL, &out->shape, NULL);
        break;
    }
    default: {
        abut_shape *core;
        o->core = ORACLE_CORE_BOX;
        o->margin = 0.5 * x;
        assert_int_equal(abut_shape_create_box(v3(x, y, z), NULL, &core), ABUT_OK);
        status = abut_shape_create_swept(core, o->margin, NULL, &out->shape, NULL);
        abut_shape_release(core);
    }
    }
    assert_int_equal(status, ABUT_OK);
}

/* ---- motions ---- */

typedef struct course {
    abut_motion *motion;
    oracle_motion oracle, links[LINKS];
} course;

static void make_simple(test_random *r, unsigned kind, double size, double turn, abut_motion **out,
                        oracle_motion *o)
{
    abut_status status = ABUT_OK;
    *o = (oracle_motion){
        .t0 = 0, .t1 = 1, .from = random_placement(r, size), .to = random_placement(r, size)
    };
    switch (kind) {
    case 0:
        o->type = ABUT_MOTION_STATIC;
        status = abut_motion_create_static(&o->from, NULL, out, NULL);
        break;
    case 1:
        o->type = ABUT_MOTION_LINEAR;
        status = abut_motion_create_linear(0, 1, &o->from, &o->to, NULL, out, NULL);
        break;
    case 2:
        o->type = ABUT_MOTION_VELOCITY;
        o->linear = v3(o->to.position.x - o->from.position.x, o->to.position.y - o->from.position.y,
                       o->to.position.z - o->from.position.z);
        o->angular = random_vec3(r, turn);
        status = abut_motion_create_velocity(0, 1, &o->from, o->linear, o->angular, NULL, out, NULL);
        break;
    case 3:
        o->type = ABUT_MOTION_SCREW;
        status = abut_motion_create_screw(0, 1, &o->from, &o->to, NULL, out, NULL);
        break;
    case 4:
        o->type = ABUT_MOTION_NLERP;
        status = abut_motion_create_nlerp(0, 1, &o->from, &o->to, NULL, out, NULL);
        break;
    case 5: {
        o->type = ABUT_MOTION_CHEBYSHEV;
        abut_series list[7];
        for (int i = 0; i < 7; ++i) {
            o->counts[i] = 4;
            for (int k = 0; k < 4; ++k)
                o->series[i][k] = (i == 3 && k == 0 ? 4 : 0) + test_uniform(r, -1, 1) * (i < 3 ? size : 0.3);
            list[i] = (abut_series){ o->series[i], 4 };
        }
        status = abut_motion_create_chebyshev(0, 1, list, list + 3, NULL, out, NULL);
        break;
    }
    case 6:
        o->type = ABUT_MOTION_KEYFRAMES;
        o->key_count = 4;
        for (size_t i = 0; i < 4; ++i)
            o->keys[i] = (abut_keyframe){ (double)i / 4 + (i == 3 ? 0.25 : 0), random_placement(r, size) };
        status = abut_motion_create_keyframes(o->keys, 4, NULL, out, NULL);
        break;
    default: /* without turning */
        o->type = ABUT_MOTION_VELOCITY;
        o->linear = v3(o->to.position.x - o->from.position.x, o->to.position.y - o->from.position.y,
                       o->to.position.z - o->from.position.z);
        status = abut_motion_create_velocity(0, 1, &o->from, o->linear, o->angular, NULL, out, NULL);
    }
    assert_int_equal(status, ABUT_OK);
}

enum { KINDS = 9 };

static void make_course(test_random *r, unsigned kind, double size, double turn, course *out)
{
    if (kind < KINDS - 1) {
        make_simple(r, kind, size, turn, &out->motion, &out->oracle);
        return;
    }
    abut_motion *links[LINKS];
    out->oracle = (oracle_motion){ .type = ABUT_MOTION_CHAIN, .t0 = 0, .t1 = 1, .link_count = LINKS };
    for (size_t i = 0; i < LINKS; ++i) {
        static const unsigned kinds[] = { 0, 1, 2, 7 };
        make_simple(r, kinds[test_below(r, 4)], 0.5 * size, turn, &links[i], &out->links[i]);
        out->oracle.links[i] = &out->links[i];
    }
    assert_int_equal(abut_motion_create_chain(links, LINKS, NULL, &out->motion, NULL), ABUT_OK);
    for (size_t i = 0; i < LINKS; ++i)
        abut_motion_release(links[i]);
}

/* ---- the referee ---- */

/* Shepperd's method in long double, rounded at the end. */
static abut_pose pose_at(const oracle_motion *m, double t)
{
    const oracle_place p = oracle_motion_at(m, t);
    long double a[12], q[4];
    for (int i = 0; i < 12; ++i)
        a[i] = mpfr_get_ld(p.v[i], MPFR_RNDN);
    const long double trace = a[0] + a[4] + a[8];
    const long double size[4] = { trace, 2 * a[0] - trace, 2 * a[4] - trace, 2 * a[8] - trace };
    int k = 0;
    for (int i = 1; i < 4; ++i)
        if (size[i] > size[k])
            k = i;
    const long double x = a[7] - a[5], y = a[2] - a[6], z = a[3] - a[1];
    const long double xy = a[1] + a[3], xz = a[2] + a[6], yz = a[5] + a[7], w = 1 + size[k];
    const long double rows[4][4] = { { w, x, y, z }, { x, w, xy, xz }, { y, xy, w, yz }, { z, xz, yz, w } };
    for (int i = 0; i < 4; ++i)
        q[i] = rows[k][i];
    return (abut_pose){ { (double)a[9], (double)a[10], (double)a[11] },
                        { (double)q[0], (double)q[1], (double)q[2], (double)q[3] } };
}

typedef struct trial {
    body a, b;
    course ca, cb;
    double tolerance; /* rounding of poses */
} trial;

/* 1: clearly apart, -1: clearly overlapping, 0: within rounding of touching. */
static int judge(const trial *c, double t, const abut_vec3 *hint, long double *gap)
{
    const oracle_convex pair = { &c->a.oracle, &c->b.oracle, pose_at(&c->ca.oracle, t),
                                 pose_at(&c->cb.oracle, t) };
    const oracle_gap g = oracle_convex_gap(&pair, hint, hint ? 1 : 0, ORACLE_QUICK, c->tolerance, INFINITY);
    if (g.lo > c->tolerance) {
        *gap = g.lo;
        return 1;
    }
    const oracle_gap h = oracle_convex_gap(&pair, hint, hint ? 1 : 0, ORACLE_QUICK, -INFINITY, -c->tolerance);
    *gap = h.hi;
    return h.hi < -c->tolerance ? -1 : 0;
}

static void judge_first(const trial *c, const abut_first_result *r, uint64_t seed, int samples)
{
    const double t_lo = r->verdict == ABUT_FIRST_SEPARATE ? INFINITY : r->time.lo;
    long double gap;
    for (int k = 0; k <= samples; ++k) {
        const double t = (double)k / samples;
        if (t < t_lo)
            TEST_CHECK(judge(c, t, NULL, &gap) != -1,
                       "seed %" PRIu64 ": overlap at %a missed, first %a, gap %Lg", seed, t, t_lo, gap);
    }
    if (r->verdict == ABUT_FIRST_SEPARATE)
        return;
    for (int k = 1; k < 14; ++k) { /* late by as little? */
        const double t = r->time.lo - pow(10, -k);
        if (t >= 0)
            TEST_CHECK(judge(c, t, NULL, &gap) != -1, "seed %" PRIu64 ": overlap at %a before %a, gap %Lg",
                       seed, t, r->time.lo, gap);
    }
    if (r->verdict == ABUT_FIRST_UNDECIDED)
        return;
    TEST_CHECK(judge(c, r->time.hi, NULL, &gap) != 1, "seed %" PRIu64 ": invented contact at %a, gap %Lg",
               seed, r->time.hi, gap);
}

static void judge_intervals(const trial *c, const abut_contact_interval *in, const abut_intervals_result *all,
                            uint64_t seed, int samples)
{
    long double gap;
    for (int k = 0; k <= samples; ++k) {
        const double t = (double)k / samples;
        bool maybe = false, surely = false;
        for (size_t i = 0; i < all->count; ++i) {
            maybe = maybe || (in[i].enter.lo <= t && t <= in[i].exit.hi);
            surely = surely || (in[i].enter.hi < t && t < in[i].exit.lo);
        }
        const int sign = judge(c, t, NULL, &gap);
        TEST_CHECK(sign != -1 || maybe, "seed %" PRIu64 ": misses the contact at %a", seed, t);
        TEST_CHECK(sign != 1 || !surely || all->proof == ABUT_PROOF_TOLERANCE,
                   "seed %" PRIu64 ": claims a contact at %a, gap %Lg", seed, t, gap);
    }
}

static void free_trial(trial *c)
{
    abut_shape_release(c->a.shape);
    abut_shape_release(c->b.shape);
    abut_motion_release(c->ca.motion);
    abut_motion_release(c->cb.motion);
}

typedef struct tally {
    uint64_t hit, apart, inside, undecided, looks, doubtful, intervals;
    double widest;
} tally;

static void run_trial(uint64_t seed, tally *sum)
{
    enum { MOST = 64 };
    test_random r = test_seed(seed);
    trial c;
    const double size = seed % 5 == 0 ? exp2(test_uniform(&r, -20, 20)) : 1, far = 3 * size;
    const double turn = seed % 7 == 0 ? 40 : 3;
    const unsigned kind_a = test_below(&r, 9), kind_b = test_below(&r, 9);
    make_body(&r, kind_a, size, &c.a);
    make_body(&r, kind_b, size, &c.b);
    make_course(&r, test_below(&r, KINDS), far, turn, &c.ca);
    make_course(&r, test_below(&r, KINDS), far, turn, &c.cb);
    c.tolerance = 1e-14 * 8 * size * (c.ca.oracle.type == ABUT_MOTION_CHAIN ? 4 : 1);
    abut_first_result first;
    TEST_CHECK(abut_first_contact(c.a.shape, c.ca.motion, c.b.shape, c.cb.motion, NULL, NULL, &first) ==
                   ABUT_OK,
               "seed %" PRIu64, seed);
    TEST_CHECK(first.time.lo <= first.time.hi, "seed %" PRIu64, seed);
    sum->hit += first.verdict == ABUT_FIRST_CONTACT;
    sum->apart += first.verdict == ABUT_FIRST_SEPARATE;
    sum->inside += first.verdict == ABUT_FIRST_OVERLAPPING;
    sum->undecided += first.verdict == ABUT_FIRST_UNDECIDED;
    sum->looks += first.counters.iterations;
    if (first.verdict == ABUT_FIRST_CONTACT)
        sum->widest = fmax(sum->widest, first.time.hi - first.time.lo);
    judge_first(&c, &first, seed, 16);
    if (seed % 8 == 0) {
        abut_contact_interval in[MOST];
        abut_intervals_result all;
        TEST_CHECK(abut_contact_intervals(c.a.shape, c.ca.motion, c.b.shape, c.cb.motion, NULL, NULL, in,
                                          MOST, &all) == ABUT_OK,
                   "seed %" PRIu64, seed);
        TEST_CHECK(all.count <= MOST, "seed %" PRIu64, seed);
        judge_intervals(&c, in, &all, seed, 16);
        ++sum->intervals;
        sum->doubtful += all.proof == ABUT_PROOF_TOLERANCE;
        if (first.verdict == ABUT_FIRST_CONTACT && first.time.lo > 0)
            TEST_CHECK(all.count > 0 && in[0].enter.lo <= first.time.hi && first.time.lo <= in[0].enter.hi,
                       "seed %" PRIu64 ": intervals begin at %a, first contact at %a", seed,
                       all.count ? in[0].enter.lo : -1.0, first.time.lo);
    }
    free_trial(&c);
}

static void random_motions_agree_with_sampling(void **state)
{
    (void)state;
    oracle_set_precision(120);
    const uint64_t count = test_count(5000);
    tally sum = { 0 };
    for (uint64_t seed = 0; seed < count; ++seed)
        run_trial(seed, &sum);
    oracle_free();
    print_message("%" PRIu64 " motions: %" PRIu64 " hit, %" PRIu64 " apart, %" PRIu64 " inside, %" PRIu64
                  " undecided, %.1f looks each, widest %g; %" PRIu64 " intervals, %" PRIu64 " doubtful\n",
                  count, sum.hit, sum.apart, sum.inside, sum.undecided, (double)sum.looks / (double)count,
                  sum.widest, sum.intervals, sum.doubtful);
}

/* Chains whose contacts were looked for too soon, where the bodies are apart by less than their error. */
static void faint_gaps_are_passed(void **state)
{
    (void)state;
    oracle_set_precision(120);
    tally sum = { 0 };
    run_trial(9018, &sum);
    run_trial(14063, &sum);
    oracle_free();
    assert_int_equal(sum.hit, 2);
}

/* ---- methods that agree ---- */

/* A cylinder or a cone, flat or slim at times. */
static void make_round(test_random *r, double size, body *out)
{
    const double x = size * exp2(test_uniform(r, -5, 0)), z = size * exp2(test_uniform(r, -5, 0));
    const bool cone = test_below(r, 2) != 0;
    memset(out, 0, sizeof *out);
    out->oracle.points = out->points;
    out->oracle.core = cone ? ORACLE_CORE_CONE : ORACLE_CORE_CYLINDER;
    out->oracle.h = v3(x, x, z);
    assert_int_equal(cone ? abut_shape_create_cone(x, 2 * z, NULL, &out->shape)
                          : abut_shape_create_cylinder(x, 2 * z, NULL, &out->shape),
                     ABUT_OK);
}

/* At a place from which it comes near the origin, in half of the cases with its axis along one of the world's. */
static void make_flight(test_random *r, double size, bool turns, bool aligned, course *out)
{
    static const double half = 0.7071067811865476;
    static const abut_quat along[] = {
        { 1, 0, 0, 0 }, { half, half, 0, 0 }, { half, 0, half, 0 }, { 0, 1, 0, 0 }
    };
    oracle_motion *o = &out->oracle;
    *o = (oracle_motion){
        .type = ABUT_MOTION_VELOCITY, .t0 = 0, .t1 = 1, .from = random_placement(r, 3 * size)
    };
    if (aligned) {
        o->from = abut_placement_from_pose((abut_pose){ o->from.position, along[test_below(r, 4)] });
        if (test_below(r, 2))
            o->from.position.x = 0;
    }
    const abut_vec3 aim = random_vec3(r, aligned && test_below(r, 2) ? 0 : 0.5 * size),
                    from = o->from.position;
    o->linear = v3(2 * (aim.x - from.x), 2 * (aim.y - from.y), 2 * (aim.z - from.z));
    o->angular = turns ? random_vec3(r, 3) : v3(0, 0, 0);
    assert_int_equal(
        abut_motion_create_velocity(0, 1, &o->from, o->linear, o->angular, NULL, &out->motion, NULL),
        ABUT_OK);
}

/* Rims, sides, slants, caps and tips against each other, with and without turning. */
static void cylinders_and_cones_agree_with_sampling(void **state)
{
    (void)state;
    const uint64_t count = test_count(800);
    uint64_t undecided = 0, hits = 0;
    for (uint64_t seed = 1; seed <= count; ++seed) {
        test_random r = test_seed(seed + 77000000);
        trial c;
        const double size = seed % 5 == 0 ? exp2(test_uniform(&r, -60, 60)) : 1;
        const bool turns = seed % 2 == 0, aligned = seed % 3 == 0;
        make_round(&r, size, &c.a);
        make_round(&r, size, &c.b);
        make_flight(&r, size, turns, aligned, &c.ca);
        make_flight(&r, size, turns, aligned, &c.cb);
        c.tolerance = 1e-14 * 16 * size;
        abut_first_result first;
        TEST_CHECK(abut_first_contact(c.a.shape, c.ca.motion, c.b.shape, c.cb.motion, NULL, NULL, &first) ==
                       ABUT_OK,
                   "seed %" PRIu64, seed);
        hits += first.verdict == ABUT_FIRST_CONTACT;
        undecided += first.verdict == ABUT_FIRST_UNDECIDED;
        if (first.verdict == ABUT_FIRST_CONTACT)
            TEST_CHECK(first.time.hi - first.time.lo < 1e-9, "seed %" PRIu64 ": width %g", seed,
                       first.time.hi - first.time.lo);
        judge_first(&c, &first, seed, 8);
        free_trial(&c);
    }
    print_message("%" PRIu64 " cylinders and cones, %" PRIu64 " hits, %" PRIu64 " undecided\n", count, hits,
                  undecided);
}

/* Against each other and against balls, thin ones as well; with several turns a contact that is found may not be the first. */
static void turning_ellipsoids_agree_with_sampling(void **state)
{
    (void)state;
    const uint64_t count = test_count(600);
    uint64_t undecided = 0, hits = 0;
    for (uint64_t seed = 1; seed <= count; ++seed) {
        test_random r = test_seed(seed + 78000000);
        trial c;
        const double size = seed % 5 == 0 ? exp2(test_uniform(&r, -60, 60)) : 1;
        make_body(&r, 5, size, &c.a);
        make_body(&r, seed % 4 == 0 ? 0 : 5, size, &c.b);
        make_flight(&r, size, true, seed % 3 == 0, &c.ca);
        make_flight(&r, size, seed % 2 == 0, false, &c.cb);
        if (seed % 3 == 1) {
            oracle_motion *o = &c.ca.oracle;
            o->angular = random_vec3(&r, 30);
            abut_shape_release(c.a.shape); /* a blade */
            c.a.oracle.h = v3(2 * size, 0.1 * size, 0.2 * size);
            assert_int_equal(abut_shape_create_ellipsoid(c.a.oracle.h, NULL, &c.a.shape), ABUT_OK);
            abut_motion_release(c.ca.motion);
            assert_int_equal(
                abut_motion_create_velocity(0, 1, &o->from, o->linear, o->angular, NULL, &c.ca.motion, NULL),
                ABUT_OK);
        }
        c.tolerance = 1e-14 * 16 * size;
        abut_first_result first;
        TEST_CHECK(abut_first_contact(c.a.shape, c.ca.motion, c.b.shape, c.cb.motion, NULL, NULL, &first) ==
                       ABUT_OK,
                   "seed %" PRIu64, seed);
        hits += first.verdict == ABUT_FIRST_CONTACT;
        undecided += first.verdict == ABUT_FIRST_UNDECIDED;
        if (first.verdict == ABUT_FIRST_CONTACT)
            TEST_CHECK(first.time.hi - first.time.lo < 1e-9, "seed %" PRIu64 ": width %g", seed,
                       first.time.hi - first.time.lo);
        abut_first_opts opts;
        abut_first_result walked;
        abut_first_opts_init(&opts);
        opts.method = ABUT_METHOD_ADVANCEMENT; /* step by step */
        assert_int_equal(
            abut_first_contact(c.a.shape, c.ca.motion, c.b.shape, c.cb.motion, &opts, NULL, &walked),
            ABUT_OK);
        if (first.verdict == ABUT_FIRST_CONTACT && walked.verdict == ABUT_FIRST_CONTACT)
            TEST_CHECK(first.time.lo <= walked.time.hi && walked.time.lo <= first.time.hi,
                       "seed %" PRIu64 ": at %a, walked to %a", seed, first.time.lo, walked.time.lo);
        judge_first(&c, &first, seed, 8);
        free_trial(&c);
    }
    print_message("%" PRIu64 " ellipsoids, %" PRIu64 " hits, %" PRIu64 " undecided\n", count, hits,
                  undecided);
    assert_true(undecided <= 1 + count / 100);
}

/* Asks in the quick way and step by step, and has the answer judged. */
static void compare_with_walk(const trial *c, uint64_t seed, int samples, tally *sum)
{
    abut_first_opts opts;
    abut_first_result first, walked;
    abut_first_opts_init(&opts);
    opts.method = ABUT_METHOD_ADVANCEMENT;
    TEST_CHECK(abut_first_contact(c->a.shape, c->ca.motion, c->b.shape, c->cb.motion, NULL, NULL, &first) ==
                   ABUT_OK,
               "seed %" PRIu64, seed);
    TEST_CHECK(abut_first_contact(c->a.shape, c->ca.motion, c->b.shape, c->cb.motion, &opts, NULL, &walked) ==
                   ABUT_OK,
               "seed %" PRIu64, seed);
    sum->hit += first.verdict == ABUT_FIRST_CONTACT;
    sum->apart += first.verdict == ABUT_FIRST_SEPARATE;
    sum->undecided += first.verdict == ABUT_FIRST_UNDECIDED;
    if (first.verdict == ABUT_FIRST_CONTACT)
        sum->widest = fmax(sum->widest, first.time.hi - first.time.lo);
    if (first.verdict != ABUT_FIRST_UNDECIDED && walked.verdict != ABUT_FIRST_UNDECIDED) {
        TEST_CHECK(first.verdict == walked.verdict, "seed %" PRIu64 ": verdict %d at %a, walked to %d at %a",
                   seed, (int)first.verdict, first.time.lo, (int)walked.verdict, walked.time.lo);
        TEST_CHECK(first.time.lo <= walked.time.hi && walked.time.lo <= first.time.hi,
                   "seed %" PRIu64 ": at %a, walked to %a", seed, first.time.lo, walked.time.lo);
    }
    judge_first(c, &first, seed, samples);
}

/* All bodies that are found first and proved afterwards, in flight towards each other. */
static void fly(uint64_t seed, uint64_t offset, tally *sum)
{
    static const unsigned kinds[] = { 0, 1, 2, 3, 4, 5, 6, 8 };
    test_random r = test_seed(seed + offset);
    trial c;
    const double size = seed % 5 == 0 ? exp2(test_uniform(&r, -60, 60)) : 1;
    make_body(&r, kinds[test_below(&r, 8)], size, &c.a);
    make_body(&r, kinds[test_below(&r, 8)], size, &c.b);
    make_flight(&r, size, true, seed % 3 == 0, &c.ca);
    make_flight(&r, size, seed % 2 == 0, seed % 6 == 0, &c.cb);
    c.tolerance = 1e-14 * 16 * size;
    compare_with_walk(&c, seed, 8, sum);
    free_trial(&c);
}

static void turning_bodies_agree_with_sampling(void **state)
{
    (void)state;
    const uint64_t count = test_count(800);
    tally sum = { 0 };
    for (uint64_t seed = 1; seed <= count; ++seed)
        fly(seed, 79000000, &sum);
    fly(19548, 80000000, &sum); /* balls, and a direction that does not turn across itself */
    print_message("%" PRIu64 " turning bodies, %" PRIu64 " hits, %" PRIu64 " undecided, widest %g\n", count,
                  sum.hit, sum.undecided, sum.widest);
    assert_true(sum.undecided <= 1 + count / 100);
}

/* A long body that spins many times while another one comes slowly: a tip strikes long before the middles would meet, and the contact that is found may be one of a later turn. */
static void blades_strike_first(void **state)
{
    (void)state;
    static const unsigned kinds[] = { 5, 0, 5, 0, 1, 2, 3, 6 };
    const uint64_t count = test_count(1000);
    tally sum = { 0 };
    for (uint64_t seed = 1; seed <= count; ++seed) {
        test_random r = test_seed(seed + 80000000);
        trial c;
        const unsigned blade = test_below(&r, 6);
        /* Seen across the blade it seems to rest, and the way is free to its middle. */
        const bool across = seed % 4 == 0;
        const double angle = across ? test_uniform(&r, -0.1, 0.1) : test_uniform(&r, 0, 6);
        const double side = test_uniform(&r, -1, 1), far = across ? test_uniform(&r, 1.5, 2.5) : 3.5;
        make_body(&r, kinds[test_below(&r, blade > 1 ? 4 : 8)], test_uniform(&r, 0.05, 0.5), &c.b);
        memset(&c.a, 0, sizeof c.a);
        c.a.oracle.points = c.a.points;
        c.a.oracle.core = blade == 0   ? ORACLE_CORE_BOX
                          : blade == 1 ? ORACLE_CORE_CYLINDER
                                       : ORACLE_CORE_ELLIPSOID;
        c.a.oracle.h = blade == 1 ? v3(0.1, 0.1, 2) : v3(test_uniform(&r, 0.1, 0.5), 0.4, 2);
        assert_int_equal(blade == 0   ? abut_shape_create_box(c.a.oracle.h, NULL, &c.a.shape)
                         : blade == 1 ? abut_shape_create_cylinder(0.1, 4, NULL, &c.a.shape)
                                      : abut_shape_create_ellipsoid(c.a.oracle.h, NULL, &c.a.shape),
                         ABUT_OK);
        oracle_motion *a = &c.ca.oracle, *b = &c.cb.oracle;
        *a = (oracle_motion){ .type = ABUT_MOTION_VELOCITY,
                              .t1 = 1,
                              .angular = v3(test_uniform(&r, 5, 90), 0, 0) };
        *b = (oracle_motion){ .type = ABUT_MOTION_VELOCITY, .t1 = 1, .from = random_placement(&r, 0) };
        b->from.position = v3(test_uniform(&r, -0.2, 0.2), far * cos(angle), far * sin(angle));
        b->linear = across ? v3(0, -test_uniform(&r, 0.5, 4), 0)
                           : v3(0, test_uniform(&r, 0.5, 4) * (side - cos(angle)),
                                test_uniform(&r, 0.5, 4) * -sin(angle));
        b->angular = random_vec3(&r, 3);
        assert_int_equal(
            abut_motion_create_velocity(0, 1, &a->from, a->linear, a->angular, NULL, &c.ca.motion, NULL),
            ABUT_OK);
        assert_int_equal(
            abut_motion_create_velocity(0, 1, &b->from, b->linear, b->angular, NULL, &c.cb.motion, NULL),
            ABUT_OK);
        c.tolerance = 1e-14 * 64;
        compare_with_walk(&c, seed, 8, &sum);
        free_trial(&c);
    }
    print_message("%" PRIu64 " blades, %" PRIu64 " hits, %" PRIu64 " undecided, widest %g\n", count, sum.hit,
                  sum.undecided, sum.widest);
    assert_true(sum.undecided <= 1 + count / 100);
}

static bool is_round(const abut_shape *shape)
{
    const abut_shape_type type = abut_shape_get_type(shape);
    return type == ABUT_SHAPE_SPHERE || type == ABUT_SHAPE_ELLIPSOID;
}

static void methods_agree(void **state)
{
    (void)state;
    const uint64_t count = test_count(3000);
    uint64_t hits = 0, undecided = 0;
    for (uint64_t seed = 0; seed < count; ++seed) {
        test_random r = test_seed(seed + 1000000);
        body a, b;
        course ca, cb;
        make_body(&r, test_below(&r, 9), 1, &a);
        make_body(&r, test_below(&r, 9), 1, &b);
        make_course(&r, seed % 3 == 0 ? 0 : 7, 3, 0, &ca);
        make_course(&r, 7, 3, 0, &cb);
        abut_first_result all[ABUT_METHOD_COUNT];
        for (int k = 0; k < ABUT_METHOD_COUNT; ++k) {
            abut_first_opts opts;
            abut_first_opts_init(&opts);
            opts.method = (abut_first_method)k;
            const bool knows = k < ABUT_METHOD_SHOOTING || (is_round(a.shape) && is_round(b.shape));
            const abut_status status =
                abut_first_contact(a.shape, ca.motion, b.shape, cb.motion, &opts, NULL, &all[k]);
            if (!knows) {
                TEST_CHECK(status == ABUT_ERR_UNSUPPORTED, "seed %" PRIu64 " method %d", seed, k);
                continue;
            }
            TEST_CHECK(status == ABUT_OK, "seed %" PRIu64 " method %d", seed, k);
            undecided += all[k].verdict == ABUT_FIRST_UNDECIDED;
            if (all[k].verdict == ABUT_FIRST_UNDECIDED || all[0].verdict == ABUT_FIRST_UNDECIDED)
                continue;
            TEST_CHECK(all[k].verdict == all[0].verdict && all[k].time.lo <= all[0].time.hi &&
                           all[0].time.lo <= all[k].time.hi,
                       "seed %" PRIu64 " method %d: verdict %d at %a … %a, not %d at %a … %a", seed, k,
                       (int)all[k].verdict, all[k].time.lo, all[k].time.hi, (int)all[0].verdict,
                       all[0].time.lo, all[0].time.hi);
            TEST_CHECK(all[k].time.hi - all[k].time.lo < 1e-10, "seed %" PRIu64 " method %d: %a … %a", seed,
                       k, all[k].time.lo, all[k].time.hi);
        }
        hits += all[0].verdict == ABUT_FIRST_CONTACT;
        /* The swept bodies meet just when there is a contact. */
        if (ca.oracle.type == ABUT_MOTION_VELOCITY) {
            const abut_vec3 v =
                v3(ca.oracle.linear.x - cb.oracle.linear.x, ca.oracle.linear.y - cb.oracle.linear.y,
                   ca.oracle.linear.z - cb.oracle.linear.z);
            const abut_pose pa = abut_placement_to_pose(&ca.oracle.from),
                            pb = abut_placement_to_pose(&cb.oracle.from);
            for (int form = 0; form < 2; ++form) {
                abut_sweep_opts opts;
                abut_overlap_result sweep;
                abut_sweep_opts_init(&opts);
                opts.form = (abut_sweep_form)form;
                assert_int_equal(abut_sweep_overlap(a.shape, &pa, b.shape, &pb, v, &opts, NULL, &sweep),
                                 ABUT_OK);
                undecided += sweep.verdict == ABUT_UNDECIDED;
                if (sweep.verdict != ABUT_UNDECIDED && all[0].verdict != ABUT_FIRST_UNDECIDED)
                    TEST_CHECK((sweep.verdict == ABUT_SEPARATE) == (all[0].verdict == ABUT_FIRST_SEPARATE),
                               "seed %" PRIu64 " form %d: %d, but first contact %d", seed, form,
                               (int)sweep.verdict, (int)all[0].verdict);
            }
        }
        abut_shape_release(a.shape);
        abut_shape_release(b.shape);
        abut_motion_release(ca.motion);
        abut_motion_release(cb.motion);
    }
    print_message("%" PRIu64 " translations, %" PRIu64 " hits, %" PRIu64 " undecided\n", count, hits,
                  undecided);
}

/* ---- known cases ---- */

static abut_shape *box_of(double x, double y, double z)
{
    abut_shape *box;
    assert_int_equal(abut_shape_create_box(v3(x, y, z), NULL, &box), ABUT_OK);
    return box;
}

static abut_motion *steady(abut_vec3 at, abut_vec3 linear, abut_vec3 angular)
{
    abut_motion *motion;
    const abut_placement from = { .position = at };
    assert_int_equal(abut_motion_create_velocity(0, 1, &from, linear, angular, NULL, &motion, NULL), ABUT_OK);
    return motion;
}

static abut_first_result ask(const abut_shape *a, const abut_motion *ma, const abut_shape *b,
                             const abut_motion *mb)
{
    abut_first_result r;
    assert_int_equal(abut_first_contact(a, ma, b, mb, NULL, NULL, &r), ABUT_OK);
    return r;
}

/* A touch at the start counts when they close in or stay, not when they part. */
static void touching_at_the_start(void **state)
{
    (void)state;
    static const struct {
        abut_vec3 linear, angular;
        abut_first_verdict verdict;
    } cases[] = { { { 3, 0, 0 }, { 0, 0, 0 }, ABUT_FIRST_SEPARATE },
                  { { 1, 1, 0 }, { 0, 0, 0 }, ABUT_FIRST_SEPARATE },
                  { { -1, 0, 0 }, { 0, 0, 0 }, ABUT_FIRST_CONTACT },
                  { { -1, 1, 0 }, { 0, 0, 0 }, ABUT_FIRST_CONTACT },
                  { { 0, 3, 0 }, { 0, 0, 0 }, ABUT_FIRST_CONTACT },
                  { { 0, 0.5, 0 }, { 0, 0, 0 }, ABUT_FIRST_CONTACT },
                  { { 0, 0, 0 }, { 0, 0, 1 }, ABUT_FIRST_CONTACT },
                  { { 4, 0, 0 }, { 0, 0, 1 }, ABUT_FIRST_SEPARATE },
                  { { -0.5, 0, 0 }, { 1, 0, 0 }, ABUT_FIRST_CONTACT } };
    abut_shape *a = box_of(1, 1, 1), *b = box_of(0.5, 1, 1), *floor;
    assert_int_equal(abut_shape_create_halfspace(v3(1, 0, 0), 1, NULL, &floor), ABUT_OK);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        abut_motion *mb = steady(v3(1.5, 0, 0), cases[i].linear, cases[i].angular);
        const abut_first_result r = ask(a, NULL, b, mb), mirrored = ask(b, mb, a, NULL);
        TEST_CHECK(r.verdict == cases[i].verdict && mirrored.verdict == r.verdict, "case %zu: %d", i,
                   (int)r.verdict);
        if (r.verdict == ABUT_FIRST_CONTACT)
            TEST_CHECK(r.time.lo == 0 && r.time.hi < 1e-8, "case %zu: %a … %a", i, r.time.lo, r.time.hi);
        /* Over a half-space whatever turns or slides stays. */
        const abut_first_result above = ask(b, mb, floor, NULL);
        const bool parts = cases[i].linear.x > 0;
        TEST_CHECK(above.verdict == ABUT_FIRST_UNDECIDED ||
                       above.verdict == (parts ? ABUT_FIRST_SEPARATE : ABUT_FIRST_CONTACT),
                   "case %zu over a half-space: %d", i, (int)above.verdict);
        abut_motion_release(mb);
    }
    abut_shape_release(a);
    abut_shape_release(b);
    abut_shape_release(floor);
}

/* Thin things and fast ones: nothing is jumped over. */
static void nothing_is_jumped_over(void **state)
{
    (void)state;
    abut_shape *sheet = box_of(5, 5, 1e-7), *bead, *bar = box_of(2, 0.01, 0.01), *plate = box_of(1, 1e-4, 1);
    assert_int_equal(abut_shape_create_ellipsoid(v3(1e-6, 2e-6, 1e-6), NULL, &bead), ABUT_OK);
    abut_motion *shot = steady(v3(0.3, 0.2, 1000), v3(0, 0, -2000), v3(10, 20, 30));
    abut_first_result r = ask(bead, shot, sheet, NULL);
    assert_int_equal(r.verdict, ABUT_FIRST_CONTACT);
    TEST_CHECK(r.time.lo > 0.4999999 && r.time.hi < 0.5 && r.time.hi - r.time.lo < 1e-12, "%a … %a",
               r.time.lo, r.time.hi);
    abut_motion_release(shot);
    /* The bar spins in the plane of x and y, a whole turn in 1/5; the plate stands across the y axis at 1.5, and is met when the bar comes round. */
    abut_motion *spin = steady(v3(0, 0, 0), v3(0, 0, 0), v3(0, 0, 10 * 3.14159265358979)),
                *stand = steady(v3(0, 1.5, 0), v3(0, 0, 0), v3(0, 0, 0));
    r = ask(bar, spin, plate, stand);
    assert_int_equal(r.verdict, ABUT_FIRST_CONTACT);
    /* corner (2, 0.01): the angle at which it is at height 1.5 - 1e-4 */
    const double angle = asin((1.5 - 1e-4) / hypot(2, 0.01)) - atan2(0.01, 2),
                 t = angle / (10 * 3.14159265358979);
    const double x = hypot(2, 0.01) * cos(angle + atan2(0.01, 2));
    if (x <= 1)
        TEST_NEAR(r.time.lo, t, 1e-9, "spinning bar");
    else
        TEST_CHECK(r.time.lo > t && r.time.lo < 0.05, "%a", r.time.lo);
    abut_motion_release(spin);
    abut_motion_release(stand);
    abut_shape_release(sheet);
    abut_shape_release(bead);
    abut_shape_release(bar);
    abut_shape_release(plate);
}

/* Bodies over half-spaces that move: sampled by the lowest corner, in long double. */
static void half_spaces_agree_with_sampling(void **state)
{
    (void)state;
    oracle_set_precision(120);
    const uint64_t count = test_count(1500);
    uint64_t hits = 0, undecided = 0;
    for (uint64_t seed = 0; seed < count; ++seed) {
        test_random r = test_seed(seed + 2000000);
        trial c;
        make_body(&r, 1 + test_below(&r, 8), 1, &c.a);
        const abut_vec3 normal = random_vec3(&r, 1);
        const double offset = test_uniform(&r, -1, 1);
        assert_int_equal(abut_shape_create_halfspace(normal, offset, NULL, &c.b.shape), ABUT_OK);
        c.b.oracle = (oracle_body){ .core = ORACLE_CORE_HALFSPACE, .h = normal, .offset = offset };
        make_course(&r, test_below(&r, KINDS), 3, 3, &c.ca);
        make_course(&r, test_below(&r, KINDS), 3, 3, &c.cb);
        c.tolerance = 4e-13;
        const abut_first_result first = ask(c.a.shape, c.ca.motion, c.b.shape, c.cb.motion);
        hits += first.verdict == ABUT_FIRST_CONTACT;
        undecided += first.verdict == ABUT_FIRST_UNDECIDED;
        judge_first(&c, &first, seed, 16);
        free_trial(&c);
    }
    oracle_free();
    print_message("%" PRIu64 " over half-spaces, %" PRIu64 " hits, %" PRIu64 " undecided\n", count, hits,
                  undecided);
}

/* Swapped bodies, and a range that is split. */
static void exchange_and_splitting_agree(void **state)
{
    (void)state;
    const uint64_t count = test_count(2000);
    for (uint64_t seed = 0; seed < count; ++seed) {
        test_random r = test_seed(seed + 3000000);
        body a, b;
        course ca, cb;
        make_body(&r, test_below(&r, 9), 1, &a);
        make_body(&r, test_below(&r, 9), 1, &b);
        make_course(&r, test_below(&r, KINDS), 3, 3, &ca);
        make_course(&r, test_below(&r, KINDS), 3, 3, &cb);
        const abut_first_result x = ask(a.shape, ca.motion, b.shape, cb.motion),
                                y = ask(b.shape, cb.motion, a.shape, ca.motion);
        const bool decided = x.verdict != ABUT_FIRST_UNDECIDED && y.verdict != ABUT_FIRST_UNDECIDED;
        if (decided)
            TEST_CHECK(x.verdict == y.verdict && x.time.lo <= y.time.hi && y.time.lo <= x.time.hi,
                       "seed %" PRIu64 " swapped", seed);
        if (x.verdict == ABUT_FIRST_CONTACT && x.time.lo > 0) {
            abut_first_opts opts;
            abut_first_result part;
            abut_first_opts_init(&opts);
            opts.time = (abut_interval){ 0, x.time.lo };
            assert_int_equal(abut_first_contact(a.shape, ca.motion, b.shape, cb.motion, &opts, NULL, &part),
                             ABUT_OK);
            TEST_CHECK(part.verdict == ABUT_FIRST_SEPARATE || part.time.hi >= x.time.lo,
                       "seed %" PRIu64 ": contact before the first", seed);
            opts.time = (abut_interval){ 0.5 * x.time.lo, 1 };
            assert_int_equal(abut_first_contact(a.shape, ca.motion, b.shape, cb.motion, &opts, NULL, &part),
                             ABUT_OK);
            TEST_CHECK(part.verdict == ABUT_FIRST_UNDECIDED ||
                           (part.verdict == ABUT_FIRST_CONTACT && part.time.lo <= x.time.hi &&
                            x.time.lo <= part.time.hi),
                       "seed %" PRIu64 ": from the half on %d at %a, not %a", seed, (int)part.verdict,
                       part.time.lo, x.time.lo);
        }
        abut_shape_release(a.shape);
        abut_shape_release(b.shape);
        abut_motion_release(ca.motion);
        abut_motion_release(cb.motion);
    }
}

/* Steps from times below 0 to times near it, whose ulps are finer than those of the step, go on. */
static void times_below_zero(void **state)
{
    (void)state;
    const uint64_t count = test_count(400);
    abut_shape *egg, *a = box_of(1, 0.5, 0.75);
    assert_int_equal(abut_shape_create_ellipsoid(v3(1, 0.5, 0.75), NULL, &egg), ABUT_OK);
    for (uint64_t seed = 0; seed < count; ++seed) {
        test_random r = test_seed(seed + 3500000);
        const double begin = test_uniform(&r, -6, -1), end = test_uniform(&r, 1, 7);
        const bool meets = seed % 4 == 0;
        const abut_placement at = { .position = { 0, 0, meets ? 4 : test_uniform(&r, 3, 4) } };
        abut_motion *mb;
        abut_first_opts opts;
        abut_first_result f;
        assert_int_equal(abut_motion_create_velocity(begin, end, &at,
                                                     v3(0, 0, (meets ? -4 : 0.25) / (end - begin)),
                                                     random_vec3(&r, 2), NULL, &mb, NULL),
                         ABUT_OK);
        abut_first_opts_init(&opts);
        opts.method = ABUT_METHOD_ADVANCEMENT;
        const abut_shape *shape = seed & 1 ? egg : a;
        assert_int_equal(abut_first_contact(shape, NULL, seed & 2 ? egg : a, mb, &opts, NULL, &f), ABUT_OK);
        TEST_CHECK(
            f.verdict == (meets ? ABUT_FIRST_CONTACT : ABUT_FIRST_SEPARATE) && f.counters.iterations < 1000,
            "seed %" PRIu64 ": %d after %" PRIu64 " iterations", seed, (int)f.verdict, f.counters.iterations);
        abut_motion_release(mb);
    }
    abut_shape_release(a);
    abut_shape_release(egg);
}

/* ---- backtracking ---- */

typedef struct sine {
    double sign_only, calls;
} sine;

static double sine_gap(void *ctx, double t)
{
    sine *s = ctx;
    ++s->calls;
    const double gap = cos(t) - 0.25;
    return s->sign_only > 0 ? (gap > 0 ? 1 : -1) : gap;
}

static double no_gap(void *ctx, double t)
{
    (void)ctx;
    return t > 0.5 ? (double)NAN : 1;
}

static void backtracking_narrows(void **state)
{
    (void)state;
    const double root = acos(0.25);
    abut_backtrack_result r;
    for (int k = 0; k < 2; ++k) {
        sine s = { .sign_only = k };
        assert_int_equal(abut_backtrack(sine_gap, &s, (abut_interval){ 0, 3 }, NULL, &r), ABUT_OK);
        assert_int_equal(r.verdict, ABUT_FIRST_CONTACT);
        assert_int_equal(r.proof, ABUT_PROOF_TOLERANCE);
        TEST_CHECK(r.last_free <= root + 1e-15 && root - 1e-15 <= r.first_colliding &&
                       r.first_colliding - r.last_free < 1e-15,
                   "%a … %a", r.last_free, r.first_colliding);
        assert_true((double)r.counters.evaluations == s.calls && s.calls < 250);
        assert_int_equal(abut_backtrack(sine_gap, &s, (abut_interval){ 2, 3 }, NULL, &r), ABUT_OK);
        assert_int_equal(r.verdict, ABUT_FIRST_OVERLAPPING);
        assert_int_equal(abut_backtrack(sine_gap, &s, (abut_interval){ 0, 1 }, NULL, &r), ABUT_OK);
        assert_int_equal(r.verdict, ABUT_FIRST_SEPARATE);
    }
    assert_int_equal(abut_backtrack(no_gap, NULL, (abut_interval){ 0, 1 }, NULL, &r), ABUT_ERR_VALUE);
    assert_int_equal(abut_backtrack(NULL, NULL, (abut_interval){ 0, 1 }, NULL, &r), ABUT_ERR_ARGUMENT);
    assert_int_equal(abut_backtrack(no_gap, NULL, (abut_interval){ 1, 0 }, NULL, &r), ABUT_ERR_ARGUMENT);
}

static void arguments_and_budgets(void **state)
{
    (void)state;
    abut_shape *a = box_of(1, 1, 1), *torus;
    assert_int_equal(abut_shape_create_torus(2, 1, NULL, &torus), ABUT_OK);
    abut_motion *turning = steady(v3(4, 0, 0), v3(-3, 0, 0), v3(0, 0, 1));
    abut_first_opts opts;
    abut_first_result r;
    for (int k = ABUT_METHOD_RAYCAST; k < ABUT_METHOD_COUNT; ++k) {
        abut_first_opts_init(&opts);
        opts.method = (abut_first_method)k;
        assert_int_equal(abut_first_contact(a, NULL, a, turning, &opts, NULL, &r), ABUT_ERR_UNSUPPORTED);
    }
    opts.method = ABUT_METHOD_COUNT;
    assert_int_equal(abut_first_contact(a, NULL, a, turning, &opts, NULL, &r), ABUT_ERR_ARGUMENT);
    abut_first_opts_init(&opts);
    opts.max_iterations = 2;
    assert_int_equal(abut_first_contact(a, NULL, a, turning, &opts, NULL, &r), ABUT_OK);
    assert_int_equal(r.verdict, ABUT_FIRST_UNDECIDED);
    assert_int_equal(r.stop, ABUT_STOP_BUDGET);
    abut_overlap_result sweep;
    assert_int_equal(abut_sweep_overlap(a, NULL, torus, NULL, v3(1, 0, 0), NULL, NULL, &sweep),
                     ABUT_ERR_UNSUPPORTED);
    assert_int_equal(abut_sweep_overlap(a, NULL, a, NULL, v3(NAN, 0, 0), NULL, NULL, &sweep),
                     ABUT_ERR_ARGUMENT);
    assert_int_equal(abut_sweep_overlap(a, NULL, a, NULL, v3(0, 0, 0), NULL, NULL, &sweep), ABUT_OK);
    assert_int_equal(sweep.verdict, ABUT_PENETRATING);
    abut_motion_release(turning);
    abut_shape_release(a);
    abut_shape_release(torus);
}

/* Boxes that land face to face on one another, straight or turning about the line of fall: all corners of the common part, once each. Tipped over, one. */
static void faces_meet_in_all_their_corners(void **state)
{
    (void)state;
    static const abut_vec3 spins[] = { { 0, 0, 0 }, { 0, 0, 1 }, { 0.25, 0, 0 } };
    abut_shape *a = box_of(1, 1, 1), *b = box_of(0.25, 0.25, 1), *floor;
    assert_int_equal(abut_shape_create_halfspace(v3(0, 0, 1), 1, NULL, &floor), ABUT_OK);
    for (size_t i = 0; i < sizeof spins / sizeof *spins; ++i) {
        abut_motion *mb = steady(v3(0.125, 0.25, 4), v3(0, 0, -4), spins[i]);
        const bool tips = spins[i].x != 0;
        for (int k = 0; k < 2; ++k) {
            const abut_first_result r = ask(k ? floor : a, NULL, b, mb);
            /* Along the face the points are as good as the manifold's clipping, which widens outlines by about 1e-8 of the sizes. About the middle of b its corners are 0.25 sqrt(2) away; tipped, the edge that lands is 0.25 to the side */
            TEST_CHECK(r.verdict == ABUT_FIRST_CONTACT && r.point_count == (tips ? 2 : 4),
                       "spin %zu: %zu points", i, r.point_count);
            for (size_t j = 0; j < r.point_count && j < ABUT_FIRST_CONTACTS; ++j) {
                const abut_first_point *p = &r.points[j];
                const double x = p->point.x - 0.125, y = p->point.y - 0.25;
                TEST_CHECK(fabs(p->point.z - 1) < 1e-11 && fabs(p->normal.z - 1) < 1e-11 &&
                               p->kind == ABUT_CONTACT_SAMPLED && !p->unique &&
                               (tips || fabs(x * x + y * y - 0.125) < 1e-7),
                           "spin %zu: point %zu at %a %a %a", i, j, p->point.x, p->point.y, p->point.z);
                for (size_t l = 0; l < j; ++l) {
                    const double dx = p->point.x - r.points[l].point.x, dy = p->point.y - r.points[l].point.y;
                    TEST_CHECK(dx * dx + dy * dy > 0.01, "spin %zu: points %zu and %zu are one", i, l, j);
                }
            }
        }
        abut_motion_release(mb);
    }
    abut_shape_release(a);
    abut_shape_release(b);
    abut_shape_release(floor);
}

/* An argument is a pattern of names: a soak of one test, ABUT_TEST_SCALE=200 test_advance 'random*' for 10^6 motions. */
int main(int argc, char **argv)
{
    if (argc > 1)
        cmocka_set_test_filter(argv[1]);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(faces_meet_in_all_their_corners),
        cmocka_unit_test(random_motions_agree_with_sampling),
        cmocka_unit_test(faint_gaps_are_passed),
        cmocka_unit_test(cylinders_and_cones_agree_with_sampling),
        cmocka_unit_test(turning_ellipsoids_agree_with_sampling),
        cmocka_unit_test(turning_bodies_agree_with_sampling),
        cmocka_unit_test(blades_strike_first),
        cmocka_unit_test(methods_agree),
        cmocka_unit_test(touching_at_the_start),
        cmocka_unit_test(nothing_is_jumped_over),
        cmocka_unit_test(half_spaces_agree_with_sampling),
        cmocka_unit_test(exchange_and_splitting_agree),
        cmocka_unit_test(times_below_zero),
        cmocka_unit_test(backtracking_narrows),
        cmocka_unit_test(arguments_and_budgets),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
