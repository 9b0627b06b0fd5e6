// SPDX-License-Identifier: MIT
// Boost.Interval in two configurations:
//   default      interval<double> as it comes; its default policy has no elementary functions, so those use the same policy with
//                rounded_transc_opp, which asks libm (that is what it counts as wrong for, where it does).
//   unprotected  no checking, and the rounding mode set once around the array: its fastest honest way.
#include "interval_job.h"

#include <boost/numeric/interval.hpp>

#include <cstdlib>
#include <new>
#include <vector>

namespace {
using namespace boost::numeric;
using namespace boost::numeric::interval_lib;

using plain = interval<double>;
using protected_math =
    interval<double, policies<save_state<rounded_transc_opp<double>>, checking_strict<double>>>;
using fast_rounding = rounded_transc_opp<double>;
using fast = interval<double, policies<save_state<fast_rounding>, checking_base<double>>>;
using unprotected = unprotect<fast>::type;

enum { DEFAULT, UNPROTECTED };

template <class I> struct arrays {
    std::vector<I> a, b, r;
};

struct boost_state {
    const interval_job *job;
    arrays<plain> plain_arrays;
    arrays<protected_math> math_arrays;
    arrays<unprotected> fast_arrays;
};

template <class I> void fill(const interval_job *job, arrays<I> &s)
{
    for (int i = 0; i < INTERVAL_COUNT; ++i) {
        s.a.push_back(I(job->a[i].lo, job->a[i].hi));
        s.b.push_back(I(job->b[i].lo, job->b[i].hi));
        s.r.push_back(I(0));
    }
}

template <class I, class F> double each(arrays<I> &s, F f)
{
    I *r = s.r.data();
    const I *a = s.a.data(), *b = s.b.data();
    for (int i = 0; i < INTERVAL_COUNT; ++i)
        r[i] = f(a[i], b[i]);
    return r[INTERVAL_COUNT - 1].upper();
}

template <class I> __attribute__((noinline)) double arithmetic(arrays<I> &s, interval_op op)
{
    switch (op) {
    case INTERVAL_ADD: return each(s, [](const I &a, const I &b) { return a + b; });
    case INTERVAL_SUB: return each(s, [](const I &a, const I &b) { return a - b; });
    case INTERVAL_MUL: return each(s, [](const I &a, const I &b) { return a * b; });
    case INTERVAL_DIV: return each(s, [](const I &a, const I &b) { return a / b; });
    default: return each(s, [](const I &a, const I &) { return sqrt(a); });
    }
}

template <class I> __attribute__((noinline)) double elementary(arrays<I> &s, interval_op op)
{
    switch (op) {
    case INTERVAL_EXP: return each(s, [](const I &a, const I &) { return exp(a); });
    case INTERVAL_LOG: return each(s, [](const I &a, const I &) { return log(a); });
    case INTERVAL_SIN: return each(s, [](const I &a, const I &) { return sin(a); });
    case INTERVAL_COS: return each(s, [](const I &a, const I &) { return cos(a); });
    default: return each(s, [](const I &a, const I &) { return atan(a); });
    }
}

void *prepare(void *data, int)
{
    boost_state *s = new boost_state;
    s->job = static_cast<const interval_job *>(data);
    fill(s->job, s->plain_arrays);
    fill(s->job, s->math_arrays);
    fill(s->job, s->fast_arrays);
    return s;
}

double run(void *state, int which)
{
    boost_state *s = static_cast<boost_state *>(state);
    const interval_op op = s->job->op;
    if (which == DEFAULT)
        return op <= INTERVAL_SQRT ? arithmetic(s->plain_arrays, op) : elementary(s->math_arrays, op);
    const fast::traits_type::rounding mode; // upward until the end of this scope
    (void)mode;
    return op <= INTERVAL_SQRT ? arithmetic(s->fast_arrays, op) : elementary(s->fast_arrays, op);
}

template <class I> uint64_t judge(const interval_job *job, const arrays<I> &s)
{
    std::vector<interval_ends> found;
    for (const I &r : s.r)
        found.push_back({ r.lower(), r.upper() });
    return interval_judge(job, found.data());
}

uint64_t wrong(void *state, int which)
{
    boost_state *s = static_cast<boost_state *>(state);
    if (which == UNPROTECTED)
        return judge(s->job, s->fast_arrays);
    return s->job->op <= INTERVAL_SQRT ? judge(s->job, s->plain_arrays) : judge(s->job, s->math_arrays);
}

void finish(void *state, int)
{
    delete static_cast<boost_state *>(state);
}
} // namespace

int interval_contenders_boost(bench_contender *out)
{
    static const char *const names[] = { "Boost.Interval default", "Boost.Interval unprotected" };
    for (int i = 0; i < 2; ++i)
        out[i] = { names[i], i, prepare, run, wrong, nullptr, finish };
    return 2;
}
