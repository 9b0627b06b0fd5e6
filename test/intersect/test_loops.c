/* SPDX-License-Identifier: MIT */
/* Random pairs of surfaces against the dense referee: what is complete must be, each component
 * must have its point, and points must be on both surfaces. */
#include "oracle/loops_cases.h"
#include "support/test.h"

typedef struct tally {
    uint64_t pairs, complete, judged, components, undecided;
} tally;

static void show(const dense_surface *a, const dense_surface *b, const abut_loops *out, const dense_result *r)
{
    cases_print(a);
    cases_print(b);
    print_error("%s%s, %zu points:", abut_loops_status_name(out->status), out->distinct ? " distinct" : "",
                out->count);
    for (size_t i = 0; i < out->count; ++i)
        print_error(" %s (%.6g %.6g %.6g) +- %.2g on %d;", abut_loop_kind_name(out->loops[i].kind),
                    out->loops[i].point.x, out->loops[i].point.y, out->loops[i].point.z, out->loops[i].radius,
                    r ? r->of_point[i] : 0);
    print_error("\nreferee: known %d, %d components\n", r ? r->known : 0, r ? r->count : 0);
}

static void check_points(const dense_surface *a, const dense_surface *b, const abut_loops *out, uint64_t seed)
{
    for (size_t i = 0; i < out->count; ++i) {
        const abut_loop *l = &out->loops[i];
        const double far = 1 + fabs(l->point.x) + fabs(l->point.y) + fabs(l->point.z);
        /* The distance is known to first order. */
        const double allowed = 1.5 * l->radius + 1e-13 * far * far;
        if (!(dense_distance(a, l->point) <= allowed && dense_distance(b, l->point) <= allowed)) {
            show(a, b, out, NULL);
            TEST_FAIL("seed %" PRIu64 ": point %zu is %g and %g off", seed, i, dense_distance(a, l->point),
                      dense_distance(b, l->point));
        }
    }
}

static void judge(const dense_surface *a, const dense_surface *b, int grid, uint64_t seed, tally *t)
{
    abut_loops out, swapped;
    assert_int_equal(abut_surface_loops(&a->s, &a->pose, &b->s, &b->pose, &out), ABUT_OK);
    ++t->pairs;
    check_points(a, b, &out, seed);
    assert_int_equal(abut_surface_loops(&b->s, &b->pose, &a->s, &a->pose, &swapped), ABUT_OK);
    check_points(b, a, &swapped, seed);
    TEST_CHECK(out.status != ABUT_LOOPS_COMPLETE || swapped.status != ABUT_LOOPS_COMPLETE || !out.distinct ||
                   !swapped.distinct || out.count == swapped.count,
               "seed %" PRIu64 ": %zu and, swapped, %zu", seed, out.count, swapped.count);
    if (out.status != ABUT_LOOPS_COMPLETE) {
        ++t->undecided;
        return;
    }
    ++t->complete;
    const bool turn = dense_prefers(b, a);
    dense_result r;
    dense_components(turn ? b : a, turn ? a : b, grid, out.loops, out.count, &r);
    if (!r.known)
        return;
    ++t->judged;
    t->components += (uint64_t)r.count;
    bool wrong = out.distinct ? (int)out.count != r.count : (int)out.count < r.count;
    for (int c = 0; c < r.count && !wrong; ++c) {
        bool met = false, lost = false;
        for (size_t i = 0; i < out.count; ++i) {
            met = met || r.of_point[i] == c;
            lost = lost || r.of_point[i] < 0;
        }
        wrong = !met && !lost;
    }
    if (wrong) {
        show(a, b, &out, &r);
        TEST_FAIL("seed %" PRIu64, seed);
    }
}

static void test_random_pairs(void **state)
{
    (void)state;
    const uint64_t count = test_count(70);
    for (int ka = ABUT_SOLID_PLANE; ka < ABUT_SOLID_SURFACE_COUNT; ++ka)
        for (int kb = ka; kb < ABUT_SOLID_SURFACE_COUNT; ++kb) {
            tally t = { 0 };
            for (uint64_t i = 0; i < count; ++i) {
                const uint64_t seed = i * 64 + (uint64_t)(ka * 8 + kb);
                test_random r = test_seed(seed);
                const dense_surface a = cases_surface(&r, (abut_solid_surface_kind)ka);
                const dense_surface b = cases_surface(&r, (abut_solid_surface_kind)kb);
                judge(&a, &b, 90, seed, &t);
            }
            print_message("%s %s: %" PRIu64 " pairs, %" PRIu64 " complete, %" PRIu64 " judged, %" PRIu64
                          " components\n",
                          abut_solid_surface_name((abut_solid_surface_kind)ka),
                          abut_solid_surface_name((abut_solid_surface_kind)kb), t.pairs, t.complete, t.judged,
                          t.components);
        }
}

