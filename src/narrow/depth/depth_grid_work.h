/* SPDX-License-Identifier: MIT */
/* The work of depth_grid.c, four cells at a time. depth_grid.c and depth_grid_avx2.c are made of
 * it; nobody else is. */
#include "narrow/depth/depth_disc.h"
#include "narrow/depth/depth_grid_lanes.h"

enum { MOST_CELLS = 48, MOST_LINES = 96 };

/* Of four lines that may be of either body: what makes f's share of them. */
typedef struct maker {
    lanes per, mean, h, apex;
} maker;

/* Points of the sphere, and the planes that touch it there: z <= height - (x, y) . slope */
typedef struct touching {
    lanes x, y, z, height, slope[2]; /* the last three times tau */
} touching;

/* A cell is two lines of x and two of y. */
typedef struct cell {
    uint8_t at[4];
} cell;

typedef struct grid {
    const abut_disc *d;
    double per[2];   /* f = per . (x, y) + S_a(x) + S_b(y) - tau z */
    double per_sine; /* 1 / s */
    double r, least; /* to be proved; what is asked of computed values */
    touching top;    /* at the direction with the least f known */
    double top_at[2], top_flat[2], top_slope[2], top_height, top_z;
    double top_lean[2]; /* (x, w) . p = lean . (x, y) */
    bool topped;
    double cosine; /* of a cap about the top; above 1: there is none */
    maker a, b, ab, aabb;
    uint32_t lines, most, cells;
    lanes line[MOST_LINES]; /* where, f's share of it, the part of directions across the axis */
    cell stack[MOST_CELLS];
} grid;

/* ---- lines ---- */

WIDE void set_makers(grid *k)
{
    const abut_cylinders_body *a = &k->d->body[0], *b = &k->d->body[1];
    const lane_mask odd = { 0, -1, 0, -1 }, late = { 0, 0, -1, -1 };
    k->a = (maker){ v_all(k->per[0]), v_all(a->mean), v_all(2 * a->h), v_all(a->apex) };
    k->b = (maker){ v_all(k->per[1]), v_all(b->mean), v_all(2 * b->h), v_all(b->apex) };
    k->ab = (maker){ v_pick(odd, k->b.per, k->a.per), v_pick(odd, k->b.mean, k->a.mean),
                     v_pick(odd, k->b.h, k->a.h), v_pick(odd, k->b.apex, k->a.apex) };
    k->aabb = (maker){ v_pick(late, k->b.per, k->a.per), v_pick(late, k->b.mean, k->a.mean),
                       v_pick(late, k->b.h, k->a.h), v_pick(late, k->b.apex, k->a.apex) };
}

WIDE lanes v_abs(lanes x)
{
    return v_pick(x < 0, -x, x);
}

/* Draws four lines; returns the number of the first. */
WIDE uint8_t draw(grid *k, const maker *m, lanes at)
{
    const lanes flat = v_sqrt(v_max(1 - at * at, v_all(0)));
    lanes r[4] = { at, m->per * at + m->mean * flat + 0.5 * v_abs(m->h * at - m->apex * flat), flat, at };
    const uint32_t first = k->lines;
    v_turn(r);
    for (int i = 0; i < 4; ++i)
        k->line[first + i] = r[i];
    return (uint8_t)first;
}

/* ---- cells ---- */

/* Of four cells the lines of x, or of y. */
typedef struct sides {
    lanes at[2], value[2], flat[2];
} sides;

WIDE sides sides_of(const grid *k, const cell c[4], int axis)
{
    sides s;
    for (int i = 0; i < 2; ++i) {
        lanes r[4];
        for (int j = 0; j < 4; ++j)
            r[j] = k->line[c[j].at[2 * axis + i]];
        v_turn(r);
        s.at[i] = r[0];
        s.value[i] = r[1];
        s.flat[i] = r[2];
    }
    return s;
}

WIDE lanes w_of(const grid *k, lanes x, lanes y)
{
    return k->per_sine * (y - k->d->c * x);
}

/* p_z is the height of (x, w) on the sphere, or where that is low (or nothing) a point above it
 * is taken; low: the square of what that is, as suits the size of the cell. */
