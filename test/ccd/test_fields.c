/* SPDX-License-Identifier: MIT */
/* Convex bodies that move against height fields. The referee takes the field for the columns
 * under all of its triangles, each the hull of six points, and has the gap of each bounded by
 * the oracle for convex pairs at poses from MPFR: no contact may be missed, late or invented.
 * Known answers are balls over slopes, and the half-space and hull that a field of one cell is
 * near its middle. */
#include "ccd/test_advance_support.h"

enum { SIDE = 7, TRIANGLES = 2 * (SIDE - 1) * (SIDE - 1) };

typedef struct ground {
    abut_shape *shape;
    size_t columns, rows;
    double dx, dy, heights[SIDE * SIDE], bottom;
    abut_vec3 points[TRIANGLES][6];
    oracle_body columns_of[TRIANGLES];
    size_t count;
} ground;

typedef struct field_trial {
    ground field;
    body body;
    course of_field, of_body;
    double tolerance;
    bool swapped;
    bool neat; /* touches several places at once */
} field_trial;

static abut_vec3 corner(const ground *g, size_t i, size_t j)
{
    return v3(((double)i - (double)(g->columns - 1) / 2) * g->dx,
              ((double)j - (double)(g->rows - 1) / 2) * g->dy, g->heights[j * g->columns + i]);
}

static void finish_ground(ground *g)
{
    g->count = 0;
    for (size_t j = 0; j + 1 < g->rows; ++j)
        for (size_t i = 0; i + 1 < g->columns; ++i)
            for (int which = 0; which < 2; ++which) {
                abut_vec3 *p = g->points[g->count];
                p[0] = corner(g, i, j);
                p[1] = corner(g, i + 1, j + 1);
                p[2] = which ? corner(g, i, j + 1) : corner(g, i + 1, j);
                for (int k = 0; k < 3; ++k)
                    p[3 + k] = v3(p[k].x, p[k].y, g->bottom);
                g->columns_of[g->count] =
                    (oracle_body){ .core = ORACLE_CORE_POINTS, .points = p, .count = 6 };
                ++g->count;
            }
    assert_int_equal(
        abut_shape_create_heightfield(g->columns, g->rows, g->dx, g->dy, g->heights, NULL, &g->shape, NULL),
        ABUT_OK);
}

static void make_ground(test_random *r, double size, unsigned kind, ground *g)
{
    g->columns = 2 + test_below(r, SIDE - 1);
    g->rows = 2 + test_below(r, SIDE - 1);
    g->dx = size * (kind & 1 ? 0.5 : test_uniform(r, 0.2, 1.5));
    g->dy = size * (kind & 1 ? 0.5 : test_uniform(r, 0.2, 1.5));
    g->bottom = -60 * size;
    for (size_t i = 0; i < g->columns * g->rows; ++i)
        switch (kind) {
        case 0: g->heights[i] = size * test_uniform(r, -0.5, 0.5); break;
        case 1: g->heights[i] = size * 0.25 * (double)test_below(r, 3); break; /* terraces */
        case 2: g->heights[i] = size * test_uniform(r, -2, 2); break;          /* needles */
        case 3: g->heights[i] = 0; break;
        case 4: g->heights[i] = size * (i % g->columns % 2 ? 0.5 : -0.5); break; /* furrows */
        default: g->heights[i] = size * (i == g->columns + 1 ? 1 : 0); break;    /* one hill */
        }
    finish_ground(g);
}

/* As judge() of the support, over all columns. */
static int judge_poses(const field_trial *c, abut_pose of_field, abut_pose of_body, long double *gap)
{
    int worst = 1;
    *gap = INFINITY;
    for (size_t k = 0; k < c->field.count; ++k) {
        const oracle_convex pair = { &c->field.columns_of[k], &c->body.oracle, of_field, of_body };
        const oracle_gap g = oracle_convex_gap(&pair, NULL, 0, ORACLE_QUICK, c->tolerance, INFINITY);
        *gap = fminl(*gap, g.lo);
        if (g.lo > c->tolerance)
            continue;
        const oracle_gap h = oracle_convex_gap(&pair, NULL, 0, ORACLE_QUICK, -INFINITY, -c->tolerance);
        *gap = h.hi;
        if (h.hi < -c->tolerance)
            return -1;
        worst = 0;
    }
    return worst;
}

