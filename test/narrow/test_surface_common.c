/* SPDX-License-Identifier: MIT */
/* Whether two surface bodies have a point in common: balls, in three representations, against
 * solid and hollow balls, two balls as one body, tori and sheets, with the distance in closed
 * form; around one another, inside one another, and next to touching. */
#include "abut/query.h"
#include "narrow/surface/surface_pair.h"
#include "support/test.h"

typedef enum body_kind { BALL, HOLLOW, TWO, RING, SHEET, KINDS } body_kind;

static const char *const names[KINDS] = { "ball", "hollow ball", "two balls", "ring", "sheet" };

typedef struct body {
    body_kind kind;
    abut_shape *shape;
    double large, small; /* radii; of two balls also half their distance, 2 */
} body;

static abut_shape *make_implicit(const char *f, double reach)
{
    abut_shape *shape = NULL;
    abut_error error = { 0 };
    const abut_aabb bounds = { { -reach, -reach, -reach }, { reach, reach, reach } };
    TEST_CHECK(abut_shape_create_implicit(f, bounds, NULL, &shape, &error) == ABUT_OK, "%s", error.text);
    return shape;
}

static abut_shape *make_implicit_ball(double radius, double at)
{
    char f[128];
    snprintf(f, sizeof f, "(x-(%.17g))^2+y^2+z^2-%.17g^2", at, radius);
    return make_implicit(f, fabs(at) + 1.25 * radius);
}

static abut_shape *make_parametric(const char *x, const char *y, const char *z, double u, double v, bool ring)
{
    abut_shape *shape = NULL;
    abut_error error = { 0 };
    const abut_parametric_def def = { .x = x,
                                      .y = y,
                                      .z = z,
                                      .u = { ring ? 0 : -u, u },
                                      .v = { -v, v },
                                      .wrap_u = ring,
                                      .wrap_v = ring && v > 2 };
    TEST_CHECK(abut_shape_create_parametric(&def, NULL, &shape, &error) == ABUT_OK, "%s", error.text);
    return shape;
}

/* 0: the library's, 1: by a field, 2: by parameters. */
static abut_shape *make_ball(double radius, unsigned representation)
{
    abut_shape *shape = NULL;
    char x[64], y[64], z[64];
    if (representation == 0)
        assert_int_equal(abut_shape_create_sphere(radius, NULL, &shape), ABUT_OK);
    if (representation == 1)
        return make_implicit_ball(radius, 0);
    if (representation == 2) {
        snprintf(x, sizeof x, "%.17g*cos(u)*cos(v)", radius);
        snprintf(y, sizeof y, "%.17g*sin(u)*cos(v)", radius);
        snprintf(z, sizeof z, "%.17g*sin(v)", radius);
        return make_parametric(x, y, z, 6.283185307179586, 1.5707963267948966, true);
    }
    return shape;
}

static abut_shape *make_csg(abut_csg_op op, abut_shape *first, abut_shape *second)
{
    abut_shape *shape = NULL, *const of[2] = { first, second };
    assert_int_equal(abut_shape_create_csg(op, of, 2, NULL, &shape, NULL), ABUT_OK);
    abut_shape_release(first);
    abut_shape_release(second);
    return shape;
}

static abut_shape *make_ring(double large, double small, bool by_field)
{
    char x[128], y[64], z[64];
    if (by_field) {
        snprintf(x, sizeof x, "(x^2+y^2+z^2+%.17g)^2-%.17g*(x^2+y^2)", large * large - small * small,
                 4 * large * large);
        return make_implicit(x, large + 1.25 * small);
    }
    snprintf(x, sizeof x, "(%.17g+%.17g*cos(v))*cos(u)", large, small);
    snprintf(y, sizeof y, "(%.17g+%.17g*cos(v))*sin(u)", large, small);
    snprintf(z, sizeof z, "%.17g*sin(v)", small);
    return make_parametric(x, y, z, 6.283185307179586, 3.141592653589793, true);
}

static body make_body(test_random *r)
{
    body b = { .kind = (body_kind)test_below(r, KINDS) };
    b.large = test_uniform(r, 0.5, 1);
    b.small = test_uniform(r, 0.2, 0.8) * b.large;
    switch (b.kind) {
    case BALL: b.shape = make_ball(b.large, 1 + test_below(r, 2)); break;
    case HOLLOW:
        b.shape =
            make_csg(ABUT_CSG_DIFFERENCE, make_implicit_ball(b.large, 0), make_implicit_ball(b.small, 0));
        break;
    case TWO:
        b.shape = make_csg(ABUT_CSG_UNION, make_implicit_ball(b.large, -1), make_implicit_ball(b.small, 1));
        break;
    case RING: b.shape = make_ring(b.large, b.small, test_below(r, 2)); break;
    default: b.shape = make_parametric("u", "v", "0", b.large, b.small, false); break;
    }
    return b;
}

static double length3(double x, double y, double z)
{
    return sqrt(x * x + y * y + z * z);
}

