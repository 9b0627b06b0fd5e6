/* SPDX-License-Identifier: MIT */
/* Any two bodies that have a static method, by conservative advancement.
 *
 * At an instant the static method gives a lower bound of the distance; the bodies stay apart while
 * no point of one moves that far in the frame of the other. Let y be the point of b's frame where p
 * of a is at time t. In b's frame p moves by no more than
 *     |A(s) p - A(t) p| + |B(s) y - B(t) y|,
 * the travel of p and that of y, which is as far from b's origin as p is then. So only one of the
 * two need be bounded.
 *
 * Near a contact such steps get short, and covers prove longer ones: almost to where the near points,
 * by their velocities, would meet (static_apart.c). So the distance falls like that of Newton's method.
 * Then instants ahead are tried, each farther than the last; what lies between an instant of
 * separation and the next known one is proved from both sides and halved, until it is as short as the
 * accuracy or as rounding lets it be. Contacts last while a common point does (static_hold.c), which
 * near their ends is one beside the nearest points before or after; where none is found, instants of
 * contact are listed, and what is between them is not proved.
 *
 * Bodies that change their form are served too: their boundaries move further by what deforms them
 * (static_deform.c).
 *
 * This is the general method, for pairs that have no method of their own (Mirtich 1996; the bound by
 * travel as in docs/notes/advancement.md). */
#include "ccd/advance/static_apart.h"
#include "ccd/advance/static_deform.h"
#include "ccd/advance/static_hold.h"
#include "math/vec3.h"
#include "narrow/cover/cover.h"
#include "narrow/cover/pairs.h"
#include "narrow/pair_table.h"
#include "shape/heightfield.h"

enum {
    HALVINGS = 60,
    STEPS = 64,
    WITHIN = 4,
    WITHIN_DEEP = 20, /* where proofs go some way */
    TARGETS = 5,      /* of stretches that covers are asked about */
    LONGER = 8,       /* times what was proved last, where nothing tells how far to go */
    ADVANCES = 60,    /* instants by which one separation is proved */
    CLOSER = 40,      /* instants between a contact and a separation */
    FAILURES = 12,    /* stretches in which no common point is found, each shorter than the last */
    CREEPS = 64,      /* in all, stretches that are a small part of what is left */
    BOXES = 6000,
    MORE_BOXES = 12000,
    RETRIES = 3,
    SPANS = 7, /* stretches that are asked about of bodies that deform, and pairs of cells of each */
    SPAN_BOXES = 4000,
    /* Pairs of cells that count as one more iteration, so that the budget is one of time: 2000
     * iterations (ABUT_GENERAL_ITERATIONS) of so many take about a second. */
    BOXES_PER_ITERATION = 48,
    EVALUATIONS_OF_A_BOX = 16,   /* usual ones take half of that */
    COUPLES_PER_ITERATION = 1536 /* the same of the pairs of proofs over stretches, which are cheaper */
};

/* The end of a proof that they are apart. */
enum { EDGE = ABUT_SIGN_UNKNOWN + 1 };

static const double touching_part = 0x1p-18, small_part = 0x1p-6;

typedef struct instant {
    double t;
    int sign; /* 1 apart, 0 touching, -1 penetrating, EDGE or ABUT_SIGN_UNKNOWN */
    double
        distance; /* sign 1: a lower bound; sign -1 or 0: they meet while nothing moves further, 0: not known */
    bool deep;    /* contact of two solids */
    bool rough;   /* sign 1: the distance is hardly more than what is not known of it */
    bool aimed;   /* sign 1: near points approach, and would meet so much later: */
    double room; /* negative: so much earlier they met */
} instant;

typedef struct walker {
    abut_moving *m;
    abut_runs runs;
    abut_static_hold hold;
    double radius[2]; /* around the origins of both, in their frames; INFINITY: unbounded */
    abut_static_change change[2];
    bool changes, itself; /* a body changes its form: at all, by itself */
    double pace;          /* itself: time over distance of the last stretch that was proved */
    double refused,
        over;      /* itself, not there at all: up to where that was not proved last, from how far away */
    int field;     /* a height field, the other one is a half-space: which; -1 */
    uint64_t cost; /* of a box, as that of small expressions */
    double unit;   /* a length of the bodies, by which turning is measured */
    double least;  /* times that are not halved further */
    abut_interval held; /* a separation that is not given out yet; empty: none */
    bool after_unknown; /* the last cell was one of which nothing is proved */
    int retries;
    bool wanted;
    uint64_t couples; /* of cells, that a proof may take: what some more instants would */
    double proved;    /* by covers last, or what was not tried any more */
    double margin;    /* the part of the way to a contact that is not tried */
    bool apart;       /* the next instant is known to be one of separation */
    bool by_cover;    /* a rounded body, of which covers know how deep it meets the other */
    abut_cover_cache *cover;
    uint64_t paid; /* of the boxes of `hold` */
    abut_status status;
} walker;

