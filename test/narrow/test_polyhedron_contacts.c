/* SPDX-License-Identifier: MIT */
/* Contacts by entity against solids of cubes on one grid: every vertex in what holds it, every crossing of two
 * edges, every stretch that two edges share, counted in integers. Solids are sheared, or both turned by a
 * rational rotation, so that no coordinate of the placed solids need be a double. */
#include "abut/polyhedron.h"
#include "support/voxels.h"

enum { MOST = 4096 };

typedef struct entry {
    abut_feature features[2];
    int64_t ids[2];
} entry;

static voxels solid[2];
static abut_shape *shape[2];
static entry wanted[MOST], found[MOST];
static size_t wanted_count;
static abut_contact contacts[MOST];
static abut_error e;

static int compare_entries(const void *a, const void *b)
{
    const entry *p = a, *q = b;
    for (int k = 0; k < 2; ++k) {
        if (p->features[k] != q->features[k])
            return p->features[k] < q->features[k] ? -1 : 1;
        if (p->ids[k] != q->ids[k])
            return p->ids[k] < q->ids[k] ? -1 : 1;
    }
    return 0;
}

static void want(int side, abut_feature f, int64_t id, abut_feature g, int64_t other)
{
    entry *at = &wanted[wanted_count++];
    assert_true(wanted_count < MOST);
    at->features[side] = f;
    at->ids[side] = id;
    at->features[!side] = g;
    at->ids[!side] = other;
}

/* Ends of an edge in quarters of the grid of solid 0. */
static void edge_ends(int side, size_t edge, const int offset[3], int64_t out[2][3])
{
    uint32_t ends[2];
    assert_int_equal(abut_polyhedron_get_edge(shape[side], edge, ends, NULL), ABUT_OK);
    for (int i = 0; i < 2; ++i)
        for (int k = 0; k < 3; ++k)
            out[i][k] = 4 * solid[side].places[ends[i]][k] + (side ? offset[k] : 0);
}

static int axis_of(int64_t p[2][3])
{
    return p[0][0] != p[1][0] ? 0 : p[0][1] != p[1][1] ? 1 : 2;
}

static bool between(int64_t a, int64_t x, int64_t b)
{
    return (a < x && x < b) || (b < x && x < a);
}

static int64_t edge_at(int side, const int64_t p[3], const int offset[3])
{
    const size_t count = abut_shape_get_counts(shape[side]).edges;
    for (size_t i = 0; i < count; ++i) {
        int64_t at[2][3];
        edge_ends(side, i, offset, at);
        const int axis = axis_of(at);
        if (between(at[0][axis], p[axis], at[1][axis]) && p[(axis + 1) % 3] == at[0][(axis + 1) % 3] &&
            p[(axis + 2) % 3] == at[0][(axis + 2) % 3])
            return (int64_t)i;
    }
    return -1;
}

/* Each vertex of a solid in what of the other holds it. */
static void want_vertices(int side, const int offset[3])
{
    for (uint32_t i = 0; i < solid[side].vertex_count; ++i) {
        int64_t p[3], local[3], id;
        for (int k = 0; k < 3; ++k) {
            p[k] = 4 * solid[side].places[i][k] + (side ? offset[k] : 0);
            local[k] = side ? p[k] : p[k] - offset[k];
        }
        const abut_where where = voxel_where(&solid[!side], local, 4, &id);
        if (where == ABUT_WHERE_FACE)
            want(side, ABUT_FEATURE_VERTEX, i, ABUT_FEATURE_FACE, id);
        else if (where == ABUT_WHERE_EDGE)
            want(side, ABUT_FEATURE_VERTEX, i, ABUT_FEATURE_EDGE, edge_at(!side, p, offset));
        else if (where == ABUT_WHERE_VERTEX && side == 0)
            want(side, ABUT_FEATURE_VERTEX, i, ABUT_FEATURE_VERTEX, id);
    }
}

/* Is the quadrant q around a line along `axis`, at p in eighths, full of a solid? */
static bool quadrant(int side, const int64_t p[3], int axis, int q, const int offset[3])
{
    int cell[3];
    for (int k = 0; k < 3; ++k) {
        int64_t x = p[k] - (side ? 2 * offset[k] : 0);
        if (k == (axis + 1) % 3)
            x += q == 0 || q == 3 ? 1 : -1;
        if (k == (axis + 2) % 3)
            x += q < 2 ? 1 : -1;
        cell[k] = (int)(x >= 0 ? x / 8 : -1);
    }
    return voxel_full(&solid[side], cell[0], cell[1], cell[2]);
}

/* Do faces of both lie on each other beside the line? */
static bool faces_rest(const int64_t p[3], int axis, const int offset[3])
{
    for (int q = 0; q < 4; ++q) {
        const bool a = quadrant(0, p, axis, q, offset), b = quadrant(0, p, axis, (q + 1) % 4, offset),
                   c = quadrant(1, p, axis, q, offset), d = quadrant(1, p, axis, (q + 1) % 4, offset);
        if (a != b && c != d && a != c)
            return true;
    }
    return false;
}

