/* SPDX-License-Identifier: MIT */
/* Where a vertex and a face, or two edges, touch at a time that is known, and along which normal:
 * in plain doubles, for features in contact up to rounding. Nothing is decided here.
 *
 * All is done with positions relative to the first corner, divided by their size, so that
 * products stay in range. */
#include "ccd/mesh/impact.h"

#include "math/vec3.h"

#include <math.h>

/* Below this, relative to the square of the longer side, a cross product is taken for zero:
 * sides that should have no length have some by rounding. */
#define FLAT 1e-13

typedef struct scene {
    abut_vec3 r[4];     /* positions at the time of contact, scaled; r[0] is zero */
    abut_vec3 v[4];     /* velocities, scaled */
    abut_vec3 first[4]; /* positions at the start, scaled */
} scene;

static double move1(double s, double e, double t)
{
    return s == e ? s : (1 - t) * s + t * e;
}

static abut_vec3 move(abut_vec3 s, abut_vec3 e, double t)
{
    return abut_v3(move1(s.x, e.x, t), move1(s.y, e.y, t), move1(s.z, e.z, t));
}

static double clamp(double x)
{
    return x > 0 ? (x < 1 ? x : 1) : 0; /* 0 for what is not a number */
}

/* A power of two that brings numbers of that size to about 1; not so for the least of them,
 * which overflow would spoil. */
static double scale_of(double size)
{
    if (!(size > 0) || (size > 0x1p-100 && size < 0x1p100))
        return 1;
    const int e = -ilogb(size);
    return ldexp(1, e > 1000 ? 1000 : e);
}

/* The larger of m and the size of a coordinate. */
static double larger(double m, abut_vec3 a)
{
    m = fabs(a.x) > m ? fabs(a.x) : m;
    m = fabs(a.y) > m ? fabs(a.y) : m;
    return fabs(a.z) > m ? fabs(a.z) : m;
}

static scene make_scene(const abut_impact_query *q, double t)
{
    scene s;
    double size = 0;
    for (int i = 0; i < 4; ++i)
        size = larger(larger(size, q->start[i]), q->end[i]);
    const double scale = scale_of(size);
    for (int i = 0; i < 4; ++i) {
        const abut_vec3 a = abut_scale(scale, q->start[i]), b = abut_scale(scale, q->end[i]);
        s.v[i] = abut_sub(b, a);
        s.r[i] = move(a, b, t);
        s.first[i] = a;
    }
    /* Features much smaller than their distance from the origin get a scale of their own. */
    const abut_vec3 origin = s.r[0], start = s.first[0];
    double own = 0;
    for (int i = 0; i < 4; ++i) {
        s.r[i] = abut_sub(s.r[i], origin);
        s.first[i] = abut_sub(s.first[i], start);
        own = larger(own, s.r[i]);
    }
    const double grow = scale_of(own);
    for (int i = 0; i < 4; ++i)
        s.r[i] = abut_scale(grow, s.r[i]);
    double speed = 0;
    for (int i = 0; i < 4; ++i)
        speed = larger(speed, s.v[i]);
    const double slow = scale_of(speed);
    for (int i = 0; i < 4; ++i)
        s.v[i] = abut_scale(slow, s.v[i]);
    return s;
}

/* Numbers here are about 1 in size, but for degenerate features: the slow way is for those. */
static abut_vec3 unit_or(abut_vec3 a, abut_vec3 otherwise)
{
    const double square = abut_dot(a, a);
    if (square > 0x1p-900 && square < 0x1p900)
        return abut_scale(1 / sqrt(square), a);
    return abut_unit_or(a, otherwise);
}

static bool is_flat(abut_vec3 n, abut_vec3 a, abut_vec3 b)
{
    const double aa = abut_dot(a, a), bb = abut_dot(b, b), most = FLAT * (aa > bb ? aa : bb);
    return !(abut_dot(n, n) > most * most);
}

static abut_vec3 longest(abut_vec3 a, abut_vec3 b)
{
    return abut_dot(a, a) >= abut_dot(b, b) ? a : b;
}

/* Along d, or where there is none along v: the part of v across d, else anything across d. */
static abut_vec3 across(abut_vec3 d, abut_vec3 v)
{
    const abut_vec3 x = abut_v3(1, 0, 0);
    if (!(abut_length(d) > 0))
        return unit_or(v, x);
    d = unit_or(d, x);
    const abut_vec3 part = abut_madd(v, -abut_dot(v, d), d);
    if (abut_length(part) > 1e-9 * abut_length(v))
        return unit_or(part, x);
    const double ax = fabs(d.x), ay = fabs(d.y), az = fabs(d.z);
    const abut_vec3 other = ax <= ay && ax <= az ? x : ay <= az ? abut_v3(0, 1, 0) : abut_v3(0, 0, 1);
    return unit_or(abut_cross(d, other), x);
}

