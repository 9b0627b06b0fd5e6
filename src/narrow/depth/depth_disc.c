/* SPDX-License-Identifier: MIT */
/* Proves that no direction is shallower; see depth_disc.h for what is proved about what.
 *
 * The disc is cut into convex polygons, at the kinks first. Over one of them z is replaced by a
 * plane that touches the sphere at a point p, z <= (1 - p_x x - p_w w) / p_z: what is left is
 * concave, so that it is least at a corner. Or S_a and S_b are replaced, wholly or in part, by the
 * points of both bodies at p, whose heights take tau away: no z is left at all. A polygon for which
 * neither will do is halved; a corner outside of the disc, if it is the trouble, is first cut off
 * along a tangent.
 *
 * About an axis, where S is steep, f grows with the angle by the radius of the cap less what is
 * across, and nothing of it need be cut up. The same for the cap given. Proofs and rounding:
 * docs/notes/depth.md. */
#include "narrow/depth/depth_disc.h"

#include "narrow/distance/curved_piece.h"

enum { MOST_CORNERS = 14, MOST_CELLS = 32 };

/* Of a polygon: z is its height on the sphere, 0 outside; g what is concave in f. */
typedef struct corner {
    double x, w, z, g;
} corner;

typedef struct cell {
    int count;
    corner v[MOST_CORNERS];
} cell;

typedef struct proof {
    const abut_disc *d;
    double r;            /* to be proved */
    double slack, least; /* for rounding; what is asked of computed values */
    double u[3], cosine; /* the cap; cosine 2: none */
    corner top;          /* the direction with the least f known */
    int cells;
    uint32_t evaluations;
    cell stack[MOST_CELLS];
} proof;

static void examine_along(const abut_disc *d, int i, double sign, abut_disc_axis *out)
{
    const abut_cylinders_body *b = &d->body[i], *o = &d->body[1 - i];
    /* the other's axis, this one along (1, 0) */
    const double c = sign * d->c, s = i ? -d->s : d->s;
    const double t1 = i ? d->c * d->t1 + d->s * d->t2 : d->t1, t2 = i ? d->c * d->t2 - d->s * d->t1 : d->t2;
    const double diff = 2 * o->h * c - o->apex * d->s, h = copysign(o->h, diff),
                 r = o->mean - copysign(0.5 * o->apex, diff);
    out->value = sign * t1 + b->h + o->mean * d->s + 0.5 * fabs(diff);
    out->across = t2 + h * s - (i ? -r : r) * c;
    out->disc = b->apex > 0 && sign > 0 ? 0 : b->r;
    out->r = r;
    if (d->s <= 0) { /* cap on cap, or on an apex */
        out->disc += o->apex > 0 && c > 0 ? 0 : o->r;
        out->across = t2;
    }
}

bool abut_disc_begin(const abut_convex_pair *pair, abut_disc *d)
{
    abut_cylinders_begin(pair, d->body);
    for (int i = 0; i < 2; ++i) {
        abut_cylinders_body *b = &d->body[i];
        b->axis = abut_scale(-1, b->axis);
        d->kink[i] = b->apex > 0 ? b->apex / sqrt(4 * b->h * b->h + b->apex * b->apex) : 0;
    }
    const abut_vec3 a = d->body[0].axis, b = d->body[1].axis, t = pair->t;
    if (!(fabs(abut_dot(b, b) - 1) < 0x1p-46))
        return false;
    /* a is (0, 0, -1) */
    const double c = -b.z, square = b.x * b.x + b.y * b.y, s = sqrt(square);
    d->e[0] = a;
    if (s > 0x1p-46) {
        d->e[1] = abut_v3(b.x / s, b.y / s, 0);
        d->c = c;
        d->s = s;
    } else {
        /* Parallel to rounding: t is in the plane as well. */
        const double flat = sqrt(t.x * t.x + t.y * t.y);
        d->e[1] = flat > 0 ? abut_v3(t.x / flat, t.y / flat, 0) : abut_v3(1, 0, 0);
        d->c = c > 0 ? 1 : -1;
        d->s = 0;
    }
    d->t1 = -t.z;
    d->t2 = t.x * d->e[1].x + t.y * d->e[1].y;
    const double up = t.x * d->e[1].y - t.y * d->e[1].x; /* a x e2 = (e2.y, -e2.x, 0) */
    d->tau = fabs(up);
    d->e[2] = up > 0 ? abut_v3(-d->e[1].y, d->e[1].x, 0) : abut_v3(d->e[1].y, -d->e[1].x, 0);
    d->size = pair->a->size + pair->b->size + sqrt(abut_dot(t, t));
    for (int i = 0; i < 4; ++i)
        examine_along(d, i >> 1, i & 1 ? -1 : 1, &d->axis[i]);
    return true;
}

