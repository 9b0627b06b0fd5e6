/* SPDX-License-Identifier: MIT */
/* First contact of surface bodies. Referees: closed forms for each situation, and for convex
 * bodies under random motions the certified convex solver, which shares neither constraints nor
 * search with what is judged here. */
#include "ccd/surface/surface_scene.h"
#include "shape/shape.h"
#include "support/places.h"

static abut_placement random_placement(test_random *r, abut_vec3 around, double size)
{
    abut_placement p = turned_placement(r, size);
    p.position = v3(around.x + p.position.x, around.y + p.position.y, around.z + p.position.z);
    return p;
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
        const abut_placement a0 = random_placement(&r, v3(-2, 0, 0), 1),
                             a1 = random_placement(&r, v3(0, 0, 0), 1);
        const abut_placement b0 = random_placement(&r, v3(2, 0, 0), 1),
                             b1 = random_placement(&r, v3(0, 0, 0), 1);
        assert_int_equal(abut_motion_create_linear(0, 1, &a0, &a1, NULL, &ma, NULL), ABUT_OK);
        assert_int_equal(abut_motion_create_linear(0, 1, &b0, &b1, NULL, &mb, NULL), ABUT_OK);
        abut_first_result truth;
        assert_int_equal(abut_first_contact(a, ma, b, mb, NULL, NULL, &truth), ABUT_OK);
        const abut_first_result found = by_surfaces(a, ma, b, mb, NULL);
        const char *const names[2] = { abut_shape_type_name(abut_shape_get_type(a)),
                                       abut_shape_type_name(abut_shape_get_type(b)) };
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

/* ---- closed forms for each situation ---- */

typedef struct situation {
    const char *name;
    abut_shape *(*upper)(void), *(*lower)(void);
    abut_rotation upper_by, lower_by;
    double x, y;   /* of the upper body, which comes down along z from 8 to 0 */
    double z;      /* where it touches */
    bool isolated; /* one contact, proved unique */
    abut_feature features[2];
} situation;

static abut_shape *keep(abut_status status, abut_shape *shape)
{
    assert_int_equal(status, ABUT_OK);
    return shape;
}

static abut_shape *ball_parametric(void)
{
    abut_shape *shape = NULL;
    const abut_parametric_def def = { .x = "cos(u)*cos(v)",
                                      .y = "sin(u)*cos(v)",
                                      .z = "sin(v)",
                                      .u = { 0, 6.283185307179586 },
                                      .v = { -1.5707963267948966, 1.5707963267948966 },
                                      .wrap_u = true };
    const abut_status status = abut_shape_create_parametric(&def, NULL, &shape, NULL);
    return keep(status, shape);
}

static abut_shape *ball_implicit(void)
{
    abut_shape *shape = NULL;
    const abut_aabb box = { { -1.1, -1.1, -1.1 }, { 1.1, 1.1, 1.1 } };
    const abut_status status = abut_shape_create_implicit("x^2 + y^2 + z^2 - 1", box, NULL, &shape, NULL);
    return keep(status, shape);
}

static abut_shape *ball(void)
{
    abut_shape *shape = NULL;
    const abut_status status = abut_shape_create_sphere(1, NULL, &shape);
    return keep(status, shape);
}

static abut_shape *cube(void)
{
    abut_shape *shape = NULL;
    const abut_status status = abut_shape_create_box(v3(1, 1, 1), NULL, &shape);
    return keep(status, shape);
}

static abut_shape *tube(void)
{
    abut_shape *shape = NULL;
    const abut_status status = abut_shape_create_cylinder(1, 2, NULL, &shape);
    return keep(status, shape);
}

static abut_shape *spike(void)
{
    abut_shape *shape = NULL;
    const abut_status status = abut_shape_create_cone(1, 2, NULL, &shape);
    return keep(status, shape);
}

static abut_shape *ring(void)
{
    abut_shape *shape = NULL;
    const abut_status status = abut_shape_create_torus(2, 0.5, NULL, &shape);
    return keep(status, shape);
}

static abut_shape *slab(void)
{
    abut_shape *shape = NULL;
    const abut_status status = abut_shape_create_box(v3(4, 4, 1), NULL, &shape);
    return keep(status, shape);
}

/* A sheet [-1, 1]^2 with its edges, flat. */
static abut_shape *sheet(void)
{
    abut_shape *shape = NULL;
    const abut_parametric_def def = { .x = "u", .y = "v", .z = "0*u", .u = { -1, 1 }, .v = { -1, 1 } };
    const abut_status status = abut_shape_create_parametric(&def, NULL, &shape, NULL);
    return keep(status, shape);
}

#define DEGREES(x, y, z, angle_)                                      \
    {                                                                 \
        ABUT_ROTATION_DEGREES, .axis = { x, y, z }, .angle = (angle_) \
    }
#define NONE                   \
    {                          \
        ABUT_ROTATION_IDENTITY \
    }
#define FF                                   \
    {                                        \
        ABUT_FEATURE_FACE, ABUT_FEATURE_FACE \
    }
#define ANY                                  \
    {                                        \
        ABUT_FEATURE_NONE, ABUT_FEATURE_NONE \
    }
/* Turns (1, 1, 1) down: about (1, -1, 0) by 90 degrees and the angle whose sine is 1 / sqrt 3. */
#define CORNER_DOWN                                                               \
    {                                                                             \
        ABUT_ROTATION_RADIANS, .axis = { 1, -1, 0 }, .angle = -2.1862760354652839 \
    }
#define CORNER_UP                                                                 \
    {                                                                             \
        ABUT_ROTATION_RADIANS, .axis = { 1, -1, 0 }, .angle = 0.95531661812450928 \
    }

static const situation situations[] = {
    /* Faces, by all pairs of forms, off the poles and at them: z^2 = 4 - x^2 - y^2. */
    { "parametric-parametric", ball_parametric, ball_parametric, NONE, NONE, 0.5, 0.7, 1.8055470085267789,
      true, FF },
    { "parametric-implicit", ball_parametric, ball_implicit, NONE, NONE, 0.5, 0.7, 1.8055470085267789, true,
      FF },
    { "implicit-parametric", ball_implicit, ball_parametric, NONE, NONE, 0.5, 0.7, 1.8055470085267789, true,
      FF },
    { "implicit-implicit", ball_implicit, ball_implicit, NONE, NONE, 0.5, 0.7, 1.8055470085267789, true, FF },
    { "both", ball, ball, NONE, NONE, 0.5, 0.7, 1.8055470085267789, true, FF },
    { "poles, implicit", ball_implicit, ball_implicit, NONE, NONE, 0, 0, 2, true, FF },
    { "poles, both", ball, ball, NONE, NONE, 0, 0, 2, true, FF },
    { "poles, mixed", ball_parametric, ball_implicit, NONE, NONE, 0, 0, 2, true, ANY },
    { "poles, mixed the other way", ball, ball_parametric, NONE, NONE, 0, 0, 2, true, ANY },
    { "poles, parametric", ball_parametric, ball_parametric, NONE, NONE, 0, 0, 2, false, ANY },
    { "ball on tube's cap, in the middle", ball, tube, NONE, NONE, 0, 0, 2, true, FF },
    { "ring on ball, apart from the axis", ball, ring, NONE, NONE, 2, 0, 1.5, true, FF },
    /* The rim of a tilted tube: height cos 30 + radius sin 30 over the slab. */
    { "edge-face",
      tube,
      slab,
      DEGREES(1, 0, 0, 30),
      NONE,
      0.3,
      0.2,
      1 + 1.3660254037844386,
      true,
      { ABUT_FEATURE_EDGE, ABUT_FEATURE_FACE } },
    { "face-edge", ball, tube, NONE, DEGREES(1, 0, 0, 90), 0, 0, 2, true, FF },
    { "edge-edge",
      cube,
      cube,
      DEGREES(1, 0, 0, 45),
      DEGREES(0, 1, 0, 45),
      0.1,
      0.2,
      2.8284271247461903,
      true,
      { ABUT_FEATURE_EDGE, ABUT_FEATURE_EDGE } },
    { "vertex-face",
      cube,
      slab,
      CORNER_DOWN,
      NONE,
      0.3,
      0.2,
      2.7320508075688772,
      true,
      { ABUT_FEATURE_VERTEX, ABUT_FEATURE_FACE } },
    { "apex-face", slab, spike, NONE, NONE, 0.3, 0.2, 2, true, { ABUT_FEATURE_FACE, ABUT_FEATURE_VERTEX } },
    { "vertex-edge",
      cube,
      cube,
      CORNER_DOWN,
      DEGREES(0, 1, 0, 45),
      0,
      0,
      3.1462643699419726,
      false,
      { ABUT_FEATURE_VERTEX, ABUT_FEATURE_EDGE } },
    { "vertex-vertex",
      cube,
      cube,
      CORNER_DOWN,
      CORNER_UP,
      0,
      0,
      3.4641016151377544,
      false,
      { ABUT_FEATURE_VERTEX, ABUT_FEATURE_VERTEX } },
    { "apex on a pole",
      ball_parametric,
      spike,
      NONE,
      NONE,
      0,
      0,
      2,
      false,
      { ABUT_FEATURE_VERTEX, ABUT_FEATURE_VERTEX } },
    { "apex beside a pole",
      ball_parametric,
      spike,
      NONE,
      NONE,
      0.28,
      0,
      1.96,
      true,
      { ABUT_FEATURE_FACE, ABUT_FEATURE_VERTEX } },
    /* Sheets: an edge and a corner of one, both parametric, and a ball through the middle. */
    { "corner of a sheet-sheet",
      sheet,
      sheet,
      DEGREES(1, 1, 0, 30),
      NONE,
      0.1,
      0.2,
      0.70710678118654757,
      true,
      { ABUT_FEATURE_VERTEX, ABUT_FEATURE_FACE } },
    { "edges of sheets",
      sheet,
      sheet,
      DEGREES(1, 0, 0, 90),
      DEGREES(0, 1, 0, 90),
      0.1,
      0.2,
      2,
      true,
      { ABUT_FEATURE_EDGE, ABUT_FEATURE_EDGE } },
    { "ball-sheet", ball_implicit, sheet, NONE, NONE, 0.1, 0.2, 1, true, FF },
};

static void known_situations(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof situations / sizeof *situations; ++i)
        for (int swapped = 0; swapped < 2; ++swapped) {
            const situation *const s = &situations[i];
            abut_shape *const upper = s->upper(), *const lower = s->lower();
            abut_motion *down, *still;
            const abut_placement from = { v3(s->x, s->y, 8), s->upper_by },
                                 to = { v3(s->x, s->y, 0), s->upper_by };
            const abut_placement at = { v3(0, 0, 0), s->lower_by };
            assert_int_equal(abut_motion_create_linear(0, 1, &from, &to, NULL, &down, NULL), ABUT_OK);
            assert_int_equal(abut_motion_create_static(&at, NULL, &still, NULL), ABUT_OK);
            const abut_first_result r = swapped ? by_surfaces(lower, still, upper, down, NULL)
                                                : by_surfaces(upper, down, lower, still, NULL);
            const double truth = (8 - s->z) / 8;
            TEST_CHECK(r.verdict == ABUT_FIRST_CONTACT, "%s: %s", s->name,
                       abut_first_verdict_name(r.verdict));
            TEST_NEAR(r.time.lo, truth, 1e-9, "%s", s->name);
            TEST_NEAR(r.time.hi, truth, 1e-9, "%s", s->name);
            TEST_CHECK(r.proof == ABUT_PROOF_TOLERANCE ||
                           (r.time.lo <= truth + 1e-15 && truth - 1e-15 <= r.time.hi),
                       "%s: %a not in [%a %a]", s->name, truth, r.time.lo, r.time.hi);
            /* All of them are points, proved or not. */
            TEST_CHECK(r.point_count == 1 && r.points[0].kind == ABUT_CONTACT_ISOLATED, "%s: %zu points",
                       s->name, r.point_count);
            TEST_CHECK(r.time.hi - r.time.lo <= 1e-9, "%s: %g", s->name, r.time.hi - r.time.lo);
            TEST_NEAR(fabs(r.points[0].normal.z), 1, 0.5, "%s", s->name);
            TEST_CHECK((r.points[0].normal.z > 0) == (swapped == 1), "%s: normal up or down", s->name);
            TEST_CHECK(!s->isolated || (r.points[0].unique && r.proof == ABUT_PROOF_INTERVAL), "%s: proof %d",
                       s->name, (int)r.proof);
            if (s->features[0])
                TEST_CHECK(r.points[0].features[swapped] == s->features[0] &&
                               r.points[0].features[!swapped] == s->features[1],
                           "%s: %s-%s", s->name, abut_feature_name(r.points[0].features[0]),
                           abut_feature_name(r.points[0].features[1]));
            abut_shape_release(upper);
            abut_shape_release(lower);
            abut_motion_release(down);
            abut_motion_release(still);
        }
}

