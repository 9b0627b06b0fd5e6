/* SPDX-License-Identifier: MIT */
/* A bound of the distance over a box of unknowns that does not ask for isolated nearest points:
 * along a curve or a region of them, as between a bolt and its hole, the bounds of surface_bounds.c
 * are off by the square of the size of the box, and all of the curve would have to be covered by
 * boxes.
 *
 * On the features (fields f = 0), for any multipliers l and weights k,
 *     Q = |d|^2 - sum l f + sum k f^2
 * is the squared distance. At a nearest point q0 the multipliers make its gradient vanish, and the
 * Hessian has no negative direction; along the curve of nearest points it is zero. So with H
 * enclosed over a box around q0 and y = q - q0,
 *     Q >= Q(q0) + g . y + y' H y / 2,
 * where the directions of H that may be negative cost as much as they may be, times the squared
 * size of the box: the cube of its size in general, and nothing but rounding where H is constant,
 * as for quadric fields, planes and bilinear patches, however large the box is. (A convex
 * underestimator as in Adjiman, Dallwig, Floudas, Neumaier 1998, of the Lagrangian in place of the
 * objective; for two quadrics it is the S-lemma.)
 *
 * With V the eigenvectors of the middle of H, S = V' H V is nearly diagonal, and for z with y = V
 * z, by 2 |z_i z_j| <= t z_i^2 + z_j^2 / t,
 *     z' S z >= sum m_i z_i^2,    m_i = S_ii - sum_j |S_ij| t_ij,    t_ji = 1 / t_ij;
 * t is such that directions that rise steeply take what others would lose.
 *
 * All unknowns are in units of length, by how far the features reach along them. */
#include "narrow/surface/surface_search.h"

enum { UNKNOWNS = ABUT_GAP_UNKNOWNS, STEPS = 8, SWEEPS = 8, WEIGHTS = 3, PARTS = 4 };

/* What a bound costs, in boxes of the search. */
enum { COST = 4 };

/* ---- the nearest points that a box belongs to; in doubles, which only steer ---- */

/* x = (m' m + small)^-1 m' b: the shortest step also where nearest points are a curve, and m is
 * singular. */
static bool short_step(int n, double m[UNKNOWNS][UNKNOWNS], const double *b, double *x)
{
    double a[UNKNOWNS][UNKNOWNS], l[UNKNOWNS][UNKNOWNS], trace = 0;
    for (int i = 0; i < n; ++i) {
        x[i] = 0;
        for (int k = 0; k < n; ++k)
            x[i] += m[k][i] * b[k];
        for (int j = 0; j < n; ++j) {
            a[i][j] = 0;
            for (int k = 0; k < n; ++k)
                a[i][j] += m[k][i] * m[k][j];
        }
        trace += a[i][i];
    }
    for (int i = 0; i < n; ++i) {
        for (int j = 0; j <= i; ++j) {
            double sum = a[i][j] + (i == j ? 0x1p-40 * trace : 0);
            for (int k = 0; k < j; ++k)
                sum -= l[i][k] * l[j][k];
            if (i == j && !(sum > 0))
                return false;
            l[i][j] = i == j ? sqrt(sum) : sum / l[j][j];
        }
        for (int k = 0; k < i; ++k)
            x[i] -= l[i][k] * x[k];
        x[i] /= l[i][i];
    }
    for (int i = n - 1; i >= 0; --i) {
        for (int k = i + 1; k < n; ++k)
            x[i] -= l[k][i] * x[k];
        x[i] /= l[i][i];
    }
    return true;
}

static void keep_within(const abut_gap_features *v, double *q)
{
    for (int i = 0; i < v->total; ++i) {
        const int b = i >= v->unknowns[0];
        const abut_interval r = v->feature[b]->range[(i - (b ? v->unknowns[0] : 0)) & 1];
        if (v->feature[b]->parametric && !abut_gap_goes_on(v, b))
            q[i] = q[i] < r.lo ? r.lo : q[i] > r.hi ? r.hi : q[i];
    }
}

static double length_of(ia3 a)
{
    const abut_vec3 v = ia3_mid(a);
    return sqrt(v.x * v.x + v.y * v.y + v.z * v.z);
}