static inline corner place(double x, double w)
{
    return (corner){ x, w, 0, NAN };
}

static inline void evaluate(const abut_disc *d, corner *v)
{
    const double x = v->x, w = v->w, square = 1 - x * x - w * w;
    v->z = square > 0 ? sqrt(square) : 0;
    v->g = d->t1 * x + d->t2 * w + abut_disc_support(&d->body[0], x) +
           abut_disc_support(&d->body[1], d->c * x + d->s * w);
}

static inline void note(proof *k, corner *v)
{
    evaluate(k->d, v);
    ++k->evaluations;
}

static inline int after(int i, int count)
{
    return i + 1 == count ? 0 : i + 1;
}

static inline corner between(const corner *a, const corner *b, double part)
{
    return place(a->x + part * (b->x - a->x), a->w + part * (b->w - a->w));
}

/* The sides of its corners of p x + q w = d; how many are beyond. */
static int find_sides(const cell *c, double p, double q, double d, double side[MOST_CORNERS])
{
    int beyond = 0;
    for (int i = 0; i < c->count; ++i) {
        side[i] = p * c->v[i].x + q * c->v[i].w - d;
        beyond += side[i] > 0;
    }
    return beyond;
}

/* The part of a cell with p x + q w <= d goes to low, the other to high. k: where both are
 * needed, else NULL. */
static void cut(const cell *c, const double side[MOST_CORNERS], proof *k, cell *low, cell *high)
{
    int lows = 0, highs = 0;
    for (int i = 0; i < c->count; ++i) {
        const int j = after(i, c->count);
        if (side[i] <= 0)
            low->v[lows++] = c->v[i];
        if (side[i] >= 0)
            high->v[highs++] = c->v[i];
        if ((side[i] < 0 && side[j] > 0) || (side[i] > 0 && side[j] < 0)) {
            corner v = between(&c->v[i], &c->v[j], side[i] / (side[i] - side[j]));
            if (k)
                note(k, &v);
            low->v[lows++] = high->v[highs++] = v;
        }
    }
    low->count = lows < 3 ? 0 : lows;
    high->count = highs < 3 ? 0 : highs;
}

/* Keeps the part with p x + q w <= d. False where there is no room. */
static bool trim(cell *c, double p, double q, double d)
{
    double side[MOST_CORNERS];
    cell low, high;
    if (find_sides(c, p, q, d, side) == 0)
        return true;
    if (c->count + 2 > MOST_CORNERS)
        return false;
    cut(c, side, NULL, &low, &high);
    c->count = low.count;
    for (int i = 0; i < low.count; ++i)
        c->v[i] = low.v[i];
    return true;
}

/* ---- the cap ---- */

static inline double in_cap(const proof *k, const corner *v)
{
    const double square = 1 - v->x * v->x - v->w * v->w;
    return square < 0 ? -1 : v->x * k->u[0] + v->w * k->u[1] + sqrt(square) * k->u[2] - k->cosine;
}

/* From a corner in the cap towards one outside of it, nearly to where it ends: u_z z = cosine -
 * u_x x - u_w w is a quadratic equation. */
