/* SPDX-License-Identifier: MIT */
/* Meshes as shapes: what is accepted, edges and pieces, the report against counting by hand in
 * whole numbers, new places for the vertices. */
#include "abut/mesh.h"
#include "abut/predicates.h"
#include "shape/connect.h"
#include "support/failing_allocator.h"
#include "support/test.h"

enum { MOST_VERTICES = 64, MOST_TRIANGLES = 96 };

typedef struct soup {
    size_t vertex_count, triangle_count;
    abut_vec3 vertices[MOST_VERTICES];
    uint32_t triangles[3 * MOST_TRIANGLES];
} soup;

static uint32_t add_vertex(soup *s, double x, double y, double z)
{
    s->vertices[s->vertex_count] = (abut_vec3){ x, y, z };
    return (uint32_t)s->vertex_count++;
}

static void add_triangle(soup *s, uint32_t a, uint32_t b, uint32_t c)
{
    uint32_t *t = s->triangles + 3 * s->triangle_count++;
    t[0] = a, t[1] = b, t[2] = c;
}

/* Twelve triangles, turned outward; vertices of its own. */
static void add_cube(soup *s, double x, double y, double z, double size)
{
    static const uint32_t quads[6][4] = { { 0, 2, 3, 1 }, { 4, 5, 7, 6 }, { 0, 1, 5, 4 },
                                          { 2, 6, 7, 3 }, { 0, 4, 6, 2 }, { 1, 3, 7, 5 } };
    const uint32_t first = (uint32_t)s->vertex_count;
    for (int i = 0; i < 8; ++i)
        add_vertex(s, x + (i & 1 ? size : 0), y + (i & 2 ? size : 0), z + (i & 4 ? size : 0));
    for (int i = 0; i < 6; ++i) {
        add_triangle(s, first + quads[i][0], first + quads[i][1], first + quads[i][2]);
        add_triangle(s, first + quads[i][0], first + quads[i][2], first + quads[i][3]);
    }
}

static abut_status inspect(const soup *s, abut_mesh_report *r)
{
    return abut_mesh_inspect(s->vertices, s->vertex_count, s->triangles, s->triangle_count, NULL, r, NULL);
}

static abut_shape *make(const soup *s, bool solid)
{
    abut_shape *shape;
    abut_error e;
    TEST_CHECK(abut_shape_create_mesh(s->vertices, s->vertex_count, s->triangles, s->triangle_count, solid,
                                      NULL, &shape, &e) == ABUT_OK,
               "%s", e.text);
    return shape;
}

/* ---- the report by hand: coordinates are small whole numbers, so that everything is exact in
 * integers ---- */

static bool same_place(const soup *s, uint32_t i, uint32_t j)
{
    return s->vertices[i].x == s->vertices[j].x && s->vertices[i].y == s->vertices[j].y &&
           s->vertices[i].z == s->vertices[j].z;
}

static uint32_t place(const soup *s, uint32_t i)
{
    uint32_t first = 0;
    while (!same_place(s, first, i))
        ++first;
    return first;
}

static void cross_of(const soup *s, size_t t, long n[3])
{
    const abut_vec3 p = s->vertices[s->triangles[3 * t]], q = s->vertices[s->triangles[3 * t + 1]],
                    r = s->vertices[s->triangles[3 * t + 2]];
    const long u[3] = { (long)(q.x - p.x), (long)(q.y - p.y), (long)(q.z - p.z) };
    const long v[3] = { (long)(r.x - p.x), (long)(r.y - p.y), (long)(r.z - p.z) };
    n[0] = u[1] * v[2] - u[2] * v[1];
    n[1] = u[2] * v[0] - u[0] * v[2];
    n[2] = u[0] * v[1] - u[1] * v[0];
}

static bool collapsed(const uint32_t c[3])
{
    return c[0] == c[1] || c[1] == c[2] || c[2] == c[0];
}

