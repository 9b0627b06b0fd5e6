/* SPDX-License-Identifier: MIT */
/* Reads a scene file and says how each pair of it stands at the start. With an argument: that
 * file, else a scene in memory. */
#include <abut/abut.h>
#include <stdio.h>
#include <string.h>

static const char built_in[] = "{ \"abut\": 1,\n"
                               "  \"objects\": [\n"
                               "    { \"name\": \"ball\",  \"shape\": { \"type\": \"sphere\", \"radius\": 1 "
                               "}, \"pose\": { \"position\": [0, 0, 3] } },\n"
                               "    { \"name\": \"bead\",  \"shape\": { \"type\": \"sphere\", \"radius\": "
                               "0.5 }, \"pose\": { \"position\": [0, 1.5, 3] } },\n"
                               "    { \"name\": \"floor\", \"shape\": { \"type\": \"halfspace\", \"normal\": "
                               "[0, 0, 1], \"offset\": 0 } } ] }\n";

int main(int argc, char **argv)
{
    abut_scene *scene = NULL;
    abut_error error;
    const abut_status status =
        argc > 1 ? abut_scene_load(argv[1], NULL, &scene, &error)
                 : abut_scene_parse(built_in, strlen(built_in), "built-in", NULL, &scene, &error);
    if (status != ABUT_OK) {
        fprintf(stderr, "%s:%d: %s: %s\n", error.file, (int)error.line, error.path, error.text);
        return 2;
    }

    int touching = 0;
    double nearest = -1;
    for (size_t i = 0; i < abut_scene_pair_count(scene); ++i) {
        size_t ia, ib;
        abut_scene_get_pair(scene, i, &ia, &ib);
        const abut_scene_object a = abut_scene_get_object(scene, ia), b = abut_scene_get_object(scene, ib);
        abut_check_result r;
        const abut_status checked =
            abut_check_at(a.shape, a.motion, b.shape, b.motion, abut_scene_time(scene).lo, NULL, NULL, &r);
        if (checked != ABUT_OK) {
            printf("%s and %s: %s\n", a.name, b.name, abut_status_text(checked));
            continue;
        }
        printf("%s and %s: %s, distance [%g, %g], proof %s\n", a.name, b.name, abut_verdict_name(r.verdict),
               r.distance.lo, r.distance.hi, abut_proof_name(r.proof));
        touching += r.verdict == ABUT_TOUCHING;
        if (r.verdict == ABUT_SEPARATE && (nearest < 0 || r.distance.hi < nearest))
            nearest = r.distance.hi;
    }
    abut_scene_destroy(scene);
    /* In the built-in scene ball and bead touch, and the ball is 2 above the floor. */
    return argc > 1 || (touching == 1 && nearest == 2) ? 0 : 1;
}
