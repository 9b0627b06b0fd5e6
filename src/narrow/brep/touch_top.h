/* SPDX-License-Identifier: MIT */
/* Where a body meets a plane that supports it, across one of its own axes: what touch.c and touch_explicit.c
 * share. */
#ifndef ABUT_NARROW_BREP_TOUCH_TOP_H
#define ABUT_NARROW_BREP_TOUCH_TOP_H

#include "math/expansion.h"
#include "solid/solid.h"

enum { ABUT_TOP_PATCHES = 24 };

/* A part of the set where a body meets its supporting plane, in the coordinates along the next two local
 * axes. */
typedef enum abut_patch_kind {
    ABUT_PATCH_RECTANGLE,
    ABUT_PATCH_RING,   /* about `center` */
    ABUT_PATCH_REGION, /* of the profile of an extrude */
    ABUT_PATCH_FACE    /* of an explicit solid: its inside */
} abut_patch_kind;

typedef struct abut_contact_patch {
    abut_patch_kind kind;
    double lo[2], hi[2]; /* bounds; of a rectangle itself */
    double center[2], r0, r1;
    uint32_t face;
} abut_contact_patch;

typedef struct abut_top {
    bool known;
    double value; /* greatest of sign times the coordinate */
    double sign;
    int count;
    abut_contact_patch patches[ABUT_TOP_PATCHES];
} abut_top;

static inline bool abut_exact_sum(double a, double b, double *out)
{
    double e;
    *out = abut_two_sum(a, b, &e);
    return e == 0 && isfinite(*out);
}

static inline void abut_top_add_rectangle(abut_top *t, double u0, double u1, double v0, double v1)
{
    if (t->count < ABUT_TOP_PATCHES)
        t->patches[t->count++] =
            (abut_contact_patch){ .kind = ABUT_PATCH_RECTANGLE, .lo = { u0, v0 }, .hi = { u1, v1 } };
}

static inline void abut_top_add_ring(abut_top *t, double u, double v, double r0, double r1)
{
    if (t->count < ABUT_TOP_PATCHES)
        t->patches[t->count++] = (abut_contact_patch){ .kind = ABUT_PATCH_RING,
                                                       .lo = { u - r1, v - r1 },
                                                       .hi = { u + r1, v + r1 },
                                                       .center = { u, v },
                                                       .r0 = r0,
                                                       .r1 = r1 };
}

/* Of an explicit solid whose vertices say what it is: no tolerance is stated. `known` stays false where the
 * plane is not proved to support all of it. */
void abut_top_of_explicit(const abut_solid *solid, int axis, double sign, abut_top *t);
/* Is the point with the coordinates q along the next two axes certainly inside of a face that lies across the
 * axis at `level`? */
bool abut_top_on_face(const abut_solid *solid, uint32_t face, int axis, const double q[2], double level);

#endif