/* Around the vertices of a height field. */
static double top_radius(const abut_shape *field)
{
    const abut_aabb b = field->bounds;
    const abut_range z = field->u.heightfield.pyramid->whole;
    const double x = fmax(fabs(b.lo.x), fabs(b.hi.x)), y = fmax(fabs(b.lo.y), fabs(b.hi.y));
    return abut_length(abut_v3(x, y, fmax(fabs(z.lo), fabs(z.hi)))) * (1 + 0x1p-48);
}

static void add_cell(walker *w, abut_run_cell cell, double lo, double hi)
{
    if (!w->wanted || (lo == hi && cell == ABUT_CELL_APART))
        return;
    if (cell == ABUT_CELL_UNKNOWN && w->m->stop == ABUT_STOP_DONE)
        w->m->stop = ABUT_STOP_TOLERANCE;
    w->wanted = abut_runs_add(&w->runs, cell, lo, hi, false);
    w->after_unknown = cell == ABUT_CELL_UNKNOWN;
    /* For the first contact nothing counts after it; a touch at the start may still part. */
    const bool meets = cell == ABUT_CELL_DEEP || (cell == ABUT_CELL_TOUCH && hi > w->m->range.lo);
    if (w->wanted && w->m->first_only && meets) {
        abut_runs_cut(&w->runs, hi);
        w->wanted = false;
    }
}

/* What is held back, as a cell of that kind. */
static void give_held(walker *w, abut_run_cell cell)
{
    if (w->held.lo < w->held.hi)
        add_cell(w, cell, w->held.lo, w->held.hi);
    w->held = (abut_interval){ 0, 0 };
}

/* Next to a contact nothing is proved of some instants, and little of those around them. A short
 * separation among such is part of what is not known, lest it divide one contact into several. */
static void add(walker *w, abut_run_cell cell, double lo, double hi)
{
    if (cell != ABUT_CELL_APART) {
        give_held(w, ABUT_CELL_UNKNOWN);
        add_cell(w, cell, lo, hi);
    } else if (w->after_unknown) {
        w->held = (abut_interval){ w->held.lo < w->held.hi ? w->held.lo : lo, hi };
        if (w->held.hi - w->held.lo > 0x1p-12 * (w->m->range.hi - w->m->range.lo))
            give_held(w, ABUT_CELL_APART);
    } else {
        add_cell(w, cell, lo, hi);
    }
}

/* ---- points in common ---- */

/* What they take counts, too, but for a part of it at once: it is little mostly. */
static void pay_hold(walker *w)
{
    abut_counters *const c = w->m->counters;
    const uint64_t spent = (w->hold.boxes - w->paid) / COUPLES_PER_ITERATION;
    w->paid += spent * COUPLES_PER_ITERATION;
    c->iterations += spent;
    const uint64_t left = w->m->max_iterations > c->iterations ? w->m->max_iterations - c->iterations : 0;
    abut_static_hold_allow(&w->hold, left < UINT64_MAX / COUPLES_PER_ITERATION ? left * COUPLES_PER_ITERATION
                                                                               : UINT64_MAX);
}

static bool holds_still(walker *w, double from, double to)
{
    const bool holds = abut_static_holds_still(&w->hold, (abut_interval){ fmin(from, to), fmax(from, to) });
    pay_hold(w);
    return holds;
}

static bool holds(walker *w, double from, double to)
{
    const bool found = abut_static_holds(&w->hold, (abut_interval){ from, to });
    pay_hold(w);
    return found;
}

/* ---- instants ---- */

static void note_touch(walker *w, double t, const abut_check_result *r, instant *at)
{
    if (!r->has_points || !r->has_normal)
        return;
    bool swapped = false;
    (void)abut_narrow_find_row(w->m->a->type, w->m->b->type, &swapped);
    const abut_feature *features = r->contacts[0].features; /* there even where they do not touch */
    w->m->touch =
        (abut_moving_touch){ .known = true,
                             .features = { features[swapped], features[!swapped] },
                             .t = t,
                             .point = abut_add(abut_scale(0.5, r->point_a), abut_scale(0.5, r->point_b)),
                             .normal = r->normal };
    const double closing = abut_static_closing(w->m, t, r->point_a, r->point_b, r->normal);
    at->aimed = closing != 0 && isfinite(closing);
    at->rough = r->distance.lo < 0.25 * r->distance.hi;
    at->room = at->aimed ? r->distance.hi / closing : 0;
}

/* Points that may serve for proofs of contact: those that covers found, which know what they are of, or of
 * solids those of the answer. */
