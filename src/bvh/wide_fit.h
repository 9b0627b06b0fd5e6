/* SPDX-License-Identifier: MIT */
/* Boxes of a wide tree, bottom up: for a new tree and for one whose vertices have moved. Included
 * once for each vector unit.
 *
 * The axes of a box are those of the scatter of the corners below it; scatters of children add
 * up to that of the parent, and eight are diagonalised at a time by Jacobi's rotations. Sizes
 * come from projecting all corners below. The method of Gottschalk, Lin and Manocha (OBBTree,
 * 1996), but in O(n log n) altogether. Axes may be anything that is orthonormal to a few units
 * in the last place: only speed hangs on them. */
#include "bvh/wide.h"
#include "bvh/wide_lanes.h"

#include <float.h>

/* Levels of nodes whose boxes are fitted to corners; leaves are level 0. */
enum { EXACT_LEVELS = 2 };

typedef struct moments {
    double mean[3];
    float weight, scatter[6]; /* xx xy xz yy yz zz, about the mean, divided by the weight */
} moments;

typedef double point4 __attribute__((vector_size(32)));

/* Four points from the origin, coordinate by coordinate. */
static inline void turn_points(const point4 *points, const point4 *origin, float *x, float *y, float *z)
{
    float row[4][4];
    for (int i = 0; i < 4; ++i) {
        const point4 d = points[i] - *origin;
        for (int k = 0; k < 4; ++k)
            row[i][k] = (float)d[k];
    }
    for (int i = 0; i < 4; ++i) {
        x[i] = row[i][0];
        y[i] = row[i][1];
        z[i] = row[i][2];
    }
}

/* Corners of a leaf, from their mean. */
static void fit_corners(const abut_wide *tree, const abut_bvh_def *def, double scale, wide_leaf *leaf)
{
    const point4 centre = { tree->centre.x, tree->centre.y, tree->centre.z, 0 };
    point4 at[3][WIDE], sum = { 0 };
    for (uint32_t i = 0; i < WIDE; ++i) {
        const uint32_t *index = def->triangles + 3 * (size_t)leaf->id[i];
        for (int c = 0; c < 3; ++c) {
            const abut_vec3 v = def->vertices[index[c]];
            at[c][i] = ((point4){ v.x, v.y, v.z, 0 } - centre) * scale;
            sum += at[c][i];
        }
    }
    const point4 origin = sum * (1.0 / 24);
    for (int k = 0; k < 3; ++k)
        leaf->head.origin[k] = origin[k];
    for (int c = 0; c < 3; ++c)
        for (int i = 0; i < WIDE; i += 4)
            turn_points(&at[c][i], &origin, leaf->corner[c][0] + i, leaf->corner[c][1] + i,
                        leaf->corner[c][2] + i);
}

static moments leaf_moments(const wide_leaf *leaf)
{
    moments m = { { leaf->head.origin[0], leaf->head.origin[1], leaf->head.origin[2] },
                  (float)leaf->head.count,
                  { 0 } };
    for (int k = 0, n = 0; k < 3; ++k)
        for (int l = k; l < 3; ++l, ++n) {
            lanes s = v_mul(v_load(leaf->corner[0][k]), v_load(leaf->corner[0][l]));
            s = v_madd(v_load(leaf->corner[1][k]), v_load(leaf->corner[1][l]), s);
            s = v_madd(v_load(leaf->corner[2][k]), v_load(leaf->corner[2][l]), s);
            m.scatter[n] = v_sum(s) * (1.0F / 24);
        }
    return m;
}

static moments merge_moments(const moments *m, uint32_t count)
{
    moments out = { 0 };
    for (uint32_t i = 0; i < count; ++i) {
        out.weight += m[i].weight;
        for (int k = 0; k < 3; ++k)
            out.mean[k] += m[i].weight * m[i].mean[k];
    }
    for (int k = 0; k < 3; ++k)
        out.mean[k] /= out.weight;
    for (uint32_t i = 0; i < count; ++i) {
        const float part = m[i].weight / out.weight;
        float d[3];
        for (int k = 0; k < 3; ++k)
            d[k] = (float)(m[i].mean[k] - out.mean[k]);
        for (int k = 0, n = 0; k < 3; ++k)
            for (int l = k; l < 3; ++l, ++n)
                out.scatter[n] += part * (m[i].scatter[n] + d[k] * d[l]);
    }
    return out;
}

/* One rotation of Jacobi's method in the plane (p, q); r is the third axis. tan of the angle is
 * the smaller root of t^2 + 2 tau t - 1 = 0, tau = (aqq - app) / (2 apq), written so that
 * nothing divides by zero. */
