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

/* The edge that holds p / unit. */
static int64_t find_edge(const abut_shape *shape, const int64_t p[3], int64_t unit)
{
    const size_t count = abut_shape_get_counts(shape).edges;
    for (size_t i = 0; i < count; ++i) {
        uint32_t ends[2];
        assert_int_equal(abut_polyhedron_get_edge(shape, i, ends, NULL), ABUT_OK);
        bool on = true;
        for (int k = 0; k < 3; ++k) {
            const int64_t a = unit * v.places[ends[0]][k], b = unit * v.places[ends[1]][k];
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
    const abut_where where = voxel_where(&v, p, 4, &id);
    assert_int_equal(abut_classify_point(shape, pose, at, &piece), ABUT_OK);
    if (where == ABUT_WHERE_EDGE)
        id = find_edge(shape, p, 4);
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

/* ---- segments ---- */

typedef struct fraction {
    int64_t n, d; /* d > 0 */
} fraction;

typedef struct expected_piece {
    abut_where where;
    int64_t id;
    double from, to;
} expected_piece;

/* The point at t of the segment from p to q, in units of 1 / (4 d). */
static abut_where at_fraction(const abut_shape *shape, const int64_t p[3], const int64_t q[3], fraction t,
                              int64_t *id)
{
    int64_t x[3];
    for (int k = 0; k < 3; ++k)
        x[k] = p[k] * t.d + t.n * (q[k] - p[k]);
    const abut_where where = voxel_where(&v, x, 4 * t.d, id);
    if (where == ABUT_WHERE_EDGE)
        *id = find_edge(shape, x, 4 * t.d);
    return where;
}

/* All pieces by the planes of the grid that the segment passes. */
static size_t expect_pieces(const abut_shape *shape, const int64_t p[3], const int64_t q[3],
                            expected_piece *out)
{
    fraction cut[256];
    size_t count = 0, pieces = 0;
    cut[count++] = (fraction){ 0, 1 };
    cut[count++] = (fraction){ 1, 1 };
    for (int k = 0; k < 3; ++k)
        for (int64_t i = 0; i <= v.n[k] && p[k] != q[k]; ++i) {
            fraction t = { 4 * i - p[k], q[k] - p[k] };
            if (t.d < 0)
                t = (fraction){ -t.n, -t.d };
            if (t.n > 0 && t.n < t.d)
                cut[count++] = t;
        }
    for (size_t i = 1; i < count; ++i)
        for (size_t k = i; k > 0 && cut[k].n * cut[k - 1].d < cut[k - 1].n * cut[k].d; --k) {
            const fraction t = cut[k];
            cut[k] = cut[k - 1];
            cut[k - 1] = t;
        }
    for (size_t i = 0; i < count; ++i) {
        const double at = (double)cut[i].n / (double)cut[i].d;
        expected_piece e1 = { .from = at, .to = at };
        e1.where = at_fraction(shape, p, q, cut[i], &e1.id);
        if (e1.where >= ABUT_WHERE_VERTEX || i > 0) {
            if (pieces > 0 && out[pieces - 1].where == e1.where && out[pieces - 1].id == e1.id)
                out[pieces - 1].to = at;
            else if (e1.where >= ABUT_WHERE_VERTEX)
                out[pieces++] = e1;
        }
        if (i + 1 == count || cut[i].n * cut[i + 1].d == cut[i + 1].n * cut[i].d)
            continue;
        const fraction mid = { cut[i].n * cut[i + 1].d + cut[i + 1].n * cut[i].d,
                               2 * cut[i].d * cut[i + 1].d };
        expected_piece e2 = { .from = at, .to = (double)cut[i + 1].n / (double)cut[i + 1].d };
        e2.where = at_fraction(shape, p, q, mid, &e2.id);
        if (pieces > 0 && out[pieces - 1].where == e2.where && out[pieces - 1].id == e2.id)
            out[pieces - 1].to = e2.to;
        else
            out[pieces++] = e2;
    }
    return pieces;
}

static void segments(void **state)
{
    (void)state;
    const uint64_t count = test_count(100000);
    uint64_t seed = 0;
    for (uint64_t done = 0; done < count; ++seed) {
        test_random r;
        if (!make_random(seed + 999, &r))
            continue;
        abut_shape *shape = make();
        for (int i = 0; i < 500 && done < count; ++i, ++done) {
            int64_t p[3], q[3];
            const unsigned step = test_below(&r, 2) ? 4 : 1; /* often from grid point to grid point */
            for (int k = 0; k < 3; ++k) {
                p[k] = (int64_t)(step * test_below(&r, (unsigned)(4 * v.n[k] + 8) / step)) - 4;
                q[k] = test_below(&r, 2)
                           ? p[k]
                           : (int64_t)(step * test_below(&r, (unsigned)(4 * v.n[k] + 8) / step)) - 4;
            }
            if (p[0] == q[0] && p[1] == q[1] && p[2] == q[2])
                continue;
            expected_piece expected[512];
            abut_piece found[512];
            size_t found_count;
            const size_t wanted = expect_pieces(shape, p, q, expected);
            const abut_vec3 from =
                                voxel_map(&v, 0.25 * (double)p[0], 0.25 * (double)p[1], 0.25 * (double)p[2]),
                            to = voxel_map(&v, 0.25 * (double)q[0], 0.25 * (double)q[1], 0.25 * (double)q[2]);
            assert_int_equal(abut_classify_segment(shape, NULL, from, to, found, 512, &found_count), ABUT_OK);
            bool same = found_count == wanted;
            for (size_t k = 0; same && k < wanted; ++k)
                same = found[k].where == expected[k].where && found[k].id == expected[k].id &&
                       fabs(found[k].from - expected[k].from) < 1e-12 &&
                       fabs(found[k].to - expected[k].to) < 1e-12;
            if (same)
                continue;
            for (size_t k = 0; k < wanted || k < found_count; ++k)
                print_error("%s %d [%g, %g]; expected %s %d [%g, %g]\n",
                            k < found_count ? abut_where_name(found[k].where) : "-",
                            k < found_count ? (int)found[k].id : -1, k < found_count ? found[k].from : 0,
                            k < found_count ? found[k].to : 0,
                            k < wanted ? abut_where_name(expected[k].where) : "-",
                            k < wanted ? (int)expected[k].id : -1, k < wanted ? expected[k].from : 0,
                            k < wanted ? expected[k].to : 0);
            TEST_FAIL("seed %" PRIu64 ": from %d %d %d to %d %d %d of 4", seed, (int)p[0], (int)p[1],
                      (int)p[2], (int)q[0], (int)q[1], (int)q[2]);
        }
        abut_shape_release(shape);
    }
}

/* Figure 3: out, across an edge into a face, through a vertex along an edge, to another vertex, out. */
static void figure_3(void **state)
{
    (void)state;
    /* an L: the face z = 1 has a reflex corner at (2, 1) */
    const double x[6] = { 0, 4, 4, 2, 2, 0 }, y[6] = { 0, 0, 2, 2, 1, 1 };
    abut_vec3 places[12];
    uint32_t sizes[8] = { 6, 6, 4, 4, 4, 4, 4, 4 }, of[36];
    for (uint32_t i = 0; i < 6; ++i) {
        const uint32_t j = (i + 1) % 6, side[4] = { i, j, j + 6, i + 6 };
        places[i] = (abut_vec3){ x[i], y[i], 0 };
        places[i + 6] = (abut_vec3){ x[i], y[i], 1 };
        of[i] = 5 - i;
        of[6 + i] = 6 + i;
        memcpy(of + 12 + 4 * i, side, sizeof side);
    }
    abut_shape *shape;
    assert_int_equal(abut_shape_create_polyhedron(places, 12, sizes, 8, of, 36, NULL, &shape, &e), ABUT_OK);
    /* along y = 1 from x = 6: over the edge from 7 to 8, in face 1, at vertex 10, along the edge to 11, out */
    const abut_where where[7] = { ABUT_WHERE_OUT,  ABUT_WHERE_EDGE,   ABUT_WHERE_FACE, ABUT_WHERE_VERTEX,
                                  ABUT_WHERE_EDGE, ABUT_WHERE_VERTEX, ABUT_WHERE_OUT };
    const int64_t ids[7] = { -1, abut_polyhedron_find_edge(shape, 7, 8),   1,
                             10, abut_polyhedron_find_edge(shape, 10, 11), 11,
                             -1 };
    const double at[8] = { 0, 0.25, 0.25, 0.5, 0.5, 0.75, 0.75, 1 };
    abut_piece found[16];
    size_t count;
    assert_int_equal(abut_classify_segment(shape, NULL, (abut_vec3){ 6, 1, 1 }, (abut_vec3){ -2, 1, 1 },
                                           found, 16, &count),
                     ABUT_OK);
    assert_int_equal(count, 7);
    for (size_t i = 0; i < 7; ++i)
        TEST_CHECK(found[i].where == where[i] && found[i].id == ids[i] && found[i].from == at[i] &&
                       found[i].to == (i % 2 ? at[i] : at[i + 1]),
                   "piece %zu: %s %d from %g to %g", i, abut_where_name(found[i].where), (int)found[i].id,
                   found[i].from, found[i].to);
    abut_shape_release(shape);
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
/* Segments that cross a face at next to no height above it: where they do is a quotient of integers. At any scale. */
static void crossings_beside_a_face(void **state)
{
    (void)state;
    const int count = (int)test_count(300);
    for (int i = 0; i < count; ++i) {
        test_random r = test_seed(7100u + (unsigned)i);
        const int exponent = i % 3 == 0 ? 0 : i % 3 == 1 ? 420 : -480;
        int64_t corner[4][3], n[3], u[3], w[3], end[2][3], height[2] = { 0, 0 };
        for (int k = 0; k < 4; ++k)
            for (int j = 0; j < 3; ++j)
                corner[k][j] = 16 * ((int64_t)test_below(&r, 1 << 17) - (1 << 16));
        for (int j = 0; j < 3; ++j) {
            u[j] = corner[1][j] - corner[0][j];
            w[j] = corner[2][j] - corner[0][j];
        }
        int64_t top = 0;
        for (int j = 0; j < 3; ++j) {
            n[j] = u[(j + 1) % 3] * w[(j + 2) % 3] - u[(j + 2) % 3] * w[(j + 1) % 3];
            top += n[j] / 4096 * (corner[3][j] - corner[0][j]);
        }
        if (llabs(top) < ((int64_t)1 << 40))
            continue; /* nearly flat */
        /* Beside points of the face that are integers; of 16 parts along each side. */
        for (int k = 0; k < 2; ++k) {
            const int a = k ? 8 : 2, b = k ? 3 : 9;
            for (int j = 0; j < 3; ++j) {
                const int64_t off = (int64_t)test_below(&r, 7) - 3;
                end[k][j] = corner[0][j] + a * (u[j] / 16) + b * (w[j] / 16) + off;
                height[k] += n[j] * off;
            }
        }
        if ((height[0] > 0) == (height[1] > 0) || height[0] == 0 || height[1] == 0)
            continue;
        abut_vec3 vertices[4], p[2];
        for (int k = 0; k < 6; ++k) {
            const int64_t *c = k < 4 ? corner[k] : end[k - 4];
            *(k < 4 ? &vertices[k] : &p[k - 4]) =
                (abut_vec3){ ldexp((double)c[0], exponent), ldexp((double)c[1], exponent),
                             ldexp((double)c[2], exponent) };
        }
        const uint32_t three[4] = { 3, 3, 3, 3 };
        const uint32_t below[12] = { 0, 1, 2, 0, 3, 1, 1, 3, 2, 2, 3, 0 },
                       above[12] = { 0, 2, 1, 0, 1, 3, 1, 2, 3, 2, 0, 3 };
        abut_shape *shape;
        TEST_CHECK(abut_shape_create_polyhedron(vertices, 4, three, 4, top < 0 ? below : above, 12, NULL,
                                                &shape, &e) == ABUT_OK,
                   "case %d: %s", i, e.text);
        abut_piece pieces[8];
        size_t found;
        assert_int_equal(abut_classify_segment(shape, NULL, p[0], p[1], pieces, 8, &found), ABUT_OK);
        const double t = (double)height[0] / (double)(height[0] - height[1]);
        TEST_CHECK(found == 3 && pieces[1].where == ABUT_WHERE_FACE && pieces[1].id == 0 &&
                       fabs(pieces[1].from - t) < 1e-15,
                   "case %d: %zu pieces, crosses at %.17g, not %.17g", i, found, pieces[1].from, t);
        TEST_CHECK(pieces[0].where == ((height[0] > 0) == (top > 0) ? ABUT_WHERE_IN : ABUT_WHERE_OUT),
                   "case %d", i);
        abut_shape_release(shape);
    }
}

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
    const struct CMUnitTest tests[] = { cmocka_unit_test(statistics),
                                        cmocka_unit_test(entities),
                                        cmocka_unit_test(points),
                                        cmocka_unit_test(figure_3),
                                        cmocka_unit_test(segments),
                                        cmocka_unit_test(agreement),
                                        cmocka_unit_test(crossings_beside_a_face) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
