/* SPDX-License-Identifier: MIT */
/* The gap between the boundaries of two surface bodies at one instant; see surface_gap.c. */
#ifndef ABUT_NARROW_SURFACE_SURFACE_GAP_H
#define ABUT_NARROW_SURFACE_SURFACE_GAP_H

#include "narrow/surface/surface_chart.h"

typedef struct abut_surface_gap_opts {
    double cutoff; /* may stop once the gap is proved larger; INFINITY: as narrow as can be */
    double near;   /* may stop once the gap is proved smaller; 0: never */
    /* may stop once the bodies are proved apart and lo >= (1 - relative) hi; 0: as narrow as can be */
    double relative;
    double least;       /* proved otherwise: the gap is at least this; 0: nothing is */
    uint64_t max_boxes; /* budget */
    /* more than that, up to here, as long as each half of it brings the bounds closer by a half */
    uint64_t patience;
    /* nearest points are no isolated ones, it seems: bounds for such ones from the beginning */
    bool flat;
    /* what another search found of the same bodies, or NULL */
    const struct abut_surface_gap *known;
} abut_surface_gap_opts;

/* A place on a sheet, by the parameters of a feature; body NULL: none. */
typedef struct abut_surface_spot {
    const abut_placed_surface *body;
    const abut_surface_feature *feature;
    double q[2];
} abut_surface_spot;

/* Of the place q of a feature, when the body is a sheet. */
static inline void abut_surface_spot_set(const abut_placed_surface *body, const abut_surface_feature *feature,
                                         const double *q, abut_surface_spot *out)
{
    if (!out || body->spine || body->surface.solid || !feature->parametric)
        return;
    *out = (abut_surface_spot){ body, feature, { 0, 0 } };
    for (int i = 0; i < feature->dimension; ++i)
        out->q[i] = q[i];
}

/* In the common frame. */
typedef struct abut_surface_gap {
    abut_interval gap; /* between the boundaries; no certified witness: up to INFINITY */
    /* proved: interiors of solids meet; of sheets, that they have a point in common with the
     * other body */
    bool meets;
    abut_surface_spot spot; /* meets: where, on a sheet */
    bool has_points;
    double size; /* of the coordinates */
    abut_vec3 point_a, point_b;
    bool has_face;
    abut_vec3 face;     /* a normal of a face there, of any length, from a to b */
    double spine_upper; /* the same between spines, where the bodies are examined by these */
    abut_vec3 spine_points[2];
    const abut_surface_feature *features[2];
    abut_stop stop;
    abut_counters counters;
} abut_surface_gap;

/* Rounding to nearest outside; enters the kernel itself. ABUT_ERR_MEMORY. */
abut_status abut_surface_find_gap(const abut_placed_surface *a, const abut_placed_surface *b,
                                  const abut_surface_gap_opts *opts, abut_workspace *ws,
                                  abut_surface_gap *out);

/* Kernel: equations that the points of two features satisfy that are nearest each other, in the
 * unknowns of both; as many as there are unknowns. Those of the features themselves come first.
 * `jacobian` may be NULL; otherwise the charts are of order 2. Returns their number. */
enum { ABUT_GAP_UNKNOWNS = 2 * ABUT_CHART_UNKNOWNS };
int abut_surface_gap_equations(const abut_chart *a, const abut_chart *b, ia *f,
                               ia (*jacobian)[ABUT_GAP_UNKNOWNS]);
/* Kernel: proves that two parametric faces cross near a pair of parameters, at an angle, in
 * points inside both; on a sheet, *spot is where. */
bool abut_surface_crosses(const abut_placed_surface *a, const abut_surface_feature *fa,
                          const abut_placed_surface *b, const abut_surface_feature *fb, const double *start,
                          abut_surface_spot *spot);
/* Kernel: the same for a parametric edge, whose parameter comes first, through a parametric face. */
bool abut_surface_pierces(const abut_placed_surface *a, const abut_surface_feature *edge,
                          const abut_placed_surface *b, const abut_surface_feature *face, const double *start,
                          abut_surface_spot *spot);

#endif
