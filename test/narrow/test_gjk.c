/* SPDX-License-Identifier: MIT */
/* GJK: the sub-distance against all features of a simplex in long double, the enclosures of the
 * cores' gap against the referee of convex pairs, the work, and that neither caches nor the
 * order of the bodies change an answer. */
#include "../oracle/convex_pair.h"
#include "narrow/distance/convex.h"
#include "narrow/distance/simplex.h"
#include "oracle/real3.h"
#include "support/test.h"

/* ---- simplices ---- */

static real point_segment(vec a, vec b)
{
    const vec e = sub(b, a), m = cross(e, a);
    const real t = -dot(a, e), length = dot(e, e);
    return t <= 0 ? dot(a, a) : t >= length ? dot(b, b) : dot(m, m) / length;
}

static real point_triangle(vec a, vec b, vec c)
{
    const vec n = cross(sub(b, a), sub(c, a));
    const real edges = fminl(point_segment(a, b), fminl(point_segment(b, c), point_segment(a, c)));
    if (dot(n, n) > 0 && dot(n, cross(a, b)) > 0 && dot(n, cross(b, c)) > 0 && dot(n, cross(c, a)) > 0)
        return fminl(edges, dot(n, a) * dot(n, a) / dot(n, n));
    return edges;
}

/* Squared distance of the origin by examining every feature; *depth: how deep it is inside,
 * negative outside. */
static real brute_force(const vec *p, int count, real *depth)
{
    *depth = -1;
    if (count == 1)
        return dot(p[0], p[0]);
    if (count == 2)
        return point_segment(p[0], p[1]);
    if (count == 3)
        return point_triangle(p[0], p[1], p[2]);
    static const int faces[4][4] = { { 0, 1, 2, 3 }, { 0, 2, 3, 1 }, { 0, 3, 1, 2 }, { 1, 2, 3, 0 } };
    real least = INFINITY, inside = INFINITY;
    for (int i = 0; i < 4; ++i) {
        const vec a = p[faces[i][0]], b = p[faces[i][1]], c = p[faces[i][2]], d = p[faces[i][3]];
        const vec n = cross(sub(b, a), sub(c, a));
        const real side = dot(n, sub(d, a)), height = -dot(n, a), length = sqrtl(dot(n, n));
        least = fminl(least, point_triangle(a, b, c));
        inside = fminl(inside, side == 0 ? -1 : (side > 0 ? height : -height) / length);
    }
    *depth = inside;
    return inside > 0 ? 0 : least;
}

typedef enum family {
    USUAL,
    SMALL_AND_FAR,
    FLAT,
    NEEDLE,
    GRID,
    SHORT_EDGE,
    NEAR_FACE,
    SLIVER,
    FAMILIES
} family;

static abut_vec3 random_point(test_random *r)
{
    return abut_v3(test_uniform(r, -1, 1), test_uniform(r, -1, 1), test_uniform(r, -1, 1));
}

static void random_simplex(test_random *r, family f, abut_vec3 p[4])
{
    const double s = exp2(test_uniform(r, -30, 0));
    for (int i = 0; i < 4; ++i)
        p[i] = random_point(r);
    for (int i = 0; i < 4; ++i)
        switch (f) {
        case SMALL_AND_FAR: p[i] = i ? abut_madd(p[0], s, p[i]) : p[0]; break;
        case FLAT: p[i].z = s * s * p[i].z + 0.3 * (test_below(r, 4) ? 0 : s); break;
        case NEEDLE: p[i] = abut_v3(p[i].x, s * p[i].y, s * s * p[i].z + 0.1); break;
        case GRID: p[i] = abut_v3(floor(3 * p[i].x), floor(3 * p[i].y), floor(3 * p[i].z)); break;
        case SHORT_EDGE: p[i] = i == 1 ? abut_madd(p[0], s, p[1]) : p[i]; break;
        case NEAR_FACE: p[i].z = i < 3 ? s * s * p[i].z : p[i].z; break;
        case SLIVER: p[i] = abut_v3(cos(1.57 * i), sin(1.57 * i), s * (i % 2 ? 1 : -1) * p[i].z); break;
        default: break;
        }
    const double size = test_below(r, 4) ? 1 : exp2(floor(test_uniform(r, -130, 130)));
    for (int i = 0; i < 4; ++i)
        p[i] = abut_scale(size, p[i]);
}

