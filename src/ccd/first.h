/* SPDX-License-Identifier: MIT */
/* What the search for a first contact (first.c) and the points that it tells (first_points.c)
 * share. */
#ifndef ABUT_CCD_FIRST_H
#define ABUT_CCD_FIRST_H

#include "ccd/ellipsoid/ellipsoid_scan.h"
#include "ccd/pair_table.h"
#include "ccd/proof/moving.h"

/* About a second of work: a step of a walk with convex bodies or of the search for zeros of F
 * takes 10 to 20 us, one with balls less than 1, a static query of curved bodies up to 1 ms. */
enum { ABUT_BALL_ITERATIONS = 1000000, ABUT_WALK_ITERATIONS = 50000, ABUT_GENERAL_ITERATIONS = 2000 };

static inline bool abut_first_is_still(const abut_motion *motion)
{
    return !motion || abut_motion_get_type(motion) == ABUT_MOTION_STATIC;
}

/* As it is at one instant all the time. */
static inline bool abut_first_rests(const abut_shape *shape, const abut_motion *motion)
{
    return abut_first_is_still(motion) && !abut_shape_deforms(shape);
}

static inline bool abut_first_is_rigid(const abut_motion *motion)
{
    return !motion || abut_motion_is_rigid(motion);
}

/* Bodies that a motion deforms: their second method is the only one. */
static inline bool abut_first_is_deforming(const abut_ccd_row *row, const abut_motion *motion_a,
                                           const abut_motion *motion_b)
{
    return row && row->can & ABUT_CCD_DEFORMED &&
           !(abut_first_is_rigid(motion_a) && abut_first_is_rigid(motion_b));
}

static inline bool abut_first_is_of(const abut_motion *motion, abut_motion_type type)
{
    return motion && abut_motion_get_type(motion) == type;
}

/* Ellipsoids: their own method finds all intervals sooner than the walk of convex bodies does, and
 * the first contact where F is a polynomial although they turn: `nlerp`. */
static inline bool abut_first_takes_second(const abut_ccd_row *row, const abut_motion *motion_a,
                                           const abut_motion *motion_b, bool wants_first)
{
    const bool rational = (abut_first_is_of(motion_a, ABUT_MOTION_NLERP) || abut_first_is_still(motion_a)) &&
                          (abut_first_is_of(motion_b, ABUT_MOTION_NLERP) || abut_first_is_still(motion_b));
    return abut_first_is_deforming(row, motion_a, motion_b) ||
           (row && row->can & ABUT_CCD_SECOND && (!wants_first || rational));
}

typedef struct abut_first_state {
    const abut_shape *a, *b;
    const abut_motion *motion_a, *motion_b;
    const abut_first_opts *opts;
    abut_interval range;
    abut_first_result *out;
    const abut_moving *moving;
    const abut_ccd_row *row; /* NULL: there is none, and they are at rest */
    bool swapped;            /* moving has them the other way round */
    /* a time that is less than well known; NAN where nothing more can be learned of it */
    double wide;
} abut_first_state;

/* first_region.c: where the bodies touch, or nearly so, at t along a line or face: samples of
 * it, like the one point given, whose normal is known well; of a height field all places. False,
 * and nothing kept, where they touch in that point alone. */
bool abut_first_add_region(abut_first_state *s, double t, const abut_first_point *like);
/* first_rigid.c: where meshes touch first, which have been listed: all places. False, and nothing
 * kept, where none was found. */
bool abut_first_add_rigid(abut_first_state *s, abut_interval time);
/* first_touching.c: bodies that the general method serves: all places. False, and nothing kept, where none
 * was found. */
bool abut_first_add_touching(abut_first_state *s, abut_interval time, const abut_first_point *like);
/* translation.c: meshes that slide on each other, where cells of time do not tell when contact
 * begins: exactly, if neither of them turns. A first contact after the start that is known by a wide
 * enclosure, with its points; false where it cannot. */
bool abut_translation_first(abut_first_state *s);
/* All intervals instead of doubtful ones; false, and nothing changed, where it cannot. */
bool abut_translation_intervals(const abut_ccd_query *query, abut_contact_interval *intervals,
                                size_t capacity, abut_intervals_result *out);
void abut_first_keep_point(abut_first_state *s, const abut_first_point *point);
/* Witness point and normal at one time; a time enclosure is a few ulp wide, and so is what they
 * move in it. */
void abut_first_add_point(abut_first_state *s, const abut_run *run, abut_interval time);
/* Points of bodies that are proved to touch at t, in a contact that begins within the time
 * found. */
void abut_first_add_points_at(abut_first_state *s, double t);

#endif
