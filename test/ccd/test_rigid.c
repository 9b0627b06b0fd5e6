/* SPDX-License-Identifier: MIT */
/* Rigid meshes over time. The referee takes a body for its triangles (columns, for a height field),
 * has the gap of each pair bounded by the oracle for convex pairs at poses from MPFR, and counts
 * the solid angle of solids in long double: no contact may be missed, late or invented. The full
 * campaign of 10^4 sweeps is ABUT_TEST_SCALE=10. */
#include "ccd/test_advance_support.h"

enum { MOST_PARTS = 160 };

typedef struct rigid_side {
    abut_shape *shape;
    bool mesh, solid;
    size_t count;
    oracle_body parts[MOST_PARTS];
    abut_vec3 points[MOST_PARTS][6];
    abut_vec3 middle[MOST_PARTS]; /* balls around the parts; infinite for half-spaces */
    double radius[MOST_PARTS];
    body convex;
} rigid_side;

typedef struct rigid_trial {
    rigid_side a, b;
    course ca, cb;
    double tolerance, size;
    double speed; /* of any point, about */
} rigid_trial;

/* ---- bodies ---- */

static double distance(abut_vec3 p, abut_vec3 q)
{
    return sqrt((p.x - q.x) * (p.x - q.x) + (p.y - q.y) * (p.y - q.y) + (p.z - q.z) * (p.z - q.z));
}

static void bound_parts(rigid_side *s)
{
    for (size_t k = 0; k < s->count; ++k) {
        const oracle_body *o = &s->parts[k];
        abut_vec3 m = { 0, 0, 0 };
        s->radius[k] = INFINITY;
        s->middle[k] = m;
        if (o->core == ORACLE_CORE_HALFSPACE)
            continue;
        if (o->core != ORACLE_CORE_POINTS) {
            s->radius[k] = 1.001 * sqrt(2) * distance(m, o->h) + o->radius + o->margin;
            continue;
        }
        for (size_t i = 0; i < o->count; ++i)
            m = v3(m.x + o->points[i].x / (double)o->count, m.y + o->points[i].y / (double)o->count,
                   m.z + o->points[i].z / (double)o->count);
        s->middle[k] = m;
        s->radius[k] = 0;
        for (size_t i = 0; i < o->count; ++i)
            s->radius[k] = fmax(s->radius[k], distance(m, o->points[i]));
        s->radius[k] = 1.001 * s->radius[k] + o->radius + o->margin;
    }
}

static void make_mesh(rigid_side *s, const abut_vec3 *v, size_t vertices, const uint32_t *t, size_t triangles,
                      bool solid)
{
    abut_error error;
    s->mesh = true;
    s->solid = solid;
    s->count = triangles;
    for (size_t k = 0; k < triangles; ++k) {
        for (int i = 0; i < 3; ++i)
            s->points[k][i] = v[t[3 * k + (size_t)i]];
        s->parts[k] =
            (oracle_body){ .core = ORACLE_CORE_POINTS, .points = s->points[k], .count = 3, .flat = true };
    }
    const abut_status status =
        abut_shape_create_mesh(v, vertices, t, triangles, solid, NULL, &s->shape, &error);
    TEST_CHECK(status == ABUT_OK, "%s", error.text);
}

static void make_box_mesh(rigid_side *s, abut_vec3 h, bool solid)
{
    static const uint32_t t[36] = { 0, 1, 3, 0, 3, 2, 4, 6, 7, 4, 7, 5, 0, 4, 5, 0, 5, 1,
                                    2, 3, 7, 2, 7, 6, 0, 2, 6, 0, 6, 4, 1, 5, 7, 1, 7, 3 };
    abut_vec3 v[8];
    for (int i = 0; i < 8; ++i)
        v[i] = v3(i & 4 ? h.x : -h.x, i & 2 ? h.y : -h.y, i & 1 ? h.z : -h.z);
    make_mesh(s, v, 8, t, 12, solid);
}

