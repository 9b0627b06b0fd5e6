/* SPDX-License-Identifier: MIT */
/* What the depth is at least in all directions near one: proved from the pieces that touch there,
 * their corners and their curvature.
 *
 * K holds bodies C_j = y_j - x_i + ...: sums of a corner, a disc or an ellipsoid of each core. On
 * the great circle from u along the unit tangent tau, by the angle theta, the support function g of
 * C_j has g(0) = f - delta_j, g'(0) = e_j . tau, g'' + g >= r_j(tau), where e_j is the part of
 * C_j's support point across u and r_j the least radius of curvature, a quadratic form in tau. So,
 * with q = tan(theta / 2) tau,
 *     h_K >= f + (1 + cos theta) max over j of ( e_j . q + q . (R_j - f I) q - delta_j / 2 ).
 * The maximum is at least about 0 near q = 0 when the e_j surround the origin (a face, or two
 * crossing edges), or lie on both sides of it in a line and R is above f across that (an edge
 * against something round), or one is at it and R is above f altogether. How far that goes is
 * the angle of the cap. A disc of radius r about the axis z has r ((z x u) . tau)^2 / |v_xy|^3
 * exactly, an ellipsoid (det D)^2 |D^-1 (u x tau)|^2 / |D v|^3. Proofs: docs/notes/depth.md. */
#include "narrow/depth/depth.h"
#include "narrow/depth/depth_point.h"

enum { MOST_CORNERS = 8, MOST_PIECES = 64 };

/* The pieces of one core that are furthest along a direction, in its own frame. */
typedef struct side {
    int count;
    abut_vec3 p[MOST_CORNERS];
    bool bent[MOST_CORNERS]; /* disc or ellipsoid, not a corner */
    /* a cap: p[0] is the middle of a disc of this radius, seen nearly along its axis; else 0 */
    double disc;
    double tilt; /* how far its rim may be behind the middle, because it is not seen exactly so */
} side;

static void put(side *s, double x, double y, double z, bool bent)
{
    if (s->count < MOST_CORNERS) {
        s->p[s->count] = abut_v3(x, y, z);
        s->bent[s->count++] = bent;
    }
}

/* The vertices of a hull within tol of the furthest, found along edges. */
static void put_hull(side *s, const abut_core *core, abut_vec3 d, double tol)
{
    const abut_hull *hull = core->hull;
    uint32_t vertex[MOST_CORNERS], count = 1, hint = 0;
    const abut_vec3 top = abut_core_support(core, d, &hint);
    const double level = abut_dot(top, d) - tol;
    vertex[0] = hint;
    put(s, top.x, top.y, top.z, false);
    if (hull->dimension < 2 || !hull->link_begin || hint >= hull->vertex_count)
        return;
    for (uint32_t k = 0; k < count; ++k)
        for (uint32_t l = hull->link_begin[vertex[k]]; l < hull->link_begin[vertex[k] + 1]; ++l) {
            const abut_vec3 p = abut_core_vertex(core, hull->links[l]);
            bool known = count == MOST_CORNERS || !(abut_dot(p, d) >= level);
            for (uint32_t i = 0; i < count && !known; ++i)
                known = vertex[i] == hull->links[l];
            if (known)
                continue;
            vertex[count++] = hull->links[l];
            put(s, p.x, p.y, p.z, false);
        }
}

/* Pieces of the core within tol of the furthest along unit d; a few may be further off: they do
 * no harm. */
