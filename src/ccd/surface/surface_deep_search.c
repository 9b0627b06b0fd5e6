/* SPDX-License-Identifier: MIT */
/* Where two bodies may have a point in common at one instant: regions are halved in turn,
 * breadth first, so that large overlaps are found first, and points far inside them. What is
 * found is a guess until surface_deep.c has proved it. */
#include "ccd/surface/surface_deep.h"

#include "narrow/surface/surface_pair.h"

typedef struct hunt {
    abut_deep *d;
    abut_deep_time time;
    double t;
    size_t head, count; /* of the queue, a ring */
    uint64_t budget;
    int dimension;
    double unit[4]; /* sides are halved in turn, by these */
    bool found;
    bool ran;  /* all of what they may share was examined, unless some was lost */
    bool lost; /* regions were given up: that none is found proves nothing */
} hunt;

static void push(hunt *h, const abut_deep_region *region)
{
    if (h->count == ABUT_DEEP_QUEUE) {
        h->lost = true;
        return;
    }
    h->d->queue[(h->head + h->count++) % ABUT_DEEP_QUEUE] = *region;
}

static void halve(hunt *h, const abut_deep_region *region, const double *unit)
{
    int k = 0;
    double most = 0;
    for (int i = 0; i < h->dimension; ++i) {
        const double part = (region->q[i].hi - region->q[i].lo) / unit[i];
        if (part > most) {
            most = part;
            k = i;
        }
    }
    const double mid = 0.5 * region->q[k].lo + 0.5 * region->q[k].hi;
    if (!(most > 0x1p-30) || !(region->q[k].lo < mid && mid < region->q[k].hi)) {
        h->lost = true;
        return;
    }
    abut_deep_region half = *region;
    half.q[k].hi = mid;
    push(h, &half);
    half = *region;
    half.q[k].lo = mid;
    push(h, &half);
}

static bool next(hunt *h, abut_deep_region *region)
{
    const bool spent = h->budget == 0 || abut_deep_spent(h->d);
    h->lost = h->lost || (h->count > 0 && spent);
    if (h->count == 0 || spent || h->found)
        return false;
    --h->budget;
    *region = h->d->queue[h->head];
    h->head = (h->head + 1) % ABUT_DEEP_QUEUE;
    --h->count;
    return true;
}

static void middle_of(const abut_deep_region *region, int n, double *at)
{
    for (int i = 0; i < n; ++i)
        at[i] = 0.5 * region->q[i].lo + 0.5 * region->q[i].hi;
}

/* Whether w, with the middle of the region, is common. */
static bool try_middle(hunt *h, const abut_deep_region *region, abut_deep_witness *w)
{
    ia q[4];
    middle_of(region, h->dimension, w->at);
    for (int i = 0; i < h->dimension; ++i)
        q[i] = ia_point(w->at[i]);
    if (!abut_deep_common_box(h->d, w, q, &h->time))
        return false;
    w->radius = 0;
    h->d->w = *w;
    h->found = true;
    return true;
}

/* ---- in space ---- */

static bool has_end(ia3 a)
{
    return ia_is_finite(a.x) && ia_is_finite(a.y) && ia_is_finite(a.z);
}

static bool is_outside(const abut_deep *d, int side, ia3 x, ia t)
{
    const abut_surface *const s = &d->parts[side]->surface;
    return s->implicit && abut_surface_inside(s, x, t, d->scratch[side]) == ABUT_NOWHERE;
}

/* Both by fields, in the frame of `side`. */
static bool walls_part(const hunt *h, int side, ia3 x)
{
    const abut_deep *const d = h->d;
    const abut_relative *const r = &h->time.to[side];
    const ia3 middle = ia3_point(ia3_mid(x));
    const ia zero = ia_point(0), one = ia_point(1);
    const ia3 way[3] = { abut_relative_direction(r, (ia3){ one, zero, zero }),
                         abut_relative_direction(r, (ia3){ zero, one, zero }),
                         abut_relative_direction(r, (ia3){ zero, zero, one }) };
    abut_walls own, other;
    if (!d->parts[0]->surface.implicit || !d->parts[1]->surface.implicit)
        return false;
    abut_walls_over(&d->parts[side]->surface, x, middle, h->time.t, d->scratch[side], &own);
    abut_walls_over(&d->parts[!side]->surface, abut_relative_point(r, x).x, abut_relative_point(r, middle).x,
                    h->time.t, d->scratch[!side], &other);
    for (int i = 0; i < other.count; ++i)
        other.slope[i] = (ia3){ ia3_dot(other.slope[i], way[0]), ia3_dot(other.slope[i], way[1]),
                                ia3_dot(other.slope[i], way[2]) };
    return abut_walls_part(&own, &other, ia3_sub(x, middle));
}

