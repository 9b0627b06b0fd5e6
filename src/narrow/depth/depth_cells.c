/* SPDX-License-Identifier: MIT */
/* The depth by branch and bound over directions, for what the other ways leave wide: shallow
 * valleys that are nearly a ring, apexes and rims in edges, several valleys as deep.
 *
 * With u the outward direction, f(u) = max over K of u . w is a sum of closed forms: K holds C =
 * (piece of b) - (piece of a), a piece being a corner, a rim, an apex (or a mean of apex and rim),
 * an ellipsoid, and the support function of C is
 *     g(v) = L . v + |M_a v| + |M_b v|.
 * A cell is a cone over a convex polygon. About a direction m in it let v = m + d, d across m: with
 * e the gradient of g at m and H a form that d . H d / 2 is not above the rest for in the cell,
 *     g(v) - r |v| >= g(m) - r + e . d + d . (H - r) d / 2,
 * whose least value over the polygon is found exactly. Where it is not negative, f >= r in the
 * cell. Where it is, f is examined in that place: it is lower than what is to be proved, which is
 * then lowered; or another piece is further out there, and the cell is cut along the plane where
 * both are as far; or the cell is too large, and is halved. Kinks are so edges of cells, and the
 * least direction is approached by steps of Newton's method between them.
 *
 * Proofs and rounding: docs/notes/depth.md. */
#include "narrow/depth/depth_cell.h"

enum { MANY_CORNERS = 8, MOST_CELLS = 96, MOST_TESTS = 12000, MOST_KNOWN = 64, LAST = 189 };

/* Of the depth: what the bounds may differ by. */
static const double fine = 0x1.8p-31;
/* Sines of angles: directions that are the same, cells that are not cut. */
static const double same = 0x1p-46, least_cell = 0x1p-36;

typedef abut_depth_body body;
typedef abut_depth_piece piece;
typedef abut_depth_cell cell;

typedef struct proof {
    const abut_convex_pair *pair;
    body body[2];
    double size;
    double f, least; /* the shallowest direction, and what is to be proved */
    abut_vec3 u;
    uint32_t supports, tests;
    bool flat;
    uint32_t hint[2];
    uint32_t known[2]; /* vertices of hulls that were found, and as parts of K */
    abut_vec3 vertex[2][MOST_KNOWN];
    int cells;
    cell stack[MOST_CELLS];
} proof;

static void set_body(const abut_convex_pair *pair, int i, body *out)
{
    const double(*m)[3] = pair->r.m;
    out->core = i ? pair->b : pair->a;
    out->sign = i ? 1 : -1;
    out->at = i ? pair->t : abut_v3(0, 0, 0);
    out->size = out->core->size;
    for (int j = 0; j < 3; ++j)
        out->axis[j] = i ? abut_v3(m[0][j], m[1][j], m[2][j]) : abut_v3(j == 0, j == 1, j == 2);
    out->turned = abut_depth_set_solid(out->core, out->axis, out->sign, &out->solid);
}

static abut_vec3 inward(const body *b, abut_vec3 v)
{
    return abut_scale(b->sign,
                      abut_v3(abut_dot(b->axis[0], v), abut_dot(b->axis[1], v), abut_dot(b->axis[2], v)));
}

static abut_vec3 outward(const body *b, abut_vec3 p)
{
    abut_vec3 q = b->at;
    q = abut_madd(q, b->sign * p.x, b->axis[0]);
    q = abut_madd(q, b->sign * p.y, b->axis[1]);
    return abut_madd(q, b->sign * p.z, b->axis[2]);
}

/* A mean of apex and rim: `share` is the rim's. */
static piece cone_piece(const body *b, double share)
{
    const double *h = b->core->h;
    return (piece){ outward(b, abut_v3(0, 0, h[2] * (1 - 2 * share))), { share * h[0], share * h[0], 0 } };
}

