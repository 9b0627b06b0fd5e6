/* SPDX-License-Identifier: MIT */
/* The depth where one body is a solid of revolution, or an ellipsoid, and the other is narrow about
 * its axis: the least directions are a ring, or nearly so, which neither a polytope nor a cap
 * closes in on.
 *
 * In the frame of the solid let d be the direction in which it is left, and C the other body there.
 * f(d) = h(d) - the least w . d over C, and every point w of C proves h(d) - w . d from below. h
 * depends on the angle to the axis only, so that this is known over a whole rectangle of latitudes
 * and longitudes. Only C is cut up: what is lost is its size times the square of the longitudes,
 * and the ring itself costs nothing.
 *
 * Rectangles that no point at hand proves are cut where the points of both of their ends agree,
 * which is where C has an edge. A direction met that is shallower lowers what is to be proved,
 * which undoes nothing. Proofs and rounding: docs/notes/depth.md. */
#include "narrow/depth/depth.h"
#include "narrow/distance/cylinders.h"
#include "narrow/distance/refine.h"

enum {
    MOST_POINTS = 112,
    MOST_CELLS = 48,
    FIRST = 6,
    HELD = 3,
    PATIENCE = 24,
    DESCENT = 66,
    MOST_ROUNDS = 160,
    LAST = 150,
    LAST_OF_ANY = 189,
    LAST_OF_HULL = 166, /* some are left for depth_cells.c */
    LAST_OF_FLAT = 90
};

/* Of the depth: what the bounds may differ by. */
static const double fine = 0x1.8p-31;
/* What is proved to this part of it is not given to the polytope. */
static const double coarse = 0x1p-12;
/* Ellipsoids whose lesser axes differ by more, of the largest, have least directions that are
 * apart. */
static const double flatness = 0.1;
/* Of the solid's size: bodies that are wider have no ring. */
static const double narrow = 0.02;
/* Nothing narrower is cut. */
static const double least_turn = 0x1p-40;

typedef struct ray {
    double x, y; /* unit to rounding */
} ray;

/* Longitudes and latitudes between two rays each; those of latitude are (sin, cos) of the angle
 * to the axis, 0 to pi. */
typedef struct cell {
    ray e[2], g[2];
    int w[HELD]; /* points of C */
} cell;

/* Of C: a point, or where C is turned about nearly the same axis, the middle of a disc across
 * that. */
typedef struct point {
    abut_vec3 w;
    double rho;
} point;

typedef struct proof {
    const abut_convex_pair *pair;
    bool second;     /* the solid is b */
    bool round;      /* an ellipsoid */
    bool single;     /* C is one point */
    int axis;        /* x, y or z of its frame */
    double rho[2];   /* radii of the circles that it is the hull of, or semi-axes across */
    double z[2];     /* and where they are; along */
    int turned;      /* C's own axis where that is nearly the solid's, or -1 */
    double tilt;     /* what its discs lose by that */
    ray kink;        /* where both are as far out; of an ellipsoid, the equator */
    double f, least; /* the shallowest direction, and what is to be proved */
    double open;     /* what is proved about the cell that was cut last */
    abut_vec3 n;
    uint32_t supports, hint;
    int points, cells;
    point w[MOST_POINTS];
    cell stack[MOST_CELLS];
} proof;

static inline double cross(ray a, ray b)
{
    return a.x * b.y - a.y * b.x;
}

static inline double dot(ray a, ray b)
{
    return a.x * b.x + a.y * b.y;
}

static ray unit_ray(double x, double y)
{
    const double l = 1 / sqrt(x * x + y * y);
    return (ray){ l * x, l * y };
}

static ray between(ray a, ray b)
{
    return unit_ray(a.x + b.x, a.y + b.y);
}

static double apart(ray a, ray b)
{
    const ray d = { a.x - b.x, a.y - b.y };
    return sqrt(dot(d, d));
}

/* Of latitudes, from the axis on. */
static inline bool is_before(ray a, ray b)
{
    return cross(a, b) < 0;
}

