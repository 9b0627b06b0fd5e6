/* SPDX-License-Identifier: MIT */
/* The smallest ellipsoid around points.
 *
 * The points are first put into coordinates in which they fill a cube whatever their shape: along
 * the way from a far point to the furthest from it, then to the one furthest from that line, then
 * to the one furthest from that plane, each in units of its distance. The smallest ellipsoid is the
 * same one in all affine coordinates, so that thin sets are as good as others there; what is flat
 * within rounding is taken for flat. fit_weights.c finds the ellipsoid, one-sided Jacobi rotations
 * its axes.
 *
 * All of that only steers. The map found is then measured as it is in doubles, with outward
 * rounding, and blown up until every point is inside: with R nearly inverse to L, x = L^-1 p is
 * R p + (I - R L) x, hence |x| <= |R p| / (1 - |I - R L|). Where one axis is 1e-9 of another,
 * doubles cannot state the long axis well enough for more than seven digits of the short one;
 * that is what thin ellipsoids lose. */
#include "shape/fit.h"

#include "interval/ia3.h"
#include "math/nearest.h"
#include "math/vec3.h"
#include "shape/arrays.h"

typedef long double wide;

static const double least_tolerance = 1e-12, usual_tolerance = 1e-6;
static const wide thinnest =
    1.0000001e-9L; /* of the longest axis; rounding must not make it less than 1e-9 */

int abut_fit_scale(const abut_aabb *box, abut_vec3 *middle)
{
    *middle = abut_v3(0.5 * box->lo.x + 0.5 * box->hi.x, 0.5 * box->lo.y + 0.5 * box->hi.y,
                      0.5 * box->lo.z + 0.5 * box->hi.z);
    const double half =
        fmax(abut_max_norm(abut_sub(box->hi, *middle)), abut_max_norm(abut_sub(box->lo, *middle)));
    int exponent = 0;
    if (half > 0)
        (void)frexp(half, &exponent);
    return exponent < -1000 ? -1000 : exponent; /* its inverse is to be a number */
}

/* ---- coordinates ---- */

typedef struct frame {
    abut_vec3 middle;
    int exponent;
    int d;            /* directions in which the points are not flat */
    size_t corner[4]; /* d + 1 of them */
    wide origin[3];   /* in units of 2^exponent, from the middle */
    wide axis[3][3];  /* unit vectors, orthogonal */
    wide length[3];   /* extents along them */
    wide grain;       /* what a coordinate of the points, or of the centre, is rounded by */
} frame;

static void local(const frame *f, const abut_vec3 *p, double scale, wide out[3])
{
    const abut_vec3 x = abut_scale(scale, abut_sub(*p, f->middle));
    out[0] = x.x - f->origin[0];
    out[1] = x.y - f->origin[1];
    out[2] = x.z - f->origin[2];
}

