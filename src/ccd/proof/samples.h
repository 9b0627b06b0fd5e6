/* SPDX-License-Identifier: MIT */
/* Contacts along curves and all over regions, which are listed by samples of them. */
#ifndef ABUT_CCD_PROOF_SAMPLES_H
#define ABUT_CCD_PROOF_SAMPLES_H

#include "abut/query.h"
#include "math/vec3.h"

/* A contact beside a sample and with its normal is of the same curve or region: an end or corner of it,
 * or where a piece of one body touches its border. It counts as a sample, too. */
static inline void abut_join_sample(abut_first_point *p, const abut_first_point *sample, double separation)
{
    if (p->kind == ABUT_CONTACT_ISOLATED && sample->kind == ABUT_CONTACT_SAMPLED &&
        abut_dot(p->normal, sample->normal) > 0.999 &&
        abut_length(abut_sub(p->point, sample->point)) <= 1.01 * separation) {
        p->kind = ABUT_CONTACT_SAMPLED;
        p->unique = false;
    }
}

#endif