static void note_points(walker *w, double t, const abut_check_result *r)
{
    abut_cover_seen seen = abut_cover_cache_seen(w->cover);
    bool swapped = false;
    (void)abut_narrow_find_row(w->m->a->type, w->m->b->type, &swapped);
    if (swapped) {
        const abut_cover_seen other = seen;
        for (int i = 0; i < 2; ++i) {
            seen.of[i] = other.of[1 - i];
            seen.point[i] = other.point[1 - i];
        }
        seen.crossing.curved = 1 - seen.crossing.curved;
    }
    if (!seen.of[0] && !seen.of[1] && !(seen.swell > 0) && !seen.crossing.known) {
        const bool apart = r->verdict == ABUT_SEPARATE;
        if (apart ? !r->has_points : r->contact_count == 0)
            return;
        for (int i = 0; i < 2; ++i) {
            seen.of[i] = w->hold.body[i].solid;
            seen.point[i] = !apart ? r->contacts[0].point : i ? r->point_b : r->point_a;
        }
        seen.common = !apart;
    }
    abut_static_hold_near(&w->hold, t, &seen);
}

/* How far a point of one body may move in the frame of the other before they part, from below. */
static double depth_of(const abut_pair *pair, abut_workspace *ws, const abut_check_result *r)
{
    if (r->verdict == ABUT_PENETRATING && !(r->depth.lo > 0) && abut_cover_by_features(pair->a, pair->b) &&
        r->contact_count > 0)
        return abut_cover_depth_at(pair, ws, &r->contacts[0].point, 1);
    return r->depth.lo;
}

/* In the order in which the table has the pair, as the cells that are kept know it. */
static abut_status run_cover(const walker *w, const abut_pair *pair, abut_check_result *out)
{
    bool swapped = false;
    (void)abut_narrow_find_row(w->m->a->type, w->m->b->type, &swapped);
    const abut_pair ordered = { swapped ? pair->b : pair->a, swapped ? pair->a : pair->b,
                                swapped ? pair->at_b : pair->at_a, swapped ? pair->at_a : pair->at_b,
                                pair->ask };
    const abut_status status = abut_narrow_cover(&ordered, w->m->ws, out);
    if (!status && swapped)
        abut_narrow_mirror(out);
    return status;
}

/* Of bodies that change their form. Depths are halved: a ball in the one moves with the other, but need not
 * stay one. */
static void take_changed(walker *w, const abut_static_instant *now, const abut_check_result *r, double off,
                         instant *out)
{
    const bool apart = r->verdict == ABUT_SEPARATE;
    if (!apart && (r->verdict == ABUT_UNDECIDED || r->proof == ABUT_PROOF_TOLERANCE))
        return;
    abut_cover_seen seen = { .common = !apart, .point = { r->point_a, r->point_b } };
    if (!apart && r->contact_count > 0)
        seen.point[0] = seen.point[1] = r->contacts[0].point;
    if (apart) {
        out->sign = 1;
        out->distance = (r->distance.lo - off) * (1 - 0x1p-50);
        note_touch(w, out->t, r, out);
        out->aimed = false; /* which is by velocities of motions alone */
    } else {
        out->sign = r->verdict == ABUT_PENETRATING ? -1 : 0;
        out->deep = r->verdict == ABUT_PENETRATING;
        out->distance = w->itself ? 0 : fmax(0, 0.5 * (r->depth.lo - off));
    }
    if (apart ? r->has_points : r->contact_count > 0)
        abut_static_hold_follow(&w->hold, out->t, &seen, now);
}

/* A question about an instant, as iterations: by its boxes, or by the evaluations where those that start
 * a search, and what is tried beside it, are more. */
static void charge(walker *w, const abut_counters *spent)
{
    const uint64_t tried = spent->evaluations / EVALUATIONS_OF_A_BOX;
    const uint64_t boxes = spent->iterations > tried ? spent->iterations : tried;
    w->m->counters->evaluations += spent->evaluations;
    w->m->counters->iterations += boxes * w->cost / BOXES_PER_ITERATION;
}

static bool examine_changed(walker *w, instant *out)
{
    abut_moving *m = w->m;
    abut_static_instant now;
    abut_check_result r = { .verdict = ABUT_UNDECIDED };
    const abut_ask ask = { .want = ABUT_WANT_DISTANCE,
                           .cutoff = INFINITY,
                           .relative = 0.3,
                           .max_iterations = w->retries++ < RETRIES ? MORE_BOXES : BOXES,
                           .cover = w->cover };
    abut_cover_cache_forget(w->cover);
    w->status = abut_static_instant_open(m, out->t, &now);
    if (!w->status)
        w->status = abut_static_instant_ask(&now, &ask, m->ws, &r);
    double off = now.off;
    if (!w->status && (now.mesh[0] || now.mesh[1]) &&
        !(r.verdict == ABUT_SEPARATE && r.distance.lo > 4 * off)) {
        w->status = abut_static_instant_meet(m, &now, out->t, &ask, m->ws, &r);
        off = 0; /* that counts */
    }
    if (!w->status) {
        charge(w, &r.counters);
        take_changed(w, &now, &r, off, out);
    }
    abut_static_instant_close(&now);
    return !w->status;
}

