/* SPDX-License-Identifier: MIT */
/* Creators, errors, memory, references, exact cases, smooth pieces and lines. */
#include "motion/cases.h"
#include "motion/motion.h"
#include "support/failing_allocator.h"

#include <fenv.h>
#include <pthread.h>

static const abut_placement origin = { { 0, 0, 0 },
                                       { ABUT_ROTATION_IDENTITY, { 0, 0, 0, 0 }, { 0, 0, 0 }, 0 } };

static abut_placement turned(double degrees, double x, double y, double z)
{
    return (abut_placement){ .position = { 1, 2, 3 },
                             .rotation = {
                                 .kind = ABUT_ROTATION_DEGREES, .axis = { x, y, z }, .angle = degrees } };
}

/* ---- exact statements ---- */

static void quarter_turns_in_degrees_are_exact(void **state)
{
    (void)state;
    const double z[4][4] = { { 1, 0, 0, 1 }, { 0, -1, 1, 0 }, { -1, 0, 0, -1 }, { 0, 1, -1, 0 } };
    for (int quarter = -13; quarter <= 13; ++quarter)
        for (int axis = 0; axis < 3; ++axis)
            for (int sign = -1; sign <= 1; sign += 2) {
                abut_motion *m;
                abut_interval_affine box;
                const double a = sign * 0.7;
                const abut_placement p =
                    turned(90.0 * quarter, axis == 0 ? a : 0, axis == 1 ? a : 0, axis == 2 ? a : 0);
                assert_int_equal(abut_motion_create_static(&p, NULL, &m, NULL), ABUT_OK);
                assert_int_equal(abut_motion_enclose(m, (abut_interval){ -HUGE_VAL, HUGE_VAL }, &box),
                                 ABUT_OK);
                const double *want = z[(sign * quarter) & 3];
                const int i = (axis + 1) % 3, j = (axis + 2) % 3;
                const double entries[3][3] = { { want[0], want[1], 0 },
                                               { want[2], want[3], 0 },
                                               { 0, 0, 1 } };
                const int order[3] = { i, j, axis };
                for (int r = 0; r < 3; ++r)
                    for (int c = 0; c < 3; ++c) {
                        const abut_interval e = box.linear.m[order[r]][order[c]];
                        TEST_CHECK(e.lo == entries[r][c] && e.hi == entries[r][c],
                                   "%d quarters about %d: [%a, %a]", quarter, axis, e.lo, e.hi);
                    }
                assert_true(box.translation.x.lo == 1 && box.translation.z.hi == 3);
                abut_motion_release(m);
            }
}

/* The matrix of a turn that maps axes to axes, found by its action: v -> q v q* / |q|^2 in
 * integers. */
static void expect_axes_to_axes(const abut_placement *at, const int q[4])
{
    const int w = q[0], x = q[1], y = q[2], z = q[3], n = w * w + x * x + y * y + z * z;
    abut_motion *motion = NULL;
    assert_int_equal(abut_motion_create_static(at, NULL, &motion, NULL), ABUT_OK);
    abut_interval_affine found;
    assert_int_equal(abut_motion_enclose(motion, (abut_interval){ 0, 1 }, &found), ABUT_OK);
    for (int j = 0; j < 3; ++j) {
        const int v[3] = { j == 0, j == 1, j == 2 };
        /* p = q (0, v) */
        const int p[4] = { -(x * v[0] + y * v[1] + z * v[2]), w * v[0] + y * v[2] - z * v[1],
                           w * v[1] + z * v[0] - x * v[2], w * v[2] + x * v[1] - y * v[0] };
        /* p (w, -x, -y, -z), vector part */
        const int r[3] = { -p[0] * x + p[1] * w - p[2] * z + p[3] * y,
                           -p[0] * y + p[2] * w - p[3] * x + p[1] * z,
                           -p[0] * z + p[3] * w - p[1] * y + p[2] * x };
        for (int i = 0; i < 3; ++i) {
            const abut_interval e = found.linear.m[i][j];
            assert_int_equal(r[i] % n, 0);
            TEST_CHECK(e.lo == r[i] / n && e.hi == r[i] / n,
                       "quaternion %d %d %d %d: entry %d %d is [%a, %a], not %d", w, x, y, z, i, j, e.lo,
                       e.hi, r[i] / n);
        }
    }
    abut_motion_release(motion);
}

static void turns_of_axes_to_axes_are_exact_however_stated(void **state)
{
    (void)state;
    test_random random = test_seed(24);
    int turns = 0;
    for (int code = 0; code < 81; ++code) {
        const int q[4] = { code % 3 - 1, code / 3 % 3 - 1, code / 9 % 3 - 1, code / 27 - 1 };
        const int parts = abs(q[0]) + abs(q[1]) + abs(q[2]) + abs(q[3]);
        if (parts == 0 || parts == 3)
            continue;
        ++turns;
        const double size =
            test_bits(&random) & 1 ? fabs(test_log_uniform(&random, -900, 900)) : sqrt(1.0 / parts);
        abut_placement at = { .rotation = {
                                  .kind = ABUT_ROTATION_QUATERNION,
                                  .quaternion = { size * q[0], size * q[1], size * q[2], size * q[3] } } };
        expect_axes_to_axes(&at, q);
        if (q[0] == 0) { /* half a turn about an edge's or a coordinate's direction */
            at.rotation = (abut_rotation){ .kind = ABUT_ROTATION_DEGREES,
                                           .axis = { size * q[1], size * q[2], size * q[3] },
                                           .angle = turns % 2 ? 180 : -540 };
            expect_axes_to_axes(&at, q);
        }
        if (parts == 4) {
            /* a third of a turn about a diagonal: (1, s) is 120 degrees about s, (-1, s) is 240 */
            at.rotation =
                (abut_rotation){ .kind = ABUT_ROTATION_DEGREES,
                                 .axis = { size * q[1], size * q[2], size * q[3] },
                                 .angle = q[0] > 0 ? (turns % 2 ? 120 : -600) : (turns % 2 ? 240 : -120) };
            expect_axes_to_axes(&at, q);
        }
    }
    assert_int_equal(turns, 8 + 24 + 16);
}

