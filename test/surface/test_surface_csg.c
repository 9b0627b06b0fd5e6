/* SPDX-License-Identifier: MIT */
/* Implicit solids and Boolean combinations: fields against MPFR; inside, on and the lists of
 * creases and corners against plain evaluation of the tree. */
#include "support/failing_allocator.h"
#include "surface/check.h"
#include "surface/csg.h"

static const abut_aabb space = { { -3, -3, -3 }, { 3, 3, 3 } };

static abut_shape *implicit(const char *f)
{
    abut_shape *shape;
    abut_error error;
    TEST_CHECK(abut_shape_create_implicit(f, space, NULL, &shape, &error) == ABUT_OK, "%s: %s", f,
               error.text);
    return shape;
}

static abut_shape *combine(abut_csg_op op, abut_shape **of, size_t count)
{
    abut_shape *shape;
    abut_error error;
    TEST_CHECK(abut_shape_create_csg(op, of, count, NULL, &shape, &error) == ABUT_OK, "%s", error.text);
    for (size_t i = 0; i < count; ++i)
        abut_shape_release(of[i]);
    return shape;
}

/* ---- fields ---- */

/* x^2 + y^2 exp(z t) - sin(x z) - 1, subtracted: negated */
static void minus_field(const void *ctx, const num *in, num *out)
{
    (void)ctx;
    num x = in[0], y = in[1], z = in[2], t = in[3];
    num sum = o_add(o_sqr(x), o_mul(o_sqr(y), o_exp(o_mul(z, t))));
    *out = o_neg(o_sub(o_sub(sum, o_sin(o_mul(x, z))), o_num(1)));
}

static void fields_contain(void **state)
{
    (void)state;
    abut_shape *parts[2] = { implicit("z^2 - 4"), implicit("x^2 + y^2*exp(z*t) - sin(x*z) - 1") };
    abut_shape *shape = combine(ABUT_CSG_DIFFERENCE, parts, 2);
    asked a;
    ask(shape, &a);
    assert_true(a.surface.deforms && a.surface.implicit && a.surface.solid);
    expect_counts(&a.surface, 2, 1, 0);
    const abut_interval range[3] = { { -2, 2 }, { -2, 2 }, { -2, 2 } };
    for (uint64_t seed = 0; seed < test_count(3000); ++seed)
        check_field(&a, 1, 0, minus_field, NULL, range, (abut_interval){ -1, 1 }, seed);
    forget(&a);
    abut_shape_release(shape);
}

/* ---- truth ---- */

/* Balls and half-spaces, combined at random. */
typedef struct tree {
    int op; /* 0: leaf */
    struct tree *of[3];
    int count;
    double c[4]; /* ball: centre, radius; half-space (radius < 0): normal, offset is -radius */
} tree;

static tree *random_tree(test_random *r, int depth, tree **next)
{
    tree *t = (*next)++;
    if (depth == 0 || test_below(r, 4) == 0) {
        t->op = 0;
        for (int i = 0; i < 3; ++i)
            t->c[i] = test_uniform(r, -1, 1);
        t->c[3] = test_below(r, 3) ? test_uniform(r, 0.5, 1.5) : -test_uniform(r, 0.1, 0.6);
        return t;
    }
    t->op = 1 + (int)test_below(r, 3);
    t->count = 2 + (int)test_below(r, 2);
    for (int i = 0; i < t->count; ++i)
        t->of[i] = random_tree(r, depth - 1, next);
    return t;
}

static double value(const tree *t, const double *x)
{
    if (t->c[3] < 0)
        return t->c[0] * x[0] + t->c[1] * x[1] + t->c[2] * x[2] + t->c[3];
    const double d[3] = { x[0] - t->c[0], x[1] - t->c[1], x[2] - t->c[2] };
    return d[0] * d[0] + d[1] * d[1] + d[2] * d[2] - t->c[3] * t->c[3];
}

static void gradient(const tree *t, const double *x, double *g)
{
    for (int i = 0; i < 3; ++i)
        g[i] = t->c[3] < 0 ? t->c[i] : 2 * (x[i] - t->c[i]);
}

static bool is_inside(const tree *t, const double *x)
{
    if (t->op == 0)
        return value(t, x) < 0;
    bool in = is_inside(t->of[0], x);
    for (int i = 1; i < t->count; ++i) {
        const bool other = is_inside(t->of[i], x);
        in = t->op == 1 ? in || other : t->op == 2 ? in && other : in && !other;
    }
    return in;
}