static void make_torus_mesh(rigid_side *s, double major, double minor, unsigned n, unsigned m, bool solid)
{
    abut_vec3 v[MOST_PARTS];
    uint32_t t[3 * MOST_PARTS];
    size_t count = 0;
    for (unsigned i = 0; i < n; ++i)
        for (unsigned j = 0; j < m; ++j) {
            const double a = 2 * 3.141592653589793 * i / n, b = 2 * 3.141592653589793 * j / m,
                         r = major + minor * cos(b);
            v[i * m + j] = v3(r * cos(a), r * sin(a), minor * sin(b));
            const uint32_t p = i * m + j, q = (i + 1) % n * m + j, u = i * m + (j + 1) % m,
                           w = (i + 1) % n * m + (j + 1) % m;
            const uint32_t two[6] = { p, q, w, p, w, u };
            memcpy(t + 3 * count, two, sizeof two);
            count += 2;
        }
    make_mesh(s, v, (size_t)n * m, t, count, solid);
}

static void make_soup(test_random *r, rigid_side *s, double size, unsigned count, bool degenerate)
{
    abut_vec3 v[MOST_PARTS];
    uint32_t t[MOST_PARTS];
    for (unsigned i = 0; i < 3 * count; ++i) {
        v[i] = random_vec3(r, size);
        t[i] = i;
    }
    if (degenerate) { /* a point, a segment, a segment with its middle as third corner */
        v[1] = v[2] = v[0];
        if (count > 1)
            v[5] = v[4];
        if (count > 2)
            v[8] = v3(0.5 * (v[6].x + v[7].x), 0.5 * (v[6].y + v[7].y), 0.5 * (v[6].z + v[7].z));
    }
    make_mesh(s, v, 3 * (size_t)count, t, count, false);
}

static void make_field(test_random *r, rigid_side *s, double size, double depth)
{
    enum { N = 4 };
    double heights[N * N];
    const double d = 0.7 * size;
    for (int i = 0; i < N * N; ++i)
        heights[i] = size * test_uniform(r, -0.3, 0.3);
    for (int j = 0; j + 1 < N; ++j)
        for (int i = 0; i + 1 < N; ++i)
            for (int which = 0; which < 2; ++which) {
                abut_vec3 *p = s->points[s->count];
                const int at[3][2] = { { i, j }, { i + 1, j + 1 }, { which ? i : i + 1, which ? j + 1 : j } };
                for (int k = 0; k < 3; ++k) {
                    p[k] = v3((at[k][0] - 0.5 * (N - 1)) * d, (at[k][1] - 0.5 * (N - 1)) * d,
                              heights[at[k][1] * N + at[k][0]]);
                    p[3 + k] = v3(p[k].x, p[k].y, -depth);
                }
                s->parts[s->count++] = (oracle_body){ .core = ORACLE_CORE_POINTS, .points = p, .count = 6 };
            }
    assert_int_equal(abut_shape_create_heightfield(N, N, d, d, heights, NULL, &s->shape, NULL), ABUT_OK);
}

static void make_side(test_random *r, unsigned kind, double size, double world, rigid_side *s)
{
    const bool solid = test_below(r, 2);
    switch (kind) {
    case 0: make_box_mesh(s, v3(0.5 * size, size * test_uniform(r, 0.1, 0.6), 0.3 * size), solid); break;
    case 1:
        make_torus_mesh(s, 0.7 * size, 0.25 * size, 6 + test_below(r, 5), 4 + test_below(r, 3), solid);
        break;
    case 2: make_soup(r, s, size, 1 + test_below(r, 8), test_below(r, 3) == 0); break;
    case 3: make_field(r, s, size, 60 * world); break;
    case 4: {
        const abut_vec3 n = random_vec3(r, 1);
        s->count = 1;
        s->parts[0] =
            (oracle_body){ .core = ORACLE_CORE_HALFSPACE, .h = n, .offset = test_uniform(r, -size, size) };
        assert_int_equal(abut_shape_create_halfspace(n, s->parts[0].offset, NULL, &s->shape), ABUT_OK);
        break;
    }
    default:
        make_body(r, test_below(r, 9), size, &s->convex);
        s->shape = s->convex.shape;
        s->count = 1;
        s->parts[0] = s->convex.oracle;
    }
    bound_parts(s);
}

