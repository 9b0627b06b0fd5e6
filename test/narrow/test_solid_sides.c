/* SPDX-License-Identifier: MIT */
/* Membership of points in explicit solids against the implicit functions of oracle/cad_pair.h: random points,
 * points next to the boundary, and balls that are said to be free of it. */
#include "abut/solid.h"
#include "narrow/brep/brep.h"
#include "oracle/cad_cases.h"

static double at(const cad_body *b, abut_vec3 p)
{
    return cad_value(b, (double[]){ p.x, p.y, p.z });
}

static abut_vec3 unit(test_random *r)
{
    for (;;) {
        const abut_vec3 v = { test_uniform(r, -1, 1), test_uniform(r, -1, 1), test_uniform(r, -1, 1) };
        const double n = sqrt(v.x * v.x + v.y * v.y + v.z * v.z);
        if (n > 0.1 && n < 1)
            return (abut_vec3){ v.x / n, v.y / n, v.z / n };
    }
}

static abut_vec3 moved(abut_vec3 p, double s, abut_vec3 u)
{
    return (abut_vec3){ p.x + s * u.x, p.y + s * u.y, p.z + s * u.z };
}

typedef struct tally {
    int points, inside, undecided, balls;
    double share; /* mean of the depth over what the implicit function allows for certain */
} tally;

/* From p along u to where the sign of the value changes: a point of the boundary. */
static bool boundary(const cad_body *b, abut_vec3 p, abut_vec3 u, abut_vec3 *out)
{
    double lo = 0, hi = 4 * b->reach;
    if (!(at(b, p) < 0) || !(at(b, moved(p, hi, u)) > 0))
        return false;
    for (int i = 0; i < 60; ++i) {
        const double mid = 0.5 * (lo + hi);
        if (at(b, moved(p, mid, u)) < 0)
            lo = mid;
        else
            hi = mid;
    }
    *out = moved(p, lo, u);
    return true;
}

static void ask(int seed, const cad_solid *s, abut_vec3 p, double slack, tally *t)
{
    const double value = at(&s->body, p);
    const int side = abut_brep_side(s->shape, p, slack);
    ++t->points;
    t->inside += side < 0;
    t->undecided += side == 0;
    /* The body of the referee is within the tolerance of the shape. */
    const double room = 4 * s->tolerance + 1e-11;
    TEST_CHECK(side == 0 || fabs(value) <= room || (side < 0) == (value < 0),
               "case %d: (%a, %a, %a) with slack %g is said to be %d, its value is %.17g", seed, p.x, p.y,
               p.z, slack, side, value);
    /* Not decided only next to the boundary: values are no less than a tenth of distances here. */
    TEST_CHECK(side != 0 || fabs(value) < 20 * (slack + room),
               "case %d: (%a, %a, %a) undecided, its value is %g", seed, p.x, p.y, p.z, value);
}

static void ball(int seed, const cad_solid *s, abut_vec3 p, test_random *r, tally *t)
{
    const double depth = abut_brep_depth(s->shape, p, 2 * s->body.reach), value = at(&s->body, p);
    const double room = 4 * s->tolerance + 1e-11;
    if (!(depth > 0))
        return;
    TEST_CHECK(value < room, "case %d: depth %g at a point of value %g", seed, depth, value);
    for (int i = 0; i < 24; ++i) {
        const abut_vec3 q =
            moved(p, test_uniform(r, 0, 1) < 0.5 ? depth : test_uniform(r, 0, depth), unit(r));
        TEST_CHECK(at(&s->body, q) <= room,
                   "case %d: a ball of radius %g about (%a, %a, %a) is not inside: %g", seed, depth, p.x, p.y,
                   p.z, at(&s->body, q));
    }
    ++t->balls;
    t->share += depth / fmax(-value, room);
}

static void run(const char *what, cad_class kind, unsigned base, uint64_t full)
{
    tally t = { 0 };
    const int count = (int)test_count(full);
    for (int i = 0; i < count; ++i) {
        test_random r = test_seed(base + (unsigned)i);
        cad_solid s = cad_random_solid(kind, &r);
        cad_place(&s.body, &(abut_pose){ { 0, 0, 0 }, { 1, 0, 0, 0 } });
        abut_shape *copy = kind == CAD_CLASS_2 ? cad_explicit_copy(&s) : NULL;
        if (copy) {
            abut_shape_release(s.shape);
            s.shape = copy;
            s.tolerance = 1e-9 * 2 * s.body.reach;
        }
        for (int k = 0; k < 24; ++k) {
            /* Most of them inside. */
            const double w = s.body.reach;
            abut_vec3 p;
            int tries = k % 4 ? 40 : 1;
            do
                p = (abut_vec3){ test_uniform(&r, -w, w), test_uniform(&r, -w, w), test_uniform(&r, -w, w) };
            while (at(&s.body, p) > 0 && --tries > 0);
            ask(i, &s, p, 1e-12, &t);
            ask(i, &s, p, pow(10, test_uniform(&r, -8, 0)), &t);
            ball(i, &s, p, &r, &t);
            abut_vec3 on;
            if (!boundary(&s.body, p, unit(&r), &on))
                continue;
            ask(i, &s, on, 1e-12, &t);
            for (double step = 1e-9; step < 0.1; step *= 30)
                ask(i, &s, moved(on, step, unit(&r)), 1e-12, &t);
            ball(i, &s, moved(on, 0.05, unit(&r)), &r, &t);
        }
        abut_shape_release(s.shape);
    }
    print_message("%s: %d points, %d inside, %d undecided, %d balls with %.2f of the value\n", what, t.points,
                  t.inside, t.undecided, t.balls, t.balls ? t.share / t.balls : 0);
    TEST_CHECK(t.balls > t.points / 100 && t.inside > t.points / 20, "%s: few are inside", what);
    TEST_CHECK(t.share > 0.8 * t.balls, "%s: the balls are too small", what);
}

