/* SPDX-License-Identifier: MIT */
/* Any two convex bodies over time, by certified conservative advancement; derivations in
 * docs/notes/advancement.md.
 *
 * From an instant at which the bodies are apart a moving plane (moving_plane.h) proves them apart for a
 * while; the next look is taken at the end of that. Near a contact the gap left is of the order
 * of the last gap squared, so that a few steps reach the rounding error. From there the walk
 * searches ahead for the nearest instant at which the sign of the gap is proved again. Between two
 * such instants the proofs are extended from both sides, and what they leave is halved until it
 * is as short as rounding lets it be: that is reported unknown. Overlaps last as long as their
 * depth exceeds what the bodies travel. */
#include "ccd/advance/full_turn.h"
#include "ccd/advance/impact_newton.h"
#include "ccd/cast/linear_cast.h"
#include "ccd/cast/sweep.h"
#include "ccd/proof/instant.h"
#include "narrow/distance/cylinders.h"

static const double u = 0x1p-53;

enum { HALVINGS = 64, PROBES = 64 };

typedef struct walker {
    abut_moving *m;
    abut_runs *runs;
    abut_scene_pair pair;
    double hi; /* end of the piece */
    /* of the last plane: how fast the gap shrinks, and how well it is known */
    double closing, error;
    abut_vec3 axis;  /* last direction */
    abut_vec3 mean;  /* of directions, while they turn fast */
    int idle, pause; /* evaluations until whole turns are tried again */
    bool has_axis;
    bool close;    /* the last look is next to a contact already */
    double proved; /* how many errors past that contact an overlap can be proved; 0: not known */
    bool wanted, spent;
} walker;

static abut_run_cell cell_of(const walker *w, int sign)
{
    switch (sign) {
    case 1: return ABUT_CELL_APART;
    case -1: return w->pair.flat && !w->m->crossing_is_deep ? ABUT_CELL_TOUCH : ABUT_CELL_DEEP;
    case 0: return ABUT_CELL_TOUCH;
    default: return ABUT_CELL_UNKNOWN;
    }
}

static void emit(walker *w, abut_run_cell cell, double lo, double hi)
{
    if (!w->wanted)
        return;
    if (cell == ABUT_CELL_UNKNOWN && w->m->stop == ABUT_STOP_DONE)
        w->m->stop = ABUT_STOP_TOLERANCE;
    w->wanted = abut_runs_add(w->runs, cell, lo, hi, false);
}

/* ---- looking ---- */

static bool evaluate(walker *w, double t, bool deep, abut_instant *out)
{
    abut_moving *m = w->m;
    if (m->counters->iterations >= m->max_iterations) {
        m->stop = ABUT_STOP_BUDGET;
        w->spent = true;
    } else if (m->progress && (m->counters->iterations & 63) == 63) {
        const double done = (t - m->range.lo) / (m->range.hi - m->range.lo);
        if (!m->progress(m->progress_ctx, done))
            m->cancelled = w->spent = true;
    }
    ++m->counters->iterations;
    if (w->spent || !abut_instant_make(&w->pair, t, w->has_axis ? &w->axis : NULL, deep, m->counters, out)) {
        *out = (abut_instant){ .t = t, .sign = ABUT_SIGN_UNKNOWN };
        return false;
    }
    if (out->sign == 1 || out->has_witness) {
        w->axis = out->n;
        w->has_axis = true;
    }
    return true;
}

/* What the contact is like, from an evaluation close to it. */
static void note_touch(walker *w, const abut_instant *s)
{
    if (s->has_witness)
        w->m->touch = (abut_moving_touch){ true, s->t, s->point, s->n, { s->features[0], s->features[1] } };
}

/* ---- extending a proof in time ---- */

/* Whatever their angles are: along the direction of the look, or the mean of those of the last
 * turns. What fails is tried again after twice as many evaluations. */
