/* SPDX-License-Identifier: MIT */
/* Two ellipsoids under every kind of motion, and how answers about them are judged: by a referee
 * of 90 digits. At each reported end the bodies are apart on one side of the enclosure and meet
 * on the other; dense samples in between agree. */
#ifndef ABUT_TEST_ELLIPSOID_SUPPORT_H
#define ABUT_TEST_ELLIPSOID_SUPPORT_H

#include "abut/ellipsoid.h"
#include "abut/query.h"
#include "oracle/ellipsoid_ccd.h"
#include "support/places.h"

enum { MOST = 64 };

static inline abut_placement random_placement(test_random *r, double size)
{
    abut_placement p = { .position = random_vec3(r, size) };
    if (test_below(r, 3) == 0)
        return p;
    p.rotation.kind = ABUT_ROTATION_QUATERNION;
    p.rotation.quaternion = random_quat(r);
    return p;
}

/* ---- motions ---- */

typedef struct course {
    abut_motion *motion;
    oracle_motion oracle;
} course;

/* Not too far from the identity, or from a mirror image, so that it stays invertible most of the
 * time. */
static inline abut_affine random_affine(test_random *r, double size, double bend)
{
    abut_affine a = { .translation = random_vec3(r, size) };
    for (int i = 0; i < 9; ++i)
        a.linear.m[i / 3][i % 3] = (i % 4 == 0) + test_uniform(r, -bend, bend);
    return a;
}

static inline void make_affine(course *c)
{
    oracle_motion *o = &c->oracle;
    assert_int_equal(
        abut_motion_create_affine(o->t0, o->t1, o->matrices, o->matrix_count, NULL, &c->motion, NULL),
        ABUT_OK);
}

enum { AFFINE, NLERP, STATIC, STATIC_AFFINE, LINEAR, VELOCITY, SCREW, CHEBYSHEV, KEYFRAMES, KINDS };

static inline void make_course(test_random *r, int kind, double size, course *out)
{
    oracle_motion *o = &out->oracle;
    abut_status status = ABUT_OK;
    *o = (oracle_motion){
        .t0 = 0, .t1 = 1, .from = random_placement(r, size), .to = random_placement(r, size)
    };
    switch (kind) {
    case AFFINE: {
        const double mirror = test_below(r, 2) ? -1 : 1;
        o->type = ABUT_MOTION_AFFINE;
        o->matrix_count = 1 + test_below(r, test_below(r, 8) ? 5 : 8);
        for (size_t i = 0; i < o->matrix_count; ++i) {
            o->matrices[i] = random_affine(r, size, 0.6);
            for (int j = 0; j < 3; ++j)
                o->matrices[i].linear.m[0][j] *= mirror;
        }
        make_affine(out);
        return;
    }
    case NLERP:
        o->type = ABUT_MOTION_NLERP;
        status = abut_motion_create_nlerp(0, 1, &o->from, &o->to, NULL, &out->motion, NULL);
        break;
    case STATIC:
        o->type = ABUT_MOTION_STATIC;
        status = abut_motion_create_static(&o->from, NULL, &out->motion, NULL);
        break;
    case STATIC_AFFINE:
        o->type = ABUT_MOTION_STATIC;
        o->has_matrix = true;
        o->matrices[0] = random_affine(r, size, 0.6);
        status = abut_motion_create_static_affine(&o->matrices[0], NULL, &out->motion, NULL);
        break;
    case LINEAR:
        o->type = ABUT_MOTION_LINEAR;
        status = abut_motion_create_linear(0, 1, &o->from, &o->to, NULL, &out->motion, NULL);
        break;
    case VELOCITY:
        o->type = ABUT_MOTION_VELOCITY;
        o->linear = random_vec3(r, 2 * size);
        o->angular = random_vec3(r, 4);
        status = abut_motion_create_velocity(0, 1, &o->from, o->linear, o->angular, NULL, &out->motion, NULL);
        break;
    case SCREW:
        o->type = ABUT_MOTION_SCREW;
        status = abut_motion_create_screw(0, 1, &o->from, &o->to, NULL, &out->motion, NULL);
        break;
    case CHEBYSHEV: {
        o->type = ABUT_MOTION_CHEBYSHEV;
        abut_series list[7];
        for (int i = 0; i < 7; ++i) {
            o->counts[i] = 4;
            for (int k = 0; k < 4; ++k)
                o->series[i][k] = (i == 3 && k == 0 ? 4 : 0) + test_uniform(r, -1, 1) * (i < 3 ? size : 0.3);
            list[i] = (abut_series){ o->series[i], 4 };
        }
        status = abut_motion_create_chebyshev(0, 1, list, list + 3, NULL, &out->motion, NULL);
        break;
    }
    default:
        o->type = ABUT_MOTION_KEYFRAMES;
        o->key_count = 4;
        for (size_t i = 0; i < 4; ++i)
            o->keys[i] = (abut_keyframe){ (double)i / 4 + (i == 3 ? 0.25 : 0), random_placement(r, size) };
        status = abut_motion_create_keyframes(o->keys, 4, NULL, &out->motion, NULL);
    }
    assert_int_equal(status, ABUT_OK);
}

