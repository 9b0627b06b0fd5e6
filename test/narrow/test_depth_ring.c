/* SPDX-License-Identifier: MIT */
/* Depths with rings of least directions: small bodies and bodies on one axis in cylinders, cones,
 * capsules and ellipsoids.
 *
 * Boxes, spheres and cylinders on the axis have closed forms. All others are held against the
 * support functions of oracle/convex_pair.h in long double: every direction u bounds the depth
 * by f(u), so that one with f(u) < depth.lo refutes an answer. A grid of latitudes and
 * longitudes about the axis of either body, and a search from the best of it, look for one. */
#include "abut/query.h"
#include "oracle/convex_cases.h"

static const double pi = 3.14159265358979323846;

static abut_vec3 turned(abut_quat q, abut_vec3 v)
{
    return abut_pose_apply((abut_pose){ { 0, 0, 0 }, q }, v);
}

static abut_quat times(abut_quat p, abut_quat q)
{
    return (abut_quat){ p.w * q.w - p.x * q.x - p.y * q.y - p.z * q.z,
                        p.w * q.x + p.x * q.w + p.y * q.z - p.z * q.y,
                        p.w * q.y - p.x * q.z + p.y * q.w + p.z * q.x,
                        p.w * q.z + p.x * q.y - p.y * q.x + p.z * q.w };
}

/* ---- closed forms ---- */

static abut_check_result ask(abut_shape *a, abut_pose pa, abut_shape *b, abut_pose pb)
{
    abut_check_result r;
    assert_int_equal(abut_check(a, &pa, b, &pb, NULL, NULL, &r), ABUT_OK);
    assert_int_equal(r.verdict, ABUT_PENETRATING);
    assert_true(r.has_depth);
    TEST_CHECK(r.counters.evaluations <= 200, "%" PRIu64 " evaluations", r.counters.evaluations);
    return r;
}

static void expect(abut_shape *a, abut_shape *b, abut_vec3 offset, double depth, double scale, uint64_t seed,
                   const char *what)
{
    test_random r = test_seed(seed);
    const abut_quat q = random_rotation(&r);
    const abut_pose pa = { { 0, 0, 0 }, q }, pb = { turned(q, offset), q };
    for (int i = 0; i < 2; ++i) {
        const abut_check_result c = i ? ask(b, pb, a, pa) : ask(a, pa, b, pb);
        /* The truth is rounded too, and so is the placement. */
        const double slack = 1e-14 * scale;
        TEST_CHECK(c.depth.lo <= depth + slack && c.depth.hi >= depth - slack &&
                       c.depth.hi - c.depth.lo <= 1e-9 * depth + 1e-13 * scale,
                   "%s, seed %" PRIu64 ", order %d: [%.17g, %.17g], true %.17g", what, seed, i, c.depth.lo,
                   c.depth.hi, depth);
    }
}

/* On the axis at z: the nearest of side or slant, and the base. C reaches `across` the axis
 * towards the nearest side of it, `up` and `down` along. */
static double depth_in(bool cone, double r, double h, double z, double across, double along)
{
    if (!cone)
        return fmin(r + across, fmin(h - z, h + z) + along);
    const double l = sqrt(4 * h * h + r * r), slant = (r * (h - z) + 2 * h * across + r * along) / l;
    return fmin(slant, h + z + along);
}

