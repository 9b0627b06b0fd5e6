/* SPDX-License-Identifier: MIT */
/* One triangle and a point or a line in its own frame; see triangle.h. */
#include "abut/predicates.h"
#include "math/vec3.h"
#include "narrow/triangle/triangle.h"

#include <float.h>

static double clamp(double s)
{
    return s > 0 ? s < 1 ? s : 1 : 0;
}

/* Nearest point of edge k; its feature. */
static double try_edge(const abut_vec3 t[3], int k, abut_vec3 p, abut_vec3 *at, abut_feature *feature,
                       int *which)
{
    const int next = k == 2 ? 0 : k + 1;
    const abut_vec3 e = abut_sub(t[next], t[k]), r = abut_sub(p, t[k]);
    const double ee = abut_dot(e, e), s = ee > 0 ? clamp(abut_dot(r, e) / ee) : 0;
    *at = s == 0 ? t[k] : s == 1 ? t[next] : abut_madd(t[k], s, e);
    *feature = s > 0 && s < 1 ? ABUT_FEATURE_EDGE : ABUT_FEATURE_VERTEX;
    *which = s == 1 ? next : k;
    const abut_vec3 d = abut_sub(p, *at);
    return abut_dot(d, d);
}

abut_vec3 abut_triangle_closest(const abut_vec3 t[3], abut_vec3 p, abut_feature *feature, int *which)
{
    const abut_vec3 n = abut_cross(abut_sub(t[1], t[0]), abut_sub(t[2], t[0]));
    const double nn = abut_dot(n, n);
    double over[3] = { 0, 0, 0 }; /* edge k: times 1 / |n|^2, the weight of the corner opposite */
    bool inside = nn > 0;
    for (int k = 0; inside && k < 3; ++k) {
        over[k] = abut_dot(abut_cross(n, abut_sub(t[(k + 1) % 3], t[k])), abut_sub(p, t[k]));
        inside = over[k] > 0;
    }
    if (inside) {
        /* put together from the corners: on the triangle even where a sliver's normal is badly
         * known */
        *feature = ABUT_FEATURE_FACE;
        *which = 0;
        const double one = clamp(over[2] / nn), most = 1 - one, two = clamp(over[0] / nn);
        return abut_madd(abut_madd(t[0], one, abut_sub(t[1], t[0])), two < most ? two : most,
                         abut_sub(t[2], t[0]));
    }
    abut_vec3 best = t[0];
    double least = HUGE_VAL;
    *feature = ABUT_FEATURE_VERTEX;
    *which = 0;
    for (int k = 0; k < 3; ++k) {
        abut_vec3 at;
        abut_feature kind;
        int number;
        const double off = try_edge(t, k, p, &at, &kind, &number);
        if (off < least) {
            least = off;
            best = at;
            *feature = kind;
            *which = number;
        }
    }
    return best;
}

/* ---- a point on the triangle ---- */

int abut_triangle_turn(abut_vec3 a, abut_vec3 b, abut_vec3 c, int axis)
{
    const int u = (axis + 1) % 3, v = (axis + 2) % 3;
    const double pa[2] = { abut_part3(a, u), abut_part3(a, v) },
                 pb[2] = { abut_part3(b, u), abut_part3(b, v) },
                 pc[2] = { abut_part3(c, u), abut_part3(c, v) };
    return abut_orient2d(pa, pb, pc);
}

static bool is_same(abut_vec3 a, abut_vec3 b)
{
    return a.x == b.x && a.y == b.y && a.z == b.z;
}

static bool is_between(double x, double a, double b)
{
    return (a <= x && x <= b) || (b <= x && x <= a);
}

/* For p on the line of a and b. */
static bool is_on_segment(abut_vec3 a, abut_vec3 b, abut_vec3 p)
{
    return is_between(p.x, a.x, b.x) && is_between(p.y, a.y, b.y) && is_between(p.z, a.z, b.z);
}

abut_feature abut_triangle_on(const abut_vec3 t[3], abut_vec3 p, int *which)
{
    *which = 0;
    for (int k = 0; k < 3; ++k)
        if (is_same(t[k], p)) {
            *which = k;
            return ABUT_FEATURE_VERTEX;
        }
    if (abut_orient3d(t[0], t[1], t[2], p) != 0)
        return ABUT_FEATURE_NONE;
    for (int k = 0; k < 3; ++k)
        if (abut_collinear(t[k], t[(k + 1) % 3], p) && is_on_segment(t[k], t[(k + 1) % 3], p)) {
            *which = k;
            return ABUT_FEATURE_EDGE;
        }
    for (int axis = 0; axis < 3; ++axis) {
        const int turn = abut_triangle_turn(t[0], t[1], t[2], axis);
        if (turn == 0)
            continue;
        for (int k = 0; k < 3; ++k)
            if (abut_triangle_turn(t[k], t[(k + 1) % 3], p, axis) != turn)
                return ABUT_FEATURE_NONE;
        return ABUT_FEATURE_FACE;
    }
    return ABUT_FEATURE_NONE;
}

