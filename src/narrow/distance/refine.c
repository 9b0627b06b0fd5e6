/* SPDX-License-Identifier: MIT */
/* Curved bodies: the direction of the largest separation by Newton's method on pieces.
 *
 * s(n) is the least of n . w over the pieces of K, pairs of pieces of a and b (curved_piece.h),
 * each of which has a support point w(n) and second derivatives -H(n). About the best direction n
 * so far the model
 *     min over the pieces kept of (w_i . n + w_i . T d) - d . M d / 2,    M = sum of weight_i T^T
 *       H_i T + s,
 * over tangent vectors T d is maximised exactly: it is s(n) to second order, kinks included, so
 * that steps converge quadratically where the pieces kept are those that count at the maximum. A
 * step that does not raise s stays where it is and adds the support point it found as a cut, which
 * is the proximal bundle method: GJK's convergence at worst. The weights of the maximum combine the
 * pieces' points into a point of K.
 *
 * Caps and faces of boxes, where n is an axis of a body, are tried outright, and witnesses are
 * projected onto bodies that can do that. All of this is in plain doubles; lo comes from
 * abut_convex_separation, hi from points of both cores. Lemaréchal and Sagastizábal 1997 for
 * bundles with curvature. Derivation: docs/notes/curved-pairs.md. */
#include "narrow/distance/refine.h"
#include "narrow/distance/curved_piece.h"
#include "narrow/distance/cylinders.h"

enum { MOST_PIECES = 4, MOST_STEPS = 48, MOST_TRIES = 4, MOST_TURNS = 8, MOST_TOPS = 3, MOST_DEEP = 60 };
/* Cylinders and cones that Newton's method alone does not end on: the first climb here, a short
 * one. */
enum { SHARE_AFTER_RIMS = 20 };
/* Supports of one step: of a direction and two flat sides; curvatures by differences are more. */
enum { STEP = 3, STEP_OF_USERS = 2 * STEP + 2 * MOST_PIECES };

typedef struct side {
    abut_piece_kind kind;
    abut_vec3 p; /* in the core's own frame */
} side;

typedef struct cut {
    side a, b;
    abut_convex_point at; /* in a's frame */
    double weight;
} cut;

typedef struct climb {
    const abut_convex_pair *pair;
    abut_convex_answer *out;
    abut_vec3 n, back;    /* best direction; -n in b's frame */
    double s;             /* s(n), not certified */
    abut_convex_point at; /* its support point */
    abut_vec3 basis[2], basis_b[2];
    int count;
    cut cuts[MOST_PIECES + 1];
    int tries; /* at caps and faces, still allowed */
    int turns; /* about axes */
    int stays; /* steps since the last that rose */
    int tops;  /* steps at the top */
    bool deep;
    uint32_t most; /* supports: no step is begun with more */
} climb;

static double length(abut_vec3 a)
{
    return sqrt(abut_dot(a, a));
}

static abut_vec3 unit(abut_vec3 a)
{
    return abut_scale(1 / length(a), a);
}

static abut_vec3 turned_back(const abut_convex_pair *pair, abut_vec3 n)
{
    const abut_vec3 m = abut_mul_t(&pair->r, n);
    return abut_v3(-m.x, -m.y, -m.z);
}

/* ---- cuts ---- */

static void place_cut(const abut_convex_pair *pair, cut *c)
{
    c->at.x = c->a.p;
    c->at.y = abut_add(abut_mul(&pair->r, c->b.p), pair->t);
    c->at.w = abut_sub(c->at.y, c->at.x);
}

/* The support point along unit n; hints are in c->at. Returns s(n). */
static inline double support_cut(const climb *c, abut_vec3 n, cut *out)
{
    const abut_vec3 back = turned_back(c->pair, n);
    out->a.p = abut_core_support(c->pair->a, n, &out->at.a);
    out->b.p = abut_core_support(c->pair->b, back, &out->at.b);
    out->a.kind = abut_piece_of(c->pair->a, n, out->a.p);
    out->b.kind = abut_piece_of(c->pair->b, back, out->b.p);
    out->weight = 0;
    place_cut(c->pair, out);
    c->out->supports += 1 + (out->a.kind == ABUT_PIECE_USER || out->b.kind == ABUT_PIECE_USER);
    if (out->a.kind == ABUT_PIECE_USER && !abut_piece_user_is_smooth(c->pair->a, n, out->a.p))
        out->a.kind = ABUT_PIECE_CORNER;
    if (out->b.kind == ABUT_PIECE_USER && !abut_piece_user_is_smooth(c->pair->b, back, out->b.p))
        out->b.kind = ABUT_PIECE_CORNER;
    return abut_dot(n, out->at.w);
}

