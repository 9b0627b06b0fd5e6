/* SPDX-License-Identifier: MIT */
/* CAD solids against each other and other bodies: closed forms that anyone can work out by hand. */
#include "abut/query.h"
#include "abut/solid.h"
#include "support/failing_allocator.h"
#include "support/test.h"

#include <math.h>

static abut_shape *make_plate(const abut_allocator *alloc)
{
    const abut_profile_vertex outer[] = { { -3, -2, 0 }, { 3, -2, 0 }, { 3, 2, 0 }, { -3, 2, 0 } };
    const double at[4][2] = { { -2, -1 }, { 2, -1 }, { 2, 1 }, { -2, 1 } };
    abut_profile_vertex corners[4][2];
    abut_profile_loop holes[4];
    for (int i = 0; i < 4; ++i) {
        corners[i][0] = (abut_profile_vertex){ at[i][0] + 0.5, at[i][1], -1 };
        corners[i][1] = (abut_profile_vertex){ at[i][0] - 0.5, at[i][1], -1 };
        holes[i] = (abut_profile_loop){ corners[i], 2 };
    }
    const abut_profile_loop loop = { outer, 4 };
    abut_shape *shape = NULL;
    (void)abut_shape_create_extrude(&loop, holes, 4, 1, 0, alloc, &shape, NULL);
    return shape;
}

static abut_shape *make_bolt(const abut_allocator *alloc)
{
    const abut_profile_vertex v[] = { { 0, -1, 0 },  { 0.45, -1, 0 }, { 0.45, 1, 0 },
                                      { 0.8, 1, 0 }, { 0.8, 1.5, 0 }, { 0, 1.5, 0 } };
    const abut_profile_loop loop = { v, 6 };
    abut_shape *shape = NULL;
    (void)abut_shape_create_revolve(&loop, 0, alloc, &shape, NULL);
    return shape;
}

/* A capsule-like solid from cylinder, disc and half sphere, as an explicit solid. */
static abut_shape *make_pin(const abut_allocator *alloc)
{
    const abut_solid_surface surfaces[] = {
        { .kind = ABUT_SOLID_CYLINDER, .axis = { 0, 0, 1 }, .radius = 1 },
        { .kind = ABUT_SOLID_PLANE, .axis = { 0, 0, -1 } },
        { .kind = ABUT_SOLID_SPHERE, .point = { 0, 0, 2 }, .radius = 1 },
    };
    const abut_vec3 vertices[] = { { 1, 0, 0 }, { 1, 0, 2 } };
    const abut_solid_edge edges[] = {
        { .kind = ABUT_SOLID_EDGE_CIRCLE, .from = 0, .to = 0, .center = { 0, 0, 0 }, .axis = { 0, 0, 1 } },
        { .kind = ABUT_SOLID_EDGE_CIRCLE, .from = 1, .to = 1, .center = { 0, 0, 2 }, .axis = { 0, 0, 1 } },
    };
    const abut_solid_coedge uses[] = { { 0, 1 }, { 1, -1 }, { 0, -1 }, { 1, 1 } };
    const abut_solid_loop loops[] = { { &uses[0], 1 }, { &uses[1], 1 }, { &uses[2], 1 }, { &uses[3], 1 } };
    const abut_solid_face faces[] = { { 0, 1, &loops[0], 2 },
                                      { 1, 1, &loops[2], 1 },
                                      { 2, 1, &loops[3], 1 } };
    const abut_solid_def def = { surfaces, 3, vertices, 2, edges, 2, faces, 3, 0 };
    abut_shape *shape = NULL;
    abut_error error;
    if (abut_shape_create_solid(&def, alloc, &shape, &error))
        print_message("%s\n", error.text);
    return shape;
}

static abut_pose at(double x, double y, double z)
{
    return (abut_pose){ { x, y, z }, { 1, 0, 0, 0 } };
}

static void expect_distance(const abut_shape *a, abut_pose pa, const abut_shape *b, abut_pose pb,
                            double distance)
{
    abut_check_result r;
    for (int swapped = 0; swapped < 2; ++swapped) {
        assert_int_equal(swapped ? abut_check(b, &pb, a, &pa, NULL, NULL, &r)
                                 : abut_check(a, &pa, b, &pb, NULL, NULL, &r),
                         ABUT_OK);
        assert_int_equal(r.verdict, ABUT_SEPARATE);
        assert_int_equal(r.proof, ABUT_PROOF_INTERVAL);
        if (!(r.distance.lo <= distance && distance <= r.distance.hi && r.distance.hi - r.distance.lo < 4e-6))
            print_message("[%.17g, %.17g] should hold %.17g\n", r.distance.lo, r.distance.hi, distance);
        assert_true(r.distance.lo <= distance && distance <= r.distance.hi);
        assert_true(r.distance.hi - r.distance.lo < 4e-6);
        assert_true(r.has_points);
    }
    abut_overlap_result o;
    assert_int_equal(abut_overlap(a, &pa, b, &pb, NULL, NULL, &o), ABUT_OK);
    assert_int_equal(o.verdict, ABUT_SEPARATE);
}

