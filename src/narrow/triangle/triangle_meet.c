/* SPDX-License-Identifier: MIT */
/* Whether two triangles meet; see triangle.h. Derivation: docs/notes/triangles.md.
 *
 * Method: sides of the corners of each against the plane of the other, then two signs of edges
 * against edges tell whether their intervals on the common line overlap (P. Guigue, O.
 * Devillers, Fast and robust triangle-triangle overlap test using orientation predicates,
 * Journal of Graphics Tools 8, 2003). In doubles first, with bounds that hold for all corners at
 * once; where one sign is not decided, and where a corner is in the other's plane, all is asked
 * again of exact signs: then triangles in one plane are parted by the lines of their edges, and
 * segments and points by whatever holds them. */
#include "abut/predicates.h"
#include "math/nearest.h"
#include "math/vec3.h"
#include "narrow/triangle/triangle_signs.h"

#define U 0x1p-53

/* The bounds hold 2^-50 or more of the products of sizes: below this none of the terms that are
 * summed overflows, where it would have the wrong sign. */
static const double huge = 0x1p960;

static inline double larger(double a, double b)
{
    return a > b ? a : b;
}

static inline double size_of(abut_vec3 v)
{
    return larger(fabs(v.x), larger(fabs(v.y), fabs(v.z)));
}

/* ---- exact: in one plane ---- */

/* Corners of a triangle, or the two ends of a segment, or one point. */
typedef struct figure {
    int count;
    int c[3];
} figure;

enum { NOT_PARTED, PARTED, STRICTLY_PARTED };

/* Whether all of `what` lies beyond the line of i and j, seen along the axis: `turn` times its
 * area is negative, or zero. */
static int beyond(abut_triangle_signs *s, int i, int j, const figure *what, int axis, int turn)
{
    int found = STRICTLY_PARTED;
    for (int k = 0; k < what->count; ++k) {
        const int side = turn * abut_triangle_area(s, i, j, what->c[k], axis);
        if (side > 0)
            return NOT_PARTED;
        if (side == 0)
            found = PARTED;
    }
    return found;
}

/* Whether a line of an edge of x parts x and y in the plane. A segment has two sides. */
static int parted(abut_triangle_signs *s, const figure *x, const figure *y, int axis, int turn)
{
    const int lines = x->count == 3 ? 3 : x->count == 2 ? 2 : 0;
    int found = NOT_PARTED;
    for (int k = 0; k < lines && found != STRICTLY_PARTED; ++k) {
        const int at = lines == 3 ? beyond(s, x->c[k], x->c[k == 2 ? 0 : k + 1], y, axis, turn)
                                  : beyond(s, x->c[0], x->c[1], y, axis, k == 0 ? 1 : -1);
        found = at > found ? at : found;
    }
    return found;
}

/* An axis along which the triangle of three corners has an area, and the sign of it; -1 where
 * there is none. */
static int axis_of(abut_triangle_signs *s, const int c[3], int *turn)
{
    const abut_vec3 n = abut_cross(abut_sub(s->p[c[1]], s->p[c[0]]), abut_sub(s->p[c[2]], s->p[c[0]]));
    const double x = fabs(n.x), y = fabs(n.y), z = fabs(n.z);
    const int first = x >= y && x >= z ? 0 : y >= z ? 1 : 2;
    for (int i = 0; i < 3; ++i) {
        const int axis = (first + i) % 3;
        *turn = abut_triangle_area(s, c[0], c[1], c[2], axis);
        if (*turn != 0)
            return axis;
    }
    return -1;
}

/* At least one is a triangle, both are in its plane. */
static abut_meet meet_in_plane(abut_triangle_signs *s, const figure *x, const figure *y)
{
    int turn_x = 1, turn_y = 1;
    const int axis = axis_of(s, x->count == 3 ? x->c : y->c, x->count == 3 ? &turn_x : &turn_y);
    if (x->count == 3 && y->count == 3)
        turn_y = abut_triangle_area(s, y->c[0], y->c[1], y->c[2], axis);
    const int by_x = parted(s, x, y, axis, turn_x);
    const int by_y = by_x == STRICTLY_PARTED ? by_x : parted(s, y, x, axis, turn_y);
    if (by_y == STRICTLY_PARTED)
        return ABUT_MEET_NONE;
    return x->count < 3 || y->count < 3 || by_x == PARTED || by_y == PARTED ? ABUT_MEET_TOUCH
                                                                            : ABUT_MEET_COPLANAR;
}