/* How steep the equations of nearest points are in general, in their order (surface_bounds.c). */
static void usual_slopes(const abut_chart *a, const abut_chart *b, double size, double *out)
{
    const abut_chart *const p = a->face || !b->face ? a : b, *const q = p == a ? b : a;
    int n = 0;
    for (int i = 0; i < a->own; ++i)
        out[n++] = length_of(a->df[i]);
    for (int i = 0; i < b->own; ++i)
        out[n++] = length_of(b->df[i]);
    if (p->face) {
        for (int k = 0; k < q->tangents; ++k)
            out[n++] = length_of(p->n) * length_of(q->t[k]) / size;
        for (int k = 0; k < 2; ++k)
            out[n++] = length_of(p->t[k]);
        return;
    }
    for (int k = 0; k < a->tangents; ++k)
        out[n++] = length_of(a->t[k]);
    for (int k = 0; k < b->tangents; ++k)
        out[n++] = length_of(b->t[k]);
}

/* From q to nearest points close by. */
static bool approach(abut_gap_search *s, const abut_gap_features *v, double *q)
{
    int axis[2] = { -1, -1 };
    double last = HUGE_VAL;
    for (int step = 0; step < STEPS; ++step) {
        abut_chart c[2];
        ia p[UNKNOWNS], f[UNKNOWNS], jacobian[UNKNOWNS][UNKNOWNS];
        double m[UNKNOWNS][UNKNOWNS], b[UNKNOWNS], x[UNKNOWNS], reach[UNKNOWNS], change = 0;
        abut_gap_points(q, v->total, p);
        abut_gap_enclose(s, v, p, 2, axis, c);
        if (!c[0].defined || !c[1].defined)
            return false;
        const int n = abut_surface_gap_equations(&c[0], &c[1], f, jacobian);
        for (int j = 0; j < n; ++j) {
            const int body = j >= v->unknowns[0];
            const abut_vec3 along = ia3_mid(c[body].dp[j - (body ? v->unknowns[0] : 0)]);
            reach[j] = sqrt(along.x * along.x + along.y * along.y + along.z * along.z);
            if (!(reach[j] > 0))
                return false;
        }
        /* Equations are of any length: each is scaled to one, but for those that vanish along
         * with their slope, where all points of a curve are nearest. */
        double usual[UNKNOWNS];
        usual_slopes(&c[0], &c[1], s->size, usual);
        for (int i = 0; i < n; ++i) {
            double square = 0;
            for (int j = 0; j < n; ++j) {
                m[i][j] = ia_mid(jacobian[i][j]) / reach[j];
                square += m[i][j] * m[i][j];
            }
            const double length = fmax(sqrt(square), 0x1p-10 * usual[i]), unit = length > 0 ? 1 / length : 0;
            b[i] = unit * ia_mid(f[i]);
            for (int j = 0; j < n; ++j)
                m[i][j] *= unit;
        }
        if (!short_step(n, m, b, x))
            return false;
        for (int i = 0; i < n; ++i) {
            if (!(fabs(x[i]) < s->size))
                return false;
            q[i] -= x[i] / reach[i];
            change = fmax(change, fabs(x[i]));
        }
        keep_within(v, q);
        if (change < 0x1p-50 * s->size || (change < 0x1p-30 * s->size && change > 0.5 * last))
            break;
        last = change;
    }
    return true;
}

/* The nearest points known so far as unknowns of features that have only fields, and the middle
 * of the box for parameters; false where there are only such. */
static bool recall(const abut_gap_search *s, const abut_gap_features *v, const abut_interval *box, double *q)
{
    if (!s->out->has_points || (v->feature[0]->parametric && v->feature[1]->parametric))
        return false;
    for (int i = 0; i < v->total; ++i)
        q[i] = ia_mid(ia_from(box[i]));
    for (int b = 0; b < 2; ++b) {
        double *const own = q + (b ? v->unknowns[0] : 0);
        if (v->feature[b]->parametric)
            continue;
        const abut_vec3 x =
            ia3_mid(abut_placed_local(v->body[b], ia3_point(b ? s->out->point_b : s->out->point_a)));
        own[0] = x.x;
        own[1] = x.y;
        own[2] = x.z;
    }
    return true;
}

