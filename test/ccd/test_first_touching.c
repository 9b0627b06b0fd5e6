/* SPDX-License-Identifier: MIT */
/* All places of a first contact of pairs that the general method serves, against closed forms: several that
 * stand alone, circles, and bodies that grow. test_contact_sets has lines and regions. */
#include "support/test.h"

#include <abut/abut.h>

typedef struct found {
    size_t count;
    abut_first_point p[4096];
} found;

static found all;

static void take(void *ctx, const abut_first_point *point)
{
    (void)ctx;
    assert_true(all.count < sizeof all.p / sizeof all.p[0]);
    all.p[all.count++] = *point;
}

static abut_vec3 v3(double x, double y, double z)
{
    return (abut_vec3){ x, y, z };
}

static abut_shape *extrude(const abut_profile_vertex *p, size_t count, double height)
{
    const abut_profile_loop loop = { p, count };
    abut_shape *out;
    assert_int_equal(abut_shape_create_extrude(&loop, NULL, 0, height, 0, NULL, &out, NULL), ABUT_OK);
    return out;
}

/* z from 0 to 1 */
static abut_shape *slab(void)
{
    return extrude((abut_profile_vertex[]){ { -3, -3, 0 }, { 3, -3, 0 }, { 3, 3, 0 }, { -3, 3, 0 } }, 4, 1);
}

static abut_motion *path(abut_vec3 from, abut_vec3 to)
{
    const abut_vec3 speed = v3(to.x - from.x, to.y - from.y, to.z - from.z);
    const abut_placement start = abut_placement_from_pose((abut_pose){ from, { 1, 0, 0, 0 } });
    abut_motion *out;
    assert_int_equal(abut_motion_create_velocity(0, 1, &start, speed, v3(0, 0, 0), NULL, &out, NULL),
                     ABUT_OK);
    return out;
}

/* b moves, both are released; the contact begins at `when`. */
static void ask(abut_shape *a, abut_shape *b, abut_motion *by, double separation, double when)
{
    abut_first_opts opts;
    abut_first_result out;
    abut_first_opts_init(&opts);
    opts.separation = separation;
    opts.on_point = take;
    all.count = 0;
    assert_int_equal(abut_first_contact(a, NULL, b, by, &opts, NULL, &out), ABUT_OK);
    assert_int_equal(out.verdict, ABUT_FIRST_CONTACT);
    TEST_CHECK(out.time.lo <= when && out.time.hi >= when, "%.17g to %.17g", out.time.lo, out.time.hi);
    assert_int_equal(out.point_count, all.count);
    abut_shape_release(a);
    abut_shape_release(b);
    abut_motion_release(by);
}

/* A point of its own there, with that normal. */
static void expect(abut_vec3 at, abut_vec3 normal)
{
    for (size_t i = 0; i < all.count; ++i) {
        const abut_vec3 p = all.p[i].point, n = all.p[i].normal;
        if (fabs(p.x - at.x) < 2e-6 && fabs(p.y - at.y) < 2e-6 && fabs(p.z - at.z) < 2e-6) {
            assert_int_equal(all.p[i].kind, ABUT_CONTACT_ISOLATED);
            TEST_CHECK(n.x * normal.x + n.y * normal.y + n.z * normal.z > 1 - 1e-9, "normal %g %g %g", n.x,
                       n.y, n.z);
            return;
        }
    }
    TEST_FAIL("nothing at %g %g %g among %zu", at.x, at.y, at.z, all.count);
}

/* Points of a circle in the plane z, no farther apart than the separation. */
static void expect_circle(double radius, double z, double separation)
{
    const int n = 720;
    for (size_t i = 0; i < all.count; ++i) {
        const abut_vec3 p = all.p[i].point;
        TEST_NEAR(hypot(p.x, p.y), radius, 2e-6, "point %zu", i);
        TEST_NEAR(p.z, z, 2e-6, "point %zu", i);
        TEST_NEAR(fabs(all.p[i].normal.z), 1, 1e-9, "point %zu", i);
        assert_int_equal(all.p[i].kind, ABUT_CONTACT_SAMPLED);
    }
    for (int k = 0; k < n; ++k) {
        const double x = radius * cos(k * 2 * 3.14159265358979 / n),
                     y = radius * sin(k * 2 * 3.14159265358979 / n);
        double nearest = INFINITY;
        for (size_t i = 0; i < all.count; ++i)
            nearest = fmin(nearest, hypot(all.p[i].point.x - x, all.p[i].point.y - y));
        TEST_CHECK(nearest <= separation, "nothing near %g %g", x, y);
    }
}

