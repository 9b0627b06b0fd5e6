/* SPDX-License-Identifier: MIT */
/* Depth of convex cores: what is certified is held against support functions in long double,
 * written here from the definitions.
 *
 * The depth is the least f(u) over unit u, f(u) = h_B(u) + h_A(-u) + u . (p_B - p_A) in the
 * world. So every u refutes a bound that is too deep, and the u that the answer names must
 * itself be as shallow as the answer says. For polytopes the least f is at a normal of a face of
 * one body or across an edge of each: all of them are tried, and the truth is known. For curved
 * bodies the directions are dense ones and those that a search on the sphere walks down to. */
#include "abut/query.h"
#include "narrow/depth/depth.h"
#include "oracle/real3.h"
#include "shape/shape.h"
#include "support/test.h"

#include <cmocka.h>

/* ---- bodies as the referee knows them ---- */

enum { MOST_POINTS = 256 };

typedef struct body {
    abut_shape_type type; /* CONVEX: points */
    /* box: half; round: radius, half height; ellipsoid: semi-axes; sphere: radius */
    double size[3];
    double margin;
    int count;
    abut_vec3 point[MOST_POINTS];
    abut_pose pose;
    real r[3][3];
    abut_shape *shape;
} body;

static void place(body *b, abut_pose pose)
{
    b->pose = pose;
    const real n = sqrtl((real)pose.rotation.w * pose.rotation.w + (real)pose.rotation.x * pose.rotation.x +
                         (real)pose.rotation.y * pose.rotation.y + (real)pose.rotation.z * pose.rotation.z);
    const real w = pose.rotation.w / n, x = pose.rotation.x / n, y = pose.rotation.y / n,
               z = pose.rotation.z / n;
    const real m[3][3] = { { 1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y) },
                           { 2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x) },
                           { 2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y) } };
    memcpy(b->r, m, sizeof m);
}

static vec to_world(const body *b, vec p)
{
    return (vec){ b->r[0][0] * p.x + b->r[0][1] * p.y + b->r[0][2] * p.z,
                  b->r[1][0] * p.x + b->r[1][1] * p.y + b->r[1][2] * p.z,
                  b->r[2][0] * p.x + b->r[2][1] * p.y + b->r[2][2] * p.z };
}

static vec to_local(const body *b, vec p)
{
    return (vec){ b->r[0][0] * p.x + b->r[1][0] * p.y + b->r[2][0] * p.z,
                  b->r[0][1] * p.x + b->r[1][1] * p.y + b->r[2][1] * p.z,
                  b->r[0][2] * p.x + b->r[1][2] * p.y + b->r[2][2] * p.z };
}

static vec centre(const body *b)
{
    return (vec){ b->pose.position.x, b->pose.position.y, b->pose.position.z };
}

/* Support function of the core (without spheres' and capsules' radius, and the margin) about its
 * own centre. */
static real support(const body *b, vec u)
{
    const vec d = to_local(b, u);
    const real flat = sqrtl(d.x * d.x + d.y * d.y);
    switch (b->type) {
    case ABUT_SHAPE_BOX: return b->size[0] * fabsl(d.x) + b->size[1] * fabsl(d.y) + b->size[2] * fabsl(d.z);
    case ABUT_SHAPE_CAPSULE: return b->size[1] * fabsl(d.z);
    case ABUT_SHAPE_CYLINDER: return b->size[0] * flat + b->size[1] * fabsl(d.z);
    case ABUT_SHAPE_CONE: return fmaxl(b->size[1] * d.z, b->size[0] * flat - b->size[1] * d.z);
    case ABUT_SHAPE_ELLIPSOID: {
        const vec e = { b->size[0] * d.x, b->size[1] * d.y, b->size[2] * d.z };
        return sqrtl(dot(e, e));
    }
    case ABUT_SHAPE_CONVEX: {
        real most = -INFINITY;
        for (int i = 0; i < b->count; ++i)
            most = fmaxl(most, dot(d, (vec){ b->point[i].x, b->point[i].y, b->point[i].z }));
        return most;
    }
    default: return 0;
    }
}

/* How fast the point furthest along u moves over the core as u turns, at most: the second
 * derivative of the support function. (D^2 - x x^T) / h of ellipsoids, radius over sine on rims. */
static real unit_along(const body *b, vec u)
{
    const vec d = to_local(b, u);
    const real longest = fmaxl(b->size[0], fmaxl(b->size[1], b->size[2]));
    switch (b->type) {
    case ABUT_SHAPE_ELLIPSOID: return longest * longest / support(b, u);
    case ABUT_SHAPE_CYLINDER:
    case ABUT_SHAPE_CONE: return b->size[0] / sqrtl(d.x * d.x + d.y * d.y);
    default: return 0;
    }
}

static real depth_along(const body *a, const body *b, vec u)
{
    const vec back = times(-1, u), offset = add(centre(b), times(-1, centre(a)));
    return support(b, u) + support(a, back) + dot(u, offset);
}

