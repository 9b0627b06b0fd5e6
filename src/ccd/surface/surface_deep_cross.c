/* SPDX-License-Identifier: MIT */
/* That two parametric faces cross, all through a stretch of time. Of the four parameters one is
 * held fixed: a line on one of the faces, which meets the other face in a point. For that there
 * are three equations x1 - p2 = 0 in three unknowns, with the time as an interval, and
 * Krawczyk's test over all of it: where it maps a box into itself, there is a zero in the box at
 * every instant. */
#include "ccd/surface/surface_deep.h"

#include "math/vec3.h"

enum { SPACE = 3, PARAMETERS = 4, newton_steps = 12, boxes = 3 };

typedef struct crossing {
    ia3 f;                   /* x1 - p2 in the frame of body 1 */
    ia3 columns[PARAMETERS]; /* its derivatives */
} crossing;

static bool enclose(abut_deep *d, const abut_deep_witness *w, const ia *q, const abut_deep_time *at,
                    int order, crossing *out)
{
    abut_jet one, two;
    d->evaluations += 2;
    if (abut_deep_spent(d) ||
        !abut_feature_jet(&d->parts[0]->surface, w->face[0], q, at->t, order, d->scratch[0], &one) ||
        !abut_feature_jet(&d->parts[1]->surface, w->face[1], q + 2, at->t, order, d->scratch[1], &two))
        return false;
    out->f = ia3_sub(abut_relative_point(&at->to[0], one.p).x, two.p);
    if (order > 0) {
        out->columns[0] = abut_relative_direction(&at->to[0], one.u);
        out->columns[1] = abut_relative_direction(&at->to[0], one.v);
        out->columns[2] = ia3_neg(two.u);
        out->columns[3] = ia3_neg(two.v);
    }
    return true;
}

static abut_interval range_of(const abut_deep_witness *w, int i)
{
    return w->face[i / 2]->range[i % 2];
}

static bool wraps(const abut_deep_witness *w, int i)
{
    return w->face[i / 2]->wraps[i % 2];
}

/* The inverse of the matrix with these columns, by rows; false where it has none. */
static bool invert(const abut_vec3 c[SPACE], abut_vec3 rows[SPACE])
{
    const abut_vec3 across[SPACE] = { abut_cross(c[1], c[2]), abut_cross(c[2], c[0]),
                                      abut_cross(c[0], c[1]) };
    const double det = abut_dot(c[0], across[0]);
    if (!(fabs(det) > 0))
        return false;
    for (int i = 0; i < SPACE; ++i)
        rows[i] = abut_scale(1 / det, across[i]);
    return abut_is_finite3(rows[0]) && abut_is_finite3(rows[1]) && abut_is_finite3(rows[2]);
}

/* The least change of the parameters that are not frozen which leads to a common point, in parts
 * of their ranges; false where there is none. */
static bool find_step(const abut_deep_witness *w, const crossing *at, const bool frozen[PARAMETERS],
                      double step[PARAMETERS])
{
    abut_vec3 c[PARAMETERS], rows[SPACE], normal[SPACE] = { { 0, 0, 0 }, { 0, 0, 0 }, { 0, 0, 0 } };
    for (int i = 0; i < PARAMETERS; ++i) {
        const abut_interval range = range_of(w, i);
        c[i] = abut_scale(frozen[i] ? 0 : range.hi - range.lo, ia3_mid(at->columns[i]));
        normal[0] = abut_madd(normal[0], c[i].x, c[i]);
        normal[1] = abut_madd(normal[1], c[i].y, c[i]);
        normal[2] = abut_madd(normal[2], c[i].z, c[i]);
    }
    if (!invert(normal, rows))
        return false;
    const abut_vec3 f = ia3_mid(at->f);
    const abut_vec3 y = abut_v3(abut_dot(rows[0], f), abut_dot(rows[1], f), abut_dot(rows[2], f));
    for (int i = 0; i < PARAMETERS; ++i)
        step[i] = -abut_dot(c[i], y);
    return true;
}

/* At an end of its range, and to go beyond: at the edge of a sheet. */
static bool leaves(const abut_deep_witness *w, int i, double step)
{
    const abut_interval range = range_of(w, i);
    return !wraps(w, i) && ((w->at[i] <= range.lo && step < 0) || (w->at[i] >= range.hi && step > 0));
}

/* One step of Newton's method to the nearest common point. One parameter may be held; if none
 * is, one that would leave its range is. */
static bool step_nearer(abut_deep_witness *w, const crossing *at, int held)
{
    double step[PARAMETERS];
    bool frozen[PARAMETERS] = { false, false, false, false };
    if (held >= 0)
        frozen[held] = true;
    if (!find_step(w, at, frozen, step))
        return false;
    for (int i = 0; i < PARAMETERS && held < 0; ++i)
        if (leaves(w, i, step[i])) {
            frozen[i] = true;
            if (!find_step(w, at, frozen, step))
                return false;
            break;
        }
    for (int i = 0; i < PARAMETERS; ++i) {
        const abut_interval range = range_of(w, i);
        const double length = range.hi - range.lo;
        w->at[i] += fmin(fmax(step[i], -0.25), 0.25) * length;
        if (wraps(w, i) && (w->at[i] < range.lo || w->at[i] > range.hi))
            w->at[i] += (w->at[i] < range.lo ? 1 : -1) * length;
        w->at[i] = fmin(fmax(w->at[i], range.lo), range.hi);
    }
    return true;
}

