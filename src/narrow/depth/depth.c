/* SPDX-License-Identifier: MIT */
/* How deep two cores are in each other, by a polytope that expands inside K (van den Bergen 2001),
 * with certified bounds.
 *
 * In the outward sense, for unit u = -n, f(u) = max over K of u . w is -s(n), and the depth is the
 * least f. Every u bounds it above (convex.h); a polytope of points of K bounds it below
 * (polytope.h). The face nearest to the origin is expanded by the support point along its normal
 * until both agree: to rounding for polytopes, to a small part of the depth for curved bodies.
 *
 * The start is what GJK ended with, completed to a tetrahedron; a direction with f <= 0 to
 * rounding met on the way is the answer: K has no thickness there, or the origin is on its
 * surface. The surface need not hold the origin at first: faces that have it outside are
 * nearest. */
#include "narrow/depth/depth.h"
#include "narrow/depth/polytope.h"
#include "narrow/distance/cylinders.h"
#include "narrow/distance/refine.h"
#include "narrow/distance/simplex.h"

/* Bodies without interior have no depth: of them a direction is wanted, and supports for a
 * common point are left. */
enum {
    MOST_SUPPORTS = 190,
    MOST_OF_CYLINDERS = 160,
    MOST_BEFORE_CELLS = 140,
    MOST_OF_FLAT = 90,
    SOME = 24,
    MOST_VALLEYS = 3
};

/* Parts of f that the bounds may differ by: before searching for the bottom of a valley, and at
 * the end. */
static const double COARSE = 0.0625, FINE = 0x1p-32;

typedef struct search {
    const abut_convex_pair *pair;
    double f;       /* least f seen, not certified */
    abut_vec3 u;    /* and where */
    abut_vec3 x, y; /* witnesses there */
    abut_vec3 w;    /* the point of K found there */
    uint32_t a, b;  /* and hints */
    double stuck;   /* least distance of a face that could not be expanded */
    uint32_t supports, most;
    bool hulls; /* two that are scanned */
} search;

/* Hulls of up to this many vertices are scanned: the directions asked for are too far from each
 * other for a climb to be short. */
static const uint32_t scanned = 256;

static bool is_scanned(const abut_core *core)
{
    return core->kind == ABUT_CORE_HULL && core->hull->vertex_count <= scanned;
}

static bool is_large_hull(const abut_core *core)
{
    return core->kind == ABUT_CORE_HULL && core->hull->vertex_count > scanned;
}

static inline abut_vec3 furthest(const abut_core *core, double x, double y, double z, uint32_t *hint)
{
    if (is_scanned(core)) {
        *hint = abut_hull_scan_xyz(core->hull, x, y, z);
        return abut_scale(core->scale, abut_hull_vertex(core->hull, *hint));
    }
    return abut_core_support(core, abut_v3(x, y, z), hint);
}

/* Support point along u, and its f. */
static inline double probe(search *s, abut_vec3 u, abut_convex_point *p)
{
    const abut_convex_pair *pair = s->pair;
    const abut_vec3 m = abut_mul_t(&pair->r, u);
    abut_vec3 y;
    if (s->hulls) {
        const uint64_t both =
            abut_hull_scan_two(pair->a->hull, -u.x, -u.y, -u.z, pair->b->hull, m.x, m.y, m.z);
        p->a = (uint32_t)both;
        p->b = (uint32_t)(both >> 32);
        p->x = abut_scale(pair->a->scale, abut_hull_vertex(pair->a->hull, p->a));
        y = abut_scale(pair->b->scale, abut_hull_vertex(pair->b->hull, p->b));
    } else {
        p->x = furthest(pair->a, -u.x, -u.y, -u.z, &p->a);
        y = furthest(pair->b, m.x, m.y, m.z, &p->b);
    }
    p->y = abut_add(abut_mul(&pair->r, y), pair->t);
    p->w = abut_sub(p->y, p->x);
    ++s->supports;
    const double f = abut_dot(u, p->w);
    if (f < s->f) {
        s->f = f;
        s->u = u;
        s->x = p->x;
        s->y = p->y;
        s->w = p->w;
        s->a = p->a;
        s->b = p->b;
    }
    return f;
}

/* ---- the start ---- */

