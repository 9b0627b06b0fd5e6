/* SPDX-License-Identifier: MIT */
/* See surface_referee.h. */
#include "oracle/surface_referee.h"

#include <math.h>
#include <string.h>

static const real two_pi = 6.283185307179586476925286766559005768L;

/* ---- bodies ---- */

static void torus_point(const referee_body *b, real u, real v, real p[3])
{
    const real away = b->size[0] + b->size[1] * cosl(v);
    p[0] = away * cosl(u);
    p[1] = away * sinl(u);
    p[2] = b->size[1] * sinl(v);
}

static real torus_inside(const referee_body *b, const real p[3])
{
    return hypotl(hypotl(p[0], p[1]) - b->size[0], p[2]) - b->size[1];
}

static void direction(real u, real v, real d[3])
{
    d[0] = cosl(u) * cosl(v);
    d[1] = sinl(u) * cosl(v);
    d[2] = sinl(v);
}

static void ellipsoid_point(const referee_body *b, real u, real v, real p[3])
{
    direction(u, v, p);
    for (int i = 0; i < 3; ++i)
        p[i] *= b->size[i];
}

static real least_of(const real s[3])
{
    return fminl(s[0], fminl(s[1], s[2]));
}

static real ellipsoid_inside(const referee_body *b, const real p[3])
{
    real sum = 0;
    for (int i = 0; i < 3; ++i)
        sum += p[i] * p[i] / (b->size[i] * b->size[i]);
    return (sqrtl(sum) - 1) * least_of(b->size);
}

static real quartic(const referee_body *b, const real p[3])
{
    real sum = 0;
    for (int i = 0; i < 3; ++i) {
        const real s = p[i] * p[i] / (b->size[i] * b->size[i]);
        sum += s * s;
    }
    return sqrtl(sqrtl(sum));
}

static void superquadric_point(const referee_body *b, real u, real v, real p[3])
{
    ellipsoid_point(b, u, v, p);
    const real scale = 1 / quartic(b, p);
    for (int i = 0; i < 3; ++i)
        p[i] *= scale;
}

static real superquadric_inside(const referee_body *b, const real p[3])
{
    return (quartic(b, p) - 1) * least_of(b->size);
}

static real bumpy_radius(const referee_body *b, real u, real v)
{
    return 1 + b->size[0] * sinl(b->waves[0] * u) * powl(cosl(v), b->waves[0]) * sinl(b->waves[1] * v);
}

static void bumpy_point(const referee_body *b, real u, real v, real p[3])
{
    const real r = bumpy_radius(b, u, v);
    direction(u, v, p);
    for (int i = 0; i < 3; ++i)
        p[i] *= r;
}

static real bumpy_inside(const referee_body *b, const real p[3])
{
    const real away = hypotl(p[0], p[1]), r = hypotl(away, p[2]);
    return r > 0 ? r - bumpy_radius(b, atan2l(p[1], p[0]), atan2l(p[2], away)) : -1;
}

static void start_body(referee_body *b, real reach, real steepness)
{
    memset(b, 0, sizeof *b);
    b->v_lo = -two_pi / 4;
    b->v_hi = two_pi / 4;
    b->rotation[0] = 1;
    b->reach = reach;
    b->steepness = steepness;
}

void referee_torus(referee_body *b, real major, real minor)
{
    start_body(b, major + minor, 1);
    b->v_lo = 0;
    b->v_hi = two_pi;
    b->v_closed = true;
    b->size[0] = major;
    b->size[1] = minor;
    b->point = torus_point;
    b->inside = torus_inside;
}

static void set_radii(referee_body *b, real x, real y, real z)
{
    b->size[0] = x;
    b->size[1] = y;
    b->size[2] = z;
}

void referee_ellipsoid(referee_body *b, real x, real y, real z)
{
    start_body(b, fmaxl(x, fmaxl(y, z)), 1);
    set_radii(b, x, y, z);
    b->point = ellipsoid_point;
    b->inside = ellipsoid_inside;
}

void referee_superquadric(referee_body *b, real x, real y, real z)
{
    start_body(b, 1.3161L * fmaxl(x, fmaxl(y, z)), 1.8L);
    set_radii(b, x, y, z);
    b->point = superquadric_point;
    b->inside = superquadric_inside;
}

void referee_bumpy(referee_body *b, real amplitude, int waves_u, int waves_v)
{
    start_body(b, 1 + fabsl(amplitude), 1);
    b->size[0] = amplitude;
    b->waves[0] = waves_u;
    b->waves[1] = waves_v;
    /* Along the sphere the radius changes by no more than amplitude (waves_u + waves_u +
     * waves_v), over a radius of at least 1 - amplitude. */
    b->steepness = 1 + fabsl(amplitude) * (2 * waves_u + waves_v) / (1 - fabsl(amplitude));
    b->point = bumpy_point;
    b->inside = bumpy_inside;
}

