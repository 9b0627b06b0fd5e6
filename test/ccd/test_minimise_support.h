/* SPDX-License-Identifier: MIT */
/* Systems for the tests of the minimiser: written once with numbers that carry their
 * derivatives, enclosed by intervals. */
#ifndef ABUT_TEST_MINIMISE_SUPPORT_H
#define ABUT_TEST_MINIMISE_SUPPORT_H

#include "ccd/minimise/minimise.h"
#include "support/test.h"

typedef struct dual {
    ia v, d[ABUT_PROBLEM_UNKNOWNS];
} dual;

enum { DUALS = ABUT_PROBLEM_UNKNOWNS };

static inline dual dual_number(double x)
{
    dual out = { .v = ia_point(x) };
    for (int j = 0; j < DUALS; ++j)
        out.d[j] = ia_point(0);
    return out;
}

static inline dual dual_add(dual a, dual b)
{
    a.v = ia_add(a.v, b.v);
    for (int j = 0; j < DUALS; ++j)
        a.d[j] = ia_add(a.d[j], b.d[j]);
    return a;
}

static inline dual dual_sub(dual a, dual b)
{
    a.v = ia_sub(a.v, b.v);
    for (int j = 0; j < DUALS; ++j)
        a.d[j] = ia_sub(a.d[j], b.d[j]);
    return a;
}

static inline dual dual_mul(dual a, dual b)
{
    dual out = { .v = ia_mul(a.v, b.v) };
    for (int j = 0; j < DUALS; ++j)
        out.d[j] = ia_add(ia_mul(a.v, b.d[j]), ia_mul(a.d[j], b.v));
    return out;
}

static inline dual dual_sqr(dual a)
{
    dual out = { .v = ia_sqr(a.v) };
    for (int j = 0; j < DUALS; ++j)
        out.d[j] = ia_mul(ia_scale(2, a.v), a.d[j]);
    return out;
}

static inline dual dual_chain(dual a, ia value, ia slope)
{
    a.v = value;
    for (int j = 0; j < DUALS; ++j)
        a.d[j] = ia_mul(slope, a.d[j]);
    return a;
}

static inline dual dual_sin(dual a)
{
    return dual_chain(a, ia_sin(a.v), ia_cos(a.v));
}

static inline dual dual_cos(dual a)
{
    return dual_chain(a, ia_cos(a.v), ia_neg(ia_sin(a.v)));
}

static inline dual dual_plus(dual a, double b)
{
    a.v = ia_add(a.v, ia_point(b));
    return a;
}

static inline dual dual_times(dual a, double b)
{
    return dual_mul(a, dual_number(b));
}

/* What a system writes: equations, the place, and what must be >= 0. */
typedef struct written {
    dual f[ABUT_PROBLEM_EQUATIONS];
    ia3 place;
    ia positive[4];
    int positive_count;
    unsigned sufficient;
} written;

typedef struct synthetic {
    void (*write)(const struct synthetic *s, const dual *x, written *out);
    int unknowns, equations;
    double a[8]; /* for the system */
    const void *more;
} synthetic;

static void synthetic_enclose(const void *ctx, const ia *x, int order, int thread, abut_system *out)
{
    const synthetic *s = ctx;
    dual v[DUALS];
    written w = { .positive_count = 0 };
    (void)thread;
    for (int j = 0; j < s->unknowns; ++j) {
        v[j] = dual_number(0);
        v[j].v = x[j];
        v[j].d[j] = ia_point(1);
    }
    s->write(s, v, &w);
    out->holds = 1;
    for (int i = 0; i < w.positive_count; ++i) {
        if (ia_hi(w.positive[i]) < 0)
            out->holds = -1;
        else if (ia_lo(w.positive[i]) < 0 && out->holds > 0)
            out->holds = 0;
    }
    for (int i = 0; i < s->equations; ++i) {
        out->f[i] = w.f[i].v;
        for (int j = 0; order > 0 && j < s->unknowns; ++j)
            out->jacobian[i][j] = w.f[i].d[j];
    }
    out->place = w.place;
    out->sufficient = w.sufficient;
}

static abut_problem synthetic_problem(const synthetic *s, double lo, double hi)
{
    abut_problem p = {
        .unknowns = s->unknowns, .equations = s->equations, .enclose = synthetic_enclose, .ctx = s
    };
    for (int j = 0; j < s->unknowns; ++j)
        p.box[j] = (abut_interval){ lo, hi };
    return p;
}

static abut_minimise_opts default_opts(void)
{
    return (abut_minimise_opts){
        .separation = 0.1, .accuracy = 1e-6, .duration = 1e-6, .max_iterations = 200000, .threads = 1
    };
}

#endif
