/* SPDX-License-Identifier: MIT */
/* Pairs of ellipsoids, and an ellipsoid against a point: which side of a limit the gap is on, and
 * the distance.
 *
 * Overlap: for c(l) = ((1 - l) A + l B)^-1 t, where A and B are the squared ellipsoids in a's
 * frame, the point x = (1 - l) A c minimises l q_A + (1 - l) q_B; the minimum F(l) is concave, and
 * above 1 somewhere exactly when the bodies are apart (Perram and Wertheim 1985). Newton's method
 * on F' = q_A - q_B is stopped at the first l whose x is proved to lie inside both, or whose c is
 * proved to be a separating direction.
 *
 * Distance: Newton's method for the largest s(n) on the sphere, where the support functions are |D
 * n| with second derivatives (D^2 - x x^T) / |D n|. It starts from a direction with s > 0, where s
 * has one maximum, and every step must raise s.
 *
 * Doubles steer; what is said at the end rests on s(n) and |w| of the last direction and
 * pair->error, or on a point checked against both bodies. Derivations:
 * docs/notes/curved-pairs.md. */
#include "narrow/distance/refine.h"

enum { MOST_MIXES = 24, MOST_STEPS = 16, MOST_HALVINGS = 3, MOST_SUPPORTS = ABUT_SHARE_ELLIPSOID - 20 };

typedef struct sym3 {
    double xx, yy, zz, xy, xz, yz;
} sym3;

/* All there is to know of a direction. */
typedef struct view {
    /* y: b's furthest along n, about its centre; the nearest is opposite, t - y */
    abut_vec3 n, x, y, w;
    double ha, hb, s;
} view;

static abut_vec3 times(const double h[3], abut_vec3 a)
{
    return abut_v3(h[0] * a.x, h[1] * a.y, h[2] * a.z);
}

static double length(abut_vec3 a)
{
    return sqrt(abut_dot(a, a));
}

static double least(const double h[3])
{
    const double m = h[0] < h[1] ? h[0] : h[1];
    return m < h[2] ? m : h[2];
}

/* R D^2 R^T. */
static sym3 squared(const abut_mat3 *r, const double h[3])
{
    abut_vec3 row[3];
    for (int i = 0; i < 3; ++i)
        row[i] = times(h, abut_v3(r->m[i][0], r->m[i][1], r->m[i][2]));
    return (sym3){ abut_dot(row[0], row[0]), abut_dot(row[1], row[1]), abut_dot(row[2], row[2]),
                   abut_dot(row[0], row[1]), abut_dot(row[0], row[2]), abut_dot(row[1], row[2]) };
}

/* det G times the inverse. */
static sym3 adjugate(const sym3 *g)
{
    return (sym3){ g->yy * g->zz - g->yz * g->yz, g->xx * g->zz - g->xz * g->xz,
                   g->xx * g->yy - g->xy * g->xy, g->xz * g->yz - g->xy * g->zz,
                   g->xy * g->yz - g->xz * g->yy, g->xy * g->xz - g->xx * g->yz };
}

static abut_vec3 apply(const sym3 *g, abut_vec3 a)
{
    return abut_v3(g->xx * a.x + g->xy * a.y + g->xz * a.z, g->xy * a.x + g->yy * a.y + g->yz * a.z,
                   g->xz * a.x + g->yz * a.y + g->zz * a.z);
}

static double determinant(const sym3 *g, const sym3 *adj)
{
    return g->xx * adj->xx + g->xy * adj->xy + g->xz * adj->xz;
}

/* ---- overlap ---- */

static int decide_apart(abut_vec3 n, double s, const abut_convex_pair *pair, abut_convex_answer *out)
{
    out->lo = s - pair->error;
    out->normal = n;
    return 1;
}

/* x in a and z in b (both without rounding) are r apart and leave 1 - ra, 1 - rb of their
 * bodies: balls of radius margin about them are inside, so the gap is at most r - margin. */
