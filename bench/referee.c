/* SPDX-License-Identifier: MIT */
/* The referee for convex bodies, in long double throughout.
 *
 * Distance: the nearest point of the difference body A - B to the origin, by GJK with the
 * plainest sub-algorithm there is (all faces of the simplex are tried), stopped by the duality
 * gap: with v the nearest point so far and w the support towards the origin, |v| is an upper
 * bound and v.w/|v| a lower one, whatever rounding did to v, because any direction gives a valid
 * plane. Depth: expanding polytope from a tetrahedron around the origin; the nearest face is a
 * lower bound (the polytope lies inside the difference body), the support along its normal an
 * upper one. Spheres and capsules are cores (a point, a segment) with a radius, which keeps
 * everything but ellipsoids polyhedral. First contact: conservative advancement along the
 * separating normal, each step proved free of contact. */
#include "referee.h"

#include "oracle/convex_pair.h"
#include "real3.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static vec scale(real s, vec a)
{
    return (vec){ { s * a.x[0], s * a.x[1], s * a.x[2] } };
}

static vec madd(vec a, real s, vec b)
{
    return (vec){ { a.x[0] + s * b.x[0], a.x[1] + s * b.x[1], a.x[2] + s * b.x[2] } };
}

static real length(vec a)
{
    return sqrtl(vec_dot(a, a));
}

typedef struct couple {
    const bench_body *a, *b;
    const bench_place *place_a, *place_b;
} couple;

static real radius_of(const bench_body *body)
{
    return body->type == BENCH_SPHERE || body->type == BENCH_CAPSULE ? (real)body->size[0] : 0;
}

/* Furthest point of the core along d, in the body's frame. */
static vec core_support(const bench_body *body, vec d)
{
    vec s = { { 0, 0, 0 } };
    switch (body->type) {
    case BENCH_SPHERE: break;
    case BENCH_CAPSULE: s.x[2] = d.x[2] < 0 ? -(real)body->size[1] : (real)body->size[1]; break;
    case BENCH_BOX:
        for (int i = 0; i < 3; ++i)
            s.x[i] = d.x[i] < 0 ? -(real)body->size[i] : (real)body->size[i];
        break;
    case BENCH_CYLINDER:
    case BENCH_CONE: {
        const real radius = body->size[0], half = body->size[1];
        const real flat = sqrtl(d.x[0] * d.x[0] + d.x[1] * d.x[1]);
        s.x[2] = d.x[2] < 0 ? -half : half;
        if (body->type == BENCH_CONE) {
            s.x[2] = half;
            if (half * d.x[2] >= radius * flat - half * d.x[2])
                break; /* the apex */
            s.x[2] = -half;
        }
        if (flat > 0) {
            s.x[0] = radius * d.x[0] / flat;
            s.x[1] = radius * d.x[1] / flat;
        }
        break;
    }
    case BENCH_ELLIPSOID: {
        real norm = 0;
        for (int i = 0; i < 3; ++i) {
            const real k = (real)body->size[i] * d.x[i];
            norm += k * k;
        }
        norm = sqrtl(norm);
        for (int i = 0; i < 3 && norm > 0; ++i)
            s.x[i] = (real)body->size[i] * body->size[i] * d.x[i] / norm;
        break;
    }
    case BENCH_HULL: {
        real best = -HUGE_VALL;
        for (size_t i = 0; i < body->hull->point_count; ++i) {
            const double *p = body->hull->points[i];
            const real along = p[0] * d.x[0] + p[1] * d.x[1] + p[2] * d.x[2];
            if (along > best) {
                best = along;
                s = (vec){ { p[0], p[1], p[2] } };
            }
        }
        break;
    }
    }
    return s;
}

static vec placed_support(const bench_body *body, const bench_place *place, vec d)
{
    vec local, world;
    for (int i = 0; i < 3; ++i)
        local.x[i] =
            place->rotation[0][i] * d.x[0] + place->rotation[1][i] * d.x[1] + place->rotation[2][i] * d.x[2];
    const vec s = core_support(body, local);
    for (int i = 0; i < 3; ++i)
        world.x[i] = place->rotation[i][0] * s.x[0] + place->rotation[i][1] * s.x[1] +
                     place->rotation[i][2] * s.x[2] + place->position[i];
    return world;
}