/* ---- a case ---- */

typedef struct pair {
    abut_shape *a, *b;
    course ca, cb;
    oracle_ellipsoid oa, ob;
} pair;

static inline abut_shape *make_shape(abut_vec3 radii)
{
    abut_shape *shape = NULL;
    if (radii.x == radii.y && radii.y == radii.z)
        assert_int_equal(abut_shape_create_sphere(radii.x, NULL, &shape), ABUT_OK);
    else
        assert_int_equal(abut_shape_create_ellipsoid(radii, NULL, &shape), ABUT_OK);
    return shape;
}

/* From radii and courses that are filled in. */
static inline void finish_pair(pair *p)
{
    p->a = make_shape(p->oa.radii);
    p->b = make_shape(p->ob.radii);
    p->oa.motion = &p->ca.oracle;
    p->ob.motion = &p->cb.oracle;
}

static inline void free_pair(pair *p)
{
    abut_shape_release(p->a);
    abut_shape_release(p->b);
    abut_motion_release(p->ca.motion);
    abut_motion_release(p->cb.motion);
}

static inline double gap_at(const pair *p, double t)
{
    return oracle_ellipsoids_gap(&p->oa, t, &p->ob, t);
}

typedef struct answer {
    abut_status status;
    abut_intervals_result result;
    abut_contact_interval of[MOST];
} answer;

static inline answer ask(const pair *p, const abut_interval *time)
{
    answer out;
    abut_first_opts opts;
    abut_first_opts_init(&opts);
    if (time)
        opts.time = *time;
    out.status = abut_contact_intervals(p->a, p->ca.motion, p->b, p->cb.motion, &opts, NULL, out.of, MOST,
                                        &out.result);
    return out;
}

typedef struct tally {
    uint64_t cases, singular, intervals, wide, doubtful, steps;
    double widest;
} tally;

static inline void judge_end(const pair *p, uint64_t seed, abut_interval end, bool enters,
                             abut_interval range, tally *all)
{
    const double width = end.hi - end.lo;
    TEST_CHECK(end.lo <= end.hi && end.lo >= range.lo && end.hi <= range.hi, "seed %" PRIu64 " end [%a, %a]",
               seed, end.lo, end.hi);
    if (width > all->widest)
        all->widest = width;
    all->wide += width > 1e-12;
    const double outside = enters ? end.lo : end.hi, inside = enters ? end.hi : end.lo;
    const bool open = outside == (enters ? range.lo : range.hi);
    const double g_out = gap_at(p, outside), g_in = gap_at(p, inside);
    TEST_CHECK(g_in <= 0, "seed %" PRIu64 ": gap %g at %a, within a contact [%a, %a]", seed, g_in, inside,
               end.lo, end.hi);
    TEST_CHECK(open || g_out >= 0, "seed %" PRIu64 ": gap %g at %a, outside a contact [%a, %a]", seed, g_out,
               outside, end.lo, end.hi);
}

/* Every end is enclosed, and nothing between is otherwise than reported. `samples` of them
 * evenly, more by the ends. */
static inline void judge(const pair *p, uint64_t seed, const answer *found, abut_interval range, int samples,
                         tally *all)
{
    const size_t count = found->result.count;
    TEST_CHECK(found->status == ABUT_OK && count <= MOST, "seed %" PRIu64 " status %d count %zu", seed,
               found->status, count);
    all->intervals += count;
    all->steps += found->result.counters.iterations;
    const bool sure = found->result.proof >= ABUT_PROOF_INTERVAL;
    all->doubtful += !sure;
    if (!sure)
        return;
    for (size_t i = 0; i < count; ++i) {
        judge_end(p, seed, found->of[i].enter, true, range, all);
        judge_end(p, seed, found->of[i].exit, false, range, all);
        TEST_CHECK(i == 0 || found->of[i - 1].exit.hi <= found->of[i].enter.lo, "seed %" PRIu64, seed);
    }
    size_t next = 0;
    for (int i = 0; i <= samples; ++i) {
        const double t = fmin(range.lo + (range.hi - range.lo) * i / samples, range.hi);
        while (next < count && found->of[next].exit.hi < t)
            ++next;
        const double gap = gap_at(p, t);
        const bool outside = next == count || t < found->of[next].enter.lo;
        const bool inside = next < count && t > found->of[next].enter.hi && t < found->of[next].exit.lo;
        TEST_CHECK(!outside || gap > 0, "seed %" PRIu64 ": gap %g at %a, reported apart", seed, gap, t);
        TEST_CHECK(!inside || gap < 0, "seed %" PRIu64 ": gap %g at %a, reported in contact", seed, gap, t);
    }
}

