/* SPDX-License-Identifier: MIT */
/* W9: does a moving vertex meet a moving triangle, a moving edge another, when all points move
 * linearly? The sweeps of W6, in the same family, are in cases_convex.c. */
#include "peers.h"

#include <stdlib.h>

static void *setup(const bench_case *c, bool quick, uint64_t *questions)
{
    bench_elements *elements = bench_alloc(1, sizeof *elements);
    const size_t count = quick ? 2000 : BENCH_ELEMENTS;
    bench_elements_make(elements, c->number % 2 != 0, c->number < 2 ? 2 : .2, count);
    *questions = count;
    return elements;
}

static void teardown(void *data)
{
    bench_elements_clear(data);
    free(data);
}

void bench_register_ccd(void);
void bench_register_ccd(void)
{
    static const char *const names[] = { "W9 VF amp=2.0", "W9 EE amp=2.0", "W9 VF amp=0.2", "W9 EE amp=0.2" };
    for (int i = 0; i < 4; ++i) {
        bench_case c = {
            .family = "ccd", .name = names[i], .number = i, .setup = setup, .teardown = teardown
        };
        c.abut = bench_abut_elements();
#ifdef BENCH_HAVE_FCL
        bench_fcl_elements(i % 2 != 0, c.peers, BENCH_PEERS);
#endif
        bench_add(&c);
    }
}
