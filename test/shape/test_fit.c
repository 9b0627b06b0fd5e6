/* SPDX-License-Identifier: MIT */
/* Balls and ellipsoids around points and meshes: containment in exact rationals, known optima,
 * and a lower bound of the volume from another method in long double. */
#include "abut/ellipsoid.h"
#include "support/failing_allocator.h"

#include <gmp.h>

enum { MOST = 400 };

/* ---- containment, exactly ---- */

/* |L^-1 (p - c)| <= 1, that is |adj(L) (p - c)|^2 <= det(L)^2. */
static bool contains(const abut_affine *map, abut_vec3 p)
{
    mpq_t l[9], d[3], adj[9], det, sum, t, s;
    mpq_inits(det, sum, t, s, NULL);
    const double from[3] = { p.x, p.y, p.z };
    const double centre[3] = { map->translation.x, map->translation.y, map->translation.z };
    for (int i = 0; i < 9; ++i) {
        mpq_inits(l[i], adj[i], NULL);
        mpq_set_d(l[i], map->linear.m[i / 3][i % 3]);
    }
    for (int i = 0; i < 3; ++i) {
        mpq_init(d[i]);
        mpq_set_d(d[i], from[i]);
        mpq_set_d(t, centre[i]);
        mpq_sub(d[i], d[i], t);
    }
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j) { /* adj_ij: cofactor of l_ji */
            const int r = (j + 1) % 3, q = (j + 2) % 3, c = (i + 1) % 3, e = (i + 2) % 3;
            mpq_mul(adj[3 * i + j], l[3 * r + c], l[3 * q + e]);
            mpq_mul(t, l[3 * r + e], l[3 * q + c]);
            mpq_sub(adj[3 * i + j], adj[3 * i + j], t);
        }
    for (int k = 0; k < 3; ++k) {
        mpq_mul(t, l[k], adj[3 * k]);
        mpq_add(det, det, t);
    }
    for (int i = 0; i < 3; ++i) {
        mpq_set_ui(s, 0, 1);
        for (int j = 0; j < 3; ++j) {
            mpq_mul(t, adj[3 * i + j], d[j]);
            mpq_add(s, s, t);
        }
        mpq_mul(s, s, s);
        mpq_add(sum, sum, s);
    }
    mpq_mul(det, det, det);
    const bool inside = mpq_cmp(sum, det) <= 0 && mpq_sgn(det) > 0;
    for (int i = 0; i < 9; ++i)
        mpq_clears(l[i], adj[i], NULL);
    for (int i = 0; i < 3; ++i)
        mpq_clear(d[i]);
    mpq_clears(det, sum, t, s, NULL);
    return inside;
}

static bool ball_contains(abut_vec3 centre, double radius, abut_vec3 p)
{
    mpq_t sum, t, s;
    mpq_inits(sum, t, s, NULL);
    const double from[3] = { p.x, p.y, p.z }, at[3] = { centre.x, centre.y, centre.z };
    for (int i = 0; i < 3; ++i) {
        mpq_set_d(t, from[i]);
        mpq_set_d(s, at[i]);
        mpq_sub(t, t, s);
        mpq_mul(t, t, t);
        mpq_add(sum, sum, t);
    }
    mpq_set_d(t, radius);
    mpq_mul(t, t, t);
    const bool inside = mpq_cmp(sum, t) <= 0;
    mpq_clears(sum, t, s, NULL);
    return inside;
}

/* ---- a lower bound of the volume: weights by steps of Frank and Wolfe and away steps, in long
 * double ---- */

static long double invert4(const long double in[4][4], long double out[4][4])
{
    long double m[4][8], det = 1;
    for (int i = 0; i < 4; ++i)
        for (int j = 0; j < 8; ++j)
            m[i][j] = j < 4 ? in[i][j] : j - 4 == i;
    for (int k = 0; k < 4; ++k) {
        int top = k;
        for (int i = k; i < 4; ++i)
            top = fabsl(m[i][k]) > fabsl(m[top][k]) ? i : top;
        if (top != k)
            det = -det;
        for (int j = 0; j < 8; ++j) {
            const long double kept = m[k][j];
            m[k][j] = m[top][j];
            m[top][j] = kept;
        }
        det *= m[k][k];
        for (int i = 0; i < 4; ++i) {
            const long double f = i == k ? 0 : m[i][k] / m[k][k];
            for (int j = 0; j < 8 && i != k; ++j)
                m[i][j] -= f * m[k][j];
        }
    }
    for (int i = 0; i < 4; ++i)
        for (int j = 0; j < 4; ++j)
            out[i][j] = m[i][j + 4] / m[i][i];
    return det;
}

