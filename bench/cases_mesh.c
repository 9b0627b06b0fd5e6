/* SPDX-License-Identifier: MIT */
/* W5: two tori of 20 000 or 200 000 triangles each in 100 poses: do they meet, how many pairs of triangles
 * meet, how far apart are they, and what does it cost to build the tree. */
#include "peers.h"
#include "referee.h"

#include <stdlib.h>

typedef struct torus_set {
    bench_torus_case judged;
    bool made;
} torus_set;

/* The referee is asked once for each size. */
static const bench_torus_case *judged_torus(bool large)
{
    static torus_set sets[2];
    torus_set *set = &sets[large];
    if (set->made)
        return &set->judged;
    bench_torus_case *t = &set->judged;
    bench_torus(&t->mesh, large ? 400 : 100, large ? 250 : 100);
    bench_torus_poses(t->poses);
    bench_tree *tree = bench_tree_create(&t->mesh);
    for (size_t i = 0; i < BENCH_TORUS_POSES; ++i) {
        t->meeting[i] = (double)bench_referee_mesh_pairs(tree, t->poses[i]);
        t->distance[i] = t->meeting[i] > 0 ? 0 : bench_referee_mesh_distance(tree, t->poses[i]);
    }
    bench_tree_destroy(tree);
    set->made = true;
    return t;
}

static void *setup(const bench_case *c, bool quick, uint64_t *questions)
{
    const bool large = c->number >= 4;
    if (quick && large)
        return NULL;
    bench_torus_case *job = bench_alloc(1, sizeof *job);
    *job = *judged_torus(large);
    job->query = (bench_mesh_query)(c->number % 4);
    if (job->query == BENCH_MESH_BUILD) {
        job->count = 1;
    } else {
        for (size_t i = 0; i < (quick ? 10 : BENCH_TORUS_POSES); ++i)
            if (job->query != BENCH_MESH_DISTANCE || job->meeting[i] == 0)
                job->index[job->count++] = i;
    }
    *questions = job->count;
    return job;
}

void bench_register_mesh(void);
void bench_register_mesh(void)
{
    static const char *const names[] = { "W5 boolean torus2x20k",   "W5 all pairs torus2x20k",
                                         "W5 distance torus2x20k",  "W5 build torus20k",
                                         "W5 boolean torus2x200k",  "W5 all pairs torus2x200k",
                                         "W5 distance torus2x200k", "W5 build torus200k" };
    for (int i = 0; i < 8; ++i) {
        bench_case c = { .family = "mesh", .name = names[i], .number = i, .setup = setup, .teardown = free };
        int used = 0;
#ifdef BENCH_HAVE_FCL
        used += bench_fcl_torus((bench_mesh_query)(i % 4), c.peers + used, BENCH_PEERS - used);
#endif
#ifdef BENCH_HAVE_BULLET
        used += bench_bullet_torus((bench_mesh_query)(i % 4), c.peers + used, BENCH_PEERS - used);
#endif
#ifdef BENCH_HAVE_CGAL
        used += bench_cgal_torus((bench_mesh_query)(i % 4), c.peers + used, BENCH_PEERS - used);
#endif
        (void)used;
        bench_add(&c);
    }
}
