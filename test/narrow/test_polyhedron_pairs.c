/* SPDX-License-Identifier: MIT */
/* Two polyhedra of cubes on one grid: what cubes they have in common, and whether their boundaries have a
 * point in common, is counted in integers. Resting, sliding, edge on edge, nested, peg in hole: all of them
 * come up among random solids at random places of the grid, refined by 4. Half of them are sheared. */
#include "abut/polyhedron.h"
#include "support/voxels.h"

static voxels a, b;
static abut_error e;

/* Do the open cells of two solids on a grid of quarters meet; do the closed ones? The offset of b is in
 * quarters. */
static abut_verdict referee(const int offset[3])
{
    bool touch = false;
    for (int x = 0; x < a.n[0]; ++x)
        for (int y = 0; y < a.n[1]; ++y)
            for (int z = 0; z < a.n[2]; ++z) {
                if (!a.full[x][y][z])
                    continue;
                for (int i = 0; i < b.n[0]; ++i)
                    for (int j = 0; j < b.n[1]; ++j)
                        for (int k = 0; k < b.n[2]; ++k) {
                            if (!b.full[i][j][k])
                                continue;
                            const int dx = abs(4 * i + offset[0] - 4 * x),
                                      dy = abs(4 * j + offset[1] - 4 * y),
                                      dz = abs(4 * k + offset[2] - 4 * z);
                            if (dx < 4 && dy < 4 && dz < 4)
                                return ABUT_PENETRATING;
                            touch = touch || (dx <= 4 && dy <= 4 && dz <= 4);
                        }
            }
    return touch ? ABUT_TOUCHING : ABUT_SEPARATE;
}

/* Square of the distance in units of quarters, before the matrix. */
static int64_t gap(const int offset[3])
{
    int64_t least = INT64_MAX;
    for (int x = 0; x < a.n[0]; ++x)
        for (int y = 0; y < a.n[1]; ++y)
            for (int z = 0; z < a.n[2]; ++z)
                for (int i = 0; a.full[x][y][z] && i < b.n[0]; ++i)
                    for (int j = 0; j < b.n[1]; ++j)
                        for (int k = 0; k < b.n[2]; ++k) {
                            if (!b.full[i][j][k])
                                continue;
                            const int d[3] = { abs(4 * i + offset[0] - 4 * x) - 4,
                                               abs(4 * j + offset[1] - 4 * y) - 4,
                                               abs(4 * k + offset[2] - 4 * z) - 4 };
                            int64_t sum = 0;
                            for (int m = 0; m < 3; ++m)
                                sum += d[m] > 0 ? (int64_t)d[m] * d[m] : 0;
                            least = sum < least ? sum : least;
                        }
    return least;
}

static abut_shape *make(voxels *v)
{
    const abut_polyhedron_def def = voxel_def(v);
    abut_shape *shape;
    TEST_CHECK(abut_shape_create_polyhedron_with(&def, NULL, &shape, &e) == ABUT_OK, "%s", e.text);
    return shape;
}

static void random_pairs(void **state)
{
    (void)state;
    const uint64_t count = test_count(10000);
    uint64_t seen[5] = { 0 };
    for (uint64_t i = 0; i < count;) {
        test_random r = test_seed(i);
        do
            voxel_random(&a, &r, 5, (int)test_below(&r, 120));
        while (!voxel_build(&a));
        do
            voxel_random(&b, &r, 3, (int)test_below(&r, 40));
        while (!voxel_build(&b));
        const bool sheared = i % 2;
        if (sheared) {
            voxel_shear(&a, &r, 3);
            memcpy(b.matrix, a.matrix, sizeof a.matrix);
            assert_true(voxel_build(&a) && voxel_build(&b));
        }
        abut_shape *p = make(&a), *q = make(&b);
        for (int round = 0; round < 10 && i < count; ++round, ++i) {
            const int step = test_below(&r, 3) ? 4 : 1;
            int offset[3];
            for (int k = 0; k < 3; ++k)
                offset[k] = step * ((int)test_below(&r, (unsigned)(4 * (a.n[k] + b.n[k] + 1) / step)) -
                                    4 * (b.n[k] + 1) / step + 1);
            const abut_verdict expected = referee(offset);
            const abut_pose pose = { voxel_map(&a, 0.25 * offset[0], 0.25 * offset[1], 0.25 * offset[2]),
                                     { 1, 0, 0, 0 } };
            abut_check_result result;
            assert_int_equal(abut_check(p, NULL, q, &pose, NULL, NULL, &result), ABUT_OK);
            TEST_CHECK(result.verdict == expected && result.proof == ABUT_PROOF_EXACT,
                       "case %" PRIu64 ": verdict %d, expected %d, proof %d, offset %d %d %d", i,
                       (int)result.verdict, (int)expected, (int)result.proof, offset[0], offset[1],
                       offset[2]);
            ++seen[expected];
            if (expected == ABUT_SEPARATE && !sheared) {
                const double d = 0.25 * sqrt((double)gap(offset));
                TEST_CHECK(result.distance.lo <= d * (1 + 1e-15) && result.distance.hi >= d * (1 - 1e-15) &&
                               result.distance.hi - result.distance.lo <= 1e-12,
                           "case %" PRIu64 ": distance [%a, %a], expected %a", i, result.distance.lo,
                           result.distance.hi, d);
            }
            for (int k = 0; k < result.contact_count; ++k) {
                const abut_contact *c = &result.contacts[k];
                for (int side = 0; side < 2; ++side) {
                    const abut_shape_counts counts = abut_shape_get_counts(side ? q : p);
                    const size_t most = c->features[side] == ABUT_FEATURE_FACE   ? counts.faces
                                        : c->features[side] == ABUT_FEATURE_EDGE ? counts.edges
                                                                                 : counts.vertices;
                    TEST_CHECK(c->ids[side] >= -1 && c->ids[side] < (int64_t)most, "case %" PRIu64, i);
                }
            }
        }
        abut_shape_release(p);
        abut_shape_release(q);
    }
    print_message("%d separate, %d touching, %d penetrating\n", (int)seen[ABUT_SEPARATE],
                  (int)seen[ABUT_TOUCHING], (int)seen[ABUT_PENETRATING]);
    if (count >= 1000)
        assert_true(seen[ABUT_SEPARATE] > 50 && seen[ABUT_TOUCHING] > 50 && seen[ABUT_PENETRATING] > 50);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(random_pairs) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