static void find_side(const abut_core *core, abut_vec3 d, double tol, side *s)
{
    const double *h = core->h, flat = sqrt(d.x * d.x + d.y * d.y);
    const double x = flat > 0 ? h[0] / flat * d.x : 0, y = flat > 0 ? h[0] / flat * d.y : 0;
    uint32_t hint = 0;
    s->count = 0;
    s->disc = s->tilt = 0;
    switch (core->kind) {
    case ABUT_CORE_SEGMENT:
    case ABUT_CORE_BOX: {
        const bool both[3] = { 2 * h[0] * fabs(d.x) <= tol, 2 * h[1] * fabs(d.y) <= tol,
                               2 * h[2] * fabs(d.z) <= tol };
        for (int i = 0; i < 8; ++i)
            if ((i & 1 ? h[0] > 0 && both[0] : true) && (i & 2 ? h[1] > 0 && both[1] : true) &&
                (i & 4 ? both[2] : true))
                put(s, copysign(h[0], i & 1 ? -d.x : d.x), copysign(h[1], i & 2 ? -d.y : d.y),
                    copysign(h[2], i & 4 ? -d.z : d.z), false);
        return;
    }
    case ABUT_CORE_CYLINDER:
        if (2 * h[0] * flat <= tol) {
            put(s, 0, 0, copysign(h[2], d.z), false);
            s->disc = h[0] * (1 - 0x1p-40);
            s->tilt = h[0] * flat * (1 + 0x1p-40);
            return;
        }
        put(s, x, y, copysign(h[2], d.z), true);
        if (2 * h[2] * fabs(d.z) <= tol)
            put(s, x, y, -copysign(h[2], d.z), true);
        return;
    case ABUT_CORE_CONE: {
        const double apex = h[2] * d.z, rim = h[0] * flat - h[2] * d.z;
        if (2 * h[0] * flat <= tol && d.z < 0) {
            put(s, 0, 0, -h[2], false);
            s->disc = h[0] * (1 - 0x1p-40);
            s->tilt = h[0] * flat * (1 + 0x1p-40);
            return;
        }
        if (apex >= rim - tol)
            put(s, 0, 0, h[2], false);
        if (rim >= apex - tol)
            put(s, x, y, -h[2], true);
        return;
    }
    case ABUT_CORE_HULL: put_hull(s, core, d, tol); return;
    default: {
        const abut_vec3 p = abut_core_support(core, d, &hint);
        put(s, p.x, p.y, p.z, core->kind == ABUT_CORE_ELLIPSOID);
    }
    }
}

/* A symmetric form on the tangent plane. */
typedef struct form {
    double e, m, g; /* 11, 12, 22 */
} form;

static form square(double x, double y, double weight)
{
    return (form){ weight * x * x, weight * x * y, weight * y * y };
}

/* Radii of curvature of the bent pieces of a core at least, for normals whose angle to +-u has
 * that sine at most (1: any). All in its own frame; t[1] = u x t[0]. */
static form bend(const abut_core *core, abut_vec3 u, const abut_vec3 t[2], double sine)
{
    const double *h = core->h, down = 1 - 0x1p-40;
    if (core->kind == ABUT_CORE_ELLIPSOID) {
        const abut_vec3 c = { h[1] * h[2], h[0] * h[2], h[0] * h[1] },
                        d = { h[0] * u.x, h[1] * u.y, h[2] * u.z };
        const double ab = h[0] > h[1] ? h[0] : h[1], most = ab > h[2] ? ab : h[2];
        const double reach = sqrt(abut_dot(d, d)) + most * sine, m = reach < most ? reach : most;
        const abut_vec3 v1 = { c.x * t[1].x, c.y * t[1].y, c.z * t[1].z },
                        v2 = { -c.x * t[0].x, -c.y * t[0].y, -c.z * t[0].z };
        const double i = down / m / m / m;
        return (form){ i * abut_dot(v1, v1), i * abut_dot(v1, v2), i * abut_dot(v2, v2) };
    }
    if (core->kind == ABUT_CORE_CYLINDER || core->kind == ABUT_CORE_CONE) {
        const double reach = sqrt(u.x * u.x + u.y * u.y) + sine, m = reach < 1 ? reach : 1;
        return square(u.x * t[0].y - u.y * t[0].x, u.x * t[1].y - u.y * t[1].x, h[0] * down / (m * m * m));
    }
    return (form){ 0, 0, 0 };
}

typedef struct piece {
    double e, g;  /* e_j */
    double delta; /* how far it is behind */
    int a, b;     /* bent? */
    abut_vec3 x, y;
} piece;

typedef struct touch {
    double f;
    bool alike; /* all pieces are equally bent */
    int count;
    piece piece[MOST_PIECES];
    /* radii of caps: every piece represents a disc of the sum of them */
    double disc_a, disc_b;
    double tilt;                  /* of these discs together */
    abut_vec3 u, t[2], ub, tb[2]; /* in a's and in b's frame */
} touch;

