/* SPDX-License-Identifier: MIT */
/* Queries about curved surfaces: bytes choose two bodies (torus, parametric, bezier, implicit,
 * csg, and what they may meet), with numbers put into formulas, rarely with a long sum behind,
 * their poses and motions, a ray, a point and a segment. Every query must end soon, say why
 * where it does not run, and not contradict itself: the same verdict after swapping the bodies
 * unless undecided, from check, overlap and distance; a first contact of the set of both as of
 * the pair; points of a ray on it in order. */
#include "abut/abut.h"
#include "promises.h"
#include "source.h"

#include <stdio.h>
#include <string.h>

enum { ITERATIONS = 200, TEXT = 160, LONG = 32768 };

/* Sixteenths, so that things touch; rarely a number that breaks code. */
static double next_number(source *s)
{
    static const double special[] = { 1e-8, 1e8, 1e-160, 1e160, INFINITY, NAN, 5e-324, 3.141592653589793 };
    const uint8_t tag = next_byte(s);
    return tag < 240 ? (double)(int8_t)next_byte(s) / 16 : special[tag % 8];
}

/* Numbers in formulas; what is no number there is no formula. */
static void fill(char out[TEXT], const char *form, double a, double b)
{
    (void)snprintf(out, TEXT, form, a, b);
}

/* A copy of the text with a sum of up to some thousand operations behind it; NULL: no memory. */
static char *lengthen(const char *text, const char *form, unsigned terms)
{
    char *out = malloc(LONG);
    if (!out)
        return NULL;
    size_t n = (size_t)snprintf(out, LONG, "%s", text);
    for (unsigned k = 1; k <= terms && n + 64 < LONG; ++k)
        n += (size_t)snprintf(out + n, LONG - n, form, k, k + 1);
    return out;
}

static abut_status make_implicit(source *s, abut_shape **out)
{
    static const char *const forms[] = { "x^2 + %g*y^2 + z^2 - %g",
                                         "x^4 + y^4 + %g*z^4 - %g",
                                         "%g*x + y - z - %g",
                                         "sqrt(x^2 + y^2 + %g) - %g + z^2",
                                         "(x^2 + y^2 + z^2 + %g)^2 - 4*(x^2 + y^2) - %g*t",
                                         "sin(%g*x) + y^2 + z^2 - %g" };
    char text[TEXT];
    abut_error error;
    const uint8_t form = next_byte(s);
    const double a = next_number(s), b = next_number(s), size = form & 64 ? next_number(s) : 2;
    fill(text, forms[form % 6], a, b);
    char *whole = lengthen(text, "+1e-4*sin(%u*x)*cos(%u*y)", (form & 0xb0) == 0xb0 ? 4u * next_byte(s) : 0);
    if (!whole)
        return ABUT_ERR_LIMIT;
    const abut_status status = abut_shape_create_implicit(
        whole, (abut_aabb){ { -size, -size, -size }, { size, size, size } }, NULL, out, &error);
    free(whole);
    return status;
}

static abut_status make_csg(source *s, abut_shape **out)
{
    abut_shape *parts[3] = { NULL, NULL, NULL };
    const uint8_t form = next_byte(s);
    const size_t count = 2 + (form >> 2) % 2;
    abut_status status = ABUT_OK;
    for (size_t i = 0; i < count && !status; ++i)
        status = make_implicit(s, &parts[i]);
    if (!status)
        status = abut_shape_create_csg((abut_csg_op)(1 + form % 3), parts, count, NULL, out, NULL);
    for (size_t i = 0; i < count; ++i)
        abut_shape_release(parts[i]);
    return status;
}