/* From a point in the body's frame. */
static double distance_to(const body *b, const double p[3])
{
    const double from_centre = length3(p[0], p[1], p[2]);
    switch (b->kind) {
    case BALL: return fmax(0, from_centre - b->large);
    case HOLLOW: return fmax(0, fmax(from_centre - b->large, b->small - from_centre));
    case TWO:
        return fmax(0,
                    fmin(length3(p[0] + 1, p[1], p[2]) - b->large, length3(p[0] - 1, p[1], p[2]) - b->small));
    case RING: return fmax(0, hypot(hypot(p[0], p[1]) - b->large, p[2]) - b->small);
    default: return length3(fmax(0, fabs(p[0]) - b->large), fmax(0, fabs(p[1]) - b->small), p[2]);
    }
}

typedef struct tally {
    uint64_t apart, meeting, unknown;
} tally;

static int ask(const abut_shape *a, const abut_pose *at_a, const abut_shape *b, const abut_pose *at_b)
{
    abut_workspace *ws = NULL;
    abut_place place_a, place_b;
    abut_placed_surface of_a, of_b;
    assert_int_equal(abut_workspace_create(NULL, &ws), ABUT_OK);
    assert_int_equal(abut_place_from_pose(at_a, true, &place_a), ABUT_OK);
    assert_int_equal(abut_place_from_pose(at_b, true, &place_b), ABUT_OK);
    const abut_workspace_mark mark = abut_workspace_begin(ws);
    assert_int_equal(abut_placed_surface_make(a, 0, ws, &of_a), ABUT_OK);
    assert_int_equal(abut_placed_surface_make(b, 0, ws, &of_b), ABUT_OK);
    const abut_rounding saved = abut_rounding_enter();
    abut_surface_relate(&place_a, true, &place_b, true, &of_b);
    abut_rounding_leave(saved);
    const int common = abut_surface_common(&of_a, &of_b, 4000, NULL);
    abut_workspace_end(ws, mark);
    abut_workspace_destroy(ws);
    return common;
}

static void judge(uint64_t seed, tally *n)
{
    test_random r = test_seed(seed);
    const body b = make_body(&r);
    double p[3];
    for (int k = 0; k < 3; ++k)
        p[k] = test_uniform(&r, -1.5, 1.5);
    const double distance = distance_to(&b, p);
    double radius = test_uniform(&r, 0.1, 1.5);
    /* nearly touching */
    if (distance > 0.1 && test_below(&r, 3) == 0)
        radius = distance + (test_below(&r, 2) ? 1 : -1) * exp2(test_uniform(&r, -12, -4));
    const double away = distance - radius;
    /* One of them is known by fields. */
    const bool by_parameters = abut_shape_get_type(b.shape) == ABUT_SHAPE_PARAMETRIC;
    abut_shape *const ball = make_ball(radius, test_below(&r, by_parameters ? 2 : 3));
    double q[4], size = 0;
    for (int k = 0; k < 4; ++k) {
        q[k] = test_uniform(&r, -1, 1);
        size += q[k] * q[k];
    }
    size = sqrt(size);
    const abut_pose frame = { { test_uniform(&r, -2, 2), test_uniform(&r, -2, 2), test_uniform(&r, -2, 2) },
                              { q[0] / size, q[1] / size, q[2] / size, q[3] / size } };
    const abut_pose local = { { p[0], p[1], p[2] }, { 1, 0, 0, 0 } };
    const abut_pose at_ball = abut_pose_compose(frame, local);
    const bool swap = test_below(&r, 2);
    const int common = swap ? ask(ball, &at_ball, b.shape, &frame) : ask(b.shape, &frame, ball, &at_ball);
    TEST_CHECK(common != 0 || away > -1e-12, "seed %" PRIu64 ": a ball said to be off a %s is %g in it", seed,
               names[b.kind], -away);
    TEST_CHECK(common != 1 || away < 1e-12, "seed %" PRIu64 ": a ball said to meet a %s is %g off it", seed,
               names[b.kind], away);
    TEST_CHECK(common >= 0 || fabs(away) < 0.01,
               "seed %" PRIu64 ": a ball is %g off a %s, and nothing is said", seed, away, names[b.kind]);
    n->apart += common == 0;
    n->meeting += common == 1;
    n->unknown += common < 0;
    abut_shape_release(ball);
    abut_shape_release(b.shape);
}

static void balls_against_bodies_known_in_closed_form(void **state)
{
    (void)state;
    tally n = { 0 };
    const uint64_t count = test_count(1000);
    for (uint64_t seed = 1; seed <= count; ++seed)
        judge(seed, &n);
    print_message("%" PRIu64 " apart, %" PRIu64 " meeting, %" PRIu64 " not known\n", n.apart, n.meeting,
                  n.unknown);
    assert_true(n.apart > count / 8 && n.meeting > count / 8);
    assert_true(12 * n.unknown <= count);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(balls_against_bodies_known_in_closed_form),
    };
    return cmocka_run_group_tests_name("surface_common", tests, NULL, NULL);
}