static abut_vec3 any_across(abut_vec3 e)
{
    const double x = fabs(e.x), y = fabs(e.y), z = fabs(e.z);
    const abut_vec3 least = x <= y && x <= z ? abut_v3(1, 0, 0)
                            : y <= z         ? abut_v3(0, 1, 0)
                                             : abut_v3(0, 0, 1);
    return abut_unit_or(abut_cross(e, least), abut_v3(1, 0, 0));
}

/* Unit direction across the flat of the points, towards the origin where that is off it. */
static abut_vec3 across_flat(const abut_simplex *s, double slack)
{
    const abut_vec3 o = s->p[0].w, back = abut_scale(-1, o);
    if (s->count == 1)
        return abut_dot(o, o) > slack * slack ? abut_unit_or(back, abut_v3(1, 0, 0)) : abut_v3(1, 0, 0);
    const abut_vec3 e = abut_sub(s->p[1].w, o);
    if (s->count == 2) {
        const abut_vec3 off = abut_madd(back, -abut_dot(back, e) / abut_dot(e, e), e);
        return abut_dot(off, off) > slack * slack ? abut_unit_or(off, e) : any_across(e);
    }
    const abut_vec3 n = abut_unit_or(abut_cross(e, abut_sub(s->p[2].w, o)), any_across(e));
    return abut_dot(n, back) < -slack ? abut_scale(-1, n) : n;
}

/* Size of the simplex across the flat of all points but the last. */
static double height_of_last(const abut_simplex *s)
{
    const abut_vec3 o = s->p[0].w, g = abut_sub(s->p[s->count - 1].w, o);
    if (s->count == 1)
        return INFINITY;
    if (s->count == 2)
        return sqrt(abut_dot(g, g));
    const abut_vec3 e = abut_sub(s->p[1].w, o);
    if (s->count == 3)
        return sqrt(abut_dot(abut_cross(e, g), abut_cross(e, g)) / abut_dot(e, e));
    return fabs(abut_dot(abut_unit_or(abut_cross(e, abut_sub(s->p[2].w, o)), e), g));
}

/* Completes the simplex to a tetrahedron. False where K turned out to be flat or to end at the
 * origin: the search has the direction. */
static bool complete(search *s, abut_simplex *simplex)
{
    const double slack = 4 * s->pair->error;
    /* GJK's simplex may itself be flat. */
    abut_simplex kept = { .count = 0 };
    for (int i = 0; i < simplex->count; ++i) {
        kept.p[kept.count++] = simplex->p[i];
        if (!(height_of_last(&kept) > slack))
            --kept.count;
    }
    *simplex = kept;
    if (simplex->count == 0) {
        simplex->p[0] = (abut_convex_point){ .a = 0 };
        if (probe(s, abut_unit_or(abut_scale(-1, s->pair->t), abut_v3(1, 0, 0)), &simplex->p[0]) <= slack)
            return false;
        simplex->count = 1;
    }
    while (simplex->count < 4) {
        const abut_vec3 u = across_flat(simplex, slack);
        bool found = false;
        for (int sign = 1; sign >= -1 && !found; sign -= 2) {
            abut_convex_point *p = &simplex->p[simplex->count];
            *p = simplex->p[0];
            if (probe(s, abut_scale(sign, u), p) <= slack)
                return false;
            ++simplex->count;
            found = height_of_last(simplex) > slack;
            if (!found)
                --simplex->count;
        }
        if (!found)
            return false;
    }
    return true;
}

/* Support points along six directions, one towards where K's centre has the origin (K bulges
 * least there, as a rule) and four around it, 53 degrees away: none waits for another, and the
 * polytope starts with eight faces. False where that is no octahedron. */
static bool begin_around(search *s, abut_polytope *p)
{
    const abut_vec3 e = abut_unit_or(abut_scale(-1, s->pair->t), abut_v3(1, 0, 0)), f = any_across(e),
                    g = abut_cross(e, f), ahead = abut_scale(0.6, e);
    const abut_vec3 along[6] = { e,
                                 abut_madd(ahead, 0.8, f),
                                 abut_madd(ahead, 0.8, g),
                                 abut_madd(ahead, -0.8, f),
                                 abut_madd(ahead, -0.8, g),
                                 abut_scale(-1, e) };
    abut_convex_point corner[6];
    for (int i = 0; i < 6; ++i) {
        corner[i].a = corner[i].b = 0;
        if (probe(s, along[i], &corner[i]) <= 4 * s->pair->error)
            return false;
    }
    return abut_polytope_begin_octahedron(p, s->pair->error, corner);
}

