/* SPDX-License-Identifier: MIT */
/* That two bodies meet, all through a stretch of time: a witness, evaluated over the whole stretch
 * by enclosures, and a walk that moves the witness when it no longer does.
 *
 * Bodies that begin to overlap have a lens in common, as thick as they went since; a witness in
 * its middle holds for a part of the time since the contact. So stretches grow and shrink in
 * geometric progression away from and towards the ends of a contact, and some tens of them lead
 * from rounding to the whole. */
#include "ccd/surface/surface_deep.h"

enum { max_stretches = 4000, SPACE = 3 };

/* Chords need not be longer, in sizes of the smaller body or in parts of the ranges of parameters. */
static const double longest = 1e6;

/* Of the smaller body, or the one that has an end: lengths are compared to it, so that the same bodies
 * in other units give the same answer. */
static double size_of(const abut_surface_parts *bodies)
{
    double least = HUGE_VAL;
    for (int i = 0; i < 2; ++i) {
        const abut_interval_vec3 *const b = &bodies[i].cull.local;
        const double size = fmax(b->x.hi - b->x.lo, fmax(b->y.hi - b->y.lo, b->z.hi - b->z.lo));
        if (size > 0 && size < least)
            least = size;
    }
    return isfinite(least) ? least : 1;
}

abut_status abut_deep_open(const abut_surface_parts *bodies, abut_interval range, abut_workspace *ws,
                           abut_deep *out)
{
    memset(out, 0, sizeof *out);
    for (int i = 0; i < 2; ++i) {
        out->parts[i] = &bodies[i];
        const abut_status status =
            abut_side_make(&bodies[i].surface, bodies[i].motion, range, &out->sides[i]);
        if (status)
            return status;
        out->scratch[i] = abut_workspace_take(ws, bodies[i].surface.scratch + 1, sizeof(ia));
        if (!out->scratch[i])
            return ABUT_ERR_MEMORY;
        const abut_surface *const surface = &bodies[i].surface;
        out->by_faces[i] = surface->solid && !surface->implicit;
        if (out->by_faces[i]) {
            const abut_status made = abut_placed_surface_make(bodies[i].shape, 0, ws, &out->solids[i]);
            if (made)
                return made;
            out->solids[i].surface = *surface; /* with the side that was found for this time */
            out->solids[i].moved = false;
        }
    }
    out->most = UINT64_MAX;
    out->queue = abut_workspace_take(ws, ABUT_DEEP_QUEUE, sizeof *out->queue);
    const double most = fmax(fabs(range.lo), fabs(range.hi));
    out->length = range.hi - range.lo;
    out->least = fmax(0x1p-45 * (range.hi - range.lo), 4 * DBL_EPSILON * most);
    out->size = size_of(bodies);
    return out->queue ? ABUT_OK : ABUT_ERR_MEMORY;
}

/* ---- kernels ---- */

void abut_deep_place(const abut_deep *d, ia t, abut_deep_time *out)
{
    out->t = t;
    out->defined = true;
    for (int i = 0; i < 2; ++i) {
        abut_relative_over(&d->sides[i], &d->sides[!i], t, &out->to[i]);
        out->defined = out->defined && out->to[i].defined;
    }
}

static bool is_inside(abut_deep *d, int side, ia3 x, ia t)
{
    ++d->evaluations;
    if (abut_deep_spent(d))
        return false;
    if (d->by_faces[side])
        return abut_deep_solid_inside(d, side, x, t);
    return d->parts[side]->surface.implicit &&
           abut_surface_inside(&d->parts[side]->surface, x, t, d->scratch[side]) == ABUT_EVERYWHERE;
}

/* POINT and FACE: every value in the box q gives a common point. */
bool abut_deep_common_box(abut_deep *d, const abut_deep_witness *w, const ia *q, const abut_deep_time *at)
{
    if (!at->defined || abut_deep_spent(d))
        return false;
    if (w->kind == ABUT_DEEP_POINT) {
        const ia3 y = { q[0], q[1], q[2] }, x = abut_relative_point(&at->to[w->side], y).x;
        /* Fields are less work. */
        const bool own_first = d->parts[w->side]->surface.implicit;
        return is_inside(d, own_first ? w->side : !w->side, own_first ? y : x, at->t) &&
               is_inside(d, own_first ? !w->side : w->side, own_first ? x : y, at->t);
    }
    const int side = w->side;
    abut_jet jet;
    ++d->evaluations;
    return abut_feature_jet(&d->parts[side]->surface, w->face[0], q, at->t, 0, d->scratch[side], &jet) &&
           is_inside(d, !side, abut_relative_point(&at->to[side], jet.p).x, at->t);
}

