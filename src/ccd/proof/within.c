/* SPDX-License-Identifier: MIT */
/* Contact within tolerance over time: what no enclosure proves, and exact predicates do not know. Bodies
 * that slide or roll on each other are examined at single times by the static check, whose rule for touches
 * within tolerance (narrow/within.c) decides. So its answer, the first contact and the intervals agree. That
 * the bodies are apart is never said here. */
#include "ccd/proof/within.h"

#include "abut/query.h"
#include "motion/motion.h"
#include "narrow/within.h"
#include "surface/surface.h"

#include <math.h>

/* Parts of the range: a touch shorter than the last of these, from which they are apart, is one at an instant. */
static const double soon[] = { 0x1p-30, 0x1p-25, 0x1p-20, 0x1p-15, 0x1p-10 };
/* Further times, for bodies of which nothing is known until then. */
static const double later[] = { 0x1p-8, 0x1p-6, 0x1p-4 };

enum {
    SOON = sizeof soon / sizeof *soon,
    LATER = sizeof later / sizeof *later,
    STEP = 4,
    FINEST = 48,
    STRETCHES = FINEST / STEP + 1
};
/* How many times are examined between the begin of a contact and its end. */
enum { USUAL = 9, MANY = 33 };

static void check(const abut_exact_touch *s, double t, abut_check_result *out)
{
    if (abut_check_at(s->a, s->motion_a, s->b, s->motion_b, t, NULL, NULL, out))
        out->verdict = ABUT_UNDECIDED;
}

static bool is_meeting(abut_verdict verdict)
{
    return verdict == ABUT_TOUCHING || verdict == ABUT_PENETRATING;
}

/* By as much as walks can go on from. */
static bool is_apart(const abut_exact_touch *s, double t, const abut_check_result *r)
{
    return r->verdict == ABUT_SEPARATE &&
           r->distance.lo > 0x1p-8 * ABUT_WITHIN * abut_within_size(s->a, s->motion_a, s->b, s->motion_b, t);
}

bool abut_within_meets(const abut_exact_touch *s, double t)
{
    abut_check_result r;
    check(s, t, &r);
    return is_meeting(r.verdict);
}

/* As at the start all the time. */
static bool is_still(const abut_exact_touch *s)
{
    const abut_shape *const shape[2] = { s->a, s->b };
    const abut_motion *const motion[2] = { s->motion_a, s->motion_b };
    for (int i = 0; i < 2; ++i)
        if ((motion[i] && !abut_motion_is_still(motion[i])) ||
            (shape[i]->surface && shape[i]->surface->deforms))
            return false;
    return true;
}

/* Between a time at which they may touch and one at which they are apart: nearer to the first. */
static double part_sooner(const abut_exact_touch *s, double start, double touching, double parted)
{
    abut_check_result r;
    for (int i = 0; i < 3; ++i) {
        const double t = start + sqrt((touching - start) * (parted - start));
        if (!(touching < t && t < parted))
            break;
        check(s, t, &r);
        if (is_apart(s, t, &r))
            parted = t;
        else
            touching = t;
    }
    return parted;
}

abut_within_start abut_within_begin(const abut_exact_touch *s, abut_interval range, double until,
                                    double *parted)
{
    const double length = range.hi - range.lo;
    const bool brief = until < range.hi && until - range.lo <= soon[SOON - 1] * length;
    bool known = true;
    double touching = range.lo;
    abut_check_result r;
    check(s, range.lo, &r);
    if (r.verdict != ABUT_TOUCHING)
        return ABUT_WITHIN_UNKNOWN;
    if (is_still(s))
        return ABUT_WITHIN_STAYS;
    for (int i = brief ? -1 : 0; i < (known ? SOON : SOON + LATER); ++i) {
        const double t = i < 0 ? until : range.lo + (i < SOON ? soon[i] : later[i - SOON]) * length;
        if (!(t > range.lo) || (brief && t < until))
            continue;
        check(s, t, &r);
        if (is_apart(s, t, &r)) {
            *parted = part_sooner(s, range.lo, touching, t);
            return ABUT_WITHIN_PARTS;
        }
        if (r.verdict == ABUT_PENETRATING) /* they closed in */
            return ABUT_WITHIN_STAYS;
        *parted = t;
        known = r.verdict == ABUT_TOUCHING;
        touching = t;
    }
    if (touching == range.lo) /* no time that is distinguished from the start */
        return ABUT_WITHIN_UNKNOWN;
    if (r.verdict == ABUT_SEPARATE)
        return ABUT_WITHIN_PARTS;
    *parted = brief ? until : *parted;
    return brief ? ABUT_WITHIN_PARTS : known ? ABUT_WITHIN_STAYS : ABUT_WITHIN_UNKNOWN;
}

