/* SPDX-License-Identifier: MIT */
/* What the files about segments share: parameters along a segment, compared exactly, and pieces. */
#ifndef ABUT_NARROW_POLYHEDRON_SEGMENT_H
#define ABUT_NARROW_POLYHEDRON_SEGMENT_H

#include "base/memory.h"
#include "brep/index.h"
#include "math/vec3.h"
#include "narrow/polyhedron/polyhedron.h"

/* A parameter is an end of the segment, or where an affine function is zero along it: of a plane through
 * three vertices, a line through two, seen along an axis, or a coordinate less a number. */
typedef enum segment_place_kind { AT_START, AT_END, AT_PLANE, AT_LINE, AT_NUMBER } segment_place_kind;

typedef struct segment_place {
    segment_place_kind kind;
    int axis;        /* of a line, a coordinate */
    uint32_t v[3];   /* vertices */
    double number;   /* of a coordinate */
    double t, error; /* rounded */
} segment_place;

/* A stretch or a point (both places the same) on a triangle. */
typedef struct segment_meeting {
    segment_place from, to;
    uint32_t triangle;
    int along; /* side of the triangle that a stretch lies on; -1: inside */
    int part;  /* of a point: 0..2 corners, 3..5 sides, 6 inside */
    bool stretch;
} segment_meeting;

/* A point or an open stretch of the segment in one leaf of the index, or in an entity of a run (leaf -1). */
typedef struct segment_span {
    segment_place from, to;
    int64_t leaf;
    abut_piece piece; /* of what is known */
    bool point, known;
} segment_span;

typedef struct segment_walker {
    const abut_shape *shape;
    const abut_faceted_data *mesh;
    abut_vec3 p, q;
    double size;
    abut_allocator alloc;
    ABUT_ARRAY(segment_meeting) list;
    ABUT_ARRAY(segment_place) places;
    ABUT_ARRAY(segment_span) spans;
    bool failed;
} segment_walker;

/* segment_place.c */
static inline segment_place segment_start(void)
{
    return (segment_place){ .kind = AT_START };
}

static inline segment_place segment_end(void)
{
    return (segment_place){ .kind = AT_END, .t = 1 };
}

/* Sets t and error from the rest. */
void segment_place_set(const segment_walker *w, segment_place *at);
/* Sign of the difference of two parameters, exactly. */
int segment_compare(const segment_walker *w, const segment_place *a, const segment_place *b);

/* segment_index.c: spans of the segment in the leaves of the index, in order. *all: every leaf knows what it
 * is in. */
void segment_walk_index(segment_walker *w, const abut_index *index, bool *all);

#endif
