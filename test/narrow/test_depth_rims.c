/* SPDX-License-Identifier: MIT */
/* Depth of cylinders and cones, held against support functions in long double, written here from
 * the definitions.
 *
 * f(u) = h_B(u) + h_A(-u) + u . (p_B - p_A): every u refutes a bound that is too deep.
 * Directions that a wrong proof would miss are tried: axes, where sides or slants cross, the
 * circle of both axes, a grid, and what a walk finds below the best of them. On a common axis f
 * is a sinusoid between kinks, so that it is least at one of them or along the axis: the depth
 * is known. */
#include "abut/query.h"
#include "narrow/depth/depth_disc.h"
#include "support/test.h"

#include <inttypes.h>

#include <cmocka.h>

typedef long double real;

/* Fewer cases say nothing about how many are wide. */
enum { few = 300 };

typedef struct round_body {
    bool cone;
    double r, h; /* h: half the height */
    abut_pose pose;
    real axis[3];
    abut_shape *shape;
} round_body;

static void place(round_body *b, abut_pose pose)
{
    const abut_quat q = pose.rotation;
    const real w = q.w, x = q.x, y = q.y, z = q.z, n = w * w + x * x + y * y + z * z;
    b->pose = pose;
    b->axis[0] = 2 * (x * z + w * y) / n;
    b->axis[1] = 2 * (y * z - w * x) / n;
    b->axis[2] = (w * w + z * z - x * x - y * y) / n;
}

static void make(round_body *b)
{
    assert_int_equal(b->cone ? abut_shape_create_cone(b->r, 2 * b->h, NULL, &b->shape)
                             : abut_shape_create_cylinder(b->r, 2 * b->h, NULL, &b->shape),
                     ABUT_OK);
}

/* Along a direction with this part along the axis. */
static real support(const round_body *b, real along, real flat)
{
    return b->cone ? fmaxl(b->h * along, b->r * flat - b->h * along) : b->r * flat + b->h * fabsl(along);
}

static real support_along(const round_body *b, const real u[3], int sign)
{
    real along = 0, square = 0;
    for (int i = 0; i < 3; ++i)
        along += sign * u[i] * b->axis[i];
    for (int i = 0; i < 3; ++i) {
        const real p = sign * u[i] - along * b->axis[i];
        square += p * p;
    }
    return support(b, along, sqrtl(square));
}

static real depth_along(const round_body *a, const round_body *b, const real u[3])
{
    const real length = sqrtl(u[0] * u[0] + u[1] * u[1] + u[2] * u[2]),
               v[3] = { u[0] / length, u[1] / length, u[2] / length };
    return support_along(b, v, 1) + support_along(a, v, -1) +
           v[0] * ((real)b->pose.position.x - a->pose.position.x) +
           v[1] * ((real)b->pose.position.y - a->pose.position.y) +
           v[2] * ((real)b->pose.position.z - a->pose.position.z);
}

static void try_direction(const round_body *a, const round_body *b, real x, real y, real z, real best[4])
{
    const real u[3] = { x, y, z };
    if (!(x * x + y * y + z * z > 1e-20L))
        return;
    const real f = depth_along(a, b, u);
    if (f < best[3]) {
        const real length = sqrtl(x * x + y * y + z * z);
        best[0] = x / length;
        best[1] = y / length;
        best[2] = z / length;
        best[3] = f;
    }
}

/* The least f of many directions, and of what lies below the best. */
static real least_depth(const round_body *a, const round_body *b, const real hint[3])
{
    real best[4] = { 0, 0, 0, INFINITY };
    const real *p = a->axis, *q = b->axis;
    const real c[3] = { p[1] * q[2] - p[2] * q[1], p[2] * q[0] - p[0] * q[2], p[0] * q[1] - p[1] * q[0] };
    try_direction(a, b, hint[0], hint[1], hint[2], best);
    for (int k = -1; k <= 1; k += 2) {
        try_direction(a, b, k * p[0], k * p[1], k * p[2], best);
        try_direction(a, b, k * q[0], k * q[1], k * q[2], best);
        try_direction(a, b, k * c[0], k * c[1], k * c[2], best);
    }
    for (int i = 0; i < 64; ++i) {
        const real s = sinl(i * 0.0981747704246810387L), t = cosl(i * 0.0981747704246810387L);
        try_direction(a, b, t * p[0] + s * q[0], t * p[1] + s * q[1], t * p[2] + s * q[2], best);
        for (int k = -3; k <= 3; ++k)
            try_direction(a, b, t, s, 0.4L * k, best);
    }
    for (real step = 0.1L; step > 1e-10L; step *= 0.7L)
        for (int i = 0; i < 6; ++i) {
            const real from[3] = { best[0], best[1], best[2] };
            try_direction(a, b,
                          from[0] + (i == 0   ? step
                                     : i == 1 ? -step
                                              : 0),
                          from[1] + (i == 2   ? step
                                     : i == 3 ? -step
                                              : 0),
                          from[2] + (i == 4   ? step
                                     : i == 5 ? -step
                                              : 0),
                          best);
        }
    return best[3];
}