static wide dot(const wide a[3], const wide b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

/* Takes away what lies along the first `count` axes. */
static void reject(const frame *f, int count, wide v[3])
{
    for (int k = 0; k < count; ++k) {
        const wide along = dot(f->axis[k], v);
        for (int i = 0; i < 3; ++i)
            v[i] -= along * f->axis[k][i];
    }
}

/* A unit vector across the first `count` axes. */
static void complete(frame *f, int count)
{
    wide best[3] = { 0, 0, 0 }, most = 0;
    for (int i = 0; i < 3; ++i) {
        wide v[3] = { i == 0, i == 1, i == 2 };
        reject(f, count, v);
        reject(f, count, v);
        const wide size = dot(v, v);
        if (size > most) {
            most = size;
            best[0] = v[0];
            best[1] = v[1];
            best[2] = v[2];
        }
    }
    for (int i = 0; i < 3; ++i)
        f->axis[count][i] = best[i] / sqrtl(most);
}

/* The point furthest from the space of the first `axes` axes becomes the next corner. */
static void extend(const abut_vec3 *points, size_t count, double scale, int axes, frame *f)
{
    double most = 0, axis[2][3] = { { 0 } };
    const abut_vec3 origin = { (double)f->origin[0], (double)f->origin[1], (double)f->origin[2] };
    size_t at = 0;
    for (int k = 0; k < axes; ++k)
        for (int i = 0; i < 3; ++i)
            axis[k][i] = (double)f->axis[k][i];
    const abut_vec3 a = { axis[0][0], axis[0][1], axis[0][2] }, b = { axis[1][0], axis[1][1], axis[1][2] };
    for (size_t i = 0; i < count; ++i) { /* doubles will do to choose it */
        abut_vec3 v = abut_sub(abut_scale(scale, abut_sub(points[i], f->middle)), origin);
        v = abut_madd(v, -abut_dot(v, a), a);
        v = abut_madd(v, -abut_dot(v, b), b);
        const double square = abut_dot(v, v);
        if (square > most) {
            most = square;
            at = i;
        }
    }
    wide best[3];
    local(f, &points[at], scale, best);
    reject(f, axes, best);
    f->corner[axes + 1] = at;
    f->length[axes] = sqrtl(dot(best, best));
    /* Once more: the rest of a long vector is not quite across. What is left of rounding is no
     * direction. */
    reject(f, axes, best);
    const wide size = sqrtl(dot(best, best));
    if (!(size > 1e-17L * f->length[0])) {
        complete(f, axes);
        return;
    }
    for (int i = 0; i < 3; ++i)
        f->axis[axes][i] = best[i] / size;
}

static frame find_frame(const abut_vec3 *points, size_t count, const abut_aabb *box)
{
    frame f = { .d = 0 };
    f.exponent = abut_fit_scale(box, &f.middle);
    const double scale = ldexp(1, -f.exponent);
    extend(points, count, scale, 0, &f); /* furthest from the middle: where it begins */
    f.corner[0] = f.corner[1];
    local(&f, &points[f.corner[0]], scale, f.origin);
    f.grain = 0x1p-53L * fmax(abut_max_norm(box->lo), abut_max_norm(box->hi)) * scale;
    for (int k = 0; k < 3; ++k) {
        extend(points, count, scale, k, &f);
        const wide noise = k == 0 ? 0 : fmaxl(1e-13L * f.length[0], 8 * f.grain);
        if (f.d == k && f.length[k] > noise)
            f.d = k + 1;
    }
    return f;
}

/* ---- axes ---- */

/* Turns the columns until they are across one another: L V for an orthogonal V, the same
 * ellipsoid. */
static void straighten(wide column[3][3])
{
    for (int sweep = 0; sweep < 30; ++sweep) {
        bool turned = false;
        for (int i = 0; i < 2; ++i)
            for (int j = i + 1; j < 3; ++j) {
                const wide a = dot(column[i], column[i]), b = dot(column[j], column[j]),
                           c = dot(column[i], column[j]);
                if (!(fabsl(c) > 1e-19L * sqrtl(a) * sqrtl(b)))
                    continue;
                const wide z = (b - a) / (2 * c), t = (z < 0 ? -1 : 1) / (fabsl(z) + sqrtl(1 + z * z));
                const wide cosine = 1 / sqrtl(1 + t * t), sine = t * cosine;
                turned = true;
                for (int k = 0; k < 3; ++k) {
                    const wide p = column[i][k], q = column[j][k];
                    column[i][k] = cosine * p - sine * q;
                    column[j][k] = sine * p + cosine * q;
                }
            }
        if (!turned)
            break;
    }
}

static void order(wide column[3][3], wide length[3])
{
    for (int i = 0; i < 2; ++i)
        for (int j = 0; j < 2 - i; ++j)
            if (length[j] < length[j + 1])
                for (int k = -1; k < 3; ++k) {
                    wide *p = k < 0 ? &length[j] : &column[j][k],
                         *q = k < 0 ? &length[j + 1] : &column[j + 1][k];
                    const wide kept = *p;
                    *p = *q;
                    *q = kept;
                }
}

/* The columns of the map in units of 2^exponent, longest first, right-handed. */
static void find_axes(const frame *f, const abut_fit_result *fit, wide column[3][3])
{
    wide g[3][3] = { { 0 } }, length[3] = { 0 }; /* g g^T = spread, lower triangular */
    for (int j = 0; j < f->d; ++j)
        for (int i = j; i < f->d; ++i) {
            wide sum = fit->spread[i][j];
            for (int k = 0; k < j; ++k)
                sum -= g[i][k] * g[j][k];
            g[i][j] = i == j ? sqrtl(fmaxl(sum, 0)) : g[j][j] > 0 ? sum / g[j][j] : 0;
        }
    for (int j = 0; j < 3; ++j)
        for (int i = 0; i < 3; ++i) {
            column[j][i] = 0;
            for (int k = 0; k < f->d && j < f->d; ++k)
                column[j][i] += f->axis[k][i] * f->length[k] * g[k][j];
        }
    straighten(column);
    wide longest = 0;
    for (int j = 0; j < f->d; ++j) {
        length[j] = sqrtl(dot(column[j], column[j]));
        longest = fmaxl(longest, length[j]);
    }
    for (int j = 0; j < 3; ++j) {
        if (j >= f->d) { /* flat: no less than what rounding left there, many times over */
            length[j] = fmaxl(thinnest * longest, fmaxl(32 * f->length[j], 64 * f->grain));
            for (int i = 0; i < 3; ++i)
                column[j][i] = length[j] * f->axis[j][i];
        } else if (length[j] < thinnest * longest) {
            const wide factor = thinnest * longest / length[j];
            for (int i = 0; i < 3; ++i)
                column[j][i] *= factor;
            length[j] = thinnest * longest;
        }
    }
    order(column, length);
    const wide *a = column[0], *b = column[1], *c = column[2];
    const wide across[3] = { a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2],
                             a[0] * b[1] - a[1] * b[0] };
    if (dot(across, c) < 0)
        for (int i = 0; i < 3; ++i)
            column[2][i] = -column[2][i];
}