/* False: nothing more is to be done. */
static bool examine(walker *w, double t, instant *out)
{
    abut_moving *m = w->m;
    abut_place at_a, at_b;
    *out = (instant){ .t = t, .sign = ABUT_SIGN_UNKNOWN };
    if (m->counters->iterations >= m->max_iterations) {
        m->stop = ABUT_STOP_BUDGET;
        return false;
    }
    if (m->progress && !m->progress(m->progress_ctx, (t - m->range.lo) / (m->range.hi - m->range.lo))) {
        m->cancelled = true;
        w->status = ABUT_ERR_CANCELLED;
        return false;
    }
    ++m->counters->iterations;
    if ((w->hold.count > 0 || w->hold.crossing_count > 0) && holds_still(w, t, t)) {
        out->sign = w->hold.deep ? -1 : 0;
        out->deep = w->hold.deep;
        return true;
    }
    if (w->changes)
        return examine_changed(w, out);
    w->status = abut_place_from_motion(m->motion_a, t, &at_a);
    if (!w->status)
        w->status = abut_place_from_motion(m->motion_b, t, &at_b);
    if (w->status)
        return false;
    at_a.t = at_b.t = t;
    /* A rough bound of the distance is as good for a step. Near a contact few instants are worth
     * all the boxes that it takes. */
    abut_ask ask = { .want = ABUT_WANT_DISTANCE,
                     .cutoff = INFINITY,
                     .relative = 0.3,
                     .max_iterations = BOXES,
                     .apart = w->apart,
                     .cover = w->cover };
    const abut_pair pair = { m->a, m->b, &at_a, &at_b, &ask };
    abut_check_result r = { .verdict = ABUT_UNDECIDED };
    for (int i = 0; i < 2 && r.verdict == ABUT_UNDECIDED; ++i) {
        /* Where points are found that near, more boxes do not tell on which side of contact it is. */
        const bool near = r.has_points && r.distance.hi < touching_part * w->unit;
        if (i > 0 && (r.stop != ABUT_STOP_BUDGET || w->retries >= RETRIES || near))
            break;
        r = (abut_check_result){ .verdict = ABUT_UNDECIDED };
        abut_cover_cache_forget(w->cover);
        w->retries += i;
        ask.max_iterations = i ? MORE_BOXES : BOXES;
        w->status = w->by_cover ? run_cover(w, &pair, &r) : abut_narrow_run_pair(&pair, m->ws, &r);
        if (w->status)
            return false;
        charge(w, &r.counters);
        w->couples = 3000 + 6 * r.counters.evaluations;
    }
    if (r.verdict == ABUT_SEPARATE) {
        out->sign = 1;
        out->distance = r.distance.lo;
        note_touch(w, t, &r, out);
        note_points(w, t, &r);
    } else if (r.verdict != ABUT_UNDECIDED && r.proof != ABUT_PROOF_TOLERANCE) {
        out->sign = r.verdict == ABUT_PENETRATING ? -1 : 0;
        out->deep = r.verdict == ABUT_PENETRATING;
        out->distance = depth_of(&pair, m->ws, &r);
        note_points(w, t, &r);
    }
    return true;
}

/* ---- how far bodies move ---- */

static ABUT_NOINLINE void travel_kernel(const abut_motion *motion, const abut_interval *time, double radius,
                                        double *out)
{
    double speed;
    if (!abut_motion_travel_over(motion, ia_from(*time), radius, out, &speed))
        *out = INFINITY;
}

static double travel(const abut_motion *motion, abut_interval time, double radius, double unit)
{
    double out = 0;
    if (motion && motion->ops->travel)
        return time.lo < time.hi ? motion->ops->travel(motion, time) : 0;
    if (!motion || motion->type == ABUT_MOTION_STATIC || !(time.lo < time.hi))
        return 0;
    /* Without an end: only where it does not turn, so that all of it moves alike. */
    const bool endless = !(radius < INFINITY);
    double far = 0;
    const abut_rounding saved = abut_rounding_enter();
    travel_kernel(motion, &time, endless ? 0 : radius, &out);
    if (endless)
        travel_kernel(motion, &time, unit, &far);
    abut_rounding_leave(saved);
    return endless && far > out ? INFINITY : out;
}

