/* SPDX-License-Identifier: MIT */
/* One box against the eight of a node, and eight triangles against eight. Included once for each
 * vector unit.
 *
 * Everything here is by separating axes, in floats, and an axis separates only when it does so
 * by more than a margin that covers all rounding: every projection is off by less than 2^-16
 * times the sum of the distances involved (docs/notes/hierarchies.md), and a difference in the
 * other direction costs time, not truth. */
#include "bvh/wide.h"
#include "bvh/wide_lanes.h"

#include <string.h>

#define WIDE_ROUNDING 0x1p-16

/* Of Frank and Wolfe's method for distances of boxes and of triangles; measured. */
enum { STEPS_BOX = 2, STEPS_TRI = 3, STEPS_SINGLE = 2 };

typedef float quad __attribute__((vector_size(16)));

static inline quad quad_load(const float *x)
{
    quad q;
    memcpy(&q, x, sizeof q);
    return q;
}

/* How the things below a node of the other side are seen from a box: p -> m (k p) + offset, in
 * the axes of the box. */
typedef struct seen {
    float m[3][4]; /* m[k][i]: what coordinate k there gives on axis i here */
    float offset[4], half[4];
    float k;
    double size; /* of all that enters */
} seen;

/* From an origin of this side to one of the other. */
static inline void origin_difference(const wide_view *view, const wide_head *own, const wide_head *other,
                                     double d[3])
{
    const double x = view->k_other * other->origin[0], y = view->k_other * other->origin[1],
                 z = view->k_other * other->origin[2];
    for (int k = 0; k < 3; ++k)
        d[k] = view->d[k] + (view->r[k][0] * x + view->r[k][1] * y + view->r[k][2] * z) -
               view->k_own * own->origin[k];
}

static inline double size_of(const wide_view *view, const wide_head *own, const wide_head *other,
                             const double d[3])
{
    return fabs(d[0]) + fabs(d[1]) + fabs(d[2]) + view->k_own * (double)own->radius +
           view->k_other * (double)other->radius;
}

/* d from origin to origin; everything times `unit`. */
static inline seen see_in(const wide_view *view, const wide_head *own, const wide_head *other,
                          const double d[3], double unit)
{
    const quad x = quad_load(own->axes[0]), y = quad_load(own->axes[1]), z = quad_load(own->axes[2]);
    seen s;
    for (int k = 0; k < 3; ++k) {
        const quad m = x * view->rows[0][k] + y * view->rows[1][k] + z * view->rows[2][k];
        memcpy(s.m[k], &m, sizeof m);
    }
    const quad offset = x * (float)(unit * d[0]) + y * (float)(unit * d[1]) + z * (float)(unit * d[2]);
    memcpy(s.offset, &offset, sizeof offset);
    const quad half = quad_load(own->half) * (float)(unit * view->k_own);
    memcpy(s.half, &half, sizeof half);
    s.k = (float)(unit * view->k_other);
    s.size = unit * size_of(view, own, other, d);
    return s;
}

static inline seen see(const wide_view *view, const wide_head *own, const wide_head *other)
{
    double d[3];
    origin_difference(view, own, other, d);
    return see_in(view, own, other, d, 1);
}

/* Centres, axes and half sizes of the eight boxes in the axes of the one. */
typedef struct boxes {
    lanes t[3], r[3][3], a[3][3], q[3]; /* a: |r| */
} boxes;