static double clear_full_turn(walker *w, const abut_instant *at, double room)
{
    w->mean = abut_add(abut_scale(0.9, w->mean), abut_scale(0.1, at->n));
    if (w->idle > 0) {
        --w->idle;
        return 0;
    }
    double s = abut_full_turn_clear(&w->pair, at, at->n, room, w->m->counters);
    if (!(s > 0) && w->pair.b)
        s = abut_full_turn_clear(&w->pair, at, abut_unit_or(w->mean, at->n), room, w->m->counters);
    w->pause = s > 0 ? 0 : 2 * w->pause + 1 < 64 ? 2 * w->pause + 1 : 64;
    w->idle = w->pause;
    return s;
}

/* How the direction turned from one look to the next. In so short a time that it hardly can
 * have, that is rounding, and what it did before is the better guess. */
static abut_vec3 swing_between(const abut_instant *from, const abut_instant *to)
{
    const double time = to->t - from->t;
    const abut_vec3 d = abut_sub(to->n, from->n), as_before = abut_scale(time, from->swing);
    return fmax(abut_dot(d, d), abut_dot(as_before, as_before)) > 0x1p-40 ? abut_scale(1 / time, d)
                                                                          : from->swing;
}

/* Apart from at->t on to where this returns, `limit` at most. *at becomes the last look that was
 * apart. */
static double clear(walker *w, abut_instant *at, double limit)
{
    double t = at->t;
    for (;;) {
        const double room = limit - t;
        if (w->pair.b && abut_instant_balls(&w->pair, t, room) >= fabs(room))
            return limit;
        double s = abut_instant_clear(&w->pair, at, room * (1 + 4 * u), &w->closing, &w->error);
        const double spin = at->at_a.speed + at->at_b.speed;
        if (spin * s < 6 && spin * fabs(room) > 6) /* less than a turn, and more than one is left */
            s = fmax(s, clear_full_turn(w, at, room * (1 + 4 * u)));
        if (s >= fabs(room) * (1 + 2 * u))
            return limit;
        const double next = abut_moving_plane_end(t, room < 0 ? -s : s);
        if (next == t) {
            note_touch(w, at);
            return t;
        }
        abut_instant there;
        if (w->has_axis) { /* where the direction will be */
            const abut_vec3 n = abut_madd(at->n, next - t, at->dn);
            w->axis = abut_scale(1 / sqrt(abut_dot(n, n)), n);
        }
        t = next;
        if (!evaluate(w, next, false, &there))
            return next;
        if (there.sign != 1) {
            note_touch(w, &there);
            if (!there.has_witness)
                note_touch(w, at);
            return next;
        }
        there.swing = swing_between(at, &there);
        *at = there;
        at->step = w->closing > 0 ? fmin(2 * s, 2 * there.gap / w->closing) : 2 * s;
        if (there.gap < 4 * w->error) {
            note_touch(w, &there);
            return next;
        }
    }
}

/* The same from any proved sign. */
static double extend(walker *w, abut_instant *at, double limit)
{
    if (at->sign == 1)
        return clear(w, at, limit);
    if (at->sign != -1)
        return at->t;
    const double room = limit - at->t;
    const double s = abut_instant_cover(&w->pair, at, room * (1 + 4 * u));
    return s >= fabs(room) ? limit : abut_moving_plane_end(at->t, room < 0 ? -s : s);
}

/* ---- between two evaluations ---- */

/* Not worth splitting. Where the sign is proved on both sides and differs, that is the time in
 * which the gap is lost in its error. Where nothing is known before and they part (bodies that
 * touch to rounding when the range begins, next to which there may be any number of doubles), it
 * is the time in which they cannot have been so deep that it could be proved, see first_probe. */
