/* SPDX-License-Identifier: MIT */
/* Whether the points of a box are inside a solid, all through a stretch of time.
 *
 * By fields where it has them. A solid without: a box that none of its faces meets at any time
 * of the stretch is inside or outside as a whole, and all that time, as one point of it at one
 * instant is. */
#include "narrow/surface/line_surface.h"
#include "narrow/surface/surface_pair.h"

enum { stack_size = 64, face_boxes = 512 };

/* About so many are evaluated for the bounds of a body that deforms. */
enum { bounds_boxes = 64 };

typedef struct tile {
    ia q[2];
} tile;

static bool disjoint(ia3 a, ia3 b)
{
    return ia3_is_empty(ia3_intersect(a, b));
}

/* Proved that the face meets the box at no time of t. */
static bool face_avoids(const abut_surface *s, const abut_surface_feature *f, ia3 x, ia t, int *budget,
                        ia *scratch)
{
    tile stack[stack_size];
    int n = 1;
    stack[0] = (tile){ { ia_from(f->range[0]), ia_from(f->range[1]) } };
    while (n > 0) {
        const tile c = stack[--n];
        abut_jet jet;
        if ((*budget)-- == 0)
            return false;
        if (abut_feature_jet(s, f, c.q, t, 0, scratch, &jet) && disjoint(jet.p, x))
            continue;
        const double parts[2] = { ia_width(c.q[0]) / (f->range[0].hi - f->range[0].lo),
                                  ia_width(c.q[1]) / (f->range[1].hi - f->range[1].lo) };
        const int by = parts[1] > parts[0];
        const double middle = ia_mid(c.q[by]);
        if (n + 2 > stack_size || !(ia_lo(c.q[by]) < middle && middle < ia_hi(c.q[by])))
            return false;
        stack[n] = stack[n + 1] = c;
        stack[n++].q[by] = ia_make(ia_lo(c.q[by]), middle);
        stack[n++].q[by] = ia_make(middle, ia_hi(c.q[by]));
    }
    return true;
}

/* Rounded ranges of parameters leave a hole at a pole, which a box may fit through. The vertex there is a box
 * about it. */
static bool pole_avoids(const abut_surface *s, const abut_surface_feature *f, ia3 x, ia t, ia *scratch)
{
    const ia any[2] = { ia_from(f->range[0]), ia_from(f->range[1]) };
    abut_jet jet;
    return f->parametric && abut_feature_jet(s, f, any, t, 0, scratch, &jet) && disjoint(jet.p, x);
}

static bool faces_avoid(const abut_surface *s, ia3 x, ia t, ia *scratch, uint64_t *boxes)
{
    int budget = face_boxes;
    bool avoid = true;
    for (size_t i = 0; avoid && i < s->feature_count; ++i) {
        const abut_surface_feature *const f = &s->features[i];
        if (f->dimension == 2)
            avoid = f->parametric && face_avoids(s, f, x, t, &budget, scratch);
        else if (f->dimension == 0)
            avoid = pole_avoids(s, f, x, t, scratch);
    }
    avoid = avoid && abut_surface_seams_avoid(s, x, t, &budget, scratch);
    if (boxes)
        *boxes += (uint64_t)(face_boxes - budget);
    return avoid;
}

static double widest(ia3 x)
{
    return fmax(ia_width(x.x), fmax(ia_width(x.y), ia_width(x.z)));
}

bool abut_surface_keeps_off(const abut_surface *s, ia3 x, ia t, ia *scratch)
{
    return !s->implicit && faces_avoid(s, x, t, scratch, NULL);
}

abut_truth abut_surface_inside_over(const abut_surface *s, ia3 x, ia t, ia *scratch, uint64_t *boxes)
{
    if (s->implicit)
        return abut_surface_inside(s, x, t, scratch);
    const ia3 bounds = abut_surface_bounds(s, t, scratch);
    if (boxes)
        *boxes += s->deforms ? bounds_boxes : 0;
    if (s->unknown_side)
        return ABUT_SOMEWHERE;
    if (disjoint(x, bounds)) /* the material may be all around */
        return s->outside ? ABUT_EVERYWHERE : ABUT_NOWHERE;
    /* Larger boxes are cut soon, and most of them meet the surface. */
    if (!s->solid || !(widest(x) < 0.125 * widest(bounds)) || !faces_avoid(s, x, t, scratch, boxes))
        return ABUT_SOMEWHERE;
    const double at = ia_mid(t);
    if (boxes)
        *boxes += s->deforms ? bounds_boxes : 0;
    const abut_placed_surface placed = { .surface = *s,
                                         .t = at,
                                         .scratch = scratch,
                                         .bounds = abut_surface_bounds(s, ia_point(at), scratch),
                                         .boxes = boxes };
    const ia3 middle = ia3_point(ia3_mid(x));
    return abut_surface_classify(&placed, middle);
}
