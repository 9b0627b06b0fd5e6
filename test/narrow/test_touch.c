/* SPDX-License-Identifier: MIT */
/* Contacts of two solids by entity: the cases of Vanecek's section 4, clusters, bands, regions. */
#include "abut/polyhedron.h"
#include "support/failing_allocator.h"

static abut_error e;
static abut_contact contacts[256];
static abut_touch_region regions[64];
static abut_vec3 points[512];
static const abut_touch_lists lists = { contacts, 256, regions, 64, points, 512 };
static abut_touch_result result;

/* Vertices: bit 0 x, bit 1 y, bit 2 z. */
static abut_shape *block(abut_vec3 lo, abut_vec3 hi)
{
    abut_vec3 v[8];
    for (int i = 0; i < 8; ++i)
        v[i] = (abut_vec3){ i & 1 ? hi.x : lo.x, i & 2 ? hi.y : lo.y, i & 4 ? hi.z : lo.z };
    const uint32_t sizes[6] = { 4, 4, 4, 4, 4, 4 };
    /* faces: x low, x high, y low, y high, z low, z high */
    const uint32_t of[24] = { 0, 4, 6, 2, 1, 3, 7, 5, 0, 1, 5, 4, 2, 6, 7, 3, 0, 2, 3, 1, 4, 5, 7, 6 };
    abut_shape *shape;
    assert_int_equal(abut_shape_create_polyhedron(v, 8, sizes, 6, of, 24, NULL, &shape, &e), ABUT_OK);
    return shape;
}

/* A pyramid with its apex (vertex 4) at the origin, pointing down; tilted by shifting its base. */
static abut_shape *pyramid(double tilt)
{
    const abut_vec3 v[5] = {
        { -1 + tilt, -1, 3 }, { 1 + tilt, -1, 3 }, { 1 + tilt, 1, 3 }, { -1 + tilt, 1, 3 }, { 0, 0, 0 }
    };
    const uint32_t sizes[5] = { 4, 3, 3, 3, 3 }, of[16] = { 0, 1, 2, 3, 1, 0, 4, 2, 1, 4, 3, 2, 4, 0, 3, 4 };
    abut_shape *shape;
    assert_int_equal(abut_shape_create_polyhedron(v, 5, sizes, 5, of, 16, NULL, &shape, &e), ABUT_OK);
    return shape;
}

static void ask(const abut_shape *a, const abut_shape *b, abut_vec3 at, double band)
{
    abut_touch_opts opts;
    abut_touch_opts_init(&opts);
    opts.band = band;
    opts.regions = true;
    const abut_pose pose = { at, { 1, 0, 0, 0 } };
    assert_int_equal(abut_touch(a, NULL, b, &pose, &opts, NULL, &lists, &result), ABUT_OK);
}

static void expect(size_t i, abut_feature f, int64_t p, abut_feature g, int64_t q, abut_vec3 n)
{
    const abut_contact *c = &contacts[i];
    TEST_CHECK(i < result.contact_count && c->features[0] == f && c->features[1] == g && c->ids[0] == p &&
                   c->ids[1] == q,
               "contact %zu of %zu: %s %d, %s %d", i, result.contact_count, abut_feature_name(c->features[0]),
               (int)c->ids[0], abut_feature_name(c->features[1]), (int)c->ids[1]);
    TEST_NEAR(c->normal.x, n.x, 1e-12, "x");
    TEST_NEAR(c->normal.y, n.y, 1e-12, "y");
    TEST_NEAR(c->normal.z, n.z, 1e-12, "z");
}

static const abut_vec3 up = { 0, 0, 1 };
#define V(x, y, z) ((abut_vec3){ (x), (y), (z) })