static void expect_penetrating(const abut_shape *a, abut_pose pa, const abut_shape *b, abut_pose pb)
{
    abut_check_result r;
    assert_int_equal(abut_check(a, &pa, b, &pb, NULL, NULL, &r), ABUT_OK);
    assert_int_equal(r.verdict, ABUT_PENETRATING);
    assert_int_equal(r.contact_count, 1);
    abut_overlap_result o;
    assert_int_equal(abut_overlap(b, &pb, a, &pa, NULL, NULL, &o), ABUT_OK);
    assert_int_equal(o.verdict, ABUT_PENETRATING);
}

static void bolts_and_plates(void **state)
{
    (void)state;
    abut_shape *plate = make_plate(NULL), *bolt = make_bolt(NULL), *ball, *small, *box;
    assert_non_null(plate);
    assert_non_null(bolt);
    abut_shape_create_sphere(0.5, NULL, &ball);
    abut_shape_create_sphere(0.2, NULL, &small);
    abut_shape_create_box((abut_vec3){ 0.5, 0.5, 0.5 }, NULL, &box);
    /* Off its hole's axis by 0.04: 0.5 - 0.45 - 0.04. Aside: the head (radius 0.8) to the plate's side. */
    expect_distance(bolt, at(-2.04, -1, 0.5), plate, at(0, 0, 0), 0.01);
    expect_distance(bolt, at(5, 0.3, 0), plate, at(0, 0, 0), 1.2);
    expect_penetrating(bolt, at(-2.06, -1, 0.5), plate, at(0, 0, 0));
    expect_penetrating(bolt, at(0, 0, 0), plate, at(0, 0, 0));
    /* On the plate, over the rim of a hole, beside a corner, inside. */
    expect_distance(ball, at(0, 0, 1.75), plate, at(0, 0, 0), 0.25);
    expect_distance(ball, at(-2, -1, 1.75), plate, at(0, 0, 0), hypot(0.75, 0.5) - 0.5);
    expect_distance(ball, at(4, 3, 2), plate, at(0, 0, 0), sqrt(3) - 0.5);
    expect_penetrating(small, at(0, 0, 0.5), plate, at(0, 0, 0));
    expect_distance(small, at(-2, -1, 0.5), plate, at(0, 0, 0), 0.3);
    expect_distance(box, at(4, 0, 0.5), plate, at(0, 0, 0), 0.5);
    expect_distance(box, at(4, 3, 2.5), plate, at(0, 0, 0), sqrt(0.25 + 0.25 + 1));
    expect_penetrating(box, at(2.9, 0, 0.5), plate, at(0, 0, 0));
    abut_shape_release(plate);
    abut_shape_release(bolt);
    abut_shape_release(ball);
    abut_shape_release(small);
    abut_shape_release(box);
}

static void explicit_solids(void **state)
{
    (void)state;
    abut_shape *pin = make_pin(NULL), *ball, *plane;
    assert_non_null(pin);
    abut_shape_create_sphere(0.5, NULL, &ball);
    abut_shape_create_halfspace((abut_vec3){ 0, 0, 1 }, -1, NULL, &plane);
    expect_distance(ball, at(0, 0, 4), pin, at(0, 0, 0), 0.5);
    expect_distance(ball, at(2, 0, 1), pin, at(0, 0, 0), 0.5);
    expect_distance(ball, at(3, 0, -1), pin, at(0, 0, 0), sqrt(5) - 0.5);
    expect_distance(pin, at(0, 0, 0), plane, at(0, 0, 0), 1);
    expect_distance(pin, at(0, 0, 0), pin, at(3, 0, 0.5), 1);
    expect_penetrating(ball, at(0, 0, 3.4), pin, at(0, 0, 0));
    expect_penetrating(ball, at(0.1, 0, 1), pin, at(0, 0, 0));
    expect_penetrating(pin, at(0, 0, 0), pin, at(1.9, 0, 0.5));
    abut_shape_release(pin);
    abut_shape_release(ball);
    abut_shape_release(plane);
}

