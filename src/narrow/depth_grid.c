/* SPDX-License-Identifier: MIT */
/* Proves that no direction is shallower, over rectangles of x and y, the parts of the direction along both axes; depth_disc.h says what is proved about what.
 *
 * In x and y all of f but -tau z is a sum of a function of x and one of y, both concave between the kinks, and z is below each plane that touches the sphere, which is linear. So over a rectangle
 *     f >= least of A(x0), A(x1) + least of B(y0), B(y1) - tau / p_z,
 * A and B with the plane's share: a few operations for any p, and a new line costs one root. About the least direction p, where that does not do, S_a and S_b are below their tangents by no more than their largest bend, and z below the plane by the square of the
 * distance: where the form of both is positive, with what f rises on both sides of a kink, f >= f(p). Proofs and rounding: docs/notes/depth.md. */
#include "narrow/depth_disc.h"

enum { MOST_CELLS = 48, MOST_SHRINKS = 6 };

/* A line of the grid: x or y, the share of f that depends on it alone, and the part of directions across the axis. */
typedef struct line {
    double at, value, flat;
} line;

typedef struct rectangle {
    line x[2], y[2];
} rectangle;

/* A point of the sphere, and the plane that touches it there: z <= height - (x, y) . slope */
typedef struct touching {
    double x, y, height, slope[2]; /* the last three times tau */
} touching;

typedef struct grid {
    const abut_disc *d;
    double per[2];   /* f = per . (x, y) + S_a(x) + S_b(y) - tau z */
    double per_sine; /* 1 / s */
    double r, least; /* to be proved; what is asked of computed values */
    touching top;    /* at the direction with the least f known */
    double top_z;
    bool topped;
    int cells;
    uint32_t lines; /* looked at: two are as much work as a direction */
    rectangle stack[MOST_CELLS];
} grid;

static line line_at(grid *k, int body, double at)
{
    const abut_rims_body *b = &k->d->body[body];
    const double square = 1 - at * at, flat = square > 0 ? sqrt(square) : 0;
    ++k->lines;
    return (line){ at, k->per[body] * at + b->mean * flat + 0.5 * fabs(2 * b->h * at - b->apex * flat),
                   flat };
}

static double w_of(const grid *k, double x, double y)
{
    return k->per_sine * (y - k->d->c * x);
}

static touching touch_with(const grid *k, double x, double y, double w, double z)
{
    const double height = k->d->tau / z, slope = height * w * k->per_sine;
    return (touching){ x, y, height, { height * x - k->d->c * slope, slope } };
}

/* p_z is the height of (x, w) on the sphere, or where that is low (or nothing) a point above it is taken; low: the square of what that is, as suits the size of the cell. */
static touching touch_at(const grid *k, double x, double y, double low)
{
    const double w = w_of(k, x, y), square = x * x + w * w;
    if (square < 1 - low)
        return touch_with(k, x, y, w, sqrt(1 - square));
    const double l = 1 / sqrt(square + low);
    return touch_with(k, l * x, l * y, l * w, l * sqrt(low));
}

/* S'' <= -rho, as it is nearest to the axis' middle plane in the rectangle; nothing where the apex of a cone is ahead. */
static double least_bend(const grid *k, int body, const line v[2])
{
    const abut_rims_body *b = &k->d->body[body];
    if (b->apex > 0 && v[1].at > k->d->kink[body])
        return 0;
    const double flat = v[0].at > 0 ? v[0].flat : v[1].at < 0 ? v[1].flat : 1;
    return b->r / (flat * flat * flat) * (1 - 0x1p-30);
}

static inline double least_of(const line v[2], double p, double slope, double bend, int *worst)
{
    const double d0 = v[0].at - p, d1 = v[1].at - p;
    const double low = v[0].value + slope * v[0].at + bend * d0 * d0,
                 high = v[1].value + slope * v[1].at + bend * d1 * d1;
    *worst = high < low;
    return high < low ? high : low;
}

/* f is at least this in the rectangle: what S_a and S_b are bent goes on top, as far as the sphere is bent as well, since what is left is still concave. */
static double least_under(const grid *k, const rectangle *c, const touching *p, const double bend[2],
                          int worst[2])
{
    const double t = p->height * k->per_sine * k->per_sine, tc = t * k->d->c, all = t - fabs(tc);
    const double a = bend[0] < all ? bend[0] : all;
    const double rest = a < t ? t - tc * tc / (t - a) : 0, b = bend[1] < rest ? bend[1] : rest;
    const double down = 0.5 - 0x1p-20;
    return least_of(c->x, p->x, p->slope[0], down * a, &worst[0]) +
           least_of(c->y, p->y, p->slope[1], down * (b > 0 ? b : 0), &worst[1]) -
           p->height * (1 + 0x1p-49 * k->per_sine);
}

