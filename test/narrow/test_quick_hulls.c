/* SPDX-License-Identifier: MIT */
/* The quick ways of two small hulls: every vertex placed in long doubles, along the normal that
 * was found, says what the distance is at least, and the points found what it is at most. */
#include "narrow/quick/quick.h"
#include "support/test.h"

#include "shape/shape.h"

typedef long double real;

enum { SMALL = 32, MOST = 320 };

typedef struct body {
    abut_shape *shape;
    abut_vec3 point[MOST];
    unsigned count;
    double radius, size;
} body;

/* Ellipsoids with aspects up to 1000, grids with many points in a plane, flat bodies. */
static void make_body(test_random *r, unsigned most, body *out)
{
    const unsigned kind = test_below(r, 8);
    const double scale = test_uniform(r, 0.25, 2);
    double axis[3];
    for (int i = 0; i < 3; ++i)
        axis[i] = scale * (kind == 0 ? fabs(test_log_uniform(r, -10, 0)) : test_uniform(r, 0.2, 1));
    if (kind == 1)
        axis[test_below(r, 3)] = 0;
    out->count = 4 + test_below(r, most - 3);
    out->radius = test_below(r, 4) == 0 ? test_uniform(r, 0, 0.2) : 0;
    out->size = 0;
    for (unsigned i = 0; i < out->count; ++i) {
        double p[3], square;
        do {
            square = 0;
            for (int k = 0; k < 3; ++k) {
                p[k] = kind == 2 || kind == 3 ? (double)test_below(r, 3) - 1 : test_uniform(r, -1, 1);
                square += p[k] * p[k];
            }
        } while (square < 0.01);
        const double s = kind == 2 || kind == 3 ? 1 : 1 / sqrt(square);
        out->point[i] = (abut_vec3){ axis[0] * p[0] * s, axis[1] * p[1] * s, axis[2] * p[2] * s };
        out->size = fmax(out->size, sqrt(abut_dot(out->point[i], out->point[i])));
    }
    assert_int_equal(abut_shape_create_convex(out->point, out->count, out->radius, NULL, &out->shape, NULL),
                     ABUT_OK);
}

static abut_quat any_rotation(test_random *r)
{
    switch (test_below(r, 6)) {
    case 0: return (abut_quat){ 1, 0, 0, 0 };
    case 1: return (abut_quat){ 1, 1, 0, 0 };
    case 2: return (abut_quat){ 0.5, 0.5, -0.5, 0.5 };
    default:
        return (abut_quat){ test_uniform(r, -1, 1), test_uniform(r, -1, 1), test_uniform(r, -1, 1),
                            test_uniform(r, -1, 1) };
    }
}

/* From `origin`: far away from it long doubles would be no better than what they judge. */
static void place(const abut_pose *at, abut_vec3 origin, abut_vec3 p, real out[3])
{
    const real w = at->rotation.w, x = at->rotation.x, y = at->rotation.y, z = at->rotation.z,
               n = w * w + x * x + y * y + z * z;
    out[0] =
        ((w * w + x * x - y * y - z * z) * p.x + 2 * (x * y - w * z) * p.y + 2 * (x * z + w * y) * p.z) / n +
        ((real)at->position.x - origin.x);
    out[1] =
        (2 * (x * y + w * z) * p.x + (w * w + y * y - x * x - z * z) * p.y + 2 * (y * z - w * x) * p.z) / n +
        ((real)at->position.y - origin.y);
    out[2] =
        (2 * (x * z - w * y) * p.x + 2 * (y * z + w * x) * p.y + (w * w + z * z - x * x - y * y) * p.z) / n +
        ((real)at->position.z - origin.z);
}

/* The largest n . x of a placed body, without its radius. */
static real furthest(const body *b, const abut_pose *at, abut_vec3 origin, const real n[3])
{
    real most = -INFINITY;
    for (unsigned i = 0; i < b->count; ++i) {
        real p[3];
        place(at, origin, b->point[i], p);
        most = fmaxl(most, n[0] * p[0] + n[1] * p[1] + n[2] * p[2]);
    }
    return most;
}

/* How far the bodies are apart along n, at least. */
static real separation(const body *a, const abut_pose *pa, const body *b, const abut_pose *pb, abut_vec3 n)
{
    const real length = sqrtl((real)n.x * n.x + (real)n.y * n.y + (real)n.z * n.z);
    const real m[3] = { n.x / length, n.y / length, n.z / length }, back[3] = { -m[0], -m[1], -m[2] };
    return -furthest(b, pb, pa->position, back) - furthest(a, pa, pa->position, m) - a->radius - b->radius;
}

