/* SPDX-License-Identifier: MIT */
/* Polyhedra: topology, triangles, mass properties, and what is refused. */
#include "brep/polyhedron.h"
#include "math/vec3.h"
#include "shape/shape.h"
#include "support/failing_allocator.h"
#include "support/voxels.h"

static abut_error e;
static voxels v;

static abut_shape *make(const abut_polyhedron_def *def)
{
    abut_shape *shape;
    const abut_status status = abut_shape_create_polyhedron_with(def, NULL, &shape, &e);
    TEST_CHECK(status == ABUT_OK, "%s", e.text);
    return shape;
}

/* Volume, surface area and Euler's number are counted in cubes; the first moments in rationals. */
static void check_against_cubes(const abut_shape *shape, int64_t det, uint64_t seed)
{
    abut_polyhedron_info info;
    assert_int_equal(abut_polyhedron_get_info(shape, &info), ABUT_OK);
    int64_t cubes = 0, moment[3] = { 0, 0, 0 }, corners = 0, sides = 0, squares = 0;
    for (int x = 0; x <= v.n[0]; ++x)
        for (int y = 0; y <= v.n[1]; ++y)
            for (int z = 0; z <= v.n[2]; ++z) {
                if (voxel_full(&v, x, y, z)) {
                    ++cubes;
                    moment[0] += 2 * x + 1;
                    moment[1] += 2 * y + 1;
                    moment[2] += 2 * z + 1;
                }
                const unsigned mask = voxel_around(&v, x, y, z);
                corners += mask != 0 && mask != 0xff;
                for (int axis = 0; axis < 3; ++axis) {
                    const int p[3] = { x, y, z };
                    squares += voxel_square(&v, axis, p) != 0;
                    const unsigned up = 1u << axis, b = 1u << (axis + 1) % 3, c = 1u << (axis + 2) % 3;
                    const unsigned four = (mask >> up & 1) + (mask >> (up | b) & 1) + (mask >> (up | c) & 1) +
                                          (mask >> (up | b | c) & 1);
                    sides += four != 0 && four != 4;
                }
            }
    TEST_NEAR(info.volume, (double)(cubes * det), 1e-12 * (double)(cubes * det), "seed %" PRIu64, seed);
    const abut_vec3 centre =
        voxel_map(&v, (double)moment[0] / (double)(2 * cubes), (double)moment[1] / (double)(2 * cubes),
                  (double)moment[2] / (double)(2 * cubes));
    TEST_NEAR(abut_length(abut_sub(centre, info.centroid)), 0, 1e-12 * (1 + abut_length(centre)),
              "seed %" PRIu64, seed);
    /* of the same surface cut into unit squares */
    assert_int_equal(2 * ((int64_t)info.shells - info.genus), corners - sides + squares);
}

static void check_edges(const abut_shape *shape)
{
    abut_polyhedron_info info;
    assert_int_equal(abut_polyhedron_get_info(shape, &info), ABUT_OK);
    uint32_t last[2] = { 0, 0 };
    for (size_t i = 0; i < info.edges; ++i) {
        uint32_t ends[2], faces[2];
        assert_int_equal(abut_polyhedron_get_edge(shape, i, ends, faces), ABUT_OK);
        assert_true(ends[0] < ends[1] && faces[0] != faces[1]);
        assert_true(i == 0 || last[0] < ends[0] || (last[0] == ends[0] && last[1] < ends[1]));
        assert_int_equal(abut_polyhedron_find_edge(shape, ends[1], ends[0]), i);
        last[0] = ends[0];
        last[1] = ends[1];
    }
    assert_int_equal(abut_polyhedron_get_edge(shape, info.edges, NULL, NULL), ABUT_ERR_ARGUMENT);
}

static void random_solids(void **state)
{
    (void)state;
    uint64_t made = 0, cavities = 0, handles = 0, holes = 0;
    const uint64_t count = test_count(2000);
    for (uint64_t i = 0; i < count; ++i) {
        test_random r = test_seed(i);
        voxel_random(&v, &r, 6, (int)test_below(&r, 300));
        const int64_t det = i % 2 ? voxel_shear(&v, &r, 5) : 1;
        if (!voxel_build(&v))
            continue;
        const abut_polyhedron_def def = voxel_def(&v);
        abut_shape *shape = make(&def);
        check_against_cubes(shape, det, i);
        check_edges(shape);
        abut_polyhedron_info info;
        assert_int_equal(abut_polyhedron_get_info(shape, &info), ABUT_OK);
        ++made;
        cavities += info.cavities > 0;
        handles += info.genus > 0;
        holes += info.loops > info.faces;
        abut_shape_release(shape);
    }
    if (count >= 1000)
        TEST_CHECK(made > count / 4 && cavities > 10 && handles > 10 && holes > 10, "%d %d %d %d", (int)made,
                   (int)cavities, (int)handles, (int)holes);
}

