/* SPDX-License-Identifier: MIT */
/* All intervals of contact of two surface bodies.
 *
 * From a time at which they are apart, the first contact (surface_solve.c) ends what is proved
 * apart. Behind it they are proved to meet, stretch by stretch (surface_deep.c), up to where
 * that no longer works, which is usually next to the end of the contact. Then instants ahead are
 * examined: apart at one of them, the first contact backwards in time from there on is the end;
 * in contact, they are proved to meet back from there. So everything is proved but for what is
 * left between the last common point and the end, and between the begin and the first common
 * point, which the enclosures of these take in where it is short. A stretch that is neither
 * makes the answer one within tolerance. */
#include "ccd/proof/exact_touch.h"
#include "ccd/surface/surface_deep.h"

#include "math/nearest.h"

enum { max_evaluations = 64, max_searches = 32, between_looks = 5, guesses = 4 };

/* Of the budget, in iterations: their relation at an instant, which is at least that many evaluations;
 * and how many evaluations of a witness are one, on small expressions, and on those that take all of
 * the time. */
enum { cost_of_look = 300, evaluations_of_look = 64, evaluations_of_one = 32, long_evaluations_of_one = 4 };

/* Regions of a search for a point in common: at most instants, and where there must be one. */
static const uint64_t few_regions = 1500, many_regions = 6000;

/* Parts of the range: by how much the end of a contact may be wider than it is known, for a
 * proof that contact lasts, at first and where that does not do; and how far ahead is tried
 * first. */
static const double usual_slack = 0x1p-30, wide_slack = 0x1p-20, ahead = 0x1p-6;

/* Parts of the range: what is next to nothing; and the longest stretch within a contact that may
 * be left without any proof where the answer is one within tolerance. */
static const double next_to_nothing = 0x1p-20, longest_doubt = 1e-6;

typedef struct walk {
    abut_surface_scene scene; /* two bodies, one pair */
    abut_surface_parts bodies[2];
    abut_surface_pair pair;
    abut_deep deep;
    const abut_first_opts *opts;
    abut_workspace *ws;
    abut_interval range;
    double slack;
    uint64_t budget;                   /* iterations that are left; never 0 */
    uint64_t paid;                     /* evaluations of witnesses that were taken off it */
    abut_set_point points[2][guesses]; /* of the last searches forward and back */
    abut_contact_interval *items;
    size_t capacity;
    abut_intervals_result *out;
    bool doubtful;
    bool narrow; /* some contact that has witnesses is not proved: wider ends may do */
} walk;

/* The longer an evaluation takes, the more of an iteration it is. */
static uint64_t evaluations_for(uint64_t cost)
{
    const uint64_t part = evaluations_of_one / cost;
    return part > long_evaluations_of_one ? part : long_evaluations_of_one;
}

/* Witnesses may take what is left, from what they were paid for on. */
static void allow_witnesses(walk *w)
{
    const uint64_t cost = abut_work_cost(abut_deep_work(&w->deep)), each = evaluations_for(cost);
    w->deep.most = w->paid + (w->budget < UINT64_MAX / each ? w->budget * each / cost : UINT64_MAX / 2);
}

static void pay(walk *w, uint64_t iterations)
{
    w->budget -= iterations < w->budget ? iterations : w->budget - 1;
    allow_witnesses(w);
}

/* There is that much left at least. */
static void pay_back(walk *w, uint64_t least)
{
    w->budget = w->budget > least ? w->budget : least;
    allow_witnesses(w);
}

static void pay_witnesses(walk *w)
{
    const uint64_t cost = abut_work_cost(abut_deep_work(&w->deep)), each = evaluations_for(cost),
                   evaluations = w->deep.evaluations - w->paid;
    w->paid = w->deep.evaluations;
    pay(w, evaluations * cost / each);
}

static bool is_spent(walk *w)
{
    pay_witnesses(w);
    if (w->budget <= 1)
        w->out->stop = ABUT_STOP_BUDGET;
    return w->budget <= 1;
}

static void emit(walk *w, abut_interval enter, abut_interval exit, bool proved)
{
    if (w->out->count < w->capacity)
        w->items[w->out->count] = (abut_contact_interval){ enter, exit };
    ++w->out->count;
    w->doubtful = w->doubtful || !proved;
}

