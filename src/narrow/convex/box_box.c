/* SPDX-License-Identifier: MIT */
/* Box against box; segments and points are boxes as well, without some of their extents.
 *
 * The gap of two overlapping boxes is the largest separation over the fifteen axes, exactly: the
 * faces of the difference of two polytopes are faces of one, and parallelograms of two edges. Edges
 * that are nearly parallel make a narrow parallelogram whose direction rounding spoils;
 * docs/notes/closed-forms.md has a bound by the faces for these, and where both are poor the
 * general solvers take over.
 *
 * When they are apart, the nearest points are a vertex and a point of the other box, or a point
 * on each of two edges. The best of the fifteen axes tells which vertex or edges to try;
 * whatever was tried is judged by the separation along the difference of the two points, so that
 * a wrong guess costs time, not truth. */
#include "narrow/convex/closed.h"
#include "narrow/pair/box_axes.h"

#include <string.h>

static const double u = 0x1p-53;

typedef struct solver {
    const abut_convex_pair *pair;
    abut_boxes x;
    double size;  /* D + s_a + s_b */
    double error; /* of a separation along one of the axes, times the length of the axis */
} solver;

/* How far the matrix is from a rotation: half of |R^T R - I|, rounded up. */
static double defect(const abut_mat3 *r)
{
    double sum = 0;
    for (int i = 0; i < 3; ++i)
        for (int j = i; j < 3; ++j) {
            const double dot = r->m[0][i] * r->m[0][j] + r->m[1][i] * r->m[1][j] + r->m[2][i] * r->m[2][j];
            const double e = dot - (i == j);
            sum += i == j ? e * e : 2 * e * e;
        }
    return 0.6 * sqrt(sum) + 8 * u;
}

/* Let Q be the rotation nearest to R, at most `off` away. The pair's error covers what moving
 * from the true rotation to R does to the gap, off s_b what moving on to Q does. The axes of Q
 * are those of R up to off, which changes their separations by 2 off (D + s_a + s_b) at most,
 * and their lengths by off, which counts as much again, since a separation is at most that size
 * times the length. Rounding adds 6 u of the size. */
static double axes_error(const solver *v)
{
    return v->pair->error + (4 * defect(&v->pair->r) + 8 * u) * v->size;
}

static inline void set_up(solver *v, const abut_convex_pair *pair)
{
    v->pair = pair;
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j) {
            v->x.r[i][j] = pair->r.m[i][j];
            v->x.s[i][j] = fabs(pair->r.m[i][j]);
        }
    v->x.t[0] = pair->t.x;
    v->x.t[1] = pair->t.y;
    v->x.t[2] = pair->t.z;
    v->x.a = pair->a->h;
    v->x.b = pair->b->h;
    v->size = sqrt(abut_dot(pair->t, pair->t)) + pair->a->size + pair->b->size;
}

static abut_vec3 column(const abut_boxes *x, int j)
{
    return abut_v3(x->r[0][j], x->r[1][j], x->r[2][j]);
}

static double part(abut_vec3 v, int i)
{
    return i == 0 ? v.x : i == 1 ? v.y : v.z;
}

static void set_part(abut_vec3 *v, int i, double value)
{
    if (i == 0)
        v->x = value;
    else if (i == 1)
        v->y = value;
    else
        v->z = value;
}

/* The axis, from a to b, not of unit length for edges; *square is that of its length. */
static abut_vec3 axis_vector(const abut_boxes *x, int axis, double *square)
{
    abut_vec3 n = { 0, 0, 0 };
    *square = 1;
    if (axis < 3)
        set_part(&n, axis, 1);
    else if (axis < 6)
        n = column(x, axis - 3);
    else {
        const int i = (axis - 6) / 3, j = (axis - 6) % 3, i1 = (i + 1) % 3, i2 = (i + 2) % 3;
        set_part(&n, i1, -x->r[i2][j]);
        set_part(&n, i2, x->r[i1][j]);
        *square = abut_dot(n, n);
    }
    const double side = x->t[0] * n.x + x->t[1] * n.y + x->t[2] * n.z;
    return side < 0 ? abut_v3(-n.x, -n.y, -n.z) : n;
}

/* ---- points ---- */

static abut_vec3 clamp_to(const double h[3], abut_vec3 p)
{
    return abut_v3(p.x > h[0]    ? h[0]
                   : p.x < -h[0] ? -h[0]
                                 : p.x,
                   p.y > h[1]    ? h[1]
                   : p.y < -h[1] ? -h[1]
                                 : p.y,
                   p.z > h[2]    ? h[2]
                   : p.z < -h[2] ? -h[2]
                                 : p.z);
}