/* Of those that are known. */
static piece known_vertex(const proof *k, int i, abut_vec3 v)
{
    piece p = { .at = k->vertex[i][0] };
    double most = abut_dot(p.at, v);
    for (uint32_t j = 1; j < k->known[i]; ++j) {
        const double value = abut_dot(k->vertex[i][j], v);
        if (value > most) {
            most = value;
            p.at = k->vertex[i][j];
        }
    }
    return p;
}

static piece find_vertex(proof *k, int i, abut_vec3 v)
{
    const body *b = &k->body[i];
    const piece p = { .at = outward(b, abut_core_support(b->core, inward(b, v), &k->hint[i])) };
    ++k->supports;
    bool known = k->known[i] == MOST_KNOWN;
    for (uint32_t j = 0; j < k->known[i] && !known; ++j) {
        const abut_vec3 q = k->vertex[i][j];
        known = q.x == p.at.x && q.y == p.at.y && q.z == p.at.z;
    }
    if (!known)
        k->vertex[i][k->known[i]++] = p.at;
    return p;
}

/* The piece that is furthest out along v. */
static piece find_piece(proof *k, int i, abut_vec3 v)
{
    const body *b = &k->body[i];
    const double *h = b->core->h;
    const abut_vec3 d = inward(b, v);
    piece p = { .at = b->at };
    switch (b->core->kind) {
    case ABUT_CORE_ELLIPSOID:
        for (int j = 0; j < 3; ++j)
            p.h[j] = h[j];
        return p;
    case ABUT_CORE_CYLINDER:
        p.at = outward(b, abut_v3(0, 0, copysign(h[2], d.z)));
        p.h[0] = p.h[1] = h[0];
        return p;
    case ABUT_CORE_CONE: return cone_piece(b, 2 * h[2] * d.z < h[0] * sqrt(d.x * d.x + d.y * d.y));
    case ABUT_CORE_HULL: return find_vertex(k, i, v);
    default: p.at = outward(b, abut_core_support(b->core, d, &k->hint[i])); return p;
    }
}

static double value_of(const proof *k, int i, const piece *p, abut_vec3 v)
{
    return abut_dot(p->at, v) + abut_depth_length(&k->body[i], p, v);
}

/* ---- the bound over a cell ---- */

static abut_vec3 middle_of(const cell *c)
{
    abut_vec3 sum = c->corner[0];
    for (int j = 1; j < c->count; ++j)
        sum = abut_add(sum, c->corner[j]);
    return abut_depth_unit(sum);
}

/* Inside, or on the edge, as far as doubles tell; and near enough to all corners to see them. */
static bool holds(const cell *c, abut_vec3 m, double slack)
{
    for (int j = 0; j < c->count; ++j) {
        const abut_vec3 p = c->corner[j], q = c->corner[j + 1 == c->count ? 0 : j + 1], n = abut_cross(p, q);
        if (!(abut_dot(n, m) >= -slack * sqrt(abut_dot(n, n))))
            return false;
    }
    return true;
}

static bool is_seen(const cell *c, abut_vec3 m)
{
    for (int j = 0; j < c->count; ++j)
        if (!(abut_dot(c->corner[j], m) > 0.25))
            return false;
    return true;
}

static double bound_by(proof *k, const cell *c, abut_vec3 *worst)
{
    double most = -INFINITY;
    ++k->tests;
    const abut_vec3 middle = middle_of(c);
    if (is_seen(c, k->u) && holds(c, k->u, 0)) {
        most = abut_depth_below(k->body, c, k->least, k->u, worst);
        if (most >= 0)
            return most;
    }
    if (is_seen(c, middle)) {
        abut_vec3 at;
        const double value = abut_depth_below(k->body, c, k->least, middle, &at);
        if (value > most) {
            most = value;
            *worst = at;
        }
    } else if (!(most > -INFINITY))
        *worst = middle;
    return most;
}

