/* SPDX-License-Identifier: MIT */
/* Decimal to double. Referee: MPFR, rounding the whole decimal once to 53 bits with the exponent
 * range of doubles (mpfr_strtofr and mpfr_subnormalize). Inputs lean on what breaks such code:
 * midpoints between doubles written in full, and one digit either side of them; subnormals; the
 * ends of the range; hundreds of digits; points and exponents in odd places. Each is repeated in
 * every rounding mode, which must change nothing. */
#include "io/mesh/mesh_number.h"
#include "io/mesh/mesh_powers.h"
#include "support/test.h"

#include <fenv.h>
#include <gmp.h>
#include <mpfr.h>

static double referee(const char *text)
{
    mpfr_t number;
    mpfr_set_emin(-1073);
    mpfr_set_emax(1024);
    mpfr_init2(number, 53);
    const int ternary = mpfr_strtofr(number, text, NULL, 10, MPFR_RNDN);
    mpfr_subnormalize(number, ternary, MPFR_RNDN);
    const double value = mpfr_get_d(number, MPFR_RNDN);
    mpfr_clear(number);
    return value;
}

static bool same(double a, double b)
{
    return memcmp(&a, &b, sizeof a) == 0;
}

static void check(const char *text)
{
    static const int modes[] = { FE_TONEAREST, FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO };
    const double truth = referee(text);
    const size_t length = strlen(text);
    for (int i = 0; i < 4; ++i) {
        double found = NAN;
        fesetround(modes[i]);
        const char *end = abut_io_read_double(text, text + length, &found);
        fesetround(FE_TONEAREST);
        TEST_CHECK(end == text + length, "'%s': read %d of %zu characters", text,
                   end ? (int)(end - text) : -1, length);
        TEST_CHECK(same(found, truth), "'%s' gave %a, expected %a (rounding mode %d)", text, found, truth, i);
    }
}

static double random_double(test_random *r)
{
    for (;;) {
        const uint64_t bits = test_bits(r);
        double value;
        memcpy(&value, &bits, sizeof value);
        if (isfinite(value))
            return value;
    }
}

static void tables_are_powers_of_five(void **state)
{
    (void)state;
    mpz_t power, found;
    mpz_inits(power, found, NULL);
    for (unsigned j = 0; j < MESH_POWER_STEP; ++j) {
        mpz_ui_pow_ui(power, 5, j);
        TEST_CHECK(mpz_cmp_ui(power, mesh_small_powers[j]) == 0, "5^%u", j);
    }
    for (int k = MESH_POWER_LOWEST; k <= MESH_POWER_HIGHEST; ++k) {
        const uint64_t hi = mesh_great_powers[k - MESH_POWER_LOWEST].hi,
                       lo = mesh_great_powers[k - MESH_POWER_LOWEST].lo;
        const int exponent = mesh_great_powers[k - MESH_POWER_LOWEST].exponent;
        TEST_CHECK(hi >> 63, "entry %d is not normalised", k);
        mpz_set_ui(found, hi);
        mpz_mul_2exp(found, found, 64);
        mpz_add_ui(found, found, lo);
        mpz_ui_pow_ui(power, 5, (unsigned long)(MESH_POWER_STEP * abs(k)));
        /* found 2^exponent <= 5^(28 k) < (found + 1) 2^exponent, both sides made integers */
        for (int above = 0; above < 2; ++above) {
            mpz_t left, right;
            mpz_inits(left, right, NULL);
            mpz_add_ui(left, found, (unsigned long)above);
            mpz_set_ui(right, 1);
            if (k < 0)
                mpz_mul(left, left, power);
            else
                mpz_set(right, power);
            if (exponent < 0)
                mpz_mul_2exp(right, right, (mp_bitcnt_t)-exponent);
            else
                mpz_mul_2exp(left, left, (mp_bitcnt_t)exponent);
            TEST_CHECK(above ? mpz_cmp(left, right) > 0 : mpz_cmp(left, right) <= 0, "entry %d", k);
            mpz_clears(left, right, NULL);
        }
    }
    mpz_clears(power, found, NULL);
}

