/* SPDX-License-Identifier: MIT */
/* Two bodies without balls that translate, by a portal; see slide.h.
 *
 * Seen along the velocity, the difference K is a polygon, and the bodies meet where the origin is inside it. Three points of K around the origin are a portal,
 * pierced by the line of the origin. The point of K furthest along the portal's normal, on the side that comes first, splits it in three; the part around the origin is the
 * next portal, until there is no point beyond it: then its plane is the one through which they meet (after G. Snethen, XenoCollide, in Game Programming
 * Gems 7, 2008, who does so from a point inside). Doubles find the plane; it proves the bodies apart before, and the portal with a point of K behind it (or, for curved bodies, a point
 * that both have in common) the overlap after.
 *
 * Points are looked at in a frame with z along the velocity: b comes along z, so that the portal moves up and the last points before the origin are K's highest. */
#include "ccd/slide.h"

#include "math/nearest.h"
#include "narrow/simplex.h"

static const double u = 0x1p-53;

enum { MOST_STEPS = 48 };

typedef struct corner {
    abut_convex_point p;
    double x, y, z; /* of p.w */
} corner;

typedef struct portal {
    const abut_slide *c;
    abut_vec3 e[3]; /* the frame, e[2] along the velocity */
    corner at[3];
    abut_vec3 n; /* from a to b, hence down */
    uint32_t supports;
    bool flat_faced; /* both are polytopes */
} portal;

/* K's point furthest along d, given in the frame: least against it. */
static ABUT_MATH_NOINLINE void find(portal *k, double x, double y, double z, const corner *hint, corner *out)
{
    const abut_vec3 d = { -(x * k->e[0].x + y * k->e[1].x + z * k->e[2].x),
                          -(x * k->e[0].y + y * k->e[1].y + z * k->e[2].y),
                          -(x * k->e[0].z + y * k->e[1].z + z * k->e[2].z) };
    out->p.a = hint ? hint->p.a : 0;
    out->p.b = hint ? hint->p.b : 0;
    abut_convex_support(&k->c->pair, d, &out->p);
    ++k->supports;
    out->x = abut_dot(out->p.w, k->e[0]);
    out->y = abut_dot(out->p.w, k->e[1]);
    out->z = abut_dot(out->p.w, k->e[2]);
    k->n = d;
}

/* Twice the area of the triangle of the origin, a and b: positive when a to b goes round it to the left. */
static inline double turn(const corner *a, const corner *b)
{
    return a->x * b->y - a->y * b->x;
}

typedef enum found { FOUND, MISSED, LOST } found;

/* Three corners round the origin, counterclockwise. MISSED: k->n is across the velocity and parts the bodies. */
static found open_portal(portal *k)
{
    corner *at = k->at;
    const double x = abut_dot(k->c->pair.t, k->e[0]), y = abut_dot(k->c->pair.t, k->e[1]);
    const double size = fabs(x) + fabs(y), tiny = 0x1p-40 * (k->c->pair.a->size + k->c->pair.b->size);
    if (size > tiny)
        find(k, -x, -y, 0, NULL, &at[0]);
    else
        find(k, 1, 0, 0, NULL, &at[0]);
    if (size > tiny && at[0].x * x + at[0].y * y > 0)
        return MISSED;
    find(k, -at[0].x, -at[0].y, 0, NULL, &at[1]);
    if (at[1].x * at[0].x + at[1].y * at[0].y > 0)
        return MISSED;
    /* Away from the edge, to the side where the origin is. */
    for (int i = 0; i < MOST_STEPS; ++i) {
        if (turn(&at[0], &at[1]) < 0) {
            const corner swap = at[0];
            at[0] = at[1];
            at[1] = swap;
        }
        /* The origin is to the left of the edge from at[0] to at[1]. */
        const double nx = at[0].y - at[1].y, ny = at[1].x - at[0].x;
        find(k, nx, ny, 0, &at[0], &at[2]);
        if (at[2].x * nx + at[2].y * ny <= 0)
            return at[2].x * nx + at[2].y * ny < 0 ? MISSED : LOST;
        if (turn(&at[1], &at[2]) < 0)
            at[0] = at[2];
        else if (turn(&at[2], &at[0]) < 0)
            at[1] = at[2];
        else
            return FOUND;
    }
    return LOST;
}