static corner leave_cap(const proof *k, const corner *from, const corner *to)
{
    const double x = to->x - from->x, w = to->w - from->w, square = k->u[2] * k->u[2];
    const double l0 = k->cosine - from->x * k->u[0] - from->w * k->u[1], l1 = -(x * k->u[0] + w * k->u[1]);
    const double a = square * (x * x + w * w) + l1 * l1, b = square * (x * from->x + w * from->w) + l0 * l1,
                 c = square * (1 - from->x * from->x - from->w * from->w) - l0 * l0;
    double part = (sqrt(b * b + a * (c > 0 ? c : 0)) - b) / a * (1 - 0x1p-20);
    for (int i = 0; i < 4 && part > 0; ++i, part *= 0.5) {
        const corner v = between(from, to, part < 1 ? part : 1);
        if (in_cap(k, &v) > 0)
            return v;
    }
    return *from;
}

/* Takes off what is in the cap, which is convex, where that takes off a corner. */
static void subtract_cap(const proof *k, cell *c)
{
    double in[MOST_CORNERS] = { 0 };
    int best = 0, run = 1;
    const int n = c->count;
    for (int i = 0; i < n; ++i) {
        in[i] = in_cap(k, &c->v[i]);
        best = in[i] > in[best] ? i : best;
    }
    if (!(in[best] > 0.125 * (1 - k->cosine)) || n + 2 > MOST_CORNERS)
        return;
    int first = best, last = best;
    for (int i = (first + n - 1) % n; run < n && in[i] > 0; ++run, i = (i + n - 1) % n)
        first = i;
    for (int i = after(last, n); run < n && in[i] > 0; ++run, i = after(i, n))
        last = i;
    if (run == n) {
        c->count = 0;
        return;
    }
    const cell all = *c;
    c->count = 0;
    c->v[c->count++] = leave_cap(k, &all.v[last], &all.v[after(last, n)]);
    for (int i = after(last, n); i != first; i = after(i, n))
        c->v[c->count++] = all.v[i];
    c->v[c->count++] = leave_cap(k, &all.v[first], &all.v[(first + n - 1) % n]);
}

/* ---- axes ---- */

abut_vec3 abut_disc_beside(const abut_disc *d, int i, double sign)
{
    const abut_disc_axis at = d->axis[2 * i + (sign < 0)];
    const double off = sqrt(at.across * at.across + d->tau * d->tau), per = off > 0 ? 1 / off : 0;
    const double x = i ? -d->s : 0, w = i ? d->c : 1, sine = d->tau * per;
    /* Not beyond the bottom, as far as the bend there goes, nor the other's kink. */
    const double round = d->s > 0 ? at.r * sine * sine / d->s - at.value : 0,
                 kink = d->body[1 - i].apex > 0 ? 0 : sign * d->c,
                 towards = (i ? d->s : -d->s) * at.across * per;
    double part = 0.25;
    if (round > 0 && off - at.disc < part * round)
        part = (off - at.disc) / round;
    if (kink * towards < 0 && fabs(kink) < part * fabs(towards))
        part = fabs(kink / towards);
    part *= per;
    const abut_vec3 v = abut_disc_direction(d, -part * at.across * x, -part * at.across * w, part * d->tau);
    return abut_unit_or(abut_madd(v, sign, d->body[i].axis), d->body[i].axis);
}

/* The cosine of the angle up to which f cos + e sin >= r. */
static double cosine_of(double f, double e, double r)
{
    const double size = sqrt(f * f + e * e);
    if (!(r > -size))
        return -1;
    const double ratio = r / size, root = ratio < 1 ? sqrt(1 - ratio * ratio) : 0;
    /* Of atan2(e, f) + acos(r / size), where that is not beyond a half turn. */
    return e * ratio + f * root < 0 ? -1 : (f * ratio - e * root) / size;
}

