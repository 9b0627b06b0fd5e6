/* SPDX-License-Identifier: MIT */
/* How far balls around two bodies are proved apart (abut_instant_balls), against the quadratic
 * in long double: random paths, tiny and large, grazes by a few parts in 2^40, forwards and
 * back. */
#include "ccd/proof/instant.h"
#include "shape/shape.h"
#include "support/test.h"

static abut_vec3 draw(test_random *r, double size)
{
    return (abut_vec3){ test_uniform(r, -size, size), test_uniform(r, -size, size),
                        test_uniform(r, -size, size) };
}

static abut_motion *make_motion(abut_vec3 from, abut_vec3 rate, abut_vec3 turn)
{
    abut_motion *motion = NULL;
    const abut_placement at = { .position = from };
    assert_int_equal(abut_motion_create_velocity(0, 1, &at, rate, turn, NULL, &motion, NULL), ABUT_OK);
    return motion;
}

/* Least |d + s v|^2 over [0, length]. */
static long double least_square(const long double d[3], const long double v[3], long double length)
{
    const long double vv = v[0] * v[0] + v[1] * v[1] + v[2] * v[2],
                      dv = d[0] * v[0] + d[1] * v[1] + d[2] * v[2];
    long double s = vv > 0 ? -dv / vv : 0, sum = 0;
    s = s < 0 ? 0 : s > length ? length : s;
    for (int i = 0; i < 3; ++i)
        sum += (d[i] + s * v[i]) * (d[i] + s * v[i]);
    return sum;
}

/* Moves b's start so that the line passes at about the distance of the radii. */
static abut_vec3 graze(test_random *r, abut_vec3 a, abut_vec3 rate, double radii)
{
    const abut_vec3 any = draw(r, 1);
    abut_vec3 across = abut_unit_or(abut_cross(rate, any), abut_v3(1, 0, 0));
    const double off = radii * (1 + test_uniform(r, -1, 1) * exp2(-(double)test_below(r, 50)));
    return abut_madd(abut_madd(a, off, across), -test_uniform(r, 0, 1), rate);
}

static void balls(void **state)
{
    (void)state;
    uint64_t whole = 0, part = 0;
    for (uint64_t seed = 0; seed < test_count(60000); ++seed) {
        test_random r = test_seed(seed);
        const double unit = test_below(&r, 4) ? 1 : exp2(test_uniform(&r, -60, 60));
        abut_shape *box = NULL, *ball = NULL;
        abut_shape_create_box((abut_vec3){ unit * test_uniform(&r, 0.1, 1), unit * test_uniform(&r, 0.1, 1),
                                           unit * test_uniform(&r, 0.1, 1) },
                              NULL, &box);
        abut_shape_create_sphere(unit * test_uniform(&r, 0.1, 1), NULL, &ball);
        const double radii = box->core.size + ball->core.radius;
        const abut_vec3 from_a = draw(&r, (test_below(&r, 8) ? 3 : 3e6) * unit), rate_a = draw(&r, 2 * unit);
        const abut_vec3 rate = draw(&r, 8 * unit), rate_b = abut_add(rate_a, rate);
        const abut_vec3 from_b =
            test_below(&r, 2) ? graze(&r, from_a, rate, radii) : abut_add(from_a, draw(&r, 5 * unit));
        abut_motion *a = make_motion(from_a, rate_a, draw(&r, 2)),
                    *b = make_motion(from_b, rate_b, draw(&r, 2));
        abut_scene_pair pair = { .shape_a = box, .shape_b = ball, .a = &box->core, .b = &ball->core };
        abut_path_begin(a, 0, 1, false, &pair.path_a);
        abut_path_begin(b, 0, 1, true, &pair.path_b);
        const double t = test_below(&r, 2) ? 0 : test_uniform(&r, 0, 1);
        const double room = test_below(&r, 2) ? 1 - t : -t;
        const double s = abut_instant_balls(&pair, t, room);
        long double d[3], v[3];
        const double fa[3] = { from_a.x, from_a.y, from_a.z }, fb[3] = { from_b.x, from_b.y, from_b.z };
        const double va[3] = { rate_a.x, rate_a.y, rate_a.z }, vb[3] = { rate_b.x, rate_b.y, rate_b.z };
        for (int i = 0; i < 3; ++i) {
            const long double speed = (long double)vb[i] - va[i];
            d[i] = (long double)fb[i] - fa[i] + t * speed;
            v[i] = room < 0 ? -speed : speed;
        }
        TEST_CHECK(s >= 0 && s <= fabs(room), "seed %" PRIu64 ": %a of %a", seed, s, room);
        const long double square = (long double)radii * radii;
        if (s > 0)
            TEST_CHECK(least_square(d, v, s) > square, "seed %" PRIu64 ": they meet within %a", seed, s);
        /* Not less than it could be, where they begin apart. */
        const bool begins_apart = least_square(d, v, 0) > square * (1 + 1e-5L);
        if (begins_apart && least_square(d, v, fabs(room)) > square * (1 + 1e-5L))
            TEST_CHECK(s == fabs(room), "seed %" PRIu64 ": %a of %a is proved", seed, s, room);
        whole += s == fabs(room);
        part += s > 0 && s < fabs(room);
        abut_motion_release(a);
        abut_motion_release(b);
        abut_shape_release(box);
        abut_shape_release(ball);
    }
    assert_true(whole > 0 && part > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(balls) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