/* ---- vertex and face ---- */

static void vertex_face(const scene *s, double *u, double *v, abut_vec3 *normal, bool coplanar)
{
    const abut_vec3 ab = abut_sub(s->r[2], s->r[1]), ac = abut_sub(s->r[3], s->r[1]),
                    w = abut_scale(-1, s->r[1]);
    const abut_vec3 n = abut_cross(ab, ac);
    const abut_vec3 bc = abut_sub(ac, ab);
    const double ab2 = abut_dot(ab, ab), ac2 = abut_dot(ac, ac), bc2 = abut_dot(bc, bc);
    if (is_flat(n, ab, ac)) {
        /* A segment: its longest side. */
        abut_vec3 d = ab;
        if (ab2 >= ac2 && ab2 >= bc2) {
            *u = ab2 > 0 ? clamp(abut_dot(w, ab) / ab2) : 0;
            *v = 0;
        } else if (ac2 >= bc2) {
            d = ac;
            *u = 0;
            *v = clamp(abut_dot(w, ac) / ac2);
        } else {
            d = bc;
            *v = clamp(abut_dot(abut_sub(w, ab), bc) / bc2);
            *u = 1 - *v;
        }
        const abut_vec3 face =
            abut_madd(abut_madd(abut_scale(1 - *u - *v, s->v[1]), *u, s->v[2]), *v, s->v[3]);
        *normal = across(d, abut_sub(face, s->v[0]));
        return;
    }
    const double nn = abut_dot(n, n);
    *u = clamp(abut_dot(abut_cross(w, ac), n) / nn);
    *v = clamp(abut_dot(abut_cross(ab, w), n) / nn);
    if (*u + *v > 1) {
        const double sum = *u + *v;
        *u /= sum;
        *v /= sum;
    }
    *normal = unit_or(n, abut_v3(0, 0, 1));
    if (!coplanar)
        return;
    /* It came to the face in its plane, over a side or a corner. */
    /* each is zero on the side opposite to its corner */
    const double weight[3] = { 1 - *u - *v, *u, *v };
    const abut_vec3 side[3] = { bc, ac, ab };
    int least = 0, small = 0;
    for (int i = 0; i < 3; ++i) {
        least = weight[i] < weight[least] ? i : least;
        small += weight[i] < 1e-9;
    }
    if (small == 0)
        return;
    if (small >= 2) {
        const abut_vec3 face = abut_madd(abut_madd(abut_scale(weight[0], s->v[1]), *u, s->v[2]), *v, s->v[3]);
        const abut_vec3 rate = abut_sub(face, s->v[0]);
        if (abut_length(rate) > 0) {
            *normal = unit_or(rate, *normal);
            return;
        }
    }
    *normal = unit_or(abut_cross(*normal, side[least]), *normal);
}

/* ---- two edges ---- */

static double end_distance(double x)
{
    return x < 1 - x ? x : 1 - x;
}

static void edge_edge(const scene *s, double *a, double *b, abut_vec3 *normal, bool coplanar)
{
    const abut_vec3 d = s->r[1], e = abut_sub(s->r[3], s->r[2]), w = s->r[2];
    const abut_vec3 n = abut_cross(d, e);
    if (!is_flat(n, d, e)) {
        const double nn = abut_dot(n, n);
        *a = clamp(abut_dot(abut_cross(w, e), n) / nn);
        *b = clamp(abut_dot(abut_cross(w, d), n) / nn);
        *normal = unit_or(n, abut_v3(0, 0, 1));
        const double ea = end_distance(*a), eb = end_distance(*b);
        if (coplanar && fmin(ea, eb) < 1e-9) /* an end runs into the other edge, in the plane of both */
            *normal = unit_or(abut_cross(*normal, ea <= eb ? e : d), *normal);
        return;
    }
    /* On one line: the middle of what they have in common, in parameters of the longer one. */
    const double dd = abut_dot(d, d), ee = abut_dot(e, e);
    *a = *b = 0;
    if (dd >= ee && dd > 0) {
        const double s0 = abut_dot(w, d) / dd, s1 = abut_dot(s->r[3], d) / dd;
        *a = clamp(0.5 * (clamp(fmin(s0, s1)) + clamp(fmax(s0, s1))));
        *b = s1 != s0 ? clamp((*a - s0) / (s1 - s0)) : 0;
    } else if (ee > 0) {
        const double s0 = -abut_dot(w, e) / ee, s1 = abut_dot(abut_sub(d, w), e) / ee;
        *b = clamp(0.5 * (clamp(fmin(s0, s1)) + clamp(fmax(s0, s1))));
        *a = s1 != s0 ? clamp((*b - s0) / (s1 - s0)) : 0;
    }
    const abut_vec3 va = abut_madd(abut_scale(1 - *a, s->v[0]), *a, s->v[1]),
                    vb = abut_madd(abut_scale(1 - *b, s->v[2]), *b, s->v[3]);
    *normal = across(longest(d, e), abut_sub(vb, va));
}

