/* SPDX-License-Identifier: MIT */
/* Binary trees against brute force in long double: every volume, builder, covariance and descent
 * hands over each pair that counts, once; after refits, along fronts, for boxes, within one
 * tree, at all scales, and together with trees of other kinds. */
#include "bvh/binary.h"
#include "math/vec3.h"
#include "oracle/volume_contains.h"
#include "support/failing_allocator.h"
#include "support/places.h"

enum { MOST = 40 };

typedef struct soup {
    abut_vec3 v[3 * MOST];
    uint32_t t[3 * MOST];
    size_t vertices, triangles;
} soup;

static abut_mat3 random_rotation(test_random *r)
{
    if (test_below(r, 4) == 0)
        return (abut_mat3){ { { 0, 1, 0 }, { -1, 0, 0 }, { 0, 0, 1 } } };
    const abut_quat q = { test_uniform(r, -1, 1), test_uniform(r, -1, 1), test_uniform(r, -1, 1),
                          test_uniform(r, -1, 1) };
    return abut_quat_to_mat3(abut_quat_normalize(q));
}

/* Scattered triangles, a tilted sheet, a line of degenerate triangles, many at one place, a
 * crowd near a point. */
static void random_soup(test_random *r, soup *s, double scale)
{
    const unsigned form = test_below(r, 6);
    const abut_mat3 turn = random_rotation(r);
    s->triangles = 1 + test_below(r, form == 1 ? 32 : MOST);
    s->vertices = 3 * s->triangles;
    for (uint32_t i = 0; i < s->vertices; ++i)
        s->t[i] = i;
    for (size_t i = 0; i < s->triangles; ++i) {
        const abut_vec3 at = random_vec3(r, 1);
        for (size_t k = 0; k < 3; ++k) {
            abut_vec3 p = abut_add(at, random_vec3(r, 0.2));
            if (form == 1) { /* cells of a grid, two triangles each */
                const size_t cell = i / 2, corner = i % 2 ? (k == 0 ? 0 : k + 1) : k;
                p = abut_mul(&turn, abut_v3(0.25 * (double)(cell % 4 + (corner == 1 || corner == 2)),
                                            0.25 * (double)(cell / 4 + (corner >= 2)), 0));
            } else if (form == 2)
                p = abut_scale((double)i + (k == 2 ? 1 : 0), abut_mul(&turn, abut_v3(0.05, 0, 0)));
            else if (form == 3)
                p = abut_v3(0.25, 0.5, test_below(r, 8) ? 0 : 0.125);
            else if (form == 4)
                p = abut_scale(ldexp(1, -(int)i), p);
            s->v[3 * i + k] = abut_scale(scale, p);
        }
    }
}

static abut_bvh *make_tree(const soup *s, abut_volume volume, abut_builder builder,
                           abut_covariance covariance)
{
    const abut_bvh_def def = { s->v, s->t, s->vertices, s->triangles, volume, builder, covariance };
    abut_bvh *tree = abut_bvh_create(&def, NULL);
    assert_non_null(tree);
    return tree;
}

/* ---- the referee ---- */

typedef struct scene {
    soup a, b;
    abut_bv_relative rel;
    double off[3], scale;
    long double distance[MOST][MOST]; /* by the true placement */
} scene;

static brute_point placed(const scene *c, abut_vec3 p)
{
    const long double x[3] = { p.x, p.y, p.z }, t[3] = { c->rel.t.x, c->rel.t.y, c->rel.t.z };
    brute_point out;
    for (int i = 0; i < 3; ++i)
        out.x[i] =
            c->rel.r.m[i][0] * x[0] + c->rel.r.m[i][1] * x[1] + c->rel.r.m[i][2] * x[2] + t[i] + c->off[i];
    return out;
}

static void judge(scene *c)
{
    for (size_t i = 0; i < c->a.triangles; ++i)
        for (size_t j = 0; j < c->b.triangles; ++j) {
            brute_point p[3], q[3];
            for (size_t k = 0; k < 3; ++k) {
                const abut_vec3 v = c->a.v[c->a.t[3 * i + k]];
                p[k] = (brute_point){ { v.x, v.y, v.z } };
                q[k] = placed(c, c->b.v[c->b.t[3 * j + k]]);
            }
            c->distance[i][j] = brute_triangles(p, q);
        }
}