/* ---- by hand ---- */

/* A block with a square hole from top to bottom, its rims given as loops or over bridges. */
static const abut_vec3 ring[] = { { 0, 0, 0 }, { 4, 0, 0 }, { 4, 4, 0 }, { 0, 4, 0 },
                                  { 1, 1, 0 }, { 3, 1, 0 }, { 3, 3, 0 }, { 1, 3, 0 },
                                  { 0, 0, 2 }, { 4, 0, 2 }, { 4, 4, 2 }, { 0, 4, 2 },
                                  { 1, 1, 2 }, { 3, 1, 2 }, { 3, 3, 2 }, { 1, 3, 2 } };
static const uint32_t ring_sides[] = { 0, 1, 9,  8,  1, 2, 10, 9,  2, 3, 11, 10, 3, 0, 8,  11,
                                       5, 4, 12, 13, 6, 5, 13, 14, 7, 6, 14, 15, 4, 7, 15, 12 };

static void loops_and_bridges(void **state)
{
    (void)state;
    const uint32_t caps[] = { 8, 9, 10, 11, 12, 15, 14, 13, 0, 3, 2, 1, 4, 5, 6, 7 };
    const uint32_t bridged[] = { 8, 9, 10, 11, 8, 12, 15, 14, 13, 12, 0, 3, 2, 1, 0, 4, 5, 6, 7, 4 };
    uint32_t indices[52], loops[10] = { 1, 1, 1, 1, 1, 1, 1, 1, 2, 2 },
                          sizes[12] = { 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4 };
    abut_polyhedron_def def;
    abut_polyhedron_info info;
    abut_polyhedron_def_init(&def);
    memcpy(indices, ring_sides, sizeof ring_sides);
    memcpy(indices + 32, caps, sizeof caps);
    def.vertices = ring;
    def.vertex_count = 16;
    def.face_count = 10;
    def.face_loops = loops;
    def.loop_count = 12;
    def.loop_sizes = sizes;
    def.index_count = 48;
    def.indices = indices;
    for (int k = 0; k < 2; ++k) {
        abut_shape *shape = make(&def);
        assert_int_equal(abut_polyhedron_get_info(shape, &info), ABUT_OK);
        assert_int_equal(info.vertices, 16);
        assert_int_equal(info.edges, 24);
        assert_int_equal(info.faces, 10);
        assert_int_equal(info.loops, 12);
        assert_int_equal(info.genus, 1);
        assert_int_equal(info.triangles, 32);
        assert_true(info.volume == 24 && info.area == 2 * 12 + 16 * 2 + 8 * 2);
        assert_true(info.centroid.x == 2 && info.centroid.y == 2 && info.centroid.z == 1);
        /* of the block less that of the hole: m (a a + b b) / 12 */
        TEST_NEAR(info.inertia.m[2][2], 32 * 32 / 12.0 - 8 * 8 / 12.0, 1e-12, "inertia");
        TEST_NEAR(info.inertia.m[0][0], 32 * 20 / 12.0 - 8 * 8 / 12.0, 1e-12, "inertia");
        assert_true(info.inertia.m[0][1] == 0);
        check_edges(shape);
        assert_int_equal(abut_polyhedron_find_edge(shape, 8, 12), -1);
        abut_shape_release(shape);
        memcpy(indices + 32, bridged, sizeof bridged);
        sizes[8] = sizes[9] = 10;
        def.face_loops = NULL;
        def.loop_count = 10;
        def.index_count = 52;
    }
}

static void refuse(const abut_polyhedron_def *def, int64_t index, const char *text)
{
    abut_shape *shape;
    const abut_status status = abut_shape_create_polyhedron_with(def, NULL, &shape, &e);
    TEST_CHECK(status == ABUT_ERR_ARGUMENT && (e.index == index || index == -2) && strstr(e.text, text),
               "%d, index %d: %s", (int)status, (int)e.index, e.text);
    assert_null(shape);
    assert_int_equal(abut_shape_create_polyhedron_with(def, NULL, &shape, NULL), ABUT_ERR_ARGUMENT);
}

