/* SPDX-License-Identifier: MIT */
/* The first contact of all pairs of a scene of surface bodies: their relation at the start, then
 * all problems of all pairs in one queue of the minimiser, then what follows from its answer.
 *
 * The minimiser proves that nothing is earlier than `earliest`. That they do meet is proved by a
 * contact shown to be the only zero of its system, where the constraints hold; where there is
 * none, as with contact along curves, by a point of one that is shown inside the other a little
 * later. Without either the contact is within tolerance. */
#include "ccd/surface/surface_scene.h"

#include "ccd/proof/samples.h"
#include "math/vec3.h"
#include "narrow/surface/surface_pair.h"

/* Part of the range to which the time of the first contact is narrowed where contacts are not
 * isolated: half of the width that is promised, as the proof that they meet is a little later. */
static const double sharpness = 0x1p-31;

/* Regions are accepted without proof once they are this small: in space, as part of the size of the
 * smaller body, and in time, as part of the range. The two have different units. */
static const double small_length = 1e-6, small_duration = 1e-6;

/* Such parts, where the caller asks for them by `accuracy` without Newton's method. */
static const double coarsest = 1e-3;

abut_surface_start abut_surface_start_of(const abut_surface_scene *scene, const abut_surface_pair *pair,
                                         double t, abut_workspace *ws)
{
    const abut_surface_parts *const a = &scene->bodies[pair->a], *const b = &scene->bodies[pair->b];
    const abut_interval at = { t, t };
    abut_interval_vec3 box_a[ABUT_CULL_PIECES], box_b[ABUT_CULL_PIECES];
    abut_cull_boxes(a->motion, &a->cull.local, 1, at, box_a);
    abut_cull_boxes(b->motion, &b->cull.local, 1, at, box_b);
    if (!abut_boxes_meet(&box_a[0], &box_b[0]))
        return ABUT_START_APART;
    abut_verdict verdict;
    const abut_workspace_mark mark = abut_workspace_begin(ws);
    const abut_status status =
        abut_surface_verdict_at(a->shape, a->motion, b->shape, b->motion, t, ws, &verdict);
    abut_workspace_end(ws, mark);
    if (status)
        return ABUT_START_UNKNOWN;
    return verdict == ABUT_SEPARATE      ? ABUT_START_APART
           : verdict == ABUT_PENETRATING ? ABUT_START_DEEP
           : verdict == ABUT_TOUCHING    ? ABUT_START_TOUCHING
                                         : ABUT_START_UNKNOWN;
}

static bool is_at_rest(const abut_surface_parts *body)
{
    return !body->surface.deforms && (!body->motion || body->motion->type == ABUT_MOTION_STATIC);
}

/* By all of the static search. */
static abut_surface_start start_by_check(const abut_surface_scene *scene, const abut_surface_pair *pair,
                                         double t, abut_workspace *ws)
{
    const abut_surface_parts *const a = &scene->bodies[pair->a], *const b = &scene->bodies[pair->b];
    abut_check_result r;
    if (abut_check_at(a->shape, a->motion, b->shape, b->motion, t, NULL, ws, &r) ||
        r.proof < ABUT_PROOF_INTERVAL)
        return ABUT_START_UNKNOWN;
    return r.verdict == ABUT_SEPARATE      ? ABUT_START_APART
           : r.verdict == ABUT_PENETRATING ? ABUT_START_DEEP
           : r.verdict == ABUT_TOUCHING    ? ABUT_START_TOUCHING
                                           : ABUT_START_UNKNOWN;
}

/* Bodies at rest are as they are at the start all the time: the search is worth its cost. */
static abut_surface_start start_at_rest(const abut_surface_scene *scene, const abut_surface_pair *pair,
                                        double t, abut_workspace *ws)
{
    const bool rest = is_at_rest(&scene->bodies[pair->a]) && is_at_rest(&scene->bodies[pair->b]);
    return rest ? start_by_check(scene, pair, t, ws) : ABUT_START_UNKNOWN;
}

/* ---- preparing ---- */

