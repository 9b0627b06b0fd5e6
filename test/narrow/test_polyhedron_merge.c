/* SPDX-License-Identifier: MIT */
/* Closed meshes as polyhedra: the unit squares of a solid of cubes, each cut into two triangles at random and
 * in random order, must give the faces, edges and vertices that the cubes themselves give. */
#include "abut/polyhedron.h"
#include "support/failing_allocator.h"
#include "support/voxels.h"

enum { MOST = 6 * VOXEL_POINTS };

static voxels v;
static abut_error e;
static abut_vec3 points[VOXEL_POINTS];
static uint32_t sizes[MOST], corners[4 * MOST], face_of[MOST];
static int32_t number[VOXEL_MOST + 1][VOXEL_MOST + 1][VOXEL_MOST + 1];

static uint32_t corner_at(const int p[3], size_t *count)
{
    int32_t *at = &number[p[0]][p[1]][p[2]];
    if (*at < 0) {
        points[*count] = voxel_map(&v, p[0], p[1], p[2]);
        *at = (int32_t)(*count)++;
    }
    return (uint32_t)*at;
}

/* Squares as two triangles, one in eight whole. */
static void add_square(const uint32_t c[4], uint32_t face, test_random *r, abut_polyhedron_def *def)
{
    const unsigned turn = test_below(r, 2), whole = test_below(r, 8) == 0;
    const uint32_t split[6] = { c[turn], c[turn + 1], c[turn + 2], c[turn + 2], c[(turn + 3) & 3], c[turn] };
    for (unsigned k = 0; k < (whole ? 4u : 6u); ++k)
        corners[def->index_count++] = whole ? c[k] : split[k];
    for (unsigned k = 0; k < (whole ? 1u : 2u); ++k) {
        face_of[def->face_count] = face;
        sizes[def->face_count++] = whole ? 4 : 3;
    }
}

static abut_polyhedron_def cut_up(test_random *r)
{
    abut_polyhedron_def def;
    abut_polyhedron_def_init(&def);
    memset(number, 0xFF, sizeof number);
    const int swap = (int)test_below(r, 3);
    for (int i = 0; i < 3; ++i)
        for (int x = 0; x <= v.n[0]; ++x)
            for (int y = 0; y <= v.n[1]; ++y)
                for (int z = 0; z <= v.n[2]; ++z) {
                    const int axis = (i + swap) % 3, p[3] = { x, y, z }, sign = voxel_square(&v, axis, p);
                    if (sign == 0)
                        continue;
                    uint32_t c[5];
                    for (int k = 0; k < 4; ++k) {
                        int q[3] = { x, y, z };
                        q[(axis + 1) % 3] += k == 1 || k == 2;
                        q[(axis + 2) % 3] += k >= 2;
                        c[sign > 0 ? k : 3 - k] = corner_at(q, &def.vertex_count);
                    }
                    c[4] = c[0];
                    add_square(c, (uint32_t)v.face_at[axis][x][y][z], r, &def);
                }
    def.vertices = points;
    def.loop_count = def.face_count;
    def.loop_sizes = sizes;
    def.indices = corners;
    return def;
}

