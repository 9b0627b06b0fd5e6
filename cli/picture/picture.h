/* SPDX-License-Identifier: MIT */
/* What `abut draw` and `abut view` share: figures (objects as triangles in their places) and the
 * answers that are shown with them. */
#ifndef ABUT_CLI_PICTURE_H
#define ABUT_CLI_PICTURE_H

#include "cli.h"

/* ---- objects.c: what there is to see ---- */

/* Colour of the object of that number. */
uint32_t cli_look_colour(size_t object); /* 0xrrggbb */

/* No end of it is drawn: it does not count for the size of the picture. */
bool cli_look_is_endless(const abut_shape *shape);
/* Whether its form changes with the time, by its vertices or its formulas. */
bool cli_look_deforms(const abut_scene_object *object, abut_interval range);
/* Where the object is; the identity for one whose vertices move by themselves. */
abut_status cli_look_place(const abut_scene_object *object, double time, abut_affine *out);
/* How far triangles may be off, as a share of the size of a body: many bodies are drawn small. */
double cli_look_share(size_t objects);
/* Its triangles at that time, in its own frame. `window`: a box in the world, for what has no end;
 * NULL where that is not known yet. `span`: see abut_tessellate_opts. */
abut_status cli_look_triangles(const abut_scene_object *object, double share, double time, abut_interval span,
                               const abut_aabb *window, abut_tessellation *out, abut_error *error);
abut_vec3 cli_look_apply(const abut_affine *at, abut_vec3 p);
abut_aabb cli_look_no_box(void);
/* Widens the box by the triangles' vertices, placed. */
void cli_look_widen(abut_aabb *box, const abut_tessellation *mesh, const abut_affine *at);
/* A box to draw in: `box`, or something of size 1 where that is empty. */
abut_aabb cli_look_window(abut_aabb box);

/* The message for an object that cannot be drawn; returns the exit code. */
int cli_look_failed(const cli_session *session, size_t object, abut_status status, const abut_error *error);
/* Writes a file ("-": standard output); CLI_DONE, or CLI_FAILED after a message. */
int cli_look_write(const char *file, const cli_text *bytes);

/* The first contact, as far as it was found within the seconds allowed. */
typedef struct cli_first {
    bool known; /* an answer was found; else `why` says why not */
    abut_set_result result;
    abut_set_point *points;
    size_t point_count;
    const char *why;
} cli_first;

/* Contact points that pictures hold at most. */
enum { CLI_LOOK_POINTS = 20000 };

/* CLI_DONE, or out of memory. Answers that there is no method for, or that take too long, are noted. */
int cli_look_first(cli_session *session, double seconds, cli_first *out);
/* Are the pairs too many for a list, so that the world finds those that meet? */
bool cli_look_is_unlisted(const cli_session *session);
void cli_first_clear(cli_first *first);

/* Stops queries at a time of the clock; a progress callback. */
typedef struct cli_deadline {
    cli_session *session;
    double at;
} cli_deadline;
bool cli_deadline_progress(void *ctx, double fraction);

/* ---- base64.c ---- */

void cli_base64(cli_text *out, const void *bytes, size_t length);

/* ---- png.c: pictures as files ---- */

/* 8-bit RGB, row by row from the top, as PNG; false when memory is out. */
bool cli_png(cli_text *out, const uint8_t *rgb, int width, int height);

/* ---- raster.c: triangles as a picture ---- */

typedef struct cli_figure {
    abut_tessellation mesh;
    abut_affine at;
    uint32_t colour;
    bool shared;  /* the mesh is another figure's */
    bool endless; /* does not count for the size, casts no shadow, seen from outside only */
} cli_figure;

/* Marks over the picture, in pixels. */
typedef enum cli_mark_kind { CLI_MARK_DOT, CLI_MARK_ARROW } cli_mark_kind;
typedef struct cli_mark {
    cli_mark_kind kind;
    abut_vec3 from, to; /* in the world; a dot has only the first */
    double x[2], y[2];  /* on the picture, when it is drawn */
    bool hidden;        /* behind something */
} cli_mark;

typedef struct cli_camera {
    double azimuth, elevation; /* degrees: where the eye is, seen from the middle */
    double zoom;
} cli_camera;

typedef struct cli_canvas {
    int width, height;
    bool dark;
    uint8_t *rgb;
} cli_canvas;

/* Draws the figures, and finds where the marks are; CLI_DONE, or out of memory. */
int cli_raster(cli_canvas *canvas, const cli_camera *camera, const cli_figure *figures, size_t figure_count,
               cli_mark *marks, size_t mark_count);
/* Marks grow with the picture. */
double cli_mark_scale(int width);
/* Of a dot, where the picture is 960 wide: many are smaller. */
double cli_mark_radius(size_t mark_count);
/* Draws the marks into the canvas. */
void cli_raster_marks(cli_canvas *canvas, const cli_mark *marks, size_t mark_count);

#endif
