/* SPDX-License-Identifier: MIT */
/* Containment of jets, normals and fields of features in random boxes, against formulas in MPFR. */
#ifndef ABUT_TEST_SURFACE_CHECK_H
#define ABUT_TEST_SURFACE_CHECK_H

#include "oracle/surface_mpfr.h"
#include "shape/shape.h"
#include "support/test.h"
#include "surface/surface.h"

/* Not every test uses all. */
#define KERNEL static ABUT_NOINLINE __attribute__((unused))

/* What a kernel is asked and answers. */
typedef struct kernel_job {
    const abut_surface *surface;
    const abut_surface_feature *feature;
    abut_interval box[2], t, x[3];
    int order, field;
    abut_jet jet;
    abut_field_jet field_jet;
    ia3 normals[ABUT_FEATURE_MAX_NORMALS];
    abut_truth truth;
    bool defined;
    ia *scratch;
} kernel_job;

KERNEL void kernel_jet(kernel_job *j)
{
    const ia box[2] = { ia_from(j->box[0]), ia_from(j->box[1]) };
    j->defined = abut_feature_jet(j->surface, j->feature, box, ia_from(j->t), j->order, j->scratch, &j->jet);
}

KERNEL void kernel_normals(kernel_job *j)
{
    const ia box[2] = { ia_from(j->box[0]), ia_from(j->box[1]) };
    abut_feature_normals(j->surface, j->feature, box, ia_from(j->t), j->scratch, j->normals);
}

KERNEL void kernel_field(kernel_job *j)
{
    const ia3 x = { ia_from(j->x[0]), ia_from(j->x[1]), ia_from(j->x[2]) };
    j->defined = abut_feature_field(j->surface, j->feature, j->field, x, ia_from(j->t), j->order, j->scratch,
                                    &j->field_jet);
}

KERNEL void kernel_on(kernel_job *j)
{
    const ia3 x = { ia_from(j->x[0]), ia_from(j->x[1]), ia_from(j->x[2]) };
    j->truth = abut_feature_on(j->surface, j->feature, x, ia_from(j->t), j->scratch);
}

KERNEL void kernel_inside(kernel_job *j)
{
    const ia3 x = { ia_from(j->x[0]), ia_from(j->x[1]), ia_from(j->x[2]) };
    j->truth = abut_surface_inside(j->surface, x, ia_from(j->t), j->scratch);
}

KERNEL void kernel_bounds(kernel_job *j)
{
    j->jet.p = abut_surface_bounds(j->surface, ia_from(j->t), j->scratch);
}

static inline void run(void (*kernel)(kernel_job *), kernel_job *j)
{
    const abut_rounding saved = abut_rounding_enter();
    kernel(j);
    abut_rounding_leave(saved);
}

/* A surface with what it needs to be asked. */
typedef struct asked {
    abut_surface surface;
    abut_workspace ws;
    ia *scratch;
} asked;

static inline void ask(const abut_shape *shape, asked *out)
{
    abut_workspace_open(&out->ws, NULL);
    assert_int_equal(abut_shape_surface(shape, &out->ws, &out->surface), ABUT_OK);
    out->scratch = abut_workspace_take(&out->ws, out->surface.scratch + 1, sizeof *out->scratch);
    assert_non_null(out->scratch);
}

static inline void forget(asked *a)
{
    abut_workspace_close(&a->ws);
}

static inline ia part_of(const ia3 *a, int r)
{
    return r == 0 ? a->x : r == 1 ? a->y : a->z;
}

/* A random part of a range, as large as 2^-exponent of it or so, a point now and then; *at is in
 * it. */
static inline abut_interval random_part(test_random *r, abut_interval range, double *at)
{
    const double width = range.hi - range.lo;
    const double size = width * exp2(-test_uniform(r, 0, 40));
    double lo = test_uniform(r, range.lo, range.hi), hi = fmin(lo + size, range.hi);
    switch (test_below(r, 8)) {
    case 0: hi = lo; break;
    case 1: hi = lo = test_below(r, 2) ? range.lo : range.hi; break;
    case 2: lo = range.lo, hi = range.lo + size; break;
    case 3: hi = range.hi, lo = range.hi - size; break;
    case 4: lo = range.lo, hi = range.hi; break;
    default: break;
    }
    *at = fmin(fmax(test_below(r, 4) ? test_uniform(r, lo, hi) : test_below(r, 2) ? lo : hi, lo), hi);
    return (abut_interval){ lo, hi };
}

#define EXPECT_IN(what, x, enclosure, seed, feature)                                             \
    TEST_CHECK(oracle_within(x, ia_lo(enclosure), ia_hi(enclosure)),                             \
               "seed %" PRIu64 ", feature %zu: %s = %.20g not in [%a, %a]", seed, feature, what, \
               (double)mpfr_get_d(x, MPFR_RNDN), ia_lo(enclosure), ia_hi(enclosure))

/* Whether the normals of a face contain a positive multiple of +-(u x v); sign by the caller.
 * Factors k with k N in n: an interval. */
