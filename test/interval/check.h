/* SPDX-License-Identifier: MIT */
/* What the interval tests share: random inputs that lean on what breaks such code, and checks
 * that print the case. */
#ifndef ABUT_TEST_INTERVAL_CHECK_H
#define ABUT_TEST_INTERVAL_CHECK_H

#include "interval/variants.h"
#include "oracle/mpfr_oracle.h"
#include "support/test.h"

static const double check_edges[] = { 0.0,
                                      -0.0,
                                      0x1p-1074,
                                      -0x1p-1074,
                                      0x1.8p-1073,
                                      0x1.fffffffffffffp-1023,
                                      0x1p-1022,
                                      -0x1p-1022,
                                      0x1p-1021,
                                      0x1p-540,
                                      -0x1p-538,
                                      0x1p-300,
                                      0x1p-60,
                                      -0x1p-53,
                                      0x1p-26,
                                      0.25,
                                      0.5,
                                      -0.5,
                                      0x1.fffffffffffffp-2,
                                      0x1.fffffffffffffp-1,
                                      -0x1.fffffffffffffp-1,
                                      1.0,
                                      -1.0,
                                      0x1.0000000000001p+0,
                                      -0x1.0000000000001p+0,
                                      0x1.921fb54442d18p+0,
                                      -0x1.921fb54442d18p+0,
                                      0x1.921fb54442d19p+0,
                                      2.0,
                                      3.0,
                                      0x1.921fb54442d18p+1,
                                      0x1.921fb54442d19p+1,
                                      -4.0,
                                      0x1.921fb54442d18p+2,
                                      9.0,
                                      10.0,
                                      100.0,
                                      709.0,
                                      0x1.62e42fefa39efp+9,
                                      0x1.62e42fefa39f0p+9,
                                      -0x1.6232bdd7abcd2p+9,
                                      -0x1.74910d52d3051p+9,
                                      -0x1.74910d52d3053p+9,
                                      -745.2,
                                      32767.99,
                                      32768.0,
                                      -32769.0,
                                      0x1p52,
                                      0x1.fffffffffffffp+52,
                                      0x1p53,
                                      -0x1p53,
                                      1e16,
                                      1e22,
                                      -1e22,
                                      0x1.6ac5b262ca1ffp+849,
                                      1e300,
                                      -1e308,
                                      0x1p1000,
                                      0x1p1023,
                                      -0x1p1023,
                                      0x1.fffffffffffffp+1023,
                                      -0x1.fffffffffffffp+1023 };
enum { CHECK_EDGES = sizeof check_edges / sizeof *check_edges };

static inline double check_from_bits(uint64_t bits)
{
    double x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

/* Doubles in order as integers, so that a difference counts ulps. */
static inline int64_t check_order(double x)
{
    int64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits < 0 ? INT64_MIN - bits : bits;
}

static inline double check_step(double x, int ulps)
{
    const int64_t order = check_order(x) + ulps;
    const int64_t bits = order < 0 ? INT64_MIN - order : order;
    return check_from_bits((uint64_t)bits);
}

static inline uint64_t check_ulps(double lo, double hi)
{
    return (uint64_t)check_order(hi) - (uint64_t)check_order(lo);
}

/* Any finite double: random bits, sizes spread over all exponents, around 1, small integers,
 * near multiples of pi/2, subnormals, the edges and their neighbours. */
static inline double check_double(test_random *r)
{
    double x;
    switch (test_below(r, 10)) {
    case 0:
        do
            x = check_from_bits(test_bits(r));
        while (!(fabs(x) <= DBL_MAX));
        return x;
    case 1: return test_log_uniform(r, -1070, 1023);
    case 2: return test_log_uniform(r, -30, 30);
    case 3: return test_log_uniform(r, -4, 4);
    case 4: return (test_bits(r) & 1 ? 1 : -1) * (1 + test_log_uniform(r, -53, -1));
    case 5: return (double)(int)(test_bits(r) % 201) - 100;
    case 6: {
        const double k = floor(exp2(test_uniform(r, 0, test_bits(r) & 1 ? 12 : 40)));
        x = oracle_mpfr_near_half_pi(test_bits(r) & 1 ? k : -k);
        return check_step(x, (int)test_below(r, 7) - 3);
    }
    case 7: return check_from_bits((test_bits(r) & 0x800fffffffffffff) >> (test_bits(r) & 1 ? 0 : 1));
    case 8: return test_uniform(r, -800, 800);
    default: {
        x = check_edges[test_below(r, CHECK_EDGES)];
        x = check_step(x, (int)test_below(r, 5) - 2);
        return fabs(x) <= DBL_MAX ? x : 1;
    }
    }
}

static inline abut_interval check_interval(test_random *r)
{
    const double a = check_double(r);
    double b = test_below(r, 3) ? check_double(r) : a + fabs(a) * test_log_uniform(r, -52, 2);
    if (!(fabs(b) <= DBL_MAX))
        b = a;
    return a < b ? (abut_interval){ a, b } : (abut_interval){ b, a };
}

/* A number of a, its ends often. */
static inline double check_member(test_random *r, abut_interval a)
{
    const unsigned how = test_below(r, 4);
    if (how < 2)
        return how ? a.lo : a.hi;
    double x;
    if (how == 2) {
        const uint64_t span = check_ulps(a.lo, a.hi);
        const int64_t order =
            (int64_t)((uint64_t)check_order(a.lo) + (span == UINT64_MAX ? 0 : test_bits(r) % (span + 1)));
        x = check_from_bits((uint64_t)(order < 0 ? INT64_MIN - order : order));
    } else {
        const double t = test_uniform(r, 0, 1);
        x = a.lo * (1 - t) + a.hi * t;
    }
    return fmin(fmax(x, a.lo), a.hi);
}

#endif
