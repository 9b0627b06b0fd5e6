/* SPDX-License-Identifier: MIT */
/* Pairs of ellipsoids at rest beyond W1 to W4: their relation, by their maps; batches; and both
 * against the bare arithmetic of the method, the 149 multiplications and divisions that Choi et
 * al. count (seed paper, section 3 and appendix A): poses to the characteristic polynomial and
 * its Sturm sequence, in doubles, without any proof. */
#include "abut/abut.h"
#include "peers.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef enum how { RELATE, BATCH, OVERLAP } how;

typedef struct state {
    bench_answers answers; /* first: judge.c reads it */
    size_t count;
    abut_affine *maps;       /* 2 a pair */
    abut_ellipsoid_set *set; /* of them */
    uint32_t *pairs;
    uint8_t *verdicts;
    abut_pose *poses;
    abut_mat3 *turns;
    abut_vec3 *radii;
    abut_shape **shapes;
    abut_counters work;
} state;

static void *setup(const bench_case *c, bool quick, uint64_t *questions)
{
    bench_rest *job = bench_alloc(1, sizeof *job);
    job->query = BENCH_BOOLEAN;
    job->set = bench_pairs_get(c->number % 2 ? BENCH_CLASS_ELLIPSOID_ASP10 : BENCH_CLASS_ELLIPSOID);
    job->count = quick ? 256 : job->set->count;
    job->index = bench_alloc(job->count, sizeof *job->index);
    for (size_t i = 0; i < job->count; ++i)
        job->index[i] = i;
    *questions = job->count;
    return job;
}

static void teardown(void *data)
{
    bench_rest *job = data;
    free(job->index);
    free(job);
}

static void finish(void *data, int variant)
{
    (void)variant;
    state *s = data;
    for (size_t i = 0; i < 2 * s->count; ++i)
        abut_shape_release(s->shapes[i]);
    abut_ellipsoid_set_destroy(s->set);
    free(s->maps);
    free(s->pairs);
    free(s->verdicts);
    free(s->poses);
    free(s->turns);
    free(s->radii);
    free(s->shapes);
    bench_answers_clear(&s->answers);
    free(s);
}

static void *prepare(void *data, int variant)
{
    (void)variant;
    const bench_rest *job = data;
    const size_t bodies = 2 * job->count;
    state *s = bench_alloc(1, sizeof *s);
    bench_answers_init(&s->answers, job, job->count);
    s->count = job->count;
    s->maps = bench_alloc(bodies, sizeof *s->maps);
    s->pairs = bench_alloc(bodies, sizeof *s->pairs);
    s->verdicts = bench_alloc(job->count, 1);
    s->poses = bench_alloc(bodies, sizeof *s->poses);
    s->turns = bench_alloc(bodies, sizeof *s->turns);
    s->radii = bench_alloc(bodies, sizeof *s->radii);
    s->shapes = bench_alloc(bodies, sizeof(abut_shape *));
    if (abut_ellipsoid_set_create(bodies, NULL, &s->set))
        abort();
    for (size_t i = 0; i < bodies; ++i) {
        const bench_pair *p = &job->set->pairs[job->index[i / 2]];
        const bench_place *place = i % 2 ? &p->place_b : &p->place_a;
        const double *r = (i % 2 ? &p->b : &p->a)->size, *q = place->quaternion;
        s->poses[i] = (abut_pose){ { place->position[0], place->position[1], place->position[2] },
                                   { q[0], q[1], q[2], q[3] } };
        s->radii[i] = (abut_vec3){ r[0], r[1], r[2] };
        s->maps[i] = abut_affine_from_pose(s->poses[i]);
        s->turns[i] = s->maps[i].linear;
        for (int e = 0; e < 9; ++e)
            s->maps[i].linear.m[e / 3][e % 3] *= r[e % 3];
        s->pairs[i] = (uint32_t)i;
        if (abut_ellipsoid_set_pose(s->set, i, s->radii[i], &s->poses[i]) ||
            abut_shape_create_ellipsoid(s->radii[i], NULL, &s->shapes[i]))
            abort();
    }
    return s;
}