static void sixty_degrees_holds_the_root_of_three(void **state)
{
    (void)state;
    for (int k = -23; k <= 23; ++k) {
        abut_motion *m;
        abut_interval_affine box;
        const abut_placement p = turned(15.0 * k, 0, 0, 2);
        assert_int_equal(abut_motion_create_static(&p, NULL, &m, NULL), ABUT_OK);
        assert_int_equal(abut_motion_enclose(m, (abut_interval){ 0, 0 }, &box), ABUT_OK);
        oracle_motion o = { .type = ABUT_MOTION_STATIC, .t1 = 1, .from = p };
        const oracle_place place = oracle_motion_at(&o, 0);
        for (int e = 0; e < 9; ++e) {
            const abut_interval b = case_box_entry(&box, e);
            TEST_CHECK(case_holds(b, place.v[e], 1), "%d degrees entry %d [%a, %a]", 15 * k, e, b.lo, b.hi);
            TEST_CHECK(b.hi - b.lo <= 3 * 0x1p-52, "%d degrees entry %d [%a, %a]", 15 * k, e, b.lo, b.hi);
        }
        if (k % 4 == 0 || k % 2 == 0) { /* multiples of 30: one of sine and cosine is exact */
            const abut_interval c = box.linear.m[0][0], s = box.linear.m[1][0];
            assert_true(c.lo == c.hi || s.lo == s.hi);
        }
        abut_motion_release(m);
    }
}

/* At both ends the enclosure is the stated placement; the position exactly. */
static void ends_are_the_given_placements(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < test_count(3000); ++seed) {
        test_random r = test_seed(seed);
        const abut_motion_type types[] = { ABUT_MOTION_LINEAR, ABUT_MOTION_SCREW, ABUT_MOTION_NLERP,
                                           ABUT_MOTION_KEYFRAMES };
        oracle_motion m;
        case_motion(&r, types[seed % 4], &m);
        if (m.type == ABUT_MOTION_KEYFRAMES) {
            m.from = m.keys[0].at;
            m.to = m.keys[m.key_count - 1].at;
        }
        abut_motion *motion = case_make(&m);
        for (int end = 0; end < 2; ++end) {
            abut_motion *still;
            abut_interval_affine at, given;
            const double t = end ? m.t1 : m.t0;
            assert_int_equal(abut_motion_create_static(end ? &m.to : &m.from, NULL, &still, NULL), ABUT_OK);
            assert_int_equal(abut_motion_enclose(motion, (abut_interval){ t, t }, &at), ABUT_OK);
            assert_int_equal(abut_motion_enclose(still, (abut_interval){ t, t }, &given), ABUT_OK);
            TEST_CHECK(memcmp(&at, &given, sizeof at) == 0, "seed %" PRIu64 " end %d", seed, end);
            abut_affine value;
            assert_int_equal(abut_motion_at(motion, t, &value), ABUT_OK);
            const abut_vec3 p = end ? m.to.position : m.from.position;
            TEST_CHECK(value.translation.x == p.x && value.translation.y == p.y && value.translation.z == p.z,
                       "seed %" PRIu64 " end %d", seed, end);
            abut_motion_release(still);
        }
        abut_motion_release(motion);
    }
}

/* A tie goes the way it is stated: +180 degrees about z counter-clockwise, -180 clockwise,
 * quaternions by their sign. */
static void half_turns_go_the_way_they_are_stated(void **state)
{
    (void)state;
    const struct {
        abut_rotation from, to;
        double sign;
    } cases[] = {
        { { .kind = ABUT_ROTATION_IDENTITY },
          { ABUT_ROTATION_DEGREES, { 0, 0, 0, 0 }, { 0, 0, 1 }, 180 },
          1 },
        { { .kind = ABUT_ROTATION_IDENTITY },
          { ABUT_ROTATION_DEGREES, { 0, 0, 0, 0 }, { 0, 0, 1 }, -180 },
          -1 },
        { { .kind = ABUT_ROTATION_IDENTITY },
          { ABUT_ROTATION_DEGREES, { 0, 0, 0, 0 }, { 0, 0, -1 }, 180 },
          -1 },
        { { .kind = ABUT_ROTATION_IDENTITY },
          { ABUT_ROTATION_QUATERNION, { 0, 0, 0, 1 }, { 0, 0, 0 }, 0 },
          1 },
        { { .kind = ABUT_ROTATION_IDENTITY },
          { ABUT_ROTATION_QUATERNION, { 0, 0, 0, -3 }, { 0, 0, 0 }, 0 },
          -1 },
        { { ABUT_ROTATION_DEGREES, { 0, 0, 0, 0 }, { 0, 0, 1 }, 90 },
          { ABUT_ROTATION_DEGREES, { 0, 0, 0, 0 }, { 0, 0, 1 }, 270 },
          1 },
        { { ABUT_ROTATION_DEGREES, { 0, 0, 0, 0 }, { 0, 0, 1 }, 10 },
          { ABUT_ROTATION_DEGREES, { 0, 0, 0, 0 }, { 0, 0, 1 }, 190 },
          1 },
        /* no ties: 181 degrees go back 179 */
        { { .kind = ABUT_ROTATION_IDENTITY },
          { ABUT_ROTATION_DEGREES, { 0, 0, 0, 0 }, { 0, 0, 1 }, 181 },
          -1 },
        { { .kind = ABUT_ROTATION_IDENTITY },
          { ABUT_ROTATION_DEGREES, { 0, 0, 0, 0 }, { 0, 0, 1 }, 179 },
          1 },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i)
        for (int type = 0; type < 3; ++type) {
            abut_motion *m;
            const abut_placement from = { .rotation = cases[i].from }, to = { .rotation = cases[i].to };
            const abut_status status = type == 0 ? abut_motion_create_linear(0, 1, &from, &to, NULL, &m, NULL)
                                       : type == 1
                                           ? abut_motion_create_screw(0, 1, &from, &to, NULL, &m, NULL)
                                           : abut_motion_create_nlerp(0, 1, &from, &to, NULL, &m, NULL);
            assert_int_equal(status, ABUT_OK);
            abut_affine v;
            assert_int_equal(abut_motion_velocity_at(m, 0.5, &v), ABUT_OK);
            abut_affine p;
            assert_int_equal(abut_motion_at(m, 0.5, &p), ABUT_OK);
            /* z of R' R^T: the angular velocity */
            const double w = v.linear.m[1][0] * p.linear.m[0][0] + v.linear.m[1][1] * p.linear.m[0][1];
            TEST_CHECK(w * cases[i].sign > 2, "case %zu type %d: %g", i, type, w);
            abut_interval_affine whole;
            assert_int_equal(abut_motion_enclose_velocity(m, (abut_interval){ 0, 1 }, &whole), ABUT_OK);
            abut_motion_release(m);
        }
}

