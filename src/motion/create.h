/* SPDX-License-Identifier: MIT */
/* What every creator begins and ends with. */
#ifndef ABUT_MOTION_CREATE_H
#define ABUT_MOTION_CREATE_H

#include "base/error.h"
#include "base/memory.h"
#include "motion/motion.h"

/* `size` bytes, cleared, whose first member is an abut_motion with one reference; NULL when
 * memory is out. Give it back with abut_motion_free and the same size. */
void *abut_motion_new(const abut_allocator *alloc, size_t size, abut_motion_type type,
                      const abut_motion_ops *ops);
void abut_motion_free(abut_motion *motion, size_t size);

#endif