/* Whether apex and rim of a cone may both be furthest out somewhere in the cell. */
static bool is_kinked(const proof *k, const cell *c, int i)
{
    const body *b = &k->body[i];
    const double *h = b->core->h;
    if (b->core->kind != ABUT_CORE_CONE)
        return false;
    double least = INFINITY, most = -INFINITY, wide = 0;
    for (int j = 0; j < c->count; ++j) {
        const abut_vec3 d = inward(b, c->corner[j]), e = abut_sub(c->corner[j], c->corner[0]);
        const double value = h[0] * sqrt(d.x * d.x + d.y * d.y) - 2 * h[2] * d.z, square = abut_dot(e, e);
        least = value < least ? value : least;
        most = value > most ? value : most;
        wide = square > wide ? square : wide;
    }
    /* Convex in d: below its largest value at the corners everywhere, and above the least by its
     * curvature. */
    return most > 0 && least < h[0] * wide;
}

/* Whether a point of one body near the axis of the other proves all of the cell: of the cell's
 * own piece that nearest to the axis, or what counts along the least direction, the middle or a
 * corner. On an arc of least directions it is the same for all of them. */
static bool is_on_arc(proof *k, const cell *c)
{
    for (int i = 0; i < 2; ++i) {
        const body *solid = &k->body[i], *other = &k->body[!i];
        abut_depth_touch t = { .w = { NAN, NAN, NAN } };
        for (int j = -3; j < c->count && solid->turned; ++j) {
            abut_vec3 v = j == -2 ? k->u : j == -1 ? middle_of(c) : c->corner[j < 0 ? 0 : j];
            piece p = c->of[!i];
            if (j == -3) {
                v = abut_scale(-1, abut_add(solid->at, p.at));
                if (!abut_depth_is_ball(&solid->solid))
                    v = abut_madd(v, -abut_dot(v, solid->solid.axis), solid->solid.axis);
            } else
                p = k->known[!i] > 0 ? known_vertex(k, !i, v) : find_piece(k, !i, v);
            const abut_vec3 last = t.w;
            abut_depth_set_touch(abut_add(solid->at, p.at), p.h, other->axis, v, &t);
            const bool again = t.w.x == last.x && t.w.y == last.y && t.w.z == last.z;
            if (!again && abut_depth_is_deep_about(&solid->solid, &t, c->corner, c->count, k->least))
                return true;
        }
    }
    return false;
}

/* Where apex and rim of a cone both count: means of them too. The best is kept in the cell. */
static double best_bound(proof *k, cell *c, abut_vec3 *worst)
{
    static const double shares[] = { 0, 1, 0.5, 0.25, 0.75, 0.06, 0.94 };
    double most = bound_by(k, c, worst);
    if (most < 0 && is_on_arc(k, c))
        return 0;
    for (int i = 0; i < 2 && most < 0; ++i) {
        if (!is_kinked(k, c, i))
            continue;
        piece best = c->of[i];
        for (size_t j = 0; j < sizeof shares / sizeof *shares && most < 0; ++j) {
            abut_vec3 at;
            c->of[i] = cone_piece(&k->body[i], shares[j]);
            const double value = bound_by(k, c, &at);
            if (value > most) {
                most = value;
                best = c->of[i];
                *worst = at;
            }
        }
        c->of[i] = best;
    }
    return most;
}

/* ---- cuts ---- */

static void lower(proof *k, double f, abut_vec3 u)
{
    if (!(f < k->f))
        return;
    /* Bodies without interior have no depth: that they meet is all that is asked. */
    const double whole = 0.375 * (f + k->pair->radii), part = k->flat ? 0.75 : fine,
                 least = f - part * (f > whole ? f : whole);
    k->f = f;
    k->u = u;
    k->least = least > 0.25 * f ? least : 0.25 * f;
}