/* In the frame of a body. */
static ABUT_NOINLINE void hunt_in_space(hunt *h, int side)
{
    abut_deep *const d = h->d;
    abut_deep_place(d, ia_point(h->t), &h->time);
    if (!h->time.defined)
        return;
    /* The box of a half-space has no end. */
    const ia3 own = ia3_from(&d->parts[side]->cull.local), other = ia3_from(&d->parts[!side]->cull.local);
    ia3 root = own;
    if (has_end(other))
        root = ia3_intersect(own, abut_relative_point(&h->time.to[!side], other).x);
    h->ran = ia3_is_empty(root) || has_end(root);
    if (ia3_is_empty(root) || !has_end(root))
        return;
    abut_deep_region region = { .q = { ia_to(root.x), ia_to(root.y), ia_to(root.z) } };
    abut_deep_witness w = { .kind = ABUT_DEEP_POINT, .side = side };
    const double size = fmax(ia_width(root.x), fmax(ia_width(root.y), ia_width(root.z)));
    const double unit[3] = { size, size, size };
    h->dimension = 3;
    h->count = 0;
    push(h, &region);
    while (next(h, &region)) {
        const ia3 x = { ia_from(region.q[0]), ia_from(region.q[1]), ia_from(region.q[2]) };
        d->evaluations += 2;
        if (is_outside(d, side, x, h->time.t) ||
            is_outside(d, !side, abut_relative_point(&h->time.to[side], x).x, h->time.t))
            continue;
        if (!try_middle(h, &region, &w) && !walls_part(h, side, x))
            halve(h, &region, unit);
    }
}

/* ---- faces of one inside the other ---- */

static bool is_face(const abut_surface_feature *f)
{
    return f->dimension == 2 && f->parametric && isfinite(f->range[0].hi - f->range[0].lo) &&
           isfinite(f->range[1].hi - f->range[1].lo);
}

static void unit_of_face(const abut_surface_feature *f, double *unit)
{
    for (int i = 0; i < 2; ++i)
        unit[i] = f->range[i].hi - f->range[i].lo;
}

static double size_of(ia3 a)
{
    return fmax(ia_width(a.x), fmax(ia_width(a.y), ia_width(a.z)));
}

/* Parameters count by how far they lead in the region, in sizes of the smaller body, so that its image
 * is halved where it is long. */
static void unit_by_image(const abut_deep *d, int side, const abut_surface_feature *f, const ia *q, ia t,
                          double *unit)
{
    for (int i = 0; i < 2; ++i) {
        const ia thin[2] = { i == 0 ? q[0] : ia_point(ia_mid(q[0])), i == 1 ? q[1] : ia_point(ia_mid(q[1])) };
        abut_jet jet;
        const bool defined =
            abut_feature_jet(&d->parts[side]->surface, f, thin, t, 0, d->scratch[side], &jet);
        unit[i] =
            defined && size_of(jet.p) > 0 ? ia_width(q[i]) * (d->size / size_of(jet.p)) : ia_width(q[i]);
    }
}

/* Whether the whole of a surface is faces that were hunted on. At poles rounded ranges of
 * parameters leave holes, which the vertices there cover. */
static bool is_all_outside(const hunt *h, int side)
{
    const abut_surface_parts *const parts = h->d->parts[side];
    for (size_t i = 0; i < parts->surface.feature_count; ++i) {
        const abut_surface_feature *const f = &parts->surface.features[i];
        if (f->dimension == 2 && !is_face(f))
            return false;
        const ia3 box = ia3_from(&parts->boxes[i]);
        if (f->dimension == 0 &&
            !is_outside(h->d, !side, abut_relative_point(&h->time.to[side], box).x, h->time.t))
            return false;
    }
    return true;
}