static void want_edges(const int offset[3])
{
    const size_t counts[2] = { abut_shape_get_counts(shape[0]).edges, abut_shape_get_counts(shape[1]).edges };
    for (size_t i = 0; i < counts[0]; ++i)
        for (size_t j = 0; j < counts[1]; ++j) {
            int64_t p[2][3], q[2][3];
            edge_ends(0, i, offset, p);
            edge_ends(1, j, offset, q);
            const int m = axis_of(p), n = axis_of(q), o = 3 - m - n;
            if (m != n) {
                if (p[0][o] == q[0][o] && between(p[0][m], q[0][m], p[1][m]) &&
                    between(q[0][n], p[0][n], q[1][n]))
                    want(0, ABUT_FEATURE_EDGE, (int64_t)i, ABUT_FEATURE_EDGE, (int64_t)j);
                continue;
            }
            const int64_t p0 = p[0][m] < p[1][m] ? p[0][m] : p[1][m], p1 = p[0][m] + p[1][m] - p0,
                          q0 = q[0][m] < q[1][m] ? q[0][m] : q[1][m], q1 = q[0][m] + q[1][m] - q0;
            const int64_t lo = p0 > q0 ? p0 : q0, hi = p1 < q1 ? p1 : q1;
            if (lo >= hi || p[0][(m + 1) % 3] != q[0][(m + 1) % 3] || p[0][(m + 2) % 3] != q[0][(m + 2) % 3])
                continue;
            int64_t mid[3] = { 2 * p[0][0], 2 * p[0][1], 2 * p[0][2] };
            mid[m] = 2 * lo + 1; /* edges of cubes do not end within a quarter */
            if (!faces_rest(mid, m, offset))
                want(0, ABUT_FEATURE_EDGE, (int64_t)i, ABUT_FEATURE_EDGE, (int64_t)j);
        }
}

static void compare(uint64_t seed, size_t count)
{
    for (size_t i = 0; i < count; ++i)
        found[i] = (entry){ { contacts[i].features[0], contacts[i].features[1] },
                            { contacts[i].ids[0], contacts[i].ids[1] } };
    qsort(wanted, wanted_count, sizeof *wanted, compare_entries);
    qsort(found, count, sizeof *found, compare_entries);
    size_t i = 0;
    while (i < count && i < wanted_count && compare_entries(&found[i], &wanted[i]) == 0)
        ++i;
    if (i == count && i == wanted_count)
        return;
    const entry none = { { 0, 0 }, { -1, -1 } }, *f = i < count ? &found[i] : &none,
                *w = i < wanted_count ? &wanted[i] : &none;
    TEST_FAIL("case %" PRIu64 ": %zu contacts, expected %zu; found %s %d, %s %d; expected %s %d, %s %d", seed,
              count, wanted_count, abut_feature_name(f->features[0]), (int)f->ids[0],
              abut_feature_name(f->features[1]), (int)f->ids[1], abut_feature_name(w->features[0]),
              (int)w->ids[0], abut_feature_name(w->features[1]), (int)w->ids[1]);
}

/* abut_check tells some of the same contacts, spread out. */
static void compare_check(uint64_t seed, const abut_pose at[2])
{
    abut_check_opts opts;
    abut_check_result check;
    abut_check_opts_init(&opts);
    opts.max_contacts = 1 + (int)(seed % ABUT_CHECK_CONTACTS);
    assert_int_equal(abut_check(shape[0], &at[0], shape[1], &at[1], &opts, NULL, &check), ABUT_OK);
    assert_true(check.verdict == ABUT_TOUCHING && check.contact_count > 0);
    const size_t most = wanted_count < (size_t)opts.max_contacts ? wanted_count : (size_t)opts.max_contacts;
    TEST_CHECK((size_t)check.contact_count == most, "case %" PRIu64 ": %d contacts of %zu", seed,
               check.contact_count, wanted_count);
    for (int i = 0; i < check.contact_count; ++i) {
        const abut_contact *c = &check.contacts[i];
        const entry key = { { c->features[0], c->features[1] }, { c->ids[0], c->ids[1] } };
        TEST_CHECK(bsearch(&key, wanted, wanted_count, sizeof *wanted, compare_entries) != NULL,
                   "case %" PRIu64 ": %s %d, %s %d is no contact", seed, abut_feature_name(key.features[0]),
                   (int)key.ids[0], abut_feature_name(key.features[1]), (int)key.ids[1]);
    }
}

/* Integer quaternions: the matrix times the square of the norm is one of integers. */
static const int turns[][4] = { { 1, 0, 0, 0 }, { 1, 2, 2, 0 }, { 2, 1, 0, 2 },  { 1, 1, 1, 0 },
                                { 1, 1, 1, 1 }, { 3, 1, 0, 1 }, { 1, -2, 3, 1 }, { 2, 3, -1, 1 } };

