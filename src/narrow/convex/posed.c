/* SPDX-License-Identifier: MIT */
/* Convex bodies from their poses: the methods of the pair table that come before those for
 * placements. A closed form is taken where the cores have one, else the solvers. */
#include "narrow/convex/closed.h"
#include "narrow/pair/rotation.h"

static void decide(abut_verdict verdict, abut_check_result *out)
{
    out->verdict = verdict;
    out->proof = ABUT_PROOF_INTERVAL;
    out->stop = ABUT_STOP_DONE;
}

/* On which side of the clearance they are: by balls in and around them. */
static bool compare_balls(const abut_posed_pair *pair, abut_check_result *out)
{
    const int balls =
        abut_convex_compare_balls(pair->a, pair->at_a, pair->b, pair->at_b, pair->ask->clearance);
    if (balls)
        decide(balls > 0 ? ABUT_SEPARATE : ABUT_PENETRATING, out);
    return balls != 0;
}

static bool is_simple(const abut_shape *shape)
{
    return shape->core.kind <= ABUT_CORE_BOX;
}

/* Poses that are exact are left to the methods that decide a touch. */
static bool solve_closed(const abut_posed_pair *posed, abut_check_result *out)
{
    abut_convex_pair pair;
    abut_convex_answer answer;
    if (!(abut_quick_is_turned(posed->at_a->rotation) || abut_quick_is_turned(posed->at_b->rotation)) ||
        !abut_convex_pair_from_poses(posed->a, posed->at_a, posed->b, posed->at_b, &pair) ||
        !abut_closed_solve(&pair, posed->ask, &answer))
        return false;
    abut_convex_finish(&pair, &answer, posed->ask, 0, out);
    return out->verdict != ABUT_UNDECIDED;
}

bool abut_posed_overlap(const abut_posed_pair *posed, abut_workspace *ws, abut_check_result *out,
                        abut_status *status)
{
    (void)ws;
    *status = ABUT_OK;
    if (posed->ask->want != ABUT_WANT_VERDICT)
        return false;
    return compare_balls(posed, out) || abut_convex_poses(posed, false, out);
}

bool abut_posed_closed(const abut_posed_pair *posed, abut_workspace *ws, abut_check_result *out,
                       abut_status *status)
{
    *status = ABUT_OK;
    return posed->ask->want == ABUT_WANT_VERDICT ? abut_posed_overlap(posed, ws, out, status)
                                                 : solve_closed(posed, out);
}

/* The other way round, where one way stays undecided: next to a touch the solvers go different ways. */
static bool solve_reversed(const abut_posed_pair *posed, abut_check_result *out)
{
    abut_ask ask = *posed->ask;
    ask.cache = NULL; /* its axis is the other body's */
    const abut_posed_pair reversed = { posed->b, posed->a, posed->at_b, posed->at_a, &ask };
    abut_check_result found = { 0 };
    if (!abut_convex_poses(&reversed, false, &found))
        return false;
    abut_narrow_mirror(&found);
    *out = found;
    return true;
}

bool abut_posed_convex(const abut_posed_pair *posed, abut_workspace *ws, abut_check_result *out,
                       abut_status *status)
{
    *status = ABUT_OK;
    if (is_simple(posed->a) && is_simple(posed->b))
        return abut_posed_closed(posed, ws, out, status);
    if (posed->ask->want == ABUT_WANT_VERDICT && compare_balls(posed, out))
        return true;
    return abut_convex_poses(posed, true, out) ||
           (posed->ask->want != ABUT_WANT_VERDICT && solve_reversed(posed, out));
}