static abut_status make_parametric(source *s, abut_shape **out)
{
    static const char *const forms[][3] = {
        { "%g*cos(u)*cos(v)", "sin(u)*cos(v)", "%g*sin(v)" },
        { "(%g + cos(v))*cos(u)", "(2 + cos(v))*sin(u)", "sin(v) + %g*t" },
        { "u", "v", "%g*u*v + %g" },
        { "u*%g", "v", "sqrt(u + %g)" },
        { "cos(u)*(1 + %g*v)", "sin(u)*(1 + v)", "v*%g" },
    };
    static const double ranges[][4] = { { 0, 6.283185307179586, -1.5707963267948966, 1.5707963267948966 },
                                        { 0, 6.283185307179586, 0, 6.283185307179586 },
                                        { -1, 1, -1, 1 },
                                        { 0, 1, 0, 2 },
                                        { 0, 6.283185307179586, 0, 1 } };
    char text[3][TEXT];
    abut_error error;
    const uint8_t form = next_byte(s), k = form % 5;
    const double a = next_number(s), b = next_number(s);
    for (int i = 0; i < 3; ++i)
        fill(text[i], forms[k][i], i == 2 ? b : a, b);
    fill(text[2], forms[k][2], k == 2 ? a : b, b);
    char *whole =
        lengthen(text[2], "+1e-4*sin(%u*u)*cos(%u*v)", (form & 0x19) == 0x19 ? 4u * next_byte(s) : 0);
    if (!whole)
        return ABUT_ERR_LIMIT;
    abut_parametric_def def = { .x = text[0],
                                .y = text[1],
                                .z = whole,
                                .u = { ranges[k][0], ranges[k][1] },
                                .v = { ranges[k][2], ranges[k][3] },
                                .wrap_u = form & 32,
                                .wrap_v = form & 64,
                                .normal_in = form & 128 };
    if (next_byte(s) == 7)
        def.u[1] = next_number(s);
    const abut_status status = abut_shape_create_parametric(&def, NULL, out, &error);
    free(whole);
    return status;
}

static abut_status make_bezier(source *s, abut_shape **out)
{
    abut_vec3 points[2][9];
    double weights[9];
    abut_bezier_patch patches[2];
    abut_error error;
    const uint8_t form = next_byte(s);
    for (int k = 0; k < 2; ++k) {
        const int u = 1 + (form >> k & 1), v = 1 + (form >> (2 + k) & 1);
        for (int i = 0; i < 9; ++i) {
            points[k][i] = (abut_vec3){ i % (u + 1) + k * u, (double)(i / (u + 1)), next_number(s) };
            weights[i] = form & 16 ? next_number(s) : 1;
        }
        patches[k] = (abut_bezier_patch){ u, v, points[k], form & 32 ? weights : NULL };
    }
    return abut_shape_create_bezier(patches, 1 + (form >> 6 & 1), NULL, out, &error);
}

static abut_shape *next_shape(source *s, bool surface)
{
    abut_shape *shape = NULL;
    abut_status status;
    const uint8_t kind = next_byte(s) % (surface ? 5 : 12);
    double a = 0, b = 0;
    if (kind == 0 || kind > 4) {
        a = next_number(s);
        b = next_number(s);
    }
    switch (kind) {
    case 0: status = abut_shape_create_torus(a, b, NULL, &shape); break;
    case 1: status = make_parametric(s, &shape); break;
    case 2: status = make_bezier(s, &shape); break;
    case 3: status = make_implicit(s, &shape); break;
    case 4: status = make_csg(s, &shape); break;
    case 5: status = abut_shape_create_sphere(a, NULL, &shape); break;
    case 6: status = abut_shape_create_capsule(a, b, NULL, &shape); break;
    case 7: status = abut_shape_create_cylinder(a, b, NULL, &shape); break;
    case 8: status = abut_shape_create_cone(a, b, NULL, &shape); break;
    case 9: status = abut_shape_create_box(next_vector(s), NULL, &shape); break;
    case 10: status = abut_shape_create_ellipsoid(next_vector(s), NULL, &shape); break;
    default: status = abut_shape_create_halfspace(next_vector(s), a, NULL, &shape); break;
    }
    FUZZ_REQUIRE((status == ABUT_OK) == (shape != NULL));
    FUZZ_REQUIRE(status == ABUT_OK || status == ABUT_ERR_ARGUMENT || status == ABUT_ERR_VALUE ||
                 status == ABUT_ERR_SYNTAX || status == ABUT_ERR_LIMIT);
    return shape;
}