static inline bool is_within(const ray e[2], ray at)
{
    return cross(e[0], at) >= 0 && cross(at, e[1]) >= 0;
}

/* The axis of the solid becomes z, and back. */
static inline abut_vec3 turn_in(int axis, abut_vec3 p)
{
    return axis == 2 ? p : axis == 1 ? abut_v3(p.z, p.x, p.y) : abut_v3(p.y, p.z, p.x);
}

static inline abut_vec3 turn_out(int axis, abut_vec3 p)
{
    return axis == 2 ? p : axis == 1 ? abut_v3(p.y, p.z, p.x) : abut_v3(p.z, p.x, p.y);
}

static void lower(proof *k, double f, abut_vec3 n)
{
    if (!(f < k->f))
        return;
    const double whole = 0.375 * (f + k->pair->radii), least = f - fine * (f > whole ? f : whole);
    k->f = f;
    k->n = n;
    k->least = least > 0.5 * f ? least : 0.5 * f;
}

static double support_of(const proof *k, ray e, ray g)
{
    if (k->round) {
        const double x = k->rho[0] * g.x * e.x, y = k->rho[1] * g.x * e.y, z = k->z[0] * g.y;
        return sqrt(x * x + y * y + z * z);
    }
    const double p = k->rho[0] * g.x + k->z[0] * g.y, q = k->rho[1] * g.x + k->z[1] * g.y;
    return p > q ? p : q;
}

/* The point of C that counts along d = (g.x e, g.y). */
static int look(proof *k, ray e, ray g)
{
    const abut_convex_pair *pair = k->pair;
    const abut_core *core = k->second ? pair->a : pair->b;
    const abut_vec3 d = abut_v3(g.x * e.x, g.x * e.y, g.y), own = turn_out(k->axis, d),
                    n = k->second ? abut_scale(-1, abut_mul(&pair->r, own)) : own;
    abut_vec3 q =
        abut_core_support(core, k->second ? n : abut_scale(-1, abut_mul_t(&pair->r, own)), &k->hint);
    point *p = &k->w[k->points];
    p->rho = 0;
    if (k->turned >= 0) {
        const abut_vec3 at = turn_in(k->turned, q);
        p->rho = sqrt(at.x * at.x + at.y * at.y) * (1 - 0x1p-50);
        q = turn_out(k->turned, abut_v3(0, 0, at.z));
    }
    p->w = turn_in(k->axis, k->second ? abut_mul_t(&pair->r, abut_sub(q, pair->t))
                                      : abut_add(abut_mul(&pair->r, q), pair->t));
    lower(k, support_of(k, e, g) - abut_dot(p->w, d) + p->rho * g.x, n);
    ++k->supports;
    k->points += k->points < FIRST || !k->single;
    return k->points - 1;
}

/* ---- what a point proves ---- */

/* A direction by its longitude and latitude. */
typedef struct place {
    ray e, g;
} place;

/* The most that w reaches across the axis between two longitudes, and where. */
static double reach_across(const ray e[2], abut_vec3 w, ray *on)
{
    const ray at = { w.x, w.y };
    const double first = dot(e[0], at), last = dot(e[1], at), square = dot(at, at);
    *on = first > last ? e[0] : e[1];
    if (!is_within(e, at))
        return first > last ? first : last;
    if (square > 0)
        *on = unit_ray(at.x, at.y);
    return sqrt(square);
}

/* On each side of the kink h(d) - w . d is a wave, least at the ends if it is positive there:
 * what is not positive proves nothing. *at: where that is. */
static double least_of_lines(const proof *k, const ray g[2], double along, double across, ray *at)
{
    const bool low = is_before(g[0], k->kink), high = is_before(k->kink, g[1]);
    const ray ends[4] = { g[0], high ? k->kink : g[1], low ? k->kink : g[0], g[1] };
    double least = INFINITY;
    for (int i = low ? 0 : 2; i < (high ? 4 : 2); ++i) {
        const double value = (k->rho[i >> 1] - across) * ends[i].x + (k->z[i >> 1] - along) * ends[i].y;
        if (value < least) {
            least = value;
            *at = ends[i];
        }
    }
    return least;
}

