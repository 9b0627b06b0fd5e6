/* SPDX-License-Identifier: MIT */
/* Pairs of convex bodies, from placements to the solvers and from the cores' gap to a result;
 * see convex.h. convex_pair.c sets the pair up. */
#include "narrow/distance/convex.h"
#include "narrow/convex/upright.h"
#include "narrow/depth/depth.h"
#include "narrow/distance/cylinders.h"
#include "narrow/distance/refine.h"
#include "narrow/ellipsoid/ellipsoid_place.h"
#include "narrow/pair/rotation.h"

static const double u = 0x1p-53;

/* ---- what is remembered of a pair ---- */

static uint32_t vertex_count(const abut_core *core)
{
    switch (core->kind) {
    case ABUT_CORE_SEGMENT: return 2;
    case ABUT_CORE_BOX: return 8;
    case ABUT_CORE_HULL: return core->hull->vertex_count;
    default: return 1;
    }
}

static void recall_point(const abut_convex_pair *pair, uint32_t a, uint32_t b, abut_convex_point *p)
{
    const bool centre = a == ABUT_CONVEX_CENTRE && b == a && pair->a->inner >= 0 && pair->b->inner >= 0;
    p->a = centre || a < vertex_count(pair->a) ? a : 0;
    p->b = centre || b < vertex_count(pair->b) ? b : 0;
    p->x = centre ? abut_v3(0, 0, 0) : abut_core_vertex(pair->a, p->a);
    p->y = centre ? pair->t : abut_add(abut_mul(&pair->r, abut_core_vertex(pair->b, p->b)), pair->t);
    p->w = abut_sub(p->y, p->x);
}

/* What is in the cache, what comes out is of use: points of K, and a direction or zero. */
static void recall(const abut_convex_pair *pair, const abut_cache *cache, abut_simplex *simplex,
                   abut_vec3 *axis)
{
    simplex->count = 0;
    *axis = abut_v3(0, 0, 0);
    if (!cache)
        return;
    const abut_vec3 n = abut_v3(cache->axis[0], cache->axis[1], cache->axis[2]);
    const double square = abut_dot(n, n);
    if (square > 0.5 && square < 2)
        *axis = n;
    if (cache->count == 0 || cache->count > 4 || !abut_convex_is_polytope_pair(pair))
        return;
    for (uint32_t i = 0; i < cache->count; ++i)
        recall_point(pair, cache->a[i], cache->b[i], &simplex->p[i]);
    simplex->count = (int)cache->count;
}

static void remember(const abut_simplex *simplex, abut_vec3 axis, abut_cache *cache)
{
    if (!cache)
        return;
    const abut_vec3 n = abut_unit_or(axis, abut_v3(0, 0, 0));
    cache->axis[0] = n.x;
    cache->axis[1] = n.y;
    cache->axis[2] = n.z;
    cache->count = (uint32_t)simplex->count;
    for (int i = 0; i < simplex->count; ++i) {
        cache->a[i] = simplex->p[i].a;
        cache->b[i] = simplex->p[i].b;
    }
}

/* ---- the whole of it ---- */

static int side_of(const abut_convex_answer *answer, double limit)
{
    const double slack = 4 * u * limit;
    return answer->lo > limit + slack ? 1 : answer->hi < limit - slack ? -1 : 0;
}

/* The normal is to be the one that the better lower bound came from. `tried`: two hulls whose
 * own way did not lead to the end. */
static void add_depth(const abut_convex_pair *pair, const abut_simplex *simplex, bool tried,
                      abut_convex_answer *out)
{
    const double lo = out->lo;
    const abut_vec3 normal = out->normal;
    if (tried)
        abut_depth_by_polytope(pair, simplex, out);
    else
        abut_convex_depth(pair, simplex, out);
    if (out->lo == lo && lo > -INFINITY)
        out->normal = normal;
}

