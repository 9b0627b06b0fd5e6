/* SPDX-License-Identifier: MIT */
/* First contact of surface bodies. Referees: closed forms for each situation, and for convex bodies under random motions the certified convex solver, which
 * shares neither constraints nor search with what is judged here. */
#include "ccd/surface_scene.h"
#include "shape/shape.h"
#include "support/test.h"

static abut_vec3 v3(double x, double y, double z)
{
    return (abut_vec3){ x, y, z };
}

static abut_vec3 random_vec3(test_random *r, double size)
{
    return v3(test_uniform(r, -size, size), test_uniform(r, -size, size), test_uniform(r, -size, size));
}

static abut_placement random_placement(test_random *r, abut_vec3 around, double size)
{
    const abut_vec3 off = random_vec3(r, size);
    return (abut_placement){ .position = v3(around.x + off.x, around.y + off.y, around.z + off.z),
                             .rotation = { ABUT_ROTATION_RADIANS, .axis = random_vec3(r, 1),
                                           .angle = test_uniform(r, -3, 3) } };
}

static abut_first_result by_surfaces(const abut_shape *a, const abut_motion *motion_a, const abut_shape *b,
                                     const abut_motion *motion_b, const abut_first_opts *given)
{
    abut_first_opts opts;
    abut_first_result out;
    memset(&out, 0, sizeof out);
    abut_first_opts_init(&opts);
    if (given)
        opts = *given;
    const abut_interval range = isnan(opts.time.lo) ? (abut_interval){ 0, 1 } : opts.time;
    assert_int_equal(abut_surface_first(a, motion_a, b, motion_b, &opts, range, NULL, &out), ABUT_OK);
    return out;
}

/* ---- against the convex solver ---- */

enum { convex_kinds = 6 };

static abut_shape *make_convex(test_random *r, unsigned kind)
{
    abut_shape *shape = NULL;
    const double a = test_uniform(r, 0.3, 1.2), b = test_uniform(r, 0.3, 1.2), c = test_uniform(r, 0.3, 1.2);
    switch (kind) {
    case 0: assert_int_equal(abut_shape_create_sphere(a, NULL, &shape), ABUT_OK); break;
    case 1: assert_int_equal(abut_shape_create_ellipsoid(v3(a, b, c), NULL, &shape), ABUT_OK); break;
    case 2: assert_int_equal(abut_shape_create_cylinder(a, b, NULL, &shape), ABUT_OK); break;
    case 3: assert_int_equal(abut_shape_create_cone(a, b, NULL, &shape), ABUT_OK); break;
    case 4: assert_int_equal(abut_shape_create_capsule(a, b, NULL, &shape), ABUT_OK); break;
    default: assert_int_equal(abut_shape_create_box(v3(a, b, c), NULL, &shape), ABUT_OK); break;
    }
    return shape;
}

static void against_convex(void **state)
{
    (void)state;
    const size_t cases = test_count(300);
    size_t contacts = 0, unique = 0, separate = 0, undecided = 0, overlapping = 0;
    for (size_t seed = 0; seed < cases; ++seed) {
        test_random r = test_seed(seed);
        abut_shape *const a = make_convex(&r, test_below(&r, convex_kinds));
        abut_shape *const b = make_convex(&r, test_below(&r, convex_kinds));
        abut_motion *ma, *mb;
        const abut_placement a0 = random_placement(&r, v3(-2, 0, 0), 1), a1 = random_placement(&r, v3(0, 0, 0), 1);
        const abut_placement b0 = random_placement(&r, v3(2, 0, 0), 1), b1 = random_placement(&r, v3(0, 0, 0), 1);
        assert_int_equal(abut_motion_create_linear(0, 1, &a0, &a1, NULL, &ma, NULL), ABUT_OK);
        assert_int_equal(abut_motion_create_linear(0, 1, &b0, &b1, NULL, &mb, NULL), ABUT_OK);
        abut_first_result truth;
        assert_int_equal(abut_first_contact(a, ma, b, mb, NULL, NULL, &truth), ABUT_OK);
        const abut_first_result found = by_surfaces(a, ma, b, mb, NULL);
        const char *const names[2] = { abut_shape_type_name(abut_shape_get_type(a)),
                                       abut_shape_type_name(abut_shape_get_type(b)) };
        if (getenv("ABUT_TEST_SHOW"))
            printf("%zu %s %s: %s [%.17g %.17g] %s [%.17g %.17g] points %zu %s-%s unique %d proof %d stop %d iterations %d\n", seed, names[0],
                   names[1], abut_first_verdict_name(truth.verdict), truth.time.lo, truth.time.hi,
                   abut_first_verdict_name(found.verdict), found.time.lo, found.time.hi, found.point_count,
                   abut_feature_name(found.points[0].features[0]), abut_feature_name(found.points[0].features[1]),
                   found.points[0].unique, (int)found.proof, (int)found.stop, (int)found.counters.iterations);
        if (found.verdict == ABUT_FIRST_UNDECIDED) {
            ++undecided;
        } else if (truth.verdict != ABUT_FIRST_UNDECIDED) {
            TEST_CHECK(found.verdict == truth.verdict, "seed %zu %s %s: %s, not %s", seed, names[0], names[1],
                       abut_first_verdict_name(found.verdict), abut_first_verdict_name(truth.verdict));
        }
        if (truth.verdict == ABUT_FIRST_CONTACT && found.verdict == ABUT_FIRST_CONTACT) {
            ++contacts;
            unique += found.points[0].unique;
            TEST_CHECK(found.proof == ABUT_PROOF_TOLERANCE ||
                           (found.time.lo <= truth.time.hi && truth.time.lo <= found.time.hi),
                       "seed %zu %s %s: [%a %a], not [%a %a]", seed, names[0], names[1], found.time.lo,
                       found.time.hi, truth.time.lo, truth.time.hi);
            TEST_NEAR(found.time.lo, truth.time.lo, 1e-5, "seed %zu %s %s", seed, names[0], names[1]);
            assert_true(found.point_count > 0);
            if (truth.point_count > 0 && truth.points[0].unique && found.points[0].unique) {
                const abut_vec3 p = found.points[0].point, q = truth.points[0].point;
                TEST_NEAR(p.x, q.x, 1e-6, "seed %zu", seed);
                TEST_NEAR(p.y, q.y, 1e-6, "seed %zu", seed);
                TEST_NEAR(p.z, q.z, 1e-6, "seed %zu", seed);
                TEST_NEAR(found.points[0].normal.x, truth.points[0].normal.x, 1e-5, "seed %zu", seed);
                TEST_NEAR(found.points[0].normal.y, truth.points[0].normal.y, 1e-5, "seed %zu", seed);
                TEST_NEAR(found.points[0].normal.z, truth.points[0].normal.z, 1e-5, "seed %zu", seed);
            }
        }
        separate += found.verdict == ABUT_FIRST_SEPARATE;
        overlapping += found.verdict == ABUT_FIRST_OVERLAPPING;
        abut_shape_release(a);
        abut_shape_release(b);
        abut_motion_release(ma);
        abut_motion_release(mb);
    }
    print_message("contacts %zu, unique %zu, separate %zu, overlapping %zu, undecided %zu of %zu\n", contacts,
                  unique, separate, overlapping, undecided, cases);
    if (cases >= 300) {
        assert_true(contacts > cases / 4 && unique > contacts * 9 / 10 && separate > cases / 10);
        assert_true(undecided <= cases / 50);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(against_convex) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