typedef struct solving {
    abut_surface_scene *scene;
    const abut_first_opts *opts;
    abut_workspace *ws;
    abut_surface_answer *out;
    abut_stage stage;
    abut_problem *problems;
    abut_contact_problem *contexts;
    size_t problem_count;
    bool crowded; /* more problems than iterations: none is searched */
    abut_minimise_opts minimise;
    abut_minimum minimum;
} solving;

static bool make_stage(solving *s, int threads)
{
    size_t scratch = 1;
    for (size_t i = 0; i < s->scene->body_count; ++i)
        if (s->scene->bodies[i].surface.scratch > scratch)
            scratch = s->scene->bodies[i].surface.scratch;
    s->stage = (abut_stage){ .tracked = s->opts->tracked,
                             .tracked_count = s->opts->tracked ? s->opts->tracked_count : 0,
                             .no_tangency = s->opts->surface_solver && s->opts->surface_solver->no_tangency };
    s->stage.threads = abut_workspace_take(s->ws, (size_t)threads, sizeof *s->stage.threads);
    if (!s->stage.threads)
        return false;
    for (int i = 0; i < threads; ++i) {
        abut_stage_thread_clear(&s->stage.threads[i]);
        for (int j = 0; j < 2; ++j) {
            s->stage.threads[i].scratch[j] = abut_workspace_take(s->ws, scratch, sizeof(ia));
            if (!s->stage.threads[i].scratch[j])
                return false;
        }
    }
    return true;
}

static abut_status make_problems(solving *s)
{
    for (int pass = 0; pass < 2; ++pass) {
        size_t count = 0;
        for (size_t i = 0; i < s->scene->pair_count; ++i) {
            abut_status status =
                abut_surface_pair_problems(s->scene, &s->scene->pairs[i], (uint32_t)i, &s->stage, s->ws,
                                           s->problems, s->contexts, &count);
            if (!status)
                status = abut_surface_births(s->scene, &s->scene->pairs[i], (uint32_t)i, &s->stage,
                                             s->problems, s->contexts, &count);
            if (status)
                return status;
        }
        s->problem_count = count;
        s->crowded = count > ABUT_SURFACE_ITERATIONS && count > s->minimise.max_iterations;
        if (pass > 0 || s->crowded)
            break;
        s->problems = abut_workspace_take(s->ws, count + 1, sizeof *s->problems);
        s->contexts = abut_workspace_take(s->ws, count + 1, sizeof *s->contexts);
        if (!s->problems || !s->contexts)
            return ABUT_ERR_MEMORY;
    }
    return ABUT_OK;
}

static double size_of_pair(const abut_surface_scene *scene, const abut_surface_pair *pair)
{
    double least = HUGE_VAL;
    for (int i = 0; i < 2; ++i) {
        const abut_interval_vec3 *const box = &scene->bodies[i ? pair->b : pair->a].cull.local;
        const double size = fmax(box->x.hi - box->x.lo, fmax(box->y.hi - box->y.lo, box->z.hi - box->z.lo));
        least = fmin(least, size);
    }
    return least;
}

static void make_opts(solving *s)
{
    const abut_first_opts *const o = s->opts;
    const abut_surface_solver usual = { .newton = ABUT_NEWTON_AUTO };
    const abut_surface_solver *const by = o->surface_solver ? o->surface_solver : &usual;
    const abut_interval *const whole =
        s->scene->whole.lo < s->scene->whole.hi ? &s->scene->whole : &s->scene->range;
    const double range = whole->hi - whole->lo;
    double size = HUGE_VAL;
    for (size_t i = 0; i < s->scene->pair_count; ++i)
        size = fmin(size, size_of_pair(s->scene, &s->scene->pairs[i]));
    if (!(size > 0) || !isfinite(size))
        size = 1;
    s->minimise = (abut_minimise_opts){ .simultaneity = o->simultaneity,
                                        .separation = o->separation > 0 ? o->separation : size / 20,
                                        .accuracy = small_length * size,
                                        .duration = range > 0 ? small_duration * range : 1,
                                        .sharpness = o->accuracy > 0 ? o->accuracy : sharpness * range,
                                        .newton = by->newton,
                                        .order = by->order,
                                        .max_iterations =
                                            o->max_iterations ? o->max_iterations : ABUT_SURFACE_ITERATIONS,
                                        .threads = o->threads > 0 ? o->threads : 1,
                                        .progress = o->progress,
                                        .progress_ctx = o->progress_ctx };
    if (by->newton == ABUT_NEWTON_NONE && o->accuracy > 0 && range > 0) {
        /* Nothing is proved: regions are cut until they are as small as asked for; not so coarse that
         * bodies far from contact would count as touching. */
        const double part = fmin(o->accuracy / range, coarsest);
        s->minimise.accuracy = part * size;
        s->minimise.duration = part * range;
    }
}