/* The points in coordinates in which they are as wide as they are long, and the volume of a unit
 * cube of those; 0 where they are flat. Moments of points as they are are off by the square of
 * length over width, in units of rounding: 2e-9 for four points 5e5 times as long as wide, whose
 * volume has a closed form. Here the third coordinate is off by length over width, whatever the
 * map is. */
static long double spread_out(const abut_vec3 *p, size_t count, long double out[][3])
{
    long double s[3][3] = { { 0 } }, l[3][3] = { { 0 } };
    for (size_t i = 0; i < count; ++i) {
        out[i][0] = (long double)p[i].x - p[0].x;
        out[i][1] = (long double)p[i].y - p[0].y;
        out[i][2] = (long double)p[i].z - p[0].z;
        for (int a = 0; a < 3; ++a)
            for (int b = 0; b < 3; ++b)
                s[a][b] += out[i][a] * out[i][b] / (long double)count;
    }
    for (int j = 0; j < 3; ++j)
        for (int i = j; i < 3; ++i) {
            long double sum = s[i][j];
            for (int k = 0; k < j; ++k)
                sum -= l[i][k] * l[j][k];
            if (i == j && !(sum > 0))
                return 0;
            l[i][j] = i == j ? sqrtl(sum) : sum / l[j][j];
        }
    for (size_t i = 0; i < count; ++i)
        for (int a = 0; a < 3; ++a) {
            for (int k = 0; k < a; ++k)
                out[i][a] -= l[a][k] * out[i][k];
            out[i][a] /= l[a][a];
        }
    return l[0][0] * l[1][1] * l[2][2];
}

/* Volumes over 4 pi / 3: no ellipsoid around the points has less than *lower, and one has
 * *upper. */
static void bound_volume(const abut_vec3 *p, size_t count, long double *lower, long double *upper)
{
    static long double u[MOST], x[MOST][3];
    const long double unit = spread_out(p, count, x);
    *lower = *upper = 0;
    if (!(unit > 0))
        return;
    for (size_t i = 0; i < count; ++i)
        u[i] = 1.0L / (long double)count;
    for (int step = 0;; ++step) {
        long double m[4][4] = { { 0 } }, inverse[4][4], most = 0, least = INFINITY;
        size_t top = 0, low = 0;
        for (size_t i = 0; i < count; ++i) {
            const long double q[4] = { x[i][0], x[i][1], x[i][2], 1 };
            for (int a = 0; a < 4; ++a)
                for (int b = 0; b < 4; ++b)
                    m[a][b] += u[i] * q[a] * q[b];
        }
        const long double det = invert4((const long double(*)[4])m, inverse); /* that of S, too */
        for (size_t i = 0; i < count; ++i) {
            const long double q[4] = { x[i][0], x[i][1], x[i][2], 1 };
            long double w = 0;
            for (int a = 0; a < 4; ++a)
                for (int b = 0; b < 4; ++b)
                    w += q[a] * inverse[a][b] * q[b];
            if (w > most) {
                most = w;
                top = i;
            }
            if (u[i] > 1e-18L && w < least) {
                least = w;
                low = i;
            }
        }
        *lower = powl(3, 1.5L) * sqrtl(det) * unit;
        *upper = powl(most - 1, 1.5L) * sqrtl(det) * unit;
        if (step == 20000 || *upper < *lower * (1 + 1e-9L))
            return;
        if (most - 4 > 4 - least) { /* towards the furthest */
            const long double a = (most - 4) / (4 * (most - 1));
            for (size_t i = 0; i < count; ++i)
                u[i] *= 1 - a;
            u[top] += a;
        } else { /* away from the innermost that carries weight */
            long double a = (4 - least) / (4 * (least - 1)), all = u[low] / (1 - u[low]);
            a = least > 1 && a < all ? a : all;
            for (size_t i = 0; i < count; ++i)
                u[i] *= 1 + a;
            u[low] = a == all ? 0 : u[low] - a;
        }
    }
}