static void circles(void **state)
{
    (void)state;
    abut_shape *ring, *under;
    const abut_vec3 corner[4] = { { -3, -3, 0 }, { 3, -3, 0 }, { 3, 3, 0 }, { -3, 3, 0 } };
    const uint32_t face[6] = { 0, 1, 2, 0, 2, 3 };
    for (int i = 0; i < 2; ++i) {
        assert_int_equal(abut_shape_create_torus(1, 0.25, NULL, &ring), ABUT_OK);
        if (i)
            assert_int_equal(abut_shape_create_mesh(corner, 4, face, 2, false, NULL, &under, NULL), ABUT_OK);
        else
            under = slab();
        ask(under, ring, path(v3(0, 0, 3), v3(0, 0, i ? -1 : 0)), 0.1, i ? 0.6875 : 1.75 / 3);
        expect_circle(1, i ? 0 : 1, 0.1);
    }
}

/* A ball in a groove with walls at 45 degrees, and one that sinks onto three tips. */
static void places_that_stand_alone(void **state)
{
    (void)state;
    abut_shape *ball, *tips;
    const double h = sqrt(0.5);
    abut_shape *groove = extrude(
        (abut_profile_vertex[]){ { -2, -1, 0 }, { 2, -1, 0 }, { 2, 2, 0 }, { 0, 0, 0 }, { -2, 2, 0 } }, 5, 3);
    assert_int_equal(abut_shape_create_sphere(0.5, NULL, &ball), ABUT_OK);
    /* the centre of a ball that touches both walls is 0.5 sqrt 2 above the bottom */
    ask(groove, ball, path(v3(0, 2, 1), v3(0, 0, 1)), 0, 1 - 0.25 * sqrt(2));
    assert_int_equal(all.count, 2);
    expect(v3(0.5 * h, 0.5 * sqrt(2) - 0.5 * h, 1), v3(-h, h, 0));
    expect(v3(-0.5 * h, 0.5 * sqrt(2) - 0.5 * h, 1), v3(h, h, 0));

    /* pyramids with their tips down, one mesh */
    abut_vec3 at[12];
    uint32_t faces[36], n = 0;
    for (uint32_t i = 0; i < 3; ++i) {
        const double x = 0.7 * i, y = 0.3 * i * i;
        at[4 * i] = v3(x, y, 0);
        at[4 * i + 1] = v3(x - 0.1, y - 0.1, 0.5);
        at[4 * i + 2] = v3(x + 0.1, y - 0.1, 0.5);
        at[4 * i + 3] = v3(x, y + 0.1, 0.5);
        const uint32_t own[12] = { 0, 2, 1, 0, 3, 2, 0, 1, 3, 1, 2, 3 };
        for (int k = 0; k < 12; ++k)
            faces[n++] = 4 * i + own[k];
    }
    assert_int_equal(abut_shape_create_mesh(at, 12, faces, 12, true, NULL, &tips, NULL), ABUT_OK);
    ask(slab(), tips, path(v3(-1, -1, 3), v3(-1, -1, 0)), 0, 2.0 / 3);
    assert_int_equal(all.count, 3);
    for (int i = 0; i < 3; ++i) {
        expect(v3(0.7 * i - 1, 0.3 * i * i - 1, 1), v3(0, 0, 1));
        assert_int_equal(all.p[i].features[0], ABUT_FEATURE_FACE);
        assert_int_equal(all.p[i].features[1], ABUT_FEATURE_VERTEX);
    }
}

static abut_shape *field(const char *text)
{
    abut_shape *out;
    assert_int_equal(
        abut_shape_create_implicit(text, (abut_aabb){ { -2, -2, -2 }, { 2, 2, 2 } }, NULL, &out, NULL),
        ABUT_OK);
    return out;
}

/* Two bumps close together; and a ball that grows until it meets both walls of a slot. */
static void bodies_of_fields(void **state)
{
    (void)state;
    /* z <= 1 - (x^2 - 0.01)^2 - y^2 */
    ask(slab(), field("max(z + (x^2 - 0.01)^2 + y^2 - 1, -z - 1)"), path(v3(0, 0, -2), v3(0, 0, 0)), 0.1,
        0.5);
    assert_int_equal(all.count, 2);
    expect(v3(0.1, 0, 0), v3(0, 0, -1));
    expect(v3(-0.1, 0, 0), v3(0, 0, -1));

    abut_shape *slot = extrude((abut_profile_vertex[]){ { -2, -1, 0 },
                                                        { 2, -1, 0 },
                                                        { 2, 2, 0 },
                                                        { 0.5, 2, 0 },
                                                        { 0.5, 0, 0 },
                                                        { -0.5, 0, 0 },
                                                        { -0.5, 2, 0 },
                                                        { -2, 2, 0 } },
                               8, 3);
    ask(slot, field("x^2 + (y - 1)^2 + (z - 1)^2 - (0.25 + 0.5 * t)^2"), path(v3(0, 0, 0), v3(0, 0, 0)), 0,
        0.5);
    assert_int_equal(all.count, 2);
    expect(v3(0.5, 1, 1), v3(-1, 0, 0));
    expect(v3(-0.5, 1, 1), v3(1, 0, 0));
}