static bool is_close(const abut_gap_search *s, const abut_gap_features *v, const abut_interval *box,
                     const double *q)
{
    for (int i = 0; i < v->total; ++i) {
        const double width = box[i].hi - box[i].lo + 0x1p-40 * s->size;
        if (!(q[i] >= box[i].lo - width && q[i] <= box[i].hi + width))
            return false;
    }
    return true;
}

/* Nearest points in the box or close to it. The middle of a large box may be far from them, or
 * on an axis, where there is no way to go. */
static bool find_nearest(abut_gap_search *s, const abut_gap_features *v, const abut_interval *box, double *q)
{
    if (recall(s, v, box, q) && is_close(s, v, box, q) && approach(s, v, q) && is_close(s, v, box, q))
        return true;
    for (int i = 0; i < v->total; ++i)
        q[i] = ia_mid(ia_from(box[i]));
    return approach(s, v, q) && is_close(s, v, box, q);
}

/* ---- Q ---- */

typedef struct lagrangian {
    double multiplier[2][3], weight[2][3], unit[2][3];
} lagrangian;

static void choose_multipliers(const abut_gap_features *v, const abut_chart c[2], lagrangian *w)
{
    const ia3 d = ia3_sub(c[1].p, c[0].p);
    for (int b = 0; b < 2; ++b) {
        double slope[3];
        for (int i = 0; i < 3; ++i)
            w->multiplier[b][i] = w->weight[b][i] = w->unit[b][i] = 0;
        if (v->feature[b]->parametric)
            continue;
        for (int i = 0; i < 3; ++i)
            slope[i] = (b ? 2 : -2) * ia_mid(ia3_dot(c[b].dp[i], d));
        abut_gap_multipliers(&c[b], slope, w->multiplier[b], w->unit[b]);
    }
}

static bool expand(const abut_gap_features *v, const abut_chart c[2], const ia *q, const lagrangian *w,
                   abut_gap_quadric *out)
{
    const ia3 d = ia3_sub(c[1].p, c[0].p);
    ia3 slope[UNKNOWNS];
    abut_gap_quadric_clear(out);
    out->value = ia3_sqr_norm(d);
    for (int b = 0, k = 0; b < 2; ++b)
        for (int i = 0; i < v->unknowns[b]; ++i, ++k)
            slope[k] = b ? c[b].dp[i] : ia3_neg(c[b].dp[i]);
    for (int i = 0; i < v->total; ++i) {
        out->g[i] = ia_scale(2, ia3_dot(d, slope[i]));
        for (int j = 0; j <= i; ++j)
            out->h[i][j] = out->h[j][i] =
                ia_scale(2, i == j ? ia3_sqr_norm(slope[i]) : ia3_dot(slope[i], slope[j]));
    }
    for (int b = 0; b < 2; ++b) {
        const int first = b ? v->unknowns[0] : 0;
        for (int i = 0; v->feature[b]->parametric && i < v->unknowns[b]; ++i)
            for (int j = 0; j < v->unknowns[b]; ++j)
                out->h[first + i][first + j] =
                    ia_add(out->h[first + i][first + j], ia_scale(b ? 2 : -2, ia3_dot(d, c[b].dt[i][j])));
        if (!v->feature[b]->parametric && !abut_gap_add_fields(v, b, q, w->multiplier[b], w->weight[b], out))
            return false;
    }
    return true;
}

/* ---- the bound ---- */

/* Eigenvectors of a symmetric matrix as columns of v, by Jacobi's rotations. */
static void eigenvectors(int n, double a[UNKNOWNS][UNKNOWNS], double v[UNKNOWNS][UNKNOWNS])
{
    for (int i = 0; i < n; ++i)
        for (int j = 0; j < n; ++j)
            v[i][j] = i == j;
    for (int sweep = 0; sweep < SWEEPS; ++sweep) {
        double rest = 0, whole = 0;
        for (int i = 0; i < n; ++i)
            for (int j = 0; j <= i; ++j)
                *(i == j ? &whole : &rest) += a[i][j] * a[i][j];
        if (!(rest > 0x1p-90 * whole))
            return;
        for (int p = 0; p < n; ++p)
            for (int q = p + 1; q < n; ++q) {
                if (a[p][q] == 0)
                    continue;
                const double theta = (a[q][q] - a[p][p]) / (2 * a[p][q]);
                const double t = (theta < 0 ? -1 : 1) / (fabs(theta) + sqrt(theta * theta + 1));
                const double c = 1 / sqrt(t * t + 1), s = t * c;
                for (int k = 0; k < n; ++k) {
                    const double x = a[k][p], y = a[k][q];
                    a[k][p] = c * x - s * y;
                    a[k][q] = s * x + c * y;
                }
                for (int k = 0; k < n; ++k) {
                    const double x = a[p][k], y = a[q][k];
                    a[p][k] = c * x - s * y;
                    a[q][k] = s * x + c * y;
                }
                for (int k = 0; k < n; ++k) {
                    const double x = v[k][p], y = v[k][q];
                    v[k][p] = c * x - s * y;
                    v[k][q] = s * x + c * y;
                }
            }
    }
}