static bool common_point(const abut_convex_pair *pair, double ra, double rb, abut_vec3 r, double limit,
                         abut_convex_answer *out)
{
    static const double slack = 1 + 0x1p-48;
    const double margin = (1 - slack * ra) * least(pair->a->h) + (1 - slack * rb) * least(pair->b->h);
    const double apart = slack * length(r) + pair->error;
    if (!(slack * ra <= 1 && slack * rb <= 1 && apart < margin * (1 - 0x1p-50) + limit))
        return false;
    out->hi = apart - margin * (1 - 0x1p-50);
    return true;
}

/* Limit 0. *n: the direction found, whether it decides or not. */
static int compare_mixing(const abut_convex_pair *pair, const sym3 *b, double ha, double hb, abut_vec3 *n,
                          abut_convex_answer *out)
{
    const double *da = pair->a->h, *db = pair->b->h;
    const abut_vec3 a = abut_v3(da[0] * da[0], da[1] * da[1], da[2] * da[2]);
    double l = ha / (ha + hb), low = 0, high = 1;
    for (int step = 0; step < MOST_MIXES; ++step) {
        const double k = 1 - l;
        const sym3 g = { k * a.x + l * b->xx, k * a.y + l * b->yy, k * a.z + l * b->zz,
                         l * b->xy,           l * b->xz,           l * b->yz };
        const sym3 adj = adjugate(&g);
        const double inverse = 1 / determinant(&g, &adj);
        const abut_vec3 c = abut_scale(inverse, apply(&adj, pair->t));
        const abut_vec3 m = abut_mul_t(&pair->r, c), dm = times(db, m), dc = times(da, c);
        const double sa = length(dc), sb = length(dm), size = length(c);
        ++out->iterations;
        if (!(size > 0 && size <= 0x1p1000))
            return 0;
        const double s = abut_dot(c, pair->t) - sa - sb;
        *n = abut_scale(1 / size, c);
        if (s > 1.01 * pair->error * size)
            return decide_apart(*n, s / size, pair, out);
        const double ra = k * sa, rb = l * sb;
        if (ra < 1 && rb < 1) {
            const abut_vec3 x = abut_scale(k, times(da, dc)), z = abut_scale(l, times(db, dm));
            const abut_vec3 r = abut_sub(abut_sub(pair->t, x), abut_mul(&pair->r, z));
            if (common_point(pair, ra, rb, r, 0, out))
                return -1;
        }
        /* F' = q_A - q_B; F'' = -2 (A c) . G^-1 (B c). */
        const double slope = ra * ra - rb * rb;
        const abut_vec3 ac = abut_v3(a.x * c.x, a.y * c.y, a.z * c.z);
        const double bend = 2 * inverse * abut_dot(ac, apply(&adj, apply(b, c)));
        *(slope > 0 ? &low : &high) = l;
        double next = l + slope / bend;
        if (!(next > low && next < high))
            next = 0.5 * (low + high);
        if (!(fabs(next - l) > 0x1p-52))
            return 0;
        l = next;
    }
    return 0;
}

static void view_along(const abut_convex_pair *pair, abut_vec3 n, view *v)
{
    const abut_vec3 e = times(pair->a->h, n), f = times(pair->b->h, abut_mul_t(&pair->r, n));
    v->n = n;
    v->ha = length(e);
    v->hb = length(f);
    v->x = v->ha > 0 ? abut_scale(1 / v->ha, times(pair->a->h, e)) : abut_v3(0, 0, 0);
    v->y = v->hb > 0 ? abut_mul(&pair->r, abut_scale(1 / v->hb, times(pair->b->h, f))) : abut_v3(0, 0, 0);
    v->w = abut_sub(abut_sub(pair->t, v->x), v->y);
    v->s = abut_dot(n, v->w);
}

/* ---- distance ---- */

/* The second derivative of |D n|, times -1 plus `more` on the diagonal; square is D^2 in a's
 * frame. */
static void add_bend(sym3 *m, const sym3 *square, abut_vec3 x, double h)
{
    const double i = 1 / h;
    m->xx += i * (square->xx - x.x * x.x);
    m->yy += i * (square->yy - x.y * x.y);
    m->zz += i * (square->zz - x.z * x.z);
    m->xy += i * (square->xy - x.x * x.y);
    m->xz += i * (square->xz - x.x * x.z);
    m->yz += i * (square->yz - x.y * x.z);
}

