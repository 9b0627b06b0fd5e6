/* SPDX-License-Identifier: MIT */
/* What the files about segments share: parameters along a segment, compared exactly, and pieces. */
#ifndef ABUT_NARROW_POLYHEDRON_SEGMENT_H
#define ABUT_NARROW_POLYHEDRON_SEGMENT_H

#include "base/memory.h"
#include "math/vec3.h"
#include "narrow/polyhedron/polyhedron.h"

/* A parameter is an end of the segment, or where an affine function is zero along it: of a plane through
 * three vertices, or a line through two, seen along an axis. */
typedef enum segment_place_kind { AT_START, AT_END, AT_PLANE, AT_LINE } segment_place_kind;

typedef struct segment_place {
    segment_place_kind kind;
    int axis;        /* of a line */
    uint32_t v[3];   /* vertices */
    double t, error; /* rounded */
} segment_place;

/* A stretch or a point (both places the same) on a triangle. */
typedef struct segment_meeting {
    segment_place from, to;
    uint32_t triangle;
    int along; /* side of the triangle that a stretch lies on; -1: inside */
    int part;  /* of a point: 0..2 corners, 3..5 sides, 6 inside */
    int side;  /* of a point: +1 the segment leaves the solid there, -1 it enters, as far as the plane says */
    bool stretch;
} segment_meeting;

typedef struct segment_walker {
    const abut_shape *shape;
    const abut_faceted_data *mesh;
    abut_vec3 p, q;
    double size;
    abut_allocator alloc;
    ABUT_ARRAY(segment_meeting) list;
    ABUT_ARRAY(segment_place) places;
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

#endif
