/* SPDX-License-Identifier: MIT */
/* Regions around nearest points that are done with at once, however close the bodies are: a
 * second-order argument in place of boxes that crowd around them.
 *
 * Let q0 be the unknowns of two points that Newton's method led to, and B a box around q0. For
 * fixed orthonormal n, t1, t2 and any k, l, on the features (fields f = 0), with d from one to the
 * other,
 *     Q = d . n + k ((d . t1)^2 + (d . t2)^2) - sum l f + k' sum f^2
 * bounds |d| from below. With n normal to the faces at q0 and multipliers l the gradient of Q
 * vanishes at q0, up to rounding; there Q is the distance. If the Hessian of Q is positive definite
 * over B, Q is not less than its tangent at q0, and the distance at q0 is the least in B. On what
 * the constraints d . t = 0, f = 0 leave free, the Hessian is the curvature of the faces against
 * each other; k makes it definite where only that is, as for saddles. (k = 0 is tried first, which
 * is best for convex bodies.)
 *
 * Definite: with M from the Cholesky factor in the middle, M H M' is nearly the identity, and
 * dominated by its diagonal. */
#include "narrow/surface/surface_search.h"

enum { UNKNOWNS = ABUT_GAP_UNKNOWNS, SIZES = 12, FACTORS = 3, ATTEMPTS = 24 };

typedef abut_gap_quadric quadric;

/* What is fixed: directions, multipliers and weights. */
typedef struct frame {
    abut_vec3 n, t[2];
    double multiplier[2][3], k, field_weight[2][3];
} frame;

/* ---- Q ---- */

/* w . (d of p's second derivative by unknowns i and j) of one body; 0 for implicit ones, whose
 * points are their unknowns. */
static ia bend(const abut_chart *c, bool parametric, int i, int j, ia3 w)
{
    return parametric ? ia3_dot(c->dt[i][j], w) : ia_point(0);
}

static ia3 fixed(abut_vec3 v)
{
    return ia3_point(v);
}

/* sum += weight d . w, or weight (d . w)^2. */
static void add_offset(const abut_gap_features *v, const abut_chart c[2], abut_vec3 direction, double weight,
                       bool squared, quadric *sum)
{
    const ia3 w = fixed(direction);
    const ia f = ia3_dot(ia3_sub(c[1].p, c[0].p), w);
    ia g[UNKNOWNS];
    for (int b = 0, k = 0; b < 2; ++b)
        for (int i = 0; i < v->unknowns[b]; ++i, ++k) {
            const ia slope = ia3_dot(c[b].dp[i], w);
            g[k] = b ? slope : ia_neg(slope);
        }
    const ia outer = squared ? ia_scale(2 * weight, f) : ia_point(weight);
    sum->value = ia_add(sum->value, ia_scale(weight, squared ? ia_sqr(f) : f));
    for (int i = 0; i < v->total; ++i) {
        sum->g[i] = ia_add(sum->g[i], ia_mul(outer, g[i]));
        for (int j = 0; squared && j < v->total; ++j)
            sum->h[i][j] =
                ia_add(sum->h[i][j], ia_scale(2 * weight, i == j ? ia_sqr(g[i]) : ia_mul(g[i], g[j])));
    }
    for (int b = 0; b < 2; ++b) {
        const int first = b ? v->unknowns[0] : 0;
        for (int i = 0; i < v->unknowns[b]; ++i)
            for (int j = 0; j < v->unknowns[b]; ++j) {
                const ia h = bend(&c[b], v->feature[b]->parametric, i, j, w);
                sum->h[first + i][first + j] =
                    ia_add(sum->h[first + i][first + j], ia_mul(outer, b ? h : ia_neg(h)));
            }
    }
}

bool abut_gap_add_fields(const abut_gap_features *v, int b, const ia *q, const double *multiplier,
                         const double *weights, abut_gap_quadric *sum)
{
    static const int at[3][3] = { { 0, 1, 2 }, { 1, 3, 4 }, { 2, 4, 5 } };
    const int first = b ? v->unknowns[0] : 0;
    const ia3 x = { q[first], q[first + 1], q[first + 2] };
    for (int m = 0; m < v->feature[b]->field_count; ++m) {
        abut_field_jet f;
        if (!abut_feature_field(&v->body[b]->surface, v->feature[b], m, x, ia_point(v->body[b]->t), 2,
                                v->body[b]->scratch, &f))
            return false;
        const double weight = weights[m], l = multiplier[m];
        const ia outer = ia_sub(ia_scale(2 * weight, f.f), ia_point(l));
        sum->value = ia_add(sum->value, ia_sub(ia_scale(weight, ia_sqr(f.f)), ia_scale(l, f.f)));
        for (int i = 0; i < 3; ++i) {
            sum->g[first + i] = ia_add(sum->g[first + i], ia_mul(outer, ia3_part(f.g, i)));
            for (int j = 0; j < 3; ++j)
                sum->h[first + i][first + j] =
                    ia_add(sum->h[first + i][first + j],
                           ia_add(ia_mul(outer, f.h[at[i][j]]),
                                  ia_scale(2 * weight, i == j ? ia_sqr(ia3_part(f.g, i))
                                                              : ia_mul(ia3_part(f.g, i), ia3_part(f.g, j)))));
        }
    }
    return true;
}

