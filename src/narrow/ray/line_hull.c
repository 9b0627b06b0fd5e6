/* SPDX-License-Identifier: MIT */
/* Where a line enters and leaves the hull of a point set, exactly; see line.h and
 * docs/notes/rays.md.
 *
 * Only the vertices and which of them are neighbours count: coordinates are exact, the planes of
 * faces would be rounded. Seen along its direction the line is the origin of a plane, and the
 * points are points there. A walk over them (surround) tells whether the origin lies inside
 * their hull, on its border or outside. Outside: no hit. Inside: some triangle of points holds
 * the origin, and the line crosses it; while a point lies before the triangle's plane it
 * replaces one of the corners (the simplex method of linear programming), until the triangle
 * lies in the face where the line enters; the same for where it leaves. On the border the line
 * runs in a plane that supports the hull, and the same happens with pairs of points in that
 * plane. The side of a pair is the sign of det[d, p - o, q - o], the side of a point the
 * orientation of four points: exact signs, so nothing is missed, and no line slips through an
 * edge. Inside, ties are broken as if the line were shifted by (e, e^2) for an infinitely small
 * e (H. Edelsbrunner, E. Muecke, Simulation of simplicity, 1990), which ends every walk and
 * changes no answer, because the hull is continuous there. */
#include "abut/predicates.h"
#include "math/vec3.h"
#include "narrow/pair/big.h"
#include "narrow/ray/line.h"

typedef struct caster {
    const abut_line *line;
    const abut_hull *hull;
    uint32_t count; /* of vertices */
    double scale;   /* of the hull's coordinates */
    abut_vec3 o, d; /* rounded */
    double slip;    /* of a coordinate of p - o */
    double slack;   /* of a side, for all points */
    int axis;       /* largest part of d */
    int turn;       /* sign of that part */
} caster;

static abut_vec3 from_origin(const caster *c, uint32_t i)
{
    return abut_v3(c->scale * c->hull->x[i] - c->o.x, c->scale * c->hull->y[i] - c->o.y,
                   c->scale * c->hull->z[i] - c->o.z);
}

static void exact_point(const caster *c, uint32_t i, abut_big out[3])
{
    const double p[3] = { c->hull->x[i], c->hull->y[i], c->hull->z[i] };
    for (int k = 0; k < 3; ++k) {
        abut_terms t = c->line->o[k];
        abut_terms_negate(&t);
        abut_terms_push(&t, c->scale * p[k]);
        abut_big_terms(&t, &out[k]);
    }
}

static void exact_direction(const caster *c, abut_big out[3])
{
    for (int k = 0; k < 3; ++k)
        abut_big_terms(&c->line->d[k], &out[k]);
}

/* out = det[a, b, c] */
static void exact_det(const abut_big a[3], const abut_big b[3], const abut_big c[3], abut_big *out)
{
    abut_big minor;
    abut_big_clear(out);
    for (int i = 0; i < 3; ++i) {
        const int j = (i + 1) % 3, k = (i + 2) % 3;
        abut_big_clear(&minor);
        abut_big_add_product(&b[j], &c[k], 1, &minor);
        abut_big_add_product(&b[k], &c[j], -1, &minor);
        abut_big_add_product(&a[i], &minor, 1, out);
    }
}

static int exact_side(const caster *c, uint32_t i, uint32_t j)
{
    abut_big d[3], p[3], q[3], det;
    exact_direction(c, d);
    exact_point(c, i, p);
    exact_point(c, j, q);
    exact_det(d, p, q, &det);
    return abut_big_sign(&det);
}

/* Sign of det[d, p_i - o, p_j - o]: +1 where j is to the left of i, as seen from the line. Its
 * six products are off by 6 (slip (|p| + |q| + slip) + 8 u |p| |q|) times |d|, all as largest
 * coordinates. */
