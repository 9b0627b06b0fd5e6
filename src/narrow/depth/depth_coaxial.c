/* SPDX-License-Identifier: MIT */
/* The depth of two bodies of revolution about one line, or nearly so: a search over one angle.
 *
 * About such a line f(v) = max over K of v . w is the same for all v of one angle with it, so that
 * the least ones are a ring, which no search over directions can be done with: each of its parts is
 * to be proved. With v = (s, c), s >= 0 away from the line and c along it, between kinks that are
 * known
 *     f = L . v + |M_a v| + |M_b v|,
 * L from ends of cylinders, cones and segments, M the semi-axes of ellipsoids. A cell is what is
 * between two v. About m in it let v = m + t d, d across m; with l = |M m|, x the slope and D the
 * determinant of M
 *     |M v| = l + x t + D^2 t^2 / (l^2 (|M v| + l + x t)),
 * where the divisor is convex in t, so that it is largest at an end. That leaves a quadratic below
 * f - r |v|, as |v| <= 1 + t^2 / 2: where it is not negative the cell is proved, and otherwise
 * halved. No loss is of an order below t^3.
 *
 * Bodies that are off the line are moved onto it: nothing in K moves further than e, which is
 * the distance of the lines and the sine between them times a size, and f changes by no more. */
#include "narrow/depth/depth.h"
#include "narrow/distance/curved_piece.h"

enum { MOST_CELLS = 1500, MOST_STACK = 48, NO_AXIS = -1, NOT_ROUND = -2 };

/* Of the depth: what the bounds may differ by; of the sizes: what may be off the line. */
static const double fine = 0x1p-33, near = 0x1p-12;

typedef struct ray {
    double s, c; /* unit */
} ray;

/* A body as the line sees it: radius across, half of its height, and 1 where its own axis is
 * along v's, else -1. */
typedef struct profile {
    abut_core_kind kind;
    double r, h, sense;
} profile;

/* f between two kinks. */
typedef struct outline {
    ray l;
    double r[2], h[2]; /* semi-axes of ellipsoids, else 0 */
} outline;

typedef struct cell {
    ray from, to;
    outline f;
} cell;

typedef struct search {
    profile body[2];
    double z; /* of b, from a */
    double f, least;
    ray best;
    uint32_t cells;
    int count;
    cell stack[MOST_STACK];
} search;

/* The axis of its own frame that a core is round about. */
static int axis_of(const abut_core *core)
{
    const double *h = core->h;
    switch (core->kind) {
    case ABUT_CORE_POINT: return NO_AXIS;
    case ABUT_CORE_SEGMENT:
    case ABUT_CORE_CYLINDER:
    case ABUT_CORE_CONE: return 2;
    case ABUT_CORE_ELLIPSOID:
        if (h[0] == h[1])
            return h[1] == h[2] ? NO_AXIS : 2;
        return h[1] == h[2] ? 0 : h[0] == h[2] ? 1 : NOT_ROUND;
    default: return NOT_ROUND;
    }
}

static profile profile_of(const abut_core *core, int axis, double sense)
{
    const double *h = core->h;
    switch (core->kind) {
    case ABUT_CORE_SEGMENT: return (profile){ core->kind, 0, h[2], sense };
    case ABUT_CORE_CYLINDER:
    case ABUT_CORE_CONE: return (profile){ core->kind, h[0], h[2], sense };
    case ABUT_CORE_ELLIPSOID:
        return (profile){ core->kind, axis == 0 ? h[1] : h[0], h[axis < 0 ? 2 : axis], sense };
    default: return (profile){ .kind = ABUT_CORE_POINT, .sense = 1 };
    }
}