WIDE touching touch_at(const grid *k, lanes x, lanes y, lanes w, lanes square, lanes low)
{
    const lane_mask inside = square < 1 - low;
    const lanes length = v_sqrt(v_pick(inside, v_all(1), square + low)),
                z = v_sqrt(v_pick(inside, 1 - square, low)), l = 1 / length, height = k->d->tau * length / z,
                slope = height * (l * w) * k->per_sine;
    return (touching){ l * x, l * y, l * z, height, { height * (l * x) - k->d->c * slope, slope } };
}

/* S'' <= -rho, as it is nearest to the axis' middle plane in the rectangle; nothing where the
 * apex of a cone is ahead. */
WIDE lanes least_bend(const grid *k, int body, const sides *v)
{
    const abut_cylinders_body *b = &k->d->body[body];
    const lanes flat = v_pick(v->at[0] > 0, v->flat[0], v_pick(v->at[1] < 0, v->flat[1], v_all(1)));
    const lanes bend = b->r * (1 - 0x1p-30) / (flat * flat * flat);
    return b->apex > 0 ? v_pick(v->at[1] > k->d->kink[body], v_all(0), bend) : bend;
}

WIDE lanes least_of(const sides *v, lanes p, lanes slope, lanes bend, lane_mask *worst)
{
    const lanes d0 = v->at[0] - p, d1 = v->at[1] - p;
    const lanes low = v->value[0] + slope * v->at[0] + bend * d0 * d0,
                high = v->value[1] + slope * v->at[1] + bend * d1 * d1;
    *worst = high < low;
    return v_min(high, low);
}

/* A symmetric form. */
typedef struct form {
    lanes xx, xy, yy;
} form;

/* |v - p|^2 tau / p_z is at least this form of (dx, dy): by its part in the disc. */
WIDE form plain_rise(const grid *k, const touching *p)
{
    const lanes t = p->height * (k->per_sine * k->per_sine);
    return (form){ t, -k->d->c * t, t };
}

/* The least of x p_x + w p_w over the cells. */
WIDE lanes inmost(const sides *x, const sides *y, const touching *p)
{
    return v_min(p->slope[0] * x->at[0], p->slope[0] * x->at[1]) +
           v_min(p->slope[1] * y->at[0], p->slope[1] * y->at[1]);
}

/* The same with its height, where that is not much less across: along the line from the middle
 * of the disc to p, and across. */
WIDE form full_rise(const grid *k, const touching *p, lanes inner)
{
    const lanes in = inner / p->height, square = 1 - p->z * p->z;
    const lanes root = v_sqrt(v_max(1 - in * in / square, v_all(0)) + 0x1p-44);
    const lanes along = 2 / v_pick(in < -square, v_all(2), 1 + 0x1p-44 - in + p->z * root),
                across = p->z / v_max(v_pick(in < 0, v_all(1), root), p->z);
    const lane_mask high = (across > 0.6) & (square > 0x1p-20);
    const lanes m = v_pick(high, across, v_all(1)) * p->height * (k->per_sine * k->per_sine),
                more = v_pick(high, (along - across) / (square * p->height), v_all(0));
    return (form){ m + more * (p->slope[0] * p->slope[0]), more * (p->slope[0] * p->slope[1]) - k->d->c * m,
                   m + more * (p->slope[1] * p->slope[1]) };
}

/* f is at least this in the rectangle: what S_a and S_b are bent goes on top, as far as the
 * sphere is bent as well, since what is left is still concave. */
WIDE lanes least_under(const grid *k, const sides *x, const sides *y, const touching *p, const form *m,
                       const lanes bend[2], lane_mask worst[2])
{
    /* Both shares are to leave the form one that is nowhere below 0: a steep one may have m_yy <
     * |m_xy|. */
    const lanes room = v_pick(m->yy > 0, m->xx - m->xy * m->xy / m->yy, v_all(0));
    const lanes a = v_max(v_min(bend[0], v_min(m->xx - v_abs(m->xy), room)), v_all(0));
    const lanes rest = v_pick(a < m->xx, m->yy - m->xy * m->xy / (m->xx - a), v_all(0)),
                b = v_max(v_min(bend[1], rest), v_all(0));
    const double down = 0.5 - 0x1p-20;
    return least_of(x, p->x, p->slope[0], down * a, &worst[0]) +
           least_of(y, p->y, p->slope[1], down * b, &worst[1]) - p->height * (1 + 0x1p-49 * k->per_sine);
}

