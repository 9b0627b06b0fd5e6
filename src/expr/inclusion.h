/* SPDX-License-Identifier: MIT */
/* An inclusion function that the user supplies. */
#ifndef ABUT_EXPR_INCLUSION_H
#define ABUT_EXPR_INCLUSION_H

#include "abut/expression.h"

typedef struct abut_inclusion {
    abut_inclusion_fn fn;
    void *ctx;
    size_t variables, roots; /* up to ABUT_TAPE_MAX_VARIABLES and 3 */
} abut_inclusion;

#endif
