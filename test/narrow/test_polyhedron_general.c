/* SPDX-License-Identifier: MIT */
/* Two polyhedra in general position, each sheared and turned on its own, with handles and cavities: resting on
 * a face, a little apart, a little too deep, edge on edge, corner on corner, nested. Turns are quaternions of
 * small integers, places have 10 binary digits, so that a common multiple of all coordinates is an integer.
 * Solids are cut into tetrahedra and compared cell by cell (oracle/mesh_gmp.h); contacts are all pairs of
 * entities that have a point in common, by signs of integers of 128 bits. */
#include "abut/polyhedron.h"
#include "oracle/mesh_gmp.h"
#include "support/voxels.h"

__extension__ typedef __int128 wide;

enum { MOST = 1024, CELLS = 6 * 64, FINE = 1024 };

typedef struct body {
    voxels v;
    abut_shape *shape;
    abut_pose pose;
    int64_t at[VOXEL_POINTS][3]; /* of the vertices in the world, times FINE and the norm */
    mesh_cell cells[CELLS];
    int64_t lo[CELLS][3], hi[CELLS][3];
    size_t cell_count, edge_count;
    uint32_t (*edges)[2];
} body;

static body a, b;
static abut_error e;
static abut_contact contacts[MOST];

/* ---- integers ---- */

static void sub(const int64_t p[3], const int64_t q[3], int64_t out[3])
{
    for (int k = 0; k < 3; ++k)
        out[k] = p[k] - q[k];
}

static wide minor_of(const int64_t u[3], const int64_t v[3], int axis)
{
    const int i = (axis + 1) % 3, j = (axis + 2) % 3;
    return (wide)u[i] * v[j] - (wide)u[j] * v[i];
}

static int sign_of(wide x)
{
    return (x > 0) - (x < 0);
}

/* Side of d against the plane of p, q, r. */
static int side(const int64_t p[3], const int64_t q[3], const int64_t r[3], const int64_t d[3])
{
    int64_t u[3], v[3], w[3];
    sub(q, p, u);
    sub(r, p, v);
    sub(d, p, w);
    wide sum = 0;
    for (int k = 0; k < 3; ++k)
        sum += minor_of(u, v, k) * w[k];
    return sign_of(sum);
}

static int area(const int64_t p[3], const int64_t q[3], const int64_t r[3], int axis)
{
    int64_t u[3], v[3];
    sub(q, p, u);
    sub(r, p, v);
    return sign_of(minor_of(u, v, axis));
}

static bool same_place(const int64_t p[3], const int64_t q[3])
{
    return p[0] == q[0] && p[1] == q[1] && p[2] == q[2];
}

static bool on_line(const int64_t p[3], const int64_t q[3], const int64_t x[3])
{
    return area(p, q, x, 0) == 0 && area(p, q, x, 1) == 0 && area(p, q, x, 2) == 0;
}

/* Strictly between, on the segment. */
static bool inside_segment(const int64_t p[3], const int64_t q[3], const int64_t x[3])
{
    if (!on_line(p, q, x) || same_place(p, x) || same_place(q, x))
        return false;
    for (int k = 0; k < 3; ++k)
        if ((x[k] < p[k] && x[k] < q[k]) || (x[k] > p[k] && x[k] > q[k]))
            return false;
    return true;
}

/* ---- solids ---- */

static void matrix_of(const int q[4], int64_t m[3][3])
{
    const int64_t w = q[0], x = q[1], y = q[2], z = q[3];
    const int64_t of[3][3] = { { w * w + x * x - y * y - z * z, 2 * (x * y - w * z), 2 * (x * z + w * y) },
                               { 2 * (x * y + w * z), w * w - x * x + y * y - z * z, 2 * (y * z - w * x) },
                               { 2 * (x * z - w * y), 2 * (y * z + w * x), w * w - x * x - y * y + z * z } };
    memcpy(m, of, sizeof of);
}

static int64_t norm_of(const int q[4])
{
    return (int64_t)q[0] * q[0] + (int64_t)q[1] * q[1] + (int64_t)q[2] * q[2] + (int64_t)q[3] * q[3];
}