static int side(const caster *c, uint32_t i, uint32_t j)
{
    const abut_vec3 p = from_origin(c, i), q = from_origin(c, j);
    const double det = abut_dot(c->d, abut_cross(p, q)), P = abut_max_norm(p), Q = abut_max_norm(q);
    const double error = 8 * (c->slip * (P + Q + c->slip) + 0x1p-50 * P * Q) + 0x1p-900;
    if (fabs(det) > error)
        return det > 0 ? 1 : -1;
    return i == j ? 0 : exact_side(c, i, j);
}

/* The same for many j: `normal` is d x (p_i - o), and no point is further than `reach` from o. */
typedef struct instant {
    uint32_t i;
    abut_vec3 normal;
} instant;

static instant evaluate(const caster *c, uint32_t i)
{
    return (instant){ i, abut_cross(c->d, from_origin(c, i)) };
}

static inline int side_in(const caster *c, const instant *s, uint32_t j, abut_vec3 q)
{
    const double det = abut_dot(s->normal, q);
    return det > c->slack ? 1 : det < -c->slack ? -1 : side(c, s->i, j);
}

/* Sign of component k of (p_i - o) x d, or of (p_i - p_j) x d where j is not i. */
static int moment_sign(const caster *c, uint32_t i, uint32_t j, int k)
{
    abut_big p[3], q[3], d[3], sum;
    exact_point(c, i, p);
    exact_direction(c, d);
    if (j != i) {
        exact_point(c, j, q);
        for (int m = 0; m < 3; ++m)
            abut_big_add(&q[m], -1, &p[m]);
    }
    const int a = (k + 1) % 3, b = (k + 2) % 3;
    abut_big_clear(&sum);
    abut_big_add_product(&p[a], &d[b], 1, &sum);
    abut_big_add_product(&p[b], &d[a], -1, &sum);
    return abut_big_sign(&sum);
}

static bool is_on_line(const caster *c, uint32_t i)
{
    const abut_vec3 p = from_origin(c, i), m = abut_cross(p, c->d);
    if (abut_max_norm(m) > 4 * c->slip + 0x1p-50 * abut_max_norm(p))
        return false;
    return moment_sign(c, i, i, 0) == 0 && moment_sign(c, i, i, 1) == 0 && moment_sign(c, i, i, 2) == 0;
}

/* Of two points in line with the origin of the plane: on the same side of it? */
static bool same_side(const caster *c, uint32_t i, uint32_t j)
{
    for (int k = 0; k < 3; ++k) {
        const int s = moment_sign(c, i, i, k);
        if (s != 0)
            return s == moment_sign(c, j, j, k);
    }
    return true;
}

/* The side after the shift: sign of S + (e, e^2) x (p - q), in a frame of the plane where S is
 * the cross product. With axis k largest in d, moments m = p x d and d_k > 0 that frame is
 * (-m_(k+2), m_(k+1)); for d_k < 0 the two change places. */
static int shifted_side(const caster *c, uint32_t i, uint32_t j)
{
    const int s = side(c, i, j);
    if (s != 0)
        return s;
    const int x = -moment_sign(c, i, j, (c->axis + 2) % 3), y = moment_sign(c, i, j, (c->axis + 1) % 3);
    const int first = c->turn > 0 ? x : y, second = c->turn > 0 ? y : x;
    return second != 0 ? second : -first;
}

/* ---- the view along the line ---- */

typedef enum view { VIEW_OUTSIDE, VIEW_BORDER, VIEW_INSIDE } view;

typedef struct around {
    /* the points furthest to the left and right; on the border opposite to one another */
    uint32_t l, r;
    uint32_t w;           /* border: a point to the left of r, if any */
    uint32_t triangle[3]; /* inside: turns left, and holds the shifted origin */
    bool on_line, any, has_w;
} around;

static view inside(around *out, uint32_t a, uint32_t b, uint32_t c)
{
    out->triangle[0] = a;
    out->triangle[1] = b;
    out->triangle[2] = c;
    return VIEW_INSIDE;
}