/* ---- known families ---- */

static abut_solid_surface plane_at(double px, double py, double pz, double x, double y, double z)
{
    return (abut_solid_surface){ .kind = ABUT_SOLID_PLANE, .point = { px, py, pz }, .axis = { x, y, z } };
}

static abut_solid_surface sphere_at(double x, double y, double z, double radius)
{
    return (abut_solid_surface){ .kind = ABUT_SOLID_SPHERE, .point = { x, y, z }, .radius = radius };
}

static abut_solid_surface cylinder_at(double px, double py, double pz, double x, double y, double z,
                                      double radius)
{
    return (abut_solid_surface){
        .kind = ABUT_SOLID_CYLINDER, .point = { px, py, pz }, .axis = { x, y, z }, .radius = radius
    };
}

static abut_solid_surface cone_at(double px, double py, double pz, double x, double y, double z,
                                  double tangent)
{
    return (abut_solid_surface){
        .kind = ABUT_SOLID_CONE, .point = { px, py, pz }, .axis = { x, y, z }, .tangent = tangent
    };
}

static abut_solid_surface torus_at(double px, double py, double pz, double x, double y, double z,
                                   double radius, double minor)
{
    return (abut_solid_surface){ .kind = ABUT_SOLID_TORUS,
                                 .point = { px, py, pz },
                                 .axis = { x, y, z },
                                 .radius = radius,
                                 .minor = minor };
}

typedef struct family {
    const char *name;
    abut_solid_surface a, b;
    abut_loops_status status;
    const char *kinds; /* c closed, o open, s singular, S singular open, p point, u unknown; in any order */
} family;

static char letter(abut_loop_kind kind)
{
    return "ucosSp"[kind];
}

static void check_family(const family *f, const abut_pose *pose, const char *how)
{
    const abut_solid_surface *const both[2] = { &f->a, &f->b };
    for (int swap = 0; swap < 2; ++swap) {
        abut_loops out;
        assert_int_equal(abut_surface_loops(both[swap], pose, both[1 - swap], pose, &out), ABUT_OK);
        int left[128] = { 0 };
        for (const char *k = f->kinds; *k; ++k)
            ++left[(unsigned char)*k];
        bool same = out.status == f->status && out.count == strlen(f->kinds);
        for (size_t i = 0; i < out.count; ++i)
            same = --left[(unsigned char)letter(out.loops[i].kind)] >= 0 && same;
        const dense_surface a = { .s = f->a, .pose = pose ? *pose : abut_pose_identity() };
        const dense_surface b = { .s = f->b, .pose = pose ? *pose : abut_pose_identity() };
        if (!same) {
            show(&a, &b, &out, NULL);
            TEST_FAIL("%s (%s): expected %s \"%s\"", f->name, how, abut_loops_status_name(f->status),
                      f->kinds);
        }
        for (size_t i = 0; i < out.count; ++i) {
            const abut_loop *l = &out.loops[i];
            /* To first order, and not at an apex, where the gradient is not continuous. */
            TEST_CHECK(l->radius < 1e-6 && dense_distance(&a, l->point) <= 4 * l->radius + 1e-6 &&
                           dense_distance(&b, l->point) <= 4 * l->radius + 1e-6,
                       "%s (%s): off by %g and %g, radius %g", f->name, how, dense_distance(&a, l->point),
                       dense_distance(&b, l->point), l->radius);
        }
    }
}

