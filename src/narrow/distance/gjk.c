/* SPDX-License-Identifier: MIT */
/* The distance of two convex cores by the method of Gilbert, Johnson and Keerthi (1988), with
 * certified bounds.
 *
 * K is the difference of the cores (see convex.h), v the point nearest to the origin of a
 * simplex in K, w the point of K least along v. Then v . w / |v| <= gap <= |v|, and the simplex
 * with w comes nearer. Doubles steer: the loop ends when both bounds agree to rounding, when w
 * brings nothing new, or after a fixed number of supports. What is returned is bounded
 * afterwards: lo by the separation along the best direction, hi by the witnesses, both widened
 * by the error of the pair, or below zero by a tetrahedron of points of K that holds the origin
 * deeper than that error. */
#include "narrow/distance/gjk_search.h"

enum { REFINE_FROM = 1, REFINE_UNTIL = 40 };

typedef abut_gjk_search search;

/* abut_convex_support, in line and by coordinates: a vector that was just stored would be passed
 * through memory by pairs of them, for which the processor has to wait. */
ABUT_SIMPLEX_INLINE void support_at(const abut_convex_pair *pair, double x, double y, double z,
                                    abut_convex_point *p)
{
    const abut_vec3 n = { x, y, z };
    const abut_vec3 m = abut_mul_t(&pair->r, n);
    const abut_vec3 from = abut_core_support(pair->a, n, &p->a);
    const abut_vec3 to = abut_core_support(pair->b, abut_v3(-m.x, -m.y, -m.z), &p->b);
    p->x = from;
    p->y = abut_add(abut_mul(&pair->r, to), pair->t);
    p->w = abut_sub(p->y, from);
}

ABUT_SIMPLEX_INLINE void support_of_hulls(const abut_convex_pair *pair, double x, double y, double z,
                                          abut_convex_point *p)
{
    const abut_core *a = pair->a, *b = pair->b;
    const abut_vec3 m = abut_mul_t(&pair->r, abut_v3(x, y, z));
    const uint64_t both = abut_hull_scan_two(a->hull, x, y, z, b->hull, -m.x, -m.y, -m.z);
    p->a = (uint32_t)both;
    p->b = (uint32_t)(both >> 32);
    p->x = abut_scale(a->scale, abut_hull_vertex(a->hull, p->a));
    p->y = abut_add(abut_mul(&pair->r, abut_scale(b->scale, abut_hull_vertex(b->hull, p->b))), pair->t);
    p->w = abut_sub(p->y, p->x);
}

static bool is_scanned(const abut_core *core)
{
    return core->kind == ABUT_CORE_HULL && abut_hull_is_scanned(core->hull);
}

/* Support along d into a free slot. */
ABUT_SIMPLEX_INLINE const abut_convex_point *support_along(search *s, abut_vec3 d)
{
    abut_convex_point *p = &s->pool[abut_gjk_free(s)];
    const abut_convex_point *near = &s->pool[s->at[s->count - 1]];
    p->a = near->a;
    p->b = near->b;
    if (s->hulls)
        support_of_hulls(s->pair, d.x, d.y, d.z, p);
    else
        support_at(s->pair, d.x, d.y, d.z, p);
    s->last = p;
    ++s->supports;
    return p;
}

ABUT_SIMPLEX_INLINE const abut_convex_point *support(search *s)
{
    return support_along(s, s->v);
}

ABUT_SIMPLEX_INLINE bool grow(search *s)
{
    const abut_vec3 a = s->last->w;
    abut_nearest_feature f;
    abut_simplex_grow(s->w, s->count, a, &f);
    return abut_gjk_go_to(s, a, &f);
}

static void begin(search *s, const abut_convex_pair *pair, abut_simplex *simplex)
{
    s->pair = pair;
    s->pool = simplex->p;
    for (int i = 0; i < 4; ++i) {
        s->w[i] = abut_v3(0, 0, 0);
        s->at[i] = 0;
    }
    s->last = NULL;
    s->along = abut_v3(0, 0, 0);
    s->along_w = -1;
    s->along_square = 0;
    s->supports = s->iterations = 0;
    s->asides = 0;
    s->hulls = is_scanned(pair->a) && is_scanned(pair->b);
}

/* The support along n for a simplex. */
ABUT_SIMPLEX_INLINE void begin_along(search *s, abut_vec3 n)
{
    s->count = 1;
    s->used = 0;
    s->pool[0].a = s->pool[0].b = 0;
    s->v = s->w[0] = support_along(s, n)->w;
    s->used = 1;
    s->last = NULL;
    s->square = abut_dot(s->v, s->v);
}

/* The difference of the centres for a simplex, where they are known to be in the cores: true
 * then. It costs no support, and lies deep inside K, where a simplex that is to hold the origin
 * is best begun. */