/* A pure translation never turns, and its velocity is one number to an ulp. */
static void translations_do_not_turn(void **state)
{
    (void)state;
    const abut_placement from = turned(33, 1, 2, 3);
    abut_placement to = from;
    to.position = (abut_vec3){ 5, 2, -3 };
    for (int type = 0; type < 3; ++type) {
        abut_motion *m;
        const abut_status status = type == 0   ? abut_motion_create_linear(0, 2, &from, &to, NULL, &m, NULL)
                                   : type == 1 ? abut_motion_create_screw(0, 2, &from, &to, NULL, &m, NULL)
                                               : abut_motion_create_nlerp(0, 2, &from, &to, NULL, &m, NULL);
        assert_int_equal(status, ABUT_OK);
        abut_interval_affine v, p;
        assert_int_equal(abut_motion_enclose_velocity(m, (abut_interval){ 0, 2 }, &v), ABUT_OK);
        assert_int_equal(abut_motion_enclose(m, (abut_interval){ 0, 2 }, &p), ABUT_OK);
        for (int e = 0; e < 9; ++e) {
            const abut_interval z = case_box_entry(&v, e), r = case_box_entry(&p, e);
            assert_true(z.lo == 0 && z.hi == 0);
            assert_true(r.hi - r.lo <= 0x1p-48);
        }
        assert_true(v.translation.x.lo == 2 && v.translation.x.hi == 2);
        assert_true(v.translation.y.lo == 0 && v.translation.y.hi == 0);
        assert_true(p.translation.x.lo == 1 && p.translation.x.hi == 5);
        double travel, speed;
        assert_int_equal(abut_motion_travel_bound(m, (abut_interval){ 0, 1 }, 100, &travel, &speed), ABUT_OK);
        TEST_NEAR(speed, sqrt(13), 1e-14, "type %d", type);
        TEST_NEAR(travel, sqrt(13), 1e-14, "type %d", type);
        abut_motion_release(m);
    }
}

/* ---- pieces and lines for the modules to the right ---- */

static void lines_are_exactly_as_given(void **state)
{
    (void)state;
    const abut_placement a = { { 0.1, 0.2, 0.3 }, { .kind = ABUT_ROTATION_IDENTITY } };
    const abut_placement b = turned(50, 1, 1, 0);
    const abut_vec3 v = { 0.1, -0.7, 1e-3 }, w = { 1, 2, 3 };
    abut_motion *m;
    abut_motion_line line;
    assert_int_equal(abut_motion_create_static(&a, NULL, &m, NULL), ABUT_OK);
    assert_true(abut_motion_origin_line(m, 7, &line) && line.from.x == 0.1 && line.to.z == 0.3 &&
                line.rate.x == 0);
    assert_true(abut_motion_next_break(m, 3) == HUGE_VAL);
    abut_motion_release(m);

    assert_int_equal(abut_motion_create_linear(2, 5, &a, &b, NULL, &m, NULL), ABUT_OK);
    assert_true(abut_motion_origin_line(m, 2, &line) && !line.by_rate && line.t0 == 2 && line.t1 == 5);
    assert_true(line.from.x == 0.1 && line.to.x == 1 && line.to.z == 3);
    assert_true(abut_motion_next_break(m, 2) == 5);
    abut_motion_release(m);

    assert_int_equal(abut_motion_create_velocity(2, 5, &a, v, w, NULL, &m, NULL), ABUT_OK);
    assert_true(abut_motion_origin_line(m, 3, &line) && line.by_rate && line.rate.y == -0.7 &&
                line.from.y == 0.2);
    abut_motion_release(m);

    assert_int_equal(abut_motion_create_screw(2, 5, &a, &b, NULL, &m, NULL), ABUT_OK);
    assert_false(abut_motion_origin_line(m, 3, &line));
    abut_motion_release(m);

    abut_affine matrices[3] = { { .translation = { 1, 2, 3 } }, { .translation = { 4, 5, 6 } } };
    for (size_t count = 1; count <= 3; ++count) {
        assert_int_equal(abut_motion_create_affine(0, 1, matrices, count, NULL, &m, NULL), ABUT_OK);
        assert_true(abut_motion_origin_line(m, 0.5, &line) == (count < 3));
        if (count < 3)
            assert_true(line.from.x == 1 && line.to.x == (count == 1 ? 1 : 4));
        abut_motion_release(m);
    }

    const abut_keyframe keys[3] = { { 0, a }, { 1, b }, { 3, a } };
    assert_int_equal(abut_motion_create_keyframes(keys, 3, NULL, &m, NULL), ABUT_OK);
    assert_true(abut_motion_next_break(m, 0) == 1 && abut_motion_next_break(m, 1) == 3);
    assert_true(abut_motion_next_break(m, 2) == 3 && abut_motion_next_break(m, 3) == 3);
    assert_true(abut_motion_origin_line(m, 0.5, &line) && line.t0 == 0 && line.t1 == 1 && line.to.x == 1);
    assert_true(abut_motion_origin_line(m, 1, &line) && line.t0 == 1 && line.t1 == 3 && line.from.x == 1);
    abut_motion *chain;
    assert_int_equal(abut_motion_create_chain(&m, 1, NULL, &chain, NULL), ABUT_OK);
    assert_true(abut_motion_next_break(chain, 0.5) == 1);
    assert_false(abut_motion_origin_line(chain, 0.5, &line));
    abut_motion_release(chain);
    abut_motion_release(m);
}

