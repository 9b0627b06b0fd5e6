/* SPDX-License-Identifier: MIT */
/* Decimal text to numbers, whatever the locale and the rounding mode. */
#ifndef ABUT_IO_MESH_MESH_NUMBER_H
#define ABUT_IO_MESH_MESH_NUMBER_H

#include <stdint.h>

/* Reads [+-] digits [. digits] [e [+-] digits] (e, E, d or D; digits on one side of the point
 * suffice) at `text` and returns where it ends; NULL, and nothing written, when there is none.
 * *value is the double nearest to the decimal, ties to even; infinite when that is beyond the
 * largest double. Words such as nan and inf are no numbers here. */
const char *abut_io_read_double(const char *text, const char *end, double *value);

/* Reads [+-] digits; saturates at the ends of int64_t. NULL, and nothing written, when there is
 * none. */
const char *abut_io_read_integer(const char *text, const char *end, int64_t *value);

#endif