static long double volume_of(const abut_affine *map)
{
    long double m[3][3];
    for (int i = 0; i < 9; ++i)
        m[i / 3][i % 3] = map->linear.m[i / 3][i % 3];
    return fabsl(m[0][0] * (m[1][1] * m[2][2] - m[1][2] * m[2][1]) -
                 m[0][1] * (m[1][0] * m[2][2] - m[1][2] * m[2][0]) +
                 m[0][2] * (m[1][0] * m[2][1] - m[1][1] * m[2][0]));
}

static void check_map(const abut_vec3 *p, size_t count, const abut_affine *map, uint64_t seed)
{
    double length[3];
    for (size_t i = 0; i < count; ++i)
        TEST_CHECK(contains(map, p[i]), "seed %" PRIu64 ": point %zu (%a, %a, %a) is outside", seed, i,
                   p[i].x, p[i].y, p[i].z);
    for (int j = 0; j < 3; ++j)
        length[j] = hypot(hypot(map->linear.m[0][j], map->linear.m[1][j]), map->linear.m[2][j]);
    TEST_CHECK(length[0] >= length[1] * (1 - 1e-6) && length[1] >= length[2] * (1 - 1e-6) &&
                   length[2] >= 1e-9 * length[0],
               "seed %" PRIu64 ": axes %g %g %g", seed, length[0], length[1], length[2]);
    for (int j = 0; j < 3; ++j) {
        const int k = (j + 1) % 3;
        double dot = 0;
        for (int i = 0; i < 3; ++i)
            dot += map->linear.m[i][j] / length[j] * (map->linear.m[i][k] / length[k]);
        TEST_CHECK(fabs(dot) < 1e-14, "seed %" PRIu64 ": axes %d and %d are not across: %g", seed, j, k, dot);
    }
}

/* ---- points ---- */

static abut_vec3 random_point(test_random *r)
{
    return (abut_vec3){ test_uniform(r, -1, 1), test_uniform(r, -1, 1), test_uniform(r, -1, 1) };
}

static abut_vec3 sphere_point(test_random *r)
{
    for (;;) {
        const abut_vec3 p = random_point(r);
        const double s = p.x * p.x + p.y * p.y + p.z * p.z;
        if (s > 0.01 && s <= 1)
            return (abut_vec3){ p.x / sqrt(s), p.y / sqrt(s), p.z / sqrt(s) };
    }
}

static abut_vec3 apply(const abut_affine *map, abut_vec3 p)
{
    return (abut_vec3){
        map->linear.m[0][0] * p.x + map->linear.m[0][1] * p.y + map->linear.m[0][2] * p.z +
            map->translation.x,
        map->linear.m[1][0] * p.x + map->linear.m[1][1] * p.y + map->linear.m[1][2] * p.z +
            map->translation.y,
        map->linear.m[2][0] * p.x + map->linear.m[2][1] * p.y + map->linear.m[2][2] * p.z +
            map->translation.z,
    };
}

static abut_affine random_map(test_random *r, double thin)
{
    abut_affine map;
    for (int i = 0; i < 9; ++i)
        map.linear.m[i / 3][i % 3] = test_uniform(r, -1, 1) * (i % 3 == 2 ? thin : 1);
    map.translation = random_point(r);
    return map;
}

/* ---- balls ---- */

static void test_ball_known(void **state)
{
    (void)state;
    abut_vec3 c;
    double r;
    const abut_vec3 one[3] = { { 1, 2, 3 }, { 1, 2, 3 }, { 1, 2, 3 } };
    assert_int_equal(abut_sphere_fit(one, 3, &c, &r, NULL), ABUT_OK);
    assert_true(r == 0 && c.x == 1 && c.y == 2 && c.z == 3);
    const abut_vec3 two[3] = { { -1, 0, 0 }, { 3, 0, 0 }, { 1, 0.5, 0 } };
    assert_int_equal(abut_sphere_fit(two, 3, &c, &r, NULL), ABUT_OK);
    assert_true(r == 2 && c.x == 1 && c.y == 0 && c.z == 0);
    abut_vec3 cube[9];
    for (int i = 0; i < 8; ++i)
        cube[i] = (abut_vec3){ i & 1 ? 1 : -1, i & 2 ? 1 : -1, i & 4 ? 1 : -1 };
    cube[8] = (abut_vec3){ 0, 0, 0 };
    assert_int_equal(abut_sphere_fit(cube, 9, &c, &r, NULL), ABUT_OK);
    TEST_NEAR(r, sqrt(3), 1e-15, "cube");
    const abut_vec3 tetrahedron[4] = { { 1, 1, 1 }, { 1, -1, -1 }, { -1, 1, -1 }, { -1, -1, 1 } };
    assert_int_equal(abut_sphere_fit(tetrahedron, 4, &c, &r, NULL), ABUT_OK);
    TEST_NEAR(r, sqrt(3), 1e-15, "tetrahedron");
    /* An obtuse triangle rests on its longest side. */
    const abut_vec3 obtuse[3] = { { 0, 0, 0 }, { 4, 0, 0 }, { 1, 0.1, 0 } };
    assert_int_equal(abut_sphere_fit(obtuse, 3, &c, &r, NULL), ABUT_OK);
    assert_true(r == 2);
}