/* The points that guesses are made from stay when the memory of the search goes. */
static void keep_points(walk *w, bool last, abut_surface_answer *out)
{
    out->point_count = out->point_count < guesses ? out->point_count : guesses;
    if (out->point_count)
        memcpy(w->points[last], out->points, out->point_count * sizeof *out->points);
    out->points = w->points[last];
    out->orders = NULL;
}

/* First contact in [from, to], or the last one; times forward. Where the search begins they are
 * proved apart, but for the start of the range. `narrow`: times are known to parts of this range
 * only. */
static abut_status search_once(walk *w, double from, double to, bool last, bool narrow,
                               abut_surface_answer *out)
{
    bool possible = false;
    abut_first_opts opts = *w->opts;
    opts.simultaneity = 0;
    /* Something must be left for what comes behind an end that is not found. */
    opts.max_iterations = last ? (w->budget + 1) / 2 : w->budget;
    w->scene.range = (abut_interval){ from, to };
    w->scene.whole = narrow ? w->scene.range : w->range;
    w->scene.reversed = last;
    w->scene.apart = last || from > w->range.lo;
    for (int i = 0; i < 2; ++i)
        abut_cull_prepare(&w->bodies[i].cull, w->scene.range);
    abut_status status = abut_surface_pair_make(&w->scene, 0, 1, &w->pair, &possible);
    w->scene.pair_count = possible;
    const abut_workspace_mark mark = abut_workspace_begin(w->ws);
    if (!status)
        status = abut_surface_solve(&w->scene, &opts, w->ws, out);
    if (!status)
        keep_points(w, last, out);
    abut_workspace_end(w->ws, mark);
    if (status)
        return status;
    if (last)
        out->time = (abut_interval){ -out->time.hi, -out->time.lo };
    w->out->counters.iterations += out->counters.iterations;
    w->out->counters.evaluations += out->counters.evaluations;
    pay(w, out->counters.iterations * abut_work_cost(abut_deep_work(&w->deep)));
    return ABUT_OK;
}

/* Of something fast, regions that are short against the range may hold whole contacts, and the
 * search ends without an answer although its budget is not spent. Then it goes on from where it
 * got to, in a part of the time, shorter each time, and from the end of that where there is
 * nothing in it. */
static abut_status search(walk *w, double from, double to, bool last, abut_surface_answer *out)
{
    double part = 1;
    abut_status status = search_once(w, from, to, last, false, out);
    /* Should they meet at the start, unseen, nothing is proved by what is behind it. */
    const bool unknown =
        !last && from == w->range.lo && w->scene.pair_count > 0 && w->pair.start == ABUT_START_UNKNOWN;
    for (int i = 0; i < max_searches && !status && !unknown && w->budget > 1; ++i) {
        const bool stuck = out->verdict == ABUT_FIRST_UNDECIDED && out->stop == ABUT_STOP_BUDGET;
        if (!stuck && (out->verdict != ABUT_FIRST_SEPARATE || part == 1))
            break;
        double *const start = last ? &to : &from;
        const double end = last ? from : to;
        if (stuck) { /* proved apart up to there */
            const double got = last ? out->time.hi : out->time.lo;
            *start += 0.9375 * (got - *start);
            part *= 0.0625;
        } else { /* nothing in that part */
            *start += part * (end - *start);
            part = fmin(1, 4 * part);
        }
        const double until = part == 1 ? end : *start + part * (end - *start);
        if (*start == end || *start == until)
            break;
        status = search_once(w, last ? until : from, last ? to : until, last, part < 1, out);
    }
    if (status)
        return status;
    if (part < 1 && out->verdict == ABUT_FIRST_SEPARATE) /* only in that part */
        *out = (abut_surface_answer){ .verdict = ABUT_FIRST_UNDECIDED,
                                      .stop = ABUT_STOP_BUDGET,
                                      .time = { from, to } };
    if (part < 1 && out->verdict == ABUT_FIRST_UNDECIDED)
        out->time = (abut_interval){ last ? from : out->time.lo, last ? out->time.hi : to };
    if (out->stop == ABUT_STOP_BUDGET)
        w->out->stop = ABUT_STOP_BUDGET;
    return ABUT_OK;
}