static void corners_of(const soup *s, size_t t, uint32_t c[3])
{
    for (int k = 0; k < 3; ++k)
        c[k] = place(s, s->triangles[3 * t + k]);
}

/* Times that triangle t runs from place i to place j, less those the other way; *uses counts
 * both. */
static int runs(const soup *s, size_t t, uint32_t i, uint32_t j, int *uses)
{
    uint32_t c[3];
    int sum = 0;
    corners_of(s, t, c);
    for (int k = 0; k < 3 && !collapsed(c); ++k) {
        const uint32_t from = c[k], to = c[(k + 1) % 3];
        if (from == i && to == j)
            ++sum, ++*uses;
        if (from == j && to == i)
            --sum, ++*uses;
    }
    return sum;
}

static bool same_places(const soup *s, size_t t, size_t u)
{
    uint32_t c[3], d[3];
    corners_of(s, t, c);
    corners_of(s, u, d);
    static const int orders[6][3] = { { 0, 1, 2 }, { 1, 2, 0 }, { 2, 0, 1 },
                                      { 0, 2, 1 }, { 2, 1, 0 }, { 1, 0, 2 } };
    for (int k = 0; k < 6; ++k)
        if (c[0] == d[orders[k][0]] && c[1] == d[orders[k][1]] && c[2] == d[orders[k][2]])
            return true;
    return false;
}

static size_t components(const soup *s)
{
    size_t label[MOST_TRIANGLES], count = 0;
    for (size_t t = 0; t < s->triangle_count; ++t)
        label[t] = t;
    for (bool changed = true; changed;) {
        changed = false;
        for (size_t t = 0; t < s->triangle_count; ++t)
            for (size_t u = 0; u < t; ++u) {
                uint32_t c[3], d[3];
                corners_of(s, t, c);
                corners_of(s, u, d);
                bool joined = false;
                for (int k = 0; k < 9; ++k)
                    joined = joined || c[k / 3] == d[k % 3];
                if (joined && label[t] != label[u]) {
                    label[t] = label[u] = label[t] < label[u] ? label[t] : label[u];
                    changed = true;
                }
            }
    }
    for (size_t t = 0; t < s->triangle_count; ++t)
        count += label[t] == t;
    return count;
}

/* Runs through an edge of two triangles the same way as another: 1, the other way: -1, no such
 * edge: 0. */
static int neighbours(const soup *s, size_t t, size_t u)
{
    uint32_t c[3];
    corners_of(s, t, c);
    for (int k = 0; k < 3; ++k) {
        const uint32_t i = c[k], j = c[(k + 1) % 3];
        int uses = 0, with_t = 0, with_u = 0;
        const int of_t = runs(s, t, i, j, &with_t), of_u = runs(s, u, i, j, &with_u);
        if (with_t != 1 || with_u != 1)
            continue;
        for (size_t other = 0; other < s->triangle_count; ++other)
            (void)runs(s, other, i, j, &uses);
        if (uses == 2)
            return of_t * of_u;
    }
    return 0;
}

/* Triangles that are to be turned round, spreading from one to the next; SIZE_MAX where two ways
 * lead to different results. */
static size_t flipped_faces(const soup *s)
{
    int turn[MOST_TRIANGLES] = { 0 };
    size_t count = 0;
    for (size_t first = 0; first < s->triangle_count; ++first) {
        if (turn[first])
            continue;
        size_t queue[MOST_TRIANGLES], end = 0, contrary = 0;
        turn[queue[end++] = first] = 1;
        for (size_t at = 0; at < end; ++at) {
            contrary += turn[queue[at]] < 0;
            for (size_t u = 0; u < s->triangle_count; ++u) {
                const int way = u == queue[at] ? 0 : neighbours(s, queue[at], u);
                if (way && !turn[u])
                    turn[queue[end++] = u] = -way * turn[queue[at]];
                else if (way && turn[u] != -way * turn[queue[at]])
                    return SIZE_MAX;
            }
        }
        count += contrary < end - contrary ? contrary : end - contrary;
    }
    return count;
}

