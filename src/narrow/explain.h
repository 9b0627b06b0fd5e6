/* SPDX-License-Identifier: MIT */
/* Why a query failed: which argument is wrong and why. Called after a failure only, so that queries
 * that run pay nothing for it. */
#ifndef ABUT_NARROW_EXPLAIN_H
#define ABUT_NARROW_EXPLAIN_H

#include "abut/query.h"

/* The arguments of the query; `motions`: it has motions and a time (an instant where lo == hi), else
 * poses. `wrong` names an option that is out of its domain and `allowed` says what it may be; NULL: none
 * is. `no_options`: their struct_size was never set. */
typedef struct abut_asked {
    const abut_shape *a, *b;
    const abut_pose *pose_a, *pose_b;
    bool motions;
    const abut_motion *motion_a, *motion_b;
    abut_interval time;
    const void *out;
    bool no_options;
    const char *wrong, *allowed;
} abut_asked;

/* The error of options of a caller who may have been built with an older header. */
#define ABUT_ERROR_OF(opts)                                                                       \
    ((opts) && (opts)->struct_size >= offsetof(__typeof__(*(opts)), error) + sizeof(abut_error *) \
         ? (opts)->error                                                                          \
         : NULL)

/* Fills the error, where there is one, and returns the status. */
abut_status abut_explain(abut_error *error, abut_status status, const abut_asked *q);
/* One argument of its own. */
abut_status abut_explain_argument(abut_error *error, abut_status status, const char *name, const char *text);

#endif