static inline void see_boxes(const seen *s, const wide_node *node, boxes *out)
{
    const lanes k = v_all(s->k);
    lanes c[3], m[3][3];
    for (int i = 0; i < 3; ++i) {
        c[i] = v_mul(k, v_load(node->centre[i]));
        out->q[i] = v_mul(k, v_load(node->half[i]));
    }
    for (int i = 0; i < 3; ++i) {
        for (int l = 0; l < 3; ++l)
            m[i][l] = v_all(s->m[l][i]);
        out->t[i] = v_madd(m[i][0], c[0], v_madd(m[i][1], c[1], v_madd(m[i][2], c[2], v_all(s->offset[i]))));
    }
    for (int j = 0; j < 3; ++j) {
        const lanes x = v_load(node->axes[j][0]), y = v_load(node->axes[j][1]), z = v_load(node->axes[j][2]);
        for (int i = 0; i < 3; ++i) {
            out->r[i][j] = v_dot(m[i][0], x, m[i][1], y, m[i][2], z);
            out->a[i][j] = v_abs(out->r[i][j]);
        }
    }
}

/* By how much the boxes are apart on the axes of the one and of the eight. */
static inline lanes gap_own(const seen *s, const boxes *b, int i)
{
    return v_sub(v_sub(v_abs(b->t[i]), v_all(s->half[i])),
                 v_dot(b->a[i][0], b->q[0], b->a[i][1], b->q[1], b->a[i][2], b->q[2]));
}

static inline lanes gap_other(const seen *s, const boxes *b, int j)
{
    const lanes along = v_dot(b->t[0], b->r[0][j], b->t[1], b->r[1][j], b->t[2], b->r[2][j]);
    return v_sub(v_sub(v_abs(along), b->q[j]), v_dot(v_all(s->half[0]), b->a[0][j], v_all(s->half[1]),
                                                     b->a[1][j], v_all(s->half[2]), b->a[2][j]));
}

/* And on the product of axis i of the one and j of the eight, times its length. */
static inline lanes gap_cross(const seen *s, const boxes *b, int i, int j)
{
    const int i1 = (i + 1) % 3, i2 = (i + 2) % 3, j1 = (j + 1) % 3, j2 = (j + 2) % 3;
    const lanes along = v_abs(v_det(b->t[i1], b->t[i2], b->r[i1][j], b->r[i2][j]));
    const lanes own = v_madd(v_all(s->half[i1]), b->a[i2][j], v_mul(v_all(s->half[i2]), b->a[i1][j]));
    const lanes other = v_madd(b->q[j1], b->a[i][j2], v_mul(b->q[j2], b->a[i][j1]));
    return v_sub(v_sub(along, own), other);
}

/* Bits of the children that may be nearer than the margin. *gap: how far they are apart, more or
 * less. */
static inline unsigned test_boxes(const seen *s, const wide_node *node, double margin, lanes *gap)
{
    boxes b;
    see_boxes(s, node, &b);
    const unsigned all = (1U << node->head.count) - 1;
    const lanes m = v_all((float)(margin + WIDE_ROUNDING * s->size));
    lanes most = v_max(v_max(gap_own(s, &b, 0), gap_own(s, &b, 1)), gap_own(s, &b, 2));
    most = v_max(most, v_max(v_max(gap_other(s, &b, 0), gap_other(s, &b, 1)), gap_other(s, &b, 2)));
    *gap = most;
    unsigned apart = v_bits(v_above(most, m));
    if ((apart & all) == all)
        return 0;
    for (int i = 0; i < 3; ++i)
        most =
            v_max(most, v_max(v_max(gap_cross(s, &b, i, 0), gap_cross(s, &b, i, 1)), gap_cross(s, &b, i, 2)));
    apart = v_bits(v_above(most, m));
    return all & ~apart;
}

/* Distances of the children are at least this; negative where nothing is known. Gaps on three
 * orthogonal axes add up by squares. */
