/* SPDX-License-Identifier: MIT */
/* How far two triangles are apart, enclosed; see triangle.h. Derivation: docs/notes/triangles.md.
 *
 * Method: the nearest features are searched in plain doubles: nine pairs of edges, and in each
 * triangle the corner nearest to the other's plane (the stopping rule for edges is that of E.
 * Larsen, S. Gottschalk, M. Lin, D. Manocha, Fast proximity queries with swept sphere volumes,
 * 1999). Plain doubles only steer. Certified are the gap along a direction, which is never more
 * than the distance, and the points found, which are never nearer than it. The direction is
 * taken from the features: perpendicular to the edges or the face, and not the difference of two
 * near points, so that it is good for small distances too. */
#include "interval/ia.h"
#include "math/nearest.h"
#include "math/vec3.h"
#include "narrow/triangle/triangle.h"

#include <float.h>

#define U     0x1p-53
#define ROOT3 1.7320508075688774 /* rounded up */

static inline double larger(double a, double b)
{
    return a > b ? a : b;
}

static inline double smaller(double a, double b)
{
    return a < b ? a : b;
}

static inline double clamp(double s)
{
    return smaller(larger(s, 0), 1);
}

static inline double size_of(abut_vec3 v)
{
    return larger(fabs(v.x), larger(fabs(v.y), fabs(v.z)));
}

/* Both triangles seen from corner 0 of a, times a power of two. */
typedef struct setting {
    abut_vec3 a[3], b[3];
    abut_vec3 u[3], w[3]; /* edges, corner k to k + 1 */
    double scale;
    double size; /* no coordinate of a or b is larger */
    double fine; /* a coordinate of b's corners, or of a point of either, is off by no more */
    abut_vec3 na, nb;
    double da[3], db[3]; /* of b's corners along na, of a's along nb; not divided by lengths */
} setting;

typedef enum where { EDGES, CORNER_OF_A, CORNER_OF_B } where;

typedef struct nearest {
    double square;
    abut_vec3 x, y;
    where where;
    int i, k;    /* edges of a and b; or corner of a, corner of b */
    double s, t; /* on the edges */
} nearest;

static bool set_up(const abut_triangle_frame *frame, const abut_vec3 a[3], const abut_vec3 b[3], setting *g)
{
    const abut_bv_relative *f = &frame->b_in_a;
    double size = 0;
    g->a[0] = abut_v3(0, 0, 0);
    for (int i = 0; i < 3; ++i) {
        if (i > 0)
            g->a[i] = abut_sub(a[i], a[0]);
        g->b[i] = abut_sub(abut_add(abut_mul(&f->r, b[i]), f->t), a[0]);
        size = larger(size, larger(size_of(g->a[i]), size_of(g->b[i])));
    }
    double error = f->error;
    g->scale = 1;
    if (!(size > 0x1p-100 && size < 0x1p100)) {
        if (!(size <= DBL_MAX) || !(error <= DBL_MAX))
            return false;
        int exponent;
        (void)frexp(size, &exponent);
        exponent = exponent < -1000  ? -1000
                   : exponent > 1000 ? 1000
                                     : exponent; /* 1 / scale is finite, too */
        g->scale = size > 0 ? ldexp(1, -exponent) : 1;
        for (int i = 0; i < 3; ++i) {
            g->a[i] = abut_scale(g->scale, g->a[i]);
            g->b[i] = abut_scale(g->scale, g->b[i]);
        }
        size *= g->scale;
        error = error * g->scale + 0x1p-1060;
    }
    g->size = size;
    g->fine = error + 2 * U * size;
    for (int k = 0; k < 3; ++k) {
        g->u[k] = abut_sub(g->a[(k + 1) % 3], g->a[k]);
        g->w[k] = abut_sub(g->b[(k + 1) % 3], g->b[k]);
    }
    g->na = abut_cross(g->u[0], g->u[1]);
    g->nb = abut_cross(g->w[0], g->w[1]);
    for (int k = 0; k < 3; ++k) {
        g->da[k] = abut_dot(g->na, g->b[k]);
        g->db[k] = abut_dot(g->nb, abut_sub(g->a[k], g->b[0]));
    }
    return true;
}

/* ---- certified bounds ---- */

/* What the gap along a unit direction, or the distance of two points put together from corners,
 * may be off by: e + 13 u of the size in each coordinate. */
static inline double slack(const setting *g)
{
    return ROOT3 * (g->fine + 11 * U * g->size);
}