void abut_gap_quadric_clear(abut_gap_quadric *out)
{
    const ia zero = ia_point(0);
    out->value = zero;
    for (int i = 0; i < UNKNOWNS; ++i) {
        out->g[i] = zero;
        for (int j = 0; j < UNKNOWNS; ++j)
            out->h[i][j] = zero;
    }
}

static bool quadric_of(const abut_gap_features *v, const abut_chart c[2], const ia *q, const frame *w,
                       quadric *out)
{
    abut_gap_quadric_clear(out);
    add_offset(v, c, w->n, 1, false, out);
    for (int i = 0; w->k > 0 && i < 2; ++i)
        add_offset(v, c, w->t[i], w->k, true, out);
    for (int b = 0; b < 2; ++b) {
        double weights[3];
        for (int m = 0; m < 3; ++m)
            weights[m] = w->k * w->field_weight[b][m];
        if (!v->feature[b]->parametric && !abut_gap_add_fields(v, b, q, w->multiplier[b], weights, out))
            return false;
    }
    return true;
}

/* ---- what is fixed ---- */

static double length_of(abut_vec3 a)
{
    return sqrt(a.x * a.x + a.y * a.y + a.z * a.z);
}

static abut_vec3 cross(abut_vec3 a, abut_vec3 b)
{
    return (abut_vec3){ a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x };
}

static bool unit(abut_vec3 *a)
{
    const double l = length_of(*a);
    if (!(l > 0) || !(l < HUGE_VAL))
        return false;
    *a = (abut_vec3){ a->x / l, a->y / l, a->z / l };
    return true;
}

/* n from one body to the other: the normal of a face, signed so that the other is in front. */
static bool choose_frame(const abut_gap_features *v, const abut_chart c[2], frame *w)
{
    const abut_vec3 d = ia3_mid(ia3_sub(c[1].p, c[0].p));
    w->n = c[0].face ? ia3_mid(c[0].n) : c[1].face ? ia3_mid(ia3_neg(c[1].n)) : d;
    const bool outward = c[0].face ? v->body[0]->surface.solid : c[1].face && v->body[1]->surface.solid;
    if (!unit(&w->n))
        return false;
    if (!outward && w->n.x * d.x + w->n.y * d.y + w->n.z * d.z < 0)
        w->n = (abut_vec3){ -w->n.x, -w->n.y, -w->n.z };
    const abut_vec3 a = w->n;
    const abut_vec3 other = fabs(a.x) <= fabs(a.y) && fabs(a.x) <= fabs(a.z) ? (abut_vec3){ 1, 0, 0 }
                            : fabs(a.y) <= fabs(a.z)                         ? (abut_vec3){ 0, 1, 0 }
                                                                             : (abut_vec3){ 0, 0, 1 };
    w->t[0] = cross(a, other);
    if (!unit(&w->t[0]))
        return false;
    w->t[1] = cross(a, w->t[0]);
    return true;
}

void abut_gap_multipliers(const abut_chart *c, const double slope[3], double multiplier[3], double weight[3])
{
    double rest[3] = { slope[0], slope[1], slope[2] };
    for (int m = 0; m < 3; ++m)
        multiplier[m] = weight[m] = 0;
    for (int round = 0; round < 40; ++round)
        for (int m = 0; m < c->own; ++m) {
            const double g[3] = { ia_mid(c->df[m].x), ia_mid(c->df[m].y), ia_mid(c->df[m].z) };
            const double square = g[0] * g[0] + g[1] * g[1] + g[2] * g[2];
            const double l = square > 0 ? (rest[0] * g[0] + rest[1] * g[1] + rest[2] * g[2]) / square : 0;
            multiplier[m] += l;
            weight[m] = square > 0 ? 1 / square : 0;
            for (int i = 0; i < 3; ++i)
                rest[i] -= l * g[i];
        }
}

/* Multipliers: what of +-n, in the body's frame, the gradients leave; one after the other is
 * enough for faces, and for edges a few rounds. */