/* ---- the answer ---- */

static double time_hi(const solving *s, const abut_solution *solution)
{
    return solution->x[s->problems[solution->problem].unknowns - 1].hi;
}

static bool near(abut_vec3 a, abut_vec3 b, double within)
{
    const abut_vec3 d = abut_sub(a, b);
    return abut_dot(d, d) <= within * within;
}

static int vertices(const abut_first_point *p)
{
    int count = 0;
    for (int i = 0; i < 2; ++i)
        count += p->features[i] == ABUT_FEATURE_VERTEX ? 2 : p->features[i] == ABUT_FEATURE_EDGE ? 1 : 0;
    return count;
}

/* Of two descriptions of one contact: a proof says more than none, and a corner more than the
 * faces around it, whose normals are any of many there. */
static bool says_more(const abut_first_point *a, const abut_first_point *b)
{
    return a->unique != b->unique ? a->unique : vertices(a) > vertices(b);
}

/* The same contact from two problems: a cap and the rest of its face, a face and its edge. */
static bool is_known(const solving *s, const abut_set_point *point)
{
    const double close = 4 * s->minimise.accuracy;
    for (size_t i = 0; i < s->out->point_count; ++i) {
        abut_set_point *const other = &s->out->points[i];
        if (other->a != point->a || other->b != point->b || !near(other->at.point, point->at.point, close))
            continue;
        if (says_more(&point->at, &other->at))
            other->at = point->at;
        return true;
    }
    return false;
}

static bool room_for_points(solving *s, size_t count)
{
    s->out->points = abut_workspace_take(s->ws, count + 1, sizeof *s->out->points);
    s->out->orders = abut_workspace_take(s->ws, count + 1, sizeof *s->out->orders);
    return s->out->points && s->out->orders;
}

static void keep_point(solving *s, const abut_surface_pair *pair, const abut_first_point *at)
{
    abut_surface_answer *const out = s->out;
    out->orders[out->point_count] = pair->order;
    out->points[out->point_count++] = (abut_set_point){ .a = pair->a, .b = pair->b, .at = *at };
}

static bool is_birth(const solving *s, const abut_solution *solution)
{
    return s->contexts[solution->problem].form == ABUT_FORM_BIRTH;
}

/* What comes into being inside the other body touches no surface: the pair is named, with the
 * time and a place of it, once. */
static void keep_birth(solving *s, const abut_surface_pair *pair, const abut_solution *solution)
{
    for (size_t i = 0; i < s->out->point_count; ++i)
        if (s->out->points[i].a == pair->a && s->out->points[i].b == pair->b &&
            s->out->points[i].at.kind == 0)
            return;
    const abut_interval_vec3 *const place = &solution->place;
    const double half = 0.5 * ABUT_BIRTH_THINNING;
    const abut_first_point none = { .time = solution->x[s->problems[solution->problem].unknowns - 1],
                                    .point = { half * (place->x.lo + place->x.hi),
                                               half * (place->y.lo + place->y.hi),
                                               half * (place->z.lo + place->z.hi) },
                                    .unique = solution->unique && solution->holds };
    keep_point(s, pair, &none);
}

