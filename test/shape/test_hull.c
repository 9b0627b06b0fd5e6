/* SPDX-License-Identifier: MIT */
/* Hulls against a referee in rationals: every polygon's plane holds its corners and has all
 * points on its inner side, polygons are strictly convex, each edge joins two of them that are
 * not in one plane, the surface is closed (Euler). That is the hull and nothing else. */
#include "base/memory.h"
#include "clouds.h"
#include "shape/hull/hull.h"
#include "support/failing_allocator.h"

#include <fenv.h>
#include <gmp.h>

/* ---- the referee: signs in rationals, by long doubles where those leave no doubt ---- */

static mpq_t q[12], sum, term;

static void load(mpq_t out[3], abut_vec3 a, abut_vec3 from)
{
    const double p[3] = { a.x, a.y, a.z }, o[3] = { from.x, from.y, from.z };
    for (int i = 0; i < 3; ++i) {
        mpq_set_d(out[i], p[i]);
        mpq_set_d(term, o[i]);
        mpq_sub(out[i], out[i], term);
    }
}

/* sum = +- a b c */
static void add_product(mpq_t a, mpq_t b, mpq_t c, bool minus)
{
    mpq_mul(term, a, b);
    mpq_mul(term, term, c);
    if (minus)
        mpq_sub(sum, sum, term);
    else
        mpq_add(sum, sum, term);
}

/* Sign of (b - a) x (c - a) . (p - a): +1 when p is on the side from which abc turns left. */
static int side(abut_vec3 a, abut_vec3 b, abut_vec3 c, abut_vec3 p)
{
    load(q, b, a);
    load(q + 3, c, a);
    load(q + 6, p, a);
    mpq_set_ui(sum, 0, 1);
    add_product(q[1], q[5], q[6], false);
    add_product(q[2], q[4], q[6], true);
    add_product(q[2], q[3], q[7], false);
    add_product(q[0], q[5], q[7], true);
    add_product(q[0], q[4], q[8], false);
    add_product(q[1], q[3], q[8], true);
    return mpq_sgn(sum);
}

static int quick_side(abut_vec3 a, abut_vec3 b, abut_vec3 c, abut_vec3 p)
{
    const long double s =
        1 / (0x1p-1000L + fmaxl(fmaxl(fabsl((long double)b.x - a.x), fabsl((long double)b.y - a.y)),
                                fabsl((long double)b.z - a.z)));
    const long double ux = s * ((long double)b.x - a.x), uy = s * ((long double)b.y - a.y),
                      uz = s * ((long double)b.z - a.z), vx = s * ((long double)c.x - a.x),
                      vy = s * ((long double)c.y - a.y), vz = s * ((long double)c.z - a.z),
                      wx = s * ((long double)p.x - a.x), wy = s * ((long double)p.y - a.y),
                      wz = s * ((long double)p.z - a.z);
    const long double det = wx * (uy * vz - uz * vy) + wy * (uz * vx - ux * vz) + wz * (ux * vy - uy * vx);
    const long double size = fabsl(wx) * (fabsl(uy * vz) + fabsl(uz * vy)) +
                             fabsl(wy) * (fabsl(uz * vx) + fabsl(ux * vz)) +
                             fabsl(wz) * (fabsl(ux * vy) + fabsl(uy * vx));
    if (fabsl(det) > 0x1p-55L * size && size > 0x1p-8000L)
        return det > 0 ? 1 : -1;
    return side(a, b, c, p);
}

/* Collinear? All minors of (b - a), (c - a) vanish. */
static bool collinear(abut_vec3 a, abut_vec3 b, abut_vec3 c)
{
    load(q, b, a);
    load(q + 3, c, a);
    for (int i = 0; i < 3; ++i) {
        const int j = (i + 1) % 3;
        mpq_mul(sum, q[i], q[3 + j]);
        mpq_mul(term, q[j], q[3 + i]);
        if (!mpq_equal(sum, term))
            return false;
    }
    return true;
}

static abut_vec3 corner(const abut_hull *h, uint32_t face, uint32_t i)
{
    const uint32_t begin = h->face_begin[face], count = h->face_begin[face + 1] - begin;
    return abut_hull_vertex(h, h->face_corners[begin + i % count]);
}

typedef struct directed {
    uint32_t a, b, face;
} directed;

static int compare_directed(const void *pa, const void *pb)
{
    const directed *x = (const directed *)pa, *y = (const directed *)pb;
    if (x->a != y->a)
        return x->a < y->a ? -1 : 1;
    return x->b < y->b ? -1 : x->b > y->b;
}