/* F = ((a x)^2 + (b y)^2)^1/2 - w . (x, y) over the rays from e[0] on to e[1], less than half a
 * turn: F'' + F = (a b)^2 / ( )^3/2 >= bend, so that about any of them, m, it is at least bend +
 * (F - bend) cos + F' sin of the angle from there. *at: where that is least. A bend much above
 * the size would only cost digits. */
static double least_of_ellipse(double a, double b, const ray e[2], ray w, ray *at)
{
    static const ray axes[4] = { { 1, 0 }, { 0, 1 }, { -1, 0 }, { 0, -1 } };
    const double aa = a * a, bb = b * b;
    ray about[4] = { e[0], e[1], between(e[0], e[1]) };
    double most = 0, best = -INFINITY;
    int count = 3;
    for (int i = 0; i < 2; ++i) {
        const double square = aa * e[i].x * e[i].x + bb * e[i].y * e[i].y;
        most = square > most ? square : most;
    }
    for (int i = 0; i < 4; ++i)
        if (is_within(e, axes[i])) {
            const double square = i & 1 ? bb : aa;
            most = square > most ? square : most;
            about[3] = axes[i];
            count = 4;
        }
    const double size = (a > b ? a : b) + sqrt(dot(w, w)),
                 bent = aa * bb / (most * sqrt(most)) * (1 - 0x1p-45),
                 bend = bent < 4 * size ? bent : 4 * size;
    *at = e[0];
    for (int i = 0; i < count; ++i) {
        const ray m = about[i];
        const double s = sqrt(aa * m.x * m.x + bb * m.y * m.y);
        const double value = s - dot(w, m) - bend, slope = (bb - aa) * m.x * m.y / s - cross(m, w);
        /* The wave as p . (x, y). */
        const ray p = { value * m.x - slope * m.y, value * m.y + slope * m.x };
        const double first = dot(p, e[0]), last = dot(p, e[1]), deep = sqrt(dot(p, p));
        double least = first < last ? first : last;
        ray where = first < last ? e[0] : e[1];
        if (deep > 0 && is_within(e, (ray){ -p.x, -p.y })) {
            least = -deep;
            where = unit_ray(-p.x, -p.y);
        }
        if (least + bend > best) {
            best = least + bend;
            *at = where;
        }
    }
    return best - 0x1p-47 * (size + bend);
}

/* An ellipsoid's radius along a longitude. */
static double radius_along(const proof *k, ray e)
{
    const double x = k->rho[0] * e.x, y = k->rho[1] * e.y;
    return sqrt(x * x + y * y);
}

/* An ellipsoid's radius r varies with the longitude. With the least one, r0, and the part p = r0
 * sin / h(r0) or less of h, h(r) sin >= h(r0) + p (r - r0) sin: what p r grows by is taken off
 * what w reaches across. */
static double least_of_round(const proof *k, const cell *c, const point *w, place *at)
{
    const ray minor = k->rho[0] < k->rho[1] ? (ray){ 1, 0 } : (ray){ 0, 1 }, back = { -minor.x, -minor.y };
    const double first = radius_along(k, c->e[0]), last = radius_along(k, c->e[1]);
    double radius = first < last ? first : last, part = 1, across;
    if (is_within(c->e, minor) || is_within(c->e, back))
        radius = k->rho[0] < k->rho[1] ? k->rho[0] : k->rho[1];
    for (int i = 0; i < 2; ++i) {
        const double x = radius * c->g[i].x, y = k->z[0] * c->g[i].y, p = x / sqrt(x * x + y * y);
        part = p < part ? p : part;
    }
    const ray flat = { w->w.x, w->w.y };
    if (k->rho[0] != k->rho[1] && part > 0) {
        across = part * radius - least_of_ellipse(part * k->rho[0], part * k->rho[1], c->e, flat, &at->e);
    } else
        across = reach_across(c->e, w->w, &at->e);
    const ray g[2] = { c->g[1], c->g[0] };
    return least_of_ellipse(radius, k->z[0], g, (ray){ across - w->rho, w->w.z }, &at->g);
}