/* ---- the referee ---- */

static abut_vec3 apply(const abut_pose *at, abut_vec3 p)
{
    const abut_quat q = at->rotation;
    const double n = q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z, s = 2 / n;
    const abut_vec3 c = { q.y * p.z - q.z * p.y, q.z * p.x - q.x * p.z, q.x * p.y - q.y * p.x };
    return v3(p.x + s * (q.w * c.x + q.y * c.z - q.z * c.y) + at->position.x,
              p.y + s * (q.w * c.y + q.z * c.x - q.x * c.z) + at->position.y,
              p.z + s * (q.w * c.z + q.x * c.y - q.y * c.x) + at->position.z);
}

/* How often the surface goes round p: van Oosterom and Strackee's solid angles, over 4 pi. */
static long double winding(const rigid_side *s, const abut_pose *at, abut_vec3 p)
{
    long double sum = 0;
    for (size_t k = 0; k < s->count; ++k) {
        long double c[3][3], l[3];
        for (int i = 0; i < 3; ++i) {
            const abut_vec3 q = apply(at, s->points[k][i]);
            c[i][0] = (long double)q.x - p.x;
            c[i][1] = (long double)q.y - p.y;
            c[i][2] = (long double)q.z - p.z;
            l[i] = sqrtl(c[i][0] * c[i][0] + c[i][1] * c[i][1] + c[i][2] * c[i][2]);
        }
        const long double det = c[0][0] * (c[1][1] * c[2][2] - c[1][2] * c[2][1]) -
                                c[0][1] * (c[1][0] * c[2][2] - c[1][2] * c[2][0]) +
                                c[0][2] * (c[1][0] * c[2][1] - c[1][1] * c[2][0]);
        long double dots[3];
        for (int i = 0; i < 3; ++i) {
            const int j = (i + 1) % 3;
            dots[i] = c[i][0] * c[j][0] + c[i][1] * c[j][1] + c[i][2] * c[j][2];
        }
        sum += 2 * atan2l(det, l[0] * l[1] * l[2] + dots[0] * l[2] + dots[1] * l[0] + dots[2] * l[1]);
    }
    return sum / (4 * 3.14159265358979323846L);
}

static bool is_inside(const rigid_side *solid, const abut_pose *at, const rigid_side *other,
                      const abut_pose *there)
{
    if (!solid->solid || other->parts[0].core == ORACLE_CORE_HALFSPACE || (!other->mesh && other->count > 1))
        return false; /* of a height field nothing is inside */
    return winding(solid, at, apply(there, other->mesh ? other->points[0][0] : other->middle[0])) > 0.5L;
}

/* 1: clearly apart, -1: clearly overlapping, 0: within rounding of touching. */
static int judge_at(const rigid_trial *c, double t, long double *gap)
{
    const abut_pose pa = pose_at(&c->ca.oracle, t), pb = pose_at(&c->cb.oracle, t);
    int worst = 1;
    *gap = INFINITY;
    for (size_t i = 0; i < c->a.count; ++i) {
        const abut_vec3 ma = apply(&pa, c->a.middle[i]);
        for (size_t j = 0; j < c->b.count; ++j) {
            if (distance(ma, apply(&pb, c->b.middle[j])) > c->a.radius[i] + c->b.radius[j])
                continue;
            const oracle_convex pair = { &c->a.parts[i], &c->b.parts[j], pa, pb };
            const oracle_gap g = oracle_convex_gap(&pair, NULL, 0, ORACLE_QUICK, c->tolerance, INFINITY);
            if (g.lo > c->tolerance) {
                *gap = fminl(*gap, g.lo);
                continue;
            }
            const oracle_gap h = oracle_convex_gap(&pair, NULL, 0, ORACLE_QUICK, -INFINITY, -c->tolerance);
            *gap = h.hi;
            if (h.hi < -c->tolerance)
                return -1;
            worst = 0;
        }
    }
    if (worst == 1 && (is_inside(&c->a, &pa, &c->b, &pb) || is_inside(&c->b, &pb, &c->a, &pa))) {
        *gap = -1;
        return -1;
    }
    return worst;
}

