/* SPDX-License-Identifier: MIT */
/* Two ellipsoids under every kind of motion, deforming ones included, judged by a referee of 90 digits: at each reported end the bodies are apart on one side of
 * the enclosure and meet on the other; dense samples in between agree. Then grazes and short contacts by construction, singular placements, mirrored ones,
 * extreme sizes, and what must not change under exchange, reversal and splitting. */
#include "abut/ellipsoid.h"
#include "abut/query.h"
#include "oracle/ellipsoid_ccd.h"
#include "support/test.h"

enum { MOST = 64 };

static abut_vec3 v3(double x, double y, double z)
{
    return (abut_vec3){ x, y, z };
}

static abut_vec3 random_vec3(test_random *r, double size)
{
    return v3(test_uniform(r, -size, size), test_uniform(r, -size, size), test_uniform(r, -size, size));
}

static abut_placement random_placement(test_random *r, double size)
{
    abut_placement p = { .position = random_vec3(r, size) };
    if (test_below(r, 3) == 0)
        return p;
    p.rotation.kind = ABUT_ROTATION_QUATERNION;
    p.rotation.quaternion = (abut_quat){ test_uniform(r, -1, 1), test_uniform(r, -1, 1),
                                         test_uniform(r, -1, 1), test_uniform(r, -1, 1) };
    return p;
}

/* ---- motions ---- */

typedef struct course {
    abut_motion *motion;
    oracle_motion oracle;
} course;

/* Not too far from the identity, or from a mirror image, so that it stays invertible most of the time. */
static abut_affine random_affine(test_random *r, double size, double bend)
{
    abut_affine a = { .translation = random_vec3(r, size) };
    for (int i = 0; i < 9; ++i)
        a.linear.m[i / 3][i % 3] = (i % 4 == 0) + test_uniform(r, -bend, bend);
    return a;
}

static void make_affine(course *c)
{
    oracle_motion *o = &c->oracle;
    assert_int_equal(
        abut_motion_create_affine(o->t0, o->t1, o->matrices, o->matrix_count, NULL, &c->motion, NULL),
        ABUT_OK);
}

enum { AFFINE, NLERP, STATIC, STATIC_AFFINE, LINEAR, VELOCITY, SCREW, CHEBYSHEV, KEYFRAMES, KINDS };

static void make_course(test_random *r, int kind, double size, course *out)
{
    oracle_motion *o = &out->oracle;
    abut_status status = ABUT_OK;
    *o = (oracle_motion){
        .t0 = 0, .t1 = 1, .from = random_placement(r, size), .to = random_placement(r, size)
    };
    switch (kind) {
    case AFFINE: {
        const double mirror = test_below(r, 2) ? -1 : 1;
        o->type = ABUT_MOTION_AFFINE;
        o->matrix_count = 1 + test_below(r, test_below(r, 8) ? 5 : 8);
        for (size_t i = 0; i < o->matrix_count; ++i) {
            o->matrices[i] = random_affine(r, size, 0.6);
            for (int j = 0; j < 3; ++j)
                o->matrices[i].linear.m[0][j] *= mirror;
        }
        make_affine(out);
        return;
    }
    case NLERP:
        o->type = ABUT_MOTION_NLERP;
        status = abut_motion_create_nlerp(0, 1, &o->from, &o->to, NULL, &out->motion, NULL);
        break;
    case STATIC:
        o->type = ABUT_MOTION_STATIC;
        status = abut_motion_create_static(&o->from, NULL, &out->motion, NULL);
        break;
    case STATIC_AFFINE:
        o->type = ABUT_MOTION_STATIC;
        o->has_matrix = true;
        o->matrices[0] = random_affine(r, size, 0.6);
        status = abut_motion_create_static_affine(&o->matrices[0], NULL, &out->motion, NULL);
        break;
    case LINEAR:
        o->type = ABUT_MOTION_LINEAR;
        status = abut_motion_create_linear(0, 1, &o->from, &o->to, NULL, &out->motion, NULL);
        break;
    case VELOCITY:
        o->type = ABUT_MOTION_VELOCITY;
        o->linear = random_vec3(r, 2 * size);
        o->angular = random_vec3(r, 4);
        status = abut_motion_create_velocity(0, 1, &o->from, o->linear, o->angular, NULL, &out->motion, NULL);
        break;
    case SCREW:
        o->type = ABUT_MOTION_SCREW;
        status = abut_motion_create_screw(0, 1, &o->from, &o->to, NULL, &out->motion, NULL);
        break;
    case CHEBYSHEV: {
        o->type = ABUT_MOTION_CHEBYSHEV;
        abut_series list[7];
        for (int i = 0; i < 7; ++i) {
            o->counts[i] = 4;
            for (int k = 0; k < 4; ++k)
                o->series[i][k] = (i == 3 && k == 0 ? 4 : 0) + test_uniform(r, -1, 1) * (i < 3 ? size : 0.3);
            list[i] = (abut_series){ o->series[i], 4 };
        }
        status = abut_motion_create_chebyshev(0, 1, list, list + 3, NULL, &out->motion, NULL);
        break;
    }
    default:
        o->type = ABUT_MOTION_KEYFRAMES;
        o->key_count = 4;
        for (size_t i = 0; i < 4; ++i)
            o->keys[i] = (abut_keyframe){ (double)i / 4 + (i == 3 ? 0.25 : 0), random_placement(r, size) };
        status = abut_motion_create_keyframes(o->keys, 4, NULL, &out->motion, NULL);
    }
    assert_int_equal(status, ABUT_OK);
}

/* ---- a case ---- */

typedef struct pair {
    abut_shape *a, *b;
    course ca, cb;
    oracle_ellipsoid oa, ob;
} pair;

static abut_shape *make_shape(abut_vec3 radii)
{
    abut_shape *shape = NULL;
    if (radii.x == radii.y && radii.y == radii.z)
        assert_int_equal(abut_shape_create_sphere(radii.x, NULL, &shape), ABUT_OK);
    else
        assert_int_equal(abut_shape_create_ellipsoid(radii, NULL, &shape), ABUT_OK);
    return shape;
}