/* What a point proves over a cell, and where that is least. */
static double least_by(const proof *k, const cell *c, int i, place *at)
{
    const point *p = &k->w[i];
    const double least =
        k->round ? least_of_round(k, c, p, at)
                 : least_of_lines(k, c->g, p->w.z, reach_across(c->e, p->w, &at->e) - p->rho, &at->g);
    return least - k->tilt;
}

/* The best of its points. */
static double best_of(const proof *k, const cell *c, int *best, place *at)
{
    double most = -INFINITY;
    *best = c->w[0];
    *at = (place){ c->e[0], c->g[0] };
    for (int i = 0; i < HELD && most < k->least; ++i) {
        place where;
        const double value = least_by(k, c, c->w[i], &where);
        if (value > most) {
            most = value;
            *best = c->w[i];
            *at = where;
        }
    }
    return most;
}

/* ---- the work ---- */

/* Of two points: the longitude between a and b where they are as good as each other at the
 * latitude g; otherwise that in the middle. */
static ray find_longitude(const point *p, const point *q, ray g, ray a, ray b)
{
    const double x = p->w.x - q->w.x, y = p->w.y - q->w.y, square = x * x + y * y;
    const double m = p->rho - q->rho - (p->w.z - q->w.z) * g.y / g.x, rest = square - m * m;
    const double turn = cross(a, b) < 0 ? -1 : 1;
    if (g.x > 0 && square > 0 && rest > 0) {
        const double root = sqrt(rest);
        for (int sign = -1; sign <= 1; sign += 2) {
            const ray e = unit_ray(m * x - sign * root * y, m * y + sign * root * x);
            if (turn * cross(a, e) > 0 && turn * cross(e, b) > 0)
                return e;
        }
    }
    return between(a, b);
}

/* The same of latitudes; the kink, if that is between. */
static ray find_latitude(const proof *k, const point *p, const point *q, ray e, ray a, ray b)
{
    const double x = q->w.z - p->w.z,
                 y = (p->w.x - q->w.x) * e.x + (p->w.y - q->w.y) * e.y - (p->rho - q->rho);
    const double turn = a.y > b.y ? -1 : 1;
    const ray edge = x < 0 ? unit_ray(-x, -y) : unit_ray(x, y);
    if (x != 0 && turn * cross(a, edge) > 0 && turn * cross(edge, b) > 0)
        return edge;
    if (!k->round && turn * cross(a, k->kink) > 0 && turn * cross(k->kink, b) > 0)
        return k->kink;
    return between(a, b);
}

static bool push(proof *k, const cell *c)
{
    int best;
    place at;
    if (best_of(k, c, &best, &at) >= k->least)
        return true;
    if (k->cells == MOST_CELLS)
        return false;
    k->stack[k->cells++] = *c;
    return true;
}

static bool cut_longitudes(proof *k, const cell *c, ray e)
{
    cell low = *c, high = *c;
    if (!(cross(c->e[0], e) > least_turn && cross(e, c->e[1]) > least_turn))
        e = between(c->e[0], c->e[1]);
    if (!(cross(c->e[0], e) > least_turn))
        return false;
    low.e[1] = high.e[0] = e;
    return push(k, &low) && push(k, &high);
}

/* The kink, if it is in the cell. */
static ray middle_latitude(const proof *k, const cell *c)
{
    return !k->round && is_before(c->g[0], k->kink) && is_before(k->kink, c->g[1])
               ? k->kink
               : between(c->g[0], c->g[1]);
}

static bool cut_latitudes(proof *k, const cell *c, ray g)
{
    cell low = *c, high = *c;
    if (!(cross(g, c->g[0]) > least_turn && cross(c->g[1], g) > least_turn))
        g = middle_latitude(k, c);
    if (!(cross(g, c->g[0]) > least_turn && cross(c->g[1], g) > least_turn))
        return false;
    low.g[1] = high.g[0] = g;
    return push(k, &low) && push(k, &high);
}