/* The ring and the cone of the scene: a circle of radius 1.6 at t = 23/24, sampled all around. */
static void a_circle_is_covered(void **state)
{
    (void)state;
    abut_shape *torus, *cone;
    abut_motion *down;
    const abut_placement from = { .position = v3(0, 0, 4) }, to = { .position = v3(0, 0, 0) };
    assert_int_equal(abut_shape_create_torus(2, 0.5, NULL, &torus), ABUT_OK);
    assert_int_equal(abut_shape_create_cone(3, 4, NULL, &cone), ABUT_OK);
    assert_int_equal(abut_motion_create_linear(0, 1, &from, &to, NULL, &down, NULL), ABUT_OK);
    const abut_body bodies[2] = { { torus, down }, { cone, NULL } };
    abut_first_opts opts;
    abut_set_result r;
    enum { room = 400 };
    static abut_set_point points[room];
    abut_first_opts_init(&opts);
    opts.separation = 0.1;
    assert_int_equal(abut_first_contact_set(bodies, 2, NULL, 0, &opts, NULL, points, room, &r), ABUT_OK);
    assert_int_equal(r.verdict, ABUT_FIRST_CONTACT);
    assert_true(r.time.lo <= 23.0 / 24 && 23.0 / 24 <= r.time.hi && r.time.hi - r.time.lo < 1e-9);
    assert_true(r.point_count > 50 && r.point_count < room);
    /* No gap on the circle is longer than twice the separation. */
    for (int i = 0; i < 720; ++i) {
        const double x = 1.6 * cos(i * 0.008726646259971648), y = 1.6 * sin(i * 0.008726646259971648);
        double best = HUGE_VAL;
        for (size_t j = 0; j < r.point_count; ++j) {
            const abut_vec3 p = points[j].at.point;
            best = fmin(best, hypot(p.x - x, p.y - y) + fabs(p.z + 2.0 / 15));
            assert_true(!points[j].at.unique && points[j].at.kind == ABUT_CONTACT_SAMPLED);
        }
        TEST_CHECK(best < 0.1, "a gap of %g at %d", best, i);
    }
    abut_shape_release(torus);
    abut_shape_release(cone);
    abut_motion_release(down);
}