static void put_corner(cell *c, abut_vec3 p)
{
    if (c->count > 0) {
        const abut_vec3 d = abut_sub(p, c->corner[c->count - 1]);
        if (abut_dot(d, d) < 0x1p-100)
            return;
    }
    if (c->count < ABUT_DEPTH_CORNERS)
        c->corner[c->count] = p;
    ++c->count;
}

/* Along the plane across n: out[0] is on its positive side. False where one side has nothing to
 * speak of, or too many corners. */
static bool cut(const cell *c, abut_vec3 n, cell out[2])
{
    double most[2] = { 0, 0 }, s[ABUT_DEPTH_CORNERS];
    for (int j = 0; j < c->count; ++j) {
        s[j] = abut_dot(n, c->corner[j]);
        most[0] = s[j] > most[0] ? s[j] : most[0];
        most[1] = -s[j] > most[1] ? -s[j] : most[1];
    }
    if (!(most[0] > least_cell && most[1] > least_cell))
        return false;
    for (int i = 0; i < 2; ++i) {
        out[i].count = 0;
        out[i].of[0] = c->of[0];
        out[i].of[1] = c->of[1];
    }
    for (int j = 0; j < c->count; ++j) {
        const int next = j + 1 == c->count ? 0 : j + 1;
        const abut_vec3 p = c->corner[j], q = c->corner[next];
        if (s[j] >= 0)
            put_corner(&out[0], p);
        if (s[j] <= 0)
            put_corner(&out[1], p);
        if ((s[j] > 0 && s[next] < 0) || (s[j] < 0 && s[next] > 0)) {
            const abut_vec3 at = abut_depth_unit(abut_sub(abut_scale(s[next], p), abut_scale(s[j], q)));
            const abut_vec3 on = abut_dot(at, p) + abut_dot(at, q) < 0 ? abut_scale(-1, at) : at;
            put_corner(&out[0], on);
            put_corner(&out[1], on);
        }
    }
    for (int i = 0; i < 2; ++i) {
        if (out[i].count < 3 || out[i].count > ABUT_DEPTH_CORNERS)
            return false;
        const abut_vec3 d = abut_sub(out[i].corner[0], out[i].corner[out[i].count - 1]);
        out[i].count -= abut_dot(d, d) < 0x1p-100;
        if (out[i].count < 3)
            return false;
    }
    return true;
}

static bool push(proof *k, const cell *c)
{
    if (k->cells == MOST_CELLS)
        return false;
    k->stack[k->cells++] = *c;
    return true;
}

static bool push_both(proof *k, const cell out[2])
{
    return push(k, &out[1]) && push(k, &out[0]);
}

/* The two corners that are furthest apart. */
static abut_vec3 longest(const cell *c)
{
    abut_vec3 best = abut_v3(0, 0, 0);
    for (int j = 0; j < c->count; ++j)
        for (int i = 0; i < j; ++i) {
            const abut_vec3 d = abut_sub(c->corner[i], c->corner[j]);
            if (abut_dot(d, d) > abut_dot(best, best))
                best = d;
        }
    return best;
}

/* Through the axis of a rim where that is in the cell, but no corner of it: |M v| has a point
 * there. */
static bool cut_at_axis(proof *k, const cell *c)
{
    cell out[2];
    for (int i = 0; i < 2; ++i) {
        if (!(c->of[i].h[0] > 0) || c->of[i].h[2] > 0)
            continue;
        const abut_vec3 z = k->body[i].axis[2], pole = abut_dot(z, c->corner[0]) < 0 ? abut_scale(-1, z) : z;
        bool corner = !holds(c, pole, 0x1p-30);
        for (int j = 0; j < c->count && !corner; ++j) {
            const abut_vec3 d = abut_sub(pole, c->corner[j]);
            corner = abut_dot(d, d) < 0x1p-60;
        }
        if (corner)
            continue;
        const abut_vec3 d = longest(c), n = abut_madd(d, -abut_dot(d, pole), pole);
        if (abut_dot(n, n) > 0x1p-60 && cut(c, abut_depth_unit(n), out))
            return push_both(k, out);
    }
    return false;
}

