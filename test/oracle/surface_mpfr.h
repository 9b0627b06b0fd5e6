/* SPDX-License-Identifier: MIT */
/* Referee for surfaces: formulas written with MPFR numbers of 640 bits, and their derivatives by
 * central differences with a step of 2^-100, which are good to about 180 bits. Numbers come from
 * a pool and are never freed one by one: oracle_forget gives all of them back. */
#ifndef ABUT_ORACLE_SURFACE_MPFR_H
#define ABUT_ORACLE_SURFACE_MPFR_H

#include <stdbool.h>

#include <mpfr.h>

typedef mpfr_ptr num;

void oracle_open(void);
void oracle_close(void);
void oracle_forget(void);

/* The same as a group's set-up and tear-down. */
static inline int oracle_set_up(void **state)
{
    (void)state;
    oracle_open();
    return 0;
}

static inline int oracle_tear_down(void **state)
{
    (void)state;
    oracle_close();
    return 0;
}

num o_num(double x);
num o_add(num a, num b);
num o_sub(num a, num b);
num o_mul(num a, num b);
num o_div(num a, num b);
num o_neg(num a);
num o_sqr(num a);
num o_sin(num a);
num o_cos(num a);
num o_exp(num a);
num o_sqrt(num a);

/* `outputs` functions of `inputs` numbers. */
typedef void (*oracle_map_fn)(const void *ctx, const num *in, num *out);

enum { oracle_max_inputs = 4, oracle_max_outputs = 3 };

/* Of one function: value, first and second derivatives. */
typedef struct oracle_jet {
    num value;
    num first[oracle_max_inputs];
    num second[oracle_max_inputs][oracle_max_inputs];
} oracle_jet;

/* At a point of doubles. Forgets all numbers made before; the result is valid until the next
 * call. */
void oracle_derive(oracle_map_fn map, const void *ctx, int inputs, int outputs, const double *at,
                   oracle_jet *out);

/* Whether x is in [lo, hi], but for the error of the differences: 2^-150 (1 + |x|). */
bool oracle_within(num x, double lo, double hi);

#endif
