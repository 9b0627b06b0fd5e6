/* SPDX-License-Identifier: MIT */
/* ODE 0.16: dGeomRaySet and dCollide. Its height fields have y up: z there is -y here, rows run
 * backwards, and cells are then cut along the same diagonal. */
#include "ode_hull.h"
#include "ray_case.h"

#include <stdlib.h>
#include <string.h>

typedef struct ray_state {
    bench_answers answers;
    dGeomID geom, ray;
    dHeightfieldDataID field;
    ode_hull hull;
    double *heights;
} ray_state;

static void make_convex(ray_state *s, const bench_hull *hull)
{
    ode_hull_make(hull, &s->hull);
    s->geom = dCreateConvex(NULL, s->hull.planes, (unsigned)hull->triangle_count, s->hull.points,
                            (unsigned)hull->point_count, s->hull.polygons);
}

static void make_field(ray_state *s, const double *heights)
{
    const size_t side = BENCH_FIELD_SIDE;
    s->heights = bench_alloc(side * side, sizeof *s->heights);
    for (size_t j = 0; j < side; ++j)
        memcpy(s->heights + j * side, heights + (side - 1 - j) * side, side * sizeof *heights);
    s->field = dGeomHeightfieldDataCreate();
    dGeomHeightfieldDataBuildDouble(s->field, s->heights, 0, (double)side - 1, (double)side - 1, (int)side,
                                    (int)side, 1, 0, 1, 0);
    dGeomHeightfieldDataSetBounds(s->field, 0, 10);
    s->geom = dCreateHeightfield(NULL, s->field, 1);
}

static void *prepare(void *data, int variant)
{
    (void)variant;
    static bool started;
    if (!started)
        dInitODE2(0);
    started = true;
    const bench_ray_job *j = data;
    if (j->reach > 100)
        return NULL; /* it takes all triangles in the bounds of the ray: minutes */
    ray_state *s = bench_alloc(1, sizeof *s);
    bench_answers_init(&s->answers, j, BENCH_RAYS);
    s->ray = dCreateRay(NULL, j->reach);
    dGeomRaySetClosestHit(s->ray, 1);
    if (j->field) {
        make_field(s, j->heights);
        return s;
    }
    const double *e = j->body.size, *p = j->place.position;
    switch (j->body.type) {
    case BENCH_SPHERE: s->geom = dCreateSphere(NULL, e[0]); break;
    case BENCH_BOX: s->geom = dCreateBox(NULL, 2 * e[0], 2 * e[1], 2 * e[2]); break;
    case BENCH_CAPSULE: s->geom = dCreateCapsule(NULL, e[0], 2 * e[1]); break;
    case BENCH_CYLINDER: s->geom = dCreateCylinder(NULL, e[0], 2 * e[1]); break;
    default: make_convex(s, j->body.hull); break;
    }
    const double *q = j->place.quaternion;
    const dQuaternion turn = { q[0], q[1], q[2], q[3] };
    dGeomSetPosition(s->geom, p[0], p[1], p[2]);
    dGeomSetQuaternion(s->geom, turn);
    dGeomGetRotation(s->geom);
    return s;
}

static double run(void *state, int variant)
{
    (void)variant;
    ray_state *s = state;
    const bench_ray_job *j = s->answers.job;
    const int most = j->field ? 8 : 1;
    for (int i = 0; i < BENCH_RAYS; ++i) {
        const double *o = j->origin[i], *d = j->direction[i];
        if (j->field)
            dGeomRaySet(s->ray, o[0], o[2], -o[1], d[0], d[2], -d[1]);
        else
            dGeomRaySet(s->ray, o[0], o[1], o[2], d[0], d[1], d[2]);
        dContactGeom contacts[8];
        const int n = dCollide(s->ray, s->geom, most, contacts, sizeof *contacts);
        double found = INFINITY;
        for (int k = 0; k < n; ++k)
            found = contacts[k].depth < found ? contacts[k].depth : found;
        s->answers.value[i] = found;
    }
    return s->answers.value[0];
}

static void finish(void *state, int variant)
{
    (void)variant;
    ray_state *s = state;
    dGeomDestroy(s->ray);
    dGeomDestroy(s->geom);
    if (s->field)
        dGeomHeightfieldDataDestroy(s->field);
    bench_answers_clear(&s->answers);
    ode_hull_free(&s->hull);
    free(s->heights);
    free(s);
}

int bench_ode_rays(const bench_body *body, bench_contender *out, int room)
{
    if (room < 1 || (body && (body->type == BENCH_CONE || body->type == BENCH_ELLIPSOID)))
        return 0;
    out[0] = (bench_contender){ "ODE dCollide ray", 0, prepare, run, bench_ray_wrong, NULL, finish };
    return 1;
}
