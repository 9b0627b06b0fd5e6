/* SPDX-License-Identifier: MIT */
/* Random motions of every type, as the referee sees them and as the library makes them. */
#ifndef ABUT_TEST_MOTION_CASES_H
#define ABUT_TEST_MOTION_CASES_H

#include "oracle/motion_mpfr.h"
#include "support/test.h"

/* Exponent of the smallest angles. The referee needs three bits for each of it. */
static double case_least = -60;

static inline abut_vec3 case_vec(test_random *r, double size)
{
    return (abut_vec3){ test_uniform(r, -size, size), test_uniform(r, -size, size),
                        test_uniform(r, -size, size) };
}

static inline abut_rotation case_rotation(test_random *r)
{
    abut_rotation rotation = { .kind = (abut_rotation_kind)test_below(r, 4) };
    rotation.axis = case_vec(r, 1);
    if (test_below(r, 4) == 0) { /* along a coordinate */
        const double size = test_log_uniform(r, -4, 4);
        const unsigned k = test_below(r, 3);
        rotation.axis = (abut_vec3){ k == 0 ? size : 0, k == 1 ? size : 0, k == 2 ? size : 0 };
    }
    const abut_vec3 v = case_vec(r, 1);
    rotation.quaternion = (abut_quat){ test_uniform(r, -1, 1), v.x, v.y, v.z };
    if (rotation.kind == ABUT_ROTATION_DEGREES)
        rotation.angle =
            test_below(r, 2) ? 15 * ((double)test_below(r, 100) - 50) : test_uniform(r, -1000, 1000);
    else
        rotation.angle = test_below(r, 4) ? test_uniform(r, -4, 4) : test_log_uniform(r, case_least, 4);
    return rotation;
}

/* How far positions lie out. */
static inline double case_far(test_random *r)
{
    const unsigned k = test_below(r, 12);
    return k == 0 ? 1e15 : k == 1 ? 1e-15 : 10;
}

static inline abut_placement case_placement(test_random *r, double far)
{
    return (abut_placement){ case_vec(r, far), case_rotation(r) };
}

/* A rotation near another one, from rounding distance to a few degrees. */
static inline abut_rotation case_nearby(test_random *r, const abut_rotation *of)
{
    abut_rotation near = *of;
    const double off = test_log_uniform(r, -70, -3);
    near.quaternion.w += off;
    near.quaternion.x += test_uniform(r, -1, 1) * off;
    near.angle += off;
    near.axis.x += test_below(r, 2) ? off : 0;
    if (near.axis.x == 0 && near.axis.y == 0 && near.axis.z == 0)
        near.axis.z = 1;
    return near;
}

/* Half a turn, nearly or exactly, away from the identity. */
static inline void case_half_turn(test_random *r, oracle_motion *m)
{
    m->from.rotation = (abut_rotation){ .kind = ABUT_ROTATION_IDENTITY };
    m->to.rotation = (abut_rotation){ .kind = ABUT_ROTATION_DEGREES, .axis = case_vec(r, 1), .angle = 180 };
    if (test_below(r, 2))
        m->to.rotation.angle -= fabs(test_log_uniform(r, -35, -3));
    if (test_below(r, 2))
        m->to.rotation.angle *= -1;
}

static inline void case_range(test_random *r, oracle_motion *m)
{
    m->t0 = 0;
    m->t1 = 1;
    switch (test_below(r, 5)) {
    case 0: m->t1 = 1e-15; break;
    case 1: m->t0 = test_uniform(r, -9, 9), m->t1 = m->t0 + test_uniform(r, 0.1, 20); break;
    case 2: m->t0 = 1e6, m->t1 = 1e6 + 0.1; break;
    default: break;
    }
}

static inline void case_series(test_random *r, double *c, size_t *count, double size)
{
    *count = test_below(r, 20);
    for (size_t k = 0; k < *count; ++k)
        c[k] = test_uniform(r, -size, size) / (double)(1 + k * k);
}

