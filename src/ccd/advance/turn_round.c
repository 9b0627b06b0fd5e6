/* SPDX-License-Identifier: MIT */
/* Balls, capsules and boxes that turn at constant rates: the contact is found first and proved
 * afterwards, as in turn_first.c, with less; see docs/notes/advancement.md.
 *
 * A look is the closed form of the distance of the cores with its rate. Looks end some 1e-8
 * before or after the contact, where bounds to second order around the time of the look
 * (turn_round_parts.h) say all that there is to say: one from below proves the bodies apart just
 * before the contact and, since it is concave, on the whole way back to where it is positive,
 * mostly the start; one from above proves the overlap just after. What the first does not reach
 * is taken from evaluations further back. Whatever is not proved is left to the walk (advance.c). */
#include "ccd/advance/turn_round.h"

#include "ccd/advance/turn_round_parts.h"
#include "ccd/proof/moving_plane.h"

static const double u = 0x1p-53;

enum { MOST_LOOKS = 16, MOST_BOUNDS = 16, MOST_TRIES = 6 };

typedef abut_round_view view;
typedef abut_round_bound bound;

/* ---- where the contact is ---- */

typedef struct sample {
    double t, gap, closing;
} sample;

/* Newton's method; with another look, the inverse of the gap as a cubic through both with their
 * rates, where that says nearly the same. */
static double next_time(const view *g, const sample *last)
{
    const double q = -g->gap, slope = -1 / g->closing, newton = g->t + q * slope;
    if (!(last->closing > 0))
        return newton;
    const double h = last->gap + q;
    if (!(fabs(h) > 2 * fabs(q)))
        return newton;
    const double per_h = 1 / h, other = -1 / last->closing, chord = (last->t - g->t) * per_h,
                 x = q * q * per_h;
    const double t = newton + x * (chord - slope) + x * (q - h) * per_h * (slope + other - 2 * chord);
    return fabs(t - newton) < 0.5 * fabs(newton - g->t) ? t : newton;
}

typedef enum guess_end { LOST, PASSING, MEETING } guess_end;

/* To so near the contact that what bounds leave out is lost in their errors; or to about where
 * the bodies are nearest. */
static guess_end guess_contact(abut_turn_round_pair *w, view *g)
{
    const double error = w->keen * u * (32 * w->sizes + 16 * w->radii);
    const double bend = w->swift * (w->arms[0].speed + w->arms[1].speed), swift = w->swift * w->swift;
    /* apart, and overlapping or nearly, at these */
    double t = w->from, before = t, after = INFINITY;
    sample last = { 0 };
    for (int i = 0; i < MOST_LOOKS; ++i) {
        const bool apart = abut_turn_round_distance(w, t, g); /* cores at least */
        if (i == 0 && !(apart && g->gap > 0))
            return LOST;
        if (!apart) {
            after = t;
            last.closing = 0;
            t = 0.5 * before + 0.5 * t;
            continue;
        }
        const double gap = g->gap, closing = g->closing;
        if (closing > 0 && gap * gap * (bend + swift / g->length) <= error * closing * closing)
            return MEETING;
        if (gap > 0)
            before = t;
        else
            after = t;
        double next;
        if (closing > 0)
            next = next_time(g, &last);
        else if (after < INFINITY) /* well inside */
            next = before;
        else if (last.closing > 0 && last.t < t) { /* back to about where they are nearest */
            t = last.t + (t - last.t) * (last.closing / (last.closing - closing));
            if (!abut_turn_round_distance(w, t, g))
                return LOST;
            if (g->gap > 0)
                return PASSING;
            after = t;
            next = before = w->from;
        } else
            return PASSING;
        last = (sample){ g->t, g->gap, g->closing };
        if (!(next < w->hi)) {
            if (t >= w->hi)
                return PASSING;
            next = w->hi;
        }
        t = next > before && next < after ? next : 0.5 * before + 0.5 * after;
        if (isinf(t))
            return LOST;
    }
    return LOST;
}

/* ---- proofs ---- */

/* Apart between the time of g plus s, where f is positive, and `end`. f is that of g; both are
 * overwritten. */
