/* SPDX-License-Identifier: MIT */
/* ODE 0.16: dCollide on boxes, capsules, spheres, cylinders and convexes (which go to libccd).
 * It has no ellipsoids, no cones and no distance. CONTACTS_UNIMPORTANT asks for any one contact. */
#include "ode_hull.h"
#include "peers.h"

#include <stdlib.h>

enum { ALL_CONTACTS, ONE_CONTACT, ANY_CONTACT };

typedef struct ode_state {
    bench_answers answers;
    size_t geom_count;
    dGeomID *geoms;
    ode_hull *hulls; /* one for each of the set's hulls */
} ode_state;

static dGeomID make_geom(const bench_rest *job, const ode_state *s, const bench_body *body,
                         const bench_place *place)
{
    dGeomID geom = NULL;
    const double *e = body->size;
    switch (body->type) {
    case BENCH_SPHERE: geom = dCreateSphere(NULL, e[0]); break;
    case BENCH_BOX: geom = dCreateBox(NULL, 2 * e[0], 2 * e[1], 2 * e[2]); break;
    case BENCH_CAPSULE: geom = dCreateCapsule(NULL, e[0], 2 * e[1]); break;
    case BENCH_CYLINDER: geom = dCreateCylinder(NULL, e[0], 2 * e[1]); break;
    case BENCH_ELLIPSOID:
    case BENCH_CONE: return NULL;
    case BENCH_HULL: {
        const ode_hull *d = &s->hulls[body->hull - job->set->hulls];
        geom = dCreateConvex(NULL, d->planes, (unsigned)body->hull->triangle_count, d->points,
                             (unsigned)body->hull->point_count, d->polygons);
        break;
    }
    }
    const dQuaternion q = { place->quaternion[0], place->quaternion[1], place->quaternion[2],
                            place->quaternion[3] };
    dGeomSetPosition(geom, place->position[0], place->position[1], place->position[2]);
    dGeomSetQuaternion(geom, q);
    dGeomGetRotation(geom); /* computed now, not when it is first used */
    return geom;
}

static void *prepare(void *data, int variant)
{
    (void)variant;
    static bool started;
    if (!started)
        dInitODE2(0);
    started = true;
    const bench_rest *job = data;
    ode_state *s = bench_alloc(1, sizeof *s);
    bench_answers_init(&s->answers, job, job->count);
    if (job->set->hulls) {
        s->hulls = bench_alloc(BENCH_HULLS, sizeof *s->hulls);
        for (size_t i = 0; i < BENCH_HULLS; ++i)
            ode_hull_make(&job->set->hulls[i], &s->hulls[i]);
    }
    s->geom_count = 2 * job->count;
    s->geoms = bench_alloc(s->geom_count, sizeof *s->geoms);
    for (size_t i = 0; i < job->count; ++i) {
        const bench_pair *p = &job->set->pairs[job->index[i]];
        s->geoms[2 * i] = make_geom(job, s, &p->a, &p->place_a);
        s->geoms[2 * i + 1] = make_geom(job, s, &p->b, &p->place_b);
    }
    return s;
}

static double run(void *state, int variant)
{
    ode_state *s = state;
    const bench_rest *job = s->answers.job;
    const int flags = variant == ALL_CONTACTS ? 8 : variant == ONE_CONTACT ? 1 : (1 | CONTACTS_UNIMPORTANT);
    for (size_t i = 0; i < job->count; ++i) {
        dContactGeom contacts[8];
        const int n = dCollide(s->geoms[2 * i], s->geoms[2 * i + 1], flags, contacts, sizeof *contacts);
        double found = n > 0;
        if (job->query >= BENCH_DEPTH) {
            found = n > 0 ? contacts[0].depth : NAN;
            for (int k = 1; k < n; ++k)
                found = fmax(found, contacts[k].depth);
        }
        s->answers.value[i] = found;
    }
    return bench_answers_sum(&s->answers, job->count);
}

static void finish(void *state, int variant)
{
    (void)variant;
    ode_state *s = state;
    bench_answers_clear(&s->answers);
    for (size_t i = 0; i < s->geom_count; ++i)
        dGeomDestroy(s->geoms[i]);
    for (size_t i = 0; i < BENCH_HULLS && s->hulls; ++i) {
        ode_hull_free(&s->hulls[i]);
    }
    free(s->hulls);
    free(s->geoms);
    free(s);
}

static bench_contender contender(const char *name, int variant)
{
    return (bench_contender){ name, variant, prepare, run, bench_rest_wrong, NULL, finish };
}

int bench_ode_rest(bench_query query, bench_class c, bench_contender *out, int room)
{
    if (query == BENCH_DISTANCE || c == BENCH_CLASS_ELLIPSOID || c == BENCH_CLASS_ELLIPSOID_ASP10 ||
        c == BENCH_CLASS_CONE || room < 2)
        return 0;
    if (query == BENCH_CONTACTS) {
        out[0] = contender("ODE dCollide 8 contacts", ALL_CONTACTS);
        return 1;
    }
    out[0] = contender("ODE dCollide", ONE_CONTACT);
    if (query == BENCH_DEPTH)
        return 1;
    out[1] = contender("ODE dCollide UNIMPORTANT", ANY_CONTACT);
    return 2;
}