/* What rests on the slab and is lifted, tilted meanwhile or not, has no first contact; what is pressed down, or
 * swings down at its far side, has one at the start. */
static void bodies_that_part(void **state)
{
    (void)state;
    for (int kind = 0; kind < 4; ++kind)
        for (int way = 0; way < 4; ++way) {
            abut_shape *under = slab(), *on;
            double height = 1;
            switch (kind) {
            case 0: assert_int_equal(abut_shape_create_box(v3(0.5, 0.5, 0.5), NULL, &on), ABUT_OK); break;
            case 1: assert_int_equal(abut_shape_create_cylinder(0.5, 1, NULL, &on), ABUT_OK); break;
            case 2: assert_int_equal(abut_shape_create_torus(0.5, 0.25, NULL, &on), ABUT_OK); break;
            default:
                on = extrude((abut_profile_vertex[]){ { 0, 0, 0 }, { 1, 0, 0 }, { 1, 1, 0.5 }, { 0, 1, 0 } },
                             4, 1);
            }
            height = kind == 2 ? 1.25 : kind == 3 ? 1 : 1.5;
            const abut_placement start =
                abut_placement_from_pose((abut_pose){ { 0, 0, height }, { 1, 0, 0, 0 } });
            const abut_vec3 speed = v3(0.25, 0,
                                       way == 0 || way == 2 ? 1
                                       : way == 1           ? -1
                                                            : 0.125),
                            turn = v3(way == 2   ? 0.25
                                      : way == 3 ? 1
                                                 : 0,
                                      0, way == 0 ? 1 : 0);
            abut_motion *by;
            assert_int_equal(abut_motion_create_velocity(0, 1, &start, speed, turn, NULL, &by, NULL),
                             ABUT_OK);
            abut_first_result out;
            abut_intervals_result all_of;
            abut_contact_interval list[4];
            assert_int_equal(abut_first_contact(under, NULL, on, by, NULL, NULL, &out), ABUT_OK);
            assert_int_equal(abut_contact_intervals(on, by, under, NULL, NULL, NULL, list, 4, &all_of),
                             ABUT_OK);
            if (way == 0 || way == 2) {
                TEST_CHECK(out.verdict == ABUT_FIRST_SEPARATE, "kind %d, way %d: %s", kind, way,
                           abut_first_verdict_name(out.verdict));
                TEST_CHECK(all_of.count == 1 && list[0].enter.hi == 0 && list[0].exit.hi == 0,
                           "kind %d, way %d: %zu intervals, to %g", kind, way, all_of.count, list[0].exit.hi);
            } else {
                TEST_CHECK(out.verdict != ABUT_FIRST_SEPARATE && out.time.lo == 0, "kind %d, way %d", kind,
                           way);
            }
            abut_motion_release(by);
            abut_shape_release(under);
            abut_shape_release(on);
        }
}

/* Ends and corners of what touches along a line or face are samples of it, whatever finds them: a cylinder that
 * lies down on a combination of fields, a cube of triangles on a polyhedron. */
static void ends_are_samples(void **state)
{
    (void)state;
    abut_shape *base, *under, *on;
    const double h = sqrt(0.5);
    assert_int_equal(abut_shape_create_box(v3(3, 3, 0.5), NULL, &base), ABUT_OK);
    assert_int_equal(abut_shape_create_csg(ABUT_CSG_UNION, &base, 1, NULL, &under, NULL), ABUT_OK);
    abut_shape_release(base);
    assert_int_equal(abut_shape_create_cylinder(0.25, 1, NULL, &on), ABUT_OK);
    const abut_placement lying = abut_placement_from_pose((abut_pose){ { 0.25, 0, 3.75 }, { h, h, 0, 0 } });
    abut_motion *by;
    assert_int_equal(abut_motion_create_velocity(0, 1, &lying, v3(0, 0, -4), v3(0, 0, 0), NULL, &by, NULL),
                     ABUT_OK);
    ask(under, on, by, 0.125, 0.75);
    assert_true(all.count > 4);
    for (size_t i = 0; i < all.count; ++i)
        assert_int_equal(all.p[i].kind, ABUT_CONTACT_SAMPLED);

    const abut_vec3 at[8] = { { 0, 0, 0 }, { 1, 0, 0 }, { 0, 1, 0 }, { 1, 1, 0 },
                              { 0, 0, 1 }, { 1, 0, 1 }, { 0, 1, 1 }, { 1, 1, 1 } };
    const uint32_t quads[24] = { 0, 2, 3, 1, 4, 5, 7, 6, 0, 1, 5, 4, 2, 6, 7, 3, 0, 4, 6, 2, 1, 3, 7, 5 };
    const uint32_t sizes[6] = { 4, 4, 4, 4, 4, 4 };
    uint32_t triangles[36];
    for (int i = 0; i < 6; ++i)
        for (int k = 0; k < 2; ++k) {
            triangles[6 * i + 3 * k] = quads[4 * i];
            triangles[6 * i + 3 * k + 1] = quads[4 * i + 1 + k];
            triangles[6 * i + 3 * k + 2] = quads[4 * i + 2 + k];
        }
    assert_int_equal(abut_shape_create_mesh(at, 8, triangles, 12, true, NULL, &under, NULL), ABUT_OK);
    assert_int_equal(abut_shape_create_polyhedron(at, 8, sizes, 6, quads, 24, NULL, &on, NULL), ABUT_OK);
    ask(under, on, path(v3(0.25, 0.25, 3), v3(0.25, 0.25, 0)), 0, 2.0 / 3);
    assert_true(all.count > 4);
    for (size_t i = 0; i < all.count; ++i)
        assert_int_equal(all.p[i].kind, ABUT_CONTACT_SAMPLED);
}