/* Whether they penetrate by the answer; *width: of the enclosure, of the depth. */
static bool judge(const round_body *a, const round_body *b, uint64_t seed, abut_check_result *r,
                  double *width)
{
    assert_int_equal(abut_check(a->shape, &a->pose, b->shape, &b->pose, NULL, NULL, r), ABUT_OK);
    TEST_CHECK(r->counters.evaluations <= 200, "seed %" PRIu64 ": %" PRIu64 " evaluations", seed,
               r->counters.evaluations);
    if (r->verdict != ABUT_PENETRATING || !r->has_depth)
        return false;
    const real n[3] = { -(real)r->normal.x, -(real)r->normal.y, -(real)r->normal.z };
    const double size = a->r + a->h + b->r + b->h;
    const real at_normal = depth_along(a, b, n), least = least_depth(a, b, n), slack = 1e-15L * size;
    TEST_CHECK(least >= r->depth.lo - slack,
               "seed %" PRIu64 ": depth [%a, %a], but %.20Lg: r %a h %a, r %a h %a, cone %d %d", seed,
               r->depth.lo, r->depth.hi, least, a->r, a->h, b->r, b->h, a->cone, b->cone);
    TEST_CHECK(at_normal <= r->depth.hi + 1e-12L * size && at_normal >= r->depth.lo - slack,
               "seed %" PRIu64 ": depth [%a, %a], %.20Lg along the normal", seed, r->depth.lo, r->depth.hi,
               at_normal);
    *width = (r->depth.hi - r->depth.lo) / r->depth.hi;
    return true;
}

static abut_quat random_quat(test_random *r)
{
    return (abut_quat){ test_uniform(r, -1, 1), test_uniform(r, -1, 1), test_uniform(r, -1, 1),
                        test_uniform(r, -1, 1) };
}

static void draw(test_random *r, int kind, bool coarse, round_body *a, round_body *b)
{
    round_body *both[2] = { a, b };
    for (int i = 0; i < 2; ++i) {
        both[i]->cone = kind == 1 || (kind == 2 && i);
        both[i]->r = coarse ? 0.25 * (double)(1 + test_below(r, 4)) : test_uniform(r, 0.2, 1);
        both[i]->h = coarse ? 0.25 * (double)(1 + test_below(r, 4)) : test_uniform(r, 0.2, 1);
        make(both[i]);
    }
}

static void release(round_body *a, round_body *b)
{
    abut_shape_release(a->shape);
    abut_shape_release(b->shape);
}

/* How many enclosures are wider than 1e-9. */
typedef struct tally {
    int met, wide;
} tally;

static void add_width(tally *t, double width)
{
    ++t->met;
    t->wide += width > 1e-9;
}

static void check_tally(const tally *t, int most_per_thousand)
{
    TEST_CHECK(t->met < few || t->wide * 1000 <= t->met * most_per_thousand, "%d of %d wide", t->wide,
               t->met);
}

/* ---- one axis: a whole circle of least directions ---- */

static real known_depth(const round_body *a, const round_body *b, double offset)
{
    /* Of directions at x to the axis; a is seen from behind. */
    real least = INFINITY;
    const real kink_a = a->cone ? a->r / sqrtl(4 * (real)a->h * a->h + (real)a->r * a->r) : 0,
               kink_b = b->cone ? b->r / sqrtl(4 * (real)b->h * b->h + (real)b->r * b->r) : 0;
    const real x[4] = { -1, 1, -kink_a, kink_b };
    for (int i = 0; i < 4; ++i) {
        const real flat = sqrtl(fmaxl(0, 1 - x[i] * x[i]));
        least = fminl(least, offset * x[i] + support(a, -x[i], flat) + support(b, x[i], flat));
    }
    return least;
}