static ABUT_NOINLINE void decide(abut_deep *d, abut_deep_witness *w, int held, double t, bool *close)
{
    abut_deep_time time;
    crossing at;
    double size = 0, best = HUGE_VAL;
    *close = false;
    abut_deep_place(d, ia_point(t), &time);
    if (!time.defined)
        return;
    for (int i = 0; i < newton_steps; ++i) {
        ia q[PARAMETERS];
        for (int k = 0; k < PARAMETERS; ++k)
            q[k] = ia_point(w->at[k]);
        if (!enclose(d, w, q, &time, 1, &at))
            return;
        const double far = abut_length(ia3_mid(at.f));
        for (int k = 0; k < PARAMETERS; ++k)
            size = fmax(size, abut_length(ia3_mid(at.columns[k])));
        *close = far <= 1e-10 * size;
        if (far <= 1e-15 * size || (*close && far >= 0.5 * best) || !step_nearer(w, &at, held))
            return;
        best = far;
    }
}

bool abut_deep_decide_cross(abut_deep *d, abut_deep_witness *w, double t)
{
    return abut_deep_decide_line(d, w, -1, t);
}

bool abut_deep_decide_line(abut_deep *d, abut_deep_witness *w, int held, double t)
{
    bool close;
    decide(d, w, held, t, &close);
    return close;
}

/* Which parameter is held: in the order of how much the other three derivatives span, in parts of
 * the ranges. */
static void order_held(const abut_deep_witness *w, const crossing *at, int order[PARAMETERS])
{
    double volumes[PARAMETERS];
    for (int held = 0; held < PARAMETERS; ++held) {
        abut_vec3 c[SPACE];
        for (int i = 0, k = 0; i < PARAMETERS; ++i)
            if (i != held)
                c[k++] = abut_scale(range_of(w, i).hi - range_of(w, i).lo, ia3_mid(at->columns[i]));
        volumes[held] = fabs(abut_dot(c[0], abut_cross(c[1], c[2])));
        int place = held;
        for (; place > 0 && volumes[order[place - 1]] < volumes[held]; --place)
            order[place] = order[place - 1];
        order[place] = held;
    }
}

static ia dot_row(abut_vec3 row, ia3 x)
{
    return ia3_dot(ia3_point(row), x);
}

/* Krawczyk's operator on the box z + e, less z; false where the faces are not defined there. */
static bool krawczyk(abut_deep *d, const abut_deep_witness *w, const abut_deep_time *time, int held,
                     const abut_vec3 rows[SPACE], const ia *first, const ia *e, ia *out)
{
    ia q[PARAMETERS];
    crossing over;
    int of[SPACE];
    for (int i = 0, k = 0; i < PARAMETERS; ++i) {
        q[i] = ia_point(w->at[i]);
        if (i == held)
            continue;
        q[i] = ia_add(q[i], e[k]);
        if (!wraps(w, i) && !ia_subset(q[i], ia_from(range_of(w, i))))
            return false;
        of[k++] = i;
    }
    if (!enclose(d, w, q, time, 1, &over))
        return false;
    for (int i = 0; i < SPACE; ++i) {
        out[i] = first[i];
        for (int k = 0; k < SPACE; ++k) {
            const ia entry = ia_sub(ia_point(i == k), dot_row(rows[i], over.columns[of[k]]));
            out[i] = ia_add(out[i], ia_mul(entry, e[k]));
        }
    }
    return true;
}

static bool cross_line(abut_deep *d, const abut_deep_witness *w, const abut_deep_time *time,
                       const crossing *at, int held)
{
    ia first[SPACE], e[SPACE], next[SPACE];
    abut_vec3 c[SPACE], rows[SPACE];
    for (int i = 0, k = 0; i < PARAMETERS; ++i)
        if (i != held)
            c[k++] = ia3_mid(at->columns[i]);
    if (!invert(c, rows))
        return false;
    for (int i = 0, k = 0; i < PARAMETERS; ++i) {
        if (i == held)
            continue;
        first[k] = ia_neg(dot_row(rows[k], at->f));
        const double wide = 1.5 * ia_mag(first[k]) + 8 * DBL_EPSILON * (1 + fabs(w->at[i]));
        e[k++] = ia_make(-wide, wide);
    }
    for (int i = 0; i < boxes; ++i) {
        if (!krawczyk(d, w, time, held, rows, first, e, next))
            return false;
        bool holds = true;
        for (int k = 0; k < SPACE; ++k) {
            holds = holds && ia_is_finite(next[k]) && ia_interior(next[k], e[k]);
            const double wide = fmax(1.5 * ia_mag(next[k]), ia_mag(e[k]));
            e[k] = ia_make(-wide, wide);
        }
        if (holds)
            return true;
    }
    return false;
}

static ABUT_NOINLINE void cross(abut_deep *d, const abut_deep_witness *w, double lo, double hi, bool *holds)
{
    abut_deep_time time;
    crossing at;
    ia q[PARAMETERS];
    int order[PARAMETERS];
    *holds = false;
    abut_deep_place(d, ia_make(lo, hi), &time);
    for (int i = 0; i < PARAMETERS; ++i)
        q[i] = ia_point(w->at[i]);
    if (!time.defined || !enclose(d, w, q, &time, 1, &at))
        return;
    order_held(w, &at, order);
    for (int i = 0; i < PARAMETERS && !*holds; ++i)
        *holds = cross_line(d, w, &time, &at, order[i]);
}

bool abut_deep_cross_over(abut_deep *d, const abut_deep_witness *w, double lo, double hi)
{
    bool holds;
    cross(d, w, lo, hi, &holds);
    return holds;
}