/* Moves the portal out to K's boundary; k->n becomes its normal, in a's frame and of unit length. */
static bool push_portal(portal *k)
{
    corner *at = k->at;
    for (int i = 0; i < MOST_STEPS; ++i) {
        const double ax = at[1].x - at[0].x, ay = at[1].y - at[0].y, az = at[1].z - at[0].z;
        const double bx = at[2].x - at[0].x, by = at[2].y - at[0].y, bz = at[2].z - at[0].z;
        double nx = ay * bz - az * by, ny = az * bx - ax * bz, nz = ax * by - ay * bx;
        const double square = nx * nx + ny * ny + nz * nz;
        if (!(nz > 0))
            return false;
        const double inverse = 1 / sqrt(square);
        nx *= inverse;
        ny *= inverse;
        nz *= inverse;
        corner next;
        find(k, nx, ny, nz, &at[0], &next);
        const double beyond = nx * (next.x - at[0].x) + ny * (next.y - at[0].y) + nz * (next.z - at[0].z);
        if (!(beyond > 4 * k->c->error))
            return true;
        /* Which of the three parts is the origin in? */
        const bool left0 = turn(&next, &at[0]) >= 0, left1 = turn(&next, &at[1]) >= 0;
        const bool left2 = turn(&next, &at[2]) >= 0;
        if (left0 && !left1)
            at[2] = next; /* between at[0] and at[1] */
        else if (left1 && !left2)
            at[0] = next;
        else if (left2 && !left0)
            at[1] = next;
        else
            return false;
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
    const corner *at = k->at;
    const double w0 = turn(&at[1], &at[2]), w1 = turn(&at[2], &at[0]), w2 = turn(&at[0], &at[1]);
    const double inverse = 1 / (w0 + w1 + w2);
    *x = abut_scale(inverse, abut_madd(abut_madd(abut_scale(w0, at[0].p.x), w1, at[1].p.x), w2, at[2].p.x));
    *y = abut_scale(inverse, abut_madd(abut_madd(abut_scale(w0, at[0].p.y), w1, at[1].p.y), w2, at[2].p.y));
}

static void describe(const portal *k, abut_slide_hit *out)
{
    const corner *at = k->at;
    abut_vec3 y;
    out->n = k->n;
    contact(k, &out->x, &y);
    out->features[0] = feature_of(k->c->pair.a, at[0].p.a, at[1].p.a, at[2].p.a);
    out->features[1] = feature_of(k->c->pair.b, at[0].p.b, at[1].p.b, at[2].p.b);
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
    const abut_vec3 w[4] = { abut_madd(k->at[0].p.w, s, v), abut_madd(k->at[1].p.w, s, v),
                             abut_madd(k->at[2].p.w, s, v), abut_madd(*behind, s, v) };
    return abut_simplex_margin(w) > error;
}

abut_slide_end abut_slide_portal(abut_slide *c, abut_slide_hit *out)
{
    portal k;
    k.c = c;
    k.supports = 0;
    k.flat_faced = abut_core_is_polytope(c->pair.a) && abut_core_is_polytope(c->pair.b);
    k.e[2] = abut_scale(1 / c->speed, c->v);
    const abut_vec3 z = k.e[2];
    const bool steep = fabs(z.x) > 0.6;
    const abut_vec3 side = steep ? abut_v3(-z.y, z.x, 0) : abut_v3(0, -z.z, z.y);
    k.e[0] = abut_scale(1 / sqrt(abut_dot(side, side)), side);
    k.e[1] = abut_cross(z, k.e[0]);
    found end = open_portal(&k);
    const double most = c->most * (1 + 4 * u);
    if (end == FOUND && !push_portal(&k))
        end = LOST;
    out->evaluations += k.supports;
    if (end == LOST)
        return ABUT_SLIDE_UNSURE;
    const double square = abut_dot(k.n, k.n);
    if (!(square > 0x1p-300 && square < 0x1p300))
        return ABUT_SLIDE_UNSURE;
    k.n = abut_scale(1 / sqrt(square), k.n);
    abut_slide_line plane;
    abut_slide_plane(c, &k.n, k.at[0].p.a, k.at[0].p.b, &plane);
    const double clear = abut_slide_clear(&plane, most);
    if (clear >= most)
        return ABUT_SLIDE_MISS;
    if (end == MISSED || !(clear > 0) || !(plane.slope < 0) ||
        !abut_slide_time_before(c->lo, clear, &out->time.lo))
        return ABUT_SLIDE_UNSURE;
    abut_vec3 behind = c->pair.t; /* a point of K where both bodies are around their origins */
    if (!(c->pair.a->inner >= 0 && c->pair.b->inner >= 0)) {
        corner low;
        const abut_vec3 n = k.n;
        find(&k, 0, 0, -1, NULL, &low);
        k.n = n;
        behind = low.p.w;
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