/* Terms of an expression over the range, of a size that doubles can print. */
static inline void case_terms(test_random *r, oracle_motion *m, double size)
{
    const double span = m->t1 - m->t0, late = fmax(fabs(m->t0), fabs(m->t1));
    for (int i = 0; i < 4; ++i) {
        const double s = i < 3 ? size : 2;
        double *k = m->terms[i];
        k[0] = test_below(r, 4) ? test_uniform(r, -s, s) : 0;
        k[1] = test_below(r, 4) ? test_uniform(r, -s, s) / late : 0;
        k[2] = test_uniform(r, -s, s);
        k[3] = test_uniform(r, -5, 5) / span;
        k[4] = test_below(r, 2) ? test_uniform(r, -s, s) / (late * late) : 0;
        k[5] = test_uniform(r, -5, 5) / span;
    }
}

static inline void case_motion(test_random *r, abut_motion_type type, oracle_motion *m)
{
    memset(m, 0, sizeof *m);
    m->type = type;
    const double far = case_far(r);
    case_range(r, m);
    m->from = case_placement(r, far);
    m->to = case_placement(r, far);
    switch (test_below(r, 6)) {
    case 0: m->to.rotation = m->from.rotation; break;
    case 1: m->to.rotation = case_nearby(r, &m->from.rotation); break;
    case 2: case_half_turn(r, m); break;
    default: break;
    }
    if (test_below(r, 8) == 0)
        m->to.position.x = m->from.position.x;
    const double fast = test_below(r, 4) == 0 ? 1000 : test_below(r, 4) == 0 ? exp2(case_least) : 3;
    m->linear = case_vec(r, far / (m->t1 - m->t0));
    m->angular = case_vec(r, fast / (m->t1 - m->t0));
    if (type == ABUT_MOTION_STATIC) {
        m->t0 = 0;
        m->t1 = 1;
        m->has_matrix = test_below(r, 3) == 0;
    }
    m->matrix_count = 1 + test_below(r, oracle_max_matrices);
    for (size_t i = 0; i < m->matrix_count; ++i)
        for (int e = 0; e < 9; ++e) {
            m->matrices[i].linear.m[e / 3][e % 3] = test_uniform(r, -2, 2);
            m->matrices[i].translation = case_vec(r, far);
        }
    for (int i = 0; i < 7; ++i)
        case_series(r, m->series[i], &m->counts[i], i < 3 ? far : 0.5);
    if (m->counts[3] == 0)
        m->counts[3] = 1;
    m->series[3][0] = 8; /* keeps the quaternion away from zero: |the others| < 0.5 pi^2/6 */
    if (test_below(r, 8) == 0)
        m->counts[3] = m->counts[4] = m->counts[5] = m->counts[6] = 0;
    m->key_count = 2 + test_below(r, oracle_max_keys - 1);
    for (size_t i = 0; i < m->key_count; ++i) {
        m->keys[i].at = case_placement(r, far);
        m->keys[i].t = m->t0 + (m->t1 - m->t0) * (double)i / (double)(m->key_count - 1);
        if (i && test_below(r, 4) == 0)
            m->keys[i].at.rotation = case_nearby(r, &m->keys[i - 1].at.rotation);
    }
    m->keys[m->key_count - 1].t = m->t1;
    case_terms(r, m, far);
}