static void make_cubes(const char *text)
{
    /* x fastest, then y, then z; rows of three */
    memset(&v, 0, sizeof v);
    for (int k = 0; k < 3; ++k) {
        v.n[k] = 3;
        v.matrix[k][k] = 1;
    }
    for (int i = 0; text[i]; ++i)
        v.full[i % 3][i / 3 % 3][i / 9] = text[i] == '#';
    (void)voxel_build(&v);
}

static void refused(void **state)
{
    (void)state;
    /* a bar with a missing face */
    make_cubes("###");
    abut_polyhedron_def def = voxel_def(&v);
    --def.face_count;
    --def.loop_count;
    def.index_count -= 4;
    refuse(&def, -2, "has a face on one side only");
    /* one face turned */
    make_cubes("###");
    def = voxel_def(&v);
    const uint32_t first = v.indices[0];
    v.indices[0] = v.indices[2];
    v.indices[2] = first;
    refuse(&def, -2, "run the same way");
    /* inside out */
    make_cubes("###");
    for (uint32_t i = 0; i < v.vertex_count; ++i)
        v.vertices[i].x = -v.vertices[i].x;
    refuse(&def, -1, "turned inward");
    /* two cubes with a common edge, and with a common vertex */
    make_cubes("#...#");
    def = voxel_def(&v);
    refuse(&def, -2, "more than two faces");
    make_cubes("#............#");
    def = voxel_def(&v);
    refuse(&def, -2, "is not manifold");
    /* bent */
    make_cubes("###");
    def = voxel_def(&v);
    v.vertices[3].x += 1e-3;
    v.vertices[3].y += 1e-3;
    refuse(&def, -2, "is not planar");
    def.planarity = 2;
    refuse(&def, -1, "planarity");
    /* a cavity that is turned outward: one block inside another */
    abut_vec3 two[16];
    uint32_t indices[48], sizes[12];
    make_cubes("#");
    assert_int_equal(v.vertex_count, 8);
    for (int i = 0; i < 8; ++i) {
        two[i] = abut_scale(4, v.vertices[i]);
        two[8 + i] = abut_add(v.vertices[i], abut_v3(1, 1, 1));
    }
    for (uint32_t i = 0; i < 24; ++i) {
        indices[i] = v.indices[i];
        indices[24 + i] = v.indices[i] + 8;
        sizes[i / 2] = 4;
    }
    def = (abut_polyhedron_def){ .struct_size = sizeof def,
                                 .vertices = two,
                                 .vertex_count = 16,
                                 .face_count = 12,
                                 .loop_count = 12,
                                 .loop_sizes = sizes,
                                 .index_count = 48,
                                 .indices = indices };
    refuse(&def, 6, "inside another shell");
    /* beside each other is well; turned inward it is not, nor is touching */
    for (int i = 0; i < 8; ++i)
        two[8 + i].x += 5;
    abut_shape_release(make(&def));
    for (int i = 0; i < 8; ++i)
        two[8 + i].x -= 2;
    refuse(&def, -2, "touches itself");
    for (int i = 0; i < 8; ++i) {
        two[8 + i].x += 4;
        two[8 + i].z = 4 - two[8 + i].z;
    }
    refuse(&def, 6, "outside of all others");
    /* crossing */
    for (int i = 0; i < 8; ++i) {
        two[8 + i].z = 4 - two[8 + i].z;
        two[8 + i].x -= 4.5;
    }
    refuse(&def, -2, "touches itself");
}