/* What counts along v. */
static outline evaluate(const search *k, ray v)
{
    outline out = { .l = { 0, k->z } };
    for (int i = 0; i < 2; ++i) {
        const profile *b = &k->body[i];
        const double c = b->sense * v.c, end = copysign(b->h, v.c);
        switch (b->kind) {
        case ABUT_CORE_SEGMENT: out.l.c += end; break;
        case ABUT_CORE_CYLINDER:
            out.l.s += b->r;
            out.l.c += end;
            break;
        case ABUT_CORE_CONE:
            if (2 * b->h * c >= b->r * v.s) {
                out.l.c += b->sense * b->h;
            } else {
                out.l.s += b->r;
                out.l.c -= b->sense * b->h;
            }
            break;
        case ABUT_CORE_ELLIPSOID:
            out.r[i] = b->r;
            out.h[i] = b->h;
            break;
        default: break;
        }
    }
    return out;
}

static double length(double x, double y)
{
    return sqrt(x * x + y * y);
}

static ray unit(double s, double c)
{
    const double over = 1 / length(s, c);
    return (ray){ over * s, over * c };
}

static double value_of(const outline *f, ray v)
{
    return f->l.s * v.s + f->l.c * v.c + length(f->r[0] * v.s, f->h[0] * v.c) +
           length(f->r[1] * v.s, f->h[1] * v.c);
}

static void lower(search *k, double f, ray v)
{
    if (!(f < k->f))
        return;
    k->f = f;
    k->least = f * (1 - fine);
    k->best = v;
}

/* Is f >= k->least in the cell? It may find out that it is not. m: its middle. */
static bool is_deep(search *k, const cell *e, ray m)
{
    const outline *f = &e->f;
    const ray d = { m.c, -m.s };
    const double cosine = m.s * e->to.s + m.c * e->to.c,
                 reach = 1.0001 * fabs(d.s * e->to.s + d.c * e->to.c) / cosine;
    double value = f->l.s * m.s + f->l.c * m.c, slope = f->l.s * d.s + f->l.c * d.c, bend = 0;
    for (int i = 0; i < 2; ++i) {
        const double r = f->r[i], h = f->h[i], l = length(r * m.s, h * m.c);
        if (!(l > 0))
            continue;
        const double x = (r * r * m.s * d.s + h * h * m.c * d.c) / l,
                     up = length(r * (m.s + reach * d.s), h * (m.c + reach * d.c)) + reach * x,
                     down = length(r * (m.s - reach * d.s), h * (m.c - reach * d.c)) - reach * x;
        const double part = r * h / l;
        value += l;
        slope += x;
        bend += 2 * part * part / (l + (up > down ? up : down));
    }
    lower(k, value, m);
    bend -= k->least;
    const bool within = bend > 0 && fabs(slope) < bend * reach;
    const double at = within ? -slope / bend : copysign(reach, -slope),
                 least = value - k->least + at * (slope + 0.5 * at * bend);
    if (least >= 0)
        return true;
    const ray v = unit(m.s + at * d.s, m.c + at * d.c);
    if (v.s >= 0) {
        const outline there = evaluate(k, v); /* it may be a little beyond a kink */
        lower(k, value_of(&there, v), v);
    }
    return false;
}

static bool push(search *k, ray from, ray to, const outline *f)
{
    if (k->count == MOST_STACK)
        return false;
    k->stack[k->count++] = (cell){ from, to, *f };
    return true;
}

/* From one end of the line to the other, in stretches that no kink is inside of. */
static void begin(search *k)
{
    ray at[5] = { { 0, 1 }, { 1, 0 } };
    int count = 2;
    for (int i = 0; i < 2; ++i)
        if (k->body[i].kind == ABUT_CORE_CONE)
            at[count++] = unit(2 * k->body[i].h, k->body[i].sense * k->body[i].r);
    at[count++] = (ray){ 0, -1 };
    for (int i = 1; i < count; ++i) /* by c */
        for (int j = i; j > 0 && at[j].c > at[j - 1].c; --j) {
            const ray swap = at[j];
            at[j] = at[j - 1];
            at[j - 1] = swap;
        }
    k->f = INFINITY;
    k->cells = 0;
    k->count = 0;
    for (int i = 0; i + 1 < count; ++i) {
        const outline f = evaluate(k, unit(at[i].s + at[i + 1].s, at[i].c + at[i + 1].c));
        lower(k, value_of(&f, at[i]), at[i]);
        lower(k, value_of(&f, at[i + 1]), at[i + 1]);
        (void)push(k, at[i], at[i + 1], &f);
    }
}

