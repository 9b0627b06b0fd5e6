/* SPDX-License-Identifier: MIT */
/* NURBS surfaces, split into rational Bezier patches.
 *
 * Method: the control points of the Bezier piece over a knot span [a, b] are the values of the
 * spline's blossom at a ... a b ... b, by de Boor's recurrence with mixed arguments (L. Ramshaw,
 * "Blossoms are polar forms", 1989). All factors are in [0, 1], so that each level only
 * averages: a coordinate of the result is off by at most 4 degree units in the last place of the
 * largest (homogeneous) coordinate that goes into it, first along u, then along v. Neighbouring
 * pieces share their end points bit for bit: the second takes them from the first. So pieces of
 * one surface always meet, and surfaces with equal boundary points and knots do, too. */
#include "math/vec3.h"
#include "shape/shape.h"

enum { max_degree = 31, max_pieces = 1 << 16 };

typedef struct point4 {
    double x[4];
} point4;

/* ---- validation ---- */

static abut_status check_knots(const double *knots, size_t count, int degree, char name, size_t index,
                               size_t *spans, abut_error *error)
{
    if (degree < 1 || degree > max_degree)
        return abut_base_fail(error, ABUT_ERR_ARGUMENT, (int64_t)index,
                              "surface %zu has degree %d in %c; it must be from 1 to %d", index, degree, name,
                              (int)max_degree);
    if (!knots || count < (size_t)degree + 1)
        return abut_base_fail(error, ABUT_ERR_ARGUMENT, (int64_t)index,
                              "surface %zu needs at least degree + 1 points and their knots in %c", index,
                              name);
    const size_t all = count + (size_t)degree + 1;
    size_t run = 1;
    *spans = 0;
    for (size_t i = 0; i < all; ++i) {
        if (!isfinite(knots[i]) || (i > 0 && knots[i] < knots[i - 1]))
            return abut_base_fail(error, ABUT_ERR_ARGUMENT, (int64_t)index,
                                  "knot %zu of surface %zu in %c is not finite or not ascending", i, index,
                                  name);
        run = i > 0 && knots[i] == knots[i - 1] ? run + 1 : 1;
        const bool within = knots[i] > knots[degree] && knots[i] < knots[count];
        if (run > (size_t)degree + !within)
            return abut_base_fail(
                error, ABUT_ERR_ARGUMENT, (int64_t)index,
                "knot %zu of surface %zu in %c is repeated so often that the surface breaks", i, index, name);
        *spans += i > (size_t)degree && i <= count && knots[i] > knots[i - 1];
    }
    if (*spans == 0)
        return abut_base_fail(error, ABUT_ERR_ARGUMENT, (int64_t)index,
                              "the knots of surface %zu in %c have no span", index, name);
    return ABUT_OK;
}

static abut_status check_surface(const abut_nurbs_surface *s, size_t index, size_t spans[2],
                                 abut_error *error)
{
    abut_status status = check_knots(s->knots_u, s->count_u, s->degree_u, 'u', index, &spans[0], error);
    if (!status)
        status = check_knots(s->knots_v, s->count_v, s->degree_v, 'v', index, &spans[1], error);
    if (status)
        return status;
    if (!s->points)
        return abut_base_fail(error, ABUT_ERR_ARGUMENT, (int64_t)index, "surface %zu has no points", index);
    if (s->count_u > SIZE_MAX / 64 / s->count_v || spans[0] > max_pieces / spans[1])
        return abut_base_fail(error, ABUT_ERR_LIMIT, (int64_t)index, "surface %zu is too large", index);
    for (size_t i = 0; i < s->count_u * s->count_v; ++i) {
        if (!abut_is_finite3(s->points[i]))
            return abut_base_fail(error, ABUT_ERR_ARGUMENT, (int64_t)i,
                                  "point %zu of surface %zu has a coordinate that is not finite", i, index);
        if (s->weights && !(s->weights[i] > 0 && isfinite(s->weights[i])))
            return abut_base_fail(error, ABUT_ERR_ARGUMENT, (int64_t)i,
                                  "weight %zu of surface %zu is not positive and finite", i, index);
    }
    return ABUT_OK;
}

/* ---- splitting ---- */

/* The blossom over the span of knots[k], knots[k + 1] at n - i times its lower and i times its
 * upper end. Points are `stride` apart. */
static point4 blossom(const point4 *points, size_t stride, const double *knots, int n, size_t k, int i)
{
    point4 d[max_degree + 1];
    for (int j = 0; j <= n; ++j)
        d[j] = points[(k - (size_t)n + (size_t)j) * stride];
    for (int r = 1; r <= n; ++r) {
        const double x = r <= n - i ? knots[k] : knots[k + 1];
        for (int j = n; j >= r; --j) {
            const size_t at = k - (size_t)n + (size_t)j;
            const double lo = knots[at], hi = knots[at + (size_t)(n - r) + 1], s = (x - lo) / (hi - lo);
            for (int c = 0; c < 4; ++c)
                d[j].x[c] = (1 - s) * d[j - 1].x[c] + s * d[j].x[c];
        }
    }
    return d[n];
}

