/* SPDX-License-Identifier: MIT */
/* The curvature criterion with the condition on the contour: why a region does not meet itself.
 *
 * Claim. Let S be triangles, D a direction with a positive dot product with all their normals, and
 * C their oriented boundary (sides that two of them have in opposite directions left out). If C,
 * seen along D, is one closed polygon without self-contact, run through once, then features of S
 * without a common vertex have no point in common. (The surface may be non-manifold or of any
 * topology; it is chains that count.)
 * Proof. Seen along D, all triangles are counter-clockwise. So the number of triangles over a point
 * in general position is the winding number of C around it, which is 0 or 1: triangles do not
 * overlap. If a point x of a feature is also on another triangle T, then T covers an area next to x.
 * An inner vertex or edge is surrounded by its own triangles, which cover all of the neighbourhood; one on C
 * has its own triangles on the inner side, and there is nothing on the outer one. Either way T is one
 * of them, and both have a vertex in common; or x is on two sides of C, which has no self-contact.
 * The same holds with holes: several closed polygons without contact, exactly one of which is
 * counter-clockwise, have winding numbers of at most 1.
 * P. Volino, N. Magnenat-Thalmann (Eurographics 1994) have the criterion for one contour; the course
 * leaves the contour out in practice, and then a ribbon bent into a cone is missed.
 *
 * Over a step this must hold at all times: polygons whose corners move linearly. It is proved with
 * Bernstein coefficients of quadratics, first for a polygon that is star-shaped around its moving
 * middle, which is linear and nearly always enough; then by pairs of edges. Positions are taken
 * relative to a moving corner, so that a common motion does not count.
 *
 * Two regions that have one vertex in common, and nothing else: seen along a common direction each
 * lies in the hull of its contour. A line through the vertex that has the two contours on its two
 * sides proves that the vertex is all they share.
 *
 * Errors. Coordinates in the plane are differences of two coordinates of relative positions: with M
 * the largest size of one, they are at most 2 M, off by 4 u M. Products of two differences of
 * these: at most 16 M^2, off by less than 400 u M^2. The margin is 2^-42 M^2; that of coordinates,
 * 2^-48 M. */
#include "ccd/deform/deform.h"

#include <math.h>
#include <string.h>

typedef struct flat {
    double u[2], v[2]; /* at the start and at the end */
} flat;

typedef struct outline {
    abut_deform *m;
    const uint32_t *sides;
    size_t count;
    flat *at;            /* of the tails; those of the heads are behind them */
    double length, area; /* margins */
} outline;

/* In place of fmin and fmax, which are calls; nothing here is NaN that is used. */
static inline double lesser(double x, double y)
{
    return x < y ? x : y;
}

static inline double greater(double x, double y)
{
    return x > y ? x : y;
}

/* ---- adjacency ---- */

/* Have they an edge in common? In constant time, for any two regions without a common triangle. */
static bool are_adjacent(const abut_deform *m, uint32_t a, uint32_t b)
{
    if (m->regions[a].level < m->regions[b].level) {
        const uint32_t swap = a;
        a = b;
        b = swap;
    }
    /* Regions at the level of b are its neighbours, and a is made of such regions. */
    const abut_deform_region *ra = &m->regions[a], *rb = &m->regions[b];
    for (uint32_t i = rb->neighbour; i < rb->neighbour_end; ++i) {
        const uint32_t leaf = m->regions[m->neighbours[i]].first_leaf;
        if (leaf >= ra->first_leaf && leaf < ra->leaf_end)
            return true;
    }
    return false;
}

/* ---- positions ---- */

/* Two forms whose kernel is the direction, so that what faces it is counter-clockwise. */
static void choose_forms(const int8_t d[3], int form[2][3])
{
    int axis = 0;
    memset(form, 0, 6 * sizeof form[0][0]);
    for (int k = 1; k < 3; ++k)
        if (d[axis] == 0)
            axis = k;
    const int u = (axis + 1) % 3, v = (axis + 2) % 3, s = d[axis];
    /* p - (p[axis] / d[axis]) d, without the axis; s is 1 or -1. */
    form[0][u] = 1;
    form[0][axis] = -d[u] * s;
    form[1][v] = s;
    form[1][axis] = -d[v];
}

