/* SPDX-License-Identifier: MIT */
/* The surface of a body as the solvers of contact see it: features (faces, edges, vertices), each
 * with its inclusion functions.
 *
 * A feature of dimension k (face 2, edge 1, vertex 0) has one or both of two forms: parametric  the
 * image of a box of k parameters: abut_feature_jet; implicit    3 - k fields that vanish on it:
 * abut_feature_field; of their common zeros only those count that are on the solid:
 * abut_feature_on. All in the frame of the body, at a time t that only deforming bodies depend on.
 * Motions come from outside.
 *
 * Everything with `ia` is a kernel: it runs between abut_rounding_enter and abut_rounding_leave.
 * Enclosures over a box contain the value at every point of it; over a point they are a few ulp
 * wide. */
#ifndef ABUT_SURFACE_SURFACE_H
#define ABUT_SURFACE_SURFACE_H

#include "abut/base.h"
#include "abut/query.h"
#include "expr/tape.h"
#include "interval/ia3.h"

/* A point and its derivatives by the feature's parameters u, v and by the time; those by
 * parameters that it has not are zero. Of faces also the outward normal: a positive multiple of
 * u x v or of v x u wherever that is not zero, but as tight as is known (the library's round
 * bodies have one that does not vanish at their poles). Orders that were not asked for are not
 * written. */
typedef struct abut_jet {
    ia3 p;
    ia3 u, v, t;            /* order 1 */
    ia3 n;                  /* order 1, faces only */
    ia3 uu, uv, vv, ut, vt; /* order 2 */
    ia3 nu, nv, nt;         /* order 2, faces only */
} abut_jet;

/* A field, negative inside, and its derivatives by x, y, z and the time. */
typedef struct abut_field_jet {
    ia f;
    ia3 g; /* order 1: gradient */
    ia t;
    ia h[6]; /* order 2: xx xy xz yy yz zz */
    ia3 gt;  /* d/dt of the gradient */
} abut_field_jet;

/* Three answers about a box. */
typedef enum abut_truth {
    ABUT_NOWHERE = -1,
    ABUT_SOMEWHERE = 0 /* or unknown */,
    ABUT_EVERYWHERE = 1
} abut_truth;

/* What a field of an edge or vertex is to a feature that may end there. */
typedef enum abut_limit {
    ABUT_LIMIT_NONE = 0,
    ABUT_LIMIT_ENDS,    /* not positive on it: it ends where the field vanishes */
    ABUT_LIMIT_VANISHES /* zero on it */
} abut_limit;

enum { ABUT_FEATURE_MAX_NORMALS = 8, ABUT_FEATURE_MAX_FIELDS = 3, ABUT_FEATURE_MAX_WALLS = 3 };

typedef struct abut_surface_feature {
    abut_feature kind;      /* FACE, EDGE, VERTEX */
    int dimension;          /* 2, 1, 0 */
    bool parametric;        /* has that form */
    int field_count;        /* 0: has no implicit form; else 3 - dimension */
    abut_interval range[2]; /* of its parameters */
    /* the parameter is closed: the ends of its range are the same points, smoothly */
    bool wraps[2];
    /* a vertex that is one of the parameters only, as the pole of a sphere: contact there needs
     * tangency */
    bool smooth;
    /* sets of normals that abut_feature_normals gives: 1 for a face, 2 for an edge (1 at the rim
     * of a sheet), up to ABUT_FEATURE_MAX_NORMALS for a vertex. Together they contain all
     * normals of all faces that adjoin, each set at least one: the apex of a cone has eight
     * sectors */
    int normal_count;
    int64_t id;    /* among the features of its kind, as in abut_contact */
    uint32_t data; /* for surface.c and its neighbours */
} abut_surface_feature;

typedef struct abut_surface {
    const abut_surface_feature *features;
    size_t feature_count;
    bool solid; /* bounds material: normals lead out of it. false: a sheet with two sides */
    /* solid, and the material is all but a bounded part of space: bounds are those of the
     * boundary */
    bool outside;
    /* closed, but which side the material is on is not known then: `solid` is false */
    bool unknown_side;
    bool deforms; /* depends on t */
    /* solid, and all of it known by fields: abut_surface_inside works at any point */
    bool implicit;
    /* Sets of fields on whose common zeros a part may appear or vanish; 0: it does not deform. */
    size_t birth_count;
    bool births_left_out;                 /* there are more than that */
    const struct abut_surface_body *body; /* surface/body.h */
    /* number of ia that the functions below need at `scratch` */
    size_t scratch;
    /* that one of them takes at most, as abut_tape_work; 0: little */
    size_t work;
} abut_surface;

/* Kernel. Of a feature with a parametric form. False where it is not defined all over the box;
 * `out` is then as wide as need be. */