static abut_pose turned(const int q[4], abut_vec3 at)
{
    const double w = q[0], x = q[1], y = q[2], z = q[3], n = w * w + x * x + y * y + z * z;
    /* `at` is a multiple of n / 4: no rounding */
    return (abut_pose){
        { ((w * w + x * x - y * y - z * z) * at.x + 2 * (x * y - w * z) * at.y + 2 * (x * z + w * y) * at.z) /
              n,
          (2 * (x * y + w * z) * at.x + (w * w - x * x + y * y - z * z) * at.y + 2 * (y * z - w * x) * at.z) /
              n,
          (2 * (x * z - w * y) * at.x + 2 * (y * z + w * x) * at.y + (w * w - x * x - y * y + z * z) * at.z) /
              n },
        { w, x, y, z }
    };
}

/* How contacts of one kind are spread over the test, so that it cannot pass without them. */
static uint64_t kinds[4][4], touching;

static void ask(uint64_t seed, const int q[4], const int offset[3])
{
    const abut_pose at[2] = { turned(q, (abut_vec3){ 0, 0, 0 }),
                              turned(q, voxel_map(&solid[0], 0.25 * offset[0], 0.25 * offset[1],
                                                  0.25 * offset[2])) };
    const abut_touch_lists lists = { contacts, MOST, NULL, 0, NULL, 0 };
    abut_touch_result result;
    assert_int_equal(abut_touch(shape[0], &at[0], shape[1], &at[1], NULL, NULL, &lists, &result), ABUT_OK);
    if (result.verdict != ABUT_TOUCHING)
        return;
    assert_int_equal(result.proof, ABUT_PROOF_EXACT);
    assert_true(result.contact_count < MOST);
    ++touching;
    wanted_count = 0;
    want_vertices(0, offset);
    want_vertices(1, offset);
    want_edges(offset);
    compare(seed, result.contact_count);
    compare_check(seed, at);
    for (size_t i = 0; i < wanted_count; ++i)
        ++kinds[wanted[i].features[0]][wanted[i].features[1]];
}

static void random_pairs(void **state)
{
    (void)state;
    const uint64_t count = test_count(6000);
    for (uint64_t i = 0; i < count;) {
        test_random r = test_seed(i + 4711);
        const int *q = turns[test_below(&r, 3) ? test_below(&r, sizeof turns / sizeof *turns) : 0];
        for (int side = 0; side < 2; ++side)
            do
                voxel_random(&solid[side], &r, side ? 3 : 4, (int)test_below(&r, 80));
            while (!voxel_build(&solid[side]));
        const int norm = q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3];
        if (i % 3)
            voxel_shear(&solid[0], &r, 3);
        for (int k = 0; k < 9; ++k)
            solid[0].matrix[k / 3][k % 3] *= norm;
        memcpy(solid[1].matrix, solid[0].matrix, sizeof solid[0].matrix);
        for (int side = 0; side < 2; ++side) {
            assert_true(voxel_build(&solid[side]));
            const abut_polyhedron_def def = voxel_def(&solid[side]);
            TEST_CHECK(abut_shape_create_polyhedron_with(&def, NULL, &shape[side], &e) == ABUT_OK, "%s",
                       e.text);
        }
        for (int round = 0; round < 20 && i < count; ++round, ++i) {
            const int step = test_below(&r, 3) ? 4 : 1, along = (int)test_below(&r, 3);
            int offset[3];
            for (int k = 0; k < 3; ++k) {
                const int range = 4 * (solid[0].n[k] + solid[1].n[k]) / step;
                offset[k] = step * (int)test_below(&r, (unsigned)range + 1) - 4 * solid[1].n[k];
            }
            if (round % 4) /* at one end of the other, at least */
                offset[along] = test_below(&r, 2) ? 4 * solid[0].n[along] : -4 * solid[1].n[along];
            ask(i, q, offset);
        }
        abut_shape_release(shape[0]);
        abut_shape_release(shape[1]);
    }
    print_message(
        "%d touching; vertex-face %d, vertex-edge %d, vertex-vertex %d, edge-edge %d\n", (int)touching,
        (int)(kinds[ABUT_FEATURE_VERTEX][ABUT_FEATURE_FACE] + kinds[ABUT_FEATURE_FACE][ABUT_FEATURE_VERTEX]),
        (int)(kinds[ABUT_FEATURE_VERTEX][ABUT_FEATURE_EDGE] + kinds[ABUT_FEATURE_EDGE][ABUT_FEATURE_VERTEX]),
        (int)kinds[ABUT_FEATURE_VERTEX][ABUT_FEATURE_VERTEX],
        (int)kinds[ABUT_FEATURE_EDGE][ABUT_FEATURE_EDGE]);
    if (count >= 1000)
        assert_true(touching > count / 10 && kinds[ABUT_FEATURE_VERTEX][ABUT_FEATURE_FACE] > 100 &&
                    kinds[ABUT_FEATURE_VERTEX][ABUT_FEATURE_EDGE] > 100 &&
                    kinds[ABUT_FEATURE_VERTEX][ABUT_FEATURE_VERTEX] > 100 &&
                    kinds[ABUT_FEATURE_EDGE][ABUT_FEATURE_EDGE] > 100);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(random_pairs) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
