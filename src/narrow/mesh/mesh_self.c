/* SPDX-License-Identifier: MIT */
/* Two triangles of one mesh that may be neighbours: do they have more in common than the corner or
 * edge that both have? All corners are doubles of one frame, so every sign is exact by the
 * predicates of math.
 *
 * A common corner p is an extreme point of both, so what they have in common beyond it begins at
 * p: they have a direction from p in common. Seen from p a triangle is a sector between two
 * directions; sectors in different planes have a direction in common when the line of the planes
 * runs through both, with (u1 x u2) x (w1 x w2) = [u1 u2 w2] w1 - [u1 u2 w1] w2 = [w1 w2 u1] u2
 * - [w1 w2 u2] u1 a combination of both pairs with coefficients of one sign. In one plane they
 * share an area unless one of their four border lines parts them. Triangles with a common edge,
 * in different planes, share that edge only; in one plane an area, where both are on the same
 * side of it. Degenerate triangles are segments, and have one or two directions from p instead
 * of a sector. */
#include "narrow/mesh/mesh_self.h"

#include "abut/predicates.h"
#include "math/vec3.h"
#include "narrow/triangle/triangle.h"

static bool same(abut_vec3 p, abut_vec3 q)
{
    return p.x == q.x && p.y == q.y && p.z == q.z;
}

/* Corners at different places, in order, and whether they are on a line. */
typedef struct places {
    abut_vec3 at[3];
    int count;
    bool flat;
} places;

static places places_of(const abut_vec3 t[3])
{
    places out = { .count = 0 };
    for (int k = 0; k < 3; ++k) {
        bool seen = false;
        for (int i = 0; i < out.count; ++i)
            seen |= same(out.at[i], t[k]);
        if (!seen)
            out.at[out.count++] = t[k];
    }
    out.flat = out.count < 3 || abut_collinear(t[0], t[1], t[2]);
    return out;
}

/* Brings the places that both have to the front of both, in the same order. */
static int match(places *a, places *b)
{
    int shared = 0;
    for (int i = 0; i < a->count; ++i)
        for (int j = shared; j < b->count; ++j)
            if (same(a->at[i], b->at[j])) {
                const abut_vec3 p = a->at[i], q = b->at[j];
                a->at[i] = a->at[shared];
                b->at[j] = b->at[shared];
                a->at[shared] = p;
                b->at[shared] = q;
                ++shared;
                break;
            }
    return shared;
}

/* An axis along which a triangle that is none of the degenerate ones has an area. */
static int axis_of(abut_vec3 p, abut_vec3 q, abut_vec3 r)
{
    for (int axis = 0; axis < 3; ++axis)
        if (abut_triangle_turn(p, q, r, axis) != 0)
            return axis;
    return 0;
}

/* q and r on a line through p: on the same side of p? */
static bool same_direction(abut_vec3 p, abut_vec3 q, abut_vec3 r)
{
    for (int axis = 0; axis < 3; ++axis) {
        const double at = abut_part3(p, axis), s = abut_part3(q, axis), t = abut_part3(r, axis);
        if (s != at)
            return t != at && (s > at) == (t > at);
    }
    return false;
}

static int opposite(int s, int t)
{
    return s * t < 0;
}

/* ---- one corner in common ---- */

/* Sectors in one plane, seen along an axis. Are w1 and w2 on the other side of the line from p
 * to u1 than u2, or on it? */
static bool parts(abut_vec3 p, abut_vec3 u1, abut_vec3 u2, abut_vec3 w1, abut_vec3 w2, int axis)
{
    const int side = abut_triangle_turn(p, u1, u2, axis);
    return side * abut_triangle_turn(p, u1, w1, axis) <= 0 && side * abut_triangle_turn(p, u1, w2, axis) <= 0;
}

static bool same_ray(abut_vec3 p, abut_vec3 u, abut_vec3 w)
{
    return abut_collinear(p, u, w) && same_direction(p, u, w);
}

static abut_meet meet_in_plane(abut_vec3 p, const abut_vec3 u[2], const abut_vec3 w[2])
{
    const int axis = axis_of(p, u[0], u[1]);
    if (!parts(p, u[0], u[1], w[0], w[1], axis) && !parts(p, u[1], u[0], w[0], w[1], axis) &&
        !parts(p, w[0], w[1], u[0], u[1], axis) && !parts(p, w[1], w[0], u[0], u[1], axis))
        return ABUT_MEET_COPLANAR;
    for (int i = 0; i < 4; ++i)
        if (same_ray(p, u[i / 2], w[i % 2]))
            return ABUT_MEET_TOUCH;
    return ABUT_MEET_NONE;
}