static abut_shape *shape_of(const tree *t)
{
    if (t->op == 0) {
        char f[300];
        if (t->c[3] < 0)
            snprintf(f, sizeof f, "%.17g*x + %.17g*y + %.17g*z + %.17g", t->c[0], t->c[1], t->c[2], t->c[3]);
        else
            snprintf(f, sizeof f, "(x - %.17g)^2 + (y - %.17g)^2 + (z - %.17g)^2 - %.17g^2", t->c[0], t->c[1],
                     t->c[2], t->c[3]);
        return implicit(f);
    }
    abut_shape *of[3];
    for (int i = 0; i < t->count; ++i)
        of[i] = shape_of(t->of[i]);
    return combine(t->op == 1   ? ABUT_CSG_UNION
                   : t->op == 2 ? ABUT_CSG_INTERSECTION
                                : ABUT_CSG_DIFFERENCE,
                   of, (size_t)t->count);
}

/* Leaves in the order in which the surface numbers them: as they come. */
static int list_leaves(const tree *t, const tree **out)
{
    if (t->op == 0) {
        *out = t;
        return 1;
    }
    int count = 0;
    for (int i = 0; i < t->count; ++i)
        count += list_leaves(t->of[i], out + count);
    return count;
}

static bool has_set(const abut_surface *s, const int *leaves, uint32_t count, size_t *feature)
{
    const abut_csg_body *body = (const abut_csg_body *)s->body;
    for (size_t i = 0; i < s->feature_count; ++i) {
        const abut_csg_set *set = &body->sets[s->features[i].data];
        bool all = set->count == count;
        for (uint32_t k = 0; k < count && all; ++k) {
            bool found = false;
            for (uint32_t l = 0; l < count; ++l)
                found = found || body->walls[set->wall[l]].leaf == (uint32_t)leaves[k];
            all = found;
        }
        *feature = i;
        if (all)
            return true;
    }
    return false;
}

static double dot(const double *a, const double *b)
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

/* Newton from x to a common zero of the leaves (least steps); false where it does not arrive
 * inside the box. */
static bool to_zero(const tree *const *of, int count, double *x)
{
    for (int step = 0; step < 30; ++step)
        for (int i = 0; i < count; ++i) {
            double g[3];
            gradient(of[i], x, g);
            const double f = value(of[i], x), s = f / dot(g, g);
            for (int k = 0; k < 3; ++k)
                x[k] -= s * g[k];
        }
    bool good = true;
    for (int i = 0; i < count; ++i)
        good = good && fabs(value(of[i], x)) < 1e-13;
    for (int k = 0; k < 3; ++k)
        good = good && fabs(x[k]) < 2.9;
    return good;
}

/* Is the solid different on both sides of each leaf, next to x, in some of the cells that the
 * leaves make there? By stepping to either side of each along directions that change one leaf
 * alone. -1: other leaves are too close to say. */
static int changes(const tree *t, const tree *const *all, int all_count, const tree *const *of, int count,
                   const double *x)
{
    double dual[3][3], g[3][3];
    for (int i = 0; i < all_count; ++i) {
        bool chosen = false;
        for (int k = 0; k < count; ++k)
            chosen = chosen || of[k] == all[i];
        if (!chosen && fabs(value(all[i], x)) < 1e-3)
            return -1;
    }
    for (int i = 0; i < count; ++i)
        gradient(of[i], x, g[i]);
    for (int i = 0; i < count; ++i) { /* what is perpendicular to the gradients of the others */
        memcpy(dual[i], g[i], sizeof dual[i]);
        for (int pass = 0; pass < 40; ++pass)
            for (int k = 0; k < count; ++k)
                if (k != i) {
                    const double s = dot(dual[i], g[k]) / dot(g[k], g[k]);
                    for (int m = 0; m < 3; ++m)
                        dual[i][m] -= s * g[k][m];
                }
        const double size = dot(dual[i], dual[i]), along = dot(dual[i], g[i]);
        if (size < 0.05 * dot(g[i], g[i]))
            return -1; /* nearly tangent */
        for (int m = 0; m < 3; ++m)
            dual[i][m] /= along;
    }
    bool in[8];
    for (int w = 0; w < 1 << count; ++w) {
        double y[3] = { x[0], x[1], x[2] };
        for (int i = 0; i < count; ++i)
            for (int m = 0; m < 3; ++m)
                y[m] += (w >> i & 1 ? -1e-5 : 1e-5) * dual[i][m];
        in[w] = is_inside(t, y);
    }
    for (int i = 0; i < count; ++i) {
        bool any = false;
        for (int w = 0; w < 1 << count; ++w)
            any = any || in[w] != in[w ^ 1 << i];
        if (!any)
            return 0;
    }
    return 1;
}

