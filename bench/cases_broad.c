/* SPDX-License-Identifier: MIT */
/* W7: all overlapping pairs among many moving boxes, step after step; a question is one step,
 * the writing of the new boxes included. abut's world is not there yet. */
#include "peers.h"

#include <stdlib.h>

static void *setup(const bench_case *c, bool quick, uint64_t *questions)
{
    static const size_t counts[] = { 1000, 10000, 100000 };
    const size_t count = counts[c->number % 3];
    if (quick && count > 1000)
        return NULL;
    bench_boxes *boxes = bench_alloc(1, sizeof *boxes);
    bench_boxes_make(boxes, count, c->number < 3 ? .1 : 1);
    *questions = BENCH_STEPS;
    return boxes;
}

static void teardown(void *data)
{
    bench_boxes_clear(data);
    free(data);
}

void bench_register_broad(void);
void bench_register_broad(void)
{
    static const char *const names[] = { "W7 N=1000 dens=10%",   "W7 N=10000 dens=10%",
                                         "W7 N=100000 dens=10%", "W7 N=1000 dens=100%",
                                         "W7 N=10000 dens=100%", "W7 N=100000 dens=100%" };
    for (int i = 0; i < 6; ++i) {
        bench_case c = {
            .family = "broad", .name = names[i], .number = i, .setup = setup, .teardown = teardown
        };
        int used = 0;
#ifdef BENCH_HAVE_FCL
        used += bench_fcl_boxes(c.peers + used, BENCH_PEERS - used);
#endif
#ifdef BENCH_HAVE_BULLET
        used += bench_bullet_boxes(c.peers + used, BENCH_PEERS - used);
#endif
#ifdef BENCH_HAVE_CGAL
        used += bench_cgal_boxes(c.peers + used, BENCH_PEERS - used);
#endif
#ifdef BENCH_HAVE_EMBREE
        used += bench_embree_boxes(c.peers + used, BENCH_PEERS - used);
#endif
        (void)used;
        bench_add(&c);
    }
}