static void make(body *b)
{
    abut_status status = ABUT_OK;
    switch (b->type) {
    case ABUT_SHAPE_SPHERE: status = abut_shape_create_sphere(b->size[0], NULL, &b->shape); break;
    case ABUT_SHAPE_BOX:
        status = abut_shape_create_box((abut_vec3){ b->size[0], b->size[1], b->size[2] }, NULL, &b->shape);
        break;
    case ABUT_SHAPE_CAPSULE:
        status = abut_shape_create_capsule(b->size[0], 2 * b->size[1], NULL, &b->shape);
        break;
    case ABUT_SHAPE_CYLINDER:
        status = abut_shape_create_cylinder(b->size[0], 2 * b->size[1], NULL, &b->shape);
        break;
    case ABUT_SHAPE_CONE: status = abut_shape_create_cone(b->size[0], 2 * b->size[1], NULL, &b->shape); break;
    case ABUT_SHAPE_ELLIPSOID:
        status =
            abut_shape_create_ellipsoid((abut_vec3){ b->size[0], b->size[1], b->size[2] }, NULL, &b->shape);
        break;
    default:
        status = abut_shape_create_convex(b->point, (size_t)b->count, b->margin, NULL, &b->shape, NULL);
        break;
    }
    assert_int_equal(status, ABUT_OK);
}

/* ---- the least f ---- */

/* Corners of a polytope in the world's axes; 0 where it is curved. */
static int corners(const body *b, vec *out)
{
    int count = 0;
    if (b->type == ABUT_SHAPE_BOX)
        for (; count < 8; ++count)
            out[count] =
                to_world(b, (vec){ count & 1 ? b->size[0] : -b->size[0], count & 2 ? b->size[1] : -b->size[1],
                                   count & 4 ? b->size[2] : -b->size[2] });
    else if (b->type == ABUT_SHAPE_CAPSULE)
        for (; count < 2; ++count)
            out[count] = to_world(b, (vec){ 0, 0, count ? b->size[1] : -b->size[1] });
    else if (b->type == ABUT_SHAPE_SPHERE)
        out[count++] = (vec){ 0, 0, 0 };
    else if (b->type == ABUT_SHAPE_CONVEX)
        for (; count < b->count; ++count)
            out[count] = to_world(b, (vec){ b->point[count].x, b->point[count].y, b->point[count].z });
    return count;
}

static void try_normal(const body *a, const body *b, vec n, real *least)
{
    const real square = dot(n, n);
    if (!(square > 0))
        return;
    const vec u = times(1 / sqrtl(square), n);
    *least = fminl(*least, fminl(depth_along(a, b, u), depth_along(a, b, times(-1, u))));
}

/* Over all normals there can be. False where a body is curved or has too many corners. */
static bool brute_depth(const body *a, const body *b, real *least)
{
    vec p[2][MOST_POINTS];
    const int count[2] = { corners(a, p[0]), corners(b, p[1]) };
    if (count[0] == 0 || count[1] == 0 || count[0] > 12 || count[1] > 12)
        return false;
    *least = INFINITY;
    for (int k = 0; k < 2; ++k)
        for (int i = 0; i < count[k]; ++i)
            for (int j = i + 1; j < count[k]; ++j)
                for (int l = j + 1; l < count[k]; ++l)
                    try_normal(a, b,
                               cross(add(p[k][j], times(-1, p[k][i])), add(p[k][l], times(-1, p[k][i]))),
                               least);
    for (int i = 0; i < count[0]; ++i)
        for (int j = i + 1; j < count[0]; ++j)
            for (int k = 0; k < count[1]; ++k)
                for (int l = k + 1; l < count[1]; ++l)
                    try_normal(a, b,
                               cross(add(p[0][j], times(-1, p[0][i])), add(p[1][l], times(-1, p[1][k]))),
                               least);
    return true;
}

/* Walks down from u: steps in turned pairs of directions, shorter and shorter. */
static real walk_down(const body *a, const body *b, vec u)
{
    real best = depth_along(a, b, u), step = 0.2L;
    for (int round = 0; round < 400 && step > 1e-13L; ++round) {
        const vec other = fabsl(u.x) < 0.6L ? (vec){ 1, 0, 0 } : (vec){ 0, 1, 0 };
        const vec e = unit(cross(u, other)), g = cross(u, e);
        const real turn = 0.7L * round;
        bool lower = false;
        for (int k = 0; k < 8 && !lower; ++k) {
            const real angle = turn + k * 0.785398163397448309616L;
            const vec to = unit(add(u, add(times(step * cosl(angle), e), times(step * sinl(angle), g))));
            const real f = depth_along(a, b, to);
            if (f < best) {
                best = f;
                u = to;
                lower = true;
            }
        }
        step *= lower ? 1.3L : 0.55L;
    }
    return best;
}