/* Their relation at t. In contact: with a witness, unless the kind of it is NONE. */
static abut_surface_start examine(walk *w, double t)
{
    ++w->out->counters.evaluations;
    const int found = abut_deep_find(&w->deep, t, few_regions);
    if (found >= 0)
        return found ? ABUT_START_DEEP : ABUT_START_APART;
    const uint64_t cost = evaluations_of_look * abut_work_cost(abut_deep_work(&w->deep));
    pay(w, cost > cost_of_look ? cost : cost_of_look);
    const abut_surface_start state = abut_surface_start_of(&w->scene, &w->pair, t, w->ws);
    if (state == ABUT_START_DEEP || state == ABUT_START_TOUCHING)
        (void)abut_deep_find(&w->deep, t, many_regions);
    return state;
}

static double length_of(const walk *w)
{
    return w->range.hi - w->range.lo;
}

/* Far from 0 times are not known better than that. */
static double slack_of(const walk *w)
{
    return fmax(w->slack * length_of(w), 32 * w->deep.least);
}

/* An end that is proved, but to no more than that, may be as wide; in the second walk, where nothing better
 * is known, some times. */
static double slack_at(const walk *w, const abut_surface_answer *end)
{
    const double width = end->time.hi - end->time.lo;
    const double most = end->proof < ABUT_PROOF_INTERVAL ? 0 : w->slack > usual_slack ? 4 * width : width;
    return slack_of(w) + most;
}

/* ---- from one end of a contact into it ---- */

/* Next to a contact rounding may leave a witness nowhere to go. */
static bool holds_on(walk *w, double from, double to)
{
    const double lo = fmin(from, to), hi = fmax(from, to);
    const abut_deep_witness before = w->deep.w;
    if (abut_deep_over(&w->deep, lo, hi))
        return true;
    if (abut_deep_improve(&w->deep, 0.5 * lo + 0.5 * hi) && abut_deep_over(&w->deep, lo, hi))
        return true;
    w->deep.w = before;
    return false;
}

/* A witness close to a contact in `time`, on the side of it that `to` is on; up to 1/8 of the
 * way there. *at: when. */
static bool find_near(walk *w, const abut_surface_answer *contact, abut_interval time, double to, double *at)
{
    const bool later = to > time.lo;
    const double from = later ? time.hi : time.lo, way = later ? 1 : -1, most = fabs(to - from);
    const size_t count = contact->point_count < guesses ? contact->point_count : guesses;
    for (double far = 4 * w->deep.least; far <= 0.125 * most; far *= 4) {
        *at = from + way * far;
        if (contact->born && abut_deep_set_point(&w->deep, (int)contact->born_body, contact->born_at, *at) &&
            holds_on(w, *at, *at + 0.25 * way * far))
            return true;
        for (size_t i = 0; i < count; ++i) {
            /* Walls that run nearly side by side leave little room, and soon. */
            if (abut_deep_guess(&w->deep, &contact->points[i].at, from, *at) &&
                (holds_on(w, *at, *at + 0.25 * way * far) ||
                 (0x1p-6 * far > w->deep.least && holds_on(w, *at, *at + 0x1p-6 * way * far))))
                return true;
        }
    }
    /* Not a smooth contact, or not where it was thought to be: anywhere, in some instants. */
    for (double far = fmin(ahead * length_of(w), 0.25 * most); far <= most && far > 0; far *= 8) {
        *at = from + way * far;
        if (abut_deep_find(&w->deep, *at, few_regions) == 1)
            return true;
    }
    return false;
}

/* From an end of a contact towards `to`: the stretch around it in which they are proved to meet,
 * *near next to that end. False: none is. */
static bool grow_from(walk *w, const abut_surface_answer *contact, abut_interval time, double to,
                      double *near, double *far)
{
    double at;
    const double end = to > time.lo ? time.hi : time.lo;
    if (!find_near(w, contact, time, to, &at))
        return false;
    const abut_deep_witness witness = w->deep.w;
    const double step = 0.25 * fabs(at - end);
    *near = abut_deep_walk(&w->deep, at, end, step);
    w->deep.w = witness;
    *far = abut_deep_walk(&w->deep, at, to, step);
    return true;
}