int abut_convex_compare(const abut_convex_pair *pair, double clearance, abut_cache *cache,
                        abut_convex_answer *out)
{
    const double limit = pair->radii + clearance;
    uint32_t spent = 0;
    if (pair->a->kind == ABUT_CORE_ELLIPSOID && pair->b->kind == ABUT_CORE_ELLIPSOID) {
        const int side = abut_ellipsoid_compare(pair, limit, out);
        if (side)
            return side;
        spent = out->supports;
    }
    abut_simplex simplex;
    abut_vec3 axis;
    recall(pair, cache, &simplex, &axis);
    int side = abut_gjk_compare(pair, limit, &axis, &simplex, out);
    remember(&simplex, axis, cache);
    out->supports += spent;
    if (side == 0 && out->lo <= 0) {
        add_depth(pair, &simplex, false, out);
        side = side_of(out, limit);
    }
    return side;
}

/* Swept bodies whose cores are apart need no depth solver: their depth is the radii less the
 * distance. */
static bool needs_depth(const abut_convex_pair *pair, abut_gjk_end end, abut_want want,
                        const abut_convex_answer *answer)
{
    if (end == ABUT_GJK_APART || end == ABUT_GJK_FAR)
        return false;
    return want == ABUT_WANT_ALL || side_of(answer, pair->radii) == 0;
}

/* Balls about the origins of both frames, inside the cores, overlap by a good part of their
 * size. */
static bool holds_centre(const abut_convex_pair *pair)
{
    const double inner = pair->a->inner + pair->b->inner;
    return pair->a->inner > 0 && pair->b->inner > 0 && abut_dot(pair->t, pair->t) < 0.98 * inner * inner;
}

/* The origins are nearer to each other than half-way from where balls inside the cores touch to
 * where balls around them do. Bodies without interior have no depth: of them a point is wanted
 * that GJK finds. */
static bool is_likely_to_meet(const abut_convex_pair *pair)
{
    if (abut_core_is_flat(pair->a) || abut_core_is_flat(pair->b))
        return false;
    const double inner = fmax(pair->a->inner, 0) + fmax(pair->b->inner, 0);
    const double half_way = 0.5 * (inner + pair->a->size + pair->b->size);
    return abut_dot(pair->t, pair->t) < half_way * half_way;
}

void abut_convex_solve(const abut_convex_pair *pair, const abut_ask *ask, abut_convex_answer *out)
{
    const abut_want want = ask ? ask->want : ABUT_WANT_ALL;
    abut_cache *cache = ask ? ask->cache : NULL;
    abut_simplex simplex;
    abut_vec3 axis;
    recall(pair, cache, &simplex, &axis);
    const bool warm = abut_dot(axis, axis) > 0, smooth = abut_convex_is_ellipsoid_pair(pair);
    if (smooth) {
        *out = (abut_convex_answer){ .lo = -INFINITY, .hi = INFINITY };
        bool done = warm && want == ABUT_WANT_ALL && abut_depth_of_ellipsoids(pair, &axis, out);
        if (!done) {
            const uint32_t spent = out->supports;
            done = abut_ellipsoid_distance(pair, warm ? &axis : NULL, out) ||
                   (want != ABUT_WANT_ALL && side_of(out, pair->radii) < 0);
            out->supports += spent;
        }
        if (done) {
            remember(&simplex, out->normal, cache);
            return;
        }
    }
    if (pair->a->kind == ABUT_CORE_ELLIPSOID && pair->b->kind == ABUT_CORE_ELLIPSOID && out->hi < 0) {
        /* Proved to overlap: the depth needs nothing that GJK would find. */
        simplex.count = 0;
        abut_convex_depth(pair, &simplex, out);
        remember(&simplex, out->normal, cache);
        return;
    }
    const double cutoff = want == ABUT_WANT_DISTANCE ? ask->cutoff + pair->radii : INFINITY;
    const bool curved = !abut_convex_is_polytope_pair(pair);
    uint32_t before = 0;
    bool known = warm;  /* a direction to begin with */
    bool tried = false; /* two hulls, as if they overlapped */
    if (want == ABUT_WANT_ALL && abut_cylinders_knows(pair)) {
        if (abut_depth_of_cylinders(pair, warm ? &axis : NULL, out)) {
            remember(&simplex, out->normal, cache);
            return;
        }
        before = out->supports;
        axis = out->normal;
        known = true;
    }
    if (curved && !smooth && abut_curved_distance(pair, known ? &axis : NULL, out)) {
        out->supports += before;
        remember(&simplex, out->normal, cache);
        return;
    }
    if (!curved && want == ABUT_WANT_ALL) {
        *out = (abut_convex_answer){ .lo = -INFINITY, .hi = INFINITY };
        tried = is_likely_to_meet(pair);
        bool done = tried && abut_depth_of_hulls(pair, cache, out);
        if (!done && simplex.count == 0 && holds_centre(pair)) {
            /* The polytope needs nothing that GJK would find. */
            add_depth(pair, &simplex, tried, out);
            done = true;
        }
        if (done) {
            simplex.count = 0;
            remember(&simplex, out->normal, cache);
            return;
        }
        before = out->supports;
    }
    const uint32_t spent = before + (curved ? out->supports : 0);
    const abut_vec3 last = out->normal;
    const abut_gjk_end end = abut_gjk_distance(pair, cutoff, warm ? &axis : NULL, &simplex, out);
    out->supports += spent;
    const bool doubtful = end == ABUT_GJK_APART || end == ABUT_GJK_NEAR;
    if (end == ABUT_GJK_MEETING && curved)
        out->normal = last;
    if (!(doubtful && abut_curved_decide(pair, out)) && needs_depth(pair, end, want, out))
        add_depth(pair, &simplex, tried, out);
    remember(&simplex, out->normal, cache);
}