static bool same_side(const side *p, const side *q)
{
    if (p->kind != q->kind)
        return false;
    return p->kind != ABUT_PIECE_CORNER || (p->p.x == q->p.x && p->p.y == q->p.y && p->p.z == q->p.z);
}

static bool same_cut(const cut *p, const cut *q)
{
    return same_side(&p->a, &q->a) && same_side(&p->b, &q->b);
}

static bool is_kept(const climb *c, const cut *k)
{
    for (int i = 0; i < c->count; ++i)
        if (same_cut(&c->cuts[i], k))
            return true;
    return false;
}

/* The cut's pieces seen along the best direction. */
static void refresh(const climb *c, cut *k)
{
    k->a.p = abut_piece_support(c->pair->a, k->a.kind, c->n, k->a.p);
    k->b.p = abut_piece_support(c->pair->b, k->b.kind, c->back, k->b.p);
    place_cut(c->pair, k);
}

static void drop_idle(climb *c)
{
    int kept = 0;
    for (int i = 0; i < c->count; ++i)
        if (c->cuts[i].weight > 0)
            c->cuts[kept++] = c->cuts[i];
    c->count = kept;
}

/* k: the support along n. */
static void move_to(climb *c, abut_vec3 n, double s, const cut *k)
{
    c->n = n;
    c->back = turned_back(c->pair, n);
    c->s = s;
    c->at = k->at;
    c->stays = 0;
}

static void restart_at(climb *c, abut_vec3 n, double s, const cut *k)
{
    move_to(c, n, s, k);
    c->cuts[0] = *k;
    c->cuts[0].weight = 1;
    c->count = 1;
}

/* All cuts as seen from a new direction, its support among them. */
static void move_on(climb *c, abut_vec3 n, double s, const cut *k)
{
    bool met = false;
    move_to(c, n, s, k);
    for (int i = 0; i < c->count; ++i) {
        const double weight = c->cuts[i].weight;
        if (!met && same_cut(&c->cuts[i], k)) {
            c->cuts[i] = *k;
            c->cuts[i].weight = weight;
            met = true;
        } else {
            refresh(c, &c->cuts[i]);
        }
    }
    if (!met && c->count < MOST_PIECES)
        c->cuts[c->count++] = *k;
}

/* ---- the model ---- */

typedef struct model {
    int count;
    double d[MOST_PIECES], g[MOST_PIECES][2]; /* cut i is d + g . e - |e|^2 / 2 */
    double l[3];                              /* M = L L^T: { 11, 21, 22 } */
    bool blunt;  /* M is more than the second derivatives, so that gains look small */
    double best; /* value, at e, with these weights */
    double e[2], weight[MOST_PIECES];
} model;

static void try_step(model *m, const double e[2], int i, int j, int k, double wi, double wj, double wk)
{
    double value = INFINITY;
    for (int q = 0; q < m->count; ++q) {
        const double v = m->d[q] + (m->g[q][0] * e[0] + m->g[q][1] * e[1]);
        value = v < value ? v : value;
    }
    value -= 0.5 * (e[0] * e[0] + e[1] * e[1]);
    if (!(value > m->best))
        return;
    m->best = value;
    m->e[0] = e[0];
    m->e[1] = e[1];
    for (int q = 0; q < m->count; ++q)
        m->weight[q] = 0;
    m->weight[i] = wi;
    m->weight[j] += wj;
    m->weight[k] += wk;
}

static double clamp(double x)
{
    return x < 0 ? 0 : x > 1 ? 1 : x;
}

