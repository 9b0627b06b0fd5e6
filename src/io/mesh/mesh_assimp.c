/* SPDX-License-Identifier: MIT */
/* All other mesh formats through Assimp's C interface, where CMake found it (option ABUT_ASSIMP).
 *
 * Every mesh of every node is placed by the product of the node transforms, which is formed in
 * doubles, and all are joined. Assimp keeps single precision: coordinates are widened floats,
 * and what a proof says about them holds for those floats, not for the decimals in the file.
 * Points and lines are left out. A file's own axes are kept (Collada's "up" is ignored), so that
 * the numbers are those in the file. */
#include "io/mesh/mesh.h"

#ifdef ABUT_HAVE_ASSIMP

#include <assimp/cimport.h>
#include <assimp/config.h>
#include <assimp/postprocess.h>
#include <assimp/scene.h>
#include <math.h>
#include <string.h>

bool abut_io_assimp_built(void)
{
    return true;
}

bool abut_io_assimp_knows(const char *ending)
{
    char dotted[32] = ".";
    if (!*ending || strlen(ending) > sizeof dotted - 2)
        return false;
    strcpy(dotted + 1, ending);
    return aiIsExtensionSupported(dotted) == AI_TRUE;
}

/* Rows of an affine map. */
typedef struct placement {
    double m[3][4];
} placement;

static placement compose(const placement *outer, const struct aiMatrix4x4 *inner)
{
    const double b[4][4] = {
        { (double)inner->a1, (double)inner->a2, (double)inner->a3, (double)inner->a4 },
        { (double)inner->b1, (double)inner->b2, (double)inner->b3, (double)inner->b4 },
        { (double)inner->c1, (double)inner->c2, (double)inner->c3, (double)inner->c4 },
        { 0, 0, 0, 1 },
    };
    placement product;
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 4; ++j) {
            double sum = j == 3 ? outer->m[i][3] : 0;
            for (int k = 0; k < 3; ++k)
                sum += outer->m[i][k] * b[k][j];
            product.m[i][j] = sum;
        }
    }
    return product;
}

static abut_status add_mesh(abut_mesh_reader *r, const struct aiMesh *mesh, const placement *at)
{
    const size_t first = r->vertices.count;
    if (mesh->mNumVertices > UINT32_MAX - first)
        return abut_io_mesh_fail(r, ABUT_ERR_LIMIT, -1, "there are more than 2^32 - 1 vertices");
    if (!ABUT_ARRAY_RESERVE(r->alloc, &r->vertices, mesh->mNumVertices))
        return abut_io_mesh_fail_memory(r);
    for (unsigned i = 0; i < mesh->mNumVertices; ++i) {
        const double p[3] = { (double)mesh->mVertices[i].x, (double)mesh->mVertices[i].y,
                              (double)mesh->mVertices[i].z };
        double q[3];
        for (int axis = 0; axis < 3; ++axis) {
            const double *row = at->m[axis];
            q[axis] = row[0] * p[0] + row[1] * p[1] + row[2] * p[2] + row[3];
            if (!isfinite(q[axis]))
                return abut_io_mesh_fail(r, ABUT_ERR_VALUE, (int64_t)r->vertices.count,
                                         "%c of vertex %zu is %f; it must be finite", "xyz"[axis],
                                         r -> vertices.count, q[axis]);
        }
        r->vertices.items[r->vertices.count++] = (abut_vec3){ q[0], q[1], q[2] };
    }
    for (unsigned f = 0; f < mesh->mNumFaces; ++f) {
        const struct aiFace *face = &mesh->mFaces[f];
        if (face->mNumIndices < 3)
            continue;
        for (unsigned i = 0; i < face->mNumIndices; ++i) {
            if (face->mIndices[i] >= mesh->mNumVertices)
                return abut_io_mesh_fail(r, ABUT_ERR_VALUE, (int64_t)r->face_sizes.count,
                                         "face %zu names vertex %u of a mesh that has only %u",
                                         r->face_sizes.count, face->mIndices[i], mesh->mNumVertices);
            if (!abut_io_mesh_corner(r, (uint32_t)first + face->mIndices[i]))
                return abut_io_mesh_fail_memory(r);
        }
        if (!abut_io_mesh_face(r, face->mNumIndices))
            return abut_io_mesh_fail_memory(r);
    }
    return ABUT_OK;
}

/* Recursion is bounded, because a file chooses the depth of its tree. */
static abut_status add_node(abut_mesh_reader *r, const struct aiScene *scene, const struct aiNode *node,
                            const placement *parent, int depth)
{
    enum { DEEPEST = 256 };
    if (depth > DEEPEST)
        return abut_io_mesh_fail(r, ABUT_ERR_LIMIT, -1, "nodes are nested more than %d deep", DEEPEST);
    const placement here = compose(parent, &node->mTransformation);
    for (unsigned i = 0; i < node->mNumMeshes; ++i) {
        const abut_status status = add_mesh(r, scene->mMeshes[node->mMeshes[i]], &here);
        if (status != ABUT_OK)
            return status;
    }
    for (unsigned i = 0; i < node->mNumChildren; ++i) {
        const abut_status status = add_node(r, scene, node->mChildren[i], &here, depth + 1);
        if (status != ABUT_OK)
            return status;
    }
    return ABUT_OK;
}

abut_status abut_io_read_assimp(abut_mesh_reader *r, const char *file)
{
    struct aiPropertyStore *properties = aiCreatePropertyStore();
    if (!properties)
        return abut_io_mesh_fail_memory(r);
    aiSetImportPropertyInteger(properties, AI_CONFIG_IMPORT_COLLADA_IGNORE_UP_DIRECTION, 1);
    const struct aiScene *scene =
        aiImportFileExWithProperties(file, aiProcess_ValidateDataStructure, NULL, properties);
    aiReleasePropertyStore(properties);
    if (!scene)
        return abut_io_mesh_fail(r, ABUT_ERR_SYNTAX, -1, "Assimp cannot read it: %s", aiGetErrorString());
    const placement identity = { { { 1, 0, 0, 0 }, { 0, 1, 0, 0 }, { 0, 0, 1, 0 } } };
    const abut_status status =
        scene->mRootNode ? add_node(r, scene, scene->mRootNode, &identity, 0) : ABUT_OK;
    aiReleaseImport(scene);
    return status;
}

#else

bool abut_io_assimp_built(void)
{
    return false;
}

bool abut_io_assimp_knows(const char *ending)
{
    (void)ending;
    return false;
}

abut_status abut_io_read_assimp(abut_mesh_reader *r, const char *file)
{
    (void)file;
    return abut_io_mesh_fail(r, ABUT_ERR_FILE, -1, "this build has no Assimp");
}

#endif
