/* SPDX-License-Identifier: MIT */
/* Two moving ellipsoids (spheres included) under any motions that have enclosures, rigid or not:
 * the walk from piece to piece, and the point of contact. */
#include "ccd/ellipsoid/ellipsoid_patch.h"
#include "ccd/ellipsoid/ellipsoid_singular.h"
#include "ccd/ellipsoid/moving_ball.h"

#include "math/vec3.h"
#include "motion/leg.h"

static double next_break(const abut_motion *motion, double t, double end)
{
    return motion ? fmin(abut_motion_next_break(motion, t), end) : end;
}

typedef struct map {
    double m[3][3]; /* columns are images of the axes */
    abut_vec3 c;
} map;

static bool map_at(const abut_ellipsoids *e, int which, double t, map *out)
{
    abut_affine at = { .linear = { { { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 } } } };
    if (e->motion[which] && abut_motion_at(e->motion[which], t, &at))
        return false;
    const double r[3] = { e->radii[which].x, e->radii[which].y, e->radii[which].z };
    for (int i = 0; i < 9; ++i)
        out->m[i / 3][i % 3] = at.linear.m[i / 3][i % 3] * r[i % 3];
    out->c = abut_scale(e->unit, at.translation);
    return true;
}

/* s += weight M M^T */
static void add_shape(const map *a, double weight, double s[3][3])
{
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j)
            for (int k = 0; k < 3; ++k)
                s[i][j] += weight * a->m[i][k] * a->m[j][k];
}

/* s x = d for a positive definite s, by Cholesky's method. */
static bool solve(double s[3][3], const double d[3], double x[3])
{
    double l[3][3];
    for (int j = 0; j < 3; ++j)
        for (int i = j; i < 3; ++i) {
            double sum = s[i][j];
            for (int k = 0; k < j; ++k)
                sum -= l[i][k] * l[j][k];
            if (i == j && !(sum > 0))
                return false;
            l[i][j] = i == j ? sqrt(sum) : sum / l[j][j];
        }
    for (int i = 0; i < 3; ++i) {
        x[i] = d[i];
        for (int k = 0; k < i; ++k)
            x[i] -= l[i][k] * x[k];
        x[i] /= l[i][i];
    }
    for (int i = 2; i >= 0; --i) {
        for (int k = i + 1; k < 3; ++k)
            x[i] -= l[k][i] * x[k];
        x[i] /= l[i][i];
    }
    return true;
}

static ABUT_NOINLINE void find_peak(const abut_ellipsoids *e, double t, double *out)
{
    abut_ellipsoid_jet a, b;
    abut_quartic f;
    abut_ellipsoid_over(e, 0, ia_point(t), &a, NULL);
    abut_ellipsoid_over(e, 1, ia_point(t), &b, NULL);
    abut_ellipsoids_form(e, &a, &b, &f);
    *out = abut_quartic_peak(&f);
}

/* Where F is greatest, at u, the point c_a + u P S^-1 d with P = M_a M_a^T is equally far from
 * both in the measure of each, and S^-1 d is the direction in which both their boundaries are
 * met there. */
bool abut_ellipsoids_touch(const abut_ellipsoids *given, double t, abut_vec3 *point, abut_vec3 *normal)
{
    abut_ellipsoids balanced = *given, *const e = &balanced;
    map a, b;
    double peak;
    if (!map_at(e, 0, t, &a) || !map_at(e, 1, t, &b))
        return false;
    abut_ellipsoids_rebalance(e, t);
    const abut_rounding saved = abut_rounding_enter();
    find_peak(e, t, &peak);
    abut_rounding_leave(saved);
    /* F's balanced argument is w : 1 - w = balance u : 1 - u, up to a factor. */
    const double weight_a = peak * e->balance, weight_b = 1 - peak;
    double s[3][3] = { { 0 } }, x[3];
    add_shape(&a, weight_a, s);
    add_shape(&b, weight_b, s);
    const abut_vec3 d = abut_sub(b.c, a.c);
    const double right[3] = { d.x, d.y, d.z };
    if (!solve(s, right, x))
        return false;
    double along[3] = { 0 }, p[3] = { 0 };
    for (int i = 0; i < 3; ++i)
        for (int k = 0; k < 3; ++k)
            along[i] += a.m[k][i] * x[k];
    for (int i = 0; i < 3; ++i)
        for (int k = 0; k < 3; ++k)
            p[i] += weight_a * a.m[i][k] * along[k];
    *point = abut_scale(1 / e->unit, abut_add(a.c, abut_v3(p[0], p[1], p[2])));
    *normal = abut_unit_or(abut_v3(x[0], x[1], x[2]), abut_v3(1, 0, 0));
    return true;
}

