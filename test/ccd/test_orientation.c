/* SPDX-License-Identifier: MIT */
/* Closed surfaces turned either way: every query against the signed distance in closed form.
 * Balls, tori and superquadrics by parameters in both orders and senses, with both values of
 * `normal`; cubes of Bezier patches, turned, side by side, one inside the other. */
#include "abut/query.h"
#include "support/test.h"

#define TURN 6.283185307179586

typedef enum form { BALL, RING, OCTIC, FORMS } form;

typedef struct body {
    abut_shape *shape;
    form form;
    double large, small;
    bool outside; /* the material is */
} body;

static double length(double x, double y)
{
    return sqrt(x * x + y * y);
}

/* Distance from the surface, negative in the material; of superquadrics only the sign counts. */
static double side(const body *b, abut_vec3 p)
{
    double d;
    if (b->form == BALL)
        d = length(length(p.x, p.y), p.z) - b->large;
    else if (b->form == RING)
        d = length(length(p.x, p.y) - b->large, p.z) - b->small;
    else
        d = pow(cbrt(p.x * p.x) + cbrt(p.y * p.y) + cbrt(p.z * p.z), 1.5) - b->large;
    return b->outside ? -d : d;
}

static body make(test_random *r, double scale)
{
    const form f = (form)test_below(r, FORMS);
    const bool swapped = test_below(r, 2), mirrored = test_below(r, 2), normal_in = test_below(r, 2);
    const bool closed[2] = { test_below(r, 4) > 0, test_below(r, 4) > 0 };
    const char *a = swapped ? "v" : "u", *b = swapped ? "u" : "v", *sign = mirrored ? "-" : "";
    char x[160], y[160], z[160];
    body out = { .form = f, .large = scale * test_uniform(r, 0.75, 1.5) };
    out.small = out.large * test_uniform(r, 0.25, 0.6);
    if (f == RING) {
        snprintf(x, sizeof x, "(%.17g + %.17g*cos(%s))*cos(%s)", out.large, out.small, b, a);
        snprintf(y, sizeof y, "(%.17g + %.17g*cos(%s))*sin(%s)", out.large, out.small, b, a);
        snprintf(z, sizeof z, "%s%.17g*sin(%s)", sign, out.small, b);
    } else {
        const char *power = f == OCTIC ? "^3" : "";
        snprintf(x, sizeof x, "%.17g*cos(%s)%s*cos(%s)%s", out.large, a, power, b, power);
        snprintf(y, sizeof y, "%.17g*sin(%s)%s*cos(%s)%s", out.large, a, power, b, power);
        snprintf(z, sizeof z, "%s%.17g*sin(%s)%s", sign, out.large, b, power);
    }
    const double azimuth[2] = { 0, TURN },
                 latitude[2] = { f == RING ? 1 : -TURN / 4, f == RING ? 1 + TURN : TURN / 4 };
    abut_parametric_def def = { .x = x, .y = y, .z = z, .normal_in = normal_in };
    for (int i = 0; i < 2; ++i) {
        (swapped ? def.v : def.u)[i] = azimuth[i];
        (swapped ? def.u : def.v)[i] = latitude[i];
    }
    *(swapped ? &def.wrap_v : &def.wrap_u) = closed[0];
    *(swapped ? &def.wrap_u : &def.wrap_v) = f == RING && closed[1];
    out.outside = (swapped != mirrored) != normal_in;
    abut_error error;
    TEST_CHECK(abut_shape_create_parametric(&def, NULL, &out.shape, &error) == ABUT_OK, "%s: %s %s %s",
               error.text, x, y, z);
    return out;
}

static abut_vec3 random_point(test_random *r, double reach)
{
    return (abut_vec3){ test_uniform(r, -reach, reach), test_uniform(r, -reach, reach),
                        test_uniform(r, -reach, reach) };
}

static abut_vec3 along(abut_vec3 a, abut_vec3 b, double t)
{
    return (abut_vec3){ a.x + t * (b.x - a.x), a.y + t * (b.y - a.y), a.z + t * (b.z - a.z) };
}

