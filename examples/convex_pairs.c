/* SPDX-License-Identifier: MIT */
/* Convex bodies: a can on a table, a body that only a function knows, "closer than d?", and a warm
 * start from frame to frame.
 *
 * Every answer says how well it is known. The can is placed exactly on the table, so that the
 * verdict is exact; turned by an angle that no double states, enclosures tell. */
#include <abut/abut.h>
#include <math.h>
#include <stdio.h>

/* The ball of radius 1 with its poles cut off at z = +-0.5: the point furthest along a
 * direction. */
static void cheese(void *ctx, const abut_vec3 *d, abut_vec3 *point)
{
    (void)ctx;
    const double length = sqrt(d->x * d->x + d->y * d->y + d->z * d->z),
                 flat = sqrt(d->x * d->x + d->y * d->y);
    const double half = 0.5, rim = sqrt(0.75);
    if (fabs(d->z) <= half * length)
        *point = (abut_vec3){ d->x / length, d->y / length, d->z / length };
    else
        *point = (abut_vec3){ flat > 0 ? rim * d->x / flat : 0, flat > 0 ? rim * d->y / flat : 0,
                              d->z > 0 ? half : -half };
}

static int fail(const char *what)
{
    fprintf(stderr, "%s is not what it should be\n", what);
    return 1;
}

int main(void)
{
    abut_shape *can = NULL, *table = NULL, *die = NULL, *round_die = NULL, *body = NULL;
    const abut_support_def def = { .support = cheese, .error = 1e-15, .radius = 1 };
    if (abut_shape_create_cylinder(0.25, 1, NULL, &can) ||
        abut_shape_create_box((abut_vec3){ 1, 1, 0.25 }, NULL, &table) ||
        abut_shape_create_box((abut_vec3){ 0.5, 0.5, 0.5 }, NULL, &die) ||
        abut_shape_create_swept(die, 0.125, NULL, &round_die, NULL) ||
        abut_shape_create_support(&def, NULL, &body, NULL))
        return fail("the set-up");

    /* Where does the can touch the table? */
    abut_check_result stand;
    abut_pose pose = abut_pose_identity();
    pose.position.z = 0.75;
    if (abut_check(can, &pose, table, NULL, NULL, NULL, &stand))
        return fail("the check");
    printf("the can is %s (%s), at %d points\n", abut_verdict_name(stand.verdict),
           abut_proof_name(stand.proof), stand.contact_count);
    if (stand.verdict != ABUT_TOUCHING || stand.contact_count < 3)
        return fail("the can on the table");

    /* How far is the die, rounded by 1/8, from the body that only a function knows? */
    abut_distance_result apart;
    pose.position = (abut_vec3){ 0, 0, 2 };
    if (abut_distance(round_die, &pose, body, NULL, NULL, NULL, &apart))
        return fail("the distance");
    printf("the die is %s, distance [%.15g, %.15g]\n", abut_verdict_name(apart.verdict), apart.distance.lo,
           apart.distance.hi);
    if (!(apart.distance.lo <= 0.875 && 0.875 <= apart.distance.hi))
        return fail("the distance of the die");

    /* A die that tumbles past: is it nearer than 1/4 in each frame? The cache makes every frame
     * but the first cheaper. */
    abut_cache cache = { 0 };
    abut_overlap_opts opts;
    abut_overlap_opts_init(&opts);
    opts.clearance = 0.25;
    opts.cache = &cache;
    int near = 0;
    uint64_t work = 0;
    for (int frame = 0; frame < 100; ++frame) {
        const double s = 0.1 * frame;
        const abut_pose at = { { s - 5, 0.3, 1.2 }, abut_quat_from_axis_angle((abut_vec3){ 1, 2, 3 }, s) };
        abut_overlap_result r;
        if (abut_overlap(die, &at, can, NULL, &opts, NULL, &r))
            return fail("a frame");
        near += r.verdict != ABUT_SEPARATE;
        work += r.counters.evaluations;
    }
    printf("it is near in %d of 100 frames, at %.1f support points a frame\n", near, (double)work / 100);

    abut_shape_release(body);
    abut_shape_release(round_die);
    abut_shape_release(die);
    abut_shape_release(table);
    abut_shape_release(can);
    return near > 0 && near < 100 ? 0 : fail("the number of frames");
}