static inline flat project(const abut_deform *m, uint32_t vertex, const abut_vec3 origin[2], int form[2][3],
                           double *size)
{
    flat f;
    for (int w = 0; w < 2; ++w) {
        const abut_vec3 p = m->x[w][vertex];
        const double x = p.x - origin[w].x, y = p.y - origin[w].y, z = p.z - origin[w].z;
        f.u[w] = form[0][0] * x + form[0][1] * y + form[0][2] * z;
        f.v[w] = form[1][0] * x + form[1][1] * y + form[1][2] * z;
        const double most = greater(fabs(x), greater(fabs(y), fabs(z)));
        *size = most > *size ? most : *size;
    }
    return f;
}

/* The direction of the mask that the contour faces most. */
static int choose_direction(const abut_deform *m, const uint32_t *sides, size_t count, uint32_t mask)
{
    const abut_vec3 o = m->x[0][abut_deform_tail(m, sides[0])];
    double n[3] = { 0, 0, 0 }, most = -INFINITY;
    int best = -1;
    for (size_t i = 0; i < count; ++i) {
        const abut_vec3 p = m->x[0][abut_deform_tail(m, sides[i])],
                        q = m->x[0][abut_deform_head(m, sides[i])];
        const double a[3] = { p.x - o.x, p.y - o.y, p.z - o.z }, b[3] = { q.x - o.x, q.y - o.y, q.z - o.z };
        n[0] += a[1] * b[2] - a[2] * b[1];
        n[1] += a[2] * b[0] - a[0] * b[2];
        n[2] += a[0] * b[1] - a[1] * b[0];
    }
    for (int i = 0; i < ABUT_DEFORM_DIRECTIONS; ++i) {
        const int8_t *d = abut_deform_direction[i];
        const int entries = d[0] * d[0] + d[1] * d[1] + d[2] * d[2];
        static const double scale[4] = { 1, 1, 0.70710678, 0.57735027 };
        const double dot = scale[entries] * (d[0] * n[0] + d[1] * n[1] + d[2] * n[2]);
        if (mask >> i & 1 && (best < 0 || dot > most)) {
            best = i;
            most = dot;
        }
    }
    return best;
}

static bool project_all(outline *o, int direction)
{
    abut_deform *m = o->m;
    int form[2][3];
    double size = 0;
    const uint32_t first = abut_deform_tail(m, o->sides[0]);
    const abut_vec3 origin[2] = { m->x[0][first], m->x[1][first] };
    choose_forms(abut_deform_direction[direction], form);
    for (size_t i = 0; i < o->count; ++i) {
        o->at[i] = project(m, abut_deform_tail(m, o->sides[i]), origin, form, &size);
        o->at[o->count + i] = project(m, abut_deform_head(m, o->sides[i]), origin, form, &size);
    }
    o->length = 0x1p-48 * size + 0x1p-1000;
    o->area = 0x1p-42 * size * size + 0x1p-1000;
    return size < 0x1p500;
}

/* ---- quadratics ---- */

static inline flat subtract(flat p, flat q)
{
    return (flat){ { p.u[0] - q.u[0], p.u[1] - q.u[1] }, { p.v[0] - q.v[0], p.v[1] - q.v[1] } };
}

/* The least and greatest Bernstein coefficient of a x b, and of a . b */
static inline void cross_range(flat a, flat b, double *lo, double *hi)
{
    const double c0 = a.u[0] * b.v[0] - a.v[0] * b.u[0], c2 = a.u[1] * b.v[1] - a.v[1] * b.u[1];
    const double c1 = 0.5 * ((a.u[0] * b.v[1] - a.v[0] * b.u[1]) + (a.u[1] * b.v[0] - a.v[1] * b.u[0]));
    *lo = lesser(c0, lesser(c1, c2));
    *hi = greater(c0, greater(c1, c2));
}