static void known_hard_cases(void **state)
{
    (void)state;
    static const char *const cases[] = {
        "0",
        "-0",
        "+0.0",
        "0e999999999999999999999",
        "-.0e-5",
        "1",
        "-1",
        ".5",
        "5.",
        "1e0",
        "1E+2",
        "1d3",
        "2.5D-1",
        "00000000000000000000000000000000000000000000000000000001.5",
        "9007199254740992",
        "9007199254740993",
        "9007199254740993.0",
        "9007199254740993.00000000000000000000000000000000000001",
        "9007199254740995",
        "9007199254740992999999999999999999999999999e-27",
        "18446744073709551615",
        "18446744073709551616",
        "9999999999999999999",
        "99999999999999999999",
        "1.7976931348623157e308",
        "1.7976931348623158e308",
        "1.7976931348623159e308",
        "179769313486231580793e289",
        "1e308",
        "1e309",
        "1e400",
        "-1e400",
        "1e99999999999",
        "4.9406564584124654e-324",
        "2.4703282292062327e-324",
        "2.4703282292062328e-324",
        "2.47e-324",
        "2.48e-324",
        "1e-323",
        "1e-324",
        "1e-400",
        "1e-99999999999",
        "2.2250738585072011e-308",
        "2.2250738585072014e-308",
        "2.2250738585072012e-308",
        "6.9294956446009195e15",
        "3.5844466002796428e+298",
        "8.442911973260991817129021e-309",
        "1090544144181609348671888949248",
        "1090544144181609348835077142190",
        "0.000000000000000000000000000000000000001",
        "2.2250738585072012000000000000000000000000000000000000000000000000000000001e-308",
        "123456789012345678901234567890",
        "1e23",
        "8.5e22",
        "9.5e22",
        "6.0221407600e23",
        "5e-324",
        "3e-324",
        "7.4109846876186982e-324",
        "7.5e-324",
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        char plain[256];
        strcpy(plain, cases[i]);
        double found;
        if (strpbrk(plain, "dD")) { /* the referee knows e only */
            char *d = strpbrk(plain, "dD");
            TEST_CHECK(abut_io_read_double(plain, plain + strlen(plain), &found), "'%s'", plain);
            *d = 'e';
            TEST_CHECK(same(found, referee(plain)), "'%s'", cases[i]);
        }
        check(plain);
    }
}

static void doubles_survive_writing_and_reading(void **state)
{
    (void)state;
    const uint64_t count = test_count(300000);
    for (uint64_t seed = 0; seed < count; ++seed) {
        test_random r = test_seed(seed);
        const double value = seed % 3 ? random_double(&r) : test_uniform(&r, -1000, 1000);
        char text[64];
        snprintf(text, sizeof text, seed % 2 ? "%.17g" : "%.25e", value);
        double found;
        const char *end = abut_io_read_double(text, text + strlen(text), &found);
        TEST_CHECK(end == text + strlen(text) && same(found, value),
                   "seed %" PRIu64 ": '%s' gave %a, expected %a", seed, text, found, value);
    }
}

static void random_decimals_round_as_the_referee(void **state)
{
    (void)state;
    const uint64_t count = test_count(50000);
    for (uint64_t seed = 0; seed < count; ++seed) {
        test_random r = test_seed(seed + 1000000);
        char text[900];
        size_t length = 0;
        if (test_bits(&r) & 1)
            text[length++] = '-';
        const unsigned digits = 1 + test_below(&r, seed % 50 == 0 ? 800 : 30),
                       point = test_below(&r, digits + 10);
        for (unsigned i = 0; i < digits; ++i) {
            if (i == point)
                text[length++] = '.';
            text[length++] = (char)('0' + test_below(&r, 10));
        }
        const int exponent = (int)test_below(&r, 700) - 350;
        text[length] = 0;
        if (seed % 4)
            snprintf(text + length, sizeof text - length, "e%d", exponent);
        check(text);
    }
}

/* Midpoints in full, and with the last digit one less or more, or with a digit far behind. */
static void midpoints_go_to_even(void **state)
{
    (void)state;
    const uint64_t count = test_count(8000);
    for (uint64_t seed = 0; seed < count; ++seed) {
        test_random r = test_seed(seed + 2000000);
        double value = fabs(random_double(&r));
        /* subnormal and near */
        if (seed % 4 == 0)
            value = ldexp((double)(test_bits(&r) >> (11 + test_below(&r, 40))), -1074);
        else if (seed % 4 == 1)
            value = (double)(UINT64_C(1) << 53) + 2 * (double)(test_bits(&r) >> 12); /* integers */
        if (!(value < DBL_MAX))
            continue;
        mpfr_t midpoint;
        mpfr_set_emin(mpfr_get_emin_min());
        mpfr_set_emax(mpfr_get_emax_max());
        mpfr_init2(midpoint, 80);
        mpfr_set_d(midpoint, value, MPFR_RNDN);
        mpfr_add_d(midpoint, midpoint, nextafter(value, INFINITY), MPFR_RNDN);
        mpfr_div_2ui(midpoint, midpoint, 1, MPFR_RNDN);
        char text[1200], changed[1300];
        mpfr_snprintf(text, sizeof text, "%.780RNe", midpoint);
        mpfr_clear(midpoint);
        check(text);
        char *e = strchr(text, 'e');
        char *last = e - 1;
        while (*last == '0' || *last == '.')
            --last;
        snprintf(changed, sizeof changed, "%.*s0000000000000001%s", (int)(last - text) + 1, text, e);
        check(changed);
        snprintf(changed, sizeof changed, "%.*s00000000000000000000%s", (int)(last - text) + 1, text, e);
        check(changed);
        --*last; /* not 0, so still a digit */
        snprintf(changed, sizeof changed, "%.*s9999999999999999%s", (int)(last - text) + 1, text, e);
        check(changed);
    }
}