static void resting(void **state)
{
    (void)state;
    abut_shape *floor_block = block(V(-4, -4, -1), V(4, 4, 0)), *cube = block(V(0, 0, 0), V(1, 1, 1));
    ask(floor_block, cube, V(0, 0, 0), 0);
    assert_int_equal(result.verdict, ABUT_TOUCHING);
    assert_int_equal(result.proof, ABUT_PROOF_EXACT);
    assert_int_equal(result.contact_count, 4);
    for (int i = 0; i < 4; ++i)
        expect((size_t)i, ABUT_FEATURE_FACE, 5, ABUT_FEATURE_VERTEX, i, up);
    assert_int_equal(result.region_count, 1);
    assert_true(regions[0].count == 4 && regions[0].ids[0] == 5 && regions[0].ids[1] == 4);
    /* half over the rim: two corners, and two edges that cross */
    ask(floor_block, cube, V(3.5, 0, 0), 0);
    assert_int_equal(result.contact_count, 4);
    expect(0, ABUT_FEATURE_EDGE, abut_polyhedron_find_edge(floor_block, 5, 7), ABUT_FEATURE_EDGE,
           abut_polyhedron_find_edge(cube, 0, 1), up);
    assert_int_equal(result.region_count, 1);
    assert_int_equal(regions[0].count, 4);
    /* apart, and nearer than the band; too deep, and shallow */
    ask(floor_block, cube, V(0, 0, 0.0625), 0);
    assert_true(result.verdict == ABUT_SEPARATE && result.contact_count == 0);
    ask(floor_block, cube, V(0, 0, 0.0625), 0.125);
    assert_true(result.verdict == ABUT_TOUCHING && result.proof == ABUT_PROOF_INTERVAL);
    assert_int_equal(result.contact_count, 4);
    ask(floor_block, cube, V(0, 0, -0.125), 0);
    assert_true(result.verdict == ABUT_PENETRATING && !result.inside);
    ask(floor_block, cube, V(0, 0, -0.125), 0.25);
    assert_int_equal(result.verdict, ABUT_TOUCHING);
    ask(floor_block, cube, V(0, 0, -0.125), 0.0625);
    assert_int_equal(result.verdict, ABUT_PENETRATING);
    abut_shape_release(floor_block);
    abut_shape_release(cube);
}

static void cases(void **state)
{
    (void)state;
    abut_shape *cube = block(V(0, 0, 0), V(1, 1, 1)), *tip = pyramid(0);
    /* vertex on face, and the other way round */
    ask(cube, tip, V(0.25, 0.5, 1), 0);
    assert_int_equal(result.contact_count, 1);
    expect(0, ABUT_FEATURE_FACE, 5, ABUT_FEATURE_VERTEX, 4, up);
    const abut_pose pose = { { 0.25, 0.5, 1 }, { 1, 0, 0, 0 } };
    assert_int_equal(abut_touch(tip, &pose, cube, NULL, NULL, NULL, &lists, &result), ABUT_OK);
    expect(0, ABUT_FEATURE_VERTEX, 4, ABUT_FEATURE_FACE, 5, V(0, 0, -1));
    assert_true(contacts[0].point.x == 0.25 && contacts[0].point.y == 0.5 && contacts[0].point.z == 1);
    /* vertex on edge and on vertex */
    ask(cube, tip, V(1, 0.5, 1), 0);
    assert_int_equal(result.contact_count, 1);
    assert_true(contacts[0].features[0] == ABUT_FEATURE_EDGE &&
                contacts[0].features[1] == ABUT_FEATURE_VERTEX);
    assert_int_equal(contacts[0].ids[0], abut_polyhedron_find_edge(cube, 5, 7));
    assert_true(contacts[0].normal.z > 0.5 && contacts[0].normal.y == 0);
    ask(cube, tip, V(1, 1, 1), 0);
    assert_int_equal(result.contact_count, 1);
    assert_true(contacts[0].features[0] == ABUT_FEATURE_VERTEX && contacts[0].ids[0] == 7 &&
                contacts[0].features[1] == ABUT_FEATURE_VERTEX && contacts[0].ids[1] == 4);
    /* edges on one line: the edge, and its two ends */
    ask(cube, cube, V(1, 1, 0), 0);
    assert_int_equal(result.contact_count, 3);
    const double half = sqrt(0.5);
    const int64_t edge = abut_polyhedron_find_edge(cube, 3, 7), other = abut_polyhedron_find_edge(cube, 0, 4);
    expect(2, ABUT_FEATURE_EDGE, edge, ABUT_FEATURE_EDGE, other, V(half, half, 0));
    assert_int_equal(result.region_count, 1);
    assert_true(regions[0].count == 2 && regions[0].ids[0] == edge && regions[0].ids[1] == other);
    /* inside */
    abut_shape *small = block(V(0.25, 0.25, 0.25), V(0.5, 0.5, 0.5));
    ask(cube, small, V(0, 0, 0), 0);
    assert_true(result.verdict == ABUT_PENETRATING && result.inside);
    abut_shape_release(small);
    abut_shape_release(cube);
    abut_shape_release(tip);
}

