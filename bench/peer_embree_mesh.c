/* SPDX-License-Identifier: MIT */
/* Embree 3: rtcCollide of two scenes of triangles as user geometry (the only kind it collides)
 * in single precision, with a plain triangle test in doubles behind it. It has no transforms:
 * for each pose the second mesh is moved and its tree built again, at low quality; that is part
 * of the answer. */
#include "peers.h"

#include <embree3/rtcore.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct soup {
    const bench_mesh *mesh;
    double (*vertices)[3];
    RTCScene scene;
    RTCGeometry geometry;
} soup;

typedef struct embree_state {
    bench_answers answers;
    RTCDevice device;
    soup side[2];
    double found;
    bool stop;
} embree_state;

static void bounds(const struct RTCBoundsFunctionArguments *arguments)
{
    const soup *s = arguments->geometryUserPtr;
    const uint32_t *t = s->mesh->triangles[arguments->primID];
    float lo[3], hi[3];
    for (int k = 0; k < 3; ++k) {
        const double a = s->vertices[t[0]][k], b = s->vertices[t[1]][k], c = s->vertices[t[2]][k];
        lo[k] = nextafterf((float)fmin(a, fmin(b, c)), -INFINITY);
        hi[k] = nextafterf((float)fmax(a, fmax(b, c)), INFINITY);
    }
    struct RTCBounds *box = arguments->bounds_o;
    box->lower_x = lo[0];
    box->lower_y = lo[1];
    box->lower_z = lo[2];
    box->upper_x = hi[0];
    box->upper_y = hi[1];
    box->upper_z = hi[2];
}

static double volume(const double a[3], const double b[3], const double c[3], const double d[3])
{
    const double u[3] = { b[0] - a[0], b[1] - a[1], b[2] - a[2] },
                 v[3] = { c[0] - a[0], c[1] - a[1], c[2] - a[2] },
                 w[3] = { d[0] - a[0], d[1] - a[1], d[2] - a[2] };
    return w[0] * (u[1] * v[2] - u[2] * v[1]) + w[1] * (u[2] * v[0] - u[0] * v[2]) +
           w[2] * (u[0] * v[1] - u[1] * v[0]);
}

static bool edge_crosses(const double *p, const double *q, bool p_above, bool q_above,
                         const double *const t[3])
{
    if (p_above == q_above)
        return false;
    const bool first = volume(p, q, t[0], t[1]) > 0;
    return first == (volume(p, q, t[1], t[2]) > 0) && first == (volume(p, q, t[2], t[0]) > 0);
}

static bool half_meet(const double *const a[3], const double *const b[3], bool *rejected)
{
    bool above[3];
    for (int i = 0; i < 3; ++i)
        above[i] = volume(b[0], b[1], b[2], a[i]) > 0;
    *rejected = above[0] == above[1] && above[1] == above[2];
    return !*rejected && (edge_crosses(a[0], a[1], above[0], above[1], b) ||
                          edge_crosses(a[1], a[2], above[1], above[2], b) ||
                          edge_crosses(a[2], a[0], above[2], above[0], b));
}

static bool meet(const soup *sa, uint32_t ta, const soup *sb, uint32_t tb)
{
    const double *a[3], *b[3];
    for (int k = 0; k < 3; ++k) {
        a[k] = sa->vertices[sa->mesh->triangles[ta][k]];
        b[k] = sb->vertices[sb->mesh->triangles[tb][k]];
    }
    bool rejected, other;
    return half_meet(a, b, &rejected) || (!rejected && half_meet(b, a, &other));
}

/* It cannot be reported to stop; after the first hit the rest is ignored. */
static void collide(void *user, struct RTCCollision *collisions, unsigned count)
{
    embree_state *s = user;
    for (unsigned c = 0; c < count && !(s->stop && s->found > 0); ++c)
        s->found += meet(&s->side[0], collisions[c].primID0, &s->side[1], collisions[c].primID1);
}

