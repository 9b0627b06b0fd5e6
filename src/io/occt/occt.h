/* SPDX-License-Identifier: MIT */
/* The C interface between abut_io and the reader of STEP and BREP files, which is a loadable module
 * (libabut_occt.so) because only it is C++ and only it needs Open CASCADE: programs that read no
 * such file do not pay for loading twenty libraries. Plain data; everything that `read` gives out
 * belongs to the file and lives until `close`. Indices are those of SCENE's `solid`. */
#ifndef ABUT_IO_OCCT_OCCT_H
#define ABUT_IO_OCCT_OCCT_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Changes whenever a struct of this file does: a module of another build is refused. */
#define ABUT_OCCT_VERSION 1

typedef enum occt_format { OCCT_STEP = 1, OCCT_BREP } occt_format;

typedef enum occt_surface_kind {
    OCCT_PLANE = 1,
    OCCT_SPHERE,
    OCCT_CYLINDER,
    OCCT_CONE,
    OCCT_TORUS,
    OCCT_QUADRIC,
    OCCT_SURFACE_KINDS
} occt_surface_kind;

/* Where a field has no meaning for the kind it is 0. */
typedef struct occt_surface {
    occt_surface_kind kind;
    double point[3]; /* on the plane; centre; on the axis; apex */
    double axis[3];  /* unit; a plane's normal; a cone's from its apex into the nappe */
    /* major radius of a torus (negative: the inner sheet of one that crosses its axis); tangent of a
     * cone's half angle */
    double radius;
    double minor;        /* of a torus */
    double matrix[4][4]; /* of a quadric */
} occt_surface;

typedef enum occt_edge_kind {
    OCCT_LINE = 1,
    OCCT_CIRCLE,
    OCCT_CONIC,
    OCCT_INTERSECTION,
    OCCT_SPLINE,
    OCCT_EDGE_KINDS
} occt_edge_kind;

typedef struct occt_edge {
    occt_edge_kind kind;
    int32_t from, to;
    double point[3];      /* centre of a circle, control point of a conic, a point within an intersection */
    double axis[3];       /* of a circle, unit */
    double weight;        /* of a conic */
    int32_t surfaces[2];  /* of an intersection */
    size_t point_count;   /* of a spline */
    const double *points; /* three numbers each */
} occt_edge;

typedef struct occt_coedge {
    int32_t edge, sense;
} occt_coedge;

typedef struct occt_loop {
    size_t count;
    const occt_coedge *coedges;
} occt_loop;

typedef struct occt_face {
    int32_t surface; /* -1: not supported */
    int32_t outward;
    size_t loop_count;
    const occt_loop *loops;
    const char *label; /* the file's own name for it: "#123", or "" */
} occt_face;

/* What keeps a solid from being used. */
typedef struct occt_issue {
    int32_t face; /* its number in the file's order, or -1 */
    const char *text;
} occt_issue;

typedef struct occt_part {
    const char *name; /* "" where the file has none */
    size_t surface_count, vertex_count, edge_count, face_count, shell_count, issue_count;
    const occt_surface *surfaces;
    const double *vertices;
    const occt_edge *edges;
    const occt_face *faces;
    const occt_issue *issues;
    double tolerance; /* covers what the file states, 1e-7 of the size, and what was measured */
    double measured;  /* farthest distance of an edge or vertex from a surface it should lie on */
    double size;      /* diagonal of its box */
    size_t seams;     /* edges along which a face met itself, which are left out */
    size_t recognised_edges, recognised_faces; /* splines that are another curve, surface */
} occt_part;

typedef struct occt_file {
    size_t part_count;
    const occt_part *parts;
    size_t loose_faces; /* faces that belong to no solid */
    const char *unit;   /* of length, as the file names it, or "" */
} occt_file;

typedef enum occt_status { OCCT_OK = 0, OCCT_MEMORY, OCCT_SYNTAX, OCCT_EMPTY } occt_status;

typedef struct occt_reader {
    int32_t version;
    occt_status (*read)(const char *path, occt_format format, occt_file **out, char *message, size_t size);
    void (*close)(occt_file *file);
} occt_reader;

/* The one symbol of the module. */
typedef const occt_reader *(*abut_occt_reader_fn)(void);
#define ABUT_OCCT_SYMBOL "abut_occt_reader"

#ifdef __cplusplus
}
#endif

#endif