/* From radii and courses that are filled in. */
static void finish_pair(pair *p)
{
    p->a = make_shape(p->oa.radii);
    p->b = make_shape(p->ob.radii);
    p->oa.motion = &p->ca.oracle;
    p->ob.motion = &p->cb.oracle;
}

static void free_pair(pair *p)
{
    abut_shape_release(p->a);
    abut_shape_release(p->b);
    abut_motion_release(p->ca.motion);
    abut_motion_release(p->cb.motion);
}

static double gap_at(const pair *p, double t)
{
    return oracle_ellipsoids_gap(&p->oa, t, &p->ob, t);
}

typedef struct answer {
    abut_status status;
    abut_intervals_result result;
    abut_contact_interval of[MOST];
} answer;

static answer ask(const pair *p, const abut_interval *time)
{
    answer out;
    abut_first_opts opts;
    abut_first_opts_init(&opts);
    if (time)
        opts.time = *time;
    out.status = abut_contact_intervals(p->a, p->ca.motion, p->b, p->cb.motion, &opts, NULL, out.of, MOST,
                                        &out.result);
    return out;
}

typedef struct tally {
    uint64_t cases, singular, intervals, wide, doubtful, steps;
    double widest;
} tally;

static void judge_end(const pair *p, uint64_t seed, abut_interval end, bool enters, abut_interval range,
                      tally *all)
{
    const double width = end.hi - end.lo;
    TEST_CHECK(end.lo <= end.hi && end.lo >= range.lo && end.hi <= range.hi, "seed %" PRIu64 " end [%a, %a]",
               seed, end.lo, end.hi);
    if (width > all->widest)
        all->widest = width;
    all->wide += width > 1e-12;
    const double outside = enters ? end.lo : end.hi, inside = enters ? end.hi : end.lo;
    const bool open = outside == (enters ? range.lo : range.hi);
    const double g_out = gap_at(p, outside), g_in = gap_at(p, inside);
    TEST_CHECK(g_in <= 0, "seed %" PRIu64 ": gap %g at %a, within a contact [%a, %a]", seed, g_in, inside,
               end.lo, end.hi);
    TEST_CHECK(open || g_out >= 0, "seed %" PRIu64 ": gap %g at %a, outside a contact [%a, %a]", seed, g_out,
               outside, end.lo, end.hi);
}

/* Every end is enclosed, and nothing between is otherwise than reported. `samples` of them evenly, more by the ends. */
static void judge(const pair *p, uint64_t seed, const answer *found, abut_interval range, int samples,
                  tally *all)
{
    const size_t count = found->result.count;
    TEST_CHECK(found->status == ABUT_OK && count <= MOST, "seed %" PRIu64 " status %d count %zu", seed,
               found->status, count);
    all->intervals += count;
    all->steps += found->result.counters.iterations;
    const bool sure = found->result.proof >= ABUT_PROOF_INTERVAL;
    all->doubtful += !sure;
    if (!sure)
        return;
    for (size_t i = 0; i < count; ++i) {
        judge_end(p, seed, found->of[i].enter, true, range, all);
        judge_end(p, seed, found->of[i].exit, false, range, all);
        TEST_CHECK(i == 0 || found->of[i - 1].exit.hi <= found->of[i].enter.lo, "seed %" PRIu64, seed);
    }
    size_t next = 0;
    for (int i = 0; i <= samples; ++i) {
        const double t = fmin(range.lo + (range.hi - range.lo) * i / samples, range.hi);
        while (next < count && found->of[next].exit.hi < t)
            ++next;
        const double gap = gap_at(p, t);
        const bool outside = next == count || t < found->of[next].enter.lo;
        const bool inside = next < count && t > found->of[next].enter.hi && t < found->of[next].exit.lo;
        TEST_CHECK(!outside || gap > 0, "seed %" PRIu64 ": gap %g at %a, reported apart", seed, gap, t);
        TEST_CHECK(!inside || gap < 0, "seed %" PRIu64 ": gap %g at %a, reported in contact", seed, gap, t);
    }
}

/* The first contact is the begin of the first interval, at a place where both boundaries are. */
static void judge_first(const pair *p, uint64_t seed, const answer *found, abut_first_method method)
{
    abut_first_result first;
    abut_first_opts opts;
    abut_first_opts_init(&opts);
    opts.method = method;
    const abut_status status =
        abut_first_contact(p->a, p->ca.motion, p->b, p->cb.motion, &opts, NULL, &first);
    TEST_CHECK(status == ABUT_OK, "seed %" PRIu64 " status %d", seed, status);
    if (found->result.proof < ABUT_PROOF_INTERVAL)
        return;
    if (found->result.count == 0) {
        TEST_CHECK(first.verdict == ABUT_FIRST_SEPARATE, "seed %" PRIu64 " verdict %d", seed, first.verdict);
        return;
    }
    const abut_interval enter = found->of[0].enter;
    TEST_CHECK(first.verdict == (enter.hi == 0 ? ABUT_FIRST_OVERLAPPING : ABUT_FIRST_CONTACT),
               "seed %" PRIu64 " verdict %d", seed, first.verdict);
    TEST_CHECK(first.time.lo <= enter.hi && enter.lo <= first.time.hi,
               "seed %" PRIu64 " time [%a, %a], [%a, %a]", seed, first.time.lo, first.time.hi, enter.lo,
               enter.hi);
    if (first.verdict != ABUT_FIRST_CONTACT || first.point_count == 0)
        return;
    TEST_CHECK(first.point_count == 1 && first.points[0].unique, "seed %" PRIu64, seed);
    abut_affine at[2];
    const abut_vec3 x = first.points[0].point, n = first.points[0].normal;
    assert_int_equal(abut_motion_at(p->ca.motion, first.time.lo, &at[0]), ABUT_OK);
    assert_int_equal(abut_motion_at(p->cb.motion, first.time.lo, &at[1]), ABUT_OK);
    for (int k = 0; k < 2; ++k) { /* the support point of each in the direction of the normal is the point */
        const abut_vec3 r = k ? p->ob.radii : p->oa.radii;
        const double sign = k ? -1 : 1, radius[3] = { r.x, r.y, r.z }, nn[3] = { n.x, n.y, n.z };
        double w[3], size = 0, y[3] = { at[k].translation.x, at[k].translation.y, at[k].translation.z },
                     most = 0;
        for (int j = 0; j < 3; ++j) {
            w[j] = 0;
            for (int i = 0; i < 3; ++i)
                w[j] += sign * at[k].linear.m[i][j] * radius[j] * nn[i];
            size += w[j] * w[j];
        }
        for (int i = 0; i < 3; ++i)
            for (int j = 0; j < 3; ++j) {
                y[i] += at[k].linear.m[i][j] * radius[j] * w[j] / sqrt(size);
                most = fmax(most, fabs(at[k].linear.m[i][j] * radius[j]));
            }
        const double off = fabs(y[0] - x.x) + fabs(y[1] - x.y) + fabs(y[2] - x.z);
        TEST_CHECK(off < 1e-6 * (1 + most), "seed %" PRIu64 ": body %d, point off by %g", seed, k, off);
    }
}