/* ---- one contact ---- */

typedef struct contact {
    abut_interval enter;
    double until; /* in contact, as far as it is proved, from the begin up to here */
    bool whole;   /* and nothing is left out */
    bool begun;   /* they are proved to meet behind the begin */
    double doubt; /* the longest stretch of it in which nothing is proved */
    double slack; /* of its begin */
} contact;

/* What is claimed without proof from one time to another. They may be apart there, which is no
 * matter of tolerance where that is long. */
static void leave_out(const walk *w, contact *c, double from, double to)
{
    c->doubt = fmax(c->doubt, to - from);
    c->whole = c->whole && c->doubt <= fmax(slack_of(w), c->slack);
}

static void emit_contact(walk *w, const contact *c, abut_interval exit, bool proved)
{
    if (!(c->doubt <= fmax(longest_doubt * length_of(w), fmax(slack_of(w), c->slack))))
        w->out->stop = ABUT_STOP_BUDGET;
    w->narrow = w->narrow || (c->begun && !(proved && c->whole));
    emit(w, c->enter, exit, proved && c->whole);
}

/* They are apart at `seen`: where the contact ended. Where contact is proved next to that end,
 * but not back to c->until, that stretch is reported instead, and *open is true. */
static abut_status end_contact(walk *w, contact *c, double seen, abut_interval *stretch, bool *open)
{
    abut_surface_answer last;
    /* A touch within tolerance is found again, from the other side, only where it is in the range. */
    const double from = c->until < seen && c->begun ? c->until : c->enter.lo;
    *open = false;
    const abut_status status = search(w, from, seen, true, &last);
    if (status)
        return status;
    const double most = slack_at(w, &last);
    const bool found = last.verdict == ABUT_FIRST_CONTACT;
    abut_interval exit = { from, found || last.verdict == ABUT_FIRST_UNDECIDED ? last.time.hi : seen };
    if (last.verdict == ABUT_FIRST_SEPARATE && !c->whole) /* nothing but the touch that it began with */
        exit.hi = fmax(from, fmin(c->enter.hi, seen));
    double near, far;
    if (exit.hi - exit.lo > most && found && grow_from(w, &last, last.time, from, &near, &far) &&
        exit.hi - near <= most) {
        *open = far > from;
        *stretch = (abut_interval){ far, near };
        exit.lo = near;
    } else if (found && (!c->whole || exit.hi - exit.lo > most)) {
        exit.lo = fmax(from, last.time.lo);
        leave_out(w, c, c->until, exit.lo);
        c->whole = false;
    }
    if (!*open)
        emit_contact(w, c, exit, exit.hi - exit.lo <= most);
    return ABUT_OK;
}

/* The next instant to examine: ahead, farther each time, or between what is known. Contacts that
 * were short may come again soon. */
static double next_look(const walk *w, const contact *c, double known, int tries)
{
    const double until = c->until, lasted = until - c->enter.lo;
    const double first = fmin(fmax(0.25 * lasted, next_to_nothing * length_of(w)), ahead * length_of(w));
    static const double parts[between_looks] = { 0.5, 0.25, 0.75, 0.125, 0.875 };
    if (known <= w->range.hi)
        return until + parts[tries % between_looks] * (known - until);
    const double t = until + ldexp(first, 2 * tries);
    return t < w->range.hi ? t : w->range.hi;
}

