/* SPDX-License-Identifier: MIT */
/* Any two bodies by covers: the search, then containment, then the answer in world space. */
#include "math/vec3.h"
#include "narrow/brep/solids.h"
#include "narrow/cover/cover.h"
#include "narrow/cover/pairs.h"
#include "surface/surface.h"

/* Of distances of fields, as narrow/surface would have them; boxes that it may take for the points. */
static const double fine_part = 2e-10;
enum { fine_boxes = 600 };

/* Boxes of faces that take as long as a pair of cells. */
enum { BOXES_PER_ITERATION = 64 };

static bool both_solid(const abut_cover_body body[2])
{
    return body[0].solid && body[1].solid;
}

static void finish_meeting(const abut_pair *pair, const abut_cover_body body[2],
                           const abut_cover_answer *found, double depth, abut_check_result *out)
{
    out->verdict = both_solid(body) ? ABUT_PENETRATING : ABUT_TOUCHING;
    out->proof = ABUT_PROOF_INTERVAL;
    out->stop = ABUT_STOP_DONE;
    out->distance = (abut_interval){ 0, 0 };
    /* Of a sheet: how far its point is inside, which only searches over time ask for. */
    const bool over_time = pair->ask && pair->ask->cover;
    out->depth = both_solid(body) ? (abut_interval){ depth, INFINITY }
                 : over_time      ? (abut_interval){ depth, depth }
                                  : (abut_interval){ 0, 0 };
    const abut_vec3 point = abut_cover_to_world(pair, found->point[0]);
    out->has_normal = true;
    out->normal =
        abut_unit_or(abut_sub(pair->at_b->mid.translation, pair->at_a->mid.translation), abut_v3(0, 0, 1));
    if (!both_solid(body)) {
        out->has_points = true;
        out->point_a = out->point_b = point;
    }
    out->contact_count = 1;
    out->contacts[0] = (abut_contact){ .point = point, .normal = out->normal, .ids = { -1, -1 } };
}

static void finish_apart(const abut_pair *pair, const abut_cover_answer *found, double slack,
                         abut_check_result *out)
{
    const abut_ask *ask = pair->ask;
    const double low = fmax(0, found->low - 2 * slack), high = fmax(found->high + 2 * slack, low);
    out->distance = (abut_interval){ low, high };
    out->verdict = low > 0 ? ABUT_SEPARATE : ABUT_UNDECIDED;
    out->proof = low > 0 ? ABUT_PROOF_INTERVAL : ABUT_PROOF_NONE;
    out->stop = found->spent ? ABUT_STOP_BUDGET : low > 0 ? ABUT_STOP_DONE : ABUT_STOP_TOLERANCE;
    if (!found->has_points)
        return;
    out->has_points = true;
    out->point_a = abut_cover_to_world(pair, found->point[0]);
    out->point_b = abut_cover_to_world(pair, found->point[1]);
    out->has_normal = found->high > 4 * slack;
    out->normal = abut_unit_or(abut_sub(out->point_b, out->point_a), abut_v3(1, 0, 0));
    out->contact_count = (!ask || ask->want == ABUT_WANT_ALL) && out->has_normal && low == 0;
    out->contacts[0] = (abut_contact){ .point = abut_scale(0.5, abut_add(out->point_a, out->point_b)),
                                       .normal = out->normal,
                                       .features = { found->feature[0], found->feature[1] },
                                       .ids = { found->id[0], found->id[1] } };
}

/* Nearest points are those of the spines: those of the bodies are further out. */
static void leave_spines(const abut_cover_body body[2], abut_cover_answer *found)
{
    const abut_vec3 d = abut_sub(found->point[1], found->point[0]);
    const double length = abut_length(d);
    if (!found->has_points || !(length > 0))
        return;
    found->point[0] = abut_madd(found->point[0], body[0].swell / length, d);
    found->point[1] = abut_madd(found->point[1], -body[1].swell / length, d);
}

/* What searches over time go on from. */
static void note_seen(const abut_pair *pair, const abut_cover_body body[2], const abut_cover_answer *found,
                      double slack)
{
    const abut_ask *ask = pair->ask;
    if (!ask || !ask->cover)
        return;
    const double swell = body[0].swell + body[1].swell;
    abut_cover_seen *seen = &ask->cover->seen;
    *seen = (abut_cover_seen){ .common = found->inside && swell == 0,
                               .swell = swell,
                               .crossing = found->crossing };
    for (int i = 0; i < 2; ++i) {
        seen->of[i] = found->inside ? found->linked || (seen->common && found->of[i]) : found->has_points;
        seen->point[i] = abut_cover_to_world(pair, found->linked ? found->link[i] : found->point[i]);
        seen->blur = fmax(seen->blur, 4 * slack + 0x1p-48 * abut_max_norm(seen->point[i]));
    }
}