/* How far the direction of a unit vector of a body changes: the point at its tip moves as far as its
 * foot and that. */
static double turn(const abut_motion *motion, abut_interval time, double unit)
{
    const double tip = travel(motion, time, unit, unit), foot = travel(motion, time, 0, unit);
    return tip > foot ? (tip + foot) / unit : 0;
}

/* How far the origins are apart at t, rounded up. */
static double origins(const abut_moving *m, double t)
{
    abut_affine a = abut_affine_identity(), b = abut_affine_identity();
    if ((m->motion_a && !m->motion_a->ops->reach && abut_motion_at(m->motion_a, t, &a)) ||
        (m->motion_b && !m->motion_b->ops->reach && abut_motion_at(m->motion_b, t, &b)))
        return INFINITY;
    const double size = abut_length(a.translation) + abut_length(b.translation);
    return abut_length(abut_sub(a.translation, b.translation)) + 0x1p-40 * size;
}

/* A height field and a half-space whose normal is against the field's direction upward: what is below the
 * field leads away from it, and only vertices count, while that is so. */
static bool stays_upright(const walker *w, double t, abut_interval time)
{
    const abut_moving *m = w->m;
    const bool first = w->field == 0;
    const abut_motion *of_field = first ? m->motion_a : m->motion_b,
                      *of_half = first ? m->motion_b : m->motion_a;
    abut_affine f = abut_affine_identity(), h = abut_affine_identity();
    if ((of_field && abut_motion_at(of_field, t, &f)) || (of_half && abut_motion_at(of_half, t, &h)))
        return false;
    const abut_vec3 n = (first ? m->b : m->a)->u.halfspace.normal;
    const abut_vec3 up = { f.linear.m[0][2], f.linear.m[1][2], f.linear.m[2][2] };
    const double turns = turn(of_field, time, w->unit) + turn(of_half, time, w->unit);
    const double cosine = abut_dot(up, abut_mul(&h.linear, n)) / abut_length(n);
    /* Bodies that do not turn stand as the static method found them. */
    return turns == 0 || cosine + turns < -1e-9;
}

/* A bound of how far any point of one body moves in the frame of the other, from t to another end
 * of `time`. */
static double relative_travel(const walker *w, double t, abut_interval time)
{
    const abut_moving *m = w->m;
    if (w->field >= 0 && !stays_upright(w, t, time))
        return INFINITY;
    const double between = origins(m, t);
    const double near_b = fmin(w->radius[1], between + w->change[0].reach);
    const double near_a = fmin(w->radius[0], between + w->change[1].reach);
    return (travel(m->motion_a, time, near_a, w->unit) + travel(m->motion_b, time, near_b, w->unit)) *
           (1 + 0x1p-50);
}

/* t + step, not beyond `limit`, which is on that side of t: the sum may round to what the motions do not have. */
static double part_way(double t, double step, double limit)
{
    return step < 0 ? fmax(t + step, limit) : fmin(t + step, limit);
}

/* Apart from at->t on, forward or back, as far as this returns, and not beyond `limit`. */
static double clear_to(const walker *w, const instant *at, double limit)
{
    const double room = limit - at->t;
    double good = 0, bad = 2;
    for (double part = 1; part > 0x1p-50;) {
        const double s = part_way(at->t, part * room, limit);
        const abut_interval time = { fmin(at->t, s), fmax(at->t, s) };
        if (relative_travel(w, at->t, time) < at->distance)
            good = part;
        else
            bad = part;
        if (good == 1 || (good > 0 && bad < 1.25 * good))
            break;
        part = good > 0 ? 0.5 * (good + bad) : 0.25 * part;
    }
    return good < 1 ? part_way(at->t, good * room, limit) : limit;
}

/* Of bodies that deform by themselves: as far as covers of their boundaries over the whole stretch prove it,
 * searched from the pace of the last time. */
static double deformed_apart_to(walker *w, const instant *at, double limit)
{
    const double room = limit - at->t, left = (w->refused - at->t) / room;
    const bool absent = !(at->distance < INFINITY);
    double part = w->pace > 0 && !absent ? fmin(1, w->pace * at->distance / fabs(room)) : 1;
    /* What is not there has no distance that tells how soon it may be: half-way to where that was not proved,
     * unless that was from much farther away. */
    if (absent && left > 0 && left < 1 && left * fabs(room) > 0.125 * w->over)
        part = 0.5 * left;
    for (int i = 0; i < SPANS && w->m->counters->iterations < w->m->max_iterations; ++i, part *= 0.25) {
        const double s = part == 1 ? limit : part_way(at->t, part * room, limit);
        const abut_interval span = { fmin(at->t, s), fmax(at->t, s) };
        const double way = relative_travel(w, at->t, span);
        abut_counters spent = { 0 };
        const bool apart = way < at->distance &&
                           abut_static_apart_over(w->m, at->t, span, way, SPAN_BOXES, w->m->ws, &spent);
        charge(w, &spent);
        if (apart) {
            w->pace = absent ? w->pace : (i == 0 ? 2 : 1) * fabs(s - at->t) / at->distance;
            return s;
        }
        w->refused = s;
        w->over = fabs(s - at->t);
        if (fabs(s - at->t) <= w->least)
            break;
    }
    if (absent)
        return at->t;
    w->pace = fmax(part * fabs(room) / at->distance, 0x1p-40 * fabs(room));
    return at->t;
}