/* What follows after c->until. *at: where they are apart again, or the end of the range. */
static abut_status follow(walk *w, contact *c, double *at)
{
    const double end = w->range.hi;
    double known = HUGE_VAL, known_end = HUGE_VAL; /* a stretch farther on in which they meet */
    int tries = 0;
    for (int tried = 0; c->until < end && tried < max_evaluations && !is_spent(w); ++tried) {
        const double t = next_look(w, c, known, tries++);
        if (!(t > c->until))
            break;
        const abut_surface_start state = examine(w, t);
        if (state == ABUT_START_APART) {
            abut_interval stretch;
            bool open;
            *at = t;
            const abut_status status = end_contact(w, c, t, &stretch, &open);
            if (status || !open)
                return status;
            known = stretch.lo;
            known_end = stretch.hi;
            tries = 0;
            continue;
        }
        if (state == ABUT_START_UNKNOWN || w->deep.w.kind == ABUT_DEEP_NONE) {
            if (known > end ? t < end : tries < between_looks)
                continue;
            if (known > end)
                break;
            /* Neither between: given up, and on from what is known. */
            leave_out(w, c, c->until, known);
            c->whole = false;
            c->until = known_end;
            known = known_end = HUGE_VAL;
            tries = 0;
            continue;
        }
        const abut_deep_witness witness = w->deep.w;
        const double back = abut_deep_walk(&w->deep, t, c->until, 0.25 * (t - c->until));
        w->deep.w = witness;
        const double on = abut_deep_walk(&w->deep, t, fmin(known, end), 0.25 * (t - c->until));
        const double reached = on >= known ? known_end : on;
        if (back - c->enter.lo <= fmax(slack_of(w), c->slack)) {
            c->enter.hi = fmax(c->enter.hi, back);
            c->whole = c->begun = true;
            c->doubt = 0;
            c->until = reached;
            known = known_end = HUGE_VAL;
        } else if (back <= c->until) {
            c->until = reached;
            known = known_end = HUGE_VAL;
        } else {
            known = back;
            known_end = reached;
        }
        tries = 0;
    }
    *at = end;
    if (c->until >= end) {
        emit_contact(w, c, (abut_interval){ end, end }, true);
    } else {
        const bool ends = examine(w, end) == ABUT_START_DEEP;
        if (ends)
            leave_out(w, c, c->until, end);
        emit_contact(w, c, (abut_interval){ ends ? end : c->until, end }, end - c->until <= slack_of(w));
    }
    return ABUT_OK;
}

/* A contact without any witness: a touch within tolerance, as of bodies that graze each other? It is
 * if it is found again from behind, in a range that has it about in its middle: next to the ends of
 * a range touches are harder to find. *done: it was; they are apart at *at. Before `from` they are
 * not known to be apart. */
static abut_status end_touch(walk *w, const contact *c, double from, double *at, bool *done)
{
    const double seen = c->until + ahead * length_of(w), tolerance = longest_doubt * length_of(w);
    abut_surface_answer last;
    *done = false;
    if (!(seen <= w->range.hi) || examine(w, seen) != ABUT_START_APART)
        return ABUT_OK;
    const abut_stop stop = w->out->stop;
    const abut_status status = search(w, fmax(from, c->enter.lo - (seen - c->until)), seen, true, &last);
    if (status)
        return status;
    *done = last.verdict == ABUT_FIRST_CONTACT && last.time.lo - c->until <= tolerance;
    if (*done) {
        *at = seen;
        emit(w, c->enter, (abut_interval){ fmax(last.time.lo, c->enter.lo), last.time.hi }, false);
    }
    w->out->stop = stop;
    return ABUT_OK;
}

/* A contact that begins in first->time, where they were apart before, from `from` on. */
static abut_status take_contact(walk *w, const abut_surface_answer *first, double from, double *at)
{
    const double end = w->range.hi;
    contact c = { .enter = first->time, .until = fmin(first->time.hi, end), .slack = slack_at(w, first) };
    bool done = false;
    double near, far;
    if (grow_from(w, first, first->time, end, &near, &far)) {
        c.whole = near - first->time.lo <= c.slack;
        if (c.whole)
            c.enter.hi = near;
        else
            leave_out(w, &c, first->time.hi, near);
        c.until = far;
        c.begun = true;
    }
    const abut_status status = c.begun ? ABUT_OK : end_touch(w, &c, from, at, &done);
    return status || done ? status : follow(w, &c, at);
}

/* As at the start all the time. */
static bool is_still(const walk *w)
{
    bool still = true;
    for (int i = 0; i < 2; ++i)
        still = still && !w->bodies[i].surface.deforms &&
                (!w->bodies[i].motion || abut_motion_is_still(w->bodies[i].motion));
    return still;
}