static bool is_short(const walker *w, double lo, double hi, int before, int after)
{
    /* Of all intervals the ends are narrowed down all the way: what is beside an end that is not known
     * is not known either. */
    double least = fmax(4 * u * fmax(fabs(lo), fabs(hi)), w->m->wants_first ? w->m->accuracy : 0);
    if (before * after == -1 && w->closing > 0)
        least = fmax(least, 16 * w->error / w->closing);
    else if (before == ABUT_SIGN_UNKNOWN && after == 1 && w->closing > 0)
        least = fmax(least, 6 * w->error / w->closing);
    return hi - lo <= least;
}

/* Apart, but by so little that it holds at this instant only: along a graze that may go on for
 * many ulp. */
static bool is_stuck(walker *w, abut_instant *at, double lo, double hi)
{
    return at->sign == 1 && extend(w, at, hi) <= at->t && extend(w, at, lo) >= at->t;
}

/* For the first contact nothing counts after the first overlap. */
static void emit_proved(walker *w, int sign, double lo, double hi)
{
    emit(w, cell_of(w, sign), lo, hi);
    if (sign == -1 && w->m->first_only && w->wanted) {
        abut_runs_cut(w->runs, hi);
        w->wanted = false;
    }
}

/* Cells over [left->t, right->t], from proofs that begin at its ends. before, after: signs
 * proved on the outer sides of both. */
static void resolve(walker *w, abut_instant *left, int before, abut_instant *right, int after, int depth)
{
    const double begin = left->t, end = right->t;
    const int sign = right->sign;
    if (w->pair.translates && w->pair.b && (left->sign == 0 || left->sign == -1) &&
        (sign == 0 || sign == -1)) {
        /* A line meets a convex body in one stretch. */
        if (left->sign == 0)
            emit(w, ABUT_CELL_TOUCH, begin, begin);
        emit(w, cell_of(w, left->sign == 0 && sign == 0 ? 0 : -1), begin, end);
        return;
    }
    const double x = extend(w, left, end);
    if (left->sign != ABUT_SIGN_UNKNOWN)
        emit_proved(w, left->sign, begin, x);
    if (x >= end || !w->wanted)
        return;
    const double y = extend(w, right, x);
    if (y > x) {
        const double middle = 0.5 * x + 0.5 * y;
        abut_instant between;
        if (depth >= HALVINGS || is_short(w, x, y, before, after) || !(middle > x && middle < y) ||
            w->spent || !evaluate(w, middle, true, &between)) {
            emit(w, ABUT_CELL_UNKNOWN, x, y);
        } else if (depth >= 6 && x == begin && y == end &&
                   (between.sign == ABUT_SIGN_UNKNOWN || is_stuck(w, &between, x, y))) {
            /* no proof leads on from either end, nor from the middle */
            emit(w, ABUT_CELL_UNKNOWN, x, y);
        } else {
            abut_instant stop = { .t = x, .sign = ABUT_SIGN_UNKNOWN };
            abut_instant copy = between;
            resolve(w, &stop, before, &between, between.sign, depth + 1);
            stop.t = y;
            if (w->wanted)
                resolve(w, &copy, copy.sign, &stop, after, depth + 1);
        }
    }
    if (sign != ABUT_SIGN_UNKNOWN)
        emit_proved(w, sign, y > x ? y : x, end);
}

/* ---- the walk ---- */

/* First distance to look ahead from a place where the gap is lost in rounding. */
static double first_probe(const walker *w, double t, const abut_instant *at)
{
    const double least = 2 * u * fabs(t) + 0x1p-1000, room = w->hi - t;
    double s = 0x1p-30 * room;
    if (w->closing > 0) {
        /* a step ends where its bound does */
        const double left = t == at->t ? fmax(at->gap, 0) : 0;
        const abut_convex_pair cores = { .a = w->pair.a, .b = w->pair.b };
        /* so deep that it can be proved */
        const double proved = w->proved > 0 ? w->proved : w->pair.b && abut_cylinders_knows(&cores) ? 10 : 6;
        const double wanted = (left + proved * w->error) / w->closing;
        if (wanted < s)
            s = wanted;
    }
    return fmin(fmax(s, least), room);
}