static long double far_of(const abut_vec3 *p, size_t count, const long double c[3])
{
    long double most = 0;
    for (size_t i = 0; i < count; ++i) {
        const long double x = p[i].x - c[0], y = p[i].y - c[1], z = p[i].z - c[2];
        most = fmaxl(most, x * x + y * y + z * z);
    }
    return sqrtl(most);
}

/* Steps towards the furthest point, ever smaller: slow but sure (Badoiu and Clarkson 2003). */
static long double ball_radius(const abut_vec3 *p, size_t count)
{
    long double c[3] = { p[0].x, p[0].y, p[0].z }, best = INFINITY;
    for (int step = 1; step < 20000; ++step) {
        size_t top = 0;
        long double most = -1;
        for (size_t i = 0; i < count; ++i) {
            const long double x = p[i].x - c[0], y = p[i].y - c[1], z = p[i].z - c[2],
                              s = x * x + y * y + z * z;
            if (s > most) {
                most = s;
                top = i;
            }
        }
        best = fminl(best, sqrtl(most));
        c[0] += (p[top].x - c[0]) / (step + 1);
        c[1] += (p[top].y - c[1]) / (step + 1);
        c[2] += (p[top].z - c[2]) / (step + 1);
    }
    return best;
}

/* The centre is best where no small step makes the furthest nearer: tried in many directions. */
static void test_ball_random(void **state)
{
    (void)state;
    static abut_vec3 p[MOST];
    for (uint64_t seed = 0; seed < test_count(300); ++seed) {
        test_random r = test_seed(seed);
        const size_t count = 1 + test_below(&r, seed % 4 == 0 ? 5 : 60);
        const abut_affine map = random_map(&r, seed % 3 == 0 ? 1e-7 : 1);
        for (size_t i = 0; i < count; ++i) {
            p[i] = seed % 5 == 0 ? sphere_point(&r) : apply(&map, random_point(&r));
            if (i > 0 && test_below(&r, 10) == 0)
                p[i] = p[test_below(&r, (unsigned)i)];
        }
        abut_vec3 c;
        double radius;
        assert_int_equal(abut_sphere_fit(p, count, &c, &radius, NULL), ABUT_OK);
        for (size_t i = 0; i < count; ++i)
            TEST_CHECK(ball_contains(c, radius, p[i]), "seed %" PRIu64 ": point %zu is outside", seed, i);
        const long double at[3] = { c.x, c.y, c.z }, here = far_of(p, count, at);
        TEST_CHECK(radius <= here * (1 + 1e-15L) || radius == 0, "seed %" PRIu64 ": radius %a", seed, radius);
        for (int k = 0; k < 100; ++k) {
            const abut_vec3 d = sphere_point(&r);
            const long double h = powl(10, -1 - k % 11) * here;
            const long double moved[3] = { c.x + h * d.x, c.y + h * d.y, c.z + h * d.z };
            TEST_CHECK(far_of(p, count, moved) >= here * (1 - 1e-12L), "seed %" PRIu64 ": %Lg better", seed,
                       here - far_of(p, count, moved));
        }
        if (seed % 20 == 0)
            TEST_CHECK(radius <= ball_radius(p, count) * (1 + 1e-12L),
                       "seed %" PRIu64 ": a smaller ball is known", seed);
    }
}

/* ---- ellipsoids ---- */

