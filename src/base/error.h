/* SPDX-License-Identifier: MIT */
/* Filling in abut_error. */
#ifndef ABUT_BASE_ERROR_H
#define ABUT_BASE_ERROR_H

#include "abut/base.h"

#if defined(__GNUC__)
#define ABUT_PRINTF(text, first) __attribute__((format(printf, text, first)))
#else
#define ABUT_PRINTF(text, first)
#endif

/* Clears *error and fills status, index (-1: none) and text; returns the status, so that callers
 * can return it at once. error may be NULL. */
abut_status abut_base_fail(abut_error *error, abut_status status, int64_t index, const char *format, ...)
    ABUT_PRINTF(4, 5);

/* Out of memory has one text. */
abut_status abut_base_fail_memory(abut_error *error);

/* Clears *error to success; error may be NULL. */
void abut_base_clear(abut_error *error);

#endif
