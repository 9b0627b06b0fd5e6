/* SPDX-License-Identifier: MIT */
/* Support points of hulls: the searches agree with all points in long doubles, and the certified
 * bound is above them all. */
#include "clouds.h"

static long double dot(abut_vec3 a, abut_vec3 b)
{
    return (long double)a.x * b.x + (long double)a.y * b.y + (long double)a.z * b.z;
}

static abut_vec3 between(abut_vec3 a, abut_vec3 b)
{
    return v3(b.x - a.x, b.y - a.y, b.z - a.z);
}

/* Directions along which many vertices tie or nearly so, and others. */
static abut_vec3 direction(test_random *r, const abut_hull *h)
{
    const abut_vec3 s = on_sphere(r);
    const double sign = test_below(r, 2) ? 1 : -1,
                 length = test_below(r, 4) ? 1 : test_log_uniform(r, -300, 300);
    const uint32_t i = test_below(r, h->vertex_count), j = test_below(r, h->vertex_count);
    abut_vec3 d = s;
    switch (test_below(r, 7)) {
    case 0: d = v3(sign, 0, 0); break;
    case 1: d = v3(0, sign, 0); break;
    case 2: d = v3(0x1p-60 * s.x, 0, sign); break;
    case 3:
        if (h->face_count > 0)
            d = h->face_normal[test_below(r, h->face_count)];
        break;
    case 4: { /* across an edge or a diagonal */
        const abut_vec3 e = between(abut_hull_vertex(h, i), abut_hull_vertex(h, j));
        const double m = fmax(fabs(e.x), fmax(fabs(e.y), fabs(e.z)));
        if (m > 0) {
            const abut_vec3 f = v3(e.x / m, e.y / m, e.z / m);
            d = v3(f.y * s.z - f.z * s.y, f.z * s.x - f.x * s.z, f.x * s.y - f.y * s.x);
        }
        break;
    }
    default: break;
    }
    if (d.x == 0 && d.y == 0 && d.z == 0)
        d = s;
    return v3(length * d.x, length * d.y, length * d.z);
}

static void check(const abut_hull *h, const abut_vec3 *points, size_t count, abut_vec3 d, uint32_t start,
                  const char *name)
{
    long double most = -INFINITY;
    for (size_t i = 0; i < count; ++i)
        most = fmaxl(most, dot(d, points[i]));
    const long double length = sqrtl(dot(d, d)), unit = 0x1p-53L * length * h->size + 0x1p-1060L;
    const uint32_t found[4] = { abut_hull_scan(h, d), abut_hull_climb(h, d, start), abut_hull_descend(h, d),
                                abut_hull_support(h, d, start) };
    for (int i = 0; i < 4; ++i) {
        TEST_CHECK(found[i] < h->vertex_count, "%s: search %d", name, i);
        const long double less = most - dot(d, abut_hull_vertex(h, found[i]));
        TEST_CHECK(less <= 7 * unit, "%s: search %d is short by %Lg u along (%a, %a, %a) from %u", name, i,
                   less / unit, d.x, d.y, d.z, start);
    }
    /* A scan gives the same of the largest values in doubles on any processor. */
    uint32_t best = 0;
    double value = -INFINITY;
    for (uint32_t i = 0; i < h->vertex_count; ++i) {
        const double x = d.x * h->x[i] + d.y * h->y[i] + d.z * h->z[i];
        if (x > value || (x == value && i % 8 < best % 8)) {
            best = i;
            value = x;
        }
    }
    TEST_CHECK(found[0] == best, "%s: the scan gives %u, not %u, along (%a, %a, %a)", name, found[0], best,
               d.x, d.y, d.z);
    const abut_vec3 other = v3(d.y, -d.z, d.x);
    const uint64_t two = abut_hull_scan_two(h, d.x, d.y, d.z, h, other.x, other.y, other.z);
    TEST_CHECK((uint32_t)two == best && two >> 32 == abut_hull_scan(h, other),
               "%s: both scans give %u and %u, along (%a, %a, %a)", name, (uint32_t)two,
               (uint32_t)(two >> 32), d.x, d.y, d.z);
    const long double bound = abut_hull_support_bound(h, d, start);
    TEST_CHECK(bound >= most, "%s: the bound is below by %Lg u along (%a, %a, %a)", name,
               (most - bound) / unit, d.x, d.y, d.z);
    TEST_CHECK(bound <= most + 10 * unit + 0x1p-1040L, "%s: the bound is %Lg u above along (%a, %a, %a)",
               name, (bound - most) / unit, d.x, d.y, d.z);
}