/* A corner outside of the disc: as if tau were larger, which lifts what is there. */
WIDE void lift(touching *p, lanes square, lanes lacking)
{
    const lanes beyond = v_sqrt(square) - 1, now = p->height * beyond;
    const lanes more = v_pick((beyond > 0x1p-10) & (now < lacking), 1.001 * lacking / now, v_all(1));
    p->height *= more;
    p->slope[0] *= more;
    p->slope[1] *= more;
}

/* What is left of four cells: a bit each where nothing is proved, and where the worst corner may
 * be shallower. */
typedef struct leftover {
    unsigned open, shallow, worst[2];
} leftover;

/* A bit each where all is in the cap: p . v is concave, and p_z z is not below 0. */
WIDE unsigned are_in_cap(const grid *k, lanes x0, lanes x1, lanes y0, lanes y1)
{
    const double gx = k->top_lean[0], gy = k->top_lean[1];
    lanes least = v_all(2), flat = v_all(2), lowest = v_all(1);
    for (int i = 0; i < 4; ++i) {
        const lanes vx = i & 1 ? x1 : x0, vy = i & 2 ? y1 : y0, w = w_of(k, vx, vy),
                    square = 1 - vx * vx - w * w, in = gx * vx + gy * vy;
        lowest = v_min(lowest, square);
        flat = v_min(flat, in);
        least = v_min(least, in + k->top_z * v_sqrt(v_max(square, v_all(0))));
    }
    return v_bits(v_pick(lowest > 0, least, flat) > k->cosine);
}

WIDE leftover examine(const grid *k, const cell c[4])
{
    leftover out = { 0, 0, { 0, 0 } };
    lane_mask worst[2], other[2];
    const sides sx = sides_of(k, c, 0), sy = sides_of(k, c, 1);
    const lanes bend[2] = { least_bend(k, 0, &sx), least_bend(k, 1, &sy) };
    const lanes x = 0.5 * (sx.at[0] + sx.at[1]), y = 0.5 * (sy.at[0] + sy.at[1]), w = w_of(k, x, y);
    const lanes size = 0.03125 * k->per_sine * (sx.at[1] - sx.at[0] + sy.at[1] - sy.at[0]),
                low = v_min(v_max(size, v_all(0x1p-16)), v_all(0x1p-8));
    const touching middle = touch_at(k, x, y, w, x * x + w * w, low);
    const lanes inner = inmost(&sx, &sy, &middle);
    form m = plain_rise(k, &middle);
    lane_mask done = least_under(k, &sx, &sy, &middle, &m, bend, worst) >= k->least;
    done |= inner > middle.height * (1 + 0x1p-40); /* beyond a tangent to the disc */
    if (k->topped) {
        m = plain_rise(k, &k->top);
        done |= least_under(k, &sx, &sy, &k->top, &m, bend, other) >= k->least;
    }
    if (v_bits(done) == 15)
        return out;
    const lanes vx = v_pick(worst[0], sx.at[1], sx.at[0]), vy = v_pick(worst[1], sy.at[1], sy.at[0]),
                value =
                    v_pick(worst[0], sx.value[1], sx.value[0]) + v_pick(worst[1], sy.value[1], sy.value[0]);
    const lanes vw = w_of(k, vx, vy), square = vx * vx + vw * vw;
    touching corner = touch_at(k, vx, vy, vw, square, low);
    lift(&corner, square, k->least - value);
    m = full_rise(k, &corner, inmost(&sx, &sy, &corner));
    done |= least_under(k, &sx, &sy, &corner, &m, bend, other) >= k->least;
    const lanes z = v_sqrt(v_max(1 - square, v_all(0)));
    out.open = ~v_bits(done) & 15;
    if (out.open && k->cosine <= 1)
        out.open &= ~are_in_cap(k, sx.at[0], sx.at[1], sy.at[0], sy.at[1]);
    out.shallow = v_bits((value - k->d->tau * z < k->least) & (square < 1.0625));
    out.worst[0] = v_bits(worst[0]);
    out.worst[1] = v_bits(worst[1]);
    return out;
}

