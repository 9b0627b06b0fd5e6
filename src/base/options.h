/* SPDX-License-Identifier: MIT */
/* Options that grow: a caller built against an older header passes a smaller struct, and what it
 * does not have stays at its default. */
#ifndef ABUT_BASE_OPTIONS_H
#define ABUT_BASE_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

/* Copies the caller's options over the defaults in `opts`; false when struct_size was never
 * filled in. */
static inline bool abut_options_read(void *opts, size_t size, const void *given)
{
    size_t given_size;
    if (!given)
        return true;
    memcpy(&given_size, given, sizeof given_size);
    if (given_size == size) { /* of a size known beforehand: no call */
        memcpy(opts, given, size);
        return true;
    }
    if (given_size < 2 * sizeof given_size)
        return false;
    memcpy(opts, given, given_size < size ? given_size : size);
    memcpy(opts, &size, sizeof size);
    return true;
}

#endif