static void find_touch(const abut_convex_pair *pair, abut_vec3 u, double tol, touch *c)
{
    const abut_vec3 axis = fabs(u.x) < 0.6 ? abut_v3(1, 0, 0) : abut_v3(0, 1, 0),
                    across = abut_cross(u, axis);
    c->u = u;
    c->t[0] = abut_scale(1 / sqrt(abut_dot(across, across)), across);
    c->t[1] = abut_cross(u, c->t[0]);
    c->ub = abut_mul_t(&pair->r, u);
    for (int i = 0; i < 2; ++i)
        c->tb[i] = abut_mul_t(&pair->r, c->t[i]);
    side a, b;
    find_side(pair->a, abut_scale(-1, u), tol, &a);
    find_side(pair->b, c->ub, tol, &b);
    c->disc_a = a.disc;
    c->disc_b = b.disc;
    c->tilt = a.tilt + b.tilt;
    c->f = -INFINITY;
    c->count = 0;
    c->alike = true;
    for (int j = 0; j < b.count; ++j) {
        const abut_vec3 y = abut_add(abut_mul(&pair->r, b.p[j]), pair->t);
        c->alike &= b.bent[j] == b.bent[0];
        for (int i = 0; i < a.count; ++i) {
            const abut_vec3 w = abut_sub(y, a.p[i]);
            const double value = abut_dot(u, w);
            c->alike &= a.bent[i] == a.bent[0];
            c->f = value > c->f ? value : c->f;
            c->piece[c->count++] =
                (piece){ abut_dot(c->t[0], w), abut_dot(c->t[1], w), value, a.bent[i], b.bent[j], a.p[i], y };
        }
    }
    for (int i = 0; i < c->count; ++i)
        c->piece[i].delta = c->f - c->piece[i].delta;
}

/* R of a piece, given those of the bent pieces of both cores. */
static form bend_of(const piece *p, const form *a, const form *b)
{
    return (form){ p->a * a->e + p->b * b->e, p->a * a->m + p->b * b->m, p->a * a->g + p->b * b->g };
}

/* A cap: tan(theta / 2), how much may be lost, and the pieces that combine to the witnesses. */
typedef struct reach {
    double tangent, loss;
    const piece *of[3];
    double weight[3];
    double e, g; /* what discs have to make up for */
} reach;

static const reach nowhere = { .loss = INFINITY };

/* max over the e_j of e_j . tau. */
static double furthest(const touch *c, double x, double y)
{
    double most = -INFINITY;
    for (int k = 0; k < c->count; ++k) {
        const double away = x * c->piece[k].e + y * c->piece[k].g;
        most = away > most ? away : most;
    }
    return most;
}

/* The least over unit tau of max e_j . tau: the distance of the origin to the edge of their hull
 * where it is inside, minus the distance to the hull where it is not. It is at the normal of an
 * edge or points away from a corner: all pairs and corners are tried, so that none is missed by
 * rounding. */
static double inradius(const touch *c)
{
    double least = INFINITY;
    for (int i = 0; i < c->count; ++i)
        for (int j = 0; j < c->count; ++j) {
            const piece *p = &c->piece[i], *q = &c->piece[j];
            const double x = i == j ? -p->e : p->g - q->g, y = i == j ? -p->g : q->e - p->e;
            const double length = sqrt(x * x + y * y);
            if (!(length > 0))
                continue;
            const double most = furthest(c, x / length, y / length);
            least = most < least ? most : least;
        }
    return least == INFINITY ? 0 : least;
}

/* Offers the point of a corner, an edge or a triangle nearest to the origin. */
typedef struct nearest {
    double square, e, g;
    const piece *of[3];
    double weight[3];
} nearest;

static void offer(nearest *n, const piece *p, const piece *q, const piece *r, double wp, double wq, double wr)
{
    const double e = wp * p->e + wq * q->e + wr * r->e, g = wp * p->g + wq * q->g + wr * r->g;
    if (e * e + g * g < n->square)
        *n = (nearest){ e * e + g * g, e, g, { p, q, r }, { wp, wq, wr } };
}

static double turn(const piece *p, const piece *q)
{
    return p->e * q->g - p->g * q->e;
}

