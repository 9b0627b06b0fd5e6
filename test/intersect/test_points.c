/* SPDX-License-Identifier: MIT */
/* Quadric intersection curves against surfaces, judged three ways: mixtures of L_i^2 = c_i, whose common points are
 * known; plane sections of spheres and cylinders, which are circles that exact rationals judge (cad_roots.h); and
 * natural quadrics, where Newton's method from many places must find nothing that is not in a hit, and every hit's
 * point must satisfy all three equations. */
#include "abut/intersect.h"
#include "oracle/cad_roots.h"
#include "support/test.h"

typedef struct tally {
    uint64_t cases, transversal, tangent, undecided, open, points;
} tally;

static abut_curve curve_of(const abut_solid_surface *two)
{
    return (abut_curve){ .edge = { .kind = ABUT_SOLID_EDGE_INTERSECTION, .surfaces = { 0, 1 } },
                         .surfaces = two };
}

static bool in(abut_interval x, long double at, long double slack)
{
    return at >= x.lo - slack && at <= x.hi + slack;
}

static int owner_of(const abut_curve_hit *hits, size_t count, const long double p[3], long double slack)
{
    int owner = -1;
    for (size_t i = 0; i < count; ++i)
        if (in(hits[i].point.x, p[0], slack) && in(hits[i].point.y, p[1], slack) &&
            in(hits[i].point.z, p[2], slack) && (owner < 0 || hits[i].kind != ABUT_HIT_UNDECIDED))
            owner = (int)i;
    return owner;
}

static void add_to(tally *sum, const abut_curve_hit *hits, const abut_curve_hits *found)
{
    for (size_t i = 0; i < found->count; ++i) {
        sum->transversal += hits[i].kind == ABUT_HIT_TRANSVERSAL;
        sum->tangent += hits[i].kind == ABUT_HIT_TANGENT;
        sum->undecided += hits[i].kind == ABUT_HIT_UNDECIDED;
    }
    ++sum->cases;
    sum->open += !found->decided;
}

static void print_tally(const char *what, const tally *sum)
{
    print_message("%s: %" PRIu64 " cases, %" PRIu64 " points known, %" PRIu64 " transversal, %" PRIu64
                  " tangent, %" PRIu64 " undecided, %" PRIu64 " cases open\n",
                  what, sum->cases, sum->points, sum->transversal, sum->tangent, sum->undecided, sum->open);
}

/* ---- known points ---- */

