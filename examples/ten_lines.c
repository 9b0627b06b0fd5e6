/* SPDX-License-Identifier: MIT */
#include <abut/abut.h>
#include <stdio.h>

int main(void)
{
    abut_shape *ball = NULL, *crate = NULL;
    abut_shape_create_sphere(0.5, NULL, &ball);
    abut_shape_create_box((abut_vec3){ 1, 1, 1 }, NULL, &crate);
    abut_pose above = abut_pose_identity();
    above.position.z = 1.75;
    abut_check_result r;
    if (abut_check(ball, &above, crate, NULL, NULL, NULL, &r) != ABUT_OK)
        return 1;
    printf("%s, distance [%g, %g], proof %s\n", abut_verdict_name(r.verdict), r.distance.lo, r.distance.hi,
           abut_proof_name(r.proof));
    abut_shape_release(ball);
    abut_shape_release(crate);
    return r.distance.lo == 0.25 ? 0 : 1;
}