static double true_value(const proof *k, int i, const place *at)
{
    const point *p = &k->w[i];
    return support_of(k, at->e, at->g) - (p->w.x * at->e.x + p->w.y * at->e.y - p->rho) * at->g.x -
           p->w.z * at->g.y - k->tilt;
}

/* Where the point proves enough in truth the cell is too large for the bounds on its curvature:
 * it is halved, the long way if neither is enough. */
static bool halve(proof *k, const cell *c, int w)
{
    const ray e = between(c->e[0], c->e[1]), g = middle_latitude(k, c);
    double least[2] = { INFINITY, INFINITY };
    for (int i = 0; i < 4; ++i) {
        cell half = *c;
        place unused;
        if (i < 2)
            half.e[i] = e;
        else
            half.g[i - 2] = g;
        const double value = least_by(k, &half, w, &unused);
        least[i >> 1] = value < least[i >> 1] ? value : least[i >> 1];
    }
    if (least[1] >= k->least || (least[0] < k->least && cross(c->e[0], c->e[1]) < cross(c->g[1], c->g[0])))
        return cut_latitudes(k, c, g);
    return cut_longitudes(k, c, e);
}

/* Where the best point fails there is a better one. Where that fails in turn says which way to
 * cut. */
static bool split(proof *k, cell *c, int best, const place *at)
{
    if (k->round && true_value(k, best, at) >= k->least)
        return halve(k, c, best);
    const int other = look(k, at->e, at->g);
    place where;
    if (least_by(k, c, best, &where) >= k->least || least_by(k, c, other, &where) >= k->least)
        return true;
    c->w[2] = c->w[0] == best ? c->w[1] : c->w[0];
    c->w[0] = best;
    c->w[1] = other;
    const double across = apart(at->e, where.e) * (at->g.x > where.g.x ? at->g.x : where.g.x),
                 along = apart(at->g, where.g);
    const point *p = &k->w[best], *q = &k->w[other];
    if (across > along)
        return cut_longitudes(k, c, find_longitude(p, q, between(at->g, where.g), at->e, where.e));
    if (along > 0)
        return cut_latitudes(k, c, find_latitude(k, p, q, between(at->e, where.e), at->g, where.g));
    return halve(k, c, best);
}

/* Newton's method finds the bottom of a valley that cutting only creeps to. */
static void descend(proof *k)
{
    abut_convex_answer at = { .lo = -INFINITY, .hi = INFINITY, .normal = k->n };
    const bool found = abut_cylinders_knows(k->pair) ? abut_cylinders_depth(k->pair, &at)
                                                     : abut_convex_refine_depth(k->pair, &at);
    k->supports += at.supports;
    if (found)
        lower(k, -at.lo - k->pair->error, at.normal);
}

static bool work(proof *k, uint32_t most)
{
    bool deep = false;
    for (int round = 0; k->cells > 0; ++round) {
        cell c = k->stack[--k->cells];
        int best;
        place at;
        const double value = best_of(k, &c, &best, &at);
        if (value >= k->least)
            continue;
        if (!deep && k->points >= PATIENCE && k->supports + DESCENT < most) {
            deep = true;
            descend(k);
        }
        k->open = value;
        if (!(k->f > 8 * k->pair->error))
            return false;
        if (k->points == MOST_POINTS || k->supports >= most || round > MOST_ROUNDS)
            return false;
        if (!split(k, &c, best, &at))
            return false;
    }
    return true;
}

/* ---- which pairs ---- */

/* How far C's points, or the middles of its discs, are from the axis at most. Discs where they
 * are across it, nearly: one with normals at an angle of sine e to the axis, of radius rho,
 * reaches rho (sin - e cos - e^2/2 sin) along a latitude, at least. */
