/* SPDX-License-Identifier: MIT */
/* Support points of cores against closed forms in long doubles: the value is the largest, the
 * point is in the core, both to core.error. */
#include "shape/core.h"

#include "shape/shape.h"
#include "support/test.h"

static long double length3(long double x, long double y, long double z)
{
    return sqrtl(x * x + y * y + z * z);
}

/* The largest d . x over the core. */
static long double top(const abut_core *c, abut_vec3 d)
{
    const long double flat = length3(d.x, d.y, 0), h0 = c->h[0], h1 = c->h[1], h2 = c->h[2];
    switch (c->kind) {
    case ABUT_CORE_SEGMENT: return h2 * fabs(d.z);
    case ABUT_CORE_BOX: return h0 * fabs(d.x) + h1 * fabs(d.y) + h2 * fabs(d.z);
    case ABUT_CORE_CYLINDER: return h0 * flat + h2 * fabs(d.z);
    case ABUT_CORE_CONE: return fmaxl(h2 * d.z, h0 * flat - h2 * d.z);
    case ABUT_CORE_ELLIPSOID: return length3(h0 * d.x, h1 * d.y, h2 * d.z);
    default: return 0;
    }
}

/* How far p is from the core, at most. */
static long double outside(const abut_core *c, abut_vec3 p)
{
    const long double flat = length3(p.x, p.y, 0), h0 = c->h[0], h1 = c->h[1], h2 = c->h[2];
    switch (c->kind) {
    case ABUT_CORE_SEGMENT: return length3(p.x, p.y, fmaxl(fabs(p.z) - h2, 0));
    case ABUT_CORE_BOX:
        return length3(fmaxl(fabs(p.x) - h0, 0), fmaxl(fabs(p.y) - h1, 0), fmaxl(fabs(p.z) - h2, 0));
    case ABUT_CORE_CYLINDER: return length3(fmaxl(flat - h0, 0), fmaxl(fabs(p.z) - h2, 0), 0);
    case ABUT_CORE_CONE: /* to the apex, or to the base */
        return fminl(length3(p.x, p.y, p.z - h2), length3(fmaxl(flat - h0, 0), p.z + h2, 0));
    case ABUT_CORE_ELLIPSOID: {
        const long double f = length3(p.x / h0, p.y / h1, p.z / h2);
        return f > 1 ? length3(p.x, p.y, p.z) * (1 - 1 / f) : 0;
    }
    default: return length3(p.x, p.y, p.z);
    }
}

static double size(test_random *r, bool wild)
{
    return fabs(test_log_uniform(r, wild ? -20 : -1, wild ? 20 : 1));
}

static abut_shape *random_shape(test_random *r)
{
    abut_shape *s = NULL;
    const bool wild = test_below(r, 2);
    const double scale = test_below(r, 3) ? 1 : ldexp(1, (int)test_below(r, 240) - 120);
    const double a = scale * size(r, wild), b = scale * size(r, wild), c = scale * size(r, wild);
    switch (test_below(r, 6)) {
    case 0: assert_int_equal(abut_shape_create_sphere(a, NULL, &s), ABUT_OK); break;
    case 1: assert_int_equal(abut_shape_create_capsule(a, b, NULL, &s), ABUT_OK); break;
    case 2: assert_int_equal(abut_shape_create_box((abut_vec3){ a, b, c }, NULL, &s), ABUT_OK); break;
    case 3: assert_int_equal(abut_shape_create_cylinder(a, b, NULL, &s), ABUT_OK); break;
    case 4: assert_int_equal(abut_shape_create_cone(a, b, NULL, &s), ABUT_OK); break;
    default: assert_int_equal(abut_shape_create_ellipsoid((abut_vec3){ a, b, c }, NULL, &s), ABUT_OK); break;
    }
    return s;
}

static double component(test_random *r)
{
    switch (test_below(r, 8)) {
    case 0: return 0;
    case 1: return -0.0;
    case 2: return test_log_uniform(r, -1074, -100);
    case 3: return test_log_uniform(r, -60, 0);
    default: return test_uniform(r, -1, 1);
    }
}

static void support_points_are_right(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < test_count(400000); ++seed) {
        test_random r = test_seed(seed);
        abut_shape *shape = random_shape(&r);
        const abut_core *c = &shape->core;
        abut_vec3 d = { component(&r), component(&r), component(&r) };
        if (c->kind == ABUT_CORE_CONE && test_below(&r, 3) == 0) {
            /* across the slope: rim and apex tie */
            const double flat = sqrt(d.x * d.x + d.y * d.y);
            d.z = c->h[0] * flat / (2 * c->h[2]);
        }
        const long double m = fmaxl(fabs(d.x), fmaxl(fabs(d.y), fabs(d.z)));
        if (m < 0x1p-60 || m > 0x1p60)
            d.z = 1;
        const double longer = test_below(&r, 2) ? 1 : ldexp(1, (int)test_below(&r, 240) - 120);
        d = abut_scale(longer, d);
        uint32_t hint = 0;
        const abut_vec3 p = abut_core_support(c, d, &hint);
        const long double length = length3(d.x, d.y, d.z);
        const long double value = (long double)d.x * p.x + (long double)d.y * p.y + (long double)d.z * p.z;
        const long double off = fabsl(value - top(c, d)) / length, out = outside(c, p);
        TEST_CHECK(off <= c->error,
                   "seed %" PRIu64 " kind %d: the value is off by %Lg, error %g (%a, %a, %a)", seed,
                   (int)c->kind, off, c->error, d.x, d.y, d.z);
        TEST_CHECK(out <= c->error, "seed %" PRIu64 " kind %d: the point is outside by %Lg, error %g", seed,
                   (int)c->kind, out, c->error);
        TEST_CHECK(length3(p.x, p.y, p.z) <= c->size + c->error, "seed %" PRIu64 ": beyond the size", seed);
        if (c->kind == ABUT_CORE_SEGMENT || c->kind == ABUT_CORE_BOX) {
            const abut_vec3 v = abut_core_vertex(c, hint);
            TEST_CHECK(v.x == p.x && v.y == p.y && v.z == p.z, "seed %" PRIu64 ": vertex %u", seed, hint);
        }
        abut_shape_release(shape);
    }
}