static bool is_inside(const body *b, const abut_pose *at, abut_vec3 p, double slack)
{
    for (int i = 0; i < 27; ++i) {
        const real n[3] = { i % 3 - 1, i / 3 % 3 - 1, i / 9 - 1 };
        const real length = sqrtl(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
        if (n[0] * p.x + n[1] * p.y + n[2] * p.z >
            furthest(b, at, abut_v3(0, 0, 0), n) + length * (b->radius + slack))
            return false;
    }
    return true;
}

static void judge(uint64_t seed, const body *a, const abut_pose *pa, const body *b, const abut_pose *pb,
                  const abut_distance_result *r)
{
    const real below = separation(a, pa, b, pb, r->normal);
    const abut_vec3 d = abut_sub(r->point_b, r->point_a);
    const double slack = 1e-13 * (a->size + b->size + abut_max_norm(pa->position) + abut_max_norm(d));
    const double between = sqrt(abut_dot(d, d));
    if (!(r->distance.lo > 0 && r->distance.lo <= below && below <= r->distance.hi))
        TEST_FAIL("seed %llu: [%a, %a], but %La at least", (unsigned long long)seed, r->distance.lo,
                  r->distance.hi, below);
    if (!(fabs(between - r->distance.hi) <= slack && r->distance.hi - r->distance.lo <= 1e-12))
        TEST_FAIL("seed %llu: [%a, %a], points %a apart", (unsigned long long)seed, r->distance.lo,
                  r->distance.hi, between);
    if (!is_inside(a, pa, r->point_a, slack) || !is_inside(b, pb, r->point_b, slack))
        TEST_FAIL("seed %llu: points outside", (unsigned long long)seed);
}

/* Bodies that meet are at distance 0, and the normal that abut_check finds does not part them. True
 * for those that are apart. */
static bool ask_filter(const body *a, const abut_pose *pa, const body *b, const abut_pose *pb,
                       abut_cache *cache, abut_distance_result *out)
{
    abut_distance_opts opts;
    abut_check_result c;
    abut_distance_opts_init(&opts);
    opts.cache = cache;
    if (!abut_quick_distance_hulls(a->shape, pa, b->shape, pb, &opts, out))
        return false;
    if (out->verdict == ABUT_SEPARATE)
        return true;
    assert_int_equal(out->verdict, ABUT_PENETRATING);
    assert_true(out->distance.lo == 0 && out->distance.hi == 0 && !out->has_points);
    assert_int_equal(abut_check(a->shape, pa, b->shape, pb, NULL, NULL, &c), ABUT_OK);
    assert_true(!c.has_normal || separation(a, pa, b, pb, c.normal) < 0);
    return false;
}

/* Bodies at random; half of the time moved along the line that parts them to a gap of 2^-40 … 1,
 * or as much of an overlap. */
static void draw(test_random *r, unsigned most, body *a, abut_pose *pa, body *b, abut_pose *pb)
{
    make_body(r, most, a);
    make_body(r, most, b);
    pa->rotation = any_rotation(r);
    pb->rotation = any_rotation(r);
    const double far = (a->size + b->size) * test_uniform(r, 0, 1.5), world = test_below(r, 4) ? 5 : 1000;
    pa->position = abut_v3(test_uniform(r, -world, world), test_uniform(r, -world, world),
                           test_uniform(r, -world, world));
    const abut_vec3 side = abut_unit_or(
        abut_v3(test_uniform(r, -1, 1), test_uniform(r, -1, 1), test_uniform(r, -1, 1)), abut_v3(0, 0, 1));
    pb->position = abut_madd(pa->position, far, side);
    abut_check_result c;
    if (test_bits(r) & 1 && abut_check(a->shape, pa, b->shape, pb, NULL, NULL, &c) == ABUT_OK &&
        c.has_normal) {
        const double gap = c.verdict == ABUT_SEPARATE ? c.distance.lo : -c.depth.lo;
        pb->position = abut_madd(pb->position, test_log_uniform(r, -40, 0) - gap, c.normal);
    }
}

static void distances_hold(void **state)
{
    (void)state;
    uint64_t apart = 0, answered = 0;
    bool wide = false;
    for (uint64_t i = 0; i < test_count(20000); ++i) {
        test_random r = test_seed(52000000 + i);
        body a, b;
        abut_pose pa, pb;
        draw(&r, SMALL, &a, &pa, &b, &pb);
        abut_distance_result found, all;
        wide |= a.shape->core.hull->floats != NULL;
        const bool quick = ask_filter(&a, &pa, &b, &pb, NULL, &found);
        assert_int_equal(abut_distance(a.shape, &pa, b.shape, &pb, NULL, NULL, &all), ABUT_OK);
        apart += all.verdict == ABUT_SEPARATE;
        answered += quick;
        if (quick)
            judge(52000000 + i, &a, &pa, &b, &pb, &found);
        abut_shape_release(a.shape);
        abut_shape_release(b.shape);
    }
    print_message("%llu of %llu that are apart\n", (unsigned long long)answered, (unsigned long long)apart);
    assert_true(!wide || 4 * answered > apart);
}

/* Anything, vertices that there are above all. */
static void spoil(test_random *r, unsigned below, abut_cache *cache)
{
    cache->count = test_below(r, 8) ? 1 + test_below(r, 3) : test_below(r, 6);
    for (int k = 0; k < 4; ++k) {
        cache->a[k] = test_below(r, 16) ? test_below(r, below) : UINT32_MAX;
        cache->b[k] = test_below(r, 16) ? test_below(r, below) : UINT32_MAX;
    }
    cache->axis[test_below(r, 3)] = test_below(r, 4) ? test_uniform(r, -1, 1) : NAN;
}

/* With what a cache has of the same pair a little before, of another pair, or anything. One from
 * the same places needs no search. */
static void warm_distances_hold(void **state)
{
    (void)state;
    const uint64_t count = test_count(15000);
    uint64_t answered = 0, again = 0, wrong = 0;
    bool wide = false;
    abut_cache kept = { .count = 0 };
    for (uint64_t i = 0; i < count; ++i) {
        const uint64_t seed = 54000000 + i;
        test_random r = test_seed(seed);
        const unsigned most = test_below(&r, 8) ? SMALL : MOST;
        body a, b;
        abut_pose pa, pb;
        draw(&r, most, &a, &pa, &b, &pb);
        wide |= a.shape->core.hull->floats != NULL;
        for (int step = 0; step < 6; ++step) {
            abut_distance_result found;
            if (step == 2)
                pb.position = abut_madd(pb.position, test_uniform(&r, -0.1, 0.1), abut_v3(0.36, 0.48, 0.8));
            if (step >= 3)
                spoil(&r, most, &kept);
            if (!ask_filter(&a, &pa, &b, &pb, &kept, &found))
                continue;
            judge(seed, &a, &pa, &b, &pb, &found);
            answered += step == 0;
            again += step == 1 && found.counters.iterations == 0;
            wrong += step >= 3 && found.counters.evaluations == 1;
        }
        abut_shape_release(a.shape);
        abut_shape_release(b.shape);
    }
    print_message("%llu answered, %llu at once the second time, %llu by chance\n",
                  (unsigned long long)answered, (unsigned long long)again, (unsigned long long)wrong);
    assert_true(!wide || 10 * again > 9 * answered);
}

/* The normal that abut_check finds, which goes another way, parts the bodies by more than the
 * clearance in long doubles, or it does not. A cache has what was found for the same pair, for
 * another one, or anything. */
static void judge_overlap(uint64_t seed, const body *a, const abut_pose *pa, const body *b,
                          const abut_pose *pb, double clearance, abut_cache *cache, uint64_t seen[2])
{
    const abut_verdict verdict = abut_quick_overlap_hulls(a->shape, pa, b->shape, pb, clearance, cache);
    if (verdict == ABUT_UNDECIDED)
        return;
    abut_check_result c;
    assert_int_equal(abut_check(a->shape, pa, b->shape, pb, NULL, NULL, &c), ABUT_OK);
    const real gap = c.has_normal ? separation(a, pa, b, pb, c.normal) : -1;
    if (verdict == ABUT_SEPARATE ? !(gap > clearance) : gap >= clearance)
        TEST_FAIL("seed %llu: verdict %d, clearance %a, but %La apart", (unsigned long long)seed,
                  (int)verdict, clearance, gap);
    ++seen[verdict == ABUT_SEPARATE];
}

static void overlaps_hold(void **state)
{
    (void)state;
    uint64_t seen[2] = { 0, 0 };
    abut_cache kept = { .count = 0 };
    bool wide = false;
    const uint64_t count = test_count(15000);
    for (uint64_t i = 0; i < count; ++i) {
        const uint64_t seed = 53000000 + i;
        test_random r = test_seed(seed);
        body a, b;
        abut_pose pa, pb;
        draw(&r, SMALL, &a, &pa, &b, &pb);
        wide |= a.shape->core.hull->floats != NULL;
        const double clearance = test_below(&r, 3) ? 0 : fabs(test_log_uniform(&r, -30, 1));
        judge_overlap(seed, &a, &pa, &b, &pb, clearance, NULL, seen);
        judge_overlap(seed, &a, &pa, &b, &pb, clearance, &kept, seen);
        pb.position = abut_madd(pb.position, test_uniform(&r, -0.1, 0.1), abut_v3(0.36, 0.48, 0.8));
        judge_overlap(seed, &a, &pa, &b, &pb, clearance, &kept, seen);
        if (test_below(&r, 8) == 0) {
            kept.count = test_below(&r, 6);
            for (int k = 0; k < 4; ++k) {
                kept.a[k] = test_below(&r, 4) ? test_below(&r, 40) : UINT32_MAX;
                kept.b[k] = test_below(&r, 4) ? test_below(&r, 40) : UINT32_MAX;
            }
            kept.axis[test_below(&r, 3)] = test_below(&r, 4) ? test_uniform(&r, -1, 1) : NAN;
        }
        abut_shape_release(a.shape);
        abut_shape_release(b.shape);
    }
    print_message("%llu apart, %llu not, of %llu\n", (unsigned long long)seen[1], (unsigned long long)seen[0],
                  (unsigned long long)(3 * count));
    assert_true(!wide || (seen[0] > count / 4 && seen[1] > count / 4));
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(distances_hold),
                                        cmocka_unit_test(warm_distances_hold),
                                        cmocka_unit_test(overlaps_hold) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
