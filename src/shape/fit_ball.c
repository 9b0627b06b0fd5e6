/* SPDX-License-Identifier: MIT */
/* The smallest ball around points.
 *
 * Method: the ball of a few points grows by the point that is furthest outside, until none is
 * (Gaertner 1999: farthest first). Of the at most five points then at hand the ball is found by
 * trying: the centre is the circumcentre of one to four of them, namely the one whose furthest
 * point of all five is nearest. That needs no tolerance, and nothing is lost where four points are
 * nearly in a plane.
 *
 * The search runs in long double, in units in which the box of the points is 1 wide. It only
 * steers: the radius is the greatest distance from the centre, as it is in doubles, with every
 * operation rounded up. */
#include "interval/ia.h"
#include "math/nearest.h"
#include "math/vec3.h"
#include "shape/arrays.h"
#include "shape/fit.h"

enum { MOST_ROUNDS = 200 };

typedef long double wide;

typedef struct ball {
    wide centre[3], square; /* of the radius */
} ball;

typedef struct few { /* points that the ball rests on, and one more */
    wide at[5][3];
    int count;
} few;

static wide square_distance(const wide a[3], const wide b[3])
{
    wide sum = 0;
    for (int i = 0; i < 3; ++i)
        sum += (a[i] - b[i]) * (a[i] - b[i]);
    return sum;
}

/* Solves the n x n system in m (n columns and the right side) with pivots; false where it is
 * singular. */
static bool eliminate(wide m[3][4], int n, wide x[3])
{
    for (int k = 0; k < n; ++k) {
        int top = k;
        for (int i = k + 1; i < n; ++i)
            if (fabsl(m[i][k]) > fabsl(m[top][k]))
                top = i;
        if (!(fabsl(m[top][k]) > 0))
            return false;
        for (int j = 0; j <= n; ++j) {
            const wide kept = m[k][j];
            m[k][j] = m[top][j];
            m[top][j] = kept;
        }
        for (int i = k + 1; i < n; ++i) {
            const wide f = m[i][k] / m[k][k];
            for (int j = k; j <= n; ++j)
                m[i][j] -= f * m[k][j];
        }
    }
    for (int k = n - 1; k >= 0; --k) {
        x[k] = m[k][n];
        for (int j = k + 1; j < n; ++j)
            x[k] -= m[k][j] * x[j];
        x[k] /= m[k][k];
    }
    return true;
}

/* The point of their space that is equally far from all points of the set `bits`: p0 + sum x_i
 * (p_i - p0). */
static bool circumcentre(const few *f, unsigned bits, wide out[3])
{
    const wide *p[4];
    int count = 0;
    for (int i = 0; i < f->count; ++i)
        if (bits >> i & 1)
            p[count++] = f->at[i];
    wide way[3][3], m[3][4], x[3];
    for (int i = 1; i < count; ++i)
        for (int k = 0; k < 3; ++k)
            way[i - 1][k] = p[i][k] - p[0][k];
    for (int i = 0; i < count - 1; ++i) {
        for (int j = 0; j < count - 1; ++j)
            m[i][j] = 2 * (way[i][0] * way[j][0] + way[i][1] * way[j][1] + way[i][2] * way[j][2]);
        m[i][count - 1] = m[i][i] / 2;
    }
    if (!eliminate(m, count - 1, x))
        return false;
    for (int k = 0; k < 3; ++k) {
        out[k] = p[0][k];
        for (int i = 0; i < count - 1; ++i)
            out[k] += x[i] * way[i][k];
    }
    return true;
}

static int bit_count(unsigned bits)
{
    int count = 0;
    for (; bits; bits &= bits - 1)
        ++count;
    return count;
}

/* The smallest ball around a few points; *f keeps those that it rests on. */
static ball ball_of_few(few *f)
{
    ball best = { { 0, 0, 0 }, INFINITY };
    unsigned held = 1;
    for (unsigned bits = 1; bits < 1U << f->count; ++bits) {
        wide centre[3], far = 0;
        if (bit_count(bits) > 4 || !circumcentre(f, bits, centre))
            continue;
        for (int i = 0; i < f->count; ++i) {
            const wide d = square_distance(centre, f->at[i]);
            far = d > far ? d : far;
        }
        if (far < best.square) {
            best = (ball){ { centre[0], centre[1], centre[2] }, far };
            held = bits;
        }
    }
    int kept = 0;
    for (int i = 0; i < f->count; ++i)
        if (held >> i & 1) {
            for (int k = 0; k < 3; ++k)
                f->at[kept][k] = f->at[i][k];
            ++kept;
        }
    f->count = kept;
    return best;
}

