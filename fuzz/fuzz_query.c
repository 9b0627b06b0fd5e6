/* SPDX-License-Identifier: MIT */
/* Public queries: bytes make two shapes, their poses and motions, a ray, a point and a segment;
 * every query about them must run or say why not, and what it says must not contradict itself:
 * no NaN, lo <= hi, unit normals, ordered lists, the same verdict after swapping the bodies and
 * from check and distance. Whether answers are true is for the tests to judge. */
#include "abut/abut.h"
#include "promises.h"
#include "source.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* ---- bytes to numbers ---- */

/* Mostly small multiples of 1/16, so that things touch; sometimes a number that breaks code;
 * sometimes any bits. */
static double next_number(source *s)
{
    static const double special[] = { 0.0,      -0.0,      1,      -1,
                                      0.5,      1e-8,      -1e8,   1e-300,
                                      -1e300,   DBL_MIN,   5e-324, DBL_MAX,
                                      INFINITY, -INFINITY, NAN,    3.141592653589793 };
    const uint8_t tag = next_byte(s);
    if (tag < 200)
        return (double)(int8_t)next_byte(s) / 16;
    if (tag < 232)
        return special[(tag - 200) % 16];
    return next_bits(s);
}

static abut_shape *next_shape(source *s)
{
    abut_shape *shape = NULL;
    abut_status status = ABUT_OK;
    abut_error error;
    const double a = next_number(s), b = next_number(s);
    switch (next_byte(s) % 11) {
    case 0: status = abut_shape_create_sphere(a, NULL, &shape); break;
    case 1: status = abut_shape_create_box(next_vector(s), NULL, &shape); break;
    case 2: status = abut_shape_create_capsule(a, b, NULL, &shape); break;
    case 3: status = abut_shape_create_cylinder(a, b, NULL, &shape); break;
    case 4: status = abut_shape_create_cone(a, b, NULL, &shape); break;
    case 5: status = abut_shape_create_ellipsoid(next_vector(s), NULL, &shape); break;
    case 6: status = abut_shape_create_torus(a, b, NULL, &shape); break;
    case 7: status = abut_shape_create_halfspace(next_vector(s), a, NULL, &shape); break;
    case 8: {
        abut_vec3 points[8];
        const size_t count = next_byte(s) % 9;
        for (size_t i = 0; i < count; ++i)
            points[i] = next_vector(s);
        status = abut_shape_create_convex(points, count, a, NULL, &shape, &error);
        break;
    }
    case 9: {
        abut_vec3 points[5];
        uint32_t triangles[12];
        for (int i = 0; i < 5; ++i)
            points[i] = next_vector(s);
        for (int i = 0; i < 12; ++i)
            triangles[i] = next_byte(s) % 6u;
        const uint8_t form = next_byte(s);
        status = abut_shape_create_mesh(points, 5, triangles, form % 5u, form & 128, NULL, &shape, &error);
        break;
    }
    default: {
        double heights[9];
        for (int i = 0; i < 9; ++i)
            heights[i] = next_number(s);
        status = abut_shape_create_heightfield(next_byte(s) % 4u, next_byte(s) % 4u, a, b, heights, NULL,
                                               &shape, &error);
    }
    }
    FUZZ_REQUIRE((status == ABUT_OK) == (shape != NULL));
    FUZZ_REQUIRE(status == ABUT_OK || status == ABUT_ERR_ARGUMENT || status == ABUT_ERR_VALUE);
    return shape;
}

static abut_motion *next_motion(source *s)
{
    abut_motion *motion = NULL;
    abut_error error;
    const double t0 = next_number(s), t1 = next_number(s);
    const abut_placement from = abut_placement_from_pose(next_pose(s)),
                         to = abut_placement_from_pose(next_pose(s));
    abut_status status = ABUT_OK;
    switch (next_byte(s) % 5) {
    case 0: status = abut_motion_create_static(&from, NULL, &motion, &error); break;
    case 1: status = abut_motion_create_linear(t0, t1, &from, &to, NULL, &motion, &error); break;
    case 2: {
        const abut_vec3 linear = next_vector(s), angular = next_vector(s);
        status = abut_motion_create_velocity(t0, t1, &from, linear, angular, NULL, &motion, &error);
        break;
    }
    case 3: status = abut_motion_create_screw(t0, t1, &from, &to, NULL, &motion, &error); break;
    default: status = abut_motion_create_nlerp(t0, t1, &from, &to, NULL, &motion, &error); break;
    }
    FUZZ_REQUIRE((status == ABUT_OK) == (motion != NULL));
    FUZZ_REQUIRE(status == ABUT_OK || (status == ABUT_ERR_ARGUMENT && error.text[0]));
    return motion;
}

/* ---- promises ---- */