/* All of it outside of the disc: beyond a tangent to it. */
static bool is_outside(const grid *k, const rectangle *c, double x, double w)
{
    const double square = x * x + w * w, l = 1 / sqrt(square), b = l * w * k->per_sine,
                 a = l * x - k->d->c * b;
    const double low = (a > 0 ? a * c->x[0].at : a * c->x[1].at) + (b > 0 ? b * c->y[0].at : b * c->y[1].at);
    return low > 1 + 0x1p-40;
}

/* f at a corner, or where that is a little outside of the disc, at its edge. */
static bool is_shallower(grid *k, const line *x, const line *y, abut_vec3 *at)
{
    const abut_disc *d = k->d;
    const double w = w_of(k, x->at, y->at), square = x->at * x->at + w * w,
                 z = square < 1 ? sqrt(1 - square) : 0;
    if (!(x->value + y->value - d->tau * z < k->least && square < 1.0625))
        return false;
    const double l = square < 1 ? 1 : 1 / sqrt(square);
    if (square >= 1 && !(line_at(k, 0, l * x->at).value + line_at(k, 1, l * y->at).value < k->least))
        return false;
    *at = abut_unit_or(abut_disc_direction(d, l * x->at, l * w, z), d->e[2]);
    return true;
}

static bool is_done(const grid *k, const rectangle *c, double x, double y, int worst[2])
{
    int other[2];
    const double bend[2] = { least_bend(k, 0, c->x), least_bend(k, 1, c->y) };
    const double size = 0.03125 * k->per_sine * (c->x[1].at - c->x[0].at + c->y[1].at - c->y[0].at),
                 low = size < 0x1p-16  ? 0x1p-16
                       : size > 0x1p-8 ? 0x1p-8
                                       : size;
    const touching middle = touch_at(k, x, y, low);
    if (least_under(k, c, &middle, bend, worst) >= k->least)
        return true;
    if (k->topped && least_under(k, c, &k->top, bend, other) >= k->least)
        return true;
    const line *vx = &c->x[worst[0]], *vy = &c->y[worst[1]];
    touching corner = touch_at(k, vx->at, vy->at, low);
    /* Outside of the disc: as if tau were larger, which lifts what is there. */
    const double w = w_of(k, vx->at, vy->at), beyond = sqrt(vx->at * vx->at + w * w) - 1,
                 lacking = k->least - (vx->value + vy->value);
    if (beyond > 0x1p-10 && corner.height * beyond < lacking) {
        const double more = 1.001 * lacking / (beyond * corner.height);
        corner.height *= more;
        corner.slope[0] *= more;
        corner.slope[1] *= more;
    }
    return least_under(k, c, &corner, bend, other) >= k->least;
}

static abut_disc_end work(grid *k, uint32_t most, abut_vec3 *at)
{
    while (k->cells > 0) {
        rectangle *c = &k->stack[k->cells - 1];
        const double x = 0.5 * (c->x[0].at + c->x[1].at), y = 0.5 * (c->y[0].at + c->y[1].at),
                     w = w_of(k, x, y);
        int worst[2];
        if ((x * x + w * w > 1 && is_outside(k, c, x, w)) || is_done(k, c, x, y, worst)) {
            --k->cells;
            continue;
        }
        if (is_shallower(k, &c->x[worst[0]], &c->y[worst[1]], at))
            return ABUT_DISC_SHALLOWER;
        if (k->lines >= most || k->cells == MOST_CELLS)
            return ABUT_DISC_OPEN;
        rectangle *n = &k->stack[k->cells++];
        *n = *c;
        if (c->x[1].at - c->x[0].at > c->y[1].at - c->y[0].at)
            c->x[1] = n->x[0] = line_at(k, 0, x);
        else
            c->y[1] = n->y[0] = line_at(k, 1, y);
    }
    return ABUT_DISC_PROVED;
}

/* ---- the cells to begin with ---- */

static void put(grid *k, line x0, line x1, line y0, line y1)
{
    if (x0.at < x1.at && y0.at < y1.at && k->cells < MOST_CELLS)
        k->stack[k->cells++] = (rectangle){ { x0, x1 }, { y0, y1 } };
}

/* One coordinate of what is about p in a cell: it may go from lo to hi. */
typedef struct span {
    double p, lo, hi;
    double rise;  /* f rises by this for 1 away from a kink at p; 0 elsewhere */
    double slope; /* what is left of its slope elsewhere */
    double bend;  /* the largest */
} span;