/* Planes that touch a kink in many places would leave slivers. */
static bool is_lopsided(const cell *c, const cell out[2])
{
    const abut_vec3 whole = longest(c), p = longest(&out[0]), q = longest(&out[1]);
    const double least = 0.81 * abut_dot(whole, whole);
    return abut_dot(p, p) > least && abut_dot(q, q) > least && abut_dot(whole, whole) > 0x1p-10;
}

/* Where the piece of body i for v is further out than the cell's: along where both are as far.
 * Of a rim and an apex, along a plane that touches the cone of the kink: beyond it is the rim. */
static bool cut_between(proof *k, const cell *c, int i, const piece *p, abut_vec3 v)
{
    const body *b = &k->body[i];
    cell out[2];
    abut_vec3 n = abut_sub(p->at, c->of[i].at);
    piece far = *p, near = c->of[i];
    if (b->core->kind == ABUT_CORE_CONE) {
        const double *h = b->core->h;
        const abut_vec3 d = inward(b, v);
        const double flat = sqrt(d.x * d.x + d.y * d.y);
        if (!(flat > 0))
            return false;
        n = abut_sub(outward(b, abut_v3(h[0] * d.x / flat, h[0] * d.y / flat, -2 * h[2])), b->at);
        far = cone_piece(b, 1);
        near = cone_piece(b, 0);
    }
    const double square = abut_dot(n, n);
    if (!(square > same * same * k->size * k->size) || !cut(c, abut_scale(1 / sqrt(square), n), out))
        return false;
    if (b->core->kind == ABUT_CORE_CONE && (c->count >= MANY_CORNERS || is_lopsided(c, out)))
        return false;
    out[0].of[i] = far;
    out[1].of[i] = near;
    return push_both(k, out);
}

/* Across its length; the pieces are those of either middle. (To choose the best of several ways
 * by what they leave proved makes slivers, and twice as many cells.) */
static bool halve(proof *k, const cell *c)
{
    cell out[2];
    const abut_vec3 d = longest(c);
    if (!(abut_dot(d, d) > 0) || !cut(c, abut_depth_unit(d), out))
        return false;
    for (int j = 0; j < 2; ++j) {
        const abut_vec3 m = middle_of(&out[j]);
        for (int i = 0; i < 2; ++i)
            out[j].of[i] = k->known[i] > 0 ? known_vertex(k, i, m) : find_piece(k, i, m);
    }
    return push_both(k, out);
}

/* The pieces for v, those of hulls among the known vertices where that is enough to prove what
 * is wanted. */
static double find_pieces(proof *k, abut_vec3 v, piece p[2])
{
    double f = 0;
    bool hulls = false;
    for (int i = 0; i < 2; ++i) {
        const bool hull = k->known[i] > 0;
        p[i] = hull ? known_vertex(k, i, v) : find_piece(k, i, v);
        f += value_of(k, i, &p[i], v);
        hulls = hulls || hull;
    }
    if (!hulls || f >= k->least)
        return f;
    f = 0;
    for (int i = 0; i < 2; ++i) {
        if (k->known[i] > 0)
            p[i] = find_vertex(k, i, v);
        f += value_of(k, i, &p[i], v);
    }
    return f;
}

static bool split(proof *k, const cell *c, abut_vec3 v)
{
    piece p[2];
    double behind[2];
    lower(k, find_pieces(k, v, p), v);
    for (int i = 0; i < 2; ++i)
        behind[i] = value_of(k, i, &p[i], v) - value_of(k, i, &c->of[i], v);
    const int first = behind[1] > behind[0];
    for (int j = 0; j < 2; ++j) {
        const int i = j == 0 ? first : !first;
        if (behind[i] > 2 * k->pair->error && cut_between(k, c, i, &p[i], v))
            return true;
    }
    return cut_at_axis(k, c) || halve(k, c);
}

