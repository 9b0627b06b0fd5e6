/* SPDX-License-Identifier: MIT */
/* Points on three planes and quadrics. The resultant in a linear form t of the coordinates (resultant.c) says in
 * which narrow slabs they are, and how many. A slab's point is found in doubles: where t is a root, the coefficients
 * of the monomials of degree 2 are in the kernel of the resultant's matrix. Newton's method and the Krawczyk-Moore
 * test follow: a box with exactly one common point, which is the slab's where it meets no other slab.
 *
 * What has few bits and touches is decided by rounding the candidate and testing it exactly: on all three, with
 * dependent gradients, it is a point of multiplicity 2 at least, so that it is alone where the root is double. */
#include "intersect/points.h"

#include "intersect/cells.h"
#include "intersect/matrix.h"
#include "interval/ia3.h"
#include "interval/linear.h"
#include "interval/poly_certified.h"
#include "math/vec3.h"

#include <math.h>
#include <string.h>

typedef struct search {
    const abut_solid_surface *const *surface;
    abut_exact_matrix exact[3];
    abut_interval m[3][4][4]; /* enclosures */
    double d[3][4][4];        /* and in doubles */
    abut_resultant resultant;
    abut_root root[ABUT_RESULTANT_DEGREE];
    int roots;
    abut_common_points *out;
} search;

static const int sextuple_pair[6][2] = { { 0, 0 }, { 0, 1 }, { 0, 2 }, { 1, 1 }, { 1, 2 }, { 2, 2 } };

/* ---- candidates in doubles ---- */

static void restrict_doubles(const double m[4][4], const double t[4][3], double out[3][3])
{
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j) {
            out[i][j] = 0;
            for (int k = 0; k < 4; ++k)
                for (int l = 0; l < 4; ++l)
                    out[i][j] += t[k][i] * m[k][l] * t[l][j];
        }
}

static int pair_of(int a, int b)
{
    for (int i = 0; i < 6; ++i)
        if ((sextuple_pair[i][0] == a && sextuple_pair[i][1] == b) ||
            (sextuple_pair[i][0] == b && sextuple_pair[i][1] == a))
            return i;
    return 0;
}

static void kernel_rows(double f[3][3][3], double rows[6][6])
{
    double cubic[3][3][3];
    memset(cubic, 0, sizeof cubic);
    memset(rows, 0, 36 * sizeof rows[0][0]);
    for (int i = 0; i < 3; ++i)
        for (int a = 0; a < 3; ++a)
            for (int b = 0; b < 3; ++b)
                rows[i][pair_of(a, b)] += f[i][a][b];
    for (int a = 0; a < 3; ++a)
        for (int b = 0; b < 3; ++b)
            for (int c = 0; c < 3; ++c)
                for (int i = 0; i < 3; ++i) {
                    const int j = (i + 1) % 3, k = (i + 2) % 3;
                    cubic[a][b][c] += f[0][i][a] * (f[1][j][b] * f[2][k][c] - f[1][k][b] * f[2][j][c]);
                }
    for (int a = 0; a < 3; ++a)
        for (int b = 0; b < 3; ++b)
            for (int c = 0; c < 3; ++c) {
                rows[3 + a][pair_of(b, c)] += cubic[a][b][c];
                rows[3 + b][pair_of(a, c)] += cubic[a][b][c];
                rows[3 + c][pair_of(a, b)] += cubic[a][b][c];
            }
    for (int i = 0; i < 6; ++i) {
        double most = 0;
        for (int j = 0; j < 6; ++j)
            most = fmax(most, fabs(rows[i][j]));
        for (int j = 0; j < 6 && most > 0; ++j)
            rows[i][j] /= most;
    }
}