static void expect_hits(const abut_shape *shape, abut_vec3 from, abut_vec3 along, size_t n, const double *t)
{
    abut_ray_hit hits[16];
    size_t count;
    assert_int_equal(abut_cast_ray(shape, NULL, from, along, hits, 16, &count), ABUT_OK);
    assert_int_equal(count, n);
    for (size_t i = 0; i < n; ++i) {
        if (!(fabs(hits[i].t - t[i]) < 1e-12))
            print_message("hit %zu at %.17g, not %.17g\n", i, hits[i].t, t[i]);
        assert_true(fabs(hits[i].t - t[i]) < 1e-12);
    }
}

static void rays(void **state)
{
    (void)state;
    abut_shape *plate = make_plate(NULL), *bolt = make_bolt(NULL), *pin = make_pin(NULL);
    const abut_vec3 along_x = { 1, 0, 0 }, down = { 0, 0, -1 };
    /* Through the plate, its holes crossed through the middle, and beside them; a touch of a hole's wall. */
    expect_hits(plate, (abut_vec3){ -4, 0, 0.5 }, along_x, 2, (const double[]){ 1, 7 });
    expect_hits(plate, (abut_vec3){ -4, -1, 0.5 }, along_x, 6, (const double[]){ 1, 1.5, 2.5, 5.5, 6.5, 7 });
    expect_hits(plate, (abut_vec3){ -4, -1.25, 0.5 }, (abut_vec3){ 2, 0, 0 }, 6,
                (const double[]){ 0.5, 1 - 0.25 * sqrt(0.75), 1 + 0.25 * sqrt(0.75), 3 - 0.25 * sqrt(0.75),
                                  3 + 0.25 * sqrt(0.75), 3.5 });
    expect_hits(plate, (abut_vec3){ -2, -1, 5 }, down, 0, NULL);
    expect_hits(plate, (abut_vec3){ 0, 0, 5 }, down, 2, (const double[]){ 4, 5 });
    expect_hits(bolt, (abut_vec3){ 0.6, 0, 5 }, down, 2, (const double[]){ 3.5, 4 });
    expect_hits(bolt, (abut_vec3){ 0, 0, 5 }, down, 2, (const double[]){ 3.5, 6 });
    expect_hits(bolt, (abut_vec3){ -5, 0, 0 }, along_x, 2, (const double[]){ 4.55, 5.45 });
    expect_hits(bolt, (abut_vec3){ -5, 0.45, 0 }, along_x, 1, (const double[]){ 5 });
    expect_hits(pin, (abut_vec3){ 0.3, 0.4, 5 }, down, 2, (const double[]){ 3 - sqrt(0.75), 5 });
    expect_hits(pin, (abut_vec3){ -5, 0.6, 1 }, along_x, 2, (const double[]){ 4.2, 5.8 });
    abut_shape_release(plate);
    abut_shape_release(bolt);
    abut_shape_release(pin);
}

static void expect_where(const abut_shape *shape, abut_vec3 p, abut_where where, int64_t id)
{
    abut_piece out;
    assert_int_equal(abut_classify_point(shape, NULL, p, &out), ABUT_OK);
    if (out.where != where || out.id != id)
        print_message("(%g, %g, %g): %s %d\n", p.x, p.y, p.z, abut_where_name(out.where), (int)out.id);
    assert_int_equal(out.where, where);
    assert_int_equal(out.id, id);
}