static const directed *find_edge(const directed *edges, size_t count, uint32_t a, uint32_t b)
{
    const directed key = { a, b, 0 };
    return (const directed *)bsearch(&key, edges, count, sizeof key, compare_directed);
}

static void check_normal(const abut_hull *h, uint32_t f, const char *name)
{
    const abut_vec3 n = h->face_normal[f], a = corner(h, f, 0);
    TEST_NEAR(sqrt(n.x * n.x + n.y * n.y + n.z * n.z), 1, 1e-15, "%s: length of normal %u", name, f);
    /* Across every side of the polygon, to the side's length. */
    for (uint32_t i = 1; i < h->face_begin[f + 1] - h->face_begin[f]; ++i) {
        const abut_vec3 b = corner(h, f, i);
        const long double x = (long double)b.x - a.x, y = (long double)b.y - a.y, z = (long double)b.z - a.z;
        const long double off = x * n.x + y * n.y + z * n.z, length = sqrtl(x * x + y * y + z * z);
        TEST_CHECK(fabsl(off) <= 2e-14L * length, "%s: normal %u is off by %Lg of a side", name, f,
                   off / length);
    }
}

/* Every polygon holds all points on its inner side; `every`: only each such point. */
static void check_faces(const abut_hull *h, const abut_vec3 *points, size_t count, size_t every,
                        const char *name)
{
    for (uint32_t f = 0; f < h->face_count; ++f) {
        const uint32_t size = h->face_begin[f + 1] - h->face_begin[f];
        TEST_CHECK(size >= 3, "%s: face %u has %u corners", name, f, size);
        const abut_vec3 a = corner(h, f, 0), b = corner(h, f, 1), c = corner(h, f, 2);
        TEST_CHECK(!collinear(a, b, c), "%s: face %u begins with a straight corner", name, f);
        for (uint32_t i = 3; i < size; ++i)
            TEST_CHECK(side(a, b, c, corner(h, f, i)) == 0, "%s: corner %u of face %u is off", name, i, f);
        for (size_t i = 0; i < count; i += every)
            TEST_CHECK(quick_side(a, b, c, points[i]) <= 0, "%s: point %zu (%a, %a, %a) is outside face %u",
                       name, i, points[i].x, points[i].y, points[i].z, f);
        check_normal(h, f, name);
        /* The normal points outward: it agrees with the corners' turn. */
        const abut_vec3 n = h->face_normal[f];
        const long double s = 1;
        const long double ux = s * ((long double)b.x - a.x), uy = s * ((long double)b.y - a.y),
                          uz = s * ((long double)b.z - a.z), vx = s * ((long double)c.x - a.x),
                          vy = s * ((long double)c.y - a.y), vz = s * ((long double)c.z - a.z);
        TEST_CHECK(n.x * (uy * vz - uz * vy) + n.y * (uz * vx - ux * vz) + n.z * (ux * vy - uy * vx) > 0,
                   "%s: normal %u points inward", name, f);
    }
}

static void check_edges(const abut_hull *h, const char *name)
{
    const uint32_t corners = h->face_begin[h->face_count];
    directed *edges = calloc(corners, sizeof *edges);
    assert_non_null(edges);
    size_t count = 0;
    for (uint32_t f = 0; f < h->face_count; ++f) {
        const uint32_t begin = h->face_begin[f], end = h->face_begin[f + 1];
        for (uint32_t i = begin; i < end; ++i)
            edges[count++] =
                (directed){ h->face_corners[i], h->face_corners[i + 1 < end ? i + 1 : begin], f };
    }
    qsort(edges, count, sizeof *edges, compare_directed);
    for (size_t i = 0; i < count; ++i) {
        const directed *e = &edges[i], *back = find_edge(edges, count, e->b, e->a);
        TEST_CHECK(i == 0 || compare_directed(e - 1, e) != 0, "%s: edge %u-%u comes twice", name, e->a, e->b);
        TEST_CHECK(back != NULL, "%s: edge %u-%u has one side only", name, e->a, e->b);
        bool linked = false;
        for (uint32_t k = h->link_begin[e->a]; k < h->link_begin[e->a + 1]; ++k)
            linked |= h->links[k] == e->b;
        TEST_CHECK(linked, "%s: %u is not linked to %u", name, e->a, e->b);
        /* Bends outward, strictly (a solid) : some corner of the other face is below this one. */
        if (h->dimension == 3) {
            bool below = false;
            for (uint32_t k = 0; k < h->face_begin[back->face + 1] - h->face_begin[back->face]; ++k)
                below |= quick_side(corner(h, e->face, 0), corner(h, e->face, 1), corner(h, e->face, 2),
                                    corner(h, back->face, k)) < 0;
            TEST_CHECK(below, "%s: faces %u and %u are in one plane", name, e->face, back->face);
        }
    }
    TEST_CHECK(h->link_begin[h->vertex_count] == corners, "%s: %u links for %u corners", name,
               h->link_begin[h->vertex_count], corners);
    TEST_CHECK(2 * h->edge_count == corners, "%s: %u edges, %u corners", name, h->edge_count, corners);
    free(edges);
}