static bool gather_points(solving *s)
{
    if (!room_for_points(s, s->minimum.solution_count))
        return false;
    for (size_t i = 0; i < s->minimum.solution_count; ++i) {
        const abut_solution *const solution = &s->minimum.solutions[i];
        const abut_contact_problem *const p = &s->contexts[solution->problem];
        const abut_surface_pair *const pair = &s->scene->pairs[p->pair];
        abut_set_point point = { .a = pair->a, .b = pair->b };
        if (p->form == ABUT_FORM_BIRTH) {
            keep_birth(s, pair, solution);
            continue;
        }
        if (abut_surface_describe(p, solution, &point.at) && !is_known(s, &point))
            keep_point(s, pair, &point.at);
    }
    return true;
}

static void join_regions(solving *s)
{
    abut_set_point *const points = s->out->points;
    for (size_t i = 0; i < s->out->point_count; ++i)
        for (size_t k = 0; k < s->out->point_count; ++k)
            if (points[k].a == points[i].a && points[k].b == points[i].b)
                abut_join_sample(&points[i].at, &points[k].at, s->minimise.separation);
}

/* The range as the problems have it. */
static abut_interval searched(const abut_surface_scene *scene)
{
    return scene->reversed ? (abut_interval){ -scene->range.hi, -scene->range.lo } : scene->range;
}

/* Parts that appear along curves or all over a region do so at one time; those on the border of
 * the other body prove nothing. */
static double prove_birth(const solving *s, double best)
{
    enum { most = 64 };
    const abut_minimum *const m = &s->minimum;
    size_t births = 0, number = 0;
    for (size_t i = 0; i < m->solution_count; ++i)
        births += is_birth(s, &m->solutions[i]);
    const size_t step = births / most + 1;
    const double soon = 0x1p-32 * (s->scene->range.hi - s->scene->range.lo);
    for (size_t i = 0; i < m->solution_count && best > m->earliest + soon; ++i) {
        const abut_solution *const each = &m->solutions[i];
        if (!is_birth(s, each) || number++ % step != 0)
            continue;
        const abut_contact_problem *const p = &s->contexts[each->problem];
        const abut_surface_pair *const pair = &s->scene->pairs[p->pair];
        abut_vec3 place;
        const double t = abut_birth_meeting(p, each, searched(s->scene), m->earliest, best, &place);
        if (t > best || !isfinite(t))
            continue;
        best = t;
        s->out->born = true;
        s->out->born_body = p->one == &pair->sides[0] ? pair->a : pair->b;
        s->out->born_at = place;
    }
    return best;
}

/* The soonest proof of a meeting among the solutions, which are taken from the earliest on; a
 * few are enough. */
static double prove_meeting(const solving *s)
{
    double best = prove_birth(s, s->minimum.latest), after = -HUGE_VAL;
    for (int tries = 0; tries < 8; ++tries) {
        const abut_solution *next = NULL;
        for (size_t i = 0; i < s->minimum.solution_count; ++i) {
            const abut_solution *const each = &s->minimum.solutions[i];
            if (time_hi(s, each) > after && (!next || time_hi(s, each) < time_hi(s, next)))
                next = each;
        }
        if (!next || time_hi(s, next) >= best)
            break;
        after = time_hi(s, next);
        if (is_birth(s, next))
            continue;
        const double t =
            abut_surface_meeting(&s->contexts[next->problem], next, searched(s->scene), s->minimum.earliest);
        best = fmin(best, t);
    }
    return best;
}

/* Pairs that meet at the start are the answer: nothing is earlier. Solids that do overlap;
 * sheets that do cross, and stay. */
static abut_status answer_start(solving *s, abut_surface_start state)
{
    abut_surface_answer *const out = s->out;
    const double start = searched(s->scene).lo;
    out->verdict = state == ABUT_START_DEEP ? ABUT_FIRST_OVERLAPPING : ABUT_FIRST_CONTACT;
    out->proof = ABUT_PROOF_INTERVAL;
    out->time = (abut_interval){ start, start };
    if (!room_for_points(s, s->scene->pair_count))
        return ABUT_ERR_MEMORY;
    for (size_t i = 0; i < s->scene->pair_count; ++i) {
        const abut_surface_pair *const pair = &s->scene->pairs[i];
        const abut_first_point none = { .time = out->time };
        if (pair->start == state)
            keep_point(s, pair, &none);
    }
    return ABUT_OK;
}

