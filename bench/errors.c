/* SPDX-License-Identifier: MIT */
/* How far abut and its peers are off on pairs with known answers: two bodies of about 20 cm that
 * touch along a direction, then 2 mm apart or 2 mm into each other, for every pair of types; and
 * the same at 1e-4 to 1e4 of that size. The table holds the largest relative error at 20 cm and
 * that at any size. Each contender runs in a process of its own, since some abort and some do
 * not come back. */
#include "contender_abut.h"
#include "program.h"
#include "referee.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define PAIRS   32
#define SCALES  5
#define SECONDS 20

static const double scales[SCALES] = { 1, 1e-4, 1e-2, 1e2, 1e4 };

static const bench_body_type types[] = { BENCH_SPHERE, BENCH_BOX,       BENCH_CAPSULE, BENCH_CYLINDER,
                                         BENCH_CONE,   BENCH_ELLIPSOID, BENCH_HULL };
static const char *const type_names[] = {
    "sphere", "box", "capsule", "cylinder", "cone", "ellipsoid", "hull"
};
#define TYPES (sizeof types / sizeof types[0])

/* What decides which peers can take part. */
static bench_class class_of(bench_body_type a, bench_body_type b)
{
    if (a == BENCH_ELLIPSOID || b == BENCH_ELLIPSOID)
        return BENCH_CLASS_ELLIPSOID;
    if (a == BENCH_CONE || b == BENCH_CONE)
        return BENCH_CLASS_CONE;
    return BENCH_CLASS_BOX;
}

/* ---- the pairs ---- */

/* The hulls of W1 at another size. */
static const bench_hull *hulls_at(int scale)
{
    static bench_hull *made[SCALES];
    if (made[scale])
        return made[scale];
    const bench_hull *from = bench_pairs_get(BENCH_CLASS_HULL32)->hulls;
    made[scale] = bench_alloc(BENCH_HULLS, sizeof *made[scale]);
    for (size_t h = 0; h < BENCH_HULLS; ++h) {
        made[scale][h] = from[h];
        made[scale][h].points = bench_alloc(from[h].point_count, sizeof *from[h].points);
        for (size_t i = 0; i < from[h].point_count; ++i)
            for (int k = 0; k < 3; ++k)
                made[scale][h].points[i][k] = .1 * scales[scale] * from[h].points[i][k];
    }
    return made[scale];
}

static bench_body draw_body(bench_random *r, bench_body_type type, int scale)
{
    bench_body body = { .type = type };
    for (int i = 0; i < 3; ++i)
        body.size[i] = scales[scale] * bench_uniform(r, .05, .15);
    if (type == BENCH_HULL)
        body.hull = &hulls_at(scale)[bench_bits(r) % BENCH_HULLS];
    return body;
}

/* Half of them along an axis of a or b, where faces and edges meet. */
static void draw_normal(bench_random *r, const bench_pair *p, double n[3])
{
    bench_direction(r, n);
    const uint64_t bits = bench_bits(r);
    if (bits & 1)
        return;
    const bench_place *place = bits & 2 ? &p->place_a : &p->place_b;
    for (int i = 0; i < 3; ++i)
        n[i] = place->rotation[i][(bits >> 2) % 3];
}

static void make_pairs(bench_pairs *set, bench_body_type a, bench_body_type b, int scale, bool deep)
{
    bench_random r = { 3000 + 100 * (uint64_t)a + 10 * (uint64_t)b + (uint64_t)scale };
    *set = (bench_pairs){ .which = class_of(a, b), .hulls = (bench_hull *)(uintptr_t)hulls_at(scale) };
    set->pairs = bench_alloc(PAIRS, sizeof *set->pairs);
    set->overlap = bench_alloc(PAIRS, sizeof *set->overlap);
    set->distance = bench_alloc(PAIRS, sizeof *set->distance);
    set->depth = bench_alloc(PAIRS, sizeof *set->depth);
    while (set->count < PAIRS) {
        bench_pair *p = &set->pairs[set->count];
        double n[3];
        p->a = draw_body(&r, a, scale);
        p->b = draw_body(&r, b, scale);
        bench_rotation(&r, &p->place_a);
        bench_rotation(&r, &p->place_b);
        draw_normal(&r, p, n);
        bench_referee_touch(p, n, (deep ? -.002 : .002) * scales[scale]);
        const double gap = bench_referee_gap(p, n);
        if (fabs(gap) < .0005 * scales[scale])
            continue; /* moved along an edge: neither apart nor in */
        set->overlap[set->count] = gap < 0;
        set->distance[set->count] = fmax(gap, 0);
        set->depth[set->count++] = fmax(-gap, 0);
    }
}

/* ---- running ---- */

/* Largest relative error on a set; infinite when an answer is missing, negative when the
 * contender does not take part. */
