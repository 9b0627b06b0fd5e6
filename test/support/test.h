/* SPDX-License-Identifier: MIT */
/* cmocka plus what every test here needs: random numbers with printable seeds, and checks that
 * print the case. */
#ifndef ABUT_TEST_H
#define ABUT_TEST_H

#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* Fails with a message of your own (print the seed, and doubles as %a). */
#define TEST_FAIL(...)            \
    do {                          \
        print_error(__VA_ARGS__); \
        print_error("\n");        \
        fail();                   \
    } while (0)

#define TEST_CHECK(condition, ...)                    \
    do {                                              \
        if (!(condition)) {                           \
            print_error("%s is false: ", #condition); \
            TEST_FAIL(__VA_ARGS__);                   \
        }                                             \
    } while (0)

#define TEST_NEAR(found, expected, tolerance, ...)                                                           \
    do {                                                                                                     \
        const double test_found = (found), test_expected = (expected), test_tolerance = (tolerance);         \
        if (!(fabs(test_found - test_expected) <= test_tolerance)) {                                         \
            print_error("%s = %a (%.17g), expected %a (%.17g), off by %g, allowed %g: ", #found, test_found, \
                        test_found, test_expected, test_expected, fabs(test_found - test_expected),          \
                        test_tolerance);                                                                     \
            TEST_FAIL(__VA_ARGS__);                                                                          \
        }                                                                                                    \
    } while (0)

/* splitmix64: every state is a good seed, so test case i simply starts from seed i. */
typedef struct test_random {
    uint64_t state;
} test_random;

static inline test_random test_seed(uint64_t seed)
{
    return (test_random){ seed * 0x9e3779b97f4a7c15u + 0x1234567 };
}

static inline uint64_t test_bits(test_random *r)
{
    uint64_t z = (r->state += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

/* Uniform in [lo, hi). */
static inline double test_uniform(test_random *r, double lo, double hi)
{
    return lo + (hi - lo) * (double)(test_bits(r) >> 11) * 0x1p-53;
}

/* 0 .. n-1 */
static inline unsigned test_below(test_random *r, unsigned n)
{
    return (unsigned)(test_bits(r) % n);
}

/* Any sign, size uniform in the exponent: 2^from to 2^to. */
static inline double test_log_uniform(test_random *r, double from, double to)
{
    const double size = exp2(test_uniform(r, from, to));
    return test_bits(r) & 1 ? size : -size;
}

/* Part of AddressSanitizer's library, which is there when the library under test has it: tests themselves
 * are compiled without. */
extern void __asan_init(void) __attribute__((weak));

/* Whether the code under test is many times slower than usual. */
static inline bool test_is_sanitized(void)
{
#ifdef __SANITIZE_THREAD__
    return true;
#else
    return __asan_init != NULL;
#endif
}

/* How many random cases to run: `full`, less under sanitizers, times the environment's
 * ABUT_TEST_SCALE (soak runs). */
static inline uint64_t test_count(uint64_t full)
{
    double scale = test_is_sanitized() ? 0.02 : 1;
    const char *wanted = getenv("ABUT_TEST_SCALE");
    if (wanted)
        scale *= atof(wanted);
    const double count = (double)full * scale;
    return count < 1 ? 1 : (uint64_t)count;
}

/* The same, but at least `least`: for tests that also judge a share of their cases. */
static inline uint64_t test_count_at_least(uint64_t full, uint64_t least)
{
    const uint64_t count = test_count(full);
    return count < least ? least : count;
}

#endif