/* Rotation by a quaternion, and a shift. */
static abut_vec3 placed(const abut_pose *at, abut_vec3 p)
{
    const double w = at->rotation.w, x = at->rotation.x, y = at->rotation.y, z = at->rotation.z;
    const double a = 2 * (y * p.z - z * p.y), b = 2 * (z * p.x - x * p.z), c = 2 * (x * p.y - y * p.x);
    return (abut_vec3){ p.x + w * a + y * c - z * b + at->position.x,
                        p.y + w * b + z * a - x * c + at->position.y,
                        p.z + w * c + x * b - y * a + at->position.z };
}

static abut_pose random_pose(test_random *r, double scale)
{
    double q[4], norm = 0;
    for (int i = 0; i < 4; ++i) {
        q[i] = test_uniform(r, -1, 1);
        norm += q[i] * q[i];
    }
    norm = sqrt(norm);
    return (abut_pose){ random_point(r, scale), { q[0] / norm, q[1] / norm, q[2] / norm, q[3] / norm } };
}

static void examine_instant(const body *b, const abut_pose *pose, abut_vec3 at, double radius, double scale,
                            uint64_t seed)
{
    abut_shape *ball;
    abut_check_result check;
    const abut_pose there = { placed(pose, at), { 1, 0, 0, 0 } };
    const double gap = side(b, at) - radius;
    assert_int_equal(abut_shape_create_sphere(radius, NULL, &ball), ABUT_OK);
    assert_int_equal(abut_check(b->shape, pose, ball, &there, NULL, NULL, &check), ABUT_OK);
    abut_shape_release(ball);
    const double close = 1e-9 * scale;
    if (b->form != OCTIC && fabs(gap) > close) {
        TEST_CHECK(check.verdict == ABUT_UNDECIDED ||
                       check.verdict == (gap > 0 ? ABUT_SEPARATE : ABUT_PENETRATING),
                   "seed %" PRIu64 ": verdict %d, gap %g", seed, check.verdict, gap);
        TEST_CHECK(check.verdict != ABUT_SEPARATE ||
                       (check.distance.lo <= gap + close && gap <= check.distance.hi + close),
                   "seed %" PRIu64 ": distance %.17g %.17g, gap %.17g", seed, check.distance.lo,
                   check.distance.hi, gap);
    }
    TEST_CHECK(b->form != OCTIC || side(b, at) >= 0 || check.verdict != ABUT_SEPARATE, "seed %" PRIu64, seed);
    abut_piece piece;
    assert_int_equal(abut_classify_point(b->shape, pose, there.position, &piece), ABUT_OK);
    if (fabs(side(b, at)) > close)
        TEST_CHECK(piece.where == ABUT_WHERE_UNKNOWN ||
                       piece.where == (side(b, at) < 0 ? ABUT_WHERE_IN : ABUT_WHERE_OUT),
                   "seed %" PRIu64 ": where %d, side %g", seed, piece.where, side(b, at));
}

/* Hits come in turn: out of the material, into it. */
static void examine_along(const body *b, abut_vec3 from, abut_vec3 to, uint64_t seed)
{
    static const abut_pose home = { { 0, 0, 0 }, { 1, 0, 0, 0 } };
    const abut_vec3 d = { to.x - from.x, to.y - from.y, to.z - from.z };
    abut_ray_hit hits[16];
    size_t count;
    assert_int_equal(abut_cast_ray(b->shape, &home, from, d, hits, 16, &count), ABUT_OK);
    bool inside = side(b, from) < 0;
    for (size_t i = 0; i < count; ++i, inside = !inside) {
        const double leaves = d.x * hits[i].normal.x + d.y * hits[i].normal.y + d.z * hits[i].normal.z;
        TEST_CHECK((leaves > 0) == inside, "seed %" PRIu64 ": hit %zu of %zu", seed, i, count);
    }
    TEST_CHECK(inside == b->outside, "seed %" PRIu64 ": ends %s", seed, inside ? "inside" : "outside");
}

