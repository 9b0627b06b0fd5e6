/* SPDX-License-Identifier: MIT */
/* The pair method of this module. */
#ifndef ABUT_NARROW_COVER_PAIRS_H
#define ABUT_NARROW_COVER_PAIRS_H

#include "interval/ia3.h"
#include "narrow/pair/pair.h"
#include "narrow/surface/surface_chart.h"
#include "surface/surface.h"

/* Cells of curved bodies, kept between searches of one pair of shapes at several instants. */
typedef struct abut_cover_cache abut_cover_cache;
/* NULL when memory is out. */
abut_cover_cache *abut_cover_cache_create(const abut_allocator *alloc);
void abut_cover_cache_destroy(abut_cover_cache *cache);
/* Where the feature of a curved sheet crosses a segment, at o + z2 d0, or an edge of one a triangle. */
typedef struct abut_cover_crossing {
    bool known;
    int curved;       /* which body is the curved one */
    uint32_t feature; /* of it */
    double z[3];      /* parameters of the feature, then of the flat one */
    int count;        /* directions of the flat one, in the frame of its body */
    abut_vec3 o, d[2];
} abut_cover_crossing;
/* Kernel. Is it proved to cross there where the flat one, in the frame of the curved body, is any of these,
 * within slack? */
bool abut_cover_keeps_crossing(const abut_placed_surface *curved, const abut_cover_crossing *c, double slack,
                               ia3 o, const ia3 d[2]);

/* Points that the last search found, in the world: of bodies that are apart or of rounded ones, one near
 * point of each (of its spine); of bodies that meet, a common point, which each is known to be of or not. */
typedef struct abut_cover_seen {
    bool of[2];
    bool common;
    abut_vec3 point[2];
    double blur;                  /* each body has a point within that */
    double swell;                 /* the bodies are all that is within so much of the spines, together */
    abut_cover_crossing crossing; /* sheets that meet */
} abut_cover_seen;
abut_cover_seen abut_cover_cache_seen(const abut_cover_cache *cache);
void abut_cover_cache_forget(abut_cover_cache *cache);

/* How the second body of a pair moves in the frame of the first over a stretch of time that begins, or
 * backward ends, at the instant of the pair: its points are at Q y + c, with those rates over all of it. */
typedef struct abut_cover_motion {
    abut_interval_mat3 turn;  /* of Q, which is rigid */
    abut_interval_vec3 shift; /* of c */
    double duration;
    bool backward;
    double reach;    /* no point of one moves further in the frame of the other */
    uint64_t budget; /* pairs of cells */
} abut_cover_motion;

/* Two bodies that are apart at the instant of the pair: are they proved to be apart over the whole stretch?
 * (sweep.c) */
abut_status abut_cover_stays_apart(const abut_pair *pair, const abut_cover_motion *motion, abut_workspace *ws,
                                   bool *apart, abut_counters *counters);

/* Bodies that are apart by next to nothing, or touch: the places where they do, with points of each
 * (touching.c). `alone`: there is no other such point beside it; otherwise it is one of the points spread
 * over a curve or region. */
typedef struct abut_cover_contact {
    abut_vec3 point[2], normal; /* in the world; from the first body to the second */
    abut_feature feature[2];
    bool alone;
} abut_cover_contact;

typedef struct abut_cover_touching_opts {
    double near;       /* bodies no farther apart than this touch */
    double tilt;       /* by which distances within one region may differ */
    double separation; /* of points on one curve or region */
    abut_vec3 normal;  /* of the nearest points */
} abut_cover_touching_opts;

/* Where *count is the capacity there may be more. */
abut_status abut_cover_touching(const abut_pair *pair, const abut_cover_touching_opts *opts,
                                abut_workspace *ws, abut_cover_contact *out, int capacity, int *count);

/* Can the shape be one of them? */
bool abut_cover_takes(const abut_shape *shape);
/* Any two bodies, of which at least one is a solid, by covers of their boundaries. */
abut_status abut_narrow_cover(const abut_pair *pair, abut_workspace *ws, abut_check_result *out);
/* An implicit or csg body against any other with a surface: by covers, and where those do not decide, by
 * narrow/surface. */
abut_status abut_narrow_cover_fields(const abut_pair *pair, abut_workspace *ws, abut_check_result *out);
/* A CAD solid against a hull, a mesh or a polyhedron: by features (narrow/brep) where the other body is
 * one solid of them, otherwise by covers. */
abut_status abut_narrow_solid_faces(const abut_pair *pair, abut_workspace *ws, abut_check_result *out);
/* A mesh of so many triangles that covers make features of few of them. */
bool abut_cover_is_large(const abut_shape *shape);
/* Is a body one that narrow/brep does not take, or only in part: a rounded or flat hull, a mesh that is a
 * surface, one of several pieces? */
bool abut_cover_replaces_solids(const abut_shape *shape);
/* How deep the bodies are in each other at least, by a common point in the world (deep.c). */
double abut_cover_depth_at(const abut_pair *pair, abut_workspace *ws, const abut_vec3 *points, int count);
/* Are both bodies such that narrow/brep takes them, one of them a CAD solid? */
bool abut_cover_by_features(const abut_shape *a, const abut_shape *b);
/* Kernel. Whether the points of a box, in the frame of a CAD solid, are inside it. */
abut_truth abut_cover_solid_inside(const abut_shape *shape, ia3 x);
/* A body of triangles against a curved surface: by covers, and where that does not decide, by the
 * equations of nearest points (narrow/facets). */
abut_status abut_narrow_cover_facets(const abut_pair *pair, abut_workspace *ws, abut_check_result *out);

#endif
