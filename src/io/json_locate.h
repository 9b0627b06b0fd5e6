/* SPDX-License-Identifier: MIT */
/* Places inside a JSON text: a path such as objects[2].shape.radius, its line, and the path of a
 * position. */
#ifndef ABUT_IO_JSON_LOCATE_H
#define ABUT_IO_JSON_LOCATE_H

#include <stddef.h>
#include <stdint.h>

/* One step of a path: a key (not NULL, of that length), or the index of an array's element. */
typedef struct abut_io_step {
    const char *key;
    size_t length, index;
} abut_io_step;

enum { ABUT_IO_MAX_STEPS = 128 };

/* The line, from 1, on which the key (of an object's member) or the value (of an array's
 * element) of the last step stands, in a text that is valid JSON; that of the deepest step there
 * is when the path leads nowhere. */
int32_t abut_io_json_line(const char *text, size_t length, const abut_io_step *steps, size_t count);

/* The path of what is being read just before `position`, in a text that may go wrong there;
 * returns the number of steps (at most ABUT_IO_MAX_STEPS). Keys point into the text, escapes as
 * they are. */
size_t abut_io_json_path_at(const char *text, size_t length, size_t position, abut_io_step *steps);

/* "objects[2].shape.radius"; keys that are not plain names as ["a b"]; the tail behind "..."
 * when there is no room. */
void abut_io_json_print_path(const abut_io_step *steps, size_t count, char *out, size_t size);

#endif
