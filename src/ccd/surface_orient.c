/* SPDX-License-Identifier: MIT */
/* Whether the normals of a body without fields that deforms lead outwards all the time.
 *
 * A closed surface given by parameters never vanishes: each of its points moves continuously,
 * and so does the number of times it winds around any other point until it passes over that. But
 * it may shrink to a point and grow again turned inside out; its normals lead inwards then, and
 * incoming constraints made of them refuse the contacts that there are. The volume it encloses,
 * a third of the integral of (p - c) . n, changes its sign there; where that is proved positive
 * throughout, normals count. */
#include "ccd/surface_scene.h"

enum { coarse = 8, fine = 64, most_jets = 40000 };

typedef struct search {
    const abut_surface *s;
    ia *scratch;
    int jets; /* left */
} search;

static ia piece(abut_interval range, int i, int count)
{
    const double step = (range.hi - range.lo) / count;
    return ia_make(i == 0 ? range.lo : range.lo + i * step,
                   i == count - 1 ? range.hi : range.lo + (i + 1) * step);
}

/* Enclosure of three times the volume, by cells; entire where it is not known. */
static ia volume(search *q, ia t, int cells)
{
    const ia3 bounds = abut_surface_bounds(q->s, t, q->scratch), centre = ia3_point(ia3_mid(bounds));
    ia sum = ia_point(0);
    for (size_t k = 0; k < q->s->feature_count; ++k) {
        const abut_surface_feature *const f = &q->s->features[k];
        if (f->dimension != 2)
            continue;
        if (!f->parametric || (q->jets -= cells * cells) < 0)
            return ia_entire();
        for (int i = 0; i < cells * cells; ++i) {
            const ia at[2] = { piece(f->range[0], i % cells, cells), piece(f->range[1], i / cells, cells) };
            abut_jet jet;
            if (!abut_feature_jet(q->s, f, at, t, 1, q->scratch, &jet))
                return ia_entire();
            const ia area = ia_mul(ia_sub(ia_point(ia_hi(at[0])), ia_point(ia_lo(at[0]))),
                                   ia_sub(ia_point(ia_hi(at[1])), ia_point(ia_lo(at[1]))));
            sum = ia_add(sum, ia_mul(area, ia3_dot(ia3_sub(jet.p, centre), jet.n)));
        }
    }
    return sum;
}

static bool positive_over(search *q, abut_interval range, int depth)
{
    const ia t = ia_from(range);
    for (int cells = coarse; cells <= fine; cells *= 2) {
        const ia v = volume(q, t, cells);
        if (ia_lo(v) > 0)
            return true;
        if (!(ia_hi(v) > 0) || q->jets < 0)
            return false;
        /* Halving the time is cheaper where the cells are not what makes it wide. */
        const ia at_middle = volume(q, ia_point(ia_mid(t)), cells);
        if (ia_lo(at_middle) > 0)
            break;
    }
    const double middle = ia_mid(t);
    if (depth == 0 || !(range.lo < middle && middle < range.hi))
        return false;
    return positive_over(q, (abut_interval){ range.lo, middle }, depth - 1) &&
           positive_over(q, (abut_interval){ middle, range.hi }, depth - 1);
}

bool abut_surface_leads_out(const abut_surface *s, abut_interval range, ia *scratch)
{
    if (!s->deforms || s->implicit || !s->solid)
        return true;
    search q = { s, scratch, most_jets };
    return positive_over(&q, range, 8);
}