/* ---- proof ---- */

typedef struct measure {
    double most;  /* upper bound of |L^-1 (p - c)| over all points */
    double slack; /* |I - R L| */
} measure;

static ABUT_NOINLINE void measure_points(const abut_vec3 *points, size_t count, const abut_affine *map,
                                         double scale, measure *out)
{
    ia33 l, r;
    double square[3] = { 0 };
    for (int i = 0; i < 9; ++i) {
        l.m[i / 3][i % 3] = ia_scale(scale, ia_point(map->linear.m[i / 3][i % 3]));
        const double x = ia_hi(l.m[i / 3][i % 3]);
        square[i % 3] += x * x;
    }
    for (int i = 0; i < 3; ++i) /* any numbers will do */
        for (int j = 0; j < 3; ++j)
            r.m[i][j] = ia_point(ia_hi(l.m[j][i]) / square[i]);
    const ia33 near = ia33_mul(&r, &l), one = ia33_identity(), rest = ia33_sub(&near, &one);
    ia sum = ia_point(0);
    for (int i = 0; i < 9; ++i)
        sum = ia_add(sum, ia_sqr(rest.m[i / 3][i % 3]));
    const ia slack = ia_sqrt(sum);
    double most = 0;
    const ia3 centre = ia3_point(map->translation);
    for (size_t i = 0; i < count; ++i) {
        const ia3 d = ia3_sub(ia3_point(points[i]), centre);
        const ia3 x = { ia_scale(scale, d.x), ia_scale(scale, d.y), ia_scale(scale, d.z) };
        const double s = ia_hi(ia3_sqr_norm(ia33_mul3(&r, x)));
        most = s > most || !(s <= DBL_MAX) ? s : most;
    }
    const ia left = ia_sub(ia_point(1), slack);
    out->slack = ia_hi(slack);
    out->most = ia_lo(left) > 0 && most <= DBL_MAX ? ia_hi(ia_div(ia_sqrt(ia_point(most)), left)) : HUGE_VAL;
}

/* Blows the map up until all points are inside. */
static bool hold_points(const abut_vec3 *points, size_t count, double scale, abut_affine *map)
{
    for (int attempt = 0; attempt < 40; ++attempt) {
        measure m;
        const abut_rounding saved = abut_rounding_enter();
        measure_points(points, count, map, scale, &m);
        abut_rounding_leave(saved);
        if (m.most <= 1)
            return true;
        /* Rounding what is blown up turns the axes anew, by about `slack`. */
        const double factor = m.most * (1 + 0x1p-52) + (attempt > 0 ? ldexp(0.1 * m.slack, attempt) : 0);
        for (int i = 0; i < 9; ++i)
            map->linear.m[i / 3][i % 3] *= factor;
        if (!isfinite(factor))
            return false;
    }
    return false;
}