/* One body is inside the other. The search left out what is nearest then, as only normals of bodies that are
 * apart oppose: its bound says nothing. Points of the inner one are common points. */
static double depth_inside(const abut_cover_body body[2], double slack, abut_cover_answer *found)
{
    const abut_vec3 candidates[4] = { found->point[0], found->point[1], body[0].root->at.center,
                                      body[1].root->at.center };
    for (int i = found->has_points ? 0 : 2; i < 4; ++i) {
        abut_vec3 p = candidates[i];
        if (!both_solid(body) && (i > 1 || body[i].solid)) /* only points of the sheet */
            continue;
        const double depth = abut_cover_least_depth(body, 2 * slack, &p);
        if (!(depth > 0))
            continue;
        found->point[0] = found->point[1] = p;
        found->of[0] = found->of[1] = true;
        return depth;
    }
    return 0;
}

static void count_boxes(uint64_t *boxes, abut_check_result *out)
{
    out->counters.iterations += *boxes / BOXES_PER_ITERATION;
    *boxes = 0;
}

static abut_status run_to(const abut_pair *pair, double tolerance, double relative, abut_workspace *ws,
                          abut_check_result *out)
{
    abut_cover_body body[2];
    double slack;
    abut_status status = abut_cover_open(pair, ws, body, &slack);
    if (!status && (body[0].empty || body[1].empty)) {
        const abut_cover_answer nothing = { .low = INFINITY, .high = INFINITY };
        finish_apart(pair, &nothing, 0, out);
    }
    if (status || !isfinite(slack) || body[0].empty || body[1].empty)
        return status;
    const abut_ask all = { 0 }, *ask = pair->ask ? pair->ask : &all;
    const bool verdict = ask->want == ABUT_WANT_VERDICT;
    const double size = fmin(body[0].size, body[1].size);
    const abut_brep_goal goal = { .clearance = verdict ? ask->clearance : 0,
                                  .verdict_only = verdict,
                                  .apart = ask->apart,
                                  .tolerance = tolerance * (isfinite(size) ? size : 1),
                                  .relative = fmax(ask->relative, relative),
                                  .cutoff = ask->want == ABUT_WANT_DISTANCE ? ask->cutoff : INFINITY,
                                  .budget = ask->max_iterations
                                                ? ask->max_iterations
                                                : abut_work_budget(20000, abut_cover_work(pair)) };
    abut_cover_answer found;
    uint64_t boxes = 0; /* of faces, for points that may be inside */
    body[0].surface.boxes = body[1].surface.boxes = &boxes;
    status = abut_cover_search(body, slack, &goal, ws, &found);
    if (status)
        return status;
    out->counters = found.counters;
    count_boxes(&boxes, out);
    bool placed = true; /* the point in common is known */
    if (!found.inside && !ask->apart && found.low > 2 * slack) {
        int in = abut_cover_contains(&body[1], &body[0], 2 * slack, found.low - 2 * slack, ws, &status);
        if (in != 1 && !status) {
            const int in_a =
                abut_cover_contains(&body[0], &body[1], 2 * slack, found.low - 2 * slack, ws, &status);
            in = in_a == 1 ? 1 : in == 0 && in_a == 0 ? 0 : -1;
        }
        if (status)
            return status;
        if (in == 1) {
            found.inside = true;
            placed = false;
            if (!found.has_points)
                found.point[0] = body[0].root->at.center;
        } else if (in < 0) {
            found.low = 0;
        }
    }
    if (!found.inside && pair->a->type == ABUT_SHAPE_HEIGHTFIELD && pair->b->type == ABUT_SHAPE_HEIGHTFIELD &&
        !abut_cover_fields_seen(pair, &body[1].map)) {
        const abut_vec3 way = abut_sub(found.point[1], found.point[0]);
        found.low = fmin(found.low, abut_cover_fields_parted(body, way, slack));
    }
    if (found.inside) {
        const bool wanted =
            ask->want != ABUT_WANT_VERDICT && !(ask->want == ABUT_WANT_DISTANCE && ask->no_contacts);
        double depth = !wanted  ? 0
                       : placed ? abut_cover_least_depth(body, 2 * slack, &found.point[0])
                                : depth_inside(body, slack, &found);
        depth = fmax(depth, fmax(found.reach, found.linked ? -found.high - 2 * slack : 0));
        if (wanted && ask->cover && body[0].solid != body[1].solid) {
            /* Over time: how long the contact lasts. */
            abut_vec3 deep = found.point[0];
            const double more = abut_cover_deeper(body, 2 * slack, depth, &deep);
            if (more > depth) {
                found.of[0] = found.of[1] = true;
                found.point[0] = found.point[1] = deep;
                depth = more;
            }
        }
        note_seen(pair, body, &found, slack);
        finish_meeting(pair, body, &found, depth, out);
        count_boxes(&boxes, out);
        return ABUT_OK;
    }
    note_seen(pair, body, &found, slack);
    leave_spines(body, &found);
    finish_apart(pair, &found, slack, out);
    if (verdict && ask->clearance > 0) {
        const bool more = out->distance.lo > ask->clearance, less = out->distance.hi < ask->clearance;
        out->verdict = more ? ABUT_SEPARATE : less ? ABUT_PENETRATING : ABUT_UNDECIDED;
        out->proof = more || less ? ABUT_PROOF_INTERVAL : ABUT_PROOF_NONE;
    }
    return ABUT_OK;
}