bool abut_feature_jet(const abut_surface *s, const abut_surface_feature *f, const ia parameters[2], ia t,
                      int order, ia *scratch, abut_jet *out);
/* Kernel. Outward normals, of any length, of the faces that adjoin: normal_count sets. May
 * contain zero (poles, collapsed edges). Parametric form. */
void abut_feature_normals(const abut_surface *s, const abut_surface_feature *f, const ia parameters[2], ia t,
                          ia *scratch, ia3 *out);
/* Kernel. Field i < field_count, signed so that its gradient leaves the solid. */
bool abut_feature_field(const abut_surface *s, const abut_surface_feature *f, int i, ia3 x, ia t, int order,
                        ia *scratch, abut_field_jet *out);
/* Kernel. Whether common zeros of its fields in the box are on the boundary of the solid. */
abut_truth abut_feature_on(const abut_surface *s, const abut_surface_feature *f, ia3 x, ia t, ia *scratch);
/* Kernel. What field i of `part`, another feature of the same surface, is to the points of the
 * box that are on f. Both implicit; NONE where it is not known. */
abut_limit abut_feature_limit(const abut_surface *s, const abut_surface_feature *f,
                              const abut_surface_feature *part, int i, ia3 x, ia t, ia *scratch);
/* Kernel. Walls that end f in the box: fields that are not positive on the points of the box that are
 * on f, and may vanish there. Implicit; as far as they are known. Their number. */
int abut_feature_walls(const abut_surface *s, const abut_surface_feature *f, ia3 x, ia t, ia *scratch,
                       uint32_t out[ABUT_FEATURE_MAX_WALLS]);
bool abut_wall_field(const abut_surface *s, uint32_t wall, ia3 x, ia t, int order, ia *scratch,
                     abut_field_jet *out);
/* Kernel. Whether the points of the box are inside (EVERYWHERE: in the interior; NOWHERE:
 * outside). Only where s->implicit. */
abut_truth abut_surface_inside(const abut_surface *s, ia3 x, ia t, ia *scratch);

/* Kernel. Whether the field of a face is positive nowhere in the part of the solid that is in the
 * box. Only where s->implicit. */
bool abut_feature_needed(const abut_surface *s, const abut_surface_feature *f, ia3 x, ia t, ia *scratch);

/* A point on its way through the frame of a body. */
typedef struct abut_passage {
    ia t;        /* the time */
    ia3 x;       /* where it is in that time */
    ia3 rate;    /* and its velocity */
    ia middle_t; /* an instant of that time */
    ia3 middle;  /* and where it is then */
} abut_passage;

/* Kernel. Whether it is in the interior all that time: by the mean values of the fields along
 * the path, which tell more than their ranges where it leads along the surface. Only where
 * s->implicit. */
bool abut_surface_stays(const abut_surface *s, const abut_passage *path, ia *scratch);
/* ---- where a part of the body may appear or vanish: sets of 1 to ABUT_BIRTH_MAX_FIELDS fields,
 * birth < s->birth_count ---- */
enum { ABUT_BIRTH_MAX_FIELDS = 4 };
int abut_birth_field_count(const abut_surface *s, size_t birth);
/* Kernel. Field i of the set, signed so that its gradient leaves the solid. */
bool abut_birth_field(const abut_surface *s, size_t birth, int i, ia3 x, ia t, int order, ia *scratch,
                      abut_field_jet *out);
/* Kernel. Whether common zeros of the set in the box are points of the solid, its boundary
 * included. */
abut_truth abut_birth_on(const abut_surface *s, size_t birth, ia3 x, ia t, ia *scratch);

/* Kernel. The box on whose border parts may appear, too. */
ia3 abut_birth_bounds(const abut_surface *s);
/* Kernel. Whether the points of the box are in the solid, where the border of that box counts as
 * inside. */
bool abut_birth_inside(const abut_surface *s, ia3 x, ia t, ia *scratch);

/* Kernel. Of a closed surface: proved that what closes it along its seams meets the box at no time of t. Ends
 * of ranges like 2 pi are no doubles, so that faces leave slits there. Each evaluation takes one off
 * *budget. */
bool abut_surface_seams_avoid(const abut_surface *s, ia3 x, ia t, int *budget, ia *scratch);

/* Kernel. A box around the whole body over a stretch of time. */
ia3 abut_surface_bounds(const abut_surface *s, ia t, ia *scratch);

/* Which way the normals of a closed surface lead, over a stretch of time. */
typedef struct abut_orientation {
    int sign;  /* 1: known; 0: not proved; 2: it turns inside out, or parts of it differ */
    double at; /* sign != 1: about when */
} abut_orientation;

/* Not a kernel. Of a closed surface that deforms, sets `outside` for that time, or `doubt` where
 * that is not known; others are as they were made. */
abut_orientation abut_surface_orient(abut_surface *s, abut_interval time, ia *scratch);

#endif