/* ---- tests ---- */

static void make_random(uint64_t seed, pair *p)
{
    test_random r = test_seed(seed);
    const int kind_a = test_below(&r, 2) ? AFFINE : (int)test_below(&r, KINDS);
    const int kind_b = test_below(&r, 2) ? AFFINE : (int)test_below(&r, KINDS);
    const double size = test_uniform(&r, 0.5, 3);
    *p = (pair){ 0 };
    p->oa.radii = test_below(&r, 4)
                      ? v3(test_uniform(&r, 0.1, 1), test_uniform(&r, 0.1, 1), test_uniform(&r, 0.1, 1))
                      : v3(0.5, 0.5, 0.5);
    p->ob.radii = test_below(&r, 4)
                      ? v3(test_uniform(&r, 0.1, 1), test_uniform(&r, 0.1, 1), test_uniform(&r, 0.1, 1))
                      : v3(0.75, 0.75, 0.75);
    make_course(&r, kind_a, size, &p->ca);
    make_course(&r, kind_b, size, &p->cb);
    finish_pair(p);
}

static void test_random_motions(void **state)
{
    (void)state;
    const uint64_t count = test_count(300);
    tally all = { 0 };
    for (uint64_t seed = 1; seed <= count; ++seed) {
        pair p;
        make_random(seed, &p);
        const answer found = ask(&p, NULL);
        ++all.cases;
        if (found.status == ABUT_ERR_VALUE)
            ++all.singular;
        else {
            judge(&p, seed, &found, (abut_interval){ 0, 1 }, 16, &all);
            judge_first(&p, seed, &found, ABUT_METHOD_AUTO);
            judge_first(&p, seed, &found, ABUT_METHOD_SHOOTING);
            judge_first(&p, seed, &found, ABUT_METHOD_SAMPLED);
        }
        free_pair(&p);
    }
    print_message("%" PRIu64 " cases: %" PRIu64 " singular, %" PRIu64 " intervals, %" PRIu64
                  " in doubt, %" PRIu64 " ends wider than 1e-12, widest %g, %" PRIu64 " steps\n",
                  all.cases, all.singular, all.intervals, all.doubtful, all.wide, all.widest, all.steps);
    assert_true(all.doubtful <= 1 + all.cases / 100);
    assert_int_equal(all.wide, 0);
}

/* ---- grazes ---- */

/* The time near `guess` at which the gap is least, by golden sections. */
static double closest(const pair *p, double lo, double hi)
{
    const double golden = 0.3819660112501051;
    double x = lo + golden * (hi - lo), fx = gap_at(p, x);
    for (int i = 0; i < 60 && hi - lo > 1e-9; ++i) {
        const double y = x - lo > hi - x ? x - golden * (x - lo) : x + golden * (hi - x), fy = gap_at(p, y);
        if (fy < fx) {
            *(y < x ? &hi : &lo) = x;
            x = y;
            fx = fy;
        } else
            *(y < x ? &lo : &hi) = y;
    }
    return x;
}

/* Two affine motions of which b is moved until their closest approach is a touch, as far as doubles allow, and then by `deeper`. */
static bool make_graze(uint64_t seed, int degree, double deeper, pair *p, double *at)
{
    test_random r = test_seed(seed);
    *p = (pair){ 0 };
    p->oa.radii = v3(test_uniform(&r, 0.2, 1), test_uniform(&r, 0.2, 1), test_uniform(&r, 0.2, 1));
    p->ob.radii = v3(test_uniform(&r, 0.2, 1), test_uniform(&r, 0.2, 1), test_uniform(&r, 0.2, 1));
    course *const of[2] = { &p->ca, &p->cb };
    for (int k = 0; k < 2; ++k) {
        oracle_motion *o = &of[k]->oracle;
        *o = (oracle_motion){
            .type = ABUT_MOTION_AFFINE, .t0 = 0, .t1 = 1, .matrix_count = (size_t)degree + 1
        };
        for (int i = 0; i <= degree; ++i)
            o->matrices[i] = random_affine(&r, 2, degree ? 0.4 : 0);
    }
    p->oa.motion = &p->ca.oracle;
    p->ob.motion = &p->cb.oracle;
    *at = 0.5;
    const abut_vec3 away = random_vec3(&r, 1);
    const double length = sqrt(away.x * away.x + away.y * away.y + away.z * away.z);
    double lo = 0, hi = 8;
    /* From far along `away` inwards, the first distance at which the least gap is zero. */
    oracle_motion *o = &p->cb.oracle;
    const oracle_motion start = *o;
    for (int i = 0; i < 70; ++i) {
        const double mid = 0.5 * (lo + hi), step = mid / length;
        for (int k = 0; k <= degree; ++k) {
            o->matrices[k].translation.x = start.matrices[k].translation.x + step * away.x;
            o->matrices[k].translation.y = start.matrices[k].translation.y + step * away.y;
            o->matrices[k].translation.z = start.matrices[k].translation.z + step * away.z;
        }
        if (!(mid > lo && mid < hi))
            break;
        double least = INFINITY, t = 0;
        const int samples = i < 6 ? 24 : 0;
        for (int k = 0; k <= samples && i < 6; ++k)
            if (gap_at(p, (double)k / 24) < least) {
                least = gap_at(p, (double)k / 24);
                t = (double)k / 24;
            }
        if (i >= 6)
            t = *at;
        const double reach = i < 6 ? 0.05 : i < 30 ? 0.01 : 1e-4;
        *at = closest(p, fmax(t - reach, 0), fmin(t + reach, 1));
        least = gap_at(p, *at);
        *(least > 0 ? &hi : &lo) = mid;
    }
    const double end = (hi - deeper) / length;
    for (int k = 0; k <= degree; ++k) {
        o->matrices[k].translation.x = start.matrices[k].translation.x + end * away.x;
        o->matrices[k].translation.y = start.matrices[k].translation.y + end * away.y;
        o->matrices[k].translation.z = start.matrices[k].translation.z + end * away.z;
    }
    make_affine(&p->ca);
    make_affine(&p->cb);
    finish_pair(p);
    return *at > 0.02 && *at < 0.98;
}

