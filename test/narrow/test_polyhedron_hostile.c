/* SPDX-License-Identifier: MIT */
/* What is no solid: boundaries that cross or touch themselves, against a rational referee that examines every
 * pair of triangles; and definitions with anything wrong in them, which must be refused by name or answered
 * without harm. */
#include "abut/polyhedron.h"
#include "oracle/mesh_gmp.h"
#include "support/voxels.h"

enum { MOST = 4096 };

static voxels v;
static abut_error e;
static abut_vec3 points[VOXEL_POINTS];
static uint32_t triangles[3 * MOST], sizes[MOST];

/* The solid's faces as triangles: squares of cubes, cut alike, with their own vertices. */
static size_t cut_up(size_t *vertex_count)
{
    static int32_t number[VOXEL_MOST + 1][VOXEL_MOST + 1][VOXEL_MOST + 1];
    size_t count = 0;
    *vertex_count = 0;
    memset(number, 0xFF, sizeof number);
    for (int axis = 0; axis < 3; ++axis)
        for (int x = 0; x <= v.n[0]; ++x)
            for (int y = 0; y <= v.n[1]; ++y)
                for (int z = 0; z <= v.n[2]; ++z) {
                    const int p[3] = { x, y, z }, sign = voxel_square(&v, axis, p);
                    uint32_t c[4];
                    for (int k = 0; k < 4 && sign; ++k) {
                        int q[3] = { x, y, z };
                        q[(axis + 1) % 3] += k == 1 || k == 2;
                        q[(axis + 2) % 3] += k >= 2;
                        int32_t *at = &number[q[0]][q[1]][q[2]];
                        if (*at < 0) {
                            points[*vertex_count] = voxel_map(&v, q[0], q[1], q[2]);
                            *at = (int32_t)(*vertex_count)++;
                        }
                        c[sign > 0 ? k : 3 - k] = (uint32_t)*at;
                    }
                    static const int half[6] = { 0, 1, 2, 0, 2, 3 };
                    for (int k = 0; k < 6 && sign; ++k)
                        triangles[count++] = c[half[k]];
                }
    for (size_t i = 0; i < count / 3; ++i)
        sizes[i] = 3;
    return count / 3;
}

static abut_polyhedron_def define(size_t vertex_count, size_t count)
{
    abut_polyhedron_def def;
    abut_polyhedron_def_init(&def);
    def.vertices = points;
    def.vertex_count = vertex_count;
    def.face_count = def.loop_count = count;
    def.loop_sizes = sizes;
    def.index_count = 3 * count;
    def.indices = triangles;
    return def;
}

static bool crosses_itself(size_t vertex_count, size_t count)
{
    mesh_gmp *mesh = mesh_gmp_create(points, vertex_count, triangles, count, NULL);
    bool found = false;
    for (size_t i = 0; i < count && !found; ++i)
        for (size_t j = i + 1; j < count && !found; ++j)
            found = mesh_gmp_self(mesh, i, j) != 0;
    mesh_gmp_destroy(mesh);
    return found;
}

/* Asks whatever can be asked. */
static void ask_all(const abut_shape *shape, test_random *r)
{
    const abut_aabb box = abut_shape_bounds(shape);
    const abut_vec3 p = { test_uniform(r, box.lo.x, box.hi.x), test_uniform(r, box.lo.y, box.hi.y),
                          test_uniform(r, box.lo.z, box.hi.z) },
                    q = { box.hi.x + 1, box.hi.y, box.hi.z };
    abut_polyhedron_info info;
    abut_index_info index;
    abut_piece piece, pieces[16];
    abut_ray_hit hits[8];
    abut_touch_result touch;
    abut_check_result check;
    size_t count;
    const abut_pose beside = { { box.hi.x - box.lo.x, 0, 0 }, { 1, 0, 0, 0 } };
    assert_int_equal(abut_polyhedron_get_info(shape, &info), ABUT_OK);
    assert_int_equal(abut_polyhedron_get_index(shape, &index), ABUT_OK);
    assert_int_equal(abut_classify_point(shape, NULL, p, &piece), ABUT_OK);
    assert_int_equal(abut_classify_segment(shape, NULL, p, q, pieces, 16, &count), ABUT_OK);
    assert_int_equal(abut_cast_ray(shape, NULL, p, (abut_vec3){ 1, 0.5, 0.25 }, hits, 8, &count), ABUT_OK);
    assert_int_equal(abut_touch(shape, NULL, shape, &beside, NULL, NULL, NULL, &touch), ABUT_OK);
    assert_int_equal(abut_check(shape, NULL, shape, &beside, NULL, NULL, &check), ABUT_OK);
    assert_true(check.verdict != ABUT_PENETRATING || touch.verdict == ABUT_PENETRATING);
}

/* Some vertices are moved to other places of the grid and between: what crosses or touches itself is refused,
 * and nothing else is, but for solids that are inside out now. */