static void at_rest(const abut_shape *a, const abut_pose *pose_a, const abut_shape *b,
                    const abut_pose *pose_b)
{
    abut_check_result ab, ba;
    const bool ab_ran = ran(abut_check(a, pose_a, b, pose_b, NULL, NULL, &ab));
    const bool ba_ran = ran(abut_check(b, pose_b, a, pose_a, NULL, NULL, &ba));
    FUZZ_REQUIRE(ab_ran == ba_ran);
    if (ab_ran) {
        require_check(&ab);
        require_check(&ba);
        require_agreement(ab.verdict, ab.distance, ba.verdict, ba.distance);
    }
    abut_distance_result d;
    if (ran(abut_distance(a, pose_a, b, pose_b, NULL, NULL, &d))) {
        require_distance(d.verdict, d.proof, d.distance);
        FUZZ_REQUIRE(!d.has_points || (no_nan(d.point_a) && no_nan(d.point_b)));
        if (ab_ran)
            require_agreement(ab.verdict, ab.distance, d.verdict, d.distance);
    }
}

static void moving(const abut_shape *a, const abut_motion *motion_a, const abut_shape *b,
                   const abut_motion *motion_b, double t)
{
    abut_check_result check;
    if (ran(abut_check_at(a, motion_a, b, motion_b, t, NULL, NULL, &check)))
        require_check(&check);
    abut_first_opts opts;
    abut_first_opts_init(&opts);
    opts.max_iterations = 500;
    abut_first_result first;
    const bool first_ran = ran(abut_first_contact(a, motion_a, b, motion_b, &opts, NULL, &first));
    if (first_ran) {
        FUZZ_REQUIRE(first.verdict >= ABUT_FIRST_UNDECIDED && first.verdict <= ABUT_FIRST_OVERLAPPING);
        FUZZ_REQUIRE(first.verdict == ABUT_FIRST_SEPARATE || first.time.lo <= first.time.hi);
        for (size_t i = 0; i < first.point_count && i < ABUT_FIRST_CONTACTS; ++i)
            FUZZ_REQUIRE(first.points[i].time.lo <= first.points[i].time.hi &&
                         no_nan(first.points[i].point) && unit(first.points[i].normal));
    }
    abut_contact_interval found[4];
    abut_intervals_result intervals;
    if (ran(abut_contact_intervals(a, motion_a, b, motion_b, &opts, NULL, found, 4, &intervals))) {
        for (size_t i = 0; i < intervals.count && i < 4; ++i) {
            FUZZ_REQUIRE(found[i].enter.lo <= found[i].enter.hi && found[i].exit.lo <= found[i].exit.hi);
            FUZZ_REQUIRE(found[i].enter.lo <= found[i].exit.hi);
            FUZZ_REQUIRE(i == 0 || found[i - 1].exit.lo <= found[i].enter.hi);
        }
        /* Proved to have no contact, yet an interval of contact that is proved too. */
        FUZZ_REQUIRE(!(first_ran && first.verdict == ABUT_FIRST_SEPARATE && intervals.count > 0 &&
                       intervals.proof >= ABUT_PROOF_INTERVAL && found[0].enter.hi < found[0].exit.lo));
    }
}

static void alone(const abut_shape *shape, const abut_pose *pose, source *s)
{
    const abut_vec3 p = next_vector(s), q = next_vector(s);
    abut_ray_hit hits[8];
    size_t count = 0;
    if (ran(abut_cast_ray(shape, pose, p, q, hits, 8, &count))) {
        for (size_t i = 0; i < count && i < 8; ++i) {
            FUZZ_REQUIRE(hits[i].t >= 0 && no_nan(hits[i].point) && unit(hits[i].normal));
            FUZZ_REQUIRE(i == 0 || hits[i - 1].t <= hits[i].t);
        }
    }
    abut_piece piece, pieces[8];
    if (ran(abut_classify_point(shape, pose, p, &piece)))
        FUZZ_REQUIRE(piece.where >= ABUT_WHERE_UNKNOWN && piece.where <= ABUT_WHERE_FACE);
    if (ran(abut_classify_segment(shape, pose, p, q, pieces, 8, &count))) {
        for (size_t i = 0; i < count && i < 8; ++i) {
            FUZZ_REQUIRE(pieces[i].from >= 0 && pieces[i].from <= pieces[i].to && pieces[i].to <= 1);
            FUZZ_REQUIRE(i == 0 ? pieces[i].from == 0 : pieces[i - 1].to <= pieces[i].from);
        }
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    source s = { .at = data, .end = data + size };
    abut_shape *a = next_shape(&s), *b = next_shape(&s);
    if (a && b) {
        const abut_pose pose_a = next_pose(&s), pose_b = next_pose(&s);
        at_rest(a, &pose_a, b, &pose_b);
        alone(a, &pose_a, &s);
        abut_motion *motion_a = next_motion(&s), *motion_b = next_motion(&s);
        moving(a, motion_a, b, motion_b, next_number(&s));
        abut_motion_release(motion_a);
        abut_motion_release(motion_b);
    }
    abut_shape_release(a);
    abut_shape_release(b);
    return 0;
}
