/* SPDX-License-Identifier: MIT */
/* Solids made of unit cells, two triangles a side, that lie flush on each other, fit into each
 * other, or meet at corners where several cells meet. The truth is counted in cells: insides
 * meet where both have a cell, and they touch where cells are neighbours. Placements keep it so
 * exactly: whole steps along the axes, one general pose for both, turns about the axis along
 * which they are stacked. */
#include "abut/mesh.h"
#include "support/test.h"

enum { N = 4 }; /* cells a side */

typedef struct body {
    bool cell[N][N][N];
    abut_vec3 vertices[(N + 1) * (N + 1) * (N + 1)];
    uint32_t triangles[3 * 12 * N * N * N];
    size_t count;
    abut_shape *shape;
} body;

static bool has(const body *b, int x, int y, int z)
{
    return x >= 0 && y >= 0 && z >= 0 && x < N && y < N && z < N && b->cell[x][y][z];
}

static uint32_t corner(const int p[3])
{
    return (uint32_t)(p[0] + (N + 1) * (p[1] + (N + 1) * p[2]));
}

/* The side of a cell towards +axis or -axis, cut along one of its diagonals. */
static void add_side(body *b, const int at[3], int axis, bool up, unsigned diagonal)
{
    uint32_t q[4];
    for (int k = 0; k < 4; ++k) {
        int p[3] = { at[0], at[1], at[2] };
        p[axis] += up;
        p[(axis + 1) % 3] += k == 1 || k == 2;
        p[(axis + 2) % 3] += k >= 2;
        q[up ? k : 3 - k] = corner(p);
    }
    for (unsigned k = 0; k < 2; ++k)
        for (unsigned m = 0; m < 3; ++m)
            b->triangles[b->count++] = q[(diagonal + (k == 0 ? m : (m + 2) % 4)) % 4];
}

/* Cells each with a chance, or a block without a block. False where edges have four sides: that
 * is no solid. */
static bool make_body(body *b, double step, test_random *r)
{
    const unsigned chance = 1 + test_below(r, 9), cut = test_below(r, 3);
    int lo[3], hi[3];
    for (int k = 0; k < 3; ++k) {
        lo[k] = (int)test_below(r, N);
        hi[k] = lo[k] + 1 + (int)test_below(r, N);
    }
    b->count = 0;
    for (int i = 0; i < N * N * N; ++i) {
        const int x = i % N, y = i / N % N, z = i / (N * N);
        const bool in = x >= lo[0] && x < hi[0] && y >= lo[1] && y < hi[1] && z >= lo[2] && z < hi[2];
        b->cell[x][y][z] = cut == 0 ? in : cut == 1 ? !in : test_below(r, 10) < chance;
    }
    for (int i = 0; i < (N + 1) * (N + 1) * (N + 1); ++i)
        b->vertices[i] = (abut_vec3){ step * (i % (N + 1)), step * (i / (N + 1) % (N + 1)),
                                      step * (i / ((N + 1) * (N + 1))) };
    for (int i = 0; i < 6 * N * N * N; ++i) {
        const int c = i / 6, at[3] = { c % N, c / N % N, c / (N * N) }, axis = i % 3;
        int next[3] = { at[0], at[1], at[2] };
        next[axis] += i % 6 < 3 ? 1 : -1;
        if (has(b, at[0], at[1], at[2]) && !has(b, next[0], next[1], next[2]))
            add_side(b, at, axis, i % 6 < 3, test_below(r, 2));
    }
    abut_mesh_opts opts;
    abut_error error;
    abut_mesh_opts_init(&opts);
    opts.solid = true;
    b->shape = NULL;
    return b->count > 0 &&
           abut_shape_create_mesh_with(b->vertices, (N + 1) * (N + 1) * (N + 1), b->triangles, b->count / 3,
                                       &opts, NULL, &b->shape, &error) == ABUT_OK;
}

/* b moved by whole cells. */
static abut_verdict truth(const body *a, const body *b, const int by[3])
{
    bool touches = false;
    for (int i = 0; i < N * N * N; ++i) {
        const int x = i % N, y = i / N % N, z = i / (N * N);
        if (!a->cell[x][y][z])
            continue;
        if (has(b, x - by[0], y - by[1], z - by[2]))
            return ABUT_PENETRATING;
        for (int k = 0; k < 27; ++k)
            touches =
                touches || has(b, x - by[0] + k % 3 - 1, y - by[1] + k / 3 % 3 - 1, z - by[2] + k / 9 - 1);
    }
    return touches ? ABUT_TOUCHING : ABUT_SEPARATE;
}

static size_t undecided, seen[3];

static void check_pair(const body *a, const abut_pose *pose_a, const body *b, const abut_pose *pose_b,
                       abut_verdict expected, uint64_t seed)
{
    abut_overlap_result overlap;
    abut_check_result check;
    abut_distance_result distance;
    assert_int_equal(abut_overlap(a->shape, pose_a, b->shape, pose_b, NULL, NULL, &overlap), ABUT_OK);
    assert_int_equal(abut_check(a->shape, pose_a, b->shape, pose_b, NULL, NULL, &check), ABUT_OK);
    assert_int_equal(abut_distance(a->shape, pose_a, b->shape, pose_b, NULL, NULL, &distance), ABUT_OK);
    const abut_verdict found[3] = { overlap.verdict, check.verdict, distance.verdict };
    for (int k = 0; k < 3; ++k) {
        TEST_CHECK(found[k] == expected || found[k] == ABUT_UNDECIDED,
                   "seed %" PRIu64 ", query %d: found %d, expected %d", seed, k, (int)found[k],
                   (int)expected);
        undecided += found[k] == ABUT_UNDECIDED;
    }
    ++seen[expected == ABUT_SEPARATE ? 0 : expected == ABUT_TOUCHING ? 1 : 2];
}