/* Each segment is the linear motion between its keys, and an interval over several is the hull. */
static void many_keys_are_many_linear_motions(void **state)
{
    (void)state;
    enum { count = 400 };
    static abut_keyframe keys[count];
    test_random r = test_seed(5);
    double t = -3;
    for (int i = 0; i < count; ++i, t += exp2(test_uniform(&r, -8, 0)))
        keys[i] = (abut_keyframe){ t, case_placement(&r, 10) };
    abut_motion *m;
    assert_int_equal(abut_motion_create_keyframes(keys, count, NULL, &m, NULL), ABUT_OK);
    for (uint64_t n = 0; n < test_count(2000); ++n) {
        const unsigned k = test_below(&r, count - 1),
                       last = k + test_below(&r, count - 1 - k > 5 ? 5 : count - 1 - k);
        abut_interval_affine all;
        abut_interval hull[12];
        const double lo = test_uniform(&r, keys[k].t, keys[k + 1].t),
                     hi = fmax(lo, test_uniform(&r, keys[last].t, keys[last + 1].t));
        assert_int_equal(abut_motion_enclose(m, (abut_interval){ lo, hi }, &all), ABUT_OK);
        for (unsigned i = k; i <= last; ++i) {
            abut_motion *one;
            abut_interval_affine part;
            abut_affine a, b;
            assert_int_equal(abut_motion_create_linear(keys[i].t, keys[i + 1].t, &keys[i].at, &keys[i + 1].at,
                                                       NULL, &one, NULL),
                             ABUT_OK);
            const abut_interval piece = { fmax(lo, keys[i].t), fmin(hi, keys[i + 1].t) };
            assert_int_equal(abut_motion_enclose(one, piece, &part), ABUT_OK);
            assert_int_equal(abut_motion_at(one, piece.lo, &a), ABUT_OK);
            assert_int_equal(abut_motion_at(m, piece.lo, &b), ABUT_OK);
            assert_memory_equal(&a, &b, sizeof a);
            for (int e = 0; e < 12; ++e) {
                const abut_interval p = case_box_entry(&part, e);
                hull[e] = i == k ? p : (abut_interval){ fmin(hull[e].lo, p.lo), fmax(hull[e].hi, p.hi) };
            }
            abut_motion_release(one);
        }
        for (int e = 0; e < 12; ++e) {
            const abut_interval a = case_box_entry(&all, e), b = hull[e];
            TEST_CHECK(a.lo == b.lo && a.hi == b.hi, "key %u to %u, entry %d", k, last, e);
        }
    }
    abut_motion_release(m);
}

/* ---- errors ---- */

static void expect(abut_status found, abut_status wanted, const abut_error *error, const char *part,
                   abut_motion **m)
{
    TEST_CHECK(found == wanted && error->status == wanted, "status %d for '%s': %s", (int)found, part,
               error->text);
    TEST_CHECK(strstr(error->text, part) != NULL, "'%s' does not say '%s'", error->text, part);
    assert_null(*m);
}

