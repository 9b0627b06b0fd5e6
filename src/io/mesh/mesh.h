/* SPDX-License-Identifier: MIT */
/* What the readers of mesh files share: the text or bytes still to read, the mesh so far, and how
 * to fail.
 *
 * Invariants: `at` never passes `end`; nothing is allocated from a count in the file before that
 * count was checked against the bytes that are left; a reader that fails frees nothing
 * (abut_mesh_parse does). */
#ifndef ABUT_IO_MESH_MESH_H
#define ABUT_IO_MESH_MESH_H

#include "abut/scene.h"
#include "base/error.h"
#include "base/memory.h"

#define ABUT_MESH_FILE_LIMIT (UINT64_C(1) << 30)

typedef struct abut_mesh_reader {
    const char *begin, *at, *end;
    int32_t line; /* of `at`, from 1; 0 while reading binary data */
    const char *name;
    const abut_allocator *alloc;
    abut_error *error;
    ABUT_ARRAY(abut_vec3) vertices;
    ABUT_ARRAY(uint32_t) face_sizes;
    ABUT_ARRAY(uint32_t) indices;
    /* The greatest index so far, the face that has it, and where: formats may name vertices
     * before they come. */
    struct {
        uint32_t index;
        int32_t line;
        int64_t face;
    } greatest;
} abut_mesh_reader;

abut_status abut_io_read_obj(abut_mesh_reader *r);
abut_status abut_io_read_stl(abut_mesh_reader *r);
abut_status abut_io_read_ply(abut_mesh_reader *r);
abut_status abut_io_read_off(abut_mesh_reader *r);

/* Any other file, where the library was built with Assimp. The reader's bytes are not used. */
bool abut_io_assimp_built(void);
bool abut_io_assimp_knows(const char *ending);
abut_status abut_io_read_assimp(abut_mesh_reader *r, const char *file);

/* Fills the error with the reader's file and line; index: of the vertex or face, -1 where there
 * is none. */
abut_status abut_io_mesh_fail(abut_mesh_reader *r, abut_status status, int64_t index, const char *format, ...)
    ABUT_PRINTF(4, 5);
abut_status abut_io_mesh_fail_memory(abut_mesh_reader *r);

/* Appends a corner to the face that is being read, and ends a face of `size` corners. False:
 * memory is out. */
static inline bool abut_io_mesh_corner(abut_mesh_reader *r, uint32_t index)
{
    if (index > r->greatest.index) {
        r->greatest.index = index;
        r->greatest.line = r->line;
        r->greatest.face = (int64_t)r->face_sizes.count;
    }
    return ABUT_ARRAY_PUSH(r->alloc, &r->indices, index);
}

static inline bool abut_io_mesh_face(abut_mesh_reader *r, uint32_t size)
{
    return ABUT_ARRAY_PUSH(r->alloc, &r->face_sizes, size);
}

#endif