/* An overlap was found at a distance from t that is only a guess: is there one at a part of it,
 * and a part of that? */
static void come_closer(walker *w, double t, double part, abut_instant *at)
{
    for (int i = 0; i < 10; ++i) {
        const double next = t + part * (at->t - t);
        abut_instant there;
        if (!(next > t && next < at->t) || !evaluate(w, next, false, &there) || there.sign != -1)
            return;
        *at = there;
    }
}

/* Looks ahead of t until a sign is proved; the end of the piece at the latest. */
static void probe(walker *w, double t, const abut_instant *at, abut_instant *out)
{
    double s = at->sign == -1 ? w->hi - t : first_probe(w, t, at);
    for (int i = 0; i < PROBES; ++i) {
        const double next = s < w->hi - t ? fmax(t + s, nextafter(t, w->hi)) : w->hi;
        const bool made = evaluate(w, next, !w->m->first_only || at->sign == -1, out);
        if (next >= w->hi && made && out->sign == ABUT_SIGN_UNKNOWN)
            out->sign = abut_moving_sign_at(w->m, next);
        /* Apart by less than a plane needs to lead on from there: most likely still before the
         * contact. */
        const bool faint = w->m->first_only && at->sign == 1 && out->sign == 1 && out->gap < 4 * w->error;
        if (!made || (out->sign != ABUT_SIGN_UNKNOWN && !faint) || next >= w->hi) {
            if (i == 0 && made && out->sign == -1 && at->sign == 1 && !(w->closing > 0))
                come_closer(w, t, 0.125, out);
            return;
        }
        s *= 2;
    }
    (void)evaluate(w, w->hi, true, out);
}

/* The first contact is found: no more is wanted. */
static void finish_first(walker *w, double from, const abut_instant *at)
{
    emit(w, ABUT_CELL_UNKNOWN, from, at->t);
    emit(w, cell_of(w, at->sign), at->t, at->t);
    abut_runs_cut(w->runs, at->t);
    w->wanted = false;
}

static void walk_piece(walker *w, abut_instant *at)
{
    double t = at->t;
    while (w->wanted && t < w->hi) {
        if (w->spent) {
            emit(w, ABUT_CELL_UNKNOWN, t, w->hi);
            return;
        }
        double x = t;
        if (at->sign == 1) {
            if (!w->close)
                x = clear(w, at, w->hi);
            w->close = false;
            emit(w, ABUT_CELL_APART, t, x);
            if (x >= w->hi)
                return;
        }
        abut_instant ahead;
        probe(w, x, at, &ahead);
        const bool from_touch = at->sign == ABUT_SIGN_UNKNOWN && w->runs->touching && x == w->m->range.lo;
        /* Nothing is known of the start: what counts is the first overlap, not how long each
         * lasts. Those that are less deep than rounding last for a few ulp only: 50 000 evaluations
         * were spent on them. */
        const bool in_doubt = at->sign == ABUT_SIGN_UNKNOWN && x == w->m->range.lo && ahead.sign == -1;
        if (w->m->first_only && in_doubt && !from_touch) {
            come_closer(w, x, 0.125, &ahead);
            come_closer(w, x, 0.5, &ahead);
        }
        if (w->m->first_only && (at->sign == 1 || from_touch || in_doubt) && ahead.sign <= 0) {
            finish_first(w, x, &ahead);
            return;
        }
        abut_instant left = *at, right = ahead;
        if (at->sign == 1) {
            left = (abut_instant){ .t = x, .sign = ABUT_SIGN_UNKNOWN };
        }
        resolve(w, &left, at->sign, &right, ahead.sign, 0);
        *at = ahead;
        t = ahead.t;
    }
}

/* The bodies at t for a cast from where they are until `end`; where that is before t, back in
 * time, which is counted from 0 then. */
