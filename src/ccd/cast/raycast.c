/* SPDX-License-Identifier: MIT */
/* A ray against the difference of two bodies that translate; see linear_cast.h.
 *
 * After the time s the difference of the cores is K + s V, V the relative velocity, and the
 * bodies touch when the origin is as far from it as the sum of the radii. The simplex of GJK is
 * kept in K and examined from the origin moved by -s V: a support plane that lies before the
 * origin moves s on to where it passes (G. van den Bergen, Ray casting against general convex
 * objects with application to continuous collision detection, 2004). Doubles find s and the last
 * plane. Then that plane proves the bodies apart until a few rounding errors before s; and the
 * simplex, with the point of K on the other side where there are no radii, proves an overlap a
 * few rounding errors after s. */
#include "ccd/cast/linear_cast.h"
#include "ccd/proof/instant.h"

#include "narrow/distance/simplex.h"

static const double u = 0x1p-53;

enum { MOST_STEPS = 64 };

typedef struct caster {
    const abut_convex_pair *pair;
    abut_vec3 v;        /* relative velocity */
    double most, error; /* as in the cast */
    double s;           /* since its start */
    /* unit: the last plane that moved s; the bodies came nearer along it, so it has parted them
     * since the start */
    abut_vec3 n;
    abut_vec3 away; /* unit: the plane behind which they part for ever, when they miss so */
    bool parts;
    abut_simplex simplex;
    abut_vec3 nearest; /* of the simplex moved by s V */
    double square;
    uint32_t supports;
} caster;

static void keep(abut_simplex *simplex, unsigned kept)
{
    int n = 0;
    for (int i = 0; i < simplex->count; ++i)
        if (kept >> i & 1) {
            if (n != i)
                simplex->p[n] = simplex->p[i];
            ++n;
        }
    simplex->count = n;
}

static abut_nearest_feature nearest_at(const caster *c, double s)
{
    abut_vec3 w[4];
    for (int i = 0; i < c->simplex.count; ++i)
        w[i] = abut_madd(c->simplex.p[i].w, s, c->v);
    return abut_simplex_nearest(w, c->simplex.count);
}

/* True while the plane through the point of K least along the nearest point leaves the origin
 * outside: moves s on, or finds that it never comes. */
typedef enum step_end { STEP_ON, STEP_HIT, STEP_MISS, STEP_LOST } step_end;

static step_end step(caster *c)
{
    abut_simplex *simplex = &c->simplex;
    const double length = sqrt(c->square);
    if (!(length > 0))
        return STEP_LOST;
    if (simplex->count > 3)
        return STEP_HIT;
    const abut_vec3 n = abut_scale(1 / length, c->nearest);
    abut_convex_point *p = &simplex->p[simplex->count];
    p->a = simplex->p[0].a;
    p->b = simplex->p[0].b;
    abut_convex_support(c->pair, n, p);
    ++c->supports;
    const double rate = abut_dot(n, c->v), height = abut_dot(n, p->w) + c->s * rate - c->pair->radii;
    const bool moved = height > c->error;
    if (moved) {
        if (!(rate < 0)) {
            c->away = n;
            c->parts = true;
            return STEP_MISS;
        }
        c->n = n;
        c->s += height / -rate;
        if (c->s > c->most)
            return STEP_MISS;
    } else if (length - c->pair->radii <= 4 * c->error)
        return STEP_HIT;
    bool known = false;
    for (int i = 0; i < simplex->count; ++i) {
        const abut_vec3 d = abut_sub(simplex->p[i].w, p->w);
        known = known || (d.x == 0 && d.y == 0 && d.z == 0);
    }
    if (!known)
        ++simplex->count;
    abut_nearest_feature f = nearest_at(c, c->s);
    if (f.kept == 15 && rate < 0) /* rounding: the planes say that it is not inside. Which side is it on? */
        f = nearest_at(c, c->s - 16 * c->error / -rate);
    if (f.kept == 15 || !(f.square > 0))
        return STEP_HIT;
    const bool same = known && !moved && f.square >= c->square;
    keep(simplex, f.kept);
    c->nearest = f.v;
    c->square = f.square;
    if (sqrt(f.square) - c->pair->radii <= 4 * c->error)
        return STEP_HIT;
    return same ? STEP_LOST : STEP_ON;
}

static step_end run(caster *c)
{
    abut_simplex *simplex = &c->simplex;
    abut_vec3 n = c->pair->t;
    const double square = abut_dot(n, n);
    if (!(square > 0))
        return STEP_LOST;
    n = abut_scale(1 / sqrt(square), n);
    simplex->p[0].a = simplex->p[0].b = 0;
    abut_convex_support(c->pair, n, &simplex->p[0]);
    simplex->count = 1;
    c->supports = 1;
    c->n = n;
    c->nearest = simplex->p[0].w;
    c->square = abut_dot(c->nearest, c->nearest);
    for (int i = 0; i < MOST_STEPS; ++i) {
        const step_end end = step(c);
        if (end != STEP_ON)
            return end;
    }
    return STEP_LOST;
}