static abut_status run(const abut_pair *pair, abut_workspace *ws, abut_check_result *out)
{
    return run_to(pair, 2e-7, 0, ws, out);
}

static abut_status run_fine(const abut_pair *pair, abut_workspace *ws, abut_check_result *out)
{
    return run_to(pair, 0, fine_part, ws, out);
}

static bool is_served(const abut_pair *pair)
{
    return abut_cover_takes(pair->a) && abut_cover_takes(pair->b);
}

static void clear(abut_check_result *out)
{
    out->verdict = ABUT_UNDECIDED;
    out->stop = ABUT_STOP_TOLERANCE;
    out->distance = (abut_interval){ 0, INFINITY };
}

abut_status abut_narrow_cover(const abut_pair *pair, abut_workspace *ws, abut_check_result *out)
{
    clear(out);
    return is_served(pair) ? abut_pair_with_scratch(run, pair, ws, out) : ABUT_ERR_UNSUPPORTED;
}

static bool is_field(const abut_shape *s)
{
    return (s->type == ABUT_SHAPE_IMPLICIT || s->type == ABUT_SHAPE_CSG) && s->surface && s->surface->solid &&
           !s->surface->deforms;
}

/* The nearest points to the last digits, once it is known how far apart the bodies are: the search by
 * equations then ends with the first pair of points that near. */
static abut_status refine(const abut_pair *pair, abut_workspace *ws, abut_check_result *out)
{
    const abut_ask all = { 0 };
    abut_ask ask = pair->ask ? *pair->ask : all;
    ask.least = out->distance.lo;
    ask.relative = 4 * fine_part;
    ask.max_iterations = fine_boxes;
    const abut_pair again = { pair->a, pair->b, pair->at_a, pair->at_b, &ask };
    abut_check_result found = { .verdict = ABUT_UNDECIDED };
    const abut_status status = abut_narrow_surfaces(&again, ws, &found);
    const abut_counters spent = out->counters;
    found.counters.iterations += spent.iterations;
    found.counters.evaluations += spent.evaluations;
    if (!status && found.verdict == ABUT_SEPARATE &&
        found.distance.lo >= (1 - 4 * fine_part) * found.distance.hi) {
        found.stop = ABUT_STOP_DONE;
        *out = found;
    } else {
        out->stop = ABUT_STOP_BUDGET;
        out->counters = found.counters;
    }
    return status;
}

/* What two methods know of the same distance: points are those that are nearest. */
static abut_status unite(const abut_check_result *found, abut_check_result *out)
{
    const abut_counters spent = out->counters;
    if (found->verdict != ABUT_SEPARATE || (out->verdict != ABUT_SEPARATE && out->verdict != ABUT_UNDECIDED))
        return ABUT_OK;
    const double low = fmax(found->distance.lo, out->distance.lo);
    if (!out->has_points || found->distance.hi < out->distance.hi)
        *out = *found;
    if (out->verdict == ABUT_UNDECIDED) {
        out->verdict = found->verdict;
        out->proof = found->proof;
        out->contact_count = 0;
    }
    out->distance = (abut_interval){ low, fmax(low, out->distance.hi) };
    out->counters = spent;
    return ABUT_OK;
}

