/* SPDX-License-Identifier: MIT */
/* Mesh files: which reader a file gets, reading it into memory, and what every mesh must satisfy.
 *
 * A file is read whole before it is parsed, not mapped: a mapped file that someone shortens
 * meanwhile kills the process. */
#include "io/mesh/mesh.h"
#include "io/mesh/open_file.h"
#include "math/nearest.h"

#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

typedef abut_status (*read_fn)(abut_mesh_reader *r);

static const struct {
    const char *format;
    read_fn read;
} formats[] = {
    { "obj", abut_io_read_obj },
    { "stl", abut_io_read_stl },
    { "ply", abut_io_read_ply },
    { "off", abut_io_read_off },
};

static bool same_word(const char *a, const char *b)
{
    for (; *a && *b; ++a, ++b) {
        const char c = *a >= 'A' && *a <= 'Z' ? (char)(*a + 32) : *a;
        if (c != *b)
            return false;
    }
    return *a == *b;
}

static read_fn reader_of(const char *format)
{
    for (size_t i = 0; i < sizeof formats / sizeof *formats; ++i) {
        if (same_word(format, formats[i].format))
            return formats[i].read;
    }
    return NULL;
}

abut_status abut_io_mesh_fail(abut_mesh_reader *r, abut_status status, int64_t index, const char *format, ...)
{
    char text[sizeof r->error->text];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    abut_base_fail(r->error, status, index, "%s", text);
    if (r->error) {
        const size_t length = strlen(r->name), room = sizeof r->error->file - 1;
        strcpy(r->error->file, r->name + (length > room ? length - room : 0));
        r->error->line = r->line;
    }
    return status;
}

abut_status abut_io_mesh_fail_memory(abut_mesh_reader *r)
{
    return abut_io_mesh_fail(r, ABUT_ERR_MEMORY, -1, "%s", abut_status_text(ABUT_ERR_MEMORY));
}

/* What holds for all formats, once everything is read. */
static abut_status check(abut_mesh_reader *r)
{
    r->line = 0;
    if (r->vertices.count == 0)
        return abut_io_mesh_fail(r, ABUT_ERR_VALUE, -1,
                                 "the file holds no vertices; a mesh has at least one");
    if (r->indices.count > 0 && r->greatest.index >= r->vertices.count) {
        r->line = r->greatest.line;
        return abut_io_mesh_fail(
            r, ABUT_ERR_VALUE, r->greatest.face,
            "face %lld names vertex %lu (counted from 0), but there are only %zu vertices",
            (long long)r->greatest.face, (unsigned long)r->greatest.index, r->vertices.count);
    }
    return ABUT_OK;
}

/* Gives back what an array has too much, since abut_mesh_data keeps counts only. False: memory
 * is out. */
static bool trim(const abut_allocator *alloc, void **items, size_t *capacity, size_t count, size_t size)
{
    if (*capacity == count)
        return true;
    if (count == 0) {
        abut_base_shrink(alloc, *items, *capacity, size);
        *items = NULL;
        *capacity = 0;
        return true;
    }
    void *trimmed = alloc->reallocate(alloc->ctx, *items, *capacity * size, count * size);
    if (!trimmed)
        return false;
    *items = trimmed;
    *capacity = count;
    return true;
}

/* Moves the mesh from the reader to *out when status says that it was read, and frees it
 * otherwise. */
static abut_status finish(abut_mesh_reader *r, abut_status status, abut_mesh_data *out)
{
    if (status == ABUT_OK)
        status = check(r);
    if (status == ABUT_OK && !(trim(r->alloc, (void **)&r->vertices.items, &r->vertices.capacity,
                                    r->vertices.count, sizeof *r->vertices.items) &&
                               trim(r->alloc, (void **)&r->face_sizes.items, &r->face_sizes.capacity,
                                    r->face_sizes.count, sizeof *r->face_sizes.items) &&
                               trim(r->alloc, (void **)&r->indices.items, &r->indices.capacity,
                                    r->indices.count, sizeof *r->indices.items)))
        status = abut_io_mesh_fail_memory(r);
    if (status != ABUT_OK) {
        ABUT_ARRAY_FREE(r->alloc, &r->vertices);
        ABUT_ARRAY_FREE(r->alloc, &r->face_sizes);
        ABUT_ARRAY_FREE(r->alloc, &r->indices);
        return status;
    }
    *out = (abut_mesh_data){
        .vertices = r->vertices.items,
        .vertex_count = r->vertices.count,
        .face_sizes = r->face_sizes.items,
        .face_count = r->face_sizes.count,
        .indices = r->indices.items,
        .index_count = r->indices.count,
        .alloc = *r->alloc,
    };
    return ABUT_OK;
}