static view surround(const caster *c, around *out)
{
    *out = (around){ .any = false };
    bool half = false; /* l and r are opposite */
    instant l = { 0 }, r = { 0 };
    for (uint32_t p = 0; p < c->count; ++p) {
        if (!out->any) {
            if (is_on_line(c, p))
                out->on_line = true;
            else {
                out->any = true;
                out->l = out->r = p;
                l = r = evaluate(c, p);
            }
            continue;
        }
        if (l.i != out->l)
            l = evaluate(c, out->l);
        if (r.i != out->r)
            r = evaluate(c, out->r);
        const abut_vec3 q = from_origin(c, p);
        const int sl = side_in(c, &l, p, q), sr = out->l == out->r ? sl : side_in(c, &r, p, q);
        if ((sl == 0 || sr == 0) && is_on_line(c, p)) {
            out->on_line = true;
            continue;
        }
        if (half) {
            if (sr == 0 || (sr > 0 && out->has_w))
                continue;
            if (sr < 0 && out->has_w)
                return shifted_side(c, out->l, out->r) > 0 ? inside(out, out->r, out->w, out->l)
                                                           : inside(out, out->l, p, out->r);
            if (sr < 0) {
                const uint32_t swap = out->l;
                out->l = out->r;
                out->r = swap;
            }
            out->w = p;
            out->has_w = true;
        } else if (sl == 0) {
            if (same_side(c, out->l, p))
                continue;
            half = true;
            out->has_w = out->l != out->r;
            out->w = out->r;
            out->r = p;
        } else if (out->l == out->r) {
            if (sl > 0)
                out->l = p;
            else
                out->r = p;
        } else if (sl > 0 && sr > 0)
            out->l = p;
        else if (sl > 0 && sr < 0)
            return inside(out, out->r, out->l, p);
        else if (sl > 0) { /* opposite to r */
            half = true;
            out->has_w = true;
            out->w = out->l;
            out->l = p;
        } else if (sr < 0)
            out->r = p;
    }
    return half ? VIEW_BORDER : VIEW_OUTSIDE;
}

/* ---- parameters ---- */

static dd exact_plane_parameter(const caster *c, const uint32_t v[3])
{
    abut_big a[3], b[3], e[3], d[3], over, under;
    exact_point(c, v[0], a);
    exact_point(c, v[1], b);
    exact_point(c, v[2], e);
    exact_direction(c, d);
    for (int k = 0; k < 3; ++k) {
        abut_big_add(&a[k], -1, &b[k]);
        abut_big_add(&a[k], -1, &e[k]);
    }
    exact_det(a, b, e, &over);
    exact_det(d, b, e, &under);
    return abut_big_quotient(&over, &under);
}

static void point_dd(const caster *c, uint32_t i, dd out[3])
{
    const double p[3] = { c->hull->x[i], c->hull->y[i], c->hull->z[i] };
    for (int k = 0; k < 3; ++k)
        out[k] = dd_sub((dd){ c->scale * p[k], 0 }, abut_terms_value(&c->line->o[k]));
}

/* det[a, b, c] and the sum of the sizes of its products. */
static dd det_dd(const dd a[3], const dd b[3], const dd c[3], double *size)
{
    dd sum = { 0, 0 };
    *size = 0;
    for (int i = 0; i < 3; ++i) {
        const int j = (i + 1) % 3, k = (i + 2) % 3;
        const dd p = dd_mul(b[j], c[k]), q = dd_mul(b[k], c[j]);
        sum = dd_add(sum, dd_mul(a[i], dd_sub(p, q)));
        *size += fabs(a[i].h) * (fabs(p.h) + fabs(q.h));
    }
    return sum;
}

/* Where the line crosses the plane of three points. Differences of differences of doubles: each
 * is right to 2^-104 of the coordinates, and what cancels is caught by the sizes taken from
 * those. */
