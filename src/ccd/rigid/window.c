/* SPDX-License-Identifier: MIT */
/* Separating axes over a cell of time; see window.h.
 *
 * Along an axis n the middle of box a is at f(s) = n . d + s n . v in the frame of box b, up to a
 * slack, and the boxes may meet only while |f(s)| <= r, r the sum of their extents along n and the
 * slack: an interval of s. What is left after all axes is the window. No axis need be exact: any
 * direction of length at most 1 (to rounding) proves what it proves.
 *
 * Triangles have three corners that move on lines each (up to the slack), so that they are apart
 * along n while the least of three linear functions is positive: a concave function, positive
 * from the begin of the window up to its first zero.
 *
 * Rounding: `pad` times the lengths that enter bounds the errors of all sums; it is a hundred
 * times what they need. Times computed from quotients are off by an ulp, which moves f by less
 * than pad times what s n . v can be. */
#include "ccd/rigid/window.h"

#include "math/vec3.h"

static const double pad = 0x1p-44;

/* Where a point of a is when the cell is at its middle, and how fast it moves. */
static inline void place(const abut_motion_cell *cell, abut_vec3 middle, abut_vec3 p, abut_vec3 *x,
                         abut_vec3 *v)
{
    const abut_vec3 d = abut_sub(p, middle);
    *x = abut_add(cell->c, abut_mul(&cell->q, d));
    *v = abut_add(cell->v, abut_mul(&cell->w, d));
}

static inline double off(const abut_motion_cell *cell, double distance)
{
    return (cell->off0 + cell->off1 * distance) * (1 + 0x1p-40);
}

/* Lengths that rounding is counted by. */
static inline double bulk(abut_vec3 p)
{
    return fabs(p.x) + fabs(p.y) + fabs(p.z);
}

double abut_window_slack(const abut_motion_cell *cell, abut_vec3 middle, const abut_part_box *a)
{
    return off(cell, abut_length(abut_sub(a->centre, middle))) + cell->turn * a->radius;
}

bool abut_window_balls(const abut_motion_cell *cell, const abut_rigid_part *part_a, const abut_part_box *a,
                       const abut_rigid_part *part_b, const abut_part_box *b)
{
    if (b->plane || !(cell->apart > 0))
        return false;
    const double reach_a = abut_length(abut_sub(a->centre, part_a->middle)) + a->radius,
                 reach_b = abut_length(abut_sub(b->centre, part_b->middle)) + b->radius;
    return cell->apart > (1 + pad) * (fmin(reach_a, part_a->reach) + fmin(reach_b, part_b->reach)) +
                             pad * (bulk(a->centre) + bulk(b->centre));
}

/* A window in terms of s. */
typedef struct window {
    double s0, s1;
} window;

static inline window begin(const abut_motion_cell *cell, double lo, double hi)
{
    return (window){ lo - cell->mid, hi - cell->mid };
}

/* Back to times: an ulp outward, within what was given. */
static inline bool finish(const abut_motion_cell *cell, window w, double *lo, double *hi)
{
    const double ulp = 0x1p-51 * fmax(fabs(cell->lo), fabs(cell->hi));
    if (!(w.s0 <= w.s1))
        return false;
    *lo = fmax(*lo, cell->mid + w.s0 - ulp);
    *hi = fmin(*hi, cell->mid + w.s1 + ulp);
    return true;
}

/* |f0 + s f1| <= r. */
static inline bool cut(window *w, double f0, double f1, double r)
{
    if (f0 + w->s0 * f1 > r && f0 + w->s1 * f1 > r)
        return false;
    if (f0 + w->s0 * f1 < -r && f0 + w->s1 * f1 < -r)
        return false;
    if (fabs(f1) * (w->s1 - w->s0) > 0x1p-20 * r) {
        const double x = (-r - f0) / f1, y = (r - f0) / f1;
        const double from = x < y ? x : y, to = x < y ? y : x;
        if (from > w->s0)
            w->s0 = from;
        if (to < w->s1)
            w->s1 = to;
    }
    return w->s0 <= w->s1;
}

