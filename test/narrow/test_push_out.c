/* SPDX-License-Identifier: MIT */
/* The depth of pairs without a method of their own (narrow/push_out.c), against closed forms: balls in tori,
 * implicit balls, half-spaces; and boxes given as meshes against the same boxes as convex bodies. */
#include "abut/abut.h"

#include <math.h>

#include "support/test.h"

typedef struct tally {
    uint64_t met, close;
} tally;

static abut_shape *made;

static abut_shape *take(abut_status status)
{
    TEST_CHECK(status == ABUT_OK, "a shape could not be made: %s", abut_status_name(status));
    return made;
}

static double dot(abut_vec3 a, abut_vec3 b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

/* They penetrate by [lo, hi], and the answer contains some of that; points and contact agree with it. */
static void judge(const abut_shape *a, const abut_pose *pa, const abut_shape *b, const abut_pose *pb,
                  double lo, double hi, uint64_t seed, tally *t)
{
    abut_check_result r;
    assert_int_equal(abut_check(a, pa, b, pb, NULL, NULL, &r), ABUT_OK);
    assert_int_equal(r.verdict, ABUT_PENETRATING);
    TEST_CHECK(r.has_depth && r.depth.lo <= hi && r.depth.hi >= lo,
               "seed %" PRIu64 ": [%a, %a], not [%a, %a]", seed, r.depth.lo, r.depth.hi, lo, hi);
    const abut_vec3 d = { r.point_a.x - r.point_b.x, r.point_a.y - r.point_b.y, r.point_a.z - r.point_b.z };
    TEST_CHECK(r.has_points && r.has_normal && fabs(dot(r.normal, r.normal) - 1) < 1e-12 &&
                   dot(d, r.normal) <= r.depth.hi * (1 + 1e-9),
               "seed %" PRIu64 ": points", seed);
    TEST_CHECK(r.contact_count > 0, "seed %" PRIu64 ": no contact", seed);
    /* What the normal and the depth say can be done. */
    abut_pose out = *pb;
    const double by = r.depth.hi * (1 + 1e-9) + 1e-12;
    out.position.x += by * r.normal.x;
    out.position.y += by * r.normal.y;
    out.position.z += by * r.normal.z;
    assert_int_equal(abut_check(a, pa, b, &out, NULL, NULL, &r), ABUT_OK);
    TEST_CHECK(r.verdict != ABUT_PENETRATING, "seed %" PRIu64 ": not parted", seed);
    ++t->met;
    abut_check_result again;
    assert_int_equal(abut_check(a, pa, b, pb, NULL, NULL, &again), ABUT_OK);
    t->close += again.depth.hi <= hi * 1.05;
}

static abut_vec3 turned(abut_quat q, abut_vec3 v)
{
    const double n = q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z;
    const abut_vec3 u = { q.x, q.y, q.z };
    const double c = 2 * dot(u, v) / n, e = (q.w * q.w - dot(u, u)) / n, w = 2 * q.w / n;
    return (abut_vec3){ c * u.x + e * v.x + w * (u.y * v.z - u.z * v.y),
                        c * u.y + e * v.y + w * (u.z * v.x - u.x * v.z),
                        c * u.z + e * v.z + w * (u.x * v.y - u.y * v.x) };
}

static abut_pose any_pose(test_random *g, double size)
{
    return (abut_pose){
        { test_uniform(g, -size, size), test_uniform(g, -size, size), test_uniform(g, -size, size) },
        { test_uniform(g, -1, 1), test_uniform(g, -1, 1), test_uniform(g, -1, 1), test_uniform(g, 0.1, 1) }
    };
}

/* The ball's centre is in a torus that is fatter by its radius: how deep is the distance to its surface. */
static void balls_in_tori(void **state)
{
    (void)state;
    tally t = { 0, 0 };
    for (uint64_t seed = 1, n = 1 + test_count_at_least(120, 12); seed < n; ++seed) {
        test_random g = test_seed(seed);
        const double major = test_uniform(&g, 1, 2), minor = test_uniform(&g, 0.1, 0.4);
        const double radius = test_uniform(&g, 0.1, 0.5), fat = minor + radius;
        abut_shape *torus = take(abut_shape_create_torus(major, minor, NULL, &made));
        abut_shape *ball = take(abut_shape_create_sphere(radius, NULL, &made));
        const double turn = test_uniform(&g, 0, 6.28), round = test_uniform(&g, 0, 6.28);
        const double in = fat * test_uniform(&g, 0.1, 0.95), rho = major + in * cos(round);
        abut_pose pa = any_pose(&g, 3), pb = any_pose(&g, 0);
        const abut_vec3 at =
            turned(pa.rotation, (abut_vec3){ rho * cos(turn), rho * sin(turn), in * sin(round) });
        pb.position = (abut_vec3){ pa.position.x + at.x, pa.position.y + at.y, pa.position.z + at.z };
        judge(torus, &pa, ball, &pb, fat - in - 1e-12, fat - in + 1e-12, seed, &t);
        abut_shape_release(torus);
        abut_shape_release(ball);
    }
    TEST_CHECK(2 * t.close > t.met, "%" PRIu64 " of %" PRIu64 " close", t.close, t.met);
}

static void implicit_balls(void **state)
{
    (void)state;
    tally t = { 0, 0 };
    const abut_aabb box = { { -2, -2, -2 }, { 2, 2, 2 } };
    abut_shape *unit = take(abut_shape_create_implicit("x^2+y^2+z^2-1", box, NULL, &made, NULL));
    abut_shape *floor = take(abut_shape_create_halfspace((abut_vec3){ 0, 0, 2 }, 1, NULL, &made));
    for (uint64_t seed = 1001, n = 1001 + test_count_at_least(60, 12); seed < n; ++seed) {
        test_random g = test_seed(seed);
        const double radius = test_uniform(&g, 0.2, 2), apart = (1 + radius) * test_uniform(&g, 0.2, 0.98);
        abut_shape *ball = take(abut_shape_create_sphere(radius, NULL, &made));
        abut_pose pa = any_pose(&g, 3), pb = any_pose(&g, 0);
        const abut_vec3 at = turned(pb.rotation, (abut_vec3){ apart, 0, 0 });
        pb.position = (abut_vec3){ pa.position.x + at.x, pa.position.y + at.y, pa.position.z + at.z };
        judge(unit, &pa, ball, &pb, 1 + radius - apart - 1e-12, 1 + radius - apart + 1e-12, seed, &t);
        /* the floor is z <= 1/2 */
        pa.position.z = test_uniform(&g, -1, 1.4);
        const abut_pose still = { { 0, 0, 0 }, { 1, 0, 0, 0 } };
        judge(floor, &still, unit, &pa, 1.5 - pa.position.z - 1e-12, 1.5 - pa.position.z + 1e-12, seed, &t);
        abut_shape_release(ball);
    }
    TEST_CHECK(2 * t.close > t.met, "%" PRIu64 " of %" PRIu64 " close", t.close, t.met);
    abut_shape_release(unit);
    abut_shape_release(floor);
}

/* Of a half-space and a body whose lowest point is known both ends of the depth are near it. */
static void bodies_in_the_floor(void **state)
{
    (void)state;
    const abut_aabb bounds = { { -2, -2, -2 }, { 2, 2, 2 } };
    static const double depths[4] = { 1e-4, 0.01, 0.3, 1.5 };
    const abut_profile_vertex half_disc[3] = { { 0, -1, 0.41421356237309503 },
                                               { 1, 0, 0.41421356237309503 },
                                               { 0, 1, 0 } };
    const abut_profile_loop outline = { half_disc, 3 };
    abut_shape *floor = take(abut_shape_create_halfspace((abut_vec3){ 0, 0, 2 }, 1, NULL, &made));
    abut_shape *unit[3] = {
        take(abut_shape_create_implicit("x^2+y^2+z^2-1", bounds, NULL, &made, NULL)),
        take(abut_shape_create_revolve(&outline, 0, NULL, &made, NULL)),
        NULL,
    };
    abut_shape *ball = take(abut_shape_create_sphere(1, NULL, &made));
    unit[2] = take(abut_shape_create_csg(ABUT_CSG_UNION, &ball, 1, NULL, &made, NULL));
    for (uint64_t seed = 3001, n = 3001 + test_count_at_least(48, 12); seed < n; ++seed) {
        test_random g = test_seed(seed);
        const double depth = depths[seed / 3 % 4];
        abut_pose at = any_pose(&g, 1);
        const abut_pose still = { { 0, 0, 0 }, { 1, 0, 0, 0 } };
        at.position.z = 1.5 - depth;
        abut_check_result r;
        assert_int_equal(abut_check(floor, &still, unit[seed % 3], &at, NULL, NULL, &r), ABUT_OK);
        TEST_CHECK(r.has_depth && r.depth.lo <= depth + 1e-15 && depth - 1e-15 <= r.depth.hi &&
                       r.depth.hi - r.depth.lo < 1e-6 + 1e-3 * depth,
                   "seed %" PRIu64 ": [%.17g, %.17g], not %g", seed, r.depth.lo, r.depth.hi, depth);
    }
    for (int i = 0; i < 3; ++i)
        abut_shape_release(unit[i]);
    abut_shape_release(ball);
    abut_shape_release(floor);
}

/* A box as a solid mesh and as a convex body, of which the depth is known otherwise. */
static void boxes_of_triangles(void **state)
{
    (void)state;
    tally t = { 0, 0 };
    static const uint32_t faces[36] = { 0, 2, 3, 0, 3, 1, 4, 5, 7, 4, 7, 6, 0, 1, 5, 0, 5, 4,
                                        2, 6, 7, 2, 7, 3, 0, 4, 6, 0, 6, 2, 1, 3, 7, 1, 7, 5 };
    for (uint64_t seed = 2001, n = 2001 + test_count_at_least(120, 12); seed < n; ++seed) {
        test_random g = test_seed(seed);
        const abut_vec3 h = { test_uniform(&g, 0.3, 2), test_uniform(&g, 0.3, 2), test_uniform(&g, 0.3, 2) };
        abut_vec3 corners[8];
        for (int i = 0; i < 8; ++i)
            corners[i] = (abut_vec3){ i & 1 ? h.x : -h.x, i & 2 ? h.y : -h.y, i & 4 ? h.z : -h.z };
        abut_shape *box = take(abut_shape_create_box(h, NULL, &made));
        abut_shape *mesh = take(abut_shape_create_mesh(corners, 8, faces, 12, true, NULL, &made, NULL));
        abut_shape *other = seed % 3 == 0
                                ? take(abut_shape_create_sphere(test_uniform(&g, 0.2, 1), NULL, &made))
                            : seed % 3 == 1 ? take(abut_shape_create_capsule(0.4, 1.5, NULL, &made))
                                            : take(abut_shape_create_cylinder(0.5, 1.5, NULL, &made));
        const abut_pose pa = any_pose(&g, 1), pb = any_pose(&g, 1);
        abut_check_result r;
        assert_int_equal(abut_check(box, &pa, other, &pb, NULL, NULL, &r), ABUT_OK);
        if (r.verdict == ABUT_PENETRATING && r.has_depth && r.depth.lo > 1e-6)
            judge(mesh, &pa, other, &pb, r.depth.lo, r.depth.hi, seed, &t);
        abut_shape_release(box);
        abut_shape_release(mesh);
        abut_shape_release(other);
    }
    TEST_CHECK(t.met < 8 || 2 * t.close > t.met, "%" PRIu64 " of %" PRIu64 " close", t.close, t.met);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(balls_in_tori),
        cmocka_unit_test(implicit_balls),
        cmocka_unit_test(bodies_in_the_floor),
        cmocka_unit_test(boxes_of_triangles),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