static vec support(const couple *c, vec d)
{
    return vec_sub(placed_support(c->a, c->place_a, d), placed_support(c->b, c->place_b, scale(-1, d)));
}

static void give_up(const char *what, real gap)
{
    fprintf(stderr, "abut_bench: the referee cannot decide %s (gap %Lg)\n", what, gap);
    exit(3);
}

/* ---- nearest point of a simplex ---- */

typedef struct simplex {
    int count;
    vec p[4];
} simplex;

/* Nearest point of the plane, line or point through the chosen vertices, if it lies inside the
 * face they span. */
static bool nearest_on_face(const vec *p, int count, vec *out)
{
    if (count == 1) {
        *out = p[0];
        return true;
    }
    if (count == 2) {
        const vec e = vec_sub(p[1], p[0]);
        const real ee = vec_dot(e, e), s = ee > 0 ? -vec_dot(p[0], e) / ee : -1;
        *out = madd(p[0], s, e);
        return s >= 0 && s <= 1;
    }
    if (count == 3) {
        const vec e = vec_sub(p[1], p[0]), f = vec_sub(p[2], p[0]), n = vec_cross(e, f);
        const real nn = vec_dot(n, n);
        if (!(nn > 0))
            return false;
        /* Barycentric coordinates of the origin's projection; the point itself along n, which
         * loses no digits. */
        const real s = vec_dot(vec_cross(f, p[0]), n) / nn, t = vec_dot(vec_cross(p[0], e), n) / nn;
        *out = scale(vec_dot(p[0], n) / nn, n);
        return s >= 0 && t >= 0 && s + t <= 1;
    }
    const vec e = vec_sub(p[1], p[0]), f = vec_sub(p[2], p[0]), g = vec_sub(p[3], p[0]);
    const real volume = vec_dot(e, vec_cross(f, g));
    if (volume == 0)
        return false;
    const vec o = scale(-1, p[0]);
    const real s = vec_dot(o, vec_cross(f, g)) / volume, t = vec_dot(e, vec_cross(o, g)) / volume,
               u = vec_dot(e, vec_cross(f, o)) / volume;
    *out = (vec){ { 0, 0, 0 } };
    return s >= 0 && t >= 0 && u >= 0 && s + t + u <= 1;
}

/* Reduces the simplex to the smallest face that holds the nearest point. */
static vec nearest(simplex *s)
{
    vec best = s->p[0];
    real best_sq = HUGE_VALL;
    simplex kept = *s;
    for (int mask = 1; mask < 1 << s->count; ++mask) {
        simplex face = { 0 };
        for (int i = 0; i < s->count; ++i)
            if (mask >> i & 1)
                face.p[face.count++] = s->p[i];
        vec point;
        if (nearest_on_face(face.p, face.count, &point) && vec_dot(point, point) < best_sq) {
            best = point;
            best_sq = vec_dot(point, point);
            kept = face;
        }
    }
    *s = kept;
    return best;
}

/* ---- distance of the cores ---- */

typedef struct nearness {
    real distance; /* of the cores; 0: they meet, and the simplex has the origin inside */
    vec normal;    /* unit, from b to a: the separating direction */
    simplex s;
} nearness;

