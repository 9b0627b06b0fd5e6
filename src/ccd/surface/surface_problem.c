/* SPDX-License-Identifier: MIT */
/* What the problems of contact have in common: sizes, the relative placement of a thread, the
 * incoming constraints, tracked points.
 *
 * The incoming constraints are necessary for a first contact of solids that were apart before; m
 * are outward normals at the point, w is the velocity of the point of one against that of two: A
 * w . m <= 0 for some normal m of two: the point of one was not inside two just before; B  w . n
 * >= 0 for some normal n of one: the same for the point of two; C  n . m <= 0 for some n and m:
 * their interiors do not meet. For smooth points "some" is "the"; the note proves them for edges
 * and vertices, convex or not. Of sheets no normal says anything. */
#include "ccd/surface/surface_problem.h"

int abut_contact_unknowns(const abut_contact_problem *p)
{
    switch (p->form) {
    case ABUT_FORM_PARAMETRIC: return p->feature_one->dimension + p->feature_two->dimension + 1;
    case ABUT_FORM_MIXED: return p->feature_one->dimension + 1;
    case ABUT_FORM_BIRTH: return p->free_count + 1;
    case ABUT_FORM_IMPLICIT:
    default: return 4;
    }
}

/* Contact alone leaves a set of dimension k1 + k2 + 1 - 3 in space and time; that many equations
 * of tangency make it points, if any. */
int abut_contact_equations(const abut_contact_problem *p)
{
    if (p->form == ABUT_FORM_BIRTH)
        return abut_birth_equations(p);
    const int k1 = p->feature_one->dimension, k2 = p->feature_two->dimension;
    const int tangency = p->stage->no_tangency || k1 + k2 <= 2 ? 0 : k1 + k2 - 2;
    switch (p->form) {
    case ABUT_FORM_PARAMETRIC: return 3 + tangency;
    case ABUT_FORM_MIXED: return 3 - k2 + tangency;
    case ABUT_FORM_IMPLICIT:
    default: /* two faces: all of the cross product */ return 6 - k1 - k2 + (tangency == 2 ? 3 : tangency);
    }
}

static size_t slot_of(const abut_relative_side *one, ia t)
{
    uint64_t bits[2];
    memcpy(bits, &t, sizeof bits);
    const uint64_t mixed = (bits[0] * 0x9e3779b97f4a7c15u) ^ (bits[1] * 0xbf58476d1ce4e5b9u) ^
                           ((uint64_t)(uintptr_t)one * 0x94d049bb133111ebu);
    return (size_t)((mixed ^ mixed >> 29) * 0x9e3779b97f4a7c15u >> 58);
}

const abut_relative *abut_contact_relative(const abut_contact_problem *p, ia t, bool rates, int thread)
{
    if (p->reversed)
        t = ia_neg(t);
    abut_relative *const r = &p->stage->threads[thread].relative[slot_of(p->one, t)];
    /* The two sides of a pair are together, so that `one` says which pair and in whose frame. */
    if (r->of != p->one || ia_lo(r->t) != ia_lo(t) || ia_hi(r->t) != ia_hi(t)) {
        abut_relative_over(p->one, p->two, t, r);
        r->of = r->defined ? p->one : NULL; /* otherwise t may have been cut */
    }
    if (rates && !r->rates)
        abut_relative_rates(p->one, p->two, r);
    return r;
}

static size_t jet_slot_of(const abut_surface_feature *f, const ia *x, int order)
{
    uint64_t mixed = (uint64_t)(uintptr_t)f + (uint64_t)order, bits[2];
    for (int i = 0; i < f->dimension; ++i) {
        memcpy(bits, &x[i], sizeof bits);
        mixed = (mixed ^ bits[0]) * 0x9e3779b97f4a7c15u;
        mixed = ((mixed ^ mixed >> 32) ^ bits[1]) * 0xbf58476d1ce4e5b9u;
        mixed ^= mixed >> 32;
    }
    return (size_t)(mixed * 0x94d049bb133111ebu >> 32) % ABUT_STAGE_JETS;
}

static bool is_jet_of(const abut_known_jet *known, const abut_surface *s, const abut_surface_feature *f,
                      const ia *x, int order)
{
    bool same = known->of == f && known->body == s->body && known->order == order && !s->deforms;
    for (int i = 0; same && i < f->dimension; ++i)
        same = ia_lo(known->parameters[i]) == ia_lo(x[i]) && ia_hi(known->parameters[i]) == ia_hi(x[i]);
    return same;
}