/* By samples and halving; NAN where there is none. */
static double first_time(const body *b, abut_vec3 from, abut_vec3 to, double radius)
{
    enum { SAMPLES = 4000 };
    for (int i = 0; i <= SAMPLES; ++i) {
        double lo = (i - 1.0) / SAMPLES, hi = (double)i / SAMPLES;
        if (side(b, along(from, to, hi)) > radius)
            continue;
        for (int k = 0; i > 0 && k < 60; ++k) {
            const double mid = 0.5 * (lo + hi);
            *(side(b, along(from, to, mid)) > radius ? &lo : &hi) = mid;
        }
        return hi;
    }
    return NAN;
}

static double least(const body *b, abut_vec3 from, abut_vec3 to)
{
    double out = HUGE_VAL;
    for (int i = 0; i <= 20000; ++i)
        out = fmin(out, side(b, along(from, to, i / 20000.0)));
    return out;
}

static void examine_over_time(const body *b, abut_vec3 from, abut_vec3 to, double radius, double scale,
                              uint64_t seed)
{
    abut_shape *ball;
    abut_motion *motion;
    abut_first_result first;
    abut_first_opts opts;
    abut_contact_interval meets[8];
    abut_intervals_result found;
    const abut_placement start = { .position = from };
    const abut_placement end = { .position = to };
    assert_int_equal(abut_shape_create_sphere(radius, NULL, &ball), ABUT_OK);
    assert_int_equal(abut_motion_create_linear(0, 1, &start, &end, NULL, &motion, NULL), ABUT_OK);
    abut_first_opts_init(&opts);
    assert_int_equal(abut_first_contact(b->shape, NULL, ball, motion, &opts, NULL, &first), ABUT_OK);
    assert_int_equal(abut_contact_intervals(b->shape, NULL, ball, motion, &opts, NULL, meets, 8, &found),
                     ABUT_OK);
    const double truth = first_time(b, from, to, radius);
    const bool never = isnan(truth) && least(b, from, to) - radius > 1e-6 * scale;
    TEST_CHECK(!never || first.verdict == ABUT_FIRST_SEPARATE || first.verdict == ABUT_FIRST_UNDECIDED,
               "seed %" PRIu64 ": contact at %g, never", seed, first.time.lo);
    TEST_CHECK(!never || found.proof != ABUT_PROOF_INTERVAL || found.count == 0, "seed %" PRIu64, seed);
    if (!isnan(truth)) {
        TEST_CHECK(first.verdict != ABUT_FIRST_SEPARATE, "seed %" PRIu64 ": separate, meets at %.17g", seed,
                   truth);
        TEST_CHECK(first.time.lo <= truth + 1e-9, "seed %" PRIu64 ": from %.17g, meets at %.17g", seed,
                   first.time.lo, truth);
        TEST_CHECK(first.verdict == ABUT_FIRST_UNDECIDED || first.proof != ABUT_PROOF_INTERVAL ||
                       truth <= first.time.hi + 1e-9,
                   "seed %" PRIu64 ": until %.17g, meets at %.17g", seed, first.time.hi, truth);
        TEST_CHECK(found.count > 0 && meets[0].enter.lo <= truth + 1e-9, "seed %" PRIu64, seed);
    }
    abut_motion_release(motion);
    abut_shape_release(ball);
}

static void parametric_bodies_turned_either_way(void **state)
{
    (void)state;
    const uint64_t count = test_count(150);
    for (uint64_t seed = 0; seed < count; ++seed) {
        test_random r = test_seed(seed);
        const double scale = seed % 3 ? 1 : pow(10, test_uniform(&r, -6, 6));
        const body b = make(&r, scale);
        const abut_pose pose = random_pose(&r, 3 * scale);
        for (int i = 0; i < 3; ++i)
            examine_instant(&b, &pose, random_point(&r, 2 * scale), scale * test_uniform(&r, 0.02, 0.3),
                            scale, seed);
        examine_along(&b, random_point(&r, 2 * scale), random_point(&r, 2 * scale), seed);
        if (b.form != OCTIC)
            examine_over_time(&b, random_point(&r, 2.5 * scale), random_point(&r, 2.5 * scale),
                              scale * test_uniform(&r, 0.02, 0.3), scale, seed);
        abut_shape_release(b.shape);
    }
}

/* ---- patches ---- */