static void points(void **state)
{
    (void)state;
    abut_shape *plate = make_plate(NULL), *bolt = make_bolt(NULL), *pin = make_pin(NULL);
    /* The plate has 12 sides: faces 0 to 11, bottom 12, top 13; edges 0 to 11, 12 to 23, 24 to 35. */
    expect_where(plate, (abut_vec3){ 0, 0, 0.5 }, ABUT_WHERE_IN, -1);
    expect_where(plate, (abut_vec3){ -2, -1, 0.5 }, ABUT_WHERE_OUT, -1);
    expect_where(plate, (abut_vec3){ 0, 0, 1 }, ABUT_WHERE_FACE, 13);
    expect_where(plate, (abut_vec3){ 0, -2, 0.5 }, ABUT_WHERE_FACE, 0);
    expect_where(plate, (abut_vec3){ 0, -2, 1 }, ABUT_WHERE_EDGE, 12);
    expect_where(plate, (abut_vec3){ 3, -2, 0.5 }, ABUT_WHERE_EDGE, 25);
    expect_where(plate, (abut_vec3){ 3, -2, 1 }, ABUT_WHERE_VERTEX, 13);
    expect_where(plate, (abut_vec3){ -2, -0.5, 0.5 }, ABUT_WHERE_FACE, 5);
    /* The bolt's sides: 5 is on the axis. */
    expect_where(bolt, (abut_vec3){ 0, 0, 0 }, ABUT_WHERE_IN, -1);
    expect_where(bolt, (abut_vec3){ 0.6, 0, 0 }, ABUT_WHERE_OUT, -1);
    expect_where(bolt, (abut_vec3){ 0, 0.45, 0 }, ABUT_WHERE_FACE, 1);
    expect_where(bolt, (abut_vec3){ 0, 0, 1.5 }, ABUT_WHERE_FACE, 4);
    expect_where(bolt, (abut_vec3){ 0, -0.8, 1.5 }, ABUT_WHERE_EDGE, 3);
    expect_where(pin, (abut_vec3){ 0, 0, 2.9 }, ABUT_WHERE_IN, -1);
    expect_where(pin, (abut_vec3){ 0.9, 0, 2.9 }, ABUT_WHERE_OUT, -1);
    expect_where(pin, (abut_vec3){ 0, 0, 3 }, ABUT_WHERE_FACE, 2);
    expect_where(pin, (abut_vec3){ 0, 1, 1 }, ABUT_WHERE_FACE, 0);
    expect_where(pin, (abut_vec3){ 0, 1, 0 }, ABUT_WHERE_EDGE, 0);
    abut_shape_release(plate);
    abut_shape_release(bolt);
    abut_shape_release(pin);
}

static void volumes(void **state)
{
    (void)state;
    abut_shape *plate = make_plate(NULL), *bolt = make_bolt(NULL);
    abut_solid_info info;
    const double pi = 3.14159265358979323846;
    assert_int_equal(abut_solid_get_info(plate, &info), ABUT_OK);
    assert_true(info.volume.lo <= 24 - pi && info.volume.hi >= 24 - pi);
    assert_true(info.area.lo <= 68 - 2 * pi + 4 * pi && info.area.hi >= 68 - 2 * pi + 4 * pi);
    assert_int_equal(info.faces_by_kind[ABUT_SOLID_CYLINDER], 8);
    assert_int_equal(abut_solid_get_info(bolt, &info), ABUT_OK);
    const double volume = pi * (0.45 * 0.45 * 2 + 0.8 * 0.8 * 0.5);
    assert_true(info.volume.lo <= volume && info.volume.hi >= volume &&
                info.volume.hi - info.volume.lo < 1e-10);
    assert_int_equal(info.faces, 5);
    abut_shape_release(plate);
    abut_shape_release(bolt);
}

static void memory_runs_out(void **state)
{
    (void)state;
    for (int kind = 0; kind < 3; ++kind) {
        abut_status status = ABUT_OK;
        const abut_pose here = at(0, 0, 0), there = at(0.5, 0.25, 3.5);
        abut_check_result r;
        TEST_EVERY_ALLOCATION_FAILS(
            alloc,
            {
                abut_shape *shape = kind == 0   ? make_plate(&alloc)
                                    : kind == 1 ? make_bolt(&alloc)
                                                : make_pin(&alloc);
                status = shape ? abut_check(shape, &here, shape, &there, NULL, NULL, &r) : ABUT_ERR_MEMORY;
                abut_shape_release(shape);
            },
            status);
        assert_int_equal(status, ABUT_OK);
    }
}