static inline lanes near_boxes(const seen *s, const wide_node *node, double margin)
{
    boxes b;
    see_boxes(s, node, &b);
    const lanes zero = v_all(0);
    lanes own = zero, other = zero, most = v_all(-INFINITY);
    for (int i = 0; i < 3; ++i) {
        const lanes g = gap_own(s, &b, i), h = gap_other(s, &b, i), x = v_max(g, zero), y = v_max(h, zero);
        own = v_madd(x, x, own);
        other = v_madd(y, y, other);
        most = v_max(most, v_max(g, h));
    }
    /* Where boxes overlap, by how much: they are opened in this order. */
    lanes low = v_pick(v_above(most, zero), v_sqrt(v_max(own, other)), most);
    /* Steps of Frank and Wolfe's method from the line of centres. */
    lanes v[3] = { b.t[0], b.t[1], b.t[2] };
    for (int step = 0; step < STEPS_BOX; ++step) {
        lanes to[3];
        for (int i = 0; i < 3; ++i)
            to[i] = v_sub(b.t[i], v_signed(v_all(s->half[i]), v[i]));
        for (int j = 0; j < 3; ++j) {
            const lanes q = v_signed(b.q[j], v_dot(v[0], b.r[0][j], v[1], b.r[1][j], v[2], b.r[2][j]));
            for (int i = 0; i < 3; ++i)
                to[i] = v_sub(to[i], v_mul(q, b.r[i][j]));
        }
        const lanes vv = v_dot(v[0], v[0], v[1], v[1], v[2], v[2]),
                    vs = v_dot(v[0], to[0], v[1], to[1], v[2], to[2]);
        low = v_max(low, v_div(vs, v_add(v_sqrt(vv), v_all(0x1p-60F))));
        if (step + 1 < STEPS_BOX) {
            lanes d[3];
            for (int i = 0; i < 3; ++i)
                d[i] = v_sub(to[i], v[i]);
            const lanes dd = v_add(v_dot(d[0], d[0], d[1], d[1], d[2], d[2]), v_all(0x1p-100F));
            const lanes t = v_min(v_all(1), v_max(zero, v_div(v_sub(vv, vs), dd)));
            for (int i = 0; i < 3; ++i)
                v[i] = v_madd(t, d[i], v[i]);
        }
    }
    return v_sub(low, v_all((float)(margin + WIDE_ROUNDING * s->size)));
}

/* ---- triangles ---- */

/* Eight triangles: a corner, the two sides from it, their product; no less than the longest side
 * and the length of the product. */
typedef struct facets {
    lanes p[3], e[3], f[3], n[3];
    lanes side, area;
} facets;

/* The products of two small numbers may vanish; what is added covers that. */
static inline void finish_facets(facets *t)
{
    for (int k = 0; k < 3; ++k) {
        const int l = (k + 1) % 3, o = (k + 2) % 3;
        t->n[k] = v_det(t->e[l], t->e[o], t->f[l], t->f[o]);
    }
    const lanes ee = v_dot(t->e[0], t->e[0], t->e[1], t->e[1], t->e[2], t->e[2]);
    const lanes ff = v_dot(t->f[0], t->f[0], t->f[1], t->f[1], t->f[2], t->f[2]);
    const lanes nn = v_dot(t->n[0], t->n[0], t->n[1], t->n[1], t->n[2], t->n[2]);
    const lanes least = v_all(0x1p-60F);
    /* The third side is no longer than the sum of the others. */
    t->side = v_add(v_add(v_sqrt(ee), v_sqrt(ff)), least);
    t->area = v_add(v_sqrt(nn), least);
}

/* Of a leaf in the axes of its box. */
static inline void own_facets(const wide_leaf *leaf, float scale, facets *t)
{
    const lanes k = v_all(scale);
    for (int i = 0; i < 3; ++i) {
        t->p[i] = v_mul(k, v_load(leaf->corner[0][i]));
        t->e[i] = v_sub(v_mul(k, v_load(leaf->corner[1][i])), t->p[i]);
        t->f[i] = v_sub(v_mul(k, v_load(leaf->corner[2][i])), t->p[i]);
    }
    finish_facets(t);
}

/* The placement of a leaf in the axes of another box: p -> m (k p) + offset, in units of 2^e such that
 * everything is about 1. */
