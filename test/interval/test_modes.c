/* SPDX-License-Identifier: MIT */
/* The public functions give the same answers in every floating-point state of the caller, and
 * leave it as it was: the four rounding modes, denormals flushed or read as zero, sticky flags
 * raised, exceptions unmasked. */
#include "interval/check.h"

#include <fenv.h>
#if defined(__SSE2__)
#include <immintrin.h>
#endif

typedef struct answers {
    abut_interval value[40];
    double number[8];
    int whole[8];
    int values, numbers, wholes;
} answers;

static __attribute__((noinline)) void ask(const variant *v, abut_interval a, abut_interval b, int n,
                                          answers *out)
{
    memset(out, 0, sizeof *out);
#define ASK_1(name) out->value[out->values++] = v->name(a);
#define ASK_2(name) out->value[out->values++] = v->name(a, b);
    VARIANT_UNARY(ASK_1)
    VARIANT_BINARY(ASK_2)
    out->value[out->values++] = v->pown(a, n);
    out->value[out->values++] = v->point(a.lo);
    abut_interval parts[2] = { { 0, 0 }, { 0, 0 } };
    out->whole[out->wholes++] = v->div_split(a, b, parts);
    out->value[out->values++] = parts[0];
    out->value[out->values++] = parts[1];
    v->bisect(a, &parts[0], &parts[1]);
    out->value[out->values++] = parts[0];
    out->value[out->values++] = parts[1];
    out->number[out->numbers++] = v->width(a);
    out->number[out->numbers++] = v->mid(a);
    out->whole[out->wholes++] = v->is_empty(a);
    out->whole[out->wholes++] = v->subset(a, b);
    out->whole[out->wholes++] = v->contains(a, b.lo);
    const abut_interval m[4] = { a, b, { 1, 1 }, a };
    const abut_interval f[2] = { b, a };
    const double mid[2] = { 0.25, -0.25 };
    abut_interval x[4] = { { -1, 1 }, { -1, 1 }, { 0, 0 }, { 0, 0 } };
    out->whole[out->wholes++] = (int)v->solve_iterate(2, 2, m, f, 0.9, 10, x);
    out->value[out->values++] = x[0];
    out->whole[out->wholes++] = (int)v->solve_lu(2, m, f, x);
    out->value[out->values++] = x[1];
    out->whole[out->wholes++] = (int)v->inverse(2, m, x);
    out->value[out->values++] = x[2];
    x[0] = x[1] = (abut_interval){ -1, 1 };
    out->whole[out->wholes++] = (int)v->krawczyk(2, x, mid, f, m, x + 2);
    out->value[out->values++] = x[2];
}

static void the_caller_s_state_changes_nothing(void **state)
{
    (void)state;
    const int modes[4] = { FE_TONEAREST, FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO };
    const uint64_t count = test_count(20000);
    for (uint64_t seed = 0; seed < count; ++seed) {
        test_random r = test_seed(seed);
        const abut_interval a = check_interval(&r), b = check_interval(&r);
        const int n = (int)test_below(&r, 41) - 20;
        for (int v = 0; v < VARIANT_COUNT; ++v) {
            answers expected, found;
            ask(&variants[v], a, b, n, &expected);
            for (int how = 0; how < 4; ++how) {
                fenv_t before;
                fegetenv(&before);
                fesetround(modes[how]);
#if defined(__SSE2__)
                /* flush to zero, denormals are zero, some sticky flags, and no exception masked */
                unsigned wanted = _mm_getcsr() & ~0x3fu;
                if (seed & 1)
                    wanted |= 0x8040;
                if (seed & 2)
                    wanted |= 0x25;
                if (seed & 4)
                    wanted &= ~0x1f80u;
                if ((seed & 6) == 6) /* a flag that is both raised and unmasked would trap at once */
                    wanted &= ~0x25u;
                _mm_setcsr(wanted);
#endif
                ask(&variants[v], a, b, n, &found);
#if defined(__SSE2__)
                const unsigned after = _mm_getcsr();
#endif
                const int mode_after = fegetround();
                fesetenv(&before);
#if defined(__SSE2__)
                TEST_CHECK(after == wanted, "MXCSR %x became %x, seed %" PRIu64, wanted, after, seed);
#endif
                assert_int_equal(mode_after, modes[how]);
                TEST_CHECK(memcmp(&expected, &found, sizeof found) == 0,
                           "%s differs in mode %d: [%a, %a] [%a, %a], seed %" PRIu64, variants[v].strategy,
                           how, a.lo, a.hi, b.lo, b.hi, seed);
            }
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(the_caller_s_state_changes_nothing) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