static double scaled(double x, int exponent)
{
    return exponent ? ldexp(x, -exponent) : x;
}

/* In units of 1 again; `towards` is where rounding, which is for subnormal results only, may not
 * lead away from. */
static double unscaled(double x, int exponent, double towards)
{
    return exponent ? nextafter(ldexp(x, exponent), towards) : x;
}

static abut_vec3 to_world(const abut_convex_pair *pair, int exponent, abut_vec3 p)
{
    abut_vec3 q = abut_mul(&pair->frame.linear, p);
    if (exponent)
        q = abut_v3(ldexp(q.x, exponent), ldexp(q.y, exponent), ldexp(q.z, exponent));
    return abut_add(pair->frame.translation, q);
}

static void set_undecided(double lo, double hi, abut_check_result *out)
{
    out->verdict = ABUT_UNDECIDED;
    out->proof = ABUT_PROOF_NONE;
    out->stop = ABUT_STOP_TOLERANCE;
    out->distance = (abut_interval){ 0, hi };
    out->depth = (abut_interval){ 0, lo < 0 ? -lo : 0 };
}

/* The middle of a wide enclosure of a rotation is none: no direction is known then. */
static bool set_normal(const abut_convex_pair *pair, abut_vec3 n, abut_check_result *out)
{
    const abut_vec3 turned = abut_mul(&pair->frame.linear, n);
    out->has_normal = fabs(abut_dot(n, n) - 1) < 1e-6 && fabs(abut_dot(turned, turned) - 1) < 1e-6;
    if (out->has_normal)
        out->normal = abut_add(turned, abut_v3(0, 0, 0)); /* no -0 */
    return out->has_normal;
}

/* Where balls are met: on the line between the nearest points of the cores, which are then as
 * far apart as hi says. The normal may be off that line by the root of rounding: with bounds e
 * apart of a gap g, by sqrt(2 e g) at its end, an angle of sqrt(2 e / g). Points of bodies d
 * deep in each other are off by d times that from being opposite along the normal, or, with
 * balls met along the normal, by sqrt(2 e g): by no more than sqrt(2 e d) if the lesser is
 * chosen. */
static abut_vec3 to_other(const abut_convex_pair *pair, const abut_convex_answer *answer)
{
    const abut_vec3 w = abut_sub(answer->y, answer->x);
    const bool shallow = 2 * answer->lo > pair->radii;
    return pair->radii > 0 && shallow ? abut_unit_or(w, answer->normal) : answer->normal;
}