/* Lower bound of the distance from the direction v, of any length; negative where it shows
 * nothing. */
static double gap_along(const setting *g, abut_vec3 v)
{
    double square = abut_dot(v, v);
    if (!(square > 0x1p-900 && square < 0x1p900)) {
        const double m = size_of(v);
        if (!(m > 0 && m <= DBL_MAX))
            return -1;
        v = abut_v3(v.x / m, v.y / m, v.z / m);
        square = abut_dot(v, v);
    }
    const double b0 = abut_dot(v, g->b[0]), b1 = abut_dot(v, g->b[1]), b2 = abut_dot(v, g->b[2]);
    const double a1 = abut_dot(v, g->a[1]), a2 = abut_dot(v, g->a[2]);
    const double gap = smaller(b0, smaller(b1, b2)) - larger(0, larger(a1, a2));
    return gap / sqrt(square) * (1 - 8 * U) - slack(g);
}

/* ---- search ---- */

/* Two edges at a time. */
typedef struct edges {
    ia_pair x, y, z;    /* start */
    ia_pair ex, ey, ez; /* to the end */
    ia_pair square, inverse;
} edges;

static inline edges edges_of(const abut_vec3 *p, const abut_vec3 *e, int i, int j)
{
    edges out = { .x = { p[i].x, p[j].x },
                  .y = { p[i].y, p[j].y },
                  .z = { p[i].z, p[j].z },
                  .ex = { e[i].x, e[j].x },
                  .ey = { e[i].y, e[j].y },
                  .ez = { e[i].z, e[j].z } };
    out.square = out.ex * out.ex + out.ey * out.ey + out.ez * out.ez;
    out.inverse = ia_pair_and(1 / out.square, out.square > 0);
    return out;
}

static inline ia_pair clamp2(ia_pair s)
{
    return ia_pair_min(ia_pair_max(s, ia_pair_of(0)), ia_pair_of(1));
}

typedef struct found {
    double square[2], s[2], t[2];
} found;

/* Least of |r + s u - t w|: s where both are free, then the best t for it, then the best s for
 * that; each brought into its edge. */
static inline void edge_edge(const edges *a, const edges *b, found *out)
{
    const ia_pair rx = a->x - b->x, ry = a->y - b->y, rz = a->z - b->z;
    const ia_pair uw = a->ex * b->ex + a->ey * b->ey + a->ez * b->ez;
    const ia_pair c = a->ex * rx + a->ey * ry + a->ez * rz, f = b->ex * rx + b->ey * ry + b->ez * rz;
    const ia_pair det = ia_pair_max(a->square * b->square - uw * uw, ia_pair_of(0x1p-1000));
    const ia_pair free = clamp2((uw * f - c * b->square) / det);
    const ia_pair t = clamp2((uw * free + f) * b->inverse), s = clamp2((uw * t - c) * a->inverse);
    const ia_pair vx = rx + s * a->ex - t * b->ex, vy = ry + s * a->ey - t * b->ey,
                  vz = rz + s * a->ez - t * b->ez;
    const ia_pair square = vx * vx + vy * vy + vz * vz;
    for (int k = 0; k < 2; ++k) {
        out->square[k] = square[k];
        out->s[k] = s[k];
        out->t[k] = t[k];
    }
}

/* The nearest of nine pairs of edges. True where it is nearest of all: what is left of both
 * triangles lies beyond the planes through its points. */
static bool search_edges(const setting *g, nearest *best)
{
    static const signed char of_a[10] = { 0, 1, 0, 1, 0, 1, 2, 2, 2, 2 },
                             of_b[10] = { 0, 0, 1, 1, 2, 2, 0, 1, 2, 2 };
    const edges a01 = edges_of(g->a, g->u, 0, 1), a22 = edges_of(g->a, g->u, 2, 2);
    const edges b01 = edges_of(g->b, g->w, 0, 1), b22 = edges_of(g->b, g->w, 2, 2);
    const edges b00 = edges_of(g->b, g->w, 0, 0), b11 = edges_of(g->b, g->w, 1, 1);
    found f[5];
    edge_edge(&a01, &b00, &f[0]);
    edge_edge(&a01, &b11, &f[1]);
    edge_edge(&a01, &b22, &f[2]);
    edge_edge(&a22, &b01, &f[3]);
    edge_edge(&a22, &b22, &f[4]);
    int least = 0;
    for (int k = 1; k < 9; ++k)
        least = f[k / 2].square[k % 2] < f[least / 2].square[least % 2] ? k : least;
    best->where = EDGES;
    best->i = of_a[least];
    best->k = of_b[least];
    best->s = f[least / 2].s[least % 2];
    best->t = f[least / 2].t[least % 2];
    best->x = abut_madd(g->a[best->i], best->s, g->u[best->i]);
    best->y = abut_madd(g->b[best->k], best->t, g->w[best->k]);
    const abut_vec3 v = abut_sub(best->y, best->x);
    best->square = abut_dot(v, v);
    static const signed char opposite[3] = { 2, 0, 1 };
    return abut_dot(abut_sub(g->a[opposite[best->i]], best->x), v) <= 0 &&
           abut_dot(abut_sub(g->b[opposite[best->k]], best->y), v) >= 0;
}