static void random_placement(test_random *r, scene *c)
{
    c->rel.r = random_rotation(r);
    c->rel.t = random_vec3(r, 2 * c->scale);
    if (test_below(r, 2)) { /* two corners near each other */
        const abut_vec3 a = c->a.v[test_below(r, (unsigned)c->a.vertices)],
                        b = c->b.v[test_below(r, (unsigned)c->b.vertices)];
        c->rel.t = abut_sub(a, abut_mul(&c->rel.r, b));
    }
    if (test_below(r, 12) == 0)
        c->rel.t.y += c->scale * exp2(test_uniform(r, 0, 300));
    c->rel.error = (test_below(r, 3) ? 0x1p-50 : 1e-3) * (8 * c->scale + abut_max_norm(c->rel.t));
    for (int k = 0; k < 3; ++k)
        c->off[k] = c->rel.error * (test_below(r, 3) - 1.0);
    judge(c);
}

static void random_scene(test_random *r, scene *c)
{
    c->scale = test_below(r, 4) ? 1 : pow(10, test_uniform(r, -150, 150));
    random_soup(r, &c->a, c->scale);
    random_soup(r, &c->b, test_below(r, 6) ? c->scale : 1e-3 * c->scale);
    random_placement(r, c);
}

/* A reach that some pair is at, within everything, or nothing. */
static double random_reach(test_random *r, const scene *c)
{
    const double d =
        (double)c->distance[test_below(r, (unsigned)c->a.triangles)][test_below(r, (unsigned)c->b.triangles)];
    return test_below(r, 2) ? 0 : d * (1 + 1e-14);
}

/* ---- receiving ---- */

typedef struct seen {
    const scene *c;
    uint8_t count[MOST][MOST];
    size_t total, stop_after;
    double bound, relative;
    uint64_t seed;
} seen;

static bool on_pairs(void *ctx, const abut_bvh_pair *pairs, size_t count)
{
    seen *s = ctx;
    assert_true(count >= 1 && count <= ABUT_BVH_BATCH);
    for (size_t i = 0; i < count; ++i) {
        assert_true(pairs[i].a < MOST && pairs[i].b < MOST);
        ++s->count[pairs[i].a][pairs[i].b];
    }
    s->total += count;
    return s->stop_after == 0 || s->total < s->stop_after;
}

static double on_near(void *ctx, const abut_bvh_pair *pairs, size_t count, double bound)
{
    seen *s = ctx;
    TEST_CHECK(bound <= s->bound, "seed %" PRIu64 ": bound rises to %a", s->seed, bound);
    for (size_t i = 0; i < count; ++i) {
        ++s->count[pairs[i].a][pairs[i].b];
        const double d = (double)s->c->distance[pairs[i].a][pairs[i].b];
        bound = d / (1 + s->relative) < bound ? d / (1 + s->relative) : bound;
    }
    s->bound = bound;
    return bound;
}

static void check_seen(const seen *s, double reach, const char *what)
{
    for (size_t i = 0; i < s->c->a.triangles; ++i)
        for (size_t j = 0; j < s->c->b.triangles; ++j) {
            TEST_CHECK(s->count[i][j] <= 1, "seed %" PRIu64 ", %s: pair %zu %zu %d times", s->seed, what, i,
                       j, s->count[i][j]);
            TEST_CHECK(s->count[i][j] == 1 || s->c->distance[i][j] > (long double)reach * (1 - 1e-15L),
                       "seed %" PRIu64 ", %s: pair %zu %zu at %Lg is missing within %a", s->seed, what, i, j,
                       s->c->distance[i][j], reach);
        }
}

static void check_overlap(const scene *c, const abut_bvh *a, const abut_bvh *b, abut_descent descent,
                          double reach, abut_front *front, uint64_t seed, const char *what)
{
    abut_mesh_counters counters = { 0 };
    const abut_bvh_walk walk = { { .tree = a }, { .tree = b }, &c->rel, descent, front, &counters };
    seen s = { .c = c, .seed = seed };
    assert_int_equal(abut_bvh_overlap(&walk, reach, on_pairs, &s), ABUT_OK);
    check_seen(&s, reach, what);
    assert_true(counters.volume_tests > 0 || a->wide || b->wide);
}