static nearest find_nearest(const touch *c)
{
    nearest n = { .square = INFINITY };
    for (int i = 0; i < c->count; ++i) {
        const piece *p = &c->piece[i];
        offer(&n, p, p, p, 1, 0, 0);
        for (int j = i + 1; j < c->count; ++j) {
            const piece *q = &c->piece[j];
            const double x = q->e - p->e, y = q->g - p->g, t = -(x * p->e + y * p->g) / (x * x + y * y);
            if (t > 0 && t < 1)
                offer(&n, p, q, q, 1 - t, t, 0);
            for (int k = j + 1; k < c->count; ++k) {
                const piece *r = &c->piece[k];
                const double a = turn(q, r), b = turn(r, p), d = turn(p, q), sum = a + b + d;
                if (a / sum >= 0 && b / sum >= 0 && d / sum >= 0)
                    offer(&n, p, q, r, a / sum, b / sum, d / sum);
            }
        }
    }
    return n;
}

/* Faces, caps, crossing edges: the e_j, or discs about them, surround the origin, and f is a
 * valley with steep sides. */
static reach inside_face(const touch *c, const nearest *n, double loss)
{
    const double disc = c->disc_a + c->disc_b;
    double delta = 0;
    for (int i = 0; i < c->count; ++i)
        delta = c->piece[i].delta > delta ? c->piece[i].delta : delta;
    /* in the direction v = cos theta u + sin theta tau a disc reaches r |v_xy| >= r sin theta -
     * r |u_xy| cos theta */
    delta += c->tilt;
    if ((c->count < 3 && !(disc > 0)) || delta > loss)
        return nowhere;
    /* A direction across two points that nearly coincide is not exact. */
    const double steep = inradius(c) + disc - 0x1p-20 * disc;
    if (!(steep > 0))
        return nowhere;
    reach r = { .tangent = 0.99 * steep / c->f, .loss = delta, .e = n->e, .g = n->g };
    for (int i = 0; i < 3; ++i) {
        r.of[i] = n->of[i];
        r.weight[i] = n->weight[i];
    }
    return r;
}

/* One piece at the origin, all round. */
static reach around_point(const touch *c, const form *a, const form *b, double loss)
{
    reach best = nowhere;
    for (int i = 0; i < c->count; ++i) {
        const piece *p = &c->piece[i];
        const form r = bend_of(p, a, b);
        const double mean = 0.5 * (r.e + r.g), half = 0.5 * (r.e - r.g);
        const double s = mean - sqrt(half * half + r.m * r.m) - c->f, off = sqrt(p->e * p->e + p->g * p->g);
        if (!(s >= 0))
            continue;
        const double lost = p->delta + (off < 2 * s ? off * off / (2 * s) : off);
        if (lost < best.loss && lost <= loss)
            best = (reach){ .tangent = INFINITY, .loss = lost, .of = { p, p, p }, .weight = { 1, 0, 0 } };
    }
    return best;
}

/* Two pieces in a line with the origin between, something round across it. */
static reach across_line(const touch *c, const form *a, const form *b, double loss)
{
    reach best = nowhere;
    for (int i = 0; i < c->count; ++i)
        for (int j = i + 1; j < c->count; ++j) {
            const piece *p = &c->piece[i], *q = &c->piece[j];
            const double x = q->e - p->e, y = q->g - p->g, length = sqrt(x * x + y * y);
            const double cp = -(x * p->e + y * p->g) / length, cq = (x * q->e + y * q->g) / length;
            if (!(cp > 0 && cq > 0))
                continue;
            /* The line's own axes: 1 along it, 2 across. */
            const double dx = x / length, dy = y / length, off = fabs(dx * p->g - dy * p->e);
            const form rp = bend_of(p, a, b), rq = bend_of(q, a, b);
            const double weight = cq / length; /* of p */
            const form r = { weight * rp.e + (1 - weight) * rq.e, weight * rp.m + (1 - weight) * rq.m,
                             weight * rp.g + (1 - weight) * rq.g };
            double r11 = dx * dx * r.e + 2 * dx * dy * r.m + dy * dy * r.g,
                   r12 = dx * dy * (r.g - r.e) + (dx * dx - dy * dy) * r.m,
                   r22 = dy * dy * r.e - 2 * dx * dy * r.m + dx * dx * r.g;
            /* Pieces that are not alike share: a part t of the slope, 1 - t of the curvature. */
            double t = 1;
            if (!c->alike) {
                t = 1 - c->f * (1 + 0x1p-6) / r22;
                t = t < 0.5 ? t : 0.5;
                if (!(t > 0))
                    continue;
                r11 *= 1 - t;
                r12 *= 1 - t;
                r22 *= 1 - t;
            }
            const double s11 = r11 - c->f, s22 = r22 - c->f, slope = t * (cp < cq ? cp : cq);
            if (!(s22 > 0))
                continue;
            const double down = 2 * r12 * r12 / s22 - s11;
            const double delta = p->delta > q->delta ? p->delta : q->delta;
            const double lost = delta + off * off / s22;
            const double tangent = down > 0 ? slope / down : INFINITY;
            if (lost <= loss && tangent > best.tangent)
                best = (reach){
                    .tangent = tangent, .loss = lost, .of = { p, q, q }, .weight = { weight, 1 - weight, 0 }
                };
        }
    return best;
}