/* Upper bound of the distance of the furthest point, times `scale`, a power of two. */
static ABUT_NOINLINE void furthest_up(const abut_vec3 *points, size_t count, const abut_vec3 *centre,
                                      double scale, double *out)
{
    const ia x = ia_point(centre->x), y = ia_point(centre->y), z = ia_point(centre->z);
    double most = 0;
    for (size_t i = 0; i < count; ++i) {
        const ia dx = ia_scale(scale, ia_sub(ia_point(points[i].x), x));
        const ia dy = ia_scale(scale, ia_sub(ia_point(points[i].y), y));
        const ia dz = ia_scale(scale, ia_sub(ia_point(points[i].z), z));
        const double square = ia_hi(ia_add(ia_add(ia_sqr(dx), ia_sqr(dy)), ia_sqr(dz)));
        most = square > most ? square : most;
    }
    *out = most > 0 ? ia_hi(ia_sqrt(ia_point(most))) : 0;
}

static size_t furthest(const abut_vec3 *points, size_t count, abut_vec3 middle, double scale, abut_vec3 from,
                       double *square)
{
    size_t at = 0;
    *square = -1;
    for (size_t i = 0; i < count; ++i) {
        const abut_vec3 d = abut_sub(abut_scale(scale, abut_sub(points[i], middle)), from);
        const double s = abut_dot(d, d);
        if (s > *square) {
            *square = s;
            at = i;
        }
    }
    return at;
}

static ABUT_MATH_NOINLINE abut_vec3 find_centre(const abut_vec3 *points, size_t count, abut_vec3 middle,
                                                int exponent)
{
    const double scale = ldexp(1, -exponent);
    double square;
    few f = { .count = 1 };
    const abut_vec3 origin = { 0, 0, 0 };
    const size_t start = furthest(points, count, middle, scale, origin, &square);
    const abut_vec3 first = abut_scale(scale, abut_sub(points[start], middle));
    ball best = { { first.x, first.y, first.z }, 0 };
    for (int k = 0; k < 3; ++k)
        f.at[0][k] = best.centre[k];
    for (int round = 0; round < MOST_ROUNDS; ++round) {
        const abut_vec3 from = { (double)best.centre[0], (double)best.centre[1], (double)best.centre[2] };
        const size_t i = furthest(points, count, middle, scale, from, &square);
        if (!(square > best.square * (1 + 0x1p-50L)))
            break;
        const abut_vec3 p = abut_scale(scale, abut_sub(points[i], middle));
        few more = f;
        more.at[more.count][0] = p.x;
        more.at[more.count][1] = p.y;
        more.at[more.count++][2] = p.z;
        const ball next = ball_of_few(&more);
        if (!(next.square > best.square)) /* as good as it gets */
            break;
        best = next;
        f = more;
    }
    return abut_v3((double)(middle.x + ldexpl(best.centre[0], exponent)),
                   (double)(middle.y + ldexpl(best.centre[1], exponent)),
                   (double)(middle.z + ldexpl(best.centre[2], exponent)));
}

bool abut_fit_ball(const abut_vec3 *points, size_t count, const abut_aabb *box, abut_vec3 *centre,
                   double *radius)
{
    abut_vec3 middle;
    const int exponent = abut_fit_scale(box, &middle);
    double scaled;
    *centre = find_centre(points, count, middle, exponent);
    if (!abut_is_finite3(*centre))
        return false;
    const abut_rounding saved = abut_rounding_enter();
    furthest_up(points, count, centre, ldexp(1, -exponent), &scaled);
    abut_rounding_leave(saved);
    *radius = ldexp(scaled, exponent);
    if (ldexp(*radius, -exponent) < scaled) /* a subnormal */
        *radius = ia_up(*radius);
    return isfinite(*radius);
}

abut_status abut_sphere_fit(const abut_vec3 *points, size_t count, abut_vec3 *centre, double *radius,
                            abut_error *error)
{
    abut_base_clear(error);
    if (!centre || !radius || (count && !points))
        return abut_base_fail(error, ABUT_ERR_ARGUMENT, -1, "points, centre or radius is NULL");
    if (count == 0)
        return abut_base_fail(error, ABUT_ERR_ARGUMENT, -1, "there are no points to put a ball around");
    abut_aabb box;
    const abut_status status = abut_check_points(points, count, "point", &box, error);
    if (status)
        return status;
    const abut_nearest saved = abut_nearest_enter();
    const bool fits = abut_fit_ball(points, count, &box, centre, radius);
    abut_nearest_leave(saved);
    return fits ? ABUT_OK
                : abut_base_fail(error, ABUT_ERR_LIMIT, -1,
                                 "the ball around the points is larger than doubles are");
}
