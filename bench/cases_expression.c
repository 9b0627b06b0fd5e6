/* SPDX-License-Identifier: MIT */
/* One inclusion evaluation of a bumpy pair: positions of both surfaces with first and second
 * derivatives by u, v, t, over boxes.
 *
 * abut: the tape of the text. Peers: the same by hand in C, with the same interval type and
 * every product shared that a careful programmer sees; Boost.Interval in a graph of nodes with
 * virtual functions (peer_boost_graph.cpp). The referee is a forward mode in long double at the
 * middle of each box. */
#include "expression_case.h"

#include "expr/tape.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#if !defined(BENCH_HAVE_BOOST)
int expression_contenders_boost(bench_contender *out)
{
    (void)out;
    return 0;
}
#endif

/* ---- the referee ---- */

typedef struct truth {
    long double f, g[3], h[6]; /* uu uv ut vv vt tt */
} truth;

static const int first[6] = { 0, 0, 0, 1, 1, 2 }, second[6] = { 0, 1, 2, 1, 2, 2 };

static truth truth_number(long double x)
{
    return (truth){ x, { 0 }, { 0 } };
}

static truth truth_plus(truth a, truth b)
{
    a.f += b.f;
    for (int i = 0; i < 3; ++i)
        a.g[i] += b.g[i];
    for (int k = 0; k < 6; ++k)
        a.h[k] += b.h[k];
    return a;
}

static truth truth_times(truth a, truth b)
{
    truth r = truth_number(a.f * b.f);
    for (int i = 0; i < 3; ++i)
        r.g[i] = a.f * b.g[i] + a.g[i] * b.f;
    for (int k = 0; k < 6; ++k)
        r.h[k] =
            a.f * b.h[k] + a.h[k] * b.f + a.g[first[k]] * b.g[second[k]] + a.g[second[k]] * b.g[first[k]];
    return r;
}

static truth truth_function(truth a, long double f, long double d1, long double d2)
{
    truth r = truth_number(f);
    for (int i = 0; i < 3; ++i)
        r.g[i] = d1 * a.g[i];
    for (int k = 0; k < 6; ++k)
        r.h[k] = d1 * a.h[k] + d2 * a.g[first[k]] * a.g[second[k]];
    return r;
}

static truth truth_sin(truth a)
{
    return truth_function(a, sinl(a.f), cosl(a.f), -sinl(a.f));
}

static truth truth_cos(truth a)
{
    return truth_function(a, cosl(a.f), -sinl(a.f), -cosl(a.f));
}

static void truth_body(const expression_body *b, const double at[3], double *out, int order)
{
    truth x[3], p[3];
    for (int i = 0; i < 3; ++i) {
        x[i] = truth_number(at[i]);
        x[i].g[i] = 1;
    }
    const truth bump = truth_times(truth_sin(truth_times(truth_number(b->k), x[0])),
                                   truth_sin(truth_times(truth_number(b->l), x[1])));
    const truth r = truth_plus(truth_number(1), truth_times(truth_number(b->height), bump));
    const truth flat = truth_times(r, truth_sin(x[1])), turn = truth_times(truth_number(b->turn), x[2]);
    const truth px = truth_times(flat, truth_cos(x[0])), py = truth_times(flat, truth_sin(x[0]));
    p[0] = truth_plus(truth_times(truth_cos(turn), px),
                      truth_times(truth_number(-1), truth_times(truth_sin(turn), py)));
    p[1] = truth_plus(truth_times(truth_sin(turn), px), truth_times(truth_cos(turn), py));
    p[2] = truth_times(r, truth_cos(x[1]));
    for (int i = 0; i < 3; ++i) {
        p[i] = truth_plus(p[i], truth_times(truth_number(b->move[i]), x[2]));
        const long double all[10] = { p[i].f,    p[i].g[0], p[i].g[1], p[i].g[2], p[i].h[0],
                                      p[i].h[1], p[i].h[2], p[i].h[3], p[i].h[4], p[i].h[5] };
        for (int k = 0; k < expression_stride(order); ++k)
            out[i * expression_stride(order) + k] = (double)all[k];
    }
}