static void known_rings_are_enclosed(void **state)
{
    (void)state;
    for (uint64_t i = 0; i < test_count(300); ++i) {
        test_random r = test_seed(i);
        const bool cone = i & 1;
        const double radius = test_uniform(&r, 0.2, 1), h = test_uniform(&r, 0.2, 1);
        const double small = pow(10, test_uniform(&r, -8, -1)), z = test_uniform(&r, -0.5, 0.5) * h;
        const abut_vec3 half = { small * test_uniform(&r, 0.1, 1), small * test_uniform(&r, 0.1, 1),
                                 small * test_uniform(&r, 0.1, 1) };
        abut_shape *a, *box, *rod, *ball, *needle;
        if (cone)
            assert_int_equal(abut_shape_create_cone(radius, 2 * h, NULL, &a), ABUT_OK);
        else
            assert_int_equal(abut_shape_create_cylinder(radius, 2 * h, NULL, &a), ABUT_OK);
        assert_int_equal(abut_shape_create_box(half, NULL, &box), ABUT_OK);
        assert_int_equal(abut_shape_create_cylinder(half.x, 2 * half.z, NULL, &rod), ABUT_OK);
        assert_int_equal(abut_shape_create_sphere(small, NULL, &ball), ABUT_OK);
        assert_int_equal(abut_shape_create_capsule(small, 2 * half.z, NULL, &needle), ABUT_OK);
        const abut_vec3 at = { 0, 0, z };
        const double least = fmin(half.x, half.y), size = 2 * (radius + h);
        expect(a, box, at, depth_in(cone, radius, h, z, least, half.z), size, i, "box");
        expect(a, rod, at, depth_in(cone, radius, h, z, half.x, half.z), size, i, "cylinder");
        expect(a, ball, at, depth_in(cone, radius, h, z, 0, 0) + small, size, i, "sphere");
        if (!cone) /* the sides of both; a cone's slant meets one end of it */
            expect(a, needle, at, depth_in(cone, radius, h, z, 0, half.z) + small, size, i, "capsule");
        abut_shape *const all[] = { a, box, rod, ball, needle };
        for (int k = 0; k < 5; ++k)
            abut_shape_release(all[k]);
    }
}

/* ---- others ---- */

static long double depth_along(const oracle_convex *pair, abut_vec3 n, long double *error)
{
    return -oracle_convex_separation(pair, n, error);
}

static abut_vec3 direction(abut_quat q, double latitude, double longitude)
{
    return turned(
        q, (abut_vec3){ sin(latitude) * cos(longitude), sin(latitude) * sin(longitude), cos(latitude) });
}

/* A direction as shallow as can be found: about the axis of q, with this latitude and those of a
 * grid; then shorter and shorter steps in latitude and longitude. */
static long double find_shallow(const oracle_convex *pair, abut_quat q, double extra)
{
    enum { LATITUDES = 25, LONGITUDES = 32 };
    long double best = HUGE_VALL, error;
    double at[2] = { 0, 0 };
    for (int i = 0; i <= LATITUDES; ++i)
        for (int k = 0; k < LONGITUDES; ++k) {
            const double latitude = i == LATITUDES ? extra : pi * i / (LATITUDES - 1),
                         longitude = 2 * pi * k / LONGITUDES;
            const long double f = depth_along(pair, direction(q, latitude, longitude), &error);
            if (f < best) {
                best = f;
                at[0] = latitude;
                at[1] = longitude;
            }
        }
    for (double step = 0.1; step > 1e-12; step *= 0.5)
        for (int k = 0; k < 8; ++k) {
            const double x = at[0] + step * cos(k * pi / 4), y = at[1] + step * sin(k * pi / 4);
            const long double f = depth_along(pair, direction(q, x, y), &error);
            if (f < best) {
                best = f;
                at[0] = x;
                at[1] = y;
            }
        }
    return best;
}

/* The latitude of the normals of a slant; else the equator. */
static double ring_of(const oracle_body *b)
{
    return b->core == ORACLE_CORE_CONE ? atan2(2 * b->h.z, b->h.x) : pi / 2;
}

static uint64_t asked, wide;