/* The point that the weights give, as it is: in the simplex, and no nearer than the nearest. */
static real weighted_distance(const abut_vec3 *p, const abut_nearest_feature *f, int count, uint64_t seed)
{
    abut_vec3 kept[4];
    double weight[4], sum = 0;
    int n = 0;
    for (int i = 0; i < count; ++i)
        if (f->kept >> i & 1)
            kept[n++] = p[i];
    abut_simplex_weights(kept, n, weight);
    vec at = { 0, 0, 0 };
    for (int i = 0; i < n; ++i) {
        TEST_CHECK(weight[i] >= 0, "seed %" PRIu64 " weight %a", seed, weight[i]);
        sum += weight[i];
        at.x += (real)weight[i] * kept[i].x;
        at.y += (real)weight[i] * kept[i].y;
        at.z += (real)weight[i] * kept[i].z;
    }
    TEST_NEAR(sum, 1, 4 * DBL_EPSILON, "seed %" PRIu64, seed);
    return sqrtl(dot(at, at));
}

static void test_simplex(void **state)
{
    (void)state;
    const uint64_t count = test_count(800000);
    for (uint64_t seed = 0; seed < count; ++seed) {
        test_random r = test_seed(seed);
        const family f = (family)(seed % FAMILIES);
        const int n = 1 + (int)(seed / FAMILIES % 4);
        abut_vec3 p[4];
        random_simplex(&r, f, p);
        vec q[4];
        real size = 0;
        for (int i = 0; i < 4; ++i) {
            q[i] = (vec){ p[i].x, p[i].y, p[i].z };
            size = i < n ? fmaxl(size, sqrtl(dot(q[i], q[i]))) : size;
        }
        real depth;
        const real distance = sqrtl(brute_force(q, n, &depth));
        const abut_nearest_feature found = abut_simplex_nearest(p, n);
        const real tolerance = 1e-14L * size;
        if (found.kept == 15) {
            TEST_CHECK(depth > -tolerance, "seed %" PRIu64 " family %d: not inside, %Lg", seed, f, depth);
            continue;
        }
        TEST_CHECK(depth < tolerance, "seed %" PRIu64 " family %d: inside, %Lg", seed, f, depth);
        TEST_CHECK(fabsl(sqrtl(found.square) - distance) <= tolerance,
                   "seed %" PRIu64 " family %d of %d: %a, not %La", seed, f, n, sqrt(found.square), distance);
        TEST_CHECK(weighted_distance(p, &found, n, seed) - distance <= tolerance,
                   "seed %" PRIu64 " family %d of %d: weights", seed, f, n);
    }
}

/* Certified depths in a tetrahedron are never too large, and mostly there. */
static void test_margin(void **state)
{
    (void)state;
    const uint64_t count = test_count(400000);
    uint64_t inside = 0, proved = 0, quick = 0;
    for (uint64_t seed = 0; seed < count; ++seed) {
        test_random r = test_seed(seed + 7000000);
        const family f = (family)(seed % FAMILIES);
        abut_vec3 p[4];
        random_simplex(&r, f, p);
        if (test_bits(&r) & 1) { /* about the centre, so that the origin is inside */
            abut_vec3 c = abut_scale(0.25, abut_add(abut_add(p[0], p[1]), abut_add(p[2], p[3])));
            for (int i = 0; i < 4; ++i)
                p[i] = abut_sub(p[i], c);
        }
        vec q[4];
        for (int i = 0; i < 4; ++i)
            q[i] = (vec){ p[i].x, p[i].y, p[i].z };
        real depth;
        (void)brute_force(q, 4, &depth);
        const double margin = abut_simplex_margin(p);
        TEST_CHECK(margin <= 0 || margin <= depth, "seed %" PRIu64 " family %d: %a > %La", seed, f, margin,
                   depth);
        const double least = (double)depth * test_uniform(&r, 0, 1.2);
        const bool holds = least > 0 && abut_simplex_holds(p, least);
        TEST_CHECK(!holds || depth > least, "seed %" PRIu64 " family %d: %a > %La", seed, f, least, depth);
        inside += depth > 1e-10L * sqrtl(dot(q[0], q[0])) && f != FLAT && f != NEEDLE && f != SLIVER;
        proved += margin > 0.9L * depth && f != FLAT && f != NEEDLE && f != SLIVER && depth > 0;
        quick += holds;
    }
    TEST_CHECK(proved >= inside * 9 / 10 && quick > 0, "%" PRIu64 " proved of %" PRIu64, proved, inside);
}

