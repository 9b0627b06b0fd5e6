/* SPDX-License-Identifier: MIT */
/* A feature of a surface body over a box of unknowns, in the frame that a pair is examined in: the
 * one form in which the searches at an instant see parametric and implicit features alike.
 *
 * Unknowns are the parameters where there are any, otherwise the place x, y, z in the body's
 * frame, with the fields as equations of its own. A face has a normal and two tangents, an edge
 * one tangent, a vertex none; of an implicit face with gradient g the tangents are e_i g_k - e_k
 * g_i, for the `axis` k and both others: two of the rows of a cross product with g, independent
 * where g_k is not 0. */
#ifndef ABUT_NARROW_SURFACE_SURFACE_CHART_H
#define ABUT_NARROW_SURFACE_SURFACE_CHART_H

#include "base/workspace.h"
#include "narrow/pair/place.h"
#include "shape/shape.h"
#include "surface/surface.h"

enum { ABUT_CHART_UNKNOWNS = 3 };

/* A body and where it is in the common frame. */
typedef struct abut_placed_surface {
    abut_surface surface;
    bool moved;     /* false: the identity */
    bool stretched; /* the placement need not be rigid: lengths in its own frame are others */
    ia_affine place;
    /* of gradients and normals: the inverse transpose of the linear part, which is itself where
     * that is a rotation */
    ia33 covectors;
    double t;
    /* lo < hi: as it is at all times of this, of which t is one: what is proved of it holds for each */
    abut_interval span;
    ia *scratch;
    ia3 bounds; /* in its own frame */
    /* The surface is the spine of the body, which is all within `swell` of it. */
    bool spine;
    double swell;
    uint64_t *boxes; /* may be NULL: counts boxes of faces that rays take */
} abut_placed_surface;

typedef struct abut_chart {
    int unknowns, own, tangents;
    bool face, defined;
    ia3 p, dp[ABUT_CHART_UNKNOWNS]; /* the point, and its derivatives by the unknowns */
    ia f[3];                        /* equations of its own */
    ia3 df[3];                      /* by x, y, z */
    ia3 t[2], n;                    /* tangents and outward normal, of any length */
    ia3 dt[2][ABUT_CHART_UNKNOWNS], dn[ABUT_CHART_UNKNOWNS]; /* order 2 */
} abut_chart;

/* The surface of a shape at a time, in its own frame. Scratch comes from the workspace. */
abut_status abut_placed_surface_make(const abut_shape *shape, double t, abut_workspace *ws,
                                     abut_placed_surface *out);
/* The same over a stretch of time, of which t is an instant; which side of a closed surface the material
 * is on is that at t. */
abut_status abut_placed_surface_over(const abut_shape *shape, double t, abut_interval span,
                                     abut_workspace *ws, abut_placed_surface *out);
/* The same by the spine, where the body has one: a torus, a capsule, a ball, a rounded shape, whose
 * spine may be a solid. Lengths must stay lengths: only for placements that are rigid. */
abut_status abut_placed_spine_make(const abut_shape *shape, double t, abut_workspace *ws,
                                   abut_placed_surface *out);
/* Kernel: places `out`, which is b, in the frame of a. `turns` false: a ball, whose rotation was
 * not enclosed. */
void abut_surface_relate(const abut_place *a, bool turns_a, const abut_place *b, bool turns_b,
                         abut_placed_surface *out);
/* Kernel: the same where the placements need not be rigid; false where one may be singular.
 * Distances are those of the frame of a, then. */
bool abut_surface_relate_affine(const abut_place *a, const abut_place *b, abut_placed_surface *out);

/* Kernel: the time it is taken at. */
static inline ia abut_placed_time(const abut_placed_surface *s)
{
    return s->span.lo < s->span.hi ? ia_from(s->span) : ia_point(s->t);
}

static inline int abut_chart_unknowns(const abut_surface_feature *f)
{
    return f->parametric ? f->dimension : 3;
}

/* Kernel: the range of a parameter. Periods like 2 pi are no doubles: the ends of one that is closed overlap a
 * little, so that no point is between them. */
static inline ia abut_chart_parameters(const abut_surface_feature *f, int i)
{
    const abut_interval r = f->range[i];
    const double more = f->wraps[i] ? 0x1p-49 * fmax(fabs(r.lo), fabs(r.hi)) : 0;
    return ia_make(r.lo - more, r.hi + more);
}

/* Kernel: the whole range of the unknowns. */
void abut_chart_range(const abut_placed_surface *s, const abut_surface_feature *f, ia *q);
/* Kernel. order 0: p and f; 1: and dp, df, t, n; 2: all. `axis`: see above; -1 chooses it and
 * says which. */
void abut_chart_enclose(const abut_placed_surface *s, const abut_surface_feature *f, const ia *q, int order,
                        int *axis, abut_chart *out);
/* Kernel: the range of (p - middle) . direction over the points of the feature in the box, to
 * second order in its size where the direction is across the feature; `chart` is over the box q,
 * `middle` over a point of it. */
ia abut_chart_reach(const abut_chart *chart, const abut_chart *middle, const ia *q, const double *mid,
                    ia3 direction, bool parametric);

/* Walls that end an implicit feature in a box (abut_feature_walls): their fields at its middle, and
 * gradients there and all over the box. */
typedef struct abut_chart_walls {
    int count;
    uint32_t wall[ABUT_FEATURE_MAX_WALLS];
    ia f[ABUT_FEATURE_MAX_WALLS];
    ia3 at[ABUT_FEATURE_MAX_WALLS], over[ABUT_FEATURE_MAX_WALLS];
} abut_chart_walls;

void abut_chart_find_walls(const abut_placed_surface *s, const abut_surface_feature *f, const ia *q,
                           const double *mid, abut_chart_walls *out);
/* Kernel: an upper bound of (p - middle) . direction over the points of an implicit feature in the box, to
 * second order also where the feature ends at a wall. */
double abut_chart_rise(const abut_chart *chart, const abut_chart *middle, const abut_chart_walls *walls,
                       const ia *q, const double *mid, ia3 direction);

/* Kernel: a point of the common frame in the frame of the body. */
ia3 abut_placed_local(const abut_placed_surface *s, ia3 x);
/* Kernel: whether a box of the common frame is in the body; SOMEWHERE for bodies that are not
 * implicit. */
abut_truth abut_placed_inside(const abut_placed_surface *s, ia3 x);

#endif