static void enormous_texts(void **state)
{
    (void)state;
    enum { ZEROS = 100000 };
    char *text = malloc(2 * ZEROS + 100);
    double found;
    /* 0.000...01 e100001 = 1 */
    strcpy(text, "0.");
    memset(text + 2, '0', ZEROS);
    snprintf(text + 2 + ZEROS, 50, "1e%d", ZEROS + 1);
    TEST_CHECK(abut_io_read_double(text, text + strlen(text), &found) && found == 1, "%a", found);
    /* 1000...0 e-100000 = 1, and a tie broken by its very last digit */
    text[0] = '1';
    memset(text + 1, '0', ZEROS);
    snprintf(text + 1 + ZEROS, 50, "e-%d", ZEROS);
    TEST_CHECK(abut_io_read_double(text, text + strlen(text), &found) && found == 1, "%a", found);
    strcpy(text, "9007199254740993.");
    memset(text + 17, '0', ZEROS);
    strcpy(text + 17 + ZEROS, "1");
    TEST_CHECK(abut_io_read_double(text, text + strlen(text), &found) && found == 9007199254740994.0, "%a",
               found);
    text[17 + ZEROS] = '0';
    TEST_CHECK(abut_io_read_double(text, text + strlen(text), &found) && found == 9007199254740992.0, "%a",
               found);
    free(text);
}

static void what_is_no_number(void **state)
{
    (void)state;
    static const char *const none[] = { "",    "-",   "+",    ".",  "-.", "e5",  ".e5",
                                        "nan", "inf", "-inf", "x1", " 1", "--1", "+-1" };
    double value = 77;
    for (size_t i = 0; i < sizeof none / sizeof *none; ++i)
        TEST_CHECK(!abut_io_read_double(none[i], none[i] + strlen(none[i]), &value) && value == 77, "'%s'",
                   none[i]);
    /* What is read of these, and where it ends. */
    static const struct {
        const char *text;
        double value;
        int length;
    } part[] = { { "1e", 1, 1 },      { "1e+", 1, 1 },   { "1.5x", 1.5, 3 },
                 { "1..2", 1, 2 },    { "12,5", 12, 2 }, { "0x10", 0, 1 },
                 { "1e5e6", 1e5, 3 }, { "1-2", 1, 1 },   { "3/4", 3, 1 } };
    for (size_t i = 0; i < sizeof part / sizeof *part; ++i) {
        const char *end = abut_io_read_double(part[i].text, part[i].text + strlen(part[i].text), &value);
        TEST_CHECK(end == part[i].text + part[i].length && value == part[i].value, "'%s'", part[i].text);
    }
}

static void integers(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        int64_t value;
    } cases[] = { { "0", 0 },
                  { "-0", 0 },
                  { "+7", 7 },
                  { "-12", -12 },
                  { "9223372036854775807", INT64_MAX },
                  { "9223372036854775806", INT64_MAX - 1 },
                  { "99999999999999999999999", INT64_MAX },
                  { "-99999999999999999999999", -INT64_MAX } };
    int64_t found;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        const char *end = abut_io_read_integer(cases[i].text, cases[i].text + strlen(cases[i].text), &found);
        TEST_CHECK(end && !*end, "'%s'", cases[i].text);
        /* Within 8 of the end it may saturate: such an index is out of any range anyway. */
        TEST_CHECK(found == cases[i].value || (found == INT64_MAX && cases[i].value > INT64_MAX - 9), "'%s'",
                   cases[i].text);
    }
    static const char *const none[] = { "", "-", "x", " 1", "--1" };
    for (size_t i = 0; i < sizeof none / sizeof *none; ++i)
        assert_null(abut_io_read_integer(none[i], none[i] + strlen(none[i]), &found));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tables_are_powers_of_five),
        cmocka_unit_test(known_hard_cases),
        cmocka_unit_test(doubles_survive_writing_and_reading),
        cmocka_unit_test(random_decimals_round_as_the_referee),
        cmocka_unit_test(midpoints_go_to_even),
        cmocka_unit_test(enormous_texts),
        cmocka_unit_test(what_is_no_number),
        cmocka_unit_test(integers),
    };
    return cmocka_run_group_tests_name("mesh_number", tests, NULL, NULL);
}
