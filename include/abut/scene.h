/* SPDX-License-Identifier: MIT */
/* Scene files and mesh files (library abut_io). The formats are in docs/scene-format.md. */
#ifndef ABUT_SCENE_H
#define ABUT_SCENE_H

#include "abut/mesh.h"
#include "abut/motion.h"
#include "abut/shape.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct abut_scene abut_scene;

/* Reads and validates everything, the files it names included; on failure *out is NULL and
 * nothing is kept. At most 256 MiB. `error` gets the file, the line and the JSON path of the
 * first mistake. While it reads, the JSON document itself is in malloc's memory, whatever the
 * allocator. A scene does not change any more and may be shared between threads. */
ABUT_API abut_status abut_scene_load(const char *file, const abut_allocator *alloc, abut_scene **out,
                                     abut_error *error);
/* The same from memory; `name` represents the file in messages, and relative file names are
 * relative to its folder. */
ABUT_API abut_status abut_scene_parse(const char *text, size_t length, const char *name,
                                      const abut_allocator *alloc, abut_scene **out, abut_error *error);
ABUT_API void abut_scene_destroy(abut_scene *scene);

typedef struct abut_scene_object {
    const char *name;
    const abut_shape *shape;
    const abut_motion *motion; /* in the world; never NULL: a pose is a static motion */
    int64_t parent;            /* index of the object that it hangs on, or -1 */
    const char *group;         /* NULL: none */
} abut_scene_object;

/* The scene's "query" table; NaN (or 0 iterations, NULL method) where the file says nothing. */
typedef struct abut_scene_query {
    double simultaneity, separation, accuracy;
    uint64_t max_iterations;
    const char *method;
} abut_scene_query;

ABUT_API abut_interval abut_scene_time(const abut_scene *scene);
ABUT_API size_t abut_scene_object_count(const abut_scene *scene);
/* All fields belong to the scene; zeros for an index out of range. */
ABUT_API abut_scene_object abut_scene_get_object(const abut_scene *scene, size_t index);
/* Index of the object of that name, or -1. */
ABUT_API int64_t abut_scene_find(const abut_scene *scene, const char *name);
/* The pairs asked for, as objects' indices; all pairs, (0,1) (0,2) ... (1,2) ..., when the file
 * has no list, but for a parent with its child, objects of one group and excluded pairs. */
ABUT_API size_t abut_scene_pair_count(const abut_scene *scene);
ABUT_API void abut_scene_get_pair(const abut_scene *scene, size_t index, size_t *a, size_t *b);
/* Whether the file has a list of pairs. */
ABUT_API bool abut_scene_has_pair_list(const abut_scene *scene);
/* The pairs that the file excludes. */
ABUT_API size_t abut_scene_excluded_count(const abut_scene *scene);
ABUT_API void abut_scene_get_excluded(const abut_scene *scene, size_t index, size_t *a, size_t *b);
ABUT_API abut_scene_query abut_scene_get_query(const abut_scene *scene);

/* A mesh as a file holds it: vertices (finite, at least one) and polygons (face i has
 * face_sizes[i] >= 3 consecutive entries of indices, each below vertex_count). Nothing is welded
 * or triangulated. There may be no faces; face_sizes and indices are NULL then. */
typedef struct abut_mesh_data {
    abut_vec3 *vertices;
    size_t vertex_count;
    uint32_t *face_sizes;
    size_t face_count;
    uint32_t *indices;
    size_t index_count;
    abut_allocator alloc;
} abut_mesh_data;

/* By the ending of its name, in either case: .obj .stl .ply .off in full double precision;
 * others through Assimp where the library was built with it. At most 1 GiB. On failure *out is
 * all zero; the error names line (or byte) and vertex or face. See docs/mesh-files.md. */
ABUT_API abut_status abut_mesh_load(const char *file, const abut_allocator *alloc, abut_mesh_data *out,
                                    abut_error *error);
/* The same from memory; `format` is "obj", "stl", "ply" or "off". `name` represents the file in
 * messages. */
ABUT_API abut_status abut_mesh_parse(const void *bytes, size_t length, const char *format, const char *name,
                                     const abut_allocator *alloc, abut_mesh_data *out, abut_error *error);
/* Frees what it holds and sets it to zero. */
ABUT_API void abut_mesh_data_clear(abut_mesh_data *mesh);

/* A mesh shape from a file in one call; polygons are cut into triangles. opts NULL: a surface. */
ABUT_API abut_status abut_shape_load_mesh(const char *file, const abut_mesh_opts *opts,
                                          const abut_allocator *alloc, abut_shape **out, abut_error *error);

#ifdef __cplusplus
}
#endif

#endif