/* Up to which f >= least about an axis; 2: not even there. */
static double free_cosine(const abut_disc *d, double least, int i, double sign)
{
    const abut_disc_axis at = d->axis[2 * i + (sign < 0)];
    if (!(at.value >= least))
        return 2;
    /* At an angle theta f >= value cos + steep sin + bend (1 - cos) within some 37 degrees of
     * where it is least steep, and >= value cos + (disc - .8 off) sin elsewhere: there the other
     * is bent by r s^2 sin^2 of the angle to the plane of the axes, at least .8 sin - .6 cos of
     * that of the least steep direction. */
    const double off = sqrt(at.across * at.across + d->tau * d->tau),
                 sine = 0.8 * d->tau - 0.6 * fabs(at.across),
                 bend = sine > 0 && off > 0 ? at.r * d->s * d->s * (sine / off) * (sine / off) : 0;
    const double near = cosine_of(at.value - bend, at.disc - off, least - bend),
                 other = cosine_of(at.value, at.disc - 0.8 * off, least);
    const double cosine = near > other ? near : other;
    return (cosine > 0 ? cosine : 0) + 0x1p-40;
}

/* Up to which all is in the cap; 2: it is not in the cap. */
static double known_cosine(const proof *k, int i, double sign)
{
    const double a = sign * (i ? k->d->c * k->u[0] + k->d->s * k->u[1] : k->u[0]), b = k->cosine;
    if (!(a > b))
        return 2;
    const double aa = 1 - a * a, bb = 1 - b * b;
    return a * b + sqrt((aa > 0 ? aa : 0) * (bb > 0 ? bb : 0)) + 0x1p-40;
}

/* ---- the cells to begin with ---- */

/* Where x and y have these values. */
static corner crossing(const abut_disc *d, double x, double y)
{
    return place(x, (y - d->c * x) / d->s);
}

static double clamp(double x, double lo, double hi)
{
    return x < lo ? lo : x > hi ? hi : x;
}

static void begin_grid(proof *k, const double cosine[4])
{
    const abut_disc *d = k->d;
    const double x[3] = { -cosine[1], clamp(d->kink[0], -cosine[1], cosine[0]), cosine[0] },
                 y[3] = { -cosine[3], clamp(d->kink[1], -cosine[3], cosine[2]), cosine[2] };
    corner v[3][3];
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j)
            v[i][j] = crossing(d, x[i], y[j]);
    /* These are in two cells or four. */
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j)
            if ((i == 1 || j == 1) && !(k->cosine <= 1 && in_cap(k, &v[i][j]) > 0))
                note(k, &v[i][j]);
    for (int i = 0; i < 2; ++i)
        for (int j = 0; j < 2; ++j) {
            if (!(x[i] < x[i + 1] && y[j] < y[j + 1]))
                continue;
            cell *c = &k->stack[k->cells++];
            c->count = 4;
            c->v[0] = v[i][j];
            c->v[1] = v[i + 1][j];
            c->v[2] = v[i + 1][j + 1];
            c->v[3] = v[i][j + 1];
        }
}

/* Axes that are nearly parallel: from a box of x and w. */
static bool begin_strip(proof *k, const double cosine[4])
{
    const abut_disc *d = k->d;
    double side[MOST_CORNERS];
    cell whole = {
        4, { place(-cosine[1], -1), place(cosine[0], -1), place(cosine[0], 1), place(-cosine[1], 1) }
    };
    cell half[2];
    if (!trim(&whole, d->c, d->s, cosine[2]) || !trim(&whole, -d->c, -d->s, cosine[3]))
        return false;
    (void)find_sides(&whole, 1, 0, d->kink[0], side);
    cut(&whole, side, NULL, &half[0], &half[1]);
    for (int i = 0; i < 2; ++i) {
        (void)find_sides(&half[i], d->c, d->s, d->kink[1], side);
        cut(&half[i], side, NULL, &k->stack[k->cells], &k->stack[k->cells + 1]);
        k->cells += 2;
    }
    return true;
}

