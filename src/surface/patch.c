/* SPDX-License-Identifier: MIT */
/* Enclosures of Bezier patches and their derivatives over boxes of u and v.
 *
 * Method: the patch is cut down to the box by de Casteljau's algorithm, and lies in the hull of the
 * control points of that piece (D. L. Toth, SIGGRAPH 1985); the excess falls with the square of the
 * size. Derivatives are differences of these points; on small boxes, where these would lose their
 * digits, each derivative has a net of its own, made once and cut down likewise. Rational patches
 * do the same in homogeneous coordinates: the value is in the hull of the projected points,
 * derivatives follow by the quotient rule, taken relative to the middle of the value's box so that
 * what is subtracted is small.
 *
 * Rounding: the cuts run in plain doubles, whatever the rounding mode. One step (1 - s) a + s b is
 * off by at most 3 * 2^-52 times the largest coordinate (half of it each from 1 - s, the two
 * products and the sum; 2^-52 because the mode may be upward), and following steps do not make
 * errors grow where s is in [0, 1]; beyond they and the coordinates grow at most by |1 - s| + |s| a
 * step. The sum over all steps is added to the hull. docs/notes/surfaces.md.
 *
 * Surprise: the second cut is at u0 / u1 rounded down, so that the piece may be an ulp longer
 * than the box. */
#include "surface/patch.h"

static inline abut_patch_point between(ia_pair one_minus_s, ia_pair s, const abut_patch_point *a,
                                       const abut_patch_point *b)
{
    return (abut_patch_point){ one_minus_s * a->xy + s * b->xy, one_minus_s * a->zw + s * b->zw };
}

/* A row of n + 1 points, `stride` apart: keeps the part from 0 to s. */
static void keep_left(abut_patch_point *row, int n, int stride, double s)
{
    const ia_pair t = ia_pair_of(s), r = ia_pair_of(1 - s);
    for (int k = 1; k <= n; ++k)
        for (int i = n; i >= k; --i)
            row[i * stride] = between(r, t, &row[(i - 1) * stride], &row[i * stride]);
}

/* Keeps the part from s to 1; the first point is the value at s. */
static void keep_right(abut_patch_point *row, int n, int stride, double s)
{
    const ia_pair t = ia_pair_of(s), r = ia_pair_of(1 - s);
    for (int k = 1; k <= n; ++k)
        for (int i = 0; i <= n - k; ++i)
            row[i * stride] = between(r, t, &row[i * stride], &row[(i + 1) * stride]);
}

/* What one direction of a box asks for. */
typedef struct cut {
    bool point;           /* only the value at `left` */
    double left, right;   /* keep [0, left], then of that [right, 1]; 1 and 0: nothing to do */
    double steps, growth; /* that add errors, and the factor by which a step may enlarge them */
} cut;

static cut plan(ia box)
{
    const double lo = ia_lo(box), hi = ia_hi(box);
    cut c = { false, hi, 0, 1, 1 };
    c.growth = fmax(fabs(hi) + fabs(1 - hi), 1);
    if (lo == hi) {
        c.point = true;
        c.steps = lo != 0 && lo != 1; /* at the ends nothing is rounded */
        return c;
    }
    if (hi > 0 && lo >= -4 * hi) {
        c.right = lo == 0 ? 0 : ia_down(ia_down(lo / hi)); /* lo = right hi */
    } else {                                               /* outside: [lo, 1] will do */
        c.left = 1;
        c.right = lo;
        c.growth = 1;
    }
    c.growth = fmax(c.growth, fabs(c.right) + fabs(1 - c.right));
    c.steps = (c.left != 1) + (c.right != 0);
    return c;
}

static double to_the(double base, int n)
{
    double product = 1;
    for (int i = 0; i < n && base != 1; ++i)
        product *= base;
    return product;
}

static void cut_rows(abut_patch_point *rows, int n, int stride, int count, int row_stride, const cut *c)
{
    for (int j = 0; j < count; ++j) {
        abut_patch_point *row = rows + j * row_stride;
        if (c->point) {
            keep_right(row, n, stride, c->left);
            continue;
        }
        if (c->left != 1)
            keep_left(row, n, stride, c->left);
        if (c->right != 0)
            keep_right(row, n, stride, c->right);
    }
}