static abut_status too_large(abut_mesh_reader *r)
{
    return abut_io_mesh_fail(r, ABUT_ERR_LIMIT, -1, "the file is larger than 1 GiB, the most that is read");
}

static ABUT_MATH_NOINLINE abut_status parse(abut_mesh_reader *r, const void *bytes, size_t length,
                                            read_fn read, abut_mesh_data *out)
{
    if (length > ABUT_MESH_FILE_LIMIT)
        return too_large(r);
    r->begin = r->at = bytes;
    r->end = r->begin + length;
    r->line = 1;
    if (length == 0)
        return abut_io_mesh_fail(r, ABUT_ERR_SYNTAX, -1, "the file is empty");
    return finish(r, read(r), out);
}

abut_status abut_mesh_parse(const void *bytes, size_t length, const char *format, const char *name,
                            const abut_allocator *alloc, abut_mesh_data *out, abut_error *error)
{
    abut_base_clear(error);
    if (!out)
        return abut_base_fail(error, ABUT_ERR_ARGUMENT, -1, "out must not be NULL");
    *out = (abut_mesh_data){ 0 };
    const abut_allocator allocator = abut_base_allocator(alloc);
    abut_mesh_reader r = { .name = name ? name : "", .alloc = &allocator, .error = error };
    const read_fn read = format ? reader_of(format) : NULL;
    if (!read)
        return abut_io_mesh_fail(&r, ABUT_ERR_ARGUMENT, -1,
                                 "there is no mesh format '%s'; there are obj, stl, ply and off",
                                 format ? format : "(null)");
    if (!bytes && length > 0)
        return abut_io_mesh_fail(&r, ABUT_ERR_ARGUMENT, -1, "bytes must not be NULL");
    const abut_nearest_library saved = abut_nearest_enter_library();
    const abut_status status = parse(&r, bytes ? bytes : "", length, read, out);
    abut_nearest_leave_library(saved);
    return status;
}

/* ---- files ---- */

typedef ABUT_ARRAY(char) file_bytes;

static abut_status unreadable(abut_mesh_reader *r)
{
    return abut_io_mesh_fail(r, ABUT_ERR_FILE, -1, "the file could not be read");
}

/* The size of the file, as a hint: 0 where there is none to be had (pipes, and folders, which
 * say LONG_MAX). */
static size_t size_hint(FILE *stream)
{
    const long size = fseek(stream, 0, SEEK_END) == 0 ? ftell(stream) : 0;
    return fseek(stream, 0, SEEK_SET) == 0 && size > 0 && size < LONG_MAX ? (size_t)size : 0;
}

/* Reads until the end, wherever that turns out to be. One byte more than the hint lets the first
 * step find it. */
static abut_status read_stream(abut_mesh_reader *r, FILE *stream, file_bytes *bytes)
{
    enum { STEP = 1 << 16 };
    for (size_t wanted = size_hint(stream) + 1;; wanted = STEP) {
        if (bytes->count + wanted > ABUT_MESH_FILE_LIMIT + STEP)
            return too_large(r);
        if (!ABUT_ARRAY_RESERVE(r->alloc, bytes, wanted))
            return abut_io_mesh_fail_memory(r);
        bytes->count += fread(bytes->items + bytes->count, 1, bytes->capacity - bytes->count, stream);
        if (ferror(stream))
            return unreadable(r);
        if (feof(stream))
            return ABUT_OK;
    }
}