static dd plane_parameter(const caster *c, const uint32_t v[3])
{
    dd a[3], b[3], e[3], d[3];
    double over_size, under_size, largest = 0;
    point_dd(c, v[0], a);
    point_dd(c, v[1], b);
    point_dd(c, v[2], e);
    for (int k = 0; k < 3; ++k) {
        b[k] = dd_sub(b[k], a[k]);
        e[k] = dd_sub(e[k], a[k]);
        d[k] = abut_terms_value(&c->line->d[k]);
        largest = fmax(largest, fmax(fabs(a[k].h), fmax(fabs(b[k].h), fabs(e[k].h))));
    }
    const dd over = det_dd(a, b, e, &over_size), under = det_dd(d, b, e, &under_size);
    const double rough = 0x1p-90 * largest;
    if (fabs(over.h) > 0x1p-44 * over_size && fabs(under.h) > 0x1p-44 * under_size &&
        fabs(over.h) > 0x1p40 * rough * largest * largest && fabs(under.h) > 0x1p40 * rough * largest)
        return dd_div(over, under);
    return exact_plane_parameter(c, v);
}

/* Where it passes a point that lies on it. */
static dd point_parameter(const caster *c, uint32_t i)
{
    abut_big p[3], d[3];
    exact_point(c, i, p);
    exact_direction(c, d);
    return abut_big_quotient(&p[c->axis], &d[c->axis]);
}

/* Where it crosses the segment of two points in a plane with it: (p x e) / (d x e) in the
 * component that is not 0, e = q - p. */
static dd segment_parameter(const caster *c, uint32_t i, uint32_t j)
{
    abut_big p[3], e[3], d[3], over, under;
    exact_point(c, i, p);
    exact_point(c, j, e);
    exact_direction(c, d);
    for (int k = 0; k < 3; ++k)
        abut_big_add(&p[k], -1, &e[k]);
    for (int k = 0; k < 3; ++k) {
        const int a = (k + 1) % 3, b = (k + 2) % 3;
        abut_big_clear(&under);
        abut_big_add_product(&d[a], &e[b], 1, &under);
        abut_big_add_product(&d[b], &e[a], -1, &under);
        if (abut_big_sign(&under) == 0)
            continue;
        abut_big_clear(&over);
        abut_big_add_product(&p[a], &e[b], 1, &over);
        abut_big_add_product(&p[b], &e[a], -1, &over);
        return abut_big_quotient(&over, &under);
    }
    return (dd){ 0, 0 };
}

/* ---- features and normals ---- */

static bool is_linked(const abut_hull *hull, uint32_t i, uint32_t j)
{
    if (i >= hull->vertex_count || j >= hull->vertex_count || !hull->links)
        return false;
    for (uint32_t k = hull->link_begin[i]; k < hull->link_begin[i + 1]; ++k)
        if (hull->links[k] == j)
            return true;
    return false;
}

static bool face_has(const abut_hull *hull, uint32_t face, uint32_t v)
{
    for (uint32_t k = hull->face_begin[face]; k < hull->face_begin[face + 1]; ++k)
        if (hull->face_corners[k] == v)
            return true;
    return false;
}

/* The face with all these corners whose normal is furthest along (way > 0) or against the
 * direction; -1 where the hull's list has none. */
static int64_t face_number(const caster *c, const uint32_t *v, int count, double way)
{
    int64_t best = -1;
    double most = -INFINITY;
    for (uint32_t f = 0; f < c->hull->face_count; ++f) {
        bool all = true;
        for (int i = 0; all && i < count; ++i)
            all = face_has(c->hull, f, v[i]);
        const double along = way * abut_dot(c->hull->face_normal[f], c->d);
        if (all && along > most) {
            most = along;
            best = f;
        }
    }
    return best;
}

/* The feature whose relative interior holds a point of the open hull of `count` of the hull's
 * points, and the way out there. */