/* What is kept has the bits that it would get again, so that no answer depends on what a thread
 * saw before. */
const abut_known_jet *abut_contact_jet(const abut_contact_problem *p, int side, const ia *x, ia t, int order,
                                       int thread)
{
    const abut_surface_feature *const f = side ? p->feature_two : p->feature_one;
    const abut_surface *const s = side ? p->two->surface : p->one->surface;
    abut_stage_thread *const own = &p->stage->threads[thread];
    abut_known_jet *const known = &own->jets[side][jet_slot_of(f, x, order)];
    if (is_jet_of(known, s, f, x, order))
        return known;
    known->defined = abut_feature_jet(s, f, x, t, order, own->scratch[side], &known->jet);
    known->of = f;
    known->body = s->body;
    known->order = order;
    for (int i = 0; i < f->dimension; ++i)
        known->parameters[i] = x[i];
    return known;
}

void abut_contact_enclose(const void *ctx, const ia *x, int order, int thread, abut_system *out)
{
    const abut_contact_problem *const p = ctx;
    switch (p->form) {
    case ABUT_FORM_PARAMETRIC: abut_contact_parametric(p, x, order, thread, out); break;
    case ABUT_FORM_MIXED: abut_contact_mixed(p, x, order, thread, out); break;
    case ABUT_FORM_BIRTH: abut_contact_birth(p, x, order, thread, out); break;
    case ABUT_FORM_IMPLICIT:
    default: abut_contact_implicit(p, x, order, thread, out); break;
    }
    if (p->reversed && order > 0) {
        const int last = abut_contact_unknowns(p) - 1, rows = abut_contact_equations(p);
        for (int i = 0; i < rows; ++i)
            out->jacobian[i][last] = ia_neg(out->jacobian[i][last]);
    }
}

/* ---- incoming ---- */

/* "Some of them is <= 0", one by one: true where one is everywhere, false where none is
 * anywhere. */
static void join(ia value, int *holds)
{
    const int each = ia_hi(value) <= 0 ? 1 : ia_lo(value) > 0 ? -1 : 0;
    if (each > *holds)
        *holds = each;
}

int abut_incoming_holds(abut_incoming *in, bool reversed)
{
    int holds = 1;
    if (reversed) {
        in->velocity = ia3_neg(in->velocity);
        for (int j = 0; j < in->count_two && in->has_rates; ++j)
            in->rates_two[j] = ia_neg(in->rates_two[j]);
    }
    if (in->count_two > 0 && (in->has_velocity || in->has_rates)) {
        int enters = -1;
        for (int j = 0; j < in->count_two; ++j)
            join(in->has_rates ? in->rates_two[j] : ia3_dot(in->velocity, in->normals_two[j]), &enters);
        holds = abut_holds_and(holds, enters);
    }
    if (in->count_one > 0 && in->has_velocity) {
        int enters = -1;
        for (int i = 0; i < in->count_one; ++i)
            join(ia_neg(ia3_dot(in->velocity, in->normals_one[i])), &enters);
        holds = abut_holds_and(holds, enters);
    }
    if (holds >= 0 && in->count_one > 0 && in->count_two > 0) {
        int faces = -1;
        for (int i = 0; i < in->count_one; ++i)
            for (int j = 0; j < in->count_two; ++j)
                join(ia3_dot(in->normals_one[i], in->normals_two[j]), &faces);
        holds = abut_holds_and(holds, faces);
    }
    return holds;
}

int abut_tracked_holds(const abut_stage *stage, ia3 place, ia t)
{
    int holds = 1;
    for (size_t i = 0; i < stage->tracked_count && holds >= 0; ++i) {
        const abut_tracked_point *const each = &stage->tracked[i];
        ia_affine at = { .translation = abut_relative_zero() };
        if (each->path) {
            const ia cut = ia_intersect(t, ia_make(each->path->t0, each->path->t1));
            if (ia_is_empty(cut)) /* not tracked then */
                continue;
            if (!abut_motion_placement_over(each->path, cut, &at))
                return 0;
            if (!ia_subset(t, cut))
                holds = 0;
        }
        const ia gap = ia_sub(ia3_sqr_norm(ia3_sub(place, at.translation)), ia_sqr(ia_point(each->radius)));
        if (ia_hi(gap) < 0 && (!each->path || ia_subset(t, ia_make(each->path->t0, each->path->t1))))
            return -1;
        if (!(ia_lo(gap) >= 0))
            holds = 0;
    }
    return holds;
}