/* An upper bound of the depth that is close to it. */
static real search_depth(const body *a, const body *b, int samples, int walks)
{
    enum { MOST_WALKS = 16 };
    vec start[MOST_WALKS];
    real value[MOST_WALKS];
    int count = 0;
    const real golden = 2.39996322972865332223L;
    for (int i = 0; i < samples; ++i) {
        const real z = 1 - (2 * i + 1) / (real)samples, r = sqrtl(1 - z * z);
        const vec u = { r * cosl(golden * i), r * sinl(golden * i), z };
        const real f = depth_along(a, b, u);
        int at = count < walks ? count++ : walks;
        while (at > 0 && value[at - 1] > f) {
            if (at < walks) {
                value[at] = value[at - 1];
                start[at] = start[at - 1];
            }
            --at;
        }
        if (at < walks) {
            value[at] = f;
            start[at] = u;
        }
    }
    real least = INFINITY;
    for (int i = 0; i < count; ++i)
        least = fminl(least, walk_down(a, b, start[i]));
    return least;
}

/* ---- judging ---- */

typedef struct tally {
    uint64_t cases, wide, supports;
    uint32_t most;
} tally;

static void print_body(const char *name, const body *b)
{
    print_error("%s: type %d size %a %a %a at %a %a %a turned %a %a %a %a, %d points\n", name, (int)b->type,
                b->size[0], b->size[1], b->size[2], b->pose.position.x, b->pose.position.y,
                b->pose.position.z, b->pose.rotation.w, b->pose.rotation.x, b->pose.rotation.y,
                b->pose.rotation.z, b->count);
    for (int i = 0; i < b->count; ++i)
        print_error("  %a %a %a\n", b->point[i].x, b->point[i].y, b->point[i].z);
}

#define JUDGE(condition, ...)                                                                      \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            print_body("a", a);                                                                    \
            print_body("b", b);                                                                    \
            print_error("lo %a (%.17g) hi %a (%.17g) error %g\n", answer.lo, answer.lo, answer.hi, \
                        answer.hi, pair.error);                                                    \
            TEST_FAIL(__VA_ARGS__);                                                                \
        }                                                                                          \
    } while (0)

static void judge_answer(const body *a, const body *b, abut_convex_pair pair, abut_convex_answer answer,
                         uint64_t seed, tally *t)
{
    const real tiny = 8 * (real)pair.error;
    JUDGE(isfinite(answer.lo) && isfinite(answer.hi) && answer.lo <= answer.hi, "seed %" PRIu64, seed);
    JUDGE(answer.supports <= 200, "seed %" PRIu64 ": %u supports", seed, answer.supports);
    const abut_vec3 n = answer.normal;
    JUDGE(fabs(abut_dot(n, n) - 1) < 1e-14, "seed %" PRIu64 ": no unit normal", seed);
    /* The direction it names is as shallow as it says. u = -n, in the world's axes. */
    const vec u = times(-1, to_world(a, (vec){ n.x, n.y, n.z }));
    const real along = depth_along(a, b, unit(u));
    JUDGE(along <= -(real)answer.lo, "seed %" PRIu64 ": %.20Lg along the normal", seed, along);
    JUDGE(-(real)answer.lo - along <= tiny, "seed %" PRIu64 ": %.20Lg along the normal, lo is loose", seed,
          along);
    /* No direction is shallower than it says. */
    real least;
    if (!brute_depth(a, b, &least))
        least = search_depth(a, b, 300, 4);
    JUDGE(least >= -(real)answer.hi, "seed %" PRIu64 ": a direction with %.20Lg", seed, least);
    /* Witnesses: y - x is the depth along u, but for how well that is known. As u turns by d
     * towards where it is off, the depth f(u) falls by off d - H d^2 / 2, H for how fast the
     * points furthest along u move; by no more than the width, so that off^2 <= 2 H width. That
     * H is the size for polytopes, and more where ellipsoids are flat, or the tips of rims
     * nearly seen along their axes. */
    const real pace = unit_along(a, times(-1, u)) + unit_along(b, u);
    const abut_vec3 w = abut_sub(answer.y, answer.x);
    const double off = abut_length(abut_madd(w, -answer.lo, n)), size = pair.a->size + pair.b->size;
    const double width = answer.hi - answer.lo;
    const double known = isfinite(pace) ? sqrt(width * (size + (double)pace)) : INFINITY;
    JUDGE(off <= 1e-13 * size + 2 * known + 1e-7 * size, "seed %" PRIu64 ": witnesses off by %g", seed, off);
    ++t->cases;
    t->supports += answer.supports;
    t->most = answer.supports > t->most ? answer.supports : t->most;
    t->wide += !(width <= 1e-9 * -answer.lo + 32 * pair.error);
}