/* ---- tori: what must not change, and dense samples ---- */

static bool in_torus(abut_vec3 p, double major, double minor)
{
    const double d = hypot(p.x, p.y) - major;
    return d * d + p.z * p.z < minor * minor;
}

static abut_vec3 apply(const abut_affine *a, abut_vec3 p)
{
    const double(*m)[3] = a->linear.m;
    return v3(m[0][0] * p.x + m[0][1] * p.y + m[0][2] * p.z + a->translation.x,
              m[1][0] * p.x + m[1][1] * p.y + m[1][2] * p.z + a->translation.y,
              m[2][0] * p.x + m[2][1] * p.y + m[2][2] * p.z + a->translation.z);
}

static abut_vec3 apply_back(const abut_affine *a, abut_vec3 p)
{
    const double(*m)[3] = a->linear.m;
    const abut_vec3 d = v3(p.x - a->translation.x, p.y - a->translation.y, p.z - a->translation.z);
    return v3(m[0][0] * d.x + m[1][0] * d.y + m[2][0] * d.z, m[0][1] * d.x + m[1][1] * d.y + m[2][1] * d.z,
              m[0][2] * d.x + m[1][2] * d.y + m[2][2] * d.z);
}

/* A point of the first torus in the second at t? */
static bool samples_meet(const abut_motion *ma, const abut_motion *mb, double t)
{
    abut_affine at_a, at_b;
    assert_int_equal(abut_motion_at(ma, t, &at_a), ABUT_OK);
    assert_int_equal(abut_motion_at(mb, t, &at_b), ABUT_OK);
    for (int i = 0; i < 48; ++i)
        for (int j = 0; j < 24; ++j) {
            const double u = i * 0.1308996938995747, v = j * 0.2617993877991494, rho = 1 + 0.3 * cos(v);
            const abut_vec3 p = v3(rho * cos(u), rho * sin(u), 0.3 * sin(v));
            if (in_torus(apply_back(&at_b, apply(&at_a, p)), 1, 0.3))
                return true;
        }
    return false;
}

