/* SPDX-License-Identifier: MIT */
/* Curved surfaces: a wheel rolls along a floor with a ridge across it. It touches the floor all
 * the time; that contact is tracked, so that the query finds the next one, where the wheel meets
 * the ridge. Then how the two stand a little earlier, and a ray. */
#include <abut/abut.h>

#include <math.h>
#include <stdio.h>

/* The floor z <= 0 and a half-round ridge of radius 0.5 along y at x = 4, as one body. */
static abut_status make_floor(abut_shape **out)
{
    const abut_aabb box = { { -2, -3, -1 }, { 8, 3, 1 } };
    abut_shape *parts[2] = { NULL, NULL };
    abut_status status = abut_shape_create_implicit("z", box, NULL, &parts[0], NULL);
    if (!status)
        status = abut_shape_create_implicit("(x - 4)^2 + z^2 - 0.25", box, NULL, &parts[1], NULL);
    if (!status)
        status = abut_shape_create_csg(ABUT_CSG_UNION, parts, 2, NULL, out, NULL);
    abut_shape_release(parts[0]);
    abut_shape_release(parts[1]);
    return status;
}

int main(void)
{
    /* A wheel: an upright torus of radius 1 that rolls along x, one unit of length in one of
     * time. */
    abut_shape *wheel = NULL, *ground = NULL;
    abut_motion *rolling = NULL, *touch = NULL;
    const abut_placement start = { .position = { 0, 0, 1 },
                                   .rotation = {
                                       .kind = ABUT_ROTATION_DEGREES, .axis = { 1, 0, 0 }, .angle = 90 } };
    const abut_placement below = { .position = { 0, 0, 0 } };
    const abut_vec3 forward = { 1, 0, 0 }, still = { 0, 0, 0 }, spin = { 0, 1, 0 };
    if (abut_shape_create_torus(0.75, 0.25, NULL, &wheel) || make_floor(&ground) ||
        abut_motion_create_velocity(0, 4, &start, forward, spin, NULL, &rolling, NULL) ||
        abut_motion_create_velocity(0, 4, &below, forward, still, NULL, &touch, NULL))
        return 1;

    const abut_tracked_point known = { touch, 0.3 };
    abut_first_opts opts;
    abut_first_opts_init(&opts);
    opts.tracked = &known;
    opts.tracked_count = 1;
    abut_first_result r;
    if (abut_first_contact(wheel, rolling, ground, NULL, &opts, NULL, &r))
        return 1;
    /* The centres of two circles of radius 1 and 0.5 are 1.5 apart, 1 of it in height. */
    const double truth = 4 - sqrt(1.5 * 1.5 - 1);
    printf("%s at [%.17g, %.17g], expected %.17g, at (%g, %g, %g)\n", abut_first_verdict_name(r.verdict),
           r.time.lo, r.time.hi, truth, r.points[0].point.x, r.points[0].point.y, r.points[0].point.z);
    int wrong =
        !(r.verdict == ABUT_FIRST_CONTACT && r.time.lo <= truth + 1e-12 && truth - 1e-12 <= r.time.hi);

    /* At rest: the ridge alone, before the wheel is there. */
    abut_check_result c;
    abut_shape *ball = NULL;
    if (abut_shape_create_sphere(0.25, NULL, &ball))
        return 1;
    const abut_pose above = { .position = { 4, 0, 1.25 }, .rotation = { 1, 0, 0, 0 } };
    if (abut_check(ball, &above, ground, NULL, NULL, NULL, &c))
        return 1;
    printf("a ball over the ridge: %s, distance [%.17g, %.17g]\n", abut_verdict_name(c.verdict),
           c.distance.lo, c.distance.hi);
    wrong |= !(c.verdict == ABUT_SEPARATE && c.distance.lo <= 0.5 && 0.5 <= c.distance.hi);

    /* A ray along the floor, just above it, through the ridge. */
    abut_ray_hit hits[4];
    size_t count = 0;
    const abut_vec3 from = { 0, 0, 0.3 };
    if (abut_cast_ray(ground, NULL, from, forward, hits, 4, &count))
        return 1;
    for (size_t i = 0; i < count; ++i)
        printf("the ray is at the ridge at %.17g\n", hits[i].t);
    wrong |= !(count == 2 && fabs(hits[0].t - 3.6) < 1e-12 && fabs(hits[1].t - 4.4) < 1e-12);

    abut_motion_release(rolling);
    abut_motion_release(touch);
    abut_shape_release(wheel);
    abut_shape_release(ground);
    abut_shape_release(ball);
    return wrong;
}