/* L_i = s_i . x - k_i with integers, det s = +-1: the points are s^-1 (k_i +- sqrt(c_i)). */
static void test_known(void **state)
{
    (void)state;
    tally sum = { 0 };
    const uint64_t count = test_count(400);
    for (uint64_t n = 0; n < count; ++n) {
        test_random r = test_seed(n);
        int s[3][3] = { { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 } },
            inverse[3][3] = { { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 } };
        int mix[3][3] = { { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 } };
        for (int k = 0; k < 4; ++k) {
            const int i = (int)test_below(&r, 3), j = (i + 1 + (int)test_below(&r, 2)) % 3,
                      f = (int)test_below(&r, 3) - 1;
            for (int c = 0; c < 3; ++c) {
                s[i][c] += f * s[j][c];
                inverse[c][j] -= f * inverse[c][i];
            }
            const int u = (int)test_below(&r, 3), v = (u + 1 + (int)test_below(&r, 2)) % 3,
                      g = (int)test_below(&r, 5) - 2;
            for (int c = 0; c < 3; ++c)
                mix[u][c] += g * mix[v][c];
        }
        static const double squares[] = { 1, 4, 2, 0.25, 3, 0, -1 };
        double k[3], c[3], basic[3][4][4];
        for (int i = 0; i < 3; ++i) {
            k[i] = (double)test_below(&r, 5) - 2;
            c[i] = squares[test_below(&r, n % 3 == 0 ? 7 : 5)];
            const double l[4] = { s[i][0], s[i][1], s[i][2], -k[i] };
            for (int a = 0; a < 4; ++a)
                for (int b = 0; b < 4; ++b)
                    basic[i][a][b] = l[a] * l[b] - (a == 3 && b == 3 ? c[i] : 0);
        }
        abut_solid_surface surface[3];
        for (int i = 0; i < 3; ++i) {
            surface[i] = (abut_solid_surface){ .kind = ABUT_SOLID_QUADRIC };
            for (int a = 0; a < 4; ++a)
                for (int b = 0; b < 4; ++b)
                    surface[i].matrix[a][b] =
                        mix[i][0] * basic[0][a][b] + mix[i][1] * basic[1][a][b] + mix[i][2] * basic[2][a][b];
        }
        const abut_curve curve = curve_of(surface);
        abut_curve_hit hits[8];
        abut_curve_hits found;
        assert_int_equal(abut_intersect_curve(&curve, &surface[2], hits, 8, &found), ABUT_OK);
        assert_true(found.count <= 8);
        assert_false(found.contained);
        int in_hit[8] = { 0 }, points = 0, expected_multiplicity = 1;
        for (int i = 0; i < 3; ++i)
            expected_multiplicity *= c[i] == 0 ? 2 : 1;
        for (int signs = 0; signs < 8; ++signs) {
            long double l[3], p[3];
            bool real = true;
            for (int i = 0; i < 3; ++i) {
                real = real && c[i] >= 0 && (c[i] > 0 || !(signs >> i & 1));
                l[i] = k[i] + (signs >> i & 1 ? -1 : 1) * sqrtl(fmaxl(0, c[i]));
            }
            if (!real)
                continue;
            ++points;
            for (int i = 0; i < 3; ++i)
                p[i] = inverse[i][0] * l[0] + inverse[i][1] * l[1] + inverse[i][2] * l[2];
            const int owner =
                owner_of(hits, found.count, p, 1e-17L * (1 + fabsl(p[0]) + fabsl(p[1]) + fabsl(p[2])));
            TEST_CHECK(owner >= 0, "seed %" PRIu64 ": a common point is missing", n);
            in_hit[owner] += expected_multiplicity;
        }
        for (size_t i = 0; i < found.count; ++i) {
            TEST_CHECK(hits[i].kind == ABUT_HIT_UNDECIDED || in_hit[i] == hits[i].multiplicity,
                       "seed %" PRIu64 ": hit %zu is of the wrong kind", n, i);
            assert_int_equal(hits[i].place, ABUT_HIT_ON_CURVE);
        }
        sum.points += (uint64_t)points;
        add_to(&sum, hits, &found);
    }
    print_tally("known points", &sum);
    TEST_CHECK(sum.open * 12 <= sum.cases, "too much is left open"); /* tangents at irrational points */
}

/* ---- circles ---- */

static const abut_vec3 axes[] = { { 0, 0, 1 }, { 3, 4, 0 }, { 1, 2, 2 }, { 2, -3, 6 }, { -2, 1, -2 } };

static abut_solid_surface random_surface(test_random *r, abut_solid_surface_kind kind, bool few)
{
    abut_solid_surface s = { .kind = kind };
    s.point = few ? (abut_vec3){ 0.5 * ((double)test_below(r, 7) - 3), 0.5 * ((double)test_below(r, 7) - 3),
                                 0.5 * ((double)test_below(r, 7) - 3) }
                  : (abut_vec3){ test_uniform(r, -1, 1), test_uniform(r, -1, 1), test_uniform(r, -1, 1) };
    s.axis = few ? axes[test_below(r, 5)]
                 : (abut_vec3){ test_uniform(r, -1, 1), test_uniform(r, -1, 1), test_uniform(r, 0.2, 1) };
    s.radius = few ? 0.5 * (1 + test_below(r, 5)) : test_uniform(r, 0.3, 2);
    s.tangent = few ? 0.5 * (1 + test_below(r, 4)) : test_uniform(r, 0.3, 2);
    for (int i = 0; i < 4; ++i)
        for (int j = 0; j <= i; ++j)
            s.matrix[i][j] = s.matrix[j][i] = few ? (double)test_below(r, 5) - 2 : test_uniform(r, -1, 1);
    return s;
}

/* The circle about the axis through `from`: as a curve of its own, and as the intersection of a plane with a sphere
 * or a cylinder. */