static void crossing(void **state)
{
    (void)state;
    const uint64_t count = test_count(400);
    uint64_t refused = 0, accepted = 0;
    for (uint64_t seed = 0; seed < count; ++seed) {
        test_random r = test_seed(seed + 99);
        size_t vertex_count;
        do
            voxel_random(&v, &r, 3, (int)test_below(&r, 20));
        while (v.n[0] + v.n[1] + v.n[2] > 6 || !voxel_build(&v));
        if (seed % 2)
            voxel_shear(&v, &r, 2);
        const size_t faces = cut_up(&vertex_count);
        if (faces == 0)
            continue;
        const unsigned moves = 1 + test_below(&r, 3);
        for (unsigned k = 0; k < moves; ++k) {
            abut_vec3 *p = &points[test_below(&r, (unsigned)vertex_count)];
            const double step = test_below(&r, 2) ? 0.5 : 0.25;
            p->x += step * ((double)test_below(&r, 5) - 2);
            p->y += step * ((double)test_below(&r, 5) - 2);
            p->z += step * ((double)test_below(&r, 5) - 2);
        }
        abut_polyhedron_def def = define(vertex_count, faces);
        const bool bad = crosses_itself(vertex_count, faces);
        for (int merge = 0; merge < 2; ++merge) {
            abut_shape *shape;
            def.merge = merge;
            const abut_status status = abut_shape_create_polyhedron_with(&def, NULL, &shape, &e);
            if (status) {
                assert_int_equal(status, ABUT_ERR_ARGUMENT);
                TEST_CHECK(bad || strstr(e.text, "inside") || strstr(e.text, "area") ||
                               strstr(e.text, "turn"),
                           "seed %" PRIu64 ": a good solid is refused: %s", seed, e.text);
                TEST_CHECK(strstr(e.text, "face") || strstr(e.text, "vertex") || strstr(e.text, "edge") ||
                               strstr(e.text, "shell") || strstr(e.text, "inside out"),
                           "names nothing: %s", e.text);
                ++refused;
                continue;
            }
            TEST_CHECK(!bad, "seed %" PRIu64 ", merge %d: a boundary that meets itself is accepted", seed,
                       merge);
            ask_all(shape, &r);
            abut_shape_release(shape);
            ++accepted;
        }
    }
    print_message("%d refused, %d accepted\n", (int)refused, (int)accepted);
    if (count >= 100)
        assert_true(refused > count / 20 && accepted > count / 20);
}

static double odd_number(test_random *r)
{
    static const double odd[] = { 0, -0.0, 1e-320, -1e300, 1e300, 0x1p-1000, 0x1p1000, INFINITY, NAN, 1e-30 };
    return odd[test_below(r, sizeof odd / sizeof *odd)];
}

/* One to three things are wrong with numbers, sizes, loops or places. */
static void mangled(void **state)
{
    (void)state;
    const uint64_t count = test_count(8000);
    uint64_t refused = 0, accepted = 0;
    for (uint64_t seed = 0; seed < count; ++seed) {
        test_random r = test_seed(seed + 777);
        do
            voxel_random(&v, &r, 2, (int)test_below(&r, 20));
        while (!voxel_build(&v));
        abut_polyhedron_def def = voxel_def(&v);
        const unsigned wrongs = 1 + test_below(&r, 3);
        for (unsigned k = 0; k < wrongs; ++k) {
            uint32_t *index = &v.indices[test_below(&r, v.index_count)];
            double *part = &((double *)&v.vertices[test_below(&r, v.vertex_count)])[test_below(&r, 3)];
            switch (test_below(&r, 10)) {
            case 0: *index = test_below(&r, v.vertex_count); break;
            case 1: *index = (uint32_t)test_bits(&r); break;
            case 2: *part = odd_number(&r); break;
            case 3: *part += test_uniform(&r, -1, 1); break;
            case 4: v.loop_sizes[test_below(&r, v.loop_count)] = test_below(&r, 9); break;
            case 5: v.face_loops[test_below(&r, v.face_count)] = test_below(&r, 4); break;
            case 6: def.face_count = test_below(&r, v.face_count + 2); break;
            case 7: def.index_count = test_below(&r, v.index_count + 2); break;
            case 8: def.loop_count = test_below(&r, v.loop_count + 2); break;
            default: def.planarity = test_below(&r, 2) ? test_uniform(&r, -1, 2) : odd_number(&r);
            }
        }
        def.merge = test_below(&r, 2);
        abut_shape *shape;
        const abut_status status = abut_shape_create_polyhedron_with(&def, NULL, &shape, &e);
        if (status) {
            TEST_CHECK(e.text[0] != 0 && shape == NULL, "seed %" PRIu64, seed);
            ++refused;
            continue;
        }
        if (seed % 8 == 0)
            ask_all(shape, &r);
        abut_shape_release(shape);
        ++accepted;
    }
    print_message("%d refused, %d accepted\n", (int)refused, (int)accepted);
    assert_true(refused > accepted);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(crossing), cmocka_unit_test(mangled) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
