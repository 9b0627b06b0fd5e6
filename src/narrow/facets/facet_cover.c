/* SPDX-License-Identifier: MIT */
/* The boundary of a curved body in boxes: of the images of boxes of parameters, or of space where a
 * feature is known by fields only. The box that is nearest to the triangles is halved, until it is
 * small against its distance, or about as small as a triangle. */
#include "narrow/facets/facets.h"

#include "base/heap.h"

enum { CELLS = 512, SIDES = 24 };

static bool before(const abut_facet_cell *a, const abut_facet_cell *b)
{
    return a->lower < b->lower || (a->lower == b->lower && a->diameter > b->diameter);
}

ABUT_HEAP(heap, abut_facet_cell, before)

/* The box around a cell; false: nothing of the body is in it. */
static bool enclose(const abut_placed_surface *s, abut_facet_cell *x)
{
    const abut_surface_feature *f = &s->surface.features[x->feature];
    abut_chart chart;
    ia q[3];
    int axis = -1;
    for (int k = 0; k < abut_chart_unknowns(f); ++k)
        q[k] = ia_from(x->q[k]);
    abut_chart_enclose(s, f, q, 0, &axis, &chart);
    for (int k = 0; k < chart.own; ++k)
        if (!ia_contains_zero(chart.f[k]))
            return false;
    if (!f->parametric && abut_feature_on(&s->surface, f, (ia3){ q[0], q[1], q[2] }, ia_point(s->t),
                                          s->scratch) == ABUT_NOWHERE)
        return false;
    const ia3 all = s->moved ? ia_affine_apply(&s->place, s->bounds) : s->bounds;
    x->box = ia3_to(chart.defined || !f->parametric ? chart.p : all);
    return true;
}

static double diameter(const abut_interval_vec3 *b)
{
    const double x = b->x.hi - b->x.lo, y = b->y.hi - b->y.lo, z = b->z.hi - b->z.lo;
    return sqrt(x * x + y * y + z * z);
}

static ABUT_NOINLINE void enclose_rounded(const abut_placed_surface *s, abut_facet_cell *x, bool *some)
{
    *some = enclose(s, x);
}

static void add(abut_facet_cover *c, const abut_facets *f, const abut_placed_surface *s, abut_facet_cell *x)
{
    bool some;
    const abut_rounding saved = abut_rounding_enter();
    enclose_rounded(s, x, &some);
    abut_rounding_leave(saved);
    ++c->made;
    if (!some)
        return;
    x->diameter = diameter(&x->box);
    x->lower = x->diameter < INFINITY ? f->methods->nearest(f, &x->box) : 0;
    heap_push(c->cells, &c->count, x);
}

static ABUT_NOINLINE void range_of(const abut_placed_surface *s, const abut_surface_feature *f,
                                   abut_facet_cell *x)
{
    ia q[3];
    abut_chart_range(s, f, q);
    for (int k = 0; k < abut_chart_unknowns(f); ++k)
        x->q[k] = ia_to(q[k]);
}

/* Which unknown to halve: that with the widest range, in parts of the whole. */
static int widest(const abut_placed_surface *s, const abut_facet_cell *x)
{
    const abut_surface_feature *f = &s->surface.features[x->feature];
    int k = 0;
    double most = -1;
    for (int i = 0; i < abut_chart_unknowns(f); ++i) {
        const double width = x->q[i].hi - x->q[i].lo;
        const double part = f->parametric ? width / (f->range[i].hi - f->range[i].lo) : width;
        if (part > most) {
            most = part;
            k = i;
        }
    }
    return k;
}

abut_status abut_facet_cover_make(const abut_facets *f, const abut_placed_surface *s, abut_workspace *ws,
                                  abut_facet_cover *out)
{
    const size_t features = s->surface.feature_count;
    *out = (abut_facet_cover){ .room = features + CELLS + 2 };
    out->cells = abut_workspace_take(ws, out->room, sizeof *out->cells);
    if (!out->cells)
        return ABUT_ERR_MEMORY;
    for (size_t i = 0; i < features; ++i) {
        abut_facet_cell x = { .feature = (uint32_t)i };
        const abut_rounding saved = abut_rounding_enter();
        range_of(s, &s->surface.features[i], &x);
        abut_rounding_leave(saved);
        add(out, f, s, &x);
    }
    double size = 0;
    for (size_t i = 0; i < out->count; ++i)
        size = fmax(size, out->cells[i].diameter);
    out->least = fmin(size / SIDES, diameter(&f->bounds) / fmax(sqrt((double)f->face_count), 1));
    if (!(out->least > 0))
        out->least = size / SIDES;
    while (out->count > 0 && out->count < out->room - 1 && out->made < features + 2 * CELLS) {
        const abut_facet_cell *top = &out->cells[0];
        if (top->diameter <= fmax(0.5 * top->lower, out->least) ||
            s->surface.features[top->feature].dimension == 0)
            break;
        abut_facet_cell x = heap_pop(out->cells, &out->count);
        const int k = widest(s, &x);
        const double mid = 0.5 * x.q[k].lo + 0.5 * x.q[k].hi;
        if (!(x.q[k].lo < mid && mid < x.q[k].hi)) {
            heap_push(out->cells, &out->count, &x);
            break;
        }
        for (int side = 0; side < 2; ++side) {
            abut_facet_cell half = x;
            if (side)
                half.q[k].lo = mid;
            else
                half.q[k].hi = mid;
            add(out, f, s, &half);
        }
    }
    return ABUT_OK;
}