static abut_motion *carried(abut_motion *carrier, abut_motion *motion)
{
    abut_motion *links[2] = { carrier, motion }, *chain;
    assert_int_equal(abut_motion_create_chain(links, 2, NULL, &chain, NULL), ABUT_OK);
    return chain;
}

static void tori(void **state)
{
    (void)state;
    const size_t cases = test_count(60);
    size_t contacts = 0, unique = 0, separate = 0;
    abut_shape *torus;
    assert_int_equal(abut_shape_create_torus(1, 0.3, NULL, &torus), ABUT_OK);
    for (size_t seed = 0; seed < cases; ++seed) {
        test_random r = test_seed(seed + 1000);
        abut_motion *ma, *mb, *frame;
        const abut_placement a0 = random_placement(&r, v3(-2.5, 0, 0), 1),
                             a1 = random_placement(&r, v3(0, 0, 0), 1);
        const abut_placement b0 = random_placement(&r, v3(2.5, 0, 0), 1),
                             b1 = random_placement(&r, v3(0, 0, 0), 1);
        const abut_placement where = random_placement(&r, v3(3, -2, 1), 1);
        assert_int_equal(abut_motion_create_linear(0, 1, &a0, &a1, NULL, &ma, NULL), ABUT_OK);
        assert_int_equal(abut_motion_create_linear(0, 1, &b0, &b1, NULL, &mb, NULL), ABUT_OK);
        assert_int_equal(abut_motion_create_static(&where, NULL, &frame, NULL), ABUT_OK);
        abut_first_result found;
        assert_int_equal(abut_first_contact(torus, ma, torus, mb, NULL, NULL, &found), ABUT_OK);
        TEST_CHECK(found.verdict == ABUT_FIRST_CONTACT || found.verdict == ABUT_FIRST_SEPARATE,
                   "seed %zu: %s", seed, abut_first_verdict_name(found.verdict));
        const bool touch = found.verdict == ABUT_FIRST_CONTACT;
        const double until = touch ? found.time.lo : 1;
        for (int i = 0; i <= 40; ++i)
            TEST_CHECK(!(i / 40.0 < until && samples_meet(ma, mb, i / 40.0)), "seed %zu: missed at %g", seed,
                       i / 40.0);
        /* Swapped; both carried by the same frame; the range split. */
        abut_first_result again;
        assert_int_equal(abut_first_contact(torus, mb, torus, ma, NULL, NULL, &again), ABUT_OK);
        TEST_CHECK(again.verdict == found.verdict, "seed %zu swapped", seed);
        TEST_CHECK(!touch || (again.time.lo <= found.time.hi && found.time.lo <= again.time.hi),
                   "seed %zu swapped", seed);
        abut_motion *const ca = carried(frame, ma), *const cb = carried(frame, mb);
        assert_int_equal(abut_first_contact(torus, ca, torus, cb, NULL, NULL, &again), ABUT_OK);
        TEST_CHECK(again.verdict == found.verdict, "seed %zu carried", seed);
        TEST_CHECK(!touch || (again.time.lo <= found.time.hi && found.time.lo <= again.time.hi),
                   "seed %zu carried", seed);
        if (touch) {
            abut_first_opts opts;
            abut_first_opts_init(&opts);
            opts.time = (abut_interval){ 0, 0.9 * found.time.lo };
            assert_int_equal(abut_first_contact(torus, ma, torus, mb, &opts, NULL, &again), ABUT_OK);
            TEST_CHECK(again.verdict == ABUT_FIRST_SEPARATE, "seed %zu first part", seed);
            opts.time = (abut_interval){ 0.9 * found.time.lo, 1 };
            assert_int_equal(abut_first_contact(torus, ma, torus, mb, &opts, NULL, &again), ABUT_OK);
            TEST_CHECK(again.verdict == ABUT_FIRST_CONTACT && again.time.lo <= found.time.hi &&
                           found.time.lo <= again.time.hi,
                       "seed %zu second part", seed);
            const abut_vec3 n = found.points[0].normal, p = found.points[0].normals[0];
            TEST_NEAR(n.x * p.x + n.y * p.y + n.z * p.z, 1, 1e-9, "seed %zu: normal", seed);
        }
        contacts += touch;
        unique += touch && found.points[0].unique;
        separate += !touch;
        abut_motion_release(ma);
        abut_motion_release(mb);
        abut_motion_release(ca);
        abut_motion_release(cb);
        abut_motion_release(frame);
    }
    abut_shape_release(torus);
    print_message("tori: contacts %zu, unique %zu, separate %zu of %zu\n", contacts, unique, separate, cases);
    if (cases >= 60)
        assert_true(contacts > cases / 4 && unique >= contacts - 2);
}