/* The same with covers: further where that proves little. */
static double apart_to(walker *w, const instant *at, double limit)
{
    if (w->itself)
        return deformed_apart_to(w, at, limit);
    const double sure = clear_to(w, at, limit);
    if (sure == limit || w->field >= 0 || at->rough || w->changes)
        return sure;
    const double all = limit - at->t;
    double step = all;
    if (at->aimed && at->room * all > 0 && fabs(at->room) < fabs(all))
        step = at->room * (1 - w->margin);
    else if (w->proved > 0)
        step = fmin(1, LONGER * fmax(w->proved, fabs(sure - at->t)) / fabs(all)) * all;
    for (int i = 0; i < TARGETS && fabs(step) > 1.5 * fabs(sure - at->t) && fabs(step) > w->least; ++i) {
        const double until = step == all ? limit : part_way(at->t, step, limit);
        const abut_interval time = { fmin(at->t, until), fmax(at->t, until) };
        bool apart = false;
        const uint64_t before = w->m->counters->evaluations;
        w->status = abut_static_stays_apart(w->m, w->cover, at->t, until, relative_travel(w, at->t, time),
                                            w->couples, &apart);
        w->m->counters->iterations += (w->m->counters->evaluations - before) / COUPLES_PER_ITERATION;
        if (w->status)
            return sure;
        if (apart) {
            w->proved = fabs(step);
            w->margin = i == 0 ? fmax(0.5 * w->margin, 0.01) : w->margin;
            return until;
        }
        w->margin = fmin(fmax(4 * w->margin, 0.05), 0.25);
        step *= 0.4;
        w->proved = fabs(step);
    }
    return sure;
}

/* Proves separation from an instant on, or back, by further instants, as far as that goes. */
static double advance(walker *w, instant at, double limit)
{
    for (int i = 0; i < ADVANCES; ++i) {
        const double t = apart_to(w, &at, limit), before = fabs(at.t - limit);
        if (t == limit || w->status || fabs(t - at.t) <= fmax(w->least, 0x1p-20 * before))
            return t;
        instant next;
        w->apart = true;
        const bool done = examine(w, t, &next);
        w->apart = false;
        if (!done || next.sign != 1)
            return t;
        at = next;
    }
    return at.t;
}

/* ---- between two instants ---- */

static bool is_contact(const instant *at)
{
    return at->sign == -1 || at->sign == 0;
}

static abut_run_cell cell_of(bool deep)
{
    return deep ? ABUT_CELL_DEEP : ABUT_CELL_TOUCH;
}

/* Only contact at an instant says something that the cells beside it do not. */
static void add_instant(walker *w, const instant *at)
{
    if (is_contact(at))
        add(w, cell_of(at->sign == -1), at->t, at->t);
}

/* Contact from an instant on, or back, as far as common points prove it. */
static double holds_to(walker *w, const instant *at, double limit, bool beyond)
{
    double t = at->distance > 0 ? clear_to(w, at, limit) : at->t, part = beyond ? 1 : 0.5;
    /* Points that slide along a face last for stretches as short as they are close to it: another
     * instant shows better ones. */
    for (int failed = 0, creeps = 0; t != limit && failed < FAILURES && creeps < CREEPS;) {
        const double next = part == 1 ? limit : t + part * (limit - t);
        if (next == t || (fabs(next - t) < 0.25 * w->least && next != limit))
            break;
        if (holds_still(w, t, next)) {
            creeps += part < small_part;
            t = next;
            part = beyond ? 1 : fmin(0.75, 2 * part);
            failed = 0;
        } else {
            part *= 0.4;
            ++failed;
        }
    }
    return t;
}

/* Between a contact and a separation that are near to each other, in either order: how near proofs from both
 * sides come. What is left holds the begin or the end of the contact. Instants of contact in it would
 * only divide it. */