static inline bool contains_multiple(const num N[3], const ia3 *n, double sign)
{
    double least = 0, most = HUGE_VAL, size = 0;
    for (int i = 0; i < 3; ++i)
        size = fmax(size, fabs(mpfr_get_d(N[i], MPFR_RNDN)));
    if (size == 0)
        return true;
    for (int i = 0; i < 3; ++i) {
        const double c = sign * mpfr_get_d(N[i], MPFR_RNDN) / size;
        const ia a = part_of(n, i);
        const double slack = 1e-14 * (ia_mag(n->x) + ia_mag(n->y) + ia_mag(n->z));
        const double lo = ia_lo(a) - slack, hi = ia_hi(a) + slack;
        if (fabs(c) < 1e-14) {
            if (lo > 0 || hi < 0)
                return false;
            continue;
        }
        least = fmax(least, c > 0 ? lo / c : hi / c);
        most = fmin(most, c > 0 ? hi / c : lo / c);
    }
    return least <= most && most > 0;
}

/* One random box of a feature: the point, its derivatives and normal. map: x, y, z of u, v, t. */
static inline void check_jet(const asked *a, size_t feature, oracle_map_fn map, const void *ctx,
                             abut_interval time, double normal_sign, uint64_t seed)
{
    test_random r = test_seed(seed);
    const abut_surface_feature *f = &a->surface.features[feature];
    kernel_job j = { .surface = &a->surface, .feature = f, .order = 2, .scratch = a->scratch };
    double at[3] = { 0, 0, 0 };
    for (int i = 0; i < f->dimension; ++i)
        j.box[i] = random_part(&r, f->range[i], &at[i]);
    j.t = random_part(&r, time, &at[2]);
    oracle_jet o[3];
    oracle_derive(map, ctx, 3, 3, at, o);
    run(kernel_jet, &j);
    const abut_jet second = j.jet;
    j.order = (int)test_below(&r, 2);
    run(kernel_jet, &j); /* lower orders say nothing else, though perhaps less tightly */
    for (int k = 0; k < 3; ++k) {
        EXPECT_IN("p", o[k].value, part_of(&j.jet.p, k), seed, feature);
        EXPECT_IN("p", o[k].value, part_of(&second.p, k), seed, feature);
        if (j.order >= 1) {
            EXPECT_IN("u", o[k].first[0], part_of(&j.jet.u, k), seed, feature);
            EXPECT_IN("v", o[k].first[1], part_of(&j.jet.v, k), seed, feature);
        }
        EXPECT_IN("u", o[k].first[0], part_of(&second.u, k), seed, feature);
        EXPECT_IN("v", o[k].first[1], part_of(&second.v, k), seed, feature);
        EXPECT_IN("t", o[k].first[2], part_of(&second.t, k), seed, feature);
        EXPECT_IN("uu", o[k].second[0][0], part_of(&second.uu, k), seed, feature);
        EXPECT_IN("uv", o[k].second[0][1], part_of(&second.uv, k), seed, feature);
        EXPECT_IN("vv", o[k].second[1][1], part_of(&second.vv, k), seed, feature);
        EXPECT_IN("ut", o[k].second[0][2], part_of(&second.ut, k), seed, feature);
        EXPECT_IN("vt", o[k].second[1][2], part_of(&second.vt, k), seed, feature);
    }
    if (f->dimension < 2)
        return;
    num n[3];
    for (int k = 0; k < 3; ++k)
        n[k] = o_sub(o_mul(o[(k + 1) % 3].first[0], o[(k + 2) % 3].first[1]),
                     o_mul(o[(k + 2) % 3].first[0], o[(k + 1) % 3].first[1]));
    /* close to a pole, and a little beyond, the cross product says nothing */
    double around = 0, change = 0;
    for (int k = 0; k < 3; ++k) {
        around = fmax(around, fabs(mpfr_get_d(o[k].first[0], MPFR_RNDN)));
        change = fmax(change, fabs(mpfr_get_d(o[k].second[0][1], MPFR_RNDN)));
        change = fmax(change, fabs(mpfr_get_d(o[k].value, MPFR_RNDN)));
    }
    if (around <= 1e-13 * change)
        return;
    TEST_CHECK(contains_multiple(n, &second.n, normal_sign),
               "seed %" PRIu64
               ", feature %zu: normal (%g %g %g) at %a, %a not in [%g, %g], [%g, %g], [%g, %g]",
               seed, feature, mpfr_get_d(n[0], MPFR_RNDN), mpfr_get_d(n[1], MPFR_RNDN),
               mpfr_get_d(n[2], MPFR_RNDN), at[0], at[1], ia_lo(second.n.x), ia_hi(second.n.x),
               ia_lo(second.n.y), ia_hi(second.n.y), ia_lo(second.n.z), ia_hi(second.n.z));
    run(kernel_normals, &j);
    TEST_CHECK(contains_multiple(n, &j.normals[0], normal_sign), "seed %" PRIu64 ", feature %zu: normals",
               seed, feature);
}