/* Whether p stands over the triangle; if so its foot. The foot is put together from the corners,
 * so that it is on the triangle however badly the normal of a sliver is known. */
static bool stands_over(const abut_vec3 t[3], const abut_vec3 edge[3], abut_vec3 n, abut_vec3 p,
                        abut_vec3 *foot)
{
    double over[3]; /* edge k: times 1 / |n|^2, the weight of the corner opposite */
    for (int k = 0; k < 3; ++k) {
        over[k] = abut_dot(abut_cross(n, edge[k]), abut_sub(p, t[k]));
        if (!(over[k] >= 0))
            return false;
    }
    const double nn = abut_dot(n, n), one = clamp(over[2] / nn), two = smaller(clamp(over[0] / nn), 1 - one);
    *foot = abut_madd(abut_madd(t[0], one, edge[0]), -two, edge[2]);
    return true;
}

static int nearest_corner(const double d[3])
{
    const bool front = d[0] > 0 && d[1] > 0 && d[2] > 0, back = d[0] < 0 && d[1] < 0 && d[2] < 0;
    if (!front && !back)
        return -1;
    const double x = fabs(d[0]), y = fabs(d[1]), z = fabs(d[2]);
    return x <= y && x <= z ? 0 : y <= z ? 1 : 2;
}

static void search_faces(const setting *g, nearest *best)
{
    const int k = nearest_corner(g->da), i = nearest_corner(g->db);
    abut_vec3 foot;
    if (k >= 0 && stands_over(g->a, g->u, g->na, g->b[k], &foot)) {
        const abut_vec3 v = abut_sub(g->b[k], foot);
        if (abut_dot(v, v) < best->square)
            *best = (nearest){ abut_dot(v, v), foot, g->b[k], CORNER_OF_B, 0, k, 0, 0 };
    }
    if (i >= 0 && stands_over(g->b, g->w, g->nb, g->a[i], &foot)) {
        const abut_vec3 v = abut_sub(foot, g->a[i]);
        if (abut_dot(v, v) < best->square)
            *best = (nearest){ abut_dot(v, v), g->a[i], foot, CORNER_OF_A, i, 0, 0, 0 };
    }
}

/* ---- from features to directions ---- */

/* v without its part along e. */
static abut_vec3 without(abut_vec3 v, abut_vec3 e)
{
    const double ee = abut_dot(e, e);
    return ee > 0 ? abut_madd(v, -abut_dot(v, e) / ee, e) : v;
}

/* Both inside their edges: s and t anew from the cross product, which keeps small angles that
 * the determinant of the search loses. */
static abut_vec3 polish_edges(const setting *g, nearest *best)
{
    const abut_vec3 u = g->u[best->i], w = g->w[best->k], r = abut_sub(g->b[best->k], g->a[best->i]);
    const abut_vec3 n = abut_cross(u, w);
    const double nn = abut_dot(n, n);
    if (!(nn > 0))
        return abut_sub(best->y, best->x);
    const double s = clamp(abut_dot(abut_cross(r, w), n) / nn), t = clamp(abut_dot(abut_cross(r, u), n) / nn);
    const abut_vec3 x = abut_madd(g->a[best->i], s, u), y = abut_madd(g->b[best->k], t, w),
                    v = abut_sub(y, x);
    if (abut_dot(v, v) <= best->square * (1 + 0x1p-40)) {
        best->x = x;
        best->y = y;
        best->square = abut_dot(v, v);
    }
    return abut_dot(n, r) < 0 ? abut_scale(-1, n) : n;
}

