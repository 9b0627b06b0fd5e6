/* SPDX-License-Identifier: MIT */
/* Triangles one by one against boxes. Included once for each vector unit.
 *
 * A leaf that is larger than what it is compared with says little: its box is around eight
 * triangles of which the other may be near one, or none. So its triangles are tested against the
 * box of the other, and those that are left go down on their own, each against eight boxes at a
 * time. All is seen in the axes of a box, where the thirteen axes of a box and a triangle need
 * few numbers (Akenine-Moller, Fast 3D triangle-box overlap testing, 2001). */
#include "bvh/wide_test.h"

/* Reference of a triangle: the number of its leaf, its place there, and the highest bit. Leaves
 * are fewer than 2^28. */
#define SINGLE 0x80000000U
enum { SINGLE_SHIFT = 28 };

/* A leaf is taken apart where it is so much larger; measured. */
#define APART 1.5

static inline bool is_single(uint32_t ref)
{
    return (ref & SINGLE) != 0;
}

static inline uint32_t single_leaf(uint32_t ref)
{
    return ref & ((1U << SINGLE_SHIFT) - 1);
}

static inline int single_lane(uint32_t ref)
{
    return (int)(ref >> SINGLE_SHIFT & 7);
}

/* Bits of the triangles that may be nearer to the boxes than the reach, lane by lane; t is in
 * the axes of the boxes. *gap: how far apart they are, more or less. With E x p for a side E and
 * a corner p, and n = e x f, the other corners are at n or -n from there. */
static inline unsigned test_facet_boxes(const facets *t, const lanes half[3], unsigned want, float reach,
                                        float rounding, lanes *gap)
{
    lanes most = beyond(t->p[0], t->e[0], t->f[0], half[0]);
    lanes along = v_mul(t->n[0], t->p[0]), extent = v_mul(v_abs(t->n[0]), half[0]);
    for (int i = 1; i < 3; ++i) {
        most = v_max(most, beyond(t->p[i], t->e[i], t->f[i], half[i]));
        along = v_madd(t->n[i], t->p[i], along);
        extent = v_madd(v_abs(t->n[i]), half[i], extent);
    }
    *gap = most;
    const lanes flat = v_madd(v_all(reach), t->area, v_mul(v_all(rounding), v_mul(t->side, t->side)));
    choice out = v_either(v_above(most, v_all(reach + rounding)), v_above(v_sub(v_abs(along), extent), flat));
    if (!(want & ~v_bits(out)))
        return 0;
    const lanes zero = v_all(0), margin = v_mul(v_all(reach + rounding), t->side);
    for (int i = 0; i < 3; ++i) {
        const int k = (i + 1) % 3, l = (i + 2) % 3;
        const lanes s = v_det(t->e[k], t->e[l], t->p[k], t->p[l]), n = t->n[i];
        const lanes u = v_det(t->f[k], t->f[l], t->p[k], t->p[l]), g = v_sub(u, s);
        const lanes low = v_min(zero, n), high = v_max(zero, n);
        const lanes ek = v_abs(t->e[k]), el = v_abs(t->e[l]), fk = v_abs(t->f[k]), fl = v_abs(t->f[l]);
        const lanes gk = v_abs(v_sub(t->f[k], t->e[k])), gl = v_abs(v_sub(t->f[l], t->e[l]));
        /* From the base to 0 and n, 0 and -n, 0 and -n. */
        const lanes by_e = v_max(v_add(s, low), v_sub(zero, v_add(s, high)));
        const lanes by_f = v_max(v_sub(u, high), v_sub(low, u)), by_g = v_max(v_sub(g, high), v_sub(low, g));
        out = v_either(out, v_above(v_sub(by_e, v_madd(half[k], el, v_mul(half[l], ek))), margin));
        out = v_either(out, v_above(v_sub(by_f, v_madd(half[k], fl, v_mul(half[l], fk))), margin));
        out = v_either(out, v_above(v_sub(by_g, v_madd(half[k], gl, v_mul(half[l], gk))), margin));
    }
    return want & ~v_bits(out);
}

/* Distances of triangles and boxes are at least this: by the axes of the box, the plane, and
 * steps of Frank and Wolfe's method as for two boxes. */
