/* SPDX-License-Identifier: MIT */
/* The header of a .ply file: which elements follow, how many, and what each is made of. */
#ifndef ABUT_IO_MESH_MESH_PLY_H
#define ABUT_IO_MESH_MESH_PLY_H

#include "io/mesh/mesh.h"

typedef enum ply_type {
    PLY_NONE = 0,
    PLY_INT8,
    PLY_UINT8,
    PLY_INT16,
    PLY_UINT16,
    PLY_INT32,
    PLY_UINT32,
    PLY_FLOAT32,
    PLY_FLOAT64
} ply_type;

/* What a property means to us. */
typedef enum ply_role { PLY_SKIPPED = 0, PLY_X, PLY_Y, PLY_Z, PLY_CORNERS } ply_role;

typedef struct ply_property {
    ply_type type;       /* of the value, or of a list's items */
    ply_type count_type; /* of a list's length; PLY_NONE: not a list */
    ply_role role;
} ply_property;

typedef enum ply_kind { PLY_OTHER = 0, PLY_VERTEX, PLY_FACE } ply_kind;

typedef struct ply_element {
    ply_kind kind;
    uint64_t count;
    size_t first_property, property_count;
} ply_element;

typedef enum ply_encoding { PLY_ASCII = 1, PLY_LITTLE, PLY_BIG } ply_encoding;

typedef struct ply_header {
    ply_encoding encoding;
    ABUT_ARRAY(ply_element) elements;
    ABUT_ARRAY(ply_property) properties;
} ply_header;

/* Reads up to the first byte of data. On failure too, what *header holds is the caller's to
 * free. */
abut_status abut_io_read_ply_header(abut_mesh_reader *r, ply_header *header);

/* 1, 2, 4 or 8; 0 for PLY_NONE. */
size_t abut_io_ply_size(ply_type type);

#endif