static inline void jacobi_turn(lanes *app, lanes *aqq, lanes *apq, lanes *arp, lanes *arq, lanes vp[3],
                               lanes vq[3])
{
    const lanes one = v_all(1), tiny = v_all(0x1p-100F);
    const lanes gap = v_sub(*aqq, *app), twice = v_add(*apq, *apq);
    const lanes root = v_sqrt(v_madd(gap, gap, v_mul(twice, twice)));
    const lanes size = v_add(v_add(v_abs(gap), root), tiny);
    const lanes t = v_mul(v_div(twice, size), v_sign(gap));
    const lanes c = v_div(one, v_sqrt(v_madd(t, t, one))), s = v_mul(t, c);
    const lanes shift = v_mul(t, *apq);
    *app = v_sub(*app, shift);
    *aqq = v_add(*aqq, shift);
    *apq = v_all(0);
    const lanes rp = *arp, rq = *arq;
    *arp = v_msub(c, rp, v_mul(s, rq));
    *arq = v_madd(s, rp, v_mul(c, rq));
    for (int k = 0; k < 3; ++k) {
        const lanes x = vp[k], y = vq[k];
        vp[k] = v_msub(c, x, v_mul(s, y));
        vq[k] = v_madd(s, x, v_mul(c, y));
    }
}

/* axes[i][k]: coordinate k of eigenvector i, made orthonormal to 4 units in the last place once
 * more at the end. */
static void jacobi(const moments *m, uint32_t count, float axes[3][3][WIDE])
{
    float in[6][WIDE];
    for (uint32_t i = 0; i < WIDE; ++i) {
        const float *s = m[i < count ? i : count - 1].scatter;
        const float trace = s[0] + s[3] + s[5], scale = trace > 0x1p-80F ? 1 / trace : 0;
        for (int n = 0; n < 6; ++n)
            in[n][i] = scale * s[n];
    }
    lanes xx = v_load(in[0]), xy = v_load(in[1]), xz = v_load(in[2]), yy = v_load(in[3]), yz = v_load(in[4]),
          zz = v_load(in[5]);
    const lanes zero = v_all(0), one = v_all(1);
    lanes v[3][3] = { { one, zero, zero }, { zero, one, zero }, { zero, zero, one } };
    for (int sweep = 0; sweep < 3; ++sweep) {
        jacobi_turn(&xx, &yy, &xy, &xz, &yz, v[0], v[1]);
        jacobi_turn(&xx, &zz, &xz, &xy, &yz, v[0], v[2]);
        jacobi_turn(&yy, &zz, &yz, &xy, &xz, v[1], v[2]);
    }
    lanes *a = v[0], *b = v[1], *c = v[2];
    const lanes length = v_div(one, v_sqrt(v_dot(a[0], a[0], a[1], a[1], a[2], a[2])));
    for (int k = 0; k < 3; ++k)
        a[k] = v_mul(length, a[k]);
    const lanes along = v_dot(a[0], b[0], a[1], b[1], a[2], b[2]);
    for (int k = 0; k < 3; ++k)
        b[k] = v_sub(b[k], v_mul(along, a[k]));
    const lanes length_b = v_div(one, v_sqrt(v_dot(b[0], b[0], b[1], b[1], b[2], b[2])));
    for (int k = 0; k < 3; ++k)
        b[k] = v_mul(length_b, b[k]);
    for (int k = 0; k < 3; ++k) {
        const int l = (k + 1) % 3, o = (k + 2) % 3;
        c[k] = v_det(a[l], a[o], b[l], b[o]);
    }
    for (int i = 0; i < 3; ++i)
        for (int k = 0; k < 3; ++k)
            v_store(axes[i][k], v[i][k]);
}

/* The corners of the leaves [begin, end) along the axes, from `from`. Leaves have their boxes
 * already. */
static void project(const abut_wide *tree, uint32_t begin, uint32_t end, float axes[3][3],
                    const double from[3], float lo[3], float hi[3])
{
    lanes low[3], high[3];
    for (int i = 0; i < 3; ++i) {
        low[i] = v_all(FLT_MAX);
        high[i] = v_all(-FLT_MAX);
    }
    for (uint32_t j = begin; j < end; ++j) {
        const wide_leaf *leaf = &tree->leaves[j];
        const wide_head *head = &leaf->head;
        const float x = (float)(head->origin[0] - from[0]), y = (float)(head->origin[1] - from[1]),
                    z = (float)(head->origin[2] - from[2]);
        for (int i = 0; i < 3; ++i) {
            const lanes at = v_all(axes[i][0] * x + axes[i][1] * y + axes[i][2] * z);
            lanes turned[3];
            for (int k = 0; k < 3; ++k)
                turned[k] = v_all(axes[i][0] * head->axes[0][k] + axes[i][1] * head->axes[1][k] +
                                  axes[i][2] * head->axes[2][k]);
            for (int c = 0; c < 3; ++c) {
                lanes p = v_madd(turned[0], v_load(leaf->corner[c][0]), at);
                p = v_madd(turned[1], v_load(leaf->corner[c][1]), p);
                p = v_madd(turned[2], v_load(leaf->corner[c][2]), p);
                low[i] = v_min(low[i], p);
                high[i] = v_max(high[i], p);
            }
        }
    }
    for (int i = 0; i < 3; ++i) {
        lo[i] = v_least(low[i]);
        hi[i] = v_most(high[i]);
    }
}

