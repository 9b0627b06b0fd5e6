/* SPDX-License-Identifier: MIT */
/* Bodies that translate (ccd/slide.h), judged by certified gaps in long double at times before,
 * between and after: no contact missed, late or invented, times as narrow as they are promised.
 * Random passes, and what is hard for a portal, a plane that climbs, or a quadratic: passes that
 * graze by a few parts in 2^40, lines through the centres, along edges and faces, axes that are
 * parallel or square, flat hulls, needles and plates, tiny and huge, starts far away. */
#include "abut/query.h"
#include "oracle/convex_pair.h"
#include "support/places.h"

enum { MOST_POINTS = 40 };

extern int abut_linear_cast_force_plain; /* ccd/slide.h */

static double length(abut_vec3 a)
{
    return hypot(hypot(a.x, a.y), a.z);
}

static abut_vec3 madd(abut_vec3 a, double s, abut_vec3 b)
{
    return v3(a.x + s * b.x, a.y + s * b.y, a.z + s * b.z);
}

typedef struct body {
    abut_shape *shape;
    oracle_body oracle;
    abut_vec3 points[MOST_POINTS];
    abut_quat turn;
    abut_vec3 from, rate;
    abut_motion *motion;
} body;

static void make_hull(test_random *r, abut_vec3 h, body *out)
{
    oracle_body *o = &out->oracle;
    const unsigned style = test_below(r, 4);
    o->core = ORACLE_CORE_POINTS;
    o->points = out->points;
    o->count = style == 0 ? 3 : 4 + test_below(r, MOST_POINTS - 4);
    o->flat = style == 0;
    for (size_t i = 0; i < o->count; ++i) {
        abut_vec3 p = random_vec3(r, 1);
        const double far = length(p);
        if (style == 1) /* on an ellipsoid */
            p = v3(p.x / far, p.y / far, p.z / far);
        if (style == 2) /* corners, edges and faces of a grid */
            p = v3((double)test_below(r, 3) - 1, (double)test_below(r, 3) - 1, (double)test_below(r, 3) - 1);
        out->points[i] = v3(h.x * p.x, h.y * p.y, h.z * p.z);
    }
    if (style == 2) /* of some volume */
        for (size_t i = 0; i < 4; ++i)
            out->points[i] = v3(i == 1 ? h.x : -h.x, i == 2 ? h.y : -h.y, i == 3 ? h.z : -h.z);
    assert_int_equal(abut_shape_create_convex(out->points, o->count, 0, NULL, &out->shape, NULL), ABUT_OK);
}

static void make_body(test_random *r, unsigned kind, double size, body *out)
{
    oracle_body *o = &out->oracle;
    memset(out, 0, sizeof *out);
    const double thin = test_below(r, 4) ? 3 : 14;
    const double x = size * exp2(-test_uniform(r, 0, thin)), y = size * exp2(-test_uniform(r, 0, thin)),
                 z = size * exp2(-test_uniform(r, 0, thin));
    abut_status status = ABUT_OK;
    o->h = v3(x, y, z);
    o->points = out->points;
    switch (kind) {
    case 0:
        o->core = ORACLE_CORE_BOX;
        status = abut_shape_create_box(o->h, NULL, &out->shape);
        break;
    case 1:
        o->core = ORACLE_CORE_CYLINDER;
        status = abut_shape_create_cylinder(x, 2 * z, NULL, &out->shape);
        break;
    case 2:
        o->core = ORACLE_CORE_CONE;
        status = abut_shape_create_cone(x, 2 * z, NULL, &out->shape);
        break;
    case 3:
        o->core = ORACLE_CORE_POINTS;
        out->points[0] = v3(0, 0, -z);
        out->points[1] = v3(0, 0, z);
        o->count = 2;
        o->radius = x;
        status = abut_shape_create_capsule(x, 2 * z, NULL, &out->shape);
        break;
    default: make_hull(r, o->h, out);
    }
    assert_int_equal(status, ABUT_OK);
}

