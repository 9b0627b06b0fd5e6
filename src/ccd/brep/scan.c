/* SPDX-License-Identifier: MIT */
/* Conservative advancement of CAD solids (Mirtich 1996), both ways: through free time by the distance,
 * through contact by the depth of a point inside both.
 *
 * At an instant t the static search proves that the bodies are d apart, or that a ball of radius d is
 * inside both. Until t + s, where no point of either body has moved further than what adds up to d,
 * that cannot change: the stretch is apart, or deep. Where s is less than the least step, the
 * stretch is unknown; unknown steps grow, so that contacts that last without depth (a bolt that lies
 * on its plate) end. Speeds are bounded over the stretch that is taken, which is found by shrinking:
 * the bound over a long stretch first, then over the shorter one that it allows. */
#include "ccd/brep/solids.h"
#include "math/vec3.h"
#include "narrow/brep/solids.h"
#include "narrow/cover/pairs.h"

#include <math.h>

typedef struct walk {
    abut_moving *m;
    abut_workspace *ws;
    double reach_a, reach_b; /* of the bodies from their origins */
    double least;            /* step in time */
} walk;

typedef struct look {
    int sign;    /* 1 apart, -1 deep, 0 unknown */
    double size; /* the distance or depth, proved */
    abut_check_result found;
} look;

static double reach_of(const abut_shape *shape)
{
    const abut_aabb b = shape->bounds;
    const abut_vec3 far = { fmax(fabs(b.lo.x), fabs(b.hi.x)), fmax(fabs(b.lo.y), fabs(b.hi.y)),
                            fmax(fabs(b.lo.z), fabs(b.hi.z)) };
    return abut_length(far) * (1 + 0x1p-40);
}

/* Speed of the points of one body against its rest, from above; infinite where it is not known. */
static double speed_of(const abut_motion *motion, double reach, double lo, double hi)
{
    double travel, speed;
    if (!motion)
        return 0;
    if (!isfinite(reach)) {
        /* A half-space: only where it does not move. */
        const abut_status status =
            abut_motion_travel_bound(motion, (abut_interval){ lo, hi }, 1e6, &travel, &speed);
        return status || speed > 0 ? INFINITY : 0;
    }
    if (abut_motion_travel_bound(motion, (abut_interval){ lo, hi }, reach, &travel, &speed))
        return INFINITY;
    return speed;
}

static double closing(const walk *w, double lo, double hi)
{
    return speed_of(w->m->motion_a, w->reach_a, lo, hi) + speed_of(w->m->motion_b, w->reach_b, lo, hi);
}

/* How long from t on the bodies move by less than `size`. Any bound of the speed over a stretch is good
 * for as much of that stretch as it allows; shorter stretches may have smaller ones. */
static double step_of(const walk *w, double t, double size)
{
    double until = w->m->range.hi, best = 0;
    for (int i = 0; i < 5; ++i) {
        const double speed = closing(w, t, until);
        const double room = speed > 0 ? (size / speed) * (1 - 1e-9) : INFINITY;
        best = fmax(best, fmin(room, until - t));
        if (t + room >= until)
            break;
        until = t + 2 * room;
        if (!(until > t))
            break;
    }
    return best;
}

static abut_status examine(const walk *w, double t, look *out)
{
    const abut_moving *m = w->m;
    abut_place at_a, at_b;
    abut_status status = abut_place_from_motion(m->motion_a, t, &at_a);
    if (!status)
        status = abut_place_from_motion(m->motion_b, t, &at_b);
    if (status)
        return status;
    const abut_ask ask = { .want = ABUT_WANT_DISTANCE, .cutoff = INFINITY, .relative = 0.2 };
    const abut_pair pair = { m->a, m->b, &at_a, &at_b, &ask };
    out->found = (abut_check_result){ 0 };
    status = abut_narrow_solids(&pair, w->ws, &out->found);
    if (status)
        return status;
    m->counters->evaluations += out->found.counters.evaluations;
    out->sign = 0;
    out->size = 0;
    if (out->found.verdict == ABUT_SEPARATE) {
        out->sign = 1;
        out->size = out->found.distance.lo;
    } else if (out->found.verdict == ABUT_PENETRATING) {
        abut_vec3 point = out->found.contacts[0].point;
        out->size = abut_solids_common_depth(&pair, &point);
        out->sign = -1;
    }
    return ABUT_OK;
}