static void set_feature(const caster *c, const uint32_t *v, int count, double way, abut_line_end *e)
{
    const abut_hull *hull = c->hull;
    const int64_t face = count == 3 && c->line->unnamed ? -1 : face_number(c, v, count, way);
    e->feature = ABUT_FEATURE_FACE;
    e->id = face;
    if (count == 1) {
        e->feature = ABUT_FEATURE_VERTEX;
        e->id = hull->point_of[v[0]];
    } else if (count == 2 && (hull->dimension == 1 || is_linked(hull, v[0], v[1]))) {
        e->feature = ABUT_FEATURE_EDGE;
        e->id = hull->dimension == 1 ? 0 : abut_hull_edge(hull, v[0], v[1]);
    }
    if (count < 3 && face >= 0 && hull->dimension == 3) {
        e->outward = hull->face_normal[face];
        return;
    }
    abut_vec3 n = abut_scale(way, c->d);
    if (count == 2) { /* upright on the edge, in a plane with the line */
        const abut_vec3 along =
            abut_unit_or(abut_sub(from_origin(c, v[1]), from_origin(c, v[0])), abut_v3(0, 0, 0));
        n = abut_madd(n, -abut_dot(n, along), along);
    } else if (count == 3) {
        const abut_vec3 a = from_origin(c, v[0]);
        n = abut_cross(abut_sub(from_origin(c, v[1]), a), abut_sub(from_origin(c, v[2]), a));
        n = abut_scale(way * abut_dot(n, c->d) < 0 ? -1 : 1, n);
    }
    e->outward = abut_unit_or(n, abut_scale(way, abut_unit_or(c->d, abut_v3(1, 0, 0))));
}

static double unscale(const abut_line *line, dd t)
{
    return ldexp(t.h, line->length_exponent - line->direction_exponent);
}

/* ---- inside: triangles ---- */

static abut_vec3 vertex(const caster *c, uint32_t i)
{
    return abut_hull_vertex(c->hull, i);
}

/* A point strictly before (way < 0) or behind the plane of the triangle, which turns left as
 * seen along d. The normal n points along d, and abut_orient3d is positive before the plane.
 * Doubles search for the furthest point; where they find none, the neighbours of a corner prove
 * that there is none: on a convex body a vertex with no neighbour beyond a plane through it has
 * nothing beyond that plane. */
static bool find_outer(const caster *c, const uint32_t v[3], int way, uint32_t *out)
{
    const abut_vec3 a = vertex(c, v[0]), b = vertex(c, v[1]), e = vertex(c, v[2]);
    const double s = c->scale;
    const abut_vec3 ab = abut_scale(s, abut_sub(b, a)), ae = abut_scale(s, abut_sub(e, a));
    const abut_vec3 n = abut_scale(way, abut_cross(ab, ae));
    const double slack = 0x1p-46 * abut_max_norm(ab) * abut_max_norm(ae);
    *out = abut_hull_support(c->hull, n, v[0]);
    const abut_vec3 p = abut_scale(s, abut_sub(vertex(c, *out), a));
    if (abut_dot(n, p) > slack * abut_max_norm(p) + 0x1p-900)
        return true;
    for (uint32_t k = c->hull->link_begin[v[0]]; k < c->hull->link_begin[v[0] + 1]; ++k) {
        const uint32_t w = c->hull->links[k];
        const abut_vec3 q = abut_scale(s, abut_sub(vertex(c, w), a));
        if (abut_dot(n, q) < -(slack * abut_max_norm(q) + 0x1p-900))
            continue;
        if (-way * abut_orient3d(a, b, e, vertex(c, w)) > 0) {
            *out = w;
            return true;
        }
    }
    return false;
}

/* Walks the triangle to the face where the line enters (way -1) or leaves. False where it does
 * not end, which would be a bug. */
static bool walk(const caster *c, int way, uint32_t v[3])
{
    for (uint64_t round = 0; round < 16 + 4 * (uint64_t)c->count; ++round) {
        uint32_t p = 0;
        if (!find_outer(c, v, way, &p))
            return true;
        const int sa = shifted_side(c, v[0], p), sb = shifted_side(c, v[1], p), sc = shifted_side(c, v[2], p);
        /* p represents the corner that shares its place in the view, or for the one whose
         * removal keeps the origin inside. */
        if (sa == 0)
            v[0] = p;
        else if (sb == 0)
            v[1] = p;
        else if (sc == 0)
            v[2] = p;
        else if (sa < 0 && sb > 0)
            v[2] = p; /* the origin sees p opposite to the edge from v[0] to v[1] */
        else if (sb < 0 && sc > 0)
            v[0] = p;
        else
            v[1] = p;
    }
    return false;
}