static bool prove(search *k)
{
    while (k->count > 0) {
        const cell e = k->stack[--k->count];
        const ray m = unit(e.from.s + e.to.s, e.from.c + e.to.c);
        if (++k->cells > MOST_CELLS)
            return false;
        if (!is_deep(k, &e, m) && !(push(k, e.from, m, &e.f) && push(k, m, e.to, &e.f)))
            return false;
    }
    return true;
}

/* The line, from a's centre, and how far the bodies are off it; false where there is none. */
static bool find_line(const abut_convex_pair *pair, search *k, abut_vec3 *line, double *off)
{
    const int a = axis_of(pair->a), b = axis_of(pair->b);
    if (a == NOT_ROUND || b == NOT_ROUND || (a == NO_AXIS && b == NO_AXIS))
        return false;
    const double(*m)[3] = pair->r.m;
    const abut_vec3 own = abut_v3(a == 0, a == 1, a == 2),
                    other = b < 0 ? own : abut_v3(m[0][b], m[1][b], m[2][b]);
    *line = a < 0 ? other : own;
    const abut_vec3 tilt = abut_cross(*line, other);
    k->z = abut_dot(pair->t, *line);
    const abut_vec3 beside = abut_madd(pair->t, -k->z, *line);
    *off = sqrt(abut_dot(beside, beside)) + 1.001 * sqrt(abut_dot(tilt, tilt)) * pair->b->size;
    k->body[0] = profile_of(pair->a, a, -1); /* minus a */
    k->body[1] = profile_of(pair->b, b, abut_dot(*line, other) < 0 ? -1 : 1);
    return *off <= near * (pair->a->size + pair->b->size);
}

/* Unit, across the line, away from b where that is clearly beside it. */
static abut_vec3 across(const abut_convex_pair *pair, abut_vec3 line)
{
    abut_vec3 e[2];
    abut_tangent_basis(line, e);
    const double x = abut_dot(pair->t, e[0]), y = abut_dot(pair->t, e[1]), beside = length(x, y);
    if (!(beside > 0x1p-40 * (pair->a->size + pair->b->size)))
        return e[0];
    return abut_madd(abut_scale(-x / beside, e[0]), -y / beside, e[1]);
}

bool abut_depth_of_coaxial(const abut_convex_pair *pair, abut_convex_answer *out)
{
    search k;
    abut_vec3 line;
    double off;
    if (!find_line(pair, &k, &line, &off))
        return false;
    begin(&k);
    const bool proved = prove(&k);
    out->iterations += k.cells;
    if (!proved || !(k.f > 8 * pair->error + off))
        return false;
    /* A value is a sum of ten terms, none above both sizes and the distance. */
    const double size = pair->a->size + pair->b->size + fabs(k.z),
                 lost = off + 0x1p-48 * size + 4 * pair->error;
    const abut_vec3 w = abut_madd(abut_scale(k.best.c, line), k.best.s, across(pair, line)),
                    u = abut_scale(1 / sqrt(abut_dot(w, w)), w), n = abut_scale(-1, u);
    abut_convex_point p = { .a = 0 };
    abut_depth_cap cap;
    const double lo = abut_convex_separation(pair, n, &p), hi = lost - k.least;
    (void)abut_depth_cap_at(pair, u, k.f, &cap);
    out->supports += 2;
    if (!(lo < out->lo)) {
        out->lo = lo;
        out->normal = n;
        out->x = cap.x;
        out->y = cap.y;
    }
    out->hi = hi < out->hi ? hi : out->hi;
    return out->hi - out->lo <= 0x1p-30 * (pair->radii - out->lo) + 16 * pair->error;
}
