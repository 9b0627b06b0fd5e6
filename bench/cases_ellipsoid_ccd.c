/* SPDX-License-Identifier: MIT */
/* Ellipsoids that move and deform: all intervals of contact and the first contact under affine
 * motions of degree 1 to 4, first contacts under nlerp by each method, motions that run
 * independently. No peer has any of this but rigid first contacts (W6). The scene of four
 * intervals has the size of the example of the paper, which took 3.7 ms. Judged in long double:
 * just outside each reported end the bodies are apart, just inside they are not, by the greatest
 * value over u of u (1 - u) d^T adj(S) d / det S. */
#include "abut/abut.h"
#include "bench.h"

#include <math.h>
#include <stdlib.h>

enum { PAIRS = 256, MOST = 16, FOUR = -1, NLERP = 0 };

typedef enum task { INTERVALS, FIRST, INDEPENDENT } task;

typedef struct setting {
    const char *name;
    int degree; /* of affine motions; NLERP; FOUR: the scene */
    task what;
    abut_first_method method;
} setting;

typedef struct question {
    abut_shape *a, *b;
    abut_motion *move_a, *move_b;
    abut_contact_interval of[MOST];
    size_t count;
    abut_first_result first;
} question;

typedef struct job {
    const setting *set;
    size_t count;
    abut_counters work;
    uint64_t contacts;
    question q[PAIRS];
} job;

static double between(bench_random *r, double lo, double hi)
{
    return bench_uniform(r, lo, hi);
}

static abut_motion *make_affine(bench_random *r, int degree)
{
    abut_affine m[5];
    abut_motion *motion = NULL;
    for (int i = 0; i <= degree; ++i) {
        for (int k = 0; k < 9; ++k)
            m[i].linear.m[k / 3][k % 3] = (k % 4 == 0) + between(r, -0.5, 0.5);
        m[i].translation = (abut_vec3){ between(r, -2, 2), between(r, -2, 2), between(r, -2, 2) };
    }
    if (abut_motion_create_affine(0, 1, m, (size_t)degree + 1, NULL, &motion, NULL))
        abort();
    return motion;
}

static abut_placement random_placement(bench_random *r)
{
    return (abut_placement){ { between(r, -2, 2), between(r, -2, 2), between(r, -2, 2) },
                             { .kind = ABUT_ROTATION_QUATERNION,
                               .quaternion = { between(r, -1, 1), between(r, -1, 1), between(r, -1, 1),
                                               between(r, -1, 1) } } };
}

static abut_motion *make_nlerp(bench_random *r)
{
    const abut_placement from = random_placement(r), to = random_placement(r);
    abut_motion *motion = NULL;
    if (abut_motion_create_nlerp(0, 1, &from, &to, NULL, &motion, NULL))
        abort();
    return motion;
}

/* scenes/deforming_ellipsoids.json */
static abut_motion *make_four(int which)
{
    static const double rows[2][5][12] = { { { 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0 },
                                             { 1.4, 0.5, 0, 0.2, -0.4, 0.9, 0.2, 0, 0, 0.1, 1, 0.1 },
                                             { 0.5, -0.9, 0.3, -0.2, 0.8, 1.1, 0, 0.1, -0.2, 0, 1.3, 0 },
                                             { 1.2, 0.6, -0.3, 0.1, -0.5, 1.0, 0.3, -0.1, 0.2, -0.2, 0.8, 0 },
                                             { 1, -0.3, 0, 0, 0.2, 1, 0, 0, 0, 0, 1.1, 0 } },
                                           { { 1, 0, 0, 2.4, 0, 1, 0, -0.3, 0, 0, 1, 0 },
                                             { 0.8, 0.6, 0.1, -15, -0.7, 0.9, 0, 0.2, 0, 0.2, 1, 0.3 },
                                             { 1.3, -0.5, 0, 24.4, 0.9, 0.7, -0.3, 0.1, 0.1, 0, 1, -0.3 },
                                             { 0.7, 0.4, 0.2, -14.2, -0.6, 1.2, 0.1, 0.4, 0, -0.1, 1.2, 0.2 },
                                             { 1, 0.2, 0, 2.2, 0, 1, 0, 0.3, 0, 0, 0.9, 0 } } };
    abut_affine m[5];
    abut_motion *motion = NULL;
    for (int i = 0; i < 5; ++i) {
        const double *x = rows[which][i];
        for (int k = 0; k < 9; ++k)
            m[i].linear.m[k / 3][k % 3] = x[4 * (k / 3) + k % 3];
        m[i].translation = (abut_vec3){ x[3], x[7], x[11] };
    }
    if (abut_motion_create_affine(0, 1, m, 5, NULL, &motion, NULL))
        abort();
    return motion;
}