static void judge_answer(const rigid_trial *c, const abut_first_result *r, uint64_t seed, test_random *random)
{
    const double t_lo = r->verdict == ABUT_FIRST_SEPARATE ? 1 : r->time.lo;
    long double gap;
    for (int k = 0; k <= 12; ++k) {
        const double t = k < 12 ? test_uniform(random, 0, t_lo) : r->verdict == ABUT_FIRST_SEPARATE ? 1 : 0;
        if (t < t_lo || r->verdict == ABUT_FIRST_SEPARATE)
            TEST_CHECK(judge_at(c, t, &gap) != -1,
                       "seed %" PRIu64 ": overlap at %a missed, first %a, gap %Lg", seed, t, t_lo, gap);
    }
    if (r->verdict == ABUT_FIRST_SEPARATE)
        return;
    for (int k = 2; k < 14; k += 2) { /* late by as little? */
        const double t = r->time.lo - pow(10, -k);
        if (t >= 0)
            TEST_CHECK(judge_at(c, t, &gap) != -1, "seed %" PRIu64 ": overlap at %a before %a, gap %Lg", seed,
                       t, r->time.lo, gap);
    }
    if (r->verdict == ABUT_FIRST_UNDECIDED)
        return;
    /* What has no thickness may have passed when the enclosure ends. */
    const long double passed = c->speed * (r->time.hi - r->time.lo);
    TEST_CHECK(judge_at(c, r->time.hi, &gap) != 1 || gap <= c->tolerance + passed,
               "seed %" PRIu64 ": invented contact at %a, gap %Lg", seed, r->time.hi, gap);
    if (r->verdict == ABUT_FIRST_OVERLAPPING)
        TEST_CHECK(judge_at(c, 0, &gap) != 1, "seed %" PRIu64 ": no overlap at the start, gap %Lg", seed,
                   gap);
}

static long double off_side(const rigid_side *s, const abut_pose *at, abut_vec3 p)
{
    const abut_vec3 zero = { 0, 0, 0 };
    const oracle_body dot = { .core = ORACLE_CORE_POINTS, .points = &zero, .count = 1, .flat = true };
    const abut_pose there = { p, { 1, 0, 0, 0 } };
    long double nearest = INFINITY;
    for (size_t k = 0; k < s->count; ++k) {
        const oracle_convex pair = { &s->parts[k], &dot, *at, there };
        nearest = fminl(nearest, oracle_convex_gap(&pair, NULL, 0, ORACLE_QUICK, INFINITY, -INFINITY).lo);
    }
    return nearest;
}

static void judge_points(const rigid_trial *c, const abut_first_result *r, uint64_t seed)
{
    TEST_CHECK(r->point_count > 0, "seed %" PRIu64 ": no point of contact", seed);
    for (size_t i = 0; i < r->point_count && i < ABUT_FIRST_CONTACTS; ++i) {
        const abut_first_point *p = &r->points[i];
        const abut_pose pa = pose_at(&c->ca.oracle, p->time.hi), pb = pose_at(&c->cb.oracle, p->time.hi);
        const long double a = off_side(&c->a, &pa, p->point), b = off_side(&c->b, &pb, p->point);
        TEST_CHECK(a < 1e-6 * c->size && b < 1e-6 * c->size,
                   "seed %" PRIu64 ": point %zu is %Lg off a, %Lg off b", seed, i, a, b);
        const double n =
            sqrt(p->normal.x * p->normal.x + p->normal.y * p->normal.y + p->normal.z * p->normal.z);
        TEST_CHECK(fabs(n - 1) < 1e-9, "seed %" PRIu64 ": normal of length %g", seed, n);
    }
}

