/* SPDX-License-Identifier: MIT */
/* The table of pairs of shapes at one instant: what check, distance and overlap call. */
#ifndef ABUT_NARROW_PAIR_TABLE_H
#define ABUT_NARROW_PAIR_TABLE_H

#include "narrow/quick/quick.h"

/* What a pair can do beyond verdict and distance. */
enum {
    ABUT_PAIR_DEPTH = 1,     /* the depth of pairs that penetrate */
    ABUT_PAIR_CONTACTS = 2,  /* points of contact */
    ABUT_PAIR_CLEARANCE = 4, /* overlap with a clearance */
    /* placements that deform balls and ellipsoids: the ellipsoid that results replaces them */
    ABUT_PAIR_DEFORMED = 8,
    /* both are convex: where it is undecided, the depth is bounded */
    ABUT_PAIR_CONVEX = 16,
    /* the methods for depths may prove an overlap that those for verdicts do not */
    ABUT_PAIR_DEPTH_PROVES = 32
};

/* The methods of a pair of shapes, quickest first: each leaves to the next what it does not decide.
 * Only `placed` is never NULL. */
typedef struct abut_pair_row {
    abut_filter_check_fn filter_check;
    abut_filter_distance_fn filter_distance;
    abut_filter_overlap_fn filter_overlap;
    abut_posed_fn posed;
    abut_pair_fn placed;
    abut_pair_fn cleared; /* in place of `placed` for overlap with a clearance; NULL: the same */
    unsigned can;         /* ABUT_PAIR_... */
} abut_pair_row;

/* Rows by the types of a and b, each pair in one order. */
extern const abut_pair_row *const abut_pair_rows[ABUT_SHAPE_TYPE_COUNT][ABUT_SHAPE_TYPE_COUNT];

/* The row for two types, with *swapped set when it has them the other way round; NULL where there is
 * none. */
static inline const abut_pair_row *abut_narrow_find_row(abut_shape_type a, abut_shape_type b, bool *swapped)
{
    const abut_pair_row *row = abut_pair_rows[a][b];
    *swapped = !row;
    return row ? row : abut_pair_rows[b][a];
}

/* The same for two shapes, one of which may stand for what a map makes of another one (`stand_in`,
 * ellipsoid_place.h): methods that know no such leave it to covers. */
const abut_pair_row *abut_narrow_row_of(const abut_shape *a, const abut_shape *b, bool stand_in,
                                        bool *swapped);

/* Runs a placed method of a row; the pair is in the order of the table. */
abut_status abut_narrow_run_placed(abut_pair_fn method, const abut_pair *pair, abut_workspace *ws,
                                   abut_check_result *out);

#endif