static void set_places(const abut_convex_pair *pair, const abut_convex_answer *answer, int exponent,
                       abut_check_result *out)
{
    if (!set_normal(pair, answer->normal, out))
        return;
    const abut_vec3 n = to_other(pair, answer);
    out->point_a = to_world(pair, exponent, abut_madd(answer->x, pair->a->radius, n));
    out->point_b = to_world(pair, exponent, abut_madd(answer->y, -pair->b->radius, n));
    out->has_points = abut_is_finite3(out->point_a) && abut_is_finite3(out->point_b);
}

/* Where they touch or penetrate, and all is wanted. */
static void add_contacts(const abut_convex_pair *pair, const abut_convex_answer *answer, const abut_ask *ask,
                         int exponent, abut_check_result *out)
{
    if ((ask && (ask->want != ABUT_WANT_ALL || ask->no_contacts)) || !out->has_normal ||
        out->verdict == ABUT_SEPARATE || out->verdict == ABUT_UNDECIDED)
        return;
    const int most = ask && ask->max_contacts > 0 ? ask->max_contacts : 4;
    out->contact_count = abut_convex_manifold(pair, answer, most, out->contacts);
    for (int i = 0; i < out->contact_count; ++i) {
        out->contacts[i].point = to_world(pair, exponent, out->contacts[i].point);
        out->contacts[i].normal = out->normal;
    }
}

void abut_convex_touch(const abut_convex_pair *pair, const abut_convex_answer *answer, const abut_ask *ask,
                       int exponent, abut_check_result *out)
{
    out->contact_count = 0;
    set_places(pair, answer, exponent, out);
    add_contacts(pair, answer, ask, exponent, out);
}

/* A body without interior that runs through the other: one point of it that lies in both, on no
 * feature of a boundary. */
static void set_crossing(const abut_convex_pair *pair, const abut_convex_answer *answer, int exponent,
                         abut_check_result *out)
{
    if (!set_normal(pair, answer->normal, out))
        return;
    uint32_t supports = answer->supports;
    const abut_vec3 guess = abut_core_is_flat(pair->a) ? answer->x : answer->y;
    out->point_a = out->point_b = to_world(pair, exponent, abut_convex_crossing(pair, guess, &supports));
    out->counters.evaluations += supports - answer->supports;
    out->has_points = abut_is_finite3(out->point_a);
    out->contact_count = out->has_points;
    out->contacts[0] = (abut_contact){ .point = out->point_a,
                                       .normal = out->normal,
                                       .features = { ABUT_FEATURE_NONE, ABUT_FEATURE_NONE },
                                       .ids = { -1, -1 } };
}

/* Cores that are hardly apart may have been found so by a solver of depths, whose points are
 * further apart than the distance. */
static bool is_loose(const abut_convex_pair *pair, const abut_convex_answer *answer)
{
    const abut_vec3 w = abut_sub(answer->y, answer->x);
    const double most = answer->hi + 16 * pair->error;
    return abut_dot(w, w) > most * most;
}

