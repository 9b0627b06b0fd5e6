/* SPDX-License-Identifier: MIT */
/* Sheets and flat hulls that cross each other over time, for contacts that last (static_hold.c): a face of a
 * parametric sheet and a side of a segment or polygon, or an edge of the one and a triangle of the other, where
 * three equations in three unknowns have a solution for all places that they have in that time (narrow/cover).
 *
 * What a static search found says only where the two have a point in common. The curve in which they cross
 * ends at such places, so that there are some, and they are searched for from that point: by doubles that
 * steer. The last few are kept: one of them lasts up to the end of the contact. */
#include "ccd/advance/static_hold.h"
#include "math/vec3.h"

#include <string.h>

/* ---- over a stretch of time ---- */

static ABUT_NOINLINE void lasts_kernel(const abut_static_hold *h, const abut_static_crossing *by,
                                       const abut_interval *time, bool *out)
{
    const abut_cover_crossing *c = &by->at;
    const int flat = 1 - c->curved;
    abut_relative over;
    abut_relative_over(&h->body[flat].side, &h->body[c->curved].side, ia_from(*time), &over);
    *out = over.defined && over.rigid;
    if (!*out)
        return;
    const ia3 o = abut_relative_point(&over, ia3_point(c->o)).x;
    ia3 d[2] = { o, o };
    for (int i = 0; i < c->count; ++i)
        d[i] = abut_relative_direction(&over, ia3_point(c->d[i]));
    *out = abut_cover_keeps_crossing(&h->body[c->curved].sheet, c, by->blur, o, d);
}

static bool lasts(const abut_static_hold *h, const abut_static_crossing *by, abut_interval time)
{
    bool out = false;
    const abut_rounding saved = abut_rounding_enter();
    lasts_kernel(h, by, &time, &out);
    abut_rounding_leave(saved);
    return out;
}

/* To the front; the last leaves where there are too many. */
static void move_up(abut_static_hold *h, const abut_static_crossing *c, size_t before)
{
    const abut_static_crossing kept = *c;
    memmove(h->crossing + 1, h->crossing, before * sizeof kept);
    h->crossing[0] = kept;
}

bool abut_static_crossing_lasts(abut_static_hold *h, abut_interval time)
{
    for (size_t i = 0; i < h->crossing_count; ++i)
        if (lasts(h, &h->crossing[i], time)) {
            move_up(h, &h->crossing[i], i);
            return true;
        }
    return false;
}

void abut_static_crossing_keep(abut_static_hold *h, const abut_cover_crossing *c, double blur)
{
    const abut_static_crossing it = { *c, blur };
    if (!c->known || !h->body[c->curved].placed)
        return;
    if (h->crossing_count < ABUT_STATIC_CROSSINGS)
        ++h->crossing_count;
    move_up(h, &it, h->crossing_count - 1);
}

/* ---- from a common point ---- */

static bool is_flat(const abut_static_body *b)
{
    return b->shape->type == ABUT_SHAPE_CONVEX && !b->thick;
}

/* Kernel. A side or triangle of a flat hull, in its frame, and its place next to p. */
static bool flat_at(const abut_static_body *b, const abut_surface_feature *f, abut_vec3 p, ia t,
                    abut_cover_crossing *c, double w[2])
{
    const ia zero = ia_point(0), one = ia_point(1), first[2] = { zero, zero }, last[2] = { one, zero },
             third[2] = { one, one };
    abut_jet at[3];
    if (!abut_feature_jet(&b->surface, f, first, t, 0, b->scratch, &at[0]) ||
        !abut_feature_jet(&b->surface, f, last, t, 0, b->scratch, &at[1]) ||
        (f->dimension == 2 && !abut_feature_jet(&b->surface, f, third, t, 0, b->scratch, &at[2])))
        return false;
    c->count = f->dimension;
    c->o = ia3_mid(at[0].p);
    for (int i = 0; i < c->count; ++i)
        c->d[i] = abut_sub(ia3_mid(at[i + 1].p), c->o);
    const abut_vec3 off = abut_sub(p, c->o);
    const double uu = abut_dot(c->d[0], c->d[0]), x = abut_dot(off, c->d[0]);
    w[0] = x / uu;
    w[1] = 0;
    if (c->count == 2) {
        const double uv = abut_dot(c->d[0], c->d[1]), vv = abut_dot(c->d[1], c->d[1]),
                     y = abut_dot(off, c->d[1]), det = uu * vv - uv * uv;
        w[0] = (x * vv - y * uv) / det;
        w[1] = (y * uu - x * uv) / det;
    }
    return isfinite(w[0]) && isfinite(w[1]);
}

static ABUT_NOINLINE void flat_kernel(const abut_static_body *b, const abut_surface_feature *f,
                                      const abut_vec3 *p, double t, abut_cover_crossing *c, double w[2],
                                      bool *out)
{
    *out = flat_at(b, f, *p, ia_point(t), c, w);
}

static double size_of(const abut_static_body *b)
{
    return fmax(abut_max_norm(b->bounds.lo), abut_max_norm(b->bounds.hi));
}

/* All sides, or triangles, of the flat one with a feature of the other. */
static void try_feature(abut_static_hold *h, int curved, const abut_static_point *at, abut_vec3 p, double t)
{
    const abut_static_body *sheet = &h->body[curved], *flat = &h->body[1 - curved];
    const int dimension = sheet->surface.features[at->feature].dimension;
    const abut_interval instant = { t, t };
    for (uint32_t i = 0; i < flat->surface.feature_count; ++i) {
        const abut_surface_feature *f = &flat->surface.features[i];
        abut_static_crossing c = { .at = { .known = true, .curved = curved, .feature = at->feature },
                                   .blur = 0x1p-50 * size_of(flat) };
        double w[2];
        bool found = false;
        if (f->dimension + dimension != 3)
            continue;
        const abut_rounding saved = abut_rounding_enter();
        flat_kernel(flat, f, &p, t, &c.at, w, &found);
        abut_rounding_leave(saved);
        c.at.z[0] = at->at.x;
        c.at.z[1] = dimension == 2 ? at->at.y : w[0];
        c.at.z[2] = dimension == 2 ? w[0] : w[1];
        if (found && lasts(h, &c, instant))
            abut_static_crossing_keep(h, &c.at, c.blur);
    }
}

void abut_static_crossing_find(abut_static_hold *h, double t, const abut_vec3 p[2])
{
    for (int curved = 0; curved < 2; ++curved) {
        const abut_static_body *sheet = &h->body[curved], *flat = &h->body[1 - curved];
        if (!sheet->placed || !is_flat(flat))
            continue;
        for (int dimension = 2; dimension > 0; --dimension)
            for (uint32_t i = 0; i < sheet->surface.feature_count; ++i) {
                abut_static_point at;
                if (sheet->surface.features[i].dimension == dimension &&
                    abut_static_point_on(sheet, i, p[curved], t, &at))
                    try_feature(h, curved, &at, p[1 - curved], t);
            }
    }
}
