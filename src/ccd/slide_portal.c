/* SPDX-License-Identifier: MIT */
/* Two bodies without balls that translate, by a portal; see slide.h.
 *
 * Seen along the velocity, the difference K is a polygon, and the bodies meet where the origin is inside it. Three points of K around the origin are a portal,
 * pierced by the line of the origin. The point of K furthest along the portal's normal, on the side that comes first, splits it in three; the part around the origin is the
 * next portal, until there is no point beyond it: then its plane is the one through which they meet (after G. Snethen, XenoCollide, in Game Programming
 * Gems 7, 2008, who does so from a point inside). Doubles find the plane; it proves the bodies apart before, and the portal with a point of K behind it (or, for curved bodies, a point
 * that both have in common) the overlap after.
 *
 * z is the direction of the velocity: b comes along z, so that the portal moves up and the last points before the origin are K's highest. The first portal is made of points that lean that way: it has
 * less far to go than one of points on the silhouette, which are asked for only where those do not surround the origin. */
#include "ccd/slide.h"

#include "math/nearest.h"
#include "narrow/simplex.h"

static const double u = 0x1p-53;

enum { MOST_STEPS = 48 };

/* How far directions across the velocity are tilted to it for the first portal; how far a body reaches on average, in parts of what it reaches at most; the part of
 * that, squared, beyond which a line that passes is thought to miss. Measured. */
static const double tilt = 0.5, reach = 0.8, beside = 0.6;

typedef struct corner {
    abut_convex_point p;
    abut_vec3 round; /* z x p.w */
} corner;

typedef struct portal {
    const abut_slide *c;
    abut_vec3 z;
    corner room[4];
    corner *at[3], *spare;
    abut_vec3 d;   /* the last direction looked along: from b to a, hence up */
    double shrink; /* what makes products of two edges about as long as 1 */
    uint32_t supports;
    bool flat_faced; /* both are polytopes */
} portal;

/* K's point furthest along d, into the spare corner. */
static ABUT_MATH_NOINLINE void find(portal *k, abut_vec3 d)
{
    corner *out = k->spare;
    out->p.a = k->at[0]->p.a;
    out->p.b = k->at[0]->p.b;
    abut_convex_support(&k->c->pair, abut_v3(-d.x, -d.y, -d.z), &out->p);
    ++k->supports;
    out->round = abut_cross(k->z, out->p.w);
    k->d = d;
}

/* The spare corner becomes corner i. */
static inline void put(portal *k, int i)
{
    corner *old = k->at[i];
    k->at[i] = k->spare;
    k->spare = old;
}

/* Twice the area of the triangle of the origin, a and b, seen along z: positive when a to b goes round it to the left. */
static inline double turn(const corner *a, const corner *b)
{
    return abut_dot(a->round, b->p.w);
}

/* A point beyond the origin along g, across z: one that leans to z where there is one. False: there is none, and k->d is g. */
static inline bool find_beyond(portal *k, abut_vec3 g)
{
    find(k, abut_madd(g, tilt * (fabs(g.x) + fabs(g.y) + fabs(g.z)), k->z));
    if (abut_dot(k->spare->p.w, g) > 0)
        return true;
    find(k, g);
    return abut_dot(k->spare->p.w, g) > 0;
}

typedef enum found { FOUND, MISSED, LOST } found;

/* Three corners round the origin, counterclockwise. MISSED: k->d is across the velocity and parts the bodies. */
static found open_portal(portal *k)
{
    const abut_vec3 t = k->c->pair.t, z = k->z, across = abut_madd(t, -abut_dot(t, z), z);
    const double sizes = k->c->pair.a->size + k->c->pair.b->size, square = abut_dot(across, across);
    const double most = reach * reach * sizes * sizes;
    k->shrink = 1 / (sizes * sizes);
    const abut_vec3 back = abut_v3(-across.x, -across.y, -across.z);
    if (square > beside * most) { /* likely to miss */
        find(k, back);
        if (!(abut_dot(k->spare->p.w, back) > 0))
            return MISSED;
    } else
        find(k, abut_madd(back, sqrt(most - square), z));
    put(k, 0);
    const abut_vec3 w = k->at[0]->p.w;
    abut_vec3 g = abut_madd(w, -abut_dot(w, z), z);
    if (!(abut_dot(g, g) > 0x1p-80 * most))
        g = abut_cross(z, fabs(z.x) > 0.6 ? abut_v3(0, 1, 0) : abut_v3(1, 0, 0));
    if (!find_beyond(k, abut_v3(-g.x, -g.y, -g.z)))
        return MISSED;
    put(k, 1);
    /* Away from the edge, to the side where the origin is. */
    for (int i = 0; i < MOST_STEPS; ++i) {
        if (turn(k->at[0], k->at[1]) < 0) {
            corner *swap = k->at[0];
            k->at[0] = k->at[1];
            k->at[1] = swap;
        }
        /* The origin is to the left of the edge from at[0] to at[1]. */
        const abut_vec3 side = abut_sub(k->at[1]->round, k->at[0]->round);
        if (!find_beyond(k, side))
            return abut_dot(k->spare->p.w, side) < 0 ? MISSED : LOST;
        if (turn(k->at[1], k->spare) < 0)
            put(k, 0);
        else if (turn(k->spare, k->at[0]) < 0)
            put(k, 1);
        else {
            put(k, 2);
            return FOUND;
        }
    }
    return LOST;
}