/* A direction from a to b that fits the features found. */
static abut_vec3 direction_of(const setting *g, nearest *best)
{
    if (best->where == CORNER_OF_B)
        return g->da[best->k] < 0 ? abut_scale(-1, g->na) : g->na;
    if (best->where == CORNER_OF_A)
        return g->db[best->i] > 0 ? abut_scale(-1, g->nb) : g->nb;
    const bool on_u = best->s > 0 && best->s<1, on_w = best->t> 0 && best->t < 1;
    if (on_u && on_w)
        return polish_edges(g, best);
    const abut_vec3 v = abut_sub(best->y, best->x);
    if (on_u)
        return without(without(v, g->u[best->i]), g->u[best->i]);
    if (on_w)
        return without(without(v, g->w[best->k]), g->w[best->k]);
    return v;
}

/* Certified lower bound; `best` is made better on the way. */
static double lower_bound(const setting *g, nearest *best)
{
    return gap_along(g, direction_of(g, best));
}

/* As good as doubles allow? */
static bool is_tight(const setting *g, const nearest *best, double low)
{
    return low >= sqrt(best->square) - 8 * slack(g);
}

/* ---- what the search got wrong, by rounding: every pair of features, every direction ---- */

static void try_points(abut_vec3 x, abut_vec3 y, nearest *best)
{
    const abut_vec3 v = abut_sub(y, x);
    const double square = abut_dot(v, v);
    if (square < best->square) {
        best->square = square;
        best->x = x;
        best->y = y;
    }
}

static void try_direction(const setting *g, abut_vec3 v, double *low)
{
    *low = larger(*low, larger(gap_along(g, v), gap_along(g, abut_scale(-1, v))));
}

/* Corner p against an edge; `of_a` says whose the corner is. */
static void try_corner_edge(const setting *g, abut_vec3 p, abut_vec3 q, abut_vec3 e, bool of_a, nearest *best,
                            double *low)
{
    const abut_vec3 r = abut_sub(p, q);
    const double ee = abut_dot(e, e), t = ee > 0 ? clamp(abut_dot(r, e) / ee) : 0;
    const abut_vec3 foot = abut_madd(q, t, e);
    try_points(of_a ? p : foot, of_a ? foot : p, best);
    try_direction(g, without(without(abut_sub(p, foot), e), e), low);
}

static void try_corner_face(const setting *g, abut_vec3 p, bool of_a, nearest *best)
{
    abut_vec3 foot;
    const abut_vec3 n = of_a ? g->nb : g->na;
    if (abut_dot(n, n) > 0 && stands_over(of_a ? g->b : g->a, of_a ? g->w : g->u, n, p, &foot))
        try_points(of_a ? p : foot, of_a ? foot : p, best);
}

/* What is perpendicular to e and f, of which e is the longer: freed of what it has along e, and
 * of what it has along f by steps across e, so that both are zero to rounding; for the cross
 * product alone they are so only to rounding divided by the sine of the angle. */
static abut_vec3 finer_normal(abut_vec3 e, abut_vec3 f)
{
    const abut_vec3 across = without(without(f, e), e), cross = abut_cross(e, f);
    const double width = abut_dot(across, f);
    abut_vec3 n = abut_unit_or(cross, cross);
    for (int step = 0; step < 3 && width > 0; ++step) {
        n = without(n, e);
        n = abut_madd(n, -abut_dot(n, f) / width, across);
    }
    return without(n, e);
}

static abut_vec3 normal_of(const abut_vec3 edge[3])
{
    int longest = 0;
    for (int k = 1; k < 3; ++k)
        longest = abut_dot(edge[k], edge[k]) > abut_dot(edge[longest], edge[longest]) ? k : longest;
    return finer_normal(edge[longest], edge[(longest + 1) % 3]);
}

static ABUT_MATH_NOINLINE double search_all(const setting *g, nearest *best, double low)
{
    try_direction(g, normal_of(g->u), &low);
    try_direction(g, normal_of(g->w), &low);
    for (int i = 0; i < 3; ++i) {
        try_corner_face(g, g->a[i], true, best);
        try_corner_face(g, g->b[i], false, best);
        for (int k = 0; k < 3; ++k) {
            nearest pair = { HUGE_VAL, g->a[i], g->b[k], EDGES, i, k, 0, 0 };
            const abut_vec3 u = g->u[i], w = g->w[k];
            const bool longer = abut_dot(u, u) > abut_dot(w, w);
            (void)polish_edges(g, &pair);
            try_direction(g, finer_normal(longer ? u : w, longer ? w : u), &low);
            try_points(pair.x, pair.y, best);
            try_direction(g, abut_sub(g->b[k], g->a[i]), &low);
            try_corner_edge(g, g->a[i], g->b[k], g->w[k], true, best, &low);
            try_corner_edge(g, g->b[i], g->a[k], g->u[k], false, best, &low);
        }
    }
    try_direction(g, abut_sub(best->y, best->x), &low);
    return low;
}