/* Where cuts i and j agree, highest. */
static void try_pair(model *m, int i, int j)
{
    const double a[2] = { m->g[i][0] - m->g[j][0], m->g[i][1] - m->g[j][1] };
    const double square = a[0] * a[0] + a[1] * a[1];
    if (!(square > 0))
        return;
    const double t = -(m->g[j][0] * a[0] + m->g[j][1] * a[1] + (m->d[i] - m->d[j])) / square;
    if (!(t > 0 && t < 1))
        return;
    /* The component along a is what makes both agree; it is set apart from the rest, which is
     * free of cancellation. */
    const double across = (m->g[j][1] * a[0] - m->g[j][0] * a[1]) / square;
    const double along = (m->d[j] - m->d[i]) / square;
    const double e[2] = { along * a[0] - across * a[1], along * a[1] + across * a[0] };
    try_step(m, e, i, j, j, t, 1 - t, 0);
}

/* Where three agree. */
static void try_triple(model *m, int i, int j, int k)
{
    static const double slack = 1e-6;
    const double a[2] = { m->g[i][0] - m->g[k][0], m->g[i][1] - m->g[k][1] };
    const double b[2] = { m->g[j][0] - m->g[k][0], m->g[j][1] - m->g[k][1] };
    const double det = a[0] * b[1] - a[1] * b[0];
    const double size = fabs(a[0] * b[1]) + fabs(a[1] * b[0]);
    if (!(fabs(det) > 0x1p-46 * size))
        return;
    const double p = m->d[k] - m->d[i], q = m->d[k] - m->d[j];
    const double e[2] = { (p * b[1] - q * a[1]) / det, (q * a[0] - p * b[0]) / det };
    const double r[2] = { e[0] - m->g[k][0], e[1] - m->g[k][1] };
    double wi = (r[0] * b[1] - r[1] * b[0]) / det, wj = (a[0] * r[1] - a[1] * r[0]) / det, wk = 1 - wi - wj;
    if (!(wi > -slack && wj > -slack && wk > -slack))
        return;
    wi = clamp(wi);
    wj = clamp(wj);
    wk = clamp(wk);
    const double sum = wi + wj + wk;
    try_step(m, e, i, j, k, wi / sum, wj / sum, wk / sum);
}

static void solve_model(model *m)
{
    m->best = -INFINITY;
    if (m->count == 1) {
        m->e[0] = m->g[0][0];
        m->e[1] = m->g[0][1];
        m->best = m->d[0] + 0.5 * (m->e[0] * m->e[0] + m->e[1] * m->e[1]);
        m->weight[0] = 1;
        return;
    }
    for (int i = 0; i < m->count; ++i) {
        try_step(m, m->g[i], i, i, i, 1, 0, 0);
        for (int j = 0; j < i; ++j) {
            try_pair(m, i, j);
            for (int k = 0; k < j; ++k)
                try_triple(m, i, j, k);
        }
    }
}

/* M from the weighted bends; `far` is how far the origin is thought to be. */
static bool factor_bends(const climb *c, double far, model *m)
{
    double h[3] = { 0, 0, 0 }, *l = m->l;
    for (int i = 0; i < c->count; ++i) {
        const cut *k = &c->cuts[i];
        if (!(k->weight > 0))
            continue;
        abut_piece_bend(c->pair->a, k->a.kind, c->n, k->a.p, c->basis, k->weight, h);
        abut_piece_bend(c->pair->b, k->b.kind, c->back, k->b.p, c->basis_b, k->weight, h);
        c->out->supports += (k->a.kind == ABUT_PIECE_USER) + (k->b.kind == ABUT_PIECE_USER);
    }
    /* Apart, s > 0 makes M positive; until then, and where bodies overlap and s is not a
     * maximum, take enough. */
    double shift = c->s;
    if (!c->deep) {
        const double most = far < c->out->hi ? far : c->out->hi;
        shift = shift > 0.1 * most ? shift : 0.1 * most;
    } else {
        /* Each eigenvalue by itself: across an edge the body may be round, while along it there
         * is no curvature. */
        const double mean = 0.5 * (h[0] + h[2]), half = 0.5 * (h[0] - h[2]);
        const double spread = sqrt(half * half + h[1] * h[1]), floor = 0.002 * fabs(c->s);
        const double low = mean - spread + shift > floor ? mean - spread + shift : floor;
        const double high = mean + spread + shift > low ? mean + spread + shift : low;
        const double ratio = spread > 0 ? 0.5 * (high - low) / spread : 0;
        h[0] = 0.5 * (high + low) + ratio * half;
        h[2] = 0.5 * (high + low) - ratio * half;
        h[1] *= ratio;
        shift = 0;
    }
    m->blunt = shift > 2 * fabs(c->s);
    l[0] = sqrt(h[0] + shift);
    l[1] = h[1] / l[0];
    const double rest = h[2] + shift - l[1] * l[1];
    l[2] = sqrt(rest > 0x1p-60 * (h[2] + shift) ? rest : 0x1p-60 * (h[2] + shift));
    return l[0] > 0 && l[2] > 0 && l[0] < INFINITY && l[2] < INFINITY;
}

