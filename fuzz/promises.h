/* SPDX-License-Identifier: MIT */
/* What every query about two bodies promises, whatever they are. */
#ifndef ABUT_FUZZ_PROMISES_H
#define ABUT_FUZZ_PROMISES_H

#include "fuzz.h"

#include "abut/query.h"

#include <math.h>
#include <stdbool.h>

static inline bool ran(abut_status status)
{
    FUZZ_REQUIRE(status == ABUT_OK || status == ABUT_ERR_ARGUMENT || status == ABUT_ERR_UNSUPPORTED);
    return status == ABUT_OK;
}

static inline bool no_nan(abut_vec3 v)
{
    return !isnan(v.x) && !isnan(v.y) && !isnan(v.z);
}

static inline bool unit(abut_vec3 v)
{
    return fabs(v.x * v.x + v.y * v.y + v.z * v.z - 1) < 1e-6;
}

static inline bool meets(abut_verdict v)
{
    return v == ABUT_TOUCHING || v == ABUT_PENETRATING;
}

static inline void require_distance(abut_verdict verdict, abut_proof proof, abut_interval distance)
{
    FUZZ_REQUIRE(verdict >= ABUT_UNDECIDED && verdict <= ABUT_PENETRATING);
    FUZZ_REQUIRE(proof >= ABUT_PROOF_NONE && proof <= ABUT_PROOF_EXACT);
    FUZZ_REQUIRE(verdict == ABUT_UNDECIDED || proof != ABUT_PROOF_NONE);
    FUZZ_REQUIRE(distance.lo >= 0 && distance.lo <= distance.hi);
    FUZZ_REQUIRE(!meets(verdict) || distance.hi == 0);
    FUZZ_REQUIRE(verdict != ABUT_SEPARATE || distance.hi > 0);
}

/* Two answers to one question. */
static inline void require_agreement(abut_verdict a, abut_interval x, abut_verdict b, abut_interval y)
{
    FUZZ_REQUIRE(!(meets(a) && b == ABUT_SEPARATE) && !(meets(b) && a == ABUT_SEPARATE));
    FUZZ_REQUIRE(x.lo <= y.hi && y.lo <= x.hi);
}

static inline void require_check(const abut_check_result *c)
{
    require_distance(c->verdict, c->proof, c->distance);
    FUZZ_REQUIRE(!c->has_depth || (c->depth.lo >= 0 && c->depth.lo <= c->depth.hi));
    FUZZ_REQUIRE(!c->has_points || (no_nan(c->point_a) && no_nan(c->point_b)));
    FUZZ_REQUIRE(!c->has_normal || unit(c->normal));
    FUZZ_REQUIRE(c->contact_count >= 0 && c->contact_count <= ABUT_CHECK_CONTACTS);
    for (int i = 0; i < c->contact_count; ++i)
        FUZZ_REQUIRE(no_nan(c->contacts[i].point) && unit(c->contacts[i].normal));
}

#endif