static bool begin_at_centre(search *s)
{
    const abut_convex_pair *pair = s->pair;
    if (!(pair->a->inner >= 0 && pair->b->inner >= 0) || !abut_gjk_is_direction(pair->t))
        return false;
    abut_convex_point *p = &s->pool[0];
    p->a = p->b = ABUT_CONVEX_CENTRE;
    p->x = abut_v3(0, 0, 0);
    p->y = p->w = s->v = s->w[0] = pair->t;
    s->square = abut_dot(s->v, s->v);
    s->count = 1;
    s->used = 1;
    return true;
}

/* The nearest feature of a simplex that is there already. */
static void begin_with(search *s, const abut_simplex *simplex)
{
    abut_vec3 w[4];
    for (int i = 0; i < simplex->count; ++i)
        w[i] = simplex->p[i].w;
    const abut_nearest_feature f = abut_simplex_nearest(w, simplex->count);
    s->v = f.v;
    s->square = f.square;
    s->used = f.kept;
    s->count = 0;
    for (int i = 0; i < simplex->count; ++i)
        if (f.kept >> i & 1) {
            s->w[s->count] = w[i];
            s->at[s->count++] = (unsigned)i;
        }
}

/* ---- from what was found to what is proved ---- */

/* Leaves the points in use in the simplex. */
static void hand_over(const search *s, abut_simplex *simplex)
{
    simplex->count = s->count;
    bool there = true;
    for (int i = 0; i < s->count; ++i)
        there &= s->at[i] == (unsigned)i;
    if (there)
        return;
    abut_convex_point kept[4];
    for (int i = 0; i < s->count; ++i)
        kept[i] = s->pool[s->at[i]];
    for (int i = 0; i < s->count; ++i)
        simplex->p[i] = kept[i];
}

/* Witnesses and hi from the simplex as it is (at most three points). */
static void bound_above(const search *s, double weight[4], abut_convex_answer *out)
{
    abut_simplex_weights(s->w, s->count, weight);
    abut_vec3 x = { 0, 0, 0 }, y = x, v = x;
    for (int i = 0; i < s->count; ++i) {
        const abut_convex_point *p = &s->pool[s->at[i]];
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
    if (s->along_square > 0 && s->along_w > (out->lo + 2 * s->pair->error) * sqrt(s->along_square)) {
        abut_convex_point p = s->pool[s->at[0]];
        ++s->supports;
        bound_below_at(s->along, abut_convex_separation(s->pair, s->along, &p), out);
    }
}

/* The simplex holds the origin by the signs of its faces: proved? */
static bool proves_overlap(const search *s, abut_convex_answer *out)
{
    const double margin = abut_simplex_margin(s->w);
    if (!(margin > s->pair->error))
        return false;
    out->hi = -(margin - s->pair->error) * (1 - 0x1p-50);
    return true;
}

/* ---- distance ---- */

/* Curved bodies: Newton's method from what is known so far. True when it has closed the
 * enclosure. */
static bool refined(search *s, abut_convex_answer *out)
{
    out->supports = s->supports;
    out->iterations = s->iterations;
    (void)abut_convex_refine(s->pair, ABUT_GJK_SUPPORTS, out);
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
        if (!(out->lo > -INFINITY))
            out->normal = abut_unit_or(s->along, abut_v3(1, 0, 0));
        for (int i = 0; i < 4; ++i)
            simplex->weight[i] = 0.25;
        end = proves_overlap(s, out) ? ABUT_GJK_MEETING : ABUT_GJK_NEAR;
    } else {
        certify(s, simplex, out);
        end = out->lo > cutoff ? ABUT_GJK_FAR : out->lo > 0 ? ABUT_GJK_APART : ABUT_GJK_NEAR;
    }
    hand_over(s, simplex);
    out->supports = s->supports;
    out->iterations = s->iterations;
    return end;
}

static void clear(abut_convex_answer *out)
{
    out->lo = -INFINITY;
    out->hi = INFINITY;
    out->normal = out->x = out->y = abut_v3(0, 0, 0);
    out->supports = out->iterations = 0;
}

/* First direction where none is given, or one that is none. */
static abut_vec3 centre_line(const abut_convex_pair *pair)
{
    return abut_gjk_is_direction(pair->t) ? pair->t : abut_v3(1, 0, 0);
}

