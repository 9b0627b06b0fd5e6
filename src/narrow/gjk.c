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

/* The points of a simplex stay where they are in the pool; `order` says which are in use, the newest first. */
typedef struct search {
    const abut_convex_pair *pair;
    abut_convex_point *pool; /* four */
    int count, order[4];
    abut_vec3 v;                   /* nearest point of the simplex */
    double square;                 /* |v|^2 */
    const abut_convex_point *last; /* support along v, when it is known */
    double best;                   /* largest v . w / |v| seen, and its direction: not certified */
    abut_vec3 along;               /* unit */
    uint32_t supports, iterations;
} search;

static inline abut_convex_point *free_slot(const search *s)
{
    unsigned used = 0;
    for (int i = 0; i < s->count; ++i)
        used |= 1u << s->order[i];
    int slot = 0;
    while (used >> slot & 1)
        ++slot;
    return &s->pool[slot];
}

/* Support along v into a free slot. */
static inline const abut_convex_point *support(search *s)
{
    abut_convex_point *p = free_slot(s);
    const abut_convex_point *near = &s->pool[s->order[0]];
    p->a = near->a;
    p->b = near->b;
    abut_convex_support(s->pair, s->v, p);
    s->last = p;
    ++s->supports;
    ++s->iterations;
    return p;
}

/* Adds the last support to the simplex and goes to the nearest point of that; false, and nothing changed, where it is not nearer. */
static inline bool grow(search *s)
{
    const abut_convex_point *p = s->last;
    const abut_vec3 *w[4] = { &p->w };
    for (int i = 0; i < s->count; ++i)
        w[i + 1] = &s->pool[s->order[i]].w;
    abut_nearest_feature f;
    abut_simplex_grow(w, s->count + 1, &f);
    if (!(f.square < s->square))
        return false;
    int order[4];
    for (int i = 0; i < f.count; ++i)
        order[i] = f.index[i] ? s->order[f.index[i] - 1] : (int)(p - s->pool);
    for (int i = 0; i < f.count; ++i)
        s->order[i] = order[i];
    s->count = f.count;
    s->v = f.v;
    s->square = f.square;
    s->last = NULL;
    return true;
}

static bool holds(const search *s, abut_vec3 w)
{
    for (int i = 0; i < s->count; ++i) {
        const abut_vec3 p = s->pool[s->order[i]].w;
        if (p.x == w.x && p.y == w.y && p.z == w.z)
            return true;
    }
    return false;
}

/* ---- from what was found to what is proved ---- */

/* Brings the points in use to the front, in order. */
static void compact(search *s)
{
    abut_convex_point kept[4];
    for (int i = 0; i < s->count; ++i)
        kept[i] = s->pool[s->order[i]];
    for (int i = 0; i < s->count; ++i) {
        s->pool[i] = kept[i];
        s->order[i] = i;
    }
    s->last = NULL;
}

/* Witnesses and hi from the simplex as it stands (at most three points). */
static void bound_above(const search *s, double weight[4], abut_convex_answer *out)
{
    abut_vec3 w[4];
    for (int i = 0; i < s->count; ++i)
        w[i] = s->pool[s->order[i]].w;
    abut_simplex_weights(w, s->count, weight);
    abut_vec3 x = { 0, 0, 0 }, y = x, v = x;
    for (int i = 0; i < s->count; ++i) {
        const abut_convex_point *p = &s->pool[s->order[i]];
        x = abut_madd(x, weight[i], p->x);
        y = abut_madd(y, weight[i], p->y);
        v = abut_madd(v, weight[i], p->w);
    }
    const double hi = sqrt(abut_dot(v, v)) + s->pair->error;
    if (hi < out->hi) {
        out->hi = hi;
        out->x = x;
        out->y = y;
    }
}

static void bound_below_at(abut_vec3 n, double lo, abut_convex_answer *out)
{
    if (lo > out->lo) {
        out->lo = lo;
        out->normal = abut_scale(1 / sqrt(abut_dot(n, n)), n);
    }
}

/* lo from v; `last` is its support. */
static void bound_below(search *s, abut_convex_answer *out)
{
    if (!s->last)
        (void)support(s);
    bound_below_at(s->v, abut_convex_certify(s->pair, s->v, s->last), out);
}

static void certify(search *s, abut_simplex *simplex, abut_convex_answer *out)
{
    bound_above(s, simplex->weight, out);
    if (s->square > 0)
        bound_below(s, out);
    /* The last direction may be rounding, where an earlier one is not. */
    if (s->best > out->lo + 2 * s->pair->error) {
        abut_convex_point p = s->pool[s->order[0]];
        ++s->supports;
        bound_below_at(s->along, abut_convex_separation(s->pair, s->along, &p), out);
    }
    if (!(abut_dot(out->normal, out->normal) > 0))
        out->normal = s->along;
}

