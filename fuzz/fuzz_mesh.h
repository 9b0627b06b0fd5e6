/* SPDX-License-Identifier: MIT */
/* The body of the mesh harnesses: any bytes give a valid mesh or an error that says something;
 * memory stays in proportion to the file; nothing is lost. */
#ifndef ABUT_FUZZ_MESH_H
#define ABUT_FUZZ_MESH_H

#include "abut/scene.h"
#include "fuzz.h"

#include <math.h>
#include <string.h>

typedef struct fuzz_account {
    size_t outstanding, most;
} fuzz_account;

static inline void *fuzz_reallocate(void *ctx, void *memory, size_t old_size, size_t new_size)
{
    fuzz_account *a = (fuzz_account *)ctx;
    a->outstanding += new_size - old_size;
    if (a->outstanding > a->most)
        a->most = a->outstanding;
    return realloc(memory, new_size);
}

static inline void fuzz_release(void *ctx, void *memory, size_t size)
{
    fuzz_account *a = (fuzz_account *)ctx;
    if (memory)
        a->outstanding -= size;
    free(memory);
}

static inline void fuzz_check_mesh(const abut_mesh_data *mesh)
{
    size_t corners = 0;
    FUZZ_REQUIRE(mesh->vertex_count > 0);
    for (size_t i = 0; i < mesh->vertex_count; ++i)
        FUZZ_REQUIRE(isfinite(mesh->vertices[i].x) && isfinite(mesh->vertices[i].y) &&
                     isfinite(mesh->vertices[i].z));
    for (size_t f = 0; f < mesh->face_count; ++f) {
        FUZZ_REQUIRE(mesh->face_sizes[f] >= 3);
        corners += mesh->face_sizes[f];
    }
    FUZZ_REQUIRE(corners == mesh->index_count);
    for (size_t i = 0; i < mesh->index_count; ++i)
        FUZZ_REQUIRE(mesh->indices[i] < mesh->vertex_count);
}

static inline int fuzz_mesh(const uint8_t *data, size_t size, const char *format)
{
    fuzz_account account = { 0 };
    const abut_allocator alloc = { fuzz_reallocate, fuzz_release, &account };
    abut_mesh_data mesh;
    abut_error error;
    const abut_status status = abut_mesh_parse(data, size, format, "fuzz", &alloc, &mesh, &error);
    /* A vertex takes 24 bytes here and at least 3 in a file; arrays grow by halves; the rest is
     * for small files. */
    FUZZ_REQUIRE(account.most <= 64 * size + 4096);
    if (status == ABUT_OK) {
        fuzz_check_mesh(&mesh);
    } else {
        const abut_mesh_data zero = { 0 };
        FUZZ_REQUIRE(status == ABUT_ERR_SYNTAX || status == ABUT_ERR_VALUE);
        FUZZ_REQUIRE(error.status == status && error.text[0] && memchr(error.text, 0, sizeof error.text));
        FUZZ_REQUIRE(memcmp(&mesh, &zero, sizeof mesh) == 0);
    }
    abut_mesh_data_clear(&mesh);
    FUZZ_REQUIRE(account.outstanding == 0);
    return 0;
}

#endif