/* Figure 7: the apex goes e deep into a face, 2 e from an edge of it, at a large incline. */
static void figure_7(void **state)
{
    (void)state;
    const double band = 1e-3;
    abut_shape *cube = block(V(0, 0, 0), V(1, 1, 1)), *tip = pyramid(12);
    ask(cube, tip, V(1 - 2 * band, 0.5, 1 - 0.5 * band), 0);
    assert_int_equal(result.verdict, ABUT_PENETRATING);
    ask(cube, tip, V(1 - 2 * band, 0.5, 1 - 0.5 * band), band);
    assert_int_equal(result.verdict, ABUT_TOUCHING);
    assert_true(result.found > 1);
    assert_int_equal(result.contact_count, 1);
    /* the apex with the edge that face and edges have in common */
    assert_true(contacts[0].features[0] == ABUT_FEATURE_EDGE &&
                contacts[0].ids[0] == abut_polyhedron_find_edge(cube, 5, 7));
    assert_true(contacts[0].features[1] == ABUT_FEATURE_VERTEX && contacts[0].ids[1] == 4);
    assert_true(contacts[0].normal.y == 0 && contacts[0].normal.z > 0);
    TEST_NEAR(contacts[0].point.x, 1 - band, 1e-15, "half way to the edge");
    abut_shape_release(cube);
    abut_shape_release(tip);
}

static void tracked(void **state)
{
    (void)state;
    abut_shape *floor_block = block(V(-4, -4, -1), V(4, 4, 0)), *cube = block(V(0, 0, 0), V(1, 1, 1));
    static abut_contact before[8];
    size_t was[8];
    ask(floor_block, cube, V(0, 0, 0), 0);
    memcpy(before, contacts, 4 * sizeof *before);
    ask(floor_block, cube, V(0.5, 0, 0), 0);
    assert_int_equal(abut_touch_track(before, 4, contacts, result.contact_count, was), ABUT_OK);
    for (size_t i = 0; i < 4; ++i)
        assert_int_equal(was[i], i);
    /* half over the rim: two corners stay, two crossings of edges are new */
    ask(floor_block, cube, V(3.5, 0, 0), 0);
    assert_int_equal(abut_touch_track(before, 4, contacts, result.contact_count, was), ABUT_OK);
    size_t fresh = 0;
    for (size_t i = 0; i < result.contact_count; ++i) {
        fresh += was[i] == SIZE_MAX;
        assert_true((was[i] == SIZE_MAX) == (contacts[i].features[0] == ABUT_FEATURE_EDGE));
        assert_true(was[i] == SIZE_MAX || before[was[i]].ids[1] == contacts[i].ids[1]);
    }
    assert_int_equal(fresh, 2);
    assert_int_equal(abut_touch_track(before, 0, contacts, 1, was), ABUT_OK);
    assert_true(was[0] == SIZE_MAX);
    assert_int_equal(abut_touch_track(NULL, 1, contacts, 1, was), ABUT_ERR_ARGUMENT);
    abut_shape_release(floor_block);
    abut_shape_release(cube);
}