/* Whatever is reported is right; how much is not decided is counted. */
static void test_grazes(void **state)
{
    (void)state;
    const uint64_t count = test_count(6);
    tally all = { 0 };
    for (uint64_t seed = 1; seed <= count; ++seed)
        for (int kind = 0; kind < 3; ++kind) {
            static const double deeper[] = { 0, 1e-13, 1e-11 };
            pair p;
            double at;
            const bool inside = make_graze(seed, 1 + (int)(seed % 4), deeper[kind], &p, &at);
            const answer found = ask(&p, NULL);
            if (found.status == ABUT_ERR_VALUE)
                ++all.singular;
            else {
                ++all.cases;
                judge(&p, seed, &found, (abut_interval){ 0, 1 }, 40, &all);
                if (inside && gap_at(&p, at) < 0) { /* not missed, however short */
                    bool held = false;
                    for (size_t i = 0; i < found.result.count; ++i)
                        held = held || (found.of[i].enter.lo <= at && at <= found.of[i].exit.hi);
                    TEST_CHECK(held, "seed %" PRIu64 " kind %d: contact at %a missed", seed, kind, at);
                }
            }
            free_pair(&p);
        }
    print_message("%" PRIu64 " grazes: %" PRIu64 " intervals, %" PRIu64 " in doubt, %" PRIu64
                  " ends wider than 1e-12, widest %g, %" PRIu64 " steps\n",
                  all.cases, all.intervals, all.doubtful, all.wide, all.widest, all.steps);
    assert_true(all.doubtful <= 1 + all.cases / 20);
}

/* Side by side along x, radii 1 and 0.5, b passing along y at a distance of 1.5 (1 + k ulp): a touch at exactly one instant, a miss, or a contact of 1e-7 and
 * less. */
static void test_passing(void **state)
{
    (void)state;
    const double speeds[] = { 4, 256, 4096 };
    double touch = 0;
    for (int k = -6; k <= 6; ++k)
        for (size_t i = 0; i < 3; ++i)
            for (int degree = 1; degree <= 3; ++degree) {
                pair p = { 0 };
                tally all = { 0 };
                p.oa.radii = v3(1, 0.5, 0.75);
                p.ob.radii = v3(0.5, 0.25, 1);
                p.ca.oracle = (oracle_motion){ .type = ABUT_MOTION_STATIC };
                assert_int_equal(abut_motion_create_static(&p.ca.oracle.from, NULL, &p.ca.motion, NULL),
                                 ABUT_OK);
                p.cb.oracle = (oracle_motion){
                    .type = ABUT_MOTION_AFFINE, .t0 = 0, .t1 = 1, .matrix_count = (size_t)degree + 1
                };
                const double x = 1.5 + k * 0x1p-52;
                for (int j = 0; j <= degree; ++j) {
                    abut_affine *m = &p.cb.oracle.matrices[j];
                    *m = (abut_affine){ .linear = { { { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 } } } };
                    m->translation = v3(x, speeds[i] * ((double)j / degree - 0.5), 0);
                }
                make_affine(&p.cb);
                finish_pair(&p);
                const answer found = ask(&p, NULL);
                judge(&p, (uint64_t)(k + 6), &found, (abut_interval){ 0, 1 }, 16, &all);
                if (k != 0) {
                    TEST_CHECK(all.doubtful == 0 && found.result.count == (k < 0),
                               "k %d speed %g degree %d: %zu", k, speeds[i], degree, found.result.count);
                    assert_int_equal(all.wide, 0);
                } else { /* proved to touch at 0.5, and apart but for a few ulp next to it */
                    /* Thirds of speeds are rounded: of degree 3 the instant is not a double, and only possible. */
                    TEST_CHECK(found.result.count == 1 &&
                                   (degree == 3 || (all.doubtful == 0 && found.of[0].enter.hi == 0.5 &&
                                                    found.of[0].exit.lo == 0.5)),
                               "speed %g degree %d: %zu", speeds[i], degree, found.result.count);
                    touch = fmax(touch, found.of[0].exit.hi - found.of[0].enter.lo);
                }
                free_pair(&p);
            }
    print_message("the longest touch that is one instant: %g\n", touch);
    assert_true(touch < 1e-12);
}