/* Sets whose ellipsoid is known, under affine maps: the ellipsoid is mapped with them. */
static void test_known(void **state)
{
    (void)state;
    const double g = 0.5 * (1 + sqrt(5));
    const abut_vec3 tetrahedron[4] = { { 1, 1, 1 }, { 1, -1, -1 }, { -1, 1, -1 }, { -1, -1, 1 } };
    const abut_vec3 octahedron[6] = { { 1, 0, 0 },  { -1, 0, 0 }, { 0, 1, 0 },
                                      { 0, -1, 0 }, { 0, 0, 1 },  { 0, 0, -1 } };
    const abut_vec3 icosahedron[12] = { { 0, 1, g }, { 0, -1, g }, { 0, 1, -g }, { 0, -1, -g },
                                        { g, 0, 1 }, { g, 0, -1 }, { -g, 0, 1 }, { -g, 0, -1 },
                                        { 1, g, 0 }, { -1, g, 0 }, { 1, -g, 0 }, { -1, -g, 0 } };
    abut_vec3 cube[8];
    for (int i = 0; i < 8; ++i)
        cube[i] = (abut_vec3){ i & 1 ? 1 : -1, i & 2 ? 1 : -1, i & 4 ? 1 : -1 };
    const struct {
        const abut_vec3 *points;
        size_t count;
        double radius;
    } sets[4] = { { tetrahedron, 4, sqrt(3) },
                  { octahedron, 6, 1 },
                  { icosahedron, 12, sqrt(1 + g * g) },
                  { cube, 8, sqrt(3) } };
    const double thin[5] = { 1, 1e-2, 1e-4, 1e-6, 1e-7 };
    for (uint64_t seed = 0; seed < test_count(400); ++seed) {
        test_random r = test_seed(seed);
        const int which = (int)(seed % 4);
        const double t = thin[seed / 4 % 5];
        const abut_affine map = random_map(&r, t);
        abut_vec3 p[64];
        size_t count = 0;
        for (; count < sets[which].count; ++count)
            p[count] = apply(&map, sets[which].points[count]);
        for (; count < 40; ++count) { /* points inside change nothing */
            const abut_vec3 s = sphere_point(&r);
            const double k = 0.55 * test_uniform(&r, 0, 1);
            p[count] = apply(&map, (abut_vec3){ k * s.x, k * s.y, k * s.z });
        }
        abut_affine out;
        assert_int_equal(abut_ellipsoid_fit(p, count, seed % 2 ? 1e-12 : 0, NULL, &out, NULL), ABUT_OK);
        check_map(p, count, &out, seed);
        const double rho = sets[which].radius, tolerance = (seed % 2 ? 1e-11 : 1e-6) + 1e-14 / t;
        const long double expected = volume_of(&map) * rho * rho * rho, found = volume_of(&out);
        /* Maps of random entries may be thinner than they are asked to be. */
        const double slack = tolerance * (double)fmaxl(1, t / fabsl(volume_of(&map)));
        const double long_axis = hypot(hypot(out.linear.m[0][0], out.linear.m[1][0]), out.linear.m[2][0]);
        const double short_axis = hypot(hypot(out.linear.m[0][2], out.linear.m[1][2]), out.linear.m[2][2]);
        if (short_axis < 1.01e-9 * long_axis) /* as thin as they are made */
            continue;
        TEST_CHECK(fabsl(found / expected - 1) < slack,
                   "seed %" PRIu64 ": volume %.17Lg, expected %.17Lg, off by %Lg", seed, found, expected,
                   found / expected - 1);
        TEST_NEAR(out.translation.x, map.translation.x, 1e-2 * sqrt(slack) + 1e-12, "seed %" PRIu64, seed);
    }
}

static void test_random_sets(void **state)
{
    (void)state;
    static abut_vec3 p[MOST];
    double worst = 0;
    for (uint64_t seed = 0; seed < test_count(150); ++seed) {
        test_random r = test_seed(seed);
        const size_t count = 4 + test_below(&r, seed % 3 == 0 ? 4 : seed % 3 == 1 ? 30 : 300);
        const abut_affine map = random_map(&r, seed % 7 == 0 ? 1e-3 : 1);
        for (size_t i = 0; i < count; ++i) {
            p[i] = apply(&map, seed % 2 ? sphere_point(&r) : random_point(&r));
            if (i > 0 && test_below(&r, 20) == 0)
                p[i] = p[test_below(&r, (unsigned)i)];
        }
        abut_affine out;
        const double tolerance = seed % 5 == 0 ? 1e-2 : seed % 5 == 1 ? 1e-9 : 0;
        assert_int_equal(abut_ellipsoid_fit(p, count, tolerance, NULL, &out, NULL), ABUT_OK);
        check_map(p, count, &out, seed);
        long double lower, upper;
        bound_volume(p, count, &lower, &upper);
        if (!(lower >
              1e-9L)) /* four points that happen to be flat: the referee has no coordinates for them */
            continue;
        const long double volume = volume_of(&out), allowed = tolerance > 0 ? tolerance : 1e-6L;
        TEST_CHECK(volume >= lower * (1 - 1e-9L), "seed %" PRIu64 ": %Lg is less than %Lg", seed, volume,
                   lower);
        TEST_CHECK(volume <= upper * (1 + allowed) * (1 + 1e-12L),
                   "seed %" PRIu64 ", %zu points: %.17Lg, but %.17Lg is known (at least %.17Lg)", seed, count,
                   volume, upper, lower);
        worst = fmax(worst, (double)(upper / lower - 1));
    }
    TEST_CHECK(worst < 1e-3, "the referee is off by %g", worst);
}