/* A corner of the grid in the world, where the body has no translation, times the norm. */
static void grid_place(const body *s, int64_t turn[3][3], int x, int y, int z, int64_t out[3])
{
    const int64_t p[3] = { x, y, z };
    int64_t local[3] = { 0, 0, 0 };
    for (int i = 0; i < 3; ++i)
        for (int k = 0; k < 3; ++k)
            local[i] += s->v.matrix[i][k] * p[k];
    for (int i = 0; i < 3; ++i) {
        out[i] = 0;
        for (int k = 0; k < 3; ++k)
            out[i] += turn[i][k] * local[k];
    }
}

/* like: with the matrix of this one, so that faces are parallel; NULL: its own. */
static void make_body(body *s, test_random *r, int size, int64_t scale, const body *like)
{
    for (;;) {
        voxel_random(&s->v, r, size, (int)test_below(r, 90));
        if (size > 2 && test_below(r, 3) == 0) { /* a block with a cavity, or a tunnel */
            for (int k = 0; k < 3; ++k)
                s->v.n[k] = size;
            memset(s->v.full, 1, sizeof s->v.full);
            const bool tunnel = test_below(r, 2);
            for (int x = tunnel ? 0 : 1; x < s->v.n[0] - !tunnel; ++x)
                s->v.full[x][1][1] = false;
        }
        voxel_shear(&s->v, r, 3);
        for (int k = 0; k < 9; ++k)
            s->v.matrix[k / 3][k % 3] =
                like ? like->v.matrix[k / 3][k % 3] : s->v.matrix[k / 3][k % 3] * scale;
        if (voxel_build(&s->v))
            break;
    }
    const abut_polyhedron_def def = voxel_def(&s->v);
    TEST_CHECK(abut_shape_create_polyhedron_with(&def, NULL, &s->shape, &e) == ABUT_OK, "%s", e.text);
    s->edge_count = abut_shape_get_counts(s->shape).edges;
    s->edges = malloc((s->edge_count + 1) * sizeof *s->edges);
    assert_non_null(s->edges);
    for (size_t i = 0; i < s->edge_count; ++i)
        assert_int_equal(abut_polyhedron_get_edge(s->shape, i, s->edges[i], NULL), ABUT_OK);
}

/* Puts vertices where the turn has them, times FINE and the norm, from a place that is still to come. */
static void turn_body(body *s, const int q[4])
{
    int64_t turn[3][3];
    matrix_of(q, turn);
    for (uint32_t i = 0; i < s->v.vertex_count; ++i) {
        const int16_t *p = s->v.places[i];
        grid_place(s, turn, p[0], p[1], p[2], s->at[i]);
        for (int k = 0; k < 3; ++k)
            s->at[i][k] *= FINE;
    }
    s->pose.rotation = (abut_quat){ q[0], q[1], q[2], q[3] };
}

/* shift: in units of 1 / FINE. */
static void place_body(body *s, const int q[4], const int64_t shift[3])
{
    static const int order[6][3] = { { 0, 1, 2 }, { 0, 2, 1 }, { 1, 0, 2 },
                                     { 1, 2, 0 }, { 2, 0, 1 }, { 2, 1, 0 } };
    int64_t turn[3][3];
    const int64_t norm = norm_of(q);
    matrix_of(q, turn);
    s->pose.position =
        (abut_vec3){ (double)shift[0] / FINE, (double)shift[1] / FINE, (double)shift[2] / FINE };
    for (uint32_t i = 0; i < s->v.vertex_count; ++i)
        for (int k = 0; k < 3; ++k)
            s->at[i][k] += shift[k] * norm;
    s->cell_count = 0;
    for (int x = 0; x < s->v.n[0]; ++x)
        for (int y = 0; y < s->v.n[1]; ++y)
            for (int z = 0; z < s->v.n[2]; ++z)
                for (int k = 0; k < 6 && s->v.full[x][y][z]; ++k) {
                    const size_t n = s->cell_count++;
                    mesh_cell *c = &s->cells[n];
                    int p[3] = { x, y, z };
                    for (int m = 0; m < 4; ++m) {
                        grid_place(s, turn, p[0], p[1], p[2], c->at[m]);
                        for (int i = 0; i < 3; ++i) {
                            const int64_t u = c->at[m][i] = c->at[m][i] * FINE + shift[i] * norm;
                            s->lo[n][i] = m == 0 || u < s->lo[n][i] ? u : s->lo[n][i];
                            s->hi[n][i] = m == 0 || u > s->hi[n][i] ? u : s->hi[n][i];
                        }
                        if (m < 3)
                            ++p[order[k][m]];
                    }
                }
}