/* The part `part` of it: away from a kink, or as far from the axis' middle plane; or, with `in` for the end that leads to the middle of the disc, away from the rim of the disc. */
static span span_of(const grid *k, int body, const line v[2], double p, double flat, double plane,
                    double part, int in)
{
    const abut_rims_body *b = &k->d->body[body];
    const double kink = k->d->kink[body], lo = v[0].at, hi = v[1].at;
    const bool above = lo >= kink, apex = above && b->apex > 0;
    span s = { .p = p, .lo = lo, .hi = hi };
    const double slope = k->per[body] + plane + (above ? b->h : -b->h) - (apex ? 0 : b->r * p / flat);
    if (p == kink) {
        s.rise = above ? slope : -slope;
        s.hi = above ? p + part * (hi - p) : p;
        s.lo = above ? p : p + part * (lo - p);
    } else if (part < 1) {
        const double far = fabs(lo) > fabs(hi) ? fabs(lo) : fabs(hi), most = fabs(p) + part * (far - fabs(p)),
                     out = 4 * part < 1 ? 4 * part : 1;
        s.lo = in ? p + (in < 0 ? part : out) * (lo - p) : lo < -most ? -most : lo;
        s.hi = in ? p + (in > 0 ? part : out) * (hi - p) : hi > most ? most : hi;
    }
    s.slope = p == kink ? 0 : slope;
    const double far = fabs(s.lo) > fabs(s.hi) ? fabs(s.lo) : fabs(s.hi), square = 1 - far * far;
    s.bend = apex ? 0 : b->r / (square * sqrt(square)) * (1 + 0x1p-30);
    return s;
}

/* A symmetric form. */
typedef struct form {
    double xx, xy, yy;
} form;

/* A positive form, with what slopes away from kinks add to it; an eighth of it pays for what is left of other slopes. How much f may be below f(p), then. */
static double lost_by(const form *m, const span *x, const span *y)
{
    const double a = m->xx - x->bend + 2 * x->rise / (x->hi - x->lo),
                 b = m->yy - y->bend + 2 * y->rise / (y->hi - y->lo);
    if (!(a > 0 && b > 0 && x->rise >= 0 && y->rise >= 0 && 0.765625 * (a * b) >= m->xy * m->xy))
        return INFINITY;
    return 4 * (x->slope * x->slope / a + y->slope * y->slope / b);
}

/* The part of |v - p|^2 that is up or down: (z - p_z)^2 = (m . d)^2 / ((z + p_z) / 2)^2, m half way from p to v on the disc. m is that of the middle within some half width, and (a + b)^2 >= 3/4 a^2 - 3 b^2. */
static void add_height(const grid *k, const span *x, const span *y, form *out)
{
    const double c = k->d->c, per = k->per_sine * k->per_sine;
    const double mx = 0.25 * (2 * x->p + x->lo + x->hi), my = 0.25 * (2 * y->p + y->lo + y->hi),
                 dx = 0.25 * (x->hi - x->lo), dy = 0.25 * (y->hi - y->lo);
    const double a = per * (mx - c * my), b = per * (my - c * mx), da = per * (dx + fabs(c) * dy),
                 db = per * (dy + fabs(c) * dx);
    /* What is nearest to the middle of the disc is highest. */
    const double nx = per * (x->p - c * y->p), ny = per * (y->p - c * x->p), flat = 1 - k->top_z * k->top_z;
    const double near = (nx > 0 ? nx * x->lo : nx * x->hi) + (ny > 0 ? ny * y->lo : ny * y->hi),
                 square = near > 0 ? 1 - near * near / flat * (1 - 0x1p-30) : 1;
    const double mean = 0.5 * (k->top_z + (square > 0 ? sqrt(square) : 0)) * (1 + 0x1p-30),
                 weight = k->top.height / (mean * mean);
    out->xx += weight * (0.75 * a * a - 6 * da * da);
    out->xy += weight * 0.75 * a * b;
    out->yy += weight * (0.75 * b * b - 6 * db * db);
}

static double lost_in(const grid *k, const span *x, const span *y, bool high)
{
    const double t = k->top.height * k->per_sine * k->per_sine * (1 - 0x1p-30);
    form m = { t, -t * k->d->c, t };
    if (high)
        add_height(k, x, y, &m);
    return lost_by(&m, x, y);
}