static bool begin_cast(const walker *w, double t, double end, abut_instant *at, abut_linear_cast *out)
{
    const abut_scene_pair *pair = &w->pair;
    const bool back = end < t;
    at->t = t;
    if (!abut_path_place(&pair->path_a, t, &at->at_a) || !abut_path_place(&pair->path_b, t, &at->at_b) ||
        !abut_path_rates(&pair->path_a, t, end - t, &at->at_a) ||
        !abut_path_rates(&pair->path_b, t, end - t, &at->at_b) || !abut_instant_pair(pair, at, &out->pair))
        return false;
    out->v =
        abut_mul_t(&at->at_a.r, back ? abut_sub(at->at_a.v, at->at_b.v) : abut_sub(at->at_b.v, at->at_a.v));
    out->lo = back ? 0 : t;
    out->hi = back ? t - end : end;
    out->turns = at->at_a.turn + at->at_b.turn;
    return abut_linear_cast_begin(out, at->at_a.shift_rate + at->at_b.shift_rate, at->at_a.turn);
}

/* Bodies that do not turn: all in one, where it is clear. False: nothing was emitted. */
static bool cast_piece(walker *w, double t)
{
    abut_linear_cast cast;
    abut_linear_cast_hit hit;
    abut_instant at;
    ++w->m->counters->iterations;
    if (!begin_cast(w, t, w->hi, &at, &cast))
        return false;
    const abut_linear_cast_end end = w->m->method == ABUT_METHOD_RAYCAST ? abut_linear_cast_ray(&cast, &hit)
                                                                         : abut_linear_cast_run(&cast, &hit);
    w->m->counters->evaluations += hit.evaluations;
    if (end == ABUT_SLIDE_UNSURE)
        return false;
    if (end == ABUT_SLIDE_MISS) {
        emit(w, ABUT_CELL_APART, t, w->hi);
        return true;
    }
    const abut_affine *frame = &cast.pair.frame;
    /* one end of an edge or a face may be beside the other body */
    w->m->touch = (abut_moving_touch){ !hit.several,
                                       hit.time.lo,
                                       abut_madd(abut_affine_apply(frame, hit.x), hit.s, at.at_a.v),
                                       abut_mul(&frame->linear, hit.n),
                                       { hit.features[0], hit.features[1] } };
    emit(w, ABUT_CELL_APART, t, hit.time.lo);
    at.t = hit.time.hi;
    at.sign = -1;
    finish_first(w, hit.time.lo, &at);
    return true;
}

/* Bodies that do not turn meet in one stretch of time: its begin by a cast, its end by a cast
 * back in time. False: nothing was emitted. */
static bool cross_piece(walker *w, const abut_instant *at)
{
    const double t = at->t, end = w->hi;
    abut_linear_cast cast;
    abut_linear_cast_hit hit;
    abut_instant last;
    abut_interval enter = { t, t }, leave = { end, end };
    if (at->sign != 1 && at->sign != -1)
        return false;
    if (at->sign == 1) {
        ++w->m->counters->iterations;
        if (!begin_cast(w, t, end, &last, &cast))
            return false;
        const abut_linear_cast_end found = abut_linear_cast_run(&cast, &hit);
        w->m->counters->evaluations += hit.evaluations;
        if (found == ABUT_SLIDE_MISS)
            emit(w, ABUT_CELL_APART, t, end);
        if (found != ABUT_SLIDE_HIT)
            return found == ABUT_SLIDE_MISS;
        enter = hit.time;
    }
    if (!evaluate(w, end, true, &last) || (last.sign != 1 && last.sign != -1))
        return false;
    if (last.sign == 1) {
        if (!begin_cast(w, end, t, &last, &cast) || abut_linear_cast_run(&cast, &hit) != ABUT_SLIDE_HIT)
            return false;
        w->m->counters->evaluations += hit.evaluations;
        /* The difference is rounded by half an ulp of the larger time. They overlap between
         * enter.hi and the true end - hit.time.hi, and so at any time in between. */
        const double ulp = 2 * u * fmax(fabs(t), fabs(end));
        leave = (abut_interval){ fmax(end - hit.time.hi - ulp, enter.hi), end - hit.time.lo + ulp };
        if (!(leave.lo <= leave.hi && leave.hi <= end))
            return false;
    }
    if (at->sign == 1) {
        emit(w, ABUT_CELL_APART, t, enter.lo);
        emit(w, ABUT_CELL_UNKNOWN, enter.lo, enter.hi);
    }
    emit(w, cell_of(w, -1), enter.hi, leave.lo);
    if (last.sign == 1) {
        emit(w, ABUT_CELL_UNKNOWN, leave.lo, leave.hi);
        emit(w, ABUT_CELL_APART, leave.hi, end);
    }
    return true;
}