static int referee(void)
{
    int most = 0;
    for (size_t i = 0; i < a.cell_count && most < 2; ++i)
        for (size_t j = 0; j < b.cell_count && most < 2; ++j) {
            bool apart = false;
            for (int k = 0; k < 3; ++k)
                apart = apart || a.hi[i][k] < b.lo[j][k] || b.hi[j][k] < a.lo[i][k];
            const int s = apart ? 0 : mesh_cells_meet(&a.cells[i], 1, &b.cells[j], 1);
            most = s > most ? s : most;
        }
    return most;
}

/* ---- contacts ---- */

/* Is x in the inside of a face: in its plane, and not on its border? */
static bool inside_face(const body *s, uint32_t face, const int64_t x[3])
{
    uint32_t loop = 0, first = 0;
    for (uint32_t f = 0; f < face; ++f)
        for (uint32_t k = 0; k < s->v.face_loops[f]; ++k)
            first += s->v.loop_sizes[loop++];
    const uint32_t *c = s->v.indices + first;
    int axis = -1;
    uint32_t third = 2;
    for (; axis < 0; ++third)
        for (int k = 0; k < 3 && axis < 0; ++k)
            axis = area(s->at[c[0]], s->at[c[1]], s->at[c[third]], k) != 0 ? k : -1;
    if (side(s->at[c[0]], s->at[c[1]], s->at[c[third - 1]], x) != 0)
        return false;
    const int i = (axis + 1) % 3, j = (axis + 2) % 3;
    bool odd = false;
    for (uint32_t k = 0; k < s->v.face_loops[face]; c += s->v.loop_sizes[loop + k++]) {
        const uint32_t size = s->v.loop_sizes[loop + k];
        for (uint32_t m = 0; m < size; ++m) {
            const int64_t *p = s->at[c[m]], *q = s->at[c[(m + 1) % size]];
            if (same_place(p, x) || inside_segment(p, q, x))
                return false;
            if ((p[j] > x[j]) == (q[j] > x[j]))
                continue;
            /* is the crossing to the right of x? */
            const wide s1 = (wide)(x[i] - p[i]) * (q[j] - p[j]) - (wide)(q[i] - p[i]) * (x[j] - p[j]);
            odd ^= (s1 < 0) == (q[j] > p[j]);
        }
    }
    return odd;
}

enum { NO_CONTACT, SURE, OPTIONAL };

static int edges_meet(const int64_t p[3], const int64_t q[3], const int64_t r[3], const int64_t s[3])
{
    if (side(p, q, r, s) != 0)
        return NO_CONTACT;
    if (on_line(p, q, r) && on_line(p, q, s)) {
        const bool share = inside_segment(p, q, r) || inside_segment(p, q, s) || inside_segment(r, s, p) ||
                           inside_segment(r, s, q) || (same_place(p, r) && same_place(q, s)) ||
                           (same_place(p, s) && same_place(q, r));
        return share ? OPTIONAL : NO_CONTACT; /* unless faces lie beside it */
    }
    for (int k = 0; k < 3; ++k)
        if (area(p, q, r, k) * area(p, q, s, k) < 0)
            return area(r, s, p, k) * area(r, s, q, k) < 0 ? SURE : NO_CONTACT;
    return NO_CONTACT;
}