/* ---- both ---- */

static abut_vec3 weighted(const abut_vec3 x[4], const double w[4])
{
    return abut_madd(abut_madd(abut_madd(abut_scale(w[0], x[0]), w[1], x[1]), w[2], x[2]), w[3], x[3]);
}

static void set_point(const abut_impact_query *q, double t, double x, abut_impact_result *out)
{
    const abut_vec3 p0 = move(q->start[0], q->end[0], t);
    out->point = p0;
    if (q->edges && x > 0) {
        const abut_vec3 p1 = move(q->start[1], q->end[1], t);
        out->point = abut_v3(move1(p0.x, p1.x, x), move1(p0.y, p1.y, x), move1(p0.z, p1.z, x));
    }
}

/* Features that cross at an angle, in numbers of ordinary size, which is nearly all: the same without
 * scales. False where it is not such a case. */
static bool place_plain(const abut_impact_query *q, double t, abut_impact_result *out)
{
    abut_vec3 r[3], v[3];
    double speed = 0;
    for (int i = 0; i < 3; ++i) {
        const abut_vec3 a = abut_sub(q->start[i + 1], q->start[0]), b = abut_sub(q->end[i + 1], q->end[0]);
        v[i] = abut_sub(b, a);
        r[i] = abut_madd(a, t, v[i]);
        speed += fabs(v[i].x) + fabs(v[i].y) + fabs(v[i].z);
    }
    abut_vec3 d, e, w;
    if (q->edges) {
        d = r[0];
        e = abut_sub(r[2], r[1]);
        w = r[1];
    } else {
        d = abut_sub(r[1], r[0]);
        e = abut_sub(r[2], r[0]);
        w = abut_scale(-1, r[0]);
    }
    const abut_vec3 n = abut_cross(d, e);
    const double nn = abut_dot(n, n), dd = abut_dot(d, d), ee = abut_dot(e, e);
    if (!(nn > 1e-12 * dd * ee && nn > 0x1p-600 && nn < 0x1p600))
        return false;
    const double inverse = 1 / nn;
    const double x = abut_dot(abut_cross(w, e), n) * inverse,
                 y = abut_dot(q->edges ? abut_cross(w, d) : abut_cross(d, w), n) * inverse;
    if (!(x > 0 && y > 0 && x < 1 && y < 1 && (q->edges || x + y < 1)))
        return false;
    const double f[3] = { q->edges ? -x : 1 - x - y, q->edges ? 1 - y : x, y };
    const abut_vec3 rate = abut_madd(abut_madd(abut_scale(f[0], v[0]), f[1], v[1]), f[2], v[2]);
    const double length = sqrt(nn), way = -abut_dot(rate, n);
    if (!(fabs(way) > 1e-9 * length * speed))
        return false;
    out->parameters[0] = x;
    out->parameters[1] = y;
    out->normal = abut_scale((way < 0 ? -1 : 1) / length, n);
    set_point(q, t, x, out);
    return true;
}

void abut_impact_place(const abut_impact_query *q, abut_impact_result *out)
{
    const double t = 0.5 * (out->time.lo + out->time.hi);
    if (!out->coplanar && place_plain(q, t, out))
        return;
    const scene s = make_scene(q, t);
    const bool in_plane = out->coplanar && out->time.lo > 0;
    double x = 0, y = 0;
    if (q->edges)
        edge_edge(&s, &x, &y, &out->normal, in_plane);
    else
        vertex_face(&s, &x, &y, &out->normal, in_plane);
    out->parameters[0] = x;
    out->parameters[1] = y;
    set_point(q, t, x, out);
    /* From a to b before contact: their gap along the normal shrinks. Where it does not change,
     * as it was at the start. */
    const double weights[4] = { q->edges ? x - 1 : -1, q->edges ? -x : 1 - x - y, q->edges ? 1 - y : x, y };
    double way = -abut_dot(weighted(s.v, weights), out->normal);
    if (!(fabs(way) > 1e-12))
        way = abut_dot(weighted(s.first, weights), out->normal);
    if (way < 0)
        out->normal = abut_scale(-1, out->normal);
}