static void report_by_hand(const soup *s, abut_mesh_report *r)
{
    *r = (abut_mesh_report){ .vertices = s->vertex_count, .triangles = s->triangle_count };
    long six = 0;
    for (uint32_t i = 0; i < s->vertex_count; ++i) {
        bool used = false;
        for (size_t k = 0; k < 3 * s->triangle_count; ++k)
            used = used || s->triangles[k] == i;
        r->unused_vertices += !used;
        r->duplicate_vertices += place(s, i) != i;
    }
    for (size_t t = 0; t < s->triangle_count; ++t) {
        long n[3];
        cross_of(s, t, n);
        r->degenerate += n[0] == 0 && n[1] == 0 && n[2] == 0;
        r->area += 0.5 * sqrt((double)(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]));
        const abut_vec3 p = s->vertices[s->triangles[3 * t]];
        six += n[0] * (long)p.x + n[1] * (long)p.y + n[2] * (long)p.z;
        for (size_t u = 0; u < t; ++u)
            if (same_places(s, t, u)) {
                ++r->duplicate;
                break;
            }
    }
    for (uint32_t i = 0; i < s->vertex_count; ++i)
        for (uint32_t j = i + 1; j < s->vertex_count; ++j) {
            int uses = 0, sum = 0;
            for (size_t t = 0; t < s->triangle_count; ++t)
                sum += runs(s, t, i, j, &uses);
            r->edges += uses > 0;
            r->open_edges += uses == 1;
            r->crowded_edges += uses > 2;
            r->flipped += uses == 2 && sum != 0;
        }
    r->flipped_faces = flipped_faces(s);
    r->components = components(s);
    r->closed = r->edges > 0 && r->open_edges == 0 && r->crowded_edges == 0;
    r->oriented = r->closed && r->flipped == 0;
    r->outward = r->oriented && six > 0;
    r->volume = r->oriented ? (double)six / 6 : 0;
}

static void compare(const soup *s, uint64_t seed)
{
    abut_mesh_report found, expected;
    assert_int_equal(inspect(s, &found), ABUT_OK);
    report_by_hand(s, &expected);
#define SAME(field)                                                                         \
    TEST_CHECK(found.field == expected.field, "seed %" PRIu64 ": %zu instead of %zu", seed, \
               (size_t)found.field, (size_t)expected.field)
    SAME(vertices);
    SAME(triangles);
    SAME(unused_vertices);
    SAME(duplicate_vertices);
    SAME(degenerate);
    SAME(duplicate);
    SAME(edges);
    SAME(open_edges);
    SAME(crowded_edges);
    SAME(flipped);
    TEST_CHECK(found.flipped_faces <= found.triangles / 2, "seed %" PRIu64 ": %zu", seed,
               found.flipped_faces);
    if (expected.flipped_faces != SIZE_MAX)
        SAME(flipped_faces);
    SAME(components);
    SAME(closed);
    SAME(oriented);
    SAME(outward);
#undef SAME
    TEST_NEAR(found.area, expected.area, 1e-12 * (1 + expected.area), "seed %" PRIu64, seed);
    TEST_NEAR(found.volume, expected.volume, 1e-12 * (1 + fabs(expected.volume)), "seed %" PRIu64, seed);
}

/* Few places, so that everything that can be wrong is. */
static void random_soup(test_random *r, soup *s)
{
    *s = (soup){ 0 };
    const unsigned wide = 2 + test_below(r, 3);
    const size_t vertices = 3 + test_below(r, 30), triangles = 1 + test_below(r, 40);
    for (size_t i = 0; i < vertices; ++i) {
        add_vertex(s, test_below(r, wide), test_below(r, wide), test_below(r, wide));
        if (test_below(r, 8) == 0)
            s->vertices[i].x = -0.0;
    }
    for (size_t i = 0; i < triangles; ++i)
        add_triangle(s, test_below(r, (unsigned)vertices), test_below(r, (unsigned)vertices),
                     test_below(r, (unsigned)vertices));
}