static void coaxial_bodies_are_narrow(void **state)
{
    (void)state;
    const uint64_t count = test_count(1500);
    tally widths = { 0, 0 };
    for (uint64_t seed = 0; seed < count; ++seed) {
        test_random r = test_seed(seed);
        round_body a, b;
        abut_check_result found;
        double width, offset = test_uniform(&r, -1, 1);
        draw(&r, (int)(seed % 3), seed % 5 == 0, &a, &b);
        place(&a, (abut_pose){ { 0, 0, 0 }, { 1, 0, 0, 0 } });
        place(&b, (abut_pose){ { 0, 0, offset }, { 1, 0, 0, 0 } });
        const real known = known_depth(&a, &b, offset);
        if (judge(&a, &b, seed, &found, &width) && known > 1e-3L) {
            TEST_CHECK(found.depth.lo <= known && known <= found.depth.hi,
                       "seed %" PRIu64 ": depth [%a, %a], known %.20Lg", seed, found.depth.lo, found.depth.hi,
                       known);
            add_width(&widths, width);
        }
        release(&a, &b);
    }
    check_tally(&widths, 1);
}

/* ---- parallel axes, axes along a grid, axes nearly the same ---- */

static void aligned_bodies_are_enclosed(void **state)
{
    (void)state;
    static const abut_quat turns[6] = { { 1, 0, 0, 0 }, { 0, 1, 0, 0 }, { 1, 1, 0, 0 },
                                        { 1, 0, 1, 0 }, { 1, 0, 0, 1 }, { 1, 1, 1, 1 } };
    const uint64_t count = test_count(3000);
    tally widths = { 0, 0 };
    for (uint64_t seed = 0; seed < count; ++seed) {
        test_random r = test_seed(seed ^ 0xa11);
        round_body a, b;
        abut_check_result found;
        double width;
        const uint64_t family = test_below(&r, 4);
        draw(&r, (int)(seed % 3), family == 0, &a, &b);
        const abut_quat turn = family == 1 ? random_quat(&r) : turns[test_below(&r, 6)];
        abut_pose pa = { { 0, 0, 0 }, turn }, pb = { { 0, 0, 0 }, turn };
        double *p = &pb.position.x;
        if (family == 0) { /* a grid */
            pb.rotation = turns[test_below(&r, 6)];
            for (int i = 0; i < 3; ++i)
                p[i] = 0.25 * ((double)test_below(&r, 7) - 3);
        } else if (family < 3) { /* parallel */
            for (int i = 0; i < 3; ++i)
                p[i] = test_uniform(&r, -1, 1);
        } else { /* nearly one axis */
            const double part = pow(10, -test_uniform(&r, 1, 14));
            pa.rotation = (abut_quat){ 1, 0, 0, 0 };
            pb.rotation = (abut_quat){ 1, part * test_uniform(&r, -1, 1), part * test_uniform(&r, -1, 1), 0 };
            pb.position = (abut_vec3){ part * test_uniform(&r, -1, 1), 0, test_uniform(&r, -1, 1) };
        }
        place(&a, pa);
        place(&b, pb);
        if (judge(&a, &b, seed, &found, &width) && family < 3 && found.depth.hi > 1e-2)
            add_width(&widths, width);
        release(&a, &b);
    }
    check_tally(&widths, 10);
}

/* ---- random, near and far, thin and flat ---- */

static void random_bodies_are_enclosed(void **state)
{
    (void)state;
    const uint64_t count = test_count(3000);
    tally widths = { 0, 0 };
    for (uint64_t seed = 0; seed < count; ++seed) {
        test_random r = test_seed(seed ^ 0xbea);
        round_body a, b;
        abut_check_result found;
        double width;
        draw(&r, (int)(seed % 3), false, &a, &b);
        const bool ordinary = seed % 4 != 0;
        if (!ordinary) {
            release(&a, &b);
            a.r *= pow(10, test_uniform(&r, -4, 2));
            b.h *= pow(10, test_uniform(&r, -4, 2));
            make(&a);
            make(&b);
        }
        place(&a, (abut_pose){ { 0, 0, 0 }, random_quat(&r) });
        place(&b, (abut_pose){ { test_uniform(&r, -1, 1), test_uniform(&r, -1, 1), test_uniform(&r, -1, 1) },
                               random_quat(&r) });
        if (judge(&a, &b, seed, &found, &width) && ordinary && found.depth.hi > 1e-3)
            add_width(&widths, width);
        abut_grid_force_plain = 1;
        abut_check_result plain;
        assert_int_equal(abut_check(a.shape, &a.pose, b.shape, &b.pose, NULL, NULL, &plain), ABUT_OK);
        abut_grid_force_plain = 0;
        TEST_CHECK(plain.depth.lo == found.depth.lo && plain.depth.hi == found.depth.hi,
                   "seed %" PRIu64 ": depth [%a, %a], without AVX2 [%a, %a]", seed, found.depth.lo,
                   found.depth.hi, plain.depth.lo, plain.depth.hi);
        release(&a, &b);
    }
    check_tally(&widths, 2);
}

