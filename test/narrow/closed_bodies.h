/* SPDX-License-Identifier: MIT */
/* Random bodies with closed forms, and their gaps by the referee as answers are judged by them. */
#ifndef ABUT_TEST_CLOSED_BODIES_H
#define ABUT_TEST_CLOSED_BODIES_H

#include "support/test.h"

#include "oracle/closed_pair.h"

#include <abut/abut.h>

typedef enum kind { BALL, CAPSULE, BOX, KINDS } kind;

typedef struct body {
    abut_shape *shape;
    oracle_box box;
    double size;
} body;

static inline abut_shape *make_shape(const oracle_box *b, kind k)
{
    abut_shape *shape = NULL;
    if (k == BALL)
        assert_int_equal(abut_shape_create_sphere(b->radius, NULL, &shape), ABUT_OK);
    else if (k == CAPSULE)
        assert_int_equal(abut_shape_create_capsule(b->radius, 2 * b->half[2], NULL, &shape), ABUT_OK);
    else
        assert_int_equal(
            abut_shape_create_box((abut_vec3){ b->half[0], b->half[1], b->half[2] }, NULL, &shape), ABUT_OK);
    return shape;
}

static inline abut_quat random_turn(test_random *r)
{
    static const double parts[] = { 0, 0, 1, -1, 0.5, 1e-9, 3 };
    abut_quat q;
    do {
        if (test_below(r, 3))
            q = (abut_quat){ test_uniform(r, -1, 1), test_uniform(r, -1, 1), test_uniform(r, -1, 1),
                             test_uniform(r, -1, 1) };
        else
            q = (abut_quat){ parts[test_below(r, 7)], parts[test_below(r, 7)], parts[test_below(r, 7)],
                             parts[test_below(r, 7)] };
    } while (!(q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z > 0.01));
    return q;
}

static inline oracle_box random_box(test_random *r, kind k, double scale)
{
    oracle_box b = { .pose = { { test_uniform(r, -3, 3), test_uniform(r, -3, 3), test_uniform(r, -3, 3) },
                               random_turn(r) } };
    if (test_below(r, 4) == 0)
        b.pose.position =
            (abut_vec3){ (int)test_below(r, 5) - 2, (int)test_below(r, 5) - 2, (int)test_below(r, 5) - 2 };
    const bool round = test_below(r, 4) == 0;
    if (k != BOX)
        b.radius = scale * (round ? 0.25 * (1 + test_below(r, 4)) : test_uniform(r, 0.05, 1));
    for (int i = k == BOX ? 0 : 2; i < 3 && k != BALL; ++i)
        b.half[i] = scale * (round ? 0.5 * (1 + test_below(r, 4)) : test_uniform(r, 0.05, 1.5));
    if (k == CAPSULE && test_below(r, 8) == 0)
        b.half[2] = 0;
    b.pose.position.x *= scale;
    b.pose.position.y *= scale;
    b.pose.position.z *= scale;
    return b;
}

static inline double span(const oracle_box *b)
{
    return b->half[0] + b->half[1] + b->half[2] + b->radius;
}

static inline void print_body(const oracle_box *b)
{
    print_error("half %a %a %a radius %a at %a %a %a turn %a %a %a %a\n", b->half[0], b->half[1], b->half[2],
                b->radius, b->pose.position.x, b->pose.position.y, b->pose.position.z, b->pose.rotation.w,
                b->pose.rotation.x, b->pose.rotation.y, b->pose.rotation.z);
}

static inline double distance_between(abut_vec3 a, abut_vec3 b)
{
    return sqrt((a.x - b.x) * (a.x - b.x) + (a.y - b.y) * (a.y - b.y) + (a.z - b.z) * (a.z - b.z));
}

/* How far a point of the world is from the body: by the referee's gap of a ball without radius. */
static inline double off_body(abut_vec3 p, const oracle_box *b)
{
    mpfr_t gap;
    mpfr_init2(gap, ORACLE_PRECISION);
    const oracle_box point = { .pose = { p, { 1, 0, 0, 0 } } };
    oracle_box_gap(&point, b, gap);
    const double off = mpfr_get_d(gap, MPFR_RNDN);
    mpfr_clear(gap);
    return off;
}

#define WITH(condition, seed, a, b, ...)                                                  \
    do {                                                                                  \
        if (!(condition)) {                                                               \
            print_body(a);                                                                \
            print_body(b);                                                                \
            print_error("%s is false, seed %" PRIu64 ": ", #condition, (uint64_t)(seed)); \
            TEST_FAIL(__VA_ARGS__);                                                       \
        }                                                                                 \
    } while (0)

static inline int sign_of(mpfr_t gap, double size)
{
    /* The referee is good to 2^-500 of the sizes; what is closer is a touch. */
    mpfr_t limit;
    mpfr_init2(limit, ORACLE_PRECISION);
    mpfr_set_d(limit, size, MPFR_RNDN);
    mpfr_mul_2si(limit, limit, -450, MPFR_RNDN);
    const int sign = mpfr_cmpabs(gap, limit) <= 0 ? 0 : mpfr_sgn(gap);
    mpfr_clear(limit);
    return sign;
}

static inline abut_verdict verdict_of(int sign)
{
    return sign > 0 ? ABUT_SEPARATE : sign < 0 ? ABUT_PENETRATING : ABUT_TOUCHING;
}

/* lo <= |gap| <= hi for the given sign of gap, 0 otherwise. The gap is cut to the bits that the
 * referee has right, so that a double is one. */
static inline bool holds(abut_interval x, const mpfr_t value, int sign, int wanted)
{
    if (sign != wanted)
        return x.lo <= 0 && x.hi >= 0;
    mpfr_t gap;
    mpfr_init2(gap, 450);
    mpfr_set(gap, value, MPFR_RNDN);
    const bool inside = wanted > 0 ? mpfr_cmp_d(gap, x.lo) >= 0 && mpfr_cmp_d(gap, x.hi) <= 0
                                   : mpfr_cmp_d(gap, -x.lo) <= 0 && mpfr_cmp_d(gap, -x.hi) >= 0;
    mpfr_clear(gap);
    return inside;
}

#endif