/* ---- exact: segments and points ---- */

/* Whether they overlap in each coordinate, which is enough on one line. */
static bool is_overlapping(abut_triangle_signs *s, const figure *x, const figure *y)
{
    for (int axis = 0; axis < 3; ++axis) {
        bool below = true, above = true; /* all of x below, above all of y */
        for (int i = 0; i < x->count; ++i)
            for (int j = 0; j < y->count; ++j) {
                const int order = abut_triangle_order(s, x->c[i], y->c[j], axis);
                below = below && order < 0;
                above = above && order > 0;
            }
        if (below || above)
            return false;
    }
    return true;
}

/* Whether k is on the line of i and j. */
static bool is_on_line(abut_triangle_signs *s, int i, int j, int k)
{
    return abut_triangle_area(s, i, j, k, 0) == 0 && abut_triangle_area(s, i, j, k, 1) == 0 &&
           abut_triangle_area(s, i, j, k, 2) == 0;
}

/* Each has one or two corners. */
static abut_meet meet_segments(abut_triangle_signs *s, const figure *x, const figure *y)
{
    if (x->count == 1 && y->count == 1)
        return is_overlapping(s, x, y) ? ABUT_MEET_TOUCH : ABUT_MEET_NONE;
    if (x->count == 1 || y->count == 1) {
        const figure *line = x->count == 2 ? x : y, *point = x->count == 2 ? y : x;
        return is_on_line(s, line->c[0], line->c[1], point->c[0]) && is_overlapping(s, x, y) ? ABUT_MEET_TOUCH
                                                                                             : ABUT_MEET_NONE;
    }
    if (abut_triangle_volume(s, x->c[0], x->c[1], y->c[0], y->c[1]) != 0)
        return ABUT_MEET_NONE;
    /* In one plane: it is that of x and an end of y that is off x's line, if there is one. */
    for (int end = 0; end < 2; ++end) {
        const int plane[3] = { x->c[0], x->c[1], y->c[end] };
        int turn;
        const int axis = axis_of(s, plane, &turn);
        if (axis >= 0)
            return parted(s, x, y, axis, 1) == STRICTLY_PARTED || parted(s, y, x, axis, 1) == STRICTLY_PARTED
                       ? ABUT_MEET_NONE
                       : ABUT_MEET_TOUCH;
    }
    return is_overlapping(s, x, y) ? ABUT_MEET_TOUCH : ABUT_MEET_NONE;
}

/* ---- exact: across planes ---- */

/* Whether the edge i j, whose ends are on sides si and sj of the plane of the triangle, not both
 * in it, meets the triangle. */
static bool is_hit(abut_triangle_signs *s, const int triangle[3], int i, int j, int si, int sj)
{
    if (si * sj > 0 || (si == 0 && sj == 0))
        return false;
    bool left = false, right = false;
    for (int k = 0; k < 3; ++k) {
        const int side = abut_triangle_volume(s, i, j, triangle[k], triangle[(k + 1) % 3]);
        left = left || side > 0;
        right = right || side < 0;
    }
    return !(left && right);
}

static abut_meet meet_flat_solid(abut_triangle_signs *s, const figure *triangle, const figure *line)
{
    int side[2] = { 0, 0 };
    for (int i = 0; i < line->count; ++i)
        side[i] = abut_triangle_volume(s, triangle->c[0], triangle->c[1], triangle->c[2], line->c[i]);
    if (side[0] == 0 && side[1] == 0)
        return meet_in_plane(s, triangle, line);
    return line->count == 2 && is_hit(s, triangle->c, line->c[0], line->c[1], side[0], side[1])
               ? ABUT_MEET_TOUCH
               : ABUT_MEET_NONE;
}

/* The corner that is alone on its side; of one before, in and behind the plane, the one before
 * it. */
static int lone_corner(const int side[3])
{
    for (int i = 0; i < 3; ++i)
        if (side[i] > 0 && side[(i + 1) % 3] <= 0 && side[(i + 2) % 3] <= 0)
            return i;
    for (int i = 0; i < 3; ++i)
        if (side[i] < 0 && side[(i + 1) % 3] >= 0 && side[(i + 2) % 3] >= 0)
            return i;
    return 0;
}

static bool is_across(const int side[3])
{
    bool before = false, behind = false;
    for (int i = 0; i < 3; ++i) {
        before = before || side[i] > 0;
        behind = behind || side[i] < 0;
    }
    return before && behind;
}