static nearness core_distance(const couple *c)
{
    nearness out = { 0 };
    vec v = support(c, (vec){ { 1, 0, 0 } });
    out.s = (simplex){ 1, { v } };
    real upper = HUGE_VALL, lower = 0, wanted = 1e-12L;
    for (int i = 0; i < 4000; ++i) {
        const real norm = length(v);
        if (out.s.count == 4 || norm < 1e-16L) {
            out.distance = 0;
            return out;
        }
        const vec w = support(c, scale(-1, v));
        const real bound = vec_dot(v, w) / norm;
        upper = fminl(upper, norm);
        if (bound > lower || i == 0) {
            lower = fmaxl(lower, bound);
            out.normal = scale(1 / norm, v);
        }
        /* The second bound is for bodies that touch: rounding of coordinates of 10 in long
         * double. */
        if (upper - lower <= wanted * upper || upper - lower <= 1e-17L) {
            out.distance = lower;
            return out;
        }
        for (int k = 0; k < out.s.count; ++k)
            if (memcmp(out.s.p[k].x, w.x, sizeof w.x) == 0)
                wanted = 1e-9L; /* no further vertex: what is left of the gap is rounding */
        if (i > 1000)
            wanted = 1e-9L; /* ellipsoids close in slowly */
        simplex grown = out.s;
        grown.p[grown.count++] = w;
        const vec next = nearest(&grown);
        if (grown.count < 4 && vec_dot(next, next) >= vec_dot(v, v) && i > 0) {
            /* Rounding: nothing nearer. A last word by the bounds. */
            if (upper - lower <= 1e-8L * upper) {
                out.distance = lower;
                return out;
            }
            if (upper < 1e-12L) {
                out.distance = 0;
                return out;
            }
        }
        out.s = grown;
        v = next;
    }
    /* Rims and edges that are nearly parallel close in most slowly. */
    if (upper - lower > 1e-9L * upper && upper - lower > 1e-10L)
        give_up("a distance", upper - lower);
    out.distance = lower;
    return out;
}

double bench_referee_distance(const bench_body *a, const bench_place *place_a, const bench_body *b,
                              const bench_place *place_b)
{
    const couple c = { a, b, place_a, place_b };
    const real apart = core_distance(&c).distance - radius_of(a) - radius_of(b);
    return apart > 0 ? (double)apart : 0;
}

/* ---- depth ---- */

#define MAX_VERTICES 3000
#define MAX_FACES    (2 * MAX_VERTICES)

typedef struct facet {
    int v[3];
    vec normal; /* unit, outward */
    real distance;
} facet;

typedef struct polytope {
    int vertex_count, facet_count;
    vec vertices[MAX_VERTICES];
    facet facets[MAX_FACES];
    int edges[MAX_FACES][2]; /* of the hole */
} polytope;

static bool add_facet(polytope *p, int a, int b, int c)
{
    if (p->facet_count == MAX_FACES)
        return false;
    const vec e = vec_sub(p->vertices[b], p->vertices[a]), f = vec_sub(p->vertices[c], p->vertices[a]),
              n = vec_cross(e, f);
    const real norm = length(n);
    if (!(norm > 0))
        return false;
    facet *out = &p->facets[p->facet_count++];
    *out = (facet){ { a, b, c }, scale(1 / norm, n), 0 };
    out->distance = vec_dot(out->normal, p->vertices[a]);
    return true;
}

/* The edge leaves the hole when its other side is in the hole, too. */
static int toggle_edge(int (*edges)[2], int count, int from, int to)
{
    for (int i = 0; i < count; ++i)
        if (edges[i][0] == to && edges[i][1] == from) {
            edges[i][0] = edges[count - 1][0];
            edges[i][1] = edges[count - 1][1];
            return count - 1;
        }
    edges[count][0] = from;
    edges[count][1] = to;
    return count + 1;
}

static bool add_vertex(polytope *p, vec w)
{
    if (p->vertex_count == MAX_VERTICES)
        return false;
    const int index = p->vertex_count++;
    p->vertices[index] = w;
    int edge_count = 0, kept = 0;
    for (int i = 0; i < p->facet_count; ++i) {
        const facet f = p->facets[i];
        if (vec_dot(f.normal, w) > f.distance + 1e-17L) {
            for (int k = 0; k < 3; ++k)
                edge_count = toggle_edge(p->edges, edge_count, f.v[k], f.v[(k + 1) % 3]);
        } else {
            p->facets[kept++] = f;
        }
    }
    p->facet_count = kept;
    for (int i = 0; i < edge_count; ++i)
        if (!add_facet(p, p->edges[i][0], p->edges[i][1], index))
            return false;
    return edge_count > 0;
}