/* Flat, straight and single sets, far from the origin and near it. */
static void test_flat(void **state)
{
    (void)state;
    static abut_vec3 p[MOST];
    for (uint64_t seed = 0; seed < test_count(300); ++seed) {
        test_random r = test_seed(seed);
        const int d = (int)(seed % 3);
        const double away = seed % 4 == 0 ? 0 : pow(10, test_uniform(&r, -3, 9));
        const size_t count = 1 + test_below(&r, 30);
        const abut_vec3 a = sphere_point(&r), b = sphere_point(&r), o = random_point(&r);
        for (size_t i = 0; i < count; ++i) {
            const double s = d > 0 ? test_uniform(&r, -1, 1) : 0, t = d > 1 ? test_uniform(&r, -1, 1) : 0;
            p[i] = (abut_vec3){ s * a.x + t * b.x + away * o.x, s * a.y + t * b.y + away * o.y,
                                s * a.z + t * b.z + away * o.z };
        }
        abut_affine out;
        abut_error error;
        TEST_CHECK(abut_ellipsoid_fit(p, count, 0, NULL, &out, &error) == ABUT_OK, "seed %" PRIu64 ": %s",
                   seed, error.text);
        check_map(p, count, &out, seed);
        abut_vec3 c;
        double radius;
        assert_int_equal(abut_sphere_fit(p, count, &c, &radius, NULL), ABUT_OK);
        /* The longest axis of the ellipsoid is no longer than the ball around two and a bit
         * (simplices: 3 / 2 and such). */
        const double longest = hypot(hypot(out.linear.m[0][0], out.linear.m[1][0]), out.linear.m[2][0]);
        TEST_CHECK(longest <= 2.5 * radius + 1e-14 * (away + 1), "seed %" PRIu64 ": longest axis %g, ball %g",
                   seed, longest, radius);
    }
}

static void test_sizes(void **state)
{
    (void)state;
    for (int power = -300; power <= 300; power += 50) {
        const double s = pow(10, power);
        abut_vec3 p[8];
        for (int i = 0; i < 8; ++i)
            p[i] = (abut_vec3){ (i & 1 ? 3 : -1) * s, (i & 2 ? 2 : -2) * s, (i & 4 ? 0.5 : -0.5) * s };
        abut_affine out;
        abut_vec3 c;
        double r;
        assert_int_equal(abut_ellipsoid_fit(p, 8, 0, NULL, &out, NULL), ABUT_OK);
        check_map(p, 8, &out, (uint64_t)(power + 1000));
        /* The two longest axes are equal, and any pair will do; the shortest is along z. */
        TEST_NEAR(hypot(out.linear.m[0][0], out.linear.m[1][0]) / s, 2 * sqrt(3), 1e-5, "1e%d", power);
        TEST_NEAR(fabs(out.linear.m[2][2] / s), 0.5 * sqrt(3), 1e-5, "1e%d", power);
        assert_int_equal(abut_sphere_fit(p, 8, &c, &r, NULL), ABUT_OK);
        TEST_NEAR(r / s, sqrt(8.25), 1e-14, "1e%d", power);
        for (int i = 0; i < 8; ++i)
            assert_true(ball_contains(c, r, p[i]));
    }
    /* What is larger than doubles is said to be. */
    abut_vec3 huge[8];
    for (int i = 0; i < 8; ++i)
        huge[i] =
            (abut_vec3){ i & 1 ? DBL_MAX : -DBL_MAX, i & 2 ? DBL_MAX : -DBL_MAX, i & 4 ? DBL_MAX : -DBL_MAX };
    abut_affine out;
    abut_vec3 c;
    double r;
    assert_int_equal(abut_ellipsoid_fit(huge, 8, 0, NULL, &out, NULL), ABUT_ERR_LIMIT);
    assert_int_equal(abut_sphere_fit(huge, 8, &c, &r, NULL), ABUT_ERR_LIMIT);
}