static void check_nearest(const scene *c, const abut_bvh *a, const abut_bvh *b, abut_descent descent,
                          double bound, double relative, uint64_t seed, const char *what)
{
    abut_mesh_counters counters = { 0 };
    const abut_bvh_walk walk = { { .tree = a }, { .tree = b }, &c->rel, descent, NULL, &counters };
    seen s = { .c = c, .seed = seed, .bound = bound, .relative = relative };
    const double left_out = abut_bvh_nearest(&walk, bound, on_near, &s);
    for (size_t i = 0; i < c->a.triangles; ++i)
        for (size_t j = 0; j < c->b.triangles; ++j) {
            TEST_CHECK(s.count[i][j] <= 1, "seed %" PRIu64 ", %s: pair %zu %zu %d times", seed, what, i, j,
                       s.count[i][j]);
            if (s.count[i][j] == 0) {
                TEST_CHECK(c->distance[i][j] * (1 + 1e-15L) >= (long double)left_out,
                           "seed %" PRIu64 ", %s: pair %zu %zu at %Lg left out, said %a", seed, what, i, j,
                           c->distance[i][j], left_out);
                TEST_CHECK(c->distance[i][j] >= (long double)s.bound * (1 - 1e-15L),
                           "seed %" PRIu64 ", %s: pair %zu %zu at %Lg left out, bound %a", seed, what, i, j,
                           c->distance[i][j], s.bound);
            }
        }
}

/* ---- tests ---- */

static const abut_volume volumes[] = {
    ABUT_VOLUME_SPHERE, ABUT_VOLUME_AABB,        ABUT_VOLUME_OBB,
    ABUT_VOLUME_KDOP6,  ABUT_VOLUME_KDOP14,      ABUT_VOLUME_KDOP18,
    ABUT_VOLUME_KDOP26, ABUT_VOLUME_LINE_SPHERE, ABUT_VOLUME_RECTANGLE_SPHERE
};
enum { VOLUMES = sizeof volumes / sizeof volumes[0] };

static const abut_builder builders[] = { ABUT_BUILDER_MEAN, ABUT_BUILDER_MEDIAN, ABUT_BUILDER_SAH,
                                         ABUT_BUILDER_BOTTOM_UP };

static void refit_to(test_random *r, soup *s, abut_bvh *tree)
{
    const double size = abut_max_norm(s->v[0]) * fabs(test_log_uniform(r, -3, 3));
    const abut_mat3 turn = random_rotation(r);
    for (size_t i = 0; i < s->vertices; ++i)
        s->v[i] = abut_add(abut_mul(&turn, s->v[i]), random_vec3(r, size));
    abut_bvh_refit(tree, s->v);
}

/* Every triangle is in the tree once, and every volume below the depth. */
static void check_shape(const abut_bvh *tree)
{
    uint32_t ids[MOST];
    bool there[MOST] = { false };
    const size_t count = abut_binary_triangles(&tree->binary->view, 0, MOST, ids);
    assert_int_equal(count, tree->def.triangle_count);
    for (size_t i = 0; i < count; ++i) {
        assert_false(there[ids[i]]);
        there[ids[i]] = true;
    }
    abut_hierarchy_info info;
    abut_bvh_get_info(tree, &info);
    assert_int_equal(info.nodes, 2 * count - 1);
    assert_int_equal(info.leaves, count);
    assert_true(info.depth < ABUT_BVH_DEPTH && info.bytes > 0);
}

static void run_kind(uint64_t seed, scene *c, abut_volume volume, abut_builder builder, test_random *r)
{
    char what[100];
    const abut_covariance covariance = (abut_covariance)test_below(r, ABUT_COVARIANCE_COUNT);
    const abut_descent descent = test_below(r, 2) ? ABUT_DESCENT_BOTH : ABUT_DESCENT_LARGER;
    (void)snprintf(what, sizeof what, "%s %s covariance %d descent %d", abut_volume_name(volume),
                   abut_builder_name(builder), (int)covariance, (int)descent);
    abut_bvh *a = make_tree(&c->a, volume, builder, covariance);
    abut_bvh *b = make_tree(&c->b, volume, builders[test_below(r, 4)],
                            (abut_covariance)test_below(r, ABUT_COVARIANCE_COUNT));
    check_shape(a);
    check_overlap(c, a, b, descent, random_reach(r, c), NULL, seed, what);
    check_nearest(c, a, b, descent, test_below(r, 3) ? INFINITY : random_reach(r, c),
                  test_below(r, 2) ? 0 : 0.5, seed, what);
    if (test_below(r, 3) == 0) {
        scene *moved = malloc(sizeof *moved);
        *moved = *c;
        refit_to(r, &moved->a, a);
        refit_to(r, &moved->b, b);
        random_placement(r, moved);
        check_overlap(moved, a, b, descent, random_reach(r, moved), NULL, seed, what);
        check_nearest(moved, a, b, descent, INFINITY, 0, seed, what);
        abut_bvh_destroy(a);
        abut_bvh_destroy(b);
        free(moved);
        return;
    }
    abut_bvh_destroy(a);
    abut_bvh_destroy(b);
}

