/* SPDX-License-Identifier: MIT */
/* Contacts that a walk has not proved, or of which it hardly knows when they begin and end; see doubts.c. */
#ifndef ABUT_CCD_PROOF_DOUBTS_H
#define ABUT_CCD_PROOF_DOUBTS_H

#include "ccd/proof/exact_touch.h"
#include "ccd/proof/moving.h"

typedef struct abut_doubts {
    abut_exact_touch touch;
    const abut_moving *moving;
    bool limited;        /* the budget is the caller's */
    int count;           /* examined so far */
    bool doubtful, open; /* some contact is not proved; and some not even within tolerance */
} abut_doubts;

/* Whether an end is wider than that. */
bool abut_doubts_wide(const abut_contact_interval *item, double most);
/* *item is from the run, and narrowed as far as can be. */
void abut_doubts_take(abut_doubts *d, const abut_run *run, abut_contact_interval *item);

#endif
