/* SPDX-License-Identifier: MIT */
/* W8: pairs of CAD solids, exact distance and intersection. Only described so far
 * (bench_cad_pairs): abut has no method for them yet, and the one peer that has, Open CASCADE,
 * is not linked (see bench/README.md). The rows stand so that the family exists and its first
 * method has somewhere to go. */
#include "workload.h"

#include <stdio.h>
#include <string.h>

void bench_register_surface(void);
void bench_register_surface(void)
{
    static const char *const queries[] = { "distance", "intersection" };
    for (size_t i = 0; i < bench_cad_pair_count; ++i)
        for (int q = 0; q < 2; ++q) {
            char name[96];
            snprintf(name, sizeof name, "W8 %s %s", queries[q], bench_cad_pairs[i].name);
            char *kept = bench_alloc(strlen(name) + 1, 1);
            strcpy(kept, name);
            const bench_case c = {
                .family = "surface", .name = kept, .number = (int)i, .param = &bench_cad_pairs[i]
            };
            bench_add(&c);
        }
}
