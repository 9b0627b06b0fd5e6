/* SPDX-License-Identifier: MIT */
/* Assimp as a reader of mesh files, without any post-processing. */
#include "io_case.h"

#include <assimp/cimport.h>
#include <assimp/scene.h>
#include <stdlib.h>

typedef struct reader {
    const bench_file *file;
    const struct aiScene *scene;
} reader;

static void *prepare(void *data, int variant)
{
    (void)variant;
    reader *r = bench_alloc(1, sizeof *r);
    r->file = data;
    return r;
}

static double run(void *state, int variant)
{
    (void)variant;
    reader *r = state;
    if (r->scene)
        aiReleaseImport(r->scene);
    r->scene = aiImportFile(r->file->name, 0);
    return r->scene && r->scene->mNumMeshes ? (double)r->scene->mMeshes[0]->mNumFaces : -1;
}

static uint64_t wrong(void *state, int variant)
{
    (void)variant;
    const reader *r = state;
    if (!r->scene || r->scene->mNumMeshes != 1 || r->scene->mMeshes[0]->mNumFaces != r->file->face_count)
        return 9 * r->file->face_count;
    const struct aiMesh *mesh = r->scene->mMeshes[0];
    uint64_t count = 0;
    for (size_t f = 0; f < r->file->face_count; ++f) {
        for (int corner = 0; corner < 3; ++corner) {
            const struct aiVector3D v = mesh->mVertices[mesh->mFaces[f].mIndices[corner]];
            count += bench_file_differs(r->file, f, corner, (double)v.x, (double)v.y, (double)v.z);
        }
    }
    return count;
}

static void finish(void *state, int variant)
{
    (void)variant;
    reader *r = state;
    if (r->scene)
        aiReleaseImport(r->scene);
    free(r);
}

int bench_assimp_files(bench_contender *contenders, int room)
{
    if (room < 1)
        return 0;
    contenders[0] = (bench_contender){
        .name = "Assimp aiImportFile", .prepare = prepare, .run = run, .wrong = wrong, .finish = finish
    };
    return 1;
}