static bool build_model(climb *c, double far, model *m)
{
    abut_tangent_basis(c->n, c->basis);
    for (int i = 0; i < 2; ++i)
        c->basis_b[i] = abut_mul_t(&c->pair->r, c->basis[i]);
    if (!factor_bends(c, far, m))
        return false;
    m->count = c->count;
    for (int i = 0; i < c->count; ++i) {
        const abut_vec3 w = c->cuts[i].at.w;
        m->d[i] = abut_dot(w, c->n);
        m->g[i][0] = abut_dot(w, c->basis[0]) / m->l[0];
        m->g[i][1] = (abut_dot(w, c->basis[1]) - m->l[1] * m->g[i][0]) / m->l[2];
    }
    return true;
}

/* n + T d with d = L^-T e. */
static abut_vec3 stepped(const climb *c, const model *m)
{
    const double d1 = m->e[1] / m->l[2], d0 = (m->e[0] - m->l[1] * d1) / m->l[0];
    return unit(abut_madd(abut_madd(c->n, d0, c->basis[0]), d1, c->basis[1]));
}

/* ---- bounds ---- */

static double bound_above(const climb *c, abut_vec3 x, abut_vec3 y)
{
    const double far = length(abut_sub(y, x)), hi = far * (1 + 0x1p-50) + c->pair->error;
    if (hi < c->out->hi && !c->deep) {
        c->out->hi = hi;
        c->out->x = x;
        c->out->y = y;
    }
    return far;
}

/* The weighted point of the cuts. Returns its distance. */
static double combine(const climb *c)
{
    if (c->count == 1)
        return bound_above(c, c->cuts[0].at.x, c->cuts[0].at.y);
    abut_vec3 x = { 0, 0, 0 }, y = x;
    for (int i = 0; i < c->count; ++i) {
        x = abut_madd(x, c->cuts[i].weight, c->cuts[i].at.x);
        y = abut_madd(y, c->cuts[i].weight, c->cuts[i].at.y);
    }
    return bound_above(c, x, y);
}

static bool is_closed(const climb *c, double lo)
{
    return c->out->hi - lo <= 2.5 * c->pair->error;
}

/* Moves the witnesses to each other's nearest points, a's first or b's. */
static void straighten(const climb *c, abut_vec3 x, abut_vec3 y, bool first)
{
    const abut_convex_pair *pair = c->pair;
    for (int turn = 0; turn < 4; ++turn, first = !first) {
        abut_vec3 p;
        if (first) {
            if (!abut_curved_nearest(pair->a, y, &p))
                continue;
            x = p;
        } else {
            if (!abut_curved_nearest(pair->b, abut_mul_t(&pair->r, abut_sub(x, pair->t)), &p))
                continue;
            y = abut_add(abut_mul(&pair->r, p), pair->t);
        }
        bound_above(c, x, y);
    }
}

/* ---- caps and faces ---- */

