/* SPDX-License-Identifier: MIT */
/* Normals of hits under placements of all kinds. Referee: a formula of each body, negative
 * inside, taken back through the inverse of the placement; a hit is at one of its zeros, and the
 * normal is along its gradient in the world, by differences. */
#include "abut/query.h"
#include "support/formulas.h"
#include "support/places.h"

static const double h[3] = { 0.75, 1.5, 1.25 };
static const double margin = 0.25;
static const abut_vec3 offset = { 0.5, -0.25, 0.75 };

/* ---- bodies ---- */

enum {
    ROUNDED_BOX = FORMULAS, /* these have their names from what the formula is */
    ROUNDED_HULL,
    ROUNDED_CYLINDER,
    ROUNDED_SEGMENT,
    SWEPT_BALL,
    SWEPT_BY_NOTHING,
    SWEPT_CAPSULE,
    SWEPT_ELLIPSOID_BALL,
    BALL_ELSEWHERE,
    OCTAHEDRON,
    SUPPORTED,
    CUBE_MESH,
    RAMP,
    QUARTIC,
    HOLLOW,
    PARAMETRIC_BALL,
    BODIES
};

static const abut_vec3 cube[8] = { { -1, -1, -1 }, { 1, -1, -1 }, { -1, 1, -1 }, { 1, 1, -1 },
                                   { -1, -1, 1 },  { 1, -1, 1 },  { -1, 1, 1 },  { 1, 1, 1 } };

static void ball_support(void *ctx, const abut_vec3 *d, abut_vec3 *p)
{
    (void)ctx;
    const double s = 1 / sqrt(d->x * d->x + d->y * d->y + d->z * d->z);
    *p = v3(offset.x + s * d->x, offset.y + s * d->y, offset.z + s * d->z);
}

static abut_status swept(int of, double by, abut_shape **out)
{
    abut_shape *inner = formula_shape(of, of == ELLIPSOID ? (const double[3]){ 1, 1, 1 } : h);
    const abut_status status = abut_shape_create_swept(inner, by, NULL, out, NULL);
    abut_shape_release(inner);
    return status;
}

static abut_status hollow(abut_shape **out)
{
    static const abut_aabb bounds = { { -2, -2, -2 }, { 2, 2, 2 } };
    abut_shape *of[2] = { NULL, NULL };
    assert_int_equal(abut_shape_create_implicit("x^2+y^2+z^2-1", bounds, NULL, &of[0], NULL), ABUT_OK);
    assert_int_equal(abut_shape_create_implicit("(x-1)^2+y^2+z^2-0.5", bounds, NULL, &of[1], NULL), ABUT_OK);
    const abut_status status = abut_shape_create_csg(ABUT_CSG_DIFFERENCE, of, 2, NULL, out, NULL);
    abut_shape_release(of[0]);
    abut_shape_release(of[1]);
    return status;
}