static void judge(const query *q, uint64_t seed)
{
    for (int i = 0; i < 2; ++i) {
        const oracle_convex pair =
            i ? (oracle_convex){ q->pair.b, q->pair.a, q->pair.pose_b, q->pair.pose_a } : q->pair;
        const item *a = i ? q->b : q->a, *b = i ? q->a : q->b;
        abut_check_result c;
        assert_int_equal(abut_check(a->shape, &pair.pose_a, b->shape, &pair.pose_b, NULL, NULL, &c), ABUT_OK);
        TEST_CHECK(c.counters.evaluations <= 200, "seed %" PRIu64 ": %" PRIu64 " evaluations", seed,
                   c.counters.evaluations);
        if (c.verdict != ABUT_PENETRATING || !c.has_depth)
            continue;
        long double error;
        const long double named = depth_along(&pair, c.normal, &error);
        const long double found = fminl(find_shallow(&pair, pair.pose_a.rotation, ring_of(pair.a)),
                                        find_shallow(&pair, pair.pose_b.rotation, ring_of(pair.b)));
        const long double slack = error + 1e-16L * c.depth.hi;
        TEST_CHECK(found >= c.depth.lo - slack && named >= c.depth.lo - slack,
                   "seed %" PRIu64 ", order %d, %s - %s: [%.17g, %.17g], but %.17Lg", seed, i,
                   type_names[a->type], type_names[b->type], c.depth.lo, c.depth.hi, fminl(found, named));
        TEST_CHECK(named <= c.depth.hi + 1e-13L * (a->size + b->size) + slack,
                   "seed %" PRIu64 ", order %d, %s - %s: [%.17g, %.17g], the direction has %.17Lg", seed, i,
                   type_names[a->type], type_names[b->type], c.depth.lo, c.depth.hi, named);
        ++asked;
        wide += !(c.depth.hi - c.depth.lo <= 1e-9 * c.depth.hi + 1e-12 * (a->size + b->size));
    }
}

/* b near the axis of a, nearly parallel to it, or any way round; smaller by up to 1e-8, or as
 * large. */
static void place_near_axis(test_random *r, query *q)
{
    static const double tilts[] = { 0, 0, 1e-15, 1e-12, 1e-9, 1e-6, 1e-3 };
    const double size = fmin(q->b->size, 0.2), t = tilts[test_below(r, 7)], off = tilts[test_below(r, 7)];
    const abut_quat turn = random_rotation(r), tilt = { 1, t * turn.x, t * turn.y, t * turn.z };
    abut_pose *a = &q->pair.pose_a, *b = &q->pair.pose_b;
    *a = (abut_pose){ { test_uniform(r, -2, 2), test_uniform(r, -2, 2), test_uniform(r, -2, 2) }, turn };
    b->rotation = test_below(r, 2) ? random_rotation(r) : times(a->rotation, tilt);
    const double far = test_below(r, 4) ? fmax(off, size) * test_uniform(r, 0, 1) : 0;
    const abut_vec3 d = random_direction(r),
                    p = turned(turn, (abut_vec3){ far * d.x, far * d.y,
                                                  test_below(r, 2) ? 0 : test_uniform(r, -0.2, 0.2) });
    b->position = (abut_vec3){ a->position.x + p.x, a->position.y + p.y, a->position.z + p.z };
}

static void narrow_pairs_are_enclosed(void **state)
{
    (void)state;
    static const enum type solids[] = { CYLINDER, CONE, CAPSULE, ELLIPSOID, SWEPT },
                           others[] = { SPHERE, BOX, CAPSULE, CYLINDER, CONE, ELLIPSOID, HULL, ROUNDED };
    for (uint64_t i = 0; i < test_count(600); ++i) {
        test_random r = test_seed(i + 1000000);
        static item a, b;
        const enum type ta = solids[test_below(&r, 5)], tb = others[test_below(&r, 8)];
        make_item(&r, ta, test_below(&r, 3) ? ORDINARY : DYADIC, 1, &a);
        make_item(&r, tb, test_below(&r, 3) ? ORDINARY : DYADIC,
                  test_below(&r, 4) ? pow(10, test_uniform(&r, -8, -0.5)) : 1, &b);
        if (a.body.core == ORACLE_CORE_POINTS)
            a.body.points = a.points;
        if (b.body.core == ORACLE_CORE_POINTS)
            b.body.points = b.points;
        query q = { .a = &a, .b = &b, .pair = { .a = &a.body, .b = &b.body } };
        place_near_axis(&r, &q);
        judge(&q, i);
        abut_shape_release(a.shape);
        abut_shape_release(b.shape);
    }
    print_message("%" PRIu64 " depths, %" PRIu64 " wider than 1e-9\n", asked, wide);
    TEST_CHECK(wide * 50 <= asked, "%" PRIu64 " of %" PRIu64 " are wide", wide, asked);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(known_rings_are_enclosed),
        cmocka_unit_test(narrow_pairs_are_enclosed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
