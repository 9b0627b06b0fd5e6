/* SPDX-License-Identifier: MIT */
/* Embree 3: rtcCollide of a scene of boxes with itself, rebuilt every step at low quality (W7).
 * It reports pairs of user-geometry boxes only, so on meshes it would be a broad phase without a
 * triangle test: no row in W5. */
#include "peers.h"

#include <embree3/rtcore.h>

#include <stdlib.h>

typedef struct embree_state {
    bench_answers answers;
    RTCDevice device;
    RTCScene scene;
    RTCGeometry geometry;
    size_t step;
    uint64_t pairs;
} embree_state;

static void bounds(const struct RTCBoundsFunctionArguments *arguments)
{
    const embree_state *s = arguments->geometryUserPtr;
    const bench_boxes *job = s->answers.job;
    const size_t i = s->step * job->count + arguments->primID;
    struct RTCBounds *b = arguments->bounds_o;
    b->lower_x = (float)job->lo[i][0];
    b->lower_y = (float)job->lo[i][1];
    b->lower_z = (float)job->lo[i][2];
    b->upper_x = (float)job->hi[i][0];
    b->upper_y = (float)job->hi[i][1];
    b->upper_z = (float)job->hi[i][2];
}

/* Pairs come in both orders and with themselves, and boxes in leaves are only candidates. */
static void collide(void *user, struct RTCCollision *collisions, unsigned count)
{
    embree_state *s = user;
    const bench_boxes *job = s->answers.job;
    for (unsigned c = 0; c < count; ++c) {
        const unsigned a = collisions[c].primID0, b = collisions[c].primID1;
        if (a >= b)
            continue;
        const double *la = job->lo[s->step * job->count + a], *ha = job->hi[s->step * job->count + a];
        const double *lb = job->lo[s->step * job->count + b], *hb = job->hi[s->step * job->count + b];
        s->pairs += la[0] <= hb[0] && lb[0] <= ha[0] && la[1] <= hb[1] && lb[1] <= ha[1] && la[2] <= hb[2] &&
                    lb[2] <= ha[2];
    }
}

static void *prepare(void *data, int variant)
{
    (void)variant;
    const bench_boxes *job = data;
    embree_state *s = bench_alloc(1, sizeof *s);
    bench_answers_init(&s->answers, job, 1);
    s->device = rtcNewDevice("threads=1");
    s->scene = rtcNewScene(s->device);
    rtcSetSceneBuildQuality(s->scene, RTC_BUILD_QUALITY_LOW);
    rtcSetSceneFlags(s->scene, RTC_SCENE_FLAG_DYNAMIC);
    s->geometry = rtcNewGeometry(s->device, RTC_GEOMETRY_TYPE_USER);
    rtcSetGeometryUserPrimitiveCount(s->geometry, (unsigned)job->count);
    rtcSetGeometryUserData(s->geometry, s);
    rtcSetGeometryBoundsFunction(s->geometry, bounds, NULL);
    rtcSetGeometryBuildQuality(s->geometry, RTC_BUILD_QUALITY_LOW);
    rtcCommitGeometry(s->geometry);
    rtcAttachGeometry(s->scene, s->geometry);
    rtcCommitScene(s->scene);
    return s;
}

static double run(void *state, int variant)
{
    (void)variant;
    embree_state *s = state;
    s->pairs = 0;
    for (s->step = 0; s->step < BENCH_STEPS; ++s->step) {
        rtcCommitGeometry(s->geometry);
        rtcCommitScene(s->scene);
        rtcCollide(s->scene, s->scene, collide, s);
    }
    s->answers.value[0] = (double)s->pairs;
    return (double)s->pairs;
}

static void finish(void *state, int variant)
{
    (void)variant;
    embree_state *s = state;
    rtcReleaseGeometry(s->geometry);
    rtcReleaseScene(s->scene);
    rtcReleaseDevice(s->device);
    bench_answers_clear(&s->answers);
    free(s);
}

int bench_embree_boxes(bench_contender *out, int room)
{
    if (room < 1)
        return 0;
    out[0] = (bench_contender){
        "Embree rtcCollide rebuild LOW", 0, prepare, run, bench_boxes_wrong, NULL, finish
    };
    return 1;
}