/* Runs the depth where the cores meet or nearly; false where they are apart. */
static bool judge(const body *a, const body *b, uint64_t seed, tally *t)
{
    abut_convex_pair pair;
    abut_convex_answer answer;
    abut_simplex simplex = { .count = 0 };
    /* A point at its own origin has no size. */
    if (!abut_convex_pair_from_poses(a->shape, &a->pose, b->shape, &b->pose, &pair))
        return false;
    const abut_gjk_end end = abut_gjk_distance(&pair, INFINITY, NULL, &simplex, &answer);
    if (end == ABUT_GJK_APART)
        return false;
    abut_convex_depth(&pair, &simplex, &answer);
    judge_answer(a, b, pair, answer, seed, t);
    return true;
}

/* ---- inputs ---- */

static abut_quat random_rotation(test_random *r)
{
    for (;;) {
        const abut_quat q = { test_uniform(r, -1, 1), test_uniform(r, -1, 1), test_uniform(r, -1, 1),
                              test_uniform(r, -1, 1) };
        const double n = abut_quat_dot(q, q);
        if (n > 0.01 && n <= 1)
            return q;
    }
}

static abut_vec3 random_direction(test_random *r)
{
    for (;;) {
        const abut_vec3 d = { test_uniform(r, -1, 1), test_uniform(r, -1, 1), test_uniform(r, -1, 1) };
        const double n = abut_dot(d, d);
        if (n > 0.01 && n <= 1)
            return abut_scale(1 / sqrt(n), d);
    }
}

static const abut_shape_type kinds[] = { ABUT_SHAPE_SPHERE,   ABUT_SHAPE_BOX,  ABUT_SHAPE_CAPSULE,
                                         ABUT_SHAPE_CYLINDER, ABUT_SHAPE_CONE, ABUT_SHAPE_ELLIPSOID,
                                         ABUT_SHAPE_CONVEX };

enum { KINDS = sizeof kinds / sizeof *kinds };

/* Sizes between lo and 1, times scale; hulls of `points` points on an ellipsoid. */
static void random_body(test_random *r, abut_shape_type type, double lo, double scale, int points, body *b)
{
    *b = (body){ .type = type };
    for (int i = 0; i < 3; ++i)
        b->size[i] = scale * exp2(test_uniform(r, log2(lo), 0));
    if (type == ABUT_SHAPE_CONVEX) {
        b->count = points;
        for (int i = 0; i < points; ++i) {
            const abut_vec3 d = random_direction(r);
            b->point[i] = abut_v3(b->size[0] * d.x, b->size[1] * d.y, b->size[2] * d.z);
        }
    }
    make(b);
}

static void random_places(test_random *r, double reach, double scale, body *a, body *b)
{
    const abut_vec3 at = abut_scale(scale * 5, random_direction(r));
    place(a, (abut_pose){ at, random_rotation(r) });
    place(b, (abut_pose){ abut_madd(at, scale * test_uniform(r, 0, reach), random_direction(r)),
                          random_rotation(r) });
}

static void release(body *a, body *b)
{
    abut_shape_release(a->shape);
    abut_shape_release(b->shape);
}

/* ---- tests ---- */

/* Every pair of types. */
static void random_pairs_are_enclosed(void **state)
{
    (void)state;
    const uint64_t count = test_count(20);
    tally all = { 0 };
    for (int i = 0; i < KINDS; ++i)
        for (int j = 0; j < KINDS; ++j) {
            tally t = { 0 };
            for (uint64_t k = 0; k < 8 * count && t.cases < count; ++k) {
                const uint64_t seed = ((uint64_t)(i * KINDS + j) << 32) + k;
                test_random r = test_seed(seed);
                body a, b;
                random_body(&r, kinds[i], 0.2, 1, k % 4 ? 8 : 32, &a);
                random_body(&r, kinds[j], 0.2, 1, k % 4 ? 8 : 32, &b);
                random_places(&r, 1.2, 1, &a, &b);
                judge(&a, &b, seed, &t);
                release(&a, &b);
            }
            all.cases += t.cases;
            all.wide += t.wide;
            all.supports += t.supports;
            if (getenv("ABUT_TEST_VERBOSE") && t.cases > 0)
                print_message("types %d %d: %" PRIu64 " cases, %" PRIu64 " wide, supports %.1f, most %u\n", i,
                              j, t.cases, t.wide, (double)t.supports / (double)t.cases, t.most);
        }
    /* A point close to the axis of a cone has nearly a ring of least directions. */
    TEST_CHECK(all.wide * 200 <= all.cases + 199, "%" PRIu64 " of %" PRIu64 " wide", all.wide, all.cases);
    TEST_CHECK(all.supports <= 30 * all.cases, "%" PRIu64 " supports", all.supports);
}