/* Both have corners strictly on both sides of the other. */
static abut_meet meet_across(abut_triangle_signs *s, const int of_a[3], const int of_b[3])
{
    const int i = lone_corner(of_a), j = lone_corner(of_b);
    int q1 = (i + 1) % 3, r1 = (i + 2) % 3, q2 = 3 + (j + 1) % 3, r2 = 3 + (j + 2) % 3;
    const int p1 = i, p2 = 3 + j;
    if ((of_a[i] > 0) != (of_b[j] > 0)) {
        const int t = q1;
        q1 = r1;
        r1 = t;
    }
    const int turn = of_a[i] > 0 ? 1 : -1;
    const int first = turn * abut_triangle_volume(s, p1, q1, p2, q2);
    if (first > 0)
        return ABUT_MEET_NONE;
    const int second = -turn * abut_triangle_volume(s, p1, r1, p2, r2);
    if (second > 0)
        return ABUT_MEET_NONE;
    return first < 0 && second < 0 ? ABUT_MEET_CROSS : ABUT_MEET_TOUCH;
}

static bool is_one_sided(const int side[3])
{
    return side[0] != 0 && side[0] == side[1] && side[0] == side[2];
}

static abut_meet meet_solids(abut_triangle_signs *s)
{
    static const figure x = { 3, { 0, 1, 2 } }, y = { 3, { 3, 4, 5 } };
    int of_a[3], of_b[3];
    for (int i = 0; i < 3; ++i)
        of_b[i] = abut_triangle_volume(s, 0, 1, 2, 3 + i);
    if (is_one_sided(of_b))
        return ABUT_MEET_NONE;
    if (of_b[0] == 0 && of_b[1] == 0 && of_b[2] == 0)
        return meet_in_plane(s, &x, &y);
    for (int i = 0; i < 3; ++i)
        of_a[i] = abut_triangle_volume(s, 3, 4, 5, i);
    if (is_one_sided(of_a))
        return ABUT_MEET_NONE;
    if (is_across(of_a) && is_across(of_b))
        return meet_across(s, of_a, of_b);
    for (int i = 0; i < 3; ++i) {
        const int j = (i + 1) % 3;
        if (is_hit(s, x.c, 3 + i, 3 + j, of_b[i], of_b[j]) || is_hit(s, y.c, i, j, of_a[i], of_a[j]))
            return ABUT_MEET_TOUCH;
    }
    return ABUT_MEET_NONE;
}

/* A triangle without area as its two ends, or a point. Its corners are on a line, so the ends
 * are the first and the last in any coordinate in which they differ. */
static figure figure_of(const abut_vec3 t[3], int base)
{
    const abut_vec3 u = abut_sub(t[1], t[0]), v = abut_sub(t[2], t[0]);
    const double size = larger(size_of(u), size_of(v));
    /* a coordinate of the product is off by 4 u of two products */
    const double off = 10 * U * size * size + 0x1p-1000;
    if ((off < huge && size_of(abut_cross(u, v)) > off) || !abut_collinear(t[0], t[1], t[2]))
        return (figure){ 3, { base, base + 1, base + 2 } };
    for (int axis = 0; axis < 3; ++axis) {
        int low = 0, high = 0;
        for (int i = 1; i < 3; ++i) {
            low = abut_part3(t[i], axis) < abut_part3(t[low], axis) ? i : low;
            high = abut_part3(t[i], axis) > abut_part3(t[high], axis) ? i : high;
        }
        if (low != high)
            return (figure){ 2, { base + low, base + high } };
    }
    return (figure){ 1, { base } };
}

static abut_meet meet_exactly(abut_triangle_signs *s)
{
    const figure x = figure_of(s->a, 0), y = figure_of(s->b, 3);
    if (x.count == 3 && y.count == 3)
        return meet_solids(s);
    if (x.count == 3)
        return meet_flat_solid(s, &x, &y);
    if (y.count == 3)
        return meet_flat_solid(s, &y, &x);
    return meet_segments(s, &x, &y);
}

/* ---- enclosed placements ---- */

/* An edge that passes strictly through the inside of the other triangle crosses it wherever in
 * their enclosures the corners are. */
static bool is_pierced(abut_triangle_signs *s, const int triangle[3], int i, int j)
{
    const int si = abut_triangle_volume(s, triangle[0], triangle[1], triangle[2], i);
    const int sj = abut_triangle_volume(s, triangle[0], triangle[1], triangle[2], j);
    if (si == 0 || si == ABUT_TRIANGLE_UNKNOWN || sj != -si)
        return false;
    for (int k = 0; k < 3; ++k) {
        const int side = abut_triangle_volume(s, i, j, triangle[k], triangle[(k + 1) % 3]);
        if (side != (si > 0 ? -1 : 1))
            return false;
    }
    return true;
}

