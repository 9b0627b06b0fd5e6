/* SPDX-License-Identifier: MIT */
/* Opening the files that scenes and meshes are read from. */
#ifndef ABUT_IO_MESH_OPEN_FILE_H
#define ABUT_IO_MESH_OPEN_FILE_H

#include <stdint.h>
#include <stdio.h>

typedef struct abut_io_opened {
    int number;       /* errno where it could not be opened, else 0 */
    const char *kind; /* what it is where it is no regular file ("a folder"), else NULL */
    int64_t size;     /* in bytes, when it was opened */
} abut_io_opened;

/* For reading, to be closed by fclose; NULL where it could not be opened or is no regular file.
 * Never waits: a pipe without a writer would. */
FILE *abut_io_open(const char *file, abut_io_opened *out);

#endif