/* From what GJK ended with, or from nothing. False where K turned out to be flat or to end at
 * the origin. */
static bool begin(search *s, const abut_simplex *simplex, abut_polytope *p)
{
    if (simplex->count == 0 && s->hulls && begin_around(s, p))
        return true;
    abut_simplex start = *simplex;
    if (!complete(s, &start))
        return false;
    abut_polytope_begin(p, s->pair->error, start.p);
    return true;
}

/* ---- expansion ---- */

/* Where to begin the search for the support point of a face: of its corners the one furthest
 * out, for each body. Only large hulls need it. */
static void set_hints(const abut_convex_pair *pair, const abut_polytope *p, uint32_t face,
                      abut_convex_point *w)
{
    const uint16_t *v = p->face[face].v;
    const abut_vec3 n = abut_polytope_normal(p, face);
    w->a = p->vertex[v[0]].a;
    w->b = p->vertex[v[0]].b;
    if (is_large_hull(pair->a)) {
        double least = abut_dot(n, p->vertex[v[0]].x);
        for (int i = 1; i < 3; ++i) {
            const double x = abut_dot(n, p->vertex[v[i]].x);
            w->a = x < least ? p->vertex[v[i]].a : w->a;
            least = x < least ? x : least;
        }
    }
    if (is_large_hull(pair->b)) {
        double most = abut_dot(n, p->vertex[v[0]].y);
        for (int i = 1; i < 3; ++i) {
            const double y = abut_dot(n, p->vertex[v[i]].y);
            w->b = y > most ? p->vertex[v[i]].b : w->b;
            most = y > most ? y : most;
        }
    }
}

/* Grows the polytope until its nearest face and f agree, or f falls to the floor. */
static void expand(search *s, abut_polytope *p, double part, double floor, uint32_t most)
{
    const double error = s->pair->error;
    int tries = part > 0 ? 0 : 3;
    while (s->supports < most && s->f > floor) {
        const uint32_t face = abut_polytope_least(p);
        const double d = p->key[face];
        if (!(d + 4 * error < s->f * (1 - part)) || s->f <= 2 * error)
            break;
        if (!p->around && tries > 0 && d > 2 * error) { /* while there are few faces */
            --tries;
            (void)abut_polytope_prove(p);
        }
        abut_convex_point *w = abut_polytope_next(p);
        set_hints(s->pair, p, face, w);
        const double value = probe(s, abut_polytope_normal(p, face), w);
        if (!(value > d + 4 * error + part * fabs(value)) || !abut_polytope_grow(p, face)) {
            s->stuck = d < s->stuck ? d : s->stuck;
            abut_polytope_set_aside(p, face);
        }
    }
}

/* What the polytope and the cap prove together; -infinity where that is nothing. */
static double bound_of(search *s, abut_polytope *p)
{
    const double error = s->pair->error, key = p->key[abut_polytope_least(p)];
    double bound = key < s->stuck ? key : s->stuck;
    if (!p->around && !abut_polytope_prove(p))
        return -INFINITY;
    bound -= 2 * error;
    return p->cap.radius - 4 * error < bound ? p->cap.radius - 4 * error : bound;
}

/* Goes down to the local minimum of f near the best direction, and finds how far around it
 * curvature proves it least. */
static bool find_cap(search *s, abut_depth_cap *cap)
{
    abut_convex_answer at = { .lo = -INFINITY, .hi = INFINITY, .normal = abut_scale(-1, s->u) };
    const bool found = abut_cylinders_knows(s->pair) ? abut_cylinders_depth(s->pair, &at)
                                                     : abut_convex_refine_depth(s->pair, &at);
    if (found && -at.lo < s->f + 2 * s->pair->error) {
        s->u = abut_scale(-1, at.normal);
        s->x = at.x;
        s->y = at.y;
        s->f = abut_dot(s->u, abut_sub(at.y, at.x));
    }
    s->supports += at.supports;
    if (!abut_depth_cap_at(s->pair, s->u, s->f, cap))
        return false;
    s->x = cap->x;
    s->y = cap->y;
    return true;
}