/* A combination of plain solids, whose fields are known by hand: its equations are soon solved. */
static bool is_plain(const abut_shape *s)
{
    return s->type == ABUT_SHAPE_CSG && s->u.csg.mixed;
}

/* Charts of fields are boxes of space, of which the equations of nearest points take many more. */
abut_status abut_narrow_cover_fields(const abut_pair *pair, abut_workspace *ws, abut_check_result *out)
{
    const abut_shape *a = pair->a, *b = pair->b;
    const bool sheet_a = a->surface && !a->surface->solid, sheet_b = b->surface && !b->surface->solid;
    const bool rough = pair->ask && pair->ask->relative > fine_part;
    if ((!is_field(a) && !is_field(b)) || sheet_a || sheet_b || !is_served(pair) ||
        (pair->ask && pair->ask->want == ABUT_WANT_VERDICT))
        return abut_narrow_surfaces(pair, ws, out);
    const abut_check_result before = *out;
    abut_status status = ABUT_OK;
    const bool both = a->type == ABUT_SHAPE_CSG && b->type == ABUT_SHAPE_CSG;
    if ((both || is_plain(a) || is_plain(b)) && !(pair->ask && pair->ask->max_iterations)) {
        /* Edges against edges are soon known by their equations, and not by cells. */
        const abut_ask all = { 0 };
        abut_ask ask = pair->ask ? *pair->ask : all;
        ask.max_iterations = 2 * fine_boxes;
        const abut_pair first = { a, b, pair->at_a, pair->at_b, &ask };
        status = abut_narrow_surfaces(&first, ws, out);
        if (status || (out->verdict != ABUT_UNDECIDED && out->stop != ABUT_STOP_BUDGET))
            return status;
        *out = before;
    }
    clear(out);
    status = abut_pair_with_scratch(run_fine, pair, ws, out);
    if (!status && out->verdict == ABUT_SEPARATE && !rough)
        status = refine(pair, ws, out);
    if (status && status != ABUT_ERR_UNSUPPORTED)
        return status;
    const bool decided = !status && out->verdict != ABUT_UNDECIDED && out->stop == ABUT_STOP_DONE;
    /* Whoever sets a budget asks again. */
    if (decided || (!status && pair->ask && pair->ask->max_iterations))
        return status;
    const abut_check_result found = *out;
    *out = before;
    status = abut_narrow_surfaces(pair, ws, out);
    out->counters.iterations += found.counters.iterations;
    out->counters.evaluations += found.counters.evaluations;
    return status ? status : unite(&found, out);
}

bool abut_cover_replaces_solids(const abut_shape *shape)
{
    if (!abut_brep_is_body(shape))
        return true;
    if (!abut_shape_has_triangles(shape->type))
        return false;
    if (abut_cover_is_large(shape)) /* narrow/brep would make features of all triangles */
        return true;
    const abut_mesh_pieces *pieces = abut_shape_pieces(shape);
    return !pieces || pieces->count > 1; /* containment is asked of each */
}

bool abut_cover_by_features(const abut_shape *a, const abut_shape *b)
{
    return (abut_shape_solid(a) || abut_shape_solid(b)) && !abut_cover_replaces_solids(a) &&
           !abut_cover_replaces_solids(b);
}

abut_status abut_narrow_solid_faces(const abut_pair *pair, abut_workspace *ws, abut_check_result *out)
{
    return abut_cover_replaces_solids(pair->b) ? abut_narrow_cover(pair, ws, out)
                                               : abut_narrow_solids(pair, ws, out);
}

abut_status abut_narrow_cover_facets(const abut_pair *pair, abut_workspace *ws, abut_check_result *out)
{
    const abut_check_result before = *out;
    const abut_status status = abut_narrow_cover(pair, ws, out);
    const abut_shape *curved = pair->b, *flat = pair->a;
    const bool solids = (flat->type == ABUT_SHAPE_HEIGHTFIELD || flat->u.faceted.solid) &&
                        (!curved->surface || curved->surface->solid);
    /* Whoever sets a budget asks again. What is left of two solids touches, as far as can be said. */
    if (status || (pair->ask && pair->ask->max_iterations) || (out->verdict == ABUT_UNDECIDED && solids))
        return status;
    if (out->verdict != ABUT_UNDECIDED && out->stop != ABUT_STOP_BUDGET)
        return status;
    const abut_check_result found = *out;
    *out = before;
    const abut_status again = abut_narrow_facets(pair, ws, out);
    out->counters.iterations += found.counters.iterations;
    out->counters.evaluations += found.counters.evaluations;
    return again ? again : unite(&found, out);
}