/* The way another method found: apart as long as its direction proves it. The walk goes on from
 * there. */
static double follow(walker *w, double t)
{
    abut_vec3 n;
    if (!abut_sweep_search(&w->pair, w->m->method, t, w->hi, w->m->counters, &n))
        return t;
    abut_instant at = { .t = t, .sign = 1, .n = n };
    if (!abut_path_place(&w->pair.path_a, t, &at.at_a) || !abut_path_place(&w->pair.path_b, t, &at.at_b))
        return t;
    const double room = w->hi - t;
    const double s = abut_instant_clear(&w->pair, &at, room * (1 + 4 * u), &w->closing, &w->error);
    const double until = s >= room * (1 + 2 * u) ? w->hi : abut_moving_plane_end(t, s);
    if (s > 0)
        emit(w, ABUT_CELL_APART, t, until);
    return until;
}

/* ---- the whole range ---- */

/* Apart from t on as long as balls around the bodies are. */
static double pass_balls(walker *w, double t)
{
    const double room = w->hi - t;
    const double s = w->pair.b && w->m->method == ABUT_METHOD_AUTO
                         ? abut_instant_balls(&w->pair, t, room * (1 + 4 * u))
                         : 0;
    const double until = s >= room * (1 + 2 * u) ? w->hi : abut_moving_plane_end(t, s);
    if (until > t)
        emit(w, ABUT_CELL_APART, t, until);
    return until;
}

/* Ellipsoids that turn: straight to just before the contact that Newton's method finds. From
 * there back the gap grows, and one plane often proves the bodies apart since t; where it does
 * not, the walk from t comes to meet it. False: nothing was emitted. */
static bool guess_piece(walker *w, double t, abut_instant *at)
{
    const abut_scene_pair *pair = &w->pair;
    abut_impact_guess_hit hit;
    ++w->m->counters->iterations;
    if (!abut_impact_guess(pair, t, w->hi, &hit))
        return false;
    const double before = hit.t - 8 * hit.error / hit.closing;
    if (!(before > t))
        return false;
    *at = (abut_instant){ .t = before,
                          .sign = 1,
                          .gap = 8 * hit.error,
                          .n = hit.n,
                          .has_witness = true,
                          .point = hit.point,
                          .features = { ABUT_FEATURE_FACE, ABUT_FEATURE_FACE } };
    if (!abut_path_place(&pair->path_a, before, &at->at_a) ||
        !abut_path_place(&pair->path_b, before, &at->at_b))
        return false;
    const double room = before - t;
    const double s = abut_instant_clear(pair, at, -room * (1 + 4 * u), &w->closing, &w->error);
    w->closing = hit.closing;
    if (s < room * (1 + 2 * u)) {
        const double until = abut_moving_plane_end(before, -s);
        abut_instant first;
        if (!(until < before) || !evaluate(w, t, false, &first) || first.sign != 1 ||
            clear(w, &first, until) < until)
            return false;
        w->closing = hit.closing;
    }
    w->axis = hit.n;
    w->has_axis = true;
    w->close = true;
    w->proved = fmin(2 + 1.5 * hit.proved, 256);
    emit(w, ABUT_CELL_APART, t, before);
    note_touch(w, at);
    return true;
}