/* ---- motion ---- */

static void multiply(const real a[4], const real b[4], real out[4])
{
    out[0] = a[0] * b[0] - a[1] * b[1] - a[2] * b[2] - a[3] * b[3];
    out[1] = a[0] * b[1] + a[1] * b[0] + a[2] * b[3] - a[3] * b[2];
    out[2] = a[0] * b[2] - a[1] * b[3] + a[2] * b[0] + a[3] * b[1];
    out[3] = a[0] * b[3] + a[1] * b[2] - a[2] * b[1] + a[3] * b[0];
}

/* Rotation matrix at t. */
static void turn_at(const referee_body *b, real t, real m[3][3])
{
    const real speed =
        sqrtl(b->angular[0] * b->angular[0] + b->angular[1] * b->angular[1] + b->angular[2] * b->angular[2]);
    real spin[4] = { cosl(speed * t / 2), 0, 0, 0 }, q[4], square = 0;
    for (int i = 0; i < 3; ++i)
        spin[i + 1] = speed > 0 ? b->angular[i] / speed * sinl(speed * t / 2) : 0;
    multiply(spin, b->rotation, q);
    for (int i = 0; i < 4; ++i)
        square += q[i] * q[i];
    const real w = q[0], x = q[1], y = q[2], z = q[3];
    const real r[3][3] = { { w * w + x * x - y * y - z * z, 2 * (x * y - w * z), 2 * (x * z + w * y) },
                           { 2 * (x * y + w * z), w * w - x * x + y * y - z * z, 2 * (y * z - w * x) },
                           { 2 * (x * z - w * y), 2 * (y * z + w * x), w * w - x * x - y * y + z * z } };
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j)
            m[i][j] = r[i][j] / square;
}

typedef struct instant {
    const referee_body *a, *b;
    real ra[3][3], rb[3][3], pa[3], pb[3];
} instant;

static void stop_at(const referee_body *a, const referee_body *b, real t, instant *out)
{
    out->a = a;
    out->b = b;
    turn_at(a, t, out->ra);
    turn_at(b, t, out->rb);
    for (int i = 0; i < 3; ++i) {
        out->pa[i] = a->position[i] + t * a->linear[i];
        out->pb[i] = b->position[i] + t * b->linear[i];
    }
}

static void world_point(const instant *s, real u, real v, real p[3])
{
    real x[3];
    s->a->point(s->a, u, v, x);
    for (int i = 0; i < 3; ++i)
        p[i] = s->pa[i] + s->ra[i][0] * x[0] + s->ra[i][1] * x[1] + s->ra[i][2] * x[2];
}

static real value(const instant *s, real u, real v)
{
    real p[3], x[3];
    world_point(s, u, v, p);
    for (int i = 0; i < 3; ++i)
        p[i] -= s->pb[i];
    for (int i = 0; i < 3; ++i)
        x[i] = s->rb[0][i] * p[0] + s->rb[1][i] * p[1] + s->rb[2][i] * p[2];
    return s->b->inside(s->b, x);
}

/* ---- the least value ---- */

static const real step = 1e-5L;

static void derivatives(const instant *s, real u, real v, real g[2], real h[3])
{
    const real f = value(s, u, v), a = value(s, u + step, v), b = value(s, u - step, v);
    const real c = value(s, u, v + step), d = value(s, u, v - step);
    g[0] = (a - b) / (2 * step);
    g[1] = (c - d) / (2 * step);
    h[0] = (a - 2 * f + b) / (step * step);
    h[2] = (c - 2 * f + d) / (step * step);
    h[1] = (value(s, u + step, v + step) - value(s, u + step, v - step) - value(s, u - step, v + step) +
            value(s, u - step, v - step)) /
           (4 * step * step);
}