static abut_meet meet_enclosed(abut_triangle_signs *s)
{
    static const int x[3] = { 0, 1, 2 }, y[3] = { 3, 4, 5 };
    for (int i = 0; i < 3; ++i)
        if (is_pierced(s, x, y[i], y[(i + 1) % 3]) || is_pierced(s, y, x[i], x[(i + 1) % 3]))
            return abut_collinear(s->a[0], s->a[1], s->a[2]) || abut_collinear(s->b[0], s->b[1], s->b[2])
                       ? ABUT_MEET_TOUCH
                       : ABUT_MEET_CROSS;
    return abut_triangle_separation(s->frame, s->a, s->b) > 0 ? ABUT_MEET_NONE : ABUT_MEET_UNKNOWN;
}

static ABUT_MATH_NOINLINE abut_meet meet_slowly(const abut_triangle_frame *frame, const abut_vec3 *a,
                                                const abut_vec3 *b, uint64_t *exact)
{
    abut_triangle_signs s;
    abut_triangle_signs_set(frame, a, b, &s);
    const abut_meet meet = frame->exact ? meet_exactly(&s) : meet_enclosed(&s);
    *exact += s.exact;
    return meet;
}

/* ---- doubles ---- */

/* det(x, y, z) */
static inline double volume(abut_vec3 x, abut_vec3 y, abut_vec3 z)
{
    return abut_dot(abut_cross(x, y), z);
}

static inline double area(const double p[2], const double q[2], const double r[2])
{
    return (q[0] - p[0]) * (r[1] - p[1]) - (q[1] - p[1]) * (r[0] - p[0]);
}

/* Seen along an axis, is the line of an edge of x one that has y strictly beyond it? */
static bool line_parts(double x[3][2], double y[3][2], double off)
{
    for (int k = 0; k < 3; ++k) {
        const double *p = x[k], *q = x[k == 2 ? 0 : k + 1], *r = x[k == 0 ? 2 : k - 1];
        const double own = area(p, q, r), s0 = area(p, q, y[0]), s1 = area(p, q, y[1]), s2 = area(p, q, y[2]);
        if ((own > off && s0 < -off && s1 < -off && s2 < -off) ||
            (own < -off && s0 > off && s1 > off && s2 > off))
            return true;
    }
    return false;
}

/* Triangles that are nearly in one plane, and apart, most often are so seen along an axis. No
 * difference of two corners is larger than `far` in a coordinate. */
static bool are_apart_flat(const abut_vec3 a[3], const abut_vec3 b[3], abut_vec3 n, double far, double e)
{
    const double nx = fabs(n.x), ny = fabs(n.y), nz = fabs(n.z);
    const int axis = nx > ny && nx > nz ? 0 : ny > nz ? 1 : 2;
    /* as in abut_triangle_area */
    const double off = (8.01 * e + 10 * U * (far + 2 * e)) * (far + 2 * e) + 0x1p-1000 * (1 + far);
    double x[3][2], y[3][2];
    for (int k = 0; k < 3; ++k) {
        x[k][0] = axis == 0 ? a[k].y : a[k].x;
        x[k][1] = axis == 2 ? a[k].y : a[k].z;
        y[k][0] = axis == 0 ? b[k].y : b[k].x;
        y[k][1] = axis == 2 ? b[k].y : b[k].z;
    }
    return off < huge && (line_parts(x, y, off) || line_parts(y, x, off));
}

/* Which corner is alone, by the bits of those with a positive sign (neither 0 nor 7). */
static const signed char lone_of[8] = { 0, 0, 1, 2, 2, 1, 0, 0 };