static inline double dot_least(flat a, flat b)
{
    const double c0 = a.u[0] * b.u[0] + a.v[0] * b.v[0], c2 = a.u[1] * b.u[1] + a.v[1] * b.v[1];
    const double c1 = 0.5 * ((a.u[0] * b.u[1] + a.v[0] * b.v[1]) + (a.u[1] * b.u[0] + a.v[1] * b.v[0]));
    return lesser(c0, lesser(c1, c2));
}

/* ---- one closed polygon, star-shaped around its middle ---- */

/* All edges go counter-clockwise around the middle, once. */
static bool is_star(const outline *o)
{
    flat middle = { { 0, 0 }, { 0, 0 } };
    const double f = 1 / (double)o->count;
    size_t turns = 0;
    for (size_t i = 0; i < o->count; ++i)
        for (int w = 0; w < 2; ++w) {
            middle.u[w] += f * o->at[i].u[w];
            middle.v[w] += f * o->at[i].v[w];
        }
    for (size_t i = 0; i < o->count; ++i) {
        double lo, hi;
        const flat p = subtract(o->at[i], middle), q = subtract(o->at[o->count + i], middle);
        cross_range(p, q, &lo, &hi);
        if (!(lo > o->area))
            return false;
        turns += p.v[0] < 0 && q.v[0] >= 0;
    }
    return turns == 1;
}

/* ---- any closed polygons ---- */

/* On one side of the line of an edge at all times? */
static bool is_beside(const outline *o, flat p, flat q, flat r, flat s)
{
    double lo[2], hi[2];
    const flat d = subtract(q, p);
    cross_range(d, subtract(r, p), &lo[0], &hi[0]);
    cross_range(d, subtract(s, p), &lo[1], &hi[1]);
    return (lo[0] > o->area && lo[1] > o->area) || (hi[0] < -o->area && hi[1] < -o->area);
}

static double least(flat p, flat q, int axis)
{
    const double *a = axis ? p.v : p.u, *b = axis ? q.v : q.u;
    return lesser(lesser(a[0], a[1]), lesser(b[0], b[1]));
}

static double most(flat p, flat q, int axis)
{
    const double *a = axis ? p.v : p.u, *b = axis ? q.v : q.u;
    return greater(greater(a[0], a[1]), greater(b[0], b[1]));
}

/* Edges i and k have nothing in common, or only a common corner. */
static bool are_apart(const outline *o, size_t i, size_t k)
{
    const flat p = o->at[i], q = o->at[o->count + i], r = o->at[k], s = o->at[o->count + k];
    const abut_deform *m = o->m;
    const bool follows = abut_deform_head(m, o->sides[i]) == abut_deform_tail(m, o->sides[k]),
               leads = abut_deform_head(m, o->sides[k]) == abut_deform_tail(m, o->sides[i]);
    if (follows && leads)
        return false;
    if (follows || leads) {
        double lo, hi;
        const flat d = subtract(q, p), e = subtract(s, r);
        if (dot_least(d, e) > o->area)
            return true;
        cross_range(d, e, &lo, &hi);
        return lo > o->area || hi < -o->area;
    }
    for (int axis = 0; axis < 2; ++axis)
        if (most(p, q, axis) + o->length < least(r, s, axis) ||
            most(r, s, axis) + o->length < least(p, q, axis))
            return true;
    return is_beside(o, p, q, r, s) || is_beside(o, r, s, p, q);
}

/* Longer contours are left to smaller regions. */
enum { MOST_SIDES = 128 };

