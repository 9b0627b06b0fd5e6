/* SPDX-License-Identifier: MIT */
/* What the parts of the scene reader share: where they are in the file, and how to take one value
 * of a given kind.
 *
 * Every function returns false after a failure, which has then been reported with file, line and
 * path; callers just return. Values are borrowed from the JSON document (not const only because
 * Jansson's iterators are not); arrays are taken from the reader's workspace and live until the
 * shape or motion they belong to is made. */
#ifndef ABUT_IO_SCENE_READER_H
#define ABUT_IO_SCENE_READER_H

#include "abut/scene.h"
#include "base/error.h"
#include "base/workspace.h"
#include "io/json_locate.h"

#include <jansson.h>

/* Shapes of the "shapes" table, in the order of the file. */
typedef struct abut_io_named_shape {
    const char *name;
    abut_shape *shape;
    int csg_height;
} abut_io_named_shape;

typedef struct abut_io_reader {
    const char *name; /* of the file */
    const char *text;
    size_t length;
    abut_allocator alloc;
    abut_workspace ws;
    abut_error *error;
    abut_status status;
    abut_io_step steps[ABUT_IO_MAX_STEPS];
    size_t step_count;
    double t0, t1;
    json_t *table; /* the "shapes" object, or NULL */
    abut_io_named_shape *shapes;
    size_t shape_count;      /* made so far */
    int csg_depth;           /* of the csg and swept shapes around what is being read */
    int csg_height;          /* of the shape read last: 0, or one more than its highest operand */
    const abut_shape *moved; /* of the object whose motion is being read */
    /* objects that are not in the document, or NULL (scene_stream.h); `retry`: one could not be
     * parsed, the whole is to be */
    const struct abut_io_stream *stream;
    bool retry;
    /* simple shapes read before, of which equal ones are one: some by their hash */
    abut_shape *simple[4096];
} abut_io_reader;

/* ---- where ---- */

void abut_io_enter_key(abut_io_reader *r, const char *key);
void abut_io_enter_index(abut_io_reader *r, size_t index);
void abut_io_leave(abut_io_reader *r);

/* ---- failing; all return false ---- */

bool abut_io_fail(abut_io_reader *r, abut_status status, const char *format, ...) ABUT_PRINTF(3, 4);
bool abut_io_fail_key(abut_io_reader *r, const char *key, abut_status status, const char *format, ...)
    ABUT_PRINTF(4, 5);
bool abut_io_fail_memory(abut_io_reader *r);
/* After a creator of the library: true when it gave ABUT_OK, otherwise its complaint becomes the
 * scene's. */
bool abut_io_created(abut_io_reader *r, abut_status status, const abut_error *inner, const char *what);

/* ---- values at the current place ---- */

typedef enum abut_io_rule { ABUT_IO_ANY = 0, ABUT_IO_POSITIVE, ABUT_IO_NOT_NEGATIVE } abut_io_rule;

bool abut_io_as_number(abut_io_reader *r, json_t *value, abut_io_rule rule, double *out);
/* From lo to hi, both at most 2^53. */
bool abut_io_as_integer(abut_io_reader *r, json_t *value, uint64_t lo, uint64_t hi, uint64_t *out);
/* Not empty. */
bool abut_io_as_string(abut_io_reader *r, json_t *value, const char **out);
bool abut_io_as_vec3(abut_io_reader *r, json_t *value, abut_io_rule rule, abut_vec3 *out);
bool abut_io_as_object(abut_io_reader *r, json_t *value);
/* An array of `count` elements, each `what` ("numbers"). */
bool abut_io_as_array(abut_io_reader *r, json_t *value, size_t count, const char *what);
/* An array of at least `least` elements. */
bool abut_io_as_list(abut_io_reader *r, json_t *value, size_t least, const char *what, size_t *count);
bool abut_io_as_numbers(abut_io_reader *r, json_t *value, size_t least, abut_io_rule rule, double **out,
                        size_t *count);

/* ---- members of an object ---- */

/* Fails on a key that is not among the allowed ones, a list that ends with NULL. */
bool abut_io_check_keys(abut_io_reader *r, json_t *object, const char *const *allowed);
#define ABUT_IO_KEYS(...) ((const char *const[]){ __VA_ARGS__, NULL })

/* The value of a key, or NULL: `get` silently, `need` after reporting that it is missing. */
json_t *abut_io_get(json_t *object, const char *key);
json_t *abut_io_need(abut_io_reader *r, json_t *object, const char *key);

bool abut_io_number(abut_io_reader *r, json_t *object, const char *key, abut_io_rule rule, double *out);
bool abut_io_integer(abut_io_reader *r, json_t *object, const char *key, uint64_t lo, uint64_t hi,
                     uint64_t *out);
bool abut_io_string(abut_io_reader *r, json_t *object, const char *key, const char **out);
bool abut_io_vec3(abut_io_reader *r, json_t *object, const char *key, abut_io_rule rule, abut_vec3 *out);
bool abut_io_points(abut_io_reader *r, json_t *object, const char *key, size_t least, abut_vec3 **out,
                    size_t *count);

/* The string of the key as one of the words, a list that ends with NULL; *out is its number. */
bool abut_io_word(abut_io_reader *r, json_t *object, const char *key, const char *what,
                  const char *const *words, size_t *out);

/* ---- the large parts ---- */

/* A shape, or the name of one in the table; the caller gets a reference. */
bool abut_io_read_shape(abut_io_reader *r, json_t *value, abut_shape **out);
/* What an object's "pose" says, as a motion. */
bool abut_io_read_pose(abut_io_reader *r, json_t *value, abut_motion **out);
bool abut_io_read_motion(abut_io_reader *r, json_t *value, abut_motion **out);

#endif