/* Points whose hull, times the scale, contains a function over the box, but for the errors of
 * their coordinates. */
typedef struct piece {
    const abut_patch_point *at;
    int rows, columns, stride;
    double error[4];
    ia scale;
    bool scaled;
} piece;

static piece cut_net(const abut_patch_net *net, const cut *u, const cut *v, abut_patch_point *work)
{
    const int m = net->m, n = net->n, stride = m + 1;
    const int columns = u->point ? 1 : m + 1;
    memcpy(work, net->points, (size_t)stride * (size_t)(n + 1) * sizeof *work);
    cut_rows(work, m, 1, n + 1, stride, u);
    cut_rows(work, n, stride, columns, 1, v);
    piece out = { work, v->point ? 1 : n + 1, columns, stride, { 0 }, ia_point(1), false };
    const double grown = to_the(u->growth, 2 * m) * to_the(v->growth, 2 * n);
    const double steps = u->steps * m + v->steps * n;
    for (int i = 0; i < 4; ++i)
        out.error[i] =
            1.01 * grown * (net->error[i] + 3 * 0x1p-52 * steps * grown * net->size[i]) + steps * 0x1p-1070;
    return out;
}

/* One evaluation. */
typedef struct cutting {
    const abut_patch *patch;
    cut u, v;
    abut_patch_point *work, *other; /* the net cut down; room for another */
    piece whole;
    bool wide; /* differences will do */
    ia width[2];
} cutting;

/* Sides from which on differences keep more digits than the box is wide: they are off by about
 * 2^-46 / width of the size, twice that way for second derivatives, where the excess of the hull
 * is about the width. */
static const double wide_enough = 0x1p-10;

static void begin(const abut_patch *patch, const ia box[2], ia *scratch, cutting *c)
{
    const abut_patch_net *net = &patch->net[ABUT_PATCH_P];
    c->patch = patch;
    c->u = plan(box[0]);
    c->v = plan(box[1]);
    c->work = (abut_patch_point *)(void *)scratch;
    c->other = c->work + (size_t)(net->m + 1) * (size_t)(net->n + 1);
    c->whole = cut_net(net, &c->u, &c->v, c->work);
    c->wide = ia_width(box[0]) >= wide_enough && ia_width(box[1]) >= wide_enough;
    /* The piece runs from left right to left. */
    c->width[0] = ia_scale(c->u.left, ia_sub(ia_point(1), ia_point(c->u.right)));
    c->width[1] = ia_scale(c->v.left, ia_sub(ia_point(1), ia_point(c->v.right)));
}

/* Differences of the points of the net cut down: how often by u and by v. The errors at most
 * double with each, and a subtraction adds 2^-52 of a result that is at most 2 or 4 times the
 * largest coordinate. */
static piece difference(const cutting *c, int by_u, int by_v)
{
    const piece *w = &c->whole;
    const abut_patch_net *net = &c->patch->net[ABUT_PATCH_P];
    piece out = *w;
    const int stride = w->stride, step = by_u ? 1 : stride, next = by_v && by_u ? stride : step;
    const bool twice = by_u + by_v == 2;
    out.at = c->other;
    out.columns -= by_u;
    out.rows -= by_v;
    for (int j = 0; j < out.rows; ++j)
        for (int i = 0; i < out.columns; ++i) {
            const abut_patch_point *a = &w->at[j * stride + i];
            abut_patch_point d = { a[step].xy - a->xy, a[step].zw - a->zw };
            if (twice) {
                const abut_patch_point *b = a + next;
                d.xy = (b[step].xy - b->xy) - d.xy;
                d.zw = (b[step].zw - b->zw) - d.zw;
            }
            c->other[j * stride + i] = d;
        }
    const double grown = to_the(c->u.growth, 2 * net->m) * to_the(c->v.growth, 2 * net->n);
    ia scale = ia_point(1);
    for (int k = 0; k < by_u; ++k)
        scale = ia_div(ia_scale(net->m - k, scale), c->width[0]);
    for (int k = 0; k < by_v; ++k)
        scale = ia_div(ia_scale(net->n - k, scale), c->width[1]);
    out.scale = scale;
    out.scaled = true;
    for (int i = 0; i < 4; ++i)
        out.error[i] = twice ? 4 * w->error[i] + 0x1p-48 * grown * net->size[i]
                             : 2 * w->error[i] + 0x1p-50 * grown * net->size[i];
    return out;
}

