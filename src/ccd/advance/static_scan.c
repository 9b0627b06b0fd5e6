/* SPDX-License-Identifier: MIT */
/* Any two bodies that have a static method, under rigid motions, by conservative advancement.
 *
 * At an instant the static method gives a lower bound of the distance; the bodies stay apart while
 * no point of one moves that far in the frame of the other. Let y be the point of b's frame where p
 * of a is at time t. In b's frame p moves by no more than
 *     |A(s) p - A(t) p| + |B(s) y - B(t) y|,
 * the travel of p and that of y, which is as far from b's origin as p is then. So only one of the
 * two need be bounded.
 *
 * Near a contact the steps get short. Then instants ahead are tried, each four times as far; what
 * lies between an instant of separation and the next known one is proved from both sides and halved,
 * until it is as short as the accuracy or as rounding lets it be. Contacts last while a common point
 * does (static_hold.c); where none is found, instants of contact are listed, and what is between
 * them is not proved.
 *
 * This is the general method, for pairs that have no method of their own (Mirtich 1996; the bound by
 * travel as in docs/notes/advancement.md). */
#include "ccd/advance/static_hold.h"
#include "math/vec3.h"
#include "narrow/cover/pairs.h"
#include "narrow/pair_table.h"
#include "shape/heightfield.h"

enum {
    HALVINGS = 60,
    STEPS = 64,
    WITHIN = 4,
    WITHIN_DEEP = 9,
    BOXES = 6000,
    MORE_BOXES = 12000,
    RETRIES = 3
};

/* The end of a proof that they are apart. */
enum { EDGE = ABUT_SIGN_UNKNOWN + 1 };

typedef struct instant {
    double t;
    int sign; /* 1 apart, 0 touching, -1 penetrating, EDGE or ABUT_SIGN_UNKNOWN */
    double
        distance; /* sign 1: a lower bound; sign -1 or 0: they meet while nothing moves further, 0: not known */
    bool deep;    /* contact of two solids */
} instant;

typedef struct walker {
    abut_moving *m;
    abut_runs runs;
    abut_static_hold hold;
    double radius[2];   /* around the origins of both; INFINITY: unbounded */
    int field;          /* a height field, the other one is a half-space: which; -1 */
    double unit;        /* a length of the bodies, by which turning is measured */
    double least;       /* times that are not halved further */
    abut_interval held; /* a separation that is not given out yet; empty: none */
    bool after_unknown; /* the last cell was one of which nothing is proved */
    int retries;
    bool wanted;
    abut_cover_cache *cover;
    abut_status status;
} walker;

static double radius_of(const abut_shape *s)
{
    const abut_vec3 far = { fmax(fabs(s->bounds.lo.x), fabs(s->bounds.hi.x)),
                            fmax(fabs(s->bounds.lo.y), fabs(s->bounds.hi.y)),
                            fmax(fabs(s->bounds.lo.z), fabs(s->bounds.hi.z)) };
    const double length = abut_length(far) * (1 + 0x1p-48);
    return length < INFINITY ? length : INFINITY;
}

/* Around the vertices of a height field. */
static double top_radius(const abut_shape *field)
{
    const abut_aabb b = field->bounds;
    const abut_range z = field->u.heightfield.pyramid->whole;
    const double x = fmax(fabs(b.lo.x), fabs(b.hi.x)), y = fmax(fabs(b.lo.y), fabs(b.hi.y));
    return abut_length(abut_v3(x, y, fmax(fabs(z.lo), fabs(z.hi)))) * (1 + 0x1p-48);
}

static void add_cell(walker *w, abut_cell cell, double lo, double hi)
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
static void give_held(walker *w, abut_cell cell)
{
    if (w->held.lo < w->held.hi)
        add_cell(w, cell, w->held.lo, w->held.hi);
    w->held = (abut_interval){ 0, 0 };
}

/* Next to a contact nothing is proved of some instants, and little of those around them. A short
 * separation among such is part of what is not known, lest it divide one contact into several. */
static void add(walker *w, abut_cell cell, double lo, double hi)
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

/* ---- instants ---- */