static void test_families(void **state)
{
    (void)state;
    const abut_loops_status all = ABUT_LOOPS_COMPLETE, same = ABUT_LOOPS_COINCIDENT;
    const family families[] = {
        { "Viviani", sphere_at(0, 0, 0, 2), cylinder_at(1, 0, 0, 0, 0, 1, 1), all, "s" },
        { "Steinmetz", cylinder_at(0, 0, 0, 0, 0, 1, 1), cylinder_at(0, 0, 0, 1, 0, 0, 1), all, "s" },
        { "crossing, smaller", cylinder_at(0, 0, 0, 0, 0, 1, 0.5), cylinder_at(0, 0, 0, 1, 0, 0, 1), all,
          "cc" },
        { "crossing, aside", cylinder_at(0, 0.75, 0, 0, 0, 1, 0.5), cylinder_at(0, 0, 0, 1, 0, 0, 1), all,
          "c" },
        { "crossing, touching aside", cylinder_at(0, 0.5, 0, 0, 0, 1, 0.5), cylinder_at(0, 0, 0, 1, 0, 0, 1),
          all, "s" },
        { "crossing, touching outside", cylinder_at(0, 1.5, 0, 0, 0, 1, 0.5),
          cylinder_at(0, 0, 0, 1, 0, 0, 1), all, "p" },
        { "ball in a bore", sphere_at(0, 0, 0, 1), cylinder_at(0, 0, 3, 0, 0, 1, 1), all, "c" },
        { "ball about a rod", sphere_at(0, 0, 0, 2), cylinder_at(0, 0, 3, 0, 0, -2, 1), all, "cc" },
        { "ball touching from inside", sphere_at(0.5, 0, 0, 0.5), cylinder_at(0, 0, 3, 0, 0, 1, 1), all,
          "p" },
        { "ball touching from outside", sphere_at(3, 0, 0, 2), cylinder_at(0, 0, 3, 0, 0, 1, 1), all, "p" },
        { "parallel cylinders", cylinder_at(0, 0, 0, 0, 0, 1, 1), cylinder_at(1, 0, 3, 0, 0, 2, 1), all,
          "oo" },
        { "parallel cylinders, touching", cylinder_at(0, 0, 0, 0, 0, 1, 1), cylinder_at(2, 0, 3, 0, 0, 2, 1),
          all, "o" },
        { "parallel cylinders, touching inside", cylinder_at(0, 0, 0, 0, 0, 1, 2),
          cylinder_at(1, 0, 3, 0, 0, 2, 1), all, "o" },
        { "parallel cylinders, apart", cylinder_at(0, 0, 0, 0, 0, 1, 1), cylinder_at(3, 0, 3, 0, 0, 2, 1),
          all, "" },
        { "the same cylinder", cylinder_at(0, 0, 0, 0, 0, 1, 1), cylinder_at(0, 0, 3, 0, 0, -2, 1), same,
          "" },
        { "coaxial cylinders", cylinder_at(0, 0, 0, 0, 0, 1, 1), cylinder_at(0, 0, 3, 0, 0, 2, 0.75), all,
          "" },
        { "plane along a cylinder", plane_at(0.5, 9, 9, 1, 0, 0), cylinder_at(0, 0, 0, 0, 0, 1, 1), all,
          "oo" },
        { "tangent plane", plane_at(1, 9, 9, 1, 0, 0), cylinder_at(0, 0, 0, 0, 0, 1, 1), all, "o" },
        { "plane beside", plane_at(1.5, 9, 9, 1, 0, 0), cylinder_at(0, 0, 0, 0, 0, 1, 1), all, "" },
        { "leaning tangent plane", plane_at(3, 4, 1, 3, 4, 0), cylinder_at(0, 0, 0, 0, 0, 1, 5), all, "o" },
        { "plane across", plane_at(0, 0, 1, 0, 0, 1), cylinder_at(0, 0, 0, 0, 0, 1, 1), all, "c" },
        { "tangent plane of a ball", plane_at(9, 9, 1, 0, 0, 1), sphere_at(0, 0, 0, 1), all, "p" },
        { "leaning tangent plane of a ball", plane_at(1, 2, 2, 1, 2, 2), sphere_at(0, 0, 0, 3), all, "p" },
        { "plane across a cone", plane_at(0, 0, 1, 0, 0, 1), cone_at(0, 0, 0, 0, 0, 1, 0.5), all, "c" },
        { "plane behind a cone", plane_at(0, 0, -1, 0, 0, 1), cone_at(0, 0, 0, 0, 0, 1, 0.5), all, "" },
        { "plane through the apex only", plane_at(0, 0, 0, 0, 0, 1), cone_at(0, 0, 0, 0, 0, 1, 0.5), all,
          "p" },
        { "plane through the axis", plane_at(0, 0, 0, 1, 0, 0), cone_at(0, 0, 0, 0, 0, 1, 0.5), all, "S" },
        { "plane touching a cone", plane_at(0, 0, 0, 4, 0, 3), cone_at(0, 0, 0, 0, 0, -1, 0.75), all, "S" },
        { "parabola", plane_at(-1, 0, 0, 1, 0, -1), cone_at(0, 0, 0, 0, 0, 1, 1), all, "o" },
        { "parabola behind the apex", plane_at(1, 0, 0, 1, 0, -1), cone_at(0, 0, 0, 0, 0, 1, 1), all, "" },
        { "hyperbola", plane_at(1, 0, 0, 1, 0, 0), cone_at(0, 0, 0, 0, 0, 1, 1), all, "o" },
        { "balls outside", sphere_at(0, 0, 0, 1), sphere_at(3, 0, 0, 2), all, "p" },
        { "balls inside", sphere_at(0, 0, 0, 1), sphere_at(0, 1, 0, 2), all, "p" },
        { "concentric balls", sphere_at(0, 0, 0, 1), sphere_at(0, 0, 0, 2), all, "" },
        { "the same ball", sphere_at(0, 0, 0, 1), sphere_at(0, 0, 0, 1), same, "" },
        { "cones on one axis", cone_at(0, 0, 0, 0, 0, 1, 1), cone_at(0, 0, 1, 0, 0, 1, 2), all, "c" },
        { "cones face to face", cone_at(0, 0, 0, 0, 0, 1, 1), cone_at(0, 0, 4, 0, 0, -1, 1), all, "c" },
        { "cones back to back", cone_at(0, 0, 0, 0, 0, 1, 1), cone_at(0, 0, -4, 0, 0, -1, 1), all, "" },
        { "cones that share the apex", cone_at(0, 0, 0, 0, 0, 1, 1), cone_at(0, 0, 0, 0, 0, 1, 2), all, "p" },
        { "nappes of one cone", cone_at(0, 0, 0, 0, 0, 1, 1), cone_at(0, 0, 0, 0, 0, -1, 1), all, "p" },
        { "crossing cones that share the apex", cone_at(0, 0, 0, 0, 0, 1, 2), cone_at(0, 0, 0, 1, 0, 0, 2),
          all, "S" },
        { "the same cone", cone_at(0, 0, 0, 0, 0, 1, 1), cone_at(0, 0, 0, 0, 0, 3, 1), same, "" },
        { "parallel equal cones", cone_at(0, 0, 0, 0, 0, 1, 1), cone_at(2, 0, 0, 0, 0, 1, 1), all, "o" },
        { "cone on a rod", cone_at(0, 0, 0, 0, 0, 1, 1), cylinder_at(0, 0, 0, 0, 0, 1, 1), all, "c" },
        { "apex on a rod", cone_at(1, 0, 0, 0, 0, 1, 1), cylinder_at(0, 0, 0, 0, 0, 1, 1), all, "u" },
        { "ball about the apex", cone_at(0, 0, 0, 0, 0, 1, 1), sphere_at(0, 0, 0, 1), all, "c" },
        { "ball through the apex", cone_at(0, 0, 0, 0, 0, 1, 1), sphere_at(0, 0, 1, 1), all, "cp" },
        { "ball in a cone", cone_at(0, 0, 0, 0, 0, 1, 0.75), sphere_at(0, 0, 5, 3), all, "c" },
        { "parallel planes", plane_at(0, 0, 0, 1, 2, 3), plane_at(0, 0, 1, 2, 4, 6), all, "" },
        { "the same plane", plane_at(0, 0, 0, 1, 2, 3), plane_at(3, 0, -1, -2, -4, -6), same, "" },
        { "plane through a torus's middle", plane_at(0, 0, 0, 0, 0, 1), torus_at(0, 0, 0, 0, 0, 1, 3, 1), all,
          "cc" },
        { "plane on top of a torus", plane_at(0, 0, 1, 0, 0, 1), torus_at(0, 0, 0, 0, 0, 1, 3, 1), all, "c" },
        { "plane above a torus", plane_at(0, 0, 1.5, 0, 0, 1), torus_at(0, 0, 0, 0, 0, 1, 3, 1), all, "" },
        { "plane through a torus's axis", plane_at(0, 0, 0, 1, 0, 0), torus_at(0, 0, 0, 0, 0, 1, 3, 1), all,
          "cc" },
        { "figure of eight", plane_at(2, 0, 0, 1, 0, 0), torus_at(0, 0, 0, 0, 0, 1, 3, 1), all, "s" },
        { "beyond the hole", plane_at(2.5, 0, 0, 1, 0, 0), torus_at(0, 0, 0, 0, 0, 1, 3, 1), all, "c" },
        { "plane at a torus's side", plane_at(4, 0, 0, 1, 0, 0), torus_at(0, 0, 0, 0, 0, 1, 3, 1), all, "p" },
        /* sin of the plane's angle = r / R = 3 / 5 */
        { "Villarceau", plane_at(0, 0, 0, 3, 0, 4), torus_at(0, 0, 0, 0, 0, 1, 5, 3), all, "s" },
        { "ball in a torus's hole", sphere_at(0, 0, 0, 2), torus_at(0, 0, 0, 0, 0, 1, 3, 1), all, "c" },
        { "ball about a torus's hole", sphere_at(0, 0, 0, 3), torus_at(0, 0, 0, 0, 0, 1, 3, 1), all, "cc" },
        { "ball in a torus's tube", sphere_at(3, 0, 0, 1), torus_at(0, 0, 0, 0, 0, 1, 3, 1), all, "c" },
        { "ball touching a torus", sphere_at(5, 0, 0, 1), torus_at(0, 0, 0, 0, 0, 1, 3, 1), all, "p" },
        { "fillet and cylinder", cylinder_at(0, 0, 0, 0, 0, 1, 2), torus_at(0, 0, 0, 0, 0, -1, 3, 1), all,
          "c" },
        { "tube cut by a cylinder", cylinder_at(0, 0, 0, 0, 0, 1, 3), torus_at(0, 0, 7, 0, 0, 1, 3, 1), all,
          "cc" },
        { "rod in a hole", cylinder_at(0, 0, 0, 0, 0, 1, 1), torus_at(0, 0, 7, 0, 0, 1, 3, 1), all, "" },
        { "cone on a fillet", cone_at(0, 0, 5, 0, 0, -1, 0.75), torus_at(0, 0, 0, 0, 0, 1, 5, 2), all, "cc" },
        { "cone touching a fillet", cone_at(0, 0, 5, 0, 0, -1, 0.75), torus_at(0, 0, 0, 0, 0, 1, 5, 1), all,
          "c" },
        { "coaxial tori", torus_at(0, 0, 0, 0, 0, 1, 3, 1), torus_at(0, 0, 1, 0, 0, 1, 3, 1), all, "cc" },
        { "coaxial tori that touch", torus_at(0, 0, 0, 0, 0, 1, 3, 1), torus_at(0, 0, 2, 0, 0, 1, 3, 1), all,
          "c" },
        { "the same torus", torus_at(0, 0, 0, 0, 0, 1, 3, 1), torus_at(0, 0, 0, 0, 0, -2, 3, 1), same, "" },
        { "linked rings", torus_at(0, 0, 0, 0, 0, 1, 3, 1), torus_at(3, 0, 0, 0, 1, 0, 3, 1), all, "" },
        { "rings across", torus_at(0, 0, 0, 0, 0, 1, 3, 1), torus_at(0, 0, 0, 1, 0, 0, 3, 0.5), all, "cccc" },
        { "rod through a tube", cylinder_at(0, 0, 0, 1, 0, 0, 0.5), torus_at(0, 0, 0, 0, 0, 1, 3, 1), all,
          "cccc" },
        { "rod along a tube", cylinder_at(3, 0, 0, 0, 1, 0, 0.5), torus_at(0, 0, 0, 0, 0, 1, 3, 1), all,
          "cc" },
        { "elbow and pipe", cylinder_at(3, 7, 0, 0, 2, 0, 1), torus_at(0, 0, 0, 0, 0, 1, 3, 1), all, "s" },
        { "elbow and leaning pipe", cylinder_at(3, 4, 0, -4, 3, 0, 1), torus_at(0, 0, 0, 0, 0, 1, 5, 1), all,
          "s" },
        { "bend and counter-bend", torus_at(0, 0, 0, 0, 0, 1, 3, 1), torus_at(5, 0, 0, 0, 0, 1, 2, 1), all,
          "s" },
        { "bend beside a bend", torus_at(0, 0, 0, 0, 0, 1, 3, 0.5), torus_at(1, 0, 0, 0, 0, -1, 2, 0.5), all,
          "s" },
        { "planes", plane_at(0, 0, 0, 1, 2, 3), plane_at(3, 0, -1, 1, 0, 0), all, "o" },
    };
    /* At rest, displaced exactly, turned exactly, and turned together by any rotation. */
    const double half = 0.70710678118654757;
    const abut_pose places[3] = { { { 3, -1.25, 7 }, { 1, 0, 0, 0 } },
                                  { { 0, 2, 0 }, { half, half, 0, 0 } },
                                  { { 5, 2, 1 }, { 0.3, -0.1, 0.7, 0.2 } } };
    for (size_t i = 0; i < sizeof families / sizeof *families; ++i) {
        check_family(&families[i], NULL, "at rest");
        for (int k = 0; k < 3; ++k)
            check_family(&families[i], &places[k],
                         k == 0   ? "displaced"
                         : k == 1 ? "turned"
                                  : "turned anyhow");
    }
}