typedef struct facing {
    float m[3][4], offset[4];
    float half[4], half_other[4];
    float k_own, k_other;
    double unit; /* what is multiplied by it is in these units */
    float rounding;
} facing;

/* The power of two that brings x into [1, 2), within reason. */
static inline double unit_of(double x)
{
    if (!(x > 0x1p-200))
        return 0x1p200;
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    bits = ((uint64_t)2046 << 52) - (bits & (uint64_t)0x7ff << 52);
    memcpy(&x, &bits, sizeof x);
    return x;
}

static inline void face(const wide_view *view, const wide_head *own, const wide_head *other, double slack,
                        facing *out)
{
    double d[3];
    origin_difference(view, own, other, d);
    const double size = size_of(view, own, other, d), unit = unit_of(size);
    const quad x = quad_load(own->axes[0]), y = quad_load(own->axes[1]), z = quad_load(own->axes[2]);
    quad r[3];
    for (int k = 0; k < 3; ++k)
        r[k] = x * view->rows[0][k] + y * view->rows[1][k] + z * view->rows[2][k];
    for (int j = 0; j < 3; ++j) {
        const quad m = r[0] * other->axes[0][j] + r[1] * other->axes[1][j] + r[2] * other->axes[2][j];
        memcpy(out->m[j], &m, sizeof m);
    }
    const quad offset = x * (float)(unit * d[0]) + y * (float)(unit * d[1]) + z * (float)(unit * d[2]);
    memcpy(out->offset, &offset, sizeof offset);
    out->k_own = (float)(unit * view->k_own);
    out->k_other = (float)(unit * view->k_other);
    const quad half = quad_load(own->half) * out->k_own, half_other = quad_load(other->half) * out->k_other;
    memcpy(out->half, &half, sizeof half);
    memcpy(out->half_other, &half_other, sizeof half_other);
    out->unit = unit;
    out->rounding = (float)(unit * (WIDE_ROUNDING * size + slack));
}

/* Of a leaf of the other side, in the axes of the own box. */
static inline void other_facets(const facing *g, const wide_leaf *leaf, facets *t)
{
    facets raw;
    own_facets(leaf, g->k_other, &raw);
    for (int i = 0; i < 3; ++i) {
        const lanes x = v_all(g->m[0][i]), y = v_all(g->m[1][i]), z = v_all(g->m[2][i]);
        t->p[i] = v_madd(x, raw.p[0], v_madd(y, raw.p[1], v_madd(z, raw.p[2], v_all(g->offset[i]))));
        t->e[i] = v_dot(x, raw.e[0], y, raw.e[1], z, raw.e[2]);
        t->f[i] = v_dot(x, raw.f[0], y, raw.f[1], z, raw.f[2]);
        t->n[i] = v_dot(x, raw.n[0], y, raw.n[1], z, raw.n[2]);
    }
    t->side = raw.side;
    t->area = raw.area;
}

/* How far eight triangles are beyond a box along one of its axes; negative where they are not. */
static inline lanes beyond(lanes p, lanes e, lanes f, lanes half)
{
    const lanes zero = v_all(0);
    const lanes low = v_add(p, v_min(zero, v_min(e, f))), high = v_add(p, v_max(zero, v_max(e, f)));
    return v_sub(v_max(low, v_sub(zero, high)), half);
}

/* The triangles of the other side, beyond the own box. */
static inline void beyond_own(const facing *g, const facets *t, lanes gap[3])
{
    for (int i = 0; i < 3; ++i)
        gap[i] = beyond(t->p[i], t->e[i], t->f[i], v_all(g->half[i]));
}

