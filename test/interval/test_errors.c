/* SPDX-License-Identifier: MIT */
/* The error bounds of docs/notes/interval-elementary.md, observed: the values in two doubles
 * inside the elementary functions are compared with MPFR at 300 bits, in all four rounding
 * modes, and must keep to the bound that the enclosures rely on. The sources are included,
 * because these values never leave them. */
#include "support/test.h"

#include "interval/explog.c"
#include "interval/trig.c"
#undef TINY
#define bound_tiny bound_tiny_arc
#include "interval/arc.c"

#include <fenv.h>
#include <mpfr.h>

ia ia_div_by_zero(ia a, ia b)
{
    (void)b;
    return a;
}

typedef int (*mpfr_function)(mpfr_ptr, mpfr_srcptr, mpfr_rnd_t);

/* |high + low - f| / |f|, times 2^scale beforehand; with f from MPFR. */
static double relative_error(double high, double low, int scale, mpfr_t exact)
{
    mpfr_t found;
    mpfr_init2(found, 300);
    mpfr_set_d(found, high, MPFR_RNDN);
    mpfr_add_d(found, found, low, MPFR_RNDN);
    mpfr_mul_2si(found, found, scale, MPFR_RNDN);
    mpfr_sub(found, found, exact, MPFR_RNDN);
    mpfr_div(found, found, exact, MPFR_RNDN);
    const double error = fabs(mpfr_get_d(found, MPFR_RNDN));
    mpfr_clear(found);
    return error;
}

typedef struct evaluation {
    ia_pair x;
    twofold value;
    int n[2];
} evaluation;

static __attribute__((noinline)) void run_sin(evaluation *e)
{
    const reduced at = reduce(e->x);
    e->value = sin_at(&at, 0);
}

static __attribute__((noinline)) void run_cos(evaluation *e)
{
    const reduced at = reduce(e->x);
    e->value = sin_at(&at, 32);
}

static __attribute__((noinline)) void run_exp(evaluation *e)
{
    e->value = exp_at((twofold){ e->x, ia_pair_of(0) }, e->n);
}

static __attribute__((noinline)) void run_log(evaluation *e)
{
    e->value = log_at(e->x);
}

static __attribute__((noinline)) void run_atan(evaluation *e)
{
    e->value = angle_at((twofold){ e->x, ia_pair_of(0) }, (twofold){ ia_pair_of(1), ia_pair_of(0) });
}

static __attribute__((noinline)) void run_asin(evaluation *e)
{
    e->value = angle_at((twofold){ e->x, ia_pair_of(0) }, co_sine(e->x));
}

static __attribute__((noinline)) void run_acos(evaluation *e)
{
    e->value = angle_at(co_sine(e->x), (twofold){ e->x, ia_pair_of(0) });
}

static void errors_stay_below_their_bounds(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        void (*run)(evaluation *);
        mpfr_function exact;
        double bound, from, to; /* exponents of the arguments */
        bool positive;
    } functions[] = {
        { "sin", run_sin, mpfr_sin, SIN_ERROR, -40, 20, false },
        { "cos", run_cos, mpfr_cos, SIN_ERROR, -40, 20, false },
        { "exp", run_exp, mpfr_exp, EXP_ERROR, -60, 9.4, false },
        { "log", run_log, mpfr_log, LOG_ERROR, -1070, 1020, true },
        { "log", run_log, mpfr_log, LOG_ERROR, -1, 1, true },
        { "atan", run_atan, mpfr_atan, ATAN_ERROR, -60, 60, true },
        { "asin", run_asin, mpfr_asin, ATAN_ERROR, -60, 0, true },
        { "acos", run_acos, mpfr_acos, ATAN_ERROR, -20, 0, true },
    };
    const int modes[4] = { FE_TONEAREST, FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO };
    mpfr_t x, exact;
    mpfr_inits2(300, x, exact, (mpfr_ptr)0);
    for (size_t f = 0; f < sizeof functions / sizeof *functions; ++f) {
        const uint64_t count = test_count(16000);
        double worst = 0;
        for (uint64_t seed = 0; seed < count; ++seed) {
            test_random r = test_seed(seed);
            evaluation e = { .n = { 0, 0 } };
            for (int i = 0; i < 2; ++i) {
                double arg = test_log_uniform(&r, functions[f].from, functions[f].to);
                if (seed % 4 == 0 && functions[f].from < 0)
                    arg = 1 - test_log_uniform(&r, -52,
                                               /* around 1, where logarithms and arcs are
                                                * delicate */
                                               -2);
                if (functions[f].to == 0 && fabs(arg) > 1)
                    arg = 1 / arg;
                e.x[i] = functions[f].positive ? fabs(arg) : arg;
            }
            fesetround(modes[seed / 4 % 4]);
            functions[f].run(&e);
            fesetround(FE_TONEAREST);
            for (int i = 0; i < 2; ++i) {
                if (functions[f].run == run_log && e.x[i] == 1)
                    continue;
                mpfr_set_d(x, e.x[i], MPFR_RNDN);
                functions[f].exact(exact, x, MPFR_RNDN);
                const double error = relative_error(e.value.high[i], e.value.low[i], e.n[i], exact);
                if (error > worst)
                    worst = error;
                TEST_CHECK(error <= functions[f].bound, "%s(%a): error 2^%.2f, mode %d", functions[f].name,
                           e.x[i], log2(error), (int)(seed / 4 % 4));
            }
        }
        print_message("%-5s worst error 2^%.2f, bound 2^%.2f\n", functions[f].name, log2(worst),
                      log2(functions[f].bound));
    }
    mpfr_clears(x, exact, (mpfr_ptr)0);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(errors_stay_below_their_bounds) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
