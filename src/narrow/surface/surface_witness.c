/* SPDX-License-Identifier: MIT */
/* Points that are tried in the search for the gap (surface_gap.c): upper bounds, and the proofs
 * that bodies meet. */
#include "narrow/surface/surface_search.h"

enum { UNKNOWNS = ABUT_GAP_UNKNOWNS, POLISH_STEPS = 8, SAMPLES = 6 };

/* Back into the ranges of parameters; closed ones may be anywhere. */
static void clamp(const abut_gap_features *v, double *mid)
{
    for (int i = 0; i < 2; ++i)
        for (int j = 0; v->feature[i]->parametric && j < v->unknowns[i]; ++j) {
            const abut_interval r = v->feature[i]->range[j];
            double *x = &mid[(i ? v->unknowns[0] : 0) + j];
            if (v->feature[i]->wraps[j]) {
                const double period = r.hi - r.lo;
                if (*x < r.lo || *x > r.hi)
                    *x -= period * floor((*x - r.lo) / period);
            }
            *x = *x < r.lo ? r.lo : *x > r.hi ? r.hi : *x;
        }
}

static double double_dot(const double *a, const double *b)
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

/* The shortest y with n[k] . y = value[k] for up to three unit vectors; false where they depend on each
 * other. By the inverse of their Gram matrix. */
static bool shortest(double n[3][3], int count, const double *value, double *y)
{
    double g[3][3] = { { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 } }, w[3] = { 0, 0, 0 };
    for (int i = 0; i < count; ++i) {
        w[i] = value[i];
        for (int j = 0; j < count; ++j)
            g[i][j] = double_dot(n[i], n[j]);
    }
    const double c[3][3] = { { g[1][1] * g[2][2] - g[1][2] * g[2][1], g[0][2] * g[2][1] - g[0][1] * g[2][2],
                               g[0][1] * g[1][2] - g[0][2] * g[1][1] },
                             { g[1][2] * g[2][0] - g[1][0] * g[2][2], g[0][0] * g[2][2] - g[0][2] * g[2][0],
                               g[0][2] * g[1][0] - g[0][0] * g[1][2] },
                             { g[1][0] * g[2][1] - g[1][1] * g[2][0], g[0][1] * g[2][0] - g[0][0] * g[2][1],
                               g[0][0] * g[1][1] - g[0][1] * g[1][0] } };
    const double det = g[0][0] * c[0][0] + g[0][1] * c[1][0] + g[0][2] * c[2][0];
    if (!(det > 0x1p-40))
        return false;
    y[0] = y[1] = y[2] = 0;
    for (int i = 0; i < count; ++i) {
        const double part = (c[i][0] * w[0] + c[i][1] * w[1] + c[i][2] * w[2]) / det;
        for (int k = 0; k < 3; ++k)
            y[k] += part * n[i][k];
    }
    return true;
}

/* A point of an implicit body close to its feature near x, proved to be in the body; x is moved
 * there: onto the feature, and from there into all of its walls alike. */
static bool decide_implicit(const abut_placed_surface *s, const abut_surface_feature *f, double size,
                            double *x, uint64_t *evaluations)
{
    abut_chart c;
    ia q[3];
    double out[3] = { 0, 0, 0 };
    for (int step = 0; step < 6; ++step) {
        int axis = -1;
        double n[3][3], off[3], one[3] = { 1, 1, 1 }, move[3] = { 0, 0, 0 };
        abut_gap_points(x, 3, q);
        abut_chart_enclose(s, f, q, 1, &axis, &c);
        ++*evaluations;
        out[0] = out[1] = out[2] = 0;
        for (int k = 0; k < c.own; ++k) {
            const double g[3] = { ia_mid(c.df[k].x), ia_mid(c.df[k].y), ia_mid(c.df[k].z) };
            const double length = sqrt(double_dot(g, g));
            if (!(length > 0))
                return false;
            off[k] = ia_mid(c.f[k]) / length;
            if (!(fabs(off[k]) < HUGE_VAL))
                return false;
            for (int i = 0; i < 3; ++i) {
                n[k][i] = g[i] / length;
                move[i] += off[k] * n[k][i];
                out[i] += n[k][i];
            }
        }
        if (c.own > 1 && shortest(n, c.own, one, out))
            (void)shortest(n, c.own, off, move);
        for (int i = 0; i < 3; ++i)
            x[i] -= move[i];
    }
    for (double depth = 0; depth<0x1p-30 * size; depth = depth> 0 ? 4 * depth : 0x1p-53 * size) {
        const double y[3] = { x[0] - depth * out[0], x[1] - depth * out[1], x[2] - depth * out[2] };
        abut_gap_points(y, 3, q);
        ++*evaluations;
        if (abut_surface_inside(&s->surface, (ia3){ q[0], q[1], q[2] }, ia_point(s->t), s->scratch) ==
            ABUT_EVERYWHERE) {
            memcpy(x, y, sizeof y);
            return true;
        }
    }
    return false;
}