/* The witnesses: a combination of pieces, and discs about them that make up for what it is off. */
static void set_witnesses(const touch *c, const piece *const of[3], const double weight[3], double e,
                          double g, abut_depth_cap *out)
{
    out->x = out->y = abut_v3(0, 0, 0);
    for (int i = 0; i < 3; ++i) {
        out->x = abut_madd(out->x, weight[i], of[i]->x);
        out->y = abut_madd(out->y, weight[i], of[i]->y);
    }
    const double disc = c->disc_a + c->disc_b;
    if (disc > 0) {
        const abut_vec3 off = abut_add(abut_scale(e, c->t[0]), abut_scale(g, c->t[1]));
        out->x = abut_madd(out->x, c->disc_a / disc, off);
        out->y = abut_madd(out->y, -c->disc_b / disc, off);
    }
}

/* One witness alone may be as deep in the other body in every direction as in this one: a corner
 * in a cone, near its axis, has a ring of least directions. Tilted discs leave it off its body
 * by their tilt; pair->error is more than what it and its depth are rounded by. */
static bool is_proved_by_point(const abut_convex_pair *pair, const touch *c, const nearest *n, double least,
                               abut_depth_cap *out)
{
    const double disc = (c->disc_a + c->disc_b) * (1 - 0x1p-20);
    if (disc > 0 && !(n->square <= disc * disc))
        return false;
    out->radius = abut_depth_by_point(pair, out->x, out->y) - c->tilt;
    out->cosine = -1;
    return out->radius >= least;
}

bool abut_depth_cap_at(const abut_convex_pair *pair, abut_vec3 u, double f, abut_depth_cap *out)
{
    static const double cosines[] = { -1, 0.36, 0.7, 0.88, 0.955, 0.985, 0.995, 0.999, 0.9998, 0.99996 };
    touch c;
    const double allowed = 2 * pair->error + 0x1p-35 * f;
    if (!(f > 0))
        return false;
    out->u = u;
    find_touch(pair, u, 0.5 * allowed, &c);
    const nearest n = find_nearest(&c);
    if (!n.of[0]) /* nothing to compare, as where u is no direction */
        return false;
    set_witnesses(&c, n.of, n.weight, n.e, n.g, out);
    if (is_proved_by_point(pair, &c, &n, c.f - allowed, out))
        return true;
    reach best = inside_face(&c, &n, allowed);
    for (size_t i = 0; i < sizeof cosines / sizeof *cosines; ++i) {
        const double cosine = cosines[i], widest = cosine > -1 ? sqrt((1 - cosine) / (1 + cosine)) : INFINITY;
        if (widest <= best.tangent)
            break;
        const double sine = cosine > 0 ? sqrt(1 - cosine * cosine) : 1;
        const form a = bend(pair->a, u, c.t, sine), b = bend(pair->b, c.ub, c.tb, sine);
        reach found = around_point(&c, &a, &b, allowed);
        if (!(found.tangent >= widest)) {
            const reach line = across_line(&c, &a, &b, allowed);
            found = line.tangent > found.tangent ? line : found;
        }
        found.tangent = found.tangent < widest ? found.tangent : widest;
        best = found.tangent > best.tangent ? found : best;
    }
    if (!(best.tangent > 0.004))
        return false;
    const double square = best.tangent * best.tangent;
    out->radius = c.f - best.loss - 0x1p-40 * c.f;
    /* cos theta from tan(theta / 2), a little larger. */
    out->cosine = best.tangent == INFINITY ? -1 : (1 - square) / (1 + square) + 1e-9;
    set_witnesses(&c, best.of, best.weight, best.e, best.g, out);
    return true;
}