static void test_class_1(void **state)
{
    (void)state;
    run("class 1", CAD_CLASS_1, 71000000u, 60);
}

static void test_class_2(void **state)
{
    (void)state;
    run("class 2", CAD_CLASS_2, 72000000u, 60);
}

static void test_class_3(void **state)
{
    (void)state;
    run("class 3", CAD_CLASS_3, 73000000u, 30);
}

/* Volumes and areas of explicit copies against those of the swept solids, whose integrals are others; of
 * solids with intersection curves against points in a grid. */
static void test_mass(void **state)
{
    (void)state;
    int copies = 0;
    double widest = 0;
    const int count = (int)test_count(60);
    for (int i = 0; i < count; ++i) {
        test_random r = test_seed(74000000u + (unsigned)i);
        cad_solid s = i % 2 ? cad_random_extrude(&r) : cad_random_revolve(&r, i % 3 == 0);
        abut_shape *copy = cad_explicit_copy(&s);
        abut_solid_info is, should;
        assert_int_equal(abut_solid_get_info(s.shape, &should), ABUT_OK);
        if (copy) {
            assert_int_equal(abut_solid_get_info(copy, &is), ABUT_OK);
            ++copies;
            TEST_CHECK(is.volume.lo <= should.volume.hi && is.volume.hi >= should.volume.lo,
                       "case %d: volume [%.17g, %.17g], should be %.17g", i, is.volume.lo, is.volume.hi,
                       should.volume.lo);
            TEST_CHECK(is.area.lo <= should.area.hi && is.area.hi >= should.area.lo,
                       "case %d: area [%.17g, %.17g], should be %.17g", i, is.area.lo, is.area.hi,
                       should.area.lo);
            widest = fmax(widest, (is.volume.hi - is.volume.lo) / should.volume.lo);
            widest = fmax(widest, (is.area.hi - is.area.lo) / should.area.lo);
            abut_shape_release(copy);
        }
        abut_shape_release(s.shape);
    }
    print_message("mass: %d copies, widest enclosure %.2g of the value\n", copies, widest);
    /* Cones that are nearly cylinders have the widest. */
    TEST_CHECK(widest < 1e-3 && copies > count / 2, "wide");
    const int others = (int)test_count(12);
    widest = 0;
    for (int i = 0; i < others; ++i) {
        test_random r = test_seed(75000000u + (unsigned)i);
        cad_solid s = cad_random_solid(CAD_CLASS_3, &r);
        cad_place(&s.body, &(abut_pose){ { 0, 0, 0 }, { 1, 0, 0, 0 } });
        abut_solid_info is;
        assert_int_equal(abut_solid_get_info(s.shape, &is), ABUT_OK);
        enum { SIDE = 60 };
        const double w = 1.02 * s.body.reach, step = 2 * w / SIDE;
        double sum = 0;
        for (int n = 0; n < SIDE * SIDE * SIDE; ++n) {
            const abut_vec3 p = { -w + step * (n % SIDE + 0.5), -w + step * (n / SIDE % SIDE + 0.5),
                                  -w + step * (n / SIDE / SIDE + 0.5) };
            /* A part of a cell at the boundary. */
            sum += fmin(1, fmax(0, 0.5 - at(&s.body, p) / step));
        }
        sum *= step * step * step;
        TEST_CHECK(is.volume.lo <= 1.01 * sum && is.volume.hi >= 0.99 * sum,
                   "case %d: volume [%.17g, %.17g], should be near %.6g", i, is.volume.lo, is.volume.hi, sum);
        if (s.tolerance < 1e-6)
            widest = fmax(widest, (is.volume.hi - is.volume.lo) / sum);
        abut_shape_release(s.shape);
    }
    print_message("mass: %d with intersections, widest enclosure %.2g of the value\n", others, widest);
    TEST_CHECK(widest < 1e-5, "wide");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_class_1),
        cmocka_unit_test(test_class_2),
        cmocka_unit_test(test_class_3),
        cmocka_unit_test(test_mass),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