/* Cubes, some of them the same or inside one another, with a few things done to them. */
static void random_cubes(test_random *r, soup *s)
{
    *s = (soup){ 0 };
    const unsigned cubes = 1 + test_below(r, 4);
    for (unsigned i = 0; i < cubes; ++i)
        add_cube(s, test_below(r, 3), test_below(r, 3), test_below(r, 3), 1 + test_below(r, 2));
    for (unsigned mischief = test_below(r, 4); mischief > 0; --mischief) {
        uint32_t *t = s->triangles + 3 * test_below(r, (unsigned)s->triangle_count);
        const uint32_t other = test_below(r, (unsigned)s->vertex_count);
        switch (test_below(r, 6)) {
        case 0: /* all of one cube turned round */
            for (size_t k = 0; k < 12; ++k) {
                uint32_t *u = s->triangles + 3 * k, swap = u[0];
                u[0] = u[1], u[1] = swap;
            }
            break;
        case 1: {
            const uint32_t swap = t[0];
            t[0] = t[1], t[1] = swap;
            break;
        }
        case 2: t[test_below(r, 3)] = other; break;
        case 3: add_triangle(s, t[0], t[1], t[1]); break;
        case 4: add_triangle(s, t[1], t[2], t[0]); break;
        default: --s->triangle_count; break;
        }
    }
}

static void report_counts_what_is_there(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < test_count(3000); ++seed) {
        test_random r = test_seed(seed);
        soup s;
        if (seed % 2)
            random_cubes(&r, &s);
        else
            random_soup(&r, &s);
        compare(&s, seed);
    }
    abut_mesh_report report;
    assert_int_equal(abut_mesh_inspect(NULL, 0, NULL, 0, NULL, &report, NULL), ABUT_OK);
    assert_false(report.closed);
    const abut_vec3 lonely = { 1, 2, 3 };
    assert_int_equal(abut_mesh_inspect(&lonely, 1, NULL, 0, NULL, &report, NULL), ABUT_OK);
    assert_int_equal(report.unused_vertices, 1);
    const uint32_t far[3] = { 0, 1, 0 };
    assert_int_equal(abut_mesh_inspect(&lonely, 1, far, 1, NULL, &report, NULL), ABUT_ERR_ARGUMENT);
    assert_int_equal(abut_mesh_inspect(NULL, 3, far, 1, NULL, &report, NULL), ABUT_ERR_ARGUMENT);
    abut_shape *ball;
    assert_int_equal(abut_shape_create_sphere(1, NULL, &ball), ABUT_OK);
    assert_int_equal(abut_shape_inspect(ball, &report), ABUT_ERR_ARGUMENT);
    abut_hierarchy_info info;
    assert_int_equal(abut_shape_get_hierarchy(ball, &info), ABUT_ERR_ARGUMENT);
    abut_shape_release(ball);
}

