/* SPDX-License-Identifier: MIT */
/* Long expressions from short inputs: `~` and a character represent a sum of up to 752 terms,
 * several thousand operations. Programs of that size are built otherwise than short ones, and
 * mutations of short seeds never come to them. */
#ifndef ABUT_FUZZ_GROW_H
#define ABUT_FUZZ_GROW_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The text with a zero behind it, from malloc; *length is that of the result. `terms` are
 * formats with two numbers each, "+..."; the character chooses one of them. At most a few are
 * written out, so that no input takes long. NULL: no memory. */
static inline char *fuzz_grow(const char *text, size_t size, const char *const *terms, unsigned term_count,
                              size_t *length)
{
    enum { MOST = 3, ROOM = 752 * 64 };
    char *out = malloc(size + (size_t)MOST * ROOM + 1);
    size_t n = 0;
    int grown = 0;
    if (!out)
        return NULL;
    for (size_t i = 0; i < size; ++i) {
        if (text[i] != '~' || i + 1 == size || text[i + 1] <= 32 || text[i + 1] > 126 || grown == MOST) {
            out[n++] = text[i];
            continue;
        }
        const unsigned kind = (unsigned)text[++i];
        for (unsigned k = 1; k <= 8 * (kind - 32); ++k)
            n += (size_t)snprintf(out + n, 64, terms[kind % term_count], k, k + 1);
        ++grown;
    }
    out[n] = 0;
    *length = n;
    return out;
}

#endif
