/* SPDX-License-Identifier: MIT */
/* Two bodies without balls that translate, by a portal; see linear_cast.h.
 *
 * Seen along the velocity, the difference K is a polygon, and the bodies meet where the origin is
 * inside it. Three points of K around the origin are a portal, pierced by the line of the origin.
 * The point of K furthest along the portal's normal, on the side that comes first, splits it in
 * three; the part around the origin is the next portal, until there is no point beyond it: then its
 * plane is the one through which they meet (after G. Snethen, XenoCollide, in Game Programming Gems
 * 7, 2008, who does so from a point inside). Doubles find the plane; it proves the bodies apart
 * before, and the portal with a point of K behind it (or, for curved bodies, a point that both have
 * in common) the overlap after.
 *
 * z is the direction of the velocity: b comes along z, so that the portal moves up and the last
 * points before the origin are K's highest. The first portal is made of points that lean that
 * way: it has less far to go than one of points on the silhouette, which are asked for only
 * where those do not surround the origin. */
#include "ccd/cast/cast_portal.h"

#include "ccd/proof/instant.h"
#include "math/nearest.h"
#include "narrow/distance/simplex.h"

static const double u = 0x1p-53;

typedef abut_portal portal;
typedef abut_portal_corner corner;
typedef abut_convex_pair finder;

static ABUT_MATH_NOINLINE void find(portal *k, const finder *pair, abut_vec3 d)
{
    corner *out = k->spare;
    out->p.a = k->at[0]->p.a;
    out->p.b = k->at[0]->p.b;
    abut_convex_support(pair, abut_v3(-d.x, -d.y, -d.z), &out->p);
    ++k->supports;
    out->round = abut_cross(k->z, out->p.w);
    k->d = d;
}

#include "ccd/cast/cast_portal_search.h"

static abut_feature feature_of(const abut_core *core, uint32_t a, uint32_t b, uint32_t c)
{
    if (!abut_core_is_polytope(core))
        return ABUT_FEATURE_FACE;
    const int distinct = 1 + (b != a) + (c != a && c != b);
    if (distinct == 2) /* an edge or the diagonal of a face */
        return abut_instant_feature(core, (const uint32_t[3]){ a, b, c }, 3);
    return distinct == 1 ? ABUT_FEATURE_VERTEX : ABUT_FEATURE_FACE;
}

/* The points of contact, of b as it stood at the start: weights by the areas that the corners
 * see of the portal. */
static void contact(const portal *k, abut_vec3 *x, abut_vec3 *y)
{
    const corner *p = k->at[0], *q = k->at[1], *r = k->at[2];
    const double w0 = turn(q, r), w1 = turn(r, p), w2 = turn(p, q);
    const double inverse = 1 / (w0 + w1 + w2);
    *x = abut_scale(inverse, abut_madd(abut_madd(abut_scale(w0, p->p.x), w1, q->p.x), w2, r->p.x));
    *y = abut_scale(inverse, abut_madd(abut_madd(abut_scale(w0, p->p.y), w1, q->p.y), w2, r->p.y));
}

/* top: the vertices furthest along out->n, for hulls. */
static void describe(const portal *k, const uint32_t top[2], abut_linear_cast_hit *out)
{
    const abut_convex_point *p = &k->at[0]->p, *q = &k->at[1]->p, *r = &k->at[2]->p;
    abut_vec3 y;
    contact(k, &out->x, &y);
    out->features[0] = feature_of(k->c->pair.a, p->a, q->a, r->a);
    out->features[1] = feature_of(k->c->pair.b, p->b, q->b, r->b);
    out->several = !(k->hulls && abut_portal_hulls_cross(k, out->features)) &&
                   abut_linear_cast_is_several_at(k->c, out, top);
}

/* The middle of the points of contact lies inside both. */
static bool shares_point(const portal *k, double s, double error)
{
    const abut_linear_cast *c = k->c;
    abut_vec3 x, y;
    contact(k, &x, &y);
    abut_convex_pair then = c->pair;
    then.t = abut_madd(c->pair.t, s, c->v);
    then.error = error;
    return abut_convex_common_point(&then, abut_scale(0.5, abut_add(x, abut_madd(y, s, c->v))));
}