/* By the mean values of the other body's fields over the region, which are closer than a box about
 * its image where that lies aslant. */
static bool is_outside_by_slope(const hunt *h, int side, const abut_surface_feature *f, const ia *q)
{
    const abut_deep *const d = h->d;
    const abut_surface *const own = &d->parts[side]->surface, *const other = &d->parts[!side]->surface;
    const ia mid[2] = { ia_point(ia_mid(q[0])), ia_point(ia_mid(q[1])) };
    const abut_relative *const r = &h->time.to[side];
    abut_jet over, middle;
    abut_walls walls;
    if (!other->implicit || !abut_feature_jet(own, f, q, h->time.t, 1, d->scratch[side], &over) ||
        !abut_feature_jet(own, f, mid, h->time.t, 0, d->scratch[side], &middle))
        return false;
    abut_walls_over(other, abut_relative_point(r, over.p).x, abut_relative_point(r, middle.p).x, h->time.t,
                    d->scratch[!side], &walls);
    for (int i = 0; i < walls.count; ++i) {
        const ia along[2] = { ia3_dot(walls.slope[i], abut_relative_direction(r, over.u)),
                              ia3_dot(walls.slope[i], abut_relative_direction(r, over.v)) };
        ia value = walls.middle[i];
        for (int k = 0; k < 2; ++k)
            value = ia_add(value, ia_mul(along[k], ia_sub(q[k], mid[k])));
        if (ia_is_positive(value))
            return true;
    }
    return false;
}

static ABUT_NOINLINE void hunt_on_faces(hunt *h, int side)
{
    abut_deep *const d = h->d;
    const abut_surface *const surface = &d->parts[side]->surface;
    abut_deep_region region = { .q = { { 0, 0 } } };
    abut_deep_place(d, ia_point(h->t), &h->time);
    if (!h->time.defined)
        return;
    h->dimension = 2;
    h->count = 0;
    for (size_t i = 0; i < surface->feature_count; ++i) {
        const abut_surface_feature *const f = &surface->features[i];
        if (!is_face(f))
            continue;
        region.face[0] = (uint32_t)i;
        region.q[0] = f->range[0];
        region.q[1] = f->range[1];
        push(h, &region);
    }
    while (next(h, &region)) {
        const abut_surface_feature *const f = &surface->features[region.face[0]];
        const ia q[2] = { ia_from(region.q[0]), ia_from(region.q[1]) };
        abut_deep_witness w = { .kind = ABUT_DEEP_FACE, .side = side, .face = { f } };
        abut_jet jet;
        double unit[2];
        d->evaluations += 2;
        if (abut_feature_jet(surface, f, q, h->time.t, 0, d->scratch[side], &jet) &&
            (is_outside(d, !side, abut_relative_point(&h->time.to[side], jet.p).x, h->time.t) ||
             is_outside_by_slope(h, side, f, q)))
            continue;
        if (try_middle(h, &region, &w))
            return;
        unit_by_image(d, side, f, q, h->time.t, unit);
        halve(h, &region, unit);
    }
}

/* ---- faces of both ---- */

static bool boxes_part(ia3 a, ia3 b)
{
    return ia3_is_empty(ia3_intersect(a, b));
}

static void push_pairs(hunt *h)
{
    const abut_surface *const one = &h->d->parts[0]->surface, *const two = &h->d->parts[1]->surface;
    for (size_t i = 0; i < one->feature_count; ++i)
        for (size_t j = 0; j < two->feature_count; ++j) {
            const abut_surface_feature *const f = &one->features[i], *const g = &two->features[j];
            if (is_face(f) && is_face(g))
                push(h, &(abut_deep_region){ .q = { f->range[0], f->range[1], g->range[0], g->range[1] },
                                             .face = { (uint32_t)i, (uint32_t)j } });
        }
}