static abut_shape *make(int kind)
{
    static const uint32_t triangles[36] = { 0, 2, 1, 1, 2, 3, 4, 5, 6, 5, 7, 6, 0, 1, 4, 1, 5, 4,
                                            2, 6, 3, 3, 6, 7, 0, 4, 2, 2, 4, 6, 1, 3, 5, 3, 7, 5 };
    static const abut_vec3 tips[6] = { { 1, 0, 0 },  { -1, 0, 0 }, { 0, 1, 0 },
                                       { 0, -1, 0 }, { 0, 0, 1 },  { 0, 0, -1 } };
    static const double heights[9] = { -0.5, 0, 0.5, -0.5, 0, 0.5, -0.5, 0, 0.5 };
    static const abut_aabb bounds = { { -2, -2, -2 }, { 2, 2, 2 } };
    static const abut_support_def support = { ball_support, NULL, 0x1p-50, 3 };
    static const abut_parametric_def ball = { .x = "cos(v)*cos(u)",
                                              .y = "cos(v)*sin(u)",
                                              .z = "sin(v)",
                                              .u = { 0, 6.283185307179586 },
                                              .v = { -1.5707963267948966, 1.5707963267948966 },
                                              .wrap_u = true };
    abut_shape *out = NULL;
    abut_status status;
    switch (kind) {
    case ROUNDED_BOX: status = swept(BOX, margin, &out); break;
    case ROUNDED_HULL: status = abut_shape_create_convex(cube, 8, margin, NULL, &out, NULL); break;
    case ROUNDED_CYLINDER: status = swept(CYLINDER, margin, &out); break;
    case ROUNDED_SEGMENT:
        status = abut_shape_create_segment(v3(0, 0, 0), offset, margin, NULL, &out, NULL);
        break;
    case SWEPT_BALL: status = swept(SPHERE, margin, &out); break;
    case SWEPT_BY_NOTHING: status = swept(SPHERE, 0, &out); break;
    case SWEPT_CAPSULE: status = swept(CAPSULE, margin, &out); break;
    case SWEPT_ELLIPSOID_BALL: status = swept(ELLIPSOID, margin, &out); break;
    case BALL_ELSEWHERE: status = abut_shape_create_point(offset, 1, NULL, &out, NULL); break;
    case OCTAHEDRON: status = abut_shape_create_convex(tips, 6, 0, NULL, &out, NULL); break;
    case SUPPORTED: status = abut_shape_create_support(&support, NULL, &out, NULL); break;
    case CUBE_MESH: status = abut_shape_create_mesh(cube, 8, triangles, 12, true, NULL, &out, NULL); break;
    case RAMP: status = abut_shape_create_heightfield(3, 3, 1, 1, heights, NULL, &out, NULL); break;
    case QUARTIC: status = abut_shape_create_implicit("x^4+y^4+z^4-1", bounds, NULL, &out, NULL); break;
    case HOLLOW: status = hollow(&out); break;
    case PARAMETRIC_BALL: status = abut_shape_create_parametric(&ball, NULL, &out, NULL); break;
    default: return formula_shape(kind, h);
    }
    assert_int_equal(status, ABUT_OK);
    return out;
}

static double over(double x, double limit)
{
    return fmax(fabs(x) - limit, 0);
}

static double excess(int kind, const double p[3])
{
    const double x = p[0], y = p[1], z = p[2], round = hypot(hypot(x, y), z);
    switch (kind) {
    case ROUNDED_BOX: return hypot(hypot(over(x, h[0]), over(y, h[1])), over(z, h[2])) - margin;
    case ROUNDED_HULL: return hypot(hypot(over(x, 1), over(y, 1)), over(z, 1)) - margin;
    case ROUNDED_CYLINDER: return hypot(over(hypot(x, y), h[0]), over(z, h[1] / 2)) - margin;
    case ROUNDED_SEGMENT: {
        const double square = offset.x * offset.x + offset.y * offset.y + offset.z * offset.z;
        double s = (x * offset.x + y * offset.y + z * offset.z) / square;
        s = fmin(fmax(s, 0), 1);
        return hypot(hypot(x - s * offset.x, y - s * offset.y), z - s * offset.z) - margin;
    }
    case SWEPT_BALL: return round - h[0] - margin;
    case SWEPT_BY_NOTHING: return round - h[0];
    case SWEPT_CAPSULE: return formula_excess(CAPSULE, h, p) - margin;
    case SWEPT_ELLIPSOID_BALL: return round - 1 - margin;
    case BALL_ELSEWHERE:
    case SUPPORTED: return hypot(hypot(x - offset.x, y - offset.y), z - offset.z) - 1;
    case OCTAHEDRON: return fabs(x) + fabs(y) + fabs(z) - 1;
    case CUBE_MESH: return fmax(fabs(x), fmax(fabs(y), fabs(z))) - 1;
    case RAMP: return fmax(z - 0.5 * x, fmax(fabs(x), fabs(y)) - 1);
    case QUARTIC: return x * x * x * x + y * y * y * y + z * z * z * z - 1;
    case HOLLOW: return fmax(round * round - 1, 0.5 - (x - 1) * (x - 1) - y * y - z * z);
    case PARAMETRIC_BALL: return round - 1;
    default: return formula_excess(kind, h, p);
    }
}

/* ---- placements ---- */

enum {
    BY_POSE,
    BY_LINE,
    TURNED,
    QUARTER,
    MIRRORED,
    MOVING,
    SCREWED,
    CHAINED,
    SPUN,
    RIGID,
    MAPPED = RIGID,
    PLACINGS
};

typedef struct placed {
    abut_pose pose;
    abut_motion *motion;
    double t;
    abut_affine at;
} placed;

static abut_affine random_mirror(test_random *r)
{
    abut_affine out = { .translation = random_vec3(r, 2) };
    const int first = (int)test_below(r, 3), way = 1 + (int)test_below(r, 2);
    for (int i = 0; i < 3; ++i)
        out.linear.m[i][(first + way * i) % 3] = test_below(r, 2) ? 1 : -1;
    return out;
}