/* The vector that Gaussian elimination with complete pivoting leaves over, of a matrix of order n. */
static void kernel(double rows[6][6], double v[6])
{
    int order[6] = { 0, 1, 2, 3, 4, 5 };
    for (int k = 0; k < 5; ++k) {
        int r = k, c = k;
        for (int i = k; i < 6; ++i)
            for (int j = k; j < 6; ++j)
                if (fabs(rows[i][j]) > fabs(rows[r][c])) {
                    r = i;
                    c = j;
                }
        for (int j = 0; j < 6; ++j) {
            const double t = rows[k][j];
            rows[k][j] = rows[r][j];
            rows[r][j] = t;
        }
        for (int i = 0; i < 6; ++i) {
            const double t = rows[i][k];
            rows[i][k] = rows[i][c];
            rows[i][c] = t;
        }
        const int t = order[k];
        order[k] = order[c];
        order[c] = t;
        for (int i = k + 1; i < 6; ++i) {
            const double f = rows[k][k] != 0 ? rows[i][k] / rows[k][k] : 0;
            for (int j = k; j < 6; ++j)
                rows[i][j] -= f * rows[k][j];
        }
    }
    double u[6] = { 0, 0, 0, 0, 0, 1 };
    for (int k = 4; k >= 0; --k) {
        double sum = 0;
        for (int j = k + 1; j < 6; ++j)
            sum -= rows[k][j] * u[j];
        u[k] = rows[k][k] != 0 ? sum / rows[k][k] : 0;
    }
    for (int k = 0; k < 6; ++k)
        v[order[k]] = u[k];
}

static abut_vec3 candidate(const search *s, double t)
{
    const double a = s->resultant.y_part, b = s->resultant.z_part;
    double f[3][3][3], rows[6][6], v[6];
    if (!abut_matrix_is_plane(&s->exact[0])) {
        const double map[4][3] = { { t, -a, -b }, { 0, 1, 0 }, { 0, 0, 1 }, { 1, 0, 0 } };
        for (int i = 0; i < 3; ++i)
            restrict_doubles((const double(*)[4])s->d[i], map, f[i]);
        kernel_rows(f, rows);
        kernel(rows, v);
        /* w^2 : wy : wz, or where the point is far out yy, yz */
        const double y = v[1] / v[0], z = v[2] / v[0];
        return abut_v3(t - a * y - b * z, y, z);
    }
    const abut_vec3 n = { 2 * s->d[0][0][3], 2 * s->d[0][1][3], 2 * s->d[0][2][3] }, l = { 1, a, b };
    const double c = -s->d[0][3][3];
    const abut_vec3 d = abut_cross(n, l);
    const double size = abut_dot(d, d);
    const abut_vec3 p = abut_scale(1 / size, abut_madd(abut_scale(c, abut_cross(l, d)), t, abut_cross(d, n)));
    const double map[4][3] = { { p.x, d.x, 0 }, { p.y, d.y, 0 }, { p.z, d.z, 0 }, { 1, 0, 0 } };
    restrict_doubles((const double(*)[4])s->d[1], map, f[0]);
    restrict_doubles((const double(*)[4])s->d[2], map, f[1]);
    const double u = f[0][1][1] * f[1][0][0] - f[1][1][1] * f[0][0][0],
                 w = f[0][1][1] * f[1][0][1] - f[1][1][1] * f[0][0][1];
    return abut_madd(p, -0.5 * u / w, d);
}

static double value_at(const double m[4][4], abut_vec3 p, abut_vec3 *gradient)
{
    const double x[4] = { p.x, p.y, p.z, 1 };
    double g[4] = { 0 };
    for (int i = 0; i < 4; ++i)
        for (int j = 0; j < 4; ++j)
            g[i] += m[i][j] * x[j];
    *gradient = abut_v3(2 * g[0], 2 * g[1], 2 * g[2]);
    return g[0] * x[0] + g[1] * x[1] + g[2] * x[2] + g[3];
}