/* A mesh is a solid exactly when the report says that it is closed, oriented and turned outward. */
static void solids_are_what_the_report_says(void **state)
{
    (void)state;
    size_t solids = 0;
    for (uint64_t seed = 0; seed < test_count(3000); ++seed) {
        test_random r = test_seed(seed);
        soup s;
        random_cubes(&r, &s);
        abut_mesh_report report;
        assert_int_equal(inspect(&s, &report), ABUT_OK);
        abut_shape *shape;
        abut_error e;
        const abut_status status = abut_shape_create_mesh(s.vertices, s.vertex_count, s.triangles,
                                                          s.triangle_count, true, NULL, &shape, &e);
        TEST_CHECK((status == ABUT_OK) == report.outward, "seed %" PRIu64 ": %s", seed, e.text);
        assert_true(status == ABUT_OK || (status == ABUT_ERR_ARGUMENT && !shape && e.text[0]));
        if (status)
            continue;
        ++solids;
        const abut_faceted_data *mesh = &shape->u.faceted;
        assert_int_equal(mesh->edge_count, report.edges);
        assert_int_equal(abut_shape_get_counts(shape).edges, report.edges);
        for (size_t i = 0; i < mesh->edge_count; ++i) {
            const uint32_t *ends = mesh->edge_ends + 2 * i, *faces = mesh->edge_faces + 2 * i;
            int uses = 0;
            assert_true(ends[0] < ends[1]);
            assert_true(i == 0 || ends[-2] < ends[0] || (ends[-2] == ends[0] && ends[-1] < ends[1]));
            TEST_CHECK(runs(&s, faces[0], ends[0], ends[1], &uses) == 1 &&
                           runs(&s, faces[1], ends[0], ends[1], &uses) == -1,
                       "seed %" PRIu64 ", edge %zu", seed, i);
            assert_int_equal(abut_edge_find(mesh, ends[1], ends[0]), i);
        }
        assert_int_equal(abut_edge_find(mesh, UINT32_MAX, 0), -1);
        const abut_mesh_pieces *pieces = abut_shape_pieces(shape);
        assert_non_null(pieces);
        assert_ptr_equal(pieces, abut_shape_pieces(shape));
        assert_int_equal(pieces->count, report.components);
        for (size_t i = 0; i < pieces->count; ++i)
            assert_int_equal(pieces->of_face[pieces->first[i]], i);
        for (size_t t = 0; t < s.triangle_count; ++t)
            for (size_t u = 0; u < t; ++u)
                for (int k = 0; k < 9; ++k)
                    if (same_place(&s, s.triangles[3 * t + k / 3], s.triangles[3 * u + k % 3]))
                        assert_int_equal(pieces->of_face[t], pieces->of_face[u]);
        abut_shape_release(shape);
    }
    TEST_CHECK(solids > test_count(3000) / 8, "only %zu solids", solids);
}

/* Edges of a surface go by index. */
static void surfaces_may_be_anything(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < test_count(500); ++seed) {
        test_random r = test_seed(seed);
        soup s;
        random_soup(&r, &s);
        abut_shape *shape = make(&s, false);
        size_t edges = 0;
        for (uint32_t i = 0; i < s.vertex_count; ++i)
            for (uint32_t j = i + 1; j < s.vertex_count; ++j) {
                bool there = false;
                for (size_t t = 0; t < s.triangle_count; ++t) {
                    const uint32_t *c = s.triangles + 3 * t;
                    for (int k = 0; k < 3 && !collapsed(c); ++k)
                        there =
                            there || (c[k] == i && c[(k + 1) % 3] == j) || (c[k] == j && c[(k + 1) % 3] == i);
                }
                edges += there;
            }
        TEST_CHECK(abut_shape_get_counts(shape).edges == edges, "seed %" PRIu64, seed);
        abut_mesh_report a, b;
        assert_int_equal(inspect(&s, &a), ABUT_OK);
        assert_int_equal(abut_shape_inspect(shape, &b), ABUT_OK);
        assert_memory_equal(&a, &b, sizeof a);
        abut_vec3 corners[3];
        for (size_t t = 0; t < s.triangle_count; ++t) {
            assert_int_equal(abut_shape_get_triangle(shape, t, corners), ABUT_OK);
            for (int k = 0; k < 3; ++k)
                assert_memory_equal(&corners[k], &s.vertices[s.triangles[3 * t + (size_t)k]],
                                    sizeof *corners);
        }
        assert_int_equal(abut_shape_get_triangle(shape, s.triangle_count, corners), ABUT_ERR_ARGUMENT);
        abut_hierarchy_info info;
        assert_int_equal(abut_shape_get_hierarchy(shape, &info), ABUT_OK);
        assert_true(info.total_bytes >= info.bytes + 24 * s.vertex_count + 12 * s.triangle_count);
        abut_shape_release(shape);
    }
}