static abut_quat draw_turn(test_random *r, bool aligned)
{
    static const abut_quat along[] = {
        { 1, 0, 0, 0 }, { 1, 1, 0, 0 }, { 1, 0, 1, 0 }, { 1, 0, 0, 1 }, { 0, 1, 0, 0 }
    };
    if (aligned)
        return along[test_below(r, 5)];
    return (abut_quat){ test_uniform(r, -1, 1), test_uniform(r, -1, 1), test_uniform(r, -1, 1),
                        test_uniform(r, -1, 1) };
}

typedef struct trial {
    body a, b;
    double tolerance;
} trial;

static oracle_convex pair_at(const trial *c, double t)
{
    return (oracle_convex){ &c->a.oracle,
                            &c->b.oracle,
                            { madd(c->a.from, t, c->a.rate), c->a.turn },
                            { madd(c->b.from, t, c->b.rate), c->b.turn } };
}

/* 1: clearly apart, -1: clearly overlapping, 0: within rounding of touching. */
static int judge(const trial *c, double t, long double *gap)
{
    const oracle_convex pair = pair_at(c, t);
    const oracle_gap g = oracle_convex_gap(&pair, NULL, 0, ORACLE_QUICK, c->tolerance, INFINITY);
    *gap = g.lo;
    if (g.lo > c->tolerance)
        return 1;
    const oracle_gap h = oracle_convex_gap(&pair, NULL, 0, ORACLE_QUICK, -INFINITY, -c->tolerance);
    *gap = h.hi;
    return h.hi < -c->tolerance ? -1 : 0;
}

static void judge_first(const trial *c, const abut_first_result *r, uint64_t seed)
{
    enum { SAMPLES = 8 };
    const double before = r->verdict == ABUT_FIRST_SEPARATE ? INFINITY : r->time.lo;
    long double gap;
    for (int k = 0; k <= SAMPLES; ++k) {
        const double t = (double)k / SAMPLES;
        if (t < before)
            TEST_CHECK(judge(c, t, &gap) != -1, "seed %" PRIu64 ": overlap at %a missed, first %a, gap %Lg",
                       seed, t, before, gap);
    }
    if (r->verdict == ABUT_FIRST_SEPARATE)
        return;
    for (int k = 1; k < 20; k += 2) { /* late by as little? */
        const double t = r->time.lo - pow(10, -k);
        if (t >= 0)
            TEST_CHECK(judge(c, t, &gap) != -1, "seed %" PRIu64 ": overlap at %a before %a, gap %Lg", seed, t,
                       r->time.lo, gap);
    }
    if (r->verdict != ABUT_FIRST_UNDECIDED)
        TEST_CHECK(judge(c, r->time.hi, &gap) != 1, "seed %" PRIu64 ": invented contact at %a, gap %Lg", seed,
                   r->time.hi, gap);
}

/* One stretch of contact at most, from the first contact on; nothing after it. Returns how wide
 * its end is. */
static double judge_intervals(const trial *c, const abut_first_result *first, uint64_t seed)
{
    abut_contact_interval met[2];
    abut_intervals_result r;
    long double gap;
    TEST_CHECK(abut_contact_intervals(c->a.shape, c->a.motion, c->b.shape, c->b.motion, NULL, NULL, met, 2,
                                      &r) == ABUT_OK,
               "seed %" PRIu64, seed);
    if (r.proof != ABUT_PROOF_INTERVAL && r.proof != ABUT_PROOF_EXACT)
        return 0;
    TEST_CHECK(r.count <= 1, "seed %" PRIu64 ": %zu stretches", seed, r.count);
    if (first->verdict != ABUT_FIRST_UNDECIDED)
        TEST_CHECK((r.count == 0) == (first->verdict == ABUT_FIRST_SEPARATE), "seed %" PRIu64, seed);
    if (r.count == 0)
        return 0;
    if (first->verdict == ABUT_FIRST_CONTACT)
        TEST_CHECK(met[0].enter.lo <= first->time.hi && first->time.lo <= met[0].enter.hi,
                   "seed %" PRIu64 ": enters in [%a, %a], first [%a, %a]", seed, met[0].enter.lo,
                   met[0].enter.hi, first->time.lo, first->time.hi);
    TEST_CHECK(judge(c, met[0].enter.hi, &gap) != 1 && judge(c, met[0].exit.lo, &gap) != 1,
               "seed %" PRIu64 ": apart in the stretch, gap %Lg", seed, gap);
    for (int k = 1; k < 20; k += 2) {
        const double t = met[0].exit.hi + pow(10, -k);
        if (t <= 1)
            TEST_CHECK(judge(c, t, &gap) != -1, "seed %" PRIu64 ": overlap at %a after %a, gap %Lg", seed, t,
                       met[0].exit.hi, gap);
    }
    return met[0].exit.hi - met[0].exit.lo;
}

