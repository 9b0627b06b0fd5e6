/* SPDX-License-Identifier: MIT */
/* W1 to W4: pairs of convex bodies at rest, W1c to W3c: the same from frame to frame, with what
 * each remembers, and W6: the same bodies sweeping past each other. Ellipsoids make up a family
 * of their own, sweeps are in `ccd`. */
#include "contender_abut.h"
#include "peers.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *keep(const char *text)
{
    char *copy = bench_alloc(strlen(text) + 1, 1);
    return strcpy(copy, text);
}

static bool is_ellipsoid(bench_class c)
{
    return c == BENCH_CLASS_ELLIPSOID || c == BENCH_CLASS_ELLIPSOID_ASP10;
}

/* ---- at rest ---- */

static void *setup_rest(const bench_case *c, bool quick, uint64_t *questions)
{
    const bench_class which = (bench_class)(c->number % BENCH_CLASS_COUNT);
    bench_rest *job = bench_alloc(1, sizeof *job);
    job->query = (bench_query)(c->number / BENCH_CLASS_COUNT % BENCH_QUERIES);
    const bool deep = job->query >= BENCH_DEPTH;
    if (c->number >= BENCH_QUERIES * BENCH_CLASS_COUNT)
        job->set = bench_pairs_coherent(which);
    else
        job->set = deep ? bench_pairs_depth(which) : bench_pairs_get(which);
    job->index = bench_alloc(job->set->count, sizeof *job->index);
    const size_t most = quick ? 256 : job->set->count;
    for (size_t i = 0; i < job->set->count && job->count < most; ++i)
        if (job->query == BENCH_BOOLEAN || job->set->overlap[i] == deep)
            job->index[job->count++] = i;
    *questions = job->count;
    return job;
}

static void teardown_rest(void *data)
{
    bench_rest *job = data;
    free(job->index);
    free(job);
}

typedef enum sequence { UNRELATED, COHERENT } sequence;

static bench_case make_rest(bench_query query, bench_class which, sequence poses, const char *what)
{
    static const char *const names[] = { "boolean", "distance", "depth", "contacts" };
    const int workload = query == BENCH_CONTACTS ? 3 : 1 + (int)query;
    char name[64];
    snprintf(name, sizeof name, "W%d%s %s%s %s", which == BENCH_CLASS_ELLIPSOID_ASP10 ? 4 : workload,
             poses == COHERENT ? "c" : "", names[query], what, bench_class_name(which));
    return (bench_case){ .family = is_ellipsoid(which) ? "ellipsoid" : "convex",
                         .name = keep(name),
                         .number = ((int)query + (int)poses * BENCH_QUERIES) * BENCH_CLASS_COUNT + (int)which,
                         .setup = setup_rest,
                         .teardown = teardown_rest,
                         .abut = bench_abut_rest(query, BENCH_ABUT_WARM) };
}

static void add_rest(bench_query query, bench_class which, sequence poses)
{
    bench_case c = make_rest(query, which, poses, "");
    int used = 0;
#ifdef BENCH_HAVE_CCD
    used += bench_ccd_rest(query, which, c.peers + used, BENCH_PEERS - used);
#endif
#ifdef BENCH_HAVE_FCL
    used += bench_fcl_rest(query, which, c.peers + used, BENCH_PEERS - used);
#endif
#ifdef BENCH_HAVE_BULLET
    used += bench_bullet_rest(query, which, c.peers + used, BENCH_PEERS - used);
    if (bench_bullet_double())
        used += bench_bullet_double()->rest(query, which, c.peers + used, BENCH_PEERS - used);
#endif
#ifdef BENCH_HAVE_ODE
    used += bench_ode_rest(query, which, c.peers + used, BENCH_PEERS - used);
#endif
    (void)used;
    bench_add(&c);
}