static double error_on(const bench_contender *c, const bench_pairs *set, bench_query query)
{
    bench_rest job = { .query = query, .set = set };
    job.index = bench_alloc(set->count, sizeof *job.index);
    for (size_t i = 0; i < set->count; ++i)
        if (set->overlap[i] == (query == BENCH_DEPTH))
            job.index[job.count++] = i;
    void *state = c->prepare(&job, c->variant);
    if (!state)
        return -1;
    c->run(state, c->variant);
    const bench_answers *answers = state;
    double worst = 0;
    for (size_t i = 0; i < job.count; ++i) {
        const double truth = query == BENCH_DEPTH ? set->depth[job.index[i]] : set->distance[job.index[i]];
        const double error = fabs(answers->value[i] - truth) / truth;
        worst = error <= worst ? worst : isnan(error) ? HUGE_VAL : error;
    }
    c->finish(state, c->variant);
    free(job.index);
    return worst;
}

/* In a child: at 20 cm, then the worst of all sizes. False when it died or was killed. */
static bool run_apart(const bench_contender *c, const bench_pairs *sets, bench_query query, double out[2])
{
    int ends[2];
    if (pipe(ends) != 0)
        return false;
    fflush(NULL);
    const pid_t child = fork();
    if (child == 0) {
        alarm(SECONDS);
        double found[2] = { error_on(c, &sets[0], query), 0 };
        found[1] = found[0];
        for (int s = 1; s < SCALES; ++s)
            found[1] = fmax(found[1], error_on(c, &sets[s], query));
        const bool written = write(ends[1], found, sizeof found) == (ssize_t)sizeof found;
        _exit(written ? 0 : 1);
    }
    close(ends[1]);
    const bool read_all = child > 0 && read(ends[0], out, 2 * sizeof *out) == (ssize_t)(2 * sizeof *out);
    close(ends[0]);
    if (child > 0)
        waitpid(child, NULL, 0);
    return read_all;
}

static int contenders(bench_query query, bench_class which, bench_contender *out)
{
    int used = 0;
    out[used++] = bench_abut_rest(query, BENCH_ABUT_COLD);
#ifdef BENCH_HAVE_CCD
    used += bench_ccd_rest(query, which, out + used, BENCH_PEERS - used);
#endif
#ifdef BENCH_HAVE_FCL
    used += bench_fcl_rest(query, which, out + used, BENCH_PEERS - used);
#endif
#ifdef BENCH_HAVE_BULLET
    used += bench_bullet_rest(query, which, out + used, BENCH_PEERS - used);
    if (bench_bullet_double())
        used += bench_bullet_double()->rest(query, which, out + used, BENCH_PEERS - used);
#endif
#ifdef BENCH_HAVE_ODE
    used += bench_ode_rest(query, which, out + used, BENCH_PEERS - used);
#endif
    (void)which;
    return used;
}

static bool is_warm(const bench_contender *c)
{
    const size_t length = strlen(c->name);
    return length > 5 && strcmp(c->name + length - 5, " warm") == 0;
}

static void print_error(FILE *out, double error)
{
    if (isinf(error))
        fprintf(out, "fails");
    else
        fprintf(out, "%.0e", error);
}

static void print_row(FILE *out, bench_query query, size_t i, size_t k, const bench_contender *columns,
                      int column_count)
{
    bench_pairs sets[SCALES];
    for (int s = 0; s < SCALES; ++s)
        make_pairs(&sets[s], types[i], types[k], s, query == BENCH_DEPTH);
    bench_contender who[BENCH_PEERS + 1];
    const int count = contenders(query, class_of(types[i], types[k]), who);
    fprintf(out, "| %s, %s |", type_names[i], type_names[k]);
    for (int c = 0; c < column_count; ++c) {
        if (is_warm(&columns[c]))
            continue;
        int at = 0;
        while (at < count && strcmp(who[at].name, columns[c].name) != 0)
            ++at;
        double found[2] = { -1, -1 };
        if (at < count && !run_apart(&who[at], sets, query, found)) {
            fprintf(out, " dies or hangs |");
        } else if (found[0] < 0) {
            fprintf(out, " - |");
        } else {
            fprintf(out, " ");
            print_error(out, found[0]);
            fprintf(out, ", ");
            print_error(out, found[1]);
            fprintf(out, " |");
        }
    }
    fprintf(out, "\n");
    fflush(out);
    for (int s = 0; s < SCALES; ++s) {
        free(sets[s].pairs);
        free(sets[s].overlap);
        free(sets[s].distance);
        free(sets[s].depth);
    }
}

void bench_print_errors(FILE *out)
{
    static const bench_query queries[] = { BENCH_DISTANCE, BENCH_DEPTH };
    for (int q = 0; q < 2; ++q) {
        bench_contender columns[BENCH_PEERS + 1];
        const int count = contenders(queries[q], BENCH_CLASS_BOX, columns);
        fprintf(out, "\n### Relative error of the %s\n\n| bodies |", q == 0 ? "distance" : "depth");
        for (int c = 0; c < count; ++c)
            if (!is_warm(&columns[c]))
                fprintf(out, " `%s` |", columns[c].name);
        fprintf(out, "\n|---|");
        for (int c = 0; c < count; ++c)
            if (!is_warm(&columns[c]))
                fprintf(out, "---|");
        fprintf(out, "\n");
        for (size_t i = 0; i < TYPES; ++i)
            for (size_t k = i; k < TYPES; ++k)
                print_row(out, queries[q], i, k, columns, count);
    }
}
