/* SPDX-License-Identifier: MIT */
/* Which pairs cannot meet over a range of time, by their velocities relative to each other. */
#ifndef ABUT_WORLD_RELATIVE_H
#define ABUT_WORLD_RELATIVE_H

#include "world/world.h"

typedef struct abut_world_relative {
    const abut_world *world;
    abut_interval time;
    double span;   /* its length, rounded up */
    void *flights; /* of each slot, found when it is asked for */
    size_t count;
} abut_world_relative;

abut_status abut_relative_open(abut_world_relative *r, const abut_world *world, abut_interval time);
void abut_relative_close(abut_world_relative *r);
/* False: proved not to. From one thread. */
bool abut_relative_may_meet(abut_world_relative *r, uint32_t i, uint32_t j);

#endif