/* The simplex holds the origin by the signs of its faces: proved? */
static bool proves_overlap(const search *s, abut_convex_answer *out)
{
    abut_vec3 w[4];
    for (int i = 0; i < 4; ++i)
        w[i] = s->pool[s->order[i]].w;
    const double margin = abut_simplex_margin(w);
    if (!(margin > s->pair->error))
        return false;
    out->hi = -(margin - s->pair->error) * (1 - 0x1p-50);
    return true;
}

/* ---- distance ---- */

static bool is_direction(abut_vec3 n)
{
    const double square = abut_dot(n, n);
    return square > 0x1p-400 && square < 0x1p400;
}

static void start(search *s, const abut_vec3 *axis, const abut_simplex *simplex)
{
    if (simplex->count > 0) {
        abut_vec3 w[4];
        for (int i = 0; i < simplex->count; ++i)
            w[i] = simplex->p[i].w;
        const abut_nearest_feature f = abut_simplex_nearest(w, simplex->count);
        s->v = f.v;
        s->square = f.square;
        s->count = f.count;
        for (int i = 0; i < f.count; ++i)
            s->order[i] = f.index[i];
        return;
    }
    abut_vec3 n = axis ? *axis : s->pair->t;
    if (!is_direction(n))
        n = abut_v3(1, 0, 0);
    s->pool[0].a = s->pool[0].b = 0;
    abut_convex_support(s->pair, n, &s->pool[0]);
    s->supports = 1;
    s->count = 1;
    s->order[0] = 0;
    s->v = s->pool[0].w;
    s->square = abut_dot(s->v, s->v);
}

static bool is_polytope_pair(const abut_convex_pair *pair)
{
    return abut_core_is_polytope(pair->a) && abut_core_is_polytope(pair->b);
}

/* Curved bodies: Newton's method from what is known so far. True when it has closed the enclosure. */
static bool refined(search *s, abut_convex_answer *out)
{
    out->supports = s->supports;
    out->iterations = s->iterations;
    (void)abut_convex_refine(s->pair, out);
    s->supports = out->supports;
    s->iterations = out->iterations;
    return out->lo > 0 && out->hi - out->lo <= 4 * s->pair->error + 0x1p-45 * out->hi;
}

static bool refined_from_simplex(search *s, abut_convex_answer *out)
{
    double weight[4];
    bound_above(s, weight, out);
    bound_below(s, out);
    return refined(s, out);
}

/* From the direction of the last time. */
static bool refined_from_axis(search *s, abut_vec3 n, abut_convex_answer *out)
{
    out->normal = abut_scale(1 / sqrt(abut_dot(n, n)), n);
    out->x = s->pool[0].x;
    out->y = s->pool[0].y;
    return refined(s, out);
}

static abut_gjk_end finish(search *s, double cutoff, abut_simplex *simplex, abut_convex_answer *out)
{
    abut_gjk_end end;
    if (s->count == 4) {
        out->normal = s->along;
        for (int i = 0; i < 4; ++i)
            simplex->weight[i] = 0.25;
        end = proves_overlap(s, out) ? ABUT_GJK_MEETING : ABUT_GJK_NEAR;
    } else {
        certify(s, simplex, out);
        end = out->lo > cutoff ? ABUT_GJK_FAR : out->lo > 0 ? ABUT_GJK_APART : ABUT_GJK_NEAR;
    }
    compact(s);
    simplex->count = s->count;
    out->supports = s->supports;
    out->iterations = s->iterations;
    return end;
}

abut_gjk_end abut_gjk_distance(const abut_convex_pair *pair, double cutoff, const abut_vec3 *axis,
                               abut_simplex *simplex, abut_convex_answer *out)
{
    search s = { .pair = pair, .pool = simplex->p, .best = -INFINITY };
    *out = (abut_convex_answer){ .lo = -INFINITY, .hi = INFINITY };
    start(&s, axis, simplex);
    const double near = pair->error * pair->error;
    const bool curved = !is_polytope_pair(pair);
    double refine_below = curved ? 0x1p-7 : 0;
    if (curved && axis && refined_from_axis(&s, *axis, out)) {
        simplex->count = 0;
        return ABUT_GJK_APART;
    }
    while (s.count < 4 && s.square > near && s.supports < MOST_SUPPORTS) {
        const abut_convex_point *p = support(&s);
        const double length = sqrt(s.square), below = abut_dot(s.v, p->w) / length;
        if (below > s.best) {
            s.best = below;
            s.along = abut_scale(1 / length, s.v);
            if (below - pair->error > cutoff) {
                bound_below(&s, out);
                if (out->lo > cutoff)
                    break;
            }
        }
        if (length - below <= 0.25 * pair->error || holds(&s, p->w))
            break;
        if (s.iterations >= REFINE_FROM && length - below < refine_below * length) {
            refine_below *= 0x1p-4;
            if (refined_from_simplex(&s, out)) {
                simplex->count = 0;
                return ABUT_GJK_APART;
            }
        }
        if (!grow(&s))
            break;
    }
    return finish(&s, cutoff, simplex, out);
}

