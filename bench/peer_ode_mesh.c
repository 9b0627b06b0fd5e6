/* SPDX-License-Identifier: MIT */
/* ODE's trimesh against trimesh (OPCODE): whether there is a contact, and the build. It gives
 * contact points, not pairs of triangles, and no distance. */
#include "peers.h"

#include <ode/ode.h>

#include <stdlib.h>

typedef struct soup {
    float *vertices;
    dTriIndex *indices;
    size_t vertex_count, index_count;
    dTriMeshDataID data;
    dGeomID geom;
} soup;

typedef struct ode_state {
    bench_answers answers;
    soup side[2];
} ode_state;

static void build(soup *s)
{
    s->data = dGeomTriMeshDataCreate();
    dGeomTriMeshDataBuildSingle(s->data, s->vertices, 3 * sizeof(float), (int)s->vertex_count, s->indices,
                                (int)s->index_count, 3 * sizeof(dTriIndex));
}

static void open_soup(soup *s, const bench_mesh *mesh)
{
    s->vertex_count = mesh->vertex_count;
    s->index_count = 3 * mesh->triangle_count;
    s->vertices = bench_alloc(3 * mesh->vertex_count, sizeof *s->vertices);
    s->indices = bench_alloc(s->index_count, sizeof *s->indices);
    for (size_t i = 0; i < 3 * mesh->vertex_count; ++i)
        s->vertices[i] = (float)mesh->vertices[i / 3][i % 3];
    for (size_t i = 0; i < s->index_count; ++i)
        s->indices[i] = (dTriIndex)mesh->triangles[i / 3][i % 3];
    build(s);
    s->geom = dCreateTriMesh(0, s->data, 0, 0, 0);
}

static void place(dGeomID geom, const bench_place *at)
{
    dMatrix3 r = { 0 };
    for (int i = 0; i < 3; ++i)
        for (int k = 0; k < 3; ++k)
            r[4 * i + k] = (dReal)at->rotation[i][k];
    dGeomSetRotation(geom, r);
    dGeomSetPosition(geom, (dReal)at->position[0], (dReal)at->position[1], (dReal)at->position[2]);
}

static void *prepare(void *data, int variant)
{
    (void)variant;
    const bench_mesh_case *job = data;
    ode_state *s = bench_alloc(1, sizeof *s);
    bench_answers_init(&s->answers, job, job->count);
    dInitODE2(0);
    dAllocateODEDataForThread(dAllocateMaskAll);
    for (int k = 0; k < 2; ++k)
        open_soup(&s->side[k], job->scene->mesh[k]);
    return s;
}

static double run(void *state, int variant)
{
    (void)variant;
    ode_state *s = state;
    const bench_mesh_case *job = s->answers.job;
    for (size_t i = 0; i < job->count; ++i) {
        if (job->query == BENCH_MESH_BUILD) {
            dGeomTriMeshDataDestroy(s->side[0].data);
            build(&s->side[0]);
            dGeomTriMeshSetData(s->side[0].geom, s->side[0].data);
            continue;
        }
        dContactGeom contact[1];
        for (int k = 0; k < 2; ++k)
            place(s->side[k].geom, &job->scene->poses[job->index[i]][k]);
        s->answers.value[i] = dCollide(s->side[0].geom, s->side[1].geom, 1, contact, sizeof *contact);
    }
    return bench_answers_sum(&s->answers, job->count);
}

static void finish(void *state, int variant)
{
    (void)variant;
    ode_state *s = state;
    for (int k = 0; k < 2; ++k) {
        dGeomDestroy(s->side[k].geom);
        dGeomTriMeshDataDestroy(s->side[k].data);
        free(s->side[k].vertices);
        free(s->side[k].indices);
    }
    bench_answers_clear(&s->answers);
    free(s);
}

int bench_ode_mesh(bench_mesh_query query, bench_contender *out, int room)
{
    if (room < 1 || query == BENCH_MESH_DISTANCE || query == BENCH_MESH_PAIRS)
        return 0;
    out[0] = (bench_contender){
        "ODE trimesh", 0, prepare, run, query == BENCH_MESH_BUILD ? NULL : bench_mesh_wrong, NULL, finish
    };
    return 1;
}