static bool clear(abut_turn_round_pair *w, view *g, bound *f, double s, double end)
{
    for (int i = 0; i < MOST_BOUNDS; ++i) {
        double most = end - g->t, value = abut_round_bound_at(f, most);
        if (value > 0)
            return true;
        double here = abut_round_bound_at(f, s);
        for (int k = 0; k < 4 && here > 0;
             ++k) { /* the chord lies below the bound; what is beyond may be above */
            const double chord = s + (most - s) * (here / (here - value)) * (1 - 0x1p-20),
                         middle = 0.5 * chord + 0.5 * most;
            const double at_chord = abut_round_bound_at(f, chord), at_middle = abut_round_bound_at(f, middle);
            if (!(at_chord > 0))
                break;
            s = at_middle > 0 ? middle : chord;
            here = at_middle > 0 ? at_middle : at_chord;
            most = at_middle > 0 ? most : middle;
            value = at_middle > 0 ? value : at_middle;
        }
        const double t = g->t + s;
        if (!(here > 0) || !(abut_round_bound_at(f, t - g->t) > 0) || t == g->t ||
            !abut_turn_round_distance(w, t, g) || !(g->gap > 0))
            return false;
        abut_round_make_bound(w, g, f);
        s = 0;
        if (!(abut_round_bound_at(f, 0) > 0))
            return false;
    }
    return false;
}

/* The contact next to g between two times: before the first the bodies are apart, for a while,
 * at the second they overlap. */
static bool enclose(const abut_turn_round_pair *w, const view *g, const bound *f, abut_interval *time)
{
    const abut_round_over up = abut_round_make_over(w, g);
    const double per = 1 / g->closing, ulp = 2 * u * fabs(g->t) + 0x1p-1060;
    const double value = abut_round_bound_at(f, 0), slack = (0x1p-10 * f->e0 + 0x1p-20 * fabs(value)) * per;
    double s = value * per - slack, more = slack + ulp;
    bool done = false;
    for (int i = 0; i < MOST_TRIES && !done; ++i, more *= 4) {
        time->lo = g->t + s;
        done = abut_round_bound_at(f, time->lo - g->t) > 0;
        s -= more;
    }
    if (!done)
        return false;
    done = false;
    s = up.k * per + slack;
    more = slack + ulp;
    for (int i = 0; i < MOST_TRIES && !done; ++i, more *= 4) {
        time->hi = g->t + s;
        done = abut_round_over_at(&up, time->hi - g->t) < 0;
        s += more;
    }
    return done && time->lo < time->hi;
}

/* ---- the query ---- */

bool abut_turn_round_knows(const abut_core *a, const abut_core *b)
{
    const bool point = a->kind == ABUT_CORE_POINT || b->kind == ABUT_CORE_POINT;
    const bool lines = a->kind <= ABUT_CORE_SEGMENT && b->kind <= ABUT_CORE_SEGMENT;
    const bool box = point && (a->kind == ABUT_CORE_BOX || b->kind == ABUT_CORE_BOX);
    return lines || box;
}

static void answer(const abut_turn_round_pair *w, abut_first_verdict verdict, abut_first_result *out)
{
    out->verdict = verdict;
    out->proof = ABUT_PROOF_INTERVAL;
    out->stop = ABUT_STOP_DONE;
    out->time = (abut_interval){ 0, 0 };
    out->point_count = 0;
    out->counters = w->counters;
}

/* Round bodies have a face only. */
static abut_feature feature_of(const abut_core *core, const view *g)
{
    if (core->kind != ABUT_CORE_BOX || core->radius > 0)
        return ABUT_FEATURE_FACE;
    const double *h = core->h;
    const int inside = (fabs(g->foot.x) < h[0] * (1 - 8 * u)) + (fabs(g->foot.y) < h[1] * (1 - 8 * u)) +
                       (fabs(g->foot.z) < h[2] * (1 - 8 * u));
    return inside == 0 ? ABUT_FEATURE_VERTEX : inside == 1 ? ABUT_FEATURE_EDGE : ABUT_FEATURE_FACE;
}

/* Where they touch, as seen next to it. False where that may be in more than a point: along
 * parallel segments. */