/* As if so many supports had been asked for before. */
static abut_gjk_end distance_after(const abut_convex_pair *pair, double cutoff, const abut_vec3 *axis,
                                   uint32_t before, abut_simplex *simplex, abut_convex_answer *out)
{
    search s;
    begin(&s, pair, simplex);
    clear(out);
    s.supports = before;
    const bool curved = !abut_convex_is_polytope_pair(pair);
    double refine_below = curved ? 0.75 : 0;
    abut_vec3 aside = { 0, 0, 0 };
    if (simplex->count > 0) {
        begin_with(&s, simplex);
    } else {
        const bool warm = axis && abut_gjk_is_direction(*axis);
        const abut_vec3 n = warm ? *axis : centre_line(pair);
        if (cutoff == INFINITY && abut_gjk_takes_hulls(pair, n)) {
            if (abut_gjk_walk_hulls(&s, n))
                return finish(&s, cutoff, simplex, out);
        } else {
            begin_along(&s, n);
        }
        if (curved && warm && abut_dot(n, s.v) > 0 && refined_from_axis(&s, n, out))
            return ABUT_GJK_APART;
        if (!curved)
            aside = abut_gjk_between(&s, n);
    }
    const double near = pair->error * pair->error, far = (cutoff + pair->error) * (cutoff + pair->error);
    bool first = abut_gjk_is_direction(aside);
    while (s.count < 4 && s.square > near && s.supports < ABUT_GJK_SUPPORTS) {
        const abut_convex_point *p = support_along(&s, first ? aside : s.v);
        if (first) {
            first = false;
            if (!grow(&s))
                s.last = NULL;
            continue;
        }
        const double below = abut_dot(s.v, p->w), gap = s.square - below;
        if (abut_gjk_is_decided(&s, gap))
            break;
        if (abut_gjk_note_bound(&s, below) && below * below > far * s.square) {
            bound_below(&s, out);
            if (out->lo > cutoff)
                break;
        }
        if (abut_gjk_is_stuck(&s, gap, p->w))
            break;
        if (gap < refine_below * s.square && s.iterations >= REFINE_FROM && s.supports < REFINE_UNTIL) {
            refine_below *= 0x1p-4;
            if (refined_from_simplex(&s, out))
                return ABUT_GJK_APART;
        }
        if (!grow(&s))
            break;
    }
    return finish(&s, cutoff, simplex, out);
}

abut_gjk_end abut_gjk_distance(const abut_convex_pair *pair, double cutoff, const abut_vec3 *axis,
                               abut_simplex *simplex, abut_convex_answer *out)
{
    return distance_after(pair, cutoff, axis, 0, simplex, out);
}

abut_gjk_end abut_gjk_distance_within(const abut_convex_pair *pair, const abut_vec3 *axis, uint32_t supports,
                                      abut_simplex *simplex, abut_convex_answer *out)
{
    const uint32_t before = supports < ABUT_SHARE_GJK ? ABUT_SHARE_GJK - supports : 0;
    const abut_gjk_end end = distance_after(pair, INFINITY, axis, before, simplex, out);
    out->supports -= before < out->supports ? before : out->supports;
    return end;
}

abut_gjk_end abut_gjk_point(const abut_core *core, abut_vec3 p, abut_convex_answer *out)
{
    const abut_core point = { .kind = ABUT_CORE_POINT, .scale = 1 };
    const abut_convex_pair pair = { .a = core,
                                    .b = &point,
                                    .r = { { { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 } } },
                                    .t = p,
                                    .error = core->error };
    abut_simplex simplex = { .count = 0 };
    return abut_gjk_distance(&pair, INFINITY, NULL, &simplex, out);
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
    if (s->count == 4)
        return abut_simplex_holds(s->w, s->pair->error) || proves_overlap(s, out);
    double weight[4];
    bound_above(s, weight, out);
    return side_of(out, limit) < 0;
}

static int walk(search *s, double limit, abut_vec3 *axis, abut_convex_answer *out)
{
    const double apart = limit + s->pair->error, meets = limit - s->pair->error;
    const double apart2 = apart * apart, meets2 = meets > 0 ? meets * meets : 0;
    while (s->supports < ABUT_SHARE_COMPARE) {
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

/* Along the first direction: does that do? */
static bool first_parts(const search *s, double limit, abut_vec3 *axis, abut_convex_answer *out)
{
    const double apart = limit + s->pair->error, below = abut_dot(*axis, s->w[0]);
    return below > 0 && below * below > apart * apart * abut_dot(*axis, *axis) &&
           parts(s, *axis, &s->pool[0], limit, axis, out);
}

int abut_gjk_compare(const abut_convex_pair *pair, double limit, abut_vec3 *axis, abut_simplex *simplex,
                     abut_convex_answer *out)
{
    search s;
    begin(&s, pair, simplex);
    clear(out);
    int side = 0;
    if (simplex->count > 0) {
        begin_with(&s, simplex);
    } else if (abut_gjk_is_direction(*axis) || !begin_at_centre(&s)) {
        if (!abut_gjk_is_direction(*axis))
            *axis = centre_line(pair);
        begin_along(&s, *axis);
        side = first_parts(&s, limit, axis, out);
    }
    if (side == 0)
        side = walk(&s, limit, axis, out);
    out->supports = s.supports;
    out->iterations = s.iterations;
    if (side) {
        hand_over(&s, simplex);
        return side;
    }
    simplex->count = 0;
    (void)abut_gjk_distance(pair, INFINITY, NULL, simplex, out);
    out->supports += s.supports;
    out->iterations += s.iterations;
    *axis = out->normal;
    return side_of(out, limit);
}