static void random_solids(void **state)
{
    (void)state;
    const uint64_t count = test_count(1000);
    uint64_t made = 0, holes = 0;
    for (uint64_t seed = 0; seed < count; ++seed) {
        test_random r = test_seed(seed);
        voxel_random(&v, &r, 6, (int)test_below(&r, 250));
        if (seed % 2)
            voxel_shear(&v, &r, 5);
        if (!voxel_build(&v))
            continue;
        abut_shape *whole, *merged, *apart;
        const abut_polyhedron_def as_is = voxel_def(&v);
        abut_polyhedron_def def = cut_up(&r);
        TEST_CHECK(abut_shape_create_polyhedron_with(&as_is, NULL, &whole, &e) == ABUT_OK, "%s", e.text);
        TEST_CHECK(abut_shape_create_polyhedron_with(&def, NULL, &apart, &e) == ABUT_OK, "%s", e.text);
        def.merge = true;
        TEST_CHECK(abut_shape_create_polyhedron_with(&def, NULL, &merged, &e) == ABUT_OK, "%s", e.text);
        abut_polyhedron_info p, q, s;
        assert_int_equal(abut_polyhedron_get_info(whole, &p), ABUT_OK);
        assert_int_equal(abut_polyhedron_get_info(merged, &q), ABUT_OK);
        assert_int_equal(abut_polyhedron_get_info(apart, &s), ABUT_OK);
        TEST_CHECK(p.vertices == q.vertices && p.edges == q.edges && p.faces == q.faces &&
                       p.loops == q.loops && p.shells == q.shells && p.genus == q.genus &&
                       p.cavities == q.cavities,
                   "seed %" PRIu64 ": %zu %zu %zu, expected %zu %zu %zu", seed, q.vertices, q.edges, q.faces,
                   p.vertices, p.edges, p.faces);
        assert_int_equal(s.faces, def.face_count);
        TEST_NEAR(p.volume, q.volume, 1e-12 * p.volume, "seed %" PRIu64, seed);
        /* numbers: in the order of the first, the same for the same face of cubes */
        int64_t fresh = 0, at[MOST];
        memset(at, 0xFF, sizeof at);
        for (size_t i = 0; i < def.face_count; ++i) {
            if (at[face_of[i]] < 0)
                at[face_of[i]] = fresh++;
            TEST_CHECK(abut_polyhedron_find_face(merged, i) == at[face_of[i]], "seed %" PRIu64, seed);
            assert_int_equal(abut_polyhedron_find_face(apart, i), i);
        }
        assert_int_equal(abut_polyhedron_find_face(merged, def.face_count), -1);
        /* a point in a triangle is in the face that it went to */
        const uint32_t *c = corners;
        for (size_t i = 0; i < def.face_count && i < 40; c += sizes[i++]) {
            const abut_vec3 a = points[c[0]], b = points[c[1]], d = points[c[2]];
            const abut_vec3 mid = { 0.5 * a.x + 0.25 * (b.x + d.x), 0.5 * a.y + 0.25 * (b.y + d.y),
                                    0.5 * a.z + 0.25 * (b.z + d.z) };
            abut_piece piece;
            assert_int_equal(abut_classify_point(merged, NULL, mid, &piece), ABUT_OK);
            TEST_CHECK(piece.where == ABUT_WHERE_FACE && piece.id == at[face_of[i]], "seed %" PRIu64, seed);
        }
        ++made;
        holes += p.loops > p.faces;
        abut_shape_release(whole);
        abut_shape_release(merged);
        abut_shape_release(apart);
    }
    if (count >= 200)
        assert_true(made > count / 4 && holes > 5);
}

/* A border that touches itself stays as triangles, and what is not exactly in one plane is not joined. */
static void left_alone(void **state)
{
    (void)state;
    const abut_vec3 bent[8] = { { 0, 0, 0 }, { 1, 0, 0 }, { 1, 1, 0 },           { 0, 1, 0 },
                                { 0, 0, 1 }, { 1, 0, 1 }, { 1, 1, 1 + 0x1p-52 }, { 0, 1, 1 } };
    const uint32_t three[12] = { 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3 };
    const uint32_t of[36] = { 0, 2, 1, 0, 3, 2, 4, 5, 6, 4, 6, 7, 0, 1, 5, 0, 5, 4,
                              1, 2, 6, 1, 6, 5, 2, 3, 7, 2, 7, 6, 3, 0, 4, 3, 4, 7 };
    abut_polyhedron_def def;
    abut_polyhedron_def_init(&def);
    def.vertices = bent;
    def.vertex_count = 8;
    def.face_count = def.loop_count = 12;
    def.loop_sizes = three;
    def.index_count = 36;
    def.indices = of;
    def.merge = true;
    abut_shape *shape;
    abut_polyhedron_info info;
    TEST_CHECK(abut_shape_create_polyhedron_with(&def, NULL, &shape, &e) == ABUT_OK, "%s", e.text);
    assert_int_equal(abut_polyhedron_get_info(shape, &info), ABUT_OK);
    assert_true(info.faces == 7 && info.edges == 13 && info.vertices == 8); /* the sides stay in a plane */
    assert_int_equal(abut_polyhedron_find_face(shape, 11), 6);
    abut_shape_release(shape);
    /* what is wrong has the numbers of the input */
    uint32_t open[33];
    memcpy(open, of, sizeof open);
    def.face_count = def.loop_count = 11;
    def.index_count = 33;
    def.indices = open;
    assert_int_equal(abut_shape_create_polyhedron_with(&def, NULL, &shape, &e), ABUT_ERR_ARGUMENT);
    assert_true(strstr(e.text, "edge") != NULL);
    assert_int_equal(abut_polyhedron_find_face(NULL, 0), -1);
}

static void memory_runs_out(void **state)
{
    (void)state;
    test_random r = test_seed(5);
    do
        voxel_random(&v, &r, 3, 20);
    while (!voxel_build(&v));
    abut_polyhedron_def def = cut_up(&r);
    def.merge = true;
    abut_shape *shape;
    abut_status status;
    TEST_EVERY_ALLOCATION_FAILS(
        alloc,
        {
            status = abut_shape_create_polyhedron_with(&def, &alloc, &shape, NULL);
            if (!status)
                abut_shape_release(shape);
        },
        status);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(left_alone), cmocka_unit_test(memory_runs_out),
                                        cmocka_unit_test(random_solids) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
