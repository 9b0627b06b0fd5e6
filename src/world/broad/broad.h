/* SPDX-License-Identifier: MIT */
/* Defaults of the broad phases that worlds share. */
#ifndef ABUT_WORLD_BROAD_BROAD_H
#define ABUT_WORLD_BROAD_BROAD_H

#include "abut/world.h"

/* Half a gigabyte of pairs. */
#define ABUT_BROAD_MAX_PAIRS ((size_t)1 << 26)

#endif