static void test_walks(void **state)
{
    (void)state;
    scene *c = malloc(sizeof *c);
    for (uint64_t seed = 0; seed < test_count(70); ++seed) {
        test_random r = test_seed(seed);
        random_scene(&r, c);
        for (int n = 0; n < VOLUMES; ++n)
            for (int k = 0; k < 4; ++k)
                run_kind(seed, c, volumes[n], builders[k], &r);
    }
    free(c);
}

static void test_fronts(void **state)
{
    (void)state;
    scene *c = malloc(sizeof *c);
    for (uint64_t seed = 0; seed < test_count(100); ++seed) {
        test_random r = test_seed(seed);
        c->scale = 1;
        random_soup(&r, &c->a, 1);
        random_soup(&r, &c->b, 1);
        random_placement(&r, c);
        const abut_volume volume = volumes[test_below(&r, VOLUMES)];
        abut_bvh *a = make_tree(&c->a, volume, builders[test_below(&r, 4)], ABUT_COVARIANCE_VERTICES);
        abut_bvh *b = make_tree(&c->b, volume, builders[test_below(&r, 4)], ABUT_COVARIANCE_VERTICES);
        abut_front *front;
        assert_int_equal(abut_front_create(NULL, &front), ABUT_OK);
        const abut_vec3 velocity = random_vec3(&r, 0.1);
        for (int frame = 0; frame < 30; ++frame) {
            c->rel.t = abut_add(c->rel.t, velocity);
            c->rel.error = 1e-12;
            c->off[0] = c->off[1] = c->off[2] = 0;
            if (frame % 7 == 3)
                refit_to(&r, &c->a, a);
            if (frame % 11 == 10) /* somewhere else altogether */
                random_placement(&r, c);
            judge(c);
            const abut_descent descent = test_below(&r, 4) ? ABUT_DESCENT_LARGER : ABUT_DESCENT_BOTH;
            if (test_below(&r, 8) == 0) { /* ended early */
                abut_mesh_counters counters = { 0 };
                const abut_bvh_walk walk = {
                    { .tree = a }, { .tree = b }, &c->rel, descent, front, &counters
                };
                seen s = { .c = c, .seed = seed, .stop_after = 1 };
                assert_int_equal(abut_bvh_overlap(&walk, 0.5, on_pairs, &s), ABUT_OK);
            }
            check_overlap(c, a, b, descent, test_below(&r, 3) ? 0 : random_reach(&r, c), front, seed,
                          abut_volume_name(volume));
        }
        abut_bvh_destroy(b); /* a front that belongs to trees of before begins anew */
        b = make_tree(&c->b, volume, ABUT_BUILDER_MEAN, ABUT_COVARIANCE_VERTICES);
        check_overlap(c, a, b, ABUT_DESCENT_LARGER, 0.1, front, seed, "another tree");
        abut_front_destroy(front);
        abut_bvh_destroy(a);
        abut_bvh_destroy(b);
    }
    free(c);
}

