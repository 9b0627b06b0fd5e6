/* SPDX-License-Identifier: MIT */
/* Bodies whose boundaries are apart: is a part of one inside the other?
 *
 * A connected part of the boundary is inside or outside as a whole, so that one point of each part
 * tells. A parametric face is connected: any of its points will do. An implicit body may have any
 * number of parts; but each, being compact, has a point that is farthest along any direction w, and
 * there the normal of a face is along w, an edge is across w, or it is a vertex. Boxes that may
 * hold such a point are halved until they are all inside or all outside.
 *
 * The distance of the boundaries is no help there: that of a body inside the other is not what
 * surface_gap.c found, which searches from outside to outside only. */
#include "narrow/surface/line_surface.h"
#include "narrow/surface/surface_pair.h"

enum { STACK = 512, TRIES = 5 };

typedef struct cell {
    abut_interval q[3];
    /* what it holds of the boundary is known to be inside; a point of both is still wanted */
    bool inside;
} cell;

static ia3 in_common(const abut_placed_surface *s, ia3 x)
{
    return s->moved ? ia_affine_apply(&s->place, x) : x;
}

static abut_truth classify(const abut_placed_surface *y, ia3 common)
{
    return abut_surface_classify(y, abut_placed_local(y, common));
}

/* A few points, should one be too close to tell. */
static int examine_parametric(const abut_placed_surface *y, const abut_placed_surface *x,
                              const abut_surface_feature *f, abut_surface_spot *spot)
{
    static const double parts[TRIES] = { 0.484375, 0.109375, 0.84375, 0.328125, 0.671875 };
    for (int i = 0; i < TRIES; ++i) {
        ia q[2];
        double at[2] = { 0, 0 };
        for (int k = 0; k < f->dimension; ++k) {
            const double part = parts[(i + 2 * k) % TRIES];
            at[k] = f->range[k].lo + part * (f->range[k].hi - f->range[k].lo);
            q[k] = ia_point(at[k]);
        }
        abut_chart c;
        int axis = -1;
        abut_chart_enclose(x, f, q, 0, &axis, &c);
        const abut_truth where = c.defined ? classify(y, c.p) : ABUT_SOMEWHERE;
        if (where == ABUT_EVERYWHERE)
            abut_surface_spot_set(x, f, at, spot);
        if (where != ABUT_SOMEWHERE)
            return where == ABUT_EVERYWHERE;
    }
    return -1;
}

/* A direction in the frame of x that leads away from y, where the farthest points are most
 * likely outside it; not quite, lest it be an axis of either. */
static void lead_away(const abut_placed_surface *y, const abut_placed_surface *x, double w[3])
{
    static const double odd[3] = { 0.36328125, 0.48046875, 0.80078125 };
    const ia3 other = abut_placed_local(x, in_common(y, y->bounds)), own = x->bounds;
    const ia from[3] = { other.x, other.y, other.z }, to[3] = { own.x, own.y, own.z };
    double length = 0;
    for (int k = 0; k < 3; ++k) {
        w[k] = ia_is_finite(from[k]) && ia_is_finite(to[k]) ? ia_mid(to[k]) - ia_mid(from[k]) : 0;
        length = fmax(length, fabs(w[k]));
    }
    for (int k = 0; k < 3; ++k)
        w[k] = length > 0 && isfinite(length) ? w[k] / length + 0.25 * odd[k] : odd[k];
}

/* Whether the box may hold a point of the feature that is farthest along the direction. */
static bool may_be_farthest(const abut_placed_surface *x, const abut_surface_feature *f,
                            const double along[3], const ia *q)
{
    const ia3 w = { ia_point(along[0]), ia_point(along[1]), ia_point(along[2]) };
    abut_chart c;
    int axis = -1;
    /* In the body's own frame: directions are as good there. */
    abut_placed_surface own = *x;
    own.moved = false;
    abut_chart_enclose(&own, f, q, 1, &axis, &c);
    for (int k = 0; k < c.own; ++k)
        if (!ia_contains_zero(c.f[k]))
            return false;
    if (abut_feature_on(&x->surface, f, (ia3){ q[0], q[1], q[2] }, abut_placed_time(x), x->scratch) ==
        ABUT_NOWHERE)
        return false;
    if (!c.defined)
        return true;
    if (f->dimension == 2) {
        const ia3 turned = ia3_cross(c.n, w);
        return ia_contains_zero(turned.x) && ia_contains_zero(turned.y) && ia_contains_zero(turned.z) &&
               ia_hi(ia3_dot(c.n, w)) >= 0;
    }
    return f->dimension == 0 || ia_contains_zero(ia3_dot(c.t[0], w));
}

static double diameter(ia3 box)
{
    const double w[3] = { ia_width(box.x), ia_width(box.y), ia_width(box.z) };
    return sqrt(w[0] * w[0] + w[1] * w[1] + w[2] * w[2]) * (1 + 0x1p-40);
}

/* Whether a box of the common frame is all outside the bounds of the body. */
static bool is_beyond(const abut_placed_surface *y, ia3 common)
{
    if (y->surface.outside)
        return false;
    const ia3 x = abut_placed_local(y, common);
    const ia sides[3] = { x.x, x.y, x.z }, bounds[3] = { y->bounds.x, y->bounds.y, y->bounds.z };
    for (int k = 0; k < 3; ++k)
        if (ia_lo(sides[k]) > ia_hi(bounds[k]) || ia_hi(sides[k]) < ia_lo(bounds[k]))
            return true;
    return false;
}