static abut_vec3 corner(const double h[3], abut_vec3 n)
{
    return abut_v3(n.x > 0 ? h[0] : -h[0], n.y > 0 ? h[1] : -h[1], n.z > 0 ? h[2] : -h[2]);
}

static abut_vec3 into_b(const solver *v, abut_vec3 p)
{
    return abut_mul_t(&v->pair->r, abut_sub(p, v->pair->t));
}

static abut_vec3 out_of_b(const solver *v, abut_vec3 p)
{
    return abut_add(abut_mul(&v->pair->r, p), v->pair->t);
}

static abut_vec3 lowest_of_b(const solver *v, abut_vec3 n)
{
    const abut_vec3 m = abut_mul_t(&v->pair->r, n);
    return out_of_b(v, corner(v->x.b, abut_v3(-m.x, -m.y, -m.z)));
}

/* s(n) for |n| = 1, within the pair's error: m = R^T n 5.2 s_b, the sums of absolute values 3
 * s_a + 3 s_b, n . t 3 D, the differences 2 and |n| 2 of all, below the 10 D + 9 s_a + 25 s_b
 * that it has room for. */
static double separation(const solver *v, abut_vec3 n)
{
    const abut_vec3 m = abut_mul_t(&v->pair->r, n);
    const double *a = v->x.a, *b = v->x.b;
    return abut_dot(n, v->pair->t) - (fabs(n.x) * a[0] + fabs(n.y) * a[1] + fabs(n.z) * a[2]) -
           (fabs(m.x) * b[0] + fabs(m.y) * b[1] + fabs(m.z) * b[2]);
}

static bool is_narrow(const solver *v, const abut_convex_answer *out)
{
    return out->hi - out->lo <= 3 * v->pair->error + 64 * u * v->size;
}

/* The difference of two points is off by the error over its length, and along a direction that
 * is off so far the ends of an edge or face that faces the other box cost that much times their
 * own length. Such a direction is across the edges, nearly: to the axes that it is across by no
 * more than `off` it is turned exactly. */
static abut_vec3 straighten(const solver *v, abut_vec3 n, double off)
{
    const abut_vec3 m = abut_mul_t(&v->pair->r, n);
    int flat[2] = { 0, 0 }, across[2] = { 0, 0 }, along[2] = { 0, 0 };
    for (int i = 0; i < 3; ++i)
        for (int of_b = 0; of_b < 2; ++of_b) {
            if (fabs(part(of_b ? m : n, i)) <= off) {
                ++flat[of_b];
                across[of_b] = i;
            } else
                along[of_b] = i;
        }
    abut_vec3 straight = n;
    double square = 1;
    if (flat[0] == 2)
        straight = axis_vector(&v->x, along[0], &square);
    else if (flat[1] == 2)
        straight = axis_vector(&v->x, 3 + along[1], &square);
    else if (flat[0] && flat[1])
        straight = axis_vector(&v->x, 6 + 3 * across[0] + across[1], &square);
    else if (flat[0])
        set_part(&straight, across[0], 0);
    else if (flat[1])
        straight = abut_madd(n, -part(m, across[1]), column(&v->x, across[1]));
    if (!(square > 0x1p-30))
        return n;
    straight = abut_scale(1 / sqrt(abut_dot(straight, straight)), straight);
    return abut_dot(straight, n) < 0 ? abut_scale(-1, straight) : straight;
}

static void take_separation(const solver *v, abut_vec3 n, abut_convex_answer *out)
{
    const double lo = separation(v, n) - v->pair->error;
    if (lo > out->lo) {
        out->lo = lo;
        out->normal = n;
    }
}

/* Two points of the boxes: an upper bound, and along their difference a lower one. Keeps what is
 * better; true when both agree. */
static bool accept(const solver *v, abut_vec3 x, abut_vec3 y, abut_vec3 *n, abut_convex_answer *out)
{
    const abut_vec3 w = abut_sub(y, x);
    const double square = abut_dot(w, w), length = sqrt(square), hi = length * (1 + 4 * u) + v->pair->error;
    if (hi < out->hi) {
        out->hi = hi;
        out->x = x;
        out->y = y;
    }
    ++out->supports;
    if (square > 0x1p-400) {
        *n = abut_scale(1 / length, w);
        take_separation(v, *n, out);
        if (out->hi - out->lo > 2.125 * v->pair->error && is_narrow(v, out))
            take_separation(v, straighten(v, *n, 8 * v->pair->error / length), out);
    }
    return is_narrow(v, out);
}

/* The vertex of one box that is lowest along n, and the nearest point of the other: n turns to
 * their difference, which may make another vertex the lowest. */
