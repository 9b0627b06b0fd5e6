/* SPDX-License-Identifier: MIT */
/* W5 and scenes of the course's size: do two meshes meet, how many pairs of triangles meet, how
 * far apart are they, and what does it cost to build the tree. And a sheet that deforms: refit,
 * then self-overlap. */
#include "contender_abut.h"
#include "referee.h"

#include <stdio.h>
#include <stdlib.h>

/* The referee is asked once for each scene. */
static const bench_mesh_case *judged(bench_scene_name name)
{
    static bench_mesh_case cases[BENCH_SCENE_COUNT];
    bench_mesh_case *job = &cases[name];
    if (job->scene)
        return job;
    job->scene = bench_scene_get(name);
    bench_tree *a = bench_tree_create(job->scene->mesh[0]);
    bench_tree *b = bench_tree_create(job->scene->mesh[1]);
    for (size_t i = 0; i < job->scene->pose_count; ++i) {
        const bench_place *poses = job->scene->poses[i];
        job->meeting[i] = (double)bench_referee_mesh_pairs(a, b, poses);
        job->distance[i] = job->meeting[i] > 0 ? 0 : bench_referee_mesh_distance(a, b, poses);
    }
    bench_tree_destroy(a);
    bench_tree_destroy(b);
    return job;
}

static void *setup(const bench_case *c, bool quick, uint64_t *questions)
{
    const bench_scene_name name = (bench_scene_name)(c->number / 4);
    if (quick && name != BENCH_SCENE_TORI_20K)
        return NULL;
    bench_mesh_case *job = bench_alloc(1, sizeof *job);
    const bench_mesh_query query = (bench_mesh_query)(c->number % 4);
    if (query == BENCH_MESH_BUILD) /* nothing to judge */
        *job = (bench_mesh_case){ .scene = bench_scene_get(name) };
    else
        *job = *judged(name);
    job->query = query;
    if (query == BENCH_MESH_BUILD)
        job->count = 1;
    else
        for (size_t i = 0; i < (quick ? 10 : job->scene->pose_count); ++i)
            if (job->query != BENCH_MESH_DISTANCE || job->meeting[i] == 0)
                job->index[job->count++] = i;
    *questions = job->count;
    return job;
}

static void *setup_sheet(const bench_case *c, bool quick, uint64_t *questions)
{
    (void)c;
    const size_t n = quick ? 40 : 224;
    bench_sheet_case *job = bench_alloc(1, sizeof *job);
    *job = (bench_sheet_case){ .count = quick ? 4 : 8 };
    bench_sheet(&job->mesh, n);
    for (size_t f = 0; f < job->count; ++f) {
        job->vertices[f] = bench_alloc(job->mesh.vertex_count, sizeof *job->vertices[f]);
        bench_wave_sheet(&job->mesh, n, f * (BENCH_SHEET_FRAMES / job->count), job->vertices[f]);
        bench_mesh moved = job->mesh;
        moved.vertices = job->vertices[f];
        bench_tree *tree = bench_tree_create(&moved);
        job->meeting[f] = (double)bench_referee_mesh_self(tree);
        bench_tree_destroy(tree);
    }
    *questions = job->count;
    return job;
}

static void teardown_sheet(void *data)
{
    bench_sheet_case *job = data;
    for (size_t f = 0; f < job->count; ++f)
        free(job->vertices[f]);
    bench_mesh_clear(&job->mesh);
    free(job);
}

static void add(const char *name, bench_scene_name scene, bench_mesh_query query)
{
    bench_case c = { .family = "mesh",
                     .name = name,
                     .number = 4 * (int)scene + (int)query,
                     .setup = setup,
                     .teardown = free,
                     .abut = bench_abut_mesh(query) };
    int used = 0;
#ifdef BENCH_HAVE_FCL
    used += bench_fcl_mesh(query, c.peers + used, BENCH_PEERS - used);
#endif
#ifdef BENCH_HAVE_BULLET
    used += bench_bullet_mesh(query, c.peers + used, BENCH_PEERS - used);
#endif
#ifdef BENCH_HAVE_CGAL
    if (scene == BENCH_SCENE_TORI_20K || scene == BENCH_SCENE_TORI_200K || query == BENCH_MESH_BUILD)
        used += bench_cgal_mesh(query, c.peers + used, BENCH_PEERS - used);
#endif
#ifdef BENCH_HAVE_ODE
    used += bench_ode_mesh(query, c.peers + used, BENCH_PEERS - used);
#endif
#ifdef BENCH_HAVE_EMBREE
    used += bench_embree_mesh(query, c.peers + used, BENCH_PEERS - used);
#endif
    (void)used;
    bench_add(&c);
}

void bench_register_mesh(void);
void bench_register_mesh(void)
{
    static const struct {
        bench_scene_name scene;
        const char *name[4]; /* boolean, pairs, distance, build */
    } rows[] = {
        { BENCH_SCENE_TORI_20K,
          { "W5 boolean torus2x20k", "W5 all pairs torus2x20k", "W5 distance torus2x20k",
            "W5 build torus20k" } },
        { BENCH_SCENE_TORI_200K,
          { "W5 boolean torus2x200k", "W5 all pairs torus2x200k", "W5 distance torus2x200k",
            "W5 build torus200k" } },
        { BENCH_SCENE_TORI_1M,
          { "boolean torus2x1M", "all pairs torus2x1M", "distance torus2x1M", "build torus1M" } },
        { BENCH_SCENE_TERRAIN, { "boolean terrain", "all pairs terrain", "distance terrain", NULL } },
        { BENCH_SCENE_PIPES, { "boolean pipes", "all pairs pipes", "distance pipes", "build pipes" } },
        { BENCH_SCENE_TORUS,
          { "boolean torus and land", "all pairs torus and land", "distance torus and land", NULL } },
        { BENCH_SCENE_TORPEDO, { "boolean torpedo", "all pairs torpedo", "distance torpedo", NULL } },
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; ++i)
        for (int q = 0; q < 4; ++q)
            if (rows[i].name[q])
                add(rows[i].name[q], rows[i].scene, (bench_mesh_query)q);

    bench_case sheet = { .family = "mesh",
                         .name = "refit and self sheet100k",
                         .setup = setup_sheet,
                         .teardown = teardown_sheet,
                         .abut = bench_abut_sheet() };
    int used = 0;
#ifdef BENCH_HAVE_FCL
    used += bench_fcl_sheet(sheet.peers + used, BENCH_PEERS - used);
#endif
#ifdef BENCH_HAVE_BULLET
    used += bench_bullet_sheet(sheet.peers + used, BENCH_PEERS - used);
#endif
    (void)used;
    bench_add(&sheet);
    /* The same question to the object for meshes that deform. */
    sheet.name = "refit and self sheet100k, abut_deform";
    sheet.abut = bench_abut_sheet_step();
    bench_add(&sheet);
}