/* Long and flat bodies, sizes and places from 1e-4 to 1e4. */
static void hard_pairs_are_enclosed(void **state)
{
    (void)state;
    tally t = { 0 };
    for (uint64_t seed = 0; seed < test_count(700); ++seed) {
        test_random r = test_seed(seed + 1000000);
        const double scale = pow(10, test_uniform(&r, -4, 4)), lo = test_below(&r, 2) ? 1e-4 : 1e-6;
        body a, b;
        random_body(&r, kinds[test_below(&r, KINDS)], lo, scale, 8, &a);
        random_body(&r, kinds[test_below(&r, KINDS)], lo, scale * exp2(test_uniform(&r, -6, 0)), 8, &b);
        random_places(&r, 0, scale, &a, &b);
        /* Somewhere in a, or just outside. */
        const vec in =
            to_world(&a, (vec){ a.size[0] * test_uniform(&r, -1, 1), a.size[1] * test_uniform(&r, -1, 1),
                                a.size[2] * test_uniform(&r, -1, 1) });
        b.pose.position = abut_add(a.pose.position, abut_v3((double)in.x, (double)in.y, (double)in.z));
        judge(&a, &b, seed, &t);
        release(&a, &b);
    }
    if (getenv("ABUT_TEST_VERBOSE"))
        print_message("%" PRIu64 " cases, %" PRIu64 " wide, supports %.1f, most %u\n", t.cases, t.wide,
                      (double)t.supports / (double)t.cases, t.most);
    TEST_CHECK(t.cases > 0, "no case");
    TEST_CHECK(t.wide * 50 <= t.cases + 49, "%" PRIu64 " of %" PRIu64 " wide", t.wide, t.cases);
}

/* Points on a grid: parallel and coplanar faces, flat bodies, segments and points, quarter
 * turns, shared corners. */
static void grid_hulls_are_enclosed(void **state)
{
    (void)state;
    tally t = { 0 };
    for (uint64_t seed = 0; seed < test_count(2000); ++seed) {
        test_random r = test_seed(seed + 2000000);
        body pair[2];
        for (int k = 0; k < 2; ++k) {
            body *b = &pair[k];
            *b = (body){ .type = ABUT_SHAPE_CONVEX, .count = 1 + (int)test_below(&r, 8) };
            const unsigned flat = test_below(&r, 3), grid = 2 + test_below(&r, 3);
            for (int i = 0; i < b->count; ++i) {
                const double x = (double)test_below(&r, grid), y = (double)test_below(&r, grid),
                             z = (double)test_below(&r, grid);
                b->point[i] = abut_v3(x, flat == 0 ? x : y, flat <= 1 ? 0 : z);
            }
            static const abut_quat turns[] = { { 1, 0, 0, 0 }, { 1, 1, 0, 0 },  { 0, 0, 1, 0 },
                                               { 1, 1, 1, 1 }, { 1, 0, 0, -1 }, { 3, 0, 0, 1 } };
            place(b, (abut_pose){
                         { (double)test_below(&r, 3), (double)test_below(&r, 3), (double)test_below(&r, 2) },
                         turns[test_below(&r, 6)] });
            make(b);
        }
        judge(&pair[0], &pair[1], seed, &t);
        release(&pair[0], &pair[1]);
    }
    if (getenv("ABUT_TEST_VERBOSE"))
        print_message("%" PRIu64 " cases, %" PRIu64 " wide, supports %.1f, most %u\n", t.cases, t.wide,
                      (double)t.supports / (double)t.cases, t.most);
    TEST_CHECK(t.wide == 0, "%" PRIu64 " of %" PRIu64 " wide", t.wide, t.cases);
    TEST_CHECK(t.cases > 0, "no case");
}

/* ---- the way that hulls have of their own ---- */

/* Points in general position; on two circles, so that faces are parallel and have many corners;
 * on a grid. Times the sizes. */
static void random_hull(test_random *r, int kind, double lo, double scale, int points, body *b)
{
    *b = (body){ .type = ABUT_SHAPE_CONVEX, .count = points };
    for (int i = 0; i < 3; ++i)
        b->size[i] = scale * exp2(test_uniform(r, log2(lo), 0));
    for (int i = 0; i < points; ++i) {
        const double angle = 6.283185307179586 * (i / 2) / (points / 2);
        abut_vec3 d = random_direction(r);
        if (kind == 1)
            d = abut_v3(cos(angle), sin(angle), i % 2 ? 1 : -1);
        else if (kind == 2)
            d = abut_v3(0.25 * (double)test_below(r, 9) - 1, 0.25 * (double)test_below(r, 9) - 1,
                        0.25 * (double)test_below(r, 9) - 1);
        b->point[i] = abut_v3(b->size[0] * d.x, b->size[1] * d.y, b->size[2] * d.z);
    }
    make(b);
}

/* What it claims is judged as all depths are, and held against the other way; and it claims
 * nearly all that is in general position. */
