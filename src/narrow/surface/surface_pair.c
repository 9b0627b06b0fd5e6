/* SPDX-License-Identifier: MIT */
/* Two surface bodies at one instant: the gap between their boundaries (surface_gap.c), then, where
 * that is not zero, whether one is inside the other (surface_inside.c). Where only the verdict is
 * asked for, or the gap leaves it open, by points in common (surface_common.c). All in the frame of
 * a.
 *
 * Sheets enclose nothing: what has a point in common with one touches it. */
#include "narrow/surface/surface_pair.h"

#include "math/vec3.h"
#include "narrow/surface/surface_torus.h"

static const uint64_t usual_boxes = 16000, quick_boxes = 4000, first_boxes = 1000, flat_boxes = 1500,
                      long_flat_boxes = 6000;

typedef struct bodies {
    abut_placed_surface a, b;
} bodies;

/* A box is examined from many points. */
static uint64_t budget_of(const bodies *s, uint64_t boxes)
{
    return abut_work_budget(boxes, 2 * (s->a.surface.work + s->b.surface.work));
}

static ABUT_NOINLINE void relate(const abut_place *a, bool turns_a, const abut_place *b, bool turns_b,
                                 abut_placed_surface *out)
{
    abut_surface_relate(a, turns_a, b, turns_b, out);
}

static ABUT_NOINLINE void relate_affine(const abut_place *a, const abut_place *b, bool *regular,
                                        abut_placed_surface *out)
{
    *regular = abut_surface_relate_affine(a, b, out);
}

static abut_status place(const abut_shape *a, const abut_place *at_a, const abut_shape *b,
                         const abut_place *at_b, bool rigid, abut_workspace *ws, bodies *out)
{
    bool regular = true;
    abut_status status = rigid ? abut_placed_spine_make(a, at_a->t, ws, &out->a)
                               : abut_placed_surface_make(a, at_a->t, ws, &out->a);
    if (!status)
        status = rigid ? abut_placed_spine_make(b, at_b->t, ws, &out->b)
                       : abut_placed_surface_make(b, at_b->t, ws, &out->b);
    if (status)
        return status;
    const abut_rounding saved = abut_rounding_enter();
    if (rigid)
        relate(at_a, a->type != ABUT_SHAPE_SPHERE, at_b, b->type != ABUT_SHAPE_SPHERE, &out->b);
    else
        relate_affine(at_a, at_b, &regular, &out->b);
    abut_rounding_leave(saved);
    return regular ? ABUT_OK : ABUT_ERR_UNSUPPORTED;
}

/* Whether the faces of a shape are planes and quadrics with fields; of a torus it is the spine. */
static bool is_quadric(const abut_shape *s)
{
    return s->type == ABUT_SHAPE_CYLINDER || s->type == ABUT_SHAPE_CONE || s->type == ABUT_SHAPE_ELLIPSOID ||
           s->type == ABUT_SHAPE_TORUS;
}

/* Only fields, no parameters: as fields quadrics have constant second derivatives, which is what
 * surface_flat.c likes. */
static bool forget_parameters(abut_placed_surface *s, abut_workspace *ws)
{
    abut_surface_feature *f = abut_workspace_take(ws, s->surface.feature_count, sizeof *f);
    if (!f)
        return false;
    for (size_t i = 0; i < s->surface.feature_count; ++i) {
        f[i] = s->surface.features[i];
        if (f[i].dimension > 0 && f[i].field_count == 3 - f[i].dimension)
            f[i].parametric = false;
    }
    s->surface.features = f;
    return true;
}

/* One more search, with what is known from those before. */
static abut_status search_on(const bodies *s, const abut_surface_gap_opts *opts, uint64_t most, bool flat,
                             abut_workspace *ws, abut_surface_gap *gap)
{
    const abut_surface_gap before = *gap;
    abut_surface_gap_opts now = *opts;
    now.max_boxes = most < opts->max_boxes ? most : opts->max_boxes;
    now.flat = flat;
    now.known = &before;
    const abut_status status = abut_surface_find_gap(&s->a, &s->b, &now, ws, gap);
    if (status || gap->meets)
        return status;
    const double lower = fmax(gap->gap.lo, before.gap.lo);
    if (before.gap.hi < gap->gap.hi) {
        gap->gap.hi = before.gap.hi;
        gap->has_points = before.has_points;
        gap->point_a = before.point_a;
        gap->point_b = before.point_b;
        gap->has_face = before.has_face;
        gap->face = before.face;
    }
    gap->gap.lo = fmin(lower, gap->gap.hi);
    return ABUT_OK;
}

/* The gap. Isolated nearest points are soon known. Where they are not, they may be a curve or a
 * region, which surface_flat.c bounds, by fields alone if both bodies have them and from large
 * boxes on; that is given up where it does not get near, and the first search goes on. */