static void set_end(const caster *c, const uint32_t v[3], double way, abut_line_end *e)
{
    e->t = unscale(c->line, plane_parameter(c, v));
    const bool on[3] = { side(c, v[1], v[2]) == 0, side(c, v[2], v[0]) == 0, side(c, v[0], v[1]) == 0 };
    uint32_t left[3];
    int count = 0;
    for (int i = 0; i < 3; ++i)
        if (!on[i])
            left[count++] = v[i];
    if (count == 3 || !c->line->unnamed)
        set_feature(c, left, count, way, e);
    if (count < 3) { /* the face is known, whatever edge the line meets */
        abut_line_end face = *e;
        set_feature(c, v, 3, way, &face);
        e->outward = face.outward;
    }
}

static void through_inside(const caster *c, const uint32_t triangle[3], abut_line_hit *out)
{
    for (int end = 0; end < 2; ++end) {
        uint32_t v[3] = { triangle[0], triangle[1], triangle[2] };
        const int way = end == 0 ? -1 : 1;
        if (!walk(c, way, v))
            return;
        set_end(c, v, way, &out->end[end]);
        out->count = end + 1;
        if (c->hull->dimension < 3)
            return; /* a flat hull is crossed once, and met from the side it is seen from */
    }
}

/* ---- border: pairs of points in a plane with the line ---- */

typedef struct plane {
    int u, v; /* coordinates in which it is not seen edge-on */
    /* sign of (r - l) x d there, times the way: points with orient2d(l, r, p) of this sign are
     * further that way */
    int along;
} plane;

static int orient(const caster *c, const plane *in, uint32_t i, uint32_t j, uint32_t k)
{
    const double *x[3] = { c->hull->x, c->hull->y, c->hull->z };
    const double a[2] = { x[in->u][i], x[in->v][i] }, b[2] = { x[in->u][j], x[in->v][j] },
                 p[2] = { x[in->u][k], x[in->v][k] };
    return abut_orient2d(a, b, p);
}

/* Furthest along (way 1) or against the direction among the points on the line. */
static uint32_t furthest_on_line(const caster *c, int way, bool *found)
{
    const double *x = c->axis == 0 ? c->hull->x : c->axis == 1 ? c->hull->y : c->hull->z;
    uint32_t best = 0;
    *found = false;
    for (uint32_t i = 0; i < c->count; ++i)
        if (is_on_line(c, i) && (!*found || way * c->turn * (x[i] - x[best]) > 0)) {
            best = i;
            *found = true;
        }
    return best;
}

static bool in_plane(const caster *c, uint32_t l, uint32_t i)
{
    return i != l && side(c, l, i) == 0;
}

static void border_end(const caster *c, const around *seen, plane in, int way, abut_line_end *e)
{
    uint32_t l = seen->l, r = seen->r;
    in.along *= way;
    for (uint64_t round = 0; round < 16 + (uint64_t)c->count; ++round) {
        bool moved = false;
        for (uint32_t i = 0; i < c->count; ++i) {
            if (i == l || i == r || !in_plane(c, seen->l, i) || is_on_line(c, i) ||
                orient(c, &in, l, r, i) != in.along)
                continue;
            if (same_side(c, seen->l, i))
                l = i;
            else
                r = i;
            moved = true;
        }
        if (!moved)
            break;
    }
    bool found;
    const uint32_t z = furthest_on_line(c, way, &found);
    if (found && orient(c, &in, l, r, z) == in.along) {
        e->t = unscale(c->line, point_parameter(c, z));
        set_feature(c, &z, 1, way, e);
        return;
    }
    const uint32_t pair[2] = { l, r };
    e->t = unscale(c->line, segment_parameter(c, l, r));
    set_feature(c, pair, 2, way, e);
}