/* Nothing closes in, but their relation at the start is within rounding of touching: apart just
 * behind it means that they touch at most, and part. If not, *met is a time at which they are proved
 * to meet, or left as it is. */
static bool part_at_once(solving *s, double *met)
{
    const abut_surface_scene *const scene = s->scene;
    bool part = true;
    for (size_t i = 0; i < scene->pair_count; ++i) {
        abut_surface_start state = scene->pairs[i].start;
        double step = (scene->range.hi - scene->range.lo) * 0x1p-30, t = scene->range.lo;
        /* To a millionth of the time: farther on, bodies that did overlap may have parted. */
        for (int j = 0; j < 3 && state == ABUT_START_UNKNOWN; ++j, step *= 32) {
            t = scene->reversed ? scene->range.hi - step : scene->range.lo + step;
            state = abut_surface_start_of(scene, &scene->pairs[i], t, s->ws);
        }
        part = part && state == ABUT_START_APART;
        if (state == ABUT_START_DEEP || state == ABUT_START_TOUCHING)
            *met = fmin(*met, scene->reversed ? -t : t);
    }
    return part;
}

/* A birth that is not proved is no near miss within tolerance: there may be no body at all. */
static bool rests_on_birth(const solving *s)
{
    bool any = false;
    for (size_t i = 0; i < s->minimum.solution_count; ++i)
        any = any || is_birth(s, &s->minimum.solutions[i]);
    return any;
}

static bool births_known(const solving *s)
{
    bool known = true;
    for (size_t i = 0; i < s->scene->pair_count; ++i)
        known = known && abut_surface_births_known(s->scene, &s->scene->pairs[i]);
    return known;
}

/* What is known once the minimiser is done. */
static abut_status answer(solving *s, bool unknown_start)
{
    abut_surface_answer *const out = s->out;
    const abut_minimum *const m = &s->minimum;
    const double end = searched(s->scene).hi;
    out->stop = m->stop;
    out->counters = m->counters;
    out->proof = unknown_start ? ABUT_PROOF_TOLERANCE : ABUT_PROOF_INTERVAL;
    if (!births_known(s)) {
        /* too many to search for: whatever was found, something may come before it */
        out->verdict = ABUT_FIRST_UNDECIDED;
        out->time = searched(s->scene);
        out->proof = ABUT_PROOF_NONE;
        return ABUT_OK;
    }
    double met = end;
    if (m->earliest > end) {
        out->verdict = unknown_start && !part_at_once(s, &met) ? ABUT_FIRST_UNDECIDED : ABUT_FIRST_SEPARATE;
        if (out->verdict == ABUT_FIRST_UNDECIDED) {
            out->time = (abut_interval){ searched(s->scene).lo, met };
            out->proof = ABUT_PROOF_NONE;
        }
        return ABUT_OK;
    }
    if (!gather_points(s))
        return ABUT_ERR_MEMORY;
    join_regions(s);
    const double latest = prove_meeting(s);
    out->time = (abut_interval){ m->earliest, fmin(latest, end) };
    /* Should they meet at the start already, unseen, a later contact is not the first. Contacts
     * that are tracked are known to be there. */
    const double soon = searched(s->scene).lo + (end - searched(s->scene).lo) * 0x1p-20;
    if (unknown_start && m->earliest > soon && s->stage.tracked_count == 0 && !part_at_once(s, &met)) {
        out->verdict = ABUT_FIRST_UNDECIDED;
        out->proof = ABUT_PROOF_NONE;
        out->time = (abut_interval){ searched(s->scene).lo, fmin(out->time.hi, met) };
    } else if (latest <= end) {
        out->verdict = ABUT_FIRST_CONTACT;
    } else if (m->stop == ABUT_STOP_BUDGET || out->point_count == 0 || rests_on_birth(s)) {
        out->verdict = ABUT_FIRST_UNDECIDED;
        out->proof = ABUT_PROOF_NONE;
    } else { /* within tolerance: they come as near as that */
        out->verdict = ABUT_FIRST_CONTACT;
        out->proof = ABUT_PROOF_TOLERANCE;
        out->stop = ABUT_STOP_TOLERANCE;
        out->time.hi = -HUGE_VAL;
        for (size_t i = 0; i < m->solution_count; ++i)
            out->time.hi = fmax(out->time.hi, time_hi(s, &m->solutions[i]));
    }
    return ABUT_OK;
}