static int dimension_of(const abut_deep_witness *w)
{
    return w->kind == ABUT_DEEP_POINT ? SPACE : 2;
}

/* How long a unit of coordinate i is: the parameters of a face by their ranges. */
static double unit_of(const abut_deep *d, const abut_deep_witness *w, int i)
{
    return w->kind == ABUT_DEEP_POINT ? d->size : w->face[0]->range[i].hi - w->face[0]->range[i].lo;
}

static bool box_holds(abut_deep *d, const abut_deep_witness *w, const double *at, double radius,
                      const abut_deep_time *time)
{
    ia q[SPACE];
    for (int i = 0; i < dimension_of(w); ++i) {
        const double r = radius * unit_of(d, w, i);
        q[i] = ia_make(at[i] - r, at[i] + r);
        if (w->kind == ABUT_DEEP_FACE)
            q[i] = ia_intersect(q[i], ia_from(w->face[0]->range[i]));
        if (ia_is_empty(q[i]))
            return false;
    }
    return abut_deep_common_box(d, w, q, time);
}

/* ---- where a witness lasts ---- */

/* From `from` along a direction; a closed parameter comes back at the other end of its range,
 * others stop there. */
static void step_to(const abut_deep *d, const abut_deep_witness *w, const double *from, const double *way,
                    double far, double *to)
{
    for (int i = 0; i < dimension_of(w); ++i) {
        to[i] = from[i] + way[i] * far * unit_of(d, w, i);
        if (w->kind != ABUT_DEEP_FACE)
            continue;
        const abut_interval range = w->face[0]->range[i];
        if (w->face[0]->wraps[i] && (to[i] < range.lo || to[i] > range.hi))
            to[i] += (to[i] < range.lo ? 1 : -1) * (range.hi - range.lo);
        to[i] = fmin(fmax(to[i], range.lo), range.hi);
    }
}

static bool holds_along(abut_deep *d, const abut_deep_witness *w, const double *way, double far,
                        const abut_deep_time *time)
{
    double to[4] = { 0 };
    step_to(d, w, w->at, way, far, to);
    return box_holds(d, w, to, 0, time);
}

/* How far what is common reaches along a direction. */
static double reach_along(abut_deep *d, const abut_deep_witness *w, const double *way, double first,
                          const abut_deep_time *time)
{
    double far = first, out = 0;
    int i = 0;
    if (!(first > 0) || !isfinite(first))
        return 0;
    for (; i < 60 && far < longest && holds_along(d, w, way, far, time); ++i) {
        out = far;
        far *= 2;
    }
    for (int k = 0; k < (i > 0 ? 3 : 6); ++k) {
        const double mid = 0.5 * out + 0.5 * far;
        if (holds_along(d, w, way, mid, time))
            out = mid;
        else
            far = mid;
    }
    return out;
}

/* To the middle of the chord along a direction; returns its length. */
static double centre_along(abut_deep *d, abut_deep_witness *w, const double *way, double first,
                           const abut_deep_time *time)
{
    const double back[SPACE] = { -way[0], -way[1], -way[2] };
    const double on = reach_along(d, w, way, first, time), off = reach_along(d, w, back, first, time);
    double to[4] = { 0 };
    step_to(d, w, w->at, way, 0.5 * (on - off), to);
    if (box_holds(d, w, to, 0, time))
        memcpy(w->at, to, sizeof to);
    return on + off;
}

/* What is common to bodies that begin to overlap is thin: across it chords are as short as it is
 * thick, and only along it do they lead to its middle. The lengths of chords along the axes and
 * between them tell how it lies. */
static void centre_once(abut_deep *d, abut_deep_witness *w, const abut_deep_time *time, double least)
{
    static const double axes[SPACE][SPACE] = { { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 } };
    const int n = dimension_of(w);
    double normal[SPACE] = { 0, 0, 0 }, chord[SPACE], first = fmax(w->radius, least);
    for (int i = 0; i < n; ++i) {
        chord[i] = fmax(centre_along(d, w, axes[i], first, time), least);
        first = fmax(0.25 * chord[i], least);
    }
    int sharp = 0;
    for (int i = 1; i < n; ++i)
        if (chord[i] < chord[sharp])
            sharp = i;
    for (int i = 0; i < n; ++i) {
        normal[i] = chord[sharp] / chord[i];
        if (i == sharp)
            continue;
        double same[SPACE] = { 0, 0, 0 }, other[SPACE] = { 0, 0, 0 };
        same[sharp] = other[sharp] = 1;
        same[i] = 1;
        other[i] = -1;
        if (reach_along(d, w, same, first, time) > reach_along(d, w, other, first, time))
            normal[i] = -normal[i];
    }
    /* Two directions across the normal; one in the plane. */
    const int next = (sharp + 1) % n;
    double along[SPACE] = { 0, 0, 0 }, across[SPACE];
    along[sharp] = -normal[next];
    along[next] = normal[sharp];
    (void)centre_along(d, w, along, first, time);
    if (n == SPACE) {
        across[0] = normal[1] * along[2] - normal[2] * along[1];
        across[1] = normal[2] * along[0] - normal[0] * along[2];
        across[2] = normal[0] * along[1] - normal[1] * along[0];
        (void)centre_along(d, w, across, first, time);
    }
    (void)centre_along(d, w, normal, first, time);
}