static void check_vertices(const abut_hull *h, const abut_vec3 *points, size_t count, const char *name)
{
    TEST_CHECK(h->vertex_count >= 1 && h->padded_count % 8 == 0 && h->padded_count >= h->vertex_count,
               "%s: %u vertices", name, h->vertex_count);
    for (uint32_t i = 0; i < h->padded_count; ++i) {
        const abut_vec3 v = abut_hull_vertex(h, i), p = points[h->point_of[i]];
        TEST_CHECK(h->point_of[i] < count && v.x == p.x && v.y == p.y && v.z == p.z, "%s: vertex %u", name,
                   i);
        const long double length =
            sqrtl((long double)v.x * v.x + (long double)v.y * v.y + (long double)v.z * v.z);
        TEST_CHECK(length <= h->size, "%s: vertex %u is beyond the size", name, i);
        for (uint32_t k = 0; k < h->point_of[i] && count < 300; ++k)
            TEST_CHECK(points[k].x != p.x || points[k].y != p.y || points[k].z != p.z,
                       "%s: point %u comes before %u", name, k, h->point_of[i]);
        if (i > 0 && i < h->vertex_count)
            TEST_CHECK(h->point_of[i - 1] < h->point_of[i], "%s: order of vertex %u", name, i);
    }
}

/* Flat: the polygon's plane holds all points, its sides have them on the inner side: with a
 * point off the plane as the third. */
static void check_flat(const abut_hull *h, const abut_vec3 *points, size_t count, const char *name)
{
    TEST_CHECK(h->face_count == 2, "%s: %u faces", name, h->face_count);
    const abut_vec3 a = corner(h, 0, 0), b = corner(h, 0, 1), c = corner(h, 0, 2);
    abut_vec3 top = a;
    for (int i = 0; i < 3 && side(a, b, c, top) <= 0; ++i) {
        /* one of the six is off the plane, above */
        top = v3(a.x + (i == 0 ? 1 : 0), a.y + (i == 1 ? 1 : 0), a.z + (i == 2 ? 1 : 0));
        if (side(a, b, c, top) < 0)
            top = v3(a.x - (i == 0 ? 1 : 0), a.y - (i == 1 ? 1 : 0), a.z - (i == 2 ? 1 : 0));
    }
    if (side(a, b, c, top) <= 0)
        return; /* 1 is nothing at that size; the corners' turns are judged by the faces' tests */
    const uint32_t corners = h->face_begin[1];
    TEST_CHECK(corners == h->vertex_count && h->edge_count == corners, "%s: %u corners", name, corners);
    for (uint32_t i = 0; i < corners; ++i) {
        const abut_vec3 from = corner(h, 0, i), to = corner(h, 0, i + 1);
        TEST_CHECK(side(from, to, top, corner(h, 0, i + 2)) < 0, "%s: corner %u does not turn left", name,
                   i + 1);
        for (size_t k = 0; k < count; ++k)
            TEST_CHECK(side(from, to, top, points[k]) <= 0, "%s: point %zu is outside side %u", name, k, i);
    }
}

static int dimension_of(const abut_vec3 *points, size_t count)
{
    size_t i = 0, j = 0, k = 0;
    while (i < count && points[i].x == points[0].x && points[i].y == points[0].y &&
           points[i].z == points[0].z)
        ++i;
    for (j = i; j < count && collinear(points[0], points[i], points[j]);)
        ++j;
    for (k = j; k < count && quick_side(points[0], points[i], points[j], points[k]) == 0;)
        ++k;
    return i == count ? 0 : j == count ? 1 : k == count ? 2 : 3;
}

