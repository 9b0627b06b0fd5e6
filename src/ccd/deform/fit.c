/* SPDX-License-Identifier: MIT */
/* Boxes and direction masks of all regions, from the positions of a step: the triangles first,
 * then upward. One pass over an array.
 *
 * A triangle's normal e1 x e2 is a quadratic in time. Bit i of its mask is set where the dot
 * products of direction i with the three Bernstein coefficients of the normal are positive: then
 * it is positive at all times. Errors: with s the greatest sum of the sizes of the coordinates of
 * an edge, products of edges are at most s^2, an entry of a coefficient is off by 12 u s^2 (edges
 * 1, products 3, sums), a dot product adds three of these and rounds twice: below 48 u s^2 = 2^-47.4
 * s^2. The margin is 2^-46 s^2 and, for products that underflow, 2^-1000. */
#include "ccd/deform/deform.h"

#include <math.h>

const int8_t abut_deform_direction[ABUT_DEFORM_DIRECTIONS][3] = {
    { 1, 0, 0 },   { 0, 1, 0 },  { 0, 0, 1 },    { 1, 1, 0 },   { 1, -1, 0 },  { 1, 0, 1 },   { 1, 0, -1 },
    { 0, 1, 1 },   { 0, 1, -1 }, { 1, 1, 1 },    { 1, 1, -1 },  { 1, -1, 1 },  { -1, 1, 1 },

    { -1, 0, 0 },  { 0, -1, 0 }, { 0, 0, -1 },   { -1, -1, 0 }, { -1, 1, 0 },  { -1, 0, -1 }, { -1, 0, 1 },
    { 0, -1, -1 }, { 0, -1, 1 }, { -1, -1, -1 }, { -1, -1, 1 }, { -1, 1, -1 }, { 1, -1, -1 }
};

static inline void cross(const double a[3], const double b[3], double n[3])
{
    n[0] = a[1] * b[2] - a[2] * b[1];
    n[1] = a[2] * b[0] - a[0] * b[2];
    n[2] = a[0] * b[1] - a[1] * b[0];
}

static inline void dots(const double n[3], double d[13])
{
    const double x = n[0], y = n[1], z = n[2], s = x + y, m = x - y;
    d[0] = x;
    d[1] = y;
    d[2] = z;
    d[3] = s;
    d[4] = m;
    d[5] = x + z;
    d[6] = x - z;
    d[7] = y + z;
    d[8] = y - z;
    d[9] = s + z;
    d[10] = s - z;
    d[11] = m + z;
    d[12] = z - m;
}

static uint32_t mask_of(const abut_deform *m, const uint32_t *c)
{
    double e[2][2][3], size = 0;
    const int ends = m->moves ? 2 : 1;
    for (int w = 0; w < ends; ++w) {
        const abut_vec3 p = m->x[w][c[0]], q = m->x[w][c[1]], r = m->x[w][c[2]];
        double *u = e[w][0], *v = e[w][1];
        u[0] = q.x - p.x;
        u[1] = q.y - p.y;
        u[2] = q.z - p.z;
        v[0] = r.x - p.x;
        v[1] = r.y - p.y;
        v[2] = r.z - p.z;
        const double su = fabs(u[0]) + fabs(u[1]) + fabs(u[2]), sv = fabs(v[0]) + fabs(v[1]) + fabs(v[2]);
        size = su > size ? su : size;
        size = sv > size ? sv : size;
    }
    const double margin = 0x1p-46 * size * size + 0x1p-1000;
    double n[3], lo[13], hi[13], d[13];
    cross(e[0][0], e[0][1], n);
    dots(n, lo);
    for (int i = 0; i < 13; ++i)
        hi[i] = lo[i];
    if (ends == 2) {
        double k[3];
        cross(e[1][0], e[1][1], n);
        dots(n, d);
        for (int i = 0; i < 13; ++i) {
            lo[i] = d[i] < lo[i] ? d[i] : lo[i];
            hi[i] = d[i] > hi[i] ? d[i] : hi[i];
        }
        cross(e[0][0], e[1][1], n);
        cross(e[1][0], e[0][1], k);
        for (int i = 0; i < 3; ++i)
            n[i] = 0.5 * n[i] + 0.5 * k[i];
        dots(n, d);
        for (int i = 0; i < 13; ++i) {
            lo[i] = d[i] < lo[i] ? d[i] : lo[i];
            hi[i] = d[i] > hi[i] ? d[i] : hi[i];
        }
    }
    /* Also NaN, where something overflowed, sets no bit: min and max above may drop one, but not
     * the margin's. */
    uint32_t mask = 0;
    if (!(margin < INFINITY))
        return 0;
    for (int i = 0; i < 13; ++i)
        mask |= (uint32_t)(lo[i] > margin) << i | (uint32_t)(hi[i] < -margin) << (i + 13);
    return mask;
}

static inline void widen(double lo[3], double hi[3], const abut_vec3 *p)
{
    lo[0] = p->x < lo[0] ? p->x : lo[0];
    hi[0] = p->x > hi[0] ? p->x : hi[0];
    lo[1] = p->y < lo[1] ? p->y : lo[1];
    hi[1] = p->y > hi[1] ? p->y : hi[1];
    lo[2] = p->z < lo[2] ? p->z : lo[2];
    hi[2] = p->z > hi[2] ? p->z : hi[2];
}

static void fit_triangle(abut_deform *m, abut_deform_node *node, bool masks)
{
    const uint32_t *c = m->triangles + 3 * (size_t)abut_deform_first_child(node);
    double lo[3] = { INFINITY, INFINITY, INFINITY }, hi[3] = { -INFINITY, -INFINITY, -INFINITY };
    for (int w = 0; w < (m->moves ? 2 : 1); ++w)
        for (int i = 0; i < 3; ++i)
            widen(lo, hi, &m->x[w][c[i]]);
    for (int k = 0; k < 3; ++k) { /* blur is above 2^-50 of the coordinates, or zero */
        node->lo[k] = lo[k] - 1.5 * m->blur[k];
        node->hi[k] = hi[k] + 1.5 * m->blur[k];
    }
    node->mask = masks ? mask_of(m, c) : 0;
}

void abut_deform_fit(abut_deform *m, bool masks)
{
    m->has_masks = masks;
    for (size_t i = m->node_count; i-- > 0;) {
        abut_deform_node *node = &m->nodes[i];
        const uint32_t count = abut_deform_child_count(node);
        if (!count) {
            fit_triangle(m, node, masks);
            continue;
        }
        const abut_deform_node *child = &m->nodes[abut_deform_first_child(node)];
        *node = (abut_deform_node){ .child = node->child, .mask = child->mask };
        for (int k = 0; k < 3; ++k) {
            node->lo[k] = child->lo[k];
            node->hi[k] = child->hi[k];
        }
        for (uint32_t j = 1; j < count; ++j) {
            ++child;
            node->mask &= child->mask;
            for (int k = 0; k < 3; ++k) {
                node->lo[k] = child->lo[k] < node->lo[k] ? child->lo[k] : node->lo[k];
                node->hi[k] = child->hi[k] > node->hi[k] ? child->hi[k] : node->hi[k];
            }
        }
    }
}
