/* SPDX-License-Identifier: MIT */
/* Embree 3: rtcIntersect1 on the triangles of the height field (floats). */
#include "ray_case.h"

#include <embree3/rtcore.h>

#include <math.h>
#include <stdlib.h>

typedef struct ray_state {
    bench_answers answers;
    RTCDevice device;
    RTCScene scene;
} ray_state;

static void *prepare(void *data, int variant)
{
    (void)variant;
    const bench_ray_job *j = data;
    const unsigned side = BENCH_FIELD_SIDE;
    ray_state *s = bench_alloc(1, sizeof *s);
    bench_answers_init(&s->answers, j, BENCH_RAYS);
    s->device = rtcNewDevice("threads=1");
    s->scene = rtcNewScene(s->device);
    rtcSetSceneFlags(s->scene, RTC_SCENE_FLAG_ROBUST);
    RTCGeometry g = rtcNewGeometry(s->device, RTC_GEOMETRY_TYPE_TRIANGLE);
    float *v = rtcSetNewGeometryBuffer(g, RTC_BUFFER_TYPE_VERTEX, 0, RTC_FORMAT_FLOAT3, 3 * sizeof *v,
                                       (size_t)side * side);
    const size_t cells = (size_t)(side - 1) * (side - 1);
    unsigned *t =
        rtcSetNewGeometryBuffer(g, RTC_BUFFER_TYPE_INDEX, 0, RTC_FORMAT_UINT3, 3 * sizeof *t, 2 * cells);
    for (unsigned y = 0; y < side; ++y)
        for (unsigned x = 0; x < side; ++x) {
            *v++ = (float)(x - 0.5 * (side - 1));
            *v++ = (float)(y - 0.5 * (side - 1));
            *v++ = (float)j->heights[y * side + x];
            if (x + 1 == side || y + 1 == side)
                continue;
            const unsigned a = y * side + x,
                           corners[6] = { a, a + 1, a + side + 1, a, a + side + 1, a + side };
            for (int k = 0; k < 6; ++k)
                *t++ = corners[k];
        }
    rtcCommitGeometry(g);
    rtcAttachGeometry(s->scene, g);
    rtcReleaseGeometry(g);
    rtcCommitScene(s->scene);
    return s;
}

static double run(void *state, int variant)
{
    (void)variant;
    ray_state *s = state;
    const bench_ray_job *j = s->answers.job;
    for (int i = 0; i < BENCH_RAYS; ++i) {
        const double *o = j->origin[i], *d = j->direction[i];
        struct RTCIntersectContext context;
        rtcInitIntersectContext(&context);
        struct RTCRayHit r = { .ray = { .org_x = (float)o[0],
                                        .org_y = (float)o[1],
                                        .org_z = (float)o[2],
                                        .dir_x = (float)d[0],
                                        .dir_y = (float)d[1],
                                        .dir_z = (float)d[2],
                                        .tfar = INFINITY,
                                        .mask = 0xFFFFFFFFU },
                               .hit = { .geomID = RTC_INVALID_GEOMETRY_ID } };
        rtcIntersect1(s->scene, &context, &r);
        s->answers.value[i] = r.hit.geomID == RTC_INVALID_GEOMETRY_ID ? INFINITY : (double)r.ray.tfar;
    }
    return s->answers.value[0];
}

static void finish(void *state, int variant)
{
    (void)variant;
    ray_state *s = state;
    rtcReleaseScene(s->scene);
    rtcReleaseDevice(s->device);
    bench_answers_clear(&s->answers);
    free(s);
}

int bench_embree_rays(const bench_body *body, bench_contender *out, int room)
{
    if (room < 1 || body)
        return 0;
    out[0] = (bench_contender){ "Embree rtcIntersect1", 0, prepare, run, bench_ray_wrong, NULL, finish };
    return 1;
}