/* A hub with more spokes than buckets are sorted by insertion. */
static void fans_have_many_edges_at_a_vertex(void **state)
{
    (void)state;
    enum { SPOKES = 300 };
    static abut_vec3 v[SPOKES + 2];
    static uint32_t t[6 * SPOKES];
    v[0] = (abut_vec3){ 0, 0, 1 };
    v[1] = (abut_vec3){ 0, 0, -1 };
    for (uint32_t i = 0; i < SPOKES; ++i) {
        const uint32_t at = 2 + (i * 7) % SPOKES, next = 2 + (i * 7 + 7) % SPOKES;
        v[at] = (abut_vec3){ cos(i * 6.28 / SPOKES), sin(i * 6.28 / SPOKES), 0 };
        const uint32_t two[6] = { 0, at, next, 1, next, at };
        memcpy(t + 6 * i, two, sizeof two);
    }
    abut_shape *shape;
    assert_int_equal(abut_shape_create_mesh(v, SPOKES + 2, t, 2 * SPOKES, true, NULL, &shape, NULL), ABUT_OK);
    assert_int_equal(abut_shape_get_counts(shape).edges, 3 * SPOKES);
    abut_shape_release(shape);
}

/* Slivers whose volume drowns in the rounding of its parts: the sign is that of the exact
 * predicate. */
static void thin_solids_are_turned_right(void **state)
{
    (void)state;
    size_t decided = 0;
    const size_t count = test_count(3000);
    for (uint64_t seed = 0; seed < count; ++seed) {
        test_random r = test_seed(seed);
        const double size = test_log_uniform(&r, -450, 450), u = test_uniform(&r, -1, 2),
                     w = test_uniform(&r, -1, 2);
        abut_vec3 p[4];
        for (int i = 0; i < 3; ++i)
            p[i] = (abut_vec3){ size * test_uniform(&r, -1, 1), size * test_uniform(&r, -1, 1),
                                size * test_uniform(&r, -1, 1) };
        p[3] = (abut_vec3){ p[0].x + u * (p[1].x - p[0].x) + w * (p[2].x - p[0].x),
                            p[0].y + u * (p[1].y - p[0].y) + w * (p[2].y - p[0].y),
                            p[0].z + u * (p[1].z - p[0].z) + w * (p[2].z - p[0].z) };
        const uint32_t t[12] = { 0, 2, 1, 0, 1, 3, 1, 2, 3, 2, 0, 3 };
        abut_mesh_report report;
        assert_int_equal(abut_mesh_inspect(p, 4, t, 4, NULL, &report, NULL), ABUT_OK);
        const int sign = -abut_orient3d(p[0], p[1], p[2], p[3]);
        assert_true(report.closed && report.oriented);
        TEST_CHECK(report.volume == 0 || (report.volume > 0) == (sign > 0), "seed %" PRIu64 ": %a", seed,
                   report.volume);
        TEST_CHECK(!report.outward || sign > 0, "seed %" PRIu64, seed);
        decided += sign == 0 || (report.outward == (sign > 0));
    }
    TEST_CHECK(decided == count, "%zu of %zu", decided, count);
}