/* ---- pairs ---- */

enum { MOST_POINTS = 60 };

typedef enum kind { SPHERE, CAPSULE, BOX, CYLINDER, CONE, ELLIPSOID, HULL, TRIANGLE, USER, KINDS } kind;

typedef struct body {
    kind kind;
    oracle_body oracle; /* the core alone */
    abut_vec3 points[MOST_POINTS];
    abut_shape *shape;
    abut_pose pose;
} body;

static void user_support(void *ctx, const abut_vec3 *d, abut_vec3 *out)
{
    const abut_vec3 h = *(const abut_vec3 *)ctx;
    const abut_vec3 e = abut_v3(h.x * d->x, h.y * d->y, h.z * d->z);
    const double s = 1 / sqrt(abut_dot(e, e));
    *out = abut_v3(s * h.x * e.x, s * h.y * e.y, s * h.z * e.z);
}

static abut_quat random_rotation(test_random *r)
{
    abut_quat q;
    double n;
    do {
        q = (abut_quat){ test_uniform(r, -1, 1), test_uniform(r, -1, 1), test_uniform(r, -1, 1),
                         test_uniform(r, -1, 1) };
        n = abut_quat_dot(q, q);
    } while (n > 1 || n < 0.01);
    return test_below(r, 8) ? q : (abut_quat){ 1, 0, 0, 0 };
}

static abut_status make_shape(body *b, double size, test_random *r)
{
    const abut_vec3 h = b->oracle.h;
    switch (b->kind) {
    case SPHERE: return abut_shape_create_sphere(h.x, NULL, &b->shape);
    case CAPSULE: return abut_shape_create_capsule(h.x, 2 * h.z, NULL, &b->shape);
    case BOX: return abut_shape_create_box(h, NULL, &b->shape);
    case CYLINDER: return abut_shape_create_cylinder(h.x, 2 * h.z, NULL, &b->shape);
    case CONE: return abut_shape_create_cone(h.x, 2 * h.z, NULL, &b->shape);
    case ELLIPSOID: return abut_shape_create_ellipsoid(h, NULL, &b->shape);
    case USER: {
        const abut_support_def def = { .support = user_support,
                                       .ctx = &b->oracle.h,
                                       .radius = 1.001 * abut_max_norm(h),
                                       .error = 1e-14 * abut_max_norm(h) };
        return abut_shape_create_support(&def, NULL, &b->shape, NULL);
    }
    default: break;
    }
    b->oracle.points = b->points;
    b->oracle.count = b->kind == TRIANGLE ? 3 : 4 + test_below(r, MOST_POINTS - 3);
    for (size_t i = 0; i < b->oracle.count; ++i) {
        const abut_vec3 p = random_point(r);
        b->points[i] = abut_v3(h.x * p.x, h.y * p.y, h.z * p.z);
    }
    (void)size;
    return abut_shape_create_convex(b->points, b->oracle.count, 0, NULL, &b->shape, NULL);
}