uint64_t expression_judge(const expression_job *job, interval_ends (*found)[EXPRESSION_RESULTS])
{
    uint64_t wrong = 0;
    const int count = 2 * EXPRESSION_ROOTS * expression_stride(job->order);
    for (int i = 0; i < EXPRESSION_BOXES; ++i) {
        bool right = true;
        for (int k = 0; k < count; ++k) {
            /* of rounding the truth to double */
            const double slack = 1e-15 * (1 + fabs(job->truth[i][k]));
            right = right && found[i][k].lo <= job->truth[i][k] + slack &&
                    found[i][k].hi >= job->truth[i][k] - slack;
        }
        wrong += !right;
    }
    return wrong;
}

static void *setup(const bench_case *c, bool quick, uint64_t *questions)
{
    (void)quick;
    expression_job *job = bench_alloc(1, sizeof *job);
    bench_random r = { 77 };
    job->order = c->number;
    job->bodies[0] = (expression_body){ 0.2, 3, 4, 1, { 0.5, 0, 0.25 } };
    job->bodies[1] = (expression_body){ 0.15, 5, 3, -0.75, { -0.5, 0.125, 0 } };
    const double from[5] = { 0, 0.1, 0, 0.1, 0 }, to[5] = { 6.2, 3, 6.2, 3, 1 };
    for (int i = 0; i < EXPRESSION_BOXES; ++i) {
        const double size = exp2(bench_uniform(&r, -20, -1)); /* as a subdivision meets them */
        for (int k = 0; k < 5; ++k) {
            const double lo = bench_uniform(&r, from[k], to[k]), hi = lo + size * bench_uniform(&r, 0.5, 1);
            job->box[i][k] = (interval_ends){ lo, hi };
            job->middle[i][k] = 0.5 * (lo + hi);
        }
        const double *m = job->middle[i];
        truth_body(&job->bodies[0], (const double[3]){ m[0], m[1], m[4] }, job->truth[i], job->order);
        truth_body(&job->bodies[1], (const double[3]){ m[2], m[3], m[4] },
                   job->truth[i] + EXPRESSION_ROOTS * expression_stride(job->order), job->order);
    }
    *questions = EXPRESSION_BOXES;
    return job;
}

/* ---- abut and C by hand ---- */

enum { TAPE, BY_HAND };

typedef struct state {
    const expression_job *job;
    ia box[EXPRESSION_BOXES][5], out[EXPRESSION_BOXES][EXPRESSION_RESULTS];
    abut_tape *tapes[2];
    ia *scratch;
} state;

static abut_tape *tape_of(const expression_body *b)
{
    char text[3][200], r[100];
    abut_expr *expr;
    abut_tape *tape = NULL;
    snprintf(r, sizeof r, "1 + %.17g*sin(%.17g*u)*sin(%.17g*v)", b->height, b->k, b->l);
    snprintf(text[0], sizeof text[0], "cos(%.17g*t)*px - sin(%.17g*t)*py + %.17g*t", b->turn, b->turn,
             b->move[0]);
    snprintf(text[1], sizeof text[1], "sin(%.17g*t)*px + cos(%.17g*t)*py + %.17g*t", b->turn, b->turn,
             b->move[1]);
    snprintf(text[2], sizeof text[2], "r*cos(v) + %.17g*t", b->move[2]);
    const abut_expr_source lets[] = { { "r", r }, { "px", "r*cos(u)*sin(v)" }, { "py", "r*sin(u)*sin(v)" } };
    const abut_expr_source roots[] = { { "x", text[0] }, { "y", text[1] }, { "z", text[2] } };
    const char *const variables[] = { "u", "v", "t" };
    if (abut_expr_parse(roots, 3, variables, 3, lets, 3, NULL, &expr, NULL) == ABUT_OK) {
        (void)abut_tape_compile(expr, NULL, &tape);
        abut_expr_destroy(expr);
    }
    return tape;
}

static void *prepare(void *data, int which)
{
    (void)which;
    state *s = aligned_alloc(64, (sizeof *s + 63) / 64 * 64);
    if (!s)
        return NULL;
    s->job = data;
    size_t most = 1;
    for (int i = 0; i < 2; ++i) {
        s->tapes[i] = tape_of(&s->job->bodies[i]);
        if (!s->tapes[i])
            return NULL;
        const size_t scratch = abut_tape_scratch(s->tapes[i], s->job->order);
        most = scratch > most ? scratch : most;
    }
    s->scratch = aligned_alloc(16, most * sizeof(ia));
    for (int i = 0; i < EXPRESSION_BOXES; ++i)
        for (int k = 0; k < 5; ++k)
            s->box[i][k] = ia_make(s->job->box[i][k].lo, s->job->box[i][k].hi);
    return s->scratch ? s : NULL;
}