/* Certified: an overlap after the time s. `error`: of a point of K moved by s V. */
static bool overlaps(caster *c, double s, double error)
{
    abut_simplex *simplex = &c->simplex;
    abut_vec3 w[4];
    for (int i = 0; i < simplex->count; ++i)
        w[i] = abut_madd(simplex->p[i].w, s, c->v);
    if (c->pair->radii > 0) {
        double weight[3];
        abut_simplex_weights(w, simplex->count, weight);
        abut_vec3 v = { 0, 0, 0 };
        for (int i = 0; i < simplex->count; ++i)
            v = abut_madd(v, weight[i], w[i]);
        return sqrt(abut_dot(v, v)) * (1 + 8 * u) + error < c->pair->radii * (1 - 2 * u);
    }
    if (simplex->count == 4)
        return abut_simplex_margin(w) > error;
    if (simplex->count != 3)
        return false;
    abut_convex_point *far = &simplex->p[3];
    *far = simplex->p[0];
    abut_convex_support(c->pair, abut_v3(-c->n.x, -c->n.y, -c->n.z), far);
    ++c->supports;
    w[3] = abut_madd(far->w, s, c->v);
    return abut_simplex_margin(w) > error;
}

/* Of a tetrahedron about the origin: the corner that is not on the plane of contact. */
static int off_plane(const caster *c, const abut_vec3 w[4])
{
    int worst = 0;
    for (int i = 1; i < 4; ++i)
        if (fabs(abut_dot(c->n, w[i])) > fabs(abut_dot(c->n, w[worst])))
            worst = i;
    return worst;
}

static void describe(const caster *c, const abut_linear_cast *cast, abut_linear_cast_hit *out)
{
    abut_vec3 w[4];
    double weight[3] = { 1, 0, 0 };
    abut_vec3 x = { 0, 0, 0 };
    uint32_t a[3], b[3];
    const abut_simplex *simplex = &c->simplex;
    for (int i = 0; i < simplex->count; ++i)
        w[i] = abut_madd(simplex->p[i].w, out->s, c->v);
    const int skip = simplex->count == 4 ? off_plane(c, w) : 4;
    int of[3], count = 0;
    for (int i = 0; i < simplex->count; ++i)
        if (i != skip) {
            w[count] = w[i];
            of[count++] = i;
        }
    abut_simplex_weights(w, count, weight);
    for (int i = 0; i < count; ++i) {
        const abut_convex_point *p = &simplex->p[of[i]];
        x = abut_madd(x, weight[i], p->x);
        a[i] = p->a;
        b[i] = p->b;
    }
    out->n = c->n;
    out->x = abut_madd(x, c->pair->a->radius, c->n);
    out->features[0] = abut_instant_feature(c->pair->a, a, count);
    out->features[1] = abut_instant_feature(c->pair->b, b, count);
    out->several = abut_linear_cast_is_several(cast, out);
}

/* The last plane until it meets the bodies, then the one behind which they part. */
static bool is_miss(const abut_linear_cast *cast, const caster *c, double clear, double most)
{
    abut_linear_cast_line after;
    if (!c->parts || !(clear > 0 || c->s == 0))
        return false;
    abut_linear_cast_plane(cast, &c->away, c->simplex.p[0].a, c->simplex.p[0].b, &after);
    return abut_linear_cast_is_clear(&after, c->s > 0 ? clear : 0) && abut_linear_cast_is_clear(&after, most);
}

abut_linear_cast_end abut_linear_cast_ray(abut_linear_cast *cast, abut_linear_cast_hit *out)
{
    caster c;
    c.pair = &cast->pair;
    c.v = cast->v;
    c.error = cast->error;
    c.most = cast->most;
    c.s = 0;
    c.parts = false;
    c.supports = 0;
    const step_end end = run(&c);
    out->evaluations += c.supports + 1;
    if (end == STEP_LOST)
        return ABUT_SLIDE_UNSURE;
    abut_linear_cast_line plane;
    abut_linear_cast_plane(cast, &c.n, c.simplex.p[0].a, c.simplex.p[0].b, &plane);
    const double most = c.most * (1 + 4 * u), clear = abut_linear_cast_clear(&plane, most);
    if (clear >= most || (end == STEP_MISS && is_miss(cast, &c, clear, most)))
        return ABUT_SLIDE_MISS;
    if (end == STEP_MISS || !(clear > 0) || !abut_linear_cast_time_before(cast->lo, clear, &out->time.lo))
        return ABUT_SLIDE_UNSURE;
    double s = c.s > clear ? c.s : clear;
    for (int i = 0; i < 3; ++i) {
        const double error = cast->error + s * cast->slip;
        const double next = s + (i + 2) * error / -plane.slope;
        out->time.hi = cast->lo + next;
        if (!(out->time.hi < cast->hi))
            return ABUT_SLIDE_UNSURE;
        const double since = out->time.hi - cast->lo; /* off by u of itself, which `slip` has */
        if (overlaps(&c, since, cast->error + since * cast->slip)) {
            out->s = clear;
            describe(&c, cast, out);
            return ABUT_SLIDE_HIT;
        }
        s = next;
    }
    return ABUT_SLIDE_UNSURE;
}
