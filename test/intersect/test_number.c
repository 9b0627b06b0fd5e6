/* SPDX-License-Identifier: MIT */
/* Exact dyadic numbers against GMP: random expressions, and numbers that do not fit. */
#include "intersect/number.h"
#include "support/test.h"

#include <gmp.h>

static double random_double(test_random *rng)
{
    const double m = ldexp((double)(int64_t)test_bits(rng), -63);
    return ldexp(m, (int)(test_bits(rng) % 60) - 30);
}

/* Is the number, split into doubles, the rational? */
static bool equals(const abut_number *a, const mpq_t q)
{
    double terms[64];
    if (!abut_number_split(a, 40, terms, 64))
        return false;
    mpq_t sum, term;
    mpq_init(sum);
    mpq_init(term);
    for (int i = 0; i < 64; ++i) {
        mpq_set_d(term, terms[i]);
        mpq_add(sum, sum, term);
    }
    mpq_div_2exp(sum, sum, 40);
    const bool same = mpq_equal(sum, q);
    mpq_clear(sum);
    mpq_clear(term);
    return same;
}

static void test_expressions(void **state)
{
    (void)state;
    const uint64_t count = test_count(3000);
    for (uint64_t n = 0; n < count; ++n) {
        test_random rng = test_seed(n);
        abut_number value[6];
        mpq_t q[6];
        for (int i = 0; i < 6; ++i) {
            const double x = n % 3 ? random_double(&rng) : (double)(test_bits(&rng) % 17) - 8;
            mpq_init(q[i]);
            mpq_set_d(q[i], x);
            abut_number_from(&value[i], x);
        }
        for (int k = 0; k < 6; ++k) {
            const int i = (int)(test_bits(&rng) % 6), j = (int)(test_bits(&rng) % 6),
                      r = (int)(test_bits(&rng) % 6);
            switch (test_bits(&rng) % 3) {
            case 0:
                abut_number_add(&value[r], &value[i], &value[j]);
                mpq_add(q[r], q[i], q[j]);
                break;
            case 1:
                abut_number_sub(&value[r], &value[i], &value[j]);
                mpq_sub(q[r], q[i], q[j]);
                break;
            default: abut_number_mul(&value[r], &value[i], &value[j]); mpq_mul(q[r], q[i], q[j]);
            }
            if (abut_number_is_bad(&value[r])) {
                TEST_CHECK(mpz_sizeinbase(mpq_numref(q[r]), 2) > 1500, "seed %" PRIu64 ": given up too early",
                           n);
                abut_number_from(&value[r], 0.5);
                mpq_set_d(q[r], 0.5);
            }
            TEST_CHECK(abut_number_sign(&value[r]) == mpq_sgn(q[r]), "seed %" PRIu64 ": wrong sign", n);
        }
        for (int i = 0; i < 6; ++i) {
            if (mpz_sizeinbase(mpq_numref(q[i]), 2) < 900 && mpz_sizeinbase(mpq_denref(q[i]), 2) < 900)
                TEST_CHECK(equals(&value[i], q[i]), "seed %" PRIu64 ": value %d is wrong", n, i);
            mpq_clear(q[i]);
        }
    }
}

static void test_limits(void **state)
{
    (void)state;
    abut_number a, b;
    abut_number_from(&a, 3);
    for (int i = 0; i < 12; ++i)
        abut_number_mul(&a, &a, &a);
    assert_true(abut_number_is_bad(&a)); /* 3^4096 has 6492 bits */
    assert_int_equal(abut_number_sign(&a), 2);
    abut_number_from(&b, 1);
    abut_number_add(&b, &b, &a);
    assert_true(abut_number_is_bad(&b));
    abut_number_from(&a, HUGE_VAL);
    assert_true(abut_number_is_bad(&a));
    abut_number_from(&a, 0x1p1000);
    abut_number_mul(&a, &a, &a);
    abut_number_from(&b, 0x1p-1070);
    abut_number_add(&a, &a, &b);
    assert_true(abut_number_is_bad(&a));
    double terms[4];
    abut_number_from(&b, 0x1p-1070);
    assert_false(abut_number_split(&b, -40, terms, 4));
    assert_true(abut_number_split(&b, 70, terms, 4));
    assert_true(terms[0] == 0x1p-1000);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(test_expressions), cmocka_unit_test(test_limits) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