static bool try_vertex(const solver *v, bool of_b, abut_vec3 n, abut_convex_answer *out)
{
    for (int i = 0; i < 3; ++i) {
        const abut_vec3 x = of_b ? lowest_of_b(v, n) : corner(v->x.a, n);
        const abut_vec3 y = of_b ? clamp_to(v->x.a, x) : out_of_b(v, clamp_to(v->x.b, into_b(v, x)));
        const abut_vec3 before = n;
        if (of_b ? accept(v, y, x, &n, out) : accept(v, x, y, &n, out))
            return true;
        const abut_vec3 again = of_b ? lowest_of_b(v, n) : corner(v->x.a, n);
        if ((again.x == x.x && again.y == x.y && again.z == x.z) || !(abut_dot(before, n) > 0))
            return false;
    }
    return false;
}

/* Nearest points of the lines through the two edges that the axis n belongs to; true when both
 * are on the edges. */
static bool edge_points(const solver *v, int axis, abut_vec3 n, double square, abut_vec3 *px, abut_vec3 *py)
{
    const int i = (axis - 6) / 3, j = (axis - 6) % 3;
    const abut_vec3 m = abut_mul_t(&v->pair->r, n), d = column(&v->x, j);
    abut_vec3 p = corner(v->x.a, n), q = corner(v->x.b, abut_v3(-m.x, -m.y, -m.z));
    set_part(&p, i, 0);
    set_part(&q, j, 0);
    q = out_of_b(v, q);
    const abut_vec3 r = abut_sub(q, p);
    const double along_a = part(r, i), along_b = abut_dot(r, d), both = v->x.r[i][j];
    double s = (along_a - both * along_b) / square, t = (both * along_a - along_b) / square;
    const double a = v->x.a[i], b = v->x.b[j];
    const bool inside = fabs(s) <= a && fabs(t) <= b;
    s = s > a ? a : s < -a ? -a : s;
    t = t > b ? b : t < -b ? -b : t;
    set_part(&p, i, s);
    *px = p;
    *py = abut_madd(q, t, d);
    return inside;
}

/* ---- apart ---- */

/* The general solvers, and what is better of both. */
static void take_general(const solver *v, const abut_ask *ask, abut_convex_answer *out)
{
    const abut_convex_answer own = *out;
    abut_convex_solve(v->pair, ask, out);
    out->supports += own.supports;
    if (!(out->lo >= own.lo)) {
        out->lo = own.lo;
        out->normal = own.normal;
    }
    if (!(out->hi <= own.hi)) {
        out->hi = own.hi;
        out->x = own.x;
        out->y = own.y;
    }
}

/* One box at the origin of its own frame, the other with its axes as columns of r: to go down
 * from a vertex of the other to the nearest points. */
typedef struct descent {
    const double *a, *b;
    double r[3][3], t[3];
} descent;

static inline double excess(double x, double h)
{
    return x > h ? x - h : x < -h ? x + h : 0;
}

static inline double along_column(const descent *d, const double w[3], int j)
{
    return w[0] * d->r[0][j] + w[1] * d->r[1][j] + w[2] * d->r[2][j];
}

/* The point p + s v, -1 <= s <= 1, nearest to the box: its squared distance is convex in s with
 * a slope that is linear in pieces, and Newton's method within a bracket is on the right piece
 * in two or three steps. */
static double along_edge(const double h[3], const double p[3], const double v[3], double s)
{
    double lo = -1, hi = 1;
    for (int i = 0; i < 8; ++i) {
        double slope = 0, bend = 0;
        for (int k = 0; k < 3; ++k) {
            const double w = excess(p[k] + s * v[k], h[k]);
            slope += w * v[k];
            bend += w != 0 ? v[k] * v[k] : 0;
        }
        if (slope == 0 || (slope > 0 ? s <= -1 : s >= 1))
            return s;
        if (slope > 0)
            hi = s;
        else
            lo = s;
        const double wish = s - slope / bend;
        const double next = !(wish > lo)   ? (lo > -1 ? 0.5 * (lo + s) : -1)
                            : !(wish < hi) ? (hi < 1 ? 0.5 * (hi + s) : 1)
                                           : wish;
        if (fabs(next - s) <= 0x1p-52)
            return s;
        s = next;
    }
    return s;
}

/* From the vertex of b that is lowest along m (b's axes), to the nearest point on one of its
 * edges where that is nearer. False when the nearest point is in none. */