/* Fast ones, whose first contact is known far better than doubles can state it: x = from - (from + to) t reaches 2. */
static void test_fast(void **state)
{
    (void)state;
    const uint64_t count = test_count(4000);
    abut_shape *ball;
    assert_int_equal(abut_shape_create_sphere(1, NULL, &ball), ABUT_OK);
    for (uint64_t seed = 0; seed < count; ++seed) {
        test_random r = test_seed(seed + 7700000);
        const double from = floor(test_uniform(&r, 8, 1 << 20)), to = floor(test_uniform(&r, 8, 1 << 20));
        const abut_affine way[2] = { { { { { -1, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 } } }, { from, 0, 0 } },
                                     { { { { -1, 0, 0 }, { 0, 1, 0 }, { 0, 0.25, 1 } } }, { -to, 0, 0 } } };
        abut_motion *motion;
        assert_int_equal(abut_motion_create_affine(0, 1, way, 2, NULL, &motion, NULL), ABUT_OK);
        for (int k = ABUT_METHOD_SHOOTING; k <= ABUT_METHOD_SAMPLED; ++k) {
            abut_first_opts opts;
            abut_first_result f;
            abut_first_opts_init(&opts);
            opts.method = (abut_first_method)k;
            assert_int_equal(abut_first_contact(ball, motion, ball, NULL, &opts, NULL, &f), ABUT_OK);
            assert_int_equal(f.verdict, ABUT_FIRST_CONTACT);
            double past[2];
            for (int i = 0; i < 2;
                 ++i) { /* x - 2: the product exactly, and what is left of it exactly, too */
                const double t = i ? f.time.hi : f.time.lo, product = (from + to) * t;
                past[i] = (from - 2 - product) - fma(from + to, t, -product);
            }
            TEST_CHECK(past[0] >= 0 && past[1] <= 0, "seed %" PRIu64 ": %a to %a of it", seed, past[0],
                       past[1]);
        }
        abut_motion_release(motion);
    }
    abut_shape_release(ball);
}

/* They touch between two doubles, by a referee of 113 bits, and part 6e-9 later; the enclosure once began at the later one. */
static void test_between_doubles(void **state)
{
    (void)state;
    static const abut_affine way[5] = {
        { { { { 0x1.b01c2eff34f24p-1, 0x1.58209e089b184p-1, -0x1.0d43562c79249p-1 },
              { -0x1.8c8609f15c9eap-3, 0x1.57cdc8c8e1f16p-1, 0x1.58e370d042bbcp-1 },
              { 0x1.f1b12ccd724dap-1, -0x1.e5d8877761f02p-3, 0x1.439417c67cf48p-1 } } },
          { 0x1.291765a3ddff6p+0, -0x1.c09cdbf1e1eap-4, 0x1.ab89ccee4f1d4p+0 } },
        { { { { 0x1.6096cd32f5efep-1, 0x1.44d70ede8d8b8p-1, -0x1.2e0ebc1b3cf29p-1 },
              { -0x1.165b910b64655p-1, 0x1.18d816881946p-1, 0x1.3b06ee926cb3fp-1 },
              { 0x1.00a5f9744a902p+0, -0x1.e3bc2950ee92cp-3, 0x1.8f8c452bdc892p-1 } } },
          { -0x1.a9ad388f0eb2p+0, -0x1.a4e348d741ac4p-1, 0x1.bdd35af0bd714p-1 } },
        { { { { 0x1.50d6338e3abc1p-1, 0x1.9e47cbba3d318p-1, -0x1.2f2773e154c89p-1 },
              { -0x1.8467d8b405dfap-2, 0x1.4c5e8e2ad2958p-1, 0x1.2ca8883c8c8ccp-1 },
              { 0x1.ca3eda42a5a16p-1, -0x1.bf26c009015p-5, 0x1.9fbdf8f336954p-1 } } },
          { 0x1.00c5657932394p-1, 0x1.59c897e2a920cp+0, -0x1.fe81040256adp+0 } },
        { { { { 0x1.8181bc041b599p-1, 0x1.e3369818f76p-1, -0x1.4fd55b27cbacfp-2 },
              { -0x1.7d76e11ecd3f9p-2, 0x1.518f7c0f714b4p-2, 0x1.042dab4a45adbp-1 },
              { 0x1.5d6f63348c9f6p-1, -0x1.3311591eb3cap-6, 0x1.00ec171a67034p-1 } } },
          { -0x1.3b58e116bd01ap+0, 0x1.0cb400ca1a2aep+1, -0x1.2b729022fb2d4p+0 } },
        { { { { 0x1.b5a4b13d37fa5p-1, 0x1.cc7a3f2f0d642p-1, -0x1.a0ed09bfd4884p-2 },
              { -0x1.b9963ce015668p-2, 0x1.b8821a7065b65p-2, 0x1.245da128eb92ep-1 },
              { 0x1.58dfb3b89c18ep-1, -0x1.f94cccf108334p-4, 0x1.6c15d23436fcap-1 } } },
          { -0x1.34b262d91506cp-1, -0x1.25e3be38d1a9ep-1, 0x1.119a7d0065e4ep+0 } }
    };
    static const abut_affine place = {
        { { { 0x1.6a39e8cc48d48p-1, -0x1.7b5a5fed3361fp-2, -0x1.fded7f4d940e1p-3 },
            { 0x1.8ac5d51ffd41p-2, 0x1.2b793197fe189p-3, 0x1.9533dd353f987p-1 },
            { -0x1.29abe96a4fb9cp-2, -0x1.b4ff9bd86224ep-1, -0x1.f77e885f9e3fp-6 } } },
        { -0x1.027e259b38c34p+0, 0x1.0de4e5dadabdp-2, -0x1.d5a4222ff0562p-1 }
    };
    const abut_vec3 radii_a = { 0x1.ce78b460c5a7p-2, 0x1.63d0eca3a75a1p+0, 0x1.8e9b8d6fcfd5fp-3 };
    const abut_vec3 radii_b = { 0x1.b0cae50bce098p-5, 0x1.80501eb0be8fep-4, 0x1.3be7f81ccc4a9p-2 };
    abut_shape *a, *b;
    abut_motion *ma, *mb;
    abut_first_result f;
    assert_int_equal(abut_shape_create_ellipsoid(radii_a, NULL, &a), ABUT_OK);
    assert_int_equal(abut_shape_create_ellipsoid(radii_b, NULL, &b), ABUT_OK);
    assert_int_equal(abut_motion_create_affine(0, 1, way, 5, NULL, &ma, NULL), ABUT_OK);
    assert_int_equal(abut_motion_create_static_affine(&place, NULL, &mb, NULL), ABUT_OK);
    assert_int_equal(abut_first_contact(a, ma, b, mb, NULL, NULL, &f), ABUT_OK);
    assert_int_equal(f.verdict, ABUT_FIRST_CONTACT);
    assert_true(f.time.lo <= 0.50258302656140952 && f.time.hi >= 0.50258302656140963);
    abut_motion_release(ma);
    abut_motion_release(mb);
    abut_shape_release(a);
    abut_shape_release(b);
}

