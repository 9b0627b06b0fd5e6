/* SPDX-License-Identifier: MIT */
/* The quick distance of cylinders and cones: pairs whose nearest points are known because they
 * were put along a direction of one of them, random pairs against the referee of convex pairs,
 * and pairs that move, with a cache; slim, flat, of different sizes, with axes that are parallel
 * or at right angles, and with caches that hold anything. It may say nothing, but not of most
 * pairs. */
#include "narrow/quick/quick.h"
#include "oracle/convex_pair.h"
#include "support/test.h"

typedef struct item {
    abut_shape *shape;
    oracle_body body;
} item;

typedef struct pair {
    item a, b;
    oracle_convex at;
} pair;

static item make(test_random *r, double scale, double octaves)
{
    const double radius = scale * exp2(-test_uniform(r, 0, octaves)),
                 half = scale * exp2(-test_uniform(r, 0, octaves));
    const bool cone = test_below(r, 2);
    item out = { NULL, { .core = cone ? ORACLE_CORE_CONE : ORACLE_CORE_CYLINDER, .h = { radius, 0, half } } };
    assert_int_equal(cone ? abut_shape_create_cone(radius, 2 * half, NULL, &out.shape)
                          : abut_shape_create_cylinder(radius, 2 * half, NULL, &out.shape),
                     ABUT_OK);
    return out;
}

static void release(pair *p)
{
    abut_shape_release(p->a.shape);
    abut_shape_release(p->b.shape);
}

static abut_vec3 direction(test_random *r)
{
    return (abut_vec3){ test_uniform(r, -1, 1), test_uniform(r, -1, 1), test_uniform(r, -1, 1) };
}

/* Any, or one with axes along axes, or nearly so. */
static abut_quat rotation(test_random *r)
{
    static const abut_quat quarter[4] = { { 1, 0, 0, 0 }, { 1, 1, 0, 0 }, { 0, 1, 0, 0 }, { 1, 0, 1, 0 } };
    abut_quat q = { test_uniform(r, -1, 1), test_uniform(r, -1, 1), test_uniform(r, -1, 1),
                    test_uniform(r, -1, 1) };
    if (test_below(r, 3) == 0) {
        const double tilt = test_below(r, 2) ? 0 : test_log_uniform(r, -60, 0);
        q = quarter[test_below(r, 4)];
        q.y += tilt;
        q.z -= 0.5 * tilt;
    }
    return q;
}

static void cross(const long double a[3], const long double b[3], long double out[3])
{
    for (int i = 0; i < 3; ++i)
        out[i] = a[(i + 1) % 3] * b[(i + 2) % 3] - a[(i + 2) % 3] * b[(i + 1) % 3];
}

/* How far p is outside of the placed body. */
static long double outside(const oracle_body *body, const abut_pose *pose, abut_vec3 p)
{
    const abut_quat q = pose->rotation;
    const long double norm =
        (long double)q.w * q.w + (long double)q.x * q.x + (long double)q.y * q.y + (long double)q.z * q.z;
    const long double d[3] = { (long double)p.x - pose->position.x, (long double)p.y - pose->position.y,
                               (long double)p.z - pose->position.z },
                      v[3] = { -(long double)q.x, -(long double)q.y, -(long double)q.z };
    long double once[3], again[3], local[3];
    cross(v, d, once);
    cross(v, once, again);
    for (int i = 0; i < 3; ++i)
        local[i] = d[i] + 2 * (q.w * once[i] + again[i]) / norm;
    const long double r = body->h.x, h = body->h.z, rho = hypotl(local[0], local[1]), z = local[2];
    const long double cap = fabsl(z) - h;
    long double side = rho - r;
    if (body->core == ORACLE_CORE_CONE)
        side = (2 * h * (rho - r) + r * (z + h)) / hypotl(2 * h, r);
    return cap > side ? cap : side;
}

/* What holds of every answer: the enclosure is narrow, and the points are of the bodies and as
 * far apart as it says. */