static bool descend(const descent *d, const double m[3], double y[3], double w[3])
{
    double sigma[3];
    for (int j = 0; j < 3; ++j)
        sigma[j] = m[j] > 0 ? -1 : 1;
    int edge = -1;
    for (int round = 0; round < 2; ++round) {
        if (round == 0)
            for (int k = 0; k < 3; ++k)
                y[k] = d->t[k] + sigma[0] * d->b[0] * d->r[k][0] + sigma[1] * d->b[1] * d->r[k][1] +
                       sigma[2] * d->b[2] * d->r[k][2];
        for (int k = 0; k < 3; ++k)
            w[k] = excess(y[k], d->a[k]);
        const double least = 0x1p-100 * (w[0] * w[0] + w[1] * w[1] + w[2] * w[2]);
        int worst = -1;
        double most = 0;
        for (int j = 0; j < 3; ++j) {
            const double g = sigma[j] * along_column(d, w, j);
            if (j != edge && d->b[j] > 0 && g > most && g * g > least) {
                most = g;
                worst = j;
            }
        }
        if (worst < 0)
            return true;
        if (round == 1)
            return false;
        edge = worst;
        double p[3], v[3];
        for (int k = 0; k < 3; ++k) {
            v[k] = d->b[edge] * d->r[k][edge];
            p[k] = y[k] - sigma[edge] * v[k];
        }
        const double s = along_edge(d->a, p, v, 0);
        for (int k = 0; k < 3; ++k)
            y[k] = p[k] + s * v[k];
        sigma[edge] = s > 0 ? 1 : -1;
    }
    return false;
}

/* From the best face, before the edges are examined: that is nearly all. */
static bool find_by_vertex(const solver *v, int axis, abut_convex_answer *out)
{
    double square, y[3], w[3];
    abut_vec3 n = axis_vector(&v->x, axis, &square), to;
    const abut_mat3 *r = &v->pair->r;
    out->normal = n;
    for (int round = 0; round < 2; ++round) {
        descent d;
        if ((axis < 3) == (round == 0)) {
            d.a = v->x.a;
            d.b = v->x.b;
            memcpy(d.r, v->x.r, sizeof d.r);
            memcpy(d.t, v->x.t, sizeof d.t);
            const abut_vec3 m = abut_mul_t(r, n);
            const bool found = descend(&d, (const double[3]){ m.x, m.y, m.z }, y, w);
            const abut_vec3 b = abut_v3(y[0], y[1], y[2]), difference = abut_v3(w[0], w[1], w[2]);
            if (found && accept(v, abut_sub(b, difference), b, &to, out))
                return true;
            n = abut_unit_or(difference, n);
        } else {
            const abut_vec3 t = into_b(v, abut_v3(0, 0, 0)), m = abut_v3(-n.x, -n.y, -n.z);
            d.a = v->x.b;
            d.b = v->x.a;
            for (int i = 0; i < 3; ++i)
                for (int j = 0; j < 3; ++j)
                    d.r[i][j] = v->x.r[j][i];
            d.t[0] = t.x;
            d.t[1] = t.y;
            d.t[2] = t.z;
            const bool found = descend(&d, (const double[3]){ m.x, m.y, m.z }, y, w);
            const abut_vec3 a = abut_v3(y[0], y[1], y[2]), difference = abut_v3(-w[0], -w[1], -w[2]);
            if (found && accept(v, out_of_b(v, a), out_of_b(v, abut_add(a, difference)), &to, out))
                return true;
            n = abut_unit_or(abut_mul(r, difference), n);
        }
    }
    return false;
}

static void find_by_edges(const solver *v, int axis, double best, const abut_ask *ask,
                          abut_convex_answer *out)
{
    double square;
    const abut_vec3 along = axis_vector(&v->x, axis, &square);
    const double over = axis < 6 ? 1 : 1 / sqrt(square), lo = best - v->error * over;
    const abut_vec3 n = abut_scale(over, along);
    if (lo > out->lo) {
        out->lo = lo;
        out->normal = n;
    }
    if (axis >= 6) {
        abut_vec3 x, y, to;
        if (edge_points(v, axis, n, square, &x, &y) && accept(v, x, y, &to, out))
            return;
        if (try_vertex(v, true, n, out) || try_vertex(v, false, n, out))
            return;
    }
    if (!is_narrow(v, out))
        take_general(v, ask, out);
}

/* ---- overlapping ---- */

/* An upper bound of the separation along the true axis, for an edge axis that may be the best
 * one or whose direction is poor: by itself, or by the faces: turning b by the angle between the
 * edges makes them parallel, and moves the gap and the faces' separations by that angle times D
 * + s_a + 2 s_b at most. */