static void choose_multipliers(const abut_gap_features *v, const abut_chart c[2], frame *w)
{
    for (int b = 0; b < 2; ++b) {
        double slope[3];
        if (v->feature[b]->parametric)
            continue;
        for (int i = 0; i < 3; ++i)
            slope[i] = (b ? 1 : -1) * ia_mid(ia3_dot(c[b].dp[i], fixed(w->n)));
        abut_gap_multipliers(&c[b], slope, w->multiplier[b], w->field_weight[b]);
    }
}

/* ---- definite ---- */

/* The inverse of the Cholesky factor, as rows; false where the middle is not definite. */
static bool factor(int n, const quadric *q, double m[UNKNOWNS][UNKNOWNS])
{
    double l[UNKNOWNS][UNKNOWNS] = { { 0 } };
    for (int i = 0; i < n; ++i)
        for (int j = 0; j <= i; ++j) {
            double sum = ia_mid(q->h[i][j]);
            for (int k = 0; k < j; ++k)
                sum -= l[i][k] * l[j][k];
            if (i == j && !(sum > 0))
                return false;
            l[i][j] = i == j ? sqrt(sum) : sum / l[j][j];
        }
    for (int i = 0; i < n; ++i)
        for (int j = 0; j < n; ++j) {
            double sum = i == j ? 1 : 0;
            for (int k = j; k < i; ++k)
                sum -= l[i][k] * m[k][j];
            m[i][j] = j > i ? 0 : sum / l[i][i];
        }
    return true;
}

static bool is_definite(int n, const quadric *q)
{
    double m[UNKNOWNS][UNKNOWNS];
    ia half[UNKNOWNS][UNKNOWNS];
    if (!factor(n, q, m))
        return false;
    for (int i = 0; i < n; ++i)
        for (int j = 0; j < n; ++j) {
            half[i][j] = ia_point(0);
            for (int k = 0; k <= i; ++k)
                half[i][j] = ia_add(half[i][j], ia_scale(m[i][k], q->h[k][j]));
        }
    for (int i = 0; i < n; ++i) {
        ia margin = ia_point(0);
        for (int j = 0; j < n; ++j) {
            ia entry = ia_point(0);
            for (int k = 0; k <= j; ++k)
                entry = ia_add(entry, ia_scale(m[j][k], half[i][k]));
            margin = i == j ? ia_add(margin, entry) : ia_sub(margin, ia_point(ia_mag(entry)));
        }
        if (!(ia_lo(margin) > 0))
            return false;
    }
    return true;
}

/* ---- regions ---- */

/* A lower bound of |d| over the box; 0 where none is found. With m the least value of Q and s = (d
 * . t1)^2 + (d . t2)^2,
 *     |d|^2 >= max(m - k s, 0)^2 + s, which is least at s = 0 for 2 k m <= 1: |d| >= m; for 2 k m >
 *       1 at m - k s = 1 / (2 k): |d|^2 >= m / k - 1 / (4 k^2). */
static double least_distance(const abut_gap_features *v, const abut_chart over[2], const ia *box,
                             const abut_chart at[2], const double *q0, frame *w, double curvature)
{
    static const double factors[FACTORS] = { 0, 2, 16 };
    ia p[UNKNOWNS];
    quadric whole, point;
    abut_gap_points(q0, v->total, p);
    for (int i = 0; i < FACTORS; ++i) {
        w->k = factors[i] * curvature;
        if (!quadric_of(v, over, box, w, &whole) || !is_definite(v->total, &whole) ||
            !quadric_of(v, at, p, w, &point))
            continue;
        ia least = point.value;
        for (int j = 0; j < v->total; ++j)
            least = ia_add(least, ia_mul(point.g[j], ia_sub(box[j], p[j])));
        const double m = ia_lo(least);
        if (!(m > 0))
            continue;
        const ia k = ia_point(w->k),
                 square = ia_sub(ia_div(ia_point(m), k), ia_div(ia_point(0.25), ia_sqr(k)));
        return w->k == 0 || ia_hi(ia_mul(k, ia_point(m))) <= 0.5 ? m * (1 - 0x1p-50) : ia_lo(ia_sqrt(square));
    }
    return 0;
}

/* How much the features bend, in space. */
static double curvature_of(const abut_gap_features *v, const abut_chart c[2], const double *reach,
                           const frame *w)
{
    quadric q;
    frame plain = *w;
    ia none[UNKNOWNS];
    double most = 0;
    plain.k = 0;
    for (int i = 0; i < UNKNOWNS; ++i)
        none[i] = ia_point(0);
    for (int b = 0; b < 2; ++b)
        if (!v->feature[b]->parametric)
            return -1; /* the caller's guess */
    if (!quadric_of(v, c, none, &plain, &q))
        return -1;
    for (int i = 0; i < v->total; ++i)
        for (int j = 0; j < v->total; ++j)
            most = fmax(most, fabs(ia_mid(q.h[i][j])) / (reach[i] * reach[j]));
    return most;
}