/* f at a corner, or where that is a little outside of the disc, at its edge. */
static bool is_shallower(grid *k, double x, double y, abut_vec3 *at)
{
    const abut_disc *d = k->d;
    const double w = k->per_sine * (y - d->c * x), square = x * x + w * w,
                 l = square < 1 ? 1 : 1 / sqrt(square);
    if (square >= 1 && !(k->per[0] * l * x + abut_disc_support(&d->body[0], l * x) + k->per[1] * l * y +
                             abut_disc_support(&d->body[1], l * y) <
                         k->least))
        return false;
    *at = abut_unit_or(abut_disc_direction(d, l * x, l * w, square < 1 ? sqrt(1 - square) : 0), d->e[2]);
    return true;
}

/* Examines up to four cells, and puts what is not proved on the stack. */
WIDE abut_disc_end sift(grid *k, cell c[4], uint32_t count, abut_vec3 *at)
{
    for (uint32_t i = count; i < 4; ++i)
        c[i] = c[0];
    const leftover left = examine(k, c);
    for (uint32_t i = 0; i < count; ++i) {
        if (!(left.open >> i & 1))
            continue;
        if (left.shallow >> i & 1 && is_shallower(k, k->line[c[i].at[left.worst[0] >> i & 1]][0],
                                                  k->line[c[i].at[2 + (left.worst[1] >> i & 1)]][0], at))
            return ABUT_DISC_SHALLOWER;
        if (k->cells == MOST_CELLS)
            return ABUT_DISC_OPEN;
        k->stack[k->cells++] = c[i];
    }
    return ABUT_DISC_PROVED;
}

/* Into quarters, or strips across its length. */
WIDE void part(grid *k, cell from, cell c[4])
{
    const double x0 = k->line[from.at[0]][0], x1 = k->line[from.at[1]][0], y0 = k->line[from.at[2]][0],
                 y1 = k->line[from.at[3]][0];
    const bool wide = x1 - x0 > 3 * (y1 - y0), tall = y1 - y0 > 3 * (x1 - x0);
    if (wide || tall) {
        const double lo = wide ? x0 : y0, step = 0.25 * (wide ? x1 - x0 : y1 - y0);
        const uint8_t n =
            draw(k, wide ? &k->a : &k->b, (lanes){ lo + step, lo + 2 * step, lo + 3 * step, lo });
        const int i = wide ? 0 : 2;
        k->lines += 3;
        c[0] = c[1] = c[2] = c[3] = from;
        for (uint8_t j = 0; j < 3; ++j)
            c[j].at[i + 1] = c[j + 1].at[i] = (uint8_t)(n + j);
    } else {
        const double x = 0.5 * (x0 + x1), y = 0.5 * (y0 + y1);
        const uint8_t n = draw(k, &k->ab, (lanes){ x, y, x, y }), m = (uint8_t)(n + 1);
        k->lines += 2;
        c[0] = (cell){ { from.at[0], n, from.at[2], m } };
        c[1] = (cell){ { n, from.at[1], from.at[2], m } };
        c[2] = (cell){ { from.at[0], n, m, from.at[3] } };
        c[3] = (cell){ { n, from.at[1], m, from.at[3] } };
    }
}

WIDE abut_disc_end work(grid *k, abut_vec3 *at)
{
    abut_disc_end end = ABUT_DISC_PROVED;
    cell c[4], first[MOST_CELLS];
    const uint32_t n = k->cells;
    for (uint32_t i = 0; i < n; ++i)
        first[i] = k->stack[i];
    k->cells = 0;
    for (uint32_t i = 0; i < n && end == ABUT_DISC_PROVED; i += 4) {
        const uint32_t count = n - i < 4 ? n - i : 4;
        for (uint32_t j = 0; j < count; ++j)
            c[j] = first[i + j];
        end = sift(k, c, count, at);
    }
    while (end == ABUT_DISC_PROVED && k->cells > 0) {
        if (k->lines + 4 > k->most)
            return ABUT_DISC_OPEN;
        part(k, k->stack[--k->cells], c);
        end = sift(k, c, 4, at);
    }
    return end;
}

/* ---- about the least direction ---- */

/* One coordinate of what is about p, in four cells or at four sizes of one: it may go from lo to
 * hi. */