static double edge_bound(const solver *v, double s, double square, double face)
{
    const double length = sqrt(square);
    const double own = (s + v->error) / length,
                 by_faces = face + v->error + 4 * v->size * (length + v->error / v->size);
    return length > 0 && own < by_faces ? own : by_faces;
}

/* Points that touch once b has moved by -gap n: for a face the lowest vertex and its foot, moved
 * into both faces by turns where a whole edge or face is lowest. */
static void find_witnesses(const solver *v, int axis, abut_vec3 n, double square, double gap,
                           abut_convex_answer *out)
{
    if (axis >= 6) {
        (void)edge_points(v, axis, n, square, &out->x, &out->y);
        return;
    }
    abut_vec3 x = corner(v->x.a, n), y = lowest_of_b(v, n);
    for (int i = 0; i < 3; ++i) {
        if (axis < 3) {
            x = clamp_to(v->x.a, abut_madd(y, -gap, n));
            set_part(&x, axis, part(n, axis) > 0 ? v->x.a[axis] : -v->x.a[axis]);
            const abut_vec3 moved = abut_madd(x, gap, n);
            y = out_of_b(v, clamp_to(v->x.b, into_b(v, moved)));
        } else {
            y = out_of_b(v, clamp_to(v->x.b, into_b(v, abut_madd(x, gap, n))));
            x = clamp_to(v->x.a, abut_madd(y, -gap, n));
        }
    }
    out->x = x;
    out->y = y;
}

static inline int best_face(const solver *v, double *best)
{
    double s[6];
    int axis = 0;
    abut_boxes_faces(&v->x, s);
    for (int i = 1; i < 6; ++i)
        axis = s[i] > s[axis] ? i : axis;
    *best = s[axis];
    return axis;
}

/* The best axis: an edge only when it is clearly better than the faces. *best is its separation
 * over its length. */
static int best_edge(const solver *v, int axis, double edges[9], double squares[9], double *best)
{
    double most = *best;
    const double tie = 8 * v->error;
    abut_boxes_edges(&v->x, edges);
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j) {
            const double p = v->x.r[(i + 1) % 3][j], q = v->x.r[(i + 2) % 3][j];
            squares[3 * i + j] = p * p + q * q;
        }
    for (int i = 0; i < 9; ++i) {
        /* s > (most + tie) L without a root, by the signs. */
        const double least = most + tie, s = edges[i], right = least * least * squares[i];
        const bool more = s > 0 ? (least <= 0 || s * s > right) : (least < 0 && s * s < right);
        if (more && squares[i] > 0x1p-60) {
            most = s / sqrt(squares[i]);
            axis = 6 + i;
        }
    }
    *best = most;
    return axis;
}

static void find_depth(const solver *v, int axis, double best, double face, const double edges[9],
                       const double squares[9], abut_convex_answer *out)
{
    double square;
    const abut_vec3 along = axis_vector(&v->x, axis, &square);
    const double over = 1 / sqrt(square);
    out->normal = abut_scale(over, along);
    out->lo = best - v->error * over;
    double hi = (face > best ? face : best) + v->error * (axis < 6 ? 1 : over);
    for (int i = 0; i < 9; ++i) {
        /* (s + error) / L <= hi is seen without a root when both are negative. */
        const double s = edges[i] + v->error;
        if (!(s < 0 && hi < 0 && s * s >= hi * hi * squares[i])) {
            const double bound = edge_bound(v, edges[i], squares[i], face);
            hi = bound > hi ? bound : hi;
        }
    }
    out->hi = hi;
    find_witnesses(v, axis, out->normal, square, best, out);
    if (!(hi < 0)) { /* then they may be apart, by more than any of the axes tells */
        const abut_vec3 w = abut_sub(out->y, out->x);
        out->hi = sqrt(abut_dot(w, w)) * (1 + 4 * u) + v->pair->error;
    }
}

void abut_closed_boxes(const abut_convex_pair *pair, const abut_ask *ask, abut_convex_answer *out)
{
    solver v;
    double edges[9], squares[9], best;
    set_up(&v, pair);
    int axis = best_face(&v, &best);
    const double face = best;
    out->iterations = 1;
    out->supports = 6;
    out->lo = -INFINITY;
    out->hi = INFINITY;
    if (best > 0 && find_by_vertex(&v, axis, out))
        return;
    v.error = axes_error(&v);
    axis = best_edge(&v, axis, edges, squares, &best);
    out->supports += 9;
    if (best > 0) {
        find_by_edges(&v, axis, best, ask, out);
        return;
    }
    find_depth(&v, axis, best, face, edges, squares, out);
    if (!(out->hi - out->lo <= 1e-13 * v.size + 4 * v.error))
        take_general(&v, ask, out);
}