/* Newton's method where it goes down, else a step downhill. */
static real descend(const instant *s, real *u, real *v, real cell)
{
    real f = value(s, *u, *v);
    for (int i = 0; i < 60; ++i) {
        real g[2], h[3];
        derivatives(s, *u, *v, g, h);
        const real size = hypotl(g[0], g[1]), determinant = h[0] * h[2] - h[1] * h[1];
        if (size < 1e-15L)
            break;
        real du = -g[0] / size * cell, dv = -g[1] / size * cell;
        if (determinant > 0 && h[0] > 0) {
            du = -(h[2] * g[0] - h[1] * g[1]) / determinant;
            dv = -(h[0] * g[1] - h[1] * g[0]) / determinant;
        }
        const real length = hypotl(du, dv);
        if (length > cell) {
            du *= cell / length;
            dv *= cell / length;
        }
        real next = value(s, *u + du, *v + dv);
        for (int k = 0; k < 30 && !(next < f); ++k) {
            du /= 2;
            dv /= 2;
            next = value(s, *u + du, *v + dv);
        }
        if (!(next < f))
            break;
        *u += du;
        *v += dv;
        f = next;
        if (hypotl(du, dv) < 1e-13L)
            break;
    }
    return f;
}

enum { BEST = 6, MOST_GRID = 128 };

typedef struct place {
    real f, u, v;
} place;

/* The best local minima of the grid, polished; ascending. */
static int find_places(const instant *s, int n, place out[BEST])
{
    static real grid[MOST_GRID][MOST_GRID];
    const referee_body *a = s->a;
    int count = 0;
    if (n > MOST_GRID)
        n = MOST_GRID;
    const real du = two_pi / n, dv = (a->v_hi - a->v_lo) / n;
    for (int i = 0; i < n; ++i)
        for (int j = 0; j < n; ++j)
            grid[i][j] = value(s, (i + 0.5L) * du, a->v_lo + (j + 0.5L) * dv);
    for (int i = 0; i < n; ++i)
        for (int j = 0; j < n; ++j) {
            bool least = true;
            for (int k = -1; k <= 1 && least; ++k)
                for (int l = -1; l <= 1 && least; ++l) {
                    int jj = j + l;
                    if (a->v_closed)
                        jj = (jj + n) % n;
                    if (jj >= 0 && jj < n)
                        least = grid[i][j] <= grid[(i + k + n) % n][jj];
                }
            if (!least)
                continue;
            place p = { grid[i][j], (i + 0.5L) * du, a->v_lo + (j + 0.5L) * dv };
            if (count == BEST && p.f >= out[BEST - 1].f)
                continue;
            int at = count < BEST ? count++ : BEST - 1;
            for (; at > 0 && out[at - 1].f > p.f; --at)
                out[at] = out[at - 1];
            out[at] = p;
        }
    for (int i = 0; i < count; ++i)
        out[i].f = descend(s, &out[i].u, &out[i].v, fmaxl(du, dv));
    for (int i = 1; i < count; ++i)
        for (int j = i; j > 0 && out[j].f < out[j - 1].f; --j) {
            const place p = out[j];
            out[j] = out[j - 1];
            out[j - 1] = p;
        }
    return count;
}

real referee_gap(const referee_body *a, const referee_body *b, real t, int grid, real point[3])
{
    instant s;
    place p[BEST];
    stop_at(a, b, t, &s);
    (void)find_places(&s, grid, p);
    if (point)
        world_point(&s, p[0].u, p[0].v, point);
    return p[0].f;
}

/* ---- in time ---- */

