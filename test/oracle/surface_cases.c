/* SPDX-License-Identifier: MIT */
/* See surface_cases.h. */
#include "oracle/surface_cases.h"

#include "support/test.h"

enum { TORUS, PARAMETRIC, IMPLICIT, SUPERQUADRIC, BUMPY, ELLIPSOID, KINDS };

static const double half_turn = 1.5707963267948966, whole_turn = 6.283185307179586;

static abut_shape *make_parametric(const char *x, const char *y, const char *z, const abut_let *let)
{
    abut_shape *shape = NULL;
    abut_error error;
    const abut_parametric_def def = { .x = x,
                                      .y = y,
                                      .z = z,
                                      .u = { 0, whole_turn },
                                      .v = { -half_turn, half_turn },
                                      .wrap_u = true,
                                      .lets = let,
                                      .let_count = let ? 1 : 0 };
    TEST_CHECK(abut_shape_create_parametric(&def, NULL, &shape, &error) == ABUT_OK, "%s", error.text);
    return shape;
}

static abut_shape *make_ellipsoid(const double r[3])
{
    char text[3][64];
    snprintf(text[0], sizeof text[0], "%.17g*cos(u)*cos(v)", r[0]);
    snprintf(text[1], sizeof text[1], "%.17g*sin(u)*cos(v)", r[1]);
    snprintf(text[2], sizeof text[2], "%.17g*sin(v)", r[2]);
    return make_parametric(text[0], text[1], text[2], NULL);
}

static abut_shape *make_implicit(const double r[3], int power)
{
    char text[256];
    abut_shape *shape = NULL;
    abut_error error;
    snprintf(text, sizeof text, "(x/%.17g)^%d + (y/%.17g)^%d + (z/%.17g)^%d - 1", r[0], power, r[1], power,
             r[2], power);
    const abut_aabb box = { { -1.1 * r[0], -1.1 * r[1], -1.1 * r[2] },
                            { 1.1 * r[0], 1.1 * r[1], 1.1 * r[2] } };
    TEST_CHECK(abut_shape_create_implicit(text, box, NULL, &shape, &error) == ABUT_OK, "%s", error.text);
    return shape;
}

static abut_shape *make_bumpy(double amplitude, int waves_u, int waves_v)
{
    char text[128];
    snprintf(text, sizeof text, "1 + %.17g*sin(%d*u)*cos(v)^%d*sin(%d*v)", amplitude, waves_u, waves_u,
             waves_v);
    const abut_let let = { "r", text };
    return make_parametric("r*cos(u)*cos(v)", "r*sin(u)*cos(v)", "r*sin(v)", &let);
}

static void make_body(test_random *r, int kind, int i, surface_case *out)
{
    const double radii[3] = { test_uniform(r, 0.4, 1.4), test_uniform(r, 0.4, 1.4),
                              test_uniform(r, 0.4, 1.4) };
    referee_body *body = &out->body[i];
    switch (kind) {
    case TORUS: {
        const double major = test_uniform(r, 0.6, 1.2), minor = test_uniform(r, 0.15, 0.5);
        out->kind[i] = "torus";
        referee_torus(body, (real)major, (real)minor);
        assert_int_equal(abut_shape_create_torus(major, minor, NULL, &out->shape[i]), ABUT_OK);
        break;
    }
    case PARAMETRIC:
        out->kind[i] = "parametric ellipsoid";
        referee_ellipsoid(body, (real)radii[0], (real)radii[1], (real)radii[2]);
        out->shape[i] = make_ellipsoid(radii);
        break;
    case IMPLICIT:
        out->kind[i] = "implicit ellipsoid";
        referee_ellipsoid(body, (real)radii[0], (real)radii[1], (real)radii[2]);
        out->shape[i] = make_implicit(radii, 2);
        break;
    case SUPERQUADRIC:
        out->kind[i] = "superquadric";
        referee_superquadric(body, (real)radii[0], (real)radii[1], (real)radii[2]);
        out->shape[i] = make_implicit(radii, 4);
        break;
    case BUMPY: {
        const double amplitude = test_uniform(r, 0.02, 0.15);
        const int waves_u = 1 + (int)test_below(r, 3), waves_v = 1 + (int)test_below(r, 4);
        out->kind[i] = "bumpy";
        referee_bumpy(body, (real)amplitude, waves_u, waves_v);
        out->shape[i] = make_bumpy(amplitude, waves_u, waves_v);
        break;
    }
    default:
        out->kind[i] = "ellipsoid";
        referee_ellipsoid(body, (real)radii[0], (real)radii[1], (real)radii[2]);
        assert_int_equal(
            abut_shape_create_ellipsoid((abut_vec3){ radii[0], radii[1], radii[2] }, NULL, &out->shape[i]),
            ABUT_OK);
    }
}