static void bad_input_is_refused_with_a_reason(void **state)
{
    (void)state;
    {
        const abut_placement here = { .position = { 1, 2, 3 } };
        const abut_keyframe keys[2] = { { 0, here }, { 1, here } };
        abut_error why;
        assert_int_equal(abut_motion_create_static(&here, NULL, NULL, &why), ABUT_ERR_ARGUMENT);
        assert_int_equal(abut_motion_create_linear(0, 1, &here, &here, NULL, NULL, NULL), ABUT_ERR_ARGUMENT);
        assert_int_equal(abut_motion_create_keyframes(keys, 2, NULL, NULL, &why), ABUT_ERR_ARGUMENT);
        assert_non_null(strstr(why.text, "out is NULL"));
    }
    abut_error e;
    abut_motion *m;
    const abut_placement good = turned(20, 0, 0, 1);
    abut_placement bad = good;
    const abut_status no = ABUT_ERR_ARGUMENT;
#define CREATE(call, status, part) m = (abut_motion *)&e, expect((call), status, &e, part, &m)
    bad.position.y = NAN;
    CREATE(abut_motion_create_static(&bad, NULL, &m, &e), no, "position of the placement must be finite");
    bad = turned(INFINITY, 0, 0, 1);
    CREATE(abut_motion_create_linear(0, 1, &good, &bad, NULL, &m, &e), no, "angle of the end must be finite");
    bad = turned(1, 0, 0, 0);
    CREATE(abut_motion_create_linear(0, 1, &bad, &good, NULL, &m, &e), no, "axis of the start");
    bad.rotation.kind = ABUT_ROTATION_QUATERNION;
    CREATE(abut_motion_create_screw(0, 1, &bad, &good, NULL, &m, &e), no, "not zero");
    bad.rotation.kind = (abut_rotation_kind)9;
    CREATE(abut_motion_create_nlerp(0, 1, &bad, &good, NULL, &m, &e), no, "no known kind");
    CREATE(abut_motion_create_nlerp(0, 1, NULL, &good, NULL, &m, &e), no, "missing");
    const double times[][2] = { { 1, 1 }, { 2, 1 }, { NAN, 1 }, { 0, INFINITY }, { -INFINITY, 0 } };
    for (size_t i = 0; i < 5; ++i) {
        CREATE(abut_motion_create_linear(times[i][0], times[i][1], &good, &good, NULL, &m, &e), no,
               "increase");
        CREATE(abut_motion_create_affine(times[i][0], times[i][1], &(abut_affine){ 0 }, 1, NULL, &m, &e), no,
               "increase");
    }
    CREATE(abut_motion_create_linear(-1e308, 1e308, &good, &good, NULL, &m, &e), no, "overflows");
    abut_placement far = good;
    far.position.x = 1e300;
    CREATE(abut_motion_create_linear(0, 1e-100, &good, &far, NULL, &m, &e), no, "too fast");
    CREATE(abut_motion_create_linear(0, 0x1p-1074, &good, &good, NULL, &m, &e), no, "too fast");
    const abut_vec3 huge = { 1e300, 0, 0 }, none = { 0, 0, 0 }, nan = { 0, NAN, 0 };
    CREATE(abut_motion_create_velocity(0, 1e100, &good, huge, none, NULL, &m, &e), no, "too large");
    CREATE(abut_motion_create_velocity(0, 1e100, &good, none, huge, NULL, &m, &e), no, "too large");
    CREATE(abut_motion_create_velocity(0, 1, &good, nan, none, NULL, &m, &e), no, "finite");

    const abut_affine zero = { .translation = { 0, 0, 0 } };
    abut_affine many[17];
    for (int i = 0; i < 17; ++i)
        many[i] = zero;
    CREATE(abut_motion_create_affine(0, 1, many, 17, NULL, &m, &e), ABUT_ERR_LIMIT, "1 to 16");
    CREATE(abut_motion_create_affine(0, 1, many, 0, NULL, &m, &e), no, "1 to 16");
    many[3].linear.m[1][1] = INFINITY;
    CREATE(abut_motion_create_affine(0, 1, many, 5, NULL, &m, &e), no, "matrix 3");
    assert_int_equal(e.index, 3);
    many[3].linear.m[1][1] = 1e308;
    many[2].linear.m[1][1] = -1e308;
    CREATE(abut_motion_create_affine(0, 1, many, 5, NULL, &m, &e), no, "overflow");
    CREATE(abut_motion_create_static_affine(&(abut_affine){ .translation = { NAN, 0, 0 } }, NULL, &m, &e), no,
           "finite");

    abut_keyframe keys[4] = { { 0, good }, { 1, good }, { 1, good }, { 2, good } };
    CREATE(abut_motion_create_keyframes(keys, 1, NULL, &m, &e), no, "two keys");
    CREATE(abut_motion_create_keyframes(keys, 4, NULL, &m, &e), no, "increase");
    assert_int_equal(e.index, 2);
    keys[2].t = 1.5;
    keys[3].at.rotation.axis.z = 0;
    CREATE(abut_motion_create_keyframes(keys, 4, NULL, &m, &e), no, "key 3");

    const double one[1] = { 1 }, cross[2] = { 0, 1 }, tiny[2] = { 1e-20, 0 }, odd[2] = { 1, NAN },
                 long_list[65] = { 1 };
    const abut_series empty = { NULL, 0 }, p[3] = { { NULL, 0 }, { NULL, 0 }, { NULL, 0 } };
    const abut_series q_ok[4] = { { one, 1 }, { cross, 2 }, { NULL, 0 }, { NULL, 0 } };
    assert_int_equal(abut_motion_create_chebyshev(0, 1, p, q_ok, NULL, &m, &e), ABUT_OK);
    abut_motion_release(m);
    /* w = x: zero at the middle */
    const abut_series q_zero[4] = { { cross, 2 }, { tiny, 2 }, empty, empty };
    CREATE(abut_motion_create_chebyshev(2, 4, p, q_zero, NULL, &m, &e), no, "near time 3");
    const abut_series q_odd[4] = { { odd, 2 }, empty, empty, empty };
    CREATE(abut_motion_create_chebyshev(0, 1, p, q_odd, NULL, &m, &e), no,
           "coefficient 1 of quaternion series 0");
    const abut_series q_long[4] = { { long_list, 65 }, empty, empty, empty };
    CREATE(abut_motion_create_chebyshev(0, 1, q_long, NULL, NULL, &m, &e), ABUT_ERR_LIMIT, "at most 64");
    const double nothing[2] = { 0, 0 };
    const abut_series q_none[4] = { { nothing, 2 }, empty, empty, empty };
    CREATE(abut_motion_create_chebyshev(0, 1, p, q_none, NULL, &m, &e), no, "largest quaternion coefficient");

    CREATE(abut_motion_create_chain(NULL, 0, NULL, &m, &e), no, "at least one link");
    abut_motion *early, *late, *both[2];
    assert_int_equal(abut_motion_create_linear(0, 1, &good, &good, NULL, &early, &e), ABUT_OK);
    assert_int_equal(abut_motion_create_linear(1, 2, &good, &good, NULL, &late, &e), ABUT_OK);
    both[0] = early;
    both[1] = late;
    CREATE(abut_motion_create_chain(both, 2, NULL, &m, &e), no, "no time range in common");
    both[1] = NULL;
    CREATE(abut_motion_create_chain(both, 2, NULL, &m, &e), no, "link 1");
    abut_motion *chain = abut_motion_retain(early);
    for (int i = 0; i < 10; ++i) { /* 2, 4, ... 1024 links */
        abut_motion *two[2] = { chain, chain }, *next;
        assert_int_equal(abut_motion_create_chain(two, 2, NULL, &next, &e), ABUT_OK);
        abut_motion_release(chain);
        chain = next;
    }
    both[0] = chain;
    both[1] = early;
    CREATE(abut_motion_create_chain(both, 2, NULL, &m, &e), ABUT_ERR_LIMIT, "1024");
    abut_motion_release(chain);
    abut_motion_release(early);
    abut_motion_release(late);

    const char *const path[3] = { "t", "2*t", "sin(t)" }, *const broken[3] = { "t", "2*", "0" };
    CREATE(abut_motion_create_expression(0, 1, broken, none, NULL, NULL, &m, &e), ABUT_ERR_SYNTAX, "");
    assert_string_equal(e.path, "position[1]");
    CREATE(abut_motion_create_expression(0, 1, path, none, "t", NULL, &m, &e), no, "axis");
#undef CREATE
}