static void *setup(const bench_case *c, bool quick, uint64_t *questions)
{
    job *j = bench_alloc(1, sizeof *j);
    j->set = c->param;
    j->count = j->set->degree == FOUR ? 1 : j->set->what == INDEPENDENT ? 4 : quick ? 32 : PAIRS;
    bench_random r = { 6100 + (uint64_t)(j->set->degree + 1) };
    for (size_t i = 0; i < j->count; ++i) {
        question *q = &j->q[i];
        const bool four = j->set->degree == FOUR;
        abut_vec3 radii[2] = { { 0.6, 0.35, 0.45 }, { 0.5, 0.3, 0.4 } };
        for (int k = 0; k < 2 && !four; ++k)
            radii[k] = (abut_vec3){ between(&r, 0.2, 1), between(&r, 0.2, 1), between(&r, 0.2, 1) };
        if (abut_shape_create_ellipsoid(radii[0], NULL, &q->a) ||
            abut_shape_create_ellipsoid(radii[1], NULL, &q->b))
            abort();
        q->move_a = four                      ? make_four(0)
                    : j->set->degree == NLERP ? make_nlerp(&r)
                                              : make_affine(&r, j->set->degree);
        q->move_b = four                      ? make_four(1)
                    : j->set->degree == NLERP ? make_nlerp(&r)
                                              : make_affine(&r, j->set->degree);
    }
    *questions = j->count;
    return j;
}

static void teardown(void *data)
{
    job *j = data;
    for (size_t i = 0; i < j->count; ++i) {
        abut_shape_release(j->q[i].a);
        abut_shape_release(j->q[i].b);
        abut_motion_release(j->q[i].move_a);
        abut_motion_release(j->q[i].move_b);
    }
    free(j);
}

static double run_one(const setting *set, question *q, abut_counters *work)
{
    if (set->what == INDEPENDENT) {
        abut_cover_interval s[MOST], t[MOST];
        abut_extreme_point es[MOST], et[MOST];
        abut_independent_result r;
        q->count = 0;
        if (abut_independent_contact(q->a, q->move_a, q->b, q->move_b, NULL, NULL, s, MOST, t, MOST, es, MOST,
                                     et, MOST, &r))
            return 0;
        *work = r.counters;
        return (double)(r.s_count + r.t_count);
    }
    if (set->what == FIRST) {
        abut_first_opts opts;
        abut_first_opts_init(&opts);
        opts.method = set->method;
        q->count = 0;
        if (abut_first_contact(q->a, q->move_a, q->b, q->move_b, &opts, NULL, &q->first))
            return 0;
        *work = q->first.counters;
        return q->first.verdict == ABUT_FIRST_CONTACT ? q->first.time.lo : 0;
    }
    abut_intervals_result r;
    q->count = 0;
    if (abut_contact_intervals(q->a, q->move_a, q->b, q->move_b, NULL, NULL, q->of, MOST, &r) ||
        r.count > MOST)
        return 0;
    q->count = r.count;
    *work = r.counters;
    return (double)r.count;
}

static double run(void *state, int variant)
{
    (void)variant;
    job *j = state;
    double sum = 0;
    j->work = (abut_counters){ 0 };
    j->contacts = 0;
    for (size_t i = 0; i < j->count; ++i) {
        abut_counters work = { 0 };
        sum += run_one(j->set, &j->q[i], &work);
        j->work.iterations += work.iterations;
        j->work.evaluations += work.evaluations;
        j->contacts += j->set->what == FIRST ? j->q[i].first.verdict == ABUT_FIRST_CONTACT : j->q[i].count;
    }
    return sum;
}