static double run(void *data, int variant)
{
    state *s = data;
    s->work = (abut_counters){ 0 };
    if (variant == BATCH) {
        (void)abut_ellipsoid_set_test(s->set, s->pairs, s->count, s->verdicts, &s->work);
        for (size_t i = 0; i < s->count; ++i)
            s->answers.value[i] = s->verdicts[i] != ABUT_SEPARATE;
    } else if (variant == RELATE) {
        for (size_t i = 0; i < s->count; ++i) {
            abut_ellipsoid_result r;
            (void)abut_ellipsoid_relate(&s->maps[2 * i], &s->maps[2 * i + 1], &r);
            s->answers.value[i] = r.relation != ABUT_ELLIPSOIDS_SEPARATE;
            s->work.exact += r.counters.exact;
        }
    } else
        for (size_t i = 0; i < s->count; ++i) {
            abut_overlap_result r;
            (void)abut_overlap(s->shapes[2 * i], &s->poses[2 * i], s->shapes[2 * i + 1], &s->poses[2 * i + 1],
                               NULL, NULL, &r);
            s->answers.value[i] = r.verdict != ABUT_SEPARATE;
            s->work.exact += r.counters.exact;
        }
    return bench_answers_sum(&s->answers, s->count);
}

static void count(void *data, int variant, bench_counters *out)
{
    (void)variant;
    const state *s = data;
    bench_count(out, "exact", (double)s->work.exact / (double)s->count);
    bench_count(out, "left", (double)s->work.iterations / (double)s->count);
}

/* ---- the bare arithmetic ---- */

static int changes(const double v[5])
{
    int n = 0;
    double last = 0;
    for (int i = 0; i < 5; ++i) {
        if (v[i] == 0)
            continue;
        n += last * v[i] < 0;
        last = v[i];
    }
    return n;
}

/* Negative roots of A x^4 + B x^3 + C x^2 + D x + E: 21 multiplications and divisions. */
static int negative_roots(double A, double B, double C, double D, double E)
{
    const double a = 4 * A, b = 3 * B, c = 2 * C, d = D;
    /* -(p0 mod p1) */
    double q = A / a, r = (B - q * b) / a;
    const double e = r * b - (C - q * c), f = r * c - (D - q * d), g = r * d - E;
    q = a / e;
    r = (b - q * f) / e;
    const double h = r * f - (c - q * g), i = r * g - d;
    q = e / h;
    r = (f - q * i) / h;
    const double k = r * i - g;
    const double below[5] = { A, -a, e, -h, k }, zero[5] = { E, d, g, i, k };
    return changes(below) - changes(zero);
}

static bool bare_separate(const abut_mat3 *ra, abut_vec3 ca, abut_vec3 ea, double ab, double ac, double bc,
                          double abc, const abut_mat3 *rb, abut_vec3 cb, abut_vec3 eb, double constant)
{
    double n[3][4], m[3][4], b[4][4];
    const double *x = rb->m[0], *y = rb->m[1], *z = rb->m[2];
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j)
            n[i][j] = x[i] * ra->m[0][j] + y[i] * ra->m[1][j] + z[i] * ra->m[2][j];
        const double back = x[i] * cb.x + y[i] * cb.y + z[i] * cb.z;
        n[i][3] = x[i] * ca.x + y[i] * ca.y + z[i] * ca.z - back;
    }
    const double e[3] = { eb.x, eb.y, eb.z };
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 4; ++j)
            m[i][j] = e[i] * n[i][j];
    for (int i = 0; i < 4; ++i)
        for (int j = i; j < 4; ++j)
            b[i][j] = n[0][i] * m[0][j] + n[1][i] * m[1][j] + n[2][i] * m[2][j];
    b[3][3] -= 1;
    const double b11 = b[0][0], b22 = b[1][1], b33 = b[2][2], b44 = b[3][3], b12 = b[0][1], b13 = b[0][2],
                 b14 = b[0][3], b23 = b[1][2], b24 = b[1][3], b34 = b[2][3];
    const double b2233 = b22 * b33, b12s = b12 * b12, b13s = b13 * b13, b14s = b14 * b14, b23s = b23 * b23,
                 b24s = b24 * b24, b34s = b34 * b34;
    const double term_a = b11 * bc + b22 * ac + b33 * ab,
                 term_b = b2233 * ea.x + b11 * (b33 * ea.y + b22 * ea.z),
                 term_c = b23s * ea.x + b13s * ea.y + b12s * ea.z;
    const double B = term_a - b44 * abc;
    const double C = term_a * b44 - term_b + term_c - b34s * ab - b14s * bc - b24s * ac;
    const double t1 = (term_b - term_c) * b44, t2 = b11 * (b2233 + ea.y * b34s + ea.z * b24s - b23s),
                 t3 = b22 * (ea.x * b34s + ea.z * b14s - b13s), t4 = b33 * (ea.x * b24s + ea.y * b14s - b12s);
    const double t5 = b34 * (ea.x * b23 * b24 + ea.y * b13 * b14) + b12 * (ea.z * b14 * b24 - b13 * b23);
    const double D = t2 + t3 + t4 - t1 - (t5 + t5);
    return negative_roots(-abc, B, C, D, constant) == 2;
}