static abut_affine random_map(test_random *r)
{
    abut_affine out = { .translation = random_vec3(r, 2) };
    for (int i = 0; i < 9; ++i)
        out.linear.m[i / 3][i % 3] =
            test_uniform(r, -1, 1) + (i % 4 == 0 ? test_below(r, 2) ? 2.5 : -2.5 : 0);
    return out;
}

static placed place(test_random *r, int placing)
{
    placed out = { .t = test_uniform(r, 0, 1) };
    const abut_placement from = turned_placement(r, 2), to = turned_placement(r, 2);
    abut_status status = ABUT_OK;
    switch (placing) {
    case QUARTER: {
        const abut_placement at = { .position = random_vec3(r, 2),
                                    .rotation = { ABUT_ROTATION_DEGREES,
                                                  .axis = test_below(r, 2) ? v3(0, 0, 1) : v3(1, 0, 0),
                                                  .angle = 90 * (1 + (double)test_below(r, 3)) } };
        status = abut_motion_create_static(&at, NULL, &out.motion, NULL);
        break;
    }
    case MIRRORED: {
        const abut_affine at = random_mirror(r);
        status = abut_motion_create_static_affine(&at, NULL, &out.motion, NULL);
        break;
    }
    case MOVING:
        status = abut_motion_create_velocity(0, 1, &from, random_vec3(r, 2), random_vec3(r, 4), NULL,
                                             &out.motion, NULL);
        break;
    case SCREWED: status = abut_motion_create_screw(0, 1, &from, &to, NULL, &out.motion, NULL); break;
    case CHAINED: {
        abut_motion *links[2] = { NULL, NULL };
        assert_int_equal(abut_motion_create_nlerp(0, 1, &from, &to, NULL, &links[0], NULL), ABUT_OK);
        assert_int_equal(abut_motion_create_static(&to, NULL, &links[1], NULL), ABUT_OK);
        status = abut_motion_create_chain(links, 2, NULL, &out.motion, NULL);
        abut_motion_release(links[0]);
        abut_motion_release(links[1]);
        break;
    }
    case SPUN: {
        static const char *const path[3] = { "t", "sin(t)", "1-t" };
        status = abut_motion_create_expression(0, 1, path, random_vec3(r, 1), "3*t", NULL, &out.motion, NULL);
        break;
    }
    case MAPPED: {
        const abut_affine at[2] = { random_map(r), random_map(r) };
        status = test_below(r, 2) ? abut_motion_create_static_affine(&at[0], NULL, &out.motion, NULL)
                                  : abut_motion_create_affine(0, 1, at, 2, NULL, &out.motion, NULL);
        break;
    }
    default: status = abut_motion_create_static(&from, NULL, &out.motion, NULL);
    }
    assert_int_equal(status, ABUT_OK);
    out.pose = abut_placement_to_pose(&from);
    assert_int_equal(abut_motion_at(out.motion, out.t, &out.at), ABUT_OK);
    return out;
}

static double determinant(const abut_mat3 *a)
{
    double sum = 0;
    for (int i = 0; i < 3; ++i) {
        const int j = (i + 1) % 3, k = (i + 2) % 3;
        sum += a->m[0][i] * (a->m[1][j] * a->m[2][k] - a->m[1][k] * a->m[2][j]);
    }
    return sum;
}

/* By Cramer's rule. */
static void to_body(const abut_affine *at, const double p[3], double out[3])
{
    const double d[3] = { p[0] - at->translation.x, p[1] - at->translation.y, p[2] - at->translation.z };
    for (int j = 0; j < 3; ++j) {
        abut_mat3 replaced = at->linear;
        for (int i = 0; i < 3; ++i)
            replaced.m[i][j] = d[i];
        out[j] = determinant(&replaced) / determinant(&at->linear);
    }
}

static abut_vec3 to_world(const abut_affine *at, const double p[3])
{
    double w[3];
    for (int i = 0; i < 3; ++i)
        w[i] = at->linear.m[i][0] * p[0] + at->linear.m[i][1] * p[1] + at->linear.m[i][2] * p[2];
    return v3(w[0] + at->translation.x, w[1] + at->translation.y, w[2] + at->translation.z);
}

static double world_excess(int kind, const abut_affine *at, const double p[3])
{
    double local[3];
    to_body(at, p, local);
    return excess(kind, local);
}

