/* SPDX-License-Identifier: MIT */
/* The distance of two convex cores by the method of Gilbert, Johnson and Keerthi (1988), with certified bounds.
 *
 * K is the difference of the cores (see convex.h), v the point nearest to the origin of a simplex in K, w the point of K least along v. Then
 * v . w / |v| <= gap <= |v|, and the simplex with w comes nearer. Doubles steer: the loop ends when both bounds agree to rounding, when w
 * brings nothing new, or after a fixed number of supports. What is returned is bounded afterwards: lo by the separation along the
 * best direction, hi by the witnesses, both widened by the error of the pair, or below zero by a tetrahedron
 * of points of K that holds the origin deeper than that error. */
#include "narrow/convex.h"
#include "narrow/simplex.h"

enum { MOST_SUPPORTS = 128, REFINE_FROM = 4 };

typedef struct search {
    const abut_convex_pair *pair;
    abut_simplex *simplex;
    abut_vec3 v;     /* nearest point of the simplex */
    double square;   /* |v|^2 */
    double best;     /* largest v . w / |v| seen, and its direction: not certified */
    abut_vec3 along; /* unit */
    uint32_t supports, iterations;
} search;

/* Keeps those points of the simplex that span the feature, in order. */
static void keep(abut_simplex *simplex, const abut_nearest_feature *f)
{
    abut_convex_point kept[4];
    for (int i = 0; i < f->count; ++i)
        kept[i] = simplex->p[f->index[i]];
    for (int i = 0; i < f->count; ++i)
        simplex->p[i] = kept[i];
    simplex->count = f->count;
}

static abut_nearest_feature nearest(const abut_simplex *simplex)
{
    abut_vec3 w[4];
    for (int i = 0; i < simplex->count; ++i)
        w[i] = simplex->p[i].w;
    return abut_simplex_nearest(w, simplex->count);
}

static bool holds(const abut_simplex *simplex, abut_vec3 w)
{
    for (int i = 0; i < simplex->count; ++i) {
        const abut_vec3 p = simplex->p[i].w;
        if (p.x == w.x && p.y == w.y && p.z == w.z)
            return true;
    }
    return false;
}

/* Witnesses and hi from the simplex as it stands (at most three points). */
static void bound_above(const search *s, abut_convex_answer *out)
{
    abut_simplex *simplex = s->simplex;
    abut_vec3 w[3];
    for (int i = 0; i < simplex->count; ++i)
        w[i] = simplex->p[i].w;
    abut_simplex_weights(w, simplex->count, simplex->weight);
    abut_vec3 x = { 0, 0, 0 }, y = x, v = x;
    for (int i = 0; i < simplex->count; ++i) {
        x = abut_madd(x, simplex->weight[i], simplex->p[i].x);
        y = abut_madd(y, simplex->weight[i], simplex->p[i].y);
        v = abut_madd(v, simplex->weight[i], simplex->p[i].w);
    }
    const double hi = sqrt(abut_dot(v, v)) + s->pair->error;
    if (hi < out->hi) {
        out->hi = hi;
        out->x = x;
        out->y = y;
    }
}

/* lo from a direction of any length; the simplex gives the hints. */
static void bound_below(search *s, abut_vec3 n, abut_convex_answer *out)
{
    abut_convex_point p = s->simplex->p[0];
    const double lo = abut_convex_separation(s->pair, n, &p);
    ++s->supports;
    if (lo > out->lo) {
        out->lo = lo;
        out->normal = abut_scale(1 / sqrt(abut_dot(n, n)), n);
    }
}

/* From what was found to what is proved. */
static void certify(search *s, abut_convex_answer *out)
{
    bound_above(s, out);
    if (s->square > 0)
        bound_below(s, s->v, out);
    /* The last direction may be rounding, where an earlier one is not. */
    if (s->best > out->lo + 2 * s->pair->error)
        bound_below(s, s->along, out);
    if (!(abut_dot(out->normal, out->normal) > 0))
        out->normal = s->along;
    out->supports = s->supports;
    out->iterations = s->iterations;
}