static void close_in(walker *w, const instant *contact, double *meets, double *apart)
{
    instant c = *contact, at;
    c.distance = 0;
    for (int i = 0; i < CLOSER && fabs(*apart - *meets) > w->least; ++i) {
        const double mid = 0.5 * *meets + 0.5 * *apart;
        if (mid == *meets || mid == *apart || !examine(w, mid, &at))
            return;
        if (at.sign == 1) {
            if (advance(w, at, *apart) != *apart)
                return;
            *apart = advance(w, at, *meets);
        } else if (is_contact(&at)) {
            const double back = at.distance > 0 ? clear_to(w, &at, *meets) : mid;
            if (!w->m->first_only && back != *meets && !holds_still(w, *meets, back))
                return;
            c.t = mid;
            c.distance = at.distance;
            *meets = w->m->first_only ? mid : holds_to(w, &c, *apart, false);
        } else {
            return;
        }
    }
}

/* Fills the time between two instants; the first and the last cell may be empty. */
static void fill(walker *w, instant from, const instant *to, int depth)
{
    if (!w->wanted || w->status)
        return;
    const double start = from.t;
    double begin = start, end = to->t;
    if (from.sign == 1) {
        begin = advance(w, from, end);
        add(w, ABUT_CELL_APART, from.t, begin);
        from.sign = EDGE;
    }
    if (to->sign == 1 && begin < end)
        end = fmax(advance(w, *to, begin), begin);
    const bool both = is_contact(&from) && is_contact(to);
    if (is_contact(&from) && begin < end) {
        begin = holds_to(w, &from, end, is_contact(to));
        add(w, cell_of(from.deep), from.t, begin);
    }
    if (is_contact(to) && begin < end)
        end = holds_to(w, to, begin, is_contact(&from));
    const double near = 0x1p-20 * (w->m->range.hi - w->m->range.lo), before = begin;
    const bool out = is_contact(&from) && (to->sign == 1 || to->sign == EDGE),
               in = from.sign == EDGE && is_contact(to);
    if ((in || (out && !w->m->first_only)) && end - begin <= near && end > begin) {
        if (out)
            close_in(w, &from, &begin, &end);
        else
            close_in(w, to, &end, &begin);
        if (begin > before)
            add(w, out ? cell_of(from.deep) : ABUT_CELL_APART, before, begin);
        add(w, ABUT_CELL_UNKNOWN, begin, end);
        if (in && w->m->first_only) /* which may not last until the next one */
            add(w, cell_of(to->deep), end, end);
        begin = end;
    }
    from.t = begin;
    from.distance = 0;
    const double mid = 0.5 * begin + 0.5 * end;
    instant middle;
    if (end <= begin || w->status) {
        /* all of it is proved */
    } else if (both && (depth == 0 || depth == WITHIN) && holds(w, begin, end)) {
        add(w, cell_of(w->hold.deep), begin, end);
    } else if ((from.sign == ABUT_SIGN_UNKNOWN && to->sign == ABUT_SIGN_UNKNOWN) || end - begin <= w->least ||
               depth >= HALVINGS || !(begin < mid && mid < end) ||
               (both && depth >= (begin > start || end < to->t ? WITHIN_DEEP : WITHIN)) ||
               !examine(w, mid, &middle)) {
        add(w, ABUT_CELL_UNKNOWN, begin, end);
    } else {
        const instant last = { .t = end, .sign = to->sign == 1 ? EDGE : to->sign, .deep = to->deep };
        fill(w, from, &middle, depth + 1);
        add_instant(w, &middle);
        fill(w, middle, &last, depth + 1);
    }
    if (end < to->t) /* an edge: close_in proved more of the separation behind it */
        add(w, is_contact(to) ? cell_of(to->deep) : ABUT_CELL_APART, end, to->t);
}

/* From an instant on as far as it says, without further ones beyond a contact. */
static double walk_on(walker *w, const instant *now)
{
    const double limit = w->m->range.hi;
    double t = now->t;
    if (now->sign == 1) {
        t = advance(w, *now, limit);
        add(w, ABUT_CELL_APART, now->t, t);
    } else if (is_contact(now)) {
        t = holds_to(w, now, limit, true);
        if (t > now->t)
            add(w, cell_of(now->deep), now->t, t);
    }
    return t;
}