/* Moves the portal out to K's boundary; k->d becomes its normal. */
static bool push_portal(portal *k)
{
    /* Which corner the new one takes the place of: by which of the three it has on its left, as it sees the origin. */
    static const signed char place[8] = { -1, 2, 0, 0, 1, 2, 1, -1 };
    const double least = 4 * k->c->error, square = least * least;
    for (int i = 0; i < MOST_STEPS; ++i) {
        const abut_vec3 base = k->at[0]->p.w;
        const abut_vec3 n =
            abut_scale(k->shrink, abut_cross(abut_sub(k->at[1]->p.w, base), abut_sub(k->at[2]->p.w, base)));
        if (!(abut_dot(n, k->z) > 0))
            return false;
        find(k, n);
        const corner *next = k->spare;
        const double beyond = abut_dot(n, abut_sub(next->p.w, base));
        if (!(beyond > 0 && beyond * beyond > square * abut_dot(n, n)))
            return true;
        const int which =
            (turn(next, k->at[0]) >= 0) | (turn(next, k->at[1]) >= 0) << 1 | (turn(next, k->at[2]) >= 0) << 2;
        if (place[which] < 0)
            return false;
        put(k, place[which]);
    }
    return false;
}

static abut_feature feature_of(const abut_core *core, uint32_t a, uint32_t b, uint32_t c)
{
    if (!abut_core_is_polytope(core))
        return ABUT_FEATURE_FACE;
    const int distinct = 1 + (b != a) + (c != a && c != b);
    return distinct == 1 ? ABUT_FEATURE_VERTEX : distinct == 2 ? ABUT_FEATURE_EDGE : ABUT_FEATURE_FACE;
}

/* The points of contact, of b as it stood at the start: weights by the areas that the corners see of the portal. */
static void contact(const portal *k, abut_vec3 *x, abut_vec3 *y)
{
    const corner *p = k->at[0], *q = k->at[1], *r = k->at[2];
    const double w0 = turn(q, r), w1 = turn(r, p), w2 = turn(p, q);
    const double inverse = 1 / (w0 + w1 + w2);
    *x = abut_scale(inverse, abut_madd(abut_madd(abut_scale(w0, p->p.x), w1, q->p.x), w2, r->p.x));
    *y = abut_scale(inverse, abut_madd(abut_madd(abut_scale(w0, p->p.y), w1, q->p.y), w2, r->p.y));
}

static void describe(const portal *k, abut_slide_hit *out)
{
    const abut_convex_point *p = &k->at[0]->p, *q = &k->at[1]->p, *r = &k->at[2]->p;
    abut_vec3 y;
    contact(k, &out->x, &y);
    out->features[0] = feature_of(k->c->pair.a, p->a, q->a, r->a);
    out->features[1] = feature_of(k->c->pair.b, p->b, q->b, r->b);
    out->several = abut_slide_is_several(k->c, out);
}

/* The middle of the points of contact lies inside both. */
static bool shares_point(const portal *k, double s, double error)
{
    const abut_slide *c = k->c;
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
    return abut_simplex_margin(w) > error;
}

/* The support points of k->d are those of doubles: no vertex that a climb did not come to. */
static bool is_settled(const abut_core *core)
{
    return core->kind != ABUT_CORE_HULL || abut_hull_is_scanned(core->hull);
}

/* The plane across k->d through the spare corner, which was found along it, as a lower bound of the gap. Of a product with w, its three roundings, those of the length and its quotient, which value and
 * slope share, and one more are 4 u (|t| + sizes) beyond what `error` has for the plane of slide.h. False where d is no direction. */
static bool find_plane(const portal *k, abut_vec3 *n, abut_slide_line *out)
{
    const abut_slide *c = k->c;
    const double square = abut_dot(k->d, k->d);
    if (!(square > 0x1p-300 && square < 0x1p300))
        return false;
    *n = abut_scale(-1 / sqrt(square), k->d);
    if (!is_settled(c->pair.a) || !is_settled(c->pair.b)) {
        abut_slide_plane(c, n, k->spare->p.a, k->spare->p.b, out);
        return true;
    }
    const double sizes = c->far + c->pair.a->size + c->pair.b->size;
    out->value = abut_dot(*n, k->spare->p.w) - (c->error + 8 * u * sizes);
    out->slope = abut_dot(*n, c->v) - c->slip;
    return true;
}

static void begin(portal *k, const abut_slide *c)
{
    k->c = c;
    k->supports = 0;
    k->flat_faced = abut_core_is_polytope(c->pair.a) && abut_core_is_polytope(c->pair.b);
    k->z = abut_scale(1 / c->speed, c->v);
    for (int i = 0; i < 3; ++i)
        k->at[i] = &k->room[i];
    k->spare = &k->room[3];
    k->room[0].p.a = k->room[0].p.b = 0;
}

abut_slide_end abut_slide_portal(abut_slide *c, abut_slide_hit *out)
{
    portal k;
    begin(&k, c);
    found end = open_portal(&k);
    const double most = c->most * (1 + 4 * u);
    if (end == FOUND && !push_portal(&k))
        end = LOST;
    out->evaluations += k.supports;
    abut_slide_line plane;
    if (end == LOST || !find_plane(&k, &out->n, &plane))
        return ABUT_SLIDE_UNSURE;
    const double clear = abut_slide_clear(&plane, most);
    if (clear >= most)
        return ABUT_SLIDE_MISS;
    if (end == MISSED || !(clear > 0) || !(plane.slope < 0) ||
        !abut_slide_time_before(c->lo, clear, &out->time.lo))
        return ABUT_SLIDE_UNSURE;
    abut_vec3 behind = c->pair.t; /* a point of K where both bodies are around their origins */
    if (!(c->pair.a->inner >= 0 && c->pair.b->inner >= 0)) {
        find(&k, abut_v3(-k.z.x, -k.z.y, -k.z.z));
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
            describe(&k, out);
            return ABUT_SLIDE_HIT;
        }
    }
    return ABUT_SLIDE_UNSURE;
}