static bool start_polytope(polytope *p, const simplex *s)
{
    static const int faces[4][3] = { { 0, 1, 2 }, { 0, 3, 1 }, { 0, 2, 3 }, { 1, 3, 2 } };
    p->vertex_count = 4;
    p->facet_count = 0;
    memcpy(p->vertices, s->p, sizeof s->p);
    const real volume =
        vec_dot(vec_sub(s->p[3], s->p[0]), vec_cross(vec_sub(s->p[1], s->p[0]), vec_sub(s->p[2], s->p[0])));
    for (int i = 0; i < 4; ++i)
        if (!add_facet(p, faces[i][0], faces[i][volume > 0 ? 2 : 1], faces[i][volume > 0 ? 1 : 2]))
            return false;
    return true;
}

static real core_depth(const couple *c, const simplex *s)
{
    polytope *p = bench_alloc(1, sizeof *p);
    real upper = HUGE_VALL, lower = 0;
    bool going = s->count == 4 && start_polytope(p, s);
    while (going) {
        const facet *first = &p->facets[0];
        for (int i = 1; i < p->facet_count; ++i)
            if (p->facets[i].distance < first->distance)
                first = &p->facets[i];
        const vec w = support(c, first->normal);
        lower = first->distance;
        upper = fminl(upper, vec_dot(first->normal, w));
        going = upper - lower > 1e-12L && (upper - lower > 5e-7L || c->a->type != BENCH_ELLIPSOID);
        going = going && add_vertex(p, w);
    }
    free(p);
    if (!(upper - lower < 1e-6L))
        give_up("a depth", upper - lower);
    return (upper + lower) / 2;
}

/* ---- by the referee of the tests ---- */

/* The points of spheres, capsules and hulls go to `points`, which has room for two. */
static oracle_body oracle_body_of(const bench_body *body, abut_vec3 *points)
{
    const double *s = body->size;
    points[0] = points[1] = (abut_vec3){ 0, 0, 0 };
    switch (body->type) {
    case BENCH_SPHERE:
        return (oracle_body){ .core = ORACLE_CORE_POINTS, .points = points, .count = 1, .radius = s[0] };
    case BENCH_CAPSULE:
        points[0].z = -s[1];
        points[1].z = s[1];
        return (oracle_body){ .core = ORACLE_CORE_POINTS, .points = points, .count = 2, .radius = s[0] };
    case BENCH_BOX: return (oracle_body){ .core = ORACLE_CORE_BOX, .h = { s[0], s[1], s[2] } };
    case BENCH_ELLIPSOID: return (oracle_body){ .core = ORACLE_CORE_ELLIPSOID, .h = { s[0], s[1], s[2] } };
    case BENCH_CYLINDER: return (oracle_body){ .core = ORACLE_CORE_CYLINDER, .h = { s[0], 0, s[1] } };
    case BENCH_CONE: return (oracle_body){ .core = ORACLE_CORE_CONE, .h = { s[0], 0, s[1] } };
    case BENCH_HULL: break;
    }
    return (oracle_body){ .core = ORACLE_CORE_POINTS,
                          .points = (const abut_vec3 *)(const void *)body->hull->points,
                          .count = body->hull->point_count };
}

static abut_quat quaternion_of(const bench_place *place)
{
    const double *q = place->quaternion;
    return (abut_quat){ q[0], q[1], q[2], q[3] };
}

/* The bounds may meet slowly where rims are nearly parallel or a ring of directions is equally
 * good, but the lower one is attained: from there uphill, by steps in eight directions that
 * halve when none leads up. */
static long double climb(const oracle_convex *pair, abut_vec3 n, long double best)
{
    for (double step = 1e-2; step > 1e-13;) {
        const vec at = { { n.x, n.y, n.z } };
        const vec axis = { { fabs(n.x) < .6, fabs(n.x) >= .6, 0 } };
        vec u = vec_cross(at, axis);
        u = scale(1 / length(u), u);
        const vec v = vec_cross(at, u);
        abut_vec3 found = n;
        long double most = best;
        for (int i = 0; i < 8; ++i) {
            static const int turn[8][2] = { { 1, 0 },  { 1, 1 },   { 0, 1 },  { -1, 1 },
                                            { -1, 0 }, { -1, -1 }, { 0, -1 }, { 1, -1 } };
            vec tried = madd(madd(at, step * turn[i][0], u), step * turn[i][1], v);
            tried = scale(1 / length(tried), tried);
            const abut_vec3 m = { (double)tried.x[0], (double)tried.x[1], (double)tried.x[2] };
            long double error;
            const long double s = oracle_convex_separation(pair, m, &error);
            if (s > most) {
                most = s;
                found = m;
            }
        }
        if (most > best) {
            best = most;
            n = found;
        } else {
            step /= 2;
        }
    }
    return best;
}

