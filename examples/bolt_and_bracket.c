/* SPDX-License-Identifier: MIT */
/* Does the bolt clear the bracket? A plate with a hole (extruded), a bolt (revolved): the clearance in
 * the hole, how far the bolt may be off its axis, and when its head comes down. */
#include <abut/abut.h>

#include <stdio.h>

int main(void)
{
    const abut_profile_vertex plate_corners[] = { { -3, -2, 0 }, { 3, -2, 0 }, { 3, 2, 0 }, { -3, 2, 0 } };
    const abut_profile_vertex hole_corners[] = { { 0.5, 0, -1 }, { -0.5, 0, -1 } };
    const abut_profile_vertex bolt_corners[] = { { 0, -1, 0 },  { 0.45, -1, 0 }, { 0.45, 1, 0 },
                                                 { 0.8, 1, 0 }, { 0.8, 1.5, 0 }, { 0, 1.5, 0 } };
    const abut_profile_loop outline = { plate_corners, 4 }, hole = { hole_corners, 2 },
                            profile = { bolt_corners, 6 };
    abut_shape *plate = NULL, *bolt = NULL;
    abut_motion *down = NULL;
    abut_error error;
    if (abut_shape_create_extrude(&outline, &hole, 1, 1, 0, NULL, &plate, &error) ||
        abut_shape_create_revolve(&profile, 0, NULL, &bolt, &error)) {
        fprintf(stderr, "%s\n", error.text);
        return 1;
    }
    for (int i = 0; i <= 3; ++i) {
        const abut_pose at = { { 0.02 * i, 0, 0.5 }, { 1, 0, 0, 0 } };
        abut_check_result r;
        if (abut_check(bolt, &at, plate, NULL, NULL, NULL, &r))
            return 1;
        const abut_verdict wanted = i < 3 ? ABUT_SEPARATE : ABUT_PENETRATING;
        if (r.verdict != wanted ||
            (i < 3 && !(r.distance.lo <= 0.05 - 0.02 * i + 1e-9 && r.distance.hi >= 0.05 - 0.02 * i - 1e-9)))
            return 1;
        printf("off the axis by %.2f: %s, clearance %.6f\n", 0.02 * i, abut_verdict_name(r.verdict),
               r.distance.lo);
    }
    const abut_placement from = { .position = { 0, 0, 3 } }, to = { .position = { 0, 0, -1 } };
    abut_first_result first;
    if (abut_motion_create_linear(0, 1, &from, &to, NULL, &down, &error) ||
        abut_first_contact(bolt, down, plate, NULL, NULL, NULL, &first))
        return 1;
    if (first.verdict != ABUT_FIRST_CONTACT || !(first.time.lo <= 0.75 && first.time.hi >= 0.75))
        return 1;
    printf("the head comes down between t = %.9f and %.9f\n", first.time.lo, first.time.hi);
    abut_motion_release(down);
    abut_shape_release(bolt);
    abut_shape_release(plate);
    return 0;
}