static void newton(const search *s, abut_vec3 *p)
{
    for (int i = 0; i < 8; ++i) {
        abut_vec3 g[3];
        double f[3];
        for (int k = 0; k < 3; ++k)
            f[k] = value_at((const double(*)[4])s->d[k], *p, &g[k]);
        const abut_vec3 u = abut_cross(g[1], g[2]), v = abut_cross(g[2], g[0]), w = abut_cross(g[0], g[1]);
        const double det = abut_dot(g[0], u);
        if (!(fabs(det) > 0))
            return;
        const abut_vec3 step =
            abut_scale(-1 / det, abut_madd(abut_madd(abut_scale(f[0], u), f[1], v), f[2], w));
        const abut_vec3 next = abut_add(*p, step);
        if (!abut_is_finite3(next))
            return;
        *p = next;
    }
}

/* ---- proof ---- */

static ABUT_NOINLINE void equations(const search *s, const abut_interval *box, const double *mid,
                                    abut_interval *f, abut_interval *jacobian)
{
    const ia x[4] = { ia_from(box[0]), ia_from(box[1]), ia_from(box[2]), ia_point(1) };
    for (int k = 0; k < 3; ++k) {
        ia value = ia_point(0);
        for (int i = 0; i < 4; ++i) {
            ia row = ia_point(0), at = ia_point(0);
            for (int j = 0; j < 4; ++j) {
                row = ia_add(row, ia_mul(ia_from(s->m[k][i][j]), x[j]));
                at = ia_add(at, j < 3 ? ia_scale(mid[j], ia_from(s->m[k][i][j])) : ia_from(s->m[k][i][j]));
            }
            if (i < 3)
                jacobian[3 * k + i] = ia_to(ia_scale(2, row));
            value = ia_add(value, i < 3 ? ia_scale(mid[i], at) : at);
        }
        f[k] = ia_to(value);
    }
}

/* A box with exactly one common point, about p; false where none is found. */
static bool prove(const search *s, abut_vec3 p, abut_interval box[3])
{
    const double mid[3] = { p.x, p.y, p.z };
    const double size = 1 + abut_max_norm(p);
    bool unique = false;
    for (double r = 0x1p-48 * size; r < 0x1p-3 * size && !unique; r *= 8) {
        abut_interval f[3], jacobian[9], next[3];
        for (int i = 0; i < 3; ++i)
            box[i] = (abut_interval){ mid[i] - r, mid[i] + r };
        const abut_rounding saved = abut_rounding_enter();
        equations(s, box, mid, f, jacobian);
        abut_rounding_leave(saved);
        const abut_krawczyk_status said = abut_interval_krawczyk(3, box, mid, f, jacobian, next);
        if (said == ABUT_KRAWCZYK_NONE)
            return false;
        unique = said == ABUT_KRAWCZYK_UNIQUE;
        if (unique)
            memcpy(box, next, sizeof next);
    }
    for (int pass = 0; unique && pass < 4; ++pass) {
        abut_interval f[3], jacobian[9], next[3];
        double at[3];
        for (int i = 0; i < 3; ++i)
            at[i] = abut_interval_mid(box[i]);
        const abut_rounding saved = abut_rounding_enter();
        equations(s, box, at, f, jacobian);
        abut_rounding_leave(saved);
        if (abut_interval_krawczyk(3, box, at, f, jacobian, next) == ABUT_KRAWCZYK_NONE)
            break;
        memcpy(box, next, sizeof next);
    }
    return unique;
}

static ABUT_NOINLINE void form_over(const search *s, const abut_interval *box, abut_interval *out)
{
    *out = ia_to(ia_add(ia_from(box[0]), ia_add(ia_scale(s->resultant.y_part, ia_from(box[1])),
                                                ia_scale(s->resultant.z_part, ia_from(box[2])))));
}

static bool overlap(abut_interval a, abut_interval b)
{
    return a.lo <= b.hi && b.lo <= a.hi;
}

