/* SPDX-License-Identifier: MIT */
/* Points and segments through the index of a polyhedron, against solids of cubes: places are multiples of a
 * quarter before an integer matrix, so that most of them are exactly on faces, edges and vertices, and where
 * they are is read from the cubes in integers. */
#include "abut/polyhedron.h"
#include "support/failing_allocator.h"
#include "support/voxels.h"

static voxels v;
static abut_error e;

static abut_shape *make(void)
{
    const abut_polyhedron_def def = voxel_def(&v);
    abut_shape *shape;
    TEST_CHECK(abut_shape_create_polyhedron_with(&def, NULL, &shape, &e) == ABUT_OK, "%s", e.text);
    return shape;
}

/* The edge that holds p / 4. */
static int64_t find_edge(const abut_shape *shape, const int64_t p[3])
{
    const size_t count = abut_shape_get_counts(shape).edges;
    for (size_t i = 0; i < count; ++i) {
        uint32_t ends[2];
        assert_int_equal(abut_polyhedron_get_edge(shape, i, ends, NULL), ABUT_OK);
        bool on = true;
        for (int k = 0; k < 3; ++k) {
            const int64_t a = 4 * v.places[ends[0]][k], b = 4 * v.places[ends[1]][k];
            on = on && ((a <= p[k] && p[k] <= b) || (b <= p[k] && p[k] <= a));
        }
        if (on)
            return (int64_t)i;
    }
    return -1;
}

static bool make_random(uint64_t seed, test_random *r)
{
    *r = test_seed(seed);
    voxel_random(&v, r, 6, (int)test_below(r, 250));
    if (seed % 2)
        voxel_shear(&v, r, 4);
    return voxel_build(&v);
}

static void check_where(const abut_shape *shape, const abut_pose *pose, abut_vec3 at, const int64_t p[3],
                        uint64_t seed)
{
    abut_piece piece;
    int64_t id;
    const abut_where where = voxel_where(&v, p, &id);
    assert_int_equal(abut_classify_point(shape, pose, at, &piece), ABUT_OK);
    if (where == ABUT_WHERE_EDGE)
        id = find_edge(shape, p);
    TEST_CHECK(piece.where == where && piece.id == id,
               "seed %" PRIu64 ", point %d %d %d of 4: found %s %d, expected %s %d", seed, (int)p[0],
               (int)p[1], (int)p[2], abut_where_name(piece.where), (int)piece.id, abut_where_name(where),
               (int)id);
}

static void points(void **state)
{
    (void)state;
    const uint64_t count = test_count(100000);
    uint64_t seed = 0;
    for (uint64_t done = 0; done < count; ++seed) {
        test_random r;
        if (!make_random(seed, &r))
            continue;
        abut_shape *shape = make();
        for (int i = 0; i < 500 && done < count; ++i, ++done) {
            int64_t p[3];
            for (int k = 0; k < 3; ++k)
                p[k] = (int64_t)test_below(&r, (unsigned)(4 * v.n[k] + 3)) - 1;
            check_where(shape, NULL,
                        voxel_map(&v, 0.25 * (double)p[0], 0.25 * (double)p[1], 0.25 * (double)p[2]), p,
                        seed);
        }
        abut_shape_release(shape);
    }
}

/* Each vertex, the middle of each edge, and a point beside: twice, so that what leaves keep is read too. */
static void entities(void **state)
{
    (void)state;
    const uint64_t count = test_count(200);
    for (uint64_t seed = 0; seed < count; ++seed) {
        test_random r;
        if (!make_random(seed + 77777, &r))
            continue;
        abut_shape *shape = make();
        const abut_shape_counts counts = abut_shape_get_counts(shape);
        abut_piece piece;
        for (int round = 0; round < 2; ++round) {
            for (uint32_t i = 0; i < v.vertex_count; ++i) {
                assert_int_equal(abut_classify_point(shape, NULL, v.vertices[i], &piece), ABUT_OK);
                assert_true(piece.where == ABUT_WHERE_VERTEX && piece.id == (int64_t)i);
            }
            for (size_t i = 0; i < counts.edges; ++i) {
                uint32_t ends[2];
                assert_int_equal(abut_polyhedron_get_edge(shape, i, ends, NULL), ABUT_OK);
                const abut_vec3 a = v.vertices[ends[0]], b = v.vertices[ends[1]];
                const abut_vec3 m = { 0.5 * (a.x + b.x), 0.5 * (a.y + b.y), 0.5 * (a.z + b.z) };
                assert_int_equal(abut_classify_point(shape, NULL, m, &piece), ABUT_OK);
                TEST_CHECK(piece.where == ABUT_WHERE_EDGE && piece.id == (int64_t)i, "seed %" PRIu64, seed);
            }
        }
        abut_shape_release(shape);
    }
}