static void queries_check_their_arguments(void **state)
{
    (void)state;
    const abut_placement good = turned(20, 0, 0, 1);
    abut_motion *m;
    abut_affine at;
    abut_interval_affine box;
    double travel;
    assert_int_equal(abut_motion_create_linear(0, 1, &origin, &good, NULL, &m, NULL), ABUT_OK);
    const abut_interval bad[] = { { 1, 0 },   { -0.1, 0.5 }, { 0.5, 1.1 },
                                  { NAN, 1 }, { 0, NAN },    { 0, INFINITY } };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; ++i) {
        assert_int_equal(abut_motion_enclose(m, bad[i], &box), ABUT_ERR_ARGUMENT);
        assert_int_equal(abut_motion_enclose_velocity(m, bad[i], &box), ABUT_ERR_ARGUMENT);
        assert_int_equal(abut_motion_travel_bound(m, bad[i], 1, &travel, NULL), ABUT_ERR_ARGUMENT);
    }
    assert_int_equal(abut_motion_travel_bound(m, (abut_interval){ 0, 1 }, -1, &travel, NULL),
                     ABUT_ERR_ARGUMENT);
    assert_int_equal(abut_motion_travel_bound(m, (abut_interval){ 0, 1 }, NAN, &travel, NULL),
                     ABUT_ERR_ARGUMENT);
    assert_int_equal(abut_motion_at(m, 1.5, &at), ABUT_ERR_ARGUMENT);
    assert_int_equal(abut_motion_at(m, NAN, &at), ABUT_ERR_ARGUMENT);
    assert_int_equal(abut_motion_at(NULL, 0, &at), ABUT_ERR_ARGUMENT);
    assert_int_equal(abut_motion_get_type(m), ABUT_MOTION_LINEAR);
    assert_string_equal(abut_motion_type_name(ABUT_MOTION_KEYFRAMES), "keyframes");
    assert_string_equal(abut_motion_type_name((abut_motion_type)99), "unknown");
    assert_true(abut_motion_is_rigid(m) && abut_motion_get_range(m).hi == 1);
    abut_motion_release(m);
    abut_motion_release(NULL);
    assert_null(abut_motion_retain(NULL));
}

