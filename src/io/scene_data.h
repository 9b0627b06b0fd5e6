/* SPDX-License-Identifier: MIT */
/* What a scene holds, for the files that fill and read it. */
#ifndef ABUT_IO_SCENE_DATA_H
#define ABUT_IO_SCENE_DATA_H

#include "io/scene_links.h"
#include "io/scene_reader.h"

typedef struct scene_object {
    char *name;
    abut_shape *shape;
    abut_motion *motion; /* in the world, once all parents are known */
    size_t parent;       /* ABUT_IO_NONE: none */
    char *parent_name;   /* while the scene is read */
    char *group;         /* NULL: none */
} scene_object;

typedef struct scene_pair {
    size_t a, b;
} scene_pair;

typedef struct scene_pairs {
    scene_pair *items;
    size_t count, capacity;
} scene_pairs;

struct abut_scene {
    abut_allocator alloc;
    abut_interval time;
    scene_object *objects;
    size_t object_count, object_capacity; /* filled so far, and allocated */
    /* object_capacity of them: objects in the order of their names */
    size_t *by_name;
    bool all_pairs;
    scene_pairs pairs, excluded;
    abut_io_links links; /* where not all pairs are asked for by default */
    abut_scene_query query;
    char *method;
};

/* scene.c: the number of the object that a string names. */
bool abut_io_read_object_name(abut_io_reader *r, const abut_scene *scene, json_t *value, size_t *out);

/* scene_pairs.c: "pairs" and "exclude", or the pairs there are by default. */
bool abut_io_read_pairs(abut_io_reader *r, json_t *root, abut_scene *scene);

#endif