static const uint8_t by[ABUT_PATCH_PARTS][2] = { { 0, 0 }, { 1, 0 }, { 0, 1 }, { 2, 0 }, { 1, 1 }, { 0, 2 } };

/* False where the function is zero. */
static bool piece_of(const cutting *c, abut_patch_part part, piece *out)
{
    const abut_patch_net *net = &c->patch->net[part];
    if (net->m < 0 || net->n < 0)
        return false;
    *out = part == ABUT_PATCH_P ? c->whole
           : c->wide            ? difference(c, by[part][0], by[part][1])
                                : cut_net(net, &c->u, &c->v, c->other);
    return true;
}

static inline ia widened(double lo, double hi, double error)
{
    return ia_add(ia_make(lo, hi), ia_make(-error, error));
}

/* Hull of the points of a piece, all four coordinates. */
static void hull(const piece *p, ia out[4])
{
    ia_pair lo_xy = p->at->xy, hi_xy = lo_xy, lo_zw = p->at->zw, hi_zw = lo_zw;
    for (int j = 0; j < p->rows; ++j)
        for (int i = 0; i < p->columns; ++i) {
            const abut_patch_point *a = &p->at[j * p->stride + i];
            lo_xy = ia_pair_min(lo_xy, a->xy), hi_xy = ia_pair_max(hi_xy, a->xy);
            lo_zw = ia_pair_min(lo_zw, a->zw), hi_zw = ia_pair_max(hi_zw, a->zw);
        }
    out[0] = widened(lo_xy[0], hi_xy[0], p->error[0]);
    out[1] = widened(lo_xy[1], hi_xy[1], p->error[1]);
    out[2] = widened(lo_zw[0], hi_zw[0], p->error[2]);
    out[3] = widened(lo_zw[1], hi_zw[1], p->error[3]);
    for (int i = 0; i < 4 && p->scaled; ++i)
        out[i] = ia_mul(p->scale, out[i]);
}

static ia3 range_of(const cutting *c, abut_patch_part part)
{
    piece p;
    ia x[4];
    if (!piece_of(c, part, &p))
        return abut_ia3_zero();
    hull(&p, x);
    return (ia3){ x[0], x[1], x[2] };
}

/* ---- rational ---- */

/* The value: hull of the projected points of the piece. Weights of a piece within [0, 1] are
 * positive but for the error; beyond they may vanish. */
static ia3 project_hull(const piece *p)
{
    ia3 out = { ia_empty(), ia_empty(), ia_empty() };
    for (int j = 0; j < p->rows; ++j)
        for (int i = 0; i < p->columns; ++i) {
            const abut_patch_point *a = &p->at[j * p->stride + i];
            const ia w = widened(a->zw[1], a->zw[1], p->error[3]);
            if (!ia_is_positive(w))
                return (ia3){ ia_entire(), ia_entire(), ia_entire() };
            const ia3 at = { ia_div(widened(a->xy[0], a->xy[0], p->error[0]), w),
                             ia_div(widened(a->xy[1], a->xy[1], p->error[1]), w),
                             ia_div(widened(a->zw[0], a->zw[0], p->error[2]), w) };
            out = ia3_hull(out, at);
        }
    return out;
}