static void expressions_are_undefined_at_times(void **state)
{
    (void)state;
    const char *const path[3] = { "t", "2*t+1", "sqrt(t-2)" };
    abut_motion *m, *chain;
    abut_affine at;
    abut_interval_affine box;
    double travel;
    assert_int_equal(
        abut_motion_create_expression(0, 4, path, (abut_vec3){ 0, 0, 5 }, "pi*t/6", NULL, &m, NULL), ABUT_OK);
    assert_int_equal(abut_motion_at(m, 3, &at), ABUT_OK);
    assert_true(at.translation.x == 3 && at.translation.y == 7 && at.translation.z == 1);
    TEST_NEAR(at.linear.m[1][0], 1, 1e-15, "a quarter turn");
    assert_int_equal(abut_motion_velocity_at(m, 3, &at), ABUT_OK);
    assert_true(at.translation.x == 1 && at.translation.y == 2 && at.translation.z == 0.5);
    TEST_NEAR(at.linear.m[0][0], -0x1.921fb54442d18p+1 / 6, 1e-15, "the turn of the x axis");
    /* sqrt(-1), then the vertical tangent of the root, then all is well */
    const struct {
        abut_interval t;
        abut_status place, velocity;
    } cases[] = {
        { { 1, 1 }, ABUT_ERR_VALUE, ABUT_ERR_VALUE },
        { { 0, 4 }, ABUT_ERR_VALUE, ABUT_ERR_VALUE },
        { { 2, 3 }, ABUT_OK, ABUT_ERR_VALUE },
        { { 2, 2 }, ABUT_OK, ABUT_ERR_VALUE },
        { { 3, 3 }, ABUT_OK, ABUT_OK },
        { { 2.5, 4 }, ABUT_OK, ABUT_OK },
    };
    assert_int_equal(abut_motion_create_chain((abut_motion *[2]){ m, m }, 2, NULL, &chain, NULL), ABUT_OK);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i)
        for (int k = 0; k < 2; ++k) {
            const abut_motion *of = k ? chain : m;
            assert_int_equal(abut_motion_enclose(of, cases[i].t, &box), cases[i].place);
            assert_int_equal(abut_motion_enclose_velocity(of, cases[i].t, &box), cases[i].velocity);
            assert_int_equal(abut_motion_travel_bound(of, cases[i].t, 1, &travel, NULL), cases[i].velocity);
        }
    assert_int_equal(abut_motion_at(m, 1, &at), ABUT_ERR_VALUE);
    abut_motion_release(m); /* the chain keeps it */
    assert_int_equal(abut_motion_at(chain, 3, &at), ABUT_OK);
    abut_motion_release(chain);
    /* Never zero below, though its enclosure over a long time reaches zero. */
    const char *const far[3] = { "1/(t^4 - 2*t^3 + t^2 + 0.01)", "abs(t - 0.5)", "0" };
    assert_int_equal(abut_motion_create_expression(0, 1, far, (abut_vec3){ 0, 0, 1 }, NULL, NULL, &m, NULL),
                     ABUT_OK);
    const abut_interval all = { 0, 1 };
    assert_int_equal(abut_motion_enclose(m, all, &box), ABUT_OK);
    assert_true(box.translation.x.lo <= 1 / 0.0725 && box.translation.x.hi >= 100 &&
                box.translation.y.lo == 0 && box.translation.y.hi == 0.5 && box.linear.m[0][0].lo == 1 &&
                box.linear.m[0][1].hi == 0);
    assert_int_equal(abut_motion_enclose_velocity(m, all, &box), ABUT_OK);
    assert_true(box.translation.y.lo == -1 && box.translation.y.hi == 1 && isfinite(box.translation.x.hi));
    assert_int_equal(abut_motion_travel_bound(m, all, 0, &travel, NULL), ABUT_OK);
    abut_motion_release(m);
}

/* ---- memory, rounding ---- */

static abut_status make_one(int which, const oracle_motion *m, const abut_allocator *alloc)
{
    abut_motion *out = (abut_motion *)(uintptr_t)1, *link = NULL;
    abut_status status = ABUT_ERR_ARGUMENT;
    abut_error error;
    abut_series s[7];
    const char *const path[3] = { "t", "t^2", "sin(t)+3" };
    for (int i = 0; i < 7; ++i)
        s[i] = (abut_series){ m->series[i], m->counts[i] };
    switch (which) {
    case 0: status = abut_motion_create_static(&m->from, alloc, &out, &error); break;
    case 1: status = abut_motion_create_static_affine(&m->matrices[0], alloc, &out, &error); break;
    case 2: status = abut_motion_create_linear(m->t0, m->t1, &m->from, &m->to, alloc, &out, &error); break;
    case 3:
        status =
            abut_motion_create_velocity(m->t0, m->t1, &m->from, m->linear, m->angular, alloc, &out, &error);
        break;
    case 4: status = abut_motion_create_screw(m->t0, m->t1, &m->from, &m->to, alloc, &out, &error); break;
    case 5: status = abut_motion_create_nlerp(m->t0, m->t1, &m->from, &m->to, alloc, &out, &error); break;
    case 6: status = abut_motion_create_chebyshev(m->t0, m->t1, s, s + 3, alloc, &out, &error); break;
    case 7:
        status = abut_motion_create_affine(m->t0, m->t1, m->matrices, m->matrix_count, alloc, &out, &error);
        break;
    case 8: status = abut_motion_create_keyframes(m->keys, m->key_count, alloc, &out, &error); break;
    case 9: status = abut_motion_create_expression(0, 1, path, m->angular, "t", alloc, &out, &error); break;
    default:
        status = abut_motion_create_linear(m->t0, m->t1, &m->from, &m->to, alloc, &link, &error);
        if (status != ABUT_OK)
            return status;
        abut_motion *links[2] = { link, link };
        status = abut_motion_create_chain(links, 2, alloc, &out, &error);
        abut_motion_release(link);
    }
    if (status == ABUT_OK) {
        abut_affine at;
        assert_int_equal(abut_motion_at(out, m->t0, &at), ABUT_OK);
        assert_ptr_equal(abut_motion_retain(out), out);
        abut_motion_release(out);
        abut_motion_release(out);
    } else {
        assert_null(out);
    }
    return status;
}

static void every_creator_survives_every_failing_allocation(void **state)
{
    (void)state;
    test_random r = test_seed(1);
    oracle_motion m;
    case_motion(&r, ABUT_MOTION_LINEAR, &m);
    m.t0 = 0;
    m.t1 = 1;
    for (int which = 0; which <= 10; ++which) {
        abut_status status = ABUT_OK;
        TEST_EVERY_ALLOCATION_FAILS(
            alloc, { status = make_one(which, &m, &alloc); }, status)
        assert_int_equal(status, ABUT_OK);
    }
}

static void *use_and_release(void *shared)
{
    for (int i = 0; i < 200; ++i) {
        abut_motion *mine = abut_motion_retain(shared);
        const abut_interval range = abut_motion_get_range(mine);
        abut_interval_affine box;
        if (abut_motion_enclose(mine, range, &box) != ABUT_OK)
            return shared;
        abut_motion_release(mine);
    }
    abut_motion_release(shared);
    return NULL;
}