static void remember(abut_moving *m, double t, const look *l)
{
    if (l->sign <= 0 || !l->found.has_points)
        return;
    m->touch = (abut_moving_touch){ .known = true,
                                    .t = t,
                                    .point = abut_scale(0.5, abut_add(l->found.point_a, l->found.point_b)),
                                    .normal = l->found.normal,
                                    .features = { l->found.contacts[0].features[0],
                                                  l->found.contacts[0].features[1] } };
}

static abut_status run(walk *w, abut_runs *runs)
{
    abut_moving *m = w->m;
    const double end = m->range.hi;
    double t = m->range.lo, unknown = w->least;
    bool wanted = true, contact = false;
    while (wanted && t < end) {
        look l;
        if (m->counters->iterations++ >= m->max_iterations) {
            m->stop = ABUT_STOP_BUDGET;
            (void)abut_runs_add(runs, ABUT_CELL_UNKNOWN, t, end, false);
            return ABUT_OK;
        }
        const abut_status status = examine(w, t, &l);
        if (status)
            return status;
        if (m->progress && !m->progress(m->progress_ctx, (t - m->range.lo) / (end - m->range.lo))) {
            m->cancelled = true;
            return ABUT_OK;
        }
        if (!contact)
            remember(m, t, &l);
        double step = l.size > 0 ? step_of(w, t, l.size) : 0;
        abut_run_cell cell = l.sign > 0 ? ABUT_CELL_APART : ABUT_CELL_DEEP;
        if (!(step >= w->least)) {
            /* For the first contact the instant of a proved overlap counts; for intervals it would
             * leave doubts inside. */
            if (l.sign < 0 && m->first_only)
                wanted = abut_runs_add(runs, cell, t, t, false);
            cell = ABUT_CELL_UNKNOWN;
            step = unknown;
            unknown *= 2;
        } else
            unknown = w->least;
        contact = contact || l.sign < 0;
        double next = fmin(end, t + step);
        if (next <= t)
            next = nextafter(t, INFINITY);
        wanted = wanted && abut_runs_add(runs, cell, t, next, false);
        t = next;
    }
    return ABUT_OK;
}

abut_status abut_solids_scan(abut_moving *m, abut_run_fn emit, void *ctx)
{
    abut_workspace own;
    abut_runs runs;
    const double length = m->range.hi - m->range.lo;
    walk w = { .m = m, .ws = m->ws, .reach_a = reach_of(m->a), .reach_b = reach_of(m->b) };
    w.least = fmax(m->accuracy, 1e-10 * fmax(length, 1e-3 * fmax(fabs(m->range.lo), fabs(m->range.hi))));
    /* A half-space that moves: its speed is bounded only where the other body is. Rounded hulls and
     * meshes that are surfaces or have several pieces are examined by covers. */
    if (!isfinite(closing(&w, m->range.lo, m->range.hi)) || abut_cover_replaces_solids(m->a) ||
        abut_cover_replaces_solids(m->b))
        return abut_static_scan(m, emit, ctx);
    if (!w.ws) {
        abut_workspace_open(&own, &m->a->alloc);
        w.ws = &own;
    }
    m->inexact = true;
    abut_runs_begin(&runs, m->range, m->accuracy, emit, ctx);
    const abut_status status = run(&w, &runs);
    if (!status && !m->cancelled)
        abut_runs_end(&runs);
    if (w.ws == &own)
        abut_workspace_close(&own);
    return status ? status : m->cancelled ? ABUT_ERR_CANCELLED : ABUT_OK;
}
