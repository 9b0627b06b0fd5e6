/* SPDX-License-Identifier: MIT */
/* What the parts of the search for the gap share: the bounds of one box (surface_bounds.c), the
 * points that are tried (surface_witness.c), the search itself (surface_gap.c). All of it runs
 * between abut_rounding_enter and abut_rounding_leave. */
#ifndef ABUT_NARROW_SURFACE_SURFACE_SEARCH_H
#define ABUT_NARROW_SURFACE_SURFACE_SEARCH_H

#include "narrow/surface/surface_gap.h"

/* A pair of boxes. */
typedef struct abut_gap_node {
    double lower;
    uint32_t feature[2];
    uint32_t order; /* of creation: among equals the newest comes first */
    int split;      /* the unknown to halve next */
    bool clear;     /* proved: d is not 0 in it */
    bool crossing;  /* proved: only points in common can be nearest in it */
    bool flat;      /* its bound is that of surface_flat.c already */
    abut_interval q[ABUT_GAP_UNKNOWNS];
} abut_gap_node;

/* A box of two features in which the nearest points are known, and no common ones. */
enum { ABUT_GAP_REGIONS = 6 };

typedef struct abut_gap_region {
    const abut_surface_feature *feature[2];
    abut_interval q[ABUT_GAP_UNKNOWNS];
} abut_gap_region;

typedef struct abut_gap_search {
    const abut_placed_surface *body[2];
    const abut_surface_gap_opts *opts;
    abut_workspace *ws;
    abut_gap_node *heap;
    size_t count, capacity;
    uint32_t made;
    double floor;  /* least lower bound of what is done with */
    double size;   /* of the coordinates */
    ia off;        /* what is around spines: they meet where the spines are nearer than that */
    uint64_t idle; /* boxes since the upper bound reached rounding */
    uint64_t next; /* when progress is examined next; what was not known of the distance before */
    double open;
    bool memory; /* is out */
    bool flat;   /* nearest points are no isolated ones: bounds by surface_flat.c as well */
    int region_count, attempts;
    abut_gap_region regions[ABUT_GAP_REGIONS];
    abut_surface_gap *out;
} abut_gap_search;

/* The features that a pair of boxes belongs to. */
typedef struct abut_gap_features {
    const abut_placed_surface *body[2];
    const abut_surface_feature *feature[2];
    int unknowns[2], total;
} abut_gap_features;

static inline abut_gap_features abut_gap_view(const abut_gap_search *s, const uint32_t feature[2])
{
    abut_gap_features v = { .body = { s->body[0], s->body[1] } };
    for (int i = 0; i < 2; ++i) {
        v.feature[i] = &s->body[i]->surface.features[feature[i]];
        v.unknowns[i] = abut_chart_unknowns(v.feature[i]);
    }
    v.total = v.unknowns[0] + v.unknowns[1];
    return v;
}

static inline void abut_gap_enclose(abut_gap_search *s, const abut_gap_features *v, const ia *q, int order,
                                    int axis[2], abut_chart chart[2])
{
    s->out->counters.evaluations += 2;
    for (int i = 0; i < 2; ++i)
        abut_chart_enclose(v->body[i], v->feature[i], q + (i ? v->unknowns[0] : 0), order, &axis[i],
                           &chart[i]);
}

static inline void abut_gap_points(const double *mid, int n, ia *q)
{
    for (int i = 0; i < n; ++i)
        q[i] = ia_point(mid[i]);
}

/* Whether parameters of a body may leave their ranges: those of round bodies go on, as analytic
 * functions. Those of expressions stay: beyond the range they are folded back, and at a seam
 * that is closed but for rounding there is no mean value theorem. */
static inline bool abut_gap_goes_on(const abut_gap_features *v, int body)
{
    return v->body[body]->surface.implicit || (v->body[body]->spine && v->feature[body]->wraps[0]);
}

/* surface_region.c */

/* Tries to prove that the point that Newton's method led to is the only nearest one around. */
void abut_gap_prove_region(abut_gap_search *s, const abut_gap_features *v, const double *q0);
/* A function of the unknowns and its derivatives, over a box or at a point. */
typedef struct abut_gap_quadric {
    ia value, g[ABUT_GAP_UNKNOWNS], h[ABUT_GAP_UNKNOWNS][ABUT_GAP_UNKNOWNS];
} abut_gap_quadric;

void abut_gap_quadric_clear(abut_gap_quadric *out);
/* sum += - multiplier f + weight f^2 over the fields of implicit feature b. */
bool abut_gap_add_fields(const abut_gap_features *v, int b, const ia *q, const double *multiplier,
                         const double *weights, abut_gap_quadric *sum);
/* Multipliers with which the gradients of the fields make up `slope`, as nearly as they can;
 * weights that make the fields' squares as steep as lengths. One after the other is enough for
 * faces, and for edges a few rounds. */
void abut_gap_multipliers(const abut_chart *c, const double slope[3], double multiplier[3], double weight[3]);
/* Whether a box is in such a region. */
bool abut_gap_is_done(const abut_gap_search *s, const abut_gap_features *v, const abut_interval *q);

/* surface_bounds.c */

/* Bounds and equations of a box. False: nothing in it. */
bool abut_gap_bound(abut_gap_search *s, abut_gap_node *x);
/* Whether implicit features have zeros in the box, and on their solids. */
bool abut_gap_possible(const abut_gap_search *s, const abut_gap_features *v, const ia *q,
                       const abut_chart c[2]);
/* Distance of two boxes around points. */
double abut_gap_boxes(ia3 a, ia3 b);

/* surface_flat.c */

/* A lower bound of |d| over the box, good where the nearest points are a curve or a region; 0
 * where there is none. *split: the unknown that it depends on most. */
double abut_gap_flat_bound(abut_gap_search *s, const abut_gap_features *v, const abut_interval *box,
                           double enough, int *split);

/* surface_witness.c */

/* Two points, one in each body, near the features' points at `mid`: an upper bound of the gap,
 * or the proof that they meet. */
void abut_gap_try_points(abut_gap_search *s, const abut_gap_features *v, const double *mid);
/* Newton's method in doubles from `mid`; where it leads is left there. Only steers. */
void abut_gap_polish(abut_gap_search *s, const abut_gap_features *v, double *mid);
/* Faces that have no inside to try points in: a crossing near `mid`, also a step away from a
 * point of tangency, where the curve of crossing goes round. */
void abut_gap_try_crossing(abut_gap_search *s, const abut_gap_features *v, const double *mid);
/* The nearest of a few points of each of two parametric faces in their box. */
void abut_gap_sample(const abut_gap_search *s, const abut_gap_features *v, const abut_gap_node *x,
                     double *mid);

#endif
