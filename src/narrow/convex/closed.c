/* SPDX-License-Identifier: MIT */
/* Points, segments and boxes with balls around them: capsules, boxes, and what is swept from them.
 *
 * Where both are placed exactly (translated by doubles, turned by quarter turns) each core is a box
 * along the axes of the world, with extents that may be 0, and the gap of two such boxes is that
 * of their difference from the origin: with e_i = |d_i| - (a_i + b_i) it is |max(e, 0)|, or the
 * largest e_i where none is positive. That is a length of short sums less a short sum, which
 * gap.c encloses within 2 ulp and whose sign it takes exactly. */
#include "narrow/convex/closed.h"
#include "narrow/convex/upright.h"

bool abut_closed_solve(const abut_convex_pair *pair, const abut_ask *ask, abut_convex_answer *out)
{
    const abut_core_kind a = pair->a->kind, b = pair->b->kind;
    if (b == ABUT_CORE_POINT && (a == ABUT_CORE_CYLINDER || a == ABUT_CORE_CONE)) {
        abut_closed_round(pair, out);
        return true;
    }
    if (a > ABUT_CORE_BOX || b > ABUT_CORE_BOX)
        return false;
    if (a == ABUT_CORE_BOX || b == ABUT_CORE_BOX)
        abut_closed_boxes(pair, ask, out);
    else
        abut_closed_segments(pair, out);
    return true;
}

/* ---- exactly ---- */

static double part(abut_vec3 v, int i)
{
    return i == 0 ? v.x : i == 1 ? v.y : v.z;
}

/* Extents along the world's axes. */
static void extents(const abut_core *core, const abut_place *place, int exponent, bool *lossy, double out[3])
{
    for (int i = 0; i < 3; ++i)
        out[core->kind == ABUT_CORE_POINT ? i : place->axis[i]] =
            abut_gap_shrink(core->h[i], exponent, lossy);
}

static bool is_exact(const abut_shape *shape, const abut_place *place)
{
    /* The radius of a swept shape is rounded. */
    return place->points && (place->axes || shape->core.kind == ABUT_CORE_POINT) &&
           shape->type != ABUT_SHAPE_SWEPT;
}

/* Larger of two gaps. */
static abut_gap larger(abut_gap a, abut_gap b)
{
    return (abut_gap){ { fmax(a.value.lo, b.value.lo), fmax(a.value.hi, b.value.hi) },
                       a.sign > b.sign ? a.sign : b.sign,
                       a.exact || b.exact };
}

/* The gap less the clearance in units of 2^*used; false where it is not known exactly. */
static bool exact_gap(const abut_pair *pair, abut_gap *gap, int *used)
{
    const abut_core *a = &pair->a->core, *b = &pair->b->core;
    if (!is_exact(pair->a, pair->at_a) || !is_exact(pair->b, pair->at_b))
        return false;
    const double clearance = pair->ask && pair->ask->want == ABUT_WANT_VERDICT ? pair->ask->clearance : 0;
    const abut_vec3 ta = pair->at_a->mid.translation, tb = pair->at_b->mid.translation;
    double largest = fmax(abut_max_norm(ta), abut_max_norm(tb));
    largest = fmax(fmax(largest, clearance), fmax(a->size + a->radius, b->size + b->radius));
    const int exponent = *used = abut_gap_exponent(largest);
    bool lossy = false;
    double ha[3], hb[3];
    extents(a, pair->at_a, exponent, &lossy, ha);
    extents(b, pair->at_b, exponent, &lossy, hb);
    const abut_terms radii = { 3,
                               { abut_gap_shrink(a->radius, exponent, &lossy),
                                 abut_gap_shrink(b->radius, exponent, &lossy),
                                 abut_gap_shrink(clearance, exponent, &lossy) } };
    abut_terms e[3];
    bool outside = false;
    for (int i = 0; i < 3; ++i) {
        e[i] = abut_terms_difference(abut_gap_shrink(part(tb, i), exponent, &lossy),
                                     abut_gap_shrink(part(ta, i), exponent, &lossy));
        if (abut_terms_sign(&e[i]) < 0)
            abut_terms_negate(&e[i]);
        abut_terms_push(&e[i], -ha[i]);
        abut_terms_push(&e[i], -hb[i]);
        outside |= abut_terms_sign(&e[i]) > 0;
    }
    if (lossy && exponent > 0)
        return false;
    if (outside) {
        for (int i = 0; i < 3; ++i)
            if (abut_terms_sign(&e[i]) <= 0)
                e[i] = (abut_terms){ 1, { 0 } };
        *gap = abut_gap_norm(e, &radii, lossy);
    } else {
        const abut_gap first = larger(abut_gap_linear(&e[0], &radii), abut_gap_linear(&e[1], &radii));
        *gap = larger(first, abut_gap_linear(&e[2], &radii));
    }
    return gap->sign != ABUT_SIGN_UNKNOWN;
}