static void test_mixed(void **state)
{
    (void)state;
    scene *c = malloc(sizeof *c);
    for (uint64_t seed = 0; seed < test_count(600); ++seed) {
        test_random r = test_seed(seed);
        random_scene(&r, c);
        const abut_volume va = (abut_volume)test_below(&r, ABUT_VOLUME_COUNT),
                          vb = (abut_volume)test_below(&r, ABUT_VOLUME_COUNT);
        abut_bvh *a = make_tree(&c->a, va, ABUT_BUILDER_AUTO, ABUT_COVARIANCE_VERTICES);
        abut_bvh *b = make_tree(&c->b, vb, ABUT_BUILDER_AUTO, ABUT_COVARIANCE_VERTICES);
        char what[40];
        (void)snprintf(what, sizeof what, "%s and %s", abut_volume_name(va), abut_volume_name(vb));
        check_overlap(c, a, b, ABUT_DESCENT_LARGER, random_reach(&r, c), NULL, seed, what);
        check_nearest(c, a, b, ABUT_DESCENT_LARGER, test_below(&r, 2) ? INFINITY : random_reach(&r, c), 0,
                      seed, what);
        abut_bvh_destroy(a);
        abut_bvh_destroy(b);
    }
    free(c);
}

/* Distance of a triangle of a to the box on side b: no more than to any of its points. */
static void judge_box(scene *c, const abut_bv_box *box, test_random *r)
{
    for (size_t i = 0; i < c->a.triangles; ++i)
        c->distance[i][0] = INFINITY;
    for (int n = 0; n < 60; ++n) {
        double u[3];
        for (int k = 0; k < 3; ++k)
            u[k] = n < 8 ? (n >> k & 1 ? 1 : -1) : test_uniform(r, -1, 1);
        const abut_vec3 p = abut_add(
            box->centre,
            abut_mul(&box->axes, abut_v3(u[0] * box->half.x, u[1] * box->half.y, u[2] * box->half.z)));
        const brute_point q = placed(c, p), three[3] = { q, q, q };
        for (size_t i = 0; i < c->a.triangles; ++i) {
            brute_point t[3];
            for (size_t k = 0; k < 3; ++k) {
                const abut_vec3 v = c->a.v[c->a.t[3 * i + k]];
                t[k] = (brute_point){ { v.x, v.y, v.z } };
            }
            c->distance[i][0] = fminl(c->distance[i][0], brute_triangles(t, three));
        }
    }
}

static void test_boxes(void **state)
{
    (void)state;
    scene *c = malloc(sizeof *c);
    for (uint64_t seed = 0; seed < test_count(250); ++seed) {
        test_random r = test_seed(seed);
        random_scene(&r, c);
        abut_bv_box box = { random_vec3(&r, c->scale), { 0, 0, 0 }, random_rotation(&r) };
        const unsigned sides = test_below(&r, 4); /* a point, a segment, a rectangle, a box */
        box.half.y = sides > 0 ? c->scale * fabs(test_log_uniform(&r, -20, 3)) : 0;
        box.half.x = sides > 1 ? c->scale * fabs(test_log_uniform(&r, -6, 0)) : 0;
        box.half.z = sides > 2 ? c->scale * fabs(test_log_uniform(&r, -6, 0)) : 0;
        c->rel.error += 0x1p-50 * 40 * c->scale;
        c->b.triangles = 1;
        judge_box(c, &box, &r);
        for (int n = 0; n < VOLUMES; ++n) {
            abut_bvh *tree = make_tree(&c->a, volumes[n], ABUT_BUILDER_AUTO, ABUT_COVARIANCE_VERTICES);
            abut_mesh_counters counters = { 0 };
            const abut_bvh_walk walk = { { .tree = tree },    { .box = box }, &c->rel,
                                         ABUT_DESCENT_LARGER, NULL,           &counters };
            seen s = { .c = c, .seed = seed };
            const double reach = random_reach(&r, c);
            assert_int_equal(abut_bvh_overlap(&walk, reach, on_pairs, &s), ABUT_OK);
            check_seen(&s, reach, abut_volume_name(volumes[n]));
            seen near = { .c = c, .seed = seed, .bound = INFINITY };
            const double left_out = abut_bvh_nearest(&walk, INFINITY, on_near, &near);
            for (size_t i = 0; i < c->a.triangles; ++i)
                TEST_CHECK(near.count[i][0] == 1 || c->distance[i][0] * (1 + 1e-15L) >= (long double)left_out,
                           "seed %" PRIu64 ": %s leaves out %Lg, said %a", seed, abut_volume_name(volumes[n]),
                           c->distance[i][0], left_out);
            abut_bvh_destroy(tree);
        }
    }
    free(c);
}