static void options_are_checked(void **state)
{
    (void)state;
    soup s = { 0 };
    add_cube(&s, 0, 0, 0, 1);
    abut_shape *shape;
    abut_error e;
    abut_mesh_opts opts, bad;
    abut_mesh_opts_init(&opts);
#define CREATE(o)                                                                                           \
    abut_shape_create_mesh_with(s.vertices, s.vertex_count, s.triangles, s.triangle_count, o, NULL, &shape, \
                                &e)
    assert_int_equal(CREATE(NULL), ABUT_OK);
    assert_false(shape->u.faceted.solid);
    abut_shape_release(shape);
    bad = opts;
    bad.struct_size = 0;
    assert_int_equal(CREATE(&bad), ABUT_ERR_ARGUMENT);
    bad = opts;
    bad.volume = ABUT_VOLUME_COUNT;
    assert_int_equal(CREATE(&bad), ABUT_ERR_ARGUMENT);
    bad = opts;
    bad.builder = (abut_builder)-1;
    assert_int_equal(CREATE(&bad), ABUT_ERR_ARGUMENT);
    bad = opts;
    bad.covariance = ABUT_COVARIANCE_COUNT;
    assert_int_equal(CREATE(&bad), ABUT_ERR_ARGUMENT);
    assert_null(shape);
    for (int volume = 0; volume < ABUT_VOLUME_COUNT; ++volume)
        for (int builder = 0; builder < ABUT_BUILDER_COUNT; ++builder) {
            opts.volume = (abut_volume)volume;
            opts.builder = (abut_builder)builder;
            opts.solid = builder % 2;
            assert_int_equal(CREATE(&opts), ABUT_OK);
            abut_hierarchy_info info;
            assert_int_equal(abut_shape_get_hierarchy(shape, &info), ABUT_OK);
            assert_int_equal(info.volume, volume);
            assert_true(info.total_bytes > info.bytes);
            abut_shape_release(shape);
        }
#undef CREATE
}

static void updates_change_all_or_nothing(void **state)
{
    (void)state;
    soup s = { 0 };
    add_cube(&s, 0, 0, 0, 1);
    add_cube(&s, 1, 0, 0, 1); /* shares four places */
    for (int i = 8; i < 16; ++i)
        s.vertices[i].x += 4;
    s.vertices[0] = (abut_vec3){ 0, 0, 0 };
    add_vertex(&s, 0, 0, 0); /* at the place of vertex 0, instead of which one triangle uses it */
    s.triangles[0] = (uint32_t)s.vertex_count - 1;
    abut_error e;
    for (int solid = 0; solid < 2; ++solid) {
        abut_shape *shape = make(&s, solid);
        const abut_faceted_data *mesh = &shape->u.faceted;
        abut_vec3 moved[MOST_VERTICES], before[MOST_VERTICES];
        for (size_t i = 0; i < s.vertex_count; ++i)
            moved[i] = (abut_vec3){ 2 * s.vertices[i].x - 5, s.vertices[i].z, -s.vertices[i].y };
        assert_int_equal(abut_shape_update_mesh(shape, moved, s.vertex_count, &e), ABUT_OK);
        assert_memory_equal(mesh->vertices, moved, s.vertex_count * sizeof *moved);
        const abut_aabb box = abut_shape_bounds(shape);
        assert_true(box.lo.x == -5 && box.hi.x == 7 && box.lo.z == -1 && box.hi.y == 1);

        memcpy(before, moved, sizeof before);
        abut_shape_retain(shape);
        assert_int_equal(abut_shape_update_mesh(shape, s.vertices, s.vertex_count, &e), ABUT_ERR_ARGUMENT);
        abut_shape_release(shape);
        assert_int_equal(abut_shape_update_mesh(shape, s.vertices, s.vertex_count - 1, &e),
                         ABUT_ERR_ARGUMENT);
        assert_int_equal(abut_shape_update_mesh(shape, NULL, s.vertex_count, NULL), ABUT_ERR_ARGUMENT);
        moved[7].y = NAN;
        assert_int_equal(abut_shape_update_mesh(shape, moved, s.vertex_count, &e), ABUT_ERR_ARGUMENT);
        assert_int_equal(e.index, 7);
        for (size_t i = 0; i < s.vertex_count; ++i) /* a mirror turns it inside out */
            moved[i] = (abut_vec3){ -before[i].x, before[i].y, before[i].z };
        assert_int_equal(abut_shape_update_mesh(shape, moved, s.vertex_count, &e),
                         solid ? ABUT_ERR_ARGUMENT : ABUT_OK);
        if (!solid)
            assert_int_equal(abut_shape_update_mesh(shape, before, s.vertex_count, &e), ABUT_OK);
        memcpy(moved, before, sizeof moved);
        moved[s.vertex_count - 1].x += 0.25; /* and this opens it */
        assert_int_equal(abut_shape_update_mesh(shape, moved, s.vertex_count, &e),
                         solid ? ABUT_ERR_ARGUMENT : ABUT_OK);
        if (!solid)
            assert_int_equal(abut_shape_update_mesh(shape, before, s.vertex_count, &e), ABUT_OK);
        assert_memory_equal(mesh->vertices, before, s.vertex_count * sizeof *before);
        const abut_aabb after = abut_shape_bounds(shape);
        assert_memory_equal(&box, &after, sizeof box);
        abut_shape_release(shape);
    }
    abut_shape *ball;
    assert_int_equal(abut_shape_create_sphere(1, NULL, &ball), ABUT_OK);
    assert_int_equal(abut_shape_update_mesh(ball, s.vertices, s.vertex_count, &e), ABUT_ERR_ARGUMENT);
    abut_shape_release(ball);
    assert_int_equal(abut_shape_update_mesh(NULL, s.vertices, s.vertex_count, &e), ABUT_ERR_ARGUMENT);
}