static int is_contact(const abut_feature f[2], const int64_t id[2])
{
    if (f[0] == ABUT_FEATURE_VERTEX && f[1] == ABUT_FEATURE_VERTEX)
        return same_place(a.at[id[0]], b.at[id[1]]);
    if (f[0] == ABUT_FEATURE_VERTEX && f[1] == ABUT_FEATURE_EDGE)
        return inside_segment(b.at[b.edges[id[1]][0]], b.at[b.edges[id[1]][1]], a.at[id[0]]);
    if (f[0] == ABUT_FEATURE_EDGE && f[1] == ABUT_FEATURE_VERTEX)
        return inside_segment(a.at[a.edges[id[0]][0]], a.at[a.edges[id[0]][1]], b.at[id[1]]);
    if (f[0] == ABUT_FEATURE_VERTEX && f[1] == ABUT_FEATURE_FACE)
        return inside_face(&b, (uint32_t)id[1], a.at[id[0]]);
    if (f[0] == ABUT_FEATURE_FACE && f[1] == ABUT_FEATURE_VERTEX)
        return inside_face(&a, (uint32_t)id[0], b.at[id[1]]);
    if (f[0] == ABUT_FEATURE_EDGE && f[1] == ABUT_FEATURE_EDGE)
        return edges_meet(a.at[a.edges[id[0]][0]], a.at[a.edges[id[0]][1]], b.at[b.edges[id[1]][0]],
                          b.at[b.edges[id[1]][1]]);
    return NO_CONTACT;
}

static size_t entity_count(const body *s, abut_feature f)
{
    return f == ABUT_FEATURE_VERTEX ? s->v.vertex_count
           : f == ABUT_FEATURE_EDGE ? s->edge_count
                                    : s->v.face_count;
}

/* Every stated contact is one, and every one is stated. */
static void check_contacts(uint64_t seed, uint64_t *total)
{
    static const abut_feature kinds[6][2] = {
        { ABUT_FEATURE_VERTEX, ABUT_FEATURE_VERTEX }, { ABUT_FEATURE_VERTEX, ABUT_FEATURE_EDGE },
        { ABUT_FEATURE_EDGE, ABUT_FEATURE_VERTEX },   { ABUT_FEATURE_VERTEX, ABUT_FEATURE_FACE },
        { ABUT_FEATURE_FACE, ABUT_FEATURE_VERTEX },   { ABUT_FEATURE_EDGE, ABUT_FEATURE_EDGE }
    };
    const abut_touch_lists lists = { contacts, MOST, NULL, 0, NULL, 0 };
    abut_touch_result result;
    assert_int_equal(abut_touch(a.shape, &a.pose, b.shape, &b.pose, NULL, NULL, &lists, &result), ABUT_OK);
    TEST_CHECK(result.verdict == ABUT_TOUCHING && result.contact_count > 0 && result.contact_count <= MOST,
               "case %" PRIu64 ": %zu contacts", seed, result.contact_count);
    size_t stated = 0, sure = 0;
    for (size_t i = 0; i < result.contact_count; ++i) {
        const int is = is_contact(contacts[i].features, contacts[i].ids);
        TEST_CHECK(is != NO_CONTACT, "case %" PRIu64 ": %s %d and %s %d do not touch", seed,
                   abut_feature_name(contacts[i].features[0]), (int)contacts[i].ids[0],
                   abut_feature_name(contacts[i].features[1]), (int)contacts[i].ids[1]);
        stated += is == SURE;
    }
    for (int k = 0; k < 6; ++k)
        for (size_t i = 0; i < entity_count(&a, kinds[k][0]); ++i)
            for (size_t j = 0; j < entity_count(&b, kinds[k][1]); ++j) {
                const int64_t id[2] = { (int64_t)i, (int64_t)j };
                sure += is_contact(kinds[k], id) == SURE;
            }
    TEST_CHECK(stated == sure, "case %" PRIu64 ": %zu contacts of %zu", seed, stated, sure);
    *total += result.contact_count;
}

/* ---- placements ---- */

static void middle_of(const body *s, uint32_t i, uint32_t j, int64_t out[3])
{
    for (int k = 0; k < 3; ++k)
        out[k] = (s->at[i][k] + s->at[j][k]) / 2;
}

/* On which sides of the plane through o across n all vertices are: bit 0 above, bit 1 below. */
static int sides_of(const body *s, const int64_t o[3], const wide n[3])
{
    int found = 0;
    for (uint32_t i = 0; i < s->v.vertex_count; ++i) {
        wide dot = 0;
        for (int k = 0; k < 3; ++k)
            dot += n[k] * (s->at[i][k] - o[k]);
        found |= dot > 0 ? 1 : dot < 0 ? 2 : 0;
    }
    return found;
}