void abut_closed_agree(const abut_convex_pair *pair, const abut_ask *ask, int exponent, int sign,
                       abut_convex_answer *answer)
{
    const double clearance = ask && ask->want == ABUT_WANT_VERDICT ? ldexp(ask->clearance, -exponent) : 0;
    const double taken = pair->radii + clearance, size = pair->a->size + pair->b->size + abut_length(pair->t);
    const double step = 0x1p-46 * (taken + size), at = sign > 0 ? taken + step : taken - step;
    if (sign > 0 ? !(answer->lo > at) : !(answer->hi < at))
        answer->lo = answer->hi = at;
}

void abut_closed_set_exact(abut_gap gap, int exponent, abut_check_result *out)
{
    const abut_interval value = abut_exact_scale(gap.value, exponent), none = { 0, 0 };
    out->proof = ABUT_PROOF_EXACT;
    out->stop = ABUT_STOP_DONE;
    out->counters.exact = gap.exact;
    out->verdict = gap.sign > 0 ? ABUT_SEPARATE : gap.sign < 0 ? ABUT_PENETRATING : ABUT_TOUCHING;
    out->has_depth = gap.sign < 0;
    out->distance = gap.sign > 0 ? (abut_interval){ fmax(value.lo, 0), value.hi } : none;
    out->depth = gap.sign < 0 ? (abut_interval){ fmax(-value.hi, 0), -value.lo } : none;
}

/* The gap may be 0, and that is what was asked about. */
static bool near_zero(const abut_convex_pair *pair, const abut_ask *ask, const abut_convex_answer *answer)
{
    const bool cleared = ask && ask->want == ABUT_WANT_VERDICT && ask->clearance > 0;
    return !cleared && answer->lo <= pair->radii && answer->hi >= pair->radii;
}

abut_status abut_narrow_closed(const abut_pair *pair, abut_workspace *ws, abut_check_result *out)
{
    abut_convex_pair convex;
    abut_convex_scratch scratch;
    abut_convex_answer answer;
    abut_gap gap;
    int exponent, used;
    if (pair->a->core.kind > ABUT_CORE_BOX || pair->b->core.kind > ABUT_CORE_BOX) /* swept shapes */
        return abut_narrow_convex(pair, ws, out);
    abut_convex_pair_from_places(pair, &scratch, &exponent, &convex);
    if (!abut_closed_solve(&convex, pair->ask, &answer))
        return abut_narrow_convex(pair, ws, out);
    bool exact = exact_gap(pair, &gap, &used);
    if (!exact && exponent == 0 && near_zero(&convex, pair->ask, &answer)) {
        gap = (abut_gap){ .sign = abut_upright_sign(pair), .exact = true };
        if (gap.sign > 0)
            gap.value = (abut_interval){ 0x1p-1074, fmax(answer.hi - convex.radii, 0x1p-1074) };
        exact = gap.sign != ABUT_SIGN_UNKNOWN;
        used = 0;
    }
    if (exact)
        abut_closed_agree(&convex, pair->ask, exponent, gap.sign, &answer);
    abut_convex_finish(&convex, &answer, pair->ask, exponent, out);
    if (exact)
        abut_closed_set_exact(gap, used, out);
    return ABUT_OK;
}
