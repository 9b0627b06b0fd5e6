/* SPDX-License-Identifier: MIT */
/* Reading a scene file and turning it into a JSON document.
 *
 * Jansson does the parsing. Its messages say what it expected of the grammar; the frequent
 * mistakes of people (a comma too many, a comment, NaN) get a sentence of their own. Its memory
 * comes from malloc, whatever allocator the caller gave: Jansson's own hook is global to the
 * process, and not ours to set. Everything else goes through the allocator. */
#define _POSIX_C_SOURCE 200809L /* strerror_r */
#include "io/scene_file.h"

#include "base/error.h"
#include "base/memory.h"
#include "io/json_locate.h"
#include "io/mesh/open_file.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

void abut_io_set_file(abut_error *error, const char *name)
{
    if (!error)
        return;
    const size_t length = strlen(name), room = sizeof error->file - 1;
    strcpy(error->file, name + (length > room ? length - room : 0));
}

/* Length of the UTF-8 character at the start of the text, 0 where there is none. */
static size_t character_length(const unsigned char *text)
{
    const size_t length = text[0] < 0x80   ? 1
                          : text[0] < 0xc0 ? 0
                          : text[0] < 0xe0 ? 2
                          : text[0] < 0xf0 ? 3
                                           : 4;
    for (size_t i = 1; i < length; ++i)
        if ((text[i] & 0xc0) != 0x80)
            return 0;
    return length;
}

static void clean(char *text)
{
    size_t length;
    for (; *text; text += length) {
        length = character_length((const unsigned char *)text);
        if (length == 0 || (length == 1 && ((unsigned char)*text < 32 || *text == 127))) {
            *text = '?';
            length = 1;
        }
    }
}

void abut_io_clean_error(abut_error *error)
{
    if (!error)
        return;
    clean(error->text);
    clean(error->path);
}

/* ---- files ---- */

static abut_status fail_file(abut_error *error, const char *name, abut_status status, const char *what,
                             int number)
{
    char reason[120] = "";
    if (number && strerror_r(number, reason, sizeof reason) != 0)
        reason[0] = 0;
    abut_base_fail(error, status, -1, "%s%s%s", what, reason[0] ? ": " : "", reason);
    abut_io_set_file(error, name);
    return status;
}

static abut_status fail_large(abut_error *error, const char *name)
{
    return fail_file(error, name, ABUT_ERR_LIMIT,
                     "the file is larger than 256 MiB, the most a scene file may have (meshes can have files "
                     "of their own)",
                     0);
}

/* Until the end, wherever that is: the file may grow meanwhile. */
static abut_status read_stream(FILE *stream, const char *name, const abut_allocator *alloc,
                               abut_io_text *text, abut_error *error)
{
    enum { STEP = 1 << 16 };
    for (;;) {
        if (text->count > ABUT_IO_SCENE_FILE_LIMIT)
            return fail_large(error, name);
        if (!abut_base_grow(alloc, (void **)&text->bytes, &text->capacity, text->count, STEP, 1))
            return fail_file(error, name, ABUT_ERR_MEMORY, abut_status_text(ABUT_ERR_MEMORY), 0);
        text->count += fread(text->bytes + text->count, 1, text->capacity - text->count, stream);
        if (ferror(stream))
            return fail_file(error, name, ABUT_ERR_FILE, "the file could not be read", errno);
        if (feof(stream))
            return text->count > ABUT_IO_SCENE_FILE_LIMIT ? fail_large(error, name) : ABUT_OK;
    }
}

abut_status abut_io_read_text(const char *file, const abut_allocator *alloc, abut_io_text *out,
                              abut_error *error)
{
    *out = (abut_io_text){ 0 };
    abut_io_opened opened;
    FILE *stream = abut_io_open(file, &opened);
    if (!stream && opened.number)
        return fail_file(error, file, ABUT_ERR_FILE, "the file could not be opened", opened.number);
    if (!stream) {
        char text[80];
        const char *wanted = strcmp(opened.kind, "a folder") == 0 ? "a file" : "a regular file";
        snprintf(text, sizeof text, "this is %s; a scene is %s", opened.kind, wanted);
        return fail_file(error, file, ABUT_ERR_FILE, text, 0);
    }
    if (opened.size > ABUT_IO_SCENE_FILE_LIMIT) {
        fclose(stream);
        return fail_large(error, file);
    }
    const abut_status status = read_stream(stream, file, alloc, out, error);
    fclose(stream);
    if (status != ABUT_OK)
        abut_io_free_text(alloc, out);
    return status;
}

void abut_io_free_text(const abut_allocator *alloc, abut_io_text *text)
{
    abut_base_shrink(alloc, text->bytes, text->capacity, 1);
    *text = (abut_io_text){ 0 };
}

/* ---- JSON ---- */

typedef struct source {
    const char *text;
    size_t length;
    const char *name;
    abut_error *error;
} source;