static double upper_bound(const setting *g, const nearest *best)
{
    return sqrt(best->square) * (1 + 4 * U) + slack(g) + 0x1p-500;
}

double abut_triangle_separation(const abut_triangle_frame *frame, const abut_vec3 a[3], const abut_vec3 b[3])
{
    setting g;
    nearest best;
    if (!set_up(frame, a, b, &g))
        return 0;
    if (!search_edges(&g, &best))
        search_faces(&g, &best);
    double low = lower_bound(&g, &best);
    if (low <= 0)
        low = search_all(&g, &best, low);
    return low > 0 ? low / g.scale * (1 - 2 * U) : 0;
}

/* Whether they meet, decided exactly; if so, what they have in common represents both points. */
static bool do_meet(const abut_triangle_frame *frame, const abut_vec3 a[3], const abut_vec3 b[3],
                    abut_triangle_gap *out)
{
    uint64_t exact = 0;
    const abut_meet meet = abut_triangle_meet(frame, a, b, &exact);
    if (meet == ABUT_MEET_NONE || meet == ABUT_MEET_UNKNOWN)
        return false;
    abut_vec3 from, to;
    abut_triangle_cut(frame, a, b, meet, &from, &to);
    out->distance = (abut_interval){ 0, 0 };
    out->x = out->y = abut_madd(abut_scale(0.5, from), 0.5, to);
    return true;
}

/* Corners on both sides? */
static bool is_passed(const double d[3])
{
    return (d[0] > 0) | (d[1] > 0) | (d[2] > 0) && (d[0] < 0) | (d[1] < 0) | (d[2] < 0);
}

/* Lower bound by the sides of the planes, cheap; 0 where both are passed. */
static double early_bound(const setting *g)
{
    const double *da = g->da, *db = g->db;
    double low = 0;
    if (da[0] > 0 && da[1] > 0 && da[2] > 0)
        low = gap_along(g, g->na);
    else if (da[0] < 0 && da[1] < 0 && da[2] < 0)
        low = gap_along(g, abut_scale(-1, g->na));
    if (db[0] > 0 && db[1] > 0 && db[2] > 0)
        low = larger(low, gap_along(g, abut_scale(-1, g->nb)));
    else if (db[0] < 0 && db[1] < 0 && db[2] < 0)
        low = larger(low, gap_along(g, g->nb));
    return low;
}

bool abut_triangle_distance(const abut_triangle_frame *frame, const abut_vec3 a[3], const abut_vec3 b[3],
                            double bound, abut_triangle_gap *out)
{
    setting g;
    nearest best;
    if (!set_up(frame, a, b, &g)) {
        out->distance = (abut_interval){ 0, HUGE_VAL };
        out->x = a[0];
        out->y = a[0];
        return true;
    }
    const double back = 1 / g.scale;
    if (bound < HUGE_VAL) {
        out->distance.lo = early_bound(&g) * back * (1 - 2 * U);
        if (out->distance.lo > bound)
            return false;
    }
    /* Asked at once where it is likely, and else where nothing proves that they are apart. */
    const bool likely = is_passed(g.da) && is_passed(g.db);
    if (likely && do_meet(frame, a, b, out))
        return bound >= 0;
    if (!search_edges(&g, &best))
        search_faces(&g, &best);
    double low = lower_bound(&g, &best);
    if (low <= 0 && !likely && do_meet(frame, a, b, out))
        return bound >= 0;
    if (!is_tight(&g, &best, low))
        low = search_all(&g, &best, low);
    out->distance.lo = low > 0 ? low * back * (1 - 2 * U) : 0;
    out->distance.hi = upper_bound(&g, &best) * back * (1 + 2 * U);
    out->x = abut_add(a[0], abut_scale(back, best.x));
    out->y = abut_add(a[0], abut_scale(back, best.y));
    return !(out->distance.lo > bound);
}
