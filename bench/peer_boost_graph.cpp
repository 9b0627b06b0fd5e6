// SPDX-License-Identifier: MIT
// Boost.Interval in a graph of nodes: each node is an object with a virtual function, knows its operands by pointer, and computes its
// value, gradient and second derivatives from theirs, once an evaluation. Two configurations, as in peer_boost_interval.cpp: as it comes, and with the
// rounding mode set once around everything.
#include "expression_case.h"

#include <boost/numeric/interval.hpp>

#include <memory>
#include <vector>

namespace {
using namespace boost::numeric;
using namespace boost::numeric::interval_lib;

using safe = interval<double, policies<save_state<rounded_transc_opp<double>>, checking_strict<double>>>;
using fast = interval<double, policies<save_state<rounded_transc_opp<double>>, checking_base<double>>>;
using unprotected = unprotect<fast>::type;

enum { DEFAULT, UNPROTECTED };
constexpr int first[6] = { 0, 0, 0, 1, 1, 2 }, second[6] = { 0, 1, 2, 1, 2, 2 };

template <class I> struct jet {
    I f, g[3], h[6];
};

template <class I> struct node {
    jet<I> j;
    int stamp = -1;
    virtual ~node() = default;
    virtual void compute(const I *box, int order, int now) = 0;
    const jet<I> &at(const I *box, int order, int now)
    {
        if (stamp != now) {
            stamp = now;
            compute(box, order, now);
        }
        return j;
    }
};

template <class I> struct number : node<I> {
    explicit number(double x)
    {
        this->j.f = I(x);
        for (I &g : this->j.g)
            g = I(0);
        for (I &h : this->j.h)
            h = I(0);
    }
    void compute(const I *, int, int) override
    {
    }
};

template <class I> struct variable : node<I> {
    int which;
    explicit variable(int i) : which(i)
    {
        for (int k = 0; k < 3; ++k)
            this->j.g[k] = I(k == i);
        for (I &h : this->j.h)
            h = I(0);
    }
    void compute(const I *box, int, int) override
    {
        this->j.f = box[which];
    }
};

template <class I> struct sum : node<I> {
    node<I> *a, *b;
    sum(node<I> *x, node<I> *y) : a(x), b(y)
    {
    }
    void compute(const I *box, int order, int now) override
    {
        const jet<I> &x = a->at(box, order, now), &y = b->at(box, order, now);
        this->j.f = x.f + y.f;
        for (int i = 0; order > 0 && i < 3; ++i)
            this->j.g[i] = x.g[i] + y.g[i];
        for (int k = 0; order > 1 && k < 6; ++k)
            this->j.h[k] = x.h[k] + y.h[k];
    }
};

template <class I> struct difference : node<I> {
    node<I> *a, *b;
    difference(node<I> *x, node<I> *y) : a(x), b(y)
    {
    }
    void compute(const I *box, int order, int now) override
    {
        const jet<I> &x = a->at(box, order, now), &y = b->at(box, order, now);
        this->j.f = x.f - y.f;
        for (int i = 0; order > 0 && i < 3; ++i)
            this->j.g[i] = x.g[i] - y.g[i];
        for (int k = 0; order > 1 && k < 6; ++k)
            this->j.h[k] = x.h[k] - y.h[k];
    }
};

template <class I> struct product : node<I> {
    node<I> *a, *b;
    product(node<I> *x, node<I> *y) : a(x), b(y)
    {
    }
    void compute(const I *box, int order, int now) override
    {
        const jet<I> &x = a->at(box, order, now), &y = b->at(box, order, now);
        this->j.f = x.f * y.f;
        for (int i = 0; order > 0 && i < 3; ++i)
            this->j.g[i] = x.f * y.g[i] + x.g[i] * y.f;
        for (int k = 0; order > 1 && k < 6; ++k)
            this->j.h[k] =
                x.f * y.h[k] + x.h[k] * y.f + x.g[first[k]] * y.g[second[k]] + x.g[second[k]] * y.g[first[k]];
    }
};

template <class I> struct wave : node<I> {
    node<I> *a;
    bool sine;
    wave(node<I> *x, bool s) : a(x), sine(s)
    {
    }
    void compute(const I *box, int order, int now) override
    {
        const jet<I> &x = a->at(box, order, now);
        const I s = sin(x.f), c = cos(x.f), d1 = sine ? c : -s, d2 = sine ? -s : -c;
        this->j.f = sine ? s : c;
        for (int i = 0; order > 0 && i < 3; ++i)
            this->j.g[i] = d1 * x.g[i];
        for (int k = 0; order > 1 && k < 6; ++k)
            this->j.h[k] = d1 * x.h[k] + d2 * (x.g[first[k]] * x.g[second[k]]);
    }
};

template <class I> struct graph {
    std::vector<std::unique_ptr<node<I>>> nodes;
    node<I> *roots[3];
    template <class N, class... A> node<I> *make(A... a)
    {
        nodes.push_back(std::make_unique<N>(a...));
        return nodes.back().get();
    }
    explicit graph(const expression_body &b)
    {
        node<I> *u = make<variable<I>>(0), *v = make<variable<I>>(1), *t = make<variable<I>>(2);
        const auto times = [&](node<I> *x, node<I> *y) { return make<product<I>>(x, y); };
        const auto plus = [&](node<I> *x, node<I> *y) { return make<sum<I>>(x, y); };
        const auto sine = [&](node<I> *x) { return make<wave<I>>(x, true); };
        const auto cosine = [&](node<I> *x) { return make<wave<I>>(x, false); };
        const auto value = [&](double x) { return make<number<I>>(x); };
        node<I> *bump = times(times(value(b.height), sine(times(value(b.k), u))), sine(times(value(b.l), v)));
        node<I> *r = plus(value(1), bump), *sv = sine(v), *wt = times(value(b.turn), t);
        node<I> *px = times(times(r, cosine(u)), sv), *py = times(times(r, sine(u)), sv);
        node<I> *st = sine(wt), *ct = cosine(wt);
        roots[0] = plus(make<difference<I>>(times(ct, px), times(st, py)), times(value(b.move[0]), t));
        roots[1] = plus(plus(times(st, px), times(ct, py)), times(value(b.move[1]), t));
        roots[2] = plus(times(r, cosine(v)), times(value(b.move[2]), t));
    }
};

template <class I> struct race {
    graph<I> one, two;
    std::vector<I> box, out;
    int now = 0;
    explicit race(const expression_job *job) : one(job->bodies[0]), two(job->bodies[1])
    {
        out.resize(EXPRESSION_BOXES * EXPRESSION_RESULTS);
        for (int i = 0; i < EXPRESSION_BOXES; ++i)
            for (int k = 0; k < 5; ++k)
                box.push_back(I(job->box[i][k].lo, job->box[i][k].hi));
    }
    void body(graph<I> &g, const I *b, int order, I *to)
    {
        const int stride = expression_stride(order);
        ++now;
        for (int i = 0; i < 3; ++i, to += stride) {
            const jet<I> &j = g.roots[i]->at(b, order, now);
            to[0] = j.f;
            for (int k = 0; order > 0 && k < 3; ++k)
                to[1 + k] = j.g[k];
            for (int k = 0; order > 1 && k < 6; ++k)
                to[4 + k] = j.h[k];
        }
    }
    __attribute__((noinline)) double run(int order)
    {
        double total = 0;
        for (int i = 0; i < EXPRESSION_BOXES; ++i) {
            const I *b = &box[5 * i];
            const I first_box[3] = { b[0], b[1], b[4] }, second_box[3] = { b[2], b[3], b[4] };
            I *to = &out[i * EXPRESSION_RESULTS];
            body(one, first_box, order, to);
            body(two, second_box, order, to + EXPRESSION_ROOTS * expression_stride(order));
            total += to[0].upper();
        }
        return total;
    }
    uint64_t judge(const expression_job *job) const
    {
        static interval_ends found[EXPRESSION_BOXES][EXPRESSION_RESULTS];
        for (int i = 0; i < EXPRESSION_BOXES; ++i)
            for (int k = 0; k < EXPRESSION_RESULTS; ++k) {
                const I &x = out[i * EXPRESSION_RESULTS + k];
                found[i][k] = { x.lower(), x.upper() };
            }
        return expression_judge(job, found);
    }
};

struct boost_state {
    const expression_job *job;
    race<safe> protected_race;
    race<unprotected> fast_race;
    explicit boost_state(const expression_job *j) : job(j), protected_race(j), fast_race(j)
    {
    }
};

void *prepare(void *data, int)
{
    return new boost_state(static_cast<const expression_job *>(data));
}

double run(void *state, int which)
{
    boost_state *s = static_cast<boost_state *>(state);
    if (which == DEFAULT)
        return s->protected_race.run(s->job->order);
    const fast::traits_type::rounding mode; // upward until the end of this scope
    (void)mode;
    return s->fast_race.run(s->job->order);
}

uint64_t wrong(void *state, int which)
{
    boost_state *s = static_cast<boost_state *>(state);
    return which == DEFAULT ? s->protected_race.judge(s->job) : s->fast_race.judge(s->job);
}

void finish(void *state, int)
{
    delete static_cast<boost_state *>(state);
}
} // namespace

int expression_contenders_boost(bench_contender *out)
{
    static const char *const names[] = { "Boost.Interval graph", "Boost.Interval graph unprotected" };
    for (int i = 0; i < 2; ++i)
        out[i] = { names[i], i, prepare, run, wrong, nullptr, finish };
    return 2;
}