double bench_referee_gap(const bench_pair *pair, const double *n)
{
    abut_vec3 points[2][2];
    const oracle_body a = oracle_body_of(&pair->a, points[0]), b = oracle_body_of(&pair->b, points[1]);
    const double *p = pair->place_a.position, *q = pair->place_b.position;
    const oracle_convex convex = { &a,
                                   &b,
                                   { { p[0], p[1], p[2] }, quaternion_of(&pair->place_a) },
                                   { { q[0], q[1], q[2] }, quaternion_of(&pair->place_b) } };
    const abut_vec3 hint = n ? (abut_vec3){ n[0], n[1], n[2] } : (abut_vec3){ 0, 0, 0 };
    oracle_gap gap = oracle_convex_gap(&convex, &hint, n ? 1 : 0, ORACLE_QUICK, HUGE_VALL, -HUGE_VALL);
    if (!(gap.hi - gap.lo < 1e-13L * gap.scale))
        gap = oracle_convex_gap(&convex, &hint, n ? 1 : 0, ORACLE_THOROUGH, HUGE_VALL, -HUGE_VALL);
    if (!(gap.hi - gap.lo < 1e-4L * gap.scale))
        give_up("a gap", gap.hi - gap.lo);
    return (double)climb(&convex, gap.normal, gap.lo);
}

void bench_referee_touch(bench_pair *pair, const double n[3], double shift)
{
    abut_vec3 points[2][2];
    const oracle_body a = oracle_body_of(&pair->a, points[0]), b = oracle_body_of(&pair->b, points[1]);
    const long double ahead[3] = { n[0], n[1], n[2] }, back[3] = { -ahead[0], -ahead[1], -ahead[2] };
    long double x[3], y[3];
    oracle_convex_support(&a, quaternion_of(&pair->place_a), ahead, x);
    oracle_convex_support(&b, quaternion_of(&pair->place_b), back, y);
    for (int i = 0; i < 3; ++i)
        pair->place_b.position[i] = (double)(pair->place_a.position[i] + (x[i] - y[i]) + shift * ahead[i]);
}

double bench_referee_depth(const bench_body *a, const bench_place *place_a, const bench_body *b,
                           const bench_place *place_b)
{
    const couple c = { a, b, place_a, place_b };
    /* Where edges curve the polytope above breaks for lack of digits. */
    if (a->type == BENCH_CYLINDER || a->type == BENCH_CONE) {
        const bench_pair pair = { *a, *b, *place_a, *place_b };
        return fmax(0, -bench_referee_gap(&pair, NULL));
    }
    const nearness near = core_distance(&c);
    const real radii = radius_of(a) + radius_of(b);
    const real core = near.distance > 0 ? -near.distance : core_depth(&c, &near.s);
    return (double)fmaxl(0, core + radii);
}

/* ---- first contact ---- */

static real bounding_radius(const bench_body *body)
{
    const double *s = body->size;
    switch (body->type) {
    case BENCH_SPHERE: return s[0];
    case BENCH_CAPSULE: return (real)s[0] + s[1];
    case BENCH_CYLINDER:
    case BENCH_CONE: return sqrtl((real)s[0] * s[0] + (real)s[1] * s[1]);
    case BENCH_BOX: return sqrtl((real)s[0] * s[0] + (real)s[1] * s[1] + (real)s[2] * s[2]);
    case BENCH_ELLIPSOID: return fmaxl(s[0], fmaxl(s[1], s[2]));
    case BENCH_HULL: break;
    }
    real most = 0;
    for (size_t i = 0; i < body->hull->point_count; ++i) {
        const double *p = body->hull->points[i];
        most = fmaxl(most, sqrtl((real)p[0] * p[0] + (real)p[1] * p[1] + (real)p[2] * p[2]));
    }
    return most;
}