static void searches_agree(void **state)
{
    (void)state;
    static const double scales[] = { 1, 1, 1e-150, 1e150, 1e-3, 1e3 };
    static abut_vec3 points[800];
    char name[100];
    for (uint64_t seed = 0; seed < test_count(900); ++seed) {
        test_random r = test_seed(seed);
        const cloud kind = (cloud)(seed % CLOUDS);
        const size_t count =
            seed % 3 == 0 ? 1 + test_below(&r, 20) : 10 + test_below(&r, seed % 7 ? 100 : 790);
        const double scale = scales[test_below(&r, 6)], far = test_below(&r, 4) ? 0 : 10;
        for (size_t i = 0; i < count; ++i) {
            const abut_vec3 p = draw(&r, kind, seed, i);
            points[i] = v3(scale * (p.x + far), scale * p.y, scale * p.z);
        }
        (void)snprintf(name, sizeof name, "seed %" PRIu64 " kind %d count %zu scale %g", seed, (int)kind,
                       count, scale);
        abut_hull *h = make(points, count);
        for (int i = 0; i < 50; ++i)
            check(h, points, count, direction(&r, h), (uint32_t)test_bits(&r), name);
        destroy(h);
    }
}

/* Hulls with a hierarchy: round, a long prism (a vertex has few neighbours, the ways are long),
 * a bipyramid (two with very many), one that is thin. */
static void large_hulls_have_levels(void **state)
{
    (void)state;
    const size_t n = test_count(6000) < 2000 ? 2000 : 6000;
    abut_vec3 *p = calloc(n, sizeof *p);
    assert_non_null(p);
    for (uint64_t kind = 0; kind < 4; ++kind) {
        test_random r = test_seed(kind);
        for (size_t i = 0; i < n; ++i) {
            const double a = 6.283185307179586 * (double)(i / 2) / (double)(n / 2);
            if (kind == 0 || kind == 3)
                p[i] = on_sphere(&r);
            if (kind == 3)
                p[i].z *= 1e-7;
            if (kind == 1)
                p[i] = v3(cos(a), sin(a), i % 2 ? 5 : -5);
            if (kind == 2)
                p[i] = i < 2 ? v3(0, 0, i ? 1 : -1)
                             : v3(cos(a + 3e-4 * (double)(i % 2)), sin(a + 3e-4 * (double)(i % 2)), 0);
        }
        abut_hull *h = make(p, n);
        assert_true(h->vertex_count >= ABUT_HULL_MANY && h->coarser != NULL);
        for (const abut_hull *level = h; level->coarser; level = level->coarser)
            for (uint32_t i = 0; i < level->coarser->vertex_count; ++i) {
                const abut_vec3 v = abut_hull_vertex(level->coarser, i);
                const uint32_t at = level->coarser->point_of[i];
                assert_true(at < level->vertex_count && v.x == level->x[at] && v.y == level->y[at] &&
                            v.z == level->z[at]);
            }
        char name[40];
        (void)snprintf(name, sizeof name, "large %d", (int)kind);
        for (uint64_t i = 0; i < test_count(300); ++i)
            check(h, p, n, direction(&r, h), (uint32_t)test_bits(&r), name);
        destroy(h);
    }
    free(p);
}

static void nonsense_is_survived(void **state)
{
    (void)state;
    abut_vec3 points[100];
    test_random r = test_seed(1);
    for (size_t i = 0; i < 100; ++i)
        points[i] = draw(&r, ON_SPHERE, 1, i);
    for (size_t count = 1; count <= 100; count += 9) {
        abut_hull *h = make(points, count);
        static const abut_vec3 bad[] = {
            { NAN, NAN, NAN }, { INFINITY, 0, 0 }, { -INFINITY, INFINITY, 1 }, { 0, 0, 0 }
        };
        for (int i = 0; i < 4; ++i) {
            assert_true(abut_hull_scan(h, bad[i]) < h->padded_count);
            assert_true(abut_hull_climb(h, bad[i], UINT32_MAX) < h->padded_count);
            assert_true(abut_hull_support(h, bad[i], UINT32_MAX) < h->padded_count);
            (void)abut_hull_support_bound(h, bad[i], UINT32_MAX);
        }
        destroy(h);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(searches_agree),
        cmocka_unit_test(large_hulls_have_levels),
        cmocka_unit_test(nonsense_is_survived),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