/* Hull of X - p0 W over the points of a piece, and of W. */
static ia3 relative_hull(const cutting *c, abut_patch_part part, const double p0[3], ia *weight)
{
    piece p;
    if (!piece_of(c, part, &p)) {
        *weight = ia_point(0);
        return abut_ia3_zero();
    }
    ia x[3] = { ia_empty(), ia_empty(), ia_empty() }, sum = ia_empty();
    for (int j = 0; j < p.rows; ++j)
        for (int i = 0; i < p.columns; ++i) {
            const abut_patch_point *a = &p.at[j * p.stride + i];
            const ia w = ia_point(a->zw[1]);
            sum = ia_hull(sum, w);
            x[0] = ia_hull(x[0], ia_sub(ia_point(a->xy[0]), ia_scale(p0[0], w)));
            x[1] = ia_hull(x[1], ia_sub(ia_point(a->xy[1]), ia_scale(p0[1], w)));
            x[2] = ia_hull(x[2], ia_sub(ia_point(a->zw[0]), ia_scale(p0[2], w)));
        }
    const ia slack = ia_make(-p.error[3], p.error[3]);
    for (int k = 0; k < 3; ++k) {
        x[k] = ia_add(ia_add(x[k], ia_make(-p.error[k], p.error[k])), ia_scale(p0[k], slack));
        x[k] = p.scaled ? ia_mul(p.scale, x[k]) : x[k];
    }
    sum = ia_add(sum, slack);
    *weight = p.scaled ? ia_mul(p.scale, sum) : sum;
    return (ia3){ x[0], x[1], x[2] };
}

static ia3 divide(ia3 a, ia w)
{
    return (ia3){ ia_div(a.x, w), ia_div(a.y, w), ia_div(a.z, w) };
}

/* With X = X - p0 W and p = p - p0: p_u = (X_u - p W_u) / W, p_uv = (X_uv - p_u W_v - p_v W_u -
 * p W_uv) / W. */
static bool rational_jet(const cutting *c, int order, abut_jet *out)
{
    ia all[4];
    out->p = project_hull(&c->whole);
    hull(&c->whole, all);
    const ia w = all[3];
    if (order < 1)
        return ia_is_positive(w);
    const abut_vec3 middle = ia3_mid(out->p);
    const double p0[3] = { middle.x, middle.y, middle.z };
    const ia3 small = ia3_sub(out->p, ia3_point(middle));
    ia wu, wv, wuu, wuv, wvv;
    const ia3 xu = relative_hull(c, ABUT_PATCH_U, p0, &wu);
    const ia3 xv = relative_hull(c, ABUT_PATCH_V, p0, &wv);
    out->u = divide(ia3_sub(xu, ia3_scale(wu, small)), w);
    out->v = divide(ia3_sub(xv, ia3_scale(wv, small)), w);
    if (order < 2)
        return ia_is_positive(w);
    const ia3 xuu = relative_hull(c, ABUT_PATCH_UU, p0, &wuu);
    const ia3 xuv = relative_hull(c, ABUT_PATCH_UV, p0, &wuv);
    const ia3 xvv = relative_hull(c, ABUT_PATCH_VV, p0, &wvv);
    const ia3 ru = ia3_scale(ia_scale(2, wu), out->u), rv = ia3_scale(ia_scale(2, wv), out->v);
    const ia3 mixed = ia3_add(ia3_scale(wv, out->u), ia3_scale(wu, out->v));
    out->uu = divide(ia3_sub(ia3_sub(xuu, ru), ia3_scale(wuu, small)), w);
    out->vv = divide(ia3_sub(ia3_sub(xvv, rv), ia3_scale(wvv, small)), w);
    out->uv = divide(ia3_sub(ia3_sub(xuv, mixed), ia3_scale(wuv, small)), w);
    return ia_is_positive(w);
}

bool abut_patch_jet(const abut_patch *patch, const ia box[2], int order, ia *scratch, abut_jet *out)
{
    cutting c;
    begin(patch, box, scratch, &c);
    if (patch->rational)
        return rational_jet(&c, order, out);
    ia3 *const parts[ABUT_PATCH_PARTS] = { &out->p, &out->u, &out->v, &out->uu, &out->uv, &out->vv };
    const int count = order == 0 ? 1 : order == 1 ? 3 : ABUT_PATCH_PARTS;
    for (int i = 0; i < count; ++i)
        *parts[i] = range_of(&c, (abut_patch_part)i);
    return true;
}

/* ---- making ---- */

static double coordinate(const abut_patch_point *a, int i)
{
    return i < 2 ? a->xy[i] : a->zw[i - 2];
}