static void make_body(test_random *r, kind k, double size, body *b)
{
    static const oracle_core cores[KINDS] = {
        ORACLE_CORE_POINTS,    ORACLE_CORE_POINTS, ORACLE_CORE_BOX,    ORACLE_CORE_CYLINDER, ORACLE_CORE_CONE,
        ORACLE_CORE_ELLIPSOID, ORACLE_CORE_POINTS, ORACLE_CORE_POINTS, ORACLE_CORE_ELLIPSOID
    };
    *b = (body){ .kind = k, .oracle = { .core = cores[k] } };
    const double thin = test_below(r, 4) ? 0.2 : 1e-4;
    b->oracle.h = abut_v3(size * test_uniform(r, thin, 1), size * test_uniform(r, thin, 1),
                          size * test_uniform(r, thin, 1));
    b->pose.rotation = random_rotation(r);
    assert_int_equal(make_shape(b, size, r), ABUT_OK);
    if (k == SPHERE) {
        b->oracle.points = b->points;
        b->oracle.count = 1;
    } else if (k == CAPSULE) {
        b->points[0] = abut_v3(0, 0, -b->oracle.h.z);
        b->points[1] = abut_v3(0, 0, b->oracle.h.z);
        b->oracle.points = b->points;
        b->oracle.count = 2;
    }
}

/* Moves b to where the cores are `gap` apart along a random direction: exactly so, but for
 * rounding, when it is positive. */
static void place_apart(test_random *r, const body *a, body *b, double gap)
{
    abut_vec3 d;
    do
        d = random_point(r);
    while (!(abut_dot(d, d) > 0.1));
    const double length = sqrt(abut_dot(d, d));
    const real n[3] = { d.x / length, d.y / length, d.z / length }, back[3] = { -n[0], -n[1], -n[2] };
    real p[3], q[3];
    oracle_convex_support(&a->oracle, a->pose.rotation, n, p);
    oracle_convex_support(&b->oracle, b->pose.rotation, back, q);
    b->pose.position = abut_v3((double)(a->pose.position.x + p[0] - q[0] + gap * n[0]),
                               (double)(a->pose.position.y + p[1] - q[1] + gap * n[1]),
                               (double)(a->pose.position.z + p[2] - q[2] + gap * n[2]));
}

static bool is_curved(kind k)
{
    return k == CYLINDER || k == CONE || k == ELLIPSOID || k == USER;
}

typedef struct tally {
    uint64_t pairs, supports, most, apart, wide;
} tally;

static void print_case(const body *a, const body *b, uint64_t seed)
{
    print_error("seed %" PRIu64 ", kinds %d and %d\n", seed, a->kind, b->kind);
}

/* The enclosure must hold the referee's, or at least meet it where the referee's is the wider. */
static void judge(const body *a, const body *b, const abut_convex_pair *pair, const abut_convex_answer *found,
                  uint64_t seed)
{
    const oracle_convex o = { &a->oracle, &b->oracle, a->pose, b->pose };
    const oracle_gap gap = oracle_convex_gap(&o, &found->normal, 1, ORACLE_QUICK, found->lo, found->hi);
    if (!(found->lo <= gap.hi && found->hi >= gap.lo)) {
        print_case(a, b, seed);
        TEST_FAIL("[%a, %a] against [%La, %La], error %a", found->lo, found->hi, gap.lo, gap.hi, pair->error);
    }
}

static void judge_witnesses(const abut_convex_pair *pair, const abut_convex_answer *found, uint64_t seed)
{
    const abut_vec3 w = abut_sub(found->y, found->x);
    TEST_NEAR(sqrt(abut_dot(w, w)), found->hi, 4 * pair->error, "seed %" PRIu64, seed);
    TEST_NEAR(abut_dot(found->normal, found->normal), 1, 8 * DBL_EPSILON, "seed %" PRIu64, seed);
    TEST_CHECK(fabs(abut_dot(w, found->normal) - found->lo) <= 4 * pair->error + (found->hi - found->lo),
               "seed %" PRIu64, seed);
}