static void hulls_go_their_own_way(void **state)
{
    (void)state;
    tally t = { 0 };
    uint64_t ordinary = 0, short_ones = 0, overlapping = 0, meeting = 0;
    for (uint64_t seed = 0; seed < test_count(250); ++seed) {
        test_random r = test_seed(seed + 3000000);
        const int kind = (int)test_below(&r, 3);
        const double lo = test_below(&r, 3) ? 0.2 : 1e-3, scale = pow(10, test_uniform(&r, -4, 4));
        const int points = 4 + (int)test_below(&r, test_below(&r, 4) ? 60 : MOST_POINTS - 3);
        body a, b;
        random_hull(&r, kind, lo, scale, points, &a);
        random_hull(&r, test_below(&r, 2) ? kind : 0, lo, scale * exp2(test_uniform(&r, -2, 0)), points, &b);
        random_places(&r, test_below(&r, 4) ? 1 : 0, scale, &a, &b);
        if (test_below(&r, 4) == 0) /* faces that are parallel */
            place(&b, (abut_pose){ b.pose.position, a.pose.rotation });
        abut_convex_pair pair;
        assert_true(abut_convex_pair_from_poses(a.shape, &a.pose, b.shape, &b.pose, &pair));
        const abut_simplex none = { .count = 0 };
        abut_convex_answer mine = { .lo = -INFINITY, .hi = INFINITY }, other = mine;
        const bool claimed = abut_depth_of_hulls(&pair, NULL, &mine);
        abut_depth_by_polytope(&pair, &none, &other);
        const bool meets = other.hi < 0, usual = meets && kind == 0 && lo > 0.1;
        TEST_CHECK(mine.supports <= 100, "seed %" PRIu64 ": %u supports", seed, mine.supports);
        TEST_CHECK(!claimed || (mine.lo <= other.hi && other.lo <= mine.hi), "seed %" PRIu64 ": %.17g, %.17g",
                   seed, mine.lo, other.hi);
        if (claimed)
            judge_answer(&a, &b, pair, mine, seed, &t);
        ordinary += usual;
        short_ones += usual && claimed;
        meeting += meets;
        overlapping += meets && claimed;
        release(&a, &b);
    }
    if (getenv("ABUT_TEST_VERBOSE"))
        print_message("%" PRIu64 " of %" PRIu64 " in general position, %" PRIu64 " of %" PRIu64
                      " in all; %" PRIu64 " wide, supports %.1f, most %u\n",
                      short_ones, ordinary, overlapping, meeting, t.wide,
                      (double)t.supports / (double)t.cases, t.most);
    TEST_CHECK(t.wide == 0, "%" PRIu64 " of %" PRIu64 " wide", t.wide, t.cases);
    /* Other processors have no such way. */
    TEST_CHECK(short_ones == 0 || short_ones * 5 > ordinary * 4, "%" PRIu64 " of %" PRIu64, short_ones,
               ordinary);
}

/* A byte, all of them, or a hole where a face was. */
static void spoil(test_random *r, uint8_t shell[248])
{
    const unsigned how = test_below(r, 4);
    if (how == 0)
        shell[test_below(r, 248)] = (uint8_t)test_below(r, 256);
    else if (how == 1)
        for (int i = 0; i < 248; ++i)
            shell[i] = (uint8_t)test_below(r, 40);
    else if (shell[0] > 0) {
        uint8_t *face = shell + 2 + 2 * shell[0];
        memmove(face + 3 * (size_t)test_below(r, shell[1]), face + 3 * (size_t)(shell[1] - 1), 3);
        --shell[1];
    }
}

/* Bodies that move a little from frame to frame, and what is kept of them, now and then with
 * bytes that nobody wrote. */
static void kept_surfaces_prove_the_next(void **state)
{
    (void)state;
    enum { FRAMES = 6 };
    tally cold = { 0 }, warm = { 0 };
    abut_cache cache = { 0 };
    for (uint64_t seed = 0; seed < test_count(100); ++seed) {
        test_random r = test_seed(seed + 4000000);
        const int kind = (int)test_below(&r, 3), points = 6 + (int)test_below(&r, 60);
        body a, b;
        random_hull(&r, kind, 0.2, 1, points, &a);
        random_hull(&r, kind, 0.2, 1, points, &b);
        random_places(&r, 0.6, 1, &a, &b);
        if (seed % 2) /* else that of another pair */
            cache = (abut_cache){ 0 };
        for (int frame = 0; frame < FRAMES; ++frame) {
            const bool spoilt = test_below(&r, 3) == 0;
            if (spoilt)
                spoil(&r, cache.shell);
            abut_convex_pair pair;
            assert_true(abut_convex_pair_from_poses(a.shape, &a.pose, b.shape, &b.pose, &pair));
            abut_convex_answer answer = { .lo = -INFINITY, .hi = INFINITY };
            if (abut_depth_of_hulls(&pair, &cache, &answer)) {
                TEST_CHECK(answer.supports <= 140, "seed %" PRIu64 ": %u supports", seed, answer.supports);
                judge_answer(&a, &b, pair, answer, seed, frame == 0 || spoilt ? &cold : &warm);
            }
            const abut_quat q = b.pose.rotation;
            const double turn = 0.02;
            place(&b,
                  (abut_pose){ abut_madd(b.pose.position, 0.01, random_direction(&r)),
                               { q.w + turn * test_uniform(&r, -1, 1), q.x + turn * test_uniform(&r, -1, 1),
                                 q.y + turn * test_uniform(&r, -1, 1), q.z } });
        }
        release(&a, &b);
    }
    if (getenv("ABUT_TEST_VERBOSE"))
        print_message("supports: %.1f cold, %.1f warm\n", (double)cold.supports / (double)cold.cases,
                      (double)warm.supports / (double)warm.cases);
    TEST_CHECK(cold.wide + warm.wide == 0, "%" PRIu64 " wide", cold.wide + warm.wide);
    /* Other processors keep nothing. */
    TEST_CHECK(cold.cases + warm.cases == 0 ||
                   warm.supports * cold.cases * 3 < cold.supports * warm.cases * 2,
               "supports: %.1f cold, %.1f warm", (double)cold.supports / (double)cold.cases,
               (double)warm.supports / (double)warm.cases);
}