/* Whether a point that is in one body (or on its sheet) proves that they meet. */
static bool is_inside(const abut_gap_search *s, int other, ia3 p)
{
    return s->body[other]->surface.implicit && abut_placed_inside(s->body[other], p) == ABUT_EVERYWHERE;
}

/* They meet, and if body i is a sheet, where `at` says. */
static void found_at(abut_gap_search *s, const abut_gap_features *v, int i, const double *at)
{
    s->out->meets = true;
    abut_surface_spot_set(v->body[i], v->feature[i], at + (i ? v->unknowns[0] : 0), &s->out->spot);
}

/* Of bodies that are as close as coordinates are exact only a face tells how they face each
 * other. */
static void note_normal(abut_gap_search *s, const abut_gap_features *v, const double *at)
{
    const double most = 0x1p-40 * s->size;
    s->out->has_face = false;
    for (int i = 0; i < 2 && s->out->gap.hi < most && !s->out->has_face; ++i) {
        abut_chart c;
        ia q[ABUT_CHART_UNKNOWNS];
        int axis = -1;
        if (v->feature[i]->dimension != 2)
            continue;
        abut_gap_points(at + (i ? v->unknowns[0] : 0), v->unknowns[i], q);
        abut_chart_enclose(v->body[i], v->feature[i], q, 1, &axis, &c);
        s->out->has_face = c.defined;
        s->out->face = ia3_mid(i ? ia3_neg(c.n) : c.n);
    }
}

void abut_gap_try_points(abut_gap_search *s, const abut_gap_features *v, const double *mid)
{
    abut_chart c[2];
    double at[UNKNOWNS];
    ia q[UNKNOWNS];
    int axis[2] = { -1, -1 };
    bool have[2] = { true, true };
    memcpy(at, mid, (size_t)v->total * sizeof *at);
    clamp(v, at);
    for (int i = 0; i < 2; ++i)
        if (!v->feature[i]->parametric)
            have[i] = v->body[i]->surface.implicit &&
                      decide_implicit(v->body[i], v->feature[i], s->size, at + (i ? v->unknowns[0] : 0),
                                      &s->out->counters.evaluations);
    abut_gap_points(at, v->total, q);
    abut_gap_enclose(s, v, q, 0, axis, c);
    for (int i = 0; i < 2; ++i) {
        have[i] = have[i] && (c[i].defined || !v->feature[i]->parametric);
        if (have[i] && is_inside(s, 1 - i, c[i].p))
            found_at(s, v, i, at);
    }
    if (!have[0] || !have[1])
        return;
    const double upper = ia_hi(ia_sqrt(ia3_sqr_norm(ia3_sub(c[1].p, c[0].p))));
    if (!(upper < s->out->gap.hi))
        return;
    s->out->gap.hi = upper;
    for (int i = 0; i < 2 && upper < ia_lo(s->off); ++i)
        found_at(s, v, i, at);
    s->out->has_points = true;
    s->out->point_a = ia3_mid(c[0].p);
    s->out->point_b = ia3_mid(c[1].p);
    note_normal(s, v, at);
    s->out->features[0] = v->feature[0];
    s->out->features[1] = v->feature[1];
}

/* x = m^-1 b by elimination with pivots; false where it is singular. */
static bool solve_roughly(int n, double m[UNKNOWNS][UNKNOWNS], double *b)
{
    for (int k = 0; k < n; ++k) {
        int p = k;
        for (int i = k + 1; i < n; ++i)
            p = fabs(m[i][k]) > fabs(m[p][k]) ? i : p;
        if (!(fabs(m[p][k]) > 0))
            return false;
        for (int j = 0; j < n; ++j) {
            const double swap = m[k][j];
            m[k][j] = m[p][j];
            m[p][j] = swap;
        }
        const double swap = b[k];
        b[k] = b[p];
        b[p] = swap;
        for (int i = k + 1; i < n; ++i) {
            const double l = m[i][k] / m[k][k];
            for (int j = k; j < n; ++j)
                m[i][j] -= l * m[k][j];
            b[i] -= l * b[k];
        }
    }
    for (int i = n - 1; i >= 0; --i) {
        for (int j = i + 1; j < n; ++j)
            b[i] -= m[i][j] * b[j];
        b[i] /= m[i][i];
    }
    return true;
}