/* Assimp opens the file itself, since it may name others beside it; here only what it would say
 * badly. */
static abut_status read_through_assimp(abut_mesh_reader *r, FILE *stream, const char *file)
{
    if (size_hint(stream) > ABUT_MESH_FILE_LIMIT)
        return too_large(r);
    char first;
    if (fread(&first, 1, 1, stream) != 1)
        return ferror(stream) ? unreadable(r)
                              : abut_io_mesh_fail(r, ABUT_ERR_SYNTAX, -1, "the file is empty");
    return abut_io_read_assimp(r, file);
}

static ABUT_MATH_NOINLINE abut_status load(abut_mesh_reader *r, const char *file, read_fn read,
                                           abut_mesh_data *out)
{
    abut_io_opened opened;
    FILE *stream = abut_io_open(file, &opened);
    if (!stream && opened.number)
        return abut_io_mesh_fail(r, ABUT_ERR_FILE, -1,
                                 "the file could not be opened; it must exist and be readable");
    if (!stream)
        return abut_io_mesh_fail(r, ABUT_ERR_FILE, -1,
                                 "the file could not be read; it must be a regular file, not %s",
                                 opened.kind);
    file_bytes bytes = { 0 };
    abut_status status = ABUT_OK;
    if (!read)
        status = finish(r, read_through_assimp(r, stream, file), out);
    else if ((status = read_stream(r, stream, &bytes)) == ABUT_OK)
        status = parse(r, bytes.items, bytes.count, read, out);
    fclose(stream);
    ABUT_ARRAY_FREE(r->alloc, &bytes);
    return status;
}

static abut_status unknown_ending(abut_mesh_reader *r, const char *ending)
{
    if (!*ending)
        return abut_io_mesh_fail(r, ABUT_ERR_FILE, -1,
                                 "the file name has no ending; .obj, .stl, .ply and .off are known");
    if (abut_io_assimp_built())
        return abut_io_mesh_fail(
            r, ABUT_ERR_FILE, -1,
            "the ending '.%.40s' is not known; .obj, .stl, .ply and .off are, and what Assimp reads", ending);
    return abut_io_mesh_fail(r, ABUT_ERR_FILE, -1,
                             "the ending '.%.40s' is not known; this build reads .obj, .stl, .ply and .off "
                             "(it was built without Assimp, which reads more)",
                             ending);
}

abut_status abut_mesh_load(const char *file, const abut_allocator *alloc, abut_mesh_data *out,
                           abut_error *error)
{
    abut_base_clear(error);
    if (!out)
        return abut_base_fail(error, ABUT_ERR_ARGUMENT, -1, "out must not be NULL");
    *out = (abut_mesh_data){ 0 };
    if (!file)
        return abut_base_fail(error, ABUT_ERR_ARGUMENT, -1, "file must not be NULL");
    const abut_allocator allocator = abut_base_allocator(alloc);
    abut_mesh_reader r = { .name = file, .alloc = &allocator, .error = error };
    const char *dot = strrchr(file, '.'), *slash = strrchr(file, '/');
    const char *ending = dot && (!slash || dot > slash) ? dot + 1 : "";
    const read_fn read = reader_of(ending);
    if (!read && !abut_io_assimp_knows(ending))
        return unknown_ending(&r, ending);
    const abut_nearest_library saved = abut_nearest_enter_library();
    const abut_status status = load(&r, file, read, out);
    abut_nearest_leave_library(saved);
    return status;
}

void abut_mesh_data_clear(abut_mesh_data *mesh)
{
    if (!mesh)
        return;
    abut_base_free(&mesh->alloc, mesh->vertices, mesh->vertex_count, sizeof *mesh->vertices);
    abut_base_free(&mesh->alloc, mesh->face_sizes, mesh->face_count, sizeof *mesh->face_sizes);
    abut_base_free(&mesh->alloc, mesh->indices, mesh->index_count, sizeof *mesh->indices);
    *mesh = (abut_mesh_data){ 0 };
}
