/* SPDX-License-Identifier: MIT */
/* Compiling graphs to tapes. */
#include "expr/tape.h"

abut_status abut_tape_compile(const abut_expr *expr, const abut_allocator *alloc, abut_tape **out)
{
    (void)expr;
    (void)alloc;
    *out = NULL;
    return ABUT_ERR_UNSUPPORTED;
}

void abut_tape_destroy(abut_tape *tape)
{
    (void)tape;
}