/* In contact at the start. */
static abut_status take_start(walk *w, double *at)
{
    const double start = w->range.lo;
    contact c = { .enter = { start, start }, .until = start, .whole = true, .begun = true };
    if (is_still(w))
        c.until = w->range.hi;
    else if (abut_deep_find(&w->deep, start, many_regions) == 1)
        c.until = abut_deep_walk(&w->deep, start, w->range.hi, ahead * length_of(w));
    return follow(w, &c, at);
}

/* ---- touches at the ends of the range ---- */

static bool touches_at(const walk *w, double t)
{
    const abut_exact_touch touch = { w->bodies[0].shape, w->bodies[1].shape, w->bodies[0].motion,
                                     w->bodies[1].motion };
    const bool rigid = (!touch.motion_a || abut_motion_is_rigid(touch.motion_a)) &&
                       (!touch.motion_b || abut_motion_is_rigid(touch.motion_b));
    return rigid && abut_exact_touch_at(&touch, t) == ABUT_TOUCHING;
}

/* ---- bodies without an end ---- */

static bool is_bounded(abut_interval_vec3 b)
{
    return isfinite(b.x.hi - b.x.lo) && isfinite(b.y.hi - b.y.lo) && isfinite(b.z.hi - b.z.lo);
}

/* Whether it is all that is far enough away: the material around closed surfaces. Not known where it is
 * not rigid. */
static bool is_all_far_away(const abut_surface_parts *parts)
{
    const abut_surface *const s = &parts->surface;
    bool far = s->solid && s->outside && (!parts->motion || abut_motion_is_rigid(parts->motion));
    for (size_t i = 0; far && i < s->feature_count; ++i)
        far = is_bounded(parts->boxes[i]);
    return far;
}

/* Far away they meet, all the time: both are there, or one is and the other, a half-space, has points
 * there. */
static bool meet_far_away(const abut_surface_parts bodies[2])
{
    const bool far[2] = { is_all_far_away(&bodies[0]), is_all_far_away(&bodies[1]) };
    for (int i = 0; i < 2; ++i) {
        const abut_surface_parts *const other = &bodies[!i];
        if (far[i] && (far[!i] || (other->shape->type == ABUT_SHAPE_HALFSPACE &&
                                   (!other->motion || abut_motion_is_rigid(other->motion)))))
            return true;
    }
    return false;
}

/* ---- all of them ---- */

static abut_status walk_through(walk *w)
{
    double t = w->range.lo;
    const double start = t, end = w->range.hi;
    const uint64_t spare = w->budget / 4;
    abut_surface_answer first;
    if (meet_far_away(w->bodies)) {
        emit(w, (abut_interval){ t, t }, (abut_interval){ end, end }, true);
        t = end;
    }
    while (t < end) {
        if (is_spent(w)) {
            emit(w, (abut_interval){ t, end }, (abut_interval){ t, end }, false);
            break;
        }
        abut_status status = search(w, t, end, false, &first);
        if (status)
            return status;
        if (t == start) /* for a contact that took all of it to be found */
            pay_back(w, spare);
        const bool unknown_start =
            t == start && w->scene.pair_count > 0 && w->pair.start == ABUT_START_UNKNOWN;
        const bool parts =
            unknown_start && (first.verdict == ABUT_FIRST_SEPARATE ||
                              (first.verdict == ABUT_FIRST_CONTACT && first.time.lo > start + slack_of(w)));
        if (parts) /* a touch */
            emit(w, (abut_interval){ start, start }, (abut_interval){ start, start }, touches_at(w, start));
        if (first.verdict == ABUT_FIRST_SEPARATE)
            break;
        if (unknown_start && !parts)
            first.time.lo = start;
        if (first.verdict == ABUT_FIRST_UNDECIDED) {
            emit(w, first.time, (abut_interval){ first.time.lo, end }, false);
            break;
        }
        const bool at_start =
            t == start && first.proof >= ABUT_PROOF_INTERVAL &&
            (first.verdict == ABUT_FIRST_OVERLAPPING || (first.time.lo == start && first.time.hi == start));
        if (!at_start && first.time.lo >= end - slack_of(w) && touches_at(w, end)) {
            emit(w, (abut_interval){ first.time.lo, end }, (abut_interval){ end, end }, true);
            break;
        }
        status = at_start ? take_start(w, &t) : take_contact(w, &first, t, &t);
        if (status)
            return status;
    }
    w->out->counters.evaluations += w->deep.evaluations;
    w->out->proof = w->doubtful ? ABUT_PROOF_TOLERANCE : ABUT_PROOF_INTERVAL;
    /* Searches that ended early do no harm where everything was proved by others. */
    if (!w->doubtful)
        w->out->stop = ABUT_STOP_DONE;
    else if (w->out->stop == ABUT_STOP_DONE)
        w->out->stop = ABUT_STOP_TOLERANCE;
    return ABUT_OK;
}