/* The same for a node above EXACT_LEVELS, from the boxes two levels below it: 64 times fewer
 * numbers, and boxes that are an eighth as large as this one stick out little. */
static void project_boxes(const abut_wide *tree, const wide_node *node, float axes[3][3],
                          const double from[3], float lo[3], float hi[3])
{
    lanes low[3], high[3];
    for (int i = 0; i < 3; ++i) {
        low[i] = v_all(FLT_MAX);
        high[i] = v_all(-FLT_MAX);
    }
    for (uint32_t n = 0; n < node->head.count; ++n) {
        const wide_node *child = wide_node_of(tree, node->first + n);
        const double *o = child->head.origin;
        const float x = (float)(o[0] - from[0]), y = (float)(o[1] - from[1]), z = (float)(o[2] - from[2]);
        for (int i = 0; i < 3; ++i) {
            const lanes ax = v_all(axes[i][0]), ay = v_all(axes[i][1]), az = v_all(axes[i][2]);
            const lanes at = v_all(axes[i][0] * x + axes[i][1] * y + axes[i][2] * z);
            const lanes middle = v_add(at, v_dot(ax, v_load(child->centre[0]), ay, v_load(child->centre[1]),
                                                 az, v_load(child->centre[2])));
            lanes extent = v_all(0);
            for (int j = 0; j < 3; ++j)
                extent = v_madd(v_abs(v_dot(ax, v_load(child->axes[j][0]), ay, v_load(child->axes[j][1]), az,
                                            v_load(child->axes[j][2]))),
                                v_load(child->half[j]), extent);
            low[i] = v_min(low[i], v_sub(middle, extent));
            high[i] = v_max(high[i], v_add(middle, extent));
        }
    }
    for (int i = 0; i < 3; ++i) {
        lo[i] = v_least(low[i]);
        hi[i] = v_most(high[i]);
    }
}

/* The corners of one leaf in its axes. */
static void turn_leaf(wide_leaf *leaf, float axes[3][3], float lo[3], float hi[3])
{
    lanes low[3], high[3];
    for (int c = 0; c < 3; ++c) {
        const lanes x = v_load(leaf->corner[c][0]), y = v_load(leaf->corner[c][1]),
                    z = v_load(leaf->corner[c][2]);
        for (int i = 0; i < 3; ++i) {
            const lanes p = v_dot(v_all(axes[i][0]), x, v_all(axes[i][1]), y, v_all(axes[i][2]), z);
            low[i] = c ? v_min(low[i], p) : p;
            high[i] = c ? v_max(high[i], p) : p;
            v_store(leaf->corner[c][i], p);
        }
    }
    for (int i = 0; i < 3; ++i) {
        lo[i] = v_least(low[i]);
        hi[i] = v_most(high[i]);
    }
}

/* Where the children are; and the radius is to hold their boxes too, which may stick out of that
 * of the node. */
static void centre_node(const abut_wide *tree, wide_node *node)
{
    for (uint32_t i = 0; i < WIDE; ++i) {
        const wide_head *child = wide_head_of(tree, node->first + (i < node->head.count ? i : 0));
        float square = 0;
        for (int k = 0; k < 3; ++k) {
            node->centre[k][i] = (float)(child->origin[k] - node->head.origin[k]);
            square += node->centre[k][i] * node->centre[k][i];
        }
        const float reach = (sqrtf(square) + child->radius) * (1 + 0x1p-20F) + 0x1p-60F;
        node->head.radius = node->head.radius > reach ? node->head.radius : reach;
    }
}

/* The box of one thing with given axes. What is projected is off by less than 2^-16 times the
 * sum of the largest coordinates found (docs/notes/hierarchies.md). */