/* The way of b past a: `way` there and back again, beside the line through the centres by `off`. */
static void make_pass(test_random *r, double size, bool aligned, trial *c)
{
    abut_vec3 go = random_vec3(r, 1);
    if (aligned)
        go = v3(test_below(r, 3) == 0, test_below(r, 3) == 0, 1);
    const double far = length(go), way = size * (test_below(r, 5) ? 6 : exp2(test_uniform(r, 3, 20)));
    go = v3(go.x / far, go.y / far, go.z / far);
    abut_vec3 off = random_vec3(r, 1.5 * size);
    const unsigned style = test_below(r, 4);
    if (style == 0) /* through the centres */
        off = v3(0, 0, 0);
    c->a.from = test_below(r, 2) ? v3(0, 0, 0) : random_vec3(r, 2 * size);
    c->a.rate = test_below(r, 2) ? v3(0, 0, 0) : random_vec3(r, size);
    c->b.from = madd(madd(c->a.from, 1, off), -way, go);
    c->b.rate = madd(c->a.rate, 2 * way, go);
    if (style != 1)
        return;
    /* Beside each other as near as to a part of 2^-40: the gap of their shadows along the way,
     * that is when they are nearest, by halving `off`. */
    double least = 0, most = 4;
    for (int i = 0; i < 24; ++i) {
        const double k = 0.5 * (least + most);
        const abut_vec3 from = madd(madd(c->a.from, k, off), -way, go);
        bool meet = false;
        trial d = *c;
        d.b.from = from;
        for (int j = 1; j < 8 && !meet; ++j) {
            long double gap;
            meet = judge(&d, 0.5 + (j - 4) * 0.04 * size / way, &gap) == -1;
        }
        if (meet)
            least = k;
        else
            most = k;
    }
    const double k = least + (most - least) * test_uniform(r, -1, 2);
    c->b.from = madd(madd(c->a.from, k, off), -way, go);
}

static void make_motion(body *b)
{
    const abut_placement at = abut_placement_from_pose((abut_pose){ b->from, b->turn });
    assert_int_equal(abut_motion_create_velocity(0, 1, &at, b->rate, v3(0, 0, 0), NULL, &b->motion, NULL),
                     ABUT_OK);
}

static void free_body(body *b)
{
    abut_shape_release(b->shape);
    abut_motion_release(b->motion);
}