static void test_circles(void **state)
{
    (void)state;
    static const double roots[] = { 1, 5, 3, 7, 3 };
    tally sum = { 0 };
    const uint64_t count = test_count(400);
    for (uint64_t n = 0; n < count; ++n) {
        test_random r = test_seed(n + 1000000);
        const unsigned which = test_below(&r, 5);
        const abut_solid_surface s =
            random_surface(&r, (abut_solid_surface_kind)(1 + (n % 4) + (n % 4 == 3)), n % 2);
        const abut_solid_surface other = n % 4 == 3 ? random_surface(&r, ABUT_SOLID_QUADRIC, n % 2) : s;
        const abut_vec3 axis = axes[which], c = random_surface(&r, ABUT_SOLID_PLANE, true).point;
        /* A vector across the axis of a length that is a multiple of its own. */
        const abut_vec3 across = { axis.y != 0 || axis.x != 0 ? axis.y * roots[which] : 1,
                                   -axis.x * roots[which], 0 };
        const abut_vec3 from = { c.x + across.x, c.y + across.y, c.z };
        const double square = across.x * across.x + across.y * across.y, radius = sqrt(square);
        abut_solid_surface two[2] = { { .kind = ABUT_SOLID_PLANE, .point = c, .axis = axis },
                                      { .kind = n % 3 ? ABUT_SOLID_SPHERE : ABUT_SOLID_CYLINDER,
                                        .point = c,
                                        .axis = axis,
                                        .radius = radius } };
        if (radius * radius != square) {
            /* As a quadric, which has the square. */
            two[1] = (abut_solid_surface){ .kind = ABUT_SOLID_QUADRIC };
            const double at[3] = { c.x, c.y, c.z };
            two[1].matrix[3][3] = c.x * c.x + c.y * c.y + c.z * c.z - square;
            for (int i = 0; i < 3; ++i) {
                two[1].matrix[i][i] = 1;
                two[1].matrix[i][3] = two[1].matrix[3][i] = -at[i];
            }
        }
        const abut_curve curve = curve_of(two);
        const abut_curve circle = { .edge = { .kind = ABUT_SOLID_EDGE_CIRCLE, .center = c, .axis = axis },
                                    .vertices = &from };
        abut_curve_hit hits[8];
        abut_curve_hits found;
        assert_int_equal(abut_intersect_curve(&curve, &other, hits, 8, &found), ABUT_OK);
        cad_roots known;
        cad_roots_find(&circle, 0, &other, &known);
        int in_hit[8] = { 0 }, distinct[8] = { 0 };
        for (int i = 0; i < known.count; ++i) {
            const cad_root *root = &known.root[i];
            if (root->nappe < 0)
                continue;
            const long double p[3] = { mpq_get_d(root->point[0]), mpq_get_d(root->point[1]),
                                       mpq_get_d(root->point[2]) };
            const int owner = owner_of(hits, found.count, p, 1e-14L);
            TEST_CHECK(owner >= 0, "seed %" PRIu64 ": a common point of a circle is missing", n);
            in_hit[owner] += root->multiplicity;
            ++distinct[owner];
            ++sum.points;
        }
        TEST_CHECK(!found.contained || known.contained, "seed %" PRIu64 ": said to be contained", n);
        for (size_t i = 0; i < found.count && !known.contained; ++i)
            TEST_CHECK(hits[i].kind == ABUT_HIT_UNDECIDED ||
                           (in_hit[i] == hits[i].multiplicity && distinct[i] == 1),
                       "seed %" PRIu64 ": hit %zu of a circle is of the wrong kind", n, i);
        cad_roots_clear(&known);
        add_to(&sum, hits, &found);
    }
    print_tally("circles", &sum);
    TEST_CHECK(sum.open * 10 <= sum.cases, "too much is left open");
}

/* ---- natural quadrics ---- */

static long double value_of(const abut_solid_surface *s, const long double x[3], long double g[3])
{
    const long double d[3] = { x[0] - s->point.x, x[1] - s->point.y, x[2] - s->point.z },
                      a[3] = { s->axis.x, s->axis.y, s->axis.z };
    if (s->kind == ABUT_SOLID_QUADRIC) {
        long double v = 0;
        for (int i = 0; i < 4; ++i) {
            long double row = 0;
            for (int j = 0; j < 4; ++j)
                row += s->matrix[i][j] * (j < 3 ? x[j] : 1);
            v += row * (i < 3 ? x[i] : 1);
            if (i < 3)
                g[i] = 2 * row;
        }
        return v;
    }
    const long double h = d[0] * a[0] + d[1] * a[1] + d[2] * a[2],
                      size = a[0] * a[0] + a[1] * a[1] + a[2] * a[2],
                      square = d[0] * d[0] + d[1] * d[1] + d[2] * d[2];
    const long double k = s->kind == ABUT_SOLID_CONE       ? (1 + (long double)s->tangent * s->tangent) / size
                          : s->kind == ABUT_SOLID_CYLINDER ? 1 / size
                                                           : 0;
    if (s->kind == ABUT_SOLID_PLANE) {
        memcpy(g, a, sizeof a);
        return h;
    }
    if (s->kind == ABUT_SOLID_TORUS) {
        /* Over the axis: sqrt of the square of the distance from it, less the main circle. */
        const long double up = h / sqrtl(size), q = sqrtl(square - up * up), w = q - s->radius;
        for (int i = 0; i < 3; ++i)
            g[i] = 2 * w * (d[i] - up * a[i] / sqrtl(size)) / q + 2 * up * a[i] / sqrtl(size);
        return w * w + up * up - (long double)s->minor * s->minor;
    }
    for (int i = 0; i < 3; ++i)
        g[i] = 2 * d[i] - 2 * k * h * a[i];
    return square - k * h * h - (s->kind == ABUT_SOLID_CONE ? 0 : (long double)s->radius * s->radius);
}