/* The own triangles, beyond the box of the other side. */
static inline void beyond_other(const facing *g, const facets *t, lanes gap[3])
{
    const lanes x = v_sub(t->p[0], v_all(g->offset[0])), y = v_sub(t->p[1], v_all(g->offset[1])),
                z = v_sub(t->p[2], v_all(g->offset[2]));
    for (int j = 0; j < 3; ++j) {
        const lanes mx = v_all(g->m[j][0]), my = v_all(g->m[j][1]), mz = v_all(g->m[j][2]);
        gap[j] = beyond(v_dot(mx, x, my, y, mz, z), v_dot(mx, t->e[0], my, t->e[1], mz, t->e[2]),
                        v_dot(mx, t->f[0], my, t->f[1], mz, t->f[2]), v_all(g->half_other[j]));
    }
}

/* Bits of those that are not further than the limit, by the largest gap or by all three. */
static inline unsigned within(const lanes gap[3], float limit)
{
    return ~v_bits(v_above(v_max(v_max(gap[0], gap[1]), gap[2]), v_all(limit))) & 0xff;
}

static inline lanes length_of(const lanes gap[3])
{
    const lanes zero = v_all(0), x = v_max(gap[0], zero), y = v_max(gap[1], zero), z = v_max(gap[2], zero);
    return v_sqrt(v_dot(x, x, y, y, z, z));
}

/* The same eight to be taken one by one. */
typedef struct facet_list {
    float p[3][WIDE], e[3][WIDE], f[3][WIDE], n[3][WIDE], side[WIDE], area[WIDE];
} facet_list;

static inline void list_facets(const facets *t, facet_list *out)
{
    for (int k = 0; k < 3; ++k) {
        v_store(out->p[k], t->p[k]);
        v_store(out->e[k], t->e[k]);
        v_store(out->f[k], t->f[k]);
        v_store(out->n[k], t->n[k]);
    }
    v_store(out->side, t->side);
    v_store(out->area, t->area);
}

/* Whether x + {0, b} lies beyond {0, a} on either side, by more than m. */
static inline choice apart(lanes x, lanes a_low, lanes a_high, lanes b_low, lanes b_high, lanes m)
{
    return v_either(v_above(v_sub(v_add(x, b_low), a_high), m), v_above(v_sub(v_sub(a_low, x), b_high), m));
}

/* Triangle i of the list against eight: bits of those that may be nearer than the margin. With
 * sides E1, E2 and E3 = E2 - E1 of the one, F1, F2, F3 of the other, normals n = E1 x E2 and m =
 * F1 x F2, and w from corner 0 to corner 0, all eleven axes come from n.w, n.F1, n.F2, m.w,
 * m.E1, m.E2 and the four determinants |E1 F1 w| ... |E2 F2 w| (docs/notes/hierarchies.md).
 * `reach` and `rounding` are lengths. */