enum { CUBES = 3 };

static size_t add_cube(abut_vec3 lo, abut_vec3 hi, bool turned, abut_vec3 (*points)[4], size_t at)
{
    for (int face = 0; face < 6; ++face)
        for (int i = 0; i < 4; ++i) {
            const int axis = face / 2, u = i & 1, v = i >> 1, swap = (face & 1) == turned;
            const double to[3] = { face & 1, swap ? v : u, swap ? u : v };
            const double q[3] = { to[(3 - axis) % 3], to[(4 - axis) % 3], to[(5 - axis) % 3] };
            points[at + (size_t)face][i] =
                (abut_vec3){ q[0] > 0 ? hi.x : lo.x, q[1] > 0 ? hi.y : lo.y, q[2] > 0 ? hi.z : lo.z };
        }
    return at + 6;
}

static abut_status make_patches(abut_vec3 (*points)[4], size_t count, abut_shape **out)
{
    abut_bezier_patch patches[12 * CUBES];
    for (size_t i = 0; i < count; ++i)
        patches[i] = (abut_bezier_patch){ 1, 1, points[i], NULL };
    return abut_shape_create_bezier(patches, count, NULL, out, NULL);
}

static bool is_in(abut_vec3 p, double x, double half)
{
    return fabs(p.x - x) < half && fabs(p.y) < half && fabs(p.z) < half;
}

/* Cubes at x = 0, 2, 4, y shifted so that they share edges; some hollow; each turned at random. */
static void cubes_of_patches(void **state)
{
    (void)state;
    const uint64_t cases = test_count_at_least(60, 8);
    for (uint64_t seed = 0; seed < cases; ++seed) {
        test_random r = test_seed(seed);
        abut_vec3 points[12 * CUBES][4];
        bool hollow[CUBES];
        size_t n = 0;
        /* sums are exact: edges are shared */
        const double s = ldexp(1, (int)test_below(&r, 41) - 20);
        for (int k = 0; k < CUBES; ++k) {
            const double x = 2 * k * s, y = 2 * k * s;
            const bool turned = test_below(&r, 2);
            hollow[k] = test_below(&r, 2);
            n = add_cube((abut_vec3){ x - s, y - s, -s }, (abut_vec3){ x + s, y + s, s }, turned, points, n);
            if (hollow[k])
                n = add_cube((abut_vec3){ x - s / 2, y - s / 2, -s / 2 },
                             (abut_vec3){ x + s / 2, y + s / 2, s / 2 }, !turned, points, n);
        }
        abut_shape *shape, *ball;
        assert_int_equal(make_patches(points, n, &shape), ABUT_OK);
        assert_int_equal(abut_shape_create_sphere(0.01 * s, NULL, &ball), ABUT_OK);
        for (int i = 0; i < 6; ++i) {
            const int k = (int)test_below(&r, CUBES);
            abut_vec3 p = random_point(&r, 1.5 * s);
            p.x += 2 * k * s, p.y += 2 * k * s;
            bool inside = false;
            double wall = HUGE_VAL;
            for (int j = 0; j < CUBES; ++j) {
                const abut_vec3 q = { p.x - 2 * j * s, p.y - 2 * j * s, p.z };
                inside = inside || (is_in(q, 0, s) && !(hollow[j] && is_in(q, 0, s / 2)));
                const double most = fmax(fabs(q.x), fmax(fabs(q.y), fabs(q.z)));
                wall = fmin(wall, fmin(fabs(most - s), fabs(most - s / 2)));
            }
            abut_piece piece;
            abut_check_result check;
            const abut_pose home = { { 0, 0, 0 }, { 1, 0, 0, 0 } }, there = { p, { 1, 0, 0, 0 } };
            assert_int_equal(abut_classify_point(shape, &home, p, &piece), ABUT_OK);
            TEST_CHECK(piece.where == (inside ? ABUT_WHERE_IN : ABUT_WHERE_OUT), "seed %" PRIu64 ": %d", seed,
                       piece.where);
            if (wall < 0.02 * s)
                continue;
            assert_int_equal(abut_check(shape, &home, ball, &there, NULL, NULL, &check), ABUT_OK);
            TEST_CHECK(check.verdict == (inside ? ABUT_PENETRATING : ABUT_SEPARATE), "seed %" PRIu64, seed);
        }
        abut_shape_release(ball);
        abut_shape_release(shape);
    }
}