static abut_motion *next_motion(source *s)
{
    abut_motion *motion = NULL;
    abut_error error;
    const abut_placement from = abut_placement_from_pose(next_pose(s));
    const uint8_t kind = next_byte(s);
    if (kind % 4 == 0)
        (void)abut_motion_create_static(&from, NULL, &motion, &error);
    else if (kind % 4 == 1) {
        const abut_placement to = abut_placement_from_pose(next_pose(s));
        (void)abut_motion_create_linear(0, 1, &from, &to, NULL, &motion, &error);
    } else {
        const abut_vec3 linear = next_vector(s), angular = next_vector(s);
        (void)abut_motion_create_velocity(0, 1, &from, linear, angular, NULL, &motion, &error);
    }
    return motion;
}

/* Bodies that are not defined at a time are said to be so. */
static bool answered(abut_status status)
{
    return status != ABUT_ERR_VALUE && ran(status);
}

static void at_rest(const abut_shape *a, const abut_pose *pose_a, const abut_shape *b,
                    const abut_pose *pose_b)
{
    abut_check_result ab, ba;
    const bool ab_ran = answered(abut_check(a, pose_a, b, pose_b, NULL, NULL, &ab));
    const bool ba_ran = answered(abut_check(b, pose_b, a, pose_a, NULL, NULL, &ba));
    FUZZ_REQUIRE(ab_ran == ba_ran);
    if (!ab_ran)
        return;
    require_check(&ab);
    require_check(&ba);
    require_agreement(ab.verdict, ab.distance, ba.verdict, ba.distance);
    abut_distance_opts cut;
    abut_distance_result d;
    abut_distance_opts_init(&cut);
    cut.cutoff = 0.25;
    if (answered(abut_distance(a, pose_a, b, pose_b, &cut, NULL, &d))) {
        FUZZ_REQUIRE(d.verdict == ABUT_UNDECIDED || ab.verdict == ABUT_UNDECIDED || d.verdict == ab.verdict);
        FUZZ_REQUIRE(!(d.distance.lo > ab.distance.hi));
    }
    abut_overlap_opts near;
    abut_overlap_result o;
    abut_overlap_opts_init(&near);
    near.clearance = 0.5;
    if (answered(abut_overlap(a, pose_a, b, pose_b, &near, NULL, &o))) {
        FUZZ_REQUIRE(o.verdict != ABUT_SEPARATE || ab.distance.hi >= 0.5);
        FUZZ_REQUIRE(o.verdict != ABUT_PENETRATING || ab.distance.lo <= 0.5);
    }
}

static void require_first(abut_first_verdict verdict, abut_interval time)
{
    FUZZ_REQUIRE(verdict >= ABUT_FIRST_UNDECIDED && verdict <= ABUT_FIRST_OVERLAPPING);
    FUZZ_REQUIRE(verdict == ABUT_FIRST_SEPARATE || time.lo <= time.hi);
}

static bool contradict(abut_first_verdict a, abut_first_verdict b)
{
    return (a == ABUT_FIRST_SEPARATE && (b == ABUT_FIRST_CONTACT || b == ABUT_FIRST_OVERLAPPING)) ||
           (a == ABUT_FIRST_CONTACT && b == ABUT_FIRST_OVERLAPPING);
}