/* Along a graze the walk of convex bodies spends its budget; the first contact is found all the same, and as soon. */
static void test_graze_after_walk(void **state)
{
    (void)state;
    static const double x[] = { 0.1, 3 };
    const abut_placement from = { .position = { 0, 0, 0 } };
    const abut_placement to = { .rotation = {
                                    .kind = ABUT_ROTATION_DEGREES, .axis = { 0, 0, 1 }, .angle = 90 } };
    abut_shape *a, *b;
    abut_motion *turns;
    assert_int_equal(abut_shape_create_ellipsoid((abut_vec3){ 1, 1, 0.5 }, NULL, &a), ABUT_OK);
    assert_int_equal(abut_shape_create_ellipsoid((abut_vec3){ 1, 0.5, 0.75 }, NULL, &b), ABUT_OK);
    assert_int_equal(abut_motion_create_screw(0, 1, &from, &to, NULL, &turns, NULL), ABUT_OK);
    for (int k = 0; k < 8; ++k) {
        const double deep = (k & 1 ? -1 : 1) * pow(10, -8 - (k >> 1)), z = 2 * (1.25 - deep);
        const abut_series position[3] = { { x, 2 }, { NULL, 0 }, { &z, 1 } }, none[4] = { { NULL, 0 } };
        abut_motion *passes;
        abut_first_result r;
        assert_int_equal(abut_motion_create_chebyshev(0, 1, position, none, NULL, &passes, NULL), ABUT_OK);
        assert_int_equal(abut_first_contact(a, turns, b, passes, NULL, NULL, &r), ABUT_OK);
        TEST_CHECK(r.verdict == (deep > 0 ? ABUT_FIRST_CONTACT : ABUT_FIRST_SEPARATE) &&
                       r.counters.iterations < 2000,
                   "by %g: %d after %" PRIu64, deep, (int)r.verdict, r.counters.iterations);
        abut_motion_release(passes);
    }
    abut_motion_release(turns);
    abut_shape_release(a);
    abut_shape_release(b);
}

/* ---- bad input and extremes ---- */

static void test_singular(void **state)
{
    (void)state;
    abut_affine m[2] = { { .linear = { { { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 } } } },
                         { .linear = { { { -3, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 } } } } };
    abut_motion *flat, *mirrored;
    abut_shape *egg = make_shape(v3(1, 2, 3));
    assert_int_equal(abut_motion_create_affine(0, 1, m, 2, NULL, &flat, NULL), ABUT_OK);
    m[0].linear.m[0][0] = -1;
    m[0].translation.x = m[1].translation.x = 5;
    m[1].translation.x = 4;
    assert_int_equal(abut_motion_create_affine(0, 1, m, 2, NULL, &mirrored, NULL), ABUT_OK);
    abut_contact_interval in[4];
    abut_intervals_result found;
    assert_int_equal(abut_contact_intervals(egg, flat, egg, mirrored, NULL, NULL, in, 4, &found),
                     ABUT_ERR_VALUE);
    bool is;
    abut_interval at, range = { 0, 1 };
    assert_int_equal(abut_ellipsoid_find_singular(flat, &range, &is, &at), ABUT_OK);
    assert_true(is && at.lo <= 0.25 && at.hi >= 0.25 && at.hi - at.lo < 1e-12);
    range.hi = 0.2;
    assert_int_equal(abut_ellipsoid_find_singular(flat, &range, &is, &at), ABUT_OK);
    assert_false(is);
    assert_int_equal(abut_ellipsoid_find_singular(mirrored, &range, &is, &at), ABUT_OK);
    assert_false(is);
    /* Mirrored all the time: fine. It reaches x = 5 - t - 1 - 2 t; the other reaches 1. */
    assert_int_equal(abut_contact_intervals(egg, NULL, egg, mirrored, NULL, NULL, in, 4, &found), ABUT_OK);
    assert_int_equal(found.count, 1);
    assert_true(in[0].enter.lo <= 1 && in[0].enter.hi == 1 && in[0].enter.lo > 1 - 1e-6);
    abut_motion_release(flat);
    abut_motion_release(mirrored);
    abut_shape_release(egg);
}

/* Aspect 1e6 in radii and in maps; centres up to 1e9 apart; one body 1e6 times the other. */
static void test_extremes(void **state)
{
    (void)state;
    const uint64_t count = test_count(60);
    tally all = { 0 };
    for (uint64_t seed = 1; seed <= count; ++seed) {
        test_random r = test_seed(seed + 5000);
        pair p = { 0 };
        const int kind = (int)(seed % 3);
        const double thin = kind == 0 ? 1e-6 : 0.5, far = kind == 1 ? 1e9 : 3, tiny = kind == 2 ? 1e-6 : 1;
        p.oa.radii = v3(1, thin * test_uniform(&r, 1, 2), test_uniform(&r, 0.2, 1));
        p.ob.radii = v3(tiny * test_uniform(&r, 0.2, 1), tiny * 0.7, tiny * test_uniform(&r, 0.2, 1));
        make_course(&r, NLERP, 1, &p.ca);
        p.cb.oracle = (oracle_motion){
            .type = ABUT_MOTION_AFFINE, .t0 = 0, .t1 = 1, .matrix_count = 2 + test_below(&r, 2)
        };
        for (size_t i = 0; i < p.cb.oracle.matrix_count; ++i)
            p.cb.oracle.matrices[i] = random_affine(&r, i ? far : 0.5, 0.3);
        make_affine(&p.cb);
        finish_pair(&p);
        const answer found = ask(&p, NULL);
        ++all.cases;
        if (found.status == ABUT_ERR_VALUE)
            ++all.singular;
        else
            judge(&p, seed, &found, (abut_interval){ 0, 1 }, 16, &all);
        free_pair(&p);
    }
    print_message("%" PRIu64 " extremes: %" PRIu64 " singular, %" PRIu64 " intervals, %" PRIu64
                  " in doubt, widest %g\n",
                  all.cases, all.singular, all.intervals, all.doubtful, all.widest);
    assert_true(all.doubtful <= 1 + all.cases / 20);
    assert_int_equal(all.wide, 0);
}