static abut_meet meet_sectors(abut_vec3 p, const abut_vec3 u[2], const abut_vec3 w[2])
{
    const int s1 = abut_orient3d(p, u[0], u[1], w[0]), s2 = abut_orient3d(p, u[0], u[1], w[1]);
    if (s1 == 0 && s2 == 0)
        return meet_in_plane(p, u, w);
    const int s3 = abut_orient3d(p, w[0], w[1], u[0]), s4 = abut_orient3d(p, w[0], w[1], u[1]);
    const bool ahead = s2 >= 0 && s1 <= 0 && s3 >= 0 && s4 <= 0,
               back = s2 <= 0 && s1 >= 0 && s3 <= 0 && s4 >= 0;
    if (!ahead && !back)
        return ABUT_MEET_NONE;
    return opposite(s1, s2) && opposite(s3, s4) ? ABUT_MEET_CROSS : ABUT_MEET_TOUCH;
}

/* Is the direction from p to u in the closed sector? */
static bool in_sector(abut_vec3 p, abut_vec3 u, const abut_vec3 w[2])
{
    if (abut_orient3d(p, w[0], w[1], u) != 0)
        return false;
    const int axis = axis_of(p, w[0], w[1]), side = abut_triangle_turn(p, w[0], w[1], axis);
    const int s = side * abut_triangle_turn(p, w[0], u, axis),
              t = side * abut_triangle_turn(p, u, w[1], axis);
    if (s > 0 && t > 0)
        return true;
    return (s == 0 && same_direction(p, w[0], u)) || (t == 0 && same_direction(p, w[1], u));
}

static abut_meet meet_at_corner(const places *a, const places *b)
{
    const abut_vec3 p = a->at[0];
    if (!a->flat && !b->flat)
        return meet_sectors(p, a->at + 1, b->at + 1);
    const places *thin = a->flat ? a : b, *other = a->flat ? b : a;
    for (int i = 1; i < thin->count; ++i) {
        if (!other->flat) {
            if (in_sector(p, thin->at[i], other->at + 1))
                return ABUT_MEET_TOUCH;
            continue;
        }
        for (int j = 1; j < other->count; ++j)
            if (same_ray(p, thin->at[i], other->at[j]))
                return ABUT_MEET_TOUCH;
    }
    return ABUT_MEET_NONE;
}

/* ---- an edge in common ---- */

/* Two segments on one line, that of the places 0 and 1, with a further place each: both beyond
 * the same end have more in common. */
static bool beyond_same_end(const places *a, const places *b)
{
    const abut_vec3 p = a->at[0], q = a->at[1];
    if (a->count < 3 || b->count < 3)
        return false;
    const bool past_p = !same_direction(p, q, a->at[2]) && !same_direction(p, q, b->at[2]);
    const bool past_q = !same_direction(q, p, a->at[2]) && !same_direction(q, p, b->at[2]);
    return past_p || past_q;
}

static abut_meet meet_at_edge(const places *a, const places *b)
{
    if (a->flat && b->flat)
        return beyond_same_end(a, b) ? ABUT_MEET_TOUCH : ABUT_MEET_NONE;
    if (a->flat || b->flat || abut_orient3d(a->at[0], a->at[1], a->at[2], b->at[2]) != 0)
        return ABUT_MEET_NONE;
    const int axis = axis_of(a->at[0], a->at[1], a->at[2]);
    return abut_triangle_turn(a->at[0], a->at[1], a->at[2], axis) ==
                   abut_triangle_turn(a->at[0], a->at[1], b->at[2], axis)
               ? ABUT_MEET_COPLANAR
               : ABUT_MEET_NONE;
}

/* ---- the usual neighbours, by doubles ---- */

#define U 0x1p-53

static const signed char after[4] = { 1, 2, 0, 1 };

/* Is the dot product of m and a difference of corners v, rounded, certainly positive? Four
 * roundings on each product. */
static bool is_positive(abut_vec3 m, abut_vec3 v)
{
    const double x = m.x * v.x, y = m.y * v.y, z = m.z * v.z;
    return x + y + z > 6 * U * (fabs(x) + fabs(y) + fabs(z)) + 0x1p-1000;
}

/* Does a plane through the common corner part the sectors? One that has much of both on its two
 * sides is tried. */
static bool are_parted(const abut_vec3 u[2], const abut_vec3 w[2])
{
    const abut_vec3 m = abut_sub(abut_add(u[0], u[1]), abut_add(w[0], w[1])), back = abut_scale(-1, m);
    return is_positive(m, u[0]) && is_positive(m, u[1]) && is_positive(back, w[0]) && is_positive(back, w[1]);
}

/* Sign of the area of two differences of corners seen along an axis, 0 where it is undecided: 5 u
 * as in math/predicates.c. */
static int area_sign(abut_vec3 v, abut_vec3 w, int axis)
{
    const double p = axis == 0   ? v.y * w.z
                     : axis == 1 ? v.z * w.x
                                 : v.x * w.y,
                 q = axis == 0   ? v.z * w.y
                     : axis == 1 ? v.x * w.z
                                 : v.y * w.x;
    const double off = 5 * U * (fabs(p) + fabs(q)) + 0x1p-1000;
    return p - q > off ? 1 : p - q < -off ? -1 : 0;
}