/* Is the box in slab i, and in no other? */
static bool is_of(const search *s, int i, const abut_interval box[3])
{
    abut_interval t;
    const abut_rounding saved = abut_rounding_enter();
    form_over(s, box, &t);
    abut_rounding_leave(saved);
    for (int k = 0; k < s->roots; ++k)
        if (overlap(t, s->root[k].x) != (k == i))
            return false;
    return true;
}

static ABUT_NOINLINE int side_of_apex(const abut_solid_surface *s, const abut_interval *box)
{
    const ia3 d = ia3_sub(ia3_make(ia_from(box[0]), ia_from(box[1]), ia_from(box[2])), ia3_point(s->point));
    return ia_sign(ia3_dot(ia3_point(s->axis), d));
}

/* 1: on the nappes of all cones, -1: not, 0: not known. */
static int nappes(const search *s, const abut_interval box[3])
{
    int all = 1;
    for (int i = 0; i < 3; ++i) {
        if (s->surface[i]->kind != ABUT_SOLID_CONE)
            continue;
        const abut_rounding saved = abut_rounding_enter();
        const int side = side_of_apex(s->surface[i], box);
        abut_rounding_leave(saved);
        if (side < 0)
            return -1;
        all = side == 0 ? 0 : all;
    }
    return all;
}

/* The candidate rounded to few bits, exactly on all three surfaces and singular there. */
static bool touches(const search *s, abut_vec3 p, abut_vec3 *at)
{
    *at = abut_v3(ldexp(round(ldexp(p.x, 16)), -16), ldexp(round(ldexp(p.y, 16)), -16),
                  ldexp(round(ldexp(p.z, 16)), -16));
    if (!abut_is_finite3(*at))
        return false;
    for (int i = 0; i < 3; ++i)
        if (abut_matrix_sign(&s->exact[i], *at) != 0)
            return false;
    return abut_matrix_singular(s->exact, *at);
}

static void report(search *s, int i)
{
    const abut_root *root = &s->root[i];
    const double t = abut_interval_mid(root->x);
    abut_vec3 p = candidate(s, t);
    abut_interval box[3] = { abut_interval_entire(), abut_interval_entire(), abut_interval_entire() };
    abut_curve_hit hit = { .place = ABUT_HIT_ON_CURVE,
                           .multiplicity = root->multiplicity,
                           .parameter = abut_interval_empty() };
    int side = 0;
    abut_vec3 at;
    if (root->kind == ABUT_ROOT_SIMPLE) {
        if (abut_is_finite3(p)) {
            newton(s, &p);
            if (prove(s, p, box) && is_of(s, i, box))
                hit.kind = ABUT_HIT_TRANSVERSAL;
            else
                for (int k = 0; k < 3; ++k)
                    box[k] = abut_interval_entire();
        }
    } else if (root->kind == ABUT_ROOT_MULTIPLE && root->multiplicity == 2 && abut_is_finite3(p) &&
               touches(s, p, &at)) {
        const abut_interval exact[3] = { { at.x, at.x }, { at.y, at.y }, { at.z, at.z } };
        if (is_of(s, i, exact)) {
            memcpy(box, exact, sizeof box);
            hit.kind = ABUT_HIT_TANGENT;
        }
    }
    if (hit.kind != ABUT_HIT_UNDECIDED) {
        side = nappes(s, box);
        if (side < 0)
            return;
        if (side == 0)
            hit.kind = ABUT_HIT_UNDECIDED;
    }
    hit.point = (abut_interval_vec3){ box[0], box[1], box[2] };
    s->out->decided = s->out->decided && hit.kind != ABUT_HIT_UNDECIDED;
    s->out->hit[s->out->count++] = hit;
}

static double order_of(const abut_curve_hit *h)
{
    return abut_interval_mid(h->point.x) + 0.5 * abut_interval_mid(h->point.y) +
           0.25 * abut_interval_mid(h->point.z);
}