/* A corner that comes straight down on a block, and an edge across an edge. */
static void estimated(void **state)
{
    (void)state;
    abut_shape *cube = block(V(0, 0, 0), V(1, 1, 1)), *tip = pyramid(0);
    abut_touch_estimate_result r;
    const abut_interval time = { 2, 4 };
    const abut_pose down[2] = { { { 0.5, 0.5, 1.25 }, { 1, 0, 0, 0 } },
                                { { 0.5, 0.5, 0.75 }, { 1, 0, 0, 0 } } };
    assert_int_equal(abut_touch_estimate(cube, NULL, tip, down, time, NULL, &r), ABUT_OK);
    assert_true(r.by_vertex && r.side == 1 && r.vertex == 4 && r.vertices_inside == 1);
    TEST_NEAR(r.time, 3, 1e-14, "time");
    const double h =
        sqrt(0.5); /* a bar turned by 45 degrees, edge down, across an edge of a bar turned alike */
    abut_shape *bar = block(V(-4, 0, 0), V(4, 1, 1)), *beam = block(V(0, -4, 0), V(1, 4, 1));
    const abut_quat roll = { cos(0.39269908169872414), sin(0.39269908169872414), 0, 0 },
                    pitch = { cos(0.39269908169872414), 0, -sin(0.39269908169872414), 0 };
    const abut_pose low[2] = { { { 0, 0, 0 }, roll }, { { 0, 0, 0 }, roll } };
    const abut_pose high[2] = { { { 0, 0, 2 * h + 0.25 }, pitch }, { { 0, 0, 2 * h - 0.25 }, pitch } };
    assert_int_equal(abut_touch_estimate(bar, low, beam, high, time, NULL, &r), ABUT_OK);
    assert_true(!r.by_vertex);
    TEST_NEAR(r.time, 3, 1e-9, "time");
    assert_int_equal(abut_touch_estimate(bar, low, NULL, high, time, NULL, &r), ABUT_ERR_ARGUMENT);
    assert_int_equal(abut_touch_estimate(bar, low, beam, high, (abut_interval){ 1, 1 }, NULL, &r),
                     ABUT_ERR_ARGUMENT);
    abut_shape_release(bar);
    abut_shape_release(beam);
    abut_shape_release(cube);
    abut_shape_release(tip);
}

static void arguments(void **state)
{
    (void)state;
    abut_shape *cube = block(V(0, 0, 0), V(1, 1, 1)), *ball;
    assert_int_equal(abut_shape_create_sphere(1, NULL, &ball), ABUT_OK);
    assert_int_equal(abut_touch(cube, NULL, ball, NULL, NULL, NULL, NULL, &result), ABUT_ERR_UNSUPPORTED);
    assert_int_equal(abut_touch(cube, NULL, NULL, NULL, NULL, NULL, NULL, &result), ABUT_ERR_ARGUMENT);
    assert_int_equal(abut_touch(cube, NULL, cube, NULL, NULL, NULL, NULL, NULL), ABUT_ERR_ARGUMENT);
    assert_int_equal(abut_touch(cube, NULL, cube, NULL, NULL, NULL, NULL, &result), ABUT_OK);
    assert_int_equal(result.verdict, ABUT_PENETRATING);
    assert_int_equal(abut_touch_at(cube, NULL, cube, NULL, NAN, NULL, NULL, NULL, &result),
                     ABUT_ERR_ARGUMENT);
    abut_touch_opts opts;
    abut_touch_opts_init(&opts);
    abut_touch_opts_init(NULL);
    opts.band = -1;
    assert_int_equal(abut_touch(cube, NULL, cube, NULL, &opts, NULL, NULL, &result), ABUT_ERR_ARGUMENT);
    opts.band = 0;
    opts.regions = true;
    const abut_pose beside = { { 1, 0.5, 0 }, { 1, 0, 0, 0 } };
    abut_status status;
    TEST_EVERY_ALLOCATION_FAILS(
        alloc,
        {
            abut_workspace *ws;
            status = abut_workspace_create(&alloc, &ws);
            if (!status) {
                status = abut_touch(cube, NULL, cube, &beside, &opts, ws, &lists, &result);
                abut_workspace_destroy(ws);
            }
        },
        status);
    abut_shape_release(cube);
    abut_shape_release(ball);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(resting),   cmocka_unit_test(cases),
                                        cmocka_unit_test(figure_7),  cmocka_unit_test(tracked),
                                        cmocka_unit_test(estimated), cmocka_unit_test(arguments) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
