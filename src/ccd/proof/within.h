/* SPDX-License-Identifier: MIT */
/* Contact within tolerance over time; see within.c. */
#ifndef ABUT_CCD_PROOF_WITHIN_H
#define ABUT_CCD_PROOF_WITHIN_H

#include "ccd/proof/exact_touch.h"

/* What follows a touch at the start, within tolerance. */
typedef enum abut_within_start {
    ABUT_WITHIN_UNKNOWN, /* there is none, or nothing is known */
    ABUT_WITHIN_STAYS,   /* or they close in */
    ABUT_WITHIN_PARTS
} abut_within_start;

/* Whether they meet at t, as the static check says: also within tolerance. */
bool abut_within_meets(const abut_exact_touch *s, double t);
/* The start of the range; `until`: from when on they are proved apart, the end of the range where they
 * are not. *parted: PARTS: when they are seen to be apart. */
abut_within_start abut_within_begin(const abut_exact_touch *s, abut_interval range, double until,
                                    double *parted);
/* Whether they touch at the start and go on, with nothing proved but at single times: they slide or rest on each
 * other. */
bool abut_within_lasts(const abut_exact_touch *s, abut_interval range);
/* When they meet first in `time`, at the begin of which they are apart: an enclosure that begins with it.
 * False: not found. */
bool abut_within_first(const abut_exact_touch *s, abut_interval time, double range, abut_interval *out);
/* One contact that nothing more is known of than that they are apart before `time` and after it, but for
 * the ends of the range: from when to when they meet. `spent`: of much of it nothing was examined. False:
 * it is not one contact, as far as can be said. */
bool abut_within_interval(const abut_exact_touch *s, abut_interval time, abut_interval range, bool spent,
                          abut_contact_interval *out);

#endif