static bool cut_plane(window *w, const abut_part_box *b, const abut_part_box *a, const abut_vec3 axis[3],
                      abut_vec3 x, abut_vec3 v, double slack)
{
    const abut_vec3 n = b->axis[0];
    const double f0 = abut_dot(n, x) - b->offset, f1 = abut_dot(n, v);
    double r = slack + pad * (fabs(b->offset) + bulk(x));
    for (int i = 0; i < 3; ++i)
        r += a->half[i] * fabs(abut_dot(n, axis[i]));
    /* Only the outside is apart. */
    const bool begin_out = f0 + w->s0 * f1 > r, end_out = f0 + w->s1 * f1 > r;
    if (begin_out && end_out)
        return false;
    if (begin_out && f1 < 0)
        w->s0 = fmax(w->s0, (r - f0) / f1);
    if (end_out && f1 > 0)
        w->s1 = fmin(w->s1, (r - f0) / f1);
    return w->s0 <= w->s1;
}

bool abut_window_boxes(const abut_motion_cell *cell, abut_vec3 middle, const abut_part_box *a,
                       const abut_part_box *b, double *lo, double *hi)
{
    abut_vec3 x, v, axis[3];
    window w = begin(cell, *lo, *hi);
    if (!isfinite(cell->turn))
        return true;
    place(cell, middle, a->centre, &x, &v);
    for (int i = 0; i < 3; ++i)
        axis[i] = abut_mul(&cell->q, a->axis[i]);
    const double length = fmax(fabs(w.s0), fabs(w.s1));
    double slack = abut_window_slack(cell, middle, a);
    slack += pad * (bulk(x) + bulk(a->centre) + bulk(middle) + length * bulk(v) + a->radius);
    if (!isfinite(slack))
        return true;
    if (b->plane) {
        if (!cut_plane(&w, b, a, axis, x, v, slack))
            return false;
        return finish(cell, w, lo, hi);
    }
    /* axes of trees are floats, and 2^-22 longer than 1 at most */
    slack = (1 + 0x1p-18) * (slack + pad * (bulk(b->centre) + b->radius));
    const abut_vec3 d = abut_sub(x, b->centre);
    double c[3][3]; /* c[i][j]: axis i of a along axis j of b */
    double db[3], vb[3];
    for (int j = 0; j < 3; ++j) {
        db[j] = abut_dot(d, b->axis[j]);
        vb[j] = abut_dot(v, b->axis[j]);
        for (int i = 0; i < 3; ++i)
            c[i][j] = abut_dot(axis[i], b->axis[j]);
    }
    for (int j = 0; j < 3; ++j) {
        const double r = a->half[0] * fabs(c[0][j]) + a->half[1] * fabs(c[1][j]) +
                         a->half[2] * fabs(c[2][j]) + b->half[j] + slack;
        /* axes of trees are floats: what is along one is along the others by 2^-22 */
        if (!cut(&w, db[j], vb[j], r + 0x1p-20 * b->radius))
            return false;
    }
    for (int i = 0; i < 3; ++i) {
        const double r = b->half[0] * fabs(c[i][0]) + b->half[1] * fabs(c[i][1]) +
                         b->half[2] * fabs(c[i][2]) + a->half[i] + slack;
        if (!cut(&w, abut_dot(d, axis[i]), abut_dot(v, axis[i]), r + 0x1p-20 * a->radius))
            return false;
    }
    /* n = axis i of a x axis j of b: by the triple products, along the axes of b, which are
     * orthonormal to 2^-22 only. */
    const double rough = slack + 0x1p-18 * (a->radius + b->radius);
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j) {
            const abut_vec3 n = abut_cross(axis[i], b->axis[j]);
            const int i1 = (i + 1) % 3, i2 = (i + 2) % 3, j1 = (j + 1) % 3, j2 = (j + 2) % 3;
            const double r = a->half[i1] * fabs(c[i2][j]) + a->half[i2] * fabs(c[i1][j]) +
                             b->half[j1] * fabs(c[i][j2]) + b->half[j2] * fabs(c[i][j1]) + rough;
            if (!cut(&w, abut_dot(d, n), abut_dot(v, n), r))
                return false;
        }
    return finish(cell, w, lo, hi);
}