typedef struct span {
    lanes lo, hi;
    lanes bend;  /* the largest */
    lanes rise;  /* f rises by this for 1 away from a kink at p; 0 elsewhere */
    lanes slope; /* what is left of its slope elsewhere */
} span;

/* Of lines from lo to hi the parts below and beyond p. */
WIDE span span_of(const grid *k, int body, lanes lo, lanes hi, lanes below, lanes beyond)
{
    const abut_cylinders_body *b = &k->d->body[body];
    const double kink = k->d->kink[body], p = k->top_at[body], flat = k->top_flat[body];
    const lane_mask above = lo >= kink, apex = b->apex > 0 ? above : (lane_mask){ 0, 0, 0, 0 };
    const lanes slope = k->per[body] + k->top_slope[body] + v_pick(above, v_all(b->h), v_all(-b->h)) -
                        v_pick(apex, v_all(0), v_all(b->r * p / flat));
    span s = { .rise = v_all(0), .slope = slope };
    if (p == kink) {
        s.rise = v_pick(above, slope, -slope);
        s.slope = v_all(0);
        lo = v_pick(above, v_all(p), lo);
        hi = v_pick(above, hi, v_all(p));
    }
    s.lo = p + below * (lo - p);
    s.hi = p + beyond * (hi - p);
    /* S(x) is below its tangent by r dx^2 / (flat (1 - cos(angle of p + angle of x))), exactly. */
    const lanes low = 1 - p * s.lo + flat * v_sqrt(v_max(1 - s.lo * s.lo, v_all(0))),
                high = 1 - p * s.hi + flat * v_sqrt(v_max(1 - s.hi * s.hi, v_all(0)));
    s.bend = v_pick(apex, v_all(0), 2 * b->r * (1 + 0x1p-30) / (flat * v_min(low, high)));
    return s;
}

/* |v - p|^2 tau / p_z is at least this form of (dx, dy): plain, by its parts in the disc; or
 * with its height, along the line from the middle of the disc to p and across it. */
WIDE form rise_about(const grid *k, const span *x, const span *y, bool high)
{
    const double c = k->d->c, per = k->per_sine * k->per_sine, pz = k->top_z, flat = sqrt(1 - pz * pz);
    const lanes t = v_all(k->top_height * per * (1 - 0x1p-30));
    if (!high)
        return (form){ t, -c * t, t };
    const double gx = k->top_slope[0] / (k->top_height * flat), gy = k->top_slope[1] / (k->top_height * flat);
    const lanes n = gx * (gx > 0 ? x->lo : x->hi) + gy * (gy > 0 ? y->lo : y->hi),
                root = v_sqrt(v_max(1 - n * n, v_all(0)) + 0x1p-44);
    const lanes along = (1 - 0x1p-30) * 2 / v_pick(n < -flat, v_all(2), 1 + 0x1p-44 - flat * n + pz * root),
                across = (1 - 0x1p-30) * pz / v_max(v_pick(n < 0, v_all(1), root), v_all(pz));
    const lanes more = k->top_height * (along - across), slack = 0x1p-44 * along * t;
    return (form){ across * t + more * (gx * gx) - slack, more * (gx * gy) - c * across * t,
                   across * t + more * (gy * gy) - slack };
}

/* A bit each where f >= least about p: a form that is positive with what slopes away from kinks
 * add to it does; an eighth of it pays for what is left of other slopes. */
WIDE unsigned are_fine(const grid *k, const span *x, const span *y, double value, bool high)
{
    const form m = rise_about(k, x, y, high);
    const lanes a = m.xx - x->bend + 2 * x->rise / (x->hi - x->lo),
                b = m.yy - y->bend + 2 * y->rise / (y->hi - y->lo);
    const lanes lost = 4 * (x->slope * x->slope / a + y->slope * y->slope / b);
    return v_bits((a > 0) & (b > 0) & (x->rise >= 0) & (y->rise >= 0) & (0.765625 * (a * b) >= m.xy * m.xy) &
                  (value - lost >= k->least));
}

WIDE void put(grid *k, uint8_t x0, uint8_t x1, uint8_t y0, uint8_t y1)
{
    if (k->line[x0][0] < k->line[x1][0] && k->line[y0][0] < k->line[y1][0] && k->cells < MOST_CELLS)
        k->stack[k->cells++] = (cell){ { x0, x1, y0, y1 } };
}