/* Cuts a cell in two; the second goes on the stack. */
static void cut_cell(proof *k, int i, double p, double q, double d)
{
    double side[MOST_CORNERS];
    cell low;
    if (k->cells == MOST_CELLS || find_sides(&k->stack[i], p, q, d, side) == 0)
        return;
    cut(&k->stack[i], side, NULL, &low, &k->stack[k->cells]);
    k->cells += k->stack[k->cells].count > 0;
    k->stack[i] = low;
}

static bool holds_cap(const proof *k, const cell *c)
{
    bool inside = c->count >= 3, there = false;
    for (int j = 0; j < c->count && inside; ++j) {
        const corner *v = &c->v[j], *n = &c->v[after(j, c->count)];
        const double x = k->u[0] - v->x, w = k->u[1] - v->w;
        inside = (n->x - v->x) * w - (n->w - v->w) * x >= -0x1p-30;
        there |= x * x + w * w < 0x1p-40;
    }
    return inside && !there;
}

/* Cells that hold the middle of the cap are cut through it, so that it is a corner of theirs. */
static void cut_at_cap(proof *k)
{
    const int count = k->cells;
    for (int i = 0; i < count; ++i) {
        if (!holds_cap(k, &k->stack[i]))
            continue;
        const int half = k->cells;
        cut_cell(k, i, 0, 1, k->u[1]);
        if (half < k->cells)
            cut_cell(k, half, 1, 0, k->u[0]);
        cut_cell(k, i, 1, 0, k->u[0]);
    }
}

/* What is free about one axis may be so about one of the other body that is nearly the same. */
static void share_free(const abut_disc *d, double cosine[4])
{
    const double own[4] = { cosine[0], cosine[1], cosine[2], cosine[3] };
    for (int i = 0; i < 4; ++i)
        for (int j = i < 2 ? 2 : 0; j < (i < 2 ? 4 : 2); ++j) {
            const double along = (i & 1) == (j & 1) ? d->c : -d->c, square = 1 - own[j] * own[j];
            if (!(along > own[j]))
                continue;
            const double shared = own[j] * along + sqrt(square > 0 ? square : 0) * d->s + 0x1p-40;
            cosine[i] = shared < cosine[i] ? shared : cosine[i];
        }
}

/* Where S is steep, much is lost to rounding: not below an angle of 2^-6. */
static abut_disc_end share(const abut_disc *d, double cosine[4], double *nearest)
{
    share_free(d, cosine);
    *nearest = 0;
    for (int i = 0; i < 4; ++i)
        *nearest = cosine[i] > *nearest ? cosine[i] : *nearest;
    return *nearest > 1 - 0x1p-13 ? ABUT_DISC_OPEN : ABUT_DISC_PROVED;
}

static abut_disc_end begin_cells(proof *k, abut_vec3 *at)
{
    const abut_disc *d = k->d;
    double cosine[4], nearest;
    for (int i = 0; i < 4; ++i) {
        const double sign = i & 1 ? -1 : 1;
        cosine[i] = free_cosine(d, k->least, i >> 1, sign);
        if (k->cosine <= 1) {
            const double known = known_cosine(k, i >> 1, sign);
            cosine[i] = known < cosine[i] ? known : cosine[i];
        }
        if (cosine[i] >= 2) {
            *at = abut_disc_beside(d, i >> 1, sign);
            return ABUT_DISC_SHALLOWER;
        }
    }
    if (share(d, cosine, &nearest) != ABUT_DISC_PROVED)
        return ABUT_DISC_OPEN;
    k->slack = 0x1p-45 * d->size / sqrt(1 - nearest * nearest);
    k->least = k->r - k->slack;
    k->r -= 2 * k->slack;
    k->cells = 0;
    if (d->s > 0.125)
        begin_grid(k, cosine);
    else if (!begin_strip(k, cosine))
        return ABUT_DISC_OPEN;
    if (k->cosine <= 1) {
        if (k->u[2] > 0x1p-7)
            cut_at_cap(k);
        const bool flat = k->u[0] * k->u[0] + k->u[1] * k->u[1] > k->cosine * k->cosine;
        for (int i = 0; i < k->cells; ++i) {
            if (flat && !trim(&k->stack[i], k->u[0], k->u[1], k->cosine))
                return ABUT_DISC_OPEN;
            subtract_cap(k, &k->stack[i]);
        }
    }
    return ABUT_DISC_PROVED;
}