/* ---- depths known beforehand ---- */

static void expect(abut_shape *a, const abut_pose *pose_a, abut_shape *b, const abut_pose *pose_b,
                   double depth, const char *what)
{
    abut_convex_pair pair;
    abut_convex_answer answer;
    abut_simplex simplex = { .count = 0 };
    assert_true(abut_convex_pair_from_poses(a, pose_a, b, pose_b, &pair));
    const abut_gjk_end end = abut_gjk_distance(&pair, INFINITY, NULL, &simplex, &answer);
    TEST_CHECK(end != ABUT_GJK_APART || depth < 0, "%s: apart", what);
    if (end == ABUT_GJK_APART)
        return;
    abut_convex_depth(&pair, &simplex, &answer);
    TEST_CHECK(-answer.hi <= depth && depth <= -answer.lo, "%s: [%.17g, %.17g], expected %.17g", what,
               -answer.hi, -answer.lo, depth);
    TEST_CHECK(answer.hi - answer.lo <= 1e-9 * fabs(depth) + 32 * pair.error,
               "%s: [%.17g, %.17g] is wide, %u supports", what, -answer.hi, -answer.lo, answer.supports);
    TEST_CHECK(answer.supports <= 200, "%s: %u supports", what, answer.supports);
}

static abut_pose at(double x, double y, double z)
{
    return (abut_pose){ { x, y, z }, { 1, 0, 0, 0 } };
}

static void known_depths_are_found(void **state)
{
    (void)state;
    static const double scales[] = { 1, 1e-4, 1e4, 1e-30, 1e30 };
    for (size_t i = 0; i < sizeof scales / sizeof *scales; ++i) {
        const double s = scales[i];
        abut_shape *box, *slab, *round, *thin, *egg, *ball, *cone, *rod;
        assert_int_equal(abut_shape_create_box((abut_vec3){ s, s, s }, NULL, &box), ABUT_OK);
        assert_int_equal(abut_shape_create_box((abut_vec3){ s, s, 1e-6 * s }, NULL, &slab), ABUT_OK);
        assert_int_equal(abut_shape_create_cylinder(s, 2 * s, NULL, &round), ABUT_OK);
        assert_int_equal(abut_shape_create_cylinder(s, 1e-6 * s, NULL, &thin), ABUT_OK);
        assert_int_equal(abut_shape_create_ellipsoid((abut_vec3){ s, 2 * s, 3 * s }, NULL, &egg), ABUT_OK);
        assert_int_equal(abut_shape_create_ellipsoid((abut_vec3){ s, s, s }, NULL, &ball), ABUT_OK);
        assert_int_equal(abut_shape_create_cone(s, 2 * s, NULL, &cone), ABUT_OK);
        assert_int_equal(abut_shape_create_capsule(0.25 * s, 2 * s, NULL, &rod), ABUT_OK);
        const abut_pose zero = at(0, 0, 0);
        const struct {
            abut_shape *a, *b;
            abut_pose pose;
            double depth;
            const char *what;
        } cases[] = {
            { box, box, zero, 2 * s, "the same box twice" },
            { box, box, at(0, 0, 1.9 * s), 2 * s - 1.9 * s, "cubes one above the other" },
            { box, box, at(s, s, s), s, "cubes corner in centre" },
            { box, box, at(0, 0, 2 * s), 0, "cubes face to face" },
            { box, box, at(2 * s, 2 * s, 0), 0, "cubes edge to edge" },
            { box, box, at(2 * s, 2 * s, 2 * s), 0, "cubes corner to corner" },
            { box, box, at(0, 0, 2 * s - 0x1p-40 * s), 0x1p-40 * s, "cubes a hair in each other" },
            { box, slab, zero, s + 1e-6 * s, "a slab in a cube" },
            { slab, slab, zero, 2 * (1e-6 * s), "the same slab twice" },
            { slab, slab, at(0.5 * s, 0, 0), 2 * (1e-6 * s), "slabs one in the other" },
            { box, ball, zero, 2 * s, "a ball in a cube" },
            { box, egg, zero, 2 * s, "an egg in a cube" },
            { egg, egg, zero, 2 * s, "the same egg twice" },
            { egg, egg, at(1.5 * s, 0, 0), 0.5 * s, "eggs side by side" },
            { egg, egg, at(0, 0, 5.75 * s), 0.25 * s, "eggs end to end" },
            { ball, ball, zero, 2 * s, "the same ball twice" },
            { ball, ball, at(0.5 * s, 0, 0), 1.5 * s, "balls" },
            { round, box, zero, 2 * s, "a cylinder in a cube" },
            { round, round, at(0, 0, 1.5 * s), 0.5 * s, "cylinders end to end" },
            { round, thin, at(0, 0, s), 0.5e-6 * s, "a coin on a cylinder" },
            { round, rod, at(0, 0, 1.75 * s), 0.25 * s, "a rod in a cylinder's end" },
            { round, egg, at(0, 0, 3.5 * s), 0.5 * s, "an egg in a cylinder's end" },
            { cone, box, at(0, 0, 1.5 * s), 0.5 * s, "the tip of a cone in a cube" },
            { cone, box, at(0, 0, -1.5 * s), 0.5 * s, "the base of a cone in a cube" },
            { cone, ball, at(0, 0, -1.75 * s), 0.25 * s, "the base of a cone in a ball" },
            { rod, rod, zero, 0, "the same rod twice" },
            { rod, box, zero, s, "a rod in a cube" },
            { rod, box, at(s, 0, 0), 0, "a rod along a face" },
            { rod, egg, at(s, 0, 0), 0, "a rod that touches an egg" },
        };
        for (size_t k = 0; k < sizeof cases / sizeof *cases; ++k) {
            expect(cases[k].a, &zero, cases[k].b, &cases[k].pose, cases[k].depth, cases[k].what);
            const abut_pose back =
                at(-cases[k].pose.position.x, -cases[k].pose.position.y, -cases[k].pose.position.z);
            expect(cases[k].b, &zero, cases[k].a, &back, cases[k].depth, cases[k].what);
        }
        abut_shape *const all[] = { box, slab, round, thin, egg, ball, cone, rod };
        for (size_t k = 0; k < sizeof all / sizeof *all; ++k)
            abut_shape_release(all[k]);
    }
}

