/* SPDX-License-Identifier: MIT */
/* Whether a box is inside a solid that is known by the parameters of its faces only, all through
 * a stretch of time. No face meets it, shown by halving their parameters, and its middle is
 * inside at one instant, by the crossings of a ray: so all of it is, and all that time, as that
 * is connected. What was shown last is kept: a witness that rests in the frame of such a body is
 * asked for again and again. */
#include "ccd/surface/surface_deep.h"

#include "narrow/surface/line_surface.h"

enum { STACK = 64, budget = 600 };

typedef struct cell {
    abut_interval q[2];
} cell;

static bool apart(ia3 a, ia3 b)
{
    return ia3_is_empty(ia3_intersect(a, b));
}

static bool within(ia3 a, ia3 b)
{
    return ia_subset(a.x, b.x) && ia_subset(a.y, b.y) && ia_subset(a.z, b.z);
}

static double size_of(ia3 a)
{
    return fmax(ia_width(a.x), fmax(ia_width(a.y), ia_width(a.z)));
}

/* How large the image of a cell is that is narrow in parameter k. */
static double size_across(const abut_surface *s, const abut_surface_feature *f, const ia *q, int k, ia t,
                          ia *scratch)
{
    abut_jet jet;
    ia thin[2] = { q[0], q[1] };
    thin[k] = ia_point(ia_mid(q[k]));
    return abut_feature_jet(s, f, thin, t, 0, scratch, &jet) ? size_of(jet.p) : 0;
}

/* False: it meets the box, or that is not known. */
static bool face_is_clear(abut_deep *d, int side, const abut_surface_feature *f, ia3 box, ia t, int *left)
{
    const abut_surface *const s = &d->parts[side]->surface;
    cell stack[STACK];
    int count = 1;
    stack[0] = (cell){ { f->range[0], f->range[1] } };
    while (count > 0) {
        const cell c = stack[--count];
        const ia q[2] = { ia_from(c.q[0]), ia_from(c.q[1]) };
        const ia middle[2] = { ia_point(ia_mid(q[0])), ia_point(ia_mid(q[1])) };
        abut_jet jet;
        ++d->evaluations;
        if (--*left < 0 || abut_deep_spent(d))
            return false;
        const bool defined = abut_feature_jet(s, f, q, t, 0, d->scratch[side], &jet);
        if (defined && apart(jet.p, box))
            continue;
        if (count + 2 > STACK ||
            !abut_feature_jet(s, f, middle, ia_point(ia_mid(t)), 0, d->scratch[side], &jet) ||
            !apart(jet.p, box))
            return false;
        const int k =
            size_across(s, f, q, 0, t, d->scratch[side]) > size_across(s, f, q, 1, t, d->scratch[side]);
        const double mid = ia_mid(q[k]);
        if (!(c.q[k].lo < mid && mid < c.q[k].hi))
            return false;
        stack[count] = stack[count + 1] = c;
        stack[count].q[k].hi = mid;
        stack[count + 1].q[k].lo = mid;
        count += 2;
    }
    return true;
}

/* Where a feature is in that time. */
static ia3 box_of(const abut_deep *d, int side, size_t feature, ia t)
{
    const abut_surface *const s = &d->parts[side]->surface;
    const abut_surface_feature *const f = &s->features[feature];
    const ia3 always = ia3_from(&d->parts[side]->boxes[feature]);
    const ia q[2] = { ia_from(f->range[0]), ia_from(f->range[1]) };
    abut_jet jet;
    if (!s->deforms || !f->parametric || !abut_feature_jet(s, f, q, t, 0, d->scratch[side], &jet))
        return always;
    return ia3_intersect(always, jet.p);
}

static bool is_clear(abut_deep *d, int side, ia3 box, ia t)
{
    const abut_surface *const s = &d->parts[side]->surface;
    int left = (int)abut_work_budget(budget, s->work);
    for (size_t i = 0; i < s->feature_count; ++i) {
        const abut_surface_feature *const f = &s->features[i];
        /* Edges are parts of faces; a vertex may be a pole, at which rounded ranges leave a
         * hole. */
        if (f->dimension == 1 || apart(box_of(d, side, i, t), box))
            continue;
        if (f->dimension == 0 || !f->parametric || !face_is_clear(d, side, f, box, t, &left))
            return false;
    }
    return abut_surface_seams_avoid(s, box, t, &left, d->scratch[side]);
}

/* By a ray, at an instant. */
static bool holds(abut_deep *d, int side, ia3 x, double t)
{
    abut_placed_surface *const s = &d->solids[side];
    if (d->parts[side]->surface.deforms) {
        s->t = t;
        s->bounds = abut_surface_bounds(&s->surface, ia_point(t), s->scratch);
    }
    return abut_surface_classify(s, ia3_point(ia3_mid(x))) == ABUT_EVERYWHERE;
}

bool abut_deep_solid_inside(abut_deep *d, int side, ia3 x, ia t)
{
    const ia3 known = ia3_from(&d->safe[side]);
    const ia when = d->parts[side]->surface.deforms ? ia_from(d->safe_time[side]) : t;
    const bool has = d->has_safe[side];
    if (has && within(x, known) && ia_subset(t, when))
        return true;
    if (d->only_safe || ia3_is_empty(x) || !is_clear(d, side, x, t))
        return false;
    const bool joined = has && !apart(x, known) && !ia_is_empty(ia_intersect(t, when));
    if (!joined && !holds(d, side, x, ia_mid(t)))
        return false;
    d->safe[side] = ia3_to(x);
    d->safe_time[side] = ia_to(t);
    d->has_safe[side] = true;
    return true;
}