/* ---- the work ---- */

static bool is_in_cap(const proof *k, const cell *c)
{
    if (k->cosine > 1)
        return false;
    for (int i = 0; i < c->count; ++i)
        if (!(in_cap(k, &c->v[i]) > 0))
            return false;
    return true;
}

/* A symmetric form. */
typedef struct form {
    double xx, xw, ww;
} form;

/* How much a body is bent in a cell, at least: S'' <= -rho / (1 - x^2)^3/2, which is nothing
 * where the apex of a cone is ahead. side: the parts of the corners along its axis. */
static double least_bend(const abut_cylinders_body *b, double kink, double low, double high)
{
    if (b->apex > 0 && high > kink + 0x1p-46)
        return 0;
    const double near = low > 0 ? low : high < 0 ? -high : 0, square = 1 - near * near;
    return square > 0 ? b->r / (square * sqrt(square)) * (1 - 0x1p-30) : b->r;
}

/* G is so concave in the whole cell, at least. */
static form concavity_of(const abut_disc *d, const cell *c)
{
    double x0 = INFINITY, x1 = -INFINITY, y0 = INFINITY, y1 = -INFINITY;
    for (int i = 0; i < c->count; ++i) {
        const double x = c->v[i].x, y = d->c * x + d->s * c->v[i].w;
        x0 = x < x0 ? x : x0;
        x1 = x > x1 ? x : x1;
        y0 = y < y0 ? y : y0;
        y1 = y > y1 ? y : y1;
    }
    const double a = least_bend(&d->body[0], d->kink[0], x0, x1),
                 b = least_bend(&d->body[1], d->kink[1], y0, y1);
    return (form){ a + b * d->c * d->c, b * d->c * d->s, b * d->s * d->s };
}

/* Its eigenvalues cut off at `most`. */
static form cut_off(form m, double most)
{
    const double mean = 0.5 * (m.xx + m.ww), half = 0.5 * (m.xx - m.ww),
                 spread = sqrt(half * half + m.xw * m.xw);
    const double high = mean + spread, low = mean - spread > 0 ? mean - spread : 0;
    const double h = high < most ? high : most, l = low < most ? low : most;
    const double part = spread > 0 ? 0.5 * (h - l) / spread : 0, middle = 0.5 * (h + l);
    return (form){ middle + part * half, part * m.xw, middle - part * half };
}

/* The least over a cell with z replaced by the plane that touches the sphere at p, less |v -
 * p|^2 / 2 p_z as far as G is concave enough for the sum to be so. */
static double least_under(const proof *k, const cell *c, const corner *p, const form *bend, int *at)
{
    const double weight = k->d->tau / p->z;
    const form q = cut_off(*bend, weight * (1 - 0x1p-40));
    double worst = INFINITY;
    for (int i = 0; i < c->count; ++i) {
        const double x = c->v[i].x - p->x, w = c->v[i].w - p->w;
        const double value = c->v[i].g - weight * (1 - p->x * c->v[i].x - p->w * c->v[i].w) +
                             0.5 * (q.xx * x * x + 2 * q.xw * x * w + q.ww * w * w);
        *at = value < worst ? i : *at;
        worst = value < worst ? value : worst;
    }
    return worst;
}

