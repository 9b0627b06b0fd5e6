/* SPDX-License-Identifier: MIT */
/* Proofs that two surface bodies have a point in common all through a stretch of time. */
#ifndef ABUT_CCD_SURFACE_SURFACE_DEEP_H
#define ABUT_CCD_SURFACE_SURFACE_DEEP_H

#include "ccd/surface/surface_scene.h"
#include "narrow/surface/surface_chart.h"

/* What is shown to be common. Any of them is enough; which one serves depends on the forms that
 * the bodies have. */
typedef enum abut_deep_kind {
    ABUT_DEEP_NONE = 0,
    ABUT_DEEP_POINT, /* a point, at rest in the frame of one of them, in both interiors */
    ABUT_DEEP_FACE,  /* a point of a face, with fixed parameters, in the interior of the other */
    ABUT_DEEP_CROSS  /* a face of one crosses a parameter line on a face of the other */
} abut_deep_kind;

typedef struct abut_deep_witness {
    abut_deep_kind kind;
    /* the point; the parameters of the face; those of the face of body 0 and of body 1 */
    double at[4];
    /* POINT, FACE: a box about it was seen to be common, too; in parts of the size of the smaller body,
     * or of the ranges of the parameters */
    double radius;
    int side;                            /* POINT: in whose frame; FACE: the body of the face */
    const abut_surface_feature *face[2]; /* FACE: the first; CROSS: of body 0 and of body 1 */
} abut_deep_witness;

/* A region of a search. */
typedef struct abut_deep_region {
    abut_interval q[4];
    uint32_t face[2];
} abut_deep_region;

enum { ABUT_DEEP_QUEUE = 2048 };

typedef struct abut_deep {
    const abut_surface_parts *parts[2];
    abut_relative_side sides[2];
    ia *scratch[2];
    abut_deep_region *queue; /* ABUT_DEEP_QUEUE of them */
    /* Solids that are known by their faces only: the last box shown to be inside, and, where they
     * deform, when. */
    bool by_faces[2], has_safe[2];
    bool only_safe; /* no other place is examined */
    abut_placed_surface solids[2];
    abut_interval_vec3 safe[2];
    abut_interval safe_time[2];
    abut_deep_witness w;
    uint64_t evaluations, most; /* from `most` on nothing more is evaluated, and nothing proved */
    double length;              /* of the whole time */
    double least;               /* no stretch is halved below this */
    double size; /* of the smaller body: the unit of coordinates, as the range is of parameters */
} abut_deep;

static inline bool abut_deep_spent(const abut_deep *d)
{
    return d->evaluations >= d->most;
}

/* Of examining both bodies. */
static inline size_t abut_deep_work(const abut_deep *d)
{
    return abut_surface_parts_work(d->parts[0]) + abut_surface_parts_work(d->parts[1]);
}

abut_status abut_deep_open(const abut_surface_parts *bodies, abut_interval range, abut_workspace *ws,
                           abut_deep *out);

/* Proves with the witness that they meet all through [lo, hi]. Rounding to nearest, as all of
 * these. */
bool abut_deep_over(abut_deep *d, double lo, double hi);
/* Moves the witness, which must hold at time t or a little beside it, to where it will hold for
 * longer; false where it does not hold at t. */
bool abut_deep_improve(abut_deep *d, double t);
/* Searches for a witness at time t, in `budget` regions at most: 1 where there is one, 0 where it
 * is proved that they have no point in common then, -1 not known. */
int abut_deep_find(abut_deep *d, double t, uint64_t budget);
/* That point of a body's frame as it is, if it is common to both at time t. */
bool abut_deep_set_point(abut_deep *d, int side, abut_vec3 at, double t);
/* A witness at time t, close to a contact that was found at time `from`. */
bool abut_deep_guess(abut_deep *d, const abut_first_point *contact, double from, double t);
/* From `from`, at which the witness holds, towards `to`, earlier or later, as far as it is
 * proved that they meet: returns up to where. The witness holds there. */
double abut_deep_walk(abut_deep *d, double from, double to, double step);

/* ---- between the files ---- */

/* Both bodies over a stretch of time, each in the frame of the other. */
typedef struct abut_deep_time {
    ia t;
    abut_relative to[2]; /* to[i]: points of body i in the frame of the other */
    bool defined;
} abut_deep_time;

/* Kernels. */
void abut_deep_place(const abut_deep *d, ia t, abut_deep_time *out);
/* Whether the interior of a body is known: by fields, or by faces. */
static inline bool abut_deep_knows(const abut_deep *d, int side)
{
    return d->parts[side]->surface.implicit || d->by_faces[side];
}
bool abut_deep_solid_inside(abut_deep *d, int side, ia3 x, ia t);
bool abut_deep_common_box(abut_deep *d, const abut_deep_witness *w, const ia *q, const abut_deep_time *at);
/* POINT, FACE, next to a contact at time `from`, at these points in the frames of the bodies: to
 * the middle between the walls that met there, as they are at time t. A guess. */
bool abut_deep_centre(const abut_deep *d, const abut_vec3 contact[2], double from, double t,
                      abut_deep_witness *w);
/* Kernel. The same for a witness that holds, between the walls about it. `along`: a direction
 * along all of them. False: no edge or vertex is near. */
bool abut_deep_recentre(const abut_deep *d, const abut_deep_time *time, abut_deep_witness *w,
                        double along[3]);
/* CROSS: the nearest common point in doubles, from w->at on; and the proof over a stretch. */
bool abut_deep_decide_cross(abut_deep *d, abut_deep_witness *w, double t);
/* The same with parameter `held` as it is. */
bool abut_deep_decide_line(abut_deep *d, abut_deep_witness *w, int held, double t);
bool abut_deep_cross_over(abut_deep *d, const abut_deep_witness *w, double lo, double hi);

#endif