/* Everything is known but how they are at the start: then that is worth all of the static search,
 * too. */
static abut_status answer_again(solving *s, double start)
{
    enum { most = 16 };
    bool deep = false, touching = false, unknown = false;
    int tries = 0;
    for (size_t i = 0; i < s->scene->pair_count; ++i) {
        abut_surface_pair *const pair = &s->scene->pairs[i];
        if (pair->start == ABUT_START_UNKNOWN && tries++ < most)
            pair->start = start_by_check(s->scene, pair, start, s->ws);
        deep = deep || pair->start == ABUT_START_DEEP;
        touching = touching || pair->start == ABUT_START_TOUCHING;
        unknown = unknown || pair->start == ABUT_START_UNKNOWN;
    }
    *s->out = (abut_surface_answer){ .verdict = ABUT_FIRST_SEPARATE, .proof = ABUT_PROOF_INTERVAL };
    if (deep || touching)
        return answer_start(s, deep ? ABUT_START_DEEP : ABUT_START_TOUCHING);
    return answer(s, unknown);
}

abut_status abut_surface_solve(abut_surface_scene *scene, const abut_first_opts *opts, abut_workspace *ws,
                               abut_surface_answer *out)
{
    const double start = scene->reversed ? scene->range.hi : scene->range.lo;
    solving s = { .scene = scene, .opts = opts, .ws = ws, .out = out };
    *out = (abut_surface_answer){ .verdict = ABUT_FIRST_SEPARATE, .proof = ABUT_PROOF_INTERVAL };
    bool deep = false, touching = false, unknown = false;
    for (size_t i = 0; i < scene->pair_count; ++i) {
        abut_surface_pair *const pair = &scene->pairs[i];
        const bool later =
            scene->reversed ? pair->time.hi < scene->range.hi : pair->time.lo > scene->range.lo;
        pair->start =
            later || scene->apart ? ABUT_START_APART : abut_surface_start_of(scene, pair, start, ws);
        if (pair->start == ABUT_START_UNKNOWN)
            pair->start = start_at_rest(scene, pair, start, ws);
        deep = deep || pair->start == ABUT_START_DEEP;
        touching = touching || pair->start == ABUT_START_TOUCHING;
        unknown = unknown || pair->start == ABUT_START_UNKNOWN;
    }
    if (deep || touching)
        return answer_start(&s, deep ? ABUT_START_DEEP : ABUT_START_TOUCHING);
    make_opts(&s);
    if (!make_stage(&s, s.minimise.threads))
        return ABUT_ERR_MEMORY;
    abut_status status = make_problems(&s);
    if (!status && s.crowded) {
        *out = (abut_surface_answer){ .verdict = ABUT_FIRST_UNDECIDED,
                                      .stop = ABUT_STOP_BUDGET,
                                      .time = searched(scene),
                                      .counters.iterations = s.minimise.max_iterations };
        return ABUT_OK;
    }
    if (!status)
        status = abut_minimise(s.problems, s.problem_count, &s.minimise, ws, &s.minimum);
    if (!status)
        status = answer(&s, unknown);
    if (!status && unknown && out->verdict == ABUT_FIRST_UNDECIDED && out->stop == ABUT_STOP_DONE)
        status = answer_again(&s, start);
    return status;
}