void abut_convex_finish(const abut_convex_pair *pair, abut_convex_answer *answer, const abut_ask *ask,
                        int exponent, abut_check_result *out)
{
    const abut_want want = ask ? ask->want : ABUT_WANT_ALL;
    const double clearance = want == ABUT_WANT_VERDICT ? scaled(ask->clearance, exponent) : 0;
    const double taken = pair->radii + clearance;
    const double lo = unscaled(answer->lo - taken - 4 * u * (taken + fabs(answer->lo)), exponent, -INFINITY);
    const double hi = unscaled(answer->hi - taken + 4 * u * (taken + fabs(answer->hi)), exponent, INFINITY);
    out->proof = ABUT_PROOF_INTERVAL;
    out->stop = ABUT_STOP_DONE;
    out->counters.iterations = answer->iterations;
    out->counters.evaluations = answer->supports;
    if (lo > 0) {
        out->verdict = ABUT_SEPARATE;
        out->distance = (abut_interval){ lo, hi };
        if (want == ABUT_WANT_DISTANCE && lo > ask->cutoff)
            out->stop = ABUT_STOP_CUTOFF;
    } else if (hi < 0) {
        const bool flat = clearance == 0 && (abut_core_is_flat(pair->a) || abut_core_is_flat(pair->b));
        out->verdict = flat ? ABUT_TOUCHING : ABUT_PENETRATING;
        out->has_depth = want == ABUT_WANT_ALL && !flat && isfinite(lo);
        if (out->has_depth)
            out->depth = (abut_interval){ -hi, -lo };
    } else {
        set_undecided(lo, hi, out);
    }
    /* Without a depth, cores that overlap have no points that mean anything. */
    if (want == ABUT_WANT_VERDICT || (want == ABUT_WANT_DISTANCE && !(answer->hi > 0)))
        return;
    if (hi < 0 && out->verdict == ABUT_TOUCHING)
        set_crossing(pair, answer, exponent, out);
    else {
        if (out->verdict == ABUT_SEPARATE ? is_loose(pair, answer) : !abut_convex_is_opposite(pair, answer)) {
            abut_convex_set_opposite(pair, answer);
            out->counters.evaluations = answer->supports;
        }
        set_places(pair, answer, exponent, out);
        add_contacts(pair, answer, ask, exponent, out);
    }
}

static void solve(const abut_convex_pair *pair, const abut_ask *ask, int exponent, abut_convex_answer *answer,
                  abut_check_result *out)
{
    if (!ask || ask->want != ABUT_WANT_VERDICT) {
        abut_ask own = ask ? *ask : (abut_ask){ .want = ABUT_WANT_ALL };
        own.cutoff = scaled(own.cutoff, exponent);
        abut_convex_solve(pair, &own, answer);
        abut_convex_finish(pair, answer, ask, exponent, out);
        return;
    }
    const double clearance = scaled(ask->clearance, exponent);
    abut_convex_pair wider = *pair;
    wider.error += 0x1p-52 * clearance; /* for the rounding of the sum with it */
    const int side = abut_convex_compare(&wider, clearance, ask->cache, answer);
    abut_convex_finish(pair, answer, ask, exponent, out);
    if (side && out->verdict == ABUT_UNDECIDED) {
        /* a side may be proved without bounds that show it */
        const bool flat = clearance == 0 && (abut_core_is_flat(pair->a) || abut_core_is_flat(pair->b));
        out->verdict = side > 0 ? ABUT_SEPARATE : flat ? ABUT_TOUCHING : ABUT_PENETRATING;
        out->proof = ABUT_PROOF_INTERVAL;
        out->stop = ABUT_STOP_DONE;
    }
}

/* A user's function gave points that no convex body has: the proofs from both sides
 * contradict each other. */
static bool is_contradictory(const abut_convex_pair *pair, const abut_convex_answer *answer)
{
    return answer->lo > answer->hi && (pair->a->kind == ABUT_CORE_USER || pair->b->kind == ABUT_CORE_USER);
}

/* By exact signs, from what the solvers found, which is undecided. False where there is none. */
static bool decide_exactly(const abut_pair *pair, const abut_convex_pair *convex,
                           const abut_convex_answer *answer, int exponent, abut_check_result *out)
{
    int sign = abut_ellipsoid_pair_sign(pair);
    if (sign == ABUT_SIGN_UNKNOWN && exponent == 0)
        sign = abut_convex_exact_sign(pair, convex, answer);
    if (sign == ABUT_SIGN_UNKNOWN && exponent == 0)
        sign = abut_upright_sign(pair);
    if (sign == ABUT_SIGN_UNKNOWN)
        return false;
    out->verdict = sign > 0 ? ABUT_SEPARATE : sign < 0 ? ABUT_PENETRATING : ABUT_TOUCHING;
    out->proof = ABUT_PROOF_EXACT;
    out->stop = ABUT_STOP_DONE;
    out->counters.exact = 1;
    if (sign <= 0)
        out->distance = (abut_interval){ 0, 0 };
    if (sign >= 0)
        out->depth = (abut_interval){ 0, 0 };
    out->has_depth = sign < 0 && isfinite(out->depth.hi);
    add_contacts(convex, answer, pair->ask, exponent, out);
    return true;
}

