/* SPDX-License-Identifier: MIT */
/* The page of `abut view` under construction. */
#ifndef ABUT_CLI_VIEW_H
#define ABUT_CLI_VIEW_H

#include "picture/picture.h"

typedef struct view_geometry {
    uint64_t hash;
    size_t vertex_count, triangle_count, edge_count;
} view_geometry;

typedef struct view_object {
    size_t *geometries; /* one a frame */
    int frames;
    bool deforms, morph, solid; /* morph: the same triangles in all frames */
    size_t matrices;            /* where they begin in the data */
    int samples;
} view_object;

typedef struct view_page {
    cli_session *session;
    cli_text data; /* numbers for the renderer */
    cli_text geometry_text;
    cli_json geometry_json; /* writes to geometry_text */
    view_geometry *geometries;
    size_t geometry_count, geometry_capacity;
    view_object *objects;
    size_t object_count;
    abut_aabb box;    /* around everything that has an end, at all times */
    size_t triangles; /* at the start */
} view_page;

/* view_scene.c */
int view_add_objects(view_page *page);
void view_objects_json(const view_page *page, cli_json *json);
void view_page_clear(view_page *page);

/* view_answers.c: "first", "pairs", "checkStep" and "notes" */
int view_answers_json(view_page *page, cli_json *json, double *start);

/* Made of page/ when the command is built: the page, its style, its program. */
extern const char cli_page_html[], cli_page_style[], cli_page_script[];

#endif