static void fit_box(abut_wide *tree, uint32_t ref, int level, float axes[3][3], const moments *m)
{
    wide_head *head = wide_head_of(tree, ref);
    const bool leaf = wide_is_leaf(tree, ref);
    float lo[3], hi[3], shift[3] = { 0 }, reach = 0, square = 0;
    if (leaf) {
        turn_leaf(&tree->leaves[ref], axes, lo, hi);
    } else if (level > EXACT_LEVELS) {
        project_boxes(tree, wide_node_of(tree, ref), axes, m->mean, lo, hi);
    } else {
        const uint32_t begin = (ref - tree->level_begin[level]) << (3 * level), more = 1U << (3 * level);
        project(tree, begin, more < tree->leaf_count - begin ? begin + more : tree->leaf_count, axes, m->mean,
                lo, hi);
    }
    for (int i = 0; i < 3; ++i)
        reach += -lo[i] > hi[i] ? -lo[i] : hi[i];
    const float more = reach * 0x1p-16F + 0x1p-120F;
    for (int i = 0; i < 3; ++i) {
        const float middle = 0.5F * (lo[i] + hi[i]);
        head->half[i] = 0.5F * (hi[i] - lo[i]) + more;
        square += head->half[i] * head->half[i];
        for (int k = 0; k < 3; ++k) {
            head->axes[k][i] = axes[i][k];
            shift[k] += middle * axes[i][k];
        }
        for (int c = 0; leaf && c < 3; ++c) {
            float *at = tree->leaves[ref].corner[c][i];
            v_store(at, v_sub(v_load(at), v_all(middle)));
        }
    }
    head->half[3] = 0;
    for (int k = 0; k < 3; ++k)
        head->axes[k][3] = 0;
    head->radius = sqrtf(square) * (1 + 0x1p-20F) + 0x1p-60F;
    for (int k = 0; k < 3; ++k)
        head->origin[k] = (leaf ? head->origin[k] : m->mean[k]) + (double)shift[k];
    if (!leaf)
        centre_node(tree, wide_node_of(tree, ref));
}

/* The boxes of the children of a node, which stand on `level`. */
static void fit_children(abut_wide *tree, wide_node *node, int level, const moments *m)
{
    jacobi(m, node->head.count, node->axes);
    for (uint32_t i = 0; i < WIDE; ++i) {
        const uint32_t from = i < node->head.count ? i : 0;
        if (from == i) {
            float axes[3][3];
            for (int k = 0; k < 9; ++k)
                axes[k / 3][k % 3] = node->axes[k / 3][k % 3][i];
            fit_box(tree, node->first + i, level, axes, &m[i]);
        }
        const wide_head *head = wide_head_of(tree, node->first + from);
        for (int k = 0; k < 3; ++k)
            node->half[k][i] = head->half[k];
        if (from != i)
            for (int k = 0; k < 9; ++k)
                node->axes[k / 3][k % 3][i] = node->axes[k / 3][k % 3][0];
    }
}

/* The corners of leaves are all over the caller's arrays: numbers of vertices are asked for
 * eight leaves ahead, and vertices two. */
static inline void fetch_ahead(const abut_wide *tree, const abut_bvh_def *def, uint32_t i)
{
    const wide_leaf *leaf = &tree->leaves[i];
    for (int k = 0; k < WIDE && i + 8 < tree->leaf_count; ++k)
        __builtin_prefetch(def->triangles + 3 * (size_t)leaf[8].id[k]);
    for (int k = 0; k < WIDE && i + 2 < tree->leaf_count; ++k)
        for (int c = 0; c < 3; ++c)
            __builtin_prefetch(&def->vertices[def->triangles[3 * (size_t)leaf[2].id[k] + (size_t)c]]);
}

static void fit_tree(abut_wide *tree, const abut_bvh_def *def)
{
    moments open[WIDE_LEVELS][WIDE];
    const double scale = ldexp(1, -tree->exponent);
    for (uint32_t i = 0; i < tree->leaf_count; ++i) {
        wide_leaf *leaf = &tree->leaves[i];
        fetch_ahead(tree, def, i);
        fit_corners(tree, def, scale, leaf);
        open[0][i % WIDE] = leaf_moments(leaf);
        /* A group that is full, or the last one, closes the node above it, and so on up. */
        uint32_t place = i, last = tree->leaf_count - 1;
        for (int level = 0; level + 1 < tree->levels && (place % WIDE == WIDE - 1 || place == last);
             ++level) {
            place /= WIDE;
            last /= WIDE;
            wide_node *node = wide_node_of(tree, tree->level_begin[level + 1] + place);
            fit_children(tree, node, level, open[level]);
            open[level + 1][place % WIDE] = merge_moments(open[level], node->head.count);
        }
    }
    float lanes_of[3][3][WIDE], axes[3][3];
    const moments *top = &open[tree->levels - 1][0];
    jacobi(top, 1, lanes_of);
    for (int k = 0; k < 9; ++k)
        axes[k / 3][k % 3] = lanes_of[k / 3][k % 3][0];
    fit_box(tree, tree->root, tree->levels - 1, axes, top);
}