/* Returns the number of vertices. */
static uint32_t judge(const abut_vec3 *points, size_t count, const char *name)
{
    abut_hull *h = make(points, count);
    const size_t every = count > 400 ? count / 50 : 1;
    TEST_CHECK(h->dimension == dimension_of(points, count), "%s: dimension %d", name, h->dimension);
    check_vertices(h, points, count, name);
    if (h->dimension >= 2) {
        check_faces(h, points, count, every, name);
        check_edges(h, name);
    }
    if (h->dimension == 3)
        TEST_CHECK(h->vertex_count + h->face_count == h->edge_count + 2, "%s: Euler: %u - %u + %u", name,
                   h->vertex_count, h->edge_count, h->face_count);
    if (h->dimension == 2)
        check_flat(h, points, count, name);
    if (h->dimension == 1)
        TEST_CHECK(h->vertex_count == 2 && h->edge_count == 1 && h->face_count == 0 && h->links[0] == 1 &&
                       h->links[1] == 0,
                   "%s: a line", name);
    if (h->dimension == 0)
        TEST_CHECK(h->vertex_count == 1 && h->edge_count == 0 && h->face_count == 0, "%s: a point", name);
    const uint32_t found = h->vertex_count;
    destroy(h);
    return found;
}

/* ---- the tests ---- */

static void clouds_of_every_kind(void **state)
{
    (void)state;
    static const double scales[] = { 1, 1, 1, 1e-150, 1e150, 1e-300, 1e300, 1e4 };
    abut_vec3 points[300];
    char name[100];
    for (uint64_t seed = 0; seed < test_count(1300); ++seed) {
        test_random r = test_seed(seed);
        const cloud kind = (cloud)(seed % CLOUDS);
        const size_t count =
            seed % 5 == 0 ? 1 + test_below(&r, 6) : 4 + test_below(&r, seed % 50 == 1 ? 290 : 45);
        const double scale = scales[test_below(&r, 8)];
        const abut_vec3 shift =
            test_below(&r, 3) ? v3(0, 0, 0) : v3(test_uniform(&r, -9, 9), 1e3, test_uniform(&r, -1, 1));
        for (size_t i = 0; i < count; ++i) {
            const abut_vec3 p = draw(&r, kind, seed, i);
            points[i] = v3(scale * (p.x + shift.x), scale * (p.y + shift.y), scale * (p.z + shift.z));
        }
        (void)snprintf(name, sizeof name, "seed %" PRIu64 " kind %d count %zu scale %g", seed, (int)kind,
                       count, scale);
        (void)judge(points, count, name);
    }
}

static void known_solids(void **state)
{
    (void)state;
    abut_vec3 p[125];
    size_t n = 0;
    for (int x = 0; x < 5; ++x)
        for (int y = 0; y < 5; ++y)
            for (int z = 0; z < 5; ++z)
                p[n++] = v3(0.1 * x, 0.1 * y, 0.1 * z);
    /* points all over the faces and edges: 0.1 * 3 is off by an ulp, but alike in all rows */
    abut_hull *h = make(p, n);
    assert_true(h->vertex_count == 8 && h->edge_count == 12 && h->face_count == 6);
    assert_true(h->point_of[0] == 0 && h->point_of[1] == 4 && h->point_of[7] == 124);
    destroy(h);
    assert_int_equal(judge(p, n, "grid"), 8);
    /* A tetrahedron whose largest coordinate nothing else comes near. */
    const abut_vec3 wild[5] = { { 0, 0, 0 }, { 1e300, 0, 0 }, { 0, 1e-300, 0 }, { 0, 0, 1 }, { 1, 0, 0 } };
    assert_int_equal(judge(wild, 5, "wild"), 4);
    const abut_vec3 same[3] = { { 1, 2, 0.0 }, { 1, 2, -0.0 }, { 1, 2, 0 } };
    assert_int_equal(judge(same, 3, "same"), 1);
    /* One ulp of the third coordinate makes it solid. */
    const abut_vec3 thin[4] = { { 0, 0, 1 }, { 1, 0, 1 }, { 0, 1, 1 }, { 1, 1, 1 + DBL_EPSILON } };
    assert_int_equal(judge(thin, 4, "thin"), 4);
}

