/* SPDX-License-Identifier: MIT */
/* What a user of the installed package would write: two spheres, and a scene from memory through
 * abut_io. */
#include <abut/abut.h>

#include <stdio.h>
#include <string.h>

int main(void)
{
    abut_shape *ball = NULL;
    if (abut_shape_create_sphere(1, NULL, &ball) != ABUT_OK)
        return 1;
    abut_pose aside = abut_pose_identity();
    aside.position.x = 5;
    abut_distance_result result;
    const abut_status status = abut_distance(ball, NULL, ball, &aside, NULL, NULL, &result);
    abut_shape_release(ball);
    if (status != ABUT_OK || result.verdict != ABUT_SEPARATE || result.distance.lo != 3 ||
        result.distance.hi != 3)
        return 2;
#ifdef CONSUMER_IO
    const char *text =
        "{\"abut\": 1, \"objects\": [{\"name\": \"a\", \"shape\": {\"type\": \"sphere\", \"radius\": 1}}]}";
    abut_scene *scene = NULL;
    if (abut_scene_parse(text, strlen(text), "memory", NULL, &scene, NULL) != ABUT_OK)
        return 3;
    if (abut_scene_object_count(scene) != 1)
        return 4;
    abut_scene_destroy(scene);
#endif
    printf("abut %s: distance %g, proof %s\n", abut_version(), result.distance.lo,
           abut_proof_name(result.proof));
    return 0;
}