static void try_distance(const body *a, const body *b, double scale, uint64_t seed, tally *t)
{
    abut_convex_pair pair;
    if (!abut_convex_pair_from_poses(a->shape, &a->pose, b->shape, &b->pose, &pair))
        TEST_FAIL("seed %" PRIu64 ": no pair", seed);
    abut_simplex simplex = { .count = 0 };
    abut_convex_answer found;
    const abut_gjk_end end = abut_gjk_distance(&pair, INFINITY, NULL, &simplex, &found);
    judge(a, b, &pair, &found, seed);
    TEST_CHECK(end == ABUT_GJK_APART     ? found.lo > 0
               : end == ABUT_GJK_MEETING ? found.hi < 0
                                         : found.lo <= 0,
               "seed %" PRIu64 " end %d [%a, %a]", seed, end, found.lo, found.hi);
    TEST_CHECK(found.supports <= 200 && simplex.count <= 4, "seed %" PRIu64 ": %u supports", seed,
               found.supports);
    if (end == ABUT_GJK_APART) {
        judge_witnesses(&pair, &found, seed);
        ++t->apart;
        const double goal = fmax(1e-12 * found.lo, 8 * pair.error);
        if (found.hi - found.lo > goal) {
            ++t->wide;
            if (!is_curved(a->kind) && !is_curved(b->kind)) {
                print_case(a, b, seed);
                TEST_FAIL("width %g, distance %g, error %g, scale %g", found.hi - found.lo, found.lo,
                          pair.error, scale);
            }
        }
    }
    ++t->pairs;
    t->supports += found.supports;
    t->most = found.supports > t->most ? found.supports : t->most;
}

static void compare_with(const body *a, const body *b, double limit, uint64_t seed)
{
    abut_convex_pair pair;
    assert_true(abut_convex_pair_from_poses(a->shape, &a->pose, b->shape, &b->pose, &pair));
    abut_simplex simplex = { .count = 0 };
    abut_convex_answer found;
    abut_vec3 axis = { 0, 0, 0 };
    const int side = abut_gjk_compare(&pair, limit, &axis, &simplex, &found);
    const oracle_convex o = { &a->oracle, &b->oracle, a->pose, b->pose };
    const oracle_gap gap = oracle_convex_gap(&o, &axis, 1, ORACLE_QUICK, side > 0 ? limit : -INFINITY,
                                             side > 0 ? INFINITY : limit);
    if ((side > 0 && gap.hi < limit) || (side < 0 && gap.lo > limit)) {
        print_case(a, b, seed);
        TEST_FAIL("side %d of %a, gap in [%La, %La]", side, limit, gap.lo, gap.hi);
    }
    TEST_CHECK(found.supports <= 200, "seed %" PRIu64 ": %u supports", seed, found.supports);
}

static double some_gap(test_random *r, double size)
{
    switch (test_below(r, 6)) {
    case 0: return 0;
    case 1: return size * (test_bits(r) & 1 ? 1e-12 : -1e-12);
    case 2: return size * test_log_uniform(r, -40, 0);
    case 3: return -size * test_uniform(r, 0, 0.5);
    default: return size * test_uniform(r, 0, 2);
    }
}

static void test_pairs(void **state)
{
    (void)state;
    const uint64_t count = test_count(24000);
    tally flat = { 0 }, curved = { 0 };
    for (uint64_t seed = 0; seed < count; ++seed) {
        test_random r = test_seed(seed + 30000000);
        const double size = test_below(&r, 4) ? 1 : exp(test_uniform(&r, -75, 75));
        const double ratio = test_below(&r, 6) ? 1 : exp2(test_uniform(&r, -20, 0));
        body a, b;
        make_body(&r, (kind)(seed % KINDS), size, &a);
        make_body(&r, (kind)(seed / KINDS % KINDS), size * ratio, &b);
        a.pose.position = test_below(&r, 3) ? abut_v3(0, 0, 0) : abut_scale(size, random_point(&r));
        const double gap = some_gap(&r, size * ratio);
        place_apart(&r, &a, &b, gap);
        try_distance(&a, &b, size, seed, is_curved(a.kind) || is_curved(b.kind) ? &curved : &flat);
        if (seed % 4 == 0)
            compare_with(&a, &b, test_below(&r, 2) ? 0 : fabs(gap) * test_uniform(&r, 0, 2), seed);
        abut_shape_release(a.shape);
        abut_shape_release(b.shape);
    }
    print_message("polytopes: %.2f supports, at most %" PRIu64 "; curved: %.2f, at most %" PRIu64 ", %" PRIu64
                  " of %" PRIu64 " wide\n",
                  (double)flat.supports / (double)flat.pairs, flat.most,
                  (double)curved.supports / (double)curved.pairs, curved.most, curved.wide, curved.apart);
    assert_true(flat.most <= 40);
    assert_true(flat.supports <= 8 * flat.pairs);
}