static void start(search *s, const abut_vec3 *axis)
{
    abut_simplex *simplex = s->simplex;
    if (simplex->count == 0) {
        abut_vec3 n = axis ? *axis : s->pair->t;
        const double square = abut_dot(n, n);
        if (!(square > 0 && square < INFINITY))
            n = abut_v3(1, 0, 0);
        simplex->p[0].a = simplex->p[0].b = 0;
        abut_convex_support(s->pair, n, &simplex->p[0]);
        simplex->count = 1;
        s->supports = 1;
    }
    const abut_nearest_feature f = nearest(simplex);
    keep(simplex, &f);
    s->v = f.v;
    s->square = f.square;
}

/* The simplex holds the origin by the signs of its faces: proved? */
static bool proves_overlap(const search *s, abut_convex_answer *out)
{
    const abut_convex_point *p = s->simplex->p;
    const abut_vec3 w[4] = { p[0].w, p[1].w, p[2].w, p[3].w };
    const double margin = abut_simplex_margin(w);
    if (!(margin > s->pair->error))
        return false;
    out->hi = -(margin - s->pair->error) * (1 - 0x1p-50);
    return true;
}

static bool is_polytope_pair(const abut_convex_pair *pair)
{
    return abut_core_is_polytope(pair->a) && abut_core_is_polytope(pair->b);
}

/* Curved bodies: Newton's method on what is known so far. True when it has closed the enclosure. */
static bool refined(search *s, abut_convex_answer *out)
{
    abut_convex_answer known = { .lo = -INFINITY, .hi = INFINITY };
    known.normal = s->along;
    bound_above(s, &known);
    bound_below(s, s->v, &known);
    known.supports = s->supports;
    known.iterations = s->iterations;
    const bool better = abut_convex_refine(s->pair, &known);
    s->supports = known.supports;
    if (!better || !(known.hi - known.lo <= 4 * s->pair->error + 0x1p-45 * known.hi) || !(known.lo > 0))
        return false;
    *out = known;
    return true;
}

abut_gjk_end abut_gjk_distance(const abut_convex_pair *pair, double cutoff, const abut_vec3 *axis,
                               abut_simplex *simplex, abut_convex_answer *out)
{
    search s = { .pair = pair, .simplex = simplex, .best = -INFINITY };
    *out = (abut_convex_answer){ .lo = -INFINITY, .hi = INFINITY };
    start(&s, axis);
    const bool curved = !is_polytope_pair(pair);
    double refine_at = 0x1p-7;
    while (simplex->count < 4 && s.square > pair->error * pair->error && s.supports < MOST_SUPPORTS) {
        abut_convex_point *p = &simplex->p[simplex->count];
        p->a = simplex->p[0].a;
        p->b = simplex->p[0].b;
        abut_convex_support(pair, s.v, p);
        ++s.supports;
        ++s.iterations;
        const double length = sqrt(s.square), below = abut_dot(s.v, p->w) / length;
        if (below > s.best) {
            s.best = below;
            s.along = abut_scale(1 / length, s.v);
            if (below - pair->error > cutoff) {
                bound_below(&s, s.v, out);
                if (out->lo > cutoff)
                    break;
            }
        }
        if (length - s.best <= 0.25 * pair->error || holds(simplex, p->w))
            break;
        if (curved && s.iterations >= REFINE_FROM && length - s.best < refine_at * length) {
            refine_at *= 0x1p-4;
            if (refined(&s, out))
                return ABUT_GJK_APART;
        }
        ++simplex->count;
        const abut_nearest_feature f = nearest(simplex);
        if (!(f.square < s.square)) {
            --simplex->count;
            break;
        }
        keep(simplex, &f);
        s.v = f.v;
        s.square = f.square;
    }
    if (simplex->count == 4) {
        out->normal = s.along;
        out->supports = s.supports;
        out->iterations = s.iterations;
        for (int i = 0; i < 4; ++i)
            simplex->weight[i] = 0.25;
        return proves_overlap(&s, out) ? ABUT_GJK_MEETING : ABUT_GJK_NEAR;
    }
    certify(&s, out);
    return out->lo > cutoff ? ABUT_GJK_FAR : out->lo > 0 ? ABUT_GJK_APART : ABUT_GJK_NEAR;
}

int abut_gjk_compare(const abut_convex_pair *pair, double limit, abut_vec3 *axis, abut_simplex *simplex,
                     abut_convex_answer *out)
{
    const abut_gjk_end end = abut_gjk_distance(pair, limit, axis, simplex, out);
    *axis = out->normal;
    (void)end;
    return out->lo > limit ? 1 : out->hi < limit ? -1 : 0;
}
