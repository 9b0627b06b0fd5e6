/* SPDX-License-Identifier: MIT */
/* The experiment by which OBBTree (S. Gottschalk, M. C. Lin, D. Manocha, 1996) shows why
 * oriented boxes: two spheres, one inside the other, with a gap that shrinks. A volume over a
 * piece of a sphere of diameter d is about d thick if it is an AABB or a sphere, but d^2 / 8 if
 * it can turn with the piece. To part the surfaces at a gap g takes pieces as thin: about 1 /
 * g^2 tests or about 1 / g. So in a log-log plot the slopes are -2 and -1, until the triangles
 * themselves are reached. Counts only. */
#include "bvh/bvh.h"
#include "math/vec3.h"
#include "support/test.h"

enum { LEVELS = 4, TRIANGLES = 20 << 2 * LEVELS };

typedef struct ball {
    abut_vec3 v[3 * TRIANGLES];
    uint32_t t[3 * TRIANGLES];
} ball;

static size_t divide(ball *b, size_t used, abut_vec3 p, abut_vec3 q, abut_vec3 r, int levels, double radius)
{
    if (levels == 0) {
        const abut_vec3 corner[3] = { p, q, r };
        for (size_t k = 0; k < 3; ++k) {
            b->v[used + k] = abut_scale(radius, corner[k]);
            b->t[used + k] = (uint32_t)(used + k);
        }
        return used + 3;
    }
    const abut_vec3 pq = abut_unit_or(abut_add(p, q), p), qr = abut_unit_or(abut_add(q, r), q),
                    rp = abut_unit_or(abut_add(r, p), r);
    used = divide(b, used, p, pq, rp, levels - 1, radius);
    used = divide(b, used, pq, q, qr, levels - 1, radius);
    used = divide(b, used, rp, qr, r, levels - 1, radius);
    return divide(b, used, pq, qr, rp, levels - 1, radius);
}

/* From the icosahedron: corners at cyclic (0, +-1, +-phi), faces wherever three are at distance
 * 2. */
static void make_ball(ball *b, double radius)
{
    abut_vec3 c[12];
    const double phi = 0.5 + sqrt(1.25);
    for (int i = 0; i < 12; ++i) {
        const double s = i & 1 ? 1 : -1, l = i & 2 ? phi : -phi;
        c[i] = i / 4 == 0 ? abut_v3(0, s, l) : i / 4 == 1 ? abut_v3(l, 0, s) : abut_v3(s, l, 0);
    }
    size_t used = 0;
    for (int i = 0; i < 12; ++i)
        for (int j = i + 1; j < 12; ++j)
            for (int k = j + 1; k < 12; ++k)
                if (abut_length(abut_sub(c[i], c[j])) < 2.1 && abut_length(abut_sub(c[j], c[k])) < 2.1 &&
                    abut_length(abut_sub(c[k], c[i])) < 2.1)
                    used = divide(b, used, abut_unit_or(c[i], c[i]), abut_unit_or(c[j], c[j]),
                                  abut_unit_or(c[k], c[k]), LEVELS, radius);
    assert_int_equal(used, 3 * TRIANGLES);
}

static bool on_pairs(void *ctx, const abut_bvh_pair *pairs, size_t count)
{
    (void)pairs;
    *(size_t *)ctx += count;
    return true;
}

static abut_bvh *make_tree(const ball *b, abut_volume volume)
{
    const abut_bvh_def def = {
        b->v, b->t, 3 * TRIANGLES, TRIANGLES, volume, ABUT_BUILDER_MEAN, ABUT_COVARIANCE_VERTICES
    };
    abut_bvh *tree = abut_bvh_create(&def, NULL);
    assert_non_null(tree);
    return tree;
}

static double tests_between(const abut_bvh *inner, const abut_bvh *outer, abut_vec3 at)
{
    const abut_quat turn = { 0.5, 0.3, -0.7, 0.2 };
    const abut_bv_relative rel = { abut_quat_to_mat3(abut_quat_normalize(turn)), at, 1e-15 };
    abut_mesh_counters counters = { 0 };
    const abut_bvh_walk walk = { { .tree = inner }, { .tree = outer }, &rel, ABUT_DESCENT_LARGER, NULL,
                                 &counters };
    size_t candidates = 0;
    assert_int_equal(abut_bvh_overlap(&walk, 0, on_pairs, &candidates), ABUT_OK);
    return (double)counters.volume_tests;
}

static double tests_at(const abut_bvh *inner, abut_volume volume, double gap)
{
    static ball outer;
    make_ball(&outer, 1 + gap);
    abut_bvh *tree = make_tree(&outer, volume);
    const double tests = tests_between(inner, tree, abut_v3(0, 0, 0));
    abut_bvh_destroy(tree);
    return tests;
}

/* Of the line through the points (log gap, log tests), least squares. */
static double slope(abut_volume volume, double widest, double factor, int steps)
{
    static ball inner;
    make_ball(&inner, 1);
    abut_bvh *tree = make_tree(&inner, volume);
    double sx = 0, sy = 0, sxx = 0, sxy = 0, gap = widest;
    for (int i = 0; i < steps; ++i, gap *= factor) {
        const double tests = tests_at(tree, volume, gap), x = log(gap), y = log(tests);
        print_message("%s: gap %.4f, %.0f tests\n", abut_volume_name(volume), gap, tests);
        sx += x, sy += y, sxx += x * x, sxy += x * y;
    }
    abut_bvh_destroy(tree);
    return (steps * sxy - sx * sy) / (steps * sxx - sx * sx);
}

static void test_slopes(void **state)
{
    (void)state;
    TEST_NEAR(slope(ABUT_VOLUME_OBB, 0.08, 0.5, 5), -1, 0.35, "oriented boxes");
    TEST_NEAR(slope(ABUT_VOLUME_RECTANGLE_SPHERE, 0.08, 0.5, 5), -1, 0.35, "swept rectangles");
    TEST_NEAR(slope(ABUT_VOLUME_AABB, 0.4, 0.6, 4), -2, 0.35, "boxes along the axes");
    TEST_NEAR(slope(ABUT_VOLUME_SPHERE, 0.4, 0.6, 4), -2, 0.35, "spheres");
}

/* Two spheres side by side: only where they face each other are they close, and there oriented
 * boxes gain the more the closer they are, until the smallest aligned boxes, as large as the
 * triangles, are reached. */
static void test_side_by_side(void **state)
{
    (void)state;
    static ball b;
    make_ball(&b, 1);
    abut_bvh *oriented = make_tree(&b, ABUT_VOLUME_OBB), *aligned = make_tree(&b, ABUT_VOLUME_AABB);
    double before = 0;
    for (double gap = 0.9; gap > 0.03; gap /= 3) {
        const abut_vec3 at = abut_scale(2 + gap, abut_unit_or(abut_v3(1, 2, 3), abut_v3(1, 0, 0)));
        const double ratio = tests_between(aligned, aligned, at) / tests_between(oriented, oriented, at);
        print_message("gap %.4f: %.2f times as many tests\n", gap, ratio);
        TEST_CHECK(ratio > before, "%g after %g", ratio, before);
        before = ratio;
    }
    TEST_CHECK(before > 2, "%g", before);
    abut_bvh_destroy(oriented);
    abut_bvh_destroy(aligned);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(test_slopes), cmocka_unit_test(test_side_by_side) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