/* Splits one line of control points: spans * n + 1 points, `stride` apart on both sides. */
static void split_line(const point4 *from, const double *knots, size_t count, int n, size_t stride,
                       point4 *to)
{
    size_t out = 0;
    for (size_t k = (size_t)n; k < count; ++k) {
        if (!(knots[k] < knots[k + 1]))
            continue;
        for (int i = out == 0 ? 0 : 1; i <= n; ++i)
            to[out++ * stride] = blossom(from, stride, knots, n, k, i);
    }
}

typedef struct splitting {
    abut_bezier_patch *patches;
    size_t count;
    abut_workspace *ws;
} splitting;

static bool cut_patch(const point4 *grid, size_t width, size_t u0, size_t v0, const abut_nurbs_surface *s,
                      splitting *out)
{
    const int m = s->degree_u, n = s->degree_v;
    const size_t count = (size_t)(m + 1) * (size_t)(n + 1);
    abut_vec3 *points = abut_workspace_take(out->ws, count, sizeof *points);
    double *weights = abut_workspace_take(out->ws, count, sizeof *weights);
    if (!points || !weights)
        return false;
    for (int j = 0; j <= n; ++j)
        for (int i = 0; i <= m; ++i) {
            const double *x = grid[(v0 + (size_t)j) * width + u0 + (size_t)i].x;
            const int at = j * (m + 1) + i;
            weights[at] = s->weights ? x[3] : 1;
            points[at] =
                s->weights ? abut_v3(x[0] / x[3], x[1] / x[3], x[2] / x[3]) : abut_v3(x[0], x[1], x[2]);
        }
    out->patches[out->count++] = (abut_bezier_patch){ m, n, points, s->weights ? weights : NULL };
    return true;
}

/* One patch already: it stays as it is. */
static bool is_patch(const abut_nurbs_surface *s)
{
    const size_t m = (size_t)s->degree_u, n = (size_t)s->degree_v;
    return s->count_u == m + 1 && s->count_v == n + 1 && s->knots_u[0] == s->knots_u[m] &&
           s->knots_u[m + 1] == s->knots_u[2 * m + 1] && s->knots_v[0] == s->knots_v[n] &&
           s->knots_v[n + 1] == s->knots_v[2 * n + 1];
}

static bool split_surface(const abut_nurbs_surface *s, const size_t spans[2], splitting *out)
{
    if (is_patch(s)) {
        out->patches[out->count++] = (abut_bezier_patch){ s->degree_u, s->degree_v, s->points, s->weights };
        return true;
    }
    const size_t width = spans[0] * (size_t)s->degree_u + 1, height = spans[1] * (size_t)s->degree_v + 1;
    point4 *given = abut_workspace_take(out->ws, s->count_u * s->count_v, sizeof *given);
    point4 *rows = abut_workspace_take(out->ws, width * s->count_v, sizeof *rows);
    point4 *grid = abut_workspace_take(out->ws, width * height, sizeof *grid);
    if (!given || !rows || !grid)
        return false;
    for (size_t i = 0; i < s->count_u * s->count_v; ++i) {
        const double w = s->weights ? s->weights[i] : 1;
        given[i] = (point4){ { w * s->points[i].x, w * s->points[i].y, w * s->points[i].z, w } };
    }
    for (size_t j = 0; j < s->count_v; ++j)
        split_line(given + j * s->count_u, s->knots_u, s->count_u, s->degree_u, 1, rows + j * width);
    for (size_t i = 0; i < width; ++i)
        split_line(rows + i, s->knots_v, s->count_v, s->degree_v, width, grid + i);
    for (size_t v = 0; v < spans[1]; ++v)
        for (size_t u = 0; u < spans[0]; ++u)
            if (!cut_patch(grid, width, u * (size_t)s->degree_u, v * (size_t)s->degree_v, s, out))
                return false;
    return true;
}

static abut_status create(const abut_nurbs_surface *surfaces, size_t count, abut_workspace *ws,
                          const abut_allocator *alloc, abut_shape **out, abut_error *error)
{
    size_t(*spans)[2] = abut_workspace_take(ws, count, sizeof *spans), total = 0;
    if (!spans)
        return abut_base_fail_memory(error);
    for (size_t i = 0; i < count; ++i) {
        const abut_status status = check_surface(&surfaces[i], i, spans[i], error);
        if (status)
            return status;
        total += spans[i][0] * spans[i][1];
    }
    splitting split = { abut_workspace_take(ws, total, sizeof *split.patches), 0, ws };
    if (!split.patches)
        return abut_base_fail_memory(error);
    for (size_t i = 0; i < count; ++i)
        if (!split_surface(&surfaces[i], spans[i], &split))
            return abut_base_fail_memory(error);
    return abut_shape_create_bezier(split.patches, split.count, alloc, out, error);
}

abut_status abut_shape_create_nurbs(const abut_nurbs_surface *surfaces, size_t count,
                                    const abut_allocator *alloc, abut_shape **out, abut_error *error)
{
    abut_base_clear(error);
    if (!out)
        return abut_base_fail(error, ABUT_ERR_ARGUMENT, -1, "nowhere to put the shape");
    *out = NULL;
    if (!surfaces || count == 0)
        return abut_base_fail(error, ABUT_ERR_ARGUMENT, -1, "at least one surface is needed");
    abut_workspace ws;
    abut_workspace_open(&ws, alloc);
    const abut_status status = create(surfaces, count, &ws, alloc, out, error);
    abut_workspace_close(&ws);
    return status;
}
