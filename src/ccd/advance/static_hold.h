/* SPDX-License-Identifier: MIT */
/* Contacts that last: points that both bodies have in common over a stretch of time; see
 * static_hold.c. */
#ifndef ABUT_CCD_ADVANCE_STATIC_HOLD_H
#define ABUT_CCD_ADVANCE_STATIC_HOLD_H

#include "ccd/advance/static_deform.h"
#include "ccd/proof/relative.h"
#include "narrow/cover/pairs.h"
#include "narrow/facets/facets.h"

/* A body that may hold points: by fields, or by the triangles around it. */
typedef struct abut_static_body {
    const abut_shape *shape;
    abut_surface surface;
    abut_facets facets;
    ia *scratch;
    bool placed; /* a sheet by parameters, in its own frame: */
    abut_placed_surface sheet;
    bool solid;
    bool thick;                  /* solid, or rounded */
    bool by_facets;              /* `facets` is set, and tells what is inside */
    bool by_solid;               /* a CAD solid does */
    bool itself;                 /* it deforms by itself, and its surface depends on the time */
    const abut_motion *vertices; /* its vertices move by this, in the world; or NULL */
    abut_aabb bounds;            /* in its frame, at all times */
    abut_relative_side side;
    uint64_t *boxes, most; /* that searches for points inside took, of both bodies, and may take */
} abut_static_body;

/* A point of a body: fixed in its frame; or at of a face at parameters at.x and at.y; or of a triangle with
 * weights of its second and third corner. */
typedef enum abut_static_kind {
    ABUT_STATIC_FIXED = 0,
    ABUT_STATIC_FACE,
    ABUT_STATIC_TRIANGLE
} abut_static_kind;

typedef struct abut_static_point {
    abut_static_kind kind;
    abut_vec3 at;
    uint32_t feature;
    uint32_t corner[3];
    double weight[2];
} abut_static_point;

/* Kernel. Where it is in the frame of its body over t (of moving vertices: in the world). */
bool abut_static_point_over(const abut_static_body *b, const abut_static_point *p, ia t, ia3 *out);
/* The point of the boundary of a sheet, or of a parametric body that deforms, next to p in that frame at time
 * t; FIXED: there is none such. image: the mesh at t, where vertices move; NULL: the shape. */
void abut_static_point_find(const abut_static_body *b, abut_vec3 p, double t, const abut_shape *image,
                            abut_workspace *ws, abut_static_point *out);

/* The same on one face or edge; false: there is none. */
bool abut_static_point_on(const abut_static_body *b, uint32_t feature, abut_vec3 p, double t,
                          abut_static_point *out);

/* A point of one body, in its frame; or of rounded bodies, points of both spines. */
typedef struct abut_static_witness {
    int of;
    abut_vec3 point[2];
    double blur;          /* the body has a point within that */
    double swell;         /* above zero: the bodies meet where the two points are nearer than that */
    abut_static_point by; /* not FIXED: what the point of the body is instead */
} abut_static_witness;

/* Where a feature of a curved sheet crosses one of a flat body, which is known within that. */
typedef struct abut_static_crossing {
    abut_cover_crossing at;
    double blur;
} abut_static_crossing;

enum { ABUT_STATIC_WITNESSES = 16, ABUT_STATIC_CROSSINGS = 6 };

typedef struct abut_static_hold {
    const abut_moving *m;
    abut_workspace ws;
    abut_static_body body[2];
    bool deep;         /* set by abut_static_holds: the contact is one of two solids */
    abut_vec3 core[2]; /* a point inside a solid, to which its points are moved */
    bool has_core[2];
    /* The ones that served last come first. Contacts begin and end where bodies are nearest, before and
     * after: so points there are kept, a little inside the bodies. */
    int grids; /* of slow bodies, that were tried */
    size_t count;
    abut_static_witness witness[ABUT_STATIC_WITNESSES];
    size_t crossing_count;
    abut_static_crossing crossing[ABUT_STATIC_CROSSINGS]; /* where sheets met last */
    uint64_t boxes;                                       /* that were searched for points inside */
} abut_static_hold;

abut_status abut_static_hold_open(const abut_moving *m, const abut_static_change change[2],
                                  abut_static_hold *out);
void abut_static_hold_close(abut_static_hold *hold);
/* How many more boxes may be searched from now on; a point of which they do not tell is inside nothing. */
void abut_static_hold_allow(abut_static_hold *hold, uint64_t boxes);
/* Points at time t, in the world: near ones, or one in common. */
void abut_static_hold_near(abut_static_hold *hold, double t, const abut_cover_seen *seen);
/* The same of bodies that change their form, which are then as `now` says. */
void abut_static_hold_follow(abut_static_hold *hold, double t, const abut_cover_seen *seen,
                             const abut_static_instant *now);
/* Whether the bodies are proved to meet all that time; by the points that are kept, or by others, too. */
bool abut_static_holds_still(abut_static_hold *hold, abut_interval time);
bool abut_static_holds(abut_static_hold *hold, abut_interval time);
/* static_cross.c: by crossings that are kept; one more; those of a sheet and a flat hull next to p, a common
 * point, in the frame of either, at time t. */
bool abut_static_crossing_lasts(abut_static_hold *hold, abut_interval time);
void abut_static_crossing_keep(abut_static_hold *hold, const abut_cover_crossing *crossing, double blur);
void abut_static_crossing_find(abut_static_hold *hold, double t, const abut_vec3 p[2]);
#endif
