/* SPDX-License-Identifier: MIT */
/* What every other header needs: status codes, error details, the allocator, the workspace, the
 * version.
 *
 * In all headers: NULL where a pointer is needed is ABUT_ERR_ARGUMENT, or a zero or empty value
 * where there is no status. */
#ifndef ABUT_BASE_H
#define ABUT_BASE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#if defined(_WIN32)
#define ABUT_API
#elif defined(__GNUC__)
#define ABUT_API __attribute__((visibility("default")))
#else
#define ABUT_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

#define ABUT_VERSION_MAJOR  0
#define ABUT_VERSION_MINOR  1
#define ABUT_VERSION_PATCH  0
#define ABUT_VERSION_STRING "0.1.0"

/* The version of the library that is running, as opposed to the header that was compiled
 * against. */
ABUT_API const char *abut_version(void);

/* Did the call run? One list gives code, number and text. What was found is said by verdict and
 * proof, never here. */
#define ABUT_STATUS_LIST(X)                                                                          \
    X(ABUT_OK, 0, "success")                                                                         \
    X(ABUT_ERR_ARGUMENT, -1, "an argument is outside its domain")                                    \
    X(ABUT_ERR_MEMORY, -2, "out of memory")                                                          \
    X(ABUT_ERR_UNSUPPORTED, -3, "there is no method for this combination of shapes and motions yet") \
    X(ABUT_ERR_FILE, -4, "a file could not be opened or read")                                       \
    X(ABUT_ERR_SYNTAX, -5, "a file or expression is not well formed")                                \
    X(ABUT_ERR_VALUE, -6, "a value is not allowed there: in a file, or of a motion at some time")    \
    X(ABUT_ERR_LIMIT, -7, "the input is larger than the library accepts")                            \
    X(ABUT_ERR_CANCELLED, -8, "the progress callback asked to stop")

typedef enum abut_status {
#define ABUT_STATUS_ENUM(name, code, text) name = code,
    ABUT_STATUS_LIST(ABUT_STATUS_ENUM)
#undef ABUT_STATUS_ENUM
} abut_status;

/* "ABUT_ERR_MEMORY" and "out of memory"; "ABUT_ERR_UNKNOWN" and "unknown status" for a number
 * not in the list. */
ABUT_API const char *abut_status_name(abut_status status);
ABUT_API const char *abut_status_text(abut_status status);

/* Details of a failure, filled by functions that create something or read a file, when the
 * caller passes one. Fields that do not apply are empty, 0, or -1 for `index`. */
typedef struct abut_error {
    abut_status status;
    int32_t line;   /* in the file, from 1 */
    int64_t index;  /* of the offending element (a vertex, a coefficient), from 0 */
    char file[256]; /* as the caller named it; its tail when longer */
    char path[160]; /* place inside a scene file: "objects[2].shape.radius" */
    char text[320]; /* one sentence that says what is wrong and what is allowed */
} abut_error;

/* Where memory comes from. A value, copied by whoever keeps it; NULL in a call means malloc and
 * free. `reallocate` gets size 0 never, and `memory` NULL to allocate; it returns 16-byte
 * aligned memory or NULL, and leaves the old block alone when it returns NULL. `release` accepts
 * NULL. Sizes given back are those asked for. */
typedef struct abut_allocator {
    void *(*reallocate)(void *ctx, void *memory, size_t old_size, size_t new_size);
    void (*release)(void *ctx, void *memory, size_t size);
    void *ctx;
} abut_allocator;

/* Memory that a query works in. One per thread; a query that is given none makes its own for the
 * call. After the first few queries of a kind, a workspace makes them run without allocating. */
typedef struct abut_workspace abut_workspace;

ABUT_API abut_status abut_workspace_create(const abut_allocator *alloc, abut_workspace **out);
ABUT_API void abut_workspace_destroy(abut_workspace *ws);

#ifdef __cplusplus
}
#endif

#endif