static bool are_all_apart(const outline *o)
{
    uint16_t order[MOST_SIDES];
    double lo[MOST_SIDES], hi[MOST_SIDES];
    for (size_t i = 0; i < o->count; ++i) {
        lo[i] = least(o->at[i], o->at[o->count + i], 0);
        hi[i] = most(o->at[i], o->at[o->count + i], 0) + o->length;
        order[i] = (uint16_t)i;
    }
    for (size_t gap = o->count / 2; gap > 0; gap /= 2) /* D. L. Shell, 1959 */
        for (size_t i = gap; i < o->count; ++i) {
            const uint16_t x = order[i];
            size_t k = i;
            for (; k >= gap && lo[order[k - gap]] > lo[x]; k -= gap)
                order[k] = order[k - gap];
            order[k] = x;
        }
    for (size_t i = 0; i < o->count; ++i)
        for (size_t k = i + 1; k < o->count && lo[order[k]] <= hi[order[i]]; ++k)
            if (!are_apart(o, order[i], order[k]))
                return false;
    return true;
}

/* Every corner has one side in and one out; exactly one polygon is counter-clockwise. marks[v] -
 * mark is the side that leaves v. */
static bool has_one_outside(const outline *o)
{
    abut_deform *m = o->m;
    bool done[MOST_SIDES] = { false };
    size_t outsides = 0;
    if (m->mark > 0xfffffff0u - 2 * MOST_SIDES) {
        memset(m->marks, 0, m->vertex_count * sizeof *m->marks);
        m->mark = 0;
    }
    const uint32_t base = m->mark + 1;
    m->mark = base + (uint32_t)o->count;
    for (size_t i = 0; i < o->count; ++i) {
        uint32_t *mark = &m->marks[abut_deform_tail(m, o->sides[i])];
        if (*mark >= base)
            return false;
        *mark = base + (uint32_t)i;
    }
    for (size_t i = 0; i < o->count; ++i) {
        double area = 0;
        if (done[i])
            continue;
        for (size_t k = i; !done[k];) {
            const flat p = o->at[k], q = o->at[o->count + k];
            done[k] = true;
            area += p.u[0] * q.v[0] - p.v[0] * q.u[0];
            const uint32_t next = m->marks[abut_deform_head(m, o->sides[k])];
            if (next < base)
                return false;
            k = next - base;
        }
        const double margin = 2 * (double)o->count * o->area;
        if (area > margin)
            ++outsides;
        else if (!(area < -margin))
            return false;
    }
    return outsides == 1;
}

/* ---- two regions with one vertex in common ---- */

/* The sides from `split` on are those of the second region; the vertices of the first are marked. */
static bool is_parted(const outline *o, size_t split)
{
    const abut_deform *m = o->m;
    flat mean[2] = { { { 0, 0 }, { 0, 0 } }, { { 0, 0 }, { 0, 0 } } };
    uint32_t shared = ABUT_DEFORM_NONE;
    flat at = mean[0];
    for (size_t i = split; i < o->count; ++i) {
        const uint32_t v = abut_deform_tail(m, o->sides[i]);
        if (m->marks[v] != m->mark)
            continue;
        if (shared != ABUT_DEFORM_NONE && shared != v)
            return false;
        shared = v;
        at = o->at[i];
    }
    for (size_t i = 0; i < o->count; ++i)
        for (int w = 0; w < 2; ++w) {
            const bool second = i >= split;
            const double f = 1 / (double)(second ? o->count - split : split);
            mean[second].u[w] += f * o->at[i].u[w];
            mean[second].v[w] += f * o->at[i].v[w];
        }
    /* One direction for the whole step: the corners move linearly, so that its ends suffice. */
    const double du = (mean[1].u[0] - mean[0].u[0]) + (mean[1].u[1] - mean[0].u[1]),
                 dv = (mean[1].v[0] - mean[0].v[0]) + (mean[1].v[1] - mean[0].v[1]);
    for (int w = 0; w < 2; ++w) {
        double reach[2] = { -INFINITY, INFINITY }; /* furthest of the first, nearest of the second */
        for (size_t i = 0; i < o->count; ++i) {
            if (abut_deform_tail(m, o->sides[i]) == shared)
                continue;
            const double x = du * o->at[i].u[w] + dv * o->at[i].v[w];
            if (i < split)
                reach[0] = greater(reach[0], x);
            else
                reach[1] = lesser(reach[1], x);
        }
        if (shared == ABUT_DEFORM_NONE) {
            if (!(reach[0] + 2 * o->area < reach[1]))
                return false;
            continue;
        }
        const double x = du * at.u[w] + dv * at.v[w];
        if (!(reach[0] + 2 * o->area < x && x + 2 * o->area < reach[1]))
            return false;
    }
    return true;
}