/* ---- many bodies ---- */

static void sets_agree_with_pairs(void **state)
{
    (void)state;
    enum { n = 7, room = 200 };
    for (size_t seed = 0; seed < test_count(25); ++seed) {
        test_random r = test_seed(seed + 5000);
        abut_body bodies[n];
        abut_motion *motions[n];
        abut_shape *shapes[n];
        for (int i = 0; i < n; ++i) {
            const unsigned kind = test_below(&r, 7);
            if (kind == 6)
                assert_int_equal(abut_shape_create_torus(0.7, 0.2, NULL, &shapes[i]), ABUT_OK);
            else
                shapes[i] = make_convex(&r, kind);
            const double angle = i * 6.283185307179586 / n;
            const abut_vec3 around = v3(5 * cos(angle), 5 * sin(angle), 0);
            const abut_placement from = random_placement(&r, around, 0.5),
                                 to = random_placement(&r, v3(0, 0, 0), 3);
            assert_int_equal(abut_motion_create_linear(0, 1, &from, &to, NULL, &motions[i], NULL), ABUT_OK);
            bodies[i] = (abut_body){ shapes[i], motions[i] };
        }
        static abut_set_point points[room];
        abut_set_result all;
        assert_int_equal(abut_first_contact_set(bodies, n, NULL, 0, NULL, NULL, points, room, &all), ABUT_OK);
        assert_int_equal(all.pairs, n * (n - 1) / 2);
        bool contact = false, overlapping = false, undecided = false;
        abut_interval time = { HUGE_VAL, HUGE_VAL };
        for (int i = 0; i < n; ++i)
            for (int j = i + 1; j < n; ++j) {
                abut_first_result each;
                assert_int_equal(
                    abut_first_contact(shapes[i], motions[i], shapes[j], motions[j], NULL, NULL, &each),
                    ABUT_OK);
                overlapping = overlapping || each.verdict == ABUT_FIRST_OVERLAPPING;
                undecided = undecided || each.verdict == ABUT_FIRST_UNDECIDED;
                if (each.verdict == ABUT_FIRST_CONTACT) {
                    contact = true;
                    time = (abut_interval){ fmin(time.lo, each.time.lo), fmin(time.hi, each.time.hi) };
                }
            }
        if (!undecided) {
            const abut_first_verdict want = overlapping ? ABUT_FIRST_OVERLAPPING
                                            : contact   ? ABUT_FIRST_CONTACT
                                                        : ABUT_FIRST_SEPARATE;
            TEST_CHECK(all.verdict == want, "seed %zu: %s, not %s", seed,
                       abut_first_verdict_name(all.verdict), abut_first_verdict_name(want));
            if (want == ABUT_FIRST_CONTACT) {
                TEST_CHECK(all.time.lo <= time.hi && time.lo <= all.time.hi, "seed %zu: [%a %a], not [%a %a]",
                           seed, all.time.lo, all.time.hi, time.lo, time.hi);
                TEST_CHECK(all.point_count > 0 && points[0].verdict == ABUT_FIRST_CONTACT, "seed %zu", seed);
            }
        }
        for (int i = 0; i < n; ++i) {
            abut_shape_release(shapes[i]);
            abut_motion_release(motions[i]);
        }
    }
}