abut_meet abut_triangle_meet(const abut_triangle_frame *frame, const abut_vec3 a[3], const abut_vec3 b[3],
                             uint64_t *exact)
{
    const abut_bv_relative *f = &frame->b_in_a;
    const double e = f->error;
    const abut_vec3 p[3] = { abut_add(abut_mul(&f->r, b[0]), f->t), abut_add(abut_mul(&f->r, b[1]), f->t),
                             abut_add(abut_mul(&f->r, b[2]), f->t) };

    /* b's corners against the plane of a. */
    const abut_vec3 x1 = abut_sub(a[1], a[0]), x2 = abut_sub(a[2], a[0]);
    const abut_vec3 v0 = abut_sub(p[0], a[0]), v1 = abut_sub(p[1], a[0]), v2 = abut_sub(p[2], a[0]);
    const abut_vec3 n = abut_cross(x1, x2);
    const double d0 = abut_dot(n, v0), d1 = abut_dot(n, v1), d2 = abut_dot(n, v2);
    const double A = larger(size_of(x1), size_of(x2));
    const double D = larger(size_of(v0), larger(size_of(v1), size_of(v2)));
    const double off_a =
        60 * U * A * A * (D + e) + e * (fabs(n.x) + fabs(n.y) + fabs(n.z)) + 0x1p-1000 * (1 + D);
    if (!(off_a < huge))
        return meet_slowly(frame, a, b, exact);
    if ((d0 > off_a && d1 > off_a && d2 > off_a) || (d0 < -off_a && d1 < -off_a && d2 < -off_a))
        return ABUT_MEET_NONE;

    /* a's corners against the plane of b. */
    const abut_vec3 y1 = abut_sub(p[1], p[0]), y2 = abut_sub(p[2], p[0]);
    const abut_vec3 w0 = abut_sub(a[0], p[0]), w1 = abut_sub(a[1], p[0]), w2 = abut_sub(a[2], p[0]);
    const abut_vec3 m = abut_cross(y1, y2);
    const double c0 = abut_dot(m, w0), c1 = abut_dot(m, w1), c2 = abut_dot(m, w2);
    const double B = larger(size_of(y1), size_of(y2)) + 2 * e;
    const double G = larger(size_of(w0), larger(size_of(w1), size_of(w2)));
    const double off_b = 60 * U * B * B * (G + e) + 6.001 * e * B * (4 * G + B) + 0x1p-1000 * (1 + B + G);
    if (!(off_b < huge))
        return meet_slowly(frame, a, b, exact);
    if ((c0 > off_b && c1 > off_b && c2 > off_b) || (c0 < -off_b && c1 < -off_b && c2 < -off_b))
        return ABUT_MEET_NONE;
    if (!(fabs(d0) > off_a && fabs(d1) > off_a && fabs(d2) > off_a && fabs(c0) > off_b && fabs(c1) > off_b &&
          fabs(c2) > off_b))
        return are_apart_flat(a, p, n, 2 * larger(A, B) + D + G, e) ? ABUT_MEET_NONE
                                                                    : meet_slowly(frame, a, b, exact);

    /* Each has one corner alone on its side. Both put in front, the ends of their intervals are
     * on the edges there. */
    const int i = lone_of[(c0 > 0) | (c1 > 0) << 1 | (c2 > 0) << 2];
    const int j = lone_of[(d0 > 0) | (d1 > 0) << 1 | (d2 > 0) << 2];
    const bool front_a = (i == 0 ? c0 : i == 1 ? c1 : c2) > 0, front_b = (j == 0 ? d0 : j == 1 ? d1 : d2) > 0;
    static const signed char next[5] = { 0, 1, 2, 0, 1 };
    const bool swapped = front_a != front_b;
    const int q1 = next[i + 1 + swapped], r1 = next[i + 2 - swapped], q2 = next[j + 1], r2 = next[j + 2];
    const abut_vec3 between = abut_sub(p[j], a[i]);
    double first = volume(abut_sub(a[q1], a[i]), between, abut_sub(p[q2], p[j]));
    double second = volume(abut_sub(a[r1], a[i]), between, abut_sub(p[r2], p[j]));
    if (front_a)
        second = -second;
    else
        first = -first;
    const double off = 60 * U * 4 * A * B * (G + B) + 6.001 * 2 * A * e * (2 * B + 2 * (G + B) + 2 * e) +
                       0x1p-1000 * (1 + A + B + G);
    if (!(off < huge))
        return meet_slowly(frame, a, b, exact);
    if (first > off || second > off)
        return ABUT_MEET_NONE;
    if (first < -off && second < -off)
        return ABUT_MEET_CROSS;
    return meet_slowly(frame, a, b, exact);
}

/* ---- sides ---- */

int abut_triangle_side_of_a(const abut_triangle_frame *frame, const abut_vec3 a[3], abut_vec3 p)
{
    const abut_vec3 b[3] = { p, p, p };
    abut_triangle_signs s;
    abut_triangle_signs_set(frame, a, b, &s);
    return abut_triangle_volume(&s, 0, 1, 2, 3);
}