/* A face whose outline crosses itself, whose hole is outside, or which runs over a vertex twice. */
static void bad_faces(void **state)
{
    (void)state;
    const uint32_t caps[] = { 8, 9, 10, 11, 12, 15, 14, 13, 0, 3, 2, 1, 4, 5, 6, 7 };
    uint32_t indices[48], loops[10] = { 1, 1, 1, 1, 1, 1, 1, 1, 2, 2 },
                          sizes[12] = { 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4 };
    abut_vec3 places[16];
    memcpy(indices, ring_sides, sizeof ring_sides);
    memcpy(indices + 32, caps, sizeof caps);
    memcpy(places, ring, sizeof ring);
    abut_polyhedron_def def = { .struct_size = sizeof def,
                                .vertices = places,
                                .vertex_count = 16,
                                .face_count = 10,
                                .face_loops = loops,
                                .loop_count = 12,
                                .loop_sizes = sizes,
                                .index_count = 48,
                                .indices = indices };
    /* the hole sticks out */
    for (int i = 0; i < 2; ++i)
        places[5 + 8 * i].x = places[6 + 8 * i].x = 5;
    refuse(&def, 8, "face 8 crosses or touches itself");
    /* and touches */
    for (int i = 0; i < 2; ++i)
        places[5 + 8 * i].x = places[6 + 8 * i].x = 4;
    refuse(&def, 8, "face 8 crosses or touches itself");
    memcpy(places, ring, sizeof ring);
    /* outside of the face altogether */
    for (int i = 0; i < 2; ++i)
        for (int k = 4; k < 8; ++k)
            places[k + 8 * i].x += 10;
    refuse(&def, 8, "face 8 crosses or touches itself");
}

static void memory_runs_out(void **state)
{
    (void)state;
    make_cubes("####.####");
    const abut_polyhedron_def def = voxel_def(&v);
    abut_shape *shape;
    abut_status status;
    TEST_EVERY_ALLOCATION_FAILS(
        alloc,
        {
            status = abut_shape_create_polyhedron_with(&def, &alloc, &shape, &e);
            abut_shape_release(shape);
        },
        status);
}

/* Faces off their plane by less than the limit, far from the origin, and large ones. */
static void spread(void **state)
{
    (void)state;
    enum { N = 3000 };
    static abut_vec3 points[2 * N];
    static uint32_t sizes[N + 2], indices[6 * N];
    test_random r = test_seed(7);
    uint32_t used = 0;
    for (uint32_t i = 0; i < N; ++i) {
        const double angle = 6.283185307179586 * i / N, radius = test_uniform(&r, 1, 4);
        for (int k = 0; k < 2; ++k) {
            const abut_vec3 p = { radius * cos(angle), radius * sin(angle), k };
            points[i + (uint32_t)k * N] =
                abut_v3(100 + 0.36 * p.x + 0.48 * p.y - 0.8 * p.z, 200 - 0.8 * p.x + 0.6 * p.y,
                        0.48 * p.x + 0.64 * p.y + 0.6 * p.z);
        }
        sizes[i] = 4;
        const uint32_t j = (i + 1) % N;
        const uint32_t side[4] = { i, j, j + N, i + N };
        for (int k = 0; k < 4; ++k)
            indices[used++] = side[k];
    }
    for (uint32_t i = 0; i < N; ++i)
        indices[used++] = N - 1 - i;
    for (uint32_t i = 0; i < N; ++i)
        indices[used++] = N + i;
    sizes[N] = sizes[N + 1] = N;
    abut_shape *shape;
    const abut_status status =
        abut_shape_create_polyhedron(points, 2 * N, sizes, N + 2, indices, used, NULL, &shape, &e);
    TEST_CHECK(status == ABUT_OK, "%s", e.text);
    abut_polyhedron_info info;
    assert_int_equal(abut_polyhedron_get_info(shape, &info), ABUT_OK);
    assert_int_equal(info.triangles, 2 * N + 2 * (N - 2));
    assert_int_equal(info.genus, 0);
    abut_shape_release(shape);
}

static void null_arguments(void **state)
{
    (void)state;
    abut_shape *shape;
    abut_polyhedron_info info;
    abut_polyhedron_def_init(NULL);
    assert_int_equal(abut_shape_create_polyhedron_with(NULL, NULL, &shape, &e), ABUT_ERR_ARGUMENT);
    assert_int_equal(abut_shape_create_polyhedron_with(NULL, NULL, NULL, &e), ABUT_ERR_ARGUMENT);
    assert_int_equal(abut_polyhedron_get_info(NULL, &info), ABUT_ERR_ARGUMENT);
    assert_int_equal(abut_polyhedron_find_edge(NULL, 0, 1), -1);
    assert_int_equal(abut_polyhedron_get_edge(NULL, 0, NULL, NULL), ABUT_ERR_ARGUMENT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(loops_and_bridges), cmocka_unit_test(refused), cmocka_unit_test(bad_faces),
        cmocka_unit_test(memory_runs_out),   cmocka_unit_test(spread),  cmocka_unit_test(null_arguments),
        cmocka_unit_test(random_solids),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