/* By the distances of the inner ball's centre from the planes of the outline, and of the outer
 * one's from its corners. */
static void balls_fit(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < test_count(20000); ++seed) {
        test_random r = test_seed(seed);
        const double scale = ldexp(1, (int)test_below(&r, 240) - 120);
        const double radius = scale * size(&r, test_below(&r, 2)),
                     height = scale * size(&r, test_below(&r, 2));
        for (int cone = 0; cone < 2; ++cone) {
            abut_shape *s = NULL;
            assert_int_equal(cone ? abut_shape_create_cone(radius, height, NULL, &s)
                                  : abut_shape_create_cylinder(radius, height, NULL, &s),
                             ABUT_OK);
            const abut_core_round *o = &s->core.round;
            const long double h = s->core.h[2], k = s->core.h[0], in = o->in_at, out = o->out_at;
            const long double slant = length3(k, 2 * h, 0);
            const long double side = cone ? (h - in) * k / slant : k, base = h + in, top = h - in;
            const long double fits = fminl(fminl(side, base), cone ? side : top);
            const long double reach =
                fmaxl(length3(k, h + out, 0), cone ? fabsl(h - out) : length3(k, h - out, 0));
            TEST_CHECK(o->in_radius <= fits && o->in_radius >= fits * (1 - 1e-9L), "seed %" PRIu64 ": inside",
                       seed);
            TEST_CHECK(o->out_radius >= reach && o->out_radius <= reach * (1 + 1e-9L),
                       "seed %" PRIu64 ": around", seed);
            TEST_CHECK(o->out_radius <= s->core.size * (1 + 1e-9) &&
                           o->in_radius >= s->core.inner * (1 - 1e-9),
                       "seed %" PRIu64 ": no better than balls about the origin", seed);
            TEST_CHECK(fabsl(o->to_side * side - 1) < 1e-12L && fabsl(o->to_base * base - 1) < 1e-12L &&
                           fabsl(o->to_top * top - 1) < 1e-12L,
                       "seed %" PRIu64 ": planes", seed);
            TEST_CHECK(fabsl(o->cosine - (cone ? 2 * h / slant : 1)) < 1e-15L &&
                           fabsl(o->sine - (cone ? k / slant : 0)) < 1e-15L &&
                           o->top == (cone ? 0 : s->core.h[0]),
                       "seed %" PRIu64 ": the side", seed);
            abut_shape_release(s);
        }
    }
}

static void sphere_support(void *ctx, const abut_vec3 *d, abut_vec3 *p)
{
    const double r = *(const double *)ctx, s = r / abut_length(*d);
    *p = abut_scale(s, *d);
}

static void shrinking_keeps_the_body(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < test_count(2000); ++seed) {
        test_random r = test_seed(seed);
        const int exponent = (int)test_below(&r, 1900) - 950;
        const double s = ldexp(1, exponent);
        const abut_vec3 p[4] = { { s, 0, 0 }, { 0, -2 * s, 0 }, { 0.25 * s, 0, 3 * s }, { 0, 0, 0 } };
        double radius = 3 * s;
        const abut_support_def def = { sphere_support, &radius, 1e-12 * s, 4 * s };
        abut_shape *shape[3];
        assert_int_equal(abut_shape_create_convex(p, 4, 0.5 * s, NULL, &shape[0], NULL), ABUT_OK);
        assert_int_equal(abut_shape_create_ellipsoid((abut_vec3){ s, 2 * s, 0.1 * s }, NULL, &shape[1]),
                         ABUT_OK);
        assert_int_equal(abut_shape_create_support(&def, NULL, &shape[2], NULL), ABUT_OK);
        abut_vec3 d = { test_uniform(&r, -1, 1), test_uniform(&r, -1, 1), test_uniform(&r, 0.1, 1) };
        for (int i = 0; i < 3; ++i) {
            const abut_core *full = &shape[i]->core, small = abut_core_shrink(full, exponent);
            assert_true(small.radius == ldexp(full->radius, -exponent) &&
                        small.size == ldexp(full->size, -exponent));
            TEST_CHECK(small.size > 0.5 && small.size < 8, "seed %" PRIu64 ": size %g", seed, small.size);
            uint32_t hint = 0, other = 0;
            const abut_vec3 a = abut_core_support(&small, d, &hint);
            if (i == 0) {
                const abut_vec3 b = abut_core_support(full, d, &other);
                assert_true(hint == other && ldexp(a.x, exponent) == b.x && ldexp(a.y, exponent) == b.y &&
                            ldexp(a.z, exponent) == b.z);
                assert_true(ldexp(abut_core_vertex(&small, hint).z, exponent) == b.z);
            }
            if (i == 1) {
                const long double value =
                    (long double)d.x * a.x + (long double)d.y * a.y + (long double)d.z * a.z;
                TEST_NEAR((double)(value / length3(d.x, 2 * d.y, small.h[2] * d.z)), 1, 1e-15,
                          "seed %" PRIu64, seed);
            }
            if (i == 2)
                TEST_NEAR(abut_length(a), 3, 1e-12, "seed %" PRIu64, seed);
            abut_shape_release(shape[i]);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(support_points_are_right),
        cmocka_unit_test(balls_fit),
        cmocka_unit_test(shrinking_keeps_the_body),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