static inline lanes near_facet_boxes(const facets *t, const lanes half[3], float rounding)
{
    const lanes zero = v_all(0), third = v_all(1.0F / 3);
    lanes along = zero, extent = zero, beside[3], v[3], most = v_all(-INFINITY);
    for (int i = 0; i < 3; ++i) {
        beside[i] = beyond(t->p[i], t->e[i], t->f[i], half[i]);
        most = v_max(most, beside[i]);
        along = v_madd(t->n[i], t->p[i], along);
        extent = v_madd(v_abs(t->n[i]), half[i], extent);
        v[i] = v_madd(third, v_add(t->e[i], t->f[i]), t->p[i]);
    }
    const lanes flat = v_sub(v_sub(v_abs(along), extent), v_mul(v_all(rounding), v_mul(t->side, t->side)));
    /* Where they overlap, by how much: they are opened in this order. */
    lanes low = v_max(v_pick(v_above(most, zero), length_of(beside), most), v_div(flat, t->area));
    for (int step = 0; step < STEPS_SINGLE; ++step) {
        const lanes ve = v_dot(v[0], t->e[0], v[1], t->e[1], v[2], t->e[2]);
        const lanes vf = v_dot(v[0], t->f[0], v[1], t->f[1], v[2], t->f[2]);
        const choice use_f = v_above(ve, vf), use = v_above(zero, v_min(ve, vf));
        lanes to[3], vv = zero, vs = zero;
        for (int i = 0; i < 3; ++i) {
            const lanes corner = v_add(t->p[i], v_pick(use, v_pick(use_f, t->f[i], t->e[i]), zero));
            to[i] = v_sub(corner, v_signed(half[i], v[i]));
            vv = v_madd(v[i], v[i], vv);
            vs = v_madd(v[i], to[i], vs);
        }
        low = v_max(low, v_div(vs, v_add(v_sqrt(vv), v_all(0x1p-60F))));
        if (step + 1 == STEPS_SINGLE)
            break;
        lanes d[3], dd = v_all(0x1p-100F);
        for (int i = 0; i < 3; ++i) {
            d[i] = v_sub(to[i], v[i]);
            dd = v_madd(d[i], d[i], dd);
        }
        const lanes by = v_min(v_all(1), v_max(zero, v_div(v_sub(vv, vs), dd)));
        for (int i = 0; i < 3; ++i)
            v[i] = v_madd(by, d[i], v[i]);
    }
    return v_sub(low, v_all(rounding));
}

/* The triangles of a leaf in the axes of a box. */
static inline void see_facets(const facing *g, const wide_leaf *leaf, facets *t, lanes half[3])
{
    other_facets(g, leaf, t);
    for (int i = 0; i < 3; ++i)
        half[i] = v_all(g->half[i]);
}

/* One triangle of a leaf, in the axes of its box, in the lane where it is. */
static inline void list_single(const wide_leaf *leaf, int lane, float scale, facet_list *out)
{
    float ee = 0, ff = 0, nn = 0, e[3], f[3];
    for (int k = 0; k < 3; ++k) {
        const float p = scale * leaf->corner[0][k][lane];
        e[k] = scale * leaf->corner[1][k][lane] - p;
        f[k] = scale * leaf->corner[2][k][lane] - p;
        ee += e[k] * e[k];
        ff += f[k] * f[k];
        out->p[k][lane] = p;
        out->e[k][lane] = e[k];
        out->f[k][lane] = f[k];
    }
    for (int k = 0; k < 3; ++k) {
        const float n = e[(k + 1) % 3] * f[(k + 2) % 3] - e[(k + 2) % 3] * f[(k + 1) % 3];
        nn += n * n;
        out->n[k][lane] = n;
    }
    out->side[lane] = sqrtf(ee) + sqrtf(ff) + 0x1p-60F;
    out->area[lane] = sqrtf(nn) + 0x1p-60F;
}

/* One triangle in the axes of each of the eight boxes of a node. */
static inline void see_single(const wide_view *view, const wide_leaf *leaf, int lane, const wide_node *node,
                              double slack, facets *t, lanes half[3], double *unit, float *rounding)
{
    double d[3];
    origin_difference(view, &leaf->head, &node->head, d);
    *unit = unit_of(size_of(view, &leaf->head, &node->head, d));
    const seen s = see_in(view, &leaf->head, &node->head, d, *unit);
    boxes b;
    see_boxes(&s, node, &b);
    facet_list one;
    list_single(leaf, lane, (float)(*unit * view->k_own), &one);
    lanes p[3], e[3], f[3], n[3];
    for (int i = 0; i < 3; ++i) {
        p[i] = v_sub(v_all(one.p[i][lane]), b.t[i]);
        e[i] = v_all(one.e[i][lane]);
        f[i] = v_all(one.f[i][lane]);
        n[i] = v_all(one.n[i][lane]);
    }
    for (int j = 0; j < 3; ++j) {
        t->p[j] = v_dot(p[0], b.r[0][j], p[1], b.r[1][j], p[2], b.r[2][j]);
        t->e[j] = v_dot(e[0], b.r[0][j], e[1], b.r[1][j], e[2], b.r[2][j]);
        t->f[j] = v_dot(f[0], b.r[0][j], f[1], b.r[1][j], f[2], b.r[2][j]);
        t->n[j] = v_dot(n[0], b.r[0][j], n[1], b.r[1][j], n[2], b.r[2][j]);
        half[j] = b.q[j];
    }
    t->side = v_all(one.side[lane]);
    t->area = v_all(one.area[lane]);
    *rounding = (float)(*unit * slack + WIDE_ROUNDING * s.size);
}