/* With a clearance there is nothing exact to decide by. */
static bool has_clearance(const abut_ask *ask)
{
    return ask && ask->want == ABUT_WANT_VERDICT && ask->clearance > 0;
}

/* By an exact sign, for placements that have one; with what the solver found, so that it need not run
 * again. Others may be decided by a narrower enclosure of the placements. */
static __attribute__((noinline)) bool decide_posed(const abut_posed_pair *posed,
                                                   const abut_convex_pair *convex,
                                                   const abut_convex_answer *answer, abut_check_result *out)
{
    const bool exact =
        !abut_quick_is_turned(posed->at_a->rotation) && !abut_quick_is_turned(posed->at_b->rotation);
    if (has_clearance(posed->ask) || !(exact || abut_convex_is_ellipsoid_pair(convex)))
        return false;
    abut_place at_a, at_b;
    const abut_pair placed = { posed->a, posed->b, &at_a, &at_b, posed->ask };
    return !abut_posed_place(posed, &at_a, &at_b) && decide_exactly(&placed, convex, answer, 0, out);
}

/* Only on which side of the clearance they are. */
static bool compare_poses(const abut_posed_pair *posed, abut_convex_pair *convex, bool exactly,
                          abut_check_result *out)
{
    const double clearance = posed->ask->clearance;
    abut_convex_answer answer = { .supports = 0 };
    int side = 0;
    if (clearance == 0 && convex->a->kind == ABUT_CORE_ELLIPSOID && convex->b->kind == ABUT_CORE_ELLIPSOID) {
        /* which have an exact sign at a tenth of the cost of a depth */
        side = abut_ellipsoid_compare(convex, convex->radii, &answer);
        if (!side && decide_posed(posed, convex, &answer, out))
            return true;
    }
    convex->error += 0x1p-52 * clearance; /* for the rounding of the sum with it */
    if (!side)
        side = abut_convex_compare(convex, clearance, posed->ask->cache, &answer);
    out->counters = (abut_counters){ .iterations = answer.iterations, .evaluations = answer.supports };
    if (!side)
        return exactly && decide_posed(posed, convex, &answer, out);
    const bool flat = clearance == 0 && (abut_core_is_flat(convex->a) || abut_core_is_flat(convex->b));
    out->verdict = side > 0 ? ABUT_SEPARATE : flat ? ABUT_TOUCHING : ABUT_PENETRATING;
    out->proof = ABUT_PROOF_INTERVAL;
    out->stop = ABUT_STOP_DONE;
    return true;
}

bool abut_convex_poses(const abut_posed_pair *posed, bool exactly, abut_check_result *out)
{
    abut_convex_pair convex;
    if (!abut_convex_pair_from_poses(posed->a, posed->at_a, posed->b, posed->at_b, &convex))
        return false;
    if (posed->ask->want == ABUT_WANT_VERDICT)
        return compare_poses(posed, &convex, exactly, out);
    abut_convex_answer answer;
    solve(&convex, posed->ask, 0, &answer, out);
    if (is_contradictory(&convex, &answer))
        return false;
    return out->verdict != ABUT_UNDECIDED || (exactly && decide_posed(posed, &convex, &answer, out));
}

abut_status abut_narrow_convex(const abut_pair *pair, abut_workspace *ws, abut_check_result *out)
{
    (void)ws;
    abut_convex_pair convex;
    abut_convex_scratch scratch;
    abut_convex_answer answer;
    int exponent;
    abut_convex_pair_from_places(pair, &scratch, &exponent, &convex);
    solve(&convex, pair->ask, exponent, &answer, out);
    if (is_contradictory(&convex, &answer))
        return ABUT_ERR_ARGUMENT;
    if (out->verdict == ABUT_UNDECIDED && !has_clearance(pair->ask))
        (void)decide_exactly(pair, &convex, &answer, exponent, out);
    return ABUT_OK;
}