static double find_other(proof *k)
{
    const abut_convex_pair *pair = k->pair;
    const abut_core *core = k->second ? pair->a : pair->b;
    const double *h = core->h;
    const abut_vec3 t = turn_in(k->axis, k->second ? abut_mul_t(&pair->r, pair->t) : pair->t);
    double reach = sqrt(t.x * t.x + t.y * t.y), sine[3];
    k->turned = -1;
    k->tilt = 0;
    k->single = core->kind == ABUT_CORE_POINT;
    if (core->kind == ABUT_CORE_HULL || core->kind == ABUT_CORE_USER)
        return reach + core->size;
    for (int i = 0; i < 3; ++i) {
        const abut_vec3 own = abut_v3(i == 0, i == 1, i == 2);
        const abut_vec3 e = turn_in(k->axis, k->second ? abut_mul_t(&pair->r, own) : abut_mul(&pair->r, own));
        sine[i] = sqrt(e.x * e.x + e.y * e.y);
        const double p = h[(i + 1) % 3], q = h[(i + 2) % 3], lost = p * sine[i] * (1 + 0x1p-6);
        const bool revolved =
            core->kind == ABUT_CORE_ELLIPSOID ? p == q : core->kind > ABUT_CORE_BOX && i == 2;
        if (revolved && sine[i] < 0x1p-3 && lost < 0x1p-36 * (k->rho[1] + k->z[0])) {
            k->turned = i;
            k->tilt = lost;
        }
    }
    for (int i = 0; i < 3; ++i)
        if (k->turned < 0 || k->turned == i)
            reach += h[i] * sine[i];
    return reach;
}

static bool has_sides(const abut_core *core)
{
    return core->kind == ABUT_CORE_CYLINDER || core->kind == ABUT_CORE_CONE;
}

bool abut_depth_ring_knows(const abut_convex_pair *pair)
{
    return (has_sides(pair->a) && abut_core_is_polytope(pair->b)) ||
           (has_sides(pair->b) && abut_core_is_polytope(pair->a));
}

static bool set_solid(const abut_core *core, proof *k)
{
    const double *h = core->h;
    k->axis = 2;
    k->round = false;
    switch (core->kind) {
    case ABUT_CORE_SEGMENT: k->rho[0] = k->rho[1] = 0; break;
    case ABUT_CORE_CYLINDER: k->rho[0] = k->rho[1] = h[0]; break;
    case ABUT_CORE_CONE:
        k->rho[0] = 0;
        k->rho[1] = h[0];
        break;
    case ABUT_CORE_ELLIPSOID: {
        for (int i = 0; i < 2; ++i)
            k->axis = h[i] > h[k->axis] ? i : k->axis;
        k->rho[0] = h[(k->axis + 1) % 3];
        k->rho[1] = h[(k->axis + 2) % 3];
        k->z[0] = k->z[1] = h[k->axis];
        k->round = true;
        k->kink = (ray){ 1, 0 };
        return fabs(k->rho[1] - k->rho[0]) <= flatness * k->z[0];
    }
    default: return false;
    }
    if (!(h[2] > 0))
        return false;
    k->z[0] = h[2];
    k->z[1] = -h[2];
    k->kink = unit_ray(2 * h[2], k->rho[1] - k->rho[0]);
    return true;
}

/* The body about whose axis the other is narrower, against its own size: of a segment, its
 * length. */
static bool find_solid(const abut_convex_pair *pair, bool any, proof *k)
{
    double reach[2], size[2];
    k->pair = pair;
    for (int i = 0; i < 2; ++i) {
        const abut_core *core = i ? pair->b : pair->a;
        k->second = i;
        reach[i] = INFINITY;
        size[i] = 1;
        if (!set_solid(core, k) || (any && !has_sides(core)))
            continue;
        reach[i] = find_other(k) + (k->round ? fabs(k->rho[1] - k->rho[0]) : 0);
        size[i] = k->rho[1] > 0 && k->rho[1] < k->z[0] ? k->rho[1] : k->z[0];
    }
    k->second = reach[1] * size[0] < reach[0] * size[1];
    if (!(reach[k->second] < INFINITY))
        return false;
    (void)set_solid(k->second ? pair->b : pair->a, k);
    return find_other(k) <= narrow * size[k->second] || any;
}