/* A ball through a ring of the same middle line: in and out, twice; and a ball that is there all
 * the time. */
static void intervals_of_contact(void **state)
{
    (void)state;
    abut_shape *torus, *ball_shape;
    abut_motion *through;
    const abut_placement from = { .position = v3(-4, 0, 0) }, to = { .position = v3(4, 0, 0) };
    const abut_placement above = { .position = v3(0, 0, 3) };
    assert_int_equal(abut_shape_create_torus(2, 0.5, NULL, &torus), ABUT_OK);
    assert_int_equal(abut_shape_create_sphere(0.25, NULL, &ball_shape), ABUT_OK);
    assert_int_equal(abut_motion_create_linear(0, 1, &from, &to, NULL, &through, NULL), ABUT_OK);
    abut_contact_interval items[4];
    abut_intervals_result r;
    assert_int_equal(abut_contact_intervals(ball_shape, through, torus, NULL, NULL, NULL, items, 4, &r),
                     ABUT_OK);
    assert_int_equal(r.count, 2);
    assert_int_equal(r.proof, ABUT_PROOF_INTERVAL);
    static const double truth[2][2] = { { 0.15625, 0.34375 }, { 0.65625, 0.84375 } };
    for (int i = 0; i < 2; ++i) {
        assert_true(items[i].enter.lo <= truth[i][0] && truth[i][0] <= items[i].enter.hi);
        assert_true(items[i].exit.lo <= truth[i][1] && truth[i][1] <= items[i].exit.hi);
        assert_true(items[i].enter.hi - items[i].enter.lo < 1e-9 &&
                    items[i].exit.hi - items[i].exit.lo < 1e-9);
    }
    abut_motion *far;
    assert_int_equal(abut_motion_create_static(&above, NULL, &far, NULL), ABUT_OK);
    assert_int_equal(abut_contact_intervals(ball_shape, far, torus, NULL, NULL, NULL, items, 4, &r), ABUT_OK);
    assert_int_equal(r.count, 0);
    assert_int_equal(r.proof, ABUT_PROOF_INTERVAL);
    abut_shape_release(torus);
    abut_shape_release(ball_shape);
    abut_motion_release(through);
    abut_motion_release(far);
}

