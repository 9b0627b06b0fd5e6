/* SPDX-License-Identifier: MIT */
/* From a file to a JSON document. */
#ifndef ABUT_IO_SCENE_FILE_H
#define ABUT_IO_SCENE_FILE_H

#include "abut/base.h"

#include <jansson.h>

/* A scene that lists a mesh of a few million triangles fits; larger meshes have files of their
 * own. */
enum { ABUT_IO_SCENE_FILE_LIMIT = 256 << 20 };

#define ABUT_IO_JSON_FLAGS (JSON_REJECT_DUPLICATES | JSON_DECODE_INT_AS_REAL)

typedef struct abut_io_text {
    char *bytes;
    size_t count, capacity;
} abut_io_text;

/* Reads a whole file. On failure there is nothing to free. */
abut_status abut_io_read_text(const char *file, const abut_allocator *alloc, abut_io_text *out,
                              abut_error *error);
void abut_io_free_text(const abut_allocator *alloc, abut_io_text *text);

/* The document, to be given back by json_decref. */
abut_status abut_io_parse_json(const char *text, size_t length, const char *name, json_t **out,
                               abut_error *error);

/* Fills in the name of the file, its tail when it is too long. */
void abut_io_set_file(abut_error *error, const char *name);

/* Makes text and path fit for a terminal: what the file put into them is control characters no
 * more, and where a name was cut inside a character, that goes. */
void abut_io_clean_error(abut_error *error);

#endif