/* The real roots; false where no range is known in which all of them are. */
static bool isolate(search *s)
{
    const abut_resultant *r = &s->resultant;
    s->roots = 0;
    if (r->degree == 0)
        return true;
    if (r->exact) {
        s->roots = abut_poly_roots_expansion(&r->terms[0][0], ABUT_RESULTANT_TERMS, r->degree, -INFINITY,
                                             INFINITY, 0, s->root);
        return s->roots >= 0;
    }
    /* Cauchy: less than 1 + max |c_i / c_n|. */
    const abut_interval top = r->c[r->degree];
    const double least = fmin(fabs(top.lo), fabs(top.hi));
    double most = 0;
    for (int i = 0; i < r->degree; ++i)
        most = fmax(most, fmax(fabs(r->c[i].lo), fabs(r->c[i].hi)));
    const double bound = 1.0000001 * (1 + most / least);
    if (!(top.lo > 0 || top.hi < 0) || !isfinite(bound))
        return false;
    s->roots = abut_poly_roots_interval(r->c, r->degree, -bound, bound, 0, s->root);
    return s->roots >= 0;
}

/* False where sums of products of them may overflow. */
static bool enclose(search *s)
{
    bool moderate = true;
    for (int k = 0; k < 3; ++k)
        for (int i = 0; i < 4; ++i)
            for (int j = 0; j < 4; ++j) {
                abut_interval *m = &s->m[k][i][j];
                abut_long_enclose(&s->exact[k].m[i][j], 0, &m->lo, &m->hi);
                s->d[k][i][j] = abut_interval_mid(*m);
                moderate = moderate && fabs(s->d[k][i][j]) < 1e100;
            }
    return moderate;
}

/* A plane first, or a plane made of two quadrics with the same quadratic part. */
static void arrange(search *s)
{
    for (int i = 0; i < 3; ++i)
        if (abut_matrix_is_plane(&s->exact[i])) {
            const abut_exact_matrix t = s->exact[0];
            s->exact[0] = s->exact[i];
            s->exact[i] = t;
            return;
        }
    for (int i = 0; i < 3; ++i) {
        const int j = (i + 1) % 3;
        if (abut_matrix_reduce(&s->exact[i], &s->exact[j])) {
            const abut_exact_matrix t = s->exact[0];
            s->exact[0] = s->exact[j];
            s->exact[j] = t;
            return;
        }
    }
}

static void nothing_known(search *s)
{
    abut_common_points *out = s->out;
    out->decided = false;
    out->count = 1;
    out->hit[0] = (abut_curve_hit){ .place = ABUT_HIT_ON_CURVE,
                                    .multiplicity = out->degree,
                                    .parameter = abut_interval_empty(),
                                    .point = { abut_interval_entire(), abut_interval_entire(),
                                               abut_interval_entire() } };
}

static void sort(abut_common_points *out)
{
    for (int i = 1; i < out->count; ++i)
        for (int j = i; j > 0 && order_of(&out->hit[j]) < order_of(&out->hit[j - 1]); --j) {
            const abut_curve_hit t = out->hit[j];
            out->hit[j] = out->hit[j - 1];
            out->hit[j - 1] = t;
        }
}

