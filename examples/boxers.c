/* SPDX-License-Identifier: MIT */
/* Two boxers of 24 ellipsoids each, a thousand frames: which limbs meet within a frame, and when?
 * 576 pairs a frame, nearly all of which two filters dismiss.
 *
 *     example_boxers                  runs all frames and says what the filters did
 *     example_boxers FRAME            lists the contacts of one frame
 *     example_boxers --scene FRAME    writes that frame as a scene for the abut command */
#include "boxers.h"

#include <abut/abut.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void print_pose(const char *name, abut_pose p)
{
    printf("\"%s\": {\"position\": [%.17g, %.17g, %.17g], \"rotation\": [%.17g, %.17g, %.17g, %.17g]}", name,
           p.position.x, p.position.y, p.position.z, p.rotation.w, p.rotation.x, p.rotation.y, p.rotation.z);
}

static void print_scene(int frame)
{
    static const char *const who[2] = { "red", "blue" };
    abut_moving_ellipsoid parts[BOXERS_PARTS];
    printf("{\n  \"abut\": 1,\n  \"objects\": [\n");
    for (int k = 0; k < 2; ++k) {
        boxers_move(k, frame, parts);
        for (int i = 0; i < BOXERS_PARTS; ++i) {
            const abut_vec3 r = parts[i].radii;
            printf(
                "    { \"name\": \"%s %s\", \"shape\": {\"type\": \"ellipsoid\", \"radii\": [%.17g, %.17g, "
                "%.17g]},\n      \"motion\": {\"type\": \"nlerp\", ",
                who[k], boxers_parts[i].name, r.x, r.y, r.z);
            print_pose("from", parts[i].from);
            printf(",\n                 ");
            print_pose("to", parts[i].to);
            printf("} }%s\n", k == 1 && i == BOXERS_PARTS - 1 ? "" : ",");
        }
    }
    printf("  ],\n  \"pairs\": [\n");
    for (int i = 0; i < BOXERS_PARTS; ++i) {
        printf("    ");
        for (int j = 0; j < BOXERS_PARTS; ++j)
            printf("[\"red %s\", \"blue %s\"]%s", boxers_parts[i].name, boxers_parts[j].name,
                   j < BOXERS_PARTS - 1   ? ", "
                   : i < BOXERS_PARTS - 1 ? ",\n"
                                          : "\n");
    }
    printf("  ]\n}\n");
}

static bool run_frame(int frame, abut_workspace *ws, bool list, abut_step_counters *counters)
{
    abut_moving_ellipsoid red[BOXERS_PARTS], blue[BOXERS_PARTS];
    abut_step_contact contacts[BOXERS_PARTS * BOXERS_PARTS];
    size_t count;
    boxers_move(0, frame, red);
    boxers_move(1, frame, blue);
    const abut_status status = abut_ellipsoid_step(red, BOXERS_PARTS, blue, BOXERS_PARTS, ws, contacts,
                                                   sizeof contacts / sizeof *contacts, &count, counters);
    if (status != ABUT_OK) {
        fprintf(stderr, "frame %d: %s\n", frame, abut_status_text(status));
        return false;
    }
    bool decided = true;
    for (size_t i = 0; i < count; ++i) {
        const abut_step_contact *c = contacts + i;
        decided = decided && c->verdict != ABUT_FIRST_UNDECIDED;
        if (list)
            printf("red %s, blue %s: %s at [%.15g, %.15g], at (%.4f, %.4f, %.4f)\n", boxers_parts[c->a].name,
                   boxers_parts[c->b].name, abut_first_verdict_name(c->verdict), c->time.lo, c->time.hi,
                   c->point.x, c->point.y, c->point.z);
    }
    return decided;
}

int main(int argc, char **argv)
{
    const bool scene = argc == 3 && strcmp(argv[1], "--scene") == 0;
    if (argc > 1) {
        const int frame = atoi(argv[argc - 1]);
        abut_step_counters counters;
        if (scene)
            print_scene(frame);
        return scene || run_frame(frame, NULL, true, &counters) ? 0 : 1;
    }

    abut_workspace *ws;
    if (abut_workspace_create(NULL, &ws) != ABUT_OK)
        return 1;
    abut_step_counters all = { 0 };
    bool right = true;
    for (int frame = 0; frame < BOXERS_FRAMES; ++frame) {
        abut_step_counters c = { 0 };
        right = run_frame(frame, ws, false, &c) && right;
        all.pairs += c.pairs;
        all.sphere_culled += c.sphere_culled;
        all.plane_culled += c.plane_culled;
        all.exact += c.exact;
        all.contacts += c.contacts;
    }
    abut_workspace_destroy(ws);
    const double pairs = (double)all.pairs, near = pairs - (double)all.sphere_culled;
    printf("%d frames, %.0f pairs\n", BOXERS_FRAMES, pairs);
    printf("bounding balls stay apart: %.1f %%\n", 100 * (double)all.sphere_culled / pairs);
    printf("a plane parts them: %.1f %% of the others\n", 100 * (double)all.plane_culled / near);
    printf("left for the exact test: %.2f %%, of which %.1f %% meet\n", 100 * (double)all.exact / pairs,
           100 * (double)all.contacts / (double)all.exact);
    return right && all.contacts > 0 && all.sphere_culled + all.plane_culled + all.exact == all.pairs ? 0 : 1;
}