/* The same with as much of both bodies replaced by their points at p as takes the height away. */
static double least_by_points(const proof *k, const cell *c, const corner *p)
{
    const abut_disc *d = k->d;
    const abut_cylinders_body *a = &d->body[0], *b = &d->body[1];
    const double along = d->c * p->x + d->s * p->w, n = d->c * p->w - d->s * p->x;
    const double flat_a = sqrt(p->w * p->w + p->z * p->z), flat_b = sqrt(n * n + p->z * p->z);
    const double sigma_a = 2 * a->h * p->x < a->apex * flat_a ? -1 : 1,
                 sigma_b = 2 * b->h * along < b->apex * flat_b ? -1 : 1;
    const double ra = (a->mean - 0.5 * sigma_a * a->apex) / flat_a,
                 rb = (b->mean - 0.5 * sigma_b * b->apex) / flat_b;
    const double height = (ra + rb) * p->z, part = height > d->tau ? d->tau / height : 1,
                 weight = height > d->tau ? 0 : (d->tau - height) / p->z;
    /* y = c x + s w, n = c w - s x */
    const double hx = part * (d->t1 + sigma_a * a->h + sigma_b * b->h * d->c - rb * n * d->s) + weight * p->x,
                 hw = part * (d->t2 + ra * p->w + sigma_b * b->h * d->s + rb * n * d->c) + weight * p->w;
    double worst = INFINITY;
    for (int i = 0; i < c->count; ++i) {
        const double value = (1 - part) * c->v[i].g + hx * c->v[i].x + hw * c->v[i].w - weight;
        worst = value < worst ? value : worst;
    }
    return worst;
}

/* The same with z replaced by (1 - x^2)^1/2 or (1 - y^2)^1/2, which it is not above: as if the
 * body were thinner by tau. */
static double least_thinner(const proof *k, const cell *c, int body)
{
    const abut_disc *d = k->d;
    const abut_cylinders_body *b = &d->body[body];
    double worst = INFINITY, high = -INFINITY;
    for (int i = 0; i < c->count; ++i) {
        const double x = c->v[i].x, along = body ? d->c * x + d->s * c->v[i].w : x,
                     square = 1 - along * along;
        const double value = c->v[i].g - d->tau * sqrt(square > 0 ? square : 0);
        high = along > high ? along : high;
        worst = value < worst ? value : worst;
    }
    const bool apex = b->apex > 0 && high > d->kink[body] + 0x1p-46;
    return !apex && b->r >= d->tau ? worst : -INFINITY;
}

/* On the sphere, in the middle of the corners; not lower than 2^-5 for what a plane that touches
 * there is worth. */
static corner middle_of(proof *k, cell *c)
{
    corner p = { 0, 0, 0, NAN };
    for (int i = 0; i < c->count; ++i) {
        if (isnan(c->v[i].g))
            note(k, &c->v[i]);
        p.x += c->v[i].x;
        p.w += c->v[i].w;
        p.z += c->v[i].z;
    }
    const double low = 0x1p-5 * c->count, z = p.z > low ? p.z : low;
    const double l = 1 / sqrt(p.x * p.x + p.w * p.w + z * z);
    return (corner){ l * p.x, l * p.w, l * z, NAN };
}

/* Across the line from p to the corner furthest from it; the second half goes on the stack. */
static bool halve(proof *k, cell *c, const corner *p)
{
    double most = 0, x = 1, w = 0, from = INFINITY, to = -INFINITY, side[MOST_CORNERS];
    for (int i = 0; i < c->count; ++i) {
        const double dx = c->v[i].x - p->x, dw = c->v[i].w - p->w, dz = c->v[i].z - p->z,
                     square = dx * dx + dw * dw + dz * dz;
        if (square > most) {
            most = square;
            x = dx;
            w = dw;
        }
    }
    for (int i = 0; i < c->count; ++i) {
        const double at = x * c->v[i].x + w * c->v[i].w;
        from = at < from ? at : from;
        to = at > to ? at : to;
    }
    double where = x * p->x + w * p->w;
    const double early = from + 0.125 * (to - from), late = to - 0.125 * (to - from);
    where = where < early ? early : where > late ? late : where;
    if (k->cells == MOST_CELLS || c->count + 2 > MOST_CORNERS)
        return false;
    cell low;
    (void)find_sides(c, x, w, where, side);
    cut(c, side, k, &low, &k->stack[k->cells]);
    c->count = low.count;
    for (int i = 0; i < low.count; ++i)
        c->v[i] = low.v[i];
    if (k->cosine <= 1) {
        subtract_cap(k, c);
        subtract_cap(k, &k->stack[k->cells]);
    }
    ++k->cells;
    return true;
}