static void test_self(void **state)
{
    (void)state;
    scene *c = malloc(sizeof *c);
    for (uint64_t seed = 0; seed < test_count(200); ++seed) {
        test_random r = test_seed(seed);
        c->scale = test_below(&r, 2) ? 1 : pow(10, test_uniform(&r, -150, 150));
        random_soup(&r, &c->a, c->scale);
        c->b = c->a;
        c->rel = (abut_bv_relative){ { { { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 } } }, { 0, 0, 0 }, 0 };
        c->off[0] = c->off[1] = c->off[2] = 0;
        judge(c);
        const double reach = random_reach(&r, c);
        for (size_t i = 0; i < c->a.triangles; ++i)
            for (size_t j = 0; j <= i; ++j)
                c->distance[i][j] = INFINITY;
        for (int n = 0; n < VOLUMES; ++n) {
            abut_bvh *tree =
                make_tree(&c->a, volumes[n], builders[test_below(&r, 4)], ABUT_COVARIANCE_HULL_AREA);
            abut_mesh_counters counters = { 0 };
            seen s = { .c = c, .seed = seed };
            abut_bvh_self(tree, reach, &counters, on_pairs, &s);
            check_seen(&s, reach, abut_volume_name(volumes[n]));
            for (size_t i = 0; i < c->a.triangles; ++i)
                for (size_t j = 0; j <= i; ++j)
                    assert_int_equal(s.count[i][j], 0);
            abut_bvh_destroy(tree);
        }
    }
    free(c);
}

/* Triangles ever closer to a point, which makes trees by means as deep as they may be; and all
 * at one place. */
static void test_depth(void **state)
{
    (void)state;
    enum { COUNT = 900 };
    static abut_vec3 v[3 * COUNT];
    static uint32_t t[3 * COUNT];
    for (uint32_t i = 0; i < 3 * COUNT; ++i)
        t[i] = i;
    for (int form = 0; form < 3; ++form) {
        for (size_t i = 0; i < 3 * COUNT; ++i) {
            const double x = form == 0 ? ldexp(1, -(int)(i / 3)) : form == 1 ? (double)(i / 3) : 1;
            v[i] = abut_v3(x, form == 1 ? 0 : x * (double)(i % 3), 0);
        }
        for (int n = 0; n < VOLUMES; ++n)
            for (int k = 0; k < 4; ++k) {
                const abut_bvh_def def = { v,          t,           3 * COUNT,           COUNT,
                                           volumes[n], builders[k], ABUT_COVARIANCE_HULL };
                abut_bvh *tree = abut_bvh_create(&def, NULL);
                assert_non_null(tree);
                abut_hierarchy_info info;
                abut_bvh_get_info(tree, &info);
                TEST_CHECK(info.depth < ABUT_BVH_DEPTH, "depth %zu", info.depth);
                assert_int_equal(info.builder, builders[k]);
                abut_bvh_destroy(tree);
            }
    }
}

/* Every volume of a tree contains all triangles below it. */
static void check_nodes(const abut_bvh *tree, uint64_t seed)
{
    enum { ROOM = 700 };
    static uint32_t ids[ROOM];
    const abut_binary_view *view = &tree->binary->view;
    for (uint32_t node = 0; node < tree->binary->node_count; ++node) {
        const size_t count = abut_binary_triangles(view, node, ROOM, ids);
        assert_true(count > 0);
        for (size_t i = 0; i < 3 * count; ++i) {
            const abut_vec3 p = tree->def.vertices[tree->def.triangles[3 * ids[i / 3] + i % 3]],
                            m = view->frame.middle;
            const brute_point local = { { ldexpl((long double)p.x - m.x, -view->frame.exponent),
                                          ldexpl((long double)p.y - m.y, -view->frame.exponent),
                                          ldexpl((long double)p.z - m.z, -view->frame.exponent) } };
            const long double off = volume_outside(view->kind, abut_binary_node(view, node), local);
            TEST_CHECK(off <= 0, "seed %" PRIu64 ": %s at node %u of %zu triangles leaves one out by %Lg",
                       seed, abut_volume_name(tree->def.volume), node, count, off);
        }
    }
}

/* Many triangles, so that refits go by volumes too: a wavy sheet that is crumpled, scaled, and
 * moved far away. */
