/* SPDX-License-Identifier: MIT */
/* Examines single times, with the exact predicates of the static methods; see exact_touch.h.
 *
 * Placements are exact at times with few digits, where the products of a motion need no
 * rounding: 1/4 and not 0.249999. So of every stretch the time with the shortest fraction is
 * examined. The stretches begin where the bodies are known to be apart, and each is sixteen
 * times as long as the one before: a contact that lasts is found within that factor of how
 * closely its beginning is known. */
#include "ccd/proof/exact_touch.h"
#include "narrow/cover/pairs.h"

#include <math.h>

enum { DIGITS = 56, STEP = 4, SEARCHED = 500 };

static abut_verdict verdict_at(const abut_exact_touch *s, double t, uint64_t budget)
{
    const abut_ask ask = { .want = ABUT_WANT_VERDICT, .max_iterations = budget };
    abut_place at_a, at_b;
    abut_check_result check = { .verdict = ABUT_UNDECIDED };
    if (abut_place_from_motion(s->motion_a, t, &at_a) || abut_place_from_motion(s->motion_b, t, &at_b))
        return ABUT_UNDECIDED;
    const abut_pair pair = { s->a, s->b, &at_a, &at_b, &ask };
    const bool proved = !abut_narrow_run_pair(&pair, NULL, &check) && check.proof >= ABUT_PROOF_INTERVAL;
    return proved ? check.verdict : ABUT_UNDECIDED;
}

abut_verdict abut_exact_touch_at(const abut_exact_touch *s, double t)
{
    return verdict_at(s, t, 0);
}

/* Searches that have no exact predicate do not tell that near to a contact: they give up soon. */
static bool meet(const abut_exact_touch *s, double t)
{
    const abut_verdict verdict = verdict_at(s, t, abut_cover_by_features(s->a, s->b) ? 0 : SEARCHED);
    return verdict == ABUT_TOUCHING || verdict == ABUT_PENETRATING;
}

/* The multiple of the largest power of two in lo < t <= hi; hi where there is none but the last
 * digits. */
static double simplest(double lo, double hi)
{
    int exponent;
    (void)frexp(fmax(fabs(lo), fabs(hi)), &exponent);
    for (int e = exponent; e > exponent - DIGITS; --e) {
        const double t = ldexp(floor(ldexp(hi, -e)), e);
        if (t > lo)
            return t;
    }
    return hi;
}

bool abut_exact_touch_early(const abut_exact_touch *s, abut_interval time, bool at_begin, double *t)
{
    const double width = time.hi - time.lo;
    *t = time.lo;
    if (at_begin && meet(s, time.lo))
        return true;
    for (int e = DIGITS; e >= 0; e -= STEP) {
        const double end = time.lo + ldexp(width, -e), next = simplest(time.lo, e ? end : time.hi);
        if (next == *t)
            continue;
        *t = next;
        if (meet(s, *t))
            return true;
    }
    return false;
}

bool abut_exact_touch_late(const abut_exact_touch *s, abut_interval time, double *t)
{
    const double width = time.hi - time.lo;
    *t = time.hi;
    if (meet(s, time.hi))
        return true;
    for (int e = DIGITS; e >= 0; e -= STEP) {
        const double begin = time.hi - ldexp(width, -e), next = -simplest(-time.hi, e ? -begin : -time.lo);
        if (next == *t)
            continue;
        *t = next;
        if (meet(s, *t))
            return true;
    }
    return false;
}