/* How far V is from orthogonal: |V' V - 1| by rows. */
static double skewness(int n, double v[UNKNOWNS][UNKNOWNS])
{
    double most = 0;
    for (int i = 0; i < n; ++i) {
        ia row = ia_point(0);
        for (int j = 0; j < n; ++j) {
            ia sum = ia_point(i == j ? -1 : 0);
            for (int k = 0; k < n; ++k)
                sum = ia_add(sum, ia_scale(v[k][i], ia_point(v[k][j])));
            row = ia_add(row, ia_point(ia_mag(sum)));
        }
        most = fmax(most, ia_hi(row));
    }
    return most;
}

/* What the eigenvectors make of the box. */
typedef struct turned {
    double v[UNKNOWNS][UNKNOWNS];
    double half[UNKNOWNS]; /* |z| is no more */
    ia slope[UNKNOWNS];    /* g in z */
    double curve[UNKNOWNS];
} turned;

static bool turn(int n, const abut_gap_quadric *over, const abut_gap_quadric *at, const ia *y,
                 const double *reach, turned *t)
{
    ia h[UNKNOWNS][UNKNOWNS], part[UNKNOWNS][UNKNOWNS], s[UNKNOWNS][UNKNOWNS];
    double a[UNKNOWNS][UNKNOWNS], widest = 0;
    for (int i = 0; i < n; ++i)
        for (int j = 0; j < n; ++j) {
            h[i][j] = ia_div(over->h[i][j], ia_mul(ia_point(reach[i]), ia_point(reach[j])));
            if (!ia_is_finite(h[i][j]))
                return false;
            a[i][j] = ia_mid(h[i][j]);
        }
    eigenvectors(n, a, t->v);
    const double skew = skewness(n, t->v);
    if (!(skew < 0x1p-30))
        return false;
    for (int i = 0; i < n; ++i) {
        ia z = ia_point(0);
        t->slope[i] = ia_point(0);
        for (int k = 0; k < n; ++k) {
            z = ia_add(z, ia_scale(t->v[k][i], y[k]));
            t->slope[i] = ia_add(t->slope[i], ia_scale(t->v[k][i], ia_div(at->g[k], ia_point(reach[k]))));
        }
        t->half[i] = ia_mag(z);
        widest = fmax(widest, t->half[i]);
    }
    /* z = V^-1 y = (V' V)^-1 V' y, and |(V' V)^-1 - 1| <= skew / (1 - skew) < 2 skew. */
    for (int i = 0; i < n; ++i)
        t->half[i] = ia_hi(ia_add(ia_point(t->half[i]), ia_scale(2 * skew, ia_point(widest))));
    for (int i = 0; i < n; ++i)
        for (int j = 0; j < n; ++j) {
            part[i][j] = ia_point(0);
            for (int k = 0; k < n; ++k)
                part[i][j] = ia_add(part[i][j], ia_scale(t->v[k][j], h[i][k]));
        }
    ia m[UNKNOWNS];
    for (int i = 0; i < n; ++i)
        for (int j = 0; j <= i; ++j) {
            s[i][j] = ia_point(0);
            for (int k = 0; k < n; ++k)
                s[i][j] = ia_add(s[i][j], ia_scale(t->v[k][i], part[k][j]));
        }
    for (int i = 0; i < n; ++i)
        m[i] = ia_point(ia_lo(s[i][i]));
    for (int i = 0; i < n; ++i)
        for (int j = 0; j < i; ++j) {
            const double both = ia_mag(s[i][j]), rise_i = ia_lo(s[i][i]), rise_j = ia_lo(s[j][j]);
            const int steep = rise_i > rise_j ? i : j, other = i + j - steep;
            const double rise = fmax(rise_i, rise_j);
            if (!(both > 0))
                continue;
            const double factor = rise > 0 ? fmin(1, 2 * n * both / rise) : 1;
            m[other] = ia_sub(m[other], ia_mul(ia_point(both), ia_point(factor)));
            m[steep] = ia_sub(m[steep], ia_div(ia_point(both), ia_point(factor)));
        }
    for (int i = 0; i < n; ++i)
        t->curve[i] = ia_lo(m[i]);
    return true;
}