static void test_cells(void **state)
{
    (void)state;
    static body a, b;
    const uint64_t count = test_count(600);
    for (uint64_t seed = 0; seed < count; ++seed) {
        test_random r = test_seed(seed);
        const double step = test_below(&r, 2) ? 0.25 : 0.1;
        const bool good = make_body(&a, step, &r), both = make_body(&b, step, &r) && good;
        for (int k = 0; k < 8 && both; ++k) {
            int by[3];
            for (int i = 0; i < 3; ++i)
                by[i] = (int)test_below(&r, 2 * N + 1) - N;
            if (test_below(&r, 3) == 0)
                by[0] = by[1] = by[2] = 0;
            abut_pose pose_a = { { 0, 0, 0 }, { 1, 0, 0, 0 } };
            const bool moved = by[0] || by[1] || by[2];
            if (moved && step != 0.25)
                continue;
            abut_pose pose_b = pose_a;
            if (!moved && test_below(&r, 2))
                pose_a.rotation = pose_b.rotation =
                    (abut_quat){ test_uniform(&r, -1, 1), test_uniform(&r, -1, 1), test_uniform(&r, -1, 1),
                                 1 };
            pose_b.position = (abut_vec3){ step * by[0], step * by[1], step * by[2] };
            const abut_verdict expected = truth(&a, &b, by);
            check_pair(&a, &pose_a, &b, &pose_b, expected, seed);
            check_pair(&b, &pose_b, &a, &pose_a, expected, seed);
        }
        abut_shape_release(a.shape);
        abut_shape_release(b.shape);
    }
    print_message("apart %zu, touching %zu, inside %zu; undecided %zu\n", seen[0], seen[1], seen[2],
                  undecided);
    assert_true((count < 100 || seen[1] > count / 6) && undecided == 0);
}

/* One on the other, each turned as it likes: insides do not meet, and they touch where some
 * triangles do. */
static void test_turned(void **state)
{
    (void)state;
    static body a, b;
    const uint64_t count = test_count(200);
    size_t touching = 0;
    for (uint64_t seed = 0; seed < count; ++seed) {
        test_random r = test_seed(1000000 + seed);
        const double step = test_below(&r, 2) ? 0.25 : 0.1;
        const bool good = make_body(&a, step, &r), both = make_body(&b, step, &r) && good;
        const abut_pose pose_a = { { 0, 0, 0 }, { test_uniform(&r, -1, 1), 0, 0, test_uniform(&r, -1, 1) } },
                        pose_b = { { test_uniform(&r, -0.5, 0.5), test_uniform(&r, -0.5, 0.5), N * step },
                                   { test_uniform(&r, -1, 1), 0, 0, test_uniform(&r, -1, 1) } };
        if (both) {
            abut_contacts_result list;
            assert_int_equal(abut_contacts(a.shape, &pose_a, b.shape, &pose_b, NULL, NULL, NULL, 0, &list),
                             ABUT_OK);
            const abut_verdict expected = list.count > 0 ? ABUT_TOUCHING : ABUT_SEPARATE;
            touching += list.count > 0;
            check_pair(&a, &pose_a, &b, &pose_b, expected, seed);
            check_pair(&b, &pose_b, &a, &pose_a, expected, seed);
        }
        abut_shape_release(a.shape);
        abut_shape_release(b.shape);
    }
    assert_true(count < 100 || touching > count / 20);
}

/* Two tetrahedra with a vertex in common, one of them inside a third that has its own vertex
 * there: nothing else is in contact, and only that one tells. */
static void test_two_cones(void **state)
{
    (void)state;
    static const abut_vec3 both[7] = { { 0, 0, 0 },  { 1, 0, 3 },  { 0, 1, 3 },   { -1, -1, 3 },
                                       { 1, 0, -3 }, { 0, 1, -3 }, { -1, -1, -3 } };
    static const abut_vec3 wide[4] = { { 0, 0, 0 }, { 40, 0, -20 }, { 0, 40, -20 }, { -40, -40, -20 } };
    static const uint32_t up[12] = { 0, 2, 1, 0, 3, 2, 0, 1, 3, 1, 2, 3 },
                          down[12] = { 0, 4, 5, 0, 5, 6, 0, 6, 4, 4, 6, 5 },
                          third[12] = { 0, 1, 2, 0, 2, 3, 0, 3, 1, 1, 3, 2 };
    const abut_pose still = { { 0, 0, 0 }, { 1, 0, 0, 0 } }, turned = { { 0, 0, 0 }, { 0, 1, 0, 0 } };
    abut_mesh_opts opts;
    abut_error error;
    abut_mesh_opts_init(&opts);
    opts.solid = true;
    for (int order = 0; order < 4; ++order) {
        uint32_t triangles[24];
        static body a, b;
        for (int i = 0; i < 24; ++i)
            triangles[i] = (i < 12) == (order % 2 == 0) ? up[i % 12] : down[i % 12];
        assert_int_equal(abut_shape_create_mesh_with(both, 7, triangles, 8, &opts, NULL, &a.shape, &error),
                         ABUT_OK);
        assert_int_equal(abut_shape_create_mesh_with(wide, 4, third, 4, &opts, NULL, &b.shape, &error),
                         ABUT_OK);
        const abut_pose *pose = order < 2 ? &still : &turned;
        check_pair(&a, &still, &b, pose, ABUT_PENETRATING, (uint64_t)order);
        check_pair(&b, pose, &a, &still, ABUT_PENETRATING, (uint64_t)order);
        abut_shape_release(a.shape);
        abut_shape_release(b.shape);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(test_cells), cmocka_unit_test(test_turned),
                                        cmocka_unit_test(test_two_cones) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