void abut_gap_polish(abut_gap_search *s, const abut_gap_features *v, double *mid)
{
    abut_chart c[2];
    ia q[UNKNOWNS], f[UNKNOWNS], jacobian[UNKNOWNS][UNKNOWNS];
    int axis[2] = { -1, -1 };
    for (int step = 0; step < POLISH_STEPS; ++step) {
        abut_gap_points(mid, v->total, q);
        axis[0] = axis[1] = -1;
        abut_gap_enclose(s, v, q, 2, axis, c);
        if (!c[0].defined || !c[1].defined)
            return;
        (void)abut_surface_gap_equations(&c[0], &c[1], f, jacobian);
        double m[UNKNOWNS][UNKNOWNS], x[UNKNOWNS], change = 0;
        for (int i = 0; i < v->total; ++i) {
            x[i] = ia_mid(f[i]);
            for (int j = 0; j < v->total; ++j)
                m[i][j] = ia_mid(jacobian[i][j]);
        }
        if (!solve_roughly(v->total, m, x))
            return;
        double next[UNKNOWNS];
        for (int i = 0; i < v->total; ++i) {
            if (!(fabs(x[i]) < HUGE_VAL))
                return;
            next[i] = mid[i] - x[i];
        }
        clamp(v, next);
        for (int i = 0; i < v->total; ++i) {
            change = fmax(change, fabs(next[i] - mid[i]) / (1 + fabs(mid[i])));
            mid[i] = next[i];
        }
        if (change < 0x1p-50)
            return;
    }
}

void abut_gap_try_crossing(abut_gap_search *s, const abut_gap_features *v, const double *mid)
{
    const int dimensions = v->feature[0]->dimension + v->feature[1]->dimension;
    if (s->body[0]->surface.implicit || s->body[1]->surface.implicit || !v->feature[0]->parametric ||
        !v->feature[1]->parametric || dimensions < 3)
        return;
    enum { STEPS = 8 }; /* of Newton's method, or so */
    s->out->counters.evaluations += 2 * STEPS;
    if (dimensions == 3) {
        const int edge = v->feature[0]->dimension == 1 ? 0 : 1;
        const double start[3] = { mid[edge ? 2 : 0], mid[edge ? 0 : 1], mid[edge ? 1 : 2] };
        s->out->meets = abut_surface_pierces(v->body[edge], v->feature[edge], v->body[!edge],
                                             v->feature[!edge], start, &s->out->spot);
        return;
    }
    for (int i = 0; i < 7 && !s->out->meets; ++i) {
        double start[UNKNOWNS];
        memcpy(start, mid, 4 * sizeof *start);
        if (i > 0)
            start[i & 1] += ldexp(v->feature[0]->range[i & 1].hi - v->feature[0]->range[i & 1].lo, -4 * i);
        s->out->meets =
            abut_surface_crosses(v->body[0], v->feature[0], v->body[1], v->feature[1], start, &s->out->spot);
    }
}

void abut_gap_sample(const abut_gap_search *s, const abut_gap_features *v, const abut_gap_node *x,
                     double *mid)
{
    abut_vec3 p[2][SAMPLES * SAMPLES];
    double at[2][SAMPLES * SAMPLES][2], best = HUGE_VAL;
    for (int i = 0; i < 2; ++i)
        for (int k = 0; k < SAMPLES * SAMPLES; ++k) {
            abut_chart c;
            int axis = -1;
            ia q[2];
            for (int j = 0; j < 2; ++j) {
                const abut_interval r = x->q[2 * i + j];
                at[i][k][j] = r.lo + (r.hi - r.lo) * ((j ? k / SAMPLES : k % SAMPLES) + 0.5) / SAMPLES;
                q[j] = ia_point(at[i][k][j]);
            }
            abut_chart_enclose(s->body[i], v->feature[i], q, 0, &axis, &c);
            p[i][k] = ia3_mid(c.p);
        }
    for (int k = 0; k < SAMPLES * SAMPLES; ++k)
        for (int l = 0; l < SAMPLES * SAMPLES; ++l) {
            const abut_vec3 d = { p[1][l].x - p[0][k].x, p[1][l].y - p[0][k].y, p[1][l].z - p[0][k].z };
            const double square = d.x * d.x + d.y * d.y + d.z * d.z;
            if (square < best) {
                best = square;
                memcpy(mid, at[0][k], sizeof at[0][k]);
                memcpy(mid + 2, at[1][l], sizeof at[1][l]);
            }
        }
}