/* Numbers of any size: no crash, no NaN, points with finite radii, and arguments that are no surfaces. */
static double any_size(test_random *r)
{
    static const double special[6] = { 0, 1, -1, 0x1p-1074, 1e308, 0x1p-1022 };
    const unsigned k = test_below(r, 8);
    return k < 6 ? special[k] : k == 6 ? test_log_uniform(r, -1000, 1000) : test_log_uniform(r, -60, 60);
}

static void test_extremes(void **state)
{
    (void)state;
    const uint64_t count = test_count(3000);
    uint64_t ran = 0;
    for (uint64_t seed = 0; seed < count; ++seed) {
        test_random r = test_seed(seed);
        abut_solid_surface s[2];
        abut_pose pose[2];
        for (int i = 0; i < 2; ++i) {
            memset(&s[i], 0, sizeof s[i]);
            s[i].kind = (abut_solid_surface_kind)(1 + test_below(&r, ABUT_SOLID_SURFACE_COUNT - 1));
            s[i].point = (abut_vec3){ any_size(&r), any_size(&r), any_size(&r) };
            s[i].axis = (abut_vec3){ any_size(&r), any_size(&r), any_size(&r) };
            s[i].radius = fabs(any_size(&r));
            s[i].minor = fabs(any_size(&r));
            s[i].tangent = fabs(any_size(&r));
            for (int k = 0; k < 4; ++k)
                for (int l = k; l < 4; ++l)
                    s[i].matrix[k][l] = s[i].matrix[l][k] = any_size(&r);
            pose[i] = abut_pose_identity();
            if (test_below(&r, 2))
                pose[i] = (abut_pose){ { any_size(&r), any_size(&r), any_size(&r) },
                                       { any_size(&r), any_size(&r), any_size(&r), any_size(&r) } };
        }
        abut_loops out;
        const abut_status status = abut_surface_loops(&s[0], &pose[0], &s[1], &pose[1], &out);
        TEST_CHECK(status == ABUT_OK || status == ABUT_ERR_ARGUMENT, "seed %" PRIu64, seed);
        ran += status == ABUT_OK;
        for (size_t i = 0; i < out.count; ++i) {
            const abut_loop *l = &out.loops[i];
            TEST_CHECK(isfinite(l->point.x) && isfinite(l->point.y) && isfinite(l->point.z) &&
                           isfinite(l->radius) && l->radius >= 0,
                       "seed %" PRIu64, seed);
        }
    }
    TEST_CHECK(5 * ran > count, "%" PRIu64 " of %" PRIu64, ran, count);
    abut_loops out;
    const abut_solid_surface ball = sphere_at(0, 0, 0, 1), none = { .kind = ABUT_SOLID_SPHERE, .radius = -1 };
    assert_int_equal(abut_surface_loops(&ball, NULL, &none, NULL, &out), ABUT_ERR_ARGUMENT);
    assert_int_equal(abut_surface_loops(NULL, NULL, &ball, NULL, &out), ABUT_ERR_ARGUMENT);
    assert_int_equal(abut_surface_loops(&ball, NULL, &ball, NULL, NULL), ABUT_ERR_ARGUMENT);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(test_families), cmocka_unit_test(test_extremes),
                                        cmocka_unit_test(test_random_pairs) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
