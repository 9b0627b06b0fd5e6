/* SPDX-License-Identifier: MIT */
#include "oracle/surface_mpfr.h"

#include <stdlib.h>

enum { bits = 640, pool_size = 1 << 15, step_exponent = -100 };

static mpfr_t *pool;
static int used;

void oracle_open(void)
{
    pool = malloc(pool_size * sizeof *pool);
    for (int i = 0; i < pool_size; ++i)
        mpfr_init2(pool[i], bits);
    used = 0;
}

void oracle_close(void)
{
    for (int i = 0; i < pool_size; ++i)
        mpfr_clear(pool[i]);
    free(pool);
    mpfr_free_cache();
}

void oracle_forget(void)
{
    used = 0;
}

static num take(void)
{
    if (used == pool_size)
        abort();
    return pool[used++];
}

num o_num(double x)
{
    num r = take();
    mpfr_set_d(r, x, MPFR_RNDN);
    return r;
}

#define BINARY(name, function)        \
    num name(num a, num b)            \
    {                                 \
        num r = take();               \
        function(r, a, b, MPFR_RNDN); \
        return r;                     \
    }
#define UNARY(name, function)      \
    num name(num a)                \
    {                              \
        num r = take();            \
        function(r, a, MPFR_RNDN); \
        return r;                  \
    }
BINARY(o_add, mpfr_add)
BINARY(o_sub, mpfr_sub)
BINARY(o_mul, mpfr_mul)
BINARY(o_div, mpfr_div)
UNARY(o_neg, mpfr_neg)
UNARY(o_sqr, mpfr_sqr)
UNARY(o_sin, mpfr_sin)
UNARY(o_cos, mpfr_cos)
UNARY(o_exp, mpfr_exp)
UNARY(o_sqrt, mpfr_sqrt)

/* The map at `at`, moved by i and j steps along two of its inputs. */
static void moved(oracle_map_fn map, const void *ctx, int inputs, int outputs, const double *at, int k, int i,
                  int l, int j, num *out)
{
    num in[oracle_max_inputs], kept[oracle_max_outputs], result[oracle_max_outputs];
    for (int n = 0; n < oracle_max_outputs; ++n)
        kept[n] = take();
    const int mark = used;
    num step = o_num(1);
    mpfr_mul_2si(step, step, step_exponent, MPFR_RNDN);
    for (int n = 0; n < inputs; ++n)
        in[n] = o_num(at[n]);
    in[k] = o_add(in[k], o_mul(o_num(i), step));
    in[l] = o_add(in[l], o_mul(o_num(j), step));
    map(ctx, in, result);
    for (int n = 0; n < outputs; ++n) {
        mpfr_set(kept[n], result[n], MPFR_RNDN);
        out[n] = kept[n];
    }
    used = mark; /* what led there is not needed */
}

static num scaled(num a, int exponent)
{
    num r = take();
    mpfr_mul_2si(r, a, exponent, MPFR_RNDN);
    return r;
}

void oracle_derive(oracle_map_fn map, const void *ctx, int inputs, int outputs, const double *at,
                   oracle_jet *out)
{
    num here[oracle_max_outputs], a[oracle_max_outputs], b[oracle_max_outputs], c[oracle_max_outputs],
        d[oracle_max_outputs];
    oracle_forget();
    moved(map, ctx, inputs, outputs, at, 0, 0, 0, 0, here);
    for (int r = 0; r < outputs; ++r)
        out[r].value = here[r];
    for (int k = 0; k < inputs; ++k) {
        moved(map, ctx, inputs, outputs, at, k, 1, 0, 0, a);
        moved(map, ctx, inputs, outputs, at, k, -1, 0, 0, b);
        for (int r = 0; r < outputs; ++r) {
            out[r].first[k] = scaled(o_sub(a[r], b[r]), -step_exponent - 1);
            out[r].second[k][k] =
                scaled(o_add(o_sub(a[r], here[r]), o_sub(b[r], here[r])), -2 * step_exponent);
        }
        for (int l = 0; l < k; ++l) {
            moved(map, ctx, inputs, outputs, at, k, 1, l, 1, a);
            moved(map, ctx, inputs, outputs, at, k, -1, l, -1, b);
            moved(map, ctx, inputs, outputs, at, k, 1, l, -1, c);
            moved(map, ctx, inputs, outputs, at, k, -1, l, 1, d);
            for (int r = 0; r < outputs; ++r)
                out[r].second[k][l] = out[r].second[l][k] =
                    scaled(o_sub(o_add(a[r], b[r]), o_add(c[r], d[r])), -2 * step_exponent - 2);
        }
    }
}

bool oracle_within(num x, double lo, double hi)
{
    num slack = take();
    mpfr_abs(slack, x, MPFR_RNDN);
    mpfr_add_d(slack, slack, 1, MPFR_RNDN);
    mpfr_mul_2si(slack, slack, -150, MPFR_RNDN);
    return mpfr_cmp_d(o_add(x, slack), lo) >= 0 && mpfr_cmp_d(o_sub(x, slack), hi) <= 0;
}