static void note_touch(walker *w, double t, const abut_check_result *r)
{
    if (!r->has_points || !r->has_normal)
        return;
    abut_static_hold_note(&w->hold, t, r->point_a, r->point_b);
    bool swapped = false;
    (void)abut_narrow_find_row(w->m->a->type, w->m->b->type, &swapped);
    const abut_feature *features = r->contacts[0].features; /* there even where they do not touch */
    w->m->touch = (abut_touch){ .known = true,
                                .features = { features[swapped], features[!swapped] },
                                .t = t,
                                .point = abut_add(abut_scale(0.5, r->point_a), abut_scale(0.5, r->point_b)),
                                .normal = r->normal };
}

/* How far a point of one body may move in the frame of the other before they part, from below. */
static double depth_of(const abut_pair *pair, abut_workspace *ws, const abut_check_result *r)
{
    if (r->verdict == ABUT_PENETRATING && !(r->depth.lo > 0) && abut_cover_by_features(pair->a, pair->b) &&
        r->contact_count > 0)
        return abut_cover_depth_at(pair, ws, r->contacts[0].point);
    return r->depth.lo;
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
                     .cover = w->cover };
    const abut_pair pair = { m->a, m->b, &at_a, &at_b, &ask };
    abut_check_result r = { .verdict = ABUT_UNDECIDED };
    for (int i = 0; i < 2 && r.verdict == ABUT_UNDECIDED && (i == 0 || w->retries < RETRIES); ++i) {
        r = (abut_check_result){ .verdict = ABUT_UNDECIDED };
        w->retries += i;
        ask.max_iterations = i ? MORE_BOXES : BOXES;
        w->status = abut_narrow_run_pair(&pair, m->ws, &r);
        if (w->status)
            return false;
        m->counters->evaluations += r.counters.evaluations;
    }
    if (r.verdict == ABUT_SEPARATE) {
        out->sign = 1;
        out->distance = r.distance.lo;
        note_touch(w, t, &r);
    } else if (r.verdict != ABUT_UNDECIDED && r.proof != ABUT_PROOF_TOLERANCE) {
        out->sign = r.verdict == ABUT_PENETRATING ? -1 : 0;
        out->deep = r.verdict == ABUT_PENETRATING;
        out->distance = depth_of(&pair, m->ws, &r);
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
    if ((m->motion_a && abut_motion_at(m->motion_a, t, &a)) ||
        (m->motion_b && abut_motion_at(m->motion_b, t, &b)))
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
    const double near_b = fmin(w->radius[1], between + w->radius[0]);
    const double near_a = fmin(w->radius[0], between + w->radius[1]);
    return (travel(m->motion_a, time, near_a, w->unit) + travel(m->motion_b, time, near_b, w->unit)) *
           (1 + 0x1p-50);
}

/* Apart from at->t on, forward or back, as far as this returns, and not beyond `limit`. */
static double clear_to(const walker *w, const instant *at, double limit)
{
    const double room = limit - at->t;
    double good = 0, bad = 2;
    for (double part = 1; part > 0x1p-50;) {
        const double s = at->t + part * room;
        const abut_interval time = { fmin(at->t, s), fmax(at->t, s) };
        if (relative_travel(w, at->t, time) < at->distance)
            good = part;
        else
            bad = part;
        if (good == 1 || (good > 0 && bad < 1.25 * good))
            break;
        part = good > 0 ? 0.5 * (good + bad) : 0.25 * part;
    }
    return good < 1 ? at->t + good * room : limit;
}

/* ---- between two instants ---- */

static bool is_contact(const instant *at)
{
    return at->sign == -1 || at->sign == 0;
}

/* Only contact at an instant says something that the cells beside it do not. */
static void add_instant(walker *w, const instant *at)
{
    if (is_contact(at))
        add(w, at->sign ? ABUT_CELL_DEEP : ABUT_CELL_TOUCH, at->t, at->t);
}

