// SPDX-License-Identifier: MIT What contenders in C++ have in common: a state that begins with its answers and
// frees them, and bodies and places of all pairs or sweeps, made before the clock starts.
#ifndef BENCH_PEER_STATE_H
#define BENCH_PEER_STATE_H

#include "peers.h"

#include <vector>

struct Answered {
    bench_answers answers;

    Answered(const void *job, size_t count)
    {
        bench_answers_init(&answers, job, count);
    }
    ~Answered()
    {
        bench_answers_clear(&answers);
    }
    Answered(const Answered &) = delete;
    Answered &operator=(const Answered &) = delete;
};

template <class State> void finish(void *state, int)
{
    delete static_cast<State *>(state);
}

// Peer has Body, Place, and static make_hull(bench_hull), make(bench_body, hulls in the workload, hulls made),
// make(bench_place).
template <class Peer> std::vector<typename Peer::Body> make_hulls(const bench_hull *hulls)
{
    std::vector<typename Peer::Body> out;
    for (int i = 0; hulls && i < BENCH_HULLS; ++i)
        out.push_back(Peer::make_hull(hulls[i]));
    return out;
}

template <class Peer> struct Rest : Answered {
    std::vector<typename Peer::Body> a, b;
    std::vector<typename Peer::Place> at_a, at_b;

    explicit Rest(const bench_rest *job) : Answered(job, job->count)
    {
        const auto hulls = make_hulls<Peer>(job->set->hulls);
        for (size_t i = 0; i < job->count; ++i) {
            const bench_pair &p = job->set->pairs[job->index[i]];
            a.push_back(Peer::make(p.a, job->set->hulls, hulls));
            b.push_back(Peer::make(p.b, job->set->hulls, hulls));
            at_a.push_back(Peer::make(p.place_a));
            at_b.push_back(Peer::make(p.place_b));
        }
    }
};

// Places at the start and at the end.
template <class Peer> struct Moving : Answered {
    std::vector<typename Peer::Body> a, b;
    std::vector<typename Peer::Place> a0, a1, b0, b1;

    explicit Moving(const bench_moving *job) : Answered(job, job->count)
    {
        const auto hulls = make_hulls<Peer>(job->set->hulls);
        for (size_t i = 0; i < job->count; ++i) {
            const bench_sweep &w = job->set->sweeps[i];
            bench_place end_a, end_b;
            bench_sweep_at(&w.place_a, w.linear_a, w.angular_a, 1, &end_a);
            bench_sweep_at(&w.place_b, w.linear_b, w.angular_b, 1, &end_b);
            a.push_back(Peer::make(w.a, job->set->hulls, hulls));
            b.push_back(Peer::make(w.b, job->set->hulls, hulls));
            a0.push_back(Peer::make(w.place_a));
            a1.push_back(Peer::make(end_a));
            b0.push_back(Peer::make(w.place_b));
            b1.push_back(Peer::make(end_b));
        }
    }
};

#endif