static void walk(walker *w)
{
    const abut_interval range = w->m->range;
    instant now, next;
    if (!examine(w, range.lo, &now)) {
        add(w, ABUT_CELL_UNKNOWN, range.lo, range.hi);
        return;
    }
    const double longest = (range.hi - range.lo) / STEPS;
    add_instant(w, &now);
    if (now.sign == 0 || now.sign == ABUT_SIGN_UNKNOWN) {
        const double until = w->changes ? range.lo : abut_static_parts_until(w->m, w->radius);
        if (until > range.lo) {
            if (now.sign != 0 && !w->m->wants_first) /* where it may touch or not */
                add(w, ABUT_CELL_UNKNOWN, range.lo, range.lo);
            add(w, ABUT_CELL_APART, range.lo, until);
            now = (instant){ .t = until, .sign = EDGE };
            if (until < range.hi && !examine(w, until, &now))
                now.sign = ABUT_SIGN_UNKNOWN;
        }
    }
    while (w->wanted && now.t < range.hi && !w->status) {
        now.t = walk_on(w, &now);
        if (!(now.t < range.hi) || !w->wanted || w->status)
            return;
        const bool apart = now.sign == 1;
        if (apart)
            now.sign = EDGE;
        now.distance = 0;
        /* Next to a contact that begins: a little later first, where a common point is found best. */
        double step = apart ? 32 * w->least : longest;
        bool known = false;
        for (; step < longest && !known; step *= 32) {
            if (!examine(w, fmin(now.t + step, range.hi), &next))
                break;
            known = next.sign != ABUT_SIGN_UNKNOWN;
        }
        if (!known && !examine(w, fmin(now.t + longest, range.hi), &next))
            break;
        fill(w, now, &next, 0);
        add_instant(w, &next);
        now = next;
    }
    if (now.t < range.hi && !w->status && w->wanted)
        add(w, ABUT_CELL_UNKNOWN, now.t, range.hi);
}

/* A length of the order of the bodies or of what is between them. */
static double unit_of(const walker *w)
{
    double unit = 0;
    for (int i = 0; i < 2; ++i)
        if (w->radius[i] < INFINITY)
            unit = fmax(unit, w->radius[i]);
    if (unit == 0)
        unit = origins(w->m, w->m->range.lo);
    return unit > 0 && unit < INFINITY ? unit : 1;
}

static bool is_rounded(const abut_shape *s)
{
    return (s->type == ABUT_SHAPE_SWEPT && s->u.swept.of->type != ABUT_SHAPE_SUPPORT) ||
           (s->type == ABUT_SHAPE_CONVEX && s->u.convex.margin > 0);
}

static abut_status find_changes(walker *w)
{
    const abut_moving *m = w->m;
    abut_workspace ws;
    abut_workspace_open(&ws, &m->a->alloc);
    const abut_workspace_mark mark = abut_workspace_begin(&ws);
    abut_status status = abut_static_motions_check(m);
    if (!status)
        status = abut_static_change_find(m->a, m->motion_a, m->range, &ws, &w->change[0]);
    if (!status)
        status = abut_static_change_find(m->b, m->motion_b, m->range, &ws, &w->change[1]);
    abut_workspace_end(&ws, mark);
    abut_workspace_close(&ws);
    for (int i = 0; i < 2; ++i) {
        w->radius[i] = w->change[i].own;
        w->changes = w->changes || w->change[i].any;
        w->itself = w->itself || w->change[i].itself;
    }
    return status;
}

abut_status abut_static_scan(abut_moving *m, abut_run_fn emit, void *ctx)
{
    walker w = { .m = m, .wanted = true, .margin = 0.05, .field = -1, .refused = NAN };
    const abut_status status = find_changes(&w);
    if (status)
        return status;
    if (m->a->type == ABUT_SHAPE_HEIGHTFIELD && m->b->type == ABUT_SHAPE_HALFSPACE)
        w.field = 0;
    if (m->b->type == ABUT_SHAPE_HEIGHTFIELD && m->a->type == ABUT_SHAPE_HALFSPACE)
        w.field = 1;
    if (w.field >= 0)
        w.radius[w.field] = w.change[w.field].reach = top_radius(w.field ? m->b : m->a);
    w.unit = unit_of(&w);
    /* Half of it: an instant takes bounds of boxes more than evaluations. */
    w.cost = abut_work_cost(abut_cover_work(&(abut_pair){ m->a, m->b, NULL, NULL, NULL }) / 2);
    m->inexact = true;
    w.least = fmax(m->accuracy,
                   0x1p-30 * fmax(m->range.hi - m->range.lo, fmax(fabs(m->range.lo), fabs(m->range.hi))));
    w.cover = abut_cover_cache_create(&m->a->alloc);
    w.status = abut_static_hold_open(m, w.change, &w.hold);
    if (!w.cover)
        w.status = ABUT_ERR_MEMORY;
    w.by_cover = is_rounded(m->a) || is_rounded(m->b);
    abut_runs_begin(&w.runs, m->range, m->accuracy, emit, ctx);
    if (!w.status && w.change[0].known && w.change[1].known)
        walk(&w);
    else if (!w.status)
        add(&w, ABUT_CELL_UNKNOWN, m->range.lo, m->range.hi);
    if (!w.status) {
        give_held(&w, ABUT_CELL_APART);
        abut_runs_end(&w.runs);
    }
    abut_static_hold_close(&w.hold);
    abut_cover_cache_destroy(w.cover);
    return w.status;
}