/* Curved bodies: the polytope finds the right valley, unless a direction is thought to lead to
 * it, curvature proves its bottom, and the polytope the rest. */
static double expand_curved(search *s, abut_polytope *p, const abut_vec3 *first)
{
    abut_depth_cap cap;
    if (first) {
        abut_convex_point w = { .a = 0 };
        (void)probe(s, *first, &w);
    } else
        expand(s, p, COARSE, -INFINITY, s->most);
    for (int round = 0; round < MOST_VALLEYS; ++round) {
        if (!(s->f > 8 * s->pair->error) || s->supports > s->most / 2 || !find_cap(s, &cap))
            break;
        if (cap.cosine <= -1)
            return cap.radius - 4 * s->pair->error;
        s->stuck = INFINITY;
        abut_polytope_set_cap(p, &cap);
        const double floor = cap.radius - 8 * s->pair->error;
        expand(s, p, FINE, floor, s->most);
        if (s->f > floor)
            return bound_of(s, p);
    }
    s->stuck = INFINITY;
    abut_polytope_set_cap(p, NULL);
    expand(s, p, FINE, -INFINITY, s->most);
    return bound_of(s, p);
}

/* Takes the witnesses that the weights of some points give, if they are nearer to what the depth
 * says. */
static void offer_witnesses(search *s, const abut_convex_point *const p[], const double *weight, int count)
{
    const abut_vec3 foot = abut_scale(s->f, s->u), now = abut_sub(abut_sub(s->y, s->x), foot);
    abut_vec3 x = { 0, 0, 0 }, y = x;
    for (int k = 0; k < count; ++k) {
        x = abut_madd(x, weight[k], p[k]->x);
        y = abut_madd(y, weight[k], p[k]->y);
    }
    const abut_vec3 then = abut_sub(abut_sub(y, x), foot);
    if (abut_dot(then, then) < abut_dot(now, now)) {
        s->x = x;
        s->y = y;
    }
}

static void find_simplex_witnesses(search *s, const abut_simplex *simplex)
{
    abut_vec3 w[4], span[4];
    const abut_convex_point *of[4];
    double weight[4];
    for (int i = 0; i < simplex->count; ++i)
        w[i] = simplex->p[i].w;
    const abut_nearest_feature f = abut_simplex_nearest(w, simplex->count);
    if (f.kept == 15)
        return;
    int count = 0;
    for (int i = 0; i < simplex->count; ++i)
        if (f.kept >> i & 1) {
            span[count] = w[i];
            of[count++] = &simplex->p[i];
        }
    abut_simplex_weights(span, count, weight);
    offer_witnesses(s, of, weight, count);
}

/* From the faces at the depth found: where several are in one plane, the origin projects to one
 * of them. */
static void find_face_witnesses(search *s, const abut_polytope *p)
{
    for (uint32_t i = 0; i < p->face_count; ++i) {
        if (!(p->d[i] <= s->f + 4 * s->pair->error))
            continue;
        double weight[3];
        abut_polytope_nearest(p, i, weight);
        const uint16_t *v = p->face[i].v;
        const abut_convex_point *of[] = { &p->vertex[v[0]], &p->vertex[v[1]], &p->vertex[v[2]] };
        offer_witnesses(s, of, weight, 3);
    }
}

/* From where the ray along the depth leaves the polytope: the points of it are the bodies' own
 * whatever u is, and exactly opposite along u, as far apart as something between what the
 * polytope proves and f. So they miss the depth by no more than the bounds differ. */
static void find_ray_witnesses(search *s, const abut_polytope *p)
{
    double weight[3];
    const uint32_t face = abut_polytope_pierced(p, s->u, weight);
    if (face == ABUT_POLYTOPE_UNKNOWN)
        return;
    const uint16_t *v = p->face[face].v;
    const abut_convex_point *of[] = { &p->vertex[v[0]], &p->vertex[v[1]], &p->vertex[v[2]] };
    offer_witnesses(s, of, weight, 3);
}

/* What the polytope leaves open is left to cells, which need the vertices of hulls. */
static bool has_curved_hull(const abut_convex_pair *pair)
{
    return (pair->a->kind == ABUT_CORE_HULL || pair->b->kind == ABUT_CORE_HULL) &&
           !abut_convex_is_polytope_pair(pair);
}

