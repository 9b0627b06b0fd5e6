/* SPDX-License-Identifier: MIT */
/* The broad phase where bodies belong to chains: chains first, then their parts. */
#ifndef ABUT_WORLD_CHAINS_H
#define ABUT_WORLD_CHAINS_H

#include "world/world.h"

/* All pairs of slots whose boxes meet, ascending, as the world's broad phase finds them from these
 * boxes (one a slot). */
abut_status abut_chains_pairs(const abut_world *world, const abut_aabb *boxes, abut_pair_list *out);

#endif