/* Fails at a byte of the text. */
static abut_status fail_at(const source *s, abut_status status, size_t position, const char *message)
{
    abut_base_fail(s->error, status, -1, "%s", message);
    abut_io_set_file(s->error, s->name);
    if (s->error) {
        abut_io_step steps[ABUT_IO_MAX_STEPS];
        const size_t count = abut_io_json_path_at(s->text, s->length, position, steps);
        abut_io_json_print_path(steps, count, s->error->path, sizeof s->error->path);
        s->error->line = 1;
        for (size_t i = 0; i < position && i < s->length; ++i)
            s->error->line += s->text[i] == '\n';
    }
    abut_io_clean_error(s->error);
    return status;
}

/* What no JSON text starts with or holds, and Jansson would describe badly. */
static abut_status check_bytes(const source *s)
{
    const char *t = s->text;
    if (s->length >= 3 && memcmp(t, "\xef\xbb\xbf", 3) == 0)
        return fail_at(s, ABUT_ERR_SYNTAX, 0,
                       "the file starts with a byte order mark; save it as UTF-8 without one");
    if (s->length >= 2 && (memcmp(t, "\xff\xfe", 2) == 0 || memcmp(t, "\xfe\xff", 2) == 0))
        return fail_at(s, ABUT_ERR_SYNTAX, 0,
                       "the file is in UTF-16; save it as UTF-8 without a byte order mark");
    const char *nul = memchr(t, 0, s->length);
    if (nul)
        return fail_at(s, ABUT_ERR_SYNTAX, (size_t)(nul - t),
                       "the file holds a NUL byte; a scene is JSON text");
    size_t spaces = 0;
    while (spaces < s->length && strchr(" \t\r\n", t[spaces]))
        ++spaces;
    if (spaces == s->length)
        return fail_at(s, ABUT_ERR_SYNTAX, 0,
                       "the file is empty; the least scene is {\"abut\": 1, \"objects\": [ ... ]}");
    return ABUT_OK;
}

/* A sentence for the frequent mistakes, by what stands where Jansson stopped; NULL for the
 * others. `from` is where its last token starts. */
static const char *explain(const source *s, const json_error_t *failure, size_t from)
{
    const char *at = s->text + from;
    const size_t left = s->length - from;
#define STARTS(word) (left >= sizeof(word) - 1 && memcmp(at, word, sizeof(word) - 1) == 0)
    switch (json_error_code(failure)) {
    case json_error_duplicate_key: return "this key is there twice in one object";
    case json_error_numeric_overflow: return "this number is too large for a double";
    case json_error_stack_overflow: return "arrays and objects are nested too deeply";
    case json_error_end_of_input_expected: return "there is something after the end of the scene";
    case json_error_premature_end_of_input: return "the file ends in the middle of the scene";
    case json_error_null_character:
    case json_error_null_byte_in_key: return "a string may not hold the character NUL";
    case json_error_invalid_utf8: return "the text is not valid UTF-8";
    default: break;
    }
    if (STARTS("NaN") || STARTS("nan") || STARTS("Inf") || STARTS("inf") || STARTS("-Inf") || STARTS("-inf"))
        return "numbers must be finite: there is no NaN and no Infinity";
    if (STARTS("/") || STARTS("#"))
        return "comments are not allowed in JSON";
    if (STARTS("'"))
        return "strings are written with double quotes";
    if (STARTS("+"))
        return "a number has no sign +";
    if (STARTS("]") || STARTS("}"))
        return "a value is missing before this bracket, or there is a comma too many";
    return NULL;
#undef STARTS
}

abut_status abut_io_parse_json(const char *text, size_t length, const char *name, json_t **out,
                               abut_error *error)
{
    const source s = { text, length, name, error };
    *out = NULL;
    const abut_status status = check_bytes(&s);
    if (status != ABUT_OK)
        return status;
    json_error_t failure;
    *out = json_loadb(text, length, ABUT_IO_JSON_FLAGS, &failure);
    if (*out)
        return ABUT_OK;
    if (json_error_code(&failure) == json_error_out_of_memory)
        return fail_at(&s, ABUT_ERR_MEMORY, 0, abut_status_text(ABUT_ERR_MEMORY));
    /* Jansson's position is behind the last token it took; go back to the start of it. */
    const size_t end =
        failure.position > 0 && (size_t)failure.position <= length ? (size_t)failure.position : 0;
    size_t from = end;
    while (from > 0 && !strchr(" \t\r\n,:[{\"", text[from - 1]))
        --from;
    if (from == end && end > 0)
        --from;
    char message[300];
    const char *explained = explain(&s, &failure, from);
    snprintf(message, sizeof message, "%s%s%.160s%s",
             explained ? explained : "this is not JSON: ", explained ? " (" : "", failure.text,
             explained ? ")" : "");
    const enum json_error_code code = json_error_code(&failure);
    const abut_status kind = code == json_error_stack_overflow     ? ABUT_ERR_LIMIT
                             : code == json_error_numeric_overflow ? ABUT_ERR_VALUE
                                                                   : ABUT_ERR_SYNTAX;
    /* A bracket that is wrong has closed nothing. */
    const size_t behind = end > 0 && (text[end - 1] == ']' || text[end - 1] == '}') ? end - 1 : end;
    fail_at(&s, kind, behind, message);
    if (error && failure.line > 0)
        error->line = failure.line;
    return kind;
}