static void test_arguments(void **state)
{
    (void)state;
    abut_affine out;
    abut_vec3 c, p[3] = { { 0, 0, 0 }, { 1, 0, 0 }, { 0, 1, 0 } };
    double r;
    abut_error error;
    assert_int_equal(abut_ellipsoid_fit(p, 0, 0, NULL, &out, &error), ABUT_ERR_ARGUMENT);
    assert_int_equal(abut_ellipsoid_fit(NULL, 3, 0, NULL, &out, &error), ABUT_ERR_ARGUMENT);
    assert_int_equal(abut_ellipsoid_fit(p, 3, 0, NULL, NULL, &error), ABUT_ERR_ARGUMENT);
    assert_int_equal(abut_ellipsoid_fit(p, 3, -1, NULL, &out, &error), ABUT_ERR_ARGUMENT);
    assert_int_equal(abut_ellipsoid_fit(p, 3, NAN, NULL, &out, &error), ABUT_ERR_ARGUMENT);
    assert_int_equal(abut_sphere_fit(p, 0, &c, &r, &error), ABUT_ERR_ARGUMENT);
    assert_int_equal(abut_sphere_fit(p, 3, NULL, &r, &error), ABUT_ERR_ARGUMENT);
    p[1].y = NAN;
    assert_int_equal(abut_ellipsoid_fit(p, 3, 0, NULL, &out, &error), ABUT_ERR_ARGUMENT);
    assert_int_equal(error.index, 1);
    p[1].y = INFINITY;
    assert_int_equal(abut_sphere_fit(p, 3, &c, &r, &error), ABUT_ERR_ARGUMENT);
    assert_int_equal(error.index, 1);
}

/* ---- meshes ---- */

enum { RING = 24, TUBE = 12 };

static abut_vec3 torus_vertices[RING * TUBE];
static uint32_t torus_triangles[6 * RING * TUBE];

static abut_shape *make_torus(void)
{
    const double turn = 8 * atan(1);
    for (uint32_t i = 0; i < RING; ++i)
        for (uint32_t j = 0; j < TUBE; ++j) {
            const double a = turn * i / RING, b = turn * j / TUBE, r = 3 + cos(b);
            const uint32_t here = i * TUBE + j, next = (i + 1) % RING * TUBE + j,
                           up = i * TUBE + (j + 1) % TUBE, both = (i + 1) % RING * TUBE + (j + 1) % TUBE;
            const uint32_t two[6] = { here, next, both, here, both, up };
            torus_vertices[here] = (abut_vec3){ r * cos(a), r * sin(a), sin(b) };
            memcpy(torus_triangles + (size_t)6 * here, two, sizeof two);
        }
    abut_shape *mesh;
    assert_int_equal(abut_shape_create_mesh(torus_vertices, RING * TUBE, torus_triangles, 2 * RING * TUBE,
                                            false, NULL, &mesh, NULL),
                     ABUT_OK);
    return mesh;
}

/* Every triangle has its three corners in one of them. */
static void check_cover(const abut_affine *maps, size_t count)
{
    for (size_t t = 0; t < (size_t)2 * RING * TUBE; ++t) {
        bool held = false;
        for (size_t k = 0; k < count && !held; ++k)
            held = contains(&maps[k], torus_vertices[torus_triangles[3 * t]]) &&
                   contains(&maps[k], torus_vertices[torus_triangles[3 * t + 1]]) &&
                   contains(&maps[k], torus_vertices[torus_triangles[3 * t + 2]]);
        TEST_CHECK(held, "triangle %zu is in none of %zu", t, count);
    }
}