/* ---- all together ---- */

static ABUT_MATH_NOINLINE void fit_map(const abut_vec3 *points, size_t count, const frame *f,
                                       double tolerance, double (*inner)[3], abut_affine *out)
{
    const double scale = ldexp(1, -f->exponent);
    abut_fit_result fit = { { 0 }, { { 0 } } };
    wide column[3][3], centre[3];
    if (f->d > 0) {
        for (size_t i = 0; i < count; ++i) {
            wide v[3];
            local(f, &points[i], scale, v);
            for (int k = 0; k < 3; ++k)
                inner[i][k] = k < f->d ? (double)(dot(f->axis[k], v) / f->length[k]) : 0;
        }
        abut_fit_weights((const double(*)[3])inner, count, f->d, f->corner, tolerance, &fit);
    }
    find_axes(f, &fit, column);
    for (int i = 0; i < 3; ++i) {
        const double middle = i == 0 ? f->middle.x : i == 1 ? f->middle.y : f->middle.z;
        centre[i] = f->origin[i];
        for (int k = 0; k < f->d; ++k)
            centre[i] += f->axis[k][i] * f->length[k] * fit.centre[k];
        centre[i] = middle + ldexpl(centre[i], f->exponent);
        for (int j = 0; j < 3; ++j)
            out->linear.m[i][j] = (double)ldexpl(column[j][i], f->exponent);
    }
    out->translation = abut_v3((double)centre[0], (double)centre[1], (double)centre[2]);
}

/* A single place: a ball of an ulp. */
static void fit_place(const abut_vec3 *point, abut_affine *out)
{
    const double radius = fmax(0x1p-52 * abut_max_norm(*point), 0x1p-500);
    *out = (abut_affine){ { { { radius, 0, 0 }, { 0, radius, 0 }, { 0, 0, radius } } }, *point };
}

bool abut_fit_ellipsoid(const abut_vec3 *points, size_t count, const abut_aabb *box, double tolerance,
                        const abut_allocator *alloc, abut_affine *out, bool *no_memory)
{
    *no_memory = false;
    const frame f = find_frame(points, count, box);
    if (f.d == 0) {
        fit_place(points, out);
        return true;
    }
    double(*inner)[3] = abut_base_alloc(alloc, count, sizeof *inner);
    *no_memory = !inner;
    if (!inner)
        return false;
    fit_map(points, count, &f, fmax(tolerance > 0 ? tolerance : usual_tolerance, least_tolerance), inner,
            out);
    abut_base_free(alloc, inner, count, sizeof *inner);
    for (int i = 0; i < 9; ++i)
        if (!isfinite(out->linear.m[i / 3][i % 3]))
            return false;
    return abut_is_finite3(out->translation) && hold_points(points, count, ldexp(1, -f.exponent), out);
}

abut_status abut_ellipsoid_fit(const abut_vec3 *points, size_t count, double tolerance,
                               const abut_allocator *alloc, abut_affine *out, abut_error *error)
{
    abut_base_clear(error);
    if (!out || (count && !points))
        return abut_base_fail(error, ABUT_ERR_ARGUMENT, -1, "points or out is NULL");
    if (count == 0)
        return abut_base_fail(error, ABUT_ERR_ARGUMENT, -1, "there are no points to put an ellipsoid around");
    if (!(tolerance >= 0 && tolerance < INFINITY))
        return abut_base_fail(error, ABUT_ERR_ARGUMENT, -1, "the tolerance must be 0 or more");
    abut_aabb box;
    const abut_status status = abut_check_points(points, count, "point", &box, error);
    if (status)
        return status;
    const abut_allocator memory = abut_base_allocator(alloc);
    bool no_memory;
    abut_affine map;
    const abut_nearest saved = abut_nearest_enter();
    const bool fits = abut_fit_ellipsoid(points, count, &box, tolerance, &memory, &map, &no_memory);
    abut_nearest_leave(saved);
    if (no_memory)
        return abut_base_fail_memory(error);
    if (!fits)
        return abut_base_fail(error, ABUT_ERR_LIMIT, -1,
                              "the ellipsoid around the points is larger than doubles are");
    *out = map;
    return ABUT_OK;
}