/* ---- what must not matter ---- */

static bool meet(abut_interval a, abut_interval b)
{
    return a.lo <= b.hi && b.lo <= a.hi;
}

static void garbage(test_random *r, abut_cache *cache)
{
    static const double odd[] = { NAN, INFINITY, -INFINITY, 0, 1e300, 1e-300 };
    for (int i = 0; i < 3; ++i)
        cache->axis[i] = test_bits(r) & 1 ? test_uniform(r, -1, 1) : odd[test_below(r, 6)];
    for (int i = 0; i < 4; ++i) {
        cache->a[i] = (uint32_t)test_bits(r) >> test_below(r, 32);
        cache->b[i] = (uint32_t)test_bits(r) >> test_below(r, 32);
    }
    cache->count = test_below(r, 7);
    cache->feature = (uint32_t)test_bits(r);
}

static void same_distance(const body *a, const body *b, abut_cache *cache, uint64_t seed, uint64_t *work)
{
    abut_distance_opts opts;
    abut_distance_opts_init(&opts);
    abut_distance_result cold, warm, back;
    assert_int_equal(abut_distance(a->shape, &a->pose, b->shape, &b->pose, &opts, NULL, &cold), ABUT_OK);
    opts.cache = cache;
    assert_int_equal(abut_distance(a->shape, &a->pose, b->shape, &b->pose, &opts, NULL, &warm), ABUT_OK);
    assert_int_equal(abut_distance(b->shape, &b->pose, a->shape, &a->pose, NULL, NULL, &back), ABUT_OK);
    TEST_CHECK(cold.verdict == warm.verdict || cold.verdict == ABUT_UNDECIDED ||
                   warm.verdict == ABUT_UNDECIDED,
               "seed %" PRIu64 ": %d, warm %d", seed, cold.verdict, warm.verdict);
    TEST_CHECK(cold.verdict == back.verdict || cold.verdict == ABUT_UNDECIDED ||
                   back.verdict == ABUT_UNDECIDED,
               "seed %" PRIu64 ": %d, swapped %d", seed, cold.verdict, back.verdict);
    TEST_CHECK(meet(cold.distance, warm.distance) && meet(cold.distance, back.distance),
               "seed %" PRIu64 ": [%a, %a], warm [%a, %a], swapped [%a, %a]", seed, cold.distance.lo,
               cold.distance.hi, warm.distance.lo, warm.distance.hi, back.distance.lo, back.distance.hi);
    work[0] += cold.counters.evaluations;
    work[1] += warm.counters.evaluations;
}

static void same_verdict(const body *a, const body *b, abut_cache *cache, uint64_t seed)
{
    abut_overlap_opts opts;
    abut_overlap_opts_init(&opts);
    abut_overlap_result cold, warm;
    assert_int_equal(abut_overlap(a->shape, &a->pose, b->shape, &b->pose, &opts, NULL, &cold), ABUT_OK);
    opts.cache = cache;
    assert_int_equal(abut_overlap(a->shape, &a->pose, b->shape, &b->pose, &opts, NULL, &warm), ABUT_OK);
    TEST_CHECK(cold.verdict == warm.verdict || cold.verdict == ABUT_UNDECIDED ||
                   warm.verdict == ABUT_UNDECIDED,
               "seed %" PRIu64 ": %d, warm %d", seed, cold.verdict, warm.verdict);
}