/* ---- on which side of a limit ---- */

/* Both sums are off by no more than u of the limit, which is itself a rounded sum. */
static int side_of(const abut_convex_answer *out, double limit)
{
    const double slack = 0x1p-51 * limit;
    return out->lo > limit + slack ? 1 : out->hi < limit - slack ? -1 : 0;
}

/* v . w says that the cores are further apart than the limit: proved? */
static bool parts(const search *s, abut_vec3 n, const abut_convex_point *p, double limit, abut_vec3 *axis,
                  abut_convex_answer *out)
{
    out->lo = abut_convex_certify(s->pair, n, p);
    *axis = n;
    return side_of(out, limit) > 0;
}

/* The simplex says that they are nearer than the limit: proved? */
static bool joins(const search *s, double limit, abut_convex_answer *out)
{
    if (s->count == 4) {
        const abut_convex_point *p = s->pool;
        return abut_simplex_holds(&p[0].w, &p[1].w, &p[2].w, &p[3].w, s->pair->error) ||
               proves_overlap(s, out);
    }
    double weight[4];
    bound_above(s, weight, out);
    return side_of(out, limit) < 0;
}

/* What the last query ended with may still hold the origin, or be near it. */
static bool recall(search *s, const abut_simplex *simplex)
{
    if (simplex->count == 0)
        return false;
    start(s, NULL, simplex);
    return true;
}

static int walk(search *s, double limit, abut_vec3 *axis, abut_convex_answer *out)
{
    const double apart = limit + s->pair->error, meets = limit - s->pair->error;
    const double apart2 = apart * apart, meets2 = meets > 0 ? meets * meets : 0;
    while (s->supports < MOST_SUPPORTS / 2) {
        if (s->square <= meets2)
            return joins(s, limit, out) ? -1 : 0;
        const abut_convex_point *p = support(s);
        const double below = abut_dot(s->v, p->w);
        if (below > 0 && below * below > apart2 * s->square && parts(s, s->v, p, limit, axis, out))
            return 1;
        if (!grow(s))
            return 0;
    }
    return 0;
}

/* Along the first direction, then from its support point. */
static int first_step(search *s, double limit, abut_vec3 *axis, abut_convex_answer *out)
{
    const double apart = limit + s->pair->error;
    abut_convex_point *p = &s->pool[0];
    p->a = p->b = 0;
    abut_convex_support(s->pair, *axis, p);
    ++s->supports;
    const double below = abut_dot(*axis, p->w);
    if (below > 0 && below * below > apart * apart * abut_dot(*axis, *axis) &&
        parts(s, *axis, p, limit, axis, out))
        return 1;
    s->count = 1;
    s->order[0] = 0;
    s->v = p->w;
    s->square = abut_dot(s->v, s->v);
    return 0;
}

int abut_gjk_compare(const abut_convex_pair *pair, double limit, abut_vec3 *axis, abut_simplex *simplex,
                     abut_convex_answer *out)
{
    search s = { .pair = pair, .pool = simplex->p };
    out->lo = -INFINITY;
    out->hi = INFINITY;
    out->normal = abut_v3(0, 0, 0);
    if (!is_direction(*axis))
        *axis = is_direction(pair->t) ? pair->t : abut_v3(1, 0, 0);
    int side = recall(&s, simplex) ? 0 : first_step(&s, limit, axis, out);
    if (side == 0)
        side = walk(&s, limit, axis, out);
    out->supports = s.supports;
    out->iterations = s.iterations;
    if (side) {
        compact(&s);
        simplex->count = s.count;
        return side;
    }
    simplex->count = 0;
    (void)abut_gjk_distance(pair, INFINITY, NULL, simplex, out);
    out->supports += s.supports;
    out->iterations += s.iterations;
    *axis = out->normal;
    return side_of(out, limit);
}