/* 1 inside, 0 outside or nothing there, -1 not yet known. */
static int examine_cell(const abut_placed_surface *y, const abut_placed_surface *x, cell *c, const ia *q,
                        double apart)
{
    const ia3 box = { q[0], q[1], q[2] };
    const ia3 middle = { ia_point(ia_mid(q[0])), ia_point(ia_mid(q[1])), ia_point(ia_mid(q[2])) };
    if (!c->inside) {
        if (is_beyond(y, in_common(x, box)))
            return 0;
        /* A face tells only of boxes that it does not meet, and most that are larger are met. */
        if (!y->surface.implicit && !(diameter(x->stretched ? in_common(x, box) : box) < apart))
            return -1;
        const abut_truth where = abut_surface_inside_over(
            &y->surface, abut_placed_local(y, in_common(x, box)), abut_placed_time(y), y->scratch, y->boxes);
        if (where != ABUT_EVERYWHERE)
            return where == ABUT_NOWHERE ? 0 : -1;
        c->inside = true; /* and so are its parts */
    }
    /* The boundary here is inside; a point of x proves that they meet. A point of x's boundary
     * may lie outside x by rounding, so some around are tried. */
    for (int i = 0; i < 27; ++i) {
        const int at[3] = { i % 3, i / 3 % 3, i / 9 };
        ia3 p = middle;
        ia *to[3] = { &p.x, &p.y, &p.z };
        for (int k = 0; k < 3; ++k)
            *to[k] = ia_point(c->q[k].lo + 0.5 * at[k] * (c->q[k].hi - c->q[k].lo));
        if (abut_surface_inside(&x->surface, p, ia_point(x->t), x->scratch) == ABUT_EVERYWHERE &&
            classify(y, in_common(x, p)) == ABUT_EVERYWHERE)
            return 1;
    }
    return -1;
}

static int examine_implicit(const abut_placed_surface *y, const abut_placed_surface *x,
                            const abut_surface_feature *f, double apart, uint64_t *budget)
{
    cell stack[STACK];
    int n = 1;
    ia q[3];
    double away[3];
    abut_chart_range(x, f, q);
    lead_away(y, x, away);
    for (int k = 0; k < 3; ++k) {
        if (!ia_is_finite(q[k])) /* without an end: not inside a body that has one, and inside one without */
            return y->surface.outside ? 1 : 0;
        stack[0].q[k] = ia_to(q[k]);
    }
    stack[0].inside = false;
    while (n > 0) {
        cell c = stack[--n];
        if (*budget == 0)
            return -1;
        --*budget;
        for (int k = 0; k < 3; ++k)
            q[k] = ia_from(c.q[k]);
        if (!may_be_farthest(x, f, away, q))
            continue;
        const int where = examine_cell(y, x, &c, q, apart);
        if (where == 0)
            continue;
        if (where == 1)
            return 1;
        int k = 0;
        for (int i = 1; i < 3; ++i)
            k = c.q[i].hi - c.q[i].lo > c.q[k].hi - c.q[k].lo ? i : k;
        const double mid = 0.5 * c.q[k].lo + 0.5 * c.q[k].hi;
        if (n + 2 > STACK || !(c.q[k].lo < mid && mid < c.q[k].hi))
            return -1;
        stack[n] = stack[n + 1] = c;
        stack[n].q[k].hi = mid;
        stack[n + 1].q[k].lo = mid;
        n += 2;
    }
    return 0;
}

/* Faces by fields, edges and vertices by their points: a polytope, or the spine of a rounded one, which is
 * connected; or a point, or a segment. One of its vertices, or NULL: it is none. (Combinations of fields have no
 * edges by points, but apexes of fields, which need not be on them.) */
static const abut_surface_feature *vertex_of_polytope(const abut_placed_surface *x)
{
    const abut_surface_feature *vertex = NULL;
    bool edges = false, faces = false;
    for (size_t i = 0; i < x->surface.feature_count; ++i) {
        const abut_surface_feature *f = &x->surface.features[i];
        if (f->parametric && f->dimension == 2)
            return NULL;
        edges = edges || (f->parametric && f->dimension == 1);
        faces = faces || f->dimension == 2;
        if (f->parametric && f->dimension == 0)
            vertex = f;
    }
    return edges || !faces ? vertex : NULL;
}

static ABUT_NOINLINE void contains(const abut_placed_surface *y, const abut_placed_surface *x, double apart,
                                   uint64_t budget, abut_surface_spot *spot, int *out)
{
    *out = y->surface.unknown_side ? -1 : y->surface.outside && x->surface.outside ? 1 : 0;
    const abut_surface_feature *vertex = vertex_of_polytope(x);
    if (y->surface.solid && vertex && *out == 0) {
        *out = examine_parametric(y, x, vertex, spot);
        return;
    }
    for (size_t i = 0; y->surface.solid && i < x->surface.feature_count && *out != 1; ++i) {
        const abut_surface_feature *f = &x->surface.features[i];
        int found = 0;
        if (!f->parametric)
            found = examine_implicit(y, x, f, apart, &budget);
        else if (f->dimension == 2 || (x->spine && i == 0)) /* a spine is connected */
            found = examine_parametric(y, x, f, spot);
        if (found != 0)
            *out = found;
    }
}

int abut_surface_contains(const abut_placed_surface *y, const abut_placed_surface *x, double apart,
                          uint64_t max_boxes, abut_surface_spot *spot)
{
    int out;
    const abut_rounding saved = abut_rounding_enter();
    contains(y, x, apart, max_boxes, spot, &out);
    abut_rounding_leave(saved);
    return out;
}
