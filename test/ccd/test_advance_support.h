/* SPDX-License-Identifier: MIT */
/* Random convex bodies on random rigid paths, and their referee: placements by MPFR, gaps by
 * certified bounds in long double; neither shares code with the library. */
#ifndef ABUT_TEST_ADVANCE_SUPPORT_H
#define ABUT_TEST_ADVANCE_SUPPORT_H

#include "abut/query.h"
#include "oracle/convex_pair.h"
#include "oracle/motion_mpfr.h"
#include "support/places.h"

enum { MOST_POINTS = 40, LINKS = 3 };

static inline abut_placement random_placement(test_random *r, double size)
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
        p.rotation.quaternion = random_quat(r);
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

static inline void make_body(test_random *r, unsigned kind, double size, body *out)
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

static inline void make_simple(test_random *r, unsigned kind, double size, double turn, abut_motion **out,
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

static inline void make_course(test_random *r, unsigned kind, double size, double turn, course *out)
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
static inline abut_pose pose_at(const oracle_motion *m, double t)
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
static inline int judge(const trial *c, double t, const abut_vec3 *hint, long double *gap)
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

static inline void judge_first(const trial *c, const abut_first_result *r, uint64_t seed, int samples)
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

static inline void judge_intervals(const trial *c, const abut_contact_interval *in,
                                   const abut_intervals_result *all, uint64_t seed, int samples)
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

static inline void free_trial(trial *c)
{
    abut_shape_release(c->a.shape);
    abut_shape_release(c->b.shape);
    abut_motion_release(c->ca.motion);
    abut_motion_release(c->cb.motion);
}

typedef struct tally {
    uint64_t hit, apart, inside, undecided, looks, most_looks, doubtful, intervals;
    double widest; /* time of contact */
} tally;

static inline abut_shape *box_of(double x, double y, double z)
{
    abut_shape *box;
    assert_int_equal(abut_shape_create_box(v3(x, y, z), NULL, &box), ABUT_OK);
    return box;
}

static inline abut_motion *steady(abut_vec3 at, abut_vec3 linear, abut_vec3 angular)
{
    abut_motion *motion;
    const abut_placement from = { .position = at };
    assert_int_equal(abut_motion_create_velocity(0, 1, &from, linear, angular, NULL, &motion, NULL), ABUT_OK);
    return motion;
}

static inline abut_first_result ask(const abut_shape *a, const abut_motion *ma, const abut_shape *b,
                                    const abut_motion *mb)
{
    abut_first_result r;
    assert_int_equal(abut_first_contact(a, ma, b, mb, NULL, NULL, &r), ABUT_OK);
    return r;
}

static inline void count_first(const abut_first_result *first, tally *sum)
{
    sum->hit += first->verdict == ABUT_FIRST_CONTACT;
    sum->apart += first->verdict == ABUT_FIRST_SEPARATE;
    sum->inside += first->verdict == ABUT_FIRST_OVERLAPPING;
    sum->undecided += first->verdict == ABUT_FIRST_UNDECIDED;
    sum->looks += first->counters.iterations;
    if (first->counters.iterations > sum->most_looks)
        sum->most_looks = first->counters.iterations;
    if (first->verdict == ABUT_FIRST_CONTACT)
        sum->widest = fmax(sum->widest, first->time.hi - first->time.lo);
}

/* Asks, counts and has the answer judged. */
static inline abut_first_result ask_and_judge(const trial *c, uint64_t seed, int samples, tally *sum)
{
    abut_first_result first;
    TEST_CHECK(abut_first_contact(c->a.shape, c->ca.motion, c->b.shape, c->cb.motion, NULL, NULL, &first) ==
                   ABUT_OK,
               "seed %" PRIu64, seed);
    TEST_CHECK(first.time.lo <= first.time.hi, "seed %" PRIu64, seed);
    count_first(&first, sum);
    judge_first(c, &first, seed, samples);
    return first;
}

static inline void report(const char *what, uint64_t count, const tally *sum)
{
    print_message("%" PRIu64 " %s: %" PRIu64 " hit, %" PRIu64 " apart, %" PRIu64 " inside, %" PRIu64
                  " undecided, %.1f looks each, %" PRIu64 " at most, widest %g; %" PRIu64
                  " intervals, %" PRIu64 " doubtful\n",
                  count, what, sum->hit, sum->apart, sum->inside, sum->undecided,
                  (double)sum->looks / (double)count, sum->most_looks, sum->widest, sum->intervals,
                  sum->doubtful);
}

/* Runs the trials of the seeds 0 to count - 1, whose referee needs MPFR. */
static inline tally run_trials(const char *what, uint64_t count, void (*run)(uint64_t seed, tally *sum))
{
    tally sum = { 0 };
    oracle_set_precision(120);
    for (uint64_t seed = 0; seed < count; ++seed)
        run(seed, &sum);
    oracle_free();
    report(what, count, &sum);
    return sum;
}

#endif