static abut_status find_gap(const abut_pair *pair, const bodies *s, const abut_surface_gap_opts *opts,
                            abut_workspace *ws, abut_surface_gap *gap)
{
    const bool quadric[2] = { is_quadric(pair->a), is_quadric(pair->b) };
    const bool by_fields = (s->a.surface.implicit || quadric[0]) && (s->b.surface.implicit || quadric[1]);
    bodies forms = *s;
    abut_surface_gap_opts now = *opts;
    now.max_boxes = opts->max_boxes < first_boxes ? opts->max_boxes : first_boxes;
    now.patience = opts->max_boxes;
    abut_status status = abut_surface_find_gap(&s->a, &s->b, &now, ws, gap);
    if (status || gap->meets || gap->stop != ABUT_STOP_BUDGET || gap->counters.iterations >= opts->max_boxes)
        return status;
    if (by_fields && ((quadric[0] && !forget_parameters(&forms.a, ws)) ||
                      (quadric[1] && !forget_parameters(&forms.b, ws))))
        return ABUT_ERR_MEMORY;
    uint64_t most = gap->counters.iterations;
    const bool close = gap->gap.hi < 0.03125 * gap->size; /* likely such a curve */
    for (int i = close; i < 2 && gap->stop == ABUT_STOP_BUDGET && !gap->meets && !status; ++i) {
        if (i > 0 && !close && !(gap->gap.lo > 0.5 * gap->gap.hi))
            break;
        most += i ? long_flat_boxes : flat_boxes;
        status = search_on(&forms, opts, most, true, ws, gap);
    }
    if (!status && !gap->meets && gap->stop == ABUT_STOP_BUDGET)
        status = search_on(s, opts, opts->max_boxes, false, ws, gap);
    return status;
}

static abut_verdict meeting(const bodies *s)
{
    const bool solid_a = s->a.surface.solid || s->a.surface.unknown_side || s->a.spine;
    const bool solid_b = s->b.surface.solid || s->b.surface.unknown_side || s->b.spine;
    return solid_a && solid_b ? ABUT_PENETRATING : ABUT_TOUCHING;
}

/* By points in common, which say nothing of the distance. Points of spines are not all of a
 * body. */
static abut_verdict verdict_by_points(const bodies *s, uint64_t budget, abut_surface_spot *spot)
{
    if (s->a.spine || s->b.spine)
        return ABUT_UNDECIDED;
    const int common = abut_surface_common(&s->a, &s->b, budget, spot);
    return common < 0 ? ABUT_UNDECIDED : common == 0 ? ABUT_SEPARATE : meeting(s);
}

static abut_verdict verdict_of(const bodies *s, abut_surface_gap *gap, uint64_t budget)
{
    if (gap->meets)
        return meeting(s);
    if (gap->gap.lo > 0) {
        /* boundaries or spines are that far apart, and a spine has nothing inside */
        const int in_b = abut_surface_contains(&s->b, &s->a, gap->gap.lo, budget, &gap->spot);
        const int in_a = in_b == 1 ? 1 : abut_surface_contains(&s->a, &s->b, gap->gap.lo, budget, &gap->spot);
        if (in_a == 1 || in_b == 1)
            return meeting(s);
        if (in_a == 0 && in_b == 0)
            return ABUT_SEPARATE;
    }
    /* Boxes as small as that would take longer than the gap did. */
    return gap->gap.hi < 0x1p-16 * gap->size ? ABUT_UNDECIDED : verdict_by_points(s, budget, &gap->spot);
}

static abut_vec3 to_world(const abut_place *place, abut_vec3 x)
{
    return abut_add(abut_mul(&place->mid.linear, x), place->mid.translation);
}

static void fill_points(const abut_pair *pair, const abut_surface_gap *gap, abut_check_result *out)
{
    abut_vec3 d = abut_sub(gap->point_b, gap->point_a);
    if (gap->gap.hi <= 0x1p-46 * gap->size && gap->has_face) /* d is nothing but rounding there */
        d = gap->face;
    const double length = abut_length(d);
    if (!gap->has_points || !(length > 0))
        return;
    out->has_points = true;
    out->point_a = to_world(pair->at_a, gap->point_a);
    out->point_b = to_world(pair->at_a, gap->point_b);
    out->has_normal = true;
    out->normal = abut_place_turn(pair->at_a, abut_scale(1 / length, d));
}

static abut_vec3 centre_of(const abut_placed_surface *s)
{
    const ia3 box = s->moved ? ia_affine_apply(&s->place, s->bounds) : s->bounds;
    return ia3_mid(box);
}