static void judge_all(const rigid_trial *c, uint64_t seed, const abut_first_result *first, tally *sum)
{
    enum { MOST = 512 };
    static abut_contact_interval in[MOST];
    abut_intervals_result all;
    long double gap;
    TEST_CHECK(abut_contact_intervals(c->a.shape, c->ca.motion, c->b.shape, c->cb.motion, NULL, NULL, in,
                                      MOST, &all) == ABUT_OK &&
                   all.count <= MOST,
               "seed %" PRIu64, seed);
    ++sum->intervals;
    sum->doubtful += all.proof == ABUT_PROOF_TOLERANCE;
    for (int k = 0; k <= 12; ++k) {
        const double t = (double)k / 12;
        bool maybe = false, surely = false;
        for (size_t i = 0; i < all.count; ++i) {
            maybe = maybe || (in[i].enter.lo <= t && t <= in[i].exit.hi);
            surely = surely || (in[i].enter.hi < t && t < in[i].exit.lo);
        }
        const int sign = judge_at(c, t, &gap);
        TEST_CHECK(sign != -1 || maybe, "seed %" PRIu64 ": misses the contact at %a", seed, t);
        TEST_CHECK(sign != 1 || !surely || all.proof == ABUT_PROOF_TOLERANCE,
                   "seed %" PRIu64 ": claims a contact at %a, gap %Lg", seed, t, gap);
    }
    for (size_t i = 0; i < all.count && i < 4; ++i)
        for (int k = 4; k < 13; k += 4) {
            const double before = in[i].enter.lo - pow(10, -k), after = in[i].exit.hi + pow(10, -k);
            if (before > (i > 0 ? in[i - 1].exit.hi : 0))
                TEST_CHECK(judge_at(c, before, &gap) != -1, "seed %" PRIu64 ": enters late, at %a", seed,
                           in[i].enter.lo);
            if (after < (i + 1 < all.count ? in[i + 1].enter.lo : 1))
                TEST_CHECK(judge_at(c, after, &gap) != -1, "seed %" PRIu64 ": leaves early, at %a", seed,
                           in[i].exit.hi);
        }
    const size_t at = all.count > 1 && in[0].exit.hi == 0;
    if (first->verdict == ABUT_FIRST_CONTACT && first->time.lo > 0)
        TEST_CHECK(all.count > at && in[at].enter.lo <= first->time.hi && first->time.lo <= in[at].enter.hi,
                   "seed %" PRIu64 ": intervals begin at %a, first contact at %a", seed,
                   all.count > at ? in[at].enter.lo : -1.0, first->time.lo);
}

static void run(rigid_trial *c, uint64_t seed, bool intervals, tally *sum)
{
    abut_first_result first, other;
    test_random random = test_seed(seed);
    TEST_CHECK(abut_first_contact(c->a.shape, c->ca.motion, c->b.shape, c->cb.motion, NULL, NULL, &first) ==
                   ABUT_OK,
               "seed %" PRIu64, seed);
    count_first(&first, sum);
    judge_answer(c, &first, seed, &random);
    if (first.verdict == ABUT_FIRST_CONTACT)
        judge_points(c, &first, seed);
    if (seed % 4 == 0) { /* the other way round */
        assert_int_equal(
            abut_first_contact(c->b.shape, c->cb.motion, c->a.shape, c->ca.motion, NULL, NULL, &other),
            ABUT_OK);
        TEST_CHECK(other.verdict == first.verdict || other.verdict == ABUT_FIRST_UNDECIDED ||
                       first.verdict == ABUT_FIRST_UNDECIDED,
                   "seed %" PRIu64 ": %d, swapped %d", seed, (int)first.verdict, (int)other.verdict);
        if (other.verdict == ABUT_FIRST_CONTACT && first.verdict == ABUT_FIRST_CONTACT)
            TEST_CHECK(other.time.lo <= first.time.hi && first.time.lo <= other.time.hi,
                       "seed %" PRIu64 ": swapped, another time", seed);
    }
    if (intervals)
        judge_all(c, seed, &first, sum);
    abut_shape_release(c->a.shape);
    abut_shape_release(c->b.shape);
    abut_motion_release(c->ca.motion);
    abut_motion_release(c->cb.motion);
}