static real length_of(const real v[3])
{
    return sqrtl(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
}

static real relative_speed(const referee_body *a, const referee_body *b)
{
    const real v[3] = { a->linear[0] - b->linear[0], a->linear[1] - b->linear[1],
                        a->linear[2] - b->linear[2] };
    return length_of(v) + a->reach * length_of(a->angular);
}

/* Bodies that turn sweep the points of the other, too: as far as those are from its origin, near
 * contact its reach. */
static real speed_bound(const referee_body *a, const referee_body *b, real gap)
{
    return (relative_speed(a, b) + (b->reach + gap) * length_of(b->angular)) * b->steepness;
}

static void residual(const referee_body *a, const referee_body *b, const real x[3], real f[3])
{
    instant s;
    real h[3];
    stop_at(a, b, x[2], &s);
    f[0] = value(&s, x[0], x[1]);
    derivatives(&s, x[0], x[1], f + 1, h);
}

static bool solve(real m[3][3], const real b[3], real x[3])
{
    const real d = m[0][0] * (m[1][1] * m[2][2] - m[1][2] * m[2][1]) -
                   m[0][1] * (m[1][0] * m[2][2] - m[1][2] * m[2][0]) +
                   m[0][2] * (m[1][0] * m[2][1] - m[1][1] * m[2][0]);
    if (!(fabsl(d) > 0))
        return false;
    for (int k = 0; k < 3; ++k) {
        real c[3][3];
        memcpy(c, m, sizeof c);
        for (int i = 0; i < 3; ++i)
            c[i][k] = b[i];
        x[k] = (c[0][0] * (c[1][1] * c[2][2] - c[1][2] * c[2][1]) -
                c[0][1] * (c[1][0] * c[2][2] - c[1][2] * c[2][0]) +
                c[0][2] * (c[1][0] * c[2][1] - c[1][1] * c[2][0])) /
               d;
    }
    return true;
}

static bool newton(const referee_body *a, const referee_body *b, real x[3])
{
    for (int i = 0; i < 20; ++i) {
        real f[3], m[3][3], dx[3];
        residual(a, b, x, f);
        for (int k = 0; k < 3; ++k) {
            real p[3] = { x[0], x[1], x[2] }, q[3] = { x[0], x[1], x[2] }, fp[3], fq[3];
            p[k] += 1e-6L;
            q[k] -= 1e-6L;
            residual(a, b, p, fp);
            residual(a, b, q, fq);
            for (int j = 0; j < 3; ++j)
                m[j][k] = (fp[j] - fq[j]) / 2e-6L;
        }
        if (!solve(m, f, dx))
            return false;
        for (int k = 0; k < 3; ++k)
            x[k] -= dx[k];
        if (fabsl(dx[0]) + fabsl(dx[1]) < 1e-9L && fabsl(dx[2]) < 1e-16L)
            return true;
    }
    return false;
}

/* The solution is soon after t, nothing touches half way, and elsewhere nothing is inside then. */
static bool is_first(const referee_body *a, const referee_body *b, real t, const real x[3], int grid)
{
    return x[2] >= t - 1e-12L && x[2] < t + 0.05L &&
           referee_gap(a, b, 0.5L * (t + x[2]), grid, NULL) > -1e-14L &&
           fabsl(referee_gap(a, b, x[2], grid, NULL)) < 1e-11L;
}

static void finish(const referee_body *a, const referee_body *b, const real x[3], int grid,
                   referee_contact *out)
{
    instant s;
    place p[BEST];
    stop_at(a, b, x[2], &s);
    world_point(&s, x[0], x[1], out->point);
    out->time = x[2];
    out->verdict = REFEREE_CONTACT;
    const int count = find_places(&s, grid, p);
    for (int k = 0; k < count; ++k) {
        real other[3], away = 0;
        world_point(&s, p[k].u, p[k].v, other);
        for (int i = 0; i < 3; ++i)
            away = fmaxl(away, fabsl(other[i] - out->point[i]));
        out->rivals += p[k].f < 1e-6L && away > 1e-6L;
    }
}

void referee_first_contact(const referee_body *a, const referee_body *b, real end, int grid,
                           referee_contact *out)
{
    real t = 0;
    memset(out, 0, sizeof *out);
    out->least = INFINITY;
    for (int i = 0; i < 4000; ++i) {
        instant s;
        place p[BEST];
        stop_at(a, b, t, &s);
        (void)find_places(&s, grid, p);
        const real gap = p[0].f;
        out->least = fminl(out->least, gap);
        if (gap <= 0) {
            out->verdict = i == 0 ? REFEREE_OVERLAPPING : REFEREE_UNSURE;
            return;
        }
        if (gap < 1e-3L) {
            real x[3] = { p[0].u, p[0].v, t };
            if (newton(a, b, x) && is_first(a, b, t, x, grid)) {
                if (x[2] > end) {
                    out->verdict = x[2] > end + 1e-9L ? REFEREE_SEPARATE : REFEREE_UNSURE;
                    return;
                }
                finish(a, b, x, grid, out);
                return;
            }
        }
        if (t >= end) {
            out->verdict = REFEREE_SEPARATE;
            return;
        }
        t = fminl(end, t + fmaxl(0.9L * gap / speed_bound(a, b, gap), 1e-12L));
    }
    out->verdict = REFEREE_UNSURE;
}

/* ---- distance ---- */

typedef struct pair_of {
    const instant *s, *mirrored;
} pair_of;

static real square_distance(const pair_of *x, const real q[4])
{
    real p[3], r[3], sum = 0;
    world_point(x->s, q[0], q[1], p);
    world_point(x->mirrored, q[2], q[3], r);
    for (int i = 0; i < 3; ++i)
        sum += (p[i] - r[i]) * (p[i] - r[i]);
    return sum;
}

/* Downhill by turns in each pair of parameters, by Newton's method with numerical derivatives,
 * until nothing changes. */
static real decide_distance(const pair_of *x, real q[4], real cell)
{
    real f = square_distance(x, q);
    for (int i = 0; i < 400; ++i) {
        const real before = f;
        for (int k = 0; k < 4; k += 2) {
            const real h = 1e-5L;
            real c[9], p[4];
            for (int j = 0; j < 9; ++j) {
                memcpy(p, q, sizeof p);
                p[k] += (j % 3 - 1) * h;
                p[k + 1] += (j / 3 - 1) * h;
                c[j] = square_distance(x, p);
            }
            const real gu = (c[5] - c[3]) / (2 * h), gv = (c[7] - c[1]) / (2 * h);
            const real uu = (c[5] - 2 * c[4] + c[3]) / (h * h), vv = (c[7] - 2 * c[4] + c[1]) / (h * h);
            const real uv = (c[8] - c[6] - c[2] + c[0]) / (4 * h * h), d = uu * vv - uv * uv;
            const real size = hypotl(gu, gv);
            if (!(size > 0))
                continue;
            real du = -gu / size * cell, dv = -gv / size * cell;
            if (d > 0 && uu > 0) {
                du = -(vv * gu - uv * gv) / d;
                dv = -(uu * gv - uv * gu) / d;
            }
            for (int j = 0; j < 40; ++j) {
                memcpy(p, q, sizeof p);
                p[k] += du;
                p[k + 1] += dv;
                const real next = square_distance(x, p);
                if (next < f) {
                    memcpy(q, p, sizeof p);
                    f = next;
                    break;
                }
                du /= 2;
                dv /= 2;
            }
        }
        if (before - f < 1e-19L * before)
            break;
    }
    return f;
}

/* x of m x = b in four unknowns, by elimination; false where it is singular. */
static bool solve4(real m[4][4], real b[4])
{
    for (int k = 0; k < 4; ++k) {
        int p = k;
        for (int i = k + 1; i < 4; ++i)
            p = fabsl(m[i][k]) > fabsl(m[p][k]) ? i : p;
        if (!(fabsl(m[p][k]) > 0))
            return false;
        for (int j = 0; j < 4; ++j) {
            const real x = m[k][j];
            m[k][j] = m[p][j];
            m[p][j] = x;
        }
        const real x = b[k];
        b[k] = b[p];
        b[p] = x;
        for (int i = k + 1; i < 4; ++i) {
            const real l = m[i][k] / m[k][k];
            for (int j = k; j < 4; ++j)
                m[i][j] -= l * m[k][j];
            b[i] -= l * b[k];
        }
    }
    for (int i = 3; i >= 0; --i) {
        for (int j = i + 1; j < 4; ++j)
            b[i] -= m[i][j] * b[j];
        b[i] /= m[i][i];
    }
    return true;
}

static real moved(const pair_of *x, const real q[4], int i, real a, int j, real b)
{
    real p[4] = { q[0], q[1], q[2], q[3] };
    p[i] += a;
    p[j] += b;
    return square_distance(x, p);
}

/* Newton's method in all four at once, as long as it goes down: turns are slow in flat valleys. */
static real finish_distance(const pair_of *x, real q[4], real f)
{
    const real h = 1e-4L;
    for (int pass = 0; pass < 30; ++pass) {
        real m[4][4], g[4];
        for (int i = 0; i < 4; ++i) {
            g[i] = (moved(x, q, i, h, i, 0) - moved(x, q, i, -h, i, 0)) / (2 * h);
            for (int j = 0; j < 4; ++j)
                m[i][j] = i == j ? (moved(x, q, i, h, i, 0) - 2 * f + moved(x, q, i, -h, i, 0)) / (h * h)
                                 : (moved(x, q, i, h, j, h) - moved(x, q, i, h, j, -h) -
                                    moved(x, q, i, -h, j, h) + moved(x, q, i, -h, j, -h)) /
                                       (4 * h * h);
        }
        if (!solve4(m, g))
            return f;
        const real p[4] = { q[0] - g[0], q[1] - g[1], q[2] - g[2], q[3] - g[3] };
        const real next = square_distance(x, p);
        if (!(next < f))
            return f;
        memcpy(q, p, sizeof p);
        f = next;
    }
    return f;
}

real referee_distance(const referee_body *a, const referee_body *b, int grid)
{
    instant s, mirrored;
    real best = INFINITY;
    stop_at(a, b, 0, &s);
    stop_at(b, a, 0, &mirrored);
    const pair_of x = { &s, &mirrored };
    place near_a[BEST], near_b[BEST];
    const int n = find_places(&s, grid, near_a), m = find_places(&mirrored, grid, near_b);
    for (int i = 0; i < n; ++i)
        for (int j = 0; j < m; ++j) {
            real q[4] = { near_a[i].u, near_a[i].v, near_b[j].u, near_b[j].v };
            const real f = decide_distance(&x, q, 0.1L);
            best = fminl(best, finish_distance(&x, q, f));
        }
    return sqrtl(best);
}