/* What is needed to say exactly where one of the two is. */
typedef struct exactly {
    abut_ellipsoid_given given;
    abut_ellipsoid_path path;
    abut_affine own[2];
} exactly;

static bool is_point_matrix(const abut_interval_mat3 *m, abut_mat3 *out)
{
    for (int i = 0; i < 9; ++i) {
        const abut_interval x = m->m[i / 3][i % 3];
        if (x.lo != x.hi)
            return false;
        out->m[i / 3][i % 3] = x.lo;
    }
    return true;
}

/* On a line and not turning, as it is in the coordinates' axes or is a ball. */
static bool set_line(const abut_shape *shape, const abut_leg *leg, double t, exactly *out)
{
    abut_mat3 turned = { { { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 } } };
    if (leg->screws || (shape->type != ABUT_SHAPE_SPHERE &&
                        (leg->spin.turns || !is_point_matrix(&leg->spin.start, &turned))))
        return false;
    out->own[0] = (abut_affine){ turned, leg->from };
    out->own[1] = (abut_affine){ turned, leg->to };
    if (leg->by_rate)
        out->own[1] = (abut_affine){ .translation = leg->rate };
    out->path = (abut_ellipsoid_path){ out->own, 2, leg->by_rate, leg->t0, leg->t1, t };
    return true;
}

static bool set_exactly(const abut_shape *shape, const abut_motion *motion, double t, exactly *out)
{
    size_t count;
    const abut_affine *matrices = motion ? abut_motion_affine_matrices(motion, &count) : NULL;
    const abut_leg *leg = motion ? abut_motion_leg(motion, t) : NULL;
    out->given = (abut_ellipsoid_given){ .radii = abut_ellipsoid_radii(shape), .path = &out->path };
    if (matrices) {
        out->path = (abut_ellipsoid_path){ matrices, count, false, motion->t0, motion->t1, t };
        return true;
    }
    if (leg && set_line(shape, leg, t, out))
        return true;
    abut_shape image;
    abut_place at;
    const abut_shape *body;
    return !abut_place_of(shape, motion, t, &image, &at, &body) && abut_place_given(body, &at, &out->given);
}

int abut_ellipsoids_exact_sign(const abut_moving *m, double t)
{
    exactly a, b;
    if (!set_exactly(m->a, m->motion_a, t, &a) || !set_exactly(m->b, m->motion_b, t, &b))
        return ABUT_SIGN_UNKNOWN;
    return abut_ellipsoid_given_sign(&a.given, &b.given);
}