static void many_points(void **state)
{
    (void)state;
    const size_t n = test_count(10000) < 500 ? 500 : 10000;
    abut_vec3 *p = calloc(n, sizeof *p);
    assert_non_null(p);
    static const cloud kinds[] = { IN_BALL, ON_SPHERE, GRID, ON_CUBE, WOBBLY_CUBE, NEARLY_FLAT };
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; ++k) {
        test_random r = test_seed(k);
        char name[50];
        for (size_t i = 0; i < n; ++i)
            p[i] = draw(&r, kinds[k], 1, i);
        (void)snprintf(name, sizeof name, "%zu points of kind %d", n, (int)kinds[k]);
        (void)judge(p, n, name);
    }
    free(p);
}

/* Polygons of many corners: a prism of rectangles and a pyramid, which a step quadratic in the
 * corners of a face would keep busy until the test times out. */
static void large_flat_faces(void **state)
{
    (void)state;
    const size_t n = 60000;
    abut_vec3 *p = calloc(n, sizeof *p);
    assert_non_null(p);
    for (size_t i = 0; i < n; ++i) {
        const double angle = 2 * 3.14159265358979 * (double)(i / 2) / (double)(n / 2);
        p[i] = v3(cos(angle), sin(angle), i % 2 ? 1 : 0);
    }
    abut_hull *h = make(p, n);
    TEST_CHECK(h->vertex_count == n && h->edge_count == n / 2 * 3 && h->face_count == n / 2 + 2,
               "prism: %u vertices, %u edges, %u faces", h->vertex_count, h->edge_count, h->face_count);
    uint32_t large = 0;
    for (uint32_t f = 0; f < h->face_count; ++f) {
        const uint32_t corners = h->face_begin[f + 1] - h->face_begin[f];
        TEST_CHECK(corners == 4 || corners == n / 2, "prism: face %u has %u corners", f, corners);
        large += corners == n / 2;
    }
    assert_int_equal(large, 2);
    destroy(h);
    for (size_t i = 0; i < n; ++i) {
        const double angle = 2 * 3.14159265358979 * (double)i / (double)n;
        p[i] = i == n / 2 ? v3(0, 0, 1) : v3(cos(angle), sin(angle), 0);
    }
    h = make(p, n);
    TEST_CHECK(h->vertex_count == n && h->edge_count == 2 * n - 2 && h->face_count == n,
               "pyramid: %u vertices, %u edges, %u faces", h->vertex_count, h->edge_count, h->face_count);
    destroy(h);
    free(p);
}

static void any_rounding_mode(void **state)
{
    (void)state;
    static const int modes[] = { FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO };
    abut_vec3 points[60];
    for (uint64_t seed = 0; seed < test_count(60); ++seed) {
        test_random r = test_seed(seed);
        for (size_t i = 0; i < 60; ++i)
            points[i] = draw(&r, (cloud)(seed % CLOUDS), seed, i);
        abut_hull *nearest = make(points, 60);
        fesetround(modes[seed % 3]);
        abut_hull *other = make(points, 60);
        const int mode = fegetround();
        fesetround(FE_TONEAREST);
        assert_int_equal(mode, modes[seed % 3]);
        assert_int_equal(other->vertex_count, nearest->vertex_count);
        assert_memory_equal(other->point_of, nearest->point_of, nearest->vertex_count * sizeof(uint32_t));
        destroy(nearest);
        destroy(other);
    }
}

static void memory_may_run_out(void **state)
{
    (void)state;
    abut_vec3 points[100];
    abut_status status;
    for (int kind = 0; kind < CLOUDS; ++kind) {
        test_random r = test_seed((uint64_t)kind);
        for (size_t i = 0; i < 100; ++i)
            points[i] = draw(&r, (cloud)kind, 1, i);
        TEST_EVERY_ALLOCATION_FAILS(
            alloc,
            {
                abut_hull *h = abut_hull_create(points, 100, &alloc, &status, NULL);
                assert_true((status == ABUT_OK) == (h != NULL));
                abut_hull_destroy(h, &alloc);
            },
            status)
    }
}

int main(void)
{
    for (int i = 0; i < 12; ++i)
        mpq_init(q[i]);
    mpq_init(sum);
    mpq_init(term);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(known_solids),       cmocka_unit_test(clouds_of_every_kind),
        cmocka_unit_test(many_points),        cmocka_unit_test(any_rounding_mode),
        cmocka_unit_test(memory_may_run_out), cmocka_unit_test(large_flat_faces),
    };
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    for (int i = 0; i < 12; ++i)
        mpq_clear(q[i]);
    mpq_clear(sum);
    mpq_clear(term);
    return failed;
}
