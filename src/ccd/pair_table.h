/* SPDX-License-Identifier: MIT */
/* The table of pairs of shapes over time: what the first contact and all intervals call. */
#ifndef ABUT_CCD_PAIR_TABLE_H
#define ABUT_CCD_PAIR_TABLE_H

#include "ccd/proof/moving.h"

/* A query over time; `opts` complete and valid, `range` that of the query. */
typedef struct abut_ccd_query {
    const abut_shape *a, *b;
    const abut_motion *motion_a, *motion_b;
    const abut_first_opts *opts;
    abut_interval range;
    abut_workspace *ws; /* or NULL */
} abut_ccd_query;

typedef struct abut_ccd_row abut_ccd_row;

/* The whole of a query. *out comes cleared; what is in it on an error does not count. */
typedef abut_status (*abut_ccd_first_fn)(const abut_ccd_row *row, const abut_ccd_query *query,
                                         abut_first_result *out);
typedef abut_status (*abut_ccd_intervals_fn)(const abut_ccd_row *row, const abut_ccd_query *query,
                                             abut_contact_interval *intervals, size_t capacity,
                                             abut_intervals_result *out);
/* Walks through the range and emits the runs of contact, in order. */
typedef abut_status (*abut_moving_fn)(abut_moving *m, abut_run_fn emit, void *ctx);

enum {
    /* under deforming motions, too: walks by `second` */
    ABUT_CCD_DEFORMED = 1,
    /* all intervals, and the first contact under `nlerp`, by `second`, which finds them sooner;
     * it also decides what `scan` leaves open, and narrows wide times */
    ABUT_CCD_SECOND = 2,
    /* the walk lists all contacts of the first time, with their features; no methods to choose from */
    ABUT_CCD_CONTACTS = 4,
    /* where they touch first is found by covers of both */
    ABUT_CCD_COVERS = 8
};

/* The methods of a pair. Either `first` and `intervals` are its own, or they are
 * abut_first_by_scan and abut_intervals_by_scan, which call the walks of the row. */
struct abut_ccd_row {
    abut_ccd_first_fn first;
    abut_ccd_intervals_fn intervals;
    bool filters;            /* quick_first.h and turn_first.h know cores like these */
    abut_moving_fn scan;     /* the usual walk */
    abut_moving_fn steps;    /* for a method that the user chose; NULL: scan */
    abut_moving_fn second;   /* see ABUT_CCD_SECOND; NULL: none */
    uint64_t max_iterations; /* unless the user says otherwise */
    unsigned can;            /* ABUT_CCD_... */
};

/* The row for two types, with *swapped set when it has them the other way round; NULL where there is
 * none. Bodies that are both at rest need none. */
const abut_ccd_row *abut_ccd_find_row(abut_shape_type a, abut_shape_type b, bool *swapped);

/* By the static method at instants (static_scan.c): for pairs that have no method of their own. */
extern const abut_ccd_row abut_ccd_general;

/* surface_row.c: by surfaces. */
abut_status abut_ccd_surface_first(const abut_ccd_row *row, const abut_ccd_query *query,
                                   abut_first_result *out);
abut_status abut_ccd_surface_intervals(const abut_ccd_row *row, const abut_ccd_query *query,
                                       abut_contact_interval *intervals, size_t capacity,
                                       abut_intervals_result *out);

/* The same of an extruded or revolved solid against a curved surface, by its fields, and otherwise by the walks
 * of the row. */
abut_status abut_ccd_solid_first(const abut_ccd_row *row, const abut_ccd_query *query,
                                 abut_first_result *out);
abut_status abut_ccd_solid_intervals(const abut_ccd_row *row, const abut_ccd_query *query,
                                     abut_contact_interval *intervals, size_t capacity,
                                     abut_intervals_result *out);

/* first.c: by the walks of the row; row NULL: of bodies at rest. */
abut_status abut_first_by_scan(const abut_ccd_row *row, const abut_ccd_query *query, abut_first_result *out);
abut_status abut_intervals_by_scan(const abut_ccd_row *row, const abut_ccd_query *query,
                                   abut_contact_interval *intervals, size_t capacity,
                                   abut_intervals_result *out);

#endif