static double next_break(const abut_motion *motion, double t, double end)
{
    return motion ? fmin(abut_motion_next_break(motion, t), end) : end;
}

/* Over the rest of the piece the gap along its normal is what it is of a half-space at rest, and
 * linear in time: it faces along an axis of the world, about which the body turns at most, and
 * the body's origin moves on a line. */
static bool is_level(const walker *w, double t, const abut_place *at_b)
{
    if (w->pair.b || w->pair.path_b.kind != ABUT_PATH_FIXED)
        return false;
    const abut_vec3 n = w->m->b->u.halfspace.normal;
    const int local = n.y == 0 && n.z == 0 ? 0 : n.x == 0 && n.z == 0 ? 1 : n.x == 0 && n.y == 0 ? 2 : -1;
    abut_interval_affine over;
    abut_stance line;
    if (local < 0 || at_b->axis[local] < 0 || !abut_path_line(&w->pair.path_a, t, &line) ||
        abut_motion_enclose(w->m->motion_a, (abut_interval){ t, w->hi }, &over))
        return false;
    const abut_interval *row = over.linear.m[at_b->axis[local]];
    for (int i = 0; i < 3; ++i)
        if (row[i].lo == row[i].hi && fabs(row[i].lo) == 1)
            return true;
    return false;
}

/* They touch exactly at the start of the range, t. Returns how far it could be decided what
 * follows, t itself where it could not. */
static double leave_touch(walker *w, double t, abut_instant *at)
{
    abut_moving *m = w->m;
    abut_place at_a, at_b;
    if (abut_place_from_motion(m->motion_a, t, &at_a) || abut_place_from_motion(m->motion_b, t, &at_b))
        return t;
    const double room = w->hi - t;
    /* Bodies that touch in an edge or a corner have many directions of contact: along all axes of
     * the world. */
    for (int k = 0; k < 7 && (k == 0 || w->pair.b); ++k) {
        abut_instant along = *at;
        if (k > 0)
            along.n = abut_v3(k == 1   ? 1
                              : k == 2 ? -1
                                       : 0,
                              k == 3   ? 1
                              : k == 4 ? -1
                                       : 0,
                              k == 5   ? 1
                              : k == 6 ? -1
                                       : 0);
        if (!abut_instant_exact_axis(&w->pair, &at_a, &at_b, &along))
            continue;
        const double s = abut_instant_parting(&w->pair, &along, room);
        const double until = s >= room ? w->hi : abut_moving_plane_end(t, s);
        if (until > t) {
            emit(w, ABUT_CELL_TOUCH, t, t);
            emit(w, ABUT_CELL_APART, t, until);
            return until;
        }
    }
    /* Without turning the origin moves on a line against a convex body: in contact at two times,
     * in contact between them. */
    const bool convex = w->pair.translates || is_level(w, t, &at_b);
    double part = room;
    for (int i = 0; i < 20 && m->first_only && convex; ++i) {
        const int sign = abut_moving_sign_at(m, t + part);
        if (sign == 0 || sign == -1) {
            note_touch(w, at);
            emit(w, ABUT_CELL_TOUCH, t, t);
            abut_runs_cut(w->runs, t);
            w->wanted = false;
            return t;
        }
        part *= 0.5;
    }
    note_touch(w, at);
    (void)abut_instant_clear(&w->pair, at, room, &w->closing, &w->error);
    w->runs->touching = true;
    if (m->wants_first) /* it does not count yet */
        at->sign = ABUT_SIGN_UNKNOWN;
    return t;
}