static void test_refit(void **state)
{
    (void)state;
    enum { SIDE = 18, CORNERS = 6 * SIDE * SIDE };
    static abut_vec3 v[CORNERS];
    static uint32_t t[CORNERS];
    for (uint32_t i = 0; i < CORNERS; ++i)
        t[i] = i;
    for (uint64_t seed = 0; seed < test_count(4); ++seed) {
        test_random r = test_seed(seed);
        for (int n = 0; n < VOLUMES; ++n) {
            abut_bvh *tree = NULL;
            for (int frame = 0; frame < 4; ++frame) {
                const double scale = frame == 2   ? 1e-140
                                     : frame == 3 ? 1e140
                                                  : 1,
                             crumple = frame == 1 ? 0.3 : 0.01;
                const abut_vec3 away = random_vec3(&r, frame == 1 ? 1e6 : 1);
                for (size_t i = 0; i < CORNERS; ++i) {
                    const size_t cell = i / 6, corner = (size_t[6]){ 0, 1, 2, 0, 2, 3 }[i % 6];
                    const double x = (double)(cell % SIDE + (corner == 1 || corner == 2)) / SIDE;
                    const double y = (double)(cell / SIDE + (corner >= 2)) / SIDE;
                    const abut_vec3 p = abut_v3(x, y, 0.2 * sin(5 * x) * cos(4 * y));
                    v[i] = abut_scale(scale, abut_add(abut_add(p, random_vec3(&r, crumple)), away));
                }
                const abut_bvh_def def = {
                    v, t, CORNERS, CORNERS / 3, volumes[n], builders[seed % 4], ABUT_COVARIANCE_HULL_AREA
                };
                if (frame == 0)
                    assert_non_null(tree = abut_bvh_create(&def, NULL));
                else
                    abut_bvh_refit(tree, v);
                check_nodes(tree, seed);
            }
            abut_bvh_destroy(tree);
        }
    }
}

static bool on_nothing(void *ctx, const abut_bvh_pair *pairs, size_t count)
{
    (void)pairs;
    *(size_t *)ctx += count;
    return true;
}

static void test_memory(void **state)
{
    (void)state;
    soup s;
    test_random r = test_seed(3);
    random_soup(&r, &s, 1);
    abut_bvh *a = make_tree(&s, ABUT_VOLUME_OBB, ABUT_BUILDER_MEAN, ABUT_COVARIANCE_VERTICES);
    for (int k = 0; k < 4; ++k) {
        abut_bvh_def def = {
            s.v, s.t, s.vertices, s.triangles, ABUT_VOLUME_OBB, builders[k], ABUT_COVARIANCE_HULL
        };
        abut_status status;
        TEST_EVERY_ALLOCATION_FAILS(
            alloc,
            {
                abut_bvh *tree = abut_bvh_create(&def, &alloc);
                status = tree ? ABUT_OK : ABUT_ERR_MEMORY;
                abut_bvh_destroy(tree);
            },
            status);
    }
    const abut_bv_relative rel = { { { { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 } } }, { 0.01, 0, 0 }, 1e-15 };
    abut_mesh_counters counters = { 0 };
    abut_bvh_walk walk = { { .tree = a }, { .tree = a }, &rel, ABUT_DESCENT_LARGER, NULL, &counters };
    size_t plain = 0;
    assert_int_equal(abut_bvh_overlap(&walk, 0.1, on_nothing, &plain), ABUT_OK);
    abut_status status;
    TEST_EVERY_ALLOCATION_FAILS(
        alloc,
        {
            abut_front *front;
            status = abut_front_create(&alloc, &front);
            if (status == ABUT_OK) {
                walk.front = front;
                size_t found = 0;
                status = abut_bvh_overlap(&walk, 0.1, on_nothing, &found);
                if (status == ABUT_ERR_MEMORY) { /* the next try, with memory, is whole */
                    found = 0;
                    assert_int_equal(abut_bvh_overlap(&walk, 0.1, on_nothing, &found), ABUT_OK);
                }
                assert_int_equal(found, plain);
                abut_front_destroy(front);
            }
        },
        status);
    abut_bvh_destroy(a);
    assert_int_equal(abut_front_create(NULL, NULL), ABUT_ERR_ARGUMENT);
    abut_front_destroy(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_walks),  cmocka_unit_test(test_fronts), cmocka_unit_test(test_mixed),
        cmocka_unit_test(test_boxes),  cmocka_unit_test(test_self),   cmocka_unit_test(test_depth),
        cmocka_unit_test(test_memory), cmocka_unit_test(test_refit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