/* ---- the work ---- */

/* The eight faces of an octahedron. */
static void begin(proof *k)
{
    const abut_core_kind kind = k->pair->a->kind;
    const bool second = kind == ABUT_CORE_POINT || kind == ABUT_CORE_SEGMENT || kind == ABUT_CORE_HULL;
    const abut_vec3 *axis = k->body[second].axis;
    for (int i = 0; i < 8; ++i) {
        const abut_vec3 x = abut_scale(i & 1 ? -1 : 1, axis[0]), y = abut_scale(i & 2 ? -1 : 1, axis[1]),
                        z = abut_scale(i & 4 ? -1 : 1, axis[2]);
        const bool turned = (i & 1) ^ (i >> 1 & 1) ^ (i >> 2 & 1);
        cell c = { .count = 3, .corner = { x, turned ? z : y, turned ? y : z } };
        const abut_vec3 m = middle_of(&c);
        for (int j = 0; j < 2; ++j)
            c.of[j] = find_piece(k, j, m);
        (void)push(k, &c);
    }
}

/* What is proved of all directions. */
static double work(proof *k, uint32_t most)
{
    double open = INFINITY;
    bool full = false;
    while (k->cells > 0) {
        cell c = k->stack[--k->cells];
        abut_vec3 worst;
        const double least = k->least, value = best_bound(k, &c, &worst);
        if (value >= 0)
            continue;
        full = full || k->tests > MOST_TESTS || k->supports + 1 >= most || !(k->f > 8 * k->pair->error);
        if (full || !split(k, &c, worst))
            open = least + value < open ? least + value : open;
    }
    return k->least < open ? k->least : open;
}

static bool knows(const abut_convex_pair *pair)
{
    for (int i = 0; i < 2; ++i) {
        const abut_core *core = i ? pair->b : pair->a;
        if (core->kind == ABUT_CORE_NONE || core->kind == ABUT_CORE_USER)
            return false;
    }
    return true;
}

void abut_depth_by_cells(const abut_convex_pair *pair, abut_convex_answer *out)
{
    proof k;
    const bool hulls = pair->a->kind == ABUT_CORE_HULL || pair->b->kind == ABUT_CORE_HULL;
    if (!knows(pair) || out->supports + (hulls ? 20 : 1) > LAST + 6 || !(out->lo < -8 * pair->error) ||
        !(fabs(abut_dot(out->normal, out->normal) - 1) < 0x1p-40))
        return;
    k.pair = pair;
    k.f = k.least = INFINITY;
    k.supports = k.tests = 0;
    k.cells = 0;
    k.flat = abut_core_is_flat(pair->a) || abut_core_is_flat(pair->b);
    k.known[0] = k.known[1] = 0;
    k.hint[0] = k.hint[1] = 0;
    for (int i = 0; i < 2; ++i)
        set_body(pair, i, &k.body[i]);
    k.size = sqrt(abut_dot(pair->t, pair->t)) + pair->a->size + pair->b->size;
    lower(&k, -out->lo - pair->error, abut_scale(-1, out->normal));
    begin(&k);
    const double before = k.f, proved = work(&k, hulls ? LAST - out->supports : UINT32_MAX);
    out->supports += k.supports;
    out->iterations += k.tests;
    const double hi = -(proved - 4 * pair->error - 0x1p-45 * k.size);
    if (proved > 0)
        out->hi = hi < out->hi ? hi : out->hi;
    if (!(k.f < before))
        return;
    abut_depth_cap cap;
    (void)abut_depth_cap_at(pair, k.u, k.f, &cap);
    abut_convex_point p = { .a = 0 };
    const abut_vec3 n = abut_scale(-1, k.u);
    const double lo = abut_convex_separation(pair, n, &p);
    ++out->supports;
    if (lo > out->lo) {
        out->lo = lo;
        out->normal = n;
        out->x = cap.x;
        out->y = cap.y;
    }
}