/* Times between two others: not regular ones, which a motion may know. */
static double between(int i, double from, double to)
{
    const double part = 0.6180339887498949 * (i + 1);
    return from + (part - floor(part)) * (to - from);
}

bool abut_within_lasts(const abut_exact_touch *s, abut_interval range)
{
    const bool still = is_still(s);
    bool known = true; /* by proofs, which methods may have all the time */
    for (int i = 0; i < (still ? 1 : USUAL); ++i) {
        const double t = i == 0 ? range.lo : i == 1 ? range.hi : between(i, range.lo, range.hi);
        abut_check_result r;
        check(s, t, &r);
        if (r.verdict != ABUT_TOUCHING || r.proof == ABUT_PROOF_INTERVAL)
            return false;
        known = known && r.proof == ABUT_PROOF_EXACT;
    }
    return !known;
}

/* In stretches from `from` towards `to`, each sixteen times as long as the one before: the first time at which they
 * meet, and the first of those at which they are as close as they come, but for rounding: a body that is within
 * tolerance may still come closer. */
static bool search(const abut_exact_touch *s, double from, double to, double *met, double *close)
{
    double time[STRETCHES], high[STRETCHES], least = INFINITY;
    int first = STRETCHES, end = STRETCHES;
    for (int i = 0; i < end; ++i) {
        abut_check_result r;
        time[i] = i == 0 ? from : from + ldexp(to - from, STEP * i - FINEST);
        check(s, time[i], &r);
        const bool meets = is_meeting(r.verdict);
        high[i] = meets ? r.distance.hi : INFINITY;
        least = fmin(least, high[i]);
        if (meets && first == STRETCHES)
            first = i;
        if (first < STRETCHES && (!meets || r.proof >= ABUT_PROOF_INTERVAL)) /* no nearer to its begin */
            end = meets ? i + 1 : i;
    }
    if (first == STRETCHES)
        return false;
    int near = first;
    while (high[near] > 4 * least)
        ++near;
    *met = time[first];
    *close = time[near];
    return true;
}

bool abut_within_first(const abut_exact_touch *s, abut_interval time, double range, abut_interval *out)
{
    double met, close;
    if (!search(s, time.lo, time.hi, &met, &close))
        return false;
    /* Of a graze, bodies are within tolerance before they touch, and apart again soon. */
    *out = time.hi - time.lo <= soon[SOON - 1] * range ? time : (abut_interval){ time.lo, close };
    return true;
}

/* When they are closest, of a touch at an instant. */
static double closest(const abut_exact_touch *s, double from, double to)
{
    double best = 0.5 * from + 0.5 * to, least = INFINITY;
    for (int i = -1; i < USUAL; ++i) {
        const double t = i < 0 ? best : between(i, from, to);
        abut_check_result r;
        check(s, t, &r);
        if (r.verdict == ABUT_UNDECIDED || !(r.distance.hi < least))
            continue;
        least = r.distance.hi;
        best = t;
    }
    return best;
}

bool abut_within_interval(const abut_exact_touch *s, abut_interval time, abut_interval range, bool spent,
                          abut_contact_interval *out)
{
    const bool brief = time.hi - time.lo <= soon[SOON - 1] * (range.hi - range.lo);
    double first, last, enter, exit;
    if (is_still(s)) {
        *out = (abut_contact_interval){ { time.lo, time.lo }, { time.hi, time.hi } };
        return abut_within_meets(s, time.lo);
    }
    if (!search(s, time.lo, time.hi, &first, &enter) || !search(s, time.hi, time.lo, &last, &exit))
        return false;
    if (brief)
        enter = exit = closest(s, first, last);
    if (time.lo <= range.lo && first == time.lo)
        enter = time.lo;
    if (time.hi >= range.hi && last == time.hi)
        exit = time.hi;
    for (int i = 0; i < (spent ? MANY : USUAL) && !brief; ++i)
        if (enter > exit || !abut_within_meets(s, between(i, first, last)))
            return false;
    *out = (abut_contact_interval){ { time.lo, enter }, { exit, time.hi } };
    return true;
}