/* A step along the slant of a cone that is seen along its axis has no way around it: it went on
 * with a direction shorter than 1. */
static void a_step_begins_on_an_axis(void **state)
{
    (void)state;
    const abut_pose at = { { 0, 0, 0 },
                           { 0.097468473861300087, -0.29245711777655825, -0.022493010323065388,
                             -0.45532839521827562 } };
    for (int e = -100; e <= 100; e += 50) {
        const double s = ldexp(1, e - 98);
        const abut_pose there = {
            { s * -8.7071495657911681e+29, s * -7.8941493638086576e+29, s * 4.6817255982855704e+29 },
            { 0.86774699717919934, 0.23784674097995206, -0.087895813903482667, -0.62782402881046839 }
        };
        abut_shape *can, *cone;
        assert_int_equal(abut_shape_create_cylinder(s * 3.7657493721173769e+29,
                                                    2 * s * 4.4837003750781127e+29, NULL, &can),
                         ABUT_OK);
        assert_int_equal(
            abut_shape_create_cone(s * 4.9306015680423843e+29, 2 * s * 5.6325806146596058e+29, NULL, &cone),
            ABUT_OK);
        abut_check_result r;
        assert_int_equal(abut_check(can, &at, cone, &there, NULL, NULL, &r), ABUT_OK);
        assert_int_equal(r.verdict, ABUT_PENETRATING);
        const double depth =
            s * 1.2048693835e+24; /* the middle of the cap, which the cone's apex has passed */
        assert_true(r.depth.lo <= depth * (1 + 1e-6) && r.depth.hi >= depth * (1 - 1e-6));
        abut_shape_release(can);
        abut_shape_release(cone);
    }
}

/* The side of a body whose centre is nearly over the other's axis: the direction to it is small,
 * and was unit to 1.9e-14 only. */
static void normals_of_sides_are_unit(void **state)
{
    (void)state;
    const abut_pose at = { { 0, 0, 0 },
                           { -0x1.3448b9b1e132p-4, 0x1.2fa4854d6d3d6p-1, -0x1.53c0670c37fa4p-1,
                             -0x1.bedd8e049cc14p-2 } };
    const abut_pose there = { { -0x1.6f1228f09ed01p-2, -0x1.5749aa87707dp-5, 0x1.a94dd684ec69fp-3 },
                              { 0x1.d1468026efb9fp-2, 0x1.19979707473bap+1, 0x1.091b6e17269ebp+0,
                                0x1.562d9c83b3ad4p+0 } };
    abut_shape *can, *cone;
    assert_int_equal(abut_shape_create_cylinder(0x1.1e0436a008d96p-7, 0x1.0d527d7707dabp-8, NULL, &can),
                     ABUT_OK);
    assert_int_equal(abut_shape_create_cone(0x1.30bd238cbe4f8p-2, 0x1.a1713c52d942dp-1, NULL, &cone),
                     ABUT_OK);
    abut_check_result r;
    assert_int_equal(abut_check(can, &at, cone, &there, NULL, NULL, &r), ABUT_OK);
    assert_true(r.has_normal);
    const abut_vec3 n = r.normal;
    TEST_NEAR(sqrt(n.x * n.x + n.y * n.y + n.z * n.z), 1, 2e-15, "normal");
    abut_shape_release(can);
    abut_shape_release(cone);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(coaxial_bodies_are_narrow),  cmocka_unit_test(aligned_bodies_are_enclosed),
        cmocka_unit_test(random_bodies_are_enclosed), cmocka_unit_test(a_step_begins_on_an_axis),
        cmocka_unit_test(normals_of_sides_are_unit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