/* Discs and needles of aspect 1e4 and 1e6 against each other, under all kinds of motions. F has its greatest value next to an end of u there, at 1e-8 and less. */
static void test_thin(void **state)
{
    (void)state;
    const uint64_t count = test_count(40);
    tally all = { 0 };
    for (uint64_t seed = 1; seed <= count; ++seed) {
        test_random r = test_seed(seed + 7000);
        pair p = { 0 };
        const double thin = seed % 2 ? 1e-4 : 1e-6;
        abut_vec3 *const radii[2] = { &p.oa.radii, &p.ob.radii };
        for (int k = 0; k < 2; ++k) {
            double h[3];
            for (int i = 0; i < 3; ++i)
                h[i] = pow(thin, test_uniform(&r, 0, 1));
            h[test_below(&r, 3)] = thin;
            h[test_below(&r, 3)] = 1;
            *radii[k] = v3(h[0], h[1], h[2]);
        }
        const int kind_a = test_below(&r, 2) ? AFFINE : (int)test_below(&r, KINDS);
        const int kind_b = test_below(&r, 2) ? AFFINE : (int)test_below(&r, KINDS);
        make_course(&r, kind_a, 1, &p.ca);
        make_course(&r, kind_b, 1, &p.cb);
        finish_pair(&p);
        const answer found = ask(&p, NULL);
        ++all.cases;
        if (found.status == ABUT_ERR_VALUE)
            ++all.singular;
        else {
            abut_first_result first;
            judge(&p, seed, &found, (abut_interval){ 0, 1 }, 16, &all);
            assert_int_equal(abut_first_contact(p.a, p.ca.motion, p.b, p.cb.motion, NULL, NULL, &first),
                             ABUT_OK);
            TEST_CHECK(first.verdict != ABUT_FIRST_CONTACT || first.time.hi - first.time.lo <= 1e-12,
                       "seed %" PRIu64 ": first contact %g wide", seed, first.time.hi - first.time.lo);
        }
        free_pair(&p);
    }
    print_message("%" PRIu64 " thin: %" PRIu64 " singular, %" PRIu64 " intervals, %" PRIu64
                  " in doubt, %" PRIu64 " ends wider than 1e-12, widest %g\n",
                  all.cases, all.singular, all.intervals, all.doubtful, all.wide, all.widest);
    assert_true(all.doubtful <= 1 + all.cases / 10);
    assert_int_equal(all.wide, 0);
}

/* ---- what must not change ---- */

static bool overlap(abut_interval a, abut_interval b)
{
    return a.lo <= b.hi && b.lo <= a.hi;
}

static abut_interval reversed(abut_interval a)
{
    return (abut_interval){ (1 - a.hi) - 0x1p-52, (1 - a.lo) + 0x1p-52 };
}

static void test_symmetry(void **state)
{
    (void)state;
    const uint64_t count = test_count(100);
    for (uint64_t seed = 1; seed <= count; ++seed) {
        pair p, q, back = { 0 };
        make_random(seed, &p);
        const answer found = ask(&p, NULL);
        q = p;
        q.a = p.b;
        q.b = p.a;
        q.ca = p.cb;
        q.cb = p.ca;
        const answer swapped = ask(&q, NULL);
        TEST_CHECK(swapped.status == found.status, "seed %" PRIu64, seed);
        if (found.status == ABUT_OK && found.result.proof >= ABUT_PROOF_INTERVAL) {
            TEST_CHECK(swapped.result.count == found.result.count, "seed %" PRIu64, seed);
            for (size_t i = 0; i < found.result.count; ++i)
                TEST_CHECK(overlap(found.of[i].enter, swapped.of[i].enter) &&
                               overlap(found.of[i].exit, swapped.of[i].exit),
                           "seed %" PRIu64, seed);
            /* Split at 0.375: contacts there are cut, all else stays. */
            const abut_interval first = { 0, 0.375 }, rest = { 0.375, 1 };
            const answer left = ask(&p, &first), right = ask(&p, &rest);
            size_t cut = 0;
            for (size_t i = 0; i < found.result.count; ++i)
                cut += found.of[i].enter.hi < 0.375 && found.of[i].exit.lo > 0.375;
            TEST_CHECK(left.result.count + right.result.count == found.result.count + cut, "seed %" PRIu64,
                       seed);
            for (size_t i = 0; i < left.result.count; ++i)
                TEST_CHECK(overlap(left.of[i].enter, found.of[i].enter), "seed %" PRIu64, seed);
            for (size_t i = 0; i < right.result.count; ++i)
                TEST_CHECK(
                    overlap(right.of[i].exit, found.of[i + found.result.count - right.result.count].exit),
                    "seed %" PRIu64, seed);
        }
        if (found.status == ABUT_OK && p.ca.oracle.type == ABUT_MOTION_AFFINE &&
            p.cb.oracle.type == ABUT_MOTION_AFFINE) {
            back.oa = p.oa;
            back.ob = p.ob;
            back.ca.oracle = p.ca.oracle;
            back.cb.oracle = p.cb.oracle;
            for (size_t i = 0; i < p.ca.oracle.matrix_count; ++i)
                back.ca.oracle.matrices[i] = p.ca.oracle.matrices[p.ca.oracle.matrix_count - 1 - i];
            for (size_t i = 0; i < p.cb.oracle.matrix_count; ++i)
                back.cb.oracle.matrices[i] = p.cb.oracle.matrices[p.cb.oracle.matrix_count - 1 - i];
            make_affine(&back.ca);
            make_affine(&back.cb);
            finish_pair(&back);
            const answer turned = ask(&back, NULL);
            const size_t n = found.result.count;
            TEST_CHECK(turned.result.count == n, "seed %" PRIu64, seed);
            for (size_t i = 0; i < n; ++i)
                TEST_CHECK(overlap(reversed(turned.of[n - 1 - i].exit), found.of[i].enter) &&
                               overlap(reversed(turned.of[n - 1 - i].enter), found.of[i].exit),
                           "seed %" PRIu64, seed);
            free_pair(&back);
        }
        free_pair(&p);
    }
}