static void threads_share_motions(void **state)
{
    (void)state;
    enum { threads = 4 };
    test_random r = test_seed(11);
    oracle_motion m;
    case_motion(&r, ABUT_MOTION_CHEBYSHEV, &m);
    abut_motion *motion = case_make(&m);
    pthread_t thread[threads];
    for (int i = 0; i < threads; ++i)
        assert_int_equal(pthread_create(&thread[i], NULL, use_and_release, abut_motion_retain(motion)), 0);
    abut_motion_release(motion); /* the last thread frees it; the sanitizers see whether one does */
    for (int i = 0; i < threads; ++i) {
        void *failed;
        assert_int_equal(pthread_join(thread[i], &failed), 0);
        assert_null(failed);
    }
}

static void the_rounding_mode_is_restored_and_does_not_matter(void **state)
{
    (void)state;
    static const int modes[] = { FE_TONEAREST, FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO };
    for (size_t type = 0; type < case_type_count; ++type) {
        test_random r = test_seed(type);
        oracle_motion m;
        case_motion(&r, case_types[type], &m);
        abut_motion *motion = case_make(&m);
        const abut_interval t = { m.t0 + (m.t1 - m.t0) / 4, m.t0 + (m.t1 - m.t0) / 2 };
        abut_interval_affine first = { 0 }, found;
        double travel, first_travel = 0;
        for (size_t i = 0; i < 4; ++i) {
            fesetround(modes[i]);
            const abut_status status = abut_motion_enclose(motion, t, &found);
            abut_motion_travel_bound(motion, t, 1, &travel, NULL);
            const int after = fegetround();
            fesetround(FE_TONEAREST);
            assert_int_equal(status, ABUT_OK);
            assert_int_equal(after, modes[i]);
            if (i == 0) {
                first = found;
                first_travel = travel;
            }
            assert_memory_equal(&first, &found, sizeof first);
            assert_true(travel == first_travel);
        }
        abut_motion_release(motion);
    }
}

static int set_up(void **state)
{
    (void)state;
    oracle_set_precision(500);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    oracle_free();
    return 0;
}

/* What two chains begin with, and what is left of them; with every allocation failing in turn. */
static void common_links_are_split_off(void **state)
{
    (void)state;
    const abut_placement from = turned(0, 0, 0, 1), to = turned(50, 1, 2, 3);
    abut_motion *base, *joint, *tip, *links[3], *arm, *hand;
    assert_int_equal(abut_motion_create_linear(0, 2, &from, &to, NULL, &base, NULL), ABUT_OK);
    assert_int_equal(abut_motion_create_static(&to, NULL, &joint, NULL), ABUT_OK);
    assert_int_equal(abut_motion_create_linear(0, 1, &to, &from, NULL, &tip, NULL), ABUT_OK);
    links[0] = base;
    links[1] = joint;
    links[2] = tip;
    assert_int_equal(abut_motion_create_chain(links, 2, NULL, &arm, NULL), ABUT_OK);
    assert_int_equal(abut_motion_create_chain(links, 3, NULL, &hand, NULL), ABUT_OK);
    const abut_interval time = { 0.25, 0.75 }, late = { 1.5, 2.5 };
    abut_motion_split split;
    assert_int_equal(abut_motion_split_common(base, hand, time, NULL, &split), ABUT_OK);
    assert_ptr_equal(split.common, base);
    assert_null(split.rest[0]);
    assert_int_equal(abut_motion_get_type(split.rest[1]), ABUT_MOTION_CHAIN);
    abut_motion_split_clear(&split);
    assert_int_equal(abut_motion_split_common(hand, arm, time, NULL, &split), ABUT_OK);
    assert_int_equal(abut_motion_get_type(split.common), ABUT_MOTION_CHAIN);
    assert_ptr_equal(split.rest[0], tip);
    assert_null(split.rest[1]);
    abut_motion_split_clear(&split);
    assert_int_equal(abut_motion_split_common(arm, arm, late, NULL, &split), ABUT_OK); /* beyond its time */
    assert_null(split.common);
    assert_int_equal(abut_motion_split_common(joint, hand, time, NULL, &split), ABUT_OK);
    assert_null(split.common);
    abut_status status;
    TEST_EVERY_ALLOCATION_FAILS(
        alloc,
        {
            status = abut_motion_split_common(hand, arm, time, &alloc, &split);
            assert_true(status == ABUT_OK || !split.common);
            abut_motion_split_clear(&split);
        },
        status);
    abut_motion *all[5] = { base, joint, tip, arm, hand };
    for (int i = 0; i < 5; ++i)
        abut_motion_release(all[i]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(quarter_turns_in_degrees_are_exact),
        cmocka_unit_test(turns_of_axes_to_axes_are_exact_however_stated),
        cmocka_unit_test(sixty_degrees_holds_the_root_of_three),
        cmocka_unit_test(ends_are_the_given_placements),
        cmocka_unit_test(half_turns_go_the_way_they_are_stated),
        cmocka_unit_test(translations_do_not_turn),
        cmocka_unit_test(lines_are_exactly_as_given),
        cmocka_unit_test(many_keys_are_many_linear_motions),
        cmocka_unit_test(bad_input_is_refused_with_a_reason),
        cmocka_unit_test(queries_check_their_arguments),
        cmocka_unit_test(expressions_are_undefined_at_times),
        cmocka_unit_test(every_creator_survives_every_failing_allocation),
        cmocka_unit_test(threads_share_motions),
        cmocka_unit_test(common_links_are_split_off),
        cmocka_unit_test(the_rounding_mode_is_restored_and_does_not_matter),
    };
    return cmocka_run_group_tests_name("motion_api", tests, set_up, tear_down);
}