/* How large a box about the witness is common. */
static void measure(abut_deep *d, abut_deep_witness *w, const abut_deep_time *time, double least)
{
    w->radius = fmax(w->radius, least);
    while (w->radius > least && !box_holds(d, w, w->at, w->radius, time))
        w->radius *= 0.25;
    for (int i = 0; i < 60 && w->radius < longest && box_holds(d, w, w->at, 2 * w->radius, time); ++i)
        w->radius *= 2;
}

/* Next to an edge or vertex chords tell little of how the walls lie. */
static void centre_between_walls(abut_deep *d, abut_deep_witness *w, const abut_deep_time *time, double least)
{
    abut_deep_witness next = *w;
    double along[SPACE];
    for (int i = 0; i < 2; ++i) {
        if (!abut_deep_recentre(d, time, &next, along) || !box_holds(d, &next, next.at, 0, time))
            return;
        if (i == 0)
            (void)centre_along(d, &next, along, fmax(w->radius, least), time);
    }
    measure(d, &next, time, least);
    if (next.radius > w->radius)
        *w = next;
}

/* Moves the witness to the middle of what is common there, and finds out how large a box about
 * it is common, too. */
static ABUT_NOINLINE void climb(abut_deep *d, double t, bool *holds)
{
    abut_deep_witness *const w = &d->w;
    abut_deep_time time;
    abut_deep_place(d, ia_point(t), &time);
    *holds = box_holds(d, w, w->at, 0, &time);
    if (!*holds)
        return;
    double size = 0;
    for (int i = 0; i < dimension_of(w); ++i)
        size = fmax(size, fabs(w->at[i]) / unit_of(d, w, i));
    const double least = 4 * DBL_EPSILON * size + DBL_MIN;
    /* Of a body by faces only the box is used that is known to be inside, as large as it can be:
     * points beside it are much work. */
    const bool by_faces = w->kind == ABUT_DEEP_POINT && d->by_faces[w->side];
    for (double part = 256 * least; by_faces && part < longest; part *= 4) {
        const double r = part * d->size;
        const ia3 box = { ia_make(w->at[0] - r, w->at[0] + r), ia_make(w->at[1] - r, w->at[1] + r),
                          ia_make(w->at[2] - r, w->at[2] + r) };
        if (!abut_deep_solid_inside(d, w->side, box, ia_point(t)))
            break;
    }
    d->only_safe = by_faces;
    centre_once(d, w, &time, least);
    measure(d, w, &time, least);
    if (!by_faces)
        centre_between_walls(d, w, &time, least);
    d->only_safe = false;
}

/* ---- over a stretch of time ---- */

/* A point of body `from` on its way through the other. Bodies that slide along each other are far
 * faster than they get deeper, and only the product of gradient and velocity tells. `p`, `rate`:
 * in its own frame, and how it moves there. */
static bool stays_inside(abut_deep *d, int from, ia3 p, ia3 middle, ia3 rate, const abut_deep_time *at)
{
    const abut_surface *const s = &d->parts[!from]->surface;
    const ia mid = ia_point(ia_mid(at->t));
    abut_deep_time then;
    if (!s->implicit || !at->defined || abut_deep_spent(d))
        return false;
    abut_relative r = at->to[from];
    abut_relative_rates(&d->sides[from], &d->sides[!from], &r);
    abut_deep_place(d, mid, &then);
    if (!r.rates_known || !then.defined)
        return false;
    const abut_moved m = abut_relative_point(&r, p);
    const abut_passage path = { .t = at->t,
                                .x = m.x,
                                .rate = abut_relative_velocity(&r, &m, p, rate),
                                .middle_t = mid,
                                .middle = abut_relative_point(&then.to[from], middle).x };
    d->evaluations += 2;
    return abut_surface_stays(s, &path, d->scratch[!from]);
}