/* The greatest value over u, less 1: the sign of the gap. */
static long double gap(const question *q, double t)
{
    abut_affine a, b;
    if (abut_ellipsoid_from_shape(q->a, q->move_a, t, &a) ||
        abut_ellipsoid_from_shape(q->b, q->move_b, t, &b))
        abort();
    const long double d[3] = { b.translation.x - a.translation.x, b.translation.y - a.translation.y,
                               b.translation.z - a.translation.z };
    long double most = -1;
    for (int n = 1; n < 2000; ++n) {
        const long double u = n / 2000.0L;
        long double s[3][3] = { { 0 } }, reach = 0, det = 0;
        for (int i = 0; i < 9; ++i)
            for (int k = 0; k < 3; ++k)
                s[i / 3][i % 3] += u * a.linear.m[i / 3][k] * a.linear.m[i % 3][k] +
                                   (1 - u) * b.linear.m[i / 3][k] * b.linear.m[i % 3][k];
        for (int i = 0; i < 9; ++i) {
            const int p = (i / 3 + 1) % 3, w = (i / 3 + 2) % 3, v = (i % 3 + 1) % 3, x = (i % 3 + 2) % 3;
            const long double minor = s[p][v] * s[w][x] - s[p][x] * s[w][v];
            reach += d[i / 3] * minor * d[i % 3];
            det += i < 3 ? s[0][i] * minor : 0;
        }
        most = fmaxl(most, u * (1 - u) * reach / det - 1);
    }
    return most;
}

static uint64_t wrong(void *state, int variant)
{
    (void)variant;
    const job *j = state;
    const double off = 1e-5;
    uint64_t bad = 0;
    for (size_t i = 0; i < j->count; ++i) {
        const question *q = &j->q[i];
        bool right = true;
        for (size_t k = 0; k < q->count; ++k) {
            const abut_contact_interval *c = &q->of[k];
            right = right && (c->enter.lo < off || gap(q, c->enter.lo - off) > -1e-6L) &&
                    gap(q, c->enter.hi) < 1e-6L &&
                    (c->exit.hi > 1 - off || gap(q, c->exit.hi + off) > -1e-6L);
        }
        if (j->set->what == FIRST && q->first.verdict == ABUT_FIRST_CONTACT)
            right = fabsl(gap(q, q->first.time.lo)) < 1e-5L;
        bad += !right;
    }
    return bad;
}

static void count(void *state, int variant, bench_counters *counters)
{
    (void)variant;
    const job *j = state;
    bench_count(counters, "iterations", (double)j->work.iterations / (double)j->count);
    bench_count(counters, "evaluations", (double)j->work.evaluations / (double)j->count);
    bench_count(counters, "contacts", (double)j->contacts / (double)j->count);
}

void bench_register_ellipsoid_ccd(void);
void bench_register_ellipsoid_ccd(void)
{
    static const setting settings[] = {
        { "deforming, 4 intervals", FOUR, INTERVALS, ABUT_METHOD_AUTO },
        { "deforming, first of 4", FOUR, FIRST, ABUT_METHOD_AUTO },
        { "affine 1, intervals", 1, INTERVALS, ABUT_METHOD_AUTO },
        { "affine 2, intervals", 2, INTERVALS, ABUT_METHOD_AUTO },
        { "affine 4, intervals", 4, INTERVALS, ABUT_METHOD_AUTO },
        { "affine 4, first", 4, FIRST, ABUT_METHOD_SHOOTING },
        { "affine 4, first sampled", 4, FIRST, ABUT_METHOD_SAMPLED },
        { "nlerp, intervals", NLERP, INTERVALS, ABUT_METHOD_AUTO },
        { "nlerp, first auto", NLERP, FIRST, ABUT_METHOD_AUTO },
        { "nlerp, first shooting", NLERP, FIRST, ABUT_METHOD_SHOOTING },
        { "nlerp, first sampled", NLERP, FIRST, ABUT_METHOD_SAMPLED },
        { "affine 2, independent", 2, INDEPENDENT, ABUT_METHOD_AUTO },
    };
    for (size_t i = 0; i < sizeof settings / sizeof *settings; ++i)
        bench_add(&(bench_case){ .family = "ellipsoid",
                                 .name = settings[i].name,
                                 .param = &settings[i],
                                 .setup = setup,
                                 .teardown = teardown,
                                 .abut = { .run = run, .wrong = wrong, .count = count } });
}