static void moving(const abut_shape *a, const abut_motion *motion_a, const abut_shape *b,
                   const abut_motion *motion_b)
{
    abut_first_opts opts;
    abut_first_opts_init(&opts);
    opts.max_iterations = ITERATIONS;
    abut_first_result ab, ba;
    const bool ab_ran = answered(abut_first_contact(a, motion_a, b, motion_b, &opts, NULL, &ab));
    const bool ba_ran = answered(abut_first_contact(b, motion_b, a, motion_a, &opts, NULL, &ba));
    if (ab_ran && ba_ran) {
        require_first(ab.verdict, ab.time);
        require_first(ba.verdict, ba.time);
        const bool proved = ab.proof >= ABUT_PROOF_INTERVAL && ba.proof >= ABUT_PROOF_INTERVAL;
        FUZZ_REQUIRE(!proved || (!contradict(ab.verdict, ba.verdict) && !contradict(ba.verdict, ab.verdict)));
        FUZZ_REQUIRE(!proved || ab.verdict != ABUT_FIRST_CONTACT || ba.verdict != ABUT_FIRST_CONTACT ||
                     (ab.time.lo <= ba.time.hi && ba.time.lo <= ab.time.hi));
        for (size_t i = 0; i < ab.point_count && i < ABUT_FIRST_CONTACTS; ++i)
            FUZZ_REQUIRE(ab.points[i].time.lo <= ab.points[i].time.hi && no_nan(ab.points[i].point));
    }
    const abut_body bodies[2] = { { .shape = a, .motion = motion_a }, { .shape = b, .motion = motion_b } };
    abut_set_point points[4];
    abut_set_result set;
    if (answered(abut_first_contact_set(bodies, 2, NULL, 0, &opts, NULL, points, 4, &set)))
        require_first(set.verdict, set.time);
    abut_contact_interval found[4];
    abut_intervals_result intervals;
    if (answered(abut_contact_intervals(a, motion_a, b, motion_b, &opts, NULL, found, 4, &intervals)))
        for (size_t i = 0; i < intervals.count && i < 4; ++i)
            FUZZ_REQUIRE(found[i].enter.lo <= found[i].enter.hi && found[i].exit.lo <= found[i].exit.hi &&
                         found[i].enter.lo <= found[i].exit.hi);
}

static void alone(const abut_shape *shape, const abut_pose *pose, source *s)
{
    const abut_vec3 p = next_vector(s), q = next_vector(s);
    abut_ray_hit hits[8];
    size_t count = 0;
    if (answered(abut_cast_ray(shape, pose, p, q, hits, 8, &count)))
        for (size_t i = 0; i < count && i < 8; ++i)
            FUZZ_REQUIRE(hits[i].t >= 0 && no_nan(hits[i].point) && (i == 0 || hits[i - 1].t <= hits[i].t));
    abut_piece piece, pieces[8];
    if (answered(abut_classify_point(shape, pose, p, &piece)))
        FUZZ_REQUIRE(piece.where >= ABUT_WHERE_UNKNOWN && piece.where <= ABUT_WHERE_FACE);
    if (answered(abut_classify_segment(shape, pose, p, q, pieces, 8, &count)))
        for (size_t i = 0; i < count && i < 8; ++i)
            FUZZ_REQUIRE(pieces[i].from >= 0 && pieces[i].from <= pieces[i].to && pieces[i].to <= 1);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    source s = { .at = data, .end = data + size };
    const uint8_t what = next_byte(&s);
    abut_shape *a = next_shape(&s, true), *b = next_shape(&s, false);
    if (a && b) {
        const abut_pose pose_a = next_pose(&s), pose_b = next_pose(&s);
        if (what % 3 == 0)
            at_rest(a, &pose_a, b, &pose_b);
        else if (what % 3 == 1)
            alone(a, &pose_a, &s);
        else {
            abut_motion *motion_a = next_motion(&s), *motion_b = next_motion(&s);
            moving(a, motion_a, b, motion_b);
            abut_motion_release(motion_a);
            abut_motion_release(motion_b);
        }
    }
    abut_shape_release(a);
    abut_shape_release(b);
    return 0;
}