static void patches_that_are_neither_solid_nor_sheet(void **state)
{
    (void)state;
    abut_vec3 points[12 * CUBES][4];
    abut_shape *shape = NULL;
    const abut_vec3 lo = { -1, -1, -1 }, hi = { 1, 1, 1 }, low = { -0.5, -0.5, -0.5 },
                    high = { 0.5, 0.5, 0.5 };
    (void)add_cube((abut_vec3){ 1, -1, -1 }, (abut_vec3){ 3, 1, 1 }, false, points,
                   add_cube(lo, hi, false, points, 0));
    assert_int_equal(make_patches(points, 12, &shape), ABUT_ERR_VALUE); /* a face in common */
    (void)add_cube(low, high, false, points, 6);
    /* inside, turned the same way */
    assert_int_equal(make_patches(points, 12, &shape), ABUT_ERR_VALUE);
    /* a cube beside an open one */
    assert_int_equal(make_patches(points, 11, &shape), ABUT_ERR_VALUE);
    points[1][0] = points[0][0], points[1][1] = points[0][2], points[1][2] = points[0][1],
    points[1][3] = points[0][3];
    assert_int_equal(make_patches(points, 2, &shape), ABUT_ERR_VALUE); /* no volume */
    assert_null(shape);
}

/* ---- surfaces that deform ---- */

static abut_shape *swelling(const char *radius, bool normal_in)
{
    char x[96], y[96], z[96];
    snprintf(x, sizeof x, "(%s)*cos(u)*cos(v) + 40*t", radius);
    snprintf(y, sizeof y, "(%s)*sin(u)*cos(v)", radius);
    snprintf(z, sizeof z, "(%s)*sin(v)", radius);
    const abut_parametric_def def = { .x = x,
                                      .y = y,
                                      .z = z,
                                      .u = { 0, TURN },
                                      .v = { -TURN / 4, TURN / 4 },
                                      .wrap_u = true,
                                      .normal_in = normal_in };
    abut_shape *shape;
    assert_int_equal(abut_shape_create_parametric(&def, NULL, &shape, NULL), ABUT_OK);
    return shape;
}

static void surfaces_that_turn_inside_out_are_found(void **state)
{
    (void)state;
    for (int normal_in = 0; normal_in < 2; ++normal_in) {
        abut_shape *turns = swelling("1 - 2*t", normal_in),
                   *breathes = swelling("1 + 0.5*sin(20*t)", normal_in);
        assert_int_equal(abut_shape_defined_over(turns, (abut_interval){ 0, 1 }, NULL), ABUT_ERR_VALUE);
        assert_int_equal(abut_shape_defined_over(turns, (abut_interval){ 0, 0.4375 }, NULL), ABUT_OK);
        assert_int_equal(abut_shape_defined_over(turns, (abut_interval){ 0.5625, 1 }, NULL), ABUT_OK);
        assert_int_equal(abut_shape_defined_over(breathes, (abut_interval){ -3, 5 }, NULL), ABUT_OK);
        const abut_vec3 far = { 0, 0, 5 };
        abut_piece piece;
        assert_int_equal(abut_classify_point_at(turns, NULL, 0.25, far, &piece), ABUT_OK);
        assert_int_equal(piece.where, normal_in ? ABUT_WHERE_IN : ABUT_WHERE_OUT);
        assert_int_equal(abut_classify_point_at(turns, NULL, 0.75, far, &piece), ABUT_OK);
        assert_int_equal(piece.where, normal_in ? ABUT_WHERE_OUT : ABUT_WHERE_IN);
        abut_shape_release(turns);
        abut_shape_release(breathes);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(parametric_bodies_turned_either_way),
        cmocka_unit_test(cubes_of_patches),
        cmocka_unit_test(patches_that_are_neither_solid_nor_sheet),
        cmocka_unit_test(surfaces_that_turn_inside_out_are_found),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