/* Largest coordinates; false where one is not finite. */
static bool measure(abut_patch_net *net)
{
    bool finite = true;
    for (int i = 0; i < 4; ++i)
        net->size[i] = 0;
    for (int k = 0; k < (net->m + 1) * (net->n + 1); ++k)
        for (int i = 0; i < 4; ++i) {
            const double x = fabs(coordinate(&net->points[k], i));
            finite = finite && x < DBL_MAX / 64;
            net->size[i] = fmax(net->size[i], x);
        }
    return finite;
}

/* The net of a derivative: degree times differences. Errors: twice that of the net, the
 * roundings of difference and product, each at most 2^-52 of the result in any mode. */
static abut_status derive(const abut_patch_net *from, bool by_u, abut_workspace *ws, abut_patch_net *to)
{
    const int m = from->m - by_u, n = from->n - !by_u, degree = by_u ? from->m : from->n;
    *to = (abut_patch_net){ .m = m, .n = n };
    if (m < 0 || n < 0) {
        to->m = to->n = -1;
        return ABUT_OK;
    }
    abut_patch_point *points = abut_workspace_take(ws, (size_t)(m + 1) * (size_t)(n + 1), sizeof *points);
    if (!points)
        return ABUT_ERR_MEMORY;
    const ia_pair factor = ia_pair_of(degree);
    for (int j = 0; j <= n; ++j)
        for (int i = 0; i <= m; ++i) {
            const abut_patch_point *a = &from->points[j * (from->m + 1) + i];
            const abut_patch_point *b = by_u ? a + 1 : a + from->m + 1;
            points[j * (m + 1) + i] =
                (abut_patch_point){ factor * (b->xy - a->xy), factor * (b->zw - a->zw) };
        }
    to->points = points;
    if (!measure(to))
        return ABUT_ERR_VALUE;
    for (int i = 0; i < 4; ++i)
        to->error[i] = 1.01 * (degree * 2 * from->error[i] + 2 * 0x1p-52 * to->size[i]) + degree * 0x1p-1073;
    return ABUT_OK;
}

abut_status abut_patch_make(const abut_patch_def *def, abut_workspace *ws, abut_patch *out)
{
    const size_t count = (size_t)(def->degree_u + 1) * (size_t)(def->degree_v + 1);
    abut_patch_point *points = abut_workspace_take(ws, count, sizeof *points);
    if (!points)
        return ABUT_ERR_MEMORY;
    *out = (abut_patch){ .rational = false, .points = def->points, .weights = def->weights };
    for (size_t i = 0; i < count; ++i) {
        const double w = def->weights ? def->weights[i] : 1;
        const abut_vec3 p = def->points[i];
        out->rational = out->rational || (def->weights && w != def->weights[0]);
        points[i] = (abut_patch_point){ { p.x * w, p.y * w }, { p.z * w, w } };
    }
    if (!out->rational) /* equal weights are none */
        for (size_t i = 0; i < count; ++i) {
            const abut_vec3 p = def->points[i];
            points[i] = (abut_patch_point){ { p.x, p.y }, { p.z, 1 } };
        }
    abut_patch_net *net = out->net;
    net[ABUT_PATCH_P] = (abut_patch_net){ .m = def->degree_u, .n = def->degree_v, .points = points };
    if (!measure(&net[ABUT_PATCH_P]))
        return ABUT_ERR_VALUE;
    for (int i = 0; i < 3 && out->rational; ++i)
        net[ABUT_PATCH_P].error[i] = 0x1p-52 * net[ABUT_PATCH_P].size[i] + 0x1p-1074;
    static const struct {
        uint8_t from, to, by_u;
    } steps[] = { { ABUT_PATCH_P, ABUT_PATCH_U, 1 },
                  { ABUT_PATCH_P, ABUT_PATCH_V, 0 },
                  { ABUT_PATCH_U, ABUT_PATCH_UU, 1 },
                  { ABUT_PATCH_U, ABUT_PATCH_UV, 0 },
                  { ABUT_PATCH_V, ABUT_PATCH_VV, 0 } };
    for (size_t i = 0; i < sizeof steps / sizeof *steps; ++i) {
        const abut_status status = derive(&net[steps[i].from], steps[i].by_u, ws, &net[steps[i].to]);
        if (status)
            return status;
    }
    return ABUT_OK;
}