/* ---- triangles ---- */

typedef struct moving_triangle {
    abut_vec3 x[3], v[3];
    double slack;
} moving_triangle;

static bool place_triangle(const abut_motion_cell *cell, abut_vec3 middle, const abut_vec3 a[3],
                           const window *w, moving_triangle *out)
{
    double far = 0, size = bulk(middle);
    const double length = fmax(fabs(w->s0), fabs(w->s1));
    for (int k = 0; k < 3; ++k) {
        place(cell, middle, a[k], &out->x[k], &out->v[k]);
        far = fmax(far, abut_length(abut_sub(a[k], middle)));
        size = fmax(size, bulk(out->x[k]) + length * bulk(out->v[k]) + bulk(a[k]) + bulk(middle));
    }
    out->slack = off(cell, far) + pad * size;
    return isfinite(out->slack) && isfinite(cell->turn);
}

/* The least of g_k + s h_k is positive at the begin of the window: until when; the same from the
 * end. */
static bool cut_side(window *w, const double g[3], const double h[3])
{
    double at0 = INFINITY, at1 = INFINITY, until = INFINITY, since = -INFINITY;
    for (int k = 0; k < 3; ++k) {
        at0 = fmin(at0, g[k] + w->s0 * h[k]);
        at1 = fmin(at1, g[k] + w->s1 * h[k]);
    }
    if (at0 > 0 && at1 > 0)
        return false;
    if (!(at0 > 0) && !(at1 > 0))
        return true;
    for (int k = 0; k < 3; ++k) {
        const double zero = -g[k] / h[k];
        if (h[k] < 0)
            until = fmin(until, zero);
        if (h[k] > 0)
            since = fmax(since, zero);
    }
    if (at0 > 0 && until > w->s0)
        w->s0 = fmin(until, w->s1);
    if (at1 > 0 && since < w->s1)
        w->s1 = fmax(since, w->s0);
    return true;
}

/* Along n (of length at most `length`), where b reaches from lo to hi. */
static bool cut_along(window *w, const moving_triangle *t, abut_vec3 n, double length, double lo, double hi,
                      double slack)
{
    double f[3], h[3], above[3], below[3], minus[3];
    const double more = slack * length;
    for (int k = 0; k < 3; ++k) {
        f[k] = abut_dot(n, t->x[k]);
        h[k] = abut_dot(n, t->v[k]);
        above[k] = f[k] - hi - more;
        below[k] = lo - f[k] - more;
        minus[k] = -h[k];
    }
    return cut_side(w, above, h) && cut_side(w, below, minus);
}

static bool cut_triangle(window *w, const moving_triangle *t, const abut_vec3 b[3], abut_vec3 n, double slack)
{
    const double square = abut_dot(n, n);
    if (!(square > 0x1p-200 && square < 0x1p200))
        return true;
    const double p = abut_dot(n, b[0]), q = abut_dot(n, b[1]), r = abut_dot(n, b[2]);
    return cut_along(w, t, n, sqrt(square) * (1 + 0x1p-40), fmin(p, fmin(q, r)), fmax(p, fmax(q, r)), slack);
}