typedef struct bare_state {
    bench_answers answers; /* first */
    size_t count;
    const state *from;
    abut_vec3 *inverse;    /* 1 / r^2 of each body: what the paper's matrices hold */
    double (*products)[4]; /* of them by twos, and of all */
} bare_state;

static void bare_finish(void *data, int variant)
{
    bare_state *s = data;
    state *from = (state *)(uintptr_t)s->from;
    finish(from, variant);
    free(s->inverse);
    free(s->products);
    bench_answers_clear(&s->answers);
    free(s);
}

static void *bare_prepare(void *data, int variant)
{
    const bench_rest *job = data;
    bare_state *s = bench_alloc(1, sizeof *s);
    bench_answers_init(&s->answers, job, job->count);
    s->count = job->count;
    s->from = prepare(data, variant);
    s->inverse = bench_alloc(2 * job->count, sizeof *s->inverse);
    s->products = bench_alloc(2 * job->count, sizeof *s->products);
    for (size_t i = 0; i < 2 * job->count; ++i) {
        const abut_vec3 r = s->from->radii[i], e = { 1 / (r.x * r.x), 1 / (r.y * r.y), 1 / (r.z * r.z) };
        s->inverse[i] = e;
        s->products[i][0] = e.x * e.y;
        s->products[i][1] = e.x * e.z;
        s->products[i][2] = e.y * e.z;
        s->products[i][3] = e.x * e.y * e.z;
    }
    return s;
}

static double bare_run(void *data, int variant)
{
    (void)variant;
    bare_state *s = data;
    const state *f = s->from;
    for (size_t i = 0; i < s->count; ++i) {
        const size_t a = 2 * i, b = a + 1;
        const double *p = s->products[a];
        s->answers.value[i] =
            !bare_separate(&f->turns[a], f->poses[a].position, s->inverse[a], p[0], p[1], p[2], p[3],
                           &f->turns[b], f->poses[b].position, s->inverse[b], -s->products[b][3]);
    }
    return bench_answers_sum(&s->answers, s->count);
}

static void add(how what, int asp10, bool against_bare)
{
    static const char *const names[] = { "relate", "batch", "overlap" }, *const calls[] = {
        "abut_ellipsoid_relate", "abut_ellipsoid_set_test", "abut_overlap"
    };
    char name[80];
    snprintf(name, sizeof name, "W%d %s%s %s", asp10 ? 4 : 1, names[what],
             against_bare ? ", bare arithmetic:" : "",
             bench_class_name(asp10 ? BENCH_CLASS_ELLIPSOID_ASP10 : BENCH_CLASS_ELLIPSOID));
    char *kept = bench_alloc(strlen(name) + 1, 1);
    bench_case c = { .family = "ellipsoid",
                     .name = strcpy(kept, name),
                     .number = asp10,
                     .setup = setup,
                     .teardown = teardown,
                     .abut = { .name = calls[what],
                               .variant = what,
                               .prepare = prepare,
                               .run = run,
                               .wrong = bench_rest_wrong,
                               .count = count,
                               .finish = finish } };
    int used = 0;
    if (against_bare)
        c.peers[used++] = (bench_contender){ .name = "149 multiplications, no proof",
                                             .prepare = bare_prepare,
                                             .run = bare_run,
                                             .wrong = bench_rest_wrong,
                                             .finish = bare_finish };
#ifdef BENCH_HAVE_CCD
    else
        used += bench_ccd_rest(BENCH_BOOLEAN, asp10 ? BENCH_CLASS_ELLIPSOID_ASP10 : BENCH_CLASS_ELLIPSOID,
                               c.peers, BENCH_PEERS);
#endif
#ifdef BENCH_HAVE_FCL
    if (!against_bare)
        used += bench_fcl_rest(BENCH_BOOLEAN, asp10 ? BENCH_CLASS_ELLIPSOID_ASP10 : BENCH_CLASS_ELLIPSOID,
                               c.peers + used, BENCH_PEERS - used);
#endif
    (void)used;
    bench_add(&c);
}

void bench_register_ellipsoid(void);
void bench_register_ellipsoid(void)
{
    for (int asp10 = 0; asp10 < 2; ++asp10) {
        add(RELATE, asp10, false);
        add(BATCH, asp10, false);
        add(RELATE, asp10, true);
        add(OVERLAP, asp10, true);
        add(BATCH, asp10, true);
    }
}
