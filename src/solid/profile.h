/* SPDX-License-Identifier: MIT */
/* Profiles in the plane: loops of segments and circular arcs. Validation, signed distance, moments.
 * The signed distance is negative inside. */
#ifndef ABUT_SOLID_PROFILE_H
#define ABUT_SOLID_PROFILE_H

#include "abut/solid.h"
#include "base/error.h"
#include "base/workspace.h"

typedef struct abut_xy {
    double x, y;
} abut_xy;

/* A side. An arc turns left (counter-clockwise) when turn is 1, right when it is -1; turn 0: a
 * segment. half is the angle from its middle to an end, as cosine and sine. */
typedef struct abut_side {
    abut_xy from, to;
    abut_xy center, mid; /* mid: unit vector from the centre to the middle of the arc */
    double radius;
    double cos_half, sin_half;
    double bulge; /* as given */
    int turn;
    bool on_axis; /* of a revolve: x = 0 all along */
} abut_side;

typedef struct abut_profile {
    abut_side *sides;
    size_t count;
    size_t *loop_starts; /* loop_count + 1 */
    size_t loop_count;
    abut_xy lo, hi; /* bounds */
    double scale;   /* the largest coordinate in size */
} abut_profile;

typedef enum abut_profile_kind { ABUT_PROFILE_PLANE, ABUT_PROFILE_HALF_PLANE } abut_profile_kind;

/* The first loop is the outer one, the others are its holes. Checks everything: errors name the
 * side or corner as "side 3" with the numbering of faces. `what` names the loops in messages of
 * profiles ("profile") and holes. */
abut_status abut_profile_build(const abut_profile_loop *loops, size_t loop_count, abut_profile_kind kind,
                               abut_workspace *keep, abut_profile *out, abut_error *error);

/* Nearest point of a side, and its distance. */
double abut_side_distance(const abut_side *side, abut_xy p, abut_xy *nearest);

typedef struct abut_profile_near {
    double distance; /* signed */
    size_t side;
    abut_xy point;
} abut_profile_near;

/* Of sides that make faces where faces_only (those on the axis of a revolve do not); the sign is
 * that of the region all the same. Good to some 40 ulp of the scale and the point's coordinates;
 * the sign is right where the distance exceeds that. */
void abut_profile_nearest(const abut_profile *profile, abut_xy p, bool faces_only, abut_profile_near *out);
/* Parity of the crossings to the right of p; right where p is not within rounding of a side. */
bool abut_profile_contains(const abut_profile *profile, abut_xy p);

/* Of a side: enclosures-in-doubles of integrals along it, for areas and volumes (solid/mass.c). */
static inline abut_xy abut_side_tangent(const abut_side *s, int end)
{
    const double x = end ? s->to.x : s->from.x, y = end ? s->to.y : s->from.y;
    if (!s->turn)
        return (abut_xy){ s->to.x - s->from.x, s->to.y - s->from.y };
    return (abut_xy){ -s->turn * (y - s->center.y), s->turn * (x - s->center.x) };
}

#endif