/* Two cylinders or cones on one axis have a whole circle of least directions, which no polytope
 * comes close to quickly: right, if wide. */
static void rings_of_directions_are_enclosed(void **state)
{
    (void)state;
    abut_shape *a, *b;
    assert_int_equal(abut_shape_create_cylinder(0.25, 8, NULL, &a), ABUT_OK);
    assert_int_equal(abut_shape_create_cylinder(0.5, 8, NULL, &b), ABUT_OK);
    abut_convex_pair pair;
    abut_convex_answer answer;
    abut_simplex simplex = { .count = 0 };
    const abut_pose zero = at(0, 0, 0);
    assert_true(abut_convex_pair_from_poses(a, &zero, b, &zero, &pair));
    (void)abut_gjk_distance(&pair, INFINITY, NULL, &simplex, &answer);
    abut_convex_depth(&pair, &simplex, &answer);
    TEST_CHECK(-answer.hi <= 0.75 && 0.75 <= -answer.lo && answer.supports <= 200, "[%.17g, %.17g] %u",
               -answer.hi, -answer.lo, answer.supports);
    TEST_CHECK(answer.hi - answer.lo <= 0.01, "[%.17g, %.17g]", -answer.hi, -answer.lo);
    abut_shape_release(a);
    abut_shape_release(b);
}

/* A cap seen aslant by 1e-12, as the cache leaves the direction: its rim is behind its middle by
 * that. */
static void caps_seen_aslant_are_enclosed(void **state)
{
    (void)state;
    abut_shape *s;
    assert_int_equal(abut_shape_create_cylinder(1, 2, NULL, &s), ABUT_OK);
    const abut_pose a = { { 0, 0, 0 }, { 1, 0, 0, 0 } }, b = { { 0.25, -1.5, 1.75 }, { 1, 1, -1, 1 } };
    abut_cache cache = { 0 };
    abut_check_opts opts;
    abut_check_opts_init(&opts);
    opts.cache = &cache;
    for (int i = 0; i < 4; ++i) {
        abut_check_result r;
        assert_int_equal(abut_check(s, &a, s, &b, &opts, NULL, &r), ABUT_OK);
        assert_int_equal(r.verdict, ABUT_PENETRATING);
        assert_true(r.depth.lo <= 0.25 && r.depth.hi >= 0.25 && r.depth.hi - r.depth.lo < 1e-10);
    }
    abut_shape_release(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_pairs_are_enclosed),        cmocka_unit_test(hard_pairs_are_enclosed),
        cmocka_unit_test(grid_hulls_are_enclosed),          cmocka_unit_test(hulls_go_their_own_way),
        cmocka_unit_test(kept_surfaces_prove_the_next),     cmocka_unit_test(known_depths_are_found),
        cmocka_unit_test(rings_of_directions_are_enclosed), cmocka_unit_test(caps_seen_aslant_are_enclosed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