static bool is_known(const abut_gap_search *s, const abut_gap_features *v, const double *q0)
{
    for (int i = 0; i < s->region_count; ++i) {
        const abut_gap_region *r = &s->regions[i];
        bool within = r->feature[0] == v->feature[0] && r->feature[1] == v->feature[1];
        for (int k = 0; within && k < v->total; ++k)
            within = r->q[k].lo <= q0[k] && q0[k] <= r->q[k].hi;
        if (within)
            return true;
    }
    return false;
}

void abut_gap_prove_region(abut_gap_search *s, const abut_gap_features *v, const double *q0)
{
    abut_chart at[2], over[2];
    ia p[UNKNOWNS], box[UNKNOWNS];
    double reach[UNKNOWNS];
    int axis[2] = { -1, -1 };
    frame w = { .k = 0 };
    if (v->total == 0 || s->region_count == ABUT_GAP_REGIONS || s->attempts >= ATTEMPTS || is_known(s, v, q0))
        return;
    ++s->attempts;
    abut_gap_points(q0, v->total, p);
    abut_gap_enclose(s, v, p, 2, axis, at);
    if (!at[0].defined || !at[1].defined || !choose_frame(v, at, &w))
        return;
    choose_multipliers(v, at, &w);
    for (int b = 0, k = 0; b < 2; ++b)
        for (int i = 0; i < v->unknowns[b]; ++i, ++k) {
            reach[k] = length_of(ia3_mid(at[b].dp[i]));
            if (!(reach[k] > 0x1p-20 * s->size) || !(reach[k] < HUGE_VAL))
                return;
        }
    /* What is lost here is lost for good: no more than rounding. */
    const double enough = s->out->gap.hi - fmax(0x1p-40 * s->out->gap.hi, 0x1p-45 * s->size);
    const double bent = curvature_of(v, at, reach, &w), curvature = bent >= 0 ? bent : 1 / s->size;
    double size = 0.5 * s->size;
    for (int step = 0; step < SIZES; ++step, size *= 0.5) {
        abut_gap_region r = { .feature = { v->feature[0], v->feature[1] } };
        bool ends = false;
        for (int k = 0; k < v->total; ++k) {
            const int b = k >= v->unknowns[0];
            const double half = size / reach[k];
            box[k] = ia_make(q0[k] - half, q0[k] + half);
            if (v->feature[b]->parametric && !abut_gap_goes_on(v, b))
                box[k] = ia_intersect(box[k], ia_from(v->feature[b]->range[k - (b ? v->unknowns[0] : 0)]));
            ends = ends || ia_is_empty(box[k]) || !ia_contains(box[k], q0[k]);
            r.q[k] = ia_to(box[k]);
        }
        if (ends)
            return;
        abut_gap_enclose(s, v, box, 2, axis, over);
        if (!over[0].defined || !over[1].defined)
            continue;
        const double lower = least_distance(v, over, box, at, q0, &w, curvature);
        if (!(lower >= enough))
            continue;
        s->regions[s->region_count++] = r;
        s->floor = fmin(s->floor, lower);
        return;
    }
}

/* Roundings of a shift must not matter. */
static bool is_within(const abut_interval *a, abut_interval b, double shift)
{
    const double margin = shift != 0 ? 0x1p-30 * (b.hi - b.lo) : 0;
    return a->lo + shift >= b.lo + margin && a->hi + shift <= b.hi - margin;
}

bool abut_gap_is_done(const abut_gap_search *s, const abut_gap_features *v, const abut_interval *q)
{
    for (int i = 0; i < s->region_count; ++i) {
        const abut_gap_region *r = &s->regions[i];
        bool within = r->feature[0] == v->feature[0] && r->feature[1] == v->feature[1];
        for (int k = 0; within && k < v->total; ++k) {
            const int b = k >= v->unknowns[0], own = k - (b ? v->unknowns[0] : 0);
            within = is_within(&q[k], r->q[k], 0);
            if (!within && v->feature[b]->parametric && v->feature[b]->wraps[own] && abut_gap_goes_on(v, b)) {
                const double period = 6.283185307179586;
                within = is_within(&q[k], r->q[k], period) || is_within(&q[k], r->q[k], -period);
            }
        }
        if (within)
            return true;
    }
    return false;
}