static void check_answer(const pair *p, const abut_distance_result *d, long double gap_lo, long double gap_hi,
                         uint64_t seed)
{
    const abut_vec3 t = { p->at.pose_b.position.x - p->at.pose_a.position.x,
                          p->at.pose_b.position.y - p->at.pose_a.position.y,
                          p->at.pose_b.position.z - p->at.pose_a.position.z };
    const double far = sqrt(t.x * t.x + t.y * t.y + t.z * t.z),
                 scale = far + p->a.shape->core.size + p->b.shape->core.size,
                 world = scale + abut_max_norm(p->at.pose_a.position);
    if (d->verdict == ABUT_PENETRATING) {
        TEST_CHECK(gap_lo < 0 && d->distance.hi == 0 && !d->has_points,
                   "seed %" PRIu64 ": penetrating, gap [%La, %La]", seed, gap_lo, gap_hi);
        return;
    }
    TEST_CHECK(d->verdict == ABUT_SEPARATE && d->proof == ABUT_PROOF_INTERVAL && d->has_points,
               "seed %" PRIu64, seed);
    TEST_CHECK(d->distance.lo <= gap_hi && d->distance.hi >= gap_lo && d->distance.lo > 0,
               "seed %" PRIu64 ": [%a, %a], but the gap is in [%La, %La]", seed, d->distance.lo,
               d->distance.hi, gap_lo, gap_hi);
    TEST_CHECK(d->distance.hi - d->distance.lo <= 1e-13 * scale, "seed %" PRIu64 ": [%a, %a] is wide", seed,
               d->distance.lo, d->distance.hi);
    const long double w[3] = { (long double)d->point_b.x - d->point_a.x,
                               (long double)d->point_b.y - d->point_a.y,
                               (long double)d->point_b.z - d->point_a.z };
    const long double length = sqrtl(w[0] * w[0] + w[1] * w[1] + w[2] * w[2]),
                      along = w[0] * d->normal.x + w[1] * d->normal.y + w[2] * d->normal.z,
                      off_a = outside(&p->a.body, &p->at.pose_a, d->point_a),
                      off_b = outside(&p->b.body, &p->at.pose_b, d->point_b);
    TEST_CHECK(fabsl(length - d->distance.hi) <= 1e-13 * world && fabsl(along - length) <= 1e-13 * world,
               "seed %" PRIu64 ": points %La apart, %La along the normal, distance [%a, %a]", seed, length,
               along, d->distance.lo, d->distance.hi);
    TEST_CHECK(off_a <= 2e-14 * world && off_b <= 2e-14 * world,
               "seed %" PRIu64 ": points outside by %Lg and %Lg", seed, off_a, off_b);
    const double unit = d->normal.x * d->normal.x + d->normal.y * d->normal.y + d->normal.z * d->normal.z;
    TEST_CHECK(fabs(unit - 1) <= 8e-15, "seed %" PRIu64 ": normal %a", seed, unit);
}

/* Nothing, something, nonsense, or the very direction. */
static void fill_cache(test_random *r, abut_vec3 n, abut_cache *cache)
{
    static const double odd[] = { NAN, INFINITY, 1e-300, -1e200, 0.9 };
    memset(cache, 0, sizeof *cache);
    const uint64_t kind = test_below(r, 4);
    const double length = sqrt(n.x * n.x + n.y * n.y + n.z * n.z);
    for (int i = 0; i < 3 && kind > 0; ++i)
        cache->axis[i] = kind == 1   ? test_uniform(r, -1, 1)
                         : kind == 2 ? odd[test_below(r, 5)]
                                     : (i == 0   ? n.x
                                        : i == 1 ? n.y
                                                 : n.z) /
                                           length;
}

static bool ask(const pair *p, abut_cache *cache, abut_distance_result *out)
{
    memset(out, 0x5a, sizeof *out);
    abut_distance_opts opts;
    abut_distance_opts_init(&opts);
    opts.cache = cache;
    return abut_quick_distance_cylinders(p->a.shape, &p->at.pose_a, p->b.shape, &p->at.pose_b, &opts, out);
}

/* b so that its nearest point is delta along n from a's: then the gap is delta, but for the
 * rounding of b's place. */