/* A solution near where it starts; false where there is none, or a singular one. */
static bool solve(const abut_solid_surface s[3], long double x[3])
{
    for (int step = 0; step < 60; ++step) {
        long double f[3], g[3][3], u[3][3], moved = 0;
        for (int i = 0; i < 3; ++i)
            f[i] = value_of(&s[i], x, g[i]);
        for (int i = 0; i < 3; ++i)
            for (int k = 0; k < 3; ++k)
                u[i][k] = g[(i + 1) % 3][(k + 1) % 3] * g[(i + 2) % 3][(k + 2) % 3] -
                          g[(i + 1) % 3][(k + 2) % 3] * g[(i + 2) % 3][(k + 1) % 3];
        const long double det = g[0][0] * u[0][0] + g[0][1] * u[0][1] + g[0][2] * u[0][2];
        if (!(fabsl(det) > 1e-4L))
            return false;
        for (int k = 0; k < 3; ++k) {
            const long double by = (f[0] * u[0][k] + f[1] * u[1][k] + f[2] * u[2][k]) / det;
            x[k] -= by;
            moved += fabsl(by);
            if (!(fabsl(x[k]) < 1e3L))
                return false;
        }
        if (moved < 1e-17L * (1 + fabsl(x[0])))
            return true;
    }
    return false;
}

static void random_surfaces(bool tori, uint64_t full)
{
    tally sum = { 0 };
    const uint64_t count = test_count(full);
    for (uint64_t n = 0; n < count; ++n) {
        test_random r = test_seed(n + 2000000);
        static const abut_solid_surface_kind kinds[] = { ABUT_SOLID_PLANE, ABUT_SOLID_SPHERE,
                                                         ABUT_SOLID_CYLINDER, ABUT_SOLID_CONE,
                                                         ABUT_SOLID_QUADRIC };
        abut_solid_surface s[3];
        for (int i = 0; i < 3; ++i)
            s[i] = random_surface(&r, kinds[test_below(&r, 5)], n % 2);
        if (tori) {
            abut_solid_surface *t = &s[test_below(&r, 3)];
            *t = random_surface(&r, ABUT_SOLID_TORUS, n % 2);
            t->minor = 0.5 * t->radius;
        }
        const abut_curve curve = curve_of(s);
        abut_curve_hit hits[32];
        abut_curve_hits found;
        assert_int_equal(abut_intersect_curve(&curve, &s[2], hits, 32, &found), ABUT_OK);
        for (int start = 0; start < 60; ++start) {
            long double x[3] = { test_uniform(&r, -3, 3), test_uniform(&r, -3, 3), test_uniform(&r, -3, 3) };
            if (!solve(s, x))
                continue;
            bool nappe = true;
            for (int i = 0; i < 3; ++i)
                nappe = nappe && (s[i].kind != ABUT_SOLID_CONE ||
                                  (x[0] - s[i].point.x) * s[i].axis.x + (x[1] - s[i].point.y) * s[i].axis.y +
                                          (x[2] - s[i].point.z) * s[i].axis.z >
                                      1e-9L);
            ++sum.points;
            TEST_CHECK(!nappe || found.contained || owner_of(hits, found.count, x, 1e-14L) >= 0,
                       "seed %" PRIu64 ": the common point %.17Lg %.17Lg %.17Lg is missing", n, x[0], x[1],
                       x[2]);
        }
        for (size_t i = 0; i < found.count; ++i) {
            if (hits[i].kind != ABUT_HIT_TRANSVERSAL)
                continue;
            long double x[3] = { abut_interval_mid(hits[i].point.x), abut_interval_mid(hits[i].point.y),
                                 abut_interval_mid(hits[i].point.z) };
            if (solve(s, x)) /* where it is not too singular for long doubles */
                TEST_CHECK(owner_of(&hits[i], 1, x, 1e-13L * (1 + fabsl(x[0]) + fabsl(x[1]) + fabsl(x[2]))) ==
                               0,
                           "seed %" PRIu64 ": no common point in hit %zu", n, i);
        }
        add_to(&sum, hits, &found);
    }
    print_tally(tori ? "with a torus" : "natural quadrics", &sum);
    TEST_CHECK(sum.open * 10 <= sum.cases, "too much is left open");
}