/* Proved: an overlap at s, by the portal and a point of K on the other side of the origin. */
static bool overlaps(const portal *k, const abut_vec3 *behind, double s, double error)
{
    const abut_vec3 v = k->c->v;
    if (!k->flat_faced)
        return shares_point(k, s, error);
    const abut_vec3 w[4] = { abut_madd(k->at[0]->p.w, s, v), abut_madd(k->at[1]->p.w, s, v),
                             abut_madd(k->at[2]->p.w, s, v), abut_madd(*behind, s, v) };
    return (k->hulls ? abut_portal_margin(w) : abut_simplex_margin(w)) > error;
}

/* The support points of k->d are those of doubles: no vertex that a climb did not come to. */
static bool is_decided(const abut_core *core)
{
    return core->kind != ABUT_CORE_HULL || abut_hull_is_scanned(core->hull);
}

/* The plane across k->d through the spare corner, which was found along it, as a lower bound of
 * the gap. Of a product with w, its three roundings, those of the length and its quotient, which
 * value and slope share, and one more are 4 u (|t| + sizes) beyond what `error` has for the
 * plane of linear_cast.h. False where d is no direction. */
static bool find_plane(const portal *k, abut_vec3 *n, abut_linear_cast_line *out)
{
    const abut_linear_cast *c = k->c;
    const double square = abut_dot(k->d, k->d);
    if (!(square > 0x1p-300 && square < 0x1p300))
        return false;
    *n = abut_scale(-1 / sqrt(square), k->d);
    if (!is_decided(c->pair.a) || !is_decided(c->pair.b)) {
        abut_linear_cast_plane(c, n, k->spare->p.a, k->spare->p.b, out);
        return true;
    }
    const double sizes = c->far + c->pair.a->size + c->pair.b->size;
    out->value = abut_dot(*n, k->spare->p.w) - (c->error + 8 * u * sizes);
    out->slope = abut_dot(*n, c->v) - c->slip;
    return true;
}

static void begin(portal *k, const abut_linear_cast *c)
{
    k->c = c;
    k->supports = 0;
    k->flat_faced = abut_core_is_polytope(c->pair.a) && abut_core_is_polytope(c->pair.b);
    k->hulls = abut_portal_takes_hulls(&c->pair);
    k->z = abut_scale(1 / c->speed, c->v);
    for (int i = 0; i < 3; ++i)
        k->at[i] = &k->room[i];
    k->spare = &k->room[3];
    for (int i = 0; i < 3; ++i)
        k->room[i].p.a = k->room[i].p.b = 0;
}

abut_linear_cast_end abut_linear_cast_portal(abut_linear_cast *c, abut_linear_cast_hit *out)
{
    portal k;
    begin(&k, c);
    const double most = c->most * (1 + 4 * u);
    const abut_portal_end end = k.hulls ? abut_portal_search_hulls(&k) : search(&k, &c->pair);
    out->evaluations += k.supports;
    abut_linear_cast_line plane;
    if (end == ABUT_PORTAL_LOST || !find_plane(&k, &out->n, &plane))
        return ABUT_SLIDE_UNSURE;
    const double clear = abut_linear_cast_clear(&plane, most);
    if (clear >= most)
        return ABUT_SLIDE_MISS;
    if (end == ABUT_PORTAL_MISSED || !(clear > 0) || !(plane.slope < 0) ||
        !abut_linear_cast_time_before(c->lo, clear, &out->time.lo))
        return ABUT_SLIDE_UNSURE;
    const uint32_t top[2] = { k.spare->p.a, k.spare->p.b };
    abut_vec3 behind = c->pair.t; /* a point of K where both bodies are around their origins */
    if (!(c->pair.a->inner >= 0 && c->pair.b->inner >= 0)) {
        find(&k, &c->pair, abut_v3(-k.z.x, -k.z.y, -k.z.z));
        behind = k.spare->p.w;
        ++out->evaluations;
    }
    double s = clear;
    for (int i = 0; i < 5; ++i) {
        s += (4 << i) * (c->error + s * c->slip) / -plane.slope;
        out->time.hi = c->lo + s;
        if (!(out->time.hi < c->hi))
            return ABUT_SLIDE_UNSURE;
        const double since = out->time.hi - c->lo; /* off by u of itself, which `slip` has */
        if (overlaps(&k, &behind, since, c->error + since * c->slip)) {
            out->s = clear;
            describe(&k, top, out);
            return ABUT_SLIDE_HIT;
        }
    }
    return ABUT_SLIDE_UNSURE;
}