static inline unsigned test_facet(const facet_list *a, int i, const facets *b, unsigned want, float reach,
                                  float rounding)
{
    const lanes zero = v_all(0);
    const lanes nx = v_all(a->n[0][i]), ny = v_all(a->n[1][i]), nz = v_all(a->n[2][i]);
    const lanes ex = v_all(a->e[0][i]), ey = v_all(a->e[1][i]), ez = v_all(a->e[2][i]);
    const lanes fx = v_all(a->f[0][i]), fy = v_all(a->f[1][i]), fz = v_all(a->f[2][i]);
    const lanes wx = v_sub(b->p[0], v_all(a->p[0][i])), wy = v_sub(b->p[1], v_all(a->p[1][i])),
                wz = v_sub(b->p[2], v_all(a->p[2][i]));
    /* The plane of the one. */
    const lanes nw = v_dot(nx, wx, ny, wy, nz, wz);
    const lanes n1 = v_dot(nx, b->e[0], ny, b->e[1], nz, b->e[2]);
    const lanes n2 = v_dot(nx, b->f[0], ny, b->f[1], nz, b->f[2]);
    const lanes side = v_all(a->side[i]);
    const lanes margin_n = v_all(reach * a->area[i] + rounding * a->side[i] * a->side[i]);
    choice out = apart(nw, zero, zero, v_min(zero, v_min(n1, n2)), v_max(zero, v_max(n1, n2)), margin_n);
    /* The planes of the others. */
    const lanes mw = v_dot(b->n[0], wx, b->n[1], wy, b->n[2], wz);
    const lanes m1 = v_dot(b->n[0], ex, b->n[1], ey, b->n[2], ez);
    const lanes m2 = v_dot(b->n[0], fx, b->n[1], fy, b->n[2], fz);
    const lanes margin_m = v_madd(v_all(reach), b->area, v_mul(v_all(rounding), v_mul(b->side, b->side)));
    out = v_either(out,
                   apart(mw, v_min(zero, v_min(m1, m2)), v_max(zero, v_max(m1, m2)), zero, zero, margin_m));
    if (!(want & ~v_bits(out)))
        return 0;
    /* The products of sides. */
    const lanes gx = v_det(b->e[1], b->e[2], wy, wz), gy = v_det(b->e[2], b->e[0], wz, wx),
                gz = v_det(b->e[0], b->e[1], wx, wy);
    const lanes hx = v_det(b->f[1], b->f[2], wy, wz), hy = v_det(b->f[2], b->f[0], wz, wx),
                hz = v_det(b->f[0], b->f[1], wx, wy);
    lanes x[3][3];
    x[0][0] = v_dot(ex, gx, ey, gy, ez, gz);
    x[1][0] = v_dot(fx, gx, fy, gy, fz, gz);
    x[0][1] = v_dot(ex, hx, ey, hy, ez, hz);
    x[1][1] = v_dot(fx, hx, fy, hy, fz, hz);
    x[2][0] = v_sub(v_sub(x[1][0], x[0][0]), n1);
    x[2][1] = v_sub(v_sub(x[1][1], x[0][1]), n2);
    x[0][2] = v_sub(v_sub(x[0][1], x[0][0]), m1);
    x[1][2] = v_sub(v_sub(x[1][1], x[1][0]), m2);
    const lanes n3 = v_sub(n2, n1), m3 = v_sub(m2, m1);
    x[2][2] = v_sub(v_sub(x[2][1], x[2][0]), m3);
    /* Where the third corners are: of the one at -n.F, n.F, -n.F from sides 1, 2, 3; of the
     * others at m.E, -m.E, m.E. */
    const lanes alpha[3] = { n1, n2, n3 }, beta[3] = { m1, m2, m3 };
    const lanes margin = v_mul(v_all(reach + rounding), v_mul(side, b->side));
    for (int j = 0; j < 3; ++j) {
        const lanes low = v_min(alpha[j], zero), high = v_max(alpha[j], zero);
        for (int e = 0; e < 3; ++e) {
            const lanes b_low = v_min(beta[e], zero), b_high = v_max(beta[e], zero);
            const lanes a_low = e == 1 ? low : v_sub(zero, high), a_high = e == 1 ? high : v_sub(zero, low);
            out = v_either(
                out, j == 1 ? apart(x[e][j], a_low, a_high, v_sub(zero, b_high), v_sub(zero, b_low), margin)
                            : apart(x[e][j], a_low, a_high, b_low, b_high, margin));
        }
    }
    return want & ~v_bits(out);
}

/* Distances of triangle i of the list and eight others are at least this. By the boxes along the
 * axes of the frame and both planes; then by steps of Frank and Wolfe's method for the point v
 * nearest to zero of the difference of the triangles, each of which gives an axis. */