static int judge_field(const field_trial *c, double t, long double *gap)
{
    return judge_poses(c, pose_at(&c->of_field.oracle, t), pose_at(&c->of_body.oracle, t), gap);
}

static abut_status ask_first(const field_trial *c, const abut_first_opts *opts, abut_first_result *out)
{
    return c->swapped ? abut_first_contact(c->body.shape, c->of_body.motion, c->field.shape,
                                           c->of_field.motion, opts, NULL, out)
                      : abut_first_contact(c->field.shape, c->of_field.motion, c->body.shape,
                                           c->of_body.motion, opts, NULL, out);
}

static abut_status ask_intervals(const field_trial *c, abut_contact_interval *in, size_t most,
                                 abut_intervals_result *out)
{
    return c->swapped ? abut_contact_intervals(c->body.shape, c->of_body.motion, c->field.shape,
                                               c->of_field.motion, NULL, NULL, in, most, out)
                      : abut_contact_intervals(c->field.shape, c->of_field.motion, c->body.shape,
                                               c->of_body.motion, NULL, NULL, in, most, out);
}

static void judge_first_of_field(const field_trial *c, const abut_first_result *r, uint64_t seed, int samples)
{
    const double before = r->verdict == ABUT_FIRST_SEPARATE ? INFINITY : r->time.lo;
    long double gap;
    for (int k = 0; k <= samples; ++k) {
        const double t = (double)k / samples;
        if (t < before)
            TEST_CHECK(judge_field(c, t, &gap) != -1,
                       "seed %" PRIu64 ": overlap at %a missed, first %a, gap %Lg", seed, t, before, gap);
    }
    if (r->verdict == ABUT_FIRST_SEPARATE)
        return;
    for (int k = 2; k < 14; k += 2) { /* late by as little? */
        const double t = r->time.lo - pow(10, -k);
        if (t >= 0)
            TEST_CHECK(judge_field(c, t, &gap) != -1, "seed %" PRIu64 ": overlap at %a before %a, gap %Lg",
                       seed, t, r->time.lo, gap);
    }
    if (r->verdict == ABUT_FIRST_OVERLAPPING)
        TEST_CHECK(judge_field(c, 0, &gap) != 1, "seed %" PRIu64 ": invented overlap, gap %Lg", seed, gap);
    if (r->verdict == ABUT_FIRST_CONTACT)
        TEST_CHECK(judge_field(c, r->time.hi, &gap) != 1, "seed %" PRIu64 ": invented contact at %a, gap %Lg",
                   seed, r->time.hi, gap);
}

/* The point is in both, and bodies that begin to touch part along the normal. */
static void judge_point(const field_trial *c, const abut_first_result *r, uint64_t seed, double size)
{
    TEST_CHECK(r->point_count > 0, "seed %" PRIu64 ": no point", seed);
    const abut_first_point *p = &r->points[0];
    if (p->time.hi - p->time.lo > 1e-8)
        return; /* slides along the ground: the point is that of some time in there */
    const abut_pose of_field = pose_at(&c->of_field.oracle, p->time.hi);
    abut_pose of_body = pose_at(&c->of_body.oracle, p->time.hi);
    const abut_vec3 zero = { 0, 0, 0 };
    const oracle_body dot = { .core = ORACLE_CORE_POINTS, .points = &zero, .count = 1, .flat = true };
    const abut_pose at = { p->point, { 1, 0, 0, 0 } };
    const oracle_convex to_body = { &c->body.oracle, &dot, of_body, at };
    long double nearest = INFINITY, gap;
    for (size_t k = 0; k < c->field.count; ++k) {
        const oracle_convex to_column = { &c->field.columns_of[k], &dot, of_field, at };
        nearest =
            fminl(nearest, oracle_convex_gap(&to_column, NULL, 0, ORACLE_QUICK, INFINITY, -INFINITY).lo);
    }
    const long double off = oracle_convex_gap(&to_body, NULL, 0, ORACLE_QUICK, INFINITY, -INFINITY).lo;
    TEST_CHECK(nearest < 1e-7 * size && off < 1e-7 * size,
               "seed %" PRIu64 ": point %Lg off the field, %Lg off the body", seed, nearest, off);
    if (c->neat || r->verdict == ABUT_FIRST_OVERLAPPING || (p->time.lo == 0 && c->body.oracle.flat))
        return; /* it is stuck in the ground, or may be in a hollow that it leaves by other ways */
    const double way = (c->swapped ? -1e-6 : 1e-6) * size;
    of_body.position = v3(of_body.position.x + way * p->normal.x, of_body.position.y + way * p->normal.y,
                          of_body.position.z + way * p->normal.z);
    TEST_CHECK(judge_poses(c, of_field, of_body, &gap) == 1,
               "seed %" PRIu64 ": normal (%g %g %g) does not part them, gap %Lg", seed, p->normal.x,
               p->normal.y, p->normal.z, gap);
}