/* Whatever is not to be had is said; how many requests there are. */
static uint64_t inspect_without_memory(const soup *s, abut_mesh_report *report)
{
    uint64_t rounds = 0;
    abut_status status;
    TEST_EVERY_ALLOCATION_FAILS(
        alloc,
        {
            status = abut_mesh_inspect(s->vertices, s->vertex_count, s->triangles, s->triangle_count, &alloc,
                                       report, NULL);
            TEST_CHECK((status == ABUT_ERR_MEMORY) == (test_f.requests > test_n),
                       "allocation %" PRIu64 " fails: status %d", test_n, (int)status);
            rounds += status == ABUT_ERR_MEMORY;
        },
        status);
    return rounds;
}

static void memory_may_run_out_anywhere(void **state)
{
    (void)state;
    soup s = { 0 };
    add_cube(&s, 0, 0, 0, 1);
    abut_status status;
    abut_shape *shape;
    abut_mesh_report report;
    abut_mesh_opts opts;
    abut_mesh_opts_init(&opts);
    for (int volume = 0; volume < ABUT_VOLUME_COUNT; ++volume) {
        opts.volume = (abut_volume)volume;
        opts.solid = volume % 2;
        TEST_EVERY_ALLOCATION_FAILS(
            alloc,
            {
                status = abut_shape_create_mesh_with(s.vertices, s.vertex_count, s.triangles,
                                                     s.triangle_count, &opts, &alloc, &shape, NULL);
                assert_true((status == ABUT_OK) == (shape != NULL));
                if (shape && !abut_shape_pieces(shape))
                    status = ABUT_ERR_MEMORY;
                abut_shape_release(shape);
            },
            status);
    }
    const uint64_t requests = inspect_without_memory(&s, &report);
    assert_true(report.outward);
    /* Faces that are contrary to their neighbours are counted with three arrays more. */
    const uint32_t first = s.triangles[0];
    s.triangles[0] = s.triangles[1];
    s.triangles[1] = first;
    assert_true(inspect_without_memory(&s, &report) == requests + 3);
    assert_true(report.closed && !report.oriented && report.flipped_faces == 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(report_counts_what_is_there),   cmocka_unit_test(solids_are_what_the_report_says),
        cmocka_unit_test(surfaces_may_be_anything),      cmocka_unit_test(fans_have_many_edges_at_a_vertex),
        cmocka_unit_test(thin_solids_are_turned_right),  cmocka_unit_test(options_are_checked),
        cmocka_unit_test(updates_change_all_or_nothing), cmocka_unit_test(memory_may_run_out_anywhere),
    };
    return cmocka_run_group_tests_name("mesh_shape", tests, NULL, NULL);
}