/* n, nu, nv, nt are of one function: differences of n between points are in the derivatives over
 * the box between them. */
static inline void check_normal_slopes(const asked *a, size_t feature, abut_interval time, uint64_t seed)
{
    test_random r = test_seed(seed ^ 0x5a5a);
    const abut_surface_feature *f = &a->surface.features[feature];
    kernel_job j = { .surface = &a->surface, .feature = f, .order = 2, .scratch = a->scratch };
    double at[2][3];
    ia3 n[2];
    double at_unused;
    for (int i = 0; i < 2; ++i)
        j.box[i] = random_part(&r, f->range[i], &at_unused);
    j.t = random_part(&r, time, &at_unused);
    run(kernel_jet, &j);
    const abut_jet over = j.jet;
    const abut_interval box[3] = { j.box[0], j.box[1], j.t };
    for (int k = 0; k < 2; ++k) {
        for (int i = 0; i < 3; ++i)
            at[k][i] = fmin(fmax(test_uniform(&r, box[i].lo, box[i].hi), box[i].lo), box[i].hi);
        for (int i = 0; i < 2; ++i)
            j.box[i] = (abut_interval){ at[k][i], at[k][i] };
        j.t = (abut_interval){ at[k][2], at[k][2] };
        run(kernel_jet, &j);
        n[k] = j.jet.n;
    }
    for (int i = 0; i < 3; ++i) {
        double lo = 0, hi = 0;
        const ia slope[3] = { part_of(&over.nu, i), part_of(&over.nv, i), part_of(&over.nt, i) };
        for (int k = 0; k < 3; ++k) {
            const double d = at[1][k] - at[0][k];
            if (d == 0)
                continue;
            lo += d > 0 ? d * ia_lo(slope[k]) : d * ia_hi(slope[k]);
            hi += d > 0 ? d * ia_hi(slope[k]) : d * ia_lo(slope[k]);
        }
        const ia from = part_of(&n[0], i), to = part_of(&n[1], i);
        const double slack = 1e-13 * (1 + ia_mag(from) + ia_mag(to) + fabs(lo) + fabs(hi));
        TEST_CHECK(ia_lo(to) - ia_hi(from) <= hi + slack && ia_hi(to) - ia_lo(from) >= lo - slack,
                   "seed %" PRIu64 ", feature %zu: slope of n[%d]: %g .. %g, at most %g .. %g", seed, feature,
                   i, ia_lo(to) - ia_hi(from), ia_hi(to) - ia_lo(from), lo, hi);
    }
}

/* One random box of space: field i of a feature and its derivatives. map: f of x, y, z, t. */
static inline void check_field(const asked *a, size_t feature, int field, oracle_map_fn map, const void *ctx,
                               const abut_interval space[3], abut_interval time, uint64_t seed)
{
    test_random r = test_seed(seed ^ 0xf1e1d);
    kernel_job j = { .surface = &a->surface,
                     .feature = &a->surface.features[feature],
                     .order = 2,
                     .field = field,
                     .scratch = a->scratch };
    double at[4];
    for (int i = 0; i < 3; ++i)
        j.x[i] = random_part(&r, space[i], &at[i]);
    j.t = random_part(&r, time, &at[3]);
    oracle_jet o;
    oracle_derive(map, ctx, 4, 1, at, &o);
    run(kernel_field, &j);
    const abut_field_jet *w = &j.field_jet;
    EXPECT_IN("f", o.value, w->f, seed, feature);
    if (!j.defined)
        return;
    EXPECT_IN("f_t", o.first[3], w->t, seed, feature);
    for (int i = 0, k = 0; i < 3; ++i) {
        EXPECT_IN("gradient", o.first[i], part_of(&w->g, i), seed, feature);
        EXPECT_IN("gradient_t", o.second[i][3], part_of(&w->gt, i), seed, feature);
        for (int l = i; l < 3; ++l, ++k)
            EXPECT_IN("hessian", o.second[i][l], w->h[k], seed, feature);
    }
    j.order = 0;
    run(kernel_field, &j);
    EXPECT_IN("f", o.value, w->f, seed, feature);
}

static inline size_t count_kind(const abut_surface *s, abut_feature kind)
{
    size_t count = 0;
    for (size_t i = 0; i < s->feature_count; ++i)
        count += s->features[i].kind == kind;
    return count;
}

static inline void expect_counts(const abut_surface *s, size_t faces, size_t edges, size_t vertices)
{
    TEST_CHECK(count_kind(s, ABUT_FEATURE_FACE) == faces && count_kind(s, ABUT_FEATURE_EDGE) == edges &&
                   count_kind(s, ABUT_FEATURE_VERTEX) == vertices,
               "%zu faces, %zu edges, %zu vertices", count_kind(s, ABUT_FEATURE_FACE),
               count_kind(s, ABUT_FEATURE_EDGE), count_kind(s, ABUT_FEATURE_VERTEX));
}

#endif