static void judge_intervals_of_field(const field_trial *c, uint64_t seed, int samples,
                                     const abut_first_result *first, tally *sum)
{
    enum { MOST = 64 };
    abut_contact_interval in[MOST];
    abut_intervals_result all;
    long double gap;
    TEST_CHECK(ask_intervals(c, in, MOST, &all) == ABUT_OK && all.count <= MOST, "seed %" PRIu64, seed);
    ++sum->intervals;
    sum->doubtful += all.proof == ABUT_PROOF_TOLERANCE;
    for (int k = 0; k <= samples; ++k) {
        const double t = (double)k / samples;
        bool maybe = false, surely = false;
        for (size_t i = 0; i < all.count; ++i) {
            maybe = maybe || (in[i].enter.lo <= t && t <= in[i].exit.hi);
            surely = surely || (in[i].enter.hi < t && t < in[i].exit.lo);
        }
        const int sign = judge_field(c, t, &gap);
        TEST_CHECK(sign != -1 || maybe, "seed %" PRIu64 ": misses the contact at %a", seed, t);
        TEST_CHECK(sign != 1 || !surely || all.proof == ABUT_PROOF_TOLERANCE,
                   "seed %" PRIu64 ": claims a contact at %a, gap %Lg", seed, t, gap);
    }
    for (size_t i = 0; i < all.count; ++i)
        for (int k = 3; k < 13; k += 3) { /* just outside of the ends there is no overlap */
            const double before = in[i].enter.lo - pow(10, -k), after = in[i].exit.hi + pow(10, -k);
            if (before > (i > 0 ? in[i - 1].exit.hi : 0))
                TEST_CHECK(judge_field(c, before, &gap) != -1, "seed %" PRIu64 ": enters late, at %a", seed,
                           in[i].enter.lo);
            if (after < (i + 1 < all.count ? in[i + 1].enter.lo : 1))
                TEST_CHECK(judge_field(c, after, &gap) != -1, "seed %" PRIu64 ": leaves early, at %a", seed,
                           in[i].exit.hi);
        }
    /* a touch at the start that parts is none for `first` */
    const size_t at = all.count > 1 && in[0].exit.hi == 0;
    if (first->verdict == ABUT_FIRST_CONTACT && first->time.lo > 0)
        TEST_CHECK(all.count > at && in[at].enter.lo <= first->time.hi && first->time.lo <= in[at].enter.hi,
                   "seed %" PRIu64 ": intervals begin at %a, first contact at %a", seed,
                   all.count > at ? in[at].enter.lo : -1.0, first->time.lo);
}

static void free_field_trial(field_trial *c)
{
    abut_shape_release(c->field.shape);
    abut_shape_release(c->body.shape);
    abut_motion_release(c->of_field.motion);
    abut_motion_release(c->of_body.motion);
}

static void ask_and_judge_field(field_trial *c, uint64_t seed, double size, bool intervals, tally *sum)
{
    abut_first_result first;
    TEST_CHECK(ask_first(c, NULL, &first) == ABUT_OK, "seed %" PRIu64, seed);
    count_first(&first, sum);
    if (first.verdict == ABUT_FIRST_CONTACT || first.verdict == ABUT_FIRST_OVERLAPPING)
        judge_point(c, &first, seed, size);
    judge_first_of_field(c, &first, seed, 12);
    if (intervals)
        judge_intervals_of_field(c, seed, 12, &first, sum);
    free_field_trial(c);
}

