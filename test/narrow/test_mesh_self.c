/* SPDX-License-Identifier: MIT */
/* One mesh with itself: neighbours count only for what they have in common beyond the corner or
 * edge that they share, against rationals. */
#include "narrow/mesh_cases.h"
#include "oracle/mesh_gmp.h"

enum { PAIRS = 4000 };

static size_t check_self(const mesh_case *m, abut_volume volume, abut_builder builder, uint64_t seed)
{
    static abut_triangle_contact found[PAIRS];
    abut_contacts_result result;
    abut_shape *shape = case_shape(m, false, volume, builder);
    mesh_gmp *gmp = mesh_gmp_create(m->vertices, m->vertex_count, m->triangles, m->triangle_count, NULL);
    assert_non_null(shape);
    assert_int_equal(abut_self_contacts(shape, NULL, NULL, found, PAIRS, &result), ABUT_OK);
    size_t n = 0;
    for (size_t i = 0; i < m->triangle_count; ++i)
        for (size_t j = i + 1; j < m->triangle_count; ++j) {
            const int meet = mesh_gmp_self(gmp, i, j);
            if (meet == 0)
                continue;
            TEST_CHECK(n < result.count && found[n].a == i && found[n].b == j && (int)found[n].meet == meet,
                       "seed %" PRIu64 ": pair %zu is %zu %zu kind %d, found %u %u kind %d of %zu", seed, n,
                       i, j, meet, found[n].a, found[n].b, (int)found[n].meet, result.count);
            ++n;
        }
    TEST_CHECK(n == result.count && result.unknown == 0, "seed %" PRIu64 ": %zu of %zu", seed, result.count,
               n);
    assert_int_equal(result.verdict, n ? ABUT_TOUCHING : ABUT_SEPARATE);
    abut_shape_release(shape);
    mesh_gmp_destroy(gmp);
    return n;
}

/* On a coarse grid, with few vertices: nearly all triangles are neighbours of each other. */
static void test_soups(void **state)
{
    (void)state;
    static mesh_case m;
    const uint64_t count = test_count(3000);
    for (uint64_t seed = 0; seed < count; ++seed) {
        test_random r = test_seed(seed);
        const unsigned grid = 1 + test_below(&r, 3);
        case_soup(&m, &r, 3 + test_below(&r, 10), grid, test_below(&r, 2) ? 1 : 0x1.8p-90);
        if (test_below(&r, 3) == 0) /* all in one plane */
            for (size_t i = 0; i < m.vertex_count; ++i)
                m.vertices[i].z = m.vertices[i].x + m.vertices[i].y;
        if (test_below(&r, 3) == 0) /* and on one line */
            for (size_t i = 0; i < m.vertex_count; i += 1 + test_below(&r, 2))
                m.vertices[i].y = 0;
        if (test_below(&r, 2)) { /* by place instead of by number */
            mesh_case loose = { .vertex_count = 0 };
            for (size_t i = 0; i < m.triangle_count; ++i)
                case_add(&loose, m.vertices[m.triangles[3 * i]], m.vertices[m.triangles[3 * i + 1]],
                         m.vertices[m.triangles[3 * i + 2]]);
            m = loose;
        }
        check_self(&m, (abut_volume)test_below(&r, ABUT_VOLUME_COUNT),
                   (abut_builder)test_below(&r, ABUT_BUILDER_COUNT), seed);
    }
}

/* A sheet of n by n squares, two triangles each, with heights; nothing meets but neighbours
 * until it is folded. */
static void set_sheet(mesh_case *m, int n, double fold)
{
    m->vertex_count = m->triangle_count = 0;
    for (int i = 0; i <= n; ++i)
        for (int j = 0; j <= n; ++j) {
            const double x = i <= n / 2 ? i : n - i + (i - n / 2) * fold;
            m->vertices[m->vertex_count++] = (abut_vec3){ x, j, i <= n / 2 ? 0 : (i - n / 2) * fold };
        }
    for (int i = 0; i < n; ++i)
        for (int j = 0; j < n; ++j) {
            const uint32_t p = (uint32_t)(i * (n + 1) + j), q = p + (uint32_t)n + 1;
            const uint32_t t[6] = { p, q, q + 1, p, q + 1, p + 1 };
            memcpy(m->triangles + 3 * m->triangle_count, t, sizeof t);
            m->triangle_count += 2;
        }
}

static void test_sheet(void **state)
{
    (void)state;
    static mesh_case m;
    set_sheet(&m, 6, 1);
    assert_int_equal(check_self(&m, ABUT_VOLUME_AUTO, ABUT_BUILDER_AUTO, 1), 0);
    assert_int_equal(check_self(&m, ABUT_VOLUME_OBB, ABUT_BUILDER_MEDIAN, 1), 0);
    set_sheet(&m, 6, 0); /* folded flat onto itself */
    assert_true(check_self(&m, ABUT_VOLUME_AUTO, ABUT_BUILDER_AUTO, 2) > 0);
    assert_true(check_self(&m, ABUT_VOLUME_KDOP18, ABUT_BUILDER_SAH, 2) > 0);
    set_sheet(&m, 6, 0);
    for (size_t i = 0; i < m.triangle_count; ++i) { /* every triangle twice, the other way round */
        const uint32_t t[3] = { m.triangles[3 * i], m.triangles[3 * i + 2], m.triangles[3 * i + 1] };
        memcpy(m.triangles + 3 * (m.triangle_count + i), t, sizeof t);
    }
    m.triangle_count *= 2;
    assert_true(check_self(&m, ABUT_VOLUME_AUTO, ABUT_BUILDER_AUTO, 3) >= m.triangle_count / 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(test_sheet), cmocka_unit_test(test_soups) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