static inline abut_motion *case_make(const oracle_motion *m)
{
    abut_motion *out = NULL;
    abut_error error = { 0 };
    abut_status status = ABUT_ERR_ARGUMENT;
    switch (m->type) {
    case ABUT_MOTION_STATIC:
        status = m->has_matrix ? abut_motion_create_static_affine(&m->matrices[0], NULL, &out, &error)
                               : abut_motion_create_static(&m->from, NULL, &out, &error);
        break;
    case ABUT_MOTION_LINEAR:
        status = abut_motion_create_linear(m->t0, m->t1, &m->from, &m->to, NULL, &out, &error);
        break;
    case ABUT_MOTION_SCREW:
        status = abut_motion_create_screw(m->t0, m->t1, &m->from, &m->to, NULL, &out, &error);
        break;
    case ABUT_MOTION_NLERP:
        status = abut_motion_create_nlerp(m->t0, m->t1, &m->from, &m->to, NULL, &out, &error);
        break;
    case ABUT_MOTION_VELOCITY:
        status =
            abut_motion_create_velocity(m->t0, m->t1, &m->from, m->linear, m->angular, NULL, &out, &error);
        break;
    case ABUT_MOTION_CHEBYSHEV: {
        abut_series s[7];
        for (int i = 0; i < 7; ++i)
            s[i] = (abut_series){ m->series[i], m->counts[i] };
        status = abut_motion_create_chebyshev(m->t0, m->t1, s, s + 3, NULL, &out, &error);
        break;
    }
    case ABUT_MOTION_AFFINE:
        status = abut_motion_create_affine(m->t0, m->t1, m->matrices, m->matrix_count, NULL, &out, &error);
        break;
    case ABUT_MOTION_KEYFRAMES:
        status = abut_motion_create_keyframes(m->keys, m->key_count, NULL, &out, &error);
        break;
    case ABUT_MOTION_EXPRESSION: {
        char text[4][400];
        for (int i = 0; i < 4; ++i) {
            const double *k = m->terms[i];
            snprintf(text[i], sizeof text[i],
                     "(%.17g) + (%.17g)*t + (%.17g)*sin((%.17g)*t) + (%.17g)*t^2/(2 + cos((%.17g)*t))", k[0],
                     k[1], k[2], k[3], k[4], k[5]);
        }
        const char *const path[3] = { text[0], text[1], text[2] };
        status = abut_motion_create_expression(m->t0, m->t1, path, m->angular, text[3], NULL, &out, &error);
        break;
    }
    case ABUT_MOTION_CHAIN: {
        abut_motion *links[oracle_max_links];
        for (size_t i = 0; i < m->link_count; ++i)
            links[i] = case_make(m->links[i]);
        status = abut_motion_create_chain(links, m->link_count, NULL, &out, &error);
        for (size_t i = 0; i < m->link_count; ++i)
            abut_motion_release(links[i]);
        break;
    }
    default: break;
    }
    TEST_CHECK(status == ABUT_OK, "%s", error.text);
    return out;
}

static inline double case_entry(const abut_affine *a, int e)
{
    const double p[3] = { a->translation.x, a->translation.y, a->translation.z };
    return e < 9 ? a->linear.m[e / 3][e % 3] : p[e - 9];
}

static inline abut_interval case_box_entry(const abut_interval_affine *a, int e)
{
    const abut_interval p[3] = { a->translation.x, a->translation.y, a->translation.z };
    return e < 9 ? a->linear.m[e / 3][e % 3] : p[e - 9];
}

static inline double case_error(double found, mpfr_srcptr expected)
{
    mpfr_t d;
    mpfr_init2(d, 200);
    mpfr_sub_d(d, expected, found, MPFR_RNDN);
    const double error = fabs(mpfr_get_d(d, MPFR_RNDN));
    mpfr_clear(d);
    return error;
}

/* The referee itself is off by some 2^-250 of the largest entry (`size`) at 500 bits, which
 * shows where a true value is 0. */
static inline bool case_holds(abut_interval a, mpfr_srcptr x, double size)
{
    if (mpfr_cmp_d(x, a.lo) >= 0 && mpfr_cmp_d(x, a.hi) <= 0)
        return true;
    return a.lo <= a.hi && fmin(case_error(a.lo, x), case_error(a.hi, x)) <= 1e-60 * size;
}