/* The least of slope z + curve z^2 / 2 for |z| <= half, as a loss. */
static ia loss_of(const turned *t, int i)
{
    const ia slope = ia_point(ia_mag(t->slope[i])), half = ia_point(t->half[i]);
    const ia straight = ia_mul(slope, half);
    if (!(t->curve[i] > 0))
        return ia_add(straight, ia_scale(0.5, ia_mul(ia_point(-t->curve[i]), ia_sqr(half))));
    const ia bowl = ia_div(ia_sqr(slope), ia_scale(2, ia_point(t->curve[i])));
    return ia_hi(bowl) < ia_hi(straight) ? bowl : straight;
}

/* A lower bound of Q over the box y about q0; `costs` say how much of the loss halving each
 * unknown may save. */
static double least(int n, const abut_gap_quadric *over, const abut_gap_quadric *at, const ia *y,
                    const double *reach, double *costs)
{
    turned t;
    if (!turn(n, over, at, y, reach, &t))
        return -HUGE_VAL;
    ia sum = at->value;
    for (int k = 0; k < n; ++k)
        costs[k] = 0;
    for (int i = 0; i < n; ++i) {
        const ia loss = loss_of(&t, i);
        sum = ia_sub(sum, loss);
        for (int k = 0; k < n; ++k) {
            const double share = t.v[k][i] * ia_width(y[k]);
            costs[k] += ia_hi(loss) * share * share / (4 * t.half[i] * t.half[i] + 0x1p-1000);
        }
    }
    return ia_lo(sum);
}

/* Which of the fields of the features vanish on those that the box is of; the others end them. */
typedef struct ends {
    bool vanishes[2][3];
} ends;

/* The bound by the features of `v`, for the points of the features that they are part of, or the
 * same. */
static double bound_by(abut_gap_search *s, const abut_gap_features *v, const abut_interval *box,
                       const ends *which, double enough, int *split)
{
    static const double weights[WEIGHTS] = { 0, 4, 64 };
    abut_chart at[2], over[2];
    abut_gap_quadric point, whole;
    lagrangian w;
    ia p[UNKNOWNS], q[UNKNOWNS], y[UNKNOWNS];
    double q0[UNKNOWNS], reach[UNKNOWNS], best = 0, costs[UNKNOWNS];
    int axis[2] = { -1, -1 };
    s->out->counters.iterations += COST;
    if (!find_nearest(s, v, box, q0))
        return 0;
    abut_gap_points(q0, v->total, p);
    for (int i = 0; i < v->total; ++i)
        q[i] = ia_hull(ia_from(box[i]), p[i]);
    abut_gap_enclose(s, v, p, 2, axis, at);
    abut_gap_enclose(s, v, q, 2, axis, over);
    if (!at[0].defined || !at[1].defined || !over[0].defined || !over[1].defined)
        return 0;
    for (int i = 0; i < v->total; ++i) {
        const int b = i >= v->unknowns[0];
        const abut_vec3 along = ia3_mid(at[b].dp[i - (b ? v->unknowns[0] : 0)]);
        reach[i] = sqrt(along.x * along.x + along.y * along.y + along.z * along.z);
        if (!(reach[i] > 0x1p-500) || !(reach[i] < HUGE_VAL))
            return 0;
        y[i] = ia_mul(ia_point(reach[i]), ia_sub(ia_from(box[i]), p[i]));
    }
    /* A distance that is attained, perhaps. */
    if (ia_lo(ia_sqrt(ia3_sqr_norm(ia3_sub(at[1].p, at[0].p)))) < s->out->gap.hi)
        abut_gap_try_points(s, v, q0);
    choose_multipliers(v, at, &w);
    /* Where a field is negative, too, its multiplier must not raise Q. */
    for (int b = 0; b < 2; ++b)
        for (int m = 0; m < 3; ++m)
            if (!which->vanishes[b][m] && w.multiplier[b][m] > 0)
                w.multiplier[b][m] = 0;
    const bool fields = !v->feature[0]->parametric || !v->feature[1]->parametric;
    for (int k = 0; k < (fields ? WEIGHTS : 1); ++k) {
        for (int b = 0; b < 2; ++b)
            for (int m = 0; m < 3; ++m)
                w.weight[b][m] = which->vanishes[b][m] ? weights[k] * w.unit[b][m] : 0;
        if (!expand(v, at, p, &w, &point) || !expand(v, over, q, &w, &whole))
            return best;
        const double square = least(v->total, &whole, &point, y, reach, costs);
        const double lower = square > 0 ? ia_lo(ia_sqrt(ia_point(square))) : 0;
        if (k == 0 || lower > best) {
            best = fmax(best, lower);
            *split = 0;
            for (int i = 1; i < v->total; ++i)
                if (costs[i] > costs[*split])
                    *split = i;
        }
        if (best >= enough || square == -HUGE_VAL)
            break;
    }
    return best;
}