/* The fields of a profile know nothing of a stated tolerance: a ball that comes to rest within it. */
static void stated_tolerances_count(void **state)
{
    (void)state;
    const abut_profile_vertex p[4] = { { -3, -3, 0 }, { 3, -3, 0 }, { 3, 3, 0 }, { -3, 3, 0 } };
    const abut_profile_loop loop = { p, 4 };
    abut_shape *under, *on;
    assert_int_equal(abut_shape_create_extrude(&loop, NULL, 0, 1, 1e-3, NULL, &under, NULL), ABUT_OK);
    assert_int_equal(abut_shape_create_implicit("x^2 + y^2 + z^2 - 1",
                                                (abut_aabb){ { -2, -2, -2 }, { 2, 2, 2 } }, NULL, &on, NULL),
                     ABUT_OK);
    for (int i = 0; i < 2; ++i) { /* deep enough by half of the tolerance, and short of contact by as much */
        abut_motion *by = path(v3(0, 0, 4), v3(0, 0, i ? 2.0005 : 1.9995));
        abut_first_result out;
        assert_int_equal(abut_first_contact(under, NULL, on, by, NULL, NULL, &out), ABUT_OK);
        TEST_CHECK(out.verdict == ABUT_FIRST_UNDECIDED, "%s", abut_first_verdict_name(out.verdict));
        abut_motion_release(by);
    }
    abut_shape_release(under);
    abut_shape_release(on);
}

/* Through the slab from one side to the other, a millionth deep: a point in common that moves along the top
 * of either body lasts all the time, although no ball about it does. */
static void bodies_that_slide(void **state)
{
    (void)state;
    const double depth = 1e-6;
    for (int kind = 0; kind < 2; ++kind) {
        abut_shape *under = slab(), *on;
        if (kind)
            assert_int_equal(abut_shape_create_cylinder(0.25, 0.5, NULL, &on), ABUT_OK);
        else
            assert_int_equal(abut_shape_create_box(v3(0.25, 0.25, 0.25), NULL, &on), ABUT_OK);
        abut_motion *by = path(v3(-8, 0.125, 1.25 - depth), v3(8, 0.125, 1.25 - depth));
        abut_intervals_result all_of;
        abut_contact_interval list[4];
        assert_int_equal(abut_contact_intervals(on, by, under, NULL, NULL, NULL, list, 4, &all_of), ABUT_OK);
        assert_int_equal(all_of.count, 1);
        assert_int_equal(all_of.proof, ABUT_PROOF_INTERVAL);
        const double enter = (8 - 3.25) / 16, exit = (8 + 3.25) / 16;
        TEST_CHECK(list[0].enter.lo <= enter && list[0].enter.hi >= enter, "enters at %g", list[0].enter.lo);
        TEST_CHECK(list[0].exit.lo <= exit && list[0].exit.hi >= exit, "leaves at %g", list[0].exit.lo);
        TEST_CHECK(all_of.counters.iterations < 100, "%" PRIu64 " iterations", all_of.counters.iterations);
        abut_motion_release(by);
        abut_shape_release(under);
        abut_shape_release(on);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(circles),
        cmocka_unit_test(places_that_stand_alone),
        cmocka_unit_test(bodies_of_fields),
        cmocka_unit_test(bodies_that_part),
        cmocka_unit_test(bodies_that_slide),
        cmocka_unit_test(ends_are_samples),
        cmocka_unit_test(stated_tolerances_count),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