/* Fills the time between two instants; the first and the last cell may be empty. */
static void fill(walker *w, instant from, const instant *to, int depth)
{
    if (!w->wanted || w->status)
        return;
    if (from.sign == 1) {
        const double t = clear_to(w, &from, to->t);
        add(w, ABUT_CELL_APART, from.t, t);
        if (t >= to->t)
            return;
        from.t = t;
        from.sign = EDGE;
    }
    const bool from_lasts = is_contact(&from) && from.distance > 0;
    if (from_lasts) {
        const double t = clear_to(w, &from, to->t);
        add(w, from.deep ? ABUT_CELL_DEEP : ABUT_CELL_TOUCH, from.t, t);
        if (t >= to->t)
            return;
        from.t = t;
        from.distance = 0;
    }
    const bool lasts = to->sign == 1 || (is_contact(to) && to->distance > 0);
    const double end = lasts ? fmax(clear_to(w, to, from.t), from.t) : to->t;
    if (end > from.t) {
        const bool both = is_contact(&from) && is_contact(to);
        const double mid = 0.5 * from.t + 0.5 * end;
        instant middle;
        if (both && abut_static_holds(&w->hold, (abut_interval){ from.t, end })) {
            add(w, w->hold.deep ? ABUT_CELL_DEEP : ABUT_CELL_TOUCH, from.t, end);
        } else if ((from.sign == ABUT_SIGN_UNKNOWN && to->sign == ABUT_SIGN_UNKNOWN) ||
                   end - from.t <= w->least || depth >= HALVINGS || !(from.t < mid && mid < end) ||
                   (both && depth >= (from_lasts || lasts ? WITHIN_DEEP : WITHIN)) ||
                   !examine(w, mid, &middle)) {
            add(w, ABUT_CELL_UNKNOWN, from.t, end);
        } else {
            fill(w, from, &middle, depth + 1);
            add_instant(w, &middle);
            const instant last = { end, to->sign == 1 ? EDGE : to->sign, 0, to->deep };
            fill(w, middle, &last, depth + 1);
        }
    }
    if (lasts)
        add(w, to->sign == 1 ? ABUT_CELL_APART : to->deep ? ABUT_CELL_DEEP : ABUT_CELL_TOUCH, end, to->t);
}

static void walk(walker *w)
{
    const abut_interval range = w->m->range;
    instant now, next;
    if (!examine(w, range.lo, &now)) {
        add(w, ABUT_CELL_UNKNOWN, range.lo, range.hi);
        return;
    }
    double step = (range.hi - range.lo) / STEPS;
    add_instant(w, &now);
    while (w->wanted && now.t < range.hi && !w->status) {
        if (now.sign == 1 || (is_contact(&now) && now.distance > 0)) {
            const double t = clear_to(w, &now, range.hi);
            if (t - now.t > fmax(w->least, 0x1p-10 * step) || t >= range.hi) {
                add(w,
                    now.sign == 1 ? ABUT_CELL_APART
                    : now.deep    ? ABUT_CELL_DEEP
                                  : ABUT_CELL_TOUCH,
                    now.t, t);
                if (t >= range.hi)
                    return;
                /* The next proof begins where this one ends. */
                if (!examine(w, t, &next))
                    break;
                now = next;
                add_instant(w, &now);
                continue;
            }
        }
        const double ahead = fmin(now.t + step, range.hi);
        if (!examine(w, ahead, &next))
            break;
        fill(w, now, &next, 0);
        add_instant(w, &next);
        now = next;
    }
    if (now.t < range.hi && !w->status)
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

abut_status abut_static_scan(abut_moving *m, abut_run_fn emit, void *ctx)
{
    walker w = { .m = m, .wanted = true, .radius = { radius_of(m->a), radius_of(m->b) }, .field = -1 };
    if (m->a->type == ABUT_SHAPE_HEIGHTFIELD && m->b->type == ABUT_SHAPE_HALFSPACE)
        w.field = 0;
    if (m->b->type == ABUT_SHAPE_HEIGHTFIELD && m->a->type == ABUT_SHAPE_HALFSPACE)
        w.field = 1;
    if (w.field >= 0)
        w.radius[w.field] = top_radius(w.field ? m->b : m->a);
    w.unit = unit_of(&w);
    const abut_status status = abut_moving_check(m);
    if (status)
        return status;
    if (abut_static_deforms(m->a) || abut_static_deforms(m->b))
        return ABUT_ERR_UNSUPPORTED;
    m->inexact = true;
    w.least = fmax(m->accuracy,
                   0x1p-30 * fmax(m->range.hi - m->range.lo, fmax(fabs(m->range.lo), fabs(m->range.hi))));
    w.cover = abut_cover_cache_create(&m->a->alloc);
    w.status = abut_static_hold_open(m, &w.hold);
    if (!w.cover)
        w.status = ABUT_ERR_MEMORY;
    abut_runs_begin(&w.runs, m->range, emit, ctx);
    if (!w.status)
        walk(&w);
    if (!w.status) {
        give_held(&w, ABUT_CELL_APART);
        abut_runs_end(&w.runs);
    }
    abut_static_hold_close(&w.hold);
    abut_cover_cache_destroy(w.cover);
    return w.status;
}