/* The axis of a flat side of the core that faces nearly along d. */
static bool flat_side(const abut_core *core, abut_vec3 d, abut_vec3 *axis)
{
    static const double near = 0.8;
    if (core->kind == ABUT_CORE_CYLINDER || core->kind == ABUT_CORE_CONE) {
        *axis = abut_v3(0, 0, d.z < 0 ? -1 : 1);
        return d.z < -near || (d.z > near && core->kind == ABUT_CORE_CYLINDER);
    }
    if (core->kind != ABUT_CORE_BOX)
        return false;
    const double x = fabs(d.x), y = fabs(d.y), z = fabs(d.z);
    if (x > near)
        *axis = abut_v3(copysign(1, d.x), 0, 0);
    else if (y > near)
        *axis = abut_v3(0, copysign(1, d.y), 0);
    else
        *axis = abut_v3(0, 0, copysign(1, d.z));
    return x > near || y > near || z > near;
}

static bool try_axis(climb *c, abut_vec3 n, bool first)
{
    cut k;
    k.at.a = c->at.a;
    k.at.b = c->at.b;
    const double s = support_cut(c, n, &k);
    if (!(s > c->s))
        return false;
    restart_at(c, n, s, &k);
    if (!c->deep)
        straighten(c, k.at.x, k.at.y, first);
    return true;
}

/* True when one of them was better than what was there. */
static bool try_flat_sides(climb *c)
{
    abut_vec3 axis;
    bool moved = false;
    if (flat_side(c->pair->a, c->n, &axis)) {
        --c->tries;
        moved = try_axis(c, axis, true);
    }
    if (flat_side(c->pair->b, c->back, &axis)) {
        --c->tries;
        const abut_vec3 n = abut_mul(&c->pair->r, axis);
        moved = try_axis(c, unit(abut_v3(-n.x, -n.y, -n.z)), false) || moved;
    }
    return moved;
}

/* ---- near the axis of a cap ---- */

/* Whether d, in the frame of the core, points nearly along its axis at a cap. */
static bool is_axial(const abut_core *core, abut_vec3 d)
{
    return (core->kind == ABUT_CORE_CYLINDER && fabs(d.z) > 0.97) ||
           (core->kind == ABUT_CORE_CONE && d.z < -0.97);
}

/* True when that raised s. */
static bool try_about_axes(climb *c)
{
    const abut_convex_pair *pair = c->pair;
    static const abut_vec3 plane[2] = { { 1, 0, 0 }, { 0, 1, 0 } };
    for (int i = 0; i < 2; ++i) {
        const abut_core *core = i ? pair->b : pair->a, *other = i ? pair->a : pair->b;
        const abut_vec3 d = i ? c->back : c->n, e = i ? c->n : c->back;
        if (c->turns <= 0 || !is_axial(core, d) || other->kind == ABUT_CORE_USER)
            continue;
        --c->turns;
        cut k;
        k.at = c->at;
        double bend[3] = { 0, 0, 0 };
        abut_vec3 basis[2];
        for (int j = 0; j < 2; ++j)
            basis[j] = i ? abut_mul(&pair->r, plane[j]) : abut_mul_t(&pair->r, plane[j]);
        const abut_vec3 p = i ? c->at.x : abut_mul_t(&pair->r, abut_sub(c->at.y, pair->t));
        const abut_vec3 q = i ? abut_mul_t(&pair->r, abut_sub(c->at.x, pair->t)) : c->at.y;
        abut_piece_bend(other, abut_piece_of(other, e, p), e, p, basis, 1, bend);
        abut_vec3 n = abut_curved_about_axis(core, d, q, bend, c->s);
        if (i) {
            const abut_vec3 m = abut_mul(&pair->r, n);
            n = abut_v3(-m.x, -m.y, -m.z);
        }
        const double s = support_cut(c, n, &k);
        if (!(s > c->s))
            continue;
        restart_at(c, n, s, &k);
        return true;
    }
    return false;
}

/* ---- the climb ---- */

/* A rim has curvature to speak of: it is not seen along its axis. */
static bool is_oblique(abut_piece_kind kind, abut_vec3 d)
{
    return (kind != ABUT_PIECE_RIM_ABOVE && kind != ABUT_PIECE_RIM_BELOW) || d.x * d.x + d.y * d.y > 1e-4;
}

/* A step that brought nothing: what it met bounds the model. A piece not yet kept joins as such
 * at first; but only the point itself is sure to cut the step off. */