/* out: what is known already. */
static bool begin(proof *k, const abut_convex_answer *out)
{
    static const ray around[4] = { { 1, 0 }, { 0, 1 }, { -1, 0 }, { 0, -1 } }, up = { 0, 1 },
                     down = { 0, -1 };
    k->f = k->least = INFINITY;
    k->points = k->cells = 0;
    k->supports = k->hint = 0;
    if (out->lo > -INFINITY && fabs(abut_dot(out->normal, out->normal) - 1) < 0x1p-40)
        lower(k, -out->lo - k->pair->error, out->normal);
    (void)look(k, around[0], up);
    (void)look(k, around[0], down);
    for (int i = 0; i < 4; ++i)
        (void)look(k, around[i], k->kink);
    if (!(k->f > 8 * k->pair->error))
        return false;
    /* An ellipsoid's belt is one cell. */
    const ray belt[4] = { up, { 0.8, 0.6 }, { 0.8, -0.6 }, down };
    for (int i = 0; i < 4; ++i)
        for (int l = 0; l < (k->round ? 3 : 1); ++l) {
            const int j = (i + 1) % 4;
            cell c = { { around[i], around[j] }, { up, down }, { 2 + i, 2 + j, 0 } };
            if (k->round) {
                c.g[0] = belt[l];
                c.g[1] = belt[l + 1];
                c.w[2] = l == 2;
            }
            (void)push(k, &c);
        }
    return true;
}

/* What is proved where not all is: -infinity where that is nothing. */
static double proved_of(const proof *k)
{
    double least = k->least < k->open ? k->least : k->open;
    for (int i = 0; i < k->cells; ++i) {
        int best;
        place at;
        const double value = best_of(k, &k->stack[i], &best, &at);
        least = value < least ? value : least;
    }
    return least > 0 ? least : -INFINITY;
}

/* The direction found, with witnesses, where it is the shallowest known. */
static void set_direction(proof *k, uint32_t last, abut_convex_answer *out)
{
    const abut_convex_pair *pair = k->pair;
    const double size = pair->a->size + pair->b->size;
    abut_depth_cap cap;
    (void)abut_depth_cap_at(pair, abut_scale(-1, k->n), k->f, &cap);
    const abut_vec3 off = abut_madd(abut_sub(cap.y, cap.x), k->f, k->n);
    if (abut_dot(off, off) > 1e-14 * size * size && out->supports + DESCENT < last) {
        /* Shallow enough, but not where they face each other. */
        const uint32_t before = k->supports;
        descend(k);
        out->supports += k->supports - before;
        (void)abut_depth_cap_at(pair, abut_scale(-1, k->n), k->f, &cap);
    }
    abut_convex_point p = { .a = 0 };
    const double lo = abut_convex_separation(pair, k->n, &p);
    ++out->supports;
    if (!(lo < out->lo)) {
        out->lo = lo;
        out->normal = k->n;
        out->x = cap.x;
        out->y = cap.y;
    }
}

bool abut_depth_of_ring(const abut_convex_pair *pair, bool any, abut_convex_answer *out)
{
    proof k;
    const bool flat = abut_core_is_flat(pair->a) || abut_core_is_flat(pair->b);
    const bool hull = pair->a->kind == ABUT_CORE_HULL || pair->b->kind == ABUT_CORE_HULL;
    const uint32_t last = flat ? LAST_OF_FLAT : !any ? LAST : hull ? LAST_OF_HULL : LAST_OF_ANY;
    if (out->supports + FIRST + 1 > last || !find_solid(pair, any, &k))
        return false;
    const bool begun = begin(&k, out), proved = begun && work(&k, last - out->supports);
    out->supports += k.supports;
    if (!begun || !(k.f > 8 * pair->error))
        return false;
    const double least = proved ? k.least : proved_of(&k), hi = -(least - 4 * pair->error);
    out->hi = hi < out->hi ? hi : out->hi;
    set_direction(&k, last, out);
    return k.f - least <= coarse * (k.f + pair->radii);
}