static bool is_shallower(const proof *k, const corner *v, abut_vec3 *at)
{
    if (!(v->g - k->d->tau * v->z < k->r && v->x * v->x + v->w * v->w < 1 + 0x1p-20))
        return false;
    *at = abut_unit_or(abut_disc_direction(k->d, v->x, v->w, v->z), k->d->e[2]);
    return true;
}

static abut_disc_end work(proof *k, uint32_t most, abut_vec3 *at)
{
    const abut_disc *d = k->d;
    while (k->cells > 0) {
        cell *c = &k->stack[k->cells - 1];
        if (c->count == 0) {
            --k->cells;
            continue;
        }
        corner p = middle_of(k, c);
        int worst = 0, other;
        const form bend = concavity_of(d, c);
        if (least_under(k, c, &p, &bend, &worst) >= k->least || least_by_points(k, c, &p) >= k->least ||
            (c->v[worst].z > 0x1p-5 && least_under(k, c, &c->v[worst], &bend, &other) >= k->least) ||
            (k->top.z > 0x1p-5 && least_under(k, c, &k->top, &bend, &other) >= k->least) ||
            least_thinner(k, c, 0) >= k->least || least_thinner(k, c, 1) >= k->least || is_in_cap(k, c)) {
            --k->cells;
            continue;
        }
        if (k->evaluations >= most)
            return ABUT_DISC_OPEN;
        for (int i = 0; i < c->count; ++i)
            if (is_shallower(k, &c->v[i], at))
                return ABUT_DISC_SHALLOWER;
        const double x = c->v[worst].x, w = c->v[worst].w, square = x * x + w * w;
        if (square > 1 + 0x1p-10) {
            const double per = 1 / sqrt(square);
            if (!trim(c, per * x, per * w, 1))
                return ABUT_DISC_OPEN;
            continue;
        }
        note(k, &p);
        if (is_shallower(k, &p, at))
            return ABUT_DISC_SHALLOWER;
        if (!halve(k, c, &p))
            return ABUT_DISC_OPEN;
    }
    return ABUT_DISC_PROVED;
}

static void set_up(const abut_disc *d, double r, abut_vec3 u, const abut_depth_cap *cap, proof *k)
{
    k->evaluations = 4;
    k->d = d;
    k->r = k->least = r;
    k->top = (corner){ abut_dot(u, d->e[0]), abut_dot(u, d->e[1]), abut_dot(u, d->e[2]), NAN };
    k->cosine = cap ? (cap->cosine > 0 ? cap->cosine : 0) + 0x1p-40 : 2;
    for (int i = 0; i < 3; ++i)
        k->u[i] = cap ? abut_dot(cap->u, d->e[i]) : 0;
}

abut_disc_end abut_disc_prove(const abut_disc *d, double *r, abut_vec3 u, const abut_depth_cap *cap,
                              uint32_t most, abut_vec3 *at, uint32_t *evaluations)
{
    proof k;
    set_up(d, *r, u, cap, &k);
    if (k.u[2] < 0) {
        /* The other half of the sphere has larger f; a bottom there has a lower one above it. */
        *at = abut_disc_direction(d, k.u[0], k.u[1], -k.u[2]);
        if (k.u[2] < -0x1p-40)
            return ABUT_DISC_SHALLOWER;
        k.u[2] = 0;
    }
    const abut_disc_end begun = begin_cells(&k, at);
    if (begun != ABUT_DISC_PROVED)
        return begun;
    const abut_disc_end end = work(&k, most, at);
    *evaluations += k.evaluations;
    *r = k.r;
    return end;
}