/* Unit; false where it is not the same at both steps, close to an edge. */
static bool outward(int kind, const abut_affine *at, abut_vec3 point, double n[3])
{
    double g[2][3];
    for (int k = 0; k < 2; ++k) {
        const double step = k ? 1e-5 : 1e-6;
        double length = 0;
        for (int i = 0; i < 3; ++i) {
            double p[3] = { point.x, point.y, point.z }, q[3] = { point.x, point.y, point.z };
            p[i] -= step;
            q[i] += step;
            g[k][i] = world_excess(kind, at, q) - world_excess(kind, at, p);
            length += g[k][i] * g[k][i];
        }
        for (int i = 0; i < 3; ++i)
            g[k][i] /= sqrt(length);
    }
    memcpy(n, g[0], sizeof g[0]);
    return fabs(g[0][0] - g[1][0]) + fabs(g[0][1] - g[1][1]) + fabs(g[0][2] - g[1][2]) < 1e-4;
}

/* ---- the test ---- */

/* Rays from outside to a point inside. */
static uint64_t cast_at(test_random *r, int kind, const abut_shape *shape, int placing, uint64_t seed)
{
    placed at = place(r, placing);
    double inside[3];
    do {
        for (int i = 0; i < 3; ++i)
            inside[i] = test_uniform(r, -1.5, 1.5);
    } while (excess(kind, inside) > -0.05);
    const abut_vec3 target = to_world(&at.at, inside);
    abut_vec3 from;
    do
        from = random_vec3(r, 12);
    while (world_excess(kind, &at.at, (const double[3]){ from.x, from.y, from.z }) < 0.5);
    const abut_vec3 d = v3(target.x - from.x, target.y - from.y, target.z - from.z);
    abut_ray_hit hits[8];
    size_t count = 0;
    const abut_status status = placing == BY_POSE ? abut_cast_ray(shape, &at.pose, from, d, hits, 8, &count)
                               : placing == BY_LINE
                                   ? abut_cast_line(shape, &at.pose, from, d, hits, 8, &count)
                                   : abut_cast_ray_at(shape, at.motion, at.t, from, d, hits, 8, &count);
    TEST_CHECK(status == ABUT_OK, "body %d, placing %d, seed %" PRIu64 ": %d", kind, placing, seed, status);
    TEST_CHECK(count >= 1 && count <= 8, "body %d, placing %d, seed %" PRIu64, kind, placing, seed);
    if (kind != HALFSPACE && kind != RAMP)
        TEST_CHECK(count % 2 == 0, "body %d, placing %d, seed %" PRIu64 ": %zu", kind, placing, seed, count);
    uint64_t checked = 0;
    for (size_t i = 0; i < count; ++i) {
        const abut_vec3 p = hits[i].point, n = hits[i].normal;
        double expected[3];
        TEST_NEAR(world_excess(kind, &at.at, (const double[3]){ p.x, p.y, p.z }), 0, 1e-10,
                  "body %d, placing %d, seed %" PRIu64, kind, placing, seed);
        if (!outward(kind, &at.at, p, expected))
            continue;
        const double off = fabs(n.x - expected[0]) + fabs(n.y - expected[1]) + fabs(n.z - expected[2]);
        TEST_CHECK(off < 2e-5, "body %d, placing %d, seed %" PRIu64 ": (%g %g %g), expected (%g %g %g)", kind,
                   placing, seed, n.x, n.y, n.z, expected[0], expected[1], expected[2]);
        ++checked;
    }
    abut_motion_release(at.motion);
    return checked;
}

static void normals_under_all_placements(void **state)
{
    (void)state;
    const uint64_t count = test_count(40);
    for (int kind = 0; kind < BODIES; ++kind) {
        abut_shape *shape = make(kind);
        const int placings = kind == SPHERE || kind == ELLIPSOID ? PLACINGS : RIGID;
        for (int placing = 0; placing < placings; ++placing) {
            uint64_t checked = 0;
            for (uint64_t seed = 0; seed < count; ++seed) {
                test_random r = test_seed(seed + 1000 * (uint64_t)(kind * PLACINGS + placing));
                checked += cast_at(&r, kind, shape, placing, seed);
            }
            TEST_CHECK(count < 10 || checked > count / 2, "body %d, placing %d: %" PRIu64, kind, placing,
                       checked);
        }
        abut_shape_release(shape);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(normals_under_all_placements) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