/* Contacts near a tracked path are not reported; options that make no sense are refused. */
static void tracked_and_arguments(void **state)
{
    (void)state;
    abut_shape *torus;
    abut_motion *down;
    const abut_placement from = { v3(0, 0, 4), DEGREES(1, 0, 0, 90) },
                         to = { v3(0, 0, 0), DEGREES(1, 0, 0, 90) };
    assert_int_equal(abut_shape_create_torus(2, 0.5, NULL, &torus), ABUT_OK);
    assert_int_equal(abut_motion_create_linear(0, 1, &from, &to, NULL, &down, NULL), ABUT_OK);
    abut_first_opts opts;
    abut_first_result r;
    abut_first_opts_init(&opts);
    opts.simultaneity = 1e-6;
    assert_int_equal(abut_first_contact(torus, down, torus, NULL, &opts, NULL, &r), ABUT_OK);
    assert_int_equal(r.verdict, ABUT_FIRST_CONTACT);
    TEST_CHECK(r.point_count == 2 && r.points[0].unique && r.points[1].unique, "%zu points", r.point_count);
    abut_motion *path;
    const abut_placement there = { .position = r.points[0].point };
    assert_int_equal(abut_motion_create_static(&there, NULL, &path, NULL), ABUT_OK);
    const abut_tracked_point tracked = { path, 0.5 };
    const abut_vec3 other = r.points[1].point;
    opts.tracked = &tracked;
    opts.tracked_count = 1;
    assert_int_equal(abut_first_contact(torus, down, torus, NULL, &opts, NULL, &r), ABUT_OK);
    assert_true(r.verdict == ABUT_FIRST_CONTACT && r.point_count == 1);
    TEST_NEAR(r.points[0].point.x, other.x, 1e-9, "the other one");
    opts.tracked = NULL;
    assert_int_equal(abut_first_contact(torus, down, torus, NULL, &opts, NULL, &r), ABUT_ERR_ARGUMENT);
    abut_first_opts_init(&opts);
    opts.threads = -1;
    assert_int_equal(abut_first_contact(torus, down, torus, NULL, &opts, NULL, &r), ABUT_ERR_ARGUMENT);
    abut_first_opts_init(&opts);
    const abut_surface_solver none = { .newton = ABUT_NEWTON_COUNT };
    opts.surface_solver = &none;
    assert_int_equal(abut_first_contact(torus, down, torus, NULL, &opts, NULL, &r), ABUT_ERR_ARGUMENT);
    abut_first_opts_init(&opts);
    opts.max_iterations = 1;
    assert_int_equal(abut_first_contact(torus, down, torus, NULL, &opts, NULL, &r), ABUT_OK);
    assert_true(r.verdict == ABUT_FIRST_UNDECIDED && r.stop == ABUT_STOP_BUDGET);
    abut_set_result set;
    const abut_body bodies[2] = { { torus, down }, { torus, NULL } };
    const uint32_t same[2] = { 1, 1 }, beyond[2] = { 0, 2 };
    assert_int_equal(abut_first_contact_set(bodies, 2, same, 1, NULL, NULL, NULL, 0, &set),
                     ABUT_ERR_ARGUMENT);
    assert_int_equal(abut_first_contact_set(bodies, 2, beyond, 1, NULL, NULL, NULL, 0, &set),
                     ABUT_ERR_ARGUMENT);
    assert_int_equal(abut_first_contact_set(bodies, 0, NULL, 0, NULL, NULL, NULL, 0, &set), ABUT_OK);
    assert_int_equal(set.verdict, ABUT_FIRST_SEPARATE);
    abut_shape_release(torus);
    abut_motion_release(down);
    abut_motion_release(path);
}

/* A ball comes down on the rim of a hole that is too narrow for it, a circle of which only
 * fields are known: points beside the rim prove that they meet. It touches when its middle is
 * 0.8 over the rim. */