static bool take_point(const abut_turn_round_pair *w, const view *g, const bound *f, abut_first_point *p)
{
    abut_vec3 x = abut_madd(w->start, g->t - w->lo, w->rate), n = g->n, between = g->between;
    if (!w->box) {
        const double ab = abut_dot(g->axis[0], g->axis[1]);
        if (fabs(f->at[0]) < 0x1p-30 && fabs(f->at[1]) < 0x1p-30 && 1 - ab * ab < 0x1p-40 && w->a->h[2] > 0 &&
            w->b->h[2] > 0)
            return false;
        x = abut_madd(x, g->z[0], g->axis[0]);
    } else {
        n = abut_mul(&g->r, n);
        between = abut_mul(&g->r, between);
        if (w->box_is_a)
            x = abut_add(x, abut_mul(&g->r, g->foot));
        else {
            n = abut_scale(-1, n);
            between = abut_scale(-1, between);
        }
    }
    p->point = abut_madd(abut_madd(x, 0.5, between), 0.5 * (w->a->radius - w->b->radius), n);
    p->normal = n;
    p->kind = ABUT_CONTACT_ISOLATED;
    p->unique = false;
    p->features[0] = feature_of(w->a, g);
    p->features[1] = feature_of(w->b, g);
    p->normals[0] = p->normals[1] = abut_v3(0, 0, 0);
    p->parameters[0][0] = p->parameters[0][1] = p->parameters[1][0] = p->parameters[1][1] = 0;
    p->has_ids = false;
    p->ids[0] = p->ids[1] = 0;
    return true;
}

/* Balls around the bodies, as in abut_instant_balls: apart until `from`; false where they are
 * all the time. */
static bool find_start(abut_turn_round_pair *w)
{
    const double most = (w->hi - w->lo) * (1 + 4 * u);
    const double far = abut_dot(w->d, w->d), vv = abut_dot(w->v, w->v), closing = -abut_dot(w->d, w->v);
    const double slip = w->shift + most * w->drift + 16 * u * (sqrt(far) + most * w->fast);
    const double radii = (w->radii + w->sizes + slip) * (1 + 0x1p-40), rr = radii * radii;
    w->from = w->lo;
    if (!(far > rr * (1 + 0x1p-20)))
        return true;
    if (!(closing > 0))
        return false;
    const double nearest = closing / vv, until = nearest < most ? nearest : most;
    const abut_vec3 least = abut_madd(w->d, until, w->v);
    if (abut_dot(least, least) > rr * (1 + 0x1p-40))
        return false;
    const double part = far - rr, square = closing * closing - vv * part;
    const double s = part / (closing + sqrt(square > 0 ? square : 0)) * (1 - 0x1p-20);
    const abut_vec3 then = abut_madd(w->d, s, w->v);
    if (s > 0 && s < most && s < nearest * (1 - 0x1p-40) && abut_dot(then, then) > rr * (1 + 0x1p-40))
        w->from = abut_moving_plane_end(w->lo, s);
    return true;
}

bool abut_turn_round(const abut_shape *a, const abut_motion *motion_a, const abut_shape *b,
                     const abut_motion *motion_b, double lo, double hi, double accuracy,
                     abut_first_result *out)
{
    abut_turn_round_pair w;
    view g;
    bound f;
    w.keen = accuracy < INFINITY ? 0x1p-6 : 0.25;
    if (!abut_round_begin(&a->core, motion_a, &b->core, motion_b, lo, hi, &w))
        return false;
    if (!find_start(&w)) {
        answer(&w, ABUT_FIRST_SEPARATE, out);
        return true;
    }
    const guess_end end = guess_contact(&w, &g);
    if (end == LOST)
        return false;
    abut_round_make_bound(&w, &g, &f);
    if (end == PASSING) {
        view other = g;
        bound copy = f;
        if (!(abut_round_bound_at(&f, 0) > 0) || !clear(&w, &other, &copy, 0, w.from) ||
            !clear(&w, &g, &f, 0, hi))
            return false;
        answer(&w, ABUT_FIRST_SEPARATE, out);
        return true;
    }
    abut_interval time;
    if (!enclose(&w, &g, &f, &time) || !(time.lo > w.from) || !(time.hi <= hi) ||
        !take_point(&w, &g, &f, &out->points[0]) || !clear(&w, &g, &f, time.lo - g.t, w.from))
        return false;
    answer(&w, ABUT_FIRST_CONTACT, out);
    out->time = out->points[0].time = time;
    out->point_count = 1;
    return true;
}