static void trees_are_told_right(void **state)
{
    (void)state;
    size_t checked[2][4] = { { 0 } };
    size_t sure[3] = { 0 };
    for (uint64_t seed = 0; seed < test_count(60); ++seed) {
        test_random r = test_seed(seed);
        tree nodes[64], *next = nodes;
        memset(nodes, 0, sizeof nodes);
        const tree *t = random_tree(&r, 2, &next), *all[32];
        const int leaf_count = list_leaves(t, all);
        abut_shape *shape = shape_of(t);
        asked a;
        ask(shape, &a);
        kernel_job j = { .surface = &a.surface, .scratch = a.scratch };
        for (int k = 0; k < 300; ++k) {
            double at[3];
            for (int i = 0; i < 3; ++i) {
                at[i] = test_uniform(&r, -2, 2);
                const double w = exp2(test_uniform(&r, -12, 0));
                j.x[i] =
                    (abut_interval){ at[i] - w * test_uniform(&r, 0, 1), at[i] + w * test_uniform(&r, 0, 1) };
            }
            run(kernel_inside, &j);
            if (j.truth != ABUT_SOMEWHERE)
                TEST_CHECK((j.truth == ABUT_EVERYWHERE) == is_inside(t, at),
                           "seed %" PRIu64 ": %g %g %g is %d", seed, at[0], at[1], at[2], (int)j.truth);
            ++sure[j.truth + 1];
        }
        for (int k = 0; k < 400; ++k) {
            int leaves[3];
            const tree *of[3];
            double x[3];
            const int count = 1 + (int)test_below(&r, 3);
            bool distinct = true;
            for (int i = 0; i < count; ++i) {
                leaves[i] = (int)test_below(&r, (unsigned)leaf_count);
                of[i] = all[leaves[i]];
                for (int m = 0; m < i; ++m)
                    distinct = distinct && leaves[m] != leaves[i];
            }
            for (int i = 0; i < 3; ++i)
                x[i] = test_uniform(&r, -2, 2);
            if (!distinct || !to_zero(of, count, x))
                continue;
            const int expected = changes(t, all, leaf_count, of, count, x);
            if (expected < 0)
                continue;
            ++checked[expected][count];
            size_t feature;
            const bool listed = has_set(&a.surface, leaves, (uint32_t)count, &feature);
            if (expected == 1)
                TEST_CHECK(listed, "seed %" PRIu64 ": %d leaves meet at %g %g %g, and are not listed", seed,
                           count, x[0], x[1], x[2]);
            if (!listed)
                continue;
            j.feature = &a.surface.features[feature];
            const double w = 1e-6;
            for (int i = 0; i < 3; ++i)
                j.x[i] = (abut_interval){ x[i] - w, x[i] + w };
            run(kernel_on, &j);
            TEST_CHECK(j.truth == (expected ? ABUT_EVERYWHERE : ABUT_NOWHERE),
                       "seed %" PRIu64 ": %d leaves at %g %g %g: %d, expected %d", seed, count, x[0], x[1],
                       x[2], (int)j.truth, expected);
            if (expected == 1 && count == 1) { /* the gradient leads out */
                run(kernel_field, &j);
                j.order = 1;
                run(kernel_field, &j);
                double y[3];
                const ia3 *g = &j.field_jet.g;
                for (int i = 0; i < 3; ++i)
                    y[i] = x[i] + 1e-5 * ia_mid(part_of(g, i));
                TEST_CHECK(!is_inside(t, y), "seed %" PRIu64 ": the gradient of leaf %d leads inward", seed,
                           leaves[0]);
                j.order = 0;
            }
        }
        forget(&a);
        abut_shape_release(shape);
    }
    if (test_count(60) < 60)
        return;
    for (int count = 1; count <= 3; ++count)
        TEST_CHECK(checked[0][count] > 20 && checked[1][count] > 20, "%zu and %zu cases of %d leaves",
                   checked[0][count], checked[1][count], count);
    TEST_CHECK(sure[0] > 4 * sure[1] && sure[2] > sure[1] / 8, "%zu out, %zu undecided, %zu in", sure[0],
               sure[1], sure[2]);
}

/* ---- lists ---- */

static void a_cube_of_planes_has_six_twelve_eight(void **state)
{
    (void)state;
    static const char *const planes[] = { "x - 1", "-x - 1", "y - 1", "-y - 1", "z - 1", "-z - 1" };
    abut_shape *of[6];
    for (int i = 0; i < 6; ++i)
        of[i] = implicit(planes[i]);
    abut_shape *shape = combine(ABUT_CSG_INTERSECTION, of, 6);
    asked a;
    ask(shape, &a);
    expect_counts(&a.surface, 6, 12, 8);
    forget(&a);
    abut_shape_release(shape);
}