/* ---- a line through the triangle ----
 *
 * det(d, p - o, q - o) tells on which side of the line the edge from p to q passes; three equal
 * signs are a hit, and the sign is that of the direction along the normal. Where one is zero the
 * line is thought to be moved by (e, e^2, e^3) for an infinitely small e: the determinant
 * changes by that times d x (q - p), of which the first coordinate that is not zero decides (H.
 * Edelsbrunner, E. Muecke, Simulation of simplicity, 1990). All edges of all triangles see the
 * same moved line, so a closed surface is entered as often as left. An edge along the line is in
 * triangles only that the moved line misses. */

#define U 0x1p-53

static int exact_pass(abut_vec3 p, abut_vec3 q, abut_vec3 o, abut_vec3 d)
{
    const double m[16] = { d.x, d.y, d.z, 0, p.x, p.y, p.z, 1, q.x, q.y, q.z, 1, o.x, o.y, o.z, 1 };
    int sign = abut_det4_sign(m);
    for (int axis = 0; sign == 0 && axis < 3; ++axis) { /* (d x (q - p)) along the axis */
        const int u = (axis + 1) % 3, v = (axis + 2) % 3;
        const double c[9] = { abut_part3(d, u), abut_part3(d, v), 0, abut_part3(q, u), abut_part3(q, v), 1,
                              abut_part3(p, u), abut_part3(p, v), 1 };
        sign = abut_det3_sign(c);
    }
    return sign;
}

static inline int pass(double det, double bound, abut_vec3 p, abut_vec3 q, abut_vec3 o, abut_vec3 d)
{
    return det > bound ? 1 : det < -bound ? -1 : exact_pass(p, q, o, d);
}

static inline double larger(double a, double b)
{
    return a > b ? a : b;
}

static inline double size_of(abut_vec3 v)
{
    return larger(fabs(v.x), larger(fabs(v.y), fabs(v.z)));
}

static abut_vec3 times_power(abut_vec3 v, int e)
{
    return abut_v3(ldexp(v.x, e), ldexp(v.y, e), ldexp(v.z, e));
}

/* Where the line meets the plane, for numbers of any size. */
static double scaled_quotient(const abut_vec3 t[3], abut_vec3 o, abut_vec3 d)
{
    const abut_vec3 h[3] = { abut_madd(abut_scale(0.5, t[1]), -0.5, t[0]),
                             abut_madd(abut_scale(0.5, t[2]), -0.5, t[0]),
                             abut_madd(abut_scale(0.5, t[0]), -0.5, o) };
    int en, ev, ed;
    (void)frexp(larger(size_of(h[0]), size_of(h[1])), &en);
    (void)frexp(size_of(h[2]), &ev);
    (void)frexp(size_of(d), &ed);
    const abut_vec3 n = abut_cross(times_power(h[0], -en), times_power(h[1], -en));
    const double over = abut_dot(n, times_power(h[2], -ev)), under = abut_dot(n, times_power(d, -ed));
    return under != 0 ? ldexp(over / under, ev + 1 - ed) : 0;
}

static double where_hit(const abut_vec3 t[3], abut_vec3 o, abut_vec3 d, int along)
{
    const int sign = along * abut_orient3d(t[0], t[1], t[2], o);
    if (sign == 0)
        return 0;
    const abut_vec3 n = abut_cross(abut_sub(t[1], t[0]), abut_sub(t[2], t[0]));
    double s = abut_dot(n, abut_sub(t[0], o)) / abut_dot(n, d);
    if (!(fabs(s) > 0x1p-500 && fabs(s) < 0x1p500))
        s = scaled_quotient(t, o, d);
    if (!(fabs(s) <= DBL_MAX))
        s = DBL_MAX;
    return sign * (s != 0 ? fabs(s) : DBL_TRUE_MIN);
}

int abut_triangle_pierce(const abut_vec3 t3[3], abut_vec3 origin, abut_vec3 direction, double *t)
{
    const abut_vec3 v0 = abut_sub(t3[0], origin), v1 = abut_sub(t3[1], origin), v2 = abut_sub(t3[2], origin);
    const double size = larger(size_of(v0), larger(size_of(v1), size_of(v2)));
    const double bound = 60 * U * size_of(direction) * size * size + 0x1p-1000 * (1 + size);
    /* (d x v0) . v1 and so on; 8 roundings of 6 terms */
    const abut_vec3 c0 = abut_cross(direction, v0), c2 = abut_cross(direction, v2);
    const int first = pass(abut_dot(c0, v1), bound, t3[0], t3[1], origin, direction);
    const int third = pass(-abut_dot(c0, v2), bound, t3[2], t3[0], origin, direction);
    if (first == 0 || third != first)
        return 0;
    const int second = pass(-abut_dot(c2, v1), bound, t3[1], t3[2], origin, direction);
    if (second != first)
        return 0;
    *t = where_hit(t3, origin, direction, first);
    return -first;
}