static ABUT_NOINLINE void hunt_crossings(hunt *h)
{
    abut_deep *const d = h->d;
    const abut_surface *const one = &d->parts[0]->surface, *const two = &d->parts[1]->surface;
    abut_deep_region region;
    abut_deep_place(d, ia_point(h->t), &h->time);
    if (!h->time.defined)
        return;
    h->dimension = 4;
    h->count = 0;
    push_pairs(h);
    while (next(h, &region)) {
        const abut_surface_feature *const f = &one->features[region.face[0]],
                                          *const g = &two->features[region.face[1]];
        ia q[4];
        abut_jet jet_one, jet_two;
        for (int i = 0; i < 4; ++i)
            q[i] = ia_from(region.q[i]);
        d->evaluations += 2;
        if (!abut_feature_jet(one, f, q, h->time.t, 0, d->scratch[0], &jet_one) ||
            !abut_feature_jet(two, g, q + 2, h->time.t, 0, d->scratch[1], &jet_two))
            continue;
        const ia3 p = abut_relative_point(&h->time.to[0], jet_one.p).x;
        if (boxes_part(p, jet_two.p))
            continue;
        double unit[4];
        unit_of_face(f, unit);
        unit_of_face(g, unit + 2);
        /* Newton's method has a chance once faces are not much bent. */
        double parts = 1;
        for (int i = 0; i < 4; ++i)
            parts = fmin(parts, (region.q[i].hi - region.q[i].lo) / unit[i]);
        if (parts <= 0.125) {
            abut_deep_witness w = { .kind = ABUT_DEEP_CROSS, .face = { f, g } };
            middle_of(&region, 4, w.at);
            if (abut_deep_decide_cross(d, &w, h->t) && abut_deep_cross_over(d, &w, h->t, h->t)) {
                d->w = w;
                h->found = true;
                return;
            }
        }
        /* The larger of the two in space first. */
        if (size_of(p) > 2 * size_of(jet_two.p))
            unit[2] = unit[3] = HUGE_VAL;
        else if (size_of(jet_two.p) > 2 * size_of(p))
            unit[0] = unit[1] = HUGE_VAL;
        halve(h, &region, unit);
    }
}

/* ---- the interface ---- */

static bool is_endless(const abut_deep *d, int side)
{
    return !has_end(ia3_from(&d->parts[side]->cull.local));
}

/* Bodies by faces: points of faces first, as they need no rays; then one inside the other. True:
 * proved that they have no point in common. */
static bool hunt_by_faces(hunt *h, const bool fields[2])
{
    const abut_deep *const d = h->d;
    const uint64_t all = h->budget, few = all < 40 ? all : 40;
    for (int side = 0; side < 2 && !h->found; ++side) {
        if (!fields[!side])
            continue;
        hunt_on_faces(h, side);
        /* The other is inside no sheet, and no half-space is inside anything. */
        const abut_surface *const surface = &d->parts[side]->surface;
        if (!h->found && !h->lost && h->time.defined && is_all_outside(h, side) &&
            (!surface->solid || (is_endless(d, !side) && !is_endless(d, side))))
            return true;
    }
    if (!fields[0] && !fields[1] && !h->found)
        hunt_crossings(h);
    if (!h->found && abut_deep_knows(d, 0) && abut_deep_knows(d, 1)) {
        h->budget = fields[0] || fields[1] ? all : few;
        hunt_in_space(h, fields[0] ? 1 : 0);
    }
    for (int side = 0; side < 2 && !h->found; ++side) {
        h->budget = few;
        if (d->by_faces[!side] && !d->parts[side]->surface.solid)
            hunt_on_faces(h, side);
    }
    return false;
}

int abut_deep_find(abut_deep *d, double t, uint64_t budget)
{
    const bool fields[2] = { d->parts[0]->surface.implicit, d->parts[1]->surface.implicit };
    hunt h = { .d = d, .t = t, .budget = abut_work_budget(budget, abut_deep_work(d)) };
    bool none = false;
    d->w.kind = ABUT_DEEP_NONE;
    const abut_rounding saved = abut_rounding_enter();
    if (fields[0] && fields[1]) {
        hunt_in_space(&h, 1);
        none = h.ran && !h.found && !h.lost;
    } else {
        none = hunt_by_faces(&h, fields);
    }
    abut_rounding_leave(saved);
    if (h.found && abut_deep_improve(d, t))
        return 1;
    d->w.kind = ABUT_DEEP_NONE;
    return none ? 0 : -1;
}