/* A cylinder or cone with a polytope. */
static bool has_cylinder(const abut_convex_pair *pair)
{
    const abut_core_kind a = pair->a->kind, b = pair->b->kind;
    return ((a == ABUT_CORE_CYLINDER || a == ABUT_CORE_CONE) && abut_core_is_polytope(pair->b)) ||
           ((b == ABUT_CORE_CYLINDER || b == ABUT_CORE_CONE) && abut_core_is_polytope(pair->a));
}

/* Of the depth: less is promised. */
static bool is_wide(const abut_convex_pair *pair, const abut_convex_answer *out)
{
    return out->hi - out->lo > 0x1p-30 * (pair->radii - out->lo) + 16 * pair->error;
}

void abut_convex_depth(const abut_convex_pair *pair, const abut_simplex *simplex, abut_convex_answer *out)
{
    if (abut_depth_of_coaxial(pair, out))
        return;
    if (abut_convex_is_ellipsoid_pair(pair) && abut_depth_of_ellipsoids(pair, NULL, out))
        return;
    if (abut_depth_of_hulls(pair, NULL, out))
        return;
    abut_depth_by_polytope(pair, simplex, out);
    if (is_wide(pair, out))
        abut_depth_by_cells(pair, out);
}

void abut_depth_by_polytope(const abut_convex_pair *pair, const abut_simplex *simplex,
                            abut_convex_answer *out)
{
    search s = { .pair = pair, .f = INFINITY, .stuck = INFINITY, .supports = out->supports };
    s.most = has_curved_hull(pair) ? MOST_BEFORE_CELLS
             : has_cylinder(pair)  ? MOST_OF_CYLINDERS
                                   : MOST_SUPPORTS;
    if (abut_core_is_flat(pair->a) || abut_core_is_flat(pair->b))
        s.most = s.supports + SOME < MOST_OF_FLAT ? MOST_OF_FLAT : s.supports + SOME;
    s.most = s.most > s.supports + SOME ? s.most : s.supports + SOME;
    s.most = s.most < MOST_SUPPORTS ? s.most : MOST_SUPPORTS;
    s.hulls = is_scanned(pair->a) && is_scanned(pair->b);
    abut_polytope p;
    double bound = -INFINITY;
    if (begin(&s, simplex, &p)) {
        const bool flat = abut_core_is_polytope(pair->a) && abut_core_is_polytope(pair->b);
        (void)abut_polytope_prove(&p);
        if (flat)
            expand(&s, &p, 0, -INFINITY, s.most);
        if (s.hulls) {
            abut_hull_prefetch_faces(pair->a->hull, s.a);
            abut_hull_prefetch_faces(pair->b->hull, s.b);
        }
        const abut_vec3 first = abut_scale(-1, out->normal);
        const bool known = abut_cylinders_knows(pair) && fabs(abut_dot(first, first) - 1) < 0x1p-20;
        bound = flat ? bound_of(&s, &p) : expand_curved(&s, &p, known ? &first : NULL);
        find_face_witnesses(&s, &p);
        if (!flat)
            find_ray_witnesses(&s, &p);
        out->iterations += p.growths;
    } else if (simplex->count > 0)
        find_simplex_witnesses(&s, simplex);
    if (!(s.f < INFINITY)) { /* no direction was evaluated: nothing is known of the depth */
        out->hi = -bound < out->hi ? -bound : out->hi;
        out->supports = s.supports;
        return;
    }
    const abut_vec3 n = abut_scale(-1, s.u);
    abut_convex_point at = { .w = s.w, .a = s.a, .b = s.b };
    /* What a scan gave for u is what it gives for n. */
    const double lo = s.hulls ? abut_convex_certify(pair, n, &at) : abut_convex_separation(pair, n, &at);
    const abut_vec3 v = abut_sub(s.y, s.x);
    const double near = sqrt(abut_dot(v, v)) + 2 * pair->error;
    if (!(lo < out->lo)) {
        out->lo = lo;
        out->normal = n;
    }
    out->hi = near < out->hi ? near : out->hi;
    out->hi = -bound < out->hi ? -bound : out->hi;
    out->x = s.x;
    out->y = s.y;
    out->supports = s.supports + !s.hulls;
}