static ABUT_NOINLINE void run_tapes(state *s)
{
    const int half = EXPRESSION_ROOTS * expression_stride(s->job->order);
    for (int i = 0; i < EXPRESSION_BOXES; ++i) {
        const ia *b = s->box[i], one[3] = { b[0], b[1], b[4] }, two[3] = { b[2], b[3], b[4] };
        (void)abut_tape_enclose(s->tapes[0], one, s->job->order, s->scratch, s->out[i]);
        (void)abut_tape_enclose(s->tapes[1], two, s->job->order, s->scratch, s->out[i] + half);
    }
}

/* a b + c d */
static inline ia dot2(ia a, ia b, ia c, ia d)
{
    return ia_add(ia_mul(a, b), ia_mul(c, d));
}

/* Turns (x, y): out[0] = c x - s y, out[1] = s x + c y. */
static inline void turned(ia c, ia s, ia x, ia y, ia out[2])
{
    out[0] = ia_sub(ia_mul(c, x), ia_mul(s, y));
    out[1] = ia_add(ia_mul(s, x), ia_mul(c, y));
}

static inline void by_hand(const expression_body *b, ia u, ia v, ia t, int order, ia *out)
{
    const double k = b->k, l = b->l, w = b->turn;
    const ia ku = ia_scale(k, u), lv = ia_scale(l, v), wt = ia_scale(w, t);
    ia sk, ck, sl, cl, su, cu, sv, cv, st, ct;
    ia_sin_cos(u, &su, &cu);
    ia_sin_cos(v, &sv, &cv);
    ia_sin_cos(wt, &st, &ct);
    if (order == 0) {
        sk = ia_sin(ku);
        sl = ia_sin(lv);
    } else {
        ia_sin_cos(ku, &sk, &ck);
        ia_sin_cos(lv, &sl, &cl);
    }
    const ia bump = ia_mul(ia_scale(b->height, sk), sl), r = ia_add(ia_point(1), bump);
    const ia nx = ia_mul(cu, sv), ny = ia_mul(su, sv);
    const int stride = expression_stride(order);
    ia *const ox = out, *const oy = out + stride, *const oz = out + 2 * stride;
    ia p[2];
    turned(ct, st, ia_mul(r, nx), ia_mul(r, ny), p);
    ox[0] = ia_add(p[0], ia_scale(b->move[0], t));
    oy[0] = ia_add(p[1], ia_scale(b->move[1], t));
    oz[0] = ia_add(ia_mul(r, cv), ia_scale(b->move[2], t));
    if (order == 0)
        return;
    const ia lc = ia_scale(l, cl), hk = ia_scale(b->height, ia_scale(k, ck)), hl = ia_scale(b->height, lc);
    const ia ru = ia_mul(hk, sl), rv = ia_mul(sk, hl), mx = ia_mul(cu, cv), my = ia_mul(su, cv);
    ia pu[2], pv[2];
    turned(ct, st, ia_sub(ia_mul(ru, nx), ia_mul(r, ny)), dot2(ru, ny, r, nx), pu);
    turned(ct, st, dot2(rv, nx, r, mx), dot2(rv, ny, r, my), pv);
    ox[1] = pu[0];
    oy[1] = pu[1];
    oz[1] = ia_mul(ru, cv);
    ox[2] = pv[0];
    oy[2] = pv[1];
    oz[2] = ia_sub(ia_mul(rv, cv), ia_mul(r, sv));
    ox[3] = ia_sub(ia_point(b->move[0]), ia_scale(w, p[1]));
    oy[3] = ia_add(ia_point(b->move[1]), ia_scale(w, p[0]));
    oz[3] = ia_point(b->move[2]);
    if (order == 1)
        return;
    const ia ruu = ia_scale(-k * k, bump), rvv = ia_scale(-l * l, bump), ruv = ia_mul(hk, lc);
    const ia du = ia_sub(ruu, r), dv = ia_sub(rvv, r), ru2 = ia_scale(2, ru), rv2 = ia_scale(2, rv);
    ia q[2];
    turned(ct, st, ia_sub(ia_mul(du, nx), ia_mul(ru2, ny)), dot2(du, ny, ru2, nx), q);
    ox[4] = q[0];
    oy[4] = q[1];
    oz[4] = ia_mul(ruu, cv);
    turned(ct, st, ia_sub(dot2(ruv, nx, ru, mx), dot2(rv, ny, r, my)),
           ia_add(dot2(ruv, ny, ru, my), dot2(rv, nx, r, mx)), q);
    ox[5] = q[0];
    oy[5] = q[1];
    oz[5] = ia_sub(ia_mul(ruv, cv), ia_mul(ru, sv));
    ox[6] = ia_scale(-w, pu[1]);
    oy[6] = ia_scale(w, pu[0]);
    oz[6] = ia_point(0);
    turned(ct, st, dot2(dv, nx, rv2, mx), dot2(dv, ny, rv2, my), q);
    ox[7] = q[0];
    oy[7] = q[1];
    oz[7] = ia_sub(ia_mul(dv, cv), ia_mul(rv2, sv));
    ox[8] = ia_scale(-w, pv[1]);
    oy[8] = ia_scale(w, pv[0]);
    oz[8] = ia_point(0);
    ox[9] = ia_scale(-w * w, p[0]);
    oy[9] = ia_scale(-w * w, p[1]);
    oz[9] = ia_point(0);
}