static ABUT_NOINLINE void examine_spot(const abut_placed_surface *a, const abut_placed_surface *b,
                                       const abut_surface_spot *spot, abut_vec3 *point, abut_vec3 *along,
                                       abut_vec3 *way)
{
    const ia q[2] = { ia_point(spot->q[0]), ia_point(spot->q[1]) };
    abut_chart c;
    int axis = -1;
    abut_chart_enclose(spot->body, spot->feature, q, 1, &axis, &c);
    *point = ia3_mid(c.p);
    *along = spot->feature->dimension == 2   ? ia3_mid(c.n)
             : spot->feature->dimension == 1 ? ia3_mid(c.t[0])
                                             : (abut_vec3){ 0, 0, 0 };
    *way = abut_sub(centre_of(b), centre_of(a));
}

/* A point of both where a sheet meets the other body, and the sheet's normal there, the way that
 * b lies from a; at an edge of the sheet, across the edge. */
static void fill_spot(const abut_pair *pair, const abut_placed_surface *a, const abut_placed_surface *b,
                      const abut_surface_spot *spot, abut_check_result *out)
{
    abut_vec3 point, along, way;
    const abut_rounding saved = abut_rounding_enter();
    examine_spot(a, b, spot, &point, &along, &way);
    abut_rounding_leave(saved);
    const int dimension = spot->feature->dimension;
    if (!abut_is_finite3(way)) /* half-spaces are everywhere */
        way = abut_v3(0, 0, 0);
    if (dimension == 1)
        along = abut_madd(way, -abut_dot(way, along) / abut_dot(along, along), along);
    else if (dimension == 0)
        along = way;
    const double length = abut_length(along);
    out->has_points = true;
    out->point_a = out->point_b = to_world(pair->at_a, point);
    if (!(length > 0) || !isfinite(length))
        return;
    const double sign = abut_dot(along, way) < 0 ? -1 : 1;
    out->has_normal = true;
    out->normal = abut_place_turn(pair->at_a, abut_scale(sign / length, along));
    static const abut_feature kinds[] = { ABUT_FEATURE_VERTEX, ABUT_FEATURE_EDGE, ABUT_FEATURE_FACE };
    out->contact_count = 1;
    out->contacts[0] = (abut_contact){ .point = out->point_a, .normal = out->normal, .ids = { -1, -1 } };
    out->contacts[0].features[spot->body == b] = kinds[dimension];
}

/* On which side of the clearance the distance is. */
static abut_verdict compare(abut_interval distance, double clearance)
{
    return distance.lo > clearance                                ? ABUT_SEPARATE
           : distance.hi < clearance                              ? ABUT_PENETRATING
           : distance.lo == clearance && distance.hi == clearance ? ABUT_TOUCHING
                                                                  : ABUT_UNDECIDED;
}

/* Where only that is asked: apart by more than the clearance? */
static void judge_clearance(const abut_ask *ask, abut_check_result *out)
{
    if (ask->want != ABUT_WANT_VERDICT || !(ask->clearance > 0))
        return;
    const bool proved = out->proof != ABUT_PROOF_TOLERANCE;
    out->verdict =
        out->verdict == ABUT_TOUCHING && proved ? ABUT_PENETRATING : compare(out->distance, ask->clearance);
    out->proof = out->verdict == ABUT_UNDECIDED   ? ABUT_PROOF_NONE
                 : out->proof == ABUT_PROOF_EXACT ? ABUT_PROOF_EXACT
                                                  : ABUT_PROOF_INTERVAL;
}

void abut_surface_report(const abut_pair *pair, const abut_placed_surface *a, const abut_placed_surface *b,
                         const abut_surface_gap *gap, abut_verdict verdict, abut_check_result *out)
{
    const abut_ask usual = { .want = ABUT_WANT_ALL };
    out->counters = gap->counters;
    out->stop = gap->stop;
    out->verdict = verdict;
    if (verdict == ABUT_SEPARATE || verdict == ABUT_UNDECIDED)
        out->distance = (abut_interval){ verdict == ABUT_SEPARATE ? gap->gap.lo : 0, gap->gap.hi };
    out->proof = verdict == ABUT_UNDECIDED ? ABUT_PROOF_NONE : ABUT_PROOF_INTERVAL;
    abut_surface_judge_meeting(out);
    judge_clearance(pair->ask ? pair->ask : &usual, out);
    if ((out->verdict != ABUT_PENETRATING && out->verdict != ABUT_TOUCHING) ||
        out->proof == ABUT_PROOF_TOLERANCE)
        fill_points(pair, gap, out);
    else
        out->stop = ABUT_STOP_DONE;
    if (out->verdict == ABUT_TOUCHING && gap->spot.body)
        fill_spot(pair, a, b, &gap->spot, out);
}