static void run_random(uint64_t seed, tally *sum)
{
    static rigid_trial c;
    test_random r = test_seed(seed + 71000000);
    memset(&c, 0, sizeof c);
    const double size = seed % 5 == 0 ? exp2(test_uniform(&r, -20, 20)) : 1;
    const double turn = seed % 50 == 7 ? 600 : seed % 7 == 0 ? 20 : 3;
    const double ratio = seed % 11 == 0 ? exp2(test_uniform(&r, -10, 0)) : 1;
    static const unsigned kinds[] = { 0, 1, 2, 0, 1, 2, 3, 4, 5, 5, 5 };
    c.size = size * ratio;
    make_side(&r, test_below(&r, 3), size, size, &c.a);
    make_side(&r, kinds[test_below(&r, 11)], size * ratio, size, &c.b);
    make_course(&r, seed % 4 == 0 ? test_below(&r, KINDS) : 0, 1.5 * size, turn, &c.ca);
    make_course(&r, seed % 4 == 1 ? 2 : test_below(&r, KINDS), 2.5 * size, turn, &c.cb);
    c.tolerance = 1e-14 * 16 * size * (turn > 100 ? 40 : 1) *
                  (c.ca.oracle.type == ABUT_MOTION_CHAIN || c.cb.oracle.type == ABUT_MOTION_CHAIN ? 4 : 1);
    c.speed = (200 + turn) * size;
    run(&c, seed, seed % 3 == 0 && turn < 100, sum);
}

/* Small numbers of quarters, no turns: faces slide on faces, edges meet edges in line, and much
 * begins or ends in a touch. */
static void run_neat(uint64_t seed, tally *sum)
{
    static rigid_trial c;
    test_random r = test_seed(seed + 72000000);
    memset(&c, 0, sizeof c);
    rigid_side *sides[2] = { &c.a, &c.b };
    for (int k = 0; k < 2; ++k)
        make_box_mesh(sides[k], v3(0.125 * (1 + test_below(&r, 3)), 0.25, 0.25 * (1 + test_below(&r, 2))),
                      test_below(&r, 2));
    bound_parts(&c.a);
    bound_parts(&c.b);
    oracle_motion *oa = &c.ca.oracle, *ob = &c.cb.oracle;
    *oa = (oracle_motion){ .type = ABUT_MOTION_STATIC, .t0 = 0, .t1 = 1 };
    *ob = (oracle_motion){ .type = ABUT_MOTION_VELOCITY, .t0 = 0, .t1 = 1 };
    ob->from.position = v3(0.25 * ((double)test_below(&r, 9) - 4), 0.25 * ((double)test_below(&r, 7) - 3),
                           0.25 * ((double)test_below(&r, 7) - 3));
    ob->linear = v3(0.5 * ((double)test_below(&r, 5) - 2), 0.5 * ((double)test_below(&r, 3) - 1),
                    0.5 * ((double)test_below(&r, 3) - 1));
    assert_int_equal(abut_motion_create_static(&oa->from, NULL, &c.ca.motion, NULL), ABUT_OK);
    assert_int_equal(
        abut_motion_create_velocity(0, 1, &ob->from, ob->linear, ob->angular, NULL, &c.cb.motion, NULL),
        ABUT_OK);
    c.tolerance = 1e-13;
    c.size = 0.25;
    c.speed = 2;
    run(&c, seed, true, sum);
}

static void random_motions_agree_with_sampling(void **state)
{
    (void)state;
    const uint64_t count = test_count(1000);
    const tally sum = run_trials("sweeps", count, run_random);
    assert_true(sum.undecided <= 2 + count / 100 && sum.widest < 1e-9);
}

static void neat_motions_agree_with_sampling(void **state)
{
    (void)state;
    (void)run_trials("neat sweeps", test_count(200), run_neat);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_motions_agree_with_sampling),
        cmocka_unit_test(neat_motions_agree_with_sampling),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