static void add_cut(climb *c, cut *k)
{
    if (c->stays++ == 0 && !is_kept(c, k) && is_oblique(k->a.kind, c->n) && is_oblique(k->b.kind, c->back)) {
        refresh(c, k);
    } else {
        k->a.kind = k->b.kind = ABUT_PIECE_CORNER;
        if (is_kept(c, k))
            return;
    }
    if (c->count < MOST_PIECES)
        c->cuts[c->count++] = *k;
}

/* One step. False when there is nothing more to gain. */
static bool step(climb *c)
{
    model m;
    const double far = combine(c);
    if (!c->deep && is_closed(c, c->s - c->pair->error))
        return false;
    if (!build_model(c, far, &m))
        return false;
    solve_model(&m);
    for (int i = 0; i < c->count; ++i)
        c->cuts[i].weight = m.weight[i];
    const double gain = m.best - c->s;
    if (!(gain > -INFINITY))
        return false;
    if (c->count > 1) {
        combine(c);
        drop_idle(c);
    }
    const abut_vec3 n = stepped(c, &m);
    cut k;
    k.at.a = c->at.a;
    k.at.b = c->at.b;
    const double s = support_cut(c, n, &k);
    ++c->out->iterations;
    if (gain < c->pair->error && !m.blunt) {
        /* At the top s is rounding, but a step or two may still straighten the witnesses. */
        if (!(s > c->s - 0.1 * c->pair->error) || ++c->tops > MOST_TOPS)
            return false;
        move_on(c, n, s, &k);
        return !c->deep || gain > 0x1p-4 * c->pair->error;
    }
    if (s > c->s + 0.05 * gain) {
        move_on(c, n, s, &k);
        return true;
    }
    if ((c->tries <= 0 || !try_flat_sides(c)) && (c->deep || !try_about_axes(c)))
        add_cut(c, &k);
    return true;
}

/* False where out->normal is no direction. */
static bool begin(climb *c, const abut_convex_pair *pair, bool deep, uint32_t most, abut_convex_answer *out)
{
    const bool user = pair->a->kind == ABUT_CORE_USER || pair->b->kind == ABUT_CORE_USER;
    const uint32_t step = user ? STEP_OF_USERS : STEP;
    cut k;
    if (!(fabs(abut_dot(out->normal, out->normal) - 1) < 0x1p-20))
        return false;
    c->pair = pair;
    c->out = out;
    c->deep = deep;
    c->most = most > step ? most - step : 0;
    c->tries = MOST_TRIES;
    c->turns = MOST_TURNS;
    c->tops = 0;
    k.at.a = k.at.b = 0;
    const abut_vec3 n = unit(out->normal);
    const double s = support_cut(c, n, &k);
    restart_at(c, n, s, &k);
    return true;
}

static void run(climb *c)
{
    (void)try_flat_sides(c);
    for (int i = 0; i < MOST_STEPS && c->out->supports <= c->most; ++i)
        if (!step(c))
            break;
    (void)combine(c);
}

static void finish_apart(climb *c)
{
    abut_convex_answer *out = c->out;
    run(c);
    if (!is_closed(c, c->s - c->pair->error))
        straighten(c, out->x, out->y, true);
    const double found = abut_convex_certify(c->pair, c->n, &c->at);
    if (found > out->lo) {
        out->lo = found;
        out->normal = c->n;
    }
}

/* As narrow as doubles allow, or nearly. */
static bool is_decided(const abut_convex_pair *pair, const abut_convex_answer *out)
{
    return out->hi < INFINITY && out->hi - out->lo <= 4 * pair->error + 0x1p-46 * out->hi;
}

bool abut_convex_refine(const abut_convex_pair *pair, uint32_t most, abut_convex_answer *out)
{
    const double lo = out->lo, hi = out->hi;
    climb c;
    if (!begin(&c, pair, false, most, out))
        return false;
    finish_apart(&c);
    return out->lo > lo || out->hi < hi;
}

/* A direction that is rounded, by the error over the distance, costs that much times the length
 * of a side or slant that lies along the plane across it. So it is turned to where both ends of
 * that are as far, exactly. */