/* ---- independent motions ---- */

static void judge_cover(const pair *p, uint64_t seed, const abut_cover_interval *of, size_t count,
                        bool exchanged, test_random *r)
{
    enum { TIMES = 4, OTHERS = 24 };
    for (int i = 0; i < TIMES; ++i) {
        const double s = test_uniform(r, 0, 1);
        bool apart = false, deep = false;
        for (int k = 0; k <= OTHERS; ++k) {
            const double t = (double)k / OTHERS;
            const double gap = exchanged ? oracle_ellipsoids_gap(&p->oa, t, &p->ob, s)
                                         : oracle_ellipsoids_gap(&p->oa, s, &p->ob, t);
            apart = apart || gap > 0;
            deep = deep || gap < 0;
        }
        for (size_t k = 0; k < count; ++k) {
            if (!(s >= of[k].from.hi && s <= of[k].to.lo))
                continue;
            TEST_CHECK(of[k].cover != ABUT_COVER_SEPARATE || !deep,
                       "seed %" PRIu64 " at %a: reported separate", seed, s);
            TEST_CHECK(of[k].cover != ABUT_COVER_PENETRATING || !apart,
                       "seed %" PRIu64 " at %a: reported deep", seed, s);
            TEST_CHECK(of[k].cover != ABUT_COVER_TOUCHING || apart || deep, "seed %" PRIu64, seed);
        }
    }
}

/* At an extreme point of s the gap is zero within the box, and just beyond its ends of s all of t has one sign on one side. */
static void judge_extreme(const pair *p, uint64_t seed, const abut_extreme_point *at)
{
    const double s = 0.5 * (at->s.lo + at->s.hi), t = 0.5 * (at->t.lo + at->t.hi);
    const double gap = oracle_ellipsoids_gap(&p->oa, s, &p->ob, t);
    TEST_CHECK(fabs(gap) < 1e-4, "seed %" PRIu64 " s %a t %a: gap %g", seed, s, t, gap);
    TEST_CHECK(at->u.lo >= 0 && at->u.lo <= at->u.hi && at->u.hi <= 1, "seed %" PRIu64, seed);
}

static void test_independent(void **state)
{
    (void)state;
    const uint64_t count = test_count(8);
    uint64_t extremes = 0, unique = 0, unknown = 0, cases = 0;
    for (uint64_t seed = 1; seed <= count; ++seed) {
        test_random r = test_seed(seed + 900);
        pair p = { 0 };
        abut_cover_interval s[MOST], t[MOST];
        abut_extreme_point es[MOST], et[MOST];
        abut_independent_result found;
        p.oa.radii = v3(test_uniform(&r, 0.3, 1), test_uniform(&r, 0.3, 1), test_uniform(&r, 0.3, 1));
        p.ob.radii = v3(test_uniform(&r, 0.3, 1), test_uniform(&r, 0.3, 1), test_uniform(&r, 0.3, 1));
        make_course(&r, test_below(&r, 3) ? AFFINE : (int)test_below(&r, KEYFRAMES), 2, &p.ca);
        make_course(&r, test_below(&r, 3) ? AFFINE : (int)test_below(&r, KEYFRAMES), 2, &p.cb);
        finish_pair(&p);
        abut_independent_opts opts;
        abut_independent_opts_init(&opts);
        opts.s = opts.t = (abut_interval){ 0, 1 };
        opts.accuracy = 1e-6;
        opts.max_iterations = 40000;
        const abut_status status = abut_independent_contact(p.a, p.ca.motion, p.b, p.cb.motion, &opts, NULL,
                                                            s, MOST, t, MOST, es, MOST, et, MOST, &found);
        TEST_CHECK(status == ABUT_OK || status == ABUT_ERR_VALUE, "seed %" PRIu64 " status %d", seed, status);
        if (status == ABUT_OK) {
            ++cases;
            assert_true(found.s_count > 0 && found.s_count <= MOST && found.t_count > 0 &&
                        found.t_count <= MOST);
            assert_true(s[0].from.lo == 0 && s[found.s_count - 1].to.hi == 1);
            for (size_t i = 0; i + 1 < found.s_count; ++i)
                assert_true(s[i].to.lo == s[i + 1].from.lo && s[i].to.hi == s[i + 1].from.hi);
            judge_cover(&p, seed, s, found.s_count, false, &r);
            judge_cover(&p, seed, t, found.t_count, true, &r);
            for (size_t i = 0; i < found.s_extremes; ++i, ++extremes) {
                judge_extreme(&p, seed, &es[i]);
                unique += es[i].unique;
            }
            for (size_t i = 0; i < found.t_extremes; ++i, ++extremes) {
                judge_extreme(&p, seed, &et[i]);
                unique += et[i].unique;
            }
            unknown += found.proof < ABUT_PROOF_INTERVAL;
        }
        free_pair(&p);
    }
    print_message("%" PRIu64 " independent: %" PRIu64 " extreme points, %" PRIu64 " proved unique; %" PRIu64
                  " in doubt\n",
                  cases, extremes, unique, unknown);
    assert_true(unknown <= 1 + cases / 2); /* few cases say nothing */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_random_motions),   cmocka_unit_test(test_grazes),
        cmocka_unit_test(test_passing),          cmocka_unit_test(test_singular),
        cmocka_unit_test(test_extremes),         cmocka_unit_test(test_thin),
        cmocka_unit_test(test_symmetry),         cmocka_unit_test(test_independent),
        cmocka_unit_test(test_graze_after_walk), cmocka_unit_test(test_fast),
        cmocka_unit_test(test_between_doubles),
    };
    oracle_ellipsoids_begin();
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    oracle_ellipsoids_end();
    return failed;
}