static void test_natural(void **state)
{
    (void)state;
    random_surfaces(false, 600);
}

static void test_tori(void **state)
{
    (void)state;
    random_surfaces(true, 300);
}

static void test_special(void **state)
{
    (void)state;
    /* Three axes' cylinders of one radius: eight points, (+-1, +-1, +-1) sqrt(1 / 2). */
    abut_solid_surface s[3];
    for (int i = 0; i < 3; ++i)
        s[i] = (abut_solid_surface){ .kind = ABUT_SOLID_CYLINDER,
                                     .axis = { i == 0, i == 1, i == 2 },
                                     .radius = 1 };
    abut_curve curve = curve_of(s);
    abut_curve_hit hits[8];
    abut_curve_hits found;
    assert_int_equal(abut_intersect_curve(&curve, &s[2], hits, 8, &found), ABUT_OK);
    assert_int_equal(found.count, 8);
    assert_true(found.decided);
    assert_int_equal(found.degree, 8);
    for (int i = 0; i < 8; ++i) {
        assert_int_equal(hits[i].kind, ABUT_HIT_TRANSVERSAL);
        assert_true(in(hits[i].point.x, hits[i].point.x.lo < 0 ? -sqrtl(0.5L) : sqrtl(0.5L), 1e-19L));
    }
    /* Two of them, and a plane that touches both curves where they cross: (1, 0, 0) has z = 0 there. */
    abut_solid_surface plane = { .kind = ABUT_SOLID_PLANE, .point = { 0, 0, 1 }, .axis = { 0, 0, 1 } };
    assert_int_equal(abut_intersect_curve(&curve, &plane, hits, 8, &found), ABUT_OK);
    TEST_CHECK(!found.contained && found.count >= 1, "the plane meets both cylinders in (0, 0, 1)");
    /* A sphere that touches the curve of two spheres; a sphere through it; a torus. */
    abut_solid_surface balls[2] = { { .kind = ABUT_SOLID_SPHERE, .point = { -3, 0, 0 }, .radius = 5 },
                                    { .kind = ABUT_SOLID_SPHERE, .point = { 3, 0, 0 }, .radius = 5 } };
    curve = curve_of(balls);
    abut_solid_surface third = { .kind = ABUT_SOLID_SPHERE, .point = { 0, 6, 0 }, .radius = 2 };
    assert_int_equal(abut_intersect_curve(&curve, &third, hits, 8, &found), ABUT_OK);
    assert_int_equal(found.count, 1);
    assert_int_equal(hits[0].kind, ABUT_HIT_TANGENT);
    assert_true(hits[0].point.y.lo == 4 && hits[0].point.y.hi == 4);
    third = (abut_solid_surface){ .kind = ABUT_SOLID_SPHERE, .radius = 4 };
    assert_int_equal(abut_intersect_curve(&curve, &third, hits, 8, &found), ABUT_OK);
    assert_true(found.contained && found.decided && found.count == 0);
    third.radius = nextafter(4, 5);
    assert_int_equal(abut_intersect_curve(&curve, &third, hits, 8, &found), ABUT_OK);
    assert_true(!found.contained && found.decided && found.count == 0);
    third = (abut_solid_surface){ .kind = ABUT_SOLID_TORUS, .axis = { 0, 0, 1 }, .radius = 4, .minor = 1 };
    /* The circle y^2 + z^2 = 16 in x = 0 and a torus about z: by symmetry of y and of z. */
    assert_int_equal(abut_intersect_curve(&curve, &third, hits, 8, &found), ABUT_OK);
    assert_int_equal(found.count, 4);
    assert_true(found.decided);
    for (int i = 0; i < 4; ++i)
        assert_int_equal(hits[i].kind, ABUT_HIT_TRANSVERSAL);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(test_special), cmocka_unit_test(test_known),
                                        cmocka_unit_test(test_circles), cmocka_unit_test(test_natural),
                                        cmocka_unit_test(test_tori) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