/* A pin of radius 1, explicit, in rings about the same axis, at any angle: what is left between them is known. */
static void tight_rings(void **state)
{
    (void)state;
    const abut_solid_surface surfaces[] = {
        { .kind = ABUT_SOLID_CYLINDER, .axis = { 0, 0, 1 }, .radius = 1 },
        { .kind = ABUT_SOLID_PLANE, .axis = { 0, 0, -1 } },
        { .kind = ABUT_SOLID_PLANE, .point = { 0, 0, 2 }, .axis = { 0, 0, 1 } },
    };
    const abut_vec3 vertices[] = { { 1, 0, 0 }, { 1, 0, 2 } };
    const abut_solid_edge edges[] = {
        { .kind = ABUT_SOLID_EDGE_CIRCLE, .from = 0, .to = 0, .axis = { 0, 0, 1 } },
        { .kind = ABUT_SOLID_EDGE_CIRCLE, .from = 1, .to = 1, .center = { 0, 0, 2 }, .axis = { 0, 0, 1 } },
    };
    const abut_solid_coedge uses[] = { { 0, 1 }, { 1, -1 }, { 0, -1 }, { 1, 1 } };
    const abut_solid_loop loops[] = { { &uses[0], 1 }, { &uses[1], 1 }, { &uses[2], 1 }, { &uses[3], 1 } };
    const abut_solid_face faces[] = { { 0, 1, &loops[0], 2 },
                                      { 1, 1, &loops[2], 1 },
                                      { 2, 1, &loops[3], 1 } };
    const abut_solid_def def = { surfaces, 3, vertices, 2, edges, 2, faces, 3, 0 };
    abut_shape *pin = NULL;
    assert_int_equal(abut_shape_create_solid(&def, NULL, &pin, NULL), ABUT_OK);
    static const double gaps[] = { 0.1, 1e-3, 1e-6, 1e-7, -1e-7, -1e-6, -1e-3, -0.1 };
    for (size_t i = 0; i < 2 * sizeof gaps / sizeof *gaps; ++i) {
        const double gap = gaps[i / 2], r = 1 + gap;
        const abut_profile_vertex v[] = { { r, -1, 0 }, { 3, -1, 0 }, { 3, 3, 0 }, { r, 3, 0 } };
        const abut_profile_loop loop = { v, 4 };
        abut_shape *ring = NULL;
        assert_int_equal(abut_shape_create_revolve(&loop, 0, NULL, &ring, NULL), ABUT_OK);
        const abut_pose at = { { 1, -2, 0.5 }, { 0.5, i & 1 ? 0.3 : 0, -0.1, i & 1 ? 0.7 : 0 } };
        abut_check_result r1;
        assert_int_equal(abut_check(pin, &at, ring, &at, NULL, NULL, &r1), ABUT_OK);
        TEST_CHECK(r1.verdict == (gap > 0 ? ABUT_SEPARATE : ABUT_PENETRATING) &&
                       r1.counters.evaluations < 10000,
                   "gap %g: %s after %d evaluations", gap, abut_verdict_name(r1.verdict),
                   (int)r1.counters.evaluations);
        if (gap > 0)
            TEST_CHECK(r1.distance.lo <= gap && gap <= r1.distance.hi && r1.distance.hi < gap + 1e-6,
                       "gap %g: %a to %a", gap, r1.distance.lo, r1.distance.hi);
        abut_shape_release(ring);
    }
    abut_shape_release(pin);
}

/* Rings whose main circles run through each other's centres: the nearest points are two circles. Moved
 * together they stay so but for rounding; of other radii the distance is the difference. */
static void linked_rings(void **state)
{
    (void)state;
    static const double minors[] = { 0.5, 0.25, 0.75 };
    const abut_pose together[] = { { { 0, 0, 0 }, { 1, 0, 0, 0 } },
                                   { { 1, -2, 0.5 }, { 0.5, 0.3, -0.1, 0.7 } } };
    const abut_pose link = { { 2, 0, 0 }, { sqrt(0.5), sqrt(0.5), 0, 0 } };
    for (int i = 0; i < 6; ++i) {
        abut_shape *rings[2];
        for (int k = 0; k < 2; ++k) {
            const double r = k ? minors[i % 3] : 0.5;
            const abut_profile_vertex v[] = { { 2 - r, 0, 1 }, { 2 + r, 0, 1 } };
            const abut_profile_loop loop = { v, 2 };
            assert_int_equal(abut_shape_create_revolve(&loop, 0, NULL, &rings[k], NULL), ABUT_OK);
        }
        const abut_pose one = together[i / 3], two = abut_pose_compose(one, link);
        abut_check_result r;
        assert_int_equal(abut_check(rings[0], &one, rings[1], &two, NULL, NULL, &r), ABUT_OK);
        const double truth = 1.5 - minors[i % 3];
        TEST_CHECK(r.verdict == ABUT_SEPARATE && r.distance.lo <= truth + 1e-15 &&
                       truth - 1e-15 <= r.distance.hi && r.distance.hi - r.distance.lo < 1e-8,
                   "case %d: %s, %.17g to %.17g, not %g", i, abut_verdict_name(r.verdict), r.distance.lo,
                   r.distance.hi, truth);
        abut_shape_release(rings[0]);
        abut_shape_release(rings[1]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tight_rings),     cmocka_unit_test(bolts_and_plates),
        cmocka_unit_test(explicit_solids), cmocka_unit_test(rays),
        cmocka_unit_test(points),          cmocka_unit_test(volumes),
        cmocka_unit_test(memory_runs_out), cmocka_unit_test(linked_rings),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