/* A time in the range, with the ends and keys favoured. */
static inline double case_time(test_random *r, const oracle_motion *m)
{
    switch (test_below(r, 8)) {
    case 0: return m->t0;
    case 1: return m->t1;
    case 2:
        return m->type == ABUT_MOTION_KEYFRAMES ? m->keys[test_below(r, (unsigned)m->key_count)].t : m->t1;
    case 3: return fmin(m->t1, m->t0 + (m->t1 - m->t0) * exp2(test_uniform(r, -60, 0)));
    default: return fmin(m->t1, test_uniform(r, m->t0, m->t1));
    }
}

static const abut_motion_type case_types[] = { ABUT_MOTION_STATIC,    ABUT_MOTION_LINEAR,
                                               ABUT_MOTION_VELOCITY,  ABUT_MOTION_SCREW,
                                               ABUT_MOTION_NLERP,     ABUT_MOTION_CHEBYSHEV,
                                               ABUT_MOTION_AFFINE,    ABUT_MOTION_KEYFRAMES,
                                               ABUT_MOTION_EXPRESSION };
enum { case_type_count = sizeof case_types / sizeof *case_types };

/* Sizes that errors are measured by: the largest entry of the linear part, of the position, and
 * of their velocities over the range (for affine motions, of the given matrices). A velocity is
 * a difference of places over the duration, so it counts as at least one place a duration; and a
 * body that turns by a thousand radians cannot be placed better than to a thousand ulp. */
typedef struct case_scale {
    double linear, position, linear_rate, rate;
} case_scale;

static inline case_scale case_size(const oracle_motion *m)
{
    case_scale s = { 1e-300, 1e-300, 1e-300, 1e-300 };
    if (m->type == ABUT_MOTION_CHAIN) {
        /* each link's error reaches the end; positions are turned by links before them */
        for (size_t i = 0; i < m->link_count; ++i) {
            const case_scale link = case_size(m->links[i]);
            s.linear += link.linear;
            s.position += link.position;
            s.linear_rate += link.linear_rate;
            s.rate += link.rate;
        }
        s.rate = s.linear * s.rate + s.linear_rate * s.position;
        s.position *= s.linear;
        s.linear_rate *= s.linear;
        return s;
    }
    const bool still = m->type == ABUT_MOTION_STATIC;
    for (int i = 0; i <= 8; ++i) {
        const double t = fmin(m->t1, m->t0 + (m->t1 - m->t0) * i / 8);
        const oracle_place p = oracle_motion_at(m, t);
        for (int e = 0; e < 12; ++e) {
            double *size = e < 9 ? &s.linear : &s.position;
            *size = fmax(*size, fabs(mpfr_get_d(p.v[e], MPFR_RNDN)));
        }
        if (still)
            continue;
        const oracle_place v = oracle_motion_velocity(m, t, t);
        for (int e = 0; e < 12; ++e) {
            double *size = e < 9 ? &s.linear_rate : &s.rate;
            *size = fmax(*size, fabs(mpfr_get_d(v.v[e], MPFR_RNDN)));
        }
    }
    for (size_t i = 0; m->type == ABUT_MOTION_AFFINE && i < m->matrix_count; ++i)
        for (int e = 0; e < 12; ++e) {
            double *most = e < 9 ? &s.linear : &s.position;
            *most = fmax(*most, fabs(case_entry(&m->matrices[i], e)));
        }
    const double size = fmax(fabs(m->angular.x), fmax(fabs(m->angular.y), fabs(m->angular.z)));
    if (m->type == ABUT_MOTION_VELOCITY)
        s.linear *= 1 + size * (m->t1 - m->t0);
    if (m->type == ABUT_MOTION_EXPRESSION) {
        /* sin(w t), with w t much larger than what w adds over the range */
        const double late = 5 * fmax(fabs(m->t0), fabs(m->t1)) / (m->t1 - m->t0);
        s.linear *= 1 + late;
        s.position *= 1 + late;
    }
    s.linear_rate = fmax(s.linear_rate, 1 / (m->t1 - m->t0)) * s.linear;
    s.rate = fmax(s.rate, s.position / (m->t1 - m->t0));
    return s;
}

#endif