static abut_status open_walk(walk *w, const abut_shape *a, const abut_motion *motion_a, const abut_shape *b,
                             const abut_motion *motion_b)
{
    abut_status status = abut_surface_parts_make(a, motion_a, w->range, w->ws, &w->bodies[0]);
    if (!status)
        status = abut_surface_parts_make(b, motion_b, w->range, w->ws, &w->bodies[1]);
    if (!status)
        status = abut_deep_open(w->bodies, w->range, w->ws, &w->deep);
    w->scene = (abut_surface_scene){ .bodies = w->bodies,
                                     .body_count = 2,
                                     .pairs = &w->pair,
                                     .pair_count = 1,
                                     .range = w->range,
                                     .whole = w->range };
    w->pair = (abut_surface_pair){ .a = 0, .b = 1 };
    w->budget = w->opts->max_iterations ? w->opts->max_iterations : ABUT_SURFACE_ITERATIONS;
    if (!status)
        allow_witnesses(w);
    return status;
}

/* Once more with wider ends, which are proved then: next to an end in an edge or along a curve
 * what both have in common is too thin for witnesses. */
static abut_status walk_again(walk *w)
{
    const abut_intervals_result before = *w->out;
    const size_t kept = before.count < w->capacity ? before.count : w->capacity;
    abut_contact_interval *const items = abut_workspace_take(w->ws, kept + 1, sizeof *items);
    if (!items)
        return ABUT_ERR_MEMORY;
    memcpy(items, w->items, kept * sizeof *items);
    w->out->count = 0;
    w->out->counters.evaluations -= w->deep.evaluations; /* which the second walk adds again */
    w->out->stop = ABUT_STOP_DONE;
    w->doubtful = w->narrow = false;
    w->slack = wide_slack;
    const abut_status status = walk_through(w);
    if (status || !w->doubtful)
        return status;
    const abut_counters counters = w->out->counters;
    *w->out = before;
    w->out->counters = counters;
    memcpy(w->items, items, kept * sizeof *items);
    return ABUT_OK;
}

abut_status abut_surface_intervals(const abut_shape *a, const abut_motion *motion_a, const abut_shape *b,
                                   const abut_motion *motion_b, const abut_first_opts *opts,
                                   abut_interval range, abut_workspace *ws, abut_contact_interval *intervals,
                                   size_t capacity, abut_intervals_result *out)
{
    abut_workspace own;
    if (opts->method != ABUT_METHOD_AUTO)
        return ABUT_ERR_UNSUPPORTED;
    if (!ws)
        abut_workspace_open(&own, NULL);
    walk w = { .opts = opts,
               .ws = ws ? ws : &own,
               .range = range,
               .slack = usual_slack,
               .items = intervals,
               .capacity = capacity };
    w.out = out;
    const abut_workspace_mark mark = abut_workspace_begin(w.ws);
    const abut_nearest saved = abut_nearest_enter();
    abut_status status = open_walk(&w, a, motion_a, b, motion_b);
    const uint64_t all = w.budget;
    if (!status)
        status = walk_through(&w);
    if (!status && w.doubtful && w.narrow && w.budget > all / 2)
        status = walk_again(&w);
    abut_nearest_leave(saved);
    abut_workspace_end(w.ws, mark);
    if (!ws)
        abut_workspace_close(&own);
    if (status)
        *out = (abut_intervals_result){ .proof = ABUT_PROOF_NONE };
    return status;
}