static inline lanes near_facet(const facet_list *a, int i, const facets *b, unsigned want, float limit,
                               float rounding)
{
    const lanes zero = v_all(0), third = v_all(1.0F / 3);
    lanes w[3], v[3], e[3], f[3], square = zero;
    lanes nw = zero, n1 = zero, n2 = zero, mw = zero, m1 = zero, m2 = zero;
    for (int k = 0; k < 3; ++k) {
        w[k] = v_sub(b->p[k], v_all(a->p[k][i]));
        e[k] = v_all(a->e[k][i]);
        f[k] = v_all(a->f[k][i]);
        const lanes low = v_min(zero, v_min(e[k], f[k])), high = v_max(zero, v_max(e[k], f[k]));
        const lanes b_low = v_add(w[k], v_min(zero, v_min(b->e[k], b->f[k])));
        const lanes b_high = v_add(w[k], v_max(zero, v_max(b->e[k], b->f[k])));
        const lanes gap = v_max(v_max(v_sub(b_low, high), v_sub(low, b_high)), zero);
        square = v_madd(gap, gap, square);
        const lanes n = v_all(a->n[k][i]);
        nw = v_madd(n, w[k], nw);
        n1 = v_madd(n, b->e[k], n1);
        n2 = v_madd(n, b->f[k], n2);
        mw = v_madd(b->n[k], w[k], mw);
        m1 = v_madd(b->n[k], e[k], m1);
        m2 = v_madd(b->n[k], f[k], m2);
        v[k] = v_madd(third, v_sub(v_add(b->e[k], b->f[k]), v_add(e[k], f[k])), w[k]);
    }
    const lanes gap_n =
        v_max(v_add(nw, v_min(zero, v_min(n1, n2))), v_sub(zero, v_add(nw, v_max(zero, v_max(n1, n2)))));
    const lanes gap_m = v_max(v_sub(mw, v_max(zero, v_max(m1, m2))), v_sub(v_min(zero, v_min(m1, m2)), mw));
    const lanes by_n = v_div(v_sub(gap_n, v_all(rounding * a->side[i] * a->side[i])), v_all(a->area[i]));
    const lanes by_m = v_div(v_sub(gap_m, v_mul(v_all(rounding), v_mul(b->side, b->side))), b->area);
    lanes low = v_max(v_max(by_n, by_m), v_sqrt(square));
    const lanes enough = v_all(limit + rounding);
    for (int step = 0; step < STEPS_TRI && (want & ~v_bits(v_above(low, enough))); ++step) {
        /* The corner of the one that is furthest along v, and of the other that is least far. */
        const lanes ae = v_dot(v[0], e[0], v[1], e[1], v[2], e[2]),
                    af = v_dot(v[0], f[0], v[1], f[1], v[2], f[2]);
        const lanes be = v_dot(v[0], b->e[0], v[1], b->e[1], v[2], b->e[2]),
                    bf = v_dot(v[0], b->f[0], v[1], b->f[1], v[2], b->f[2]);
        const lanes vw = v_dot(v[0], w[0], v[1], w[1], v[2], w[2]),
                    vv = v_dot(v[0], v[0], v[1], v[1], v[2], v[2]);
        const lanes vs = v_sub(v_add(vw, v_min(zero, v_min(be, bf))), v_max(zero, v_max(ae, af)));
        low = v_max(low, v_div(vs, v_add(v_sqrt(vv), v_all(0x1p-60F))));
        if (step + 1 == STEPS_TRI)
            break;
        const choice use_af = v_above(af, ae), use_a = v_above(v_max(ae, af), zero);
        const choice use_bf = v_above(be, bf), use_b = v_above(zero, v_min(be, bf));
        lanes d[3];
        for (int k = 0; k < 3; ++k) {
            const lanes from = v_pick(use_a, v_pick(use_af, f[k], e[k]), zero);
            const lanes to = v_pick(use_b, v_pick(use_bf, b->f[k], b->e[k]), zero);
            d[k] = v_sub(v_sub(v_add(w[k], to), from), v[k]);
        }
        const lanes dd = v_add(v_dot(d[0], d[0], d[1], d[1], d[2], d[2]), v_all(0x1p-100F));
        const lanes t = v_min(v_all(1), v_max(zero, v_div(v_sub(vv, vs), dd)));
        for (int k = 0; k < 3; ++k)
            v[k] = v_madd(t, d[k], v[k]);
    }
    return v_sub(low, v_all(rounding));
}