/* The first contact is the begin of the first interval, at a place where both boundaries are. */
static inline void judge_first(const pair *p, uint64_t seed, const answer *found, abut_first_method method)
{
    abut_first_result first;
    abut_first_opts opts;
    abut_first_opts_init(&opts);
    opts.method = method;
    const abut_status status =
        abut_first_contact(p->a, p->ca.motion, p->b, p->cb.motion, &opts, NULL, &first);
    TEST_CHECK(status == ABUT_OK, "seed %" PRIu64 " status %d", seed, status);
    if (found->result.proof < ABUT_PROOF_INTERVAL)
        return;
    if (found->result.count == 0) {
        TEST_CHECK(first.verdict == ABUT_FIRST_SEPARATE, "seed %" PRIu64 " verdict %d", seed, first.verdict);
        return;
    }
    const abut_interval enter = found->of[0].enter;
    TEST_CHECK(first.verdict == (enter.hi == 0 ? ABUT_FIRST_OVERLAPPING : ABUT_FIRST_CONTACT),
               "seed %" PRIu64 " verdict %d", seed, first.verdict);
    TEST_CHECK(first.time.lo <= enter.hi && enter.lo <= first.time.hi,
               "seed %" PRIu64 " time [%a, %a], [%a, %a]", seed, first.time.lo, first.time.hi, enter.lo,
               enter.hi);
    if (first.verdict != ABUT_FIRST_CONTACT || first.point_count == 0)
        return;
    TEST_CHECK(first.point_count == 1 && first.points[0].unique, "seed %" PRIu64, seed);
    abut_affine at[2];
    const abut_vec3 x = first.points[0].point, n = first.points[0].normal;
    assert_int_equal(abut_motion_at(p->ca.motion, first.time.lo, &at[0]), ABUT_OK);
    assert_int_equal(abut_motion_at(p->cb.motion, first.time.lo, &at[1]), ABUT_OK);
    for (int k = 0; k < 2; ++k) {
        /* the support point of each in the direction of the normal is the point */
        const abut_vec3 r = k ? p->ob.radii : p->oa.radii;
        const double sign = k ? -1 : 1, radius[3] = { r.x, r.y, r.z }, nn[3] = { n.x, n.y, n.z };
        double w[3], size = 0, y[3] = { at[k].translation.x, at[k].translation.y, at[k].translation.z },
                     most = 0;
        for (int j = 0; j < 3; ++j) {
            w[j] = 0;
            for (int i = 0; i < 3; ++i)
                w[j] += sign * at[k].linear.m[i][j] * radius[j] * nn[i];
            size += w[j] * w[j];
        }
        for (int i = 0; i < 3; ++i)
            for (int j = 0; j < 3; ++j) {
                y[i] += at[k].linear.m[i][j] * radius[j] * w[j] / sqrt(size);
                most = fmax(most, fabs(at[k].linear.m[i][j] * radius[j]));
            }
        const double off = fabs(y[0] - x.x) + fabs(y[1] - x.y) + fabs(y[2] - x.z);
        TEST_CHECK(off < 1e-6 * (1 + most), "seed %" PRIu64 ": body %d, point off by %g", seed, k, off);
    }
}

/* Asks for all intervals and has them judged; false where a placement is singular. */
static inline bool ask_and_judge(const pair *p, uint64_t seed, answer *found, tally *all)
{
    *found = ask(p, NULL);
    ++all->cases;
    if (found->status == ABUT_ERR_VALUE) {
        ++all->singular;
        return false;
    }
    judge(p, seed, found, (abut_interval){ 0, 1 }, 16, all);
    return true;
}

static inline void report(const char *what, const tally *all)
{
    print_message("%" PRIu64 " %s: %" PRIu64 " singular, %" PRIu64 " intervals, %" PRIu64
                  " undecided, %" PRIu64 " ends wider than 1e-12, widest %g, %" PRIu64 " steps\n",
                  all->cases, what, all->singular, all->intervals, all->doubtful, all->wide, all->widest,
                  all->steps);
}

#endif