/* A vertex of b that is furthest against the normal of a face of a, on that face. */
static void rest(test_random *r, int64_t from[3], int64_t to[3], int *axis)
{
    const uint32_t face = test_below(r, a.v.face_count);
    uint32_t loop = 0, first = 0;
    for (uint32_t f = 0; f < face; ++f)
        for (uint32_t k = 0; k < a.v.face_loops[f]; ++k)
            first += a.v.loop_sizes[loop++];
    const uint32_t *c = a.v.indices + first, size = a.v.loop_sizes[loop];
    int64_t u[3], v[3];
    wide n[3], best = 0;
    sub(a.at[c[1]], a.at[c[0]], u);
    sub(a.at[c[2]], a.at[c[0]], v);
    for (int k = 0; k < 3; ++k)
        n[k] = minor_of(u, v, k);
    uint32_t least = 0;
    for (uint32_t i = 0; i < b.v.vertex_count; ++i) {
        wide dot = 0;
        for (int k = 0; k < 3; ++k)
            dot += n[k] * b.at[i][k];
        if (i == 0 || dot < best) {
            best = dot;
            least = i;
        }
    }
    memcpy(from, b.at[least], sizeof b.at[least]);
    middle_of(&a, c[test_below(r, size)], c[test_below(r, size)], to);
    *axis = 0;
    for (int k = 1; k < 3; ++k)
        if (n[k] * (n[k] < 0 ? -1 : 1) > n[*axis] * (n[*axis] < 0 ? -1 : 1))
            *axis = k;
    *axis = n[*axis] > 0 ? *axis : ~*axis; /* which way is out */
}

/* Two edges, if one can be found so that a plane through them parts the solids. */
static void cross_edges(test_random *r, int64_t from[3], int64_t to[3])
{
    for (int attempt = 0; attempt < 60; ++attempt) {
        const uint32_t *p = a.edges[test_below(r, (unsigned)a.edge_count)],
                       *q = b.edges[test_below(r, (unsigned)b.edge_count)];
        int64_t u[3], v[3];
        wide n[3];
        sub(a.at[p[1]], a.at[p[0]], u);
        sub(b.at[q[1]], b.at[q[0]], v);
        for (int k = 0; k < 3; ++k)
            n[k] = minor_of(u, v, k);
        middle_of(&a, p[0], p[1], to);
        middle_of(&b, q[0], q[1], from);
        if ((sides_of(&a, to, n) | sides_of(&b, from, n)) == 3 && sides_of(&a, to, n) != 3 &&
            sides_of(&b, from, n) != 3)
            return;
    }
}

enum { RANDOM, RESTING, LIFTED, SUNK, EDGES, CORNERS, NESTED, KINDS };

static int pick(test_random *r, int kind, int64_t shift[3], int64_t norm)
{
    int64_t from[3] = { 0, 0, 0 }, to[3] = { 0, 0, 0 };
    int axis = 0;
    if (kind == RESTING || kind == LIFTED || kind == SUNK)
        rest(r, from, to, &axis);
    else if (kind == EDGES)
        cross_edges(r, from, to);
    else {
        const uint32_t i = test_below(r, b.v.vertex_count), j = test_below(r, a.v.vertex_count);
        memcpy(from, b.at[i], sizeof from);
        memcpy(to, a.at[j], sizeof to);
        if (kind != CORNERS)
            middle_of(&a, j, test_below(r, a.v.vertex_count), to);
    }
    for (int k = 0; k < 3; ++k)
        shift[k] = (to[k] - from[k]) / norm;
    if (kind == RANDOM || kind == NESTED)
        for (int k = 0; k < 3; ++k)
            shift[k] += (int64_t)test_below(r, FINE) - FINE / 2;
    if (kind == LIFTED || kind == SUNK) {
        const int64_t step = 1 + test_below(r, 4);
        const int k = axis < 0 ? ~axis : axis;
        shift[k] += (axis < 0) == (kind == LIFTED) ? -step : step;
    }
    return axis;
}