static void known_gaps(void **state)
{
    (void)state;
    uint64_t decided = 0;
    const uint64_t count = test_count(200000);
    for (uint64_t seed = 0; seed < count; ++seed) {
        test_random r = test_seed(seed);
        const double octaves = test_below(&r, 2) ? 2 : 14, scale = ldexp(1, (int)test_below(&r, 41) - 20);
        pair p = { make(&r, scale, octaves),
                   make(&r, test_below(&r, 4) ? scale : scale * fabs(test_log_uniform(&r, -12, 12)), octaves),
                   { NULL, NULL, { { 0, 0, 0 }, rotation(&r) }, { { 0, 0, 0 }, rotation(&r) } } };
        const abut_vec3 n =
            test_below(&r, 4) ? direction(&r) : (abut_vec3){ 0, 0, test_below(&r, 2) ? 1 : -1 };
        const double size = p.a.shape->core.size + p.b.shape->core.size,
                     delta = size * fabs(test_log_uniform(&r, -50, 2));
        const long double length =
            sqrtl((long double)n.x * n.x + (long double)n.y * n.y + (long double)n.z * n.z);
        const long double to[3] = { n.x / length, n.y / length, n.z / length },
                          from[3] = { -to[0], -to[1], -to[2] };
        long double x[3], y[3];
        oracle_convex_support(&p.a.body, p.at.pose_a.rotation, to, x);
        oracle_convex_support(&p.b.body, p.at.pose_b.rotation, from, y);
        p.at.pose_b.position =
            (abut_vec3){ (double)(x[0] - y[0] + delta * to[0]), (double)(x[1] - y[1] + delta * to[1]),
                         (double)(x[2] - y[2] + delta * to[2]) };
        const long double error = 0x1p-52L * (size + delta);
        abut_cache cache;
        abut_distance_result d;
        fill_cache(&r, n, &cache);
        if (ask(&p, test_below(&r, 2) ? &cache : NULL, &d)) {
            ++decided;
            check_answer(&p, &d, delta - error, delta + error, seed);
        }
        release(&p);
    }
    TEST_CHECK(decided > count / 2, "only %" PRIu64 " of %" PRIu64 " decided", decided, count);
}

/* A pair over some frames, with a cache, against the referee. */
static void moving_pairs(void **state)
{
    (void)state;
    uint64_t decided = 0, asked = 0;
    const uint64_t count = test_count(400);
    for (uint64_t seed = 0; seed < count; ++seed) {
        test_random r = test_seed(seed);
        pair p = { make(&r, 1, 3),
                   make(&r, 1, 3),
                   { NULL, NULL, { direction(&r), rotation(&r) }, { { 0, 0, 0 }, rotation(&r) } } };
        abut_vec3 at = direction(&r), drift = direction(&r);
        const abut_quat spin = rotation(&r);
        abut_cache cache = { 0 };
        p.at.a = &p.a.body;
        p.at.b = &p.b.body;
        for (int frame = 0; frame < 16; ++frame) {
            const double s = 0.02 * frame;
            p.at.pose_b.position = (abut_vec3){ p.at.pose_a.position.x + 2 * at.x + s * drift.x,
                                                p.at.pose_a.position.y + 2 * at.y + s * drift.y,
                                                p.at.pose_a.position.z + 2 * at.z + s * drift.z };
            p.at.pose_b.rotation.w += 0.02 * spin.w;
            p.at.pose_b.rotation.y += 0.02 * spin.x;
            abut_distance_result d;
            ++asked;
            if (!ask(&p, &cache, &d))
                continue;
            ++decided;
            const bool apart = d.verdict == ABUT_SEPARATE;
            const oracle_gap gap = oracle_convex_gap(&p.at, apart ? &d.normal : &at, 1, ORACLE_QUICK,
                                                     -HUGE_VALL, apart ? HUGE_VALL : 0);
            check_answer(&p, &d, gap.lo, gap.hi, seed);
        }
        release(&p);
    }
    TEST_CHECK(decided > asked * 9 / 10, "only %" PRIu64 " of %" PRIu64 " decided", decided, asked);
}

static void nothing_is_said_of_bad_poses(void **state)
{
    (void)state;
    static const double odd[] = { NAN, INFINITY, -INFINITY, 1e300, 0 };
    test_random r = test_seed(1);
    for (int i = 0; i < 5; ++i)
        for (int k = 0; k < 4; ++k) {
            pair p = { make(&r, 1, 2),
                       make(&r, 1, 2),
                       { NULL, NULL, { { 0, 0, 0 }, { 1, 0.5, 0, 0 } }, { { 0, 7, 0 }, { 1, 0, 0.3, 0 } } } };
            abut_pose *bad = k & 1 ? &p.at.pose_a : &p.at.pose_b;
            abut_distance_result d;
            assert_true(ask(&p, NULL, &d));
            if (k & 2)
                bad->rotation = (abut_quat){ odd[i], 0, odd[i], 0 };
            else if (odd[i] != 0)
                bad->position.y = odd[i];
            else
                bad->rotation = (abut_quat){ 0, 0, 0, 0 };
            assert_false(ask(&p, NULL, &d));
            release(&p);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(known_gaps), cmocka_unit_test(moving_pairs),
                                        cmocka_unit_test(nothing_is_said_of_bad_poses) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