/* Of kinds first_kind ... first_kind + kinds - 1; tight: judged to what rounded places leave. */
static void run_passes(uint64_t first_seed, uint64_t count, unsigned first_kind, unsigned kinds, bool tight)
{
    uint64_t hits = 0, apart = 0, undecided = 0;
    double widest = 0, ends = 0;
    for (uint64_t seed = first_seed + 1; seed <= first_seed + count; ++seed) {
        test_random r = test_seed(seed);
        const double size = seed % 5 == 0 ? exp2(test_uniform(&r, -60, 60)) : 1;
        const bool aligned = seed % 3 == 0;
        trial c;
        make_body(&r, first_kind + test_below(&r, kinds), size, &c.a);
        make_body(&r, first_kind + test_below(&r, kinds), size, &c.b);
        c.a.turn = draw_turn(&r, aligned);
        c.b.turn = draw_turn(&r, aligned);
        c.tolerance = (tight ? 1e-16 : 1e-13) * size;
        make_pass(&r, size, aligned, &c);
        const double far = length(madd(c.b.from, -1, c.a.from)) + length(c.a.from);
        c.tolerance += (tight ? 4e-16 : 4e-15) * far;
        make_motion(&c.a);
        make_motion(&c.b);
        abut_first_result first, swapped, plain;
        TEST_CHECK(abut_first_contact(c.a.shape, c.a.motion, c.b.shape, c.b.motion, NULL, NULL, &first) ==
                       ABUT_OK,
                   "seed %" PRIu64, seed);
        TEST_CHECK(abut_first_contact(c.b.shape, c.b.motion, c.a.shape, c.a.motion, NULL, NULL, &swapped) ==
                       ABUT_OK,
                   "seed %" PRIu64, seed);
        abut_linear_cast_force_plain = 1;
        TEST_CHECK(abut_first_contact(c.a.shape, c.a.motion, c.b.shape, c.b.motion, NULL, NULL, &plain) ==
                           ABUT_OK &&
                       plain.verdict == first.verdict &&
                       (plain.verdict != ABUT_FIRST_CONTACT ||
                        (plain.time.lo <= first.time.hi && first.time.lo <= plain.time.hi)),
                   "seed %" PRIu64 ": another answer without AVX2", seed);
        abut_linear_cast_force_plain = 0;
        hits += first.verdict == ABUT_FIRST_CONTACT;
        apart += first.verdict == ABUT_FIRST_SEPARATE;
        undecided += first.verdict == ABUT_FIRST_UNDECIDED;
        judge_first(&c, &first, seed);
        if (seed % 3 == 0)
            ends = fmax(ends, judge_intervals(&c, &first, seed));
        if (first.verdict == ABUT_FIRST_CONTACT && swapped.verdict == ABUT_FIRST_CONTACT) {
            TEST_CHECK(first.time.lo <= swapped.time.hi && swapped.time.lo <= first.time.hi,
                       "seed %" PRIu64 ": [%a, %a] and [%a, %a]", seed, first.time.lo, first.time.hi,
                       swapped.time.lo, swapped.time.hi);
            const double width = first.time.hi - first.time.lo;
            TEST_CHECK(width < 1e-6, "seed %" PRIu64 ": width %g", seed, width);
            widest = fmax(widest, width);
            const abut_vec3 n = first.points[0].normal;
            if (first.point_count > 0)
                TEST_NEAR(n.x * n.x + n.y * n.y + n.z * n.z, 1, 1e-13, "seed %" PRIu64, seed);
        }
        /* One sees more than the other in a graze, but not the contrary. */
        TEST_CHECK(first.verdict == swapped.verdict || first.verdict == ABUT_FIRST_UNDECIDED ||
                       swapped.verdict == ABUT_FIRST_UNDECIDED,
                   "seed %" PRIu64 ": %s, and %s the other way round", seed,
                   abut_first_verdict_name(first.verdict), abut_first_verdict_name(swapped.verdict));
        free_body(&c.a);
        free_body(&c.b);
    }
    print_message("%" PRIu64 " passes, %" PRIu64 " hits, %" PRIu64 " apart, %" PRIu64
                  " undecided, widest %g, widest end %g\n",
                  count, hits, apart, undecided, widest, ends);
    assert_true(hits > count / 4 && apart > count / 20 && undecided < count / 20);
}

static void passes_agree_with_sampling(void **state)
{
    (void)state;
    run_passes(31000000, test_count(5000), 0, 7, false);
}

/* They have a method of their own, with errors of its own. */
static void cylinders_and_cones_touch_when_told(void **state)
{
    (void)state;
    run_passes(37000000, test_count(3000), 1, 2, true);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(passes_agree_with_sampling),
                                        cmocka_unit_test(cylinders_and_cones_touch_when_told) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