static void test_mesh(void **state)
{
    (void)state;
    abut_shape *mesh = make_torus();
    for (int balls = 0; balls < 2; ++balls) {
        const size_t wanted[5] = { 1, 2, 8, 24, 100 };
        double before = INFINITY;
        for (int k = 0; k < 5; ++k) {
            abut_affine maps[100];
            size_t count = 0;
            assert_int_equal(abut_ellipsoid_cover_mesh(mesh, wanted[k], balls, NULL, maps, &count, NULL),
                             ABUT_OK);
            assert_true(count >= 1 && count <= wanted[k]);
            assert_int_equal(count, wanted[k]);
            check_cover(maps, count);
            double largest = 0;
            for (size_t i = 0; i < count; ++i) {
                largest = fmax(largest, (double)volume_of(&maps[i]));
                assert_true(!balls || (maps[i].linear.m[0][0] == maps[i].linear.m[1][1] &&
                                       maps[i].linear.m[0][1] == 0));
            }
            TEST_CHECK(largest <= before, "of %zu one has %g, of fewer %g", count, largest, before);
            before = largest;
            /* A tube of radius 1, once around at distance 3, in 24 pieces: ellipsoids of 1.1 or
             * so each, balls of 2. */
            if (wanted[k] == 24)
                TEST_CHECK(largest < (balls ? 4 : 2.5), "one of %zu has %g", count, largest);
        }
    }
    abut_shape_release(mesh);
}

static void test_mesh_arguments(void **state)
{
    (void)state;
    abut_affine maps[8];
    size_t count;
    abut_shape *ball, *cube;
    const abut_vec3 v[8] = { { 0, 0, 0 }, { 1, 0, 0 }, { 0, 1, 0 }, { 1, 1, 0 },
                             { 0, 0, 1 }, { 1, 0, 1 }, { 0, 1, 1 }, { 1, 1, 1 } };
    const uint32_t sizes[6] = { 4, 4, 4, 4, 4, 4 };
    const uint32_t corners[24] = { 0, 2, 3, 1, 4, 5, 7, 6, 0, 1, 5, 4, 2, 6, 7, 3, 0, 4, 6, 2, 1, 3, 7, 5 };
    assert_int_equal(abut_shape_create_sphere(1, NULL, &ball), ABUT_OK);
    assert_int_equal(abut_shape_create_polyhedron(v, 8, sizes, 6, corners, 24, NULL, &cube, NULL), ABUT_OK);
    assert_int_equal(abut_ellipsoid_cover_mesh(ball, 4, false, NULL, maps, &count, NULL),
                     ABUT_ERR_UNSUPPORTED);
    assert_int_equal(abut_ellipsoid_cover_mesh(cube, 0, false, NULL, maps, &count, NULL), ABUT_ERR_ARGUMENT);
    assert_int_equal(abut_ellipsoid_cover_mesh(NULL, 1, false, NULL, maps, &count, NULL), ABUT_ERR_ARGUMENT);
    assert_int_equal(abut_ellipsoid_cover_mesh(cube, 1, false, NULL, maps, &count, NULL), ABUT_OK);
    assert_int_equal(count, 1);
    TEST_NEAR((double)volume_of(&maps[0]), pow(0.75, 1.5), 1e-5, "cube");
    /* Single faces are flat, and so are their triangles: a few save all the volume there is. */
    assert_int_equal(abut_ellipsoid_cover_mesh(cube, 8, false, NULL, maps, &count, NULL), ABUT_OK);
    assert_true(count >= 4 && count <= 8);
    abut_shape_release(ball);
    abut_shape_release(cube);
}

static void test_memory(void **state)
{
    (void)state;
    abut_shape *mesh = make_torus();
    abut_status status = ABUT_OK;
    TEST_EVERY_ALLOCATION_FAILS(
        alloc,
        {
            abut_affine maps[2];
            size_t count;
            status = abut_ellipsoid_cover_mesh(mesh, 2, false, &alloc, maps, &count, NULL);
            if (status)
                assert_int_equal(count, 0);
        },
        status);
    assert_int_equal(status, ABUT_OK);
    TEST_EVERY_ALLOCATION_FAILS(
        alloc,
        {
            abut_affine map;
            status = abut_ellipsoid_fit(torus_vertices, RING * TUBE, 0, &alloc, &map, NULL);
        },
        status);
    assert_int_equal(status, ABUT_OK);
    abut_shape_release(mesh);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_ball_known),     cmocka_unit_test(test_ball_random),
        cmocka_unit_test(test_known),          cmocka_unit_test(test_random_sets),
        cmocka_unit_test(test_flat),           cmocka_unit_test(test_sizes),
        cmocka_unit_test(test_arguments),      cmocka_unit_test(test_mesh),
        cmocka_unit_test(test_mesh_arguments), cmocka_unit_test(test_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