/* The feature of body b itself, and those of its edges and vertices where it may end in the box.
 * Faces that are cut off by others, as the top of a plate at the rim of a hole, are nearest
 * there: what the field of the other wall is to them is an inequality. */
static int list_parts(const abut_gap_features *v, int b, const abut_interval *box,
                      const abut_surface_feature *parts[PARTS], ends which[PARTS])
{
    const abut_placed_surface *body = v->body[b];
    const abut_surface_feature *f = v->feature[b];
    const abut_interval *own = box + (b ? v->unknowns[0] : 0);
    int n = 0;
    parts[n] = f;
    for (int m = 0; m < 3; ++m)
        which[n].vanishes[b][m] = true;
    ++n;
    if (f->parametric || !body->surface.implicit)
        return n;
    const ia3 x = { ia_from(own[0]), ia_from(own[1]), ia_from(own[2]) };
    const ia t = ia_point(body->t);
    if (abut_feature_on(&body->surface, f, x, t, body->scratch) == ABUT_EVERYWHERE)
        return n;
    for (size_t i = 0; i < body->surface.feature_count && n < PARTS; ++i) {
        const abut_surface_feature *part = &body->surface.features[i];
        bool fits = !part->parametric && part->dimension < f->dimension;
        int shared = 0;
        for (int m = 0; m < 3; ++m)
            which[n].vanishes[b][m] = true;
        for (int m = 0; fits && m < part->field_count; ++m) {
            abut_field_jet jet;
            const abut_limit limit = abut_feature_limit(&body->surface, f, part, m, x, t, body->scratch);
            (void)abut_feature_field(&body->surface, part, m, x, t, 0, body->scratch, &jet);
            shared += limit == ABUT_LIMIT_VANISHES;
            which[n].vanishes[b][m] = limit == ABUT_LIMIT_VANISHES;
            fits = limit != ABUT_LIMIT_NONE && ia_contains_zero(jet.f);
        }
        if (fits && shared == f->field_count)
            parts[n++] = part;
    }
    return n;
}

double abut_gap_flat_bound(abut_gap_search *s, const abut_gap_features *v, const abut_interval *box,
                           double enough, int *split)
{
    const abut_surface_feature *parts[2][PARTS];
    ends which[2][PARTS];
    double best = 0;
    if (v->total == 0)
        return 0;
    const int count[2] = { list_parts(v, 0, box, parts[0], which[0]),
                           list_parts(v, 1, box, parts[1], which[1]) };
    for (int i = 0; i < count[0] && best < enough; ++i)
        for (int j = 0; j < count[1] && best < enough; ++j) {
            abut_gap_features u = *v;
            ends both;
            int at = *split;
            u.feature[0] = parts[0][i];
            u.feature[1] = parts[1][j];
            memcpy(both.vanishes[0], which[0][i].vanishes[0], sizeof both.vanishes[0]);
            memcpy(both.vanishes[1], which[1][j].vanishes[1], sizeof both.vanishes[1]);
            const double lower = bound_by(s, &u, box, &both, enough, &at);
            if (lower > best) {
                best = lower;
                *split = at;
            }
        }
    return best;
}