/* Caches of the last place, of another pair, and of random bits. */
static void test_caches(void **state)
{
    (void)state;
    const uint64_t count = test_count(6000);
    uint64_t work[2] = { 0, 0 };
    for (uint64_t seed = 0; seed < count; ++seed) {
        test_random r = test_seed(seed + 50000000);
        body a, b;
        make_body(&r, (kind)(seed % KINDS), 1, &a);
        make_body(&r, (kind)(seed / KINDS % KINDS), 1, &b);
        place_apart(&r, &a, &b, some_gap(&r, 1));
        abut_cache distance = { .count = 0 }, overlap = distance;
        uint64_t unused[2] = { 0, 0 };
        for (int step = 0; step < 4; ++step) {
            same_distance(&a, &b, &distance, seed, step ? work : unused);
            same_verdict(&a, &b, &overlap, seed);
            b.pose.position = abut_madd(b.pose.position, 1e-3, random_point(&r));
        }
        same_verdict(&a, &b, &distance, seed);
        same_distance(&a, &b, &overlap, seed, unused);
        for (int i = 0; i < 3; ++i) {
            garbage(&r, &distance);
            same_distance(&a, &b, &distance, seed, unused);
            garbage(&r, &distance);
            same_verdict(&a, &b, &distance, seed);
        }
        abut_shape_release(a.shape);
        abut_shape_release(b.shape);
    }
    print_message("supports: %.2f cold, %.2f warm\n", (double)work[0] / (3.0 * (double)count),
                  (double)work[1] / (3.0 * (double)count));
    assert_true(work[1] < work[0]);
}

/* A cutoff is obeyed, and stops early only where the distance is larger. */
static void test_cutoff(void **state)
{
    (void)state;
    const uint64_t count = test_count(6000);
    for (uint64_t seed = 0; seed < count; ++seed) {
        test_random r = test_seed(seed + 70000000);
        body a, b;
        make_body(&r, (kind)(seed % KINDS), 1, &a);
        make_body(&r, (kind)(seed / KINDS % KINDS), 1, &b);
        place_apart(&r, &a, &b, test_uniform(&r, 0, 3));
        abut_distance_opts opts;
        abut_distance_opts_init(&opts);
        abut_distance_result whole, cut;
        assert_int_equal(abut_distance(a.shape, &a.pose, b.shape, &b.pose, &opts, NULL, &whole), ABUT_OK);
        opts.cutoff = test_uniform(&r, 0, 3);
        assert_int_equal(abut_distance(a.shape, &a.pose, b.shape, &b.pose, &opts, NULL, &cut), ABUT_OK);
        TEST_CHECK(meet(whole.distance, cut.distance), "seed %" PRIu64, seed);
        if (whole.distance.lo > opts.cutoff * 1.0001)
            TEST_CHECK(cut.stop == ABUT_STOP_CUTOFF && cut.distance.lo > opts.cutoff, "seed %" PRIu64, seed);
        if (whole.distance.hi < opts.cutoff)
            TEST_CHECK(cut.stop != ABUT_STOP_CUTOFF, "seed %" PRIu64, seed);
        abut_shape_release(a.shape);
        abut_shape_release(b.shape);
    }
}

/* A hull as the walk of two in one piece likes it least: round, of points of a grid, of few or
 * many, or flat. */
static void make_hull(test_random *r, body *b)
{
    enum { MOST = 200 };
    abut_vec3 p[MOST];
    const unsigned style = test_below(r, 4);
    const size_t count =
        style == 3 ? 3 + test_below(r, 5) : 4 + test_below(r, test_below(r, 2) ? 28 : MOST - 4);
    const double thin = test_below(r, 4) ? 0.2 : 1e-4;
    const abut_vec3 h = abut_v3(test_uniform(r, thin, 1), test_uniform(r, thin, 1), test_uniform(r, thin, 1));
    for (size_t i = 0; i < count; ++i) {
        const abut_vec3 q = random_point(r);
        p[i] = style == 0   ? abut_unit_or(q, abut_v3(1, 0, 0))
               : style == 1 ? abut_v3(rint(2 * q.x), rint(2 * q.y), rint(2 * q.z))
               : style == 3 ? abut_v3(q.x, q.y, 0)
                            : q;
        p[i] = abut_v3(h.x * p[i].x, h.y * p[i].y, h.z * p[i].z);
    }
    if (abut_shape_create_convex(p, count, 0, NULL, &b->shape, NULL)) { /* all in one point, say */
        const abut_vec3 corners[4] = { { 0, 0, 0 }, { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 } };
        assert_int_equal(abut_shape_create_convex(corners, 4, 0, NULL, &b->shape, NULL), ABUT_OK);
    }
    b->pose = (abut_pose){ random_point(r), random_rotation(r) };
}