static void hidden_leaves_have_no_faces(void **state)
{
    (void)state;
    /* A ball inside another; and one that a third does not meet. */
    abut_shape *of[3] = { implicit("x^2 + y^2 + z^2 - 4"), implicit("x^2 + y^2 + z^2 - 1"),
                          implicit("(x - 2.5)^2 + y^2 + z^2 - 0.01") };
    abut_shape *shape = combine(ABUT_CSG_UNION, of, 3);
    asked a;
    ask(shape, &a);
    expect_counts(&a.surface, 2, 0, 0);
    forget(&a);
    abut_shape_release(shape);
}

/* In a \ b and b \ a together, every leaf bounds with both signs, and nothing is left where both
 * are. */
static void a_leaf_may_bound_with_both_signs(void **state)
{
    (void)state;
    abut_shape *a = implicit("x^2 + y^2 + z^2 - 1"), *b = implicit("(x - 1)^2 + y^2 + z^2 - 1");
    abut_shape *first[2] = { abut_shape_retain(a), abut_shape_retain(b) }, *second[2] = { b, a };
    abut_shape *halves[2] = { combine(ABUT_CSG_DIFFERENCE, first, 2),
                              combine(ABUT_CSG_DIFFERENCE, second, 2) };
    abut_shape *shape = combine(ABUT_CSG_UNION, halves, 2);
    asked s;
    ask(shape, &s);
    expect_counts(&s.surface, 4, 4, 0);
    kernel_job j = { .surface = &s.surface,
                     .scratch = s.scratch,
                     .x = { { 0.4, 0.6 }, { -0.1, 0.1 }, { 0, 0.1 } } };
    run(kernel_inside, &j);
    assert_int_equal(j.truth, ABUT_NOWHERE);
    j.x[0] = (abut_interval){ -0.5, -0.4 };
    run(kernel_inside, &j);
    assert_int_equal(j.truth, ABUT_EVERYWHERE);
    /* Left end of the second ball, x = 0: material is to the left of it. */
    j.x[0] = (abut_interval){ -0.01, 0.01 };
    int on = 0;
    for (size_t i = 0; i < 4; ++i) {
        j.feature = &s.surface.features[i];
        j.order = 1;
        run(kernel_field, &j);
        if (!ia_contains_zero(j.field_jet.f))
            continue;
        run(kernel_on, &j);
        if (j.truth == ABUT_EVERYWHERE) {
            assert_true(ia_lo(j.field_jet.g.x) > 0);
            ++on;
        } else {
            assert_int_equal(j.truth, ABUT_NOWHERE);
        }
    }
    assert_int_equal(on, 1);
    forget(&s);
    abut_shape_release(shape);
}

/* Outside its bounds an implicit solid has nothing. */
static void bounds_end_the_solid(void **state)
{
    (void)state;
    abut_shape *shape = implicit("x^2 + y^2 - 1");
    asked a;
    ask(shape, &a);
    kernel_job j = { .surface = &a.surface, .feature = a.surface.features, .scratch = a.scratch };
    j.x[0] = (abut_interval){ 1, 1 };
    j.x[2] = (abut_interval){ 2.5, 2.75 };
    run(kernel_on, &j);
    assert_int_equal(j.truth, ABUT_EVERYWHERE);
    j.x[2] = (abut_interval){ 3.5, 3.75 };
    run(kernel_on, &j);
    assert_int_equal(j.truth, ABUT_NOWHERE);
    j.x[0] = (abut_interval){ 0, 0 };
    run(kernel_inside, &j);
    assert_int_equal(j.truth, ABUT_NOWHERE);
    forget(&a);
    abut_shape_release(shape);
}

static void memory_may_run_out_anywhere(void **state)
{
    (void)state;
    abut_shape *of[3] = { implicit("x^2 + y^2 + z^2 - 1"), implicit("(x - 1)^2 + y^2 + z^2 - 1"),
                          implicit("(y - 0.5)^2 + x^2 + z^2 - 1") };
    abut_status status = ABUT_OK;
    TEST_EVERY_ALLOCATION_FAILS(
        alloc,
        {
            abut_shape *shape;
            status = abut_shape_create_csg(ABUT_CSG_DIFFERENCE, of, 3, &alloc, &shape, NULL);
            abut_shape_release(shape);
        },
        status)
    assert_int_equal(status, ABUT_OK);
    for (int i = 0; i < 3; ++i)
        abut_shape_release(of[i]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fields_contain),
        cmocka_unit_test(trees_are_told_right),
        cmocka_unit_test(a_cube_of_planes_has_six_twelve_eight),
        cmocka_unit_test(hidden_leaves_have_no_faces),
        cmocka_unit_test(a_leaf_may_bound_with_both_signs),
        cmocka_unit_test(bounds_end_the_solid),
        cmocka_unit_test(memory_may_run_out_anywhere),
    };
    return cmocka_run_group_tests(tests, oracle_set_up, oracle_tear_down);
}