/* Where one is a torus: in its box. */
static void by_cells(search *s, const abut_solid_surface *torus)
{
    abut_common_points *out = s->out;
    abut_common_equation equation[3] = { { 0 } };
    abut_interval points[ABUT_COMMON_POINTS][3];
    bool proved[ABUT_COMMON_POINTS];
    int count = 0;
    out->degree = 1;
    for (int k = 0; k < 3; ++k) {
        const abut_solid_surface *f = s->surface[k];
        out->degree *= f->kind == ABUT_SOLID_TORUS ? 4 : f->kind == ABUT_SOLID_PLANE ? 1 : 2;
        if (f->kind == ABUT_SOLID_TORUS) {
            equation[k].torus = f;
            continue;
        }
        if (!abut_matrix_exact(f, &s->exact[k])) {
            nothing_known(s);
            return;
        }
        for (int i = 0; i < 4; ++i)
            for (int j = 0; j < 4; ++j) {
                abut_interval *m = &equation[k].m[i][j];
                abut_long_enclose(&s->exact[k].m[i][j], 0, &m->lo, &m->hi);
                if (!(fabs(m->lo) < 1e100 && fabs(m->hi) < 1e100)) {
                    nothing_known(s);
                    return;
                }
            }
    }
    const double reach = 1.0000001 * (torus->radius + torus->minor);
    const double center[3] = { torus->point.x, torus->point.y, torus->point.z };
    abut_interval region[3];
    for (int i = 0; i < 3; ++i)
        region[i] = (abut_interval){ center[i] - reach - 1e-15 * fabs(center[i]),
                                     center[i] + reach + 1e-15 * fabs(center[i]) };
    if (!(reach + abut_max_norm(torus->point) < 1e70) || !(abut_max_norm(torus->axis) < 1e70) ||
        !(abut_max_norm(torus->axis) > 1e-70)) {
        nothing_known(s);
        return;
    }
    (void)abut_points_by_cells((const abut_common_equation *)equation, (const abut_interval *)region, points,
                               proved, &count);
    for (int k = 0; k < count; ++k) {
        abut_curve_hit hit = { .place = ABUT_HIT_ON_CURVE,
                               .kind = proved[k] ? ABUT_HIT_TRANSVERSAL : ABUT_HIT_UNDECIDED,
                               .multiplicity = proved[k] ? 1 : out->degree,
                               .parameter = abut_interval_empty(),
                               .point = { points[k][0], points[k][1], points[k][2] } };
        const int side = nappes(s, points[k]);
        if (side < 0)
            continue;
        if (side == 0)
            hit.kind = ABUT_HIT_UNDECIDED;
        out->decided = out->decided && hit.kind != ABUT_HIT_UNDECIDED;
        out->hit[out->count++] = hit;
    }
}

void abut_points_of_three(const abut_solid_surface *const surface[3], abut_common_points *out)
{
    /* In no simple ratio, so that few points have the same t. */
    static const double parts[3][2] = { { 79.0 / 128, -49.0 / 128 },
                                        { -93.0 / 128, 37.0 / 64 },
                                        { 0, 0.375 } };
    search s = { .surface = surface, .out = out };
    *out = (abut_common_points){ .decided = true };
    for (int i = 0; i < 3; ++i)
        if (surface[i]->kind == ABUT_SOLID_TORUS) {
            by_cells(&s, surface[i]);
            sort(out);
            return;
        }
    out->degree = ABUT_RESULTANT_DEGREE;
    for (int i = 0; i < 3; ++i)
        if (!abut_matrix_exact(surface[i], &s.exact[i])) {
            nothing_known(&s);
            return;
        }
    if (abut_matrix_depends(&s.exact[0], &s.exact[1], &s.exact[2])) {
        out->contained = surface[2]->kind != ABUT_SOLID_CONE;
        if (!out->contained)
            nothing_known(&s);
        return;
    }
    arrange(&s);
    if (!enclose(&s)) {
        nothing_known(&s);
        return;
    }
    out->degree = abut_matrix_is_plane(&s.exact[0]) ? 4 : ABUT_RESULTANT_DEGREE;
    abut_common_points best = { 0 };
    for (int k = 0; k < 3; ++k) {
        out->count = 0;
        out->decided = true;
        if (!abut_resultant_of(s.exact, parts[k][0], parts[k][1], &s.resultant) || s.resultant.degree < 0 ||
            !isolate(&s)) {
            nothing_known(&s);
        } else
            for (int i = 0; i < s.roots; ++i)
                report(&s, i);
        /* Another direction may tell apart what this one does not. */
        if (k == 0 || (out->decided && !best.decided))
            best = *out;
        if (best.decided)
            break;
    }
    *out = best;
    sort(out);
}