double bench_referee_first_contact(const bench_sweep *sweep)
{
    vec closing, spin_a, spin_b;
    for (int i = 0; i < 3; ++i) {
        closing.x[i] = (real)sweep->linear_b[i] - sweep->linear_a[i];
        spin_a.x[i] = sweep->angular_a[i];
        spin_b.x[i] = sweep->angular_b[i];
    }
    const real turning =
        length(spin_a) * bounding_radius(&sweep->a) + length(spin_b) * bounding_radius(&sweep->b);
    const real radii = radius_of(&sweep->a) + radius_of(&sweep->b);
    real t = 0;
    for (int i = 0; i < 100000; ++i) {
        bench_place place_a, place_b;
        bench_sweep_at(&sweep->place_a, sweep->linear_a, sweep->angular_a, (double)t, &place_a);
        bench_sweep_at(&sweep->place_b, sweep->linear_b, sweep->angular_b, (double)t, &place_b);
        const couple c = { &sweep->a, &sweep->b, &place_a, &place_b };
        const nearness near = core_distance(&c);
        const real gap = near.distance - radii;
        if (gap < 1e-7L)
            return (double)t;
        /* The gap across the plane of this normal closes no faster than this. */
        const real speed = vec_dot(closing, near.normal) + turning;
        if (speed <= 0)
            return 2;
        t += gap / speed;
        if (t > 1)
            return 2;
    }
    give_up("a first contact", 1 - t);
    return 2;
}

/* ---- second opinions ---- */

bool bench_referee_boxes_overlap(const bench_pair *pair)
{
    vec axes[15], between;
    int count = 0;
    for (int i = 0; i < 3; ++i) {
        between.x[i] = (real)pair->place_b.position[i] - pair->place_a.position[i];
        for (int k = 0; k < 3; ++k) {
            axes[i].x[k] = pair->place_a.rotation[k][i];
            axes[3 + i].x[k] = pair->place_b.rotation[k][i];
        }
    }
    count = 6;
    for (int i = 0; i < 3; ++i)
        for (int k = 0; k < 3; ++k)
            axes[count++] = vec_cross(axes[i], axes[3 + k]);
    for (int n = 0; n < count; ++n) {
        real reach = 0;
        for (int i = 0; i < 3; ++i)
            reach += pair->a.size[i] * fabsl(vec_dot(axes[n], axes[i])) +
                     pair->b.size[i] * fabsl(vec_dot(axes[n], axes[3 + i]));
        if (fabsl(vec_dot(axes[n], between)) > reach)
            return false;
    }
    return true;
}

/* Nearest distance of two segments by ternary search in one parameter, in which it is convex. */
double bench_referee_capsule_distance(const bench_pair *pair)
{
    vec p, d, q, e;
    for (int i = 0; i < 3; ++i) {
        p.x[i] = pair->place_a.position[i];
        q.x[i] = pair->place_b.position[i];
        d.x[i] = pair->place_a.rotation[i][2] * (real)pair->a.size[1];
        e.x[i] = pair->place_b.rotation[i][2] * (real)pair->b.size[1];
    }
    real lo = -1, hi = 1, best = HUGE_VALL;
    for (int i = 0; i < 200; ++i) {
        const real s[2] = { lo + (hi - lo) / 3, hi - (hi - lo) / 3 };
        real found[2];
        for (int k = 0; k < 2; ++k) {
            const vec x = vec_sub(madd(p, s[k], d), q);
            const real t = fmaxl(-1, fminl(1, vec_dot(x, e) / vec_dot(e, e)));
            found[k] = length(madd(x, -t, e));
            best = fminl(best, found[k]);
        }
        if (found[0] < found[1])
            hi = s[1];
        else
            lo = s[0];
    }
    const real apart = best - pair->a.size[0] - pair->b.size[0];
    return apart > 0 ? (double)apart : 0;
}