static void ball_on_a_rim(void **state)
{
    (void)state;
    abut_shape *parts[2], *socket, *round;
    abut_motion *down;
    const abut_aabb box = { { -3, -3, -3 }, { 3, 3, 3 } };
    const abut_placement from = { .position = v3(0, 0, 3) }, to = { .position = v3(0, 0, -1) };
    assert_int_equal(
        abut_shape_create_implicit("max(max(abs(x), abs(y)), abs(z + 1)) - 1.8", box, NULL, &parts[0], NULL),
        ABUT_OK);
    assert_int_equal(abut_shape_create_implicit("x^2 + y^2 + z^2 - 1", box, NULL, &parts[1], NULL), ABUT_OK);
    assert_int_equal(abut_shape_create_csg(ABUT_CSG_DIFFERENCE, parts, 2, NULL, &socket, NULL), ABUT_OK);
    assert_int_equal(abut_shape_create_sphere(1, NULL, &round), ABUT_OK);
    assert_int_equal(abut_motion_create_linear(0, 1, &from, &to, NULL, &down, NULL), ABUT_OK);
    abut_first_opts opts;
    abut_first_result r;
    abut_first_opts_init(&opts);
    opts.separation = 0.3;
    assert_int_equal(abut_first_contact(round, down, socket, NULL, &opts, NULL, &r), ABUT_OK);
    TEST_CHECK(r.verdict == ABUT_FIRST_CONTACT && r.proof == ABUT_PROOF_INTERVAL && r.time.lo <= 0.35 &&
                   0.35 <= r.time.hi && r.time.hi - r.time.lo < 1e-5,
               "%s [%.17g %.17g]", abut_first_verdict_name(r.verdict), r.time.lo, r.time.hi);
    for (int i = 0; i < 2; ++i)
        abut_shape_release(parts[i]);
    abut_shape_release(socket);
    abut_shape_release(round);
    abut_motion_release(down);
}

/* A body whose expressions end within the time that is asked about is no body: an error. A path
 * that begins with an infinite velocity is one. */
static void where_expressions_are_not_defined(void **state)
{
    (void)state;
    abut_shape *ends, *small;
    abut_motion *root;
    const abut_parametric_def def = { .x = "cos(u)*cos(v)",
                                      .y = "sin(u)*cos(v)",
                                      .z = "sin(v) + 3*sqrt(1 - t) + 1.2",
                                      .u = { 0, 6.283185307179586 },
                                      .v = { -1.5707963267948966, 1.5707963267948966 },
                                      .wrap_u = true };
    const char *const path[3] = { "4 - 4*sqrt(t)", "0", "0" };
    assert_int_equal(abut_shape_create_parametric(&def, NULL, &ends, NULL), ABUT_OK);
    assert_int_equal(abut_shape_create_sphere(0.5, NULL, &small), ABUT_OK);
    assert_int_equal(abut_motion_create_expression(0, 1, path, v3(0, 0, 1), NULL, NULL, &root, NULL),
                     ABUT_OK);
    abut_first_opts opts;
    abut_first_result r;
    abut_error error;
    abut_first_opts_init(&opts);
    opts.time = (abut_interval){ 0, 2 };
    assert_int_equal(abut_first_contact(ends, NULL, small, NULL, &opts, NULL, &r), ABUT_ERR_VALUE);
    assert_int_equal(abut_shape_defined_over(ends, opts.time, &error), ABUT_ERR_VALUE);
    assert_non_null(strstr(error.text, "z is not defined at u = "));
    opts.time = (abut_interval){ 0, 1 };
    assert_int_equal(abut_first_contact(ends, NULL, small, NULL, &opts, NULL, &r), ABUT_OK);
    assert_true(r.verdict == ABUT_FIRST_CONTACT && r.time.lo <= 0.99 && 0.99 <= r.time.hi);
    abut_shape *const shapes[2] = { small, ball_parametric() };
    for (int i = 0; i < 2; ++i) { /* 4 - 4 sqrt t is 1, and 3/2 */
        const double truth = i ? 0.390625 : 0.5625;
        assert_int_equal(abut_motion_defined_over(root, (abut_interval){ 0, 1 }, &error), ABUT_OK);
        assert_int_equal(abut_first_contact(shapes[i], root, small, NULL, NULL, NULL, &r), ABUT_OK);
        TEST_CHECK(r.verdict == ABUT_FIRST_CONTACT && r.time.lo <= truth && truth <= r.time.hi &&
                       r.time.hi - r.time.lo <= 1e-9,
                   "%s [%a %a]", abut_first_verdict_name(r.verdict), r.time.lo, r.time.hi);
    }
    abut_shape_release(shapes[1]);
    abut_shape_release(small);
    abut_shape_release(ends);
    abut_motion_release(root);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(known_situations),      cmocka_unit_test(a_circle_is_covered),
        cmocka_unit_test(against_convex),        cmocka_unit_test(tori),
        cmocka_unit_test(sets_agree_with_pairs), cmocka_unit_test(intervals_of_contact),
        cmocka_unit_test(tracked_and_arguments), cmocka_unit_test(where_expressions_are_not_defined),
        cmocka_unit_test(ball_on_a_rim),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