static abut_vec3 random_vector(test_random *r, double size)
{
    return (abut_vec3){ test_uniform(r, -size, size), test_uniform(r, -size, size),
                        test_uniform(r, -size, size) };
}

static void move_body(abut_vec3 from, abut_quat q, abut_vec3 linear, abut_vec3 angular, int i,
                      surface_case *out)
{
    referee_body *body = &out->body[i];
    const double p[3] = { from.x, from.y, from.z }, v[3] = { linear.x, linear.y, linear.z };
    const double w[3] = { angular.x, angular.y, angular.z }, parts[4] = { q.w, q.x, q.y, q.z };
    for (int k = 0; k < 3; ++k) {
        body->position[k] = (real)p[k];
        body->linear[k] = (real)v[k];
        body->angular[k] = (real)w[k];
    }
    for (int k = 0; k < 4; ++k)
        body->rotation[k] = (real)parts[k];
    out->pose[i] = (abut_pose){ .position = from, .rotation = q };
    const abut_placement at = { .position = from,
                                .rotation = { .kind = ABUT_ROTATION_QUATERNION, .quaternion = q } };
    assert_int_equal(abut_motion_create_velocity(0, 1, &at, linear, angular, NULL, &out->motion[i], NULL),
                     ABUT_OK);
}

static abut_quat random_turn(test_random *r)
{
    double q[4], square;
    do {
        square = 0;
        for (int i = 0; i < 4; ++i) {
            q[i] = test_uniform(r, -1, 1);
            square += q[i] * q[i];
        }
    } while (square > 1 || square < 0.1);
    const double scale = 1 / sqrt(square);
    return (abut_quat){ scale * q[0], scale * q[1], scale * q[2], scale * q[3] };
}

void surface_case_make(uint64_t seed, bool apart, surface_case *out)
{
    test_random r = test_seed(seed);
    const int first = (int)test_below(&r, KINDS - 1), second = (int)test_below(&r, KINDS);
    make_body(&r, first, 0, out);
    make_body(&r, second, 1, out);
    const double reach = (double)(out->body[0].reach + out->body[1].reach);
    abut_vec3 way;
    double length;
    do {
        way = random_vector(&r, 1);
        length = sqrt(way.x * way.x + way.y * way.y + way.z * way.z);
    } while (length > 1 || length < 0.1);
    const double distance = apart ? reach * test_uniform(&r, 1.02, 1.5) : reach * test_uniform(&r, 0.2, 1.2);
    const abut_vec3 from = { way.x / length * distance, way.y / length * distance,
                             way.z / length * distance };
    const abut_vec3 target = random_vector(&r, 2), here = random_vector(&r, 0.5);
    const double pace = test_uniform(&r, 0.8, 2);
    const abut_vec3 linear = { pace * (target.x - from.x), pace * (target.y - from.y),
                               pace * (target.z - from.z) };
    const abut_vec3 there = { here.x + from.x, here.y + from.y, here.z + from.z };
    move_body(here, random_turn(&r), random_vector(&r, 0.2), random_vector(&r, 2), 0, out);
    move_body(there, random_turn(&r), linear, random_vector(&r, 2), 1, out);
}

void surface_case_release(surface_case *c)
{
    for (int i = 0; i < 2; ++i) {
        abut_shape_release(c->shape[i]);
        abut_motion_release(c->motion[i]);
    }
}