abut_status abut_advance_scan(abut_moving *m, abut_run_fn emit_run, void *ctx)
{
    const abut_status status = abut_moving_check(m);
    if (status)
        return status;
    abut_runs runs;
    abut_runs_begin(&runs, m->range, m->accuracy, emit_run, ctx);
    walker w = { .m = m, .runs = &runs, .wanted = true };
    const bool above = m->b->type == ABUT_SHAPE_HALFSPACE;
    w.pair.shape_a = m->a;
    w.pair.shape_b = m->b;
    w.pair.a = &m->a->core;
    w.pair.b = above ? NULL : &m->b->core;
    w.pair.flat = abut_core_is_flat(w.pair.a) || (w.pair.b && abut_core_is_flat(w.pair.b));
    m->inexact = true;
    for (double t = m->range.lo; w.wanted && t < m->range.hi && !m->cancelled; t = w.hi) {
        w.hi = next_break(m->motion_b, t, next_break(m->motion_a, t, m->range.hi));
        abut_path_begin(m->motion_a, t, w.hi, abut_instant_symmetry(w.pair.a), &w.pair.path_a);
        abut_path_begin(m->motion_b, t, w.hi, abut_instant_symmetry(w.pair.b), &w.pair.path_b);
        w.pair.translates = w.pair.path_a.translates && w.pair.path_b.translates;
        w.closing = w.error = w.proved = 0;
        w.close = false;
        const bool can_cast = w.pair.translates && w.pair.b;
        if (m->method > ABUT_METHOD_ADVANCEMENT && !w.pair.translates)
            return ABUT_ERR_UNSUPPORTED;
        /* The cast crawls along curved bodies; Newton's method in the walk does not. */
        const abut_convex_pair cores = { .a = w.pair.a,
                                         .b = w.pair.b,
                                         .radii = w.pair.b ? w.pair.a->radius + w.pair.b->radius : 0 };
        const bool fast_cast = can_cast && abut_linear_cast_is_fast(&cores);
        if (m->first_only && can_cast &&
            ((m->method == ABUT_METHOD_AUTO && fast_cast) || m->method == ABUT_METHOD_RAYCAST) &&
            cast_piece(&w, t))
            continue;
        double from = t;
        if (m->first_only && m->method > ABUT_METHOD_RAYCAST &&
            w.pair.b) /* all ways to a half-space are one */
            from = follow(&w, t);
        else
            from = pass_balls(&w, t);
        if (from >= w.hi)
            continue;
        abut_instant at;
        if (m->first_only && m->method == ABUT_METHOD_AUTO && w.pair.b &&
            abut_convex_is_ellipsoid_pair(&cores) && w.pair.path_a.kind != ABUT_PATH_ANY &&
            w.pair.path_b.kind != ABUT_PATH_ANY && guess_piece(&w, from, &at)) {
            walk_piece(&w, &at);
            continue;
        }
        const bool made = evaluate(&w, from, !m->first_only, &at);
        if (made && at.sign == ABUT_SIGN_UNKNOWN && from > t)
            at.sign = 1; /* so it was until now */
        else if (made && at.sign == ABUT_SIGN_UNKNOWN && t == m->range.lo)
            at.sign = abut_moving_sign_at(m, t);
        if (at.sign == 0 && from == m->range.lo) {
            from = leave_touch(&w, from, &at);
            if (from > m->range.lo && from < w.hi) {
                (void)evaluate(&w, from, !m->first_only, &at);
                if (at.sign == ABUT_SIGN_UNKNOWN)
                    at.sign = 1;
            }
            if (from >= w.hi || !w.wanted)
                continue;
        }
        if (at.sign == -1 && from == m->range.lo && m->first_only) {
            /* Its witnesses are those of a depth: the static query finds a point of both. */
            emit(&w, cell_of(&w, -1), t, t);
            abut_runs_cut(&runs, t);
            break;
        }
        if (!m->wants_first && m->method == ABUT_METHOD_AUTO && can_cast && cross_piece(&w, &at))
            continue;
        walk_piece(&w, &at);
    }
    if (m->cancelled)
        return ABUT_ERR_CANCELLED;
    abut_runs_end(&runs);
    return ABUT_OK;
}