/* The order known to the compiler. */
#define HAND(name, order)                                                     \
    static ABUT_NOINLINE void name(state *s)                                  \
    {                                                                         \
        for (int i = 0; i < EXPRESSION_BOXES; ++i) {                          \
            const ia *b = s->box[i];                                          \
            by_hand(&s->job->bodies[0], b[0], b[1], b[4], order, s->out[i]);  \
            by_hand(&s->job->bodies[1], b[2], b[3], b[4], order,              \
                    s->out[i] + EXPRESSION_ROOTS * expression_stride(order)); \
        }                                                                     \
    }
HAND(hand_0, 0)
HAND(hand_1, 1)
HAND(hand_2, 2)

static double run(void *of, int which)
{
    state *s = of;
    const abut_rounding saved = abut_rounding_enter();
    if (which == TAPE)
        run_tapes(s);
    else if (s->job->order == 0)
        hand_0(s);
    else if (s->job->order == 1)
        hand_1(s);
    else
        hand_2(s);
    abut_rounding_leave(saved);
    double sum = 0;
    for (int i = 0; i < EXPRESSION_BOXES; ++i)
        sum += ia_hi(s->out[i][0]);
    return sum;
}

static uint64_t wrong(void *of, int which)
{
    static interval_ends found[EXPRESSION_BOXES][EXPRESSION_RESULTS];
    state *s = of;
    (void)which;
    for (int i = 0; i < EXPRESSION_BOXES; ++i)
        for (int k = 0; k < 2 * EXPRESSION_ROOTS * expression_stride(s->job->order); ++k)
            found[i][k] = (interval_ends){ ia_lo(s->out[i][k]), ia_hi(s->out[i][k]) };
    return expression_judge(s->job, found);
}

/* Mean width of the results. */
static void count(void *of, int which, bench_counters *counters)
{
    state *s = of;
    double sum = 0;
    (void)which;
    const int results = 2 * EXPRESSION_ROOTS * expression_stride(s->job->order);
    for (int i = 0; i < EXPRESSION_BOXES; ++i)
        for (int k = 0; k < results; ++k)
            sum += ia_hi(s->out[i][k]) - ia_lo(s->out[i][k]);
    bench_count(counters, "width", sum / (EXPRESSION_BOXES * results));
}

static void finish(void *of, int which)
{
    state *s = of;
    (void)which;
    abut_tape_destroy(s->tapes[0]);
    abut_tape_destroy(s->tapes[1]);
    free(s->scratch);
    free(s);
}

void bench_register_expression(void);
void bench_register_expression(void)
{
    static const char *const names[3] = { "bumpy pair, values", "bumpy pair, first derivatives",
                                          "bumpy pair, second derivatives" };
    for (int order = 0; order < 3; ++order) {
        bench_case c = {
            .family = "expression", .name = names[order], .number = order, .setup = setup, .teardown = free
        };
        c.abut = (bench_contender){ .name = "abut",
                                    .variant = TAPE,
                                    .prepare = prepare,
                                    .run = run,
                                    .wrong = wrong,
                                    .count = count,
                                    .finish = finish };
        c.peers[0] = c.abut;
        c.peers[0].name = "C by hand";
        c.peers[0].variant = BY_HAND;
        expression_contenders_boost(c.peers + 1);
        bench_add(&c);
    }
}