static abut_status solve(const abut_pair *pair, abut_workspace *ws, abut_check_result *out)
{
    const abut_ask usual = { .want = ABUT_WANT_ALL }, *ask = pair->ask ? pair->ask : &usual;
    const bool verdict_only = ask->want == ABUT_WANT_VERDICT;
    bodies s;
    if (abut_ring_takes(pair->a, pair->b)) {
        abut_torus_check(pair, out);
        judge_clearance(ask, out);
        return ABUT_OK;
    }
    abut_status status = place(pair->a, pair->at_a, pair->b, pair->at_b, true, ws, &s);
    if (status)
        return status;
    const abut_surface_gap_opts opts = {
        .cutoff = verdict_only                      ? ask->clearance
                  : ask->want == ABUT_WANT_DISTANCE ? ask->cutoff
                                                    : INFINITY,
        .near = verdict_only ? ask->clearance : 0,
        .relative = verdict_only ? 0 : ask->relative / (1 + ask->relative),
        .least = ask->least,
        .max_boxes = ask->max_iterations ? ask->max_iterations : budget_of(&s, usual_boxes),
    };
    abut_surface_gap gap;
    status = find_gap(pair, &s, &opts, ws, &gap);
    if (status)
        return status;
    const bool apart = ask->least > 0 && !gap.meets;
    abut_surface_report(pair, &s.a, &s.b, &gap, apart ? ABUT_SEPARATE : verdict_of(&s, &gap, opts.max_boxes),
                        out);
    return ABUT_OK;
}

abut_status abut_narrow_surfaces(const abut_pair *pair, abut_workspace *ws, abut_check_result *out)
{
    return abut_pair_with_scratch(solve, pair, ws, out);
}

/* Solids that touch are as undecided as those that are too close to tell. */
static abut_verdict stand_ring(const abut_shape *a, const abut_place *at_a, const abut_shape *b,
                               const abut_place *at_b)
{
    abut_ring_answer g;
    abut_ring_solve(a, at_a, b, at_b, 0, &g);
    return g.gap.lo > 0 ? ABUT_SEPARATE : g.gap.hi < 0 ? ABUT_PENETRATING : ABUT_UNDECIDED;
}

static abut_status classify(const abut_shape *a, const abut_place *at_a, const abut_shape *b,
                            const abut_place *at_b, bool rigid, abut_workspace *ws, abut_verdict *verdict)
{
    bodies s;
    abut_surface_gap gap;
    abut_surface_gap_opts opts = { .cutoff = 0 };
    if (rigid && abut_ring_takes(a, b)) {
        *verdict = stand_ring(a, at_a, b, at_b);
        return ABUT_OK;
    }
    if (rigid && abut_ring_takes(b, a)) {
        *verdict = stand_ring(b, at_b, a, at_a);
        return ABUT_OK;
    }
    abut_status status = place(a, at_a, b, at_b, rigid, ws, &s);
    if (status)
        return status;
    opts.max_boxes = budget_of(&s, quick_boxes);
    *verdict = verdict_by_points(&s, opts.max_boxes, NULL);
    if (*verdict != ABUT_UNDECIDED)
        return ABUT_OK;
    status = abut_surface_find_gap(&s.a, &s.b, &opts, ws, &gap);
    if (status)
        return status;
    *verdict = verdict_of(&s, &gap, opts.max_boxes);
    if (*verdict == ABUT_UNDECIDED && gap.gap.lo > 0) {
        /* a gap known better shows who is inside whom */
        opts = (abut_surface_gap_opts){ .cutoff = INFINITY, .max_boxes = budget_of(&s, usual_boxes) };
        status = abut_surface_find_gap(&s.a, &s.b, &opts, ws, &gap);
        if (status)
            return status;
        *verdict = verdict_of(&s, &gap, opts.max_boxes);
    }
    return ABUT_OK;
}

/* Of a motion that is not rigid only what abut_surface_relate_affine needs. */
static abut_status place_at(const abut_motion *motion, double t, bool *rigid, abut_place *out)
{
    if (!motion || abut_motion_is_rigid(motion))
        return abut_place_from_motion(motion, t, out);
    *rigid = false;
    memset(out, 0, sizeof *out);
    return abut_motion_enclose(motion, (abut_interval){ t, t }, &out->enclosure);
}

abut_status abut_surface_verdict_at(const abut_shape *a, const abut_motion *motion_a, const abut_shape *b,
                                    const abut_motion *motion_b, double t, abut_workspace *ws,
                                    abut_verdict *verdict)
{
    abut_place at_a, at_b;
    bool rigid = true;
    abut_status status = place_at(motion_a, t, &rigid, &at_a);
    if (!status)
        status = place_at(motion_b, t, &rigid, &at_b);
    if (status)
        return status;
    at_a.t = at_b.t = t;
    const abut_workspace_mark mark = abut_workspace_begin(ws);
    status = classify(a, &at_a, b, &at_b, rigid, ws, verdict);
    abut_workspace_end(ws, mark);
    return status;
}