static void run_field_trial(uint64_t seed, tally *sum)
{
    test_random r = test_seed(seed + 91000000);
    field_trial c = { .swapped = seed % 2 };
    const double size = seed % 5 == 0 ? exp2(test_uniform(&r, -20, 20)) : 1;
    const double turn = seed % 7 == 0 ? 20 : 3;
    make_ground(&r, size, test_below(&r, 6), &c.field);
    make_body(&r, test_below(&r, 9), size * (seed % 3 ? 0.5 : 0.05), &c.body);
    make_course(&r, seed % 4 == 0 ? test_below(&r, KINDS) : 0, 2 * size, turn, &c.of_field);
    make_course(&r, seed % 4 == 1 ? 0 : test_below(&r, KINDS), 3 * size, turn, &c.of_body);
    c.tolerance =
        1e-14 * 16 * size *
        (c.of_field.oracle.type == ABUT_MOTION_CHAIN || c.of_body.oracle.type == ABUT_MOTION_CHAIN ? 4 : 1);
    ask_and_judge_field(&c, seed, size, seed % 3 == 0, sum);
}

/* Small numbers of quarters: faces slide on faces, edges meet edges, and much begins or ends in
 * a touch. */
static void run_neat_trial(uint64_t seed, tally *sum)
{
    test_random r = test_seed(seed + 92000000);
    field_trial c = { .swapped = seed % 2, .neat = true };
    static const unsigned kinds[] = { 1, 3, 5, 1 };
    make_ground(&r, 1, kinds[seed % 4], &c.field);
    oracle_body *o = &c.body.oracle;
    *o = (oracle_body){ .core = ORACLE_CORE_POINTS, .points = c.body.points };
    const double h = 0.125 * (1 + test_below(&r, 3));
    o->h = v3(h, 0.25, 0.25);
    if (seed % 3 == 0) {
        o->count = 1;
        o->radius = h;
        c.body.points[0] = v3(0, 0, 0);
        assert_int_equal(abut_shape_create_sphere(h, NULL, &c.body.shape), ABUT_OK);
    } else if (seed % 3 == 1) {
        o->core = ORACLE_CORE_BOX;
        assert_int_equal(abut_shape_create_box(o->h, NULL, &c.body.shape), ABUT_OK);
    } else {
        o->count = 1 + test_below(&r, 4);
        o->flat = o->count < 4;
        const abut_vec3 corners[4] = { v3(0, 0, 0), v3(h, 0, 0), v3(0, h, 0), v3(0, 0, h) };
        memcpy(c.body.points, corners, sizeof corners);
        assert_int_equal(abut_shape_create_convex(c.body.points, o->count, 0, NULL, &c.body.shape, NULL),
                         ABUT_OK);
    }
    oracle_motion *of_field = &c.of_field.oracle, *of_body = &c.of_body.oracle;
    *of_field = (oracle_motion){ .type = ABUT_MOTION_STATIC, .t0 = 0, .t1 = 1 };
    *of_body = (oracle_motion){ .type = ABUT_MOTION_VELOCITY, .t0 = 0, .t1 = 1 };
    of_body->from.position =
        v3(0.25 * ((double)test_below(&r, 9) - 4), 0.25 * ((double)test_below(&r, 9) - 4),
           0.125 * ((double)test_below(&r, 9) - 2));
    of_body->linear = v3(0.5 * ((double)test_below(&r, 5) - 2), 0.5 * ((double)test_below(&r, 5) - 2),
                         0.25 * ((double)test_below(&r, 5) - 2));
    assert_int_equal(abut_motion_create_static(&of_field->from, NULL, &c.of_field.motion, NULL), ABUT_OK);
    assert_int_equal(abut_motion_create_velocity(0, 1, &of_body->from, of_body->linear, of_body->angular,
                                                 NULL, &c.of_body.motion, NULL),
                     ABUT_OK);
    c.tolerance = 1e-13;
    ask_and_judge_field(&c, seed, 1, true, sum);
}

static void random_motions_agree_with_sampling(void **state)
{
    (void)state;
    const uint64_t count = test_count(1500);
    const tally sum = run_trials("motions", count, run_field_trial);
    assert_true(sum.undecided <= 2 + count / 100 && sum.widest < 1e-9);
}

static void neat_motions_agree_with_sampling(void **state)
{
    (void)state;
    (void)run_trials("neat motions", test_count(800), run_neat_trial);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_motions_agree_with_sampling),
        cmocka_unit_test(neat_motions_agree_with_sampling),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