static int flattest_axis(abut_vec3 u, abut_vec3 v)
{
    const abut_vec3 n = abut_cross(u, v);
    const double x = fabs(n.x), y = fabs(n.y), z = fabs(n.z);
    return x > y && x > z ? 0 : y > z ? 1 : 2;
}

/* Seen along the axis, does the line of u have v strictly on one side and both of w strictly on
 * the other? */
static bool line_parts(abut_vec3 u, abut_vec3 v, const abut_vec3 w[2], int axis)
{
    const int side = area_sign(u, v, axis);
    return side * area_sign(u, w[0], axis) < 0 && side * area_sign(u, w[1], axis) < 0;
}

/* Do triangles that share the corner i of a, j of b have nothing else in common? A plane or,
 * seen along an axis, a line parts what they do not share; or all of one is on one side of the
 * plane of the other. False where that does not tell. */
static bool share_one(const abut_vec3 a[3], const abut_vec3 b[3], int i, int j)
{
    const abut_vec3 p = a[i], u1 = a[after[i]], u2 = a[after[i + 1]], w1 = b[after[j]], w2 = b[after[j + 1]];
    const abut_vec3 u[2] = { abut_sub(u1, p), abut_sub(u2, p) }, w[2] = { abut_sub(w1, p), abut_sub(w2, p) };
    if (are_parted(u, w))
        return true;
    const int axis = flattest_axis(u[0], u[1]);
    if (line_parts(u[0], u[1], w, axis) || line_parts(u[1], u[0], w, axis) ||
        line_parts(w[0], w[1], u, axis) || line_parts(w[1], w[0], u, axis))
        return true;
    return abut_orient3d(p, u1, u2, w1) * abut_orient3d(p, u1, u2, w2) > 0 ||
           abut_orient3d(p, w1, w2, u1) * abut_orient3d(p, w1, w2, u2) > 0;
}

/* The same of two corners: numbers in a and in b of each. */
static bool share_two(const abut_vec3 a[3], const abut_vec3 b[3], const int first[2], const int second[2])
{
    const abut_vec3 p = a[first[0]], v = b[3 - first[1] - second[1]];
    const abut_vec3 edge = abut_sub(a[second[0]], p), u = abut_sub(a[3 - first[0] - second[0]], p),
                    w = abut_sub(v, p);
    const int axis = flattest_axis(edge, u);
    return area_sign(edge, u, axis) * area_sign(edge, w, axis) < 0 || abut_orient3d(a[0], a[1], a[2], v) != 0;
}

static double least(double x, double y, double z)
{
    const double m = x < y ? x : y;
    return m < z ? m : z;
}

/* All of a below all of b in a coordinate, or above? */
static bool are_off(double a0, double a1, double a2, double b0, double b1, double b2)
{
    return least(a0, a1, a2) > -least(-b0, -b1, -b2) || least(b0, b1, b2) > -least(-a0, -a1, -a2);
}

bool abut_mesh_self_neighbours(const abut_vec3 a[3], const abut_vec3 b[3], const uint32_t ia[3],
                               const uint32_t ib[3])
{
    unsigned common = 0; /* bit 3 i + j: corner i of a is corner j of b */
    for (int i = 0; i < 3; ++i)
        common |=
            ((unsigned)(ia[i] == ib[0]) | (unsigned)(ia[i] == ib[1]) << 1 | (unsigned)(ia[i] == ib[2]) << 2)
            << (3 * i);
    if (common == 0)
        return are_off(a[0].x, a[1].x, a[2].x, b[0].x, b[1].x, b[2].x) ||
               are_off(a[0].y, a[1].y, a[2].y, b[0].y, b[1].y, b[2].y) ||
               are_off(a[0].z, a[1].z, a[2].z, b[0].z, b[1].z, b[2].z);
    const int first = __builtin_ctz(common), at_first[2] = { first / 3, first % 3 };
    common &= common - 1;
    if (common == 0)
        return share_one(a, b, at_first[0], at_first[1]);
    const int second = __builtin_ctz(common), at_second[2] = { second / 3, second % 3 };
    return (common & (common - 1)) == 0 && at_first[0] != at_second[0] && at_first[1] != at_second[1] &&
           share_two(a, b, at_first, at_second);
}

abut_meet abut_mesh_self_meet(const abut_triangle_frame *frame, const abut_vec3 a[3], const abut_vec3 b[3],
                              uint64_t *exact)
{
    bool any = false;
    for (int i = 0; i < 9; ++i)
        any |= same(a[i / 3], b[i % 3]);
    if (!any)
        return abut_triangle_meet(frame, a, b, exact);
    places pa = places_of(a), pb = places_of(b);
    switch (match(&pa, &pb)) {
    case 1: return meet_at_corner(&pa, &pb);
    case 2: return meet_at_edge(&pa, &pb);
    default: return pa.flat ? ABUT_MEET_NONE : ABUT_MEET_COPLANAR;
    }
}