/* What of a cell is in the cap where p is low: as much along x as along y, and all that is
 * further out. */
WIDE bool size_low_cap(const grid *k, span *x, span *y)
{
    const double gx = k->top_lean[0], gy = k->top_lean[1], budget = 1 - k->top_z * k->top_z - k->cosine;
    if (!(budget > 0.25 * (1 - k->cosine)))
        return false;
    const double px = k->top_at[0], py = k->top_at[1], dx = gx > 0 ? x->lo[0] - px : x->hi[0] - px,
                 dy = gy > 0 ? y->lo[0] - py : y->hi[0] - py;
    const double ux = -gx * dx, uy = -gy * dy, a = fmax(0.5 * budget, budget - uy),
                 b = fmax(0.5 * budget, budget - ux);
    const double fx = ux > a ? a / ux * (1 - 0x1p-20) : 1, fy = uy > b ? b / uy * (1 - 0x1p-20) : 1;
    if (gx > 0)
        x->lo[0] = px + fx * dx;
    else
        x->hi[0] = px + fx * dx;
    if (gy > 0)
        y->lo[0] = py + fy * dy;
    else
        y->hi[0] = py + fy * dy;
    return true;
}

/* A cell with p in it or on its edge, of which not all is about p: what is not. False where
 * nothing is known about p: no cell near it would be proved. */
static bool put_about(grid *k, cell c, double value)
{
    const double x0 = k->line[c.at[0]][0], x1 = k->line[c.at[1]][0], y0 = k->line[c.at[2]][0],
                 y1 = k->line[c.at[3]][0];
    const lanes part = { 1, 0.4, 0.15, 0.05 }, ax = v_all(x0), bx = v_all(x1), ay = v_all(y0), by = v_all(y1);
    span x = span_of(k, 0, ax, bx, part, part), y = span_of(k, 1, ay, by, part, part);
    const bool crossing = k->top_at[0] == k->d->kink[0] && k->top_at[1] == k->d->kink[1];
    unsigned fine = k->cosine <= 1 && !crossing ? 0 : are_fine(k, &x, &y, value, false);
    if (!fine && k->cosine <= 1)
        fine = size_low_cap(k, &x, &y) ? 1 : are_in_cap(k, x.lo, x.hi, y.lo, y.hi);
    if (!fine && k->top_z < 0.9999) { /* longer away from the middle of the disc */
        const double px = k->top_at[0], py = k->top_at[1], cosine = k->d->c;
        const lanes out = v_min(4 * part, v_all(1));
        const bool in_x = px > cosine * py, in_y = py > cosine * px, on_x = px == k->d->kink[0],
                   on_y = py == k->d->kink[1];
        x = span_of(k, 0, ax, bx, in_x || on_x ? part : out, in_x && !on_x ? out : part);
        y = span_of(k, 1, ay, by, in_y || on_y ? part : out, in_y && !on_y ? out : part);
        fine = are_fine(k, &x, &y, value, true);
    }
    if (!fine && k->cosine <= 1) {
        x = span_of(k, 0, ax, bx, 0.2 * part, 0.2 * part);
        y = span_of(k, 1, ay, by, 0.2 * part, 0.2 * part);
        fine = are_in_cap(k, x.lo, x.hi, y.lo, y.hi);
    }
    if (!fine || k->lines + 4 > k->most)
        return false;
    const int i = __builtin_ctz(fine);
    const uint8_t n = draw(k, &k->aabb, (lanes){ x.lo[i], x.hi[i], y.lo[i], y.hi[i] });
    k->lines += 4;
    const uint8_t a0 = x.lo[i] > x0 ? n : c.at[0], a1 = x.hi[i] < x1 ? (uint8_t)(n + 1) : c.at[1],
                  b0 = y.lo[i] > y0 ? (uint8_t)(n + 2) : c.at[2],
                  b1 = y.hi[i] < y1 ? (uint8_t)(n + 3) : c.at[3];
    put(k, c.at[0], a0, c.at[2], c.at[3]);
    put(k, a1, c.at[1], c.at[2], c.at[3]);
    put(k, a0, a1, c.at[2], b0);
    put(k, a0, a1, b1, c.at[3]);
    return true;
}

/* ---- the cells to begin with ---- */