static void through_border(const caster *c, const around *seen, abut_line_hit *out)
{
    /* The plane's normal is d x (l - o); its largest component is not 0. The sign of (r - l) x d
     * in the other two coordinates is that of its moment. */
    plane in = { 0, 0, 0 };
    const abut_vec3 m = abut_cross(from_origin(c, seen->l), c->d);
    const double size[3] = { fabs(m.x), fabs(m.y), fabs(m.z) };
    const int largest = size[0] >= size[1] && size[0] >= size[2] ? 0 : size[1] >= size[2] ? 1 : 2;
    for (int i = 0; i < 3 && in.along == 0; ++i) {
        const int k = (largest + i) % 3;
        in.u = (k + 1) % 3;
        in.v = (k + 2) % 3;
        in.along = moment_sign(c, seen->r, seen->l, k);
    }
    border_end(c, seen, in, -1, &out->end[0]);
    border_end(c, seen, in, 1, &out->end[1]);
    out->count = out->end[0].t == out->end[1].t && out->end[0].feature == out->end[1].feature &&
                         out->end[0].id == out->end[1].id
                     ? 1
                     : 2;
    out->in_boundary = true;
    out->feature = ABUT_FEATURE_FACE;
    uint32_t corners[3] = { seen->l, seen->r, seen->l };
    out->id = -1;
    for (uint32_t i = 0; i < c->count && out->id < 0; ++i)
        if (i != seen->r && in_plane(c, seen->l, i)) {
            corners[2] = i;
            out->id = face_number(c, corners, 3, 1);
        }
}

static void through_vertices(const caster *c, abut_line_hit *out)
{
    bool found;
    const uint32_t first = furthest_on_line(c, -1, &found), last = furthest_on_line(c, 1, &found);
    const uint32_t ends[2] = { first, last };
    out->count = first == last ? 1 : 2;
    for (int i = 0; i < out->count; ++i) {
        out->end[i].t = unscale(c->line, point_parameter(c, ends[i]));
        set_feature(c, &ends[i], 1, i == 0 ? -1 : 1, &out->end[i]);
    }
    out->in_boundary = true;
    out->feature = ABUT_FEATURE_EDGE;
    if (out->count == 2) {
        abut_line_end edge;
        set_feature(c, ends, 2, 1, &edge);
        out->id = edge.id;
    }
}

/* Is the line clearly further from the frame's origin than any point? */
static bool misses_ball(const caster *c)
{
    const abut_vec3 m = abut_cross(c->o, c->d);
    const double r = c->scale * c->hull->size * (1 + 0x1p-40) + 8 * c->slip;
    return abut_dot(m, m) > r * r * abut_dot(c->d, c->d) * (1 + 0x1p-40);
}

void abut_line_through_hull(const abut_hull *hull, const abut_line *line, abut_line_hit *out)
{
    caster c = {
        .line = line, .hull = hull, .count = hull->vertex_count, .scale = ldexp(1, -line->length_exponent)
    };
    const dd o[3] = { abut_terms_value(&line->o[0]), abut_terms_value(&line->o[1]),
                      abut_terms_value(&line->o[2]) };
    const double d[3] = { abut_terms_value(&line->d[0]).h, abut_terms_value(&line->d[1]).h,
                          abut_terms_value(&line->d[2]).h };
    c.o = abut_v3(o[0].h, o[1].h, o[2].h);
    c.d = abut_v3(d[0], d[1], d[2]);
    c.slip = 0x1p-52 * (abut_max_norm(c.o) + c.scale * hull->size);
    c.axis = fabs(d[0]) >= fabs(d[1]) && fabs(d[0]) >= fabs(d[2]) ? 0 : fabs(d[1]) >= fabs(d[2]) ? 1 : 2;
    c.turn = d[c.axis] > 0 ? 1 : -1;
    const double reach = abut_max_norm(c.o) + c.scale * hull->size;
    c.slack = 8 * (c.slip * (2 * reach + c.slip) + 0x1p-50 * reach * reach) + 0x1p-900;
    if (misses_ball(&c))
        return;
    around seen;
    switch (surround(&c, &seen)) {
    case VIEW_INSIDE: through_inside(&c, seen.triangle, out); break;
    case VIEW_BORDER: through_border(&c, &seen, out); break;
    default:
        if (seen.on_line)
            through_vertices(&c, out);
    }
}