/* ---- the criterion ---- */

static const uint32_t *contour_of(const abut_deform *m, uint32_t region, size_t *count)
{
    const abut_deform_region *r = &m->regions[region];
    *count = r->contour_end - r->contour;
    return m->contours + r->contour;
}

/* As join_chains of region.c, for chains without multiple edges; false where there are some. */
static bool unite(const abut_deform *m, uint32_t a, uint32_t b, uint32_t *out, size_t *count)
{
    size_t pn, qn, n = 0, i = 0, k = 0;
    const uint32_t *p = contour_of(m, a, &pn), *q = contour_of(m, b, &qn);
    while (i < pn && k < qn) {
        if ((p[i] ^ q[k]) == 1) {
            ++i;
            ++k;
        } else if (p[i] == q[k]) {
            return false;
        } else if (p[i] < q[k]) {
            out[n++] = p[i++];
        } else {
            out[n++] = q[k++];
        }
    }
    for (; i < pn; ++i)
        out[n++] = p[i];
    for (; k < qn; ++k)
        out[n++] = q[k];
    *count = n;
    return true;
}

/* Longer contours that have only a vertex in common are left to smaller regions. */
enum { MOST_PARTED = 48 };

/* Marks the vertices of the first contour. */
static bool have_common_vertex(abut_deform *m, const uint32_t *p, size_t pn, const uint32_t *q, size_t qn)
{
    if (m->mark > 0xfffffff0u) {
        memset(m->marks, 0, m->vertex_count * sizeof *m->marks);
        m->mark = 0;
    }
    ++m->mark;
    for (size_t i = 0; i < pn; ++i)
        m->marks[abut_deform_tail(m, p[i])] = m->mark;
    for (size_t i = 0; i < qn; ++i)
        if (m->marks[abut_deform_tail(m, q[i])] == m->mark)
            return true;
    return false;
}

bool abut_deform_is_flat(abut_deform *m, uint32_t a, uint32_t b, uint32_t mask)
{
    outline o = { .m = m, .at = (flat *)(void *)m->flat };
    const bool two = b != ABUT_DEFORM_NONE, joined = two && are_adjacent(m, a, b);
    size_t split = 0;
    if (two && !joined) {
        size_t count;
        const uint32_t *p = contour_of(m, a, &split), *q = contour_of(m, b, &count);
        if (split == 0 || count == 0 || split + count > MOST_PARTED ||
            !have_common_vertex(m, p, split, q, count))
            return false;
        memcpy(m->chain, p, split * sizeof *p);
        memcpy(m->chain + split, q, count * sizeof *q);
        o.sides = m->chain;
        o.count = split + count;
    } else if (two) {
        o.sides = m->chain;
        if (!unite(m, a, b, m->chain, &o.count))
            return false;
    } else {
        o.sides = contour_of(m, a, &o.count);
    }
    if (o.count == 0)
        return false;
    const int direction = choose_direction(m, o.sides, o.count, mask);
    if (!project_all(&o, direction))
        return false;
    if (two && !joined)
        return is_parted(&o, split);
    return is_star(&o) || (o.count <= MOST_SIDES && are_all_apart(&o) && has_one_outside(&o));
}