static double clamp(double x, double lo, double hi)
{
    return x < lo ? lo : x > hi ? hi : x;
}

WIDE bool begin(grid *k, const double cosine[4])
{
    const double *u = k->top_at;
    for (int i = 0; i < 2; ++i) {
        const double lo = -cosine[2 * i + 1], hi = cosine[2 * i];
        (void)draw(k, i ? &k->b : &k->a, (lanes){ lo, clamp(k->d->kink[i], lo, hi), hi, u[i] });
        k->lines += 4;
    }
    const lanes px = k->line[3], py = k->line[7];
    const double value = px[1] + py[1] + k->top_slope[0] * px[0] + k->top_slope[1] * py[0] -
                         k->top_height * (1 + 0x1p-49 * k->per_sine);
    k->top_flat[0] = px[2];
    k->top_flat[1] = py[2];
    cell about[4];
    uint32_t count = 0;
    for (uint8_t i = 0; i < 2; ++i)
        for (uint8_t j = 4; j < 6; ++j) {
            const cell c = { { i, (uint8_t)(i + 1), j, (uint8_t)(j + 1) } };
            const double x0 = k->line[i][0], x1 = k->line[i + 1][0], y0 = k->line[j][0],
                         y1 = k->line[j + 1][0];
            if (!(x0 < x1 && y0 < y1))
                continue;
            if (u[0] >= x0 && u[0] <= x1 && u[1] >= y0 && u[1] <= y1)
                about[count++] = c;
            else
                k->stack[k->cells++] = c;
        }
    if (count == 0)
        return true;
    if (!k->topped)
        return false;
    for (uint32_t i = count; i < 4; ++i)
        about[i] = about[0];
    const sides sx = sides_of(k, about, 0), sy = sides_of(k, about, 1);
    const span x = span_of(k, 0, sx.at[0], sx.at[1], v_all(1), v_all(1)),
               y = span_of(k, 1, sy.at[0], sy.at[1], v_all(1), v_all(1));
    const unsigned fine = are_fine(k, &x, &y, value, false);
    for (uint32_t i = 0; i < count; ++i)
        if (!(fine >> i & 1) && !put_about(k, about[i], value))
            return false;
    return true;
}

/* To the kink that it is on but for rounding. */
static double snapped(double x, double kink)
{
    return fabs(x - kink) < 0x1p-36 ? kink : x;
}

static void set_top(grid *k, abut_vec3 u, double cosine)
{
    const abut_disc *d = k->d;
    const double ux = abut_dot(u, d->e[0]), uw = abut_dot(u, d->e[1]), x = snapped(ux, d->kink[0]),
                 y = snapped(d->c * ux + d->s * uw, d->kink[1]);
    const double w = k->per_sine * (y - d->c * x), square = 1 - x * x - w * w;
    k->topped = square > 0x1p-24;
    k->top_z = sqrt(k->topped ? square : 1);
    /* What p and u differ by is no part of the cap. */
    const double off[3] = { x - ux, w - uw, k->top_z - abut_dot(u, d->e[2]) };
    k->cosine = cosine + 0x1p-40 + sqrt(off[0] * off[0] + off[1] * off[1] + off[2] * off[2]);
    k->top_at[0] = x;
    k->top_at[1] = y;
    k->top_height = d->tau / k->top_z;
    k->top_lean[1] = w * k->per_sine;
    k->top_lean[0] = x - d->c * k->top_lean[1];
    k->top_slope[1] = k->top_height * k->top_lean[1];
    k->top_slope[0] = k->top_height * k->top_lean[0];
    k->top = (touching){ v_all(x),
                         v_all(y),
                         v_all(k->top_z),
                         v_all(k->top_height),
                         { v_all(k->top_slope[0]), v_all(k->top_slope[1]) } };
}

/* Up to which cosines f cos + e sin >= r. */
WIDE lanes cosine_of(lanes f, lanes e, lanes r)
{
    const lanes size = v_sqrt(f * f + e * e), ratio = r / size,
                root = v_sqrt(v_max(1 - ratio * ratio, v_all(0)));
    /* Of atan2(e, f) + acos(r / size), where that is not beyond a half turn. */
    return v_pick((ratio > -1) & (e * ratio + f * root >= 0), (f * ratio - e * root) / size, v_all(-1));
}