/* A cell with p in it or on its edge: what is not about p. False where nothing is known about p: no cell near it would be proved. */
static bool put_about(grid *k, const rectangle *cell, const line *x, const line *y)
{
    const double value = x->value + y->value + k->top.slope[0] * x->at + k->top.slope[1] * y->at -
                         k->top.height * (1 + 0x1p-49 * k->per_sine);
    const double c = k->d->c;
    const int in_x = x->at - c * y->at > 0 ? -1 : 1, in_y = y->at - c * x->at > 0 ? -1 : 1;
    double part = 1;
    for (int i = 0; i < 2 * MOST_SHRINKS; ++i, part *= 0.5) {
        const bool high = i >= MOST_SHRINKS;
        if (i == MOST_SHRINKS)
            part = 1;
        const span a = span_of(k, 0, cell->x, x->at, x->flat, k->top.slope[0], part, high ? in_x : 0),
                   b = span_of(k, 1, cell->y, y->at, y->flat, k->top.slope[1], part, high ? in_y : 0);
        if (!(value - lost_in(k, &a, &b, high) >= k->least))
            continue;
        const line x0 = a.lo > cell->x[0].at ? line_at(k, 0, a.lo) : cell->x[0],
                   x1 = a.hi < cell->x[1].at ? line_at(k, 0, a.hi) : cell->x[1],
                   y0 = b.lo > cell->y[0].at ? line_at(k, 1, b.lo) : cell->y[0],
                   y1 = b.hi < cell->y[1].at ? line_at(k, 1, b.hi) : cell->y[1];
        put(k, cell->x[0], x0, cell->y[0], cell->y[1]);
        put(k, x1, cell->x[1], cell->y[0], cell->y[1]);
        put(k, x0, x1, cell->y[0], y0);
        put(k, x0, x1, y1, cell->y[1]);
        return true;
    }
    return false;
}

static double clamp(double x, double lo, double hi)
{
    return x < lo ? lo : x > hi ? hi : x;
}

static bool begin(grid *k, const double cosine[4], double ux, double uy)
{
    line v[2][3];
    const double u[2] = { ux, uy };
    line p[2];
    for (int i = 0; i < 2; ++i) {
        const double lo = -cosine[2 * i + 1], hi = cosine[2 * i], kink = clamp(k->d->kink[i], lo, hi);
        v[i][0] = line_at(k, i, lo);
        v[i][1] = line_at(k, i, kink);
        v[i][2] = line_at(k, i, hi);
        p[i] = u[i] == kink ? v[i][1] : line_at(k, i, u[i]);
    }
    k->cells = 0;
    for (int i = 0; i < 2; ++i)
        for (int j = 0; j < 2; ++j) {
            const rectangle c = { { v[0][i], v[0][i + 1] }, { v[1][j], v[1][j + 1] } };
            if (!(c.x[0].at < c.x[1].at && c.y[0].at < c.y[1].at))
                continue;
            if (!(ux >= c.x[0].at && ux <= c.x[1].at && uy >= c.y[0].at && uy <= c.y[1].at))
                put(k, c.x[0], c.x[1], c.y[0], c.y[1]);
            else if (!k->topped || !put_about(k, &c, &p[0], &p[1]))
                return false;
        }
    return true;
}

/* To the kink that it is on but for rounding. */
static double snapped(double x, double kink)
{
    return fabs(x - kink) < 0x1p-36 ? kink : x;
}

abut_disc_end abut_grid_prove(const abut_disc *d, double *r, abut_vec3 u, uint32_t most, abut_vec3 *at,
                              uint32_t *evaluations)
{
    grid k;
    double cosine[4];
    const double z = abut_dot(u, d->e[2]);
    if (!(d->s > 0.125) || z < -0x1p-40)
        return ABUT_DISC_OPEN;
    const abut_disc_end begun = abut_disc_free(d, *r, cosine, at);
    if (begun != ABUT_DISC_PROVED)
        return begun;
    const double ux = abut_dot(u, d->e[0]), ua = snapped(ux, d->kink[0]),
                 ub = snapped(d->c * ux + d->s * abut_dot(u, d->e[1]), d->kink[1]);
    k.d = d;
    k.per_sine = 1 / d->s;
    k.per[1] = d->t2 * k.per_sine;
    k.per[0] = d->t1 - d->c * k.per[1];
    k.lines = 0;
    const double slack = 0x1p-47 * d->size * k.per_sine;
    k.least = *r - slack;
    k.r = *r - 2 * slack;
    const double wa = w_of(&k, ua, ub), square = 1 - ua * ua - wa * wa;
    k.topped = square > 0x1p-16;
    if (k.topped) {
        k.top_z = sqrt(square);
        k.top = touch_with(&k, ua, ub, wa, k.top_z);
    }
    const abut_disc_end end = begin(&k, cosine, ua, ub) ? work(&k, most, at) : ABUT_DISC_OPEN;
    *evaluations += k.lines / 2;
    if (end == ABUT_DISC_PROVED)
        *r = k.r;
    return end;
}
