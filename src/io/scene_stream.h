/* SPDX-License-Identifier: MIT */
/* Scenes with many objects: the list of objects is never a document as a whole, which would take
 * some 2 kB an object. Each is parsed by itself when its turn comes. */
#ifndef ABUT_IO_SCENE_STREAM_H
#define ABUT_IO_SCENE_STREAM_H

#include "base/memory.h"

#include <jansson.h>

/* Bytes [begin, end) of the text; scene texts have less than 2^32. */
typedef struct abut_io_piece {
    uint32_t begin, end;
} abut_io_piece;

typedef struct abut_io_stream {
    abut_allocator alloc;
    abut_io_piece *pieces; /* the objects */
    size_t count, capacity;
    abut_io_piece list; /* with its brackets */
} abut_io_stream;

/* Finds the list of objects and its elements. False where the text is small, has no such list or is
 * not what it seems, and when memory is out: it is then to be parsed as a whole. */
bool abut_io_stream_open(abut_io_stream *stream, const char *text, size_t length,
                         const abut_allocator *alloc);
void abut_io_stream_close(abut_io_stream *stream);
/* The document with an empty list of objects; NULL where that cannot be parsed. */
json_t *abut_io_stream_rest(const abut_io_stream *stream, const char *text, size_t length);
/* An object; NULL where it cannot be parsed. */
json_t *abut_io_stream_get(const abut_io_stream *stream, const char *text, size_t index);

#endif