bool abut_window_triangles(const abut_motion_cell *cell, abut_vec3 middle, const abut_vec3 a[3],
                           const abut_vec3 b[3], double *lo, double *hi)
{
    moving_triangle t;
    window w = begin(cell, *lo, *hi);
    if (!place_triangle(cell, middle, a, &w, &t))
        return true;
    const double slack = t.slack + pad * (bulk(b[0]) + bulk(b[1]) + bulk(b[2]));
    abut_vec3 ea[3], eb[3];
    for (int k = 0; k < 3; ++k) {
        ea[k] = abut_sub(t.x[(k + 1) % 3], t.x[k]);
        eb[k] = abut_sub(b[(k + 1) % 3], b[k]);
    }
    if (!cut_triangle(&w, &t, b, abut_cross(eb[0], eb[1]), slack) ||
        !cut_triangle(&w, &t, b, abut_cross(ea[0], ea[1]), slack))
        return false;
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j)
            if (!cut_triangle(&w, &t, b, abut_cross(ea[i], eb[j]), slack))
                return false;
    const abut_vec3 na = abut_cross(ea[0], ea[1]), nb = abut_cross(eb[0], eb[1]);
    const abut_vec3 across = abut_cross(na, nb);
    /* nearly in one plane: the edges' normals in it */
    if (abut_dot(across, across) < 0x1p-12 * abut_dot(na, na) * abut_dot(nb, nb))
        for (int i = 0; i < 3; ++i)
            if (!cut_triangle(&w, &t, b, abut_cross(na, ea[i]), slack) ||
                !cut_triangle(&w, &t, b, abut_cross(nb, eb[i]), slack))
                return false;
    return finish(cell, w, lo, hi);
}

/* ---- a core ---- */

static bool cut_core(window *w, const moving_triangle *t, const abut_core *core, abut_vec3 n)
{
    const double square = abut_dot(n, n);
    uint32_t hint = 0;
    if (!(square > 0x1p-200 && square < 0x1p200))
        return true;
    const abut_vec3 d = abut_scale(1 / sqrt(square), n), minus = abut_scale(-1, d);
    const double more = core->error + pad * core->size + core->radius * (1 + 0x1p-40);
    const double hi = abut_dot(d, abut_core_support(core, d, &hint)) + more,
                 lo = abut_dot(d, abut_core_support(core, minus, &hint)) - more;
    return cut_along(w, t, d, 1 + 0x1p-40, lo, hi, t->slack);
}

bool abut_window_core(const abut_motion_cell *cell, abut_vec3 middle, const abut_vec3 a[3],
                      const abut_core *b, double *lo, double *hi)
{
    static const abut_vec3 axes[3] = { { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 } };
    moving_triangle t;
    window w = begin(cell, *lo, *hi);
    if (b->kind == ABUT_CORE_USER || !(b->size > 0x1p-140 && b->size < 0x1p140) ||
        !place_triangle(cell, middle, a, &w, &t))
        return true;
    abut_vec3 e[3];
    for (int k = 0; k < 3; ++k)
        e[k] = abut_sub(t.x[(k + 1) % 3], t.x[k]);
    if (!cut_core(&w, &t, b, abut_cross(e[0], e[1])))
        return false;
    if (b->kind != ABUT_CORE_POINT && b->kind != ABUT_CORE_ELLIPSOID)
        for (int j = 0; j < 3; ++j) {
            if (!cut_core(&w, &t, b, axes[j]))
                return false;
            for (int i = 0; i < 3 && b->kind == ABUT_CORE_BOX; ++i)
                if (!cut_core(&w, &t, b, abut_cross(e[i], axes[j])))
                    return false;
        }
    /* from the nearest corner, edge or the middle, about, when the window begins: round bodies */
    const double s = w.s0;
    abut_vec3 p[3];
    for (int k = 0; k < 3; ++k)
        p[k] = abut_madd(t.x[k], s, t.v[k]);
    for (int k = 0; k < 3; ++k) {
        const abut_vec3 d = abut_sub(p[(k + 1) % 3], p[k]);
        const double square = abut_dot(d, d);
        const double at = square > 0 ? fmin(fmax(-abut_dot(p[k], d) / square, 0), 1) : 0;
        if (!cut_core(&w, &t, b, abut_madd(p[k], at, d)))
            return false;
    }
    return finish(cell, w, lo, hi);
}