/* What a cache saves on the same frames: the only peer is abut without one. */
static void add_warm_start(bench_query query, bench_class which)
{
    bench_case c = make_rest(query, which, COHERENT, ", warm start:");
    c.peers[0] = bench_abut_rest(query, BENCH_ABUT_COLD);
    bench_add(&c);
}

/* ---- sweeping ---- */

static void *setup_moving(const bench_case *c, bool quick, uint64_t *questions)
{
    bench_moving *job = bench_alloc(1, sizeof *job);
    job->turning = c->number >= BENCH_CLASS_COUNT;
    job->set = bench_sweeps_get((bench_class)(c->number % BENCH_CLASS_COUNT), job->turning);
    job->count = quick ? 64 : job->set->count;
    *questions = job->count;
    return job;
}

static void add_moving(bench_class which, bool turning)
{
    char name[64];
    snprintf(name, sizeof name, "W6 %s %s", bench_class_name(which), turning ? "lin+ang" : "linear");
    bench_case c = { .family = is_ellipsoid(which) ? "ellipsoid" : "ccd",
                     .name = keep(name),
                     .number = (turning ? BENCH_CLASS_COUNT : 0) + (int)which,
                     .setup = setup_moving,
                     .teardown = free,
                     .abut = bench_abut_moving() };
    int used = 0;
#ifdef BENCH_HAVE_FCL
    used += bench_fcl_moving(which, turning, c.peers + used, BENCH_PEERS - used);
#endif
#ifdef BENCH_HAVE_BULLET
    used += bench_bullet_moving(which, turning, c.peers + used, BENCH_PEERS - used);
    if (bench_bullet_double())
        used += bench_bullet_double()->moving(which, turning, c.peers + used, BENCH_PEERS - used);
#endif
    (void)used;
    bench_add(&c);
}

void bench_register_convex(void);
void bench_register_convex(void)
{
    static const bench_class order[] = {
        BENCH_CLASS_SPHERE,   BENCH_CLASS_SPHERE_BOX, BENCH_CLASS_SPHERE_CAPSULE,
        BENCH_CLASS_BOX,      BENCH_CLASS_CAPSULE,    BENCH_CLASS_HULL32,
        BENCH_CLASS_HULL256,  BENCH_CLASS_ELLIPSOID,  BENCH_CLASS_ELLIPSOID_ASP10,
        BENCH_CLASS_CYLINDER, BENCH_CLASS_CONE
    };
    static const bench_class coherent[] = { BENCH_CLASS_BOX,       BENCH_CLASS_HULL32,   BENCH_CLASS_HULL256,
                                            BENCH_CLASS_ELLIPSOID, BENCH_CLASS_CYLINDER, BENCH_CLASS_CONE };
    static const bench_class sweeping[] = { BENCH_CLASS_SPHERE,   BENCH_CLASS_SPHERE_BOX,
                                            BENCH_CLASS_BOX,      BENCH_CLASS_CAPSULE,
                                            BENCH_CLASS_HULL32,   BENCH_CLASS_ELLIPSOID,
                                            BENCH_CLASS_CYLINDER, BENCH_CLASS_CONE };
    for (int query = 0; query < BENCH_QUERIES; ++query)
        for (size_t i = 0; i < sizeof order / sizeof order[0]; ++i)
            add_rest((bench_query)query, order[i], UNRELATED);
    for (int query = BENCH_BOOLEAN; query <= BENCH_DEPTH; ++query)
        for (size_t i = 0; i < sizeof coherent / sizeof coherent[0]; ++i)
            add_rest((bench_query)query, coherent[i], COHERENT);
    for (int query = BENCH_BOOLEAN; query <= BENCH_DEPTH; ++query)
        for (size_t i = 0; i < sizeof coherent / sizeof coherent[0]; ++i)
            add_warm_start((bench_query)query, coherent[i]);
    for (int turning = 0; turning < 2; ++turning)
        for (size_t i = 0; i < sizeof sweeping / sizeof sweeping[0]; ++i)
            add_moving(sweeping[i], turning != 0);
}