static bool point_stays(abut_deep *d, const abut_deep_witness *w, const abut_deep_time *at)
{
    const ia3 y = { ia_point(w->at[0]), ia_point(w->at[1]), ia_point(w->at[2]) };
    return is_inside(d, w->side, y, at->t) && stays_inside(d, w->side, y, y, abut_relative_zero(), at);
}

static bool face_stays(abut_deep *d, const abut_deep_witness *w, const abut_deep_time *at)
{
    const ia q[2] = { ia_point(w->at[0]), ia_point(w->at[1]) };
    const abut_surface *const s = &d->parts[w->side]->surface;
    abut_jet over, middle;
    return abut_feature_jet(s, w->face[0], q, at->t, 1, d->scratch[w->side], &over) &&
           abut_feature_jet(s, w->face[0], q, ia_point(ia_mid(at->t)), 0, d->scratch[w->side], &middle) &&
           stays_inside(d, w->side, over.p, middle.p, over.t, at);
}

static ABUT_NOINLINE void hold_over(abut_deep *d, double lo, double hi, bool *holds)
{
    abut_deep_time time;
    abut_deep_place(d, ia_make(lo, hi), &time);
    *holds = box_holds(d, &d->w, d->w.at, 0, &time);
    if (!*holds && time.defined)
        *holds = d->w.kind == ABUT_DEEP_POINT ? point_stays(d, &d->w, &time) : face_stays(d, &d->w, &time);
}

/* ---- the interface ---- */

bool abut_deep_over(abut_deep *d, double lo, double hi)
{
    bool holds = false;
    if (d->w.kind == ABUT_DEEP_NONE)
        return false;
    const abut_rounding saved = abut_rounding_enter();
    if (d->w.kind == ABUT_DEEP_CROSS)
        holds = abut_deep_cross_over(d, &d->w, lo, hi);
    else
        hold_over(d, lo, hi, &holds);
    abut_rounding_leave(saved);
    return holds;
}

bool abut_deep_improve(abut_deep *d, double t)
{
    bool holds = false;
    if (d->w.kind == ABUT_DEEP_NONE)
        return false;
    const abut_rounding saved = abut_rounding_enter();
    if (d->w.kind == ABUT_DEEP_CROSS)
        holds = abut_deep_decide_cross(d, &d->w, t) && abut_deep_cross_over(d, &d->w, t, t);
    else
        climb(d, t, &holds);
    abut_rounding_leave(saved);
    return holds;
}

static ABUT_NOINLINE bool flip(const abut_deep *d, double t, abut_deep_witness *w)
{
    abut_deep_time time;
    abut_deep_place(d, ia_point(t), &time);
    if (!time.defined)
        return false;
    const ia3 y = { ia_point(w->at[0]), ia_point(w->at[1]), ia_point(w->at[2]) };
    const abut_vec3 x = ia3_mid(abut_relative_point(&time.to[w->side], y).x);
    w->at[0] = x.x;
    w->at[1] = x.y;
    w->at[2] = x.z;
    w->side = !w->side;
    return true;
}

/* With the same point of space, at time t, at rest in the frame of the other body: what is common to
 * a small body and a large one rests in the small one. */
static bool hold_by_other(abut_deep *d, double t, double lo, double hi)
{
    const abut_deep_witness before = d->w;
    if (before.kind != ABUT_DEEP_POINT || d->by_faces[0] || d->by_faces[1])
        return false;
    const abut_rounding saved = abut_rounding_enter();
    const bool flipped = flip(d, t, &d->w);
    abut_rounding_leave(saved);
    if (flipped && abut_deep_over(d, lo, hi))
        return true;
    d->w = before;
    return false;
}

double abut_deep_walk(abut_deep *d, double from, double to, double step)
{
    const double way = to < from ? -1 : 1;
    double at = from, size = fmax(step, d->least);
    for (uint64_t left = abut_work_budget(max_stretches, abut_deep_work(d));
         left > 0 && at != to && size >= d->least; --left) {
        const double end = way * (to - at) > size ? at + way * size : to;
        const double lo = fmin(at, end), hi = fmax(at, end);
        if (lo == hi)
            break;
        if (abut_deep_over(d, lo, hi)) {
            at = end;
            size *= 2;
            continue;
        }
        const abut_deep_witness before = d->w;
        if (abut_deep_improve(d, 0.5 * lo + 0.5 * hi) && abut_deep_over(d, lo, hi)) {
            at = end;
            continue;
        }
        d->w = before; /* which holds at `at` */
        if (hold_by_other(d, at, lo, hi)) {
            at = end;
            continue;
        }
        size *= 0.5;
    }
    return at;
}