/* The walk of two hulls in one piece (gjk_hulls.c) takes the steps of the other, which a cutoff
 * that is never reached asks for. */
static void test_hulls(void **state)
{
    (void)state;
    const uint64_t count = test_count(20000);
    for (uint64_t seed = 0; seed < count; ++seed) {
        test_random r = test_seed(seed + 110000000);
        body a, b;
        make_hull(&r, &a);
        make_hull(&r, &b);
        const double away = test_below(&r, 8) ? 3 : test_log_uniform(&r, -60, 60);
        b.pose.position = abut_madd(a.pose.position, away, random_point(&r));
        if (test_below(&r, 16) == 0) /* edges and faces along each other */
            b.pose.rotation = a.pose.rotation;
        abut_convex_pair pair;
        TEST_CHECK(abut_convex_pair_from_poses(a.shape, &a.pose, b.shape, &b.pose, &pair), "seed %" PRIu64,
                   seed);
        abut_convex_answer wide, plain;
        abut_simplex of_wide = { .count = 0 }, of_plain = { .count = 0 };
        const abut_gjk_end end = abut_gjk_distance(&pair, INFINITY, NULL, &of_wide, &wide);
        const abut_gjk_end same = abut_gjk_distance(&pair, 1e300, NULL, &of_plain, &plain);
        TEST_CHECK(end == same && of_wide.count == of_plain.count, "seed %" PRIu64 ": %d, %d", seed, end,
                   same);
        TEST_CHECK(wide.lo == plain.lo && wide.hi == plain.hi && wide.supports == plain.supports,
                   "seed %" PRIu64 ": [%a, %a] after %u, [%a, %a] after %u", seed, wide.lo, wide.hi,
                   wide.supports, plain.lo, plain.hi, plain.supports);
        abut_shape_release(a.shape);
        abut_shape_release(b.shape);
    }
}

/* Powers of two scale everything exactly, so that the answers must agree: from 2^-500 to 2^500,
 * the ends by way of shrunken cores. */
static void test_scales(void **state)
{
    (void)state;
    const uint64_t count = test_count(3000);
    for (uint64_t seed = 0; seed < count; ++seed) {
        const int exponent = (int)(seed % 21) * 50 - 500;
        abut_distance_result at[2];
        for (int i = 0; i < 2; ++i) {
            test_random r = test_seed(seed + 90000000);
            const double size = i ? ldexp(1, exponent) : 1;
            kind ka = (kind)test_below(&r, USER), kb = (kind)test_below(&r, USER);
            body a, b;
            make_body(&r, ka, size, &a);
            make_body(&r, kb, size, &b);
            b.pose.position = abut_scale(size, abut_v3(test_uniform(&r, -3, 3), test_uniform(&r, -3, 3), 1));
            assert_int_equal(abut_distance(a.shape, &a.pose, b.shape, &b.pose, NULL, NULL, &at[i]), ABUT_OK);
            abut_shape_release(a.shape);
            abut_shape_release(b.shape);
        }
        const abut_interval back = { ldexp(at[1].distance.lo, -exponent),
                                     ldexp(at[1].distance.hi, -exponent) };
        TEST_CHECK(at[0].verdict == at[1].verdict && meet(at[0].distance, back),
                   "seed %" PRIu64 " 2^%d: %d [%a, %a], %d [%a, %a]", seed, exponent, at[0].verdict,
                   at[0].distance.lo, at[0].distance.hi, at[1].verdict, back.lo, back.hi);
        TEST_CHECK(back.hi - back.lo <= 4 * (at[0].distance.hi - at[0].distance.lo) + 1e-13, "seed %" PRIu64,
                   seed);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_simplex), cmocka_unit_test(test_margin), cmocka_unit_test(test_pairs),
        cmocka_unit_test(test_caches),  cmocka_unit_test(test_cutoff), cmocka_unit_test(test_scales),
        cmocka_unit_test(test_hulls),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