/* Solids in general position, bent within the tolerance: the index against the tree of boxes, by a
 * placement that is exact but whose differences are no doubles, so that the index does not serve. */
static void agreement(void **state)
{
    (void)state;
    const uint64_t count = test_count(200);
    for (uint64_t seed = 0; seed < count; ++seed) {
        test_random r;
        if (!make_random(2 * (seed + 5555), &r))
            continue;
        for (uint32_t i = 0; i < v.vertex_count; ++i) {
            const abut_vec3 p = v.vertices[i];
            v.vertices[i] = (abut_vec3){ 0.36 * p.x + 0.48 * p.y - 0.8 * p.z, -0.8 * p.x + 0.6 * p.y,
                                         0.48 * p.x + 0.64 * p.y + 0.6 * p.z };
        }
        abut_shape *shape = make();
        const abut_aabb box = abut_shape_bounds(shape);
        for (int i = 0; i < 200; ++i) {
            abut_vec3 p = { test_uniform(&r, box.lo.x, box.hi.x), test_uniform(&r, box.lo.y, box.hi.y),
                            test_uniform(&r, box.lo.z, box.hi.z) };
            if (i % 4 == 0) { /* near the boundary, or on it by luck */
                const abut_vec3 a = v.vertices[test_below(&r, v.vertex_count)],
                                b = v.vertices[test_below(&r, v.vertex_count)];
                p = (abut_vec3){ 0.5 * (a.x + b.x), 0.5 * (a.y + b.y), 0.5 * (a.z + b.z) };
            }
            abut_piece piece;
            abut_ray_hit hits[64];
            size_t hit_count;
            assert_int_equal(abut_classify_point(shape, NULL, p, &piece), ABUT_OK);
            const abut_vec3 up = { 0.125, 0.25, 1 };
            assert_int_equal(abut_cast_ray(shape, NULL, p, up, hits, 64, &hit_count), ABUT_OK);
            if (hit_count > 0 && hits[0].t == 0)
                assert_true(piece.where >= ABUT_WHERE_VERTEX);
            else if (piece.where >= ABUT_WHERE_VERTEX)
                TEST_FAIL("seed %" PRIu64 ": on the boundary, but the ray does not start there", seed);
            else
                TEST_CHECK((hit_count > 0 &&
                            hits[0].normal.x * up.x + hits[0].normal.y * up.y + hits[0].normal.z * up.z >
                                1e-9) == (piece.where == ABUT_WHERE_IN) ||
                               (hit_count > 0 && fabs(hits[0].normal.x * up.x + hits[0].normal.y * up.y +
                                                      hits[0].normal.z * up.z) <= 1e-9),
                           "seed %" PRIu64 ": %a %a %a is %s", seed, p.x, p.y, p.z,
                           abut_where_name(piece.where));
        }
        abut_shape_release(shape);
    }
}

static void statistics(void **state)
{
    (void)state;
    test_random r;
    uint64_t seed = 0;
    while (!make_random(seed, &r))
        ++seed;
    abut_shape *shape = make();
    abut_index_info info;
    assert_int_equal(abut_polyhedron_get_index(shape, &info), ABUT_OK);
    assert_true(info.nodes == info.axis_nodes + info.face_nodes + info.edge_nodes + info.vertex_nodes);
    assert_true(info.height > 0 && info.average_height <= (double)info.height && info.bytes > 0);
    assert_int_equal(abut_polyhedron_get_index(shape, NULL), ABUT_ERR_ARGUMENT);
    assert_int_equal(abut_polyhedron_get_index(NULL, &info), ABUT_ERR_ARGUMENT);
    abut_shape_release(shape);
    const abut_polyhedron_def def = voxel_def(&v);
    abut_status status;
    TEST_EVERY_ALLOCATION_FAILS(
        alloc,
        {
            status = abut_shape_create_polyhedron_with(&def, &alloc, &shape, NULL);
            if (!status) {
                abut_piece piece;
                status = abut_polyhedron_get_index(shape, &info);
                /* classifies with or without */
                assert_int_equal(abut_classify_point(shape, NULL, v.vertices[0], &piece), ABUT_OK);
                assert_true(piece.where == ABUT_WHERE_VERTEX && piece.id == 0);
                abut_shape_release(shape);
            }
        },
        status);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(statistics), cmocka_unit_test(entities),
                                        cmocka_unit_test(points), cmocka_unit_test(agreement) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