/* Up to which cosines of angles to the axes a, -a, b, -b nothing is shallower than least, or all
 * is in the cap; not PROVED where that is nothing about one of them (*at: a shallower
 * direction), or too little. */
WIDE abut_disc_end find_free(const abut_disc *d, double least, abut_vec3 u, double cap, double cosine[4],
                             abut_vec3 *at)
{
    const abut_disc_axis *x = d->axis;
    const lanes value = { x[0].value, x[1].value, x[2].value, x[3].value },
                across = { x[0].across, x[1].across, x[2].across, x[3].across },
                disc = { x[0].disc, x[1].disc, x[2].disc, x[3].disc }, r = { x[0].r, x[1].r, x[2].r, x[3].r };
    const double ux = abut_dot(u, d->e[0]), uy = d->c * ux + d->s * abut_dot(u, d->e[1]);
    const lanes along = { ux, -ux, uy, -uy };
    const lane_mask inside = along > cap;
    const unsigned above = v_bits((value >= least) | inside);
    if (above != 15) {
        const int i = __builtin_ctz(~above);
        *at = abut_disc_beside(d, i >> 1, i & 1 ? -1 : 1);
        return ABUT_DISC_SHALLOWER;
    }
    /* free_cosine of depth_disc.c */
    const lanes square = across * across + d->tau * d->tau, off = v_sqrt(square), steep = disc - off,
                other = disc - 0.8 * off, sine = 0.8 * d->tau - 0.6 * v_abs(across),
                bend =
                    v_pick((sine > 0) & (square > 0), r * (d->s * d->s) * (sine * sine) / square, v_all(0));
    const lanes up = v_max(
        v_max(cosine_of(value - bend, steep, least - bend), cosine_of(value, other, v_all(least))), v_all(0));
    const lanes in = along * cap + v_sqrt(v_max(1 - along * along, v_all(0)) * fmax(1 - cap * cap, 0)),
                own = v_pick(inside, v_min(v_pick(value >= least, up, v_all(1)), in), up) + 0x1p-40;
    /* What is free about one axis may be so about one of the other body that is nearly the same. */
    const lanes near =
        d->c > 0 ? (lanes){ own[2], own[3], own[0], own[1] } : (lanes){ own[3], own[2], own[1], own[0] };
    const lanes shared = near * fabs(d->c) + v_sqrt(v_max(1 - near * near, v_all(0))) * d->s + 0x1p-40;
    const lanes all = v_pick(near < fabs(d->c), v_min(own, shared), own);
    for (int i = 0; i < 4; ++i)
        cosine[i] = all[i];
    /* Where S is steep, much is lost to rounding: not below an angle of 2^-6. */
    return v_bits(all <= 1 - 0x1p-13) == 15 ? ABUT_DISC_PROVED : ABUT_DISC_OPEN;
}

static void set_up(grid *k, const abut_disc *d, double r, abut_vec3 u, double cap, uint32_t most)
{
    const double slack = 0x1p-47 * d->size / d->s;
    k->d = d;
    k->per_sine = 1 / d->s;
    k->per[1] = d->t2 * k->per_sine;
    k->per[0] = d->t1 - d->c * k->per[1];
    k->lines = k->cells = 0;
    k->most = most < MOST_LINES ? most : MOST_LINES;
    k->least = r - slack;
    k->r = r - 2 * slack;
    set_makers(k);
    set_top(k, u, cap);
}

WIDE abut_disc_end prove(const abut_disc *d, double *r, abut_vec3 u, double cap, uint32_t most, abut_vec3 *at,
                         uint32_t *evaluations)
{
    grid k;
    double cosine[4];
    if (!(d->s > 0.125) || abut_dot(u, d->e[2]) < -0x1p-40)
        return ABUT_DISC_OPEN;
    const abut_disc_end begun = find_free(d, *r, u, cap, cosine, at);
    if (begun != ABUT_DISC_PROVED)
        return begun;
    set_up(&k, d, *r, u, cap, most);
    const abut_disc_end end = begin(&k, cosine) ? work(&k, at) : ABUT_DISC_OPEN;
    *evaluations += k.lines / 2;
    if (end == ABUT_DISC_PROVED)
        *r = k.r;
    return end;
}