static void open_soup(soup *s, const bench_mesh *mesh, RTCDevice device)
{
    s->mesh = mesh;
    s->vertices = bench_alloc(mesh->vertex_count, sizeof *s->vertices);
    memcpy(s->vertices, mesh->vertices, mesh->vertex_count * sizeof *s->vertices);
    s->scene = rtcNewScene(device);
    rtcSetSceneBuildQuality(s->scene, RTC_BUILD_QUALITY_LOW);
    rtcSetSceneFlags(s->scene, RTC_SCENE_FLAG_DYNAMIC);
    s->geometry = rtcNewGeometry(device, RTC_GEOMETRY_TYPE_USER);
    rtcSetGeometryUserPrimitiveCount(s->geometry, (unsigned)mesh->triangle_count);
    rtcSetGeometryUserData(s->geometry, s);
    rtcSetGeometryBoundsFunction(s->geometry, bounds, NULL);
    rtcSetGeometryBuildQuality(s->geometry, RTC_BUILD_QUALITY_LOW);
    rtcCommitGeometry(s->geometry);
    rtcAttachGeometry(s->scene, s->geometry);
    rtcCommitScene(s->scene);
}

static void rebuild(soup *s)
{
    rtcCommitGeometry(s->geometry);
    rtcCommitScene(s->scene);
}

static void move(soup *s, const bench_place poses[2])
{
    double turn[3][3] = { { 0 } }, shift[3] = { 0 };
    for (int i = 0; i < 3; ++i)
        for (int k = 0; k < 3; ++k) {
            for (int j = 0; j < 3; ++j)
                turn[i][k] += poses[0].rotation[j][i] * poses[1].rotation[j][k];
            shift[i] += poses[0].rotation[k][i] * (poses[1].position[k] - poses[0].position[k]);
        }
    for (size_t v = 0; v < s->mesh->vertex_count; ++v) {
        const double *p = s->mesh->vertices[v];
        for (int i = 0; i < 3; ++i)
            s->vertices[v][i] = turn[i][0] * p[0] + turn[i][1] * p[1] + turn[i][2] * p[2] + shift[i];
    }
    rebuild(s);
}

static void *prepare(void *data, int variant)
{
    (void)variant;
    const bench_mesh_case *job = data;
    embree_state *s = bench_alloc(1, sizeof *s);
    bench_answers_init(&s->answers, job, job->count);
    s->device = rtcNewDevice("threads=1");
    for (int k = 0; k < 2; ++k)
        open_soup(&s->side[k], job->scene->mesh[k], s->device);
    s->stop = job->query == BENCH_MESH_BOOLEAN;
    return s;
}

static double run(void *state, int variant)
{
    (void)variant;
    embree_state *s = state;
    const bench_mesh_case *job = s->answers.job;
    for (size_t i = 0; i < job->count; ++i) {
        s->found = 0;
        if (job->query == BENCH_MESH_BUILD) {
            rebuild(&s->side[0]);
        } else {
            move(&s->side[1], job->scene->poses[job->index[i]]);
            rtcCollide(s->side[0].scene, s->side[1].scene, collide, s);
        }
        s->answers.value[i] = s->found;
    }
    return bench_answers_sum(&s->answers, job->count);
}

static void finish(void *state, int variant)
{
    (void)variant;
    embree_state *s = state;
    for (int k = 0; k < 2; ++k) {
        rtcReleaseGeometry(s->side[k].geometry);
        rtcReleaseScene(s->side[k].scene);
        free(s->side[k].vertices);
    }
    rtcReleaseDevice(s->device);
    bench_answers_clear(&s->answers);
    free(s);
}

int bench_embree_mesh(bench_mesh_query query, bench_contender *out, int room)
{
    if (room < 1 || query == BENCH_MESH_DISTANCE)
        return 0;
    out[0] = (bench_contender){ query == BENCH_MESH_BUILD ? "Embree user geometry LOW"
                                                          : "Embree rtcCollide rebuild LOW",
                                0,
                                prepare,
                                run,
                                query == BENCH_MESH_BUILD ? NULL : bench_mesh_wrong,
                                NULL,
                                finish };
    return 1;
}