bool abut_ellipsoids_hand_on(abut_moving *m, const abut_change *c, abut_runs *runs)
{
    const abut_run_cell before = c->rising > 0 ? ABUT_CELL_DEEP : ABUT_CELL_APART;
    const abut_run_cell after = c->rising > 0 ? ABUT_CELL_APART : ABUT_CELL_DEEP;
    const double from = c->has_left ? c->left : c->lo, to = c->has_right ? c->right : c->hi;
    if (c->touch < 0)
        return abut_runs_add(runs, ABUT_CELL_TOUCH, c->lo, c->lo, true) &&
               abut_runs_add(runs, after, c->lo, c->hi, false);
    if (c->touch > 0)
        return abut_runs_add(runs, before, c->lo, c->hi, false) &&
               abut_runs_add(runs, ABUT_CELL_TOUCH, c->hi, c->hi, true);
    if (c->has_left && !abut_runs_add(runs, before, c->lo, c->left, false))
        return false;
    if (from < to || (c->has_left && c->has_right)) {
        const bool known = c->has_left && c->has_right;
        if (!known && m->stop == ABUT_STOP_DONE)
            m->stop = ABUT_STOP_TOLERANCE;
        if (!abut_runs_add(runs, known ? ABUT_CELL_CROSS : ABUT_CELL_UNKNOWN, from, to, false))
            return false;
    }
    return !c->has_right || abut_runs_add(runs, after, to, c->hi, false);
}

static bool is_singular(const abut_motion *motion, double lo, double hi)
{
    abut_interval at;
    return motion && abut_ellipsoid_singular_within(motion, (abut_interval){ lo, hi }, &at);
}

/* Rigid, on lines, and the balls around them stay apart. */
static bool is_far(const abut_moving *m, const abut_ellipsoids *e, double lo, double hi)
{
    abut_motion_line line[2] = { { .t0 = -INFINITY, .t1 = INFINITY }, { .t0 = -INFINITY, .t1 = INFINITY } };
    const abut_motion *const motion[2] = { m->motion_a, m->motion_b };
    double radii = 0;
    for (int i = 0; i < 2; ++i) {
        if (!e->rigid[i] || (motion[i] && !abut_motion_origin_line(motion[i], lo, &line[i])))
            return false;
        radii += abut_max_norm(e->radii[i]) / e->unit;
    }
    return abut_moving_clearly_apart(&line[0], &line[1], (1 + 0x1p-50) * radii, lo, hi);
}

/* One piece on which both motions are smooth. */
static abut_status solve_piece(abut_moving *m, abut_ellipsoids *e, double lo, double hi, abut_runs *runs,
                               bool *wanted)
{
    abut_form_patch patch;
    if (is_far(m, e, lo, hi)) {
        m->inexact = true;
        *wanted = abut_runs_add(runs, ABUT_CELL_APART, lo, hi, false);
        return ABUT_OK;
    }
    abut_ellipsoids_rebalance(e, 0.5 * lo + 0.5 * hi);
    const bool polynomial = abut_ellipsoids_patch(e, lo, hi, &patch);
    for (int i = 0; i < 2; ++i)
        if (!e->rigid[i] && !(polynomial && patch.regular[i]) && is_singular(e->motion[i], lo, hi))
            return ABUT_ERR_VALUE;
    if (!polynomial) {
        *wanted = abut_ellipsoids_solve_interval(m, e, lo, hi, runs);
        return ABUT_OK;
    }
    abut_patch_walk walk;
    abut_patch_begin(&walk, m, e, lo, hi, runs);
    *wanted = m->first_only ? abut_patch_shoot(&walk, &patch) : abut_patch_solve(&walk, &patch);
    return ABUT_OK;
}

abut_status abut_ellipsoids_scan(abut_moving *m, abut_run_fn emit, void *ctx)
{
    abut_ellipsoids e;
    abut_status status =
        abut_ellipsoids_prepare(m->a, m->motion_a, m->range, m->b, m->motion_b, m->range, &e);
    abut_runs runs;
    abut_runs_begin(&runs, m->range, m->accuracy, emit, ctx);
    bool wanted = true;
    for (double t = m->range.lo, next; !status && wanted && t < m->range.hi; t = next) {
        next = next_break(m->motion_b, t, next_break(m->motion_a, t, m->range.hi));
        status = solve_piece(m, &e, t, next, &runs, &wanted);
    }
    if (status)
        return status;
    if (m->cancelled)
        return ABUT_ERR_CANCELLED;
    abut_runs_end(&runs);
    return ABUT_OK;
}