static void random_pairs(void **state)
{
    (void)state;
    static const int turns[][4] = { { 1, 0, 0, 0 }, { 1, 2, 2, 0 }, { 2, 1, 0, 2 }, { 1, 1, 1, 0 },
                                    { 1, 1, 1, 1 }, { 3, 1, 0, 1 }, { 1, -2, 1, 1 } };
    const uint64_t count = test_count(10000);
    uint64_t seen[3] = { 0, 0, 0 }, undecided = 0, total = 0, handles = 0, cavities = 0,
             by_kind[KINDS][3] = { { 0 } };
    for (uint64_t i = 0; i < count;) {
        test_random r = test_seed(i + 31337);
        const int *q = turns[test_below(&r, sizeof turns / sizeof *turns)];
        const int64_t norm = norm_of(q);
        const bool small = test_below(&r, 4) == 0;
        make_body(&a, &r, test_below(&r, 3) ? 3 : 4, 2 * norm * (small ? 4 : 1), NULL);
        const bool alike = !small && test_below(&r, 4) == 0;
        make_body(&b, &r, small ? 2 : 3, 2 * norm, alike ? &a : NULL);
        abut_polyhedron_info info;
        assert_int_equal(abut_polyhedron_get_info(a.shape, &info), ABUT_OK);
        handles += info.genus > 0;
        cavities += info.cavities > 0;
        for (int round = 0; round < KINDS && i < count; ++round, ++i) {
            /* both turned alike one time in three: then a is turned as well */
            static const int still[4] = { 1, 0, 0, 0 };
            const bool both = alike || test_below(&r, 3) == 0;
            const int64_t none[3] = { 0, 0, 0 };
            int64_t shift[3];
            turn_body(&a, both ? q : still);
            turn_body(&b, q);
            if (!both)
                for (uint32_t k = 0; k < a.v.vertex_count; ++k)
                    for (int m = 0; m < 3; ++m)
                        a.at[k][m] *= norm;
            (void)pick(&r, small ? NESTED : round, shift, norm);
            /* cells of a: with the same factor */
            place_body(&b, q, shift);
            if (both)
                place_body(&a, q, none);
            else {
                const int scaled[4] = { 1, 0, 0, 0 };
                for (int k = 0; k < 9; ++k)
                    a.v.matrix[k / 3][k % 3] *= norm;
                place_body(&a, scaled, none);
                for (int k = 0; k < 9; ++k)
                    a.v.matrix[k / 3][k % 3] /= norm;
            }
            const int expected = referee();
            abut_check_result result;
            assert_int_equal(abut_check(a.shape, &a.pose, b.shape, &b.pose, NULL, NULL, &result), ABUT_OK);
            ++seen[expected];
            ++by_kind[small ? NESTED : round][expected];
            if (result.verdict == ABUT_UNDECIDED) {
                ++undecided;
                continue;
            }
            static const abut_verdict of[3] = { ABUT_SEPARATE, ABUT_TOUCHING, ABUT_PENETRATING };
            TEST_CHECK(result.verdict == of[expected] &&
                           (result.proof == ABUT_PROOF_EXACT || result.proof == ABUT_PROOF_INTERVAL),
                       "case %" PRIu64 ": %d, expected %d, proof %d", i, (int)result.verdict,
                       (int)of[expected], (int)result.proof);
            if (expected == 1)
                check_contacts(i, &total);
        }
        abut_shape_release(a.shape);
        abut_shape_release(b.shape);
        free(a.edges);
        free(b.edges);
    }
    print_message(
        "%d separate, %d touching, %d penetrating, %d undecided; %d contacts; %d with handles, %d with "
        "cavities\n",
        (int)seen[0], (int)seen[1], (int)seen[2], (int)undecided, (int)total, (int)handles, (int)cavities);
    for (int k = 0; k < KINDS; ++k)
        print_message("kind %d: %d %d %d\n", k, (int)by_kind[k][0], (int)by_kind[k][1], (int)by_kind[k][2]);
    assert_true(undecided * 1000 <= count);
    if (count >= 1000)
        assert_true(seen[0] > count / 20 && seen[1] > count / 20 && seen[2] > count / 20 && handles > 5 &&
                    cavities > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(random_pairs) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