/* ---- triangles and one box ---- */

/* Distances of a box and eight triangles are at least this: by the axes of the box and the
 * planes. */
static inline lanes near_box_facets(const facing *g, const wide_leaf *leaf)
{
    facets t;
    other_facets(g, leaf, &t);
    const lanes zero = v_all(0);
    lanes along = zero, extent = zero, beside[3];
    beyond_own(g, &t, beside);
    for (int i = 0; i < 3; ++i) {
        along = v_madd(t.n[i], t.p[i], along);
        extent = v_madd(v_abs(t.n[i]), v_all(g->half[i]), extent);
    }
    const lanes gap = v_sub(v_sub(v_abs(along), extent), v_mul(v_all(g->rounding), v_mul(t.side, t.side)));
    return v_sub(v_max(length_of(beside), v_div(gap, t.area)), v_all(g->rounding));
}

/* ---- far apart ---- Floats that hold a distance are off by 2^-24 of it, which is more than the
 * sizes of things that are far enough apart. So there the distance of the origins stays a
 * double, and floats only hold what adds to it along the line of the origins: the one axis that
 * counts from far. */

typedef struct far_view {
    double distance; /* of the origins, less what doubles and floats may be off by */
    /* the direction to the other origin, in the own axes and in the other frame */
    float own[3], other[3];
} far_view;

static inline bool is_far(const double d[3], double sizes)
{
    return fabs(d[0]) + fabs(d[1]) + fabs(d[2]) > 256 * sizes;
}

/* own_axes: in the axes of the own box, and not of its tree. */
static inline void examine_far(const wide_view *view, const wide_head *own, const double d[3], double sizes,
                               double slack, far_view *out)
{
    const double distance = sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]);
    const double n[3] = { d[0] / distance, d[1] / distance, d[2] / distance };
    for (int k = 0; k < 3; ++k) {
        out->own[k] =
            (float)n[0] * own->axes[0][k] + (float)n[1] * own->axes[1][k] + (float)n[2] * own->axes[2][k];
        out->other[k] = (float)(view->r[0][k] * n[0] + view->r[1][k] * n[1] + view->r[2][k] * n[2]);
    }
    out->distance = distance * (1 - 0x1p-49) - WIDE_ROUNDING * sizes - slack;
}

/* What the eight boxes add to the distance of the origins, less the own box. */
static inline lanes far_boxes(const wide_view *view, const wide_head *own, const wide_node *node,
                              const far_view *f)
{
    const lanes x = v_all(f->other[0]), y = v_all(f->other[1]), z = v_all(f->other[2]);
    lanes extent = v_all(0);
    for (int j = 0; j < 3; ++j)
        extent = v_madd(v_abs(v_dot(x, v_load(node->axes[j][0]), y, v_load(node->axes[j][1]), z,
                                    v_load(node->axes[j][2]))),
                        v_load(node->half[j]), extent);
    const lanes at =
        v_dot(x, v_load(node->centre[0]), y, v_load(node->centre[1]), z, v_load(node->centre[2]));
    const float own_extent =
        fabsf(f->own[0]) * own->half[0] + fabsf(f->own[1]) * own->half[1] + fabsf(f->own[2]) * own->half[2];
    return v_sub(v_mul(v_all((float)view->k_other), v_sub(at, extent)),
                 v_all((float)view->k_own * own_extent));
}

/* Least (sign 1) or largest (-1, negated) coordinate of eight triangles along a direction in
 * their own axes. */
static inline lanes far_facets(const wide_leaf *leaf, const float n[3], float k)
{
    lanes least = v_all(INFINITY);
    for (int c = 0; c < 3; ++c)
        least = v_min(least, v_dot(v_all(n[0]), v_load(leaf->corner[c][0]), v_all(n[1]),
                                   v_load(leaf->corner[c][1]), v_all(n[2]), v_load(leaf->corner[c][2])));
    return v_mul(v_all(k), least);
}