/* From n towards the largest s. */
static abut_vec3 newton_step(const sym3 *a, const sym3 *b, const view *v, double far)
{
    sym3 m = { far, far, far, 0, 0, 0 };
    if (v->ha > 0)
        add_bend(&m, a, v->x, v->ha);
    if (v->hb > 0)
        add_bend(&m, b, v->y, v->hb);
    const sym3 adj = adjugate(&m);
    const abut_vec3 side = abut_madd(v->w, -v->s, v->n);
    return abut_scale(1 / determinant(&m, &adj), apply(&adj, side));
}

static abut_vec3 normalised_sum(abut_vec3 n, abut_vec3 d)
{
    const abut_vec3 sum = abut_add(n, d);
    return abut_scale(1 / length(sum), sum);
}

/* Climbs to the largest s, until it is known to rounding or proved > stop_above, or |w| <
 * stop_below. v: where to begin, v->s > 0. */
static void climb(const abut_convex_pair *pair, const sym3 *a, const sym3 *b, double stop_above,
                  double stop_below, view *v, abut_convex_answer *out)
{
    for (int step = 0; step < MOST_STEPS && out->supports < MOST_SUPPORTS; ++step) {
        const double far = length(v->w);
        ++out->iterations;
        if (far - v->s <= 0.25 * pair->error || v->s > stop_above || far < stop_below)
            return;
        abut_vec3 d = newton_step(a, b, v, far);
        const double best = v->s;
        view next;
        for (int halving = 0;; ++halving) {
            view_along(pair, normalised_sum(v->n, d), &next);
            ++out->supports;
            if (next.s > best)
                break;
            /* At the top rounding decides: the last step may still straighten the witnesses. */
            if (halving == 0 && next.s > best - 0.25 * pair->error && length(next.w) < far)
                break;
            if (halving == MOST_HALVINGS || !(abut_dot(d, d) > 0x1p-106))
                return;
            d = abut_scale(0.25, d);
        }
        *v = next;
    }
}

/* s is known to rounding when the witnesses are still off by the root of that, across n: one
 * more step, which only they show. */
static void straighten(const abut_convex_pair *pair, const sym3 *a, const sym3 *b, view *v,
                       abut_convex_answer *out)
{
    const double far = length(v->w), across = length(abut_madd(v->w, -v->s, v->n));
    view next;
    if (across <= 0x1p-40 * (v->ha + v->hb))
        return;
    view_along(pair, normalised_sum(v->n, newton_step(a, b, v, far)), &next);
    ++out->supports;
    if (length(abut_madd(next.w, -next.s, next.n)) < across && next.s >= v->s - 0.25 * pair->error)
        *v = next;
}

static void answer_from(const abut_convex_pair *pair, const view *v, abut_convex_answer *out)
{
    out->lo = v->s - pair->error;
    const double hi = length(v->w) * (1 + 0x1p-50) + pair->error;
    out->hi = hi < out->hi ? hi : out->hi;
    out->normal = v->n;
    out->x = v->x;
    out->y = abut_sub(pair->t, v->y);
}

/* The normal, at the point, of the ellipsoid's likeness through it: s > 0 there exactly when the
 * point is outside. */
static abut_vec3 towards_point(const abut_convex_pair *pair)
{
    const bool first = pair->b->kind == ABUT_CORE_POINT;
    const double *h = first ? pair->a->h : pair->b->h;
    const abut_vec3 t = first ? pair->t : abut_mul_t(&pair->r, pair->t);
    const abut_vec3 n = abut_v3(t.x / h[0] / h[0], t.y / h[1] / h[1], t.z / h[2] / h[2]);
    const abut_vec3 unit = abut_unit_or(n, abut_v3(1, 0, 0));
    return first ? unit : abut_mul(&pair->r, unit);
}