static void straighten_cylinders(const abut_convex_pair *pair, abut_convex_answer *out)
{
    abut_cylinders_body body[2];
    abut_cylinders_begin(pair, body);
    abut_vec3 n = out->normal, way[2];
    double off[2];
    int count = 0;
    for (int i = 0; i < 2; ++i) {
        abut_cylinders_view v;
        (void)abut_cylinders_evaluate(&body[i], n, &v);
        if (!(v.flat > 0) || !(fabs(v.diff) * out->hi <= 16 * pair->error * (body[i].h + body[i].r)))
            continue;
        const abut_vec3 d = abut_madd(abut_scale(2 * body[i].h, body[i].axis), -body[i].apex, v.u);
        way[count] = abut_madd(d, -abut_dot(d, n), n);
        off[count++] = v.diff;
    }
    if (count == 2) {
        const double pp = abut_dot(way[0], way[0]), pq = abut_dot(way[0], way[1]),
                     qq = abut_dot(way[1], way[1]), det = pp * qq - pq * pq;
        if (!(det > 0x1p-20 * pp * qq))
            return;
        n = abut_madd(n, -(off[0] * qq - off[1] * pq) / det, way[0]);
        n = abut_madd(n, -(off[1] * pp - off[0] * pq) / det, way[1]);
    } else if (count == 1 && abut_dot(way[0], way[0]) > 0)
        n = abut_madd(n, -off[0] / abut_dot(way[0], way[0]), way[0]);
    else
        return;
    n = abut_scale(1 / sqrt(abut_dot(n, n)), n);
    abut_convex_point p = { .a = 0 };
    const double lo = abut_convex_separation(pair, n, &p);
    ++out->supports;
    if (lo > out->lo) {
        out->lo = lo;
        out->normal = n;
    }
}

bool abut_curved_distance(const abut_convex_pair *pair, const abut_vec3 *axis, abut_convex_answer *out)
{
    climb c;
    uint32_t share = ABUT_SHARE_CURVED;
    if (abut_cylinders_knows(pair)) {
        if (abut_cylinders_distance(pair, axis, out)) {
            if (out->hi - out->lo > 2.5 * pair->error + 0x1p-46 * out->hi)
                straighten_cylinders(pair, out);
            return true;
        }
        if (out->hi < 0)
            return false;
        if (out->supports + SHARE_AFTER_RIMS > share)
            share = out->supports + SHARE_AFTER_RIMS;
    } else {
        *out = (abut_convex_answer){ .lo = -INFINITY, .hi = INFINITY };
        out->normal = abut_unit_or(axis ? *axis : pair->t, abut_v3(1, 0, 0));
    }
    if (!begin(&c, pair, false, share, out) || !(c.s > 0))
        return false;
    finish_apart(&c);
    return is_decided(pair, out);
}

bool abut_curved_decide(const abut_convex_pair *pair, abut_convex_answer *out)
{
    if (is_decided(pair, out))
        return true;
    if (out->supports >= ABUT_DECIDED_BY)
        return false;
    abut_convex_answer other = *out;
    other.normal = abut_unit_or(pair->t, abut_v3(1, 0, 0));
    const uint32_t from = out->supports, share = from + ABUT_SHARE_DECIDE;
    const uint32_t most = share < ABUT_DECIDED_BY ? share : ABUT_DECIDED_BY;
    (void)abut_convex_refine(pair, from + (most - from) / 2, &other);
    out->supports = other.supports;
    if (other.lo > out->lo) {
        out->lo = other.lo;
        out->normal = other.normal;
    }
    if (other.hi < out->hi) {
        out->hi = other.hi;
        out->x = other.x;
        out->y = other.y;
    }
    if (!is_decided(pair, out))
        (void)abut_convex_refine(pair, most, out);
    return is_decided(pair, out);
}

bool abut_convex_refine_depth(const abut_convex_pair *pair, abut_convex_answer *out)
{
    climb c;
    if (!begin(&c, pair, true, out->supports + MOST_DEEP, out))
        return false;
    run(&c);
    const double found = abut_convex_certify(pair, c.n, &c.at);
    if (!(found >= out->lo))
        return false;
    out->lo = found;
    out->normal = c.n;
    out->x = c.at.x;
    out->y = c.at.y;
    return true;
}