/* A direction with s > 0, or the reason why there is none: -1 overlap proved, 0 not known. */
static int begin(const abut_convex_pair *pair, const sym3 *b, view *v, abut_convex_answer *out)
{
    const double d = length(pair->t);
    if (!(d > 0)) {
        *v = (view){ .n = { 1, 0, 0 } };
        out->normal = v->n;
        return common_point(pair, 0, 0, pair->t, 0, out) ? -1 : 0;
    }
    if (pair->a->kind == ABUT_CORE_POINT || pair->b->kind == ABUT_CORE_POINT) {
        view_along(pair, towards_point(pair), v);
        ++out->supports;
        return v->s > pair->error;
    }
    view_along(pair, abut_scale(1 / d, pair->t), v);
    ++out->supports;
    if (v->s > 0)
        return 1;
    abut_vec3 n = v->n;
    const int side = compare_mixing(pair, b, v->ha, v->hb, &n, out);
    out->supports += out->iterations;
    out->normal = n;
    if (side > 0)
        view_along(pair, n, v);
    return side;
}

/* From the direction of the last time: whether it parts them still. */
static bool begin_along(const abut_convex_pair *pair, abut_vec3 n, view *v, abut_convex_answer *out)
{
    view_along(pair, abut_unit_or(n, abut_v3(1, 0, 0)), v);
    ++out->supports;
    return v->s > 0;
}

static void solve(const abut_convex_pair *pair, const abut_vec3 *axis, double stop_above, double stop_below,
                  abut_convex_answer *out)
{
    const double *h = pair->a->h;
    const sym3 a = { h[0] * h[0], h[1] * h[1], h[2] * h[2], 0, 0, 0 };
    const sym3 b = squared(&pair->r, pair->b->h);
    view v;
    *out = (abut_convex_answer){ .lo = -INFINITY, .hi = INFINITY };
    const int side = axis && begin_along(pair, *axis, &v, out) ? 1 : begin(pair, &b, &v, out);
    if (axis && side < 0)
        out->normal = *axis; /* where the depth was last */
    if (side > 0) {
        climb(pair, &a, &b, stop_above, stop_below, &v, out);
        if (stop_above == INFINITY)
            straighten(pair, &a, &b, &v, out);
        answer_from(pair, &v, out);
    }
}

bool abut_ellipsoid_distance(const abut_convex_pair *pair, const abut_vec3 *axis, abut_convex_answer *out)
{
    solve(pair, axis, INFINITY, 0, out);
    /* Needles nearly have edges, and those are climbed better with cuts. */
    if (out->lo > 0 && out->hi - out->lo > 4 * pair->error)
        (void)abut_convex_refine(pair, ABUT_SHARE_ELLIPSOID - 6, out);
    return out->lo > 0 && out->hi - out->lo <= 4 * pair->error + 0x1p-45 * out->hi;
}

int abut_ellipsoid_compare(const abut_convex_pair *pair, double limit, abut_convex_answer *out)
{
    if (limit > 0) {
        solve(pair, NULL, limit + 1.01 * pair->error, limit - 1.01 * pair->error, out);
        const double slack = 0x1p-50 * limit; /* it is a rounded sum */
        return out->lo > limit + slack ? 1 : out->hi < limit - slack ? -1 : 0;
    }
    *out = (abut_convex_answer){ .lo = -INFINITY, .hi = INFINITY, .supports = 1 };
    const double d = length(pair->t);
    if (!(d > 0)) {
        out->normal = abut_v3(1, 0, 0);
        return common_point(pair, 0, 0, pair->t, 0, out) ? -1 : 0;
    }
    abut_vec3 n = abut_scale(1 / d, pair->t);
    const double ha = length(times(pair->a->h, n)), hb = length(times(pair->b->h, abut_mul_t(&pair->r, n)));
    if (d - ha - hb > 1.01 * pair->error)
        return decide_apart(n, d - ha - hb, pair, out);
    const sym3 b = squared(&pair->r, pair->b->h);
    const int side = compare_mixing(pair, &b, ha, hb, &n, out);
    out->supports += out->iterations;
    out->normal = n;
    return side;
}
